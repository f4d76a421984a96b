/* Traverses from the results to what they are computed from, in all recordings at once. Without recursion. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "graph/record.h"
#include "nn/module.h"
#include "onnx/model.h"
#include "onnx/out.h"
#include "op/support.h"
#include "op/table.h"

enum { SMALL = 256 /* bytes up to which equal constants are merged */, MOST_OTHERS = 8 };

static const char *no_memory(const situ_out *o)
{
    situ_fail(SITU_NO_MEMORY, o->site, "situ_onnx_save: out of host memory");
    return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

static uint32_t *place(const situ_out *o, const situ_tensor *t)
{
    uint64_t h = ((uint64_t)(uintptr_t)t >> 4) * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(h >> 32) & (o->buckets - 1);
    while (o->bucket[i] && o->value[o->bucket[i] - 1].t[0] != t) i = (i + 1) & (o->buckets - 1);
    return &o->bucket[i];
}

static bool make_room(situ_out *o)
{
    if (o->count < o->capacity) return true;
    uint32_t capacity = o->capacity ? 2 * o->capacity : 256;
    situ_out_value *value = situ_realloc(o->value, capacity * sizeof *value);
    if (value) o->value = value;
    uint32_t *bucket = value ? situ_calloc(2 * (size_t)capacity, sizeof *bucket) : NULL;
    if (!bucket) return no_memory(o), false;
    situ_free(o->bucket);
    o->bucket = bucket;
    o->buckets = 2 * capacity;
    o->capacity = capacity;
    for (uint32_t i = 0; i < o->count; i++) *place(o, o->value[i].t[0]) = i + 1;
    return true;
}

/* Index of the value that these nodes are in the recordings; UINT32_MAX with an error. */
static uint32_t find(situ_out *o, situ_tensor *const *t)
{
    if (!make_room(o)) return UINT32_MAX;
    uint32_t *at = place(o, t[0]);
    if (!*at) {
        o->value[o->count] = (situ_out_value){.name = NULL};
        memcpy(o->value[o->count].t, t, sizeof *t * (size_t)o->records);
        *at = ++o->count;
    }
    if (memcmp(o->value[*at - 1].t, t, sizeof *t * (size_t)o->records))
        return situ_out_refuse_batch(o, t[0], "other operations are recorded for another size"), UINT32_MAX;
    return *at - 1;
}

int situ_out_input(situ_out *o, situ_tensor *const *t, const char *name)
{
    uint32_t i = find(o, t);
    if (i == UINT32_MAX) return -situ_error_code;
    o->value[i].name = name;
    o->value[i].input = o->nodes == &o->graph;
    o->value[i].inside = !o->value[i].input;
    return 0;
}

static void operands_of(const situ_out *o, const situ_out_value *v, int i, situ_tensor **t)
{
    for (int k = 0; k < o->records; k++) t[k] = situ_node_in(v->t[k])[i];
}

/* Writes a scalar of the source; if it differs between the recordings, as a size. */
static const char *number(situ_out *o, situ_tensor *const *t, situ_dtype dtype)
{
    int64_t value[SITU_OUT_RECORDS];
    bool same = true, whole = true;
    for (int k = 0; k < o->records; k++) {
        double f = situ_number_f64(t[k]);
        same &= t[k]->kind == t[0]->kind && !memcmp(situ_node_word(t[k]), situ_node_word(t[0]), 8);
        whole = whole && f > -9e15 && f < 9e15 && f == (double)(int64_t)f;
        value[k] = whole ? (int64_t)f : 0;
    }
    if (same) {
        if (t[0]->kind == 2) return situ_out_number(o, dtype, situ_number_f64(t[0]));
        char bytes[16] = {0};
        situ_element_set_i64(dtype, bytes, situ_number_i64(t[0]));
        if (t[0]->dtype == SITU_U64 || situ_dtype_kind(dtype) >= SITU_KIND_FLOAT)
            return dtype == SITU_U64 ? situ_out_constant(o, dtype, 0, NULL, situ_node_word(t[0])) :
                                       situ_out_number(o, dtype, situ_number_f64(t[0]));
        return situ_out_constant(o, dtype, 0, NULL, bytes);
    }
    situ_out_size size;
    if (!whole) return situ_out_refuse_batch(o, t[0], "a number in the source that follows from it");
    if (!situ_out_size_of(o, value, &size, t[0])) return NULL;
    const char *none = situ_out_list(o, NULL, 0);
    return situ_out_cast(o, NODE("Reshape", situ_out_sizes(o, &size, 1), none), SITU_I64, dtype);
}

const char *situ_out_name_of(situ_out *o, const situ_tensor *t)
{
    const uint32_t *at = place(o, t);
    return *at ? o->value[*at - 1].name : NULL;
}

const char *situ_out_in_as(situ_out *o, const situ_out_value *v, int i, situ_dtype dtype)
{
    situ_tensor *t[SITU_OUT_RECORDS];
    operands_of(o, v, i, t);
    if (situ_error_code) return NULL;
    if (situ_is_number(t[0])) return number(o, t, dtype);
    uint32_t at = find(o, t);
    return at == UINT32_MAX ? NULL : situ_out_cast(o, o->value[at].name, (situ_dtype)t[0]->dtype, dtype);
}

const char *situ_out_in(situ_out *o, const situ_out_value *v, int i)
{
    return situ_out_in_as(o, v, i, (situ_dtype)situ_out_of(v, i)->dtype);
}

const char *situ_out_wide(situ_out *o, const situ_out_value *v, int i)
{
    return situ_out_in_as(o, v, i, situ_out_compute((situ_dtype)situ_out_of(v, i)->dtype));
}

/* ---- leaves ------------------------------------------------------------------------------------------------------------ */

/* The name of the network's parameter stored in this slot, or NULL. */
static const char *parameter_name(const situ_out *o, const situ_slot *slot)
{
    const situ_module *root = o->net ? situ_module_root(o->net) : NULL;
    for (int i = 0; root && i < o->net->total; i++) {
        const situ_parameter *p = root->all[o->net->first + i];
        for (int k = 0; k < root->devices && k < SITU_MIRRORS; k++)
            if (p->copy[k] && situ_slot_of(p->copy[k]) == slot) return situ_module_name(o->net, i);
    }
    return NULL;
}

static const char *variable(situ_out *o, const situ_out_value *v)
{
    situ_slot *slot = situ_node_aside(v->t[0])->slot;
    for (int k = 1; k < o->records; k++)
        if (situ_node_aside(v->t[k])->slot != slot) return situ_out_refuse_batch(o, v->t[0], "another variable is read");
    char key[1 + sizeof slot] = {0};
    memcpy(key + 1, &slot, sizeof slot);
    const char *name = situ_out_known(o, key, sizeof key);
    if (name) return name;
    name = parameter_name(o, slot);
    if (!name) name = situ_node_aside(slot->heap->node)->name;
    name = situ_out_new_name(o, name ? name : "variable");
    if (!name || !situ_out_know(o, key, sizeof key, name)) return NULL;
    situ_out_weight(o, name, v->t[0]);
    return name;
}

/* Data from which the program made a tensor: equal in all recordings. */
static const char *data(situ_out *o, const situ_out_value *v)
{
    size_t size = situ_node_bytes(v->t[0]);
    char *bytes[2] = {situ_malloc(size + 1), situ_malloc(size + 1)};
    const char *name = bytes[0] && bytes[1] ? NULL : no_memory(o);
    bool same = !situ_error_code;
    if (same) (situ_read)(v->t[0], bytes[0], size, o->site);
    for (int k = 1; k < o->records && same && !situ_error_code; k++) {
        if (v->t[k] == v->t[0]) continue;
        same =
            situ_node_bytes(v->t[k]) == size && !(situ_read)(v->t[k], bytes[1], size, o->site) && !memcmp(bytes[0], bytes[1], size);
        if (!same && !situ_error_code)
            situ_out_refuse_batch(o, v->t[0], "data that follows from it, or from a value that was read");
    }
    if (!situ_error_code && size <= SMALL)
        name = situ_out_constant(o, (situ_dtype)v->t[0]->dtype, v->t[0]->ndim, v->t[0]->dim, bytes[0]);
    else if (!situ_error_code &&
        (name = situ_out_new_name(o, situ_node_aside(v->t[0])->name ? situ_node_aside(v->t[0])->name : "data")))
        situ_out_weight(o, name, v->t[0]);
    situ_free(bytes[0]);
    situ_free(bytes[1]);
    return situ_error_code ? NULL : name;
}

static bool is_leaf(const situ_tensor *t) { return t->op->family == SITU_LEAF || situ_node_is_read(t); }

static const char *leaf(situ_out *o, const situ_out_value *v)
{
    const situ_tensor *t = v->t[0];
    if (situ_node_is_read(t)) return variable(o, v);
    if (situ_is_number(t)) return number(o, v->t, (situ_dtype)t->dtype);
    if (t->buffer) return data(o, v);
    return situ_out_refuse(o, t, "its value is gone, and how to compute it again is not recorded");
}

/* ---- the traversal ------------------------------------------------------------------------------------------------------- */

/* Checks that it is the same operation in all recordings. Attributes may differ in sizes if the writer handles that
 * (`sizes`). */
static bool is_alike(situ_out *o, const situ_out_value *v, bool sizes)
{
    const situ_tensor *a = v->t[0];
    for (int k = 1; k < o->records; k++) {
        const situ_tensor *b = v->t[k];
        if (a->op != b->op || a->nin != b->nin || a->ndim != b->ndim || a->dtype != b->dtype || is_leaf(a) != is_leaf(b))
            return situ_out_refuse_batch(o, a, "other operations are recorded for another size"), false;
        for (int i = 0; i < a->nin; i++)
            if (situ_is_number(situ_node_in(a)[i]) != situ_is_number(situ_node_in(b)[i]))
                return situ_out_refuse_batch(o, a, "other operations are recorded for another size"), false;
        if (sizes || is_leaf(a)) continue;
        if (a->attr_size != b->attr_size || (a->attr_size && memcmp(situ_node_attr(a), situ_node_attr(b), a->attr_size)) ||
            a->nword != b->nword || memcmp(situ_node_word(a), situ_node_word(b), 8 * (size_t)a->nword))
            return situ_out_refuse_batch(o, a, "its options follow from it"), false;
    }
    return true;
}

static bool push(situ_out *o, uint32_t value)
{
    if (value == UINT32_MAX) return false;
    o->depends |= o->value[value].input;
    if (o->value[value].name) return true;
    if (o->depth == o->stack_room) {
        uint32_t *grown = situ_realloc(o->stack, (o->stack_room = 2 * o->stack_room + 64) * sizeof *grown);
        if (!grown) return no_memory(o), false;
        o->stack = grown;
    }
    o->stack[o->depth++] = value;
    return true;
}

/* Expands a composite, recorded from its operands. */
static bool expand(situ_out *o, uint32_t i, const situ_out_row *row)
{
    situ_tensor *t[SITU_OUT_RECORDS];
    for (int k = 0; k < o->records; k++) {
        situ_tensor *v = o->value[i].t[k];
        bool own = row && row->expand;
        t[k] = own ? row->expand(v, v->site) : v->op->expand(situ_node_in(v), v->nin, situ_node_attr(v), v->site);
        if (situ_error_code) return false;
    }
    uint32_t as = find(o, t);
    if (as == UINT32_MAX) return false;
    o->value[i].alias = as + 1;
    return push(o, as);
}

/* First visit of a value: its operands have to be written before it. */
static bool take(situ_out *o, uint32_t i)
{
    situ_out_value v = o->value[i];
    const situ_out_row *row = o->row_of(v.t[0]->op);
    o->value[i].taken = true;
    if (!is_alike(o, &v, row && row->sizes)) return false;
    bool complex = situ_dtype_is_complex((situ_dtype)v.t[0]->dtype);
    for (int k = 0; k < v.t[0]->nin && !is_leaf(v.t[0]); k++)
        complex |= situ_dtype_is_complex((situ_dtype)situ_out_of(&v, k)->dtype);
    if (complex) return situ_out_refuse(o, v.t[0], "its operators take no complex numbers"), false;
    if (is_leaf(v.t[0])) return (o->value[i].name = leaf(o, &v)) != NULL;
    if (!row && v.t[0]->op->family != SITU_COMPOSITE) return situ_out_refuse(o, v.t[0], NULL), false;
    if (row && row->instead && row->instead(v.t[0])) return expand(o, i, row);
    situ_tensor *other[SITU_OUT_RECORDS][MOST_OTHERS];
    int others = row && row->operands ? row->operands(v.t[0], other[0]) : 0;
    for (int k = 1; k < o->records && others; k++)
        if (row->operands(v.t[k], other[k]) != others)
            return situ_out_refuse_batch(o, v.t[0], "other operations are recorded"), false;
    int operands = others ? others : row && row->first_only ? 1 : v.t[0]->nin;
    for (int k = operands - 1; k >= 0; k--) {
        situ_tensor *t[SITU_OUT_RECORDS];
        if (!others) operands_of(o, &v, k, t);
        for (int r = 0; r < o->records && others; r++) t[r] = other[r][k];
        if (!situ_is_number(t[0]) && !push(o, find(o, t))) return false;
    }
    return true;
}

/* True if one of its operands depends on an input of a nested body. */
static bool is_inside(const situ_out *o, const situ_out_value *v)
{
    bool inside = false;
    for (int k = 0; k < v->t[0]->nin; k++) {
        const uint32_t *at = place(o, situ_out_of(v, k));
        inside |= *at && o->value[*at - 1].inside;
    }
    return inside;
}

static void write_node(situ_out *o, uint32_t i, const situ_out_value *v)
{
    const situ_out_row *row = o->row_of(v->t[0]->op);
    situ_message *nodes = o->nodes;
    bool inside = is_inside(o, v);
    if (!inside) o->nodes = &o->graph; /* outside of a loop's body it is computed once, not in each iteration */
    const char *name = row && row->write ? row->write(o, v) : NULL;
    o->nodes = nodes;
    o->value[i].inside = inside;
    o->value[i].name = name;
    if (!name && !situ_error_code) expand(o, i, row);
}

const char *situ_out_write(situ_out *o, situ_tensor *const *t)
{
    uint32_t root = find(o, t), outer = o->depth;
    if (!push(o, root)) return NULL;
    while (o->depth > outer && !situ_error_code) {
        uint32_t i = o->stack[o->depth - 1];
        situ_out_value v = o->value[i];
        if (v.name) {
            o->depth--;
        } else if (!v.taken) {
            take(o, i);
        } else if (v.alias) {
            o->value[i].name = o->value[v.alias - 1].name;
            o->value[i].inside = o->value[v.alias - 1].inside;
            if (!o->value[i].name) situ_fail(SITU_UNSUPPORTED, o->site, "situ_onnx_save: %s depends on itself", v.t[0]->op->name);
        } else {
            write_node(o, i, &v);
        }
    }
    return situ_error_code ? NULL : o->value[root].name;
}
