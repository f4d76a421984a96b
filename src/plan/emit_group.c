/* emit: writes the members of a group as instructions, loads, words and stores. */
#include "plan/emit.h"

#include <string.h>

#include "op/generate.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

void situ_emit_name(char *name, size_t size, size_t *used, const char *between, const char *text)
{
    for (const char *from[] = {*used ? between : "", text}, **at = from; at < from + 2; at++) {
        size_t n = strlen(*at);
        if (n > size - 1 - *used) n = size - 1 - *used;
        memcpy(name + *used, *at, n);
        *used += n;
    }
    name[*used] = 0;
}

static int add(situ_emitter *e, situ_instruction i)
{
    if (e->g.ninstruction >= SITU_FUSED_INSTRUCTIONS) {
        e->b->failed = true;
        return 0;
    }
    e->g.instruction[e->g.ninstruction] = i;
    return e->g.ninstruction++;
}

static int load_of(situ_emitter *e, uint32_t x)
{
    for (int i = 0; i < e->g.nload; i++)
        if (e->loaded[i] == x) return i;
    if (e->g.nload == SITU_FUSED_LOADS) {
        e->b->failed = true;
        return 0;
    }
    const situ_val *v = e->b->val[x & ~SITU_EMIT_KEY];
    e->g.load[e->g.nload] = (situ_load){.dtype = v->dtype};
    e->load_register[e->g.nload] = -1;
    e->loaded[e->g.nload] = x;
    return e->g.nload++;
}

static int word_of(situ_emitter *e, situ_word_source w)
{
    if (e->g.nword == SITU_FUSED_WORDS) {
        e->b->failed = true;
        return 0;
    }
    e->word[e->g.nword] = w;
    return e->g.nword++;
}

situ_word_source situ_emit_word(const situ_val *v, uint32_t k)
{
    return (situ_word_source){v->walk, k, v->walk < 0 ? situ_node_word(v->node)[k] : 0};
}

/* The register that holds x, converted to logical dtype d. */
static int as(situ_emitter *e, uint32_t x, situ_dtype d)
{
    const situ_val *v = e->b->val[x];
    if (v->scalar) {
        int word = word_of(e, situ_emit_word(v, 0));
        return add(e, (situ_instruction){.kind = SITU_DO_ARGUMENT, .dtype = (uint8_t)d, .a = (uint8_t)word, .b = v->kind == 2});
    }
    int r = v->member;
    if (r < 0) {
        int l = load_of(e, x);
        if (e->load_register[l] < 0) {
            situ_stride_broadcast(v->ndim, v->dim, v->stride, e->g.ndim, e->g.dim, e->g.load[l].stride);
            e->load_register[l] = add(e, (situ_instruction){.kind = SITU_DO_LOAD, .dtype = v->dtype, .a = (uint8_t)l});
        }
        r = e->load_register[l];
    }
    if (v->dtype == d) return r;
    return add(e, (situ_instruction){.kind = SITU_DO_CAST, .dtype = (uint8_t)d, .from = v->dtype, .a = (uint8_t)r});
}

static int emit_element(situ_emitter *e, const situ_val *v)
{
    situ_el_kind kind = situ_el_rows[v->op->code].kind;
    situ_dtype d = situ_val_compute(e->b, v);
    if (kind >= SITU_EL_TO_F32) d = (situ_dtype)e->b->val[v->in[0]]->dtype;
    uint8_t r[3] = {0};
    for (uint32_t i = 0; i < v->nin && i < 3; i++)
        r[i] = (uint8_t)as(e, v->in[i], kind == SITU_EL_SELECT && i == 0 ? SITU_BOOL : d);
    int out = add(e,
        (situ_instruction){.kind = SITU_DO_ELEMENT,
            .dtype = v->dtype,
            .from = (uint8_t)situ_dtype_compute(d),
            .a = r[0],
            .b = r[1],
            .c = r[2],
            .el = v->op->code});
    if (situ_dtype_compute((situ_dtype)v->dtype) == (situ_dtype)v->dtype) return out;
    return add(e, (situ_instruction){.kind = SITU_DO_CAST, .dtype = v->dtype, .from = v->dtype, .a = (uint8_t)out});
}

static int emit_generate(situ_emitter *e, const situ_val *v)
{
    if (v->op == &situ_op_iota) {
        const situ_iota_attr *a = situ_node_attr(v->node);
        int64_t inner = 1;
        for (int i = a->axis + 1; i < v->ndim; i++) inner *= v->dim[i];
        int64_t size = v->ndim ? v->dim[a->axis] : 1;
        return add(e, (situ_instruction){.kind = SITU_DO_IOTA, .dtype = v->dtype, .p = inner ? inner : 1, .q = size ? size : 1});
    }
    if (v->op == &situ_op_fill) {
        const situ_fill_attr *a = situ_node_attr(v->node);
        int word = word_of(e, situ_emit_word(v, 0));
        return add(e, (situ_instruction){.kind = SITU_DO_ARGUMENT, .dtype = v->dtype, .a = (uint8_t)word, .b = a->floating != 0});
    }
    const situ_random_attr *a = situ_node_attr(v->node);
    int l = load_of(e, v->in[0] | SITU_EMIT_KEY);
    memset(e->g.load[l].stride, 0, sizeof e->g.load[l].stride);
    return add(e,
        (situ_instruction){
            .kind = SITU_DO_RANDOM, .dtype = v->dtype, .a = (uint8_t)l, .p = a->partitionable, .q = situ_val_count(v)});
}

