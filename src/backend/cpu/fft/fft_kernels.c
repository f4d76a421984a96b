/* Transforms of lines of 2, 3, 4, 5, 7 and 8 elements, for both types: fft.inc with the vectors of an instruction set. */
#include "backend/cpu/fft/fft.h"

#include <string.h>

#include "base/isa.h"

#if defined(__AVX512F__)
#define VECTOR 64
#elif defined(__AVX2__)
#define VECTOR 32
#else
#define VECTOR 16
#endif

#define LANES_2(F, d) F(0, d), F(1, d)
#define LANES_4(F, d) LANES_2(F, d), F(2, d), F(3, d)
#define LANES_8(F, d) LANES_4(F, d), F(4, d), F(5, d), F(6, d), F(7, d)
#define LANES_16(F, d) LANES_8(F, d), F(8, d), F(9, d), F(10, d), F(11, d), F(12, d), F(13, d), F(14, d), F(15, d)
#if VECTOR == 64
#define SINGLES LANES_16
#define DOUBLES LANES_8
#elif VECTOR == 32
#define SINGLES LANES_8
#define DOUBLES LANES_4
#else
#define SINGLES LANES_4
#define DOUBLES LANES_2
#endif
#if VECTOR == 32
#include <immintrin.h>
/* Four floats from each: a load and a blend, no shuffle. */
#define HALVES(a, b) _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1)
#endif
#if defined(__clang__)
#define CHOOSE(words, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define CHOOSE(words, a, b, ...) __builtin_shuffle(a, b, (words){__VA_ARGS__})
#endif

#define T float
#define WORD int32_t
#define NAME(x) f32_##x
#define SHUFFLE(a, b, F, d) CHOOSE(f32_words, a, b, SINGLES(F, d))
#define SQUARE (VECTOR / 4)
#define ROWS 1
#include "backend/cpu/fft/fft.inc"

#define T double
#define WORD int64_t
#define NAME(x) f64_##x
#define SQUARE (VECTOR / 8)
#define ROWS 0
#define SHUFFLE(a, b, F, d) CHOOSE(f64_words, a, b, DOUBLES(F, d))
#include "backend/cpu/fft/fft.inc"

const situ_fft_kernels SITU_OF_SET(situ_fft) = {{VECTOR / 4, VECTOR / 8}, {f32_run, f64_run}};
