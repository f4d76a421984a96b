/* Kernels of f32 arithmetic: the value expression on vectors; the rest of a tile by a masked or padded vector. */
#define PREFIX v_
#define VECTOR_1(tile, value) \
    FN v_F v_##tile##_value(v_F A) { return value; } \
    static void f32_##tile(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        const float *x = a; \
        float *o = out; \
        int i = 0; \
        (void)b, (void)c; \
        for (; i + LANES <= n; i += LANES) v_store(o + i, v_##tile##_value(v_load(x + i))); \
        if (i < n) v_store_part(o + i, v_##tile##_value(v_load_part(x + i, n - i)), n - i); \
    }
#define VECTOR_2(tile, value) \
    FN v_F v_##tile##_value(v_F A, v_F B) { return value; } \
    static void f32_##tile(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        const float *x = a, *y = b; \
        float *o = out; \
        int i = 0; \
        (void)c; \
        for (; i + LANES <= n; i += LANES) v_store(o + i, v_##tile##_value(v_load(x + i), v_load(y + i))); \
        if (i < n) v_store_part(o + i, v_##tile##_value(v_load_part(x + i, n - i), v_load_part(y + i, n - i)), n - i); \
    }
#define VECTOR_3(tile, value) \
    FN v_F v_##tile##_value(v_F A, v_F B, v_F C) { return value; } \
    static void f32_##tile(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        const float *x = a, *y = b, *z = c; \
        float *o = out; \
        int i = 0; \
        for (; i + LANES <= n; i += LANES) v_store(o + i, v_##tile##_value(v_load(x + i), v_load(y + i), v_load(z + i))); \
        if (i < n) \
            v_store_part( \
                o + i, v_##tile##_value(v_load_part(x + i, n - i), v_load_part(y + i, n - i), v_load_part(z + i, n - i)), n - i); \
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
#include "backend/cpu/lanes/tile_undef.h"
