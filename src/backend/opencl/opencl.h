/* OpenCL devices: inside. A device has a context of its own, so that nothing moves between devices but by a copy that
 * somebody asked for; one queue for kernels, one for copies of host threads. Launches and copies are over when they
 * return: the library's own queue thread is what makes them asynchronous.
 */
#ifndef SITU_BACKEND_OPENCL_OPENCL_H
#define SITU_BACKEND_OPENCL_OPENCL_H

#include "backend/opencl/api.h"
#include "base/hash.h"
#include "base/lock.h"
#include "device/backend.h"
#include "plan/kernel.h"

/* One allocation. Its address is a number that no host memory has, so that a host access traps. */
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
    bool maps;            /* a CPU: the host may work on its mapped memory    */
    bool exact;           /* gives the CPU's bits                             */
    bool rounds_division; /* ... because it is told to round / and sqrt right */
    int64_t memory, most_block;
    situ_hash identity; /* of device, driver and platform, for the cache    */
    situ_known_lock known[2];
    pthread_mutex_t lock; /* of all that follows                              */
    situ_cl_block *block; /* by address                                       */
    int64_t blocks, room, used;
    uintptr_t next;
    pthread_mutex_t launching; /* arguments of a kernel and its launch go together */
    cl_mem fault;              /* the error word of a launch                       */
} situ_opencl;

extern const situ_backend situ_backend_opencl;

/* ---- memory.c: slots of the vtable, and where an address is ------------------------------------------------------- */

int situ_opencl_alloc(situ_dev *d, size_t bytes, void **address);
void situ_opencl_free(situ_dev *d, void *address, size_t bytes);
int situ_opencl_upload(situ_dev *d, void *to, const void *from_host, size_t bytes);
int situ_opencl_download(situ_dev *d, void *to_host, const void *from, size_t bytes);
int situ_opencl_copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes);
/* The block that holds [address, address + bytes); false: none does. */
bool situ_opencl_block(situ_opencl *s, const void *address, size_t bytes, situ_cl_block *block);
/* Its memory object, and where in it the address is. */
bool situ_opencl_find(situ_opencl *s, const void *address, size_t bytes, cl_mem *mem, size_t *offset);

/* ---- program.c: source text as a program of the device --------------------------------------------------------------- */

/* From the cache on disk, or compiled and put there; NULL with an error raised that quotes the compiler. */
cl_program situ_opencl_program(situ_opencl *s, const char *text, const char *name);

/* ---- mapped.c: kernels of the host, on OpenCL's CPUs -------------------------------------------------------------- */

/* Runs a kernel of the CPU backend (situ_cpu_kernel_new) on the device's memory; 0 or a negative code. */
int situ_opencl_mapped(
    situ_opencl *s, void *cpu_kernel, int naddress, char *const *address, const uint64_t *argument, situ_fault *fault);

#endif
