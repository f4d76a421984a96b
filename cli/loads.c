/* The copies of an exchange share links, so that the quickest way of a copy alone may be a bad one for all together,
 * and a wider link that draws all copies to it could slow them. Hence an exchange is tried by several choices of ways,
 * which depend on what is joined with what and not on bandwidths or latencies: ways of the fewest links, once over all
 * links and once around each line of the text and each two. The best of them is taken. So more bandwidth, or less
 * latency, slows no exchange. */
#include "loads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 1024, LINES_IN_PAIRS = 6, LINES_ALONE = 40, CHOICES = 1 + LINES_ALONE + LINES_IN_PAIRS * (LINES_IN_PAIRS - 1) / 2 };

/* ---- ways by what is joined ------------------------------------------------------------------------------------------------ */

/* by[to][from]: 1 + 2 * link + direction of the first link on the way; 0: none. */
typedef struct ways {
    int16_t by[SITU_CLUSTER_POINTS][SITU_CLUSTER_POINTS];
} ways;

/* What was found for a cluster, since a program has many exchanges of the same cards. */
static struct {
    uint64_t identity;
    int n[CLI_PATTERNS], count[CLI_PATTERNS];
    cli_fit fit[CLI_PATTERNS][CHOICES];
    ways *way[CHOICES];
    int16_t joins[SITU_CLUSTER_POINTS][SITU_CLUSTER_POINTS]; /* 1 + the link of two points; 0: none */
    int choices;
} kept;

/* Names decide between ways of as many links, not the order of the lines. */
static bool is_before(const situ_cluster *c, int a, int b)
{
    if (a < c->cards || b < c->cards) return a < b;
    return strcmp(c->point[a], c->point[b]) < 0;
}

static void find_ways(const situ_cluster *c, int to, const int around[2], ways *w)
{
    int far[SITU_CLUSTER_POINTS], next[SITU_CLUSTER_POINTS] = {0};
    bool fixed[SITU_CLUSTER_POINTS] = {false};
    for (int i = 0; i < c->points; i++) far[i] = i == to ? 0 : 1 << 30, w->by[to][i] = 0;
    for (;;) {
        int near = -1;
        for (int i = 0; i < c->points; i++)
            if (!fixed[i] && far[i] < 1 << 30 && (near < 0 || far[i] < far[near])) near = i;
        if (near < 0) return;
        fixed[near] = true;
        if (near != to && near < c->cards) continue;
        for (int other = 0; other < c->points; other++) {
            if (fixed[other] || !kept.joins[near][other]) continue;
            const situ_cluster_link *l = &c->link[kept.joins[near][other] - 1];
            int hops = far[near] + 1 + (l->line == around[0] || l->line == around[1] ? AROUND : 0);
            if (hops > far[other] || (hops == far[other] && !is_before(c, near, next[other]))) continue;
            far[other] = hops;
            next[other] = near;
            w->by[to][other] = (int16_t)(1 + 2 * (l - c->link) + (l->from != other && !l->shared));
        }
    }
}

/* ---- loads ----------------------------------------------------------------------------------------------------------------- */

/* Full nodes behave alike, so that two of them stand for all, and the last one, which may have fewer cards. */
typedef struct load {
    const situ_cluster *c;
    const ways *w;
    int n, nodes, full, rest; /* cards; nodes that have some; those with all of theirs; cards of the last node if it has not */
    int shown, cards;         /* nodes that are looked at, and their cards */
    double *bytes;            /* [2 * links * shown] for each byte that a card sends */
    double latency;
} load;

static bool open_load(load *l, const situ_cluster *c, int n)
{
    *l = (load){.c = c, .n = n, .full = n / c->cards, .rest = n % c->cards};
    int full = l->full < 2 ? l->full : 2;
    l->nodes = l->full + (l->rest > 0);
    l->shown = full + (l->rest > 0);
    l->cards = full * c->cards + l->rest;
    l->bytes = malloc((2 * (size_t)c->links * (size_t)l->shown + 1) * sizeof *l->bytes);
    return l->bytes != NULL;
}

