/* The real cuDNN, if it is installed, without a card: it accepts our descriptions of convolutions, and for cards that
 * are only described to it, it proposes engines that we accept and turn into plans. Nothing is computed. */
#include <situ.h>

#include "backend/cuda/convolution.h"
#include "op/conv.h"
#include "op/table.h"
#include "os/library.h"
#include "support/fake_cuda.h"
#include "tensor/dtype.h"

/* Beside those of cudnn.h: what tells the library of a card. */
enum { DEVICE = 38, HEURISTICS_DEVICE = 204, PLAN_DEVICE = 407, DEVICE_TEXT = 2702, TYPE_CHAR = 24, SINCE = 90800 };

static const situ_cudnn_api *dnn;

/* cuDNN needs a driver to exist when its parts are loaded, but the driver need not work. */
static bool with_driver(char *environment, size_t size)
{
    char command[1200], said[400];
    static const char *const driver[] = {"libcuda.so.1", NULL};
    void *library = situ_library_open(driver, said, sizeof said);
    situ_library_close(library);
    *environment = 0;
    if (library) return true;
    snprintf(command, sizeof command, "echo 'int cuInit(unsigned f) { return 100; }' | ${SITU_TEST_CC:-cc} -shared -fPIC -Wl,-soname,libcuda.so.1 -x c -o '%s' - 2>/dev/null",
             test_path("libcuda.so.1"));
    if (system(command)) return false;
    snprintf(said, sizeof said, "%s", test_path("libcuda.so.1"));
    *strrchr(said, '/') = 0;
    snprintf(environment, size, "LD_LIBRARY_PATH='%s':\"$LD_LIBRARY_PATH\"", said);
    return true;
}

/* True in a process of its own, if the library is one that can be told of cards. */
static bool with_cudnn(const char *filter)
{
    char environment[700], said[800];
    const char *why, *path = getenv("SITU_CUDNN");
    const char *const names[] = {path && *path ? path : "libcudnn.so.9", NULL};
    if (!getenv("SITU_TEST_AGAIN")) {
        void *library = situ_library_open(names, said, sizeof said);
        situ_library_close(library);
        if (!library) SKIP("no cuDNN 9");
        if (!with_driver(environment, sizeof environment)) SKIP("no libcuda.so.1, and no C compiler to make one of nothing");
        /* what the library keeps until the end is not our leak */
        size_t used = strlen(environment);
        snprintf(environment + used, sizeof environment - used, " ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\"");
        run_again(filter, environment);
        return false;
    }
    dnn = situ_cudnn(&why);
    if (!dnn) SKIP("no cuDNN that could be used");
    if (dnn->GetVersion() < SINCE) SKIP("cuDNN is older than 9.8");
    return true;
}

/* ---------------------------------------------------------------- cards and calls */

/* A card of this compute capability as the library describes one; figures of an A100, which do not matter here. */
static cudnn_descriptor card(int capability, int *status)
{
    char text[1200];
    int n = snprintf(text, sizeof text,
                     "{\"maxGridSize\": [2147483647, 65535, 65535], \"maxBlockSize\": [1024, 1024, 64], \"regsPerBlock\": 65536, \"multiProcessorCount\": 108, "
                     "\"smCountOrigin\": 0, \"warpSize\": 32, \"maxSharedMemoryPerBlock\": 49152, \"maxSharedMemoryPerBlockOptin\": %d, "
                     "\"reservedSharedMemoryPerBlock\": 1024, \"maxRegistersPerSM\": 65536, \"maxCtasPerSM\": 32, \"maxThreadsPerBlock\": 1024, "
                     "\"maxThreadsPerSM\": 2048, \"pciDeviceId\": 8370, \"isTccDriver\": 0, \"supportCoopLaunch\": 1, \"totalGlobalMem\": 42949672960, "
                     "\"smClockRateKHz\": 1410000, \"memClockRateKHz\": 1215000, \"memoryBusWidth\": 5120, \"l2CacheSize\": 41943040, \"cudaDeviceId\": 0, "
                     "\"deviceVer\": %d, \"driverVer\": 13000, \"deviceName\": \"a card\"}",
                     capability < 800 ? 65536 : 166912, capability);
    cudnn_descriptor d = situ_cudnn_new(DEVICE, status);
    situ_cudnn_set(d, DEVICE_TEXT, TYPE_CHAR, n, text, status);
    if (!*status) *status = dnn->BackendFinalize(d);
    return d;
}

typedef struct call { situ_call_desc it; situ_layout in[2]; situ_conv_attr attr; } call;

/* 8 images of 16 channels, 4 by 4 groups of kernels of 3 by 3. `wrong`: the result is a row too high. */
static void make_call(call *c, const situ_op *op, situ_dtype d, int64_t stride, int64_t dilation, int64_t groups, bool wrong)
{
    int64_t image = 17, rows = (image + 2 - 2 * dilation - 1) / stride + 1;
    const situ_layout x = {.dtype = (uint8_t)d, .ndim = 4, .dim = {8, 16, image, image}}, w = {.dtype = (uint8_t)d, .ndim = 4, .dim = {16, 16 / groups, 3, 3}},
                      y = {.dtype = (uint8_t)d, .ndim = 4, .dim = {8, 16, rows + wrong, rows}};
    bool input = op == &situ_op_conv2d_input, weight = op == &situ_op_conv2d_weight;
    *c = (call){.it = {.op = op, .attr = &c->attr, .nin = 2, .out = input ? x : weight ? w : y, .in = c->in},
                .in = {input ? y : x, weight ? y : w},
                .attr = {{stride, stride}, {1, 1}, {1, 1}, {dilation, dilation}, groups, {0, 0}, 0}};
}

