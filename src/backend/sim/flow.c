/* Simulates transfers that use the links of a cluster at the same time. */
#include "backend/sim/cluster.h"

#include <math.h>

#include "base/memory.h"

static bool runs(const situ_flow *f, double now) { return !f->done && f->begin <= now; }

/* Computes fair rates (max-min): the link whose users would get the least gives each of them that rate, then the next link, until
 * all have a rate. `fixed` transfers keep theirs. */
static void share(const situ_network *net, situ_flow *flow, int n, double now)
{
    int open = 0;
    for (int w = 0; w < net->ways; w++) net->room[w] = net->bandwidth[w], net->users[w] = 0;
    for (int i = 0; i < n; i++) {
        situ_flow *f = &flow[i];
        if (!runs(f, now)) continue;
        if (!f->fixed) f->rate = f->hops ? -1 : INFINITY;
        open += f->rate < 0;
        for (int k = 0; k < f->hops; k++) {
            if (f->fixed) net->room[f->way[k]] -= f->rate;
            else net->users[f->way[k]]++;
        }
    }
    /* So that every transfer makes progress. */
    for (int w = 0; w < net->ways; w++) net->room[w] = fmax(net->room[w], 1e-3 * net->bandwidth[w]);
    while (open) {
        double least = INFINITY;
        for (int i = 0; i < n; i++)
            for (int k = 0; runs(&flow[i], now) && flow[i].rate < 0 && k < flow[i].hops; k++)
                least = fmin(least, net->room[flow[i].way[k]] / net->users[flow[i].way[k]]);
        for (int i = 0; i < n; i++) {
            situ_flow *f = &flow[i];
            bool narrow = false;
            if (!runs(f, now) || f->rate >= 0) continue;
            for (int k = 0; k < f->hops; k++) narrow |= net->room[f->way[k]] / net->users[f->way[k]] <= least * (1 + 1e-12);
            if (!narrow) continue;
            f->rate = least;
            open--;
            for (int k = 0; k < f->hops; k++) net->room[f->way[k]] -= least, net->users[f->way[k]]--;
        }
    }
}

static double end_of(const situ_flow *f, double now) { return f->fixed ? f->end : isinf(f->rate) ? now : now + f->left / f->rate; }

double situ_flows_step(const situ_network *net, situ_flow *flow, int n, double now)
{
    double at = INFINITY;
    for (int i = 0; i < n; i++)
        if (!flow[i].done && !flow[i].fixed) at = fmin(at, flow[i].begin);
    if (at > now) now = at;
    share(net, flow, n, now);
    at = INFINITY;
    for (int i = 0; i < n; i++)
        if (!flow[i].done) at = fmin(at, flow[i].begin > now ? flow[i].begin : end_of(&flow[i], now));
    for (int i = 0; i < n; i++) {
        situ_flow *f = &flow[i];
        if (!runs(f, now)) continue;
        double ends = end_of(f, now);
        if (ends <= at + 1e-15 * fabs(at)) f->done = true, f->end = ends;
        else f->left -= f->rate * (at - now);
    }
    return at;
}

bool situ_network_open(situ_network *net, int ways)
{
    *net = (situ_network){.ways = ways, .bandwidth = situ_malloc(((size_t)ways + 1) * (2 * sizeof(double) + sizeof(int)))};
    if (!net->bandwidth) return false;
    net->room = net->bandwidth + ways;
    net->users = (int *)(void *)(net->room + ways);
    return true;
}

void situ_network_close(situ_network *net) { situ_free(net->bandwidth); }

int situ_flows_run(const situ_cluster *c, situ_flow *flow, int n, situ_site site)
{
    situ_network net;
    double latency, now = -INFINITY;
    if (!situ_network_open(&net, situ_cluster_ways(c))) return situ_fail(SITU_NO_MEMORY, site, "out of host memory");
    for (int w = 0; w < net.ways; w++) net.bandwidth[w] = situ_cluster_bandwidth(c, w);
    for (int i = 0; i < n; i++) {
        flow[i].hops = situ_cluster_path(c, flow[i].from, flow[i].to, flow[i].way, &latency);
        if (flow[i].hops < 0) flow[i].hops = 0, latency = 0;
        flow[i].begin = flow[i].start + latency;
        flow[i].left = flow[i].bytes;
        flow[i].done = flow[i].fixed = false;
    }
    for (bool open = true; open;) {
        now = situ_flows_step(&net, flow, n, now);
        open = false;
        for (int i = 0; i < n; i++) open |= !flow[i].done;
    }
    situ_network_close(&net);
    return 0;
}

