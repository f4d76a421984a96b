/* The backend contract: what a folder under src/backend/ gives to the library.
 *
 * A device is opened at its first use and then lives until situ_shutdown. Work reaches it in order: on a device with
 * `host_queue` the steps of a plan are run one by one on the device's queue thread (or in the caller when the queue is
 * idle and the work is small). Every slot works at once; only where there is a `finish`, launch and copy just start work
 * on a stream of the device's own, in order.
 */
#ifndef SITU_DEVICE_BACKEND_H
#define SITU_DEVICE_BACKEND_H

#include <pthread.h>
#include <stdatomic.h>
#include <situ/device.h>
#include <situ/ledger.h>

typedef struct situ_backend situ_backend;
typedef struct situ_dev situ_dev;
typedef struct situ_buffer situ_buffer;
struct situ_call_desc;   /* graph/op.h: a structured operation */
struct situ_kernel_desc; /* plan/kernel.h: a fused group or a structured operation */
struct situ_fused;       /* plan/kernel.h */

/* Where a device without addresses of its own counts from: no address of a process, with and without tagged pointers. */
#define SITU_FIRST_ADDRESS ((uintptr_t)0x8080 << 48)

/* The error word of one launch: the first fault of a kernel stays. Written by kernels of any thread. */
typedef struct situ_fault {
    _Atomic int code;      /* a situ_code, 0: none                                    */
    _Atomic int step;      /* the step of the plan that failed                        */
    _Atomic int64_t value; /* the offending value (an index), for the message         */
    _Atomic int64_t bound; /* the bound it broke                                      */
    _Atomic int64_t place; /* 1 + where it stands among the indices; 0: not known     */
} situ_fault;
/* True: it was the first. */
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
    bool bit_equal;
    bool keeps_values;   /* an address is only a number, and free takes what lies there: no block is kept for reuse */
    bool row_programs;   /* runs row programs (plan/kernel.h) */
    bool host_calls;     /* structured operations are done by their host functions */
    bool shares_threads; /* kernels use the host's threads: small steps may run side by side, a group may be a call's post-op */
    /* How many devices there are; where 0, why, in `reason`. Never fails, may be called often. */
    int (*count)(char *reason, size_t size);
    int (*open)(situ_dev *d);
    void (*close)(situ_dev *d);
    /* Memory of the device; 0 or -SITU_DEVICE_MEMORY without raising an error (the caller tries again, then raises). */
    int (*alloc)(situ_dev *d, size_t bytes, void **address);
    void (*free)(situ_dev *d, void *address, size_t bytes);
    int (*upload)(situ_dev *d, void *to, const void *from_host, size_t bytes);
    int (*download)(situ_dev *d, void *to_host, const void *from, size_t bytes);
    /* From any device that this one can reach (backend of `from` may differ only if reaches says so), else via the host. */
    int (*copy)(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes);
    /* Makes a kernel for this device; NULL with an error raised if it cannot. Kernels are immutable and shared by threads. */
    void *(*compile)(situ_dev *d, const struct situ_kernel_desc *desc);
    void (*drop)(situ_dev *d, void *kernel);
    /* address: outputs, inputs, workspace as the kernel's description lists them; argument: its scalar words. */
    int (*launch)(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault);
    int (*info)(situ_dev *d, situ_device_info *out);
    /* Optional: whose processes use the device (number and bytes); how many, or -1 where that is not known. */
    int (*processes)(situ_dev *d, situ_device_process *out, int most);
    /* Optional, where there are devices: libraries that they do without, what serves instead, and why; "" if there are none. */
    void (*lacks)(char *text, size_t size);
    /* Optional, where launch and copy only start work: waits until all that they started is over. A kernel that failed
     * since the last finish sets *fault (may be NULL), and *which counts the launches from 0 up to its own; -1: not known.
     * 0, or a negative code: any launch since then may be what failed; with *fault set as well, no kernel that is `guarded` has
     * been started.
     * What upload writes is there for all that is started later; from a job of the device's queue it comes after all that
     * was started before. download is of what finish has waited for. */
    int (*finish)(situ_dev *d, situ_fault *fault, int64_t *which);
    /* Optional, beside finish: a place behind all that was started so far; NULL: finish must do. What `d` starts after
     * follow comes after the place, on whichever device of this backend that is; without `d` the caller waits for it.
     * unmark gives the place back, from any thread. */
    void *(*mark)(situ_dev *d);
    int (*follow)(situ_dev *d, situ_dev *marked, void *mark);
    void (*unmark)(situ_dev *marked, void *mark);
    /* Optional, beside finish: from now until finish, steps that overwrite variables (groups that are `guarded`) do nothing on
     * the device where a kernel started since the last finish has set its error word. False: the caller must finish first. */
    bool (*guard)(situ_dev *d);
    /* Optional: what the slot that failed last in this thread met, in words; "" if nothing is known. */
    const char *(*why)(situ_dev *d);
    /* Optional: one element of an elementwise operation (its code) on operands of one dtype, now, in the caller. False: it has
     * no rule for that. */
    bool (*element)(int el, int dtype, void *out, const void *a, const void *b, const void *c);
    /* Optional: which implementation serves a kernel, and which refused and why ("" if none). */
    void (*explain)(const void *kernel, const char **chosen, const char **refusals);
    /* Optional: does it compile this composite as a call of its own, instead of what it is made of? Strides of operands are
     * not known yet: they will be contiguous (any, if the operation is strided). */
    bool (*claims)(const struct situ_call_desc *call);
    /* Optional: elements of a copy of this product's second operand in the order in which the backend's kernel reads it, made once
     * where
     * a plan multiplies by it several times: by the operation `packed`, and then the product's third operand. 0: it would gain
     * nothing. */
    int64_t (*packs)(const struct situ_call_desc *product);
    /* Optional: can this product not fail, for want of memory either? Then updates of variables may come before it. */
    bool (*sure)(const struct situ_call_desc *product);
    /* Optional: does it compile this call with this post-op (plan/kernel.h) as one kernel? Asked before memory is laid out,
     * for the post-op as far as it goes; compile must then take it. */
    bool (*takes)(situ_dev *d, const struct situ_call_desc *call, const struct situ_fused *post_op);
    /* Optional: bytes of workspace that this backend's kernel needs (0: none), where that is not what the operation says;
     * its address comes last. */
    size_t (*workspace)(const struct situ_kernel_desc *desc);
};

