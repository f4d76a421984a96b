/* Declarations of the part of NCCL that is used: building needs no NCCL header, and the library is opened when cards
 * of several processes first exchange something. Names and numbers are those of 2.14; later versions keep them. */
#ifndef SITU_GROUP_NCCL_API_H
#define SITU_GROUP_NCCL_API_H

#include <stddef.h>

typedef struct nccl_communicator_object *nccl_communicator;
typedef struct nccl_identity {
    char bytes[128];
} nccl_identity;

enum { NCCL_OLDEST = 21400 };
#define NCCL_CONFIG_MAGIC 0xcafebeefu

/* The struct of 2.14. Later versions read its size and version, and take missing fields as unset. */
typedef struct nccl_config {
    size_t size;
    unsigned magic, version;
    int blocking;
} nccl_config;

enum {
    NCCL_SUCCESS = 0,
    NCCL_UNHANDLED_CUDA_ERROR = 1,
    NCCL_SYSTEM_ERROR = 2,
    NCCL_INTERNAL_ERROR = 3,
    NCCL_INVALID_ARGUMENT = 4,
    NCCL_INVALID_USAGE = 5,
    NCCL_REMOTE_ERROR = 6,
    NCCL_IN_PROGRESS = 7
};
enum { NCCL_SUM = 0, NCCL_MAX = 2, NCCL_MIN = 3 };
enum {
    NCCL_INT8 = 0,
    NCCL_UINT8 = 1,
    NCCL_INT32 = 2,
    NCCL_UINT32 = 3,
    NCCL_INT64 = 4,
    NCCL_UINT64 = 5,
    NCCL_FLOAT16 = 6,
    NCCL_FLOAT32 = 7,
    NCCL_FLOAT64 = 8,
    NCCL_BFLOAT16 = 9
};

typedef struct situ_nccl_api {
    int (*GetVersion)(int *version);
    int (*GetUniqueId)(nccl_identity *out);
    int (*CommInitRankConfig)(nccl_communicator *out, int ranks, nccl_identity identity, int rank, nccl_config *config);
    int (*CommFinalize)(nccl_communicator c);
    int (*CommDestroy)(nccl_communicator c);
    int (*CommAbort)(nccl_communicator c);
    int (*CommGetAsyncError)(nccl_communicator c, int *state);
    const char *(*GetErrorString)(int code);
    const char *(*GetLastError)(nccl_communicator c);
    int (*GroupStart)(void);
    int (*GroupEnd)(void);
    int (*Send)(const void *data, size_t count, int type, int peer, nccl_communicator c, void *stream);
    int (*Recv)(void *data, size_t count, int type, int peer, nccl_communicator c, void *stream);
    int (*AllReduce)(const void *in, void *out, size_t count, int type, int operation, nccl_communicator c, void *stream);
    int (*ReduceScatter)(const void *in, void *out, size_t each, int type, int operation, nccl_communicator c, void *stream);
    int (*AllGather)(const void *in, void *out, size_t each, int type, nccl_communicator c, void *stream);
    int (*Broadcast)(const void *in, void *out, size_t count, int type, int root, nccl_communicator c, void *stream);
} situ_nccl_api;

#endif
