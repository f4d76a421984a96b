/* Sorts values alone: keys (op/host.h) are sorted without the positions that argsort carries along. Different values
 * with equal keys (zeros of both signs, and NaNs) are afterwards copied from the operand, in their order there. */
#include "backend/cpu/movement/sort.h"

#include <string.h>

#include "backend/cpu/scratch.h"
#include "base/isa.h"
#include "op/attr.h"
#include "op/host.h"

enum {
    RUN = 16,
    RADIX_LEAST = 200,       /* shorter lines are sorted by merging */
    PARTS = SITU_SORT_PARTS, /* parts of a line that several threads sort */
    DEEP = 64,               /* limit of pivot partitions in sequence */
    BUCKETS = SITU_SORT_BUCKETS,
    CHUNK = 256
};

static bool is_signed(situ_dtype dtype) { return dtype == SITU_I8 || dtype == SITU_I16 || dtype == SITU_I32; }

#define EACH_VALUE(type, expression) \
    for (int64_t i = first; i < end; i++) { \
        __typeof__(*key) k = key[i] ^ (key[i] == all && situ_dtype_is_float(l->dtype) ? 0 : flip); \
        type v = (type)(expression); \
        memcpy(l->out + i * l->stride * (int64_t)sizeof v, &v, sizeof v); \
    } \
    break

/* Keys of contiguous 16-bit values, and back, like load_alike and store_alike of sort.inc. Returns whether values share
 * a key. */
__attribute__((noinline)) static bool load_halves(uint32_t *to, const uint16_t *x, int64_t n, situ_dtype dtype, bool descending)
{
    const uint32_t flip = descending ? 0xffff : 0, sign = dtype == SITU_I16 ? 0x8000 : 0,
                   infinity = dtype == SITU_F16 ? 0x7c00 : 0x7f80;
    uint32_t shared = 0;
    if (!situ_dtype_is_float(dtype)) {
        for (int64_t i = 0; i < n; i++) to[i] = x[i] ^ sign ^ flip;
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        uint32_t size = x[i] & 0x7fffu, negative = 0 - (uint32_t)(x[i] >> 15), is_nan = (infinity - size) >> 16;
        to[i] = ((0x8000 + ((size ^ negative) - negative)) ^ flip) | is_nan;
        shared |= is_nan | ((size - 1) >> 16);
    }
    return shared;
}

__attribute__((noinline)) static void store_halves(uint16_t *out, const uint32_t *key, int64_t n, situ_dtype dtype, bool descending)
{
    const uint32_t flip = descending ? 0xffff : 0, sign = dtype == SITU_I16 ? 0x8000 : 0;
    if (!situ_dtype_is_float(dtype)) {
        for (int64_t i = 0; i < n; i++) out[i] = (uint16_t)(key[i] ^ sign ^ flip);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        uint32_t k = key[i] == 0xffff ? key[i] : key[i] ^ flip, below = (k >> 15) - 1; /* below: all bits set if the
                                                                                        * value is negative */
        out[i] = (uint16_t)((((k - 0x8000) ^ below) - below) | (below & 0x8000));
    }
}

#define VECTORS SITU_FOR_ISA(&situ_sort)
#define KEY uint32_t
#define NAME(f) f##_narrow
#include "backend/cpu/movement/sort.inc"
#define KEY uint64_t
#define NAME(f) f##_wide
#include "backend/cpu/movement/sort.inc"

/* ---- values of one or two bytes: how often is each there? -------- */

enum { COUNTED = 1024, RARELY = 3, OFTEN = 16 };

typedef struct counting {
    line_narrow *l;
    int64_t parts, tables;
    uint32_t low, range, *count; /* count: of the keys from `low` on; later where each key's run begins */
    int32_t least[PARTS], most[PARTS];
} counting;

/* Elements first ... first + n - 1 as a line of their own, with keys in `key`. */
static line_narrow part_of(const line_narrow *l, int64_t first, int64_t n, uint32_t *key)
{
    int64_t at = first * l->stride * (int64_t)situ_dtype_size(l->dtype);
    return (line_narrow){.dtype = l->dtype,
        .descending = l->descending,
        .x = l->x + at,
        .out = l->out + at,
        .stride = l->stride,
        .n = n,
        .from = key};
}

