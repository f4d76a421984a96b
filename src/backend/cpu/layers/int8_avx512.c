#include "backend/cpu/layers/int8.h"

#include <immintrin.h>
#include <string.h>

enum { SIDE = SITU_INT8_SIDE };

/* ---- VNNI: four products of 8 bits to a sum, one factor without a sign -------- */

#define VNNI __attribute__((target("avx512vnni")))

static inline __attribute__((always_inline)) VNNI void rows_by(const situ_int8_block *b, int first, int rows, int s, int strips)
{
    const char *w = (const char *)b->w + first * b->w_row, *x = (const char *)b->x + s * b->strip;
    __m512i sum[8][SITU_INT8_STRIPS], y[SITU_INT8_STRIPS], sign = _mm512_set1_epi32((int)0x80808080u);
    _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++) _Pragma("GCC unroll 4") for (int j = 0; j < strips; j++) sum[i][j] =
        _mm512_loadu_si512(b->start + (s + j) * SIDE);
    for (int64_t k = 0; k < b->k; k += 4, w += 4, x += 64) {
        _Pragma("GCC unroll 4") for (int j = 0; j < strips; j++) y[j] = _mm512_loadu_si512(x + j * b->strip);
        _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++)
        {
            int32_t four;
            memcpy(&four, w + i * b->w_row, sizeof four);
            __m512i by = _mm512_xor_si512(_mm512_set1_epi32(four), sign);
            _Pragma("GCC unroll 4") for (int j = 0; j < strips; j++) sum[i][j] = _mm512_dpbusd_epi32(sum[i][j], by, y[j]);
        }
    }
    _Pragma("GCC unroll 8") for (int i = 0; i < rows; i++) _Pragma("GCC unroll 4") for (int j = 0; j < strips; j++)
        _mm512_storeu_si512(b->c[first + i] + (s + j) * SIDE, sum[i][j]);
}

VNNI static void multiply_vnni(const situ_int8_block *b)
{
    int s = 0;
    for (; s + 4 <= b->strips; s += 4)
        for (int i = 0; i < SIDE; i += 4) rows_by(b, i, 4, s, 4);
    for (; s + 2 <= b->strips; s += 2)
        for (int i = 0; i < SIDE; i += 8) rows_by(b, i, 8, s, 2);
    for (; s < b->strips; s++)
        for (int i = 0; i < SIDE; i += 8) rows_by(b, i, 8, s, 1);
}

const situ_int8_product situ_int8_vnni = {.bytes = 1, .offset = 128, .multiply = multiply_vnni};

/* ---- tiles -------- */

#if SITU_KNOWS_TILES
#define TILES __attribute__((target("amx-tile,amx-int8")))

TILES static void begin_tiles(void)
{
    struct {
        uint8_t palette, start, reserved[14];
        uint16_t bytes[16];
        uint8_t rows[16];
    } c = {.palette = 1};
    for (int i = 0; i < 8; i++) c.bytes[i] = 64, c.rows[i] = SIDE;
    __asm__ volatile("" : : "r"(&c) : "memory"); /* gcc 12 assumes that only 8 bytes are read */
    _tile_loadconfig(&c);
}

TILES static void end_tiles(void) { _tile_release(); }

TILES static void multiply_tiles(const situ_int8_block *b)
{
    const char *w = b->w, *x = b->x;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t k = 0; k < b->k; k += SITU_INT8_DEPTH, w += 64, x += 1024) {
        _tile_loadd(4, w, b->w_row);
        _tile_loadd(5, x, 64);
        _tile_dpbssd(0, 4, 5);
        if (b->strips > 1) {
            _tile_loadd(6, x + b->strip, 64);
            _tile_dpbssd(1, 4, 6);
        }
        if (b->strips > 2) {
            _tile_loadd(7, x + 2 * b->strip, 64);
            _tile_dpbssd(2, 4, 7);
        }
        if (b->strips > 3) {
            _tile_loadd(5, x + 3 * b->strip, 64);
            _tile_dpbssd(3, 4, 5);
        }
    }
    _tile_stored(0, b->c[0], sizeof b->c[0]);
    if (b->strips > 1) _tile_stored(1, b->c[0] + SIDE, sizeof b->c[0]);
    if (b->strips > 2) _tile_stored(2, b->c[0] + 2 * SIDE, sizeof b->c[0]);
    if (b->strips > 3) _tile_stored(3, b->c[0] + 3 * SIDE, sizeof b->c[0]);
}

const situ_int8_product situ_int8_amx = {.bytes = 1, .begin = begin_tiles, .end = end_tiles, .multiply = multiply_tiles};
#else
const situ_int8_product situ_int8_amx; /* not used: situ_isa_tiles is false */
#endif
