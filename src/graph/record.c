#include "graph/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "base/memory.h"
#include "base/parts.h"
#include "base/runtime.h"
#include "device/device.h"
#include "device/virtual.h"
#include "graph/op.h"
#include "graph/operand.h"
#include "graph/owned.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* The poisoned node has the maximal number of axes, with sizes that divide each other: a composition that fails in the
 * middle may still look at the sizes of an intermediate result. */
static situ_tensor poisoned_node = {
    .op = &situ_op_poison, .alive = SITU_NODE_ALIVE, .flags = SITU_NODE_POISON, .dtype = SITU_F32, .dim = {1, 1, 1, 1, 1, 1, 1, 1}};

situ_tensor *situ_poisoned(void) { return &poisoned_node; }

situ_tensor *situ_poisoned_by(const situ_failure *f)
{
    situ_tensor *t = situ_node_new(&situ_op_poison, 0, 0, 0, 0, NULL);
    if (!t) return situ_poisoned();
    t->flags |= SITU_NODE_POISON;
    t->dtype = SITU_F32;
    situ_aside *aside = situ_node_make_aside(t);
    if (!aside) return situ_poisoned();
    aside->failure = f;
    return t;
}

static situ_tensor *no_room(const situ_op *op, situ_site site)
{
    situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory for the graph", op->name);
    return NULL;
}

/* SITU_DEBUG=hints: warns of a loop without a scope, whose temporaries are only freed when the thread ends. */
static void hint_loop(const situ_scope *scope, situ_site site)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (scope->count < SITU_MOST_PENDING || !situ_hints() || atomic_flag_test_and_set(&told)) return;
    situ_hint(site,
        "%u tensors were recorded %s, and none of them is freed before it ends; open a scope in each turn of a loop, and close "
        "it" SITU_SAY(": situ_scope *scope = situ_scope_open(); ... situ_scope_close(scope);", ""),
        scope->count, scope->parent ? "in one scope" : "outside of any scope, where they belong to the thread");
}

static bool grow_list(situ_scope *scope, situ_site site)
{
    hint_loop(scope, site);
    uint32_t more = scope->capacity ? scope->capacity * 2 : 256;
    situ_tensor **grown = situ_realloc(scope->node, more * sizeof *grown);
    if (!grown) return false;
    scope->node = grown;
    scope->capacity = more;
    return true;
}

/* Clears in moves of 16 bytes; arenas round up to that. */
static inline void clear_node(situ_tensor *t)
{
    typedef long long pair __attribute__((vector_size(16), may_alias));
    _Pragma("GCC unroll 8") for (size_t i = 0; i < sizeof *t; i += 16) * (pair *)(void *)((char *)t + i) = (pair){0, 0};
}

/* Copies a few words, where a call of memcpy would take longer. */
static inline void copy_words(void *to, const void *from, int count)
{
    for (int i = 0; i < count; i++) {
        memcpy((uint64_t *)to + i, (const uint64_t *)from + i, 8);
        __asm__(""); /* keeps the compiler from calling memcpy */
    }
}

static inline __attribute__((always_inline)) situ_tensor *node_in(
    situ_thread *th, const situ_op *op, int ndim, int nin, int nword, size_t attr_size, situ_site site)
{
    situ_scope *scope = th->scope;
    size_t fixed = sizeof(situ_tensor) + 8 * (size_t)(ndim + nin + nword);
    situ_tensor *t;
    if (scope == &situ_owned_scope) {
        size_t bytes = (fixed + attr_size + 7) / 8 * 8;
        if (!(t = situ_owned_alloc(bytes + sizeof(situ_aside)))) return no_room(op, site);
        t->aside = (situ_aside *)(void *)((char *)t + bytes);
    } else {
        t = situ_arena_alloc(&scope->arena, fixed + attr_size);
        if (!t || (scope->count == scope->capacity && !grow_list(scope, site))) return no_room(op, site);
        scope->node[scope->count++] = t;
        __builtin_prefetch((char *)t + 512, 1);
        clear_node(t);
    }
    t->op = op;
    t->site = site;
    t->scope = scope;
    t->state = situ_node_state(SITU_NODE_ALIVE, 0);
    if (__builtin_expect(th->no_grad, 0)) t->state = situ_node_state(SITU_NODE_ALIVE, SITU_NODE_NO_GRAD);
    if (__builtin_expect(th->invariant, 0)) t->invariant = true;
    if (situ_host_on() && op->family != SITU_LEAF && !th->placeholders) situ_host_call();
    t->ndim = (uint8_t)ndim;
    t->nin = (uint16_t)nin;
    t->nword = (uint8_t)nword;
    t->attr_size = (uint16_t)attr_size;
    return t;
}

