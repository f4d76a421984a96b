/* Run by tests/checks/group.py under mpirun: the collectives against sums that a loop gives, and what happens where
 * the ranks do not agree. Each rank ends with a line "RANK: ..." that the check looks for. */
#define _GNU_SOURCE
#include <situ.h>

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static situ_group *group;
static int rank, size, wrong;
static int shown; /* the rank in front of what is printed: among all */

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
            printf("%d: %s of %lld: element %lld is %.9g, not %.9g\n", shown, what, (long long)n, (long long)i, (double)got[i],
                (double)want(i));
            wrong++;
            break;
        }
    if (situ_failed()) printf("%d: %s: %s\n", shown, what, situ_error_message()), wrong++, situ_error_take(NULL);
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

static float want_mean_gradient(int64_t i) { return want_gradient(i) / (float)size; }
static float want_scatter_gradient(int64_t i) { return (float)(i / 5 + 1); }

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
    y = situ_sum(situ_mul(situ_group_all_reduce(group, x, .reduction = SITU_GROUP_MEAN), (double)(rank + 1)));
    situ_grad(y, TENSORS(x), &g);
    expect("gradient of a mean", 5, g, want_mean_gradient);
    situ_tensor *wide = own(5 * size, rank);
    y = situ_sum(situ_mul(situ_group_reduce_scatter(group, wide), (double)(rank + 1)));
    situ_grad(y, TENSORS(wide), &g);
    expect("gradient of reduce_scatter", 5 * size, g, want_scatter_gradient);
    y = situ_sum(situ_mul(situ_group_all_gather(group, x), (double)(rank + 1)));
    situ_grad(y, TENSORS(x), &g);
    expect("gradient of all_gather", 5, g, want_gradient);
    y = situ_sum(situ_mul(situ_group_broadcast(group, x, size - 1), (double)(rank + 1)));
    situ_grad(y, TENSORS(x), &g);
    expect("gradient of broadcast", 5, g, want_root_gradient);
    y = situ_sum(situ_mul(situ_group_reduce_scatter(group, wide, .reduction = SITU_GROUP_MEAN), (double)((rank + 1) * size)));
    situ_grad(y, TENSORS(wide), &g);
    expect("gradient of a mean of reduce_scatter", 5 * size, g, want_scatter_gradient);
    situ_scope_close(scope);
}

/* An error, not zeros, which would train nothing from the second rank on. */
static void no_gradients(void)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = own(5, rank), *wide = own(5 * size, rank), *g = NULL, *twice[2] = {x, x};
    situ_tensor *y[] = {situ_group_all_reduce(group, x, .reduction = SITU_GROUP_MAX), situ_group_all_reduce(group, x, .reduction = SITU_GROUP_MIN),
        situ_group_reduce_scatter(group, wide, .reduction = SITU_GROUP_MAX), situ_group_tree_sum(group, TENSORS_OF(twice, 2), 2 * size)};
    for (int i = 0; i < 4 && size > 1; i++) {
        situ_grad(situ_sum(y[i]), TENSORS(i == 2 ? wide : x), &g);
        if (situ_failed() != SITU_NO_GRADIENT) wrong++, printf("%d: gradient %d: %s\n", shown, i, situ_error_message());
        situ_error_take(NULL);
    }
    situ_grad(situ_sum(situ_mul(situ_stop_gradient(y[3]), situ_sum(x))), TENSORS(x), &g);
    if (situ_read(g, NULL, 0), situ_failed() == SITU_NO_GRADIENT) wrong++, printf("%d: a gradient that is stopped: %s\n", shown, situ_error_message());
    situ_error_take(NULL);
    situ_scope_close(scope);
}

/* Whole numbers up to 60, which every dtype holds: element i of rank r is (i + r) % 5. */
static void dtypes(void)
{
    static const situ_dtype all[] = {SITU_U8, SITU_I8, SITU_U16, SITU_I16, SITU_I32, SITU_I64, SITU_U64, SITU_F16, SITU_BF16, SITU_F64, SITU_C64, SITU_C128};
    for (size_t d = 0; d < sizeof all / sizeof *all; d++)
        for (int64_t n = 7; n < 400000; n = n * 61 + 400) {
            situ_scope *scope = situ_scope_open();
            situ_tensor *i = situ_arange(0, n, 1, .dtype = SITU_I64), *want = situ_remainder(i, 5);
            for (int r = 1; r < size; r++) want = situ_add(want, situ_remainder(situ_add(i, r), 5));
            situ_tensor *x = situ_cast(situ_remainder(situ_add(i, rank), 5), all[d]), *sum = situ_group_all_reduce(group, x);
            if (!situ_item(situ_all(situ_equal(sum, situ_cast(want, all[d]))))) wrong++, printf("%d: the sum of %lld %s is wrong\n", shown, (long long)n, situ_dtype_name(all[d]));
            situ_scope_close(scope);
        }
    situ_group_all_reduce(group, situ_full(SHAPE(2), 1, .dtype = SITU_BOOL));
    if (situ_failed() != SITU_BAD_DTYPE) wrong++, printf("%d: a sum of bool: %s\n", shown, situ_error_message());
    situ_error_take(NULL);
    situ_group_all_reduce(group, situ_full(SHAPE(2), 1, .dtype = SITU_C64), .reduction = SITU_GROUP_MAX);
    if (situ_failed() != SITU_BAD_DTYPE) wrong++, printf("%d: the largest complex number: %s\n", shown, situ_error_message());
    situ_error_take(NULL);
}

