/* The virtual clock of launches: when each step would begin and end on the simulated machine. Computed when a launch is submitted,
 * from the costs of its steps, what they wait for, and who shares which links meanwhile; so it is the same in every run. Copies
 * that are under way already, of earlier launches or of host threads, keep their computed times. */
#include <math.h>
#include <string.h>

#include "backend/sim/cluster.h"
#include "backend/sim/sim.h"
#include "base/memory.h"
#include "os/env.h"
#include "os/lock.h"
#include "run/launch.h"

enum { HOST = -1, KEPT = 64 };

SITU_LOCK(lock);             /* protects what follows */
static situ_flow kept[KEPT]; /* ring buffer of copies that later ones may overlap with */
static int64_t kept_count;
static situ_cluster *cluster; /* SITU_SIM_CLUSTER */

int situ_sim_cluster_open(void)
{
    const char *path = situ_env("SITU_SIM_CLUSTER");
    if (!path || !*path) return 0;
    situ_mutex_lock(&lock);
    situ_cluster *c = cluster ? cluster : situ_cluster_open(path, "SITU_SIM_CLUSTER");
    if (c && situ_cluster_point(c, "host") < 0) {
        situ_fail(SITU_BAD_FORMAT, "SITU_SIM_CLUSTER",
            "\"%s\" has no point named host, where simulated GPUs get their data from; link switch host 16 GB/s 2 us makes one",
            path);
        situ_cluster_free(c);
        c = NULL;
    }
    cluster = c;
    situ_mutex_unlock(&lock);
    return c ? 0 : -situ_error_code;
}

/* The links of a copy between simulated devices `from` and `to` (indices, or HOST): those of the cluster, or each device's own
 * link, with one way in and one out. Returns the latency. */
static double take_ways(situ_flow *f, int from, int to, double latency)
{
    const situ_cluster *c = cluster;
    int cards = c ? c->nodes * c->cards : 0;
    if (from < cards && to < cards) {
        int near = (from > to ? from : to) / c->cards, host = situ_cluster_place(c, near, situ_cluster_point(c, "host"));
        f->hops = situ_cluster_path(
            c, from < 0 ? host : situ_cluster_card(c, from), to < 0 ? host : situ_cluster_card(c, to), f->bytes, f->way, &latency);
        if (f->hops > 0) return latency;
    }
    f->hops = 0;
    if (from >= 0) f->way[f->hops++] = 2 * from;
    if (to >= 0) f->way[f->hops++] = 2 * to + 1;
    for (int k = 0; k < f->hops && c; k++) f->way[k] += situ_cluster_ways(c);
    return latency;
}

static bool open_network(situ_network *net, const double *link)
{
    int ways = cluster ? situ_cluster_ways(cluster) : 0;
    if (!situ_network_open(net, ways + 2 * SITU_DEVICES_EACH)) return false;
    for (int w = 0; w < ways; w++) net->bandwidth[w] = situ_cluster_bandwidth(cluster, w);
    for (int i = 0; i < 2 * SITU_DEVICES_EACH; i++) net->bandwidth[ways + i] = link[i / 2] > 0 ? link[i / 2] : 1;
    return true;
}

/* Collects the kept copies that may overlap with one that begins at `start`. */
static int recall(situ_flow *out, double start)
{
    int n = 0;
    for (int i = 0; i < KEPT && i < kept_count; i++)
        if (kept[i].end > start) out[n++] = kept[i];
    return n;
}

static void keep(const situ_flow *f)
{
    situ_flow *to = &kept[kept_count++ % KEPT];
    if (!(f->end > f->begin)) return;
    *to = *f;
    to->done = false;
    to->fixed = true;
    to->rate = f->bytes / (f->end - f->begin);
}

/* ---- a copy of a host thread ------------------------------------------------------------------------------------------ */

double situ_sim_copy_ends(int from, int to, double bytes, double latency, const double *link)
{
    situ_flow flow[KEPT + 1];
    situ_network net;
    situ_mutex_lock(&lock);
    if (!open_network(&net, link)) {
        situ_mutex_unlock(&lock);
        return situ_virtual + latency;
    }
    int n = recall(flow, situ_virtual);
    situ_flow *f = &flow[n];
    *f = (situ_flow){.bytes = bytes, .left = bytes, .start = situ_virtual};
    f->begin = situ_virtual + take_ways(f, from, to, latency);
    for (double now = -INFINITY; !f->done;) now = situ_flows_step(&net, flow, n + 1, now);
    keep(f);
    double end = f->end;
    situ_mutex_unlock(&lock);
    situ_network_close(&net);
    return end;
}

