/* Products and convolutions in StableHLO, with the precision of their dtype. */
#include <string.h>

#include "codegen/stable_kernel.h"
#include "op/conv.h"
#include "op/table.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

#define PRECISE "precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]"

static bool is_empty(situ_wire a) { return situ_shape_count(a.ndim, a.dim) == 0; }

/* Handles empty sums: gives zeros. */
static bool gave_zeros(situ_stable_maker *m, situ_wire a, situ_wire b)
{
    situ_wire like = {.ndim = m->call->out.ndim};
    memcpy(like.dim, m->call->out.dim, sizeof m->call->out.dim);
    if (!is_empty(a) && !is_empty(b)) return false;
    situ_stable_out(m, situ_stable_number(&m->t, situ_dtype_compute((situ_dtype)m->call->out.dtype), 0, &like));
    return true;
}

/* Broadcasts leading axes to those of the result. */
static situ_wire batched(situ_stable *t, situ_wire a, const situ_layout *out)
{
    int64_t dim[SITU_WIRE_DIMS], axis[SITU_WIRE_DIMS];
    int lead = out->ndim - a.ndim;
    memcpy(dim, out->dim, sizeof out->dim);
    dim[out->ndim - 2] = a.dim[a.ndim - 2];
    dim[out->ndim - 1] = a.dim[a.ndim - 1];
    for (int i = 0; i < a.ndim; i++) axis[i] = lead + i;
    bool same = !lead && !memcmp(dim, a.dim, 8 * (size_t)a.ndim);
    return same ? a : situ_stable_broadcast(t, a, out->ndim, dim, axis);
}

static void list(situ_source *s, int n)
{
    for (int i = 0; i < n; i++) situ_source_add(s, i ? ", %d" : "%d", i);
}

/* Contracts a's axis x with b's axis y; the first `batches` axes are batch axes. */
static situ_wire dot(situ_stable *t, situ_wire a, situ_wire b, int batches, int x, int y)
{
    const situ_wire in[2] = {a, b};
    int64_t dim[SITU_WIRE_DIMS];
    int n = 0;
    for (int i = 0; i < a.ndim; i++)
        if (i != x) dim[n++] = a.dim[i];
    for (int i = batches; i < b.ndim; i++)
        if (i != y) dim[n++] = b.dim[i];
    situ_wire out = situ_stable_new(t, a.type, n, dim);
    situ_source_add(
        &t->text, "  %%%d = \"stablehlo.dot_general\"(%%%d, %%%d) {dot_dimension_numbers = #stablehlo.dot<", out.id, a.id, b.id);
    if (batches) {
        situ_source_append(&t->text, "lhs_batching_dimensions = [");
        list(&t->text, batches);
        situ_source_append(&t->text, "], rhs_batching_dimensions = [");
        list(&t->text, batches);
        situ_source_append(&t->text, "], ");
    }
    situ_source_add(&t->text, "lhs_contracting_dimensions = [%d], rhs_contracting_dimensions = [%d]>, " PRECISE "}", x, y);
    situ_stable_signature(t, in, 2, &out, 1);
    return out;
}

/* The second operand; if the batch shares one matrix, only that matrix. */
static situ_wire second(situ_stable_maker *m)
{
    const situ_layout *l = &m->call->in[1];
    int lead = l->ndim - 2;
    for (int i = 0; i < lead; i++)
        if (l->dim[i] != 1 && l->stride[i]) return situ_stable_value(m, 1);
    situ_wire b = situ_stable_operand_of(m, 2, l->dtype, 2, l->dim + lead, l->stride + lead);
    return situ_stable_loaded(&m->t, b, (situ_dtype)l->dtype);
}

static void matmul(situ_stable_maker *m)
{
    situ_stable *t = &m->t;
    const situ_layout *out = &m->call->out;
    situ_wire a = situ_stable_value(m, 0), b = second(m);
    if (gave_zeros(m, a, b)) return;
    bool logic = out->dtype == SITU_BOOL;
    if (logic) a = situ_stable_convert(t, a, SITU_I32), b = situ_stable_convert(t, b, SITU_I32);
    a = batched(t, a, out);
    bool one = b.ndim == 2; /* all rows of the batch at once, so that the shared matrix is not repeated */
    int batches = one ? 0 : out->ndim - 2;
    if (!one) b = batched(t, b, out);
    situ_wire y = dot(t, a, b, batches, out->ndim - 1, batches);
    situ_stable_out(m, logic ? situ_stable_compare(t, "NE", y, situ_stable_integer(t, SITU_I32, 0, &y)) : y);
}

static void rows_product(situ_stable_maker *m)
{
    if (m->call->in[1].dtype == SITU_U8) {
        m->refused = "weights in blocks";
        return;
    }
    situ_wire x = situ_stable_value(m, 0), w = situ_stable_value(m, 1);
    if (!gave_zeros(m, x, w)) situ_stable_out(m, dot(&m->t, x, w, 0, x.ndim - 1, 1));
}

/* ---- convolutions ---- */

