/* Sorting: the stable order of elements by their keys (host.h). */
#include <string.h>

#include "op/attr.h"
#include "op/host.h"
#include "op/order.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum {
    RADIX_LEAST = 200,     /* fewer elements are sorted by merging */
    BYTES_LEAST = 32,      /* with fewer bytes to sort, merging is faster than counting 256 values */
    PARTS = 8,             /* parts of a line that several threads sort together */
    PARTS_LEAST = 1 << 16, /* least elements of such a part */
    LINES = 16,            /* largest number of lines sorted at the same time */
    BUCKETS = 256,
    CHUNK = 256
};
#define COUNTS \
    (PARTS * BUCKETS * sizeof(int64_t)) /* bytes of the counts: one table for each byte of a key, or for each part of a
                                                    * line */

typedef struct line {
    situ_dtype dtype;
    bool descending;
    uint64_t flip; /* XORed with keys so that their lower half is ordered by itself */
    const char *x;
    int64_t *out;
    int64_t stride, n;
    void *items;
} line;

typedef struct wide {
    uint64_t key;
    int64_t at;
} wide;
typedef struct narrow {
    uint32_t key, at;
} narrow;

#define ITEM wide
#define KEY uint64_t
#define AT(i) (i)
#define NAME(f) f##_wide
#include "op/argsort.inc"
#define ITEM narrow
#define KEY uint32_t
#define AT(i) (uint32_t)(i)
#define NAME(f) f##_narrow
#include "op/argsort.inc"

/* ---- dtypes of one byte: the positions of each value one after the other, without keys -------- */

typedef struct bytes {
    const line *l;
    int64_t parts, (*count)[BUCKETS];
} bytes;

static void count_bytes(void *context, int64_t p)
{
    const bytes *b = context;
    const unsigned char *x = (const unsigned char *)b->l->x;
    int64_t *count = b->count[p], stride = b->l->stride, first = b->l->n * p / b->parts, end = b->l->n * (p + 1) / b->parts;
    memset(count, 0, sizeof *b->count);
    for (int64_t i = first; i < end; i++) count[x[i * stride]]++;
}

static void place_bytes(void *context, int64_t p)
{
    const bytes *b = context;
    const unsigned char *x = (const unsigned char *)b->l->x;
    int64_t *next = b->count[p], *out = b->l->out, stride = b->l->stride;
    for (int64_t i = b->l->n * p / b->parts, end = b->l->n * (p + 1) / b->parts; i < end; i++)
        out[next[x[i * stride]]++ * stride] = i;
}

static void sort_bytes(const situ_host *h, const line *l, int64_t (*count)[BUCKETS])
{
    bytes b = {l, l->n >= PARTS_LEAST ? PARTS : 1, count};
    unsigned flip = (l->dtype == SITU_I8 ? 128u : 0) ^ (l->descending ? 255u : 0);
    int64_t before = 0;
    situ_host_for(h, count_bytes, &b, b.parts);
    for (unsigned k = 0; k < BUCKETS; k++)
        for (int64_t p = 0; p < b.parts; p++) {
            int64_t here = count[p][k ^ flip];
            count[p][k ^ flip] = before;
            before += here;
        }
    situ_host_for(h, place_bytes, &b, b.parts);
}

static bool is_narrow(situ_dtype dtype, int64_t n) { return situ_dtype_size(dtype) <= 4 && n <= UINT32_MAX; }

static size_t place_size(situ_dtype dtype, int64_t n)
{
    size_t item = is_narrow(dtype, n) ? sizeof(narrow) : sizeof(wide);
    return (2 * (size_t)n * item + 63) / 64 * 64 + COUNTS;
}

/* Number of lines that have scratch memory in the workspace, and are sorted at the same time. */
static int64_t places(situ_around r)
{
    int64_t lines = r.outer * r.inner;
    return r.n >= PARTS_LEAST || lines < 1 ? 1 : lines < LINES ? lines : LINES;
}

