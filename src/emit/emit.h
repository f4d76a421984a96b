/* A network as one C file. The planner makes a plan for a device of this folder, which keeps what it is asked to compile; then each
 * step becomes a function of loops with constant bounds.
 *
 *   record    the device: keeps the descriptions of kernels
 *   program   the plan of the results, the weights, the memory, the steps in their order
 *   group     a step of elementwise work, perhaps with a reduction at its end
 *   call      a structured operation: from the one body that all devices share, or one of
 *   product   products and convolutions, in the order of the CPU's kernels
 *   attention heads of attention,
 *   norm      norms, in the order of the CPU's kernels
 *   argument  numbers of a training step that change from step to step
 *   state     saving and loading what a training step changes
 *   test      the file's own test
 *   text      the two files
 *   network   the public functions */
#ifndef SITU_EMIT_EMIT_H
#define SITU_EMIT_EMIT_H

#include "codegen/dialect.h"
#include "codegen/math_text.h"
#include "graph/walk.h"
#include "optim/optimizer.h"
#include "optim/rates.h"
#include "plan/plan.h"

extern const situ_dialect situ_dialect_c99;
extern const char situ_text_compiler_c99[], situ_text_fma_c99[], situ_text_words_c99[], situ_text_norm_c99[], situ_text_state_c99[],
    situ_text_rates[];

/* record.c: what the device keeps of a kernel. */
typedef struct situ_emit_kernel {
    bool is_call;
    situ_fused group;
    situ_call_desc call; /* its attributes are the plan's */
    int words;
    situ_layout in[];
} situ_emit_kernel;
extern const situ_backend situ_backend_emit;

/* An array of the file that holds values of the program: a weight. In a file that trains, what a step changes is state: it lies in
 * the context, and the array has its first value. */
typedef struct situ_emit_array {
    const char *address;
    situ_dtype dtype;
    int64_t count;
    int64_t state; /* its offset in the context's state; -1: a constant */
    bool zeros;    /* state that begins with zeros: no array is written */
} situ_emit_array;

/* The arguments of a step's kernels, as they were recorded for one number of the step. Those of three numbers tell what changes. */
typedef struct situ_emit_words {
    int64_t step;
    uint64_t *word;
    uint32_t *first; /* [node] its first one */
    uint32_t count;
    situ_hash key;
    situ_rates rates; /* told by the update rule */
} situ_emit_words;
enum { SITU_EMIT_RECORDED = 3, SITU_EMIT_VALUES = 97 };

/* A function of the file: NAME_run, or NAME_train, whose last input is the target and whose result is the loss. */
typedef struct situ_emit_function {
    bool trains;
    int inputs, results;
    situ_tensor *node[SITU_EMIT_VALUES]; /* inputs, then results, while it is written ... */
    situ_layout shape[SITU_EMIT_VALUES]; /* ... and afterwards */
    situ_source calls;                   /* the statements that call the steps */
    bool can_fail, loss_written, checked;
    int64_t arena_bytes;
} situ_emit_function;

typedef struct situ_emitted {
    const char *name, *upper, *header; /* prefix of the file's names: "net", "NET"; the header's file name */
    situ_site site;
    situ_emit_function function[2], *f; /* f: the one that is being written */
    int functions;
    const situ_walk *walk;
    const situ_plan *plan;
    const situ_plan_step *step; /* the one that is being written; its number in the plan, and the plan's first one in the file */
    uint32_t number, first;
    situ_emit_array *array; /* in the order of their numbers */
    uint32_t arrays, array_room;
    int32_t *array_of; /* [node] number of its array, or -1 */
    int64_t *room;     /* [persistent] offset in the arena, or -1 - k for result k */
    int64_t arena_bytes, weight_bytes, state_bytes, saved_bytes;
    situ_math math;
    situ_source helpers, weights, steps, state,
        test;       /* shared functions; arrays; a function for each step; what saves the state; the
                                                       * values of the file's test */
    uint64_t after; /* hash of the state after a step */
    situ_emit_words words[SITU_EMIT_RECORDED];
    bool *rate_used; /* [rate] */
    bool halves, random, norms, rated;
    int64_t rows;      /* of a training step */
    char refusal[256]; /* why this step cannot be written; "": it can */
} situ_emitted;

