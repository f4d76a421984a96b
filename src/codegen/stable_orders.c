/* Sorting and searching in StableHLO: by keys, unsigned numbers with the order of the elements, NaN last. */
#include <string.h>

#include "codegen/stable_kernel.h"
#include "op/attr.h"
#include "op/reduce_kind.h"
#include "op/table.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

static situ_wire number(situ_stable *t, situ_wire like, uint64_t value)
{
    return situ_stable_integer(t, like.type, (int64_t)value, &like);
}

/* Keys of values in their compute dtype; *none: which ones are NaN, if there may be any. */
static situ_wire keys_of(situ_stable *t, situ_wire x, situ_wire *none, bool *may)
{
    bool wide = situ_dtype_size((situ_dtype)x.type) == 8;
    int type = wide ? SITU_U64 : SITU_U32;
    uint64_t top = (uint64_t)1 << (wide ? 63 : 31);
    *may = false;
    if (x.type == SITU_BOOL) return situ_stable_convert(t, x, type);
    situ_wire bits = situ_stable_bits(t, x, type);
    if (x.type == SITU_U32 || x.type == SITU_U64) return bits;
    if (!situ_dtype_is_float((situ_dtype)x.type)) return situ_stable_2(t, "xor", bits, number(t, bits, top));
    situ_wire size = situ_stable_2(t, "and", bits, number(t, bits, top - 1)), middle = number(t, bits, top);
    situ_wire negative = situ_stable_compare(t, "GE", bits, middle);
    situ_wire key =
        situ_stable_select(t, negative, situ_stable_2(t, "subtract", middle, size), situ_stable_2(t, "add", middle, size));
    *none = situ_stable_compare(t, "NE", x, x);
    *may = true;
    return situ_stable_select(t, *none, number(t, key, wide ? UINT64_MAX : UINT32_MAX), key);
}

/* Inverts keys, except that NaN stays the largest. */
static situ_wire turned(situ_stable *t, situ_wire key, situ_wire none, bool may)
{
    situ_wire other = situ_stable_1(t, "not", key);
    return may ? situ_stable_select(t, none, key, other) : other;
}

static void extreme(situ_stable_maker *m, bool most)
{
    situ_stable *t = &m->t;
    int axis = ((const situ_axis_attr *)m->call->attr)->axis;
    situ_wire none, x = situ_stable_value(m, 0);
    bool may;
    situ_wire key = keys_of(t, x, &none, &may);
    if (!most) key = turned(t, key, none, may);
    situ_wire best = situ_stable_reduce(t, key, SITU_REDUCE_MAX, 1u << axis);
    int64_t to[SITU_WIRE_DIMS];
    for (int i = 0, n = 0; i < x.ndim; i++)
        if (i != axis) to[n++] = i;
    situ_wire all = situ_stable_broadcast(t, best, x.ndim, x.dim, to), at = situ_stable_iota(t, SITU_I64, x.ndim, x.dim, axis);
    at = situ_stable_select(t, situ_stable_compare(t, "EQ", key, all), at, number(t, at, INT64_MAX));
    situ_stable_out(m, situ_stable_reduce(t, at, SITU_REDUCE_MIN, 1u << axis));
}

/* Indices that sort `key` along an axis; the sort is stable. */
static situ_wire sorted_places(situ_stable *t, situ_wire key, int axis)
{
    const situ_wire in[2] = {key, situ_stable_iota(t, SITU_I64, key.ndim, key.dim, axis)};
    situ_wire out[2] = {situ_stable_new(t, key.type, key.ndim, key.dim), situ_stable_new(t, SITU_I64, key.ndim, key.dim)};
    const char *type = key.type == SITU_U64 ? "ui64" : key.type == SITU_I64 ? "i64" : "ui32";
    int first = t->next;
    t->next += 5;
    situ_source_add(&t->text,
        "  %%%d:2 = \"stablehlo.sort\"(%%%d, %%%d) ({\n  ^bb0(%%%d: tensor<%s>, %%%d: tensor<%s>, %%%d: tensor<i64>, %%%d: "
        "tensor<i64>):\n    %%%d = \"stablehlo.compare\"(%%%d, %%%d) {comparison_direction = #stablehlo<comparison_direction LT>} "
        ": "
        "(tensor<%s>, tensor<%s>) -> tensor<i1>\n    \"stablehlo.return\"(%%%d) : (tensor<i1>) -> ()\n  }) {dimension = %d : i64, "
        "is_stable = true}",
        out[1].id, in[0].id, in[1].id, first, type, first + 1, type, first + 2, first + 3, first + 4, first, first + 1, type, type,
        first + 4, axis);
    situ_stable_signature(t, in, 2, out, 2);
    situ_wire places = situ_stable_new(t, SITU_I64, key.ndim, key.dim);
    situ_source_add(&t->text, "  %%%d = \"stablehlo.reshape\"(%%%d#1)", places.id, out[1].id);
    situ_stable_signature(t, &in[1], 1, &places, 1);
    return places;
}

