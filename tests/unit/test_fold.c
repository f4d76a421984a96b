/* Reductions have the documented order, bit for bit, on each instruction set. */
#include "test.h"

#include "backend/cpu/movement/reduce.h"
#include "base/isa.h"
#include "tensor/dtype.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const situ_dtype dtypes[] = {SITU_BOOL, SITU_I32, SITU_U32, SITU_I64, SITU_U64, SITU_F32, SITU_F64};

/* One step as documented: integers wrap, NaN propagates, of two equal values the second one stays. */
#define STEP(T, U)                                                                                                     \
    {                                                                                                                  \
        T x, y;                                                                                                        \
        memcpy(&x, a, sizeof x);                                                                                       \
        memcpy(&y, b, sizeof y);                                                                                       \
        if (op == SITU_REDUCE_SUM) x = (T)((U)x + (U)y);                                                                 \
        if (op == SITU_REDUCE_PROD) x = (T)((U)x * (U)y);                                                                \
        if (op == SITU_REDUCE_MAX) x = x == x ? (x > y ? x : y) : x;                                                     \
        if (op == SITU_REDUCE_MIN) x = x == x ? (x < y ? x : y) : x;                                                     \
        if (op == SITU_REDUCE_ANY) x = x || y;                                                                           \
        if (op == SITU_REDUCE_ALL) x = x && y;                                                                           \
        memcpy(a, &x, sizeof x);                                                                                       \
    }

static void step(situ_reduce_kind op, situ_dtype d, void *a, const void *b)
{
    if (d == SITU_BOOL && op == SITU_REDUCE_MAX) op = SITU_REDUCE_ANY;
    if (d == SITU_BOOL && op == SITU_REDUCE_MIN) op = SITU_REDUCE_ALL;
    switch (d) {
    case SITU_BOOL: STEP(uint8_t, uint8_t) break;
    case SITU_I32: STEP(int32_t, uint32_t) break;
    case SITU_U32: STEP(uint32_t, uint32_t) break;
    case SITU_I64: STEP(int64_t, uint64_t) break;
    case SITU_U64: STEP(uint64_t, uint64_t) break;
    case SITU_F32: STEP(float, float) break;
    default: STEP(double, double) break;
    }
}

static void neutral(situ_reduce_kind op, situ_dtype d, void *out)
{
    switch (op) {
    case SITU_REDUCE_SUM:
    case SITU_REDUCE_ANY: situ_element_set_i64(d, out, 0); break;
    case SITU_REDUCE_PROD:
    case SITU_REDUCE_ALL: situ_element_set_i64(d, out, 1); break;
    default:
        if (situ_dtype_is_float(d)) situ_element_set_f64(d, out, op == SITU_REDUCE_MAX ? -INFINITY : INFINITY);
        else if (d == SITU_I64) situ_element_set_i64(d, out, op == SITU_REDUCE_MAX ? INT64_MIN : INT64_MAX);
        else situ_element_set_f64(d, out, op == SITU_REDUCE_MAX ? situ_dtype_lowest(d) : situ_dtype_highest(d));
    }
}

/* The documented definition of a block. */
static void block(situ_reduce_kind op, situ_dtype d, void *out, const char *in, int n)
{
    char lane[64][8];
    size_t size = situ_dtype_size(d);
    for (int i = 0; i < 64; i++) neutral(op, d, lane[i]);
    for (int i = 0; i < n; i++) step(op, d, lane[i % 64], in + (size_t)i * size);
    for (int half = 32; half; half /= 2)
        for (int i = 0; i < half; i++) step(op, d, lane[i], lane[i + half]);
    memcpy(out, lane[0], size);
}

