/* Square roots of f64 are correctly rounded by every instruction set: those nearest to the midpoint of two numbers, and
 * some of all magnitudes. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/cpu/tiles/tile.h"

static void same_roots(const situ_tiles *t, const double *x, int n)
{
    double root[64], half[64];
    t->op[SITU_EL_sqrt][SITU_F64](root, x, NULL, NULL, n);
    t->op[SITU_EL_pow_half][SITU_F64](half, x, NULL, NULL, n);
    for (int i = 0; i < n; i++) {
        double want = sqrt(x[i]), want_half = x[i] == -INFINITY ? INFINITY : sqrt(x[i] + 0.0);
        bool good = isnan(want) ? isnan(root[i]) : !memcmp(&root[i], &want, 8);
        bool good_half = isnan(want_half) ? isnan(half[i]) : !memcmp(&half[i], &want_half, 8);
        if (!CHECK(good && good_half)) printf("  %s: root of %a: %a, %a, not %a\n", t->name, x[i], root[i], half[i], want);
    }
}

/* A middle m of two numbers in [1, 2) is M / 2^53 with an odd M. The roots nearest to it are those of (M^2 - k) /
 * 2^106 with a small k; for this to be a number of 53 bits, M^2 = k modulo 2^54, and k = 1 modulo 8. M is found bit by
 * bit. */
static int near_middles(const situ_tiles *t, int64_t k)
{
    uint64_t all = ((uint64_t)1 << 54) - 1;
    int count = 0;
    for (uint64_t start = 1; start < 8; start += 2) {
        uint64_t r = start;
        for (int bit = 3; bit < 54; bit++)
            if ((r * r - (uint64_t)k) & (((uint64_t)1 << (bit + 1)) - 1)) r += (uint64_t)1 << (bit - 1);
        for (int turn = 0; turn < 2; turn++) {
            uint64_t m = (r + ((uint64_t)turn << 53)) & all;
            if ((m * m - (uint64_t)k) & all || m < (uint64_t)1 << 53) continue;
            uint64_t high = (uint64_t)(((unsigned __int128)m * m - (unsigned __int128)(__int128)k) >> 54); /* times 2^-52 */
            if (high >> 53 && (high & 1)) continue;
            double x[8];
            for (int i = 0; i < 8; i++) x[i] = ldexp((double)high, -52 + (i - 4) * 200);
            same_roots(t, x, 8);
            count++;
        }
    }
    return count;
}

TEST(roots_are_rounded_correctly)
{
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -1, 5e-324, 1e-310, 2.2250738585072014e-308,
        1e-280, 1.1e-280, 1e300, 1.7976931348623157e308};
    for (int set = 0; set < 3; set++) {
        const situ_tiles *t = situ_tiles_named(names[set]);
        if (!t) continue;
        int count = 0;
        for (int64_t k = -255; k <= 257; k += 8) count += near_middles(t, k);
        CHECK(count > 100);
        same_roots(t, special, (int)(sizeof special / sizeof *special));
        uint64_t state = 7;
        for (int turn = 0; turn < 5000; turn++) {
            double x[64];
            for (int i = 0; i < 64; i++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                uint64_t u = (state >> 11) + ((uint64_t)(turn % 5 ? 1023 : turn % 2046) << 52);
                memcpy(&x[i], &u, 8);
            }
            same_roots(t, x, 64 - turn % 3);
        }
    }
}
