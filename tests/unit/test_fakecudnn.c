/* The fake cuDNN looks at what it is told: each mistake is made once and has to be reported. */
#include "support/fake_session.h"
#include "places.h"

static void *library;

static void *dnn_symbol(const char *name)
{
    if (!library) library = dlopen(SITU_FAKECUDA_DIR "/libcudnn.so", RTLD_NOW | RTLD_LOCAL);
    return fake_symbol(library, name);
}

/* The library's functions by their own types, with handles as addresses. */
static int create(void **p) { return (*(int (*)(void **))dnn_symbol("cudnnCreate"))(p); }
static int destroy(void *p) { return (*(int (*)(void *))dnn_symbol("cudnnDestroy"))(p); }
static int set_stream(void *p, void *s) { return (*(int (*)(void *, void *))dnn_symbol("cudnnSetStream"))(p, s); }
static int make(int kind, void **p) { return (*(int (*)(int, void **))dnn_symbol("cudnnBackendCreateDescriptor"))(kind, p); }
static int drop(void *p) { return (*(int (*)(void *))dnn_symbol("cudnnBackendDestroyDescriptor"))(p); }
static int finalize(void *p) { return (*(int (*)(void *))dnn_symbol("cudnnBackendFinalize"))(p); }
static int execute(void *h, void *plan, void *pack) { return (*(int (*)(void *, void *, void *))dnn_symbol("cudnnBackendExecute"))(h, plan, pack); }
static int set(void *p, int attribute, int type, int64_t count, const void *values)
{
    return (*(int (*)(void *, int, int, int64_t, const void *))dnn_symbol("cudnnBackendSetAttribute"))(p, attribute, type, count, values);
}
static int get(void *p, int attribute, int type, int64_t room, int64_t *count, void *out)
{
    return (*(int (*)(void *, int, int, int64_t, int64_t *, void *))dnn_symbol("cudnnBackendGetAttribute"))(p, attribute, type, room, count, out);
}

enum { HANDLE, DATA, INT = 3, FLOAT, DOUBLE, POINTER, MODE, HEURISTIC, NOTE = 11, DESCRIPTOR = 15 };

static void expect(int code, int expected, const char *words, int line)
{
    if (!CHECK_EQ(code, expected) || !CHECK(fake_said(words))) printf("  at line %d\n", line);
    fake.reset();
}
#define EXPECT(call, code, words) expect(call, code, words, __LINE__)

static void *new_of(int kind)
{
    void *p = NULL;
    OK(make(kind, &p));
    return p;
}

/* Of f32. */
static void *tensor(int64_t number, int64_t a, int64_t b, int64_t c, int64_t d)
{
    const int type = 0;
    const int64_t alignment = 16, dim[] = {a, b, c, d}, stride[] = {b * c * d, c * d, d, 1};
    void *t = new_of(17);
    OK(set(t, 901, DATA, 1, &type));
    OK(set(t, 902, INT, 4, dim));
    OK(set(t, 903, INT, 4, stride));
    OK(set(t, 906, INT, 1, &number));
    OK(set(t, 900, INT, 1, &alignment));
    OK(finalize(t));
    return t;
}

static void *convolution(int64_t padding)
{
    const int type = 0, mode = 1;
    const int64_t axes = 2, ones[] = {1, 1}, paddings[] = {padding, padding};
    void *c = new_of(1);
    OK(set(c, 100, DATA, 1, &type));
    OK(set(c, 101, MODE, 1, &mode));
    OK(set(c, 102, INT, 2, ones));
    OK(set(c, 103, INT, 2, ones));
    OK(set(c, 104, INT, 2, paddings));
    OK(set(c, 105, INT, 2, paddings));
    OK(set(c, 106, INT, 1, &axes));
    OK(finalize(c));
    return c;
}

/* Forward; not finalized. */
static void *operation(void *c, void *x, void *w, void *y)
{
    const float one = 1, zero = 0;
    void *o = new_of(10);
    OK(set(o, 702, DESCRIPTOR, 1, &c));
    OK(set(o, 703, DESCRIPTOR, 1, &w));
    OK(set(o, 704, DESCRIPTOR, 1, &x));
    OK(set(o, 705, DESCRIPTOR, 1, &y));
    OK(set(o, 700, FLOAT, 1, &one));
    OK(set(o, 701, FLOAT, 1, &zero));
    return o;
}

/* A 3 by 3 kernel over 4 by 4 places, and the plan of the engine whose number is `which` in the order of proposals. */
typedef struct work { void *handle, *tensor[3], *convolution, *operation, *graph, *heuristics, *config[9], *plan; int64_t configs, workspace; } work;