double cli_level_latency(const situ_cluster *c, int nodes)
{
    double latency = 0;
    for (int i = 0; i < c->levels && nodes > c->level[i].nodes; i++) latency += 2 * c->level[i].latency;
    return latency;
}

/* The part of a copy within a node. */
static double walk(load *l, int node, int from, int to, double bytes)
{
    const situ_cluster *c = l->c;
    double latency = 0;
    while (from != to) {
        int by = l->w->by[to][from] - 1;
        const situ_cluster_link *k = &c->link[by / 2];
        l->bytes[2 * node * c->links + by] += bytes;
        latency += k->latency;
        from = k->from == from ? k->to : k->from;
    }
    return latency;
}

/* A copy, which in the first node stands for `times` as many. */
static void add(load *l, const int node[2], int from, int to, double bytes, double times)
{
    const situ_cluster *c = l->c;
    double latency;
    if (node[0] == node[1]) latency = walk(l, node[0], from, to, bytes);
    else
        latency = walk(l, node[0], from, c->network, node[0] ? bytes : bytes * times) +
            walk(l, node[1], c->network, to, node[1] ? bytes : bytes * times) + cli_level_latency(c, l->nodes);
    l->latency = fmax(l->latency, latency);
}

static void add_cards(load *l, int a, int b, double bytes, double times)
{
    int each = l->c->cards;
    add(l, (int[2]){a / each, b / each}, a % each, b % each, bytes, times);
}

/* Each card sends to every other one. A card's bytes to and from other nodes are summed up on its node's links to the
 * network. */
static void add_to_all(load *l, double part)
{
    const situ_cluster *c = l->c;
    for (int i = 0; i < l->cards; i++) {
        int node = i / c->cards, first = node * c->cards;
        int here = first + c->cards < l->cards ? c->cards : l->cards - first;
        for (int k = first; k < first + here; k++)
            if (k != i) add_cards(l, i, k, part, 1);
        if (l->nodes == 1) continue;
        walk(l, node, i % c->cards, c->network, part * (l->n - here));
        walk(l, node, c->network, i % c->cards, part * (l->n - here));
        for (int k = 0; k < l->cards; k++) /* the latency between nodes */
            if (k / c->cards != node) add_cards(l, i, k, 0, 1);
    }
}

static void add_all(load *l, cli_pattern p, int host)
{
    double part = l->n > 1 ? 1. / (l->n - 1) : 1;
    if (p == CLI_TO_ALL) add_to_all(l, part);
    for (int i = 0; i < l->cards && p != CLI_TO_ALL; i++) {
        int node = i / l->c->cards, own = i % l->c->cards;
        double times = node == 1 && l->full > 1 ? l->full - 1 : 1;
        switch (p) {
        case CLI_TO_ALL: break;
        case CLI_TO_NEIGHBOUR:
            if (l->cards > 1) add_cards(l, i, (i + 1) % l->cards, 1, 1);
            break;
        case CLI_FROM_ONE:
            if (i) add_cards(l, 0, i, part, times);
            break;
        case CLI_TO_ONE:
            if (i) add_cards(l, i, 0, 1, times);
            break;
        case CLI_TO_HOST: add(l, (int[2]){node, 0}, own, host, 1, times); break;
        case CLI_FROM_HOST: add(l, (int[2]){0, node}, host, own, 1, times); break;
        case CLI_PATTERNS: break;
        }
    }
}

/* What leaves or reaches a switch over nodes, for each byte that a card sends: that of a full group, in the greater
 * direction. */
static double crossing(const load *l, cli_pattern p, int nodes)
{
    double group = (double)nodes * l->c->cards, rest = l->n - group;
    switch (p) {
    case CLI_TO_ALL: {
        double others = group - nodes - (l->c->cards - 1); /* of the same switch, but another rail */
        return group * (rest + (l->c->rails && others > 0 ? others : 0)) / (l->n - 1);
    }
    case CLI_TO_NEIGHBOUR: return 1;
    case CLI_FROM_ONE: return rest / (l->n - 1);
    default: return rest;
    }
}

