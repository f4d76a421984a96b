/* Random numbers of the judge: SplitMix64 (G. Steele, D. Lea, C. Flood, 2014). */
#ifndef JUDGE_RNG_H
#define JUDGE_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
/* 0 .. n-1 */
static inline int rng_below(rng *r, int n) { return n > 1 ? (int)(rng_next(r) % (uint64_t)n) : 0; }
static inline bool rng_chance(rng *r, int percent) { return rng_below(r, 100) < percent; }
static inline int64_t rng_between(rng *r, int64_t low, int64_t high)
{
    return high > low ? low + (int64_t)(rng_next(r) % ((uint64_t)(high - low) + 1)) : low;
}
static inline double rng_unit(rng *r) { return (double)(rng_next(r) >> 11) * 0x1p-53; }

#endif
