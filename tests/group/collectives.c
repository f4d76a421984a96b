/* Run by tests/checks/group.py under mpirun: the collectives against sums that a loop gives, and what happens where the ranks do not
 * agree. Each rank ends with a line "RANK: ..." that the check looks for. */
#define _GNU_SOURCE
#include <situ.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static situ_group *group;
static int rank, size, wrong;

/* Element i of what rank r has: no sum of four of them is exact in every order. */
static float value(int r, int64_t i) { return (float)((r + 1) * 0.37 + (double)(i % 1013) * 1.1 + (double)(i % 7) / 3); }

static situ_tensor *own(int64_t n, int r)
{
    float *data = malloc((size_t)n * sizeof *data + 1);
    for (int64_t i = 0; i < n; i++) data[i] = value(r, i);
    situ_tensor *t = situ_from_host(data, SHAPE(n));
    free(data);
    return t;
}

static void expect(const char *what, int64_t n, situ_tensor *t, float (*want)(int64_t))
{
    float *got = malloc((size_t)n * sizeof *got + 1);
    if (situ_count(t) != n || (situ_read)(t, got, (size_t)n * sizeof *got, "here")) wrong++;
    for (int64_t i = 0; i < n && !situ_failed(); i++)
        if (memcmp(&got[i], &(float){want(i)}, 4)) {
            printf("%d: %s of %lld: element %lld is %.9g, not %.9g\n", rank, what, (long long)n, (long long)i, (double)got[i],
                (double)want(i));
            wrong++;
            break;
        }
    if (situ_failed()) printf("%d: %s: %s\n", rank, what, situ_error_message()), wrong++, situ_error_take(NULL);
    free(got);
}

/* Adjacent pairs, an odd last one moves up. */
static float tree(int n, const float *leaf)
{
    float v[64];
    memcpy(v, leaf, (size_t)n * sizeof *v);
    for (; n > 1; n = (n + 1) / 2) {
        for (int i = 0; i + 1 < n; i += 2) v[i / 2] = v[i] + v[i + 1];
        if (n & 1) v[n / 2] = v[n - 1];
    }
    return v[0];
}

static float want_sum(int64_t i)
{
    float leaf[64];
    for (int r = 0; r < size; r++) leaf[r] = value(r, i);
    return tree(size, leaf);
}
static float want_mean(int64_t i) { return want_sum(i) / (float)size; }
static float want_max(int64_t i) { return value(size - 1, i); }
static float want_min(int64_t i) { return value(0, i); }
static int64_t part; /* of a rank */
static float want_part(int64_t i) { return want_sum(rank * part + i); }
static float want_gather(int64_t i) { return value((int)(i / part), i % part); }
static float want_last(int64_t i) { return value(size - 1, i); }
static float want_left(int64_t i) { return value((rank + size - 1) % size, i); }
static int shards;
static float want_tree(int64_t i)
{
    float leaf[64];
    for (int s = 0; s < shards; s++) leaf[s] = value(s, i);
    return tree(shards, leaf);
}
static float want_gradient(int64_t i)
{
    (void)i;
    return (float)(size * (size + 1) / 2);
}

static float want_root_gradient(int64_t i) { return rank == size - 1 ? want_gradient(i) : 0; }

static void ring(int64_t n)
{
    situ_tensor *got = NULL, *mine = own(n, rank);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int turn = 0; turn < 2; turn++) { /* even ranks send first; with an odd number the last one waits */
        if (turn == (rank & 1)) situ_group_send(group, mine, right);
        else got = situ_group_receive(group, mine, left);
        if (size & 1 && size > 1) break;
    }
    if (size & 1 && size > 1) return; /* the order of an odd ring: below */
    expect("send and receive", n, got, want_left);
}

static void collectives(int64_t n)
{
    situ_scope *scope = situ_scope_open();
    expect("all_reduce", n, situ_group_all_reduce(group, own(n, rank)), want_sum);
    expect("mean", n, situ_group_all_reduce(group, own(n, rank), .reduction = SITU_GROUP_MEAN), want_mean);
    expect("max", n, situ_group_all_reduce(group, own(n, rank), .reduction = SITU_GROUP_MAX), want_max);
    expect("min", n, situ_group_all_reduce(group, own(n, rank), .reduction = SITU_GROUP_MIN), want_min);
    part = n;
    expect("all_gather", n * size, situ_group_all_gather(group, own(n, rank)), want_gather);
    expect("reduce_scatter", n, situ_group_reduce_scatter(group, own(n * size, rank)), want_part);
    expect("broadcast", n, situ_group_broadcast(group, own(n, rank), size - 1), want_last);
    if (situ_num_gpus()) {
        situ_tensor *far = situ_group_all_reduce(group, situ_to(own(n, rank), situ_gpu(0)));
        if (!situ_device_equal(situ_device_of(far), situ_gpu(0))) wrong++, printf("%d: the sum left its device\n", rank);
        expect("all_reduce on gpu(0)", n, far, want_sum);
    }
    static const int cuts[] = {1, 3, 5, 8, 16, 25};
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        situ_tensor *shard[64];
        int64_t first, count = situ_group_cut(group, shards = cuts[c], &first);
        for (int64_t s = 0; s < count; s++) shard[s] = own(n, (int)(first + s));
        expect("tree_sum", n, situ_group_tree_sum(group, TENSORS_OF(shard, (int)count), shards, .like = own(n, 0)), want_tree);
    }
    if (size > 1 && !(size & 1)) ring(n);
    if (situ_group_barrier(group)) wrong++;
    situ_scope_close(scope);
}

