/* Products and the operations after them, as epilogues of the fake cuBLASLt: which are used, with which values, and
 * what happens to the others. */
#include <situ.h>

#include <math.h>

#include "support/fake_library.h"
#include "tensor/dtype.h"

/* True in the process whose GPUs are fake ones, with the fake library. */
static bool with_library(const char *name, const char *more) { return on_fake_library("cuda_epilogue", name, "SITU_CUBLASLT", "libcublasLt.so", more); }

static void expect_tidy(void)
{
    CHECK_OK();
    check_fakes_are_tidy();
}

/* ---- programs ------------------------------------------------------------------------------------------------------------ */

/* Numbers whose sums round. */
static situ_tensor *some(situ_shape shape, situ_dtype dtype)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    float *data = calloc((size_t)n + 1, sizeof *data);
    for (int64_t i = 0; i < n; i++) data[i] = (float)((i * 37 + n) % 101) * 0.0193f - 0.97f;
    situ_tensor *t = situ_cast(situ_from_host(data, shape, .device = situ_gpu()), dtype);
    free(data);
    situ_eval(TENSORS(t)); /* so that a plan is about what is made of it */
    return t;
}
#define S(...) some(SHAPE(__VA_ARGS__), d)
#define PROGRAM(name, ...) static situ_tensor *name(situ_dtype d) { (void)d; return __VA_ARGS__; }

PROGRAM(bias, situ_add(situ_matmul(S(5, 70), S(70, 3)), S(3)))
PROGRAM(bias_first, situ_add(S(3), situ_matmul(S(5, 7), S(7, 3))))
PROGRAM(bias_of_two_axes, situ_add(situ_matmul(S(5, 7), S(7, 3)), S(1, 3)))
PROGRAM(only_relu, situ_relu(situ_matmul(S(5, 7), S(7, 3))))
PROGRAM(bias_and_relu, situ_relu(situ_add(situ_matmul(S(5, 7), situ_transpose(S(3, 7))), S(3))))
PROGRAM(batches, situ_relu(situ_add(situ_matmul(S(4, 5, 7), S(7, 3)), S(3))))
PROGRAM(two_batches, situ_relu(situ_add(situ_matmul(S(4, 5, 7), S(4, 7, 3)), S(3))))
PROGRAM(crossed, situ_relu(situ_add(situ_matmul(S(2, 1, 5, 7), S(1, 3, 7, 4)), S(4))))
PROGRAM(part_of_a_row, situ_add(situ_matmul(S(5, 7), S(7, 3)), situ_slice(S(8), .start = SHAPE(3), .stop = SHAPE(6))))
PROGRAM(a_column_of_results, situ_add(situ_matmul(S(5, 7), S(7, 1)), S(1)))
PROGRAM(and_more, situ_tanh(situ_mul(situ_add(situ_matmul(S(5, 7), S(7, 3)), S(3)), 2)))
PROGRAM(and_a_sum, situ_sum(situ_add(situ_matmul(S(5, 7), S(7, 3)), S(3)), .axes = AXES(0)))
/* not taken */
PROGRAM(bias_of_columns, situ_add(situ_matmul(S(5, 7), S(7, 3)), S(5, 1)))
PROGRAM(whole_matrix, situ_add(situ_matmul(S(5, 7), S(7, 3)), S(5, 3)))
PROGRAM(every_other, situ_add(situ_matmul(S(5, 7), S(7, 3)), situ_slice(S(6), .step = SHAPE(2))))
PROGRAM(a_number, situ_add(situ_matmul(S(5, 7), S(7, 3)), 0.5))
PROGRAM(twice, situ_add(situ_relu(situ_matmul(S(5, 7), S(7, 3))), situ_matmul(S(5, 7), S(7, 3))))
PROGRAM(turned, situ_add(situ_transpose(situ_matmul(S(5, 7), S(7, 3))), S(5)))
PROGRAM(later, situ_add(situ_matmul(S(5, 7), S(7, 3)), situ_sum(situ_tanh(S(4, 3)), .axes = AXES(0))))

