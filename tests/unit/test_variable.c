/* Variables: the only things that change. */
#include <situ.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "device/device.h"
#include "support/settled.h"
#include "graph/record.h"
#include "support/sim_devices.h"
#include "values.h"

static situ_tensor *counter(float first) { return situ_variable(situ_from_host(&first, SHAPE(1)), .name = "counter"); }

/* ---- reading and assigning ------------------------------------------------------------------------------------- */

TEST_IN_SCOPE(an_operation_reads_the_version_that_is_current_when_it_is_recorded)
{
    situ_tensor *v = counter(1), *before = situ_mul(v, 10);
    CHECK(situ_is_variable(v) && !situ_is_variable(before));
    CHECK_STR(situ_state(v), "variable");
    CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
    situ_tensor *after = situ_mul(v, 10);
    CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
    IS(v, "[3.] f32[1]");
    IS(after, "[20.] f32[1]");
    IS(before, "[10.] f32[1]");
    situ_release(v);
}

TEST_IN_SCOPE(a_value_read_after_the_assignment_ran_is_the_new_one)
{
    situ_tensor *v = counter(1);
    IS(v, "[1.] f32[1]");
    situ_tensor *kept = situ_keep(v); /* so the next value needs memory of its own */
    CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
    CHECK_EQ(situ_eval(TENSORS(v)), 0);
    IS(v, "[2.] f32[1]");
    IS(situ_add(v, 0), "[2.] f32[1]");
    IS(kept, "[1.] f32[1]");
    situ_release(kept);
    situ_release(v);
}

TEST(pending_assignments_are_enqueued_when_their_scope_closes)
{
    situ_tensor *v = NULL;
    IN_SCOPE v = counter(1);
    for (int i = 0; i < 5; i++)
        IN_SCOPE CHECK_EQ(situ_assign(v, situ_mul(v, 2)), 0);
    IN_SCOPE IS(v, "[32.] f32[1]");
    situ_release(v);
}

TEST(an_assignment_in_an_outer_scope_rides_with_a_plan_of_an_inner_one)
{
    situ_scope *outer = situ_scope_open();
    situ_tensor *a = counter(1), *b = counter(10);
    CHECK_EQ(situ_assign(a, situ_add(a, 1)), 0);
    situ_scope *inner = situ_scope_open();
    CHECK_EQ(situ_assign(b, situ_mul(a, 100)), 0); /* of the value that is pending */
    situ_scope_close(inner);
    int64_t recomputed = situ_ledger_sum().recompute_count;
    IS(b, "[200.] f32[1]");
    IS(a, "[2.] f32[1]");
    CHECK_EQ(situ_ledger_sum().recompute_count, recomputed);
    situ_scope_close(outer);
    situ_release(a);
    situ_release(b);
}

TEST_IN_SCOPE(a_number_another_variable_or_the_variable_itself_may_be_assigned)
{
    situ_tensor *a = counter(1), *b = counter(2);
    CHECK_EQ(situ_assign(a, 7), 0);
    CHECK_EQ(situ_assign(b, b), 0);
    IS(a, "[7.] f32[1]");
    IS(b, "[2.] f32[1]");
    CHECK_EQ(situ_assign(b, a), 0);
    CHECK_EQ(situ_assign(a, situ_add(a, 1)), 0);
    IS(b, "[7.] f32[1]");
    IS(a, "[8.] f32[1]");
    situ_release(a);
    situ_release(b);
}

TEST_IN_SCOPE(variables_swap)
{
    situ_tensor *a = counter(1), *b = counter(2);
    for (int i = 0; i < 5; i++) {
        situ_tensor *old = situ_add(a, 0);
        CHECK_EQ(situ_assign(a, b), 0);
        CHECK_EQ(situ_assign(b, old), 0);
    }
    IS(a, "[2.] f32[1]");
    IS(b, "[1.] f32[1]");
    for (int i = 0; i < 5; i++) {
        situ_tensor *old = situ_add(a, 0);
        CHECK_EQ(situ_assign(a, b), 0);
        CHECK_EQ(situ_assign(b, old), 0);
        CHECK_EQ(situ_eval(TENSORS(a, b)), 0);
    }
    IS(a, "[1.] f32[1]");
    IS(b, "[2.] f32[1]");
    situ_release(a);
    situ_release(b);
}

