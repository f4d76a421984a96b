/* The driver's functions: modules, kernels, launches. */
#define _GNU_SOURCE
#include "fake.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static int here(void) { return fake_current()->object.device; }

/* ---------------------------------------------------------------- modules */

/* The image's source text; NULL if it was not made by the fake NVRTC. */
static const char *read_image(const char *image, int *architecture, int *code)
{
    unsigned long long sum;
    const char *text = strchr(image, '\n');
    if (!text || sscanf(image, "fakecuda cubin sm_%d %llx", architecture, &sum) != 2 || fake_hash(text + 1, 7) != sum) {
        *code = CUDA_ERROR_INVALID_IMAGE;
        return NULL;
    }
    int mine = fake_set.capability[here()];
    if (*architecture / 10 == mine / 10 && *architecture % 10 <= mine % 10) return text + 1;
    *code = CUDA_ERROR_NO_BINARY_FOR_GPU;
    return NULL;
}

static void write_log(unsigned options, const int *option, void **value, const char *log)
{
    char *buffer = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < options; i++) {
        if (option[i] == CU_JIT_ERROR_LOG_BUFFER) buffer = value[i];
        if (option[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) size = (size_t)(uintptr_t)value[i];
    }
    if (buffer && size) fake_copy_text(buffer, size, log);
}

static void *open_kernels(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fakecuda_violation("fake: %s", dlerror());
    return library;
}

/* Each module loads its own copy of the library, so that it has its own shared memory. One copy in use at a time is
 * enough here. */
static int do_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned options, int *option, void **value)
{
    char path[700], log[2048];
    int architecture, code = 0;
    const char *text = read_image(image, &architecture, &code);
    if (!text) {
        write_log(options, option, value, code == CUDA_ERROR_INVALID_IMAGE ? "no image of the fake compiler" : "an image for another architecture");
        return code;
    }
    pthread_mutex_unlock(&fake_lock);
    int built = fake_build(text, path, sizeof path, log, sizeof log);
    pthread_mutex_lock(&fake_lock);
    write_log(options, option, value, log);
    if (built) return CUDA_ERROR_INVALID_IMAGE;
    void *library = open_kernels(path);
    CUmodule m = library ? fake_new(FAKE_MODULE, sizeof *m, here()) : NULL;
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    fake_runtime *r = &fake_kernel_runtime;
    r->low = fake_low;
    r->bytes = fake_bytes;
    void *symbol = dlsym(library, "fake_bind");
    fake_bind_function *bind = NULL;
    memcpy(&bind, &symbol, sizeof bind);
    m->library = library;
    bind(r, &m->place, &m->shared, &m->shared_bytes);
    *module = m;
    return 0;
}
FAKE_ENTRY_POINT(cuModuleLoadDataEx, (CUmodule * module, const void *image, unsigned options, int *option, void **value),
                 (module, image, options, option, value))

static bool used_by(fake_work *w, CUmodule m) { return w->kind == WORK_KERNEL && w->is.launch.function->module == m; }

static int do_cuModuleUnload(CUmodule m)
{
    int code = fake_check(m, FAKE_MODULE, -1, "cuModuleUnload");
    if (code) return code;
    bool in_use = false;
    for (fake_object *o = fake_objects; o; o = o->next) {
        if (o->kind != FAKE_STREAM) continue;
        for (fake_work *w = ((CUstream)o)->first; w; w = w->next) in_use |= used_by(w, m);
    }
    if (in_use) fakecuda_violation("free: cuModuleUnload while a kernel of module %d is queued", m->object.number);
    if (in_use) fake_drain(m->object.device);
    m->object.alive = false;
    for (int i = 0; i < m->functions; i++) m->function[i]->object.alive = false;
    dlclose(m->library);
    return 0;
}
FAKE_ENTRY_POINT(cuModuleUnload, (CUmodule m), (m))

static int do_cuModuleGetFunction(CUfunction *function, CUmodule m, const char *name)
{
    int code = fake_check(m, FAKE_MODULE, -1, "cuModuleGetFunction");
    if (code) return code;
    for (int i = 0; i < m->functions; i++)
        if (!strcmp(m->function[i]->kernel->name, name)) return *function = m->function[i], 0;
    const fake_kernel *k = dlsym(m->library, "fake_kernels");
    while (k && k->name && strcmp(k->name, name)) k++;
    if (!k || !k->name || m->functions == 64) return CUDA_ERROR_NOT_FOUND;
    CUfunction f = fake_new(FAKE_FUNCTION, sizeof *f, m->object.device);
    if (!f) return CUDA_ERROR_OUT_OF_MEMORY;
    f->module = m;
    f->kernel = k;
    f->dynamic_limit = 48 << 10;
    *function = m->function[m->functions++] = f;
    return 0;
}
FAKE_ENTRY_POINT(cuModuleGetFunction, (CUfunction * function, CUmodule m, const char *name), (function, m, name))

