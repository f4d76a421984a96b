/* Arithmetic of 8- and 16-bit integers, and comparisons of f16 and bf16, in their own width, for groups that wrap or
 * round each result: the same bits with more lanes in a vector. Operations that are equal for both signs exist once;
 * bool's kernels serve where they apply to bytes. */
typedef uint8_t n8_V __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef int8_t s8_V __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef uint16_t n16_V __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef int16_t s16_V __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
typedef uint8_t n16_B __attribute__((vector_size(VECTOR_BYTES / 2), aligned(1), may_alias));

/* The last elements, less than a vector: pads them to a vector. Operands have `wide` bytes, results `narrow`. */
static __attribute__((noinline)) void narrow_rest(
    situ_tile_fn kernel, char *out, const char *a, const char *b, int n, int wide, int narrow)
{
    char part[3][VECTOR_BYTES] = {{0}};
    memcpy(part[0], a, (size_t)(n * wide));
    memcpy(part[1], b, (size_t)(n * wide));
    kernel(part[2], part[0], part[1], NULL, VECTOR_BYTES / wide);
    memcpy(out, part[2], (size_t)(n * narrow));
}

/* V: vector type of operands; R: of the result, with as many elements. two: there is an operand B. */
#define NARROW(id, V, R, two, value) \
    static void id(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        enum { LANES_ = VECTOR_BYTES / sizeof((V){0}[0]), WIDE_ = sizeof((V){0}[0]), OUT_ = sizeof(R) / LANES_ }; \
        const char *x = a, *y = two ? b : a; \
        char *o = out; \
        (void)c; \
        for (; n >= LANES_; n -= LANES_, x += VECTOR_BYTES, y += VECTOR_BYTES, o += sizeof(R)) { \
            const V A = *(const V *)(const void *)x, B = *(const V *)(const void *)y; \
            (void)B; \
            *(R *)(void *)o = value; \
        } \
        if (n > 0) narrow_rest(id, o, x, y, n, WIDE_, OUT_); \
    }
