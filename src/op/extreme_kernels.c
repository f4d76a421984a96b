/* Where the extreme of a line lies that is contiguous, the first of equal ones; NaN is
 * above all. Numbers become integers of the same order (rank), in which -0 and 0 are one; f32 and f64 stay what they are where the
 * processor has instructions for it. */
#include "base/isa.h"
#include "op/extreme.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { BYTES = 64 };
#elif defined(__AVX2__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 }; /* compilers compare wider vectors than there are element by element */
#endif
enum { CHUNK = 4096 }; /* bytes whose extreme is compared with that of those before them */

/* What a dtype's bits are: of floats infinity, of unsigned integers what turns their order into that of signed ones. */
#define RANKED(WORD, INT, BITS) \
    typedef INT WORD __attribute__((vector_size(BYTES))); \
    static inline WORD rank_of_##WORD(WORD x, bool largest, bool real, INT bits) \
    { \
        const INT most = (INT)(((uint64_t)1 << (BITS - 1)) - 1); \
        WORD sign = x >> (BITS - 1), is_nan = (x & most) > bits; \
        WORD k = real ? (x ^ (sign & most)) - sign : x ^ bits; \
        k = largest ? k : ~k; \
        return real ? (k & ~is_nan) | (is_nan & most) : k; \
    } \
    static int64_t find_##WORD(const char *x, int64_t n, bool largest, bool real, INT bits) \
    { \
        enum { LANES = BYTES / sizeof(INT), STEP = CHUNK / sizeof(INT) }; \
        INT best = (INT)((uint64_t)1 << (BITS - 1)), lane[LANES]; \
        int64_t at = 0; \
        for (int64_t first = 0; first < n; first += STEP) { \
            int64_t count = n - first < STEP ? n - first : STEP; \
            const char *from = x + first * (int64_t)sizeof(INT); \
            WORD word, top = (WORD){0} + best, tops[4] = {top, top, top, top}; \
            int64_t i = 0; \
            for (; i + 4 * LANES <= count; i += 4 * LANES) /* four do not wait for each other */ \
                _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++) \
                { \
                    memcpy(&word, from + (i + k * LANES) * (int64_t)sizeof(INT), BYTES); \
                    word = rank_of_##WORD(word, largest, real, bits); \
                    WORD above = word > tops[k]; \
                    tops[k] = (above & word) | (~above & tops[k]); \
                } \
            for (int k = 0; k < 4; k++) { \
                WORD above = tops[k] > top; \
                top = (above & tops[k]) | (~above & top); \
            } \
            for (; i + LANES <= count; i += LANES) { \
                memcpy(&word, from + i * (int64_t)sizeof(INT), BYTES); \
                word = rank_of_##WORD(word, largest, real, bits); \
                WORD above = word > top; \
                top = (above & word) | (~above & top); \
            } \
            if (count % LANES) { /* the first one stands in for what is not there */ \
                for (int64_t k = 0; k < LANES; k++) \
                    memcpy(&lane[k], from + (k < count % LANES ? i + k : 0) * (int64_t)sizeof(INT), sizeof(INT)); \
                memcpy(&word, lane, BYTES); \
                word = rank_of_##WORD(word, largest, real, bits); \
                WORD above = word > top; \
                top = (above & word) | (~above & top); \
            } \
            memcpy(lane, &top, BYTES); \
            INT most = best; \
            for (int k = 0; k < LANES; k++) most = lane[k] > most ? lane[k] : most; \
            if (most == best) continue; \
            best = most; \
            for (i = 0; i < count; i++) { \
                INT one; \
                uint64_t eight[BYTES / 8], any = 0; \
                if (i + LANES <= count) { /* vectors without it are passed over */ \
                    memcpy(&word, from + i * (int64_t)sizeof(INT), BYTES); \
                    word = rank_of_##WORD(word, largest, real, bits) == best; \
                    memcpy(eight, &word, BYTES); \
                    for (int k = 0; k < BYTES / 8; k++) any |= eight[k]; \
                    if (!any) { \
                        i += LANES - 1; \
                        continue; \
                    } \
                } \
                memcpy(&one, from + i * (int64_t)sizeof(INT), sizeof(INT)); \
                word = rank_of_##WORD((WORD){0} + one, largest, real, bits); \
                if (word[0] != best) continue; \
                at = first + i; \
                break; \
            } \
        } \
        return at; \
    }
RANKED(ints_8, int8_t, 8)
RANKED(ints_16, int16_t, 16)
RANKED(ints_32, int32_t, 32)
RANKED(ints_64, int64_t, 64)

