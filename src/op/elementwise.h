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

/* Which dtypes an operation takes and returns. */
typedef enum situ_el_kind {
    SITU_EL_FLOAT,     /* floats; other dtypes are converted to f32 when the operation is recorded */
    SITU_EL_NUMBER,    /* integers and floats                                      */
    SITU_EL_ROUND,     /* integers (unchanged) and floats */
    SITU_EL_INTEGER,   /* integers                                                 */
    SITU_EL_BITS,      /* integers and bool                                        */
    SITU_EL_LOGIC,     /* bool                                                     */
    SITU_EL_COMPARE,   /* integers, floats and bool; returns bool */
    SITU_EL_EQUAL,     /* any dtype; returns bool */
    SITU_EL_PREDICATE, /* integers and floats; returns bool */
    SITU_EL_SELECT,    /* a bool, then two of any dtype */
    SITU_EL_TO_F32,    /* reinterprets a u32 as f32 ... */
    SITU_EL_TO_U32,    /* ... an f32 as u32 */
    SITU_EL_TO_F64,    /* ... a u64 as f64 */
    SITU_EL_TO_U64     /* ... an f64 as u64 */
} situ_el_kind;

typedef struct situ_el_row {
    const char *name;    /* such as "tanh" */
    const char *value;   /* such as "tanh(A)" */
    const char *grad[3]; /* [operand] "situ_mul(...)", "ZERO" or "NONE"; NULL past the arity */
    const char *doc;
    int arity;
    situ_el_kind kind;
    double lo, hi; /* the range from which tests draw operands */
} situ_el_row;

extern const situ_el_row situ_el_rows[SITU_EL_COUNT];

/* Dtypes that operations of a kind take and return. Classes of dtypes are bits: 1 << situ_dtype_rank. */
typedef struct situ_el_rule {
    uint8_t takes;           /* classes of operands accepted when an operation is recorded ... */
    uint8_t computes;        /* ... and classes that its kernels compute in; others are converted before */
    uint8_t only;            /* 1 + the only dtype that it accepts, 0: all of those classes */
    uint8_t gives;           /* 1 + the dtype of the result, 0: that of the operands */
    const char *mend;        /* hint for the error if operands have another class */
    const char *no_gradient; /* reason for NONE in its rows */
} situ_el_rule;
extern const situ_el_rule situ_el_rules[];

/* Is op defined for operands of compute dtype d (for `where`: of its second and third operand)? */
bool situ_el_takes(situ_el op, situ_dtype d);
/* The dtype of the result for operands of compute dtype d. */
situ_dtype situ_el_result(situ_el op, situ_dtype d);
/* What the gradient by an operand reads: bits 1, 2, 4 for operands a, b, c and 128 for the result. */
unsigned situ_el_grad_reads(situ_el op, int operand);

#endif
