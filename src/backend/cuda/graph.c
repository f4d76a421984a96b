/* Runs of launches. A run that occurred twice in the same order becomes a CUDA graph. From then on its launches are
 * only recorded; flush gives the graph the parameters that have changed, and starts it as one. A run that leaves the
 * known order is launched kernel by kernel after all.  Work of libraries is captured, from a stream without other
 * work, into a graph of its own, which becomes one node; it is captured again when its addresses change. So a replay
 * costs a call for each kernel or product that changed, and one to start. If a capture is refused, the library's work
 * is started separately between shorter runs. */
#include "backend/cuda/kernel.h"
#include "os/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { SHORTEST = 2, WORTH = 4, TRIES = 4 };

typedef struct situ_cuda_node {
    situ_cuda_kernel *kernel;
    int value;                 /* index of its first parameter */
    cu_node pass[SITU_PASSES]; /* [pass] nodes; for a library's work the first is its graph */
} situ_cuda_node;

typedef struct situ_cuda_graph {
    struct situ_cuda_graph *next;
    situ_cuda_kernel *first;
    cu_graph graph;
    cu_exec exec;
    int nodes, values, starts;
    situ_cuda_node *node;
    uint64_t *value; /* parameters of the last start */
} situ_cuda_graph;

typedef struct situ_cuda_batch {
    situ_cuda_graph *graphs;  /* list of the device's graphs */
    situ_cuda_graph *follows; /* the graph that begins with the run so far, of which nothing has been started */
    int nodes, node_room, values, value_room;
    bool partial;   /* out of memory: the run was not recorded completely */
    cu_stream side; /* stream for capturing the work of libraries */
    situ_cuda_node *node;
    uint64_t *value;
} situ_cuda_batch;

/* SITU_CUDA_GRAPHS=0 launches one by one, to measure what graphs gain (bench/gpu). */
static bool wanted(void)
{
    const char *text = situ_env("SITU_CUDA_GRAPHS");
    return !text || strcmp(text, "0") != 0;
}

situ_cuda_batch *situ_cuda_batch_new(void) { return situ_calloc(1, sizeof(situ_cuda_batch)); }

/* ---- graphs ---------------------------------------------------------------------------------------------------------- */

static void free_graph(situ_cuda *s, situ_cuda_graph *g)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    situ_cuda_graph **at = &s->batch->graphs;
    while (*at && *at != g) at = &(*at)->next;
    if (*at) *at = g->next;
    for (int i = 0; i < g->nodes; i++) g->node[i].kernel->graphs--;
    g->first->graph = NULL;
    if (g->exec) cu->GraphExecDestroy(g->exec);
    if (g->graph) cu->GraphDestroy(g->graph);
    situ_free(g->node);
    situ_free(g->value);
    situ_free(g);
}

static bool contains(const situ_cuda_graph *g, const situ_cuda_kernel *k)
{
    for (int i = 0; i < g->nodes; i++)
        if (g->node[i].kernel == k) return true;
    return false;
}

void situ_cuda_forget(situ_cuda *s, situ_cuda_kernel *k)
{
    situ_cuda_batch *b = s->batch;
    for (int i = 0; i < b->nodes; i++)
        if (b->node[i].kernel == k) (void)situ_cuda_flush(s);
    while (k->graphs) {
        situ_cuda_graph *g = b->graphs;
        while (g && !contains(g, k)) g = g->next;
        if (!g) break;
        free_graph(s, g);
    }
}

void situ_cuda_batch_free(situ_cuda *s)
{
    situ_cuda_batch *b = s->batch;
    while (b->graphs) free_graph(s, b->graphs);
    if (b->side) situ_cuda_driver()->StreamDestroy(b->side);
    situ_free(b->node);
    situ_free(b->value);
    memset(b, 0, sizeof *b);
}

/* Describes one pass of a node for CUDA; parameter: array for its kernel's parameters. */
static cu_kernel_node describe(const situ_cuda_kernel *k, int pass, const uint64_t *value, void **parameter)
{
    for (int i = 0; i < situ_cuda_parameters(k); i++) parameter[i] = (void *)(uintptr_t)&value[i];
    return (cu_kernel_node){.function = k->pass[pass],
        .grid_x = (unsigned)k->passes.pass[pass].blocks,
        .grid_y = 1,
        .grid_z = 1,
        .block_x = (unsigned)k->passes.pass[pass].threads,
        .block_y = 1,
        .block_z = 1,
        .parameters = parameter};
}

static int most_values(const situ_cuda_node *node, int nodes)
{
    int most = 1;
    for (int i = 0; i < nodes; i++)
        if (situ_cuda_parameters(node[i].kernel) > most) most = situ_cuda_parameters(node[i].kernel);
    return most;
}

/* Makes the side stream ready: it exists, and is not in capture mode. */
static int ready_side(situ_cuda *s)
{
    if (s->batch->side) return 0;
    int code = SITU_CUDA_TRY(s, StreamCreate, &s->batch->side, CU_STREAM_NON_BLOCKING);
    if (code) s->batch->side = NULL;
    return code;
}

