/* Bound plans. A version is a table of addresses for all steps and the buffers of the variables in it. There are three: the
 * runner uses one, one is offered, and the publisher fills one. The runner takes the offer and offers its old one back, by
 * one exchange; so neither waits, and at most three values of a variable are in memory. */
#include "run/bound.h"

#include <string.h>

#include "base/memory.h"
#include "graph/walk.h"
#include "os/lock.h"
#include "run/enqueue.h"
#include "tensor/shape.h"

enum { VERSIONS = 3, NUMBER = 3, FRESH = 4 };

typedef struct version {
    char **address;       /* [plan->naddress] */
    situ_buffer **buffer; /* [variables] */
} version;

struct situ_bound {
    situ_plan *plan;
    situ_dev *dev;
    uint64_t *word;
    int64_t *dynamic;
    char **base;          /* [plan->nplace], with the variables' addresses when it was bound */
    uint32_t *place;      /* [variables] */
    int32_t *variable_of; /* [plan->nplace] index of the variable, or -1 */
    situ_buffer **held;   /* what stays: other leaves, the arena, outputs */
    uint32_t variables, helds;
    char **result; /* [results] */
    version version[VERSIONS];
    _Atomic uint32_t offered; /* number of a version, plus FRESH if the runner has not seen it */
    uint32_t mine;            /* of the runner */
    uint32_t free, newest;    /* of the publisher, under bound_lock */
    situ_fault fault;
    situ_bound *next;
};

SITU_LOCK(bound_lock);
static situ_bound *_Atomic all;

/* ---- publishing ------------------------------------------------------------------------------------------------------- */

static void fill_addresses(const situ_bound *b, version *v)
{
    const situ_plan *p = b->plan;
    for (uint32_t i = 0; i < p->naddress; i++) {
        const situ_address *a = &p->address[i];
        int32_t variable = b->variable_of[a->place];
        char *base = variable < 0 ? b->base[a->place] : v->buffer[variable]->address;
        v->address[i] = base + a->offset + (a->dynamic >= 0 ? b->dynamic[a->dynamic] : 0);
    }
}

static void drop_version(const situ_bound *b, version *v)
{
    for (uint32_t i = 0; i < b->variables; i++) {
        situ_buffer_unref(v->buffer[i]);
        v->buffer[i] = NULL;
    }
}

/* The buffer that follows this one in the launch, or itself. */
static situ_buffer *after(const situ_launch *l, situ_buffer *before)
{
    for (uint32_t i = 0; i < l->nfresh; i++)
        if (l->fresh[i].before == before) return l->fresh[i].after;
    return before;
}

static void publish_to(situ_bound *b, const situ_launch *l)
{
    const version *now = &b->version[b->newest];
    version *next = &b->version[b->free];
    bool changes = false;
    for (uint32_t i = 0; i < b->variables && !changes; i++) changes = after(l, now->buffer[i]) != now->buffer[i];
    if (!changes) return;
    for (uint32_t i = 0; i < b->variables; i++) next->buffer[i] = situ_buffer_ref(after(l, now->buffer[i]));
    fill_addresses(b, next);
    b->newest = b->free;
    b->free = atomic_exchange(&b->offered, b->free | FRESH) & NUMBER;
    drop_version(b, &b->version[b->free]);
}

void situ_bound_publish(const situ_launch *l, int device)
{
    if (!l->nfresh || !atomic_load(&all)) return;
    situ_mutex_lock(&bound_lock);
    for (situ_bound *b = all; b; b = b->next)
        if (b->dev == l->plan->dev[device]) publish_to(b, l);
    situ_mutex_unlock(&bound_lock);
}

/* ---- binding ---------------------------------------------------------------------------------------------------------- */

/* Several devices, or a result that shares memory. */
static int check_plan(const situ_plan *p, situ_tensor *const *result, int results, const char *function, situ_site site)
{
    bool cpu = p->ndev == 1 && p->dev[0]->device.kind == SITU_CPU;
    for (int i = 0; i < results && cpu; i++) cpu = result[i]->device.kind == SITU_CPU;
    if (!cpu)
        return situ_fail(SITU_UNSUPPORTED, site, "%s: it is for the CPU alone; move the network and its inputs there", function);
    if (p->nupdate || p->watches || p->apart)
        return situ_fail(
            SITU_UNSUPPORTED, site, "%s: a run that looks at each step, as SITU_DEBUG=nan asks for, cannot be bound", function);
    return 0;
}

