/* Every instruction set that the machine has gives the same bits: products, convolutions, norms, attention, reductions
 * and random numbers with their gradients, in sizes that fill vectors and in those that do not. */
#include <situ.h>

#include "values.h"

#include "base/isa.h"
#include "support/settled.h"

enum { MOST_PARTS = 3 };

typedef struct work {
    const char *name;
    situ_tensor *(*run)(situ_tensor *x, situ_tensor *w, int variant);
    int64_t x[4], w[4]; /* shapes; they end at the first 0 */
    int variant;
} work;

static situ_tensor *multiply(situ_tensor *x, situ_tensor *w, int turned)
{
    return situ_matmul(turned & 1 ? situ_transpose(x) : x, turned & 2 ? situ_transpose(w) : w);
}

static situ_tensor *convolve(situ_tensor *x, situ_tensor *w, int variant)
{
    static const int64_t stride[] = {1, 2, 3, 1, 1}, dilation[] = {1, 1, 1, 2, 1}, groups[] = {1, 1, 1, 1, 2};
    return situ_conv2d(x, w, .stride = SHAPE(stride[variant]), .dilation = SHAPE(dilation[variant]), .groups = groups[variant], .padding = SHAPE(1));
}

static situ_tensor *norm_rows(situ_tensor *x, situ_tensor *w, int variant)
{
    (void)variant;
    return situ_layer_norm(x, w, situ_square(w));
}

static situ_tensor *norm_channels(situ_tensor *x, situ_tensor *w, int variant)
{
    (void)variant;
    return situ_batch_norm(x, w, situ_square(w));
}

static situ_tensor *attend(situ_tensor *x, situ_tensor *w, int causal)
{
    (void)w;
    return situ_self_attention(x, 2, .causal = causal);
}

static situ_tensor *fold(situ_tensor *x, situ_tensor *w, int axis)
{
    return situ_add(situ_sum(situ_mul(x, w), .axes = AXES(axis)), situ_mul(situ_max(x, .axes = AXES(axis)), situ_min(x, .axes = AXES(axis))));
}

static situ_tensor *soften(situ_tensor *x, situ_tensor *w, int variant)
{
    (void)variant;
    return situ_mul(situ_softmax(x), w);
}

static situ_tensor *draw(situ_tensor *x, situ_tensor *w, int seed)
{
    return situ_mul(situ_add(x, w), situ_normal(situ_key(seed), situ_shape_of(x), .dtype = situ_dtype_of(x)));
}

/* Positions that a chain computes, or reads because another value is in its registers; logarithms of unusual
 * arguments. */
static situ_tensor *count(situ_tensor *x, situ_tensor *w, int variant)
{
    int64_t n = situ_count(x);
    situ_dtype dtype = situ_dtype_of(x);
    situ_tensor *i = situ_arange(0, (double)n, 1, .dtype = dtype), *ramp = situ_linspace(-3, 2, n, .dtype = dtype);
    if (variant == 0) return situ_add(situ_mul(situ_sub(3, i), x), situ_where(situ_less(i, 500), i, w));
    if (variant == 3) return situ_add(situ_sub(situ_sqrt(ramp), situ_log(situ_abs(ramp))), situ_mul(x, w)); /* written where positions were */
    if (variant == 4) return situ_add(situ_mul(situ_abs(ramp), situ_add(ramp, 3)), situ_mul(x, w));
    if (variant == 1) return situ_add(situ_sub(situ_log(situ_mul(i, i)), situ_log(situ_minimum(1e-20, ramp))), situ_mul(x, w));
    return situ_mul(situ_add(situ_mul(situ_exp(x), i), situ_sqrt(i)), situ_maximum(ramp, w));
}

/* Blocked factorizations of matrices far from singular. */
static situ_tensor *factor(situ_tensor *x, situ_tensor *w, int variant)
{
    situ_dtype dtype = situ_dtype_of(x);
    int64_t n = situ_dim(x, 1);
    situ_tensor *all = situ_mul(situ_eye(n, .dtype = dtype), (double)n), *y, *r;
    if (variant == 0) y = situ_cholesky(situ_add(situ_matmul(x, situ_matrix_transpose(x)), all));
    else if (variant == 1) y = situ_solve(x, situ_add(all, w));
    else if (variant == 2) y = situ_qr(x, .r = &r), y = situ_concat(TENSORS(y, r));
    else if (variant == 3) (void)situ_slogdet(x, .log = &y);
    else if (variant == 4) y = situ_eigh(situ_add(x, situ_matrix_transpose(x)), .vectors = &r), y = situ_add(situ_mul(r, y), y);
    else y = situ_solve_triangular(situ_add(x, all), situ_add(all, w), .upper = variant & 1);
    return situ_mul(y, w);
}