static const situ_op *const ops[] = {&situ_op_conv2d, &situ_op_conv2d_input, &situ_op_conv2d_weight};
static const situ_dtype dtypes[] = {SITU_F32, SITU_F64, SITU_F16, SITU_BF16};

TEST(takes_what_we_describe)
{
    if (!with_cudnn("cudnn_library/takes_what_we_describe")) return;
    static const struct { int64_t stride, dilation, groups; } cases[] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 4}, {1, 1, 16}};
    for (int o = 0; o < 3; o++)
        for (int d = 0; d < 4; d++)
            for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
                call c;
                situ_cudnn_operation op;
                make_call(&c, ops[o], dtypes[d], cases[k / 2].stride, cases[k / 2].dilation, cases[k / 2].groups, k % 2);
                int status = situ_cuda_convolution_describe(&c.it, &op);
                situ_cuda_convolution_forget(&op);
                if (!CHECK((status != 0) == (k % 2))) printf("  %s of %s, case %zu: %s\n", ops[o]->name, situ_dtype_name(dtypes[d]), k, situ_cudnn_status(status));
            }
}

/* ---------------------------------------------------------------- engines */

static bool becomes_a_plan(cudnn_descriptor device, cudnn_descriptor config, unsigned refused)
{
    int note[32], status = 0;
    int64_t count = 0, notes = 0, bytes = 0;
    cudnn_descriptor engine = situ_cudnn_new(CUDNN_BACKEND_ENGINE_DESCRIPTOR, &status), plan = NULL;
    if (!status) status = dnn->BackendGetAttribute(config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine);
    if (!status) status = dnn->BackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, 32, &notes, note);
    bool takes = CHECK_EQ(status, 0);
    for (int64_t i = 0; i < notes && takes; i++) takes = !(refused >> note[i] & 1);
    if (takes) {
        plan = situ_cudnn_new(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, &status);
        situ_cudnn_set(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &config, &status);
        situ_cudnn_set(plan, PLAN_DEVICE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &device, &status);
        if (!status) status = dnn->BackendFinalize(plan);
        if (!status) status = dnn->BackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count, &bytes);
        takes = !status && bytes <= 256 << 20;
    }
    situ_cudnn_drop(plan);
    situ_cudnn_drop(engine);
    return takes;
}

/* Is there an engine among the proposals that we take? */
static bool is_served(cudnn_descriptor device, cudnn_descriptor operation, int mode, unsigned refused)
{
    enum { MOST = 64 };
    int status = 0;
    int64_t count = 0;
    bool served = false;
    cudnn_descriptor config[MOST] = {NULL}, graph = situ_cudnn_new(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, &status);
    situ_cudnn_set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &operation, &status);
    if (!status) status = dnn->BackendFinalize(graph);
    cudnn_descriptor heuristics = situ_cudnn_new(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, &status);
    situ_cudnn_set(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph, &status);
    situ_cudnn_set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode, &status);
    situ_cudnn_set(heuristics, HEURISTICS_DEVICE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &device, &status);
    if (!status) status = dnn->BackendFinalize(heuristics);
    for (int i = 0; i < MOST; i++) config[i] = situ_cudnn_new(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, &status);
    if (!status) status = dnn->BackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, MOST, &count, config);
    CHECK_EQ(status, 0);
    for (int64_t i = 0; i < count && !served; i++) served = becomes_a_plan(device, config[i], refused);
    for (int i = 0; i < MOST; i++) situ_cudnn_drop(config[i]);
    situ_cudnn_drop(heuristics);
    situ_cudnn_drop(graph);
    return served;
}

TEST(has_engines_that_we_take)
{
    static const int capabilities[] = {750, 800, 900, 1000};
    if (!with_cudnn("cudnn_library/has_engines_that_we_take")) return;
    for (int k = 0; k < 4; k++) {
        int status = 0;
        cudnn_descriptor device = card(capabilities[k], &status);
        if (!CHECK_EQ(status, 0)) return;
        for (int o = 0; o < 3; o++)
            for (int d = 0; d < 4; d++) {
                call c;
                situ_cudnn_operation op;
                make_call(&c, ops[o], dtypes[d], 1, 1, 1, false);
                CHECK_EQ(situ_cuda_convolution_describe(&c.it, &op), 0);
                unsigned refused = situ_cuda_convolution_refused(dtypes[d]);
                bool best = is_served(device, op.it, CUDNN_HEUR_MODE_A, refused), older = dtypes[d] == SITU_BF16 && capabilities[k] < 800;
                bool served = best || is_served(device, op.it, CUDNN_HEUR_MODE_FALLBACK, refused);
                if (!CHECK(served == !older)) printf("  %s of %s for compute capability %d\n", ops[o]->name, situ_dtype_name(dtypes[d]), capabilities[k]);
                situ_cuda_convolution_forget(&op);
            }
        situ_cudnn_drop(device);
    }
}
