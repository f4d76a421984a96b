/* Stream capture and graphs. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

enum { CAPTURES = 16 };
static fake_capture captures[CAPTURES];

/* ---------------------------------------------------------------- sets of nodes */

void fake_frontier_join(fake_frontier *f, const fake_frontier *more)
{
    int *node = realloc(f->node, (size_t)(f->count + more->count + 1) * sizeof *node);
    if (!node) return;
    f->node = node;
    for (int i = 0; i < more->count; i++) {
        bool there = false;
        for (int k = 0; k < f->count; k++) there |= f->node[k] == more->node[i];
        if (!there) f->node[f->count++] = more->node[i];
    }
}

void fake_frontier_clear(fake_frontier *f)
{
    free(f->node);
    *f = (fake_frontier){0, NULL};
}

CUgraphNode fake_graph_add(CUgraph g, fake_work *w, int device)
{
    if (g->count == g->room) {
        int room = g->room ? 2 * g->room : 16;
        CUgraphNode *more = realloc(g->node, (size_t)room * sizeof *more);
        if (!more) return NULL;
        g->node = more;
        g->room = room;
    }
    CUgraphNode n = fake_new(FAKE_NODE, sizeof *n, device);
    if (!n) return NULL;
    n->graph = g;
    n->index = g->count;
    n->work = w;
    g->node[g->count++] = n;
    return n;
}

/* ---------------------------------------------------------------- rules of captures */

static void end_graph(CUgraph g)
{
    g->object.alive = false;
    for (int i = 0; i < g->count; i++) g->node[i]->object.alive = false;
}

static int spoil(fake_capture *c, int code)
{
    c->spoiled = true;
    return code;
}

/* Calls that may wait or allocate invalidate a capture of this thread, or of any thread in global mode. */
int fake_capture_check(fake_function f, const char *name)
{
    (void)f;
    for (int i = 0; i < CAPTURES; i++) {
        fake_capture *c = &captures[i];
        if (!c->graph || c->mode == CU_STREAM_CAPTURE_MODE_RELAXED) continue;
        if (c->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && !pthread_equal(c->thread, pthread_self())) continue;
        return spoil(c, fake_refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "capture: %s while a stream is captured", name));
    }
    return 0;
}

int fake_capture_stream(CUstream s, const char *name)
{
    return spoil(s->capture, fake_refuse(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "capture: %s on a stream that is captured", name));
}

int fake_capture_add(CUstream s, fake_work *w)
{
    CUgraphNode n = s->capture->spoiled ? NULL : fake_graph_add(s->capture->graph, w, s->object.device);
    if (!n) {
        fake_work_free(w);
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    n->before = s->frontier;
    s->frontier = (fake_frontier){0, NULL};
    fake_frontier_join(&s->frontier, &(fake_frontier){1, &n->index});
    return 0;
}

int fake_capture_record(CUstream s, CUevent e)
{
    fake_moment_drop(e->moment);
    e->moment = NULL;
    fake_frontier_clear(&e->frontier);
    fake_frontier_join(&e->frontier, &s->frontier);
    e->captured = s->capture->graph;
    return 0;
}

/* A stream that waits for an event of a capture joins the capture. */
int fake_capture_wait(CUstream s, CUevent e)
{
    fake_capture *c = s->capture;
    if (!e->captured) return spoil(c, fake_refuse(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "capture: a captured stream waits for an event that was recorded outside"));
    for (int i = 0; i < CAPTURES && !c; i++)
        if (captures[i].graph == e->captured) c = &captures[i];
    if (!c) return fake_refuse(CUDA_ERROR_CAPTURED_EVENT, "capture: cuStreamWaitEvent for an event of a capture that has ended");
    if (c->graph != e->captured) return spoil(c, fake_refuse(CUDA_ERROR_STREAM_CAPTURE_MERGE, "capture: a stream of one capture waits for an event of another"));
    s->capture = c;
    fake_frontier_join(&s->frontier, &e->frontier);
    return 0;
}

/* ---------------------------------------------------------------- capturing */

static int do_cuStreamIsCapturing(CUstream s, int *status)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuStreamIsCapturing");
    if (!code) *status = !s->capture ? 0 : s->capture->spoiled ? 2 : 1;
    return code;
}
FAKE_ENTRY_POINT(cuStreamIsCapturing, (CUstream s, int *status), (s, status))