/* ---- patterns of all cards -------------------------------------------------------------------------------------- */

typedef struct load {
    const situ_cluster *c;
    double *bytes;  /* [way] bytes */
    double latency; /* the longest latency */
} load;

static void add(load *l, int from, int to, double bytes)
{
    int way[SITU_CLUSTER_HOPS];
    double latency;
    int hops = situ_cluster_path(l->c, from, to, way, &latency);
    for (int k = 0; k < hops; k++) l->bytes[way[k]] += bytes;
    if (hops > 0 && latency > l->latency) l->latency = latency;
}

static int host_of(const situ_cluster *c, situ_site site)
{
    int host = situ_cluster_point(c, "host");
    if (host < 0)
        situ_fail(SITU_BAD_ARGUMENT, site, "the cluster has no point named host; link switch host 16 GB/s 2 us makes one");
    return host;
}

/* Each card sends to every other one. Full nodes behave alike, so the first node and the last one, which may have fewer cards,
 * stand for all. A card's bytes to and from other nodes are summed up on its node's links to the network. */
static void add_direct(load *l, int n, double part)
{
    const situ_cluster *c = l->c;
    int each = c->cards, last = (n - 1) / each;
    for (int node = 0; node <= last; node += last ? last : 1) {
        int first = node * each, end = first + each < n ? first + each : n;
        double others = part * (n - (end - first));
        for (int i = first; i < end; i++) {
            int own = situ_cluster_card(c, i), network = situ_cluster_place(c, node, c->network);
            for (int k = first; k < end; k++)
                if (k != i) add(l, own, situ_cluster_card(c, k), part);
            if (!last) continue;
            add(l, own, network, others);
            add(l, network, own, others);
        }
    }
    for (int i = each; i < 2 * each && i < n; i++) /* the latency between nodes */
        for (int k = 0; k < each; k++) {
            add(l, situ_cluster_card(c, i), situ_cluster_card(c, k), 0);
            add(l, situ_cluster_card(c, k), situ_cluster_card(c, i), 0);
        }
}

/* Adds the load of all cards, and returns the number of rounds. */
static int add_all(load *l, situ_pattern pattern, int n, double bytes, int host)
{
    const situ_cluster *c = l->c;
    double part = bytes / (n > 1 ? n - 1 : 1);
    if (pattern == SITU_PATTERN_DIRECT) add_direct(l, n, part);
    for (int i = 0; i < n && pattern != SITU_PATTERN_DIRECT; i++) {
        int own = situ_cluster_card(c, i), there = host < 0 ? 0 : situ_cluster_place(c, 0, host);
        switch (pattern) {
        case SITU_PATTERN_DIRECT: break;
        case SITU_PATTERN_RING:
            if (n > 1) add(l, own, situ_cluster_card(c, (i + 1) % n), bytes);
            break;
        case SITU_PATTERN_OUT:
            if (i) add(l, situ_cluster_card(c, 0), own, part);
            break;
        case SITU_PATTERN_IN:
            if (i) add(l, own, situ_cluster_card(c, 0), bytes);
            break;
        case SITU_PATTERN_TO_HOST: add(l, own, there, bytes); break;
        case SITU_PATTERN_FROM_HOST: add(l, there, own, bytes); break;
        }
    }
    return pattern == SITU_PATTERN_RING ? n - 1 : 1;
}

double situ_pattern_time(const situ_cluster *c, situ_pattern pattern, int n, double bytes, situ_site site)
{
    bool by_host = pattern == SITU_PATTERN_TO_HOST || pattern == SITU_PATTERN_FROM_HOST;
    int ways = situ_cluster_ways(c), host = by_host ? host_of(c, site) : -1;
    if (by_host && host < 0) return -1;
    load l = {c, situ_calloc((size_t)ways + 1, sizeof *l.bytes), 0};
    if (!l.bytes) return situ_fail(SITU_NO_MEMORY, site, "out of host memory"), -1;
    int turns = add_all(&l, pattern, n, bytes, host);
    double busiest = 0;
    for (int w = 0; w < ways; w++) busiest = fmax(busiest, l.bytes[w] / situ_cluster_bandwidth(c, w));
    situ_free(l.bytes);
    int messages = pattern == SITU_PATTERN_DIRECT || pattern == SITU_PATTERN_RING || pattern == SITU_PATTERN_OUT ? n - 1 : 1;
    return busiest + turns * l.latency + messages * c->message;
}
