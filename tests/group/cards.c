/* Run by tests/checks/group_cards.py under mpirun, on the fake libcuda and NCCL or on real cards: collectives of
 * tensors on gpu(0) against what a loop on the CPU gives, and that their bytes go by NCCL (or, where the group has
 * none, do not). Each rank ends with a line "RANK: ..."; "values large" has larger ones, "times" tells how long sums
 * take. With the name of a mistake and the number of a rank, that rank makes it, and all tell what they hear of it. */
#define _GNU_SOURCE
#include <situ.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static situ_group *group;
static int rank, size, wrong;
static bool by_nccl;

/* Whole numbers, of which every dtype holds the sums of all ranks exactly. */
static int whole(int r, int64_t i) { return (int)((i * 7 + i / 11 + r * 3) % 5); }
/* Of these no sum is exact in every order. */
static float fraction(int r, int64_t i) { return (float)((r + 1) * 0.37 + (double)(i % 1013) * 1.1 + (double)(i % 7) / 3); }

static situ_tensor *on_card(int64_t n, int r, float (*value)(int, int64_t))
{
    float *data = malloc((size_t)n * sizeof *data + 1);
    for (int64_t i = 0; i < n; i++) data[i] = value ? value(r, i) : (float)whole(r, i);
    situ_tensor *t = situ_from_host(data, SHAPE(n), .device = situ_gpu(0));
    free(data);
    return t;
}

static void tell_wrong(const char *what, int64_t n, situ_dtype dtype, int64_t i, double got, double want)
{
    wrong++;
    printf("%d: %s of %lld %s: element %lld is %.9g, not %.9g\n", rank, what, (long long)n, situ_dtype_name(dtype), (long long)i, got, want);
}

/* Each element of t, which is on the card and came there without the host's memory. */
static void expect(const char *what, int64_t n, situ_tensor *t, double (*want)(int64_t), situ_ledger_totals before)
{
    situ_ledger_totals after = situ_ledger_sum();
    double *got = malloc((size_t)n * sizeof *got + 1);
    situ_dtype dtype = situ_dtype_of(t);
    bool moved = after.download_bytes != before.download_bytes || after.upload_bytes != before.upload_bytes;
    if (!situ_device_equal(situ_device_of(t), situ_gpu(0))) wrong++, printf("%d: %s left the card\n", rank, what);
    if (size > 1 && n && moved == by_nccl) wrong++, printf("%d: %s of %lld %s by the host's memory: %d\n", rank, what, (long long)n, situ_dtype_name(dtype), moved);
    t = situ_cast(situ_real(situ_to(t, situ_cpu())), SITU_F64);
    if (situ_count(t) != n || (situ_read)(t, got, (size_t)n * sizeof *got, "here")) wrong++;
    for (int64_t i = 0; i < n && !situ_failed(); i++)
        if (got[i] != want(i)) {
            tell_wrong(what, n, dtype, i, got[i], want(i));
            break;
        }
    if (situ_failed()) printf("%d: %s: %s\n", rank, what, situ_error_message()), wrong++, situ_error_take(NULL);
    free(got);
}

static int64_t part, offset;
static int from;
static double want_sum(int64_t i)
{
    double sum = 0;
    for (int r = 0; r < size; r++) sum += whole(r, offset + i);
    return sum;
}
static double want_mean(int64_t i) { return (double)(float)(want_sum(i) / size); }
static double want_most(int64_t i)
{
    double most = 0;
    for (int r = 0; r < size; r++) most = whole(r, i) > most ? whole(r, i) : most;
    return most;
}
static double want_gather(int64_t i) { return whole((int)(i / part), i % part); }
static double want_from(int64_t i) { return whole(from, i); }

#define MADE(what, n, want, ...)                           \
    do {                                                   \
        situ_eval(TENSORS(x));                             \
        situ_wait(NULL);                                   \
        situ_ledger_totals before = situ_ledger_sum();     \
        situ_tensor *y = __VA_ARGS__;                      \
        situ_eval(TENSORS(y));                             \
        situ_wait(NULL);                                   \
        expect(what, n, y, want, before);                  \
    } while (0)

