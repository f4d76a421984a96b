/* Linear algebra: factorizations, equations, norms. The last two axes are the matrix, those before them a batch.
 *
 *     situ_tensor *x = situ_solve(a, b);                                // a x = b
 *     situ_tensor *u, *vh, *s = situ_svd(a, .u = &u, .vh = &vh);        // a = u diag(s) vh
 *
 * dtypes: f32, f64, c64, c128 (integers become f32). The algorithms are those of G. H. Golub and C. F. Van Loan, Matrix
 * Computations. On the CPU cholesky, solve, inv, det, qr and eigh of real matrices with 48 rows and columns or more go by blocks in
 * their own dtype, with the same bits on any number of threads and every instruction set: what the factors multiply to is off by at
 * most n eps of the largest element, eps being 2^-23 for f32 and 2^-52 for f64 (a random matrix: some eps; cast f32 to f64 for
 * more). Other f32 and c64 matrices are factored in double precision and rounded once. A matrix that is singular (solve, inv) or
 * not positive definite (cholesky) is an error at the next barrier, SITU_SINGULAR. NaN or infinities give NaN.
 *
 * All have gradients. Vectors (of eigh, eig, svd) that belong to equal values, or whose result depends on how they are
 * turned (a sign, a phase), have none: what comes through them is then not finite, or means nothing.
 */
#ifndef SITU_LINALG_H
#define SITU_LINALG_H

#include <situ/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SITU_BY_NAME situ_cholesky_options {
    SITU_OPTION_HEAD;
    bool upper; /* = false: returns U with x = U^H U instead of L */
} situ_cholesky_options;
/* The lower triangular L with x = L L^H, for a Hermitian positive definite x (only its lower triangle is read). */
SITU_API situ_tensor *situ_cholesky(situ_tensor *x, const situ_cholesky_options *options, situ_site site);

/* y with a y = b, by LU factors with partial pivoting (a large triangular a by substitution alone); b[n] or b[..., n, k], leading
 * axes broadcast. */