static bool take_memory(situ_bound *b, int results)
{
    const situ_plan *p = b->plan;
    size_t n = p->nplace + 1u;
    b->word = situ_calloc(p->nword + 1u, sizeof *b->word);
    b->dynamic = situ_calloc(p->ndynamic + 1u, sizeof *b->dynamic);
    b->base = situ_calloc(n, sizeof *b->base);
    b->place = situ_calloc(n, sizeof *b->place);
    b->variable_of = situ_calloc(n, sizeof *b->variable_of);
    b->held = situ_calloc(n + p->npersistent + 1, sizeof *b->held);
    b->result = situ_calloc((size_t)results + 1, sizeof *b->result);
    bool whole = b->word && b->dynamic && b->base && b->place && b->variable_of && b->held && b->result;
    for (int i = 0; i < VERSIONS; i++) {
        b->version[i].address = situ_calloc(p->naddress + 1u, sizeof(char *));
        b->version[i].buffer = situ_calloc(n, sizeof(situ_buffer *));
        whole &= b->version[i].address && b->version[i].buffer;
    }
    return whole;
}

static void bind_words(situ_bound *b, const situ_walk *w)
{
    const situ_plan *p = b->plan;
    for (uint32_t i = 0; i < p->ndynamic; i++) {
        const situ_dynamic *d = &p->dynamic[i];
        const uint64_t *word = situ_node_word(w->node[d->node]);
        b->dynamic[i] = d->base >= 0 ? b->dynamic[d->base] : 0;
        for (int k = 0; k < d->count; k++) b->dynamic[i] += (int64_t)word[k] * d->coefficient[k];
    }
    for (uint32_t i = 0; i < p->nword; i++) {
        const situ_word_source *s = &p->word[i];
        b->word[i] = s->node < 0 ? s->constant : situ_node_word(w->node[s->node])[s->index];
    }
}

static char *hold(situ_bound *b, situ_buffer *buffer)
{
    if (!buffer) return NULL;
    b->held[b->helds++] = buffer;
    return buffer->address;
}

/* A read of a variable gets the present value, that of the newest plan; so all of them are of one version. */
static int bind_leaf(situ_bound *b, uint32_t place, const situ_tensor *t)
{
    const situ_slot *slot = situ_node_aside(t)->slot;
    if (slot && !situ_node_is_read(t) && slot->buffer != t->buffer) slot = NULL;
    b->variable_of[place] = -1;
    if (!slot || !slot->buffer || t->buffer->address != situ_node_address(t)) {
        hold(b, situ_buffer_ref(t->buffer));
        b->base[place] = situ_node_address(t);
        return 0;
    }
    uint32_t i = b->variables++;
    b->variable_of[place] = (int32_t)i;
    b->place[i] = place;
    b->version[0].buffer[i] = situ_buffer_ref(slot->buffer);
    return 0;
}

static int bind_places(situ_bound *b, const situ_walk *w, situ_site site)
{
    const situ_plan *p = b->plan;
    static const situ_label label = {.name = "values of a session", .dtype = SITU_U8, .ndim = 0};
    char *arena = NULL, *output[64];
    if (p->arena_bytes[0] && !(arena = hold(b, situ_buffer_new(b->dev, (size_t)p->arena_bytes[0], &label, site))))
        return -situ_error_code;
    char **persistent = p->npersistent > 64 ? situ_malloc(p->npersistent * sizeof *persistent) : output;
    if (!persistent) return situ_fail(SITU_NO_MEMORY, site, "out of host memory to bind a plan");
    int rc = 0;
    for (uint32_t i = 0; i < p->npersistent && !rc; i++)
        if (!(persistent[i] = hold(b, situ_buffer_new(b->dev, (size_t)p->persistent[i].bytes, &label, site))))
            rc = -situ_error_code;
    for (uint32_t i = 0; i < p->nplace && !rc; i++) {
        const situ_place *at = &p->place[i];
        b->variable_of[i] = -1;
        if (at->kind == SITU_PLACE_LEAF) rc = bind_leaf(b, i, w->node[at->of]);
        else b->base[i] = (at->kind == SITU_PLACE_ARENA ? arena : persistent[at->of]) + at->offset;
    }
    if (persistent != output) situ_free(persistent);
    return rc;
}

static int bind_results(situ_bound *b, situ_tensor *const *result, int results, const char *function, situ_site site)
{
    const situ_plan *p = b->plan;
    for (int i = 0; i < results; i++) {
        for (uint32_t k = 0; k < p->noutput; k++) {
            const situ_output *o = &p->output[k];
            if (o->node != result[i]->index || o->place < 0 || o->strided) continue;
            b->result[i] = b->base[o->place] + o->offset + (o->dynamic >= 0 ? b->dynamic[o->dynamic] : 0);
        }
        if (!b->result[i]) return situ_fail(SITU_UNSUPPORTED, site, "%s: result %d has no memory of its own", function, i);
    }
    return 0;
}

