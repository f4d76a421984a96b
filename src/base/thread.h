/* Threads of the library. */
#ifndef SITU_BASE_THREAD_H
#define SITU_BASE_THREAD_H

#include "os/thread.h"

/* Starts a joinable thread that receives no signals, named in debuggers, with the floating-point control word of
 * os/fp.h. Returns 0 or an errno. */
int situ_thread_start(situ_thread_id *thread, void *(*run)(void *), void *argument, const char *name);

#endif
