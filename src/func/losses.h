/* Checks of operands that losses and metrics share. */
#ifndef SITU_FUNC_LOSSES_H
#define SITU_FUNC_LOSSES_H

#include "op/support.h"

/* Labels fit if they are integers in the shape of the scores without their last axis. */
bool situ_check_labels(const situ_tensor *scores, const situ_tensor *labels, const char *operation, situ_site site);
/* Both have one shape, or one of them is a single number; integers of the second become floats of the first. */
bool situ_alike(situ_tensor *a, situ_tensor **b, const char *operation, const char *a_name, const char *b_name, situ_site site);

#endif