static void gradients(void)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = own(5, rank), *y = situ_sum(situ_mul(situ_group_all_reduce(group, x), (double)(rank + 1)));
    situ_tensor *g = situ_full(SHAPE(), 0);
    situ_grad(y, TENSORS(x), &g);
    expect("gradient of all_reduce", 5, g, want_gradient);
    y = situ_sum(situ_mul(situ_group_all_gather(group, x), (double)(rank + 1)));
    situ_grad(y, TENSORS(x), &g);
    expect("gradient of all_gather", 5, g, want_gradient);
    y = situ_sum(situ_mul(situ_group_broadcast(group, x, size - 1), (double)(rank + 1)));
    situ_grad(y, TENSORS(x), &g);
    expect("gradient of broadcast", 5, g, want_root_gradient);
    situ_scope_close(scope);
}

static int32_t whole_sum(int32_t mine)
{
    int32_t data[3] = {mine, 2 * mine, -mine}, out[3] = {0};
    situ_tensor *sum = situ_group_all_reduce(group, situ_from_host(data, SHAPE(3)));
    situ_read(sum, out, sizeof out);
    return out[0] + out[1] + out[2];
}

static void ledger(void)
{
    enum { N = 100000 };
    situ_ledger_totals before = situ_ledger_sum();
    situ_scope *scope = situ_scope_open();
    situ_eval(TENSORS(situ_group_all_reduce(group, own(N, rank))));
    situ_scope_close(scope);
    int64_t sent = situ_ledger_sum().peer_bytes - before.peer_bytes, each = N / size, most = (N + size - 1) / size;
    int64_t least = 4 * ((N - most) + (size - 1) * each), largest = 4 * ((N - each) + (size - 1) * most); /* a ring's 2 (n - 1) / n N */
    if (size == 1) least = largest = 0;
    if (sent < least || sent > largest) printf("%d: sent %lld bytes, not %lld\n", rank, (long long)sent, (long long)least), wrong++;
}

/* ---- where the ranks do not agree ---------------------------------------------------------------------------------------- */

static int disagree(const char *what, int odd)
{
    struct timespec a, b;
    situ_group_barrier(group);
    clock_gettime(CLOCK_MONOTONIC, &a);
    bool me = rank == odd % size;
    situ_tensor *x = situ_full(SHAPE(2, 3), 1);
    if (!strcmp(what, "shape") && me) x = situ_full(SHAPE(3, 2), 1);
    if (!strcmp(what, "large") && me) x = situ_full(SHAPE(100000), 1);
    if (!strcmp(what, "dtype") && me) x = situ_full(SHAPE(2, 3), 1, .dtype = SITU_I32);
    if (!strcmp(what, "exit") && me) {
        printf("%d: ends early\n", rank);
        fflush(stdout);
        exit(0);
    }
    if (!strcmp(what, "silent") && me) {
        printf("%d: stops\n", rank);
        fflush(stdout);
        raise(SIGSTOP);
    }
    if (!strcmp(what, "kill") && me) raise(SIGKILL);
    if (!strcmp(what, "late") && me) sleep(60);
    situ_tensor *y = x;
    if (!strcmp(what, "operation") && me) y = situ_group_all_gather(group, x);
    else if (!strcmp(what, "reduction") && me) y = situ_group_all_reduce(group, x, .reduction = SITU_GROUP_MAX);
    else if (!strcmp(what, "root")) y = situ_group_broadcast(group, x, me ? 0 : 1);
    else if (!strcmp(what, "skip") && me) y = situ_full(SHAPE(), situ_group_barrier(group));
    else if (!strcmp(what, "send") && me) situ_group_send(group, x, (rank + 1) % size);
    else y = situ_group_all_reduce(group, x);
    if (!strcmp(what, "order") && me) situ_group_barrier(group), situ_group_all_reduce(group, x);
    else situ_group_all_reduce(group, y), situ_group_barrier(group);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    situ_error e;
    situ_error_take(&e);
    situ_group_barrier(group); /* every later call is the same error */
    printf("%d: %s after %.3f s, then %s: %s\n", rank, situ_code_name(e.code), seconds, situ_code_name(situ_failed()), e.message);
    return e.code ? 3 : 0;
}

/* A program that has begun MPI itself, which this one is not linked with. */
static int begin_own(const char *library)
{
    void *mpi = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    int (*init)(int *, char ***) = mpi ? (int (*)(int *, char ***))dlsym(mpi, "MPI_Init") : NULL;
    return init ? init(NULL, NULL) : -1;
}

static void end_own(void)
{
    int (*finalize)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "MPI_Finalize");
    if (finalize) finalize();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    if (!strcmp(what, "own") && begin_own(argv[2])) return printf("no MPI_Init in %s\n", argv[2]), 2;
    group = situ_group_open(.deadline = argc > 3 ? atof(argv[3]) : 0);
    if (!group) return printf("-: %s\n", situ_error_message()), 4;
    rank = situ_group_rank(group);
    size = situ_group_size(group);
    if (strcmp(what, "all") && strcmp(what, "own")) return disagree(what, argc > 2 ? atoi(argv[2]) : 0);
    static const int64_t counts[] = {0, 1, 5, 1000, 1024, 1025, 30011, 500000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) collectives(counts[i]);
    gradients();
    ledger();
    if (whole_sum(rank + 1) != size * (size + 1)) wrong++, printf("%d: a sum of i32 is wrong\n", rank);
    if (situ_group_send(group, own(1, 0), rank) == 0) wrong++;
    situ_error_take(NULL);
    if (situ_failed()) wrong++;
    printf("%d: of %d by %s: %d wrong\n", rank, size, situ_group_engine(group), wrong);
    situ_group_free(group);
    if (!strcmp(what, "own")) end_own();
    return wrong ? 1 : 0;
}
