/* Devices behind a PJRT plugin: inside. The library calculates with addresses, PJRT has typed values that never change. So an
 * address is a number that no host memory has, and a table says which value lies at which addresses: a kernel reads the values
 * at its operands' addresses, and what it gives is put at those of its results. A copy on one device shares the value.
 */
#ifndef SITU_BACKEND_PJRT_PJRT_H
#define SITU_BACKEND_PJRT_PJRT_H

#include "backend/pjrt/api.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/runtime.h"
#include "codegen/stable.h"
#include "device/backend.h"

/* One plugin that answers: its client lives as long as the process. */
typedef struct situ_pjrt_plugin {
    const pjrt_table *api;
    pjrt_client client;
    uint8_t bytes[PJRT_STRUCTS]; /* of each function's arguments, as its version knows them; 0: all that we have */
    bool tpu;
    int forks; /* situ_forks when it was started: its threads are in no child of that process */
    char file[256], platform[32], version[96];
} situ_pjrt_plugin;

/* What a program gave or a host sent. `bytes` of it as elements of a dtype. Without a buffer it is what a step of the stretch that
 * is being written down will give, or its bytes are still the host's, since nothing has said yet what they are, or it never came.
 * Counted by the table's entries and by the stretch. Locked by the device whose table has it. */
typedef struct situ_pjrt_value {
    _Atomic int uses;
    const situ_pjrt_plugin *plugin;
    pjrt_buffer buffer;
    int dtype;
    int32_t step, of; /* result `of` of that step of the stretch; step -1: none */
    int32_t depth; /* so many groups of the stretch stand one on the other up to it, which a compiler may compute again; 0: none */
    uint32_t argument; /* of the stretch, if that has it: its newest place there */
    bool lent;         /* the buffer's memory is the host's */
    size_t bytes;
    int64_t row; /* the buffer is a matrix with such rows; 0: a vector */
    char *host;
    uintptr_t address;           /* of a step's result: where it was put, ... */
    struct situ_pjrt_value *was; /* ... and the whole value that lay there before the stretch, or NULL */
} situ_pjrt_value;

/* [start, start + bytes) is that part of a value. */
typedef struct situ_pjrt_piece {
    uintptr_t start;
    size_t bytes, offset;
    situ_pjrt_value *value;
} situ_pjrt_piece;

typedef struct situ_pjrt_program {
    struct situ_pjrt_program *next;
    situ_hash text;
    pjrt_program program;
    uint64_t used; /* the turn in which it was started last */
} situ_pjrt_program;

/* An execution, or a copy, that may still be under way. */
typedef struct situ_pjrt_run {
    pjrt_event done;
    int64_t launch;    /* so many since the last finish came before its only one; -1: there are several, or it is a copy */
    pjrt_buffer fault; /* four numbers for each launch that can fail, or NULL */
    int failing;
    int64_t *which; /* those launches */
} situ_pjrt_run;

typedef struct situ_pjrt {
    const situ_pjrt_plugin *plugin;
    pjrt_device device;
    int id;
    char kind[64];
    situ_hash identity; /* of plugin, its options, device and processor, for the cache */
    situ_known_lock known[2];
    pthread_mutex_t lock; /* of what follows: by address */
    situ_pjrt_piece *piece;
    size_t pieces, room;
    int64_t used;
    uintptr_t next;
    char why[300];
    pthread_mutex_t compiling;
    int refused;                /* options that the plugin's compiler does not know (program.c) */
    bool agreed;                /* it knows the others */
    situ_pjrt_program *program; /* all that are kept: two kernels of one text are one program */
    int programs;
    uint64_t turn;      /* of the programs */
    situ_pjrt_run *run; /* since the last finish, of the thread that launches */
    size_t runs, run_room;
    int64_t launches;
    struct situ_pjrt_stretch *stretch; /* launches that are written down */
    bool updating;                     /* some that overwrite variables have been started */
    int late;                          /* why some could not be started ... */
    int64_t late_launch;               /* ... at which */
    situ_fault found;                  /* the first that failed, as far as it was asked */
    int64_t found_launch;
} situ_pjrt;

typedef struct situ_pjrt_kernel {
    char *name;
    bool guarded;
    int stores; /* its first results, which are computed element by element */
    situ_hash text;
    situ_stable_kernel k;
} situ_pjrt_kernel;

/* ---- library.c ---- */

int situ_pjrt_count(bool tpu, char *reason, size_t size);
/* The i-th device of that kind; false: there is none. */
bool situ_pjrt_find(bool tpu, int index, const situ_pjrt_plugin **plugin, pjrt_device *device);
/* A struct as large as the plugin knows it. */
static inline void situ_pjrt_fit(const situ_pjrt_plugin *p, int which, void *arguments)
{
    if (p->bytes[which]) *(size_t *)arguments = p->bytes[which];
}
/* What a call gives in a child forked from the plugin's process, instead of being made. */
extern char situ_pjrt_forked[];
static inline pjrt_error situ_pjrt_call(const situ_pjrt_plugin *p, int function, void *arguments)
{
    if (p->forks != situ_forks) return (pjrt_error)situ_pjrt_forked;
    situ_pjrt_fit(p, function, arguments);
    return p->api->function[function](arguments);
}
/* 0 for NULL, else the negative situ_code; the error's text goes to `why` (may be NULL), and it is destroyed. */
int situ_pjrt_code(const situ_pjrt_plugin *p, pjrt_error error, char *why, size_t size);
/* Waits for an event and destroys it. */
pjrt_error situ_pjrt_await(const situ_pjrt_plugin *p, pjrt_event event);

