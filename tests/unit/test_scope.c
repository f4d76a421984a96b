/* How long values live: pending, stored, dropped; scopes; kept handles. */
#include <situ.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "device/device.h"
#include "support/settled.h"
#include "support/sim_devices.h"
#include "values.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MANY = 100000 };
#else
enum { MANY = 1000000 };
#endif

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- states ---------------------------------------------------------------------------------------------------- */

TEST_IN_SCOPE(a_value_is_pending_until_somebody_reads_it)
{
    situ_tensor *x = F32(1, 2, 3), *y = situ_add(x, 1), *z = situ_mul(y, 2);
    CHECK_STR(situ_state(x), "stored");
    CHECK_STR(situ_state(y), "pending");
    CHECK_STR(situ_state(z), "pending");
    IS(z, "[4., 6., 8.] f32[3]");
    CHECK_STR(situ_state(z), "stored");
    CHECK_STR(situ_state(y), "dropped"); /* computed inside, and nobody needed to store it */
}

TEST_IN_SCOPE(a_dropped_value_is_computed_again_and_the_ledger_says_so)
{
    situ_tensor *x = F32(1, 2, 3), *y = situ_exp(x), *z = situ_sum(y);
    double sum = situ_item(z);
    int64_t before = situ_ledger_sum().recompute_count;
    float again[3];
    CHECK_STR(situ_state(y), "dropped");
    CHECK_EQ(situ_read(y, again, sizeof again), 0);
    CHECK_STR(situ_state(y), "stored");
    CHECK_EQ(situ_ledger_sum().recompute_count, before + 1);
    CHECK_NEAR((double)again[0] + (double)again[1] + (double)again[2], sum, 1e-5);
}

TEST_IN_SCOPE(what_a_pending_operation_still_reads_is_stored)
{
    situ_tensor *x = F32(1, 2, 3), *y = situ_add(x, 1), *a = situ_mul(y, 2), *b = situ_mul(y, 3);
    IS(a, "[4., 6., 8.] f32[3]");
    CHECK_STR(situ_state(y), "stored"); /* b will read it */
    int64_t before = situ_ledger_sum().recompute_count;
    IS(b, "[6., 9., 12.] f32[3]");
    CHECK_EQ(situ_ledger_sum().recompute_count, before);
}

TEST(eval_stores_many_at_once)
{
    int64_t buffers = settled_buffers();
    IN_SCOPE {
        situ_tensor *x = F32(1, 2), *y = situ_add(x, 1), *z = situ_add(y, 1), *w = situ_negative(z);
        CHECK_EQ(situ_eval(TENSORS(y, z, w, x)), 0);
        STORED(y);
        STORED(z);
        STORED(w);
        IS(w, "[-3., -4.] f32[2]");
    }
    CHECK_EQ(situ_test_live_buffers(), buffers); /* what was stored before got no second owner */
}

TEST_IN_SCOPE(numbers_can_be_read_and_evaluated)
{
    CHECK_NEAR(situ_item(situ_scalar_float(2.5)), 2.5, 0);
    CHECK_EQ(situ_item_int(situ_scalar_int(-7)), -7);
    CHECK_EQ(situ_eval(TENSORS(situ_scalar_int(3))), 0);
    CHECK_EQ(situ_wait(situ_scalar_float(3)), 0);
    char *text = situ_text(situ_scalar_int(3));
    CHECK_STR(text, "3 i64[] @cpu(0)");
    free(text);
}

/* ---- scopes ---------------------------------------------------------------------------------------------------- */

TEST(scopes_nest_and_an_outer_one_closes_its_inner_ones)
{
    situ_scope *outer = situ_scope_open();
    situ_tensor *x = F32(1, 2);
    situ_scope *middle = situ_scope_open(), *inner = situ_scope_open();
    situ_tensor *y = situ_add(x, 1);
    IS(y, "[2., 3.] f32[2]");
    situ_scope_close(middle); /* and inner */
    IS(x, "[1., 2.] f32[2]");
    situ_scope_close(inner);
    CHECK(strstr(situ_error_message(), "close a scope once"));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_scope_close(outer);
    situ_scope_close(outer);
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_scope_close(NULL);
    situ_scope_close((situ_scope *)&outer); /* never one */
    CHECK_CODE(SITU_BAD_ARGUMENT);
}

TEST(without_a_scope_temporaries_belong_to_the_thread)
{
    situ_tensor *x = F32(1, 2), *y = situ_add(x, 1);
    IN_SCOPE IS(situ_add(y, 1), "[3., 4.] f32[2]");
    IS(y, "[2., 3.] f32[2]");
}

