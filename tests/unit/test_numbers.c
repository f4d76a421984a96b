/* C numbers in operations with tensors keep their exact value. */
#include <float.h>
#include <math.h>

#include <situ/random.h>

#include "tensor/dtype.h"
#include "values.h"

typedef __int128 wide;
typedef situ_tensor *(*binary)(situ_tensor *, situ_tensor *, situ_site);

/* A C number or an element, independent of a dtype. */
typedef struct number {
    bool integer;
    wide whole;
    double real;
} number;

static int order_of_whole_and_real(wide a, double b)
{
    if (b >= 0x1p100) return -1;
    if (b <= -0x1p100) return 1;
    wide cut = (wide)b; /* towards 0 */
    if (a != cut) return a < cut ? -1 : 1;
    return (double)cut == b ? 0 : b > (double)cut ? -1 : 1;
}

/* -1, 0 or 1; 2 if one of them is NaN. */
static int order(number a, number b)
{
    if ((!a.integer && isnan(a.real)) || (!b.integer && isnan(b.real))) return 2;
    if (a.integer && b.integer) return (a.whole > b.whole) - (a.whole < b.whole);
    if (!a.integer && !b.integer) return (a.real > b.real) - (a.real < b.real);
    return a.integer ? order_of_whole_and_real(a.whole, b.real) : -order_of_whole_and_real(b.whole, a.real);
}

static bool holds(int which, int o)
{
    switch (which) {
    case 0: return o == -1;
    case 1: return o == -1 || o == 0;
    case 2: return o == 1;
    case 3: return o == 1 || o == 0;
    case 4: return o == 0;
    default: return o != 0;
    }
}

static const binary comparisons[] = {(situ_less), (situ_less_equal), (situ_greater), (situ_greater_equal), (situ_equal), (situ_not_equal)};
static const char *const names[] = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"};

static const int64_t whole_numbers[] = {0, 1, -1, 2, 127, 128, -128, -129, 255, 256, -256, 2048, 2049, 32767, 32768, -32768, -32769, 65504, 65519, 65520, 65535, 65536,
                                        16777216, 16777217, -16777217, INT32_MAX, (int64_t)INT32_MAX + 1, INT32_MIN, (int64_t)INT32_MIN - 1, UINT32_MAX, (int64_t)UINT32_MAX + 1,
                                        (int64_t)1 << 53, ((int64_t)1 << 53) + 1, INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1};
static const uint64_t large_numbers[] = {(uint64_t)1 << 63, ((uint64_t)1 << 63) + 1, UINT64_MAX - 1, UINT64_MAX};
static const double real_numbers[] = {0, -0.0, 0.5, -0.5, 1.5, 127.5, 255.5, 256, -1, -1.5, 2147483647.5, 2147483648.0, 9007199254740992.0, 9007199254740993.0,
                                      0x1p63, -0x1p63, 0x1p64, 0x1.fffffffffffffp62, 1e300, -1e300, INFINITY, -INFINITY, NAN, 1e-300};
enum { WHOLE = sizeof whole_numbers / 8, LARGE = sizeof large_numbers / 8, REAL = sizeof real_numbers / 8, ALL = WHOLE + LARGE + REAL };

static number number_at(int i)
{
    if (i < WHOLE) return (number){true, whole_numbers[i], 0};
    if (i < WHOLE + LARGE) return (number){true, (wide)large_numbers[i - WHOLE], 0};
    return (number){false, 0, real_numbers[i - WHOLE - LARGE]};
}

static situ_tensor *operand_at(int i)
{
    if (i < WHOLE) return situ_scalar_int(whole_numbers[i]);
    if (i < WHOLE + LARGE) return situ_scalar_unsigned(large_numbers[i - WHOLE]);
    return situ_scalar_float(real_numbers[i - WHOLE - LARGE]);
}

static int size_bits(situ_dtype d) { return 8 * (int)situ_dtype_size(d); }
static wide highest(situ_dtype d) { return d == SITU_BOOL ? 1 : ((wide)1 << (size_bits(d) - (d >= SITU_I8))) - 1; }
static wide lowest(situ_dtype d) { return d >= SITU_I8 ? -highest(d) - 1 : 0; }

