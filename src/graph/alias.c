/* Nodes with another node's value: alias, for gradients, and value, for a variable's value that is still pending. */
#include <string.h>

#include "graph/op.h"
#include "graph/owned.h"

int situ_infer_same(situ_infer *c)
{
    c->dtype = (situ_dtype)c->in[0]->dtype;
    c->ndim = c->in[0]->ndim;
    memcpy(c->dim, c->in[0]->dim, 8 * (size_t)c->ndim);
    return 0;
}

static void vjp_same(situ_vjp *c) { c->out[0] = c->g; }

bool situ_view_same(situ_view *v)
{
    memcpy(v->out_stride, v->stride, 8 * (size_t)v->ndim);
    return true;
}

const situ_op situ_op_alias = {
    .name = "alias", .family = SITU_VIEW, .operands = "x", .infer = situ_infer_same, .vjp = vjp_same, .view = situ_view_same};

const situ_op situ_op_value = {
    .name = "value", .family = SITU_VIEW, .operands = "x", .infer = situ_infer_same, .vjp = vjp_same, .view = situ_view_same};

situ_tensor *situ_watch(situ_tensor *x, situ_site site)
{
    if (!situ_usable(&x, 1, "watch", site)) return situ_poisoned();
    if (x->flags & SITU_NODE_SCALAR) return x;
    situ_tensor *y = situ_apply(&situ_op_alias, &x, 1, NULL, 0, NULL, 0, site);
    if (!(y->flags & SITU_NODE_POISON)) y->flags |= SITU_NODE_TRACKED;
    return y;
}
