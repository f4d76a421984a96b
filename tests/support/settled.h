/* What earlier tests left: plans that are kept, and work under way. Counts of what lives are compared without both. */
#ifndef SITU_TESTS_SETTLED_H
#define SITU_TESTS_SETTLED_H

#include <pthread.h>
#include <time.h>

#include <situ.h>

#include "base/memory.h"
#include "device/device.h"
#include "graph/walk.h"
#include "plan/plan.h"

static inline void forget_plans(void)
{
    situ_wait(NULL);
    pthread_mutex_lock(&situ_planner);
    situ_plan_cache_free();
    pthread_mutex_unlock(&situ_planner);
}

/* The count when threads that put away after an earlier test have done so. */
static inline int64_t when_settled(int64_t (*count)(void))
{
    int64_t now = count(), last;
    do {
        last = now;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        now = count();
    } while (now != last);
    return now;
}

/* Buffers and blocks that live without kept plans. Kernels of some devices own buffers, and a new plan may take the place of old ones
 * of earlier tests at any time. */
static inline int64_t settled_buffers(void)
{
    situ_scope_close(situ_scope_open()); /* frees what other threads let go */
    forget_plans();
    return when_settled(situ_test_live_buffers);
}

static inline int64_t settled_blocks(void)
{
    forget_plans();
    return when_settled(situ_test_live_blocks);
}

#endif
