/* Sequences of steps on a PJRT device become one program, however often they run; late errors; variables that are
 * updated in place, and those that must not be. */
#include <math.h>
#include <situ.h>
#include <string.h>

#include "backend/pjrt/pjrt.h"
#include "device/device.h"
#include "test.h"

static situ_device need_pjrt(int count)
{
    if (situ_num_pjrt() < count) SKIP("no PJRT plugin: set SITU_PJRT_PLUGIN, or let scripts/test install one");
    return situ_pjrt(0);
}

enum { ROWS = 32, IN = 8, STEPS = 1000 };

/* Trains a small network. *made: number of programs compiled after the first step; `out`: the weights. */
static void train(situ_device d, int steps, bool adam, float weights[IN * 4], int64_t *made)
{
    situ_scope *outer = situ_scope_open();
    situ_module *net = situ_sequential(situ_linear_layer(4, .in = IN), situ_tanh_layer(), situ_linear_layer(3, .in = 4));
    situ_module_to(net, d);
    situ_optimizer *o = adam ? situ_adamw(net, .lr = 1e-2) : situ_sgd(net, .lr = 1e-2, .momentum = 0.9);
    int64_t first = 0;
    for (int i = 0; i < steps; i++) {
        situ_scope *scope = situ_scope_open();
        float x[ROWS * IN];
        int32_t y[ROWS];
        for (int k = 0; k < ROWS * IN; k++) x[k] = sinf((float)(k * (1 + i % 7)));
        for (int k = 0; k < ROWS; k++) y[k] = (k + i) % 3;
        situ_tensor *images = situ_from_host(x, SHAPE(ROWS, IN), .device = d);
        situ_tensor *labels = situ_from_host(y, SHAPE(ROWS), .dtype = SITU_I32, .device = d);
        situ_optimizer_set_lr(o, 1e-2 / (1 + i));
        situ_tensor *loss = situ_cross_entropy(situ_module_call(net, images), labels);
        situ_optimizer_step(o, loss);
        CHECK(isfinite(situ_item(loss)));
        situ_scope_close(scope);
        if (i == 1) first = situ_test_pjrt_programs();
    }
    *made = situ_test_pjrt_programs() - first;
    CHECK_EQ(situ_read(situ_module_parameter(net, 0), weights, IN * 4 * sizeof *weights), 0);
    situ_optimizer_free(o);
    situ_module_free(net);
    situ_scope_close(outer);
}

TEST(a_thousand_steps_make_one_program)
{
    situ_device d = need_pjrt(1);
    float here[IN * 4], there[IN * 4];
    int64_t made;
    for (int adam = 0; adam < 2; adam++) {
        train(d, STEPS, adam, there, &made);
        CHECK_EQ(made, 0);
        train(situ_cpu(), STEPS, adam, here, &made);
        for (int i = 0; i < IN * 4; i++) CHECK_NEAR(there[i], here[i], 2e-3);
    }
}

/* A step is one program, and running it again compiles nothing. */
TEST_IN_SCOPE(a_step_is_one_program)
{
    situ_device d = need_pjrt(1);
    float a[6] = {1, 2, 3, 4, 5, 6}, out[3];
    situ_tensor *x = situ_keep(situ_from_host(a, SHAPE(2, 3), .device = d));
    for (int i = 0; i < 3; i++) {
        int64_t before = situ_test_pjrt_programs();
        situ_tensor *y = situ_matmul(situ_softmax(situ_mul(x, 1.5 + i)), situ_transpose(situ_cumsum(x)));
        CHECK_EQ(situ_read(situ_sum(situ_sort(y), .axes = AXES(0)), out, 2 * sizeof *out), 0);
        CHECK_EQ(situ_test_pjrt_programs() - before, i == 0);
    }
}

