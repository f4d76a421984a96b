/* 8- and 16-bit integers: each operation on each instruction set equals the operation in 64 bits, wrapped to the
 * dtype. */
#include <situ/runtime.h>

#include "values.h"

enum { MOST = 40000 }; /* more than a kernel processes in one block */
static int64_t a[MOST], b[MOST], c[MOST], got[MOST];
static const situ_dtype dtypes[] = {SITU_U8, SITU_I8, SITU_U16, SITU_I16};

static int64_t cut(int64_t x, situ_dtype dtype)
{
    return dtype == SITU_U8 ? (uint8_t)x : dtype == SITU_I8 ? (int8_t)x : dtype == SITU_U16 ? (uint16_t)x : (int16_t)x;
}

#define LARGER(x, y) ((x) > (y) ? (x) : (y))
#define SMALLER(x, y) ((x) < (y) ? (x) : (y))
#define EACH_RESULT(R) \
    R(situ_add(A, B), cut(x + y, d)) R(situ_sub(A, B), cut(x - y, d)) R(situ_mul(A, B), cut(x * y, d)) R(situ_square(A), cut(x * x, d)) \
    R(situ_negative(A), cut(-x, d)) R(situ_bitwise_invert(A), cut(~x, d)) R(situ_bitwise_and(A, B), x & y) R(situ_bitwise_or(A, B), x | y) \
    R(situ_bitwise_xor(A, B), cut(x ^ y, d)) R(situ_maximum(A, B), LARGER(x, y)) R(situ_minimum(A, B), SMALLER(x, y)) \
    R(situ_clip(A, B, C), SMALLER(LARGER(x, y), z)) R(situ_abs(A), cut(x < 0 ? -x : x, d)) R(situ_sign(A), (x > 0) - (x < 0)) \
    R(situ_relu(A), LARGER(x, 0)) R(situ_less(A, B), x < y) R(situ_less_equal(A, B), x <= y) R(situ_greater(A, B), x > y) \
    R(situ_greater_equal(A, B), x >= y) R(situ_equal(A, B), x == y) R(situ_not_equal(A, B), x != y) \
    R(situ_where(situ_less(A, B), C, A), x < y ? z : x) R(situ_add(A, 7), cut(x + 7, d)) R(situ_mul(situ_add(A, B), situ_sub(C, 3)), \
        cut(cut(x + y, d) * cut(z - 3, d), d)) R(situ_greater(situ_mul(A, 3), situ_add(B, C)), cut(3 * x, d) > cut(y + z, d)) \
    R(situ_bitwise_right_shift(situ_add(A, B), 1), cut(x + y, d) >> 1) R(situ_add(A, situ_slice(B, .start = SHAPE(0), .stop = SHAPE(1))), cut(x + b[0], d)) \
    R(situ_sum(situ_reshape(situ_add(A, B), SHAPE(n, 1)), .axes = AXES(1)), cut(x + y, d)) R(situ_positive(A), x) \
    R(situ_bitwise_left_shift(A, B), y < 0 || y > 15 ? 0 : cut(x << y, d)) R(situ_bitwise_right_shift(A, B), y < 0 || y > 15 ? -(x < 0) : x >> y) \
    R(situ_bitwise_left_shift(A, situ_bitwise_and(B, 15)), cut(x << (y & 15), d)) R(situ_bitwise_right_shift(A, situ_bitwise_and(B, 15)), x >> (y & 15)) \
    R(situ_where(situ_logical_and(situ_greater(A, 3), situ_less_equal(B, C)), situ_maximum(A, C), 5), x > 3 && y <= z ? LARGER(x, z) : 5)

static void agree(const char *isa, situ_dtype d, int64_t n)
{
    IN_SCOPE {
        situ_tensor *A = situ_cast(situ_from_host(a, SHAPE(n), .dtype = SITU_I64), d), *B = situ_cast(situ_from_host(b, SHAPE(n), .dtype = SITU_I64), d);
        situ_tensor *C = situ_cast(situ_from_host(c, SHAPE(n), .dtype = SITU_I64), d);
        situ_eval(TENSORS(A, B, C));
#define RESULT(expression, value) \
    { \
        situ_tensor *t = expression; \
        situ_eval(TENSORS(t)); \
        bool good = !situ_read(situ_cast(t, SITU_I64), got, (size_t)n * sizeof *got); \
        for (int64_t i = 0; i < n && good; i++) { \
            int64_t x = cut(a[i], d), y = cut(b[i], d), z = cut(c[i], d); \
            (void)y, (void)z; \
            good = got[i] == (int64_t)(value); \
        } \
        if (!CHECK(good)) printf("  %s of %s[%d] on %s\n", #expression, situ_dtype_name(d), (int)n, isa); \
    }
        EACH_RESULT(RESULT)
        int64_t most = INT64_MIN, least = INT64_MAX;
        for (int64_t i = 0; i < n; i++) {
            int64_t x = cut(a[i], d), sum = cut(x + cut(b[i], d), d);
            most = LARGER(most, x);
            least = SMALLER(least, sum);
        }
        CHECK(situ_item(situ_max(A)) == (double)most && situ_item(situ_min(situ_add(A, B))) == (double)least);
        CHECK_OK();
    }
}

TEST(each_operation_is_cut_to_its_dtype)
{
    static const char *const name[] = {"baseline", "avx2", "avx512"};
    const int64_t sizes[] = {1, 31, 64, 513, 1000, 1025, MOST};
    for (int64_t i = 0; i < MOST; i++) {
        a[i] = i % 4 ? (int64_t)(i * 2654435761 % 65536) - 32768 : i % 256 - 128;
        b[i] = i % 5 ? (int64_t)(i * 40503 % 65521) - 32768 : a[i];
        c[i] = i * 7 % 300 - 140;
    }
    for (int isa = SITU_ISA_BASELINE; isa <= SITU_ISA_AVX512; isa++) {
        limit_isa((situ_isa)isa);
        for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) agree(name[isa], dtypes[d], sizes[s]);
    }
    limit_isa(SITU_ISA_AMX);
}
