/* Convolutions with many output channels: a vector holds neighbouring outputs at one place. So no lane is wasted
 * outside of an image, however small it is, and a batch of images is one long list of places. Each sum is the same
 * chain as in convolve.c. */
#include "backend/cpu/convolution/convolution.h"

#include <string.h>

enum {
    BLOCK = 128,      /* taps whose kernels stay in the L1 cache */
    IMAGES = 1 << 20, /* bytes of a task's packed images */
    TASKS = 4,
    LEAST_TAPS = 256
};

static int64_t width_of(const situ_convolution *v) { return v->kernels->width[v->type]; }
static int64_t positions_of(const situ_tap_sum *s) { return s->grid[0] * s->grid[1]; }

/* Number of items of a task, of n in total and at most `most`: preferably a divisor of n that gives a multiple of TASKS
 * tasks, so that all threads have the same amount of work. */
static int64_t fair_share(int64_t n, int64_t most)
{
    int64_t share = most;
    while (share > most / 2 && (n % share || n / share % TASKS)) share--;
    if (share > most / 2) return share;
    int64_t tasks = situ_parts(situ_parts(n, most), TASKS) * TASKS;
    return situ_parts(n, tasks);
}

/* ---------------------------------------------------------------- values, and gradients by the image */

/* Whether vectors along images would be inefficient: they waste a tenth of their lanes (a twentieth if wide.c need not
 * pack), or kernels that do not fit the cache are read for only a few places. */
static bool images_are_small(const situ_convolution *v, const situ_tap_sum *s)
{
    enum { FEW = 64, LARGE_KERNELS = 256 << 10 };
    int64_t lanes = width_of(v) / 2, rows = s->grid[0], columns = s->grid[1], positions = positions_of(s),
            vectors = rows * situ_parts(columns, lanes), flat = situ_parts((rows - 1) * s->pitch + columns, lanes);
    if (flat < vectors) vectors = flat;
    int64_t used = situ_lies_packed(&v->packing) ? 95 : 90;
    return (positions <= FEW && s->taps * s->outputs * v->size > LARGE_KERNELS) ||
        (columns % (lanes / 2) && positions * 100 < vectors * lanes * used);
}

/* Bytes of a task's packed images. */
static int64_t images_space(const situ_convolution *v)
{
    return v->in_place ? 0 : situ_round_to_lines(v->together * v->packed_bytes);
}

void situ_wide_cut(situ_convolution *v, const situ_tap_sum *largest)
{
    int64_t width = width_of(v), n = v->c.n;
    if (v->c.groups != 1 || n < TASKS || largest->taps < LEAST_TAPS || largest->outputs < width || v->together) return;
    if (!images_are_small(v, largest)) return;
    int64_t images = IMAGES / v->packed_bytes, most = n / TASKS, positions = positions_of(largest);
    if (images > most) images = most;
    v->wide = true;
    v->pieces = 1;
    v->together = images > 1 ? fair_share(n, images) : 1;
    v->weights = situ_parts(largest->outputs, width) * width * largest->taps;
    v->in_place = situ_lies_packed(&v->packing) && n % v->together == 0; /* otherwise the unused rows would lie beyond the
                                                                     * last image */
    if (v->in_place) v->packed_bytes = v->in_channels * v->packing.rows * v->packing.pitch * v->size;
    int64_t sums = v->together * positions + SITU_WIDE_ROWS;
    int64_t taps = v->c.kernel[0] * v->c.kernel[1]; /* of a pair of channels, while packing kernels */
    if (sums < taps) sums = taps;
    v->task_bytes = images_space(v) + (sums + positions) * width * v->size;
}

int64_t situ_wide_bytes(const situ_convolution *v, int64_t phases)
{
    return v->wide ?
        (v->together * v->c.image[0] * v->c.image[1] + v->together * v->c.out[0] * v->c.out[1] + phases * SITU_WIDE_ROWS) * 4 :
        0;
}

typedef struct kernels {
    const situ_convolution *v;
    const char *from;
    const int64_t *source;
} kernels;

