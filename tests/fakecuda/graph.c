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

/* ---------------------------------------------------------------- rules of captures */

static int spoil(fake_capture *c, int code)
{
    c->spoiled = true;
    return code;
}

/* Calls that may wait or move memory spoil a capture of this thread, or of any in global mode. */
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
    CUgraph g = s->capture->graph;
    if (s->capture->spoiled || g->count == g->room) {
        int room = g->room ? 2 * g->room : 16;
        CUgraphNode *more = s->capture->spoiled ? NULL : realloc(g->node, (size_t)room * sizeof *more);
        if (!more) {
            fake_work_free(w);
            return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        }
        g->node = more;
        g->room = room;
    }
    CUgraphNode n = fake_new(FAKE_NODE, sizeof *n, s->object.device);
    if (!n) return CUDA_ERROR_OUT_OF_MEMORY;
    n->graph = g;
    n->index = g->count;
    n->work = w;
    n->before = s->frontier;
    g->node[g->count++] = n;
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

/* A stream that waits for an event of a capture joins it. */
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

/* Every node has to lead to the origin's last ones. */
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
    g->object.alive = !code;
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
    static const int types[] = {[WORK_KERNEL] = 0, [WORK_COPY] = 1, [WORK_SET] = 2, [WORK_HOST] = 3, [WORK_RECORD] = 7, [WORK_WAIT] = 6, [WORK_GRAPH] = 4};
    int code = fake_check(n, FAKE_NODE, -1, "cuGraphNodeGetType");
    if (!code) *type = types[n->work->kind];
    return code;
}
FAKE_ENTRY_POINT(cuGraphNodeGetType, (CUgraphNode n, int *type), (n, type))

static void find_ancestors(CUgraphExec e)
{
    CUgraph g = e->graph;
    e->words = (g->count + 63) / 64;
    e->ancestor = calloc((size_t)(g->count * e->words) + 1, 8);
    for (int i = 0; i < g->count && e->ancestor; i++)
        for (int k = 0; k < g->node[i]->before.count; k++) {
            int b = g->node[i]->before.node[k];
            for (int w = 0; w < e->words; w++) e->ancestor[i * e->words + w] |= e->ancestor[b * e->words + w];
            e->ancestor[i * e->words + b / 64] |= (uint64_t)1 << b % 64;
        }
}

bool fake_replay_ordered(const fake_replay *r, int before, int after)
{
    return r->exec->ancestor[after * r->exec->words + before / 64] >> before % 64 & 1;
}

static CUgraph copy_graph(CUgraph g)
{
    CUgraph c = fake_new(FAKE_GRAPH, sizeof *c, g->object.device);
    if (!c) return NULL;
    c->object.alive = false; /* nobody has its handle */
    c->node = calloc((size_t)g->count + 1, sizeof *c->node);
    for (int i = 0; i < g->count && c->node; i++, c->count++) {
        CUgraphNode n = c->node[i] = fake_new(FAKE_NODE, sizeof *n, g->node[i]->object.device);
        if (!n) return NULL;
        n->graph = c;
        n->index = i;
        n->work = fake_work_copy(g->node[i]->work);
        fake_frontier_join(&n->before, &g->node[i]->before);
    }
    return c->node ? c : NULL;
}

static int do_cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph g, unsigned long long flags)
{
    int code = fake_check(g, FAKE_GRAPH, -1, "cuGraphInstantiate");
    if (code) return code;
    if (flags > 15) return CUDA_ERROR_INVALID_VALUE;
    CUgraphExec e = fake_new(FAKE_EXEC, sizeof *e, g->object.device);
    if (!e) return CUDA_ERROR_OUT_OF_MEMORY;
    e->graph = copy_graph(g);
    if (e->graph) find_ancestors(e);
    *exec = e;
    return e->graph && e->ancestor ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}
FAKE_ENTRY_POINT(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph g, unsigned long long flags), (exec, g, flags))

static int check_nodes(CUgraphExec e)
{
    for (int i = 0; i < e->graph->count; i++) {
        fake_work *w = e->graph->node[i]->work;
        int code = w->kind == WORK_KERNEL ? fake_check(w->is.launch.function, FAKE_FUNCTION, -1, "cuGraphLaunch") : 0;
        if (code) return code;
    }
    return 0;
}

