/* Matrix products of bf16 or f16, or of f32 whose elements are such numbers, by AMX tiles: 16 x 16 sums in f32; one
 * instruction adds 32 products of bf16 to each. Operands of 16 bits are read without conversion, results are rounded
 * when stored.
 * An f16 number has 11 significant bits, and is split into the sum of two bf16 numbers, which have 8; the sum of their
 * four products is exactly the product of two f16 numbers.
 * Subnormal bf16 numbers count as 0, and sums are rounded in another order than by the other kernels: results differ in
 * their last bits. SITU_ISA=avx512 or lower disables AMX (base/isa.h). */
#include "backend/cpu/gemm/gemm.h"
#include "base/isa.h"

#if SITU_KNOWS_TILES
#include <immintrin.h>
#include <string.h>

#include "backend/cpu/scratch.h"
#include "backend/cpu/movement/convert.h"
#include "tensor/half.h"

#define TARGET __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl")))

enum { SIDE = 16, STEP = 32, TILE_BYTES = 1024, BLOCK_ROWS = 256, BLOCK_COLUMNS = 256, LEAST_SIDE = 16, LEAST_DEPTH = 64 };
static const double least_work = 1 << 20; /* multiply-adds; packing smaller products does not pay */

typedef struct tiles {
    situ_gemm g;
    char *a, *b; /* packed: strips of 16 rows (columns), each a sequence of tiles along k; with two parts, one after the other */
    int64_t a_strips, b_strips, steps, column_blocks;
    situ_dtype dtype; /* of the operands' elements and of the results */
    int64_t size;
    int parts;             /* bf16 numbers that an element is split into: 1 or 2 */
    situ_convert_fn round; /* converts f32 to the result's dtype; NULL: the result is f32 */
    _Atomic bool infinite; /* an element to be split is infinite, so that its second part is NaN */
} tiles;

typedef struct configuration {
    uint8_t palette, start, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} configuration;

static int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* An element as bf16 bits: its upper half; or with `rest`, the upper half of what the first part leaves. */
static inline uint32_t upper(const tiles *t, const char *x, bool rest)
{
    uint32_t u = 0, first;
    uint16_t half;
    float y, z;
    memcpy(&half, x, sizeof half);
    if (t->dtype == SITU_BF16) return half;
    if (t->dtype == SITU_F16) y = situ_half_to_f32(half);
    else memcpy(&y, x, sizeof y);
    memcpy(&u, &y, sizeof u);
    if (!rest) return u >> 16;
    first = u & 0xffff0000u;
    memcpy(&z, &first, sizeof z);
    y -= z;
    memcpy(&u, &y, sizeof u);
    return u >> 16;
}

/* 16 elements as f32. */
TARGET static inline __m512i load(const tiles *t, const char *x, bool rest)
{
    __m512i u;
    if (t->dtype == SITU_F16) u = _mm512_castps_si512(_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)x)));
    else if (t->dtype == SITU_BF16)
        u = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)x)), 16);
    else u = _mm512_loadu_si512(x);
    if (!rest) return u;
    __m512 first = _mm512_castsi512_ps(_mm512_and_si512(u, _mm512_set1_epi32((int)0xffff0000u)));
    return _mm512_castps_si512(_mm512_sub_ps(_mm512_castsi512_ps(u), first));
}

/* Packs 16 rows of 32 elements, row after row. */
TARGET static void pack_a(const tiles *t, int64_t strip, int64_t step, bool rest, char *to)
{
    const situ_gemm *g = &t->g;
    int64_t i = strip * SIDE, k = step * STEP, rows = least(SIDE, g->m - i), depth = least(STEP, g->k - k);
    const char *from = (const char *)g->a + (i * g->a_row + k * g->a_column) * t->size;
    if (rows < SIDE || depth < STEP) memset(to, 0, TILE_BYTES);
    for (int64_t r = 0; r < rows; r++, from += g->a_row * t->size) {
        uint16_t *y = (uint16_t *)(void *)to + r * STEP;
        if (g->a_column == 1 && depth == STEP)
            for (int half = 0; half < 2; half++)
                _mm256_storeu_si256((__m256i *)(void *)(y + half * 16),
                    _mm512_cvtepi32_epi16(_mm512_srli_epi32(load(t, from + half * 16 * t->size, rest), 16)));
        else
            for (int64_t c = 0; c < depth; c++) y[c] = (uint16_t)upper(t, from + c * g->a_column * t->size, rest);
    }
}

