#include "backend/cpu/layers/int8.inc"

static void multiply(const situ_int8_block *b)
{
    for (int i = 0; i < SIDE; i++)
        for (int s = 0; s < b->strips; s++) {
            const int16_t *w = (const int16_t *)(const void *)((const char *)b->w + i * b->w_row);
            const int16_t *x = (const int16_t *)(const void *)((const char *)b->x + s * b->strip);
            int32_t sum[SIDE] = {0};
            for (int64_t k = 0; k < b->k; k += 2, x += 2 * SIDE)
                for (int l = 0; l < SIDE; l++) sum[l] += w[k] * x[2 * l] + w[k + 1] * x[2 * l + 1];
            memcpy(b->c[i] + s * SIDE, sum, sizeof sum);
        }
}

const situ_int8_kernels situ_int8_baseline = {
    .bytes = 2, .multiply = multiply, .round = round_strip, .finish = finish_strip, .dots = dots_of, .widen = widen};
