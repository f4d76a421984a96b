/* The fake cuBLASLt looks at what it is told: each mistake is made once and has to be reported. */
#include "support/fake_session.h"
#include "places.h"

static void *library;

static void *lt_symbol(const char *name)
{
    if (!library) library = dlopen(SITU_FAKECUDA_DIR "/libcublasLt.so", RTLD_NOW | RTLD_LOCAL);
    return fake_symbol(library, name);
}

/* The library's functions by their own types, with handles as addresses. */
static int create(void **p) { return (*(int (*)(void **))lt_symbol("cublasLtCreate"))(p); }
static int destroy(void *p) { return (*(int (*)(void *))lt_symbol("cublasLtDestroy"))(p); }
static int new_desc(void **p, int compute, int scale) { return (*(int (*)(void **, int, int))lt_symbol("cublasLtMatmulDescCreate"))(p, compute, scale); }
static int free_desc(void *p) { return (*(int (*)(void *))lt_symbol("cublasLtMatmulDescDestroy"))(p); }
static int free_layout(void *p) { return (*(int (*)(void *))lt_symbol("cublasLtMatrixLayoutDestroy"))(p); }
static int new_preference(void **p) { return (*(int (*)(void **))lt_symbol("cublasLtMatmulPreferenceCreate"))(p); }
static int free_preference(void *p) { return (*(int (*)(void *))lt_symbol("cublasLtMatmulPreferenceDestroy"))(p); }
static int set_desc(void *p, int attribute, int32_t value)
{
    return (*(int (*)(void *, int, const void *, size_t))lt_symbol("cublasLtMatmulDescSetAttribute"))(p, attribute, &value, sizeof value);
}
static int set_layout(void *p, int attribute, const void *value, size_t size)
{
    return (*(int (*)(void *, int, const void *, size_t))lt_symbol("cublasLtMatrixLayoutSetAttribute"))(p, attribute, value, size);
}
static void *layout(int type, uint64_t rows, uint64_t columns, int64_t leading)
{
    void *p = NULL;
    OK((*(int (*)(void **, int, uint64_t, uint64_t, int64_t))lt_symbol("cublasLtMatrixLayoutCreate"))(&p, type, rows, columns, leading));
    return p;
}

typedef struct choice { uint64_t algorithm[8]; size_t workspace; int state; float waves; int reserved[4]; } choice;
static int choose(void *handle, void *desc, void *a, void *b, void *d, uint64_t workspace, choice *c)
{
    void *p;
    int count = 0;
    OK(new_preference(&p));
    OK((*(int (*)(void *, int, const void *, size_t))lt_symbol("cublasLtMatmulPreferenceSetAttribute"))(p, 1, &workspace, sizeof workspace));
    int code = (*(int (*)(void *, void *, void *, void *, void *, void *, void *, int, choice *, int *))lt_symbol("cublasLtMatmulAlgoGetHeuristic"))(handle, desc, a, b, d, d, p, 1, c, &count);
    OK(free_preference(p));
    CHECK(code || count == 1);
    return code;
}

typedef struct product { void *handle, *desc, *a, *b, *d; CUdeviceptr x, y, z, workspace; CUstream stream; } product;

static int multiply(const product *p, const choice *c, size_t workspace)
{
    const float one = 1, zero = 0;
    return (*(int (*)(void *, void *, const void *, const void *, void *, const void *, void *, const void *, const void *, void *, void *, void *, const void *,
                      void *, size_t, void *))lt_symbol("cublasLtMatmul"))(p->handle, p->desc, &one, (void *)p->x, p->a, (void *)p->y, p->b, &zero, (void *)p->z, p->d,
                                                                           (void *)p->z, p->d, c ? c->algorithm : NULL, (void *)p->workspace, workspace, p->stream);
}

static void expect(int code, int expected, const char *words, int line)
{
    if (!CHECK_EQ(code, expected) || !CHECK(fake_said(words))) printf("  at line %d\n", line);
    fake.reset();
}
#define EXPECT(call, code, words) expect(call, code, words, __LINE__)

/* z = x y by columns: 4 x 100 times 100 x 3. */
static product open_product(session *s)
{
    static float numbers[400];
    product p = {.stream = s->stream[0]};
    OK(create(&p.handle));
    OK(new_desc(&p.desc, 68, 0));
    p.a = layout(0, 4, 100, 4);
    p.b = layout(0, 100, 3, 100);
    p.d = layout(0, 4, 3, 4);
    for (int i = 0; i < 400; i++) numbers[i] = (float)(i % 5);
    p.x = upload(s, numbers, 1600);
    p.y = upload(s, numbers, 1200);
    p.z = memory(s, 64);
    p.workspace = memory(s, 4096);
    return p;
}

static void close_product(product *p)
{
    OK(free_layout(p->a));
    OK(free_layout(p->b));
    OK(free_layout(p->d));
    OK(free_desc(p->desc));
    OK(destroy(p->handle));
}

TEST(a_product_comes_in_the_order_of_its_stream)
{
    need_fake(1);
    fake.order(1, 1);
    session s = open_session(1);
    product p = open_product(&s);
    choice c;
    float out[12], sum = 0;
    EXPECT(choose(p.handle, p.desc, p.a, p.b, p.d, 4096, &c), 0, NULL);
    CHECK(c.workspace > 0);
    OK(multiply(&p, &c, c.workspace));
    download(&s, out, p.z, sizeof out);
    for (int q = 0; q < 100; q++) sum += (float)((1 + 4 * q) % 5) * (float)((200 + q) % 5);
    CHECK_NEAR(out[1 + 4 * 2], sum, 0);
    OK(multiply(&p, &c, c.workspace));
    p.stream = s.stream[1];
    OK(multiply(&p, &c, c.workspace));
    OK(CU(cuStreamSynchronize)(s.stream[0]));
    OK(CU(cuStreamSynchronize)(s.stream[1]));
    CHECK(fake_said("race: cublasLtMatmul on device 0 overwrites"));
    fake.reset();
    close_product(&p);
    close_session(&s);
    CHECK(fake_said(NULL));
}

