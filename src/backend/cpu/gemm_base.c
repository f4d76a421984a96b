/* Without fused multiply-add: 16-byte vectors of whatever the machine has. */
#include "backend/cpu/gemm.h"

#include <string.h>

typedef float f32_vector __attribute__((vector_size(16)));
typedef double f64_vector __attribute__((vector_size(16)));

static inline f32_vector f32_load(const float *p, int n)
{
    f32_vector v = {0};
    memcpy(&v, p, (size_t)(n < 4 ? n : 4) * sizeof *p);
    return v;
}
static inline void f32_store(float *p, f32_vector v, int n) { memcpy(p, &v, (size_t)(n < 4 ? n : 4) * sizeof *p); }
static inline f64_vector f64_load(const double *p, int n)
{
    f64_vector v = {0};
    memcpy(&v, p, (size_t)(n < 2 ? n : 2) * sizeof *p);
    return v;
}
static inline void f64_store(double *p, f64_vector v, int n) { memcpy(p, &v, (size_t)(n < 2 ? n : 2) * sizeof *p); }

#define T float
#define V f32_vector
#define LANES 4
#define NAME(x) f32_##x
#define ZERO ((V){0})
#define LOAD(p) f32_load(p, 4)
#define STORE(p, v) f32_store(p, v, 4)
#define LOAD_PART(p, n) f32_load(p, n)
#define STORE_PART(p, v, n) f32_store(p, v, n)
#define BROADCAST(x) ((V){0} + (x))
#define FMA(a, b, c) ((a) * (b) + (c))
#define ONE_FMA(a, b, c) ((a) * (b) + (c))
#include "backend/cpu/gemm.inc"

#define T double
#define V f64_vector
#define LANES 2
#define NAME(x) f64_##x
#define ZERO ((V){0})
#define LOAD(p) f64_load(p, 2)
#define STORE(p, v) f64_store(p, v, 2)
#define LOAD_PART(p, n) f64_load(p, n)
#define STORE_PART(p, v, n) f64_store(p, v, n)
#define BROADCAST(x) ((V){0} + (x))
#define FMA(a, b, c) ((a) * (b) + (c))
#define ONE_FMA(a, b, c) ((a) * (b) + (c))
#include "backend/cpu/gemm.inc"

const situ_gemm_kernels situ_gemm_baseline = {
    "baseline", {f32_blocked, f64_blocked}, {f32_direct, f64_direct}, {f32_dots, f64_dots}, {f32_rows, f64_rows},
};
