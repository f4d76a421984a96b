/* Products through the fake cuBLASLt of tests/fakecuda. It checks what it is asked, and adds from the last product to
 * the first; results are compared within the effect of another order. */
#include <situ.h>

#include "support/fake_library.h"
#include "tensor/dtype.h"

/* True in the process whose GPUs are fake ones, with the fake library. */
static bool with_library(const char *name, const char *more) { return on_fake_library("cuda_product", name, "SITU_CUBLASLT", "libcublasLt.so", more); }

/* ---------------------------------------------------------------- programs */

static situ_device here;

/* Small whole numbers and halves: sums of them are exact in f32, in any order; f16 and bf16 round at the end. */
static situ_tensor *some(situ_shape shape, situ_dtype dtype)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    bool complex = dtype == SITU_C64 || dtype == SITU_C128, wide = dtype == SITU_C128;
    void *data = calloc((size_t)n + 1, 16);
    for (int64_t i = 0; i < n * (1 + complex); i++) {
        float x = (float)((i * 7 + n) % 9) * 0.5f - 2;
        if (wide) ((double *)data)[i] = (double)x;
        else ((float *)data)[i] = x;
    }
    situ_tensor *t = situ_from_host(data, shape, .dtype = complex ? dtype : SITU_F32, .device = here);
    if (!complex) t = situ_cast(t, dtype);
    free(data);
    return t;
}
#define S(dtype, ...) some(SHAPE(__VA_ARGS__), dtype)
#define PROGRAM(name, ...) static situ_tensor *name(situ_dtype d) { return __VA_ARGS__; }

PROGRAM(plain, situ_matmul(S(d, 5, 7), S(d, 7, 3)))
PROGRAM(long_sum, situ_matmul(S(d, 4, 300), S(d, 300, 6)))
PROGRAM(first_turned, situ_matmul(situ_transpose(S(d, 7, 5)), S(d, 7, 3)))
PROGRAM(second_turned, situ_matmul(S(d, 5, 7), situ_transpose(S(d, 3, 7))))
PROGRAM(both_turned, situ_matmul(situ_transpose(S(d, 7, 5)), situ_transpose(S(d, 3, 7))))
PROGRAM(a_row, situ_matmul(S(d, 1, 7), S(d, 7, 3)))
PROGRAM(a_column, situ_matmul(S(d, 5, 7), S(d, 7, 1)))
PROGRAM(outer, situ_matmul(S(d, 5, 1), S(d, 1, 4)))
PROGRAM(column_by_column, situ_matmul(situ_transpose(S(d, 1, 5)), situ_transpose(S(d, 4, 1))))
PROGRAM(batches, situ_matmul(S(d, 6, 5, 7), S(d, 6, 7, 3)))
PROGRAM(one_second, situ_matmul(S(d, 2, 3, 5, 7), S(d, 7, 3)))
PROGRAM(one_first, situ_matmul(S(d, 5, 7), S(d, 4, 7, 3)))
PROGRAM(turned_batches, situ_matmul(situ_transpose(S(d, 4, 7, 5)), situ_transpose(S(d, 4, 3, 7))))
PROGRAM(crossed, situ_matmul(S(d, 2, 1, 5, 7), S(d, 1, 3, 7, 4)))
PROGRAM(many_crossed, situ_matmul(S(d, 8, 1, 2, 3), S(d, 1, 3, 3, 2))) /* eight calls are slower than a kernel */
PROGRAM(part, situ_matmul(situ_slice(S(d, 9, 11), .start = SHAPE(2, 3), .stop = SHAPE(7, 10)), S(d, 7, 3)))

static const struct { const char *name; situ_tensor *(*make)(situ_dtype d); int calls; } programs[] = {
    {"plain", plain, 1}, {"long sum", long_sum, 1}, {"first turned", first_turned, 1}, {"second turned", second_turned, 1},
    {"both turned", both_turned, 1}, {"a row", a_row, 1}, {"a column", a_column, 1}, {"outer", outer, 1}, {"column by column", column_by_column, 1},
    {"batches", batches, 1}, {"one second", one_second, 1}, {"one first", one_first, 1}, {"turned batches", turned_batches, 1},
    {"crossed", crossed, 2}, {"many crossed", many_crossed, 0}, {"part", part, 1}};

