/* A whole tile of a transposition: `side` lines of 64 bytes, one of each column, become as many lines of rows. */
#ifndef SITU_CPU_GATHER_TILE_H
#define SITU_CPU_GATHER_TILE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { SITU_LINE = 64 };

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
/* Four by four: their halves are merged by twos, then by fours. */
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

#define SITU_TURN_ELEMENTS(T)                                                                                            \
    for (int c = 0; c < side; c++)                                                                                       \
        for (int r = 0; r < side; r++) memcpy(line + r * SITU_LINE + c * sizeof(T), from + c * stride + r * (int64_t)sizeof(T), sizeof(T));

/* Rows of elements of `size` bytes (1, 2, 4, 8 or 16) to `to`, `row` bytes apart, from columns that are `stride` apart. */
static inline void situ_turn_tile(char *to, int64_t row, const char *from, int64_t stride, int64_t size, bool stream)
{
    char line[SITU_LINE * SITU_LINE] __attribute__((aligned(64)));
    const int side = (int)(SITU_LINE / size);
    switch (size) {
    case 1: SITU_TURN_ELEMENTS(uint8_t) break;
    case 2: SITU_TURN_ELEMENTS(uint16_t) break;
#if defined(__SSE2__)
    case 4: situ_turn_32(line, from, stride); break;
#else
    case 4: SITU_TURN_ELEMENTS(uint32_t) break;
#endif
    case 8: SITU_TURN_ELEMENTS(uint64_t) break;
    default: SITU_TURN_ELEMENTS(uint64_t[2]) break;
    }
    for (int r = 0; r < side; r++) situ_put_line(to + r * row, line + r * SITU_LINE, stream);
}
#undef SITU_TURN_ELEMENTS

#endif
