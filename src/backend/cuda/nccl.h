/* Collectives between cards of several processes by NCCL, with one communicator for each card. All NCCL calls are
 * non-blocking. A waiting thread checks NCCL and the link for errors, so a rank that is lost, or does not answer
 * within the deadline, ends the wait: the communicator is aborted, and every later call on it fails with the same
 * message. The headers of a collective go through the link before this. */
#ifndef SITU_BACKEND_CUDA_NCCL_H
#define SITU_BACKEND_CUDA_NCCL_H

#include "group/card_calls.h"

/* "NCCL 2.30.7"; NULL, with the reason in *why, if it is absent or too old. */
const char *situ_nccl_name(const char **why);
/* Its version, 23007 for 2.30.7, if this process has cards that can use it; else 0, with the reason in *why. */
int situ_nccl_version(const char **why);
/* Can cards of this kind of device take part? */
bool situ_nccl_reaches(const situ_dev *d);
/* Does NCCL have this reduction for this dtype? Its max of floats is not situ_maximum's, which propagates NaN. */
bool situ_nccl_adds(situ_dtype dtype, situ_group_reduction reduction);
/* Creates the identity of a new communicator. One rank makes it; the caller sends it to the others. */
int situ_nccl_identify(char identity[SITU_NCCL_IDENTITY], char *why, size_t size);
/* Joins the communicator as rank `rank` of `ranks`; every rank calls it. 0, or a negative code with the reason in
 * `why` and *out NULL. */
int situ_nccl_open(situ_nccl **out, situ_dev *d, const char identity[SITU_NCCL_IDENTITY], int rank, int ranks, double deadline,
    situ_nccl_watch watch, char *why, size_t size);
/* Transfers between device addresses, after everything that was started on the device before, and waits until they are
 * finished. 0, or a negative code with the message. */
int situ_nccl_move(situ_nccl *n, const situ_device_move *move, int moves, char *why, size_t size);
/* One collective. 0, or a negative code with the message. */
int situ_nccl_collect(situ_nccl *n, const situ_nccl_call *call, char *why, size_t size);
/* Aborts it on this rank; each surviving rank calls it. */
void situ_nccl_abort(situ_nccl *n, const char *why);
/* Waits for the other ranks, two seconds at most. NULL is fine. */
void situ_nccl_close(situ_nccl *n);

/* All of these, for base/parts.h. */
extern const situ_card_calls situ_nccl_calls;

#endif
