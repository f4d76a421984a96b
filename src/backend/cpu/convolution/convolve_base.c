/* For any machine: the AVX2 kernels' lanes one by one, with the C library's fma. Right, and slow where that has no
 * instruction for it. */
#include "backend/cpu/convolution/convolve.h"

#include <math.h>
#include <string.h>

typedef struct f32_lanes {
    float at[8];
} f32_lanes;
typedef struct f64_lanes {
    double at[4];
} f64_lanes;

#define LANE_WORDS(name, type, lanes, multiply_add) \
    static inline name name##_load(const type *p) \
    { \
        name v; \
        memcpy(&v, p, sizeof v); \
        return v; \
    } \
    static inline name name##_all(type x) \
    { \
        name v; \
        for (int i = 0; i < lanes; i++) v.at[i] = x; \
        return v; \
    } \
    static inline name name##_even(const type *p) \
    { \
        name v; \
        for (int i = 0; i < lanes; i++) v.at[i] = p[2 * i]; \
        return v; \
    } \
    static inline name name##_fma(name a, name b, name c) \
    { \
        for (int i = 0; i < lanes; i++) c.at[i] = multiply_add(a.at[i], b.at[i], c.at[i]); \
        return c; \
    }
LANE_WORDS(f32_lanes, float, 8, fmaf)
LANE_WORDS(f64_lanes, double, 4, fma)

#define T float
#define V f32_lanes
#define LANES 8
#define NAME(x) f32_##x
#define ZERO f32_lanes_all(0)
#define LOAD(p) f32_lanes_load(p)
#define STORE(p, v) memcpy(p, &(v), sizeof(v))
#define BROADCAST(x) f32_lanes_all(x)
#define FMA(a, b, c) f32_lanes_fma(a, b, c)
#define H V
#define LOAD_HALF(p) LOAD(p)
#define STORE_HALF(p, v) STORE(p, v)
#define REPEAT(p) LOAD(p)
#define REDUCED(p) f32_reduced(p)
#define EVEN(p) f32_lanes_even(p)
#include "backend/cpu/convolution/convolve.inc"

#define T double
#define V f64_lanes
#define LANES 4
#define NAME(x) f64_##x
#define ZERO f64_lanes_all(0)
#define LOAD(p) f64_lanes_load(p)
#define STORE(p, v) memcpy(p, &(v), sizeof(v))
#define BROADCAST(x) f64_lanes_all(x)
#define FMA(a, b, c) f64_lanes_fma(a, b, c)
#define H V
#define LOAD_HALF(p) LOAD(p)
#define STORE_HALF(p, v) STORE(p, v)
#define REPEAT(p) LOAD(p)
#define REDUCED(p) f64_reduced(p)
#define EVEN(p) f64_lanes_even(p)
#include "backend/cpu/convolution/convolve.inc"

const situ_convolve_kernels situ_convolve_baseline = {{f32_pack, f64_pack}, {f32_sum, f64_sum}, {f32_gradient, f64_gradient},
    {f32_wide, f64_wide}, {f32_turn, f64_turn}, {f32_wide_width, f64_wide_width}, f32_wide_rows};