TEST_IN_SCOPE(two_variables_of_one_value_are_still_two)
{
    situ_tensor *x = situ_add(F32(1), 1), *a = situ_variable(x), *b = situ_variable(x), *c = situ_variable(F32(3));
    CHECK_EQ(situ_assign(c, x), 0);
    for (int i = 0; i < 3; i++) CHECK_EQ(situ_assign(a, situ_add(a, 1)), 0);
    CHECK_EQ(situ_eval(TENSORS(a, b)), 0);
    CHECK_EQ(situ_assign(b, situ_mul(b, 10)), 0);
    IS(a, "[5.] f32[1]");
    IS(b, "[20.] f32[1]");
    IS(c, "[2.] f32[1]");
    IS(x, "[2.] f32[1]");
    situ_release(a);
    situ_release(b);
    situ_release(c);
}

TEST(slices_are_assigned)
{
    situ_tensor *v = NULL;
    IN_SCOPE v = situ_variable(situ_zeros(SHAPE(2, 3)));
    IN_SCOPE {
        CHECK_EQ(situ_assign_slice(v, situ_ones(SHAPE(1, 2)), SHAPE(0, 1)), 0);
        CHECK_EQ(situ_assign_slice(v, situ_full(SHAPE(2, 1), 5.0), SHAPE(0, 0)), 0);
        IS(v, "[[5., 1., 1.],\n [5., 0., 0.]] f32[2,3]");
    }
    for (int i = 0; i < 3; i++) IN_SCOPE CHECK_EQ(situ_assign_slice(v, situ_full(SHAPE(1, 1), i + 0.5), SHAPE(1, i)), 0);
    IN_SCOPE IS(v, "[[5., 1., 1.],\n [0.5, 1.5, 2.5]] f32[2,3]");
    situ_release(v);
}

TEST_IN_SCOPE(what_does_not_fit_is_refused_and_nothing_changes)
{
    situ_tensor *v = counter(1);
    CHECK_FAILS(SITU_BAD_SHAPE, situ_assign(v, F32(1, 2)));
    CHECK_FAILS(SITU_BAD_DTYPE, situ_assign(v, I64(1)));
    CHECK_FAILS(SITU_BAD_DEVICE, situ_assign(v, situ_ones(SHAPE(1), .device = sim_device(0))));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_assign(F32(1), F32(1)), "only variables change");
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_assign((situ_tensor *)NULL, F32(1)));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_assign(v, (situ_tensor *)NULL));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_assign_slice(v, F32(1, 2), SHAPE(0)));
    IS(v, "[1.] f32[1]");
    situ_release(v);
}

/* ---- old values ------------------------------------------------------------------------------------------------ */

TEST(views_and_kept_tensors_of_an_old_value_keep_it)
{
    situ_tensor *v = NULL, *whole = NULL, *view = NULL, *stored_view = NULL;
    IN_SCOPE v = situ_variable(situ_reshape(situ_arange(0, 6, 1, .dtype = SITU_F32), SHAPE(2, 3)));
    IN_SCOPE {
        whole = situ_keep(v);
        view = situ_keep(situ_transpose(v)); /* pending */
        situ_tensor *row = situ_select(v, 0, 1);
        CHECK_EQ(situ_eval(TENSORS(row)), 0);
        stored_view = situ_keep(row);
        CHECK_EQ(situ_assign(v, situ_mul(v, -1)), 0);
        CHECK_EQ(situ_eval(TENSORS(v)), 0);
        CHECK_EQ(situ_assign(v, situ_sub(v, 1)), 0);
    }
    IN_SCOPE {
        IS(whole, "[[0., 1., 2.],\n [3., 4., 5.]] f32[2,3]");
        IS(view, "[[0., 3.],\n [1., 4.],\n [2., 5.]] f32[3,2]");
        IS(stored_view, "[3., 4., 5.] f32[3]");
        IS(v, "[[-1., -2., -3.],\n [-4., -5., -6.]] f32[2,3]");
    }
    situ_release(whole);
    situ_release(view);
    situ_release(stored_view);
    situ_release(v);
}

