/* Operations and gradients of your own.
 *
 *     static int infer(situ_custom_shape *c) { c->shape = c->in_shape[0]; c->dtype = c->in_dtype[0]; return 0; }
 *     static int run(const situ_custom_run *c) { ... c->out, c->in[0] ... return 0; }
 *     static situ_tensor *grad(const situ_custom_grad *c) { return situ_mul(c->g, 2); }
 *
 *     const situ_custom *twice = situ_custom_new("twice", 1, infer, run, grad);
 *     situ_tensor *y = situ_custom_call(twice, TENSORS(x), NULL, 0);
 *
 * A custom operation runs on the host's memory of cpu and simulated devices, from any thread; it must not record.
 */
#ifndef SITU_CUSTOM_H
#define SITU_CUSTOM_H

#include <situ/move.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_custom situ_custom;

/* What is known when a call is recorded; the function fills in shape and dtype. */
typedef struct situ_custom_shape {
    const void *attr; /* as given to the call */
    int inputs;
    const situ_shape *in_shape;
    const situ_dtype *in_dtype;
    situ_shape shape;
    situ_dtype dtype;
} situ_custom_shape;

/* What the operation runs with: contiguous, row-major memory. */
typedef struct situ_custom_run {
    const void *attr;
    int inputs;
    const situ_shape *in_shape;
    const situ_dtype *in_dtype;
    situ_shape shape;
    situ_dtype dtype;
    const void *const *in;
    void *out;
} situ_custom_run;

/* The gradient by operand number `operand`, recorded as operations from the operands, the result y and its gradient g. */
typedef struct situ_custom_grad {
    const void *attr;
    int inputs, operand;
    situ_tensor *const *in;
    situ_tensor *y, *g;
} situ_custom_grad;

typedef int (*situ_custom_infer_fn)(situ_custom_shape *c);              /* nonzero: the operands do not fit */
typedef int (*situ_custom_run_fn)(const situ_custom_run *c);            /* nonzero: the computation failed                       */
typedef situ_tensor *(*situ_custom_grad_fn)(const situ_custom_grad *c); /* NULL: zero                                 */

/* Registers an operation for the life of the process. With grad NULL it has no gradient. NULL on an error. */
SITU_API SITU_TOLD const situ_custom *situ_custom_new(
    const char *name, int inputs, situ_custom_infer_fn infer, situ_custom_run_fn run, situ_custom_grad_fn grad);
/* Records a call. attr (at most 256 bytes) is copied, and is part of a plan's key, so its padding must be zero. */
SITU_API situ_tensor *situ_custom_call(
    const situ_custom *op, situ_list operands, const void *attr, size_t attr_size, situ_site site);

/* The gradients by all tensors of situ_custom_vjp's list: fills out[i] (NULL: zero). */
typedef void (*situ_vjp_fn)(void *self, situ_tensor *g, situ_list inputs, situ_tensor *y, situ_tensor **out);
/* y with another gradient: instead of differentiating the operations that made it, rule(self, ...) gives the gradients by the
 * inputs. `self` is not part of plans; it must stay valid as long as gradients may be asked for. */
SITU_API situ_tensor *situ_custom_vjp(situ_tensor *y, situ_list inputs, situ_vjp_fn rule, void *self, situ_site site);

/* ---- loops and choices --------------------------------------------------------------------------------------------
 *
 *     static int decay(void *self, situ_tensor **state, situ_list x, situ_tensor **y)
 *     {
 *         state[0] = situ_add(situ_mul(state[0], 0.9), x.tensor[0]);
 *         y[0] = situ_square(state[0]);
 *         return 0;
 *     }
 *
 *     situ_tensor *last, *squares;
 *     situ_scan(decay, NULL, TENSORS(situ_zeros(SHAPE(3))), TENSORS(sequence), &last, &squares, 1);
 *     // sequence [steps, 3]; last [3], squares [steps, 3]
 *
 * A body records a step: it changes the state in its place, with the same shapes and dtypes, and gives its results in y. Nonzero:
 * it failed. Gradients pass through scan and branch as through what their bodies record; a step of while is computed before the
 * next one is recorded. */
typedef int (*situ_body_fn)(void *self, situ_tensor **state, situ_list x, situ_tensor **y);
typedef situ_tensor *(*situ_test_fn)(void *self, situ_tensor *const *state); /* one number or bool: continue? */
typedef struct SITU_BY_NAME situ_steps_options {
    SITU_OPTION_HEAD;
    int64_t length; /* = -1 in [-1, inf): number of steps; -1: as many as the sequences have */
    bool reverse;   /* = false: from the last element of the sequences to the first */
} situ_steps_options;
/* Runs a body over the first axis of the sequences xs (none: .length steps), beginning with the state `start`. The last state goes
 * to state[0..], the stacked results of all steps to ys[0..outputs-1]. At most 4096 steps; all of them are recorded, so the plan
 * grows with them. 0, or a negative code and poisoned tensors. */
SITU_API int situ_scan(situ_body_fn body, void *self, situ_list start, situ_list xs, situ_tensor **state, situ_tensor **ys,
    int outputs, const situ_steps_options *options, situ_site site);
/* Repeats a body while the test is not 0; waits in each step. 0, or a negative code and poisoned tensors. */
SITU_API int situ_while_loop(
    situ_test_fn test, situ_body_fn body, void *self, situ_list start, situ_tensor **state, situ_site site);
/* Runs one of two bodies (NULL: nothing) depending on the condition, for which it waits. Only that body is recorded; the state may
 * change its shapes. 0, or a negative code and poisoned tensors. */
SITU_API int situ_branch(situ_tensor *condition, situ_body_fn then, situ_body_fn otherwise, void *self, situ_list start,
    situ_tensor **state, situ_site site);

/* Records f for these slices, with its results in y. Nonzero: it failed. */
typedef int (*situ_slices_fn)(void *self, situ_list x, situ_tensor **y);
typedef struct SITU_BY_NAME situ_vmap_options {
    SITU_OPTION_HEAD;
    situ_shape in_axes; /* = default 0: the axis along which each input is cut; with several inputs SITU_FULL: f gets the whole
                         * input */
    int32_t out_axis;   /* = 0: the axis of the results along which slices are stacked */
} situ_vmap_options;
/* f over slices of its inputs, the results stacked in results[0..outputs-1]:
 *
 *     static int length(void *self, situ_list x, situ_tensor **y) { y[0] = situ_norm(x.tensor[0]); return 0; }
 *     situ_vmap(length, NULL, TENSORS(rows), &lengths, 1);                      // [n, m] gives [n]
 *     situ_vmap(f, NULL, TENSORS(rows, w), &y, 1, .in_axes = SHAPE(0, SITU_FULL));
 *
 * f may be any function. It is recorded once for each slice, 4096 at most: a plan grows with them, and what an operation does with
 * a whole batch by itself is faster. Gradients pass. 0, or a negative code and poisoned tensors. */
SITU_API int situ_vmap(situ_slices_fn f, void *self, situ_list inputs, situ_tensor **results, int outputs,
    const situ_vmap_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/custom.h>

#endif
