/* What single instruction sets do in their own way, in place of kernels that are written in words for all of them (simd/simd.h).
 * The files *_avx2.c, *_avx512.c and *_amx.c have it; they are compiled for x86-64 alone. */
#ifndef SITU_CPU_OVERRIDES_H
#define SITU_CPU_OVERRIDES_H

#include "graph/op.h"

struct situ_gemm;

/* NULL: not on this machine, or not under SITU_ISA or a test's limit. */
typedef struct situ_overrides {
    /* Four products of 8 bits to a sum (VNNI), or tiles of them (AMX). */
    const struct situ_int8_product *int8;
    /* A product by tiles (AMX) of matrices stored as f32, f16 or bf16, whose elements are `numbers` of f16 or bf16; the result is
     * of the stored type. False: it is too small, or a number of f16 is not finite, and nothing was done. */
    bool (*gemm)(const struct situ_gemm *g, situ_dtype stored, situ_dtype numbers, const situ_host *h);
} situ_overrides;

const situ_overrides *situ_overrides_here(void);

#endif
