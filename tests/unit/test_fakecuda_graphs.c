/* Graphs within graphs on the fake CUDA driver: what a capture made runs where its child node stands, with the
 * parameters that it was given last; mistakes are said. */
#include "support/fake_session.h"

static const char add_text[] = "extern \"C\" __global__ void __launch_bounds__(64) add(float *x, const float *y, float a)\n"
                               "{\n"
                               "    x[threadIdx.x] = y[threadIdx.x] + a;\n"
                               "}\n"
                               "extern \"C\" __global__ void __launch_bounds__(64) twice(float *x, const float *y)\n"
                               "{\n"
                               "    x[threadIdx.x] = 2 * y[threadIdx.x];\n"
                               "}\n";

static void expect(int code, int expected, const char *words, int line)
{
    if (!CHECK_EQ(code, expected) || !CHECK(fake_said(words))) printf("  at line %d\n", line);
    fake.reset();
}
#define EXPECT(call, code, words) expect(call, code, words, __LINE__)

typedef struct parts { session s; CUfunction add, twice; CUdeviceptr x, y, z; } parts;

static parts open_parts(void)
{
    parts p = {.s = open_session(1)};
    float in[64];
    for (int i = 0; i < 64; i++) in[i] = (float)i;
    p.add = kernel(&p.s, add_text, "add");
    OK(CU(cuModuleGetFunction)(&p.twice, p.s.module[0], "twice"));
    p.x = memory(&p.s, 256);
    p.z = memory(&p.s, 256);
    p.y = upload(&p.s, in, 256);
    OK(CU(cuStreamSynchronize)(p.s.stream[0]));
    return p;
}

