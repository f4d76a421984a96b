/* When work starts and when it is done: eager mode, a wait for everything, situ_is_ready, the state "running". */
#include <math.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "support/sim_devices.h"
#include "values.h"

/* The profile "workstation" (docs/gpu.md). */
static const double product_rate = 10e12, kernel = 5e-6, start = 8e-6, call = .25e-6, question = 1e-6;

static situ_device card(int i)
{
    situ_device d = sim_device(i);
    CHECK_EQ(situ_sim_profile("workstation"), 0);
    return d;
}

static double product_seconds(double n) { return kernel + 2 * n * n * n / product_rate; }

static situ_tensor *square(situ_device d, int64_t n)
{
    situ_tensor *x = situ_uniform(situ_key(1, .device = d), SHAPE(n, n));
    situ_wait(x);
    return x;
}

TEST_IN_SCOPE(a_simulated_product_runs_until_the_virtual_clock_is_at_its_end)
{
    situ_tensor *x = square(card(0), 512), *y = situ_matmul(x, x);
    int questions = 1;
    CHECK_STR(situ_state(y), "pending");
    situ_eval(TENSORS(y));
    double from = situ_sim_clock(), takes = product_seconds(512);
    CHECK_STR(situ_state(y), "running");
    CHECK(situ_sim_clock() == from); /* looking takes no time */
    while (!situ_is_ready(y)) questions++;
    CHECK_EQ(questions, (int)ceil(takes / question)); /* each takes a microsecond: the loop ends by itself */
    CHECK_STR(situ_state(y), "stored");
    CHECK_NEAR(situ_sim_clock() - from, questions * question, 1e-12);
    from = situ_sim_clock();
    situ_wait(y);
    CHECK(situ_sim_clock() == from); /* nothing is left to wait for */
    y = situ_matmul(y, x);
    CHECK(!situ_is_ready(y)); /* the question started it */
    situ_sim_host(takes - 2.5 * question);
    CHECK(!situ_is_ready(y));
    CHECK(situ_is_ready(y) && !strcmp(situ_state(y), "stored"));
}

/* ---- the CPU ----------------------------------------------------------------------------------------------------------- */

static sem_t may_end;
static int infer_same(situ_custom_shape *c)
{
    c->shape = c->in_shape[0];
    c->dtype = c->in_dtype[0];
    return 0;
}
static int run_when_told(const situ_custom_run *c)
{
    while (sem_wait(&may_end)) {}
    memcpy(c->out, c->in[0], sizeof(float) * (size_t)c->shape.dim[0]);
    return 0;
}

TEST_IN_SCOPE(the_cpu_runs_until_it_is_done)
{
    enum { N = 1 << 20 }; /* too much to be computed within the call */
    sem_init(&may_end, 0, 0);
    const situ_custom *slow = situ_custom_new("slow", 1, infer_same, run_when_told, NULL);
    situ_tensor *x = situ_exp(situ_ones(SHAPE(N))), *y = situ_custom_call(slow, TENSORS(x), NULL, 0);
    CHECK_STR(situ_state(y), "pending");
    situ_tensor *kept = situ_keep(y);
    CHECK(!situ_is_ready(y));
    CHECK_STR(situ_state(y), "running");
    CHECK_STR(situ_state(kept), "running");
    CHECK(!situ_is_ready(kept));
    sem_post(&may_end);
    situ_wait(y);
    CHECK(situ_is_ready(y) && situ_is_ready(kept));
    CHECK_STR(situ_state(y), "stored");
    situ_release(kept);
    sem_destroy(&may_end);
}

TEST_IN_SCOPE(a_loop_that_asks_ends_after_an_error)
{
    CHECK(situ_is_ready(NULL));
    CHECK_CODE(SITU_BAD_ARGUMENT);
    situ_tensor *bad = situ_matmul(F32(1, 2), F32(1, 2, 3));
    CHECK(situ_is_ready(bad)); /* the error sticks */
    CHECK_CODE(SITU_BAD_SHAPE);
    situ_tensor *v = situ_variable(F32(1, 2));
    situ_assign(v, situ_add(v, 1));
    while (!situ_is_ready(v)) {}
    IS(v, "[2., 3.] f32[2]");
    situ_tensor *huge = situ_ones(SHAPE((int64_t)1 << 50), .device = card(0));
    CHECK(situ_is_ready(huge));
    CHECK_CODE(SITU_DEVICE_MEMORY);
    situ_release(v);
}

