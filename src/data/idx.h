/* IDX files, the format of MNIST: a magic number (0, 0, type, number of dimensions), the dimensions as big-endian
 * 32-bit numbers, and the values, big-endian and row-major. */
#ifndef SITU_DATA_IDX_H
#define SITU_DATA_IDX_H

#include <situ/dtype.h>
#include <stddef.h>
#include <stdint.h>

enum { SITU_IDX_DIMS = 8 };

typedef struct situ_idx {
    int dtype; /* SITU_U8, SITU_I8, SITU_I16, SITU_I32, SITU_F32 or SITU_F64 */
    int ndim;
    int64_t shape[SITU_IDX_DIMS];
    int64_t count;       /* number of values: the product of the shape */
    size_t item_size;    /* bytes of one value                  */
    const uint8_t *data; /* big-endian, inside the parsed bytes */
} situ_idx;

/* Reads the header of an IDX file in memory and checks that all values are there. *out points into data. Another
 * format, a truncated file or extra bytes at the end are the error SITU_BAD_FORMAT. */
int situ_idx_parse(const void *data, size_t size, situ_idx *out);

/* Copies `count` values, from index `first` on, to out in the byte order of this machine. */
int situ_idx_read(const situ_idx *idx, int64_t first, int64_t count, void *out);

#endif