/* Of programs not used for a long time, few are kept; others are compiled again when needed. */
TEST(old_programs_are_dropped)
{
    enum { SHAPES = 9, MOST = 3 };
    situ_device d = need_pjrt(1);
    int before = situ_pjrt_most_programs;
    float out[SHAPES];
    situ_pjrt_most_programs = MOST;
    for (int round = 0; round < 2; round++)
        for (int n = 1; n <= SHAPES; n++) {
            situ_scope *scope = situ_scope_open();
            int64_t made = situ_test_pjrt_programs();
            for (int again = 0; again < 2; again++) {
                situ_tensor *x = situ_full(SHAPE(n), round + 0.5, .device = d);
                CHECK_EQ(situ_read(situ_add(situ_cumsum(x), n), out, (size_t)n * sizeof *out), 0);
                for (int i = 0; i < n; i++) CHECK_NEAR(out[i], (i + 1) * (round + 0.5) + n, 0);
            }
            CHECK_EQ(situ_test_pjrt_programs() - made, 1);
            CHECK(((situ_pjrt *)situ_dev_opened(d)->state)->programs <= MOST);
            situ_scope_close(scope);
        }
    situ_pjrt_most_programs = before;
}

/* Slice positions are arguments of a program, both for existing values and for values that the same program computes. */
TEST(places_make_no_new_programs)
{
    situ_device d = need_pjrt(1);
    situ_scope *outer = situ_scope_open();
    situ_tensor *x = situ_keep(situ_mul(situ_arange(0, 1000, 1, .dtype = SITU_F32, .device = d), 2));
    float out[4];
    int64_t before = 0;
    situ_wait(x);
    for (int i = 0; i < 100; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *part = situ_slice(x, .start = SHAPE(9 * i), .stop = SHAPE(9 * i + 4));
        situ_tensor *made = situ_slice(situ_cumsum(x), .start = SHAPE(9 * i), .stop = SHAPE(9 * i + 4));
        CHECK_EQ(situ_read(situ_add(situ_mul(part, 0.5), made), out, sizeof out), 0);
        for (int k = 0; k < 4; k++) CHECK_NEAR(out[k], (9 * i + k) + (double)(9 * i + k) * (9 * i + k + 1), 1);
        situ_scope_close(scope);
        if (i == 2) before = situ_test_pjrt_programs();
    }
    CHECK_EQ(situ_test_pjrt_programs() - before, 0);
    situ_scope_close(outer);
}

static void expect(situ_tensor *t, double a, double b)
{
    float out[2] = {NAN, NAN};
    CHECK_EQ(situ_read(t, out, sizeof out), 0);
    CHECK_NEAR(out[0], a, 0);
    CHECK_NEAR(out[1], b, 0);
}

/* Copies share a value until one of them is changed. */
TEST(what_others_have_is_not_written_over)
{
    situ_device d = need_pjrt(1);
    situ_scope *outer = situ_scope_open();
    float a[2] = {1, 2};
    situ_tensor *v = situ_variable(situ_from_host(a, SHAPE(2), .device = d)), *kept = NULL;
    a[0] = 77; /* the host's own again */
    for (int i = 0; i < 4; i++) {
        situ_scope *scope = situ_scope_open();
        if (i == 2) kept = situ_keep(situ_copy_to(v, d));
        situ_assign(v, situ_mul(v, 3));
        situ_scope_close(scope);
        expect(v, pow(3, i + 1), 2 * pow(3, i + 1));
        if (i > 1) expect(kept, 9, 18);
    }
    situ_scope_close(outer);
}

/* An index out of range is detected at the end of the step: the error has its line, and no variable has changed. */
TEST(a_step_that_fails_changes_nothing)
{
    situ_device d = need_pjrt(1);
    situ_scope *outer = situ_scope_open();
    float a[2] = {1, 2};
    situ_tensor *v = situ_variable(situ_from_host(a, SHAPE(2), .device = d)), *w = situ_variable(situ_from_host(a, SHAPE(2), .device = d));
    for (int i = 0; i < 3; i++) {
        situ_scope *scope = situ_scope_open();
        int32_t at[2] = {0, i == 1 ? 2 : 1};
        situ_tensor *index = situ_from_host(at, SHAPE(2), .dtype = SITU_I32, .device = d);
        situ_tensor *x = situ_take(v, index); /* here */
        int line = __LINE__ - 1;
        situ_assign(v, situ_add(x, 1));
        situ_assign(w, situ_add(w, situ_sum(x)));
        int code = situ_eval(TENSORS(v, w));
        if (!code) code = situ_wait(w);
        if (i == 1) {
            char where[32];
            snprintf(where, sizeof where, "%s:%d", "test_pjrt_stretch.c", line);
            CHECK(code);
            CHECK(strstr(situ_error_message(), "take: index 2 is out of range for an axis of size 2, at [1] of the indices"));
            CHECK(strstr(situ_error_message(), "no variable was changed"));
            CHECK(strstr(situ_error_message(), where));
            CHECK_CODE(SITU_BAD_INDEX);
        } else {
            CHECK_EQ(code, 0);
        }
        situ_scope_close(scope);
    }
    expect(v, 3, 4);
    expect(w, 9, 10);
    situ_scope_close(outer);
}

