/* The fake CUDA driver does what it promises: kernels run, work is late, and each rule that can be broken is broken
 * once and has to be reported. A fake that reports nothing would be worth nothing. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/fake_session.h"

/* ---------------------------------------------------------------- kernels run */

static const char add_text[] = "extern \"C\" __global__ void __launch_bounds__(256) add(const float *a, const float *b, float *c, unsigned long long n)\n"
                               "{\n"
                               "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "    if (i < n) c[i] = a[i] + b[i];\n"
                               "}\n";

TEST(a_kernel_adds)
{
    enum { N = 1000 };
    need_fake(1);
    session s = open_session(1);
    CUfunction f = kernel(&s, add_text, "add");
    float a[N], b[N], c[N];
    for (int i = 0; i < N; i++) a[i] = (float)i, b[i] = 0.5f * (float)i;
    CUdeviceptr pa = upload(&s, a, sizeof a), pb = upload(&s, b, sizeof b), pc = memory(&s, sizeof c);
    uint64_t n = N;
    OK(launch(f, 4, 256, s.stream[0], &pa, &pb, &pc, &n));
    download(&s, c, pc, sizeof c);
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += c[i] != 1.5f * (float)i;
    CHECK_EQ(wrong, 0);
    CHECK_EQ(fake.calls("kernel"), 1);
    CHECK_EQ(fake.bytes("HtoD"), 2 * sizeof a);
    CHECK_EQ(fake.bytes("DtoH"), sizeof c);
    close_session(&s);
    CHECK(fake_said(NULL));
    CHECK_EQ(fake.live(NULL, 0), 0);
}

/* A reduction through shared memory, and one through the lanes of a warp. */
static const char sum_text[] = "extern \"C\" __global__ void __launch_bounds__(128) sums(const float *x, float *y)\n"
                               "{\n"
                               "    __shared__ float lane[128];\n"
                               "    lane[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];\n"
                               "    __syncthreads();\n"
                               "    for (int step = 64; step; step /= 2) {\n"
                               "        if (threadIdx.x < step) lane[threadIdx.x] += lane[threadIdx.x + step];\n"
                               "        __syncthreads();\n"
                               "    }\n"
                               "    float v = x[blockIdx.x * 128 + threadIdx.x];\n"
                               "    for (int step = 16; step; step /= 2) v += __shfl_down_sync(0xffffffffu, v, step);\n"
                               "    __shared__ float part[4];\n"
                               "    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;\n"
                               "    __syncthreads();\n"
                               "    if (threadIdx.x == 0) {\n"
                               "        y[2 * blockIdx.x] = lane[0];\n"
                               "        y[2 * blockIdx.x + 1] = part[0] + part[1] + part[2] + part[3];\n"
                               "    }\n"
                               "}\n";

TEST(threads_of_a_block_wait_for_each_other)
{
    enum { BLOCKS = 5, N = 128 * BLOCKS };
    need_fake(1);
    session s = open_session(1);
    CUfunction f = kernel(&s, sum_text, "sums");
    float x[N], y[2 * BLOCKS];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 7);
    CUdeviceptr px = upload(&s, x, sizeof x), py = memory(&s, sizeof y);
    OK(launch(f, BLOCKS, 128, s.stream[0], &px, &py));
    download(&s, y, py, sizeof y);
    for (int b = 0; b < BLOCKS; b++) {
        float sum = 0;
        for (int i = 0; i < 128; i++) sum += x[128 * b + i];
        CHECK_NEAR(y[2 * b], sum, 0);
        CHECK_NEAR(y[2 * b + 1], sum, 0);
    }
    close_session(&s);
    CHECK(fake_said(NULL));
}

/* What quick kernels are made of: loads of 16 bytes, a tile in shared memory that a function is given, lanes of a
 * warp. */
