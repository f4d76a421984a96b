/* Quantised blocks of GGUF files: values of few bits with a common scale (https://github.com/ggml-org/ggml,
 * docs/gguf.md). Values are unpacked to f32 with the same order of operations as in the format's own reader, so the
 * bits are the same. */
#include "file/gguf.h"
#include "tensor/half.h"

static float half(const uint8_t *p) { return situ_half_to_f32((uint16_t)(p[0] | p[1] << 8)); }

/* ---- blocks of 32 values -------------------------------------------------------------------------------------------------- */

/* Four bits each: first the low halves of 16 bytes, then their high halves. A fifth bit, if any, comes from a 32-bit
 * mask. */
static inline void unpack_32(const uint8_t *low, const uint8_t *fifth, int less, float scale, float add, float *value)
{
    uint32_t high = fifth ? (uint32_t)fifth[0] | (uint32_t)fifth[1] << 8 | (uint32_t)fifth[2] << 16 | (uint32_t)fifth[3] << 24 : 0;
    for (int i = 0; i < 16; i++) {
        int first = (int)((low[i] & 15u) | (high >> i & 1) << 4), second = (int)((low[i] >> 4u) | (high >> (i + 16) & 1) << 4);
        value[i] = less ? scale * (float)(first - less) : scale * (float)first + add;
        value[i + 16] = less ? scale * (float)(second - less) : scale * (float)second + add;
    }
}

static void q4_0(const uint8_t *b, float *value) { unpack_32(b + 2, NULL, 8, half(b), 0, value); }
static void q4_1(const uint8_t *b, float *value) { unpack_32(b + 4, NULL, 0, half(b), half(b + 2), value); }
static void q5_0(const uint8_t *b, float *value) { unpack_32(b + 6, b + 2, 16, half(b), 0, value); }
static void q5_1(const uint8_t *b, float *value) { unpack_32(b + 8, b + 4, 0, half(b), half(b + 2), value); }

static inline void unpack_8(const uint8_t *q, int n, float scale, float *value)
{
    for (int i = 0; i < n; i++) value[i] = (float)(int8_t)q[i] * scale;
}

static void q8_0(const uint8_t *b, float *value) { unpack_8(b + 2, 32, half(b), value); }
static void q8_1(const uint8_t *b, float *value) { unpack_8(b + 4, 32, half(b), value); }

/* ---- blocks of 256 values ------------------------------------------------------------------------------------------------- */

/* Two bits a value, 16 scales. The four values of a byte are 32 apart. */
static void q2_k(const uint8_t *b, float *value)
{
    const uint8_t *scales = b, *low = b + 16;
    float scale = half(b + 80), least = half(b + 82);
    for (int j = 0; j < 16; j++) {
        float d = scale * (float)(scales[j] & 15), m = least * (float)(scales[j] >> 4);
        const uint8_t *q = low + 32 * (j / 8) + 16 * (j % 2);
        for (int i = 0; i < 16; i++) value[16 * j + i] = d * (float)(q[i] >> 2 * (j / 2 % 4) & 3) - m;
    }
}

/* Three bits a value, 16 scales of six bits. The third bits are stored separately; if it is not set, 4 is subtracted. */
static void q3_k(const uint8_t *b, float *value)
{
    const uint8_t *high = b, *low = b + 32, *scales = b + 96;
    float scale = half(b + 108);
    for (int j = 0; j < 16; j++) {
        int six = (j < 8 ? scales[j] & 15 : scales[j - 8] >> 4) | (scales[8 + j % 4] >> 2 * (j / 4) & 3) << 4;
        float d = scale * (float)(six - 32);
        const uint8_t *q = low + 32 * (j / 8) + 16 * (j % 2), *h = high + 16 * (j % 2);
        for (int i = 0; i < 16; i++) value[16 * j + i] = d * (float)((q[i] >> 2 * (j / 2 % 4) & 3) - (h[i] >> j / 2 & 1 ? 0 : 4));
    }
}