/* Extreme values of a dtype in memory; each also as a C number. */
enum { MOST = 32 };
static int edges(situ_dtype d, char *memory, number *value)
{
    int n = 0;
    size_t size = situ_dtype_size(d);
    if (d < SITU_F16) {
        const wide some[] = {lowest(d), lowest(d) + 1, 0, 1, highest(d) - 1, highest(d), 127, 128, 255, (wide)1 << 53, ((wide)1 << 53) + 1, (wide)1 << 24, ((wide)1 << 24) + 1, (wide)1 << 63};
        for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
            if (some[i] < lowest(d) || some[i] > highest(d)) continue;
            uint64_t bits = (uint64_t)some[i];
            situ_element_set_i64(d, memory + (size_t)n * size, (int64_t)bits);
            value[n++] = (number){true, some[i], 0};
        }
        return n;
    }
    const double some[] = {0, -0.0, 1, -1, 0.5, 2048, 65504, 16777216, 16777218, 0x1p53, 0x1p63, -0x1p63, 0x1p64, FLT_MAX, INFINITY, -INFINITY, NAN, 0x1.fffffep62};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        situ_element_set_f64(d, memory + (size_t)n * size, some[i]);
        value[n] = (number){false, 0, situ_element_get_f64(d, memory + (size_t)n * size)};
        n++;
    }
    return n;
}

/* A float among floats is rounded to their dtype; everything else is exact. */
static number met(number v, situ_dtype d)
{
    char one[8];
    if (v.integer || d < SITU_F16) return v;
    situ_element_set_f64(d, one, v.real);
    return (number){false, 0, situ_element_get_f64(d, one)};
}

static void compare_all(situ_dtype d, situ_device device)
{
    char memory[MOST * 8];
    number value[MOST];
    int n = edges(d, memory, value), wrong = 0;
    for (int i = 0; i < ALL; i++) {
        for (int which = 0; which < 6; which++) {
            situ_scope *scope = situ_scope_open();
            situ_tensor *x = situ_from_host(memory, SHAPE(n), .dtype = d, .device = device);
            bool right[MOST], left[MOST];
            int rc = situ_read(comparisons[which](x, operand_at(i), SITU_HERE), right, (size_t)n);
            rc |= situ_read(comparisons[which](operand_at(i), x, SITU_HERE), left, (size_t)n);
            number v = met(number_at(i), d);
            for (int k = 0; k < n; k++) {
                if (!rc && right[k] == holds(which, order(value[k], v)) && left[k] == holds(which, order(v, value[k]))) continue;
                if (!wrong++)
                    printf("  %s of %s: element %d (%.17g) and number %d (%.17g): %d, %d, %s\n", names[which], situ_dtype_name(d), k,
                           value[k].integer ? (double)value[k].whole : value[k].real, i, v.integer ? (double)v.whole : v.real, right[k], left[k], situ_error_message());
            }
            if (rc) situ_error_take(NULL);
            situ_scope_close(scope);
        }
    }
    CHECK_EQ(wrong, 0);
}

TEST(comparisons_are_those_of_the_exact_numbers)
{
    for (int d = SITU_BOOL; d <= SITU_F64; d++) compare_all((situ_dtype)d, situ_cpu());
}

TEST(comparisons_are_exact_on_a_gpu)
{
    if (!situ_num_gpus()) SKIP("no GPU");
    for (int d = SITU_BOOL; d <= SITU_F64; d++) compare_all((situ_dtype)d, situ_gpu(0));
}

TEST(comparisons_of_two_numbers_are_exact)
{
    int wrong = 0;
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++)
            for (int which = 0; which < 6; which++) {
                bool y;
                situ_scope *scope = situ_scope_open();
                situ_read(comparisons[which](operand_at(i), operand_at(j), SITU_HERE), &y, 1);
                wrong += y != holds(which, order(number_at(i), number_at(j)));
                situ_scope_close(scope);
            }
    CHECK_EQ(wrong, 0);
}

TEST(signed_and_unsigned_tensors_compare_exactly)
{
    char u[MOST * 8], s[MOST * 8];
    number uv[MOST], sv[MOST];
    int nu = edges(SITU_U64, u, uv), wrong = 0;
    for (int d = SITU_I8; d <= SITU_I64; d++) {
        int ns = edges((situ_dtype)d, s, sv);
        for (int which = 0; which < 6; which++) IN_SCOPE {
            situ_tensor *a = situ_from_host(u, SHAPE(nu, 1), .dtype = SITU_U64), *b = situ_from_host(s, SHAPE(ns), .dtype = (situ_dtype)d);
            bool y[MOST * MOST], z[MOST * MOST];
            situ_read(comparisons[which](a, b, SITU_HERE), y, (size_t)(nu * ns));
            situ_read(comparisons[which](b, a, SITU_HERE), z, (size_t)(nu * ns));
            for (int i = 0; i < nu; i++)
                for (int k = 0; k < ns; k++) wrong += y[i * ns + k] != holds(which, order(uv[i], sv[k])) || z[i * ns + k] != holds(which, order(sv[k], uv[i]));
        }
    }
    CHECK_EQ(wrong, 0);
}

