/* Kernels of one dtype as plain loops. The including file defines PREFIX and TYPE, and which operations to define:
 * NUMBERS (arithmetic), FLOATS, INTEGERS or BOOLEANS. */
#ifndef LOOP
#define LOOP(arity, tile, R, value) LOOP_##arity(JOIN(PREFIX, tile), R, TYPE, value)
#define LOOP_1(tile, R, T, value) LOOP_1_OF(AS_IT_IS, tile, R, T, value)
#define LOOP_2(tile, R, T, value) LOOP_2_OF(AS_IT_IS, tile, R, T, value)
#define LOOP_TRUTH(arity, tile, value) LOOP_##arity##_OF(TRUTH, JOIN(PREFIX, tile), TYPE, TYPE, value)
#define TILE(tile) __attribute__((unused)) void tile(void *out, const void *a, const void *b, const void *c, int n)
#define AS_IT_IS(x) (x)
#define TRUTH(x) ((x) != 0) /* of a byte */
#define LOOP_1_OF(read, tile, R, T, value) \
    static TILE(tile) \
    { \
        const T *x = a; \
        R *o = out; \
        (void)b, (void)c; \
        INDEPENDENT for (int i = 0; i < n; i++) \
        { \
            const T A = read(x[i]); \
            o[i] = (R)(value); \
        } \
    }
#define LOOP_2_OF(read, tile, R, T, value) \
    static TILE(tile) \
    { \
        const T *x = a, *y = b; \
        R *o = out; \
        (void)c; \
        INDEPENDENT for (int i = 0; i < n; i++) \
        { \
            const T A = read(x[i]), B = read(y[i]); \
            o[i] = (R)(value); \
        } \
    }
#define LOOP_3(tile, R, T, value) LOOP_3_FROM(tile, R, T, T, value)
#define LOOP_3_FROM(tile, R, TA, T, value) \
    static TILE(tile) \
    { \
        const TA *x = a; \
        const T *y = b, *z = c; \
        R *o = out; \
        INDEPENDENT for (int i = 0; i < n; i++) \
        { \
            const TA A = x[i]; \
            const T B = y[i], C = z[i]; \
            o[i] = (R)(value); \
        } \
    }
/* Long functions are compiled for whole vectors only. f64_rest pads the elements behind them to a vector, with the
 * last of them. */
static __attribute__((noinline)) void f64_rest(situ_tile_fn kernel, double *out, const double *a, const double *b, int n)
{
    double part[3][LANES];
    for (int i = 0; i < LANES; i++) part[0][i] = a[i < n ? i : n - 1], part[1][i] = b ? b[i < n ? i : n - 1] : 0;
    kernel(part[2], part[0], part[1], NULL, LANES);
    memcpy(out, part[2], (size_t)n * sizeof *out);
}
#define LONG_LOOP(tile, value, second, B_IS) \
    static TILE(tile) \
    { \
        const double *x = a, *y = b; \
        double *o = out; \
        const int whole = n & -LANES; \
        (void)c, (void)y; \
        INDEPENDENT for (int i = 0; i < whole; i++) \
        { \
            const double A = x[i] B_IS; \
            o[i] = value; \
        } \
        if (whole < n) f64_rest(tile, o + whole, x + whole, second, n - whole); \
    }
#define LONG_LOOP_1(tile, value) LONG_LOOP(tile, value, NULL, )
#define LONG_LOOP_2(tile, value) LONG_LOOP(tile, value, y + whole, COMMA B = y[i])
#define COMMA ,
#endif

#ifdef FLOATS
#define KERNEL_FLOAT(arity, tile, value) LONG_LOOP_##arity(f64_##tile, value)
#else
#define KERNEL_FLOAT(arity, tile, value)
#endif
#ifdef NUMBERS
#define KERNEL_NUMBER(arity, tile, value) LOOP(arity, tile, TYPE, value)
#define KERNEL_ROUND(arity, tile, value) LOOP(arity, tile, TYPE, value)
#else
#define KERNEL_NUMBER(arity, tile, value)
#define KERNEL_ROUND(arity, tile, value)
#endif
#ifdef INTEGERS
#define KERNEL_INTEGER(arity, tile, value) LOOP(arity, tile, TYPE, value)
#else
#define KERNEL_INTEGER(arity, tile, value)
#endif
#if defined(INTEGERS) || defined(BOOLEANS)
#define KERNEL_BITS(arity, tile, value) LOOP(arity, tile, TYPE, value)
#else
#define KERNEL_BITS(arity, tile, value)
#endif
#ifdef BOOLEANS
#define KERNEL_LOGIC(arity, tile, value) LOOP_TRUTH(arity, tile, value)
#define KERNEL_PREDICATE(arity, tile, value)
#else
#define KERNEL_LOGIC(arity, tile, value)
#define KERNEL_PREDICATE(arity, tile, value) LOOP(arity, tile, unsigned char, value)
#endif
#define KERNEL_COMPARE(arity, tile, value) LOOP(arity, tile, unsigned char, value)
#define KERNEL_EQUAL(arity, tile, value) LOOP(arity, tile, unsigned char, value)
#define KERNEL_SELECT(arity, tile, value) LOOP_3_FROM(JOIN(PREFIX, tile), TYPE, unsigned char, TYPE, value)
/* Conversions are not defined here: tile_kernels.c defines them once for all dtypes. */
#define KERNEL_TO_F32(arity, tile, value)
#define KERNEL_TO_U32(arity, tile, value)
#define KERNEL_TO_F64(arity, tile, value)
#define KERNEL_TO_U64(arity, tile, value)
#include "op/elementwise.def"
#include "backend/cpu/tiles/tile_undef.h"
