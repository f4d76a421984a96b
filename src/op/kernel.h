/* One body for all devices. A structured operation that does the same at each position is written once, between the
 * braces of SITU_KERNEL: compiled here for the host, quoted into OpenCL and CUDA by codegen/call_kernel.c. The
 * operation names it:
 *
 *     SITU_KERNEL(turn, SITU_BY_SIZE, (), {
 *         EACH_J OUT[row * K.inner + j] = IN0[row * K.inner + (j + K.inner - (i64_F)WORD(0)) % K.inner];
 *     })
 *     static void turn_shape(const situ_call_desc *c, struct turn *k) { ... }      // fills K
 *     const situ_op situ_op_turn = {.name = "turn", ..., SITU_ONE_KERNEL(turn)};
 *
 * Positions are (o, i, j) in [K.outer, K.rows, K.inner]; row is o * K.rows + i. The host walks along j, a GPU has a
 * work-item for each position. What stands behind EACH_J is done for each j; what stands before it does not depend on
 * j. The list in parentheses has further fields of K, all of them i64_F. Where several positions write one result,
 * K.ordered says that all i of one (o, j) are done in order, on what operand 0 holds or on zeros; the body then writes
 * by PUT and ADD_TO.
 *
 * In a body: OUT, IN0, IN1, IN2, pointers to elements; E, the type of OUT's; WORD(k), a run-time word, u64_F; KEY(x),
 * of an element of IN0's type, u64_F in the same order (host.h); PER_J(T, name), a variable for each j, and J(name),
 * that of j; INDEX(k, n), element k of IN1 as an index into n (from the end where K.from_end and negative), -1 with
 * the fault set where there is no such element; MISSING, what stands in for it; PUT(at, x), ADD_TO(at, x): element j
 * of slice `at` of K.n becomes x, or x is added to it; MINE(all, some): a bound of a loop, which is `some` where a
 * work-item computes slice `mine` alone. No lines of the preprocessor; no `continue` but in loops of the body's own.
 *
 * SITU_KERNEL_WORDS has one more argument, a text that defines what bodies share: SITU_DEFINED(NAME), with the
 * arguments of a macro that has some. */
#ifndef SITU_OP_KERNEL_H
#define SITU_OP_KERNEL_H

#include "op/host.h"

enum { SITU_KERNEL_FIELDS = 24 };

/* The first fields of every K. */
typedef struct situ_domain {
    int64_t outer, rows, inner, n, from_end, ordered, work; /* work: cost of a position, in simple operations */
} situ_domain;
enum { SITU_KERNEL_BESIDE = 64 }; /* most j at a time, in kernels with keys */
/* K.ordered. From zero: of each result, a GPU does only what MINE leaves. */
enum { SITU_ANY_ORDER, SITU_IN_ORDER, SITU_FROM_ZERO };

/* A call running on the host. If several indices are out of range, any of them may be reported. */
typedef struct situ_part {
    int64_t k[SITU_KERNEL_FIELDS];
    const situ_call_desc *call;
    const situ_host *host;
    char *out;
    const char *in[3];
    situ_dtype index; /* dtype of IN1 */
    char missing[16];
    uint64_t flip, infinity; /* for KEY: the sign bit of signed integers; the bits of a float's infinity */
} situ_part;

typedef struct situ_kernel {
    const char *fields, *text; /* as written: "(kh, kw)" */
    const char *words;         /* definitions before the text */
    int count;                 /* number of K's additional fields */
    void (*shape)(const situ_call_desc *c, int64_t *k);
    void (*run[SITU_DTYPES])(const situ_part *part, int64_t first, int64_t end); /* [dtype of operand 0] implementation */
} situ_kernel;

void situ_kernel_shape(const situ_call_desc *c, int64_t *k);
void situ_kernel_host(const situ_call_desc *c, char *const *address, const situ_host *h);

#define SITU_ONE_KERNEL(id) .kernel = &id##_kernel, .host = situ_kernel_host

#define SITU_QUOTED_(...) #__VA_ARGS__
#define SITU_QUOTED(...) SITU_QUOTED_(__VA_ARGS__)
#define SITU_DEFINED(...) "#define " #__VA_ARGS__ " " SITU_QUOTED(__VA_ARGS__) "\n"
#define SITU_KERNEL(id, TYPES, fields_, ...) SITU_KERNEL_(id, TYPES, fields_, "", #__VA_ARGS__, __VA_ARGS__)
#define SITU_KERNEL_WORDS(id, TYPES, fields_, words_, ...) SITU_KERNEL_(id, TYPES, fields_, words_, #__VA_ARGS__, __VA_ARGS__)
#define SITU_KERNEL_(id, TYPES, fields_, words_, text_, ...) \
    SITU_KERNEL_SHAPE_(id, fields_) \
    TYPES##_FUNCTIONS_(id, __VA_ARGS__) static const situ_kernel id##_kernel = { \
        #fields_, text_, words_, sizeof(struct id) / 8, id##_shape_, {TYPES##_TABLE_(id)}};