static int do_cuFuncGetAttribute(int *value, int which, CUfunction f)
{
    int code = fake_check(f, FAKE_FUNCTION, -1, "cuFuncGetAttribute");
    if (code) return code;
    switch (which) {
    case 0: *value = f->kernel->bounds ? f->kernel->bounds : 1024; return 0;
    case 1: *value = (int)f->module->shared_bytes; return 0;
    case 2: case 3: *value = 0; return 0;
    case 4: *value = 32; return 0;
    case 5: case 6: *value = fake_set.capability[f->object.device]; return 0;
    case 8: *value = f->dynamic_limit; return 0;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}
FAKE_ENTRY_POINT(cuFuncGetAttribute, (int *value, int which, CUfunction f), (value, which, f))

static int do_cuFuncSetAttribute(CUfunction f, int which, int value)
{
    int code = fake_check(f, FAKE_FUNCTION, -1, "cuFuncSetAttribute");
    if (code) return code;
    if (which == 9) return 0;
    if (which != 8 || value < 0 || value > 99 << 10) return CUDA_ERROR_INVALID_VALUE;
    f->dynamic_limit = value;
    return 0;
}
FAKE_ENTRY_POINT(cuFuncSetAttribute, (CUfunction f, int which, int value), (f, which, value))

static int do_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads, size_t shared)
{
    int code = fake_check(f, FAKE_FUNCTION, -1, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    if (code) return code;
    if (threads < 1 || threads > 1024 || shared > 99 << 10) return CUDA_ERROR_INVALID_VALUE;
    *blocks = 2048 / threads < 32 ? 2048 / threads : 32;
    return 0;
}
FAKE_ENTRY_POINT(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CUfunction f, int threads, size_t shared), (blocks, f, threads, shared))

/* ---------------------------------------------------------------- launches */

static int check_shape(CUfunction f, const unsigned *g, const unsigned *b, unsigned shared)
{
    const char *name = f->kernel->name;
    unsigned long long threads = (unsigned long long)b[0] * b[1] * b[2];
    if (!g[0] || !g[1] || !g[2] || !threads) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "launch: kernel %s with an empty grid or block", name);
    if (g[0] > 0x7fffffffu || g[1] > 65535 || g[2] > 65535)
        return fake_refuse(CUDA_ERROR_INVALID_VALUE, "launch: kernel %s with a grid of %u x %u x %u", name, g[0], g[1], g[2]);
    if (threads > 1024 || b[2] > 64) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "launch: kernel %s with blocks of %llu threads", name, threads);
    if (f->kernel->bounds && threads > (unsigned)f->kernel->bounds)
        return fake_refuse(CUDA_ERROR_INVALID_VALUE, "launch: kernel %s with %llu threads where its launch bounds say %d", name, threads, f->kernel->bounds);
    /* only the sum over the module's kernels is known; at most two of ours have shared memory of their own, 48 KiB
     * each */
    if (f->module->shared_bytes > 96 << 10)
        return fake_refuse(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "launch: the module of kernel %s has %zu bytes of shared memory", name, f->module->shared_bytes);
    if (shared > (unsigned)f->dynamic_limit) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "launch: kernel %s with %u bytes of shared memory", name, shared);
    return 0;
}

/* A parameter of a pointer type must be a valid device address. */
static void check_parameter(CUfunction f, int i, const void *value)
{
    uintptr_t p;
    if (f->kernel->size[i] != sizeof p) return;
    memcpy(&p, value, sizeof p);
    if (!fake_in_space(p)) return;
    fake_block *b = fake_block_at(p);
    if (!b || p < b->low || p > b->high) fakecuda_violation("bounds: parameter %d of kernel %s is an address in no block", i, f->kernel->name);
    else if (!b->alive) fakecuda_violation("free: parameter %d of kernel %s is in block %d, which is freed", i, f->kernel->name, b->number);
}

static int fill_launch(fake_launch *l, CUfunction f, const unsigned *g, const unsigned *b, unsigned shared, void **parameters)
{
    size_t size = 0;
    int count = f->kernel->count;
    for (int i = 0; i < count; i++) size += (f->kernel->size[i] + 15) / 16 * 16;
    l->blob = calloc(1, size + 16);
    l->parameter = calloc((size_t)count + 1, sizeof(void *));
    if (!l->blob || !l->parameter) return CUDA_ERROR_OUT_OF_MEMORY;
    l->function = f;
    l->shared = shared;
    memcpy(l->grid, g, sizeof l->grid);
    memcpy(l->block, b, sizeof l->block);
    char *at = l->blob;
    for (int i = 0; i < count; i++) {
        if (!parameters || !parameters[i]) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "launch: kernel %s without parameter %d of %d", f->kernel->name, i, count);
        memcpy(at, parameters[i], f->kernel->size[i]);
        l->parameter[i] = at;
        check_parameter(f, i, at);
        at += (f->kernel->size[i] + 15) / 16 * 16;
    }
    return 0;
}

