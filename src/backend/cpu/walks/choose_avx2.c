/* Elements by places, gathered by instructions: as many as fill lines. */
#if defined(__x86_64__)
#include "backend/cpu/walks/choose.h"

#include <immintrin.h>

/* Four places from indices; the sign of *beyond: is one of them none? */
static inline __m256i places(const char *index, int64_t index_size, __m256i n, __m256i *beyond)
{
    __m256i v = index_size == 8 ? _mm256_loadu_si256((const __m256i *)(const void *)index) :
                                  _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(const void *)index));
    __m256i last = _mm256_sub_epi64(n, _mm256_set1_epi64x(1));
    v = _mm256_add_epi64(v, _mm256_and_si256(_mm256_cmpgt_epi64(_mm256_setzero_si256(), v), n));
    *beyond = _mm256_or_si256(*beyond, _mm256_or_si256(v, _mm256_sub_epi64(last, v)));
    return v;
}

static inline void put(char *out, __m256i v, bool stream)
{
    if (stream) _mm256_stream_si256((__m256i *)(void *)out, v);
    else _mm256_storeu_si256((__m256i *)(void *)out, v);
}

int64_t situ_take_avx2(
    char *out, const char *x, int64_t size, const char *index, int64_t index_size, int64_t count, int64_t n, bool stream)
{
    __m256i most = _mm256_set1_epi64x(n), beyond = _mm256_setzero_si256(), at[4];
    int64_t i = 0;
    for (; i + 16 <= count; i += 16, index += 16 * index_size) {
        _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++) at[k] = places(index + 4 * k * index_size, index_size, most, &beyond);
        if (_mm256_movemask_pd(_mm256_castsi256_pd(beyond))) break;
        if (size == 4) {
            _Pragma("GCC unroll 2") for (int k = 0; k < 4; k += 2)
            {
                const int *from = (const int *)(const void *)x;
                __m256i low = _mm256_castsi128_si256(_mm256_i64gather_epi32(from, at[k], 4));
                put(out + i * 4 + k * 16, _mm256_inserti128_si256(low, _mm256_i64gather_epi32(from, at[k + 1], 4), 1), stream);
            }
        } else {
            _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)
                put(out + i * 8 + k * 32, _mm256_i64gather_epi64((const long long *)(const void *)x, at[k], 8), stream);
        }
    }
    if (stream) _mm_sfence();
    return i;
}
#endif