static const char tile_text[] = "struct __attribute__((aligned(16))) four { float at[4]; };\n"
                                "static __device__ __forceinline__ void put(float (*tile)[33], const float *x)\n"
                                "{\n"
                                "    four v = *(const four *)(x + 4 * threadIdx.x);\n"
                                "#pragma unroll\n"
                                "    for (int i = 0; i < 4; i++) tile[threadIdx.x / 8][threadIdx.x % 8 * 4 + i] = v.at[i];\n"
                                "    __syncthreads();\n"
                                "}\n"
                                "extern \"C\" __global__ void __launch_bounds__(256) turn(const float *x, float *y)\n"
                                "{\n"
                                "    __shared__ float tile[32][33];\n"
                                "    put(tile, x);\n"
                                "    for (int i = threadIdx.x; i < 1024; i += 256) y[i] = tile[i % 32][i / 32];\n"
                                "    __syncwarp();\n"
                                "}\n";

TEST(a_tile_is_turned)
{
    need_fake(1);
    session s = open_session(1);
    CUfunction f = kernel(&s, tile_text, "turn");
    float x[1024], y[1024];
    for (int i = 0; i < 1024; i++) x[i] = (float)i;
    CUdeviceptr px = upload(&s, x, sizeof x), py = memory(&s, sizeof y);
    OK(launch(f, 1, 256, s.stream[0], &px, &py));
    download(&s, y, py, sizeof y);
    int wrong = 0;
    for (int i = 0; i < 1024; i++) wrong += y[i] != x[i % 32 * 32 + i / 32];
    CHECK_EQ(wrong, 0);
    close_session(&s);
    CHECK(fake_said(NULL));
}

/* ---------------------------------------------------------------- work is late */

static const char scale_text[] = "extern \"C\" __global__ void scale(float *x, const float *y, float a)\n"
                                 "{\n"
                                 "    x[threadIdx.x] = y[threadIdx.x] * a;\n"
                                 "}\n";

static float *pinned(size_t bytes)
{
    void *p = NULL;
    OK(CU(cuMemHostAlloc)(&p, bytes, 1));
    return p;
}

/* A staging buffer that is used again too early carries the wrong data; memory that is not pinned is read at the call. */
TEST(copies_read_pinned_memory_when_they_are_done)
{
    need_fake(1);
    fake.order(1, 1);
    session s = open_session(1);
    float *stage = pinned(4096), out[4] = {0};
    CUdeviceptr p = memory(&s, 4096);
    stage[0] = 1;
    OK(CU(cuMemcpyHtoDAsync_v2)(p, stage, 4096, s.stream[0]));
    stage[0] = 2; /* too early */
    download(&s, out, p, 4);
    CHECK_NEAR(out[0], 2, 0);
    out[0] = 3;
    OK(CU(cuMemcpyHtoDAsync_v2)(p, out, 4, s.stream[0]));
    out[0] = 4;
    download(&s, out, p, 4);
    CHECK_NEAR(out[0], 3, 0);
    CHECK_EQ(fake.calls("pageable"), 3);
    OK(CU(cuMemcpyDtoHAsync_v2)(stage, p, 4096, s.stream[0]));
    CHECK_NEAR(stage[0], 2, 0); /* it has not come yet */
    OK(CU(cuStreamSynchronize)(s.stream[0]));
    CHECK_NEAR(stage[0], 3, 0);
    OK(CU(cuMemFreeHost)(stage));
    close_session(&s);
    CHECK(fake_said(NULL));
}

TEST(an_event_orders_two_streams)
{
    need_fake(1);
    for (unsigned seed = 1; seed <= 20; seed++) {
        fake.order((int)(seed % 3), seed);
        session s = open_session(1);
        CUfunction f = kernel(&s, scale_text, "scale");
        CUdeviceptr x = memory(&s, 256), y = memory(&s, 256), z = memory(&s, 256);
        CUevent e;
        float a = 2, b = 3, out[64], in[64];
        for (int i = 0; i < 64; i++) in[i] = (float)i;
        OK(CU(cuMemcpyHtoDAsync_v2)(y, in, 256, s.stream[0]));
        OK(launch(f, 1, 64, s.stream[0], &x, &y, &a));
        OK(CU(cuEventCreate)(&e, CU_EVENT_DISABLE_TIMING));
        OK(CU(cuEventRecord)(e, s.stream[0]));
        OK(CU(cuStreamWaitEvent)(s.stream[1], e, 0));
        OK(launch(f, 1, 64, s.stream[1], &z, &x, &b));
        OK(CU(cuMemcpyDtoHAsync_v2)(out, z, 256, s.stream[1]));
        for (int i = 0; i < 64; i++) CHECK_NEAR(out[i], 6 * (float)i, 0);
        OK(CU(cuEventDestroy_v2)(e));
        close_session(&s);
    }
    CHECK(fake_said(NULL));
}

