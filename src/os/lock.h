/* Mutexes over a fork. The child has one thread, so a mutex that another thread held would stay locked, and what it
 * protects may be half changed. Therefore the forking thread first acquires all registered mutexes, with a short time
 * limit, and the child initialises them again.
 *
 *     SITU_LOCK(lock);                                     // defines the situ_mutex `lock` and registers it
 *
 * tests/tree/locks.sh finds mutexes that are not registered. */
#ifndef SITU_OS_LOCK_H
#define SITU_OS_LOCK_H

#include "os/thread.h"

typedef struct situ_known_lock {
    situ_mutex *lock;
    struct situ_known_lock *next, *previous;
    bool held; /* held by the forking thread */
} situ_known_lock;

/* Registers a mutex. Call situ_lock_forget before its memory is freed. */
void situ_lock_known(situ_known_lock *known, situ_mutex *lock);
void situ_lock_forget(situ_known_lock *known);
/* For tests: calls `visit` with each registered mutex. */
void situ_locks_each(void (*visit)(situ_mutex *lock));

/* Defines and registers a mutex that lives as long as the library. The second macro registers one that is defined
 * elsewhere. */
#define SITU_LOCK(name) \
    static situ_mutex name; \
    SITU_LOCK_OF_ALL_THREADS(name) \
    static situ_mutex name = SITU_MUTEX_INIT
#define SITU_LOCK_OF_ALL_THREADS(name) \
    __attribute__((constructor)) static void name##_becomes_known(void) \
    { \
        static situ_known_lock known; \
        situ_lock_known(&known, &name); \
    }

#endif
