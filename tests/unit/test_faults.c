/* A training step that fails changes nothing and leaks nothing, and the next step works. */
#include <situ.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/device.h"
#include "support/settled.h"
#include "support/sim_devices.h"
#include "values.h"

/* ---- a small network, trained with momentum -------------------------------------------------------------------- */

enum { BATCH = 6, IN = 5, HIDDEN = 7, OUT = 3, PARAMETERS = 4, VARIABLES = 2 * PARAMETERS, NUMBERS = 2 * (IN * HIDDEN + HIDDEN + HIDDEN * OUT + OUT) };

typedef struct network {
    situ_device device;
    situ_tensor *variable[VARIABLES]; /* parameters, then their momenta */
} network;

typedef struct numbers { float value[NUMBERS]; } numbers;

static network network_new(situ_device d)
{
    network n = {.device = d};
    situ_shape shape[PARAMETERS] = {SHAPE(IN, HIDDEN), SHAPE(HIDDEN), SHAPE(HIDDEN, OUT), SHAPE(OUT)};
    IN_SCOPE {
        for (int i = 0; i < VARIABLES; i++) {
            situ_tensor *first = i < PARAMETERS ? situ_uniform(situ_key(i, .device = d), shape[i], .low = -0.5, .high = 0.5)
                                                : situ_zeros(shape[i - PARAMETERS], .device = d);
            n.variable[i] = situ_variable(first, .trainable = i < PARAMETERS);
        }
    }
    CHECK_OK();
    return n;
}

static void network_free(network *n)
{
    for (int i = 0; i < VARIABLES; i++) situ_release(n->variable[i]);
}

static numbers network_read(const network *n)
{
    numbers all = {{0}};
    float *at = all.value;
    IN_SCOPE {
        for (int i = 0; i < VARIABLES; i++) {
            size_t count = (size_t)situ_count(n->variable[i]);
            CHECK_EQ(situ_read(n->variable[i], at, 4 * count), 0);
            at += count;
        }
    }
    CHECK_OK();
    return all;
}

static situ_tensor *network_loss(const network *n, const int64_t *label)
{
    static float pixel[BATCH * IN];
    for (int i = 0; i < BATCH * IN; i++) pixel[i] = (float)(i * 7 % 11) / 11;
    situ_tensor *x = situ_from_host(pixel, SHAPE(BATCH, IN), .device = n->device);
    situ_tensor *y = situ_from_host(label, SHAPE(BATCH), .dtype = SITU_I64, .device = n->device);
    situ_tensor *hidden = situ_relu(situ_add(situ_matmul(x, n->variable[0]), n->variable[1]));
    return situ_cross_entropy(situ_add(situ_matmul(hidden, n->variable[2]), n->variable[3]), y);
}

static void network_update(const network *n, situ_tensor *loss)
{
    situ_tensor *grad[PARAMETERS];
    if (situ_grad(loss, TENSORS_OF(n->variable, PARAMETERS), grad)) return;
    for (int i = 0; i < PARAMETERS; i++) {
        situ_tensor *m = n->variable[PARAMETERS + i];
        situ_assign(m, situ_add(situ_mul(m, 0.9), grad[i]));
        situ_assign(n->variable[i], situ_sub(n->variable[i], situ_mul(m, 0.1)));
    }
}

static const int64_t good[BATCH] = {0, 1, 2, 2, 1, 0}, bad[BATCH] = {0, 1, 2, 99, 1, 0};

/* Runs one step; returns the error's code, or 0. */
static int network_step(const network *n, const int64_t *label)
{
    situ_scope *scope = situ_scope_open();
    if (scope) {
        situ_tensor *loss = network_loss(n, label);
        network_update(n, loss);
        situ_item(loss);
    }
    situ_scope_close(scope);
    situ_wait(NULL);
    return situ_failed();
}

/* ---- every allocation fails once --------------------------------------------------------------------------------- */

typedef struct torture {
    situ_device device;
    void (*fail)(int64_t k);
    bool (*struck)(void);
    bool planned; /* with the plans in the cache */
} torture;

