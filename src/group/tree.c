#include "group/tree.h"

#include "base/error.h"
#include "base/memory.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

int situ_tree_roots(int64_t shards, int64_t first, int64_t end, situ_root *out)
{
    int n = 0;
    while (first < end) {
        int64_t size = 1; /* the largest aligned subtree that begins here and fits; at the end of all shards it may be incomplete */
        while (!(first & size) && size < shards && (first + 2 * size <= end || (end == shards && first + size < end))) size *= 2;
        int64_t stop = first + size < end ? first + size : end;
        out[n++] = (situ_root){first, stop};
        first = stop;
    }
    return n;
}

enum {
    MOST_RANKS = 64, /* the search takes ranks^3 steps; with more ranks the parts are equal */
    MANY_SHARDS = 8  /* from so many shards for each rank on, one shard more costs less than the roots that it saves */
};

/* Searches the cut with the fewest roots among those whose parts have at most `most` shards. Rank r ends at most
 * `slack` before (r + 1) * most, so only few positions have to be tried. Returns the number of roots. */
static int64_t search(int64_t shards, int ranks, int64_t most, int64_t *end, int32_t *best, int32_t *from)
{
    situ_root root[SITU_MOST_ROOTS];
    int64_t slack = most * ranks - shards, width = slack + 1, none = shards >= ranks; /* none: no rank may be empty */
    for (int r = 0; r < ranks; r++)
        for (int64_t d = 0; d < width; d++) { /* rank r ends at (r + 1) * most - d */
            int32_t *b = &best[r * width + d], stop = (int32_t)d;
            int64_t at = (r + 1) * most - d;
            *b = INT32_MAX;
            for (int64_t before = 0; before <= stop && before < (r ? width : 1); before++) {
                int64_t start = r * most - before;
                if (start < 0 || start > at - none || at > shards || (r && best[(r - 1) * width + before] == INT32_MAX)) continue;
                int32_t cost = situ_tree_roots(shards, start, at, root) + (r ? best[(r - 1) * width + before] : 0);
                if (cost < *b) *b = cost, from[r * width + d] = (int32_t)before;
            }
        }
    int64_t d = slack;
    for (int r = ranks; r-- > 0; d = from[r * width + d]) end[r] = (r + 1) * most - d;
    return best[(ranks - 1) * width + slack];
}

int situ_tree_cut(int64_t shards, int ranks, int64_t *end, situ_site site)
{
    for (int r = 0; r < ranks; r++) end[r] = (r + 1) * shards / ranks;
    if (ranks > MOST_RANKS) return 0;
    int64_t least = (shards + ranks - 1) / ranks;
    size_t places = (size_t)ranks * (size_t)(2 * ranks + 1);
    int32_t *best = situ_malloc(2 * places * sizeof *best);
    int64_t *wider = situ_malloc((size_t)ranks * sizeof *wider);
    if (best && wider) {
        int64_t roots = search(shards, ranks, least, end, best, best + places);
        if (least >= MANY_SHARDS && search(shards, ranks, least + 1, wider, best, best + places) < roots)
            for (int r = 0; r < ranks; r++) end[r] = wider[r];
    }
    int rc = best && wider ? 0 : situ_fail(SITU_NO_MEMORY, site, "out of host memory");
    situ_free(best);
    situ_free(wider);
    return rc;
}
