/* Vectors of the instruction set that a file is compiled for (SITU_SET), and operations on them. Each set has a header
 * that defines:
 *
 *     VECTOR_BYTES                  size of a register: 16, 32 or 64; of longer registers a part is used
 *     f32_vector, F32_LANES         a vector of floats, of at most 64 bytes, and its number of elements; f64_ the same for doubles
 *     f32_zero(), f32_all(x)        all elements 0, or x
 *     f32_load(p), f32_store(p, v)  from and to any address
 *     f32_load_part(p, n)           the first n elements (all, if there are fewer), followed by zeros; nothing else is read
 *     f32_store_part(p, v, n)       the first n elements; nothing else is written
 *     f32_add(a, b)
 *     f32_fma(a, b, c)              a b + c, rounded once
 *
 * f32_fixed and f64_fixed are vectors of 32 bytes, whatever the set. The including file adds what depends on their
 * order:
 *
 *     f32_fixed_load(p), _store(p, v)
 *     f32_fixed_even(p)             p[0], p[2], ...
 *     f32_fixed_total(p)            sum of the lanes at p, added by halves
 *     f32_repeat(p)                 a native vector: the 32 bytes at p, repeated
 *     i16_fixed_load(p), _store(p, v), i16_fixed_of_i8(p), i16_fixed_pair(p)  16 integers; 16 bytes widened; a pair, repeated
 *     i32_fixed_zero(), i32_fixed_store(p, v), i32_fixed_pairs(a, b, sum)  8 integers; a[2i] b[2i] + a[2i + 1] b[2i + 1] + sum[i]
 *
 * Macros that say what a set has: SITU_HALVES: f32_half, vectors of floats of half the size, with f32_half_load,
 * _store, _load_part, _store_part, _fma, and f32_lower(v), the lower half of a vector. SITU_PAIRS: also f32_upper(v),
 * the upper half; f32_twice(h), h in both halves; f32_pair(a, b), the lower half of a and the upper half of b;
 * f32_join(p, q), the halves at p and at q. SITU_TWO_FIXED: a vector has 64 bytes; f32_two_fixed(p, q), the 32 bytes
 * at p and at q. SITU_TRANSPOSES: transposes of small blocks of floats by shuffles (simd/small_transpose.h).
 * SITU_TOTALS: sums of four vectors at once (simd/totals.h). SITU_FMA_CALLS: fma is a function.
 * SITU_REGISTERS: number of vector registers.
 *
 * Native vectors are VECTOR_BYTES long (a number that #if can read). Their operations have the prefixes v_ (float) and
 * w_ (double), under which math/vocabulary.inc names the operations of functions. In the baseline of x86-64 they are
 * half as long as f32_vector.
 *
 *     v_F, v_I, v_U, v_M            floats, signed and unsigned integers of 32 bits, and masks, whose lanes are 0 or -1
 *     v_constant(x), v_bits(v), v_from_bits(u), v_load(p), v_store(p, v), v_load_part(p, n), v_store_part(p, v, n)
 *     v_select(m, a, b), v_any(m)   a where the mask is set, else b; is any lane of it set?
 *     v_larger(a, b), v_smaller     b if one of them is NaN, or both are zero; one_larger and one_smaller do so for two floats
 *     v_fma, v_root                 w_plus_product(c, a, b) is c + a b, where a b is exact; also w_less_product, w_product_less
 *     v_low(v), v_high(v), v_join   halves of a vector of floats as doubles, and back; w_load_f32(p) loads floats as doubles
 *     v_stream(p, v), v_drain()     stores bypassing the caches, to an aligned address; the fence needed after such stores
 *     v_note_nans(f, a, b)          records in f, a v_nans, whether a or b contains a NaN; v_noted(f): whether one did
 *     vector_take(V, v, p, n)       replaces the first n lanes of v by n elements of 4 or 8 bytes at p
 *
 * SITU_LANE_BITS: v_unordered(a, b) and v_equal(a, b) return one bit for each lane. SITU_ROUNDS: v_whole(x,
 * ROUND_DOWN) etc. SITU_HALF_FLOATS: conversions of f16 and bf16: v_16(p), v_put_16, v_stream_16, v_to_f16,
 * v_from_f16, v_to_bf16, v_from_bf16; v_all_f16(p): the f16 at p in all lanes; v_from_i8(p), v_from_u4(p, high):
 * floats of bytes, or of the low or high four bits of each byte; SITU_IN_REGISTER: the constraint of inline assembly
 * for a vector. SITU_NARROW: u8_larger, u8_smaller, the same for i8, u16, i16; u16_shift_left, u16_shift_right,
 * i16_shift_right. SITU_MASKS: masks have registers of their own. SITU_SLOW_QUOTIENTS: a division takes longer than a
 * short polynomial. SITU_OTHER_CASTS: casts are those of another set (backend/cpu/movement/convert.h).
 *
 * Operations that only some kernels need: simd/keys.h (sorting, searching, choosing), simd/gather.h, simd/transpose.h,
 * simd/root.h. */
#ifndef SITU_SIMD_SIMD_H
#define SITU_SIMD_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "simd/fma.h"

#define SITU_WORD static inline __attribute__((always_inline, unused))

#ifdef SITU_SET
#define SITU_SIMD_SET SITU_SET
#else
#define SITU_SIMD_SET baseline
#endif
#define SITU_SIMD_HEADER(set) SITU_SIMD_HEADER_(set.h)
#define SITU_SIMD_HEADER_(file) #file
#include SITU_SIMD_HEADER(SITU_SIMD_SET)

#define SIMD_TOTAL(name, T) \
    static inline __attribute__((unused)) T name##_fixed_total(const T *p) \
    { \
        T lane[32 / sizeof(T)]; \
        memcpy(lane, p, sizeof lane); \
        for (int n = 16 / sizeof(T); n; n /= 2) \
            for (int i = 0; i < n; i++) lane[i] += lane[i + n]; \
        return lane[0]; \
    }
#ifndef f32_fixed_total
SIMD_TOTAL(f32, float)
#endif
SIMD_TOTAL(f64, double)

#ifndef vector_take
#define vector_take(V, v, p, n) \
    do { \
        if ((n) * sizeof *(p) == sizeof v) memcpy(&v, p, sizeof v); \
        else memcpy(&v, p, (size_t)(n) * sizeof *(p)); \
    } while (0)
#endif
#ifndef SITU_MASKS
typedef w_M w_choice;
SITU_WORD w_choice w_is_odd(w_U a) { return -(w_M)(a & 1u); }
SITU_WORD w_F w_pick(w_choice b, w_F x, w_F y) { return w_select(b, x, y); }
#endif
#ifndef w_pick_constant
#define w_pick_constant(b, x, y) w_pick(b, w_constant(x), w_constant(y))
#endif
#define v_in_double_1(f, x) v_join(w_##f(v_low(x)), w_##f(v_high(x)))
#define v_in_double_2(f, x, y) v_join(w_##f(v_low(x), v_low(y)), w_##f(v_high(x), v_high(y)))

/* Code for each turn of a loop of n, but in kernels that are compiled for size (the baseline's). */
#ifdef __OPTIMIZE_SIZE__
#define UNROLL(n)
#else
#define UNROLL(n) UNROLL_BY(GCC unroll n)
#define UNROLL_BY(text) _Pragma(#text)
#endif

#endif