static void exchange(int64_t n, situ_dtype dtype)
{
    situ_scope *scope = situ_scope_open();
    bool number = dtype != SITU_BOOL, real = dtype != SITU_C64 && dtype != SITU_C128, floats = dtype == SITU_F16 || dtype == SITU_BF16 || dtype == SITU_F32 || dtype == SITU_F64;
    situ_tensor *x = situ_cast(on_card(n, rank, NULL), dtype);
    offset = 0;
    part = n;
    if (number) MADE("all_reduce", n, want_sum, situ_group_all_reduce(group, x));
    if (number && real) MADE("max", n, want_most, situ_group_all_reduce(group, x, .reduction = SITU_GROUP_MAX));
    if (dtype == SITU_F32) MADE("mean", n, want_mean, situ_group_all_reduce(group, x, .reduction = SITU_GROUP_MEAN));
    if (number) MADE("all_gather", n * size, want_gather, situ_group_all_gather(group, x));
    from = size - 1;
    if (number) MADE("broadcast", n, want_from, situ_group_broadcast(group, x, from));
    if (floats && size % 2 == 0) {
        from = rank ^ 1;
        if (rank & 1) {
            situ_group_send(group, x, from);
            MADE("receive", n, want_from, situ_group_receive(group, x, from));
        } else {
            MADE("receive", n, want_from, situ_group_receive(group, x, from));
            situ_group_send(group, x, from);
        }
    }
    x = situ_cast(on_card(n * size, rank, NULL), dtype);
    offset = rank * n;
    if (number) MADE("reduce_scatter", n, want_sum, situ_group_reduce_scatter(group, x));
    offset = 0;
    situ_scope_close(scope);
}

static int shards;
static double want_tree(int64_t i)
{
    float v[64];
    int n = shards;
    for (int s = 0; s < n; s++) v[s] = fraction(s, i);
    for (; n > 1; n = (n + 1) / 2) {
        for (int k = 0; k + 1 < n; k += 2) v[k / 2] = v[k] + v[k + 1];
        if (n & 1) v[n / 2] = v[n - 1];
    }
    return (double)v[0];
}

/* The same bits, whatever NCCL and however many ranks. */
static void trees(int64_t n)
{
    static const int cuts[] = {1, 3, 5, 8, 16, 25};
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *shard[64], *x = on_card(n, 0, NULL);
        int64_t first, count = situ_group_cut(group, shards = cuts[c], &first);
        for (int64_t s = 0; s < count; s++) shard[s] = on_card(n, (int)(first + s), fraction);
        if (count) situ_eval(TENSORS_OF(shard, (int)count));
        MADE("tree_sum", n, want_tree, situ_group_tree_sum(group, TENSORS_OF(shard, (int)count), shards, .like = x));
        situ_scope_close(scope);
    }
}

/* Sums of sums with nobody waiting, beside those of the host's memory; NaNs; a slice; a variable that changes. */
static void beside(void)
{
    enum { N = 3000, MANY = 20 };
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = on_card(N, rank, NULL), *sum[MANY], *far[MANY], *power = x;
    for (int k = 0; k < MANY; k++) {
        sum[k] = situ_group_all_reduce(group, situ_mul(x, 1));
        far[k] = situ_group_all_reduce(group, situ_to(x, situ_cpu()));
        power = situ_group_all_reduce(group, situ_div(power, k ? size : 1));
    }
    bool same = situ_item(situ_all(situ_equal(situ_to(sum[MANY - 1], situ_cpu()), far[3]))) != 0;
    if (!same || (size < 3 && !situ_item(situ_all(situ_equal(power, sum[0]))))) wrong++, printf("%d: sums beside each other are wrong: %s\n", rank, situ_error_message());
    situ_tensor *rows = situ_reshape(x, SHAPE(50, 60)), *cut = situ_group_all_reduce(group, situ_transpose(situ_slice(rows, .start = SHAPE(3, 5), .stop = SHAPE(40, 21))));
    if (!situ_item(situ_all(situ_equal(cut, situ_transpose(situ_slice(situ_reshape(sum[0], SHAPE(50, 60)), .start = SHAPE(3, 5), .stop = SHAPE(40, 21))))))) wrong++, printf("%d: the sum of a slice is wrong\n", rank);
    situ_tensor *nan = situ_group_all_reduce(group, situ_div(situ_to(situ_full(SHAPE(2000), rank ? 1 : 0), situ_gpu(0)), rank ? 1 : 0), .reduction = SITU_GROUP_MAX);
    if (situ_item(situ_all(situ_equal(nan, nan)))) wrong++, printf("%d: the largest of NaN and 1 is no NaN\n", rank);
    situ_tensor *weight = situ_variable(on_card(N, rank, NULL)), *before = situ_group_all_reduce(group, weight);
    situ_assign(weight, situ_mul(weight, 0));
    if (!situ_item(situ_all(situ_equal(before, sum[0])))) wrong++, printf("%d: the sum of a variable that changes is wrong\n", rank);
    situ_release(weight);
    situ_tensor *y = situ_sum(situ_mul(situ_group_all_reduce(group, x), (double)(rank + 1))), *g = situ_full(SHAPE(), 0);
    situ_grad(y, TENSORS(x), &g);
    if (!situ_item(situ_all(situ_equal(g, size * (size + 1) / 2.0)))) wrong++, printf("%d: the gradient of a sum is wrong: %s\n", rank, situ_error_message());
    situ_scope_close(scope);
}

