/* emit: compiles the steps and writes their tables of addresses and words. */
#include "plan/emit.h"

#include <string.h>

#include "op/index.h"
#include "op/table.h"
#include "plan/cost.h"
#include "tensor/dtype.h"

static int push_step(situ_build *b, const situ_plan_step *s, const situ_address *address, const situ_word_source *word)
{
    situ_plan *p = b->plan;
    situ_plan_step *step = situ_plan_push(b, (void **)&p->step, &p->nstep, sizeof *step);
    if (!step) return -1;
    *step = *s;
    step->kernel = NULL; /* still owned by the caller until the step is complete */
    step->address = p->naddress;
    step->word = p->nword;
    bool moves = s->kind == SITU_PLAN_COPY || (s->name && !strcmp(s->name, situ_op_contiguous.name));
    step->ordinal = moves ? 0 : ++p->ordinals;
    for (uint32_t i = 0; i < s->naddress; i++) {
        situ_address *a = situ_plan_push(b, (void **)&p->address, &p->naddress, sizeof *a);
        if (!a) return -1;
        *a = address[i];
    }
    for (uint32_t i = 0; i < s->nword; i++) {
        situ_word_source *w = situ_plan_push(b, (void **)&p->word, &p->nword, sizeof *w);
        if (!w) return -1;
        *w = word[i];
    }
    step->kernel = s->kernel;
    p->can_fail |= s->can_fail;
    p->cost += situ_cost_step(s->flops, s->traffic);
    return 0;
}

static struct situ_dims *dims_copy(situ_build *b, const situ_val *v)
{
    struct situ_dims *d = situ_arena_alloc(&b->plan->arena, sizeof *d);
    if (!d) return NULL;
    d->ndim = v->ndim;
    memcpy(d->dim, v->dim, 8 * (size_t)v->ndim);
    return d;
}

/* Shape and dtype of the step's result, for comparing runs (`situ diff`). */
static struct situ_dims *dims_of(situ_build *b, const situ_work *w)
{
    return b->plan->apart ?
        dims_copy(b, b->val[w->reduction >= 0 && w->kind == SITU_WORK_GROUP ? (uint32_t)w->reduction : w->domain]) :
        NULL;
}

