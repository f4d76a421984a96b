/* Launches with products as CUDA graphs, on the fake driver and the fake cuBLASLt: a repeated training step is started
 * by one call, and its values are those of separate launches. */
#include <situ.h>

#include "support/fake_library.h"

enum { ROWS = 8, IN = 12, HIDDEN = 70, OUT = 5, STEPS = 12 };

/* True in the process whose GPUs are fake ones, with the fake library. */
static bool with_library(const char *name, const char *more) { return on_fake_library("cuda_graphs", name, "SITU_CUBLASLT", "libcublasLt.so", more); }

static void expect_tidy(void)
{
    CHECK_OK();
    check_fakes_are_tidy();
}

/* ---- a network ---------------------------------------------------------------------------------------------------------- */

typedef struct trained { float weights[OUT * HIDDEN], loss[STEPS]; } trained;
typedef struct counts { long graphs, kernels, products, children, parameters, waits; } counts;

static counts now(void)
{
    return (counts){calls_of("cuGraphLaunch"), calls_of("cuLaunchKernel"), calls_of("cublasLtMatmul"), calls_of("cuGraphExecChildGraphNodeSetParams"),
                    calls_of("cuGraphExecKernelNodeSetParams_v2"), calls_of("cuStreamSynchronize")};
}

static void expect_since(counts before, long graphs, long kernels, long products, long children)
{
    counts after = now();
    CHECK_EQ(after.graphs - before.graphs, graphs);
    CHECK_EQ(after.kernels - before.kernels, kernels);
    CHECK_EQ(after.products - before.products, products);
    CHECK_EQ(after.children - before.children, children);
}

static situ_tensor *some(int rows, int columns, int salt, situ_device d)
{
    static float data[ROWS * 4 * IN];
    for (int i = 0; i < rows * columns; i++) data[i] = (float)((i * 7 + salt) % 9) * 0.25f - 1;
    return situ_from_host(data, SHAPE(rows, columns), .device = d);
}

/* Steps of training; batches are taken in turn. What of(step) checks after each is the caller's. */
static void train(situ_device d, int batches, int steps, void (*of)(int step, counts before), trained *out)
{
    situ_tensor *x[4], *y = NULL;
    situ_module *net = situ_sequential(situ_linear_layer(HIDDEN), situ_relu_layer(), situ_linear_layer(OUT));
    situ_module_to(net, d);
    situ_optimizer *opt = situ_adam(net, .lr = 1e-2);
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < batches; i++) x[i] = situ_keep(some(ROWS, IN, i, d));
    y = situ_keep(some(ROWS, OUT, 3, d));
    situ_scope_close(scope);
    for (int i = 0; i < steps; i++) {
        scope = situ_scope_open();
        situ_wait(NULL);
        counts before = now();
        situ_tensor *loss = situ_mse(situ_module_call(net, x[i % batches]), y);
        CHECK_EQ(situ_optimizer_step(opt, loss), 0);
        CHECK_EQ(situ_eval(TENSORS(loss)), 0);
        CHECK_EQ(situ_wait(NULL), 0);
        if (of) of(i, before);
        if (out && i < STEPS) CHECK_EQ(situ_read(loss, &out->loss[i], sizeof(float)), 0);
        situ_scope_close(scope);
    }
    if (out) CHECK_EQ(situ_read(situ_module_parameter(net, 2), out->weights, sizeof out->weights), 0);
    for (int i = 0; i < batches; i++) situ_release(x[i]);
    situ_release(y);
    situ_optimizer_free(opt);
    situ_module_free(net);
}

/* The same with separate launches of kernels and products. */
static void train_without(situ_device d, int batches, trained *out)
{
    setenv("SITU_CUDA_GRAPHS", "0", 1);
    long before = calls_of("cuGraphLaunch");
    train(d, batches, STEPS, NULL, out);
    CHECK_EQ(calls_of("cuGraphLaunch"), before);
    unsetenv("SITU_CUDA_GRAPHS");
}

