/* The virtual clock of launches: when each step would begin and end on the simulated machine. Computed when a launch
 * is submitted, from the costs of its steps, what they wait for, and who shares which links meanwhile; so it is the
 * same in every run. Copies that are under way already, of earlier launches or of host threads, keep their computed
 * times.
 *
 * A device computes one step after the other. Beside that it gets copies from other devices, also one after the other.
 * A step waits for the copies that it reads; a copy to a buffer of its own begins as soon as its source is there,
 * another one where the program has it. The CPU of each host thread is one for itself. */
#include <math.h>
#include <string.h>

#include "backend/sim/card.h"
#include "backend/sim/cluster.h"
#include "backend/sim/sim.h"
#include "base/memory.h"
#include "device/streams.h"
#include "device/virtual.h"
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

/* The links of a copy between simulated devices `from` and `to` (indices, or HOST): those of the cluster, or each
 * device's own link, with one way in and one out. Returns the latency. */
static double take_ways(situ_flow *f, int from, int to, const situ_sim_rates *rates)
{
    const situ_cluster *c = cluster;
    double latency;
    int cards = c ? c->nodes * c->cards : 0;
    if (from < cards && to < cards) {
        int near = (from > to ? from : to) / c->cards, host = situ_cluster_place(c, near, situ_cluster_point(c, "host"));
        f->hops = situ_cluster_path(
            c, from < 0 ? host : situ_cluster_card(c, from), to < 0 ? host : situ_cluster_card(c, to), f->bytes, f->way, &latency);
        if (f->hops > 0) return latency;
    }
    int first = c ? situ_cluster_ways(c) : 0;
    bool peers = from >= 0 && to >= 0 && rates->peer_bandwidth > 0;
    if (peers) first += 2 * SITU_DEVICES_EACH;
    f->hops = 0;
    if (from >= 0) f->way[f->hops++] = first + 2 * from;
    if (to >= 0) f->way[f->hops++] = first + 2 * to + 1;
    return peers ? rates->peer_latency : rates->options.link_latency;
}

/* Without a cluster each device has a link to the host, and perhaps one to other devices. A device that is not in
 * `rates` (NULL) has those of `other`. */
