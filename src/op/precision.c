/* Policies of a thread for products.
 * Batch invariance is a mark of each node that is recorded, which its expansion, its gradient and its kernel see.
 * Mixed precision: the thread's policy is applied when a product is recorded: its operands become `rounded` nodes, and
 * its attribute stores the dtype, so that its gradient rounds its own factors, too. All of this is part of the plan's
 * key. */
#include "op/precision.h"

#include <situ/network.h>

#include "op/support.h"
#include "op/table.h"
#include "op/view.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static situ_tensor *expand_rounded(situ_tensor *const *in, int nin, const void *attr, situ_site site)
{
    (void)nin;
    return situ_cast(situ_cast(in[0], (situ_dtype) * (const int32_t *)attr), SITU_F32);
}

static void vjp_rounded(situ_vjp *c) { c->out[0] = c->g; }

const situ_op situ_op_rounded = {.name = "rounded",
    .family = SITU_COMPOSITE,
    .operands = "x",
    .infer = situ_infer_same,
    .vjp = vjp_rounded,
    .expand = expand_rounded};

situ_tensor *situ_rounded(situ_tensor *x, uint8_t dtype, situ_site site)
{
    if (!situ_usable(&x, 1, "rounded", site)) return situ_poisoned();
    int32_t attr = dtype;
    if (x->op != &situ_op_permute || x->ndim != 2 || x->buffer || x->flags & SITU_NODE_RAN)
        return situ_apply1(&situ_op_rounded, x, &attr, sizeof attr, site);
    return situ_transpose(situ_apply1(&situ_op_rounded, situ_node_in(x)[0], &attr, sizeof attr, site));
}

bool situ_precision_check(situ_dtype dtype, const char *operation, situ_site site)
{
    if (dtype == SITU_F32 || dtype == SITU_F16 || dtype == SITU_BF16) return true;
    situ_fail(SITU_BAD_DTYPE, site,
        "%s: the precision is %s; it may be " SITU_SAY(
            "SITU_BF16, SITU_F16 or SITU_F32", "\"bfloat16\", \"float16\" or \"float32\""),
        operation, situ_dtype_valid(dtype) ? situ_dtype_name(dtype) : "no dtype");
    return false;
}

situ_dtype situ_precision(situ_dtype dtype)
{
    SITU_SPEAK_AT("situ_precision");
    situ_thread *th = situ_thread_get();
    situ_dtype before = th && th->precision ? (situ_dtype)th->precision : SITU_F32;
    if (th && situ_precision_check(dtype, "situ_precision", NULL)) th->precision = dtype == SITU_F32 ? 0 : (uint8_t)dtype;
    return before;
}

bool situ_batch_invariant(bool on)
{
    SITU_SPEAK_AT("situ_batch_invariant");
    situ_thread *th = situ_thread_get();
    bool before = th && th->invariant;
    if (th) th->invariant = on;
    return before;
}
