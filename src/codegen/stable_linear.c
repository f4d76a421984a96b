/* Factorizations in StableHLO, for all matrices of a batch at once and in double precision, as on the CPU: Cholesky's
 * is an operation of StableHLO, LU and QR are loops over columns. Matrices are [batch, rows, columns], a column of
 * each is [batch, rows], a number of each [batch]. */
#include <math.h>

#include "codegen/stable_kernel.h"
#include "op/attr.h"
#include "op/linalg.h"
#include "op/reduce_kind.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

enum { BATCH = 1, ROWS = 2, COLUMNS = 4 }; /* bit mask of axes */

/* ---- helpers ---- */

static situ_wire two(situ_stable *t, const char *operation, situ_wire a, situ_wire b) { return situ_stable_2(t, operation, a, b); }
static situ_wire number(situ_stable *t, double value, situ_wire like) { return situ_stable_number(t, like.type, value, &like); }

static situ_wire matrices(situ_stable_maker *m, int operand)
{
    situ_wire x = situ_stable_value(m, operand);
    int64_t dim[3] = {1, x.dim[x.ndim - 2], x.dim[x.ndim - 1]};
    for (int i = 0; i < x.ndim - 2; i++) dim[0] *= x.dim[i];
    x = situ_stable_cast(&m->t, x, situ_dtype_is_complex((situ_dtype)x.type) ? SITU_C128 : SITU_F64);
    return situ_stable_reshape(&m->t, x, 3, dim);
}

static void give(situ_stable_maker *m, situ_wire y)
{
    situ_stable_out(m, situ_stable_reshape(&m->t, y, m->call->out.ndim, m->call->out.dim));
}

/* Broadcasts a, which has these axes, to the shape of `like`. */
static situ_wire spread(situ_stable *t, situ_wire a, situ_wire like, unsigned axes)
{
    int64_t axis[3];
    int n = 0;
    for (int i = 0; i < like.ndim; i++)
        if (axes >> i & 1) axis[n++] = i;
    return situ_stable_broadcast(t, a, like.ndim, like.dim, axis);
}

/* The slice at a run-time index of an axis, which is removed. */
static situ_wire cut(situ_stable *t, situ_wire x, int axis, situ_wire at)
{
    situ_wire in[4] = {x}, zero = situ_stable_integer(t, SITU_I64, 0, NULL);
    int64_t dim[3], rest[2];
    int n = 0;
    for (int i = 0; i < x.ndim; i++) {
        dim[i] = i == axis ? 1 : x.dim[i];
        in[1 + i] = i == axis ? at : zero;
        if (i != axis) rest[n++] = x.dim[i];
    }
    situ_wire out = situ_stable_new(t, x.type, x.ndim, dim);
    situ_source_add(&t->text, "  %%%d = \"stablehlo.dynamic_slice\"(", out.id);
    for (int i = 0; i <= x.ndim; i++) situ_source_add(&t->text, i ? ", %%%d" : "%%%d", in[i].id);
    situ_source_append(&t->text, ") {");
    situ_stable_numbers(t, "slice_sizes", x.ndim, dim);
    situ_source_append(&t->text, "}");
    situ_stable_signature(t, in, 1 + x.ndim, &out, 1);
    return situ_stable_reshape(t, out, n, rest);
}

/* True where an index along an axis of `like` is before, at or after a position: "LT", "EQ", "GE", ... */
static situ_wire where(situ_stable *t, situ_wire like, int axis, const char *how, situ_wire place)
{
    situ_wire at = situ_stable_iota(t, SITU_I64, like.ndim, like.dim, axis);
    return situ_stable_compare(t, how, at, spread(t, place, at, 0));
}

static situ_wire diagonal(situ_stable *t, situ_wire x)
{
    x = situ_stable_part(t, x, 2, 0, x.dim[1]);
    situ_wire row = situ_stable_iota(t, SITU_I64, 3, x.dim, 1), column = situ_stable_iota(t, SITU_I64, 3, x.dim, 2);
    situ_wire on_it = situ_stable_select(t, situ_stable_compare(t, "EQ", row, column), x, number(t, 0, x));
    return situ_stable_reduce(t, on_it, SITU_REDUCE_SUM, COLUMNS);
}