static void torture_run(torture t)
{
    forget_plans(); /* those of other tests */
    network n = network_new(t.device);
    numbers before, after;
    int failures = 0;
    for (int i = 0; i < 2; i++) CHECK_EQ(network_step(&n, good), 0);
    if (!t.planned) forget_plans();
    int64_t buffers = situ_test_live_buffers(), blocks = situ_test_live_blocks();
    bool struck = true;
    for (int64_t k = 1; struck && k < 5000; k++) {
        before = network_read(&n);
        if (!t.planned) forget_plans();
        t.fail(k);
        int code = network_step(&n, good);
        struck = t.struck();
        t.fail(0);
        situ_error error;
        situ_error_take(&error);
        situ_error_take(NULL);
        failures += code != 0;
        after = network_read(&n);
        bool same = !memcmp(&before, &after, sizeof before);
        if (code && !CHECK(code == SITU_NO_MEMORY || code == SITU_DEVICE_MEMORY || code == SITU_NO_THREAD)) test_check_string(error.message, "", __FILE__, (int)k, "message");
        if (code ? !CHECK(same) : !CHECK(!same)) test_check_string(error.message, "all or nothing", __FILE__, (int)k, "allocation");
        if (code && !CHECK(error.message[0])) break;
        if (!CHECK_EQ(situ_test_live_buffers(), buffers)) break;
        if (code && !CHECK_EQ(network_step(&n, good), 0)) break; /* the next one works */
    }
    CHECK(!struck && failures > 0);
    if (!t.planned) forget_plans();
    CHECK(situ_test_live_blocks() <= blocks + 16);
    network_free(&n);
    situ_wait(NULL);
    CHECK_OK();
}

TEST(each_host_allocation_of_a_planned_step_on_the_cpu) { torture_run((torture){situ_cpu(), situ_test_fail_alloc, situ_test_fail_struck, true}); }
TEST(each_host_allocation_of_a_new_step_on_the_cpu) { torture_run((torture){situ_cpu(), situ_test_fail_alloc, situ_test_fail_struck, false}); }
TEST(each_device_allocation_of_a_step_on_the_cpu) { torture_run((torture){situ_cpu(), situ_test_fail_device_alloc, situ_test_fail_device_struck, false}); }
TEST(each_host_allocation_of_a_planned_step_on_a_gpu) { torture_run((torture){sim_device(0), situ_test_fail_alloc, situ_test_fail_struck, true}); }
TEST(each_host_allocation_of_a_new_step_on_a_gpu) { torture_run((torture){sim_device(0), situ_test_fail_alloc, situ_test_fail_struck, false}); }
TEST(each_device_allocation_of_a_step_on_a_gpu) { torture_run((torture){sim_device(0), situ_test_fail_device_alloc, situ_test_fail_device_struck, false}); }

/* A failed step has no effect on the steps after it. */
TEST(steps_after_a_failure_are_those_of_a_run_without_it)
{
    network a = network_new(situ_cpu()), b = network_new(situ_cpu());
    for (int i = 0; i < 3; i++) CHECK_EQ(network_step(&a, good), 0);
    CHECK_EQ(network_step(&b, good), 0);
    CHECK_EQ(network_step(&b, bad), SITU_BAD_INDEX);
    situ_error_take(NULL);
    situ_test_fail_alloc(1);
    CHECK_EQ(network_step(&b, good), SITU_NO_MEMORY);
    situ_test_fail_alloc(0);
    situ_error_take(NULL);
    for (int i = 0; i < 2; i++) CHECK_EQ(network_step(&b, good), 0);
    numbers x = network_read(&a), y = network_read(&b);
    CHECK(!memcmp(&x, &y, sizeof x));
    network_free(&a);
    network_free(&b);
}

/* ---- a bad label, found on the device ---------------------------------------------------------------------------- */

static void bad_label(situ_device d)
{
    network n = network_new(d);
    CHECK_EQ(network_step(&n, good), 0);
    numbers before = network_read(&n);
    int line = 0;
    IN_SCOPE { /* the loss is read */
        line = __LINE__ + 1;
        situ_tensor *loss = network_loss(&n, bad), *other = situ_add(F32(1), 1);
        network_update(&n, loss);
        CHECK_EQ(situ_eval(TENSORS(loss)), 0);
        IS(other, "[2.] f32[1]"); /* waits on others succeed */
        (void)line;
        CHECK(situ_item(loss) != situ_item(loss));
        CHECK(strstr(situ_error_message(), "cross_entropy: label 99 in row 3, the network gives 3 scores"));
        CHECK(strstr(situ_error_message(), "test_faults.c:")); /* the call that made the loss */
        CHECK(strstr(situ_error_message(), "no variable was changed"));
        CHECK_CODE(SITU_BAD_INDEX);
        CHECK_EQ(situ_wait(NULL), 0); /* reported once */
    }
    numbers after = network_read(&n);
    CHECK(!memcmp(&before, &after, sizeof before));
    IN_SCOPE network_update(&n, network_loss(&n, bad)); /* not read by anybody: the next wait for everything reports it */
    CHECK_FAILS(SITU_BAD_INDEX, situ_wait(NULL));
    after = network_read(&n);
    CHECK(!memcmp(&before, &after, sizeof before));
    CHECK_EQ(network_step(&n, good), 0);
    after = network_read(&n);
    CHECK(memcmp(&before, &after, sizeof before));
    network_free(&n);
}

