/* Runs of launches. A run that was launched twice in the same order becomes a graph of CUDA. From then on its kernels are
 * only noted as they come; at flush the graph gets the parameters that have changed, and is started as one. A run that
 * leaves the known order is launched one by one after all. */
#include "backend/cuda/kernel.h"

#include <string.h>

#include "base/memory.h"

enum { SHORTEST = 2 };

typedef struct situ_cuda_node {
    situ_cuda_kernel *kernel;
    int value;                       /* where its parameters begin            */
    cu_node pass[SITU_PASSES];
} situ_cuda_node;

typedef struct situ_cuda_graph {
    struct situ_cuda_graph *next;
    situ_cuda_kernel *first;
    cu_graph graph;
    cu_exec exec;
    int nodes, values;
    situ_cuda_node *node;
    uint64_t *value;                 /* of the last start                     */
} situ_cuda_graph;

typedef struct situ_cuda_batch {
    situ_cuda_graph *graphs;         /* all of the device                     */
    situ_cuda_graph *follows;        /* the run so far is its beginning, and nothing of it was started */
    int nodes, node_room, values, value_room;
    bool partial;                    /* there was no memory to note all of it */
    situ_cuda_node *node;
    uint64_t *value;
} situ_cuda_batch;

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
    situ_free(b->node);
    situ_free(b->value);
    memset(b, 0, sizeof *b);
}

/* What one pass of a node is to CUDA; parameter: room for its kernel's. */
static cu_kernel_node describe(const situ_cuda_kernel *k, int pass, const uint64_t *value, void **parameter)
{
    for (int i = 0; i < situ_cuda_parameters(k); i++) parameter[i] = (void *)(uintptr_t)&value[i];
    return (cu_kernel_node){.function = k->pass[pass], .grid_x = (unsigned)k->passes.pass[pass].blocks, .grid_y = 1, .grid_z = 1,
                            .block_x = (unsigned)k->passes.pass[pass].threads, .block_y = 1, .block_z = 1, .parameters = parameter};
}

static int most_values(const situ_cuda_node *node, int nodes)
{
    int most = 1;
    for (int i = 0; i < nodes; i++)
        if (situ_cuda_parameters(node[i].kernel) > most) most = situ_cuda_parameters(node[i].kernel);
    return most;
}

/* One node after the other. */
static int add_nodes(situ_cuda *s, situ_cuda_graph *g, void **parameter)
{
    cu_node last = NULL;
    int code = 0;
    for (int i = 0; i < g->nodes; i++) {
        const situ_cuda_kernel *k = g->node[i].kernel;
        for (int p = 0; p < k->passes.count && !code; p++) {
            if (!k->passes.pass[p].blocks) continue;
            cu_kernel_node what = describe(k, p, g->value + g->node[i].value, parameter);
            code = SITU_CUDA_TRY(s, GraphAddKernelNode, &g->node[i].pass[p], g->graph, last ? &last : NULL, last ? 1 : 0, &what);
            last = g->node[i].pass[p];
        }
    }
    return code ? code : SITU_CUDA_TRY(s, GraphInstantiateWithFlags, &g->exec, g->graph, 0);
}

/* Of the run that was just started. Where that fails the run goes on being launched one by one. */
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
        if (add_nodes(s, g, parameter)) free_graph(s, g);
    } else if (g) {
        situ_free(g->node);
        situ_free(g->value);
        situ_free(g);
    }
    situ_free(parameter);
}

/* What was only noted is started one by one. */
static int start_noted(situ_cuda *s, int nodes)
{
    situ_cuda_batch *b = s->batch;
    int code = 0;
    b->follows = NULL;
    for (int i = 0; i < nodes && !code; i++) code = situ_cuda_start(s, b->node[i].kernel, b->value + b->node[i].value);
    return code;
}

static int replay(situ_cuda *s, situ_cuda_graph *g)
{
    situ_cuda_batch *b = s->batch;
    void **parameter = NULL;
    int code = 0;
    for (int i = 0; i < g->nodes && !code; i++) {
        const situ_cuda_kernel *k = g->node[i].kernel;
        uint64_t *old = g->value + g->node[i].value;
        if (!memcmp(old, b->value + g->node[i].value, 8 * (size_t)situ_cuda_parameters(k))) continue;
        if (!parameter && !(parameter = situ_malloc((size_t)most_values(g->node, g->nodes) * sizeof *parameter))) return start_noted(s, b->nodes);
        memcpy(old, b->value + g->node[i].value, 8 * (size_t)situ_cuda_parameters(k));
        for (int p = 0; p < k->passes.count && !code; p++) {
            cu_kernel_node what = describe(k, p, old, parameter);
            if (what.grid_x) code = SITU_CUDA_TRY(s, GraphExecKernelNodeSetParams, g->exec, g->node[i].pass[p], &what);
        }
    }
    situ_free(parameter);
    if (code) {
        free_graph(s, g); /* its parameters are of both runs */
        return start_noted(s, b->nodes);
    }
    return SITU_CUDA_TRY(s, GraphLaunch, g->exec, s->compute);
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

static bool grow(void **array, int *room, int needed, size_t size)
{
    if (needed <= *room) return true;
    int more = *room ? 2 * *room : 64;
    if (more < needed) more = needed;
    void *grown = situ_realloc(*array, (size_t)more * size);
    if (!grown) return false;
    *array = grown;
    *room = more;
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
    } else if (b->nodes >= SHORTEST && !b->partial && !s->waits) {
        situ_hash now = hash_of(b);
        if (situ_hash_equal(now, b->node[0].kernel->begun)) make_graph(s);
        b->node[0].kernel->begun = now;
    }
    b->follows = NULL;
    b->nodes = b->values = 0;
    b->partial = false;
    return code;
}