/* What the dtype does not hold is refused; what it holds is computed as if it were an element. */
TEST(arithmetic_refuses_integers_that_the_dtype_does_not_hold)
{
    const binary operations[] = {(situ_add), (situ_sub), (situ_mul), (situ_floor_divide), (situ_remainder), (situ_fmod), (situ_bitwise_and), (situ_bitwise_or),
                                 (situ_bitwise_xor), (situ_bitwise_left_shift), (situ_bitwise_right_shift)};
    int wrong = 0;
    for (int d = SITU_U8; d <= SITU_I64; d++)
        for (int i = 0; i < WHOLE + LARGE; i++)
            for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
                for (int left = 0; left < 2; left++) IN_SCOPE {
                    number v = number_at(i);
                    bool fits = v.whole >= lowest((situ_dtype)d) && v.whole <= highest((situ_dtype)d);
                    situ_tensor *x = situ_ones(SHAPE(3), .dtype = (situ_dtype)d), *a = left ? operand_at(i) : x, *b = left ? x : operand_at(i);
                    char y[24], z[24], one[8];
                    situ_element_set_i64((situ_dtype)d, one, (int64_t)(uint64_t)v.whole);
                    int rc = situ_read(operations[k](a, b, SITU_HERE), y, 3 * situ_dtype_size((situ_dtype)d));
                    int code = situ_error_take(NULL);
                    wrong += fits ? rc != 0 : code != SITU_BAD_NUMBER;
                    if (!fits || rc) continue;
                    situ_tensor *t = situ_from_host(one, SHAPE(), .dtype = (situ_dtype)d);
                    situ_read(operations[k](left ? t : x, left ? x : t, SITU_HERE), z, 3 * situ_dtype_size((situ_dtype)d));
                    wrong += memcmp(y, z, 3 * situ_dtype_size((situ_dtype)d)) != 0;
                }
    CHECK_EQ(wrong, 0);
}

#define REFUSED(call) (situ_eval(TENSORS(call)), CHECK_CODE(SITU_BAD_NUMBER))
#define REFUSED_CODE(call) ((void)(call), CHECK_CODE(SITU_BAD_NUMBER))

TEST_IN_SCOPE(filling_and_assigning_refuse_what_the_dtype_does_not_hold)
{
    situ_tensor *u = situ_arange(0, 4, 1, .dtype = SITU_U8), *at = situ_arange(0, 4, 1), *mask = situ_less(u, 2);
    situ_tensor *v = situ_variable(u), *i = situ_variable(situ_arange(0, 4, 1, .dtype = SITU_I32)), *half = situ_full(SHAPE(2), 1, .dtype = SITU_F16);
    REFUSED(situ_full(SHAPE(1), 300, .dtype = SITU_I8));
    REFUSED(situ_full(SHAPE(1), -1, .dtype = SITU_U64));
    REFUSED(situ_full(SHAPE(1), UINT64_MAX, .dtype = SITU_I64));
    REFUSED(situ_full(SHAPE(1), 70000, .dtype = SITU_F16));
    REFUSED(situ_full(SHAPE(1), (double)NAN, .dtype = SITU_I32));
    REFUSED(situ_full(SHAPE(1), 3e9, .dtype = SITU_I32));
    REFUSED(situ_full_like(u, 256));
    REFUSED(situ_full_like(u, 2.5));
    REFUSED(situ_cast(300, SITU_U8));
    REFUSED(situ_arange(0, 300, 1, .dtype = SITU_U8));
    REFUSED(situ_arange(-1, 3, 1, .dtype = SITU_U32));
    REFUSED(situ_arange(0, 200, 0.5, .dtype = SITU_I8));
    REFUSED(situ_linspace(0, 300, 4, .dtype = SITU_U8));
    REFUSED(situ_pad(u, SHAPE(1), SHAPE(1), .value = 256));
    REFUSED(situ_pad(u, SHAPE(1), SHAPE(1), .value = 0.5));
    REFUSED(situ_where(mask, u, 300));
    REFUSED(situ_where(mask, -1, u));
    REFUSED(situ_scatter(u, at, 300));
    REFUSED(situ_scatter_add(u, at, -1));
    REFUSED(situ_index_add(u, situ_arange(0, 1, 1), 256));
    REFUSED(situ_update_slice(u, 300, SHAPE(0)));
    REFUSED(situ_update_slice(u, 0.5, SHAPE(0)));
    REFUSED(situ_linear_scan(u, -1));
    REFUSED(situ_maximum(u, 256));
    REFUSED(situ_minimum(u, -1));
    REFUSED(situ_clip(u, 256, 300));
    REFUSED(situ_pow(u, 256));
    REFUSED(situ_add(half, 65520));
    REFUSED(situ_mul(70000, half));
    REFUSED(situ_fma(u, 256, 1));
    REFUSED_CODE(situ_assign(v, 300));
    REFUSED_CODE(situ_assign(i, 0.5));
    REFUSED_CODE(situ_assign_slice(v, -1, SHAPE(1)));
    REFUSED_CODE(situ_item_int(situ_full(SHAPE(), UINT64_MAX, .dtype = SITU_U64)));
    REFUSED_CODE(situ_item_int(situ_full(SHAPE(), 1e300, .dtype = SITU_F64)));
    situ_release(v);
    situ_release(i);
}

