/* Keys in order by AVX-512: those below a pivot are packed together in registers (C. A. R. Hoare, 1961), up to four vectors of
 * them are sorted by exchanges of lanes (K. E. Batcher, 1968). */
#if defined(__x86_64__)
#include "backend/cpu/walks/sort.h"

#include <immintrin.h>
#include <string.h>

static inline __m512i order_16(__m512i v, __m512i partner, __mmask16 upper)
{
    __m512i w = _mm512_permutexvar_epi32(partner, v);
    return _mm512_mask_max_epu32(_mm512_min_epu32(v, w), upper, v, w);
}

static inline __m512i order_8(__m512i v, __m512i partner, __mmask8 upper)
{
    __m512i w = _mm512_permutexvar_epi64(partner, v);
    return _mm512_mask_max_epu64(_mm512_min_epu64(v, w), upper, v, w);
}

/* Lane l with lane l ^ (2^k - 1) first, then with l ^ 2^(k-2), ... */
#define STEP_32(x, bit) v = order_16(v, _mm512_xor_si512(lane, _mm512_set1_epi32(x)), bit)
#define STEP_64(x, bit) v = order_8(v, _mm512_xor_si512(lane, _mm512_set1_epi64(x)), bit)

static inline __m512i sorted_32(__m512i v)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    STEP_32(1, 0xaaaa);
    STEP_32(3, 0xcccc);
    STEP_32(1, 0xaaaa);
    STEP_32(7, 0xf0f0);
    STEP_32(2, 0xcccc);
    STEP_32(1, 0xaaaa);
    STEP_32(15, 0xff00);
    STEP_32(4, 0xf0f0);
    STEP_32(2, 0xcccc);
    STEP_32(1, 0xaaaa);
    return v;
}

static inline __m512i sorted_64(__m512i v)
{
    const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    STEP_64(1, 0xaa);
    STEP_64(3, 0xcc);
    STEP_64(1, 0xaa);
    STEP_64(7, 0xf0);
    STEP_64(2, 0xcc);
    STEP_64(1, 0xaa);
    return v;
}

/* In order both ways: up. */
static inline __m512i merged_32(__m512i v)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    STEP_32(8, 0xff00);
    STEP_32(4, 0xf0f0);
    STEP_32(2, 0xcccc);
    STEP_32(1, 0xaaaa);
    return v;
}

static inline __m512i merged_64(__m512i v)
{
    const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    STEP_64(4, 0xf0);
    STEP_64(2, 0xcc);
    STEP_64(1, 0xaa);
    return v;
}

static inline __m512i turned_32(__m512i v)
{
    return _mm512_permutexvar_epi32(_mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), v);
}
static inline __m512i turned_64(__m512i v) { return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v); }

static inline uint32_t first_lanes(int64_t n, int lanes) { return n >= lanes ? (1u << lanes) - 1 : n > 0 ? (1u << n) - 1 : 0; }

/* Those of m before `end`. */
static inline void to_back_32(uint32_t *end, __m512i v, __mmask16 m)
{
    int n = __builtin_popcount(m);
    _mm512_mask_storeu_epi32(end - n, (__mmask16)((1u << n) - 1), _mm512_maskz_compress_epi32(m, v));
}

static inline void to_back_64(uint64_t *end, __m512i v, __mmask8 m)
{
    int n = __builtin_popcount(m);
    _mm512_mask_storeu_epi64(end - n, (__mmask8)((1u << n) - 1), _mm512_maskz_compress_epi64(m, v));
}

#define KEY uint32_t
#define NAME(f) f##_avx512_narrow
#define LANES 16
#define VECTOR __m512i
#define MASK __mmask16
#define SOME __mmask16
#define FIRST(n) (MASK) first_lanes(n, LANES)
#define LOAD(p) _mm512_loadu_si512(p)
#define LOAD_PART(m, p) _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), m, p)
#define STORE_PART(p, m, v) _mm512_mask_storeu_epi32(p, m, v)
#define SORTED(v) sorted_32(v)
#define MERGED(v) merged_32(v)
#define TURNED(v) turned_32(v)
#define LEAST(a, b) _mm512_min_epu32(a, b)
#define MOST(a, b) _mm512_max_epu32(a, b)
#define SPREAD(x) _mm512_set1_epi32((int)(x))
#define UP_TO(v, p) _mm512_cmple_epu32_mask(v, p)
#define TO_FRONT(to, v, rest) _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(rest, v))
#define TO_BACK(end, v, rest) to_back_32(end, v, (MASK) ~(rest))
#define TO_BOTH(to, end, v, rest) TO_FRONT(to, v, rest), TO_BACK(end, v, rest)
#include "backend/cpu/walks/sort_quick.inc"

#define KEY uint64_t
#define NAME(f) f##_avx512_wide
#define LANES 8
#define VECTOR __m512i
#define MASK __mmask8
#define SOME __mmask8
#define FIRST(n) (MASK) first_lanes(n, LANES)
#define LOAD(p) _mm512_loadu_si512(p)
#define LOAD_PART(m, p) _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), m, p)
#define STORE_PART(p, m, v) _mm512_mask_storeu_epi64(p, m, v)
#define SORTED(v) sorted_64(v)
#define MERGED(v) merged_64(v)
#define TURNED(v) turned_64(v)
#define LEAST(a, b) _mm512_min_epu64(a, b)
#define MOST(a, b) _mm512_max_epu64(a, b)
#define SPREAD(x) _mm512_set1_epi64((long long)(x))
#define UP_TO(v, p) _mm512_cmple_epu64_mask(v, p)
#define TO_FRONT(to, v, rest) _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(rest, v))
#define TO_BACK(end, v, rest) to_back_64(end, v, (MASK) ~(rest))
#define TO_BOTH(to, end, v, rest) TO_FRONT(to, v, rest), TO_BACK(end, v, rest)
#include "backend/cpu/walks/sort_quick.inc"
#endif
