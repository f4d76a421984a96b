/* The fake CUDA driver does what it promises: kernels run, work is late, and each rule that can be broken is broken once
 * and has to be reported. A fake that reports nothing would be worth nothing. */
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