situ_tensor *situ_node_new(const situ_op *op, int ndim, int nin, int nword, size_t attr_size, situ_site site)
{
    situ_thread *th = situ_thread_get();
    return th ? node_in(th, op, ndim, nin, nword, attr_size, site) : NULL;
}

int situ_node_hold(situ_tensor *t, situ_heap *h)
{
    return situ_is_owned(t) ? situ_owned_keep_alive(t, h) : situ_scope_hold(t->scope, h);
}

int situ_scope_hold(situ_scope *scope, situ_heap *h)
{
    if (h->held_by == scope->id) return 0;
    if (scope->held_count == scope->held_capacity) {
        uint32_t more = scope->held_capacity ? scope->held_capacity * 2 : 16;
        situ_heap **grown = situ_realloc(scope->held, more * sizeof(*grown));
        if (!grown) return situ_fail(SITU_NO_MEMORY, NULL, "out of host memory for the graph");
        scope->held = grown;
        scope->held_capacity = more;
    }
    scope->held[scope->held_count++] = h;
    h->held_by = scope->id;
    atomic_fetch_add(&h->refs, 1);
    return 0;
}

static inline bool dropped(const situ_tensor *t) { return t->flags & SITU_NODE_RAN && !t->buffer && t->op->family != SITU_LEAF; }

/* True if it cannot be computed again, because a variable that it read was overwritten. */
static inline bool is_overwritten(const situ_tensor *t) { return t->flags & SITU_NODE_OVERWRITTEN && !t->buffer; }

void situ_node_set_pending(situ_tensor *t, bool pending)
{
    situ_tensor **in = situ_node_in(t);
    if (pending) t->flags = (uint16_t)((t->flags & ~SITU_NODE_RAN) | SITU_NODE_REVIVED);
    else t->flags = (uint16_t)((t->flags & ~SITU_NODE_REVIVED) | SITU_NODE_RAN);
    if (situ_is_owned(t)) (pending ? situ_owned_pend : situ_owned_ran)(t);
    for (int k = 0; k < t->nin; k++)
        if (in[k]->scope) in[k]->readers += (uint32_t)(pending ? 1 : -1);
}

static bool make_room(situ_tensor ***queue, situ_tensor **few, uint32_t count, uint32_t *space)
{
    if (count < *space) return true;
    situ_tensor **grown = situ_malloc(2u * *space * sizeof *grown);
    if (!grown) return false;
    memcpy(grown, *queue, count * sizeof *grown);
    if (*queue != few) situ_free(*queue);
    *queue = grown;
    *space *= 2;
    return true;
}

const situ_tensor *situ_node_revive(situ_tensor *t)
{
    situ_tensor *few[64], **queue = few;
    const situ_tensor *lost = is_overwritten(t) ? t : NULL;
    uint32_t count = 0, capacity = 64;
    if (!dropped(t)) return lost;
    situ_node_set_pending(queue[count++] = t, true);
    for (uint32_t i = 0; i < count && !lost; i++) {
        situ_tensor **in = situ_node_in(queue[i]);
        for (int k = 0; k < queue[i]->nin && !lost; k++) {
            if (is_overwritten(in[k])) lost = in[k];
            /* Out of memory: it is revived later, when it is read. */
            if (!dropped(in[k]) || !make_room(&queue, few, count, &capacity)) continue;
            situ_node_set_pending(queue[count++] = in[k], true);
        }
    }
    while (lost && count) situ_node_set_pending(queue[--count], false);
    if (queue != few) situ_free(queue);
    return lost;
}

