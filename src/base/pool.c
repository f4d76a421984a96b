#include "base/pool.h"
#include "os/env.h"

#include "base/error.h"
#include "base/runtime.h"
#include "base/thread.h"
#include "os/fp.h"
#include "os/lock.h"
#include "os/machine.h"
#include "os/wait.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, MOST_SHARES = 64, CHUNKS_PER_THREAD = 32, CONTEXT_LINES = 6 };

/* How long an idle thread spins before it sleeps. Waking a thread takes some 50 us in a virtual machine, and parallel
 * calls follow each other closely. If the thread that it waits for does not run, this time is lost, a fraction of its
 * time slice. */
enum { SPIN_NANOSECONDS = 200000 };

/* The chunks of work assigned to one thread: the first one's number in the upper half of the word, the end in the lower
 * half. The owner takes chunks from the front, so that it does the same part of each parallel call and finds its data
 * in its cache. A thread without chunks left takes others' from the back. */
typedef struct share {
    _Alignas(64) _Atomic uint64_t chunks;
} share;

/* Bits of `state`, the state of the current parallel call: OPEN: workers may still join; SLEEPS: the caller sleeps
 * until the last worker leaves; COUNT: number of workers in it. The caller never waits for a worker that has not
 * joined. */
enum { COUNT = 0xffff, SLEEPS = 1 << 16, OPEN = 1 << 17 };

/* When another process computes without pause, Linux stops one of our threads for some milliseconds in the middle of a
 * chunk. A thread that waits for this chunk reads the stopped thread's CPU time twice; if it did not advance, the
 * waiting thread gives its own core away: a caller about to sleep to a worker, an idle worker to the caller.
 * Linux also considers it fair to run two of our threads on one core and the other process alone on the second.
 * Therefore a worker that arrives on the caller's core is excluded from that core for a while. */
enum { WATCH_NANOSECONDS = 50000, OFF_NANOSECONDS = 50000000 };

/* Values of `off`: excluded from no CPU; a thread is changing the field. */
enum { NONE = -1, CHANGING = -2 };

typedef struct worker {
    _Alignas(64) situ_thread_id thread;
    int number;                   /* from 1 on; the caller is 0 */
    uint32_t generation;          /* value of pool.generation at its start */
    int64_t ran;                  /* its CPU time when last read */
    _Atomic int off;              /* the CPU that it is excluded from */
    _Atomic bool inside;          /* takes part in the current call */
    _Atomic bool on_callers_core; /* runs on the caller's core */
} worker;

static struct {
    _Alignas(64) _Atomic uint32_t state; /* in one cache line with what a worker reads right after joining */
    int shares;
    int cpu;          /* the CPU of the caller */
    bool enough_cpus; /* there is a CPU for each thread */
    void (*task)(void *context, int64_t index);
    void *context;
    int64_t count, chunk;
    share share[MOST_SHARES];
    _Alignas(64) _Atomic uint32_t generation; /* incremented by each parallel call; idle workers watch it */
    _Atomic int sleeping;
    _Atomic bool stop, crowded, handed;     /* crowded: a worker runs on the caller's core; handed: a worker gave its
                                             * core to the caller during this call */
    _Atomic int64_t to_workers, to_callers; /* cores handed over */
    _Alignas(64) _Atomic bool busy; /* owned by the current caller, which alone uses the fields below and those of the call */
    situ_thread_id caller;
    int64_t off_until;  /* 0: no worker is excluded from a CPU */
    int workers, tried; /* running; asked for at their start */
    bool moves;         /* the system lets us change affinities */
    worker worker[MOST_THREADS];
} pool;

static _Atomic int wanted; /* set by the user, 0: automatic */
static _Atomic int automatic;

SITU_LOCK(hooks_lock);
static situ_thread_pool_hooks hooks;
static _Atomic bool have_hooks;

static __thread bool inside, serial;

/* ---------------------------------------------------------------- settings */

int situ_threads_of(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);
    return *end || n < 0 || n > MOST_THREADS ? -1 : (int)n;
}

static int find_automatic(void)
{
    const char *text = situ_env("SITU_THREADS");
    int n = text ? situ_threads_of(text) : 0;
    if (n < 1) n = situ_cpus();
    if (n > MOST_THREADS) n = MOST_THREADS;
    atomic_store(&automatic, n);
    return n;
}

int situ_threads(void)
{
    int n = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (!n) n = atomic_load_explicit(&automatic, memory_order_relaxed);
    return n ? n : find_automatic();
}

int situ_set_threads(int count)
{
    SITU_SPEAK_AT("situ_set_threads");
    if (situ_forked) return situ_fail_forked(NULL);
    if (count < 0 || count > MOST_THREADS)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_set_threads: %d threads; from 1 to %d, or 0 for as many as this process may use", count, MOST_THREADS);
    atomic_store(&wanted, count);
    return 0;
}

