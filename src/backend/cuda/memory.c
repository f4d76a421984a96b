/* Memory of CUDA devices, and copies. */
#include <string.h>

#include "backend/cuda/kernel.h"
#include "base/memory.h"
#include "base/queue.h"

/* ---- allocating ------------------------------------------------------------------------------------------------------- */

int situ_cuda_alloc(situ_dev *d, size_t bytes, void **address)
{
    situ_cuda *s = d->state;
    cu_context before;
    cu_address at = 0;
    if (situ_cuda_enter(s, &before)) return -SITU_DEVICE_LOST;
    int code = SITU_CUDA_TRY(s, MemAlloc, &at, bytes);
    situ_cuda_leave(before);
    if (code) return code;
    *address = (void *)(uintptr_t)at;
    s->used += (int64_t)bytes;
    return 0;
}

/* No kernel uses the block any more, but an upload to it may still be under way. */
void situ_cuda_free(situ_dev *d, void *address, size_t bytes)
{
    situ_cuda *s = d->state;
    const situ_cuda_api *cu = situ_cuda_driver();
    cu_context before;
    situ_cuda_enter_to_free(s, &before);
    situ_mutex_lock(&s->up_lock);
    if (s->uploads && cu->EventQuery(s->up_last)) cu->StreamSynchronize(s->up);
    situ_mutex_unlock(&s->up_lock);
    cu->MemFree((cu_address)(uintptr_t)address);
    situ_cuda_leave(before);
    s->used -= (int64_t)bytes;
}

/* ---- uploads ------------------------------------------------------------------------------------------------------------ */

static int stage_ready(situ_cuda *s, situ_cuda_stage *stage)
{
    int code = 0;
    if (!stage->host) {
        code = SITU_CUDA_TRY(s, MemHostAlloc, &stage->host, SITU_CUDA_STAGE_BYTES, CU_MEMHOSTALLOC_PORTABLE);
        if (code) stage->host = NULL;
    }
    if (!code && !stage->done) {
        code = SITU_CUDA_TRY(s, EventCreate, &stage->done, CU_EVENT_DISABLE_TIMING);
        if (code) stage->done = NULL;
    }
    if (!code && stage->used && !(code = SITU_CUDA_TRY(s, EventSynchronize, stage->done))) stage->used = false;
    return code;
}

static int send_up(situ_cuda *s, cu_address to, const char *from, size_t bytes)
{
    while (bytes) {
        situ_cuda_stage *stage = &s->up_stage[s->up_next];
        size_t n = bytes < SITU_CUDA_STAGE_BYTES ? bytes : SITU_CUDA_STAGE_BYTES;
        int code = stage_ready(s, stage);
        if (code) return code;
        memcpy(stage->host, from, n);
        stage->used = true;
        code = SITU_CUDA_TRY(s, MemcpyHtoDAsync, to, stage->host, n, s->up);
        if (!code) code = SITU_CUDA_TRY(s, EventRecord, stage->done, s->up);
        if (code) return code;
        s->up_next = (s->up_next + 1) % SITU_CUDA_STAGES;
        to += n;
        from += n;
        bytes -= n;
    }
    return SITU_CUDA_TRY(s, EventRecord, s->up_last, s->up);
}

/* Makes uploads wait for `compute`: a step of a plan may write where earlier ones read. */
static int up_after_compute(situ_cuda *s)
{
    situ_mutex_lock(&s->lock);
    int code = situ_cuda_flush(s);
    if (!code) code = SITU_CUDA_TRY(s, EventRecord, s->point, s->compute);
    if (!code) code = SITU_CUDA_TRY(s, StreamWaitEvent, s->up, s->point, 0);
    situ_mutex_unlock(&s->lock);
    return code;
}

