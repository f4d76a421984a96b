/* Convolutions and maxima of windows of random shapes, compared bit by bit with the written order: one chain of fused
 * multiply-adds over channel, row and column of the window, padding included; the first NaN or the first largest element. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/isa.h"
#include "test.h"

enum { SHAPES = 300 };
static const situ_isa sets[] = {SITU_ISA_AVX512, SITU_ISA_AVX2, SITU_ISA_BASELINE};

typedef struct windows {
    int64_t n, groups, in, out; /* channels of a group */
    int64_t size[2], kernel[2], stride[2], padding[2], dilation[2], result[2];
} windows;

static uint64_t state;

static int64_t from(int64_t first, int64_t last)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return first + (int64_t)((state >> 33) % (uint64_t)(last - first + 1));
}

static float number(void) { return (float)from(-1000, 1000) / 256; }

static windows draw(void)
{
    static const int64_t outputs[] = {1, 2, 3, 4, 6, 8, 12, 13, 16, 18, 20, 28}; /* strips of 4 and 6, whole and not */
    windows w = {.n = from(1, 3), .groups = from(0, 2) ? 1 : from(1, 5), .in = from(0, 3) ? from(1, 9) : 1};
    w.out = w.groups > 1 && from(0, 1) ? 1 : outputs[from(0, 11)];
    bool one = !from(0, 3), first_large = !from(0, 9);
    if (first_large) w.in = 1024; /* rows of kernels a page apart */
    for (int i = 0; i < 2; i++) {
        w.kernel[i] = one ? 1 : from(1, 5);
        w.stride[i] = from(0, 2) ? 1 : from(1, 3);
        w.dilation[i] = from(0, 4) ? 1 : 2;
        w.padding[i] = one && from(0, 3) ? 0 : from(0, w.kernel[i] / 2 + 1);
        int64_t reach = (w.kernel[i] - 1) * w.dilation[i] + 1, least = reach - 2 * w.padding[i];
        w.size[i] = from(least > 1 ? least : 1, first_large ? 9 : 40);
        if (w.size[i] < least) w.size[i] = least;
        w.result[i] = (w.size[i] + 2 * w.padding[i] - reach) / w.stride[i] + 1;
    }
    return w;
}

static float *drawn(int64_t n, bool special)
{
    static const float kinds[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN};
    float *to = malloc((size_t)n * sizeof *to);
    for (int64_t i = 0; to && i < n; i++) to[i] = special && !from(0, 5) ? kinds[from(0, 4)] : number();
    return to;
}

static float chain(const windows *w, const float *x, const float *k, int64_t n, int64_t o, int64_t r, int64_t q)
{
    float sum = 0;
    for (int64_t c = 0; c < w->in; c++)
        for (int64_t i = 0; i < w->kernel[0]; i++)
            for (int64_t j = 0; j < w->kernel[1]; j++) {
                int64_t row = r * w->stride[0] + i * w->dilation[0] - w->padding[0],
                        column = q * w->stride[1] + j * w->dilation[1] - w->padding[1];
                bool inside = row >= 0 && row < w->size[0] && column >= 0 && column < w->size[1];
                int64_t channel = n * w->groups * w->in + o / w->out * w->in + c;
                sum = fmaf(k[((o * w->in + c) * w->kernel[0] + i) * w->kernel[1] + j],
                    inside ? x[(channel * w->size[0] + row) * w->size[1] + column] : 0, sum);
            }
    return sum;
}

static bool same(float a, float b) { return (a != a && b != b) || !memcmp(&a, &b, sizeof a); }

static int64_t wrong_sums(const windows *w, const float *x, const float *k, const float *y)
{
    int64_t wrong = 0;
    for (int64_t n = 0; n < w->n; n++)
        for (int64_t o = 0; o < w->groups * w->out; o++)
            for (int64_t r = 0; r < w->result[0]; r++)
                for (int64_t q = 0; q < w->result[1]; q++) wrong += !same(*y++, chain(w, x, k, n, o, r, q));
    return wrong;
}

