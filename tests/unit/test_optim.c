/* Optimizers: settings, one plan for many steps, several devices, steps that fail. tests/python/test_optimizers.py has
 * PyTorch's values. */
#include <math.h>
#include <string.h>

#include <situ.h>

#include "base/memory.h"
#include "device/device.h"
#include "test.h"

enum { N = 6 };

/* A network that needs no input size: y = p x, where p is uniform in +-1 at first. */
static situ_tensor *forward(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    return situ_mul(situ_module_use(m, 0, x, situ_shape_of(x), .bound = 1), x);
}
static const situ_module_kind vector_kind = {.name = "vector", .forward = forward};

static situ_module *vector(void)
{
    situ_module *m = situ_module_custom(&vector_kind, NULL);
    situ_module_declare(m, "p");
    return m;
}

static const float input[N] = {0.5f, -1, 2, 0.25f, -0.75f, 1.5f};

/* loss = sum((p x)^2 / 2 + p x): gradient (p x + 1) x. */
static situ_tensor *loss_of(situ_module *net)
{
    situ_tensor *y = situ_module_call(net, situ_from_host(input, SHAPE(N)));
    return situ_sum(situ_add(situ_mul(situ_square(y), 0.5), y));
}

TEST(options_out_of_range_are_refused)
{
    situ_module *net = vector();
    CHECK_FAILS(SITU_BAD_OPTION, situ_sgd(net, .lr = -1));
    CHECK_FAILS(SITU_BAD_OPTION, situ_sgd(net, .momentum = 1));
    CHECK_FAILS(SITU_BAD_OPTION, situ_sgd(net, .nesterov = true));
    CHECK_FAILS(SITU_BAD_OPTION, situ_adam(net, .lr = NAN));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_adam(NULL));
    situ_optimizer *opt = situ_adam(net);
    CHECK_FAILS(SITU_BAD_OPTION, situ_optimizer_set_lr(opt, -1));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(opt, situ_ones(SHAPE()))); /* nothing to train yet */
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_step(NULL, situ_ones(SHAPE())));
    situ_optimizer_free(opt);
    situ_module_free(net);
}

TEST(tables_say_what_the_macros_do)
{
    situ_module *net = vector();
    situ_optimizer *opts[] = {situ_sgd(net), situ_adam(net), situ_adamw(net)};
    situ_hyper h[16];
    for (int i = 0; i < 3; i++) {
        int n = situ_optimizer_hyper(opts[i], h, 16);
        CHECK_EQ(n, 8);
        CHECK_STR(h[0].name, "lr");
        CHECK(h[0].value == (i ? 1e-3 : 0.01));
        situ_optimizer_free(opts[i]);
    }
    CHECK(h[4].value == 0.01); /* adamw's decay */
    situ_module_free(net);
}

TEST_IN_SCOPE(settings_out_of_range_and_groups_that_are_not_there_are_errors)
{
    situ_module *net = vector();
    situ_item(loss_of(net));
    situ_optimizer *opt = situ_lion(net, .lr = 0.5);
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_set(opt, "q", "lr", 1));
    CHECK_FAILS(SITU_BAD_OPTION, situ_optimizer_set(opt, "*", "speed", 1));
    CHECK_FAILS(SITU_BAD_OPTION, situ_optimizer_set(opt, "p*", "beta1", 1));
    CHECK_FAILS(SITU_BAD_OPTION, situ_schedule_step(opt, 0, 0.1));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_schedule_report(opt, 1));
    CHECK_FAILS(SITU_BAD_ARGUMENT, situ_optimizer_swap_average(opt));
    CHECK_EQ(situ_optimizer_set(opt, "*p", "lr", 0.25), 0);
    CHECK_EQ(situ_schedule_step(opt, 1, 0.5), 0);
    float before[N], after[N];
    for (int t = 0; t < 2; t++) { /* each element moves by the group's rate, then by half of it */
        situ_read(situ_module_parameter(net, 0), before, sizeof before);
        CHECK_EQ(situ_optimizer_step(opt, loss_of(net)), 0);
        situ_read(situ_module_parameter(net, 0), after, sizeof after);
        for (int i = 0; i < N; i++) CHECK_NEAR(fabs(after[i] - before[i]), t ? 0.125 : 0.25, 1e-6);
    }
    situ_optimizer_free(opt);
    situ_module_free(net);
}