/* ---- mistakes ---------------------------------------------------------------------------------------------------------------- */

static int mistake(const char *what, int odd)
{
    struct timespec a, b;
    bool me = rank == odd % size;
    situ_tensor *x = on_card(50000, rank, NULL), *y = NULL;
    if (strcmp(what, "first")) situ_eval(TENSORS(situ_group_all_reduce(group, x)));
    if (strcmp(what, "first")) situ_group_barrier(group);
    clock_gettime(CLOCK_MONOTONIC, &a);
    if ((!strcmp(what, "cpu") || !strcmp(what, "first")) && me) x = situ_to(x, situ_cpu());
    if (!strcmp(what, "kill") && me) raise(SIGKILL);
    if (!strcmp(what, "dtype") && me) x = situ_cast(x, SITU_F64);
    if (!strcmp(what, "exit") && me) exit(0);
    if (!strcmp(what, "silent") && me) raise(SIGSTOP);
    y = situ_group_all_reduce(group, x);
    situ_eval(TENSORS(y));
    situ_wait(NULL);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    printf("%d: after %.1f s: %s\n", rank, seconds, situ_failed() ? situ_error_message() : "nothing");
    fflush(stdout);
    return situ_failed() ? 1 : 0;
}

/* Milliseconds of a sum, the least of several. */
static int times(void)
{
    for (int64_t n = 256; n <= 1 << 24; n *= 16) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *x = situ_zeros(SHAPE(n), .device = situ_gpu(0));
        double least = 1e9, spent = 0;
        situ_eval(TENSORS(x));
        for (int k = 0; k < 20 && situ_item(situ_group_all_reduce(group, situ_full(SHAPE(), spent, .device = situ_cpu()))) < 2000; k++) {
            struct timespec a, b;
            situ_group_barrier(group);
            clock_gettime(CLOCK_MONOTONIC, &a);
            situ_eval(TENSORS(situ_group_all_reduce(group, x)));
            situ_wait(NULL);
            clock_gettime(CLOCK_MONOTONIC, &b);
            double ms = 1e3 * (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_nsec - a.tv_nsec);
            least = ms < least ? ms : least;
            spent += ms;
        }
        if (!rank) printf("%s: a sum of %lld KB in %.3f ms\n", by_nccl ? "NCCL" : "the host's memory", (long long)n / 256, least);
        situ_scope_close(scope);
    }
    return situ_failed() ? printf("%d: %s\n", rank, situ_error_message()), 1 : 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "values";
    static const int64_t counts[] = {1, 5, 1025, 30011, 1000000};
    static const situ_dtype dtypes[] = {SITU_U8, SITU_I8, SITU_U16, SITU_I16, SITU_I32, SITU_U32, SITU_I64, SITU_U64, SITU_F16, SITU_BF16, SITU_F64, SITU_C64, SITU_C128};
    bool most = argc > 2 && !strcmp(argv[2], "large");
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!(group = situ_group_open(.deadline = strcmp(what, "silent") ? 0 : 2))) return printf("?: %s\n", situ_error_message()), 1;
    rank = situ_group_rank(group);
    size = situ_group_size(group);
    by_nccl = strstr(situ_group_engine(group), "NCCL") != NULL;
    if (!strcmp(what, "times")) return times();
    if (strcmp(what, "values")) return mistake(what, argc > 2 ? atoi(argv[2]) : 0);
    for (size_t i = 0; i < sizeof counts / sizeof *counts - !most; i++) exchange(counts[i], SITU_F32), trees(counts[i]);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) exchange(7, dtypes[d]), exchange(20011, dtypes[d]);
    beside();
    if (situ_failed()) wrong++, printf("%d: %s\n", rank, situ_error_message());
    printf("%d: of %d by %s: %d wrong\n", rank, size, situ_group_engine(group), wrong);
    situ_group_free(group);
    situ_shutdown();
    return wrong ? 1 : 0;
}
