/* The tile interpreter: a fused group is a short program over tiles of SITU_TILE elements, which stay in the L1 cache.
 * A program has a prologue, which runs once per task and computes what is the same at all positions, and a body, which
 * runs once per tile. A value has a location: a slot in the thread's scratch memory, or the tile's part of an operand
 * or a result, if it needs no conversion. */
#ifndef SITU_CPU_GROUP_H
#define SITU_CPU_GROUP_H

#include "backend/cpu/movement/convert.h"
#include "backend/cpu/movement/reduce.h"
#include "backend/cpu/tiles/tile.h"
#include "plan/kernel.h"

#include <string.h>

enum {
    SITU_FUSED_STEPS = 4 * SITU_FUSED_INSTRUCTIONS + 2 * SITU_FUSED_STORES + 1,
    SITU_FUSED_PLACES = 2 * SITU_FUSED_INSTRUCTIONS + SITU_FUSED_STORES + 2 * SITU_FUSED_LOADS + 5,
    SITU_FUSED_LINKS = 3 * SITU_FUSED_STEPS,
    SITU_FUSED_HAZARDS = SITU_FUSED_STORES * SITU_FUSED_LOADS,
    SITU_FUSED_PARTIALS = 4096, /* largest number of partial results of blocks of rows */
    SITU_FUSED_PAIRED = 4,      /* largest number of random values in a group that are made in pairs */
    /* larger than a core's share of most last-level caches: such a result is evicted before it is read */
    SITU_STREAM_BYTES = 8 << 20
};

typedef enum situ_tile_step_kind {
    SITU_TILE_STEP_ELEMENT, /* out = element(a, b, c): function p of the table, for operands of `dtype` */
    SITU_TILE_STEP_CHAIN,   /* the chain at link p does the next q steps, at least a block of them; b: results bypass the caches */
    SITU_TILE_STEP_CONVERT, /* out = convert(a), from dtype `from` to dtype `dtype`; within four bytes: f32 rounded to its precision
                             */
    SITU_TILE_STEP_COPY,    /* out = a, elements of p bytes; skipped if both are the same memory */
    SITU_TILE_STEP_GATHER,  /* out = strided operand a, of load b, elements of p bytes; q: by panels of q rows at location c */
    SITU_TILE_STEP_SPREAD,  /* out = operand a, of load b, which is constant along a row; fills a tile if q, else a block */
    SITU_TILE_STEP_FILL,    /* out = the single element of operand a, of dtype `from`, as compute dtype; fills a block if p, else a
                          * tile */
    SITU_TILE_STEP_ARGUMENT, /* out = run-time word a (b: it is an f64) as dtype `dtype`; fills as FILL does */
    SITU_TILE_STEP_IOTA,     /* out = (position / p) % q; b: chains count whole blocks from the number at location b on; 0: none */
    SITU_TILE_STEP_RANDOM,   /* out = random bits for the position, out of q, in layout p, with key a; b: its index */
    SITU_TILE_STEP_ADD,      /* one f32 at a single position, where a call would cost more than the work */
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
    uint8_t store; /* runs only if this store, counted from 1, is indirect; 0: always */
    int64_t p, q;
} situ_tile_step;

/* Positions begin..end-1 of a transposed operand, gathered at once so that whole cache lines are used; followed by the
 * elements. */
typedef struct situ_panel {
    int64_t begin, end;
} situ_panel;

/* A strided operand with merged axes; strides in bytes. */
typedef struct situ_gathered {
    int ndim;
    int64_t dim[8], stride[8];
} situ_gathered;

typedef struct situ_tile_place {
    int address;   /* index of the launch's address, or -1: a slot */
    uint8_t size;  /* bytes of an element */
    uint8_t store; /* the result in whose memory it is, counted from 1; 0: none */
    uint8_t load;  /* an operand that is contiguous only within rows: its index from 1; 0: none */
    bool fixed;    /* the same for all blocks of a tile: a constant, or private to a chain */
    size_t offset; /* position of the slot in the scratch memory (for a result: the slot that it uses if indirect) */
} situ_tile_place;

/* Two operands that may share memory: computing in the store's memory would then overwrite the load's, which is read
 * later. */
typedef struct situ_hazard {
    uint8_t store, load; /* indices of the launch's addresses */
} situ_hazard;

