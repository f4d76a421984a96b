/* Variables, and properties of handles. */
#include <string.h>

#include <situ/ops.h>

#include "base/memory.h"
#include "graph/owned.h"
#include "op/number.h"
#include "op/support.h"
#include "plan/build.h"
#include "run/ahead.h"
#include "run/enqueue.h"

situ_tensor *(situ_variable)(situ_tensor *t, const situ_variable_options *options, situ_site site)
{
    situ_variable_options o = {SITU_DEFAULTS(SITU_VARIABLE_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "situ_variable", site) || !situ_usable(&t, 1, "situ_variable", site)) return situ_poisoned();
    if (!(t = situ_resolve(t, site))) return situ_poisoned();
    if (t->flags & SITU_NODE_SCALAR) t = (situ_add)(t, situ_scalar_int(0), site);
    situ_tensor *v = t->flags & SITU_NODE_POISON ? t : situ_variable_new(t, o.trainable, o.name, site);
    if (v->flags & SITU_NODE_POISON) return situ_poisoned();
    if (!(situ_assign)(v, t, site)) return v;
    situ_release(v);
    return situ_poisoned();
}

situ_tensor *situ_variable_holding(situ_tensor *t, bool trainable, const char *name, situ_site site)
{
    bool whole = t->buffer && t->buffer->borrowed && !situ_node_aside(t)->stride && !situ_node_aside(t)->offset;
    situ_variable_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .trainable = trainable, .name = name};
    if (!whole) return (situ_variable)(t, &o, site);
    situ_tensor *v = situ_variable_new(t, trainable, name, site);
    if (v->flags & SITU_NODE_POISON) return v;
    situ_slot *s = situ_slot_of(v);
    situ_slot_lock();
    s->buffer = situ_buffer_ref(t->buffer);
    s->version = s->stored_version = 1;
    situ_slot_unlock();
    return v;
}

/* The assigned node must not share memory with others: a leaf, a view or another variable's value is copied. */
static situ_tensor *own_value(situ_tensor *value, situ_tensor *variable, situ_site site)
{
    bool own = !value->buffer && value->scope && value->op->family != SITU_LEAF && value->op->family != SITU_VIEW &&
        !situ_node_aside(value)->slot; /* the assigned value belongs to a variable */
    if (own) return value;
    situ_tensor *t = situ_node_new(&situ_op_contiguous, value->ndim, 1, 0, 0, site);
    if (!t) return NULL;
    t->dtype = variable->dtype;
    t->device = variable->device;
    memcpy(t->dim, value->dim, 8 * (size_t)value->ndim);
    situ_node_in(t)[0] = value;
    return situ_node_link(t) ? NULL : t;
}

/* Makes a value pending. Only one thread at a time may have a pending value for a variable. */
static int make_pending(situ_thread *th, situ_tensor *variable, situ_tensor *value, situ_site site)
{
    situ_slot *s = situ_slot_of(variable);
    uint64_t none = 0;
    char text[512];
    const situ_tensor *lost = situ_node_revive(value); /* its operands must not be overwritten before it is computed */
    if (lost) return situ_fail_overwritten(lost, site);
    bool first = atomic_compare_exchange_strong(&s->owner, &none, th->id);
    if (!first && none != th->id)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_assign: another thread has assigned to %s and not started to compute it; call " SITU_SAY(
                "situ_eval", "situ.eval") " there first",
            situ_operand_text(variable, text, sizeof text));
    /* the node may become a read node of the variable, so the variable has to outlive it */
    situ_aside *aside = situ_node_make_aside(value);
    if (!aside || situ_node_hold(value, situ_heap_of(variable)) || situ_thread_dirty(th, s)) {
        if (first) atomic_store(&s->owner, 0);
        return -situ_error_code;
    }
    if (situ_thread_state.pin) situ_slot_unpin(s);
    situ_slot_pend(s, value);
    aside->slot = s;
    return 0;
}

static void count_version(situ_tensor *variable)
{
    situ_slot_lock();
    situ_slot *s = situ_slot_of(variable);
    s->version = (s->version > s->stored_version ? s->version : s->stored_version) + 1;
    situ_slot_unlock();
}

int situ_store_first_values(situ_tensor *variable, situ_site site)
{
    situ_thread *th = &situ_thread_state;
    const situ_slot *own = situ_slot_of(variable);
    if (atomic_load(&own->owner) != th->id || !own->pending || own->buffer) return 0;
    if (situ_enqueue_first_values(site)) return -situ_error_code;
    for (uint32_t i = 0; i < th->dirty_count; i++) { /* a pending value that was stored meanwhile has become a leaf, so its variable
                                                      * gets a copy */
        situ_slot *s = th->dirty[i];
        if (!s->pending || !s->pending->buffer) continue;
        situ_tensor *copy = own_value(s->pending, s->heap->node, site);
        if (!copy || make_pending(th, s->heap->node, copy, site)) return -situ_error_code;
    }
    return 0;
}

