/* situ_scope_close_with: tensors that move to the outer scope, as they are. */
#include <situ.h>

#include <string.h>

#include "base/memory.h"
#include "device/device.h"
#include "support/settled.h"
#include "support/sim_devices.h"
#include "values.h"

static bool refused(const char *part)
{
    situ_error e;
    return situ_error_take(&e) == SITU_BAD_ARGUMENT && strstr(e.message, part);
}

static situ_tensor *layer(situ_tensor *x, situ_tensor *w)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *unused = situ_exp(x), *y = situ_relu(situ_mul(x, w));
    (void)unused;
    return situ_scope_close_with(scope, y);
}

static situ_tensor *two_layers(situ_tensor *x, situ_tensor *w)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = layer(layer(x, w), w);
    return situ_scope_close_with(scope, situ_sum(y));
}

TEST_IN_SCOPE(a_function_returns_a_tensor)
{
    situ_tensor *x = F32(1, 2, 3), *w = F32(2, 2, 2), *y = layer(x, w);
    CHECK_STR(situ_state(y), "pending");
    IS(y, "[2., 4., 6.] f32[3]");
    IS(layer(y, x), "[2., 8., 18.] f32[3]");
}

TEST_IN_SCOPE(gradients_go_through_functions)
{
    situ_tensor *x = F32(1, 2, 3), *v = situ_variable(F32(2, 3, 4)), *by[2] = {x, v}, *g[2];
    for (int evaluated = 0; evaluated < 2; evaluated++) {
        situ_tensor *y = two_layers(x, v); /* sum x v v */
        if (evaluated) IS(y, "70. f32[]");
        situ_grad(y, TENSORS_OF(by, 2), g);
        IS(g[0], "[4., 9., 16.] f32[3]");
        IS(g[1], "[4., 12., 24.] f32[3]");
    }
    situ_release(v);
}

/* The gradient of one moved tensor by another. */
TEST_IN_SCOPE(several_leave_together)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = F32(1, 2), *y = situ_sum(situ_square(x)), *both[3] = {x, y, y}, *g;
    CHECK_EQ(situ_scope_close_with_all(scope, TENSORS_OF(both, 3), both), 0);
    CHECK(both[1] == both[2]);
    situ_grad(both[1], TENSORS_OF(both, 1), &g);
    IS(g, "[2., 4.] f32[2]");
    IS(both[0], "[1., 2.] f32[2]");
}

static int64_t computed(void)
{
    situ_plan_counters p = situ_plans();
    return p.made + p.reused;
}

TEST_IN_SCOPE(nothing_is_computed_or_copied_for_it)
{
    int64_t plans = computed(), again = situ_ledger_sum().recompute_count;
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = F32(1, 2, 3), *y = situ_exp(x), *z = situ_mul(y, 0);
    y = situ_scope_close_with(scope, situ_add(y, z));
    CHECK_EQ(computed(), plans);
    CHECK_STR(situ_state(y), "pending");
    scope = situ_scope_open();
    situ_eval(TENSORS(y));
    situ_tensor *stored = situ_negative(y);
    situ_eval(TENSORS(stored));
    situ_scope_close_with(scope, stored);
    CHECK_EQ(situ_ledger_sum().recompute_count, again);
}

TEST(what_a_plan_computes_at_the_close_is_stored)
{
    situ_tensor *kept = NULL;
    IN_SCOPE {
        int64_t again = situ_ledger_sum().recompute_count;
        situ_scope *scope = situ_scope_open();
        situ_tensor *y = situ_exp(F32(0, 0)), *z = situ_add(y, 1);
        kept = situ_keep(z); /* computed when the scope closes, from y */
        y = situ_scope_close_with(scope, y);
        STORED(y);
        IS(y, "[1., 1.] f32[2]");
        IS(kept, "[2., 2.] f32[2]");
        CHECK_EQ(situ_ledger_sum().recompute_count, again);
    }
    IS(kept, "[2., 2.] f32[2]");
    situ_release(kept);
}

TEST(a_kept_tensor_may_leave_and_be_kept)
{
    situ_tensor *kept = NULL;
    IN_SCOPE {
        situ_scope *scope = situ_scope_open();
        situ_tensor *y = situ_exp(F32(0, 0)), *g;
        kept = situ_keep(y);
        y = situ_scope_close_with(scope, y);
        situ_tensor *z = situ_sum(situ_square(y));
        situ_grad(z, TENSORS(kept), &g); /* still two handles of one tensor */
        IS(g, "[2., 2.] f32[2]");
        CHECK(situ_scope_close_with(NULL, kept) == kept);
    }
    IS(kept, "[1., 1.] f32[2]");
    situ_release(kept);
}

TEST_IN_SCOPE(a_dropped_value_leaves_and_is_computed_again)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = situ_exp(F32(0, 0)), *z = situ_sum(y);
    CHECK_NEAR(situ_item(z), 2, 0);
    CHECK_STR(situ_state(y), "dropped");
    y = situ_scope_close_with(scope, y);
    CHECK_STR(situ_state(y), "dropped");
    IS(y, "[1., 1.] f32[2]");
}

static situ_tensor *count_up(situ_tensor *v)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *before = situ_mul(v, 10);
    situ_assign(v, situ_add(v, 1));
    return situ_scope_close_with(scope, situ_add(before, v));
}