int situ_set_thread_pool(const situ_thread_pool_hooks *given)
{
    SITU_SPEAK_AT("situ_set_thread_pool");
    if (given && !given->run)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_set_thread_pool: run must be a function; NULL instead of the hooks brings the library's own threads back");
    situ_mutex_lock(&hooks_lock);
    hooks = given ? *given : (situ_thread_pool_hooks){0};
    atomic_store(&have_hooks, given != NULL);
    situ_mutex_unlock(&hooks_lock);
    return 0;
}

int situ_pool_width(void) { return inside || serial ? 1 : situ_threads(); }

int64_t situ_pool_hand_overs(bool to_callers) { return atomic_load(to_callers ? &pool.to_callers : &pool.to_workers); }

bool situ_pool_serial(bool now)
{
    bool before = serial;
    serial = now;
    return before;
}

/* ---------------------------------------------------------------- workers */

/* Takes a chunk from a share; -1 if it has none left. */
static int64_t take_chunk(share *from, bool front)
{
    uint64_t now = atomic_load_explicit(&from->chunks, memory_order_relaxed);
    for (;;) {
        uint32_t first = (uint32_t)(now >> 32), end = (uint32_t)now;
        if (first == end) return -1;
        uint64_t left = front ? (uint64_t)(first + 1) << 32 | end : (uint64_t)first << 32 | (end - 1);
        if (atomic_compare_exchange_weak_explicit(&from->chunks, &now, left, memory_order_relaxed, memory_order_relaxed))
            return front ? first : end - 1;
    }
}

static void work(int thread)
{
    void (*task)(void *, int64_t) = pool.task;
    void *context = pool.context;
    int64_t count = pool.count, chunk = pool.chunk, at;
    int shares = pool.shares;
    for (int k = 0; k < shares; k++)
        while ((at = take_chunk(&pool.share[(thread + k) % shares], !k)) >= 0)
            for (int64_t i = at * chunk; i < (at + 1) * chunk && i < count; i++) task(context, i);
}

static void divide_work(int64_t count, int width)
{
    int64_t chunk = count / ((int64_t)width * CHUNKS_PER_THREAD);
    pool.count = count;
    pool.chunk = chunk > 1 ? chunk : 1;
    pool.shares = width < MOST_SHARES ? width : MOST_SHARES;
    uint64_t chunks = (uint64_t)((count + pool.chunk - 1) / pool.chunk), shares = (uint64_t)pool.shares;
    for (uint64_t i = 0; i < shares; i++)
        atomic_store_explicit(&pool.share[i].chunks, chunks * i / shares << 32 | chunks * (i + 1) / shares, memory_order_relaxed);
}

static bool join(worker *w)
{
    uint32_t state = OPEN; /* guess: the value that the first worker finds; loading it first would take as long as joining */
    while (state & OPEN)
        if (atomic_compare_exchange_weak(&pool.state, &state, state + 1)) {
            atomic_store_explicit(&w->inside, true, memory_order_relaxed);
            return true;
        }
    return false;
}

static void note_intruder(worker *w)
{
    atomic_store_explicit(&w->on_callers_core, true, memory_order_relaxed);
    atomic_store_explicit(&pool.crowded, true, memory_order_relaxed);
}

static void leave(worker *w)
{
    atomic_store_explicit(&w->inside, false, memory_order_relaxed);
    uint32_t before = atomic_fetch_sub(&pool.state, 1);
    if ((before & SLEEPS) && (before & COUNT) == 1) situ_wake_word(&pool.state, 1);
}

/* Spins until none of the bits `what` is set in the state; false if that took longer than `nanoseconds`. */
static bool watch(uint32_t what, int64_t nanoseconds)
{
    int64_t start = situ_now();
    do {
        for (int i = 0; i < 32; i++) {
            if (!(atomic_load(&pool.state) & what)) return true;
            situ_pause();
        }
    } while (situ_now() - start < nanoseconds);
    return false;
}

/* Excludes a worker from a CPU; NONE: from no CPU any more. If two threads change it at once, one of them does
 * nothing. */
static void keep_off(worker *w, int cpu)
{
    int off = atomic_exchange(&w->off, CHANGING);
    if (off == CHANGING) return;
    if (off != cpu) {
        if (off >= 0 && situ_cpu_include(w->thread, off)) off = NONE;
        if (off < 0 && cpu >= 0 && situ_cpu_exclude(w->thread, cpu)) off = cpu;
    }
    atomic_store(&w->off, off);
}

/* Whether a thread's CPU time is still `ran`, although that of the calling thread has advanced beyond `own`. False if
 * the system reports no times. */