/* The value converted to what the variable needs; NULL with an error if it does not fit. */
static situ_tensor *fitting(situ_tensor *variable, situ_tensor *value, situ_site site)
{
    situ_tensor *both[2] = {variable, value};
    if (!situ_usable(both, 2, "situ_assign", site)) return NULL;
    char a[512], b[512];
    if (!(variable->flags & SITU_NODE_VARIABLE)) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_assign: %s is no variable; only variables change, make one with " SITU_SAY("situ_variable", "situ.variable"),
            situ_operand_text(variable, a, sizeof a));
        return NULL;
    }
    if (!(value = situ_resolve(value, site))) return NULL;
    if (value->flags & SITU_NODE_SCALAR &&
        !(value = situ_number_fit(value, (situ_dtype)variable->dtype, false, "situ_assign", site)))
        return NULL;
    if (value->flags & SITU_NODE_SCALAR) value = (situ_full_like)(variable, value, NULL, site);
    if (value->flags & SITU_NODE_POISON) return NULL;
    bool fits = value->dtype == variable->dtype && situ_shape_equal(value->ndim, value->dim, variable->ndim, variable->dim);
    if (fits && situ_device_equal(value->device, variable->device)) return value;
    bool elsewhere = !situ_device_equal(value->device, variable->device), other = value->dtype != variable->dtype;
    const char *mend = elsewhere ? SITU_SAY("situ_to(value, situ_device_of(variable))", "value.to_device(variable.device)") :
        other                    ? SITU_SAY("situ_cast(value, situ_dtype_of(variable))", "value.astype(variable.dtype)") :
                                   NULL;
    const char *end = mend ? "; write " : "; their shapes differ";
    situ_fail(elsewhere ? SITU_BAD_DEVICE :
            other       ? SITU_BAD_DTYPE :
                          SITU_BAD_SHAPE,
        site, "situ_assign: the value (%s) must have the variable's shape, dtype and device (%s)%s%s",
        situ_operand_text(value, a, sizeof a), situ_operand_text(variable, b, sizeof b), end, mend ? mend : "");
    return NULL;
}

/* assigns a value that fits */
static int assign(situ_tensor *variable, situ_tensor *value, situ_site site)
{
    if (!(value = own_value(value, variable, site))) return -situ_error_code;
    int rc = make_pending(&situ_thread_state, variable, value, site);
    if (!rc) count_version(variable);
    return rc;
}

int(situ_assign)(situ_tensor *variable, situ_tensor *value, situ_site site)
{
    SITU_SPEAK("situ_assign", site);
    if (!situ_thread_get() || !(value = fitting(variable, value, site))) return -situ_error_code;
    return assign(variable, value, site);
}

typedef struct assignment {
    situ_tensor *value, *pending; /* the new value, and the pending one that it replaces */
    uint64_t version;
} assignment;

/* Resolves all values first, since they may be variables that are assigned here. */
static int find_values(situ_tensor *const *variables, situ_tensor *const *values, int count, assignment *to, situ_site site)
{
    if (!situ_usable(variables, count, "situ_assign_all", site)) return -situ_error_code;
    for (int i = 0; i < count; i++) /* before the first assignment, so that what is undone below stays pending */
        if (variables[i]->flags & SITU_NODE_VARIABLE && situ_store_first_values(variables[i], site)) return -situ_error_code;
    for (int i = 0; i < count; i++)
        if (!(to[i].value = fitting(variables[i], values[i], site))) return -situ_error_code;
    return 0;
}

int(situ_assign_all)(situ_list these, situ_list values, situ_site site)
{
    situ_tensor *const *variables = these.tensor;
    int count = these.count;
    SITU_SPEAK("situ_assign_all", site);
    if (count < 0 || (count && (!variables || !values.tensor)))
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_assign_all: %s", count < 0 ? "the count is negative" : "variables or values is NULL");
    if (count != values.count)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_assign_all: %d variables, %d values", count, values.count);
    assignment *to = situ_malloc((size_t)count * sizeof *to + 1);
    if (!to) return situ_fail(SITU_NO_MEMORY, site, "situ_assign_all: out of host memory");
    int rc = situ_thread_get() ? find_values(variables, values.tensor, count, to, site) : -situ_error_code;
    for (int i = 0; !rc && i < count; i++) {
        situ_slot *slot = situ_slot_of(variables[i]);
        to[i].pending = slot->pending, to[i].version = slot->version;
        rc = assign(variables[i], to[i].value, site);
        for (; rc && i-- > 0;) {
            slot = situ_slot_of(variables[i]);
            situ_slot_pend(slot, to[i].pending);
            slot->version = to[i].version;
        }
        if (rc) break;
    }
    situ_free(to);
    return rc;
}

int(situ_assign_slice)(situ_tensor *variable, situ_tensor *value, situ_shape start, situ_site site)
{
    SITU_SPEAK("situ_assign_slice", site);
    if (!situ_together((situ_tensor *[]){variable, value}, 2, "situ_assign_slice", "variable, value", site))
        return -situ_error_code;
    if (situ_thread_state.dirty_count && situ_enqueue_parts(site)) return -situ_error_code;
    situ_tensor *next = (situ_update_slice)(variable, value, start, site);
    return (situ_assign)(variable, next, site);
}

