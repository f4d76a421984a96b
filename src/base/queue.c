#include "base/queue.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "base/thread.h"
#include "os/fp.h"
#include "os/plain.h"
#include "os/wait.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct job {
    void (*run)(void *argument);
    void *argument;
    uint64_t sequence;
    void (*wait)(void *object, uint64_t word); /* see situ_queue_push_after */
    void *object;
    uint64_t word;
} job;

/* Jobs are numbered by `last`: under the lock for pushed jobs, by one compare-and-swap for inline jobs. Job k runs when
 * `done` is k - 1, so that no two jobs overlap, whichever thread runs them. */
struct situ_queue {
    _Alignas(64) _Atomic uint64_t last; /* number of the newest job */
    _Alignas(64) _Atomic uint64_t done; /* number of the job that finished last */
    _Atomic uint32_t done_word;         /* incremented with `done` if a thread waits for it */
    _Atomic int waiters;
    _Alignas(64) _Atomic uint32_t pushed; /* incremented by each push and at the end; the idle worker watches it */
    _Atomic int sleeping;
    _Atomic bool stop;
    situ_mutex lock; /* protects all fields below */
    job *ring;
    size_t capacity, head, count;
    bool started, patience;
    bool alone; /* the system has no threads: whoever pushes a job runs it */
    int bell;   /* timer on which the sleeping worker waits; -1: it waits on `pushed` */
    situ_thread_id worker;
    char name[16];
};

enum { PATIENCE_NANOSECONDS = 50000 };

static __thread situ_queue *current;

situ_queue *situ_queue_new(const char *name, bool patience)
{
    situ_queue *q = situ_aligned_alloc(64, sizeof *q);
    if (!q) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a queue"), NULL;
    memset(q, 0, sizeof *q);
    q->patience = patience;
    q->bell = -1;
    snprintf(q->name, sizeof q->name, "%s", name ? name : "situ-queue");
    situ_mutex_init(&q->lock);
    situ_runtime_use();
    return q;
}

uint64_t situ_queue_done(situ_queue *q) { return atomic_load_explicit(&q->done, memory_order_acquire); }

uint64_t situ_queue_last(situ_queue *q) { return atomic_load_explicit(&q->last, memory_order_acquire); }

bool situ_queue_inside(situ_queue *q) { return current == q; }

/* Waits until job `sequence` is done, at most `most` nanoseconds (0: without limit). Whether it is done. */
static bool wait_until(situ_queue *q, uint64_t sequence, int64_t most)
{
    if (situ_queue_done(q) >= sequence) return true;
    int64_t start = situ_now(), left = most;
    do {
        for (int i = 0; i < 32; i++) {
            if (situ_queue_done(q) >= sequence) return true;
            situ_pause();
        }
    } while (situ_now() - start < SITU_SPIN_NANOSECONDS);
    atomic_fetch_add(&q->waiters, 1);
    bool done = false;
    while (!most || (left = most - (situ_now() - start)) > 0) {
        uint32_t word = atomic_load(&q->done_word);
        if ((done = atomic_load(&q->done) >= sequence)) break;
        if (most) situ_wait_word_for(&q->done_word, word, left);
        else situ_wait_word(&q->done_word, word);
    }
    atomic_fetch_sub(&q->waiters, 1);
    return done;
}

static void finish(situ_queue *q, uint64_t sequence)
{
    /* an exchange: an emulated ARM (qemu 7) lets the load pass a store, and a thread that begins to wait would not be woken */
    atomic_exchange(&q->done, sequence);
    if (!atomic_load(&q->waiters)) return;
    atomic_fetch_add(&q->done_word, 1);
    situ_wake_word(&q->done_word, 0x7fffffff);
}

static void run_job(situ_queue *q, void (*run)(void *), void *argument, uint64_t sequence)
{
    situ_queue *before = current;
    current = q;
    run(argument);
    current = before;
    finish(q, sequence);
}

