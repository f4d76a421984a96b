#if defined(__x86_64__)
#include "backend/cpu/convolution/convolve.h"

#include <immintrin.h>
#include <string.h>

#include "backend/cpu/convolution/convolve_words.h"
#include "simd/turn.h"

#define T float
#define TURN turn32
#define V __m256
#define LANES 8
#define NAME(x) f32_##x
#define ZERO _mm256_setzero_ps()
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define BROADCAST(x) _mm256_set1_ps(x)
#define FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define H V
#define LOAD_HALF(p) LOAD(p)
#define STORE_HALF(p, v) STORE(p, v)
#define REPEAT(p) LOAD(p)
#define REDUCED(p) reduced32(_mm256_loadu_ps(p))
#define EVEN(p) even32(p)
#include "backend/cpu/convolution/convolve.inc"

#define T double
#define V __m256d
#define LANES 4
#define NAME(x) f64_##x
#define ZERO _mm256_setzero_pd()
#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, v) _mm256_storeu_pd(p, v)
#define BROADCAST(x) _mm256_set1_pd(x)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define H V
#define LOAD_HALF(p) LOAD(p)
#define STORE_HALF(p, v) STORE(p, v)
#define REPEAT(p) LOAD(p)
#define REDUCED(p) f64_reduced(p)
#define EVEN(p) even64(p)
#include "backend/cpu/convolution/convolve.inc"

const situ_convolve_kernels situ_convolve_avx2 = {{f32_pack, f64_pack}, {f32_sum, f64_sum}, {f32_gradient, f64_gradient},
    {f32_wide, f64_wide}, {f32_turn, f64_turn}, {f32_wide_width, f64_wide_width}, f32_wide_rows};
#endif