/* The view was recorded while the first value was pending outside, the update after it was stored: two nodes stand for
 * that value. */
TEST(views_of_a_value_from_an_outer_scope_keep_it)
{
    enum { N = 4096 };
    static float a[N], h[N];
    for (int i = 0; i < N; i++) a[i] = (float)i;
    for (int kept = 0; kept < 2; kept++) {
        situ_tensor *v = situ_variable(situ_from_host(a, SHAPE(N))), *f = NULL;
        IN_SCOPE {
            f = situ_flip(v);
            CHECK_EQ(situ_read(f, h, sizeof h), 0);
            CHECK_EQ(situ_assign(v, kept ? situ_add(v, N) : situ_add(v, f)), 0);
            if (kept) f = situ_keep(f);
            else CHECK_EQ(situ_read(f, h, sizeof h), 0);
        }
        if (kept) CHECK_EQ(situ_read(f, h, sizeof h), 0);
        for (int i = 0; i < N; i++)
            if (!CHECK_EQ(h[i], N - 1 - i)) break;
        CHECK_EQ(situ_read(v, h, sizeof h), 0);
        for (int i = 0; i < N; i++)
            if (!CHECK_EQ(h[i], kept ? N + i : N - 1)) break;
        if (kept) situ_release(f);
        situ_release(v);
    }
}

/* Assigning starts first values; what those read is stored then, and may be another variable's next value. */
TEST_IN_SCOPE(first_values_that_read_what_is_assigned)
{
    situ_tensor *x = F32(1, 2), *q = situ_mul(x, 10), *r = situ_negative(q);
    situ_tensor *v = situ_variable(situ_add(q, 1));
    CHECK_EQ(situ_assign(v, q), 0);
    IS(v, "[10., 20.] f32[2]");
    IS(r, "[-10., -20.] f32[2]");
    situ_tensor *p = situ_variable(F32(1, 2));
    CHECK_EQ(situ_eval(TENSORS(p)), 0);
    CHECK_EQ(situ_assign(p, situ_add(p, 1)), 0);
    situ_tensor *mean = situ_variable(p);
    CHECK_EQ(situ_assign(mean, situ_add(situ_mul(mean, 0.5), situ_mul(p, 0.25))), 0);
    CHECK_EQ(situ_assign(p, situ_mul(p, 2)), 0);
    IS(mean, "[1.5, 2.25] f32[2]");
    IS(p, "[4., 6.] f32[2]");
    situ_release(v);
    situ_release(p);
    situ_release(mean);
}

TEST_IN_SCOPE(a_pending_reader_of_the_old_value_still_gets_it)
{
    situ_tensor *v = counter(1);
    CHECK_EQ(situ_eval(TENSORS(v)), 0);
    situ_tensor *y = situ_mul(v, 10), *far = situ_flip(situ_add(v, 0.5));
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
        CHECK_EQ(situ_eval(TENSORS(v)), 0);
    }
    IS(y, "[10.] f32[1]");
    IS(far, "[1.5] f32[1]");
    IS(v, "[4.] f32[1]");
    situ_release(v);
}

TEST_IN_SCOPE(reading_what_needs_an_overwritten_value_names_both_lines_and_the_mend)
{
    situ_tensor *w = situ_variable(F32(1, 2), .name = "weight", .trainable = false);
    CHECK_EQ(situ_eval(TENSORS(w)), 0);
    situ_no_grad(true);
    situ_tensor *hidden = situ_exp(w), *sum = situ_sum(hidden);
    situ_no_grad(false);
    CHECK(situ_item(sum) > 0);
    CHECK_STR(situ_state(hidden), "dropped");
    int assigned = __LINE__ + 1;
    CHECK_EQ(situ_assign(w, situ_mul(w, 2)), 0);
    CHECK_EQ(situ_eval(TENSORS(w)), 0);
    float out[2];
    CHECK_EQ(situ_read(hidden, out, sizeof out), -SITU_OVERWRITTEN);
    char line[32];
    snprintf(line, sizeof line, "test_variable.c:%d", assigned);
    CHECK(strstr(situ_error_message(), line)); /* where it was overwritten */
    snprintf(line, sizeof line, "test_variable.c:%d", assigned - 8);
    CHECK(strstr(situ_error_message(), line)); /* where the variable was made */
    CHECK(strstr(situ_error_message(), "weight"));
    CHECK(strstr(situ_error_message(), "situ_keep(t)"));
    CHECK_CODE(SITU_OVERWRITTEN);
    IS(w, "[2., 4.] f32[2]");
    situ_release(w);
}

