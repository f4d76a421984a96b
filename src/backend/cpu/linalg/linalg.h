/* Blocked factorizations of large real matrices: small blocks by kernels of each instruction set (small.inc), the rest
 * by matrix products (backend/cpu/gemm). f32 is computed in f32. How the work is divided changes no bit, and all
 * instruction sets give the same bits. Sources: G. H. Golub and C. F. Van Loan, Matrix Computations, 4th edition, 3.2
 * to 3.6, 4.2, 5.1 and 5.2; S. Toledo, Locality of reference in LU decomposition with partial pivoting, 1997, for
 * recursive LU. */
#ifndef SITU_CPU_LINALG_H
#define SITU_CPU_LINALG_H

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/scratch.h"
#include "base/isa.h"
#include "graph/op.h"

/* Listed in implementations.c: calls of cholesky, solve, inv, solve_triangular, det, qr, eigh and svd. */
bool situ_blocks_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_blocks_cholesky(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_blocks_solve(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_blocks_inv(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_blocks_solve_triangular(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_blocks_det(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_blocks_qr(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_blocks_eigh(const situ_call_desc *call, char *const *address, const situ_host *h);
void situ_blocks_svd(const situ_call_desc *call, char *const *address, const situ_host *h);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

enum {
    SITU_SMALL = 32,       /* columns that a kernel factors or solves by itself */
    SITU_TILE_ROWS = 6,    /* rows of a strip of right-hand sides, solved in registers */
    SITU_PANEL = 16,       /* columns that LU eliminates one by one */
    SITU_REFLECTORS = 36,  /* of a block of QR: six strips of six rows */
    SITU_LANE_COLUMNS = 64 /* columns that are solved side by side: multiples of this */
};

/* A triangular matrix as a kernel reads it: element (i, k) is at i * row + k * column. */
typedef struct situ_triangle {
    const void *at;
    int64_t row, column;
    bool upper, unit;
} situ_triangle;

/* A plane rotation of rows `at` and `at` + 1: they become c x - s y and s x + c y. */
typedef struct situ_rotation {
    int64_t at;
    double c, s;
} situ_rotation;

/* Kernels of one instruction set, by type (SITU_GEMM_F32, ...). Rows of matrices are `row` elements apart. */
typedef struct situ_small_kernels {
    /* Factors a matrix of n <= SITU_SMALL rows; reads its lower triangle. False: not positive definite. */
    bool (*cholesky[2])(int64_t n, void *a, int64_t row);
    /* tile: solves T X = B for n <= SITU_TILE_ROWS rows of a strip, as many columns as products use at once; b becomes
     * -X. right: solves X L^T = B in place, n <= SITU_SMALL columns, m rows, L lower triangular. */
    void (*tile[2])(int64_t n, const situ_triangle *t, void *b);
    /* lay: packs n rows of m columns into strips; row i is row order[i] of `from` (order NULL: row i). Missing rows of
     * the last strip are 0. give: unpacks, negated or not. */
    void (*lay[2])(int64_t n, int64_t m, const void *from, int64_t row, const int64_t *order, void *x);
    void (*give[2])(int64_t n, int64_t m, const void *x, bool negated, void *to, int64_t row);
    void (*right[2])(int64_t n, const situ_triangle *t, int64_t m, void *b, int64_t row);
    /* Eliminates n <= SITU_PANEL columns of m rows; pivot[k] >= k; p: scratch, SITU_PANEL columns of m + 64 elements.
     * Returns the number of zero pivots. */
    int64_t (*panel[2])(int64_t m, int64_t n, void *a, int64_t row, int64_t *pivot, void *p);
    /* Makes reflections from n <= SITU_REFLECTORS columns of m rows, given as rows of v (m apart). R, on and above the
     * diagonal, goes to a; there v becomes 0 and 1. t: n by n, so that the product of the reflections is 1 - V T V^T. */
    void (*reflect[2])(int64_t m, int64_t n, void *a, int64_t row, void *v, void *t);
    /* The last step of `reflect`: v's rows are `row` apart; t has the factors of 1 - t v v^T on its diagonal. */
    void (*join[2])(int64_t m, int64_t n, const void *v, int64_t row, void *t);
    /* Makes the reflection that maps x to a multiple of e1. x[0] becomes the multiple, the rest v, whose v[0] is 1.
     * Returns t of 1 - t v v^T. */
    double (*reflection[2])(int64_t m, void *x);
    void (*transpose[2])(int64_t rows, int64_t columns, const void *from, int64_t row, void *to, int64_t to_row); /* transposes */
    void (*less[2])(int64_t n, void *y, double f, const void *x);                                                 /* y -= f x */
    int64_t (*largest[2])(int64_t n, const void *x); /* position of the largest magnitude; NaN counts as infinity */
    double (*dot[2])(int64_t n, const void *x, const void *y);
    void (*rotate[2])(int64_t count, const situ_rotation *r, int64_t columns, void *z, int64_t row);
    void (*negate[2])(int64_t n, void *x);
    /* Exchanges rows k and pivot[k] for `width` columns. */
    void (*swap[2])(int64_t n, const int64_t *pivot, int64_t width, void *a, int64_t row);
} situ_small_kernels;
#define SITU_SMALL_TABLE(name) extern const situ_small_kernels name;
SITU_EACH_SET(SITU_SMALL_TABLE, situ_small)

/* State of one factorization. */
typedef struct situ_factoring {
    const situ_gemm_kernels *products;
    const situ_small_kernels *small;
    int type;
    int64_t size; /* bytes of an element */
    const situ_host *host;
    char *packed; /* packed operand for situ_subtract: SITU_GEMM_KC rows of n elements, in whole strips */
} situ_factoring;
static inline char *situ_element(const situ_factoring *f, const void *a, int64_t row, int64_t i, int64_t j)
{
    return (char *)(uintptr_t)a + (i * row + j) * f->size;
}

static inline double situ_element_get(const situ_factoring *f, const void *a, int64_t at)
{
    return f->size == 4 ? ((const float *)a)[at] : ((const double *)a)[at];
}
static inline void situ_element_put(const situ_factoring *f, void *a, int64_t at, double x)
{
    if (f->size == 4) ((float *)a)[at] = (float)x;
    else ((double *)a)[at] = x;
}
static inline void situ_element_copy(const situ_factoring *f, void *to, int64_t at, const void *from, int64_t position)
{
    if (f->size == 4) ((float *)to)[at] = ((const float *)from)[position];
    else ((double *)to)[at] = ((const double *)from)[position];
}

/* C -= A B, in the calling thread or by all threads. lower: only the elements on and below the diagonal of C need be
 * right. */
void situ_subtract_here(const situ_factoring *f, const situ_gemm *g);
void situ_subtract(const situ_factoring *f, const situ_gemm *g, bool lower);
/* C = A B (or += with `add`) for packed strips of A (all of k, 6 adjacent elements for each step), in this thread.
 * space: memory to pack B. */
void situ_multiply_packed(const situ_factoring *f, const situ_gemm *g, bool add, void *space);

/* Solves T X = B for n rows of packed strips, `apart` bytes from each other; x becomes -X. In this thread. */
void situ_solve_strips(const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t strips, char *x, int64_t apart);
/* Solves T X = B in place: n rows, m columns. */
void situ_solve_left(const situ_factoring *f, int64_t n, const situ_triangle *t, int64_t m, void *b, int64_t row);
/* Solves t[0] t[1] ... X = B for adjacent rows of X. Row i of B is row order[i] (or i) of `from`; from NULL: B is the
 * identity. */
void situ_solve_from(const situ_factoring *f, int64_t n, const situ_triangle *t, int triangles, int64_t m, void *x,
    const void *from, const int64_t *order);
/* a = L L^T, in place in the lower triangle. False: not positive definite. */
bool situ_factor_lower(const situ_factoring *f, int64_t n, void *a);
/* P a = L U in place; p: scratch, as for `panel`. Returns the number of zero pivots. */
int64_t situ_factor_lu(const situ_factoring *f, int64_t n, void *a, int64_t *pivot, void *p);
/* C (rows by columns) becomes (1 - V T V^T) C, or with T^T, for count <= SITU_REFLECTORS rows of v; t as made by
 * `join`. space: situ_reflected_bytes(rows, ...) bytes. */
void situ_apply_reflections(const situ_factoring *f, int64_t rows, int64_t count, const void *v, int64_t v_row, const void *t,
    bool transposed, void *c, int64_t columns, int64_t c_row, char *space);
/* C (n by columns) becomes Q C. Q is the product of `count` reflections 1 - t[k] v v^T, where v is row k of the matrix
 * v from element k + offset on. space: situ_reflected_bytes(n, 1, ...) bytes and SITU_REFLECTORS squared elements. */
void situ_reflect_back(const situ_factoring *f, int64_t n, int64_t offset, int64_t count, const void *v, const void *t, void *c,
    int64_t columns, int64_t c_row, char *space);

/* Column k of out becomes row place[k] of z, an n by n matrix with rows situ_padded_row(n) apart. */
void situ_rows_to_columns(const situ_factoring *f, int64_t n, const char *z, const int64_t *position, void *out, int64_t out_row);
/* Distance in elements between n rows: if it were a power of 2, loads from one row would wait for stores to another one
 * whose address has the same low bits. */
static inline int64_t situ_padded_row(int64_t n) { return (n + 15) / 16 * 16 + 16; }
/* Off-diagonal elements below this, relative to their row, count as 0 in QR steps. */
static inline double situ_rotation_error(const situ_factoring *f) { return f->size == 4 ? 0x1p-28 : 0x1p-53; }

/* Eigenvalues w, ascending, of the symmetric n by n matrix a; reads the lower triangle and destroys a. out: the
 * eigenvectors as its first n columns, with rows n + 1 apart, or NULL. space: 64-byte aligned memory of
 * situ_symmetric_bytes bytes. */
size_t situ_symmetric_bytes(int64_t n, int64_t size);
void situ_factor_symmetric(const situ_factoring *f, int64_t n, void *a, double *w, void *out, char *space);
/* Divides n elements by a power of 2 near the largest, and returns it; 1 if that is neither large nor small; NaN if not
 * all are finite. */
double situ_factor_scale(const situ_factoring *f, int64_t n, void *a);

/* Singular values w, descending, of the n by n matrix a of finite numbers near 1, which is destroyed. u (rows u_row
 * apart) and v get the vectors as columns, or both are NULL. False if the iteration did not converge. */
size_t situ_singular_bytes(int64_t n, int64_t size);
bool situ_factor_singular(const situ_factoring *f, int64_t n, void *a, double *w, void *u, int64_t u_row, void *v, char *space);
/* a (m by n) becomes R, q the first `columns` columns of Q. space: 64-byte aligned memory of situ_reflected_bytes
 * bytes. */
size_t situ_reflected_bytes(int64_t m, int64_t n, int64_t size);
void situ_factor_reflected(const situ_factoring *f, int64_t m, int64_t n, void *a, int64_t columns, void *q, char *space);

#endif
