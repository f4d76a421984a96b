/* Errors: the first one stays until it is taken; a failed plan reports its error to everybody who needs its results,
 * and to nobody else. */
#include <situ.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"
#include "support/child.h"
#include "support/sim_devices.h"
#include "values.h"

/* Takes the error; whether its message contains the text. */
static bool said(int code, const char *text)
{
    bool found = strstr(situ_error_message(), text) != NULL;
    if (!found) printf("  \"%s\" is not in: %s\n", text, situ_error_message());
    return CHECK_CODE(code) && found;
}

/* ---- sticking -------------------------------------------------------------------------------------------------- */

TEST_IN_SCOPE(the_first_error_sticks_until_it_is_taken)
{
    situ_tensor *x = F32(1, 2), *bad = situ_add(x, F32(1, 2, 3)), *later = situ_add(bad, situ_exp(NULL));
    float out[2];
    CHECK_EQ(situ_failed(), SITU_BAD_SHAPE);
    CHECK(strstr(situ_error_message(), "test_errors.c:"));
    CHECK_STR(situ_state(bad), "poisoned");
    CHECK_STR(situ_state(later), "poisoned");
    CHECK_STR(situ_state(situ_add(x, 1)), "poisoned"); /* nothing is built meanwhile */
    CHECK_EQ(situ_read(x, out, sizeof out), -SITU_BAD_SHAPE);
    CHECK_EQ(situ_eval(TENSORS(x)), -SITU_BAD_SHAPE);
    CHECK_EQ(situ_wait(x), -SITU_BAD_SHAPE);
    CHECK_EQ(situ_print(x), -SITU_BAD_SHAPE);
    CHECK(situ_item(situ_sum(x)) != 3);
    situ_error e;
    CHECK_EQ(situ_error_take(&e), SITU_BAD_SHAPE);
    CHECK(e.code == SITU_BAD_SHAPE && strstr(e.message, "[2]") && strstr(e.message, "[3]"));
    CHECK_EQ(situ_error_take(&e), 0);
    CHECK_STR(e.message, "");
    CHECK_EQ(situ_read(x, out, sizeof out), 0);
    CHECK_STR(situ_state(situ_add(bad, 1)), "poisoned"); /* everything computed from it stays poisoned */
    CHECK(said(SITU_BAD_ARGUMENT, "the result of a call that failed"));
}

/* ---- a plan that failed ----------------------------------------------------------------------------------------- */

static situ_tensor *out_of_range(void)
{
    return situ_take(F32(1, 2, 3), I64(0, 7));
}

TEST(a_plan_that_failed_spoils_what_it_should_have_stored_and_what_is_made_of_it)
{
    situ_tensor *kept = NULL;
    IN_SCOPE {
        situ_tensor *bad = out_of_range(), *sum = situ_sum(bad), *more = situ_mul(sum, 2);
        kept = situ_keep(situ_add(bad, 1));
        CHECK_EQ(situ_eval(TENSORS(sum, bad)), 0); /* the call is valid: the error occurs on the device */
        CHECK_FAILS(SITU_BAD_INDEX, situ_wait(NULL), "index 7 is out of range for an axis of size 3, at [1] of the indices");
        CHECK(situ_item(sum) != situ_item(sum));
        CHECK(said(SITU_BAD_INDEX, "take"));
        for (int i = 0; i < 2; i++) { /* again and again the same message */
            CHECK(situ_item(more) != situ_item(more));
            CHECK(said(SITU_BAD_INDEX, "test_errors.c:"));
        }
        IS(situ_add(F32(1), 1), "[2.] f32[1]");
    }
    situ_error_take(NULL);
    situ_wait(NULL);
    situ_error_take(NULL);
    float out[2];
    CHECK_FAILS(SITU_BAD_INDEX, situ_read(kept, out, sizeof out), "index 7");
    situ_release(kept);
}

static void *read_in_thread(void *t)
{
    float out[2];
    int code = situ_read(t, out, sizeof out);
    CHECK(said(SITU_BAD_INDEX, "index 7"));
    code += situ_item(situ_sum(t)) == 0;
    CHECK(said(SITU_BAD_INDEX, "index 7"));
    IN_SCOPE IS(situ_add(F32(1), 1), "[2.] f32[1]");
    CHECK_EQ(situ_wait(NULL), 0); /* reported already */
    return code == -SITU_BAD_INDEX ? t : NULL;
}

