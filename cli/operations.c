/* Every operation of the library as a small program with fixed operands. */
#include "operations.h"

#include <math.h>
#include <stdlib.h>

#include <situ/custom.h>

#include "func/attention.h"
#include "op/blocks.h"
#include "op/elementwise.h"
#include "op/index.h"
#include "op/support.h"
#include "codegen/table.h"

/* ---- operands ---- */

static situ_device here;

/* Numbers between two bounds; the same for each shape. */
static situ_tensor *some(situ_dtype dtype, double lo, double hi, situ_shape shape)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++) n *= shape.dim[i];
    double *value = malloc(sizeof *value * (size_t)(n + 1));
    uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(n + 1);
    for (int64_t i = 0; value && i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value[i] = lo + (hi - lo) * (double)(state >> 11) * 0x1p-53;
        if (dtype < SITU_F16) value[i] = floor(value[i] + 0.5);
    }
    situ_tensor *wide = situ_from_host(value, shape, .dtype = SITU_F64, .device = situ_cpu());
    situ_tensor *x = situ_copy_to(situ_cast(wide, dtype), situ_cpu()); /* always on the CPU, because a cast is an operation, too */
    situ_wait(x);
    free(value);
    return situ_to(x, here);
}

#define F32(...) some(SITU_F32, -2, 2, SHAPE(__VA_ARGS__))
#define ABOVE(...) some(SITU_F32, 0.5, 2, SHAPE(__VA_ARGS__))
#define I64(most, ...) some(SITU_I64, 0, most, SHAPE(__VA_ARGS__))
#define C64(...) situ_complex(F32(__VA_ARGS__), situ_flip(F32(__VA_ARGS__)))
#define KEY() situ_key(5, .device = here)

/* A symmetric matrix with distinct positive eigenvalues. */
static situ_tensor *positive(int n)
{
    static float a[64 * 64];
    for (int i = 0; i < n * n; i++) a[i] = (float)((i / n == i % n) * (1 + i % n) * 2) + 1 / (1 + (float)abs(i / n - i % n));
    return situ_from_host(a, SHAPE(n, n), .device = here);
}

/* The gradient of sum(y^3) by x; that of sum(y^2) would be 0 for normalised y. */
static situ_tensor *slope(situ_tensor *y, situ_tensor *x)
{
    situ_tensor *g = situ_zeros_like(x);
    situ_grad(situ_sum(situ_mul(situ_square(y), y)), TENSORS(x), &g);
    return g;
}

/* ---- elementwise ---- */

static situ_dtype dtype_of(int kind, bool wide)
{
    if (kind == SITU_EL_INTEGER || kind == SITU_EL_BITS) return wide ? SITU_I64 : SITU_I32;
    if (kind == SITU_EL_LOGIC) return SITU_BOOL;
    if (kind == SITU_EL_TO_F32) return SITU_U32;
    if (kind == SITU_EL_TO_F64) return SITU_U64;
    if (kind == SITU_EL_TO_U32) return SITU_F32;
    return kind == SITU_EL_TO_U64 || wide ? SITU_F64 : SITU_F32;
}

enum { ELEMENTS = 4000 };
#define OPERAND(kind, wide, lo, hi, at) \
    situ_slice(some(dtype_of(kind, wide), lo, hi, SHAPE(3, ELEMENTS)), .start = SHAPE(at), .stop = SHAPE(at + 1))
#define BOTH(name) \
    static situ_tensor *el_##name(void) { return name##_in(false); } \
    static situ_tensor *el_##name##_f64(void) { return name##_in(true); }
#define EL1(name, kind, value, ga, lo, hi, doc) \
    static situ_tensor *name##_in(bool wide) { return situ_##name(OPERAND(SITU_EL_##kind, wide, lo, hi, 0)); } \
    BOTH(name)
