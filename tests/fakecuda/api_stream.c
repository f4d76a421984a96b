/* The driver's functions: streams and events. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

static int here(void) { return fake_current()->object.device; }

/* ---------------------------------------------------------------- streams */

static int do_cuStreamCreate(CUstream *stream, unsigned flags)
{
    static int slots;
    if (flags > 1) return CUDA_ERROR_INVALID_VALUE;
    CUstream s = fake_new(FAKE_STREAM, sizeof *s, here());
    if (!s) return CUDA_ERROR_OUT_OF_MEMORY;
    s->flags = flags;
    s->slot = slots++ % FAKE_SLOTS;
    /* a reused slot continues the numbers of the earlier stream */
    s->enqueued = s->done = s->wanted = fake_slot_seq[s->slot];
    *stream = s;
    return 0;
}
FAKE_ENTRY_POINT(cuStreamCreate, (CUstream * stream, unsigned flags), (stream, flags))
#define do_cuStreamCreateWithPriority(stream, flags, priority) ((void)priority, do_cuStreamCreate(stream, flags))
FAKE_ENTRY_POINT(cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority), (stream, flags, priority))

/* Work that is queued is still done. */
static int do_cuStreamDestroy_v2(CUstream s)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuStreamDestroy");
    if (code) return code;
    if (s->capture) fakecuda_violation("capture: cuStreamDestroy of a stream that is captured");
    s->object.alive = false;
    return 0;
}
FAKE_ENTRY_POINT(cuStreamDestroy_v2, (CUstream s), (s))

static int do_cuStreamSynchronize(CUstream s)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuStreamSynchronize");
    if (!code && s->capture) code = fake_capture_stream(s, "cuStreamSynchronize");
    return code ? code : fake_wait(s, s->enqueued);
}
FAKE_ENTRY_POINT(cuStreamSynchronize, (CUstream s), (s))

static int do_cuStreamQuery(CUstream s)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuStreamQuery");
    if (!code && s->capture) code = fake_capture_stream(s, "cuStreamQuery");
    if (code) return code;
    fake_yield(s);
    if (fake_context(s->object.device)->sticky) return fake_context(s->object.device)->sticky;
    if (s->first) return CUDA_ERROR_NOT_READY;
    fake_clock_join(&fake_host_clock, &s->clock);
    return 0;
}
FAKE_ENTRY_POINT(cuStreamQuery, (CUstream s), (s))

/* ---------------------------------------------------------------- events */

static int do_cuEventCreate(CUevent *event, unsigned flags)
{
    if (flags > 7) return CUDA_ERROR_INVALID_VALUE;
    CUevent e = fake_new(FAKE_EVENT, sizeof *e, here());
    if (!e) return CUDA_ERROR_OUT_OF_MEMORY;
    e->flags = flags;
    *event = e;
    return 0;
}
FAKE_ENTRY_POINT(cuEventCreate, (CUevent * event, unsigned flags), (event, flags))

static fake_work *moment_work(fake_work_kind kind, fake_moment *m)
{
    fake_work *w = m ? fake_work_new(kind) : NULL;
    if (!w) return NULL;
    fake_moment_hold(m);
    w->is.moment = m;
    return w;
}

static int do_cuEventRecord(CUevent e, CUstream s)
{
    int code = fake_check(e, FAKE_EVENT, -1, "cuEventRecord");
    if (!code) code = fake_check(s, FAKE_STREAM, e->object.device, "cuEventRecord");
    if (code) return code;
    if (s->capture) return fake_capture_record(s, e);
    fake_moment *m = calloc(1, sizeof *m);
    if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
    fake_work *w = moment_work(WORK_RECORD, m);
    if (!w) {
        free(m);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    fake_moment_hold(m);
    fake_moment_drop(e->moment);
    e->moment = m;
    e->captured = NULL;
    return fake_enqueue(s, w);
}
FAKE_ENTRY_POINT(cuEventRecord, (CUevent e, CUstream s), (e, s))

static int do_cuStreamWaitEvent(CUstream s, CUevent e, unsigned flags)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuStreamWaitEvent");
    if (!code) code = fake_check(e, FAKE_EVENT, -1, "cuStreamWaitEvent");
    if (code) return code;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    if (e->captured || s->capture) return fake_capture_wait(s, e);
    if (!e->moment) return fake_refuse(0, "event: cuStreamWaitEvent for event %d, which was never recorded", e->object.number);
    fake_work *w = moment_work(WORK_WAIT, e->moment);
    return w ? fake_enqueue(s, w) : CUDA_ERROR_OUT_OF_MEMORY;
}
FAKE_ENTRY_POINT(cuStreamWaitEvent, (CUstream s, CUevent e, unsigned flags), (s, e, flags))

static int usable(CUevent e, const char *function)
{
    int code = fake_check(e, FAKE_EVENT, -1, function);
    if (code) return code;
    if (e->captured) return fake_refuse(CUDA_ERROR_CAPTURED_EVENT, "capture: %s of an event that was recorded in a capture", function);
    if (!e->moment) fakecuda_violation("event: %s of event %d, which was never recorded", function, e->object.number);
    return 0;
}

