/* Gradients as graphs: when they may be asked for, what they cost, how deep they may be. */
#include <situ.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/sim_devices.h"
#include "values.h"

static situ_tensor *grad_of(situ_tensor *y, situ_tensor *by)
{
    situ_tensor *g = NULL;
    situ_grad(y, TENSORS(by), &g);
    return g;
}

/* ---- of what --------------------------------------------------------------------------------------------------- */

TEST(by_tensors_variables_and_kept_handles)
{
    situ_tensor *kept = NULL, *v = NULL;
    IN_SCOPE {
        kept = situ_keep(F32(3));
        v = situ_variable(F32(4));
    }
    IN_SCOPE {
        situ_tensor *x = F32(2), *y = situ_sum(situ_mul(situ_mul(x, kept), v));
        IS(grad_of(y, x), "[12.] f32[1]");
        IS(grad_of(y, kept), "[8.] f32[1]");
        IS(grad_of(y, v), "[6.] f32[1]");
        IS(grad_of(y, F32(1)), "[0.] f32[1]"); /* y does not depend on it */
        situ_tensor *alias = situ_keep(kept);
        IS(grad_of(y, alias), "[8.] f32[1]"); /* the same value */
        situ_release(alias);
    }
    situ_release(kept);
    situ_release(v);
}

TEST(by_what_is_read_in_several_scopes)
{
    situ_tensor *v = NULL;
    IN_SCOPE v = situ_variable(F32(4));
    situ_scope *outer = situ_scope_open();
    situ_tensor *a = situ_mul(v, 10);
    situ_scope *inner = situ_scope_open();
    situ_tensor *y = situ_sum(situ_mul(a, v)); /* another node for the same value */
    IS(grad_of(y, v), "[80.] f32[1]");
    situ_scope_close(inner);
    situ_scope_close(outer);
    situ_release(v);
}

TEST_IN_SCOPE(by_a_variable_whose_value_is_pending_or_was_stored_for_another_reason)
{
    situ_tensor *v = situ_variable(F32(1)), *next = situ_mul(F32(3), 2);
    CHECK_EQ(situ_assign(v, next), 0);
    situ_tensor *y = situ_sum(situ_square(v));
    IS(grad_of(y, v), "[12.] f32[1]"); /* pending */
    IS(next, "[6.] f32[1]");           /* stored as such, and as the variable's */
    IS(grad_of(y, v), "[12.] f32[1]");
    CHECK_NEAR(situ_item(y), 36, 0);
    IS(grad_of(y, v), "[12.] f32[1]");
    situ_release(v);
}

/* Zeros would be wrong: y depends on the variable, but on an earlier value of it. */
TEST(by_a_variable_that_was_assigned_to_since_is_an_error)
{
    for (int computed = 0; computed < 2; computed++)
        IN_SCOPE {
            situ_tensor *v = situ_variable(F32(2), .name = "weight"), *y = situ_sum(situ_square(v));
            if (computed) CHECK_NEAR(situ_item(y), 4, 0);
            CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
            if (computed) CHECK_EQ(situ_eval(TENSORS(v)), 0);
            CHECK(situ_text(grad_of(y, v)) == NULL);
            CHECK(strstr(situ_error_message(), "weight") && strstr(situ_error_message(), "before"));
            CHECK_CODE(SITU_OVERWRITTEN);
            IS(grad_of(situ_sum(situ_square(v)), v), "[6.] f32[1]");
            situ_release(v);
        }
}

