#include "data/prefetch.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "base/thread.h"
#include "data/gather.h"
#include "device/virtual.h"
#include "os/wait.h"

enum { SPARE_SLOTS = 2, MOST_WORKERS = 64, MOST_SLOTS = MOST_WORKERS + SPARE_SLOTS };

typedef struct worker {
    situ_prefetch *of;
    situ_thread_id thread;
    float *scratch; /* scratch for two rows of the first input */
} worker;

struct situ_prefetch {
    const situ_dataset *data;
    int64_t batch;
    int workers, slots, running; /* running: number of threads */
    worker worker[MOST_WORKERS];
    situ_gathered_rows slot[MOST_SLOTS];
    bool stop;
    int forks;       /* value of situ_forks when the threads were started */
    situ_mutex lock; /* protects what follows; each thread writes only to its own slot */
    situ_condition changed;
    situ_data_pass pass;
    int64_t batches;
    int64_t taken, given;     /* taken: batches that threads began; given: batches that the caller returned */
    int64_t done[MOST_SLOTS]; /* 1 + the number of the batch that is complete in this slot */
    int rc[MOST_SLOTS];       /* [slot] the result of gathering, and the row of an error */
    int64_t bad[MOST_SLOTS];
    double took[MOST_SLOTS]; /* virtual seconds of gathering it */
    bool holds;              /* the caller has batch number `given` */
    /* The virtual clock, for the caller alone: when each thread is done, if they take batches in turn; when each slot
     * was free. */
    double thread_clock[MOST_WORKERS], slot_clock[MOST_SLOTS];
};

static int64_t rows_of(const situ_prefetch *p, int64_t b)
{
    int64_t left = p->pass.count - b * p->batch;
    return left < p->batch ? left : p->batch;
}

/* Gathers the next batch. The lock is held, but not meanwhile. */
static void gather_one(worker *w)
{
    situ_prefetch *p = w->of;
    int64_t b = p->taken++, rows = rows_of(p, b);
    int i = (int)(b % p->slots);
    situ_data_pass pass = p->pass;
    situ_mutex_unlock(&p->lock);
    int64_t bad = 0;
    if (situ_host_on()) situ_host_work(0);
    double clock = situ_virtual;
    int rc = situ_data_gather(p->data, &pass, b * p->batch, rows, &p->slot[i], w->scratch, &bad);
    for (int k = 0; k < p->data->fields; k++) situ_host_copy(situ_slot_bytes(p->data, k, rows, pass.multiple));
    situ_mutex_lock(&p->lock);
    p->done[i] = b + 1;
    p->rc[i] = rc;
    p->bad[i] = bad;
    p->took[i] = situ_virtual - clock;
    if (rc && b + 1 < p->batches) p->batches = b + 1;
    situ_condition_broadcast(&p->changed);
}

static void *work(void *argument)
{
    worker *w = argument;
    situ_prefetch *p = w->of;
    situ_mutex_lock(&p->lock);
    while (!p->stop) {
        if (p->taken >= p->batches || p->taken >= p->given + p->slots) {
            situ_condition_wait(&p->changed, &p->lock);
            continue;
        }
        gather_one(w);
    }
    situ_mutex_unlock(&p->lock);
    return NULL;
}

void situ_prefetch_halt(situ_prefetch *p)
{
    if (!p->running) return;
    if (p->forks != situ_forks) { /* after a fork the threads do not exist in this process */
        situ_mutex_init(&p->lock);
        situ_condition_init(&p->changed);
        p->running = 0;
        p->stop = false;
        return;
    }
    situ_mutex_lock(&p->lock);
    p->stop = true;
    situ_condition_broadcast(&p->changed);
    situ_mutex_unlock(&p->lock);
    for (int i = 0; i < p->running; i++) situ_thread_join(p->worker[i].thread);
    p->running = 0;
    p->stop = false;
}