TEST(asking_again_and_again_ends)
{
    need_fake(1);
    for (int order = 0; order < 3; order++) {
        fake.order(order, 5);
        session s = open_session(1);
        CUfunction f = kernel(&s, scale_text, "scale");
        CUdeviceptr x = memory(&s, 256), y = memory(&s, 256);
        float a = 2;
        CUevent e;
        OK(CU(cuMemsetD32Async)(y, 0, 64, s.stream[0]));
        for (int i = 0; i < 10; i++) OK(launch(f, 1, 64, s.stream[0], &x, &y, &a));
        OK(CU(cuEventCreate)(&e, 0));
        OK(CU(cuEventRecord)(e, s.stream[0]));
        int code;
        while ((code = CU(cuEventQuery)(e)) == CUDA_ERROR_NOT_READY) {}
        CHECK_EQ(code, 0);
        while ((code = CU(cuStreamQuery)(s.stream[0])) == CUDA_ERROR_NOT_READY) {}
        CHECK_EQ(code, 0);
        OK(CU(cuEventDestroy_v2)(e));
        close_session(&s);
    }
    CHECK(fake_said(NULL));
}

static void add_one(void *p) { __atomic_fetch_add((int *)p, 1, __ATOMIC_SEQ_CST); }
static void call_back(void *p) { *(int *)p = CU(cuMemFree_v2)(0); }

TEST(host_functions_come_in_order_and_may_not_call)
{
    need_fake(1);
    session s = open_session(1);
    int count = 0, code = -1;
    for (int i = 0; i < 5; i++) OK(CU(cuLaunchHostFunc)(s.stream[0], add_one, &count));
    while (__atomic_load_n(&count, __ATOMIC_SEQ_CST) < 5) {} /* they come without anybody waiting */
    CHECK(fake_said(NULL));
    OK(CU(cuLaunchHostFunc)(s.stream[0], call_back, &code));
    OK(CU(cuStreamSynchronize)(s.stream[0]));
    CHECK_EQ(code, CUDA_ERROR_NOT_PERMITTED);
    CHECK(fake_said("callback: a host function calls cuMemFree_v2"));
    close_session(&s);
}

/* ---------------------------------------------------------------- memory */

static bool dies(void (*what)(void *), void *with)
{
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        what(with);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status);
}
static void read_it(void *p) { *(volatile char *)p; }
static void write_it(void *p) { *(volatile char *)p = 1; }

TEST(the_host_cannot_touch_device_memory)
{
    need_fake(1);
    session s = open_session(1);
    CUdeviceptr p = memory(&s, 100);
    CHECK(dies(read_it, (void *)p));
    CHECK(dies(write_it, (void *)p));
    CHECK(!dies(write_it, &s));
    close_session(&s);
    CHECK(fake_said(NULL));
}

TEST(memory_has_a_limit)
{
    need_fake(1);
    setenv("FAKECUDA_MEMORY", "1", 1);
    fake.reset();
    session s = open_session(1);
    CUdeviceptr p;
    size_t left, total;
    CHECK_EQ(CU(cuMemAlloc_v2)(&p, 2 << 20), CUDA_ERROR_OUT_OF_MEMORY);
    memory(&s, 1 << 19);
    OK(CU(cuMemGetInfo_v2)(&left, &total));
    CHECK_EQ(total, 1 << 20);
    CHECK_EQ(left, 1 << 19);
    CHECK_EQ(CU(cuMemAlloc_v2)(&p, (1 << 19) + 1), CUDA_ERROR_OUT_OF_MEMORY);
    close_session(&s);
    CHECK(fake_said(NULL));
    unsetenv("FAKECUDA_MEMORY");
    fake.reset();
}

