/* Gradients of a convolution by its kernel as text, in the order of situ_conv_order: rows are outputs of y, columns
 * taps (channel, row, column) of the kernel, and the depth goes over the positions of y. A work-group for each chunk
 * of images; a second pass adds the chunks. The family has written the sizes and types (call_conv.c). */
#ifndef SITU_CODEGEN_CONV_WEIGHT_H
#define SITU_CODEGEN_CONV_WEIGHT_H

#include "codegen/call_text.h"

bool situ_conv_weight_passes(const situ_call_desc *c, const situ_dialect *d, situ_passes *passes);
void situ_conv_weight_functions(situ_source *t, const situ_call_desc *c, const situ_dialect *d);
void situ_conv_weight_body(situ_source *t, const situ_call_desc *c, const situ_dialect *d, int pass);

#endif