/* A variable is a leaf: gradients of a value assigned to it end at the variable. */
TEST(assignments_are_where_gradients_end)
{
    for (int computed = 0; computed < 2; computed++)
        IN_SCOPE {
            situ_tensor *start = F32(3), *v = situ_variable(start), *next = situ_sub(start, situ_mul(start, 2));
            CHECK_EQ(situ_assign(v, next), 0);
            if (computed) CHECK_EQ(situ_eval(TENSORS(v)), 0);
            situ_tensor *y = situ_sum(situ_square(v));
            IS(grad_of(y, start), "[0.] f32[1]");
            IS(grad_of(y, next), "[0.] f32[1]");
            IS(grad_of(y, v), "[-6.] f32[1]");
            IS(grad_of(situ_sum(situ_square(next)), start), "[6.] f32[1]"); /* unrolled optimization is done with tensors */
            situ_release(v);
        }
}

TEST_IN_SCOPE(of_gradients)
{
    situ_tensor *x = F64(1.5), *y = situ_sum(situ_mul(x, situ_exp(x)));
    for (int order = 1; order <= 4; order++) {
        y = situ_sum(grad_of(y, x)); /* (x + n) e^x */
        CHECK_NEAR(situ_item(y), (1.5 + order) * 4.4816890703380645, 1e-12);
    }
}

TEST_IN_SCOPE(stop_and_no_grad)
{
    situ_tensor *x = F32(3), *y = situ_sum(situ_mul(situ_stop_gradient(x), x));
    IS(grad_of(y, x), "[3.] f32[1]");
    CHECK(!situ_no_grad(true));
    situ_tensor *constant = situ_mul(x, 5);
    CHECK(situ_no_grad(false));
    IS(grad_of(situ_sum(situ_mul(constant, x)), x), "[15.] f32[1]");
}

/* ---- what it costs --------------------------------------------------------------------------------------------- */

enum { ROWS = 8, IN = 6, WIDE = 5, CLASSES = 3 };

typedef struct model { situ_device device; situ_tensor *w[4]; } model;

static model model_new(situ_device d)
{
    model m = {.device = d};
    IN_SCOPE {
        m.w[0] = situ_variable(situ_normal(situ_key(0, .device = d), SHAPE(IN, WIDE)));
        m.w[1] = situ_variable(situ_zeros(SHAPE(WIDE), .device = d));
        m.w[2] = situ_variable(situ_normal(situ_key(1, .device = d), SHAPE(WIDE, CLASSES)));
        m.w[3] = situ_variable(situ_zeros(SHAPE(CLASSES), .device = d));
    }
    situ_wait(NULL);
    return m;
}

static void model_free(model *m)
{
    for (int i = 0; i < 4; i++) situ_release(m->w[i]);
}

static situ_tensor *model_loss(const model *m, situ_tensor **prediction)
{
    situ_tensor *x = situ_uniform(situ_key(7, .device = m->device), SHAPE(ROWS, IN));
    situ_tensor *label = situ_remainder(situ_arange(0, ROWS, 1, .device = m->device), CLASSES);
    situ_tensor *hidden = situ_gelu(situ_add(situ_matmul(x, m->w[0]), m->w[1]));
    situ_tensor *logits = situ_add(situ_matmul(hidden, m->w[2]), m->w[3]);
    if (prediction) *prediction = logits;
    return situ_cross_entropy(logits, label);
}

static void model_step(const model *m, situ_tensor *loss)
{
    situ_tensor *g[4];
    CHECK_EQ(situ_grad(loss, TENSORS_OF(m->w, 4), g), 0);
    for (int i = 0; i < 4; i++) CHECK_EQ(situ_assign(m->w[i], situ_sub(m->w[i], situ_mul(g[i], 0.1))), 0);
}

