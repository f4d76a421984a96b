/* Options and counters of simulated GPUs. */
#include "backend/sim/configure.h"

#include <math.h>
#include <string.h>

#include "backend/sim/card.h"
#include "base/error.h"
#include "device/device.h"

situ_dev *situ_sim_opened(situ_device d, const char *call)
{
    char name[32];
    situ_dev *dev = situ_dev_open(d, NULL);
    if (!dev || dev->backend == &situ_backend_sim) return dev;
    int simulated = situ_sim_count_now();
    situ_fail(SITU_BAD_DEVICE, NULL,
        simulated ? "%s: %s is not simulated; give " SITU_SAY("situ_gpu(", "situ.gpu(") "%d)" :
                    "%s: %s is not simulated; call " SITU_SAY(
                        "situ_sim_gpus(1) and give situ_gpu(", "situ.sim_gpus(1) and give situ.gpu(") "%d)",
        call, situ_device_name(d, name), situ_num_gpus() - simulated);
    return NULL;
}

/* If *value is 0, keeps the present setting. Returns false unless the result is finite and positive. */
static bool keep(double *value, double present)
{
    if (*value == 0) *value = present;
    return isfinite(*value) && *value > 0;
}

/* Grows the address space if a larger memory needs it. */
static int fit_space(situ_sim *s, int64_t memory)
{
    size_t bytes = 0;
    for (int i = 0; i < s->space.ranges; i++) bytes += s->space.part[i].range.bytes;
    size_t wanted = situ_space_for(memory);
    return wanted <= bytes ? 0 : situ_space_grow(&s->space, wanted - bytes);
}

int situ_sim_configure(situ_device d, const situ_sim_options *options)
{
    SITU_SPEAK_AT("situ_sim_configure");
    if (!options || !options->size)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_sim_configure: %s; write " SITU_SAY("situ_sim_configure(d, SITU_SIM(.memory = ...))", "its options"),
            options ? "its size is 0" : "options is NULL");
    situ_sim_options o = {.size = sizeof o};
    memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    situ_dev *dev = situ_sim_opened(d, "situ_sim_configure");
    if (!dev) return -situ_error_code;
    situ_sim *s = dev->state;
    situ_mutex_lock(&s->lock);
    const situ_sim_options *p = &s->options;
    bool valid = keep(&o.flops, p->flops) && keep(&o.memory_bandwidth, p->memory_bandwidth) &&
        keep(&o.link_bandwidth, p->link_bandwidth) && keep(&o.link_latency, p->link_latency) &&
        keep(&o.launch_latency, p->launch_latency) && o.memory >= 0 && o.memory <= (int64_t)1 << 50;
    valid = valid && isfinite(o.delay);
    o.delay = o.delay == 0 ? p->delay : o.delay > 0 ? o.delay : 0;
    bool resized = o.memory > 0;
    if (!resized) o.memory = p->memory;
    int code = valid ? fit_space(s, o.memory) : 0;
    if (valid && !code) {
        if (o.link_bandwidth != p->link_bandwidth || o.link_latency != p->link_latency) s->peer_bandwidth = s->peer_latency = 0;
        s->options = o;
        situ_sim_show_memory(s);
        if (o.lose_at) s->lose_in = o.lose_at > 0 ? o.lose_at : 0;
        if (o.lose_at < 0) s->lost = false;
    }
    situ_mutex_unlock(&s->lock);
    if (!valid)
        return situ_fail(SITU_BAD_OPTION, NULL,
            "situ_sim_configure: speeds, times and memory are positive numbers, or 0 to leave them; memory is at most 1 PiB");
    if (code) return situ_fail(SITU_NO_MEMORY, NULL, "situ_sim_configure: the system gives no address space for so much memory");
    if (resized) situ_pages_limit(dev, o.memory);
    if (o.fail_allocation) situ_pages_fail(dev, o.fail_allocation);
    return 0;
}

void situ_sim_dress_one(situ_sim *s, const situ_card *c)
{
    situ_mutex_lock(&s->lock);
    situ_sim_options *o = &s->options;
    o->size = sizeof *o;
    o->flops = c->flops;
    o->memory_bandwidth = c->memory_bandwidth;
    o->launch_latency = c->kernel;
    o->link_bandwidth = c->link_bandwidth;
    o->link_latency = c->link_latency;
    s->peer_bandwidth = c->peer_bandwidth;
    s->peer_latency = c->peer_latency;
    int64_t memory = (int64_t)c->memory;
    if (!fit_space(s, memory)) o->memory = memory;
    situ_sim_show_memory(s);
    situ_mutex_unlock(&s->lock);
}

void situ_sim_dress(const situ_card *card)
{
    for (int i = 0; i < situ_num_devices(SITU_GPU); i++) {
        situ_dev *d = situ_dev_opened(situ_gpu(i));
        if (!d || d->backend != &situ_backend_sim) continue;
        situ_sim *s = d->state;
        situ_sim_dress_one(s, card);
        situ_pages_limit(d, s->options.memory);
    }
}

int situ_sim_count(situ_device d, situ_sim_counters *out)
{
    SITU_SPEAK_AT("situ_sim_count");
    if (!out) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_sim_count: out is NULL");
    memset(out, 0, sizeof *out);
    situ_dev *dev = situ_sim_opened(d, "situ_sim_count");
    if (!dev) return -situ_error_code;
    situ_sim *s = dev->state;
    situ_mutex_lock(&s->lock);
    *out = s->count;
    situ_mutex_unlock(&s->lock);
    return 0;
}