/* Runs one kernel over two blocks of 256 bytes with a number; what it did wrong has to be said. */
static void kernel_says(const char *text, unsigned threads, int code, const char *words)
{
    fake.reset();
    session s = open_session(1);
    CUfunction f = kernel(&s, text, "k");
    CUdeviceptr x = memory(&s, 256), y = memory(&s, 256);
    OK(CU(cuMemsetD32Async)(x, 0, 64, s.stream[0]));
    OK(launch(f, 2, threads, s.stream[0], &x, &y));
    CHECK_EQ(CU(cuStreamSynchronize)(s.stream[0]), code);
    if (!CHECK(fake_said(words))) printf("  from %s\n", text);
    fake.reset();
    close_session(&s);
}
#define K(body) "extern \"C\" __global__ void k(float *x, float *y) { unsigned t = threadIdx.x, b = blockIdx.x; " body " }"

TEST(what_kernels_do_wrong_is_said)
{
    need_fake(1);
    kernel_says(K("x[32 * b + t] = t;"), 32, 0, NULL);
    kernel_says(K("if (b == 1) x[64] = t;"), 1, 700, "bounds: k writes 4 bytes at 256 of block");
    kernel_says(K("if (b == 1) y[t] = x[-1];"), 1, 700, "bounds: k reads 4 bytes");
    kernel_says(K("x[1000000000 + t] = 1;"), 1, 700, "bounds: k writes 4 bytes that belong to no block");
    kernel_says(K("*(float *)(char *)16 = 1;"), 1, 700, "host: kernel k writes 4 bytes of the host's memory");
    kernel_says(K("if (b == 1) *(float *)((char *)x + 2) = 1;"), 1, 716, "bounds: kernel k touches 4 bytes at an address that is no multiple");
    kernel_says(K("if (b) x[t] = y[t];"), 32, 0, "uninitialised: kernel k reads what nothing has written");
    kernel_says(K("x[t] = b;"), 32, 0, "race: two threads of kernel k touch, one writing, the same 4 bytes");
    kernel_says(K("if (b) x[t / 2] = b;"), 32, 0, "race: two threads of kernel k touch, one writing,");
    kernel_says(K("if (b) x[t] = x[(t + 1) % 32];"), 32, 0, "race: two threads of kernel k");
    kernel_says(K("if (b) { float v = x[(t + 1) % 32]; __syncthreads(); x[t] = v; }"), 32, 0, NULL);
    kernel_says(K("atomicAdd(x, 1.0f);"), 32, 0, NULL);
    kernel_says(K("atomicAdd(x, 1.0f); if (b && t == 3) x[0] = 1;"), 32, 0, "race: two threads of kernel k");
    kernel_says(K("__shared__ float s[32]; s[t] = t; x[32 * b + t] = s[31 - t];"), 32, 0, "race: two threads of kernel k touch the same shared");
    kernel_says(K("__shared__ float s[32]; s[t] = t; __syncthreads(); x[32 * b + t] = s[31 - t];"), 32, 0, NULL);
    kernel_says(K("__shared__ float s[64]; s[t] = t; __syncthreads(); x[32 * b + t] = s[32 + t];"), 32, 0, "uninitialised: kernel k reads shared memory");
    kernel_says(K("if (t < 3) return; __syncthreads();"), 32, 0, "barrier: 3 threads of a block of kernel k have returned while 29 wait");
    kernel_says(K("if (t < 3) {\n __syncthreads();\n } else {\n __syncthreads();\n }"), 32, 0, "barrier: threads of a block of kernel k wait at different barriers");
    kernel_says(K("if (t < 3) return; x[32 * b + t] = __shfl_down_sync(0xffffffffu, 1.0f, 4);"), 32, 0, "barrier: lanes of a warp");
    kernel_says(K("if (t > 3) x[32 * b + t] = __shfl_down_sync(0xfffffff0u, 1.0f, 4);"), 32, 0, NULL);
}

