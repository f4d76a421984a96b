/* Matrix products of f32 and f64: by a BLAS library if one is found and faster, else by our own kernels, divided into
 * panels by shape. */
#ifndef SITU_CPU_GEMM_H
#define SITU_CPU_GEMM_H

#include "base/isa.h"
#include "graph/op.h"

/* For implementations.c: calls of matmul. */
bool situ_gemm_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_gemm_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* The same for f16 and bf16: operands are converted to f32 in the call's workspace, multiplied as f32, and results
 * rounded once. */
bool situ_gemm_half_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_gemm_half_run(const situ_call_desc *call, char *const *address, const situ_host *h);

/* Whether the product has few rows and a matrix whose columns are contiguous, so that each result is a dot product
 * without packing. */
bool situ_gemm_by_dots(const situ_call_desc *call);

/* In which order our own kernels add the products of a result, which follows from the shape alone. k is cut into pieces of
 * `split`, whose sums are added in order; a piece, into chains of multiply-adds over `chain` of k, also added in order. With
 * `lanes`: element k goes to lane k mod lanes, lanes are folded by halves, and what is left of k is added product by product. */
typedef struct situ_gemm_order {
    int64_t lanes, chain, split;
} situ_gemm_order;
situ_gemm_order situ_gemm_order_of(const situ_call_desc *call);

/* situ_gemm_packable: the backend's slot `packs`. situ_gemm_pack_*: the operation that makes the packed copy. */
int64_t situ_gemm_packable(const situ_call_desc *product);
/* The backend's slot `sure`. */
bool situ_gemm_sure(const situ_call_desc *call);
bool situ_gemm_pack_accepts(const situ_call_desc *call, char *reason, size_t size);
void situ_gemm_pack(const situ_call_desc *call, char *const *address, const situ_host *h);

/* What multiplies large f32 matrices: "own (avx2)", "oneDNN (libdnnl.so.2)", ... Opens the library at the first call.
 * With AVX2 or AVX-512 our own kernels, else the first library that is found; SITU_BLAS=own|onednn|blis|openblas|mkl in
 * the environment chooses one. */
const char *situ_gemm_library(void);

typedef enum situ_blas {
    SITU_BLAS_OWN,
    SITU_BLAS_ONEDNN,
    SITU_BLAS_BLIS,
    SITU_BLAS_OPENBLAS,
    SITU_BLAS_MKL,
    SITU_BLASES
} situ_blas;
/* The name of an implementation ("own", "onednn", ...), and its number by name; -1: unknown name. */
const char *situ_blas_key(int blas);
int situ_blas_of(const char *key);
/* Whether it can multiply matrices of this type. Opens the library at the first call. */
bool situ_blas_has(int blas, int type);
/* For tuning: products that this thread starts use this implementation; -1: the choice by shape again. */
void situ_gemm_force(int blas);

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* A product as a kernel sees it: C = A B, A is m x k, B is k x n. Strides in elements; rows of C are `c_row` apart. */
typedef struct situ_gemm {
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column, c_row;
    int64_t c_column; /* used by `dots` only; elsewhere columns of C are adjacent */
} situ_gemm;

enum { SITU_GEMM_F32 = 0, SITU_GEMM_F64 = 1 };
enum { SITU_GEMM_FEW = 8 }; /* at most so many rows: packing B does not pay */
/* Prefetch distance in bytes for what is read once. A shorter gap between two runs looks like the end to the hardware
 * prefetcher. */
enum { SITU_GEMM_AHEAD = 6144 };

/* Memory to prefetch because the next call needs it: `count` pieces of `bytes` bytes, `stride` bytes apart. */
typedef struct situ_gemm_ahead {
    const char *at;
    int64_t stride, count, bytes;
} situ_gemm_ahead;

/* For `strips`: an operand that is not packed yet. The tiles that read it first write the packed copy to this 64-byte
 * aligned memory. A (needs a_row == 1) or B (needs b_column == 1); the other one is NULL. */
typedef struct situ_gemm_packs {
    void *a, *b;
} situ_gemm_packs;

/* Kernels of one instruction set, by type. */
typedef struct situ_gemm_kernels {
    const char *name;
    /* Packs blocks of A and B; `scratch` has situ_gemm_scratch bytes, 64-byte aligned. */
    void (*blocked[2])(const situ_gemm *p, void *scratch);
    /* For small products: nothing is packed; b_column must be 1. */
    void (*direct[2])(const situ_gemm *p);
    /* Few columns of B, as dot products; a_column == 1 and b_row == 1. */
    void (*dots[2])(const situ_gemm *p);
    /* m <= SITU_GEMM_FEW, b_column == 1: reads B once, without packing. */
    void (*rows[2])(const situ_gemm *p);
    /* Packs n columns of B in strips of `columns`, or m rows of A in strips of 6, over all of g's k. */
    void (*pack_columns[2])(const situ_gemm *g, int64_t first, int64_t n, void *to);
    void (*pack_rows[2])(const situ_gemm *g, int64_t first, int64_t m, void *to);
    /* C = A B, or C += A B, with B in packed strips. Strips of 6 rows of A are `step` elements apart. Packs the operand
     * that `packs` names on the way, and prefetches `ahead`; both may be NULL. */
    void (*strips[2])(const situ_gemm *g, int64_t step, bool add, const situ_gemm_packs *packs, const situ_gemm_ahead *ahead);
    int columns[2];
    int tile[2]; /* columns of a task when both sides are long: the more, the less often A is packed (bench/NOTES.md) */
} situ_gemm_kernels;
#define SITU_GEMM_TABLE(name) extern const situ_gemm_kernels name;
SITU_EACH_SET(SITU_GEMM_TABLE, situ_gemm)

/* Block sizes of the packed kernels. */
enum { SITU_GEMM_MC = 96, SITU_GEMM_KC = 256, SITU_GEMM_NC = 512 };
#define SITU_GEMM_SCRATCH ((size_t)(SITU_GEMM_MC + SITU_GEMM_NC) * SITU_GEMM_KC * 8 + 4096)

/* A large product by our own kernels: what several tasks read of A or B is packed once for all of them. `packed`: B as
 * packed earlier by situ_gemm_pack_shared, or NULL. */
void situ_gemm_shared(const situ_gemm_kernels *kernels, int type, const situ_gemm *g, const char *packed, const situ_host *h);
/* Number of elements of B when packed for products of g's shape; 0: such products would not gain by it. */
int64_t situ_gemm_packed_size(const situ_gemm_kernels *kernels, int type, const situ_gemm *g);
void situ_gemm_pack_shared(const situ_gemm_kernels *kernels, int type, const situ_gemm *g, char *to, const situ_host *h);

bool situ_gemm_amx(const situ_gemm *g, situ_dtype stored, situ_dtype numbers, const situ_host *h); /* backend/cpu/overrides.h */
/* A product of f16 or bf16 by AMX tiles, without conversion of its operands. */
bool situ_gemm_half_by_tiles(const situ_call_desc *call, char *const *address, const situ_host *h);

/* The implementation if no tuning file says otherwise; and whether SITU_BLAS says so. */
int situ_blas_default(void);
bool situ_blas_asked(void);
/* What SITU_BLAS asks for and the outcome, as a sentence; NULL: it is not set. */
const char *situ_blas_wish(void);
/* Multiplies by the library; false if it does not support the type or the strides. */
bool situ_gemm_by_library(int blas, int type, const situ_gemm *p);

#endif