static situ_wire real_part(situ_stable *t, situ_wire x) { return x.type == SITU_C128 ? situ_stable_1(t, "real", x) : x; }
static situ_wire conjugate(situ_stable *t, situ_wire x)
{
    if (x.type != SITU_C128) return x;
    return two(t, "complex", situ_stable_1(t, "real", x), situ_stable_1(t, "negate", situ_stable_1(t, "imag", x)));
}
static situ_wire as(situ_stable *t, situ_wire x, int type) { return situ_stable_cast(t, x, (situ_dtype)type); }

/* A cheap magnitude; and one in which NaN is largest, so that it is chosen and propagates. */
static situ_wire size_of(situ_stable *t, situ_wire x)
{
    if (x.type != SITU_C128) return situ_stable_1(t, "abs", x);
    return two(
        t, "add", situ_stable_1(t, "abs", situ_stable_1(t, "real", x)), situ_stable_1(t, "abs", situ_stable_1(t, "imag", x)));
}
static situ_wire weight(situ_stable *t, situ_wire x)
{
    situ_wire size = size_of(t, x);
    return situ_stable_select(t, situ_stable_compare(t, "EQ", size, size), size, number(t, INFINITY, size));
}

static situ_wire next_step(situ_stable *t, situ_wire k) { return two(t, "add", k, situ_stable_integer(t, SITU_I64, 1, NULL)); }

/* ---- Cholesky ---- */

static void cholesky(situ_stable_maker *m)
{
    situ_stable *t = &m->t;
    situ_wire x = matrices(m, 0), y = situ_stable_new(t, x.type, 3, x.dim);
    situ_source_add(&t->text, "  %%%d = \"stablehlo.cholesky\"(%%%d) {lower = true}", y.id, x.id);
    situ_stable_signature(t, &x, 1, &y, 1);
    situ_wire on_it = real_part(t, diagonal(t, y)), good = situ_stable_compare(t, "GT", on_it, number(t, 0, on_it));
    situ_wire bad = situ_stable_reduce(t, situ_stable_1(t, "not", good), SITU_REDUCE_ANY, ROWS);
    situ_stable_fault(m, bad, SITU_SINGULAR, NULL, 0);
    situ_wire row = situ_stable_iota(t, SITU_I64, 3, y.dim, 1), column = situ_stable_iota(t, SITU_I64, 3, y.dim, 2);
    y = situ_stable_select(t, situ_stable_compare(t, "GE", row, column), y, number(t, 0, y));
    give(m, situ_stable_select(t, spread(t, bad, y, BATCH), number(t, NAN, y), y));
}

/* ---- LU ---- */

/* Swaps row k with the row that has the largest number in column k from there on. *best: that row, *moved: is it
 * another row? */
static situ_wire pivoted(situ_stable *t, situ_wire a, situ_wire k, situ_wire *best, situ_wire *moved)
{
    situ_wire size = weight(t, cut(t, a, 2, k)), row = situ_stable_iota(t, SITU_I64, 2, size.dim, 1);
    size = situ_stable_select(t, where(t, size, 1, "LT", k), number(t, -1, size), size);
    situ_wire most = spread(t, situ_stable_reduce(t, size, SITU_REDUCE_MAX, ROWS), size, BATCH);
    situ_wire none = situ_stable_integer(t, SITU_I64, INT64_MAX, &row);
    situ_wire at = situ_stable_select(t, situ_stable_compare(t, "EQ", size, most), row, none);
    at = situ_stable_reduce(t, at, SITU_REDUCE_MIN, ROWS);
    situ_wire here = spread(t, situ_stable_compare(t, "EQ", row, spread(t, at, row, BATCH)), a, BATCH | ROWS);
    *best = situ_stable_reduce(t, situ_stable_select(t, here, a, number(t, 0, a)), SITU_REDUCE_SUM, ROWS);
    *moved = situ_stable_compare(t, "NE", at, spread(t, k, at, 0));
    a = situ_stable_select(t, here, spread(t, cut(t, a, 1, k), a, BATCH | COLUMNS), a);
    return situ_stable_select(t, where(t, a, 1, "EQ", k), spread(t, *best, a, BATCH | COLUMNS), a);
}

