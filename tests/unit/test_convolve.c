/* Convolutions with few places and many channels, whose kernels gather places or compute outputs side by side, compared
 * with the formula. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/isa.h"
#include "test.h"

typedef struct shape_of_conv {
    int64_t n, channels, h, w, out, kernel, stride, padding;
    situ_dtype dtype;
} shape_of_conv;

static const shape_of_conv shapes[] = {
    {11, 58, 4, 4, 510, 3, 1, 1, SITU_F32},
    {3, 70, 7, 7, 460, 3, 1, 1, SITU_F32},
    {131, 66, 4, 4, 450, 3, 2, 1, SITU_F32}, /* two batches */
    {5, 520, 4, 5, 516, 1, 1, 0, SITU_F32},
    {5, 58, 3, 5, 510, 3, 1, 1, SITU_F64},
    {1, 33, 8, 8, 900, 3, 1, 1, SITU_F32},
    {6, 44, 7, 7, 70, 3, 1, 1, SITU_F32},      /* a last strip of 6 outputs */
    {5, 40, 13, 14, 48, 3, 2, 1, SITU_F32},    /* an image's gradient in four phases */
    {4, 36, 6, 9, 34, 3, 1, 1, SITU_F64},
    {4, 128, 14, 14, 132, 3, 1, 1, SITU_F32},
    {4, 256, 16, 15, 520, 1, 2, 0, SITU_F32},  /* three phases of four have no tap */
    {8, 384, 7, 7, 352, 1, 1, 0, SITU_F32},    /* images are read without packing */
    {7, 264, 5, 6, 500, 1, 1, 0, SITU_F64},    /* ... which is impossible if the last images do not fill a task */
    {8, 64, 9, 9, 256, 3, 1, 0, SITU_F32},     /* places with all of their taps in the image */
    {3, 100, 10, 10, 100, 1, 1, 0, SITU_F32},  /* one image is as much work as a task should have */
};
enum { SKIPPED = 997 }; /* only every 997th result is compared */

static double *numbers(situ_tensor *t, int64_t *n)
{
    situ_shape s = situ_shape_of(t);
    *n = 1;
    for (int i = 0; i < s.ndim; i++) *n *= s.dim[i];
    double *to = malloc((size_t)*n * sizeof *to);
    if (to) situ_read(situ_cast(t, SITU_F64), to, (size_t)*n * sizeof *to);
    return to;
}

/* The image's factor at place (row, column) of y and tap (i, j); 0 outside of the image. */
static double image_at(const shape_of_conv *s, const double *x, int64_t n, int64_t c, int64_t row, int64_t column)
{
    bool inside = row >= 0 && row < s->h && column >= 0 && column < s->w;
    return inside ? x[((n * s->channels + c) * s->h + row) * s->w + column] : 0;
}

static int64_t out_size(const shape_of_conv *s, int64_t size) { return (size + 2 * s->padding - s->kernel) / s->stride + 1; }

static double value_at(const shape_of_conv *s, const double *x, const double *w, int64_t at)
{
    int64_t oh = out_size(s, s->h), ow = out_size(s, s->w), q = at % ow, h = at / ow % oh, o = at / ow / oh % s->out, n = at / ow / oh / s->out;
    double sum = 0;
    for (int64_t c = 0; c < s->channels; c++)
        for (int64_t i = 0; i < s->kernel; i++)
            for (int64_t j = 0; j < s->kernel; j++)
                sum += w[((o * s->channels + c) * s->kernel + i) * s->kernel + j] *
                    image_at(s, x, n, c, h * s->stride + i - s->padding, q * s->stride + j - s->padding);
    return sum;
}

static double image_gradient_at(const shape_of_conv *s, const double *g, const double *w, int64_t at)
{
    int64_t oh = out_size(s, s->h), ow = out_size(s, s->w), column = at % s->w, row = at / s->w % s->h, c = at / s->w / s->h % s->channels,
            n = at / s->w / s->h / s->channels;
    double sum = 0;
    for (int64_t o = 0; o < s->out; o++)
        for (int64_t i = 0; i < s->kernel; i++)
            for (int64_t j = 0; j < s->kernel; j++) {
                int64_t h = row + s->padding - i, q = column + s->padding - j;
                if (h < 0 || q < 0 || h % s->stride || q % s->stride || h / s->stride >= oh || q / s->stride >= ow) continue;
                sum += w[((o * s->channels + c) * s->kernel + i) * s->kernel + j] *
                    g[((n * s->out + o) * oh + h / s->stride) * ow + q / s->stride];
            }
    return sum;
}