/* Memory whose size the launch says. */
TEST(dynamic_shared_memory_has_the_launch_s_size)
{
    static const char text[] = "extern \"C\" __global__ void k(float *x, int n)\n"
                               "{\n"
                               "    extern __shared__ float s[];\n"
                               "    for (int i = threadIdx.x; i < n; i += 32) s[i] = i;\n"
                               "    __syncthreads();\n"
                               "    x[threadIdx.x] = s[n - 1 - threadIdx.x];\n"
                               "}\n";
    need_fake(1);
    session s = open_session(1);
    CUfunction f = kernel(&s, text, "k");
    CUdeviceptr x = memory(&s, 128);
    int n = 100;
    float out[32];
    OK(CU(cuLaunchKernel)(f, 1, 1, 1, 32, 1, 1, 400, s.stream[0], (void *[]){&x, &n}, NULL));
    download(&s, out, x, 128);
    CHECK_NEAR(out[5], 94, 0);
    CHECK(fake_said(NULL));
    OK(CU(cuLaunchKernel)(f, 1, 1, 1, 32, 1, 1, 396, s.stream[0], (void *[]){&x, &n}, NULL));
    CHECK_EQ(CU(cuStreamSynchronize)(s.stream[0]), 700);
    CHECK(fake_said("bounds: kernel k uses 400 bytes of dynamic shared memory, launched with 396"));
    fake.reset();
    close_session(&s);
}

TEST(freeing_too_early_is_said)
{
    need_fake(1);
    fake.order(1, 1);
    session s = open_session(1);
    CUfunction f = kernel(&s, scale_text, "scale");
    CUdeviceptr x = memory(&s, 256), y, z;
    float a = 1;
    OK(CU(cuMemAlloc_v2)(&y, 256));
    OK(CU(cuMemsetD32Async)(y, 0, 64, s.stream[0]));
    OK(launch(f, 1, 64, s.stream[0], &x, &y, &a));
    OK(CU(cuMemFree_v2)(y));
    OK(CU(cuStreamSynchronize)(s.stream[0]));
    CHECK(fake_said("was freed while queued work (scale) still uses it"));
    fake.reset();
    OK(launch(f, 1, 64, s.stream[0], &x, &y, &a));
    CHECK_EQ(CU(cuStreamSynchronize)(s.stream[0]), 700);
    CHECK(fake_said("free: parameter 1 of kernel scale is in block"));
    CHECK(fake_said("free: scale reads block"));
    fake.reset();
    CHECK_EQ(CU(cuMemFree_v2)(y), CUDA_ERROR_INVALID_VALUE);
    CHECK(fake_said("which is freed"));
    CHECK_EQ(CU(cuMemFree_v2)(x + 4), CUDA_ERROR_INVALID_VALUE);
    CHECK(fake_said("free: cuMemFree of an address that it did not give"));
    fake.reset();
    /* the work is over, but nobody has waited: a driver might still be at it */
    fake.order(2, 1);
    OK(CU(cuMemAlloc_v2)(&z, 256));
    OK(CU(cuMemsetD32Async)(z, 0, 64, s.stream[0]));
    OK(CU(cuMemFree_v2)(z));
    CHECK(fake_said("before the host has waited for work that used it"));
    fake.reset();
    void *p = pinned(64);
    OK(CU(cuMemcpyHtoDAsync_v2)(x, p, 64, s.stream[0]));
    OK(CU(cuMemFreeHost)(p));
    CHECK(fake_said("free: cuMemFreeHost of block"));
    close_session(&s);
}

TEST(copies_stay_inside)
{
    need_fake(1);
    session s = open_session(1);
    CUdeviceptr x = memory(&s, 256), y = memory(&s, 256);
    static float host[512];
    CHECK_EQ(CU(cuMemcpyHtoDAsync_v2)(x + 4, host, 256, s.stream[0]), CUDA_ERROR_INVALID_VALUE);
    CHECK(fake_said("bounds: cuMemcpyHtoDAsync of 256 bytes to memory that is no block or ends before"));
    fake.reset();
    CHECK_EQ(CU(cuMemcpyDtoDAsync_v2)(x, y + 256, 4, s.stream[0]), CUDA_ERROR_INVALID_VALUE);
    CHECK(fake_said("bounds: cuMemcpyDtoDAsync of 4 bytes from memory"));
    fake.reset();
    float *p = pinned(64);
    CHECK_EQ(CU(cuMemcpyHtoDAsync_v2)(x, p, 68, s.stream[0]), CUDA_ERROR_INVALID_VALUE);
    CHECK(fake_said("with host memory that is too short"));
    OK(CU(cuMemFreeHost)(p));
    fake.reset();
    CHECK_EQ(CU(cuMemcpyHtoDAsync_v2)(x, (void *)y, 4, s.stream[0]), CUDA_ERROR_INVALID_VALUE);
    CHECK(fake_said("with host memory that is a device's"));
    fake.reset();
    OK(CU(cuMemsetD32Async)(x, 1, 64, s.stream[0]));
    OK(CU(cuMemcpyDtoDAsync_v2)(x, x + 4, 8, s.stream[0]));
    CHECK(fake_said("parts that overlap"));
    close_session(&s);
}