#if defined(__x86_64__)
#if defined(__AVX512F__)
#define WIDE(T, name) _mm512_##name##_##T
#define APART(T, a, b) ((unsigned)_mm512_cmp_##T##_mask(a, b, _CMP_UNORD_Q))
#define SAME(T, a, b) ((unsigned)_mm512_cmp_##T##_mask(a, b, _CMP_EQ_OQ))
typedef __m512 wide_ps;
typedef __m512d wide_pd;
#elif defined(__AVX2__)
#define WIDE(T, name) _mm256_##name##_##T
#define APART(T, a, b) ((unsigned)_mm256_movemask_##T(_mm256_cmp_##T(a, b, _CMP_UNORD_Q)))
#define SAME(T, a, b) ((unsigned)_mm256_movemask_##T(_mm256_cmp_##T(a, b, _CMP_EQ_OQ)))
typedef __m256 wide_ps;
typedef __m256d wide_pd;
#else
#define WIDE(T, name) _mm_##name##_##T
#define APART(T, a, b) ((unsigned)_mm_movemask_##T(_mm_cmpunord_##T(a, b)))
#define SAME(T, a, b) ((unsigned)_mm_movemask_##T(_mm_cmpeq_##T(a, b)))
typedef __m128 wide_ps;
typedef __m128d wide_pd;
#endif
#define BETTER(a, b) (largest ? (a) > (b) : (a) < (b))

/* The last vector of a chunk begins before the end of the one before it, where it has to. */
#define REAL(REAL, T) \
    static inline wide_##T better_##T(wide_##T a, wide_##T b, bool largest) \
    { \
        return largest ? WIDE(T, max)(a, b) : WIDE(T, min)(a, b); \
    } \
    static int64_t find_##T(const REAL *x, int64_t n, bool largest) \
    { \
        enum { LANES = BYTES / sizeof(REAL), STEP = CHUNK / sizeof(REAL) }; \
        int64_t at = 0; \
        for (int64_t i = 0; n < LANES && i < n; i++) { \
            if (x[i] != x[i]) return i; \
            if (BETTER(x[i], x[at])) at = i; \
        } \
        REAL best = x[at], lane[LANES]; \
        for (int64_t first = 0; n >= LANES && first < n; first += STEP) { \
            const REAL *from = n - first < LANES ? x + n - LANES : x + first; \
            int64_t count = x + n - from < STEP ? x + n - from : STEP, i = 0; \
            wide_##T v[4], top[4]; \
            unsigned apart = 0; \
            for (int k = 0; k < 4; k++) top[k] = WIDE(T, set1)(best); \
            for (; i + 4 * LANES <= count; i += 4 * LANES) { \
                _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++) \
                { \
                    v[k] = WIDE(T, loadu)(from + i + k * LANES); \
                    top[k] = better_##T(top[k], v[k], largest); \
                } \
                apart |= APART(T, v[0], v[1]) | APART(T, v[2], v[3]); \
            } \
            for (; i < count; i += LANES) { \
                v[0] = WIDE(T, loadu)(from + (i + LANES <= count ? i : count - LANES)); \
                top[0] = better_##T(top[0], v[0], largest); \
                apart |= APART(T, v[0], v[0]); \
            } \
            for (i = 0; apart; i++) \
                if (from[i] != from[i]) return from - x + i; \
            top[0] = better_##T(better_##T(top[0], top[1], largest), better_##T(top[2], top[3], largest), largest); \
            WIDE(T, storeu)(lane, top[0]); \
            _Pragma("GCC unroll 4") for (int half = LANES / 2; half; half /= 2) \
                _Pragma("GCC unroll 8") for (int k = 0; k < half; k++) lane[k] = \
                    BETTER(lane[k + half], lane[k]) ? lane[k + half] : lane[k]; \
            if (lane[0] == best) continue; \
            best = lane[0]; \
            top[0] = WIDE(T, set1)(best); \
            for (unsigned same = 0; !same; i += LANES) { \
                const REAL *here = from + (i + LANES <= count ? i : count - LANES); \
                same = SAME(T, WIDE(T, loadu)(here), top[0]); \
                if (same) at = here - x + __builtin_ctz(same); \
            } \
        } \
        return at; \
    }
REAL(float, ps)
REAL(double, pd)
#define FIND_F32(most) find_ps((const float *)(const void *)x, n, most)
#define FIND_F64(most) find_pd((const double *)(const void *)x, n, most)
#else
#define FIND_F32(most) find_ints_32(x, n, most, true, 0x7f800000)
#define FIND_F64(most) find_ints_64(x, n, most, true, 0x7ff0000000000000)
#endif

int64_t SITU_OF_SET(situ_extreme)(situ_dtype dtype, const char *x, int64_t n, bool largest)
{
    switch (dtype) {
    case SITU_BOOL:
    case SITU_I8: return find_ints_8(x, n, largest, false, 0);
    case SITU_U8: return find_ints_8(x, n, largest, false, INT8_MIN);
    case SITU_I16: return find_ints_16(x, n, largest, false, 0);
    case SITU_U16: return find_ints_16(x, n, largest, false, INT16_MIN);
    case SITU_F16: return find_ints_16(x, n, largest, true, 0x7c00);
    case SITU_BF16: return find_ints_16(x, n, largest, true, 0x7f80);
    case SITU_F32: return largest ? FIND_F32(true) : FIND_F32(false);
    case SITU_I32: return find_ints_32(x, n, largest, false, 0);
    case SITU_U32: return find_ints_32(x, n, largest, false, INT32_MIN);
    case SITU_F64: return largest ? FIND_F64(true) : FIND_F64(false);
    case SITU_I64: return find_ints_64(x, n, largest, false, 0);
    case SITU_U64: return find_ints_64(x, n, largest, false, INT64_MIN);
    default: return -1;
    }
}
