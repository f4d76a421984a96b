/* The CUDA backend's waits, on the fake driver, which does work as late as it may (FAKECUDA_ORDER=lazy) or in an order
 * drawn from a seed: a wait that is missing shows as wrong numbers or as a race that the driver reports. Each test was
 * seen to fail with the wait that it is about taken out of backend/cuda/memory.c. */
#include <situ.h>

#include "support/fake_cuda.h"

static int (*violations)(char *text, size_t size);
static int (*living)(char *text, size_t size);

/* True in a process with two fake GPUs; runs the test under several orders. */
static bool in_any_order(const char *name, const char *more)
{
    static const char *const orders[] = {"FAKECUDA_ORDER=lazy", "FAKECUDA_SEED=1", "FAKECUDA_SEED=2", "FAKECUDA_ORDER=eager"};
    char filter[128], environment[512];
    snprintf(filter, sizeof filter, "cuda_order/%s", name);
    if (!getenv("SITU_TEST_AGAIN")) {
        for (int i = 0; i < 4; i++) {
            snprintf(environment, sizeof environment, "%s %s", orders[i], more);
            on_fake_cuda(filter, environment);
        }
        return false;
    }
    CHECK_EQ(situ_num_gpus(), 2);
    *(void **)&violations = fake_cuda_symbol("fakecuda_violations");
    *(void **)&living = fake_cuda_symbol("fakecuda_live");
    return true;
}

static void expect_tidy(void)
{
    static char text[4096];
    CHECK_OK();
    situ_shutdown();
    if (!CHECK_EQ(violations(text, sizeof text), 0)) printf("%s", text);
    if (!CHECK_EQ(living(text, sizeof text), 0)) printf("%s", text);
}

/* More uploads than there are pinned staging buffers, without waiting for any of them. */
TEST(many_uploads)
{
    enum { TENSORS = 30, N = 1000 };
    if (!in_any_order("many_uploads", "")) return;
    situ_scope *scope = situ_scope_open();
    situ_tensor *t[TENSORS];
    float data[N];
    for (int i = 0; i < TENSORS; i++) {
        for (int k = 0; k < N; k++) data[k] = (float)(i * N + k);
        t[i] = situ_from_host(data, SHAPE(N), .device = situ_gpu(i % 2));
    }
    for (int i = 0; i < TENSORS; i++) {
        CHECK_EQ(situ_read(t[i], data, sizeof data), 0);
        int wrong = 0;
        for (int k = 0; k < N; k++) wrong += data[k] != (float)(i * N + k);
        if (!CHECK_EQ(wrong, 0)) printf("  tensor %d\n", i);
    }
    situ_scope_close(scope);
    expect_tidy();
}

/* An upload of several pieces, and a download of as many. */
TEST(large_uploads)
{
    enum { N = 5 << 20 };
    if (!in_any_order("large_uploads", "FAKECUDA_TRACK=0")) return;
    situ_scope *scope = situ_scope_open();
    float *data = malloc(N * sizeof *data), *back = malloc(N * sizeof *data);
    for (int k = 0; k < N; k++) data[k] = (float)k;
    situ_tensor *t = situ_from_host(data, SHAPE(N), .device = situ_gpu());
    memset(data, 0, N * sizeof *data);
    CHECK_EQ(situ_read(t, back, N * sizeof *back), 0);
    int wrong = 0;
    for (int k = 0; k < N; k++) wrong += back[k] != (float)k;
    CHECK_EQ(wrong, 0);
    situ_scope_close(scope);
    free(data);
    free(back);
    expect_tidy();
}

/* Frees blocks while their uploads are still running. Each is larger than the one before, so none is reused, and they
 * do not all fit into memory. */
TEST(memory_freed_on_its_way_up)
{
    if (!in_any_order("memory_freed", "FAKECUDA_MEMORY=3")) return;
    static float data[1 << 20];
    for (int i = 0; i < 12; i++) {
        situ_scope *scope = situ_scope_open();
        situ_from_host(data, SHAPE((1 << 18) + i * 9000), .device = situ_gpu());
        situ_scope_close(scope);
    }
    expect_tidy();
}

/* One plan, in which the CPU uploads a second value to the memory from which the first one was read. */
TEST(an_upload_waits_for_who_reads_what_was_there)
{
    enum { N = 4096 };
    if (!in_any_order("an_upload_waits", "")) return;
    float x[N], sums[2];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 10);
    for (int round = 0; round < 3; round++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *host = situ_from_host(x, SHAPE(N)), *y = NULL;
        for (int i = 0; i < 6; i++) {
            situ_tensor *sent = situ_to(situ_mul(host, (float)(i + 1)), situ_gpu());
            situ_tensor *part = situ_sum(sent);
            y = y ? situ_add(y, part) : part;
        }
        CHECK_EQ(situ_read(y, &sums[round > 0], sizeof(float)), 0);
        CHECK(round == 0 || sums[1] == sums[0]);
        situ_scope_close(scope);
    }
    expect_tidy();
}

/* Values copied from one card to the other and back, with kernels in between. */
TEST(from_card_to_card)
{
    enum { N = 3000 };
    if (!in_any_order("from_card_to_card", "")) return;
    float x[N], back[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 50);
    situ_scope *scope = situ_scope_open();
    situ_tensor *t = situ_from_host(x, SHAPE(N), .device = situ_gpu(0));
    for (int i = 1; i <= 7; i++) t = situ_to(situ_add(t, 1), situ_gpu(i % 2));
    CHECK_EQ(situ_read(t, back, sizeof back), 0);
    int wrong = 0;
    for (int i = 0; i < N; i++) wrong += back[i] != x[i] + 7;
    CHECK_EQ(wrong, 0);
    /* copies to the other card what was only just uploaded to one */
    CHECK_EQ(situ_read(situ_to(situ_from_host(x, SHAPE(N), .device = situ_gpu(1)), situ_gpu(0)), back, sizeof back), 0);
    CHECK(!memcmp(x, back, sizeof x));
    situ_scope_close(scope);
    expect_tidy();
}
