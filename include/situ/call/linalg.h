/* Calls of situ/linalg.h. Made by scripts/generate.py from include/situ/linalg.h: change that. */
#ifndef SITU_CALL_LINALG_H
#define SITU_CALL_LINALG_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_CHOLESKY_DEFAULTS ()
#define SITU_TRIANGULAR_DEFAULTS ()
#define SITU_LU_DEFAULTS ()
#define SITU_SLOGDET_DEFAULTS ()
#define SITU_QR_DEFAULTS ()
#define SITU_EIG_DEFAULTS ()
#define SITU_SVD_DEFAULTS ()
#define SITU_RANK_DEFAULTS (.rtol = -1,)
#define SITU_LSTSQ_DEFAULTS (.rtol = -1,)
#define SITU_MATRIX_NORM_DEFAULTS (.ord = 2,)
#define SITU_MATRIX_COND_DEFAULTS (.order = SITU_INDUCED, .ord = 2,)

#ifndef __cplusplus
#define situ_cholesky(...) situ_cholesky_(__VA_ARGS__, )
#define situ_cholesky_(x, ...) \
    SITU_OPTIONS_(situ_cholesky_options, SITU_CHOLESKY_DEFAULTS, situ_cholesky, (SITU_OPERAND(x),), \
    "situ_cholesky(x, .upper = ...)", __VA_ARGS__)
#define situ_solve(a, b) (situ_solve)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_solve_triangular(...) situ_solve_triangular_(__VA_ARGS__, )
#define situ_solve_triangular_(a, b, ...) \
    SITU_OPTIONS_(situ_triangular_options, SITU_TRIANGULAR_DEFAULTS, situ_solve_triangular, (SITU_OPERAND(a), \
    SITU_OPERAND(b),), "situ_solve_triangular(a, b, .upper = ..., .transposed = ..., .unit_diagonal = ...)", \
    __VA_ARGS__)
#define situ_lu(...) situ_lu_(__VA_ARGS__, )
#define situ_lu_(x, ...) \
    SITU_OPTIONS_(situ_lu_options, SITU_LU_DEFAULTS, situ_lu, (SITU_OPERAND(x),), \
    "situ_lu(x, .lower = ..., .upper = ...)", __VA_ARGS__)
#define situ_inv(x) (situ_inv)(SITU_OPERAND(x), SITU_HERE)
#define situ_det(x) (situ_det)(SITU_OPERAND(x), SITU_HERE)
#define situ_slogdet(...) situ_slogdet_(__VA_ARGS__, )
#define situ_slogdet_(x, ...) \
    SITU_OPTIONS_(situ_slogdet_options, SITU_SLOGDET_DEFAULTS, situ_slogdet, (SITU_OPERAND(x),), \
    "situ_slogdet(x, .log = ...)", __VA_ARGS__)
#define situ_qr(...) situ_qr_(__VA_ARGS__, )
#define situ_qr_(x, ...) \
    SITU_OPTIONS_(situ_qr_options, SITU_QR_DEFAULTS, situ_qr, (SITU_OPERAND(x),), \
    "situ_qr(x, .complete = ..., .r = ...)", __VA_ARGS__)
#define situ_eigh(...) situ_eigh_(__VA_ARGS__, )
#define situ_eigh_(x, ...) \
    SITU_OPTIONS_(situ_eig_options, SITU_EIG_DEFAULTS, situ_eigh, (SITU_OPERAND(x),), "situ_eigh(x, .vectors = ...)", \
    __VA_ARGS__)
#define situ_eig(...) situ_eig_(__VA_ARGS__, )
#define situ_eig_(x, ...) \
    SITU_OPTIONS_(situ_eig_options, SITU_EIG_DEFAULTS, situ_eig, (SITU_OPERAND(x),), "situ_eig(x, .vectors = ...)", \
    __VA_ARGS__)
#define situ_svd(...) situ_svd_(__VA_ARGS__, )
#define situ_svd_(x, ...) \
    SITU_OPTIONS_(situ_svd_options, SITU_SVD_DEFAULTS, situ_svd, (SITU_OPERAND(x),), \
    "situ_svd(x, .full = ..., .u = ..., .vh = ...)", __VA_ARGS__)
#define situ_matrix_rank(...) situ_matrix_rank_(__VA_ARGS__, )
#define situ_matrix_rank_(x, ...) \
    SITU_OPTIONS_(situ_rank_options, SITU_RANK_DEFAULTS, situ_matrix_rank, (SITU_OPERAND(x),), \
    "situ_matrix_rank(x, .rtol = ...)", __VA_ARGS__)
#define situ_pinv(...) situ_pinv_(__VA_ARGS__, )
#define situ_pinv_(x, ...) \
    SITU_OPTIONS_(situ_rank_options, SITU_RANK_DEFAULTS, situ_pinv, (SITU_OPERAND(x),), "situ_pinv(x, .rtol = ...)", \
    __VA_ARGS__)
#define situ_lstsq(...) situ_lstsq_(__VA_ARGS__, )
#define situ_lstsq_(a, b, ...) \
    SITU_OPTIONS_(situ_lstsq_options, SITU_LSTSQ_DEFAULTS, situ_lstsq, (SITU_OPERAND(a), SITU_OPERAND(b),), \
    "situ_lstsq(a, b, .rtol = ..., .residuals = ..., .rank = ..., ...)", __VA_ARGS__)
#define situ_matrix_power(x, n) (situ_matrix_power)(SITU_OPERAND(x), SITU_INTEGER(n), SITU_HERE)
#define situ_matrix_norm(...) situ_matrix_norm_(__VA_ARGS__, )
#define situ_matrix_norm_(x, ...) \
    SITU_OPTIONS_(situ_matrix_norm_options, SITU_MATRIX_NORM_DEFAULTS, situ_matrix_norm, (SITU_OPERAND(x),), \
    "situ_matrix_norm(x, .order = ..., .keepdims = ..., .ord = ...)", __VA_ARGS__)
#define situ_cond(...) situ_cond_(__VA_ARGS__, )
#define situ_cond_(x, ...) \
    SITU_OPTIONS_(situ_matrix_cond_options, SITU_MATRIX_COND_DEFAULTS, situ_cond, (SITU_OPERAND(x),), \
    "situ_cond(x, .order = ..., .ord = ...)", __VA_ARGS__)
#define situ_cross(...) situ_cross_(__VA_ARGS__, )
#define situ_cross_(a, b, ...) \
    SITU_OPTIONS_(situ_last_axis_options, SITU_LAST_AXIS_DEFAULTS, situ_cross, (SITU_OPERAND(a), SITU_OPERAND(b),), \
    "situ_cross(a, b, .axis = ...)", __VA_ARGS__)
#define situ_vecdot(...) situ_vecdot_(__VA_ARGS__, )
#define situ_vecdot_(a, b, ...) \
    SITU_OPTIONS_(situ_last_axis_options, SITU_LAST_AXIS_DEFAULTS, situ_vecdot, (SITU_OPERAND(a), SITU_OPERAND(b),), \
    "situ_vecdot(a, b, .axis = ...)", __VA_ARGS__)
#define situ_tensordot(a, b, axes_a, ...) \
    (situ_tensordot)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_OF(situ_axes, SITU_AXES_IS_, axes_a), SITU_OF(situ_axes, \
    SITU_AXES_IS_, __VA_ARGS__), SITU_HERE)
#endif

#endif
