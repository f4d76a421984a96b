/* The tile interpreter: a fused group as a short program over tiles of SITU_TILE elements that stay in the L1 cache.
 *
 * A program has a prologue, run once per task, which computes what is the same at all positions, and a body, run once
 * per tile. A value lies at a place: a slot in the thread's scratch memory, or the tile's part of an operand or a
 * result, where it needs no conversion.
 */
#ifndef SITU_CPU_GROUP_H
#define SITU_CPU_GROUP_H

#include "backend/cpu/walks/convert.h"
#include "backend/cpu/walks/reduce.h"
#include "backend/cpu/lanes/tile.h"
#include "plan/kernel.h"

#include <string.h>

enum {
    SITU_FUSED_STEPS = 4 * SITU_FUSED_INSTRUCTIONS + 2 * SITU_FUSED_STORES + 1,
    SITU_FUSED_PLACES = 2 * SITU_FUSED_INSTRUCTIONS + SITU_FUSED_STORES + 2 * SITU_FUSED_LOADS + 5,
    SITU_FUSED_LINKS = 3 * SITU_FUSED_STEPS,
    SITU_FUSED_HAZARDS = SITU_FUSED_STORES * SITU_FUSED_LOADS,
    SITU_FUSED_PARTIALS = 4096, /* partial results of blocks of rows at most */
    SITU_FUSED_PAIRED = 4,      /* random values of one group that are made in pairs at most */
    /* Larger than a core's share of most last-level caches: such a result is evicted before it is read. */
    SITU_STREAM_BYTES = 8 << 20
};

typedef enum situ_tile_step_kind {
    SITU_TILE_STEP_ELEMENT, /* out = element(a, b, c), row p of the table for operands of `dtype`       */
    SITU_TILE_STEP_CHAIN,   /* the chain at link p does the next q steps, of a block at least; b: results go past the caches */
    SITU_TILE_STEP_CONVERT, /* out = convert(a), of dtype `from`, to dtype `dtype`; in four bytes: f32 rounded to it */
    SITU_TILE_STEP_COPY,    /* out = a, elements of p bytes; skipped where they are the same memory     */
    SITU_TILE_STEP_GATHER,  /* out = strided operand a, of load b, elements of p bytes; q: by panels of q rows at place c */
    SITU_TILE_STEP_SPREAD,  /* out = operand a, of load b, which is the same along a row; a tile full if q, else a block */
    SITU_TILE_STEP_FILL, /* out = the one element of operand a, of dtype `from`, as compute dtype; a block if p, else a tile full */
    SITU_TILE_STEP_ARGUMENT, /* out = argument word a (b: it is an f64) as dtype `dtype`; the same       */
    SITU_TILE_STEP_IOTA,     /* out = (position / p) % q; b: chains count whole blocks from the number at place b on; 0: none */
    SITU_TILE_STEP_RANDOM,   /* out = random bits for the position, of q in all, of layout p, key: a; b: its number */
    SITU_TILE_STEP_ADD,      /* one f32, where there is a single position: a call would cost more than the work */
    SITU_TILE_STEP_SUB,
    SITU_TILE_STEP_MUL,
    SITU_TILE_STEP_DIV
} situ_tile_step_kind;

typedef struct situ_tile_step {
    union {
        situ_tile_fn element;
        situ_convert_fn convert;
    } run;
    uint16_t out, a, b, c;
    uint8_t kind, dtype, from;
    uint8_t store; /* run only if this store, counted from 1, is indirect; 0: always */
    int64_t p, q;
} situ_tile_step;

/* Positions begin..end-1 of a transposed operand, gathered at once so that whole cache lines are used; the elements
 * follow. */
typedef struct situ_panel {
    int64_t begin, end;
} situ_panel;

/* A strided operand, its axes merged; strides in bytes. */
typedef struct situ_gathered {
    int ndim;
    int64_t dim[8], stride[8];
} situ_gathered;

typedef struct situ_tile_place {
    int address;   /* of the launch, or -1: a slot                                             */
    uint8_t size;  /* bytes of an element                                                      */
    uint8_t store; /* a result that the value is computed into, counted from 1; 0: none        */
    uint8_t load;  /* an operand whose rows are contiguous, but not all of it: its number from 1; 0: none */
    bool fixed;    /* the same for all blocks of a tile: one value everywhere, or a chain's own */
    size_t offset; /* of the slot in the scratch memory (a result: where it goes if indirect)  */
} situ_tile_place;

/* Computing into store's memory would spoil load's, which is read later, if they are the same. */
typedef struct situ_hazard {
    uint8_t store, load; /* addresses of the launch */
} situ_hazard;

