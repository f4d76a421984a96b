/* What earlier tests left: plans that are kept, and work under way. Counts of what lives are compared without both. */
#ifndef SITU_TESTS_SETTLED_H
#define SITU_TESTS_SETTLED_H

#include <pthread.h>
#include <time.h>

#include <situ.h>

#include "base/memory.h"
#include "device/device.h"
#include "device/lanes.h"
#include "graph/walk.h"
#include "plan/plan.h"

static inline void forget_plans(void)
{
    situ_wait(NULL);
    pthread_mutex_lock(&situ_planner);
    situ_plan_cache_free();
    pthread_mutex_unlock(&situ_planner);
}

/* Until nothing is under way on any device: a launch frees what it holds when its last device has done its part, which may be later than
 * what is read from another one. */
static inline void wait_for_lanes(void)
{
    for (int kind = 0; kind < SITU_DEVICE_KINDS; kind++)
        for (int i = 0; i < SITU_DEVICES_EACH; i++) {
            situ_dev *d = situ_dev_opened(situ_device_nth((situ_device_kind)kind, i));
            if (d) situ_lanes_wait(d);
        }
}

/* The count when threads that put away after an earlier test have done so, too. */
static inline int64_t when_settled(int64_t (*count)(void))
{
    situ_scope_close(situ_scope_open()); /* frees what other threads let go */
    forget_plans();
    wait_for_lanes();
    int64_t now = count(), last;
    do {
        last = now;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        now = count();
    } while (now != last);
    return now;
}

/* Buffers and blocks that live without what earlier tests left. */
static inline int64_t settled_buffers(void) { return when_settled(situ_test_live_buffers); }
static inline int64_t settled_blocks(void) { return when_settled(situ_test_live_blocks); }

#endif
