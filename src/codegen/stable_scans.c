/* Cumulative sums, products and recurrences in StableHLO, and Fourier transforms. */
#include <string.h>

#include "codegen/stable_kernel.h"
#include "op/attr.h"
#include "op/table.h"
#include "tensor/dtype.h"

/* x shifted by `by` elements along an axis; `around` fills the gap. */
static situ_wire shifted(situ_stable *t, situ_wire x, int axis, int64_t by, situ_wire around)
{
    int64_t low[SITU_WIRE_DIMS] = {0}, high[SITU_WIRE_DIMS] = {0};
    low[axis] = by;
    high[axis] = -by;
    return situ_stable_pad(t, x, around, low, high, NULL);
}

/* The type of the carried value: a wider one, so that long sums of small numbers keep them. */
static situ_wire widened(situ_stable *t, situ_wire x)
{
    if (x.type == SITU_F32) return situ_stable_convert(t, x, SITU_F64);
    return x.type == SITU_C64 ? situ_stable_cast(t, x, SITU_C128) : x;
}

static situ_wire narrowed(situ_stable *t, situ_wire x, int type)
{
    return situ_dtype_is_complex((situ_dtype)type) ? situ_stable_cast(t, x, (situ_dtype)type) : situ_stable_convert(t, x, type);
}

/* By doubling: after step k each element has the sum of the 2^k elements up to it. */
static void cumsum(situ_stable_maker *m, const situ_axis_attr *a)
{
    situ_stable *t = &m->t;
    situ_wire x = situ_stable_value(m, 0), y = widened(t, x), zero = situ_stable_number(t, y.type, 0, NULL);
    if (a->flag) y = situ_stable_reverse(t, y, 1u << a->axis);
    for (int64_t by = 1; by < x.dim[a->axis]; by *= 2) y = situ_stable_2(t, "add", y, shifted(t, y, a->axis, by, zero));
    if (a->flag) y = situ_stable_reverse(t, y, 1u << a->axis);
    situ_stable_out(m, narrowed(t, y, x.type));
}

/* ---- step by step, because the product of a block can overflow where no result does ---- */

void situ_stable_loop(situ_stable *t, const situ_wire *in, int n, situ_wire *out, situ_wire *inside, int64_t steps)
{
    situ_wire test[SITU_STABLE_CARRIED];
    for (int i = 0; i < n; i++) out[i] = situ_stable_new(t, in[i].type, in[i].ndim, in[i].dim);
    situ_source_add(&t->text, "  %%%d:%d = \"stablehlo.while\"(", out[0].id, n);
    for (int i = 0; i < n; i++) situ_source_add(&t->text, i ? ", %%%d" : "%%%d", in[i].id);
    situ_source_append(&t->text, ") ({\n  ^bb0(");
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            situ_wire w = situ_stable_new(t, in[i].type, in[i].ndim, in[i].dim);
            *(pass ? &inside[i] : &test[i]) = w;
            situ_source_add(&t->text, i ? ", %%%d: " : "%%%d: ", w.id);
            situ_stable_type(&t->text, w.type, w.ndim, w.dim);
        }
        situ_source_append(&t->text, "):\n");
        if (pass) break;
        situ_wire more = situ_stable_compare(t, "LT", test[0], situ_stable_integer(t, SITU_I64, steps, NULL));
        situ_source_add(&t->text, "  \"stablehlo.return\"(%%%d) : (tensor<i1>) -> ()\n  }, {\n  ^bb0(", more.id);
    }
}

void situ_stable_loop_end(situ_stable *t, const situ_wire *in, int n, const situ_wire *next, situ_wire *out)
{
    situ_source_append(&t->text, "  \"stablehlo.return\"(");
    for (int i = 0; i < n; i++) situ_source_add(&t->text, i ? ", %%%d" : "%%%d", next[i].id);
    situ_source_append(&t->text, ")");
    situ_stable_signature(t, next, n, NULL, 0);
    situ_source_append(&t->text, "  })");
    situ_stable_signature(t, in, n, out, n);
    int results = out[0].id;
    for (int i = 0; i < n; i++) {
        out[i] = situ_stable_new(t, in[i].type, in[i].ndim, in[i].dim);
        situ_source_add(&t->text, "  %%%d = \"stablehlo.reshape\"(%%%d#%d)", out[i].id, results, i);
        situ_stable_signature(t, &in[i], 1, &out[i], 1);
    }
}

