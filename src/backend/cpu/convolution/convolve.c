/* Divides a convolution into tasks and makes the tables that its kernels read. All of it follows from the shape alone. */
#include "backend/cpu/convolution/convolution.h"

#include "backend/cpu/movement/reduce.h"
#include "base/isa.h"
#include "tensor/dtype.h"

#include <string.h>

enum {
    ENOUGH_TASKS = 8,
    PIECE = 1 << 20 /* multiply-adds */,
    ADD_TASK = 4096 /* elements */,
    LARGE_KERNELS = 256 << 10,
    SMALL_IMAGE = 384 << 10 /* bytes */
};

static int64_t down(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

static void begin(situ_convolution *v, const situ_call_desc *call, const situ_host *h)
{
    memset(v, 0, sizeof *v);
    v->c = situ_conv_of(call);
    v->kernels = SITU_FOR_ISA(&situ_convolve);
    v->type = call->out.dtype == SITU_F64;
    v->size = v->type ? 8 : 4;
    v->lanes = v->type ? 4 : 8;
    v->fault = h->fault;
}

/* Describes packed x: zero padding included, divided into phases by the stride. */
static void pack_x(situ_convolution *v)
{
    const situ_conv *c = &v->c;
    v->packing = (situ_packing){.channels = c->group_in,
        .image = {c->image[0], c->image[1]},
        .step = {c->stride[0], c->stride[1]},
        .low = {-c->before[0], -c->before[1]}};
    for (int i = 0; i < 2; i++) {
        int64_t reach = (c->kernel[i] - 1) * c->dilation[i] + 1;
        v->packing.phases[i] = reach < c->stride[i] ? reach : c->stride[i];
    }
    v->packing.rows = c->out[0] + (c->kernel[0] - 1) * c->dilation[0] / c->stride[0];
    v->packing.pitch = c->out[1] + (c->kernel[1] - 1) * c->dilation[1] / c->stride[1];
}

/* Writes the offset of each tap of a kernel in the packed x. */
void situ_convolution_offsets(const situ_convolution *v, int32_t *offset)
{
    const situ_conv *c = &v->c;
    const situ_packing *p = &v->packing;
    for (int64_t k = 0; k < c->group_in; k++)
        for (int64_t i = 0; i < c->kernel[0]; i++)
            for (int64_t j = 0; j < c->kernel[1]; j++) {
                int64_t h = i * c->dilation[0], w = j * c->dilation[1];
                int64_t plane = (k * p->phases[0] + h % p->step[0]) * p->phases[1] + w % p->step[1];
                *offset++ = (int32_t)((plane * p->rows + h / p->step[0]) * p->pitch + w / p->step[1]);
            }
}

/* How kernels are packed for tiles: strips of `rows` outputs of a group, tap by tap, with zeros for missing outputs.
 * Tap k of output m is element source[k] (or k) + m apart of the group's kernels. */
typedef struct kernels_packing {
    const situ_convolution *v;
    const char *from;
    char *to;
    const int64_t *source;
    int64_t taps, outputs, apart, group; /* group: elements of one group's kernels */
    int rows;
} kernels_packing;

#define PACK_STRIP(T) \
    static inline \
        __attribute__((always_inline)) void pack_rows_##T(const kernels_packing *w, const T *from, T *to, int rows, int have) \
    { \
        int64_t apart = w->apart, taps = w->taps; \
        const int64_t *source = w->source; \
        for (int64_t k = 0; k < taps; k++, to += rows) { \
            const T *at = from + (source ? source[k] : k); \
            _Pragma("GCC unroll 6") for (int r = 0; r < rows; r++) to[r] = r < have ? at[r * apart] : 0; \
        } \
    } \
    static void pack_strip_##T(const kernels_packing *w, const T *from, T *to, int have) \
    { \
        if (w->rows == 4 && have == 4) pack_rows_##T(w, from, to, 4, 4); \
        else if (w->rows == 6 && have == 6) pack_rows_##T(w, from, to, 6, 6); \
        else pack_rows_##T(w, from, to, w->rows, have); \
    }
PACK_STRIP(float)
PACK_STRIP(double)

static void pack_weights_task(void *context, int64_t task)
{
    const kernels_packing *w = context;
    int64_t strips = situ_parts(w->outputs, w->rows), group = task / strips, m = task % strips * w->rows, size = w->v->size;
    int have = w->outputs - m < w->rows ? (int)(w->outputs - m) : w->rows;
    const char *from = w->from + (group * w->group + m * w->apart) * size;
    char *to = w->to + (group * w->v->weights + m * w->taps) * size;
    if (w->v->type) pack_strip_double(w, (const double *)(const void *)from, (double *)(void *)to, have);
    else pack_strip_float(w, (const float *)(const void *)from, (float *)(void *)to, have);
}

static void pack_weights(const kernels_packing *w, const situ_host *h)
{
    situ_host_for(h, pack_weights_task, (void *)(uintptr_t)w, w->v->c.groups * situ_parts(w->outputs, w->rows));
}

/* ---------------------------------------------------------------- values, and gradients by the image */

/* Whether the kernels do not fit the cache but an image does. */
static bool kernels_are_larger(const situ_convolution *v, int64_t outputs, int64_t taps)
{
    return outputs * taps * v->size > LARGE_KERNELS && situ_packing_size(&v->packing) * v->size <= SMALL_IMAGE;
}

/* The unit's image as the kernels read it: packed at `to`, or where it is. */
static const char *packed_image(const situ_convolution *v, int64_t unit, char *to)
{
    const char *image = v->in + unit * v->in_channels * v->packing.image[0] * v->packing.image[1] * v->size;
    if (v->in_place) return image;
    v->kernels->pack[v->type](&v->packing, image, to);
    return to;
}

/* Computes outputs first ... end - 1 of an image and group. */
static void sum_image(const situ_convolution *v, int64_t unit, const char *image, int64_t first, int64_t end, char *scratch)
{
    int64_t group = unit % v->c.groups;
    char *out = v->out + (unit * v->out_channels + first) * v->out_area * v->size;
    if (v->gaps) memset(out, 0, (size_t)((end - first) * v->out_area * v->size));
    for (int i = 0; i < v->phases; i++) {
        situ_tap_sum s = v->phase[i];
        s.outputs = end - first;
        s.weights = (const char *)s.weights + (group * v->weights + first * s.taps) * v->size;
        v->kernels->sum[v->type](&s, image, out + v->start[i] * v->size, scratch);
    }
}

static void run_sum(void *context, int64_t task)
{
    const situ_convolution *v = context;
    char *scratch = situ_convolution_scratch(v, v->task_bytes);
    if (!scratch) return;
    int64_t end = (task + 1) * v->per_task < v->units ? (task + 1) * v->per_task : v->units;
    for (int64_t unit = task * v->per_task; unit < end; unit++) { /* in memory order: image by image, group by group */
        const char *image = packed_image(v, unit, scratch);
        sum_image(v, unit, image, 0, v->out_channels, scratch + v->packed_bytes);
    }
}

static void pack_unit(void *context, int64_t unit)
{
    const situ_convolution *v = context;
    packed_image(v, unit, v->images + unit * v->packed_bytes);
}

/* Computes some outputs of a unit that is packed already. */
static void run_piece(void *context, int64_t task)
{
    const situ_convolution *v = context;
    char *scratch = situ_convolution_scratch(v, v->task_bytes);
    if (!scratch) return;
    int64_t unit = task / v->pieces, first = task % v->pieces * v->piece,
            end = first + v->piece < v->out_channels ? first + v->piece : v->out_channels;
    const char *image = v->in_place ? packed_image(v, unit, NULL) : v->images + unit * v->packed_bytes;
    sum_image(v, unit, image, first, end, scratch);
}

/* Copies, for each tap, the elements that it meets at all places of a packed image; a tap's copy begins `apart` bytes
 * after the one before it. Rows are short, so their copies have constant sizes. */
static void gather(const situ_convolution *v, const situ_tap_sum *s, const char *image, char *to, int64_t apart)
{
    int64_t row = s->grid[1] * v->size, pitch = s->pitch * v->size;
    for (int64_t k = 0; k < s->taps; k++, to += apart) {
        const char *from = image + s->offset[k] * v->size;
        for (int64_t h = 0; h < s->grid[0]; h++, from += pitch)
            if (row == 16) memcpy(to + h * 16, from, 16);
            else if (row == 32) memcpy(to + h * 32, from, 32);
            else memcpy(to + h * row, from, (size_t)row);
    }
}

/* Small images with many channels: one pass over the kernels serves several images. Vectors contain places of one image
 * followed by those of the next, without padding in between. */
static void run_together(void *context, int64_t task)
{
    const situ_convolution *v = context;
    char *scratch = situ_convolution_scratch(v, v->task_bytes);
    if (!scratch) return;
    int64_t first = task * v->together, left = v->units - first, images = left < v->together ? left : v->together;
    situ_tap_sum s = v->phase[0];
    int64_t positions = s.grid[0] * s.grid[1], all = images * positions;
    char *columns = scratch + v->packed_bytes;
    int32_t *offset = (int32_t *)(void *)(columns + situ_round_to_lines((all * s.taps + SITU_PACKING_SLACK) * v->size));
    char *rest = (char *)(offset + situ_parts(s.taps, 16) * 16);
    for (int64_t i = 0; i < images; i++) {
        packed_image(v, first + i, scratch);
        gather(v, &s, scratch, columns + i * positions * v->size, all * v->size);
    }
    memset(columns + all * s.taps * v->size, 0, (size_t)(SITU_PACKING_SLACK * v->size));
    for (int64_t k = 0; k < s.taps; k++) offset[k] = (int32_t)(k * all);
    s.offset = offset;
    s.by_outputs = true;
    s.grid[0] = images;
    s.grid[1] = s.pitch = positions;
    s.row = v->out_channels * v->out_area;
    v->kernels->sum[v->type](&s, columns, v->out + first * s.row * v->size, rest);
}

/* Decides on run_together: for kernels that do not fit the cache and images with so few places that reading the kernels
 * dominates. */
static void cut_together(situ_convolution *v, const situ_tap_sum *s)
{
    enum { FEW = 64, COLUMNS = 1 << 20 };
    int64_t positions = s->grid[0] * s->grid[1], images = COLUMNS / (positions * s->taps * v->size + 1);
    if (v->c.groups != 1 || v->pieces > 1 || positions > FEW || !kernels_are_larger(v, s->outputs, s->taps)) return;
    if (images > v->units) images = v->units;
    if (images < 2) return;
    v->together = images;
    int64_t results = s->outputs * (images * positions + SITU_PACKING_SLACK),
            columns = images * positions * s->taps + SITU_PACKING_SLACK;
    v->task_bytes = v->packed_bytes + situ_round_to_lines(columns * v->size) + situ_parts(s->taps, 16) * 64 +
        situ_round_to_lines(results * v->size);
}

static void run_sums(situ_convolution *v, const situ_host *h)
{
    if (v->together) {
        situ_host_for(h, run_together, v, situ_parts(v->units, v->together));
    } else if (v->pieces > 1) {
        if (!v->in_place) situ_host_for(h, pack_unit, v, v->units);
        situ_host_for(h, run_piece, v, v->units * v->pieces);
    } else {
        situ_host_for(h, run_sum, v, situ_parts(v->units, v->per_task));
    }
}

/* Outputs of a piece, in whole strips. With few tasks, each is divided into as many pieces as needed for ENOUGH_TASKS,
 * but at most `most`. */
static int64_t piece_of(int64_t outputs, int rows, int64_t tasks, int64_t most)
{
    int64_t wanted = tasks > 0 && tasks < ENOUGH_TASKS ? situ_parts(ENOUGH_TASKS, tasks) : 1;
    if (wanted > most) wanted = most > 1 ? most : 1;
    return situ_parts(situ_parts(outputs, rows), wanted) * rows;
}

/* Divides few images by outputs, so that all threads have work. */
static void cut_units(situ_convolution *v, int rows)
{
    const situ_conv *c = &v->c;
    double work = (double)(c->out[0] * c->out[1] * c->group_out) * (double)(c->group_in * c->kernel[0] * c->kernel[1]);
    v->units = c->n * c->groups;
    v->packed_bytes = situ_round_to_lines(situ_packing_size(&v->packing) * v->size);
    v->piece = piece_of(v->out_channels, rows, v->units, (int64_t)(work / PIECE));
    v->pieces = v->out_channels > v->piece ? situ_parts(v->out_channels, v->piece) : 1;
}

static int64_t images_bytes(const situ_convolution *v) { return v->pieces > 1 && !v->in_place ? v->units * v->packed_bytes : 0; }

static void cut_sums(situ_convolution *v)
{
    double work = 0;
    int64_t most = 0;
    for (int i = 0; i < v->phases; i++) {
        const situ_tap_sum *s = &v->phase[i];
        work += (double)(s->grid[0] * s->grid[1] * s->outputs) * (double)s->taps;
        if (situ_tap_sum_scratch(s) > most) most = situ_tap_sum_scratch(s);
    }
    v->per_task = work > 5e5 ? 1 : (int64_t)(1e6 / (work + 1e3));
    v->task_bytes = situ_round_to_lines(v->packed_bytes + most * v->size);
}

/* A kernel of 1 x 1 reads the image where it is, as one row of positions. Kernels that few positions use are read where they
 * are, unless rows of a strip would evict each other from the cache: then packing costs more than it gains. */
static void cut_packing(situ_convolution *v, situ_tap_sum *s)
{
    enum { FEW = 1024, ALIAS = 4096 };
    int64_t positions = s->grid[0] * s->grid[1];
    v->in_place =
        !v->together && situ_lies_packed(&v->packing) && v->c.kernel[0] * v->c.kernel[1] == 1 && positions >= SITU_CONV_SLACK;
    if (v->in_place) s->exact = true, s->grid[0] = 1, s->grid[1] = s->pitch = s->row = positions;
    bool few = s->rows == 1 || (v->units * positions <= FEW && s->taps * v->size % ALIAS);
    if (few && v->c.group_out % s->rows == 0) s->apart = s->taps;
}

/* Scratch memory of the caller's thread: what its own tasks use, followed by `bytes` bytes that all tasks share. */
static char *shared_scratch(const situ_convolution *v, int64_t bytes)
{
    char *scratch = situ_convolution_scratch(v, v->task_bytes + bytes);
    return scratch ? scratch + v->task_bytes : NULL;
}

void situ_convolve_value(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    situ_convolution v;
    situ_tap_sum sum;
    int64_t start = 0;
    begin(&v, call, h);
    const situ_conv *c = &v.c;
    pack_x(&v);
    int64_t taps = c->group_in * c->kernel[0] * c->kernel[1];
    int rows = situ_sum_rows(c->group_out);
    sum = (situ_tap_sum){.taps = taps,
        .outputs = c->group_out,
        .rows = rows,
        .apart = 1,
        .grid = {c->out[0], c->out[1]},
        .pitch = v.packing.pitch,
        .by_outputs = kernels_are_larger(&v, c->group_out, taps),
        .plane = c->out[0] * c->out[1],
        .row = c->out[1],
        .column = 1};
    v.phase = &sum;
    v.start = &start;
    v.phases = 1;
    v.weights = situ_parts(c->group_out, rows) * rows * taps;
    v.in = address[1];
    v.out = address[0];
    v.in_channels = c->group_in;
    v.out_channels = c->group_out;
    v.out_area = sum.plane;
    cut_units(&v, rows);
    cut_sums(&v);
    cut_together(&v, &sum);
    situ_wide_cut(&v, &sum);
    if (!v.wide) cut_packing(&v, &sum);
    bool packs = v.wide || sum.apart == 1;
    int64_t weights = packs ? situ_round_to_lines(v.weights * c->groups * v.size) : 0, offsets = situ_round_to_lines(taps * 4);
    v.images = shared_scratch(&v, images_bytes(&v) + weights + offsets + situ_wide_bytes(&v, 1));
    if (!v.images) return;
    char *shared = v.images + images_bytes(&v);
    sum.weights = packs ? shared : address[2];
    sum.offset = (int32_t *)(void *)(shared + weights);
    situ_convolution_offsets(&v, (int32_t *)(void *)(shared + weights));
    if (v.wide) {
        situ_wide_pack(&v, address[2], NULL, h);
        situ_wide_run(&v, shared + weights + offsets, h);
        return;
    }
    if (packs)
        pack_weights(&(kernels_packing){.v = &v,
                         .from = address[2],
                         .to = shared,
                         .taps = taps,
                         .outputs = c->group_out,
                         .apart = taps,
                         .group = c->group_out * taps,
                         .rows = rows},
            h);
    run_sums(&v, h);
}

/* Describes a phase of the gradient by x: the places a, a + stride, ... use the same taps. Writes the taps' offsets in
 * the packed gradient and their positions in the kernel. */
static void make_phase(situ_convolution *v, int64_t a, int64_t b, int32_t *offset, int64_t *source, char *packed)
{
    const situ_conv *c = &v->c;
    const situ_packing *p = &v->packing;
    int64_t taps = 0, all = c->kernel[0] * c->kernel[1];
    for (int64_t i = 0; i < c->kernel[0]; i++)
        for (int64_t j = 0; j < c->kernel[1]; j++)
            taps += (a + c->before[0] - i * c->dilation[0]) % c->stride[0] == 0 &&
                (b + c->before[1] - j * c->dilation[1]) % c->stride[1] == 0;
    taps *= c->group_out;
    if (!taps) {
        v->gaps = true;
        return;
    }
    situ_tap_sum *s = &v->phase[v->phases];
    *s = (situ_tap_sum){.taps = taps,
        .outputs = c->group_in,
        .rows = situ_sum_rows(c->group_in),
        .apart = 1,
        .grid = {situ_parts(c->image[0] - a, c->stride[0]), situ_parts(c->image[1] - b, c->stride[1])},
        .pitch = p->pitch,
        .by_outputs = kernels_are_larger(v, c->group_in, taps),
        .plane = v->out_area,
        .row = c->stride[0] * c->image[1],
        .column = c->stride[1],
        .offset = offset,
        .weights = packed};
    v->start[v->phases++] = a * c->image[1] + b;
    int64_t k = 0;
    for (int64_t o = 0; o < c->group_out; o++)
        for (int64_t i = 0; i < c->kernel[0]; i++)
            for (int64_t j = 0; j < c->kernel[1]; j++) {
                int64_t row = a + c->before[0] - i * c->dilation[0], column = b + c->before[1] - j * c->dilation[1];
                if (row % c->stride[0] || column % c->stride[1]) continue;
                offset[k] =
                    (int32_t)((o * p->rows + row / c->stride[0] - p->low[0]) * p->pitch + column / c->stride[1] - p->low[1]);
                source[k++] = o * c->group_in * all + i * c->kernel[1] + j;
            }
}

/* Describes the packed gradient, with zero padding. */
static void pack_gradient(situ_convolution *v)
{
    const situ_conv *c = &v->c;
    v->packing = (situ_packing){.channels = c->group_out, .image = {c->out[0], c->out[1]}, .step = {1, 1}, .phases = {1, 1}};
    int64_t size[2];
    for (int i = 0; i < 2; i++) {
        int64_t s = c->stride[i];
        v->packing.low[i] = down(c->before[i] - (c->kernel[i] - 1) * c->dilation[i], s);
        size[i] = (s - 1 + c->before[i]) / s + situ_parts(c->image[i], s) - v->packing.low[i];
    }
    v->packing.rows = size[0];
    v->packing.pitch = size[1];
}

static void cut_phases(situ_convolution *v, int rows, int64_t phases, int64_t taps)
{
    const situ_conv *c = &v->c;
    cut_units(v, rows);
    /* upper bound: a phase with the places of the whole image */
    situ_tap_sum largest = {.taps = taps, .outputs = c->group_in, .grid = {c->image[0], c->image[1]}, .pitch = v->packing.pitch};
    situ_tap_sum usual = largest; /* a phase */
    for (int i = 0; i < 2; i++) usual.grid[i] = situ_parts(c->image[i], c->stride[i]);
    v->task_bytes = situ_round_to_lines(v->packed_bytes + situ_tap_sum_scratch(&largest) * v->size);
    if (phases == 1) cut_together(v, &largest);
    situ_wide_cut(v, &usual);
}

void situ_convolve_input(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    situ_convolution v;
    begin(&v, call, h);
    const situ_conv *c = &v.c;
    pack_gradient(&v);
    int rows = situ_sum_rows(c->group_in);
    int64_t phases = c->stride[0] * c->stride[1], taps = c->group_out * c->kernel[0] * c->kernel[1];
    v.weights = situ_parts(c->group_in, rows) * rows * taps;
    v.in = address[1];
    v.out = address[0];
    v.in_channels = c->group_out;
    v.out_channels = c->group_in;
    v.out_area = c->image[0] * c->image[1];
    cut_phases(&v, rows, phases, taps);
    int64_t weights = situ_round_to_lines(v.weights * c->groups * v.size),
            sums = situ_round_to_lines(phases * (int64_t)(sizeof *v.phase + sizeof *v.start) + taps * 12);
    v.images = shared_scratch(&v, images_bytes(&v) + weights + sums + situ_wide_bytes(&v, phases));
    if (!v.images) return;
    char *shared = v.images + images_bytes(&v);
    v.phase = (situ_tap_sum *)(void *)(shared + weights);
    v.start = (int64_t *)(void *)(v.phase + phases);
    int64_t *source = v.start + phases;
    int32_t *offset = (int32_t *)(void *)(source + taps);
    char *at = shared;
    int64_t task_bytes = v.task_bytes;
    for (int64_t a = 0; a < c->stride[0] && a < c->image[0]; a++)
        for (int64_t b = 0; b < c->stride[1] && b < c->image[1]; b++) {
            int before = v.phases;
            make_phase(&v, a, b, offset, source, at);
            if (v.phases == before) continue;
            int64_t made = v.phase[before].taps, all = c->kernel[0] * c->kernel[1];
            if (!v.wide)
                pack_weights(&(kernels_packing){.v = &v,
                                 .from = address[2],
                                 .to = at,
                                 .source = source,
                                 .taps = made,
                                 .outputs = c->group_in,
                                 .apart = all,
                                 .group = c->group_out * c->group_in * all,
                                 .rows = rows},
                    h);
            offset += made;
            source += v.wide ? made : 0;
            at += v.weights / taps * made * v.size;
        }
    if (v.wide) {
        situ_wide_pack(&v, address[2], v.start + phases, h);
        situ_wide_run(&v, shared + weights + sums, h);
        return;
    }
    cut_sums(&v);
    v.task_bytes = task_bytes;
    run_sums(&v, h);
}

/* ---------------------------------------------------------------- gradients by the kernel */

/* Whether y is read without packing: if rows of the result are whole vectors. Otherwise vectors cross the ends of rows,
 * and y is packed with zeros so that its rows are as far apart as x's. */
static bool in_place(const situ_convolution *v) { return v->c.out[1] % v->lanes == 0; }

static int64_t count_spots(const situ_convolution *v)
{
    const int64_t *out = v->c.out;
    return in_place(v) ? out[0] * out[1] / v->lanes : situ_parts(out[0] * v->packing.pitch, v->lanes);
}

static void make_spots(const situ_convolution *v, struct situ_spot *spot)
{
    int64_t across = v->c.out[1] / v->lanes, each = count_spots(v);
    for (int64_t n = 0; n < v->batch; n++)
        for (int64_t i = 0; i < each; i++, spot++) {
            int64_t x = in_place(v) ? i / across * v->packing.pitch + i % across * v->lanes : i * v->lanes;
            spot->x = (int32_t)(n * v->image_size + x);
            spot->y = (int32_t)(n * v->y_size + i * v->lanes);
        }
}

/* One chunk of images and some outputs of one group, batch by batch. */
static void run_gradient(void *context, int64_t task)
{
    const situ_convolution *v = context;
    char *scratch = situ_convolution_scratch(v, v->task_bytes);
    if (!scratch) return;
    char *packed_y = scratch + v->packed_bytes;
    const situ_conv *c = &v->c;
    int64_t part = task % v->parts, group = task / v->parts % c->groups, chunk = task / v->parts / c->groups;
    int64_t first = part * v->part, end = first + v->part < c->group_out ? first + v->part : c->group_out;
    int64_t area = c->image[0] * c->image[1], positions = c->out[0] * c->out[1],
            last = (chunk + 1) * v->chunk < c->n ? (chunk + 1) * v->chunk : c->n;
    char *by = v->partials + ((chunk * c->out_channels + group * c->group_out + first) * v->gradient.taps) * v->size;
    for (int64_t n = chunk * v->chunk; n < last; n += v->batch) {
        int64_t images = last - n < v->batch ? last - n : v->batch;
        const char *y = v->y + (n * c->out_channels + group * c->group_out) * positions * v->size;
        for (int64_t i = 0; i < images; i++) {
            v->kernels->pack[v->type](&v->packing, v->in + ((n + i) * c->channels + group * c->group_in) * area * v->size,
                scratch + i * v->image_size * v->size);
            if (!in_place(v))
                v->kernels->pack[v->type](
                    &v->y_packing, y + i * c->out_channels * positions * v->size, packed_y + i * v->y_size * v->size);
        }
        situ_tap_gradient s = v->gradient;
        s.spots = images * count_spots(v);
        v->kernels->gradient[v->type](
            &s, scratch, in_place(v) ? y : packed_y, by, packed_y + v->y_bytes, first, end, n == chunk * v->chunk);
    }
}

static void cut_gradient(situ_convolution *v, situ_conv_order order)
{
    const situ_conv *c = &v->c;
    v->chunk = order.chunk;
    v->chunks = order.chunks;
    v->batch = order.batch;
    int rows = situ_tap_rows(c->group_out);
    v->part = piece_of(c->group_out, rows, v->chunks * c->groups, ENOUGH_TASKS);
    v->parts = situ_parts(c->group_out, v->part);
    v->packed_bytes = situ_round_to_lines(v->batch * v->image_size * v->size);
    v->y_bytes = in_place(v) ? 0 : situ_round_to_lines(v->batch * v->y_size * v->size);
    v->task_bytes = v->packed_bytes + v->y_bytes + situ_tap_gradient_scratch(&v->gradient);
}

/* Adds up the chunks' partial results, in order, for some of the results. */
static void add_chunks(void *context, int64_t task)
{
    const situ_convolution *v = context;
    int64_t n = v->c.out_channels * v->gradient.taps, i = task * ADD_TASK, size = v->size,
            count = n - i < ADD_TASK ? n - i : ADD_TASK;
    memcpy(v->out + i * size, v->partials + i * size, (size_t)(count * size));
    for (int64_t c = 1; c < v->chunks; c++) v->add(v->out + i * size, v->partials + (c * n + i) * size, count);
}

void situ_convolve_weight(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    situ_convolution v;
    begin(&v, call, h);
    const situ_conv *c = &v.c;
    pack_x(&v);
    v.gradient = (situ_tap_gradient){
        .taps = c->group_in * c->kernel[0] * c->kernel[1], .outputs = c->group_out, .plane = c->out[0] * c->out[1]};
    v.in = address[1];
    v.y = address[2];
    v.image_size = situ_packing_size(&v.packing);
    v.y_size = c->out_channels * v.gradient.plane;
    if (!c->n || !c->group_out) {
        memset(address[0], 0, (size_t)(c->out_channels * v.gradient.taps * v.size));
        return;
    }
    v.out = address[0];
    v.add = situ_combine_get(SITU_REDUCE_SUM, call->out.dtype);
    situ_conv_order order = situ_conv_order_of(c, v.type);
    if (order.lanes == 1) {
        int64_t bytes = situ_wide_cut_gradient(&v, order);
        char *shared = shared_scratch(&v, bytes);
        if (shared) situ_wide_gradient(&v, shared, h);
        return;
    }
    if (!in_place(&v)) {
        v.y_packing = (situ_packing){.channels = c->group_out,
            .image = {c->out[0], c->out[1]},
            .step = {1, 1},
            .phases = {1, 1},
            .rows = c->out[0] + v.lanes / v.packing.pitch + 1,
            .pitch = v.packing.pitch};
        v.y_size = situ_packing_size(&v.y_packing);
        v.gradient.plane = v.y_packing.rows * v.y_packing.pitch;
    }
    cut_gradient(&v, order);
    int64_t partials = situ_round_to_lines(v.chunks * c->out_channels * v.gradient.taps * v.size),
            spots = v.batch * count_spots(&v);
    char *shared = shared_scratch(&v, partials + spots * (int64_t)sizeof(struct situ_spot) + v.gradient.taps * 4);
    if (!shared) return;
    v.partials = shared;
    struct situ_spot *spot = (struct situ_spot *)(void *)(shared + partials);
    int32_t *offset = (int32_t *)(void *)(spot + spots);
    make_spots(&v, spot);
    situ_convolution_offsets(&v, offset);
    v.gradient.spot = spot;
    v.gradient.offset = offset;
    situ_host_for(h, run_gradient, &v, v.chunks * c->groups * v.parts);
    situ_host_for(h, add_chunks, &v, situ_parts(c->out_channels * v.gradient.taps, ADD_TASK));
}

bool situ_convolve_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    (void)reason, (void)size;
    situ_conv c = situ_conv_of(call);
    /* offsets have 32 bits; this leaves space for padding and for several images */
    double image = (double)c.channels * (double)(c.image[0] + c.kernel[0] * c.dilation[0] + 2 * c.before[0] + 8) *
        (double)(c.image[1] + c.kernel[1] * c.dilation[1] + 2 * c.before[1] + 8);
    double out = (double)c.out_channels * (double)(c.out[0] + c.kernel[0] * c.dilation[0] + c.before[0] + 8) *
        (double)(c.out[1] + c.kernel[1] * c.dilation[1] + c.before[1] + 8);
    return image < 2.5e8 && out < 2.5e8;
}
