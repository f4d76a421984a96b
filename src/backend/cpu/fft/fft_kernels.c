/* Transforms with factors of 2, 3, 4, 5, 7 and 8: compiles fft.inc for f32 and f64 with the vectors of an instruction
 * set. */
#include "backend/cpu/fft/fft.h"

#include "base/isa.h"
#include "simd/simd.h"

#define LANES_2(F, d) F(0, d), F(1, d)
#define LANES_4(F, d) LANES_2(F, d), F(2, d), F(3, d)
#define LANES_8(F, d) LANES_4(F, d), F(4, d), F(5, d), F(6, d), F(7, d)
#define LANES_16(F, d) LANES_8(F, d), F(8, d), F(9, d), F(10, d), F(11, d), F(12, d), F(13, d), F(14, d), F(15, d)
#if VECTOR_BYTES == 64
#define SINGLES LANES_16
#define DOUBLES LANES_8
#elif VECTOR_BYTES == 32
#define SINGLES LANES_8
#define DOUBLES LANES_4
#else
#define SINGLES LANES_4
#define DOUBLES LANES_2
#endif
#if defined(__clang__)
#define CHOOSE(words, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define CHOOSE(words, a, b, ...) __builtin_shuffle(a, b, (words){__VA_ARGS__})
#endif

#define T float
#define WORD int32_t
#define NAME(x) fft32_##x
#define SHUFFLE(a, b, F, d) CHOOSE(fft32_words, a, b, SINGLES(F, d))
#define SQUARE (VECTOR_BYTES / 4)
#define ROWS 1
#include "backend/cpu/fft/fft.inc"

#define T double
#define WORD int64_t
#define NAME(x) fft64_##x
#define SQUARE (VECTOR_BYTES / 8)
#define ROWS 0
#define SHUFFLE(a, b, F, d) CHOOSE(fft64_words, a, b, DOUBLES(F, d))
#include "backend/cpu/fft/fft.inc"

const situ_fft_kernels SITU_OF_SET(situ_fft) = {{VECTOR_BYTES / 4, VECTOR_BYTES / 8}, {fft32_run, fft64_run}};
