/* Convolutions and their gradients through the fake cuDNN of tests/fakecuda. It checks what it is asked, proposes
 * engines that must be refused first, and adds from the last product to the first; so operands are chosen that make
 * sums exact. */
#include <situ.h>

#include "support/fake_library.h"
#include "tensor/dtype.h"

/* True in the process whose GPUs are fake ones, with the fake library. */
static bool with_library(const char *name, const char *more) { return on_fake_library("cuda_dnn", name, "SITU_CUDNN", "libcudnn.so", more); }

static long executed(void) { return calls_of("cudnnBackendExecute"); }

/* ---------------------------------------------------------------- convolutions */

typedef struct geometry { const char *name; int64_t x[4], w[4], stride[2], padding[2], dilation[2], groups; } geometry;
static const geometry geometries[] = {
    {"plain", {2, 3, 6, 5}, {4, 3, 3, 2}, {1, 1}, {0, 0}, {1, 1}, 1},
    {"padded", {1, 2, 4, 4}, {3, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 1},
    {"strided", {2, 2, 8, 7}, {3, 2, 3, 2}, {2, 3}, {1, 0}, {1, 1}, 1},
    {"a rest at the end", {1, 1, 8, 8}, {1, 1, 3, 3}, {3, 2}, {0, 0}, {1, 1}, 1},
    {"dilated", {1, 2, 7, 8}, {2, 2, 3, 3}, {1, 1}, {2, 1}, {2, 3}, 1},
    {"groups", {2, 4, 5, 5}, {6, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 2},
    {"each channel alone", {1, 4, 5, 5}, {4, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 4},
    {"all of it", {2, 4, 9, 8}, {6, 2, 3, 2}, {2, 1}, {1, 1}, {2, 1}, 2},
    {"1 by 1", {2, 3, 4, 4}, {5, 3, 1, 1}, {1, 1}, {0, 0}, {1, 1}, 1},
    {"one result", {1, 2, 3, 3}, {1, 2, 3, 3}, {1, 1}, {0, 0}, {1, 1}, 1},
    {"a row", {2, 3, 1, 9}, {4, 3, 1, 3}, {1, 2}, {0, 1}, {1, 1}, 1}};
enum { GEOMETRIES = sizeof geometries / sizeof *geometries, MOST = 1024 };
enum { VALUE, BY_X, BY_W };

static situ_shape shape_of(const int64_t *dim, int n)
{
    situ_shape s = {.ndim = n};
    for (int i = 0; i < n; i++) s.dim[i] = dim[i];
    return s;
}

/* Small whole numbers and halves; cast on the CPU, so that few kernels have to be compiled. */
static situ_tensor *some(situ_shape shape, situ_dtype dtype, situ_device where)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    float *data = calloc((size_t)n, sizeof *data);
    for (int64_t i = 0; i < n; i++) data[i] = (float)((i * 7 + n) % 9) * 0.5f - 2;
    situ_tensor *t = situ_to(situ_cast(situ_from_host(data, shape, .device = situ_cpu()), dtype), where);
    free(data);
    return t;
}

static situ_tensor *convolution(const geometry *g, situ_tensor *x, situ_tensor *w)
{
    return situ_conv2d(x, w, .stride = shape_of(g->stride, 2), .padding = shape_of(g->padding, 2), .dilation = shape_of(g->dilation, 2), .groups = g->groups);
}

/* A convolution's value, or one of its gradients. */
static situ_tensor *make(const geometry *g, int which, situ_dtype d, situ_device where)
{
    situ_tensor *in[] = {some(shape_of(g->x, 4), d, where), some(shape_of(g->w, 4), d, where)}, *by[2] = {NULL, NULL};
    situ_tensor *y = convolution(g, in[0], in[1]);
    if (which == VALUE) return y;
    CHECK_EQ(situ_grad(situ_sum(situ_mul(y, some(shape_of((int64_t[]){situ_dim(y, 0), situ_dim(y, 1), situ_dim(y, 2), situ_dim(y, 3)}, 4), d, where))), TENSORS_OF(in, 2), by), 0);
    return by[which - BY_X];
}

/* As f64; how many. */
static int64_t compute(const geometry *g, int which, situ_dtype d, situ_device where, double *out)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = situ_cast(situ_to(make(g, which, d, where), situ_cpu()), SITU_F64);
    int64_t n = situ_count(y);
    if (!CHECK(n <= MOST) || situ_read(y, out, (size_t)n * 8)) n = -1;
    situ_scope_close(scope);
    return n;
}

static void expect_same(const geometry *g, int which, situ_dtype d, situ_device where)
{
    static double a[MOST], b[MOST];
    int64_t n = compute(g, which, d, situ_cpu(), a), wrong = 0;
    CHECK_EQ(compute(g, which, d, where, b), n);
    for (int64_t i = 0; i < n; i++) wrong += a[i] != b[i];
    if (!CHECK_EQ(wrong, 0)) printf("  %s, %d, %s: %g, not %g\n", g->name, which, situ_dtype_name(d), b[0], a[0]);
    CHECK_OK();
}

TEST(every_geometry_and_dtype)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_F16, SITU_BF16};
    if (!with_library("every_geometry", "")) return;
    for (int g = 0; g < GEOMETRIES; g++)
        for (int which = VALUE; which <= BY_W; which++)
            for (int d = 0; d < 4; d++) {
                long before = executed();
                if (d > 1 && g != 1 && g != 7) continue;
                expect_same(&geometries[g], which, dtypes[d], situ_gpu(d % 2));
                if (!CHECK_EQ(executed() - before, 1)) printf("  %s, %d, %s\n", geometries[g].name, which, situ_dtype_name(dtypes[d]));
            }
    check_fakes_are_tidy();
}

