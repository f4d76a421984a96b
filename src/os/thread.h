/* System threads and their primitives: mutexes, condition variables, once, thread-specific values. os/wait.h: sleeping
 * on a word. os/lock.h: mutexes over a fork. */
#ifndef SITU_OS_THREAD_H
#define SITU_OS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __wasi__
#include "os/wasi/alone.h"
#else
#include <pthread.h>

typedef pthread_mutex_t situ_mutex;
#define SITU_MUTEX_INIT PTHREAD_MUTEX_INITIALIZER
static inline void situ_mutex_init(situ_mutex *m) { pthread_mutex_init(m, NULL); }
static inline void situ_mutex_destroy(situ_mutex *m) { pthread_mutex_destroy(m); }
static inline void situ_mutex_lock(situ_mutex *m) { pthread_mutex_lock(m); }
static inline void situ_mutex_unlock(situ_mutex *m) { pthread_mutex_unlock(m); }
/* Acquires the mutex if it is free; whether it did. */
static inline bool situ_mutex_try(situ_mutex *m) { return !pthread_mutex_trylock(m); }

typedef pthread_cond_t situ_condition;
static inline void situ_condition_init(situ_condition *c) { pthread_cond_init(c, NULL); }
static inline void situ_condition_destroy(situ_condition *c) { pthread_cond_destroy(c); }
static inline void situ_condition_wait(situ_condition *c, situ_mutex *m) { pthread_cond_wait(c, m); }
static inline void situ_condition_broadcast(situ_condition *c) { pthread_cond_broadcast(c); }

typedef pthread_once_t situ_once;
#define SITU_ONCE_INIT PTHREAD_ONCE_INIT
static inline void situ_call_once(situ_once *once, void (*function)(void)) { pthread_once(once, function); }

/* Key of a thread-specific value. When a thread ends, `end` is called with its value unless that is NULL. Returns 0 or
 * an errno. */
typedef pthread_key_t situ_thread_key;
static inline int situ_thread_key_make(situ_thread_key *key, void (*end)(void *)) { return pthread_key_create(key, end); }
static inline int situ_thread_key_set(situ_thread_key key, const void *value) { return pthread_setspecific(key, value); }

typedef pthread_t situ_thread_id;
static inline situ_thread_id situ_thread_current(void) { return pthread_self(); }
static inline void situ_thread_join(situ_thread_id thread) { pthread_join(thread, NULL); }
static inline void situ_thread_detach(situ_thread_id thread) { pthread_detach(thread); }
/* Registers functions to call around each fork (each may be NULL); the `before` functions run in reverse order of
 * registration. */
static inline void situ_fork_handlers(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    pthread_atfork(before, in_parent, in_child);
}
#endif

/* Starts a joinable thread that receives no signals. Threads of the library are started by base/thread.h. Returns 0 or
 * an errno: ENOSYS if the system has no threads. */
int situ_thread_make(situ_thread_id *thread, void *(*run)(void *), void *argument);
/* CPU time of a thread in nanoseconds; -1 if the system does not say. */
int64_t situ_thread_ran(situ_thread_id thread);
/* Names the calling thread (at most 15 bytes). */
void situ_thread_name(const char *name);

#endif
