/* Kernels that a single instruction set does in its own way, instead of the common ones written with simd/simd.h. They
 * are in the files *_avx2.c, *_avx512.c and *_amx.c, which are compiled for x86-64 only. */
#ifndef SITU_CPU_OVERRIDES_H
#define SITU_CPU_OVERRIDES_H

#include "graph/op.h"

struct situ_gemm;

/* Any member may be NULL: not available on this machine, or excluded by SITU_ISA or a test's limit. */
typedef struct situ_overrides {
    /* Adds four 8-bit products to a 32-bit sum (VNNI), or uses AMX tiles. */
    const struct situ_int8_product *int8;
    /* A matrix product by AMX tiles. The matrices are stored as f32, f16 or bf16, and all elements are numbers of the
     * dtype `numbers`, f16 or bf16. The result has the stored dtype. False, without having done anything: it is too
     * small, or an f16 element is not finite. */
    bool (*gemm)(const struct situ_gemm *g, situ_dtype stored, situ_dtype numbers, const situ_host *h);
} situ_overrides;

const situ_overrides *situ_overrides_here(void);

#endif
