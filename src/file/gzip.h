/* Reading whole files, plain or gzip. */
#ifndef SITU_FILE_GZIP_H
#define SITU_FILE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file, and unpacks it if it is gzip (zlib is opened at run time for that). *data is freed by
 * situ_counted_free (device/counted.h) and is followed by a zero byte. Unpacked data counts towards the CPU's memory
 * limit, and its size is limited (below). Returns 0 or a negative code. */
int situ_read_file(const char *path, void **data, size_t *size);
/* The same for a file that was found in a folder: a pipe is an error, because reading it would block. */
int situ_read_found(const char *path, void **data, size_t *size);
/* The same for bytes in memory: a copy, unpacked if it is gzip; `name` is for messages. */
int situ_unpack(const char *name, const void *packed, size_t packed_size, void **data, size_t *size);

/* To be called before unpacking. *most: the largest size that `packed` bytes may unpack to: 100 times as many, at
 * least 256 MiB, or the value of SITU_UNPACKED. 0 or a negative code. */
int situ_unpacked_most(size_t packed, size_t *most);
/* The error for a file that unpacks to more; and the check of a known size: 0 or a negative code. */
int situ_fail_unpacked(const char *name, size_t packed, size_t most);
int situ_unpacked_fits(const char *name, size_t packed, size_t size);

/* Unpacks raw deflate data: skips `skip` bytes, writes the next `size` to out. `whole`: the data must end there; then
 * *crc is the CRC-32 of all bytes. 0 or a negative code. */
int situ_inflate(
    const char *name, const void *packed, size_t packed_size, size_t skip, void *out, size_t size, bool whole, uint32_t *crc);

/* For tests: other file names for zlib, tried at each call; NULL: the usual ones. */
extern const char *const *situ_test_zlib_names;

#endif