/* Under the planner's lock, which is where variables change. */
static int bind(situ_bound *b, const situ_walk *w, situ_tensor *const *result, int results, const char *function, situ_site site)
{
    unsigned mode = situ_plan_mode();
    situ_hash key = situ_walk_key(w, mode);
    if (!(b->plan = situ_plan_find(key))) {
        if (!(b->plan = situ_plan_make(w, mode, site))) return -situ_error_code;
        b->plan->key = key;
        situ_plan_keep(b->plan);
    }
    int rc = check_plan(b->plan, result, results, function, site);
    if (rc) return rc;
    b->dev = b->plan->dev[0];
    if (!take_memory(b, results)) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function);
    bind_words(b, w);
    if ((rc = bind_places(b, w, site)) || (rc = bind_results(b, result, results, function, site))) return rc;
    fill_addresses(b, &b->version[0]);
    b->mine = b->newest = 0;
    b->offered = 1;
    b->free = 2;
    situ_mutex_lock(&bound_lock);
    b->next = all;
    all = b;
    situ_mutex_unlock(&bound_lock);
    return 0;
}

/* The first version may still be computed; those that follow are offered when they are. */
static int wait_for_first(situ_bound *b, situ_site site)
{
    const version *first = &b->version[b->mine];
    for (uint32_t i = 0; i < b->variables; i++)
        if (situ_await(first->buffer[i], site)) return -1;
    for (uint32_t i = 0; i < b->helds; i++)
        if (situ_await(b->held[i], site)) return -1;
    return 0;
}

situ_bound *situ_bound_new(situ_tensor *const *result, int results, const char *function, situ_site site)
{
    situ_walk w = {.runs = false};
    situ_bound *b = situ_calloc(1, sizeof *b);
    if (!b) return situ_fail(SITU_NO_MEMORY, site, "%s: out of host memory", function), NULL;
    situ_mutex_lock(&situ_planner);
    int rc = situ_walk_collect(&w, result, (uint32_t)results, NULL, 0, site);
    if (!rc) rc = situ_walk_decide(&w, result, (uint32_t)results);
    if (!rc) rc = bind(b, &w, result, results, function, site);
    situ_mutex_unlock(&situ_planner);
    situ_walk_free(&w);
    if (!rc && !wait_for_first(b, site)) return b;
    situ_bound_free(b);
    return NULL;
}

void situ_bound_free(situ_bound *b)
{
    if (!b) return;
    situ_mutex_lock(&bound_lock);
    situ_bound *before = all;
    while (before && before != b && before->next != b) before = before->next;
    if (before == b) all = b->next;
    else if (before) before->next = b->next;
    situ_mutex_unlock(&bound_lock);
    for (int i = 0; i < VERSIONS; i++) {
        if (b->version[i].buffer) drop_version(b, &b->version[i]);
        situ_free(b->version[i].address);
        situ_free(b->version[i].buffer);
    }
    for (uint32_t i = 0; i < b->helds; i++) situ_buffer_unref(b->held[i]);
    situ_free(b->word);
    situ_free(b->dynamic);
    situ_free(b->base);
    situ_free(b->place);
    situ_free(b->variable_of);
    situ_free(b->held);
    situ_free(b->result);
    situ_plan_unref(b->plan);
    situ_free(b);
}

/* ---- running ---------------------------------------------------------------------------------------------------------- */

char *situ_bound_result(const situ_bound *b, int i) { return b->result[i]; }

int situ_bound_run(situ_bound *b)
{
    if (atomic_load_explicit(&b->offered, memory_order_relaxed) & FRESH) b->mine = atomic_exchange(&b->offered, b->mine) & NUMBER;
    const situ_plan *p = b->plan;
    char **address = b->version[b->mine].address;
    int rc = 0;
    bool before = situ_thread_state.in_launch;
    situ_thread_state.in_launch = true;
    for (uint32_t i = 0; i < p->nstep && !rc; i++) {
        const situ_plan_step *s = &p->step[i];
        rc = b->dev->backend->launch(b->dev, s->kernel, address + s->address, b->word + s->word, &b->fault);
        if (s->can_fail && !rc) rc = -b->fault.code;
    }
    situ_thread_state.in_launch = before;
    if (b->fault.code) {
        rc = -b->fault.code;
        memset(&b->fault, 0, sizeof b->fault);
    }
    return rc;
}
