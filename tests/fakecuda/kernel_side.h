/* The interface between the driver and a compiled kernel. kernel_side.c is linked into every kernel. */
#ifndef FAKECUDA_KERNEL_SIDE_H
#define FAKECUDA_KERNEL_SIDE_H

#include <stddef.h>
#include <stdint.h>

typedef struct fake_uint3 { unsigned x, y, z; } fake_uint3;
/* The position of the running thread. */
typedef struct fake_place { fake_uint3 thread, block, threads, blocks; } fake_place;

/* A __global__ function: a row of the table fake_kernels, which ends with a row without a name. */
typedef struct fake_kernel {
    const char *name;
    void (*run)(void **parameters);
    int count;            /* of parameters */
    const unsigned *size; /* of each       */
    int bounds;           /* __launch_bounds__, 0: none */
    int waits;            /* may call __syncthreads and the like */
} fake_kernel;

typedef struct fake_runtime {
    uintptr_t low, bytes;                 /* addresses of devices and of pinned memory */
    uintptr_t stack, stack_bytes;         /* the threads' stacks                        */
    char *dynamic;                        /* shared memory whose size the launch gives */
    size_t dynamic_bytes;
    void (*access)(uintptr_t address, size_t bytes, int write);
    void (*shared)(size_t offset, size_t bytes, int write); /* dynamic: offset + (1 << 30) */
    void (*foreign)(uintptr_t address, size_t bytes, int write);
    void (*misaligned)(uintptr_t address, size_t bytes);
    void (*atomic)(uintptr_t address, size_t bytes);
    void *(*move)(void *to, const void *from, size_t bytes); /* the C library's */
    void *(*fill)(void *to, int value, size_t bytes);
    void (*barrier)(int line);
    unsigned long long (*exchange)(unsigned mask, int line, unsigned long long value, int from);
} fake_runtime;

/* Of each compiled kernel. */
typedef void fake_bind_function(const fake_runtime *runtime, fake_place **place, char **shared, size_t *shared_bytes);

#endif