/* For the gradient by the image: packs a strip of x's channels: for each channel of y, the taps that the phases need. */
static void pack_transposed(const kernels *p, int64_t first, int64_t have)
{
    const situ_convolution *v = p->v;
    const situ_conv *c = &v->c;
    int64_t width = width_of(v), row = width * v->size, all = c->kernel[0] * c->kernel[1];
    char *taps = situ_convolution_scratch(v, all * row);
    if (!taps) return;
    memset(taps, 0, (size_t)(all * row));
    for (int64_t o = 0; o < c->group_out; o++) {
        const int64_t *source = p->source;
        v->kernels->transpose[v->type](p->from + (o * c->group_in + first) * all * v->size, all, have, all, taps, width);
        for (int i = 0; i < v->phases; i++) {
            const situ_tap_sum *s = &v->phase[i];
            int64_t count = s->taps / c->group_out;
            char *to = (char *)(uintptr_t)s->weights + (first * s->taps + o * count * width) * v->size;
            for (int64_t k = 0; k < count; k++) memcpy(to + k * row, taps + source[k] * row, (size_t)row);
            source += s->taps;
        }
    }
}

static void pack_strip(void *context, int64_t strip)
{
    const kernels *p = context;
    const situ_convolution *v = p->v;
    int64_t width = width_of(v), first = strip * width, have = v->out_channels - first < width ? v->out_channels - first : width;
    if (p->source) {
        pack_transposed(p, first, have);
        return;
    }
    const situ_tap_sum *s = v->phase;
    char *to = (char *)(uintptr_t)s->weights + first * s->taps * v->size;
    if (have < width) memset(to, 0, (size_t)(width * s->taps * v->size));
    v->kernels->transpose[v->type](p->from + first * s->taps * v->size, s->taps, have, s->taps, to, width);
}

void situ_wide_pack(const situ_convolution *v, const char *from, const int64_t *source, const situ_host *h)
{
    kernels p = {v, from, source};
    situ_host_for(h, pack_strip, &p, situ_parts(v->out_channels, width_of(v)));
}

/* Stores one image's results of a strip in the output's layout. */
static void put(const situ_convolution *v, const situ_tap_sum *s, const char *sums, int64_t outputs, char *out, char *transposed)
{
    int64_t width = width_of(v), positions = positions_of(s), size = v->size;
    if (s->column == 1 && s->row == s->grid[1]) {
        v->kernels->transpose[v->type](sums, width, positions, outputs, out, s->plane);
        return;
    }
    v->kernels->transpose[v->type](sums, width, positions, outputs, transposed, positions);
    for (int64_t m = 0; m < outputs; m++)
        for (int64_t r = 0; r < s->grid[0]; r++, transposed += s->grid[1] * size) {
            char *to = out + (m * s->plane + r * s->row) * size;
            if (v->type)
                for (int64_t q = 0; q < s->grid[1]; q++) memcpy(to + q * s->column * 8, transposed + q * 8, 8);
            else
                for (int64_t q = 0; q < s->grid[1]; q++) memcpy(to + q * s->column * 4, transposed + q * 4, 4);
        }
}

/* Computes one phase of some images: strip by strip of outputs, each with as many taps at a time as fit the cache. */
static void run_phase(const situ_convolution *v, const situ_tap_sum *s, const int32_t *position, const char *packed, int64_t images,
    char *out, char *sums)
{
    int64_t width = width_of(v), positions = positions_of(s), each = v->c.kernel[0] * v->c.kernel[1],
            block = each < BLOCK ? BLOCK / each * each : BLOCK;
    char *transposed = sums + (v->together * positions + SITU_WIDE_ROWS) * width * v->size;
    for (int64_t m = 0; m < v->out_channels; m += width) {
        int64_t outputs = v->out_channels - m < width ? v->out_channels - m : width;
        for (int64_t k = 0; k < s->taps; k += block) {
            situ_wide_sum w = {.rows = images * positions,
                .taps = s->taps - k < block ? s->taps - k : block,
                .position = position,
                .offset = s->offset + k,
                .x = packed,
                .weights = (const char *)s->weights + (m * s->taps + k * width) * v->size,
                .sums = sums,
                .add = k};
            v->kernels->wide[v->type](&w);
        }
        for (int64_t i = 0; i < images; i++)
            put(v, s, sums + i * positions * width * v->size, outputs, out + (i * v->out_channels + m) * v->out_area * v->size,
                transposed);
    }
}

