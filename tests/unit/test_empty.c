/* Every structured operation on shapes with a length of 0 in each position: a value that does not depend on old memory
 * contents and is the same on all devices, or an error at the call; also for gradients. Sanitizers detect other
 * accesses. */
#include <situ.h>

#include <math.h>

#include "support/opencl_devices.h"
#include "support/sim_devices.h"
#include "values.h"

#include "tensor/dtype.h"

static situ_shape shape_from(const situ_tensor *x, int first, int end)
{
    situ_shape all = situ_shape_of(x), s = {0};
    for (int i = first; i < end; i++) s.dim[s.ndim++] = all.dim[i];
    return s;
}
static situ_tensor *numbers(situ_shape s, const situ_tensor *like)
{
    return situ_full(s, 0.5, .dtype = situ_dtype_of(like), .device = situ_device_of(like));
}
static int dims(const situ_tensor *x) { return situ_shape_of(x).ndim; }
static int64_t dim(const situ_tensor *x, int i) { return situ_shape_of(x).dim[i < 0 ? i + dims(x) : i]; }
static situ_tensor *indices(const situ_tensor *x, situ_shape s) { return situ_zeros(s, .dtype = SITU_I64, .device = situ_device_of(x)); }

typedef struct trial { const char *name; int least; situ_tensor *(*run)(situ_tensor *x, int v); int variants; } trial;

static situ_tensor *folds(situ_tensor *x, int v)
{
    int n = dims(x);
    situ_axes axes = v % 4 == 0 ? (situ_axes){0} : AXES(v % 4 == 1 ? -1 : v % 4 == 2 ? 0 : n / 2);
    switch (v / 4) {
    case 0: return situ_sum(x, .axes = axes);
    case 1: return situ_prod(x, .axes = axes);
    case 2: return situ_max(x, .axes = axes);
    case 3: return situ_min(x, .axes = axes);
    case 4: return situ_any(x, .axes = axes);
    case 5: return situ_all(x, .axes = axes);
    case 6: return situ_mean(x, .axes = axes);
    case 7: return situ_var(x, .axes = axes);
    case 8: return situ_std(x, .axes = axes, .correction = 1);
    case 9: return situ_logsumexp(x, .axes = axes);
    case 10: return situ_norm(x, .axes = axes);
    case 11: return situ_norm(x, .axes = axes, .ord = INFINITY);
    case 12: return situ_norm(x, .axes = axes, .ord = -INFINITY);
    case 13: return situ_norm(x, .axes = axes, .ord = 3);
    case 14: return situ_norm(x, .axes = axes, .ord = -1);
    case 15: return situ_norm(x, .axes = axes, .ord = 0);
    case 16: return situ_count_nonzero(x, .axes = axes);
    case 17: return v % 4 ? situ_argmax(x, .axis = axes.axis[0]) : situ_argmax(x);
    default: return v % 4 ? situ_argmin(x, .axis = axes.axis[0]) : situ_argmin(x);
    }
}

static situ_tensor *lines(situ_tensor *x, int v)
{
    int axis = v % 2 ? 0 : -1;
    situ_tensor *index = NULL;
    switch (v / 2) {
    case 0: return situ_cumsum(x, .axis = axis);
    case 1: return situ_cumsum(x, .axis = axis, .reverse = true, .initial = true);
    case 2: return situ_cumprod(x, .axis = axis, .initial = true);
    case 3: return situ_linear_scan(x, x, .axis = axis);
    case 4: return situ_diff(x, .axis = axis);
    case 5: return situ_sort(x, .axis = axis);
    case 6: return situ_argsort(x, .axis = axis, .descending = true);
    case 7: return situ_topk(x, dim(x, axis) < 2 ? dim(x, axis) : 1, .axis = axis, .indices = &index);
    case 8: return situ_topk(x, 1, .axis = axis);
    case 9: return situ_softmax(x, .axis = axis);
    case 10: return situ_log_softmax(x, .axis = axis);
    case 11: return situ_roll(x, 2, .axis = axis);
    case 12: return situ_repeat(x, 2, .axis = axis);
    case 13: return situ_repeat(x, 0, .axis = axis);
    case 14: return situ_flip(x);
    case 15: return situ_concat(TENSORS(x, x), .axis = axis);
    case 16: return situ_take(x, indices(x, SHAPE(2)), .axis = axis);
    case 17: return situ_take(x, indices(x, SHAPE(0)), .axis = axis);
    case 18: return situ_gather(x, indices(x, shape_from(x, 0, dims(x))), .axis = axis);
    case 19: return situ_scatter_add(x, indices(x, shape_from(x, 0, dims(x))), x, .axis = axis);
    case 20: return situ_index_add(x, indices(x, SHAPE(0)), situ_take(x, indices(x, SHAPE(0)), .axis = axis), .axis = axis);
    case 21: return situ_scatter(x, indices(x, shape_from(x, 0, dims(x))), x, .axis = axis);
    case 22: return situ_pad(x, SHAPE(1), SHAPE(2));
    default: return situ_tile(x, SHAPE(2));
    }
}

