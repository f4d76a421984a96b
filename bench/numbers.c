/* Work on numbers: what the chapter and its exercises time, and a few common pieces. */
#include <stdlib.h>

#include <situ.h>

#include "bench.h"

enum { MATRICES = 1000 };
static situ_tensor *x, *b, *matrix[MATRICES];

/* Waits for a result and ends the run's scope. */
static int finish(situ_scope *scope, situ_tensor *t)
{
    situ_wait(t);
    situ_scope_close(scope);
    return -situ_failed();
}

static int keep_normal(situ_shape shape)
{
    situ_scope *scope = situ_scope_open();
    x = situ_keep(situ_normal(situ_key(0), shape));
    return finish(scope, x);
}

static int nothing(int64_t n)
{
    (void)n;
    return 0;
}

static int linspace_root_log(int64_t r)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *t = situ_linspace(0, 100 + 1e-3 * (double)r, 10000000);
    return finish(scope, situ_sub(situ_pow(t, 0.5), situ_log(situ_abs(t))));
}

static int uniform_powers(int64_t r)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *t = situ_uniform(situ_key(r), SHAPE(100000000));
    t = situ_sub(situ_pow(t, 2), 0.5);
    return finish(scope, situ_sub(situ_pow(t, 3), 0.2));
}

static int two_matrices(int64_t n)
{
    situ_scope *scope = situ_scope_open();
    x = situ_keep(situ_uniform(situ_key(0), SHAPE(n, n)));
    b = situ_keep(situ_uniform(situ_key(1), SHAPE(n, n)));
    situ_wait(x);
    return finish(scope, b);
}

static int product(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    return finish(scope, situ_matmul(x, b));
}

static int two_halves(situ_dtype dtype)
{
    situ_scope *scope = situ_scope_open();
    x = situ_keep(situ_cast(situ_uniform(situ_key(0), SHAPE(1024, 1024)), dtype));
    b = situ_keep(situ_cast(situ_uniform(situ_key(1), SHAPE(1024, 1024)), dtype));
    situ_wait(x);
    return finish(scope, b);
}
static int two_of_bf16(int64_t n) { return (void)n, two_halves(SITU_BF16); }
static int two_of_f16(int64_t n) { return (void)n, two_halves(SITU_F16); }

static int four_million_of(situ_dtype dtype)
{
    situ_scope *scope = situ_scope_open();
    x = situ_keep(situ_cast(situ_uniform(situ_key(0), SHAPE(4000000), .low = -3, .high = 3), dtype));
    return finish(scope, x);
}
static int four_million_doubles(int64_t n) { return (void)n, four_million_of(SITU_F64); }
static int four_million_halves(int64_t n) { return (void)n, four_million_of(SITU_F16); }

static int sine(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    return finish(scope, situ_sin(x));
}
static int gelu_once(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    return finish(scope, situ_gelu(x));
}

static int many_matrices(int64_t n)
{
    (void)n;
    situ_scope *scope = situ_scope_open();
    b = situ_keep(situ_uniform(situ_key(1), SHAPE(100, 100)));
    for (int i = 0; i < MATRICES; i++) {
        matrix[i] = situ_keep(situ_uniform(situ_fold_in(situ_key(0), i), SHAPE(100, 100)));
        situ_wait(matrix[i]);
    }
    return finish(scope, b);
}

static int norms_logged(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    situ_tensor *log[MATRICES];
    for (int i = 0; i < MATRICES; i++) log[i] = situ_norm(situ_matmul(matrix[i], b));
    return finish(scope, situ_stack(((situ_list){log, MATRICES})));
}

static int norms_each(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < MATRICES; i++) situ_item(situ_norm(situ_matmul(matrix[i], b)));
    return finish(scope, b);
}

static int one_number(int64_t n)
{
    (void)n;
    situ_scope *scope = situ_scope_open();
    x = situ_keep(situ_ones(SHAPE(1)));
    return finish(scope, x);
}

static int add_thousand(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    situ_tensor *t = x;
    for (int i = 0; i < 1000; i++) t = situ_add(t, x);
    return finish(scope, t);
}

static int add_thousand_each(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    situ_tensor *t = x;
    for (int i = 0; i < 1000; i++) {
        t = situ_add(t, x);
        situ_item(t);
    }
    return finish(scope, t);
}

static int record_thousand(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    situ_tensor *t = x;
    for (int i = 0; i < 1000; i++) t = situ_add(t, x);
    situ_scope_close(scope); /* never computed */
    return -situ_failed();
}

static int four_million(int64_t n)
{
    (void)n;
    return keep_normal(SHAPE(4000000));
}