static int infer_argsort(situ_infer *c)
{
    int failed = situ_refuse_complex(c);
    situ_infer_same(c);
    c->dtype = SITU_I64;
    return failed;
}

static size_t workspace_argsort(const situ_call_desc *c)
{
    situ_around r = situ_host_around(&c->out, ((const situ_axis_attr *)c->attr)->axis);
    return (size_t)places(r) * place_size((situ_dtype)c->in[0].dtype, r.n);
}

typedef struct job {
    const situ_call_desc *call;
    char *const *address;
    const situ_host *host;
} job;

/* Sorts line i, with scratch memory p of the workspace. */
static void sort_one(const job *j, situ_around r, int64_t i, int64_t p)
{
    const situ_axis_attr *a = j->call->attr;
    situ_dtype dtype = (situ_dtype)j->call->in[0].dtype;
    int64_t first = i / r.inner * r.n * r.inner + i % r.inner;
    bool few = is_narrow(dtype, r.n), integer = dtype == SITU_I8 || dtype == SITU_I16 || dtype == SITU_I32;
    char *place = j->host->workspace + (size_t)p * place_size(dtype, r.n);
    int64_t(*count)[BUCKETS] = (int64_t(*)[BUCKETS])(void *)(place + place_size(dtype, r.n) - COUNTS);
    line l = {.dtype = dtype,
        .descending = a->flag,
        .flip = few && integer ? 1u << (8 * situ_dtype_size(dtype) - 1) : 0,
        .x = j->address[1] + first * (int64_t)situ_dtype_size(dtype),
        .out = (int64_t *)(void *)j->address[0] + first,
        .stride = r.inner,
        .n = r.n,
        .items = place};
    if (situ_dtype_size(dtype) == 1 && r.n >= BYTES_LEAST) sort_bytes(j->host, &l, count);
    else if (r.n >= PARTS_LEAST) (few ? sort_long_line_narrow : sort_long_line_wide)(j->host, &l, count);
    else (few ? sort_line_narrow : sort_line_wide)(&l, count);
}

static void sort_some(void *context, int64_t p)
{
    const job *j = context;
    situ_around r = situ_host_around(&j->call->out, ((const situ_axis_attr *)j->call->attr)->axis);
    int64_t lines = r.outer * r.inner, all = places(r);
    for (int64_t i = lines * p / all; i < lines * (p + 1) / all; i++) sort_one(j, r, i, p);
}

static void host_argsort(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    situ_around r = situ_host_around(&c->out, ((const situ_axis_attr *)c->attr)->axis);
    job j = {c, address, h};
    if (!r.n || r.n >= PARTS_LEAST || r.n * r.outer * r.inner < SITU_HOST_LEAST)
        for (int64_t p = 0; r.n && p < places(r); p++) sort_some(&j, p);
    else situ_host_for(h, sort_some, &j, places(r));
}

const situ_op situ_op_argsort = {.name = "argsort",
    .family = SITU_CALL,
    .operands = "x",
    .infer = infer_argsort,
    .no_gradient = "its results are positions",
    .host = host_argsort,
    .workspace = workspace_argsort};

static int infer_sort(situ_infer *c)
{
    int failed = situ_refuse_complex(c);
    situ_infer_same(c);
    return failed;
}

static situ_tensor *expand_sort(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    const situ_axis_attr *a = attr;
    (void)nin;
    return situ_gather(in[0], situ_argsort(in[0], .axis = a->axis, .descending = a->flag), .axis = a->axis);
}

static void vjp_sort(situ_vjp *c)
{
    situ_site site = c->site;
    const situ_axis_attr *a = situ_node_attr(c->y);
    situ_tensor *at = situ_argsort(c->in[0], .axis = a->axis, .descending = a->flag);
    c->out[0] = situ_scatter(situ_full_like(c->in[0], 0, .dtype = (situ_dtype)c->g->dtype), at, c->g, .axis = a->axis);
}

