/* Products as text, where the operands need not lie as matrices: the family writes what a row and a column are, and
 * two kernels here go over them. Blocks of both operands are copied together, each work-item keeps several results in
 * registers, and each result is one chain of multiply-adds over the depth in order (or chains over 256 of it, added
 * up).
 *
 *   squares   256 work-items share tiles in local memory, a rectangle of results to each: GPUs
 *   vectors   a work-item alone, 6 rows of 2 vectors at a time: CPUs (dialects with `vector`)
 *
 * The family has written before the kernel, on top of situ_matmul_types:
 *
 *   part_F part_of(u64_F n)                                     product n of those that are side by side
 *   spot_F spot_of(part_F p, i64_F j)                           column j: where it begins in the right operand, and in the result
 *   C a_at(GLOBAL const E *x, part_F p, i64_F i, at_F k)        element k of row i
 *   C b_at(GLOBAL const E *x, part_F p, spot_F s, at_F k)       element k of a column
 * i64_F line_at(part_F p, spot_F s, at_F k, at_F *v) for vectors: where its row begins, or -1 outside; *v: which of
 * the row it is
 *
 * Result [i, j] goes to OUT[spot.to + i * plane]. */
#ifndef SITU_CODEGEN_MATMUL_TEXT_H
#define SITU_CODEGEN_MATMUL_TEXT_H

#include "codegen/call_text.h"

typedef struct situ_matmul_text {
    long long rows, columns, parts; /* columns: the largest number in a part */
    long long plane;
    int left, right; /* index of the operands */
    bool chains;     /* chains over 256, which are then added up */
    bool wide;       /* positions do not fit into 32 bits */
    const char
        *fill; /* vectors: text that copies a panel of the right operand, whose columns are contiguous in the result, or NULL */
    int step;  /* vectors without `fill`: distance in the right operand of neighbours in a row; line_at gives the row's start */
    long long across; /* ... and number of elements in such a row */
} situ_matmul_text;

/* True: the dialect uses vectors for this dtype, with f32 and f64 inside. */
bool situ_matmul_is_vector(const situ_dialect *d, situ_dtype dtype);
void situ_matmul_pass(const situ_matmul_text *p, const situ_dialect *d, situ_dtype dtype, situ_pass *pass);
/* Writes the types part_F, spot_F, at_F and V. */
void situ_matmul_types(situ_source *t, const situ_matmul_text *p, const situ_dialect *d, situ_dtype dtype);
void situ_matmul_body(situ_source *t, const situ_matmul_text *p, const situ_dialect *d, situ_dtype dtype);

#endif
