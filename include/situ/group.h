/* A group: several processes, on one machine or on many, that compute together. docs/several.md tells how to start them, what
 * happens when one fails, and how the calls below overlap with computing.
 *
 *     situ_group *group = situ_group_open();                                // mpirun -n 4 program
 *     situ_tensor *sum = situ_group_all_reduce(group, situ_full(SHAPE(3), situ_group_rank(group)));   // 6 6 6 on each of them
 *     situ_group_free(group);
 *
 * Every rank makes the same calls in the same order, from one thread at a time. If calls differ, or a rank ends or does not answer
 * within the deadline, every rank gets an error (SITU_MISMATCH, SITU_RANK_LOST) that names rank and line. A call starts at once and
 * returns; reading its result waits for it. A program that was started without mpirun is a group of one.
 */
#ifndef SITU_GROUP_H
#define SITU_GROUP_H

#include <situ/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct situ_group situ_group;
typedef struct SITU_BY_NAME situ_group_open_options {
    SITU_OPTION_HEAD;
    double deadline;          /* = 0 in [0, 1000000]: seconds to wait for a rank's answer; 0: SITU_GROUP_DEADLINE, or 30 */
    const void *communicator; /* = none: points to an MPI_Comm of the program, whose ranks form the group; none: all ranks do */
} situ_group_open_options;
/* The group of all ranks; every rank calls it. There is one group in a process: a second call returns the same one. NULL on an
 * error: the MPI is not the launcher's, ranks run different programs, or a rank does not call it within the deadline. */
SITU_API situ_group *situ_group_open(const situ_group_open_options *options, situ_site site);
/* NULL is fine. Waits until the calls of this thread have ended, unless an error occurred before. So a call whose result nobody
 * reads still reports its error. It does not wait for other ranks. */
SITU_API SITU_TOLD void situ_group_free(situ_group *group);
/* The rank of this process, from 0, and the number of ranks. */
SITU_API int situ_group_rank(const situ_group *group);
SITU_API int situ_group_size(const situ_group *group);
/* The transport in use: "Open MPI 4.1.4", or "Open MPI 4.1.4, cards by NCCL 2.30.7"; "none" in a group of one. */
SITU_API const char *situ_group_engine(const situ_group *group);

typedef enum situ_group_reduction {
    SITU_GROUP_SUM = 0,  /* the sum over all ranks, in adjacent pairs: (0 + 1) + (2 + 3); between cards in NCCL's order */
    SITU_GROUP_MEAN = 1, /* the sum divided by the number of ranks */
    SITU_GROUP_MAX = 2,  /* situ_maximum */
    SITU_GROUP_MIN = 3   /* situ_minimum */
} situ_group_reduction;
typedef struct SITU_BY_NAME situ_group_reduce_options {
    SITU_OPTION_HEAD;
    situ_group_reduction reduction; /* = SITU_GROUP_SUM: how the ranks' elements are combined */
} situ_group_reduce_options;
/* The sum of all ranks' x, the same bits on every rank, with shape, dtype and device of x. */
SITU_API situ_tensor *situ_group_all_reduce(
    situ_group *group, situ_tensor *x, const situ_group_reduce_options *options, situ_site site);
/* The same sum, cut among the ranks: x is [n * ranks, ...]; rank r gets rows r n to (r + 1) n - 1, so the result is [n, ...]. */
SITU_API situ_tensor *situ_group_reduce_scatter(
    situ_group *group, situ_tensor *x, const situ_group_reduce_options *options, situ_site site);
/* All ranks' x, concatenated along axis 0 in the order of ranks: [n, ...] gives [n * ranks, ...]. */
SITU_API situ_tensor *situ_group_all_gather(situ_group *group, situ_tensor *x, situ_site site);
/* x of rank `root`, on every rank; the other ranks pass an x of the same shape and dtype, which is not computed. From 4 KB on it
 * goes in pieces of 512 KB from rank to rank, along a tree. */
SITU_API situ_tensor *situ_group_broadcast(situ_group *group, situ_tensor *x, int root, situ_site site);
/* Returns when all ranks have called it. 0 or a negative code. */
SITU_API int situ_group_barrier(situ_group *group, situ_site site);

/* Sends x to another rank; both wait for each other. 0 or a negative code. */
SITU_API int situ_group_send(situ_group *group, situ_tensor *x, int to, situ_site site);
/* Receives what rank `from` sends, with the shape and dtype of `like`, on its device. */
SITU_API situ_tensor *situ_group_receive(situ_group *group, situ_tensor *like, int from, situ_site site);

/* Cuts `total` consecutive items among the ranks: returns how many this rank has, and in *first (or NULL) where they begin. The
 * largest part is as small as possible; parts of eight and more may have one more if situ_group_tree_sum then transfers fewer
 * bytes. Each rank has at least one if there are enough. 0 for a total below 1. */
SITU_API int64_t situ_group_cut(const situ_group *group, int64_t total, int64_t *first);
typedef struct SITU_BY_NAME situ_group_tree_sum_options {
    SITU_OPTION_HEAD;
    situ_tensor *like; /* = none: gives shape, dtype and device of the tensors, for a rank that has none of them */
} situ_group_tree_sum_options;
/* The sum of `total` tensors of one shape; this rank has those of situ_group_cut, in order. They are added in one tree, independent
 * of the ranks: in adjacent pairs, level by level; an odd last one moves up. So the bits do not depend on the number of ranks, and
 * a single rank that has all tensors gets the same. */
SITU_API situ_tensor *situ_group_tree_sum(
    situ_group *group, situ_list part, int64_t total, const situ_group_tree_sum_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/group.h>

#endif
