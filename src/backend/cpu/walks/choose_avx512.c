/* Elements by a mask, packed in registers, and by places. */
#if defined(__x86_64__)
#include "backend/cpu/walks/choose.h"

#include <immintrin.h>

int64_t situ_compress_avx512(char *out, int64_t most, const char *x, const char *mask, int64_t n, int64_t size, int64_t *found)
{
    int64_t i = 0, at = 0;
    for (; i + 16 <= n && at + 16 <= most; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(mask + i));
        __mmask16 m = _mm_test_epi8_mask(bytes, bytes);
        if (size == 4) {
            _mm512_storeu_si512(out + at * 4, _mm512_maskz_compress_epi32(m, _mm512_loadu_si512(x + i * 4)));
        } else {
            int low = __builtin_popcount(m & 255);
            _mm512_storeu_si512(out + at * 8, _mm512_maskz_compress_epi64((__mmask8)m, _mm512_loadu_si512(x + i * 8)));
            _mm512_storeu_si512(
                out + (at + low) * 8, _mm512_maskz_compress_epi64((__mmask8)(m >> 8), _mm512_loadu_si512(x + i * 8 + 64)));
        }
        at += __builtin_popcount(m);
    }
    *found = at;
    return i;
}

/* Eight places from indices; *beyond: is one of them none? */
static inline __m512i places(const char *index, int64_t index_size, __m512i n, __mmask8 *beyond)
{
    __m512i v = index_size == 8 ? _mm512_loadu_si512(index) :
                                  _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)index));
    v = _mm512_mask_add_epi64(v, _mm512_movepi64_mask(v), v, n);
    *beyond |= _mm512_cmpge_epu64_mask(v, n);
    return v;
}

static inline void put(char *out, __m512i line, bool stream)
{
    if (stream) _mm512_stream_si512((__m512i *)(void *)out, line);
    else _mm512_storeu_si512(out, line);
}

int64_t situ_take_avx512(
    char *out, const char *x, int64_t size, const char *index, int64_t index_size, int64_t count, int64_t n, bool stream)
{
    __m512i most = _mm512_set1_epi64(n);
    __mmask8 beyond = 0;
    int64_t i = 0;
    for (; i + 16 <= count; i += 16, index += 16 * index_size) {
        __m512i low = places(index, index_size, most, &beyond), high = places(index + 8 * index_size, index_size, most, &beyond);
        if (beyond) break;
        if (size == 4) {
            __m512i line = _mm512_castsi256_si512(_mm512_i64gather_epi32(low, x, 4));
            put(out + i * 4, _mm512_inserti64x4(line, _mm512_i64gather_epi32(high, x, 4), 1), stream);
        } else {
            put(out + i * 8, _mm512_i64gather_epi64(low, x, 8), stream);
            put(out + i * 8 + 64, _mm512_i64gather_epi64(high, x, 8), stream);
        }
    }
    if (stream) _mm_sfence();
    return i;
}
#endif
