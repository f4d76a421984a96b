/* Names, 16-bit floats and single elements. tests/python/test_values.py has promotion. */
#include "test.h"

#include "tensor/cast.h"
#include "tensor/dtype.h"

#include <float.h>
#include <math.h>
#include <string.h>

TEST(names_are_read_back)
{
    for (int d = 0; d < SITU_DTYPES; d++) {
        situ_dtype back = SITU_DTYPE_DEFAULT;
        CHECK_EQ(situ_dtype_parse(situ_dtype_name((situ_dtype)d), &back), 0);
        CHECK_EQ(back, d);
    }
    const struct {
        const char *name;
        situ_dtype d;
    } names[] = {{"float32", SITU_F32},
                 {"bfloat16", SITU_BF16},
                 {"complex64", SITU_C64},
                 {"uint8", SITU_U8},
                 {"bool", SITU_BOOL}};
    for (int i = 0; i < 5; i++) {
        situ_dtype back = SITU_DTYPE_DEFAULT;
        CHECK_EQ(situ_dtype_parse(names[i].name, &back), 0);
        CHECK_EQ(back, names[i].d);
    }
    situ_dtype unused;
    CHECK_EQ(situ_dtype_parse("f33", &unused), -1);
    CHECK_CODE(SITU_BAD_DTYPE);
    CHECK_EQ(situ_dtype_parse(NULL, &unused), -1);
    CHECK_CODE(SITU_BAD_ARGUMENT);
    CHECK_STR(situ_dtype_name((situ_dtype)77), "?");
    CHECK_EQ(situ_dtype_size((situ_dtype)77), 0);
}

TEST(sizes_and_kinds)
{
    const int sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    const char *computes[] = {"bool", "u32", "u32", "u32", "u64", "i32", "i32", "i32",
                              "i64",  "f32", "f32", "f32", "f64", "c64", "c128"};
    for (int i = 0; i < SITU_DTYPES; i++) {
        situ_dtype d = (situ_dtype)i;
        CHECK_EQ(situ_dtype_size(d), sizes[i]);
        CHECK_STR(situ_dtype_name(situ_dtype_compute(d)), computes[i]);
        CHECK_EQ(situ_dtype_is_integer(d), d >= SITU_U8 && d <= SITU_I64);
        CHECK_EQ(situ_dtype_is_float(d), d >= SITU_F16 && d <= SITU_F64);
        CHECK_EQ(situ_dtype_is_complex(d), d >= SITU_C64);
        CHECK_EQ(situ_dtype_is_signed(d), d >= SITU_I8);
    }
    CHECK(!situ_dtype_valid(SITU_DTYPE_DEFAULT));
    CHECK_EQ(situ_dtype_kind(SITU_DTYPE_DEFAULT), SITU_KIND_NONE);
    CHECK_EQ(situ_dtype_real(SITU_C128), SITU_F64);
    CHECK_EQ(situ_dtype_complex(SITU_F16), SITU_C64);
    CHECK_EQ(situ_dtype_complex(SITU_F64), SITU_C128);
    CHECK_EQ(situ_dtype_promote(SITU_DTYPE_DEFAULT, SITU_I8), SITU_I8);
}

/* A double rounded to a format of `bits` significant bits, smallest exponent `low`, largest finite value `most`. */
static double rounded(double x, int bits, int low, double most)
{
    int e;
    if (x == 0 || !isfinite(x)) return x;
    frexp(x, &e);
    int unit = e - bits > low ? e - bits : low;
    double y = ldexp(nearbyint(ldexp(x, -unit)), unit); /* nearbyint rounds to even */
    return fabs(y) > most ? copysign(INFINITY, x) : y;
}

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

TEST(f16_and_bf16_convert_both_ways)
{
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t h = (uint16_t)i;
        int e = (h >> 10 & 31), m = h & 1023;
        double value = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
        if (h & 0x8000) value = -value;
        if (!CHECK(same(situ_f16_to_f32(h), value))) return;
        if (!isnan(value)) {
            if (!CHECK_EQ(situ_f32_to_f16((float)value), h) || !CHECK_EQ(situ_f64_to_f16(value), h)) return;
            if (!isnan(situ_bf16_to_f32(h)) && !CHECK_EQ(situ_f32_to_bf16(situ_bf16_to_f32(h)), h)) return;
        } else {
            CHECK(isnan(situ_f16_to_f32(situ_f32_to_f16((float)value))));
        }
        if (isnan(situ_bf16_to_f32(h))) CHECK(isnan(situ_bf16_to_f32(situ_f32_to_bf16(situ_bf16_to_f32(h)))));
    }
}