/* The run's number reaches the formula, so that nothing can be kept from the last one. */
static double factor(int64_t r) { return 1 + 1e-6 * (double)(r % 1000); }

/* No operand of the composite is a number that could change from run to run: two operands are used alternately. */
static int four_million_twice(int64_t n)
{
    (void)n;
    situ_scope *scope = situ_scope_open();
    x = situ_keep(situ_normal(situ_key(0), SHAPE(4000000)));
    b = situ_keep(situ_normal(situ_key(1), SHAPE(4000000)));
    situ_eval(TENSORS(x, b));
    situ_wait(x);
    return finish(scope, b);
}

static int gelu(int64_t r)
{
    situ_scope *scope = situ_scope_open();
    return finish(scope, situ_gelu(r % 2 ? b : x));
}

static int gelu_tanh(int64_t r)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *cube = situ_mul(situ_mul(situ_mul(x, 0.044715 * factor(r)), x), x);
    situ_tensor *t = situ_tanh(situ_mul(situ_add(x, cube), 0.79788456));
    return finish(scope, situ_mul(situ_mul(x, 0.5), situ_add(t, 1)));
}

static int silu(int64_t r)
{
    situ_scope *scope = situ_scope_open();
    return finish(scope, situ_silu(r % 2 ? b : x));
}

static int mish(int64_t r)
{
    situ_scope *scope = situ_scope_open();
    return finish(scope, situ_mish(r % 2 ? b : x));
}

static int chain(int64_t r)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *root = situ_sqrt(situ_abs(situ_add(situ_mul(x, 1.1 * factor(r)), 0.3)));
    return finish(scope, situ_exp(situ_negative(situ_abs(situ_sub(situ_mul(root, x), 0.7)))));
}

static int softmax_rows(int64_t n)
{
    (void)n;
    return keep_normal(SHAPE(4096, 1024));
}

static int softmax_wide_rows(int64_t n)
{
    (void)n;
    return keep_normal(SHAPE(64, 50257));
}

static int softmax(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    return finish(scope, situ_softmax(x));
}

static int square(int64_t n)
{
    (void)n;
    return keep_normal(SHAPE(4096, 4096));
}

static int sum(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    situ_item(situ_sum(x));
    return finish(scope, x);
}

static int column_sums(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    return finish(scope, situ_sum(x, .axes = AXES(0)));
}

static int transpose(int64_t r)
{
    (void)r;
    situ_scope *scope = situ_scope_open();
    return finish(scope, situ_copy_to(situ_transpose(x), situ_device_of(x)));
}

const bench_work bench_numbers[] = {
    {"seedA", "x**0.5 - log(abs(x)) over linspace(0, 100, 10,000,000)", nothing, linspace_root_log, 0},
    {"seedB", "y**3 - 0.2, y = x**2 - 0.5, x = 100,000,000 uniform numbers", nothing, uniform_powers, 0},
    {"matmul", "matmulN: a product of N x N matrices", two_matrices, product, 0},
    {"bf16product", "a product of 1024 x 1024 of bf16", two_of_bf16, product, 0},
    {"f16product", "a product of 1024 x 1024 of f16", two_of_f16, product, 0},
    {"sin64", "the sine of 4,000,000 numbers of f64", four_million_doubles, sine, 0},
    {"gelu16", "over 4,000,000 numbers of f16", four_million_halves, gelu_once, 0},
    {"ex3log", "the norms of 1000 products of 100 x 100, logged and read once", many_matrices, norms_logged, 0},
    {"ex3each", "the same, each read by itself", many_matrices, norms_each, 0},
    {"add1", "1000 additions of one number, read at the end", one_number, add_thousand, 0},
    {"add1each", "the same, each read by itself", one_number, add_thousand_each, 0},
    {"gelu", "over 4,000,000 numbers", four_million_twice, gelu, 0},
    {"gelutanh", "the same, its tanh formula as a user writes it", four_million, gelu_tanh, 0},
    {"silu", "over 4,000,000 numbers", four_million_twice, silu, 0},
    {"mish", "over 4,000,000 numbers", four_million_twice, mish, 0},
    {"chain9", "nine elementwise operations over 4,000,000 numbers", four_million, chain, 0},
    {"softmax", "rows of 1024, 4096 of them", softmax_rows, softmax, 0},
    {"softmax50k", "rows of 50257, 64 of them", softmax_wide_rows, softmax, 0},
    {"sum", "of 4096 x 4096, read", square, sum, 0},
    {"colsum", "of 4096 columns", square, column_sums, 0},
    {"transpose", "4096 x 4096 into new memory", square, transpose, 0},
    {"record", "seconds per operation that is recorded and never computed", one_number, record_thousand, 1000},
    {0},
};