static void run_images(void *context, int64_t task)
{
    const situ_convolution *v = context;
    char *scratch = situ_convolution_scratch(v, v->task_bytes);
    if (!scratch) return;
    int64_t first = task * v->together, images = v->units - first < v->together ? v->units - first : v->together,
            in_size = v->in_channels * v->packing.image[0] * v->packing.image[1], result = v->out_channels * v->out_area * v->size;
    char *out = v->out + first * result;
    const char *in = v->in + first * in_size * v->size, *packed = v->in_place ? in : scratch;
    for (int64_t i = 0; i < images && !v->in_place; i++)
        v->kernels->pack[v->type](&v->packing, in + i * in_size * v->size, scratch + i * v->packed_bytes);
    if (v->gaps) memset(out, 0, (size_t)(images * result));
    const int32_t *position = v->positions;
    for (int i = 0; i < v->phases; i++) {
        const situ_tap_sum *s = &v->phase[i];
        run_phase(v, s, position, packed, images, out + v->start[i] * v->size, scratch + images_space(v));
        position += v->together * positions_of(s) + SITU_WIDE_ROWS;
    }
}

void situ_wide_run(situ_convolution *v, void *positions, const situ_host *h)
{
    int32_t *to = positions;
    v->positions = to;
    for (int i = 0; i < v->phases; i++) {
        const situ_tap_sum *s = &v->phase[i];
        for (int64_t n = 0; n < v->together; n++)
            for (int64_t r = 0; r < s->grid[0]; r++)
                for (int64_t q = 0; q < s->grid[1]; q++) *to++ = (int32_t)(n * (v->packed_bytes / v->size) + r * s->pitch + q);
        for (int j = 0; j < SITU_WIDE_ROWS; j++) *to++ = 0;
    }
    situ_host_for(h, run_images, v, situ_parts(v->units, v->together));
}

/* ---------------------------------------------------------------- gradients by the kernel */

/* Packs y: in strips of outputs, batch by batch, place by place. */
static void pack_places(void *context, int64_t task)
{
    const situ_convolution *v = context;
    const situ_conv *c = &v->c;
    int64_t width = width_of(v), strips = situ_parts(c->out_channels, width), batch = task / strips * v->batch,
            m = task % strips * width, positions = c->out[0] * c->out[1],
            images = c->n - batch < v->batch ? c->n - batch : v->batch,
            have = c->out_channels - m < width ? c->out_channels - m : width;
    char *to = v->partials + (batch * strips * width + m * images) * positions * v->size;
    if (have < width) memset(to, 0, (size_t)(images * positions * width * v->size));
    for (int64_t i = 0; i < images; i++)
        v->kernels->transpose[v->type](v->y + ((batch + i) * c->out_channels + m) * positions * v->size, positions, have, positions,
            to + i * positions * width * v->size, width);
}

/* Adds the images of one batch to each strip's sums. */
static void add_batch(const situ_convolution *v, int64_t batch, int64_t taps, const char *packed, char *sums, char *totals)
{
    const situ_conv *c = &v->c;
    int64_t width = width_of(v), strips = situ_parts(c->out_channels, width), positions = c->out[0] * c->out[1],
            images = c->n - batch < v->batch ? c->n - batch : v->batch, all = images * positions,
            total = (taps + SITU_WIDE_ROWS) * width * v->size;
    for (int64_t strip = 0; strip < strips; strip++, totals += total) {
        const char *y = v->partials + (batch * strips + strip * images) * width * positions * v->size;
        for (int64_t k = 0; k < all; k += v->y_size) {
            situ_wide_sum w = {.rows = taps,
                .taps = all - k < v->y_size ? all - k : v->y_size,
                .position = v->gradient.offset,
                .offset = v->positions + k,
                .x = packed,
                .weights = y + k * width * v->size,
                .sums = batch ? sums : totals,
                .add = k};
            v->kernels->wide[v->type](&w);
        }
        if (batch) v->add(totals, sums, taps * width);
    }
}

