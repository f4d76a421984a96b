#include "backend/cuda/nccl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backend/cuda/kernel.h"
#include "backend/cuda/nccl_api.h"
#include "base/memory.h"
#include "base/thread.h"
#include "os/env.h"
#include "os/library.h"
#include "os/plain.h"
#include "os/wait.h"
#include "tensor/dtype.h"

#define ROW(name) \
    { \
        "nccl" #name, offsetof(situ_nccl_api, name), false \
    }
static const situ_symbol symbols[] = {ROW(GetVersion), ROW(GetUniqueId), ROW(CommInitRankConfig), ROW(CommFinalize),
    ROW(CommDestroy), ROW(CommAbort), ROW(CommGetAsyncError), ROW(GetErrorString), ROW(GetLastError), ROW(GroupStart),
    ROW(GroupEnd), ROW(Send), ROW(Recv), ROW(AllReduce), ROW(ReduceScatter), ROW(AllGather), ROW(Broadcast), {NULL, 0, false}};

enum { ABORT_MOST = 1000000000 }; /* nanoseconds */
static const int64_t CLOSE_MOST = 2000000000;

struct situ_nccl {
    situ_dev *d;
    nccl_communicator communicator; /* NULL: aborted */
    cu_event done;
    int rank, ranks;
    int64_t deadline;
    situ_nccl_watch watch;
    int code; /* the error that broke it */
    char why[512];
};

/* ---- the library ------------------------------------------------------------------------------------------ */

static situ_once once = SITU_ONCE_INIT;
static situ_nccl_api api;
static char reason[640], name[64]; /* the reason why NCCL is absent, and its name; one of them is empty */
static int number;                 /* version of NCCL */

#define INSTALL "; install it, or pip install nvidia-nccl-cu12 and set SITU_NCCL to its " SITU_LIBRARY("nccl", "2")

static void open_library(void)
{
    static const char *const usual[] = {SITU_LIBRARY("nccl", "2"), NULL};
    const char *path = situ_env("SITU_NCCL"), *given[] = {path, NULL};
    char said[300];
    int version = 0;
    if (path && !strcmp(path, "none")) {
        snprintf(reason, sizeof reason, "SITU_NCCL=none");
        return;
    }
    void *library = situ_library_open(path && *path ? given : usual, said, sizeof said);
    if (!library) {
        snprintf(
            reason, sizeof reason, "NCCL was not found (%.290s)%s", situ_library_absent(said) && !path ? usual[0] : said, INSTALL);
        return;
    }
    bool whole = !situ_library_symbols(library, symbols, &api, said, sizeof said);
    if (api.GetVersion && api.GetVersion(&version)) version = 0;
    int major = version / 10000, minor = version / 100 % 100;
    if (version && version < NCCL_OLDEST)
        snprintf(reason, sizeof reason, "NCCL %d.%d is too old: situ needs 2.14 or newer%s", major, minor, INSTALL);
    else if (!whole) snprintf(reason, sizeof reason, "NCCL is too old or damaged: it lacks %.290s%s", said, INSTALL);
    else if (!version) snprintf(reason, sizeof reason, "NCCL does not tell its version%s", INSTALL);
    else snprintf(name, sizeof name, "NCCL %d.%d.%d", major, minor, version % 100);
    number = *name ? version : 0;
    if (*reason) situ_library_close(library);
}

const char *situ_nccl_name(const char **why)
{
    situ_call_once(&once, open_library);
    *why = reason;
    return *name ? name : NULL;
}

int situ_nccl_version(const char **why)
{
    char absent[256];
    if (!situ_nccl_name(why)) return 0;
    if (situ_backend_cuda.count(absent, sizeof absent)) return number;
    *why = "there is no card of NVIDIA's";
    return 0;
}

bool situ_nccl_reaches(const situ_dev *d) { return d->backend == &situ_backend_cuda; }

/* ---- errors --------------------------------------------------------------------------------------------------- */

static int tell(const situ_nccl *n, char *why, size_t size)
{
    snprintf(why, size, "%s", n->why);
    return n->code;
}

/* An abort in a thread of its own, because it may never return: NCCL waits in it for its threads, and on one machine
 * for the other ranks. */
typedef struct ending {
    nccl_communicator communicator;
    _Atomic uint32_t over;
    _Atomic int users;
} ending;

static void leave_ending(ending *e)
{
    if (atomic_fetch_sub(&e->users, 1) == 1) situ_free(e);
}

static void *end_thread(void *self)
{
    ending *e = self;
    api.CommAbort(e->communicator);
    atomic_store(&e->over, 1);
    situ_wake_word(&e->over, 1);
    leave_ending(e);
    return NULL;
}