/* ---- in place or not ------------------------------------------------------------------------------------------- */

static void steps_in_place(situ_device d)
{
    situ_tensor *v = NULL, *m = NULL;
    enum { N = 10000 };
    IN_SCOPE {
        v = situ_variable(situ_zeros(SHAPE(N), .device = d));
        m = situ_variable(situ_zeros(SHAPE(N), .device = d));
    }
    int64_t flat = 0, peak = 0, made = 0;
    for (int i = 0; i < 1000; i++) {
        IN_SCOPE {
            situ_tensor *next = situ_add(situ_mul(m, 0.9), 1);
            CHECK_EQ(situ_assign(m, next), 0);
            CHECK_EQ(situ_assign(v, situ_sub(v, situ_mul(m, 0.001 * i))), 0); /* the rate is an argument */
        }
        if (i == 10) {
            situ_wait(NULL);
            flat = memory_in_use(d);
            situ_memory_reset_peak(d);
            made = situ_plans().made;
        }
    }
    CHECK_EQ(situ_wait(NULL), 0);
    situ_memory now;
    CHECK_EQ(situ_memory_of(d, &now), 0);
    peak = now.peak;
    CHECK_EQ(now.in_use, flat);
    CHECK(peak <= flat + 256); /* not even for a moment */
    CHECK(situ_plans().made - made <= 1);
    IN_SCOPE CHECK_NEAR(situ_item(situ_select(m, 0, 7)), 10, 1e-3);
    situ_release(v);
    situ_release(m);
    CHECK_OK();
}

TEST(a_thousand_steps_go_over_the_same_memory) { steps_in_place(situ_cpu()); }
TEST(a_thousand_asynchronous_steps_go_over_the_same_memory) { steps_in_place(sim_device(0)); }

/* Going backward, a layer's gradient is computed before the next one's: what they read does not wait for the first
 * layer. */
TEST(gradients_of_layers_do_not_wait_for_each_other)
{
    enum { LAYERS = 16, ROWS = 4096, WIDTH = 64, BYTES = ROWS * WIDTH * 4 };
    situ_device d = situ_cpu();
    situ_tensor *w[LAYERS], *g[LAYERS];
    for (int i = 0; i < LAYERS; i++) IN_SCOPE w[i] = situ_variable(situ_zeros(SHAPE(WIDTH, WIDTH), .device = d), .trainable = true);
    CHECK_EQ(situ_wait(NULL), 0);
    int64_t start = memory_in_use(d);
    CHECK_EQ(situ_memory_reset_peak(d), 0);
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(ROWS, WIDTH), .device = d);
        for (int i = 0; i < LAYERS; i++) x = situ_tanh(situ_matmul(x, w[i]));
        CHECK_EQ(situ_grad(situ_sum(x), TENSORS_OF(w, LAYERS), g), 0);
        for (int i = 0; i < LAYERS; i++) CHECK_EQ(situ_assign(w[i], situ_sub(w[i], g[i])), 0);
    }
    CHECK_EQ(situ_wait(NULL), 0);
    situ_memory now;
    CHECK_EQ(situ_memory_of(d, &now), 0);
    CHECK(now.peak - start < (LAYERS + 5) * (int64_t)BYTES); /* the values of all layers, gradients of few */
    for (int i = 0; i < LAYERS; i++) situ_release(w[i]);
}

