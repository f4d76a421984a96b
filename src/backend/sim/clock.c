/* The virtual clock: what the work would have taken on the machine that is simulated. */
#include "backend/sim/sim.h"

#include <stdlib.h>
#include <time.h>

static double advance(situ_sim *s, double seconds)
{
    s->count.virtual_seconds += seconds;
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
        const char *text = getenv("SITU_SIM_REALTIME");
        value = text && atoi(text) > 0;
        atomic_store_explicit(&known, value, memory_order_relaxed);
    }
    return value;
}

void situ_sim_sleep(double start, double seconds)
{
    if (!realtime()) return;
    double rest = start + seconds - situ_seconds();
    if (rest <= 0) return;
    struct timespec t = {(time_t)rest, (long)((rest - (double)(time_t)rest) * 1e9)};
    while (nanosleep(&t, &t)) continue;
}
