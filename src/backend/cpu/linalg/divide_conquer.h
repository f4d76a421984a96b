/* Divide and conquer for tridiagonal and bidiagonal matrices (divide_conquer.c), and the secular equation by which two
 * halves are merged (secular.c). */
#ifndef SITU_CPU_DIVIDE_H
#define SITU_CPU_DIVIDE_H

#include "backend/cpu/linalg/linalg.h"

enum { SITU_PART = 32 /* rows at which the recursion ends; QR steps diagonalise them */ };

/* A symmetric tridiagonal matrix, or an upper bidiagonal one. */
typedef struct situ_halves {
    const situ_factoring *f;
    int sides; /* 1: symmetric (one set of vectors); 2: bidiagonal (left and right vectors) */
    int64_t n, row;
    double *d, *e; /* the diagonal, which becomes the values in no order; the off-diagonal */
    double least;  /* smaller numbers count as 0 */
    char *z[2];    /* vectors as rows, `row` elements apart: (right) ones, left ones */
    /* Diagonalises a part of n <= SITU_PART rows and columns from `at` on, with `more` columns than rows; the vector of
     * the extra column is the last one of z[0]. */
    bool (*leaf)(const struct situ_halves *h, int64_t at, int64_t n, int64_t more);
    char *w, *factors;                          /* w: like z[0]; factors: n by n */
    double *apart;                              /* n by n */
    int64_t *order, *dropped, *position, *kind; /* n elements each */
    double *part, *kept, *by, *weight, *value;
} situ_halves;
size_t situ_halves_bytes(int64_t n, int64_t size); /* bytes of the memory from w to value */
void situ_halves_place(situ_halves *h, char *room);
/* Returns false if the iteration did not converge. */
bool situ_halves_solve(situ_halves *h);

/* Eigenvalues of diag(d) + z z^T; or singular values of the matrix with z as first row above diag(d), where d[0] is 0.
 * d is ascending. */
typedef struct situ_secular {
    const situ_factoring *f;
    bool squares;
    int64_t n;
    const int64_t *position; /* position of each element in a vector */
    double *d, *z, *weight, *value;
    double sum;    /* sum of squares of z */
    double *apart; /* n by n: row i is d - value[i], or d^2 - value[i]^2 */
    char *factors; /* vectors as rows */
} situ_secular;
void situ_secular_solve(situ_secular *s);
/* Computes the vectors of one side. Call it for side 0 (right vectors) first. */
void situ_secular_vectors(situ_secular *s, int side);

#endif
