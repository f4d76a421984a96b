/* What one language says differently from the others in the text of a kernel. A new language is a row: its words, its
 * names of types, and how its kernels walk over a domain. The other files write the rest:
 *
 *   group_text    one position of a group as the function NAME_at: loads, instructions, stores
 *   cast_text     conversions between dtypes
 *   random_text   Threefry
 *   math_text     those functions of op/math_*.inc that are needed
 *   text_op       a function for each operation, from its value text in op/elementwise.def
 *
 *   parallel      kernels of work-groups, for OpenCL and CUDA
 *
 * Text is written with the words of math/vocabulary.inc, under prefixes by compute dtype, and with the types bool_F,
 * i32_F, u32_F, i64_F, u64_F, f32_F and f64_F, all of which math/words_scalar.inc defines; `words` says before that
 * what the language calls the few things that are not C everywhere. */
#ifndef SITU_CODEGEN_DIALECT_H
#define SITU_CODEGEN_DIALECT_H

#include "op/elementwise.h"
#include "plan/kernel.h"

#include "base/text.h"

typedef struct situ_dialect {
    const char *name;
    const char *options;           /* compiler options that make all devices give the same bits */
    const char *words;             /* op/words_*.inc: the text at the start of every kernel */
    const char *global;            /* qualifier of the element type in pointers to a tensor's elements */
    bool offsets;                  /* parallel kernels get memory objects and offsets instead of addresses */
    bool packs;                    /* a work-item may load and store four neighbours at once, and the language has SHUFFLE_DOWN */
    int vector;                    /* bytes of the vectors that texts with explicit vectors use; 0: none */
    const char *unroll;            /* written before loops whose loads should overlap */
    const char *type[SITU_DTYPES]; /* [dtype] type of an element in memory */
    /* Writes the kernel, which calls NAME_at for its positions and reduces the results. NULL: the functions are for a
     * kernel written elsewhere. */
    void (*kernel)(situ_source *t, const struct situ_dialect *d, const situ_fused *g, const char *name);
} situ_dialect;

extern const situ_dialect situ_dialect_opencl, situ_dialect_opencl_cpu, situ_dialect_cuda;

#endif