TEST(random_convolutions_are_the_written_chain)
{
    for (int at = 0; at < SHAPES; at++) {
        state = (uint64_t)at;
        windows w = draw();
        int64_t nx = w.n * w.groups * w.in * w.size[0] * w.size[1], nk = w.groups * w.out * w.in * w.kernel[0] * w.kernel[1],
                ny = w.n * w.groups * w.out * w.result[0] * w.result[1];
        float *x = drawn(nx, false), *k = drawn(nk, false), *y = malloc((size_t)ny * sizeof *y);
        if (!CHECK(x && k && y)) return;
        for (int set = 0; set < 3; set++) {
            situ_isa_limit(sets[set]);
            situ_scope *scope = situ_scope_open();
            situ_tensor *image = situ_from_host(x, SHAPE(w.n, w.groups * w.in, w.size[0], w.size[1]));
            situ_tensor *kernel = situ_from_host(k, SHAPE(w.groups * w.out, w.in, w.kernel[0], w.kernel[1]));
            situ_read(situ_conv2d(image, kernel, .stride = SHAPE(w.stride[0], w.stride[1]), .padding = SHAPE(w.padding[0], w.padding[1]),
                          .dilation = SHAPE(w.dilation[0], w.dilation[1]), .groups = w.groups),
                y, (size_t)ny * sizeof *y);
            situ_scope_close(scope);
            if (!CHECK_EQ(wrong_sums(&w, x, k, y), 0)) fprintf(stderr, "shape %d, set %d\n", at, set);
        }
        situ_isa_limit(SITU_ISA_AVX512);
        free(x), free(k), free(y);
    }
    CHECK_OK();
}

static float largest(const windows *w, const float *plane, int64_t r, int64_t q)
{
    float most = 0;
    bool some = false;
    for (int64_t i = 0; i < w->kernel[0]; i++)
        for (int64_t j = 0; j < w->kernel[1]; j++) {
            int64_t row = r * w->stride[0] + i - w->padding[0], column = q * w->stride[1] + j - w->padding[1];
            if (row < 0 || row >= w->size[0] || column < 0 || column >= w->size[1]) continue;
            float value = plane[row * w->size[1] + column];
            if (!some || (most == most && (value > most || value != value))) most = value;
            some = true;
        }
    return most;
}

TEST(random_maxima_are_the_first_largest)
{
    for (int at = 0; at < SHAPES; at++) {
        state = (uint64_t)at;
        windows w = draw();
        w.in = from(1, 3);
        for (int i = 0; i < 2; i++) {
            if (w.padding[i] > w.kernel[i] / 2) w.padding[i] = w.kernel[i] / 2;
            if (w.size[i] + 2 * w.padding[i] < w.kernel[i]) w.size[i] = w.kernel[i];
            w.result[i] = (w.size[i] + 2 * w.padding[i] - w.kernel[i]) / w.stride[i] + 1;
        }
        int64_t nx = w.n * w.in * w.size[0] * w.size[1], ny = w.n * w.in * w.result[0] * w.result[1], wrong = 0;
        float *x = drawn(nx, true), *y = malloc((size_t)ny * sizeof *y);
        if (!CHECK(x && y)) return;
        situ_scope *scope = situ_scope_open();
        situ_tensor *image = situ_from_host(x, SHAPE(w.n, w.in, w.size[0], w.size[1]));
        situ_read(situ_max_pool2d(image, SHAPE(w.kernel[0], w.kernel[1]), .stride = SHAPE(w.stride[0], w.stride[1]),
                      .padding = SHAPE(w.padding[0], w.padding[1])),
            y, (size_t)ny * sizeof *y);
        situ_scope_close(scope);
        for (int64_t i = 0; i < ny; i++)
            wrong += !same(y[i], largest(&w, x + i / (w.result[0] * w.result[1]) * w.size[0] * w.size[1],
                                     i / w.result[1] % w.result[0], i % w.result[1]));
        if (!CHECK_EQ(wrong, 0)) fprintf(stderr, "shape %d\n", at);
        free(x), free(y);
    }
    CHECK_OK();
}