TEST(other_threads_get_the_original_message)
{
    situ_tensor *kept = NULL;
    IN_SCOPE kept = situ_keep(out_of_range());
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, read_in_thread, kept);
    pthread_join(thread, &result);
    CHECK(result == kept);
    CHECK_OK(); /* other threads' errors do not show here */
    CHECK_FAILS(SITU_BAD_INDEX, situ_wait(NULL));
    situ_release(kept);
}

TEST_IN_SCOPE(an_index_out_of_range_reads_zero_or_nan_and_changes_no_variable)
{
    situ_tensor *v = situ_variable(F32(1, 2, 3));
    CHECK_EQ(situ_eval(TENSORS(v)), 0);
    CHECK_EQ(situ_assign(v, situ_scatter(v, I64(5), F32(9))), 0);
    CHECK_EQ(situ_eval(TENSORS(v)), 0);
    CHECK_FAILS(SITU_BAD_INDEX, situ_wait(NULL), "no variable was changed");
    IS(v, "[1., 2., 3.] f32[3]");
    situ_release(v);
}

/* The first reader of the variable gets the error; afterwards it has its old value. */
TEST(a_variable_whose_update_failed_says_so_once)
{
    float out[3];
    int64_t nine = 9;
    for (int fresh = 0; fresh < 2; fresh++)
        IN_SCOPE {
            situ_tensor *v = situ_variable(situ_full(SHAPE(3), 1.0)), *old = NULL;
            CHECK_EQ(situ_read(v, out, sizeof out), 0);
            if (fresh) old = situ_keep(v);
            situ_tensor *i = situ_from_host(&nine, SHAPE(1), .dtype = SITU_I64);
            CHECK_EQ(situ_assign(v, situ_add(situ_mul(v, 2), situ_take(situ_ones(SHAPE(5)), i))), 0);
            CHECK_FAILS(SITU_BAD_INDEX, situ_read(v, out, sizeof out), "no variable was changed");
            CHECK_EQ(situ_read(v, out, sizeof out), 0);
            CHECK_EQ(out[0], 1);
            CHECK_EQ(situ_wait(NULL), 0);
            situ_release(old);
            situ_release(v);
        }
}

/* Two steps have failed unnoticed: the first message is reported, once; reused memory has no error. */
TEST(failed_updates_nobody_has_heard_of)
{
    float out[3];
    int64_t at[2] = {9, 8};
    IN_SCOPE {
        situ_tensor *v = situ_variable(situ_full(SHAPE(3), 1.0));
        CHECK_EQ(situ_read(v, out, sizeof out), 0);
        for (int i = 0; i < 2; i++) {
            situ_tensor *index = situ_from_host(&at[i], SHAPE(1), .dtype = SITU_I64);
            CHECK_EQ(situ_assign(v, situ_add(v, situ_take(situ_ones(SHAPE(5)), index))), 0);
            CHECK_EQ(situ_eval(TENSORS(v)), 0);
        }
        CHECK_FAILS(SITU_BAD_INDEX, situ_read(v, out, sizeof out), "index 9");
        CHECK_EQ(situ_read(v, out, sizeof out), 0);
        situ_tensor *index = situ_from_host(&at[1], SHAPE(1), .dtype = SITU_I64);
        CHECK_EQ(situ_assign(v, situ_add(v, situ_take(situ_ones(SHAPE(5)), index))), 0);
        CHECK_EQ(situ_eval(TENSORS(v)), 0);
        situ_release(v);
    }
    IN_SCOPE {
        for (int i = 0; i < 20; i++) CHECK_EQ(situ_read(situ_full(SHAPE(3), i + 0.5), out, sizeof out), 0);
    }
    CHECK_FAILS(SITU_BAD_INDEX, situ_wait(NULL));
}

