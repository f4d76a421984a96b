/* A thread's data in this folder: counters of the ledger, guards, default devices. On the heap, since the library may
 * be loaded late, when thread-local memory is scarce. */
#ifndef SITU_DEVICE_THREAD_H
#define SITU_DEVICE_THREAD_H

#include "device/device.h"
#include "device/virtual.h"

enum { SITU_TRANSFERS = SITU_TRANSFER_MERGE + 1, SITU_MOST_GUARDS = 64, SITU_MOST_PUSHED = 256 };

/* A guard; a negative limit means none. */
typedef struct situ_budget {
    int64_t limit[SITU_TRANSFERS], used[SITU_TRANSFERS];
    int64_t bytes_limit, bytes_used, over;
    situ_guard_mode mode;
    bool nan;
} situ_budget;

/* The counters are written by their thread and read by all; the rest is private to the thread. */
typedef struct situ_device_thread {
    _Atomic int64_t count[SITU_TRANSFERS], bytes[SITU_TRANSFERS];
    _Atomic double seconds;
    situ_host_thread host; /* its clock */
    int guards, nan_guards, pushed;
    situ_budget guard[SITU_MOST_GUARDS];
    situ_device device[SITU_MOST_PUSHED];
    situ_device first;        /* default where none is pushed, of a binding's set_default_device; kind 0: the process's */
    char why[340], said[320]; /* texts of situ_dev_why, and of a backend */
    struct situ_device_thread *next, *previous;
} situ_device_thread;

typedef struct situ_sums {
    int64_t count[SITU_TRANSFERS], bytes[SITU_TRANSFERS];
    double seconds;
} situ_sums;

/* The record of this thread if it has one; never creates it. */
extern __thread situ_device_thread *situ_thread_record;
/* True if a guard of this thread forbids NaN. */
static inline bool situ_guards_nan(void) { return __builtin_expect(situ_thread_record && situ_thread_record->nan_guards, 0); }
/* The record of this thread, created at the first call; NULL: no memory (no error is raised). */
situ_device_thread *situ_thread_self(void);
/* Counts in the record of this thread, or if it cannot have one, in the common record. */
void situ_thread_count(situ_transfer t, int64_t bytes, double seconds);
/* Sums over all threads, including those that have ended. */
situ_sums situ_thread_sums(void);

#endif
