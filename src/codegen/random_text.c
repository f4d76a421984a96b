/* Random bits as text: Threefry's rounds are quoted from numeric/threefry.h, so they are written only once. */
#include "codegen/random_text.h"

#include <situ/error.h>

#include "numeric/threefry.h"

#define ROUNDS SITU_TEXT(SITU_THREEFRY(x0, x1, k0, k1, k2))

/* random_32 and random_64 compute position i of n in JAX's original layout, which numbers at most 2^32 - 1 words by
 * one key and splits the key for more; random_part_* compute its partitionable layout. random_word: n < 2^32. */
const char situ_text_random[] = "#ifndef SITU_RANDOM\n"
                                "#define SITU_RANDOM\n"
                                "FN u64_F random_block(u32_F k0, u32_F k1, u32_F x0, u32_F x1)\n"
                                "{\n"
                                "    u32_F k2 = k0 ^ k1 ^ 0x1BD11BDAu;\n"
                                "    " ROUNDS "\n"
                                "    return (u64_F)x0 << 32 | x1;\n"
                                "}\n"
                                "FN u32_F random_word(u32_F k0, u32_F k1, u64_F i, u64_F n)\n"
                                "{\n"
                                "    u64_F h = n / 2 + (n & 1), low = i < h ? i : i - h, high = low + h < n ? low + h : 0;\n"
                                "    u64_F block = random_block(k0, k1, (u32_F)low, (u32_F)high);\n"
                                "    return (u32_F)(i < h ? block >> 32 : block);\n"
                                "}\n"
                                "FN u32_F random_32(u32_F k0, u32_F k1, u64_F i, u64_F n)\n"
                                "{\n"
                                "    u64_F most = 0xffffffffu, parts = n / most, part = i / most;\n"
                                "    if (!parts) return random_word(k0, k1, i, n);\n"
                                "    u32_F p0 = random_word(k0, k1, 2 * part, 2 * (parts + 1));\n"
                                "    u32_F p1 = random_word(k0, k1, 2 * part + 1, 2 * (parts + 1));\n"
                                "    return random_word(p0, p1, i % most, part < parts ? most : n % most);\n"
                                "}\n"
                                "FN u64_F random_64(u32_F k0, u32_F k1, u64_F i, u64_F n)\n"
                                "{\n"
                                "    if (n < 0x7fffffffu) return random_block(k0, k1, (u32_F)i, (u32_F)(i + n));\n"
                                "    return (u64_F)random_32(k0, k1, i, 2 * n) << 32 | random_32(k0, k1, n + i, 2 * n);\n"
                                "}\n"
                                "FN u64_F random_part_64(u32_F k0, u32_F k1, u64_F i, u64_F n)\n"
                                "{\n"
                                "    (void)n;\n"
                                "    return random_block(k0, k1, (u32_F)(i >> 32), (u32_F)i);\n"
                                "}\n"
                                "FN u32_F random_part_32(u32_F k0, u32_F k1, u64_F i, u64_F n)\n"
                                "{\n"
                                "    u64_F block = random_part_64(k0, k1, i, n);\n"
                                "    return (u32_F)(block >> 32) ^ (u32_F)block;\n"
                                "}\n"
                                "#endif\n";