/* The documented definition of the tree: adjacent pairs, level by level; an odd last one moves up. */
static void tree(situ_reduce_kind op, situ_dtype d, char (*p)[8], int64_t count)
{
    while (count > 1) {
        for (int64_t i = 0; i < count / 2; i++) {
            memmove(p[i], p[2 * i], 8);
            step(op, d, p[i], p[2 * i + 1]);
        }
        if (count % 2) memmove(p[count / 2], p[count - 1], 8);
        count = (count + 1) / 2;
    }
}

static uint64_t random_state = 7;
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* Values of mixed signs and sizes; kind 1: with NaN, infinities and both zeros; kind 2: random bits. */
static void fill(situ_dtype d, char *p, int64_t n, int kind)
{
    size_t size = situ_dtype_size(d);
    for (int64_t i = 0; i < n; i++, p += size) {
        uint64_t bits = next_random();
        memcpy(p, &bits, size);
        if (d == SITU_BOOL) *p = (char)(kind == 0 ? bits % 50 == 0 : kind == 1 ? bits % 50 != 0 : bits & 1);
        if (!situ_dtype_is_float(d) || kind == 2) continue;
        double x = ldexp((double)(int32_t)bits, -(int)(bits >> 59));
        if (kind == 1) {
            const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
            x = bits >> 33 & 63 ? (bits >> 40 & 1 ? 0.0 : -0.0) : odd[(bits >> 45) % 5];
        }
        situ_element_set_f64(d, p, x);
    }
}

static bool same(situ_dtype d, const void *a, const void *b)
{
    double x = situ_element_get_f64(d, a), y = situ_element_get_f64(d, b);
    return (isnan(x) && isnan(y)) || !memcmp(a, b, situ_dtype_size(d));
}

enum { MOST = 1024 * 40 };
static char data[MOST * 8 + 8];

static void check_blocks(situ_reduce_kind op, situ_dtype d, situ_reduce_fn fold)
{
    const int lengths[] = {1024, 0, 1, 2, 63, 64, 65, 100, 128, 1000, 1023, 7, 33};
    size_t size = situ_dtype_size(d);
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < 13; i++) {
            char is[8] = "", want[8] = "";
            char *p = data + (i & 1 ? size : 0);
            fill(d, p, lengths[i], kind);
            fold(is, p, lengths[i]);
            block(op, d, want, p, lengths[i]);
            CHECK(same(d, is, want));
        }
}

/* Rows one after the other: each gives the same as if it were alone. */
static void check_each(situ_reduce_kind op, situ_dtype d)
{
    enum { ROWS = 9, LONGEST = 70 };
    size_t size = situ_dtype_size(d);
    char is[ROWS * 8], want[8];
    for (int kind = 0; kind < 3; kind++)
        for (int n = 1; n <= LONGEST; n++) {
            char *p = data + (n & 1 ? size : 0);
            fill(d, p, ROWS * n, kind);
            situ_reduce_each_get(op, d)(is, p, n, ROWS);
            for (int r = 0; r < ROWS; r++) {
                block(op, d, want, p + (size_t)(r * n) * size, n);
                CHECK(same(d, is + (size_t)r * size, want));
            }
        }
}

static void check_tree(situ_reduce_kind op, situ_dtype d)
{
    static char partials[40][8], packed[40 * 8];
    const int64_t lengths[] = {MOST,     1024,         1025,     2 * 1024,      3 * 1024 + 5,
                               5 * 1024, 6 * 1024 + 1, 7 * 1024, 39 * 1024 + 17};
    size_t size = situ_dtype_size(d);
    fill(d, data, MOST, 0);
    for (int i = 0; i < 9; i++) {
        int64_t n = lengths[i], blocks = (n + 1023) / 1024;
        char is[8] = "", again[8] = "";
        for (int64_t b = 0; b < blocks; b++) {
            block(op, d, partials[b], data + (size_t)(b * 1024) * size,
                  n - b * 1024 < 1024 ? (int)(n - b * 1024) : 1024);
            memcpy(packed + (size_t)b * size, partials[b], size);
        }
        tree(op, d, partials, blocks);
        situ_reduce_all(op, d, is, data, n);
        CHECK(same(d, is, partials[0]));
        situ_reduce_blocks(op, d, packed, blocks, again);
        CHECK(same(d, again, partials[0]));
    }
    char none[8] = "", want[8] = "";
    neutral(op, d, want);
    situ_reduce_all(op, d, none, data, 0);
    CHECK(same(d, none, want));
    situ_reduce_blocks(op, d, packed, 0, none);
    CHECK(same(d, none, want));
}