/* Resolves `tensors` into node. */
static int take_snapshot(situ_list tensors, situ_tensor **node, situ_site site)
{
    if (!node) return situ_fail(SITU_NO_MEMORY, site, "situ_snapshot: out of host memory");
    if (!situ_thread_get() || !situ_usable(tensors.tensor, tensors.count, "situ_snapshot", site)) return -situ_error_code;
    int rc = situ_variables_read(tensors.tensor, node, tensors.count, site);
    for (int i = 0; !rc && i < tensors.count; i++)
        if (!(node[i] = situ_value_of(node[i] ? node[i] : tensors.tensor[i], site))) rc = -situ_error_code;
    return rc;
}

int(situ_snapshot)(situ_list tensors, situ_tensor **out, situ_site site)
{
    SITU_SPEAK("situ_snapshot", site);
    int count = tensors.count;
    if (count < 0 || (count && (!tensors.tensor || !out)))
        return situ_fail(
            SITU_BAD_ARGUMENT, site, "situ_snapshot: %s", count < 0 ? "the count is negative" : "tensors or out is NULL");
    situ_tensor **node = situ_malloc((size_t)count * sizeof *node + 1);
    int rc = situ_error_code ? -situ_error_code : take_snapshot(tensors, node, site);
    for (int i = 0; i < count; i++) out[i] = rc ? situ_poisoned() : node[i]; /* out may be the list's own array */
    situ_free(node);
    return rc;
}

/* ---- properties ------------------------------------------------------------------------------------------------------- */

static bool known(const situ_tensor *t, const char *function)
{
    situ_site site = situ_speaking.site;
    if (!situ_speaking.name) situ_speaking.site = NULL;
    return t && !(t->flags & SITU_NODE_POISON) && !situ_handle_is_gone(t, function, site);
}

int situ_ndim(const situ_tensor *t) { return known(t, "situ_ndim") ? t->ndim : 0; }
int64_t situ_count(const situ_tensor *t) { return known(t, "situ_count") ? situ_node_count(t) : 0; }
situ_dtype situ_dtype_of(const situ_tensor *t) { return known(t, "situ_dtype_of") ? (situ_dtype)t->dtype : SITU_F32; }
situ_device situ_device_of(const situ_tensor *t) { return known(t, "situ_device_of") ? t->device : situ_cpu(); }
bool situ_is_variable(const situ_tensor *t) { return known(t, "situ_is_variable") && t->flags & SITU_NODE_VARIABLE; }
const char *situ_name_of(const situ_tensor *t)
{
    return known(t, "situ_name_of") && situ_node_aside(t)->name ? situ_node_aside(t)->name : "";
}

int64_t situ_dim(const situ_tensor *t, int axis)
{
    SITU_SPEAK_AT("situ_dim");
    if (!known(t, "situ_dim")) return 0;
    if (axis < 0) axis += t->ndim;
    if (axis >= 0 && axis < t->ndim) return t->dim[axis];
    situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dim: there is no axis %d in a tensor of %d dimensions", axis, t->ndim);
    return 0;
}

situ_shape situ_shape_of(const situ_tensor *t)
{
    situ_shape s = {.ndim = 0};
    if (!known(t, "situ_shape_of")) return s;
    s.ndim = t->ndim;
    memcpy(s.dim, t->dim, 8 * (size_t)t->ndim);
    return s;
}

situ_tensor *situ_name(situ_tensor *t, const char *name)
{
    SITU_SPEAK_AT("situ_name");
    if (!t) return situ_refused(SITU_BAD_ARGUMENT, NULL, "situ_name: the tensor is NULL");
    if (!known(t, "situ_name")) return t->alive == SITU_NODE_ALIVE ? t : situ_poisoned();
    /* Memory of another thread's scope must not be used. */
    if (t->scope && !situ_is_owned(t) && t->scope->thread != &situ_thread_state) {
        situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_name: the tensor is a temporary of another thread; name it there, or keep it there first");
        return situ_poisoned();
    }
    situ_aside *aside = situ_node_make_aside(t);
    if (!aside) return situ_poisoned();
    aside->name = situ_site_intern(name);
    return t;
}

const char *situ_state(const situ_tensor *t)
{
    if (!known(t, "situ_state")) return "poisoned";
    if (t->flags & SITU_NODE_VARIABLE) return "variable";
    const situ_buffer *b = __atomic_load_n(&t->buffer, __ATOMIC_ACQUIRE);
    const situ_tensor *target = t->flags & SITU_NODE_KEPT ? situ_heap_target(situ_heap_of(t)) : NULL;
    if (!b && target) b = target->buffer;
    if (b) return situ_buffer_is_ready(b) ? "stored" : "running";
    if (t->flags & SITU_NODE_KEPT) return "pending";
    if (t->flags & SITU_NODE_OVERWRITTEN) return "overwritten";
    return t->flags & (SITU_NODE_RAN | SITU_NODE_REVIVED) ? "dropped" : "pending";
}