typedef struct situ_program {
    int64_t count; /* number of positions */
    int64_t cost;  /* cost of a position, in units of about 0.06 ns */
    int width;     /* elements of a slot: SITU_TILE, or `count` if that is smaller */
    int nprologue, nbody, nplace, nmoving, nhazard;
    situ_tile_place *place;
    uint16_t *moving; /* locations in operands and results */
    situ_hazard *hazard;
    situ_gathered *gathered; /* [load] strided operands */
    situ_tile_step *prologue, *body;
    bool panels;     /* some operands are gathered by panels */
    situ_link *link; /* links of all chains */
    int nlink;
    const situ_chains *chains; /* NULL: no chain */
    int nstream;               /* results that bypass the caches; a task that has run tiles has to call situ_drain ... */
    uint16_t stream, edges;    /* ... locations of the first of them and of their edges */
    bool past;                 /* halves bypass the caches, too, without edges */
    int nstore;
    int64_t row;      /* operands are contiguous or constant along rows of this many positions, and no tile crosses the end of a
                       * row; 0: no such restriction */
    int64_t half;     /* random bits are made in pairs: the traversal runs from the start and from here at once */
    bool copy;        /* a plain copy of one strided operand to one result */
    int64_t copy_row; /* elements of a line; tasks should be cut at multiples of it */
    /* reduction */
    int reduction;
    uint16_t reduce_place;
    uint8_t reduce_dtype, reduce_out, reduce_size, out_size; /* compute dtype and result's dtype, bytes of each */
    int64_t A, R, C;
    situ_reduce_fn reduce_tile;
    situ_tile_fn fold; /* for min and max of narrow integers: reduces many elements to a few before `widen`; NULL: they are wide
                        * already */
    situ_convert_fn widen;
    situ_reduce_each_fn reduce_each;
    situ_combine_fn combine;
    situ_rows_fn add_rows;
    situ_convert_fn reduce_convert; /* NULL: none needed */
    int levels;                     /* levels of the tree over blocks */
    int columns;                    /* elements of an accumulator strip (C > 1) */
    size_t slots, bytes, partials;  /* scratch memory: of the slots; of a task; of the caller's partial results */
    size_t memory;                  /* bytes of this program */
} situ_program;

static inline bool situ_is_indirect(uint64_t indirect, int store) { return store && indirect >> (store - 1) & 1; }

/* What a stage of a row program must know of the other stages. */
typedef struct situ_neighbours {
    uint64_t near;  /* bit s: store s is read again at once, or is a local value */
    uint64_t ahead; /* bit l: no later stage reads load l's memory, so this one prefetches the next rows */
    int64_t rows;   /* rows at a time ... */
    int64_t length; /* ... of this many elements */
} situ_neighbours;
/* NULL with an error. `neighbours` NULL: the group stands alone, and its operands come from memory. */
situ_program *situ_fused_compile(const situ_fused *g, const situ_neighbours *neighbours);
/* Runs it; the addresses are stores, the reduction's result if any, loads. */
void situ_fused_run(const situ_program *p, char *const *address, const uint64_t *argument, situ_fault *fault, bool parallel);

/* ---- state of a task ---------------------------------------------------------------------------------------------- */

typedef struct situ_tile_frame {
    const situ_program *program;
    char *const *address;
    const uint64_t *argument;
    char *extra;                                   /* scratch memory after the slots */
    uint64_t indirect;                             /* bit mask of the stores that go through a slot */
    enum { SITU_ALONE, SITU_LOW, SITU_HIGH } pair; /* with pairs: which half, the low one first */
    int64_t row;                                   /* row of the last tile; -1: there was none */
    bool same_row;                                 /* this tile belongs to the same row */
    char *place[SITU_FUSED_PLACES];
} situ_tile_frame;

/* A launch, shared by its tasks. */
typedef struct situ_fused_launch {
    const situ_program *program;
    char *const *address;
    const uint64_t *argument;
    situ_fault *fault;
    uint64_t indirect; /* bit s: store s goes through a slot */
    char *partials;
    int64_t units, per_task; /* units of work, and units of a task */
    int64_t chunks, chunk;   /* reductions: number of chunks of a row or strip, and blocks in each */
} situ_fused_launch;

/* Assigns locations and runs the prologue; false: no memory (the fault is set). */
bool situ_tile_frame_open(situ_tile_frame *f, const situ_fused_launch *l);
/* The same in the caller's memory: p->bytes, 64-byte aligned. */
void situ_tile_frame_open_at(situ_tile_frame *f, const situ_fused_launch *l, char *base);
/* Is this much work worth handing to the thread pool? */
bool situ_fused_is_large(double cost);
/* Bit mask of the stores whose memory is also a load's. */
uint64_t situ_find_indirect(const situ_program *p, char *const *address);
/* Number of positions, from `first` on, in a tile. */
static inline int situ_tile_length(const situ_program *p, int64_t first, int64_t end)
{
    int64_t n = end - first < SITU_TILE ? end - first : SITU_TILE;
    if (!p->row) return (int)n;
    int64_t left = p->row - first % p->row;
    return (int)(n < left ? n : left);
}
/* Runs the body for positions first .. first+n-1, n <= SITU_TILE. */
void situ_tile_frame_run(situ_tile_frame *f, int64_t first, int n);
/* Bytes from the start of load `load`, whose rows of p->row positions are contiguous or constant, to the row of
 * position `first`. */
