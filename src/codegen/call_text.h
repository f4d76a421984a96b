/* Structured operations as text for parallel dialects: one file call_*.c for a family. What is not in the table of
 * call_text.c has no text yet; a backend then says so, or computes it otherwise.
 *
 *     situ_passes passes;
 *     if (situ_call_passes(call, &situ_dialect_opencl, &passes)) text = situ_call_text(call, nargument, "k", &situ_dialect_opencl);
 *
 * A kernel's addresses are the result, the operands, the workspace if there is one. Kernels of operations that can
 * fail have one more parameter, `fault`: 32 bytes that were 0, then {int: not 0 if something failed; int at byte 4:
 * its situ_code, 0 for SITU_BAD_INDEX; i64 at byte 8: the value, at byte 16: its bound, at byte 24: 1 + its place
 * among the indices}. */
#ifndef SITU_CODEGEN_CALL_TEXT_H
#define SITU_CODEGEN_CALL_TEXT_H

#include "codegen/parallel.h"
#include "graph/op.h"

/* Describes how it runs; false: there is no text for this call. */
bool situ_call_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *passes);
/* NULL with an error: out of memory. */
char *situ_call_text(const situ_call_desc *c, int nargument, const char *name, const situ_dialect *d);

/* The same in parts, for a language without parallel kernels: what comes before the passes, and the statements of a pass. */
void situ_call_front(situ_source *t, const situ_call_desc *c, const situ_dialect *d);
void situ_call_pass(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass);

/* ---- for the families ------------------------------------------------------------------------------------------------ */

enum { SITU_CALL_THREADS = 256 };

typedef struct situ_call_family {
    const char *op;
    bool (*passes)(const situ_call_desc *c, const situ_dialect *d,
        situ_passes *passes); /* NULL: one pass, a work-item for each element of the result */
    /* Writes the body of a pass: what comes between the words and the closing brace. */
    void (*body)(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass);
    /* Writes what comes before the kernels, or NULL. */
    void (*functions)(situ_source *t, const situ_call_desc *c, const situ_dialect *d);
} situ_call_family;
/* Each ends with a row without a name. */
extern const situ_call_family situ_call_move[], situ_call_matmul[], situ_call_conv[], situ_call_order[], situ_call_scan[],
    situ_call_random[], situ_call_complex[], situ_call_find[], situ_call_fft[], situ_call_linalg[];
extern const situ_call_family *const situ_call_families[]; /* all of these, then NULL */
/* For operations with one body for all devices, op/kernel.h. */
extern const situ_call_family situ_call_kernel;
/* For elementwise operations on complex numbers, whatever their names. */
extern const situ_call_family situ_call_complex_value;

static inline situ_pass situ_pass_for(int64_t items)
{
    return (situ_pass){SITU_CALL_THREADS, (items + SITU_CALL_THREADS - 1) / SITU_CALL_THREADS};
}
/* call_tools.c: writes "    u64_F p = ...; if (p >= count) return;". */
void situ_call_each(situ_source *t, int64_t count);
/* Writes "#define NAME(q) (...)": the position in memory of element q of a layout, in row-major order. */
void situ_call_strided(situ_source *t, const char *name, const situ_layout *l);
/* A layout as [outer, n, inner] around one axis. */
typedef struct situ_lines {
    long long outer, n, inner;
} situ_lines;
situ_lines situ_call_lines(const situ_layout *l, int axis);

/* Definitions for the text: OUT, IN0, IN1, ... are pointers to elements as stored; E is the type of an element of the
 * result, C the type that it computes in; LOAD(x) and STORE(x) convert; ADD(a, b) and PRODUCT_ADD(sum, a, b) are
 * arithmetic of C, which wraps; ZERO and ONE are constants; REFUSE(value, bound, place) and REFUSE_AS(code, value) set
 * the fault. KEY(x) maps elements of IN0 to ordered u64. */

#endif