#define SITU_KERNEL_FIELDS_(...) __VA_OPT__(int64_t __VA_ARGS__;)
#define SITU_KERNEL_SHAPE_(id, fields_) \
    struct id { \
        int64_t outer, rows, inner, n, from_end, ordered, work; \
        SITU_KERNEL_FIELDS_ fields_ \
    }; \
    _Static_assert(sizeof(struct id) <= 8 * SITU_KERNEL_FIELDS, "fields"); \
    static void id##_shape(const situ_call_desc *c, struct id *k); \
    static void id##_shape_(const situ_call_desc *c, int64_t *k) { id##_shape(c, (struct id *)(void *)k); }

/* ---- definitions for the host --------------------------------------------------------------------------------------- */

typedef int64_t i64_F;
typedef uint64_t u64_F;
typedef uint32_t u32_F;
typedef struct situ_pair {
    uint64_t a, b;
} situ_pair;

/* R_: type of results; E_: of operands; keys_: what KEY makes of these. */
#define SITU_KERNEL_FUNCTION_(id, name, R_, E_, keys_, ...) \
    static inline __attribute__((always_inline)) void id##_each_##name(const situ_part *part_, const struct id K, \
        R_ *restrict OUT, const E_ *IN0, const E_ *IN1, const E_ *IN2, R_ MISSING, int64_t first_, int64_t end_) \
    { \
        typedef R_ E __attribute__((unused)); \
        const int keys = keys_; \
        int64_t row = first_ / K.inner, o = row / K.rows, i = row % K.rows, from_ = first_ % K.inner, left_ = end_ - first_, to_; \
        (void)part_, (void)OUT, (void)IN0, (void)IN1, (void)IN2, (void)MISSING, (void)keys; \
        for (; left_ > 0; i = 0, o++) \
            for (; i < K.rows && left_ > 0; i++, row++, from_ = 0) { \
                if (K.inner == 1) from_ = 0; \
                do { \
                    to_ = K.inner == 1 || from_ + left_ >= K.inner ? K.inner : from_ + left_; \
                    if (keys != SITU_NO_KEY && to_ - from_ > SITU_KERNEL_BESIDE) to_ = from_ + SITU_KERNEL_BESIDE; \
                    __VA_ARGS__ \
                    left_ -= to_ - from_; \
                } while (keys != SITU_NO_KEY && left_ > 0 && (from_ = to_) < K.inner); \
            } \
    } \
    static void id##_##name(const situ_part *part_, int64_t first_, int64_t end_) \
    { \
        struct id k = *(const struct id *)(const void *)part_->k; \
        const void *const *in = (const void *const *)part_->in; \
        R_ missing; \
        memcpy(&missing, part_->missing, sizeof missing); \
        if (k.inner != 1) id##_each_##name(part_, k, (R_ *)(void *)part_->out, in[0], in[1], in[2], missing, first_, end_); \
        else k.inner = 1, id##_each_##name(part_, k, (R_ *)(void *)part_->out, in[0], in[1], in[2], missing, first_, end_); \
    }
#define EACH_J for (int64_t j = from_; j < to_; j++)
#define WORD(k) part_->host->word[k]
#define INDEX(k, n) situ_host_index(part_->host, part_->index, part_->in[1], k, n, !K.from_end)
#define PUT(at, x) OUT[(o * K.n + (at)) * K.inner + j] = (x)
#define ADD_TO(at, x) OUT[(o * K.n + (at)) * K.inner + j] += (x)
#define MINE(all, some) (all)
#define PER_J(T, name) T name##_[SITU_KERNEL_BESIDE]
#define J(name) name##_[j - from_]
enum { SITU_NO_KEY, SITU_INTEGER_KEY, SITU_FLOAT_KEY };
#define KEY(x) \
    (keys == SITU_INTEGER_KEY ? (x) ^ part_->flip : \
                                situ_kernel_float_key(x, 1ull << (8 * sizeof(x) - 1), \
                                    sizeof(x) == 2     ? part_->infinity : \
                                        sizeof(x) == 4 ? 0x7f800000 : \
                                                         0x7ff0000000000000))
/* Of the bits of a float: negative numbers are mirrored below `sign`, NaN gets all bits. */
static inline uint64_t situ_kernel_float_key(uint64_t bits, uint64_t sign, uint64_t infinity)
{
    uint64_t magnitude = bits & (sign - 1);
    if (magnitude > infinity) return UINT64_MAX;
    return bits & sign ? sign - magnitude : sign + magnitude;
}

