/* Chains and row programs: each link has the bits of its tile kernel; softmax and similar functions have the bits of
 * their separate operations, for any row length, dtype, layout and number of threads. */
#include <math.h>
#include <situ.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

#include "backend/cpu/tiles/tile.h"
#include "support/elementwise_operands.h"

/* ---------------------------------------------------------------- links */

enum { MOST = 128 };
static float operand[3][MOST], expected[MOST], result[MOST];
static unsigned char mask[MOST];
static const char *const vector_sets[] = {"avx2", "avx512"};

/* The operation by itself, with the operand of this form in registers. */
static void run_form(const situ_chains *c, situ_el op, int form)
{
    int arity = situ_el_rows[op].arity, held = arity == 2 && form == SITU_LINK_AB ? 0 : form, other[2] = {0, 0}, n = 0;
    for (int i = 0; i < arity; i++)
        if (i != held) other[n++] = i;
    char *place[] = {(char *)operand[0], (char *)operand[1], (char *)operand[2], (char *)result};
    situ_link chain[] = {{c->load, (uint16_t)held, 0, SITU_STRIDED, 0},
                         {c->op[op][form], (uint16_t)other[0], (uint16_t)other[1], SITU_STRIDED, SITU_STRIDED},
                         {c->save, 3, 0, SITU_STRIDED, 0},
                         {c->end, 0, 0, 0, 0}};
    c->run(chain, place, 0, c->block);
}

/* near: no operand is far from zero; links may treat those differently. */
static bool form_agrees(const situ_tiles *t, situ_el op, int form, bool near, uint64_t *state)
{
    const situ_chains *c = t->chains;
    situ_el_kind kind = situ_el_rows[op].kind;
    bool choice = kind == SITU_EL_SELECT, gives_mask = kind == SITU_EL_COMPARE || kind == SITU_EL_EQUAL;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < c->block; k++) {
            draw_operand(op, SITU_F32, state, (char *)&operand[i][k]);
            if (near && !(fabsf(operand[i][k]) <= 86)) operand[i][k] = 86 * sinf((float)k);
        }
    for (int k = 0; choice && k < c->block; k++) {
        uint32_t lanes = (mask[k] = draw(state) & 1) ? UINT32_MAX : 0;
        memcpy(&operand[0][k], &lanes, 4);
    }
    bool twice = situ_el_rows[op].arity == 2 && form == SITU_LINK_AB;
    unsigned char truth[MOST];
    t->op[op][SITU_F32](gives_mask ? (void *)truth : expected, choice ? (void *)mask : operand[0], operand[twice ? 0 : 1], operand[2], c->block);
    run_form(c, op, form);
    for (int k = 0; k < c->block; k++) {
        uint32_t lanes;
        memcpy(&lanes, &result[k], 4);
        if (gives_mask ? lanes != (truth[k] ? UINT32_MAX : 0) : !same_bits(SITU_F32, (char *)&expected[k], (char *)&result[k])) return false;
    }
    return true;
}

TEST(links_have_the_bits_of_the_tile_kernels)
{
    uint64_t state = 11;
    for (int set = 0; set < 2; set++) {
        const situ_tiles *t = situ_tiles_named(vector_sets[set]);
        for (int op = 0; t && op < SITU_EL_COUNT; op++)
            for (int form = 0; form < situ_el_rows[op].arity + (situ_el_rows[op].arity == 2); form++)
                for (int round = 0; round < 30 && t->chains->op[op][form]; round++)
                    if (!CHECK(form_agrees(t, (situ_el)op, form, round & 1, &state))) printf("  %s of %s, form %d\n", situ_el_rows[op].name, vector_sets[set], form);
    }
}

/* A partially stored block leaves the other elements unchanged. */
TEST(parts_of_blocks)
{
    for (int set = 0; set < 2; set++) {
        const situ_tiles *t = situ_tiles_named(vector_sets[set]);
        for (int from = 0; t && from < t->chains->block; from += 7)
            for (int to = from + 1; to <= t->chains->block; to += 5) {
                const situ_chains *c = t->chains;
                char *place[] = {(char *)operand[0], (char *)result};
                situ_link chain[] = {{c->load, 0, 0, SITU_STRIDED, 0}, {c->op[SITU_EL_negative][0], 0, 0, 0, 0}, {c->save, 1, 0, SITU_STRIDED, 0}, {c->end, 0, 0, 0, 0}};
                for (int i = 0; i < c->block; i++) operand[0][i] = (float)i, result[i] = 7;
                c->part(chain, place, 0, from, to);
                bool right = true;
                for (int i = 0; i < c->block; i++) right &= result[i] == (i >= from && i < to ? (float)-i : 7);
                if (!CHECK(right)) printf("  %d to %d, %s\n", from, to, vector_sets[set]);
            }
    }
}

