/* Lines of 64 bytes and whole tiles of them, for transpositions. */
#ifndef SITU_CPU_GATHER_TILE_H
#define SITU_CPU_GATHER_TILE_H

#include "backend/cpu/lanes/tile.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* All of a line at once, from anywhere, past the caches if asked; `to` is at a line's begin then. */
static inline void situ_put_line(char *to, const char *line, bool stream)
{
#if defined(__SSE2__)
    if (stream) {
        for (int i = 0; i < SITU_LINE; i += 16)
            _mm_stream_si128((__m128i *)(void *)(to + i), _mm_loadu_si128((const __m128i *)(const void *)(line + i)));
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

/* A tile of elements of 4 bytes: 16 of each of 16 lines, which are `from_row` bytes apart, become 16 lines that are `to_row` apart.
 * stream: past the caches; `to` and to_row are multiples of a line then. */
typedef void (*situ_turn_fn)(char *to, int64_t to_row, const char *from, int64_t from_row, bool stream);
void situ_turn_32_baseline(char *to, int64_t to_row, const char *from, int64_t from_row, bool stream);
#if defined(__x86_64__)
void situ_turn_32_avx2(char *to, int64_t to_row, const char *from, int64_t from_row, bool stream);
void situ_turn_32_avx512(char *to, int64_t to_row, const char *from, int64_t from_row, bool stream);
#endif

#endif
