#include "os/thread.h"

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

int situ_thread_make(situ_thread_id *thread, void *(*run)(void *), void *argument)
{
    (void)thread, (void)run, (void)argument;
    return ENOSYS;
}

int64_t situ_thread_ran(situ_thread_id thread) { return (void)thread, -1; }
void situ_thread_name(const char *name) { (void)name; }