/* For kernels that only move elements: one instance for each element size. */
#define SITU_BY_SIZE_FUNCTIONS_(id, ...) \
    SITU_KERNEL_FUNCTION_(id, 1, uint8_t, uint8_t, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, 2, uint16_t, uint16_t, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, 4, uint32_t, uint32_t, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, 8, uint64_t, uint64_t, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, 16, situ_pair, situ_pair, SITU_NO_KEY, __VA_ARGS__)
#define SITU_BY_SIZE_TABLE_(id) \
    [SITU_BOOL] = id##_1, [SITU_U8] = id##_1, [SITU_I8] = id##_1, [SITU_U16] = id##_2, [SITU_I16] = id##_2, [SITU_F16] = id##_2, \
    [SITU_BF16] = id##_2, [SITU_U32] = id##_4, [SITU_I32] = id##_4, [SITU_F32] = id##_4, [SITU_U64] = id##_8, [SITU_I64] = id##_8, \
    [SITU_F64] = id##_8, [SITU_C64] = id##_8, [SITU_C128] = id##_16
/* For kernels that find positions by KEY: operands of any dtype in an order, results i64. */
#define SITU_POSITIONS_FUNCTIONS_(id, ...) \
    SITU_KERNEL_FUNCTION_(id, 1, int64_t, uint8_t, SITU_INTEGER_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, 2, int64_t, uint16_t, SITU_INTEGER_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, 4, int64_t, uint32_t, SITU_INTEGER_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, 8, int64_t, uint64_t, SITU_INTEGER_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, half, int64_t, uint16_t, SITU_FLOAT_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, f32, int64_t, uint32_t, SITU_FLOAT_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, f64, int64_t, uint64_t, SITU_FLOAT_KEY, __VA_ARGS__)
#define SITU_POSITIONS_TABLE_(id) \
    [SITU_BOOL] = id##_1, [SITU_U8] = id##_1, [SITU_I8] = id##_1, [SITU_U16] = id##_2, [SITU_I16] = id##_2, \
    [SITU_F16] = id##_half, [SITU_BF16] = id##_half, [SITU_U32] = id##_4, [SITU_I32] = id##_4, [SITU_F32] = id##_f32, \
    [SITU_U64] = id##_8, [SITU_I64] = id##_8, [SITU_F64] = id##_f64
/* For kernels that compute with floats, after casts: one instance for each. */
#define SITU_FLOATS_FUNCTIONS_(id, ...) \
    SITU_KERNEL_FUNCTION_(id, f32, float, float, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, f64, double, double, SITU_NO_KEY, __VA_ARGS__)
#define SITU_FLOATS_TABLE_(id) [SITU_F32] = id##_f32, [SITU_F64] = id##_f64
/* Complex numbers have two parts, .re and .im: for kernels that take them, that give them, and that do both. */
#define SITU_FROM_COMPLEX_FUNCTIONS_(id, ...) \
    SITU_KERNEL_FUNCTION_(id, c64, float, situ_c64, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, c128, double, situ_c128, SITU_NO_KEY, __VA_ARGS__)
#define SITU_FROM_COMPLEX_TABLE_(id) [SITU_C64] = id##_c64, [SITU_C128] = id##_c128
#define SITU_TO_COMPLEX_FUNCTIONS_(id, ...) \
    SITU_KERNEL_FUNCTION_(id, f32, situ_c64, float, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, f64, situ_c128, double, SITU_NO_KEY, __VA_ARGS__)
#define SITU_TO_COMPLEX_TABLE_(id) SITU_FLOATS_TABLE_(id)
#define SITU_COMPLEX_FUNCTIONS_(id, ...) \
    SITU_KERNEL_FUNCTION_(id, c64, situ_c64, situ_c64, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, c128, situ_c128, situ_c128, SITU_NO_KEY, __VA_ARGS__)
#define SITU_COMPLEX_TABLE_(id) SITU_FROM_COMPLEX_TABLE_(id)
#define SITU_NUMBERS_FUNCTIONS_(id, ...) \
    SITU_FLOATS_FUNCTIONS_(id, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, c64, float _Complex, float _Complex, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, c128, double _Complex, double _Complex, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, u32, uint32_t, uint32_t, SITU_NO_KEY, __VA_ARGS__) \
    SITU_KERNEL_FUNCTION_(id, u64, uint64_t, uint64_t, SITU_NO_KEY, __VA_ARGS__)
#define SITU_NUMBERS_TABLE_(id) \
    SITU_FLOATS_TABLE_(id), [SITU_C64] = id##_c64, [SITU_C128] = id##_c128, [SITU_U32] = id##_u32, [SITU_I32] = id##_u32, \
                            [SITU_U64] = id##_u64, [SITU_I64] = id##_u64

#endif