static size_t workspace_sort(const situ_call_desc *c)
{
    int64_t n = c->out.dim[((const situ_axis_attr *)c->attr)->axis];
    size_t key = situ_dtype_size((situ_dtype)c->out.dtype) > 4 ? 8 : 4;
    return n < SITU_SORT_LONG ? 0 : (2 * (size_t)n + SITU_SORT_PARTS * SITU_SORT_BUCKETS * sizeof(int64_t)) * key;
}

const situ_op situ_op_sort = {.name = "sort",
    .family = SITU_COMPOSITE,
    .operands = "x",
    .infer = infer_sort,
    .vjp = vjp_sort,
    .reads = {SITU_READS_A},
    .expand = expand_sort,
    .workspace = workspace_sort};

/* ---- topk: the first positions of the order -------- */

static int infer_topk(situ_infer *c)
{
    const situ_topk_attr *a = c->attr;
    int failed = situ_refuse_complex(c);
    situ_infer_same(c);
    c->dtype = SITU_I64;
    c->dim[a->axis] = a->count;
    return failed;
}

static situ_tensor *expand_topk(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    const situ_topk_attr *a = attr;
    (void)nin;
    situ_shape stop = {.ndim = a->axis + 1};
    for (int i = 0; i < a->axis; i++) stop.dim[i] = SITU_FULL;
    stop.dim[a->axis] = a->count;
    return situ_slice(situ_argsort(in[0], .axis = a->axis, .descending = a->flag), .stop = stop);
}

const situ_op situ_op_topk = {.name = "topk",
    .family = SITU_COMPOSITE,
    .operands = "x",
    .infer = infer_topk,
    .no_gradient = "its results are positions",
    .expand = expand_topk};

/* Records a sort or an argsort. */
static situ_tensor *ordered(const situ_op *op, situ_tensor *x, const situ_sort_options *options, situ_site site)
{
    situ_sort_options o = {SITU_DEFAULTS(SITU_SORT_DEFAULTS)};
    if (!situ_usable(&x, 1, op->name, site) || !SITU_TAKE_OPTIONS(o, options, op->name, site)) return situ_poisoned();
    int axis = situ_axis(o.axis, x->ndim, op->name, site);
    if (axis < 0) return situ_poisoned();
    situ_axis_attr attr = {.axis = axis, .flag = o.descending};
    return situ_apply1(op, x, &attr, sizeof attr, site);
}

situ_tensor *(situ_argsort)(situ_tensor *x, const situ_sort_options *options, situ_site site)
{
    return ordered(&situ_op_argsort, x, options, site);
}

situ_tensor *(situ_sort)(situ_tensor *x, const situ_sort_options *options, situ_site site)
{
    SITU_SPEAK("sort", site);
    return ordered(&situ_op_sort, x, options, site);
}

situ_tensor *(situ_topk)(situ_tensor *x, int64_t k, const situ_topk_options *options, situ_site site)
{
    SITU_SPEAK("topk", site);
    situ_topk_options o = {SITU_DEFAULTS(SITU_TOPK_DEFAULTS)};
    bool usable = situ_usable(&x, 1, "topk", site) && SITU_TAKE_OPTIONS(o, options, "topk", site);
    if (o.indices) *o.indices = situ_poisoned();
    int axis = usable ? situ_axis(o.axis, x->ndim, "topk", site) : -1;
    if (axis < 0) return situ_poisoned();
    if (k < 0 || k > x->dim[axis])
        return situ_refused(
            SITU_BAD_ARGUMENT, site, "topk: %lld of the %lld elements along axis %d", (long long)k, (long long)x->dim[axis], axis);
    situ_topk_attr attr = {.count = k, .axis = axis, .flag = !o.smallest};
    situ_tensor *at = situ_apply1(&situ_op_topk, x, &attr, sizeof attr, site);
    if (o.indices) *o.indices = at;
    return situ_gather(x, at, .axis = axis);
}