/* ---- eager mode ---------------------------------------------------------------------------------------------------------- */

TEST_IN_SCOPE(eager_work_is_beside_the_hosts)
{
    situ_tensor *x = square(card(0), 512);
    double work = product_seconds(512), took[2];
    for (int eager = 0; eager < 2; eager++) {
        CHECK(!situ_eager(eager));
        double from = situ_sim_clock();
        situ_tensor *c = situ_matmul(x, x);
        CHECK_STR(situ_state(c), eager ? "running" : "pending");
        situ_sim_host(work);
        situ_wait(c);
        took[eager] = situ_sim_clock() - from;
        CHECK_EQ(situ_eager(false), eager);
    }
    CHECK_NEAR(took[0], call + start + 2 * work, 1e-12);
    CHECK_NEAR(took[1], call + start + work, 1e-12);
    CHECK_STR(situ_state(situ_matmul(x, x)), "pending"); /* it is off again */
}

/* Each call is a plan of its own, what a function is composed of included; an outer function's parts do not start alone. */
TEST_IN_SCOPE(each_call_starts_a_plan)
{
    situ_tensor *x = F32(1, 2, 3), *v = situ_variable(F32(1, 2, 3)), *g;
    situ_eager(true);
    situ_plan_counters before = situ_plans();
    situ_tensor *y = situ_add(x, 1), *z = situ_mse(y, situ_mul(x, 2));
    situ_plan_counters after = situ_plans();
    CHECK_EQ(after.made + after.reused - before.made - before.reused, 3);
    CHECK(strcmp(situ_state(y), "pending") && strcmp(situ_state(z), "pending"));
    situ_grad(situ_sum(situ_square(v)), TENSORS(v), &g);
    CHECK(strcmp(situ_state(g), "pending"));
    IS(g, "[2., 4., 6.] f32[3]");
    situ_assign(v, situ_sub(v, g));
    situ_tensor *now = situ_mul(v, 1);
    CHECK_EQ(situ_eager(false), true);
    IS(now, "[-1., -2., -3.] f32[3]");
    situ_release(v);
}

static void train(bool eager, int devices, float *out)
{
    situ_eager(eager);
    situ_tensor *w = situ_variable(situ_normal(situ_key(7, .device = devices ? card(0) : situ_cpu()), SHAPE(4, 3)));
    for (int i = 0; i < 5; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_normal(situ_key(i, .device = situ_device_of(w)), SHAPE(8, 4)), *g;
        situ_tensor *p = situ_softmax(situ_matmul(x, w)), *loss = situ_mean(situ_negative(situ_log(situ_add(p, 1e-3))));
        situ_grad(loss, TENSORS(w), &g);
        situ_assign(w, situ_sub(w, situ_mul(situ_clip(g, -.1, .1), .5)));
        situ_scope_close(scope);
    }
    situ_module *net = situ_sequential(situ_linear_layer(6), situ_batch_norm_layer(), situ_gelu_layer(), situ_linear_layer(2));
    situ_optimizer *opt = situ_adam(net, .lr = .01);
    for (int i = 0; i < 5; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_normal(situ_key(i), SHAPE(8, 3));
        situ_optimizer_step(opt, situ_mse(situ_module_call(net, x), situ_ones(SHAPE(8, 2))));
        situ_scope_close(scope);
    }
    situ_scope *scope = situ_scope_open();
    situ_read(situ_reshape(w, SHAPE(12)), out, 12 * sizeof *out);
    situ_read(situ_reshape(situ_module_call(net, situ_ones(SHAPE(3, 3))), SHAPE(6)), out + 12, 6 * sizeof *out);
    situ_scope_close(scope);
    situ_eager(false);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_release(w);
}