/* Row `at` of x along axis 0; or x with that row replaced. */
static situ_wire row_at(situ_stable *t, situ_wire x, situ_wire at, situ_wire zero)
{
    const situ_wire in[3] = {x, at, zero};
    int64_t dim[2] = {1, x.dim[1]};
    situ_wire out = situ_stable_new(t, x.type, 2, dim);
    situ_source_add(&t->text, "  %%%d = \"stablehlo.dynamic_slice\"(%%%d, %%%d, %%%d) {", out.id, x.id, at.id, zero.id);
    situ_stable_numbers(t, "slice_sizes", 2, dim);
    situ_source_append(&t->text, "}");
    situ_stable_signature(t, in, 3, &out, 1);
    return out;
}

static situ_wire with_row(situ_stable *t, situ_wire x, situ_wire row, situ_wire at, situ_wire zero)
{
    const situ_wire in[4] = {x, row, at, zero};
    situ_wire out = situ_stable_new(t, x.type, 2, x.dim);
    situ_source_add(
        &t->text, "  %%%d = \"stablehlo.dynamic_update_slice\"(%%%d, %%%d, %%%d, %%%d)", out.id, x.id, row.id, at.id, zero.id);
    situ_stable_signature(t, in, 4, &out, 1);
    return out;
}

/* Moves the scanned axis to the front and merges all others. */
static situ_wire lines_of(situ_stable *t, situ_wire x, int axis)
{
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < axis; i++) outer *= x.dim[i];
    for (int i = axis + 1; i < x.ndim; i++) inner *= x.dim[i];
    int64_t n = x.dim[axis];
    x = situ_stable_transpose(t, situ_stable_reshape(t, x, 3, (int64_t[]){outer, n, inner}), (int64_t[]){1, 0, 2});
    return situ_stable_reshape(t, x, 2, (int64_t[]){n, outer * inner});
}

static situ_wire from_lines(situ_stable *t, situ_wire y, situ_wire like, int axis)
{
    int64_t inner = 1;
    for (int i = axis + 1; i < like.ndim; i++) inner *= like.dim[i];
    int64_t three[3] = {y.dim[0], inner ? y.dim[1] / inner : 0, inner};
    y = situ_stable_transpose(t, situ_stable_reshape(t, y, 3, three), (int64_t[]){1, 0, 2});
    return situ_stable_reshape(t, y, like.ndim, like.dim);
}

static void recurrence(situ_stable_maker *m, const situ_axis_attr *a, bool product)
{
    situ_stable *t = &m->t;
    situ_wire x = situ_stable_value(m, 0), b = product ? x : situ_stable_value(m, 1), out[3], inside[3], next[3], in[3];
    int64_t n = x.dim[a->axis];
    situ_wire rows = widened(t, lines_of(t, x, a->axis)), more = product ? rows : widened(t, lines_of(t, b, a->axis));
    if (a->flag) rows = situ_stable_reverse(t, rows, 1), more = product ? rows : situ_stable_reverse(t, more, 1);
    in[0] = situ_stable_integer(t, SITU_I64, 0, NULL);
    situ_wire line = {.ndim = 2, .dim = {1, rows.dim[1]}};
    in[1] = situ_stable_number(t, rows.type, product, &line);
    in[2] = situ_stable_number(t, rows.type, 0, &rows);
    situ_wire zero = in[0], one = situ_stable_integer(t, SITU_I64, 1, NULL);
    situ_stable_loop(t, in, 3, out, inside, n);
    situ_wire y = situ_stable_2(t, "multiply", inside[1], row_at(t, rows, inside[0], zero));
    if (!product) y = situ_stable_2(t, "add", y, row_at(t, more, inside[0], zero));
    next[0] = situ_stable_2(t, "add", inside[0], one);
    next[1] = y;
    next[2] = with_row(t, inside[2], y, inside[0], zero);
    situ_stable_loop_end(t, in, 3, next, out);
    situ_wire result = a->flag ? situ_stable_reverse(t, out[2], 1) : out[2];
    situ_stable_out(m, narrowed(t, from_lines(t, result, x, a->axis), x.type));
}

/* ---- Fourier transforms ---- */

static situ_wire last_axis(situ_stable *t, situ_wire x, int axis)
{
    int64_t order[SITU_WIRE_DIMS];
    for (int i = 0; i < x.ndim; i++) order[i] = i;
    order[axis] = x.ndim - 1;
    order[x.ndim - 1] = axis;
    return situ_stable_transpose(t, x, order);
}

