/* Attention with cached keys and values. A task has the queries of a group of heads at a few positions; or, if the
 * cached positions are cut into parts, the queries of all groups and one part. Results of parts are combined by their
 * largest scores. All cuts depend on shapes alone, so nothing depends on threads. */
#include <math.h>
#include <string.h>

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/tiles/tile.h"
#include "backend/cpu/layers/attention.h"
#include "backend/cpu/layers/normalise.h"
#include "backend/cpu/scratch.h"
#include "base/isa.h"
#include "math/f64.h"
#include "op/attention.h"
#include "op/host.h"

enum {
    POSITIONS = SITU_CACHED_POSITIONS, /* query positions of a task */
    SPLIT = SITU_CACHED_SPLIT,
    CHUNK = 128, /* positions whose scores are in the cache at a time */
    AHEAD = 16,  /* prefetch distance for keys, in positions */
    ASK = 16     /* number of positions whose keys and values are prefetched at a time */
};

typedef struct cached {
    const situ_gemm_kernels *gemm;
    const situ_normalise_kernels *norm;
    situ_tile_fn exp;
    const float *q, *k, *v, *past_k, *past_v;
    float *out, *parts;
    int64_t batch, count, most, at, groups, per, width, blocks, splits;
    int64_t together; /* groups of a task */
    double scale;
    situ_fault *fault;
} cached;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
/* Number of floats that a part leaves for each query: the weighted sum of values, the largest score, the sum of
 * exponentials. */
static int64_t left_by(const cached *c) { return c->width + 2; }

/* A task's queries, copied to be contiguous, with the sums over the positions that they have seen so far. */
typedef struct rows {
    int64_t n, first, batch, group;
    float *q, *sum, *score, *largest, *power, *more;
} rows;

/* Prefetches consecutive rows of keys or values in memory order. */
static void ask(const cached *c, const float *at, int64_t places)
{
    int64_t stride = c->groups * c->width;
    for (int64_t i = 0; i < places; i++)
        for (int64_t j = 0; j < c->together * c->width; j += 16) __builtin_prefetch(at + i * stride + j);
}

/* Computes the scores of `places` keys. The task's first group prefetches the next keys and the values. */
static void score(const cached *c, const rows *r, const float *k, const float *v, int64_t places)
{
    int64_t stride = c->groups * c->width;
    for (int64_t from = 0; from < places; from += ASK) {
        situ_gemm g = {.m = least(ASK, places - from),
            .n = r->n,
            .k = c->width,
            .a = k + from * stride,
            .b = r->q,
            .c = r->score + from,
            .a_row = stride,
            .a_column = 1,
            .b_row = 1,
            .b_column = c->width,
            .c_row = 1,
            .c_column = CHUNK};
        if (r->group % c->together == 0) {
            ask(c, k + (from + AHEAD) * stride, g.m);
            ask(c, v + from * stride, g.m);
        }
        c->gemm->dots[SITU_GEMM_F32](&g);
    }
}

/* Adds n of the positions of keys and values [positions, groups * width] to the rows. If hidden is not 0, row r sees
 * at most positions - hidden + r % positions + 1 of them. */
