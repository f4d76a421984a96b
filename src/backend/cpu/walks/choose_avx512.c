/* Elements by a mask, packed in registers. */
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
#endif
