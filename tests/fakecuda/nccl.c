/* A fake NCCL between processes of one machine: what is sent goes through a file that all ranks map, in stream order,
 * and waits there for its receiver as a kernel does: until it comes or the communicator is aborted. What breaks NCCL's
 * rules is a violation.
 *
 *   FAKENCCL_VERSION   version that it says (22000)
 *   FAKENCCL_ERROR     "N:CODE": the Nth ncclCommGetAsyncError of a communicator that is ready tells this code
 *   FAKENCCL_HANG      1: ncclCommAbort hangs for 10 seconds
 *   FAKENCCL_KILL      N: the process is killed while the Nth exchange runs
 *   FAKENCCL_ALIKE     1: all ranks have one card, which ncclCommInitRankConfig refuses as NCCL does */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "fakecuda.h"
#include "numbers.h"

#define FAKE_API __attribute__((visibility("default")))
enum { SUCCESS = 0, CUDA_ERROR = 1, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, REMOTE_ERROR = 6, IN_PROGRESS = 7 };
enum { RANKS = 8, PIECE = 64 << 10, MOST = FAKECUDA_RANGES, MAGIC = 0xfa6e };

/* A channel from one rank to another: transfers one piece at a time. */
typedef struct channel {
    _Atomic uint64_t sent, taken; /* pieces */
    uint32_t bytes;
    char data[PIECE];
} channel;
typedef struct shared {
    _Atomic int arrived, finalized, aborted;
    _Atomic int here[RANKS];
    channel from[RANKS][RANKS];
} shared;
typedef struct identity { char bytes[128]; } identity;
typedef struct config { size_t size; unsigned magic, version; int blocking; } config;

typedef struct communicator {
    int magic, rank, ranks, state; /* IN_PROGRESS until all ranks have joined */
    bool finalizing;
    _Atomic bool aborted;
    _Atomic int running;           /* work that waits on the stream */
    shared *at;
} communicator;

/* One send or receive of a group; an all-reduce is both. */
typedef struct transfer {
    bool out;
    int peer;
    char *data;
    size_t bytes, done;
} transfer;
typedef struct work {
    communicator *c;
    int count, type, operation, root;
    size_t elements; /* of one rank's part */
    char *in, *out;  /* operands of a call of all ranks */
    transfer of[MOST];
} work;

static __thread int depth, queued, group_code;
static __thread work *group;
static __thread void *group_stream;
static long asked;

