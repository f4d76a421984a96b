/* The ledger: per-thread totals, the list, and the guards. */
#include "device/thread.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/runtime.h"
#include "os/lock.h"
#include "os/wait.h"

enum { MOST_ENTRIES = 1 << 24 };

const char *situ_transfer_name(situ_transfer t)
{
    static const char *const names[SITU_TRANSFERS] = {"local", "upload", "download", "peer", "wait", "recompute", "merge"};
    return (unsigned)t < SITU_TRANSFERS ? names[t] : "?";
}

const char *situ_reason_name(situ_reason r)
{
    static const char *const names[SITU_REASONS] = {
        "copy", "read", "print", "item", "checkpoint", "prefetch", "collective", "shape", "wait", "create", "ahead", "equal"};
    return (unsigned)r < SITU_REASONS ? names[r] : "?";
}

double situ_seconds(void)
{
    static _Atomic double first; /* 0: not started; time counts from the machine's start */
    double t = 1e-9 * (double)situ_now(), zero = 0;
    double start = atomic_load_explicit(&first, memory_order_relaxed);
    if (start == 0 && atomic_compare_exchange_strong(&first, &zero, t)) return 0;
    return t - (start == 0 ? zero : start);
}

/* ---- totals ------------------------------------------------------------------------------------------------------ */

SITU_LOCK(lock);            /* `forgotten` and the ring buffer */
static situ_sums forgotten; /* the sums at the last reset */

situ_ledger_totals situ_ledger_sum(void)
{
    situ_mutex_lock(&lock);
    situ_sums s = situ_thread_sums(), f = forgotten;
    situ_mutex_unlock(&lock);
#define COUNT(t) (s.count[t] - f.count[t])
#define BYTES(t) (s.bytes[t] - f.bytes[t])
    return (situ_ledger_totals){.local_count = COUNT(SITU_TRANSFER_LOCAL),
        .local_bytes = BYTES(SITU_TRANSFER_LOCAL),
        .upload_count = COUNT(SITU_TRANSFER_UPLOAD),
        .upload_bytes = BYTES(SITU_TRANSFER_UPLOAD),
        .download_count = COUNT(SITU_TRANSFER_DOWNLOAD),
        .download_bytes = BYTES(SITU_TRANSFER_DOWNLOAD),
        .peer_count = COUNT(SITU_TRANSFER_PEER),
        .peer_bytes = BYTES(SITU_TRANSFER_PEER),
        .wait_count = COUNT(SITU_TRANSFER_WAIT),
        .wait_seconds = s.seconds - f.seconds,
        .recompute_count = COUNT(SITU_TRANSFER_RECOMPUTE)};
#undef COUNT
#undef BYTES
}

int64_t situ_ledger_merged(void)
{
    situ_mutex_lock(&lock);
    int64_t merged = situ_thread_sums().bytes[SITU_TRANSFER_MERGE] - forgotten.bytes[SITU_TRANSFER_MERGE];
    situ_mutex_unlock(&lock);
    return merged;
}

/* ---- the list: a ring buffer ------------------------------------------------------------------------------------- */

static struct {
    situ_ledger_entry *entries;
    int64_t added;
    _Atomic int most; /* read without the lock; 0: nobody asked for a list */
} ring;

int situ_ledger_kept(void) { return ring.most; }

static void close_ring(void) { situ_ledger_record(0); }

void situ_ledger_reset(void)
{
    situ_mutex_lock(&lock);
    forgotten = situ_thread_sums();
    ring.added = 0;
    situ_mutex_unlock(&lock);
}

int situ_ledger_record(int most)
{
    SITU_SPEAK_AT("situ_ledger_record");
    if (most < 0 || most > MOST_ENTRIES)
        return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_ledger_record: %d entries; 0..%d", most, MOST_ENTRIES);
    situ_ledger_entry *entries = most ? situ_malloc((size_t)most * sizeof *entries) : NULL;
    if (most && !entries) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a list of %d ledger entries", most);
    if (most && situ_at_shutdown(SITU_END_RECORDS, close_ring)) {
        situ_free(entries);
        return -situ_error_code;
    }
    situ_mutex_lock(&lock);
    situ_ledger_entry *old = ring.entries;
    ring.entries = entries;
    ring.added = 0;
    ring.most = most;
    situ_mutex_unlock(&lock);
    situ_free(old);
    return 0;
}

int situ_ledger_list(situ_ledger_entry *out, int most)
{
    if (!out || most <= 0) return 0;
    situ_mutex_lock(&lock);
    int64_t n = ring.added < ring.most ? ring.added : ring.most;
    if (n > most) n = most;
    for (int64_t i = 0; i < n; i++) out[i] = ring.entries[(ring.added - n + i) % ring.most];
    situ_mutex_unlock(&lock);
    return (int)n;
}

static void list(const situ_ledger_entry *entry)
{
    situ_ledger_entry e = *entry;
    if (!e.thread) e.thread = situ_thread_number();
    if (e.time == 0) e.time = situ_seconds();
    situ_mutex_lock(&lock);
    if (ring.most) ring.entries[ring.added++ % ring.most] = e;
    situ_mutex_unlock(&lock);
}

/* ---- guards of this thread --------------------------------------------------------------------------------------- */