static void expect_same(const trained *a, const trained *b)
{
    CHECK(!memcmp(a->loss, b->loss, sizeof a->loss));
    CHECK(!memcmp(a->weights, b->weights, sizeof a->weights));
    CHECK(a->loss[STEPS - 1] < a->loss[0]);
}

/* ---- one start a step --------------------------------------------------------------------------------------------------- */

static void one_start(int step, counts before)
{
    if (step >= 4) expect_since(before, 1, 0, 0, 0);
}

TEST(a_step_is_one_start)
{
    if (!with_library("a_step_is_one_start", "")) return;
    trained plain, replayed;
    train_without(situ_gpu(), 1, &plain);
    CHECK(calls_of("cublasLtMatmul") > 0);
    train(situ_gpu(), 1, STEPS, one_start, &replayed);
    expect_same(&plain, &replayed);
    CHECK(calls_of("cuStreamBeginCapture_v2") > 0);
    expect_tidy();
}

/* The first layer reads another batch each time, forward and backward: these two products are captured again. */
static void two_recaptured(int step, counts before)
{
    if (step >= 4) expect_since(before, 1, 0, 2, 2);
}

TEST(other_addresses_are_captured_again)
{
    if (!with_library("other_addresses", "")) return;
    trained plain, replayed;
    train_without(situ_gpu(1), 3, &plain);
    train(situ_gpu(1), 3, STEPS, two_recaptured, &replayed);
    expect_same(&plain, &replayed);
    expect_tidy();
}

TEST(a_step_is_one_start_in_any_order)
{
    static const char *const orders[] = {"FAKECUDA_ORDER=lazy", "FAKECUDA_ORDER=eager", "FAKECUDA_SEED=5"};
    if (!getenv("SITU_TEST_AGAIN")) {
        for (int i = 0; i < 3; i++) with_library("a_step_is_one_start_in_any_order", orders[i]);
        return;
    }
    if (!with_library("a_step_is_one_start_in_any_order", "")) return;
    trained plain, replayed;
    train_without(situ_gpu(), 2, &plain);
    train(situ_gpu(), 2, STEPS, NULL, &replayed);
    expect_same(&plain, &replayed);
    expect_tidy();
}

/* Labels may be invalid: a kernel tests the error words, and updates do nothing if one is set. Step `bad` has an
 * invalid label, which must give an error and leave no trace. So must step `unstarted`, whose graph cannot be started. */
static void train_labels(int bad, int unstarted, float *weights)
{
    int64_t labels[2][ROWS] = {{0, 1, 2, 3, 4, 0, 1, 2}, {0, 1, 2, OUT + 4, 4, 0, 1, 2}};
    situ_module *net = situ_sequential(situ_linear_layer(HIDDEN), situ_relu_layer(), situ_linear_layer(OUT));
    situ_module_to(net, situ_gpu());
    situ_optimizer *opt = situ_sgd(net, .lr = 0.1, .momentum = 0.5);
    situ_scope *outer = situ_scope_open();
    situ_tensor *x = some(ROWS, IN, 1, situ_gpu()), *y[2];
    for (int k = 0; k < 2; k++) y[k] = situ_from_host(labels[k], SHAPE(ROWS), .dtype = SITU_I64, .device = situ_gpu());
    float first = 0, last = 0;
    for (int i = 0; i < STEPS + (bad >= 0) + (unstarted >= 0); i++) {
        situ_scope *scope = situ_scope_open();
        situ_wait(NULL);
        counts before = now();
        situ_tensor *loss = situ_cross_entropy(situ_module_call(net, x), y[i == bad]);
        CHECK_EQ(situ_optimizer_step(opt, loss), 0);
        if (i == unstarted) fail_call("cuGraphLaunch", 1, 2);
        CHECK_EQ(situ_eval(TENSORS(loss)), 0);
        CHECK_EQ(situ_wait(NULL), i == bad ? -SITU_BAD_INDEX : i == unstarted ? -SITU_DEVICE_MEMORY : 0);
        if (i == unstarted && !CHECK(strstr(situ_error_message(), "no variable was changed"))) printf("  it says %s\n", situ_error_message());
        if (i == bad && !CHECK(strstr(situ_error_message(), "cross_entropy: label 9 in row 3, the network gives 5 scores") && strstr(situ_error_message(), "no variable was changed")))
            printf("  it says %s\n", situ_error_message());
        situ_error_take(NULL);
        if (i >= 4) {
            expect_since(before, 1, 0, 0, 0);
            CHECK_EQ(now().waits - before.waits, 1);
        }
        if (i != bad && i != unstarted) CHECK_EQ(situ_read(loss, i ? &last : &first, sizeof last), 0);
        situ_error_take(NULL);
        situ_scope_close(scope);
        situ_error_take(NULL);
    }
    CHECK(last < first);
    for (int i = 0; i < 4; i++) CHECK_EQ(situ_read(situ_module_parameter(net, i), weights + i * HIDDEN * IN, (size_t)situ_count(situ_module_parameter(net, i)) * 4), 0);
    situ_scope_close(outer);
    situ_optimizer_free(opt);
    situ_module_free(net);
}