static situ_tensor *largest(situ_tensor *counts, situ_tensor *prediction, situ_tensor *target, const void *self)
{
    (void)self;
    return situ_maximum(counts, situ_cast(situ_max(situ_abs(situ_sub(prediction, target))), SITU_F64));
}
TEST_IN_SCOPE(a_metric_of_the_program_s_own_counts_as_ours_do)
{
    static const situ_metric_kind kind = {.name = "largest_error", .counts = 1, .add = largest};
    situ_metric *own = situ_metric_custom(&kind, NULL), *mean = situ_mean_metric();
    CHECK(isnan(situ_metric_value(own)));
    for (int i = 1; i <= 3; i++) {
        situ_tensor *x = situ_full(SHAPE(4), i);
        CHECK_EQ(situ_metric_update(own, x, situ_ones(SHAPE(4))), 0);
        CHECK_EQ(situ_metric_update(mean, x, NULL), 0);
    }
    CHECK_NEAR(situ_metric_value(own), 2, 0);
    CHECK_NEAR(situ_metric_value(mean), 2, 1e-12);
    CHECK_FAILS(SITU_BAD_SHAPE, situ_metric_update(own, situ_ones(SHAPE(2)), situ_ones(SHAPE(3))));
    CHECK_EQ(situ_metric_reset(own), 0);
    CHECK(isnan(situ_metric_value(own)));
    situ_metric_free(own);
    situ_metric_free(mean);
}

TEST_IN_SCOPE(nothing_runs_before_the_loss_is_read)
{
    situ_module *net = vector();
    situ_optimizer *opt = situ_adam(net);
    situ_item(loss_of(net));
    situ_optimizer_step(opt, loss_of(net));
    situ_item(loss_of(net));
    situ_plan_counters before = situ_plans();
    situ_tensor *loss = loss_of(net);
    situ_optimizer_step(opt, loss);
    situ_plan_counters after = situ_plans();
    CHECK_EQ(after.made + after.reused, before.made + before.reused);
    CHECK(isfinite(situ_item(loss)));
    after = situ_plans();
    CHECK_EQ(after.made + after.reused, before.made + before.reused + 1);
    situ_optimizer_free(opt);
    situ_module_free(net);
}

/* A network with dropout, batches sliced from a resident set, clipping and a learning rate that moves. */
TEST_IN_SCOPE(a_thousand_steps_make_few_plans)
{
    enum { ROWS = 1000, BATCH = 20, WIDE = 8 };
    situ_tensor *x = situ_keep(situ_normal(situ_key(1), SHAPE(ROWS, WIDE))), *y = situ_keep(situ_randint(situ_key(2), SHAPE(ROWS), 0, 3));
    situ_eval(TENSORS(x, y));
    situ_module *net = situ_sequential(situ_linear_layer(16), situ_relu_layer(), situ_dropout_layer(0.3), situ_linear_layer(3));
    situ_optimizer *opt = situ_adam(net, .clip_norm = 1);
    int64_t before = situ_plans().made;
    double last = 0;
    for (int i = 0; i < 1000; i++) {
        situ_scope *step = situ_scope_open();
        int64_t first = i % (ROWS / BATCH) * BATCH;
        situ_tensor *rows = situ_slice(x, .start = SHAPE(first), .stop = SHAPE(first + BATCH));
        situ_tensor *labels = situ_slice(y, .start = SHAPE(first), .stop = SHAPE(first + BATCH));
        situ_optimizer_set_lr(opt, 0.01 * (1 + cos(3.14159 * i / 1000)) / 2);
        situ_tensor *loss = situ_cross_entropy(situ_module_call(net, rows), labels);
        situ_optimizer_step(opt, loss);
        last = situ_item(loss);
        situ_scope_close(step);
    }
    CHECK(isfinite(last));
    CHECK(situ_plans().made - before <= 4);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_release(x);
    situ_release(y);
}