static void find_range(void *context, int64_t p)
{
    counting *c = context;
    uint32_t key[COUNTED];
    int32_t least = INT32_MAX, most = 0;
    for (int64_t first = c->l->n * p / c->parts, end = c->l->n * (p + 1) / c->parts; first < end; first += COUNTED) {
        line_narrow l = part_of(c->l, first, end - first < COUNTED ? end - first : COUNTED, key);
        load_narrow(&l, 0, l.n);
        for (int64_t i = 0; i < l.n; i++) {
            int32_t k = (int32_t)key[i];
            least = k < least ? k : least;
            most = k > most ? k : most;
        }
    }
    c->least[p] = least;
    c->most[p] = most;
}

static void count_keys(void *context, int64_t t)
{
    counting *c = context;
    uint32_t key[COUNTED], *count = c->count + t * c->range, low = c->low;
    memset(count, 0, c->range * sizeof *count);
    for (int64_t first = c->l->n * t / c->tables, end = c->l->n * (t + 1) / c->tables; first < end; first += COUNTED) {
        line_narrow l = part_of(c->l, first, end - first < COUNTED ? end - first : COUNTED, key);
        load_narrow(&l, 0, l.n);
        for (int64_t i = 0; i < l.n; i++) count[key[i] - low]++;
        if (l.shares) c->l->shares = true;
    }
}

/* Writes results first ... end - 1 of part p. */
static void write_counted(void *context, int64_t p)
{
    const counting *c = context;
    int64_t first = c->l->n * p / c->parts, end = c->l->n * (p + 1) / c->parts, have = 0;
    uint32_t key[COUNTED + RUN], k = 0, beyond = c->range;
    while (beyond - k > 1) { /* finds the last key whose run begins here or before */
        uint32_t middle = k + (beyond - k) / 2;
        if (c->count[middle] <= first) k = middle;
        else beyond = middle;
    }
    for (int64_t at = first; at < end;) {
        int64_t next = k + 1 < c->range ? c->count[k + 1] : end, stop = first + COUNTED < end ? first + COUNTED : end;
        int64_t n = (next < stop ? next : stop) - at;
        for (int64_t i = 0; i < n; i += RUN) /* writes up to RUN - 1 keys more than needed, so that the loop mostly has
                                              * a constant length */
            for (int j = 0; j < RUN; j++) key[have + i + j] = c->low + k;
        at += n;
        have += n;
        k += at == next;
        if (at < stop) continue;
        line_narrow l = part_of(c->l, first, have, key);
        store_narrow(&l, 0, have);
        first = at;
        have = 0;
    }
}

/* Sorts by counting. False: too many different keys for the number of values. */
static bool count_line(line_narrow *l, const situ_host *h, int parts)
{
    size_t bits = 8 * situ_dtype_size(l->dtype);
    if (bits > 16 || l->n > UINT32_MAX) return false;
    counting c = {.l = l, .parts = parts, .range = 1u << bits, .count = l->to};
    if (l->n < OFTEN * (int64_t)c.range) {
        situ_host_for(h, find_range, &c, parts);
        for (int p = 1; p < parts; p++) {
            if (c.least[p] < c.least[0]) c.least[0] = c.least[p];
            if (c.most[p] > c.most[0]) c.most[0] = c.most[p];
        }
        c.low = (uint32_t)c.least[0];
        c.range = (uint32_t)c.most[0] - c.low + 1;
    }
    c.tables = l->n / c.range < parts ? l->n / c.range : parts;
    if (l->n / c.range < RARELY) return false;
    situ_host_for(h, count_keys, &c, c.tables);
    uint32_t before = 0;
    for (uint32_t k = 0; k < c.range; k++) {
        uint32_t here = 0;
        for (int64_t t = 0; t < c.tables; t++) here += c.count[t * c.range + k];
        c.count[k] = before;
        before += here;
    }
    situ_host_for(h, write_counted, &c, parts);
    return true;
}

/* ---- few of any width -------- */

uint64_t *situ_sort_few(uint64_t *key, uint64_t *space, int64_t n)
{
    return VECTORS->sort_wide && VECTORS->sort_wide(key, n, space, DEEP) ? key : merge_wide(key, space, n);
}

/* ---- values that share a key -------- */

static bool is_zero(situ_dtype dtype, const char *x)
{
    uint64_t bits = 0;
    size_t size = situ_dtype_size(dtype);
    memcpy(&bits, x, size);
    return !(bits << (65 - 8 * size));
}

static bool is_nan(situ_dtype dtype, const char *x)
{
    double v = situ_element_get_f64(dtype, x);
    return v != v;
}

