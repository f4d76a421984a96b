/* Internals of the fake driver. One lock protects everything. One thread, the executor, does the work of all devices;
 * it holds no lock while it runs a kernel, a copy or a host function. */
#ifndef FAKECUDA_FAKE_H
#define FAKECUDA_FAKE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cuda_api.h"
#include "fakecuda.h"
#include "kernel_side.h"

enum { FAKE_DEVICES = 16, FAKE_SLOTS = 64, FAKE_READERS = 4 };

/* ---------------------------------------------------------------- state.c: names, settings, reports */

typedef enum fake_function {
#define F(name, needs) FAKE_##name,
#include "functions.def"
#undef F
    FAKE_FUNCTIONS
} fake_function;

typedef struct fake_settings {
    int devices, driver, order, track, peers;
    int capability[FAKE_DEVICES];
    unsigned long long memory;
    char cache[512], compiler[256], report[512], log[512];
} fake_settings;

extern fake_settings fake_set;
extern pthread_mutex_t fake_lock;
extern bool fake_initialised;

/* Locks, counts the call, and returns an error if it is not allowed now or was asked to fail; fake_leave unlocks. */
int fake_enter(fake_function f);
int fake_leave(fake_function f, int code);
/* Whether this execution ("kernel", "copy") was asked to fail. */
int fake_injected(fake_function f);
void fake_count(fake_function f);
void fake_count_bytes(int direction, size_t bytes);
enum { FAKE_HTOD, FAKE_DTOH, FAKE_DTOD, FAKE_PTOP };
uint32_t fake_random(uint32_t below);
const char *fake_function_name(int f);
/* Records a violation; returns the code for the call. */
int fake_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *fake_compiler(void);
void fake_copy_text(char *to, size_t size, const char *from);
#define FAKE_ENTRY_POINT(name, parameters, arguments)           \
    FAKE_API CUresult name parameters                           \
    {                                                           \
        int code = fake_enter(FAKE_##name);                     \
        return fake_leave(FAKE_##name, code ? code : do_##name arguments); \
    }

/* ---------------------------------------------------------------- objects */

typedef enum fake_kind { FAKE_CONTEXT = 1, FAKE_STREAM, FAKE_EVENT, FAKE_MODULE, FAKE_FUNCTION, FAKE_GRAPH, FAKE_NODE, FAKE_EXEC } fake_kind;

/* Objects are never freed, so that the use of a destroyed one is recognised. */
typedef struct fake_object {
    uint32_t magic;
    uint8_t kind;
    bool alive;
    int number, device;
    struct fake_object *next;
} fake_object;

void *fake_new(fake_kind kind, size_t size, int device);
/* Checks a handle: 0, or CUDA_ERROR_INVALID_HANDLE with a violation if it is none, destroyed, of another kind, or of
 * another device than `device` (-1: any). */
int fake_check(const void *object, fake_kind kind, int device, const char *what);
extern fake_object *fake_objects;

struct CUctx_st {
    fake_object object;
    int retains, sticky;
    bool peer[FAKE_DEVICES]; /* may access that device's memory */
};
CUcontext fake_current(void);
CUcontext fake_context(int device);
void fake_raise_sticky(int device, int code);

/* ---------------------------------------------------------------- space.c: memory */

typedef struct fake_granule {
    uint32_t writer, writer_thread, writer_span; /* the last work that wrote */
    uint32_t reader_thread, reader_span;
    uint32_t reader[FAKE_READERS];               /* the last works that read, by stream */
} fake_granule;                                  /* of 4 bytes of memory                */

typedef struct fake_block {
    uintptr_t low, high; /* the requested range */
    size_t reserved;
    int device;          /* -1: pinned host memory */
    int owner;           /* the device in whose context it was made */
    int number;
    bool alive, dying;   /* dying: freed while queued work may still use it */
    uint32_t freed_at;   /* number of the newest work when it was freed */
    uint32_t touched[FAKE_SLOTS]; /* by stream: the last work that used it */
    fake_granule *shadow;
} fake_block;

extern uintptr_t fake_low, fake_bytes;
/* 0 if memory ran out. */
uintptr_t fake_space_alloc(int device, int owner, size_t bytes);
bool fake_space_reserve(void);
void fake_space_free(fake_block *b);
fake_block *fake_block_at(uintptr_t address);
static inline bool fake_in_space(uintptr_t p) { return p - fake_low < fake_bytes; }
unsigned long long fake_space_used(int device);
/* Lets the host access device memory until it is closed again. */
void fake_space_open(void);
void fake_space_close(void);
void fake_space_reap(uint32_t oldest_pending);
/* Live blocks of one device's context, or of all (-1). */
int fake_space_live(int owner, char *text, size_t size);
void fake_space_drop(int owner);

/* ---------------------------------------------------------------- shadow.c: who touched what */

typedef struct fake_clock { uint32_t at[FAKE_SLOTS]; } fake_clock;
void fake_clock_join(fake_clock *into, const fake_clock *more);

typedef struct fake_work fake_work;
/* The kernel thread that accesses memory: which one, since which barrier, and since when its block runs. */
typedef struct fake_toucher { fake_work *work; uint32_t thread, span, first_span; } fake_toucher;
enum { FAKE_PART_THREAD = 0xfffffffdu, FAKE_ATOMIC_THREAD = 0xfffffffeu, FAKE_MANY_THREADS = 0xffffffffu };
/* Checks an access. Returns 0 or the code with which the kernel ends. */
int fake_touch(const fake_toucher *t, uintptr_t p, size_t bytes, bool write);
uint32_t fake_work_number(fake_work *w); /* a new one */

/* ---------------------------------------------------------------- queue.c: streams, work, executor */

/* The point in each stream at which an event was recorded. */
typedef struct fake_moment {
    int uses;
    bool done;
    double seconds;
    CUstream stream;
    uint32_t seq;
    fake_clock clock;
} fake_moment;

typedef struct fake_capture {
    CUgraph graph;
    CUstream origin;
    int mode;
    pthread_t thread;
    bool spoiled;
} fake_capture;

typedef struct fake_frontier { int count, *node; } fake_frontier;

struct CUstream_st {
    fake_object object;
    unsigned flags;
    int slot;
    uint32_t enqueued, done, wanted;
    fake_clock clock;
    fake_work *first, *last;
    bool running;
    fake_capture *capture;
    fake_frontier frontier;
};

struct CUevent_st {
    fake_object object;
    unsigned flags;
    fake_moment *moment;
    CUgraph captured; /* recorded in a capture */
    fake_frontier frontier;
};

typedef enum fake_work_kind { WORK_KERNEL, WORK_COPY, WORK_SET, WORK_RECORD, WORK_WAIT, WORK_HOST, WORK_GRAPH, WORK_CALL, WORK_CHILD } fake_work_kind;

typedef struct fake_launch {
    CUfunction function;
    unsigned grid[3], block[3], shared;
    char *blob;       /* the parameters' values */
    void **parameter; /* address of each parameter's value */
} fake_launch;

struct fake_work {
    fake_work_kind kind;
    fake_work *next;
    int device;
    uint32_t number, seq;
    int slot;
    fake_clock clock;
    struct fake_replay *graph_run; /* part of a graph's launch */
    int node;
    union {
        fake_launch launch;
        struct { uintptr_t to, from; size_t bytes; int direction; void *snapshot; } copy;
        struct { uintptr_t to; size_t count; uint32_t value; int size; } set;
        fake_moment *moment;
        struct { CUhostFn function; void *user; } host;
        struct { const char *name; void (*function)(void *); void *user; fakecuda_range range[FAKECUDA_RANGES]; int ranges; } call;
        struct { CUgraphExec exec; fake_work **node; } graph; /* the nodes at the time of the launch */
    } is;
};

fake_work *fake_work_new(fake_work_kind kind);
void fake_work_free(fake_work *w);
fake_work *fake_work_copy(const fake_work *w);
/* The launch that a graph's node describes. */
int fake_launch_of(const CUDA_KERNEL_NODE_PARAMS *p, int device, const char *function, fake_work **work);
/* Appends work to the stream, or to the graph into which the stream is captured. Takes ownership. */
int fake_enqueue(CUstream s, fake_work *w);
/* Waits until the stream has done everything up to `seq`; unlocks meanwhile. */
int fake_wait(CUstream s, uint32_t seq);
/* Lets the executor do a little work. */
void fake_yield(CUstream s);
void fake_drain(int device);
void fake_forget_work(int device);
bool fake_is_executor(void);
bool fake_pending(int device);
uint32_t fake_oldest_pending(void);
extern uint32_t fake_slot_seq[FAKE_SLOTS]; /* the last number used in each slot */
void fake_moment_drop(fake_moment *m);
void fake_moment_hold(fake_moment *m);
extern fake_clock fake_host_clock;
double fake_now(void);

/* in run.c: does the work, without the lock */
void fake_run(fake_work *w);

/* ---------------------------------------------------------------- graph.c, exec.c */

struct CUgraphNode_st {
    fake_object object;
    CUgraph graph;
    int index;
    fake_work *work;
    fake_frontier before;
    CUgraph child; /* a copy of its own, or NULL */
};

struct CUgraph_st {
    fake_object object;
    int count, room;
    CUgraphNode *node;
};

struct CUgraphExec_st {
    fake_object object;
    CUgraph source; /* what it was made of */
    CUgraph graph;  /* its own copy, with children inserted */
    int *first;     /* for each node of the source its first copy, and the end */
    uint64_t *ancestor;
    int words;
    fake_work *retired; /* replaced work, which a queued launch may still use */
};

/* A launch of a graph that runs: its nodes are ordered by their ancestors. */
typedef struct fake_replay { CUgraphExec exec; } fake_replay;
bool fake_replay_ordered(const fake_replay *r, int before, int after);

/* Whether a capture forbids this kind of call: a violation and its code. */
int fake_capture_check(fake_function f, const char *name);
int fake_capture_add(CUstream s, fake_work *w);
int fake_capture_stream(CUstream s, const char *name);
void fake_frontier_join(fake_frontier *f, const fake_frontier *more);
void fake_frontier_clear(fake_frontier *f);
void fake_run_graph(fake_work *w);
/* The node in e's copy for node n of the graph that e was made from; NULL and a violation if n is not such a node. */
CUgraphNode fake_node_of(CUgraphExec e, CUgraphNode n, const char *function);
/* Replaces a node's work. Launches that are queued keep the old one. Takes ownership. */
void fake_replace_work(CUgraphExec e, CUgraphNode copied, fake_work *w);
CUgraphNode fake_graph_add(CUgraph g, fake_work *w, int device);
/* A copy whose handle, and those of its nodes, are not known to the program. */
CUgraph fake_graph_copy(CUgraph g);
/* Stream and event must belong to the same capture. */
int fake_capture_wait(CUstream s, CUevent e);
int fake_capture_record(CUstream s, CUevent e);

/* ---------------------------------------------------------------- module.c, compile.c */

struct CUfunc_st {
    fake_object object;
    CUmodule module;
    const fake_kernel *kernel;
    size_t shared_bytes;
    int dynamic_limit;
};

struct CUmod_st {
    fake_object object;
    void *library;
    fake_place *place;
    char *shared;
    size_t shared_bytes;
    CUfunction function[64];
    int functions;
};

extern const char fake_preamble[];
extern const char fake_side[]; /* the text of kernel_side.o */
extern fake_runtime fake_kernel_runtime;
/* Compiles CUDA C to a shared object and writes its path. 0, or -1 with the compiler's output in log. */
int fake_build(const char *text, char *path, size_t path_size, char *log, size_t log_size);
uint64_t fake_hash(const char *text, uint64_t seed);
/* The header of what the fake NVRTC makes. */
#define FAKE_CUBIN "fakecuda cubin sm_%d %016llx\n"

/* ---------------------------------------------------------------- fiber.c: the threads of a block */

/* Runs a kernel; 0 or the code with which it ended. */
int fake_run_kernel(fake_work *w);
void fake_fibers_open(void);   /* once    */
void fake_fibers_thread(void); /* in the executor */

#endif
