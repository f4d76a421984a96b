/* The ways between the points of a node. A copy takes as long as its way's latency and its bytes over the way's
 * narrowest link, so which way is quickest depends on the bytes: between two points all ways are kept of which none
 * has both more bandwidth and less latency. */
#include <math.h>
#include <stdlib.h>

#include "backend/sim/cluster.h"
#include "base/memory.h"

/* The links at each point: those of point p are edge[first[p]] to edge[first[p + 1] - 1]; an edge is 2 * link +
 * direction. */
typedef struct graph {
    const situ_cluster *c;
    int first[SITU_CLUSTER_POINTS + 1], *edge;
    double *width; /* the bandwidths that occur, the widest first */
    int widths, capacity;
} graph;

/* The quickest ways from one point over links of at least some bandwidth. */
typedef struct search {
    double latency[SITU_CLUSTER_POINTS];
    int hops[SITU_CLUSTER_POINTS], by[SITU_CLUSTER_POINTS]; /* by: the edge that leads there */
    bool fixed[SITU_CLUSTER_POINTS];
} search;

static int wider(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x > *y ? -1 : *x < *y;
}

static bool open_graph(graph *g, const situ_cluster *c)
{
    *g = (graph){.c = c,
        .edge = situ_malloc((2 * (size_t)c->links + 1) * sizeof *g->edge),
        .width = situ_malloc(((size_t)c->links + 1) * sizeof *g->width)};
    if (!g->edge || !g->width) return false;
    int n = 0;
    for (int p = 0; p < c->points; p++) {
        g->first[p] = n;
        for (int k = 0; k < c->links; k++) {
            if (c->link[k].from == p) g->edge[n++] = 2 * k;
            if (c->link[k].to == p) g->edge[n++] = 2 * k + 1;
        }
    }
    g->first[c->points] = n;
    for (int k = 0; k < c->links; k++) g->width[k] = c->link[k].bandwidth;
    qsort(g->width, (size_t)c->links, sizeof *g->width, wider);
    for (int k = 0; k < c->links; k++)
        if (!k || g->width[k] < g->width[g->widths - 1]) g->width[g->widths++] = g->width[k];
    return true;
}

static bool is_nearer(const search *s, int a, int b)
{
    return s->latency[a] < s->latency[b] || (s->latency[a] == s->latency[b] && s->hops[a] < s->hops[b]);
}

/* Dijkstra's algorithm; a way does not lead through other cards. */
static void find(const graph *g, int from, double width, search *s)
{
    const situ_cluster *c = g->c;
    for (int i = 0; i < c->points; i++)
        s->latency[i] = i == from ? 0 : INFINITY, s->hops[i] = 0, s->by[i] = -1, s->fixed[i] = false;
    for (;;) {
        int near = -1;
        for (int i = 0; i < c->points; i++)
            if (!s->fixed[i] && isfinite(s->latency[i]) && (near < 0 || is_nearer(s, i, near))) near = i;
        if (near < 0) return;
        s->fixed[near] = true;
        if (near != from && near < c->cards) continue;
        for (int e = g->first[near]; e < g->first[near + 1]; e++) {
            const situ_cluster_link *l = &c->link[g->edge[e] / 2];
            int other = g->edge[e] % 2 ? l->from : l->to, hops = s->hops[near] + 1;
            double latency = s->latency[near] + l->latency;
            if (l->bandwidth < width || s->fixed[other]) continue;
            if (latency > s->latency[other] || (latency == s->latency[other] && s->by[other] >= 0 && hops >= s->hops[other]))
                continue;
            s->latency[other] = latency;
            s->hops[other] = hops;
            s->by[other] = g->edge[e];
        }
    }
}

static void write_way(const situ_cluster *c, const search *s, int to, double width, situ_cluster_way *way)
{
    *way = (situ_cluster_way){.latency = s->latency[to], .bandwidth = width, .hops = s->hops[to]};
    for (int k = way->hops, at = to; k-- > 0;) {
        const situ_cluster_link *l = &c->link[s->by[at] / 2];
        way->hop[k] = (int16_t)(l->shared ? s->by[at] & ~1 : s->by[at]);
        at = s->by[at] % 2 ? l->to : l->from;
    }
}

