/* A tree of sums over all shards, whose shape does not depend on which rank holds which shard. */
#ifndef SITU_GROUP_TREE_H
#define SITU_GROUP_TREE_H

#include <situ/group.h>

#include "func/tree.h"

/* A rank's range of shards splits into complete subtrees of the tree over all shards; other ranks need only the roots
 * of these. */
enum { SITU_MOST_ROOTS = 128 };
typedef struct situ_root {
    int64_t first, end; /* range of shards */
} situ_root;
int situ_tree_roots(int64_t shards, int64_t first, int64_t end, situ_root *out);

/* Cuts `shards` among the ranks: rank r ends at end[r], where the next one begins. The largest part is as small as
 * possible; parts of eight and more may have one more if fewer roots are then exchanged. Each rank has at least one if
 * there are enough. 0 or a negative code. */
int situ_tree_cut(int64_t shards, int ranks, int64_t *end, situ_site site);

/* situ_group_tree_sum without its gradient (an error), so that the operands need not be kept. */
situ_tensor *situ_group_add_up(situ_group *g, situ_list part, int64_t total, situ_tensor *like, situ_site site);

#endif