int situ_cuda_upload(situ_dev *d, void *to, const void *from_host, size_t bytes)
{
    situ_cuda *s = d->state;
    cu_context before;
    if (situ_cuda_enter(s, &before)) return -SITU_DEVICE_LOST;
    int code = bytes && d->queue && situ_queue_inside(d->queue) ? up_after_compute(s) : 0;
    situ_mutex_lock(&s->up_lock);
    if (bytes && !code && (code = send_up(s, (cu_address)(uintptr_t)to, from_host, bytes))) {
        /* a part may still be under way, and nothing else would wait for it */
        situ_cuda_driver()->StreamSynchronize(s->up);
        for (int i = 0; i < SITU_CUDA_STAGES; i++) s->up_stage[i].used = false;
    }
    if (bytes && !code) s->uploads++;
    situ_mutex_unlock(&s->up_lock);
    situ_cuda_leave(before);
    return code;
}

int situ_cuda_after_uploads(situ_cuda *s, situ_cuda *source)
{
    uint64_t uploads = source->uploads;
    if (!uploads || (s == source && s->seen == uploads)) return 0;
    int code = SITU_CUDA_TRY(s, StreamWaitEvent, s->compute, source->up_last, 0);
    if (!code && s == source) s->seen = uploads;
    return code;
}

/* ---- downloads ---------------------------------------------------------------------------------------------------------- */

static int bring_down(situ_cuda *s, char *to, cu_address from, size_t bytes)
{
    size_t sent = 0, taken = 0;
    for (int i = 0; taken < bytes; i++) { /* a piece is downloaded while the one before is copied out */
        situ_cuda_stage *stage = &s->down_stage[i % 2], *earlier = &s->down_stage[(i + 1) % 2];
        if (sent < bytes) {
            size_t n = bytes - sent < SITU_CUDA_STAGE_BYTES ? bytes - sent : SITU_CUDA_STAGE_BYTES;
            int code = stage_ready(s, stage);
            if (!code) code = SITU_CUDA_TRY(s, MemcpyDtoHAsync, stage->host, from + sent, n, s->down);
            if (!code) code = SITU_CUDA_TRY(s, EventRecord, stage->done, s->down);
            if (code) return code;
            sent += n;
        }
        if (!i) continue;
        size_t n = bytes - taken < SITU_CUDA_STAGE_BYTES ? bytes - taken : SITU_CUDA_STAGE_BYTES;
        int code = SITU_CUDA_TRY(s, EventSynchronize, earlier->done);
        if (code) return code;
        memcpy(to + taken, earlier->host, n);
        taken += n;
    }
    return 0;
}

int situ_cuda_download(situ_dev *d, void *to_host, const void *from, size_t bytes)
{
    situ_cuda *s = d->state;
    cu_context before;
    int code = 0;
    if (situ_cuda_enter(s, &before)) return -SITU_DEVICE_LOST;
    situ_mutex_lock(&s->down_lock);
    uint64_t uploads = s->uploads;
    if (uploads != s->down_seen && !(code = SITU_CUDA_TRY(s, StreamWaitEvent, s->down, s->up_last, 0))) s->down_seen = uploads;
    if (!code && (code = bring_down(s, to_host, (cu_address)(uintptr_t)from, bytes)))
        situ_cuda_driver()->StreamSynchronize(s->down); /* afterwards nothing writes to the pieces any more */
    situ_mutex_unlock(&s->down_lock);
    situ_cuda_leave(before);
    return code;
}

/* ---- between devices ------------------------------------------------------------------------------------------------------ */

/* Enables peer access if the pair supports it (queried once); otherwise the driver copies through the host. */
static void meet(situ_cuda *s, situ_cuda *source, int index)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    uint64_t bit = (uint64_t)1 << (index % 64);
    int can = 0;
    if (s->peers & bit) return;
    s->peers |= bit;
    if (cu->DeviceCanAccessPeer(&can, s->device, source->device) || !can) return;
    int code = cu->CtxEnablePeerAccess(source->context, 0);
    if (code && code != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) situ_cuda_code(s, code, "cuCtxEnablePeerAccess");
}