static situ_tensor *products(situ_tensor *x, int v)
{
    int n = dims(x);
    switch (v) {
    case 0: return situ_matmul(x, situ_matrix_transpose(x));
    case 1: return situ_matmul(situ_matrix_transpose(x), x);
    case 2: return situ_matmul(x, numbers(SHAPE(dim(x, -1), 3), x));
    case 3: return situ_matmul(x, numbers(SHAPE(dim(x, -1)), x));
    case 4: return situ_matmul(x, numbers(SHAPE(dim(x, -1), 0), x));
    case 5: return situ_add(situ_matmul(x, numbers(SHAPE(dim(x, -1), 3), x)), numbers(SHAPE(3), x)); /* a tail behind a product of nothing */
    case 6: return situ_relu(situ_matmul(x, numbers(SHAPE(dim(x, -1), 40), x)));
    case 7: return situ_dot(x, x);
    case 8: return situ_tensordot(x, x, AXES(-1), AXES(-1));
    case 9: return situ_outer(situ_reshape(x, SHAPE(situ_count(x))), numbers(SHAPE(2), x));
    case 10: return situ_trace(x);
    case 11: return situ_layer_norm(x, numbers(SHAPE(dim(x, -1)), x), numbers(SHAPE(dim(x, -1)), x));
    case 12: return n > 1 ? situ_batch_norm(x, numbers(SHAPE(dim(x, 1)), x), numbers(SHAPE(dim(x, 1)), x)) : x;
    case 13: return situ_embedding(x, indices(x, SHAPE(2)));
    case 14: return situ_embedding(x, indices(x, SHAPE(0)));
    case 15: return situ_cross_entropy(situ_reshape(x, SHAPE(situ_count(x) / (dim(x, -1) ? dim(x, -1) : 1), dim(x, -1))),
                                       indices(x, SHAPE(situ_count(x) / (dim(x, -1) ? dim(x, -1) : 1))));
    case 16: return situ_mse(x, x);
    case 17: return situ_self_attention(n == 3 ? x : situ_reshape(x, SHAPE(dim(x, 0), 1, situ_count(x) / (dim(x, 0) ? dim(x, 0) : 1))), 1);
    case 18: return situ_attention(x, x, x, .causal = true);
    case 19: return situ_vecdot(x, x);
    case 20: return situ_unique(x);
    case 21: return situ_nonzero(x);
    case 22: return situ_masked(x, situ_greater(x, 0));
    case 23: return situ_isin(x, numbers(SHAPE(0), x));
    case 24: return situ_searchsorted(numbers(SHAPE(0), x), x);
    case 25: return situ_one_hot(situ_cast(x, SITU_I64), 3);
    case 26: return situ_repeat_each(x, indices(x, SHAPE(dim(x, 0))), .axis = 0);
    case 27: return situ_normal(situ_key(1), situ_shape_of(x), .device = situ_device_of(x));
    default: return situ_cast(situ_permutation(situ_key(2), dim(x, 0), .device = situ_device_of(x)), SITU_F32);
    }
}