static void see_chunk(
    const cached *c, const rows *r, const float *k, const float *v, int64_t from, int64_t n, int64_t places, int64_t hidden)
{
    int64_t stride = c->groups * c->width, positions = r->n / c->per;
    k += from * stride + r->group * c->width;
    v += from * stride + r->group * c->width;
    score(c, r, k, v, n);
    for (int64_t i = 0; i < r->n; i++) {
        float *s = r->score + i * CHUNK;
        int64_t sees = hidden ? least(n, places - hidden + i % positions + 1 - from) : n;
        if (sees < 0) sees = 0;
        double largest = sees ? c->norm->largest[0](s, sees) * c->scale : -INFINITY;
        float before = r->largest[i], now = largest > before ? (float)largest : before;
        if (now > -INFINITY) c->norm->shifted[0](s, c->scale, now, sees, n);
        else memset(s, 0, (size_t)n * sizeof *s);
        c->exp(s, s, NULL, NULL, (int)n);
        memset(s + sees, 0, (size_t)(n - sees) * sizeof *s);
        float faded = before > -INFINITY ? (float)situ_f64_exp((double)before - now) : 0;
        r->largest[i] = now;
        r->power[i] = r->power[i] * faded + (float)c->norm->sum[0](s, n);
        c->norm->times[0](r->sum + i * c->width, faded, c->width);
    }
    situ_gemm values = {.m = r->n,
        .n = c->width,
        .k = n,
        .a = r->score,
        .b = v,
        .c = r->more,
        .a_row = CHUNK,
        .a_column = 1,
        .b_row = stride,
        .b_column = 1,
        .c_row = c->width,
        .c_column = 1};
    c->gemm->direct[SITU_GEMM_F32](&values);
    for (int64_t i = 0; i < r->n * c->width; i++) r->sum[i] += r->more[i];
}

/* Adds all positions to the task's rows. */
static void see(const cached *c, const rows *r, const float *k, const float *v, int64_t places, int64_t hidden)
{
    for (int64_t from = 0, n; from < places; from += n) {
        n = least(CHUNK, places - from);
        for (int64_t i = 0; i < c->together; i++) see_chunk(c, r + i, k, v, from, n, places, hidden);
    }
}

static int64_t floats_of(const cached *c) { return (POSITIONS * c->per * (3 * c->width + CHUNK + 2) + 15) / 16 * 16; }

static void open_rows(const cached *c, rows *r, float *at)
{
    int64_t positions = least(POSITIONS, c->count - r->first), most = POSITIONS * c->per;
    r->n = positions * c->per;
    r->score = at;
    r->q = r->score + most * CHUNK;
    r->sum = r->q + most * c->width;
    r->more = r->sum + most * c->width;
    r->largest = r->more + most * c->width;
    r->power = r->largest + most;
    memset(r->sum, 0, (size_t)(r->n * c->width) * sizeof *r->sum);
    for (int64_t i = 0; i < r->n; i++) { /* the keys and values of one head after the other */
        int64_t head = r->group * c->per + i / positions, place = r->batch * c->count + r->first + i % positions;
        memcpy(r->q + i * c->width, c->q + (place * c->groups * c->per + head) * c->width, (size_t)c->width * sizeof *r->q);
        r->largest[i] = -INFINITY;
        r->power[i] = 0;
    }
}

/* The address of the result of row i of a task. */
static float *result_of(const cached *c, const rows *r, int64_t i)
{
    int64_t positions = r->n / c->per, place = r->batch * c->count + r->first + i % positions;
    return c->out + (place * c->groups * c->per + r->group * c->per + i / positions) * c->width;
}

/* Writes the result of the rows, or what a part leaves. */
static void close_rows(const cached *c, const rows *r, int64_t part)
{
    for (int64_t i = 0; i < r->n && c->splits == 1; i++)
        for (int64_t j = 0; j < c->width; j++) result_of(c, r, i)[j] = r->sum[i * c->width + j] / r->power[i];
    if (c->splits == 1) return;
    float *left = c->parts + ((r->batch * c->groups + r->group) * c->splits + part) * c->count * c->per * left_by(c);
    for (int64_t i = 0; i < r->n; i++, left += left_by(c)) {
        memcpy(left, r->sum + i * c->width, (size_t)c->width * sizeof *left);
        left[c->width] = r->largest[i];
        left[c->width + 1] = r->power[i];
    }
}