static double kernel_gradient_at(const shape_of_conv *s, const double *g, const double *x, int64_t at)
{
    int64_t oh = out_size(s, s->h), ow = out_size(s, s->w), j = at % s->kernel, i = at / s->kernel % s->kernel,
            c = at / s->kernel / s->kernel % s->channels, o = at / s->kernel / s->kernel / s->channels;
    double sum = 0;
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t h = 0; h < oh; h++)
            for (int64_t q = 0; q < ow; q++)
                sum += g[((n * s->out + o) * oh + h) * ow + q] *
                    image_at(s, x, n, c, h * s->stride + i - s->padding, q * s->stride + j - s->padding);
    return sum;
}

typedef double (*formula)(const shape_of_conv *s, const double *a, const double *b, int64_t at);

static void compare(const shape_of_conv *s, situ_tensor *result, formula f, const double *a, const double *b)
{
    int64_t n, wrong = 0;
    double *has = numbers(result, &n), near = s->dtype == SITU_F64 ? 1e-11 : 1e-3;
    for (int64_t at = 0; has && at < n; at += SKIPPED) wrong += !(fabs(has[at] - f(s, a, b, at)) <= near);
    CHECK(has);
    CHECK_EQ(wrong, 0);
    free(has);
}

/* y and both gradients, each as bits of doubles. */
static void all_of(const shape_of_conv *s, double *result[3], int64_t n[3])
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_normal(situ_key(1), SHAPE(s->n, s->channels, s->h, s->w), .dtype = s->dtype);
    situ_tensor *w = situ_normal(situ_key(2), SHAPE(s->out, s->channels, s->kernel, s->kernel), .dtype = s->dtype);
    situ_tensor *y = situ_conv2d(x, w, .stride = s->stride, .padding = s->padding), *by[2];
    situ_grad(situ_sum(y), TENSORS(x, w), by);
    result[0] = numbers(y, &n[0]);
    result[1] = numbers(by[0], &n[1]);
    result[2] = numbers(by[1], &n[2]);
    situ_scope_close(scope);
}

TEST(every_instruction_set_has_the_same_bits)
{
    enum { QUICK = 16 << 20 /* limit on multiply-adds, which take long in an emulator */ };
    static const situ_isa sets[] = {SITU_ISA_AVX512, SITU_ISA_AVX2, SITU_ISA_BASELINE};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const shape_of_conv *s = &shapes[k];
        double *first[3], *other[3];
        int64_t n[3], m[3], work = s->n * s->h * s->w * s->channels * s->out * s->kernel * s->kernel;
        for (int i = 0; i < (work < QUICK ? 3 : 2); i++) {
            situ_isa_limit(sets[i]);
            all_of(s, i ? other : first, i ? m : n);
            for (int r = 0; i && r < 3; r++) {
                CHECK(first[r] && other[r] && n[r] == m[r] && !memcmp(first[r], other[r], (size_t)n[r] * sizeof(double)));
                free(other[r]);
            }
        }
        for (int r = 0; r < 3; r++) free(first[r]);
    }
    situ_isa_limit(SITU_ISA_AVX512);
}

TEST(few_places_and_many_channels)
{
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const shape_of_conv *s = &shapes[k];
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_normal(situ_key(1), SHAPE(s->n, s->channels, s->h, s->w), .dtype = s->dtype);
        situ_tensor *w = situ_normal(situ_key(2), SHAPE(s->out, s->channels, s->kernel, s->kernel), .dtype = s->dtype);
        situ_tensor *y = situ_conv2d(x, w, .stride = s->stride, .padding = s->padding), *by[2];
        situ_tensor *g = situ_normal(situ_key(3), situ_shape_of(y), .dtype = s->dtype);
        situ_grad(situ_sum(situ_mul(y, g)), TENSORS(x, w), by);
        int64_t n;
        double *xs = numbers(x, &n), *ws = numbers(w, &n), *gs = numbers(g, &n);
        if (CHECK(xs && ws && gs)) {
            compare(s, y, value_at, xs, ws);
            compare(s, by[0], image_gradient_at, gs, ws);
            compare(s, by[1], kernel_gradient_at, gs, xs);
        }
        free(xs), free(ws), free(gs);
        situ_scope_close(scope);
        CHECK_OK();
    }
}