TEST(waits_on_others_succeed_while_a_plan_has_failed)
{
    situ_device d = sim_device(0);
    IN_SCOPE {
        situ_tensor *good = situ_keep(situ_add(situ_ones(SHAPE(2), .device = d), 1)), *x = situ_to(F32(1, 2, 3), d);
        situ_tensor *bad = situ_take(x, situ_to(I64(0, 7), d));
        CHECK_EQ(situ_eval(TENSORS(good)), 0);
        CHECK_EQ(situ_eval(TENSORS(bad)), 0);
        situ_tensor *after = situ_add(good, 1);
        CHECK_EQ(situ_eval(TENSORS(after)), 0);
        CHECK_EQ(situ_wait(good), 0);
        CHECK_EQ(situ_wait(after), 0);
        IS(after, "[3., 3.] f32[2]");
        CHECK_FAILS(SITU_BAD_INDEX, situ_wait(bad), "found on gpu(");
        CHECK_EQ(situ_wait(NULL), 0); /* reported */
        situ_release(good);
    }
}

/* ---- misuse ---------------------------------------------------------------------------------------------------- */

TEST_IN_SCOPE(options_need_their_names)
{
    situ_tensor *x = situ_ones(SHAPE(2, 3));
    situ_sum_options o = {.size = sizeof o, .unnamed = 1, .axes = AXES(1)};
    CHECK_STR(situ_state((situ_sum)(x, &o, NULL)), "poisoned");
    CHECK(said(SITU_BAD_OPTION, "an option without its name"));
    o.unnamed = SITU_NAMED;
    o.size = 8; /* an older caller that knows none of them */
    CHECK_EQ(situ_ndim((situ_sum)(x, &o, NULL)), 0);
    o.size = sizeof o;
    o.dtype = SITU_DTYPE_DEFAULT;
    CHECK_EQ(situ_ndim((situ_sum)(x, &o, NULL)), 1);
    CHECK_STR(situ_state(situ_sum(x, .axes = AXES(2))), "poisoned");
    CHECK(said(SITU_BAD_ARGUMENT, "axis 2"));
    CHECK_STR(situ_state(situ_sum(x, .axes = AXES(0, 0))), "poisoned");
    CHECK(said(SITU_BAD_ARGUMENT, "twice"));
}

TEST_IN_SCOPE(messages_name_the_operand_and_the_line)
{
    situ_tensor *a = situ_name(situ_ones(SHAPE(2, 3)), "a"), *b = situ_name(situ_ones(SHAPE(2, 3), .device = sim_device(0)), "b");
    CHECK_FAILS(SITU_BAD_SHAPE, situ_matmul(a, 2), "not the number 2");
    situ_add(a, b);
    CHECK(strstr(situ_error_message(), "a = f32[2,3] @cpu(0)") && strstr(situ_error_message(), "b = f32[2,3] @gpu("));
    char up[128], device[32];
    snprintf(up, sizeof up, "write situ_to(a, %s) for a if", situ_device_name(sim_device(0), device));
    CHECK(said(SITU_BAD_DEVICE, up)); /* work goes to the device, not to the host */
    situ_stack(TENSORS(b, b, a));
    snprintf(up, sizeof up, "write situ_to(x, %s) for operand 3, x, if", device);
    CHECK(said(SITU_BAD_DEVICE, up));
    char shown[256] = "";
    FILE *file = fmemopen(shown, sizeof shown, "w");
    CHECK_EQ(situ_fprint(file, situ_add(a, b)), -SITU_BAD_DEVICE); /* where a value was asked for stands why there is none */
    fclose(file);
    CHECK(!strncmp(shown, "no value: ", 10) && strstr(shown, "add: its operands"));
    CHECK(said(SITU_BAD_DEVICE, "add: its operands"));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_matmul(a, a), "test_errors.c:");
    float out[5];
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_read(a, out, sizeof out), "has 24 bytes, but room for 20");
    CHECK(situ_item(a) != 1);
    CHECK(said(SITU_BAD_SHAPE, "6 elements, not one"));
    CHECK_FAILS(SITU_BAD_DTYPE, situ_bitwise_and(a, a), "f32");
    CHECK_FAILS(SITU_NO_DEVICE, situ_ones(SHAPE(2), .device = situ_gpu(500)), "gpu(500) does not exist");
    situ_strict(true);
    CHECK_FAILS(SITU_BAD_DEVICE, situ_ones(SHAPE(2)), ".device");
    situ_strict(false);
}

