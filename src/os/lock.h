/* Locks over a fork. The child has one thread, and no other will ever give a lock back; what a lock guards may be half changed.
 * So a fork waits, a moment at most, until the thread that forks has all locks that are known here, and the child finds them free.
 *
 *     SITU_LOCK(lock);                                     // for situ_mutex *: &lock
 *
 * tests/tree/locks.sh finds those that are not known. */
#ifndef SITU_OS_LOCK_H
#define SITU_OS_LOCK_H

#include "os/thread.h"

typedef struct situ_known_lock {
    situ_mutex *lock;
    struct situ_known_lock *next, *previous;
    bool held; /* by the thread that forks */
} situ_known_lock;

/* From now on, until it is forgotten: before its memory goes. */
void situ_lock_known(situ_known_lock *known, situ_mutex *lock);
void situ_lock_forget(situ_known_lock *known);
/* For tests: calls it with each. */
void situ_locks_each(void (*visit)(situ_mutex *lock));

/* One that lives as long as the library; the second form is for one that is declared elsewhere. */
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
