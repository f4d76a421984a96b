/* Resolves names to value indices. A graph sees its own values and those of the graphs around it. */
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "onnx/model.h"

/* A visible name. Hash buckets are linked lists, newest first; when a graph ends, its entries are removed again. */
typedef struct entry {
    const char *name;
    int value, next;
    uint32_t bucket;
} entry;
typedef struct linker {
    situ_onnx_model *m;
    situ_site site;
    entry *seen;
    int count, capacity;
    int *first; /* [bucket] 1 + index of its newest entry */
    uint32_t buckets;
} linker;

static uint32_t bucket_of(const linker *l, const char *name)
{
    uint64_t h = 1469598103934665603u;
    for (; *name; name++) h = (h ^ (uint8_t)*name) * 1099511628211u;
    return (uint32_t)(h >> 20) & (l->buckets - 1);
}

static int find(const linker *l, const char *name)
{
    for (int i = l->first[bucket_of(l, name)]; i; i = l->seen[i - 1].next)
        if (!strcmp(l->seen[i - 1].name, name)) return l->seen[i - 1].value;
    return -1;
}

static int add(linker *l, const char *name)
{
    if (l->count == l->capacity) {
        entry *grown = situ_realloc(l->seen, (size_t)(l->capacity = 2 * l->capacity + 64) * sizeof *grown);
        if (!grown) return situ_fail(SITU_NO_MEMORY, l->site, "situ_onnx_load: out of host memory"), -1;
        l->seen = grown;
    }
    uint32_t b = bucket_of(l, name);
    l->seen[l->count] = (entry){name, l->m->values, l->first[b], b};
    l->first[b] = ++l->count;
    return l->m->values++;
}

static void link_graph(linker *l, situ_onnx_graph *g);

/* Adds a name unless the graph that began at `outer` has it already. */
static int add_once(linker *l, const char *name, int outer)
{
    for (int i = l->first[bucket_of(l, name)]; i > outer; i = l->seen[i - 1].next)
        if (!strcmp(l->seen[i - 1].name, name))
            return situ_fail(SITU_BAD_FORMAT, l->site, "situ_onnx_load: \"%s\" is made twice in one graph", name);
    return add(l, name);
}

static void link_node(linker *l, situ_onnx_node *n, int outer)
{
    for (int i = 0; i < n->ins && !situ_error_code; i++) {
        n->in[i] = *n->in_name[i] ? find(l, n->in_name[i]) : -1;
        if (*n->in_name[i] && n->in[i] < 0)
            situ_fail(SITU_BAD_FORMAT, l->site, "situ_onnx_load: nothing before node \"%s\" (%s) makes its input \"%s\"", n->name,
                n->type, n->in_name[i]);
    }
    for (int i = 0; i < n->attributes && !situ_error_code; i++)
        if (n->attribute[i].g) link_graph(l, n->attribute[i].g);
    for (int i = 0; i < n->outs && !situ_error_code; i++) n->out[i] = *n->out_name[i] ? add_once(l, n->out_name[i], outer) : -1;
}

static void link_graph(linker *l, situ_onnx_graph *g)
{
    int outer = l->count;
    for (int i = 0; i < g->constants && !situ_error_code; i++) g->constant[i].value = add_once(l, g->constant[i].name, outer);
    for (int i = 0; i < g->inputs && !situ_error_code; i++) g->input[i].value = add_once(l, g->input[i].name, outer);
    for (int i = 0; i < g->nodes && !situ_error_code; i++) link_node(l, &g->node[i], outer);
    for (int i = 0; i < g->results && !situ_error_code; i++)
        if ((g->result[i].value = find(l, g->result[i].name)) < 0)
            situ_fail(SITU_BAD_FORMAT, l->site, "situ_onnx_load: nothing makes the result \"%s\"", g->result[i].name);
    while (l->count > outer) {
        const entry *e = &l->seen[--l->count];
        l->first[e->bucket] = e->next;
    }
}

/* Removes initializers from the list of inputs, where files before IR 4 repeat them. Runs before names are resolved. */
static void drop_inputs(situ_onnx_graph *g)
{
    int kept = 0;
    for (int i = 0; i < g->inputs; i++) {
        bool constant = false;
        for (int k = 0; k < g->constants && !constant; k++) constant = !strcmp(g->constant[k].name, g->input[i].name);
        if (!constant) g->input[kept++] = g->input[i];
    }
    g->inputs = kept;
}

int situ_onnx_link(situ_onnx_model *m, situ_site site)
{
    linker l = {.m = m, .site = site, .buckets = 64};
    while (l.buckets < 65536 && (int)l.buckets < m->graph->nodes + m->graph->constants) l.buckets *= 2;
    if (!(l.first = situ_calloc(l.buckets, sizeof *l.first)))
        return situ_fail(SITU_NO_MEMORY, site, "situ_onnx_load: out of host memory");
    drop_inputs(m->graph);
    link_graph(&l, m->graph);
    situ_free(l.first);
    situ_free(l.seen);
    return situ_error_code ? -situ_error_code : 0;
}
