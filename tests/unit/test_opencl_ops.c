/* Structured operations by generated OpenCL text: the CPU's bits, and what is refused where there is no text. */
#include "support/opencl_programs.h"

#include <situ/custom.h>

#include "op/index.h"

PROGRAM(take, situ_take(F32(5, 7, 3), below(SHAPE(2, 4), -7, 6), .axis = 1))
PROGRAM(take_c64, situ_take(some(SHAPE(9, 3), SITU_C64), below(SHAPE(5), 0, 8)))
PROGRAM(gather, situ_gather(some(SHAPE(4, 9), SITU_BF16), below(SHAPE(4, 5), -9, 8)))
PROGRAM(scatter, situ_scatter(F32(4, 9), below(SHAPE(4, 5), 0, 8), F32(4, 5)))
PROGRAM(scatter_add, situ_scatter_add(F32(6, 5), below(SHAPE(40, 5), 0, 5), F32(40, 5), .axis = 0))
static situ_tensor *index_copy(void)
{
    situ_tensor *x = some(SHAPE(7, 3), SITU_F32);
    return situ_index_copy(x, situ_take(below(SHAPE(9), 0, 6), situ_arange(0, 3, 1, .device = situ_device_of(x))), some(SHAPE(3, 3), SITU_F32), NULL);
}
PROGRAM(index_add, situ_index_add(some(SHAPE(7, 3), SITU_I32), below(SHAPE(50), 0, 6), some(SHAPE(50, 3), SITU_I32)))
PROGRAM(pad, situ_pad(F32(3, 4), SHAPE(1, 2), SHAPE(0, 3), .value = 2.5))
PROGRAM(pad_f16, situ_pad(some(SHAPE(3, 4), SITU_F16), SHAPE(1, 2), SHAPE(0, 3), .value = 0.1))
PROGRAM(update, situ_update_slice(situ_transpose(F32(6, 5)), F32(2, 3), SHAPE(1, 2)))
PROGRAM(concat, situ_concat(TENSORS(F32(2, 3, 4), situ_permute(F32(4, 3, 5), AXES(2, 1, 0)), F32(1, 3, 4)), .axis = 0))
PROGRAM(matmul, situ_matmul(F32(45, 70), F32(70, 33)))
PROGRAM(matmul_batches, situ_matmul(situ_transpose(F32(3, 20, 18)), situ_broadcast_to(F32(20, 17), SHAPE(3, 20, 17))))
PROGRAM(matmul_f64, situ_matmul(some(SHAPE(9, 40), SITU_F64), some(SHAPE(40, 11), SITU_F64)))
PROGRAM(matmul_f16, situ_matmul(some(SHAPE(9, 40), SITU_F16), some(SHAPE(40, 11), SITU_F16)))
PROGRAM(matmul_bf16, situ_matmul(some(SHAPE(50, 300), SITU_BF16), some(SHAPE(300, 130), SITU_BF16)))
PROGRAM(matmul_long, situ_matmul(F32(55, 900), F32(900, 270)))
PROGRAM(matmul_right, situ_matmul(F32(3, 49, 70), situ_transpose(F32(3, 260, 70))))
PROGRAM(matmul_wide_f64, situ_matmul(some(SHAPE(97, 513), SITU_F64), some(SHAPE(513, 140), SITU_F64)))
PROGRAM(matmul_i8, situ_matmul(some(SHAPE(9, 40), SITU_I8), some(SHAPE(40, 11), SITU_I8)))
PROGRAM(matmul_c64, situ_matmul(some(SHAPE(5, 8), SITU_C64), some(SHAPE(8, 3), SITU_C64)))
PROGRAM(argmax, situ_argmax(F32(8, 9, 5), .axis = 1))
PROGRAM(argmin, situ_argmin(some(SHAPE(300), SITU_I16)))
PROGRAM(argsort, situ_argsort(some(SHAPE(3, 700), SITU_I32)))
PROGRAM(sort, situ_sort(F32(33, 4), .axis = 0, .descending = true))
PROGRAM(search, situ_searchsorted(situ_sort(F32(50)), F32(4, 5), .right = true))
PROGRAM(cumsum, situ_cumsum(F32(6, 50, 2), .axis = 1, .reverse = true))
PROGRAM(cumsum_strips, situ_cumsum(F32(3, 500)))
PROGRAM(cumsum_blocks, situ_cumsum(F32(7100), .reverse = true))
PROGRAM(cumsum_many_lines, situ_cumsum(F32(40, 1500)))
PROGRAM(cumsum_columns, situ_cumsum(some(SHAPE(4100, 3), SITU_F64), .axis = 0, .reverse = true))
PROGRAM(cumsum_bf16, situ_cumsum(some(SHAPE(3000), SITU_BF16)))
PROGRAM(cumsum_i32, situ_cumsum(some(SHAPE(2, 3000), SITU_I32), .dtype = SITU_I32))
PROGRAM(cumprod_lines, situ_cumprod(F32(40, 150)))
PROGRAM(linear_scan_lines, situ_linear_scan(F32(40, 150), F32(40, 150), .reverse = true))
PROGRAM(linear_scan_f64, situ_linear_scan(some(SHAPE(300, 3), SITU_F64), some(SHAPE(300, 3), SITU_F64), .axis = 0))
PROGRAM(cumprod, situ_cumprod(some(SHAPE(6, 20), SITU_I64)))
PROGRAM(linear_scan, situ_linear_scan(F32(5, 30), F32(5, 30)))
PROGRAM(max_pool, situ_max_pool2d(F32(2, 3, 11, 12), SHAPE(3, 2), .stride = SHAPE(2, 2), .padding = SHAPE(1, 1)))
PROGRAM(avg_pool, situ_avg_pool2d(F32(2, 3, 11, 12), SHAPE(3, 3), .stride = SHAPE(2, 2), .padding = SHAPE(1, 1)))
PROGRAM(fold_in, situ_fold_in(situ_key(7, .device = here), 12345))
PROGRAM(normal, situ_normal(situ_key(3, .device = here), SHAPE(1001)))
PROGRAM(softmax, situ_softmax(F32(20, 300)))
PROGRAM(long_softmax, situ_log_softmax(F32(17, 6000)))
PROGRAM(spread, situ_std(F32(40, 1030), .axes = AXES(-1)))
PROGRAM(parts, situ_where(situ_greater(F32(64, 70), situ_mean(F32(64, 70), .axes = AXES(-1), .keepdims = true)), F32(64, 70), F32(70)))

