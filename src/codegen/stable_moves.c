/* Calls that move elements, in StableHLO. */
#include <string.h>

#include "codegen/stable_kernel.h"
#include "op/attr.h"
#include "op/generate.h"
#include "op/table.h"
#include "plan/build.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

static bool is_empty(situ_wire a) { return situ_shape_count(a.ndim, a.dim) == 0; }

/* Sets the result, as in memory. */
static void give(situ_stable_maker *m, situ_wire value) { situ_stable_give(m, 0, m->call->out.dtype, value); }

static void concat(situ_stable_maker *m)
{
    int axis = *(const int32_t *)m->call->attr, n = 0;
    situ_wire part[SITU_STABLE_OPERANDS];
    if (m->call->nin > SITU_STABLE_OPERANDS) {
        m->refused = "more than 64 operands";
        return;
    }
    for (int i = 0; i < m->call->nin; i++) {
        part[n] = situ_stable_in(m, i);
        n += !is_empty(part[n]);
    }
    if (n) give(m, situ_stable_concat(&m->t, part, n, axis));
}

/* Writes `value` into `x` from run-time positions on, with these steps. */
static situ_wire put_at(situ_stable_maker *m, situ_wire x, situ_wire value, int word, const int64_t *further)
{
    situ_stable *t = &m->t;
    situ_wire in[2 + SITU_WIRE_DIMS] = {x, value};
    if (is_empty(value)) return x;
    for (int i = 0; i < x.ndim; i++) {
        in[2 + i] = situ_stable_word(t, word + i, SITU_I64);
        if (further[i]) in[2 + i] = situ_stable_2(t, "add", in[2 + i], situ_stable_integer(t, SITU_I64, further[i], NULL));
    }
    situ_wire out = situ_stable_new(t, x.type, x.ndim, x.dim);
    situ_source_add(&t->text, "  %%%d = \"stablehlo.dynamic_update_slice\"(", out.id);
    for (int i = 0; i < 2 + x.ndim; i++) situ_source_add(&t->text, i ? ", %%%d" : "%%%d", in[i].id);
    situ_source_append(&t->text, ")");
    situ_stable_signature(t, in, 2 + x.ndim, &out, 1);
    return out;
}

static void place(situ_stable_maker *m)
{
    const situ_place_attr *a = m->call->attr;
    const situ_layout *l = &m->call->out;
    situ_stable *t = &m->t;
    situ_dtype dtype = (situ_dtype)l->dtype;
    int64_t zero[SITU_WIRE_DIMS] = {0}, inside[SITU_WIRE_DIMS] = {0}, further[SITU_WIRE_DIMS] = {0};
    unsigned back = 0;
    situ_wire number = situ_stable_cast(t, situ_stable_word(t, 0, a->floating ? SITU_F64 : SITU_I64), dtype);
    number = situ_stable_stored(t, number, dtype, dtype);
    situ_wire x = situ_stable_in(m, 0), whole = situ_stable_broadcast(t, number, l->ndim, l->dim, NULL);
    for (int i = 0; i < l->ndim; i++) {
        bool reversed = a->step[i] < 0; /* reversed: the first element has the last position */
        inside[i] = (reversed ? -a->step[i] : a->step[i]) - 1;
        further[i] = reversed ? (x.dim[i] - 1) * a->step[i] : 0;
        back |= (unsigned)reversed << i;
    }
    if (!is_empty(x)) x = situ_stable_pad(t, situ_stable_reverse(t, x, back), number, zero, zero, inside);
    give(m, put_at(m, whole, x, 1, further));
}

static void rotary(situ_stable_maker *m)
{
    situ_stable *t = &m->t;
    const situ_layout *l = &m->call->out;
    int axis = (int)*(const int64_t *)m->call->attr;
    int64_t outer = 1, inner = 1, pairs = l->dim[l->ndim - 1] / 2;
    for (int i = 0; i < axis; i++) outer *= l->dim[i];
    for (int i = axis + 1; i < l->ndim; i++) inner *= l->dim[i];
    int64_t rows = l->dim[axis], five[5] = {outer, rows, pairs ? inner / (2 * pairs) : 0, 2, pairs};
    situ_wire x = situ_stable_reshape(t, situ_stable_value(m, 0), 5, five);
    situ_wire a = situ_stable_part(t, x, 3, 0, 1), b = situ_stable_part(t, x, 3, 1, 2), turn[2];
    for (int i = 0; i < 2; i++)
        turn[i] = situ_stable_broadcast(
            t, situ_stable_reshape(t, situ_stable_value(m, 1 + i), 2, (int64_t[]){rows, pairs}), 5, a.dim, (int64_t[]){1, 4});
    situ_wire both[2];
    both[0] = situ_stable_2(t, "subtract", situ_stable_2(t, "multiply", a, turn[0]), situ_stable_2(t, "multiply", b, turn[1]));
    both[1] = situ_stable_2(t, "add", situ_stable_2(t, "multiply", b, turn[0]), situ_stable_2(t, "multiply", a, turn[1]));
    situ_stable_out(m, situ_stable_concat(t, both, 2, 3));
}

