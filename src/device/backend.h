/* The backend contract: what a folder under src/backend/ gives to the library.
 *
 * A device is opened at its first use and then lives until situ_shutdown. Work reaches it in order: on a device with
 * `host_queue` the steps of a plan are run one by one on the device's queue thread (or in the caller when the queue is
 * idle and the work is small). Every slot works at once; only where there is a `finish`, launch and copy just start
 * work on a stream of the device's own, in order. */
#ifndef SITU_DEVICE_BACKEND_H
#define SITU_DEVICE_BACKEND_H

#include <stdatomic.h>
#include <situ/device.h>
#include <situ/ledger.h>

#include "os/thread.h"

typedef struct situ_backend situ_backend;
typedef struct situ_dev situ_dev;
typedef struct situ_buffer situ_buffer;
struct situ_call_desc;   /* graph/op.h: a structured operation */
struct situ_kernel_desc; /* plan/kernel.h: a fused group or a structured operation */
struct situ_fused;       /* plan/kernel.h */

/* Where the addresses of a device without real ones begin: no address of a process, with or without tagged pointers. */
#define SITU_FIRST_ADDRESS ((uintptr_t)0x8080 << 48)

/* The error word of a launch, which keeps the first fault of a kernel. Kernels of any thread write it. */
typedef struct situ_fault {
    _Atomic int code;      /* a situ_code, 0: none */
    _Atomic int step;      /* the plan's step that failed */
    _Atomic int64_t value; /* the offending value (an index), for the message */
    _Atomic int64_t bound; /* the bound that it violates */
    _Atomic int64_t place; /* 1 + its position among the indices; 0: unknown */
} situ_fault;
/* True if it was the first fault. */
static inline bool situ_fault_set_at(situ_fault *f, int code, int64_t value, int64_t bound, int64_t place)
{
    int none = 0;
    if (!f || !atomic_compare_exchange_strong(&f->code, &none, code)) return false;
    f->value = value;
    f->bound = bound;
    f->place = place;
    return true;
}
static inline bool situ_fault_set(situ_fault *f, int code, int64_t value, int64_t bound)
{
    return situ_fault_set_at(f, code, value, bound, 0);
}