TEST(parts_on_two_devices_are_one_batch)
{
    if (situ_num_gpus() < 2) SKIP("set SITU_SIM_GPUS=2");
    enum { ROWS = 12, WIDE = 5 };
    float one[3 * WIDE], two[2][3 * WIDE];
    situ_device both[] = {situ_gpu(0), situ_gpu(1)};
    for (int turn = 0; turn < 2; turn++) {
        situ_scope *scope = situ_scope_open();
        situ_module *net = situ_sequential(situ_linear_layer(3));
        situ_optimizer *opt = situ_sgd(net, .lr = 0.5, .momentum = 0.9, .clip_norm = 0.5);
        if (turn) situ_module_mirror(net, both, 2);
        for (int step = 0; step < 3; step++) {
            situ_tensor *x = situ_normal(situ_key(step), SHAPE(ROWS, WIDE)), *y = situ_randint(situ_key(step + 9), SHAPE(ROWS), 0, 3);
            if (!turn) {
                situ_optimizer_step(opt, situ_cross_entropy(situ_module_call(net, x), y));
                continue;
            }
            situ_tensor *loss[2];
            double weight[2] = {8.0 / ROWS, 4.0 / ROWS};
            for (int i = 0; i < 2; i++) {
                int64_t first = i ? 8 : 0, stop = i ? ROWS : 8;
                situ_tensor *part = situ_to(situ_slice(x, .start = SHAPE(first), .stop = SHAPE(stop)), both[i]);
                situ_tensor *labels = situ_to(situ_slice(y, .start = SHAPE(first), .stop = SHAPE(stop)), both[i]);
                loss[i] = situ_cross_entropy(situ_module_call(net, part, .first = first, .of = ROWS), labels);
            }
            CHECK_EQ(situ_optimizer_step_n(opt, TENSORS_OF(loss, 2), weight), 0);
            situ_mean_loss(TENSORS_OF(loss, 2), weight);
        }
        if (!turn) situ_read(situ_module_parameter(net, 0), one, sizeof one);
        for (int i = 0; turn && i < 2; i++) situ_read(situ_module_copy(net, 0, both[i]), two[i], sizeof *two);
        situ_optimizer_free(opt);
        situ_module_free(net);
        situ_scope_close(scope);
        CHECK_OK();
    }
    CHECK(!memcmp(two[0], two[1], sizeof *two));
    for (int i = 0; i < 3 * WIDE; i++) CHECK_NEAR(one[i], two[0][i], 1e-6);
}

TEST(moments_follow_a_network_that_moves)
{
    if (situ_num_gpus() < 2) SKIP("set SITU_SIM_GPUS=2");
    float stays[N], moved[N];
    for (int turn = 0; turn < 2; turn++) {
        situ_scope *scope = situ_scope_open();
        situ_module *net = vector();
        situ_optimizer *opt = situ_adam(net, .lr = 0.1);
        for (int step = 0; step < 4; step++) {
            if (turn && step == 2) situ_module_to(net, situ_gpu(1));
            situ_device d = turn && step >= 2 ? situ_gpu(1) : situ_cpu();
            situ_tensor *y = situ_module_call(net, situ_from_host(input, SHAPE(N), .device = d));
            CHECK_EQ(situ_optimizer_step(opt, situ_sum(situ_square(y))), 0);
        }
        situ_read(situ_module_parameter(net, 0), turn ? moved : stays, sizeof stays);
        situ_optimizer_free(opt);
        situ_module_free(net);
        situ_scope_close(scope);
        CHECK_OK();
    }
    CHECK(!memcmp(stays, moved, sizeof stays));
}

