/* AVX2 implementation of keys.h. */

enum { u32_LANES = 8, u32_HIGH = 4, u32_BITS = 1, u64_LANES = 4, u64_HIGH = 8, u64_BITS = 2 };
typedef __m256i u32_keys, u64_keys, u32_part, u64_part;
typedef uint8_t u32_mask, u64_mask;

SITU_WORD __m256i keys_packed(__m256i v, unsigned m)
{
    __m256i lane = _mm256_srlv_epi32(_mm256_set1_epi32((int)simd_order[m]), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    return _mm256_permutevar8x32_epi32(v, lane);
}

SITU_WORD void keys_store(void *to, __m256i v) { _mm256_storeu_si256((__m256i *)to, v); }

SITU_WORD void keys_to_both(void *to, void *end, __m256i v, unsigned rest)
{
    __m256i w = keys_packed(v, rest);
    keys_store(to, w);
    keys_store((char *)end - 32, w);
}

SITU_WORD uint8_t u32_up_to(__m256i v, __m256i p)
{
    return (uint8_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_max_epu32(v, p), p)));
}

/* Lane l from lane l ^ by. */
SITU_WORD __m256i u32_swapped(__m256i v, int by)
{
    switch (by) {
    case 1: return _mm256_shuffle_epi32(v, 0xb1);
    case 2: return _mm256_shuffle_epi32(v, 0x4e);
    case 3: return _mm256_shuffle_epi32(v, 0x1b);
    default: return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    }
}

/* Lanes of b whose number has the bit, the others of a. */
SITU_WORD __m256i u32_picked(__m256i a, __m256i b, int bit)
{
    switch (bit) {
    case 0: return a;
    case 1: return _mm256_blend_epi32(a, b, 0xaa);
    case 2: return _mm256_blend_epi32(a, b, 0xcc);
    default: return _mm256_blend_epi32(a, b, 0xf0);
    }
}

/* The smaller key of each lane to a, the larger to b; reversed in lanes whose number has the bit. */
SITU_WORD void u32_exchange(__m256i *a, __m256i *b, int bit)
{
    __m256i low = _mm256_min_epu32(*a, *b), high = _mm256_max_epu32(*a, *b);
    *a = u32_picked(low, high, bit);
    *b = u32_picked(high, low, bit);
}

SITU_WORD __m256i u32_in_order(__m256i v, int bit)
{
    __m256i w = u32_swapped(v, bit);
    return u32_picked(_mm256_min_epu32(v, w), _mm256_max_epu32(v, w), bit);
}

/* Transposes groups of four lanes, so that columns become contiguous; `high` is 4. */
SITU_WORD void u32_transpose(__m256i *v, int high)
{
    (void)high;
    __m256i a = _mm256_unpacklo_epi32(v[0], v[1]), b = _mm256_unpacklo_epi32(v[2], v[3]);
    __m256i c = _mm256_unpackhi_epi32(v[0], v[1]), d = _mm256_unpackhi_epi32(v[2], v[3]);
    __m256i first = _mm256_unpacklo_epi64(a, b), second = _mm256_unpackhi_epi64(a, b); /* columns 0 and 4, 1 and 5 */
    __m256i third = _mm256_unpacklo_epi64(c, d), fourth = _mm256_unpackhi_epi64(c, d);
    v[0] = _mm256_permute2x128_si256(first, second, 0x20);
    v[1] = _mm256_permute2x128_si256(third, fourth, 0x20);
    v[2] = _mm256_permute2x128_si256(first, second, 0x31);
    v[3] = _mm256_permute2x128_si256(third, fourth, 0x31);
}

SITU_WORD __m256i u32_lanes_before(int64_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

SITU_WORD __m256i u32_load_keys(__m256i m, const uint32_t *from)
{
    return _mm256_or_si256(_mm256_maskload_epi32((const int *)(const void *)from, m), _mm256_xor_si256(m, _mm256_set1_epi32(-1)));
}

#define u32_load(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define u32_all(x) _mm256_set1_epi32((int)(x))
#define u32_to_front(to, v, rest) keys_store(to, keys_packed(v, rest))
#define u32_to_back(end, v, rest, above) keys_store((end)-8, keys_packed(v, rest))
#define u32_to_both(to, end, v, rest, above) keys_to_both(to, end, v, rest)
#define u32_differs(a, b) (_mm256_movemask_epi8(_mm256_cmpeq_epi32(a, b)) != -1)
#define u32_first(n, i) u32_lanes_before((n) - (i)*8)
#define u32_store_keys(p, m, v) _mm256_maskstore_epi32((int *)(void *)(p), m, v)

/* ---- of 64 bits: two bits of a mask for each key, comparisons of signed ones -------- */

SITU_WORD __m256i u64_signed(__m256i v) { return _mm256_xor_si256(v, _mm256_set1_epi64x(INT64_MIN)); }

SITU_WORD uint8_t u64_up_to(__m256i v, __m256i p)
{
    return (uint8_t)~_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi64(u64_signed(v), u64_signed(p))));
}

SITU_WORD __m256i u64_swapped(__m256i v, int by)
{
    return by == 1 ? _mm256_shuffle_epi32(v, 0x4e) :
        by == 2    ? _mm256_permute4x64_epi64(v, 0x4e) :
                     _mm256_permute4x64_epi64(v, 0x1b);
}

/* All bits of u64_swapped lanes that must change: where v and w are in the wrong order (in lanes that have the bit, the
 * smaller belongs second). */
SITU_WORD __m256i u64_wrong(__m256i v, __m256i w, int bit)
{
    __m256i m = _mm256_cmpgt_epi64(v, w);
    if (bit) m = _mm256_xor_si256(m, bit == 1 ? _mm256_setr_epi64x(0, -1, 0, -1) : _mm256_setr_epi64x(0, 0, -1, -1));
    return _mm256_and_si256(_mm256_xor_si256(v, w), m);
}

SITU_WORD void u64_exchange(__m256i *a, __m256i *b, int bit)
{
    __m256i wrong = u64_wrong(*a, *b, bit);
    *a = _mm256_xor_si256(*a, wrong);
    *b = _mm256_xor_si256(*b, wrong);
}

SITU_WORD __m256i u64_in_order(__m256i v, int bit) { return _mm256_xor_si256(v, u64_wrong(v, u64_swapped(v, bit), bit)); }

/* Transposes columns of four or eight keys, so that they become contiguous. */
SITU_WORD void u64_transpose(__m256i *v, int high)
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

SITU_WORD __m256i u64_lanes_before(int64_t n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)); }

SITU_WORD __m256i u64_load_keys(__m256i m, const uint64_t *from)
{
    __m256i v = _mm256_maskload_epi64((const long long *)(const void *)from, m);
    return u64_signed(_mm256_or_si256(v, _mm256_xor_si256(m, _mm256_set1_epi32(-1))));
}

#define u64_load(p) u32_load(p)
#define u64_all(x) _mm256_set1_epi64x((long long)(x))
#define u64_to_front(to, v, rest) keys_store(to, keys_packed(v, rest))
#define u64_to_back(end, v, rest, above) keys_store((end)-4, keys_packed(v, rest))
#define u64_to_both(to, end, v, rest, above) keys_to_both(to, end, v, rest)
#define u64_differs(a, b) (_mm256_movemask_epi8(_mm256_cmpeq_epi64(a, b)) != -1)
#define u64_first(n, i) u64_lanes_before((n) - (i)*4)
#define u64_store_keys(p, m, v) _mm256_maskstore_epi64((long long *)(void *)(p), m, u64_signed(v))
