#include "run/ahead.h"

#include <stdio.h>

#include "device/device.h"
#include "device/streams.h"
#include "device/trace.h"
#include "device/virtual.h"

/* Limits in addition to the number of launches. Reading a variable waits for all launches under way, so
 * LONG_NANOSECONDS of estimated work are enough, or FEW launches if several threads share a queue. */
enum { FEW = 2, LONG_NANOSECONDS = 20000000, SLICE_NANOSECONDS = 50000000, SHARE = 4, LEAST_BYTES = 64 << 10 };

static _Atomic int most;

int situ_test_ahead(void) { return atomic_exchange(&most, 0); }

static situ_sent *sent_to(const situ_dev *d)
{
    situ_outbox *o = situ_thread_state.outbox;
    if (!o || o->generation != situ_outbox_generation) return NULL;
    for (int i = 0; i < o->devices; i++)
        if (o->sent[i].dev == d) return &o->sent[i];
    return NULL;
}

int64_t situ_ahead_bytes(const situ_plan *p, const situ_walk *w, int device)
{
    const situ_dev *d = p->dev[device];
    int64_t bytes = 0;
    for (uint32_t i = 0; i < p->npersistent; i++)
        if (p->persistent[i].device == device) bytes += p->persistent[i].bytes;
    for (uint32_t i = 0; i < p->nplace; i++) {
        const situ_buffer *b = p->place[i].kind == SITU_PLACE_LEAF ? w->node[p->place[i].of]->buffer : NULL;
        if (b && b->dev == d && !b->borrowed && !atomic_load_explicit(&b->launched, memory_order_relaxed))
            bytes += (int64_t)b->bytes;
    }
    return bytes + (p->ndev > 1 ? p->arena_bytes[device] : 0);
}

/* Bytes of the arena; 0 if the present arena is large enough. Launches that share an arena count it once. */
static int64_t new_arena(const situ_plan *p, int device)
{
    int64_t bytes = p->ndev > 1 ? 0 : p->arena_bytes[device];
    return bytes > situ_buffer_arena_bytes(p->dev[device], situ_launch_stream(p->dev[device])) ? bytes : 0;
}

static bool over_bytes(const situ_sent *s, int64_t bytes)
{
    int64_t held = atomic_load_explicit(&s->bytes, memory_order_relaxed);
    if (held + bytes <= LEAST_BYTES) return false;
    int64_t others = situ_pages_in_use(s->dev) - held;
    return held + bytes > LEAST_BYTES && held + bytes > others / SHARE;
}

static bool is_full(const situ_sent *s, int64_t bytes, double cost)
{
    int launches = s ? atomic_load_explicit(&s->launches, memory_order_acquire) : 0;
    if (!launches) return false;
    if (launches >= SITU_MOST_AHEAD) return true;
    bool shared = s->dev->device.kind != SITU_CPU && atomic_load_explicit(&s->dev->senders, memory_order_relaxed) > 1;
    int64_t work = atomic_load_explicit(&s->nanoseconds, memory_order_relaxed) + (int64_t)(cost * 1e9);
    if (launches >= FEW && (shared || work > LONG_NANOSECONDS)) return true;
    return over_bytes(s, bytes);
}

