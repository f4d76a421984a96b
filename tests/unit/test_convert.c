/* Casts of arrays between all pairs of dtypes, and strided copies. */
#include "test.h"

#include "backend/cpu/movement/convert.h"
#include "base/isa.h"
#include "base/memory.h"
#include "tensor/dtype.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value of any dtype, exact: long double holds 64-bit integers and doubles (on x86 and 64-bit ARM). */
typedef struct value {
    bool integer;
    long double re, im;
} value;

static value get(situ_dtype d, const void *p)
{
    value v = {!situ_dtype_is_float(d) && !situ_dtype_is_complex(d), 0, 0};
    uint64_t u;
    memcpy(&u, p, situ_dtype_size(d) < 8 ? situ_dtype_size(d) : 8);
    if (d == SITU_U64) {
        v.re = (long double)u;
    } else if (v.integer) {
        v.re = (long double)situ_element_get_i64(d, p);
    } else {
        situ_c128 c = situ_element_get_c128(d, p);
        v.re = c.re;
        v.im = c.im;
    }
    return v;
}

static long double rounded(long double x, int bits, int low, long double most)
{
    int e;
    if (x == 0 || !isfinite(x)) return x;
    frexpl(x, &e);
    int unit = e - bits > low ? e - bits : low;
    long double y = ldexpl(nearbyintl(ldexpl(x, -unit)), unit);
    return fabsl(y) > most ? copysignl(INFINITY, x) : y;
}

/* The cast as documented, in the widest types. */
static value cast(value v, situ_dtype to)
{
    value out = {true, v.re, 0};
    switch (to) {
    case SITU_BOOL: out.re = v.re != 0 || v.im != 0; return out;
    case SITU_F16: out.re = rounded(v.re, 11, -24, 65504); break;
    case SITU_BF16: out.re = rounded(v.re, 8, -133, 0x1.fep127L); break;
    case SITU_F32: out.re = (float)v.re; break;
    case SITU_F64: out.re = (double)v.re; break;
    case SITU_C64: out.re = (float)v.re, out.im = (float)v.im; break;
    case SITU_C128: out.re = (double)v.re, out.im = (double)v.im; break;
    default: {
        int bits = 8 * (int)situ_dtype_size(to);
        bool sign = situ_dtype_is_signed(to);
        long double low = sign ? -ldexpl(1, bits - 1) : 0, above = ldexpl(1, sign ? bits - 1 : bits);
        if (v.integer) {
            out.re = fmodl(v.re, ldexpl(1, bits)); /* exact */
            if (out.re < low) out.re += ldexpl(1, bits);
            if (out.re >= above) out.re -= ldexpl(1, bits);
        } else {
            out.re = isnan(v.re) ? 0 : v.re < low ? low : v.re >= above ? above - 1 : truncl(v.re);
        }
        return out;
    }
    }
    out.integer = false;
    return out;
}