fake_work *fake_work_copy(const fake_work *w)
{
    fake_work *c = fake_work_new(w->kind);
    if (!c) return NULL;
    *c = *w;
    c->next = NULL;
    if (w->kind != WORK_KERNEL) return c;
    const fake_launch *l = &w->is.launch;
    void **parameters = l->parameter;
    c->is.launch.blob = NULL;
    c->is.launch.parameter = NULL;
    fill_launch(&c->is.launch, l->function, l->grid, l->block, l->shared, parameters);
    return c;
}

static int launch(CUfunction f, const unsigned *g, const unsigned *b, unsigned shared, CUstream s, void **parameters, void **extra)
{
    int code = fake_check(f, FAKE_FUNCTION, here(), "cuLaunchKernel");
    if (!code) code = fake_check(s, FAKE_STREAM, here(), "cuLaunchKernel");
    if (!code) code = check_shape(f, g, b, shared);
    if (code) return code;
    if (extra) return fake_refuse(CUDA_ERROR_NOT_SUPPORTED, "fake: cuLaunchKernel with `extra`");
    fake_work *w = fake_work_new(WORK_KERNEL);
    if (!w) return CUDA_ERROR_OUT_OF_MEMORY;
    code = fill_launch(&w->is.launch, f, g, b, shared, parameters);
    if (!code) return fake_enqueue(s, w);
    fake_work_free(w);
    return code;
}

static int do_cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                             CUstream s, void **parameters, void **extra)
{
    return launch(f, (unsigned[]){gx, gy, gz}, (unsigned[]){bx, by, bz}, shared, s, parameters, extra);
}
FAKE_ENTRY_POINT(cuLaunchKernel,
                 (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, CUstream s,
                  void **parameters, void **extra),
                 (f, gx, gy, gz, bx, by, bz, shared, s, parameters, extra))

/* ---------------------------------------------------------------- nodes of graphs */

static int do_cuGraphKernelNodeGetParams_v2(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *p)
{
    int code = fake_check(n, FAKE_NODE, -1, "cuGraphKernelNodeGetParams");
    if (code) return code;
    if (n->work->kind != WORK_KERNEL) return CUDA_ERROR_INVALID_VALUE;
    const fake_launch *l = &n->work->is.launch;
    *p = (CUDA_KERNEL_NODE_PARAMS){.func = l->function, .gridDimX = l->grid[0], .gridDimY = l->grid[1], .gridDimZ = l->grid[2],
                                   .blockDimX = l->block[0], .blockDimY = l->block[1], .blockDimZ = l->block[2],
                                   .sharedMemBytes = l->shared, .kernelParams = l->parameter};
    return 0;
}
FAKE_ENTRY_POINT(cuGraphKernelNodeGetParams_v2, (CUgraphNode n, CUDA_KERNEL_NODE_PARAMS *p), (n, p))

int fake_launch_of(const CUDA_KERNEL_NODE_PARAMS *p, int device, const char *function, fake_work **work)
{
    const unsigned g[] = {p->gridDimX, p->gridDimY, p->gridDimZ}, b[] = {p->blockDimX, p->blockDimY, p->blockDimZ};
    int code = fake_check(p->func, FAKE_FUNCTION, device, function);
    if (!code) code = check_shape(p->func, g, b, p->sharedMemBytes);
    if (code) return code;
    if (p->extra) return fake_refuse(CUDA_ERROR_NOT_SUPPORTED, "fake: %s with `extra`", function);
    fake_work *w = fake_work_new(WORK_KERNEL);
    if (!w) return CUDA_ERROR_OUT_OF_MEMORY;
    code = fill_launch(&w->is.launch, p->func, g, b, p->sharedMemBytes, p->kernelParams);
    if (code) fake_work_free(w);
    else *work = w;
    return code;
}

static int do_cuGraphExecKernelNodeSetParams_v2(CUgraphExec e, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p)
{
    static const char name[] = "cuGraphExecKernelNodeSetParams";
    int code = fake_check(e, FAKE_EXEC, -1, name);
    if (!code) code = fake_check(n, FAKE_NODE, -1, name);
    if (code) return code;
    CUgraphNode copied = fake_node_of(e, n, name);
    if (!copied) return CUDA_ERROR_INVALID_VALUE;
    if (n->work->kind != WORK_KERNEL) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "graph: %s of a node that is no kernel of this graph", name);
    fake_work *w = NULL;
    code = fake_launch_of(p, e->object.device, name, &w);
    if (!code) fake_replace_work(e, copied, w);
    return code;
}
FAKE_ENTRY_POINT(cuGraphExecKernelNodeSetParams_v2, (CUgraphExec e, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS *p), (e, n, p))
