/* For any machine: the AVX2 kernels' lanes with the C library's fma, so that the bits are theirs. Slow where that has no
 * instruction for it; a library goes first there. */
#include "backend/cpu/gemm/gemm.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
/* here they are calls of the C library, which take so long that nothing is gained by code for each number of rows */
#define BY_LOOPS
#endif

typedef float f32_vector __attribute__((vector_size(32)));
typedef double f64_vector __attribute__((vector_size(32)));

static inline f32_vector f32_load(const float *p, int n)
{
    f32_vector v = {0};
    memcpy(&v, p, (size_t)(n < 8 ? n : 8) * sizeof *p);
    return v;
}
static inline void f32_store(float *p, f32_vector v, int n) { memcpy(p, &v, (size_t)(n < 8 ? n : 8) * sizeof *p); }
static inline f32_vector f32_fma(f32_vector a, f32_vector b, f32_vector c)
{
    for (int i = 0; i < 8; i++) c[i] = fmaf(a[i], b[i], c[i]);
    return c;
}
static inline f64_vector f64_load(const double *p, int n)
{
    f64_vector v = {0};
    memcpy(&v, p, (size_t)(n < 4 ? n : 4) * sizeof *p);
    return v;
}
static inline void f64_store(double *p, f64_vector v, int n) { memcpy(p, &v, (size_t)(n < 4 ? n : 4) * sizeof *p); }
static inline f64_vector f64_fma(f64_vector a, f64_vector b, f64_vector c)
{
    for (int i = 0; i < 4; i++) c[i] = fma(a[i], b[i], c[i]);
    return c;
}

#define T float
#define V f32_vector
#define LANES 8
#define NAME(x) f32_##x
#define ZERO ((V){0})
#define LOAD(p) f32_load(p, 8)
#define STORE(p, v) f32_store(p, v, 8)
#define LOAD_PART(p, n) f32_load(p, n)
#define STORE_PART(p, v, n) f32_store(p, v, n)
#define BROADCAST(x) ((V){0} + (x))
#define FMA(a, b, c) f32_fma(a, b, c)
#define ONE_FMA(a, b, c) fmaf(a, b, c)
#include "backend/cpu/gemm/gemm.inc"

#define T double
#define V f64_vector
#define LANES 4
#define NAME(x) f64_##x
#define ZERO ((V){0})
#define LOAD(p) f64_load(p, 4)
#define STORE(p, v) f64_store(p, v, 4)
#define LOAD_PART(p, n) f64_load(p, n)
#define STORE_PART(p, v, n) f64_store(p, v, n)
#define BROADCAST(x) ((V){0} + (x))
#define FMA(a, b, c) f64_fma(a, b, c)
#define ONE_FMA(a, b, c) fma(a, b, c)
#include "backend/cpu/gemm/gemm.inc"

const situ_gemm_kernels situ_gemm_baseline = {
    "baseline",
    {f32_blocked, f64_blocked},
    {f32_direct, f64_direct},
    {f32_dots, f64_dots},
    {f32_rows, f64_rows},
    {f32_pack_columns, f64_pack_columns},
    {f32_pack_rows, f64_pack_rows},
    {f32_strips, f64_strips},
    {2 * 8, 2 * 4},
    {256, 256},
};
