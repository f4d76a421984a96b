/* The driver's functions: memory and copies. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

static int here(void) { return fake_current()->object.device; }

static int do_cuMemGetInfo_v2(size_t *left, size_t *total)
{
    *total = fake_set.memory;
    *left = fake_set.memory - fake_space_used(here());
    return 0;
}
FAKE_ENTRY_POINT(cuMemGetInfo_v2, (size_t *left, size_t *total), (left, total))

FAKE_API void fakecuda_memory(int device, unsigned long long *total, unsigned long long *used)
{
    pthread_mutex_lock(&fake_lock);
    *total = fake_set.memory;
    *used = fake_space_used(device);
    pthread_mutex_unlock(&fake_lock);
}

static int do_cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    if (!bytes) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "memory: cuMemAlloc of no bytes");
    uintptr_t p = fake_space_alloc(here(), here(), bytes);
    if (!p) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = p;
    return 0;
}
FAKE_ENTRY_POINT(cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes), (address, bytes))

/* The work that used the memory must be complete, and the host must have waited for it. */
static int release(uintptr_t p, bool pinned, const char *function)
{
    fake_block *b = fake_block_at(p);
    if (!b || b->low != p || (b->device < 0) != pinned)
        return fake_refuse(CUDA_ERROR_INVALID_VALUE, "free: %s of an address that it did not give", function);
    if (!b->alive) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "free: %s of block %d, which is freed", function, b->number);
    if (!pinned && b->device != here()) fakecuda_violation("device: %s of block %d of device %d with device %d current", function, b->number, b->device, here());
    for (int i = 0; i < FAKE_SLOTS; i++) {
        if (b->touched[i] <= fake_host_clock.at[i]) continue;
        fakecuda_violation("free: %s of block %d before the host has waited for work that used it", function, b->number);
        break;
    }
    fake_space_free(b);
    return 0;
}

static int do_cuMemFree_v2(CUdeviceptr p) { return p ? release((uintptr_t)p, false, "cuMemFree") : 0; }
FAKE_ENTRY_POINT(cuMemFree_v2, (CUdeviceptr p), (p))

static int do_cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
    if (flags & ~7u || !bytes) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "memory: cuMemHostAlloc of %zu bytes with flags %u", bytes, flags);
    uintptr_t p = fake_space_alloc(-1, here(), bytes);
    *address = (void *)p;
    return p ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}
FAKE_ENTRY_POINT(cuMemHostAlloc, (void **address, size_t bytes, unsigned flags), (address, bytes, flags))

static int do_cuMemFreeHost(void *p) { return release((uintptr_t)p, true, "cuMemFreeHost"); }
FAKE_ENTRY_POINT(cuMemFreeHost, (void *p), (p))

static int do_cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *p, unsigned flags)
{
    fake_block *b = fake_block_at((uintptr_t)p);
    if (flags || !b || b->device >= 0) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "memory: cuMemHostGetDevicePointer of memory that is not pinned");
    *address = (uintptr_t)p;
    return 0;
}
FAKE_ENTRY_POINT(cuMemHostGetDevicePointer_v2, (CUdeviceptr * address, void *p, unsigned flags), (address, p, flags))

/* ---------------------------------------------------------------- copies */

/* Whether the range is inside one live block, on a device that the stream's device may access. */
static int range(CUdeviceptr p, size_t bytes, CUstream s, const char *function, const char *which)
{
    fake_block *b = fake_block_at((uintptr_t)p);
    if (!b || p < b->low || p + bytes > b->high || b->device < 0)
        return fake_refuse(CUDA_ERROR_INVALID_VALUE, "bounds: %s of %zu bytes %s memory that is no block or ends before", function, bytes, which);
    if (!b->alive) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "free: %s %s block %d, which is freed", function, which, b->number);
    if (s && b->device != s->object.device && !fake_context(s->object.device)->peer[b->device])
        return fake_refuse(CUDA_ERROR_INVALID_VALUE, "device: %s on a stream of device %d %s memory of device %d", function, s->object.device, which, b->device);
    return 0;
}

static int enqueue_copy(CUstream s, uintptr_t to, uintptr_t from, size_t bytes, int direction, void *snapshot)
{
    fake_work *w = fake_work_new(WORK_COPY);
    if (!w) return CUDA_ERROR_OUT_OF_MEMORY;
    w->is.copy.to = to;
    w->is.copy.from = from;
    w->is.copy.bytes = bytes;
    w->is.copy.direction = direction;
    w->is.copy.snapshot = snapshot;
    return fake_enqueue(s, w);
}

/* Kind of host memory: 1: pinned; 0: ordinary; negative: an error. */
static int host_side(const void *p, size_t bytes, const char *function)
{
    uintptr_t at = (uintptr_t)p;
    if (!p) return -fake_refuse(CUDA_ERROR_INVALID_VALUE, "bounds: %s with no host memory", function);
    if (!fake_in_space(at)) return 0;
    fake_block *b = fake_block_at(at);
    if (b && b->device < 0 && b->alive && at >= b->low && at + bytes <= b->high) return 1;
    return -fake_refuse(CUDA_ERROR_INVALID_VALUE, "bounds: %s of %zu bytes with host memory that is %s", function, bytes,
                        b && b->device < 0 ? b->alive ? "too short" : "freed" : "a device's");
}

