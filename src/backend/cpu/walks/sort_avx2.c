/* Keys in order by AVX2: as in sort_avx512.c. */
#if defined(__x86_64__)
#include "backend/cpu/walks/sort.h"

#include <immintrin.h>
#include <string.h>

#define FOLDED static inline __attribute__((always_inline))

#define COUNT(m) (uint32_t) __builtin_popcount(m)
#define BEFORE(m, l) COUNT((m) & ((1u << (l)) - 1))
#define PLACE(m, l) ((m) >> (l)&1u ? BEFORE(m, l) : COUNT(m) + (l)-BEFORE(m, l))
#define LANE(m, l) (uint32_t)(l) << 4 * (PLACE(m, l))
#define ORDER(m) LANE(m, 1) | LANE(m, 2) | LANE(m, 3) | LANE(m, 4) | LANE(m, 5) | LANE(m, 6) | LANE(m, 7)
#define ORDERS_4(m) ORDER(m), ORDER((m) + 1), ORDER((m) + 2), ORDER((m) + 3)
#define ORDERS_16(m) ORDERS_4(m), ORDERS_4((m) + 4), ORDERS_4((m) + 8), ORDERS_4((m) + 12)
#define ORDERS_64(m) ORDERS_16(m), ORDERS_16((m) + 16), ORDERS_16((m) + 32), ORDERS_16((m) + 48)
const uint32_t situ_sort_order[256] = {ORDERS_64(0u), ORDERS_64(64u), ORDERS_64(128u), ORDERS_64(192u)};

FOLDED __m256i packed(__m256i v, unsigned m)
{
    __m256i lane = _mm256_srlv_epi32(_mm256_set1_epi32((int)situ_sort_order[m]), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    return _mm256_permutevar8x32_epi32(v, lane);
}

FOLDED void store(void *to, __m256i v) { _mm256_storeu_si256((__m256i *)to, v); }

FOLDED void to_both(void *to, void *end, __m256i v, unsigned rest)
{
    __m256i w = packed(v, rest);
    store(to, w);
    store((char *)end - 32, w);
}

FOLDED uint8_t up_to(__m256i v, __m256i p)
{
    return (uint8_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_max_epu32(v, p), p)));
}

/* Lane l from lane l ^ by. */
FOLDED __m256i swapped(__m256i v, int by)
{
    switch (by) {
    case 1: return _mm256_shuffle_epi32(v, 0xb1);
    case 2: return _mm256_shuffle_epi32(v, 0x4e);
    case 3: return _mm256_shuffle_epi32(v, 0x1b);
    default: return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    }
}

/* Of b the lanes whose number has the bit. */
FOLDED __m256i picked(__m256i a, __m256i b, int bit)
{
    switch (bit) {
    case 0: return a;
    case 1: return _mm256_blend_epi32(a, b, 0xaa);
    case 2: return _mm256_blend_epi32(a, b, 0xcc);
    default: return _mm256_blend_epi32(a, b, 0xf0);
    }
}

/* The lower key of each lane to a, in lanes that have the bit to b. */
FOLDED void exchange(__m256i *a, __m256i *b, int bit)
{
    __m256i low = _mm256_min_epu32(*a, *b), high = _mm256_max_epu32(*a, *b);
    *a = picked(low, high, bit);
    *b = picked(high, low, bit);
}

FOLDED __m256i lanes_in_order(__m256i v, int bit)
{
    __m256i w = swapped(v, bit);
    return picked(_mm256_min_epu32(v, w), _mm256_max_epu32(v, w), bit);
}

/* Columns of four one after the other. */
FOLDED void turn(__m256i *v)
{
    __m256i a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpacklo_epi32(v[2], v[3]);
    __m256i c = _mm256_unpackhi_epi32(v[0], v[1]), d = _mm256_unpackhi_epi32(v[2], v[3]);
    __m256i first = _mm256_unpacklo_epi64(a, b), second = _mm256_unpackhi_epi64(a, b); /* columns 0 and 4, 1 and 5 */
    __m256i third = _mm256_unpacklo_epi64(c, d), fourth = _mm256_unpackhi_epi64(c, d);
    v[0] = _mm256_permute2x128_si256(first, second, 0x20);
    v[1] = _mm256_permute2x128_si256(third, fourth, 0x20);
    v[2] = _mm256_permute2x128_si256(first, second, 0x31);
    v[3] = _mm256_permute2x128_si256(third, fourth, 0x31);
}

FOLDED __m256i first(int64_t n) { return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); }

FOLDED __m256i load_part(__m256i m, const uint32_t *from)
{
    return _mm256_or_si256(_mm256_maskload_epi32((const int *)(const void *)from, m), _mm256_xor_si256(m, _mm256_set1_epi32(-1)));
}

