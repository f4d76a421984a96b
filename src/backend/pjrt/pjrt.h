/* Private declarations of PJRT devices. situ computes with addresses, while PJRT has typed immutable buffers. So an
 * address is a number that no host memory has, and a table tells which value is at which addresses: a kernel reads the
 * values at its operands' addresses, and its results are entered at theirs. A copy on one device shares the value. */
#ifndef SITU_BACKEND_PJRT_PJRT_H
#define SITU_BACKEND_PJRT_PJRT_H

#include "backend/pjrt/api.h"
#include "base/hash.h"
#include "base/runtime.h"
#include "codegen/stable.h"
#include "device/backend.h"
#include "os/lock.h"

/* A plugin that was opened; its client lives as long as the process. */
typedef struct situ_pjrt_plugin {
    const pjrt_table *api;
    pjrt_client client;
    uint8_t bytes[PJRT_STRUCTS]; /* [struct] size of each function's arguments, as its version knows them; 0: as declared here */
    bool tpu;
    int forks; /* situ_forks when it was started: its threads do not exist in a forked child */
    char file[256], platform[32], version[96];
} situ_pjrt_plugin;

/* A value: the result of a program, or bytes sent by the host. It has `bytes` bytes of a dtype. It has no buffer while
 * it is the result of a recorded step of the stretch, while its bytes are still in host memory because their dtype is
 * unknown, or after a failure. References are counted for the entries of the table and for the stretch. Protected by
 * the lock of the device whose table has it. */
typedef struct situ_pjrt_value {
    _Atomic int uses;
    const situ_pjrt_plugin *plugin;
    pjrt_buffer buffer;
    int dtype;
    int32_t step, of;  /* it is result number `of` of this step of the stretch; step -1: none */
    int32_t depth;     /* number of dependent groups of the stretch that lead to it, which a compiler may compute again; 0: none */
    uint32_t argument; /* index of its newest use as an argument of the stretch, if it is one */
    bool lent;         /* the buffer uses host memory */
    size_t bytes;
    int64_t row; /* length of a row, if the buffer is a matrix; 0: a vector */
    char *host;
    uintptr_t address;           /* for a step's result: its address, ... */
    struct situ_pjrt_value *was; /* ... and the value that it overwrites completely, from before the stretch, or NULL */
} situ_pjrt_value;

/* The addresses [start, start + bytes), which hold a part of a value. */
typedef struct situ_pjrt_piece {
    uintptr_t start;
    size_t bytes, offset;
    situ_pjrt_value *value;
} situ_pjrt_piece;

typedef struct situ_pjrt_program {
    struct situ_pjrt_program *next;
    situ_hash text;
    pjrt_program program;
    uint64_t used; /* counter value when it was last started */
} situ_pjrt_program;

/* An execution, or a copy, that may still be under way. */
typedef struct situ_pjrt_run {
    pjrt_event done;
    int64_t launch;    /* number of launches since the last finish before its only one; -1: it has several, or is a copy */
    pjrt_buffer fault; /* four numbers for each launch that can fail, or NULL */
    int failing;
    int64_t *which; /* indices of those launches */
} situ_pjrt_run;

typedef struct situ_pjrt {
    const situ_pjrt_plugin *plugin;
    pjrt_device device;
    int id;
    char kind[64];
    situ_hash identity; /* hash of plugin, its options, device and processor, for the cache of programs */
    situ_known_lock known[2];
    situ_mutex lock; /* protects what follows: the table, sorted by address */
    situ_pjrt_piece *piece;
    size_t pieces, capacity;
    int64_t used;
    uintptr_t next;
    char why[300];
    situ_mutex compiling;
    int refused;                /* bit mask of options that the plugin's compiler does not know (program.c) */
    bool agreed;                /* it accepted the other options */
    situ_pjrt_program *program; /* list of all cached programs: kernels with the same text share one */
    int programs;
    uint64_t tick;      /* counter of uses of the programs */
    situ_pjrt_run *run; /* started since the last finish; used by the launching thread only */
    size_t runs, run_room;
    int64_t launches;
    struct situ_pjrt_stretch *stretch; /* recorded launches */
    bool updating;                     /* launches that overwrite variables have been started */
    int late;                          /* why some could not be started ... */
    int64_t late_launch;               /* ... and the index of the first of these */
    situ_fault found;                  /* the first failure found so far */
    int64_t found_launch;
} situ_pjrt;

