/* Private to the compiler of groups: what it knows of each value while it builds the program. */
#ifndef SITU_CPU_GROUP_BUILDER_H
#define SITU_CPU_GROUP_BUILDER_H

#include "backend/cpu/interpreter/group.h"
#include "tensor/dtype.h"

enum { SITU_NOT_READ = -1, SITU_AT_END = 1 << 20 };

typedef struct situ_value {
    int alias;     /* the register with the same elements; itself if there is none */
    int last;      /* the last instruction that reads it; SITU_AT_END: a store or the reduction */
    bool spread;   /* the same value at all positions of a tile */
    bool uniform;  /* the same value at all positions */
    bool raw;      /* a load that all its readers take directly from memory */
    bool only_raw; /* only_raw: so far, all readers take it directly: stores of its own dtype, and readers of bools that accept any
                    * nonzero byte */
    int direct;    /* the store whose memory it is computed in, or -1 */
    uint16_t place;
} situ_value;

typedef struct situ_builder {
    const situ_fused *g;
    situ_program *p;
    const situ_tiles *tiles;
    situ_value v[SITU_FUSED_INSTRUCTIONS];
    bool contiguous[SITU_FUSED_LOADS], uniform[SITU_FUSED_LOADS];
    bool rowwise[SITU_FUSED_LOADS];    /* [load] contiguous or constant along rows of p->row positions */
    int last_read[SITU_FUSED_LOADS];   /* [load] the instruction after which its memory is no longer read */
    int stored[SITU_FUSED_STORES];     /* [store] register */
    bool spoils[SITU_FUSED_STORES];    /* [store] it has a hazard */
    const situ_neighbours *neighbours; /* NULL: not a stage of a row program */
    situ_tile_place place[SITU_FUSED_PLACES];
    uint16_t moving[SITU_FUSED_PLACES];
    situ_hazard hazard[SITU_FUSED_HAZARDS];
    situ_gathered gathered[SITU_FUSED_LOADS];
    situ_tile_step prologue[SITU_FUSED_STEPS], body[SITU_FUSED_STEPS];
    situ_link link[SITU_FUSED_LINKS];
    uint16_t free[SITU_FUSED_PLACES];
    int nfree;
    int failed;
    uint8_t narrow; /* the narrow integer dtype in which all numbers of the group are held, or SITU_BOOL: none */
} situ_builder;

/* ---- interpreter/values.c: analysis before locations are assigned ---- */

/* 0, or a negative code with an error: the group is not well formed. */
int situ_fused_check(const situ_fused *g);
int situ_refuse_group(const char *what);
/* Finds loads that are contiguous or constant, registers with equal values, their readers, and stores. */
void situ_fused_find_values(situ_builder *b);
/* Number of operands of an instruction: the first of its registers a, b, c. */
static inline int situ_operands_of(const situ_instruction *in)
{
    if (in->kind == SITU_DO_CAST) return 1;
    return in->kind == SITU_DO_ELEMENT ? situ_el_rows[in->el].arity : 0;
}
/* The logical dtype of a register. */
static inline uint8_t situ_logical_dtype(const situ_builder *b, int i)
{
    const situ_instruction *in = &b->g->instruction[i];
    return in->kind == SITU_DO_LOAD ? b->g->load[in->a].dtype : in->dtype;
}

/* The dtype in which elements of a dtype are held in registers. */
static inline uint8_t situ_held_in(const situ_builder *b, uint8_t dtype)
{
    return dtype == b->narrow ? dtype : (uint8_t)situ_dtype_compute((situ_dtype)dtype);
}

/* ---- interpreter/emit.c: locations and steps ---- */

/* Emits the steps of all instructions and stores. Failures are in b->failed. */
void situ_fused_emit(situ_builder *b);
/* A new location; the other: a slot, which may have held another value before. */
uint16_t situ_fused_place(situ_builder *b, situ_tile_place place);
uint16_t situ_fused_slot(situ_builder *b, size_t size);
void situ_fused_emit_convert(situ_builder *b, bool uniform, uint8_t from, uint8_t to, uint16_t a, uint16_t out);

/* ---- interpreter/chain.c: fuses steps to chains, when all steps are there ---- */

void situ_fused_chain(situ_builder *b);

#endif