/* Aborts, and waits for a limited time, so that no program hangs at its end. */
static void abort_communicator(nccl_communicator c)
{
    situ_thread_id thread;
    ending *e = situ_calloc(1, sizeof *e);
    if (e) *e = (ending){.communicator = c, .users = 2};
    if (!e || situ_thread_start(&thread, end_thread, e, "situ-nccl")) {
        situ_free(e);
        api.CommAbort(c);
        return;
    }
    situ_thread_detach(thread);
    for (int64_t until = situ_now() + ABORT_MOST; !atomic_load(&e->over) && situ_now() < until;)
        situ_wait_word_for(&e->over, 0, ABORT_MOST / 50);
    leave_ending(e);
}

/* Marks the communicator broken, if it is not, and aborts it. The device's context is current. */
static int broken(situ_nccl *n, int code, const char *format, ...) SITU_PRINTF(3, 4);
static int broken(situ_nccl *n, int code, const char *format, ...)
{
    if (n->code) return n->code;
    va_list list;
    va_start(list, format);
    situ_plain_list(n->why, sizeof n->why, format, list);
    va_end(list);
    n->code = code;
    if (n->communicator) abort_communicator(n->communicator);
    n->communicator = NULL;
    return code;
}

#define OWN_CARD \
    "; each rank takes a card of its own (its device, or CUDA_VISIBLE_DEVICES); SITU_NCCL=none on all: by the host's memory"

static int failed(situ_nccl *n, const char *call, int result)
{
    const char *text = api.GetErrorString(result), *more = n->communicator ? api.GetLastError(n->communicator) : NULL;
    bool alike = more && strstr(more, "uplicate GPU");
    return broken(n, result == NCCL_REMOTE_ERROR ? -SITU_RANK_LOST : -SITU_DEVICE_LOST, "nccl%s: %s%s%.200s%s", call,
        text ? text : "an unknown error", more && *more ? ": " : "", more ? more : "", alike ? OWN_CARD : "");
}

/* Waits until NCCL has started the call and, with `run`, until the call has finished. */
static int wait_for(situ_nccl *n, const char *call, bool run)
{
    const situ_cuda_api *cu = situ_cuda_driver();
    int64_t begun = situ_now();
    for (int idle = 0; !n->code; situ_rest(&idle)) {
        int state = NCCL_SUCCESS, rc = api.CommGetAsyncError(n->communicator, &state), event = 0;
        if (rc) return failed(n, "CommGetAsyncError", rc);
        if (state != NCCL_SUCCESS && state != NCCL_IN_PROGRESS) return failed(n, call, state);
        if (state == NCCL_SUCCESS && (!run || !(event = cu->EventQuery(n->done)))) return 0;
        if (event && event != CUDA_ERROR_NOT_READY)
            return broken(n, situ_cuda_code(n->d->state, event, "cuEventQuery"), "cuEventQuery: %s", situ_cuda_error(event));
        if (situ_now() - begun > n->deadline)
            return broken(n, -SITU_RANK_LOST,
                "nccl%s has not ended within %g s on rank %d of %d; another rank is lost, or does not make this call; "
                "SITU_GROUP_DEADLINE=SECONDS gives them longer",
                call, (double)n->deadline / 1e9, n->rank, n->ranks);
        char why[sizeof n->why];
        int lost = n->watch.look ? n->watch.look(n->watch.self, idle, why, sizeof why) : 0;
        if (lost) return broken(n, lost, "%s", why);
    }
    return n->code;
}

/* Handles the result of a call that NCCL may continue in the background. */
static int started(situ_nccl *n, const char *call, int result)
{
    return result && result != NCCL_IN_PROGRESS ? failed(n, call, result) : 0;
}

/* ---- communicators ------------------------------------------------------------------------------------------ */

int situ_nccl_identify(char identity[SITU_NCCL_IDENTITY], char *why, size_t size)
{
    nccl_identity made;
    const char *missing;
    if (!situ_nccl_name(&missing)) return snprintf(why, size, "%s", missing), -SITU_NO_LIBRARY;
    int rc = api.GetUniqueId(&made);
    if (rc) return snprintf(why, size, "ncclGetUniqueId: %s", api.GetErrorString(rc)), -SITU_NO_LIBRARY;
    memcpy(identity, made.bytes, SITU_NCCL_IDENTITY);
    return 0;
}