static void must(const char *what, situ_tensor *got, situ_tensor *want)
{
    if (!situ_item(situ_all(situ_equal(got, want)))) wrong++, printf("%d: %s is wrong: %s\n", shown, what, situ_error_message());
}

/* What others' libraries got wrong: operands with strides, bool, sums beyond a dtype, a part of nothing, slices as
 * results. */
static void odd_operands(void)
{
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_reshape(own(3000, rank), SHAPE(50, 60)), *sum = situ_reshape(situ_group_all_reduce(group, own(3000, rank)), SHAPE(50, 60));
    must("the sum of a transpose", situ_transpose(situ_group_all_reduce(group, situ_transpose(x))), sum);
    must("the sum of a slice", situ_group_all_reduce(group, situ_slice(x, .start = SHAPE(3, 5), .stop = SHAPE(40, 21))), situ_slice(sum, .start = SHAPE(3, 5), .stop = SHAPE(40, 21)));
    must("the sum of a broadcast", situ_group_all_reduce(group, situ_broadcast_to(situ_full(SHAPE(1), rank), SHAPE(700, 3))), situ_full(SHAPE(700, 3), size * (size - 1) / 2.0));
    situ_tensor *even = situ_equal(situ_remainder(situ_arange(0, 9000, 1, .dtype = SITU_I64), 2), rank % 2);
    must("bool from rank 0", situ_group_broadcast(group, even, 0), situ_equal(situ_remainder(situ_arange(0, 9000, 1, .dtype = SITU_I64), 2), 0));
    must("bool of all", situ_slice(situ_group_all_gather(group, even), .start = SHAPE(0), .stop = SHAPE(9000)), situ_group_broadcast(group, even, 0));
    must("a sum that wraps", situ_group_all_reduce(group, situ_full(SHAPE(5), 200, .dtype = SITU_U8)), situ_full(SHAPE(5), 200 * size % 256, .dtype = SITU_U8));
    must("a number", situ_group_all_reduce(group, situ_full(SHAPE(), rank)), situ_full(SHAPE(), size * (size - 1) / 2.0));
    situ_tensor *weight = situ_variable(own(4000, rank));
    sum = situ_group_all_reduce(group, weight); /* of the value that it has now */
    situ_assign(weight, situ_mul(weight, 0));
    expect("the sum of a variable that changes", 4000, sum, want_sum);
    situ_release(weight);
    situ_scope_close(scope);
}

/* Calls whose results one rank alone reads, or nobody; many under way at once; values computed meanwhile. */
static void beside(void)
{
    enum { N = 3000, MANY = 40 };
    situ_scope *scope = situ_scope_open();
    situ_tensor *sum[MANY], *x = own(N, rank);
    for (int k = 0; k < MANY; k++) sum[k] = situ_group_all_reduce(group, situ_mul(x, 1)); /* a pending operand */
    if (!rank) expect("a sum that rank 0 alone reads", N, sum[MANY / 2], want_sum);
    for (int k = 0; k < 3; k++) situ_group_broadcast(group, situ_mul(x, k), k % size);
    situ_tensor *power = situ_mul(situ_group_all_reduce(group, x), 1);
    for (int k = 0; k < 3; k++) power = situ_group_all_reduce(group, situ_div(power, size));
    if (size == 1 || size == 2 || size == 4) expect("sums of sums", N, power, want_sum);
    situ_scope_close(scope);
}

/* What a rank's part of `shards` is made of, by the rule of the tree: as many whole subtrees as there are at least. */
static int64_t roots_of(int64_t shards, int64_t first, int64_t end)
{
    int64_t n = 0;
    for (int64_t at = first; at < end; n++) {
        int64_t whole = 1;
        while (at % (2 * whole) == 0 && (at + 2 * whole <= end || (end == shards && at + whole < end))) whole *= 2;
        at = at + whole < end ? at + whole : end;
    }
    return n;
}

