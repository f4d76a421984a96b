/* os/thread.h where a program has one thread. Nobody else could hold a mutex or wake a sleeper: a mutex that is locked twice and a
 * sleep are faults of the library, which trap here instead of waiting for ever. */
#ifndef SITU_OS_WASI_ALONE_H
#define SITU_OS_WASI_ALONE_H

#include <errno.h>
#include <stddef.h>

typedef struct situ_mutex {
    bool locked;
} situ_mutex;
#define SITU_MUTEX_INIT \
    { \
        false \
    }
static inline void situ_mutex_init(situ_mutex *m) { m->locked = false; }
static inline void situ_mutex_destroy(situ_mutex *m) { (void)m; }
static inline bool situ_mutex_try(situ_mutex *m) { return !m->locked && (m->locked = true); }
static inline void situ_mutex_lock(situ_mutex *m)
{
    if (!situ_mutex_try(m)) __builtin_trap();
}
static inline void situ_mutex_unlock(situ_mutex *m) { m->locked = false; }

typedef struct situ_condition {
    char unused;
} situ_condition;
static inline void situ_condition_init(situ_condition *c) { (void)c; }
static inline void situ_condition_destroy(situ_condition *c) { (void)c; }
static inline void situ_condition_wait(situ_condition *c, situ_mutex *m) { (void)c, (void)m, __builtin_trap(); }
static inline void situ_condition_broadcast(situ_condition *c) { (void)c; }

typedef bool situ_once;
#define SITU_ONCE_INIT false
static inline void situ_call_once(situ_once *once, void (*function)(void))
{
    bool done = *once;
    *once = true;
    if (!done) function();
}

/* The thread ends with the program, and nothing is called for its values. */
typedef char situ_thread_key;
static inline int situ_thread_key_make(situ_thread_key *key, void (*end)(void *)) { return (void)key, (void)end, 0; }
static inline int situ_thread_key_set(situ_thread_key key, const void *value) { return (void)key, (void)value, 0; }

typedef int situ_thread_id;
static inline situ_thread_id situ_thread_current(void) { return 0; }
static inline void situ_thread_join(situ_thread_id thread) { (void)thread; }
static inline void situ_thread_detach(situ_thread_id thread) { (void)thread; }

static inline void situ_fork_handlers(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    (void)before, (void)in_parent, (void)in_child;
}

#endif