/* What needs nothing but variables is computed with the gradient, not before it: it would lie in memory meanwhile. */
TEST(an_update_is_one_step_behind_its_gradient)
{
    const situ_device gpu = sim_device(0);
    IN_SCOPE {
        static const float start[4] = {1, 2, 3, 4};
        situ_tensor *p = situ_variable(situ_from_host(start, SHAPE(2, 2), .device = gpu)), *m = situ_variable(situ_zeros_like(p));
        situ_eval(TENSORS(p, m));
        situ_wait(NULL);
        const int64_t before = sim_kernels(gpu);
        situ_tensor *momentum = situ_add(situ_mul(m, 0.5), situ_mul(situ_matmul(p, p), 0.25));
        situ_assign(m, momentum);
        situ_assign(p, situ_sub(situ_mul(p, 2), situ_mul(momentum, 0.5)));
        situ_eval(TENSORS(p, m));
        situ_wait(NULL);
        CHECK_EQ(sim_kernels(gpu) - before, 2); /* the product, and all the rest */
        IS(m, "[[1.75, 2.5],\n [3.75, 5.5]] f32[2,2]");
        IS(p, "[[1.125, 2.75],\n [4.125, 5.25]] f32[2,2]");
        situ_release(p), situ_release(m);
    }
}

TEST(a_kept_old_value_takes_its_own_memory_for_as_long_as_it_is_kept)
{
    situ_tensor *v = NULL, *old = NULL;
    enum { N = 1 << 16 };
    int64_t start = memory_in_use(situ_cpu());
    IN_SCOPE v = situ_variable(situ_ones(SHAPE(N)));
    situ_wait(NULL);
    IN_SCOPE old = situ_keep(v);
    CHECK_EQ(memory_in_use(situ_cpu()) - start, 4 * N);
    for (int i = 0; i < 3; i++) IN_SCOPE CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
    situ_wait(NULL);
    CHECK_EQ(memory_in_use(situ_cpu()) - start, 8 * N);
    IN_SCOPE {
        CHECK_NEAR(situ_item(situ_select(old, 0, 5)), 1, 0);
        CHECK_NEAR(situ_item(situ_select(v, 0, 5)), 4, 0);
    }
    situ_release(old);
    CHECK_EQ(memory_in_use(situ_cpu()) - start, 4 * N);
    situ_release(v);
    CHECK_EQ(memory_in_use(situ_cpu()) - start, 0);
}

TEST(borrowed_memory_is_never_written)
{
    static float mine[4] = {1, 2, 3, 4};
    IN_SCOPE {
        situ_tensor *v = situ_variable(situ_from_host(mine, SHAPE(4), .borrow = true));
        for (int i = 0; i < 3; i++) {
            CHECK_EQ(situ_assign(v, situ_mul(v, 2)), 0);
            CHECK_EQ(situ_eval(TENSORS(v)), 0);
        }
        IS(v, "[8., 16., 24., 32.] f32[4]");
        situ_release(v);
    }
    CHECK(mine[0] == 1 && mine[3] == 4);
}

/* ---- lives ----------------------------------------------------------------------------------------------------- */

TEST(a_variable_may_go_before_what_was_made_from_it)
{
    int64_t buffers = settled_buffers();
    situ_tensor *kept = NULL;
    IN_SCOPE {
        situ_tensor *v = counter(3), *y = situ_mul(v, 2);
        situ_release(v);
        IS(y, "[6.] f32[1]");
        v = counter(4);
        CHECK_EQ(situ_eval(TENSORS(v)), 0);
        situ_release(v); /* the node that stands for its value lives on in this scope */
        v = counter(5);
        CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
        situ_release(v); /* with its assignment */
        v = counter(6);
        kept = situ_keep(situ_mul(v, 2));
        situ_release(v);
    }
    IN_SCOPE IS(kept, "[12.] f32[1]");
    situ_release(kept);
    CHECK_EQ(situ_test_live_buffers(), buffers);
}