static int begin(situ_nccl *n, const char *identity)
{
    nccl_config config = {sizeof config, NCCL_CONFIG_MAGIC, NCCL_OLDEST, 0};
    nccl_identity of;
    memcpy(of.bytes, identity, sizeof of.bytes);
    int rc = situ_cuda_driver()->EventCreate(&n->done, CU_EVENT_DISABLE_TIMING);
    if (rc)
        return n->done = NULL,
               broken(n, situ_cuda_code(n->d->state, rc, "cuEventCreate"), "cuEventCreate: %s", situ_cuda_error(rc));
    rc = api.CommInitRankConfig(&n->communicator, n->ranks, of, n->rank, &config);
    if (rc && rc != NCCL_IN_PROGRESS) n->communicator = NULL;
    return started(n, "CommInitRankConfig", rc) ? n->code : wait_for(n, "CommInitRankConfig", false);
}

static void drop(situ_nccl *n)
{
    if (n->communicator) abort_communicator(n->communicator); /* the device was lost before a call */
    if (n->done) situ_cuda_driver()->EventDestroy(n->done);
    situ_free(n);
}

int situ_nccl_open(situ_nccl **out, situ_dev *d, const char identity[SITU_NCCL_IDENTITY], int rank, int ranks, double deadline,
    situ_nccl_watch watch, char *why, size_t size)
{
    const char *missing;
    cu_context before;
    *out = NULL;
    if (!situ_nccl_name(&missing)) return snprintf(why, size, "%s", missing), -SITU_NO_LIBRARY;
    situ_nccl *n = situ_calloc(1, sizeof *n);
    if (!n) return snprintf(why, size, "out of host memory"), -SITU_NO_MEMORY;
    *n = (situ_nccl){.d = d, .rank = rank, .ranks = ranks, .deadline = (int64_t)(deadline * 1e9), .watch = watch};
    if (situ_cuda_enter(d->state, &before)) {
        snprintf(why, size, "the device is lost");
        return situ_free(n), -SITU_DEVICE_LOST;
    }
    int rc = begin(n, identity);
    if (rc) tell(n, why, size), drop(n);
    else *out = n;
    situ_cuda_leave(before);
    return rc;
}

/* ---- calls ------------------------------------------------------------------------------------------ */

/* Makes the device current. Work given to the stream `compute` then runs after everything started before. False: the
 * communicator is broken, and the device was not made current. */
static bool enter(situ_nccl *n, cu_context *before)
{
    situ_cuda *s = n->d->state;
    if (n->code) return false;
    if ((n->code = situ_cuda_enter(s, before))) return snprintf(n->why, sizeof n->why, "the device is lost"), false;
    situ_mutex_lock(&s->lock);
    int rc = situ_cuda_flush(s);
    if (!rc) rc = situ_cuda_after_uploads(s, s);
    if (rc) broken(n, rc, "%s", situ_cuda_said());
    return true;
}

/* After the work was given: records an event at its end, releases the device, and waits. */
static int leave(situ_nccl *n, const char *call, cu_context before, char *why, size_t size)
{
    situ_cuda *s = n->d->state;
    if (!n->code && !wait_for(n, call, false)) {
        int rc = situ_cuda_driver()->EventRecord(n->done, s->compute);
        if (rc) broken(n, situ_cuda_code(s, rc, "cuEventRecord"), "cuEventRecord: %s", situ_cuda_error(rc));
    }
    situ_mutex_unlock(&s->lock);
    if (!n->code) wait_for(n, call, true);
    situ_cuda_leave(before);
    return n->code ? tell(n, why, size) : 0;
}

static void give_moves(situ_nccl *n, const situ_device_move *move, int moves)
{
    void *stream = ((situ_cuda *)n->d->state)->compute;
    if (n->code || started(n, "GroupStart", api.GroupStart())) return;
    for (int i = 0; i < moves; i++) {
        const situ_device_move *m = &move[i];
        if (!m->bytes) continue;
        int rc = m->out ? api.Send(m->data, m->bytes, NCCL_INT8, m->peer, n->communicator, stream) :
                          api.Recv(m->data, m->bytes, NCCL_INT8, m->peer, n->communicator, stream);
        if (!rc || rc == NCCL_IN_PROGRESS) continue;
        api.GroupEnd(); /* ends the NCCL group before the communicator is destroyed */
        failed(n, m->out ? "Send" : "Recv", rc);
        return;
    }
    started(n, "GroupEnd", api.GroupEnd());
}

int situ_nccl_move(situ_nccl *n, const situ_device_move *move, int moves, char *why, size_t size)
{
    cu_context before;
    if (!enter(n, &before)) return tell(n, why, size);
    give_moves(n, move, moves);
    return leave(n, "GroupEnd", before, why, size);
}