int64_t situ_row_offset(const situ_program *p, int load, int64_t first);
/* Are all rows the same distance apart, *step bytes? */
bool situ_rows_are_even(const situ_program *p, int load, int64_t *step);

void situ_tile_step_argument(const situ_tile_step *s, char *out, uint64_t word, int n);
void situ_tile_step_fill(const situ_tile_step *s, char *out, const char *element, int n);
void situ_tile_step_iota(const situ_tile_step *s, char *out, int64_t first, int n);

/* Runs positions first..end-1 of a group without a reduction. */
void situ_tile_frame_span(situ_tile_frame *f, int64_t first, int64_t end);
/* Reduces blocks block .. end-1 of a row to one value of the accumulating dtype at `to`. */
void situ_tile_frame_blocks(situ_tile_frame *f, int64_t row, int64_t block, int64_t end, char *to);
/* Reduces whole rows first..end-1 along the last axis. */
void situ_tile_frame_rows(situ_tile_frame *f, const situ_fused_launch *l, int64_t first, int64_t end);

/* ---- post-ops of calls (interpreter/post_op.c) ---- */

enum { SITU_POST_OP_BLOCKS = 64 };
typedef struct situ_post_op {
    situ_fused_launch launch;
    bool in_parts;                                       /* the call applies it part by part */
    bool done[SITU_POST_OP_BLOCKS];                      /* for a reduction: blocks that are done ... */
    _Alignas(16) char partial[16 * SITU_POST_OP_BLOCKS]; /* ... and their reduced values */
} situ_post_op;

void situ_post_op_open(situ_post_op *f, const situ_program *p, char *const *address, const uint64_t *argument, situ_fault *fault);
/* Called by the call before its tasks start. True: it can be applied in parts, and the call will apply it to each
 * element of its result once, with situ_post_op_part; this takes p->bytes of the thread's scratch memory. */
bool situ_post_op_take(situ_post_op *f);
/* Applies it to positions first .. end-1, whose operand has been computed. From any task. */
void situ_post_op_part(situ_post_op *f, int64_t first, int64_t end);
/* Does the rest: all of it, unless it was applied in parts. */
void situ_post_op_close(situ_post_op *f, bool parallel);

/* ---- row programs (interpreter/row_program.c) ---- */

typedef struct situ_row_kernel situ_row_kernel;
/* NULL with an error. */
situ_row_kernel *situ_row_program_compile(const situ_row_program *s);
void situ_row_program_run(situ_row_kernel *p, char *const *address, const uint64_t *argument, situ_fault *fault, bool parallel);
void situ_row_program_free(situ_row_kernel *p);

/* ---- reductions (interpreter/rows.c, interpreter/columns.c) ---- */

void situ_fused_reduce_rows(situ_fused_launch *l, bool parallel);
void situ_fused_reduce_columns(situ_fused_launch *l, bool parallel);

/* To be called at the end of a task. */
static inline void situ_drain(const situ_tile_frame *f)
{
    const situ_program *p = f->program;
    if (p->nstream || p->past) p->chains->drain((situ_edge *)(void *)f->place[p->edges], p->nstream);
}
/* Stores n results of the accumulating dtype from position `at` of the result on. */
void situ_fused_result(const situ_fused_launch *l, int64_t at, const void *from, int64_t n);
/* Cuts the work into tasks: sets units and per_task. */
void situ_fused_launch_cut(situ_fused_launch *l, int64_t units, bool parallel);
/* Reserves partial results in the caller's scratch memory, after that of its own task; false: the fault is set. */
bool situ_fused_launch_partials(situ_fused_launch *l);
/* Runs task(launch, i) for i = 0..count-1, in the thread pool if parallel. */
void situ_fused_tasks(situ_fused_launch *l, void (*task)(void *launch, int64_t index), int64_t count, bool parallel);

/* Bytes of an accumulator strip. Strips 4 KiB apart would map to the same cache sets. */
static inline size_t situ_strip_bytes(const situ_program *p)
{
    return p->C == 1 ? 16 : (((size_t)p->columns * 8 + 63) & ~(size_t)63) + 192;
}

/* The tree over partial results of blocks, reduced while they arrive: adjacent pairs level by level; an odd last one
 * moves up. */
typedef struct situ_tree {
    situ_combine_fn combine;
    int64_t n;       /* elements of a partial result */
    uint64_t count;  /* number of pushed results */
    char *level[48]; /* one buffer for each level */
} situ_tree;
/* Takes *partial and replaces it by another buffer of the same size. */
void situ_tree_push(situ_tree *t, char **partial);
/* Finishes the tree; count > 0. */
char *situ_tree_finish(situ_tree *t);

#endif
