/* A dropped tensor that would need a variable's overwritten value: using it is an error, at that call only; other
 * tensors can still be computed. */
#include <situ.h>

#include <string.h>

#include "support/sim_devices.h"
#include "values.h"

enum { MANY = 1 << 16 };

/* Dropped products v[0] * 2 and so on, of a variable that has been overwritten since. */
static situ_tensor *lost_product(situ_tensor *v)
{
    bool before = situ_no_grad(true);
    situ_tensor *product = situ_mul(v, 2);
    CHECK_EQ(situ_eval(TENSORS(situ_sum(product))), 0);
    situ_no_grad(before);
    CHECK_STR(situ_state(product), "dropped");
    CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
    CHECK_EQ(situ_eval(TENSORS(v)), 0);
    return product;
}

static void is_refused_here(int line)
{
    char text[40];
    snprintf(text, sizeof text, "test_overwritten.c:%d", line);
    situ_error e;
    CHECK_EQ(situ_error_take(&e), SITU_OVERWRITTEN);
    CHECK(strstr(e.message, text));
}

static void error_where_it_is_used(situ_device d)
{
    situ_push_device(d);
    for (int way = 0; way < 5; way++)
        IN_SCOPE {
            situ_tensor *v = situ_variable(F32(1, 2)), *w = situ_variable(F32(0, 0)), *lost = lost_product(v), *other = situ_exp(lost);
            is_refused_here(__LINE__ - 1);
            CHECK_STR(situ_state(other), "poisoned");
            float out[2];
            if (way == 0) situ_add(1, lost);
            if (way == 1) situ_release(situ_keep(lost));
            if (way == 2) situ_assign(w, lost);
            if (way == 3) situ_eval(TENSORS(lost));
            if (way == 4) situ_read(lost, out, sizeof out);
            is_refused_here(__LINE__ - 5 + way);
            situ_wait(NULL);
            IS(v, "[2., 3.] f32[2]");
            IS(w, "[0., 0.] f32[2]");
            situ_release(v);
            situ_release(w);
        }
    situ_pop_device();
    CHECK_OK();
}

TEST(a_lost_value_is_an_error_where_it_is_used) { error_where_it_is_used(situ_cpu()); }
TEST(a_lost_value_is_an_error_where_it_is_used_on_another_device) { error_where_it_is_used(situ_gpu(0)); }

/* Closing a scope computes everything that is kept. It used to fail for all of it if one value could not be computed. */
TEST_IN_SCOPE(what_is_kept_beside_a_lost_value_is_computed)
{
    situ_tensor *v = situ_variable(F32(1, 2)), *x = F32(5, 6), *lost = lost_product(v);
    situ_scope *inner = situ_scope_open();
    situ_tensor *kept = situ_keep(situ_add(x, 1)), *of_lost = situ_keep(situ_add(lost, 1));
    CHECK_EQ(situ_failed(), SITU_OVERWRITTEN);
    situ_error_take(NULL);
    situ_tensor *after = situ_keep(situ_mul(v, x));
    situ_scope_close(inner);
    CHECK_OK();
    IS(kept, "[6., 7.] f32[2]");
    IS(after, "[10., 18.] f32[2]");
    situ_release(kept);
    situ_release(after);
    situ_release(of_lost);
    situ_release(v);
}

/* w becomes 2v with v's present value, although a part of v is assigned, by a plan of its own, before w is computed. */
TEST_IN_SCOPE(what_is_assigned_keeps_the_value_that_it_was_made_from)
{
    situ_no_grad(true);
    situ_tensor *v = situ_variable(situ_full(SHAPE(MANY), 3.0)), *w = situ_variable(situ_zeros(SHAPE(MANY))), *product = situ_mul(v, 2);
    CHECK_EQ(situ_eval(TENSORS(situ_sum(product))), 0);
    CHECK_STR(situ_state(product), "dropped");
    CHECK_EQ(situ_assign(w, product), 0);
    CHECK_EQ(situ_assign_slice(v, F32(7), SHAPE(0)), 0);
    CHECK_NEAR(situ_item(situ_sum(v)), 3.0 * (MANY - 1) + 7, 0);
    CHECK_NEAR(situ_item(situ_sum(w)), 6.0 * MANY, 0);
    situ_no_grad(false);
    situ_release(v);
    situ_release(w);
}

/* A refused operation leaves nothing behind: the next attempt gives the same error, and other uses of its operands
 * work. */
TEST_IN_SCOPE(an_operation_on_a_lost_value_changes_nothing)
{
    situ_tensor *v = situ_variable(F32(1, 2)), *u = situ_variable(F32(5, 6));
    bool before = situ_no_grad(true);
    situ_tensor *a = situ_mul(v, 2), *b = situ_mul(u, 3), *both = situ_sub(b, a), *more = situ_exp(situ_add(both, a));
    CHECK_EQ(situ_eval(TENSORS(situ_sum(more))), 0);
    situ_no_grad(before);
    CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
    CHECK_EQ(situ_eval(TENSORS(v)), 0);
    for (int time = 0; time < 3; time++) {
        situ_add(b, more);
        CHECK_EQ(situ_error_take(NULL), SITU_OVERWRITTEN);
        CHECK_STR(situ_state(a), "dropped");
        CHECK_STR(situ_state(both), "dropped");
    }
    CHECK_EQ(situ_assign(u, situ_add(u, 1)), 0);
    situ_tensor *again = situ_add(b, 1); /* from the old value of u */
    (void)again;
    CHECK_OK();
    IS(b, "[15., 18.] f32[2]");
    CHECK_EQ(situ_eval(TENSORS(u)), 0);
    IS(u, "[6., 7.] f32[2]");
    situ_release(v);
    situ_release(u);
}