/* ---- a launch ------------------------------------------------------------------------------------------ */

typedef struct worker {
    uint32_t at; /* index of its next step */
    double now, busy;
    bool arrived, over, copies;
} worker;

typedef struct timeline {
    situ_launch *l;
    worker w[SITU_PLAN_DEVICES];
    double *start, *end; /* [steps]; end -1: not known yet */
    situ_flow *flow;     /* [KEPT + steps] */
    int *device;         /* [KEPT + steps] index of its device; -1: not of this launch */
    int flows, undecided;
    double decided;
    situ_sim_options options[SITU_PLAN_DEVICES];
} timeline;

static void reach(double *clock, double seconds)
{
    if (*clock < seconds) *clock = seconds;
}

static int number_of(const situ_dev *d) { return d->backend == &situ_backend_sim ? d->index : HOST; }

/* If the source of a copy is older than the launch: waits until it is ready. */
static void reach_leaf(const timeline *t, double *now, const situ_plan_step *s)
{
    const situ_launch *l = t->l;
    uint32_t place = l->plan->address[s->address + 1].place;
    for (uint32_t i = 0; i < l->leaves; i++)
        if (l->leaf[i].place == place) reach(now, l->leaf[i].buffer->clock);
}

/* Begins step i: true if its end is known at once. */
static bool begin(timeline *t, int device, uint32_t i)
{
    const situ_plan *p = t->l->plan;
    const situ_plan_step *s = &p->step[i];
    worker *w = &t->w[device];
    situ_dev *to = p->dev[s->device], *from = p->dev[s->from_device];
    const situ_sim_options *o = &t->options[number_of(to) == HOST ? s->from_device : s->device];
    double takes = 0;
    if (s->kind == SITU_PLAN_COPY) reach_leaf(t, &w->now, s);
    t->start[i] = w->now;
    bool crosses = s->kind == SITU_PLAN_COPY && s->bytes && to != from && (number_of(to) != HOST || number_of(from) != HOST);
    if (crosses) {
        situ_flow *f = &t->flow[t->flows];
        *f = (situ_flow){.bytes = (double)s->bytes, .left = (double)s->bytes, .start = w->now};
        f->begin = w->now + take_ways(f, number_of(from), number_of(to), o->link_latency);
        t->device[t->flows++] = device;
        w->copies = true;
        return false;
    }
    if (number_of(to) != HOST && s->kind == SITU_PLAN_COPY && s->bytes) takes = situ_sim_seconds(o, 0, 2 * (double)s->bytes);
    if (number_of(to) != HOST && s->kind != SITU_PLAN_COPY) takes = situ_sim_kernel_seconds(o, s->kernel);
    w->busy += takes;
    w->now += takes;
    t->end[i] = w->now;
    return true;
}

/* Before the first update, and at the end, all devices wait for each other. */
static bool arrive(timeline *t, worker *w, bool waits)
{
    if (!w->arrived) {
        w->arrived = true;
        t->undecided--;
        reach(&t->decided, w->now);
    }
    if (!waits || t->l->plan->ndev == 1) return true;
    if (t->undecided) return false;
    reach(&w->now, t->decided);
    return true;
}

/* Advances a device as far as possible; true if it advanced. */
static bool proceed(timeline *t, int device)
{
    const situ_plan *p = t->l->plan;
    worker *w = &t->w[device];
    bool went = false;
    for (; !w->over && !w->copies; went = true) {
        while (w->at < p->nstep && p->step[w->at].device != device) w->at++;
        if (w->at == p->nstep) {
            bool first = !w->arrived;
            if (first && !arrive(t, w, t->l->job[device].waits)) return true;
            if (!first && t->l->job[device].waits && t->undecided && p->ndev > 1) return went;
            if (t->l->job[device].waits && p->ndev > 1) reach(&w->now, t->decided);
            w->over = true;
            continue;
        }
        const situ_plan_step *s = &p->step[w->at];
        if (s->waits_for >= 0 && t->end[s->waits_for] < 0) return went;
        if (s->waits_for >= 0) reach(&w->now, t->end[s->waits_for]);
        if (s->update && !arrive(t, w, true)) return went;
        if (begin(t, device, w->at)) w->at++;
    }
    return went;
}