typedef struct situ_program {
    int64_t count; /* positions                                        */
    int64_t cost;  /* of a position, about 0.06 ns each                */
    int width;     /* elements of a slot: SITU_TILE, or fewer if count is smaller */
    int nprologue, nbody, nplace, nmoving, nhazard;
    situ_tile_place *place;
    uint16_t *moving; /* places in operands and results                   */
    situ_hazard *hazard;
    situ_gathered *gathered; /* by load                                          */
    situ_tile_step *prologue, *body;
    bool panels;     /* some operands come by panels */
    situ_link *link; /* of all chains */
    int nlink;
    const situ_chains *chains; /* NULL: no chain */
    int nstream;               /* results that go past the caches: who has run tiles calls situ_drain ... */
    uint16_t stream, edges;    /* ... the places of the first one and of their edges                      */
    bool past;                 /* halves do, which have no edges                                          */
    int nstore;
    int64_t row;      /* operands are contiguous or constant along rows of so many positions, and no tile crosses
                          the end of one; 0: tiles may lie anywhere                     */
    int64_t half;     /* random bits are made in pairs: the walk is from the start and from here at once */
    bool copy;        /* one strided operand to one result, nothing else  */
    int64_t copy_row; /* elements, of which it is best cut into as many as a line has */
    /* reduction */
    int reduction;
    uint16_t reduce_place;
    uint8_t reduce_dtype, reduce_out, reduce_size, out_size; /* compute dtype and result's, bytes of each */
    int64_t A, R, C;
    situ_reduce_fn reduce_tile;
    situ_tile_fn fold; /* extremes of narrow integers at reduce_place: makes few of many before `widen`; NULL: they are as wide */
    situ_convert_fn widen;
    situ_reduce_each_fn reduce_each;
    situ_combine_fn combine;
    situ_rows_fn add_rows;
    situ_convert_fn reduce_convert; /* NULL: none needed                               */
    int levels;                     /* of the tree over blocks                          */
    int columns;                    /* elements of an accumulator strip (C > 1)         */
    size_t slots, bytes, partials;  /* scratch memory: slots; of a task; of the caller */
    size_t memory;                  /* bytes of this program                            */
} situ_program;

static inline bool situ_is_indirect(uint64_t indirect, int store) { return store && indirect >> (store - 1) & 1; }

/* What a stage of a row program must know of the stages around it. */
typedef struct situ_neighbours {
    uint64_t near;  /* bit s: store s is read again at once, or is no tensor                             */
    uint64_t ahead; /* bit l: nobody behind it reads load l's memory: it asks for the rows that come next */
    int64_t rows;   /* at a time ...                                                                     */
    int64_t length; /* ... of so many elements                                                           */
} situ_neighbours;
/* NULL with an error raised. `neighbours` NULL: the group stands alone, and its operands come from memory. */
situ_program *situ_fused_compile(const situ_fused *g, const situ_neighbours *neighbours);
/* Runs it; the addresses are stores, the reduction's result if any, loads. */
void situ_fused_run(const situ_program *p, char *const *address, const uint64_t *argument, situ_fault *fault, bool parallel);

/* ---- what a task has at hand ------------------------------------------------------------------------------------- */

typedef struct situ_tile_frame {
    const situ_program *program;
    char *const *address;
    const uint64_t *argument;
    char *extra;                                   /* scratch memory behind the slots */
    uint64_t indirect;                             /* stores that go through a slot   */
    enum { SITU_ALONE, SITU_LOW, SITU_HIGH } pair; /* where there are pairs: which half, the low one first */
    int64_t row;                                   /* of the last tile; -1: there was none         */
    bool same_row;                                 /* this tile is of it, too                      */
    char *place[SITU_FUSED_PLACES];
} situ_tile_frame;

/* One launch, shared by its tasks. */
typedef struct situ_fused_launch {
    const situ_program *program;
    char *const *address;
    const uint64_t *argument;
    situ_fault *fault;
    uint64_t indirect; /* bit s: store s goes through a slot */
    char *partials;
    int64_t units, per_task; /* of work                            */
    int64_t chunks, chunk;   /* reductions: chunks of blocks of a row or strip, and blocks in each */
} situ_fused_launch;

/* Finds places and runs the prologue; false: no memory (the fault is set). */
bool situ_tile_frame_open(situ_tile_frame *f, const situ_fused_launch *l);
/* The same in memory of the caller's: p->bytes, 64-byte aligned. */
void situ_tile_frame_open_at(situ_tile_frame *f, const situ_fused_launch *l, char *base);
/* Is so much work worth a hand-over to the pool? */
bool situ_fused_is_large(double cost);
/* The stores whose memory is also a load's. */
uint64_t situ_find_indirect(const situ_program *p, char *const *address);
/* How many positions from `first` on make a tile. */
static inline int situ_tile_length(const situ_program *p, int64_t first, int64_t end)
{
    int64_t n = end - first < SITU_TILE ? end - first : SITU_TILE;
    if (!p->row) return (int)n;
    int64_t left = p->row - first % p->row;
    return (int)(n < left ? n : left);
}
/* The body for positions first .. first+n-1, n <= SITU_TILE. */
void situ_tile_frame_run(situ_tile_frame *f, int64_t first, int n);
/* Bytes from the start of load `load`, whose rows of p->row positions are contiguous or constant, to the row of position
 * `first`. */