/* Computes the gradient by the taps of some input channels, for all outputs. */
static void run_product(void *context, int64_t task)
{
    const situ_convolution *v = context;
    char *scratch = situ_convolution_scratch(v, v->task_bytes);
    if (!scratch) return;
    const situ_conv *c = &v->c;
    int64_t width = width_of(v), strips = situ_parts(c->out_channels, width), area = c->image[0] * c->image[1],
            first = task * v->part, channels = c->channels - first < v->part ? c->channels - first : v->part,
            each = c->kernel[0] * c->kernel[1], total = (v->part * each + SITU_WIDE_ROWS) * width * v->size, taps = channels * each;
    char *sums = scratch + v->packed_bytes, *totals = sums + total;
    situ_packing packing = v->packing;
    packing.channels = channels;
    for (int64_t n = 0; n < c->n; n += v->batch) {
        const char *in = v->in + (n * c->channels + first) * area * v->size;
        for (int64_t i = 0; i < v->batch && n + i < c->n && !v->in_place; i++)
            v->kernels->pack[v->type](&packing, in + i * c->channels * area * v->size, scratch + i * v->image_size * v->size);
        add_batch(v, n, taps, v->in_place ? in : scratch, sums, totals);
    }
    total = (taps + SITU_WIDE_ROWS) * width * v->size;
    for (int64_t m = 0; m < strips * width; m += width, totals += total)
        v->kernels->transpose[v->type](totals, width, taps, c->out_channels - m < width ? c->out_channels - m : width,
            v->out + (m * v->gradient.taps + first * each) * v->size, v->gradient.taps);
}

int64_t situ_wide_cut_gradient(situ_convolution *v, situ_conv_order order)
{
    enum { PARTS = 8, RESULTS = 1 << 18 };
    const situ_conv *c = &v->c;
    int64_t width = width_of(v), outputs = situ_parts(c->out_channels, width) * width, positions = c->out[0] * c->out[1],
            each = c->kernel[0] * c->kernel[1];
    v->batch = order.batch;
    v->part = RESULTS / (outputs * each * v->size);
    if (v->part > situ_parts(c->channels, PARTS)) v->part = situ_parts(c->channels, PARTS);
    v->part = v->part > 1 ? fair_share(c->channels, v->part) : 1;
    situ_packing packing = v->packing;
    packing.channels = v->part;
    v->image_size = situ_packing_size(&packing);
    int64_t behind = (SITU_WIDE_ROWS / each + 2) * v->image_size / v->part; /* the unused rows belong to the next channels */
    v->packed_bytes = situ_round_to_lines((v->batch * v->image_size + behind) * v->size);
    v->in_place = situ_lies_packed(&v->packing) && c->channels % v->part == 0 && v->part * each % v->kernels->rows == 0;
    if (v->in_place) v->image_size = c->channels * c->image[0] * c->image[1], v->packed_bytes = 0;
    v->task_bytes = v->packed_bytes + (v->part * each + SITU_WIDE_ROWS) * (outputs + width) * v->size;
    v->y_bytes = situ_round_to_lines(c->n * positions * outputs * v->size);
    v->y_size = positions < BLOCK ? BLOCK / positions * positions : BLOCK;
    return v->y_bytes + (v->gradient.taps + SITU_WIDE_ROWS + v->batch * positions) * 4;
}

void situ_wide_gradient(situ_convolution *v, char *scratch, const situ_host *h)
{
    const situ_conv *c = &v->c;
    int32_t *offset = (int32_t *)(void *)(scratch + v->y_bytes), *position = offset + v->gradient.taps + SITU_WIDE_ROWS;
    v->partials = scratch;
    v->gradient.offset = offset;
    v->positions = position;
    situ_convolution_offsets(v, offset);
    for (int i = 0; i < SITU_WIDE_ROWS; i++) offset[v->gradient.taps + i] = 0;
    for (int64_t n = 0; n < v->batch; n++)
        for (int64_t r = 0; r < c->out[0]; r++)
            for (int64_t q = 0; q < c->out[1]; q++) *position++ = (int32_t)(n * v->image_size + r * v->packing.pitch + q);
    situ_host_for(h, pack_places, v, situ_parts(c->n, v->batch) * situ_parts(c->out_channels, width_of(v)));
    situ_host_for(h, run_product, v, situ_parts(c->channels, v->part));
}