static __attribute__((noinline, cold)) int fail_lost(const situ_tensor *lost, situ_tensor *t, int linked)
{
    while (linked-- > 0)
        if (situ_node_in(t)[linked]->scope) situ_node_in(t)[linked]->readers--;
    t->flags |= SITU_NODE_RAN | SITU_NODE_POISON; /* it was never recorded, so closing the scope must not release anything */
    t->nin = t->attr_size = 0;
    t->nword = 0;
    return lost ? situ_fail_overwritten(lost, t->site) : -situ_error_code;
}

/* `in` is where t stores its operands. */
static inline __attribute__((always_inline)) int link_node(situ_tensor *t, situ_tensor **in, int nin, situ_scope *scope)
{
    _Pragma("GCC unroll 3") for (int i = 0; i < nin; i++)
    {
        const situ_tensor *lost =
            !in[i]->buffer && in[i]->flags & (SITU_NODE_RAN | SITU_NODE_OVERWRITTEN) ? situ_node_revive(in[i]) : NULL;
        if (lost) return fail_lost(lost, t, i);
        if (in[i]->scope) {
            in[i]->readers++;
            continue;
        }
        if (in[i]->flags & SITU_NODE_POISON) continue;
        situ_heap *h = situ_heap_of(in[i]);
        int rc = h->held_by == scope->id && scope != &situ_owned_scope ? 0 : situ_node_hold(t, h);
        if (rc) return fail_lost(NULL, t, i);
    }
    if (scope == &situ_owned_scope) {
        situ_owned_link(t);
        if (scope->count < scope->enqueued) return 0;
    } else {
        if (scope->reads_owned)
            for (int i = 0; i < nin; i++) situ_owned_use(in[i]);
        if (scope->count - scope->enqueued < SITU_MOST_PENDING) return 0;
    }
    return scope->thread->placeholders ? 0 : situ_linked.scope_flush(scope, false);
}

int situ_node_link(situ_tensor *t) { return link_node(t, situ_node_in(t), t->nin, t->scope); }

const situ_aside situ_no_aside;

situ_aside *situ_node_make_aside(situ_tensor *t)
{
    if (t->aside) return t->aside; /* nodes on the heap and owned nodes are created with it */
    situ_aside *aside = situ_arena_alloc(&t->scope->arena, sizeof *aside);
    if (!aside) return situ_fail(SITU_NO_MEMORY, t->site, "out of host memory for the graph"), NULL;
    *aside = situ_no_aside;
    __atomic_store_n(&t->aside, aside, __ATOMIC_RELEASE);
    return aside;
}

const int64_t *situ_node_strides(situ_tensor *t, const int64_t *stride)
{
    size_t bytes = 8 * (size_t)(t->ndim + !t->ndim);
    int64_t *copy = t->scope && !situ_is_owned(t) ? situ_arena_alloc(&t->scope->arena, bytes) : situ_malloc(bytes);
    if (!copy) return situ_fail(SITU_NO_MEMORY, t->site, "out of host memory for the graph"), NULL;
    memcpy(copy, stride, 8 * (size_t)t->ndim);
    return copy;
}

__attribute__((noinline)) bool situ_usable(situ_tensor *const *in, int n, const char *op, situ_site site)
{
    int i = 0;
    if (situ_error_code) return false;
    while (i < n && in[i] && situ_alive_without(in[i], SITU_NODE_POISON)) i++;
    return i == n || situ_usable_after_all(in, n, op, site);
}