/* If the loss is read before the step, everything that the gradient's rules need was stored with the loss. */
TEST(the_forward_runs_once_when_the_loss_is_read_before_the_step)
{
    situ_device d = sim_device(0);
    int64_t kernels[3] = {0}, recomputed = situ_ledger_sum().recompute_count;
    float last[3][IN * WIDE];
    for (int way = 0; way < 3; way++) {
        model m = model_new(d);
        int64_t before = sim_kernels(d);
        IN_SCOPE {
            situ_tensor *loss = model_loss(&m, NULL);
            if (way == 1) CHECK(situ_item(loss) > 0);
            if (way < 2) model_step(&m, loss);
            CHECK(situ_item(loss) > 0);
        }
        CHECK_EQ(situ_wait(NULL), 0);
        kernels[way] = sim_kernels(d) - before;
        IN_SCOPE CHECK_EQ(situ_read(m.w[0], last[way], sizeof last[way]), 0);
        model_free(&m);
    }
    CHECK_EQ(situ_ledger_sum().recompute_count, recomputed);
    CHECK(!memcmp(last[0], last[1], sizeof last[0])); /* the same bits either way */
    CHECK(memcmp(last[0], last[2], sizeof last[0]));
    int64_t forward = kernels[2];
    CHECK(forward > 3);
    CHECK(kernels[1] < kernels[0] + forward / 2); /* a little less fusing, no second forward */
}

TEST(without_gradients_nothing_is_stored_for_them)
{
    model m = model_new(situ_cpu());
    int64_t used[2];
    for (int off = 0; off < 2; off++)
        IN_SCOPE {
            situ_no_grad(off);
            situ_tensor *loss = model_loss(&m, NULL);
            CHECK(situ_item(loss) > 0);
            situ_no_grad(false);
            used[off] = memory_in_use(situ_cpu());
        }
    CHECK(used[1] < used[0]);
    model_free(&m);
}

TEST(a_prediction_read_after_the_step_is_the_one_before_it)
{
    float expected[ROWS * CLASSES], found[ROWS * CLASSES];
    for (int kept = 0; kept < 2; kept++) {
        model m = model_new(situ_cpu());
        IN_SCOPE {
            situ_tensor *prediction, *loss = model_loss(&m, &prediction);
            situ_tensor *k = kept ? situ_keep(prediction) : NULL;
            model_step(&m, loss);
            if (kept) CHECK(situ_item(loss) > 0);
            if (!kept) CHECK_EQ(situ_eval(TENSORS(prediction)), 0);
            CHECK_EQ(situ_read(prediction, kept ? found : expected, sizeof found), 0);
            situ_release(k);
        }
        model_free(&m);
    }
    CHECK(!memcmp(expected, found, sizeof found));
}

TEST(what_a_network_gave_can_be_read_after_the_step)
{
    float expected[ROWS * CLASSES], found[ROWS * CLASSES];
    for (int after = 0; after < 2; after++) {
        situ_module *net = situ_sequential(situ_linear_layer(WIDE), situ_relu_layer(), situ_linear_layer(CLASSES));
        situ_optimizer *opt = NULL;
        IN_SCOPE situ_module_init(net, situ_key(3));
        for (int step = 0; step < 3; step++)
            IN_SCOPE {
                situ_tensor *x = situ_uniform(situ_key(7), SHAPE(ROWS, IN)), *prediction = situ_module_call(net, x);
                if (!opt) opt = situ_sgd(net, .lr = 0.1, .momentum = 0.9);
                situ_tensor *loss = situ_mean(situ_square(prediction));
                if (!after) CHECK_EQ(situ_read(prediction, expected, sizeof expected), 0);
                situ_optimizer_step(opt, loss);
                CHECK(situ_item(loss) > 0);
                if (after) CHECK_EQ(situ_read(prediction, found, sizeof found), 0);
            }
        situ_optimizer_free(opt);
        situ_module_free(net);
    }
    CHECK(!memcmp(expected, found, sizeof found));
}

/* ---- how deep -------------------------------------------------------------------------------------------------- */

TEST(a_deep_chain)
{
    enum { DEEP = 100000 };
    IN_SCOPE {
        situ_tensor *x = F64(1), *y = x;
        for (int i = 0; i < DEEP; i++) y = situ_mul(y, i % 2 ? 2.0 : 0.5);
        IS(grad_of(situ_sum(y), x), "[1.] f64[1]");
    }
}