static int type_of(situ_dtype dtype)
{
    switch (dtype) {
    case SITU_I8: return NCCL_INT8;
    case SITU_U8: return NCCL_UINT8;
    case SITU_I32: return NCCL_INT32;
    case SITU_U32: return NCCL_UINT32;
    case SITU_I64: return NCCL_INT64;
    case SITU_U64: return NCCL_UINT64;
    case SITU_F16: return NCCL_FLOAT16;
    case SITU_F32: return NCCL_FLOAT32;
    case SITU_F64: return NCCL_FLOAT64;
    case SITU_BF16: return NCCL_BFLOAT16;
    default: return -1;
    }
}

bool situ_nccl_adds(situ_dtype dtype, situ_group_reduction reduction)
{
    if (dtype == SITU_C64 || dtype == SITU_C128) return reduction <= SITU_GROUP_MEAN;
    return type_of(dtype) >= 0 && (reduction <= SITU_GROUP_MEAN || !situ_dtype_is_float(dtype));
}

static int give_call(const situ_nccl *n, const situ_nccl_call *c, int type, size_t count)
{
    void *stream = ((situ_cuda *)n->d->state)->compute;
    int operation = c->reduction == SITU_GROUP_MAX ? NCCL_MAX : c->reduction == SITU_GROUP_MIN ? NCCL_MIN : NCCL_SUM;
    switch (c->call) {
    case SITU_CALL_ALL_REDUCE: return api.AllReduce(c->in, c->out, count, type, operation, n->communicator, stream);
    case SITU_CALL_REDUCE_SCATTER:
        return api.ReduceScatter(c->in, c->out, count / (size_t)n->ranks, type, operation, n->communicator, stream);
    case SITU_CALL_ALL_GATHER: return api.AllGather(c->in, c->out, count, type, n->communicator, stream);
    default: return api.Broadcast(c->in, c->out, count, type, c->root, n->communicator, stream);
    }
}

int situ_nccl_collect(situ_nccl *n, const situ_nccl_call *c, char *why, size_t size)
{
    static const char *const names[] = {[SITU_CALL_ALL_REDUCE] = "AllReduce",
        [SITU_CALL_REDUCE_SCATTER] = "ReduceScatter",
        [SITU_CALL_ALL_GATHER] = "AllGather",
        [SITU_CALL_BROADCAST] = "Broadcast"};
    cu_context before;
    size_t count = c->count;
    int type = NCCL_INT8;
    if (c->call == SITU_CALL_ALL_GATHER || c->call == SITU_CALL_BROADCAST) {
        count *= situ_dtype_size(c->dtype);
    } else if (!situ_nccl_adds(c->dtype, c->reduction)) {
        return snprintf(why, size, "NCCL has no such sums of %s", situ_dtype_name(c->dtype)), -SITU_UNSUPPORTED;
    } else if ((type = type_of(c->dtype)) < 0) { /* real and imaginary parts are reduced separately */
        type = c->dtype == SITU_C64 ? NCCL_FLOAT32 : NCCL_FLOAT64;
        count *= 2;
    }
    if (!enter(n, &before)) return tell(n, why, size);
    if (!n->code) started(n, names[c->call], give_call(n, c, type, count));
    return leave(n, names[c->call], before, why, size);
}

void situ_nccl_abort(situ_nccl *n, const char *why)
{
    cu_context before;
    if (!n || n->code) return;
    situ_cuda_enter_to_free(n->d->state, &before);
    broken(n, -SITU_RANK_LOST, "%s", why);
    situ_cuda_leave(before);
}

void situ_nccl_close(situ_nccl *n)
{
    cu_context before;
    if (!n) return;
    situ_cuda_enter_to_free(n->d->state, &before);
    if (n->deadline > CLOSE_MOST) n->deadline = CLOSE_MOST;
    if (!n->code && !started(n, "CommFinalize", api.CommFinalize(n->communicator)) && !wait_for(n, "CommFinalize", false)) {
        api.CommDestroy(n->communicator);
        n->communicator = NULL;
    }
    drop(n);
    situ_cuda_leave(before);
}

const situ_card_calls situ_nccl_calls = {.name = situ_nccl_name,
    .version = situ_nccl_version,
    .reaches = situ_nccl_reaches,
    .adds = situ_nccl_adds,
    .identify = situ_nccl_identify,
    .open = situ_nccl_open,
    .move = situ_nccl_move,
    .collect = situ_nccl_collect,
    .abort = situ_nccl_abort,
    .close = situ_nccl_close};
