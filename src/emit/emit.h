/* A network as one C file. The planner makes a plan for a device of this folder, which keeps what it is asked to compile; then each
 * step becomes a function of loops with constant bounds.
 *
 *   record    the device: keeps the descriptions of kernels
 *   program   the plan of the results, the weights, the memory, the texts in their order
 *   group     a step of elementwise work, perhaps with a reduction at its end
 *   call      a structured operation: from the one body that all devices share, or one of
 *   product   products and convolutions, in the order of the CPU's kernels
 *   attention heads of attention,
 *   norm      norms, in the order of the CPU's kernels
 *   network   the public function */
#ifndef SITU_EMIT_EMIT_H
#define SITU_EMIT_EMIT_H

#include "codegen/dialect.h"
#include "codegen/math_text.h"
#include "graph/walk.h"
#include "plan/plan.h"

extern const situ_dialect situ_dialect_c99;
extern const char situ_text_words_c99[], situ_text_norm_c99[];

/* record.c: what the device keeps of a kernel. */
typedef struct situ_emit_kernel {
    bool is_call;
    situ_fused group;
    situ_call_desc call; /* its attributes are the plan's */
    int words;
    situ_layout in[];
} situ_emit_kernel;
extern const situ_backend situ_backend_emit;

/* An array of the file that holds values of the program: a weight. */
typedef struct situ_emit_array {
    const char *address;
    situ_dtype dtype;
    int64_t count;
} situ_emit_array;

typedef struct situ_emitted {
    const char *name, *upper, *header; /* prefix of the file's names: "net", "NET"; the header's file name */
    situ_site site;
    situ_tensor **input, **result; /* nodes */
    int inputs, results;
    const situ_walk *walk;
    const situ_plan *plan;
    const situ_plan_step *step; /* the one that is being written, and its number */
    uint32_t number;
    situ_arena arena;
    situ_emit_array *array; /* in the order of their numbers */
    uint32_t arrays;
    int32_t *array_of; /* [node] number of its array, or -1 */
    int64_t *room;     /* [persistent] offset in the arena, or -1 - k for result k */
    int64_t arena_bytes, weight_bytes;
    situ_math math;
    situ_source helpers, steps, calls; /* functions that are shared; a function for each step; the statements that call them */
    bool halves, random, norms, can_fail;
    char refusal[256]; /* why this step cannot be written; "": it can */
} situ_emitted;

/* program.c. Writes all of a program into two texts, which the caller frees by situ_free. The results are pending, their inputs are
 * stored. 0, or a negative code with an error: then *source and *header are NULL. */
int situ_emit_program(situ_tensor *const *result, int results, situ_tensor *const *input, int inputs, const char *name,
    const char *header_name, char **source, char **header, situ_site site);
/* Each of these writes the function NAME_step_N of the present step. */
void situ_emit_group_step(situ_emitted *e, const situ_emit_kernel *k);
void situ_emit_call_step(situ_emitted *e, const situ_emit_kernel *k);
/* True: it was written, or refused, in an order of its own. */
bool situ_emit_product(situ_emitted *e, const situ_call_desc *c);
bool situ_emit_norm(situ_emitted *e, const situ_call_desc *c);
bool situ_emit_attention(situ_emitted *e, const situ_call_desc *c);
/* Bytes of workspace that these need. */
size_t situ_emit_attention_room(const situ_call_desc *c);

/* Says why the present step cannot be written. */
void situ_emit_refuse(situ_emitted *e, const char *format, ...) SITU_PRINTF(2, 3);
/* Opens the step's function, "static void net_step_4(float *b0, const float *b1)\n{\n": a result, operands, workspace. */
void situ_emit_open(situ_emitted *e, const situ_call_desc *c, bool workspace);
static inline const char *situ_emit_type(int dtype) { return situ_dialect_c99.type[dtype]; }

#endif
