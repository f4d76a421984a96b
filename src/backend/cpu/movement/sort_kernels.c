/* Vector kernels of sort.c. */
#include "backend/cpu/movement/sort.h"

#include <string.h>

#include "simd/keys.h"

#ifdef SITU_ORDERS
#define LANES WORD(LANES)
#define MASK WORD(mask)
#define VECTOR WORD(keys)
#define KEY uint32_t
#define NAME(f) f##_narrow
#define WORD(f) u32_##f
#ifdef SITU_MASKS
#include "backend/cpu/movement/sort_keys.inc"
#endif
#include "backend/cpu/movement/sort_quick.inc"

#define KEY uint64_t
#define NAME(f) f##_wide
#define WORD(f) u64_##f
#ifdef SITU_MASKS
#include "backend/cpu/movement/sort_keys.inc"
#endif
#include "backend/cpu/movement/sort_quick.inc"
#endif

#define BOTH(f) .f##_narrow = f##_narrow, .f##_wide = f##_wide
const situ_sort_kernels SITU_OF_SET(situ_sort) = {
#ifdef SITU_MASKS
    BOTH(load), BOTH(store),
#endif
#ifdef SITU_ORDERS
    BOTH(sort), BOTH(pivot), BOTH(cut)
#else
    .sort_narrow = NULL
#endif
};