static cli_fit fit_of(load *l, cli_pattern p, int host)
{
    const situ_cluster *c = l->c;
    cli_fit f = {0};
    size_t n = 2 * (size_t)c->links * (size_t)l->shown;
    memset(l->bytes, 0, n * sizeof *l->bytes);
    l->latency = 0;
    add_all(l, p, host);
    for (size_t i = 0; i < n; i++) {
        const situ_cluster_link *k = &c->link[i / 2 % (size_t)c->links];
        if (l->bytes[i] / k->bandwidth > f.per_byte) f.per_byte = l->bytes[i] / k->bandwidth, f.line = k->line;
    }
    for (int i = 0; i < l->shown * c->points; i++) {
        int point = i % c->points, first = 2 * c->links * (i / c->points);
        double through = 0;
        for (int k = 0; k < 2 * c->links && c->capacity[point] > 0; k++)
            through += (k % 2 ? c->link[k / 2].from : c->link[k / 2].to) == point ? l->bytes[first + k] : 0;
        if (c->capacity[point] > 0 && through / c->capacity[point] > f.per_byte)
            f.per_byte = through / c->capacity[point], f.line = c->capacity_line[point];
    }
    for (int i = 0; i < c->levels && l->nodes > c->level[i].nodes; i++) {
        double seconds = crossing(l, p, c->level[i].nodes) / c->level[i].bandwidth;
        if (seconds > f.per_byte) f.per_byte = seconds, f.line = c->level[i].line;
    }
    f.latency = l->latency;
    return f;
}

/* ---- all choices ----------------------------------------------------------------------------------------------------------- */

static bool add_choice(const situ_cluster *c, int a, int b)
{
    ways **w = &kept.way[kept.choices];
    if (!*w && !(*w = malloc(sizeof **w))) return false;
    int host = situ_cluster_point(c, "host");
    for (int to = 0; to < c->points; to++)
        if (to < c->cards || to == c->network || to == host) find_ways(c, to, (int[2]){a, b}, *w);
    kept.choices++;
    return true;
}

static bool choose(const situ_cluster *c)
{
    int line[LINES_ALONE], lines = 0;
    for (int k = 0; k < c->links && lines < LINES_ALONE; k++)
        if (!k || c->link[k].line != c->link[k - 1].line) line[lines++] = c->link[k].line;
    kept.identity = c->identity;
    kept.choices = 0;
    memset(kept.n, 0, sizeof kept.n);
    memset(kept.joins, 0, sizeof kept.joins);
    for (int k = 0; k < c->links; k++)
        kept.joins[c->link[k].from][c->link[k].to] = kept.joins[c->link[k].to][c->link[k].from] = (int16_t)(k + 1);
    bool good = add_choice(c, -1, -1);
    if (c->links < c->points) return good; /* a tree: there is one way */
    for (int i = 0; i < lines && good; i++) good = add_choice(c, line[i], -1);
    for (int i = 0; i < lines && lines <= LINES_IN_PAIRS && good; i++)
        for (int k = 0; k < i && good; k++) good = add_choice(c, line[i], line[k]);
    return good;
}

const cli_fit *cli_loads(const situ_cluster *c, cli_pattern p, int n, int *count)
{
    load l;
    int host = situ_cluster_point(c, "host");
    bool far = n > c->cards && (p == CLI_TO_HOST || p == CLI_FROM_HOST);
    if ((p == CLI_TO_HOST || p == CLI_FROM_HOST) && host < 0) return NULL;
    if (far && c->choices[c->network][host] <= 0) return NULL; /* no link leads from the network to the host */
    if (kept.identity != c->identity && !choose(c)) return kept.identity = 0, NULL;
    if (kept.n[p] != n) {
        if (!open_load(&l, c, n)) return NULL;
        for (int i = 0; i < kept.choices; i++) l.w = kept.way[i], kept.fit[p][i] = fit_of(&l, p, host);
        free(l.bytes);
        kept.n[p] = n;
        kept.count[p] = kept.choices;
    }
    *count = kept.count[p];
    return kept.fit[p];
}