static int do_cuStreamBeginCapture_v2(CUstream s, int mode)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuStreamBeginCapture"), free_one = 0;
    if (code) return code;
    if (mode < 0 || mode > 2) return CUDA_ERROR_INVALID_VALUE;
    if (s->capture) return fake_refuse(CUDA_ERROR_ILLEGAL_STATE, "capture: cuStreamBeginCapture on a stream that is captured");
    while (free_one < CAPTURES && captures[free_one].graph) free_one++;
    CUgraph g = free_one < CAPTURES ? fake_new(FAKE_GRAPH, sizeof *g, s->object.device) : NULL;
    if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
    captures[free_one] = (fake_capture){g, s, mode, pthread_self(), false};
    s->capture = &captures[free_one];
    return 0;
}
FAKE_ENTRY_POINT(cuStreamBeginCapture_v2, (CUstream s, int mode), (s, mode))

/* Whether every node leads to the last nodes of the capturing stream. */
static bool joined(CUgraph g, const fake_frontier *end)
{
    bool *leads = calloc((size_t)g->count + 1, 1);
    bool all = leads != NULL;
    for (int i = 0; leads && i < end->count; i++) leads[end->node[i]] = true;
    for (int i = g->count - 1; leads && i >= 0; i--) {
        all &= leads[i];
        for (int k = 0; leads[i] && k < g->node[i]->before.count; k++) leads[g->node[i]->before.node[k]] = true;
    }
    free(leads);
    return all;
}

static int do_cuStreamEndCapture(CUstream s, CUgraph *graph)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuStreamEndCapture");
    *graph = NULL;
    if (code) return code;
    fake_capture *c = s->capture;
    if (!c) return fake_refuse(CUDA_ERROR_ILLEGAL_STATE, "capture: cuStreamEndCapture on a stream that is not captured");
    if (c->origin != s) return fake_refuse(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "capture: cuStreamEndCapture on another stream than it began on");
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(c->thread, pthread_self()))
        return fake_refuse(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "capture: cuStreamEndCapture in another thread than it began in");
    CUgraph g = c->graph;
    if (c->spoiled) code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!joined(g, &s->frontier)) code = fake_refuse(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capture: work of another stream does not lead back to the one that was captured");
    for (fake_object *o = fake_objects; o; o = o->next) {
        if (o->kind != FAKE_STREAM || ((CUstream)o)->capture != c) continue;
        ((CUstream)o)->capture = NULL;
        fake_frontier_clear(&((CUstream)o)->frontier);
    }
    c->graph = NULL;
    if (code) end_graph(g);
    *graph = code ? NULL : g;
    return code;
}
FAKE_ENTRY_POINT(cuStreamEndCapture, (CUstream s, CUgraph *graph), (s, graph))

/* ---------------------------------------------------------------- graphs */

static int do_cuGraphGetNodes(CUgraph g, CUgraphNode *nodes, size_t *count)
{
    int code = fake_check(g, FAKE_GRAPH, -1, "cuGraphGetNodes");
    if (code) return code;
    for (size_t i = 0; nodes && i < *count; i++) nodes[i] = i < (size_t)g->count ? g->node[i] : NULL;
    if (!nodes || *count > (size_t)g->count) *count = (size_t)g->count;
    return 0;
}
FAKE_ENTRY_POINT(cuGraphGetNodes, (CUgraph g, CUgraphNode *nodes, size_t *count), (g, nodes, count))

