/* Calls of situ/custom.h. Made by scripts/generate.py from include/situ/custom.h: change that. */
#ifndef SITU_CALL_CUSTOM_H
#define SITU_CALL_CUSTOM_H

#ifndef __cplusplus
#define situ_custom_call(op, operands, attr, attr_size) \
    (situ_custom_call)((op), (operands), (attr), SITU_INTEGER(attr_size), SITU_HERE)
#define situ_custom_vjp(y, inputs, rule, self) (situ_custom_vjp)(SITU_OPERAND(y), (inputs), (rule), (self), SITU_HERE)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_custom_new(...) SITU_AT_(situ_custom_new, __VA_ARGS__)
#endif

#endif
