/* Compiler options for long texts: gcc by itself does not account for having only sixteen registers. SITU_TWO_AT_ONCE: the compiler
 * then interleaves two vectors, for processors with a small reorder window. */
#ifndef SITU_SIMD_SCHEDULE_H
#define SITU_SIMD_SCHEDULE_H

#if defined(__AVX2__) && !defined(__AVX512F__) && !defined(__clang__)
#pragma GCC optimize("schedule-insns", "sched-pressure")
#define SITU_TWO_AT_ONCE
#endif

#endif
