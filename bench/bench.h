/* Pieces of work to time: each is prepared once and then done again and again, from recording to the last result. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>

typedef struct bench_work {
    const char *name;
    const char *what;              /* one line for --help                                                      */
    int (*prepare)(int64_t n);     /* n: the number at the end of the name, if it has one; 0 or a negative code */
    int (*run)(int64_t r);         /* the r-th time; an argument differs in each, so nothing can be remembered */
    double divide;                 /* by this many operations; 0: none                                         */
} bench_work;

/* Ends in a row without a name. */
extern const bench_work bench_numbers[], bench_networks[], bench_vision[], bench_card[], bench_loader[], bench_algebra[];

/* The processes that train together, each on its rows of the batch: NULL: this one alone. */
extern struct situ_group *bench_group;
/* Sums over ranks beside MPI's own; so many steps of a network (group.c). */
int bench_group_sums(void);
int bench_group_steps(const bench_work *w, const char *name, int runs);

/* Wall time in seconds. */
double bench_clock(void);

/* The kernel lab (lab.c): what the machine can do, and what kernels reach of it. 0 or an exit status. */
int bench_lab_peak(void);
int bench_lab_memory(const char *kind, const char *mib);
int bench_lab_kernels(void);
/* The first card of CUDA: cuBLASLt's product of two matrices of this size, f32; without one copies in its memory (card.c). */
int bench_lab_card(const char *size);
/* What an operation costs by the size of its graph (nodes.c). */
int bench_nodes(void);
/* What an mlp step costs besides its arithmetic (networks.c). */
int bench_planning(void);
/* Loops that read each step or never; a small inference beside a thread that trains (ahead.c). */
int bench_ahead(void);
int bench_beside(void);
/* The bits of training (bits.c), who multiplies matrices, and which instruction set is used. */
int bench_bits(void);
int bench_blas(void);
int bench_isa(void);
double bench_last_loss(void);
/* Multiply-adds a second, each counted twice. */
double bench_peak(int threads);
/* Seconds to "read", "write" or "copy" so many bytes on all threads; negative: no such kind. */
double bench_memory(const char *kind, size_t bytes);

#endif