/* Bytes that this rank sends for a sum of `shards` tensors of n floats. */
static int64_t formula(int64_t shards, int64_t n)
{
    int64_t first, here = situ_group_cut(group, shards, &first), roots = roots_of(shards, first, first + here);
    int64_t part = 4 * (n / size + (rank < n % size)); /* what this rank adds up and sends to all others */
    return size == 1 ? 0 : roots * (4 * n - part) + (size - 1) * part;
}

static void ledger(void)
{
    enum { N = 100001 };
    static const int cuts[] = {1, 2, 7, 16, 32};
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        situ_tensor *shard[64];
        int64_t first, count = situ_group_cut(group, cuts[c], &first);
        situ_scope *scope = situ_scope_open();
        for (int64_t s = 0; s < count; s++) shard[s] = own(N, (int)(first + s));
        situ_ledger_totals before = situ_ledger_sum();
        situ_eval(TENSORS(situ_group_tree_sum(group, TENSORS_OF(shard, (int)count), cuts[c], .like = own(N, 0))));
        int64_t sent = situ_ledger_sum().peer_bytes - before.peer_bytes;
        if (sent != formula(cuts[c], N)) wrong++, printf("%d: sent %lld bytes for %d shards, not %lld\n", shown, (long long)sent, cuts[c], (long long)formula(cuts[c], N));
        situ_scope_close(scope);
    }
}

/* Bytes that this rank sends in so many epochs of the digits, batches of 256 rows in shards of 16. */
static int64_t sent_in(int epochs)
{
    situ_dataset *digits = situ_digits();
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(200), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *sgd = situ_sgd(net, .lr = 0.1);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = epochs, .batch = 256, .deterministic = true, .group = group, .device = situ_cpu());
    situ_ledger_totals before = situ_ledger_sum();
    situ_trainer_fit(trainer, net, sgd, digits, NULL);
    int64_t sent = situ_ledger_sum().peer_bytes - before.peer_bytes;
    situ_trainer_free(trainer);
    situ_optimizer_free(sgd);
    situ_module_free(net);
    situ_dataset_free(digits);
    return sent;
}

static void steps(void)
{
    int64_t sent = sent_in(2) - sent_in(1), want = 0, parameters = 64 * 200 + 200 + 200 * 10 + 10;
    for (int64_t row = 0; row < 1797; row += 256) {
        int64_t rows = 1797 - row < 256 ? 1797 - row : 256, shards = (rows + 15) / 16, first, here = situ_group_cut(group, shards, &first);
        want += formula(shards, parameters);
        if (size > 1) want += 4 * roots_of(shards, first, first + here) * (size - 1); /* the loss goes to everybody */
    }
    want += 4 * (size - 1); /* at its end: was a rank asked to stop? */
    if (sent != want) wrong++, printf("%d: an epoch sent %lld bytes, not %lld\n", shown, (long long)sent, (long long)want);
}

/* A trace of training a network whose gradients are several buckets, to FILE.RANK. */
static int trace(const char *file)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", file, rank);
    situ_scope *scope = situ_scope_open();
    situ_dataset *digits = situ_digits();
    situ_module *net = situ_sequential(situ_flatten_layer(), situ_linear_layer(1024), situ_relu_layer(), situ_linear_layer(1024), situ_relu_layer(),
        situ_linear_layer(1024), situ_relu_layer(), situ_linear_layer(10));
    situ_optimizer *sgd = situ_sgd(net, .lr = 0.1);
    situ_trainer *trainer = situ_trainer_new(.max_epochs = 1, .batch = 512, .group = group, .device = situ_cpu());
    situ_profile_start(0);
    situ_trainer_fit(trainer, net, sgd, digits, NULL);
    situ_wait(NULL);
    situ_profile_save(name);
    situ_trainer_free(trainer);
    situ_optimizer_free(sgd);
    situ_module_free(net);
    situ_dataset_free(digits);
    situ_scope_close(scope);
    printf("%d: %s\n", shown, situ_failed() ? situ_error_message() : "traced");
    return situ_failed();
}