#define EL2(name, kind, value, ga, gb, lo, hi, doc) \
    static situ_tensor *name##_in(bool wide) \
    { \
        return situ_##name(OPERAND(SITU_EL_##kind, wide, lo, hi, 0), OPERAND(SITU_EL_##kind, wide, lo, hi, 1)); \
    } \
    BOTH(name)
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) \
    static situ_tensor *name##_in(bool wide) \
    { \
        situ_dtype first = SITU_EL_##kind == SITU_EL_SELECT ? SITU_BOOL : dtype_of(SITU_EL_##kind, wide); \
        situ_tensor *a = some(first, first == SITU_BOOL ? 0 : lo, first == SITU_BOOL ? 1 : hi, SHAPE(1, ELEMENTS)); \
        return situ_##name(a, OPERAND(SITU_EL_##kind, wide, lo, hi, 1), OPERAND(SITU_EL_##kind, wide, lo, hi, 2)); \
    } \
    BOTH(name)
#include "op/elementwise.def"
#undef EL1
#undef EL2
#undef EL3

/* ---- elementwise, of complex numbers ---- */

#define CX1(name, ...) \
    static situ_tensor *cx_##name(void) { return situ_##name(C64(ELEMENTS)); }
#define CX2(name, ...) \
    static situ_tensor *cx_##name(void) { return situ_##name(C64(20, 200), C64(200)); }
#define CX3(name, ...) \
    static situ_tensor *cx_##name(void) { return situ_##name(some(SITU_BOOL, 0, 1, SHAPE(20, 1)), C64(20, 200), C64(200)); }
#include "op/complex.def"
#undef CX1
#undef CX2
#undef CX3
static const cli_operation complex_rows[] = {
#define CX1(name, ...) {#name, cx_##name, false},
#define CX2 CX1
#define CX3 CX1
#include "op/complex.def"
};
enum { COMPLEX_ROWS = sizeof complex_rows / sizeof *complex_rows };

/* ---- structured ---- */

#define PROGRAM(name, ...) \
    static situ_tensor *of_##name(void) { return __VA_ARGS__; }

