/* Vectors of the instruction set that a file *_kernels.c is compiled for, and their words, in the header of that set:
 *
 *     f32_vector, F32_LANES         a vector of floats, and how many; f64_ the same of doubles
 *     f32_zero(), f32_all(x)        each element is 0, or x
 *     f32_load(p), f32_store(p, v)  from and to any address
 *     f32_load_part(p, n)           the first n elements (all, if there are fewer), 0 behind them; nothing else is read
 *     f32_store_part(p, v, n)       the first n elements; nothing else is written
 *     f32_fma(a, b, c)              a b + c, rounded once
 *
 * SITU_HALVES: there are vectors of floats of half the size, f32_half, with f32_half_load, _store, _load_part, _store_part, _fma,
 * and f32_lower(v), the first half of a vector. SITU_PAIRS: also f32_upper(v), the second one; f32_twice(h), a vector of twice that
 * half; f32_pair(a, b), the lower half of a and the upper one of b.
 * SITU_TURNS: simd/turn.h has blocks of floats turned by shuffles. SITU_TOTALS: simd/totals.h has the totals of four vectors at
 * once. SITU_FMA_CALLS: an fma is a call of the C library. SITU_REGISTERS: how many vectors the processor has room for. */
#ifndef SITU_SIMD_SIMD_H
#define SITU_SIMD_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SITU_WORD static inline __attribute__((always_inline, unused))

#if defined(__AVX512F__)
#include "simd/avx512.h"
#elif defined(__AVX2__)
#include "simd/avx2.h"
#else
#include "simd/plain.h"
#endif

#endif