typedef struct situ_pjrt_kernel {
    char *name;
    bool guarded;
    int stores; /* number of its first results that are computed elementwise */
    situ_hash text;
    situ_stable_kernel k;
} situ_pjrt_kernel;

/* ---- library.c ---- */

int situ_pjrt_count(bool tpu, char *reason, size_t size);
/* Device number `index` of that kind; false: there is none. */
bool situ_pjrt_find(bool tpu, int index, const situ_pjrt_plugin **plugin, pjrt_device *device);
/* Sets a struct's size to what the plugin expects. */
static inline void situ_pjrt_fit(const situ_pjrt_plugin *p, int which, void *arguments)
{
    if (p->bytes[which]) *(size_t *)arguments = p->bytes[which];
}
/* In a forked child of the plugin's process: the result of every call, which is not made. */
extern char situ_pjrt_forked[];
static inline pjrt_error situ_pjrt_call(const situ_pjrt_plugin *p, int function, void *arguments)
{
    if (p->forks != situ_forks) return (pjrt_error)situ_pjrt_forked;
    situ_pjrt_fit(p, function, arguments);
    return p->api->function[function](arguments);
}
/* 0 for NULL, else the negative situ_code; writes the error's text to `why` (may be NULL), and destroys it. */
int situ_pjrt_code(const situ_pjrt_plugin *p, pjrt_error error, char *why, size_t size);
/* Waits for an event and destroys it. */
pjrt_error situ_pjrt_await(const situ_pjrt_plugin *p, pjrt_event event);

/* ---- table.c ---- */

/* Describes what is wrong with a plugin's table, or NULL; may use `text`. */
const char *situ_pjrt_table_fault(const pjrt_table *t, char *text, size_t size);
/* Sets p->bytes by its version. */
void situ_pjrt_table_sizes(situ_pjrt_plugin *p);

/* ---- memory.c: slots of the vtable, and the address table ---- */

int situ_pjrt_alloc(situ_dev *d, size_t bytes, void **address);
void situ_pjrt_free(situ_dev *d, void *address, size_t bytes);
int situ_pjrt_upload(situ_dev *d, void *to, const void *from_host, size_t bytes);
int situ_pjrt_download(situ_dev *d, void *to_host, const void *from, size_t bytes);
int situ_pjrt_copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes);
/* A reference to the value that holds [address, address + bytes) as elements of a dtype: a buffer, or a result of the
 * stretch. The elements are *count from *first on; *base: address of element 0. If a buffer is created for all of it,
 * it is a matrix with rows of length `row`. 1: the stretch had to be started, and the caller begins again. */
int situ_pjrt_take(situ_dev *d, uintptr_t address, size_t bytes, int dtype, int64_t row, situ_pjrt_value **value, int64_t *first,
    int64_t *count, uintptr_t *base);
