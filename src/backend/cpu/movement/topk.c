/* The first `count` positions of an order. Collects elements that come before the last of those kept so far; from time
 * to time sorts them and keeps the first `count`. */
#include "backend/cpu/scratch.h"
#include "backend/cpu/movement/choose.h"
#include "backend/cpu/movement/sort.h"
#include "op/attr.h"
#include "op/host.h"
#include "op/table.h"

enum { CHUNK = 128, FEW = 64, SHARE = 8, FIRST = 32, GROUP = 16 };

typedef struct item {
    uint64_t key;
    int64_t at;
} item;
#define ITEM item
#define NAME(f) f
#include "op/merge.inc"
#undef ITEM
#undef NAME

static int64_t room_of(int64_t count) { return 2 * count + FEW + CHUNK; }

bool situ_topk_accepts(const situ_call_desc *c, char *reason, size_t size)
{
    const situ_topk_attr *a = c->attr;
    (void)reason, (void)size;
    return c->op == &situ_op_topk && a->count <= c->in[0].dim[a->axis] / SHARE;
}

typedef struct job {
    const situ_call_desc *call;
    char *const *address;
    const situ_host *host;
    situ_around r;
} job;

static void keys_of(uint64_t *key, situ_dtype dtype, const char *x, int64_t stride, int64_t n, bool largest)
{
    situ_host_keys(key, dtype, x, stride, n);
    uint64_t none = situ_dtype_is_float(dtype) ? UINT64_MAX : 0; /* NaN comes last in both directions; integers are all
                                                                  * inverted */
    for (int64_t i = 0; i < n && largest; i++) key[i] = none && key[i] == none ? none : ~key[i];
}

/* Finds the first `count` of a line. `kept` and `other` each have space for room_of(count) items. */
static void line(const job *j, const char *x, int64_t *out, item *kept, item *other)
{
    const situ_topk_attr *a = j->call->attr;
    situ_dtype dtype = (situ_dtype)j->call->in[0].dtype;
    int64_t stride = j->r.inner, size = (int64_t)situ_dtype_size(dtype), have = 0;
    uint64_t key[CHUNK], last = 0;
    bool full = false; /* keys from `last` on are not among the first */
    for (int64_t at = 0; at < j->r.n; at += CHUNK) {
        int64_t n = j->r.n - at < CHUNK ? j->r.n - at : CHUNK;
        keys_of(key, dtype, x + at * stride * size, stride, n, a->flag);
        for (int64_t i = 0; i < n; i++) {
            kept[have] = (item){key[i], at + i};
            have += !full || key[i] < last;
        }
        if (have < 2 * a->count + FEW && at + n < j->r.n) continue;
        item *sorted = merge_sort(kept, other, have);
        if (sorted != kept) other = kept, kept = sorted;
        if (have < a->count) continue;
        have = a->count;
        last = kept[have - 1].key;
        full = true;
    }
    for (int64_t i = 0; i < a->count; i++) out[i * stride] = kept[i].at;
}

/* For contiguous 32-bit values: v ^ ((v >> 31) & flip) ^ turn orders them as integers, the first ones largest. `last`
 * is that value of the last one kept. */
typedef struct bound {
    bool able, bounded;
    int32_t flip, invert, last;
} bound;

static int32_t order_of(const bound *b, int32_t v) { return v ^ ((v >> 31) & b->flip) ^ b->invert; }

/* Whether no element of a group comes before the last one kept. A NaN may be taken for one that does. */
static bool none_before(const bound *b, const int32_t *x)
{
    int32_t before = 0;
    for (int i = 0; i < GROUP; i++) before |= -(order_of(b, x[i]) > b->last);
    return !before;
}

static bound bound_of(situ_dtype dtype, int64_t stride, bool largest)
{
    int32_t invert = (largest ? 0 : -1) ^ (dtype == SITU_U32 ? INT32_MIN : 0);
    return (bound){.able = stride == 1 && (dtype == SITU_F32 || dtype == SITU_I32 || dtype == SITU_U32),
        .invert = invert,
        .flip = dtype == SITU_F32 ? INT32_MAX : 0};
}

