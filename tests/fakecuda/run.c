/* The executor's work, without the lock. */
#include "fake.h"

#include <string.h>

static int touch(fake_work *w, uintptr_t p, size_t bytes, bool write)
{
    static uint32_t span;
    span++;
    fake_toucher t = {.work = w, .thread = 0, .span = span, .first_span = span};
    return fake_in_space(p) ? fake_touch(&t, p, bytes, write) : 0;
}

static int copy(fake_work *w)
{
    uintptr_t to = w->is.copy.to, from = w->is.copy.snapshot ? (uintptr_t)w->is.copy.snapshot : w->is.copy.from;
    size_t bytes = w->is.copy.bytes;
    fake_count(FAKE_copy);
    fake_count_bytes(w->is.copy.direction, bytes);
    int code = touch(w, from, bytes, false);
    if (!code) code = touch(w, to, bytes, true);
    if (code) return code;
    fake_space_open();
    memmove((void *)to, (const void *)from, bytes);
    fake_space_close();
    return 0;
}

static int set(fake_work *w)
{
    size_t bytes = w->is.set.count * (size_t)w->is.set.size;
    int code = touch(w, w->is.set.to, bytes, true);
    if (code) return code;
    fake_space_open();
    if (w->is.set.size == 1) memset((void *)w->is.set.to, (int)w->is.set.value, bytes);
    else for (size_t i = 0; i < w->is.set.count; i++) ((uint32_t *)w->is.set.to)[i] = w->is.set.value;
    fake_space_close();
    return 0;
}

/* A library reads all of its operands before it writes. */
static int call(fake_work *w)
{
    for (int write = 0; write < 2; write++)
        for (int i = 0; i < w->is.call.ranges; i++) {
            const fakecuda_range *r = &w->is.call.range[i];
            int code = r->write == write && r->bytes ? touch(w, r->address, r->bytes, write) : 0;
            if (code) return code;
        }
    fake_space_open();
    w->is.call.function(w->is.call.user);
    fake_space_close();
    return 0;
}

static int injected(fake_function f)
{
    pthread_mutex_lock(&fake_lock);
    int code = fake_injected(f);
    pthread_mutex_unlock(&fake_lock);
    return code;
}

void fake_run(fake_work *w)
{
    int code = w->kind == WORK_KERNEL || w->kind == WORK_CALL ? injected(FAKE_kernel) : w->kind == WORK_COPY ? injected(FAKE_copy) : 0;
    if (!code && w->kind == WORK_KERNEL) {
        fake_count(FAKE_kernel);
        fake_space_open();
        code = fake_run_kernel(w);
        fake_space_close();
    } else if (!code && w->kind == WORK_COPY) {
        code = copy(w);
    } else if (!code && w->kind == WORK_SET) {
        code = set(w);
    } else if (!code && w->kind == WORK_CALL) {
        code = call(w);
    } else if (w->kind == WORK_HOST) {
        w->is.host.function(w->is.host.user);
    } else if (w->kind == WORK_GRAPH) {
        fake_run_graph(w);
    }
    if (!code) return;
    pthread_mutex_lock(&fake_lock);
    fake_raise_sticky(w->device, code);
    pthread_mutex_unlock(&fake_lock);
}
