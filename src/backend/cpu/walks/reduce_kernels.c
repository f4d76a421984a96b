/* The reductions of one block, the elementwise accumulation, and the sum of squares. Some vectors of lanes are kept in registers at
 * a time; where 64 lanes are more than that, the block is swept again for the next ones. The order within each lane is the written
 * one in any case. */
#include "backend/cpu/walks/reduce_table.h"

#include <math.h>
#include <string.h>

#include "base/isa.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#include <immintrin.h>
#define VECTOR_BYTES 32
#elif defined(__SSE2__)
#include <emmintrin.h>
#define VECTOR_BYTES 16
#else
#define VECTOR_BYTES 16
#endif

#define VECTOR(T, name) \
    typedef T name __attribute__((vector_size(VECTOR_BYTES))); \
    typedef T name##_at __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias))
VECTOR(int32_t, v_i32);
VECTOR(uint32_t, v_u32);
VECTOR(int64_t, v_i64);
VECTOR(uint64_t, v_u64);
VECTOR(float, v_f32);
VECTOR(double, v_f64);

/* a > b ? a : b and a < b ? a : b, lane by lane; the second operand where the two are unordered or equal. */
#define SELECT(V, M, mask, x, y) ((V)(((M)(x) & (M)(mask)) | ((M)(y) & ~(M)(mask))))
#if defined(__AVX512F__)
#define LARGER_f32(a, b) ((v_f32)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define SMALLER_f32(a, b) ((v_f32)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define LARGER_f64(a, b) ((v_f64)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#define SMALLER_f64(a, b) ((v_f64)_mm512_min_pd((__m512d)(a), (__m512d)(b)))
#elif defined(__AVX__)
#define LARGER_f32(a, b) ((v_f32)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define SMALLER_f32(a, b) ((v_f32)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define LARGER_f64(a, b) ((v_f64)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#define SMALLER_f64(a, b) ((v_f64)_mm256_min_pd((__m256d)(a), (__m256d)(b)))
#elif defined(__SSE2__)
#define LARGER_f32(a, b) ((v_f32)_mm_max_ps((__m128)(a), (__m128)(b)))
#define SMALLER_f32(a, b) ((v_f32)_mm_min_ps((__m128)(a), (__m128)(b)))
#define LARGER_f64(a, b) ((v_f64)_mm_max_pd((__m128d)(a), (__m128d)(b)))
#define SMALLER_f64(a, b) ((v_f64)_mm_min_pd((__m128d)(a), (__m128d)(b)))
#else
#define LARGER_f32(a, b) SELECT(v_f32, v_i32, (a) > (b), a, b)
#define SMALLER_f32(a, b) SELECT(v_f32, v_i32, (a) < (b), a, b)
#define LARGER_f64(a, b) SELECT(v_f64, v_i64, (a) > (b), a, b)
#define SMALLER_f64(a, b) SELECT(v_f64, v_i64, (a) < (b), a, b)
#endif

#define ADD(a, b) ((a) + (b))
#define ADD_SQUARE(a, b) ((a) + (b) * (b))
#define MULTIPLY(a, b) ((a) * (b))
/* The accumulator passes where it is NaN, the other where that is. */
#define MAX_f32(a, b) SELECT(v_f32, v_i32, (a) == (a), LARGER_f32(a, b), a)
#define MIN_f32(a, b) SELECT(v_f32, v_i32, (a) == (a), SMALLER_f32(a, b), a)
#define MAX_f64(a, b) SELECT(v_f64, v_i64, (a) == (a), LARGER_f64(a, b), a)
#define MIN_f64(a, b) SELECT(v_f64, v_i64, (a) == (a), SMALLER_f64(a, b), a)
#define MAX_ONE(a, b) ((a) == (a) ? ((a) > (b) ? (a) : (b)) : (a))
#define MIN_ONE(a, b) ((a) == (a) ? ((a) < (b) ? (a) : (b)) : (a))
/* No branch on which is larger: it would be unpredictable. */
static inline float max_one_f32(float a, float b)
{
#if defined(__SSE2__)
    float larger = _mm_cvtss_f32(_mm_max_ss(_mm_set_ss(a), _mm_set_ss(b)));
#else
    float larger = a > b ? a : b;
#endif
    return a == a ? larger : a;
}
static inline float min_one_f32(float a, float b)
{
#if defined(__SSE2__)
    float smaller = _mm_cvtss_f32(_mm_min_ss(_mm_set_ss(a), _mm_set_ss(b)));
#else
    float smaller = a < b ? a : b;
#endif
    return a == a ? smaller : a;
}
#define MAX_i32(a, b) SELECT(v_i32, v_i32, (a) > (b), a, b)
#define MIN_i32(a, b) SELECT(v_i32, v_i32, (a) < (b), a, b)
#define MAX_u32(a, b) SELECT(v_u32, v_u32, (a) > (b), a, b)
#define MIN_u32(a, b) SELECT(v_u32, v_u32, (a) < (b), a, b)
#define MAX_i64(a, b) SELECT(v_i64, v_i64, (a) > (b), a, b)
#define MIN_i64(a, b) SELECT(v_i64, v_i64, (a) < (b), a, b)
#define MAX_u64(a, b) SELECT(v_u64, v_u64, (a) > (b), a, b)
#define MIN_u64(a, b) SELECT(v_u64, v_u64, (a) < (b), a, b)