static int do_cuGraphNodeGetType(CUgraphNode n, int *type)
{
    static const int types[] = {[WORK_KERNEL] = 0, [WORK_COPY] = 1, [WORK_SET] = 2, [WORK_HOST] = 3, [WORK_RECORD] = 7, [WORK_WAIT] = 6, [WORK_CALL] = 0, [WORK_CHILD] = 4};
    int code = fake_check(n, FAKE_NODE, -1, "cuGraphNodeGetType");
    if (!code) *type = types[n->work->kind];
    return code;
}
FAKE_ENTRY_POINT(cuGraphNodeGetType, (CUgraphNode n, int *type), (n, type))

/* Also destroys its nodes. */
static int do_cuGraphDestroy(CUgraph g)
{
    int code = fake_check(g, FAKE_GRAPH, -1, "cuGraphDestroy");
    if (!code) end_graph(g);
    return code;
}
FAKE_ENTRY_POINT(cuGraphDestroy, (CUgraph g), (g))

/* ---------------------------------------------------------------- graphs made by hand */

static int do_cuGraphCreate(CUgraph *graph, unsigned flags)
{
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    *graph = fake_new(FAKE_GRAPH, sizeof **graph, fake_current()->object.device);
    return *graph ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}
FAKE_ENTRY_POINT(cuGraphCreate, (CUgraph * graph, unsigned flags), (graph, flags))

/* Checks the dependencies of a new node. */
static int check_before(CUgraph g, const CUgraphNode *before, size_t count, const char *function)
{
    int code = fake_check(g, FAKE_GRAPH, -1, function);
    for (size_t i = 0; i < count && !code; i++) {
        code = fake_check(before[i], FAKE_NODE, -1, function);
        if (!code && before[i]->graph != g) code = fake_refuse(CUDA_ERROR_INVALID_VALUE, "graph: a node depends on one of another graph");
    }
    return code;
}

static int add_node(CUgraphNode *node, CUgraph g, const CUgraphNode *before, size_t count, fake_work *w)
{
    CUgraphNode n = fake_graph_add(g, w, g->object.device);
    if (!n) return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) fake_frontier_join(&n->before, &(fake_frontier){1, &before[i]->index});
    *node = n;
    return 0;
}

static int do_cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph g, const CUgraphNode *before, size_t count, const CUDA_KERNEL_NODE_PARAMS *p)
{
    int code = check_before(g, before, count, "cuGraphAddKernelNode");
    fake_work *w = NULL;
    if (!code) code = fake_launch_of(p, g->object.device, "cuGraphAddKernelNode", &w);
    return code ? code : add_node(node, g, before, count, w);
}
FAKE_ENTRY_POINT(cuGraphAddKernelNode_v2, (CUgraphNode * node, CUgraph g, const CUgraphNode *before, size_t count, const CUDA_KERNEL_NODE_PARAMS *p),
                 (node, g, before, count, p))

/* The child graph is copied, so it may be destroyed or changed afterwards. */
static int do_cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph g, const CUgraphNode *before, size_t count, CUgraph child)
{
    int code = check_before(g, before, count, "cuGraphAddChildGraphNode");
    if (!code) code = fake_check(child, FAKE_GRAPH, g->object.device, "cuGraphAddChildGraphNode");
    if (!code && child == g) code = fake_refuse(CUDA_ERROR_INVALID_VALUE, "graph: a graph is made its own child");
    if (!code && !child->count) code = fake_refuse(CUDA_ERROR_NOT_SUPPORTED, "fake: cuGraphAddChildGraphNode of an empty graph");
    if (code) return code;
    fake_work *w = fake_work_new(WORK_CHILD);
    CUgraph copy = w ? fake_graph_copy(child) : NULL;
    if (!copy) return CUDA_ERROR_OUT_OF_MEMORY;
    code = add_node(node, g, before, count, w);
    if (!code) (*node)->child = copy;
    return code;
}
FAKE_ENTRY_POINT(cuGraphAddChildGraphNode, (CUgraphNode * node, CUgraph g, const CUgraphNode *before, size_t count, CUgraph child),
                 (node, g, before, count, child))