TEST_IN_SCOPE(numbers_that_fit_are_as_they_were)
{
    situ_tensor *u = situ_arange(0, 4, 1, .dtype = SITU_U8);
    IS(situ_full(SHAPE(1), UINT64_MAX, .dtype = SITU_U64), "[18446744073709551615] u64[1]");
    IS(situ_full(SHAPE(1), UINT64_MAX), "[18446744073709551615] u64[1]");
    IS(situ_add(situ_full(SHAPE(1), UINT64_MAX, .dtype = SITU_U64), UINT64_MAX), "[18446744073709551614] u64[1]");
    IS(situ_full(SHAPE(1), 2.5, .dtype = SITU_I32), "[2] i32[1]");
    IS(situ_full_like(u, 2.0), "[2, 2, 2, 2] u8[4]");
    IS(situ_minimum(u, 300), "[0, 1, 2, 3] u8[4]");
    IS(situ_maximum(u, -5), "[0, 1, 2, 3] u8[4]");
    IS(situ_clip(u, -5, 2), "[0, 1, 2, 2] u8[4]");
    IS(situ_clip(u, 1, 300), "[1, 1, 2, 3] u8[4]");
    IS(situ_arange(5, 0, -2, .dtype = SITU_U8), "[5, 3, 1] u8[3]");
    IS(situ_arange(INT32_MIN, INT32_MAX, UINT32_MAX - 1, .dtype = SITU_I32), "[-2147483648, 2147483646] i32[2]");
    IS(situ_div(u, 1000), "[0., 0.001, 0.002, 0.003] f32[4]");
    IS(situ_logical_and(u, 256), "[false, true, true, true] bool[4]");
    IS(situ_searchsorted(u, 2.5), "3 i64[]");
    IS(situ_searchsorted(u, 300), "4 i64[]");
    IS(situ_searchsorted(u, 300, .right = true), "4 i64[]");
    IS(situ_searchsorted(u, -1, .right = true), "0 i64[]");
    IS(situ_searchsorted(u, -0.5), "0 i64[]");
    IS(situ_searchsorted(u, 3, .right = true), "4 i64[]");
    IS(situ_isin(u, 258), "[false, false, false, false] bool[4]");
    IS(situ_isin(u, 1.5, .invert = true), "[true, true, true, true] bool[4]");
    IS(situ_isin(u, 2.0), "[false, false, true, false] bool[4]");
    IS(situ_fold_in(situ_key(0), -1), "[743310391, 3789761811] u32[2]");
}

TEST(a_refused_number_names_a_dtype_that_holds_it)
{
    static const struct { situ_dtype dtype; double number; const char *takes; } refused[] = {
        {SITU_U8, 300, "SITU_I64"},   {SITU_I64, 1e19, "SITU_U64"}, {SITU_I64, 0x1p70, "SITU_F32"}, {SITU_U64, -1, "SITU_I64"},
        {SITU_I32, 1e300, "SITU_F64"}, {SITU_I64, NAN, "SITU_F32"}, {SITU_I64, INFINITY, "SITU_F64"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) IN_SCOPE {
        situ_full(SHAPE(2), refused[i].number, .dtype = refused[i].dtype);
        if (!CHECK(strstr(situ_error_message(), refused[i].takes))) printf("  %s\n", situ_error_message());
        CHECK_CODE(SITU_BAD_NUMBER);
    }
    IN_SCOPE {
        situ_tensor *v = situ_variable(situ_ones(SHAPE(2), .dtype = SITU_I64));
        CHECK_FAILS(SITU_BAD_NUMBER, situ_assign(v, 1.5), "SITU_F32");
        situ_release(v);
    }
}
