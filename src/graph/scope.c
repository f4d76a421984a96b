#include <stdlib.h>
#include <string.h>

#include "os/library.h"
#include "base/memory.h"
#include "base/parts.h"
#include "base/runtime.h"
#include "graph/record.h"
#include "graph/op.h"
#include "graph/owned.h"

__thread situ_thread situ_thread_state;
_Atomic int situ_threads_live;

static _Atomic uint64_t next_scope = 1, next_thread = 1;
static situ_thread_key thread_key;
static situ_once thread_once = SITU_ONCE_INIT;

static void close_one(situ_thread *th, situ_tensor **t, int count, situ_site site);
static void scope_empty(situ_scope *s, situ_site site);
static void detach_kept(situ_scope *s);

static void thread_end(void *state)
{
    situ_thread *th = state;
    if (!th->ready) return;
    while (th->scope && th->scope != &th->root) close_one(th, NULL, 0, NULL);
    if (!situ_forked) situ_linked.scope_flush(&th->root, true);
    detach_kept(&th->root);
    scope_empty(&th->root, NULL);
    while (th->dirty_count) situ_thread_clean(th, th->dirty[th->dirty_count - 1]);
    situ_free(th->root.node);
    situ_free(th->root.held);
    for (situ_scope *s = th->spare, *next; s; s = next) {
        next = s->parent;
        situ_free(s->node);
        situ_free(s->held);
        situ_free(s);
    }
    situ_chunk_cache_free(&th->chunks);
    situ_linked.thread_ends(th);
    situ_threads_live--;
    situ_free(th->dirty);
    memset(th, 0, sizeof *th);
}

static void make_key(void)
{
    situ_library_stay();
    situ_thread_key_make(&thread_key, thread_end);
}

void situ_thread_finish(void) { thread_end(&situ_thread_state); }

static __attribute__((noinline)) situ_thread *thread_start(void)
{
    situ_thread *th = &situ_thread_state;
    if (situ_forked) {
        situ_fail_forked(NULL);
        return NULL;
    }
    situ_runtime_use();
    situ_call_once(&thread_once, make_key);
    situ_thread_key_set(thread_key, th);
    situ_at_shutdown(SITU_END_WORK, situ_thread_finish); /* needed for the main thread, whose key destructor does not run at exit */
    situ_at_shutdown(SITU_END_RECORDS, situ_retired_free);
    situ_at_fork_reset(situ_graph_after_fork);
    situ_arena_init(&th->root.arena, &th->chunks);
    th->root.thread = th;
    th->root.id = next_scope++;
    th->scope = &th->root;
    th->id = next_thread++;
    th->ready = true;
    situ_threads_live++;
    return th;
}

situ_thread *situ_thread_get(void)
{
    situ_thread *th = &situ_thread_state;
    return th->ready && !situ_forked ? th : thread_start();
}

situ_scope *situ_scope_open(void)
{
    situ_thread *th = situ_thread_get();
    if (!th) return NULL;
    situ_scope *s = th->spare;
    if (s) {
        th->spare = s->parent;
    } else {
        if (!(s = situ_calloc(1, sizeof *s))) return situ_fail(SITU_NO_MEMORY, NULL, "situ_scope_open: out of host memory"), NULL;
        situ_arena_init(&s->arena, &th->chunks);
        s->thread = th;
    }
    s->id = next_scope++;
    s->parent = th->scope;
    s->reads_owned = situ_owned_recording(th);
    th->scope = s;
    return situ_scope_handle(s);
}

/* Releases what the nodes hold: reader counts, buffers, entries in the lists of variables. Marks the nodes as closed
 * at this line. */
static void scope_empty(situ_scope *s, situ_site site)
{
    situ_tensor **node = s->node;
    bool reads_owned = s->reads_owned;
    for (uint32_t i = 0, count = s->count; i < count; i++) {
        situ_tensor *t = node[i];
        if (i + 8 < count) situ_node_fetch(node[i + 8]);
        if (!(t->flags & SITU_NODE_RAN)) {
            situ_tensor **in = situ_node_in(t);
            for (int k = 0; k < t->nin; k++)
                if (in[k]->scope && in[k]->scope != s) in[k]->readers--;
        }
        for (int k = 0; reads_owned && k < t->nin; k++) situ_owned_unuse(situ_node_in(t)[k]);
        if (t->aside && t->aside->slot) situ_slot_remove_read(t->aside->slot, t);
        if (t->buffer) situ_buffer_unref(t->buffer);
        t->alive = SITU_NODE_CLOSED;
        t->walk = (uintptr_t)site;
    }
    for (uint32_t i = 0; i < s->held_count; i++) situ_heap_unref(s->held[i]);
    s->count = s->enqueued = s->started = s->held_count = 0;
    situ_arena_free(&s->arena);
}

