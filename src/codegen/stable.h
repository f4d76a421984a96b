/* StableHLO: texts of whole tensors instead of loops. A wire is the value of one operation of the text: its number,
 * element type and shape. Every function adds an operation to the text and gives its wire. A function of the text
 * takes vectors, one for each operand's memory, and words, and gives vectors.
 *
 *     situ_wire x = situ_stable_view(t, situ_stable_argument(0, SITU_F32, 6), 0, 2, dim, stride);
 *     situ_wire y = situ_stable_2(t, "add", x, x); */
#ifndef SITU_CODEGEN_STABLE_H
#define SITU_CODEGEN_STABLE_H

#include "base/text.h"
#include "plan/kernel.h"

enum { SITU_WIRE_DIMS = 12 };

typedef struct situ_wire {
    int id;
    uint8_t type, ndim; /* a situ_dtype; SITU_BOOL: one bit, stored in memory as u8 */
    int64_t dim[SITU_WIRE_DIMS];
} situ_wire;

typedef struct situ_stable {
    situ_source text;
    int next; /* number of the next wire; smaller ones are the function's arguments */
    int words;
} situ_stable;

/* ---- kernels ---- */

/* An operand of a kernel: elements from `first` on, relative to its address, of which it reads `count`. */
typedef struct situ_stable_operand {
    uint8_t dtype;
    int address;
    int64_t low, extent;
    int64_t row; /* rows of this length if they form a matrix; 0: a vector */
} situ_stable_operand;
typedef struct situ_stable_result {
    uint8_t dtype;
    int address;
    int64_t count, row;
} situ_stable_result;
enum { SITU_STABLE_OPERANDS = 64, SITU_STABLE_RESULTS = SITU_FUSED_STORES + 1 };

typedef struct situ_stable_kernel {
    char *body; /* a function without its name: (vectors of operands, words if any) -> vectors of results, then the error word */
    int operands, results, words;
    bool can_fail; /* it has one more result, i64[4], the fault: its situ_code or 0, value, bound, position */
    situ_stable_operand operand[SITU_STABLE_OPERANDS];
    situ_stable_result result[SITU_STABLE_RESULTS];
} situ_stable_kernel;

/* 0, or an error: SITU_UNSUPPORTED if there is no text for it. */
int situ_stable_kernel_of(const situ_kernel_desc *desc, situ_stable_kernel *k);

/* ---- programs: sequences of kernels ---- */

/* Elements of a vector: of an argument, or of an earlier kernel's result. */
typedef struct situ_stable_from {
    int32_t step, of; /* step -1: argument `of`; else result `of` of that step */
    int64_t count;    /* number of elements that it has ... */
    int64_t first;    /* ... of which the operand takes those from here on ... */
    int32_t word;     /* ... or from a run-time position, which is this word of the program; -1: none */
    int32_t later;    /* 0; fills the padding, so that structs can be hashed */
} situ_stable_from;

typedef struct situ_stable_step {
    const situ_stable_kernel *kernel;
    int32_t same, word;              /* the first step with the same text; where its words begin */
    const situ_stable_from *operand; /* one for each operand ... */
    bool guarded;                    /* ... then for each result the value at its address, which stays if an earlier step failed */
    bool own;                        /* its words are a separate argument */
    bool zeros;                      /* its words are 0, so that equal results are computed once */
} situ_stable_step;

typedef struct situ_stable_program {
    const situ_stable_step *step;
    int steps, arguments, results, words;
    const struct situ_stable_argument {
        int64_t count, row;
        int32_t dtype;
        int32_t over; /* the result that may reuse its memory, with the same row length; -1: none */
    } * argument;
    const struct situ_stable_given {
        int32_t step, of;
        int64_t row;
    } * result;
} situ_stable_program;

/* The text of the module. Its arguments are vectors or matrices, then the words, if any, as u64, then the words of
 * each step with separate ones; its results are vectors or matrices, then the concatenated error words of steps that
 * can fail, if any. From situ_malloc; NULL with an error. */
char *situ_stable_program_text(const situ_stable_program *p);

/* ---- wires ---- */

