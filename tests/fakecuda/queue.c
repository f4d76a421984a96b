/* Streams, events, and the thread that does the work: when a wait demands it, when a draw allows it, or when nothing
 * else happens for a while. */
#define _GNU_SOURCE
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IDLE_NANOSECONDS = 2000000 };

fake_clock fake_host_clock;
uint32_t fake_slot_seq[FAKE_SLOTS];
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER, progress = PTHREAD_COND_INITIALIZER;
static pthread_t executor;
static bool executor_runs;
static int allowance;
static bool stirred;        /* somebody called since */
static bool executor_stuck; /* in a host function, which may wait for the caller's locks */
static __thread bool is_executor;

bool fake_is_executor(void) { return is_executor; }

double fake_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---------------------------------------------------------------- work */

fake_work *fake_work_new(fake_work_kind kind)
{
    fake_work *w = calloc(1, sizeof *w);
    if (w) w->kind = kind;
    return w;
}

void fake_moment_hold(fake_moment *m) { m->uses++; }

void fake_moment_drop(fake_moment *m)
{
    if (m && !--m->uses) free(m);
}

void fake_work_free(fake_work *w)
{
    if (w->kind == WORK_KERNEL) free(w->is.launch.blob), free(w->is.launch.parameter);
    if (w->kind == WORK_CALL) free(w->is.call.user);
    if (w->kind == WORK_GRAPH) free(w->is.graph.node);
    if (w->kind == WORK_COPY) free(w->is.copy.snapshot);
    if (w->kind == WORK_RECORD || w->kind == WORK_WAIT) fake_moment_drop(w->is.moment);
    free(w);
}

static CUstream next_stream(fake_object *o)
{
    while (o && o->kind != FAKE_STREAM) o = o->next;
    return (CUstream)o;
}
#define EACH_STREAM(s) for (CUstream s = next_stream(fake_objects); s; s = next_stream(s->object.next))

bool fake_pending(int device)
{
    EACH_STREAM(s)
        if (s->first && (device < 0 || s->object.device == device)) return true;
    return false;
}

uint32_t fake_oldest_pending(void)
{
    uint32_t oldest = UINT32_MAX;
    EACH_STREAM(s)
        if (s->first && s->first->number < oldest) oldest = s->first->number;
    return oldest;
}

/* ---------------------------------------------------------------- executor */

static bool ready(CUstream s)
{
    fake_work *w = s->first;
    return w && !s->running && (w->kind != WORK_WAIT || w->is.moment->done);
}

/* What a demanded stream waits for is demanded too. */
static void spread_demand(void)
{
    for (bool more = true; more;) {
        more = false;
        EACH_STREAM(s) {
            fake_work *w = s->first;
            if (s->done >= s->wanted || !w || w->kind != WORK_WAIT || w->is.moment->done) continue;
            CUstream other = w->is.moment->stream;
            if (other->wanted >= w->is.moment->seq) continue;
            other->wanted = w->is.moment->seq;
            more = true;
        }
    }
}

static CUstream choose(bool demanded)
{
    CUstream chosen = NULL;
    uint32_t count = 0;
    EACH_STREAM(s)
        if (ready(s) && (!demanded || s->done < s->wanted) && !fake_random(++count)) chosen = s;
    return chosen;
}

static void finish(CUstream s, fake_work *w)
{
    s->first = w->next;
    if (!s->first) s->last = NULL;
    s->running = false;
    s->done = w->seq;
    if (w->kind == WORK_RECORD) {
        w->is.moment->done = true;
        w->is.moment->seconds = fake_now();
    }
    fake_work_free(w);
    fake_space_reap(fake_oldest_pending());
    pthread_cond_broadcast(&progress);
}

/* Device memory stays open from one work to the next, since opening and closing costs as much as a small kernel. */
static void keep_open(bool open)
{
    static bool is_open;
    if (open == is_open) return;
    if (open) fake_space_open();
    else fake_space_close();
    is_open = open;
}

static void step(CUstream s)
{
    fake_work *w = s->first;
    s->running = true;
    CUcontext c = fake_context(s->object.device);
    bool skipped = c->sticky && (w->kind == WORK_KERNEL || w->kind == WORK_COPY || w->kind == WORK_SET || w->kind == WORK_GRAPH || w->kind == WORK_CALL);
    if (!skipped && w->kind != WORK_RECORD && w->kind != WORK_WAIT) {
        keep_open(w->kind != WORK_HOST && w->kind != WORK_GRAPH);
        if (w->kind == WORK_HOST || (w->kind == WORK_CALL && !strncmp(w->is.call.name, "nccl", 4))) { /* that waits for other processes */
            if (w->kind == WORK_HOST) fake_clock_join(&fake_host_clock, &w->clock);
            executor_stuck = true;
            pthread_cond_broadcast(&progress);
        }
        pthread_mutex_unlock(&fake_lock);
        fake_run(w);
        pthread_mutex_lock(&fake_lock);
        executor_stuck = false;
    }
    finish(s, w);
}