TEST(a_closed_scope_leaves_nothing_behind)
{
    int64_t buffers = settled_buffers();
    for (int i = 0; i < 4; i++) {
        int64_t blocks = situ_test_live_blocks();
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_ones(SHAPE(100, 100)), *y = situ_sum(situ_matmul(x, situ_transpose(x)));
        CHECK_NEAR(situ_item(y), 1e6, 0);
        CHECK(!i || situ_test_live_buffers() > buffers);
        situ_scope_close(scope);
        if (!i) CHECK(situ_test_live_buffers() <= buffers), buffers = situ_test_live_buffers(); /* others' may have gone meanwhile */
        CHECK_EQ(situ_test_live_buffers(), buffers);
        if (i == 3) CHECK(situ_test_live_blocks() <= blocks); /* plans and chunks are kept from the first turn */
    }
}

/* An operand from an outer scope loses its readers when the inner scope closes, whether they ran or not. */
TEST(readers_in_a_closed_scope_count_no_more)
{
    situ_scope *outer = situ_scope_open();
    situ_tensor *x = F32(1, 2), *y = situ_add(x, 1), *z = situ_add(y, 1);
    for (int i = 0; i < 3; i++) {
        situ_scope *inner = situ_scope_open();
        situ_tensor *unread = situ_mul(y, 2);
        (void)unread;
        situ_scope_close(inner);
    }
    IS(z, "[3., 4.] f32[2]");
    CHECK_STR(situ_state(y), "dropped");
    situ_scope_close(outer);
}

/* ---- kept handles ---------------------------------------------------------------------------------------------- */

TEST(keep_outlives_the_scope)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = F32(1, 2, 3), *early = situ_keep(situ_add(x, 1)); /* pending */
    situ_tensor *stored = situ_mul(x, 2);
    CHECK_EQ(situ_eval(TENSORS(stored)), 0);
    situ_tensor *late = situ_keep(stored);
    situ_tensor *view = situ_keep(situ_flip(x)), *part = situ_keep(situ_slice(stored, .start = SHAPE(1)));
    situ_tensor *again = situ_keep(early);
    CHECK_STR(situ_state(early), "pending");
    situ_scope_close(scope);
    STORED(early);
    IN_SCOPE {
        IS(early, "[2., 3., 4.] f32[3]");
        IS(late, "[2., 4., 6.] f32[3]");
        IS(view, "[3., 2., 1.] f32[3]");
        IS(part, "[4., 6.] f32[2]");
        IS(situ_add(again, early), "[4., 6., 8.] f32[3]");
        IS(situ_sum(view), "6. f32[]");
        situ_tensor *third = situ_keep(view);
        situ_release(view);
        IS(third, "[3., 2., 1.] f32[3]");
        situ_release(third);
    }
    situ_release(early);
    IN_SCOPE IS(again, "[2., 3., 4.] f32[3]");
    situ_release(again);
    situ_release(late);
    situ_release(part);
    situ_release(NULL);
}

TEST_IN_SCOPE(the_old_handle_is_an_alias_until_its_scope_closes)
{
    situ_tensor *x = F32(1, 2), *y = situ_add(x, 1), *k = situ_keep(y);
    IS(y, "[2., 3.] f32[2]");
    CHECK_STR(situ_state(k), "stored");
    IS(situ_add(k, y), "[4., 6.] f32[2]");
    situ_release(k);
    IS(y, "[2., 3.] f32[2]");
}

TEST(a_handle_released_before_its_scope_closes_is_not_computed)
{
    int64_t kernels = sim_kernels(sim_device(0));
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(4), .device = sim_device(0)), *y = situ_exp(x);
        situ_release(situ_keep(y));
    }
    situ_wait(NULL);
    CHECK_EQ(sim_kernels(sim_device(0)), kernels);
}

TEST(a_released_handle_lives_as_long_as_a_pending_reader)
{
    situ_tensor *k = NULL, *y;
    IN_SCOPE k = situ_keep(situ_add(F32(1, 2), 1));
    situ_scope *scope = situ_scope_open();
    y = situ_mul(k, 10);
    situ_release(k);
    IS(y, "[20., 30.] f32[2]");
    situ_scope_close(scope);

    scope = situ_scope_open();
    situ_tensor *x = situ_add(F32(1, 2), 1);
    k = situ_keep(x);
    y = situ_mul(k, 10);
    situ_release(k);
    IS(y, "[20., 30.] f32[2]");
    IS(x, "[2., 3.] f32[2]");
    situ_scope_close(scope);
}

TEST(closing_a_scope_computes_what_is_kept_and_nothing_else)
{
    situ_device gpu = sim_device(0);
    situ_tensor *k = NULL;
    CHECK_EQ(situ_wait(NULL), 0);
    int64_t waits = situ_ledger_sum().wait_count, kernels = sim_kernels(gpu);
    IN_SCOPE {
        situ_tensor *x = situ_full(SHAPE(3), 2, .device = gpu, .dtype = SITU_F32);
        situ_exp(x);
        k = situ_keep(situ_square(x));
    }
    CHECK_EQ(situ_ledger_sum().wait_count, waits);
    IS(k, "[4., 4., 4.] f32[3]");
    CHECK_EQ(sim_kernels(gpu) - kernels, 1);
    situ_release(k);
}