#define ENTER(name)                           \
    do {                                      \
        int injected = fakecuda_enter(#name); \
        if (injected) return injected;        \
    } while (0)

static int refuse(int code, const char *what)
{
    fakecuda_violation("nccl: %s", what);
    return code;
}

FAKE_API int ncclGetVersion(int *version);
FAKE_API int ncclGetVersion(int *version)
{
    const char *text = getenv("FAKENCCL_VERSION");
    ENTER(ncclGetVersion);
    *version = text && *text ? atoi(text) : 22000;
    return SUCCESS;
}

FAKE_API const char *ncclGetErrorString(int code);
FAKE_API const char *ncclGetErrorString(int code)
{
    static const char *const text[] = {"no error", "unhandled cuda error", "unhandled system error", "internal error", "invalid argument",
        "invalid usage", "remote process exited or there was a network error", "NCCL operation in progress"};
    return code >= 0 && code <= IN_PROGRESS ? text[code] : "unknown result code";
}

static bool alike(void) { return getenv("FAKENCCL_ALIKE") != NULL; }

FAKE_API const char *ncclGetLastError(communicator *c);
FAKE_API const char *ncclGetLastError(communicator *c)
{
    (void)c;
    return alike() ? "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000" : "";
}

FAKE_API int ncclGetUniqueId(identity *out);
FAKE_API int ncclGetUniqueId(identity *out)
{
    const char *folder = getenv("TMPDIR");
    ENTER(ncclGetUniqueId);
    memset(out, 0, sizeof *out);
    snprintf(out->bytes, sizeof out->bytes, "%.90s/fakenccl-XXXXXX", folder && *folder ? folder : "/tmp");
    int file = mkstemp(out->bytes);
    int code = file < 0 || ftruncate(file, sizeof(shared)) ? SYSTEM_ERROR : SUCCESS;
    if (file >= 0) close(file);
    return code;
}

/* ---------------------------------------------------------------- communicators */

FAKE_API int ncclCommInitRankConfig(communicator **out, int ranks, identity id, int rank, config *o);
FAKE_API int ncclCommInitRankConfig(communicator **out, int ranks, identity id, int rank, config *o)
{
    ENTER(ncclCommInitRankConfig);
    if (!fakecuda_current()) return refuse(CUDA_ERROR, "ncclCommInitRankConfig without a current context");
    if (o->size < sizeof *o || o->magic != 0xcafebeef || o->version < 21400) return refuse(INVALID_ARGUMENT, "a configuration that is none");
    if (o->blocking) return refuse(INVALID_ARGUMENT, "a communicator that blocks");
    if (ranks < 1 || ranks > RANKS || rank < 0 || rank >= ranks) return refuse(INVALID_ARGUMENT, "a rank that is none");
    int file = open(id.bytes, O_RDWR);
    void *at = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    communicator *c = at == MAP_FAILED ? NULL : calloc(1, sizeof *c);
    if (!c) return SYSTEM_ERROR;
    *c = (communicator){.magic = MAGIC, .rank = rank, .ranks = ranks, .state = IN_PROGRESS, .at = at};
    if (c->at->here[rank]++) return refuse(INVALID_USAGE, "two of one rank");
    if (++c->at->arrived == ranks) unlink(id.bytes);
    *out = c;
    return IN_PROGRESS;
}

FAKE_API int ncclCommGetAsyncError(communicator *c, int *state);
FAKE_API int ncclCommGetAsyncError(communicator *c, int *state)
{
    const char *wanted = getenv("FAKENCCL_ERROR"), *colon = wanted ? strchr(wanted, ':') : NULL;
    ENTER(ncclCommGetAsyncError);
    if (!c || c->magic != MAGIC) return refuse(INVALID_ARGUMENT, "ncclCommGetAsyncError of nothing");
    if (c->state == IN_PROGRESS && c->at->arrived >= c->ranks && (!c->finalizing || c->at->finalized >= c->ranks)) c->state = SUCCESS;
    if (alike() && c->at->arrived >= c->ranks) c->state = INVALID_USAGE;
    if (colon && c->state == SUCCESS && ++asked == atol(wanted)) c->state = atoi(colon + 1);
    *state = c->state;
    return SUCCESS;
}

static int ready(const communicator *c, const char *what)
{
    if (!c || c->magic != MAGIC) return refuse(INVALID_ARGUMENT, what);
    return c->state == IN_PROGRESS ? refuse(INVALID_USAGE, what) : c->state;
}

FAKE_API int ncclCommFinalize(communicator *c);
FAKE_API int ncclCommFinalize(communicator *c)
{
    ENTER(ncclCommFinalize);
    int code = ready(c, "ncclCommFinalize of a communicator that is not ready");
    if (code) return code;
    c->finalizing = true;
    c->state = IN_PROGRESS;
    c->at->finalized++;
    return IN_PROGRESS;
}

static int end(communicator *c)
{
    for (int i = 0; c->running && i < 2000; i++) nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (c->running) fakecuda_violation("nccl: a communicator ends while its work runs");
    munmap(c->at, sizeof *c->at);
    c->magic = 0;
    free(c);
    return SUCCESS;
}

FAKE_API int ncclCommDestroy(communicator *c);
FAKE_API int ncclCommDestroy(communicator *c)
{
    int injected = fakecuda_enter("ncclCommDestroy");
    if (injected) return end(c), injected; /* the communicator must not be used afterwards */
    int code = ready(c, "ncclCommDestroy of a communicator that is not ready: this would hang");
    if (code) return code;
    if (!c->finalizing) fakecuda_violation("nccl: ncclCommDestroy before ncclCommFinalize");
    return end(c);
}

FAKE_API int ncclCommAbort(communicator *c);
FAKE_API int ncclCommAbort(communicator *c)
{
    fakecuda_enter("ncclCommAbort");
    if (!c || c->magic != MAGIC) return refuse(INVALID_ARGUMENT, "ncclCommAbort of nothing");
    if (getenv("FAKENCCL_HANG")) nanosleep(&(struct timespec){10, 0}, NULL);
    c->aborted = true;
    return end(c);
}

/* ---------------------------------------------------------------- work */

/* Transfers one piece if possible now. */
static bool advance(communicator *c, transfer *t)
{
    channel *way = t->out ? &c->at->from[c->rank][t->peer] : &c->at->from[t->peer][c->rank];
    size_t n = t->bytes - t->done < PIECE ? t->bytes - t->done : PIECE;
    if (t->done == t->bytes) return false;
    if (t->out) {
        if (way->sent != way->taken) return false;
        memcpy(way->data, t->data + t->done, n);
        way->bytes = (uint32_t)n;
        way->sent++;
    } else {
        if (way->sent == way->taken) return false;
        if (way->bytes != n) fakecuda_violation("nccl: %zu bytes are received where %u were sent: this would hang", n, way->bytes);
        memcpy(t->data + t->done, way->data, n < way->bytes ? n : way->bytes);
        way->taken++;
    }
    t->done += n;
    return true;
}

/* Transfers with one peer are done in order. */
static bool first_of_its_way(const work *w, int i)
{
    for (int k = 0; k < i; k++)
        if (w->of[k].out == w->of[i].out && w->of[k].peer == w->of[i].peer && w->of[k].done < w->of[k].bytes) return false;
    return true;
}

static void exchange(work *w)
{
    static int run;
    const char *killed = getenv("FAKENCCL_KILL");
    if (killed && ++run == atoi(killed)) raise(SIGKILL);
    for (bool open = true; open && !w->c->aborted;) {
        bool moved = open = false;
        for (int i = 0; i < w->count; i++) {
            if (first_of_its_way(w, i)) moved |= advance(w->c, &w->of[i]);
            open |= w->of[i].done < w->of[i].bytes;
        }
        if (open && !moved) nanosleep(&(struct timespec){0, 50000}, NULL);
    }
}

static void run_group(void *user)
{
    work *w = user;
    exchange(w);
    w->c->running--;
}

static size_t size_of(int type)
{
    static const unsigned char size[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
    return type >= 0 && type < 10 ? size[type] : 0;
}

/* Combines element k of `from` into `to`, rounded to the type. */
static void combine(int operation, int type, char *to, const char *from, size_t k)
{
    static const int floats[] = {[6] = R_16F, [7] = R_32F, [8] = R_64F, [9] = R_16BF};
    if (type >= 6) {
        double a[2], b[2];
        load(a, to, floats[type], (int64_t)k);
        load(b, from, floats[type], (int64_t)k);
        a[0] = operation == 2 ? (a[0] > b[0] ? a[0] : b[0]) : operation == 3 ? (a[0] < b[0] ? a[0] : b[0]) : a[0] + b[0];
        store(to, floats[type], (int64_t)k, a);
        return;
    }
    size_t size = size_of(type), shift = 64 - 8 * size;
    uint64_t a = 0, b = 0; /* moved up, so that their order is that of 64 bits */
    memcpy(&a, to + k * size, size);
    memcpy(&b, from + k * size, size);
    a <<= shift;
    b <<= shift;
    bool less = type & 1 ? a < b : (int64_t)a < (int64_t)b;
    a = operation == 0 ? a + b : less == (operation == 2) ? b : a;
    a >>= shift;
    memcpy(to + k * size, &a, size);
}

static void transfer_to_all(work *w, bool out, char *data, size_t bytes, size_t step)
{
    for (int i = 0; i < w->c->ranks; i++)
        if (i != w->c->rank) w->of[w->count++] = (transfer){out, i, data + (size_t)i * step, bytes, 0};
}

/* Adds the parts of all ranks from the last rank to the first, so that tests do not rely on an order. Each rank sends
 * everything, or a part to each. */
static void reduce(work *w, bool parts)
{
    communicator *c = w->c;
    size_t bytes = w->elements * size_of(w->type);
    char *all = calloc((size_t)c->ranks, bytes + 1);
    if (!all) abort();
    memcpy(all + (size_t)c->rank * bytes, w->in + (parts ? (size_t)c->rank * bytes : 0), bytes);
    transfer_to_all(w, true, w->in, bytes, parts ? bytes : 0);
    transfer_to_all(w, false, all, bytes, bytes);
    exchange(w);
    for (size_t k = 0; k < w->elements; k++)
        for (int i = c->ranks - 2; i >= 0; i--)
            combine(w->operation, w->type, all + (size_t)(c->ranks - 1) * bytes, all + (size_t)i * bytes, k);
    if (!c->aborted) memcpy(w->out, all + (size_t)(c->ranks - 1) * bytes, bytes);
    free(all);
    c->running--;
}

static void run_all_reduce(void *user) { reduce(user, false); }
static void run_reduce_scatter(void *user) { reduce(user, true); }

static void run_all_gather(void *user)
{
    work *w = user;
    size_t bytes = w->elements * size_of(w->type);
    memmove(w->out + (size_t)w->c->rank * bytes, w->in, bytes);
    transfer_to_all(w, true, w->in, bytes, 0);
    transfer_to_all(w, false, w->out, bytes, bytes);
    run_group(w);
}

static void run_broadcast(void *user)
{
    work *w = user;
    size_t bytes = w->elements * size_of(w->type);
    if (w->c->rank == w->root) {
        if (w->out != w->in) memcpy(w->out, w->in, bytes);
        transfer_to_all(w, true, w->in, bytes, 0);
    } else {
        w->of[w->count++] = (transfer){false, w->root, w->out, bytes, 0};
    }
    run_group(w);
}

FAKE_API int ncclGroupStart(void);
FAKE_API int ncclGroupStart(void)
{
    ENTER(ncclGroupStart);
    if (!depth++) group = calloc(1, sizeof *group), group_code = 0, queued = 0;
    return group ? SUCCESS : SYSTEM_ERROR;
}

FAKE_API int ncclGroupEnd(void);
FAKE_API int ncclGroupEnd(void)
{
    int injected = fakecuda_enter("ncclGroupEnd");
    if (!depth) return refuse(INVALID_USAGE, "ncclGroupEnd without a group");
    if (--depth) return SUCCESS;
    work *w = group;
    group = NULL;
    int code = injected ? injected : group_code;
    if (!w->c || code) {
        free(w);
        return code;
    }
    communicator *c = w->c;
    fakecuda_range range[MOST];
    for (int i = 0; i < w->count; i++) range[i] = (fakecuda_range){(size_t)w->of[i].data, w->of[i].bytes, !w->of[i].out};
    c->running++;
    if (!fakecuda_call(group_stream, "nccl group", run_group, w, range, w->count)) return SUCCESS;
    c->running--;
    free(w);
    return CUDA_ERROR;
}

static int add(bool out, void *data, size_t count, int type, int peer, communicator *c, void *stream)
{
    int code = ready(c, "a send or receive on a communicator that is not ready");
    if (!code && !depth) code = refuse(INVALID_USAGE, "a send or receive outside of a group may hang");
    if (!code && (type != 0 || peer < 0 || peer >= c->ranks || peer == c->rank)) code = refuse(INVALID_ARGUMENT, "a peer or type that is none");
    if (!code && queued == MOST) code = refuse(INVALID_ARGUMENT, "too many in a group for this fake");
    if (code) return group_code = code;
    group->c = c;
    group->of[group->count++] = (transfer){out, peer, data, count, 0};
    queued++;
    group_stream = stream;
    return SUCCESS;
}

FAKE_API int ncclSend(const void *data, size_t count, int type, int peer, communicator *c, void *stream);
FAKE_API int ncclSend(const void *data, size_t count, int type, int peer, communicator *c, void *stream)
{
    ENTER(ncclSend);
    return add(true, (void *)(uintptr_t)data, count, type, peer, c, stream);
}

FAKE_API int ncclRecv(void *data, size_t count, int type, int peer, communicator *c, void *stream);
FAKE_API int ncclRecv(void *data, size_t count, int type, int peer, communicator *c, void *stream)
{
    ENTER(ncclRecv);
    return add(false, data, count, type, peer, c, stream);
}

/* A collective call: reads so many parts of `in`, writes so many of `out`. */
static int call_all(const char *name, void (*run)(void *), work from, size_t reads, size_t writes, void *stream)
{
    communicator *c = from.c;
    int code = ready(c, name);
    if (code) return code;
    if (!size_of(from.type)) return refuse(INVALID_ARGUMENT, "a type that is none");
    if (from.operation != 0 && from.operation != 2 && from.operation != 3) return refuse(INVALID_ARGUMENT, "an operation that this fake has not");
    if (from.root < 0 || from.root >= c->ranks) return refuse(INVALID_ARGUMENT, "a root that is none");
    size_t bytes = from.elements * size_of(from.type);
    work *w = calloc(1, sizeof *w);
    if (!w) return SYSTEM_ERROR;
    *w = from;
    const fakecuda_range range[2] = {{(size_t)w->in, reads * bytes, 0}, {(size_t)w->out, writes * bytes, 1}};
    c->running++;
    if (!fakecuda_call(stream, name, run, w, range, 2)) return SUCCESS;
    c->running--;
    free(w);
    return CUDA_ERROR;
}

FAKE_API int ncclAllReduce(const void *in, void *out, size_t count, int type, int operation, communicator *c, void *stream);
FAKE_API int ncclAllReduce(const void *in, void *out, size_t count, int type, int operation, communicator *c, void *stream)
{
    ENTER(ncclAllReduce);
    work w = {.c = c, .type = type, .operation = operation, .elements = count, .in = (char *)(uintptr_t)in, .out = out};
    return call_all("nccl all-reduce", run_all_reduce, w, 1, 1, stream);
}

FAKE_API int ncclReduceScatter(const void *in, void *out, size_t each, int type, int operation, communicator *c, void *stream);
FAKE_API int ncclReduceScatter(const void *in, void *out, size_t each, int type, int operation, communicator *c, void *stream)
{
    ENTER(ncclReduceScatter);
    work w = {.c = c, .type = type, .operation = operation, .elements = each, .in = (char *)(uintptr_t)in, .out = out};
    return call_all("nccl reduce-scatter", run_reduce_scatter, w, c ? (size_t)c->ranks : 0, 1, stream);
}

FAKE_API int ncclAllGather(const void *in, void *out, size_t each, int type, communicator *c, void *stream);
FAKE_API int ncclAllGather(const void *in, void *out, size_t each, int type, communicator *c, void *stream)
{
    ENTER(ncclAllGather);
    work w = {.c = c, .type = type, .elements = each, .in = (char *)(uintptr_t)in, .out = out};
    return call_all("nccl all-gather", run_all_gather, w, 1, c ? (size_t)c->ranks : 0, stream);
}

FAKE_API int ncclBroadcast(const void *in, void *out, size_t count, int type, int root, communicator *c, void *stream);
FAKE_API int ncclBroadcast(const void *in, void *out, size_t count, int type, int root, communicator *c, void *stream)
{
    ENTER(ncclBroadcast);
    bool sends = c && c->rank == root;
    work w = {.c = c, .type = type, .root = root, .elements = count, .in = (char *)(uintptr_t)in, .out = out};
    return call_all("nccl broadcast", run_broadcast, w, sends, !sends || in != out, stream);
}