static bool stopped(situ_thread_id thread, int64_t ran, int64_t own)
{
    return own >= 0 && situ_thread_ran(situ_thread_current()) > own && ran >= 0 && situ_thread_ran(thread) == ran;
}

/* Gives this worker's core to the caller if the caller has a chunk and does not run. A caller waits for workers that
 * have joined, so it cannot go away meanwhile; its affinity is restored before it continues. */
static void hand_over_to_caller(worker *w, uint32_t generation)
{
    if (!join(w)) return;
    bool moves = pool.moves;
    situ_thread_id caller = pool.caller;
    int64_t ran = situ_thread_ran(caller), own = situ_thread_ran(situ_thread_current());
    leave(w);
    if (!moves || watch(OPEN, WATCH_NANOSECONDS) || !join(w)) return;
    if (atomic_load(&pool.generation) == generation && stopped(caller, ran, own) && !atomic_exchange(&pool.handed, true))
        if (situ_cpu_move_thread(caller, situ_cpu_here())) atomic_fetch_add(&pool.to_callers, 1);
    leave(w);
}

static uint32_t wait_for_call(worker *w, uint32_t seen)
{
    int64_t start = situ_now();
    do {
        for (int i = 0; i < 32; i++) {
            uint32_t generation = atomic_load_explicit(&pool.generation, memory_order_acquire);
            if (generation != seen) return generation;
            situ_pause();
        }
    } while (situ_now() - start < SPIN_NANOSECONDS);
    hand_over_to_caller(w, seen);
    if (atomic_load(&w->off) >= 0) keep_off(w, NONE); /* a sleeping thread leaves no affinity behind */
    atomic_fetch_add(&pool.sleeping, 1);
    uint32_t generation;
    while ((generation = atomic_load(&pool.generation)) == seen) situ_wait_word(&pool.generation, seen);
    atomic_fetch_sub(&pool.sleeping, 1);
    return generation;
}

static void *run_worker(void *argument)
{
    worker *w = argument;
    uint32_t seen = w->generation;
    inside = true;
    for (;;) {
        seen = wait_for_call(w, seen);
        if (atomic_load(&pool.stop)) return NULL;
        __builtin_prefetch(&pool.share[w->number % MOST_SHARES], 1);
        if (!join(w)) continue;
        for (int i = 0; i < CONTEXT_LINES; i++)
            __builtin_prefetch((const char *)pool.context + 64 * i); /* the caller has just written it */
        if (pool.enough_cpus && situ_cpu_here() == pool.cpu) note_intruder(w);
        work(w->number);
        leave(w);
    }
}

static void start_call(int needed)
{
    atomic_fetch_add(&pool.generation, 1);
    if (atomic_load(&pool.sleeping)) situ_wake_word(&pool.generation, needed);
}

static void stop_workers(void)
{
    if (!pool.workers) return;
    atomic_store(&pool.stop, true);
    start_call(MOST_THREADS);
    for (int i = 0; i < pool.workers; i++) situ_thread_join(pool.worker[i].thread);
    atomic_store(&pool.stop, false);
    pool.workers = pool.tried = 0;
}

/* Takes the pool for this call; false if another thread has it. */
static bool take(void) { return !atomic_exchange_explicit(&pool.busy, true, memory_order_acquire); }

static void give(void) { atomic_store_explicit(&pool.busy, false, memory_order_release); }

static void shut_down(void)
{
    while (!take()) situ_pause();
    stop_workers();
    give();
}

static void forget_workers(void)
{
    pool.workers = pool.tried = 0;
    atomic_store(&pool.state, 0);
    atomic_store(&pool.sleeping, 0);
    atomic_store(&pool.stop, false);
    atomic_store(&pool.busy, false);
    inside = false;
}

/* Starts or stops workers until there are `count`. If the system allows fewer threads, fewer do the work. */
static void start_workers(int count)
{
    if (count == pool.tried) return;
    if (count < pool.tried) stop_workers();
    if (!pool.tried) {
        situ_runtime_use();
        if (situ_at_shutdown(SITU_END_POOL, shut_down) || situ_at_fork_reset(forget_workers)) return;
    }
    uint32_t generation = atomic_load(&pool.generation);
    for (; pool.workers < count; pool.workers++) {
        worker *w = &pool.worker[pool.workers];
        w->number = pool.workers + 1;
        w->generation = generation;
        w->inside = w->on_callers_core = false;
        w->off = NONE;
        if (situ_thread_start(&w->thread, run_worker, w, "situ-pool")) break;
    }
    pool.tried = count;
    const char *wish = situ_env("SITU_MOVE_THREADS");
    pool.moves = situ_cpu_here() >= 0 && !(wish && !strcmp(wish, "0"));
    pool.enough_cpus = pool.moves && pool.workers < situ_cpus();
}

/* ---------------------------------------------------------------- running */

