/* Private declarations of CUDA devices. A device has three streams: kernels and copies between devices go to `compute`
 * in the order of the plan; `up` and `down` carry uploads and downloads through pinned memory. `compute` and `down`
 * wait for earlier uploads by events; the host waits for its downloads.  launch and copy only start work. finish waits
 * for it and finds which launch failed. */
#ifndef SITU_BACKEND_CUDA_CUDA_H
#define SITU_BACKEND_CUDA_CUDA_H

#include "backend/cuda/api.h"
#include "base/hash.h"
#include "device/backend.h"
#include "os/lock.h"
#include "plan/kernel.h"

enum {
    SITU_CUDA_FAULTS = 64, /* launches that can fail between two waits */
    SITU_CUDA_GUARD = SITU_CUDA_FAULTS,
    SITU_CUDA_CLEAR,
    SITU_CUDA_WORDS,      /* additional error words: the guard's, and one that is never set */
    SITU_CUDA_STAGES = 8, /* pieces of pinned memory for uploads */
    SITU_CUDA_STAGE_BYTES = 2 << 20
};

/* Pinned memory; the event `done` marks the end of the copy that uses it. */
typedef struct situ_cuda_stage {
    void *host;
    cu_event done;
    bool used;
} situ_cuda_stage;

/* The error word of a launch as in codegen/call_text.h, padded. */
typedef struct situ_cuda_fault {
    int32_t set, code;
    int64_t value, bound, place;
} situ_cuda_fault;

typedef struct situ_cuda {
    cu_device device;
    cu_context context;
    cu_uuid uuid;
    int major, minor;
    int64_t memory;
    _Atomic int64_t used;     /* bytes allocated */
    bool waits;               /* SITU_CUDA_SYNC: waits after each launch */
    const char *_Atomic lost; /* the error that ended it; no call can succeed any more */
    _Atomic int target;       /* program.c: the target architecture for NVRTC */
    situ_hash identity;       /* hash of card, driver and compiler, for the cache */

    situ_known_lock known[3];
    situ_mutex lock; /* protects what follows, and calls on `compute` */
    cu_stream compute;
    cu_event point;                /* an event in `compute` */
    struct situ_cuda_place *marks; /* list of unused events */
    uint64_t seen;                 /* number of uploads that `compute` has waited for */
    uint64_t peers;                /* bit mask of devices whose peer access was queried */
    uint64_t finishes;
    int failed;       /* the first error since the last finish that no caller was told */
    int64_t launched; /* launches since the last finish */
    int faults;       /* error words in use */
    int64_t fault_launch[SITU_CUDA_FAULTS];
    cu_address fault_at;
    situ_cuda_fault *fault_host;    /* pinned */
    struct situ_cuda_kernel *guard; /* guard.c */
    bool guarding;                  /* since the last finish: updates check the guard's word */
    bool updating;                  /* ... and one has been started */
    bool faulty;                    /* `found` is the first fault since the last finish */
    situ_cuda_fault found;
    int64_t found_launch;
    struct situ_cuda_batch *batch;        /* graph.c */
    const char *_Atomic uncaptured;       /* why a library's work was not captured into a graph, or NULL */
    struct situ_cuda_matmuls *matmuls;    /* matmul.c */
    struct situ_cuda_dnn *dnn;            /* convolution.c */
    struct situ_cuda_scratch *workspaces; /* scratch.c */

    situ_mutex up_lock;
    cu_stream up;
    cu_event up_last;
    _Atomic uint64_t uploads;
    int up_next;
    situ_cuda_stage up_stage[SITU_CUDA_STAGES];

    situ_mutex down_lock;
    cu_stream down;
    uint64_t down_seen;
    situ_cuda_stage down_stage[2];
} situ_cuda;

extern const situ_backend situ_backend_cuda;
/* Watts that a card draws and degrees Celsius that it has; left alone where its driver does not say, and of other devices. */
void situ_cuda_sense(situ_dev *d, double *watts, double *celsius);

/* ---- context.c ----------------------------------------------------------------------------------------------------- */

/* Makes the device's context current in this thread, until leave restores the program's. 0, or a negative code: the
 * device is lost. */
int situ_cuda_enter(situ_cuda *s, cu_context *before);
/* The same before freeing; continues even if the device is lost. */
void situ_cuda_enter_to_free(situ_cuda *s, cu_context *before);
void situ_cuda_leave(cu_context before);
/* The negative situ_code for a result of `call` (0 for 0). Records the error for situ_cuda_why, and whether it means
 * that the device is lost. */
int situ_cuda_code(situ_cuda *s, int result, const char *call);
/* Describes the last call that failed in this thread: "cuStreamEndCapture: CUDA_ERROR_..."; "" if none did. */
const char *situ_cuda_said(void);
void situ_cuda_forget_said(void);
/* SITU_TF32=1: f32 may be rounded to TF32 before multiplication. */
bool situ_cuda_tf32(void);
#define SITU_CUDA_TRY(s, call, ...) situ_cuda_code(s, situ_cuda_driver()->call(__VA_ARGS__), "cu" #call)

/* ---- memory.c: slots of the vtable ------------------------------------------------------------------------------------ */

int situ_cuda_alloc(situ_dev *d, size_t bytes, void **address);
void situ_cuda_free(situ_dev *d, void *address, size_t bytes);
int situ_cuda_upload(situ_dev *d, void *to, const void *from_host, size_t bytes);
int situ_cuda_download(situ_dev *d, void *to_host, const void *from, size_t bytes);
int situ_cuda_copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes);
void *situ_cuda_mark(situ_dev *d);
int situ_cuda_follow(situ_dev *d, situ_dev *marked, void *mark);
void situ_cuda_unmark(situ_dev *marked, void *mark);
void situ_cuda_close_marks(situ_cuda *s);
/* Makes `compute` wait for all uploads to `source` so far. Called under s->lock. */
int situ_cuda_after_uploads(situ_cuda *s, situ_cuda *source);

/* ---- scratch.c: memory that all library calls share -------------------------------------------------------------------- */

typedef struct situ_cuda_scratch situ_cuda_scratch;
/* A piece of at least `bytes`, whose address stays the same until it is released; NULL: no memory. Raises no error.
 * Called without s->lock, and so is the release. */
situ_cuda_scratch *situ_cuda_scratch_take(situ_dev *d, size_t bytes);
/* To be called when no running work uses it any more. NULL is fine. */
void situ_cuda_scratch_give(situ_cuda *s, situ_cuda_scratch *w);
/* NULL for NULL. */
char *situ_cuda_scratch_address(const situ_cuda_scratch *w);

/* ---- program.c ------------------------------------------------------------------------------------------------------ */

/* The compiled module of a text, from the cache on disk or compiled and stored there; NULL with an error that quotes
 * the compiler. */
cu_module situ_cuda_program(situ_cuda *s, const char *text, const char *name);

#endif
