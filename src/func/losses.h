/* Checks of operands that losses and metrics share. */
#ifndef SITU_FUNC_LOSSES_H
#define SITU_FUNC_LOSSES_H

#include <situ/function.h>

#include "op/support.h"

/* Labels fit if they are integers in the shape of the scores without their last axis. */
bool situ_check_labels(const situ_tensor *scores, const situ_tensor *labels, const char *operation, situ_site site);
/* Both have one shape, or one of them is a single number; integers of the second become floats of the first. */
bool situ_alike(situ_tensor *a, situ_tensor **b, const char *operation, const char *a_name, const char *b_name, situ_site site);
/* The operands, then the caller's options over the defaults in `o`, which begin with the reduction. */
bool situ_take_loss(
    situ_tensor **in, int n, void *o, size_t size, const void *given, const char *operation, const char *operands, situ_site site);
/* Of float scores, each row's logarithm of the softmax at its label, an axis of 1 (softmax.c). Rows whose scores get no gradient
 * are false in counts, which may be NULL: all count. */
situ_tensor *situ_label_log_probs(situ_tensor *scores, situ_tensor *labels, situ_tensor *counts, situ_site site);
/* SITU_DEBUG=hints, of an operand that has to be logarithms of probabilities: it is no softmax. */
void situ_hint_logs(const situ_tensor *x, const char *operation, situ_site site);
situ_tensor *situ_reduced(situ_tensor *loss, situ_reduction reduction, situ_site site);

#endif
