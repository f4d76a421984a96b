#include "os/lock.h"

#include "os/wait.h"

/* MOST_HELD: the thread sanitizer supports at most 64 mutexes held by one thread. Further ones are not acquired, but
 * initialised in the child all the same. */
enum { MOST_NANOSECONDS = 100000000, NAP_NANOSECONDS = 50000, MOST_HELD = 48 };

static situ_mutex list_lock = SITU_MUTEX_INIT; /* held during each fork */
static situ_known_lock *first;
static bool installed;

static void give_all(void)
{
    for (situ_known_lock *k = first; k; k = k->next) {
        if (k->held) situ_mutex_unlock(k->lock);
        k->held = false;
    }
}

static bool take_all(void)
{
    int held = 0;
    for (situ_known_lock *k = first; k && held < MOST_HELD; k = k->next, held++)
        if (!(k->held = situ_mutex_try(k->lock))) return false;
    return true;
}

/* Fork handler: acquires all registered mutexes. It never waits for one while it holds another, so no deadlock is
 * possible whatever order other threads use. One that stays locked, perhaps by the forking thread itself, is skipped. */
static void before(void)
{
    situ_mutex_lock(&list_lock);
    for (int64_t start = situ_now(); !take_all() && situ_now() - start < MOST_NANOSECONDS;) {
        give_all();
        situ_sleep(NAP_NANOSECONDS);
    }
}

static void in_parent(void)
{
    give_all();
    situ_mutex_unlock(&list_lock);
}

static void in_child(void)
{
    for (situ_known_lock *k = first; k; k = k->next) {
        k->held = false;
        situ_mutex_init(k->lock);
    }
    situ_mutex_init(&list_lock);
}

void situ_lock_known(situ_known_lock *known, situ_mutex *lock)
{
    situ_mutex_lock(&list_lock);
    if (!installed) situ_fork_handlers(before, in_parent, in_child);
    installed = true;
    situ_known_lock **end = &first, *last = NULL;
    for (; *end; end = &last->next) last = *end;
    *known = (situ_known_lock){.lock = lock, .previous = last};
    *end = known;
    situ_mutex_unlock(&list_lock);
}

void situ_lock_forget(situ_known_lock *known)
{
    situ_mutex_lock(&list_lock);
    if (known->lock) *(known->previous ? &known->previous->next : &first) = known->next;
    if (known->lock && known->next) known->next->previous = known->previous;
    known->lock = NULL;
    situ_mutex_unlock(&list_lock);
}

void situ_locks_each(void (*visit)(situ_mutex *lock))
{
    situ_mutex_lock(&list_lock);
    for (situ_known_lock *k = first; k; k = k->next) visit(k->lock);
    situ_mutex_unlock(&list_lock);
}
