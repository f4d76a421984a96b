#include "backend/cpu/layers/int8.h"

#include <string.h>

#include "backend/cpu/overrides.h"
#include "backend/cpu/scratch.h"
#include "base/byte_order.h"
#include "base/isa.h"
#include "op/blocks.h"
#include "op/host.h"

enum { SIDE = SITU_INT8_SIDE, STRIPS = SITU_INT8_STRIPS, TASK = 1 << 20 /* multiply-adds */ };

typedef struct product {
    const situ_int8_kernels *kernels;
    const situ_int8_product *by;
    const float *x;
    const char *w; /* rows: a scale, then k numbers */
    float *out;
    int64_t m, n, k, depth, strips, strip;
    char *packed; /* the strips, 64-byte aligned; followed by, for each row: */
    float *scale;
    int32_t *start;
    situ_fault *fault;
} product;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void round_task(void *context, int64_t s)
{
    const product *p = context;
    int64_t first = s * SIDE, bytes = p->by->bytes;
    int32_t *start = p->start + first;
    p->kernels->round(least(SIDE, p->m - first), p->k, p->x + first * p->k, p->depth, (int)bytes, p->packed + s * p->strip,
        p->scale + first, start);
    for (int i = 0; i < SIDE; i++) start[i] *= -p->by->offset;
}

/* 16 rows of the weight from row j on, in the kernel's layout; missing rows are 0. *row: bytes from one to the next. */
static const char *rows_of(const product *p, int64_t j, char *space, int64_t *row)
{
    int64_t rows = least(SIDE, p->n - j), bytes = p->by->bytes, own = p->k + SITU_ROW_SCALE;
    const char *from = p->w + j * own + SITU_ROW_SCALE;
    *row = own;
    if (bytes == 1 && rows == SIDE && p->k == p->depth) return from;
    *row = p->depth * bytes;
    memset(space, 0, (size_t)(SIDE * *row));
    for (int64_t i = 0; i < rows; i++, from += own) {
        if (bytes == 1) memcpy(space + i * *row, from, (size_t)p->k);
        else p->kernels->widen(p->k, from, space + i * *row);
    }
    return space;
}

/* Multiplies blocks first ... end - 1 of 16 rows of the weight. */
static void piece(void *context, int64_t first, int64_t end)
{
    const product *p = context;
    int32_t c[SIDE][STRIPS * SIDE] __attribute__((aligned(64)));
    size_t size = (size_t)(SIDE * p->depth * p->by->bytes);
    char *space = situ_scratch(size);
    if (!space) {
        situ_fault_set(p->fault, SITU_NO_MEMORY, (int64_t)size, 0);
        return;
    }
    if (p->by->begin) p->by->begin();
    for (int64_t j = first * SIDE; j < least(end * SIDE, p->n); j += SIDE) {
        int64_t columns = least(SIDE, p->n - j);
        float scale[SIDE] = {0};
        for (int64_t i = 0; i < columns; i++)
            situ_little_numbers(scale + i, p->w + (j + i) * (p->k + SITU_ROW_SCALE), sizeof *scale, sizeof *scale);
        situ_int8_block b = {.k = p->depth, .strip = p->strip, .c = c};
        b.w = rows_of(p, j, space, &b.w_row);
        for (int64_t s = 0; s < p->strips; s += STRIPS) {
            b.strips = (int)least(STRIPS, p->strips - s);
            b.x = p->packed + s * p->strip;
            b.start = p->start + s * SIDE;
            p->by->multiply(&b);
            for (int64_t i = 0; i < b.strips; i++) {
                int64_t row = (s + i) * SIDE;
                p->kernels->finish((const int32_t(*)[STRIPS * SIDE])(const void *)(c[0] + i * SIDE), least(SIDE, p->m - row),
                    columns, p->out + row * p->n + j, p->n, p->scale + row, scale);
            }
        }
    }
    if (p->by->end) p->by->end();
}

/* Multiplies rows first ... end - 1 of the weight with few rows of x, reading each row of the weight once. */
static void few(void *context, int64_t first, int64_t end)
{
    const product *p = context;
    for (int64_t j = first; j < end; j++) {
        const char *w = p->w + j * (p->k + SITU_ROW_SCALE);
        int32_t sum[SITU_INT8_FEW];
        float scale;
        situ_little_numbers(&scale, w, sizeof scale, sizeof scale);
        p->kernels->dots(p->m, p->k, w + SITU_ROW_SCALE, p->packed, p->depth, sum);
        for (int64_t i = 0; i < p->m; i++) p->out[i * p->n + j] = (float)sum[i] * (scale * p->scale[i]);
    }
}

bool situ_int8_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    (void)call, (void)reason, (void)size;
    return true;
}

void situ_int8_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    const situ_layout *x = &call->in[0], *w = &call->in[1];
    int64_t k = x->dim[x->ndim - 1];
    product p = {
        .kernels = SITU_FOR_ISA(&situ_int8), .x = (const float *)(void *)address[1], .w = address[2], .k = k, .n = w->dim[0]};
    p.by = situ_overrides_here()->int8;
    if (!p.by) p.by = &p.kernels->product;
    p.out = (float *)(void *)address[0];
    p.m = k ? situ_layout_count(x) / k : 0;
    p.depth = (k + SITU_INT8_DEPTH - 1) / SITU_INT8_DEPTH * SITU_INT8_DEPTH;
    p.strips = (p.m + SIDE - 1) / SIDE;
    p.strip = p.depth * SIDE * p.by->bytes;
    p.packed = h->workspace;
    p.scale = (float *)(void *)(p.packed + p.strips * p.strip);
    p.start = (int32_t *)(void *)(p.scale + p.strips * SIDE);
    p.fault = h->fault;
    if (!p.m) {
        memset(address[0], 0, (size_t)situ_layout_count(&call->out) * sizeof(float));
        return;
    }
    if (p.m <= SITU_INT8_FEW) {
        p.kernels->round(p.m, k, p.x, p.depth, 0, p.packed, p.scale, p.start);
        situ_host_pieces(h, few, &p, p.n, TASK / 8 / k + 1);
        return;
    }
    situ_host_for(h, round_task, &p, p.strips);
    int64_t each = p.strips * SIDE * SIDE * p.depth;
    situ_host_pieces(h, piece, &p, (p.n + SIDE - 1) / SIDE, TASK / each + 1);
}