TEST(mistakes_of_calls_are_said)
{
    need_fake(1);
    session s = open_session(1);
    product p = open_product(&s), bad = p;
    choice c, other;
    EXPECT(choose(p.handle, p.desc, p.a, p.b, p.d, 4096, &c), 0, NULL);
    EXPECT(multiply(&p, &c, 0), 7, "cublaslt: less workspace than the algorithm needs");
    bad.workspace += 16;
    EXPECT(multiply(&bad, &c, c.workspace), 7, "a workspace that is not aligned to 256 bytes");
    bad = p;
    bad.x += 16;
    EXPECT(multiply(&bad, &c, c.workspace), 7, "less aligned than the heuristic was told");
    bad = p;
    bad.z = p.x;
    EXPECT(multiply(&bad, &c, c.workspace), 13, "bounds: cublasLtMatmul writes where it reads");
    bad.z = p.y + 1200;
    EXPECT(multiply(&bad, NULL, 0), 13, "bounds: cublasLtMatmul with 48 bytes that are in no block or go beyond");
    bad = p;
    bad.stream = NULL;
    EXPECT(multiply(&bad, &c, c.workspace), 13, "handle: cublasLtMatmul with no stream");
    bad = p;
    bad.a = layout(0, 3, 100, 4);
    EXPECT(multiply(&bad, NULL, 0), 7, "matrices whose shapes do not fit");
    OK(free_layout(bad.a));
    bad.a = layout(0, 100, 4, 4);
    EXPECT(multiply(&bad, NULL, 0), 7, "a leading dimension that is less than the rows");
    OK(free_layout(bad.a));
    bad.a = layout(1, 4, 100, 4);
    EXPECT(multiply(&bad, NULL, 0), 15, "types that do not go together");
    OK(free_layout(bad.a));
    bad.a = layout(0, 100, 4, 100);
    EXPECT(set_desc(p.desc, 3, 1), 0, NULL);
    EXPECT(choose(p.handle, p.desc, bad.a, p.b, p.d, 0, &other), 0, NULL);
    CHECK_EQ(other.workspace, 0);
    EXPECT(multiply(&bad, &c, c.workspace), 7, "an algorithm that was chosen for another product");
    EXPECT(multiply(&bad, &other, 0), 0, NULL);
    int32_t batch = 2;
    EXPECT(set_layout(bad.a, 5, &batch, 8), 7, "an attribute is set with the wrong size");
    EXPECT(set_layout(bad.a, 5, &batch, 4), 0, NULL);
    EXPECT(multiply(&bad, NULL, 0), 7, "batches of different numbers");
    EXPECT(destroy(p.handle), 0, "leak: cublasLtDestroy with 5 descriptions left");
    OK(create(&p.handle));
    OK(free_layout(bad.a));
    close_product(&p);
    close_session(&s);
    CHECK(fake_said(NULL));
}

static int set_bias(void *p, CUdeviceptr at)
{
    return (*(int (*)(void *, int, const void *, size_t))lt_symbol("cublasLtMatmulDescSetAttribute"))(p, 8, &at, sizeof at);
}

/* z = max(x y + bias by rows, 0). */
TEST(epilogues_do_what_follows)
{
    need_fake(1);
    session s = open_session(1);
    product p = open_product(&s);
    choice c;
    float rows[4] = {-100, 3, -1000, 0.5f}, out[12], plain[12];
    CUdeviceptr bias = upload(&s, rows, sizeof rows);
    EXPECT(choose(p.handle, p.desc, p.a, p.b, p.d, 0, &c), 0, NULL);
    OK(multiply(&p, &c, 0));
    download(&s, plain, p.z, sizeof plain);
    EXPECT(set_desc(p.desc, 7, 3), 0, NULL);
    EXPECT(choose(p.handle, p.desc, p.a, p.b, p.d, 0, &c), 15, "cublaslt: an epilogue that the fake does not know");
    EXPECT(set_desc(p.desc, 7, 6), 0, NULL);
    EXPECT(choose(p.handle, p.desc, p.a, p.b, p.d, 0, &c), 7, "cublaslt: an epilogue with a bias that is nowhere");
    EXPECT(set_bias(p.desc, bias), 0, NULL);
    EXPECT(multiply(&p, &c, 0), 7, "an algorithm that was chosen for another product");
    EXPECT(choose(p.handle, p.desc, p.a, p.b, p.d, 0, &c), 0, NULL);
    OK(multiply(&p, &c, 0));
    download(&s, out, p.z, sizeof out);
    for (int i = 0; i < 12; i++) {
        float x = plain[i] + rows[i % 4];
        CHECK(out[i] == (x > 0 ? x : 0));
    }
    EXPECT(set_bias(p.desc, bias + 4), 0, NULL);
    EXPECT(multiply(&p, &c, 0), 7, "a bias that is less aligned");
    EXPECT(set_bias(p.desc, bias + 2), 0, NULL);
    EXPECT(multiply(&p, NULL, 0), 7, "a bias that is not aligned to its type");
    EXPECT(set_bias(p.desc, p.z), 0, NULL);
    EXPECT(multiply(&p, NULL, 0), 13, "bounds: cublasLtMatmul writes where it reads");
    close_product(&p);
    close_session(&s);
    CHECK(fake_said(NULL));
}
