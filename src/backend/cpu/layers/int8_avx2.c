#if defined(__x86_64__)
#include "backend/cpu/layers/int8.inc"

/* Pairs of 16 bits: those of 8 saturate. */
static inline __attribute__((always_inline)) void four_rows(const situ_int8_block *b, int first, int s)
{
    const char *w = (const char *)b->w + first * b->w_row, *x = (const char *)b->x + s * b->strip;
    __m256i sum[4][2];
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) sum[i][0] = sum[i][1] = _mm256_setzero_si256();
    for (int64_t k = 0; k < b->k; k += 2, w += 4, x += 64) {
        __m256i low = _mm256_load_si256((const __m256i *)(const void *)x),
                high = _mm256_load_si256((const __m256i *)(const void *)(x + 32));
        _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
        {
            int32_t pair;
            memcpy(&pair, w + i * b->w_row, sizeof pair);
            __m256i by = _mm256_set1_epi32(pair);
            sum[i][0] = _mm256_add_epi32(sum[i][0], _mm256_madd_epi16(by, low));
            sum[i][1] = _mm256_add_epi32(sum[i][1], _mm256_madd_epi16(by, high));
        }
    }
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) for (int half = 0; half < 2; half++)
        _mm256_storeu_si256((__m256i *)(void *)(b->c[first + i] + s * SIDE + half * 8), sum[i][half]);
}

static void multiply(const situ_int8_block *b)
{
    for (int i = 0; i < SIDE; i += 4)
        for (int s = 0; s < b->strips; s++) four_rows(b, i, s);
}

const situ_int8_kernels situ_int8_avx2 = {
    .bytes = 2, .multiply = multiply, .round = round_strip, .finish = finish_strip, .dots = dots_of, .widen = widen};
#endif
