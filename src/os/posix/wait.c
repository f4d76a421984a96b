#include "os/wait.h"
#include "os/thread.h"

#include <time.h>

/* A few condition variables are shared by all words, chosen by address; after a wake-up, a sleeper tests its word
 * again. */
enum { BUCKETS = 16 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
} buckets[BUCKETS] = {[0 ... BUCKETS - 1] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER}};

static unsigned bucket_of(_Atomic uint32_t *word) { return (unsigned)((uintptr_t)word >> 6) % BUCKETS; }

void situ_wait_word(_Atomic uint32_t *word, uint32_t old)
{
    unsigned i = bucket_of(word);
    pthread_mutex_lock(&buckets[i].lock);
    if (atomic_load(word) == old) pthread_cond_wait(&buckets[i].changed, &buckets[i].lock);
    pthread_mutex_unlock(&buckets[i].lock);
}

void situ_wait_word_for(_Atomic uint32_t *word, uint32_t old, int64_t nanoseconds)
{
    unsigned i = bucket_of(word);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    int64_t end = until.tv_nsec + nanoseconds;
    until.tv_sec += (time_t)(end / 1000000000);
    until.tv_nsec = (long)(end % 1000000000);
    pthread_mutex_lock(&buckets[i].lock);
    if (atomic_load(word) == old) pthread_cond_timedwait(&buckets[i].changed, &buckets[i].lock, &until);
    pthread_mutex_unlock(&buckets[i].lock);
}

void situ_wake_word(_Atomic uint32_t *word, int count)
{
    (void)count; /* wakes all: the condition variable may have sleepers on other words */
    unsigned i = bucket_of(word);
    pthread_mutex_lock(&buckets[i].lock);
    pthread_cond_broadcast(&buckets[i].changed);
    pthread_mutex_unlock(&buckets[i].lock);
}

int64_t situ_thread_ran(situ_thread_id thread)
{
    (void)thread;
    return -1;
}

int situ_bell_new(void) { return -1; }
void situ_bell_free(int bell) { (void)bell; }
void situ_bell_set(int bell, int64_t nanoseconds) { (void)bell, (void)nanoseconds; }
void situ_bell_wait(int bell) { (void)bell; }

void situ_thread_name(const char *name) { (void)name; }
