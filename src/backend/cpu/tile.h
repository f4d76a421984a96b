/* Tile kernels: one elementwise operation over the n elements of a tile that lies in the first-level cache.
 *
 *     situ_tile_fn fn = situ_tiles_best()->op[SITU_EL_exp][SITU_F32];
 *     fn(out, a, NULL, NULL, n);
 *
 * All instruction sets give the same bits. out may be equal to an operand of the same width, else they do not overlap;
 * pointers need the alignment of an element; bools are bytes 0 and 1. Nothing is read or written past n elements.
 */
#ifndef SITU_BACKEND_CPU_TILE_H
#define SITU_BACKEND_CPU_TILE_H

#include "op/elementwise.h"

enum { SITU_TILE = 1024 }; /* what the interpreter gives at once; kernels take any n >= 0 */

typedef void (*situ_tile_fn)(void *out, const void *a, const void *b, const void *c, int n);

/* By operation and compute dtype of the operands (`where`: of the second and third); NULL: not defined. */
typedef struct situ_tiles {
    const char *name;
    situ_tile_fn op[SITU_EL_COUNT][SITU_DTYPES];
} situ_tiles;

extern const situ_tiles situ_tiles_base;
#if defined(__x86_64__)
extern const situ_tiles situ_tiles_avx2, situ_tiles_avx512;
#endif

/* The table for this machine, or a lower one if the environment (SITU_ISA) or a test's limit asks for it. */
const situ_tiles *situ_tiles_best(void);
/* "base", "avx2" or "avx512"; NULL if this machine lacks it. */
const situ_tiles *situ_tiles_named(const char *name);

#endif
