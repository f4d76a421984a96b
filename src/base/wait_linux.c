#if defined(__linux__) && !defined(SITU_PORTABLE)

#include "base/wait.h"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void situ_wait_word(_Atomic uint32_t *word, uint32_t old)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
}

void situ_wake_word(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

void situ_thread_name(const char *name) { prctl(PR_SET_NAME, name); }

#endif