/* Copies from memory that is not pinned are done at the call. */
static int do_cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream s)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuMemcpyHtoDAsync");
    if (code || !bytes) return code;
    if ((code = range(to, bytes, s, "cuMemcpyHtoDAsync", "to"))) return code;
    int pinned = host_side(from, bytes, "cuMemcpyHtoDAsync");
    if (pinned < 0) return -pinned;
    void *snapshot = NULL;
    if (!pinned) {
        fake_count(FAKE_pageable);
        if (s->capture) return fake_capture_stream(s, "cuMemcpyHtoDAsync from memory that is not pinned");
        snapshot = malloc(bytes);
        if (!snapshot) return CUDA_ERROR_OUT_OF_MEMORY;
        memcpy(snapshot, from, bytes);
    }
    return enqueue_copy(s, (uintptr_t)to, (uintptr_t)from, bytes, FAKE_HTOD, snapshot);
}
FAKE_ENTRY_POINT(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream s), (to, from, bytes, s))

/* Copies to memory that is not pinned are complete when the call returns. */
static int do_cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream s)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuMemcpyDtoHAsync");
    if (code || !bytes) return code;
    if ((code = range(from, bytes, s, "cuMemcpyDtoHAsync", "from"))) return code;
    int pinned = host_side(to, bytes, "cuMemcpyDtoHAsync");
    if (pinned < 0) return -pinned;
    if (!pinned) fake_count(FAKE_pageable);
    if (!pinned && s->capture) return fake_capture_stream(s, "cuMemcpyDtoHAsync to memory that is not pinned");
    code = enqueue_copy(s, (uintptr_t)to, (uintptr_t)from, bytes, FAKE_DTOH, NULL);
    return code || pinned ? code : fake_wait(s, s->enqueued);
}
FAKE_ENTRY_POINT(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream s), (to, from, bytes, s))

static int do_cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuMemcpyDtoDAsync");
    if (code || !bytes) return code;
    if ((code = range(to, bytes, s, "cuMemcpyDtoDAsync", "to")) || (code = range(from, bytes, s, "cuMemcpyDtoDAsync", "from"))) return code;
    if (to < from + bytes && from < to + bytes) fakecuda_violation("bounds: cuMemcpyDtoDAsync between parts that overlap");
    bool inside = fake_block_at((uintptr_t)to)->device == fake_block_at((uintptr_t)from)->device;
    return enqueue_copy(s, (uintptr_t)to, (uintptr_t)from, bytes, inside ? FAKE_DTOD : FAKE_PTOP, NULL);
}
FAKE_ENTRY_POINT(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s), (to, from, bytes, s))

static int do_cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream s)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuMemcpyPeerAsync");
    if (!code) code = fake_check(to_context, FAKE_CONTEXT, -1, "cuMemcpyPeerAsync");
    if (!code) code = fake_check(from_context, FAKE_CONTEXT, -1, "cuMemcpyPeerAsync");
    if (code || !bytes) return code;
    if ((code = range(to, bytes, NULL, "cuMemcpyPeerAsync", "to")) || (code = range(from, bytes, NULL, "cuMemcpyPeerAsync", "from"))) return code;
    if (fake_block_at((uintptr_t)to)->device != to_context->object.device || fake_block_at((uintptr_t)from)->device != from_context->object.device)
        return fake_refuse(CUDA_ERROR_INVALID_VALUE, "device: cuMemcpyPeerAsync with memory that is not of the context named");
    if (s->object.device != to_context->object.device && s->object.device != from_context->object.device)
        fakecuda_violation("device: cuMemcpyPeerAsync on a stream of neither device");
    return enqueue_copy(s, (uintptr_t)to, (uintptr_t)from, bytes, FAKE_PTOP, NULL);
}
FAKE_ENTRY_POINT(cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream s),
                 (to, to_context, from, from_context, bytes, s))

static int set(CUdeviceptr to, uint32_t value, int size, size_t count, CUstream s, const char *function)
{
    int code = fake_check(s, FAKE_STREAM, -1, function);
    if (code || !count) return code;
    if ((code = range(to, count * (size_t)size, s, function, "to"))) return code;
    if (to % (unsigned)size) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "bounds: %s at an address that is no multiple of %d", function, size);
    fake_work *w = fake_work_new(WORK_SET);
    if (!w) return CUDA_ERROR_OUT_OF_MEMORY;
    w->is.set.to = (uintptr_t)to;
    w->is.set.count = count;
    w->is.set.value = value;
    w->is.set.size = size;
    return fake_enqueue(s, w);
}
#define do_cuMemsetD8Async(to, value, count, s) set(to, value, 1, count, s, "cuMemsetD8Async")
#define do_cuMemsetD32Async(to, value, count, s) set(to, value, 4, count, s, "cuMemsetD32Async")
FAKE_ENTRY_POINT(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream s), (to, value, count, s))
FAKE_ENTRY_POINT(cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUstream s), (to, value, count, s))