/* z = 2 (x + a), captured from the second stream. */
static CUgraph captured(parts *p, float a, bool third)
{
    CUgraph g = NULL;
    CUstream side = p->s.stream[1];
    OK(CU(cuStreamBeginCapture_v2)(side, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(launch(p->add, 1, 64, side, &p->z, &p->x, &a));
    OK(launch(p->twice, 1, 64, side, &p->z, &p->z));
    if (third) OK(launch(p->twice, 1, 64, side, &p->z, &p->z));
    OK(CU(cuStreamEndCapture)(side, &g));
    return g;
}

/* x = y + 1, then the child, then x = 2 z. */
static CUgraph whole(parts *p, CUgraph child, CUgraphNode node[3], bool edges)
{
    CUgraph g;
    float one = 1;
    CUDA_KERNEL_NODE_PARAMS k = {.func = p->add, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 64, .blockDimY = 1, .blockDimZ = 1,
                                 .kernelParams = (void *[]){&p->x, &p->y, &one}};
    OK(CU(cuGraphCreate)(&g, 0));
    OK(CU(cuGraphAddKernelNode_v2)(&node[0], g, NULL, 0, &k));
    OK(CU(cuGraphAddChildGraphNode)(&node[1], g, node, edges, child));
    k.func = p->twice;
    k.kernelParams = (void *[]){&p->x, &p->z};
    OK(CU(cuGraphAddKernelNode_v2)(&node[2], g, &node[1], edges, &k));
    return g;
}

static float third_element(parts *p)
{
    float out[64];
    download(&p->s, out, p->x, sizeof out);
    return out[3];
}

TEST(a_child_runs_where_it_stands)
{
    need_fake(1);
    fake.order(1, 1);
    parts p = open_parts();
    CUgraphNode node[3];
    CUgraphExec exec;
    int type = -1;
    CUgraph child = captured(&p, 10, false), g = whole(&p, child, node, true);
    CHECK_EQ(fake.calls("kernel"), 0);
    OK(CU(cuGraphDestroy)(child)); /* the node has a copy */
    OK(CU(cuGraphNodeGetType)(node[1], &type));
    CHECK_EQ(type, 4);
    OK(CU(cuGraphInstantiateWithFlags)(&exec, g, 0));
    OK(CU(cuGraphLaunch)(exec, p.s.stream[0]));
    child = captured(&p, 100, false);
    OK(CU(cuGraphExecChildGraphNodeSetParams)(exec, node[1], child)); /* what is queued has the old ones */
    OK(CU(cuGraphDestroy)(child));
    CHECK_NEAR(third_element(&p), 4 * (3 + 1 + 10), 0);
    OK(CU(cuGraphLaunch)(exec, p.s.stream[0]));
    CHECK_NEAR(third_element(&p), 4 * (3 + 1 + 100), 0);
    CHECK_EQ(fake.calls("kernel"), 8);
    /* what comes behind a child can be given other parameters too */
    float five = 5;
    CUDA_KERNEL_NODE_PARAMS k = {.func = p.add, .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 64, .blockDimY = 1, .blockDimZ = 1,
                                 .kernelParams = (void *[]){&p.x, &p.z, &five}};
    OK(CU(cuGraphExecKernelNodeSetParams_v2)(exec, node[2], &k));
    OK(CU(cuGraphLaunch)(exec, p.s.stream[0]));
    CHECK_NEAR(third_element(&p), 2 * (3 + 1 + 100) + 5, 0);
    OK(CU(cuGraphExecDestroy)(exec));
    OK(CU(cuGraphDestroy)(g));
    close_session(&p.s);
    CHECK(fake_said(NULL));
}

TEST(children_are_ordered_by_edges)
{
    need_fake(1);
    parts p = open_parts();
    for (int edges = 0; edges < 2; edges++) {
        CUgraphNode node[3];
        CUgraphExec exec;
        CUgraph child = captured(&p, 10, false), g = whole(&p, child, node, edges);
        OK(CU(cuGraphInstantiateWithFlags)(&exec, g, 0));
        OK(CU(cuGraphLaunch)(exec, p.s.stream[0]));
        OK(CU(cuStreamSynchronize)(p.s.stream[0]));
        EXPECT(0, 0, edges ? NULL : "race: ");
        OK(CU(cuGraphDestroy)(child));
        OK(CU(cuGraphDestroy)(g));
        OK(CU(cuGraphExecDestroy)(exec));
    }
    close_session(&p.s);
    CHECK(fake_said(NULL));
}

TEST(mistakes_with_children_are_said)
{
    need_fake(1);
    parts p = open_parts();
    CUgraphNode node[3], other[3], none;
    CUgraphExec exec;
    CUgraph child = captured(&p, 10, false), longer = captured(&p, 10, true), empty, g = whole(&p, child, node, true), h = whole(&p, longer, other, true);
    OK(CU(cuGraphCreate)(&empty, 0));
    OK(CU(cuGraphInstantiateWithFlags)(&exec, g, 0));
    EXPECT(CU(cuGraphExecChildGraphNodeSetParams)(exec, node[1], longer), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, NULL);
    EXPECT(CU(cuGraphExecChildGraphNodeSetParams)(exec, node[0], child), CUDA_ERROR_INVALID_VALUE, "of a node that is no child graph");
    EXPECT(CU(cuGraphExecChildGraphNodeSetParams)(exec, other[1], child), CUDA_ERROR_INVALID_VALUE, "of a node of another graph");
    EXPECT(CU(cuGraphAddChildGraphNode)(&none, g, other, 1, child), CUDA_ERROR_INVALID_VALUE, "graph: a node depends on one of another graph");
    EXPECT(CU(cuGraphAddChildGraphNode)(&none, g, NULL, 0, g), CUDA_ERROR_INVALID_VALUE, "graph: a graph is made its own child");
    EXPECT(CU(cuGraphAddChildGraphNode)(&none, g, NULL, 0, empty), CUDA_ERROR_NOT_SUPPORTED, "of an empty graph");
    OK(CU(cuGraphDestroy)(child));
    EXPECT(CU(cuGraphAddChildGraphNode)(&none, g, NULL, 0, child), CUDA_ERROR_INVALID_HANDLE, "which is destroyed");
    EXPECT(CU(cuGraphExecChildGraphNodeSetParams)(exec, node[1], child), CUDA_ERROR_INVALID_HANDLE, "which is destroyed");
    OK(CU(cuGraphDestroy)(g));
    EXPECT(CU(cuGraphExecChildGraphNodeSetParams)(exec, node[1], longer), CUDA_ERROR_INVALID_HANDLE, "with node");
    OK(CU(cuGraphExecDestroy)(exec));
    OK(CU(cuGraphDestroy)(longer));
    OK(CU(cuGraphDestroy)(empty));
    OK(CU(cuGraphDestroy)(h));
    close_session(&p.s);
    CHECK(fake_said(NULL));
}
