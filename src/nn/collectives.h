/* What layers and optimizers ask of a group of processes. group/ has it, where the library has groups; without them
 * there is no group to ask. */
#ifndef SITU_NN_COLLECTIVES_H
#define SITU_NN_COLLECTIVES_H

#include <situ/group.h>

#include "base/parts.h"

typedef struct situ_collectives {
    int (*size)(const situ_group *g);
    int (*rank)(const situ_group *g);
    /* situ_group_cut */
    int64_t (*cut)(const situ_group *g, int64_t total, int64_t *first);
    /* The sum over all ranks, with a gradient. */
    situ_tensor *(*sum)(situ_group *g, situ_tensor *x, situ_site site);
    /* The sum of `total` tensors shaped like `like` of which this rank has those of its cut, in an order that the
     * number of ranks does not change; without a gradient. */
    situ_tensor *(*tree_sum)(situ_group *g, situ_list part, int64_t total, situ_tensor *like, situ_site site);
} situ_collectives;

static inline const situ_collectives *situ_collectives_here(void) { return situ_linked.collectives; }
/* How many ranks; none is one. */
static inline int situ_ranks_of(const situ_group *g) { return g ? situ_collectives_here()->size(g) : 1; }

#endif
