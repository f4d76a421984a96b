/* Several processes, on one machine or on many, that compute together: a group, and the calls in which all of its ranks take part.
 *
 *     situ_group *group = situ_group_open();                                // mpirun -n 4 program
 *     situ_tensor *sum = situ_group_all_reduce(group, situ_full(SHAPE(3), situ_group_rank(group)));   // 6 6 6 on each of them
 *     situ_group_free(group);
 *
 * The processes are started by mpirun; a program that was started without it is a group of one, in which every call gives what one
 * rank alone gives. Bytes go by MPI, which is found while running: that of the launcher (the standard ABI, Open MPI 4 and 5, MPICH
 * and what shares its ABI), or the one that SITU_MPI names. `situ devices` says which one was found. A program that has called
 * MPI_Init itself frees the group before MPI_Finalize, and computes in no other thread with MPI meanwhile.
 *
 * Every rank makes the same calls in the same order, from one thread at a time. Each call is checked against those of the other
 * ranks before a result is given out: another operation, shape or dtype, a rank that makes one call less, or that ends, is an
 * error on every rank, SITU_MISMATCH or SITU_RANK_LOST, that names rank and line. A rank that does not answer within the deadline
 * is an error, too. After such an error every later call on the group fails; but under `mpirun --with-ft ulfm` of Open MPI 5 a
 * trainer goes on with the ranks that are left when one dies, and so does the group (docs/several.md).
 *
 * A call begins at once: it checks its operand, starts computing it, and returns; the exchange runs beside what the program
 * computes next, in the order of the calls, and who reads the result waits for it. So a rank takes part also where it never reads
 * its result, as in `if (!rank) situ_print(sum);`. What goes wrong while bytes travel is an error of the read, or of the thread's
 * next situ_wait, barrier or other call on the group. Only barrier and send wait themselves (all calls do, in a program that has
 * called MPI_Init for one thread). Results are exact copies, or sums in one order that depends on the number of ranks alone;
 * operands on any device go by the host's memory. Where all ranks have the same NCCL (2.14 or newer), tensors on NVIDIA's cards
 * stay there, and NCCL carries their bytes: then a tensor is on the card on all ranks or on none, each rank takes a card of its own
 * (or, from 2.30 on, with NCCL_MULTI_RANK_GPU_ENABLE=1, two share one), and sums and means of all_reduce and reduce_scatter are
 * made in NCCL's order; tree_sum keeps its own, and so its bits. SITU_NCCL=none on all ranks: by the host's memory, as everywhere
 * else. In the ledger each call is one SITU_TRANSFER_PEER with SITU_REASON_COLLECTIVE, with the bytes that this rank sends (a
 * tree_sum of cards is two); in the trace it lies beside the steps of its device. Sums and means of all_reduce and reduce_scatter,
 * all_gather and broadcast have gradients, those of the sum of all ranks' losses, which all ranks ask for together: the gradient
 * calls the group, too. Those of a largest or smallest element and of tree_sum are errors; what is received is a constant.
 *
 * At its end a process tells the others, and MPI is ended; after an error of the group, or with a status other than 0, by
 * MPI_Abort, 0.3 s later: all ranks end, and no end hangs.
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
    double deadline;          /* = 0 in [0, 1000000]: seconds that a rank may stay away; 0: SITU_GROUP_DEADLINE, or 30 */
    const void *communicator; /* = none: points to an MPI_Comm of the program's own, whose ranks are the group; else all are */
} situ_group_open_options;
/* The group of all ranks; every rank calls it. There is one group in a process: a second call gives the same one again. NULL on an
 * error: an MPI that is not the launcher's, ranks that run other programs, a rank that does not come. */
SITU_API situ_group *situ_group_open(const situ_group_open_options *options, situ_site site);
/* NULL is fine. Without an error before, waits until the calls of this thread have ended, so that what went wrong in one whose
 * result nobody has read is an error at last; for nobody else. */
SITU_API SITU_TOLD void situ_group_free(situ_group *group);
/* Which one this process is, from 0, and how many there are. */
SITU_API int situ_group_rank(const situ_group *group);
SITU_API int situ_group_size(const situ_group *group);
/* What carries the bytes: "Open MPI 4.1.4", or "Open MPI 4.1.4, cards by NCCL 2.30.7"; "none" in a group of one. */
SITU_API const char *situ_group_engine(const situ_group *group);

typedef enum situ_group_reduction {
    SITU_GROUP_SUM = 0,  /* of all ranks, added in adjacent pairs: (0 + 1) + (2 + 3); between cards in NCCL's order */
    SITU_GROUP_MEAN = 1, /* the sum divided by the number of ranks */
    SITU_GROUP_MAX = 2,  /* situ_maximum */
    SITU_GROUP_MIN = 3   /* situ_minimum */
} situ_group_reduction;
typedef struct SITU_BY_NAME situ_group_reduce_options {
    SITU_OPTION_HEAD;
    situ_group_reduction reduction; /* = SITU_GROUP_SUM: what is made of the ranks' elements */
} situ_group_reduce_options;
/* The sum of all ranks' x, on every rank the same bits: shape, dtype and device of x. */
SITU_API situ_tensor *situ_group_all_reduce(
    situ_group *group, situ_tensor *x, const situ_group_reduce_options *options, situ_site site);
/* The same, of which each rank gets its part alone: x is [n * ranks, ...], the result [n, ...] of rank r the rows from r n on. */
SITU_API situ_tensor *situ_group_reduce_scatter(
    situ_group *group, situ_tensor *x, const situ_group_reduce_options *options, situ_site site);
/* All ranks' x behind each other along axis 0, in the order of ranks: [n, ...] gives [n * ranks, ...]. */
SITU_API situ_tensor *situ_group_all_gather(situ_group *group, situ_tensor *x, situ_site site);
/* x of rank `root`, on every rank; the others give an x of the same shape and dtype, which is not computed. From 4 KB on it goes by
 * pieces of 512 KB from rank to rank, down a tree. */
SITU_API situ_tensor *situ_group_broadcast(situ_group *group, situ_tensor *x, int root, situ_site site);
/* Returns when all ranks have called it. 0 or a negative code. */
SITU_API int situ_group_barrier(situ_group *group, situ_site site);

/* From one rank to another one; both wait for each other. 0 or a negative code. */
SITU_API int situ_group_send(situ_group *group, situ_tensor *x, int to, situ_site site);
/* What rank `from` sends, of the shape and dtype of `like`, on its device. */
SITU_API situ_tensor *situ_group_receive(situ_group *group, situ_tensor *like, int from, situ_site site);

/* How `total` things in a row are cut over the ranks: returns how many this rank has, and in *first (or NULL) where they begin. The
 * largest part is as small as it can be, or, of eight and more, one more where situ_group_tree_sum then moves fewer bytes. Each
 * rank has one at least where there are so many. 0 for a total below 1. */
SITU_API int64_t situ_group_cut(const situ_group *group, int64_t total, int64_t *first);
typedef struct SITU_BY_NAME situ_group_tree_sum_options {
    SITU_OPTION_HEAD;
    situ_tensor *like; /* = none: of the shape, dtype and device of the tensors, where a rank has none of them */
} situ_group_tree_sum_options;
/* The sum of `total` tensors of one shape, of which this rank has those of situ_group_cut, in order. They are added in one tree,
 * whoever has them: in adjacent pairs, an odd last one moves up, then the same again. So the bits do not depend on the number of
 * ranks, and are those of one rank that has all of them. */
SITU_API situ_tensor *situ_group_tree_sum(
    situ_group *group, situ_list part, int64_t total, const situ_group_tree_sum_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/group.h>

#endif
