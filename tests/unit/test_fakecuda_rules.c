/* The fake CUDA driver's rules for handles, contexts, devices, captures and graphs, and the failures that tests ask
 * for: each is broken once and has to be reported. */
#include <pthread.h>

#include "support/fake_session.h"

static const char scale_text[] = "extern \"C\" __global__ void __launch_bounds__(64) scale(float *x, const float *y, float a)\n"
                                 "{\n"
                                 "    x[threadIdx.x] = y[threadIdx.x] * a;\n"
                                 "}\n";

/* What was just done has this code and was said, or was right (NULL); then it is forgotten. */
static void expect(int code, int expected, const char *words, int line)
{
    if (!CHECK_EQ(code, expected) || !CHECK(fake_said(words))) printf("  at line %d\n", line);
    fake.reset();
}
#define EXPECT(call, code, words) expect(call, code, words, __LINE__)

/* ---------------------------------------------------------------- handles and contexts */

TEST(destroyed_things_are_known)
{
    need_fake(1);
    session s = open_session(1);
    CUstream stream;
    CUevent e, never;
    CUfunction f = kernel(&s, scale_text, "scale"), other;
    OK(CU(cuStreamCreate)(&stream, 1));
    OK(CU(cuEventCreate)(&e, CU_EVENT_DISABLE_TIMING));
    OK(CU(cuEventCreate)(&never, 0));
    EXPECT(CU(cuModuleGetFunction)(&other, s.module[0], "nothing"), CUDA_ERROR_NOT_FOUND, NULL);
    EXPECT(CU(cuStreamSynchronize)(NULL), CUDA_ERROR_INVALID_HANDLE, "handle: cuStreamSynchronize with no stream");
    EXPECT(CU(cuStreamSynchronize)((CUstream)e), CUDA_ERROR_INVALID_HANDLE, "something that is no stream");
    EXPECT(CU(cuStreamWaitEvent)(stream, never, 0), 0, "event: cuStreamWaitEvent for event");
    EXPECT(CU(cuEventQuery)(never), 0, "which was never recorded");
    OK(CU(cuEventRecord)(e, stream));
    OK(CU(cuEventRecord)(never, stream));
    float ms;
    EXPECT(CU(cuEventElapsedTime)(&ms, e, never), CUDA_ERROR_INVALID_HANDLE, "made without timing");
    OK(CU(cuStreamDestroy_v2)(stream)); /* its work still comes */
    OK(CU(cuEventSynchronize)(e));
    EXPECT(CU(cuEventRecord)(e, stream), CUDA_ERROR_INVALID_HANDLE, "which is destroyed");
    OK(CU(cuEventDestroy_v2)(e));
    EXPECT(CU(cuEventQuery)(e), CUDA_ERROR_INVALID_HANDLE, "handle: cuEventQuery with event");
    EXPECT(CU(cuEventDestroy_v2)(e), CUDA_ERROR_INVALID_HANDLE, "which is destroyed");
    OK(CU(cuEventDestroy_v2)(never));
    CUdeviceptr x = memory(&s, 256), y = memory(&s, 256);
    float a = 1;
    fake.order(1, 1);
    OK(CU(cuMemsetD32Async)(y, 0, 64, s.stream[0]));
    OK(launch(f, 1, 64, s.stream[0], &x, &y, &a));
    EXPECT(CU(cuModuleUnload)(s.module[0]), 0, "free: cuModuleUnload while a kernel of module");
    s.modules = 0;
    EXPECT(launch(f, 1, 64, s.stream[0], &x, &y, &a), CUDA_ERROR_INVALID_HANDLE, "handle: cuLaunchKernel with function");
    close_session(&s);
    CHECK(fake_said(NULL));
}

static void *without_context(void *p)
{
    CUdeviceptr x;
    *(int *)p = CU(cuMemAlloc_v2)(&x, 16);
    return NULL;
}