static void fold_in(situ_stable_maker *m)
{
    situ_stable *t = &m->t;
    situ_wire data = situ_stable_convert(t, situ_stable_flat(t, situ_stable_in(m, 1)), SITU_U64);
    situ_wire both = situ_stable_random(t, situ_stable_flat(t, situ_stable_in(m, 0)), data, 1, SITU_U64, true), word[2];
    word[0] = situ_stable_convert(
        t, situ_stable_2(t, "shift_right_logical", both, situ_stable_integer(t, SITU_U64, 32, &both)), SITU_U32);
    word[1] = situ_stable_convert(t, both, SITU_U32);
    give(m, situ_stable_concat(t, word, 2, 0));
}

/* Several numbers from one word, the lowest bits first, or one from each. */
static void narrow_bits(situ_stable_maker *m)
{
    situ_stable *t = &m->t;
    const situ_random_attr *a = m->call->attr;
    const situ_layout *l = &m->call->out;
    int width = 8 * (int)situ_dtype_size((situ_dtype)l->dtype), each = a->partitionable ? 1 : 32 / width;
    int64_t n = situ_shape_count(l->ndim, l->dim), words = (n + each - 1) / each;
    if (!n) return;
    if (words >= 0xffffffff) m->refused = "so many random numbers of one key";
    situ_wire place = situ_stable_iota(t, SITU_U64, 1, &words, 0), part[4];
    situ_wire bits = situ_stable_random(t, situ_stable_flat(t, situ_stable_in(m, 0)), place, words, SITU_U32, a->partitionable);
    for (int i = 0; i < each; i++) {
        situ_wire by = situ_stable_integer(t, SITU_U32, (int64_t)i * width, &bits),
                  low = situ_stable_integer(t, SITU_U32, (1 << width) - 1, &bits);
        part[i] = situ_stable_2(t, "and", situ_stable_2(t, "shift_right_logical", bits, by), low);
        part[i] = situ_stable_reshape(t, situ_stable_convert(t, part[i], l->dtype), 2, (int64_t[]){words, 1});
    }
    situ_wire all = situ_stable_flat(t, situ_stable_concat(t, part, each, 1));
    give(m, situ_stable_part(t, all, 0, 0, n));
}

static void conjugate(situ_stable_maker *m)
{
    situ_stable *t = &m->t;
    situ_wire x = situ_stable_in(m, 0), im = situ_stable_1(t, "negate", situ_stable_1(t, "imag", x));
    give(m, situ_stable_2(t, "complex", situ_stable_1(t, "real", x), im));
}

bool situ_stable_moves(situ_stable_maker *m)
{
    const situ_op *op = m->call->op;
    situ_stable *t = &m->t;
    if (op == &situ_op_concat) concat(m);
    else if (op == &situ_op_place) place(m);
    else if (op == &situ_op_update_slice)
        give(m, put_at(m, situ_stable_in(m, 0), situ_stable_in(m, 1), 0, (int64_t[SITU_WIRE_DIMS]){0}));
    else if (op == &situ_op_contiguous) give(m, situ_stable_in(m, 0));
    else if (op == &situ_op_rotary) rotary(m);
    else if (op == &situ_op_fold_in) fold_in(m);
    else if (op == &situ_op_narrow_bits) narrow_bits(m);
    else if (op == &situ_op_cast_complex)
        situ_stable_out(m, situ_stable_cast(t, situ_stable_value(m, 0), (situ_dtype)m->call->out.dtype));
    else if (op == &situ_op_real) give(m, situ_stable_1(t, "real", situ_stable_in(m, 0)));
    else if (op == &situ_op_imag) give(m, situ_stable_1(t, "imag", situ_stable_in(m, 0)));
    else if (op == &situ_op_conj) conjugate(m);
    else if (op == &situ_op_complex) give(m, situ_stable_2(t, "complex", situ_stable_in(m, 0), situ_stable_in(m, 1)));
    else return false;
    return true;
}