/* Makes the first columns of a triangular by elimination. *sign: 1 or -1, the sign of the row permutation. */
static situ_wire triangular(situ_stable *t, situ_wire a, situ_wire *sign)
{
    situ_wire in[3], out[3], inside[3], next[3], best, moved, each = {.ndim = 1, .dim = {a.dim[0]}};
    in[0] = situ_stable_integer(t, SITU_I64, 0, NULL);
    in[1] = a;
    in[2] = situ_stable_number(t, a.type, 1, &each);
    situ_stable_loop(t, in, 3, out, inside, a.dim[1]);
    situ_wire k = inside[0];
    a = pivoted(t, inside[1], k, &best, &moved);
    situ_wire column = cut(t, a, 2, k), pivot = spread(t, cut(t, best, 1, k), column, BATCH), zero = number(t, 0, column);
    situ_wire factor = situ_stable_select(t, situ_stable_compare(t, "EQ", pivot, zero), zero, two(t, "divide", column, pivot));
    situ_wire off = two(t, "multiply", spread(t, factor, a, BATCH | ROWS), spread(t, best, a, BATCH | COLUMNS));
    next[0] = next_step(t, k);
    next[1] = situ_stable_select(t, where(t, a, 1, "GT", k), two(t, "subtract", a, off), a);
    next[2] = situ_stable_select(t, moved, situ_stable_1(t, "negate", inside[2]), inside[2]);
    situ_stable_loop_end(t, in, 3, next, out);
    *sign = out[2];
    return out[1];
}

/* Solves u x = y by back substitution. */
static situ_wire solved(situ_stable *t, situ_wire u, situ_wire y)
{
    situ_wire in[2], out[2], inside[2], next[2];
    in[0] = situ_stable_integer(t, SITU_I64, 0, NULL);
    in[1] = y;
    situ_stable_loop(t, in, 2, out, inside, u.dim[1]);
    situ_wire i = two(t, "subtract", situ_stable_integer(t, SITU_I64, u.dim[1] - 1, NULL), inside[0]), row;
    y = inside[1];
    row = cut(t, y, 1, i);
    row = spread(t, two(t, "divide", row, spread(t, cut(t, cut(t, u, 1, i), 1, i), row, BATCH)), y, BATCH | COLUMNS);
    situ_wire less = two(t, "subtract", y, two(t, "multiply", spread(t, cut(t, u, 2, i), y, BATCH | ROWS), row));
    next[0] = next_step(t, inside[0]);
    next[1] = situ_stable_select(t, where(t, y, 1, "EQ", i), row, situ_stable_select(t, where(t, y, 1, "LT", i), less, y));
    situ_stable_loop_end(t, in, 2, next, out);
    return out[1];
}

static void solve(situ_stable_maker *m)
{
    situ_stable *t = &m->t;
    situ_wire both[2] = {matrices(m, 0), matrices(m, 1)}, sign;
    int64_t n = both[0].dim[1], right = both[1].dim[2];
    situ_wire all = triangular(t, situ_stable_concat(t, both, 2, 2), &sign), u = situ_stable_part(t, all, 2, 0, n);
    situ_wire on_it = diagonal(t, u), none = situ_stable_compare(t, "EQ", on_it, number(t, 0, on_it));
    situ_stable_fault(m, situ_stable_reduce(t, none, SITU_REDUCE_ANY, ROWS), SITU_SINGULAR, NULL, 0);
    give(m, solved(t, u, situ_stable_part(t, all, 2, n, n + right)));
}

/* The determinant, its sign or phase, or the logarithm of its magnitude. */
static void det(situ_stable_maker *m, int what)
{
    situ_stable *t = &m->t;
    situ_wire x = matrices(m, 0), each = {.ndim = 1, .dim = {x.dim[0]}}, sign;
    if (!x.dim[1]) {
        give(m, situ_stable_number(t, x.type, what != SITU_DET_LOGARITHM, &each));
        return;
    }
    situ_wire d = diagonal(t, triangular(t, x, &sign)), size = situ_stable_1(t, "abs", d);
    if (what == SITU_DET_LOGARITHM) {
        give(m, situ_stable_reduce(t, situ_stable_1(t, "log", size), SITU_REDUCE_SUM, ROWS));
        return;
    }
    if (what == SITU_DET_PHASE) {
        situ_wire none = situ_stable_compare(t, "EQ", size, number(t, 0, size));
        situ_wire some = situ_stable_compare(t, "GT", size, number(t, 0, size));
        situ_wire else_ = situ_stable_select(t, none, number(t, 0, d), number(t, NAN, d));
        d = situ_stable_select(t, some, two(t, "divide", d, as(t, size, d.type)), else_);
    }
    give(m, two(t, "multiply", sign, situ_stable_reduce(t, d, SITU_REDUCE_PROD, ROWS)));
}