/* As f64; both parts of complex ones in one number. */
static int64_t compute(situ_tensor *(*make)(situ_dtype d), situ_dtype d, situ_device where, double *out)
{
    double data[2 * 256];
    situ_scope *scope = situ_scope_open();
    here = where;
    situ_tensor *y = make(d);
    bool complex = d == SITU_C64 || d == SITU_C128;
    if (!complex) y = situ_cast(y, SITU_F64);
    int64_t n = situ_count(y);
    if (!CHECK(n <= 256) || situ_read(y, (void *)data, (size_t)n * situ_dtype_size(complex ? d : SITU_F64))) n = -1;
    for (int64_t i = 0; i < n; i++) {
        const float *half = (const float *)data;
        out[i] = d == SITU_C128 ? data[2 * i] + 1000 * data[2 * i + 1] : complex ? (double)half[2 * i] + 1000 * (double)half[2 * i + 1] : data[i];
    }
    situ_scope_close(scope);
    return n;
}

static void expect_same(int program, situ_dtype d, situ_device where)
{
    double a[256], b[256];
    int64_t n = compute(programs[program].make, d, situ_cpu(), a), wrong = 0;
    CHECK_EQ(compute(programs[program].make, d, where, b), n);
    for (int64_t i = 0; i < n; i++) wrong += a[i] != b[i];
    if (!CHECK_EQ(wrong, 0)) printf("  %s of %s: %g, not %g\n", programs[program].name, situ_dtype_name(d), b[0], a[0]);
    CHECK_OK();
}
enum { PROGRAMS = sizeof programs / sizeof *programs };

TEST(every_shape_and_dtype)
{
    static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_F16, SITU_BF16, SITU_C64, SITU_C128};
    if (!with_library("every_shape", "")) return;
    for (int p = 0; p < PROGRAMS; p++)
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
            long before = calls_of("cublasLtMatmul");
            expect_same(p, dtypes[d], situ_gpu((int)d % 2));
            if (!CHECK_EQ(calls_of("cublasLtMatmul") - before, programs[p].calls)) printf("  %s\n", programs[p].name);
        }
    check_fakes_are_tidy();
}

/* ---------------------------------------------------------------- who serves it */

static void expect_explained(situ_tensor *(*make)(situ_dtype d), situ_dtype d, const char *words)
{
    situ_scope *scope = situ_scope_open();
    here = situ_gpu();
    char *text = situ_explain(make(d));
    if (!CHECK(text && strstr(text, words))) printf("  %s\n", text ? text : situ_error_message());
    free(text);
    situ_scope_close(scope);
}

PROGRAM(every_other_column, situ_matmul(S(d, 5, 7), situ_slice(S(d, 7, 8), .step = SHAPE(1, 2))))

TEST(text_serves_what_the_library_does_not)
{
    if (!with_library("text_serves", "")) return;
    expect_explained(plain, SITU_F32, "cuBLASLt 12.4.5");
    expect_explained(plain, SITU_I32, "cuBLASLt: not for this dtype");
    expect_explained(every_other_column, SITU_F32, "cuBLASLt: an operand is strided along rows and columns");
    expect_same(0, SITU_I32, situ_gpu());
    CHECK_EQ(calls_of("cublasLtMatmul"), 0);
    check_fakes_are_tidy();
}

TEST(no_library)
{
    if (!with_library("no_library", "SITU_CUBLASLT=/nowhere/libcublasLt.so.12")) return;
    expect_explained(plain, SITU_F32, "cuBLASLt was not found (/nowhere/libcublasLt.so.12): install the CUDA toolkit, or pip install nvidia-cublas-cu12");
    expect_same(0, SITU_F32, situ_gpu());
    check_fakes_are_tidy();
}

