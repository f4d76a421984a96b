/* Keys of 32 bits in order by AVX2: as in sort_avx512.c; parts of a vector are brought together by a table of all of them. */
#if defined(__x86_64__)
#include "backend/cpu/walks/sort.h"

#include <immintrin.h>
#include <string.h>

/* Four bits for each place: the lane that goes there, those of a mask first. */
#define COUNT(m) (uint32_t) __builtin_popcount(m)
#define BEFORE(m, l) COUNT((m) & ((1u << (l)) - 1))
#define PLACE(m, l) ((m) >> (l)&1u ? BEFORE(m, l) : COUNT(m) + (l)-BEFORE(m, l))
#define LANE(m, l) (uint32_t)(l) << 4 * (PLACE(m, l))
#define ORDER(m) LANE(m, 1) | LANE(m, 2) | LANE(m, 3) | LANE(m, 4) | LANE(m, 5) | LANE(m, 6) | LANE(m, 7)
#define ORDERS_4(m) ORDER(m), ORDER((m) + 1), ORDER((m) + 2), ORDER((m) + 3)
#define ORDERS_16(m) ORDERS_4(m), ORDERS_4((m) + 4), ORDERS_4((m) + 8), ORDERS_4((m) + 12)
#define ORDERS_64(m) ORDERS_16(m), ORDERS_16((m) + 16), ORDERS_16((m) + 32), ORDERS_16((m) + 48)
static const uint32_t order[256] = {ORDERS_64(0u), ORDERS_64(64u), ORDERS_64(128u), ORDERS_64(192u)};

static inline __m256i ordered(__m256i v, unsigned m)
{
    __m256i lane = _mm256_srlv_epi32(_mm256_set1_epi32((int)order[m]), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    return _mm256_permutevar8x32_epi32(v, lane);
}

static inline void store(uint32_t *to, __m256i v) { _mm256_storeu_si256((__m256i *)(void *)to, v); }

static inline void to_both(uint32_t *to, uint32_t *end, __m256i v, unsigned rest)
{
    __m256i w = ordered(v, rest);
    store(to, w);
    store(end - 8, w);
}

static inline uint8_t up_to(__m256i v, __m256i p)
{
    return (uint8_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_max_epu32(v, p), p)));
}

static inline __m256i turned_32(__m256i v) { return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0)); }

/* Each lane and its partner in w; `upper`: lanes that keep the larger one. */
#define EXCHANGE(partners, upper) \
    { \
        __m256i w = partners; \
        v = _mm256_blend_epi32(_mm256_min_epu32(v, w), _mm256_max_epu32(v, w), upper); \
    }

static inline __m256i sorted_32(__m256i v)
{
    EXCHANGE(_mm256_shuffle_epi32(v, 0xb1), 0xaa)
    EXCHANGE(_mm256_shuffle_epi32(v, 0x1b), 0xcc)
    EXCHANGE(_mm256_shuffle_epi32(v, 0xb1), 0xaa)
    EXCHANGE(turned_32(v), 0xf0)
    EXCHANGE(_mm256_shuffle_epi32(v, 0x4e), 0xcc)
    EXCHANGE(_mm256_shuffle_epi32(v, 0xb1), 0xaa)
    return v;
}

/* In order both ways: up. */
static inline __m256i merged_32(__m256i v)
{
    EXCHANGE(_mm256_permute4x64_epi64(v, 0x4e), 0xf0)
    EXCHANGE(_mm256_shuffle_epi32(v, 0x4e), 0xcc)
    EXCHANGE(_mm256_shuffle_epi32(v, 0xb1), 0xaa)
    return v;
}

static inline __m256i first(int64_t n)
{
    int some = n > 8 ? 8 : (int)n;
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(some), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

static inline __m256i load_part(__m256i m, const uint32_t *from)
{
    return _mm256_or_si256(_mm256_maskload_epi32((const int *)(const void *)from, m), _mm256_xor_si256(m, _mm256_set1_epi32(-1)));
}

#define KEY uint32_t
#define NAME(f) f##_avx2_narrow
#define LANES 8
#define VECTOR __m256i
#define MASK uint8_t
#define SOME __m256i
#define FIRST(n) first(n)
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define LOAD_PART(m, p) load_part(m, p)
#define STORE_PART(p, m, v) _mm256_maskstore_epi32((int *)(void *)(p), m, v)
#define SORTED(v) sorted_32(v)
#define MERGED(v) merged_32(v)
#define TURNED(v) turned_32(v)
#define LEAST(a, b) _mm256_min_epu32(a, b)
#define MOST(a, b) _mm256_max_epu32(a, b)
#define SPREAD(x) _mm256_set1_epi32((int)(x))
#define UP_TO(v, p) up_to(v, p)
#define TO_FRONT(to, v, rest) store(to, ordered(v, rest))
#define TO_BACK(end, v, rest) store((end)-8, ordered(v, rest))
#define TO_BOTH(to, end, v, rest) to_both(to, end, v, rest)
#include "backend/cpu/walks/sort_quick.inc"
#endif
