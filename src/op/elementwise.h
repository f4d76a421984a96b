/* The table of elementwise operations, made from elementwise.def.
 *
 *     const situ_el_row *row = &situ_el_rows[SITU_EL_tanh];     // row->arity 1, row->value "tanh(A)"
 */
#ifndef SITU_OP_ELEMENTWISE_H
#define SITU_OP_ELEMENTWISE_H

#include <situ/dtype.h>

typedef enum situ_el {
#define EL1(name, kind, value, ga, lo, hi, doc) SITU_EL_##name,
#define EL2(name, kind, value, ga, gb, lo, hi, doc) SITU_EL_##name,
#define EL3(name, kind, value, ga, gb, gc, lo, hi, doc) SITU_EL_##name,
#include "op/elementwise.def"
#undef EL1
#undef EL2
#undef EL3
    SITU_EL_COUNT
} situ_el;

/* What an operation takes and gives. */
typedef enum situ_el_kind {
    SITU_EL_FLOAT,     /* floats; others are promoted to f32 as they are recorded  */
    SITU_EL_NUMBER,    /* integers and floats                                      */
    SITU_EL_ROUND,     /* integers (which stay as they are) and floats             */
    SITU_EL_INTEGER,   /* integers                                                 */
    SITU_EL_BITS,      /* integers and bool                                        */
    SITU_EL_LOGIC,     /* bool                                                     */
    SITU_EL_COMPARE,   /* integers, floats and bool; gives bool                    */
    SITU_EL_EQUAL,     /* anything; gives bool                                     */
    SITU_EL_PREDICATE, /* integers and floats; gives bool                          */
    SITU_EL_SELECT,    /* a bool, then two of any dtype                            */
    SITU_EL_TO_F32,    /* the bits of a u32 as f32 ...                             */
    SITU_EL_TO_U32,    /* ... of an f32 as u32                                     */
    SITU_EL_TO_F64,    /* ... of a u64 as f64                                      */
    SITU_EL_TO_U64     /* ... of an f64 as u64                                     */
} situ_el_kind;

typedef struct situ_el_row {
    const char *name;    /* "tanh"                                                */
    const char *value;   /* "tanh(A)"                                             */
    const char *grad[3]; /* "situ_mul(...)", "ZERO" or "NONE"; NULL past the arity */
    const char *doc;
    int arity;
    situ_el_kind kind;
    double lo, hi; /* the range that tests draw operands from               */
} situ_el_row;

extern const situ_el_row situ_el_rows[SITU_EL_COUNT];

/* What the operations of a kind take and give: the one place of their dtypes. Classes of dtypes are bits: 1 << situ_dtype_rank. */
typedef struct situ_el_rule {
    uint8_t takes;           /* operands of these classes, when an operation is recorded ... */
    uint8_t computes;        /* ... and these its kernels compute in: others are converted before */
    uint8_t only;            /* 1 + the one dtype that it takes, 0: all of those classes */
    uint8_t gives;           /* 1 + the dtype of the result, 0: that of the operands */
    const char *mend;        /* what to write where it takes no such operands */
    const char *no_gradient; /* why its rows say NONE */
} situ_el_rule;
extern const situ_el_rule situ_el_rules[];

/* Whether op is defined for operands of compute dtype d (for `where`: of its second and third operand). */
bool situ_el_takes(situ_el op, situ_dtype d);
/* The dtype of the result for operands of compute dtype d. */
situ_dtype situ_el_result(situ_el op, situ_dtype d);
/* What the gradient by an operand reads: 1, 2, 4 for operands a, b, c and 128 for the result. */
unsigned situ_el_grad_reads(situ_el op, int operand);

#endif
