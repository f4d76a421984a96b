/* Compiled programs on disk, in $XDG_CACHE_HOME/situ/opencl (else ~/.cache/situ/opencl), one file each. A file names all
 * that its bytes depend on by a hash and carries one of its own, so that a torn, damaged or foreign one is not used. */
#ifndef SITU_BACKEND_OPENCL_CACHE_H
#define SITU_BACKEND_OPENCL_CACHE_H

#include "base/hash.h"

/* The bytes under this key, to be freed by situ_free, or NULL: nothing, or nothing whole (which is removed). */
unsigned char *situ_cache_read(situ_hash key, size_t *bytes);
/* Never fails in a way that matters: the next program is compiled again. Two processes may write at once. */
void situ_cache_write(situ_hash key, const unsigned char *data, size_t bytes);
void situ_cache_remove(situ_hash key);

#endif
