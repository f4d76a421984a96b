/* For internal use: keys and bits. */
#ifndef SITU_OP_RANDOM_H
#define SITU_OP_RANDOM_H

#include "op/support.h"

#include <situ/random.h>

/* Checks options and key of a draw, and moves the key to the device in the options; sets the layout if it is the
 * default. */
#define SITU_TAKE_KEY(key, o, given, operation, site) \
    (situ_usable(&(key), 1, operation, site) && SITU_TAKE_OPTIONS(o, given, operation, site) && \
        situ_take_key(&(key), &(o).device, &(o).layout, operation, site))
bool situ_take_key(situ_tensor **key, situ_device *device, situ_layout_kind *layout, const char *operation, situ_site site);
/* Random bits of u8, u16, u32 or u64. */
situ_tensor *situ_bits(situ_tensor *key, situ_shape shape, situ_dtype dtype, situ_layout_kind layout, situ_site site);

#endif
