/* Private declarations of OpenCL devices. Each device has its own context, so that nothing moves between devices
 * without a copy that the program asked for; it has one queue for kernels, and one for copies of host threads.
 * Launches and copies are finished when they return; the library's queue thread makes them asynchronous. */
#ifndef SITU_BACKEND_OPENCL_OPENCL_H
#define SITU_BACKEND_OPENCL_OPENCL_H

#include "backend/opencl/api.h"
#include "base/hash.h"
#include "device/backend.h"
#include "os/lock.h"
#include "plan/kernel.h"

/* An allocation. Its address is a number that no host memory has, so that a host access traps. */
typedef struct situ_cl_block {
    uintptr_t start;
    size_t bytes;
    cl_mem mem;
} situ_cl_block;

typedef struct situ_opencl {
    cl_device device;
    cl_platform platform;
    cl_context context;
    cl_queue work, transfer;
    const struct situ_dialect *dialect;
    bool maps;            /* a CPU: the host may work on its mapped memory */
    bool exact;           /* results have the CPU's bits */
    bool rounds_division; /* ... with an option that makes / and sqrt round correctly */
    int64_t memory, most_block;
    situ_hash identity; /* hash of device, driver and platform, for the cache */
    situ_known_lock known[2];
    situ_mutex lock;      /* protects what follows */
    situ_cl_block *block; /* sorted by address */
    int64_t blocks, capacity, used;
    uintptr_t next;
    situ_mutex launching; /* held from setting a kernel's arguments to its launch */
    cl_mem fault;         /* the error word of a launch */
} situ_opencl;

extern const situ_backend situ_backend_opencl;

/* ---- memory.c: slots of the vtable, and address lookup ------------------------------------------------------------ */

int situ_opencl_alloc(situ_dev *d, size_t bytes, void **address);
void situ_opencl_free(situ_dev *d, void *address, size_t bytes);
int situ_opencl_upload(situ_dev *d, void *to, const void *from_host, size_t bytes);
int situ_opencl_download(situ_dev *d, void *to_host, const void *from, size_t bytes);
int situ_opencl_copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes);
/* The block that contains [address, address + bytes); false: none does. */
bool situ_opencl_block(situ_opencl *s, const void *address, size_t bytes, situ_cl_block *block);
/* Its memory object, and the offset of the address in it. */
bool situ_opencl_find(situ_opencl *s, const void *address, size_t bytes, cl_mem *mem, size_t *offset);

/* ---- program.c: source text as a program of the device --------------------------------------------------------------- */

/* From the cache on disk, or compiled and stored there; NULL with an error that quotes the compiler. */
cl_program situ_opencl_program(situ_opencl *s, const char *text, const char *name);

/* ---- mapped.c: kernels of the host, on OpenCL CPUs ---------------------------------------------------------------- */

/* Runs a kernel of the CPU backend (situ_cpu_kernel_new) on the device's memory; 0 or a negative code. */
int situ_opencl_mapped(
    situ_opencl *s, void *cpu_kernel, int naddress, char *const *address, const uint64_t *argument, situ_fault *fault);

#endif