static work open_work(session *s, int which)
{
    work w = {0};
    const int mode = 3;
    int64_t count = 0;
    OK(create(&w.handle));
    OK(set_stream(w.handle, s->stream[0]));
    w.tensor[0] = tensor(7, 1, 1, 4, 4);
    w.tensor[1] = tensor(8, 1, 1, 3, 3);
    w.tensor[2] = tensor(9, 1, 1, 2, 2);
    w.convolution = convolution(0);
    w.operation = operation(w.convolution, w.tensor[0], w.tensor[1], w.tensor[2]);
    OK(finalize(w.operation));
    w.graph = new_of(15);
    OK(set(w.graph, 800, HANDLE, 1, &w.handle));
    OK(set(w.graph, 801, DESCRIPTOR, 1, &w.operation));
    OK(finalize(w.graph));
    w.heuristics = new_of(4);
    OK(set(w.heuristics, 201, DESCRIPTOR, 1, &w.graph));
    OK(set(w.heuristics, 200, HEURISTIC, 1, &mode));
    OK(finalize(w.heuristics));
    OK(get(w.heuristics, 202, DESCRIPTOR, 0, &w.configs, NULL));
    CHECK_EQ(w.configs, 8);
    for (int i = 0; i < w.configs; i++) w.config[i] = new_of(3);
    OK(get(w.heuristics, 202, DESCRIPTOR, w.configs, &count, w.config));
    CHECK_EQ(count, w.configs);
    w.plan = new_of(5);
    OK(set(w.plan, 400, HANDLE, 1, &w.handle));
    OK(set(w.plan, 401, DESCRIPTOR, 1, &w.config[which]));
    OK(finalize(w.plan));
    OK(get(w.plan, 402, INT, 1, &count, &w.workspace));
    return w;
}

static void close_work(work *w)
{
    for (int i = 0; i < 3; i++) OK(drop(w->tensor[i]));
    for (int i = 0; i < w->configs; i++) OK(drop(w->config[i]));
    OK(drop(w->convolution));
    OK(drop(w->operation));
    OK(drop(w->graph));
    OK(drop(w->heuristics));
    OK(drop(w->plan));
    OK(destroy(w->handle));
}

static void *pack_of(int64_t first, CUdeviceptr x, CUdeviceptr k, CUdeviceptr y, CUdeviceptr workspace)
{
    const int64_t number[] = {first, 8, 9};
    const CUdeviceptr at[] = {x, k, y};
    void *p = new_of(16);
    OK(set(p, 1000, INT, 3, number));
    OK(set(p, 1001, POINTER, 3, at));
    OK(set(p, 1003, POINTER, 1, &workspace));
    OK(finalize(p));
    return p;
}

TEST(a_convolution_comes_in_the_order_of_its_stream)
{
    need_fake(1);
    fake.order(1, 1);
    session s = open_session(1);
    work w = open_work(&s, 7);
    float numbers[16], out[4];
    for (int i = 0; i < 16; i++) numbers[i] = (float)i;
    CHECK_EQ(w.workspace, 16);
    CUdeviceptr x = upload(&s, numbers, 64), k = upload(&s, numbers, 36), y = memory(&s, 16), more = memory(&s, 256);
    void *pack = pack_of(7, x, k, y, more);
    OK(execute(w.handle, w.plan, pack));
    download(&s, out, y, sizeof out);
    for (int at = 0; at < 4; at++) {
        float sum = 0;
        for (int i = 0; i < 9; i++) sum += (float)i * numbers[(at / 2 + i / 3) * 4 + at % 2 + i % 3];
        CHECK(out[at] == sum);
    }
    OK(set_stream(w.handle, s.stream[1]));
    OK(execute(w.handle, w.plan, pack));
    OK(set_stream(w.handle, s.stream[0]));
    OK(execute(w.handle, w.plan, pack));
    OK(CU(cuStreamSynchronize)(s.stream[0]));
    OK(CU(cuStreamSynchronize)(s.stream[1]));
    CHECK(fake_said("race: cudnnBackendExecute on device 0 overwrites"));
    fake.reset();
    OK(drop(pack));
    close_work(&w);
    close_session(&s);
    CHECK(fake_said(NULL));
}

