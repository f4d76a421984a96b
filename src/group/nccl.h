/* Cards of several processes by NCCL: one communicator of each card. All calls of NCCL are non-blocking, and whoever waits asks for
 * errors meanwhile, of NCCL and of the link, so that a rank that is lost, or does not answer within the deadline, ends the wait:
 * the communicator is then aborted, and every later call on it fails with the same words. The heads of a collective go by the link,
 * before this. */
#ifndef SITU_GROUP_NCCL_H
#define SITU_GROUP_NCCL_H

#include <situ/group.h>

#include "device/device.h"
#include "group/link.h"

typedef struct situ_nccl situ_nccl;
/* Bytes of a device's memory, from or to one rank. Between two ranks both have the same list of sizes. */
typedef struct situ_device_move {
    int peer;
    bool out;
    void *data;
    size_t bytes;
} situ_device_move;
enum { SITU_NCCL_IDENTITY = 128 };
/* Whom to ask while waiting, `idle` turns after something came: a negative code with its words, where another rank has failed. */
typedef struct situ_nccl_watch {
    int (*look)(void *self, int idle, char *why, size_t size);
    void *self;
} situ_nccl_watch;

/* "NCCL 2.30.7"; NULL, with the reason in *why: it is not there, or too old. */
const char *situ_nccl_name(const char **why);
/* Its version, 23007 for 2.30.7, where this process has cards for it; else 0, with the reason in *why. */
int situ_nccl_version(const char **why);
/* May cards of this device's kind take part? */
bool situ_nccl_reaches(const situ_dev *d);
/* Has it such a sum (or max, min)? Its largest float is not that of situ_maximum, which tells of NaNs. */
bool situ_nccl_adds(situ_dtype dtype, situ_group_reduction reduction);
/* What the ranks of a new communicator have in common: made by one of them, brought to the others by whom asks. */
int situ_nccl_identify(char identity[SITU_NCCL_IDENTITY], char *why, size_t size);
/* Rank `rank` of `ranks`; every one calls it. 0, or a negative code with the reason in `why`; then *out is NULL. */
int situ_nccl_open(situ_nccl **out, situ_dev *d, const char identity[SITU_NCCL_IDENTITY], int rank, int ranks, double deadline,
    situ_nccl_watch watch, char *why, size_t size);
/* Moves between addresses of the device, behind all that was started on it before, and waits until they are made. 0, or a negative
 * code with its words. */
int situ_nccl_move(situ_nccl *n, const situ_device_move *move, int moves, char *why, size_t size);
/* One call of all: SITU_CALL_ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER or BROADCAST. Sums are made in NCCL's order, which need not be
 * the same for another number of ranks or version. */
typedef struct situ_nccl_call {
    situ_call_kind call;
    const void *in;
    void *out;
    size_t count; /* elements of `in` */
    situ_dtype dtype;
    situ_group_reduction reduction;
    int root;
} situ_nccl_call;
int situ_nccl_collect(situ_nccl *n, const situ_nccl_call *call, char *why, size_t size);
/* Ends it on this rank without the others; each survivor does so. */
void situ_nccl_abort(situ_nccl *n, const char *why);
/* Waits for the others, for two seconds at most. NULL is fine. */
void situ_nccl_close(situ_nccl *n);

#endif
