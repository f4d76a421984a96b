/* Factorizations, Fourier transforms, sorting, convolutions with gradients. bench/peers/algebra.py does the same with
 * other libraries. */
#include <stddef.h>

#include <situ.h>

#include "bench.h"

static situ_tensor *x[2], *mask, *index_of, *kernels, *weight; /* weight: one for each element of a convolution's result */
static int64_t stride, padding;

static int prepare(situ_tensor *(*make)(int which))
{
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < 2; i++) {
        x[i] = situ_keep(make(i));
        situ_wait(x[i]);
    }
    situ_scope_close(scope);
    return -situ_failed();
}

static situ_tensor *square(int which) { return situ_normal(situ_key(which), SHAPE(512, 512)); }
static situ_tensor *positive(int which)
{
    situ_tensor *a = square(which);
    return situ_add(situ_matmul(a, situ_matrix_transpose(a)), situ_mul(situ_eye(512), 512));
}
static situ_tensor *symmetric(int which) { return situ_add(square(which), situ_matrix_transpose(square(which))); }
static situ_tensor *triangle(int which) { return situ_add(situ_tril(square(which), 0), situ_mul(situ_eye(512), 32)); }
static situ_tensor *many_positive(int which)
{
    situ_tensor *a = situ_normal(situ_key(which), SHAPE(64, 128, 128));
    return situ_add(situ_matmul(a, situ_matrix_transpose(a)), situ_mul(situ_eye(128), 128));
}
static situ_tensor *wave(int which) { return situ_complex(situ_normal(situ_key(which), SHAPE(1 << 20)), situ_normal(situ_key(7), SHAPE(1 << 20))); }
static situ_tensor *waves(int which)
{
    return situ_complex(situ_normal(situ_key(which), SHAPE(512, 1024)), situ_normal(situ_key(7), SHAPE(512, 1024)));
}
static situ_tensor *real_waves(int which) { return situ_normal(situ_key(which), SHAPE(512, 1024)); }
static situ_tensor *real_wave(int which) { return situ_normal(situ_key(which), SHAPE(1 << 20)); }
static situ_tensor *million(int which) { return situ_normal(situ_key(which), SHAPE(1000000)); }
static situ_tensor *ten_million(int which) { return situ_normal(situ_key(which), SHAPE(10000000)); }
static situ_tensor *rows(int which) { return situ_normal(situ_key(which), SHAPE(1000, 1000)); }
static situ_tensor *integers(int which) { return situ_randint(situ_key(which), SHAPE(1000000), 0, 100000, .dtype = SITU_I64); }

#define PREPARE(name, make) \
    static int prepare_##name(int64_t n) { return (void)n, prepare(make); }
PREPARE(square, square)
PREPARE(positive, positive)
PREPARE(symmetric, symmetric)
PREPARE(triangle, triangle)
PREPARE(many_positive, many_positive)
PREPARE(wave, wave)
PREPARE(waves, waves)
PREPARE(real_waves, real_waves)
PREPARE(real_wave, real_wave)
PREPARE(million, million)
PREPARE(ten_million, ten_million)
PREPARE(rows, rows)
PREPARE(integers, integers)

static int prepare_mask(int64_t n)
{
    if (prepare_ten_million(n)) return -1;
    situ_scope *scope = situ_scope_open();
    mask = situ_keep(situ_greater(x[1], 0));
    situ_wait(mask);
    situ_scope_close(scope);
    return -situ_failed();
}

static int prepare_take(int64_t n)
{
    if (prepare_million(n)) return -1;
    situ_scope *scope = situ_scope_open();
    index_of = situ_keep(situ_randint(situ_key(3), SHAPE(4000000), 0, 1000000, .dtype = SITU_I64));
    situ_wait(index_of);
    situ_scope_close(scope);
    return -situ_failed();
}

static int prepare_search(int64_t n)
{
    if (prepare_million(n)) return -1;
    situ_scope *scope = situ_scope_open();
    index_of = situ_keep(situ_sort(x[0]));
    situ_wait(index_of);
    situ_scope_close(scope);
    return -situ_failed();
}

static situ_tensor *bytes(int which) { return situ_randint(situ_key(which), SHAPE(16000000), -50, 50, .dtype = SITU_I8); }
PREPARE(bytes, bytes)

/* 16 images of size x size with `channels` channels; `out` square kernels of `side` x side. */
static int prepare_convolution(int64_t channels, int64_t size, int64_t out, int64_t side, int64_t step)
{
    stride = step;
    padding = side / 2;
    situ_scope *scope = situ_scope_open();
    for (int i = 0; i < 2; i++) x[i] = situ_keep(situ_normal(situ_key(i), SHAPE(16, channels, size, size)));
    kernels = situ_keep(situ_normal(situ_key(2), SHAPE(out, channels, side, side)));
    weight = situ_keep(situ_normal(situ_key(3), SHAPE(16, out, size / step, size / step)));
    situ_eval(TENSORS(x[0], x[1], kernels, weight));
    situ_wait(NULL);
    situ_scope_close(scope);
    return -situ_failed();
}
static int prepare_conv14(int64_t n) { return (void)n, prepare_convolution(256, 14, 256, 3, 1); }
static int prepare_conv7(int64_t n) { return (void)n, prepare_convolution(512, 7, 512, 3, 1); }
static int prepare_strided(int64_t n) { return (void)n, prepare_convolution(128, 28, 256, 3, 2); }
static int prepare_one_by_one(int64_t n) { return (void)n, prepare_convolution(256, 14, 512, 1, 1); }