/* ---- table.c ---- */

/* What is wrong with a plugin's table, or NULL; it may be written to `text`. */
const char *situ_pjrt_table_fault(const pjrt_table *t, char *text, size_t size);
/* p->bytes, by its version. */
void situ_pjrt_table_sizes(situ_pjrt_plugin *p);

/* ---- memory.c: slots of the vtable, and what lies where ---- */

int situ_pjrt_alloc(situ_dev *d, size_t bytes, void **address);
void situ_pjrt_free(situ_dev *d, void *address, size_t bytes);
int situ_pjrt_upload(situ_dev *d, void *to, const void *from_host, size_t bytes);
int situ_pjrt_download(situ_dev *d, void *to_host, const void *from, size_t bytes);
int situ_pjrt_copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes);
/* A use of the value that holds [address, address + bytes) as elements of a dtype: a buffer, or a result of the stretch. Of *count
 * elements it is those from *first on; *base: where the first would be. If it is made now, and is all of it, it has such rows.
 * 1: the stretch had to be started: the caller begins again. */
int situ_pjrt_take(situ_dev *d, uintptr_t address, size_t bytes, int dtype, int64_t row, situ_pjrt_value **value, int64_t *first,
    int64_t *count, uintptr_t *base);
/* Would that be a value as it is? */
bool situ_pjrt_lies(situ_pjrt *s, uintptr_t address, size_t bytes, int dtype);
/* A new value that a step of the stretch will give; NULL: no memory. */
situ_pjrt_value *situ_pjrt_promise(situ_pjrt *s, int step, int of, int dtype, size_t bytes);
/* It lies at this address from now on. */
int situ_pjrt_put(situ_pjrt *s, char *address, situ_pjrt_value *v);
/* The stretch has been started, with this buffer, or not: then what was before is again. */
void situ_pjrt_keep(situ_pjrt *s, situ_pjrt_value *v, pjrt_buffer buffer);
void situ_pjrt_forget(situ_dev *d, void *address, size_t bytes);
void situ_pjrt_drop_value(situ_pjrt_value *v);
/* NULL is fine. */
void situ_pjrt_destroy(const situ_pjrt_plugin *p, pjrt_buffer b);
/* A matrix with such rows, or a vector (row 0), on the device; NULL: `*error` says why, if the plugin does. */
pjrt_buffer situ_pjrt_send(situ_pjrt *s, const void *data, int dtype, int64_t count, int64_t row, pjrt_error *error);
int situ_pjrt_receive(situ_pjrt *s, pjrt_buffer b, void *to, size_t bytes);
/* Keeps the text of an error for `why`; given: what the call gave, which is an error, too, where that is NULL. */
int situ_pjrt_failed(situ_pjrt *s, pjrt_error error);
int situ_pjrt_gave(situ_pjrt *s, pjrt_error error, const void *given);
int situ_pjrt_fail(situ_pjrt *s, const char *why);

/* ---- program.c ---- */

/* What else than a text a compiled program depends on. */
situ_hash situ_pjrt_identity(const situ_pjrt *s);
/* A module in StableHLO's text, compiled for this device once; NULL: *code, and `why`, say what is wrong. */
situ_pjrt_program *situ_pjrt_compile_text(situ_pjrt *s, const char *text, const char *name, int *code);
/* Starts it; the event is to be waited for. kept: arguments whose memory no result may have. Results that are there after an error
 * are the caller's, too. */
int situ_pjrt_execute(situ_pjrt *s, const situ_pjrt_program *p, pjrt_buffer const *argument, int arguments, const int64_t *kept,
    int nkept, pjrt_buffer *result, pjrt_event *done);
/* Where nothing is under way: those that were not used for the longest time go, so that so many are left. */
extern int situ_pjrt_most_programs;
void situ_pjrt_fewer_programs(situ_pjrt *s, int most);
/* Programs that were made, of all devices, since the process began. */
int64_t situ_test_pjrt_programs(void);

/* ---- run.c: what is under way ---- */

/* Takes it over, also where that fails. */
int situ_pjrt_started(situ_pjrt *s, situ_pjrt_run run);
/* Asks all that were started whether an index was out of range: s->found. */
int situ_pjrt_ask(situ_pjrt *s);
int situ_pjrt_finish(situ_dev *d, situ_fault *fault, int64_t *which);
void *situ_pjrt_mark(situ_dev *d);
int situ_pjrt_follow(situ_dev *d, situ_dev *marked, void *mark);
void situ_pjrt_unmark(situ_dev *marked, void *mark);
bool situ_pjrt_guard(situ_dev *d);

/* ---- stretch.c: launches are written down, and become one program ---- */

struct situ_pjrt_stretch *situ_pjrt_stretch_new(void);
void situ_pjrt_stretch_free(struct situ_pjrt_stretch *q);
int situ_pjrt_launch(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault);
bool situ_pjrt_pending(const situ_pjrt *s);
/* Starts what is written down. What the plugin refuses is told by finish. */
void situ_pjrt_start(situ_pjrt *s);
/* This program will be gone. */
void situ_pjrt_stretch_forget(struct situ_pjrt_stretch *q, const situ_pjrt_program *p);

/* ---- kernel.c ---- */

void *situ_pjrt_compile(situ_dev *d, const struct situ_kernel_desc *desc);
void situ_pjrt_drop(situ_dev *d, void *kernel);
size_t situ_pjrt_workspace(const struct situ_kernel_desc *desc);
void situ_pjrt_explain(const void *kernel, const char **chosen, const char **refusals);

#endif
