/* The arithmetic of the fake cuDNN: plain loops from the last product to the first, so that tests do not rely on an
 * order of sums. Each kind of engine has the inaccuracy that its notes announce. */
#ifndef FAKECUDA_CONVOLUTION_H
#define FAKECUDA_CONVOLUTION_H

#include <stdbool.h>
#include <stdlib.h>

#include "numbers.h"

enum { FORWARD, BACKWARD_FILTER, BACKWARD_DATA };
/* How numbers are rounded. */
enum { EXACT, SHORT_FACTORS, SHORT_SUMS, UNSTEADY, BLURRED };

typedef struct planes { int type; int64_t dim[4], stride[4]; char *at; } planes; /* images, kernels or results */
typedef struct convolution {
    int kind, treatment;
    bool wide; /* sums in double */
    planes x, w, y;
    int64_t step[2], before[2], dilation[2];
    double alpha;
    char *workspace;
    uint64_t bytes;
} convolution;

static int64_t element_at(const planes *p, int64_t a, int64_t b, int64_t c, int64_t d)
{
    return a * p->stride[0] + b * p->stride[1] + c * p->stride[2] + d * p->stride[3];
}

/* TF32 keeps 10 bits of a factor. */
static double short_factor(double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    bits = (bits + 0x1000) & ~0x1fffu;
    memcpy(&f, &bits, 4);
    return (double)f;
}

static void add_product(const convolution *c, double *sum, const planes *p, int64_t i, const planes *q, int64_t j)
{
    double a[2], b[2];
    load(a, p->at, p->type, i);
    load(b, q->at, q->type, j);
    if (c->treatment == SHORT_FACTORS) a[0] = short_factor(a[0]), b[0] = short_factor(b[0]);
    *sum += a[0] * b[0];
    if (!c->wide) *sum = (double)(float)*sum;
    if (c->treatment == SHORT_SUMS) *sum = (double)from_half(to_half((float)*sum));
}

/* y[n, o, h, v] */
static double forward(const convolution *c, int64_t n, int64_t o, int64_t h, int64_t v)
{
    int64_t inner = c->w.dim[1], first = o / (c->w.dim[0] / (c->x.dim[1] / inner)) * inner;
    double sum = 0;
    for (int64_t k = inner - 1; k >= 0; k--)
        for (int64_t i = c->w.dim[2] - 1; i >= 0; i--)
            for (int64_t j = c->w.dim[3] - 1; j >= 0; j--) {
                int64_t row = h * c->step[0] + i * c->dilation[0] - c->before[0], column = v * c->step[1] + j * c->dilation[1] - c->before[1];
                if (row < 0 || row >= c->x.dim[2] || column < 0 || column >= c->x.dim[3]) continue;
                add_product(c, &sum, &c->x, element_at(&c->x, n, first + k, row, column), &c->w, element_at(&c->w, o, k, i, j));
            }
    return sum;
}

/* x[n, channel, row, column] from y */
static double backward_data(const convolution *c, int64_t n, int64_t channel, int64_t row, int64_t column)
{
    int64_t inner = c->w.dim[1], outer = c->w.dim[0] / (c->x.dim[1] / inner), first = channel / inner * outer;
    double sum = 0;
    for (int64_t o = first + outer - 1; o >= first; o--)
        for (int64_t i = c->w.dim[2] - 1; i >= 0; i--)
            for (int64_t j = c->w.dim[3] - 1; j >= 0; j--) {
                int64_t h = row + c->before[0] - i * c->dilation[0], v = column + c->before[1] - j * c->dilation[1];
                if (h < 0 || v < 0 || h % c->step[0] || v % c->step[1] || h / c->step[0] >= c->y.dim[2] || v / c->step[1] >= c->y.dim[3]) continue;
                add_product(c, &sum, &c->y, element_at(&c->y, n, o, h / c->step[0], v / c->step[1]), &c->w, element_at(&c->w, o, channel % inner, i, j));
            }
    return sum;
}

/* w[o, k, i, j] from x and y */
static double backward_filter(const convolution *c, int64_t o, int64_t k, int64_t i, int64_t j)
{
    int64_t inner = c->w.dim[1], channel = o / (c->w.dim[0] / (c->x.dim[1] / inner)) * inner + k;
    double sum = 0;
    for (int64_t n = c->x.dim[0] - 1; n >= 0; n--)
        for (int64_t h = c->y.dim[2] - 1; h >= 0; h--)
            for (int64_t v = c->y.dim[3] - 1; v >= 0; v--) {
                int64_t row = h * c->step[0] + i * c->dilation[0] - c->before[0], column = v * c->step[1] + j * c->dilation[1] - c->before[1];
                if (row < 0 || row >= c->x.dim[2] || column < 0 || column >= c->x.dim[3]) continue;
                add_product(c, &sum, &c->x, element_at(&c->x, n, channel, row, column), &c->y, element_at(&c->y, n, o, h, v));
            }
    return sum;
}

static void convolve(void *user)
{
    const convolution *c = user;
    const planes *out = c->kind == FORWARD ? &c->y : c->kind == BACKWARD_DATA ? &c->x : &c->w;
    if (c->bytes) memset(c->workspace, 0xa5, c->bytes);
    for (int64_t n = 0; n < out->dim[0]; n++)
        for (int64_t m = 0; m < out->dim[1]; m++)
            for (int64_t h = 0; h < out->dim[2]; h++)
                for (int64_t v = 0; v < out->dim[3]; v++) {
                    double sum[2] = {0, 0};
                    sum[0] = c->kind == FORWARD ? forward(c, n, m, h, v) : c->kind == BACKWARD_DATA ? backward_data(c, n, m, h, v) : backward_filter(c, n, m, h, v);
                    if (c->treatment == UNSTEADY) sum[0] += (double)(rand() % 8 + 1);
                    if (c->treatment == BLURRED) sum[0] += 1e-3;
                    sum[0] *= c->alpha;
                    store(out->at, out->type, element_at(out, n, m, h, v), sum);
                }
}

#endif
