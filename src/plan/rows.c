/* rows: joins neighbouring groups over the same rows to one row program, which takes a few rows at a time through all
 * groups. So a softmax or a norm reads its operand from memory once. Groups without a reduction over the same
 * elements, which come from one function too long for a group, have rows of one element; what one passes to the next
 * needs no memory. The groups do not change, and neither do the bits. */
#include <string.h>

#include "op/generate.h"
#include "plan/build.h"
#include "tensor/shape.h"

enum { LEAST_ROWS = 16, LEAST_ELEMENTS = 4096, LEAST_FLAT = 65536, MOST_WORDS = 256 };

/* The number of leading dimensions that have `rows` elements together; -1: none. */
static int leading(const situ_val *v, int64_t rows)
{
    int64_t n = 1;
    for (int i = 0; i <= v->ndim; n *= v->dim[i++]) {
        if (n == rows) return i;
        if (i == v->ndim || n > rows) break;
    }
    return -1;
}

static int64_t length_of(const situ_val *v, int lead)
{
    int64_t n = 1;
    for (int i = lead; i < v->ndim; i++) n *= v->dim[i];
    return n;
}

/* Number of rows of a group that ends in a reduction along the last axes; 0: it does not. */
static int64_t rows_of(const situ_build *b, const situ_work *w)
{
    if (w->kind != SITU_WORK_GROUP || w->reduction < 0) return 0;
    const situ_val *v = b->val[w->reduction], *x = b->val[v->in[0]];
    const situ_reduce_attr *a = situ_node_attr(v->node);
    int64_t rows = 1, inner = 1;
    for (int i = 0; i < a->first; i++) rows *= x->dim[i];
    for (int i = a->first + a->count; i < x->ndim; i++) inner *= x->dim[i];
    return inner == 1 ? rows : 0;
}

/* True for random numbers of 32 bits in JAX's original layout: the CPU makes them in pairs, half an array apart. */
static bool makes_pairs(const situ_build *b, const situ_work *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        const situ_val *v = b->val[w->member[i]];
        if (v->family != SITU_GENERATE || !v->nin) continue;
        const situ_random_attr *a = situ_node_attr(v->node);
        if (v->dtype == SITU_U32 && !a->partitionable) return true;
    }
    return false;
}

static int32_t position_of(const situ_build *b, const situ_val *v) { return v->step < 0 ? -1 : b->work[v->step].position; }

/* True if row r of the domain reads only row r of x, a result of the program. */
static bool reads_in_row(const situ_build *b, const situ_val *x, const situ_val *domain, int lead, int64_t rows)
{
    const situ_val *base = b->val[x->base];
    int base_lead = leading(base, rows);
    int64_t stride[SITU_MAX_DIMS];
    if (base_lead < 0 || x->offset || x->dynamic >= 0) return false;
    if (!situ_stride_broadcast(x->ndim, x->dim, x->stride, domain->ndim, domain->dim, stride)) return false;
    int64_t length = length_of(base, base_lead), row = length, reach = 0;
    for (int i = lead; i-- > 0; row *= domain->dim[i])
        if (domain->dim[i] > 1 && stride[i] != row) return false;
    for (int i = lead; i < domain->ndim; i++) {
        if (stride[i] < 0) return false;
        reach += stride[i] * (domain->dim[i] - 1);
    }
    return reach < length;
}

/* May the step at this position join the program that begins at `first`? */
static bool continues(const situ_build *b, int32_t first, int32_t at, int64_t rows, bool *related)
{
    const situ_work *w = &b->work[b->order[at]];
    if (w->kind != SITU_WORK_GROUP || w->dev != b->work[b->order[first]].dev || w->update || w->final || makes_pairs(b, w))
        return false;
    const situ_val *domain = b->val[w->domain];
    int lead = leading(domain, rows);
    if (lead < 0 || !situ_val_count(domain) || (w->reduction >= 0 && rows_of(b, w) != rows)) return false;
    for (uint32_t i = 0; i < w->externals; i++) {
        const situ_val *x = b->val[w->external[i]];
        if (position_of(b, b->val[x->base]) < first) continue;
        *related = true;
        if (!reads_in_row(b, x, domain, lead, rows)) return false;
    }
    return true;
}

/* Results that only the program reads need no memory; its operands and other results live until its end. */
static void set_lifetime(situ_val *v, bool inside, int32_t first, int32_t end, int *locals)
{
    bool needed = v->stored || v->asked || v->assigned || v->foreign;
    if (v->last < first || v->last >= end) return;
    v->last = end - 1;
    if (!inside || needed || *locals == SITU_ROW_LOCALS) return;
    v->local = true;
    ++*locals;
}

static void set_lifetimes(situ_build *b, int32_t first, int32_t end)
{
    int locals = 0;
    for (int32_t at = first; at < end; at++) {
        const situ_work *w = &b->work[b->order[at]];
        for (uint32_t k = 0; k < situ_work_values(w); k++) set_lifetime(b->val[situ_work_value(w, k)], true, first, end, &locals);
        if (w->reduction >= 0 && b->val[w->reduction]->last < 0) b->val[w->reduction]->last = end - 1;
        for (uint32_t i = 0; i < w->externals; i++) {
            situ_val *x = b->val[b->val[w->external[i]]->base];
            if (!x->local) set_lifetime(x, false, first, end, &locals);
        }
    }
}

int64_t situ_build_program_rows(const situ_build *b, const situ_work *first)
{
    return situ_val_count(b->val[first->reduction >= 0 ? (uint32_t)first->reduction : first->domain]);
}

/* Number of rows of a program that begins with this group; 0: it begins none. */
static int64_t rows_from(const situ_build *b, const situ_work *w)
{
    if (!b->fusing || w->kind != SITU_WORK_GROUP || !b->plan->dev[w->dev]->backend->row_programs) return 0;
    int64_t elements = situ_val_count(b->val[w->domain]), rows = w->reduction < 0 ? elements : rows_of(b, w);
    return elements < (w->reduction < 0 ? LEAST_FLAT : LEAST_ELEMENTS) || rows < LEAST_ROWS ? 0 : rows;
}

int situ_build_rows(situ_build *b)
{
    for (int32_t at = 0; at < (int32_t)b->nwork; at++) {
        situ_work *w = &b->work[b->order[at]];
        int64_t rows = rows_from(b, w);
        bool related = false;
        if (!rows) continue;
        if (!continues(b, at, at, rows, &related)) continue;
        int32_t end = at + 1;
        uint32_t words = w->words;
        for (; end < (int32_t)b->nwork && end - at < SITU_ROW_STAGES; end++) {
            const situ_work *next = &b->work[b->order[end]];
            related = false;
            if (words + next->words > MOST_WORDS || !continues(b, at, end, rows, &related) || !related) break;
            words += next->words;
        }
        if (end - at < 2) continue;
        w->until = end;
        set_lifetimes(b, at, end);
        at = end - 1;
    }
    return 0;
}