/* Processor seconds of the second step of n variables: the first one plans. */
static double step_of(int n)
{
    situ_tensor **v = calloc((size_t)n, sizeof *v), **gradient = calloc((size_t)n, sizeof *gradient);
    double seconds = 0;
    for (int i = 0; i < n; i++) IN_SCOPE v[i] = situ_variable(situ_full(SHAPE(2), 1.0 + i % 7));
    for (int step = 0; step < 2; step++) {
        clock_t begun = clock();
        IN_SCOPE {
            situ_tensor *loss = situ_sum(situ_square(v[0]));
            for (int i = 1; i < n; i++) loss = situ_add(loss, situ_sum(situ_square(v[i])));
            CHECK_EQ(situ_grad(loss, TENSORS_OF(v, n), gradient), 0);
            for (int i = 0; i < n; i++) CHECK_EQ(situ_assign(v[i], situ_sub(v[i], situ_mul(gradient[i], 0.1))), 0);
        }
        seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    }
    IN_SCOPE CHECK_NEAR(situ_item(situ_select(v[n - 1], 0, 0)), (1 + (n - 1) % 7) * 0.8 * 0.8, 1e-5);
    for (int i = 0; i < n; i++) situ_release(v[i]);
    free(v);
    free(gradient);
    return seconds;
}

TEST(a_step_of_many_variables_takes_as_long_for_each)
{
    double few = step_of(1000), many = step_of(10000); /* 100 times as long, if each were looked for among all */
    CHECK(many < 0.02 || many < 50 * few);
}

/* Also where its value was still pending when it went, as in a function that makes variables of its own. */
TEST(a_gradient_passes_variables_that_were_released)
{
    for (int how = 0; how < 8; how++) IN_SCOPE {
            situ_tensor *first = F32(1, 2), *x = F32(3, 4), *gradient[2];
            situ_tensor *v = situ_variable(how & 1 ? situ_mul(first, 1) : first);
            if (how & 2) CHECK_EQ(situ_assign(v, situ_add(situ_mul(v, 2), x)), 0);
            situ_tensor *y = situ_sum(situ_mul(situ_mul(x, x), v));
            if (how & 4) CHECK_EQ(situ_eval(TENSORS(y)), 0);
            situ_release(v);
            CHECK_EQ(situ_grad(y, TENSORS(x), gradient), 0);
            IS(gradient[0], how & 2 ? "[30., 64.] f32[2]" : "[6., 16.] f32[2]");
            CHECK_EQ(situ_grad(situ_sum(situ_square(gradient[0])), TENSORS(x), gradient + 1), 0);
            IS(gradient[1], how & 2 ? "[600., 2048.] f32[2]" : "[24., 128.] f32[2]");
        }
    IN_SCOPE { /* what y was computed from is gone, released or not */
        situ_tensor *x = F32(3, 4), *v = situ_variable(situ_mul(F32(1, 2), 1)), *y = situ_sum(situ_mul(x, v)), *gradient;
        CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
        situ_release(v);
        CHECK_FAILS(SITU_OVERWRITTEN, situ_grad(y, TENSORS(x), &gradient));
    }
}

TEST(variables_live_without_any_scope)
{
    situ_tensor *v = counter(1);
    for (int i = 0; i < 10; i++) CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
    IS(v, "[11.] f32[1]");
    CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
    situ_release(v);
}

/* What an error interrupted is not half done: a scope that closes while one sticks changes no variable. */
TEST(closing_a_scope_with_an_error_changes_no_variable)
{
    situ_tensor *a = NULL, *b = NULL;
    IN_SCOPE a = counter(1), b = counter(2);
    IN_SCOPE {
        CHECK_EQ(situ_assign(a, situ_add(a, 1)), 0);
        situ_tensor *wrong = situ_add(F32(1, 2), F32(1, 2, 3));
        CHECK_EQ(situ_assign(b, wrong), -SITU_BAD_SHAPE);
    }
    CHECK_CODE(SITU_BAD_SHAPE);
    IN_SCOPE {
        IS(a, "[1.] f32[1]");
        IS(b, "[2.] f32[1]");
        CHECK_EQ(situ_assign(a, situ_add(a, 1)), 0);
        IS(a, "[2.] f32[1]");
    }
    situ_release(a);
    situ_release(b);
}

