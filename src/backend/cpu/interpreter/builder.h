/* Inside the compiler of groups: what it knows of each value while it builds the program. */
#ifndef SITU_CPU_GROUP_BUILDER_H
#define SITU_CPU_GROUP_BUILDER_H

#include "backend/cpu/interpreter/group.h"
#include "tensor/dtype.h"

enum { SITU_NOT_READ = -1, SITU_AT_END = 1 << 20 };

typedef struct situ_value {
    int alias;     /* the register that holds the same elements; itself if none        */
    int last;      /* the last instruction that reads it, SITU_AT_END: a store or the reduction   */
    bool spread;   /* the same at all positions of a tile                                */
    bool uniform;  /* the same at all positions                                         */
    bool raw;      /* a load that is taken as it is in memory by all who read it        */
    bool only_raw; /* so far, all: stores of its own dtype, and of bools who takes any byte for true */
    int direct;    /* the store that it is computed into, or -1                         */
    uint16_t place;
} situ_value;

typedef struct situ_builder {
    const situ_fused *g;
    situ_program *p;
    const situ_tiles *tiles;
    situ_value v[SITU_FUSED_INSTRUCTIONS];
    bool contiguous[SITU_FUSED_LOADS], uniform[SITU_FUSED_LOADS];
    bool rowwise[SITU_FUSED_LOADS];    /* contiguous or constant along rows of p->row positions           */
    int last_read[SITU_FUSED_LOADS];   /* the instruction after which a load's memory is no longer read */
    int stored[SITU_FUSED_STORES];     /* register                                                       */
    bool spoils[SITU_FUSED_STORES];    /* a store that has a hazard                                      */
    const situ_neighbours *neighbours; /* NULL: no stage of a row program                             */
    situ_tile_place place[SITU_FUSED_PLACES];
    uint16_t moving[SITU_FUSED_PLACES];
    situ_hazard hazard[SITU_FUSED_HAZARDS];
    situ_gathered gathered[SITU_FUSED_LOADS];
    situ_tile_step prologue[SITU_FUSED_STEPS], body[SITU_FUSED_STEPS];
    situ_link link[SITU_FUSED_LINKS];
    uint16_t free[SITU_FUSED_PLACES];
    int nfree;
    int failed;
    uint8_t narrow; /* the dtype that all numbers of the group have and are held in, or SITU_BOOL */
} situ_builder;

/* ---- interpreter/values.c: what can be known before anything has a place ---- */

/* 0, or a negative code with an error raised: the group is not well formed. */
int situ_fused_check(const situ_fused *g);
int situ_refuse_group(const char *what);
/* Which loads are contiguous or the same everywhere; which registers hold the same, who reads them, what is stored. */
void situ_fused_find_values(situ_builder *b);
/* Operands of an instruction: the first ones of registers a, b, c. */
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

/* What elements of a dtype are held in. */
static inline uint8_t situ_held_in(const situ_builder *b, uint8_t dtype)
{
    return dtype == b->narrow ? dtype : (uint8_t)situ_dtype_compute((situ_dtype)dtype);
}

/* ---- interpreter/emit.c: places and steps ---- */

/* The steps of all instructions and stores. Failures are in b->failed. */
void situ_fused_emit(situ_builder *b);
/* A place of its own; a slot that may have held a value before. */
uint16_t situ_fused_place(situ_builder *b, situ_tile_place place);
uint16_t situ_fused_slot(situ_builder *b, size_t size);
void situ_fused_emit_convert(situ_builder *b, bool uniform, uint8_t from, uint8_t to, uint16_t a, uint16_t out);

/* ---- interpreter/chain.c: steps that work in registers, when all steps are there ---- */

void situ_fused_chain(situ_builder *b);

#endif