struct situ_backend {
    const char *name;
    situ_device_kind kind;
    bool host_queue;
    bool simulated; /* the virtual clock alone tells when its work is done */
    bool bit_equal;
    bool keeps_values;   /* an address is only a number, and free drops the value there: no block is kept for reuse */
    bool row_programs;   /* supports row programs (plan/kernel.h) */
    bool host_calls;     /* runs structured operations by their host functions */
    bool shares_threads; /* kernels use the host's threads: small steps may run concurrently, a group may be a call's post-op */
    /* The number of devices; if 0, the reason in `reason`. Never fails, and may be called often. */
    int (*count)(char *reason, size_t size);
    int (*open)(situ_dev *d);
    void (*close)(situ_dev *d);
    /* Allocates device memory; 0, or -SITU_DEVICE_MEMORY without raising an error (the caller tries again, then raises
     * it). */
    int (*alloc)(situ_dev *d, size_t bytes, void **address);
    void (*free)(situ_dev *d, void *address, size_t bytes);
    int (*upload)(situ_dev *d, void *to, const void *from_host, size_t bytes);
    int (*download)(situ_dev *d, void *to_host, const void *from, size_t bytes);
    /* Copies from any device that this one can reach (the backend of `from` may be another only if `reaches` says so),
     * else through the host. */
    int (*copy)(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes);
    /* Compiles a kernel for this device; NULL with an error. Kernels are immutable and shared by threads. */
    void *(*compile)(situ_dev *d, const struct situ_kernel_desc *desc);
    void (*drop)(situ_dev *d, void *kernel);
    /* address: outputs, inputs, workspace in the order of the kernel's description; argument: its scalar words. */
    int (*launch)(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault);
    int (*info)(situ_dev *d, situ_device_info *out);
    /* Optional: lists the processes that use the device (PID and bytes); returns how many, or -1 if unknown. */
    int (*processes)(situ_dev *d, situ_device_process *out, int most);
    /* Optional: called once the CPU is open. */
    void (*cpu_opened)(void);
    /* Optional, if there are devices: which libraries are missing, what replaces them, and why; "" if none. */
    void (*lacks)(char *text, size_t size);
    /* Optional, for asynchronous devices, where launch and copy only start work: waits until all started work is done.
     * If a kernel has failed since the last finish, sets *fault (may be NULL), and *which, the index of its launch,
     * counted from 0; -1: unknown. Returns 0, or a negative code: then any launch since may be what failed; with
     * *fault set as well, no `guarded` kernel has been started. What upload writes is visible to all work started
     * later; from a job of the device's queue, upload comes after all work started before. download reads only what
     * finish has waited for. */
    int (*finish)(situ_dev *d, situ_fault *fault, int64_t *which);
    /* Optional, with finish: marks the end of all work started so far; NULL: use finish instead. Work that `d` starts
     * after follow(d, mark) runs after the mark, on any device of this backend; without `d` the caller waits for it.
     * unmark releases the mark, from any thread. */
    void *(*mark)(situ_dev *d);
    int (*follow)(situ_dev *d, situ_dev *marked, void *mark);
    void (*unmark)(situ_dev *marked, void *mark);
    /* Optional, with finish: from now until finish, `guarded` steps (which overwrite variables) do nothing on the
     * device if a kernel started since the last finish has set its error word. False: the caller must call finish
     * first. */
    bool (*guard)(situ_dev *d);
    /* Optional: describes the last failure of a slot in this thread; "" if nothing is known. */
    const char *(*why)(situ_dev *d);
    /* Optional: computes one element of an elementwise operation (its code) on operands of one dtype, in the caller.
     * False: not supported. */
    bool (*element)(int el, int dtype, void *out, const void *a, const void *b, const void *c);
    /* Optional: which implementation a kernel uses, and which ones refused and why ("" if none). */
    void (*explain)(const void *kernel, const char **chosen, const char **refusals);
    /* Optional: does it compile this composite as a call of its own, instead of its expansion? Strides of operands are
     * not known yet: they will be contiguous (any, if the operation is strided). */
    bool (*claims)(const struct situ_call_desc *call);
    /* Optional: number of elements of a packed copy of this product's second operand, in the order in which the kernel
     * reads it. A plan that multiplies by it several times makes the copy once, by the operation `packed`, and passes
     * it as third operand. 0: packing would gain nothing. */
    int64_t (*packs)(const struct situ_call_desc *product);
    /* Optional: can this product never fail, not even for lack of memory? Then updates of variables may come before
     * it. */
    bool (*sure)(const struct situ_call_desc *product);
    /* Optional: does it compile this call with this post-op (plan/kernel.h) as one kernel? Asked before memory is laid
     * out, while the post-op grows; compile must then accept it. */
    bool (*takes)(situ_dev *d, const struct situ_call_desc *call, const struct situ_fused *post_op);
    /* Optional: bytes of workspace that this backend's kernel needs (0: none), if not those of the operation; its
     * address is the last one. */
    size_t (*workspace)(const struct situ_kernel_desc *desc);
};

enum { SITU_STREAMS = 32 };

struct situ_dev {
    const situ_backend *backend;
    situ_device device;                            /* its public name */
    int index;                                     /* its index within the backend */
    void *state;                                   /* data of the backend */
    struct situ_queue *queue;                      /* base/queue.h, if backend->host_queue */
    struct situ_queue *_Atomic lane[SITU_STREAMS]; /* additional queues, from 1 on (streams.h) */
    situ_buffer *arena[SITU_STREAMS]; /* [lane] arena of the newest launch, while it lives; protected by the lock of its pages */
    struct situ_pages *pages;         /* device/memory.c */
    bool parallel;                    /* kernels may use the thread pool */
    _Atomic int senders;              /* number of threads with launches under way here */
    _Atomic double clock;             /* virtual seconds: the end of its queue's last job */
};

/* The virtual clock of the calling thread: simulated seconds, which only simulated work advances. A host thread's
 * clock advances with its own copies, and to the end of what it waits for; in a job of a queue it is the time of the
 * running step. Starts and ends follow from the program and its dependencies, never from real time. */