enum { STREAMED = 4096 };
static float streamed[STREAMED + 64];

/* Streamed pieces, one after the other, starting anywhere in a cache line, as rows of any length give them; every third
 * one is left out. */
static bool pieces_agree(const situ_chains *c, int start, int piece)
{
    situ_edge edge = {0};
    float *lines = (float *)(((uintptr_t)streamed + 63) & ~(uintptr_t)63);
    for (int i = 0; i < STREAMED; i++) lines[i] = 7;
    int at = start, n = 0;
    for (; at + piece <= STREAMED; at += piece, n++) {
        if (n % 3 == 2) continue;
        for (int i = 0; i < c->block; i++) operand[0][i] = (float)(at + i);
        char *place[] = {(char *)operand[0], (char *)(lines + at), (char *)&edge};
        situ_link chain[] = {{c->load, 0, 0, SITU_STRIDED, 0}, {c->stream, 1, 2, SITU_STRIDED, 0}, {c->end, 0, 0, 0, 0}};
        if (piece == c->block && (uintptr_t)place[1] % 64 == 0) c->run(chain, place, 0, piece);
        else c->part(chain, place, 0, 0, piece);
    }
    c->drain(&edge, 1);
    bool right = !edge.line;
    for (int i = 0; i < STREAMED; i++) right &= lines[i] == (i < start || i >= at || (i - start) / piece % 3 == 2 ? 7 : (float)i);
    return right;
}

TEST(parts_of_lines_past_the_caches)
{
    for (int set = 0; set < 2; set++) {
        const situ_tiles *t = situ_tiles_named(vector_sets[set]);
        for (int start = 0; t && start < 20; start++)
            for (int piece = 1; piece <= t->chains->block; piece++)
                if (!CHECK(pieces_agree(t->chains, start, piece))) printf("  from %d, pieces of %d, %s\n", start, piece, vector_sets[set]);
    }
}

/* ---------------------------------------------------------------- row programs */

enum { WAYS = 11 };

static situ_tensor *way(int which, situ_tensor *x, situ_tensor *bias)
{
    situ_tensor *mean, *centred;
    switch (which) {
    case 0: return situ_softmax(x);
    case 1: return situ_log_softmax(x);
    case 2: return situ_logsumexp(x, .axes = AXES(-1));
    case 3:
        mean = situ_mean(x, .axes = AXES(-1), .keepdims = true);
        centred = situ_sub(x, mean);
        return situ_add(situ_mul(centred, situ_rsqrt(situ_add(situ_mean(situ_square(centred), .axes = AXES(-1), .keepdims = true), 1e-5))), bias);
    case 4: return situ_std(x, .axes = AXES(-1));
    case 5: return situ_add(situ_softmax(situ_add(x, bias)), situ_sum(situ_mul(x, bias), .axes = AXES(-1), .keepdims = true));
    case 6: return situ_softmax(situ_cast(situ_cast(x, SITU_F16), SITU_F32));
    case 7: return situ_where(situ_greater(x, situ_mean(x, .axes = AXES(-1), .keepdims = true)), x, bias);
    case 8: return situ_softmax(situ_slice(x, .start = SHAPE(0, 0), .step = SHAPE(2, 1)));
    case 9: return situ_div(x, situ_sum(situ_abs(x), .axes = AXES(-1), .keepdims = true));
    default: return situ_mul(x, situ_rsqrt(situ_mean(situ_square(x), .axes = AXES(-1), .keepdims = true)));
    }
}

static uint64_t hash_of(situ_tensor *t)
{
    uint64_t hash = 14695981039346656037u;
    size_t bytes = (size_t)situ_count(t) * situ_dtype_size(situ_dtype_of(t));
    unsigned char *data = malloc(bytes + 1);
    CHECK_EQ(situ_read(t, data, bytes), 0);
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ data[i]) * 1099511628211u;
    free(data);
    return hash;
}

