/* For the library's own use: keys and bits. */
#ifndef SITU_OP_RANDOM_H
#define SITU_OP_RANDOM_H

#include "op/support.h"

#include <situ/random.h>

/* Which of the options mean something to a function, beside .device. */
enum { SITU_DRAWS_DTYPE = 1, SITU_DRAWS_RANGE = 2, SITU_DRAWS_LAYOUT = 4, SITU_DRAWS_AXIS = 8, SITU_DRAWS_EVENLY = 16 };
/* Checks a key and the options and brings the key to the device that they name; the layout is then no default. */
bool situ_take_key(situ_tensor **key, situ_random_options *o, const situ_random_options *options, unsigned has, const char *operation,
                   situ_site site);
/* Random bits of u8, u16, u32 or u64. */
situ_tensor *situ_bits(situ_tensor *key, situ_shape shape, situ_dtype dtype, situ_layout_kind layout, situ_site site);

#endif