typedef struct program { const char *name; situ_tensor *(*make)(situ_dtype d); const char *explained[2]; } program;
static const program programs[] = {
    {"bias", bias, {"matmul+add ", "matmul+add "}}, {"bias first", bias_first, {"matmul+add ", "matmul+add "}},
    {"bias of two axes", bias_of_two_axes, {"matmul+add ", "matmul+add "}}, {"relu", only_relu, {"matmul ", "matmul+relu "}},
    {"bias and relu", bias_and_relu, {"matmul+add ", "matmul+add+relu "}}, {"batches", batches, {"matmul+add ", "matmul+add+relu "}},
    {"two batches", two_batches, {"matmul+add ", "matmul+add+relu "}}, {"crossed", crossed, {"matmul+add ", "matmul+add+relu "}},
    {"part of a row", part_of_a_row, {"matmul+add ", "matmul+add "}}, {"column", a_column_of_results, {"matmul+add ", "matmul+add "}},
    {"and more", and_more, {"matmul+add ", "matmul+add "}}, {"and a sum", and_a_sum, {"matmul+add ", "matmul+add "}},
    {"bias of columns", bias_of_columns, {"matmul ", "matmul "}}, {"matrix", whole_matrix, {"matmul ", "matmul "}},
    {"every other", every_other, {"matmul ", "matmul "}}, {"number", a_number, {"matmul ", "matmul "}},
    {"twice", twice, {"matmul ", "matmul "}}, {"turned", turned, {"matmul ", "matmul "}}};
enum { PROGRAMS = sizeof programs / sizeof *programs, TAKEN = 12, MOST = 512 };

static int64_t compute(situ_tensor *(*make)(situ_dtype d), situ_dtype d, double *out)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = situ_cast(make(d), SITU_F64);
    int64_t n = situ_count(y);
    if (!CHECK(n <= MOST) || situ_read(y, out, (size_t)n * sizeof *out)) n = -1;
    situ_scope_close(scope);
    return n;
}

static void without(int p, situ_dtype d, double *out, int64_t *n)
{
    const char *before = getenv("SITU_CUDA_EPILOGUE");
    char kept[16];
    snprintf(kept, sizeof kept, "%s", before ? before : "");
    situ_shutdown(); /* cached plans were made with the old setting */
    setenv("SITU_CUDA_EPILOGUE", "0", 1);
    *n = compute(programs[p].make, d, out);
    if (before) setenv("SITU_CUDA_EPILOGUE", kept, 1);
    else unsetenv("SITU_CUDA_EPILOGUE");
    situ_shutdown();
}

static void expect_explained(int p, situ_dtype d, const char *words)
{
    situ_scope *scope = situ_scope_open();
    char *text = situ_explain(programs[p].make(d));
    if (!CHECK(text && strstr(text, words) && strstr(text, "cuBLASLt 12.4.5"))) printf("  %s, not %s: %s\n", programs[p].name, words, text ? text : situ_error_message());
    free(text);
    situ_scope_close(scope);
}

/* ---- values -------------------------------------------------------------------------------------------------------------- */

/* f32: the bits of two steps. f16 and bf16: one rounding less, so the last bit of the larger of the rounded numbers may
 * differ. */
static void expect_values(bool relu)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F16, SITU_BF16};
    double a[MOST], b[MOST];
    for (int p = 0; p < PROGRAMS; p++)
        for (int k = 0; k < 3; k++) {
            int64_t n, wrong = 0;
            without(p, dtypes[k], a, &n);
            CHECK_EQ(compute(programs[p].make, dtypes[k], b), n);
            double error = k == 0 ? 0 : k == 1 ? 0x1p-9 : 0x1p-6;
            for (int64_t i = 0; i < n; i++) wrong += fabs(a[i] - b[i]) > error * (4 + fabs(a[i]));
            if (!CHECK_EQ(wrong, 0)) printf("  %s of %s: %g, not %g\n", programs[p].name, situ_dtype_name(dtypes[k]), b[0], a[0]);
            expect_explained(p, dtypes[k], programs[p].explained[relu]);
        }
}

TEST(a_bias_is_part_of_the_product)
{
    if (!with_library("a_bias_is_part", "")) return;
    expect_values(false);
    expect_tidy();
}

TEST(relu_is_part_of_the_product_on_request)
{
    if (!with_library("relu_is_part", "SITU_CUDA_EPILOGUE=relu")) return;
    expect_values(true);
    expect_tidy();
}

TEST(nothing_is_taken_without)
{
    if (!with_library("nothing_is_taken", "SITU_CUDA_EPILOGUE=0")) return;
    for (int p = 0; p < PROGRAMS; p++) expect_explained(p, SITU_F32, "matmul ");
    expect_tidy();
}

/* The library has no epilogues for these, or does not do the product at all. */
TEST(other_dtypes_are_two_steps)
{
    if (!with_library("other_dtypes", "SITU_CUDA_EPILOGUE=relu")) return;
    for (int p = 0; p < TAKEN; p++) expect_explained(p, SITU_F64, "matmul ");
    double out[MOST];
    CHECK(compute(bias_and_relu, SITU_F64, out) == 15);
    expect_tidy();
}