TEST(calls_need_the_right_context)
{
    need_fake(2);
    session s = open_session(2);
    CUfunction f = kernel(&s, scale_text, "scale");
    CUstream second;
    CUdeviceptr x = memory(&s, 256), far;
    CUevent e;
    float a = 1;
    pthread_t thread;
    int code = 0;
    OK(CU(cuEventCreate)(&e, 0));
    pthread_create(&thread, NULL, without_context, &code);
    pthread_join(thread, NULL);
    EXPECT(code, CUDA_ERROR_INVALID_CONTEXT, "context: cuMemAlloc_v2 in a thread without a current context");
    OK(CU(cuCtxSetCurrent)(s.context[1]));
    OK(CU(cuStreamCreate)(&second, 1));
    OK(CU(cuMemAlloc_v2)(&far, 256));
    OK(CU(cuMemsetD32Async)(far, 0, 64, second));
    EXPECT(launch(f, 1, 64, second, &x, &x, &a), CUDA_ERROR_INVALID_HANDLE, "device: cuLaunchKernel with function");
    EXPECT(CU(cuEventRecord)(e, second), CUDA_ERROR_INVALID_HANDLE, "device: cuEventRecord with stream");
    OK(CU(cuCtxSetCurrent)(s.context[0]));
    EXPECT(launch(f, 1, 64, second, &x, &x, &a), CUDA_ERROR_INVALID_HANDLE, "device: cuLaunchKernel with stream");
    EXPECT(CU(cuMemcpyDtoDAsync_v2)(x, far, 256, s.stream[0]), CUDA_ERROR_INVALID_VALUE, "device: cuMemcpyDtoDAsync on a stream of device 0 from memory of device 1");
    /* an event of one device orders a stream of the other */
    OK(CU(cuCtxSetCurrent)(s.context[1]));
    CUevent filled;
    OK(CU(cuEventCreate)(&filled, 0));
    OK(CU(cuEventRecord)(filled, second));
    OK(CU(cuCtxSetCurrent)(s.context[0]));
    OK(CU(cuStreamWaitEvent)(s.stream[0], filled, 0));
    EXPECT(CU(cuMemcpyPeerAsync)(x, s.context[0], far, s.context[1], 256, s.stream[0]), 0, NULL);
    OK(CU(cuStreamSynchronize)(s.stream[0]));
    EXPECT(CU(cuMemcpyPeerAsync)(x, s.context[1], far, s.context[1], 256, s.stream[0]), CUDA_ERROR_INVALID_VALUE, "memory that is not of the context named");
    OK(launch(f, 1, 64, s.stream[0], &x, &far, &a));
    EXPECT(CU(cuStreamSynchronize)(s.stream[0]), CUDA_ERROR_ILLEGAL_ADDRESS, "device: scale on device 0 touches block");
    OK(CU(cuCtxEnablePeerAccess)(s.context[1], 0));
    CHECK_EQ(CU(cuCtxEnablePeerAccess)(s.context[1], 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    OK(launch(f, 1, 64, s.stream[0], &x, &far, &a));
    OK(CU(cuMemcpyDtoDAsync_v2)(x, far, 256, s.stream[0]));
    EXPECT(CU(cuStreamSynchronize)(s.stream[0]), 0, NULL);
    OK(CU(cuEventDestroy_v2)(e));
    OK(CU(cuCtxSetCurrent)(s.context[1]));
    OK(CU(cuMemFree_v2)(far));
    OK(CU(cuEventDestroy_v2)(filled));
    OK(CU(cuStreamDestroy_v2)(second));
    close_session(&s);
    EXPECT(0, 0, NULL);
    EXPECT(CU(cuCtxSetCurrent)(s.context[0]), CUDA_ERROR_INVALID_CONTEXT, "context: device 0's context is made current when it is released");
    EXPECT(CU(cuDevicePrimaryCtxRelease_v2)(0), CUDA_ERROR_INVALID_CONTEXT, "released more often than retained");
}

TEST(leaks_are_named)
{
    char text[1024];
    need_fake(1);
    session s = open_session(1);
    CUdeviceptr p;
    CUevent e;
    OK(CU(cuMemAlloc_v2)(&p, 12345));
    OK(CU(cuEventCreate)(&e, 0));
    CHECK_EQ(fake.live(text, sizeof text), 5); /* the context, two streams, a block, an event */
    CHECK(strstr(text, "of 12345 bytes, device 0") != NULL);
    CHECK(strstr(text, "event ") != NULL);
    close_session(&s);
    CHECK(fake_said("leak: device 0's context is released with 2 things in it"));
    CHECK_EQ(fake.live(NULL, 0), 0);
}

TEST(launches_have_shapes)
{
    need_fake(1);
    session s = open_session(1);
    CUfunction f = kernel(&s, scale_text, "scale");
    CUdeviceptr x = memory(&s, 256);
    float a = 1;
    int limit = 0;
    OK(CU(cuFuncGetAttribute)(&limit, 0, f));
    CHECK_EQ(limit, 64);
    EXPECT(launch(f, 0, 64, s.stream[0], &x, &x, &a), CUDA_ERROR_INVALID_VALUE, "launch: kernel scale with an empty grid");
    EXPECT(launch(f, 1, 65, s.stream[0], &x, &x, &a), CUDA_ERROR_INVALID_VALUE, "where its launch bounds say 64");
    EXPECT(launch(f, 1, 2048, s.stream[0], &x, &x, &a), CUDA_ERROR_INVALID_VALUE, "with blocks of 2048 threads");
    EXPECT(launch(f, 1, 64, s.stream[0], &x, NULL, &a), CUDA_ERROR_INVALID_VALUE, "launch: kernel scale without parameter 1 of 3");
    EXPECT(CU(cuLaunchKernel)(f, 1, 70000, 1, 64, 1, 1, 0, s.stream[0], (void *[]){&x, &x, &a}, NULL), CUDA_ERROR_INVALID_VALUE, "with a grid of");
    close_session(&s);
    CHECK(fake_said(NULL));
}

/* ---------------------------------------------------------------- captures and graphs */

TEST(captures_have_rules)
{
    need_fake(1);
    session s = open_session(1);
    CUgraph g;
    CUevent e, outside;
    CUdeviceptr x = memory(&s, 256), p;
    OK(CU(cuEventCreate)(&e, 0));
    OK(CU(cuEventCreate)(&outside, 0));
    OK(CU(cuEventRecord)(outside, s.stream[1]));
    EXPECT(CU(cuStreamEndCapture)(s.stream[0], &g), CUDA_ERROR_ILLEGAL_STATE, "capture: cuStreamEndCapture on a stream that is not captured");
    const struct { int mode, code; const char *words; } rows[] = {{0, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "capture: cuMemAlloc_v2 while a stream"},
                                                                  {1, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "capture: cuMemAlloc_v2 while a stream"}};
    for (int i = 0; i < 2; i++) {
        OK(CU(cuStreamBeginCapture_v2)(s.stream[0], rows[i].mode));
        EXPECT(CU(cuMemAlloc_v2)(&p, 4), rows[i].code, rows[i].words);
        EXPECT(CU(cuStreamEndCapture)(s.stream[0], &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, NULL);
    }
    OK(CU(cuStreamBeginCapture_v2)(s.stream[0], 2));
    OK(CU(cuMemAlloc_v2)(&p, 4));
    OK(CU(cuMemFree_v2)(p));
    EXPECT(CU(cuStreamSynchronize)(s.stream[0]), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "capture: cuStreamSynchronize on a stream that is captured");
    EXPECT(CU(cuStreamEndCapture)(s.stream[0], &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, NULL);
    OK(CU(cuStreamBeginCapture_v2)(s.stream[0], 2));
    EXPECT(CU(cuStreamWaitEvent)(s.stream[0], outside, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "waits for an event that was recorded outside");
    EXPECT(CU(cuStreamEndCapture)(s.stream[0], &g), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, NULL);
    /* a second stream joins and does not come back */
    OK(CU(cuStreamBeginCapture_v2)(s.stream[0], 2));
    OK(CU(cuEventRecord)(e, s.stream[0]));
    OK(CU(cuStreamWaitEvent)(s.stream[1], e, 0));
    OK(CU(cuMemsetD32Async)(x, 0, 64, s.stream[1]));
    EXPECT(CU(cuEventQuery)(e), CUDA_ERROR_CAPTURED_EVENT, "capture: cuEventQuery of an event that was recorded in a capture");
    EXPECT(CU(cuStreamEndCapture)(s.stream[1], &g), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "on another stream than it began on");
    EXPECT(CU(cuStreamEndCapture)(s.stream[0], &g), CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "does not lead back");
    OK(CU(cuEventDestroy_v2)(e));
    OK(CU(cuEventDestroy_v2)(outside));
    close_session(&s);
    CHECK(fake_said(NULL));
}

/* What is captured runs when it is launched, as often as it is, with the parameters that it has then. */
TEST(a_graph_runs_again_with_other_parameters)
{
    need_fake(1);
    fake.order(1, 1);
    session s = open_session(1);
    CUfunction f = kernel(&s, scale_text, "scale");
    CUgraph g;
    CUgraphExec exec;
    CUgraphNode node[4];
    size_t nodes = 4;
    float in[64], out[64], a = 2, b = 5;
    for (int i = 0; i < 64; i++) in[i] = (float)i;
    CUdeviceptr x = memory(&s, 256), z = memory(&s, 256), y = upload(&s, in, 256);
    OK(CU(cuStreamBeginCapture_v2)(s.stream[0], 1));
    OK(launch(f, 1, 64, s.stream[0], &x, &y, &a));
    OK(CU(cuMemcpyDtoDAsync_v2)(z, x, 256, s.stream[0]));
    OK(CU(cuStreamEndCapture)(s.stream[0], &g));
    OK(CU(cuGraphGetNodes)(g, node, &nodes));
    CHECK_EQ(nodes, 2);
    OK(CU(cuGraphInstantiateWithFlags)(&exec, g, 0));
    CHECK_EQ(fake.calls("kernel"), 0);
    OK(CU(cuGraphLaunch)(exec, s.stream[0]));
    CUDA_KERNEL_NODE_PARAMS p;
    OK(CU(cuGraphKernelNodeGetParams_v2)(node[0], &p));
    void *with[] = {&x, &y, &b};
    p.kernelParams = with;
    OK(CU(cuGraphExecKernelNodeSetParams_v2)(exec, node[0], &p)); /* the launch that is queued has the old ones */
    download(&s, out, z, 256);
    CHECK_NEAR(out[3], 6, 0);
    OK(CU(cuGraphLaunch)(exec, s.stream[0]));
    download(&s, out, z, 256);
    CHECK_NEAR(out[3], 15, 0);
    CHECK_EQ(fake.calls("kernel"), 2);
    CHECK_EQ(CU(cuGraphExecKernelNodeSetParams_v2)(exec, node[1], &p), CUDA_ERROR_INVALID_VALUE);
    CHECK(fake_said("graph: cuGraphExecKernelNodeSetParams of a node that is no kernel"));
    OK(CU(cuGraphExecDestroy)(exec));
    OK(CU(cuGraphDestroy)(g));
    fake.reset();
    CHECK_EQ(CU(cuGraphLaunch)(exec, s.stream[0]), CUDA_ERROR_INVALID_HANDLE);
    close_session(&s);
    CHECK(fake_said("handle: cuGraphLaunch with executable graph"));
}

/* Two nodes of a graph that nothing orders may not write the same memory; with an edge they may. */
TEST(nodes_of_a_graph_are_ordered_by_edges)
{
    need_fake(1);
    session s = open_session(1);
    CUfunction f = kernel(&s, scale_text, "scale");
    float in[64] = {1}, a = 2;
    CUdeviceptr x = memory(&s, 256), y = upload(&s, in, 256);
    CUDA_KERNEL_NODE_PARAMS p = {.func = f, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 64, .blockDimY = 1, .blockDimZ = 1,
                                 .kernelParams = (void *[]){&x, &y, &a}};
    OK(CU(cuStreamSynchronize)(s.stream[0]));
    for (int edge = 0; edge < 2; edge++) {
        CUgraph g;
        CUgraphExec exec;
        CUgraphNode first, second;
        OK(CU(cuGraphCreate)(&g, 0));
        OK(CU(cuGraphAddKernelNode_v2)(&first, g, NULL, 0, &p));
        OK(CU(cuGraphAddKernelNode_v2)(&second, g, &first, (size_t)edge, &p));
        OK(CU(cuGraphInstantiateWithFlags)(&exec, g, 0));
        OK(CU(cuGraphDestroy)(g));
        OK(CU(cuGraphLaunch)(exec, s.stream[0]));
        OK(CU(cuGraphLaunch)(exec, s.stream[0])); /* launches follow each other */
        OK(CU(cuStreamSynchronize)(s.stream[0]));
        EXPECT(0, 0, edge ? NULL : "race: scale on device 0 overwrites what another work writes");
        OK(CU(cuGraphExecDestroy)(exec));
    }
    close_session(&s);
    CHECK(fake_said(NULL));
}

/* ---------------------------------------------------------------- failures on request */

TEST(calls_fail_when_asked)
{
    need_fake(2);
    CHECK_EQ(CU(cuInit)(1), CUDA_ERROR_INVALID_VALUE);
    session s = open_session(2);
    CUfunction f = kernel(&s, scale_text, "scale");
    CUdeviceptr x = memory(&s, 256), y = memory(&s, 256), p;
    float a = 1;
    const char *name = NULL, *text = NULL;
    fake.fail("cuMemAlloc_v2", 2, CUDA_ERROR_OUT_OF_MEMORY);
    memory(&s, 16);
    CHECK_EQ(CU(cuMemAlloc_v2)(&p, 16), CUDA_ERROR_OUT_OF_MEMORY);
    memory(&s, 16);
    fake.fail("*", 1, 999);
    CHECK_EQ(CU(cuStreamSynchronize)(s.stream[0]), 999);
    CHECK(fake.calls("cuMemAlloc_v2") == 5);
    /* a kernel that fails breaks its context, and only that */
    OK(CU(cuMemsetD32Async)(y, 0, 64, s.stream[0]));
    fake.fail("kernel", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(launch(f, 1, 64, s.stream[0], &x, &y, &a));
    CHECK_EQ(CU(cuStreamSynchronize)(s.stream[0]), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK_EQ(CU(cuMemAlloc_v2)(&p, 16), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(CU(cuCtxSetCurrent)(s.context[1]));
    OK(CU(cuMemAlloc_v2)(&p, 16));
    OK(CU(cuMemFree_v2)(p));
    OK(CU(cuGetErrorName)(700, &name));
    OK(CU(cuGetErrorString)(700, &text));
    CHECK_STR(name, "CUDA_ERROR_ILLEGAL_ADDRESS");
    CHECK_STR(text, "an illegal memory access was encountered");
    CHECK_EQ(CU(cuGetErrorName)(12345, &name), CUDA_ERROR_INVALID_VALUE);
    CHECK(fake_said(NULL));
    fake.reset();
    close_session(&s);
    setenv("FAKECUDA_FAIL", "cuInit:1:100,cuDriverGetVersion:2:3", 1);
    fake.reset();
    int version;
    CHECK_EQ(CU(cuInit)(0), CUDA_ERROR_NO_DEVICE);
    OK(CU(cuInit)(0));
    OK(CU(cuDriverGetVersion)(&version));
    CHECK_EQ(CU(cuDriverGetVersion)(&version), 3);
    unsetenv("FAKECUDA_FAIL");
    fake.reset();
    CHECK(fake_said(NULL));
}

/* What was queued in a context that breaks is over: memory of another device that it read may go. */
TEST(work_of_a_broken_context_is_over)
{
    need_fake(2);
    fake.order(1, 1);
    session s = open_session(2);
    CUstream other;
    CUdeviceptr x, far;
    OK(CU(cuMemAlloc_v2)(&x, 256));
    OK(CU(cuMemsetD32Async)(x, 0, 64, s.stream[0]));
    OK(CU(cuStreamSynchronize)(s.stream[0]));
    OK(CU(cuCtxSetCurrent)(s.context[1]));
    OK(CU(cuStreamCreate)(&other, 1));
    OK(CU(cuMemAlloc_v2)(&far, 256));
    OK(CU(cuMemcpyPeerAsync)(far, s.context[1], x, s.context[0], 256, other));
    fake.fail("copy", 1, CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK_EQ(CU(cuStreamSynchronize)(other), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(CU(cuCtxSetCurrent)(s.context[0]));
    OK(CU(cuMemFree_v2)(x));
    CHECK(fake_said(NULL));
    close_session(&s);
    CHECK(fake_said(NULL));
}

/* ---------------------------------------------------------------- NVRTC and NVML */

static int compile_with(const char *text, const char *const *options, int count, char *log)
{
    int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *) = NULL;
    int (*compile)(void *, int, const char *const *) = NULL, (*get_log)(void *, char *) = NULL, (*destroy)(void **) = NULL;
    const struct { void *to; const char *name; } found[] = {{&create, "nvrtcCreateProgram"}, {&compile, "nvrtcCompileProgram"},
                                                            {&get_log, "nvrtcGetProgramLog"}, {&destroy, "nvrtcDestroyProgram"}};
    void *program = NULL;
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        void *symbol = fake_symbol(fake.nvrtc, found[i].name);
        memcpy(found[i].to, &symbol, sizeof symbol);
    }
    OK(create(&program, text, "k.cu", 0, NULL, NULL));
    int code = compile(program, count, options);
    OK(get_log(program, log));
    OK(destroy(&program));
    return code;
}

TEST(the_compiler_looks_at_its_options)
{
    need_fake(1);
    const char *all[] = {"--gpu-architecture=sm_80", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false"};
    const char *unknown[] = {"--gpu-architecture=sm_80", "--use_fast_math"}, *young[] = {"--gpu-architecture=sm_120"};
    char log[4096];
    EXPECT(compile_with(scale_text, all, 5, log), 0, NULL);
    EXPECT(compile_with(scale_text, all, 4, log), 0, "nvrtc: a program is compiled without --ftz=false");
    EXPECT(compile_with(scale_text, all + 1, 4, log), 0, "nvrtc: a program is compiled for no architecture");
    EXPECT(compile_with(scale_text, unknown, 2, log), 5, NULL);
    CHECK(strstr(log, "unrecognized option: --use_fast_math") != NULL);
    EXPECT(compile_with(scale_text, young, 1, log), 5, NULL);
    EXPECT(compile_with("extern \"C\" __global__ void k(int *p) { *p = nothing; }", all, 5, log), 6, NULL);
    CHECK(strstr(log, "nothing") != NULL);
}

TEST(images_are_for_one_architecture)
{
    need_fake(1);
    setenv("FAKECUDA_CAPABILITY", "8.6,9.0", 1);
    fake.reset();
    session s = open_session(1);
    CUmodule m;
    char *old = compile_cuda(scale_text, 80), *other = compile_cuda(scale_text, 90), *newer = compile_cuda(scale_text, 89), log[256] = "";
    EXPECT(CU(cuModuleLoadDataEx)(&m, old, 0, NULL, NULL), 0, NULL);
    OK(CU(cuModuleUnload)(m));
    EXPECT(CU(cuModuleLoadDataEx)(&m, other, 0, NULL, NULL), CUDA_ERROR_NO_BINARY_FOR_GPU, NULL);
    EXPECT(CU(cuModuleLoadDataEx)(&m, newer, 0, NULL, NULL), CUDA_ERROR_NO_BINARY_FOR_GPU, NULL);
    old[strlen(old) - 5] ^= 1;
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    EXPECT(CU(cuModuleLoadDataEx)(&m, old, 2, options, (void *[]){log, (void *)sizeof log}), CUDA_ERROR_INVALID_IMAGE, NULL);
    CHECK_STR(log, "no image of the fake compiler");
    free(old);
    free(other);
    free(newer);
    close_session(&s);
    unsetenv("FAKECUDA_CAPABILITY");
    fake.reset();
}

TEST(nvml_knows_the_devices)
{
    need_fake(2);
    int (*init)(void) = NULL, (*shut)(void) = NULL, (*by_uuid)(const char *, void **) = NULL, (*info)(void *, unsigned long long *) = NULL;
    const struct { void *to; const char *name; } found[] = {{&init, "nvmlInit_v2"}, {&shut, "nvmlShutdown"}, {&by_uuid, "nvmlDeviceGetHandleByUUID"},
                                                            {&info, "nvmlDeviceGetMemoryInfo"}};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        void *symbol = fake_symbol(fake.nvml, found[i].name);
        memcpy(found[i].to, &symbol, sizeof symbol);
    }
    session s = open_session(2);
    CUuuid uuid;
    void *handle = NULL;
    char text[64] = "GPU-";
    OK(CU(cuDeviceGetUuid_v2)(&uuid, 0));
    for (int i = 0, n = 4; i < 16; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (unsigned char)uuid.bytes[i]);
    EXPECT(by_uuid(text, &handle), 1, "nvml: nvmlDeviceGetHandleByUUID before nvmlInit");
    OK(init());
    OK(by_uuid(text, &handle));
    unsigned long long before[3], after[3];
    OK(info(handle, before));
    memory(&s, 1 << 20);
    OK(info(handle, after));
    CHECK_EQ(after[2] - before[2], 1 << 20);
    CHECK_EQ(by_uuid("GPU-0", &handle), 6);
    OK(shut());
    close_session(&s);
    CHECK(fake_said(NULL));
}
