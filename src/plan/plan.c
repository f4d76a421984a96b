/* Creating plans by running the passes, and the cache of plans. All under the planner's lock. */
#include "plan/plan.h"

#include <string.h>

#include "base/memory.h"
#include "os/plain.h"
#include "plan/build.h"

enum { BUCKETS = 4096, MOST_BYTES = 256 << 20 };

static situ_plan *table[BUCKETS];
static situ_plan *newest, *oldest;
static struct {
    _Atomic int64_t made, reused, cached, bytes;
} counters;

situ_plan_counters situ_plans(void)
{
    return (situ_plan_counters){counters.made, counters.reused, counters.cached, counters.bytes};
}

static bool all_bit_equal(const situ_plan *p)
{
    int i = 0;
    while (i < p->ndev && p->dev[i]->backend->bit_equal) i++;
    return i == p->ndev;
}

static int import(situ_build *b)
{
    int rc = situ_build_import(b);
    b->fusing &= !b->plan->alone || all_bit_equal(b->plan);
    return rc;
}

situ_plan *situ_plan_make(const situ_walk *w, unsigned mode, situ_site site) { return situ_plan_make_for(w, NULL, mode, site); }

situ_plan *situ_plan_make_for(const situ_walk *w, situ_dev *dev, unsigned mode, situ_site site)
{
    situ_plan *p = situ_calloc(1, sizeof *p);
    if (!p) return situ_fail(SITU_NO_MEMORY, site, "out of host memory for a plan"), NULL;
    situ_arena_init(&p->arena, NULL);
    p->nnode = w->count;
    p->can_fail = p->watches = mode & SITU_PLAN_WATCHES;
    p->apart = situ_plan_comparable || p->watches;
    p->alone = mode & SITU_PLAN_ALONE;
    situ_build b = {.walk = w, .within = -1, .plan = p, .only = dev, .site = site, .fusing = mode & SITU_PLAN_FUSES && !p->apart};
    situ_arena_init(&b.arena, NULL);
    int rc = import(&b) || situ_build_fuse(&b) || situ_build_order(&b) || situ_build_rows(&b) ||
        (!p->apart && situ_build_beside(&b)) || situ_build_post_op(&b) || situ_build_memory(&b) || situ_build_emit(&b);
    if (!rc && b.failed) rc = situ_fail(SITU_NO_MEMORY, site, "out of host memory while planning");
    situ_arena_free(&b.arena);
    situ_free(b.val);
    situ_free(b.work);
    if (rc || situ_plan_verify(p)) {
        situ_plan_free(p);
        return NULL;
    }
    p->bytes = sizeof *p + p->arena.bytes + p->nstep * 8192u; /* estimate: a kernel takes a few kilobytes */
    counters.made++;
    return p;
}

void situ_plan_free(situ_plan *p)
{
    if (!p) return;
    for (uint32_t i = 0; i < p->nstep; i++) {
        situ_dev *d = p->dev[p->step[i].device];
        if (p->step[i].kernel && !p->step[i].lent) d->backend->drop(d, p->step[i].kernel);
    }
    situ_arena_free(&p->arena);
    situ_free(p->launch);
    situ_free(p);
}

static void unlink_plan(situ_plan *p)
{
    situ_plan **at = &table[p->key.a % BUCKETS];
    while (*at != p) at = &(*at)->chain;
    *at = p->chain;
    *(p->newer ? &p->newer->older : &newest) = p->older;
    *(p->older ? &p->older->newer : &oldest) = p->newer;
    p->newer = p->older = NULL;
}

static void link_newest(situ_plan *p)
{
    p->older = newest;
    p->newer = NULL;
    *(newest ? &newest->newer : &oldest) = p;
    newest = p;
}

situ_plan *situ_plan_find(situ_hash key)
{
    situ_plan *p = table[key.a % BUCKETS];
    while (p && !situ_hash_equal(p->key, key)) p = p->chain;
    if (!p) return NULL;
    if (p != newest) {
        *(p->newer ? &p->newer->older : &newest) = p->older;
        *(p->older ? &p->older->newer : &oldest) = p->newer;
        link_newest(p);
    }
    p->refs++;
    counters.reused++;
    return p;
}

static void drop_oldest(void)
{
    situ_plan *p = oldest;
    unlink_plan(p);
    counters.bytes -= (int64_t)p->bytes;
    counters.cached--;
    situ_plan_unref(p);
}

void situ_plan_keep(situ_plan *p)
{
    p->refs = 2; /* one for the cache, one for the caller */
    p->chain = table[p->key.a % BUCKETS];
    table[p->key.a % BUCKETS] = p;
    link_newest(p);
    counters.bytes += (int64_t)p->bytes;
    counters.cached++;
    while (counters.bytes > MOST_BYTES && oldest != p) drop_oldest();
}

void situ_plan_unref(situ_plan *p)
{
    if (p && atomic_fetch_sub(&p->refs, 1) == 1) situ_plan_free(p);
}

void situ_plan_cache_free(void)
{
    while (oldest) drop_oldest();
}

/* Verifies that each step reads only what was computed before, within the arena. */
int situ_plan_verify(const situ_plan *p)
{
    for (uint32_t i = 0; i < p->nstep; i++) {
        const situ_plan_step *s = &p->step[i];
        if (s->device >= p->ndev || s->address + s->naddress > p->naddress || s->word + s->nword > p->nword)
            return situ_fail(SITU_UNSUPPORTED, NULL, "internal error: step %u of a plan points outside it", i);
        if (s->waits_for >= (int32_t)i)
            return situ_fail(SITU_UNSUPPORTED, NULL, "internal error: step %u of a plan waits for a later one", i);
        for (uint32_t k = 0; k < s->naddress; k++) {
            const situ_address *a = &p->address[s->address + k];
            bool bad = a->place >= p->nplace;
            if (!bad && p->place[a->place].kind == SITU_PLACE_ARENA)
                bad = p->place[a->place].offset < 0 || p->place[a->place].offset > p->arena_bytes[p->place[a->place].device];
            if (bad)
                return situ_fail(
                    SITU_UNSUPPORTED, NULL, "internal error: step %u (%s) of a plan has no memory for operand %u", i, s->name, k);
        }
    }
    return 0;
}

void situ_plan_print(FILE *f, const situ_plan *p)
{
    fprintf(f, "plan of %u nodes: %u steps, %u stored, %u updates\n", p->nnode, p->nstep, p->noutput, p->nupdate);
    for (int i = 0; i < p->ndev; i++) {
        char name[32];
        fprintf(f, "  arena on %s: %lld bytes\n", situ_device_name(p->dev[i]->device, name), (long long)p->arena_bytes[i]);
    }
    for (uint32_t i = 0; i < p->nstep; i++) {
        const situ_plan_step *s = &p->step[i];
        char name[32];
        situ_plain_print(f, "  %3u %-8s %-40s %12.0f flop %12.0f bytes%s%s", i, situ_device_name(p->dev[s->device]->device, name),
            s->name, s->flops, s->traffic, s->update ? "  in place" : "", s->can_fail ? "  may fail" : "");
        if (s->waits_for >= 0) fprintf(f, "  after step %d", s->waits_for);
        if (s->beside) fprintf(f, "  these %u in %d lanes", s->beside, s->lanes);
        const char *chosen = "", *refusals = "";
        const situ_backend *backend = p->dev[s->device]->backend;
        if (s->kernel && backend->explain) backend->explain(s->kernel, &chosen, &refusals);
        fprintf(f, "%s%s%s%s%s\n", *chosen ? "  by " : "", chosen, *refusals ? " (" : "", refusals, *refusals ? ")" : "");
    }
}