enum { SITU_LANES = 32 };

struct situ_dev {
    const situ_backend *backend;
    situ_device device;                          /* its public name                              */
    int index;                                   /* which of its backend                         */
    void *state;                                 /* the backend's own                            */
    struct situ_queue *queue;                    /* base/queue.h, where backend->host_queue      */
    struct situ_queue *_Atomic lane[SITU_LANES]; /* beside it, from 1 on (lanes.h)  */
    situ_buffer *arena[SITU_LANES]; /* of the newest launch on each lane, while it lives: under the lock of its pages */
    struct situ_pages *pages;       /* device/memory.c                              */
    bool parallel;                  /* kernels may use the pool                     */
    _Atomic int senders;            /* threads that have launches under way here    */
    _Atomic double clock;           /* virtual seconds: when its queue's last job ended */
};

/* The virtual clock of the calling thread: simulated seconds, moved by simulated work alone. A host thread's moves with
 * its own copies and to the end of what it waits for; in a job of a queue it is the time of the step that runs. Starts
 * and ends follow from the program and its dependencies, never from real time. */
extern __thread double situ_virtual;
static inline void situ_virtual_reach(double seconds)
{
    if (situ_virtual < seconds) situ_virtual = seconds;
}

/* The opened device, or NULL with an error that says what exists and why this one does not. Cheap after the first call. */
situ_dev *situ_dev_open(situ_device d, situ_site site);
/* Is it there? Opens nothing and raises nothing. */
bool situ_dev_exists(situ_device d);

/* ---- memory: reference-counted buffers ------------------------------------------------------------------------- */

/* What a tensor's memory is called in an out-of-memory message. */
typedef struct situ_label {
    const char *name; /* the tensor's name or the operation's, static or interned */
    situ_site site;
    uint8_t dtype, ndim;
    int64_t dim[8];
} situ_label;

struct situ_buffer {
    _Atomic uint64_t holds; /* owners, and in the upper half pins: the memory goes with the last of both */
    bool borrowed;          /* a user's memory: read-only, never donated            */
    situ_dev *dev;
    char *address;
    size_t bytes;
    _Atomic uint64_t ready;              /* stamp (lanes.h) of the launch that writes it         */
    _Atomic uint32_t readers;            /* the lanes whose launches read it since               */
    _Atomic bool launched;               /* a launch has it or had it                            */
    int8_t arena;                        /* the lane whose arena it is, or -1                    */
    _Atomic double clock;                /* virtual seconds: when its contents were there        */
    struct situ_failure *_Atomic failed; /* why its contents never came, graph/failure.h   */
    struct situ_failure *_Atomic missed; /* why a variable's next value never came: what it had stands */
    void (*release)(void *self);         /* borrowed: called when the last reference goes        */
    void *self;
    situ_label label;
    situ_buffer *next, *previous; /* the device's live buffers                           */
};
/* Uninitialised memory of at least max(bytes, 1), 64-byte aligned; NULL with an error: over the limit (after freeing
 * cached blocks) the message lists the largest live buffers by name, shape, birthplace and size, and what is free. */
situ_buffer *situ_buffer_new(situ_dev *d, size_t bytes, const situ_label *label, situ_site site);
situ_buffer *situ_buffer_borrow(situ_dev *d, void *address, size_t bytes, void (*release)(void *), void *self);
/* Memory for the intermediate values of a launch on this lane. Launches of a lane run one after the other, so one that comes
 * behind others has the same memory. */
situ_buffer *situ_buffer_arena(situ_dev *d, int lane, size_t bytes, const situ_label *label, situ_site site);
/* Of the memory that launches on this lane have now; 0: none is under way. */
int64_t situ_buffer_arena_bytes(situ_dev *d, int lane);
static inline situ_buffer *situ_buffer_ref(situ_buffer *b)
{
    atomic_fetch_add(&b->holds, 1);
    return b;
}
void situ_buffer_unref(situ_buffer *b); /* NULL is fine */
/* A pin is a launch in flight on the buffer's own queue. Later work of that queue may still be told to overwrite it, so
 * pins are no owners: whether a variable is updated in place must not depend on how far the queue is. */
#define SITU_BUFFER_PIN ((uint64_t)1 << 32)
static inline void situ_buffer_pin(situ_buffer *b) { atomic_fetch_add(&b->holds, SITU_BUFFER_PIN); }
void situ_buffer_unpin(situ_buffer *b);
static inline uint32_t situ_buffer_owners(situ_buffer *b) { return (uint32_t)atomic_load(&b->holds); }

/* ---- ledger: the one function that records ---------------------------------------------------------------------- */

/* Would one more transfer break a guard of this thread? 0, or raises SITU_BUDGET naming the guard's limit and the site. */
int situ_ledger_allow(situ_transfer t, int64_t count, int64_t bytes, situ_site site);
/* Records it (in the thread that asked for it). */
void situ_ledger_add(const situ_ledger_entry *entry);
int situ_ledger_kept(void); /* entries of its list at most, 0: nobody asked for one */
double situ_seconds(void);  /* since the library's first use */

#endif
