/* Lines of 64 bytes and whole tiles of them, for transpositions. */
#ifndef SITU_CPU_GATHER_TILE_H
#define SITU_CPU_GATHER_TILE_H

#include "backend/cpu/tile.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* All of a line at once, past the caches if asked; `to` is at a line's begin then. */
static inline void situ_put_line(char *to, const char *line, bool stream)
{
#if defined(__SSE2__)
    if (stream) {
        for (int i = 0; i < SITU_LINE; i += 16) _mm_stream_si128((__m128i *)(void *)(to + i), _mm_load_si128((const __m128i *)(const void *)(line + i)));
        return;
    }
#endif
    (void)stream;
    memcpy(to, line, SITU_LINE);
}

/* What was stored past the caches is in memory for whoever is told of it from now on. */
static inline void situ_lines_drain(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#if defined(__SSE2__)
/* Elements of 4 bytes: 16 lines that are `stride` apart become 16 lines side by side. Four by four: their halves are merged by twos, then by fours. */
static inline void situ_turn_32(char *line, const char *from, int64_t stride)
{
    for (int c = 0; c < 16; c += 4)
        for (int r = 0; r < 16; r += 4) {
            __m128i x[4];
            for (int i = 0; i < 4; i++) x[i] = _mm_loadu_si128((const __m128i *)(const void *)(from + (c + i) * stride + r * 4));
            __m128i a = _mm_unpacklo_epi32(x[0], x[1]), b = _mm_unpacklo_epi32(x[2], x[3]);
            __m128i e = _mm_unpackhi_epi32(x[0], x[1]), f = _mm_unpackhi_epi32(x[2], x[3]);
            __m128i out[4] = {_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b), _mm_unpacklo_epi64(e, f), _mm_unpackhi_epi64(e, f)};
            for (int i = 0; i < 4; i++) _mm_store_si128((__m128i *)(void *)(line + (r + i) * SITU_LINE + c * 4), out[i]);
        }
}
#endif

#endif