TEST(eager_trainings_have_the_same_bits)
{
    for (int gpu = 0; gpu < 2; gpu++) {
        float lazy[18], eager[18];
        train(false, gpu, lazy);
        train(true, gpu, eager);
        CHECK_OK();
        CHECK(!memcmp(lazy, eager, sizeof lazy));
    }
}

static situ_tensor *forward_own(situ_module *m, situ_tensor *x, void *self)
{
    (void)m, (void)self;
    return situ_mul(situ_exp(x), situ_add(x, 2));
}

static char *exported(situ_module *net, bool eager, size_t *size)
{
    const char *path = test_path(eager ? "eager.onnx" : "lazy.onnx");
    situ_scope *scope = situ_scope_open();
    situ_eager(eager);
    CHECK_EQ(situ_onnx_save(net, path, TENSORS(situ_ones(SHAPE(2, 3)))), 0);
    situ_eager(false);
    situ_scope_close(scope);
    FILE *f = fopen(path, "rb");
    char *text = malloc(1 << 16);
    *size = f && text ? fread(text, 1, 1 << 16, f) : 0;
    if (f) fclose(f);
    return text;
}

/* What a program's own forward function records while a network is exported is a graph, and no value. */
TEST(eager_mode_exports_the_same_network)
{
    static const situ_module_kind own = {.name = "own", .forward = forward_own};
    situ_module *net = situ_sequential(situ_linear_layer(4), situ_module_custom(&own, NULL));
    size_t size[2];
    char *text[2];
    for (int eager = 0; eager < 2; eager++) text[eager] = exported(net, eager, &size[eager]);
    CHECK(size[0] > 100 && size[0] == size[1] && !memcmp(text[0], text[1], size[0]));
    free(text[0]);
    free(text[1]);
    situ_module_free(net);
}

TEST_IN_SCOPE(eager_mode_says_errors_at_the_call)
{
    situ_device d = card(0);
    situ_eager(true);
    CHECK_FAILS(SITU_DEVICE_MEMORY, situ_ones(SHAPE((int64_t)1 << 50), .device = d), "test_eager.c");
    IS(situ_add(F32(1, 2), 1), "[2., 3.] f32[2]");
    situ_eager(false);
}

/* ---- a wait for everything ------------------------------------------------------------------------------------------------ */

TEST_IN_SCOPE(a_wait_for_everything_starts_what_is_kept_or_assigned)
{
    situ_tensor *outer = situ_keep(situ_exp(F32(0))), *v = situ_variable(F32(1, 2));
    situ_scope *scope = situ_scope_open();
    situ_tensor *inner = situ_keep(situ_add(F32(1), 1)), *loose = situ_add(F32(1), 2);
    situ_assign(v, situ_add(v, 1));
    CHECK_STR(situ_state(outer), "pending");
    CHECK_STR(situ_state(inner), "pending");
    CHECK_EQ(situ_wait(NULL), 0);
    CHECK_STR(situ_state(outer), "stored");
    CHECK_STR(situ_state(inner), "stored");
    CHECK_STR(situ_state(loose), "pending");
    situ_plan_counters before = situ_plans();
    IS(v, "[2., 3.] f32[2]");
    CHECK_EQ(situ_wait(NULL), 0);
    CHECK_EQ(situ_plans().made + situ_plans().reused, before.made + before.reused); /* nothing was left to start */
    situ_scope_close(scope);
    situ_release(outer);
    situ_release(inner);
    situ_release(v);
}

TEST_IN_SCOPE(a_wait_for_everything_awaits_what_is_kept_on_the_virtual_clock)
{
    situ_tensor *x = square(card(0), 512), *y = situ_keep(situ_matmul(x, x));
    double from = situ_sim_clock();
    situ_wait(NULL);
    CHECK_NEAR(situ_sim_clock() - from, start + product_seconds(512), 1e-12);
    CHECK(situ_is_ready(y));
    situ_release(y);
}
