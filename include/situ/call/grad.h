/* Calls of situ/grad.h. Made by scripts/generate.py from include/situ/grad.h: change that. */
#ifndef SITU_CALL_GRAD_H
#define SITU_CALL_GRAD_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifndef __cplusplus
#define situ_grad(y, wrt, out) (situ_grad)(SITU_TENSOR(y), (wrt), (out), SITU_HERE)
#define situ_pullback(y, g, wrt, out) (situ_pullback)(SITU_TENSOR(y), SITU_TENSOR(g), (wrt), (out), SITU_HERE)
#define situ_jvp(y, wrt, ...) (situ_jvp)(SITU_OPERAND(y), (wrt), (__VA_ARGS__), SITU_HERE)
#define situ_hvp(y, wrt, directions, out) (situ_hvp)(SITU_TENSOR(y), (wrt), (directions), (out), SITU_HERE)
#endif

#endif
