/* Operations of f16 and bf16 in registers: each instruction set has the bits of the baseline, which goes step by step. */
#include <situ/runtime.h>

#include "values.h"

enum { MOST = 4200003, RESULTS = 12 }; /* so large results are stored past the caches */
static uint16_t bits[3][MOST];
static uint32_t plain[MOST], got[MOST];

static situ_tensor *operand(int k, situ_dtype d, int64_t n) { return situ_from_host(bits[k], SHAPE(n), .dtype = d); }

static situ_tensor *result(int which, situ_dtype d, int64_t n)
{
    situ_tensor *a = operand(0, d, n), *b = operand(1, d, n), *c = operand(2, d, n);
    situ_dtype other = d == SITU_F16 ? SITU_BF16 : SITU_F16;
    switch (which) {
    case 0: return situ_mul(a, b);
    case 1: return situ_sub(situ_mul(a, b), situ_div(c, a));
    case 2: return situ_floor(situ_mul(situ_clip(a, b, c), 3));
    case 3: return situ_add(situ_cast(a, SITU_F32), situ_sqrt(situ_cast(b, SITU_F32)));
    case 4: return situ_cast(situ_exp(a), other);
    case 5: return situ_add(situ_where(situ_less(a, b), a, c), situ_round(b));
    case 6: return situ_trunc(situ_add(situ_slice(a, .start = SHAPE(1)), situ_slice(b, .stop = SHAPE(n - 1))));
    case 7: return situ_cast(situ_mul(situ_cast(a, SITU_F32), situ_cast(c, SITU_F32)), d);
    case 8: return situ_sum(situ_abs(situ_mul(a, b)));
    case 9: return situ_add(situ_slice(a, .stop = SHAPE(5)), situ_ones(SHAPE(n / 5, 5), .dtype = SITU_I16)); /* a number that is converted */
    case 10: return situ_clip(situ_reshape(b, SHAPE(1, n)), situ_ones(SHAPE(), .dtype = SITU_I16), situ_full(SHAPE(n), 1.5, .dtype = d));
    default: return situ_mul(situ_sign(situ_ceil(c)), situ_max(situ_square(a)));
    }
}

static size_t read(int which, situ_dtype d, int64_t n, void *to)
{
    size_t bytes = 0;
    IN_SCOPE {
        situ_tensor *t = result(which, d, n);
        bytes = (size_t)situ_count(t) * situ_dtype_size(situ_dtype_of(t));
        if (situ_read(t, to, bytes)) bytes = 0;
    }
    return bytes;
}

static void compare(situ_dtype d, int64_t n)
{
    for (int which = 0; which < RESULTS; which += n == MOST ? 4 : 1) {
        limit_isa(SITU_ISA_BASELINE);
        size_t bytes = read(which, d, n, plain);
        CHECK(bytes);
        for (int isa = SITU_ISA_AVX2; isa <= SITU_ISA_AVX512; isa++) {
            limit_isa((situ_isa)isa);
            if (!CHECK(read(which, d, n, got) == bytes && !memcmp(plain, got, bytes)))
                printf("  result %d of %s[%d] on %d\n", which, situ_dtype_name(d), (int)n, isa);
        }
    }
    limit_isa(SITU_ISA_AMX);
}

TEST(halves_in_registers_have_the_bits_of_each_step)
{
    const int64_t sizes[] = {511, 512, 1000, 70001, MOST};
    for (uint32_t i = 0; i < MOST; i++)
        for (int k = 0; k < 3; k++) bits[k][i] = (uint16_t)((i * 2654435761u + (uint32_t)k * 40503u) >> 13 & 0xbfff); /* below 2 */
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        compare(SITU_F16, sizes[s]);
        compare(SITU_BF16, sizes[s]);
    }
}
