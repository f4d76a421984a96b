/* Products of matrices in f32 and f64: a BLAS that is there, else kernels of our own; cut into panels by shape. */
#ifndef SITU_CPU_GEMM_H
#define SITU_CPU_GEMM_H

#include "graph/op.h"

/* For impls.c: calls of matmul. */
bool situ_gemm_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_gemm_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* What multiplies large f32 matrices: "oneDNN (libdnnl.so.2)", "own (avx2)", ... Opens the library if nobody has yet.
 * SITU_BLAS=own|onednn|blis|openblas|mkl of the environment asks for one of them. */
const char *situ_gemm_library(void);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* C = A B for m x k times k x n, as seen by a kernel; strides in elements, C's rows are `c_row` apart. */
typedef struct situ_gemm {
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column, c_row;
} situ_gemm;

enum { SITU_GEMM_F32 = 0, SITU_GEMM_F64 = 1 };

/* One instruction set's kernels, by type. */
typedef struct situ_gemm_kernels {
    const char *name;
    /* Through packed blocks; `scratch` has situ_gemm_scratch bytes, 64-byte aligned. */
    void (*blocked[2])(const situ_gemm *p, void *scratch);
    /* For few elements: nothing is packed; b_column must be 1. */
    void (*direct[2])(const situ_gemm *p);
    /* n == 1, a_column == 1 and b_row == 1. */
    void (*dots[2])(const situ_gemm *p);
    /* m == 1, b_column == 1. */
    void (*rows[2])(const situ_gemm *p);
} situ_gemm_kernels;
extern const situ_gemm_kernels situ_gemm_baseline;
#if defined(__x86_64__)
extern const situ_gemm_kernels situ_gemm_avx2;
#endif

/* Blocks of the packed kernels. */
enum { SITU_GEMM_MC = 96, SITU_GEMM_KC = 256, SITU_GEMM_NC = 512 };
#define SITU_GEMM_SCRATCH ((size_t)(SITU_GEMM_MC + SITU_GEMM_NC) * SITU_GEMM_KC * 8 + 4096)

/* Multiplies by the library; false if it has no code for the type or the strides. */
bool situ_gemm_by_library(int type, const situ_gemm *p);

#endif