/* Computes all of the tensors named. */
#define RUN(name, ...) \
    static int name(int64_t r) \
    { \
        situ_scope *scope = situ_scope_open(); \
        situ_tensor *a = x[r % 2], *more = NULL, *even_more = NULL, *y = __VA_ARGS__; \
        situ_eval(TENSORS(y, more ? more : y, even_more ? even_more : y)); \
        situ_wait(y); \
        situ_scope_close(scope); \
        (void)a; \
        return -situ_failed(); \
    }
RUN(cholesky, situ_cholesky(a))
RUN(solve, situ_solve(a, x[0]))
RUN(inverse, situ_inv(a))
RUN(qr, situ_qr(a, .r = &more))
RUN(triangular, situ_solve_triangular(a, x[1]))
RUN(eigh, situ_eigh(a, .vectors = &more))
RUN(svd, situ_svd(a, .u = &more, .vh = &even_more))
RUN(fft, situ_fft(a))
RUN(rfft, situ_rfft(a))
RUN(sort, situ_sort(a))
RUN(argsort, situ_argsort(a))
RUN(argmax, situ_argmax(a, .axis = 1))
RUN(topk, situ_topk(a, 10, .indices = &more))
RUN(unique, situ_unique(a))
RUN(take, situ_take(a, index_of))
RUN(masked, situ_masked(a, mask))
RUN(search, situ_searchsorted(index_of, a))
RUN(cumsum, situ_cumsum(a))

RUN(add_bytes, situ_add(a, x[0]))

/* The weighted sum of a convolution's results, and its gradients by images and kernels. */
static int convolve(int64_t r)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *image = x[r % 2], *gradient[2];
    situ_tensor *y = situ_sum(situ_mul(situ_conv2d(image, kernels, .stride = SHAPE(stride), .padding = SHAPE(padding)), weight));
    situ_grad(y, TENSORS(image, kernels), gradient);
    situ_eval(TENSORS(y, gradient[0], gradient[1]));
    situ_wait(gradient[1]);
    situ_wait(gradient[0]);
    situ_scope_close(scope);
    return -situ_failed();
}

const bench_work bench_algebra[] = {
    {"cholesky512", "f32, 512 x 512", prepare_positive, cholesky, 0},
    {"cholesky64", "64 matrices of 128 x 128", prepare_many_positive, cholesky, 0},
    {"solve512", "512 right sides", prepare_square, solve, 0},
    {"inverse512", "f32, 512 x 512", prepare_square, inverse, 0},
    {"qr512", "Q and R", prepare_square, qr, 0},
    {"triangular512", "512 right sides", prepare_triangle, triangular, 0},
    {"eigh512", "with vectors", prepare_symmetric, eigh, 0},
    {"svd512", "with vectors", prepare_square, svd, 0},
    {"fft1M", "2^20, c64", prepare_wave, fft, 0},
    {"fftrows", "512 rows of 1024, c64", prepare_waves, fft, 0},
    {"rfft1M", "2^20, f32", prepare_real_wave, rfft, 0},
    {"rfftrows", "512 rows of 1024, f32", prepare_real_waves, rfft, 0},
    {"sort1M", "f32", prepare_million, sort, 0},
    {"sortrows", "1000 rows of 1000", prepare_rows, sort, 0},
    {"argsort1M", "f32", prepare_million, argsort, 0},
    {"argmaxrows", "1000 rows of 1000", prepare_rows, argmax, 0},
    {"topkrows", "10 of each of 1000 rows of 1000", prepare_rows, topk, 0},
    {"unique1M", "i64 below 100,000", prepare_integers, unique, 0},
    {"take4M", "of 1M by i64", prepare_take, take, 0},
    {"mask10M", "half of 10M", prepare_mask, masked, 0},
    {"search1M", "1M values in 1M", prepare_search, search, 0},
    {"cumsum10M", "f32", prepare_ten_million, cumsum, 0},
    {"add8", "16M of i8", prepare_bytes, add_bytes, 0},
    {"conv14", "16 x 256 x 14 x 14, 256 kernels 3 x 3, with gradients", prepare_conv14, convolve, 0},
    {"conv7", "16 x 512 x 7 x 7, 512 kernels 3 x 3", prepare_conv7, convolve, 0},
    {"convstride", "16 x 128 x 28 x 28, 256 kernels 3 x 3, every second place", prepare_strided, convolve, 0},
    {"conv1x1", "16 x 256 x 14 x 14, 512 kernels 1 x 1", prepare_one_by_one, convolve, 0},
    {NULL, NULL, NULL, NULL, 0}};