TEST(a_bad_label_on_the_cpu) { bad_label(situ_cpu()); }
TEST(a_bad_label_on_a_gpu) { bad_label(sim_device(0)); }

/* Also if new values get new memory, because old ones are kept. */
static void bad_label_while_old_values_are_kept(situ_device d)
{
    network n = network_new(d);
    CHECK_EQ(network_step(&n, good), 0);
    numbers before = network_read(&n);
    situ_tensor *old[VARIABLES];
    IN_SCOPE for (int i = 0; i < VARIABLES; i++) old[i] = situ_keep(n.variable[i]);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(network_step(&n, bad), SITU_BAD_INDEX);
        CHECK_CODE(SITU_BAD_INDEX);
        numbers after = network_read(&n);
        CHECK(!memcmp(&before, &after, sizeof before));
    }
    CHECK_EQ(network_step(&n, good), 0);
    for (int i = 0; i < VARIABLES; i++) situ_release(old[i]);
    network_free(&n);
}

TEST(a_bad_label_while_old_values_are_kept_on_the_cpu) { bad_label_while_old_values_are_kept(situ_cpu()); }
TEST(a_bad_label_while_old_values_are_kept_on_a_gpu) { bad_label_while_old_values_are_kept(sim_device(0)); }

/* If the very first step of a network fails, while all first values and moments are pending, training continues as if
 * it had not been made. */
TEST(the_first_step_of_all_may_fail)
{
    float weight[2][8], mean[2][3], x[] = {1, 2, 3, 4, 5, 6};
    const int32_t label[2][2] = {{0, 77}, {0, 1}};
    for (int fails = 0; fails < 2; fails++) {
        situ_scope *all = situ_scope_open();
        situ_module *net = situ_sequential(situ_batch_norm_layer(), situ_linear_layer(4));
        situ_optimizer *opt = situ_sgd(net, .lr = 0.1, .momentum = 0.9);
        for (int i = !fails; i < 3; i++) {
            situ_tensor *loss = situ_cross_entropy(situ_module_call(net, situ_from_host(x, SHAPE(2, 3))), situ_from_host(label[i > 0], SHAPE(2), .dtype = SITU_I32));
            CHECK_EQ(situ_optimizer_step(opt, loss), 0);
            double value = situ_item(loss);
            CHECK_EQ(situ_error_take(NULL), i ? 0 : SITU_BAD_INDEX);
            CHECK(!i || value > 0);
        }
        CHECK_EQ(situ_read(situ_slice(situ_module_find(net, "1.weight"), .start = SHAPE(0, 0), .stop = SHAPE(4, 2)), weight[fails], sizeof *weight), 0);
        CHECK_EQ(situ_read(situ_module_find(net, "0.running_mean"), mean[fails], sizeof *mean), 0);
        situ_optimizer_free(opt);
        situ_module_free(net);
        situ_scope_close(all);
    }
    CHECK(!memcmp(weight[0], weight[1], sizeof *weight));
    CHECK(!memcmp(mean[0], mean[1], sizeof *mean));
}

/* Several steps are in flight and one of them fails: only that one changes nothing. */
TEST(a_bad_step_among_good_ones_in_flight)
{
    network a = network_new(sim_device(0)), b = network_new(sim_device(0));
    for (int i = 0; i < 9; i++) {
        if (i % 3 != 1) IN_SCOPE network_update(&a, network_loss(&a, good));
        IN_SCOPE network_update(&b, network_loss(&b, i % 3 == 1 ? bad : good));
    }
    CHECK_FAILS(SITU_BAD_INDEX, situ_wait(NULL));
    numbers x = network_read(&a), y = network_read(&b);
    CHECK(!memcmp(&x, &y, sizeof x));
    network_free(&a);
    network_free(&b);
}

/* ---- on several devices: all of them or none --------------------------------------------------------------------- */