static bool keep(situ_cluster *c, graph *g, const search *s, int from, int to, double width)
{
    int16_t *choices = &c->choices[from][to];
    if (s->hops[to] > SITU_CLUSTER_HOPS) {
        if (!*choices) *choices = -1;
        return true;
    }
    if (c->ways == g->capacity) {
        int capacity = g->capacity ? 2 * g->capacity : 256;
        situ_cluster_way *more = situ_realloc(c->way, (size_t)capacity * sizeof *more);
        if (!more) return false;
        c->way = more;
        g->capacity = capacity;
    }
    if (*choices <= 0) c->at[from][to] = c->ways, *choices = 0;
    ++*choices;
    write_way(c, s, to, width, &c->way[c->ways++]);
    return true;
}

/* The ways from one point, by falling bandwidth; a narrower one is kept if it has less latency. */
static bool find_from(situ_cluster *c, graph *g, int from, search *all)
{
    bool good = true;
    search *least = &all[g->widths]; /* without regard to bandwidth */
    int used = g->widths;
    find(g, from, 0, least);
    for (int w = 0; w < used; w++) {
        find(g, from, g->width[w], &all[w]);
        bool rest = false;
        for (int to = 0; to < c->points; to++) rest |= isfinite(least->latency[to]) && all[w].latency[to] > least->latency[to];
        if (!rest) used = w + 1;
    }
    for (int to = 0; to < c->points && good; to++) {
        double latency = INFINITY;
        for (int w = 0; w < used && to != from && good; w++) {
            if (!(all[w].latency[to] < latency)) continue;
            latency = all[w].latency[to];
            good = keep(c, g, &all[w], from, to, g->width[w]);
        }
    }
    return good;
}

bool situ_cluster_routes(situ_cluster *c)
{
    static _Atomic uint64_t number;
    graph g;
    c->identity = ++number;
    c->ways = 0;
    for (int i = 0; i < c->points; i++)
        for (int k = 0; k < c->points; k++) c->choices[i][k] = 0;
    bool good = open_graph(&g, c);
    search *all = good ? situ_malloc(((size_t)g.widths + 1) * sizeof *all) : NULL;
    good &= all != NULL;
    for (int i = 0; i < c->points && good; i++) good = find_from(c, &g, i, all);
    situ_free(all);
    situ_free(g.edge);
    situ_free(g.width);
    return good;
}

/* ---- the way of a copy ------------------------------------------------------------------------------------------------------ */

/* The quicker of two parts of a way: out of a node, and into the other. */
typedef struct choice {
    const situ_cluster_way *part[2];
    double seconds, latency;
} choice;

static void try(choice *best, const situ_cluster_way *a, const situ_cluster_way *b, double bytes)
{
    double latency = a->latency + (b ? b->latency : 0), width = b && b->bandwidth < a->bandwidth ? b->bandwidth : a->bandwidth;
    double seconds = latency + bytes / width;
    if (a->hops + (b ? b->hops : 0) > SITU_CLUSTER_HOPS || seconds >= best->seconds) return;
    *best = (choice){{a, b}, seconds, latency};
}

int situ_cluster_path(const situ_cluster *c, int from, int to, double bytes, int way[SITU_CLUSTER_HOPS], double *latency)
{
    int node[2] = {from / c->points, to / c->points}, a = from % c->points, b = to % c->points, n = 0, net = c->network;
    choice best = {.seconds = INFINITY};
    *latency = 0;
    if (from == to) return 0;
    if (node[0] == node[1])
        for (int i = 0; i < c->choices[a][b]; i++) try(&best, &c->way[c->at[a][b] + i], NULL, bytes);
    else if (net < 0) return -1;
    else if (a == net || b == net) { /* the network is one point for all nodes */
        int first = a == net ? net : a, last = a == net ? b : net;
        if (first == last) return 0;
        if (a == net) node[0] = node[1];
        for (int i = 0; i < c->choices[first][last]; i++) try(&best, &c->way[c->at[first][last] + i], NULL, bytes);
    } else
        for (int i = 0; i < c->choices[a][net]; i++)
            for (int k = 0; k < c->choices[net][b]; k++) try(&best, &c->way[c->at[a][net] + i], &c->way[c->at[net][b] + k], bytes);
    if (!best.part[0]) return -1;
    for (int p = 0; p < 2 && best.part[p]; p++)
        for (int k = 0; k < best.part[p]->hops; k++) way[n++] = 2 * node[p] * c->links + best.part[p]->hop[k];
    *latency = best.latency;
    return n;
}
