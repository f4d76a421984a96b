/* Files kept between runs: compiled device programs, one file each, in $XDG_CACHE_HOME/situ/KIND (else
 * ~/.cache/situ/KIND). The file's name is a hash of all that its contents depend on. The file also contains a checksum
 * of itself, so that a truncated, damaged or foreign file is not used. */
#ifndef SITU_BASE_CACHE_H
#define SITU_BASE_CACHE_H

#include "base/hash.h"

/* Reads the entry with this key; the caller frees it by situ_free. NULL if there is none, or if it is damaged (it is
 * then removed). kind: "opencl". */
unsigned char *situ_cache_read(const char *kind, situ_hash key, size_t *bytes);
/* Stores an entry. Errors are ignored: the next run compiles again. Two processes may write at the same time. */
void situ_cache_write(const char *kind, situ_hash key, const unsigned char *data, size_t bytes);
void situ_cache_remove(const char *kind, situ_hash key);
/* Whether entries of this kind can be stored. */
bool situ_cache_takes(const char *kind);

#endif