/* Gradients of both losses are added on the first device and copied to the second, as a mirrored step does. */
static int mirrored_step(const network *a, const network *b, const int64_t *label_a, const int64_t *label_b)
{
    situ_tensor *grad_a[PARAMETERS], *grad_b[PARAMETERS];
    IN_SCOPE {
        situ_tensor *loss_a = network_loss(a, label_a), *loss_b = network_loss(b, label_b);
        situ_grad(loss_a, TENSORS_OF(a->variable, PARAMETERS), grad_a);
        situ_grad(loss_b, TENSORS_OF(b->variable, PARAMETERS), grad_b);
        for (int i = 0; i < PARAMETERS && !situ_failed(); i++) {
            situ_tensor *sum = situ_add(grad_a[i], situ_to(grad_b[i], a->device)), *back = situ_to(sum, b->device);
            situ_assign(a->variable[i], situ_sub(a->variable[i], situ_mul(sum, 0.1)));
            situ_assign(b->variable[i], situ_sub(b->variable[i], situ_mul(back, 0.1)));
        }
    }
    return situ_wait(NULL);
}

/* Two independent steps in one plan: the devices share only the error state. */
static int parallel_step(const network *a, const network *b, const int64_t *label_a, const int64_t *label_b)
{
    IN_SCOPE {
        network_update(a, network_loss(a, label_a));
        network_update(b, network_loss(b, label_b));
    }
    return situ_wait(NULL);
}

TEST(a_bad_label_on_one_device_changes_the_variables_of_none)
{
    network a = network_new(sim_device(0)), b = network_new(sim_device(1));
    for (int way = 0; way < 2; way++) {
        int (*step)(const network *, const network *, const int64_t *, const int64_t *) = way ? parallel_step : mirrored_step;
        for (int i = 0; i < 20; i++) {
            CHECK_EQ(step(&a, &b, good, good), 0);
            numbers before_a = network_read(&a), before_b = network_read(&b);
            CHECK_EQ(step(&a, &b, i % 2 ? good : bad, i % 2 ? bad : good), -SITU_BAD_INDEX);
            CHECK_CODE(SITU_BAD_INDEX);
            numbers after_a = network_read(&a), after_b = network_read(&b);
            CHECK(!memcmp(&before_a, &after_a, sizeof before_a));
            CHECK(!memcmp(&before_b, &after_b, sizeof before_b));
        }
        if (way) continue;
        numbers x = network_read(&a), y = network_read(&b); /* and both copies stay one */
        CHECK(!memcmp(&x, &y, sizeof x));
    }
    network_free(&a);
    network_free(&b);
}

TEST(each_allocation_of_a_mirrored_step)
{
    network a = network_new(sim_device(0)), b = network_new(sim_device(1));
    for (int device = 0; device < 2; device++) {
        for (int64_t k = 1, struck = 1; struck && k < 2000; k++) {
            numbers before = network_read(&a);
            (device ? situ_test_fail_device_alloc : situ_test_fail_alloc)(k);
            int code = mirrored_step(&a, &b, good, good);
            struck = device ? situ_test_fail_device_struck() : situ_test_fail_struck();
            situ_test_fail_alloc(0);
            situ_test_fail_device_alloc(0);
            situ_error_take(NULL);
            numbers after = network_read(&a), other = network_read(&b);
            CHECK(!code == !!memcmp(&before, &after, sizeof before));
            if (!CHECK(!memcmp(&after, &other, sizeof after))) return;
        }
    }
    network_free(&a);
    network_free(&b);
}

/* ---- a lost device ----------------------------------------------------------------------------------------------- */

static bool readable(const network *n)
{
    float out[IN * HIDDEN];
    int failed = 0;
    IN_SCOPE for (int i = 0; i < VARIABLES; i++) {
        failed += situ_read(n->variable[i], out, 4 * (size_t)situ_count(n->variable[i])) != 0;
        if (situ_failed()) CHECK_CODE(SITU_DEVICE_LOST);
    }
    CHECK(!failed || failed == VARIABLES); /* all or none */
    return !failed;
}