TEST(library_too_old)
{
    if (!with_library("library_too_old", "FAKECUDA_CUBLASLT=110500")) return;
    expect_explained(plain, SITU_F32, "cuBLASLt is too old: its version is 110500");
    expect_same(0, SITU_F32, situ_gpu());
    check_fakes_are_tidy();
}

TEST(library_that_does_not_start)
{
    if (!with_library("library_that_does_not_start", "FAKECUDA_FAIL=cublasLtCreate:1:1")) return;
    expect_explained(plain, SITU_F32, "cuBLASLt does not start: CUBLAS_STATUS_NOT_INITIALIZED");
    expect_same(0, SITU_F32, situ_gpu());
    check_fakes_are_tidy();
}

/* ---------------------------------------------------------------- what may go wrong */

TEST(no_algorithm_no_memory)
{
    if (!with_library("no_algorithm", "FAKECUDA_MEMORY=24")) return;
    expect_same(1, SITU_F32, situ_gpu()); /* there is no room for a workspace */
    CHECK_EQ(calls_of("cublasLtMatmul"), 1);
    fail_call("cublasLtMatmulAlgoGetHeuristic", 1, 15);
    fail_call("cublasLtMatmulAlgoGetHeuristic", 2, 15);
    expect_same(2, SITU_F32, situ_gpu());
    CHECK_EQ(calls_of("cublasLtMatmul"), 1); /* a text kernel computed it */
    check_fakes_are_tidy();
}

TEST(a_product_that_fails_is_an_error)
{
    if (!with_library("a_product_that_fails", "")) return;
    double out[256];
    fail_call("cublasLtMatmul", 1, 14);
    CHECK_EQ(compute(plain, SITU_F32, situ_gpu(), out), -1);
    if (!CHECK(strstr(situ_error_message(), "CUBLAS_STATUS_INTERNAL_ERROR"))) printf("  %s\n", situ_error_message());
    situ_error_take(NULL);
    expect_same(0, SITU_F32, situ_gpu(1));
    expect_same(0, SITU_F32, situ_gpu());
    check_fakes_are_tidy();
}

/* 1 + 2^-12 has too many bits for TF32. */
static float one_product(void)
{
    situ_scope *scope = situ_scope_open();
    float x = 1 + 0x1p-12f, y = 0;
    situ_tensor *t = situ_from_host(&x, SHAPE(1, 1), .device = situ_gpu());
    CHECK_EQ(situ_read(situ_matmul(t, t), &y, sizeof y), 0);
    situ_scope_close(scope);
    return y;
}

TEST(f32_is_f32)
{
    if (!with_library("f32_is_f32", "")) return;
    CHECK(one_product() == (1 + 0x1p-12f) * (1 + 0x1p-12f));
    CHECK_EQ(calls_of("cublasLtMatmul"), 1);
    check_fakes_are_tidy();
}

TEST(tf32_only_if_asked)
{
    if (!with_library("tf32_only", "SITU_TF32=1")) return;
    CHECK(one_product() == 1);
    check_fakes_are_tidy();
}

/* Chains of products and elementwise work, often: order, workspace and graphs around them. */
TEST(products_among_other_work)
{
    if (!with_library("products_among", "")) return;
    for (int device = 0; device < 2; device++) {
        float first = 0;
        for (int i = 0; i < 12; i++) {
            situ_scope *scope = situ_scope_open();
            here = situ_gpu(device);
            situ_tensor *x = situ_tanh(S(SITU_F32, 8, 80)), *w = S(SITU_F32, 80, 80), *y = x;
            float sum = 0;
            for (int layer = 0; layer < 3; layer++) y = situ_tanh(situ_mul(situ_matmul(y, w), 0.01));
            CHECK_EQ(situ_read(situ_sum(y), &sum, sizeof sum), 0);
            if (!i) first = sum;
            CHECK(sum == first);
            situ_scope_close(scope);
        }
    }
    check_fakes_are_tidy();
}