SITU_API situ_tensor *situ_solve(situ_tensor *a, situ_tensor *b, situ_site site);
typedef struct SITU_BY_NAME situ_triangular_options {
    SITU_OPTION_HEAD;
    bool upper;         /* = false: reads the upper triangle of a instead of the lower one */
    bool transposed;    /* = false: solves a^T y = b instead */
    bool unit_diagonal; /* = false: takes a's diagonal as 1 instead of reading it */
} situ_triangular_options;
/* y with a y = b for a triangular a, whose other triangle is not read. */
SITU_API situ_tensor *situ_solve_triangular(situ_tensor *a, situ_tensor *b, const situ_triangular_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_lu_options {
    SITU_OPTION_HEAD;
    situ_tensor **lower; /* = none: receives the lower triangular L [m, k], k = min(m, n), with 1 on its diagonal */
    situ_tensor **upper; /* = none: receives the upper triangular U [k, n] */
} situ_lu_options;
/* The permutation matrix P [m, m] of x = P L U, with partial pivoting. Recorded column by column, so for at most some hundred
 * columns; use situ_solve for equations. */
SITU_API situ_tensor *situ_lu(situ_tensor *x, const situ_lu_options *options, situ_site site);
/* x^-1; the determinant (0 for a singular matrix, whose gradient is an error). */
SITU_API situ_tensor *situ_inv(situ_tensor *x, situ_site site);
SITU_API situ_tensor *situ_det(situ_tensor *x, situ_site site);
typedef struct SITU_BY_NAME situ_slogdet_options {
    SITU_OPTION_HEAD;
    situ_tensor **log; /* = none: receives log|det|, real; -inf for a singular matrix */
} situ_slogdet_options;
/* det / |det|, or 0. */
SITU_API situ_tensor *situ_slogdet(situ_tensor *x, const situ_slogdet_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_qr_options {
    SITU_OPTION_HEAD;
    bool complete;   /* = false: Q [m,m] and R [m,n] instead of [m,k] and [k,n], k = min(m, n); no gradient if m > n */
    situ_tensor **r; /* = none: receives the upper triangular R */
} situ_qr_options;
/* Q with orthonormal columns, x = Q R, by Householder's reflections. */
SITU_API situ_tensor *situ_qr(situ_tensor *x, const situ_qr_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_eig_options {
    SITU_OPTION_HEAD;
    situ_tensor **vectors; /* = none: receives eigenvectors of length 1, as columns */
} situ_eig_options;
/* Eigenvalues of a Hermitian matrix (its lower triangle is read), real, ascending: Jacobi's rotations, for large real
 * ones tridiagonal form, then divide and conquer for vectors, QL steps for values alone. */
SITU_API situ_tensor *situ_eigh(situ_tensor *x, const situ_eig_options *options, situ_site site);
/* Eigenvalues of any square matrix, complex, in no order: Hessenberg form and the shifted QR iteration. */
SITU_API situ_tensor *situ_eig(situ_tensor *x, const situ_eig_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_svd_options {
    SITU_OPTION_HEAD;
    bool full;        /* = false: u [m,m] and vh [n,n] instead of [m,k] and [k,n], k = min(m, n); gradients by the additional
                       * vectors are ignored */
    situ_tensor **u;  /* = none: receives left singular vectors, as columns */
    situ_tensor **vh; /* = none: receives right singular vectors, conjugated, as rows */
} situ_svd_options;
/* Singular values, real, descending: one-sided Jacobi rotations. */
SITU_API situ_tensor *situ_svd(situ_tensor *x, const situ_svd_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_rank_options {
    SITU_OPTION_HEAD;
    double rtol; /* = -1 in [-1, inf]: at least 0; -1: max(m, n) times the epsilon of the dtype */
} situ_rank_options;
/* The number of singular values above rtol times the largest, i64. */
SITU_API situ_tensor *situ_matrix_rank(situ_tensor *x, const situ_rank_options *options, situ_site site);
/* The pseudo-inverse; singular values up to rtol times the largest count as 0. */
SITU_API situ_tensor *situ_pinv(situ_tensor *x, const situ_rank_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_lstsq_options {
    SITU_OPTION_HEAD;
    double rtol;             /* = -1 in [-1, inf]: as in situ_pinv */
    situ_tensor **residuals; /* = none: receives the sums of |a y - b|^2 */
    situ_tensor **rank;      /* = none: receives the rank of a, i64 */
    situ_tensor **values;    /* = none: receives the singular values of a */
} situ_lstsq_options;
/* The y with the least |a y - b|, and among those with the least |y|, by the pseudo-inverse: a [..., m, n] of any rank, b [m] or
 * [..., m, k]. */
SITU_API situ_tensor *situ_lstsq(situ_tensor *a, situ_tensor *b, const situ_lstsq_options *options, situ_site site);
/* x^n by squaring; negative powers are powers of the inverse. */
SITU_API situ_tensor *situ_matrix_power(situ_tensor *x, int64_t n, situ_site site);

typedef enum situ_matrix_order {
    SITU_FROBENIUS = 0, /* sqrt(sum |x|^2)                     */
    SITU_NUCLEAR = 1,   /* the sum of the singular values      */
    SITU_INDUCED = 2    /* .ord: 1, -1, 2, -2, inf or -inf     */
} situ_matrix_order;
typedef struct SITU_BY_NAME situ_matrix_norm_options {
    SITU_OPTION_HEAD;
    situ_matrix_order order; /* = SITU_FROBENIUS: which norm */
    bool keepdims;           /* = false: keeps the two axes, with 1 element */
    double ord;              /* = 2: induced: largest (smallest) column sum for 1 (-1), row sum for inf (-inf),
                              * singular value for 2 (-2) */
} situ_matrix_norm_options;
/* A norm over the last two axes, real. */
SITU_API situ_tensor *situ_matrix_norm(situ_tensor *x, const situ_matrix_norm_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_matrix_cond_options {
    SITU_OPTION_HEAD;
    situ_matrix_order order; /* = SITU_INDUCED: which norm */
    double ord;              /* = 2: as in situ_matrix_norm */
} situ_matrix_cond_options;
/* The condition number: the norm of x times that of x^-1; for 2 (-2) the quotient of the largest and smallest singular value (or
 * its inverse), also for a matrix that is not square or has no inverse (inf). */
SITU_API situ_tensor *situ_cond(situ_tensor *x, const situ_matrix_cond_options *options, situ_site site);

/* a x b for vectors of 3 along an axis (default: the last); others broadcast. */
SITU_API situ_tensor *situ_cross(situ_tensor *a, situ_tensor *b, const situ_last_axis_options *options, situ_site site);
/* sum conj(a) b along an axis (default: the last), counted from the end of both; others broadcast. */
SITU_API situ_tensor *situ_vecdot(situ_tensor *a, situ_tensor *b, const situ_last_axis_options *options, situ_site site);
/* Sums of products over pairs of axes, a's axes[i] with b's axes[i]; the result has the other axes of a, then of b. */
SITU_API situ_tensor *situ_tensordot(situ_tensor *a, situ_tensor *b, situ_axes axes_a, situ_axes axes_b, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/linalg.h>

#endif
