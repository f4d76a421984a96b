/* Tile kernels: one elementwise operation on the n elements of a tile, which is in the L1 cache.
 *
 *     situ_tile_fn fn = situ_tiles_best()->op[SITU_EL_exp][SITU_F32];
 *     fn(out, a, NULL, NULL, n);
 *
 * All instruction sets give the same bits. `out` may be equal to an operand of the same width; otherwise they must not
 * overlap. Pointers need the alignment of an element. A bool is a byte 0 or 1; logical_and, .. _or, .. _xor, .. _not
 * and the condition of `where` accept any byte. Nothing is read or written beyond n elements. */
#ifndef SITU_BACKEND_CPU_TILE_H
#define SITU_BACKEND_CPU_TILE_H

#include "base/isa.h"
#include "op/elementwise.h"
#include "op/reduce_kind.h"

enum { SITU_LINE = 64, SITU_PAGE_LINES = 4096 / SITU_LINE }; /* bytes of a cache line; cache lines of a memory page */
enum {
    SITU_TILE = 1024
}; /* elements that the interpreter passes at once; kernels
                                                              * accept any n >= 0 */

typedef void (*situ_tile_fn)(void *out, const void *a, const void *b, const void *c, int n);

/* Chains: several f32 operations on a block of vectors that stay in registers, so that a fused group need not store
 * intermediate results. Each link is a function that ends by calling the next link. It works on the register value and
 * on operands in memory. Arithmetic and bits are those of the tile kernels. */
typedef void (*situ_link_fn)(void); /* the real type is known only where a set's links are compiled */
typedef struct situ_link {
    situ_link_fn run;
    uint16_t a, b;              /* indices of the operands' addresses in `place` */
    int64_t stride_a, stride_b; /* SITU_STRIDED: the operand is an array; 0: it is one block, used for every block. stride_b may
                             * also hold another parameter of the link. */
} situ_link;
#define SITU_STRIDED 0xffffffff
/* An incomplete cache line of a streamed result: elements from ... to - 1 are buffered until the rest follows. line
 * NULL: none. */
typedef struct situ_edge {
    float *line;
    int from, to;
    float part[SITU_LINE / 4];
} situ_edge;
/* Which operand is in registers; the others are in memory, in order. ALIKE: the operand in memory is a single number,
 * read once (not available for every operation). */
enum { SITU_LINK_A, SITU_LINK_B, SITU_LINK_C, SITU_LINK_AB = 2, SITU_LINK_A_ALIKE, SITU_LINK_B_ALIKE, SITU_LINK_FORMS };
typedef struct situ_chains {
    int block;                                       /* elements in registers at a time */
    situ_link_fn op[SITU_EL_COUNT][SITU_LINK_FORMS]; /* NULL: not available in chains */
    situ_link_fn load, load_far;                     /* load_far: for arrays that are not in the cache; prefetches the
                                                      * line that is b lines ahead */
    situ_link_fn count;        /* makes a sequence: place a has the first element, each following one is larger by 1;
                                * integers below 2^24 */
    situ_link_fn save, stream; /* stream: bypasses the caches; its situ_edge is at place b, stride_b bytes further */
    situ_link_fn end;
    /* For f16 and bf16. widen: loads from place a and prefetches stride_b lines ahead (0: not). narrow: stores at
     * place a (with stride_b bypassing the caches where aligned); the registers keep the f32 values. round: rounds the
     * registers. */
    situ_link_fn widen[2], narrow[2], round[2];
    situ_link_fn root[2];         /* stores sqrt or pow_half at place a; the registers keep the operand */
    situ_link_fn log_and_root[2]; /* the same, followed by the logarithm of (the operand's bits & stride_b) */
    situ_link_fn pin; /* takes the number at place stride_b at the position given at place b; place a has the position of
                       * the first element */
    situ_link_fn reduction[SITU_REDUCE_KINDS]; /* reduces into 64 lanes at place a (reduce.h), which the caller has
                                                * initialised; NULL: not available in chains */
    situ_link_fn exp_beside_quotient;          /* fuses an exp link with the next five: save, reduction of sums, load, div (form
                                       * A), stream */
    /* Runs a chain on elements first ... end - 1, a multiple of the block. The chain's last link is `end`. */
    void (*run)(const situ_link *chain, char *const *place, int first, int end);
    /* Runs a chain on the block at `first`, but stores only elements from ... to - 1, because the others may have been
     * overwritten. */
    void (*part)(const situ_link *chain, char *const *place, int first, int from, int to);
    /* Stores the buffered edges and issues a store fence, so that streamed results are visible to threads that are
     * notified afterwards. */
    void (*drain)(situ_edge *edge, int n);
    /* to[i] = value, by whole-vector stores: a link that loads what narrower stores just wrote would stall. */
    void (*fill)(float *to, float value, int n);
    /* out[i] = start + i for n elements, start + n < 2^31. */
    void (*iota)(float *out, int start, int n);
} situ_chains;

/* Kernels by operation and by the operands' compute dtype (for `where`: that of the second and third); NULL: not
 * defined. */
typedef struct situ_tiles {
    const char *name;
    situ_tile_fn op[SITU_EL_COUNT][SITU_DTYPES];
    const situ_chains *chains; /* NULL: none */
    const situ_tile_fn (
        *narrow)[SITU_EL_COUNT]; /* for u8, i8, u16, i16, f16, bf16 in their own width, with wrapped or rounded results;
                                  * NULL: none */
} situ_tiles;

/* The kernel of an operation on 8- or 16-bit operands as they are stored; NULL: there is none. Some operations use
 * another one's kernel, with exchanged operands or one operand twice. */
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

/* The table of the instruction set in use (see situ_isa_get). */
const situ_tiles *situ_tiles_best(void);
/* The table of "baseline", "avx2" or "avx512"; NULL if this machine lacks the set. */
const situ_tiles *situ_tiles_named(const char *name);

#endif