static char *text_copy(situ_build *b, const char *text)
{
    char *copy = situ_arena_alloc(&b->plan->arena, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* ---- equal groups share a kernel ---------------------------------------------------------------------------------- */

typedef struct situ_made {
    situ_hash hash;
    uint32_t step;
} situ_made; /* step: 1 + its index */
enum { MADE = 1024 };

static situ_hash hash_group(const situ_fused *g, const situ_work *w)
{
    situ_hash h = situ_hash_start((uint64_t)w->dev << 1 | g->guarded);
    situ_hash_bytes(&h, g->dim, 8 * (size_t)g->ndim);
    situ_hash_bytes(&h, g->instruction, (size_t)g->ninstruction * sizeof *g->instruction);
    situ_hash_bytes(&h, g->store, (size_t)g->nstore * sizeof *g->store);
    for (int i = 0; i < g->nload; i++) {
        situ_hash_word(&h, g->load[i].dtype);
        situ_hash_bytes(&h, g->load[i].stride, 8 * (size_t)g->ndim);
    }
    situ_hash_word(&h, (uint64_t)(uint32_t)g->nword << 32 | (uint32_t)g->reduction);
    situ_hash_word(&h,
        (uint64_t)g->reduce_register | (uint64_t)g->reduce_dtype << 8 | (uint64_t)g->reduce_out << 16 |
            (uint64_t)g->may_lose_nan << 24);
    for (const int64_t *size[] = {&g->A, &g->R, &g->C}, **at = size; at < size + 3; at++) situ_hash_word(&h, (uint64_t) * *at);
    return situ_hash_end(&h);
}

/* The hash-table slot for a group with this hash, which holds its kernel or is empty. */
static situ_made *made_place(situ_build *b, situ_hash h)
{
    if (!b->made) b->made = situ_build_alloc(b, MADE * sizeof *b->made);
    return b->made ? &b->made[h.a % MADE] : NULL;
}

/* Compiles a group; equal groups share a kernel, since kernels are immutable. */
static void *compile_group(situ_build *b, const situ_work *w, situ_kernel_desc *desc, bool *lent)
{
    situ_dev *dev = b->plan->dev[w->dev];
    situ_hash h = hash_group(desc->group, w);
    situ_made *at = made_place(b, h);
    *lent = at && at->step && situ_hash_equal(at->hash, h);
    if (*lent) return b->plan->step[at->step - 1].kernel;
    if (at) *at = (situ_made){h, b->plan->nstep + 1};
    return dev->backend->compile(dev, desc);
}

/* Raises the error that the backend has no kernel, with the operation and its line. */
static int no_kernel(const situ_build *b, int32_t node)
{
    situ_error e;
    if (situ_error_code != SITU_UNSUPPORTED) return -1;
    situ_error_take(&e);
    situ_fail(e.code, node >= 0 && b->walk->node[node]->site ? b->walk->node[node]->site : b->site, "%s", e.message);
    return -1;
}

/* s: the fields of the step that do not depend on the kernel. */
static int push_kernel(situ_build *b, const situ_work *w, situ_kernel_desc *desc, situ_plan_step s, const situ_address *address,
    const situ_word_source *word)
{
    situ_dev *dev = b->plan->dev[w->dev];
    s.kind = SITU_PLAN_KERNEL;
    s.device = (uint8_t)w->dev;
    s.update = w->update;
    s.waits_for = -1;
    s.naddress = (uint32_t)desc->naddress;
    s.nword = (uint32_t)desc->nargument;
    s.flops = desc->flops;
    s.traffic = desc->bytes;
    s.beside = w->beside;
    s.lane = w->lane;
    s.lanes = w->lanes;
    s.result = dims_of(b, w);
    s.kernel = desc->group && !desc->call ? compile_group(b, w, desc, &s.lent) : dev->backend->compile(dev, desc);
    s.name = text_copy(b, desc->name);
    if (!s.kernel) return no_kernel(b, s.node);
    if (!push_step(b, &s, address, word)) return 0;
    if (!s.lent) dev->backend->drop(dev, s.kernel);
    return -1;
}

static double flops_of(const situ_emitter *e)
{
    double count = e->g.ninstruction;
    for (int i = 0; i < e->g.ndim; i++) count *= (double)e->g.dim[i];
    return count;
}

/* Reserves a kernel's workspace at the end of the arena; its address is the last one. */
static int add_workspace(situ_build *b, int dev, situ_kernel_desc *desc, situ_address *address)
{
    if (!desc->workspace) return 0;
    int64_t at = (b->plan->arena_bytes[dev] + 255) / 256 * 256;
    situ_place *p = situ_plan_push(b, (void **)&b->plan->place, &b->plan->nplace, sizeof *p);
    if (!p) return -1;
    *p = (situ_place){SITU_PLACE_ARENA, 0, (uint8_t)dev, at};
    b->plan->arena_bytes[dev] = at + (int64_t)desc->workspace;
    address[desc->naddress++] = (situ_address){.place = b->plan->nplace - 1, .dynamic = -1};
    return 0;
}

static int emit_group(situ_build *b, int32_t self)
{
    situ_emitter *e = situ_emit_group(b, self);
    if (!e) return -1;
    const situ_backend *backend = b->plan->dev[e->work->dev]->backend;
    situ_kernel_desc desc = {.name = e->name,
        .group = &e->g,
        .naddress = e->naddress,
        .nargument = e->g.nword,
        .flops = flops_of(e),
        .bytes = e->traffic};
    desc.workspace = backend->workspace ? backend->workspace(&desc) : 0;
    if (add_workspace(b, e->work->dev, &desc, e->address)) return -1;
    b->spare = e;
    return push_kernel(b, e->work, &desc, (situ_plan_step){.node = e->node}, e->address, e->word);
}

/* ---- row programs ------------------------------------------------------------------------------------------------- */

typedef struct program {
    situ_build *b;
    situ_row_program row_program;
    uint32_t local[SITU_ROW_LOCALS]; /* [local] values */
    situ_address *address;           /* addresses of all stages */
    uint32_t *value;                 /* [address] the value stored there */
    situ_word_source *word;
    int naddress, nword;
    int32_t node;
    double flops, traffic;
    size_t named;
    char name[400];
} program;

static int64_t row_bytes(const situ_build *b, uint32_t x, int64_t rows)
{
    const situ_val *v = b->val[x];
    return situ_val_count(v) / rows * (int64_t)situ_dtype_size((situ_dtype)v->dtype);
}

/* The index of a local value in the program. */
static int local_of(program *p, uint32_t x)
{
    for (int i = 0; i < p->row_program.nlocal; i++)
        if (p->local[i] == x) return i;
    p->local[p->row_program.nlocal] = x;
    p->row_program.local[p->row_program.nlocal] = row_bytes(p->b, x, p->row_program.rows);
    return p->row_program.nlocal++;
}

/* The value at address k of a group, in the order of situ_emit_group. */
static uint32_t value_at(const situ_emitter *e, int k)
{
    for (uint32_t i = 0; i < e->work->count; i++) {
        const situ_val *v = e->b->val[e->work->member[i]];
        if ((v->place >= 0 || v->local) && k-- == 0) return e->work->member[i];
    }
    if (e->work->reduction >= 0 && k-- == 0) return (uint32_t)e->work->reduction;
    return e->b->val[e->loaded[k] & ~SITU_EMIT_KEY]->base;
}

static int add_stage(program *p, int32_t self)
{
    situ_emitter *e = situ_emit_group(p->b, self);
    int16_t *map = e ? situ_build_alloc(p->b, 2 * (size_t)e->naddress * sizeof *map + 1) : NULL;
    if (!map) return -1;
    int16_t *memory = map + e->naddress;
    int64_t count = 1;
    for (int i = 0; i < e->g.ndim; i++) count *= e->g.dim[i];
    situ_stage *s = &p->row_program.stage[p->row_program.nstage++];
    *s = (situ_stage){.group = &e->g,
        .length = count / p->row_program.rows,
        .naddress = e->naddress,
        .word = p->nword,
        .address = map,
        .memory = memory};
    for (int k = 0; k < e->naddress; k++) {
        uint32_t x = value_at(e, k);
        if (p->b->val[x]->local) {
            memory[k] = map[k] = (int16_t)(-1 - local_of(p, x));
            continue;
        }
        while (memory[k] < p->naddress && p->value[memory[k]] != x) memory[k]++;
        map[k] = (int16_t)p->naddress;
        p->value[p->naddress] = x;
        p->address[p->naddress++] = e->address[k];
    }
    memcpy(p->word + p->nword, e->word, (size_t)e->g.nword * sizeof *p->word);
    p->nword += e->g.nword;
    p->node = e->node >= 0 ? e->node : p->node;
    p->flops += flops_of(e);
    p->traffic += e->traffic;
    situ_emit_name(p->name, sizeof p->name, &p->named, " | ", e->name);
    return 0;
}

static int emit_row_program(situ_build *b, uint32_t first)
{
    const situ_work *w = &b->work[b->order[first]];
    int32_t stages = w->until - (int32_t)first;
    program *p = situ_build_alloc(b, sizeof *p);
    if (!p) return -1;
    p->b = b;
    p->node = -1;
    size_t addresses = (size_t)stages * (SITU_FUSED_LOADS + SITU_FUSED_STORES + 1) + 1;
    p->address = situ_build_alloc(b, addresses * sizeof *p->address);
    p->value = situ_build_alloc(b, addresses * sizeof *p->value);
    p->word = situ_build_alloc(b, (size_t)stages * SITU_FUSED_WORDS * sizeof *p->word);
    if (!p->address || !p->value || !p->word) return -1;
    p->row_program.rows = situ_build_program_rows(b, w);
    for (int32_t i = 0; i < stages; i++)
        if (add_stage(p, (int32_t)b->order[first + (uint32_t)i])) return -1;
    situ_kernel_desc desc = {.name = p->name,
        .row_program = &p->row_program,
        .naddress = p->naddress,
        .nargument = p->nword,
        .flops = p->flops,
        .bytes = p->traffic};
    const situ_backend *backend = b->plan->dev[w->dev]->backend;
    desc.workspace = backend->workspace ? backend->workspace(&desc) : 0;
    if (add_workspace(b, w->dev, &desc, p->address)) return -1;
    return push_kernel(b, w, &desc, (situ_plan_step){.node = p->node}, p->address, p->word);
}

/* Copies attributes: kernels live as long as the plan, but nodes only as long as their scope. */
static const void *attr_copy(situ_build *b, const situ_tensor *t)
{
    void *copy = situ_arena_alloc(&b->plan->arena, (size_t)t->attr_size + 1);
    return copy && t->attr_size ? memcpy(copy, situ_node_attr(t), t->attr_size) : copy;
}

static bool describe_call(situ_build *b, const situ_work *w, const void *attr, situ_call_desc *call)
{
    const situ_val *v = b->val[w->called];
    *call =
        (situ_call_desc){.op = v->op, .attr = attr, .nin = (int)v->nin, .out = situ_val_layout(v), .invariant = v->node->invariant};
    if (!(call->in = situ_build_alloc(b, (v->nin + 1u) * sizeof *call->in))) return false;
    for (uint32_t i = 0; i < v->nin; i++) call->in[i] = situ_val_layout(b->val[v->in[i]]);
    return true;
}

/* True if a part is written into the old value's memory, whose other elements stay. */
static bool writes_over(const situ_build *b, const situ_val *v)
{
    const situ_place *p = v->op->part && !v->op->can_fail && v->place >= 0 ? &b->plan->place[v->place] : NULL;
    if (!p || p->kind != SITU_PLACE_SLOT) return false;
    const situ_val *x = b->val[b->val[v->in[0]]->base];
    int32_t old = b->walk->assignment[p->of].old;
    return x->place == v->place || (old >= 0 && x == b->val[b->value_of[old]]);
}

bool situ_build_takes(situ_build *b, int32_t self)
{
    const situ_work *w = &b->work[self];
    const situ_val *last = b->val[w->domain];
    situ_dev *dev = b->plan->dev[w->dev];
    situ_call_desc call;
    situ_emitter *e = situ_emit_group(b, self);
    if (!e) return false;
    b->spare = e;
    e->g.nstore = 1; /* for asking the backend: memory is not laid out yet */
    e->g.store[0].from_register = (uint8_t)e->last;
    e->g.store[0].dtype = last->dtype;
    return describe_call(b, w, situ_node_attr(b->val[w->called]->node), &call) && dev->backend->takes(dev, &call, &e->g);
}

/* Adds the post-op of a call: its addresses and words follow the call's. If the call's own result has no memory, it is
 * computed in the post-op's result. */
static void add_post_op(
    const situ_emitter *e, bool local, situ_kernel_desc *desc, situ_address *address, situ_word_source *word, char *name)
{
    size_t named = 0;
    situ_emit_name(name, sizeof e->name, &named, "", desc->name);
    situ_emit_name(name, sizeof e->name, &named, local ? "+" : " | ", e->name);
    desc->name = name;
    desc->group = &e->g;
    memcpy(address + desc->naddress, e->address, (size_t)e->naddress * sizeof *address);
    memcpy(word + desc->nargument, e->word, (size_t)e->g.nword * sizeof *word);
    if (local) {
        address[0] = address[desc->naddress + 1] = e->address[0];
        address[desc->naddress + 1].written = 0;
    }
    desc->naddress += e->naddress;
    desc->nargument += e->g.nword;
    desc->flops += flops_of(e);
    desc->bytes += e->traffic;
}

static int emit_call(situ_build *b, int32_t self)
{
    const situ_work *w = &b->work[self];
    const situ_val *v = b->val[w->called];
    const situ_backend *backend = b->plan->dev[w->dev]->backend;
    bool has_post_op = w->count || w->reduction >= 0;
    situ_emitter *e = has_post_op ? situ_emit_group(b, self) : NULL;
    situ_call_desc call;
    const void *attr = attr_copy(b, v->node);
    size_t more = e ? (size_t)e->naddress : 0, words = e ? (size_t)e->g.nword : 0;
    situ_address *address = situ_build_alloc(b, (v->nin + more + 2) * sizeof *address);
    situ_word_source *word = situ_build_alloc(b, (v->node->nword + words + 1) * sizeof *word);
    if (!attr || !address || !word || (!e && has_post_op) || !describe_call(b, w, attr, &call)) return -1;
    situ_kernel_desc desc = {.name = v->op->name, .call = &call, .naddress = 1 + (int)v->nin, .nargument = v->node->nword};
    call.over = writes_over(b, v);
    call.guarded = w->update && backend->guard;
    if (!v->local) address[0] = situ_emit_result(b, w->called);
    desc.bytes = (double)address[0].written;
    for (uint32_t i = 0; i < v->nin; i++) {
        address[1 + i] = situ_emit_address(b, v->in[i]);
        /* Of a lookup it reads no more than the result has. */
        bool some = !i && (v->op == &situ_op_take || v->op == &situ_op_gather);
        int64_t bytes = situ_val_bytes(b->val[v->in[i]]);
        desc.bytes += (double)(some && situ_val_bytes(v) < bytes ? situ_val_bytes(v) : bytes);
    }
    if (call.over) desc.bytes = 2 * (double)situ_val_bytes(b->val[v->in[v->nin - 1]]);
    if (v->op == &situ_op_checked) desc.name = b->walk->node[v->reported_as]->op->name;
    desc.flops = v->op->flops ? v->op->flops(&call) : desc.bytes;
    for (uint32_t i = 0; i < v->node->nword; i++) word[i] = situ_emit_word(v, i);
    char name[sizeof e->name];
    if (e) add_post_op(e, v->local, &desc, address, word, name);
    desc.workspace = backend->workspace ? backend->workspace(&desc) : v->op->workspace ? v->op->workspace(&call) : 0;
    if (add_workspace(b, w->dev, &desc, address)) return -1;
    situ_plan_step s = {.can_fail = v->op->can_fail, .node = v->reported_as >= 0 ? v->reported_as : b->val[w->domain]->reported_as};
    if (s.can_fail && v->nin > 1 && situ_dtype_is_integer((situ_dtype)call.in[1].dtype)) s.indices = dims_copy(b, b->val[v->in[1]]);
    s.labels = situ_takes_labels(&call);
    s.large = s.indices && call.in[1].dtype == SITU_U64;
    if (e) b->spare = e;
    return push_kernel(b, w, &desc, s, address, word);
}

static int emit_copy(situ_build *b, int32_t self)
{
    const situ_work *w = &b->work[self];
    const situ_val *v = b->val[w->domain], *x = b->val[v->in[0]], *from = b->val[x->base];
    situ_address address[2] = {situ_emit_result(b, w->domain), situ_emit_address(b, v->in[0])};
    situ_plan_step s = {.kind = SITU_PLAN_COPY,
        .device = (uint8_t)w->dev,
        .from_device = (uint8_t)x->dev,
        .waits_for = -1,
        .node = v->reported_as,
        .naddress = 2,
        .name = text_copy(b, "copy")};
    s.bytes = situ_val_count(v) * (int64_t)situ_dtype_size((situ_dtype)v->dtype);
    s.traffic = (double)s.bytes;
    if (from->step >= 0) {
        s.waits_for = b->work[from->step].position;
        b->plan->step[s.waits_for].signals = true;
    }
    return push_step(b, &s, address, NULL);
}

int situ_build_emit(situ_build *b)
{
    for (uint32_t i = 0; i < b->nwork; i++) {
        int32_t self = (int32_t)b->order[i];
        int kind = b->work[self].kind;
        int32_t until = b->work[self].until;
        if (kind == SITU_WORK_NONE) continue;
        b->work[self].position = (int32_t)b->plan->nstep; /* from now on `position` is the index of its step */
        for (int32_t k = (int32_t)i + 1; k < until; k++) b->work[b->order[k]].position = (int32_t)b->plan->nstep;
        int rc = until              ? emit_row_program(b, i) :
            kind == SITU_WORK_GROUP ? emit_group(b, self) :
            kind == SITU_WORK_CALL  ? emit_call(b, self) :
                                      emit_copy(b, self);
        if (rc)
            return situ_fail(
                SITU_NO_MEMORY, b->site, "the planner could not make a kernel for %s", b->val[b->work[self].domain]->op->name);
        if (until) i = (uint32_t)until - 1;
    }
    for (uint32_t i = 0; i < b->count && b->plan->nmerged; i++) {
        const situ_val *v = b->val[i];
        int32_t step = v->merged && v->step >= 0 ? b->work[v->step].position : -1;
        if (step >= 0 && step < (int32_t)b->plan->nstep) b->plan->step[step].merged += v->merged;
    }
    return 0;
}