/* The gradient by w of a sum of the gradient by x, and vice versa: each is one of the three operations again. */
static int64_t second(const geometry *g, int first, situ_dtype d, situ_device where, double *out)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *in[] = {some(shape_of(g->x, 4), d, where), some(shape_of(g->w, 4), d, where)}, *by = NULL, *twice = NULL;
    situ_tensor *y = convolution(g, in[0], in[1]);
    situ_tensor *c = some(shape_of((int64_t[]){situ_dim(y, 0), situ_dim(y, 1), situ_dim(y, 2), situ_dim(y, 3)}, 4), d, where);
    CHECK_EQ(situ_grad(situ_sum(situ_mul(y, c)), TENSORS(in[first]), &by), 0);
    CHECK_EQ(situ_grad(situ_sum(situ_mul(by, some(shape_of(first ? g->w : g->x, 4), d, where))), TENSORS_OF(&in[!first], 1), &twice), 0);
    int64_t n = situ_count(twice);
    CHECK_EQ(situ_read(situ_cast(twice, SITU_F64), out, (size_t)n * 8), 0);
    situ_scope_close(scope);
    return n;
}

TEST(second_gradients)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_F16, SITU_BF16};
    static double a[MOST], b[MOST];
    if (!with_library("second_gradients", "")) return;
    for (int first = 0; first < 2; first++)
        for (int d = 0; d < 4; d++) {
            int64_t n = second(&geometries[7], first, dtypes[d], situ_cpu(), a);
            long before = executed();
            CHECK_EQ(second(&geometries[7], first, dtypes[d], situ_gpu(), b), n);
            CHECK_EQ(executed() - before, 1);
            if (!CHECK(n > 0 && !memcmp(a, b, (size_t)n * 8))) printf("  by %d, %s\n", first, situ_dtype_name(dtypes[d]));
        }
    check_fakes_are_tidy();
}

/* Cards before 8.0 do not multiply bf16: it is convolved in f32 between two casts, and so by cuDNN. */
TEST(bf16_on_older_cards)
{
    if (!with_library("bf16_on_older", "FAKECUDA_CAPABILITY=7.5 FAKECUDA_CUDNN_ENGINES=7")) return;
    for (int which = VALUE; which <= BY_W; which++) expect_same(&geometries[7], which, SITU_BF16, situ_gpu());
    CHECK_EQ(executed(), 3);
    check_fakes_are_tidy();
}

