/* Random numbers and random elements of each dtype for tests; and when two elements count as equal. */
#ifndef SITU_TEST_RANDOM_ELEMENT_H
#define SITU_TEST_RANDOM_ELEMENT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tensor/dtype.h"

typedef struct random_state {
    uint64_t state;
} random_state;

static inline uint64_t random_u64(random_state *s)
{
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
/* 0 .. n-1 */
static inline int random_below(random_state *s, int n) { return (int)(random_u64(s) % (uint64_t)n); }
static inline bool random_chance(random_state *s, int percent) { return random_below(s, 100) < percent; }
static inline int64_t random_between(random_state *s, int64_t low, int64_t high)
{
    return low + (int64_t)(random_u64(s) % (uint64_t)(high - low + 1));
}
static inline double random_unit(random_state *s) { return (double)(random_u64(s) >> 11) * 0x1p-53; }

static inline void random_element(random_state *s, situ_dtype d, bool tame, char *out)
{
    static const double edges[] = {0, -0.0, 1, -1, 0.5, 2, 127, 128, -128, 255, 256, 32767, 65504, 65520, 65536, 1e-5,
                                   6e-8, 1e-40, 2147483648.0, 4294967296.0, 9223372036854775808.0, 1e20, 1e39, 1e300,
                                   88, -104, NAN, INFINITY, -INFINITY};
    int pick = random_below(s, 10);
    if (d == SITU_BOOL) {
        *out = (char)(random_u64(s) & 1);
    } else if (tame || pick < 4) {
        double x = situ_dtype_is_float(d) || situ_dtype_is_complex(d) ? random_unit(s) * 6 - 3
                                                                      : (double)random_between(s, -9, 9);
        situ_element_set_f64(d, out, situ_dtype_is_signed(d) ? x : fabs(x));
    } else if (pick < 6) { /* near the midpoint of two numbers with fewer bits */
        int64_t few = random_between(s, 1, 1 << random_between(s, 2, 13)), scale = random_between(s, 0, 50);
        if (situ_dtype_is_integer(d)) situ_element_set_i64(d, out, (few << scale) + random_between(s, -1, 1));
        else
            situ_element_set_f64(d, out,
                                 ldexp((double)few + (double)random_between(s, -1, 1) * 0x1p-38, (int)scale - 36));
    } else if (pick < 8) {
        situ_element_set_f64(d, out, edges[random_below(s, sizeof edges / sizeof *edges)]);
    } else {
        uint64_t bits[2] = {random_u64(s), random_u64(s)};
        memcpy(out, bits, situ_dtype_size(d));
    }
}

static inline bool same_element(situ_dtype d, const char *a, const char *b)
{
    size_t size = situ_dtype_size(d);
    if (!memcmp(a, b, size)) return true;
    if (situ_dtype_is_complex(d)) {
        situ_dtype part = situ_dtype_real(d);
        return same_element(part, a, b) && same_element(part, a + size / 2, b + size / 2);
    }
    return situ_dtype_is_float(d) && isnan(situ_element_get_f64(d, a)) && isnan(situ_element_get_f64(d, b));
}

/* Index of the first element that differs, or -1; NaN equals NaN. */
static inline int64_t first_difference(situ_dtype d, const char *a, const char *b, int64_t bytes)
{
    int64_t size = (int64_t)situ_dtype_size(d);
    if (!memcmp(a, b, (size_t)bytes)) return -1;
    for (int64_t k = 0; k < bytes / size; k++)
        if (!same_element(d, a + k * size, b + k * size)) return k;
    return -1;
}

#endif