/* ---- faults: a step that fails changes nothing ---- */

enum { MLP_VALUES = 5 * 4 + 5 + 3 * 5 + 3 };

static void read_values(situ_module *net, float *out)
{
    for (int i = 0; i < situ_module_count(net); i++) {
        situ_tensor *p = situ_module_parameter(net, i);
        situ_read(p, out, (size_t)situ_count(p) * sizeof *out);
        out += situ_count(p);
    }
}

typedef struct model {
    situ_module *net;
    situ_optimizer *opt;
    situ_device device;
} model;

static model model_on(situ_device d)
{
    model m = {situ_sequential(situ_linear_layer(5), situ_relu_layer(), situ_dropout_layer(0.2), situ_linear_layer(3)), NULL, d};
    m.opt = situ_adam(m.net, .lr = 0.1, .clip_norm = 1);
    return m;
}

static void step_with(const model *m, int32_t label)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_normal(situ_key(1, .device = m->device), SHAPE(4, 4));
    situ_tensor *y = situ_from_host(((int32_t[]){0, 1, 2, label}), SHAPE(4), .dtype = SITU_I32, .device = m->device);
    situ_tensor *loss = situ_cross_entropy(situ_module_call(m->net, x, .step = 1), y);
    situ_optimizer_step(m->opt, loss);
    situ_item(loss);
    situ_scope_close(scope);
}

static void model_free(model *m)
{
    situ_optimizer_free(m->opt);
    situ_module_free(m->net);
}

TEST(a_bad_label_changes_no_parameter)
{
    float before[MLP_VALUES], after[MLP_VALUES];
    situ_device device[] = {situ_cpu(), situ_try_gpu(0)};
    for (int i = 0; i < 2; i++) {
        model m = model_on(device[i]);
        step_with(&m, 1);
        read_values(m.net, before);
        step_with(&m, 3);
        CHECK_CODE(SITU_BAD_INDEX);
        read_values(m.net, after);
        CHECK(!memcmp(before, after, sizeof before));
        step_with(&m, 0);
        read_values(m.net, after);
        CHECK(memcmp(before, after, sizeof before));
        model_free(&m);
        CHECK_OK();
    }
}

/* Each allocation of a step fails in turn, until a step needs no more. */
static void fail_in_turn(situ_device device, void (*fail)(int64_t k), bool (*struck)(void))
{
    float before[MLP_VALUES], after[MLP_VALUES];
    model m = model_on(device);
    step_with(&m, 1);
    step_with(&m, 2);
    read_values(m.net, before);
    int64_t live = 0;
    for (int64_t k = 1; k < 10000; k++) {
        fail(k);
        step_with(&m, 1);
        bool hit = struck();
        fail(0);
        if (!hit) break;
        situ_error e;
        situ_error_take(&e);
        read_values(m.net, after);
        if (e.code && !CHECK(!memcmp(before, after, sizeof before))) break;
        if (!e.code) memcpy(before, after, sizeof before); /* the step could do without it */
        if (k == 5) live = situ_test_live_buffers();
    }
    if (live) CHECK(situ_test_live_buffers() <= live + 1);
    CHECK_OK();
    read_values(m.net, after);
    CHECK(memcmp(before, after, sizeof before));
    model_free(&m);
}

TEST(failing_allocations_change_no_parameter)
{
    situ_device device[] = {situ_cpu(), situ_try_gpu(0)};
    for (int i = 0; i < 2; i++) {
        fail_in_turn(device[i], situ_test_fail_alloc, situ_test_fail_struck);
        fail_in_turn(device[i], situ_test_fail_device_alloc, situ_test_fail_device_struck);
    }
}
