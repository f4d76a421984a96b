/* Executable graphs: copies of the graphs that they were made from, with the nodes of child graphs inserted. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- copies */

/* Copies a node; the copy depends on `before`. */
static CUgraphNode add_copy(CUgraph to, CUgraphNode n, fake_frontier *before)
{
    fake_work *w = fake_work_copy(n->work);
    CUgraphNode c = w ? fake_graph_add(to, w, n->object.device) : NULL;
    if (!c) return NULL;
    c->object.alive = false;
    c->before = *before;
    *before = (fake_frontier){0, NULL};
    return c;
}

static CUgraph empty_copy(CUgraph g)
{
    CUgraph c = fake_new(FAKE_GRAPH, sizeof *c, g->object.device);
    if (c) c->object.alive = false;
    return c;
}

CUgraph fake_graph_copy(CUgraph g)
{
    CUgraph c = empty_copy(g);
    for (int i = 0; c && i < g->count; i++) {
        fake_frontier before = {0, NULL};
        fake_frontier_join(&before, &g->node[i]->before);
        CUgraphNode n = add_copy(c, g->node[i], &before);
        if (!n) return NULL;
        if (g->node[i]->child && !(n->child = fake_graph_copy(g->node[i]->child))) return NULL;
    }
    return c;
}

/* Adds the nodes of `from`, and in place of child nodes the children's nodes: what depends on a child depends on all of
 * its nodes. first: index of each node's first copy, and the end; needs one element more than there are nodes. */
static bool spread(CUgraph to, CUgraph from, const fake_frontier *before, int *first)
{
    for (int i = 0; i < from->count; i++) {
        CUgraphNode n = from->node[i];
        fake_frontier after = {0, NULL};
        if (!n->before.count) fake_frontier_join(&after, before);
        for (int k = 0; k < n->before.count; k++)
            for (int j = first[n->before.node[k]]; j < first[n->before.node[k] + 1]; j++) fake_frontier_join(&after, &(fake_frontier){1, &j});
        first[i] = to->count;
        first[i + 1] = to->count;
        int *inner = n->child ? calloc((size_t)n->child->count + 1, sizeof *inner) : NULL;
        bool good = n->child ? inner && spread(to, n->child, &after, inner) : add_copy(to, n, &after) != NULL;
        fake_frontier_clear(&after);
        free(inner);
        if (!good) return false;
        first[i + 1] = to->count;
    }
    return true;
}

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

static int do_cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph g, unsigned long long flags)
{
    int code = fake_check(g, FAKE_GRAPH, -1, "cuGraphInstantiate");
    if (code) return code;
    if (flags > 15) return CUDA_ERROR_INVALID_VALUE;
    CUgraphExec e = fake_new(FAKE_EXEC, sizeof *e, g->object.device);
    if (!e) return CUDA_ERROR_OUT_OF_MEMORY;
    const fake_frontier none = {0, NULL};
    e->source = g;
    e->graph = empty_copy(g);
    e->first = calloc((size_t)g->count + 1, sizeof *e->first);
    if (e->graph && e->first && spread(e->graph, g, &none, e->first)) find_ancestors(e);
    *exec = e;
    return e->ancestor ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}
FAKE_ENTRY_POINT(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph g, unsigned long long flags), (exec, g, flags))

/* A running launch continues. */
static int do_cuGraphExecDestroy(CUgraphExec e)
{
    int code = fake_check(e, FAKE_EXEC, -1, "cuGraphExecDestroy");
    if (!code) e->object.alive = false;
    return code;
}
FAKE_ENTRY_POINT(cuGraphExecDestroy, (CUgraphExec e), (e))

/* ---------------------------------------------------------------- other parameters */

CUgraphNode fake_node_of(CUgraphExec e, CUgraphNode n, const char *function)
{
    if (n->graph == e->source) return e->graph->node[n->child ? 0 : e->first[n->index]];
    fakecuda_violation("graph: %s of a node of another graph", function);
    return NULL;
}

void fake_replace_work(CUgraphExec e, CUgraphNode copied, fake_work *w)
{
    w->device = copied->work->device;
    copied->work->next = e->retired;
    e->retired = copied->work;
    copied->work = w;
}

/* Whether two graphs have the same kinds of nodes in the same order, and the same edges. */
static bool same_shape(CUgraph a, CUgraph b)
{
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        const struct CUgraphNode_st *x = a->node[i], *y = b->node[i];
        if (x->work->kind != y->work->kind || x->before.count != y->before.count) return false;
        if (x->before.count && memcmp(x->before.node, y->before.node, (size_t)x->before.count * sizeof *x->before.node) != 0) return false;
        if (x->child && !same_shape(x->child, y->child)) return false;
    }
    return true;
}

/* From node `at` of the copy on. */
static int take_work(CUgraphExec e, CUgraph from, int *at)
{
    for (int i = 0; i < from->count; i++) {
        CUgraphNode n = from->node[i];
        int code = n->child ? take_work(e, n->child, at) : 0;
        if (code) return code;
        if (n->child) continue;
        fake_work *w = fake_work_copy(n->work);
        if (!w) return CUDA_ERROR_OUT_OF_MEMORY;
        fake_replace_work(e, e->graph->node[(*at)++], w);
    }
    return 0;
}

static int do_cuGraphExecChildGraphNodeSetParams(CUgraphExec e, CUgraphNode n, CUgraph child)
{
    static const char name[] = "cuGraphExecChildGraphNodeSetParams";
    int code = fake_check(e, FAKE_EXEC, -1, name);
    if (!code) code = fake_check(n, FAKE_NODE, -1, name);
    if (!code) code = fake_check(child, FAKE_GRAPH, e->object.device, name);
    if (code) return code;
    if (n->graph != e->source) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "graph: %s of a node of another graph", name);
    if (!n->child) return fake_refuse(CUDA_ERROR_INVALID_VALUE, "graph: %s of a node that is no child graph", name);
    if (!same_shape(n->child, child)) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    int at = e->first[n->index];
    return take_work(e, child, &at);
}
FAKE_ENTRY_POINT(cuGraphExecChildGraphNodeSetParams, (CUgraphExec e, CUgraphNode n, CUgraph child), (e, n, child))

/* ---------------------------------------------------------------- launches */

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

/* Runs the nodes in an order that their edges allow, drawn at random each time. */
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