/* A line with 32-bit keys, and the (key, position) words kept of it. */
typedef struct narrow {
    situ_dtype dtype;
    bool largest;
    const char *x;
    int64_t stride, size, have;
    uint64_t *kept, invert, last;
} narrow;

/* Keeps those of n elements from `at` on that may be among the first. */
static void note(narrow *w, int64_t at, int64_t n)
{
    uint64_t key[CHUNK];
    keys_of(key, w->dtype, w->x + at * w->stride * w->size, w->stride, n, w->largest);
    for (int64_t i = 0; i < n; i++) {
        uint64_t word = (key[i] << 32 ^ w->invert) | (uint64_t)(at + i);
        w->kept[w->have] = word;
        w->have += word < w->last;
    }
}

/* Like `line`, for 32-bit keys: key and position together are one 64-bit number. */
static void narrow_line(const job *j, const char *x, int64_t *out, uint64_t *kept, uint64_t *other)
{
    const situ_topk_attr *a = j->call->attr;
    situ_dtype dtype = (situ_dtype)j->call->in[0].dtype;
    uint64_t invert = situ_dtype_is_integer(dtype) && situ_dtype_is_signed(dtype) ? 1ull << 63 : 0;
    narrow w = {dtype, a->flag, x, j->r.inner, (int64_t)situ_dtype_size(dtype), 0, kept, invert, UINT64_MAX};
    bound b = bound_of(dtype, w.stride, a->flag);
    const int32_t *bits = (const int32_t *)(const void *)x;
    int64_t many = b.able ? a->count + a->count / 2 + GROUP : 2 * a->count + FEW;
    for (int64_t at = 0, n; at < j->r.n; at += n) {
        n = b.bounded ? GROUP : b.able && !at ? FIRST : CHUNK;
        bool over = j->r.n - at <= n;
        if (over) n = j->r.n - at;
        if (!b.bounded || over) note(&w, at, n);
        else if (none_before(&b, bits + at)) continue;
        for (int64_t i = at; b.bounded && !over && i < at + n; i++)
            if (order_of(&b, bits[i]) > b.last) note(&w, i, 1);
        if (!over && w.have < many) continue;
        uint64_t *sorted = situ_sort_few(w.kept, other, w.have);
        if (sorted != w.kept) other = w.kept, w.kept = sorted;
        if (w.have < a->count) continue;
        w.have = a->count;
        w.last = w.kept[w.have - 1];
        b.bounded = b.able && (dtype != SITU_F32 || w.last >> 32 != UINT32_MAX); /* everything else comes before a NaN */
        b.last = b.bounded ? order_of(&b, bits[(uint32_t)w.last]) : 0;
    }
    for (int64_t i = 0; i < a->count; i++) out[i * w.stride] = (int64_t)(uint32_t)w.kept[i];
}

static void some_lines(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    const situ_topk_attr *a = j->call->attr;
    int64_t capacity = room_of(a->count), size = (int64_t)situ_dtype_size((situ_dtype)j->call->in[0].dtype);
    size_t bytes = 2 * (size_t)capacity * sizeof(item);
    item *kept = situ_scratch(bytes);
    if (!kept) situ_fault_set(j->host->fault, SITU_NO_MEMORY, (int64_t)bytes, 0);
    for (int64_t i = first; kept && i < end; i++) {
        int64_t o = i / j->r.inner, place = i % j->r.inner;
        const char *x = j->address[1] + (o * j->r.n * j->r.inner + place) * size;
        int64_t *out = (int64_t *)(void *)j->address[0] + o * a->count * j->r.inner + place;
        uint64_t *words = (uint64_t *)(void *)kept;
        if (size <= 4 && j->r.n < UINT32_MAX) narrow_line(j, x, out, words, words + capacity);
        else line(j, x, out, kept, kept + capacity);
    }
}

void situ_topk_run(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    const situ_topk_attr *a = c->attr;
    job j = {c, address, h, situ_host_around(&c->in[0], a->axis)};
    if (a->count) situ_host_pieces(h, some_lines, &j, j.r.outer * j.r.inner, SITU_HOST_LEAST / 2 / (j.r.n + 1) + 1);
}
