#include "base/thread.h"

#include "base/memory.h"
#include "os/fp.h"
#include "os/library.h"

#include <errno.h>
#include <stdio.h>

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

int situ_thread_start(situ_thread_id *thread, void *(*run)(void *), void *argument, const char *name)
{
    situ_library_stay();
    start *s = situ_malloc(sizeof *s);
    if (!s) return ENOMEM;
    s->run = run;
    s->argument = argument;
    snprintf(s->name, sizeof s->name, "%s", name);
    int status = situ_thread_make(thread, enter, s);
    if (status) situ_free(s);
    return status;
}
