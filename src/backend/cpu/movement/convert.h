/* Moving elements: casts of contiguous arrays, and copies between strided arrays and contiguous memory. */
#ifndef SITU_CPU_CONVERT_H
#define SITU_CPU_CONVERT_H

#include <situ/dtype.h>
#include <stdbool.h>

#include "base/isa.h"

/* Converts n elements; out and in do not overlap. A bool is a byte: any value but 0 is true on input; 0 or 1 on
 * output. */
typedef void (*situ_convert_fn)(void *out, const void *in, int64_t n);

/* The conversion between two dtypes: float to integer saturates and NaN gives 0, integers wrap, to bool is != 0,
 * complex to real takes the real part. NULL for an invalid dtype number. */
situ_convert_fn situ_convert(situ_dtype from, situ_dtype to);
/* By instruction set: [from][to]. AVX-512 takes the casts of AVX2: longer vectors make none faster. */
#ifndef SITU_ONLY_AVX512
#define situ_convert_avx512 situ_convert_avx2
#define situ_round_avx512 situ_round_avx2
#endif
#define SITU_CONVERT_TABLE(name) extern const situ_convert_fn name[SITU_DTYPES][SITU_DTYPES];
SITU_EACH_SET(SITU_CONVERT_TABLE, situ_convert)

/* The function that rounds f32 to f16 or bf16 and back to f32. */
situ_convert_fn situ_rounding(situ_dtype half);
#define SITU_ROUND_TABLE(name) extern const situ_convert_fn name[2];
SITU_EACH_SET(SITU_ROUND_TABLE, situ_round)

/* For an array that is a transposition: the axis before the last one whose elements are adjacent in memory; -1 if there
 * is none. */
int situ_strided_axis(int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes);
/* Copies elements first ... first + n - 1, in row-major order, of a strided array (size: bytes of an element) to
 * contiguous memory. At most 8 axes; `in` points to the element at index 0. */
void situ_strided_read(
    void *out, const char *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes, int64_t first, int64_t n);
/* The same, bypassing the caches if possible, for large results that are not read soon. All stores are complete when it
 * returns. */
void situ_strided_stream(
    void *out, const char *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes, int64_t first, int64_t n);
/* The inverse: copies contiguous elements to elements first ... first + n - 1 of a strided array. */
void situ_strided_write(
    char *out, const void *in, int64_t size, int ndim, const int64_t *dim, const int64_t *stride_bytes, int64_t first, int64_t n);

/* Transposes a tile of 16 by 16 elements of 4 bytes: lines `from_row` bytes apart become lines `to_row` apart. stream:
 * bypasses the caches; `to` and to_row are then multiples of a cache line. */
#define SITU_TRANSPOSE_32(name) void name(char *to, int64_t to_row, const char *from, int64_t from_row, bool stream);
SITU_EACH_SET(SITU_TRANSPOSE_32, situ_transpose_32)

#endif
