#if defined(__x86_64__)
#include "backend/cpu/convolution/convolve.h"

#include <immintrin.h>
#include <string.h>

#include "backend/cpu/convolution/convolve_words.h"
#include "simd/turn.h"

#define T float
#define TURN turn32
#define V __m512
#define H __m256
#define LANES 16
#define NAME(x) f32_##x
#define ZERO _mm512_setzero_ps()
#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, v) _mm512_storeu_ps(p, v)
#define LOAD_HALF(p) _mm256_loadu_ps(p)
#define STORE_HALF(p, v) _mm256_storeu_ps(p, v)
#define REPEAT(p) _mm512_broadcast_f32x8(_mm256_loadu_ps(p))
#define LOAD_PAIR(p, gap) _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(p)), _mm256_loadu_ps((p) + gap), 1)
#define BROADCAST(x) _mm512_set1_ps(x)
#define FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define REDUCED(p) reduced32(_mm256_loadu_ps(p))
#define EVEN(p) even32(p)
#include "backend/cpu/convolution/convolve.inc"

#define T double
#define V __m512d
#define H __m256d
#define LANES 8
#define NAME(x) f64_##x
#define ZERO _mm512_setzero_pd()
#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, v) _mm512_storeu_pd(p, v)
#define LOAD_HALF(p) _mm256_loadu_pd(p)
#define STORE_HALF(p, v) _mm256_storeu_pd(p, v)
#define REPEAT(p) _mm512_broadcast_f64x4(_mm256_loadu_pd(p))
#define LOAD_PAIR(p, gap) _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(p)), _mm256_loadu_pd((p) + gap), 1)
#define BROADCAST(x) _mm512_set1_pd(x)
#define FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define REDUCED(p) f64_reduced(p)
#define EVEN(p) even64(p)
#include "backend/cpu/convolution/convolve.inc"

const situ_convolve_kernels situ_convolve_avx512 = {{f32_pack, f64_pack}, {f32_sum, f64_sum}, {f32_gradient, f64_gradient},
    {f32_wide, f64_wide}, {f32_turn, f64_turn}, {f32_wide_width, f64_wide_width}, f32_wide_rows};
#endif
