#include "os/thread.h"

#include <errno.h>
#include <signal.h>

/* By default a thread has a stack of 128 KiB in musl and of 512 KiB on macOS; functions of the library have frames of
 * tens of KiB. */
enum { LEAST_STACK = 2 << 20 };

static void ask_for_stack(pthread_attr_t *attributes)
{
    size_t size;
    if (!pthread_attr_getstacksize(attributes, &size) && size < LEAST_STACK)
        (void)pthread_attr_setstacksize(attributes, LEAST_STACK);
}

int situ_thread_make(situ_thread_id *thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    int status = pthread_attr_init(&attributes);
    if (status) return status;
    ask_for_stack(&attributes);
    /* Block all signals: the host program's handlers expect threads of the host. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    status = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return status;
}