int64_t situ_row_offset(const situ_program *p, int load, int64_t first);
/* Are they all as far apart, `step` bytes? */
bool situ_rows_are_even(const situ_program *p, int load, int64_t *step);

void situ_tile_step_argument(const situ_tile_step *s, char *out, uint64_t word, int n);
void situ_tile_step_fill(const situ_tile_step *s, char *out, const char *element, int n);
void situ_tile_step_iota(const situ_tile_step *s, char *out, int64_t first, int n);

/* Positions first..end-1 of a group without a reduction. */
void situ_tile_frame_span(situ_tile_frame *f, int64_t first, int64_t end);
/* Blocks block .. end-1 of a row to one value of the accumulating dtype at `to`. */
void situ_tile_frame_blocks(situ_tile_frame *f, int64_t row, int64_t block, int64_t end, char *to);
/* Rows first..end-1 of a reduction along the last axis, whole ones. */
void situ_tile_frame_rows(situ_tile_frame *f, const situ_fused_launch *l, int64_t first, int64_t end);

/* ---- post-ops of calls (interpreter/post_op.c) ---- */

enum { SITU_POST_OP_BLOCKS = 64 };
typedef struct situ_post_op {
    situ_fused_launch launch;
    bool in_parts;                                       /* the call does it part by part            */
    bool done[SITU_POST_OP_BLOCKS];                      /* of a reduction: blocks ...               */
    _Alignas(16) char partial[16 * SITU_POST_OP_BLOCKS]; /* ... and what they are reduced to    */
} situ_post_op;

void situ_post_op_open(situ_post_op *f, const situ_program *p, char *const *address, const uint64_t *argument, situ_fault *fault);
/* From the call, before its tasks start. True: it can be done in parts, and the call will do so for each element of its
 * result once, with situ_post_op_part; parts take p->bytes of the thread's scratch memory. */
bool situ_post_op_take(situ_post_op *f);
/* Positions first .. end-1, whose operand is there. From any task. */
void situ_post_op_part(situ_post_op *f, int64_t first, int64_t end);
/* What is left of it: all, unless it was done in parts. */
void situ_post_op_close(situ_post_op *f, bool parallel);

/* ---- row programs (interpreter/row_program.c) ---- */

typedef struct situ_row_kernel situ_row_kernel;
/* NULL with an error raised. */
situ_row_kernel *situ_row_program_compile(const situ_row_program *s);
void situ_row_program_run(situ_row_kernel *p, char *const *address, const uint64_t *argument, situ_fault *fault, bool parallel);
void situ_row_program_free(situ_row_kernel *p);

/* ---- reductions (interpreter/rows.c, interpreter/columns.c) ---- */

void situ_fused_reduce_rows(situ_fused_launch *l, bool parallel);
void situ_fused_reduce_columns(situ_fused_launch *l, bool parallel);

/* At the end of a task. */
static inline void situ_drain(const situ_tile_frame *f)
{
    const situ_program *p = f->program;
    if (p->nstream || p->past) p->chains->drain((situ_edge *)(void *)f->place[p->edges], p->nstream);
}
/* n results of the accumulating dtype to the position `at` of the result. */
void situ_fused_result(const situ_fused_launch *l, int64_t at, const void *from, int64_t n);
/* Cuts the work into tasks: sets units and per_task. */
void situ_fused_launch_cut(situ_fused_launch *l, int64_t units, bool parallel);
/* Room for partial results in the caller's scratch memory, behind that of its own task; false: the fault is set. */
bool situ_fused_launch_partials(situ_fused_launch *l);
/* Runs task over 0..count-1, on the pool if parallel. */
void situ_fused_tasks(situ_fused_launch *l, void (*task)(void *launch, int64_t index), int64_t count, bool parallel);

/* Bytes of an accumulator strip. Strips 4 KiB apart would share places in the cache. */
static inline size_t situ_strip_bytes(const situ_program *p)
{
    return p->C == 1 ? 16 : (((size_t)p->columns * 8 + 63) & ~(size_t)63) + 192;
}

/* Partial results of blocks, reduced as they come by the tree: adjacent pairs level by level, an odd last one moves up.
 */
typedef struct situ_tree {
    situ_combine_fn combine;
    int64_t n;       /* elements of a partial result             */
    uint64_t count;  /* pushed                                   */
    char *level[48]; /* one buffer each                          */
} situ_tree;
/* Takes *partial and puts another buffer of the same size in its place. */
void situ_tree_push(situ_tree *t, char **partial);
/* The whole; count > 0. */
char *situ_tree_finish(situ_tree *t);

#endif
