#include "os/thread.h"

#include <errno.h>

int situ_thread_make(situ_thread_id *thread, void *(*run)(void *), void *argument)
{
    (void)thread, (void)run, (void)argument;
    return ENOSYS;
}

int64_t situ_thread_ran(situ_thread_id thread) { return (void)thread, -1; }
void situ_thread_name(const char *name) { (void)name; }
