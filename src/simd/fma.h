/* a * b + c with one rounding: an instruction of the processor, glibc's function, or ours in whole numbers. Functions of other C
 * libraries may round twice. */
#ifndef SITU_SIMD_FMA_H
#define SITU_SIMD_FMA_H

#include "os/processor.h"

#if defined(SITU_FMA_INSTRUCTION) || defined(SITU_FMA_FUNCTION)
#define SITU_FMA(a, b, c) __builtin_fma(a, b, c)
#define SITU_FMAF(a, b, c) __builtin_fmaf(a, b, c)
#else
#define FN static inline __attribute__((unused))
#include "simd/fma.inc"
#undef FN
#define SITU_FMA(a, b, c) whole_fma(a, b, c)
#define SITU_FMAF(a, b, c) whole_fmaf(a, b, c)
#endif

#endif
