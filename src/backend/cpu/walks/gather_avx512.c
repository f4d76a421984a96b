/* A tile of a transposition in registers. */
#if defined(__x86_64__)
#include "backend/cpu/walks/gather_tile.h"

#include <immintrin.h>

void situ_turn_32_avx512(char *to, int64_t to_row, const char *from, int64_t from_row, bool stream)
{
    __m512i x[16], y[16];
    for (int i = 0; i < 16; i++) x[i] = _mm512_loadu_si512(from + i * from_row);
    for (int i = 0; i < 16; i += 2) {
        y[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) { /* x[i + k]: element k of each quarter, of the lines i to i + 3 */
        x[i] = _mm512_unpacklo_epi64(y[i], y[i + 2]);
        x[i + 1] = _mm512_unpackhi_epi64(y[i], y[i + 2]);
        x[i + 2] = _mm512_unpacklo_epi64(y[i + 1], y[i + 3]);
        x[i + 3] = _mm512_unpackhi_epi64(y[i + 1], y[i + 3]);
    }
    for (int i = 0; i < 16; i += 8)
        for (int k = 0; k < 4; k++) { /* quarters 0 and 2, and 1 and 3 */
            y[i + k] = _mm512_shuffle_i32x4(x[i + k], x[i + 4 + k], 0x88);
            y[i + 4 + k] = _mm512_shuffle_i32x4(x[i + k], x[i + 4 + k], 0xdd);
        }
    for (int k = 0; k < 8; k++) {
        x[k] = _mm512_shuffle_i32x4(y[k], y[8 + k], 0x88);
        x[8 + k] = _mm512_shuffle_i32x4(y[k], y[8 + k], 0xdd);
    }
    for (int i = 0; i < 16; i++) {
        if (stream) _mm512_stream_si512((__m512i *)(void *)(to + i * to_row), x[i]);
        else _mm512_storeu_si512(to + i * to_row, x[i]);
    }
}
#endif
