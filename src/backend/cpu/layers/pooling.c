#include "backend/cpu/layers/pooling.h"

#include <stdatomic.h>
#include <string.h>

#include "backend/cpu/scratch.h"
#include "op/pool.h"

typedef float vector __attribute__((vector_size(16)));
typedef int lanes __attribute__((vector_size(16)));

typedef struct pooling {
    const float *in;
    float *out;
    int64_t rows, columns, width, planes, per_task; /* rows and columns: of windows; width: of the image */
} pooling;

static inline vector load(const float *p)
{
    vector v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void store(float *p, vector v) { memcpy(p, &v, sizeof v); }
#if defined(__clang__)
#define PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (lanes){i, j, k, l})
#endif

/* Computes four windows at a time; the sum is ((a + b) + c) + d, row by row, as in the reference. */
static void mean_row(const float *top, const float *bottom, float *out, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        vector a = load(top + 2 * i), b = load(top + 2 * i + 4), c = load(bottom + 2 * i), d = load(bottom + 2 * i + 4);
        vector sum = PICK(a, b, 0, 2, 4, 6) + PICK(a, b, 1, 3, 5, 7);
        store(out + i, ((sum + PICK(c, d, 0, 2, 4, 6)) + PICK(c, d, 1, 3, 5, 7)) * 0.25f);
    }
    for (; i < n; i++) out[i] = (((top[2 * i] + top[2 * i + 1]) + bottom[2 * i]) + bottom[2 * i + 1]) * 0.25f;
}

static void spread_row(const float *g, float *top, float *bottom, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        vector share = load(g + i) * 0.25f, low = PICK(share, share, 0, 0, 1, 1), high = PICK(share, share, 2, 2, 3, 3);
        store(top + 2 * i, low);
        store(top + 2 * i + 4, high);
        store(bottom + 2 * i, low);
        store(bottom + 2 * i + 4, high);
    }
    for (; i < n; i++) top[2 * i] = top[2 * i + 1] = bottom[2 * i] = bottom[2 * i + 1] = g[i] * 0.25f;
}

static void mean_task(void *context, int64_t task)
{
    const pooling *p = context;
    int64_t first = task * p->per_task * p->rows,
            end = (task + 1) * p->per_task < p->planes ? (task + 1) * p->per_task * p->rows : p->planes * p->rows;
    for (int64_t r = first; r < end; r++)
        mean_row(p->in + 2 * r * p->width, p->in + (2 * r + 1) * p->width, p->out + r * p->columns, p->columns);
}

static void spread_task(void *context, int64_t task)
{
    const pooling *p = context;
    int64_t first = task * p->per_task * p->rows,
            end = (task + 1) * p->per_task < p->planes ? (task + 1) * p->per_task * p->rows : p->planes * p->rows;
    for (int64_t r = first; r < end; r++)
        spread_row(p->in + r * p->columns, p->out + 2 * r * p->width, p->out + (2 * r + 1) * p->width, p->columns);
}

static void run(const situ_layout *pooled, char *const *address, const situ_host *h, void (*task)(void *, int64_t))
{
    pooling p = {(const float *)(const void *)address[1], (float *)(void *)address[0], pooled->dim[pooled->ndim - 2],
        pooled->dim[pooled->ndim - 1], 2 * pooled->dim[pooled->ndim - 1], 1, 1};
    for (int i = 0; i < pooled->ndim - 2; i++) p.planes *= pooled->dim[i];
    int64_t plane = p.rows * p.columns;
    p.per_task = plane < 32768 ? 32768 / (plane + 1) + 1 : 1;
    situ_host_for(h, task, &p, (p.planes + p.per_task - 1) / p.per_task);
}

void situ_pooling_mean(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    run(&call->out, address, h, mean_task);
}
void situ_pooling_spread(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    run(&call->in[0], address, h, spread_task);
}

bool situ_pooling_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    const situ_pool_attr *a = call->attr;
    (void)reason, (void)size;
    bool whole = call->out.dtype == SITU_F32;
    for (int i = 0; i < 2; i++) whole &= a->size[i] == 2 && a->stride[i] == 2 && !a->before[i] && a->image[i] % 2 == 0;
    return whole;
}

/* ---------------------------------------------------------------- maxima */

typedef struct maxima {
    const situ_pooling_kernels *kernels;
    situ_max_row row;
    const float *in;
    float *out;
    int64_t height, rows, size, stride, before, planes, per_task; /* of the vertical axis; rows: of windows */
    _Atomic bool nans;                                            /* a plane contains one */
    situ_fault *fault;
} maxima;

/* The maxima along rows first: so that of a window is still the first of the largest. False if the plane contains a NaN. */
static bool max_plane(const maxima *m, const float *in, float *out, float *scratch)
{
    int64_t n = m->row.windows;
    float *maxima_of_rows = scratch + situ_max_row_scratch(&m->row);
    for (int64_t y = 0; y < m->height; y++)
        if (!m->kernels->row(&m->row, in + y * m->row.width, scratch, maxima_of_rows + y * n)) return false;
    for (int64_t r = 0; r < m->rows; r++, out += n) {
        int64_t top = r * m->stride - m->before, bottom = top + m->size;
        if (top < 0) top = 0;
        if (bottom > m->height) bottom = m->height;
        m->kernels->rows(maxima_of_rows + top * n, bottom - top, n, out);
    }
    return true;
}

static void max_task(void *context, int64_t task)
{
    maxima *m = context;
    int64_t last = (task + 1) * m->per_task < m->planes ? (task + 1) * m->per_task : m->planes;
    int64_t bytes = (situ_max_row_scratch(&m->row) + m->height * m->row.windows + SITU_MAX_ROW_SLACK) * (int64_t)sizeof(float);
    float *scratch = situ_scratch((size_t)bytes);
    if (!scratch) {
        situ_fault_set(m->fault, SITU_NO_MEMORY, bytes, 0);
        return;
    }
    for (int64_t plane = task * m->per_task; plane < last; plane++)
        if (!max_plane(m, m->in + plane * m->height * m->row.width, m->out + plane * m->rows * m->row.windows, scratch))
            atomic_store_explicit(&m->nans, true, memory_order_relaxed);
}

bool situ_max_pooling_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    const situ_pool_attr *a = call->attr;
    (void)reason, (void)size;
    return call->out.dtype == SITU_F32 && a->stride[1] <= 2;
}

void situ_max_pooling_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    const situ_pool_attr *a = call->attr;
    const situ_layout *image = &call->in[0], *out = &call->out;
    if (address[1] != address[2]) { /* takes the elements of something else */
        call->op->host(call, address, h);
        return;
    }
    int last = out->ndim - 1;
    maxima m = {.kernels = SITU_FOR_ISA(&situ_pooling),
        .row = {.width = image->dim[last],
            .windows = out->dim[last],
            .size = a->size[1],
            .stride = a->stride[1],
            .before = a->before[1]},
        .in = (const float *)(const void *)address[1],
        .out = (float *)(void *)address[0],
        .height = image->dim[last - 1],
        .rows = out->dim[last - 1],
        .size = a->size[0],
        .stride = a->stride[0],
        .before = a->before[0],
        .planes = 1,
        .fault = h->fault};
    for (int i = 0; i < last - 1; i++) m.planes *= image->dim[i];
    int64_t plane = m.height * m.row.width;
    m.per_task = plane < 32768 ? 32768 / (plane + 1) + 1 : 1;
    situ_host_for(h, max_task, &m, (m.planes + m.per_task - 1) / m.per_task);
    if (atomic_load_explicit(&m.nans, memory_order_relaxed)) call->op->host(call, address, h);
}