TEST(f16_and_bf16_round_to_nearest_even)
{
    uint32_t random = 1;
    for (int i = 0; i < 2000000; i++) {
        random = random * 1664525u + 1013904223u;
        uint32_t u = i % 3 ? random : (random & 0xfffff000u) | (random >> 8 & 1) << 12; /* every third near a tie */
        float f;
        memcpy(&f, &u, 4);
        double half = situ_f16_to_f32(situ_f32_to_f16(f)), brain = situ_bf16_to_f32(situ_f32_to_bf16(f));
        if (!CHECK(same(half, rounded(f, 11, -24, 65504)))) return;
        if (!CHECK(same(brain, rounded(f, 8, -133, 0x1.fep127)))) return;
        /* Doubles just off the ties of the narrow format, which a detour by f32 would round twice. */
        double d = (double)f * (1 + ((int)(random >> 20 & 3) - 1) * DBL_EPSILON);
        if (!CHECK(same(situ_f16_to_f32(situ_f64_to_f16(d)), rounded(d, 11, -24, 65504)))) return;
        if (!CHECK(same(situ_bf16_to_f32(situ_f64_to_bf16(d)), rounded(d, 8, -133, 0x1.fep127)))) return;
    }
    const double edges[] = {65519.999, 65520,      65520.001,  0x1p-25, 0x1.8p-25,
                            0x1p-24,   0x1.ffp127, 0x1.fep127, 1e300,   1e-300};
    for (int i = 0; i < 10; i++) {
        CHECK(same(situ_f16_to_f32(situ_f64_to_f16(-edges[i])), rounded(-edges[i], 11, -24, 65504)));
        CHECK(same(situ_bf16_to_f32(situ_f64_to_bf16(edges[i])), rounded(edges[i], 8, -133, 0x1.fep127)));
    }
}

TEST(elements_are_stored_and_read)
{
    unsigned char place[17];
    for (int i = 0; i < SITU_DTYPES; i++) {
        situ_dtype d = (situ_dtype)i;
        void *p = place + 1; /* of no alignment */
        situ_element_set_i64(d, p, 1);
        CHECK_NEAR(situ_element_get_f64(d, p), 1, 0);
        CHECK_EQ(situ_element_get_i64(d, p), 1);
        situ_element_set_f64(d, p, 0.75);
        CHECK_NEAR(situ_element_get_f64(d, p), d == SITU_BOOL ? 1 : situ_dtype_is_integer(d) ? 0 : 0.75, 0);
        situ_element_set_c128(d, p, (situ_c128){100, 3});
        CHECK_NEAR(situ_element_get_c128(d, p).re, d == SITU_BOOL ? 1 : 100, 0);
        CHECK_NEAR(situ_element_get_c128(d, p).im, situ_dtype_is_complex(d) ? 3 : 0, 0);
        situ_element_set_f64(d, p, NAN);
        double back = situ_element_get_f64(d, p);
        if (d == SITU_BOOL) CHECK_NEAR(back, 1, 0);
        else CHECK(situ_dtype_is_integer(d) ? back == 0 : isnan(back));
        if (!situ_dtype_is_integer(d)) continue;
        situ_element_set_f64(d, p, 1e30);
        CHECK_NEAR(situ_element_get_f64(d, p), situ_dtype_highest(d), 0);
        situ_element_set_f64(d, p, -1e30);
        CHECK_NEAR(situ_element_get_f64(d, p), situ_dtype_lowest(d), 0);
        situ_element_set_i64(d, p, -1);
        CHECK_EQ(situ_element_get_i64(d, p),
                 situ_dtype_is_signed(d) || d == SITU_U64 ? -1 : (int64_t)situ_dtype_highest(d));
    }
}

/* 2^24 + 1 + 2^-something: what lies beyond f32 decides the rounding to bf16. */
TEST(integers_round_once)
{
    uint16_t h;
    const int64_t ties[] = {0x101000000,
                            0x101000001,
                            0x100ffffff,
                            0x1010000000000001,
                            0x1010000000000000,
                            0x1030000000000000,
                            0x1030000000000001,
                            0x102fffffffffffff,
                            16842753,
                            16842752,
                            16842751};
    for (int i = 0; i < 11; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            long double x = (long double)(sign * ties[i]);
            int e;
            frexpl(x, &e);
            situ_element_set_i64(SITU_BF16, &h, sign * ties[i]);
            CHECK_NEAR(situ_bf16_to_f32(h), (double)ldexpl(nearbyintl(ldexpl(x, 8 - e)), e - 8), 0);
        }
}
