/* For the library's own use: the factorizations as operations. */
#ifndef SITU_OP_LINALG_H
#define SITU_OP_LINALG_H

#include "graph/op.h"

extern const situ_op situ_op_cholesky, situ_op_solve, situ_op_det, situ_op_qr, situ_op_eigh, situ_op_svd, situ_op_eig;

#endif
