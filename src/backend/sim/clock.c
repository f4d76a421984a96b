/* The virtual clock: when the work would have ended on the machine that is simulated. A step starts when the thread that
 * runs it is there: a queue's job behind the job before it, the enqueuing thread and the steps that it waits for; a host
 * thread's copy at once. */
#include "backend/sim/sim.h"
#include "base/env.h"

#include <stdlib.h>
#include <time.h>

static double advance(situ_sim *s, double seconds)
{
    situ_virtual += seconds;
    s->count.busy_seconds += seconds;
    if (s->count.virtual_seconds < situ_virtual) s->count.virtual_seconds = situ_virtual;
    return seconds;
}

/* A kernel is bound by arithmetic or by memory, whichever is slower. */
double situ_sim_kernel_time(situ_sim *s, double flops, double bytes)
{
    double compute = flops / s->options.flops, memory = bytes / s->options.memory_bandwidth;
    return advance(s, s->options.launch_latency + (compute > memory ? compute : memory));
}

double situ_sim_link_time(situ_sim *s, size_t bytes)
{
    return advance(s, s->options.link_latency + (double)bytes / s->options.link_bandwidth);
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
    pthread_mutex_lock(&s->lock); /* another thread may give the device another delay meanwhile */
    double delay = s->options.delay;
    pthread_mutex_unlock(&s->lock);
    double rest = start + (realtime() ? seconds : 0) + delay - situ_seconds();
    if (rest <= 0) return;
    struct timespec t = {(time_t)rest, (long)((rest - (double)(time_t)rest) * 1e9)};
    while (nanosleep(&t, &t)) continue;
}

double situ_sim_clock(void) { return situ_virtual; }
