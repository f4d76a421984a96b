/* Who touched which 4 bytes last. Two works that touch the same ones, one writing, have to be ordered by a stream, an
 * event or a wait of the host; two threads of a kernel by a barrier of their block. */
#include "fake.h"

#include <string.h>
#include <sys/mman.h>

enum { WORKS = 1 << 26 };

typedef struct work_entry { uint32_t seq; uint16_t slot; int16_t node; } work_entry;
static work_entry *works; /* by number; in one place, since the executor looks without a lock */
static uint32_t newest;

void fake_clock_join(fake_clock *into, const fake_clock *more)
{
    for (int i = 0; i < FAKE_SLOTS; i++)
        if (into->at[i] < more->at[i]) into->at[i] = more->at[i];
}

uint32_t fake_work_number(fake_work *w)
{
    if (!works) {
        void *p = mmap(NULL, WORKS * sizeof *works, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) return 1;
        works = p;
    }
    uint32_t n = __atomic_add_fetch(&newest, 1, __ATOMIC_RELAXED);
    if (n < WORKS && w) works[n] = (work_entry){w->seq, (uint16_t)w->slot, (int16_t)(w->graph_run ? w->node + 1 : 0)};
    return n;
}

/* Was the work of that number finished, by the rules, before this one began? */
static bool ordered(uint32_t before, const fake_work *w)
{
    if (before >= WORKS || w->number >= WORKS) return true;
    const work_entry *b = &works[before];
    if (w->graph_run && b->node && b->slot == w->slot && b->seq == w->seq) return fake_replay_ordered(w->graph_run, b->node - 1, w->node);
    if (b->slot == w->slot) return b->seq <= w->seq;
    return w->clock.at[b->slot] >= b->seq;
}

static const char *name_of(const fake_work *w)
{
    static const char *const names[] = {"kernel", "copy", "set", "record", "wait", "host function", "graph", "call", "child graph"};
    if (w->kind == WORK_CALL) return w->is.call.name;
    return w->kind == WORK_KERNEL ? w->is.launch.function->kernel->name : names[w->kind];
}

static void race(const fake_work *w, const fake_block *b, const char *what)
{
    fakecuda_violation("race: %s on device %d %s of %s block %d that no event or wait orders before it", name_of(w), w->device, what,
                       b->device < 0 ? "pinned" : "device", b->number);
}

static void inner_race(const fake_work *w, const fake_block *b, bool write)
{
    fakecuda_violation("race: two threads of kernel %s %s the same 4 bytes of block %d with no barrier between", name_of(w),
                       write ? "touch, one writing," : "read and write", b->number);
}

/* Did another thread of this kernel, unordered with this one, do that? */
static bool meets(const fake_toucher *t, uint32_t thread, uint32_t span)
{
    /* of parts of 4 bytes it is not known which */
    if (thread == t->thread || thread == FAKE_PART_THREAD || t->thread == FAKE_PART_THREAD) return false;
    return span == t->span || span < t->first_span;
}

static void wrote(const fake_toucher *t, fake_granule *g, const fake_block *b)
{
    const fake_work *w = t->work;
    int mine = w->slot % FAKE_READERS;
    if (g->writer == w->number) {
        if (meets(t, g->writer_thread, g->writer_span)) inner_race(w, b, true);
    } else if (g->writer && !ordered(g->writer, w)) {
        race(w, b, "overwrites what another work writes");
    }
    for (int i = 0; i < FAKE_READERS; i++) {
        if (!g->reader[i]) continue;
        if (g->reader[i] != w->number) {
            if (!ordered(g->reader[i], w)) race(w, b, "overwrites what another work reads");
        } else if (i == mine && meets(t, g->reader_thread, g->reader_span)) {
            inner_race(w, b, true);
        }
        g->reader[i] = 0;
    }
    g->writer = w->number;
    g->writer_thread = t->thread;
    g->writer_span = t->span;
}

static void did_read(const fake_toucher *t, fake_granule *g, const fake_block *b)
{
    const fake_work *w = t->work;
    uint32_t *reader = &g->reader[w->slot % FAKE_READERS];
    if (g->writer == w->number) {
        if (meets(t, g->writer_thread, g->writer_span)) inner_race(w, b, false);
    } else if (g->writer) {
        if (!ordered(g->writer, w)) race(w, b, "reads what another work writes");
    } else if (b->device >= 0 && w->kind == WORK_KERNEL) {
        fakecuda_violation("uninitialised: kernel %s reads what nothing has written, in block %d", name_of(w), b->number);
        g->writer = w->number; /* said once */
        g->writer_thread = t->thread;
        g->writer_span = t->span;
    }
    if (*reader == w->number && g->reader_thread != t->thread && (g->reader_span == t->span || g->reader_span < t->first_span)) {
        /* readers of other blocks stay until the kernel ends: nothing orders them */
        if (g->reader_span < t->first_span) g->reader_span = 0;
        g->reader_thread = FAKE_MANY_THREADS;
        if (g->reader_span) g->reader_span = t->span;
    } else {
        g->reader_thread = t->thread;
        g->reader_span = t->span;
    }
    *reader = w->number;
}

static int outside(const fake_work *w, const fake_block *b, uintptr_t p, size_t bytes, bool write)
{
    const char *verb = write ? "writes" : "reads";
    if (!b) return fake_refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "bounds: %s %s %zu bytes that belong to no block", name_of(w), verb, bytes);
    if (p < b->low || p + bytes > b->high)
        return fake_refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "bounds: %s %s %zu bytes at %lld of block %d of %zu", name_of(w), verb, bytes,
                           (long long)p - (long long)b->low, b->number, (size_t)(b->high - b->low));
    if (b->alive) return 0;
    if (!b->dying || w->number > b->freed_at)
        return fake_refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "free: %s %s block %d, which is freed", name_of(w), verb, b->number);
    fakecuda_violation("free: block %d was freed while queued work (%s) still uses it", b->number, name_of(w));
    return 0;
}

static int reachable(const fake_work *w, const fake_block *b)
{
    if (b->device < 0 || b->device == w->device || w->kind == WORK_COPY) return 0;
    if (fake_context(w->device)->peer[b->device]) return 0;
    return fake_refuse(CUDA_ERROR_ILLEGAL_ADDRESS, "device: %s on device %d touches block %d of device %d without peer access", name_of(w),
                       w->device, b->number, b->device);
}

int fake_touch(const fake_toucher *t, uintptr_t p, size_t bytes, bool write)
{
    fake_block *b = fake_block_at(p);
    int code = outside(t->work, b, p, bytes, write);
    if (!code) code = reachable(t->work, b);
    if (code || !bytes || !b->shadow) return code;
    if (b->touched[t->work->slot] < t->work->seq) b->touched[t->work->slot] = t->work->seq;
    if (!fake_set.track) return 0;
    fake_toucher part = *t;
    part.thread = FAKE_PART_THREAD;
    size_t first = (p - b->low) / 4, last = (p + bytes - 1 - b->low) / 4;
    for (size_t i = first; i <= last; i++) {
        uintptr_t low = b->low + 4 * i;
        const fake_toucher *who = p > low || p + bytes < low + 4 ? &part : t;
        if (write) wrote(who, &b->shadow[i], b);
        else did_read(who, &b->shadow[i], b);
    }
    return 0;
}