static bool same(long double a, long double b, bool integer)
{
    if (integer) return a == b;
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static uint64_t random_state = 42;
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

enum { N = 1000 };

/* Random bits; every second float has moderate size or is near an end of an integer's range. */
static void fill(situ_dtype d, unsigned char *p)
{
    static const double edges[] = {0,
                                   -0.0,
                                   0.5,
                                   -0.5,
                                   127,
                                   128,
                                   255.5,
                                   256,
                                   -128.5,
                                   -129,
                                   32767.9,
                                   32768,
                                   65535.5,
                                   65536,
                                   2147483647,
                                   2147483648,
                                   -2147483649.0,
                                   4294967295,
                                   4294967296,
                                   9.3e18,
                                   -9.3e18,
                                   1.8446744073709552e19,
                                   9.223372036854775e18,
                                   1e300,
                                   -1e300,
                                   INFINITY,
                                   -INFINITY,
                                   NAN,
                                   16777217,
                                   65519,
                                   65520,
                                   1e-7,
                                   3e-8,
                                   1e-40,
                                   1e-320,
                                   3.4028235e38};
    size_t size = situ_dtype_size(d);
    bool floating = situ_dtype_is_float(d) || situ_dtype_is_complex(d);
    for (int i = 0; i < N; i++, p += size) {
        uint64_t bits[2] = {next_random(), next_random()};
        memcpy(p, bits, size);
        if (d == SITU_BOOL) *p = i % 3 ? i % 3 == 1 ? 1 : *p : 0;
        if (floating && i % 2) situ_element_set_f64(d, p, ldexp((double)(int64_t)bits[0], -(int)(bits[1] % 70)));
        if (floating && i % 20 == 3) situ_element_set_f64(d, p, edges[bits[1] % (sizeof edges / sizeof edges[0])]);
        if (d >= SITU_I64 - 4 && d <= SITU_I64 && i % 7 == 0)
            situ_element_set_i64(d, p, (int64_t)(bits[0] >> bits[1] % 64));
    }
}

static void check_pair(situ_dtype from, situ_dtype to, int64_t n)
{
    static unsigned char in[N * 16 + 1], out[N * 16 + 64];
    size_t a = situ_dtype_size(from), b = situ_dtype_size(to);
    fill(from, in);
    memset(out, 0xa5, sizeof out);
    situ_convert_fn convert = situ_convert(from, to);
    if (!CHECK(convert != NULL)) return;
    convert(out, in, n);
    for (int64_t i = 0; i < n; i++) {
        value want = cast(get(from, in + (size_t)i * a), to), is = get(to, out + (size_t)i * b);
        if (to == SITU_BOOL) is.re = out[i]; /* as stored */
        if (!CHECK(same(is.re, want.re, want.integer) && same(is.im, want.im, want.integer))) {
            test_check_near((double)is.re, (double)want.re, 0, situ_dtype_name(from), (int)i, situ_dtype_name(to));
            return;
        }
    }
    for (size_t i = (size_t)n * b; i < (size_t)n * b + 64 && i < sizeof out; i++)
        if (!CHECK_EQ(out[i], 0xa5)) return; /* nothing beyond the end */
}

TEST(casts_follow_the_text)
{
    const int64_t lengths[] = {N, 0, 1, 31, 33, 300};
    for (int isa = 0; isa < 2; isa++) {
        situ_isa_limit(isa ? SITU_ISA_AVX512 : SITU_ISA_BASELINE);
        for (int from = 0; from < SITU_DTYPES; from++)
            for (int to = 0; to < SITU_DTYPES; to++)
                for (int i = 0; i < 6; i++) check_pair((situ_dtype)from, (situ_dtype)to, lengths[i]);
    }
    CHECK(!situ_convert(SITU_DTYPE_DEFAULT, SITU_F32));
    CHECK(!situ_convert(SITU_F32, SITU_DTYPE_DEFAULT));
}

/* Single elements and arrays are cast alike. */
TEST(casts_of_elements_agree)
{
    unsigned char in[16 * N], out[16], element[16];
    for (int from = SITU_F16; from <= SITU_F64; from++) {
        fill((situ_dtype)from, in);
        for (int to = 0; to < SITU_DTYPES; to++)
            for (int i = 0; i < N; i++) {
                const unsigned char *p = in + (size_t)i * situ_dtype_size((situ_dtype)from);
                double x = situ_element_get_f64((situ_dtype)from, p);
                situ_convert((situ_dtype)from, (situ_dtype)to)(out, p, 1);
                situ_element_set_f64((situ_dtype)to, element, x);
                if (!isnan(x) && !CHECK(!memcmp(out, element, situ_dtype_size((situ_dtype)to)))) return;
            }
    }
}

/* ---------------------------------------------------------------- strided copies */

static int64_t offset(int ndim, const int64_t *dim, const int64_t *stride, int64_t k)
{
    int64_t at = 0;
    for (int i = ndim; i-- > 0; k /= dim[i]) at += k % dim[i] * stride[i];
    return at;
}

static int64_t pick(int64_t n) { return (int64_t)(next_random() % (uint64_t)n); }

enum { SPACE = 1 << 16 };
static char space[2 * SPACE], copy[2 * SPACE], packed[SPACE + 64];

/* A random layout in the middle of `space`: permuted, reversed, with gaps, some axes broadcast. */
static int random_layout(int64_t size, int64_t *dim, int64_t *stride, int64_t *count, bool broadcast)
{
    int ndim = (int)pick(5), order[4] = {0, 1, 2, 3};
    int64_t step = size;
    *count = 1;
    for (int i = 0; i < ndim; i++) {
        int j = i + (int)pick(4 - i), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    int rank[4], k = 0;
    for (int v = 0; v < 4; v++) /* the order among the axes there are */
        for (int i = 0; i < ndim; i++)
            if (order[i] == v) rank[k++] = i;
    int64_t most = ndim <= 2 ? 45 : 9; /* times a gap of 2: less than 100 */
    for (int i = 0; i < ndim; i++) {
        int axis = rank[i];
        dim[axis] = 1 + pick(most);
        if (broadcast && pick(5) == 0) {
            stride[axis] = 0;
        } else {
            int64_t gap = pick(4) ? 1 : 1 + pick(2);
            stride[axis] = step * gap * (pick(5) ? 1 : -1);
            step *= dim[axis] * gap;
        }
        *count *= dim[axis];
        if (step > SPACE / 100) most = 1; /* the rest is small */
    }
    return ndim;
}

/* Streamed results: whole tiles, remaining rows and columns, memory that does not start at a cache line. */
TEST(gather_turns_large_matrices)
{
    const int64_t rows = 2101, columns = 1600, bytes = rows * columns * 4;
    char *from = situ_aligned_alloc(64, (size_t)bytes), *to = situ_aligned_alloc(64, (size_t)bytes + 64);
    if (!CHECK(from && to)) return;
    for (int64_t i = 0; i < bytes; i += 8) memcpy(from + i, &(uint64_t){next_random()}, 8);
    for (int64_t size = 1; size <= 16; size *= 2)
        for (int64_t apart = 0; apart <= size; apart += size) {
            int64_t n = rows * columns * 4 / size, dim[2] = {n / columns, columns}, stride[2] = {size, n / columns * size}, count = dim[0] * dim[1];
            situ_strided_stream(to + apart, from, size, 2, dim, stride, 0, count);
            for (int64_t k = 0; k < count; k++)
                if (!CHECK(!memcmp(to + apart + k * size, from + k / columns * size + k % columns * stride[1], (size_t)size))) return;
        }
    situ_aligned_free(from);
    situ_aligned_free(to);
}

/* Tiles where other axes lie between the one that is contiguous and the last: from anywhere to anywhere. */
TEST(gather_turns_outer_axes)
{
    enum { ALL = 3 * 70 * 5 * 40 };
    static char from[ALL * 16], to[ALL * 16 + 64], back[ALL * 16];
    for (size_t i = 0; i < sizeof from; i++) from[i] = (char)next_random();
    for (int64_t size = 1; size <= 16; size *= 2)
        for (int t = 0; t < 60; t++) {
            int64_t dim[4] = {3, 70, 5, 40}, stride[4] = {350 * 40 * size, size, 70 * size, 350 * size}; /* of [3, 40, 5, 70] */
            int64_t first = t ? pick(ALL) : 0, n = t ? 1 + pick(ALL - first) : ALL;
            memset(to, 0x5a, sizeof to);
            (t % 2 ? situ_strided_read : situ_strided_stream)(to, from, size, 4, dim, stride, first, n);
            for (int64_t k = 0; k < n; k++)
                if (!CHECK(!memcmp(to + k * size, from + offset(4, dim, stride, first + k), (size_t)size))) return;
            for (int k = 0; k < 64; k++) CHECK_EQ(to[n * size + k], 0x5a);
            situ_strided_write(back, to, size, 4, dim, stride, first, n);
            for (int64_t k = 0; k < n; k++)
                if (!CHECK(!memcmp(to + k * size, back + offset(4, dim, stride, first + k), (size_t)size))) return;
        }
}

TEST(gather_reads_any_layout)
{
    const int64_t sizes[] = {1, 2, 4, 8, 16, 3};
    for (int i = 0; i < 2 * SPACE; i++) space[i] = (char)next_random();
    for (int t = 0; t < 6000; t++) {
        int64_t dim[8], stride[8], count, size = sizes[t % 6];
        int ndim = random_layout(size, dim, stride, &count, true);
        if (count * size > SPACE) continue;
        int64_t first = pick(count), n = t % 3 ? 1 + pick(count - first) : count - first;
        if (t % 4 == 0) first = 0, n = count;
        memset(packed, 0x5a, sizeof packed);
        situ_strided_read(packed, space + SPACE, size, ndim, dim, stride, first, n);
        for (int64_t k = 0; k < n; k++)
            if (!CHECK(!memcmp(packed + k * size, space + SPACE + offset(ndim, dim, stride, first + k), (size_t)size)))
                return;
        for (int k = 0; k < 32; k++) CHECK_EQ(packed[n * size + k], 0x5a);
    }
}

TEST(scatter_writes_any_layout)
{
    const int64_t sizes[] = {1, 2, 4, 8, 16, 3};
    for (int i = 0; i < SPACE; i++) packed[i] = (char)next_random();
    for (int t = 0; t < 3000; t++) {
        int64_t dim[8], stride[8], count, size = sizes[t % 6];
        int ndim = random_layout(size, dim, stride, &count, false);
        if (count * size > SPACE) continue;
        int64_t first = pick(count), n = 1 + pick(count - first);
        if (t % 4 == 0) first = 0, n = count;
        memset(space, 0x33, sizeof space);
        memset(copy, 0x33, sizeof copy);
        situ_strided_write(space + SPACE, packed, size, ndim, dim, stride, first, n);
        for (int64_t k = 0; k < n; k++)
            memcpy(copy + SPACE + offset(ndim, dim, stride, first + k), packed + k * size, (size_t)size);
        if (!CHECK(!memcmp(space, copy, sizeof space))) return;
    }
}
