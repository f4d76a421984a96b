/* Factorizations by a LAPACK library that is opened at first use, or by situ's own (matrix.h), which also factor small
 * matrices; those have the same bits on every machine. SITU_LAPACK=own always uses situ's own. Contracts are those of
 * matrix.h. */
#ifndef SITU_NUMERIC_LAPACK_H
#define SITU_NUMERIC_LAPACK_H

#include "numeric/matrix.h"

#define SITU_FACTOR_FUNCTIONS_(T, kind) \
    bool situ_factor_cholesky_##kind(int64_t n, T *a); \
    int64_t situ_factor_lu_##kind(int64_t n, T *a, int64_t *pivot); \
    /* Factors a, and replaces b by the solution; a is destroyed. False: singular. */ \
    bool situ_factor_solve_##kind(int64_t n, T *a, int64_t *pivot, int64_t columns, T *b); \
    void situ_factor_qr_##kind(int64_t m, int64_t n, T *a, int64_t columns, T *q, T *work); \
    void situ_factor_eigh_##kind(int64_t n, T *a, double *w, T *v); \
    void situ_factor_svd_##kind(int64_t m, int64_t n, T *g, double *s, T *v);
SITU_FACTOR_FUNCTIONS_(double, real)
SITU_FACTOR_FUNCTIONS_(situ_complex_f64, complex)
bool situ_factor_eig_complex(int64_t n, situ_complex_f64 *a, situ_complex_f64 *w, situ_complex_f64 *v, situ_complex_f64 *work);

/* The library in use: "LAPACK (liblapack.so.3)" or "own"; opens it. Smaller matrices than this never use it. */
enum { SITU_LAPACK_LEAST = 32 };
const char *situ_lapack_library(void);

#endif
