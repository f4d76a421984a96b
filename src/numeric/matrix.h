/* Factorizations of small dense matrices in plain C: row-major, in double precision (f32 and c64 are widened and
 * rounded once). Each exists for real and for complex numbers, compiled from matrix.inc and matrix_jacobi.inc.
 * Sources: G. H. Golub and C. F. Van Loan, Matrix Computations, 4th edition, chapters 3 to 8. */
#ifndef SITU_NUMERIC_MATRIX_H
#define SITU_NUMERIC_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

typedef double _Complex situ_complex_f64;

#define SITU_MATRIX_FUNCTIONS_(T, kind) \
    /* A power of 2 that scales the largest of n numbers to between 1 and 2; 1 if all are 0, NaN if one is infinite or NaN. */ \
    double situ_scale_##kind(int64_t n, const T *a); \
    /* a = L L^H in place: L on and below the diagonal, 0 above; reads the lower triangle. False: not positive definite. */ \
    bool situ_cholesky_##kind(int64_t n, T *a); \
    /* P a = L U in place; row k was swapped with row pivot[k]. Returns the number of zero pivots. */ \
    int64_t situ_lu_##kind(int64_t n, T *a, int64_t *pivot); \
    /* Replaces b (n by columns) by the solution, given such factors. */ \
    void situ_lu_solve_##kind(int64_t n, const T *a, const int64_t *pivot, int64_t columns, T *b); \
    /* a (m by n) becomes R on and above the diagonal; q gets the first `columns` columns of Q, if not NULL. work: n     \
     * for the factors, and the larger of n and columns. */ \
    void situ_qr_##kind(int64_t m, int64_t n, T *a, int64_t columns, T *q, T *work); \
    /* Eigenvalues, ascending, and as rows of v the conjugated eigenvectors (v NULL: none); reads the lower triangle;    \
     * a is destroyed. */ \
    void situ_eigh_##kind(int64_t n, T *a, double *w, T *v); \
    /* Singular values, descending, of g, whose numbers are near 1 (situ_scale) and whose n rows of length m >= n are the  \
     * columns of a matrix. g gets s u^T, v (n by n, NULL: none) the right vectors as rows. */ \
    void situ_svd_##kind(int64_t m, int64_t n, T *g, double *s, T *v);
SITU_MATRIX_FUNCTIONS_(double, real)
SITU_MATRIX_FUNCTIONS_(situ_complex_f64, complex)

/* Eigenvalues and, as columns of unit length of v (NULL: none), eigenvectors of any square matrix; a is destroyed.
 * work: n by n if v is given. False: the iteration did not converge. */
bool situ_eig_complex(int64_t n, situ_complex_f64 *a, situ_complex_f64 *w, situ_complex_f64 *v, situ_complex_f64 *work);

#endif