PROGRAM(fill, situ_full(SHAPE(100), 2.5, .device = here))
PROGRAM(iota, situ_arange(0, 1000, 1, .dtype = SITU_F32, .device = here))
PROGRAM(random_bits, situ_random_bits(KEY(), SHAPE(1001)))
PROGRAM(narrow_bits, situ_random_bits(KEY(), SHAPE(1003), .dtype = SITU_U8))
PROGRAM(key, KEY())
PROGRAM(fold_in, situ_fold_in(KEY(), 12345))
PROGRAM(cast, situ_cast(F32(1000), SITU_BF16))
PROGRAM(cast_complex, situ_cast(F32(1000), SITU_C64))
PROGRAM(copy, situ_copy_to(F32(1000), here))
PROGRAM(real, situ_real(C64(1000)))
PROGRAM(imag, situ_imag(C64(1000)))
PROGRAM(conj, situ_conj(C64(1000)))
PROGRAM(complex, C64(1000))
PROGRAM(reshape, situ_reshape(F32(30, 40), SHAPE(40, 30)))
PROGRAM(broadcast_to, situ_broadcast_to(F32(30, 1), SHAPE(30, 40)))
PROGRAM(permute, situ_permute(F32(5, 6, 7), AXES(2, 0, 1)))
PROGRAM(slice, situ_slice(F32(30, 40), .start = SHAPE(2, 3), .step = SHAPE(2, 3)))
PROGRAM(flip, situ_flip(F32(30, 40)))
PROGRAM(diagonal, situ_diagonal(F32(30, 40), 0))
PROGRAM(stop_gradient, situ_stop_gradient(F32(100)))
PROGRAM(alias, situ_apply1(&situ_op_alias, F32(100), NULL, 0, SITU_HERE))
PROGRAM(place, situ_pad(F32(30, 40), SHAPE(1, 2), SHAPE(0, 3), .value = 2.5))
PROGRAM(update_slice, situ_update_slice(F32(30, 40), F32(3, 4), SHAPE(2, 5)))
PROGRAM(concat, situ_concat(TENSORS(F32(30, 40), F32(3, 40))))
PROGRAM(rotary, situ_rotary(F32(9, 16), I64(20, 9)))
PROGRAM(sum, situ_sum(F32(40, 1030), .axes = AXES(-1)))
PROGRAM(prod, situ_prod(ABOVE(40, 30), .axes = AXES(-1)))
PROGRAM(max, situ_max(F32(40, 1030), .axes = AXES(-1)))
PROGRAM(min, situ_min(F32(40, 1030), .axes = AXES(0)))
PROGRAM(any, situ_any(situ_greater(F32(40, 103), 1.9), .axes = AXES(-1)))
PROGRAM(all, situ_all(situ_less(F32(40, 103), 1.9), .axes = AXES(-1)))
PROGRAM(cumsum, situ_cumsum(ABOVE(7, 1500)))
PROGRAM(cumprod, situ_cumprod(ABOVE(7, 100)))
PROGRAM(linear_scan, situ_linear_scan(F32(7, 100), F32(7, 100)))
PROGRAM(matmul, situ_matmul(F32(45, 70), F32(70, 33)))
PROGRAM(rows_product, situ_rows_product(F32(3, 64), some(SITU_F16, -2, 2, SHAPE(40, 64)), (situ_block_type)-1, SITU_HERE))
PROGRAM(dequantise, situ_dequantise(some(SITU_U8, 0, 50, SHAPE(3, 34)), SITU_Q8_0))
PROGRAM(cholesky, situ_cholesky(positive(20)))
PROGRAM(solve, situ_solve(positive(20), F32(20, 3)))
PROGRAM(solve_triangular, situ_solve_triangular(positive(20), F32(20, 3)))
PROGRAM(inv, situ_inv(positive(20)))
PROGRAM(det, situ_det(positive(9)))
PROGRAM(qr, situ_qr(positive(20)))
PROGRAM(eigh, situ_eigh(positive(20)))
PROGRAM(svd, situ_svd(positive(20)))
PROGRAM(eig, situ_eig(positive(9)))
PROGRAM(fft, situ_fft(C64(3, 360)))
PROGRAM(argmax, situ_argmax(F32(40, 103)))
PROGRAM(argmin, situ_argmin(F32(40, 103), .axis = 0))
PROGRAM(argsort, situ_argsort(F32(7, 500)))
PROGRAM(sort, situ_sort(F32(7, 500)))
PROGRAM(topk, situ_topk(F32(7, 500), 5))
PROGRAM(compress, situ_masked(F32(1000), situ_greater(F32(1000), 1), .count = 300))
PROGRAM(searchsorted, situ_searchsorted(situ_arange(0, 50, 1, .dtype = SITU_F32, .device = here), situ_mul(F32(300), 25)))
PROGRAM(take, situ_take(F32(20, 30), I64(19, 40)))
PROGRAM(gather, situ_gather(F32(20, 30), I64(29, 20, 5)))
PROGRAM(scatter, situ_scatter(F32(20, 30), situ_broadcast_to(situ_arange(0, 5, 1, .device = here), SHAPE(20, 5)), F32(20, 5)))
PROGRAM(scatter_add, situ_scatter_add(F32(20, 30), I64(29, 20, 50), F32(20, 50)))
PROGRAM(index_add, situ_index_add(F32(20, 30), I64(19, 60), F32(60, 30)))
PROGRAM(index_copy, situ_index_copy(F32(20, 30), situ_arange(0, 15, 1, .device = here), F32(15, 30), NULL))
PROGRAM(nonzero, situ_nonzero(situ_greater(F32(20, 30), 1), .count = 600))
#define IMAGES F32(2, 3, 11, 12)
PROGRAM(conv2d, situ_conv2d(IMAGES, F32(5, 3, 3, 3), .padding = SHAPE(1)))
PROGRAM(conv2d_half, situ_conv2d(situ_cast(IMAGES, SITU_BF16), situ_cast(F32(5, 3, 3, 3), SITU_BF16)))
PROGRAM(max_take, situ_max_pool2d(IMAGES, SHAPE(3, 2), .stride = SHAPE(2, 2)))
PROGRAM(avg_pool2d, situ_avg_pool2d(IMAGES, SHAPE(3, 2), .stride = SHAPE(2, 2)))
PROGRAM(gelu, situ_gelu(F32(1000)))
PROGRAM(std_root, situ_std(F32(40, 103), .axes = AXES(-1)))
PROGRAM(norm, situ_norm(F32(40, 103), .axes = AXES(-1)))
PROGRAM(gelu_exact, situ_gelu(F32(1000), .exact = true))
PROGRAM(silu, situ_silu(F32(1000)))
PROGRAM(mish, situ_mish(F32(1000)))
PROGRAM(softmax, situ_softmax(F32(20, 300)))
PROGRAM(log_softmax, situ_log_softmax(F32(20, 300)))
PROGRAM(log_sum, situ_logsumexp(F32(20, 300), .axes = AXES(-1)))
PROGRAM(permutation, situ_permutation(KEY(), 1001))
PROGRAM(normal, situ_normal(KEY(), SHAPE(1001)))
PROGRAM(layer_norm, situ_layer_norm(F32(20, 64), F32(64), F32(64)))
PROGRAM(batch_norm, situ_batch_norm(IMAGES, F32(3), F32(3)))
PROGRAM(self_attention, situ_self_attention(F32(2, 6, 24), 2))

