/* How long exchanges take. Situ's own ways are put on the links: they take as long as the busiest link, and the
 * latencies of their turns. NCCL's ways are found as its own model finds them: what a ring or a tree can carry within
 * a node and between nodes, and what each step costs. */
#include "exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loads.h"

const char *const cli_collective_names[CLI_COLLECTIVES] = {
    "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast", "send"};
const char *const cli_way_names[CLI_WAYS] = {
    "direct", "ring", "card", "host", "nccl", "nccl-ring", "nccl-tree", "nvls", "nvls-tree", "hierarchical"};

/* ---- situ's own ways ------------------------------------------------------------------------------------------------------- */

/* Seconds until the first n cards have finished, if each sends `bytes` bytes: the time of the busiest link, which is
 * never idle. */
static cli_exchange pattern_time(const situ_cluster *c, cli_pattern p, int n, double bytes)
{
    int count = 0, messages = p == CLI_TO_ALL || p == CLI_TO_NEIGHBOUR || p == CLI_FROM_ONE ? n - 1 : 1;
    int turns = p == CLI_TO_NEIGHBOUR ? n - 1 : 1;
    const cli_fit *f = cli_loads(c, p, n, &count);
    cli_exchange best = {.seconds = -1, .protocol = ""};
    for (int i = 0; i < count; i++) {
        double latency = turns * f[i].latency + messages * c->message, seconds = latency + bytes * f[i].per_byte;
        if (best.seconds < 0 || seconds < best.seconds)
            best = (cli_exchange){.seconds = seconds, .latency = latency, .protocol = "", .line = f[i].line};
    }
    return best;
}

/* One copy, from the first card to the second. */
static cli_exchange send_time(const situ_cluster *c, int n, double bytes)
{
    int way[SITU_CLUSTER_HOPS], hops;
    double narrowest = INFINITY;
    cli_exchange e = {.protocol = ""};
    if (n < 2) return e;
    hops = situ_cluster_path(c, situ_cluster_card(c, 0), situ_cluster_card(c, 1), bytes, way, &e.latency);
    for (int k = 0; k < hops; k++) {
        const situ_cluster_link *l = &c->link[way[k] / 2 % c->links];
        if (l->bandwidth < narrowest) narrowest = l->bandwidth, e.line = l->line;
    }
    if (c->cards == 1) e.latency += cli_level_latency(c, 2);
    e.latency += c->message;
    e.seconds = e.latency + bytes / narrowest;
    return e;
}

/* ---- what rings and trees can carry ------------------------------------------------------------------------------------------ */

/* The most bytes/s from one point to another, or to the network, over the first k cards of a node (Edmonds and Karp). */
typedef struct stream {
    const situ_cluster *c;
    int k, to;
    bool network;                /* may be passed */
    double *room;                /* [2 * links] left in each direction */
    int by[SITU_CLUSTER_POINTS]; /* the directed link by which a point was reached; -1: none, -2: the source */
} stream;

static bool reach(stream *s, int from)
{
    const situ_cluster *c = s->c;
    int queue[SITU_CLUSTER_POINTS], n = 0;
    for (int i = 0; i < c->points; i++) s->by[i] = -1;
    for (int i = 0; i < c->points; i++)
        if (from < 0 ? i < s->k : i == from) s->by[i] = -2, queue[n++] = i;
    for (int at = 0; at < n; at++)
        for (int w = 0; w < 2 * c->links; w++) {
            const situ_cluster_link *l = &c->link[w / 2];
            int a = w % 2 ? l->to : l->from, b = w % 2 ? l->from : l->to;
            if (a != queue[at] || s->by[b] != -1 || s->room[w] <= 0 || (b < c->cards && b >= s->k)) continue;
            if (b == c->network && b != s->to && !s->network) continue;
            s->by[b] = w;
            if (b == s->to) return true;
            queue[n++] = b;
        }
    return false;
}

static double most(const situ_cluster *c, int k, int from, int to, bool network)
{
    stream s = {.c = c, .k = k, .to = to, .network = network, .room = malloc((2 * (size_t)c->links + 1) * sizeof *s.room)};
    double sum = 0;
    if (!s.room) return 0;
    for (int w = 0; w < 2 * c->links; w++) s.room[w] = c->link[w / 2].bandwidth / (c->link[w / 2].shared ? 2 : 1);
    while (reach(&s, from)) {
        double least = INFINITY;
        for (int at = to, w; (w = s.by[at]) >= 0; at = w % 2 ? c->link[w / 2].to : c->link[w / 2].from)
            least = fmin(least, s.room[w]);
        for (int at = to, w; (w = s.by[at]) >= 0; at = w % 2 ? c->link[w / 2].to : c->link[w / 2].from)
            s.room[w] -= least, s.room[w ^ 1] += least;
        sum += least;
    }
    free(s.room);
    return sum;
}

