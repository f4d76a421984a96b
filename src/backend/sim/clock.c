/* The virtual clock: when the work would have ended on the simulated machine. Times of launches are computed by
 * timeline.c; here is what a host thread does outside of them. */
#include "backend/sim/card.h"
#include "backend/sim/configure.h"
#include "backend/sim/sim.h"
#include "base/error.h"
#include "device/device.h"
#include "device/virtual.h"
#include "graph/record.h"
#include "os/wait.h"

#include <math.h>

/* The time of a kernel is limited by arithmetic or by memory, whichever is slower. */
double situ_sim_seconds(const situ_sim_options *o, double flops, double bytes)
{
    double compute = flops / o->flops, memory = bytes / o->memory_bandwidth;
    return o->launch_latency + (compute > memory ? compute : memory);
}

static void reach(double *clock, double seconds)
{
    if (*clock < seconds) *clock = seconds;
}

/* Within a job of a launch the timeline has counted it already. */
double situ_sim_kernel_time(situ_sim *s, double flops, double bytes)
{
    if (situ_thread_state.in_launch) return 0;
    double seconds = situ_sim_seconds(&s->options, flops, bytes), end = situ_virtual + seconds;
    s->computing += seconds;
    reach(&s->count.virtual_seconds, end);
    s->count.busy_seconds = s->computing;
    situ_sim_show_clock(s);
    return end;
}

/* The host has copied what it uploads to where the device gets it from, and goes on. */
double situ_sim_link_time(situ_sim *s, int from, int to, size_t bytes)
{
    situ_sim_rates rates;
    if (situ_thread_state.in_launch) return 0;
    bool uploads = from < 0;
    double start = situ_virtual;
    situ_mutex_lock(&s->lock);
    rates = (situ_sim_rates){s->options, s->peer_bandwidth, s->peer_latency};
    if (uploads) reach(&start, s->copied);
    situ_mutex_unlock(&s->lock);
    double end = situ_sim_copy_ends(from, to, (double)bytes, start, &rates);
    situ_sim_carry(s, end - start, end, to >= 0);
    situ_host_self.copy_start = start;
    situ_host_self.copy_end = end;
    return uploads ? 0 : end;
}

void situ_sim_look(situ_sim *s, situ_sim_rates *out)
{
    situ_mutex_lock(&s->lock);
    *out = (situ_sim_rates){s->options, s->peer_bandwidth, s->peer_latency};
    situ_mutex_unlock(&s->lock);
}

void situ_sim_ends(situ_sim *s, double *computed, double *copied)
{
    situ_mutex_lock(&s->lock);
    *computed = s->computed;
    *copied = s->copied;
    situ_mutex_unlock(&s->lock);
}

void situ_sim_spend(situ_sim *s, double computing, double until)
{
    situ_mutex_lock(&s->lock);
    s->computing += computing;
    s->count.busy_seconds = s->computing;
    reach(&s->computed, until);
    reach(&s->count.virtual_seconds, until);
    situ_sim_show_clock(s);
    situ_mutex_unlock(&s->lock);
}

void situ_sim_carry(situ_sim *s, double copying, double until, bool to)
{
    situ_mutex_lock(&s->lock);
    s->copying += copying;
    reach(&s->count.virtual_seconds, until);
    if (to) reach(&s->copied, until);
    situ_sim_show_clock(s);
    situ_mutex_unlock(&s->lock);
}

void situ_sim_sleep(situ_sim *s, double start)
{
    situ_mutex_lock(&s->lock); /* another thread may set another delay meanwhile */
    double delay = s->options.delay;
    situ_mutex_unlock(&s->lock);
    double rest = start + delay - situ_seconds();
    if (delay > 0 && rest > 0) situ_sleep((int64_t)(rest * 1e9));
}

/* ---- the calling thread ------------------------------------------------------------------------------------------------ */

double situ_sim_clock(void) { return situ_virtual; }

void situ_sim_host(double seconds)
{
    if (situ_host_on() && seconds > 0 && isfinite(seconds)) situ_host_spend(seconds);
}

double situ_sim_stretch(double *late)
{
    if (late) *late = situ_host_self.late;
    return situ_host_on() ? situ_host_cost.stretch : 0;
}

void situ_sim_reach(double seconds)
{
    if (situ_host_on() && isfinite(seconds)) situ_host_wait(seconds);
}

int situ_sim_times(situ_device d, situ_sim_parts *out)
{
    SITU_SPEAK_AT("situ_sim_times");
    if (!out) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_sim_times: out is NULL");
    *out = (situ_sim_parts){0};
    if (d.kind == SITU_CPU) {
        const situ_host_thread *t = &situ_host_self;
        *out = (situ_sim_parts){.clock = situ_virtual, .computing = t->worked + t->computed, .waiting = t->waited};
        return 0;
    }
    situ_dev *dev = situ_sim_opened(d, "situ_sim_times");
    if (!dev) return -situ_error_code;
    situ_sim *s = dev->state;
    situ_mutex_lock(&s->lock);
    *out = (situ_sim_parts){.clock = s->count.virtual_seconds, .computing = s->computing, .copying = s->copying};
    situ_mutex_unlock(&s->lock);
    out->idle = fmax(out->clock - out->computing, 0);
    return 0;
}
