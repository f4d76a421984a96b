/* SITU_DEBUG=nan says once, on stderr, where the first NaN of the process was made; under a guard with .nan it is an error.
 * Plans are then made as for `situ diff` (run/digest.h): a step for each operation, and after each step its results are
 * looked at. */
#ifndef SITU_RUN_NAN_H
#define SITU_RUN_NAN_H

#include <situ/dtype.h>

#include "base/debug.h"
#include "device/backend.h"

static inline bool situ_nan_wanted(void) { return __builtin_expect(situ_debug(SITU_DEBUG_NAN), 0); }
/* The first element that is a NaN, or has one as a part; -1: none. */
int64_t situ_nan_find(situ_dtype dtype, const void *data, size_t bytes);
/* data: bytes of this dtype that `name` made, by its operation `part` if that is another. host: they came in from the host. */
void situ_nan_look(situ_dtype dtype, const void *data, size_t bytes, const char *name, const char *part, bool host,
    situ_device device, situ_site site);

#endif