/* Notes a NaN in either of two vectors of floats. Instruction sets without such a comparison have no fast path. */
#if defined(__AVX512F__)
typedef __mmask16 nans;
#define NOTICE(x, y) found |= _mm512_cmp_ps_mask((__m512)(x), (__m512)(y), _CMP_UNORD_Q);
#define NOTICED found
#define PLAIN_MAX LARGER_f32
#define PLAIN_MIN SMALLER_f32
#elif defined(__AVX__)
typedef __m256 nans;
#define NOTICE(x, y) found = _mm256_or_ps(found, _mm256_cmp_ps((__m256)(x), (__m256)(y), _CMP_UNORD_Q));
#define NOTICED _mm256_movemask_ps(found)
#define PLAIN_MAX LARGER_f32
#define PLAIN_MIN SMALLER_f32
#elif defined(__SSE2__)
typedef __m128 nans;
#define NOTICE(x, y) found = _mm_or_ps(found, _mm_cmpunord_ps((__m128)(x), (__m128)(y)));
#define NOTICED _mm_movemask_ps(found)
#define PLAIN_MAX LARGER_f32
#define PLAIN_MIN SMALLER_f32
#else
typedef int nans;
#define NOTICE(x, y)
#define NOTICED found
#define PLAIN_MAX MAX_f32
#define PLAIN_MIN MIN_f32
#endif
#define IGNORE(x, y)

/* The first n elements of a vector v become those at p. */
#if defined(__AVX512F__)
#define TAKE(V, v, p, n) \
    if (sizeof *(p) == 4) v = (V)_mm512_mask_loadu_epi32((__m512i)v, (__mmask16)((1u << (n)) - 1), (const void *)(p)); \
    else v = (V)_mm512_mask_loadu_epi64((__m512i)v, (__mmask8)((1u << (n)) - 1), (const void *)(p));
