/* Numbers in few bits: what is kept of them, and products with rounded rows, whose integers are the same by every
 * instruction set. */
#include <math.h>
#include <stdio.h>

#include <situ.h>

#include "base/isa.h"
#include "op/blocks.h"
#include "values.h"

enum { MOST_ROWS = 70, MOST_OUT = 70, MOST_IN = 200 };
static float x[MOST_ROWS][MOST_IN], w[MOST_OUT][MOST_IN], y[MOST_ROWS * MOST_OUT], again[MOST_ROWS * MOST_OUT];

static float scale_of(const float *row, int64_t in)
{
    float most = 0;
    for (int64_t k = 0; k < in; k++) most = fmaxf(most, fabsf(row[k]));
    return most / 127;
}

static int nearest(float a, float scale) { return scale > 0 ? (int)nearbyintf(a / scale) : 0; }

static void fill(int64_t rows, int64_t out, int64_t in)
{
    uint32_t word = 1;
    float *const all[] = {&x[0][0], &w[0][0]};
    for (int i = 0; i < 2; i++)
        for (int64_t k = 0; k < (i ? out : rows) * in; k++) {
            word = word * 1664525u + 1013904223u;
            all[i][k] = (float)(int32_t)word / (float)(1 << (20 + word % 11));
        }
    if (rows > 2) memset(&x[0][0] + 2 * in, 0, (size_t)in * sizeof(float));
    if (out > 3) memset(&w[0][0] + 3 * in, 0, (size_t)in * sizeof(float));
}

static void multiplies_integers(int64_t rows, int64_t out, int64_t in)
{
    static const situ_isa sets[] = {SITU_ISA_AMX, SITU_ISA_AVX512, SITU_ISA_AVX2, SITU_ISA_BASELINE};
    fill(rows, out, in);
    for (int s = 0; s < 4; s++) IN_SCOPE {
        situ_isa_limit(sets[s]);
        situ_set_threads(1 + s % 2);
        situ_tensor *q = situ_quantise(situ_from_host(&w[0][0], SHAPE(out, in)), SITU_Q8_ROWS);
        CHECK_EQ(situ_dim(q, 1), in + 4);
        CHECK(!situ_read(situ_quantised_linear(situ_from_host(&x[0][0], SHAPE(rows, in)), q, SITU_Q8_ROWS), s ? again : y,
            (size_t)(rows * out) * sizeof(float)));
        if (s) CHECK(!memcmp(y, again, (size_t)(rows * out) * sizeof(float)));
    }
    situ_isa_limit(SITU_ISA_AMX);
    situ_set_threads(0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < out; j++) {
            const float *a = &x[0][0] + i * in, *b = &w[0][0] + j * in;
            float by = scale_of(a, in), with = scale_of(b, in);
            int32_t sum = 0;
            for (int64_t k = 0; k < in; k++) sum += nearest(a[k], by) * nearest(b[k], with);
            if (!CHECK_NEAR(y[i * out + j], (float)sum * (with * by), 0)) return;
        }
}

TEST(products_of_rounded_rows_are_those_of_their_integers)
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {1, 64, 64}, {4, 33, 200}, {5, 17, 65}, {16, 16, 64}, {33, 70, 130}, {70, 31, 128}};
    for (int i = 0; i < 7; i++) multiplies_integers(sizes[i][0], sizes[i][1], sizes[i][2]);
}