PROGRAM(columns, situ_sum(F32(2, 2500, 37), .axes = AXES(1))) /* blocks of a column in more than one pass */
PROGRAM(turned, situ_copy_to(situ_permute(F32(3, 64, 96), AXES(0, 2, 1)), here))
PROGRAM(many_pairs, situ_matmul(F32(8, 1, 2, 3), F32(1, 3, 3, 2)))

static situ_tensor *normalised(void)
{
    situ_tensor *x = F32(24, 2, 100), *mean = situ_mean(x, .axes = AXES(-1), .keepdims = true), *centred = situ_sub(x, mean);
    situ_tensor *square = situ_mean(situ_square(centred), .axes = AXES(-1), .keepdims = true);
    return situ_add(situ_mul(centred, situ_rsqrt(situ_add(square, 1e-5))), F32(100));
}

static situ_tensor *pool_gradient(void)
{
    situ_tensor *x = F32(2, 2, 9, 9), *g;
    situ_tensor *y = situ_add(situ_max_pool2d(x, SHAPE(3, 3), .stride = SHAPE(2, 2)), situ_avg_pool2d(x, SHAPE(3, 3), .stride = SHAPE(2, 2)));
    situ_grad(situ_sum(situ_square(y)), TENSORS(x), &g);
    return g;
}