double cli_inside(const situ_cluster *c, int k)
{
    double least = INFINITY;
    for (int j = 1; j < k; j++) least = fmin(least, most(c, k, 0, j, false));
    if (least > 0) return least;
    least = INFINITY; /* only the network joins them */
    for (int j = 1; j < k; j++) least = fmin(least, most(c, k, 0, j, true));
    return least;
}

double cli_outside(const situ_cluster *c, int k) { return c->network < 0 ? 0 : most(c, k, -1, c->network, true); }

/* ---- NCCL ------------------------------------------------------------------------------------------------------------------- */

enum {
#define PROTOCOL(NAME, name, share, base) NAME,
#define HOP(kind, ll, ll128, simple)
#define SHARE(name, value)
#include "nccl.def"
    PROTOCOLS
};
enum {
#define PROTOCOL(NAME, name, share, base)
#define HOP(kind, ll, ll128, simple) HOP_##kind,
#define SHARE(name, value)
#include "nccl.def"
    HOPS
};
static const struct protocol {
    const char *name;
    double share, base;
} protocols[] = {
#define PROTOCOL(NAME, name, share, base) {name, share, base},
#define HOP(kind, ll, ll128, simple)
#define SHARE(name, value)
#include "nccl.def"
};
static const double hops[HOPS][PROTOCOLS] = {
#define PROTOCOL(NAME, name, share, base)
#define HOP(kind, ll, ll128, simple) {ll, ll128, simple},
#define SHARE(name, value)
#include "nccl.def"
};
static const struct {
    double tree, tree_pair, nvls, nvls_base;
} shares = {
#define PROTOCOL(NAME, name, share, base)
#define HOP(kind, ll, ll128, simple)
#define SHARE(name, value) .name = (value),
#include "nccl.def"
};

/* What the ways of NCCL depend on. */
typedef struct shape {
    uint64_t identity;
    const situ_cluster *c;
    int n, nodes, here;     /* cards of a node that take part */
    double inside, outside; /* bytes/s */
    double near, far;       /* seconds of a step within a node, and between nodes */
    int kind;               /* HOP_NVLINK or HOP_PCIE */
    bool sums;
} shape;

/* The last shape is kept, since a program asks for many sums of the same cards. */
static const shape *shape_of(const situ_cluster *c, int n)
{
    static shape kept;
    if (kept.identity == c->identity && kept.n == n) return &kept;
    shape s = {
        .identity = c->identity, .c = c, .n = n, .nodes = (n + c->cards - 1) / c->cards, .here = n < c->cards ? n : c->cards};
    s.inside = s.here > 1 ? cli_inside(c, s.here) : INFINITY;
    for (int i = 0; i < c->points; i++)
        if (c->capacity[i] > 0 && s.here > 1) s.inside = fmin(s.inside, c->capacity[i] / s.here);
    s.outside = s.nodes > 1 ? cli_outside(c, s.here) : INFINITY;
    for (int i = 0; i < c->levels && s.nodes > c->level[i].nodes; i++)
        s.outside = fmin(s.outside, c->level[i].bandwidth); /* a ring leaves the nodes of a switch once */
    int way[SITU_CLUSTER_HOPS];
    double latency;
    for (int i = 0; i + 1 < s.here; i++)
        if (situ_cluster_path(c, i, i + 1, 0, way, &latency) > 0) s.near = fmax(s.near, latency);
    if (s.nodes > 1 && situ_cluster_path(c, s.here - 1, situ_cluster_card(c, c->cards), 0, way, &latency) > 0)
        s.far = latency + cli_level_latency(c, s.nodes);
    s.kind = HOP_PCIE; /* if a card has no other links to its neighbours */
    for (int k = 0; k < c->links; k++) {
        const situ_cluster_link *link = &c->link[k];
        bool own = !link->from || !link->to, net = link->from == c->network || link->to == c->network;
        if (own && !net && (link->kind == SITU_LINK_NVLINK || link->kind == SITU_LINK_PLAIN)) s.kind = HOP_NVLINK;
    }
    for (int k = 0; k < c->links; k++)
        s.sums |= (!c->link[k].from && c->sums[c->link[k].to]) || (!c->link[k].to && c->sums[c->link[k].from]);
    kept = s;
    return &kept;
}