int situ_cuda_copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes)
{
    if (from_dev->backend != d->backend) return -SITU_UNSUPPORTED;
    situ_cuda *s = d->state, *source = from_dev->state;
    cu_address target = (cu_address)(uintptr_t)to, origin = (cu_address)(uintptr_t)from;
    cu_context before;
    if (source->lost) return situ_cuda_code(source, CUDA_ERROR_CONTEXT_IS_DESTROYED, "cuMemcpyPeerAsync");
    if (situ_cuda_enter(s, &before)) return -SITU_DEVICE_LOST;
    situ_mutex_lock(&s->lock);
    int code = bytes ? situ_cuda_flush(s) : 0;
    if (!code && bytes) code = situ_cuda_after_uploads(s, s);
    if (!code && bytes && s != source) code = situ_cuda_after_uploads(s, source);
    if (!code && bytes && s != source) {
        meet(s, source, from_dev->index);
        code = SITU_CUDA_TRY(s, MemcpyPeerAsync, target, s->context, origin, source->context, bytes, s->compute);
    } else if (!code && bytes) {
        code = SITU_CUDA_TRY(s, MemcpyDtoDAsync, target, origin, bytes, s->compute);
    }
    situ_mutex_unlock(&s->lock);
    situ_cuda_leave(before);
    return code;
}

/* ---- marks ----------------------------------------------------------------------------------------------------------------- */

typedef struct situ_cuda_place {
    struct situ_cuda_place *next;
    cu_event event;
} situ_cuda_place;

/* Called under the lock. */
static situ_cuda_place *take_mark(situ_cuda *s)
{
    situ_cuda_place *m = s->marks;
    if (m) {
        s->marks = m->next;
        return m;
    }
    if (!(m = situ_calloc(1, sizeof *m))) return NULL;
    if (!SITU_CUDA_TRY(s, EventCreate, &m->event, CU_EVENT_DISABLE_TIMING)) return m;
    situ_free(m);
    return NULL;
}

void *situ_cuda_mark(situ_dev *d)
{
    situ_cuda *s = d->state;
    cu_context before;
    if (situ_cuda_enter(s, &before)) return NULL;
    situ_mutex_lock(&s->lock);
    int code = situ_cuda_flush(s);
    if (code && !s->failed) s->failed = code; /* finish reports it */
    situ_cuda_place *m = code ? NULL : take_mark(s);
    if (m && SITU_CUDA_TRY(s, EventRecord, m->event, s->compute)) {
        m->next = s->marks;
        s->marks = m;
        m = NULL;
    }
    situ_mutex_unlock(&s->lock);
    situ_cuda_leave(before);
    return m;
}

int situ_cuda_follow(situ_dev *d, situ_dev *marked, void *mark)
{
    situ_cuda *s = (d ? d : marked)->state;
    cu_event event = ((situ_cuda_place *)mark)->event;
    cu_context before;
    if (situ_cuda_enter(s, &before)) return -SITU_DEVICE_LOST;
    if (!d) {
        int code = SITU_CUDA_TRY(s, EventSynchronize, event);
        situ_cuda_leave(before);
        return code;
    }
    situ_mutex_lock(&s->lock);
    int code = situ_cuda_flush(s);
    if (!code) code = SITU_CUDA_TRY(s, StreamWaitEvent, s->compute, event, 0);
    situ_mutex_unlock(&s->lock);
    situ_cuda_leave(before);
    return code;
}

void situ_cuda_unmark(situ_dev *marked, void *mark)
{
    situ_cuda *s = marked->state;
    situ_cuda_place *m = mark;
    situ_mutex_lock(&s->lock);
    m->next = s->marks;
    s->marks = m;
    situ_mutex_unlock(&s->lock);
}

void situ_cuda_close_marks(situ_cuda *s)
{
    for (situ_cuda_place *m = s->marks, *next; m; m = next) {
        next = m->next;
        situ_cuda_driver()->EventDestroy(m->event);
        situ_free(m);
    }
    s->marks = NULL;
}
