/* A tile of a transposition, by squares of 8 in registers. */
#if defined(__x86_64__)
#include "backend/cpu/walks/gather_tile.h"

#include <immintrin.h>

static inline __attribute__((always_inline)) void turn_8(__m256i *out, const char *from, int64_t from_row)
{
    __m256i x[8], y[8];
    for (int i = 0; i < 8; i++) x[i] = _mm256_loadu_si256((const __m256i *)(const void *)(from + i * from_row));
    for (int i = 0; i < 8; i += 2) {
        y[i] = _mm256_unpacklo_epi32(x[i], x[i + 1]);
        y[i + 1] = _mm256_unpackhi_epi32(x[i], x[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) { /* x[i + k]: element k of each half, of the lines i to i + 3 */
        x[i] = _mm256_unpacklo_epi64(y[i], y[i + 2]);
        x[i + 1] = _mm256_unpackhi_epi64(y[i], y[i + 2]);
        x[i + 2] = _mm256_unpacklo_epi64(y[i + 1], y[i + 3]);
        x[i + 3] = _mm256_unpackhi_epi64(y[i + 1], y[i + 3]);
    }
    for (int k = 0; k < 4; k++) {
        out[k] = _mm256_permute2x128_si256(x[k], x[4 + k], 0x20);
        out[4 + k] = _mm256_permute2x128_si256(x[k], x[4 + k], 0x31);
    }
}

void situ_turn_32_avx2(char *to, int64_t to_row, const char *from, int64_t from_row, bool stream)
{
    for (int half = 0; half < 2; half++) {
        __m256i left[8], right[8];
        turn_8(left, from + half * 32, from_row);
        turn_8(right, from + half * 32 + 8 * from_row, from_row);
        for (int i = 0; i < 8; i++) {
            __m256i *row = (__m256i *)(void *)(to + (half * 8 + i) * to_row);
            if (stream) {
                _mm256_stream_si256(row, left[i]);
                _mm256_stream_si256(row + 1, right[i]);
            } else {
                _mm256_storeu_si256(row, left[i]);
                _mm256_storeu_si256(row + 1, right[i]);
            }
        }
    }
}
#endif