TEST(mistakes_of_descriptors_are_said)
{
    need_fake(1);
    session s = open_session(1);
    work w = open_work(&s, 7);
    const int type = 0;
    const int64_t numbers[] = {1, 1, 4, 4, 0};
    int64_t count;
    void *t = new_of(17), *p = NULL;
    EXPECT(make(99, &p), 3000, "a descriptor that the fake does not know");
    EXPECT(set(t, 901, INT, 1, numbers), 2010, "cudnn: an attribute is set as another type");
    EXPECT(set(t, 902, INT, 9, numbers), 2000, "too few or too many values");
    EXPECT(set(t, 100, DATA, 1, &type), 3000, "or that this descriptor has not");
    EXPECT(set(t, 901, DATA, 1, &type), 0, NULL);
    EXPECT(set(t, 901, DATA, 1, &type), 2000, "an attribute is set twice");
    EXPECT(finalize(t), 2000, "finalized without all of its attributes");
    EXPECT(get(t, 901, DATA, 1, &count, &p), 2004, "an attribute of a descriptor that is not finalized is read");
    void *o = new_of(10);
    EXPECT(set(o, 704, DESCRIPTOR, 1, &t), 2004, "an attribute is set to a descriptor that is not finalized");
    EXPECT(set(o, 704, DESCRIPTOR, 1, &w.convolution), 2000, "an attribute is set to a descriptor of another kind");
    EXPECT(set(w.tensor[0], 906, INT, 1, numbers), 3000, "an attribute of a finalized descriptor is set");
    EXPECT(finalize(w.tensor[0]), 2000, "finalized twice");
    EXPECT(get(w.heuristics, 202, DESCRIPTOR, 1, &count, w.config), 2000, "an answer into a descriptor that has one");
    EXPECT(get(w.plan, 402, FLOAT, 1, &count, &p), 2010, "or as another type");
    OK(drop(t));
    EXPECT(drop(o), 0, NULL);
    EXPECT(destroy(w.handle), 0, "leak: the last cudnnDestroy with");
    OK(create(&w.handle));
    close_work(&w);
    close_session(&s);
    CHECK(fake_said(NULL));
}

TEST(mistakes_of_operations_are_said)
{
    need_fake(1);
    session s = open_session(1);
    work w = open_work(&s, 7);
    const double one = 1;
    void *y = tensor(9, 1, 1, 4, 4), *more = convolution(1);
    void *o = operation(w.convolution, w.tensor[0], w.tensor[1], y);
    EXPECT(finalize(o), 2008, "results of another height or width");
    OK(drop(o));
    OK(finalize(o = operation(more, w.tensor[0], w.tensor[1], y)));
    OK(drop(o));
    o = operation(w.convolution, w.tensor[0], w.tensor[1], w.tensor[1]);
    EXPECT(finalize(o), 2008, "results of another height or width");
    OK(drop(o));
    o = new_of(10);
    OK(set(o, 702, DESCRIPTOR, 1, &w.convolution));
    OK(set(o, 703, DESCRIPTOR, 1, &w.tensor[1]));
    OK(set(o, 704, DESCRIPTOR, 1, &w.tensor[0]));
    OK(set(o, 705, DESCRIPTOR, 1, &w.tensor[2]));
    OK(set(o, 700, DOUBLE, 1, &one));
    OK(set(o, 701, DOUBLE, 1, &one));
    EXPECT(finalize(o), 2010, "factors that are not of the type of the computation");
    OK(drop(o));
    OK(drop(y));
    OK(drop(more));
    close_work(&w);
    close_session(&s);
    CHECK(fake_said(NULL));
}

TEST(mistakes_of_executions_are_said)
{
    need_fake(1);
    session s = open_session(1);
    work w = open_work(&s, 7);
    float numbers[16] = {0};
    void *other, *bad;
    CUdeviceptr x = upload(&s, numbers, 64), k = upload(&s, numbers, 36), y = memory(&s, 16), more = memory(&s, 512);
    const struct { int64_t first; CUdeviceptr x, y, workspace; int code; const char *words; } cases[] = {
        {6, x, y, more, 2000, "a pack in which a tensor is missing or comes twice"}, {8, x, y, more, 2000, "a pack in which a tensor is missing or comes twice"},
        {7, 0, y, more, 2000, "a pack in which a tensor is missing"}, {7, x + 4, y, more, 2003, "less aligned than its tensor was said to be"},
        {7, x, y, 0, 2000, "a plan that wants a workspace gets none"}, {7, x, y, more + 16, 2003, "a workspace that is not aligned to 256 bytes"},
        {7, x + 16, y, more, 5000, "bounds: cudnnBackendExecute with 64 bytes that are in no block or go beyond"},
        {7, x, x, more, 5000, "bounds: cudnnBackendExecute writes where it reads"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bad = pack_of(cases[i].first, cases[i].x, k, cases[i].y, cases[i].workspace);
        EXPECT(execute(w.handle, w.plan, bad), cases[i].code, cases[i].words);
        OK(drop(bad));
    }
    OK(create(&other));
    bad = pack_of(7, x, k, y, more);
    EXPECT(execute(other, w.plan, bad), 2000, "with another handle than its own");
    EXPECT(execute(w.handle, bad, bad), 2000, "something else than a plan and a pack");
    EXPECT(set_stream(other, NULL), 0, NULL);
    OK(destroy(other));
    OK(set_stream(w.handle, NULL));
    EXPECT(execute(w.handle, w.plan, bad), 5000, "handle: cudnnBackendExecute with no stream");
    OK(drop(bad));
    close_work(&w);
    close_session(&s);
    CHECK(fake_said(NULL));
}
