/* Loads of elements at computed positions, on sets that define SITU_GATHERS. Positions are vectors of 64-bit integers.
 *
 *     positions_at(index, size, n, &beyond)  indices of `size` (4 or 8) bytes; negative ones count from the end of n elements;
 *                                            `beyond` records indices out of range, are_beyond(beyond) tests it
 *     gather_4(x, low, high), gather_8       elements of 4 or 8 bytes; 4-byte elements take two vectors of positions
 *     bytes_put(to, v, stream)               stores a vector; with `stream`, bypassing the caches */
#ifndef SITU_SIMD_GATHER_H
#define SITU_SIMD_GATHER_H

#include <stdbool.h>

#include "simd/simd.h"

#if VECTOR_BYTES == 64 && defined(__AVX512F__)
#define SITU_GATHERS
typedef __m512i simd_positions;
typedef __mmask8 simd_beyond;
#define positions_all(n) _mm512_set1_epi64(n)
#define are_beyond(beyond) (beyond)
SITU_WORD simd_positions positions_at(const char *index, int64_t index_size, simd_positions n, simd_beyond *beyond)
{
    __m512i v = index_size == 8 ? _mm512_loadu_si512(index) :
                                  _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(const void *)index));
    v = _mm512_mask_add_epi64(v, _mm512_movepi64_mask(v), v, n);
    *beyond |= _mm512_cmpge_epu64_mask(v, n);
    return v;
}
SITU_WORD simd_positions gather_4(const char *x, simd_positions low, simd_positions high)
{
    __m512i half = _mm512_castsi256_si512(_mm512_i64gather_epi32(low, x, 4));
    return _mm512_inserti64x4(half, _mm512_i64gather_epi32(high, x, 4), 1);
}
#define gather_8(x, at) _mm512_i64gather_epi64(at, x, 8)
SITU_WORD void bytes_put(char *to, simd_positions v, bool stream)
{
    if (stream) _mm512_stream_si512((__m512i *)(void *)to, v);
    else _mm512_storeu_si512(to, v);
}
#elif VECTOR_BYTES == 32 && defined(__AVX2__)
#define SITU_GATHERS
typedef __m256i simd_positions, simd_beyond; /* the sign bit of each lane is the flag */
#define positions_all(n) _mm256_set1_epi64x(n)
#define are_beyond(beyond) _mm256_movemask_pd(_mm256_castsi256_pd(beyond))
SITU_WORD simd_positions positions_at(const char *index, int64_t index_size, simd_positions n, simd_beyond *beyond)
{
    __m256i v = index_size == 8 ? _mm256_loadu_si256((const __m256i *)(const void *)index) :
                                  _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(const void *)index));
    __m256i last = _mm256_sub_epi64(n, _mm256_set1_epi64x(1));
    v = _mm256_add_epi64(v, _mm256_and_si256(_mm256_cmpgt_epi64(_mm256_setzero_si256(), v), n));
    *beyond = _mm256_or_si256(*beyond, _mm256_or_si256(v, _mm256_sub_epi64(last, v)));
    return v;
}
SITU_WORD simd_positions gather_4(const char *x, simd_positions low, simd_positions high)
{
    const int *from = (const int *)(const void *)x;
    __m256i half = _mm256_castsi128_si256(_mm256_i64gather_epi32(from, low, 4));
    return _mm256_inserti128_si256(half, _mm256_i64gather_epi32(from, high, 4), 1);
}
#define gather_8(x, at) _mm256_i64gather_epi64((const long long *)(const void *)(x), at, 8)
SITU_WORD void bytes_put(char *to, simd_positions v, bool stream)
{
    if (stream) _mm256_stream_si256((__m256i *)(void *)to, v);
    else _mm256_storeu_si256((__m256i *)(void *)to, v);
}
#endif

#endif