/* Packs 16 pairs of rows of 16 elements, interleaving the elements of each pair. */
TARGET static void pack_b(const tiles *t, int64_t strip, int64_t step, bool rest, char *to)
{
    const situ_gemm *g = &t->g;
    int64_t j = strip * SIDE, k = step * STEP, columns = least(SIDE, g->n - j), depth = least(STEP, g->k - k);
    int64_t column = g->b_column * t->size, row = g->b_row * t->size;
    const char *from = (const char *)g->b + j * column + k * row;
    uint32_t *y = (uint32_t *)(void *)to;
    if (g->b_column == 1 && columns == SIDE && depth == STEP) {
        for (int p = 0; p < SIDE; p++, from += 2 * row) {
            __m512i low = _mm512_srli_epi32(load(t, from, rest), 16),
                    high = _mm512_and_si512(load(t, from + row, rest), _mm512_set1_epi32((int)0xffff0000u));
            _mm512_storeu_si512(y + p * SIDE, _mm512_or_si512(low, high));
        }
        return;
    }
    memset(to, 0, TILE_BYTES);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t r = 0; r < depth; r++) y[r / 2 * SIDE + c] |= upper(t, from + c * column + r * row, rest) << r % 2 * 16;
}

TARGET static bool is_finite(const char *tile)
{
    const __m512i top = _mm512_set1_epi16(0x7f80);
    __mmask32 none = 0;
    for (int i = 0; i < TILE_BYTES; i += 64)
        none |= _mm512_cmpeq_epi16_mask(_mm512_and_si512(_mm512_loadu_si512(tile + i), top), top);
    return !none;
}

static void pack_task(void *context, int64_t task)
{
    tiles *t = context;
    bool is_b = task >= t->a_strips;
    int64_t strip = is_b ? task - t->a_strips : task;
    char *to = (is_b ? t->b : t->a) + strip * t->steps * t->parts * TILE_BYTES;
    for (int64_t s = 0; s < t->steps; s++)
        for (int part = 0; part < t->parts; part++, to += TILE_BYTES) {
            (is_b ? pack_b : pack_a)(t, strip, s, part, to);
            if (part && !is_finite(to)) t->infinite = true;
        }
}

/* Multiplies up to two strips of rows by up to two strips of columns. Prefetches `lines` cache lines from `ahead` on
 * with each step. */
TARGET static void square(const tiles *t, int64_t row, int64_t column, const char *ahead, int64_t lines, float *out)
{
    int64_t step = t->parts * TILE_BYTES, each = t->steps * step;
    const char *a0 = t->a + row * each, *a1 = row + 1 < t->a_strips ? a0 + each : a0;
    const char *b0 = t->b + column * each, *b1 = column + 1 < t->b_strips ? b0 + each : b0;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t s = 0; s < each; s += step) {
        for (int64_t line = 0; line < lines; line++, ahead += 64) __builtin_prefetch(ahead, 0, 2);
        for (int64_t a = s; a < s + step; a += TILE_BYTES) {
            _tile_loadd(4, a0 + a, 64);
            _tile_loadd(5, a1 + a, 64);
            for (int64_t b = s; b < s + step; b += TILE_BYTES) {
                _tile_loadd(6, b0 + b, 64);
                _tile_loadd(7, b1 + b, 64);
                _tile_dpbf16ps(0, 4, 6);
                _tile_dpbf16ps(1, 4, 7);
                _tile_dpbf16ps(2, 5, 6);
                _tile_dpbf16ps(3, 5, 7);
            }
        }
    }
    _tile_stored(0, out, 128);
    _tile_stored(1, out + SIDE, 128);
    _tile_stored(2, out + SIDE * 2 * SIDE, 128);
    _tile_stored(3, out + SIDE * 2 * SIDE + SIDE, 128);
}