static uint64_t way_bits(int which, situ_shape shape, situ_dtype dtype, bool fusing)
{
    uint64_t hash = 0;
    IN_SCOPE {
        situ_tensor *x = situ_cast(situ_normal(situ_key(which), shape), dtype);
        situ_tensor *bias = situ_cast(situ_normal(situ_key(99), SHAPE(shape.dim[shape.ndim - 1])), dtype);
        situ_eval(TENSORS(x, bias));
        situ_fusing(fusing);
        hash = hash_of(way(which, x, bias));
        situ_fusing(true);
    }
    return hash;
}

static void all_ways(situ_dtype dtype)
{
    const situ_shape shapes[] = {SHAPE(5000, 1), SHAPE(900, 7), SHAPE(64, 128), SHAPE(100, 129), SHAPE(17, 640), SHAPE(40, 1024),
                                 SHAPE(33, 2500), SHAPE(4, 6, 300)};
    int threads = situ_threads();
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int which = 0; which < WAYS; which++) {
            if (which == 8 && shapes[s].ndim != 2) continue;
            situ_set_threads(1);
            uint64_t apart = way_bits(which, shapes[s], dtype, false), one = way_bits(which, shapes[s], dtype, true);
            situ_set_threads(2);
            uint64_t two = way_bits(which, shapes[s], dtype, true);
            if (!CHECK(apart == one && one == two)) printf("  way %d, shape %zu of %s\n", which, s, situ_dtype_name(dtype));
        }
    situ_set_threads(threads);
    CHECK_OK();
}

TEST(row_programs_have_the_bits_of_their_operations) { all_ways(SITU_F32); }
TEST(row_programs_of_halves) { all_ways(SITU_F16); }
TEST(row_programs_of_doubles) { all_ways(SITU_F64); }

/* Megabytes of rows of whole blocks: the stages run side by side (interpreter/pipeline.c). Some operands are NaN,
 * infinite or -0. `stored`: intermediate values are requested, too, so they are stored. */
/* Element by element; NaN's payload is not promised. */
static uint64_t hash_of_floats(situ_tensor *t)
{
    uint64_t hash = 14695981039346656037u;
    size_t count = (size_t)situ_count(t);
    float *data = malloc(count * sizeof *data);
    CHECK_EQ(situ_read(t, data, count * sizeof *data), 0);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = UINT32_MAX;
        if (data[i] == data[i]) memcpy(&bits, &data[i], sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    free(data);
    return hash;
}

static void scrub(situ_shape shape)
{
    IN_SCOPE {
        for (int i = 0; i < 5; i++) CHECK_EQ(situ_eval(TENSORS(situ_full(shape, 7.5), situ_full(SHAPE(shape.dim[0], 1), 7.5))), 0);
    }
}

/* Making the operands takes longer than what is tested: all runs of a case have the same ones. */
static void make_operands(int which, situ_shape shape, situ_tensor **x, situ_tensor **bias)
{
    IN_SCOPE {
        situ_tensor *made = situ_normal(situ_key(which), shape), *pick = situ_uniform(situ_key(7), shape);
        made = situ_where(situ_less(pick, 1e-4), NAN, made);
        made = situ_where(situ_greater(pick, 0.9999), -INFINITY, made);
        *x = situ_keep(situ_where(situ_less(situ_abs(situ_sub(pick, 0.5)), 0.01), -0.0, made));
        *bias = situ_keep(situ_normal(situ_key(99), SHAPE(shape.dim[1])));
        CHECK_EQ(situ_eval(TENSORS(*x, *bias)), 0);
    }
}

static uint64_t side_by_side_bits(int which, situ_tensor *x, situ_tensor *bias, bool stored, bool fusing)
{
    uint64_t hash = 0;
    scrub(situ_shape_of(x)); /* what an earlier run left is not to be found */
    IN_SCOPE {
        situ_fusing(fusing);
        situ_tensor *t[5] = {x, x, x, x, x};
        if (which < WAYS) {
            t[4] = way(which, x, bias);
        } else {
            t[0] = (which - WAYS) % 3 == 0   ? situ_min(x, .axes = AXES(-1), .keepdims = true)
                   : (which - WAYS) % 3 == 1 ? situ_max(x, .axes = AXES(-1), .keepdims = true)
                                       : situ_prod(x, .axes = AXES(-1), .keepdims = true);
            t[1] = situ_mul(situ_sub(x, t[0]), bias);
            t[2] = situ_sum(t[1], .axes = AXES(-1), .keepdims = true);
            t[3] = situ_max(t[1], .axes = AXES(-1), .keepdims = true);
            t[4] = situ_div(situ_add(t[1], t[3]), t[2]);
            if (which > WAYS + 2) t[4] = situ_where(situ_less_equal(t[0], x), x, bias);
        }
        int first = stored ? 0 : 4; /* all are asked for, or the last one only */
        CHECK_EQ((situ_eval)(TENSORS_OF(t + first, 5 - first), NULL), 0);
        for (int i = first; i < 5; i++) hash = hash * 31 + hash_of_floats(t[i]);
        situ_fusing(true);
    }
    return hash;
}

TEST(stages_side_by_side_have_the_bits_of_one_after_the_other)
{
    const situ_shape shapes[] = {SHAPE(1100, 512), SHAPE(1030, 640), SHAPE(517, 1024), SHAPE(258, 2560), SHAPE(70, 8192)};
    int threads = situ_threads();
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int which = 0; which < WAYS + 5; which++)
            for (int stored = 0; stored < (which < WAYS ? 1 : 2); stored++) {
                situ_tensor *x = NULL, *bias = NULL;
                make_operands(which, shapes[s], &x, &bias);
                situ_set_threads(1);
                uint64_t apart = side_by_side_bits(which, x, bias, stored, false), one[2], two[2];
                for (int i = 0; i < 2; i++) one[i] = side_by_side_bits(which, x, bias, stored, true); /* runs of a program take turns */
                situ_set_threads(2);
                for (int i = 0; i < 2; i++) two[i] = side_by_side_bits(which, x, bias, stored, true);
                situ_release(x);
                situ_release(bias);
                if (!CHECK(apart == one[0] && apart == one[1] && apart == two[0] && apart == two[1])) printf("  way %d, shape %zu%s\n", which, s, stored ? ", stored" : "");
            }
    situ_set_threads(threads);
}

