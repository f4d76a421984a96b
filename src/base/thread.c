#include "base/fp.h"
#include "base/library.h"
#include "base/memory.h"
#include "base/wait.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

int64_t situ_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

typedef struct start {
    void *(*run)(void *);
    void *argument;
    char name[16];
} start;

static void *enter(void *argument)
{
    start s = *(start *)argument;
    situ_free(argument);
    situ_fp_reset();
    situ_thread_name(s.name);
    return s.run(s.argument);
}

int situ_thread_start(pthread_t *thread, void *(*run)(void *), void *argument, const char *name)
{
    situ_library_stay();
    start *s = situ_malloc(sizeof *s);
    if (!s) return ENOMEM;
    s->run = run;
    s->argument = argument;
    snprintf(s->name, sizeof s->name, "%s", name);
    /* A host's signal handlers expect the host's threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = pthread_create(thread, NULL, enter, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status) situ_free(s);
    return status;
}
