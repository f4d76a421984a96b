/* What a backend compiles: a fused group of elementwise work, possibly ending in a reduction, or one structured call. */
#ifndef SITU_PLAN_KERNEL_H
#define SITU_PLAN_KERNEL_H

#include "op/elementwise.h"
#include "graph/op.h"

enum { SITU_FUSED_INSTRUCTIONS = 120, SITU_FUSED_LOADS = 16, SITU_FUSED_STORES = 64, SITU_FUSED_WORDS = 48 };

/* An instruction of a group. Registers are numbered by instruction. A register of logical dtype D holds elements of
 * D's compute dtype (situ_dtype_compute): an f16 value is an f32 that is already rounded. */
typedef enum situ_instruction_kind {
    SITU_DO_LOAD,     /* load[a] at this position, as its dtype's compute dtype                                     */
    SITU_DO_ARGUMENT, /* run-time word a: i64 if b == 0, f64 if b == 1, converted to dtype (i64 wraps, f64 rounds) */
    SITU_DO_IOTA,     /* (flat position / p) % q as dtype (an integer dtype or f32, f64)                            */
    SITU_DO_RANDOM,   /* random bits of dtype u32 or u64 for the flat position out of q; key: load[a], u32[2]; p: 0 JAX's original
                       * layout, 1 the partitionable one */
    SITU_DO_ELEMENT,  /* the function in elementwise.def's row `el` of registers a, b, c; `from` is the operands' compute dtype */
    SITU_DO_CAST      /* converts register a from logical dtype `from` to `dtype`; from == dtype rounds an unrounded result (f16,
                       * bf16: through storage; small integers wrap) */
} situ_instruction_kind;

typedef struct situ_instruction {
    uint8_t kind, dtype, from, a, b, c;
    uint16_t el;
    int64_t p, q;
} situ_instruction;

/* A strided operand; strides in elements, for each dimension of the group's domain. */
typedef struct situ_load {
    uint8_t dtype;
    int64_t stride[8];
} situ_load;

/* A group of fused operations. The domain has ndim dimensions, which are traversed in row-major order; stores write
 * register `a` contiguously in that order. With reduction >= 0 the domain is also [A,R,C], and register
 * reduce_register is reduced over R, in the order that DESIGN.md gives under Numbers, to a contiguous result of A*C
 * elements of reduce_out dtype: along the last axis if C == 1 (row rule), else by columns. reduce_dtype is the logical
 * dtype of the accumulation. */
typedef struct situ_fused {
    int ndim;
    int64_t dim[8];
    int ninstruction, nload, nstore, nword;
    situ_instruction instruction[SITU_FUSED_INSTRUCTIONS];
    situ_load load[SITU_FUSED_LOADS];
    struct {
        uint8_t from_register, dtype;
    } store[SITU_FUSED_STORES];
    bool guarded;  /* it overwrites variables, on a backend with `guard`: its kernel has one more parameter, and does nothing if the
                    * word that it points to is set */
    int reduction; /* -1 or a situ_reduce_kind */
    uint8_t reduce_register, reduce_dtype, reduce_out;
    bool may_lose_nan; /* see situ_reduce_attr */
    int64_t A, R, C;
} situ_fused;

/* A row program: groups over the same number of rows, which run one after the other on a few rows at a time. So what
 * one group makes and the next reads stays in the cache. Each group's domain is [rows, length]; reductions are along
 * rows (C = 1); what a group reads of another one's result is in the same row. */
enum { SITU_ROW_STAGES = 16, SITU_ROW_LOCALS = 32 };
typedef struct situ_stage {
    const situ_fused *group;
    int64_t length;         /* elements of a row */
    int naddress, word;     /* number of the group's addresses, and the index of its first word among the kernel's */
    const int16_t *address; /* indices of the kernel's addresses, or -1 - k for local value k */
    const int16_t *memory;  /* [address] the first address of all stages that is in the same value's memory */
} situ_stage;
typedef struct situ_row_program {
    int64_t rows;
    int nstage, nlocal;
    situ_stage stage[SITU_ROW_STAGES];
    int64_t local[SITU_ROW_LOCALS]; /* bytes of a row of each local value, which no other step reads */
} situ_row_program;

/* A group beside a call is the call's post-op. It reads the call's result (contiguous, rounded to its dtype) element
 * by element, so that its instructions, applied to each finished part of the result, give the bits of two steps. If a
 * backend accepted it (`takes`), the result is load 0 of the post-op, has no other reader, and shares its address with
 * the only store of the post-op. */
typedef struct situ_kernel_desc {
    const char *name;        /* for traces: "add+exp+sum", "matmul" */
    const situ_fused *group; /* exactly one of the three; or, with call, also its post-op */
    const situ_call_desc *call;
    const situ_row_program *row_program; /* only for backends that support row programs */
    int naddress;                        /* group: stores, then the reduction's result if any, then loads, then workspace if any */
                                         /* call: result, operands, then the post-op's; words in the same order */
    int nargument;
    size_t workspace;
    double flops, bytes;  /* estimates of the cost model */
    const char *refusals; /* output, for situ_explain: implementations that refused, and why (may be NULL) */
} situ_kernel_desc;

#endif