/* Finds the operands' common device (kind 0 if all are scalars); refuses scalars if the op does not take them. */
static inline int check_operands(const situ_op *op, situ_tensor *const *in, int nin, situ_site site, situ_device *device)
{
    int first = -1;
    for (int i = 0; i < nin; i++) {
        if (in[i]->flags & SITU_NODE_SCALAR) {
            if (!op->scalars) return situ_fail_number(op, in, i, site);
            continue;
        }
        if (first < 0) first = i;
        else if (!op->any_device &&
            (in[first]->device.kind != in[i]->device.kind || in[first]->device.index != in[i]->device.index) &&
            !situ_device_equal(in[first]->device, in[i]->device))
            return situ_fail_devices(op, in, first, i, site);
    }
    if (first >= 0) *device = in[first]->device;
    return 0;
}

bool situ_together(situ_tensor *const *in, int n, const char *operation, const char *operands, situ_site site)
{
    const situ_op op = {.name = operation, .operands = operands, .scalars = true};
    situ_device device;
    return situ_usable(in, n, operation, site) && !check_operands(&op, in, n, site, &device);
}

static inline bool plain_pair(const situ_tensor *a, const situ_tensor *b)
{
    if (b->dtype != a->dtype || b->ndim != a->ndim || b->device.kind != a->device.kind || b->device.index != a->device.index)
        return false;
    for (int k = 0; k < a->ndim; k++)
        if (b->dim[k] != a->dim[k]) return false;
    return true;
}

/* The node of a call is complete; in eager mode its work starts, unless it is a part of another function's. */
static inline situ_tensor *recorded(const situ_thread *th, situ_tensor *t)
{
    if (__builtin_expect(th->eager, 0) && !situ_speaking.name) situ_after_call();
    return t;
}

static inline int speakers_wanted(void) { return atomic_load_explicit(&situ_speakers_wanted, memory_order_relaxed); }

/* The common case in a single check: tensors of one float dtype, shape and device, and numbers. NULL: another case. */
static inline __attribute__((always_inline)) situ_tensor *plain(
    const situ_op *op, situ_tensor *x, situ_tensor *y, situ_tensor *z, int nin, bool truth, situ_site site)
{
    situ_thread *th = &situ_thread_state;
    situ_tensor *given[3] = {x, y, z}, *in[3], *a = NULL;
    bool large = false;
    if (__builtin_expect(!th->ready || situ_forked | situ_error_code | speakers_wanted(), 0)) return NULL;
    _Pragma("GCC unroll 3") for (int i = 0; i < nin; i++)
    {
        if (!(in[i] = situ_operand_here(th, given[i]))) return NULL;
        if (in[i]->flags & SITU_NODE_SCALAR) {
            if (in[i]->dtype & 4) return NULL; /* u64 or f64: an integer beyond i64 */
            /* The word of a scalar, which has no sizes before it. */
            if (in[i]->kind == 1) large |= (uint64_t)in[i]->dim[0] + 256 > 512;
            continue;
        }
        if (a && !plain_pair(a, in[i])) return NULL;
        a = in[i];
    }
    if (!a || a->dtype < SITU_F16 || a->dtype > SITU_F64) return NULL;
    if (large && (truth || a->dtype == SITU_F16)) return NULL; /* the number may not fit into the dtype */
    int ndim = a->ndim;
    situ_tensor *t = node_in(th, op, ndim, nin, 0, 0, site);
    if (!t) return situ_poisoned();
    t->dtype = truth ? SITU_BOOL : a->dtype;
    t->device = a->device;
    copy_words(t->dim, a->dim, ndim);
    situ_tensor **operand = (situ_tensor **)(void *)&t->dim[ndim];
    _Pragma("GCC unroll 3") for (int i = 0; i < nin; i++) operand[i] = in[i];
    return link_node(t, in, nin, th->scope) ? situ_poisoned() : recorded(th, t);
}

