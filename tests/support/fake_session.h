/* A program for the CUDA driver in a few lines, run on the fake driver: a device with two streams, kernels from source
 * text, and memory.
 *
 *     session s = open_session(2);               // devices; device 0 is current
 *     CUfunction f = kernel(&s, text, "k");
 *     CUdeviceptr p = upload(&s, numbers, n);
 *     launch(f, blocks, threads, s.stream[0], &p, &q);
 *     download(&s, numbers, p, n);
 *     close_session(&s);                         // nothing may be left */
#ifndef SITU_TEST_FAKE_SESSION_H
#define SITU_TEST_FAKE_SESSION_H

#include "fakecuda/cuda_api.h"
#include "support/fake_driver.h"

static inline void *fake_found(const char *name) { return fake_symbol(fake.driver, name); }
/* A function of the driver, with its real type. */
#define CU(name) (*(__typeof__(&name))fake_found(#name))
#define OK(call) CHECK_EQ((call), 0)

typedef struct session {
    int devices;
    CUcontext context[4];
    CUstream stream[2]; /* of device 0 */
    CUmodule module[8];
    CUdeviceptr memory[32];
    int modules, memories;
} session;

static inline session open_session(int devices)
{
    session s = {.devices = devices};
    OK(CU(cuInit)(0));
    for (int d = devices - 1; d >= 0; d--) {
        OK(CU(cuDevicePrimaryCtxRetain)(&s.context[d], d));
        OK(CU(cuCtxSetCurrent)(s.context[d]));
    }
    for (int i = 0; i < 2; i++) OK(CU(cuStreamCreate)(&s.stream[i], CU_STREAM_NON_BLOCKING));
    return s;
}

static inline void close_session(session *s)
{
    CU(cuCtxSetCurrent)(s->context[0]);
    for (int i = 0; i < 2; i++) CU(cuStreamSynchronize)(s->stream[i]), CU(cuStreamDestroy_v2)(s->stream[i]);
    for (int i = 0; i < s->memories; i++) CU(cuMemFree_v2)(s->memory[i]);
    for (int i = 0; i < s->modules; i++) CU(cuModuleUnload)(s->module[i]);
    CU(cuCtxSetCurrent)(NULL);
    for (int d = 0; d < s->devices; d++) CU(cuDevicePrimaryCtxRelease_v2)(d);
}

/* ---------------------------------------------------------------- kernels */

static inline char *compile_cuda(const char *text, int architecture)
{
    void *program = NULL;
    char arch[64], log[4096];
    size_t size = 0;
    char *image = NULL;
    const char *options[] = {arch, "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false", "-w"};
    int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *) = NULL;
    int (*compile)(void *, int, const char *const *) = NULL, (*get)(void *, char *) = NULL, (*get_size)(void *, size_t *) = NULL;
    int (*get_log)(void *, char *) = NULL, (*destroy)(void **) = NULL;
    const struct { void *to; const char *name; } found[] = {{&create, "nvrtcCreateProgram"}, {&compile, "nvrtcCompileProgram"}, {&get, "nvrtcGetCUBIN"},
        {&get_size, "nvrtcGetCUBINSize"}, {&get_log, "nvrtcGetProgramLog"}, {&destroy, "nvrtcDestroyProgram"}};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        void *symbol = fake_symbol(fake.nvrtc, found[i].name);
        memcpy(found[i].to, &symbol, sizeof symbol);
    }
    snprintf(arch, sizeof arch, "--gpu-architecture=sm_%d", architecture);
    OK(create(&program, text, "k.cu", 0, NULL, NULL));
    if (compile(program, 6, options)) {
        get_log(program, log);
        printf("  %s\n", log);
        CHECK(false && "NVRTC takes the text");
    } else {
        OK(get_size(program, &size));
        image = malloc(size);
        OK(get(program, image));
    }
    OK(destroy(&program));
    return image;
}

static inline CUfunction kernel(session *s, const char *text, const char *name)
{
    char *image = compile_cuda(text, 80);
    CUfunction f = NULL;
    if (!image) return NULL;
    OK(CU(cuModuleLoadDataEx)(&s->module[s->modules], image, 0, NULL, NULL));
    OK(CU(cuModuleGetFunction)(&f, s->module[s->modules++], name));
    free(image);
    return f;
}

#define launch(f, blocks, threads, stream, ...) \
    CU(cuLaunchKernel)(f, blocks, 1, 1, threads, 1, 1, 0, stream, (void *[]){__VA_ARGS__}, NULL)

/* ---------------------------------------------------------------- memory */

static inline CUdeviceptr memory(session *s, size_t bytes)
{
    CUdeviceptr p = 0;
    OK(CU(cuMemAlloc_v2)(&p, bytes));
    return s->memory[s->memories++] = p;
}

static inline CUdeviceptr upload(session *s, const void *from, size_t bytes)
{
    CUdeviceptr p = memory(s, bytes);
    OK(CU(cuMemcpyHtoDAsync_v2)(p, from, bytes, s->stream[0]));
    return p;
}

/* Blocks, because the memory is not pinned. */
static inline void download(session *s, void *to, CUdeviceptr from, size_t bytes) { OK(CU(cuMemcpyDtoHAsync_v2)(to, from, bytes, s->stream[0])); }

#endif