TEST_IN_SCOPE(rounded_rows_have_two_digits_and_a_gradient)
{
    situ_tensor *a = situ_normal(situ_key(1), SHAPE(2, 9, 300)), *b = situ_normal(situ_key(2), SHAPE(40, 300)), *g;
    situ_tensor *q = situ_quantise(b, SITU_Q8_ROWS), *kept = situ_dequantise(q, SITU_Q8_ROWS), *exact = situ_matmul(a, situ_transpose(b));
    CHECK(situ_item(situ_max(situ_abs(situ_sub(kept, b)))) <= situ_item(situ_max(situ_abs(b))) / 253);
    situ_tensor *rounded = situ_quantised_linear(a, q, SITU_Q8_ROWS);
    CHECK(situ_item(situ_norm(situ_sub(rounded, exact))) < 0.015 * situ_item(situ_norm(exact)));
    CHECK(!situ_grad(situ_sum(rounded), TENSORS(a), &g));
    situ_tensor *want = situ_broadcast_to(situ_sum(kept, .axes = AXES(0)), SHAPE(2, 9, 300));
    CHECK(situ_item(situ_max(situ_abs(situ_sub(g, want)))) < 1e-4);
    situ_tensor *bad = situ_where(situ_equal(situ_arange(0, 300, 1), 7), NAN, a);
    CHECK(situ_item(situ_all(situ_isnan(situ_quantised_linear(bad, q, SITU_Q8_ROWS)))) == 1);
    CHECK(situ_item(situ_all(situ_isnan(situ_dequantise(situ_quantise(situ_select(bad, 0, 0), SITU_Q8_ROWS), SITU_Q8_ROWS)))) == 1);
    CHECK_EQ(situ_count(situ_quantised_linear(situ_zeros(SHAPE(0, 300)), q, SITU_Q8_ROWS)), 0);
}

/* Half a step off at most: of 8 bits 1/127 of a block's largest number, of 4 bits 1/8 of it, or 1/15 of its range. */
TEST(blocks_keep_what_their_bits_hold)
{
    static const double step[] = {1.0 / 127, 1.0 / 8, 2.0 / 15};
    for (int type = SITU_Q8_0; type <= SITU_Q4_1; type++) IN_SCOPE {
        situ_tensor *a = situ_uniform(situ_key(3), SHAPE(5, 96), .low = -1, .high = 1);
        situ_tensor *back = situ_dequantise(situ_quantise(a, (situ_block_type)type), (situ_block_type)type);
        double most = situ_item(situ_max(situ_abs(situ_sub(back, a))));
        CHECK(most <= step[type] * (type == SITU_Q4_0 ? 1.01 : 0.51) + 2e-3 && most > 0);
    }
}

TEST(a_nan_is_not_lost_in_few_bits)
{
    float in[32], back[32];
    for (int i = 0; i < 32; i++) in[i] = i == 5 ? NAN : (float)i;
    for (int type = SITU_Q8_0; type <= SITU_Q4_1; type++) IN_SCOPE {
        situ_tensor *a = situ_from_host(in, SHAPE(1, 32));
        CHECK_EQ(situ_read(situ_dequantise(situ_quantise(a, (situ_block_type)type), (situ_block_type)type), back, sizeof back), 0);
        CHECK(back[5] != back[5]);
    }
}

TEST_IN_SCOPE(what_cannot_be_kept_in_few_bits_is_told)
{
    CHECK_FAILS(SITU_BAD_SHAPE, situ_quantise(situ_zeros(SHAPE(2, 33)), SITU_Q8_0), "a multiple of 32");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_quantise(situ_zeros(SHAPE(2, 32), .dtype = SITU_I32), SITU_Q8_ROWS), "must be floats");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_quantise(situ_zeros(SHAPE(2, 32)), (situ_block_type)99), "no type 99");
    CHECK_FAILS(SITU_UNSUPPORTED, situ_quantise(situ_zeros(SHAPE(2, 256)), SITU_Q4_K), "Q4_K is read from files, not made here");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_dequantise(situ_zeros(SHAPE(2, 145), .dtype = SITU_U8), SITU_Q4_K), "a multiple of 144");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_quantised_linear(situ_zeros(SHAPE(1, 255)), situ_zeros(SHAPE(2, 144), .dtype = SITU_U8), SITU_Q4_K),
                "[rows, in / 256 x 144] bytes");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_quantised_linear(situ_zeros(SHAPE(2, 32)), situ_zeros(SHAPE(4, 32)), SITU_Q8_ROWS),
                "u8 [..., 4 + in]");
    situ_tensor *rows = situ_quantise(situ_zeros(SHAPE(4, 31)), SITU_Q8_ROWS);
    CHECK_FAILS(SITU_BAD_SHAPE, situ_quantised_linear(situ_zeros(SHAPE(2, 32)), rows, SITU_Q8_ROWS), "[rows, 4 + in]");
}