extern __thread double situ_virtual;
static inline void situ_virtual_reach(double seconds)
{
    if (situ_virtual < seconds) situ_virtual = seconds;
}

/* The opened device, or NULL with an error that says which devices exist and why this one does not. Cheap after the
 * first call. */
situ_dev *situ_dev_open(situ_device d, situ_site site);
/* Does the device exist? Opens nothing and raises nothing. */
bool situ_dev_exists(situ_device d);

/* ---- memory: reference-counted buffers ------------------------------------------------------------------------- */

/* Describes a tensor's memory in an out-of-memory message. */
typedef struct situ_label {
    const char *name; /* name of the tensor or the operation, static or interned */
    situ_site site;
    uint8_t dtype, ndim;
    int64_t dim[8];
} situ_label;

struct situ_buffer {
    _Atomic uint64_t holds; /* number of owners, and in the upper half number of pins; the memory is freed with the last of both */
    bool borrowed;          /* a user's memory: read-only, never overwritten */
    situ_dev *dev;
    char *address;
    size_t bytes;
    _Atomic uint64_t ready;              /* stamp (streams.h) of the launch that writes it */
    _Atomic uint32_t readers;            /* bit mask of the lanes whose launches have read it since */
    _Atomic bool launched;               /* a launch uses or has used it */
    int8_t arena;                        /* the lane whose arena it is, or -1 */
    _Atomic double clock;                /* virtual seconds at which its contents were complete */
    struct situ_failure *_Atomic failed; /* why its contents could not be computed, graph/failure.h */
    struct situ_failure *_Atomic missed; /* why a variable's next value could not be computed; the old value stays valid */
    void (*release)(void *self);         /* borrowed: called when the last reference is released */
    void *self;
    situ_label label;
    situ_buffer *next, *previous; /* list of the device's live buffers */
};
/* Uninitialised memory of at least max(bytes, 1), 64-byte aligned; NULL with an error: over the limit (after freeing
 * cached blocks) the message lists the largest live buffers by name, shape, call site and size, and what is free. */
situ_buffer *situ_buffer_new(situ_dev *d, size_t bytes, const situ_label *label, situ_site site);
situ_buffer *situ_buffer_borrow(situ_dev *d, void *address, size_t bytes, void (*release)(void *), void *self);
/* Memory for the intermediate values of a launch on this lane. Launches of a lane run one after the other, so they
 * share it. */
situ_buffer *situ_buffer_arena(situ_dev *d, int lane, size_t bytes, const situ_label *label, situ_site site);
/* Size of the arena that launches on this lane use now; 0: none is under way. */
int64_t situ_buffer_arena_bytes(situ_dev *d, int lane);
static inline situ_buffer *situ_buffer_ref(situ_buffer *b)
{
    atomic_fetch_add(&b->holds, 1);
    return b;
}
void situ_buffer_unref(situ_buffer *b); /* NULL is fine */
/* A pin is held by a launch in flight on the buffer's own queue. Later work of that queue may still overwrite the
 * buffer, so pins do not count as owners: whether a variable is updated in place must not depend on how far the queue
 * is. */
#define SITU_BUFFER_PIN ((uint64_t)1 << 32)
static inline void situ_buffer_pin(situ_buffer *b) { atomic_fetch_add(&b->holds, SITU_BUFFER_PIN); }
void situ_buffer_unpin(situ_buffer *b);
static inline uint32_t situ_buffer_owners(situ_buffer *b) { return (uint32_t)atomic_load(&b->holds); }

/* ---- ledger -------------------------------------------------------------------------------------------------------- */

/* Would one more transfer exceed a guard of this thread? 0, or raises SITU_BUDGET with the guard's limit and call
 * site. */
int situ_ledger_allow(situ_transfer t, int64_t count, int64_t bytes, situ_site site);
/* Records it, in the thread that asked for it. */
void situ_ledger_add(const situ_ledger_entry *entry);
int situ_ledger_kept(void); /* largest number of entries in its list, 0: nobody asked for a list */
double situ_seconds(void);  /* seconds since the library's first use */

#endif