TEST(a_step_that_can_fail_is_one_start)
{
    static float good[4 * HIDDEN * IN], other[4 * HIDDEN * IN];
    if (!with_library("a_step_that_can_fail", "")) return;
    train_labels(-1, -1, good);
    train_labels(7, 9, other);
    CHECK(!memcmp(good, other, sizeof good));
    train_labels(2, -1, other); /* separate launches */
    CHECK(!memcmp(good, other, sizeof good));
    expect_tidy();
}

/* With a wait after each kernel, the host knows about the error. */
TEST(a_step_that_can_fail_with_waits)
{
    if (!with_library("a_step_that_can_fail_with", "SITU_CUDA_SYNC=1")) return;
    float loss = 0, before[OUT * HIDDEN], after[OUT * HIDDEN];
    int64_t label = 7;
    situ_module *net = situ_sequential(situ_linear_layer(HIDDEN), situ_linear_layer(OUT));
    situ_module_to(net, situ_gpu());
    situ_optimizer *opt = situ_sgd(net, .lr = 0.1);
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = some(1, IN, 1, situ_gpu()), *y = situ_from_host(&label, SHAPE(1), .dtype = SITU_I64, .device = situ_gpu());
    CHECK_EQ(situ_eval(TENSORS(situ_module_call(net, x))), 0);
    CHECK_EQ(situ_read(situ_module_parameter(net, 2), before, sizeof before), 0);
    situ_tensor *l = situ_cross_entropy(situ_module_call(net, x), y);
    situ_optimizer_step(opt, l);
    CHECK_FAILS(SITU_BAD_INDEX, situ_read(l, &loss, sizeof loss));
    CHECK_EQ(situ_read(situ_module_parameter(net, 2), after, sizeof after), 0);
    CHECK(!memcmp(before, after, sizeof before));
    situ_scope_close(scope);
    situ_error_take(NULL);
    situ_optimizer_free(opt);
    situ_module_free(net);
    expect_tidy();
}

/* Convolutions of cuDNN are captured as products are. */
static void train_convolutions(situ_device d, float *loss)
{
    static float image[4 * 2 * 6 * 6];
    for (int i = 0; i < 4 * 2 * 6 * 6; i++) image[i] = (float)(i * 5 % 11) * 0.125f - 0.5f;
    situ_module *net = situ_sequential(situ_conv2d_layer(3, SHAPE(3), .padding = SHAPE(1)), situ_relu_layer(), situ_flatten_layer(), situ_linear_layer(OUT));
    situ_module_to(net, d);
    situ_optimizer *opt = situ_sgd(net, .lr = 0.05);
    situ_scope *outer = situ_scope_open();
    situ_tensor *x = situ_from_host(image, SHAPE(4, 2, 6, 6), .device = d), *y = some(4, OUT, 3, d);
    for (int i = 0; i < STEPS; i++) {
        situ_scope *scope = situ_scope_open();
        situ_wait(NULL);
        counts before = now();
        long executed = calls_of("cudnnBackendExecute");
        situ_tensor *l = situ_mse(situ_module_call(net, x), y);
        CHECK_EQ(situ_optimizer_step(opt, l), 0);
        CHECK_EQ(situ_eval(TENSORS(l)), 0);
        CHECK_EQ(situ_wait(NULL), 0);
        if (i >= 4 && !getenv("SITU_CUDA_GRAPHS")) {
            expect_since(before, 1, 0, 0, 0);
            CHECK_EQ(calls_of("cudnnBackendExecute"), executed);
        }
        CHECK_EQ(situ_read(l, &loss[i], sizeof *loss), 0);
        situ_scope_close(scope);
    }
    situ_scope_close(outer);
    situ_optimizer_free(opt);
    situ_module_free(net);
}

