/* The calls of a group while each of their allocations fails. Alone the other rank is a simulated one; under mpirun,
 * by which tests/checks/group.py starts this, rank SITU_TEST_ODD fails. It tries again, and where that cannot be,
 * since the others had the call, every rank is told: then the processes end with status 3, after "after CALL N", and
 * SITU_TEST_AFTER goes on behind that place. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <situ.h>
#include <situ/grad.h>

#include "backend/cpu/scratch.h"
#include "base/memory.h"

static situ_group *group;
static int rank, size, odd;

static situ_tensor *values(int64_t n) { return situ_mul(situ_sin(situ_arange(0, n, 1, .dtype = SITU_F32)), rank + 1); }

static situ_tensor *small(void) { return situ_group_all_reduce(group, values(100)); }
static situ_tensor *large(void) { return situ_group_all_reduce(group, values(300000)); }
static situ_tensor *mean(void) { return situ_group_all_reduce(group, values(100), .reduction = SITU_GROUP_MEAN); }
static situ_tensor *scatter(void) { return situ_group_reduce_scatter(group, values(60 * size)); }
static situ_tensor *gather(void) { return situ_group_all_gather(group, values(3000)); }
static situ_tensor *root(void) { return situ_group_broadcast(group, values(3000), 0); }
static situ_tensor *half(void) { return situ_group_all_reduce(group, situ_cast(values(50), SITU_F16), .reduction = SITU_GROUP_MAX); }
static situ_tensor *tree(void)
{
    situ_tensor *part[8], *like = values(700);
    int64_t n = situ_group_cut(group, 7, NULL);
    for (int64_t i = 0; i < n; i++) part[i] = situ_mul(like, (double)i);
    return situ_group_tree_sum(group, TENSORS_OF(part, (int)n), 7, .like = like);
}
static situ_tensor *barrier(void) { return situ_group_barrier(group) ? situ_ones(SHAPE(1)) : situ_zeros(SHAPE(1)); }
static situ_tensor *pass_on(void)
{
    situ_tensor *x = values(5000);
    if (size < 2 || rank > 1) return x;
    if (!rank) return situ_group_send(group, x, 1) ? situ_zeros(SHAPE(1)) : x;
    return situ_group_receive(group, x, 0);
}

typedef struct row {
    const char *name;
    situ_tensor *(*make)(void);
} row;
static const row rows[] = {{"small", small}, {"large", large}, {"mean", mean}, {"reduce_scatter", scatter}, {"all_gather", gather},
    {"broadcast", root}, {"half", half}, {"tree_sum", tree}, {"barrier", barrier}, {"send", pass_on}};

typedef struct outcome {
    int code;
    bool struck;
    double sum;
    situ_error error;
} outcome;

/* Only what the call does fails, not the reading of its result. */
static outcome call(const row *r, int64_t n)
{
    outcome o = {0};
    situ_scope *scope = situ_scope_open();
    situ_test_fail_alloc(n);
    situ_tensor *y = r->make();
    o.struck = situ_test_fail_struck();
    situ_test_fail_alloc(-1);
    if (!situ_failed()) o.sum = situ_item(situ_sum(situ_cast(y, SITU_F64)));
    o.code = situ_error_take(&o.error);
    situ_scope_close(scope);
    situ_wait(NULL);
    situ_error_take(NULL);
    return o;
}

/* The others are told that the group has failed, and why. */
static void end_told(const row *r, int64_t n, const outcome *o)
{
    const char *message = o->error.message;
    bool told = rank == odd ? o->code == SITU_NO_MEMORY || o->code == SITU_NO_THREAD : o->code == SITU_RANK_LOST && strstr(message, "memory");
    printf("%d: %s after %s %lld: %s\n", rank, told ? "told" : "WRONG", r->name, (long long)n, message);
    fflush(stdout);
    exit(3);
}

