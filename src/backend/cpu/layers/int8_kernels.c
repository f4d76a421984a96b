/* Rounding, products and scaling with the vector operations of an instruction set. */
#include "backend/cpu/layers/int8.h"

#include <float.h>
#include <math.h>

#include "simd/simd.h"

enum { SIDE = SITU_INT8_SIDE };
typedef float floats __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t words __attribute__((vector_size(64), aligned(4), may_alias));
typedef int16_t shorts __attribute__((vector_size(32)));
typedef int8_t chars __attribute__((vector_size(16)));

/* The bits of the largest magnitude; NaN counts as largest. */
static int32_t largest(int64_t k, const float *x)
{
    words top = {0};
    int32_t most = 0, lane[SIDE];
    int64_t i = 0;
    for (; i + SIDE <= k; i += SIDE) {
        words w = *(const words *)(const void *)(x + i) & 0x7fffffff, above = w > top;
        top = (above & w) | (~above & top);
    }
    memcpy(lane, &top, sizeof lane);
    for (int l = 0; l < SIDE; l++) most = lane[l] > most ? lane[l] : most;
    for (; i < k; i++) {
        int32_t w;
        memcpy(&w, x + i, sizeof w);
        w &= 0x7fffffff;
        most = w > most ? w : most;
    }
    return most;
}

/* Rounds 16 adjacent numbers of a row and stores them in groups of four bytes, 64 bytes apart; bytes == 0:
 * contiguously. Adding 1.5 * 2^23 leaves the rounded integer in the low bits. */
static inline __attribute__((always_inline)) void place(const float *x, float scale, int bytes, char *to, words *sum)
{
    const floats whole = (floats){0} + 0x1.8p23f;
    words w = (words)(*(const floats *)(const void *)x / scale + whole) - (words)whole;
    *sum += w;
    if (bytes == 2) {
        shorts q = __builtin_convertvector(w, shorts);
        for (int i = 0; i < 8; i++) memcpy(to + i * 64, (const char *)&q + 4 * i, 4);
        return;
    }
    chars q = __builtin_convertvector(w, chars);
    if (bytes == 0) memcpy(to, &q, sizeof q);
    for (int i = 0; bytes && i < 4; i++) memcpy(to + i * 64, (const char *)&q + 4 * i, 4);
}

static inline __attribute__((always_inline)) void round_row(
    int64_t k, const float *x, int bytes, char *to, float *scale, int32_t *sum)
{
    float most, rest[SIDE] = {0};
    int32_t bits = largest(k, x), lane[SIDE], total = 0;
    int64_t step = bytes ? bytes * SIDE : 1;
    memcpy(&most, &bits, sizeof most);
    *sum = 0;
    *scale = bits >= 0x7f800000 ? NAN : most / 127;
    if (!(*scale > 0)) return;
    if (*scale < FLT_MIN) *scale = FLT_MIN;
    words all = {0};
    int64_t i = 0;
    for (; i + SIDE <= k; i += SIDE) place(x + i, *scale, bytes, to + i * step, &all);
    if (i < k) {
        memcpy(rest, x + i, (size_t)(k - i) * sizeof *x);
        place(rest, *scale, bytes, to + i * step, &all);
    }
    memcpy(lane, &all, sizeof lane);
    for (int l = 0; l < SIDE; l++) total += lane[l];
    *sum = total;
}

/* One row of the weight times up to four rows of x. */
static inline __attribute__((always_inline)) void dots(
    int64_t rows, int64_t k, const char *w, const char *x, int64_t depth, int32_t *sum)
{
    int64_t i = 0;
    memset(sum, 0, (size_t)rows * sizeof *sum);
    i32_fixed all[SITU_INT8_FEW];
    for (int64_t r = 0; r < rows; r++) all[r] = i32_fixed_zero();
    for (; i + SIDE <= k; i += SIDE) {
        i16_fixed by = i16_fixed_of_i8(w + i);
        for (int64_t r = 0; r < rows; r++) all[r] = i32_fixed_pairs(by, i16_fixed_of_i8(x + r * depth + i), all[r]);
    }
    for (int64_t r = 0; r < rows; r++) {
        int32_t lane[8];
        i32_fixed_store(lane, all[r]);
        for (int l = 0; l < 8; l++) sum[r] += lane[l];
    }
    for (; i < k; i++)
        for (int64_t r = 0; r < rows; r++) sum[r] += (int8_t)w[i] * (int8_t)x[r * depth + i];
}

