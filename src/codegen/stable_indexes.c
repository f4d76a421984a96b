/* Gathering and scattering in StableHLO. */
#include <string.h>

#include "codegen/stable_kernel.h"
#include "op/attr.h"
#include "op/reduce_kind.h"
#include "op/table.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

void situ_stable_fault(situ_stable_maker *m, situ_wire bad, int code, const situ_wire *value, int64_t bound)
{
    situ_stable *t = &m->t;
    situ_wire number = situ_stable_iota(t, SITU_I64, 1, bad.dim, 0), none = situ_stable_integer(t, SITU_I64, INT64_MAX, &number);
    situ_wire first = situ_stable_reduce(t, situ_stable_select(t, bad, number, none), SITU_REDUCE_MIN, 1), word[4];
    situ_wire any = situ_stable_compare(t, "NE", first, situ_stable_integer(t, SITU_I64, INT64_MAX, NULL));
    situ_wire zero = situ_stable_integer(t, SITU_I64, 0, NULL), place = situ_stable_select(t, any, first, zero);
    word[0] = situ_stable_select(t, any, situ_stable_integer(t, SITU_I64, code, NULL), zero);
    word[1] = value ? situ_stable_gather(t, *value, place) : place;
    word[2] = situ_stable_integer(t, SITU_I64, bound, NULL);
    word[3] = value ? situ_stable_2(t, "add", place, situ_stable_integer(t, SITU_I64, 1, NULL)) : zero;
    for (int i = 0; i < 4; i++) word[i] = situ_stable_flat(t, word[i]);
    m->error_word = situ_stable_concat(t, word, 4, 0);
    m->k->can_fail = true;
}

situ_wire situ_stable_checked(situ_stable_maker *m, situ_wire index, int64_t n, bool labels)
{
    situ_stable *t = &m->t;
    bool from_end = index.type != SITU_U64 && !labels;
    situ_wire given = situ_stable_convert(t, index, SITU_I64), zero = situ_stable_integer(t, SITU_I64, 0, &given);
    situ_wire size = situ_stable_integer(t, SITU_I64, n, &given), at = given;
    if (from_end)
        at = situ_stable_select(t, situ_stable_compare(t, "LT", given, zero), situ_stable_2(t, "add", given, size), given);
    situ_wire bad = situ_stable_2(t, "or", situ_stable_compare(t, "LT", at, zero), situ_stable_compare(t, "GE", at, size));
    at = situ_stable_select(t, bad, zero, at);
    situ_wire flat = situ_stable_flat(t, given);
    if (flat.dim[0]) situ_stable_fault(m, situ_stable_flat(t, bad), SITU_BAD_INDEX, &flat, n);
    return at;
}

typedef struct around {
    int64_t outer, n, inner;
} around;

static around around_of(const situ_layout *l, int axis)
{
    around r = {1, l->dim[axis], 1};
    for (int i = 0; i < axis; i++) r.outer *= l->dim[i];
    for (int i = axis + 1; i < l->ndim; i++) r.inner *= l->dim[i];
    return r;
}

static bool is_empty(situ_wire a) { return situ_shape_count(a.ndim, a.dim) == 0; }

/* ---- whole slices ---- */

static void take(situ_stable_maker *m, const situ_axis_attr *a)
{
    situ_stable *t = &m->t;
    around r = around_of(&m->call->in[0], a->axis);
    situ_wire x = situ_stable_in(m, 0), index = situ_stable_flat(t, situ_stable_in(m, 1));
    index = situ_stable_checked(m, index, r.n, a->flag);
    int64_t rows = index.dim[0], three[3] = {r.outer, rows, r.inner};
    if (!r.n || !r.outer || !r.inner || !rows) {
        situ_wire like = {.ndim = 3, .dim = {r.outer, rows, r.inner}};
        situ_stable_give(m, 0, m->call->out.dtype, situ_stable_number(t, x.type, 0, &like));
        return;
    }
    const situ_wire in[2] = {
        situ_stable_reshape(t, x, 3, (int64_t[]){r.outer, r.n, r.inner}), situ_stable_reshape(t, index, 2, (int64_t[]){rows, 1})};
    situ_wire out = situ_stable_new(t, x.type, 3, three);
    situ_source_add(&t->text,
        "  %%%d = \"stablehlo.gather\"(%%%d, %%%d) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], "
        "collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = "
        "array<i64: %lld, 1, %lld>}",
        out.id, in[0].id, in[1].id, (long long)r.outer, (long long)r.inner);
    situ_stable_signature(t, in, 2, &out, 1);
    situ_stable_give(m, 0, m->call->out.dtype, out);
}