/* An operand made after the product cannot be part of it. */
TEST(a_bias_is_there_before)
{
    if (!with_library("a_bias_is_there_before", "")) return;
    situ_scope *scope = situ_scope_open();
    situ_dtype d = SITU_F32;
    situ_tensor *p = situ_matmul(S(5, 7), S(7, 3)), *row = S(4, 3);
    char *text = situ_explain(situ_add(p, situ_sum(situ_tanh(row), .axes = AXES(0))));
    if (!CHECK(text && strstr(text, " matmul "))) printf("%s\n", text ? text : "");
    free(text);
    double out[MOST];
    CHECK_EQ(compute(later, SITU_F32, out), 15);
    situ_scope_close(scope);
    expect_tidy();
}

/* ---- what is read besides -------------------------------------------------------------------------------------------------- */

TEST(values_that_are_asked_for_stay)
{
    if (!with_library("values_that_are_asked_for", "SITU_CUDA_EPILOGUE=relu")) return;
    for (int which = 0; which < 3; which++) {
        float at[3][15], out[3][15];
        situ_scope *scope = situ_scope_open();
        situ_dtype d = SITU_F32;
        situ_tensor *t[3];
        t[0] = situ_matmul(S(5, 7), S(7, 3));
        t[1] = situ_add(t[0], S(3));
        t[2] = situ_relu(t[1]);
        situ_tensor *both = which < 2 ? situ_keep(t[which]) : t[2]; /* kept: it is stored beside what is read */
        CHECK_EQ(situ_read(t[2], out[2], sizeof out[2]), 0);
        CHECK_EQ(situ_read(both, out[which], sizeof out[which]), 0);
        if (which < 2) situ_release(both);
        situ_scope_close(scope);
        scope = situ_scope_open();
        t[0] = situ_matmul(S(5, 7), S(7, 3));
        CHECK_EQ(situ_read(t[0], at[0], sizeof at[0]), 0);
        t[1] = situ_add(t[0], S(3));
        CHECK_EQ(situ_read(t[1], at[1], sizeof at[1]), 0);
        CHECK_EQ(situ_read(situ_relu(t[1]), at[2], sizeof at[2]), 0);
        CHECK(!memcmp(at[2], out[2], sizeof at[2]) && !memcmp(at[which], out[which], sizeof at[which]));
        situ_scope_close(scope);
    }
    expect_tidy();
}

/* relu's gradient reads its result, so that a layer's forward is one step in training too. */
static void train(float *weights)
{
    enum { STEPS = 8 };
    situ_dtype d = SITU_F32;
    situ_module *net = situ_sequential(situ_linear_layer(70), situ_relu_layer(), situ_linear_layer(5));
    situ_module_to(net, situ_gpu());
    situ_optimizer *opt = situ_adam(net, .lr = 1e-2);
    situ_scope *outer = situ_scope_open();
    situ_tensor *x = S(8, 12), *y = S(8, 5);
    for (int i = 0; i < STEPS; i++) {
        situ_scope *scope = situ_scope_open();
        long before = calls_of("cuGraphLaunch");
        situ_tensor *loss = situ_mse(situ_module_call(net, x), y);
        CHECK_EQ(situ_optimizer_step(opt, loss), 0);
        CHECK_EQ(situ_eval(TENSORS(loss)), 0);
        CHECK_EQ(situ_wait(NULL), 0);
        if (i >= 4) CHECK_EQ(calls_of("cuGraphLaunch") - before, 1);
        situ_scope_close(scope);
    }
    CHECK_EQ(situ_read(situ_module_parameter(net, 0), weights, 70 * 12 * sizeof *weights), 0);
    CHECK_EQ(situ_read(situ_module_parameter(net, 3), weights + 70 * 12, 5 * sizeof *weights), 0);
    situ_scope_close(outer);
    situ_optimizer_free(opt);
    situ_module_free(net);
}

TEST(a_network_learns_the_same)
{
    if (!with_library("a_network_learns", "SITU_CUDA_EPILOGUE=relu")) return;
    static float a[70 * 12 + 5], b[70 * 12 + 5];
    long kernels = calls_of("kernel"), more;
    train(a);
    kernels = calls_of("kernel") - kernels;
    situ_shutdown();
    setenv("SITU_CUDA_EPILOGUE", "0", 1);
    more = calls_of("kernel");
    train(b);
    more = calls_of("kernel") - more;
    CHECK(!memcmp(a, b, sizeof a));
    if (!CHECK(kernels < more)) printf("  %ld and %ld kernels\n", kernels, more);
    expect_tidy();
}

