/* What is compiled for: the processor and what its C library can, where the preprocessor has to know. Each is 1 or not defined. */
#ifndef SITU_OS_PROCESSOR_H
#define SITU_OS_PROCESSOR_H

#include <stdint.h> /* defines __GLIBC__ where that is the C library */

#if defined(__x86_64__)
#define SITU_X86_64 1
#elif defined(__aarch64__)
#define SITU_AARCH64 1
#endif
#if defined(__AVX512F__) /* this file */
#define SITU_COMPILES_AVX512 1
#endif

/* The processor has an instruction for a * b + c with one rounding; the C library's function has one rounding everywhere. */
#if defined(__FP_FAST_FMA) || defined(__FMA__) || defined(__aarch64__) || defined(__ARM_FEATURE_FMA) || defined(__s390x__) || \
    defined(__powerpc64__) || (defined(__riscv_flen) && __riscv_flen >= 64)
#define SITU_FMA_INSTRUCTION 1
#endif
#if defined(__GLIBC__)
#define SITU_FMA_FUNCTION 1
#endif

#endif
