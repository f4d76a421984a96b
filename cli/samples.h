/* A call of each operation with operands that suit it: cli/samples.def, and those of op/elementwise.def and
 * op/complex.def. */
#ifndef CLI_SAMPLES_H
#define CLI_SAMPLES_H

#include <situ.h>

enum { SAMPLE_OPERANDS = 6 };

/* REAL_ are floats of the dtype that is asked for. */
typedef enum sample_type {
    REAL_ANY,
    REAL_SIGN,      /* -1 or 1 */
    REAL_DISTINCT,  /* at least 0.37 apart */
    REAL_ZEROS,     /* from 0.5 to 2, and some zeros */
    REAL_MATRIX,    /* far from singular, singular values apart */
    REAL_SYMMETRIC, /* and positive definite, eigenvalues apart */
    REAL_FIXED,     /* from 0.2 to 0.8, an option: no gradient by it */
    REAL_INCREASING,
    REAL_COMPLEX,  /* complex numbers made of real ones */
    INTEGER_ANY,   /* i64 if f64 is asked for, else i32 */
    INTEGER_INDEX, /* i64 */
    INTEGER_INCREASING,
    INTEGER_U8,
    INTEGER_U32,
    INTEGER_U64,
    REAL_F32, /* of the one dtype that the operation takes */
    REAL_F64,
    TRUTH,      /* the dtype asked for where only truth counts, else bool */
    TRUTH_MASK, /* bool; true above lo of 1 */
    RANDOM_KEY,
} sample_type;

typedef struct sample_kind {
    sample_type type;
    double lo, hi;
} sample_kind;
#include "sample_kinds.inc"

typedef struct sample_operand {
    const char *name; /* as the header has it */
    sample_kind kind;
    situ_shape shape;
} sample_operand;

typedef struct sample {
    const char *header, *name; /* "elementwise", "complex" or the public header without its folder; the function without "situ_" */
    situ_tensor *(*call)(situ_tensor **in, situ_device here);
    sample_operand operand[SAMPLE_OPERANDS];
} sample;

extern const sample samples[];
extern const int sample_count;

int sample_operands(const sample *s);
int64_t sample_size(const sample_operand *o);
/* The numbers of operand k, which are the same ones each time; `out` has room for sample_size. */
void sample_values(const sample *s, int k, double *out);
situ_dtype sample_dtype(const sample_operand *o, situ_dtype real);
/* Operand k of these numbers, cast by the CPU to its dtype where `real` is asked for; of a complex one, its real part. */
situ_tensor *sample_tensor(const sample *s, int k, const double *values, situ_dtype real, situ_device device);
/* The operand itself. */
situ_tensor *sample_given(const sample *s, int k, situ_tensor *x);
/* All operands. */
void sample_tensors(const sample *s, situ_dtype real, situ_device device, situ_tensor **in);

#endif
