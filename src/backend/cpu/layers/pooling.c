#include "backend/cpu/layers/pooling.h"

#include <string.h>

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
