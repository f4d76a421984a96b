/* Numbers as the fake libraries find them in memory; types are CUDA's (cudaDataType). */
#ifndef FAKECUDA_NUMBERS_H
#define FAKECUDA_NUMBERS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14 };

static inline float from_half(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    float x = exponent == 31 ? (fraction ? NAN : INFINITY) : exponent ? ldexpf((float)(1024 + fraction), exponent - 25) : ldexpf((float)fraction, -24);
    return h & 0x8000 ? -x : x;
}

static inline uint16_t to_half(float x)
{
    uint16_t sign = signbit(x) ? 0x8000 : 0;
    x = fabsf(x);
    if (isnan(x)) return 0x7e00;
    if (x >= 65520.0f) return sign | 0x7c00;
    if (x < 6.103515625e-05f) return (uint16_t)(sign | (uint16_t)nearbyintf(x * 16777216.0f));
    int exponent;
    float f = frexpf(x, &exponent);
    uint32_t fraction = (uint32_t)nearbyintf(f * 2048.0f);
    return (uint16_t)(sign | (((uint32_t)(exponent + 13) << 10) + fraction));
}

static inline void load(double *x, const char *p, int type, int64_t i)
{
    uint16_t h;
    uint32_t bits;
    float f;
    x[1] = 0;
    switch (type) {
    case R_16F: memcpy(&h, p + 2 * i, 2), x[0] = (double)from_half(h); break;
    case R_16BF: memcpy(&h, p + 2 * i, 2), bits = (uint32_t)h << 16, memcpy(&f, &bits, 4), x[0] = (double)f; break;
    case R_32F: x[0] = (double)((const float *)p)[i]; break;
    case R_64F: x[0] = ((const double *)p)[i]; break;
    case C_32F: x[0] = (double)((const float *)p)[2 * i], x[1] = (double)((const float *)p)[2 * i + 1]; break;
    default: x[0] = ((const double *)p)[2 * i], x[1] = ((const double *)p)[2 * i + 1];
    }
}

static inline void store(char *p, int type, int64_t i, const double *x)
{
    float f = (float)x[0];
    uint32_t bits;
    uint16_t h;
    switch (type) {
    case R_16F: h = to_half(f), memcpy(p + 2 * i, &h, 2); break;
    case R_16BF:
        memcpy(&bits, &f, 4);
        h = f != f ? 0x7fc0 : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
        memcpy(p + 2 * i, &h, 2);
        break;
    case R_32F: ((float *)p)[i] = f; break;
    case R_64F: ((double *)p)[i] = x[0]; break;
    case C_32F: ((float *)p)[2 * i] = f, ((float *)p)[2 * i + 1] = (float)x[1]; break;
    default: ((double *)p)[2 * i] = x[0], ((double *)p)[2 * i + 1] = x[1];
    }
}

#endif
