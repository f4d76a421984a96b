/* searchsorted of many values: by a tree of the sorted line's cache lines if vectors can compare a whole cache line,
 * else by binary search (op/order.c). */
#include "backend/cpu/movement/search.h"

#include <string.h>

#include "backend/cpu/scratch.h"
#include "base/isa.h"
#include "op/host.h"
#include "op/table.h"

/* Limits from which on the tree pays: making it reads every cache line once; a binary search reads some twenty for each
 * value. */
enum { LEAST = 64, FOR_A_VALUE = 64, LEAST_VALUES = 512, LEAST_LINES = 512 };

bool situ_search_accepts(const situ_call_desc *c, char *reason, size_t size)
{
    (void)reason, (void)size;
    if (c->op != &situ_op_searchsorted) return false; /* the program's own operation of this name */
    size_t width = situ_dtype_size((situ_dtype)c->in[0].dtype);
    int64_t n = c->in[0].dim[0], count = situ_layout_count(&c->out);
    return (width == 4 || width == 8) && n >= LEAST && count >= LEAST && count >= n / FOR_A_VALUE;
}

/* Copies the last, incomplete cache line of the order and fills it up with the largest key. */
static void fill_rest(situ_search *s, int64_t width)
{
    int64_t lanes = 64 / width, last = (s->n - 1) / lanes * lanes;
    uint64_t largest = s->sign - 1; /* as floats: NaN; as unsigned integers: all bits set */
    for (int64_t i = 0; i < lanes; i++)
        memcpy(s->rest + i * width, last + i < s->n ? s->sorted + (last + i) * width : (const char *)&largest, (size_t)width);
}

static bool make_levels(situ_search *s, int64_t width)
{
    int64_t lanes = 64 / width, all = 0;
    for (int64_t lines = (s->n + lanes - 1) / lanes; lines > 1; s->depth++) {
        lines = (lines + lanes - 1) / lanes;
        s->lines[s->depth] = lines;
        all += lines;
    }
    char *to = situ_scratch((size_t)(all * 64));
    for (int l = 0; l < s->depth && to; l++, to += s->lines[l - 1] * 64) s->level[l] = to;
    return to;
}

void situ_search_run(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    situ_dtype dtype = (situ_dtype)c->in[0].dtype;
    int64_t width = (int64_t)situ_dtype_size(dtype);
    situ_search s = {.sorted = address[1], .values = address[2], .out = (int64_t *)(void *)address[0], .n = c->in[0].dim[0]};
    s.real = situ_dtype_is_float(dtype);
    s.right = *(const int32_t *)c->attr;
    if (s.real || situ_dtype_is_signed(dtype)) s.sign = 1ull << (8 * width - 1);
    s.infinity = dtype == SITU_F32 ? 0x7f800000 : 0x7ff0000000000000;
    const situ_search_kernels *k = &SITU_FOR_ISA(situ_search)[width == 8];
    if (k->run && make_levels(&s, width)) {
        fill_rest(&s, width);
        situ_host_pieces(h, k->base, &s, s.lines[0], LEAST_LINES);
        if (!s.falls) {
            k->above(&s);
            situ_host_pieces(h, k->run, &s, situ_layout_count(&c->out), LEAST_VALUES);
            return;
        }
    }
    c->op->host(c, address, h);
}
