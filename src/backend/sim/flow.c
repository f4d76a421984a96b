/* Simulates transfers that use the links of a cluster at the same time. */
#include "backend/sim/cluster.h"

#include <math.h>

#include "base/memory.h"

static bool runs(const situ_flow *f, double now) { return !f->done && f->begin <= now; }

/* Computes fair rates (max-min): the link whose users would get the least gives each of them that rate, then the next
 * link, until all have a rate. `fixed` transfers keep theirs. */
static void share(const situ_network *net, situ_flow *flow, int n, double now)
{
    int open = 0;
    for (int i = net->settled; i < n; i++)
        for (int k = 0; runs(&flow[i], now) && k < flow[i].hops; k++)
            net->spare[flow[i].way[k]] = net->bandwidth[flow[i].way[k]], net->users[flow[i].way[k]] = 0;
    for (int i = net->settled; i < n; i++) {
        situ_flow *f = &flow[i];
        if (!runs(f, now)) continue;
        if (!f->fixed) f->rate = f->hops ? -1 : INFINITY;
        open += f->rate < 0;
        for (int k = 0; k < f->hops; k++) {
            if (f->fixed) net->spare[f->way[k]] -= f->rate;
            else net->users[f->way[k]]++;
        }
    }
    /* So that every transfer makes progress. */
    for (int i = net->settled; i < n; i++)
        for (int k = 0; runs(&flow[i], now) && k < flow[i].hops; k++)
            net->spare[flow[i].way[k]] = fmax(net->spare[flow[i].way[k]], 1e-3 * net->bandwidth[flow[i].way[k]]);
    while (open) {
        double least = INFINITY;
        for (int i = net->settled; i < n; i++)
            for (int k = 0; runs(&flow[i], now) && flow[i].rate < 0 && k < flow[i].hops; k++)
                least = fmin(least, net->spare[flow[i].way[k]] / net->users[flow[i].way[k]]);
        for (int i = net->settled; i < n; i++) {
            situ_flow *f = &flow[i];
            bool narrow = false;
            if (!runs(f, now) || f->rate >= 0) continue;
            for (int k = 0; k < f->hops; k++) narrow |= net->spare[f->way[k]] / net->users[f->way[k]] <= least * (1 + 1e-12);
            if (!narrow) continue;
            f->rate = least;
            open--;
            for (int k = 0; k < f->hops; k++) net->spare[f->way[k]] -= least, net->users[f->way[k]]--;
        }
    }
}

static double end_of(const situ_flow *f, double now) { return f->fixed ? f->end : isinf(f->rate) ? now : now + f->left / f->rate; }

double situ_flows_step(situ_network *net, situ_flow *flow, int n, double now)
{
    double at = INFINITY;
    while (net->settled < n && flow[net->settled].done) net->settled++;
    for (int i = net->settled; i < n; i++)
        if (!flow[i].done && !flow[i].fixed) at = fmin(at, flow[i].begin);
    if (at > now) now = at;
    for (int i = net->settled; i < n; i++)
        if (flow[i].fixed && flow[i].end <= now) flow[i].done = true; /* it was over before */
    share(net, flow, n, now);
    at = INFINITY;
    for (int i = net->settled; i < n; i++)
        if (!flow[i].done) at = fmin(at, flow[i].begin > now ? flow[i].begin : end_of(&flow[i], now));
    for (int i = net->settled; i < n; i++) {
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
    net->spare = net->bandwidth + ways;
    net->users = (int *)(void *)(net->spare + ways);
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
        flow[i].hops = situ_cluster_path(c, flow[i].from, flow[i].to, flow[i].bytes, flow[i].way, &latency);
        if (flow[i].hops < 0) flow[i].hops = 0, latency = 0;
        flow[i].begin = flow[i].start + latency;
        flow[i].left = flow[i].bytes;
        flow[i].done = flow[i].fixed = false;
    }
    for (bool open = true; open;) {
        now = situ_flows_step(&net, flow, n, now);
        open = false;
        for (int i = net.settled; i < n; i++) open |= !flow[i].done;
    }
    situ_network_close(&net);
    return 0;
}