/* Results of 8 MiB and more leave past the caches: the exponentials of one row and the quotients of another go through
 * one link. */
TEST(softmax_of_many_rows_has_the_bits_of_its_operations)
{
    const situ_shape shape = SHAPE(2100, 1024);
    int threads = situ_threads();
    situ_tensor *x = NULL, *bias = NULL;
    make_operands(3, shape, &x, &bias);
    for (int which = 0; which < 2; which++) {
        uint64_t bits[6] = {0};
        for (int i = 0; i < 6; i++) { /* not fused; side by side and one after the other, twice */
            situ_set_threads(i < 4 ? 1 : 2);
            scrub(shape);
            IN_SCOPE {
                situ_fusing(i != 0);
                bits[i] = hash_of_floats(situ_softmax(which ? situ_mul(x, 40) : x)); /* times 40: many exponentials far out */
                situ_fusing(true);
            }
            if (!CHECK(bits[i] == bits[0])) printf("  times %d, run %d\n", which ? 40 : 1, i);
        }
    }
    situ_set_threads(threads);
    situ_release(x);
    situ_release(bias);
}

/* Stages whose rows have no elements are skipped correctly. */
TEST_IN_SCOPE(empty_rows_beside_full_ones)
{
    situ_tensor *sum = situ_sum(situ_ones(SHAPE(1024, 8)), .axes = AXES(-1), .keepdims = true);
    situ_tensor *none = situ_sum(situ_add(situ_ones(SHAPE(1024, 0)), sum), .axes = AXES(-1));
    CHECK_EQ(situ_item(situ_sum(situ_add(none, situ_reshape(sum, SHAPE(1024))))), 8192);
    situ_tensor *cut = situ_slice(situ_softmax(situ_ones(SHAPE(1024, 16))), .start = SHAPE(0, 3), .stop = SHAPE(SITU_FULL, 3));
    CHECK_EQ(situ_item(situ_sum(situ_exp(cut))), 0);
}

