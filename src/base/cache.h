/* Files that are kept from run to run: compiled programs of devices, in $XDG_CACHE_HOME/situ/KIND (else ~/.cache/situ/KIND),
 * one file each. A file names all that its bytes depend on by a hash and carries one of its own, so that a torn, damaged
 * or foreign one is not used. */
#ifndef SITU_BASE_CACHE_H
#define SITU_BASE_CACHE_H

#include "base/hash.h"

/* The bytes under this key, to be freed by situ_free, or NULL: nothing, or nothing whole (which is removed). kind: "opencl". */
unsigned char *situ_cache_read(const char *kind, situ_hash key, size_t *bytes);
/* Never fails in a way that matters: the next program is compiled again. Two processes may write at once. */
void situ_cache_write(const char *kind, situ_hash key, const unsigned char *data, size_t bytes);
void situ_cache_remove(const char *kind, situ_hash key);
/* Is there a place to write to? */
bool situ_cache_takes(const char *kind);

#endif