static int line_of(const shape *s, double bandwidth) /* the line of a link that limits it */
{
    const situ_cluster *c = s->c;
    bool out = s->outside <= bandwidth * (1 + 1e-9);
    for (int i = 0; i < c->levels && out; i++)
        if (s->nodes > c->level[i].nodes && c->level[i].bandwidth <= s->outside) return c->level[i].line;
    for (int k = 0; k < c->links; k++) {
        bool net = c->link[k].from == c->network || c->link[k].to == c->network;
        if (c->network >= 0 && net == out && (net || c->link[k].used)) return c->link[k].line;
        if (c->network < 0 && c->link[k].used) return c->link[k].line;
    }
    return 0;
}

static cli_exchange nccl_ring(const shape *s, cli_collective what, double bytes, int p)
{
    bool sum = what == CLI_ALL_REDUCE, pipe = what == CLI_BROADCAST;
    int steps = (sum ? 2 : 1) * (s->n - 1), far = s->nodes > 1 ? (sum ? 2 : 1) * (s->nodes - 1) : 0;
    double width = fmin(s->inside, s->outside), moved = pipe ? bytes : bytes * steps / s->n;
    cli_exchange e = {.way = CLI_NCCL_RING, .protocol = protocols[p].name, .line = line_of(s, width)};
    e.latency = protocols[p].base + (steps - far) * (s->near + hops[s->kind][p]) + far * (s->far + hops[HOP_NETWORK][p]);
    e.seconds = e.latency + moved / (width * protocols[p].share);
    return e;
}

/* Two trees, each of half of the bytes; within a node a chain. Each node sends what it has to its parent and the
 * result to its children: two nodes once, more nodes twice the bytes. */
static cli_exchange nccl_tree(const shape *s, double bytes, int p)
{
    double deep = ceil(log2(s->nodes)), out = s->nodes == 2 ? bytes / (s->outside * shares.tree_pair) : 2 * bytes / s->outside;
    cli_exchange e = {.way = CLI_NCCL_TREE, .protocol = protocols[p].name};
    e.line = line_of(s, out > bytes / s->inside ? s->outside : s->inside);
    e.latency = protocols[p].base + 2 * ((s->here - 1) * (s->near + hops[s->kind][p]) + deep * (s->far + hops[HOP_NETWORK][p]));
    /* a chain carries the sum up and down at the same time, and each link gets half of a ring's bandwidth in each
     * direction */
    e.seconds = e.latency + fmax(2 * bytes / s->inside, s->nodes > 1 ? out : 0) / (shares.tree * protocols[p].share);
    return e;
}

static cli_exchange nccl_nvls(const shape *s, double bytes)
{
    cli_exchange e = {.seconds = -1, .protocol = "Simple", .way = s->nodes > 1 ? CLI_NVLS_TREE : CLI_NVLS};
    if (!s->sums || s->here < 2) return e;
    double in = bytes * (1 + 1. / s->here) / (s->inside * shares.nvls), out = 0;
    if (s->nodes > 1) out = s->nodes == 2 ? bytes / (s->outside * shares.tree_pair) : 2 * bytes / s->outside;
    e.latency = shares.nvls_base + (s->nodes > 1 ? 2 * ceil(log2(s->nodes)) * (s->far + hops[HOP_NETWORK][SIMPLE]) : 0);
    e.seconds = e.latency + fmax(in, out);
    e.line = line_of(s, out > in ? s->outside : s->inside);
    return e;
}

static void take(cli_exchange *best, cli_exchange e)
{
    if (e.seconds >= 0 && (best->seconds < 0 || e.seconds < best->seconds)) *best = e;
}

/* Sends of pairs: as many messages as other cards, all under way together. */
static cli_exchange nccl_pairs(const situ_cluster *c, const shape *s, cli_collective what, int n, double bytes)
{
    cli_exchange e = what == CLI_SEND ? send_time(c, n, bytes) : pattern_time(c, CLI_TO_ALL, n, bytes * (n - 1) / n);
    bool far = what == CLI_SEND ? c->cards == 1 : s->nodes > 1;
    double extra = protocols[SIMPLE].base + hops[far ? HOP_NETWORK : s->kind][SIMPLE];
    e.way = CLI_NCCL;
    e.protocol = "Simple";
    e.seconds += extra;
    e.latency += extra;
    return e;
}