static void run_here(situ_queue *q, void (*run)(void *), void *argument, uint64_t sequence)
{
    uint64_t word = situ_fp_save();
    situ_fp_reset();
    run_job(q, run, argument, sequence);
    situ_fp_restore(word);
}

static void pop(situ_queue *q, job *out)
{
    *out = q->ring[q->head];
    q->head = (q->head + 1) % q->capacity;
    q->count--;
}

/* Takes a job with a number up to `sequence` that no thread has begun and whose predecessors are done. From inside
 * another queue's job, only a job that may run there (one with a `wait`). */
static bool take_waiting_job(situ_queue *q, uint64_t sequence, job *out)
{
    situ_mutex_lock(&q->lock);
    const job *head = &q->ring[q->head];
    bool got = q->bell >= 0 && q->count && head->sequence <= sequence && situ_queue_done(q) == head->sequence - 1 &&
        (!current || head->wait);
    if (got) pop(q, out);
    if (got && !q->count) situ_bell_set(q->bell, 0);
    situ_mutex_unlock(&q->lock);
    return got;
}

void situ_queue_wait(situ_queue *q, uint64_t sequence)
{
    job next;
    if (current == q || situ_forked) return; /* it would never end */
    while (q->patience && situ_queue_done(q) < sequence && take_waiting_job(q, sequence, &next))
        run_here(q, next.run, next.argument, next.sequence);
    wait_until(q, sequence, 0);
}

bool situ_queue_wait_for(situ_queue *q, uint64_t sequence, int64_t nanoseconds)
{
    return current == q || situ_forked || wait_until(q, sequence, nanoseconds);
}

/* ---------------------------------------------------------------- the worker */

/* Takes the next job, after the wait that it asked for; until then another thread may take it. False if there is none. */
static bool take_job(situ_queue *q, job *out)
{
    for (uint64_t waited = 0;; waited = out->sequence) {
        situ_mutex_lock(&q->lock);
        bool got = q->count > 0;
        if (got) *out = q->ring[q->head];
        bool ready = !got || !out->wait || out->sequence == waited;
        if (got && ready) pop(q, out);
        situ_mutex_unlock(&q->lock);
        if (ready) return got;
        out->wait(out->object, out->word);
    }
}

static void wait_for_push(situ_queue *q, uint32_t seen)
{
    int64_t start = situ_now();
    do {
        for (int i = 0; i < 32; i++) {
            if (atomic_load(&q->pushed) != seen) return;
            situ_pause();
        }
    } while (situ_now() - start < SITU_SPIN_NANOSECONDS);
    atomic_fetch_add(&q->sleeping, 1);
    while (atomic_load(&q->pushed) == seen) {
        if (q->bell >= 0) situ_bell_wait(q->bell);
        else situ_wait_word(&q->pushed, seen);
    }
    atomic_fetch_sub(&q->sleeping, 1);
}

static void *work(void *argument)
{
    situ_queue *q = argument;
    for (;;) {
        uint32_t seen = atomic_load(&q->pushed);
        job next;
        if (take_job(q, &next)) {
            wait_until(q, next.sequence - 1, 0); /* an inline job may be running */
            run_job(q, next.run, next.argument, next.sequence);
        } else if (atomic_load(&q->stop)) {
            return NULL;
        } else {
            wait_for_push(q, seen);
        }
    }
}

static void wake_worker(situ_queue *q, int64_t nanoseconds)
{
    atomic_fetch_add(&q->pushed, 1);
    if (!atomic_load(&q->sleeping)) return;
    if (q->bell >= 0) situ_bell_set(q->bell, nanoseconds);
    else situ_wake_word(&q->pushed, 1);
}

/* ---------------------------------------------------------------- pushing */

