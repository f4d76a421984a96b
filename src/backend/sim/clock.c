/* The virtual clock: when the work would have ended on the simulated machine. Times of launches are computed by timeline.c; what a
 * host thread does outside of them, its copies, starts at once. */
#include "backend/sim/sim.h"
#include "graph/record.h"
#include "os/env.h"
#include "os/wait.h"

#include <stdlib.h>

/* Advances the clock; within a job of a launch the timeline has counted it already. */
static double advance(situ_sim *s, double seconds)
{
    if (situ_thread_state.in_launch) return seconds;
    situ_virtual += seconds;
    s->count.busy_seconds += seconds;
    if (s->count.virtual_seconds < situ_virtual) s->count.virtual_seconds = situ_virtual;
    return seconds;
}

/* The time of a kernel is limited by arithmetic or by memory, whichever is slower. */
double situ_sim_seconds(const situ_sim_options *o, double flops, double bytes)
{
    double compute = flops / o->flops, memory = bytes / o->memory_bandwidth;
    return o->launch_latency + (compute > memory ? compute : memory);
}

double situ_sim_kernel_time(situ_sim *s, double flops, double bytes)
{
    return advance(s, situ_sim_seconds(&s->options, flops, bytes));
}

double situ_sim_link_time(situ_sim *s, int from, int to, size_t bytes)
{
    const situ_sim_options *o = &s->options;
    if (situ_thread_state.in_launch) return o->link_latency + (double)bytes / o->link_bandwidth;
    double link[SITU_DEVICES_EACH];
    for (int i = 0; i < SITU_DEVICES_EACH; i++) link[i] = o->link_bandwidth;
    return advance(s, situ_sim_copy_ends(from, to, (double)bytes, o->link_latency, link) - situ_virtual);
}

void situ_sim_look(situ_sim *s, situ_sim_options *out)
{
    situ_mutex_lock(&s->lock);
    *out = s->options;
    situ_mutex_unlock(&s->lock);
}

void situ_sim_spend(situ_sim *s, double busy, double until)
{
    situ_mutex_lock(&s->lock);
    s->count.busy_seconds += busy;
    if (s->count.virtual_seconds < until) s->count.virtual_seconds = until;
    situ_mutex_unlock(&s->lock);
}

static bool realtime(void)
{
    static _Atomic int known = -1;
    int value = atomic_load_explicit(&known, memory_order_relaxed);
    if (value < 0) {
        const char *text = situ_env("SITU_SIM_REALTIME");
        value = text && atoi(text) > 0;
        atomic_store_explicit(&known, value, memory_order_relaxed);
    }
    return value;
}

void situ_sim_sleep(situ_sim *s, double start, double seconds)
{
    situ_mutex_lock(&s->lock); /* another thread may set another delay meanwhile */
    double delay = s->options.delay;
    situ_mutex_unlock(&s->lock);
    double rest = start + (realtime() ? seconds : 0) + delay - situ_seconds();
    if (rest > 0) situ_sleep((int64_t)(rest * 1e9));
}

double situ_sim_clock(void) { return situ_virtual; }
