/* A launch: one run of a plan, with its addresses, words and error word. */
#ifndef SITU_RUN_LAUNCH_H
#define SITU_RUN_LAUNCH_H

#include "plan/plan.h"

enum {
    SITU_OUTBOX_DEVICES = 256, /* more than there can be */
    SITU_MOST_AHEAD = 8
}; /* launches of a thread under way on a device */

/* What a thread started on a device. */
typedef struct situ_sent {
    situ_dev *dev;
    uint64_t stamp;                     /* of the newest job (device/lanes.h)           */
    _Atomic int launches;               /* under way ...                                */
    _Atomic int64_t bytes, nanoseconds; /* ... what they hold, how long they should take */
    int64_t last_bytes;                 /* of the newest                                */
    double last_cost;
    uint32_t count;
    uint64_t recent[SITU_MOST_AHEAD]; /* the newest stamps, a ring                    */
} situ_sent;

/* What a thread started, shared with its launches. */
typedef struct situ_outbox {
    _Atomic int refs;
    situ_failure *_Atomic failure; /* the first failure that no barrier has reported */
    int generation;                /* of the devices: they close at a shutdown       */
    int devices;
    _Atomic int launches; /* under way on all of them                       */
    situ_sent sent[SITU_OUTBOX_DEVICES];
    uint64_t collective; /* stamp on the CPU of its newest call of a group; 0: none */
} situ_outbox;
extern _Atomic int situ_outbox_generation;

typedef struct situ_launch {
    situ_plan *plan;
    situ_outbox *outbox;
    uint64_t number;            /* in the trace; 0: no trace       */
    uint64_t thread, of_thread; /* who launched it, and its number among that thread's; for `situ diff` */
    char **base;                /* by place             */
    int64_t *dynamic;           /* bytes, by dynamic    */
    uint64_t *word;
    situ_site *site;      /* of steps, where one of them may fail */
    const char **speaker; /* of the same steps                    */
    situ_buffer **room;
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
    bool pinned;         /* rooms are: the launch is on its way  */
    _Atomic int *signal; /* by step, only where several devices work */
    void **mark;         /* by step: its place on its device, where that has places to follow */
    double *clock;       /* by step: virtual seconds of its start, and, behind one more, of its end; NULL: not simulated */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int undecided; /* devices that have not run all that comes before the updates */
    bool decided;
    _Atomic int unfinished; /* devices */
    situ_fault fault;
    _Atomic int broken;      /* 1 + the first step of the plan's order that failed, on whatever device; 0: none */
    const char *_Atomic why; /* what the device said of it, NULL: nothing */
    _Atomic int among;       /* how many later launches could be the failing one: the device does not say which */
    _Atomic bool updated;    /* a variable was written over */
    bool failed;             /* and everybody knows */
    struct {
        struct situ_launch *launch;
        int device;
        bool waits;
        uint8_t lane, after;        /* its lane; so many jobs of other lanes come before it       */
        int16_t sent;               /* its place in the outbox, -1: none                          */
        uint32_t started;           /* the first step that is not known to be over                */
        int64_t bytes, nanoseconds; /* see ahead.h                                                */
    } job[SITU_PLAN_DEVICES];
    uint64_t after[2 * SITU_LANES]; /* stamps of those jobs: only one device has lanes            */
} situ_launch;

/* Finds the clocks of a launch that is about to run; NULL: no device is simulated. */
extern void (*_Atomic situ_timeline)(situ_launch *l);
/* Told before a launch's end: what it wrote there is read by no step of it any more. NULL: no device wants to know. */
extern void (*_Atomic situ_forget)(situ_dev *d, void *address, size_t bytes);

/* Memory for everything the plan needs: all or nothing. NULL with an error. */
situ_launch *situ_launch_new(situ_plan *p, const situ_walk *w, situ_site site);
/* Keeps the leaves' memory until the launch is done. */
void situ_launch_hold(situ_launch *l);
/* Hands the work to the devices' queues; runs it here and now if that is better. */
int situ_launch_submit(situ_launch *l, const situ_walk *w, bool will_wait);
/* The calling thread's lane of a device (device/lanes.h); where steps are compared all threads have one. */
uint8_t situ_launch_lane(situ_dev *d);
void situ_launch_free(situ_launch *l);
/* Runs a device's part, a launch's `job`; whose part ends last frees the launch (job.c). */
void situ_launch_job(void *job);
/* Tells all who wait for the launch that it failed; its variables keep their values. */
void situ_launch_spread(situ_launch *l);
/* Whom messages of a step speak for: what the user called, as far as it is known, and which operation of that it is, if another. */
const char *situ_launch_speaker(const situ_launch *l, uint32_t step, const char **part);

situ_outbox *situ_outbox_get(void);
void situ_outbox_unref(situ_outbox *o);

#endif