situ_dev *situ_ahead_full(const situ_plan *p, const situ_walk *w)
{
    for (int i = 0; i < p->ndev; i++) {
        const situ_sent *s = sent_to(p->dev[i]);
        if (!s || !atomic_load_explicit(&s->launches, memory_order_relaxed)) continue;
        if (is_full(s, situ_ahead_bytes(p, w, i) + new_arena(p, i), p->cost)) return p->dev[i];
    }
    return NULL;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------------- */

__thread bool (*situ_wait_goes_on)(void);

/* Is the calling thread's work on the device so short that the thread may run it itself, without asking whether to go
 * on? */
static bool is_short(const situ_dev *d)
{
    const situ_sent *s = sent_to(d);
    return s && atomic_load(&s->launches) && atomic_load(&s->nanoseconds) < LONG_NANOSECONDS;
}

static bool wait_for_stamp(situ_dev *d, uint64_t stamp)
{
    bool goes_on = true;
    if (!situ_wait_goes_on || is_short(d)) situ_stamp_wait(d, stamp);
    else
        while (goes_on && !situ_stamp_wait_for(d, stamp, SLICE_NANOSECONDS)) goes_on = situ_wait_goes_on();
    return goes_on;
}

bool situ_wait_for_job(situ_dev *d, uint64_t stamp, const _Atomic double *until, situ_site site)
{
    bool waits = !situ_stamp_done(d, stamp), tracing = situ_tracing();
    double start = tracing ? situ_seconds() : 0, virtual_start = situ_virtual;
    bool goes_on = !waits || wait_for_stamp(d, stamp);
    if (goes_on && until) situ_host_wait(*until);
    if (!tracing || (!waits && situ_virtual == virtual_start)) return goes_on;
    char name[48], device[32];
    snprintf(name, sizeof name, "wait for %s", situ_stamp_is_of_ranks(stamp) ? "ranks" : situ_device_name(d->device, device));
    situ_trace_add(&(situ_trace_event){.name = name,
        .site = site,
        .start = start,
        .end = waits ? situ_seconds() : start, /* it may wait on the virtual clock alone */
        .virtual_start = virtual_start,
        .virtual_end = situ_virtual});
    return goes_on;
}

bool situ_buffer_is_ready(const situ_buffer *b)
{
    if (situ_host_on()) situ_host_owe(0); /* a thread's clock begins with its first question */
    if (!b->dev->backend->simulated && !situ_stamp_done(b->dev, atomic_load(&b->ready))) return false;
    return atomic_load_explicit(&b->clock, memory_order_relaxed) <= situ_virtual;
}

static uint64_t oldest(const situ_sent *s)
{
    uint32_t launches = (uint32_t)atomic_load(&s->launches);
    return launches ? s->recent[(s->count - launches) % SITU_MOST_AHEAD] : 0;
}

bool situ_ahead_wait(situ_dev *d, situ_site site)
{
    const situ_sent *s = sent_to(d);
    uint64_t stamp = s ? oldest(s) : 0;
    double start = situ_seconds();
    if (!stamp || situ_stamp_done(d, stamp)) return true;
    bool goes_on = situ_wait_for_job(d, stamp, NULL, site);
    situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_WAIT,
        .reason = SITU_REASON_AHEAD,
        .from = d->device,
        .site = site,
        .seconds = situ_seconds() - start});
    return goes_on;
}

void situ_ahead_room(situ_dev *d, int64_t bytes, situ_site site)
{
    const situ_sent *s = sent_to(d);
    while (s && atomic_load_explicit(&s->launches, memory_order_acquire) && over_bytes(s, bytes)) situ_ahead_wait(d, site);
}

void situ_ahead_more(situ_launch *l, int device, uint64_t stamp, int64_t bytes)
{
    situ_outbox *o = l->outbox;
    situ_dev *d = l->plan->dev[device];
    int i = 0;
    l->job[device].sent = -1;
    if (o->generation != situ_outbox_generation) {
        o->generation = situ_outbox_generation;
        o->devices = 0;
    }
    while (i < o->devices && o->sent[i].dev != d) i++;
    if (i == SITU_OUTBOX_DEVICES) return;
    situ_sent *s = &o->sent[i];
    if (i == o->devices) {
        o->devices++;
        s->dev = d;
        s->count = 0;
    }
    s->stamp = s->recent[s->count++ % SITU_MOST_AHEAD] = stamp;
    s->last_bytes = bytes;
    s->last_cost = l->plan->cost;
    l->job[device].sent = i;
    l->job[device].bytes = bytes;
    l->job[device].nanoseconds = (int64_t)(l->plan->cost * 1e9);
    atomic_fetch_add(&s->bytes, bytes);
    atomic_fetch_add(&s->nanoseconds, l->job[device].nanoseconds);
    atomic_fetch_add_explicit(&o->launches, 1, memory_order_relaxed);
    int launches = atomic_fetch_add(&s->launches, 1) + 1;
    if (launches == 1) atomic_fetch_add(&d->senders, 1);
    if (launches > atomic_load_explicit(&most, memory_order_relaxed)) atomic_store_explicit(&most, launches, memory_order_relaxed);
}

void situ_ahead_less(situ_launch *l, int device)
{
    if (l->job[device].sent < 0) return;
    situ_sent *s = &l->outbox->sent[l->job[device].sent];
    atomic_fetch_sub(&s->bytes, l->job[device].bytes);
    atomic_fetch_sub(&s->nanoseconds, l->job[device].nanoseconds);
    atomic_fetch_sub_explicit(&l->outbox->launches, 1, memory_order_relaxed);
    if (atomic_fetch_sub(&s->launches, 1) == 1) atomic_fetch_sub(&l->plan->dev[device]->senders, 1);
}

situ_dev *situ_ahead_pending(void)
{
    situ_outbox *o = situ_thread_state.outbox;
    for (int i = 0; o && o->generation == situ_outbox_generation && i < o->devices; i++) {
        const situ_sent *s = &o->sent[i];
        if (!is_full(s, s->last_bytes, s->last_cost)) continue;
        uint64_t stamp = oldest(s);
        if (stamp && !situ_stamp_done(s->dev, stamp)) return s->dev;
    }
    return NULL;
}
