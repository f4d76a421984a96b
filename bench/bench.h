/* Workloads to time: each is prepared once and then run repeatedly, from recording to reading the last result. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>

typedef struct bench_work {
    const char *name;
    const char *what;              /* one line for --help                                                      */
    int (*prepare)(int64_t n);     /* n: the number at the end of the name, if it has one; returns 0 or a negative code */
    int (*run)(int64_t r);         /* run number r; one argument differs in each run, so that no result can be reused */
    double operations;                 /* divide the time by this number of operations; 0: not */
} bench_work;

/* Arrays that end with a row without a name. */
extern const bench_work bench_numbers[], bench_networks[], bench_vision[], bench_card[], bench_loader[], bench_algebra[];

/* The processes that train together, each on its rows of the batch. NULL: this process alone. */
extern struct situ_group *bench_group;
/* bench_group_sums: our sums over ranks beside MPI's own. bench_group_steps: some steps of a network (group.c). */
int bench_group_sums(void);
int bench_group_steps(const bench_work *w, const char *name, int runs);

/* Wall time in seconds. */
double bench_clock(void);

/* The kernel lab (lab.c): what the machine can do, and how much of that kernels reach. Return 0 or an exit status. */
int bench_lab_peak(void);
int bench_lab_memory(const char *kind, const char *mib);
int bench_lab_kernels(void);
/* The first CUDA card: cuBLASLt's product of two f32 matrices of this size; size NULL: copies in its memory (card.c). */
int bench_lab_card(const char *size);
/* The cost of an operation by the size of its graph (nodes.c). */
int bench_nodes(void);
/* The cost of an mlp step without its arithmetic (networks.c). */
int bench_planning(void);
/* Loops that read each step or never; a small inference beside a thread that trains (ahead.c). */
int bench_ahead(void);
int bench_beside(void);
/* The bits of training (bits.c); which library multiplies matrices; which instruction set is used. */
int bench_bits(void);
int bench_blas(void);
int bench_isa(void);
/* What batch-invariant inference costs (invariance.c). */
int bench_invariance(void);
double bench_last_loss(void);
/* Floating-point operations a second; a multiply-add counts as two. */
double bench_peak(int threads);
/* Seconds to "read", "write" or "copy" so many bytes on all threads; negative: unknown kind. */
double bench_memory(const char *kind, size_t bytes);

#endif
