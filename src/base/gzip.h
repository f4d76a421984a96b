/* Whole files, plain or gzip. */
#ifndef SITU_BASE_GZIP_H
#define SITU_BASE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file, unpacked if it starts as gzip does (zlib is opened at run time for that). *data is freed by
 * situ_free and has a zero byte after its end. Returns 0 or a negative code. */
int situ_read_file(const char *path, void **data, size_t *size);
/* The same of a file that was found in a folder: a pipe there, for which reading would wait, is an error. */
int situ_read_found(const char *path, void **data, size_t *size);
/* The same for bytes in memory: a fresh copy, unpacked if it is gzip; `name` is for messages. */
int situ_unpack(const char *name, const void *packed, size_t packed_size, void **data, size_t *size);

/* Unpacks bare deflate data without a frame: drops `skip` bytes, writes the next `size` to out. `whole`: the data must end there;
 * *crc is the CRC-32 of all bytes then. 0 or a negative code. */
int situ_inflate(
    const char *name, const void *packed, size_t packed_size, size_t skip, void *out, size_t size, bool whole, uint32_t *crc);

/* For tests: other names to look for zlib under, tried at each call; NULL: the usual ones. */
extern const char *const *situ_test_zlib_names;

#endif