static situ_tensor *transform(situ_tensor *x, situ_tensor *w, int axis)
{
    situ_tensor *z = situ_fft(situ_complex(x, w), .axis = axis), *half = situ_irfft(situ_rfft(x, .axis = axis), .axis = axis, .n = situ_dim(x, axis) / 2 * 2);
    return situ_concat(TENSORS(situ_real(z), situ_imag(situ_ifft(z, .axis = axis)), half), .axis = axis);
}

static situ_tensor *order(situ_tensor *x, situ_tensor *w, int axis)
{
    return situ_mul(situ_sort(x, .axis = axis), w);
}

static const work works[] = {
    {"cholesky", factor, {70, 70}, {1}, 0},
    {"solve", factor, {66, 66}, {1}, 1},
    {"qr", factor, {60, 50}, {1}, 2},
    {"determinant", factor, {49, 49}, {1}, 3},
    {"eigh", factor, {53, 53}, {1}, 4},
    {"upper triangle", factor, {65, 65}, {1}, 5},
    {"lower triangle", factor, {97, 97}, {1}, 6},
    {"transform", transform, {37, 360}, {37, 360}, 1},
    {"transform", transform, {77, 3, 17}, {77, 3, 17}, 0},
    {"transform", transform, {3, 1024}, {3, 1024}, 1},
    {"transform", transform, {9, 768}, {9, 768}, 1},
    {"transform", transform, {2, 2048}, {2, 2048}, 1},
    {"transform", transform, {16384}, {16384}, 0},
    {"order", order, {7, 3, 1001}, {1}, 2},
    {"order", order, {70000}, {1}, 0},
    {"positions", count, {3000}, {3000}, 0},
    {"positions", count, {5000}, {1}, 1},
    {"positions", count, {4099}, {4099}, 2},
    {"positions", count, {3001}, {1}, 3},
    {"positions", count, {2100003}, {1}, 4}, /* streamed */
    {"positions", count, {2100003}, {1}, 3},
    {"product", multiply, {1, 1}, {1, 1}, 0},
    {"product", multiply, {7, 300}, {300, 1}, 0},
    {"product", multiply, {1, 1000}, {1000, 37}, 0},
    {"product", multiply, {100, 100}, {100, 100}, 0},
    {"product", multiply, {33, 47}, {47, 83}, 0},
    {"product", multiply, {11, 50}, {50, 45}, 0},
    {"product", multiply, {28, 16}, {16, 22}, 0},
    {"product", multiply, {47, 33}, {83, 47}, 3},
    {"product", multiply, {257, 300}, {300, 131}, 0},
    {"product", multiply, {513, 130}, {513, 150}, 1},
    {"product", multiply, {130, 513}, {150, 513}, 2},
    {"product", multiply, {20, 5000}, {5000, 24}, 0},
    {"product", multiply, {800, 770}, {770, 790}, 0},
    {"convolution", convolve, {2, 1, 9, 9}, {1, 1, 3, 3}, 0},
    {"convolution", convolve, {3, 3, 32, 32}, {16, 3, 3, 3}, 0},
    {"convolution", convolve, {3, 6, 14, 14}, {16, 6, 5, 5}, 0},
    {"convolution", convolve, {2, 16, 16, 24}, {20, 16, 3, 3}, 1},
    {"convolution", convolve, {2, 8, 8, 8}, {6, 8, 3, 3}, 0},
    {"convolution", convolve, {2, 4, 23, 19}, {7, 4, 3, 3}, 2},
    {"convolution", convolve, {3, 8, 8, 8}, {16, 8, 3, 3}, 0}, /* rows as long as half a vector */
    {"convolution", convolve, {3, 8, 8, 8}, {15, 8, 3, 3}, 0}, /* a second strip of outputs in part */
    {"convolution", convolve, {2, 6, 16, 16}, {27, 6, 3, 3}, 0},
    {"convolution", convolve, {2, 4, 16, 4}, {8, 4, 3, 3}, 0},
    {"convolution", convolve, {2, 4, 16, 16}, {8, 4, 3, 3}, 1},
    {"convolution", convolve, {7, 58, 4, 4}, {510, 58, 3, 3}, 0}, /* few places and many weights */
    {"convolution", convolve, {3, 60, 7, 7}, {500, 60, 3, 3}, 0},
    {"convolution", convolve, {2, 5, 21, 33}, {5, 5, 3, 3}, 3},
    {"convolution", convolve, {2, 8, 17, 40}, {10, 4, 3, 3}, 4},
    {"layer norm", norm_rows, {9, 128}, {128}, 0},
    {"layer norm", norm_rows, {5, 1}, {1}, 0},
    {"layer norm", norm_rows, {33, 45}, {45}, 0},
    {"layer norm", norm_rows, {3, 24}, {24}, 0},
    {"batch norm", norm_channels, {4, 5, 8, 8}, {5}, 0},
    {"batch norm", norm_channels, {3, 7, 5, 11}, {7}, 0},
    {"batch norm", norm_channels, {3, 2, 3, 8}, {2}, 0},
    {"attention", attend, {2, 64, 192}, {1}, 1},
    {"attention", attend, {2, 64, 192}, {1}, 0},
    {"attention", attend, {1, 37, 66}, {1}, 1},
    {"attention", attend, {2, 125, 192}, {1}, 0}, /* one head is as much work as a task should have */
    {"attention", attend, {1, 100, 30}, {1}, 0},
    {"reduction", fold, {50, 3000}, {3000}, 1},
    {"reduction", fold, {3000, 50}, {50}, 0},
    {"reduction", fold, {70, 67}, {67}, 1},
    {"softmax", soften, {70, 67}, {67}, 0},
    {"softmax", soften, {40, 1000}, {1000}, 0},
    {"random numbers", draw, {1001, 3}, {3}, 5},
    {"random numbers", draw, {64, 64}, {64}, 6},
};

