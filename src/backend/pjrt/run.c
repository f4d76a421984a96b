/* The work that a PJRT device has under way. Buffers are futures: a program that reads one waits for it by itself,
 * even on another device of the plugin, and so does a download. So the host waits only at the end of a launch, and
 * when it must know whether an index was out of range. */
#include "backend/pjrt/pjrt.h"
#include "base/memory.h"

int situ_pjrt_started(situ_pjrt *s, situ_pjrt_run run)
{
    if (s->runs == s->run_room) {
        size_t capacity = s->run_room ? 2 * s->run_room : 64;
        situ_pjrt_run *grown = situ_realloc(s->run, capacity * sizeof *grown);
        if (!grown) {
            situ_pjrt_destroy(s->plugin, run.fault);
            situ_free(run.which);
            situ_pjrt_code(s->plugin, situ_pjrt_await(s->plugin, run.done), NULL, 0);
            return -SITU_NO_MEMORY;
        }
        s->run = grown;
        s->run_room = capacity;
    }
    s->run[s->runs++] = run;
    return 0;
}

/* Reads a run's error words; the first one that is set, if its launch is the earliest so far, becomes s->found. */
static int ask(situ_pjrt *s, situ_pjrt_run *r)
{
    size_t bytes = 32 * (size_t)r->failing;
    int64_t few[32], *word = r->failing > 8 ? situ_malloc(bytes) : few;
    int code = !r->fault ? 0 : word ? situ_pjrt_receive(s, r->fault, word, bytes) : -SITU_NO_MEMORY;
    for (int i = 0; i < r->failing && r->fault && !code; i++) {
        const int64_t *w = word + 4 * i;
        if (w[0] && situ_fault_set_at(&s->found, (int)w[0], w[1], w[2], w[3])) s->found_launch = r->which[i];
    }
    if (word != few) situ_free(word);
    situ_pjrt_destroy(s->plugin, r->fault);
    r->fault = NULL;
    return code;
}

int situ_pjrt_ask(situ_pjrt *s)
{
    int code = 0;
    for (size_t i = 0; i < s->runs && !code; i++) code = ask(s, &s->run[i]);
    return code;
}

/* 0, or the code of a started run that failed. */
static int wait_for(situ_pjrt *s, int64_t *failed)
{
    int code = 0;
    for (size_t i = 0; i < s->runs; i++) {
        situ_pjrt_run *r = &s->run[i];
        int one = situ_pjrt_failed(s, situ_pjrt_await(s->plugin, r->done)), asked = ask(s, r);
        if (!code && (one || asked)) *failed = r->launch;
        if (!code) code = one ? one : asked;
        situ_free(r->which);
    }
    s->runs = 0;
    return code;
}

int situ_pjrt_finish(situ_dev *d, situ_fault *fault, int64_t *which)
{
    situ_pjrt *s = d->state;
    int64_t failed = -1;
    situ_pjrt_start(s);
    int code = wait_for(s, &failed);
    if (!code && s->late) {
        code = s->late;
        failed = s->late_launch;
    }
    if (!code && s->found.code) {
        situ_fault_set_at(fault, s->found.code, s->found.value, s->found.bound, s->found.place);
        failed = s->found_launch;
    }
    if (code && !s->updating) situ_fault_set(fault, -code, 0, 0); /* no variable was overwritten */
    if (which) *which = failed;
    if (s->programs > situ_pjrt_most_programs) situ_pjrt_fewer_programs(s, situ_pjrt_most_programs);
    s->launches = 0;
    s->updating = false;
    s->late = 0;
    s->found = (situ_fault){0};
    return code;
}

void *situ_pjrt_mark(situ_dev *d)
{
    situ_pjrt *s = d->state;
    situ_pjrt_start(s);
    return s->late ? NULL : s;
}

int situ_pjrt_follow(situ_dev *d, situ_dev *marked, void *mark)
{
    (void)d, (void)marked, (void)mark;
    return 0;
}

void situ_pjrt_unmark(situ_dev *marked, void *mark) { (void)marked, (void)mark; }

/* True: the steps check the error words of earlier steps (stretch.c). */
bool situ_pjrt_guard(situ_dev *d)
{
    (void)d;
    return true;
}