situ_tensor *situ_plain_1(const situ_op *op, situ_tensor *a, situ_site site, situ_record_fn *otherwise)
{
    situ_tensor *t = plain(op, a, NULL, NULL, 1, false, site);
    return t ? t : otherwise(op, &a, 1, site);
}

situ_tensor *situ_plain_2(const situ_op *op, situ_tensor *a, situ_tensor *b, situ_site site, situ_record_fn *otherwise)
{
    situ_tensor *t = plain(op, a, b, NULL, 2, false, site);
    return t ? t : otherwise(op, (situ_tensor *[]){a, b}, 2, site);
}

situ_tensor *situ_plain_3(
    const situ_op *op, situ_tensor *a, situ_tensor *b, situ_tensor *c, situ_site site, situ_record_fn *otherwise)
{
    situ_tensor *t = plain(op, a, b, c, 3, false, site);
    return t ? t : otherwise(op, (situ_tensor *[]){a, b, c}, 3, site);
}

situ_tensor *situ_plain_test(const situ_op *op, situ_tensor *a, situ_tensor *b, situ_site site, situ_record_fn *otherwise)
{
    situ_tensor *t = plain(op, a, b, NULL, 2, true, site);
    return t ? t : otherwise(op, (situ_tensor *[]){a, b}, 2, site);
}

/* Resolves the operands to nodes of this thread, in a single check if there is nothing to do; false with an error. */
static bool take_operands(
    const situ_thread *th, const situ_op *op, situ_tensor *const *in, int nin, situ_tensor **operand, situ_site site)
{
    int i = 0;
    if (situ_error_code) return false;
    while (i < nin && (operand[i] = situ_operand_here(th, in[i]))) i++;
    if (i == nin) return true;
    if (!situ_usable(in, nin, op->name, site)) return false;
    int variables = 0;
    for (i = 0; i < nin; i++) {
        operand[i] = NULL;
        variables += (in[i]->flags & SITU_NODE_VARIABLE) != 0;
    }
    if (variables > 1 && situ_threads_live > 1 && situ_variables_read(in, operand, nin, site)) return false;
    for (i = 0; i < nin; i++)
        if (!operand[i] && !(operand[i] = situ_resolve(in[i], site))) return false;
    return true;
}

static int fail_too_large(const situ_infer *c)
{
    char shape[SITU_SHAPE_TEXT];
    return situ_fail(SITU_BAD_SHAPE, c->site, "%s: the result %s would have more than 2^63 bytes", c->op->name,
        situ_shape_text(c->ndim, c->dim, shape, sizeof shape));
}

/* If the operation may fail when it runs and is part of another function, its errors name that function. With
 * SITU_DEBUG=nan this holds for all operations, except those of gradients, which are not part of the user's call. */
static int remember_speaker(situ_tensor *t)
{
    if (!situ_speaking.name || !strcmp(situ_speaking.name, t->op->name)) return 0;
    situ_aside *aside = situ_node_make_aside(t);
    if (aside) aside->speaker = situ_speaking.name;
    return aside ? 0 : -situ_error_code;
}

