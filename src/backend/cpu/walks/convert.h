/* Moving elements: casts of contiguous arrays, and strided arrays to and from contiguous ones. */
#ifndef SITU_CPU_CONVERT_H
#define SITU_CPU_CONVERT_H

#include <situ/dtype.h>
#include <stdbool.h>

#include "base/isa.h"

/* n elements; out and in do not overlap. Bool is a byte, 0 or not in input, 0 or 1 in output. */
typedef void (*situ_convert_fn)(void *out, const void *in, int64_t n);

/* The cast (semantics: float to integer saturates and NaN gives 0, integers wrap, to bool is != 0, complex to real
 * takes the real part); NULL for a number that is no dtype. */
situ_convert_fn situ_convert(situ_dtype from, situ_dtype to);
/* By instruction set: [from][to]. */
#define SITU_CONVERT_TABLE(name) extern const situ_convert_fn name[SITU_DTYPES][SITU_DTYPES];
SITU_EACH_SET(SITU_CONVERT_TABLE, situ_convert)

/* f32 rounded to f16 or bf16, as f32: casts to it and back. */
situ_convert_fn situ_rounding(situ_dtype half);
#define SITU_ROUND_TABLE(name) extern const situ_convert_fn name[2];
SITU_EACH_SET(SITU_ROUND_TABLE, situ_round)

/* The axis before the last one whose elements lie side by side in memory, where the array is a transposition; -1: none, or it
 * is not. */
int situ_strided_axis(int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes);
/* Copies the elements first..first+n-1, in row-major order, of a strided array (size: bytes of an element) to
 * contiguous memory. At most 8 dims; in points to the element at index 0. */
void situ_strided_read(
    void *out, const char *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes, int64_t first, int64_t n);
/* The same past the caches where it can be, for large results that nobody reads at once; they are in memory when it returns. */
void situ_strided_stream(
    void *out, const char *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes, int64_t first, int64_t n);
/* The other way: contiguous elements into places first..first+n-1 of a strided array. */
void situ_strided_write(
    char *out, const void *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes, int64_t first, int64_t n);

/* A tile of elements of 4 bytes: 16 of each of 16 lines, which are `from_row` bytes apart, become 16 lines that are `to_row` apart.
 * stream: past the caches; `to` and to_row are multiples of a line then. */
#define SITU_TURN_32(name) void name(char *to, int64_t to_row, const char *from, int64_t from_row, bool stream);
SITU_EACH_SET(SITU_TURN_32, situ_turn_32)

#endif
