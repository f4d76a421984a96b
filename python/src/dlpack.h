/* The structures of DLPack, specification version 1.1. */
#ifndef SITU_PYTHON_DLPACK_H
#define SITU_PYTHON_DLPACK_H

#include <stdint.h>

enum { DL_CPU = 1, DL_CUDA = 2, DL_CUDA_HOST = 3, DL_EXT = 12 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_COMPLEX = 5, DL_BOOL = 6 };
enum { DL_READ_ONLY = 1, DL_COPIED = 2 };

typedef struct dl_tensor {
    void *data;
    struct {
        int32_t type, index;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

typedef struct dl_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    dl_tensor tensor;
} dl_versioned;

#endif
