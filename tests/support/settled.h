/* Waits until what earlier tests left (cached plans, running work) is gone, so that counts of live objects can be
 * compared. */
#ifndef SITU_TESTS_SETTLED_H
#define SITU_TESTS_SETTLED_H

#include <pthread.h>
#include <time.h>

#include <situ.h>

#include "base/memory.h"
#include "device/device.h"
#include "device/streams.h"
#include "graph/walk.h"
#include "plan/plan.h"

static inline void forget_plans(void)
{
    situ_wait(NULL);
    pthread_mutex_lock(&situ_planner);
    situ_plan_cache_free();
    pthread_mutex_unlock(&situ_planner);
}

/* Waits until no work runs on any device. A launch frees its resources when its last device is done, which may be after
 * another device's result was read. */
static inline void wait_for_streams(void)
{
    for (int kind = 0; kind < SITU_DEVICE_KINDS; kind++)
        for (int i = 0; i < SITU_DEVICES_EACH; i++) {
            situ_dev *d = situ_dev_opened(situ_device_nth((situ_device_kind)kind, i));
            if (d) situ_streams_wait(d);
        }
}

/* The count after threads that clean up after an earlier test have finished. */
static inline int64_t when_settled(int64_t (*count)(void))
{
    situ_scope_close(situ_scope_open()); /* frees what other threads released */
    forget_plans();
    wait_for_streams();
    int64_t now = count(), last;
    do {
        last = now;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        now = count();
    } while (now != last);
    return now;
}

/* Number of live buffers and blocks, without what earlier tests left. */
static inline int64_t settled_buffers(void) { return when_settled(situ_test_live_buffers); }
static inline int64_t settled_blocks(void) { return when_settled(situ_test_live_blocks); }

#endif