TEST(convolutions_along_one_axis)
{
    if (!with_library("convolutions_along", "")) return;
    double out[2][256];
    for (int i = 0; i < 2; i++) {
        situ_scope *scope = situ_scope_open();
        situ_device where = i ? situ_gpu() : situ_cpu();
        situ_tensor *y = situ_conv1d(some(SHAPE(2, 4, 20), SITU_F64, where), some(SHAPE(6, 2, 3), SITU_F64, where), .padding = SHAPE(1), .stride = SHAPE(2), .groups = 2);
        CHECK_EQ(situ_count(y), 120);
        CHECK_EQ(situ_read(y, out[i], 120 * 8), 0);
        situ_scope_close(scope);
    }
    CHECK(!memcmp(out[0], out[1], 120 * 8));
    CHECK_EQ(executed(), 1);
    check_fakes_are_tidy();
}

/* ---------------------------------------------------------------- who serves it */

static void expect_explained(situ_dtype d, const char *words)
{
    situ_scope *scope = situ_scope_open();
    char *text = situ_explain(make(&geometries[1], VALUE, d, situ_gpu()));
    if (!CHECK(text && strstr(text, words))) printf("  it says %s\n", text ? text : situ_error_message());
    free(text);
    situ_scope_close(scope);
}

/* Checks that text kernels are used for this reason; `situ devices` reports it, too, if the library itself is the
 * cause. */
static void expect_text(const char *reason)
{
    expect_explained(SITU_F32, reason);
    for (int which = VALUE; which <= BY_W; which++) expect_same(&geometries[7], which, SITU_F32, situ_gpu());
    CHECK_EQ(executed(), 0);
    check_fakes_are_tidy();
}

static void remember(void *self, const char *backend, situ_device d, const situ_device_info *info, const char *reason)
{
    (void)d;
    if (!strcmp(backend, "cuda") && !info) snprintf(self, 512, "%s", reason);
}

static void expect_listed(const char *words)
{
    char text[512] = "";
    situ_devices_visit(remember, text);
    if (!CHECK(strstr(text, words))) printf("  it says %s\n", text);
}

TEST(it_says_who_serves)
{
    if (!with_library("it_says_who_serves", "")) return;
    char text[512] = "";
    expect_explained(SITU_F32, "cuDNN 9.1.0");
    expect_explained(SITU_F64, "cuDNN 9.1.0");
    expect_explained(SITU_BF16, "cuDNN 9.1.0");
    situ_devices_visit(remember, text);
    if (!CHECK(!strstr(text, "cuDNN") && strstr(text, "SITU_CUBLASLT=none; products run as generated text"))) printf("  it says %s\n", text);
    check_fakes_are_tidy();
}

TEST(version_8_does)
{
    if (!with_library("version_8_does", "FAKECUDA_CUDNN=8907")) return;
    expect_explained(SITU_F32, "cuDNN 8.9.7");
    expect_same(&geometries[7], BY_W, SITU_F32, situ_gpu());
    check_fakes_are_tidy();
}

TEST(no_library)
{
    if (!with_library("no_library", "SITU_CUDNN=/nowhere/libcudnn.so.9")) return;
    expect_listed("cuDNN was not found (/nowhere/libcudnn.so.9): install it, or pip install nvidia-cudnn-cu12 and set SITU_CUDNN to its libcudnn.so.9; "
                  "convolutions run as generated text");
    expect_text("cuDNN was not found (/nowhere/libcudnn.so.9)");
}

TEST(library_not_wanted)
{
    if (!with_library("library_not_wanted", "SITU_CUDNN=none")) return;
    expect_listed("SITU_CUDNN=none; convolutions run as generated text");
    expect_text("SITU_CUDNN=none");
}

TEST(library_too_old)
{
    if (!with_library("library_too_old", "FAKECUDA_CUDNN=8500")) return;
    expect_listed("cuDNN is too old: its version is 8.5.0, and situ needs 8.9 or newer");
    expect_text("cuDNN is too old: its version is 8.5.0");
}

TEST(library_that_does_not_start)
{
    if (!with_library("library_that_does_not_start", "FAKECUDA_FAIL=cudnnCreate:1:1001")) return;
    expect_text("cuDNN does not start: CUDNN_STATUS_NOT_INITIALIZED");
}

/* cuDNN would end the program. */
TEST(library_without_the_one_it_needs)
{
    if (!with_library("library_without_the_one", "FAKECUDA_CUDNN_CUDA=99010")) return;
    expect_listed("cuDNN 9.1.0 needs libcublasLt.so.99, which was not found: pip install nvidia-cublas-cu99, or set SITU_CUBLASLT to it; convolutions run");
    expect_text("cuDNN 9.1.0 needs libcublasLt.so.99");
}