/* Operations that need a variable or a special operand. */
static situ_tensor *of_rounded(void)
{
    situ_dtype before = situ_precision(SITU_BF16);
    situ_tensor *y = situ_matmul(F32(30, 40), F32(40, 20));
    situ_precision(before);
    return y;
}
static void rule(void *self, situ_tensor *g, situ_list in, situ_tensor *y, situ_tensor **out)
{
    (void)self, (void)in, (void)y;
    out[0] = g;
}
static situ_tensor *of_custom_vjp(void)
{
    situ_tensor *x = F32(100);
    return situ_custom_vjp(situ_mul(x, 2), TENSORS(x), rule, NULL);
}
#define SLOPE(name, operand, ...) \
    static situ_tensor *of_##name(void) \
    { \
        situ_tensor *x = operand; \
        return slope(__VA_ARGS__, x); \
    }
SLOPE(conv2d_input, IMAGES, situ_conv2d(x, F32(5, 3, 3, 3)))
SLOPE(conv2d_weight, F32(5, 3, 3, 3), situ_conv2d(IMAGES, x))
SLOPE(conv2d_half_input, situ_cast(IMAGES, SITU_BF16), situ_conv2d(x, situ_cast(F32(5, 3, 3, 3), SITU_BF16)))
SLOPE(conv2d_half_weight, situ_cast(F32(5, 3, 3, 3), SITU_BF16), situ_conv2d(situ_cast(IMAGES, SITU_BF16), x))
SLOPE(max_put, IMAGES, situ_max_pool2d(x, SHAPE(3, 2), .stride = SHAPE(2, 2)))
SLOPE(avg_spread, IMAGES, situ_avg_pool2d(x, SHAPE(3, 2), .stride = SHAPE(2, 2)))
SLOPE(gelu_share, F32(1000), situ_gelu(x))
SLOPE(silu_share, F32(1000), situ_silu(x))
SLOPE(gelu_exact_share, F32(1000), situ_gelu(x, .exact = true))
SLOPE(layer_norm_input, F32(20, 64), situ_layer_norm(x, F32(64), F32(64)))
SLOPE(layer_norm_sums, F32(64), situ_layer_norm(F32(20, 64), x, F32(64)))
SLOPE(batch_norm_input, IMAGES, situ_batch_norm(x, F32(3), F32(3)))
SLOPE(batch_norm_sums, F32(3), situ_batch_norm(IMAGES, x, F32(3)))
SLOPE(self_attention_back, F32(2, 6, 24), situ_self_attention(x, 2))

static situ_tensor *of_channel_moments(void) { return situ_apply1(&situ_op_channel_moments, IMAGES, NULL, 0, SITU_HERE); }
static situ_tensor *of_cached_attention(void)
{
    return situ_cached_attention(
        F32(1, 2, 16), F32(1, 2, 16), F32(1, 2, 16), F32(1, 10, 16), F32(1, 10, 16), I64(4, 1), 2, 2, SITU_HERE);
}
static situ_tensor *layer(bool back)
{
    situ_module *gru = situ_gru_layer(8);
    situ_module_to(gru, here);
    situ_module_init(gru, KEY());
    situ_tensor *x = F32(3, 5, 6), *y = situ_module_call(gru, x);
    y = situ_copy_to(back ? slope(y, x) : y, here);
    situ_wait(y);
    situ_module_free(gru);
    return y;
}
static situ_tensor *of_recurrent(void) { return layer(false); }
static situ_tensor *of_recurrent_back(void) { return layer(true); }

