#include "backend/cpu/layers/blocks.h"

static void q8_0(const uint8_t *from, int64_t n, float *to) { situ_unpack_blocks(SITU_Q8_0, from, n, to); }
static void q4_0(const uint8_t *from, int64_t n, float *to) { situ_unpack_blocks(SITU_Q4_0, from, n, to); }
static void q4_1(const uint8_t *from, int64_t n, float *to) { situ_unpack_blocks(SITU_Q4_1, from, n, to); }

const situ_block_kernels situ_blocks_baseline = {{q8_0, q4_0, q4_1, situ_unpack_bf16, situ_unpack_f16}, {NULL}};
