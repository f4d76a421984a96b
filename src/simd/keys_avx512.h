/* AVX-512 implementation of keys.h. */

enum { u32_LANES = 16, u32_HIGH = 4, u32_BITS = 1, u64_LANES = 8, u64_HIGH = 8, u64_BITS = 1 };
typedef __m512i u32_keys, u64_keys;
typedef __mmask16 u32_mask, u32_part;
typedef __mmask8 u64_mask, u64_part;

/* Lane l from lane l ^ by. */
SITU_WORD __m512i u32_swapped(__m512i v, int by)
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

SITU_WORD __m512i u64_swapped(__m512i v, int by)
{
    switch (by) {
    case 1: return _mm512_shuffle_epi32(v, 0x4e);
    case 2: return _mm512_permutex_epi64(v, 0x4e);
    case 3: return _mm512_permutex_epi64(v, 0x1b);
    case 4: return _mm512_shuffle_i64x2(v, v, 0x4e);
    default: return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v);
    }
}

/* Mask of the lanes whose number has the bit. */
#define LANES_WITH(bit) ((bit) == 1 ? 0xaaaa : (bit) == 2 ? 0xcccc : (bit) == 4 ? 0xf0f0 : 0xff00)

/* The smaller key of each lane to a, the larger to b; reversed in lanes whose number has the bit. */
SITU_WORD void u32_exchange(__m512i *a, __m512i *b, int bit)
{
    __m512i low = _mm512_min_epu32(*a, *b), high = _mm512_max_epu32(*a, *b);
    *a = bit ? _mm512_mask_mov_epi32(low, LANES_WITH(bit), high) : low;
    *b = bit ? _mm512_mask_mov_epi32(high, LANES_WITH(bit), low) : high;
}

SITU_WORD __m512i u32_in_order(__m512i v, int bit)
{
    __m512i w = u32_swapped(v, bit);
    return _mm512_mask_max_epu32(_mm512_min_epu32(v, w), LANES_WITH(bit), v, w);
}

/* Minima and maxima of 64-bit lanes take twice as long as those of 32-bit lanes: uses one comparison instead. */
SITU_WORD __mmask8 u64_above(__m512i v, __m512i w, int bit)
{
    __mmask8 m = _mm512_cmpgt_epu64_mask(v, w);
    return bit ? _kxor_mask8(m, (__mmask8)LANES_WITH(bit)) : m;
}

SITU_WORD void u64_exchange(__m512i *a, __m512i *b, int bit)
{
    __m512i v = *a, w = *b;
    __mmask8 m = u64_above(v, w, bit);
    *a = _mm512_mask_mov_epi64(v, m, w);
    *b = _mm512_mask_mov_epi64(w, m, v);
}

SITU_WORD __m512i u64_in_order(__m512i v, int bit)
{
    __m512i w = u64_swapped(v, bit);
    return _mm512_mask_mov_epi64(v, u64_above(v, w, bit), w);
}

/* Transposes columns of four keys, so that they become contiguous. */
SITU_WORD void u64_transpose_4(__m512i *v)
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

/* The same for columns of eight. */
SITU_WORD void u64_transpose_8(__m512i *v)
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

SITU_WORD void u32_transpose_4(__m512i *v)
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

SITU_WORD __m512i u64_packed(__m512i v, unsigned m)
{
    __m512i lane = _mm512_srlv_epi64(_mm512_set1_epi32((int)simd_order[m]), _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28));
    return _mm512_permutexvar_epi64(lane, v);
}

SITU_WORD void u64_both(uint64_t *to, uint64_t *end, __m512i v, unsigned rest)
{
    __m512i w = u64_packed(v, rest);
    _mm512_storeu_si512(to, w);
    _mm512_storeu_si512(end - 8, w);
}

/* Stores the n lanes in m, packed, just before `end`. */
SITU_WORD void u32_back(uint32_t *end, __m512i v, __mmask16 m, int64_t n)
{
    _mm512_mask_storeu_epi32(end - n, (__mmask16)((1u << n) - 1), _mm512_maskz_compress_epi32(m, v));
}

