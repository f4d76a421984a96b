#include "os/wait.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

int64_t situ_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t situ_date(void) { return (int64_t)time(NULL); }

void situ_sleep(int64_t nanoseconds)
{
    struct timespec left = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    while (nanosleep(&left, &left) && errno == EINTR) continue;
}

void situ_yield(void) { sched_yield(); }
