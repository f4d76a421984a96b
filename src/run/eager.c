/* When work starts: in eager mode with each call, and at a wait for everything; and whether it is done. */
#include "base/hint.h"
#include "base/memory.h"
#include "device/virtual.h"
#include "graph/owned.h"
#include "run/ahead.h"
#include "run/enqueue.h"

/* ---- eager mode ------------------------------------------------------------------------------------------------------- */

/* Starts the nodes of the innermost scope that nothing reads. A network that is being exported stays a graph. */
static void start_recorded(void)
{
    situ_thread *th = &situ_thread_state;
    situ_scope *s = th->scope;
    if (!th->eager || situ_error_code || th->placeholders || th->rules || th->inference || th->in_launch || s == &situ_owned_scope)
        return;
    uint32_t from = s->started, most = s->count - from, n = 0;
    s->started = s->count;
    situ_tensor *few[16], **root = most <= 16 ? few : situ_malloc(most * sizeof *root);
    for (uint32_t i = from; root && i < from + most; i++)
        if (situ_node_is_pending(s->node[i]) && !s->node[i]->readers) root[n++] = s->node[i];
    if (!root) situ_fail(SITU_NO_MEMORY, s->node[from]->site, "out of host memory for the graph");
    else if (n || th->dirty_count) situ_enqueue(root, n, n, true, false, n ? root[n - 1]->site : NULL);
    if (root != few) situ_free(root);
}

bool situ_eager(bool on)
{
    situ_thread *th = situ_thread_get();
    bool before = th && th->eager;
    if (!th || before == on) return before;
    for (situ_scope *s = th->scope; s; s = s->parent) s->started = s->count; /* what was recorded so far starts as before */
    situ_after_call = start_recorded;
    th->eager = on;
    return before;
}

/* ---- a wait for everything -------------------------------------------------------------------------------------------- */

int situ_enqueue_owned(situ_site site)
{
    uint32_t n;
    situ_tensor **root = situ_owned_pending(&n);
    int rc = n || situ_thread_state.dirty_count ? situ_enqueue(root, n, n, true, false, site) : 0;
    situ_free(root);
    return rc;
}

/* The wait does not start what nobody keeps: a graph may be recorded and never needed. */
static void hint_pending(const situ_thread *th, situ_site site)
{
    for (const situ_scope *s = th->scope; s && s != &situ_owned_scope; s = s->parent)
        for (uint32_t i = 0; i < s->count; i++) {
            const situ_tensor *t = s->node[i];
            if (!situ_node_is_pending(t) || t->readers || !t->site) continue;
            situ_hint(t->site,
                "%s: it is pending, and the wait for everything at %s does not start it, since it is neither kept nor "
                "assigned; " SITU_SAY("situ_eval(TENSORS(t))", "situ.eval(t)") " starts it",
                t->op->name, site ? site : "another place");
        }
}

int situ_enqueue_kept(situ_site site)
{
    const situ_thread *th = situ_thread_get();
    uint32_t most = 0, n = 0;
    if (!th) return -situ_error_code;
    for (const situ_scope *s = th->scope; s; s = s->parent)
        for (const situ_heap *h = s->kept; h; h = h->next) most += !h->target->buffer;
    situ_tensor **root = most ? situ_malloc(most * sizeof *root) : NULL;
    if (most && !root) return situ_fail(SITU_NO_MEMORY, site, "situ_wait: out of host memory");
    for (const situ_scope *s = th->scope; s; s = s->parent)
        for (const situ_heap *h = s->kept; h; h = h->next)
            if (!h->target->buffer) root[n++] = h->target;
    int rc = n || th->dirty_count ? situ_enqueue(root, n, n, true, false, site) : 0;
    situ_free(root);
    if (!rc && situ_hints()) hint_pending(th, site);
    return rc;
}

/* ---- is it done? ------------------------------------------------------------------------------------------------------ */

bool(situ_is_ready)(situ_tensor *t, situ_site site)
{
    static const double question = 1e-6; /* virtual seconds: a loop that asks arrives at the end */
    SITU_SPEAK("situ_is_ready", site);
    if (situ_error_code) return true;
    if (!t) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_is_ready: the tensor is NULL"), true;
    if (situ_compute(&t, 1, false, site)) return true;
    if (situ_host_on()) situ_host_spend(question);
    return situ_buffer_is_ready(t->buffer);
}
