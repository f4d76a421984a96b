/* What a PJRT device has under way. Buffers are promises: a program that reads one waits for it by itself, on other devices of the
 * plugin too, and so does who reads it here. So the host waits only where a launch ends, and where it must know of an index that is
 * out of range. */
#include "backend/pjrt/pjrt.h"
#include "base/memory.h"

int situ_pjrt_started(situ_pjrt *s, situ_pjrt_run run)
{
    if (s->runs == s->run_room) {
        size_t room = s->run_room ? 2 * s->run_room : 64;
        situ_pjrt_run *grown = situ_realloc(s->run, room * sizeof *grown);
        if (!grown) {
            situ_pjrt_destroy(s->plugin, run.fault);
            situ_pjrt_code(s->plugin, situ_pjrt_await(s->plugin, run.done), NULL, 0);
            return -SITU_NO_MEMORY;
        }
        s->run = grown;
        s->run_room = room;
    }
    s->run[s->runs++] = run;
    return 0;
}

/* Waits for one of them: 0 or a code, and what it says of an index. */
static int wait_for(situ_pjrt *s, const situ_pjrt_run *r, int64_t word[4])
{
    int code = situ_pjrt_failed(s, situ_pjrt_await(s->plugin, r->done));
    if (!code && r->fault) code = situ_pjrt_receive(s, r->fault, word, 4 * sizeof *word);
    situ_pjrt_destroy(s->plugin, r->fault);
    return code;
}

int situ_pjrt_finish(situ_dev *d, situ_fault *fault, int64_t *which)
{
    situ_pjrt *s = d->state;
    const situ_pjrt_run *failed = NULL;
    int code = 0;
    for (size_t i = 0; i < s->runs; i++) {
        int64_t word[4] = {0};
        int one = wait_for(s, &s->run[i], word);
        if (word[0]) situ_fault_set_at(fault, SITU_BAD_INDEX, word[1], word[2], word[3]);
        if (!failed && (one || word[0])) failed = &s->run[i];
        if (!code) code = one;
    }
    if (which) *which = failed ? failed->launch : -1;
    s->runs = 0;
    s->launches = 0;
    return code;
}

void *situ_pjrt_mark(situ_dev *d) { return d->state; }

int situ_pjrt_follow(situ_dev *d, situ_dev *marked, void *mark)
{
    (void)d, (void)marked, (void)mark;
    return 0;
}

void situ_pjrt_unmark(situ_dev *marked, void *mark) { (void)marked, (void)mark; }