/* Each function that is needed is missing once. */
TEST(library_that_lacks_a_function)
{
    static const char *const needed[] = {"GetVersion", "GetErrorString", "Create", "Destroy", "SetStream", "BackendCreateDescriptor", "BackendDestroyDescriptor",
                                         "BackendSetAttribute", "BackendGetAttribute", "BackendFinalize", "BackendExecute"};
    enum { NEEDED = sizeof needed / sizeof *needed };
    const char *missing = getenv("SITU_TEST_MISSING");
    if (missing) {
        char reason[128];
        if (!with_library("library_that_lacks", "")) return;
        snprintf(reason, sizeof reason, "cuDNN is too old: it lacks cudnn%s", missing);
        expect_listed(reason);
        expect_text(reason);
        return;
    }
    if (system("${SITU_TEST_CC:-cc} --version >/dev/null 2>&1")) SKIP("no C compiler named cc");
    for (int i = 0; i < NEEDED; i++) {
        char command[2000] = "echo '", environment[300], name[32];
        snprintf(name, sizeof name, "libdnn%d.so", i);
        for (int k = 0; k < NEEDED; k++) {
            size_t used = strlen(command);
            if (k != i) snprintf(command + used, sizeof command - used, "int cudnn%s; ", needed[k]);
        }
        size_t used = strlen(command);
        snprintf(command + used, sizeof command - used, "' | ${SITU_TEST_CC:-cc} -w -shared -fPIC -x c -o '%s' -", test_path(name));
        if (!CHECK_EQ(system(command), 0)) return;
        snprintf(environment, sizeof environment, "SITU_TEST_MISSING=%s SITU_CUDNN='%s'", needed[i], test_path(name));
        if (!CHECK(!with_library("library_that_lacks", environment))) return;
    }
}

/* ---------------------------------------------------------------- which engines */

/* 1 + 2^-12 has too many bits for TF32. */
static float one_product(void)
{
    situ_scope *scope = situ_scope_open();
    float x = 1 + 0x1p-12f, y = 0;
    situ_tensor *t = situ_from_host(&x, SHAPE(1, 1, 1, 1), .device = situ_gpu());
    CHECK_EQ(situ_read(situ_conv2d(t, t), &y, sizeof y), 0);
    situ_scope_close(scope);
    return y;
}

TEST(f32_is_f32)
{
    if (!with_library("f32_is_f32", "")) return;
    CHECK(one_product() == (1 + 0x1p-12f) * (1 + 0x1p-12f));
    CHECK_EQ(executed(), 1);
    check_fakes_are_tidy();
}

TEST(tf32_only_if_asked)
{
    if (!with_library("tf32_only", "SITU_TF32=1")) return;
    CHECK(one_product() == 1);
    CHECK_EQ(executed(), 1);
    check_fakes_are_tidy();
}

TEST(tensor_cores_are_no_f32)
{
    if (!with_library("tensor_cores_are", "FAKECUDA_CUDNN_ENGINES=0")) return;
    expect_explained(SITU_F64, "cuDNN 9.1.0");
    expect_explained(SITU_F16, "cuDNN 9.1.0");
    expect_text("cuDNN proposes 1 engines for it: 0 do not give the same bits each time, 1 do not keep the precision, 0 become no plan, 0 want too much memory");
}

TEST(engines_that_differ_from_run_to_run)
{
    if (!with_library("engines_that_differ", "FAKECUDA_CUDNN_ENGINES=1 SITU_TF32=1")) return;
    expect_text("cuDNN proposes 1 engines for it: 1 do not give the same bits each time, 0 do not keep");
}

TEST(engines_that_transform)
{
    if (!with_library("engines_that_transform", "FAKECUDA_CUDNN_ENGINES=23")) return;
    expect_text("cuDNN proposes 2 engines for it: 0 do not give the same bits each time, 2 do not keep the precision");
}

TEST(engines_that_sum_in_halves)
{
    if (!with_library("engines_that_sum", "FAKECUDA_CUDNN_ENGINES=4 SITU_TF32=1")) return;
    expect_explained(SITU_F16, "cuDNN proposes 1 engines for it: 0 do not give the same bits each time, 1 do not keep the precision");
    expect_text("cuDNN proposes 1 engines for it: 0 do not give the same bits each time, 1 do not keep the precision");
}