/* The first part also adds the new positions. */
static void task(void *context, int64_t index)
{
    const cached *c = context;
    int64_t part = index % c->splits, unit = index / c->splits, stride = c->groups * c->width, turns = c->groups / c->together;
    size_t head = ((size_t)c->together * sizeof(rows) + 63) / 64 * 64,
           size = head + (size_t)(c->together * floats_of(c)) * sizeof(float);
    char *memory = situ_scratch(size);
    if (!memory) {
        situ_fault_set(c->fault, SITU_NO_MEMORY, (int64_t)size, 0);
        return;
    }
    rows *r = (rows *)(void *)memory;
    for (int64_t i = 0; i < c->together; i++) {
        r[i] = (rows){.first = unit % c->blocks * POSITIONS,
            .group = unit / c->blocks % turns * c->together + i,
            .batch = unit / c->blocks / turns};
        open_rows(c, r + i, (float *)(void *)(memory + head) + i * floats_of(c));
    }
    int64_t from = part * SPLIT, to = c->splits > 1 ? least(c->at, from + SPLIT) : c->at;
    int64_t past = r->batch * c->most * stride, now = r->batch * c->count * stride, positions = r->n / c->per;
    if (from < to) see(c, r, c->past_k + past + from * stride, c->past_v + past + from * stride, to - from, 0);
    if (!part) see(c, r, c->k + now, c->v + now, r->first + positions, positions);
    for (int64_t i = 0; i < c->together; i++) close_rows(c, r + i, part);
}

/* Combines the parts of a unit, in order. */
static void join(const cached *c, int64_t unit)
{
    int64_t size = c->count * c->per * left_by(c), row = left_by(c);
    rows r = {.n = c->count * c->per, .group = unit % c->groups, .batch = unit / c->groups};
    for (int64_t i = 0; i < r.n; i++) {
        const float *first = c->parts + unit * c->splits * size + i * row;
        float largest = -INFINITY, *y = result_of(c, &r, i);
        double power = 0;
        for (int64_t s = 0; s < c->splits; s++) largest = fmaxf(largest, first[s * size + c->width]);
        memset(y, 0, (size_t)c->width * sizeof *y);
        for (int64_t s = 0; s < c->splits; s++) {
            const float *left = first + s * size;
            double by = left[c->width + 1] > 0 ? situ_f64_exp((double)left[c->width] - largest) : 0;
            power += by * left[c->width + 1];
            for (int64_t j = 0; j < c->width && by > 0; j++) y[j] += (float)by * left[j];
        }
        c->norm->times[0](y, 1 / power, c->width);
    }
}

void situ_cached_run(const situ_call_desc *call, char *const *address, const situ_host *h)
{
    const situ_cached_attr *a = call->attr;
    const situ_layout *q = &call->in[0], *past = &call->in[3];
    int32_t at;
    memcpy(&at, address[6], sizeof at);
    cached c = {.gemm = SITU_FOR_ISA(&situ_gemm),
        .norm = SITU_FOR_ISA(&situ_normalise),
        .exp = situ_tiles_best()->op[SITU_EL_exp][SITU_F32],
        .q = (const float *)(void *)address[1],
        .k = (const float *)(void *)address[2],
        .v = (const float *)(void *)address[3],
        .past_k = (const float *)(void *)address[4],
        .past_v = (const float *)(void *)address[5],
        .out = (float *)(void *)address[0],
        .parts = (float *)(void *)h->workspace,
        .batch = q->dim[0],
        .count = q->dim[1],
        .most = past->dim[1],
        .at = at < 0 ? 0 : least(at, past->dim[1]),
        .groups = a->kv_heads,
        .per = a->heads / a->kv_heads,
        .width = q->dim[2] / a->heads,
        .scale = a->scale,
        .fault = h->fault};
    c.blocks = (c.count + POSITIONS - 1) / POSITIONS;
    c.splits = situ_cached_parts(c.count, c.most);
    c.together = c.splits > 1 ? c.groups : 1;
    int64_t units = c.batch * c.groups * c.blocks;
    situ_host_for(h, task, &c, units / c.together * c.splits);
    for (int64_t i = 0; i < units && c.splits > 1; i++) join(&c, i);
}

bool situ_cached_accepts(const situ_call_desc *call, char *reason, size_t size)
{
    (void)reason, (void)size;
    return call->out.dtype == SITU_F32 && call->in[5].dtype == SITU_I32;
}
