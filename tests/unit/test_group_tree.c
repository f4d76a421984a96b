/* The tree of sums over shards, and how it is cut over ranks. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include <situ.h>

#include "base/memory.h"
#include "group/fold.h"
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

static float element(int64_t shard, int64_t i) { return (float)((shard * 37 % 11 + 1) * 0.37 + (double)(i % 1013) * 1.1 + (double)(i % 7) / 3); }

/* Adjacent pairs, an odd last one moves up. */
static float tree_of(int64_t n, int64_t first, int64_t i)
{
    float v[64];
    for (int64_t s = 0; s < n; s++) v[s] = element(first + s, i);
    for (; n > 1; n = (n + 1) / 2) {
        for (int64_t k = 0; k + 1 < n; k += 2) v[k / 2] = v[k] + v[k + 1];
        if (n & 1) v[n / 2] = v[n - 1];
    }
    return v[0];
}

/* What one rank makes of its own roots and of those that came, piece by piece: the bits of the tree. */
static int fold_wrong(int64_t shards, int ranks, int rank, int64_t count)
{
    enum { PIECE = 48 };
    int64_t end[8];
    situ_root root[SITU_MOST_ROOTS], *all = situ_malloc(SITU_MOST_ROOTS * sizeof *all);
    int at[SITU_MOST_ROOTS], from[SITU_MOST_ROOTS], n = 0, wrong = 0;
    char *own[SITU_MOST_ROOTS], *now[SITU_MOST_ROOTS];
    situ_fold_join join[SITU_MOST_ROOTS];
    float *out = situ_malloc((size_t)count * 4 + 4);
    situ_tree_cut(shards, ranks, end, NULL);
    for (int r = 0; r < ranks; r++) {
        int these = situ_tree_roots(shards, r ? end[r - 1] : 0, end[r], all + n);
        for (int i = 0; i < these; i++, n++) {
            root[n] = all[n];
            from[n] = r;
            float *data = r == rank ? situ_malloc((size_t)count * 4 + 4) : NULL;
            for (int64_t k = 0; data && k < count; k++) data[k] = tree_of(root[n].end - root[n].first, root[n].first, k);
            own[n] = (char *)data;
        }
    }
    situ_folding f = {.roots = n, .window = 2, .from = from, .own = own, .now = now, .join = join, .out = (char *)out,
                   .piece = 4 * PIECE, .bytes = 4 * (size_t)count, .pieces = (int)((count + PIECE - 1) / PIECE)};
    f.joins = situ_fold_joins(root, n, at, join);
    CHECK(f.joins == n - 1 && situ_fold_compile(&f, SITU_F32, SITU_EL_add, NULL) == 0);
    for (int p = 0; p < f.pieces; p++) {
        for (int i = 0; i < n; i++)
            for (size_t k = 0; !own[i] && k < situ_fold_length(&f, p) / 4; k++)
                ((float *)(void *)situ_fold_place(&f, p, i))[k] =
                    tree_of(all[i].end - all[i].first, all[i].first, p * PIECE + (int64_t)k);
        situ_fold_next(&f);
    }
    for (int64_t k = 0; k < count; k++) wrong += memcmp(&out[k], &(float){tree_of(shards, 0, k)}, 4) != 0;
    for (int i = 0; i < n; i++) situ_free(own[i]);
    f.own = NULL;
    situ_fold_free(&f);
    situ_free(out);
    situ_free(all);
    return wrong;
}

TEST(group_fold)
{
    for (int64_t shards = 1; shards <= 33; shards++)
        for (int ranks = 1; ranks <= 7; ranks++)
            for (int rank = 0; rank < ranks; rank += 3) CHECK(fold_wrong(shards, ranks, rank, shards % 5 ? 101 : 48) == 0);
}

/* Of two ranks, of which one is there and the other sends what it sends. */
TEST(a_norm_over_ranks_refuses_what_a_norm_refuses)
{
    setenv("SITU_SIMULATE_RANKS", "2", 1);
    situ_group *group = situ_group_open();
    unsetenv("SITU_SIMULATE_RANKS");
    if (!CHECK(group && situ_group_size(group) == 2)) return;
    static const situ_dtype wrong[] = {SITU_I32, SITU_C64, SITU_BOOL};
    for (int i = 0; i < 6; i++) {
        situ_scope *scope = situ_scope_open();
        situ_module *net = situ_batch_norm_layer(.group = i % 2 ? group : NULL);
        situ_module_set_training(net, true);
        CHECK_FAILS(SITU_BAD_SHAPE, situ_module_call(net, situ_zeros(SHAPE(4, 2), .dtype = wrong[i / 2])),
                    "it must be floats of at least 2 dimensions");
        situ_module_free(net);
        situ_scope_close(scope);
    }
    situ_group_free(group);
}
