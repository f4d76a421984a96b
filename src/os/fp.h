/* The floating-point control word: round to nearest, subnormals kept. Libraries built with -ffast-math change it when
 * they are loaded; so it is restored around each dlopen and set in each of our threads. */
#ifndef SITU_OS_FP_H
#define SITU_OS_FP_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
static inline uint64_t situ_fp_save(void) { return _mm_getcsr(); }
static inline void situ_fp_restore(uint64_t word) { _mm_setcsr((unsigned)word); }
/* All exceptions masked, round to nearest, no flush to zero, subnormals are not zero. */
static inline void situ_fp_reset(void) { _mm_setcsr(0x1f80); }
/* From now on subnormal operands and results are 0. */
static inline void situ_fp_flush(void) { _mm_setcsr(0x9fc0); }
#elif defined(__aarch64__)
static inline uint64_t situ_fp_save(void)
{
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}
static inline void situ_fp_restore(uint64_t word) { __asm__ volatile("msr fpcr, %0" : : "r"(word)); }
static inline void situ_fp_reset(void) { situ_fp_restore(0); }
static inline void situ_fp_flush(void) { situ_fp_restore(1 << 24); }
#else
static inline uint64_t situ_fp_save(void) { return 0; }
static inline void situ_fp_restore(uint64_t word) { (void)word; }
static inline void situ_fp_reset(void) {}
static inline void situ_fp_flush(void) {}
#endif

#endif