TARGET static void multiply_task(void *context, int64_t task)
{
    const tiles *t = context;
    const situ_gemm *g = &t->g;
    float out[4 * SIDE * SIDE] __attribute__((aligned(64)));
    uint16_t rounded[4 * SIDE * SIDE];
    const char *from = t->round ? (const char *)rounded : (const char *)out;
    configuration c = {.palette = 1};
    for (int i = 0; i < 8; i++) c.bytes[i] = 64, c.rows[i] = SIDE;
    __asm__ volatile("" : : "r"(&c) : "memory"); /* gcc 12 assumes that only 8 bytes are read */
    _tile_loadconfig(&c);
    int64_t first_row = task / t->column_blocks * BLOCK_ROWS, first_column = task % t->column_blocks * BLOCK_COLUMNS;
    int64_t end_row = least(first_row + BLOCK_ROWS, g->m), end_column = least(first_column + BLOCK_COLUMNS, g->n);
    int64_t strip = t->steps * t->parts * TILE_BYTES,
            lines = parts(2 * strip / 64, parts(end_row - first_row, 2 * SIDE) * t->steps);
    for (int64_t j = first_column; j < end_column; j += 2 * SIDE) {
        const char *ahead = t->b + (j / SIDE + 2) * strip; /* prefetch the next strips of columns while these are multiplied */
        for (int64_t i = first_row; i < end_row; i += 2 * SIDE, ahead += lines * t->steps * 64) {
            square(t, i / SIDE, j / SIDE, ahead, lines, out);
            if (t->round) t->round(rounded, out, 4 * SIDE * SIDE);
            int64_t columns = least(2 * SIDE, g->n - j);
            for (int64_t r = 0; r < least(2 * SIDE, g->m - i); r++)
                memcpy(
                    (char *)g->c + ((i + r) * g->c_row + j) * t->size, from + r * 2 * SIDE * t->size, (size_t)(columns * t->size));
        }
    }
    _tile_release();
}

bool situ_gemm_amx(const situ_gemm *g, situ_dtype stored, situ_dtype numbers, const situ_host *h)
{
    double work = (double)g->m * (double)g->n * (double)g->k;
    if (g->m < LEAST_SIDE || g->n < LEAST_SIDE || g->k < LEAST_DEPTH || work < least_work) return false;
    tiles t = {.g = *g,
        .a_strips = parts(g->m, SIDE),
        .b_strips = parts(g->n, SIDE),
        .steps = parts(g->k, STEP),
        .dtype = stored,
        .size = stored == SITU_F32 ? 4 : 2,
        .parts = numbers == SITU_F16 ? 2 : 1,
        .round = stored == SITU_F32 ? NULL : situ_convert(SITU_F32, stored)};
    int64_t bytes = (t.a_strips + t.b_strips) * t.steps * t.parts * TILE_BYTES;
    if (!(t.a = situ_scratch((size_t)bytes))) return false;
    t.b = t.a + t.a_strips * t.steps * t.parts * TILE_BYTES;
    t.column_blocks = parts(g->n, BLOCK_COLUMNS);
    situ_host_for(h, pack_task, &t, t.a_strips + t.b_strips);
    if (t.infinite) return false;
    situ_host_for(h, multiply_task, &t, parts(g->m, BLOCK_ROWS) * t.column_blocks);
    return true;
}
#else
bool situ_gemm_amx(const situ_gemm *g, situ_dtype stored, situ_dtype numbers, const situ_host *h)
{
    (void)g, (void)stored, (void)numbers, (void)h;
    return false; /* never called: situ_isa_tiles is false */
}
#endif
