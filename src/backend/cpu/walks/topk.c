/* The first places of an order: what comes before the last of those kept so far is noted, and now and then all but the first are
 * dropped. */
#include "backend/cpu/scratch.h"
#include "backend/cpu/walks/choose.h"
#include "backend/cpu/walks/sort.h"
#include "op/attr.h"
#include "op/host.h"
#include "op/table.h"

enum { CHUNK = 128, FEW = 64, SHARE = 8 };

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
    uint64_t none = situ_dtype_is_float(dtype) ? UINT64_MAX : 0; /* NaN comes last both ways; all integers turn round */
    for (int64_t i = 0; i < n && largest; i++) key[i] = none && key[i] == none ? none : ~key[i];
}

/* The first `count` of a line; `kept` has place for room_of(count), as `other` has. */
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

/* The same where keys have 32 bits: with the position behind it a key is a number of its own. */
static void narrow_line(const job *j, const char *x, int64_t *out, uint64_t *kept, uint64_t *other)
{
    const situ_topk_attr *a = j->call->attr;
    situ_dtype dtype = (situ_dtype)j->call->in[0].dtype;
    int64_t stride = j->r.inner, size = (int64_t)situ_dtype_size(dtype), have = 0;
    uint64_t key[CHUNK], last = UINT64_MAX, turn = situ_dtype_is_integer(dtype) && situ_dtype_is_signed(dtype) ? 1ull << 63 : 0;
    for (int64_t at = 0; at < j->r.n; at += CHUNK) {
        int64_t n = j->r.n - at < CHUNK ? j->r.n - at : CHUNK;
        keys_of(key, dtype, x + at * stride * size, stride, n, a->flag);
        for (int64_t i = 0; i < n; i++) {
            uint64_t word = (key[i] << 32 ^ turn) | (uint64_t)(at + i);
            kept[have] = word;
            have += word < last;
        }
        if (have < 2 * a->count + FEW && at + n < j->r.n) continue;
        uint64_t *sorted = situ_sort_few(kept, other, have);
        if (sorted != kept) other = kept, kept = sorted;
        if (have < a->count) continue;
        have = a->count;
        last = kept[have - 1];
    }
    for (int64_t i = 0; i < a->count; i++) out[i * stride] = (int64_t)(uint32_t)kept[i];
}

static void some_lines(void *context, int64_t first, int64_t end)
{
    const job *j = context;
    const situ_topk_attr *a = j->call->attr;
    int64_t room = room_of(a->count), size = (int64_t)situ_dtype_size((situ_dtype)j->call->in[0].dtype);
    size_t bytes = 2 * (size_t)room * sizeof(item);
    item *kept = situ_scratch(bytes);
    if (!kept) situ_fault_set(j->host->fault, SITU_NO_MEMORY, (int64_t)bytes, 0);
    for (int64_t i = first; kept && i < end; i++) {
        int64_t o = i / j->r.inner, place = i % j->r.inner;
        const char *x = j->address[1] + (o * j->r.n * j->r.inner + place) * size;
        int64_t *out = (int64_t *)(void *)j->address[0] + o * a->count * j->r.inner + place;
        uint64_t *words = (uint64_t *)(void *)kept;
        if (size <= 4 && j->r.n < UINT32_MAX) narrow_line(j, x, out, words, words + room);
        else line(j, x, out, kept, kept + room);
    }
}

void situ_topk_run(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    const situ_topk_attr *a = c->attr;
    job j = {c, address, h, situ_host_around(&c->in[0], a->axis)};
    if (a->count) situ_host_pieces(h, some_lines, &j, j.r.outer * j.r.inner, SITU_HOST_LEAST / 2 / (j.r.n + 1) + 1);
}