/* A child of a rank: the group is not its own. */
static void forked(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        situ_after_fork();
        situ_group_all_reduce(group, situ_full(SHAPE(2), 1));
        bool told = situ_failed() == SITU_FORKED && strstr(situ_error_message(), "forked from a rank");
        if (!told && size > 1) printf("%d: in a fork: %s\n", shown, situ_error_message());
        fflush(stdout);
        _exit(told || size == 1 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status) wrong++;
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
        printf("%d: ends early\n", shown);
        fflush(stdout);
        exit(0);
    }
    if (!strcmp(what, "silent") && me) {
        printf("%d: stops\n", shown);
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

static void at_clock(const char *what, double want)
{
    if (fabs(situ_sim_clock() - want) < 1e-4) return; /* the calls themselves cost some microseconds */
    printf("%d: %s: the clock is at %.9g s, not at %.9g\n", rank, what, situ_sim_clock(), want);
    wrong++;
}

/* Each rank has a clock; a message takes the later of the sender's and the receiver's. */
static int clocks(void)
{
    if (situ_sim_profile("workstation")) return 2;
    situ_tensor *on_card = situ_ones(SHAPE(64), .device = situ_gpu(0)), *x = situ_ones(SHAPE(64));
    situ_wait(on_card);
    situ_wait(x);
    situ_group_barrier(group);
    double now = situ_sim_clock();
    situ_sim_host(1e-3 * (rank + 1));
    situ_tensor *sum = situ_group_all_reduce(group, x);
    at_clock("a call", now + 1e-3 * (rank + 1)); /* it waits for nobody */
    situ_wait(situ_mul(situ_to(sum, situ_gpu(0)), on_card)); /* what reads the sum begins when the slowest was there */
    at_clock("a sum", now += 1e-3 * size);
    situ_sim_host(1e-3 * (size - rank));
    situ_group_barrier(group);
    at_clock("a barrier", now += 1e-3 * size);
    if (rank == size - 1) situ_sim_host(5e-3);
    if (size > 1 && rank == size - 1) situ_group_send(group, x, 0);
    if (size > 1 && rank == 0) situ_wait(situ_group_receive(group, x, size - 1));
    at_clock("a message", now + (rank && rank < size - 1 ? 0 : 5e-3));
    situ_group_all_reduce(group, x);
    situ_wait(NULL);
    at_clock("a wait for everything", now + 5e-3);
    printf("%d: of %d by %s: %d wrong, clock %.9f\n", rank, size, situ_group_engine(group), wrong + !!situ_failed(), situ_sim_clock());
    return wrong || situ_failed();
}

/* A program that has begun MPI itself, which this one is not linked with. */
static int begin_own(const char *library)
{
    void *mpi = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    int (*init)(int *, char ***) = mpi ? (int (*)(int *, char ***))dlsym(mpi, "MPI_Init") : NULL;
    return init ? init(NULL, NULL) : -1;
}

/* A communicator of every second rank, by the handles of each ABI. */
static void *split(const char *library, int *all)
{
    static void *half; /* an int in MPICH, in its first bytes */
    void *mpi = dlopen(library, RTLD_NOW | RTLD_GLOBAL), *world = dlsym(mpi, "ompi_mpi_comm_world");
    if (!world) world = (void *)(uintptr_t)(dlsym(mpi, "MPI_Abi_get_version") && strstr(library, "abi") ? 0x101 : 0x44000000);
    int (*rank_of)(void *, int *) = (int (*)(void *, int *))dlsym(mpi, "MPI_Comm_rank");
    int (*split_by)(void *, int, int, void **) = (int (*)(void *, int, int, void **))dlsym(mpi, "MPI_Comm_split");
    rank_of(world, all);
    split_by(world, *all % 2, *all, &half);
    return &half;
}

static void end_own(void)
{
    int (*finalize)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "MPI_Finalize");
    if (finalize) finalize();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    bool all = !strcmp(what, "all"), halves = !strcmp(what, "split"), own_mpi = halves || !strcmp(what, "own");
    if (own_mpi && begin_own(argv[2])) return printf("no MPI_Init in %s\n", argv[2]), 2;
    group = situ_group_open(.deadline = argc > 3 ? atof(argv[3]) : 0, .communicator = halves ? split(argv[2], &shown) : NULL);
    if (!group) return printf("-: %s\n", situ_error_message()), 4;
    rank = situ_group_rank(group);
    size = situ_group_size(group);
    if (!halves) shown = rank;
    if (!strcmp(what, "trace")) return trace(argv[2]);
    if (!strcmp(what, "clocks")) return clocks();
    if (!strcmp(what, "status")) return situ_group_barrier(group) || rank == atoi(argv[2]) ? 3 : 0;
    bool bytes = !strcmp(what, "bytes");
    if (!all && !own_mpi && !bytes) return disagree(what, argc > 2 ? atoi(argv[2]) : 0);
    static const int64_t counts[] = {0, 1, 5, 1000, 1024, 1025, 30011, 500000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !bytes; i++) collectives(counts[i]);
    if (!bytes) gradients(), no_gradients(), dtypes(), odd_operands(), beside();
    ledger();
    if (all || bytes) steps();
    if (all) forked();
    if (situ_group_send(group, own(1, 0), rank) == 0) wrong++;
    situ_error_take(NULL);
    if (situ_failed()) wrong++;
    printf("%d: of %d by %s: %d wrong\n", shown, size, situ_group_engine(group), wrong);
    situ_group_free(group);
    if (own_mpi) end_own();
    return wrong ? 1 : 0;
}