/* ---- QR, by the reflections 1 - s v v^H, as on the CPU ---- */

/* Applies (1 - s v v^H) to b, in columns from k (or after it) on; v is 0 before row k. */
static situ_wire reflected(situ_stable *t, situ_wire b, situ_wire v, situ_wire s, situ_wire k, bool behind)
{
    situ_wire zero = number(t, 0, b), rows = where(t, b, 1, "GE", k), columns = where(t, b, 2, behind ? "GT" : "GE", k);
    situ_wire w = two(t, "multiply", conjugate(t, spread(t, v, b, BATCH | ROWS)), b);
    w = situ_stable_reduce(t, situ_stable_select(t, rows, w, zero), SITU_REDUCE_SUM, ROWS);
    w = two(t, "multiply", spread(t, s, w, BATCH), w);
    situ_wire less = two(t, "subtract", b, two(t, "multiply", spread(t, v, b, BATCH | ROWS), spread(t, w, b, BATCH | COLUMNS)));
    situ_wire any = spread(t, situ_stable_compare(t, "NE", s, number(t, 0, s)), b, BATCH);
    return situ_stable_select(t, two(t, "and", any, two(t, "and", rows, columns)), less, b);
}

/* The reflection that maps column k, from row k on, to a multiple of the first unit vector: its v below row k, and s.
 * *beta: the multiple. */
static situ_wire reflector(situ_stable *t, situ_wire column, situ_wire k, situ_wire *s, situ_wire *beta)
{
    situ_wire below = where(t, column, 1, "GT", k), from = where(t, column, 1, "GE", k), x = cut(t, column, 1, k);
    situ_wire size = weight(t, column), zero = number(t, 0, size), large;
    large = situ_stable_reduce(t, situ_stable_select(t, below, size, zero), SITU_REDUCE_MAX, ROWS);
    situ_wire idle = situ_stable_compare(t, "EQ", large, number(t, 0, large)), own = size_of(t, x);
    if (x.type == SITU_C128) {
        situ_wire im = situ_stable_1(t, "imag", x);
        idle = two(t, "and", idle, situ_stable_compare(t, "EQ", im, number(t, 0, im)));
    }
    large = situ_stable_select(t, situ_stable_compare(t, "GT", own, large), own, large); /* NaN: not larger */
    situ_wire part = two(t, "divide", column, as(t, spread(t, large, column, BATCH), column.type));
    part = real_part(t, two(t, "multiply", part, conjugate(t, part)));
    situ_wire sum = situ_stable_reduce(t, situ_stable_select(t, from, part, zero), SITU_REDUCE_SUM, ROWS);
    situ_wire length = two(t, "multiply", large, situ_stable_1(t, "sqrt", sum)),
              bits = situ_stable_bits(t, real_part(t, x), SITU_I64);
    situ_wire is_negative = situ_stable_compare(t, "LT", bits, situ_stable_integer(t, SITU_I64, 0, &bits));
    situ_wire to = as(t, situ_stable_select(t, is_negative, length, situ_stable_1(t, "negate", length)), x.type);
    situ_wire v = two(t, "divide", column, spread(t, two(t, "subtract", x, to), column, BATCH));
    *s = situ_stable_select(t, idle, number(t, 0, x), two(t, "divide", two(t, "subtract", to, x), to));
    *beta = situ_stable_select(t, idle, x, to);
    below = two(t, "and", below, situ_stable_1(t, "not", spread(t, idle, column, BATCH)));
    return situ_stable_select(t, below, v, number(t, 0, column));
}

static situ_wire with_one(situ_stable *t, situ_wire v, situ_wire k)
{
    return situ_stable_select(t, where(t, v, 1, "EQ", k), number(t, 1, v), v);
}

