/* What a thread has of its own here: counters of the ledger, guards, pushed default devices. On the heap, since the
 * library may be loaded late and thread-local memory is then scarce. */
#ifndef SITU_DEVICE_THREAD_H
#define SITU_DEVICE_THREAD_H

#include "device/device.h"

enum { SITU_TRANSFERS = SITU_TRANSFER_RECOMPUTE + 1, SITU_MOST_GUARDS = 64, SITU_MOST_PUSHED = 256 };

/* A guard; a negative limit is none. */
typedef struct situ_budget {
    int64_t limit[SITU_TRANSFERS], used[SITU_TRANSFERS];
    int64_t bytes_limit, bytes_used, over;
    situ_guard_mode mode;
    bool nan;
} situ_budget;

/* The counters are written by their thread and read by all; the rest is the thread's alone. */
typedef struct situ_device_thread {
    _Atomic int64_t count[SITU_TRANSFERS], bytes[SITU_TRANSFERS];
    _Atomic double seconds;
    int guards, nan_guards, pushed;
    situ_budget guard[SITU_MOST_GUARDS];
    situ_device device[SITU_MOST_PUSHED];
    char why[340], said[320]; /* situ_dev_why's text, and a backend's */
    struct situ_device_thread *next, *previous;
} situ_device_thread;

typedef struct situ_sums {
    int64_t count[SITU_TRANSFERS], bytes[SITU_TRANSFERS];
    double seconds;
} situ_sums;

/* The record of this thread if it has one: reads and does nothing else. */
extern __thread situ_device_thread *situ_thread_record;
/* Is a guard open in this thread that forbids NaN? */
static inline bool situ_guards_nan(void) { return __builtin_expect(situ_thread_record && situ_thread_record->nan_guards, 0); }
/* The record of this thread, made at the first call; NULL: no memory (no error raised). */
situ_device_thread *situ_thread_self(void);
/* Counts into the record of this thread, or where it can have none, into the common one. */
void situ_thread_count(situ_transfer t, int64_t bytes, double seconds);
/* All that was ever counted, by threads that have ended too. */
situ_sums situ_thread_sums(void);

#endif