#define NARROW_BOTH(id, two, value) \
    NARROW(n8_##id, n8_V, n8_V, two, value) \
    NARROW(n16_##id, n16_V, n16_V, two, value)
#define NARROW_ONE(P, V, id, value) NARROW(P##id, V, V, 0, (V)(value))
#define NARROW_ENDS(P, V, lanes) \
    NARROW(P##maximum, V, V, 1, (V)lanes##_larger(A, B)) \
    NARROW(P##minimum, V, V, 1, (V)lanes##_smaller(A, B)) \
    static void P##clip(void *out, const void *a, const void *b, const void *c, int n) \
    { \
        enum { LANES_ = VECTOR_BYTES / sizeof((V){0}[0]) }; \
        const char *x = a, *low = b, *high = c; \
        char *o = out, larger[VECTOR_BYTES]; \
        for (; n >= LANES_; n -= LANES_, x += sizeof(V), low += sizeof(V), high += sizeof(V), o += sizeof(V)) { \
            const V A = *(const V *)(const void *)x, B = *(const V *)(const void *)low, C = *(const V *)(const void *)high, \
                    most = (V)lanes##_larger(A, B); \
            *(V *)(void *)o = (V)lanes##_smaller(most, C); \
        } \
        if (n <= 0) return; \
        P##maximum(larger, x, low, NULL, n); \
        P##minimum(o, larger, high, NULL, n); \
    }
#define TRUTH_8(m) ((n8_V)(m)&1)
#define TRUTH_16(m) (__builtin_convertvector((n16_V)(m), n16_B) & 1)
#define NARROW_TESTS(P, V, R, TRUTH) \
    NARROW(P##less, V, R, 1, TRUTH(A < B)) \
    NARROW(P##less_equal, V, R, 1, TRUTH(A <= B))

NARROW_BOTH(add, 1, A + B)
NARROW_BOTH(sub, 1, A - B)
/* Products of bytes, by 16-bit products of even and odd bytes. */
NARROW(n8_mul, n8_V, n8_V, 1, (n8_V)((((n16_V)A * (n16_V)B) & 0xff) | (((n16_V)A >> 8) * ((n16_V)B & 0xff00))))
NARROW(n16_mul, n16_V, n16_V, 1, A *B)
NARROW_BOTH(negative, 0, -A)
NARROW_BOTH(bitwise_invert, 0, ~A)
NARROW(n16_bitwise_and, n16_V, n16_V, 1, A &B)
NARROW(n16_bitwise_or, n16_V, n16_V, 1, A | B)
NARROW(n16_bitwise_xor, n16_V, n16_V, 1, A ^ B)
NARROW(n16_equal, n16_V, n16_B, 1, TRUTH_16(A == B))
NARROW(n16_not_equal, n16_V, n16_B, 1, TRUTH_16(A != B))
NARROW_ENDS(n8_, n8_V, u8)
NARROW_ENDS(s8_, s8_V, i8)
NARROW_ENDS(n16_, n16_V, u16)
NARROW_ENDS(s16_, s16_V, i16)
NARROW_TESTS(n8_, n8_V, n8_V, TRUTH_8)
NARROW_TESTS(s8_, s8_V, n8_V, TRUTH_8)
NARROW_TESTS(n16_, n16_V, n16_B, TRUTH_16)
NARROW_TESTS(s16_, s16_V, n16_B, TRUTH_16)
NARROW_ONE(s8_, s8_V, abs, (A & ~(A < 0)) | (-A & (A < 0)))
NARROW_ONE(s16_, s16_V, abs, (A & ~(A < 0)) | (-A & (A < 0)))
NARROW_ONE(s8_, s8_V, sign, (A < 0) - (A > 0))
NARROW_ONE(s16_, s16_V, sign, (A < 0) - (A > 0))
NARROW_ONE(n8_, n8_V, sign, (A != 0) & 1)
NARROW_ONE(n16_, n16_V, sign, (A != 0) & 1)
NARROW_ONE(s8_, s8_V, relu, A &(A > 0))
NARROW_ONE(s16_, s16_V, relu, A &(A > 0))

/* Shifts by more than the width, or by negative counts, give 0 or the sign; so do these instructions. Bytes are shifted
 * as 16-bit words. */
NARROW(n16_shift_left, n16_V, n16_V, 1, (n16_V)u16_shift_left(A, B))
NARROW(n16_shift_right, n16_V, n16_V, 1, (n16_V)u16_shift_right(A, B))
NARROW(s16_shift_right, n16_V, n16_V, 1, (n16_V)i16_shift_right(A, B))
#define LOW(x) ((n16_V)(x)&0xff)
#define HIGH(x) ((n16_V)(x)&0xff00)
#define BYTES_SHIFTED(high, low) ((n8_V)(HIGH(high) | LOW(low)))
#define BY_HIGH ((n16_V)B >> 8)
NARROW(n8_shift_left, n8_V, n8_V, 1, BYTES_SHIFTED((n16_V)u16_shift_left(HIGH(A), BY_HIGH), (n16_V)u16_shift_left(A, LOW(B))))
NARROW(n8_shift_right, n8_V, n8_V, 1, BYTES_SHIFTED((n16_V)u16_shift_right(A, BY_HIGH), (n16_V)u16_shift_right(LOW(A), LOW(B))))
NARROW(s8_shift_right, n8_V, n8_V, 1,
    BYTES_SHIFTED((n16_V)i16_shift_right(A, BY_HIGH), (n16_V)i16_shift_right((n16_V)A << 8, LOW(B)) >> 8))

static void n8_same(void *out, const void *a, const void *b, const void *c, int n)
{
    (void)b, (void)c;
    memmove(out, a, (size_t)n);
}
static void n16_same(void *out, const void *a, const void *b, const void *c, int n) { n8_same(out, a, b, c, 2 * n); }

/* Comparisons with f16 and bf16 bits; a NaN becomes quiet, as in conversions. */
#define HALF_IS(bits, above) ((n16_V)((s16_V)(bits) > (s16_V)((n16_V){0} + (above))))
#define HALF_NAN(inf) HALF_IS(A & 0x7fff, inf)
#define HALF_SIGNS(P, inf, quiet, one) \
    NARROW(P##negative, n16_V, n16_V, 0, (A ^ 0x8000) | (HALF_NAN(inf) & quiet)) \
    NARROW(P##abs, n16_V, n16_V, 0, (A & 0x7fff) | (HALF_NAN(inf) & quiet)) \
    NARROW(P##copysign, n16_V, n16_V, 1, (A & 0x7fff) | (B & 0x8000) | (HALF_NAN(inf) & quiet)) \
    NARROW(P##relu, n16_V, n16_V, 0, (A & (HALF_IS(A, 0) | HALF_NAN(inf))) | (HALF_NAN(inf) & quiet)) \
    NARROW(P##sign, n16_V, n16_V, 0, \
        (A & (0x8000 | HALF_NAN(inf))) | (HALF_NAN(inf) & quiet) | (HALF_IS(A & 0x7fff, 0) & ~HALF_NAN(inf) & one))
HALF_SIGNS(half_, 0x7c00, 0x0200, 0x3c00)
HALF_SIGNS(brain_, 0x7f80, 0x0040, 0x3f80)
#define HALF_ROWS(P) \
    [SITU_EL_negative] = P##negative, [SITU_EL_abs] = P##abs, [SITU_EL_copysign] = P##copysign, [SITU_EL_relu] = P##relu, \
    [SITU_EL_sign] = P##sign

#define NARROW_ROWS(P, S) \
    [SITU_EL_add] = P##add, [SITU_EL_sub] = P##sub, [SITU_EL_mul] = P##mul, [SITU_EL_negative] = P##negative, \
    [SITU_EL_bitwise_invert] = P##bitwise_invert, [SITU_EL_maximum] = S##maximum, [SITU_EL_minimum] = S##minimum, \
    [SITU_EL_less] = S##less, [SITU_EL_less_equal] = S##less_equal, [SITU_EL_sign] = S##sign, [SITU_EL_clip] = S##clip, \
    [SITU_EL_positive] = P##same, [SITU_EL_bitwise_left_shift] = P##shift_left, [SITU_EL_bitwise_right_shift] = S##shift_right
#define NARROW_BYTES \
    [SITU_EL_bitwise_and] = bool_tile_bitwise_and, [SITU_EL_bitwise_or] = bool_tile_bitwise_or, \
    [SITU_EL_bitwise_xor] = bool_tile_bitwise_xor, [SITU_EL_equal] = bool_tile_equal, [SITU_EL_not_equal] = bool_tile_not_equal, \
    [SITU_EL_where] = bool_tile_where
#define NARROW_WORDS \
    [SITU_EL_bitwise_and] = n16_bitwise_and, [SITU_EL_bitwise_or] = n16_bitwise_or, [SITU_EL_bitwise_xor] = n16_bitwise_xor, \
    [SITU_EL_equal] = n16_equal, [SITU_EL_not_equal] = n16_not_equal
/* rows: u8, i8, u16, i16, f16, bf16 */
static const situ_tile_fn narrow[6][SITU_EL_COUNT] = {
    {NARROW_ROWS(n8_, n8_), NARROW_BYTES, [SITU_EL_abs] = n8_same, [SITU_EL_relu] = n8_same},
    {NARROW_ROWS(n8_, s8_), NARROW_BYTES, [SITU_EL_abs] = s8_abs, [SITU_EL_relu] = s8_relu},
    {NARROW_ROWS(n16_, n16_), NARROW_WORDS, [SITU_EL_abs] = n16_same, [SITU_EL_relu] = n16_same},
    {NARROW_ROWS(n16_, s16_), NARROW_WORDS, [SITU_EL_abs] = s16_abs, [SITU_EL_relu] = s16_relu},
    {HALF_ROWS(half_)},
    {HALF_ROWS(brain_)},
};