#define u32_load(p) _mm512_loadu_si512(p)
#define u32_store(p, v) _mm512_storeu_si512(p, v)
#define u32_all(x) _mm512_set1_epi32((int)(x))
#define u32_up_to(v, p) _mm512_cmple_epu32_mask(v, p)
#define u32_to_front(to, v, rest) _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(rest, v))
#define u32_to_back(end, v, rest, above) u32_back(end, v, (u32_mask) ~(rest), above)
#define u32_to_both(to, end, v, rest, above) u32_to_front(to, v, rest), u32_to_back(end, v, rest, above)
#define u32_differs(a, b) _mm512_cmpneq_epi32_mask(a, b)
#define u32_first(n, i) (u32_mask)(((1ull << (n)) - 1) >> (i)*16)
#define u32_load_keys(m, p) _mm512_mask_loadu_epi32(_mm512_set1_epi32(-1), m, p)
#define u32_store_keys(p, m, v) _mm512_mask_storeu_epi32(p, m, v)
#define u32_transpose(v, high) u32_transpose_4(v)

#define u64_load(p) _mm512_loadu_si512(p)
#define u64_store(p, v) _mm512_storeu_si512(p, v)
#define u64_all(x) _mm512_set1_epi64((long long)(x))
#define u64_up_to(v, p) _mm512_cmple_epu64_mask(v, p)
#define u64_to_front(to, v, rest) _mm512_storeu_si512(to, u64_packed(v, rest))
#define u64_to_back(end, v, rest, above) _mm512_storeu_si512((end)-8, u64_packed(v, rest))
#define u64_to_both(to, end, v, rest, above) u64_both(to, end, v, rest)
#define u64_differs(a, b) _mm512_cmpneq_epi64_mask(a, b)
#define u64_first(n, i) (u64_mask)(((1ull << (n)) - 1) >> (i)*8)
#define u64_load_keys(m, p) _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), m, p)
#define u64_store_keys(p, m, v) _mm512_mask_storeu_epi64(p, m, v)
#define u64_transpose(v, high) ((high) == 4 ? u64_transpose_4(v) : u64_transpose_8(v))

/* Operations with masks. */
#define MASK_WORDS(P, bits) \
    SITU_WORD __m512i P##load_where(P##mask m, const void *p) { return _mm512_maskz_loadu_epi##bits(m, p); } \
    SITU_WORD void P##store_where(void *p, P##mask m, __m512i v) { _mm512_mask_storeu_epi##bits(p, m, v); } \
    SITU_WORD __m512i P##select(P##mask m, __m512i a, __m512i b) { return _mm512_mask_mov_epi##bits(b, m, a); } \
    SITU_WORD __m512i P##compressed(P##mask m, __m512i v) { return _mm512_maskz_compress_epi##bits(m, v); } \
    SITU_WORD __m512i P##plus(__m512i a, __m512i b) { return _mm512_add_epi##bits(a, b); } \
    SITU_WORD __m512i P##minus(__m512i a, __m512i b) { return _mm512_sub_epi##bits(a, b); } \
    SITU_WORD __m512i P##minus_where(P##mask m, __m512i a, __m512i b, __m512i other) \
    { \
        return _mm512_mask_sub_epi##bits(other, m, a, b); \
    } \
    SITU_WORD P##mask P##equal(__m512i a, __m512i b) { return _mm512_cmpeq_epi##bits##_mask(a, b); } \
    SITU_WORD P##mask P##less(__m512i a, __m512i b) { return _mm512_cmplt_epu##bits##_mask(a, b); } \
    SITU_WORD P##mask P##negative(__m512i a) { return _mm512_movepi##bits##_mask(a); }
MASK_WORDS(u32_, 32)
MASK_WORDS(u64_, 64)
#undef MASK_WORDS
/* One bit for each of 16 bytes that is not 0. */
SITU_WORD u32_mask simd_true_bytes(const void *p)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    return _mm_test_epi8_mask(bytes, bytes);
}