static situ_tensor *windows(situ_tensor *x, int v)
{
    int64_t channels = dim(x, 1);
    switch (v) {
    case 0: return situ_max_pool2d(x, SHAPE(2, 2), .padding = SHAPE(1, 1));
    case 1: return situ_max_pool2d(x, SHAPE(2, 2));
    case 2: return situ_max_pool2d(x, SHAPE(1, 4), .stride = SHAPE(1, 1), .padding = SHAPE(0, 2));
    case 3: return situ_max_pool2d(x, SHAPE(4, 1), .stride = SHAPE(1, 1), .padding = SHAPE(2, 0));
    case 4: return situ_avg_pool2d(x, SHAPE(2, 2), .padding = SHAPE(1, 1));
    case 5: return situ_avg_pool2d(x, SHAPE(2, 2), .padding = SHAPE(1, 1), .count_padding = false);
    case 6: return situ_avg_pool2d(x, SHAPE(4, 2), .stride = SHAPE(1, 2), .padding = SHAPE(2, 1), .count_padding = false);
    case 7: return situ_conv2d(x, numbers(SHAPE(3, channels, 2, 2), x), .padding = SHAPE(1, 1));
    case 8: return situ_conv2d(x, numbers(SHAPE(3, channels, 3, 3), x), .padding = SHAPE(3, 3), .dilation = SHAPE(2, 2));
    case 9: return situ_conv2d(x, numbers(SHAPE(0, channels, 1, 1), x));
    case 10: return situ_relu(situ_conv2d(x, numbers(SHAPE(17, channels, 3, 3), x), .padding = SHAPE(2, 2), .stride = SHAPE(2, 1)));
    case 11: return situ_conv2d(x, numbers(SHAPE(2, channels, 0, 1), x), .padding = SHAPE(1, 1));
    default: return situ_max_pool2d(x, SHAPE(3, 3), .stride = SHAPE(1, 1), .padding = SHAPE(1, 1));
    }
}

static situ_tensor *matrices(situ_tensor *x, int v)
{
    situ_tensor *a, *b;
    switch (v) {
    case 0: return situ_cholesky(x);
    case 1: return situ_inv(x);
    case 2: return situ_det(x);
    case 3: return situ_slogdet(x);
    case 4: return situ_qr(x);
    case 5: return situ_qr(x, .complete = true);
    case 6: return situ_svd(x);
    case 7: return situ_svd(x, .u = &a, .vh = &b, .full = true);
    case 8: return situ_eigh(x);
    case 9: return situ_eig(x);
    case 10: return situ_pinv(x);
    case 11: return situ_matrix_rank(x);
    case 12: return situ_matrix_norm(x);
    case 13: return situ_matrix_norm(x, .order = SITU_NUCLEAR);
    case 14: return situ_matrix_norm(x, .order = SITU_INDUCED, .ord = 1);
    case 15: return situ_matrix_norm(x, .order = SITU_INDUCED, .ord = -INFINITY);
    case 16: return situ_solve(x, x);
    case 17: return situ_matrix_power(x, 3);
    case 18: return situ_matrix_power(x, 0);
    case 19: return situ_diagonal(x, 1);
    default: return situ_triu(x, 1);
    }
}

static situ_tensor *transforms(situ_tensor *x, int v)
{
    switch (v) {
    case 0: return situ_real(situ_fft(x));
    case 1: return situ_real(situ_rfft(x));
    case 2: return situ_irfft(x);
    case 3: return situ_real(situ_fftn(x));
    case 4: return situ_real(situ_fft(x, .n = 3));
    case 5: return situ_irfft(situ_rfft(x), .n = 4);
    case 6: return situ_fftshift(x);
    default: return situ_hfft(x);
    }
}

static const trial trials[] = {
    {"fold", 0, folds, 76},     {"line", 1, lines, 48},      {"product", 2, products, 29},
    {"window", 4, windows, 13}, {"matrix", 2, matrices, 21}, {"transform", 1, transforms, 8},
};

enum { MOST = 1024 };
typedef struct outcome { int code; int64_t n, ngradient; double value[MOST], gradient[MOST]; } outcome;

