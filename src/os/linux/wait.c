#include "os/wait.h"
#include "os/thread.h"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

void situ_wait_word(_Atomic uint32_t *word, uint32_t old) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0); }

void situ_wait_word_for(_Atomic uint32_t *word, uint32_t old, int64_t nanoseconds)
{
    struct timespec most = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, &most, NULL, 0);
}

void situ_wake_word(_Atomic uint32_t *word, int count) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0); }

int situ_bell_new(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC); }

void situ_bell_free(int bell)
{
    if (bell >= 0) close(bell);
}

void situ_bell_set(int bell, int64_t nanoseconds)
{
    struct itimerspec when = {.it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
    timerfd_settime(bell, 0, &when, NULL);
}

void situ_bell_wait(int bell)
{
    uint64_t rings;
    if (read(bell, &rings, sizeof rings) < 0) return; /* interrupted by a signal */
}

int64_t situ_thread_ran(situ_thread_id thread)
{
    clockid_t clock;
    struct timespec t;
    if (pthread_getcpuclockid(thread, &clock) || clock_gettime(clock, &t)) return -1;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void situ_thread_name(const char *name) { prctl(PR_SET_NAME, name); }