/* Four bits a value, and a fifth in `fifth`; 8 scales and 8 minima of six bits. */
static inline void unpack_k(const uint8_t *b, const uint8_t *fifth, const uint8_t *low, float *value)
{
    const uint8_t *s = b + 4;
    for (int j = 0; j < 8; j++) {
        int d = j < 4 ? s[j] & 63 : (s[j + 4] & 15) | (s[j - 4] >> 2 & 48),
            m = j < 4 ? s[j + 4] & 63 : s[j + 4] >> 4 | (s[j] >> 2 & 48);
        float scale = half(b) * (float)d, least = half(b + 2) * (float)m;
        const uint8_t *q = low + 32 * (j / 2);
        for (int i = 0; i < 32; i++) {
            int bits = (q[i] >> 4 * (j % 2) & 15) | (fifth ? (fifth[i] >> j & 1) << 4 : 0);
            value[32 * j + i] = scale * (float)bits - least;
        }
    }
}

static void q4_k(const uint8_t *b, float *value) { unpack_k(b, NULL, b + 16, value); }
static void q5_k(const uint8_t *b, float *value) { unpack_k(b, b + 16, b + 48, value); }

/* Six bits a value, stored as four and two bits; 16 scales of eight bits. */
static void q6_k(const uint8_t *b, float *value)
{
    const uint8_t *low = b, *high = b + 128, *scales = b + 192;
    float scale = half(b + 208);
    for (int j = 0; j < 16; j++) {
        float d = scale * (float)(int8_t)scales[j];
        const uint8_t *q = low + 64 * (j / 8) + 16 * (j % 4), *h = high + 32 * (j / 8) + 16 * (j % 2);
        for (int i = 0; i < 16; i++)
            value[16 * j + i] = d * (float)(((q[i] >> 4 * (j / 4 % 2) & 15) | (h[i] >> 2 * (j / 2 % 4) & 3) << 4) - 32);
    }
}

static void q8_k(const uint8_t *b, float *value)
{
    uint32_t bits = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float scale;
    __builtin_memcpy(&scale, &bits, 4);
    unpack_8(b + 4, 256, scale, value);
}

const situ_block situ_blocks[] = {{"F32", 0, SITU_F32, 1, 4, NULL}, {"F16", 1, SITU_F16, 1, 2, NULL},
    {"Q4_0", 2, SITU_F32, 32, 18, q4_0}, {"Q4_1", 3, SITU_F32, 32, 20, q4_1}, {"Q5_0", 6, SITU_F32, 32, 22, q5_0},
    {"Q5_1", 7, SITU_F32, 32, 24, q5_1}, {"Q8_0", 8, SITU_F32, 32, 34, q8_0}, {"Q8_1", 9, SITU_F32, 32, 36, q8_1},
    {"Q2_K", 10, SITU_F32, 256, 84, q2_k}, {"Q3_K", 11, SITU_F32, 256, 110, q3_k}, {"Q4_K", 12, SITU_F32, 256, 144, q4_k},
    {"Q5_K", 13, SITU_F32, 256, 176, q5_k}, {"Q6_K", 14, SITU_F32, 256, 210, q6_k}, {"Q8_K", 15, SITU_F32, 256, 292, q8_k},
    {"I8", 24, SITU_I8, 1, 1, NULL}, {"I16", 25, SITU_I16, 1, 2, NULL}, {"I32", 26, SITU_I32, 1, 4, NULL},
    {"I64", 27, SITU_I64, 1, 8, NULL}, {"F64", 28, SITU_F64, 1, 8, NULL}, {"BF16", 30, SITU_BF16, 1, 2, NULL},
    /* not supported: these need tables of values, or are rarely used */
    {"IQ2_XXS", 16, -1, 256, 66, NULL}, {"IQ2_XS", 17, -1, 256, 74, NULL}, {"IQ3_XXS", 18, -1, 256, 98, NULL},
    {"IQ1_S", 19, -1, 256, 50, NULL}, {"IQ4_NL", 20, -1, 32, 18, NULL}, {"IQ3_S", 21, -1, 256, 110, NULL},
    {"IQ2_S", 22, -1, 256, 82, NULL}, {"IQ4_XS", 23, -1, 256, 136, NULL}, {"IQ1_M", 29, -1, 256, 56, NULL},
    {"TQ1_0", 34, -1, 256, 54, NULL}, {"TQ2_0", 35, -1, 256, 66, NULL}, {"MXFP4", 39, -1, 32, 17, NULL}};

int situ_block_at(uint32_t number)
{
    for (int i = 0; i < (int)(sizeof situ_blocks / sizeof *situ_blocks); i++)
        if ((uint32_t)situ_blocks[i].number == number) return i;
    return -1;
}