static int64_t read_all(situ_tensor *t, double *to)
{
    int64_t n = situ_count(t);
    if (n < 0 || n > MOST) return n;
    if (situ_dtype_is_complex(situ_dtype_of(t))) t = situ_abs(t);
    situ_read(situ_cast(t, SITU_F64), to, (size_t)n * sizeof *to);
    return n;
}

/* Fills memory and frees it, so that freed memory contains this value. */
static void litter(situ_device d, double value)
{
    IN_SCOPE {
        for (int i = 0; i < 10; i++) {
            situ_tensor *t = situ_full(SHAPE((int64_t)1 << i), value, .device = d);
            situ_wait(t);
        }
    }
}

static void attempt(const trial *t, int v, situ_shape s, situ_dtype dtype, situ_device d, outcome *o)
{
    situ_error e = {0};
    memset(o, 0, sizeof *o);
    IN_SCOPE {
        situ_tensor *x = situ_ones(s, .dtype = dtype, .device = d), *by = NULL, *y = t->run(x, v);
        o->n = read_all(y, o->value);
        o->code = situ_error_take(&e);
        if (o->code || (situ_dtype_of(y) != SITU_F32 && situ_dtype_of(y) != SITU_F64)) continue;
        situ_tensor *g = situ_ones(situ_shape_of(y), .dtype = situ_dtype_of(y), .device = d);
        if (!situ_pullback(y, g, TENSORS(x), &by)) o->ngradient = read_all(by, o->gradient);
        o->code = situ_error_take(&e);
    }
}

static bool near(const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n && i < MOST; i++)
        if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])) || fabs(a[i] - b[i]) <= 1e-5 * fabs(a[i]))) return false;
    return true;
}

static bool agree(const outcome *a, const outcome *b)
{
    return a->code == b->code && a->n == b->n && a->ngradient == b->ngradient && near(a->value, b->value, a->n) && near(a->gradient, b->gradient, a->ngradient);
}

/* Shapes of up to four axes with 0, 1, 2 or 3 elements each: number `i`, one of which is 0. */
static bool shape_number(int ndim, int i, situ_shape *s)
{
    bool empty = false;
    *s = (situ_shape){.ndim = ndim};
    for (int k = 0; k < ndim; k++, i /= 4) empty |= !(s->dim[k] = i % 4);
    return empty;
}

static void all_trials(situ_device d, int sparse)
{
    static outcome a, b, other;
    unsigned turn = 1;
    for (size_t k = 0; k < sizeof trials / sizeof *trials; k++)
        for (int v = 0; v < trials[k].variants; v++)
            for (int ndim = trials[k].least; ndim <= 4; ndim++)
                for (int i = 0; i < 1 << 2 * ndim; i++) {
                    situ_shape s;
                    if (!shape_number(ndim, i, &s) || ((turn = turn * 1664525 + 1013904223) >> 8) % (unsigned)sparse) continue;
                    situ_dtype dtype = turn >> 6 & 1 ? SITU_F32 : SITU_F64;
                    litter(d, 777);
                    attempt(&trials[k], v, s, dtype, d, &a);
                    litter(d, -3);
                    attempt(&trials[k], v, s, dtype, d, &b);
                    attempt(&trials[k], v, s, dtype, situ_cpu(), &other);
                    if (agree(&a, &b) && agree(&a, &other)) continue;
                    char text[200];
                    snprintf(text, sizeof text, "%s %d of %d axes [%d,%d,%d,%d]: %d, %d, CPU %d; %g, %g, CPU %g", trials[k].name, v, ndim, (int)s.dim[0], (int)s.dim[1],
                             (int)s.dim[2], (int)s.dim[3], a.code, b.code, other.code, a.value[0], b.value[0], other.value[0]);
                    test_check_string(text, "", __FILE__, __LINE__, "empty");
                }
}

TEST(nothing_is_read_or_written_where_there_is_nothing) { all_trials(situ_cpu(), 3); }
TEST(nothing_is_read_or_written_on_a_simulated_gpu) { all_trials(sim_device(0), 10); }
TEST(nothing_is_read_or_written_on_opencl)
{
    need_tested(1);
    all_trials(tested_device(0), 9000);
}
