#include "base/runtime.h"

#include "base/error.h"
#include "os/lock.h"
#include "os/thread.h"

enum { MOST_FUNCTIONS = 64 };

volatile int situ_forked, situ_forks;

typedef struct functions {
    void (*list[MOST_FUNCTIONS])(void);
    situ_end when[MOST_FUNCTIONS];
    int count;
} functions;

static functions at_shutdown, at_fork_reset;
SITU_LOCK(lock);
static situ_once once = SITU_ONCE_INIT;

static void in_child(void)
{
    situ_forked = 1;
    situ_forks++;
}

static void install(void) { situ_fork_handlers(NULL, NULL, in_child); }

void situ_runtime_use(void) { situ_call_once(&once, install); }

int situ_fail_forked(situ_site site)
{
    return situ_fail(SITU_FORKED, site,
        "the process was forked after the library was used, and its threads and devices are not in this child; call " SITU_SAY(
            "situ_after_fork()", "situ.after_fork()") " first in the child, or fork before the first use");
}

static int add(functions *to, situ_end when, void (*function)(void), const char *what)
{
    int status = 0, i = 0;
    situ_mutex_lock(&lock);
    while (i < to->count && to->list[i] != function) i++;
    if (i < to->count) {
        /* registered already */
    } else if (to->count < MOST_FUNCTIONS) {
        to->when[to->count] = when;
        to->list[to->count++] = function;
    } else {
        status = situ_fail(SITU_NO_MEMORY, NULL, "more than %d functions to call at %s", MOST_FUNCTIONS, what);
    }
    situ_mutex_unlock(&lock);
    return status;
}

int situ_at_shutdown(situ_end when, void (*free_cache)(void)) { return add(&at_shutdown, when, free_cache, "shutdown"); }

int situ_at_fork_reset(void (*reset)(void)) { return add(&at_fork_reset, SITU_END_WORK, reset, "fork"); }

/* A copy to call the functions from without holding the lock, so that they may use the library. */
static functions copy(const functions *from)
{
    situ_mutex_lock(&lock);
    functions result = *from;
    situ_mutex_unlock(&lock);
    return result;
}

int situ_after_fork(void)
{
    SITU_SPEAK_AT("situ_after_fork");
    if (!situ_forked) return 0;
    functions now = copy(&at_fork_reset);
    for (int i = 0; i < now.count; i++) now.list[i]();
    situ_forked = 0;
    return 0;
}

void situ_shutdown(void)
{
    if (situ_forked) return; /* there are no threads to join, and locks may never be released */
    bool ran[MOST_FUNCTIONS] = {false};
    for (;;) { /* computing pending values may register further functions */
        functions now = copy(&at_shutdown);
        int next = -1;
        for (int i = now.count; i-- > 0;)
            if (!ran[i] && (next < 0 || now.when[i] < now.when[next])) next = i;
        if (next < 0) return;
        ran[next] = true;
        now.list[next]();
    }
}