static int refuse(situ_custom_shape *c) { return c->inputs; }
static int same(situ_custom_shape *c)
{
    c->shape = c->in_shape[0];
    c->dtype = c->in_dtype[0];
    return 0;
}
static int failing(const situ_custom_run *c) { return c->out ? 3 : 0; }
static int computing(const situ_custom_run *c)
{
    (void)c;
    return situ_item(situ_add(situ_full(SHAPE(), 1.0), 1)) == 2 ? 0 : 1;
}

TEST_IN_SCOPE(operations_of_the_users_own_may_fail)
{
    situ_tensor *x = F32(1, 2);
    situ_custom_call(situ_custom_new("refusing", 1, refuse, failing, NULL), TENSORS(x), NULL, 0);
    CHECK(said(SITU_BAD_SHAPE, "refusing"));
    situ_tensor *y = situ_custom_call(situ_custom_new("failing", 1, same, failing, NULL), TENSORS(x), NULL, 0);
    CHECK_EQ(situ_eval(TENSORS(y)), 0);
    CHECK(situ_item(situ_sum(y)) != 0);
    CHECK(said(SITU_BAD_ARGUMENT, "failing"));
    situ_wait(NULL);
    situ_error_take(NULL);
    /* one that computes tensors itself would wait for itself */
    y = situ_custom_call(situ_custom_new("computing", 1, same, computing, NULL), TENSORS(x), NULL, 0);
    CHECK(situ_item(situ_sum(y)) != 0);
    situ_error_take(NULL);
    situ_wait(NULL);
    situ_error_take(NULL);
    CHECK_STR(situ_state(situ_custom_call(NULL, TENSORS(x), NULL, 0)), "poisoned");
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_custom_new(NULL, 1, same, failing, NULL));
}

/* ---- budgets --------------------------------------------------------------------------------------------------- */

/* Afterwards it is as if it had never been requested: still pending, with a reader that has not run. */
TEST(what_did_not_run_is_as_it_was)
{
    situ_device d = sim_device(0);
    IN_SCOPE {
        situ_tensor *x = F32(1, 2, 3), *y = situ_add(x, 1), *dropped = situ_exp(x);
        situ_item(situ_sum(dropped));
        situ_tensor *up = situ_to(situ_mul(y, dropped), d);
        int64_t recomputed = situ_ledger_sum().recompute_count;
        situ_guard guard = situ_guard_open(.to_device = 0);
        CHECK_FAILS(SITU_BUDGET, situ_eval(TENSORS(up)));
        situ_guard_close(guard);
        CHECK_STR(situ_state(up), "pending");
        CHECK_STR(situ_state(y), "pending");
        CHECK_STR(situ_state(dropped), "dropped");
        IS(situ_mul(y, 2), "[4., 6., 8.] f32[3]");
        CHECK_STR(situ_state(y), "stored"); /* `up` will read it */
        CHECK_EQ(situ_ledger_sum().recompute_count, recomputed);
        float host[3];
        CHECK_EQ(situ_read(up, host, sizeof host), 0);
        CHECK_EQ(situ_ledger_sum().recompute_count, recomputed + 1);
        CHECK_NEAR(host[2], 4 * exp(3), 1e-3);
    }
}

TEST(a_budget_fails_before_anything_runs)
{
    situ_device d = sim_device(0);
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(4), .device = d), *y = situ_exp(x), *host = situ_to(y, situ_cpu()), *up = situ_to(F32(1, 2), d);
        situ_wait(NULL);
        situ_sim_counters before, after;
        situ_sim_count(d, &before);
        situ_ledger_totals sum = situ_ledger_sum();
        float out[4];
        situ_guard guard = situ_guard_open(.to_host = 0);
        CHECK_FAILS(SITU_BUDGET, situ_read(y, out, sizeof out), ".to_host = 0");
        CHECK_FAILS(SITU_BUDGET, situ_eval(TENSORS(host)), "test_errors.c:");
        CHECK_STR(situ_state(y), "pending");
        CHECK_EQ(situ_guard_close(guard), 2);
        guard = situ_guard_open(.waits = 0, .to_device = 0);
        CHECK_FAILS(SITU_BUDGET, situ_read(y, out, sizeof out));
        CHECK_FAILS(SITU_BUDGET, situ_wait(y));
        CHECK_FAILS(SITU_BUDGET, situ_eval(TENSORS(up)));
        CHECK_FAILS(SITU_BUDGET, situ_from_host(out, SHAPE(4), .device = d));
        IS(situ_add(F32(1), 1), "[2.] f32[1]"); /* a read of a CPU tensor is none of these */
        situ_guard_close(guard);
        guard = situ_guard_open(.bytes = 15);
        CHECK_FAILS(SITU_BUDGET, situ_read(y, out, sizeof out), ".bytes");
        situ_guard_close(guard);
        situ_wait(NULL);
        situ_sim_count(d, &after);
        CHECK_EQ(after.download_count, before.download_count);
        CHECK_EQ(after.upload_count, before.upload_count);
        CHECK_EQ(situ_ledger_sum().download_count, sum.download_count);
        CHECK_EQ(situ_ledger_sum().upload_count, sum.upload_count);
        CHECK_EQ(situ_read(y, out, sizeof out), 0);
        CHECK_NEAR(out[3], 2.718281828, 1e-6);
        IS(host, "[2.71828, 2.71828, 2.71828, 2.71828] f32[4]");
    }
}

