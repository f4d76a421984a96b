/* The null device, and the worked example of a backend: it accepts everything and computes nothing, so a program runs
 * through recording, checking and planning at no cost. To write a backend, copy this folder and fill in the slots;
 * backend.h says what each promises; add a row to device/backends.def. Each slot is called by many threads at once.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device/backend.h"

/* How many devices there are. Called often, also by programs that never use the device: allocate nothing, never fail.
 * If 0, the user reads the reason: say what is missing, and where to get it. */
static int count(char *reason, size_t size)
{
    (void)reason;
    (void)size;
    return 1;
}

/* Called once, at the device's first use. d->index tells which of this backend's devices it is; d->state is yours. If
 * it cannot be opened, raise an error that says why and return its code. */
static int open_device(situ_dev *d)
{
    d->state = NULL;
    d->parallel = false; /* its kernels do not use the thread pool */
    return 0;
}

/* Called when all memory is freed and no work is under way. */
static void close_device(situ_dev *d) { (void)d; }

/* Memory: limits, reuse and statistics are handled by device/memory.c, so this may be slow. At least 64-byte aligned,
 * not cleared. Return -SITU_DEVICE_MEMORY without raising: the caller frees cached blocks, tries again, then raises.
 * Here an address is just a number that no other live block has, and must not be dereferenced. */
static int allocate(situ_dev *d, size_t bytes, void **address)
{
    static _Atomic uintptr_t next = 4096;
    (void)d;
    uintptr_t aligned = ((uintptr_t)bytes + 63) & ~(uintptr_t)63;
    *address = (void *)atomic_fetch_add(&next, aligned); /* there are 2^64 addresses */
    return 0;
}

static void release(situ_dev *d, void *address, size_t bytes)
{
    (void)d;
    (void)address;
    (void)bytes;
}

/* Copies. They are called in the order of the device's queue; return -SITU_DEVICE_LOST if the device is lost. */
static int upload(situ_dev *d, void *to, const void *from_host, size_t bytes)
{
    (void)d;
    (void)to;
    (void)from_host;
    (void)bytes;
    return 0;
}

/* Nothing was computed, so all values read as zeros. */
static int download(situ_dev *d, void *to_host, const void *from, size_t bytes)
{
    (void)d;
    (void)from;
    if (bytes) memset(to_host, 0, bytes);
    return 0;
}

static int copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes)
{
    (void)d;
    (void)to;
    (void)from;
    (void)bytes;
    return from_dev->backend == d->backend ? 0 : -SITU_UNSUPPORTED;
}

/* Kernels. desc is valid only during the call: copy what launch needs. The result is immutable and shared by threads;
 * NULL with an error if the kernel is not supported. Here any pointer except NULL will do. */
static void *compile(situ_dev *d, const struct situ_kernel_desc *desc)
{
    (void)desc;
    return d;
}

static void drop(situ_dev *d, void *kernel)
{
    (void)d;
    (void)kernel;
}

/* Runs (or, with streams, enqueues) a kernel. An error that depends on data goes into *fault, which keeps the first
 * one; the returned code is for a failing device. */
static int launch(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    (void)d;
    (void)kernel;
    (void)address;
    (void)argument;
    (void)fault;
    return 0;
}

/* *out is cleared and has the backend's name; fill in what is known. */
static int info(situ_dev *d, situ_device_info *out)
{
    (void)d;
    snprintf(out->name, sizeof out->name, "null device: checks everything, computes nothing");
    return 0;
}

/* host_queue: the library runs the work in a thread of its own, one step at a time, so every slot may block.
 * bit_equal: results have the CPU's bits; these zeros do not. */
const situ_backend situ_backend_null = {
    .name = "null",
    .kind = SITU_NULL,
    .host_queue = true,
    .host_calls = true,
    .bit_equal = false,
    .count = count,
    .open = open_device,
    .close = close_device,
    .alloc = allocate,
    .free = release,
    .upload = upload,
    .download = download,
    .copy = copy,
    .compile = compile,
    .drop = drop,
    .launch = launch,
    .info = info,
};