/* A value computed inside a row program is stored if it is requested; gradients are right. */
TEST_IN_SCOPE(values_inside_of_row_programs)
{
    situ_tensor *x = situ_normal(situ_key(3), SHAPE(64, 200)), *most = situ_max(x, .axes = AXES(-1), .keepdims = true);
    situ_tensor *e = situ_exp(situ_sub(x, most)), *sum = situ_sum(e, .axes = AXES(-1), .keepdims = true), *y = situ_div(e, sum);
    CHECK_EQ(situ_eval(TENSORS(y, e, sum)), 0);
    CHECK_EQ(hash_of(y), hash_of(situ_softmax(x)));
    CHECK_EQ(hash_of(e), hash_of(situ_exp(situ_sub(x, situ_max(x, .axes = AXES(-1), .keepdims = true)))));
    CHECK_STR(situ_state(most), "dropped");
    situ_tensor *g = NULL, *loss = situ_sum(situ_square(situ_softmax(x)));
    CHECK_EQ(situ_grad(loss, TENSORS(x), &g), 0);
    uint64_t fused = hash_of(g);
    situ_fusing(false);
    CHECK_EQ(situ_grad(situ_sum(situ_square(situ_softmax(x))), TENSORS(x), &g), 0);
    CHECK_EQ(fused, hash_of(g));
    situ_fusing(true);
}

/* ---------------------------------------------------------------- large results */

static situ_tensor *some_of(situ_tensor *x, int which)
{
    if (which == 0) return situ_softmax(x);
    if (which == 1) return situ_add(situ_exp(situ_negative(situ_square(x))), x);
    if (which == 2) return situ_add(x, 1.5);
    situ_tensor *e = situ_exp(x); /* stored and read again */
    return situ_mul(situ_sub(e, situ_mean(e, .axes = AXES(-1), .keepdims = true)), e);
}

/* Results of more than 8 MiB are streamed; parts of their rows are not. */
TEST(large_results_have_the_bits_of_small_ones)
{
    enum { PARTS = 5 };
    const int64_t columns[] = {129, 520, 1003, 3333, 50257};
    for (int c = 0; c < 5; c++) {
        int64_t rows = 2400000 / PARTS / columns[c];
        size_t part = sizeof(float) * (size_t)(rows * columns[c]);
        char *whole = malloc(part * PARTS), *again = malloc(part);
        for (int which = 0; which < 4 && CHECK(whole && again); which++)
            IN_SCOPE {
                situ_tensor *x = situ_normal(situ_key(5), SHAPE(rows * PARTS, columns[c]));
                situ_eval(TENSORS(x));
                CHECK_EQ(situ_read(some_of(x, which), whole, part * PARTS), 0);
                for (int i = 0; i < PARTS; i++) {
                    situ_tensor *some = situ_copy_to(situ_slice(x, .start = SHAPE(rows * i), .stop = SHAPE(rows * (i + 1))), situ_device_of(x));
                    situ_eval(TENSORS(some));
                    CHECK_EQ(situ_read(some_of(some, which), again, part), 0);
                    if (!CHECK(!memcmp(whole + part * (size_t)i, again, part))) printf("  which %d, part %d, %lld columns\n", which, i, (long long)columns[c]);
                }
            }
        free(whole);
        free(again);
    }
}

/* A variable updated in place. */
TEST(rows_changed_in_place)
{
    const int64_t columns[] = {128, 131, 250, 1000, 1029, 2100};
    for (int c = 0; c < 6; c++)
        for (int many = 0; many < 2; many++) {
            int64_t rows = many ? 3000000 / columns[c] : 3;
            size_t bytes = sizeof(float) * (size_t)(rows * columns[c]);
            float *expect = malloc(bytes), *data = malloc(bytes), *by = malloc(sizeof *by * (size_t)rows);
            IN_SCOPE {
                situ_tensor *x = situ_normal(situ_key(c), SHAPE(rows, columns[c])), *scale = situ_uniform(situ_key(8), SHAPE(rows, 1));
                CHECK_EQ(situ_read(x, expect, bytes), 0);
                CHECK_EQ(situ_read(scale, by, sizeof *by * (size_t)rows), 0);
                situ_tensor *v = situ_variable(x);
                situ_eval(TENSORS(v));
                CHECK_EQ(situ_assign(v, situ_sub(situ_mul(v, scale), 0.25)), 0);
                situ_eval(TENSORS(situ_sum(scale)));
                CHECK_EQ(situ_read(v, data, bytes), 0);
                situ_release(v);
                for (int64_t i = 0; i < rows * columns[c]; i++) {
                    volatile float product = expect[i] * by[i / columns[c]];
                    expect[i] = product - 0.25f;
                }
                if (!CHECK(!memcmp(data, expect, bytes))) printf("  %lld rows of %lld\n", (long long)rows, (long long)columns[c]);
            }
            free(expect);
            free(data);
            free(by);
        }
}
