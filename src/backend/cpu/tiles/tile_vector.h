/* Kernels of f32 arithmetic: the value expression on vectors; the rest of a tile by a masked or padded vector. Most
 * groups of f32 are chains (tile_chain.h), so these kernels are compiled for size: they call long functions. */
#define SELDOM __attribute__((cold))
/* Long functions are called rather than inlined, here and eight times in each form of a chain. The compiler decides,
 * except for these. */
#pragma GCC diagnostic ignored "-Wattributes" /* they are `inline` below, like the others */
#define CALLED_1(name) static __attribute__((noinline)) v_F one_tile_##name(v_F);
#define CALLED_2(name) static __attribute__((noinline)) v_F one_tile_##name(v_F, v_F);
CALLED_1(exp)
CALLED_1(exp2)
CALLED_1(log)
CALLED_1(log2)
CALLED_1(log10)
CALLED_1(asin)
CALLED_1(acos)
CALLED_1(tan)
CALLED_1(erfc)
CALLED_1(erfinv)
CALLED_1(sinh)
CALLED_1(cosh)
CALLED_1(asinh)
CALLED_1(acosh)
CALLED_1(atanh)
CALLED_1(cbrt)
CALLED_2(atan2)
CALLED_2(hypot)
CALLED_2(nextafter)
CALLED_2(pow)
#define PREFIX v_
#define VECTOR_1(tile, value) \
    FN v_F v_##tile##_value(v_F A) { return value; } \
    static inline v_F one_##tile(v_F A) { return v_##tile##_value(A); } \
    SELDOM static void f32_##tile(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        const float *x = a; \
        float *o = out; \
        int i = 0; \
        (void)b, (void)c; \
        for (; i + LANES <= n; i += LANES) v_store(o + i, one_##tile(v_load(x + i))); \
        if (i < n) v_store_part(o + i, one_##tile(v_load_part(x + i, n - i)), n - i); \
    }
#define VECTOR_2(tile, value) \
    FN v_F v_##tile##_value(v_F A, v_F B) { return value; } \
    static inline v_F one_##tile(v_F A, v_F B) { return v_##tile##_value(A, B); } \
    SELDOM static void f32_##tile(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        const float *x = a, *y = b; \
        float *o = out; \
        int i = 0; \
        (void)c; \
        for (; i + LANES <= n; i += LANES) v_store(o + i, one_##tile(v_load(x + i), v_load(y + i))); \
        if (i < n) v_store_part(o + i, one_##tile(v_load_part(x + i, n - i), v_load_part(y + i, n - i)), n - i); \
    }
#define VECTOR_3(tile, value) \
    FN v_F v_##tile##_value(v_F A, v_F B, v_F C) { return value; } \
    static inline v_F one_##tile(v_F A, v_F B, v_F C) { return v_##tile##_value(A, B, C); } \
    SELDOM static void f32_##tile(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        const float *x = a, *y = b, *z = c; \
        float *o = out; \
        int i = 0; \
        for (; i + LANES <= n; i += LANES) v_store(o + i, one_##tile(v_load(x + i), v_load(y + i), v_load(z + i))); \
        if (i < n) \
            v_store_part( \
                o + i, one_##tile(v_load_part(x + i, n - i), v_load_part(y + i, n - i), v_load_part(z + i, n - i)), n - i); \
    }
#define KERNEL_FLOAT(arity, tile, value) VECTOR_##arity(tile, value)
#define KERNEL_NUMBER(arity, tile, value) VECTOR_##arity(tile, value)
#define KERNEL_ROUND(arity, tile, value) VECTOR_##arity(tile, value)
#define KERNEL_INTEGER(arity, tile, value)
#define KERNEL_BITS(arity, tile, value)
#define KERNEL_LOGIC(arity, tile, value)
#define KERNEL_COMPARE(arity, tile, value)
#define KERNEL_EQUAL(arity, tile, value)
#define KERNEL_PREDICATE(arity, tile, value)
#define KERNEL_SELECT(arity, tile, value)
#define KERNEL_TO_F32(arity, tile, value)
#define KERNEL_TO_U32(arity, tile, value)
#define KERNEL_TO_F64(arity, tile, value)
#define KERNEL_TO_U64(arity, tile, value)
#include "op/elementwise.def"
#include "backend/cpu/tiles/tile_undef.h"