situ_prefetch *situ_prefetch_new(const situ_dataset *data, int64_t batch, int64_t multiple, int workers)
{
    situ_prefetch *p = situ_calloc(1, sizeof *p);
    bool fits = p != NULL;
    if (p) {
        p->data = data;
        p->batch = batch;
        p->workers = data->count < 0 ? 1 : workers < MOST_WORKERS ? workers : MOST_WORKERS;
        p->slots = p->workers + SPARE_SLOTS;
        situ_mutex_init(&p->lock);
        situ_condition_init(&p->changed);
    }
    for (int i = 0; fits && i < p->slots; i++)
        for (int k = 0; fits && k < data->fields; k++)
            fits = (p->slot[i].field[k] = situ_malloc(situ_slot_bytes(data, k, batch, multiple) + 1)) != NULL;
    for (int i = 0; fits && i < p->workers && data->fields && !data->field[0].start; i++) {
        p->worker[i].of = p;
        fits = (p->worker[i].scratch = situ_malloc((size_t)situ_column_count(&data->field[0]) * 2 * sizeof(float) + 1)) != NULL;
    }
    for (int i = 0; p && i < p->workers; i++) p->worker[i].of = p;
    if (fits) return p;
    situ_prefetch_free(p);
    situ_fail(SITU_NO_MEMORY, NULL, "situ_loader_new: out of host memory for prefetched batches");
    return NULL;
}

void situ_prefetch_free(situ_prefetch *p)
{
    if (!p) return;
    situ_prefetch_halt(p);
    situ_mutex_destroy(&p->lock);
    situ_condition_destroy(&p->changed);
    for (int i = 0; i < p->slots; i++)
        for (int k = 0; k < p->data->fields; k++) situ_free(p->slot[i].field[k]);
    for (int i = 0; i < p->workers; i++) situ_free(p->worker[i].scratch);
    situ_free(p);
}

int situ_prefetch_start(situ_prefetch *p, const situ_data_pass *pass, int64_t first)
{
    situ_prefetch_halt(p);
    p->pass = *pass;
    p->batches = pass->count / p->batch + (pass->count % p->batch != 0);
    p->taken = p->given = first;
    memset(p->done, 0, sizeof p->done);
    p->holds = false;
    p->forks = situ_forks;
    for (int i = 0; i < p->workers; i++) p->thread_clock[i] = situ_virtual;
    for (int i = 0; i < p->slots; i++) p->slot_clock[i] = situ_virtual;
    for (; p->running < p->workers; p->running++) {
        worker *w = &p->worker[p->running];
        int code = situ_thread_start(&w->thread, work, w, "situ-prefetch");
        if (!code) continue;
        if (p->running || code == ENOSYS) break; /* others run, or the caller gathers */
        return situ_fail(SITU_NO_THREAD, NULL,
            "situ_loader_start: the prefetching thread could not be started; use " SITU_SAY(".resident = true", "resident=True"));
    }
    return 0;
}

/* The caller waits until batch b would be there. */
static void reach_batch(situ_prefetch *p, int64_t b, double took)
{
    double *thread = &p->thread_clock[b % p->workers], free = p->slot_clock[b % p->slots];
    *thread = (*thread > free ? *thread : free) + took;
    situ_host_wait(*thread);
}

const situ_gathered_rows *situ_prefetch_next(situ_prefetch *p)
{
    if (p->running && p->forks != situ_forks) {
        situ_fail(SITU_FORKED, NULL,
            "situ_loader_next: the thread that gathers batches is not in this child of a fork; begin a pass of its own "
            "with " SITU_SAY("situ_loader_start", "iter(loader)"));
        return NULL;
    }
    situ_mutex_lock(&p->lock);
    if (p->holds) {
        p->slot_clock[p->given % p->slots] = situ_virtual;
        p->given++;
        p->holds = false;
        situ_condition_broadcast(&p->changed);
    }
    int64_t b = p->given;
    int i = (int)(b % p->slots);
    while (b < p->batches && p->done[i] != b + 1) {
        if (p->running) situ_condition_wait(&p->changed, &p->lock);
        else gather_one(&p->worker[0]); /* a system without threads */
    }
    p->holds = b < p->batches;
    int rc = p->holds ? p->rc[i] : 0;
    int64_t bad = p->bad[i];
    double took = p->took[i];
    situ_mutex_unlock(&p->lock);
    if (situ_host_on() && p->holds) reach_batch(p, b, took);
    if (rc < 0 || (rc && p->data->count >= 0)) {
        situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_loader_next: the function of the data set \"%s\" gave %d for row %lld",
            p->data->name, rc, (long long)bad);
        return NULL;
    }
    return p->holds && p->slot[i].rows ? &p->slot[i] : NULL;
}
