/* Places in an order by AVX-512 (search.h). */
#if defined(__x86_64__)
#include "backend/cpu/walks/search.h"

#include <immintrin.h>
#include <string.h>

enum { CHUNK = 64, BESIDE = 8 }; /* values whose last lines are asked for before any is read; that go down side by side */

#define T uint32_t
#define LANES 16
#define MASK __mmask16
#define SAME(x) _mm512_set1_epi32((int)(x))
#define NAME(f) f##_32
#define OP(f) _mm512_##f##_epi32
#define OP_MASK(f) _mm512_##f##32_mask
#include "backend/cpu/walks/search.inc"

#define T uint64_t
#define LANES 8
#define MASK __mmask8
#define SAME(x) _mm512_set1_epi64((long long)(x))
#define NAME(f) f##_64
#define OP(f) _mm512_##f##_epi64
#define OP_MASK(f) _mm512_##f##64_mask
#include "backend/cpu/walks/search.inc"

const situ_search_kernels situ_search_avx512[2] = {{base_32, above_32, run_32}, {base_64, above_64, run_64}};
#endif