typedef struct shape {
    int64_t stride[2], low[2], high[2], left[2], right[2]; /* left, right: dilations of the operands */
    int64_t groups, batch_groups;
    const char *axes;
} shape;

static situ_wire convolve(situ_stable_maker *m, situ_wire a, situ_wire b, const shape *s)
{
    situ_stable *t = &m->t;
    const situ_wire in[2] = {a, b};
    situ_wire out = situ_stable_new(t, a.type, 4, m->call->out.dim);
    situ_source_add(&t->text, "  %%%d = \"stablehlo.convolution\"(%%%d, %%%d) {", out.id, a.id, b.id);
    situ_stable_numbers(t, "window_strides", 2, s->stride);
    situ_source_add(&t->text, ", padding = dense<[[%lld, %lld], [%lld, %lld]]> : tensor<2x2xi64>", (long long)s->low[0],
        (long long)s->high[0], (long long)s->low[1], (long long)s->high[1]);
    situ_stable_numbers(t, ", lhs_dilation", 2, s->left);
    situ_stable_numbers(t, ", rhs_dilation", 2, s->right);
    situ_source_add(&t->text,
        ", window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<%s>, feature_group_count = %lld : i64, "
        "batch_group_count = %lld : i64, " PRECISE "}",
        s->axes, (long long)s->groups, (long long)s->batch_groups);
    situ_stable_signature(t, in, 2, &out, 1);
    return out;
}

static void forward(situ_stable_maker *m, const situ_conv *p, situ_wire x, situ_wire w)
{
    shape s = {.groups = p->groups, .batch_groups = 1, .axes = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]"};
    for (int i = 0; i < 2; i++) {
        s.stride[i] = p->stride[i];
        s.left[i] = 1;
        s.right[i] = p->dilation[i];
        s.low[i] = p->before[i];
        s.high[i] = (p->out[i] - 1) * p->stride[i] + (p->kernel[i] - 1) * p->dilation[i] + 1 - p->image[i] - p->before[i];
    }
    situ_stable_out(m, convolve(m, x, w, &s));
}

/* Gradient by the image: y dilated by the stride, convolved with the flipped kernel. */
static void by_input(situ_stable_maker *m, const situ_conv *p, situ_wire y, situ_wire w)
{
    situ_stable *t = &m->t;
    shape s = {.groups = p->groups, .batch_groups = 1, .axes = "[b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1]"};
    for (int i = 0; i < 2; i++) {
        int64_t reach = (p->kernel[i] - 1) * p->dilation[i];
        s.stride[i] = 1;
        s.left[i] = p->stride[i];
        s.right[i] = p->dilation[i];
        s.low[i] = reach - p->before[i];
        s.high[i] = p->image[i] - ((p->out[i] - 1) * p->stride[i] + 1) - s.low[i] + reach;
    }
    w = situ_stable_reverse(t, w, 4 | 8);
    if (p->groups > 1) {
        const int64_t five[5] = {p->groups, p->group_out, p->group_in, p->kernel[0], p->kernel[1]};
        w = situ_stable_transpose(t, situ_stable_reshape(t, w, 5, five), (int64_t[]){1, 0, 2, 3, 4});
        w = situ_stable_reshape(t, w, 4, (int64_t[]){p->group_out, p->channels, p->kernel[0], p->kernel[1]});
    }
    situ_stable_out(m, convolve(m, y, w, &s));
}

/* Gradient by the kernel: x convolved with y, summed over the images. */
static void by_kernel(situ_stable_maker *m, const situ_conv *p, situ_wire x, situ_wire y)
{
    shape s = {.groups = 1, .batch_groups = p->groups, .axes = "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]"};
    for (int i = 0; i < 2; i++) {
        s.stride[i] = p->dilation[i];
        s.left[i] = 1;
        s.right[i] = p->stride[i];
        s.low[i] = p->before[i];
        s.high[i] = (p->kernel[i] - 1) * p->dilation[i] + (p->out[i] - 1) * p->stride[i] + 1 - p->image[i] - p->before[i];
    }
    situ_stable_out(m, convolve(m, x, y, &s));
}

bool situ_stable_products(situ_stable_maker *m)
{
    const situ_op *op = m->call->op;
    bool product = op == &situ_op_matmul || op == &situ_op_rows_product;
    bool known = op == &situ_op_conv2d || op == &situ_op_conv2d_input || op == &situ_op_conv2d_weight;
    if (!product && !known) return false;
    if (m->call->invariant) {
        m->refused = "it is batch-invariant, and the plugin's compiler chooses the order of its sums by the number of rows";
        return true;
    }
    if (op == &situ_op_matmul) return matmul(m), true;
    if (op == &situ_op_rows_product) return rows_product(m), true;
    situ_conv p = situ_conv_of(m->call);
    situ_wire a = situ_stable_value(m, 0), b = situ_stable_value(m, 1);
    if (gave_zeros(m, a, b)) return true;
    if (op == &situ_op_conv2d) forward(m, &p, a, b);
    else if (op == &situ_op_conv2d_input) by_input(m, &p, a, b);
    else by_kernel(m, &p, a, b);
    return true;
}