/* Rows accumulated in order, then the tree over blocks of rows; of n columns the last ones are no whole vector. */
static void check_rows(situ_reduce_kind op, situ_dtype d, int n)
{
    enum { ROWS = 11, ROW = 83, WIDTH = 77 };
    size_t size = situ_dtype_size(d);
    char acc[WIDTH * 8], one[WIDTH * 8], want[8];
    for (int kind = 0; kind < 2; kind++) {
        fill(d, data, ROWS * ROW, kind);
        situ_reduce_neutral(op, d, acc, n);
        situ_reduce_neutral(op, d, one, n);
        situ_rows_get(op, d)(acc, data, ROW, ROWS, n);
        for (int r = 0; r < ROWS; r++) situ_combine_get(op, d)(one, data + (size_t)(r * ROW) * size, n);
        for (int i = 0; i < n; i++) {
            neutral(op, d, want);
            for (int r = 0; r < ROWS; r++) step(op, d, want, data + (size_t)(r * ROW + i) * size);
            CHECK(same(d, acc + (size_t)i * size, want));
            CHECK(same(d, one + (size_t)i * size, want));
        }
        char column[ROWS][8] = {{0}};
        for (int r = 0; r < ROWS; r++) memcpy(column[r], data + (size_t)(r * n) * size, size);
        situ_reduce_rows(op, d, data, ROWS, n);
        tree(op, d, column, ROWS);
        CHECK(same(d, data, column[0]));
    }
}

TEST(folds_keep_the_written_order)
{
    int rules = 0;
    const situ_isa limits[] = {SITU_ISA_BASELINE, SITU_ISA_AVX2, SITU_ISA_AVX512};
    for (int isa = 0; isa < 3; isa++) {
        situ_isa_limit(limits[isa]);
        for (int op = 0; op < SITU_REDUCE_KINDS; op++)
            for (int i = 0; i < 7; i++) {
                situ_reduce_fn fold = situ_reduce_get((situ_reduce_kind)op, dtypes[i]);
                if (!fold) continue;
                rules++;
                check_blocks((situ_reduce_kind)op, dtypes[i], fold);
                check_each((situ_reduce_kind)op, dtypes[i]);
                check_tree((situ_reduce_kind)op, dtypes[i]);
                for (int n = 77; n > 0; n -= 7) check_rows((situ_reduce_kind)op, dtypes[i], n);
            }
    }
    CHECK_EQ(rules, 3 * (4 * 6 + 4));
    CHECK(!situ_reduce_get(SITU_REDUCE_SUM, SITU_BOOL));
    CHECK(!situ_reduce_get(SITU_REDUCE_ANY, SITU_F32));
    CHECK(!situ_reduce_get(SITU_REDUCE_SUM, SITU_F16));
    CHECK(!situ_combine_get((situ_reduce_kind)99, SITU_F32));
}

TEST(a_single_nan_passes_from_wherever_it_is)
{
    enum { N = 1024 };
    static float x[N];
    const situ_isa limits[] = {SITU_ISA_BASELINE, SITU_ISA_AVX2, SITU_ISA_AVX512};
    const int lengths[] = {128, 1000, N};
    for (int i = 0; i < N; i++) x[i] = (float)(i * 7919 % 1013) - 500;
    for (int isa = 0; isa < 3; isa++) {
        situ_isa_limit(limits[isa]);
        for (int op = SITU_REDUCE_MAX;; op = SITU_REDUCE_MIN) {
            situ_reduce_fn fold = situ_reduce_get((situ_reduce_kind)op, SITU_F32);
            for (int k = 0; k < 3; k++)
                for (int i = -1; i < lengths[k]; i++) {
                    float was = x[i < 0 ? 0 : i], found;
                    if (i >= 0) x[i] = NAN;
                    fold(&found, x, lengths[k]);
                    CHECK((found != found) == (i >= 0));
                    x[i < 0 ? 0 : i] = was;
                }
            if (op == SITU_REDUCE_MIN) break;
        }
    }
}

