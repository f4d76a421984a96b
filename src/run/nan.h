/* SITU_DEBUG=nan reports once, on stderr, where the first NaN of the process was made; under a guard with .nan it is
 * an error. Plans then have a step for each operation, as for `situ diff` (run/digest.h), and each result is checked. */
#ifndef SITU_RUN_NAN_H
#define SITU_RUN_NAN_H

#include <situ/dtype.h>

#include "base/debug.h"
#include "device/backend.h"

static inline bool situ_nan_wanted(void) { return __builtin_expect(situ_debug(SITU_DEBUG_NAN), 0); }
/* The first element that is NaN, or has NaN as a part; -1: none. */
int64_t situ_nan_find(situ_dtype dtype, const void *data, size_t bytes);
/* Checks bytes of this dtype, computed by function `name`, in its operation `part` if that is another. host: they were
 * uploaded from the host. */
void situ_nan_look(situ_dtype dtype, const void *data, size_t bytes, const char *name, const char *part, bool host,
    situ_device device, situ_site site);

#endif