TEST(a_long_scope_with_assignments_on_the_way)
{
    enum { MANY = 150000 };
    IN_SCOPE {
        situ_tensor *x = situ_zeros(SHAPE()), *v = situ_variable(x), *w = situ_variable(x);
        for (int i = 0; i < MANY; i++) {
            x = situ_add(x, 1);
            if (i % 1000 == 0) situ_assign(v, situ_add(v, x));
            if (i % 1000 == 500) situ_assign(w, situ_add(w, v));
        }
        double sum_v = 0, sum_w = 0;
        for (int i = 0; i < MANY; i++) {
            if (i % 1000 == 0) sum_v += i + 1;
            if (i % 1000 == 500) sum_w += sum_v;
        }
        CHECK_NEAR(situ_item(w) / sum_w, 1, 1e-5);
        CHECK_NEAR(situ_item(v) / sum_v, 1, 1e-5);
        CHECK_NEAR(situ_item(x), MANY, 0);
        situ_release(v);
        situ_release(w);
    }
}

/* ---- parts ------------------------------------------------------------------------------------------------------------ */

/* The most memory beside what is there that writing a row takes, in a loop. */
static void writes_rows_in_place(situ_device d)
{
    enum { ROWS = 512, COLUMNS = 64 };
    static float row[COLUMNS];
    situ_tensor *v = NULL, *view = NULL;
    situ_memory m;
    IN_SCOPE v = situ_variable(situ_zeros(SHAPE(ROWS, COLUMNS), .device = d), .trainable = false);
    IN_SCOPE CHECK_EQ(situ_wait(v), 0);
    for (int i = 0; i < 6; i++) {
        if (i == 4) { /* who has the old values keeps them */
            IN_SCOPE CHECK_EQ(situ_wait(v), 0);
            IN_SCOPE view = situ_keep(situ_slice(v, .start = SHAPE(0, 0), .stop = SHAPE(6, 1)));
        }
        CHECK_EQ(situ_wait(NULL), 0);
        CHECK_EQ(situ_memory_reset_peak(d), 0);
        int64_t before = memory_in_use(d);
        IN_SCOPE {
            for (int k = 0; k < COLUMNS; k++) row[k] = (float)(i + 1);
            CHECK_EQ(situ_assign_slice(v, situ_from_host(row, SHAPE(1, COLUMNS), .device = d), SHAPE(i, 0)), 0);
        }
        IN_SCOPE CHECK_EQ(situ_wait(v), 0);
        CHECK_EQ(situ_memory_of(d, &m), 0);
        if (i != 4) CHECK(m.peak - before < 4 * ROWS * COLUMNS);
    }
    IN_SCOPE {
        IS(situ_reshape(situ_slice(v, .start = SHAPE(0, 63), .stop = SHAPE(7, 64)), SHAPE(7)), "[1., 2., 3., 4., 5., 6., 0.] f32[7]");
        IS(situ_reshape(view, SHAPE(6)), "[1., 2., 3., 4., 0., 0.] f32[6]");
        /* of its own elements, moved by one, and of another variable that is overwritten in the same plan */
        CHECK_EQ(situ_assign_slice(v, situ_slice(v, .start = SHAPE(0, 0), .stop = SHAPE(4, 1)), SHAPE(1, 0)), 0);
        IS(situ_reshape(situ_slice(v, .start = SHAPE(0, 0), .stop = SHAPE(6, 1)), SHAPE(6)), "[1., 1., 2., 3., 4., 6.] f32[6]");
    }
    situ_tensor *w = NULL;
    IN_SCOPE w = situ_variable(situ_full(SHAPE(2, COLUMNS), 7.0, .device = d), .trainable = false);
    IN_SCOPE {
        situ_tensor *old = situ_add(w, 0);
        CHECK_EQ(situ_assign(w, situ_mul(old, 3)), 0);
        CHECK_EQ(situ_assign_slice(v, old, SHAPE(6, 0)), 0);
    }
    IN_SCOPE { /* a wrong start changes nothing */
        CHECK_FAILS(SITU_BAD_SHAPE, situ_assign_slice(v, w, SHAPE(ROWS - 1, 0)));
    }
    IN_SCOPE {
        IS(situ_reshape(situ_slice(v, .start = SHAPE(4, 0), .stop = SHAPE(9, 1)), SHAPE(5)), "[4., 6., 7., 7., 0.] f32[5]");
        IS(situ_reshape(situ_slice(w, .stop = SHAPE(2, 1)), SHAPE(2)), "[21., 21.] f32[2]");
    }
    situ_release(view);
    situ_release(v);
    situ_release(w);
    CHECK_OK();
}

