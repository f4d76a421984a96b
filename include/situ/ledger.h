/* The ledger: every copy, every wait and what was merged, with its reason and its line. Guards: budgets on copies and waits.
 *
 *     situ_guard guard = situ_guard_open(.to_host = 0);   // from here on, a copy to the host is an error
 *     ...
 *     situ_guard_close(guard);
 */
#ifndef SITU_LEDGER_H
#define SITU_LEDGER_H

#include <situ/device.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum situ_transfer {
    SITU_TRANSFER_LOCAL = 0,     /* reading a tensor of the CPU                  */
    SITU_TRANSFER_UPLOAD = 1,    /* host to device */
    SITU_TRANSFER_DOWNLOAD = 2,  /* device to host                               */
    SITU_TRANSFER_PEER = 3,      /* device to device; on a single device only values that a failed plan restores */
    SITU_TRANSFER_WAIT = 4,      /* the host waited for a device                 */
    SITU_TRANSFER_RECOMPUTE = 5, /* a dropped tensor was computed again         */
    SITU_TRANSFER_MERGE = 6      /* operations were not computed, since one equal to them was: bytes is their number */
} situ_transfer;

typedef enum situ_reason {
    SITU_REASON_COPY = 0,
    SITU_REASON_READ = 1,
    SITU_REASON_PRINT = 2,
    SITU_REASON_ITEM = 3,
    SITU_REASON_CHECKPOINT = 4,
    SITU_REASON_PREFETCH = 5,
    SITU_REASON_COLLECTIVE = 6,
    SITU_REASON_SHAPE = 7,
    SITU_REASON_WAIT = 8,
    SITU_REASON_CREATE = 9,
    SITU_REASON_AHEAD = 10, /* a thread was as far ahead of a device as allowed (situ/runtime.h) */
    SITU_REASON_EQUAL = 11, /* the same operation on the same operands, in one plan */
    SITU_REASONS = 12
} situ_reason;

typedef struct situ_ledger_entry {
    situ_transfer transfer;
    situ_reason reason;
    situ_device from, to;
    int64_t bytes;
    situ_site site;  /* the call site, or NULL */
    uint64_t thread; /* number of the thread */
    double time;     /* seconds since the library's first use       */
    double seconds;  /* duration of a wait, 0 for copies */
} situ_ledger_entry;

typedef struct situ_ledger_totals {
    int64_t local_count, local_bytes;
    int64_t upload_count, upload_bytes;
    int64_t download_count, download_bytes;
    int64_t peer_count, peer_bytes;
    int64_t wait_count;
    double wait_seconds;
    int64_t recompute_count;
} situ_ledger_totals;

/* Sums over all threads since the start (or the last situ_ledger_reset). */
SITU_API situ_ledger_totals situ_ledger_sum(void);
SITU_API void situ_ledger_reset(void);
/* How many recorded operations were not computed in that time, since an equal one of the same plan was: a thousand products of the
 * same two tensors are one product, and 999 that were merged. */
SITU_API int64_t situ_ledger_merged(void);
/* Records a list of the last `most` entries from now on; 0 stops and clears it. */
SITU_API SITU_TOLD int situ_ledger_record(int most);
/* Copies the newest `most` entries, oldest first; returns how many. */
SITU_API int situ_ledger_list(situ_ledger_entry *out, int most);
SITU_API const char *situ_transfer_name(situ_transfer t);
SITU_API const char *situ_reason_name(situ_reason r);

typedef enum situ_guard_mode { SITU_GUARD_FAIL = 0, SITU_GUARD_LOG = 1 } situ_guard_mode;
typedef struct SITU_BY_NAME situ_guard_options {
    SITU_OPTION_HEAD;
    int64_t to_host;      /* = -1 in [-1, inf): copies from a device to the host (reading a CPU tensor does not count) */
    int64_t to_device;    /* = -1 in [-1, inf): copies from the host to a device */
    int64_t peer;         /* = -1 in [-1, inf): copies from device to device */
    int64_t waits;        /* = -1 in [-1, inf): waits */
    int64_t bytes;        /* = -1 in [-1, inf): bytes in all of these */
    situ_guard_mode mode; /* = SITU_GUARD_FAIL: fail: a call that exceeds it is an error; log: it is only counted */
    bool nan;             /* = false: the operation that makes the first NaN is an error, SITU_NAN, in either mode */
} situ_guard_options;
typedef struct situ_guard {
    int32_t depth;
} situ_guard;
/* A budget for this thread until the guard is closed: at most so many of each; -1: no limit. Guards nest; each counts for
 * itself.
 *
 * .nan: what this thread enqueues meanwhile runs one operation after the other (slow), and each result is looked at; the
 * first one with a NaN fails what was enqueued with it, at the line of its operation. No variable is changed then. What
 * an update itself writes is not looked at, the gradients that it reads are. */
SITU_API situ_guard situ_guard_open(const situ_guard_options *options, situ_site site);
/* Closes it and returns how often it was exceeded. */
SITU_API int64_t situ_guard_close(situ_guard guard);

/* Memory of a device in bytes: used by tensors, its peak, allocated from the system, and the limit (0: none). The limit is hard and
 * includes everything that situ allocates on the device, also on the CPU. The CPU's default limit is what the process may use
 * (control groups, RLIMIT_AS and RLIMIT_DATA), less what it and others in its groups use when the CPU is first used, less a
 * sixteenth; there is none without such limits. SITU_CPU_MEMORY=8G in the environment (0: no limit) and situ_memory_limit change
 * it. */
typedef struct situ_memory {
    int64_t in_use, peak, reserved, limit, allocations;
} situ_memory;
SITU_API SITU_TOLD int situ_memory_of(situ_device d, situ_memory *out);
SITU_API SITU_TOLD int situ_memory_limit(situ_device d, int64_t bytes);
SITU_API SITU_TOLD int situ_memory_reset_peak(situ_device d);
/* Returns cached free blocks to the system. */
SITU_API SITU_TOLD int situ_memory_trim(situ_device d);

#ifdef __cplusplus
}
#endif

#include <situ/call/ledger.h>

#endif