/* ---------------------------------------------------------------- order of streams */

TEST(two_streams_without_order_race)
{
    need_fake(1);
    for (int order = 0; order < 3; order++) {
        fake.order(order, 3);
        session s = open_session(1);
        CUfunction f = kernel(&s, scale_text, "scale");
        CUdeviceptr x = memory(&s, 256), y = memory(&s, 256), z = memory(&s, 256);
        float a = 2, *p = pinned(256);
        memset(p, 0, 256);
        OK(CU(cuMemcpyHtoDAsync_v2)(y, p, 256, s.stream[0]));
        OK(launch(f, 1, 64, s.stream[1], &x, &y, &a)); /* does not wait for the copy */
        OK(CU(cuStreamSynchronize)(s.stream[1]));
        OK(CU(cuStreamSynchronize)(s.stream[0]));
        CHECK(fake_said("that no event or wait orders before it"));
        fake.reset();
        fake.order(order, 3);
        OK(launch(f, 1, 64, s.stream[0], &x, &y, &a)); /* the host has waited: fine; two readers: fine */
        OK(launch(f, 1, 64, s.stream[1], &z, &y, &a));
        OK(CU(cuStreamSynchronize)(s.stream[0]));
        OK(CU(cuStreamSynchronize)(s.stream[1]));
        CHECK(fake_said(NULL));
        OK(launch(f, 1, 64, s.stream[0], &x, &y, &a)); /* one writes what the other reads */
        OK(launch(f, 1, 64, s.stream[1], &z, &x, &a));
        OK(CU(cuStreamSynchronize)(s.stream[0]));
        OK(CU(cuStreamSynchronize)(s.stream[1]));
        CHECK(fake_said("race: "));
        fake.reset();
        OK(CU(cuMemcpyDtoHAsync_v2)(p, x, 256, s.stream[0])); /* two copies into one staging buffer */
        OK(CU(cuMemcpyDtoHAsync_v2)(p, z, 256, s.stream[1]));
        OK(CU(cuStreamSynchronize)(s.stream[0]));
        OK(CU(cuStreamSynchronize)(s.stream[1]));
        CHECK(fake_said("of pinned block"));
        fake.reset();
        OK(CU(cuMemFreeHost)(p));
        close_session(&s);
    }
    CHECK(fake_said(NULL));
}

/* Memory freed after an event on another stream is waited for by the host is not "in use". */
TEST(waiting_for_an_event_covers_what_it_follows)
{
    need_fake(1);
    session s = open_session(1);
    CUdeviceptr x;
    CUevent e, late;
    OK(CU(cuMemAlloc_v2)(&x, 256));
    OK(CU(cuEventCreate)(&e, 0));
    OK(CU(cuEventCreate)(&late, 0));
    OK(CU(cuMemsetD32Async)(x, 0, 64, s.stream[0]));
    OK(CU(cuEventRecord)(e, s.stream[0]));
    OK(CU(cuStreamWaitEvent)(s.stream[1], e, 0));
    OK(CU(cuEventRecord)(late, s.stream[1]));
    OK(CU(cuEventSynchronize)(late));
    OK(CU(cuMemFree_v2)(x));
    CHECK(fake_said(NULL));
    float ms = -1;
    OK(CU(cuEventElapsedTime)(&ms, e, late));
    CHECK(ms >= 0);
    OK(CU(cuEventDestroy_v2)(e));
    OK(CU(cuEventDestroy_v2)(late));
    close_session(&s);
    CHECK(fake_said(NULL));
}
