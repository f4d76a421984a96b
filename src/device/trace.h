/* Events for the trace (situ/profile.h): who works adds them where situ_tracing() says that somebody listens. */
#ifndef SITU_DEVICE_TRACE_H
#define SITU_DEVICE_TRACE_H

#include <situ/profile.h>

#include "device/device.h"

typedef enum situ_track {
    SITU_TRACK_HOST,    /* a thread of the program          */
    SITU_TRACK_COMPUTE, /* a device's steps                 */
    SITU_TRACK_UPLOAD,
    SITU_TRACK_DOWNLOAD,
    SITU_TRACK_PEER,   /* its copies */
    SITU_TRACK_MEMORY, /* what its tensors use: a curve    */
    SITU_TRACKS
} situ_track;

typedef struct situ_trace_event {
    const char *name; /* copied                                                   */
    situ_site site;   /* or NULL                                                  */
    situ_track track;
    situ_device device;
    int32_t lane;                      /* of steps side by side: 0, 1, ...                         */
    uint64_t thread;                   /* 0: the calling one                                       */
    double start, end;                 /* situ_seconds()                                           */
    double virtual_start, virtual_end; /* simulated seconds; equal: not simulated                 */
    int64_t bytes;                     /* moved, or in use; 0: none                                */
    uint64_t starts, started_by;       /* a launch's number: the host's call, and its steps; 0: none */
} situ_trace_event;

extern _Atomic bool situ_trace_on;
static inline bool situ_tracing(void) { return __builtin_expect(atomic_load_explicit(&situ_trace_on, memory_order_relaxed), 0); }
void situ_trace_add(const situ_trace_event *e);
/* What is kept, oldest first, under the trace's lock. */
void situ_trace_visit(void (*visit)(void *self, const situ_trace_event *e), void *self);
/* The number of a launch: 1, 2, ...; 0 while nobody listens. */
uint64_t situ_trace_launch(void);

#endif
