/* Calls of situ/custom.h. Made by scripts/generate.py from include/situ/custom.h: change that. */
#ifndef SITU_CALL_CUSTOM_H
#define SITU_CALL_CUSTOM_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_STEPS_DEFAULTS (.length = -1,)
#define SITU_VMAP_DEFAULTS (.in_axes = SITU_SHAPE_UNSET,)

#ifndef __cplusplus
#define situ_custom_call(op, operands, attr, attr_size) \
    (situ_custom_call)(SITU_HANDLE(const situ_custom *, op), (operands), (attr), SITU_INTEGER(attr_size), SITU_HERE)
#define situ_custom_vjp(y, inputs, rule, self) (situ_custom_vjp)(SITU_OPERAND(y), (inputs), (rule), (self), SITU_HERE)
#define situ_scan(...) situ_scan_(__VA_ARGS__, )
#define situ_scan_(body, self, start, xs, state, ys, outputs, ...) \
    SITU_OPTIONS_(situ_steps_options, SITU_STEPS_DEFAULTS, situ_scan, ((body), (self), (start), (xs), (state), (ys), \
    SITU_INTEGER(outputs),), \
    "situ_scan(body, self, TENSORS(a, b), TENSORS(a, b), state, ys, outputs, .length = ..., .reverse = ...)", \
    __VA_ARGS__)
#define situ_while_loop(test, body, self, start, state) \
    (situ_while_loop)((test), (body), (self), (start), (state), SITU_HERE)
#define situ_branch(condition, then, otherwise, self, start, state) \
    (situ_branch)(SITU_TENSOR(condition), (then), (otherwise), (self), (start), (state), SITU_HERE)
#define situ_vmap(...) situ_vmap_(__VA_ARGS__, )
#define situ_vmap_(f, self, inputs, results, outputs, ...) \
    SITU_OPTIONS_(situ_vmap_options, SITU_VMAP_DEFAULTS, situ_vmap, ((f), (self), (inputs), (results), \
    SITU_INTEGER(outputs),), "situ_vmap(f, self, TENSORS(a, b), results, outputs, .in_axes = ..., .out_axis = ...)", \
    __VA_ARGS__)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_custom_new(name, inputs, infer, run, grad) \
    SITU_AT_(situ_custom_new, (name), SITU_INTEGER(inputs), (infer), (run), (grad))
#endif

#endif