static int grow(situ_queue *q)
{
    size_t capacity = q->capacity ? 2 * q->capacity : 64;
    job *ring = situ_malloc(capacity * sizeof *ring);
    if (!ring) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for %zu jobs of the queue %s", capacity, q->name);
    for (size_t i = 0; i < q->count; i++) ring[i] = q->ring[(q->head + i) % q->capacity];
    situ_free(q->ring);
    q->ring = ring;
    q->capacity = capacity;
    q->head = 0;
    return 0;
}

static int reserve_locked(situ_queue *q)
{
    if (q->count == q->capacity) {
        int status = grow(q);
        if (status) return status;
    }
    if (q->started) return 0;
    if (q->patience && q->bell < 0) q->bell = situ_bell_new();
    int code = situ_thread_start(&q->worker, work, q, q->name);
    q->alone = code == ENOSYS;
    if (code && !q->alone)
        return situ_fail(SITU_NO_THREAD, NULL, "no thread for the queue %s: %s; allow more threads or processes", q->name,
            situ_plain_reason(code));
    q->started = true;
    return 0;
}

int situ_queue_reserve(situ_queue *q)
{
    if (situ_forked) return situ_fail_forked(NULL);
    situ_mutex_lock(&q->lock);
    int status = reserve_locked(q);
    situ_mutex_unlock(&q->lock);
    return status;
}

static int push_locked(situ_queue *q, job next, uint64_t *sequence)
{
    int status = reserve_locked(q);
    if (status) return status;
    next.sequence = atomic_fetch_add(&q->last, 1) + 1;
    q->ring[(q->head + q->count++) % q->capacity] = next;
    if (sequence) *sequence = next.sequence;
    /* if other jobs were waiting, the timer is set already and must not be postponed */
    if (q->count == 1 || q->bell < 0) wake_worker(q, PATIENCE_NANOSECONDS);
    else atomic_fetch_add(&q->pushed, 1);
    return 0;
}

static int push(situ_queue *q, job next, uint64_t *sequence)
{
    if (situ_forked) return situ_fail_forked(NULL);
    situ_mutex_lock(&q->lock);
    int status = push_locked(q, next, sequence);
    situ_mutex_unlock(&q->lock);
    while (q->alone && current != q && take_job(q, &next)) run_here(q, next.run, next.argument, next.sequence);
    return status;
}

int situ_queue_push(situ_queue *q, void (*run)(void *argument), void *argument, uint64_t *sequence)
{
    return push(q, (job){.run = run, .argument = argument}, sequence);
}

int situ_queue_push_after(situ_queue *q, void (*wait)(void *object, uint64_t word), void *object, uint64_t word,
    void (*run)(void *argument), void *argument, uint64_t *sequence)
{
    return push(q, (job){.run = run, .argument = argument, .wait = wait, .object = object, .word = word}, sequence);
}

int situ_queue_run_inline(situ_queue *q, void (*run)(void *argument), void *argument, uint64_t *sequence)
{
    uint64_t last = atomic_load_explicit(&q->done, memory_order_acquire);
    if (situ_forked || !atomic_compare_exchange_strong(&q->last, &last, last + 1)) return 0;
    if (sequence) *sequence = last + 1;
    run_here(q, run, argument, last + 1);
    return 1;
}

void situ_queue_free(situ_queue *q)
{
    if (!q) return;
    if (q->started && !situ_forked) {
        situ_queue_wait(q, situ_queue_last(q));
        atomic_store(&q->stop, true);
        wake_worker(q, 1);
        if (!q->alone) situ_thread_join(q->worker);
    }
    situ_bell_free(q->bell);
    situ_free(q->ring);
    situ_mutex_destroy(&q->lock);
    situ_aligned_free(q);
}

void situ_queue_after_fork(situ_queue *q)
{
    situ_mutex_init(&q->lock);
    q->started = false;
    situ_bell_free(q->bell); /* the parent's timer is the same object */
    q->bell = -1;
    q->head = q->count = 0;
    atomic_store(&q->done, atomic_load(&q->last));
    atomic_store(&q->waiters, 0);
    atomic_store(&q->sleeping, 0);
}