/* x cut, or padded with zeros, to n along its last axis. */
static situ_wire fitted(situ_stable *t, situ_wire x, int64_t n)
{
    int64_t low[SITU_WIRE_DIMS] = {0}, high[SITU_WIRE_DIMS] = {0};
    int last = x.ndim - 1;
    if (x.dim[last] > n) return situ_stable_part(t, x, last, 0, n);
    high[last] = n - x.dim[last];
    return situ_stable_pad(t, x, situ_stable_number(t, x.type, 0, NULL), low, high, NULL);
}

/* The whole spectrum of a real result: the second half mirrors the first; self-mirrored elements are real. */
static situ_wire mirrored(situ_stable *t, situ_wire x, int64_t n)
{
    int last = x.ndim - 1;
    situ_wire re = situ_stable_1(t, "real", x), im = situ_stable_1(t, "imag", x);
    situ_wire at = situ_stable_iota(t, SITU_I64, x.ndim, x.dim, last), alone;
    alone = situ_stable_compare(t, "EQ", at, situ_stable_integer(t, SITU_I64, 0, &at));
    if (n % 2 == 0)
        alone = situ_stable_2(t, "or", alone, situ_stable_compare(t, "EQ", at, situ_stable_integer(t, SITU_I64, n / 2, &at)));
    im = situ_stable_select(t, alone, situ_stable_number(t, im.type, 0, &im), im);
    situ_wire half[2] = {situ_stable_2(t, "complex", re, im), {0}};
    int64_t rest = n - x.dim[last];
    if (!rest) return half[0];
    situ_wire back = situ_stable_reverse(t, situ_stable_part(t, half[0], last, 1, 1 + rest), 1u << last);
    half[1] =
        situ_stable_2(t, "complex", situ_stable_1(t, "real", back), situ_stable_1(t, "negate", situ_stable_1(t, "imag", back)));
    return situ_stable_concat(t, half, 2, last);
}

static void fft(situ_stable_maker *m, const situ_fft_attr *a)
{
    situ_stable *t = &m->t;
    situ_wire x = last_axis(t, situ_stable_value(m, 0), a->axis);
    int type = situ_dtype_complex((situ_dtype)x.type);
    if (x.type != type) x = situ_stable_cast(t, x, (situ_dtype)type);
    x = fitted(t, x, a->kind == SITU_FFT_TO_REAL ? a->n / 2 + 1 : a->n);
    if (a->kind == SITU_FFT_TO_REAL) x = mirrored(t, x, a->n);
    situ_wire y = situ_stable_new(t, type, x.ndim, x.dim);
    situ_source_add(&t->text, "  %%%d = \"stablehlo.fft\"(%%%d) {fft_type = #stablehlo<fft_type %s>, ", y.id, x.id,
        a->inverse ? "IFFT" : "FFT");
    situ_stable_numbers(t, "fft_length", 1, &a->n);
    situ_source_append(&t->text, "}");
    situ_stable_signature(t, &x, 1, &y, 1);
    if (a->kind == SITU_FFT_FROM_REAL) y = situ_stable_part(t, y, y.ndim - 1, 0, a->n / 2 + 1);
    if (a->kind == SITU_FFT_TO_REAL) y = situ_stable_1(t, "real", y);
    double scale = situ_fft_scale(a) * (a->inverse ? (double)a->n : 1);
    if (scale != 1) y = situ_stable_2(t, "multiply", y, situ_stable_number(t, y.type, scale, &y));
    situ_stable_out(m, last_axis(t, y, a->axis));
}

static bool has_nothing(const situ_call_desc *c)
{
    for (int i = 0; i < c->out.ndim; i++)
        if (!c->out.dim[i]) return true;
    return false;
}

bool situ_stable_scans(situ_stable_maker *m)
{
    const situ_op *op = m->call->op;
    bool sums = op == &situ_op_cumsum, products = op == &situ_op_cumprod, linear = op == &situ_op_linear_scan;
    if (!sums && !products && !linear && op != &situ_op_fft) return false;
    if (has_nothing(m->call)) return true;
    if (sums) cumsum(m, m->call->attr);
    else if (op == &situ_op_fft) fft(m, m->call->attr);
    else recurrence(m, m->call->attr, products);
    return true;
}