/* The ledger equals the device's own counts, even if some operations failed. */
TEST(the_ledger_is_what_the_device_counted)
{
    situ_device a = sim_device(0), b = sim_device(1);
    situ_wait(NULL);
    situ_sim_counters from[2], to[2];
    situ_sim_count(a, &from[0]);
    situ_sim_count(b, &from[1]);
    situ_ledger_totals before = situ_ledger_sum();
    IN_SCOPE {
        for (int i = 0; i < 30; i++) {
            situ_device here = i % 2 ? a : b, there = i % 3 ? a : b;
            situ_tensor *x = situ_from_host(((float[]){1, 2, 3, 4}), SHAPE(4), .device = here);
            situ_tensor *y = situ_copy_to(situ_add(x, i), there), *z = situ_to(situ_mul(y, 2), i % 5 ? here : situ_cpu());
            float out[4];
            if (i % 4 == 0) situ_test_fail_device_alloc(1 + i % 7);
            if (i % 4 == 1) situ_test_fail_alloc(1 + i % 11);
            situ_read(i % 2 ? y : z, out, sizeof out);
            situ_test_fail_device_alloc(0);
            situ_test_fail_alloc(0);
            situ_error_take(NULL);
        }
    }
    situ_wait(NULL);
    situ_error_take(NULL);
    situ_sim_count(a, &to[0]);
    situ_sim_count(b, &to[1]);
    situ_ledger_totals after = situ_ledger_sum();
#define COUNTED(field) ((to[0].field - from[0].field) + (to[1].field - from[1].field))
    CHECK_EQ(after.upload_count - before.upload_count, COUNTED(upload_count));
    CHECK_EQ(after.upload_bytes - before.upload_bytes, COUNTED(upload_bytes));
    CHECK_EQ(after.download_count - before.download_count, COUNTED(download_count));
    CHECK_EQ(after.download_bytes - before.download_bytes, COUNTED(download_bytes));
    CHECK_EQ(after.peer_count - before.peer_count, COUNTED(peer_count));
    CHECK_EQ(after.peer_bytes - before.peer_bytes, COUNTED(peer_bytes));
#undef COUNTED
}

/* ---- the ends: fork and shutdown --------------------------------------------------------------------------------- */

static situ_tensor *stored;

static int child_after_fork(void)
{
    float out[2];
    if (situ_read(stored, out, sizeof out) != -SITU_FORKED) return 1;
    if (!strstr(situ_error_message(), "situ_after_fork()")) return 2;
    situ_error_take(NULL);
    if (situ_add(stored, 1) == NULL || situ_failed() != SITU_FORKED) return 3;
    situ_error_take(NULL);
    situ_scope_close(NULL);
    if (situ_after_fork()) return 4;
    IN_SCOPE {
        if (situ_read(situ_add(stored, 1), out, sizeof out) || out[0] != 2 || out[1] != 3) return 5;
        situ_tensor *x = situ_ones(SHAPE(300, 300));
        if (situ_item(situ_sum(situ_matmul(x, x))) != 300.0 * 300 * 300) return 6;
        if (situ_item(situ_sum(situ_ones(SHAPE(10), .device = sim_device(0)))) != 10) return 7;
    }
    return situ_failed() ? 8 : 0;
}

