/* Several processes: our sums over ranks beside MPI's own, and steps of networks. (bench/group starts it under
 * mpirun.) */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dlfcn.h>

#include <situ.h>

#include "bench.h"
#include "group/mpi.h"

enum { ROUNDS = 9, LARGEST = 100 << 20 };

/* MPI's own sum of floats. If ranks share cores, the non-blocking one with polling, because the blocking one spins. */
typedef struct own_sum {
    situ_mpi mpi;
    int (*Allreduce)(const void *, void *, int, void *, void *, void *);
    int (*Iallreduce)(const void *, void *, int, void *, void *, void *, void **);
    void *number, *sum;
    bool polled;
} own_sum;

static int open_own(own_sum *o)
{
    char reason[1024];
    int level = 0;
    situ_launcher launcher = situ_launcher_of();
    if (situ_mpi_open(&o->mpi, &launcher, reason, sizeof reason) || o->mpi.family == SITU_MPI_NONE)
        return fprintf(stderr, "run group: start it by mpirun (%s)\n", reason), 1;
    void *library = o->mpi.library;
    *(void **)&o->Allreduce = dlsym(library, "MPI_Allreduce");
    *(void **)&o->Iallreduce = dlsym(library, "MPI_Iallreduce");
    bool open = o->mpi.family == SITU_MPI_OPEN, standard = o->mpi.family == SITU_MPI_STANDARD;
    o->number = open ? dlsym(library, "ompi_mpi_float") : (void *)(uintptr_t)(standard ? 0x210 : 0x4c00040a);
    o->sum = open ? dlsym(library, "ompi_mpi_op_sum") : (void *)(uintptr_t)(standard ? 0x21 : 0x58000003);
    int serialized = standard ? 2048 : 2;
    return !o->Allreduce || o->mpi.Init_thread(NULL, NULL, serialized, &level);
}

static void sum_own(own_sum *o, const float *in, float *out, int64_t n)
{
    if (!o->polled) {
        o->Allreduce(in, out, (int)n, o->number, o->sum, o->mpi.world);
        return;
    }
    void *request = NULL;
    int64_t status[SITU_MPI_STATUS_WORDS];
    o->Iallreduce(in, out, (int)n, o->number, o->sum, o->mpi.world, &request);
    for (int done = 0, idle = 0; !done; idle++) {
        o->mpi.Test(&request, &done, status);
        if (idle > 50) sched_yield();
    }
}

static void sum_ours(situ_group *group, situ_tensor *x)
{
    situ_scope *scope = situ_scope_open();
    situ_wait(situ_group_all_reduce(group, x));
    situ_scope_close(scope);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Both in turn; the shortest times, and the median ratio of the rounds. */
static void compare(own_sum *o, situ_group *group, int64_t bytes, const float *in, float *out)
{
    int64_t n = bytes / 4, times = bytes < 1 << 16 ? 2000 : bytes < 1 << 20 ? 60 : bytes < 16 << 20 ? 8 : 2;
    double own = 1e9, ours = 1e9, ratio[ROUNDS];
    situ_scope *scope = situ_scope_open();
    situ_tensor *x = situ_from_host(in, SHAPE(n));
    situ_wait(x);
    for (int r = -1; r < ROUNDS; r++) {
        situ_group_barrier(group);
        double start = bench_clock();
        for (int64_t i = 0; i < times; i++) sum_own(o, in, out, n);
        double middle = bench_clock();
        for (int64_t i = 0; i < times; i++) sum_ours(group, x);
        double end = bench_clock();
        if (r < 0) continue;
        own = fmin(own, (middle - start) / (double)times);
        ours = fmin(ours, (end - middle) / (double)times);
        ratio[r] = (end - middle) / (middle - start);
    }
    situ_scope_close(scope);
    qsort(ratio, ROUNDS, sizeof *ratio, by_size);
    if (!situ_group_rank(group) && !situ_failed())
        printf("all_reduce %9lld bytes  MPI %10.1f us  situ %10.1f us  ratio %5.2f (median of rounds %5.2f)\n", (long long)bytes, own * 1e6,
               ours * 1e6, ours / own, ratio[ROUNDS / 2]);
    fflush(stdout);
}

int bench_group_sums(void)
{
    own_sum o = {0};
    if (open_own(&o)) return 1;
    situ_group *group = situ_group_open();
    float *in = malloc(LARGEST), *out = malloc(LARGEST);
    if (!group || !in || !out) return fprintf(stderr, "%s\n", situ_error_message()), 1;
    for (int64_t i = 0; i < LARGEST / 4; i++) in[i] = (float)(i % 1000);
    o.polled = situ_group_size(group) > 2;
    if (!situ_group_rank(group))
        printf("%d ranks, %s, beside %s\n", situ_group_size(group), situ_group_engine(group), o.polled ? "MPI_Iallreduce, polled" : "MPI_Allreduce");
    static const int64_t sizes[] = {1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 10 << 20, LARGEST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !situ_failed(); i++) compare(&o, group, sizes[i], in, out);
    free(in);
    free(out);
    if (situ_failed()) return fprintf(stderr, "%s\n", situ_error_message()), 1;
    situ_group_free(group);
    o.mpi.Finalize();
    return 0;
}

/* Some steps, each on this rank's rows. Rank 0 prints what bench/run prints, and how much of the exchanges overlapped
 * with computation. */
int bench_group_steps(const bench_work *w, const char *name, int runs)
{
    bench_group = situ_group_open();
    double *time = malloc((size_t)(runs + 1) * sizeof *time);
    if (!bench_group || !time || w->prepare(0)) return fprintf(stderr, "%s\n", situ_error_message()), 1;
    for (int r = -5; r < runs && !situ_failed(); r++) {
        double start = bench_clock();
        w->run(r + 5);
        if (r >= 0) time[r] = bench_clock() - start;
    }
    if (situ_failed()) return fprintf(stderr, "%s\n", situ_error_message()), 1;
    qsort(time, (size_t)runs, sizeof *time, by_size);
    if (!situ_group_rank(bench_group)) printf("%-12s %-14s median %.6g min %.6g runs %d\n", "situ", name, time[runs / 2], time[0], runs);
    free(time);
    situ_group_free(bench_group);
    return 0;
}
