/* Checks of operands, shared by losses and metrics. */
#ifndef SITU_FUNC_LOSSES_H
#define SITU_FUNC_LOSSES_H

#include <situ/function.h>

#include "op/support.h"

/* Checks that labels are integers with the shape of the scores without the last axis. */
bool situ_check_labels(const situ_tensor *scores, const situ_tensor *labels, const char *operation, situ_site site);
/* Checks that both have one shape, or that one is a single number; an integer second operand is converted to the
 * first's float dtype. */
bool situ_alike(situ_tensor *a, situ_tensor **b, const char *operation, const char *a_name, const char *b_name, situ_site site);
/* Merges the caller's options into the defaults `o`, which begin with the reduction, and checks the operands. */
bool situ_take_loss(
    situ_tensor **in, int n, void *o, size_t size, const void *given, const char *operation, const char *operands, situ_site site);
/* The log-softmax of each row of float scores at its label, with a last axis of 1 (softmax.c). Rows where counts is
 * false get no gradient; NULL: all rows count. */
situ_tensor *situ_label_log_probs(situ_tensor *scores, situ_tensor *labels, situ_tensor *counts, situ_site site);
/* SITU_DEBUG=hints: warns if an operand that should be log-probabilities was made by a softmax. */
void situ_hint_logs(const situ_tensor *x, const char *operation, situ_site site);
situ_tensor *situ_reduced(situ_tensor *loss, situ_reduction reduction, situ_site site);

#endif
