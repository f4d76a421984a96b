/* For internal use: factorizations as operations. */
#ifndef SITU_OP_LINALG_H
#define SITU_OP_LINALG_H

#include "graph/op.h"

extern const situ_op situ_op_cholesky, situ_op_solve, situ_op_inv, situ_op_solve_triangular, situ_op_det, situ_op_qr, situ_op_eigh,
    situ_op_svd, situ_op_eig;

/* Which factors a result contains. */
enum { SITU_FACTOR_VALUES, SITU_FACTOR_REDUCED, SITU_FACTOR_FULL };
situ_tensor *situ_linalg_factor(const situ_op *op, situ_tensor *x, int what, situ_site site);
int situ_linalg_what(const situ_tensor *y);
/* The conjugate transpose of x; and x[..., first:stop]. */
situ_tensor *situ_linalg_adjoint(situ_tensor *x, situ_site site);
situ_tensor *situ_linalg_columns(situ_tensor *x, int64_t first, int64_t stop, situ_site site);
/* Unpacks rows * columns elements from *first on of the last axis of `packed` as the last two axes (columns < 0: as
 * the last axis); advances *first. */
situ_tensor *situ_linalg_unpack(situ_tensor *packed, int64_t *first, int64_t rows, int64_t columns, situ_site site);

/* Gradient rules, in linalg_grad.c. */
void situ_vjp_qr(situ_vjp *c);
void situ_vjp_eigh(situ_vjp *c);
void situ_vjp_svd(situ_vjp *c);
void situ_vjp_eig(situ_vjp *c);
/* The gradient of a determinant: its cofactors, also for singular matrices. det is [..., 1, 1]. */
situ_tensor *situ_linalg_cofactors(situ_tensor *x, situ_tensor *det, situ_site site);

#endif
