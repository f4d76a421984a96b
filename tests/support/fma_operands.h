/* Operands for fused multiply-adds: products and sums near ties, that cancel, that underflow, and any. From a seed. */
#ifndef SITU_TESTS_FMA_OPERANDS_H
#define SITU_TESTS_FMA_OPERANDS_H

#include <math.h>
#include <stdint.h>

static uint64_t fma_state;
static inline uint64_t fma_next(void) /* splitmix64 */
{
    uint64_t z = fma_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A significand of `digits` bits; half of them are runs of ones and zeros, whose products have such runs, too. */
static inline uint64_t fma_significand(int digits)
{
    uint64_t all = (UINT64_C(1) << digits) - 1, m = fma_next() & all;
    if (fma_next() & 1) m = all & ~(all >> (fma_next() % (unsigned)digits)) & ~(fma_next() & fma_next() & 3);
    if (fma_next() & 1) m ^= UINT64_C(1) << fma_next() % (unsigned)digits;
    return m | UINT64_C(1) << (digits - 1);
}

/* Its magnitude is from 2^(least - 1) to less than 2^most. */
static inline double fma_number(int digits, int least, int most)
{
    double x = ldexp((double)fma_significand(digits), least + (int)(fma_next() % (uint64_t)(most - least + 1)) - digits);
    return fma_next() & 1 ? x : -x;
}

/* Near -a * b, near half of the last bit of a * b, somewhere near it, far below it, or any. */
static inline double fma_addend(double a, double b, int digits, int least, int most)
{
    double product = a * b, near = product == 0 || isinf(product) ? 1 : product;
    int e;
    (void)frexp(near, &e);
    switch (fma_next() % 5) {
    case 0: return -near * (1 + ldexp((double)(int)(fma_next() % 9) - 4, -digits));
    case 1: return fma_number(digits, e - digits - 2, e - digits + 2);
    case 2: return fma_number(digits, e - 2 * digits - 3, e + 2 * digits + 3);
    case 3: return fma_number(digits, e - 3 * digits, e - 2 * digits - 5); /* less than a wider format's last bit of a * b */
    default: return fma_number(digits, least, most);
    }
}

/* Half of them have products among the subnormals; a quarter have factors of half of the digits, whose product is often a tie. */
static inline void fma_doubles(double v[3])
{
    int low = fma_next() & 1, least = low ? -540 : -1073, most = low ? -510 : 1024, is_short = fma_next() % 4 == 0;
    v[0] = fma_number(is_short ? 26 : 53, least, most);
    v[1] = fma_number(is_short ? 28 : 53, least, most);
    v[2] = fma_addend(v[0], v[1], 53, low ? -1074 : -1073, low ? -1000 : 1024);
}
static inline void fma_floats(float v[3])
{
    int low = fma_next() & 1, least = low ? -75 : -148, most = low ? -60 : 128, is_short = fma_next() % 4 == 0;
    v[0] = (float)fma_number(is_short ? 12 : 24, least, most);
    v[1] = (float)fma_number(is_short ? 13 : 24, least, most);
    v[2] = (float)fma_addend((double)v[0], (double)v[1], 24, low ? -149 : -148, low ? -120 : 128);
}

#endif