enum { SUMS = 4, LONG = 300 };

/* sums[i] = the sum of i + 0, i + 1 ... by times[i], in one stretch. */
static void sums_of(situ_device d, const double *times, float *sums)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *sum[SUMS];
    for (int i = 0; i < SUMS; i++) {
        float x[LONG];
        for (int k = 0; k < LONG; k++) x[k] = (float)(i + k);
        sum[i] = situ_sum(situ_mul(situ_from_host(x, SHAPE(LONG), .device = d), times[i]));
    }
    CHECK_EQ(situ_eval(TENSORS_OF(sum, SUMS)), 0);
    for (int i = 0; i < SUMS; i++) sums[i] = (float)situ_item(sum[i]);
    situ_scope_close(scope);
}

TEST(steps_of_one_text_have_numbers_of_their_own)
{
    static const double times[3][SUMS] = {{1, 2, 3, 4}, {8, 5, 6, 7}, {2, 2, 2, 2} /* equal ones make no new program, either */};
    situ_device d = need_pjrt(1);
    int64_t made = 0;
    for (int round = 0; round < 3; round++) {
        float sums[SUMS];
        sums_of(d, times[round], sums);
        for (int i = 0; i < SUMS; i++) CHECK_EQ(sums[i], (float)(times[round][i] * (LONG * i + LONG * (LONG - 1) / 2)));
        if (!round) made = situ_test_pjrt_programs();
    }
    CHECK_EQ(situ_test_pjrt_programs(), made);
}

/* [3, 4, 5] by one [5, 2], as it is or repeated for the batch by a view. */
TEST_IN_SCOPE(one_matrix_multiplies_a_batch)
{
    situ_device d = need_pjrt(1);
    float a[60], b[10], y[2][24];
    for (int i = 0; i < 60; i++) a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < 10; i++) b[i] = (float)(i % 4 - 1);
    situ_tensor *x = situ_from_host(a, SHAPE(3, 4, 5), .device = d), *w = situ_from_host(b, SHAPE(5, 2), .device = d);
    CHECK_EQ(situ_read(situ_matmul(x, w), y[0], sizeof y[0]), 0);
    CHECK_EQ(situ_read(situ_matmul(x, situ_broadcast_to(w, SHAPE(3, 5, 2))), y[1], sizeof y[1]), 0);
    for (int i = 0; i < 24; i++) {
        float sum = 0;
        for (int k = 0; k < 5; k++) sum += a[i / 2 * 5 + k] * b[k * 2 + i % 2];
        CHECK_EQ(y[0][i], sum);
        CHECK_EQ(y[1][i], sum);
    }
}

/* A matrix is read in rows of another length, as a part, and on another device; then a variable is overwritten by it. */
TEST_IN_SCOPE(one_value_in_rows_of_several_lengths)
{
    enum { N = 256 };
    situ_device d = need_pjrt(2);
    float a[N], out[16], part[32];
    for (int i = 0; i < N; i++) a[i] = (float)i;
    situ_tensor *v = situ_variable(situ_from_host(a, SHAPE(8, 32), .device = d));
    for (int step = 1; step < 4; step++) {
        situ_tensor *other = situ_reshape(v, SHAPE(16, 16)), *rows = situ_sum(other, .axes = AXES(1));
        CHECK_EQ(situ_read(rows, out, sizeof out), 0);
        for (int i = 0; i < 16; i++) CHECK_EQ(out[i], (float)(16 * (16 * i) + 120 + 256 * (step - 1)));
        situ_assign(v, situ_reshape(situ_add(other, 16), SHAPE(8, 32)));
        CHECK_EQ(situ_read(situ_sum(situ_to(v, situ_pjrt(1)), .axes = AXES(0)), part, sizeof part), 0);
        for (int i = 0; i < 32; i++) CHECK_EQ(part[i], (float)(8 * i + 32 * 28 + 128 * step));
    }
    CHECK_EQ(situ_read(situ_slice(v, .start = SHAPE(3), .stop = SHAPE(4)), part, sizeof part), 0);
    for (int i = 0; i < 32; i++) CHECK_EQ(part[i], (float)(96 + i + 48));
    situ_release(v);
}

