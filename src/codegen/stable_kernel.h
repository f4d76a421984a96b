/* A kernel under construction: its function's text, operands and results. */
#ifndef SITU_CODEGEN_STABLE_KERNEL_H
#define SITU_CODEGEN_STABLE_KERNEL_H

#include "codegen/stable.h"

typedef struct situ_stable_maker {
    situ_stable t;
    situ_stable_kernel *k;
    const situ_call_desc *call; /* or NULL */
    situ_wire result[SITU_STABLE_RESULTS];
    situ_wire error_word;
    const char *refused; /* why there is no text for it; NULL: there is */
} situ_stable_maker;

/* The value at an address of the kernel in this shape, as in memory; situ_stable_loaded converts to the compute dtype. */
situ_wire situ_stable_operand_of(situ_stable_maker *m, int address, int dtype, int ndim, const int64_t *dim, const int64_t *stride);
/* Sets a result, as in memory. */
void situ_stable_give(situ_stable_maker *m, int address, int dtype, situ_wire value);
/* Operand i of the call, as in memory; and in its compute dtype. */
situ_wire situ_stable_in(situ_stable_maker *m, int i);
situ_wire situ_stable_value(situ_stable_maker *m, int i);
/* Sets the call's result from its compute dtype. */
void situ_stable_out(situ_stable_maker *m, situ_wire value);
/* Sets the error word for the first `bad` element of a vector: the code, then the value there and the bound that it
 * violates (NULL: its index, and no bound). */
void situ_stable_fault(situ_stable_maker *m, situ_wire bad, int code, const situ_wire *value, int64_t bound);
/* Writes a loop of `steps` steps over up to SITU_STABLE_CARRIED values; in[0] is an i64 without axes that starts at 0.
 * Code written between the two calls computes next[] from inside[]; next[0] is inside[0] + 1. Afterwards out[] are the
 * final values. */
enum { SITU_STABLE_CARRIED = 4 };
void situ_stable_loop(situ_stable *t, const situ_wire *in, int n, situ_wire *out, situ_wire *inside, int64_t steps);
void situ_stable_loop_end(situ_stable *t, const situ_wire *in, int n, const situ_wire *next, situ_wire *out);
/* Indices below -n or from n on are an error: the first one becomes the error word. Returns the indices in [0, n). */
situ_wire situ_stable_checked(situ_stable_maker *m, situ_wire index, int64_t n, bool labels);

void situ_stable_group(situ_stable_maker *m, const situ_fused *g);
/* One function for each family of calls; false: the operation is not in this family. */
bool situ_stable_moves(situ_stable_maker *m);
bool situ_stable_products(situ_stable_maker *m);
bool situ_stable_windows(situ_stable_maker *m);
bool situ_stable_orders(situ_stable_maker *m);
bool situ_stable_indexes(situ_stable_maker *m);
bool situ_stable_scans(situ_stable_maker *m);
bool situ_stable_linear(situ_stable_maker *m);
bool situ_stable_complex(situ_stable_maker *m);

#endif