static void dots_of(int64_t rows, int64_t k, const void *w, const void *x, int64_t depth, int32_t *sum)
{
    if (rows == 1) dots(1, k, w, x, depth, sum);
    else dots(rows, k, w, x, depth, sum);
}

static void widen(int64_t k, const void *from, void *to)
{
    int64_t i = 0;
    for (; i + SIDE <= k; i += SIDE) i16_fixed_store((int16_t *)to + i, i16_fixed_of_i8((const char *)from + i));
    for (; i < k; i++) ((int16_t *)to)[i] = ((const int8_t *)from)[i];
}

static void round_strip(int64_t rows, int64_t k, const float *x, int64_t depth, int bytes, void *to, float *scale, int32_t *sum)
{
    memset(to, 0, (size_t)(depth * (bytes ? bytes * SIDE : rows)));
    memset(scale, 0, SIDE * sizeof *scale);
    memset(sum, 0, SIDE * sizeof *sum);
    for (int64_t r = 0; r < rows; r++) {
        if (bytes == 0) round_row(k, x + r * k, 0, (char *)to + r * depth, scale + r, sum + r);
        else if (bytes == 1) round_row(k, x + r * k, 1, (char *)to + 4 * r, scale + r, sum + r);
        else round_row(k, x + r * k, 2, (char *)to + 4 * r, scale + r, sum + r);
    }
}

static void turn_side(int32_t (*to)[SIDE], const int32_t (*from)[SITU_INT8_STRIPS * SIDE])
{
#ifdef SITU_TRANSPOSES
    for (int i = 0; i < SIDE; i += 8)
        for (int j = 0; j < SIDE; j += 8)
            transpose_8x8((float *)(void *)&to[j][i], SIDE, (const float *)(const void *)&from[i][j], SITU_INT8_STRIPS * SIDE);
#else
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) to[j][i] = from[i][j];
#endif
}

static void finish_strip(const int32_t (*c)[SITU_INT8_STRIPS * SIDE], int64_t rows, int64_t columns, float *out, int64_t out_row,
    const float *row_scale, const float *column_scale)
{
    int32_t turned[SIDE][SIDE] __attribute__((aligned(64)));
    turn_side(turned, c);
    floats by = *(const floats *)(const void *)column_scale;
    for (int64_t r = 0; r < rows; r++) {
        floats y = __builtin_convertvector(*(const words *)(const void *)turned[r], floats) * (by * row_scale[r]);
        memcpy(out + r * out_row, &y, (size_t)columns * sizeof *out);
    }
}

/* Four rows of the weight times a strip, in pairs of 16-bit numbers: sums of 8-bit pairs would saturate. */
static inline __attribute__((always_inline)) void four_rows(const situ_int8_block *b, int first, int s)
{
    const char *w = (const char *)b->w + first * b->w_row, *x = (const char *)b->x + s * b->strip;
    i32_fixed sum[4][2];
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) sum[i][0] = sum[i][1] = i32_fixed_zero();
    for (int64_t k = 0; k < b->k; k += 2, w += 4, x += 64) {
        i16_fixed low = i16_fixed_load(x), high = i16_fixed_load(x + 32);
        _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
        {
            i16_fixed by = i16_fixed_pair(w + i * b->w_row);
            sum[i][0] = i32_fixed_pairs(by, low, sum[i][0]);
            sum[i][1] = i32_fixed_pairs(by, high, sum[i][1]);
        }
    }
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) for (int half = 0; half < 2; half++)
        i32_fixed_store(b->c[first + i] + s * SIDE + half * 8, sum[i][half]);
}

static void multiply(const situ_int8_block *b)
{
    for (int i = 0; i < SIDE; i += 4)
        for (int s = 0; s < b->strips; s++) four_rows(b, i, s);
}

const situ_int8_kernels SITU_OF_SET(situ_int8) = {
    .product = {.bytes = 2, .multiply = multiply}, .round = round_strip, .finish = finish_strip, .dots = dots_of, .widen = widen};
