/* A batch norm with given moments is recorded as elementwise operations. It is recognised here and written as one
 * operator, which runtimes fuse with the convolution before it. */
#include "onnx/out.h"
#include "op/elementwise.h"
#include "op/support.h"
#include "op/table.h"

enum { X, SCALE, SHIFT, MEAN, VARIANCE };

static bool is(const situ_tensor *t, situ_el el) { return t->op->family == SITU_ELEMENTWISE && t->op->code == el; }

/* The vector [channels] that t broadcasts along x's axis 1; NULL: t is something else. */
static situ_tensor *vector_of(situ_tensor *t, const situ_tensor *x)
{
    if (situ_is_number(t) || t->ndim != x->ndim - 1 || t->dim[0] != x->dim[1]) return NULL;
    for (int i = 1; i < t->ndim; i++)
        if (t->dim[i] != 1) return NULL;
    if (t->ndim > 1) t = t->op == &situ_op_reshape ? situ_node_in(t)[0] : NULL;
    return t && t->ndim == 1 ? t : NULL;
}

/* Matches (x - mean) (scale / sqrt(variance + eps)) + shift, as func/norm.c records it. */
static bool parts_of(const situ_tensor *y, situ_tensor **part, double *eps)
{
    if (!is(y, SITU_EL_add) || y->ndim < 2 || !situ_dtype_is_float((situ_dtype)y->dtype)) return false;
    situ_tensor *product = situ_node_in(y)[0];
    if (situ_is_number(product) || !is(product, SITU_EL_mul) || situ_is_number(situ_node_in(product)[0])) return false;
    situ_tensor *centered = situ_node_in(product)[0];
    if (!is(centered, SITU_EL_sub) || situ_is_number(situ_node_in(centered)[0])) return false;
    situ_tensor *x = part[X] = situ_node_in(centered)[0];
    if (!situ_shape_equal(x->ndim, x->dim, y->ndim, y->dim)) return false;
    situ_tensor *factor = vector_of(situ_node_in(product)[1], x);
    part[SHIFT] = vector_of(situ_node_in(y)[1], x);
    part[MEAN] = vector_of(situ_node_in(centered)[1], x);
    if (!factor || !part[SHIFT] || !part[MEAN] || !is(factor, SITU_EL_mul)) return false;
    situ_tensor *root = situ_node_in(factor)[0];
    part[SCALE] = situ_node_in(factor)[1];
    if (situ_is_number(root) || !is(root, SITU_EL_rsqrt) || situ_is_number(part[SCALE]) || part[SCALE]->ndim != 1) return false;
    situ_tensor *sum = situ_node_in(root)[0];
    if (!is(sum, SITU_EL_add) || !situ_is_number(situ_node_in(sum)[1]) || situ_is_number(situ_node_in(sum)[0])) return false;
    part[VARIANCE] = situ_node_in(sum)[0];
    *eps = situ_number_f64(situ_node_in(sum)[1]);
    for (int i = SCALE; i <= VARIANCE; i++)
        if (part[i]->ndim != 1 || part[i]->dim[0] != x->dim[1] || part[i]->dtype != x->dtype) return false;
    return true;
}

int situ_out_norm_operands(const situ_tensor *y, situ_tensor **in)
{
    double eps;
    return parts_of(y, in, &eps) ? VARIANCE + 1 : 0;
}

const char *situ_out_norm(situ_out *o, const situ_out_value *v)
{
    situ_tensor *part[VARIANCE + 1];
    double eps;
    const char *in[VARIANCE + 1];
    if (!parts_of(v->t[0], part, &eps)) return situ_out_elementwise(o, v);
    situ_dtype d = (situ_dtype)v->t[0]->dtype, wide = situ_out_compute(d);
    for (int i = 0; i <= VARIANCE; i++) in[i] = situ_out_cast(o, situ_out_name_of(o, part[i]), d, wide);
    situ_out_float(o, "epsilon", eps);
    return situ_out_cast(o, situ_out_node(o, "BatchNormalization", in, VARIANCE + 1, 1), wide, d);
}