static cli_exchange nccl_time(const situ_cluster *c, cli_way way, cli_collective what, int n, double bytes)
{
    const shape *s = shape_of(c, n);
    cli_exchange best = {.seconds = -1, .protocol = "", .way = way};
    bool all = way == CLI_NCCL, sum = what == CLI_ALL_REDUCE;
    if (what == CLI_SEND || what == CLI_ALL_TO_ALL) return nccl_pairs(c, s, what, n, bytes);
    for (int p = 0; p < PROTOCOLS; p++) {
        if (p == LL128 && s->kind != HOP_NVLINK) continue;
        if (all || way == CLI_NCCL_RING) take(&best, nccl_ring(s, what, bytes, p));
        if (sum && (all || way == CLI_NCCL_TREE)) take(&best, nccl_tree(s, bytes, p));
    }
    if (sum && (all || way == CLI_NVLS || way == CLI_NVLS_TREE)) take(&best, nccl_nvls(s, bytes));
    return best;
}

/* ---- all ways -------------------------------------------------------------------------------------------------------------- */

static cli_exchange both(cli_exchange a, cli_exchange b)
{
    if (a.seconds < 0 || b.seconds < 0) return a.seconds < 0 ? a : b;
    if (b.seconds - b.latency > a.seconds - a.latency) a.line = b.line;
    a.seconds += b.seconds;
    a.latency += b.latency;
    return a;
}

/* Sums within the nodes, each card a part; those of the cards of the same place in all nodes; the parts back within
 * the nodes. */
static cli_exchange hierarchical(const situ_cluster *c, cli_collective what, int n, double bytes)
{
    const shape *s = shape_of(c, n);
    double outside = s->outside; /* each card sends as much */
    for (int i = 0; i < s->here && s->nodes > 1; i++) outside = fmin(outside, s->here * most(c, s->here, i, c->network, true));
    int turns = what == CLI_ALL_REDUCE ? 2 : 1, k = s->here, m = s->nodes;
    double in = k > 1 ? bytes * (k - 1) / k / s->inside : 0, out = m > 1 ? bytes * (m - 1) / m / outside : 0;
    cli_exchange e = {.way = CLI_HIERARCHICAL, .protocol = "", .line = line_of(s, out > in ? s->outside : s->inside)};
    e.latency = turns * ((k - 1) * s->near + (m - 1) * s->far + (k + m - 2) * c->message);
    e.seconds = e.latency + turns * (in + out);
    return e;
}

static cli_exchange own_time(const situ_cluster *c, cli_way way, cli_collective what, int n, double bytes)
{
    double part = bytes * (n - 1) / n;
    cli_pattern flat = way == CLI_RING ? CLI_TO_NEIGHBOUR : CLI_TO_ALL;
    if (what == CLI_SEND) return send_time(c, n, bytes);
    if (what == CLI_ALL_TO_ALL) return pattern_time(c, CLI_TO_ALL, n, part);
    if (what == CLI_BROADCAST) return pattern_time(c, CLI_FROM_ONE, n, bytes * (n - 1));
    cli_exchange there = pattern_time(c,
        way == CLI_HOST     ? CLI_TO_HOST :
            way == CLI_CARD ? CLI_TO_ONE :
                              flat,
        n, way < CLI_CARD ? part : bytes);
    if (what == CLI_REDUCE_SCATTER) return there;
    cli_exchange back = pattern_time(c,
        way == CLI_HOST     ? CLI_FROM_HOST :
            way == CLI_CARD ? CLI_FROM_ONE :
                              flat,
        n,
        way == CLI_CARD     ? (n - 1) * bytes :
            way == CLI_HOST ? bytes :
                              part);
    return what == CLI_ALL_GATHER ? back : both(there, back);
}

cli_exchange cli_exchange_time(const situ_cluster *c, cli_way way, cli_collective what, int n, double bytes)
{
    cli_exchange e = {.way = way, .protocol = ""};
    if (n == 1 && way != CLI_HOST) return e;
    if (way >= CLI_NCCL && way < CLI_HIERARCHICAL) return nccl_time(c, way, what, n, bytes);
    if (way == CLI_HIERARCHICAL && what <= CLI_ALL_GATHER) return hierarchical(c, what, n, bytes);
    e = own_time(c, way == CLI_HIERARCHICAL ? CLI_DIRECT : way, what, n, bytes);
    e.way = way;
    return e;
}