TEST(convolutions_are_in_graphs_too)
{
    char more[1200];
    snprintf(more, sizeof more, "SITU_CUDNN='%s/libcudnn.so'", fake_cuda_folder());
    if (!with_library("convolutions_are_in_graphs", more)) return;
    float plain[STEPS], replayed[STEPS];
    setenv("SITU_CUDA_GRAPHS", "0", 1);
    train_convolutions(situ_gpu(), plain);
    unsetenv("SITU_CUDA_GRAPHS");
    CHECK(calls_of("cudnnBackendExecute") > 0);
    train_convolutions(situ_gpu(), replayed);
    CHECK(!memcmp(plain, replayed, sizeof plain));
    CHECK(plain[STEPS - 1] < plain[0]);
    expect_tidy();
}

/* ---- what changes, and what is refused ------------------------------------------------------------------------------------ */

/* Rows at another position each time: products of differently aligned matrices use other algorithms, whose graphs may
 * have another structure. */
TEST(other_alignments_make_other_graphs)
{
    if (!with_library("other_alignments", "")) return;
    float out[2][24][OUT];
    situ_scope *outer = situ_scope_open();
    for (int k = 0; k < 2; k++) {
        situ_device d = k ? situ_gpu() : situ_cpu();
        situ_tensor *all = situ_keep(some(4 * ROWS, IN, 2, d)), *w = situ_keep(some(3, OUT, 4, d));
        for (int i = 0; i < 24; i++) {
            situ_scope *scope = situ_scope_open();
            int column = i < 8 ? 0 : i < 16 ? 1 : i % 4; /* the same, then another one, then always another one */
            situ_tensor *part = situ_slice(all, .start = SHAPE(0, column), .stop = SHAPE(ROWS, column + 3));
            situ_tensor *y = situ_sum(situ_add(situ_matmul(part, w), 0.5), .axes = AXES(0));
            CHECK_EQ(situ_read(y, out[k][i], sizeof out[k][i]), 0);
            situ_scope_close(scope);
        }
        situ_release(all);
        situ_release(w);
    }
    situ_scope_close(outer);
    CHECK(!memcmp(out[0], out[1], sizeof out[0])); /* small halves: exact in any order */
    CHECK(calls_of("cuGraphLaunch") >= 8);
    CHECK(calls_of("cuGraphInstantiateWithFlags") >= 2);
    expect_tidy();
}

/* A launch that gives another graph each time is soon no longer captured. */
TEST(runs_that_are_never_the_same_are_no_graphs)
{
    if (!with_library("runs_that_are_never_the_same", "")) return;
    situ_scope *outer = situ_scope_open();
    situ_tensor *all = some(4 * ROWS, IN, 2, situ_gpu()), *w = some(3, OUT, 4, situ_gpu());
    long made = 0;
    for (int i = 0; i < 60; i++) {
        situ_scope *scope = situ_scope_open();
        int column = i / 2 % 2; /* twice the same, which makes a graph, then another one */
        situ_tensor *part = situ_slice(all, .start = SHAPE(0, column), .stop = SHAPE(ROWS, column + 3));
        CHECK_EQ(situ_eval(TENSORS(situ_sum(situ_add(situ_matmul(part, w), 0.5), .axes = AXES(0)))), 0);
        CHECK_EQ(situ_wait(NULL), 0);
        if (i == 30) made = calls_of("cuGraphInstantiateWithFlags");
        situ_scope_close(scope);
    }
    CHECK(made > 1);
    CHECK_EQ(calls_of("cuGraphInstantiateWithFlags"), made);
    situ_scope_close(outer);
    expect_tidy();
}