situ_guard(situ_guard_open)(const situ_guard_options *options, situ_site site)
{
    SITU_SPEAK("situ_guard_open", site);
    situ_guard_options o = {SITU_DEFAULTS(SITU_GUARD_DEFAULTS)};
    if (!SITU_TAKE_OPTIONS(o, options, "situ_guard_open", site)) return (situ_guard){0};
    if (o.mode != SITU_GUARD_FAIL && o.mode != SITU_GUARD_LOG) {
        situ_fail(SITU_BAD_OPTION, site,
            "situ_guard_open: .mode = %d; write " SITU_SAY("SITU_GUARD_FAIL or SITU_GUARD_LOG", "log=False or log=True"),
            (int)o.mode);
        return (situ_guard){0};
    }
    situ_device_thread *t = situ_thread_self();
    if (!t || t->guards == SITU_MOST_GUARDS) {
        if (!t) situ_fail(SITU_NO_MEMORY, site, "situ_guard_open: no memory for a guard");
        else
            situ_fail(SITU_BAD_ARGUMENT, site,
                "situ_guard_open: %d guards are open; each needs its " SITU_SAY("situ_guard_close()", "with block to end"),
                SITU_MOST_GUARDS);
        return (situ_guard){0};
    }
    t->guard[t->guards++] = (situ_budget){.limit = {[SITU_TRANSFER_LOCAL] = -1,
                                              [SITU_TRANSFER_UPLOAD] = o.to_device,
                                              [SITU_TRANSFER_DOWNLOAD] = o.to_host,
                                              [SITU_TRANSFER_PEER] = o.peer,
                                              [SITU_TRANSFER_WAIT] = o.waits,
                                              [SITU_TRANSFER_RECOMPUTE] = -1,
                                              [SITU_TRANSFER_MERGE] = -1},
        .bytes_limit = o.bytes,
        .mode = o.mode,
        .nan = o.nan};
    t->nan_guards += o.nan;
    situ_speakers_wanted += o.nan;
    return (situ_guard){t->guards};
}

int64_t situ_guard_close(situ_guard guard)
{
    situ_device_thread *t = situ_thread_record;
    if (!t || guard.depth <= 0 || guard.depth > t->guards) return 0;
    /* Also closes inner guards that an early return left open. */
    for (; t->guards >= guard.depth; t->guards--) {
        bool nan = t->guard[t->guards - 1].nan;
        t->nan_guards -= nan;
        situ_speakers_wanted -= nan;
    }
    return t->guard[t->guards].over;
}

static bool counts_bytes(situ_transfer t)
{
    return t == SITU_TRANSFER_UPLOAD || t == SITU_TRANSFER_DOWNLOAD || t == SITU_TRANSFER_PEER;
}

static bool count_breaks(const situ_budget *b, situ_transfer t, int64_t count)
{
    return b->limit[t] >= 0 && b->used[t] + count > b->limit[t];
}

static bool bytes_break(const situ_budget *b, situ_transfer t, int64_t bytes)
{
    return b->bytes_limit >= 0 && counts_bytes(t) && b->bytes_used + bytes > b->bytes_limit;
}

static int fail_budget(const situ_budget *b, situ_transfer t, int64_t bytes, bool count, situ_site site)
{
    static const char *const what[SITU_TRANSFERS] = {
        "reads", "copies to a device", "copies to the host", "copies between devices", "waits", "recomputations", "merges"};
    static const char *const option[SITU_TRANSFERS] = {"local", "to_device", "to_host", "peer", "waits", "recompute", "merge"};
    char text[24];
    if (count)
        return situ_fail(SITU_BUDGET, site,
            "a guard allows %lld %s here (.%s = %lld) and %lld %s used; do without this one, or give the guard more",
            (long long)b->limit[t], what[t], option[t], (long long)b->limit[t], (long long)b->used[t],
            b->used[t] == 1 ? "is" : "are");
    return situ_fail(SITU_BUDGET, site,
        "a guard allows %lld bytes of copies here (" SITU_SAY(
            ".bytes", "bytes") "), %lld are used, and this %s has %s; copy less, or give the guard more",
        (long long)b->bytes_limit, (long long)b->bytes_used, situ_transfer_name(t), situ_bytes_text(bytes, text));
}

int situ_ledger_allow(situ_transfer k, int64_t count, int64_t bytes, situ_site site)
{
    situ_device_thread *t = situ_thread_record;
    if ((unsigned)k >= SITU_TRANSFERS) return situ_fail(SITU_BAD_ARGUMENT, site, "transfer %d is unknown", (int)k);
    for (int i = t ? t->guards - 1 : -1; i >= 0; i--) {
        situ_budget *b = &t->guard[i];
        if (b->mode != SITU_GUARD_FAIL) continue;
        bool over = count_breaks(b, k, count);
        if (!over && !bytes_break(b, k, bytes)) continue;
        b->over++;
        return fail_budget(b, k, bytes, over, site);
    }
    return 0;
}

void situ_ledger_add(const situ_ledger_entry *e)
{
    if (!e || (unsigned)e->transfer >= SITU_TRANSFERS) return;
    situ_device_thread *t = situ_thread_record;
    for (int i = 0; t && i < t->guards; i++) {
        situ_budget *b = &t->guard[i];
        if (b->mode == SITU_GUARD_LOG && (count_breaks(b, e->transfer, 1) || bytes_break(b, e->transfer, e->bytes))) b->over++;
        b->used[e->transfer]++;
        if (counts_bytes(e->transfer)) b->bytes_used += e->bytes;
    }
    situ_thread_count(e->transfer, e->bytes, e->seconds);
    if (atomic_load_explicit(&ring.most, memory_order_relaxed)) list(e);
}
