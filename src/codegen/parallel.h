/* Kernels of work-groups: what OpenCL and CUDA have in common. A group or a call becomes one text with one or more
 * passes, kernels that run one after the other:
 *
 *     NAME (pass 0), NAME_1, NAME_2, each with `threads` work-items in each of `blocks` work-groups
 *
 * Every pass has the same parameters: the addresses in the order of the kernel's description, the workspace last; then
 * the argument words, by value. In a dialect with offsets an address is an object's pointer, and the byte offset into
 * it is among the words in front; where that would be too many parameters, all words lie in one more object (table).
 * Without offsets the table holds addresses and words, and is the only parameter. */
#ifndef SITU_CODEGEN_PARALLEL_H
#define SITU_CODEGEN_PARALLEL_H

#include "codegen/dialect.h"

enum { SITU_PASSES = 4, SITU_PARALLEL_PARAMETERS = 1024, SITU_PARALLEL_BYTES = 4000 };

typedef struct situ_pass {
    int threads;
    int64_t blocks;
} situ_pass;
typedef struct situ_passes {
    int count;
    situ_pass pass[SITU_PASSES];
    size_t workspace; /* in bytes */
} situ_passes;

/* How a group runs; follows from its shape and the dialect alone. */
situ_passes situ_fused_passes(const situ_fused *g, const situ_dialect *d);

/* Row programs: a work-group for each row, which does the groups one after the other. Values that nobody else reads
 * are in the workspace. Text: NULL with an error. */
situ_passes situ_row_program_passes(const situ_row_program *s, const situ_dialect *d);
char *situ_row_program_text(const situ_row_program *s, int naddress, int nargument, const char *name, const situ_dialect *d);

/* True if the words (and without offsets the addresses) are passed in a table; naddress includes the workspace. */
bool situ_parallel_table(const situ_dialect *d, int naddress, int nword);

/* The function dialect->kernel of parallel dialects. */
void situ_parallel_kernel(situ_source *t, const situ_dialect *d, const situ_fused *g, const char *name);
/* Writes "KERNEL(64) NAME_1(...)\n{\n" and the words as `argument`; afterwards addresses are ADDRESS(0), ADDRESS(1),
 * ... */
void situ_parallel_open(
    situ_source *t, const situ_dialect *d, const char *name, int pass, int threads, int naddress, int nword, bool can_fail);

#endif