static situ_shape shape_of(const int64_t *dim)
{
    situ_shape shape = {0};
    for (; shape.ndim < 4 && dim[shape.ndim]; shape.ndim++) shape.dim[shape.ndim] = dim[shape.ndim];
    return shape;
}

/* The result and its gradients by x and w, on two threads. */
static bool results(const work *w, situ_tensor *const *operand, void *part[MOST_PARTS], size_t bytes[MOST_PARTS])
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *y = w->run(operand[0], operand[1], w->variant), *by[2] = {NULL};
    situ_tensor *seed = situ_cos(situ_cast(situ_arange(0, (double)situ_count(y), 1), situ_dtype_of(y)));
    bool good = !situ_pullback(y, situ_reshape(seed, situ_shape_of(y)), TENSORS_OF(operand, 2), by);
    situ_tensor *all[MOST_PARTS] = {y, by[0], by[1]};
    for (int i = 0; i < MOST_PARTS && good; i++) {
        bytes[i] = (size_t)situ_count(all[i]) * situ_dtype_size(situ_dtype_of(all[i]));
        part[i] = malloc(bytes[i]);
        good = part[i] && !situ_read(all[i], part[i], bytes[i]);
    }
    if (!good) test_check_string(situ_error_message(), "", __FILE__, __LINE__, w->name);
    situ_scope_close(scope);
    return good;
}

static void compare(const work *w, situ_dtype dtype)
{
    static const situ_isa sets[] = {SITU_ISA_AVX512, SITU_ISA_AVX2, SITU_ISA_BASELINE};
    void *part[3][MOST_PARTS] = {{NULL}};
    size_t bytes[MOST_PARTS] = {0};
    situ_tensor *key = situ_key(3), *operand[2] = {situ_normal(key, shape_of(w->x), .dtype = dtype), situ_normal(situ_key(4), shape_of(w->w), .dtype = dtype)};
    situ_wait(operand[0]);
    situ_wait(operand[1]);
    for (int s = 0; s < 3; s++) {
        limit_isa(sets[s]);
        if (!results(w, operand, part[s], bytes)) break;
        for (int i = 0; i < MOST_PARTS && s; i++)
            if (!CHECK(!memcmp(part[0][i], part[s][i], bytes[i]))) {
                char text[160];
                snprintf(text, sizeof text, "%s number %d of %s, %s", i ? "gradient" : "result", i, w->name, situ_dtype_name(dtype));
                test_check_string(text, situ_isa_name(sets[s]), __FILE__, __LINE__, w->name);
            }
    }
    limit_isa(SITU_ISA_AVX512);
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < MOST_PARTS; i++) free(part[s][i]);
}

TEST(each_has_the_same_bits)
{
    situ_set_threads(2);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        for (int d = 0; d < 2; d++) IN_SCOPE compare(&works[i], d ? SITU_F64 : SITU_F32);
    situ_set_threads(0);
}
