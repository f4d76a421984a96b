/* Run by tests/checks/group_training.py under mpirun: mismatches CALL CHANGE ODD, or mismatches forever 0 DEADLINE,
 * which ends with an error. All ranks make the same collectives, but that rank ODD makes one of them otherwise; each
 * says what it was told, as collectives.c does. */
#include <situ.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static situ_group *group;
static int rank, size;
static const char *change = "";

static bool is(const char *what) { return !strcmp(change, what); }

static situ_tensor *operand(void)
{
    int64_t n = size;
    if (is("dtype")) return situ_full(SHAPE(2 * n, 3), 1, .dtype = SITU_F64);
    if (is("shape")) return situ_full(SHAPE(3 * n, 2), 1);
    if (is("rank")) return situ_full(SHAPE(2 * n, 3, 1), 1);
    if (is("large")) return situ_full(SHAPE(2 * n, 30000), 1);
    if (is("empty")) return situ_full(SHAPE(2 * n, 0), 1);
    return situ_full(SHAPE(2 * n, 3), 1);
}

static situ_tensor *make(const char *call)
{
    situ_tensor *x = operand();
    situ_group_reduction by = is("reduction") ? SITU_GROUP_MAX : SITU_GROUP_SUM;
    if (!strcmp(call, "all_reduce")) return situ_group_all_reduce(group, x, .reduction = by);
    if (!strcmp(call, "reduce_scatter")) return situ_group_reduce_scatter(group, x, .reduction = by);
    if (!strcmp(call, "all_gather")) return situ_group_all_gather(group, x);
    if (!strcmp(call, "broadcast")) return situ_group_broadcast(group, x, is("root") ? 1 : 0);
    if (!strcmp(call, "tree_sum")) {
        int64_t total = is("shards") ? 6 : 5, n = situ_group_cut(group, total, NULL);
        situ_tensor *part[8] = {x, x, x, x, x, x};
        return situ_group_tree_sum(group, TENSORS_OF(part, (int)n), total, .like = x);
    }
    situ_group_barrier(group);
    return x;
}

/* The changes that need another call. */
static void make_otherwise(const char *call)
{
    if (is("exit")) {
        printf("%d: ends early\n", rank);
        fflush(stdout);
        exit(0);
    }
    if (is("skip")) return;
    if (is("twice")) make(call);
    if (is("order")) situ_group_broadcast(group, situ_full(SHAPE(4), 1), 0);
    if (is("other")) call = strcmp(call, "all_gather") ? "all_gather" : "all_reduce";
    if (is("send")) {
        situ_group_send(group, operand(), (rank + 1) % size);
        return;
    }
    make(call);
}

/* Until somebody is lost. */
static int go_on(void)
{
    while (!situ_failed()) {
        situ_scope *scope = situ_scope_open();
        situ_item(situ_sum(situ_group_all_reduce(group, situ_full(SHAPE(1000), 1))));
        situ_scope_close(scope);
    }
    printf("%d: %s: %s\n", rank, situ_code_name(situ_failed()), situ_error_message());
    return 3;
}

int main(int argc, char **argv)
{
    struct timespec a, b;
    bool forever = argc > 1 && !strcmp(argv[1], "forever");
    if (argc < 4 || !(group = situ_group_open(.deadline = forever ? atof(argv[3]) : 0))) return printf("-: %s\n", situ_error_message()), 4;
    rank = situ_group_rank(group);
    size = situ_group_size(group);
    if (forever) return go_on();
    situ_group_barrier(group);
    clock_gettime(CLOCK_MONOTONIC, &a);
    if (rank == atoi(argv[3])) {
        change = argv[2];
        make_otherwise(argv[1]);
        change = "";
    } else {
        make(argv[1]);
    }
    if (!is("order")) situ_item(situ_sum(situ_group_broadcast(group, situ_full(SHAPE(4), 1), 0)));
    situ_item(situ_sum(situ_group_all_gather(group, situ_full(SHAPE(2), 1))));
    situ_group_barrier(group);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    situ_error e;
    situ_error_take(&e);
    situ_group_barrier(group);
    printf("%d: %s after %.3f s, then %s: %s\n", rank, situ_code_name(e.code), seconds, situ_code_name(situ_failed()), e.message);
    return e.code ? 3 : 0;
}