/* Whether rank `odd` has more allocations to fail, known to all. */
static bool more(const row *r, int64_t n, bool struck)
{
    outcome o = {0};
    situ_scope *scope = situ_scope_open();
    bool any = situ_item(situ_group_broadcast(group, situ_full(SHAPE(), struck), odd)) != 0;
    situ_group_barrier(group); /* rank `odd` need not wait for the others to read its own value */
    if ((o.code = situ_error_take(&o.error))) end_told(r, n, &o);
    situ_scope_close(scope);
    return any;
}

static int64_t live(void) { return situ_test_live_blocks() - situ_test_scratch_blocks(); }

/* Those of a call's job go when its thread has come to its end, a moment after whoever waits for the result. */
static int64_t blocks_left(int64_t expected)
{
    int64_t least = live();
    for (int i = 0; i < (expected ? 1000 : 50) && least != expected; i++) {
        usleep(1000);
        int64_t now = live();
        if (expected || now < least) least = now;
    }
    return least;
}

static void each(const row *r, int64_t from, bool alone)
{
    outcome usual = call(r, -1);
    bool going = true;
    for (int i = 0; i < 2; i++) usual = call(r, -1), more(r, 0, true);
    int64_t blocks = blocks_left(0);
    for (int64_t n = from; going && n < 10000; n++) {
        outcome o = call(r, alone || rank == odd ? n : -1);
        bool here = o.struck;
        if (o.code && (alone || rank == odd)) {
            outcome first = o;
            if (!CHECK(o.code == SITU_NO_MEMORY || o.code == SITU_NO_THREAD)) printf("  %s, allocation %lld: %s\n", r->name, (long long)n, o.error.message);
            o = call(r, -1);
            if (o.code == SITU_RANK_LOST && !alone) end_told(r, n, &first);
        } else if (o.code) {
            end_told(r, n, &o);
        }
        if (!CHECK(!o.code && o.sum == usual.sum)) printf("  %s, allocation %lld: then %.17g, not %.17g %s\n", r->name, (long long)n, o.sum, usual.sum, o.error.message);
        going = more(r, n, here) && (here || !alone);
        if (!CHECK_EQ(blocks_left(blocks), blocks)) printf("  %s, allocation %lld\n", r->name, (long long)n), blocks = blocks_left(0);
    }
}

static situ_group *open_group(const char *after, int64_t n)
{
    bool fails = !strncmp(after, "open ", 5);
    situ_test_fail_alloc(fails ? n : -1);
    situ_group *g = situ_group_open(.deadline = 20);
    bool struck = situ_test_fail_struck();
    situ_test_fail_alloc(-1);
    if (fails && struck) printf("-: open %lld: %s\n", (long long)n, situ_error_message()), fflush(stdout); /* the other rank may end both */
    if (!g && (situ_failed() == SITU_NO_MEMORY || situ_failed() == SITU_NO_THREAD)) {
        situ_error_take(NULL);
        g = situ_group_open(.deadline = 20);
    }
    return g;
}

TEST(each_allocation_of_calls)
{
    const char *after = getenv("SITU_TEST_AFTER"), *space = after ? strchr(after, ' ') : NULL;
    int64_t from = space ? atoll(space) + 1 : 1;
    bool alone = !getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMI_SIZE");
    const char *number = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    odd = getenv("SITU_TEST_ODD") ? atoi(getenv("SITU_TEST_ODD")) : 0;
    if (alone) setenv("SITU_SIMULATE_RANKS", "2", 1);
    group = open_group(after && number && atoi(number) == odd ? after : "", from);
    rank = situ_group_rank(group);
    size = situ_group_size(group);
    bool opens = after && !strncmp(after, "open ", 5), there = !after || opens;
    size_t count = opens ? 1 : sizeof rows / sizeof *rows;
    for (size_t i = 0; i < count && CHECK(group); i++) {
        bool here = !there && !strncmp(after, rows[i].name, (size_t)(space - after));
        if (there || here) each(&rows[i], here ? from : 1, alone);
        there |= here;
    }
    situ_group_free(group);
    if (alone) unsetenv("SITU_SIMULATE_RANKS");
}
