/* One tree of sums over shards, whoever has which of them. */
#ifndef SITU_GROUP_TREE_H
#define SITU_GROUP_TREE_H

#include <situ/group.h>

/* The sum of n tensors in adjacent pairs, an odd last one moves up, each pair on the device of its left one. Writes over the list.
 * */
situ_tensor *situ_tree_sum(situ_tensor **value, int n, situ_site site);

/* A rank's range of the shards splits into whole subtrees of the tree over all of them: their roots are all that the others need.
 * */
enum { SITU_MOST_ROOTS = 128 };
typedef struct situ_root {
    int64_t first, end; /* shards */
} situ_root;
int situ_tree_roots(int64_t shards, int64_t first, int64_t end, situ_root *out);

/* How `shards` are cut over ranks: end[r] is where rank r ends, and the next one begins. The largest part is as small as it can be,
 * or, of eight and more, one more where that leaves fewer roots to exchange. Each rank has one
 * at least where there are so many. 0 or a negative code. */
int situ_tree_cut(int64_t shards, int ranks, int64_t *end, situ_site site);

/* situ_group_tree_sum without its rule that there is no gradient, which would keep the parts. */
situ_tensor *situ_group_add_up(situ_group *g, situ_list part, int64_t total, situ_tensor *like, situ_site site);

#endif