#define KEY uint32_t
#define NAME(f) f##_avx2_narrow
#define LANES 8
#define HIGH 4
#define VECTOR __m256i
#define BITS 1
#define MASK uint8_t
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define SPREAD(x) _mm256_set1_epi32((int)(x))
#define UP_TO(v, p) up_to(v, p)
#define TO_FRONT(to, v, rest) store(to, packed(v, rest))
#define TO_BACK(end, v, rest, above) store((end)-8, packed(v, rest))
#define TO_BOTH(to, end, v, rest, above) to_both(to, end, v, rest)
#define DIFFERS(a, b) (_mm256_movemask_epi8(_mm256_cmpeq_epi32(a, b)) != -1)
#define SOME __m256i
#define FIRST(n, i) first((n) - (i)*LANES)
#define LOAD_PART(m, p) load_part(m, p)
#define STORE_PART(p, m, v) _mm256_maskstore_epi32((int *)(void *)(p), m, v)
#define SWAPPED(v, by) swapped(v, by)
#define EXCHANGE(a, b, bit) exchange(&(a), &(b), bit)
#define LANES_IN_ORDER(v, bit) lanes_in_order(v, bit)
#define TURN(v, high) turn(v)
#include "backend/cpu/walks/sort_quick.inc"

/* ---- of 64 bits: two bits of a mask for each key, comparisons of signed ones -------- */

FOLDED __m256i signed_64(__m256i v) { return _mm256_xor_si256(v, _mm256_set1_epi64x(INT64_MIN)); }

FOLDED uint8_t up_to_64(__m256i v, __m256i p)
{
    return (uint8_t)~_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi64(signed_64(v), signed_64(p))));
}

FOLDED __m256i swapped_64(__m256i v, int by)
{
    return by == 1 ? _mm256_shuffle_epi32(v, 0x4e) :
        by == 2    ? _mm256_permute4x64_epi64(v, 0x4e) :
                     _mm256_permute4x64_epi64(v, 0x1b);
}

/* The bits in which the two differ where they are in the wrong order: in lanes that have the bit, the lower one second. */
FOLDED __m256i wrong_64(__m256i v, __m256i w, int bit)
{
    __m256i m = _mm256_cmpgt_epi64(v, w);
    if (bit) m = _mm256_xor_si256(m, bit == 1 ? _mm256_setr_epi64x(0, -1, 0, -1) : _mm256_setr_epi64x(0, 0, -1, -1));
    return _mm256_and_si256(_mm256_xor_si256(v, w), m);
}

FOLDED void exchange_64(__m256i *a, __m256i *b, int bit)
{
    __m256i wrong = wrong_64(*a, *b, bit);
    *a = _mm256_xor_si256(*a, wrong);
    *b = _mm256_xor_si256(*b, wrong);
}

FOLDED __m256i lanes_in_order_64(__m256i v, int bit) { return _mm256_xor_si256(v, wrong_64(v, swapped_64(v, bit), bit)); }

/* Columns of four, or of eight, one after the other. */
FOLDED void turn_64(__m256i *v, int high)
{
    __m256i w[8];
    _Pragma("GCC unroll 2") for (int i = 0; i < high; i += 4)
    {
        __m256i a = _mm256_unpacklo_epi64(v[i], v[i + 1]), b = _mm256_unpacklo_epi64(v[i + 2], v[i + 3]); /* lanes 0 and 2 */
        __m256i c = _mm256_unpackhi_epi64(v[i], v[i + 1]), d = _mm256_unpackhi_epi64(v[i + 2], v[i + 3]);
        w[i / 4] = _mm256_permute2x128_si256(a, b, 0x20);
        w[i / 4 + high / 4] = _mm256_permute2x128_si256(c, d, 0x20);
        w[i / 4 + high / 2] = _mm256_permute2x128_si256(a, b, 0x31);
        w[i / 4 + high / 4 * 3] = _mm256_permute2x128_si256(c, d, 0x31);
    }
    _Pragma("GCC unroll 8") for (int i = 0; i < high; i++) v[i] = w[i];
}

FOLDED __m256i first_64(int64_t n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)); }

FOLDED __m256i load_part_64(__m256i m, const uint64_t *from)
{
    __m256i v = _mm256_maskload_epi64((const long long *)(const void *)from, m);
    return signed_64(_mm256_or_si256(v, _mm256_xor_si256(m, _mm256_set1_epi32(-1))));
}

#define KEY uint64_t
#define NAME(f) f##_avx2_wide
#define LANES 4
#define HIGH 8
#define VECTOR __m256i
#define BITS 2
#define MASK uint8_t
#define SOME __m256i
#define FIRST(n, i) first_64((n) - (i)*LANES)
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define LOAD_PART(m, p) load_part_64(m, p)
#define STORE_PART(p, m, v) _mm256_maskstore_epi64((long long *)(void *)(p), m, signed_64(v))
#define SPREAD(x) _mm256_set1_epi64x((long long)(x))
#define UP_TO(v, p) up_to_64(v, p)
#define TO_FRONT(to, v, rest) store(to, packed(v, rest))
#define TO_BACK(end, v, rest, above) store((end)-4, packed(v, rest))
#define TO_BOTH(to, end, v, rest, above) to_both(to, end, v, rest)
#define DIFFERS(a, b) (_mm256_movemask_epi8(_mm256_cmpeq_epi64(a, b)) != -1)
#define SWAPPED(v, by) swapped_64(v, by)
#define EXCHANGE(a, b, bit) exchange_64(&(a), &(b), bit)
#define LANES_IN_ORDER(v, bit) lanes_in_order_64(v, bit)
#define TURN(v, high) turn_64(v, high)
#include "backend/cpu/walks/sort_quick.inc"
#endif
