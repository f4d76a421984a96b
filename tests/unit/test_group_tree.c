/* The tree of sums over shards, and how it is cut over ranks. */
#include "test.h"

#include "group/tree.h"

/* The fewest nodes of the tree that make up a range, by trying all. */
static int count_by_trying(int64_t shards, int64_t first, int64_t end)
{
    int best[64] = {0};
    for (int64_t at = end - 1; at >= first; at--) {
        best[at] = 1 << 20;
        for (int64_t size = 1; at % size == 0; size *= 2) {
            int64_t stop = at + size < shards ? at + size : shards;
            if (stop <= end && 1 + best[stop] < best[at]) best[at] = 1 + best[stop];
            if (stop == shards) break;
        }
    }
    return best[first];
}

TEST(group_tree_roots)
{
    situ_root root[SITU_MOST_ROOTS];
    for (int64_t shards = 1; shards <= 40; shards++)
        for (int64_t first = 0; first <= shards; first++)
            for (int64_t end = first; end <= shards; end++) {
                int n = situ_tree_roots(shards, first, end, root);
                int64_t at = first;
                for (int i = 0; i < n; i++) {
                    int64_t size = root[i].end - root[i].first, block = 1;
                    while (block < size) block *= 2;
                    CHECK(root[i].first == at && size > 0 && root[i].first % block == 0);
                    CHECK(size == block || root[i].end == shards);
                    at = root[i].end;
                }
                CHECK(at == end);
                CHECK(n == count_by_trying(shards, first, end));
            }
}

/* The fewest roots over all cuts with parts of `least` to `most`, by trying them all. */
static int fewest(int64_t shards, int ranks, int64_t least, int64_t most, int64_t first)
{
    situ_root root[SITU_MOST_ROOTS];
    int best = 1 << 20;
    if (!ranks) return first == shards ? 0 : best;
    for (int64_t end = first + least; end <= shards && end - first <= most; end++) {
        int rest = fewest(shards, ranks - 1, least, most, end), n = situ_tree_roots(shards, first, end, root) + rest;
        if (n < best) best = n;
    }
    return best;
}

TEST(group_tree_cut)
{
    situ_root root[SITU_MOST_ROOTS];
    int64_t end[8];
    for (int64_t shards = 1; shards <= 17; shards++)
        for (int ranks = 1; ranks <= 5; ranks++) {
            CHECK(situ_tree_cut(shards, ranks, end, NULL) == 0);
            int64_t at = 0, largest = 0, least = (shards + ranks - 1) / ranks;
            int roots = 0;
            for (int r = 0; r < ranks; at = end[r++]) {
                CHECK(end[r] >= at + (shards >= ranks));
                if (end[r] - at > largest) largest = end[r] - at;
                roots += situ_tree_roots(shards, at, end[r], root);
            }
            CHECK(at == shards && largest <= least + (least >= 8));
            int64_t one = shards >= ranks; /* everybody has something, where there is enough */
            int best = fewest(shards, ranks, one, least, 0), wider = least < 8 ? best : fewest(shards, ranks, one, least + 1, 0);
            CHECK(roots == (wider < best ? wider : best));
        }
    /* what a search by hand found: 16 shards over 3, 5 and 7 ranks */
    static const struct {
        int ranks, roots;
    } known[] = {{3, 5}, {5, 5}, {7, 9}, {2, 2}, {4, 4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int roots = 0;
        CHECK(situ_tree_cut(16, known[i].ranks, end, NULL) == 0);
        for (int r = 0; r < known[i].ranks; r++) roots += situ_tree_roots(16, r ? end[r - 1] : 0, end[r], root);
        CHECK(roots == known[i].roots);
    }
}