TEST(keep_works_while_an_error_sticks)
{
    situ_tensor *good = NULL, *bad = NULL, *none = NULL;
    IN_SCOPE {
        situ_tensor *x = F32(1, 2), *y = situ_add(x, 1);
        situ_add(x, F32(1, 2, 3)); /* shapes do not fit */
        CHECK_EQ(situ_failed(), SITU_BAD_SHAPE);
        good = situ_keep(y);
        bad = situ_keep(situ_add(y, 1)); /* building calls give the poisoned tensor */
        none = situ_keep(NULL);
    }
    CHECK_CODE(SITU_BAD_SHAPE);
    IS(good, "[2., 3.] f32[2]");
    CHECK_STR(situ_state(bad), "poisoned");
    CHECK_STR(situ_state(none), "poisoned");
    situ_release(good);
    situ_release(bad);
    situ_release(none);
}

/* ---- much of it ------------------------------------------------------------------------------------------------ */

TEST(a_running_loss_over_many_scopes_takes_flat_memory_and_time)
{
    situ_tensor *total = NULL;
    IN_SCOPE total = situ_keep(situ_zeros(SHAPE()));
    int64_t blocks = 0, bytes = 0;
    double start = seconds(), tenth = 0;
    for (int i = 0; i < MANY; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *next = situ_keep(situ_add(total, 1));
        situ_scope_close(scope);
        situ_release(total);
        total = next;
        if (i == MANY / 10) {
            blocks = situ_test_live_blocks();
            bytes = memory_in_use(situ_cpu());
            tenth = seconds() - start;
        }
    }
    double rest = (seconds() - start - tenth) / 9;
    CHECK_NEAR(situ_item(total), MANY, 0);
    CHECK(situ_test_live_blocks() <= blocks + 8);
    CHECK(memory_in_use(situ_cpu()) <= bytes + 4096);
    CHECK(rest < 3 * tenth);
    situ_release(total);
}

TEST_IN_SCOPE(a_chain_of_a_million_operations_in_one_scope)
{
    situ_tensor *x = situ_zeros(SHAPE());
    for (int i = 0; i < MANY; i++) x = situ_add(x, 1);
    CHECK_NEAR(situ_item(x), MANY, 0);
}

TEST_IN_SCOPE(a_wide_sum_of_many_values_in_one_scope)
{
    situ_tensor *x = situ_ones(SHAPE(2)), *sum = situ_zeros(SHAPE(2));
    for (int i = 0; i < MANY / 10; i++) sum = situ_add(sum, situ_mul(x, i % 2));
    CHECK_NEAR(situ_item(situ_sum(sum)), MANY / 10, 0);
}

/* Results in a long scope that nobody has read are available when somebody does. */
TEST(a_long_scope_keeps_what_it_may_be_asked_for)
{
    enum { COUNT = MANY < 1000000 ? 70000 : 200000 };
    situ_tensor **all = malloc(COUNT * sizeof *all);
    IN_SCOPE {
        situ_tensor *x = F32(1, 2);
        for (int i = 0; i < COUNT; i++) all[i] = situ_add(x, i % 1000);
        for (int i = 0; i < COUNT; i += 4999) {
            float value[2];
            CHECK_EQ(situ_read(all[i], value, sizeof value), 0);
            CHECK(value[0] == (float)(1 + i % 1000) && value[1] == (float)(2 + i % 1000));
        }
    }
    free(all);
}

/* ---- printing -------------------------------------------------------------------------------------------------- */

TEST_IN_SCOPE(printing_is_safe_for_any_size)
{
    char *text = situ_text(situ_zeros(SHAPE(1000000000, 0)));
    CHECK_STR(text, "[] f32[1000000000,0] @cpu(0)");
    free(text);
    text = situ_text(situ_arange(0, 1000000, 1));
    CHECK_STR(text, "[0, 1, 2, ..., 999997, 999998, 999999] i64[1000000] @cpu(0)");
    free(text);
    text = situ_text(situ_zeros(SHAPE()));
    CHECK_STR(text, "0. f32[] @cpu(0)");
    free(text);
    text = situ_text(situ_broadcast_to(F32(1), SHAPE(1000, 1000, 1000)));
    CHECK(text && strlen(text) < 3000 && strstr(text, "..."));
    free(text);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_text(NULL));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_fprint(NULL, F32(1)));
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setbuf(full, NULL);
        CHECK_FAILS(SITU_IO, situ_fprint(full, F32(1)));
        fclose(full);
    }
}