static const struct { const char *name; situ_tensor *(*run)(void); } programs[] = {
    {"take", take}, {"take_c64", take_c64}, {"gather", gather}, {"scatter", scatter}, {"scatter_add", scatter_add},
    {"index_add", index_add}, {"index_copy", index_copy}, {"pad", pad}, {"pad_f16", pad_f16}, {"update", update}, {"concat", concat}, {"matmul", matmul},
    {"matmul_batches", matmul_batches}, {"matmul_f64", matmul_f64}, {"matmul_f16", matmul_f16}, {"matmul_bf16", matmul_bf16},
    {"matmul_long", matmul_long}, {"matmul_right", matmul_right}, {"matmul_wide_f64", matmul_wide_f64}, {"matmul_i8", matmul_i8},
    {"matmul_c64", matmul_c64}, {"argmax", argmax}, {"argmin", argmin}, {"argsort", argsort}, {"sort", sort}, {"search", search},
    {"cumsum", cumsum}, {"cumsum_strips", cumsum_strips}, {"cumsum_blocks", cumsum_blocks}, {"cumsum_many_lines", cumsum_many_lines}, {"cumsum_columns", cumsum_columns},
    {"cumsum_bf16", cumsum_bf16}, {"cumsum_i32", cumsum_i32}, {"cumprod_lines", cumprod_lines}, {"linear_scan_lines", linear_scan_lines}, {"linear_scan_f64", linear_scan_f64},
    {"cumprod", cumprod}, {"linear_scan", linear_scan}, {"max_pool", max_pool}, {"avg_pool", avg_pool},
    {"fold_in", fold_in}, {"normal", normal}, {"softmax", softmax}, {"long_softmax", long_softmax}, {"spread", spread},
    {"parts", parts}, {"normalised", normalised}, {"pool_gradient", pool_gradient}, {"columns", columns}, {"turned", turned}, {"many_pairs", many_pairs}};

TEST(operations_give_the_cpus_bits)
{
    static char a[1 << 19], b[1 << 19];
    alone_state s = alone();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        situ_dtype dtype, other;
        int64_t n = result_on(situ_cpu(), programs[i].run, a, sizeof a, &dtype);
        bool same = CHECK(n > 0) && CHECK_EQ(result_on(tested_device(0), programs[i].run, b, sizeof b, &other), n) && CHECK_EQ(dtype, other);
        if (same && s.exact) {
            int64_t at = first_difference(dtype, a, b, n);
            same = CHECK(at < 0);
            if (!same) {
                size_t size = situ_dtype_size(dtype);
                printf("  at %lld: CPU %.9g, OpenCL %.9g\n", (long long)at, situ_element_get_f64(dtype, a + (size_t)at * size), situ_element_get_f64(dtype, b + (size_t)at * size));
            }
        }
        if (!same) printf("  in %s\n", programs[i].name);
        CHECK_OK();
    }
    *s.maps = could;
}

/* Results without elements need no kernel, and some generators could not write one. */
static situ_tensor *nothing(int64_t a, int64_t b) { return situ_zeros(SHAPE(a, b), .device = here); }
PROGRAM(sorted_nothing, situ_sigmoid(situ_sort(situ_sin(nothing(0, 30)), .axis = -2)))
PROGRAM(places_of_nothing, situ_argsort(nothing(2, 0)))
PROGRAM(best_of_nothing, situ_topk(nothing(2, 0), 0))
PROGRAM(scanned_nothing, situ_cumprod(situ_sort(nothing(0, 4), .axis = 0)))
PROGRAM(transformed_nothing, situ_fft(nothing(0, 8)))
PROGRAM(solved_nothing, situ_inv(situ_zeros(SHAPE(0, 3, 3), .device = here)))
PROGRAM(pooled_nothing, situ_max_pool2d(situ_zeros(SHAPE(0, 2, 6, 6), .device = here), SHAPE(2, 2)))
PROGRAM(convolved_nothing, situ_conv2d(situ_zeros(SHAPE(0, 2, 6, 6), .device = here), F32(3, 2, 3, 3)))
PROGRAM(multiplied_nothing, situ_matmul(nothing(0, 3), F32(3, 2)))

