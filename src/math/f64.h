/* Functions of doubles for the host, with the same bits on every processor: those of math_f64.inc, compiled for each
 * instruction set. Functions of the C library have variants whose last bits differ, so the library calls none of them but
 * those that are exact. */
#ifndef SITU_MATH_F64_H
#define SITU_MATH_F64_H

#include "base/isa.h"

/* clang-format off */
#define SITU_F64_EACH(one, two) \
    one(exp) one(expm1) one(log) one(log1p) one(log2) one(log10) one(sin) one(cos) one(tan) one(sinh) one(cosh) one(tanh) \
    one(asinh) two(pow) two(atan2)
/* clang-format on */

#define SITU_F64_ONE(f) double (*f)(double x);
#define SITU_F64_TWO(f) double (*f)(double x, double y);
typedef struct situ_f64 {
    SITU_F64_EACH(SITU_F64_ONE, SITU_F64_TWO)
    double (*far_turns)(double x, unsigned long long *quarter, double *beyond);
} situ_f64;
#undef SITU_F64_ONE
#undef SITU_F64_TWO
/* Nothing here is a vector: AVX-512 takes those of AVX2. */
#ifndef SITU_ONLY_AVX512
#define situ_f64_avx512 situ_f64_avx2
#endif
#define SITU_F64_TABLE(name) extern const situ_f64 name;
SITU_EACH_SET(SITU_F64_TABLE, situ_f64)

/* The functions for the instruction set in use. */
const situ_f64 *situ_f64_best(void);

#define SITU_F64_ONE(f) \
    static inline double situ_f64_##f(double x) { return situ_f64_best()->f(x); }
#define SITU_F64_TWO(f) \
    static inline double situ_f64_##f(double x, double y) { return situ_f64_best()->f(x, y); }
SITU_F64_EACH(SITU_F64_ONE, SITU_F64_TWO)
#undef SITU_F64_ONE
#undef SITU_F64_TWO

/* x - k pi/2 = the result - *beyond for the nearest integer k, modulo 4 in *quarter; |x| >= 1. */
static inline double situ_f64_far_turns(double x, unsigned long long *quarter, double *beyond)
{
    return situ_f64_best()->far_turns(x, quarter, beyond);
}

#endif
