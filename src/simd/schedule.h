/* Compiler options for long straight-line code: by itself gcc's scheduler ignores that there are only sixteen
 * registers. SITU_TWO_AT_ONCE: the compiler interleaves two vectors, for processors with a small reorder window. */
#ifndef SITU_SIMD_SCHEDULE_H
#define SITU_SIMD_SCHEDULE_H

#if defined(__AVX2__) && !defined(__AVX512F__) && !defined(__clang__)
#pragma GCC optimize("schedule-insns", "sched-pressure")
#define SITU_TWO_AT_ONCE
#endif

#endif