/* Is there a value with exactly these bytes and dtype? */
bool situ_pjrt_lies(situ_pjrt *s, uintptr_t address, size_t bytes, int dtype);
/* A new value, to be computed by a step of the stretch; NULL: no memory. */
situ_pjrt_value *situ_pjrt_promise(situ_pjrt *s, int step, int of, int dtype, size_t bytes);
/* Enters the value at this address. */
int situ_pjrt_put(situ_pjrt *s, char *address, situ_pjrt_value *v);
/* Called when the stretch has been started: sets the value's buffer; without one, restores what was there before. */
void situ_pjrt_keep(situ_pjrt *s, situ_pjrt_value *v, pjrt_buffer buffer);
void situ_pjrt_forget(situ_dev *d, void *address, size_t bytes);
void situ_pjrt_drop_value(situ_pjrt_value *v);
/* NULL is fine. */
void situ_pjrt_destroy(const situ_pjrt_plugin *p, pjrt_buffer b);
/* Sends a matrix with rows of this length, or a vector (row 0), to the device; NULL: `*error` has the plugin's reason,
 * if any. */
pjrt_buffer situ_pjrt_send(situ_pjrt *s, const void *data, int dtype, int64_t count, int64_t row, pjrt_error *error);
int situ_pjrt_receive(situ_pjrt *s, pjrt_buffer b, void *to, size_t bytes);
/* Converts an error to a code and keeps its text for `why`; given: the call's result, whose absence is an error, too. */
int situ_pjrt_failed(situ_pjrt *s, pjrt_error error);
int situ_pjrt_gave(situ_pjrt *s, pjrt_error error, const void *given);
int situ_pjrt_fail(situ_pjrt *s, const char *why);

/* ---- program.c ---- */

/* Hash of everything besides the text on which a compiled program depends. */
situ_hash situ_pjrt_identity(const situ_pjrt *s);
/* Compiles a StableHLO module for this device, or finds it in the cache; NULL: *code and `why` have the reason. */
situ_pjrt_program *situ_pjrt_compile_text(situ_pjrt *s, const char *text, const char *name, int *code);
/* Starts a program; the event has to be waited for. kept: arguments whose memory must not be reused. Results that
 * exist after an error belong to the caller, too. */
int situ_pjrt_execute(situ_pjrt *s, const situ_pjrt_program *p, pjrt_buffer const *argument, int arguments, const int64_t *kept,
    int nkept, pjrt_buffer *result, pjrt_event *done);
/* When nothing is under way, removes the least recently used programs, until this many are left. */
extern int situ_pjrt_most_programs;
void situ_pjrt_fewer_programs(situ_pjrt *s, int most);
/* For tests: number of programs compiled on all devices since the process began. */
int64_t situ_test_pjrt_programs(void);

/* ---- run.c: work under way ---- */

/* Takes ownership of the run, even if it fails. */
int situ_pjrt_started(situ_pjrt *s, situ_pjrt_run run);
/* Reads the error words of all started launches into s->found. */
int situ_pjrt_ask(situ_pjrt *s);
int situ_pjrt_finish(situ_dev *d, situ_fault *fault, int64_t *which);
void *situ_pjrt_mark(situ_dev *d);
int situ_pjrt_follow(situ_dev *d, situ_dev *marked, void *mark);
void situ_pjrt_unmark(situ_dev *marked, void *mark);
bool situ_pjrt_guard(situ_dev *d);

/* ---- stretch.c: launches are recorded, and become one program ---- */

struct situ_pjrt_stretch *situ_pjrt_stretch_new(void);
void situ_pjrt_stretch_free(struct situ_pjrt_stretch *q);
int situ_pjrt_launch(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault);
bool situ_pjrt_pending(const situ_pjrt *s);
/* Starts the recorded launches. A refusal by the plugin is reported by finish. */
void situ_pjrt_start(situ_pjrt *s);
/* Called before this program is removed. */
void situ_pjrt_stretch_forget(struct situ_pjrt_stretch *q, const situ_pjrt_program *p);

/* ---- kernel.c ---- */

void *situ_pjrt_compile(situ_dev *d, const struct situ_kernel_desc *desc);
void situ_pjrt_drop(situ_dev *d, void *kernel);
size_t situ_pjrt_workspace(const struct situ_kernel_desc *desc);
void situ_pjrt_explain(const void *kernel, const char **chosen, const char **refusals);

#endif
