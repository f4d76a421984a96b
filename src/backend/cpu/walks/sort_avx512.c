/* Keys in order by AVX-512: those up to a pivot are packed together in registers, of eight lanes by a table of all masks
 * (C. A. R. Hoare, 1961); fewer than 64 are sorted by exchanges (K. E. Batcher, 1968). */
#if defined(__x86_64__)
#include "backend/cpu/walks/sort.h"

#include <immintrin.h>
#include <string.h>

#define FOLDED static inline __attribute__((always_inline))

/* Lane l from lane l ^ by. */
FOLDED __m512i swapped_32(__m512i v, int by)
{
    switch (by) {
    case 1: return _mm512_shuffle_epi32(v, 0xb1);
    case 2: return _mm512_shuffle_epi32(v, 0x4e);
    case 3: return _mm512_shuffle_epi32(v, 0x1b);
    case 4: return _mm512_permutex_epi64(v, 0x4e);
    case 7: return _mm512_permutexvar_epi32(_mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8), v);
    case 8: return _mm512_shuffle_i64x2(v, v, 0x4e);
    default: return _mm512_permutexvar_epi32(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), v);
    }
}

FOLDED __m512i swapped_64(__m512i v, int by)
{
    switch (by) {
    case 1: return _mm512_shuffle_epi32(v, 0x4e);
    case 2: return _mm512_permutex_epi64(v, 0x4e);
    case 3: return _mm512_permutex_epi64(v, 0x1b);
    case 4: return _mm512_shuffle_i64x2(v, v, 0x4e);
    default: return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v);
    }
}

/* Lanes whose number has the bit. */
#define HAVE(bit) ((bit) == 1 ? 0xaaaa : (bit) == 2 ? 0xcccc : (bit) == 4 ? 0xf0f0 : 0xff00)

/* The lower key of each lane to a, in lanes that have the bit to b. */
FOLDED void exchange_32(__m512i *a, __m512i *b, int bit)
{
    __m512i low = _mm512_min_epu32(*a, *b), high = _mm512_max_epu32(*a, *b);
    *a = bit ? _mm512_mask_mov_epi32(low, HAVE(bit), high) : low;
    *b = bit ? _mm512_mask_mov_epi32(high, HAVE(bit), low) : high;
}

FOLDED __m512i lanes_in_order_32(__m512i v, int bit)
{
    __m512i w = swapped_32(v, bit);
    return _mm512_mask_max_epu32(_mm512_min_epu32(v, w), HAVE(bit), v, w);
}

/* Minima and maxima of 64 bits take twice as long as those of 32: one comparison instead. */
FOLDED __mmask8 above(__m512i v, __m512i w, int bit)
{
    __mmask8 m = _mm512_cmpgt_epu64_mask(v, w);
    return bit ? _kxor_mask8(m, (__mmask8)HAVE(bit)) : m;
}

FOLDED void exchange_64(__m512i *a, __m512i *b, int bit)
{
    __m512i v = *a, w = *b;
    __mmask8 m = above(v, w, bit);
    *a = _mm512_mask_mov_epi64(v, m, w);
    *b = _mm512_mask_mov_epi64(w, m, v);
}

FOLDED __m512i lanes_in_order_64(__m512i v, int bit)
{
    __m512i w = swapped_64(v, bit);
    return _mm512_mask_mov_epi64(v, above(v, w, bit), w);
}

/* Columns of four one after the other. */
FOLDED void turn_64(__m512i *v)
{
    const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    const __m512i twos = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), last = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512i a = _mm512_permutex2var_epi64(v[0], low, v[1]), b = _mm512_permutex2var_epi64(v[2], low, v[3]);
    __m512i c = _mm512_permutex2var_epi64(v[0], high, v[1]), d = _mm512_permutex2var_epi64(v[2], high, v[3]);
    v[0] = _mm512_permutex2var_epi64(a, twos, b);
    v[1] = _mm512_permutex2var_epi64(a, last, b);
    v[2] = _mm512_permutex2var_epi64(c, twos, d);
    v[3] = _mm512_permutex2var_epi64(c, last, d);
}

/* Columns of eight. */
FOLDED void square_64(__m512i *v)
{
    __m512i w[8];
    _Pragma("GCC unroll 4") for (int i = 0; i < 8; i += 2)
    {
        w[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]); /* lanes 0, 2, 4, 6 */
        w[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
    }
    _Pragma("GCC unroll 2") for (int i = 0; i < 2; i++)
    {
        __m512i a = _mm512_shuffle_i64x2(w[i], w[i + 2], 0x88), b = _mm512_shuffle_i64x2(w[i], w[i + 2], 0xdd);
        __m512i c = _mm512_shuffle_i64x2(w[i + 4], w[i + 6], 0x88), d = _mm512_shuffle_i64x2(w[i + 4], w[i + 6], 0xdd);
        v[i] = _mm512_shuffle_i64x2(a, c, 0x88);
        v[i + 2] = _mm512_shuffle_i64x2(b, d, 0x88);
        v[i + 4] = _mm512_shuffle_i64x2(a, c, 0xdd);
        v[i + 6] = _mm512_shuffle_i64x2(b, d, 0xdd);
    }
}

