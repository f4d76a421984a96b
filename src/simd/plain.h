/* Any machine: the lanes of AVX2 with the C library's fma, so that the bits are the same. Slow where that has no instruction for
 * it. */
#if defined(__x86_64__)
#define SITU_FMA_CALLS
#endif
#define SITU_REGISTERS 16
#define VECTOR_BYTES 16 /* compilers compute wider vectors than there are element by element */
#include "simd/types.h"

enum { F32_LANES = 8, F64_LANES = 4 };
typedef float f32_vector __attribute__((vector_size(32)));
typedef double f64_vector __attribute__((vector_size(32)));

#define f32_zero() ((f32_vector){0})
#define f64_zero() ((f64_vector){0})
#define f32_all(x) ((f32_vector){0} + (x))
#define f64_all(x) ((f64_vector){0} + (x))
static inline __attribute__((unused)) f32_vector f32_load_part(const float *p, int n)
{
    f32_vector v = {0};
    memcpy(&v, p, (size_t)(n < F32_LANES ? n : F32_LANES) * sizeof *p);
    return v;
}
static inline __attribute__((unused)) f64_vector f64_load_part(const double *p, int n)
{
    f64_vector v = {0};
    memcpy(&v, p, (size_t)(n < F64_LANES ? n : F64_LANES) * sizeof *p);
    return v;
}
static inline __attribute__((unused)) void f32_store_part(float *p, f32_vector v, int n)
{
    memcpy(p, &v, (size_t)(n < F32_LANES ? n : F32_LANES) * sizeof *p);
}
static inline __attribute__((unused)) void f64_store_part(double *p, f64_vector v, int n)
{
    memcpy(p, &v, (size_t)(n < F64_LANES ? n : F64_LANES) * sizeof *p);
}
#define f32_load(p) f32_load_part(p, F32_LANES)
#define f64_load(p) f64_load_part(p, F64_LANES)
#define f32_store(p, v) f32_store_part(p, v, F32_LANES)
#define f64_store(p, v) f64_store_part(p, v, F64_LANES)
static inline __attribute__((unused)) f32_vector simd_fmas(f32_vector a, f32_vector b, f32_vector c)
{
    for (int i = 0; i < F32_LANES; i++) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
}
static inline __attribute__((unused)) f64_vector simd_fmas_64(f64_vector a, f64_vector b, f64_vector c)
{
    for (int i = 0; i < F64_LANES; i++) c[i] = __builtin_fma(a[i], b[i], c[i]);
    return c;
}
#define f32_fma(a, b, c) simd_fmas(a, b, c)
#define f64_fma(a, b, c) simd_fmas_64(a, b, c)

#if defined(__SSE2__)
#include "simd/sse2.h"
#else
#include "simd/lanes.h"
#endif
SITU_WORD w_F w_less_product(w_F c, w_F a, w_F b) { return c - a * b; }
SITU_WORD w_F w_product_less(w_F a, w_F b, w_F c) { return a * b - c; }
SITU_WORD w_F w_plus_product(w_F c, w_F a, w_F b) { return c + a * b; }
SITU_WORD w_F w_load_f32(const float *p) { return (w_F){p[0], p[1]}; }
SITU_WORD w_F w_fma(w_F a, w_F b, w_F c) /* of f64 alone: the C library's, lane by lane */
{
    for (int i = 0; i < VECTOR_BYTES / 8; i++) a[i] = __builtin_fma(a[i], b[i], c[i]);
    return a;
}
#define vector_take(V, v, p, n) \
    do { \
        if ((n) * sizeof *(p) == sizeof v) memcpy(&v, p, sizeof v); \
        else memcpy(&v, p, (size_t)(n) * sizeof *(p)); \
    } while (0)
