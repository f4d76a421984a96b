/* Products of matrices in f32 and f64: a BLAS that is there, else kernels of our own; cut into panels by shape. */
#ifndef SITU_CPU_GEMM_H
#define SITU_CPU_GEMM_H

#include "base/isa.h"
#include "graph/op.h"

/* For impls.c: calls of matmul. */
bool situ_gemm_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_gemm_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* The same of f16 and bf16: made f32 in the call's workspace, multiplied as f32, rounded once. */
bool situ_gemm_half_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_gemm_half_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* Is it one of few rows by a matrix whose columns are read as they lie, each sum by itself? */
bool situ_gemm_by_dots(const situ_call_desc *call);

/* Slot `packs` of the backend, and the operation that makes the copy. */
int64_t situ_gemm_packable(const situ_call_desc *product);
/* Slot `sure`. */
bool situ_gemm_sure(const situ_call_desc *call);
bool situ_gemm_pack_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_gemm_pack(const situ_call_desc *call, char *const *address, const situ_host *h);

/* What multiplies large f32 matrices: "own (avx2)", "oneDNN (libdnnl.so.2)", ... Opens the library if nobody has yet.
 * Own kernels where there is AVX2 or AVX-512, else the first library that is found;
 * SITU_BLAS=own|onednn|blis|openblas|mkl of the environment asks for one of them. */
const char *situ_gemm_library(void);

typedef enum situ_blas {
    SITU_BLAS_OWN,
    SITU_BLAS_ONEDNN,
    SITU_BLAS_BLIS,
    SITU_BLAS_OPENBLAS,
    SITU_BLAS_MKL,
    SITU_BLASES
} situ_blas;
/* "own", "onednn", ...; the number of a key, or -1. */
const char *situ_blas_key(int blas);
int situ_blas_of(const char *key);
/* Can it multiply matrices of this type? Opens the library if nobody has yet. */
bool situ_blas_has(int blas, int type);
/* For tuning: products that this thread starts go by this one; -1: by shape again. */
void situ_gemm_force(int blas);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* C = A B for m x k times k x n, as seen by a kernel; strides in elements, C's rows are `c_row` apart. */
typedef struct situ_gemm {
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column, c_row;
    int64_t c_column; /* for `dots` alone; elsewhere C's columns are neighbours */
} situ_gemm;

enum { SITU_GEMM_F32 = 0, SITU_GEMM_F64 = 1 };
enum { SITU_GEMM_FEW = 8 }; /* rows, for which B is not worth packing */
/* Bytes: what is read once is asked for so far ahead, as the processor takes the pause between two runs for their end. */
enum { SITU_GEMM_AHEAD = 6144 };

/* Memory that will be wanted after a call: `count` pieces of `bytes` bytes, `stride` bytes apart. */
typedef struct situ_gemm_ahead {
    const char *at;
    int64_t stride, count, bytes;
} situ_gemm_ahead;

/* An operand of `strips` that lies as it came, and where the tiles that read it first leave it packed, 64-byte aligned: A (a_row
 * == 1), or B
 * (b_column == 1); the other one is NULL. */
typedef struct situ_gemm_packs {
    void *a, *b;
} situ_gemm_packs;

/* One instruction set's kernels, by type. */
typedef struct situ_gemm_kernels {
    const char *name;
    /* Through packed blocks; `scratch` has situ_gemm_scratch bytes, 64-byte aligned. */
    void (*blocked[2])(const situ_gemm *p, void *scratch);
    /* For few elements: nothing is packed; b_column must be 1. */
    void (*direct[2])(const situ_gemm *p);
    /* Few columns of B; a_column == 1 and b_row == 1. */
    void (*dots[2])(const situ_gemm *p);
    /* m <= SITU_GEMM_FEW, b_column == 1: B is read once, as it lies. */
    void (*rows[2])(const situ_gemm *p);
    /* n columns of B in strips of `columns`, m rows of A in strips of 6, over all of g's k. */
    void (*pack_columns[2])(const situ_gemm *g, int64_t first, int64_t n, void *to);
    void (*pack_rows[2])(const situ_gemm *g, int64_t first, int64_t m, void *to);
    /* C = A B, or C += A B, for b in packed strips; strips of 6 rows of A are `step` elements apart. An operand that `packs` names
     * is
     * packed meanwhile, and `ahead` is asked for; or NULL. */
    void (*strips[2])(const situ_gemm *g, int64_t step, bool add, const situ_gemm_packs *packs, const situ_gemm_ahead *ahead);
    int columns[2];
    int tile[2]; /* columns of a task where both sides are long: the more, the less often A is packed (bench/NOTES.md) */
} situ_gemm_kernels;
#define SITU_GEMM_TABLE(name) extern const situ_gemm_kernels name;
SITU_EACH_SET(SITU_GEMM_TABLE, situ_gemm)

/* Blocks of the packed kernels. */
enum { SITU_GEMM_MC = 96, SITU_GEMM_KC = 256, SITU_GEMM_NC = 512 };
#define SITU_GEMM_SCRATCH ((size_t)(SITU_GEMM_MC + SITU_GEMM_NC) * SITU_GEMM_KC * 8 + 4096)

/* A large product by own kernels: what several tasks read of A or B is packed once for all of them; `packed`: B, by
 * situ_gemm_pack_shared before, or NULL. */
void situ_gemm_shared(const situ_gemm_kernels *kernels, int type, const situ_gemm *g, const char *packed, const situ_host *h);
/* Elements of B packed for products of its shape with g; 0: products would not gain by it. */
int64_t situ_gemm_packed_size(const situ_gemm_kernels *kernels, int type, const situ_gemm *g);
void situ_gemm_pack_shared(const situ_gemm_kernels *kernels, int type, const situ_gemm *g, char *to, const situ_host *h);

bool situ_gemm_amx(const situ_gemm *g, situ_dtype stored, situ_dtype numbers, const situ_host *h); /* backend/cpu/overrides.h */
/* A call of f16 or bf16, as its operands lie. */
bool situ_gemm_half_by_tiles(const situ_call_desc *call, char *const *address, const situ_host *h);

/* What multiplies where no tuning file says otherwise; does SITU_BLAS say so? */
int situ_blas_default(void);
bool situ_blas_asked(void);
/* What SITU_BLAS says and what came of it, as a sentence; NULL: nothing. */
const char *situ_blas_wish(void);
/* Multiplies by the library; false if it has no code for the type or the strides. */
bool situ_gemm_by_library(int blas, int type, const situ_gemm *p);

#endif
