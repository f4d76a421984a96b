/* Calls between the cards of several processes: backend/cuda makes them by NCCL (backend/cuda/nccl.h says what each
 * promises). */
#ifndef SITU_GROUP_CARD_CALLS_H
#define SITU_GROUP_CARD_CALLS_H

#include <situ/group.h>

#include "base/parts.h"
#include "device/device.h"
#include "group/link.h"

typedef struct situ_nccl situ_nccl;
/* Bytes of device memory to send to, or receive from, one rank. Two ranks that exchange have the same list of sizes. */
typedef struct situ_device_move {
    int peer;
    bool out;
    void *data;
    size_t bytes;
} situ_device_move;
enum { SITU_NCCL_IDENTITY = 128 };
/* A function to call while waiting; `idle` counts turns without progress. It returns a negative code with the message
 * if another rank has failed. */
typedef struct situ_nccl_watch {
    int (*look)(void *self, int idle, char *why, size_t size);
    void *self;
} situ_nccl_watch;
/* One call of all ranks: SITU_CALL_ALL_REDUCE, REDUCE_SCATTER, ALL_GATHER or BROADCAST. NCCL chooses the order of
 * sums; it may change with the number of ranks or the version. */
typedef struct situ_nccl_call {
    situ_call_kind call;
    const void *in;
    void *out;
    size_t count; /* elements of `in` */
    situ_dtype dtype;
    situ_group_reduction reduction;
    int root;
} situ_nccl_call;

typedef struct situ_card_calls {
    const char *(*name)(const char **why);
    int (*version)(const char **why);
    bool (*reaches)(const situ_dev *d);
    bool (*adds)(situ_dtype dtype, situ_group_reduction reduction);
    int (*identify)(char identity[SITU_NCCL_IDENTITY], char *why, size_t size);
    int (*open)(situ_nccl **out, situ_dev *d, const char identity[SITU_NCCL_IDENTITY], int rank, int ranks, double deadline,
        situ_nccl_watch watch, char *why, size_t size);
    int (*move)(situ_nccl *n, const situ_device_move *move, int moves, char *why, size_t size);
    int (*collect)(situ_nccl *n, const situ_nccl_call *call, char *why, size_t size);
    void (*abort)(situ_nccl *n, const char *why);
    void (*close)(situ_nccl *n);
} situ_card_calls;

/* NULL: this library has no backend with cards between which there are calls. */
static inline const situ_card_calls *situ_card_calls_here(void) { return situ_linked.cards; }

#endif
