/* Random bits against JAX: tests/reference/threefry.txt, made by scripts/make_reference.py. */
#include "test.h"

#include "numeric/threefry_blocks.h"
#include "base/isa.h"
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 17, LENGTHS = 10 };
static const uint64_t lengths[LENGTHS] = {1, 2, 3, 5, 8, 13, 67, 1023, 5000, 100003};
static uint64_t out64[MOST];

/* Values first..first+n-1 of `total`, of any width, widened. */
static void bits(int width, uint64_t *out, const uint32_t key[2], uint64_t first, int64_t n, uint64_t total, int layout)
{
    static union {
        uint8_t u8[MOST];
        uint16_t u16[MOST];
        uint32_t u32[MOST];
        uint64_t u64[MOST];
    } u;
    if (width == 8) situ_threefry_bits8(u.u8, key, first, n, total, layout);
    if (width == 16) situ_threefry_bits16(u.u16, key, first, n, total, layout);
    if (width == 32) situ_threefry_bits32(u.u32, key, first, n, total, layout);
    if (width == 64) situ_threefry_bits64(u.u64, key, first, n, total, layout);
    for (int64_t i = 0; i < n; i++)
        out[i] = width == 8 ? u.u8[i] : width == 16 ? u.u16[i] : width == 32 ? u.u32[i] : u.u64[i];
}

static uint64_t checksum(const uint64_t *v, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) sum += v[i] * (2 * i + 1);
    return sum;
}

static uint64_t checksum_of_split(const uint32_t key[2], uint64_t n, int layout)
{
    static uint32_t keys[MOST];
    situ_threefry_split(key, n, 0, (int64_t)n, keys, layout);
    for (uint64_t i = 0; i < 2 * n; i++) out64[i] = keys[i];
    return checksum(out64, 2 * n);
}

/* Computes what a line asks for; the number of values. */
static int answer(const char *what, int layout, const uint32_t key[2], const uint64_t *argument, uint64_t *got)
{
    int width = 0;
    uint32_t pair[2] = {0};
    if (!strcmp(what, "split")) {
        got[0] = checksum_of_split(key, argument[0], layout);
        return 1;
    }
    if (!strcmp(what, "word32")) {
        situ_threefry_bits32(pair, key, argument[1], 1, argument[0], layout);
        got[0] = pair[0];
        return 1;
    }
    if (!strcmp(what, "fold_in")) {
        situ_threefry_fold_in(key, (uint32_t)argument[0], pair);
        got[0] = pair[0];
        got[1] = pair[1];
        return 2;
    }
    if (!CHECK_EQ(sscanf(what, "bits%d", &width), 1)) return 0;
    for (int i = 0; i < LENGTHS; i++) {
        bits(width, out64, key, 0, (int64_t)lengths[i], lengths[i], layout);
        got[i] = checksum(out64, lengths[i]);
    }
    return LENGTHS;
}

/* Reads up to `most` hexadecimal numbers; returns how many. */
static int numbers(char *text, uint64_t *out, int most)
{
    int n = 0;
    for (char *end; n < most; n++, text = end) {
        out[n] = strtoull(text, &end, 16);
        if (end == text) break;
    }
    return n;
}

static bool check_line(char *line)
{
    char what[16], *colon = strchr(line, ':');
    uint64_t left[8], want[LENGTHS], got[LENGTHS];
    int used = 0, layout = 0;
    uint32_t key[2];
    if (!CHECK(colon != NULL)) return false;
    *colon = 0;
    int count = numbers(colon + 1, want, LENGTHS);
    if (!strncmp(line, "key ", 4)) {
        CHECK_EQ(numbers(line + 6, left, 8), 1);
        situ_threefry_key(left[0], key);
        return CHECK(count == 2 && key[0] == want[0] && key[1] == want[1]);
    }
    if (!CHECK(sscanf(line, "%15s %d %n", what, &layout, &used) == 2)) return false;
    CHECK(numbers(line + used, left, 8) >= 2);
    key[0] = (uint32_t)left[0];
    key[1] = (uint32_t)left[1];
    if (!CHECK_EQ(answer(what, layout, key, left + 2, got), count)) return false;
    for (int i = 0; i < count; i++)
        if (!CHECK(got[i] == want[i])) {
            test_check_string(line, "the same value", __FILE__, i, what);
            return false;
        }
    return true;
}

TEST(bits_are_those_of_jax)
{
    char line[4096];
    for (int isa = 0; isa < 2; isa++) {
        int lines = 0;
        FILE *file = fopen(SITU_SOURCE_DIR "/tests/reference/threefry.txt", "r");
        if (!CHECK(file != NULL)) return;
        situ_isa_limit(isa ? SITU_ISA_AVX512 : SITU_ISA_BASELINE);
        while (fgets(line, sizeof line, file)) {
            if (line[0] == '#') continue;
            lines++;
            if (!check_line(line)) break;
        }
        fclose(file);
        CHECK_EQ(lines, 89);
    }
    situ_isa_limit(SITU_ISA_AVX512);
}

/* Any part of an array is what the whole has there. */
TEST(parts_agree_with_the_whole)
{
    enum { N = 5000 };
    static uint64_t whole[N], part[N];
    const uint64_t totals[] = {1, 2, 7, 100, 1023, 2048, 4999, N};
    const uint32_t key[2] = {17, 4000000000u};
    uint32_t random = 1;
    for (int layout = 0; layout < 2; layout++)
        for (int width = 8; width <= 64; width *= 2)
            for (int t = 0; t < 8; t++) {
                bits(width, whole, key, 0, (int64_t)totals[t], totals[t], layout);
                for (int i = 0; i < 40; i++) {
                    random = random * 1664525u + 1013904223u;
                    uint64_t first = (random >> 8) % totals[t];
                    random = random * 1664525u + 1013904223u;
                    int64_t n = (int64_t)((random >> 8) % (totals[t] - first + 1));
                    bits(width, part, key, first, n, totals[t], layout);
                    if (!CHECK(!memcmp(part, whole + first, (size_t)n * sizeof *part))) return;
                }
            }
}

TEST(pairs_agree_with_the_whole)
{
    static uint32_t whole[4096], low[2048 + 8], high[2048 + 8];
    const uint32_t key[2] = {1, 2};
    for (uint64_t total = 1; total < 4096; total += total < 70 ? 1 : 501) {
        uint64_t half = (total + 1) / 2;
        situ_threefry_bits32(whole, key, 0, (int64_t)total, total, SITU_THREEFRY_ORIGINAL);
        for (uint64_t first = 0; first < half; first += 100) {
            uint64_t n = half - first < 100 ? half - first : 100;
            situ_threefry_pairs32(low + first, high + first, key, first, (int64_t)n, total);
        }
        CHECK(!memcmp(low, whole, half * 4));
        CHECK(!memcmp(high, whole + half, (total - half) * 4));
    }
}