TEST(results_of_no_elements)
{
    static situ_tensor *(*const empty[])(void) = {sorted_nothing, places_of_nothing, best_of_nothing, scanned_nothing, transformed_nothing,
        solved_nothing, pooled_nothing, convolved_nothing, multiplied_nothing};
    char out[8];
    alone_state s = alone();
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        situ_dtype dtype;
        if (!CHECK_EQ(result_on(tested_device(0), empty[i], out, sizeof out, &dtype), 0)) printf("  in program %zu\n", i);
        if (!CHECK_OK()) printf("  in program %zu\n", i);
    }
    *s.maps = could;
}

/* For long products of few rows the CPU uses another order of addition: compared approximately. */
PROGRAM(long_product, situ_matmul(F32(7, 900), F32(900, 5)))

TEST(long_products_are_near_the_cpus)
{
    static float a[64], b[64];
    alone_state s = alone();
    situ_dtype dtype;
    int64_t n = result_on(situ_cpu(), long_product, (char *)a, sizeof a, &dtype);
    CHECK(n > 0);
    CHECK_EQ(result_on(tested_device(0), long_product, (char *)b, sizeof b, &dtype), n);
    for (int64_t k = 0; k < n / 4; k++) CHECK_NEAR(a[k], b[k], 1e-4 * (1 + fabs(a[k])));
    *s.maps = could;
}

static int infer_first(situ_custom_shape *c)
{
    c->shape = SHAPE();
    c->dtype = SITU_F32;
    return 0;
}
static int run_first(const situ_custom_run *c)
{
    *(float *)c->out = *(const float *)c->in[0];
    return 0;
}

/* A program's own operation is a host function, even if its name is that of one of ours. */
TEST(what_has_no_text_is_refused_or_mapped)
{
    static const situ_custom *take_first;
    alone_state s = alone();
    if (!take_first) take_first = situ_custom_new("take", 1, infer_first, run_first, NULL);
    here = tested_device(0);
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = F32(3, 3), *first = situ_custom_call(take_first, TENSORS(x), NULL, 0);
    CHECK(situ_eval(TENSORS(first)) == -SITU_UNSUPPORTED);
    CHECK(strstr(situ_error_message(), testing_cuda() ? "take has no kernel of CUDA" : testing_pjrt() ? "take has no text of StableHLO" : "take has no kernel of OpenCL") && strstr(situ_error_message(), "situ_to(x, situ_cpu())"));
    CHECK_CODE(SITU_UNSUPPORTED);
    situ_scope_close(scope);
    if (!(*s.maps = could)) return;
    scope = situ_scope_open();
    float a = 0, b[9];
    x = F32(3, 3);
    char *how = situ_explain(first = situ_custom_call(take_first, TENSORS(x), NULL, 0));
    CHECK(how && strstr(how, "the CPU's kernel runs on the device's mapped memory"));
    free(how);
    CHECK_EQ(situ_read(first, &a, 4), 0);
    CHECK_EQ(situ_read(x, b, sizeof b), 0);
    CHECK(a == b[0]);
    situ_scope_close(scope);
}

TEST_IN_SCOPE(a_bad_index_names_operation_and_line)
{
    *alone().maps = could;
    here = tested_device(0);
    situ_tensor *x = situ_take(F32(4, 2), below(SHAPE(3), 4, 4));
    float out[6];
    CHECK_FAILS(SITU_BAD_INDEX, situ_read(x, out, sizeof out), "test_opencl_ops.c:", "take", "at [0] of the indices");
    CHECK_EQ(situ_read(situ_take(F32(4, 2), below(SHAPE(3), 0, 3)), out, sizeof out), 0); /* the device goes on */
}