TEST(a_part_of_a_variable_is_written_in_place) { writes_rows_in_place(situ_cpu()); }

TEST(a_part_of_a_variable_is_written_in_place_on_a_gpu) { writes_rows_in_place(sim_device(0)); }

/* ---- several assignments that read each other: each reads what was there before all of them ----------------------------------- */

enum { EXCHANGED = 3, FORMS = 8 };

/* The value of the i-th variable by this form, of three variables. */
static situ_tensor *exchanged(int form, situ_tensor *const *v, int i)
{
    situ_tensor *next = v[(i + 1) % EXCHANGED];
    switch (form) {
    case 0: return next;
    case 1: return situ_reshape(next, situ_shape_of(next)); /* nothing to do */
    case 2: return situ_flip(situ_flip(next));
    case 3: return situ_slice(situ_concat(TENSORS(next, next)), .start = SHAPE(0), .stop = SHAPE(4));
    case 4: return situ_add(situ_mul(next, 1), 0);
    case 5: return i ? next : situ_add(next, 0);
    case 6: return situ_update_slice(next, situ_slice(next, .start = SHAPE(1), .stop = SHAPE(3)), SHAPE(1));
    default: return situ_keep(next);
    }
}

static void exchange(int form, int how, situ_device device)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *v[EXCHANGED], *value[EXCHANGED];
    for (int i = 0; i < EXCHANGED; i++) {
        v[i] = situ_variable(situ_add(situ_arange(0, 4, 1, .dtype = SITU_F32, .device = device), 10 * i));
        if (how & 1) situ_eval(TENSORS(v[i]));
    }
    for (int round = 1; round <= 4; round++) {
        for (int i = 0; i < EXCHANGED; i++) value[i] = exchanged(form, v, i);
        CHECK_EQ(situ_assign_all(TENSORS_OF(v, EXCHANGED), TENSORS_OF(value, EXCHANGED)), 0);
        if (form == 7)
            for (int i = 0; i < EXCHANGED; i++) situ_release(value[i]);
        if (how & 2) situ_eval(TENSORS_OF(v, EXCHANGED));
    }
    for (int i = 0; i < EXCHANGED; i++) {
        float got[4];
        situ_read(v[i], got, sizeof got);
        for (int k = 0; k < 4; k++) CHECK_NEAR(got[k], k + 10 * ((i + 4) % EXCHANGED), 0);
        situ_release(v[i]);
    }
    situ_scope_close(scope);
}

TEST(assignments_at_once_read_what_was_there_before)
{
    situ_device devices[] = {situ_cpu(), sim_device(0)};
    for (int d = 0; d < 2; d++)
        for (int form = 0; form < FORMS; form++)
            for (int how = 0; how < 4; how++) exchange(form, how, devices[d]);
}

TEST_IN_SCOPE(one_value_for_several_variables_at_once)
{
    situ_tensor *a = situ_variable(situ_ones(SHAPE(3))), *b = situ_variable(situ_zeros(SHAPE(3))), *y = situ_add(a, b);
    CHECK_EQ(situ_assign_all(TENSORS(a, b), TENSORS(y, y)), 0);
    CHECK_EQ(situ_assign_all(TENSORS(a, b), TENSORS(b, situ_full(SHAPE(3), 7.0))), 0);
    CHECK_NEAR(situ_item(situ_sum(a)), 3, 0);
    CHECK_NEAR(situ_item(situ_sum(b)), 21, 0);
    /* one that does not fit: none changes, in whatever order */
    CHECK_FAILS(SITU_BAD_SHAPE, situ_assign_all(TENSORS(a, b), TENSORS(b, situ_ones(SHAPE(4)))));
    CHECK_NEAR(situ_item(situ_sum(a)), 3, 0);
    situ_release(a);
    situ_release(b);
}