/* Ends the capture, even if the library or the driver aborted it. */
static int end_capture(situ_cuda *s, cu_graph *graph)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    int status = 0, code = SITU_CUDA_TRY(s, StreamEndCapture, s->batch->side, graph);
    if (!code) return 0;
    *graph = NULL;
    if (!cu->StreamIsCapturing(s->batch->side, &status) && status && !cu->StreamEndCapture(s->batch->side, graph) && *graph)
        cu->GraphDestroy(*graph);
    *graph = NULL;
    return code;
}

/* Captures the library's work with these addresses as a graph. While capturing, calls that may wait or allocate are
 * errors in this thread; a library that makes one is not replayed. */
static int capture(situ_cuda *s, const situ_cuda_kernel *k, const uint64_t *value, cu_graph *graph)
{
    *graph = NULL;
    int code = ready_side(s);
    if (!code) code = SITU_CUDA_TRY(s, StreamBeginCapture, s->batch->side, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    if (code) return code;
    code = situ_cuda_library_start(s, k, value, s->batch->side);
    int ended = end_capture(s, graph);
    if (!code && !ended) return 0;
    if (*graph) situ_cuda_driver()->GraphDestroy(*graph);
    *graph = NULL;
    return code ? code : ended;
}

static int add_captured(situ_cuda *s, situ_cuda_graph *g, situ_cuda_node *node, cu_node *last)
{
    cu_graph child;
    int code = capture(s, node->kernel, g->value + node->value, &child);
    if (code) return code;
    code = SITU_CUDA_TRY(s, GraphAddChildGraphNode, &node->pass[0], g->graph, *last ? last : NULL, *last ? 1 : 0, child);
    situ_cuda_driver()->GraphDestroy(child);
    if (!code) *last = node->pass[0];
    return code;
}

static int add_kernel(situ_cuda *s, situ_cuda_graph *g, situ_cuda_node *node, void **parameter, cu_node *last)
{
    const situ_cuda_kernel *k = node->kernel;
    int code = 0;
    for (int p = 0; p < k->passes.count && !code; p++) {
        if (!k->passes.pass[p].blocks) continue;
        cu_kernel_node what = describe(k, p, g->value + node->value, parameter);
        code = SITU_CUDA_TRY(s, GraphAddKernelNode, &node->pass[p], g->graph, *last ? last : NULL, *last ? 1 : 0, &what);
        *last = node->pass[p];
    }
    return code;
}

/* Adds the nodes one after the other. */
static int add_nodes(situ_cuda *s, situ_cuda_graph *g, void **parameter)
{
    cu_node last = NULL;
    int code = 0;
    for (int i = 0; i < g->nodes && !code; i++) {
        situ_cuda_node *node = &g->node[i];
        code = situ_cuda_by_library(node->kernel) ? add_captured(s, g, node, &last) : add_kernel(s, g, node, parameter, &last);
    }
    return code ? code : SITU_CUDA_TRY(s, GraphInstantiateWithFlags, &g->exec, g->graph, 0);
}

/* The capture was refused: from now on the work of libraries in this run is started directly. */
static void leave_out(situ_cuda *s)
{
    situ_cuda_batch *b = s->batch;
    char text[160];
    snprintf(text, sizeof text, "not part of a CUDA graph: %.120s", situ_cuda_said());
    const char *why = situ_site_intern(text);
    for (int i = 0; i < b->nodes; i++) {
        if (!situ_cuda_by_library(b->node[i].kernel)) continue;
        b->node[i].kernel->uncaptured = true;
        s->uncaptured = why ? why : "not part of a CUDA graph";
    }
}

/* Makes a graph of the run that was just started. If that fails, the run is still launched one by one. */
static void make_graph(situ_cuda *s)
{
    situ_cuda_batch *b = s->batch;
    situ_cuda_kernel *first = b->node[0].kernel;
    if (first->graph) free_graph(s, first->graph);
    situ_cuda_graph *g = situ_calloc(1, sizeof *g);
    void **parameter = situ_malloc((size_t)most_values(b->node, b->nodes) * sizeof *parameter);
    if (g) {
        g->node = situ_malloc((size_t)b->nodes * sizeof *g->node);
        g->value = situ_malloc(((size_t)b->values + 1) * 8);
    }
    int code = g && parameter && g->node && g->value ? SITU_CUDA_TRY(s, GraphCreate, &g->graph, 0) : -SITU_NO_MEMORY;
    if (!code) {
        memcpy(g->node, b->node, (size_t)b->nodes * sizeof *g->node);
        memcpy(g->value, b->value, (size_t)b->values * 8);
        g->first = first;
        g->nodes = b->nodes;
        g->values = b->values;
        for (int i = 0; i < g->nodes; i++) g->node[i].kernel->graphs++;
        g->next = b->graphs;
        b->graphs = first->graph = g;
        if (add_nodes(s, g, parameter)) {
            leave_out(s);
            free_graph(s, g);
        }
    } else if (g) {
        situ_free(g->node);
        situ_free(g->value);
        situ_free(g);
    }
    situ_free(parameter);
}

/* Starts the recorded launches one by one. */
static int start_noted(situ_cuda *s, int nodes)
{
    situ_cuda_batch *b = s->batch;
    int code = 0;
    b->follows = NULL;
    for (int i = 0; i < nodes && !code; i++) code = situ_cuda_start(s, b->node[i].kernel, b->value + b->node[i].value);
    return code;
}

/* Sets the parameters of the batch for the next starts of the graph. */
static int give_values(situ_cuda *s, situ_cuda_graph *g, situ_cuda_node *node, void **parameter)
{
    const situ_cuda_kernel *k = node->kernel;
    const uint64_t *value = g->value + node->value;
    int code = 0;
    if (situ_cuda_by_library(k)) {
        cu_graph child;
        code = capture(s, k, value, &child);
        if (code) return code;
        code = SITU_CUDA_TRY(s, GraphExecChildGraphNodeSetParams, g->exec, node->pass[0], child);
        situ_cuda_driver()->GraphDestroy(child);
        return code;
    }
    for (int p = 0; p < k->passes.count && !code; p++) {
        cu_kernel_node what = describe(k, p, value, parameter);
        if (what.grid_x) code = SITU_CUDA_TRY(s, GraphExecKernelNodeSetParams, g->exec, node->pass[p], &what);
    }
    return code;
}

static int replay(situ_cuda *s, situ_cuda_graph *g)
{
    situ_cuda_batch *b = s->batch;
    void **parameter = NULL;
    int code = 0;
    for (int i = 0; i < g->nodes && !code; i++) {
        situ_cuda_node *node = &g->node[i];
        size_t bytes = 8 * (size_t)situ_cuda_parameters(node->kernel);
        uint64_t *old = g->value + node->value;
        if (!memcmp(old, b->value + node->value, bytes)) continue;
        if (!parameter && !(parameter = situ_malloc((size_t)most_values(g->node, g->nodes) * sizeof *parameter)))
            return start_noted(s, b->nodes);
        memcpy(old, b->value + node->value, bytes);
        code = give_values(s, g, node, parameter);
    }
    situ_free(parameter);
    if (code) {
        /* a run that becomes another graph each time is not worth it */
        g->first->broken = g->starts < WORTH ? g->first->broken + 1 : 0;
        free_graph(s, g); /* its parameters are a mixture of both runs */
        return start_noted(s, b->nodes);
    }
    g->starts++;
    code = SITU_CUDA_TRY(s, GraphLaunch, g->exec, s->compute);
    s->updating |= !code;
    return code;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

static bool grow(void **array, int *capacity, int needed, size_t size)
{
    if (needed <= *capacity) return true;
    int more = *capacity ? 2 * *capacity : 64;
    if (more < needed) more = needed;
    void *grown = situ_realloc(*array, (size_t)more * size);
    if (!grown) return false;
    *array = grown;
    *capacity = more;
    return true;
}

static bool note(situ_cuda_batch *b, situ_cuda_kernel *k, const uint64_t *value)
{
    if (b->partial || !grow((void **)&b->node, &b->node_room, b->nodes + 1, sizeof *b->node) ||
        !grow((void **)&b->value, &b->value_room, b->values + situ_cuda_parameters(k), 8)) {
        b->partial = true;
        return false;
    }
    b->node[b->nodes++] = (situ_cuda_node){.kernel = k, .value = b->values};
    memcpy(b->value + b->values, value, 8 * (size_t)situ_cuda_parameters(k));
    b->values += situ_cuda_parameters(k);
    return true;
}

int situ_cuda_run(situ_cuda *s, situ_cuda_kernel *k, const uint64_t *value)
{
    situ_cuda_batch *b = s->batch;
    if (k->uncaptured) {
        int code = situ_cuda_flush(s);
        return code ? code : situ_cuda_start(s, k, value);
    }
    int before = b->nodes;
    bool noted = note(b, k, value);
    if (noted && !before && k->graph) b->follows = k->graph;
    if (!b->follows) return situ_cuda_start(s, k, value);
    if (noted && before < b->follows->nodes && b->follows->node[before].kernel == k) return 0;
    int code = start_noted(s, before);
    return code ? code : situ_cuda_start(s, k, value);
}

static situ_hash hash_of(const situ_cuda_batch *b)
{
    situ_hash h = situ_hash_start(6);
    for (int i = 0; i < b->nodes; i++) situ_hash_word(&h, (uint64_t)(uintptr_t)b->node[i].kernel);
    return situ_hash_end(&h);
}

int situ_cuda_flush(situ_cuda *s)
{
    situ_cuda_batch *b = s->batch;
    int code = 0;
    if (s->lost) {
        code = -SITU_DEVICE_LOST;
    } else if (b->follows) {
        code = b->follows->nodes == b->nodes ? replay(s, b->follows) : start_noted(s, b->nodes);
    } else if (b->nodes >= SHORTEST && !b->partial && !s->waits && b->node[0].kernel->broken < TRIES && wanted()) {
        situ_hash now = hash_of(b);
        if (situ_hash_equal(now, b->node[0].kernel->begun)) make_graph(s);
        b->node[0].kernel->begun = now;
    }
    b->follows = NULL;
    b->nodes = b->values = 0;
    b->partial = false;
    return code;
}
