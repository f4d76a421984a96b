/* Events for the trace (situ/profile.h). Code that works adds them if situ_tracing() is true. */
#ifndef SITU_DEVICE_TRACE_H
#define SITU_DEVICE_TRACE_H

#include <situ/profile.h>

#include "device/device.h"

typedef enum situ_track {
    SITU_TRACK_HOST,    /* a thread of the program */
    SITU_TRACK_COMPUTE, /* steps of a device */
    SITU_TRACK_UPLOAD,
    SITU_TRACK_DOWNLOAD,
    SITU_TRACK_PEER,   /* its copies to another device */
    SITU_TRACK_MEMORY, /* memory used by its tensors, drawn as a curve */
    SITU_TRACKS
} situ_track;

typedef struct situ_trace_event {
    const char *name; /* copied */
    situ_site site;   /* or NULL */
    situ_track track;
    situ_device device;
    int32_t lane;                      /* of concurrent steps: 0, 1, ... */
    uint64_t thread;                   /* 0: the calling thread */
    double start, end;                 /* from situ_seconds() */
    double virtual_start, virtual_end; /* in simulated seconds; equal: not simulated */
    int64_t bytes;                     /* moved, or in use; 0: none */
    uint64_t starts, started_by;       /* number of a launch: starts, for the host's call; started_by, for its steps; 0: none */
} situ_trace_event;

extern _Atomic bool situ_trace_on;
static inline bool situ_tracing(void) { return __builtin_expect(atomic_load_explicit(&situ_trace_on, memory_order_relaxed), 0); }
void situ_trace_add(const situ_trace_event *e);
/* Visits the recorded events, oldest first, under the trace's lock. */
void situ_trace_visit(void (*visit)(void *self, const situ_trace_event *e), void *self);
/* The number of a new launch: 1, 2, ...; 0 while tracing is off. */
uint64_t situ_trace_launch(void);

#endif