static void run(timeline *t, situ_network *net)
{
    const situ_plan *p = t->l->plan;
    int first = t->flows;
    for (double now = -INFINITY;;) {
        for (bool went = true; went;) {
            went = false;
            for (int i = 0; i < p->ndev; i++) went |= proceed(t, i);
        }
        bool open = false;
        if (first < net->settled) first = net->settled; /* the last step's transfers are done with */
        for (int i = first; i < t->flows; i++) open |= !t->flow[i].done;
        if (!open) return;
        now = situ_flows_step(net, t->flow, t->flows, now);
        for (int i = first; i < t->flows; i++) {
            worker *w = t->device[i] >= 0 ? &t->w[t->device[i]] : NULL;
            if (!w || !t->flow[i].done) continue;
            t->device[i] = HOST;
            w->busy += t->flow[i].end - w->now;
            w->now = t->end[w->at++] = t->flow[i].end;
            w->copies = false;
            keep(&t->flow[i]);
        }
    }
}

/* Sets the clocks of devices and memory after the launch. */
static void note(const timeline *t)
{
    situ_launch *l = t->l;
    const situ_plan *p = l->plan;
    for (int d = 0; d < p->ndev; d++) {
        double now = t->w[d].now;
        atomic_store_explicit(&p->dev[d]->clock, now, memory_order_relaxed);
        for (uint32_t i = 0; i < p->nroom; i++)
            if (p->room[i].device == d) atomic_store_explicit(&l->room[i]->clock, now, memory_order_relaxed);
        for (uint32_t i = 0; i < l->leaves; i++)
            if (l->leaf[i].written && l->leaf[i].buffer->dev == p->dev[d])
                atomic_store_explicit(&l->leaf[i].buffer->clock, now, memory_order_relaxed);
        if (number_of(p->dev[d]) != HOST) situ_sim_spend(p->dev[d]->state, t->w[d].busy, now);
    }
}

static void start(timeline *t)
{
    situ_launch *l = t->l;
    const situ_plan *p = l->plan;
    t->undecided = p->ndev;
    for (uint32_t i = 0; i < p->nstep; i++) t->end[i] = -1;
    for (int d = 0; d < p->ndev; d++) {
        if (number_of(p->dev[d]) != HOST) situ_sim_look(p->dev[d]->state, &t->options[d]);
        t->w[d].now = situ_virtual;
        reach(&t->w[d].now, p->dev[d]->clock);
        for (uint32_t i = 0; i < l->leaves; i++)
            if (l->leaf[i].buffer->dev == p->dev[d]) reach(&t->w[d].now, l->leaf[i].buffer->clock);
    }
}

void situ_sim_timeline(situ_launch *l)
{
    const situ_plan *p = l->plan;
    size_t steps = p->nstep + 1u, flows = KEPT + steps;
    timeline *t = situ_calloc(1, sizeof *t);
    double link[SITU_DEVICES_EACH] = {0};
    situ_network net = {0};
    l->clock = situ_malloc(2 * steps * sizeof *l->clock);
    situ_flow *flow = situ_malloc(flows * (sizeof *flow + sizeof(int)));
    if (t && l->clock && flow) {
        *t = (timeline){.l = l, .start = l->clock, .end = l->clock + steps, .flow = flow, .device = (int *)(void *)(flow + flows)};
        start(t);
        for (int d = 0; d < p->ndev; d++)
            if (number_of(p->dev[d]) != HOST) link[number_of(p->dev[d])] = t->options[d].link_bandwidth;
        situ_mutex_lock(&lock);
        if (open_network(&net, link)) {
            double first = INFINITY;
            for (int d = 0; d < p->ndev; d++) first = fmin(first, t->w[d].now);
            t->flows = recall(flow, first);
            for (int i = 0; i < t->flows; i++) t->device[i] = HOST;
            run(t, &net);
        }
        situ_mutex_unlock(&lock);
        note(t);
    }
    situ_network_close(&net);
    situ_free(flow);
    situ_free(t);
}