static void run_serially(void (*task)(void *, int64_t), void *context, int64_t count)
{
    for (int64_t i = 0; i < count; i++) task(context, i);
}

/* Before a parallel call: notes the caller's CPU and excludes workers from it that intruded. */
static void place_workers(void)
{
    pool.caller = situ_thread_current();
    pool.cpu = situ_cpu_here();
    if (atomic_load_explicit(&pool.handed, memory_order_relaxed)) atomic_store_explicit(&pool.handed, false, memory_order_relaxed);
    bool crowded = atomic_load_explicit(&pool.crowded, memory_order_relaxed);
    if (!crowded && !pool.off_until) return;
    int64_t now = situ_now();
    if (crowded) pool.off_until = now + OFF_NANOSECONDS;
    atomic_store_explicit(&pool.crowded, false, memory_order_relaxed);
    bool off = now < pool.off_until;
    for (int i = 0; i < pool.workers; i++) {
        worker *w = &pool.worker[i];
        bool on_callers_core = atomic_exchange_explicit(&w->on_callers_core, false, memory_order_relaxed);
        if (on_callers_core || atomic_load(&w->off) >= 0) keep_off(w, off ? pool.cpu : NONE);
    }
    if (!off) pool.off_until = 0;
}

/* Gives the caller's core to the first worker that it waits for and that does not run. */
static void hand_over_to_worker(void)
{
    int64_t own = situ_thread_ran(situ_thread_current());
    for (int i = 0; i < pool.workers; i++) {
        worker *w = &pool.worker[i];
        w->ran = atomic_load_explicit(&w->inside, memory_order_relaxed) ? situ_thread_ran(w->thread) : -1;
    }
    if (watch(COUNT, WATCH_NANOSECONDS)) return;
    for (int i = 0; i < pool.workers; i++) {
        worker *w = &pool.worker[i];
        if (!atomic_load_explicit(&w->inside, memory_order_relaxed) || !stopped(w->thread, w->ran, own)) continue;
        keep_off(w, NONE);
        if (!situ_cpu_move_thread(w->thread, situ_cpu_here())) continue;
        atomic_fetch_add(&pool.to_workers, 1);
        if (pool.enough_cpus) note_intruder(w);
        return;
    }
}

static void wait_for_workers(void)
{
    uint32_t state = atomic_fetch_and(&pool.state, ~(uint32_t)OPEN) & COUNT;
    if (!state || watch(COUNT, SPIN_NANOSECONDS)) return;
    if (pool.moves) hand_over_to_worker();
    state = atomic_fetch_or(&pool.state, SLEEPS) | SLEEPS;
    while (state & COUNT) {
        situ_wait_word(&pool.state, state);
        state = atomic_load(&pool.state);
    }
    atomic_fetch_and(&pool.state, ~(uint32_t)SLEEPS);
}

static void run_here(void (*task)(void *, int64_t), void *context, int64_t count, int width)
{
    start_workers(width - 1);
    int workers = pool.workers;
    place_workers();
    pool.task = task;
    pool.context = context;
    divide_work(count, width);
    if (workers > 0) {
        atomic_store_explicit(&pool.state, OPEN, memory_order_release); /* it was 0; this store publishes the fields above */
        start_call(count - 1 < workers ? (int)(count - 1) : workers);
    }
    inside = true;
    work(0);
    inside = false;
    if (workers > 0) wait_for_workers();
}

/* A task on a thread of the host program's pool: with our floating-point control word, and without nested parallelism. */
typedef struct hosted {
    void (*task)(void *context, int64_t index);
    void *context;
} hosted;

static void run_hosted(void *argument, int64_t index)
{
    hosted *h = argument;
    bool before = inside;
    uint64_t word = situ_fp_save();
    situ_fp_reset();
    inside = true;
    h->task(h->context, index);
    inside = before;
    situ_fp_restore(word);
}

static bool run_on_host(void (*task)(void *, int64_t), void *context, int64_t count)
{
    situ_mutex_lock(&hooks_lock);
    situ_thread_pool_hooks now = hooks;
    situ_mutex_unlock(&hooks_lock);
    if (!now.run) return false;
    hosted h = {task, context};
    now.run(now.self, run_hosted, &h, count);
    return true;
}

void situ_pool_run(void (*task)(void *context, int64_t index), void *context, int64_t count)
{
    uint64_t word = situ_fp_save();
    situ_fp_reset();
    int width = count > 1 && !situ_forked ? situ_pool_width() : 1;
    if (width > 1 && atomic_load_explicit(&have_hooks, memory_order_relaxed) && run_on_host(task, context, count)) {
        /* done */
    } else if (width > 1 && take()) {
        run_here(task, context, count, width);
        give();
    } else {
        run_serially(task, context, count);
    }
    situ_fp_restore(word);
}