static void detach_kept(situ_scope *s)
{
    while (s->kept) {
        situ_heap *h = s->kept;
        s->kept = h->next;
        if (s->kept) s->kept->previous = NULL;
        situ_heap_detach(h);
    }
}

/* True if the tensor is in this scope. */
static bool lies_in(const situ_tensor *t, const situ_scope *s) { return t && t->alive == SITU_NODE_ALIVE && t->scope == s; }

/* Enqueues; values that leave the scope are stored if a plan computes them. */
static void flush_with(situ_scope *s, situ_tensor **t, int count)
{
    for (int i = 0; i < count; i++)
        if (lies_in(t[i], s)) t[i]->flags |= SITU_NODE_WANTED;
    bool pending = s->kept || s->thread->dirty_count; /* otherwise there is nothing to enqueue */
    if (pending && !situ_forked) situ_linked.scope_flush(s, true);
    if (!count) return;
    situ_scope_take(s, s->parent, t, count);
    for (int i = 0; i < count; i++)
        if (lies_in(t[i], s->parent)) t[i]->flags &= (uint16_t)~SITU_NODE_WANTED;
    for (const situ_heap *h = s->parent->kept; h; h = h->next) h->target->flags |= SITU_NODE_WANTED;
}

/* Closes the innermost scope and moves these tensors to the outer one. */
static void close_one(situ_thread *th, situ_tensor **t, int count, situ_site site)
{
    situ_scope *s = th->scope;
    flush_with(s, t, count);
    detach_kept(s);
    scope_empty(s, site);
    th->scope = s->parent;
    s->parent = th->spare;
    th->spare = s;
    s->closed_at = site;
}

/* True if it is an open scope of this thread. */
static bool is_open(const situ_thread *th, const situ_scope *handle)
{
    for (const situ_scope *s = th->scope; s && s != &th->root; s = s->parent)
        if (situ_scope_handle(s) == handle) return true;
    return false;
}

static int fail_not_open(const situ_thread *th, const situ_scope *handle, const char *function, situ_site site)
{
    for (const situ_scope *s = th->spare; s; s = s->parent) {
        if (situ_scope_handle(s) != handle) continue;
        situ_site at = s->closed_at;
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "%s: this scope was closed before%s%s, by itself or with the one around it; close a scope once", function,
            at ? ", at " : "", at ? at : "");
    }
    return situ_fail(SITU_BAD_ARGUMENT, site,
        "%s: this scope is not open in this thread; close a scope once, in the thread that opened it", function);
}

static int close_with(situ_scope *scope, situ_tensor **t, int count, const char *function, situ_site site)
{
    situ_thread *th = &situ_thread_state;
    if (!is_open(th, scope)) return fail_not_open(th, scope, function, site);
    bool last;
    do {
        last = situ_scope_handle(th->scope) == scope;
        close_one(th, t, count, site);
    } while (!last);
    return 0;
}

void situ_scope_close(situ_scope *scope)
{
    situ_site site = situ_passed_site();
    if (!scope) return;
    if (situ_thread_state.ready) close_with(scope, NULL, 0, "situ_scope_close", site);
    else if (!situ_forked && atomic_load(&situ_threads_live)) fail_not_open(&situ_thread_state, scope, "situ_scope_close", site);
}

int(situ_scope_close_with_all)(situ_scope *scope, situ_list tensors, situ_tensor **out, situ_site site)
{
    SITU_SPEAK("situ_scope_close_with_all", site);
    const char *function = "situ_scope_close_with";
    situ_tensor *bad = NULL;
    int count = tensors.count;
    if (count < 0 || (count && (!tensors.tensor || !out))) {
        situ_scope_close(scope);
        return situ_fail(SITU_BAD_ARGUMENT, site, "%s: no tensors were given", function);
    }
    for (int i = 0; i < count; i++) {
        out[i] = tensors.tensor[i];
        if (!out[i]) situ_fail(SITU_BAD_ARGUMENT, site, "%s: the tensor is NULL", function);
        if (!out[i] || situ_handle_is_gone(out[i], function, site)) out[i] = bad = situ_poisoned();
    }
    int rc = !scope             ? 0 :
        situ_thread_state.ready ? close_with(scope, out, count, function, site) :
                                  fail_not_open(&situ_thread_state, scope, function, site);
    if (rc)
        for (int i = 0; i < count; i++) out[i] = situ_poisoned();
    return rc || bad || situ_error_code ? -situ_error_code : 0;
}

situ_tensor *(situ_scope_close_with)(situ_scope *scope, situ_tensor *t, situ_site site)
{
    SITU_SPEAK("situ_scope_close_with", site);
    (situ_scope_close_with_all)(scope, TENSORS(t), &t, site);
    return t;
}