TEST(a_forked_child_says_what_to_do_and_then_works)
{
    IN_SCOPE stored = situ_keep(F32(1, 2));
    IN_SCOPE situ_item(situ_sum(situ_ones(SHAPE(10), .device = sim_device(0))));
    situ_wait(NULL);
    CHECK_EQ(status_of_child(child_after_fork), 0);
    IN_SCOPE IS(stored, "[1., 2.] f32[2]");
    situ_release(stored);
}

static int child_after_shutdown(void)
{
    situ_after_fork();
    situ_shutdown();
    situ_device d = sim_device(0);
    situ_tensor *kept = NULL, *far = NULL, *v = NULL;
    situ_tensor *unscoped = situ_keep(situ_add(F32(5), 1)); /* pending when the end comes */
    IN_SCOPE {
        kept = situ_keep(situ_add(F32(1, 2), 1));
        far = situ_keep(situ_ones(SHAPE(2), .device = d));
        v = situ_variable(situ_zeros(SHAPE(2)));
    }
    situ_shutdown();
    float out[2];
    if (situ_read(kept, out, sizeof out) || out[1] != 3) return 1;
    if (situ_read(far, out, sizeof out) || out[1] != 1) return 2;
    if (situ_read(v, out, sizeof out) || out[1] != 0) return 3;
    if (situ_read(unscoped, out, 4) || out[0] != 6) return 4;
    IN_SCOPE {
        if (situ_item(situ_sum(situ_ones(SHAPE(300, 300)))) != 90000) return 5;
        if (situ_item(situ_sum(situ_ones(SHAPE(10), .device = d))) != 10) return 6;
        situ_read(situ_add(far, 1), out, sizeof out); /* its device is gone: an error or a value, never a crash */
        situ_error_take(NULL);
        situ_read(situ_add(kept, 1), out, sizeof out);
        situ_error_take(NULL);
        situ_assign(v, situ_add(v, 1));
        situ_eval(TENSORS(v));
        situ_error_take(NULL);
    }
    situ_error_take(NULL);
    situ_wait(NULL);
    situ_error_take(NULL);
    situ_release(kept);
    situ_release(far);
    situ_release(v);
    situ_release(unscoped);
    for (int i = 0; i < 3; i++) {
        IN_SCOPE situ_item(situ_sum(situ_ones(SHAPE(300, 300))));
        situ_shutdown();
        situ_shutdown();
    }
    return situ_failed() ? 9 : situ_test_live_buffers() ? 10 : 0;
}

TEST(after_a_shutdown_the_library_starts_anew)
{
#if defined(__SANITIZE_THREAD__)
    SKIP("the thread sanitizer cannot follow many new threads in a forked child");
#endif
    CHECK_EQ(status_of_child(child_after_shutdown), 0);
}

/* ---- words ----------------------------------------------------------------------------------------------------- */

TEST(a_message_has_the_words_of_the_callers_language)
{
    char text[] = SITU_SAY("situ_cast(x, SITU_I64)", "x.astype(\"int64\")") " of " SITU_SAY("C", "Python");
    situ_speaks_python = true;
    IN_SCOPE {
        CHECK_FAILS(SITU_BAD_DTYPE, situ_cross_entropy(F32(1, 2), F32(1)), "write labels.astype(\"int64\")");
        situ_assign(F32(1, 2), F32(1, 2));
        CHECK(!strstr(situ_error_message(), "situ_"));
        CHECK(said(SITU_BAD_ARGUMENT, ": assign: "));
    }
    situ_say(text);
    CHECK(!strcmp(text, "x.astype(\"int64\") of Python"));
    char move[] = "write " SITU_SAY("situ_to(", "") "b" SITU_SAY(", ", ".to_device(situ.") "gpu(0)), .axis or (.axes)";
    situ_say(move); /* the point of a method stays, that of an option goes */
    CHECK_STR(move, "write b.to_device(situ.gpu(0)), axis or (axes)");
    situ_speaks_python = false;
    IN_SCOPE {
        CHECK_FAILS(SITU_BAD_DTYPE, situ_cross_entropy(F32(1, 2), F32(1)), "write situ_cast(labels, SITU_I64)");
    }
}