situ_wire situ_stable_argument(int index, int type, int64_t count);
/* Writes a type: "tensor<2x3xf32>". */
void situ_stable_type(situ_source *s, int type, int ndim, const int64_t *dim);
situ_wire situ_stable_1(situ_stable *t, const char *operation, situ_wire a);
situ_wire situ_stable_2(situ_stable *t, const char *operation, situ_wire a, situ_wire b);
/* An operation of CHLO, the companion of StableHLO. */
situ_wire situ_stable_chlo(situ_stable *t, const char *operation, situ_wire a);
/* how: EQ, NE, LT, LE, GT, GE */
situ_wire situ_stable_compare(situ_stable *t, const char *how, situ_wire a, situ_wire b);
situ_wire situ_stable_select(situ_stable *t, situ_wire mask, situ_wire a, situ_wire b);
/* A constant, in the shape of `like`. */
situ_wire situ_stable_number(situ_stable *t, int type, double value, const situ_wire *like);
situ_wire situ_stable_integer(situ_stable *t, int type, int64_t value, const situ_wire *like);
/* Conversion by StableHLO's own rules; and reinterpretation of the bits. */
situ_wire situ_stable_convert(situ_stable *t, situ_wire a, int type);
situ_wire situ_stable_bits(situ_stable *t, situ_wire a, int type);
/* A cast by situ's rules: from a compute dtype to this logical dtype, held in its compute dtype. */
situ_wire situ_stable_cast(situ_stable *t, situ_wire a, situ_dtype to);
/* Conversions from and to the form in memory. */
situ_wire situ_stable_loaded(situ_stable *t, situ_wire a, situ_dtype dtype);
situ_wire situ_stable_stored(situ_stable *t, situ_wire a, situ_dtype held, situ_dtype to);

situ_wire situ_stable_reshape(situ_stable *t, situ_wire a, int ndim, const int64_t *dim);
situ_wire situ_stable_flat(situ_stable *t, situ_wire a);
/* Axis i of a becomes axis axis[i]. */
situ_wire situ_stable_broadcast(situ_stable *t, situ_wire a, int ndim, const int64_t *dim, const int64_t *axis);
/* Axis i of the result is a's axis order[i]. */
situ_wire situ_stable_transpose(situ_stable *t, situ_wire a, const int64_t *order);
situ_wire situ_stable_slice(situ_stable *t, situ_wire a, const int64_t *start, const int64_t *limit, const int64_t *step);
/* The part [start, limit) of one axis. */
situ_wire situ_stable_part(situ_stable *t, situ_wire a, int axis, int64_t start, int64_t limit);
/* Pads; negative low and high remove elements. inside: between two elements. `value` is a wire without axes. */
situ_wire situ_stable_pad(
    situ_stable *t, situ_wire a, situ_wire value, const int64_t *low, const int64_t *high, const int64_t *inside);
situ_wire situ_stable_reverse(situ_stable *t, situ_wire a, unsigned axes);
situ_wire situ_stable_iota(situ_stable *t, int type, int ndim, const int64_t *dim, int axis);
situ_wire situ_stable_concat(situ_stable *t, const situ_wire *part, int parts, int axis);
/* Reduces the axes in this mask. kind: a situ_reduce_kind. */
situ_wire situ_stable_reduce(situ_stable *t, situ_wire a, int kind, unsigned axes);
/* The same by the plugin's own kernels, which may lose NaN in maxima and minima. */
situ_wire situ_stable_reduce_plainly(situ_stable *t, situ_wire a, int kind, unsigned axes);
/* The neutral element of a reduction, without axes. */
situ_wire situ_stable_neutral(situ_stable *t, int type, int kind);
/* Elements of a vector at indices, which are clamped. */
situ_wire situ_stable_gather(situ_stable *t, situ_wire vector, situ_wire place);
/* A strided view of a vector's elements, from `first` on. */
situ_wire situ_stable_view(situ_stable *t, situ_wire vector, int64_t first, int ndim, const int64_t *dim, const int64_t *stride);
/* The range [low, low + extent) of elements that a view reads, relative to its address; extent 0: none. */
void situ_stable_range(int ndim, const int64_t *dim, const int64_t *stride, int64_t *low, int64_t *extent);
/* Run-time word i, as u64, i64 or f64 without axes. */
situ_wire situ_stable_word(situ_stable *t, int i, int type);
/* Writes the name of a wire, " %5"; and the end of an operation, ") : (types) -> type". */
void situ_stable_name(situ_stable *t, situ_wire a);
situ_wire situ_stable_new(situ_stable *t, int type, int ndim, const int64_t *dim);
void situ_stable_signature(situ_stable *t, const situ_wire *in, int n, const situ_wire *out, int results);
void situ_stable_numbers(situ_stable *t, const char *name, int n, const int64_t *number);

/* ---- parts of kernels ---- */

/* stable_math.c: a row of elementwise.def, on wires of one compute dtype. */
situ_wire situ_stable_element(situ_stable *t, int el, situ_dtype d, const situ_wire *operand);
/* stable_random.c: Threefry at flat positions `p` (u64) of n. */
situ_wire situ_stable_random(situ_stable *t, situ_wire key, situ_wire p, int64_t n, int dtype, bool partitionable);

#endif