TEST(a_device_lost_at_each_kernel_of_a_step)
{
    situ_device d = sim_device(2);
    network n = network_new(d);
    int lost = 0, unreadable = 0;
    for (int k = 1; k < 100; k++) {
        CHECK_EQ(network_step(&n, good), 0);
        numbers before = network_read(&n);
        CHECK_EQ(situ_sim_configure(d, SITU_SIM(.lose_at = k)), 0);
        int code = network_step(&n, good);
        if (code) CHECK(strstr(situ_error_message(), "device lost"));
        situ_error_take(NULL);
        situ_wait(NULL); /* where reading the loss failed by itself, what it waited for had failed too */
        situ_error_take(NULL);
        CHECK_EQ(situ_sim_configure(d, SITU_SIM(.lose_at = -1)), 0);
        if (!code) break;
        IN_SCOPE IS(situ_add(F32(1), 1), "[2.] f32[1]"); /* the process and the others are fine */
        lost++;
        if (readable(&n)) {
            numbers after = network_read(&n);
            CHECK(!memcmp(&before, &after, sizeof before));
            continue;
        }
        /* The device is lost in the middle of the update: no reader sees half a step, and new values repair the
         * variables. */
        unreadable++;
        network again = network_new(d);
        IN_SCOPE for (int i = 0; i < VARIABLES; i++) situ_assign(n.variable[i], again.variable[i]);
        CHECK_EQ(situ_wait(NULL), 0);
        CHECK_OK();
        network_free(&again);
    }
    CHECK(lost > 3 && unreadable < lost);
    network_free(&n);
}

/* ---- memory limits ----------------------------------------------------------------------------------------------- */

TEST(over_the_limit_the_largest_tensors_are_listed_and_a_smaller_program_runs)
{
    situ_device d = sim_device(3);
    CHECK_EQ(situ_memory_trim(d), 0);
    int64_t buffers = settled_buffers(), used = memory_in_use(d);
    CHECK_EQ(situ_memory_limit(d, used + (1 << 20)), 0);
    situ_tensor *big = NULL, *v = NULL;
    IN_SCOPE {
        big = situ_name(situ_keep(situ_ones(SHAPE(300, 300), .device = d)), "big");
        v = situ_variable(situ_zeros(SHAPE(1000), .device = d), .name = "state");
    }
    CHECK_EQ(situ_wait(NULL), 0);
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(600, 600), .device = d), *y = situ_matmul(x, x);
        CHECK_EQ(situ_assign(v, situ_add(v, 1)), 0);
        CHECK_EQ(situ_eval(TENSORS(y)), -SITU_DEVICE_MEMORY);
        CHECK(strstr(situ_error_message(), "\"big\" f32[300,300]") || strstr(situ_error_message(), "f32[300,300] 351.6 KiB"));
        CHECK(strstr(situ_error_message(), "\"state\" f32[1000]") || strstr(situ_error_message(), "f32[1000]"));
        CHECK(strstr(situ_error_message(), "the limit is"));
        CHECK(strstr(situ_error_message(), "test_faults.c:"));
        CHECK_CODE(SITU_DEVICE_MEMORY);
    }
    CHECK_EQ(situ_wait(NULL), 0);
    IN_SCOPE {
        situ_tensor *x = situ_ones(SHAPE(100, 100), .device = d);
        CHECK_NEAR(situ_item(situ_sum(situ_matmul(x, x))), 1e6, 0);
        CHECK_NEAR(situ_item(situ_sum(v)), 0, 0); /* it was part of the plan that failed */
    }
    situ_release(big);
    situ_release(v);
    situ_wait(NULL);
    CHECK_EQ(situ_memory_limit(d, 0), 0);
    CHECK_EQ(situ_test_live_buffers(), buffers);
    CHECK_EQ(memory_in_use(d), used);
}

/* A copy from the device may fail after a later kernel of the plan ran: the target's old contents must not be shown to
 * anybody. */
TEST(a_copy_off_a_device_that_was_just_lost_has_its_value_or_an_error)
{
    situ_device d = sim_device(0);
    for (int time = 0; time < 60; time++)
        IN_SCOPE {
            float out[4] = {0};
            situ_tensor *x = situ_from_host(((float[]){1, 2, 3, 4}), SHAPE(4), .device = d);
            situ_sim_configure(d, SITU_SIM(.lose_at = 1));
            situ_tensor *copy = situ_copy_to(x, situ_cpu()), *v = situ_variable(situ_exp(x));
            int rc = situ_read(copy, out, sizeof out);
            CHECK(rc < 0 || (out[0] == 1 && out[1] == 2 && out[2] == 3 && out[3] == 4));
            situ_error_take(NULL);
            if (situ_wait(NULL)) situ_error_take(NULL);
            situ_release(v);
            situ_sim_configure(d, SITU_SIM(.lose_at = -1));
        }
}