/* ---- the table ---- */

#define ROW(name) [SITU_TABLE_##name] = of_##name
static situ_tensor *(*const structured[SITU_TABLE_COUNT])(void) = {
    ROW(fill),
    ROW(iota),
    ROW(random_bits),
    ROW(narrow_bits),
    ROW(key),
    ROW(fold_in),
    ROW(cast),
    ROW(cast_complex),
    ROW(copy),
    ROW(real),
    ROW(imag),
    ROW(conj),
    ROW(complex),
    ROW(reshape),
    ROW(broadcast_to),
    ROW(permute),
    ROW(slice),
    ROW(flip),
    ROW(diagonal),
    ROW(stop_gradient),
    ROW(alias),
    ROW(place),
    ROW(update_slice),
    ROW(concat),
    ROW(rotary),
    ROW(sum),
    ROW(prod),
    ROW(max),
    ROW(min),
    ROW(any),
    ROW(all),
    ROW(cumsum),
    ROW(cumprod),
    ROW(linear_scan),
    ROW(matmul),
    ROW(rows_product),
    ROW(dequantise),
    ROW(cholesky),
    ROW(solve),
    ROW(solve_triangular),
    ROW(inv),
    ROW(det),
    ROW(qr),
    ROW(eigh),
    ROW(svd),
    ROW(eig),
    ROW(fft),
    ROW(argmax),
    ROW(argmin),
    ROW(argsort),
    ROW(sort),
    ROW(searchsorted),
    ROW(topk),
    ROW(compress),
    ROW(take),
    ROW(gather),
    ROW(scatter),
    ROW(scatter_add),
    ROW(index_add),
    ROW(index_copy),
    ROW(nonzero),
    ROW(conv2d),
    ROW(conv2d_half),
    ROW(max_take),
    ROW(avg_pool2d),
    ROW(gelu),
    ROW(std_root),
    ROW(norm),
    ROW(gelu_exact),
    ROW(silu),
    ROW(mish),
    ROW(softmax),
    ROW(log_softmax),
    ROW(log_sum),
    ROW(permutation),
    ROW(normal),
    ROW(layer_norm),
    ROW(batch_norm),
    ROW(self_attention),
    ROW(conv2d_input),
    ROW(conv2d_weight),
    ROW(conv2d_half_input),
    ROW(conv2d_half_weight),
    ROW(max_put),
    ROW(avg_spread),
    ROW(gelu_share),
    ROW(silu_share),
    ROW(gelu_exact_share),
    ROW(layer_norm_input),
    ROW(layer_norm_sums),
    ROW(batch_norm_input),
    ROW(batch_norm_sums),
    ROW(self_attention_back),
    ROW(rounded),
    ROW(custom_vjp),
    ROW(channel_moments),
    ROW(cached_attention),
    ROW(recurrent),
    ROW(recurrent_back),
};

static const struct {
    const char *name;
    situ_tensor *(*record)(void), *(*wide)(void);
    int kind;
} elements[] = {
#define EL1(name, kind, ...) {#name, el_##name, el_##name##_f64, SITU_EL_##kind},
#define EL2 EL1
#define EL3 EL1
#include "op/elementwise.def"
};
enum { ELEMENT_ROWS = sizeof elements / sizeof *elements };

int cli_operations(cli_operation *out, int most)
{
    int n = 0;
    for (int i = 0; i < 2 * ELEMENT_ROWS + COMPLEX_ROWS + SITU_TABLE_COUNT; i++) {
        int e = i % ELEMENT_ROWS, of_complex = i - 2 * ELEMENT_ROWS, row = of_complex - COMPLEX_ROWS;
        if (i / ELEMENT_ROWS == 1 && dtype_of(elements[e].kind, true) == dtype_of(elements[e].kind, false)) continue;
        if (n++ >= most) continue;
        if (row >= 0) out[n - 1] = (cli_operation){situ_table[row]->name, structured[row], false};
        else if (of_complex >= 0) out[n - 1] = complex_rows[of_complex];
        else out[n - 1] = (cli_operation){elements[e].name, i < ELEMENT_ROWS ? elements[e].record : elements[e].wide, true};
    }
    return n;
}

void cli_operations_on(situ_device d) { here = d; }
