/* A kernel in the making: its function's text, operands and results. */
#ifndef SITU_CODEGEN_STABLE_KERNEL_H
#define SITU_CODEGEN_STABLE_KERNEL_H

#include "codegen/stable.h"

typedef struct situ_stable_maker {
    situ_stable t;
    situ_stable_kernel *k;
    const situ_call_desc *call; /* or NULL */
    situ_wire result[SITU_STABLE_RESULTS];
    situ_wire error_word;
    const char *refused; /* why it has no text; NULL: it has */
} situ_stable_maker;

/* What lies at an address of the kernel in this shape, as memory holds it; in the compute dtype: situ_stable_loaded. */
situ_wire situ_stable_operand_of(situ_stable_maker *m, int address, int dtype, int ndim, const int64_t *dim, const int64_t *stride);
/* A result as memory holds it. */
void situ_stable_give(situ_stable_maker *m, int address, int dtype, situ_wire value);
/* Operand i of the call, as memory holds it, and its compute dtype. */
situ_wire situ_stable_in(situ_stable_maker *m, int i);
situ_wire situ_stable_value(situ_stable_maker *m, int i);
/* The call's result, from its compute dtype. */
void situ_stable_out(situ_stable_maker *m, situ_wire value);
/* The first of a vector that is bad becomes the error word: the code, then a value there and the bound that it broke (NULL: which
 * one it is, and none). */
void situ_stable_fault(situ_stable_maker *m, situ_wire bad, int code, const situ_wire *value, int64_t bound);
/* A loop of so many steps over up to SITU_STABLE_CARRIED values, of which in[0] is an i64 without axes that starts at 0: what is
 * written between the two calls makes next[] of inside[]; next[0] is inside[0] + 1. Afterwards out[] is what they were at the end.
 * */
enum { SITU_STABLE_CARRIED = 4 };
void situ_stable_loop(situ_stable *t, const situ_wire *in, int n, situ_wire *out, situ_wire *inside, int64_t steps);
void situ_stable_loop_end(situ_stable *t, const situ_wire *in, int n, const situ_wire *next, situ_wire *out);
/* Indices below -n or from n on are an error: the first one, in place, becomes the error word. Gives them in [0, n). */
situ_wire situ_stable_checked(situ_stable_maker *m, situ_wire index, int64_t n, bool labels);

void situ_stable_group(situ_stable_maker *m, const situ_fused *g);
/* One family of calls each: false: the operation is not of this family. */
bool situ_stable_moves(situ_stable_maker *m);
bool situ_stable_products(situ_stable_maker *m);
bool situ_stable_windows(situ_stable_maker *m);
bool situ_stable_orders(situ_stable_maker *m);
bool situ_stable_indexes(situ_stable_maker *m);
bool situ_stable_scans(situ_stable_maker *m);
bool situ_stable_linear(situ_stable_maker *m);
bool situ_stable_complex(situ_stable_maker *m);

#endif
