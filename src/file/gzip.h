/* Whole files, plain or gzip. */
#ifndef SITU_FILE_GZIP_H
#define SITU_FILE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file, unpacked if it starts as gzip does (zlib is opened at run time for that). *data is freed by situ_counted_free
 * (device/counted.h) and has a zero byte after its end. What was unpacked counts in the limit of the CPU's memory, and has a bound
 * (below). Returns 0 or a negative code. */
int situ_read_file(const char *path, void **data, size_t *size);
/* The same of a file that was found in a folder: a pipe there, for which reading would wait, is an error. */
int situ_read_found(const char *path, void **data, size_t *size);
/* The same for bytes in memory: a fresh copy, unpacked if it is gzip; `name` is for messages. */
int situ_unpack(const char *name, const void *packed, size_t packed_size, void **data, size_t *size);

/* What a reader that unpacks asks first. *most: how many bytes `packed` bytes of a file may become: 100 times as many, 256 MiB at
 * least, or what SITU_UNPACKED says. 0 or a negative code. */
int situ_unpacked_most(size_t packed, size_t *most);
/* The error of a file that becomes more; and both for a size that is known: 0 or a negative code. */
int situ_fail_unpacked(const char *name, size_t packed, size_t most);
int situ_unpacked_fits(const char *name, size_t packed, size_t size);

/* Unpacks bare deflate data without a frame: drops `skip` bytes, writes the next `size` to out. `whole`: the data must end there;
 * *crc is the CRC-32 of all bytes then. 0 or a negative code. */
int situ_inflate(
    const char *name, const void *packed, size_t packed_size, size_t skip, void *out, size_t size, bool whole, uint32_t *crc);

/* For tests: other names to look for zlib under, tried at each call; NULL: the usual ones. */
extern const char *const *situ_test_zlib_names;

#endif