#elif defined(__AVX2__)
static inline __m256i take_words(__m256i v, const void *p, int64_t n)
{
    static const int32_t first[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    __m256i mask = _mm256_loadu_si256((const __m256i *)(const void *)(first + 8 - n));
    return _mm256_blendv_epi8(v, _mm256_maskload_epi32(p, mask), mask);
}
#define TAKE(V, v, p, n) v = (V)take_words((__m256i)v, (const void *)(p), (n) * (int64_t)(sizeof *(p) / 4));
#else
#define TAKE(V, v, p, n) \
    if ((n) * sizeof *(p) == sizeof v) memcpy(&v, p, sizeof v); \
    else memcpy(&v, p, (size_t)(n) * sizeof *(p));
#endif

/* The lanes of a vector are reduced by halves: lane i with lane i ^ half, of which those below half count. */
#define BY_1_OF_2 1, 0
#define BY_1_OF_4 1, 0, 3, 2
#define BY_2_OF_4 2, 3, 0, 1
#define BY_1_OF_8 BY_1_OF_4, 5, 4, 7, 6
#define BY_2_OF_8 BY_2_OF_4, 6, 7, 4, 5
#define BY_4_OF_8 4, 5, 6, 7, 0, 1, 2, 3
#define BY_1_OF_16 BY_1_OF_8, 9, 8, 11, 10, 13, 12, 15, 14
#define BY_2_OF_16 BY_2_OF_8, 10, 11, 8, 9, 14, 15, 12, 13
#define BY_4_OF_16 BY_4_OF_8, 12, 13, 14, 15, 8, 9, 10, 11
#define BY_8_OF_16 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7
#if defined(__clang__)
#define LANES_OF(v, index, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define LANES_OF(v, index, ...) ((__typeof__(v))__builtin_shuffle((index)(v), (index){__VA_ARGS__}))
#endif
#if VECTOR_BYTES == 64
#define HALVES_4(v, OP) \
    v = OP(v, LANES_OF(v, v_i32, BY_8_OF_16)), v = OP(v, LANES_OF(v, v_i32, BY_4_OF_16)); \
    v = OP(v, LANES_OF(v, v_i32, BY_2_OF_16)), v = OP(v, LANES_OF(v, v_i32, BY_1_OF_16));
#define HALVES_8(v, OP) \
    v = OP(v, LANES_OF(v, v_i64, BY_4_OF_8)), v = OP(v, LANES_OF(v, v_i64, BY_2_OF_8)), v = OP(v, LANES_OF(v, v_i64, BY_1_OF_8));
#elif VECTOR_BYTES == 32
#define HALVES_4(v, OP) \
    v = OP(v, LANES_OF(v, v_i32, BY_4_OF_8)), v = OP(v, LANES_OF(v, v_i32, BY_2_OF_8)), v = OP(v, LANES_OF(v, v_i32, BY_1_OF_8));
#define HALVES_8(v, OP) v = OP(v, LANES_OF(v, v_i64, BY_2_OF_4)), v = OP(v, LANES_OF(v, v_i64, BY_1_OF_4));
#else
#define HALVES_4(v, OP) v = OP(v, LANES_OF(v, v_i32, BY_2_OF_4)), v = OP(v, LANES_OF(v, v_i32, BY_1_OF_4));
#define HALVES_8(v, OP) v = OP(v, LANES_OF(v, v_i64, BY_1_OF_2));
#endif

#define HALVES_v_i32 HALVES_4
#define HALVES_v_u32 HALVES_4
#define HALVES_v_f32 HALVES_4
#define HALVES_v_i64 HALVES_8
#define HALVES_v_u64 HALVES_8
#define HALVES_v_f64 HALVES_8

/* One sweep over `rows` rows of 64 elements for the lanes at, at+1, ..., at + 8 vectors (4 where those are all). */
#if VECTOR_BYTES == 64
#define SWEEP(V, OP, SEE) \
    for (int at = 0; at < VECTORS; at += 4) { \
        V a0 = start, a1 = start, a2 = start, a3 = start; \
        const V##_at *q = (const V##_at *)p + at; \
        for (int r = 0; r < rows; r++, q += VECTORS) { \
            SEE(q[0], q[1]) \
            SEE(q[2], q[3]) a0 = OP(a0, (V)q[0]), \
                            a1 = OP(a1, (V)q[1]), a2 = OP(a2, (V)q[2]), a3 = OP(a3, (V)q[3]); \
        } \
        lanes[at] = a0, lanes[at + 1] = a1, lanes[at + 2] = a2, lanes[at + 3] = a3; \
    }
#else
#define SWEEP(V, OP, SEE) \
    for (int at = 0; at < VECTORS; at += 8) { \
        V a0 = start, a1 = start, a2 = start, a3 = start, a4 = start, a5 = start, a6 = start, a7 = start; \
        const V##_at *q = (const V##_at *)p + at; \
        for (int r = 0; r < rows; r++, q += VECTORS) { \
            SEE(q[0], q[1]) \
            SEE(q[2], q[3]) SEE(q[4], q[5]) SEE(q[6], q[7]) a0 = OP(a0, (V)q[0]), \
                                                            a1 = OP(a1, (V)q[1]), a2 = OP(a2, (V)q[2]), a3 = OP(a3, (V)q[3]); \
            a4 = OP(a4, (V)q[4]), a5 = OP(a5, (V)q[5]), a6 = OP(a6, (V)q[6]), a7 = OP(a7, (V)q[7]); \
        } \
        lanes[at] = a0, lanes[at + 1] = a1, lanes[at + 2] = a2, lanes[at + 3] = a3; \
        lanes[at + 4] = a4, lanes[at + 5] = a5, lanes[at + 6] = a6, lanes[at + 7] = a7; \
    }
#endif

/* Halves in registers; clang unrolls so few turns by itself. */
#if defined(__clang__)
#define UNROLLED
#else
#define UNROLLED _Pragma("GCC unroll 32")
#endif

/* Not unrolled for short vectors: that code would be a twentieth of the library. */
#if VECTOR_BYTES >= 32
#define PARTS UNROLLED
#else
#define PARTS
#endif

/* The 64 lanes of a block are reduced by halves. */
#define RETURN_HALVES(V, JOIN) \
    UNROLLED for (int half = VECTORS / 2; half >= 1; half /= 2) UNROLLED for (int i = 0; i < half; i++) lanes[i] = \
        JOIN(lanes[i], lanes[i + half]); \
    HALVES_##V(lanes[0], JOIN) return lanes[0][0];

/* T: an element, V: a vector of them; OP adds elements to lanes, JOIN adds lanes to lanes. SEE notes NaN for WHAT. A
 * whole block has a constant number of rows, so that the compiler keeps its lanes in registers. */
#define BLOCK(name, T, V, OP, JOIN, SEE, WHAT, neutral) \
    static inline __attribute__((always_inline)) T block_##name(const T *first, int n) \
    { \
        enum { WIDTH = VECTOR_BYTES / sizeof(T), VECTORS = 64 / WIDTH }; \
        V lanes[VECTORS]; \
        const V start = (V){0} + (T)(neutral); \
        const T *p = first; \
        int rows = n / 64, left = n % 64; \
        nans found = {0}; \
        SWEEP(V, OP, SEE) \
        p += rows * 64; \
        PARTS for (int i = 0; i < VECTORS; i++, left -= WIDTH, p += WIDTH) \
        { \
            if (left <= 0) break; \
            V part = start; \
            TAKE(V, part, p, left < WIDTH ? left : WIDTH) \
            SEE(part, part) \
            lanes[i] = OP(lanes[i], part); \
        } \
        WHAT RETURN_HALVES(V, JOIN) \
    }

/* ONE works on elements, with the same bits. */
#define RUNS(name, T, ONE) RUNS_OF(name, T, T, ONE)
#define RUNS_OF(name, FROM, T, ONE) \
    static void reduce_##name(void *out, const void *in, int n) \
    { \
        T part[SITU_REDUCE_RUN]; \
        const FROM *p = in; \
        int count = 0; \
        for (; n >= SITU_REDUCE_BLOCK; n -= SITU_REDUCE_BLOCK, p += SITU_REDUCE_BLOCK) \
            part[count++] = block_##name(p, SITU_REDUCE_BLOCK); \
        if (n || !count) part[count++] = block_##name(p, n); \
        for (int step = 1; step < count; step *= 2) \
            for (int i = 0; i + step < count; i += 2 * step) part[i] = ONE(part[i], part[i + step]); \
        memcpy(out, part, sizeof(T)); \
    }

/* The last columns, which are no whole vector, stay in a register where they can. */
#if VECTOR_BYTES >= 32
#define FIRST_REST(T, V) \
    V rest = {0}, more = {0}; \
    TAKE(V, rest, a + whole, n - whole)
#define NEXT_REST(V, OP, ONE, q) \
    { \
        TAKE(V, more, (q) + whole, n - whole) \
        rest = OP(rest, more); \
    }
#define LAST_REST(T) memcpy(a + whole, &rest, (size_t)(n - whole) * sizeof(T));
#else
#define FIRST_REST(T, V)
#define NEXT_REST(V, OP, ONE, q) \
    for (int64_t i = whole; i < n; i++) a[i] = ONE(a[i], (q)[i]);
#define LAST_REST(T)
#endif

/* Four rows at a time; the next four, which the processor does not foresee where rows lie far apart, are asked for. */
#define COMBINE(name, T, V, OP, ONE) \
    static void combine_##name(void *acc, const void *in, int64_t n) \
    { \
        enum { WIDTH = VECTOR_BYTES / sizeof(T) }; \
        T *a = acc; \
        const T *p = in; \
        int64_t i = 0; \
        for (; i + WIDTH <= n; i += WIDTH) { \
            V x = *(const V##_at *)(a + i), y = *(const V##_at *)(p + i); \
            *(V##_at *)(a + i) = OP(x, y); \
        } \
        for (; i < n; i++) a[i] = ONE(a[i], p[i]); \
    } \
    static void rows_##name(void *acc, const void *in, int64_t row, int rows, int64_t n) \
    { \
        enum { WIDTH = VECTOR_BYTES / sizeof(T) }; \
        T *a = acc; \
        const T *p = in; \
        int64_t whole = n - n % WIDTH; \
        int r = 0; \
        FIRST_REST(T, V) \
        for (; r + 4 <= rows; r += 4, p += 4 * row) { \
            for (int64_t i = 0; i < whole; i += WIDTH) { \
                V x = *(const V##_at *)(a + i), y0 = *(const V##_at *)(p + i); \
                V y1 = *(const V##_at *)(p + row + i), y2 = *(const V##_at *)(p + 2 * row + i); \
                V y3 = *(const V##_at *)(p + 3 * row + i); \
                for (int k = 4; k < 8; k++) __builtin_prefetch(p + k * row + i, 0, 2); \
                x = OP(x, y0); \
                x = OP(x, y1); \
                x = OP(x, y2); \
                *(V##_at *)(a + i) = OP(x, y3); \
            } \
            if (whole < n) \
                for (int k = 0; k < 4; k++) NEXT_REST(V, OP, ONE, p + k * row) \
        } \
        for (; r < rows; r++, p += row) { \
            combine_##name(a, p, whole); \
            NEXT_REST(V, OP, ONE, p) \
        } \
        LAST_REST(T) \
    }

/* Rows of few elements, one after the other: what is not in the first two vectors of a row's lanes is neutral. */
#define EACH(name, T, V, OP, SEE, WHAT, neutral) \
    static void each_##name(void *out, const void *in, int n, int rows) \
    { \
        enum { WIDTH = VECTOR_BYTES / sizeof(T) }; \
        const V start = (V){0} + (T)(neutral); \
        const T *p = in; \
        T *to = out; \
        nans found = {0}; \
        int quick = n <= 2 * WIDTH ? rows : 0; \
        for (int r = 0; r < quick; r++, p += n) { \
            V low = start, high = start; \
            TAKE(V, low, p, n < WIDTH ? n : WIDTH) \
            if (n > WIDTH) { TAKE(V, high, p + WIDTH, n - WIDTH) } \
            SEE(low, high) \
            low = OP(start, low); \
            if (n > WIDTH) low = OP(low, OP(start, high)); \
            HALVES_##V(low, OP) to[r] = low[0]; \
        } \
        WHAT for (int r = quick; r < rows; r++, p += n) reduce_##name(to + r, p, n); \
    }

#define ALL(name, T, V, OP, ONE, neutral) \
    BLOCK(name, T, V, OP, OP, IGNORE, (void)found;, neutral) \
    RUNS(name, T, ONE) \
    EACH(name, T, V, OP, IGNORE, (void)found;, neutral) \
    COMBINE(name, T, V, OP, ONE)

/* The same with PLAIN, which does as well where there is no NaN. */
#define ALL_BUT_NANS(name, T, V, OP, PLAIN, ONE, neutral) \
    BLOCK(careful_##name, T, V, OP, OP, IGNORE, (void)found;, neutral) \
    static __attribute__((noinline)) T careful_##name(const T *p, int n) { return block_careful_##name(p, n); } \
    BLOCK(name, T, V, PLAIN, PLAIN, NOTICE, if (NOTICED) return careful_##name(first, n);, neutral) \
    RUNS(name, T, ONE) \
    EACH(name, T, V, PLAIN, NOTICE, if (NOTICED) for (int r = 0; r < quick; r++) to[r] = careful_##name((const T *)in + r * n, n); \
         , neutral) \
    COMBINE(name, T, V, OP, ONE)

/* Signed sums and products wrap, as those of the unsigned type do. */
ALL(sum_u32, uint32_t, v_u32, ADD, ADD, 0)
ALL(sum_u64, uint64_t, v_u64, ADD, ADD, 0)
ALL(sum_f32, float, v_f32, ADD, ADD, 0)
ALL(sum_f64, double, v_f64, ADD, ADD, 0)
ALL(prod_u32, uint32_t, v_u32, MULTIPLY, MULTIPLY, 1)
ALL(prod_u64, uint64_t, v_u64, MULTIPLY, MULTIPLY, 1)
ALL(prod_f32, float, v_f32, MULTIPLY, MULTIPLY, 1)
ALL(prod_f64, double, v_f64, MULTIPLY, MULTIPLY, 1)
ALL(max_i32, int32_t, v_i32, MAX_i32, MAX_ONE, INT32_MIN)
ALL(max_u32, uint32_t, v_u32, MAX_u32, MAX_ONE, 0)
ALL(max_i64, int64_t, v_i64, MAX_i64, MAX_ONE, INT64_MIN)
ALL(max_u64, uint64_t, v_u64, MAX_u64, MAX_ONE, 0)
ALL_BUT_NANS(max_f32, float, v_f32, MAX_f32, PLAIN_MAX, max_one_f32, -INFINITY)
ALL(max_f64, double, v_f64, MAX_f64, MAX_ONE, -INFINITY)
ALL(min_i32, int32_t, v_i32, MIN_i32, MIN_ONE, INT32_MAX)
ALL(min_u32, uint32_t, v_u32, MIN_u32, MIN_ONE, UINT32_MAX)
ALL(min_i64, int64_t, v_i64, MIN_i64, MIN_ONE, INT64_MAX)
ALL(min_u64, uint64_t, v_u64, MIN_u64, MIN_ONE, UINT64_MAX)
ALL_BUT_NANS(min_f32, float, v_f32, MIN_f32, PLAIN_MIN, min_one_f32, INFINITY)
ALL(min_f64, double, v_f64, MIN_f64, MIN_ONE, INFINITY)

BLOCK(squares_f32, float, v_f32, ADD_SQUARE, ADD, IGNORE, (void)found;, 0)
RUNS(squares_f32, float, ADD)

/* Squares of f32 in f64, where each is exact: an fma has the bits of three steps. */
static inline v_f64 add_wide_square(v_f64 sum, const float *p)
{
#if defined(__AVX512F__)
    __m512d w = _mm512_cvtps_pd(_mm256_loadu_ps(p));
    return (v_f64)_mm512_fmadd_pd(w, w, (__m512d)sum);
#elif defined(__AVX2__)
    __m256d w = _mm256_cvtps_pd(_mm_loadu_ps(p));
    return (v_f64)_mm256_fmadd_pd(w, w, (__m256d)sum);
#else
    v_f64 w = {p[0], p[1]};
    return sum + w * w;
#endif
}
static inline __attribute__((always_inline)) double block_wide_squares(const float *p, int n)
{
    enum { WIDTH = VECTOR_BYTES / 8, VECTORS = 64 / WIDTH, AT_ONCE = 8 };
    v_f64 lanes[VECTORS] = {{0}};
    int rows = n / 64, left = n % 64;
    for (int at = 0; at < VECTORS; at += AT_ONCE) {
        v_f64 a[AT_ONCE] = {{0}};
        const float *q = p + at * WIDTH;
        for (int r = 0; r < rows; r++, q += 64)
            UNROLLED for (int i = 0; i < AT_ONCE; i++) a[i] = add_wide_square(a[i], q + i * WIDTH);
        UNROLLED for (int i = 0; i < AT_ONCE; i++) lanes[at + i] = a[i];
    }
    for (int i = 0; i < left; i++) lanes[i / WIDTH][i % WIDTH] += (double)p[rows * 64 + i] * p[rows * 64 + i];
    RETURN_HALVES(v_f64, ADD)
}
RUNS_OF(wide_squares, float, double, ADD)
const situ_reduce_fn SITU_OF_SET(situ_squares)[2] = {reduce_squares_f32, reduce_wide_squares};

#define ENTRY(name) \
    { \
        reduce_##name, each_##name, combine_##name, rows_##name \
    }
#define WRAPPING(op) \
    { \
        [SITU_I32] = ENTRY(op##_u32), [SITU_U32] = ENTRY(op##_u32), [SITU_I64] = ENTRY(op##_u64), [SITU_U64] = ENTRY(op##_u64), \
        [SITU_F32] = ENTRY(op##_f32), [SITU_F64] = ENTRY(op##_f64) \
    }
#define ORDERED(op) \
    { \
        [SITU_I32] = ENTRY(op##_i32), [SITU_U32] = ENTRY(op##_u32), [SITU_I64] = ENTRY(op##_i64), [SITU_U64] = ENTRY(op##_u64), \
        [SITU_F32] = ENTRY(op##_f32), [SITU_F64] = ENTRY(op##_f64) \
    }
const situ_reduce_entry SITU_OF_SET(situ_reduce)[SITU_REDUCE_KINDS][SITU_DTYPES] = {[SITU_REDUCE_SUM] = WRAPPING(sum),
    [SITU_REDUCE_PROD] = WRAPPING(prod),
    [SITU_REDUCE_MAX] = ORDERED(max),
    [SITU_REDUCE_MIN] = ORDERED(min)};