TEST(sums_are_accurate)
{
    enum { N = 1 << 16 };
    static float x[N];
    double exact = 0, naive_error;
    float sum = 0, naive = 0;
    for (int i = 0; i < N; i++) {
        x[i] = (float)(next_random() >> 40) * 0x1p-24f;
        exact += x[i];
        naive += x[i];
    }
    naive_error = fabs(naive - exact) / exact;
    situ_reduce_all(SITU_REDUCE_SUM, SITU_F32, &sum, x, N);
    CHECK(fabs(sum - exact) / exact < 1e-7);
    CHECK(fabs(sum - exact) / exact <= naive_error);
}

TEST(sums_of_squares_have_the_bits_of_two_steps)
{
    enum { N = SITU_REDUCE_RUN * SITU_REDUCE_BLOCK };
    static float x[N], square[N];
    const situ_isa limits[] = {SITU_ISA_BASELINE, SITU_ISA_AVX2, SITU_ISA_AVX512};
    for (int i = 0; i < N; i++) x[i] = ldexpf((float)(i * 7919 % 1013) - 500.3f, i * 31 % 60 - 40);
    for (int isa = 0; isa < 3; isa++) {
        situ_isa_limit(limits[isa]);
        for (int n = 0; n <= N; n += n < 2100 ? 1 : 997) {
            float apart, together;
            for (int i = n - 998 > 0 ? n - 998 : 0; i < n; i++) square[i] = x[i] * x[i];
            situ_reduce_get(SITU_REDUCE_SUM, SITU_F32)(&apart, square, n);
            situ_squares_get(SITU_F32)(&together, x, n);
            CHECK(!memcmp(&apart, &together, sizeof apart));
        }
        float special[3] = {1, INFINITY, NAN}, sum;
        situ_squares_get(SITU_F32)(&sum, special, 2);
        CHECK(isinf(sum));
        situ_squares_get(SITU_F32)(&sum, special, 3);
        CHECK(isnan(sum));
    }
    situ_isa_limit(SITU_ISA_AVX512);
    CHECK(!situ_squares_get(SITU_F16));
}

TEST(sums_of_squares_in_f64_have_the_bits_of_three_steps)
{
    enum { N = SITU_REDUCE_RUN * SITU_REDUCE_BLOCK };
    static float x[N];
    static double square[N];
    const situ_isa limits[] = {SITU_ISA_BASELINE, SITU_ISA_AVX2, SITU_ISA_AVX512};
    for (int i = 0; i < N; i++) square[i] = x[i] = ldexpf((float)(i * 7919 % 1013) - 500.3f, i * 31 % 240 - 130), square[i] *= square[i];
    x[77] = INFINITY, square[77] = INFINITY;
    for (int isa = 0; isa < 3; isa++) {
        situ_isa_limit(limits[isa]);
        for (int n = 0; n <= N; n += n < 2100 ? 1 : 997)
            for (int first = 0; first < 100 && first <= n; first += 99) { /* including the infinity, and after it */
                double apart, together;
                situ_reduce_get(SITU_REDUCE_SUM, SITU_F64)(&apart, square + first, n - first);
                situ_squares_get(SITU_F64)(&together, x + first, n - first);
                CHECK(!memcmp(&apart, &together, sizeof apart));
            }
    }
    situ_isa_limit(SITU_ISA_AVX512);
}
