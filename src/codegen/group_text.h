/* A fused group as source text: any group that the planner makes, in any dialect.
 *
 *     char *text = situ_fused_text(group, "kernel", &situ_dialect_cuda);   // a whole translation unit, by situ_malloc
 *
 * The text holds the dialect's words, the operations and casts that the group needs, NAME_at, which does the group's
 * instructions at one position (loads, stores, and the value to reduce), and the kernel NAME around it. Several texts
 * may stand in one file: what they share is guarded. Compiled with the dialect's options it gives the bits that the
 * interpreter gives (each operation rounds to its dtype; sums have one written order). A store may be in the memory of
 * a contiguous load. Tests have a dialect of C (tests/support/dialect_c.h). */
#ifndef SITU_CODEGEN_GROUP_TEXT_H
#define SITU_CODEGEN_GROUP_TEXT_H

#include "codegen/dialect.h"
#include "codegen/math_text.h"

/* NULL with an error: the group is not well formed, or out of memory. */
char *situ_fused_text(const situ_fused *g, const char *function_name, const situ_dialect *d);

/* The same in parts, for files that hold many groups: the functions that it needs are added to `math`, operations and casts to
 * `helpers` (each in a guard), NAME_at and what reduces go to `body`. 0, or a negative code with an error. */
int situ_fused_parts(const situ_fused *g, const char *function_name, const situ_dialect *d, situ_math *math, situ_source *helpers,
    situ_source *body);

/* True if the text also has NAME_four(..., first): positions first to first + 3, whose contiguous loads and stores are
 * packs of four, aligned to 16 bytes. Not for groups dominated by arithmetic. */
bool situ_fused_packs(const situ_fused *g, const situ_dialect *d);
/* The same for a group that is reduced along rows: NAME_four(..., first, result) returns the reduced operands at the
 * four positions. */
bool situ_fused_quads(const situ_fused *g, const situ_dialect *d);
/* The axis along which transposed loads are contiguous; -1: there are no such loads. Tiles of this axis and the last
 * one go through local memory. The text then has NAME_load0(l0, at), ... for those loads, as stored, and NAME_tiled,
 * which is NAME_at with their elements as last parameters. */
int situ_fused_tile(const situ_fused *g, const situ_dialect *d);
bool situ_fused_is_tiled(const situ_fused *g, int axis, int load);
/* Describes what is wrong with a group, or NULL. */
const char *situ_fused_fault(const situ_fused *g);
/* The logical dtype of register i. */
situ_dtype situ_fused_register(const situ_fused *g, int i);

#endif