static bool open_network(situ_network *net, const situ_sim_rates *const *rates, const situ_sim_rates *other)
{
    int ways = cluster ? situ_cluster_ways(cluster) : 0;
    if (!situ_network_open(net, ways + 4 * SITU_DEVICES_EACH)) return false;
    for (int w = 0; w < ways; w++) net->bandwidth[w] = situ_cluster_bandwidth(cluster, w);
    for (int i = 0; i < 2 * SITU_DEVICES_EACH; i++) {
        const situ_sim_rates *r = rates && rates[i / 2] ? rates[i / 2] : other;
        net->bandwidth[ways + i] = r ? r->options.link_bandwidth : 1;
        net->bandwidth[ways + 2 * SITU_DEVICES_EACH + i] =
            r && r->peer_bandwidth > 0 ? r->peer_bandwidth : net->bandwidth[ways + i];
    }
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

double situ_sim_copy_ends(int from, int to, double bytes, double start, const situ_sim_rates *rates)
{
    situ_flow flow[KEPT + 1];
    situ_network net;
    situ_mutex_lock(&lock);
    if (!open_network(&net, NULL, rates)) {
        situ_mutex_unlock(&lock);
        return start + rates->options.link_latency;
    }
    int n = recall(flow, start);
    situ_flow *f = &flow[n];
    *f = (situ_flow){.bytes = bytes, .left = bytes, .start = start};
    f->begin = start + take_ways(f, from, to, rates);
    for (double now = -INFINITY; !f->done;) now = situ_flows_step(&net, flow, n + 1, now);
    keep(f);
    double end = f->end;
    situ_mutex_unlock(&lock);
    situ_network_close(&net);
    return end;
}

/* ---- a launch ------------------------------------------------------------------------------------------ */

typedef struct worker {
    uint32_t at, copy, next; /* indices of its next step, of its next copy from another device, and of that in `copy` */
    double now, computing;   /* when it has done the steps before `at`, and how long it computed */
    double engine;           /* when its newest copy ended, also of earlier launches ... */
    double copied;           /* ... and of this one */
    double held;             /* when the other devices had done so much that it may go on */
    bool computes, copies;   /* it has steps that compute; a copy is under way */
    bool arrived, over;
} worker;

typedef struct timeline {
    situ_launch *l;
    worker w[SITU_PLAN_DEVICES];
    double submitted;
    double *start, *end;    /* [steps]; -1: not known yet */
    situ_flow *flow;        /* [KEPT + steps] */
    int *device;            /* [KEPT + steps] index of its device; -1: not of this launch */
    uint32_t *copy, copies; /* [steps] the steps that are copies between devices */
    bool *update;           /* [steps] it makes a variable's next value */
    int flows, undecided;
    double decided;
    situ_sim_rates rates[SITU_PLAN_DEVICES];
    situ_card card;
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

/* Does the step move bytes between a simulated device and another one? */
static bool is_crossing(const situ_plan *p, const situ_plan_step *s)
{
    const situ_dev *to = p->dev[s->device], *from = p->dev[s->from_device];
    return s->kind == SITU_PLAN_COPY && s->bytes && to != from && (number_of(to) != HOST || number_of(from) != HOST);
}

/* Does a step make a variable's next value? Whether it goes to new memory or over the old value depends on whether a launch
 * that reads the old one has ended here, which must not matter on the virtual clock. */
static bool is_update(const situ_plan *p, const situ_plan_step *s)
{
    bool is = s->update;
    for (uint32_t k = s->address; k < s->address + s->naddress && !is; k++) {
        const situ_place *place = &p->place[p->address[k].place];
        bool writes = p->address[k].written || (s->kind == SITU_PLAN_COPY && k == s->address);
        if (!writes || place->kind != SITU_PLACE_OUTPUT) continue;
        for (uint32_t u = 0; u < p->nupdate && !is; u++) is = p->update[u].persistent == (int32_t)place->of;
    }
    return is;
}

/* Does a copy fill a buffer of its own, which nothing before it in the plan uses? */
static bool is_fresh(const timeline *t, const situ_plan_step *s)
{
    const situ_plan *p = t->l->plan;
    return !t->update[s - p->step] && p->place[p->address[s->address].place].kind == SITU_PLACE_OUTPUT;
}

/* Does a step use what a copy writes? */
static bool uses(const situ_plan *p, const situ_plan_step *s, const situ_plan_step *copy)
{
    const situ_address *to = &p->address[copy->address];
    for (uint32_t k = s->address; k < s->address + s->naddress; k++) {
        const situ_address *a = &p->address[k];
        if (a->place != to->place) continue;
        int64_t bytes = a->written > 1 ? a->written : 1;
        if (a->dynamic >= 0 || to->dynamic >= 0 || (a->offset < to->offset + copy->bytes && to->offset < a->offset + bytes))
            return true;
    }
    return false;
}

/* Are the device's copies before step i that it uses (all, if i is the end or an update) done? They are reached then. */
static bool has_copies(timeline *t, int device, uint32_t i, double *now)
{
    const situ_plan *p = t->l->plan;
    bool all = i == p->nstep || t->update[i];
    for (uint32_t k = 0; k < t->copies && t->copy[k] < i; k++) {
        uint32_t c = t->copy[k];
        if (p->step[c].device != device || (t->end[c] >= 0 && t->end[c] <= *now)) continue;
        if (!all && !uses(p, &p->step[i], &p->step[c])) continue;
        if (t->end[c] < 0) return false;
        reach(now, t->end[c]);
    }
    return true;
}

/* Begins the device's next copy, if it can: true if it did. */
static bool begin_copy(timeline *t, int device)
{
    const situ_plan *p = t->l->plan;
    worker *w = &t->w[device];
    if (w->copies) return false;
    while (w->next < t->copies && p->step[t->copy[w->next]].device != device) w->next++;
    if (w->next == t->copies) return false;
    w->copy = t->copy[w->next];
    const situ_plan_step *s = &p->step[w->copy];
    bool fresh = is_fresh(t, s);
    if ((!fresh && w->at <= w->copy) || (s->waits_for >= 0 && t->end[s->waits_for] < 0)) return false;
    double start = fmax(t->submitted, w->engine);
    if (!fresh) reach(&start, t->start[w->copy]);
    if (s->waits_for >= 0) reach(&start, t->end[s->waits_for]);
    reach_leaf(t, &start, s);
    t->start[w->copy] = start;
    const situ_dev *to = p->dev[s->device], *from = p->dev[s->from_device];
    situ_flow *f = &t->flow[t->flows];
    *f = (situ_flow){.bytes = (double)s->bytes, .left = (double)s->bytes, .start = start};
    f->begin = start + take_ways(f, number_of(from), number_of(to), &t->rates[number_of(to) == HOST ? s->from_device : s->device]);
    t->device[t->flows++] = device;
    w->copies = true;
    return true;
}

/* Computes step i. */
static void compute(timeline *t, int device, uint32_t i)
{
    const situ_plan *p = t->l->plan;
    const situ_plan_step *s = &p->step[i];
    const situ_dev *d = p->dev[device];
    worker *w = &t->w[device];
    bool copy = s->kind == SITU_PLAN_COPY;
    double bytes = copy ? 2 * (double)s->bytes : s->traffic, takes = 0;
    if (number_of(d) != HOST && (!copy || s->bytes))
        takes = situ_sim_seconds(&t->rates[device].options, copy ? 0 : s->flops, bytes);
    else if (d->device.kind == SITU_CPU) takes = situ_card_cpu_seconds(&t->card, copy ? 0 : s->flops, bytes);
    t->start[i] = w->now;
    w->computes = true;
    w->computing += takes;
    w->now += takes;
    t->end[i] = w->now;
}

/* When the device has done all of the launch. */
static double finish_of(const timeline *t, const worker *w)
{
    return fmax(fmax(t->submitted, w->held), fmax(w->computes ? w->now : 0, w->copied));
}

/* Before the first update, and at the end, all devices wait for each other. */
static bool arrive(timeline *t, worker *w, bool waits)
{
    if (!w->arrived) {
        w->arrived = true;
        t->undecided--;
        reach(&t->decided, finish_of(t, w));
    }
    if (!waits || t->l->plan->ndev == 1) return true;
    if (t->undecided) return false;
    w->held = t->decided;
    if (w->computes) reach(&w->now, t->decided);
    return true;
}

/* Advances a device as far as possible; true if it advanced. */
static bool proceed(timeline *t, int device)
{
    const situ_plan *p = t->l->plan;
    worker *w = &t->w[device];
    bool went = begin_copy(t, device);
    for (; !w->over; went = true) {
        while (w->at < p->nstep && p->step[w->at].device != device) w->at++;
        bool ends = w->at == p->nstep, first = !w->arrived;
        double now = w->now;
        if (!has_copies(t, device, w->at, &now)) return went;
        if (ends) {
            if (!arrive(t, w, t->l->job[device].waits)) return went || first;
            w->over = true;
            continue;
        }
        const situ_plan_step *s = &p->step[w->at];
        bool crosses = is_crossing(p, s);
        if (!crosses && s->waits_for >= 0 && t->end[s->waits_for] < 0) return went;
        if (t->update[w->at] && !arrive(t, w, true)) return went || first;
        if (!crosses) {
            reach(&w->now, now);
            if (s->waits_for >= 0) reach(&w->now, t->end[s->waits_for]);
            compute(t, device, w->at);
        } else if (!is_fresh(t, s)) {
            t->start[w->at] = w->now;
        }
        w->at++;
        begin_copy(t, device);
    }
    return went;
}

static void end_copy(timeline *t, worker *w, double start, double end)
{
    const situ_plan_step *s = &t->l->plan->step[w->copy];
    const situ_dev *to = t->l->plan->dev[s->device], *from = t->l->plan->dev[s->from_device];
    w->engine = w->copied = t->end[w->copy] = end;
    w->next++;
    w->copies = false;
    if (number_of(to) != HOST) situ_sim_carry(to->state, end - start, end, true);
    if (number_of(from) != HOST) situ_sim_carry(from->state, end - start, end, false);
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
            end_copy(t, w, t->flow[i].start, t->flow[i].end);
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
        const worker *w = &t->w[d];
        double end = finish_of(t, w);
        for (uint32_t i = 0; i < p->npersistent; i++)
            if (p->persistent[i].device == d) atomic_store_explicit(&l->persistent[i]->clock, end, memory_order_relaxed);
        for (uint32_t i = 0; i < l->leaves; i++)
            if (l->leaf[i].written && l->leaf[i].buffer->dev == p->dev[d])
                atomic_store_explicit(&l->leaf[i].buffer->clock, end, memory_order_relaxed);
        if (p->dev[d]->device.kind == SITU_CPU) {
            reach(&situ_host_self.cpu, end);
            situ_host_self.computed += w->computing;
            continue;
        }
        if (p->dev[d]->clock < end) atomic_store_explicit(&p->dev[d]->clock, end, memory_order_relaxed);
        if (number_of(p->dev[d]) != HOST && w->computes) situ_sim_spend(p->dev[d]->state, w->computing, w->now);
    }
}

/* The host starts the plan on each simulated device. */
static void start_launch(timeline *t)
{
    const situ_plan *p = t->l->plan;
    for (int d = 0; d < p->ndev; d++)
        if (number_of(p->dev[d]) != HOST && !situ_host_cost.measured) situ_host_owe(t->card.start);
    if (situ_host_cost.measured) situ_host_work(0);
    t->submitted = situ_virtual;
}

static void start(timeline *t)
{
    situ_launch *l = t->l;
    const situ_plan *p = l->plan;
    t->undecided = p->ndev;
    for (uint32_t i = 0; i < p->nstep; i++) {
        t->start[i] = t->end[i] = -1;
        t->update[i] = p->ndev > 1 && is_update(p, &p->step[i]);
        if (p->ndev > 1 && is_crossing(p, &p->step[i])) t->copy[t->copies++] = i;
    }
    for (int d = 0; d < p->ndev; d++) {
        worker *w = &t->w[d];
        situ_sim *s = number_of(p->dev[d]) != HOST ? p->dev[d]->state : NULL;
        if (s) situ_sim_look(s, &t->rates[d]);
        double computed = p->dev[d]->device.kind == SITU_CPU ? situ_host_self.cpu : p->dev[d]->clock;
        if (s) situ_sim_ends(s, &computed, &w->engine);
        w->now = fmax(t->submitted, computed);
        for (uint32_t i = 0; i < l->leaves; i++)
            if (l->leaf[i].buffer->dev == p->dev[d]) reach(&w->now, l->leaf[i].buffer->clock);
    }
}

/* When a message came is known once it is there: only then is it known when what reads it can begin. */
static void wait_for_messages(const situ_launch *l)
{
    for (uint32_t i = 0; i < l->leaves; i++) {
        const situ_buffer *b = l->leaf[i].buffer;
        uint64_t ready = atomic_load(&b->ready);
        if (situ_stamp_is_of_ranks(ready)) situ_stamp_wait(b->dev, ready);
    }
}

void situ_sim_timeline(situ_launch *l)
{
    const situ_plan *p = l->plan;
    if (situ_host_on()) wait_for_messages(l);
    size_t steps = p->nstep + 1u, flows = KEPT + steps;
    timeline *t = situ_calloc(1, sizeof *t);
    const situ_sim_rates *rates[SITU_DEVICES_EACH] = {NULL};
    situ_network net = {0};
    l->clock = situ_malloc(2 * steps * sizeof *l->clock);
    situ_flow *flow = situ_malloc(flows * (sizeof *flow + 2 * sizeof(int) + sizeof(bool)));
    if (t && l->clock && flow) {
        *t = (timeline){.l = l, .start = l->clock, .end = l->clock + steps, .flow = flow, .device = (int *)(void *)(flow + flows)};
        t->copy = (uint32_t *)(void *)(t->device + flows);
        t->update = (bool *)(void *)(t->copy + flows);
        situ_card_now(&t->card);
        start_launch(t);
        start(t);
        for (int d = 0; d < p->ndev; d++)
            if (number_of(p->dev[d]) != HOST) rates[number_of(p->dev[d])] = &t->rates[d];
        situ_mutex_lock(&lock);
        if (open_network(&net, rates, NULL)) {
            t->flows = recall(flow, t->submitted);
            for (int i = 0; i < t->flows; i++) t->device[i] = HOST;
            run(t, &net);
        }
        situ_mutex_unlock(&lock);
        note(t);
    }
    situ_network_close(&net);
    situ_free(flow);
    situ_free(t);
    situ_host_skip();
}