/* Random bits; each half-precision scale is made a moderate number. */
static void fill_blocks(situ_block_type type, uint8_t *to, int64_t count)
{
    const situ_block_format *f = &situ_block_formats[type];
    static const int scales[SITU_BLOCK_TYPES][2] = {[SITU_Q4_1] = {0, 2}, [SITU_Q5_1] = {0, 2}, [SITU_Q2_K] = {80, 82},
        [SITU_Q3_K] = {108, 108}, [SITU_Q4_K] = {0, 2}, [SITU_Q5_K] = {0, 2}, [SITU_Q6_K] = {208, 208}};
    uint32_t word = 7;
    for (int64_t i = 0; i < count * f->bytes; i++) to[i] = (uint8_t)((word = word * 1664525u + 1013904223u) >> 24);
    for (int64_t b = 0; b < count; b++)
        for (int k = 0; k < 2; k++) {
            uint8_t *high = to + b * f->bytes + scales[type][k] + 1;
            *high = (uint8_t)((*high & 0x83) | 0x24);
        }
}

/* The products with one row of x and with many are, bit by bit, those with the unpacked numbers, by every instruction set. */
TEST(blocks_of_each_format_multiply_as_their_numbers)
{
    enum { OUT = 37, IN = 768, ROWS = 11 };
    static const situ_isa sets[] = {SITU_ISA_AVX512, SITU_ISA_AVX2, SITU_ISA_BASELINE};
    static uint8_t blocks[OUT * IN / 32 * 34];
    static float a[ROWS * IN], numbers[2][OUT * IN], product[2][ROWS * OUT];
    for (int i = 0; i < ROWS * IN; i++) a[i] = (float)(i * 7919 % 2003 - 1001) / 512;
    for (int type = 0; type < SITU_BLOCK_TYPES; type++)
        for (int set = 0; set < 3 && type != SITU_Q8_ROWS; set++) IN_SCOPE {
            const situ_block_format *f = &situ_block_formats[type];
            situ_isa_limit(sets[set]);
            fill_blocks((situ_block_type)type, blocks, OUT * IN / f->numbers);
            situ_tensor *w_ = situ_from_host(blocks, SHAPE(OUT, IN / f->numbers * f->bytes), .dtype = SITU_U8);
            situ_tensor *unpacked = situ_dequantise(w_, (situ_block_type)type);
            CHECK(!situ_read(unpacked, numbers[1], sizeof numbers[1]));
            for (int64_t b = 0; b < OUT * IN / f->numbers; b++) f->unpack(blocks + b * f->bytes, numbers[0] + b * f->numbers);
            CHECK(!memcmp(numbers[0], numbers[1], sizeof numbers[0]));
            situ_tensor *stored = situ_from_host(numbers[0], SHAPE(OUT, IN));
            for (int rows = 1; rows <= ROWS; rows += ROWS - 1) {
                situ_tensor *x_ = situ_from_host(a, SHAPE(rows, IN));
                size_t size = (size_t)(rows * OUT) * sizeof(float);
                CHECK(!situ_read(situ_quantised_linear(x_, w_, (situ_block_type)type), product[0], size));
                CHECK(!situ_read(situ_matmul(x_, situ_transpose(stored)), product[1], size));
                if (!CHECK(!memcmp(product[0], product[1], size))) fprintf(stderr, "%s, %d rows, set %d\n", f->name, rows, set);
            }
        }
    situ_isa_limit(SITU_ISA_AMX);
}