static void emit_member(situ_emitter *e, uint32_t id)
{
    situ_val *v = e->b->val[id];
    int r;
    if (v->family == SITU_ELEMENTWISE) r = emit_element(e, v);
    else if (v->family == SITU_CAST) r = as(e, v->in[0], (situ_dtype)v->dtype);
    else r = emit_generate(e, v);
    v->member = r;
    situ_emit_name(e->name, sizeof e->name, &e->named, "+", v->op->name);
}

situ_address situ_emit_address(const situ_build *b, uint32_t x)
{
    const situ_val *v = b->val[x];
    if (b->val[v->base]->local) return (situ_address){.dynamic = -1}; /* the row program assigns its memory */
    return (situ_address){.place = (uint32_t)b->val[v->base]->place,
        .dynamic = v->dynamic,
        .offset = v->offset * (int64_t)situ_dtype_size((situ_dtype)v->dtype),
        .dtype = v->dtype};
}

situ_address situ_emit_result(const situ_build *b, uint32_t x)
{
    situ_address a = situ_emit_address(b, x);
    a.written = situ_val_count(b->val[x]) * (int64_t)situ_dtype_size((situ_dtype)b->val[x]->dtype);
    return a;
}

static void emit_reduce(situ_emitter *e)
{
    situ_fused *g = &e->g;
    const situ_val *v = e->b->val[e->work->reduction], *x = e->b->val[v->in[0]];
    const situ_reduce_attr *a = situ_node_attr(v->node);
    bool half = v->dtype == SITU_F16 || v->dtype == SITU_BF16;
    situ_dtype acc = half ? SITU_F32 : (situ_dtype)v->dtype;
    g->reduction = v->op->code;
    g->reduce_register = (uint8_t)as(e, v->in[0], acc);
    g->reduce_dtype = (uint8_t)acc;
    g->reduce_out = v->dtype;
    g->may_lose_nan = a->may_lose_nan;
    g->A = g->R = g->C = 1;
    for (int i = 0; i < x->ndim; i++) *(i < a->first ? &g->A : i < a->first + a->count ? &g->R : &g->C) *= x->dim[i];
    e->address[e->naddress++] = situ_emit_result(e->b, (uint32_t)e->work->reduction);
    situ_emit_name(e->name, sizeof e->name, &e->named, "+", v->op->name);
}

/* An empty emitter, in the memory of the previous one if that is free; its arrays are written before they are read.
 * NULL: failed. */
static situ_emitter *open_emitter(situ_build *b, int32_t self)
{
    situ_emitter *e = b->spare ? b->spare : situ_build_alloc(b, sizeof *e);
    if (!e) return NULL;
    b->spare = NULL;
    const situ_work *w = &b->work[self];
    const situ_val *domain = b->val[w->domain];
    e->b = b;
    e->work = w;
    e->naddress = 0;
    e->named = 0;
    e->name[0] = 0;
    situ_fused *g = &e->g;
    g->ninstruction = g->nload = g->nstore = g->nword = 0;
    g->guarded = w->kind == SITU_WORK_GROUP && w->update && b->plan->dev[w->dev]->backend->guard;
    g->reduction = -1;
    g->reduce_register = g->reduce_dtype = g->reduce_out = 0;
    g->may_lose_nan = false;
    g->A = g->R = g->C = 0;
    g->ndim = domain->ndim;
    memcpy(g->dim, domain->dim, 8 * (size_t)domain->ndim);
    return e;
}

situ_emitter *situ_emit_group(situ_build *b, int32_t self)
{
    situ_emitter *e = open_emitter(b, self);
    if (!e) return NULL;
    const situ_work *w = e->work;
    const situ_val *domain = b->val[w->domain];
    if (w->kind == SITU_WORK_CALL && b->val[w->called]->local) load_of(e, w->called);
    for (uint32_t i = 0; i < w->count; i++) emit_member(e, w->member[i]);
    e->last = w->count ? b->val[w->domain]->member : -1;
    int32_t reported_as = -1;
    for (uint32_t i = 0; i < w->count; i++) {
        const situ_val *v = b->val[w->member[i]];
        if (v->reported_as >= 0) reported_as = v->reported_as;
        if (v->place < 0 && !v->local) continue;
        e->g.store[e->g.nstore].from_register = (uint8_t)v->member;
        e->g.store[e->g.nstore++].dtype = v->dtype;
        e->address[e->naddress++] = situ_emit_result(b, w->member[i]);
    }
    if (w->reduction >= 0) {
        emit_reduce(e);
        if (b->val[w->reduction]->reported_as >= 0) reported_as = b->val[w->reduction]->reported_as;
    }
    double traffic = 0, count = (double)situ_val_count(domain);
    for (int i = 0; i < e->g.nload; i++) {
        e->address[e->naddress++] = situ_emit_address(b, e->loaded[i] & ~SITU_EMIT_KEY);
        if (b->val[b->val[e->loaded[i] & ~SITU_EMIT_KEY]->base]->local) continue;
        traffic +=
            (double)situ_val_count(b->val[e->loaded[i] & ~SITU_EMIT_KEY]) * (double)situ_dtype_size((situ_dtype)e->g.load[i].dtype);
    }
    for (uint32_t i = 0; i < w->count; i++) {
        situ_val *v = b->val[w->member[i]];
        if (v->place >= 0) traffic += count * (double)situ_dtype_size((situ_dtype)v->dtype);
        v->member = -1;
    }
    e->node = reported_as;
    e->traffic = traffic;
    return b->failed ? NULL : e;
}
