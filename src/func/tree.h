/* The order in which losses, gradients and what ranks have are added up. */
#ifndef SITU_FUNC_TREE_H
#define SITU_FUNC_TREE_H

#include <situ/tensor.h>

/* Sums n tensors in adjacent pairs, level by level; an odd last one moves up a level. Each pair is added on the device
 * of its left operand. Overwrites the list. */
situ_tensor *situ_tree_sum(situ_tensor **value, int n, situ_site site);

#endif