static void check_values(situ_device d, const trained *plain)
{
    trained t;
    train(d, 2, STEPS, NULL, &t);
    expect_same(plain, &t);
}

/* Each driver call that makes, changes or starts such a graph fails once, early and late: values stay right. */
TEST(graphs_that_cannot_be_made_are_done_without)
{
    static const char *const functions[] = {"cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphAddChildGraphNode", "cuGraphCreate",
                                            "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags", "cuGraphExecChildGraphNodeSetParams",
                                            "cuGraphExecKernelNodeSetParams_v2"};
    static char text[4096];
    if (!with_library("graphs_that_cannot_be_made", "")) return;
    trained plain;
    train_without(situ_gpu(), 2, &plain);
    situ_shutdown();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        for (int nth = 1; nth < 5; nth += 3) {
            static const int codes[] = {900, 2, 1};
            fail_call(functions[i], nth, codes[i % 3]);
            check_values(situ_gpu(), &plain);
            fail_call(functions[i], nth, 0);
            situ_shutdown();
            if (!CHECK_EQ(violations(text, sizeof text), 0) || !CHECK_EQ(living(text, sizeof text), 0)) printf("  %s: %s\n", functions[i], text);
        }
    }
}

/* A product that will not be captured is started by itself from then on, between shorter graphs; the reason is kept. */
TEST(a_product_that_is_not_captured_says_why)
{
    if (!with_library("a_product_that_is_not_captured", "")) return;
    trained plain, other;
    train_without(situ_gpu(), 1, &plain);
    fail_call("cuStreamBeginCapture_v2", 1, 900);
    train(situ_gpu(), 1, STEPS, NULL, &other);
    expect_same(&plain, &other);
    situ_scope *scope = situ_scope_open();
    char *text = situ_explain(situ_matmul(some(2, 3, 1, situ_gpu()), some(3, 2, 1, situ_gpu())));
    if (!CHECK(text && strstr(text, "cuBLASLt 12.4.5 (not part of a CUDA graph: cuStreamBeginCapture: "))) printf("  %s\n", text ? text : "");
    free(text);
    situ_scope_close(scope);
    long products = calls_of("cublasLtMatmul"), graphs = calls_of("cuGraphLaunch");
    CHECK(products > 0 && graphs > 0);
    expect_tidy();
}

/* A kernel in a graph loses the device: the error is reported, and the other device continues. */
TEST(a_device_is_lost_in_a_graph)
{
    if (!with_library("a_device_is_lost", "")) return;
    trained plain;
    train_without(situ_gpu(1), 1, &plain);
    situ_module *net = situ_sequential(situ_linear_layer(HIDDEN), situ_relu_layer(), situ_linear_layer(OUT));
    situ_module_to(net, situ_gpu(0));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.1);
    situ_scope *outer = situ_scope_open();
    situ_tensor *x = some(ROWS, IN, 1, situ_gpu(0)), *y = some(ROWS, OUT, 3, situ_gpu(0));
    int rc = 0;
    for (int i = 0; i < 8; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *loss = situ_mse(situ_module_call(net, x), y);
        if (i == 6) fail_call("kernel", 5, 700);
        rc = situ_optimizer_step(opt, loss);
        if (!rc) rc = situ_eval(TENSORS(loss));
        if (!rc) rc = situ_wait(loss);
        CHECK_EQ(rc, i < 6 ? 0 : -SITU_DEVICE_LOST);
        if (i == 6 && !CHECK(strstr(situ_error_message(), "CUDA_ERROR_ILLEGAL_ADDRESS"))) printf("  it says %s\n", situ_error_message());
        situ_error_take(NULL);
        situ_scope_close(scope);
        situ_error_take(NULL);
    }
    situ_scope_close(outer);
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_error_take(NULL);
    trained other;
    train(situ_gpu(1), 1, STEPS, NULL, &other);
    expect_same(&plain, &other);
    situ_shutdown();
    CHECK_EQ(living(NULL, 0), 0);
}