FOLDED void turn_32(__m512i *v)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const __m512i twos = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), last = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    __m512i a = _mm512_permutex2var_epi32(v[0], low, v[1]), b = _mm512_permutex2var_epi32(v[2], low, v[3]);
    __m512i c = _mm512_permutex2var_epi32(v[0], high, v[1]), d = _mm512_permutex2var_epi32(v[2], high, v[3]);
    v[0] = _mm512_permutex2var_epi64(a, twos, b);
    v[1] = _mm512_permutex2var_epi64(a, last, b);
    v[2] = _mm512_permutex2var_epi64(c, twos, d);
    v[3] = _mm512_permutex2var_epi64(c, last, d);
}

FOLDED __m512i packed(__m512i v, unsigned m)
{
    __m512i lane = _mm512_srlv_epi64(_mm512_set1_epi32((int)situ_sort_order[m]), _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28));
    return _mm512_permutexvar_epi64(lane, v);
}

FOLDED void to_both(uint64_t *to, uint64_t *end, __m512i v, unsigned rest)
{
    __m512i w = packed(v, rest);
    _mm512_storeu_si512(to, w);
    _mm512_storeu_si512(end - 8, w);
}

/* The n of m before `end`. */
FOLDED void to_back(uint32_t *end, __m512i v, __mmask16 m, int64_t n)
{
    _mm512_mask_storeu_epi32(end - n, (__mmask16)((1u << n) - 1), _mm512_maskz_compress_epi32(m, v));
}

#define KEY uint32_t
#define NAME(f) f##_avx512_narrow
#define LANES 16
#define ALL(what) _mm512_##what##_epi32
#define TEST(what) _mm512_##what##_epi32_mask
#define UNSIGNED(what) _mm512_##what##_epu32_mask
#define BITS 1
#define MASK __mmask16
#include "backend/cpu/walks/sort_keys.inc"
#define HIGH 4
#define VECTOR __m512i
#define LOAD(p) _mm512_loadu_si512(p)
#define SPREAD(x) _mm512_set1_epi32((int)(x))
#define UP_TO(v, p) _mm512_cmple_epu32_mask(v, p)
#define TO_FRONT(to, v, rest) _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(rest, v))
#define TO_BACK(end, v, rest, above) to_back(end, v, (MASK) ~(rest), above)
#define TO_BOTH(to, end, v, rest, above) TO_FRONT(to, v, rest), TO_BACK(end, v, rest, above)
#define DIFFERS(a, b) _mm512_cmpneq_epi32_mask(a, b)
#define SOME MASK
#define FIRST(n, i) (MASK)(((1ull << (n)) - 1) >> (i)*LANES)
#define LOAD_PART(m, p) _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), m, p)
#define STORE_PART(p, m, v) _mm512_mask_storeu_epi32(p, m, v)
#define SWAPPED(v, by) swapped_32(v, by)
#define EXCHANGE(a, b, bit) exchange_32(&(a), &(b), bit)
#define LANES_IN_ORDER(v, bit) lanes_in_order_32(v, bit)
#define TURN(v, high) turn_32(v)
#include "backend/cpu/walks/sort_quick.inc"

#define KEY uint64_t
#define NAME(f) f##_avx512_wide
#define LANES 8
#define ALL(what) _mm512_##what##_epi64
#define TEST(what) _mm512_##what##_epi64_mask
#define UNSIGNED(what) _mm512_##what##_epu64_mask
#define BITS 1
#define MASK __mmask8
#include "backend/cpu/walks/sort_keys.inc"
#define HIGH 8
#define VECTOR __m512i
#define LOAD(p) _mm512_loadu_si512(p)
#define SPREAD(x) _mm512_set1_epi64((long long)(x))
#define UP_TO(v, p) _mm512_cmple_epu64_mask(v, p)
#define TO_FRONT(to, v, rest) _mm512_storeu_si512(to, packed(v, rest))
#define TO_BACK(end, v, rest, above) _mm512_storeu_si512((end)-8, packed(v, rest))
#define TO_BOTH(to, end, v, rest, above) to_both(to, end, v, rest)
#define DIFFERS(a, b) _mm512_cmpneq_epi64_mask(a, b)
#define SOME MASK
#define FIRST(n, i) (MASK)(((1ull << (n)) - 1) >> (i)*LANES)
#define LOAD_PART(m, p) _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), m, p)
#define STORE_PART(p, m, v) _mm512_mask_storeu_epi64(p, m, v)
#define SWAPPED(v, by) swapped_64(v, by)
#define EXCHANGE(a, b, bit) exchange_64(&(a), &(b), bit)
#define LANES_IN_ORDER(v, bit) lanes_in_order_64(v, bit)
#define TURN(v, high) ((high) == 4 ? turn_64(v) : square_64(v))
#include "backend/cpu/walks/sort_quick.inc"
#endif