/* Combines the updates of an element in order: adds them, or keeps the last. */
static situ_wire scatter_of(situ_stable *t, const situ_wire *in, bool adds, const char *dimensions)
{
    situ_source type = {0};
    situ_stable_type(&type, in[0].type, 0, NULL);
    situ_wire out = situ_stable_new(t, in[0].type, in[0].ndim, in[0].dim);
    int first = t->next;
    t->next += 3;
    if (!type.text) {
        t->text.failed = true;
        return out;
    }
    situ_source_add(&t->text, "  %%%d = \"stablehlo.scatter\"(%%%d, %%%d, %%%d) ({\n  ^bb0(%%%d: %s, %%%d: %s):\n", out.id,
        in[0].id, in[1].id, in[2].id, first, type.text, first + 1, type.text);
    if (adds)
        situ_source_add(&t->text, "    %%%d = \"stablehlo.add\"(%%%d, %%%d) : (%s, %s) -> %s\n", first + 2, first, first + 1,
            type.text, type.text, type.text);
    situ_source_add(&t->text,
        "    \"stablehlo.return\"(%%%d) : (%s) -> ()\n  }) {scatter_dimension_numbers = #stablehlo.scatter<%s>, ",
        adds ? first + 2 : first + 1, type.text, dimensions);
    situ_source_append(&t->text, "indices_are_sorted = false, unique_indices = false}");
    situ_stable_signature(t, in, 3, &out, 1);
    situ_source_drop(&type);
    return out;
}

static void give(situ_stable_maker *m, situ_wire x, bool adds)
{
    if (adds) situ_stable_out(m, x);
    else situ_stable_give(m, 0, m->call->out.dtype, x);
}

/* index_add, index_copy */
static void write_slices(situ_stable_maker *m, const situ_axis_attr *a, bool adds)
{
    situ_stable *t = &m->t;
    around r = around_of(&m->call->out, a->axis);
    situ_wire x = adds ? situ_stable_value(m, 0) : situ_stable_in(m, 0),
              value = adds ? situ_stable_value(m, 2) : situ_stable_in(m, 2);
    situ_wire index = situ_stable_checked(m, situ_stable_flat(t, situ_stable_in(m, 1)), r.n, a->flag);
    if (is_empty(value) || is_empty(x)) {
        give(m, x, adds);
        return;
    }
    const situ_wire in[3] = {situ_stable_reshape(t, x, 3, (int64_t[]){r.outer, r.n, r.inner}),
        situ_stable_reshape(t, index, 2, (int64_t[]){index.dim[0], 1}),
        situ_stable_reshape(t, value, 3, (int64_t[]){r.outer, index.dim[0], r.inner})};
    give(m,
        scatter_of(t, in, adds,
            "update_window_dims = [0, 2], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1"),
        adds);
}

/* ---- one element for each index ---- */

/* The positions in x, which has n elements along the axis. */
static situ_wire places(situ_stable_maker *m, const situ_axis_attr *a, int64_t n)
{
    situ_stable *t = &m->t;
    around r = around_of(&m->call->in[1], a->axis);
    situ_wire at = situ_stable_checked(m, situ_stable_in(m, 1), n, a->flag);
    const int64_t three[3] = {r.outer, r.n, r.inner};
    at = situ_stable_reshape(t, at, 3, three);
    situ_wire inner = situ_stable_integer(t, SITU_I64, r.inner, &at), block = situ_stable_integer(t, SITU_I64, n * r.inner, &at);
    at = situ_stable_2(t, "multiply", at, inner);
    at = situ_stable_2(t, "add", at, situ_stable_2(t, "multiply", situ_stable_iota(t, SITU_I64, 3, three, 0), block));
    return situ_stable_2(t, "add", at, situ_stable_iota(t, SITU_I64, 3, three, 2));
}

static void gather(situ_stable_maker *m, const situ_axis_attr *a)
{
    situ_wire at = places(m, a, m->call->in[0].dim[a->axis]), x = situ_stable_flat(&m->t, situ_stable_in(m, 0));
    if (is_empty(at) || is_empty(x)) situ_stable_give(m, 0, m->call->out.dtype, situ_stable_number(&m->t, x.type, 0, &at));
    else situ_stable_give(m, 0, m->call->out.dtype, situ_stable_gather(&m->t, x, at));
}

static void scatter(situ_stable_maker *m, const situ_axis_attr *a, bool adds)
{
    situ_stable *t = &m->t;
    situ_wire at = places(m, a, m->call->out.dim[a->axis]);
    situ_wire x = situ_stable_flat(t, adds ? situ_stable_value(m, 0) : situ_stable_in(m, 0));
    situ_wire value = situ_stable_flat(t, adds ? situ_stable_value(m, 2) : situ_stable_in(m, 2));
    if (!is_empty(at) && !is_empty(x)) {
        const situ_wire in[3] = {x, situ_stable_reshape(t, at, 2, (int64_t[]){value.dim[0], 1}), value};
        x = scatter_of(t, in, adds, "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1");
    }
    give(m, x, adds);
}

bool situ_stable_indexes(situ_stable_maker *m)
{
    const situ_op *op = m->call->op;
    const situ_axis_attr *a = m->call->attr;
    if (op == &situ_op_take) take(m, a);
    else if (op == &situ_op_index_add || op == &situ_op_index_copy) write_slices(m, a, op == &situ_op_index_add);
    else if (op == &situ_op_gather) gather(m, a);
    else if (op == &situ_op_scatter || op == &situ_op_scatter_add) scatter(m, a, op == &situ_op_scatter_add);
    else return false;
    return true;
}