TEST(engines_that_cannot)
{
    if (!with_library("engines_that_cannot", "FAKECUDA_CUDNN_ENGINES=56")) return;
    expect_text("1 become no plan (CUDNN_STATUS_NOT_SUPPORTED), 1 want too much memory");
}

TEST(no_engine)
{
    if (!with_library("no_engine", "FAKECUDA_CUDNN_ENGINES=")) return;
    expect_text("cuDNN proposes no engine for it");
}

TEST(the_last_resort_is_asked_as_well)
{
    if (!with_library("the_last_resort", "FAKECUDA_CUDNN_ENGINES=12368")) return;
    for (int which = VALUE; which <= BY_W; which++) expect_same(&geometries[7], which, SITU_F32, situ_gpu());
    CHECK_EQ(executed(), 3);
    check_fakes_are_tidy();
}

/* Without memory for a workspace, an engine without one is used; else a text kernel. */
TEST(no_memory_for_a_workspace)
{
    if (!with_library("no_memory_for", "FAKECUDA_MEMORY=24")) return;
    expect_same(&geometries[7], VALUE, SITU_F32, situ_gpu());
    CHECK_EQ(executed(), 1);
    check_fakes_are_tidy();
}

TEST(no_memory_at_all)
{
    if (!with_library("no_memory_at_all", "FAKECUDA_MEMORY=24 FAKECUDA_CUDNN_ENGINES=7")) return;
    expect_text("0 become no plan, 1 want too much memory");
}

/* ---------------------------------------------------------------- running */

/* A part of a tensor may start at an address that no engine accepts: then a text kernel is used. */
TEST(operands_between_16_bytes)
{
    if (!with_library("operands_between", "")) return;
    float out[2][4][8];
    for (int k = 0; k < 2; k++)
        for (int64_t start = 0; start < 4; start++) {
            situ_scope *scope = situ_scope_open();
            situ_device where = k ? situ_gpu() : situ_cpu();
            situ_tensor *x = situ_slice(some(SHAPE(5, 1, 3, 3), SITU_F32, where), .start = SHAPE(start), .stop = SHAPE(start + 2));
            CHECK_EQ(situ_read(situ_conv2d(x, some(SHAPE(1, 1, 2, 2), SITU_F32, where)), out[k][start], sizeof *out[k]), 0);
            situ_scope_close(scope);
        }
    CHECK(!memcmp(out[0], out[1], sizeof out[0]));
    CHECK_EQ(executed(), 1); /* images of 36 bytes: only the first begins at 16 */
    check_fakes_are_tidy();
}

/* The last loss, or -1. */
static float train_a_little(situ_device where, int steps)
{
    float sum = -1;
    situ_tensor *w = situ_variable(situ_div(some(SHAPE(4, 2, 3, 3), SITU_F32, where), 64)), *by = NULL;
    for (int i = 0; i < steps; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *y = situ_tanh(situ_conv2d(some(SHAPE(2, 2, 8, 8), SITU_F32, where), w, .padding = SHAPE(1, 1)));
        situ_tensor *z = situ_tanh(situ_conv2d(y, situ_div(some(SHAPE(2, 4, 3, 3), SITU_F32, where), 64), .stride = SHAPE(2, 2)));
        situ_tensor *loss = situ_sum(situ_square(z));
        situ_grad(loss, TENSORS(w), &by);
        situ_assign(w, situ_sub(w, situ_mul(by, 0.01)));
        situ_read(loss, &sum, sizeof sum);
        situ_scope_close(scope);
    }
    situ_release(w);
    situ_wait(NULL);
    return situ_failed() ? -1 : sum;
}

/* Order, workspace and graphs around them; and every time the same bits. */
TEST(convolutions_among_other_work)
{
    if (!with_library("convolutions_among", "")) return;
    float on_cpu = train_a_little(situ_cpu(), 8), first = train_a_little(situ_gpu(), 8);
    CHECK_NEAR(first, on_cpu, 1e-5f * on_cpu);
    CHECK(train_a_little(situ_gpu(1), 8) == first);
    CHECK(train_a_little(situ_gpu(), 8) == first);
    CHECK(executed() >= 3 * 4 * 2 && executed() < 3 * 8 * 4); /* from then on graphs start them */
    CHECK_OK();
    check_fakes_are_tidy();
}

