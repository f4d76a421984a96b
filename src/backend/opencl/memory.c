/* Memory of OpenCL devices. situ computes with addresses, OpenCL has memory objects. So each block gets a range of
 * addresses in the half of the address space that no process uses, and an address is looked up when it is used. */
#include <string.h>

#include "backend/opencl/opencl.h"
#include "base/memory.h"

enum { ALIGNMENT = 256 };

/* ---- addresses -------------------------------------------------------------------------------------------------------- */

/* The last block that starts at or before the address; -1: none. */
static int64_t block_at(const situ_opencl *s, uintptr_t address)
{
    int64_t low = 0, high = s->blocks;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (s->block[middle].start <= address) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

bool situ_opencl_block(situ_opencl *s, const void *address, size_t bytes, situ_cl_block *block)
{
    situ_mutex_lock(&s->lock);
    int64_t i = block_at(s, (uintptr_t)address);
    const situ_cl_block *b = i >= 0 ? &s->block[i] : NULL;
    size_t at = b ? (uintptr_t)address - b->start : 0;
    bool found = b && at <= b->bytes && bytes <= b->bytes - at;
    if (found) *block = *b;
    situ_mutex_unlock(&s->lock);
    return found;
}

bool situ_opencl_find(situ_opencl *s, const void *address, size_t bytes, cl_mem *mem, size_t *offset)
{
    situ_cl_block b;
    if (!situ_opencl_block(s, address, bytes, &b)) return false;
    *mem = b.mem;
    *offset = (uintptr_t)address - b.start;
    return true;
}

/* Called under the lock. Addresses only grow, and a gap follows each block, so that the end of one is not the start of
 * the next. */
static bool add_block(situ_opencl *s, size_t bytes, cl_mem mem, void **address)
{
    if (s->blocks == s->capacity) {
        int64_t capacity = s->capacity ? 2 * s->capacity : 64;
        situ_cl_block *more = situ_realloc(s->block, (size_t)capacity * sizeof *more);
        if (!more) return false;
        s->block = more;
        s->capacity = capacity;
    }
    s->block[s->blocks++] = (situ_cl_block){s->next, bytes, mem};
    *address = (void *)s->next;
    s->next += (bytes / ALIGNMENT + 2) * ALIGNMENT;
    s->used += (int64_t)bytes;
    return true;
}

int situ_opencl_alloc(situ_dev *d, size_t bytes, void **address)
{
    situ_opencl *s = d->state;
    const situ_cl_api *cl = situ_cl();
    int32_t code = 0;
    if (bytes > (size_t)s->most_block) return -SITU_DEVICE_MEMORY;
    cl_mem mem = cl->CreateBuffer(s->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!mem) return situ_cl_code(code) == -SITU_NO_MEMORY ? -SITU_NO_MEMORY : -SITU_DEVICE_MEMORY;
    /* many drivers allocate at the first use, when it is too late to report an error */
    code = cl->EnqueueWriteBuffer(s->transfer, mem, 1, 0, 1, "", 0, NULL, NULL);
    situ_mutex_lock(&s->lock);
    int failed = situ_cl_code(code);
    if (!failed && !add_block(s, bytes, mem, address)) failed = -SITU_NO_MEMORY;
    situ_mutex_unlock(&s->lock);
    if (failed) cl->ReleaseMemObject(mem);
    return failed;
}

void situ_opencl_free(situ_dev *d, void *address, size_t bytes)
{
    situ_opencl *s = d->state;
    cl_mem mem = NULL;
    (void)bytes;
    situ_mutex_lock(&s->lock);
    int64_t i = block_at(s, (uintptr_t)address);
    if (i >= 0 && s->block[i].start == (uintptr_t)address) {
        mem = s->block[i].mem;
        s->used -= (int64_t)s->block[i].bytes;
        memmove(s->block + i, s->block + i + 1, (size_t)(s->blocks - i - 1) * sizeof *s->block);
        s->blocks--;
    }
    situ_mutex_unlock(&s->lock);
    if (mem) situ_cl()->ReleaseMemObject(mem);
}

/* ---- copies ----------------------------------------------------------------------------------------------------------- */

int situ_opencl_upload(situ_dev *d, void *to, const void *from_host, size_t bytes)
{
    situ_opencl *s = d->state;
    cl_mem mem;
    size_t offset;
    if (!situ_opencl_find(s, to, bytes, &mem, &offset)) return -SITU_DEVICE_LOST;
    if (!bytes) return 0;
    return situ_cl_code(situ_cl()->EnqueueWriteBuffer(s->transfer, mem, 1, offset, bytes, from_host, 0, NULL, NULL));
}

int situ_opencl_download(situ_dev *d, void *to_host, const void *from, size_t bytes)
{
    situ_opencl *s = d->state;
    cl_mem mem;
    size_t offset;
    if (!situ_opencl_find(s, from, bytes, &mem, &offset)) return -SITU_DEVICE_LOST;
    if (!bytes) return 0;
    return situ_cl_code(situ_cl()->EnqueueReadBuffer(s->transfer, mem, 1, offset, bytes, to_host, 0, NULL, NULL));
}

static int copy_inside(situ_opencl *s, cl_mem to, size_t to_offset, cl_mem from, size_t from_offset, size_t bytes)
{
    const situ_cl_api *cl = situ_cl();
    int32_t code = cl->EnqueueCopyBuffer(s->work, from, to, from_offset, to_offset, bytes, 0, NULL, NULL);
    int32_t finished = cl->Finish(s->work);
    return situ_cl_code(code ? code : finished);
}

/* Contexts share no memory objects, so the source's memory is mapped and written to the destination. */
int situ_opencl_copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes)
{
    if (from_dev->backend != d->backend) return -SITU_UNSUPPORTED;
    situ_opencl *s = d->state, *source = from_dev->state;
    const situ_cl_api *cl = situ_cl();
    cl_mem to_mem, from_mem;
    size_t to_offset, from_offset;
    if (!situ_opencl_find(s, to, bytes, &to_mem, &to_offset)) return -SITU_DEVICE_LOST;
    if (!situ_opencl_find(source, from, bytes, &from_mem, &from_offset)) return -SITU_DEVICE_LOST;
    if (!bytes) return 0;
    if (s == source) return copy_inside(s, to_mem, to_offset, from_mem, from_offset, bytes);
    int32_t code = 0;
    void *mapped = cl->EnqueueMapBuffer(source->transfer, from_mem, 1, CL_MAP_READ, from_offset, bytes, 0, NULL, NULL, &code);
    if (!mapped) return situ_cl_code(code ? code : CL_OUT_OF_HOST_MEMORY);
    code = cl->EnqueueWriteBuffer(s->transfer, to_mem, 1, to_offset, bytes, mapped, 0, NULL, NULL);
    int32_t unmapped = cl->EnqueueUnmapMemObject(source->transfer, from_mem, mapped, 0, NULL, NULL);
    if (!unmapped) unmapped = cl->Finish(source->transfer);
    return situ_cl_code(code ? code : unmapped);
}
