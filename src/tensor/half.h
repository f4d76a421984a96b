/* f16 and bf16 in software, the same bits everywhere; straight-line code that compilers turn into vectors. Values are
 * rounded once, to nearest even. NaN stays NaN. */
#ifndef SITU_TENSOR_HALF_H
#define SITU_TENSOR_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t situ_bits_of_f32(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float situ_f32_of_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline float situ_half_to_f32(uint16_t h)
{
    uint32_t a = (uint32_t)(h & 0x7fff) << 13, exponent = a & 0x0f800000;
    uint32_t normal = a + (exponent == 0x0f800000 ? 224u << 23 : 112u << 23); /* infinity and NaN get the largest exponent */
    /* A subnormal m * 2^-24 is computed exactly as (2^-14 + m * 2^-24) - 2^-14. */
    uint32_t small = situ_bits_of_f32(situ_f32_of_bits(a + (113u << 23)) - situ_f32_of_bits(113u << 23));
    uint32_t quiet = a > 0x0f800000 ? 0x400000 : 0; /* quiet bit, as the hardware conversion sets it */
    return situ_f32_of_bits((exponent ? normal | quiet : small) | (uint32_t)(h & 0x8000) << 16);
}

static inline uint16_t situ_half_from_f32(float f)
{
    uint32_t u = situ_bits_of_f32(f), a = u & 0x7fffffff, sign = u >> 16 & 0x8000;
    uint32_t normal = (a + 0xfff + (a >> 13 & 1) - (112u << 23)) >> 13;
    /* Below 2^-14 the spacing is 2^-24, which is the spacing of f32 between 0.5 and 1; so adding 0.5 rounds correctly. */
    uint32_t small = situ_bits_of_f32(situ_f32_of_bits(a) + 0.5f) - 0x3f000000;
    uint32_t h = a < 0x38800000 ? small : normal;
    h = a >= 0x477ff000 ? 0x7c00 : h;                    /* 65520 and above: infinity */
    h = a > 0x7f800000 ? 0x7e00 | (a >> 13 & 0x3ff) : h; /* NaN, with the quiet bit */
    return (uint16_t)(h | sign);
}

static inline float situ_brain_to_f32(uint16_t h) { return situ_f32_of_bits((uint32_t)h << 16); }

static inline uint16_t situ_brain_from_f32(float f)
{
    uint32_t u = situ_bits_of_f32(f);
    uint32_t rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? u >> 16 | 0x40 : rounded);
}

/* The double rounded to odd: an inexact result has its last bit set, so a second rounding to 16 bits knows on which
 * side of a tie the double was. */
static inline float situ_f32_odd(double d)
{
    float f = (float)d;
    uint32_t u = situ_bits_of_f32(f);
    double back = (double)f, magnitude = __builtin_fabs(d);
    uint32_t inexact = back != d && d == d;
    uint32_t above = __builtin_fabs(back) > magnitude;
    return situ_f32_of_bits((u - above) | inexact);
}

static inline uint16_t situ_half_from_f64(double d) { return situ_half_from_f32(situ_f32_odd(d)); }
static inline uint16_t situ_brain_from_f64(double d) { return situ_brain_from_f32(situ_f32_odd(d)); }

/* A 64-bit integer as a double that rounds to 16 bits like the integer itself: the low bits of a large one are merged
 * into a sticky bit. */
static inline double situ_f64_sticky_u64(uint64_t m)
{
    uint64_t sticky = (m >> 16 | ((m & 0xffff) != 0)) << 16;
    return (double)(m >> 32 ? sticky : m);
}
static inline double situ_f64_sticky_i64(int64_t x)
{
    double m = situ_f64_sticky_u64(x < 0 ? -(uint64_t)x : (uint64_t)x);
    return x < 0 ? -m : m;
}

#endif
