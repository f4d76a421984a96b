/* One function per elementwise operation and dtype, as text for generated kernels.
 *
 * A kernel in C is: the texts of el_text.h, then situ_text_op for each operation and dtype that it uses, then its own
 * loop, which calls f32_exp_op(A), i32_add_op(A, B), ... Its types are bool_F, i32_F, u32_F, i64_F, u64_F, f32_F and
 * f64_F. Compile it with -ffp-contract=off -fwrapv and link the C library's mathematics: f32, integers and bools then
 * have the bits of the tile kernels, f64 functions those of the C library. */
#ifndef SITU_CODEGEN_TEXT_OP_H
#define SITU_CODEGEN_TEXT_OP_H

#include "codegen/el_text.h"
#include "op/elementwise.h"

/* Writes "FN f32_F f32_exp_op(f32_F A) { return ...; }" and a newline. Returns the length, like snprintf, or -1 if op
 * is not defined for operands of compute dtype d (for `where`: its second and third operand). */
int situ_text_op(char *buffer, size_t size, situ_el op, situ_dtype d);

#endif
