/* Types of values in GGUF files. Those that only files have are unpacked here, the others by op/blocks.h. */
#include "file/gguf.h"
#include "op/blocks.h"
#include "tensor/half.h"

static void q8_1(const uint8_t *b, float *value)
{
    float scale = situ_half_to_f32((uint16_t)(b[0] | b[1] << 8));
    for (int i = 0; i < 32; i++) value[i] = (float)(int8_t)b[4 + i] * scale;
}

static void q8_k(const uint8_t *b, float *value)
{
    uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float scale;
    __builtin_memcpy(&scale, &bits, 4);
    for (int i = 0; i < 256; i++) value[i] = (float)(int8_t)b[4 + i] * scale;
}

const situ_block situ_blocks[] = {{"F32", 0, SITU_F32, 1, 4, NULL}, {"F16", 1, SITU_F16, 1, 2, NULL},
    {"Q4_0", 2, SITU_F32, 32, 18, situ_unpack_q4_0}, {"Q4_1", 3, SITU_F32, 32, 20, situ_unpack_q4_1},
    {"Q5_0", 6, SITU_F32, 32, 22, situ_unpack_q5_0}, {"Q5_1", 7, SITU_F32, 32, 24, situ_unpack_q5_1},
    {"Q8_0", 8, SITU_F32, 32, 34, situ_unpack_q8_0}, {"Q8_1", 9, SITU_F32, 32, 36, q8_1},
    {"Q2_K", 10, SITU_F32, 256, 84, situ_unpack_q2_k}, {"Q3_K", 11, SITU_F32, 256, 110, situ_unpack_q3_k},
    {"Q4_K", 12, SITU_F32, 256, 144, situ_unpack_q4_k}, {"Q5_K", 13, SITU_F32, 256, 176, situ_unpack_q5_k},
    {"Q6_K", 14, SITU_F32, 256, 210, situ_unpack_q6_k}, {"Q8_K", 15, SITU_F32, 256, 292, q8_k},
    {"IQ4_NL", 20, SITU_F32, 32, 18, situ_unpack_iq4_nl}, {"I8", 24, SITU_I8, 1, 1, NULL}, {"I16", 25, SITU_I16, 1, 2, NULL},
    {"I32", 26, SITU_I32, 1, 4, NULL}, {"I64", 27, SITU_I64, 1, 8, NULL}, {"F64", 28, SITU_F64, 1, 8, NULL},
    {"BF16", 30, SITU_BF16, 1, 2, NULL},
    /* not supported: these need tables of values, or are rarely used */
    {"IQ2_XXS", 16, -1, 256, 66, NULL}, {"IQ2_XS", 17, -1, 256, 74, NULL}, {"IQ3_XXS", 18, -1, 256, 98, NULL},
    {"IQ1_S", 19, -1, 256, 50, NULL}, {"IQ3_S", 21, -1, 256, 110, NULL}, {"IQ2_S", 22, -1, 256, 82, NULL},
    {"IQ4_XS", 23, -1, 256, 136, NULL}, {"IQ1_M", 29, -1, 256, 56, NULL}, {"TQ1_0", 34, -1, 256, 54, NULL},
    {"TQ2_0", 35, -1, 256, 66, NULL}, {"MXFP4", 39, -1, 32, 17, NULL}};

int situ_block_at(uint32_t number)
{
    for (int i = 0; i < (int)(sizeof situ_blocks / sizeof *situ_blocks); i++)
        if ((uint32_t)situ_blocks[i].number == number) return i;
    return -1;
}
