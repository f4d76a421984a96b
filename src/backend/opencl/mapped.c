/* Structured operations without an OpenCL text. On an OpenCL CPU, whose memory is the host's, the CPU's kernel runs on
 * the operands' memory, which OpenCL maps, without copies. Other devices refuse them. */
#include <string.h>

#include "backend/cpu/kernel.h"
#include "backend/opencl/opencl.h"
#include "base/memory.h"

typedef struct mapping {
    cl_mem mem;
    size_t bytes;
    char *at;
} mapping;

/* Maps each block once, however many addresses are in it; the offset of address i goes to offset[i]. */
static int gather_blocks(situ_opencl *s, int naddress, char *const *address, mapping *map, int *which, size_t *offset, int *count)
{
    for (int i = 0; i < naddress; i++) {
        situ_cl_block b;
        int k = 0;
        which[i] = -1;
        if (!address[i]) continue;
        if (!situ_opencl_block(s, address[i], 0, &b)) return -SITU_DEVICE_LOST;
        while (k < *count && map[k].mem != b.mem) k++;
        if (k == *count) map[(*count)++] = (mapping){b.mem, b.bytes, NULL};
        which[i] = k;
        offset[i] = (size_t)((uintptr_t)address[i] - b.start);
    }
    return 0;
}

static int map_all(situ_opencl *s, mapping *map, int count)
{
    const situ_cl_api *cl = situ_cl();
    int32_t code = 0;
    for (int k = 0; k < count && !code; k++)
        map[k].at = cl->EnqueueMapBuffer(s->work, map[k].mem, 1, CL_MAP_READ | CL_MAP_WRITE, 0, map[k].bytes, 0, NULL, NULL, &code);
    return situ_cl_code(code);
}

static int unmap_all(situ_opencl *s, mapping *map, int count)
{
    const situ_cl_api *cl = situ_cl();
    int32_t code = 0, one;
    for (int k = 0; k < count; k++)
        if (map[k].at && (one = cl->EnqueueUnmapMemObject(s->work, map[k].mem, map[k].at, 0, NULL, NULL))) code = one;
    one = cl->Finish(s->work);
    return situ_cl_code(code ? code : one);
}

int situ_opencl_mapped(
    situ_opencl *s, void *cpu_kernel, int naddress, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    size_t n = (size_t)naddress + 1;
    int count = 0, *which = situ_malloc(n * sizeof *which);
    mapping *map = situ_malloc(n * sizeof *map);
    size_t *offset = situ_malloc(n * sizeof *offset);
    char **at = situ_malloc(n * sizeof *at);
    int code = which && map && offset && at ? 0 : -SITU_NO_MEMORY;
    if (!code) code = gather_blocks(s, naddress, address, map, which, offset, &count);
    if (!code) code = map_all(s, map, count);
    for (int i = 0; i < naddress && !code; i++) at[i] = which[i] < 0 ? NULL : map[which[i]].at + offset[i];
    if (!code) code = situ_cpu_kernel_run(cpu_kernel, at, argument, fault, true);
    int unmapped = count ? unmap_all(s, map, count) : 0;
    situ_free(which);
    situ_free(map);
    situ_free(offset);
    situ_free(at);
    return code ? code : unmapped;
}
