/* For internal use: elementwise operations on complex operands. */
#ifndef SITU_OP_COMPLEX_H
#define SITU_OP_COMPLEX_H

#include "graph/op.h"
#include "op/elementwise.h"

/* True if one of the operands is complex. NULL is not. */
static inline bool situ_any_complex(situ_tensor *const *in, int n)
{
    for (int i = 0; i < n; i++)
        if (in[i] && in[i]->dtype >= SITU_C64) return true;
    return false;
}
/* Records el by its row of complex.def; an error if it has none. */
situ_tensor *situ_complex_apply(situ_el el, situ_tensor *const *in, int n, situ_site site);
/* The operation of el's row, NULL: none; and the value text of such an operation, NULL: it is none of these. */
const situ_op *situ_complex_op(situ_el el);
const char *situ_complex_value(const situ_op *op);

#endif