/* A repeated step is started as one graph. If the capture fails it is not, and the values are the same. */
TEST(steps_become_graphs_or_not)
{
    static const char *const functions[] = {"cudnnSetStream", "cudnnBackendExecute", "cudnnBackendCreateDescriptor", "cudnnBackendFinalize", "cuStreamBeginCapture_v2",
                                            "cuStreamEndCapture", "cuGraphAddChildGraphNode"};
    if (!with_library("steps_become_graphs", "")) return;
    float right = train_a_little(situ_gpu(), 6);
    CHECK(right > 0);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (int n = 1; n <= 32; n += getenv("SITU_TEST_ALL") ? 1 : n) {
            situ_shutdown();
            fail_call(functions[f], n, f < 4 ? 4000 : 1);
            float sum = train_a_little(situ_gpu(), 6);
            bool good = sum < 0 ? CHECK(strstr(situ_error_message(), f < 4 ? "CUDNN_STATUS_INTERNAL_ERROR" : "cu")) : CHECK_NEAR(sum, right, 1e-5f * right);
            if (!good) printf("  after the %d. %s failed: %g, not %g; %s\n", n, functions[f], (double)sum, (double)right, situ_error_message());
            situ_error_take(NULL);
            fail_call(functions[f], n, 0);
        }
    check_fakes_are_tidy();
}

static int exercise(void)
{
    static double a[MOST], b[MOST];
    int64_t n = compute(&geometries[7], BY_W, SITU_F32, situ_cpu(), a), m = 0;
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = situ_cast(make(&geometries[7], BY_W, SITU_F32, situ_gpu()), SITU_F64);
    bool read = !situ_read(y, b, (size_t)n * 8);
    situ_scope_close(scope);
    for (int64_t i = 0; i < n && read; i++) m += a[i] != b[i];
    return situ_failed() ? -1 : (int)m;
}

/* If a call fails while a plan is made, the convolution uses a text kernel; if it fails later, the launch reports an
 * error. */
TEST(survives_each_call_that_fails)
{
    static const char *const functions[] = {"cudnnCreate", "cudnnDestroy", "cudnnSetStream", "cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute",
                                            "cudnnBackendGetAttribute", "cudnnBackendFinalize", "cudnnBackendExecute"};
    static char text[4096];
    if (!with_library("survives_each_call", "")) return;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        situ_shutdown();
        long before = calls_of(functions[f]);
        CHECK_EQ(exercise(), 0);
        situ_shutdown();
        long calls = calls_of(functions[f]) - before;
        CHECK(calls > 0);
        for (int n = 1; n <= calls; n += calls > 16 && !getenv("SITU_TEST_ALL") ? 5 : 1) {
            fail_call(functions[f], n, 4000);
            int rc = exercise();
            bool good = CHECK(rc <= 0);
            if (rc < 0) good &= CHECK(strstr(situ_error_message(), "CUDNN_STATUS_INTERNAL_ERROR"));
            situ_error_take(NULL);
            good &= CHECK_EQ(exercise(), 0);
            situ_shutdown();
            fail_call(functions[f], n, 0);
            good &= CHECK_EQ(violations(text, sizeof text), 0) || !strcmp(functions[f], "cudnnDestroy");
            if (!good) printf("  %s, the %d. of %ld: %s %s\n", functions[f], n, calls, situ_error_message(), text);
            if (!good) return;
        }
    }
    check_fakes_are_tidy();
}

TEST(an_execution_that_fails_is_an_error)
{
    if (!with_library("an_execution_that_fails", "")) return;
    fail_call("cudnnBackendExecute", 1, 5000);
    CHECK_EQ(exercise(), -1);
    if (!CHECK(strstr(situ_error_message(), "cudnnBackendExecute: CUDNN_STATUS_EXECUTION_FAILED"))) printf("  %s\n", situ_error_message());
    situ_error_take(NULL);
    fail_call("cudnnBackendExecute", 1, 4004);
    CHECK_EQ(exercise(), -1);
    if (!CHECK(strstr(situ_error_message(), "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"))) printf("  %s\n", situ_error_message());
    CHECK_CODE(SITU_DEVICE_MEMORY);
    CHECK_EQ(exercise(), 0);
    check_fakes_are_tidy();
}
