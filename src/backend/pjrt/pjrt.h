/* Devices behind a PJRT plugin: inside. The library calculates with addresses, PJRT has typed values that never change. So an
 * address is a number that no host memory has, and a table says which value lies at which addresses: a kernel reads the values
 * at its operands' addresses, and what it gives is put at those of its results. A copy on one device shares the value.
 */
#ifndef SITU_BACKEND_PJRT_PJRT_H
#define SITU_BACKEND_PJRT_PJRT_H

#include "backend/pjrt/api.h"
#include "base/hash.h"
#include "base/lock.h"
#include "device/backend.h"

/* One plugin that answers: its client lives as long as the process. */
typedef struct situ_pjrt_plugin {
    const pjrt_table *api;
    pjrt_client client;
    bool tpu;
    char file[256], platform[32], version[96];
} situ_pjrt_plugin;

/* What a program gave or a host sent. `bytes` of it as count elements of a dtype; without a buffer its bytes are still the
 * host's, since nothing has said yet what they are. Counted by the table's entries. Locked by the device whose table has it. */
typedef struct situ_pjrt_value {
    _Atomic int uses;
    const situ_pjrt_plugin *plugin;
    pjrt_buffer buffer;
    int dtype;
    size_t bytes;
    char *host;
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
} situ_pjrt_program;

/* An execution, or a copy, that may still be under way. */
typedef struct situ_pjrt_run {
    pjrt_event done;
    pjrt_buffer fault; /* four numbers, or NULL */
    int64_t launch;    /* so many since the last finish came before; -1: it is a copy */
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
    situ_pjrt_program *program; /* all that were made: two kernels of one text are one program */
    int64_t programs;
    situ_pjrt_run *run; /* since the last finish, of the thread that launches */
    size_t runs, run_room;
    int64_t launches;
} situ_pjrt;

/* ---- library.c ---- */

int situ_pjrt_count(bool tpu, char *reason, size_t size);
/* The i-th device of that kind; false: there is none. */
bool situ_pjrt_find(bool tpu, int index, const situ_pjrt_plugin **plugin, pjrt_device *device);
static inline pjrt_error situ_pjrt_call(const situ_pjrt_plugin *p, int function, void *arguments)
{
    return p->api->function[function](arguments);
}
/* 0 for NULL, else the negative situ_code; the error's text goes to `why` (may be NULL), and it is destroyed. */
int situ_pjrt_code(const situ_pjrt_plugin *p, pjrt_error error, char *why, size_t size);
/* Waits for an event and destroys it. */
pjrt_error situ_pjrt_await(const situ_pjrt_plugin *p, pjrt_event event);

/* ---- memory.c: slots of the vtable, and what lies where ---- */

int situ_pjrt_alloc(situ_dev *d, size_t bytes, void **address);
void situ_pjrt_free(situ_dev *d, void *address, size_t bytes);
int situ_pjrt_upload(situ_dev *d, void *to, const void *from_host, size_t bytes);
int situ_pjrt_download(situ_dev *d, void *to_host, const void *from, size_t bytes);
int situ_pjrt_copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes);
/* A use of the value that holds [address, address + bytes) as elements of a dtype, as a buffer; *first: its element at the address,
 * *count: of how many. NULL: *code says why. */
situ_pjrt_value *situ_pjrt_take(situ_dev *d, uintptr_t address, size_t bytes, int dtype, int64_t *first, int64_t *count, int *code);
void situ_pjrt_drop_value(situ_pjrt_value *v);
/* From now on this buffer is what lies at the address. It is taken over, also where that fails. */
int situ_pjrt_put(situ_pjrt *s, char *address, pjrt_buffer buffer, int dtype, size_t bytes);
/* NULL is fine. */
void situ_pjrt_destroy(const situ_pjrt_plugin *p, pjrt_buffer buffer);
/* A vector on the device; NULL: `*error` says why. */
pjrt_buffer situ_pjrt_send(situ_pjrt *s, const void *data, int dtype, int64_t count, pjrt_error *error);
int situ_pjrt_receive(situ_pjrt *s, pjrt_buffer b, void *to, size_t bytes);
/* Keeps the text of an error for `why`. */
int situ_pjrt_failed(situ_pjrt *s, pjrt_error error);
int situ_pjrt_fail(situ_pjrt *s, const char *why);

/* ---- program.c ---- */

/* What else than a text a compiled program depends on. */
situ_hash situ_pjrt_identity(const situ_pjrt *s);
/* A module in StableHLO's text, compiled for this device once; NULL: *code, and `why`, say what is wrong. */
situ_pjrt_program *situ_pjrt_compile_text(situ_pjrt *s, const char *text, const char *name, int *code);
/* Starts it; `done` of the run is to be waited for. Results that are there after an error are the caller's, too. */
int situ_pjrt_execute(
    situ_pjrt *s, const situ_pjrt_program *p, pjrt_buffer const *argument, int arguments, pjrt_buffer *result, situ_pjrt_run *run);

/* ---- run.c: what is under way ---- */

/* Takes it over, also where that fails. */
int situ_pjrt_started(situ_pjrt *s, situ_pjrt_run run);
int situ_pjrt_finish(situ_dev *d, situ_fault *fault, int64_t *which);
void *situ_pjrt_mark(situ_dev *d);
int situ_pjrt_follow(situ_dev *d, situ_dev *marked, void *mark);
void situ_pjrt_unmark(situ_dev *marked, void *mark);

/* ---- kernel.c ---- */

void *situ_pjrt_compile(situ_dev *d, const struct situ_kernel_desc *desc);
void situ_pjrt_drop(situ_dev *d, void *kernel);
size_t situ_pjrt_workspace(const struct situ_kernel_desc *desc);
int situ_pjrt_launch(situ_dev *d, void *kernel, char *const *address, const uint64_t *argument, situ_fault *fault);
void situ_pjrt_explain(const void *kernel, const char **chosen, const char **refusals);

#endif
