/* Records of threads: created at first use, summed over all, and merged into one when their thread ends. */
#include "device/thread.h"

#include "base/memory.h"
#include "base/runtime.h"
#include "os/lock.h"

__thread situ_device_thread *situ_thread_record;

SITU_LOCK(lock);
static situ_device_thread *threads;
static situ_sums retired;
static situ_thread_key at_exit;
static situ_once once = SITU_ONCE_INIT;
static bool have_key;

static void add(situ_sums *s, situ_device_thread *t)
{
    for (int i = 0; i < SITU_TRANSFERS; i++) {
        s->count[i] += atomic_load_explicit(&t->count[i], memory_order_relaxed);
        s->bytes[i] += atomic_load_explicit(&t->bytes[i], memory_order_relaxed);
    }
    s->seconds += atomic_load_explicit(&t->seconds, memory_order_relaxed);
}

static void retire(void *value)
{
    situ_device_thread *t = value;
    situ_mutex_lock(&lock);
    add(&retired, t);
    *(t->previous ? &t->previous->next : &threads) = t->next;
    if (t->next) t->next->previous = t->previous;
    situ_mutex_unlock(&lock);
    situ_thread_record = NULL;
    situ_free(t);
}

/* Needed for the main thread, which does not end by itself. */
static void retire_caller(void)
{
    situ_device_thread *t = situ_thread_record;
    if (!t || t->guards || t->pushed || t->first.kind) return;
    situ_thread_key_set(at_exit, NULL);
    retire(t);
}

static void make_key(void) { have_key = !situ_thread_key_make(&at_exit, retire); }

situ_device_thread *situ_thread_self(void)
{
    if (situ_thread_record) return situ_thread_record;
    situ_call_once(&once, make_key);
    situ_device_thread *t = have_key ? situ_calloc(1, sizeof *t) : NULL;
    if (!t) return NULL;
    if (situ_thread_key_set(at_exit, t)) {
        situ_free(t);
        return NULL;
    }
    situ_at_shutdown(SITU_END_RECORDS, retire_caller);
    situ_mutex_lock(&lock);
    t->next = threads;
    if (threads) threads->previous = t;
    threads = t;
    situ_mutex_unlock(&lock);
    return situ_thread_record = t;
}

void situ_thread_count(situ_transfer k, int64_t bytes, double seconds)
{
    situ_device_thread *t = situ_thread_self();
    if (!t) { /* no record: uses the common one, which is slower but right */
        situ_mutex_lock(&lock);
        retired.count[k]++;
        retired.bytes[k] += bytes;
        retired.seconds += seconds;
        situ_mutex_unlock(&lock);
        return;
    }
    /* Only this thread writes, so no atomic addition is needed. */
    atomic_store_explicit(&t->count[k], atomic_load_explicit(&t->count[k], memory_order_relaxed) + 1, memory_order_relaxed);
    atomic_store_explicit(&t->bytes[k], atomic_load_explicit(&t->bytes[k], memory_order_relaxed) + bytes, memory_order_relaxed);
    if (seconds != 0)
        atomic_store_explicit(&t->seconds, atomic_load_explicit(&t->seconds, memory_order_relaxed) + seconds, memory_order_relaxed);
}

situ_sums situ_thread_sums(void)
{
    situ_mutex_lock(&lock);
    situ_sums s = retired;
    for (situ_device_thread *t = threads; t; t = t->next) add(&s, t);
    situ_mutex_unlock(&lock);
    return s;
}

uint64_t situ_thread_number(void)
{
    static _Atomic uint64_t last;
    static __thread uint64_t number;
    if (!number) number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return number;
}