static void sleep_a_while(bool *idle)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += IDLE_NANOSECONDS;
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    if (!fake_pending(-1)) pthread_cond_wait(&wake, &fake_lock), *idle = false;
    else *idle = pthread_cond_timedwait(&wake, &fake_lock, &t) != 0;
}

static void *execute(void *unused)
{
    bool idle = false;
    is_executor = true;
    fake_fibers_thread();
    pthread_mutex_lock(&fake_lock);
    for (;;) {
        spread_demand();
        CUstream s = choose(true);
        if (s && fake_set.order == 0 && !fake_random(4)) s = choose(false);
        if (!s && (allowance > 0 || idle || fake_set.order == 2)) s = choose(false);
        if (allowance > 0) allowance--;
        if (s) {
            step(s);
            idle = idle && !stirred;
        } else {
            keep_open(false);
            allowance = 0;
            stirred = false;
            pthread_cond_broadcast(&progress);
            sleep_a_while(&idle);
        }
    }
    return unused;
}

static void start_executor(void)
{
    pthread_attr_t attributes;
    if (executor_runs) return;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    executor_runs = !pthread_create(&executor, &attributes, execute, NULL);
    pthread_attr_destroy(&attributes);
}

/* ---------------------------------------------------------------- enqueuing and waiting */

/* Work that happens while the caller is still inside of a call: as much as the draw says. */
static void let_happen(int steps)
{
    start_executor();
    stirred = true;
    allowance = steps;
    pthread_cond_signal(&wake);
    while (allowance > 0 && !executor_stuck) pthread_cond_wait(&progress, &fake_lock);
}

void fake_yield(CUstream s)
{
    if (fake_random(2) && s->wanted < s->done + 1 && s->first) s->wanted = s->done + 1;
    let_happen(1);
}

/* What a copy is going to use; of kernels it is known when they have run. */
static void mark_use(const fake_work *w)
{
    const uintptr_t at[2] = {w->kind == WORK_SET ? w->is.set.to : w->is.copy.to, w->kind == WORK_SET ? 0 : w->is.copy.from};
    if (w->kind != WORK_COPY && w->kind != WORK_SET) return;
    for (int i = 0; i < 2; i++) {
        fake_block *b = fake_block_at(at[i]);
        if (b) b->touched[w->slot] = w->seq;
    }
}

int fake_enqueue(CUstream s, fake_work *w)
{
    w->device = s->object.device;
    if (s->capture) return fake_capture_add(s, w);
    w->slot = s->slot;
    w->seq = ++s->enqueued;
    fake_slot_seq[s->slot] = w->seq;
    fake_clock_join(&s->clock, &fake_host_clock);
    if (w->kind == WORK_WAIT) fake_clock_join(&s->clock, &w->is.moment->clock);
    s->clock.at[s->slot] = w->seq;
    w->clock = s->clock;
    w->number = fake_work_number(w);
    mark_use(w);
    if (w->kind == WORK_RECORD) {
        w->is.moment->stream = s;
        w->is.moment->seq = w->seq;
        w->is.moment->clock = s->clock;
    }
    w->next = NULL;
    if (s->last) s->last->next = w;
    else s->first = w;
    s->last = w;
    if (fake_set.order == 2) let_happen(1 << 20);
    else if (fake_set.order == 0 && !fake_random(3)) let_happen(1 + (int)fake_random(4));
    else start_executor(), stirred = true, pthread_cond_signal(&wake);
    return 0;
}

int fake_wait(CUstream s, uint32_t seq)
{
    fake_clock clock = s->clock;
    clock.at[s->slot] = seq;
    fake_count(FAKE_wait);
    start_executor();
    if (s->wanted < seq) s->wanted = seq;
    stirred = true;
    pthread_cond_signal(&wake);
    while (s->done < seq) pthread_cond_wait(&progress, &fake_lock);
    fake_clock_join(&fake_host_clock, &clock);
    return fake_context(s->object.device)->sticky;
}

/* All that was queued on a device counts as over: nothing of it can come any more, and no wait would say so. */
void fake_forget_work(int device)
{
    EACH_STREAM(s)
        if (s->object.device == device) fake_clock_join(&fake_host_clock, &s->clock);
}

/* All work of a device, or of all (-1). */
void fake_drain(int device)
{
    EACH_STREAM(s)
        if (s->first && (device < 0 || s->object.device == device)) fake_wait(s, s->enqueued);
}
