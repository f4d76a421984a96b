/* Tile kernels: one elementwise operation over the n elements of a tile that lies in the first-level cache.
 *
 *     situ_tile_fn fn = situ_tiles_best()->op[SITU_EL_exp][SITU_F32];
 *     fn(out, a, NULL, NULL, n);
 *
 * All instruction sets give the same bits. out may be equal to an operand of the same width, else they do not overlap;
 * pointers need the alignment of an element; bools are bytes 0 and 1, but of logical_and, .. _or, .. _xor, .. _not and the
 * condition of `where` any bytes. Nothing is read or written past n elements.
 */
#ifndef SITU_BACKEND_CPU_TILE_H
#define SITU_BACKEND_CPU_TILE_H

#include "base/isa.h"
#include "op/elementwise.h"
#include "op/reduce_kind.h"

enum { SITU_LINE = 64, SITU_PAGE_LINES = 4096 / SITU_LINE }; /* bytes of the caches' lines; lines of a page of memory */
enum { SITU_TILE = 1024 };                                   /* what the interpreter gives at once; kernels take any n >= 0 */

typedef void (*situ_tile_fn)(void *out, const void *a, const void *b, const void *c, int n);

/* Chains: several f32 operations on a few vectors that stay in registers from one to the next, so that a group does not
 * pass through the cache between any two of them. Each link is one function, which ends in calling the next; it works on
 * the register value and on operands in memory. The arithmetic is that of the tile kernels, and so are the bits. */
typedef void (*situ_link_fn)(void); /* of a type that only the compiled set knows */
typedef struct situ_link {
    situ_link_fn run;
    uint16_t a, b;          /* places of the operands in memory                                           */
    int64_t walk_a, walk_b; /* SITU_WALK: an array, 0: one block that is used again and again; b's may be what else a link needs */
} situ_link;
#define SITU_WALK 0xffffffff
/* An unfinished line of a streamed result: elements from..to-1 are buffered until the rest follows. line NULL: none. */
typedef struct situ_edge {
    float *line;
    int from, to;
    float part[SITU_LINE / 4];
} situ_edge;
/* Which operand of an operation is in registers; the others are in memory, in order. ALIKE: the one in memory is the same number
 * throughout, and is read once (not of every operation). */
enum { SITU_LINK_A, SITU_LINK_B, SITU_LINK_C, SITU_LINK_AB = 2, SITU_LINK_A_ALIKE, SITU_LINK_B_ALIKE, SITU_LINK_FORMS };
typedef struct situ_chains {
    int block; /* elements that go through a chain at once                                                  */
    situ_link_fn op[SITU_EL_COUNT][SITU_LINK_FORMS]; /* NULL: not in chains                                */
    situ_link_fn load, load_far;                     /* far: in no near cache; the lines b lines on are asked for                */
    situ_link_fn count;        /* place a's first element and those that follow it, each 1 more: integers below 2^24 */
    situ_link_fn save, stream; /* stream: past the caches; its edge is at place b, walk_b bytes on        */
    situ_link_fn end;
    /* By half: f16, bf16. From place a, of which the lines walk_b lines on are asked for (0: none); to place a (walk_b: past the
     * caches, where it is aligned), while the f32 stay in registers; rounded there. */
    situ_link_fn widen[2], narrow[2], round[2];
    situ_link_fn root[2];         /* sqrt, pow_half: to place a; its operand stays in registers              */
    situ_link_fn log_and_root[2]; /* the same, and the logarithm of the bits walk_b of the operand           */
    situ_link_fn pin; /* the number at place walk_b where a position is that at place b; place a has the first element's */
    situ_link_fn reduction[SITU_REDUCE_KINDS]; /* into 64 lanes at place a (reduce.h), which were set before; NULL: not in chains */
    situ_link_fn exp_beside_quotient; /* an exp and five links behind it: save, the reduction of sums, load, div (form A), stream */
    /* Elements first..end-1, a multiple of the block; the chain ends with `end`. */
    void (*run)(const situ_link *chain, char *const *place, int first, int end);
    /* The block at `first`, of which elements from..to-1 are saved; the others may have been overwritten before. */
    void (*part)(const situ_link *chain, char *const *place, int first, int from, int to);
    /* A store fence: streamed results are visible to whoever is notified afterwards. */
    void (*drain)(situ_edge *edge, int n);
    /* to[i] = value, by whole vectors: links that read narrower stores at once would wait until those are in the cache. */
    void (*fill)(float *to, float value, int n);
    /* out[i] = start + i for n elements, start + n < 2^31. */
    void (*iota)(float *out, int start, int n);
} situ_chains;

/* By operation and compute dtype of the operands (`where`: of the second and third); NULL: not defined. */
typedef struct situ_tiles {
    const char *name;
    situ_tile_fn op[SITU_EL_COUNT][SITU_DTYPES];
    const situ_chains *chains; /* NULL: none */
    const situ_tile_fn (
        *narrow)[SITU_EL_COUNT]; /* of u8, i8, u16, i16, f16, bf16 in their own width, results cut to it; NULL: none */
} situ_tiles;

/* The kernel of an operation on operands that are held as they are stored, numbers of 8 or 16 bits; NULL: there is none. Some are
 * others with the operands turned round, or with one operand twice. */
static inline situ_tile_fn situ_tile_narrow(const situ_tiles *t, int el, uint8_t dtype)
{
    static const uint8_t rows[SITU_DTYPES] = {
        [SITU_U8] = 1, [SITU_I8] = 2, [SITU_U16] = 3, [SITU_I16] = 4, [SITU_F16] = 5, [SITU_BF16] = 6};
    int row = rows[dtype] - 1;
    if (!t->narrow || row < 0) return NULL;
    if (row > 3) return t->narrow[row][el];
    el = el == SITU_EL_greater      ? SITU_EL_less :
        el == SITU_EL_greater_equal ? SITU_EL_less_equal :
        el == SITU_EL_square        ? SITU_EL_mul :
                                      el;
    return t->narrow[row][el];
}
static inline bool situ_tile_turns(int el) { return el == SITU_EL_greater || el == SITU_EL_greater_equal; }

#define SITU_TILES_TABLE(name) extern const situ_tiles name;
SITU_EACH_SET(SITU_TILES_TABLE, situ_tiles)

/* The table for this machine, or a lower one if the environment (SITU_ISA) or a test's limit asks for it. */
const situ_tiles *situ_tiles_best(void);
/* "baseline", "avx2" or "avx512"; NULL if this machine lacks it. */
const situ_tiles *situ_tiles_named(const char *name);

#endif