TEST_IN_SCOPE(a_chain_of_many_gradients_in_one_scope)
{
    situ_tensor *x = F64(2);
    for (int i = 0; i < 2000; i++) {
        situ_tensor *y = situ_sum(situ_square(situ_sub(x, 1)));
        x = situ_sub(x, situ_mul(grad_of(y, x), 0.01));
    }
    CHECK_NEAR(situ_item(x), 1, 1e-12);
}

/* ---- refused --------------------------------------------------------------------------------------------------- */

TEST_IN_SCOPE(what_has_no_gradient_says_why)
{
    situ_tensor *x = F32(1, 2), *out[2];
    CHECK(grad_of(situ_add(x, 1), x)); /* no scalar */
    CHECK_CODE(SITU_BAD_SHAPE);
    CHECK(grad_of(situ_sum(I64(1, 2)), x));
    CHECK_CODE(SITU_NO_GRADIENT);
    CHECK(grad_of(situ_sum(x), I64(1)));
    CHECK_CODE(SITU_NO_GRADIENT);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_grad(situ_sum(x), TENSORS_OF(NULL, 1), out));
    CHECK_EQ(situ_grad(NULL, TENSORS(x), out), -SITU_BAD_ARGUMENT);
    CHECK_STR(situ_state(out[0]), "poisoned");
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_tensor *two[] = {x, NULL};
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_grad(situ_sum(x), TENSORS_OF(two, 2), out));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_grad(situ_sum(x), TENSORS_OF(&x, -1), out));
    CHECK_FAILS(SITU_BAD_SHAPE, situ_pullback(x, F32(1, 2, 3), TENSORS(x), out));
    CHECK_FAILS(SITU_BAD_DEVICE, situ_pullback(x, situ_ones(SHAPE(2), .device = sim_device(0)), TENSORS(x), out));
}

/* ---- failing allocations ---------------------------------------------------------------------------------------- */

TEST(each_allocation_of_a_gradient)
{
    model m = model_new(situ_cpu());
    int64_t struck = 1, failures = 0;
    for (int64_t k = 1; struck && k < 3000; k++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *loss = model_loss(&m, NULL), *g[4];
        situ_test_fail_alloc(k);
        int rc = situ_grad(loss, TENSORS_OF(m.w, 4), g);
        struck = situ_test_fail_struck();
        situ_test_fail_alloc(0);
        CHECK(!rc == !situ_failed());
        failures += rc != 0;
        for (int i = 0; i < 4; i++) CHECK(g[i] != NULL);
        if (rc) CHECK_STR(situ_state(g[0]), "poisoned");
        situ_scope_close(scope);
        situ_error_take(NULL);
    }
    CHECK(failures > 0);
    model_free(&m);
}

TEST_IN_SCOPE(what_is_pulled_back_has_the_shape_of_the_result)
{
    situ_tensor *x = situ_ones(SHAPE(3)), *y = situ_mul(x, 2), *out;
    situ_tensor *bad[] = {situ_ones(SHAPE(2, 3)), situ_ones(SHAPE(1)), situ_ones(SHAPE(1, 3)), situ_ones(SHAPE(4))};
    for (int i = 0; i < 4; i++) {
        CHECK_FAILS(SITU_BAD_SHAPE, situ_pullback(y, bad[i], TENSORS(x), &out), "does not have the shape of y");
    }
    CHECK(!situ_pullback(y, situ_ones(SHAPE()), TENSORS(x), &out));
    IS(out, "[2., 2., 2.] f32[3]");
    CHECK(!situ_pullback(y, situ_ones(SHAPE(3)), TENSORS(x), &out));
    IS(out, "[2., 2., 2.] f32[3]");
}

/* ---- added to what is there ------------------------------------------------------------------------------------------ */

/* A table that is used both in a product and by lookups of rows or elements: the gradients of all uses are added. The
 * numbers are small integers, so that every order of addition gives the same. */
