/* A launch: one run of a plan, with its addresses, words and error word. */
#ifndef SITU_RUN_LAUNCH_H
#define SITU_RUN_LAUNCH_H

#include "plan/plan.h"

enum {
    SITU_OUTBOX_DEVICES = 256, /* more than can exist */
    SITU_MOST_AHEAD = 8
}; /* launches of a thread under way on a device */

/* The work that a thread started on a device. */
typedef struct situ_sent {
    situ_dev *dev;
    uint64_t stamp;                     /* stamp of the newest job (device/streams.h) */
    _Atomic int launches;               /* number of launches under way ... */
    _Atomic int64_t bytes, nanoseconds; /* ... the memory they hold, and their estimated time */
    int64_t last_bytes;                 /* of the newest launch */
    double last_cost;
    uint32_t count;
    uint64_t recent[SITU_MOST_AHEAD]; /* ring buffer of the newest stamps */
} situ_sent;

/* The work that a thread started, shared with its launches. */
typedef struct situ_outbox {
    _Atomic int refs;
    situ_failure *_Atomic failure; /* the first failure that no wait has reported */
    int generation;                /* generation of the devices, which a shutdown closes */
    int devices;
    _Atomic int launches; /* launches under way on all of them */
    situ_sent sent[SITU_OUTBOX_DEVICES];
    uint64_t collective;  /* stamp on the CPU of its newest collective call; 0: none ... */
    _Atomic double clock; /* ... and the latest virtual time at which all ranks took part in one */
} situ_outbox;
extern _Atomic int situ_outbox_generation;

typedef struct situ_launch {
    situ_plan *plan;
    situ_outbox *outbox;
    uint64_t number;            /* number in the trace; 0: no trace */
    uint64_t thread, of_thread; /* the launching thread, and the launch's number in that thread; for `situ diff` */
    char **base;                /* [location] base address */
    int64_t *dynamic;           /* [dynamic] offsets in bytes */
    uint64_t *word;
    situ_site *site;      /* [step] call sites, if a step may fail */
    const char **speaker; /* [step] functions that messages name */
    situ_buffer **persistent;
    situ_buffer *arena[SITU_PLAN_DEVICES];
    struct {
        situ_buffer *buffer;
        uint32_t place;
        bool owned, pinned, written;
    } * leaf;
    uint32_t leaves;
    struct {
        situ_buffer *before, *after;
        int64_t bytes;
    } * fresh; /* variables that got new memory: `after` */
    uint32_t nfresh;
    bool pinned;         /* output buffers are pinned: the launch is under way */
    _Atomic int *signal; /* [step] flags, only if several devices work */
    void **mark;         /* [step] its mark on its device, if that has marks */
    double *clock;       /* [step] virtual start time in seconds; after one more entry the end times; NULL: not simulated */
    situ_mutex lock;
    situ_condition changed;
    int undecided; /* number of devices that have not run everything before the updates */
    bool decided;
    _Atomic int unfinished; /* number of devices that have not finished */
    situ_fault fault;
    _Atomic int broken;      /* 1 + the first step, in plan order, that failed on any device; 0: none */
    const char *_Atomic why; /* the device's description of the failure, NULL: none */
    _Atomic int among;       /* how many later launches could be the failed one, if the device does not know */
    _Atomic bool updated;    /* a variable was overwritten */
    bool failed;             /* the failure has been passed to all who wait */
    struct {
        struct situ_launch *launch;
        int device;
        bool waits;
        uint8_t lane, after;        /* its lane; number of jobs of other lanes to wait for */
        int16_t sent;               /* its index in the outbox, -1: none */
        uint32_t started;           /* the first step that may not have finished */
        int64_t bytes, nanoseconds; /* see ahead.h */
    } job[SITU_PLAN_DEVICES];
    uint64_t after[2 * SITU_STREAMS]; /* stamps of those jobs; only one device of a launch has lanes */
} situ_launch;

/* Computes the virtual times of a launch that is about to run; NULL: no device is simulated. */
extern void (*_Atomic situ_timeline)(situ_launch *l);
/* Called before a launch ends, with an address whose contents no later step reads. NULL: no device needs it. */
extern void (*_Atomic situ_forget)(situ_dev *d, void *address, size_t bytes);

/* Creates a launch with all memory that the plan needs, or none of it. NULL with an error. */
situ_launch *situ_launch_new(situ_plan *p, const situ_walk *w, situ_site site);
/* Keeps the leaves' memory until the launch is done. */
void situ_launch_hold(situ_launch *l);
/* Submits the work to the devices' queues; or runs it at once if that is better. */
int situ_launch_submit(situ_launch *l, const situ_walk *w, bool will_wait);
/* The calling thread's lane of a device (device/streams.h); a single one for all threads if steps are compared. */
uint8_t situ_launch_stream(situ_dev *d);
void situ_launch_free(situ_launch *l);
/* Runs a device's part, a launch's `job`. The last part to end frees the launch (job.c). */
void situ_launch_job(void *job);
/* Marks everything that waits for the launch as failed; its variables keep their values. */
void situ_launch_spread(situ_launch *l);
/* The function that messages of a step name: the user's call, if known; *part: the operation within it, if another. */
const char *situ_launch_speaker(const situ_launch *l, uint32_t step, const char **part);

situ_outbox *situ_outbox_get(void);
void situ_outbox_unref(situ_outbox *o);

#endif