/* Constants of zeros are made once if equal, and not confused with constants of other values. */
TEST(zeros_are_zeros_and_nothing_else)
{
    static const double values[3] = {0, 2.5, 0};
    situ_device d = need_pjrt(1);
    for (int round = 0; round < 3; round++) {
        float a[64], b[64], c[12];
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_full(SHAPE(8, 8), values[round], .device = d), *y = situ_full(SHAPE(8, 8), values[2 - round] + 1, .device = d);
        situ_tensor *z = situ_variable(situ_full(SHAPE(3, 4), values[round], .device = d));
        situ_eval(TENSORS(x, y, z));
        situ_assign(z, situ_add(z, 1));
        CHECK_EQ(situ_read(x, a, sizeof a) | situ_read(y, b, sizeof b) | situ_read(z, c, sizeof c), 0);
        for (int i = 0; i < 64; i++) CHECK(a[i] == (float)values[round] && b[i] == (float)(values[2 - round] + 1));
        for (int i = 0; i < 12; i++) CHECK_EQ(c[i], (float)(values[round] + 1));
        situ_release(z);
        situ_scope_close(scope);
    }
}

/* Many steps that can fail become several programs; equal ones are compiled once; the failing step is named, even in a
 * later program. */
TEST(many_indices_are_a_few_programs)
{
    enum { TAKES = 300, BAD = 200 };
    situ_device d = need_pjrt(1);
    float a[8];
    int64_t before = situ_test_pjrt_programs();
    for (int i = 0; i < 8; i++) a[i] = (float)i;
    for (int round = 0; round < 2; round++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_from_host(a, SHAPE(8), .device = d), *out[TAKES];
        for (int i = 0; i < TAKES; i++) {
            int32_t at[2] = {i % 8, round && i == BAD ? 8 : 3};
            out[i] = situ_take(x, situ_from_host(at, SHAPE(2), .dtype = SITU_I32, .device = d));
        }
        int code = situ_eval(TENSORS_OF(out, TAKES));
        if (!code) code = situ_wait(out[TAKES - 1]);
        if (round) {
            CHECK(code);
            CHECK(strstr(situ_error_message(), "take: index 8 is out of range for an axis of size 8, at [1] of the indices"));
            CHECK_CODE(SITU_BAD_INDEX);
        } else {
            for (int i = 0; i < TAKES; i++) expect(out[i], i % 8, 3);
        }
        situ_scope_close(scope);
    }
    CHECK_EQ(situ_test_pjrt_programs() - before, 2);
}

/* So is a long chain of groups, each of which reads what the last one made and its sum. */
TEST(a_long_chain_is_a_few_programs)
{
    enum { LINKS = 66, N = 4 };
    situ_device d = need_pjrt(1);
    float a[N] = {1, 2, 3, 4}, out[2][N];
    int64_t before = situ_test_pjrt_programs();
    for (int host = 0; host < 2; host++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_from_host(a, SHAPE(N), .device = host ? situ_cpu() : d);
        for (int i = 0; i < LINKS; i++) x = situ_sub(x, situ_mul(situ_sum(x), 0.5));
        CHECK_EQ(situ_read(x, out[host], sizeof out[host]), 0);
        situ_scope_close(scope);
    }
    for (int i = 0; i < N; i++) CHECK_NEAR(out[0][i], out[1][i], 1e-3);
    int64_t made = situ_test_pjrt_programs() - before;
    CHECK(made > 1 && made < 5);
}