/* R on and above the diagonal, each v below it; *scales: each s. */
static situ_wire reduced(situ_stable *t, situ_wire a, int64_t steps, situ_wire *scales)
{
    situ_wire in[3], out[3], inside[3], next[3], s, beta, each = {.ndim = 2, .dim = {a.dim[0], steps}};
    in[0] = situ_stable_integer(t, SITU_I64, 0, NULL);
    in[1] = a;
    in[2] = situ_stable_number(t, a.type, 0, &each);
    situ_stable_loop(t, in, 3, out, inside, steps);
    situ_wire k = inside[0], v = reflector(t, cut(t, inside[1], 2, k), k, &s, &beta);
    a = reflected(t, inside[1], with_one(t, v, k), conjugate(t, s), k, true);
    situ_wire column = cut(t, a, 2, k);
    column = situ_stable_select(t, where(t, column, 1, "GT", k), v, column);
    column = situ_stable_select(t, where(t, column, 1, "EQ", k), spread(t, beta, column, BATCH), column);
    next[0] = next_step(t, k);
    next[1] = situ_stable_select(t, where(t, a, 2, "EQ", k), spread(t, column, a, BATCH | ROWS), a);
    next[2] = situ_stable_select(t, where(t, inside[2], 1, "EQ", k), spread(t, s, inside[2], BATCH), inside[2]);
    situ_stable_loop_end(t, in, 3, next, out);
    *scales = out[2];
    return out[1];
}

/* Applies the reflections one after the other to a unit matrix. */
static situ_wire orthogonal(situ_stable *t, situ_wire a, situ_wire scales, int64_t columns)
{
    situ_wire in[2], out[2], inside[2], next[2], q = {.ndim = 3, .dim = {a.dim[0], a.dim[1], columns}};
    situ_wire row = situ_stable_iota(t, SITU_I64, 3, q.dim, 1), column = situ_stable_iota(t, SITU_I64, 3, q.dim, 2);
    in[0] = situ_stable_integer(t, SITU_I64, 0, NULL);
    in[1] = as(t, situ_stable_convert(t, situ_stable_compare(t, "EQ", row, column), SITU_F64), a.type);
    int64_t steps = scales.dim[1];
    if (!steps) return in[1];
    situ_stable_loop(t, in, 2, out, inside, steps);
    situ_wire k = two(t, "subtract", situ_stable_integer(t, SITU_I64, steps - 1, NULL), inside[0]), v = cut(t, a, 2, k);
    v = with_one(t, situ_stable_select(t, where(t, v, 1, "LT", k), number(t, 0, v), v), k);
    next[0] = next_step(t, inside[0]);
    next[1] = reflected(t, inside[1], v, cut(t, scales, 1, k), k, false);
    situ_stable_loop_end(t, in, 2, next, out);
    return out[1];
}

static situ_wire rows_of(situ_stable *t, situ_wire x)
{
    return situ_stable_reshape(t, x, 2, (int64_t[]){x.dim[0], x.dim[1] * x.dim[2]});
}

/* Packed result: Q, then R. */
static void qr(situ_stable_maker *m, bool full)
{
    situ_stable *t = &m->t;
    situ_wire a = matrices(m, 0), scales = {.ndim = 2, .dim = {a.dim[0], 0}}, part[2];
    int64_t rows = a.dim[1], columns = a.dim[2], least = rows < columns ? rows : columns, k = full ? rows : least;
    if (least) a = reduced(t, a, least, &scales);
    part[0] = rows_of(t, orthogonal(t, a, scales, k));
    if (!least) {
        give(m, part[0]);
        return;
    }
    situ_wire r = situ_stable_part(t, a, 1, 0, k);
    situ_wire row = situ_stable_iota(t, SITU_I64, 3, r.dim, 1), column = situ_stable_iota(t, SITU_I64, 3, r.dim, 2);
    part[1] = rows_of(t, situ_stable_select(t, situ_stable_compare(t, "GE", column, row), r, number(t, 0, r)));
    give(m, situ_stable_concat(t, part, 2, 1));
}

bool situ_stable_linear(situ_stable_maker *m)
{
    const situ_op *op = m->call->op;
    const situ_factor_attr *a = m->call->attr;
    if (op == &situ_op_eigh || op == &situ_op_svd || op == &situ_op_eig) {
        m->refused = "eigenvalues and singular values take loops that end when they have converged";
        return true;
    }
    if (op != &situ_op_cholesky && op != &situ_op_solve && op != &situ_op_det && op != &situ_op_qr) return false;
    if (!situ_shape_count(m->call->out.ndim, m->call->out.dim)) return true;
    if (op == &situ_op_cholesky) cholesky(m);
    else if (op == &situ_op_solve) solve(m);
    else if (op == &situ_op_det) det(m, a->what);
    else qr(m, a->what == SITU_FACTOR_FULL);
    return true;
}
