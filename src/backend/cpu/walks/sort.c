/* Sorting values alone: keys (op/host.h) go to their places without the positions that argsort takes along. What has one key as
 * another value does, zeros of both signs and NaN, is written from the operand afterwards, in its order there. */
#include "backend/cpu/walks/sort.h"

#include <string.h>

#include "backend/cpu/scratch.h"
#include "base/isa.h"
#include "op/attr.h"
#include "op/host.h"

enum {
    RUN = 16,
    RADIX_LEAST = 200,       /* fewer are merged */
    PARTS = SITU_SORT_PARTS, /* of a line that several threads sort */
    DEEP = 64,               /* cuts by pivots */
    BUCKETS = SITU_SORT_BUCKETS,
    CHUNK = 256
};

static bool is_signed(situ_dtype dtype) { return dtype == SITU_I8 || dtype == SITU_I16 || dtype == SITU_I32; }

#define EACH_VALUE(type, expression) \
    for (int64_t i = first; i < end; i++) { \
        __typeof__(*key) k = key[i] ^ (key[i] == (__typeof__(*key))-1 && situ_dtype_is_float(l->dtype) ? 0 : flip); \
        type v = (type)(expression); \
        memcpy(l->out + i * l->stride * (int64_t)sizeof v, &v, sizeof v); \
    } \
    break

#define KEY uint32_t
#define NAME(f) f##_narrow
#include "backend/cpu/walks/sort.inc"
#define KEY uint64_t
#define NAME(f) f##_wide
#include "backend/cpu/walks/sort.inc"

/* ---- few of any width -------- */

uint64_t *situ_sort_few(uint64_t *key, uint64_t *room, int64_t n)
{
#if defined(__x86_64__)
    if (situ_isa_get() == SITU_ISA_AVX512 && situ_sort_avx512_wide(key, n, room, DEEP)) return key;
#endif
    return merge_wide(key, room, n);
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

/* The run of such values begins at place `at` of the result: one after the other as they come in x. */
static void write_again(
    situ_dtype dtype, const char *x, char *out, int64_t stride, int64_t n, int64_t at, bool (*is)(situ_dtype, const char *))
{
    size_t size = situ_dtype_size(dtype);
    int64_t step = stride * (int64_t)size;
    for (int64_t i = 0; i < n; i++)
        if (is(dtype, x + i * step)) memcpy(out + at++ * step, x + i * step, size);
}

/* The first NaN in the sorted line, or what is no longer before 0. */
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

static void sort_one(const job *j, situ_around r, int64_t i, char *room)
{
    const situ_axis_attr *a = j->call->attr;
    situ_dtype dtype = (situ_dtype)j->call->in[0].dtype;
    int64_t size = (int64_t)situ_dtype_size(dtype), first = (i / r.inner * r.n * r.inner + i % r.inner) * size;
    const char *x = j->address[1] + first;
    char *out = j->address[0] + first;
    bool shares;
    if (size <= 4) {
        uint32_t *keys = (uint32_t *)(void *)room;
        line_narrow l = {.dtype = dtype, .descending = a->flag, .x = x, .out = out, .stride = r.inner, .n = r.n, .from = keys};
        l.to = keys + r.n;
        l.count = (int64_t(*)[PARTS][BUCKETS])(void *)(keys + 2 * r.n);
        if (r.n >= LONG) long_line_narrow(&l, j->host);
        else short_line_narrow(&l);
        shares = l.shares;
    } else {
        uint64_t *keys = (uint64_t *)(void *)room;
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
    char *room = situ_scratch(bytes);
    if (!room) situ_fault_set(j->host->fault, SITU_NO_MEMORY, (int64_t)bytes, 0);
    for (int64_t i = first; room && i < end; i++) sort_one(j, r, i, room);
}

bool situ_sort_accepts(const situ_call_desc *c, char *reason, size_t size)
{
    (void)c, (void)reason, (void)size;
    return true; /* complex numbers are refused before */
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
