/* Tridiagonal and bidiagonal matrices by halves (divide.c), and what joins two of them (secular.c). */
#ifndef SITU_CPU_DIVIDE_H
#define SITU_CPU_DIVIDE_H

#include "backend/cpu/linalg/linalg.h"

enum { SITU_PART = 32 /* rows that QR steps diagonalise */ };

/* A symmetric tridiagonal matrix, or an upper bidiagonal one. */
typedef struct situ_halves {
    const situ_factoring *f;
    int sides; /* 1: symmetric */
    int64_t n, row;
    double *d, *e; /* the diagonal, which becomes the values in no order; what is beside it, or above it */
    double least;  /* what is smaller is as good as 0 */
    char *z[2];    /* vectors as rows, `row` elements apart: (right) ones, left ones */
    /* Rows and columns from `at` on, n <= SITU_PART of them, and `more` columns than rows, whose vector is the last of z[0]. */
    bool (*leaf)(const struct situ_halves *h, int64_t at, int64_t n, int64_t more);
    char *w, *factors;                       /* as z[0]; n by n */
    double *apart;                           /* n by n */
    int64_t *order, *dropped, *place, *kind; /* n of each */
    double *part, *kept, *by, *weight, *value;
} situ_halves;
size_t situ_halves_room(int64_t n, int64_t size); /* of w to value */
void situ_halves_place(situ_halves *h, char *room);
/* False: no convergence. */
bool situ_halves_solve(situ_halves *h);

/* Eigenvalues of diag(d) + z z^T, or singular values of the matrix with row z above diag(d), whose d[0] is 0; d ascends. */
typedef struct situ_secular {
    const situ_factoring *f;
    bool squares;
    int64_t n;
    const int64_t *place; /* of each element in a vector */
    double *d, *z, *weight, *value;
    double sum;    /* of squares of z */
    double *apart; /* n by n: row i is d - value[i], or d^2 - value[i]^2 */
    char *factors; /* vectors as rows */
} situ_secular;
void situ_secular_solve(situ_secular *s);
/* Side 0 (right vectors) comes first. */
void situ_secular_vectors(situ_secular *s, int side);

#endif
