/* Search by vector comparisons that give masks (search.h). */
#include "backend/cpu/movement/search.h"

#include <string.h>

#include "simd/keys.h"

#ifdef SITU_MASKS
enum {
    CHUNK = 64,
    BESIDE = 8
}; /* CHUNK: values whose last cache lines are prefetched before any is read; BESIDE:
                                  * values searched side by side */

#define LANES WORD(LANES)
#define MASK WORD(mask)
#define VECTOR WORD(keys)
#define T uint32_t
#define NAME(f) f##_32
#define WORD(f) u32_##f
#include "backend/cpu/movement/search.inc"

#define T uint64_t
#define NAME(f) f##_64
#define WORD(f) u64_##f
#include "backend/cpu/movement/search.inc"

const situ_search_kernels SITU_OF_SET(situ_search)[2] = {{base_32, above_32, run_32}, {base_64, above_64, run_64}};
#else
const situ_search_kernels SITU_OF_SET(situ_search)[2] = {{NULL, NULL, NULL}};
#endif