/* program.c. A file is begun, gets functions, and becomes two texts, which the caller frees by situ_free. Each returns 0, or a
 * negative code with an error; situ_emit_close is called in any case. */
int situ_emit_begin(situ_emitted *e, const char *name, const char *header_name, char upper[64], situ_site site);
/* e->function[e->functions] has inputs that are stored and results that are pending. One that trains has the thread's assignments.
 * 1: a result is a view or an input: it needs a copy. */
int situ_emit_write(situ_emitted *e);
void situ_emit_close(situ_emitted *e);
/* The number of the array with these values; -1 with an error. */
int32_t situ_emit_array_number(situ_emitted *e, const char *address, situ_dtype dtype, int64_t count, bool state, const char *name);
/* Writes "[3] = {1, 2, 3};". */
void situ_emit_values(situ_source *t, situ_dtype d, int64_t count, const char *from);
static inline situ_tensor **situ_emit_results(situ_emit_function *f) { return f->node + f->inputs; }

/* text.c. */
int situ_emit_texts(situ_emitted *e, char **source, char **header);
void situ_emit_input_name(situ_source *t, const situ_emit_function *f, int i);
void situ_emit_result_name(situ_source *t, const situ_emit_function *f, int i);

/* argument.c. Keeps the arguments of a recorded step, under the planner's lock; number: which of the recordings. */
int situ_emit_hear(situ_emitted *e, int number, const situ_walk *w);
/* Does an argument of the present step follow from the number of the training step? Then its function is given them. */
bool situ_emit_varies(const situ_emitted *e);
/* Writes the arguments of the present step as an array: constant ones into its function, others before its call. */
void situ_emit_arguments(situ_emitted *e, situ_source *t, bool constant);
/* A run-time offset's word; one that varies refuses the step. */
uint64_t situ_emit_word_at(situ_emitted *e, uint32_t node, uint32_t index);
void situ_emit_rates(const situ_emitted *e, situ_source *t);

/* test.c. The values that the file's own test compares: of the present function, whose results are pending. */
int situ_emit_expected(situ_emitted *e, situ_emit_function *f);
void situ_emit_test(const situ_emitted *e, situ_source *t);

/* state.c. What saves and loads the state, as a checkpoint of the library. */
int situ_emit_state(situ_emitted *e, situ_optimizer *opt);

/* Each of these writes the function NAME_step_N of the present step. */
void situ_emit_group_step(situ_emitted *e, const situ_emit_kernel *k);
void situ_emit_call_step(situ_emitted *e, const situ_emit_kernel *k);
/* True: it was written, or refused, in an order of its own. */
bool situ_emit_is_product(const situ_call_desc *c);
bool situ_emit_product(situ_emitted *e, const situ_call_desc *c);
bool situ_emit_norm(situ_emitted *e, const situ_call_desc *c);
bool situ_emit_attention(situ_emitted *e, const situ_call_desc *c);
/* Bytes of workspace that these need. */
size_t situ_emit_attention_room(const situ_call_desc *c);
size_t situ_emit_norm_room(const situ_call_desc *c);

/* Says why the present step cannot be written. */
void situ_emit_refuse(situ_emitted *e, const char *format, ...) SITU_PRINTF(2, 3);
/* Opens the step's function, "static void net_step_4(float *b0, const float *b1)\n{\n": a result, operands, workspace. */
void situ_emit_open(situ_emitted *e, const situ_call_desc *c, bool workspace);
static inline const char *situ_emit_type(int dtype) { return situ_dialect_c99.type[dtype]; }

#endif