/* Rewrites a run of values that share a key, from position `at` of the result on, in their order in x. */
static void write_again(
    situ_dtype dtype, const char *x, char *out, int64_t stride, int64_t n, int64_t at, bool (*is)(situ_dtype, const char *))
{
    size_t size = situ_dtype_size(dtype);
    int64_t step = stride * (int64_t)size;
    for (int64_t i = 0; i < n; i++)
        if (is(dtype, x + i * step)) memcpy(out + at++ * step, x + i * step, size);
}

/* Position of the first NaN in the sorted line, or of the first value that does not come before 0. */
static int64_t first_place(situ_dtype dtype, const char *out, int64_t stride, int64_t n, bool descending, bool nan)
{
    int64_t low = 0, high = n, step = stride * (int64_t)situ_dtype_size(dtype);
    while (low < high) {
        int64_t middle = (low + high) / 2;
        double v = situ_element_get_f64(dtype, out + middle * step);
        bool reached = v != v || (!nan && (descending ? v <= 0 : v >= 0));
        if (reached) high = middle;
        else low = middle + 1;
    }
    return low;
}

static void mend(situ_dtype dtype, bool descending, const char *x, char *out, int64_t stride, int64_t n)
{
    int64_t step = stride * (int64_t)situ_dtype_size(dtype);
    if (!n || !situ_dtype_is_float(dtype)) return;
    int64_t nans = first_place(dtype, out, stride, n, descending, true),
            zeros = first_place(dtype, out, stride, n, descending, false);
    if (nans < n) write_again(dtype, x, out, stride, n, nans, is_nan);
    if (zeros < n && is_zero(dtype, out + zeros * step)) write_again(dtype, x, out, stride, n, zeros, is_zero);
}

/* ---- lines -------- */

enum { LONG = SITU_SORT_LONG };

typedef struct job {
    const situ_call_desc *call;
    char *const *address;
    const situ_host *host;
} job;

static void sort_one(const job *j, situ_around r, int64_t i, char *space)
{
    const situ_axis_attr *a = j->call->attr;
    situ_dtype dtype = (situ_dtype)j->call->in[0].dtype;
    int64_t size = (int64_t)situ_dtype_size(dtype), first = (i / r.inner * r.n * r.inner + i % r.inner) * size;
    const char *x = j->address[1] + first;
    char *out = j->address[0] + first;
    bool shares;
    if (size <= 4) {
        uint32_t *keys = (uint32_t *)(void *)space;
        line_narrow l = {.dtype = dtype, .descending = a->flag, .x = x, .out = out, .stride = r.inner, .n = r.n, .from = keys};
        l.to = keys + r.n;
        l.count = (int64_t(*)[PARTS][BUCKETS])(void *)(keys + 2 * r.n);
        if (count_line(&l, j->host, r.n >= LONG ? PARTS : 1)) (void)0;
        else if (r.n >= LONG) long_line_narrow(&l, j->host);
        else short_line_narrow(&l);
        shares = l.shares;
    } else {
        uint64_t *keys = (uint64_t *)(void *)space;
        line_wide l = {.dtype = dtype, .descending = a->flag, .x = x, .out = out, .stride = r.inner, .n = r.n, .from = keys};
        l.to = keys + r.n;
        l.count = (int64_t(*)[PARTS][BUCKETS])(void *)(keys + 2 * r.n);
        if (r.n >= LONG) long_line_wide(&l, j->host);
        else short_line_wide(&l);
        shares = l.shares;
    }
    if (shares) mend(dtype, a->flag, x, out, r.inner, r.n);
}

static void sort_lines(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    situ_around r = situ_host_around(&j->call->out, ((const situ_axis_attr *)j->call->attr)->axis);
    size_t bytes = 2 * (size_t)r.n * 8;
    char *space = situ_scratch(bytes);
    if (!space) situ_fault_set(j->host->fault, SITU_NO_MEMORY, (int64_t)bytes, 0);
    for (int64_t i = first; space && i < end; i++) sort_one(j, r, i, space);
}

bool situ_sort_accepts(const situ_call_desc *c, char *reason, size_t size)
{
    (void)c, (void)reason, (void)size;
    return true; /* complex numbers were refused before */
}

void situ_sort_run(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    situ_around r = situ_host_around(&c->out, ((const situ_axis_attr *)c->attr)->axis);
    job j = {c, address, h};
    int64_t lines = r.outer * r.inner;
    if (!r.n || !lines) return;
    if (r.n < LONG) situ_host_pieces(h, sort_lines, &j, lines, SITU_HOST_LEAST / 2 / r.n + 1);
    for (int64_t i = 0; r.n >= LONG && i < lines; i++) sort_one(&j, r, i, h->workspace);
}