TEST(a_layer_of_a_network_is_one_step)
{
    if (!with_library("a_layer_of_a_network", "SITU_CUDA_EPILOGUE=relu")) return;
    situ_scope *scope = situ_scope_open();
    situ_dtype d = SITU_F32;
    situ_module *net = situ_sequential(situ_linear_layer(70), situ_relu_layer(), situ_linear_layer(5));
    situ_module_to(net, situ_gpu());
    situ_tensor *x = S(8, 12);
    CHECK_EQ(situ_eval(TENSORS(situ_module_call(net, x))), 0);
    char *text = situ_explain(situ_module_call(net, x));
    const char *first = text ? strstr(text, " matmul+add+relu ") : NULL;
    CHECK(text && strstr(text, ": 2 steps") && first && strstr(first, " matmul+add "));
    free(text);
    situ_tensor *loss = situ_mse(situ_module_call(net, x), S(8, 5)), *weight = situ_module_parameter(net, 0), *g = NULL;
    CHECK_EQ(situ_eval(TENSORS(loss)), 0);
    CHECK_EQ(situ_grad(loss, TENSORS(weight), &g), 0);
    text = situ_explain(situ_mse(situ_module_call(net, x), S(8, 5))); /* with all that a gradient will read */
    if (!CHECK(text && strstr(text, " matmul+add+relu "))) printf("%s\n", text ? text : "");
    CHECK_EQ(situ_eval(TENSORS(g)), 0);
    free(text);
    situ_module_free(net);
    situ_scope_close(scope);
    expect_tidy();
}

/* ---- NaN, refusals, errors ------------------------------------------------------------------------------------------------- */

TEST(nan_stays_nan)
{
    if (!with_library("nan_stays_nan", "")) return;
    float x[2] = {NAN, 1}, out[2] = {0, 0};
    situ_scope *scope = situ_scope_open();
    situ_tensor *t = situ_from_host(x, SHAPE(2, 1), .device = situ_gpu()), *one = situ_ones(SHAPE(1, 1), .device = situ_gpu());
    situ_tensor *y = situ_relu(situ_add(situ_matmul(t, one), situ_ones(SHAPE(1), .device = situ_gpu())));
    CHECK_EQ(situ_read(y, out, sizeof out), 0);
    CHECK(isnan(out[0]) && out[1] == 2);
    situ_scope_close(scope);
    expect_tidy();
}

/* If the library finds no algorithm with the epilogue, the operations after the product are a kernel of their own. */
TEST(an_epilogue_that_the_library_refuses_is_a_kernel)
{
    if (!with_library("an_epilogue_that_the_library_refuses", "SITU_CUDA_EPILOGUE=relu")) return;
    static const situ_dtype dtypes[] = {SITU_F32, SITU_BF16};
    double a[MOST], b[MOST];
    for (int p = 0; p < TAKEN; p++)
        for (int k = 0; k < 2; k++) {
            int64_t n;
            without(p, dtypes[k], a, &n);
            for (int all = 0; all < 2; all++) { /* with it, or at all */
                situ_shutdown();
                long before = calls_of("cublasLtMatmul");
                for (int nth = 1; nth < 3 + 4 * all; nth++) fail_call("cublasLtMatmulAlgoGetHeuristic", nth, 15);
                CHECK_EQ(compute(programs[p].make, dtypes[k], b), n);
                fail_call("cublasLtMatmulAlgoGetHeuristic", 1, 0);
                CHECK_EQ(calls_of("cublasLtMatmul") > before, !all);
                int64_t wrong = 0;
                for (int64_t i = 0; i < n; i++) wrong += all ? fabs(a[i] - b[i]) > 0.05 * (1 + fabs(a[i])) : a[i] != b[i];
                if (!CHECK_EQ(wrong, 0)) printf("  %s of %s\n", programs[p].name, situ_dtype_name(dtypes[k]));
            }
        }
    expect_tidy();
}

TEST(faults_name_the_step)
{
    if (!with_library("faults_name_the_step", "SITU_CUDA_EPILOGUE=relu")) return;
    situ_scope *scope = situ_scope_open();
    situ_dtype d = SITU_F32;
    float out[15];
    situ_tensor *a = S(5, 7), *b = S(7, 3), *row = S(3);
    situ_tensor *y = situ_relu(situ_add((situ_matmul)(a, b, "model.c:7"), row));
    fail_call("cublasLtMatmul", 1, 13);
    CHECK(situ_read(y, out, sizeof out) < 0);
    if (!CHECK(strstr(situ_error_message(), "model.c:7: matmul+add+relu") && strstr(situ_error_message(), "CUBLAS_STATUS_EXECUTION_FAILED")))
        printf("  it says %s\n", situ_error_message());
    situ_error_take(NULL);
    situ_scope_close(scope);
    expect_tidy();
}