situ_tensor *situ_apply(const situ_op *op, situ_tensor *const *in, int nin, const void *attr, size_t attr_size,
    const uint64_t *word, int nword, situ_site site)
{
    situ_thread *th = situ_thread_get();
    if (!th) return situ_poisoned();
    situ_tensor *few[8], **operand = few;
    if (nin > UINT16_MAX || attr_size > UINT16_MAX || nword > UINT8_MAX)
        return situ_refused(SITU_UNSUPPORTED, site, "%s: %d operands; at most %d are possible at once", op->name, nin, UINT16_MAX);
    if (nin > 8 && !(operand = situ_arena_alloc(&th->scope->arena, sizeof *operand * (size_t)nin)))
        return situ_refused(SITU_NO_MEMORY, site, "%s: out of host memory for the graph", op->name);
    if (!take_operands(th, op, in, nin, operand, site)) return situ_poisoned();
    situ_infer c; /* uninitialised: infer sets ndim and that many sizes */
    c.op = op, c.site = site, c.nin = nin, c.in = operand, c.attr = attr, c.word = word;
    c.dtype = SITU_BOOL, c.ndim = 0;
    situ_device device = {0, 0};
    if (check_operands(op, operand, nin, site, &device) || op->infer(&c)) return situ_poisoned();
    if (!situ_shape_fits(c.ndim, c.dim)) return fail_too_large(&c), situ_poisoned();
    if (op->family == SITU_COPY || (op->family == SITU_GENERATE && !nin)) memcpy(&device, attr, sizeof device);
    if (!device.kind && situ_device_resolve(&device, site)) return situ_poisoned();
    if ((op->family == SITU_COPY || !nin) && !situ_dev_open(device, site)) return situ_poisoned();
    situ_tensor *t = node_in(th, op, c.ndim, nin, nword, attr_size, site);
    if (!t) return situ_poisoned();
    t->dtype = (uint8_t)c.dtype;
    t->device = device;
    copy_words(t->dim, c.dim, c.ndim);
    copy_words(situ_node_in(t), operand, nin);
    copy_words(situ_node_word(t), word, nword);
    if (attr_size) memcpy((void *)(uintptr_t)situ_node_attr(t), attr, attr_size);
    if ((op->can_fail || (speakers_wanted() && !th->rules)) && remember_speaker(t)) return situ_poisoned();
    return link_node(t, situ_node_in(t), nin, th->scope) ? situ_poisoned() : recorded(th, t);
}

/* ---- scalars ---------------------------------------------------------------------------------------------------- */

static situ_tensor *scalar_of_words(int kind, situ_dtype dtype, const uint64_t *word, int nword)
{
    situ_tensor *t = situ_error_code ? NULL : situ_node_new(&situ_op_scalar, 0, 0, nword, 0, NULL);
    if (!t) return situ_poisoned();
    t->state |= situ_node_state(0, SITU_NODE_SCALAR);
    t->kind = (uint8_t)kind & 3;
    t->dtype = (uint8_t)dtype;
    for (int i = 0; i < nword; i++) situ_node_word(t)[i] = word[i];
    return t;
}

static situ_tensor *scalar(int kind, situ_dtype dtype, uint64_t word) { return scalar_of_words(kind, dtype, &word, 1); }

/* Integers beyond i64 have kind 1, too; they never reach a kernel (op/number.c). */
situ_tensor *situ_scalar_unsigned(uint64_t value) { return scalar(1, value > INT64_MAX ? SITU_U64 : SITU_I64, value); }
situ_tensor *situ_scalar_wide(double toward_zero, bool more, double nearest)
{
    uint64_t word[3] = {0, more, 0};
    memcpy(&word[0], &toward_zero, 8);
    memcpy(&word[2], &nearest, 8);
    return scalar_of_words(1, SITU_F64, word, 3);
}

situ_tensor *situ_scalar_bool(bool value) { return scalar(0, SITU_BOOL, value); }
situ_tensor *situ_scalar_int(int64_t value) { return scalar(1, SITU_I64, (uint64_t)value); }
situ_tensor *situ_scalar_float(double value)
{
    uint64_t word;
    memcpy(&word, &value, 8);
    return scalar(2, SITU_F32, word);
}

const situ_op situ_op_scalar = {.name = "number", .family = SITU_LEAF};
const situ_op situ_op_stored = {.name = "stored", .family = SITU_LEAF};
const situ_op situ_op_placeholder = {.name = "placeholder", .family = SITU_LEAF};
const situ_op situ_op_variable = {.name = "variable", .family = SITU_LEAF};
const situ_op situ_op_poison = {.name = "error", .family = SITU_LEAF};