static void argsort(situ_stable_maker *m)
{
    const situ_axis_attr *a = m->call->attr;
    situ_wire none;
    bool may;
    situ_wire key = keys_of(&m->t, situ_stable_value(m, 0), &none, &may);
    if (a->flag) key = turned(&m->t, key, none, may);
    situ_stable_out(m, sorted_places(&m->t, key, a->axis));
}

static void searchsorted(situ_stable_maker *m)
{
    situ_stable *t = &m->t;
    bool right = *(const int32_t *)m->call->attr, may;
    int64_t n = m->call->in[0].dim[0];
    situ_wire none, value = keys_of(t, situ_stable_value(m, 1), &none, &may);
    situ_wire low = situ_stable_integer(t, SITU_I64, 0, &value);
    if (!n) {
        situ_stable_out(m, low);
        return;
    }
    situ_wire key = keys_of(t, situ_stable_value(m, 0), &none, &may);
    for (int64_t left = n, step; left > 0; left -= step) {
        step = left > 1 ? left / 2 : 1;
        situ_wire there = situ_stable_gather(t, key, situ_stable_2(t, "add", low, number(t, low, (uint64_t)step - 1)));
        situ_wire up = situ_stable_compare(t, right ? "LE" : "LT", there, value);
        low = situ_stable_select(t, up, situ_stable_2(t, "add", low, number(t, low, (uint64_t)step)), low);
    }
    situ_stable_out(m, low);
}

static void nonzero(situ_stable_maker *m)
{
    situ_stable *t = &m->t;
    const situ_layout *x = &m->call->in[0];
    int64_t count = ((const situ_find_attr *)m->call->attr)->count, n = situ_shape_count(x->ndim, x->dim), zero = 0;
    situ_wire fill = situ_stable_word(t, 0, SITU_I64), column[8];
    if (!count || !x->ndim) return;
    situ_wire mask = situ_stable_flat(t, situ_stable_value(m, 0)), at = situ_stable_iota(t, SITU_I64, 1, &n, 0);
    situ_wire last = number(t, at, INT64_MAX), key = situ_stable_select(t, mask, at, last);
    situ_wire place = n ? situ_stable_gather(t, key, sorted_places(t, key, 0)) : key;
    if (count < n) place = situ_stable_part(t, place, 0, 0, count);
    place = situ_stable_pad(
        t, place, situ_stable_integer(t, SITU_I64, INT64_MAX, NULL), &zero, (int64_t[]){count - place.dim[0]}, NULL);
    situ_wire none = situ_stable_compare(t, "EQ", place, number(t, place, INT64_MAX));
    fill = situ_stable_broadcast(t, fill, 1, &count, NULL);
    for (int i = x->ndim - 1; i >= 0; i--) {
        situ_wire size = number(t, place, (uint64_t)(x->dim[i] ? x->dim[i] : 1));
        situ_wire digit = i ? situ_stable_2(t, "remainder", place, size) : place;
        place = situ_stable_2(t, "divide", place, size);
        column[i] = situ_stable_reshape(t, situ_stable_select(t, none, fill, digit), 2, (int64_t[]){count, 1});
    }
    situ_stable_out(m, situ_stable_concat(t, column, x->ndim, 1));
}

bool situ_stable_orders(situ_stable_maker *m)
{
    const situ_op *op = m->call->op;
    if (op == &situ_op_argmax || op == &situ_op_argmin) extreme(m, op == &situ_op_argmax);
    else if (op == &situ_op_argsort) argsort(m);
    else if (op == &situ_op_searchsorted) searchsorted(m);
    else if (op == &situ_op_nonzero) nonzero(m);
    else return false;
    return true;
}