TEST_IN_SCOPE(variables_change_in_functions)
{
    situ_tensor *v = situ_variable(F32(1, 2)), *a = count_up(v), *b = count_up(v);
    IS(v, "[3., 4.] f32[2]");
    IS(a, "[12., 23.] f32[2]");
    IS(b, "[23., 34.] f32[2]");
    situ_tensor *y = situ_sum(count_up(v)), *g;
    CHECK_FAILS(SITU_OVERWRITTEN, situ_grad(y, TENSORS(v), &g)); /* as without the function: y depends on the value
                                                                  * before the assignment */
    situ_release(v);
}

TEST(views_numbers_and_results_of_networks_leave)
{
    situ_module *net = situ_sequential(situ_linear_layer(2, .in = 3), situ_relu_layer());
    IN_SCOPE {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_reshape(situ_arange(0, 6, 1, .dtype = SITU_F32), SHAPE(2, 3));
        situ_eval(TENSORS(x));
        situ_tensor *part = situ_slice(situ_transpose(x), .start = SHAPE(1));
        situ_eval(TENSORS(part));
        part = situ_scope_close_with(scope, part);
        IS(part, "[[1., 4.],\n [2., 5.]] f32[2,2]");
        scope = situ_scope_open();
        situ_tensor *two = situ_scope_close_with(scope, 2);
        IS(situ_add(part, two), "[[3., 6.],\n [4., 7.]] f32[2,2]");
        scope = situ_scope_open();
        situ_tensor *loss = situ_scope_close_with(scope, situ_mean(situ_square(situ_module_call(net, situ_ones(SHAPE(4, 3))))));
        situ_optimizer *opt = situ_sgd(net, .lr = 0.1);
        double first = situ_item(loss);
        for (int i = 0; i < 3; i++) {
            situ_optimizer_step(opt, loss);
            scope = situ_scope_open();
            loss = situ_scope_close_with(scope, situ_mean(situ_square(situ_module_call(net, situ_ones(SHAPE(4, 3))))));
        }
        CHECK(situ_item(loss) < first);
        situ_optimizer_free(opt);
    }
    situ_module_free(net);
}

TEST_IN_SCOPE(what_does_not_lie_in_the_scope_is_returned)
{
    situ_tensor *x = F32(1, 2), *v = situ_variable(x);
    situ_scope *scope = situ_scope_open();
    CHECK(situ_scope_close_with(scope, x) == x);
    scope = situ_scope_open();
    CHECK(situ_scope_close_with(scope, v) == v);
    situ_scope *outer = situ_scope_open();
    situ_scope_open(); /* closes with the outer scope; tensors in it move out of both */
    IS(situ_scope_close_with(outer, situ_add(x, 1)), "[2., 3.] f32[2]");
    situ_release(v);
}

TEST_IN_SCOPE(errors_at_the_end_of_a_function)
{
    situ_scope *scope = situ_scope_open(), *inside;
    situ_tensor *x = F32(1, 2), *y = situ_add(x, 1), *none = NULL;
    inside = situ_scope_open();
    situ_scope_close_with(inside, none);
    CHECK(refused("situ_scope_close_with: the tensor is NULL"));
    situ_scope_close_with(inside, y);
    CHECK(refused("closed before"));
    situ_tensor *out = situ_scope_close_with(scope, y);
    situ_add(y, 1);
    CHECK(refused("gone"));
    scope = situ_scope_open();
    situ_scope_close_with(scope, y);
    CHECK(refused("gone"));
    IS(out, "[2., 3.] f32[2]");
    /* tensors move out even while an error is set */
    scope = situ_scope_open();
    situ_tensor *good = situ_mul(out, 2);
    situ_tensor *bad = situ_reshape(good, SHAPE(7));
    situ_tensor *both[2] = {good, bad};
    CHECK(situ_scope_close_with_all(scope, TENSORS_OF(both, 2), both) < 0);
    CHECK_EQ(situ_error_take(NULL), SITU_BAD_SHAPE);
    IS(both[0], "[4., 6.] f32[2]");
    situ_exp(both[1]);
    CHECK(situ_error_take(NULL));
}

/* Each of its allocations fails once: gives an error and leaves everything as before. */
TEST(it_survives_without_memory)
{
    int64_t buffers = settled_buffers();
    for (int k = 1, struck = 1; struck; k++) {
        IN_SCOPE {
            situ_tensor *v = situ_variable(F32(1, 2)), *w = situ_keep(F32(3, 4));
            situ_eval(TENSORS(v));
            situ_scope *scope = situ_scope_open();
            situ_tensor *y = situ_flip(situ_mul(situ_exp(v), w));
            for (int i = 0; i < 700; i++) y = situ_add(y, v);
            situ_test_fail_alloc(k);
            y = situ_scope_close_with(scope, y);
            struck = situ_test_fail_struck();
            situ_test_fail_alloc(0);
            if (struck) CHECK_EQ(situ_error_take(NULL), SITU_NO_MEMORY);
            else situ_eval(TENSORS(y));
            CHECK_OK();
            situ_release(v);
            situ_release(w);
        }
    }
    situ_wait(NULL);
    CHECK_EQ(situ_test_live_buffers(), buffers);
}

TEST(a_loop_of_functions_on_a_device_gives_the_same_bits)
{
    situ_device d = sim_device(0);
    float a[4], b[4];
    IN_SCOPE {
        situ_tensor *x = situ_uniform(situ_key(3, .device = d), SHAPE(4)), *y = x, *z = x;
        for (int i = 0; i < 20; i++) {
            y = layer(y, x);
            z = situ_relu(situ_mul(z, x));
        }
        situ_read(y, a, sizeof a);
        situ_read(z, b, sizeof b);
        CHECK(!memcmp(a, b, sizeof a));
    }
}