static int do_cuEventSynchronize(CUevent e)
{
    int code = usable(e, "cuEventSynchronize");
    if (code || !e->moment) return code;
    fake_moment *m = e->moment;
    fake_moment_hold(m);
    code = fake_wait(m->stream, m->seq);
    fake_moment_drop(m);
    return code;
}
FAKE_ENTRY_POINT(cuEventSynchronize, (CUevent e), (e))

static int do_cuEventQuery(CUevent e)
{
    int code = usable(e, "cuEventQuery");
    if (code || !e->moment) return code;
    fake_moment *m = e->moment;
    fake_moment_hold(m);
    fake_yield(m->stream);
    bool done = m->done;
    if (done) fake_clock_join(&fake_host_clock, &m->clock);
    fake_moment_drop(m);
    code = fake_context(e->object.device)->sticky;
    return code ? code : done ? 0 : CUDA_ERROR_NOT_READY;
}
FAKE_ENTRY_POINT(cuEventQuery, (CUevent e), (e))

static int do_cuEventElapsedTime(float *milliseconds, CUevent a, CUevent b)
{
    int code = usable(a, "cuEventElapsedTime");
    if (!code) code = usable(b, "cuEventElapsedTime");
    if (code) return code;
    if (!a->moment || !b->moment) return CUDA_ERROR_INVALID_HANDLE;
    if ((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING)
        return fake_refuse(CUDA_ERROR_INVALID_HANDLE, "event: cuEventElapsedTime of an event made without timing");
    if (a->object.device != b->object.device) return fake_refuse(CUDA_ERROR_INVALID_HANDLE, "device: cuEventElapsedTime of events of two devices");
    if (!a->moment->done || !b->moment->done) return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)((b->moment->seconds - a->moment->seconds) * 1e3);
    return 0;
}
FAKE_ENTRY_POINT(cuEventElapsedTime, (float *milliseconds, CUevent a, CUevent b), (milliseconds, a, b))

static int do_cuEventDestroy_v2(CUevent e)
{
    int code = fake_check(e, FAKE_EVENT, -1, "cuEventDestroy");
    if (code) return code;
    e->object.alive = false;
    fake_moment_drop(e->moment);
    fake_frontier_clear(&e->frontier);
    e->moment = NULL;
    return 0;
}
FAKE_ENTRY_POINT(cuEventDestroy_v2, (CUevent e), (e))

/* ---------------------------------------------------------------- host functions */

static int do_cuLaunchHostFunc(CUstream s, CUhostFn function, void *user)
{
    int code = fake_check(s, FAKE_STREAM, -1, "cuLaunchHostFunc");
    if (code) return code;
    fake_work *w = fake_work_new(WORK_HOST);
    if (!w) return CUDA_ERROR_OUT_OF_MEMORY;
    w->is.host.function = function;
    w->is.host.user = user;
    return fake_enqueue(s, w);
}
FAKE_ENTRY_POINT(cuLaunchHostFunc, (CUstream s, CUhostFn function, void *user), (s, function, user))

/* ---------------------------------------------------------------- libraries beside the driver */

FAKE_API int fakecuda_current(void) { return fake_current() != NULL; }

static int check_ranges(const char *name, const fakecuda_range *range, int ranges)
{
    for (int i = 0; i < ranges; i++) {
        const fake_block *b = fake_block_at(range[i].address);
        if (!range[i].bytes) continue;
        if (!b || !b->alive || range[i].address + range[i].bytes > b->high || range[i].address < b->low)
            return fake_refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "bounds: %s with %zu bytes that are in no block or go beyond", name, range[i].bytes);
        for (int k = 0; k < ranges; k++)
            if (k != i && range[i].write && range[k].bytes && range[i].address < range[k].address + range[k].bytes && range[k].address < range[i].address + range[i].bytes)
                return fake_refuse(CUDA_ERROR_INVALID_VALUE, "bounds: %s writes where it reads", name);
    }
    return 0;
}

static int call(CUstream s, const char *name, void (*function)(void *user), void *user, const fakecuda_range *range, int ranges)
{
    int code = fake_current() ? 0 : fake_refuse(CUDA_ERROR_INVALID_CONTEXT, "context: %s in a thread without a current context", name);
    if (!code) code = fake_context(here())->sticky;
    if (!code) code = fake_check(s, FAKE_STREAM, here(), name);
    if (!code) code = check_ranges(name, range, ranges);
    fake_work *w = code ? NULL : fake_work_new(WORK_CALL);
    if (!w) return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    w->is.call.name = name;
    w->is.call.function = function;
    w->is.call.user = user;
    w->is.call.ranges = ranges;
    memcpy(w->is.call.range, range, (size_t)ranges * sizeof *range);
    return fake_enqueue(s, w);
}

FAKE_API int fakecuda_call(void *stream, const char *name, void (*function)(void *user), void *user, const fakecuda_range *range, int ranges)
{
    pthread_mutex_lock(&fake_lock);
    int code = call(stream, name, function, user, range, ranges);
    pthread_mutex_unlock(&fake_lock);
    return code;
}