static void check_shared_table(situ_dtype dtype, int64_t taken, bool elements)
{
    enum { ROWS_OF_TABLE = 6, COLUMNS = 4 };
    situ_tensor *v[2];
    IN_SCOPE {
        situ_tensor *values = situ_remainder(situ_arange(0, ROWS_OF_TABLE * COLUMNS, 1), 5);
        for (int k = 0; k < 2; k++)
            v[k] = situ_variable(situ_cast(situ_reshape(values, SHAPE(ROWS_OF_TABLE, COLUMNS)), dtype));
    }
    IN_SCOPE {
        situ_tensor *at = situ_remainder(situ_arange(0, taken, 1), ROWS_OF_TABLE), *g[3], *loss[2];
        if (elements) at = situ_remainder(situ_broadcast_to(situ_expand_dims(at, 0), SHAPE(ROWS_OF_TABLE, taken)), COLUMNS);
        for (int k = 0; k < 2; k++) {
            situ_tensor *rows = elements ? situ_gather(v[0], at) : situ_take(v[0], at);
            situ_tensor *all = situ_matmul(situ_ones(SHAPE(3, COLUMNS), .dtype = dtype), situ_transpose(v[k]));
            loss[k] = situ_add(situ_sum(rows, .dtype = SITU_F64), situ_cast(situ_mul(situ_sum(all), 3), SITU_F64));
        }
        g[2] = grad_of(loss[0], v[0]);
        CHECK_EQ(situ_grad(loss[1], TENSORS_OF(v, 2), g), 0);
        situ_tensor *apart = situ_add(situ_cast(g[0], SITU_F64), situ_cast(g[1], SITU_F64));
        CHECK_EQ(situ_item(situ_max(situ_abs(situ_sub(apart, situ_cast(g[2], SITU_F64))))), 0);
        CHECK(situ_item(situ_min(g[0])) > 0 && situ_item(situ_min(g[1])) == 9);
    }
    situ_release(v[0]), situ_release(v[1]);
}

TEST(a_table_that_is_taken_from_and_multiplied_by)
{
    const situ_dtype dtype[] = {SITU_F32, SITU_F64, SITU_F16, SITU_BF16};
    for (int i = 0; i < 4; i++)
        for (int elements = 0; elements < 2; elements++) check_shared_table(dtype[i], 12, elements);
    check_shared_table(SITU_F32, 60000, false); /* long sums are of f64 */
    check_shared_table(SITU_F32, 60000, true);
}

/* If only the labels' log-probabilities are computed, loss and gradient equal those from all of them. */
TEST(the_loss_of_labels_is_that_of_all_log_probabilities)
{
    const situ_dtype dtype[] = {SITU_F32, SITU_F64, SITU_F16};
    for (int i = 0; i < 12; i++) {
        IN_SCOPE {
            situ_tensor *x = situ_cast(situ_mul(situ_normal(situ_key((uint64_t)i), SHAPE(5, 3, 700)), 30), dtype[i % 3]), *g[2];
            situ_tensor *y = situ_randint(situ_key(9), SHAPE(5, 3), 0, 3), *weights = i / 6 ? situ_arange(1, 701, 1) : NULL;
            situ_tensor *none = i / 3 % 2 ? situ_scalar_int(1) : NULL;
            if (weights) weights = situ_cast(weights, dtype[i % 3]);
            situ_tensor *a = situ_cross_entropy(x, y, .weights = weights, .ignored = none);
            situ_tensor *b = situ_nll_loss(situ_log_softmax(x), y, .weights = weights, .ignored = none);
            g[0] = grad_of(a, x), g[1] = grad_of(b, x);
            CHECK_EQ(situ_item(a), situ_item(b));
            CHECK_EQ(situ_item(situ_max(situ_abs(situ_sub(g[0], g[1])))), 0);
            CHECK(situ_item(situ_max(situ_abs(g[0]))) > 0);
        }
    }
}