static int do_cuGraphLaunch(CUgraphExec e, CUstream s)
{
    int code = fake_check(e, FAKE_EXEC, -1, "cuGraphLaunch");
    if (!code) code = fake_check(s, FAKE_STREAM, -1, "cuGraphLaunch");
    if (!code) code = check_nodes(e);
    if (!code && s->capture) code = fake_capture_stream(s, "cuGraphLaunch");
    if (code) return code;
    fake_work *w = fake_work_new(WORK_GRAPH);
    if (!w) return CUDA_ERROR_OUT_OF_MEMORY;
    w->is.graph.exec = e;
    w->is.graph.node = calloc((size_t)e->graph->count + 1, sizeof *w->is.graph.node);
    for (int i = 0; i < e->graph->count && w->is.graph.node; i++) w->is.graph.node[i] = e->graph->node[i]->work;
    return fake_enqueue(s, w);
}
FAKE_ENTRY_POINT(cuGraphLaunch, (CUgraphExec e, CUstream s), (e, s))

/* Nodes in an order that their edges allow, drawn anew each time. */
void fake_run_graph(fake_work *w)
{
    CUgraphExec e = w->is.graph.exec;
    CUgraph g = e->graph;
    fake_replay run = {e};
    bool *done = calloc((size_t)g->count + 1, 1);
    for (int left = g->count; left && done; left--) {
        int chosen = -1;
        uint32_t seen = 0;
        for (int i = 0; i < g->count; i++) {
            bool can = !done[i];
            for (int k = 0; can && k < g->node[i]->before.count; k++) can = done[g->node[i]->before.node[k]];
            if (can && !fake_random(++seen)) chosen = i;
        }
        if (chosen < 0) break;
        fake_work *n = w->is.graph.node[chosen];
        n->device = g->node[chosen]->object.device;
        n->slot = w->slot;
        n->seq = w->seq;
        n->clock = w->clock;
        n->graph_run = &run;
        n->node = chosen;
        n->number = fake_work_number(n);
        fake_run(n);
        done[chosen] = true;
    }
    free(done);
}

static int do_cuGraphDestroy(CUgraph g)
{
    int code = fake_check(g, FAKE_GRAPH, -1, "cuGraphDestroy");
    if (!code) g->object.alive = false;
    return code;
}
FAKE_ENTRY_POINT(cuGraphDestroy, (CUgraph g), (g))

/* A launch that runs goes on. */
static int do_cuGraphExecDestroy(CUgraphExec e)
{
    int code = fake_check(e, FAKE_EXEC, -1, "cuGraphExecDestroy");
    if (!code) e->object.alive = false;
    return code;
}
FAKE_ENTRY_POINT(cuGraphExecDestroy, (CUgraphExec e), (e))

/* ---------------------------------------------------------------- graphs made by hand */

static int do_cuGraphCreate(CUgraph *graph, unsigned flags)
{
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    *graph = fake_new(FAKE_GRAPH, sizeof **graph, fake_current()->object.device);
    return *graph ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}
FAKE_ENTRY_POINT(cuGraphCreate, (CUgraph * graph, unsigned flags), (graph, flags))

static int add_node(CUgraphNode *node, CUgraph g, const CUgraphNode *before, size_t count, fake_work *w)
{
    CUgraphNode *more = realloc(g->node, (size_t)(g->count + 1) * sizeof *more);
    if (more) g->node = more;
    CUgraphNode n = more ? fake_new(FAKE_NODE, sizeof *n, g->object.device) : NULL;
    if (!n) return CUDA_ERROR_OUT_OF_MEMORY;
    n->graph = g;
    n->index = g->count;
    n->work = w;
    for (size_t i = 0; i < count; i++) fake_frontier_join(&n->before, &(fake_frontier){1, &before[i]->index});
    g->node[g->count++] = *node = n;
    g->room = g->count;
    return 0;
}

static int do_cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph g, const CUgraphNode *before, size_t count, const CUDA_KERNEL_NODE_PARAMS *p)
{
    int code = fake_check(g, FAKE_GRAPH, -1, "cuGraphAddKernelNode");
    for (size_t i = 0; i < count && !code; i++) {
        code = fake_check(before[i], FAKE_NODE, -1, "cuGraphAddKernelNode");
        if (!code && before[i]->graph != g) code = fake_refuse(CUDA_ERROR_INVALID_VALUE, "graph: a node depends on one of another graph");
    }
    fake_work *w = NULL;
    if (!code) code = fake_launch_of(p, g->object.device, "cuGraphAddKernelNode", &w);
    return code ? code : add_node(node, g, before, count, w);
}
FAKE_ENTRY_POINT(cuGraphAddKernelNode_v2, (CUgraphNode * node, CUgraph g, const CUgraphNode *before, size_t count, const CUDA_KERNEL_NODE_PARAMS *p),
                 (node, g, before, count, p))
