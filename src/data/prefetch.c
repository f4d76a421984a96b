#include "data/prefetch.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "base/wait.h"

enum { PREFETCH_SLOTS = 3 };

struct situ_prefetch {
    const situ_dataset *data;
    int64_t batch;
    float *x; /* [slots][batch][row] */
    int32_t *y;
    pthread_t thread;
    bool running, stop;
    int forks;            /* situ_forks when the thread was started */
    pthread_mutex_t lock; /* what follows; the thread only touches slots that are its own */
    pthread_cond_t changed;
    const int64_t *order;
    int64_t count, batches;
    int64_t gathered, given; /* batches done by the thread, given back by the caller */
    bool holds;              /* the caller has batch number `given` */
};

static void gather(situ_prefetch *p, const int64_t *order, int64_t count, int64_t b)
{
    const situ_dataset *d = p->data;
    int64_t slot = b % PREFETCH_SLOTS, first = b * p->batch, rows = count - first < p->batch ? count - first : p->batch;
    float *x = p->x + slot * p->batch * d->row;
    int32_t *y = p->y + slot * p->batch;
    for (int64_t i = 0; i < rows; i++) {
        int64_t from = order[first + i];
        memcpy(x + i * d->row, d->x + from * d->row, (size_t)d->row * sizeof *x);
        y[i] = d->y[from];
    }
}

static void *work(void *argument)
{
    situ_prefetch *p = argument;
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        if (p->gathered < p->batches && p->gathered < p->given + PREFETCH_SLOTS) {
            const int64_t *order = p->order;
            int64_t count = p->count, b = p->gathered;
            pthread_mutex_unlock(&p->lock);
            gather(p, order, count, b);
            pthread_mutex_lock(&p->lock);
            p->gathered++;
            pthread_cond_broadcast(&p->changed);
        } else {
            pthread_cond_wait(&p->changed, &p->lock);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void situ_prefetch_halt(situ_prefetch *p)
{
    if (!p->running) return;
    if (p->forks != situ_forks) { /* it is not in this process */
        pthread_mutex_init(&p->lock, NULL);
        pthread_cond_init(&p->changed, NULL);
        p->running = p->stop = false;
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    p->running = p->stop = false;
}

situ_prefetch *situ_prefetch_new(const situ_dataset *data, int64_t batch)
{
    situ_prefetch *p = situ_calloc(1, sizeof *p);
    if (p) {
        p->data = data;
        p->batch = batch;
        p->x = situ_malloc((size_t)(PREFETCH_SLOTS * batch * data->row) * sizeof *p->x);
        p->y = situ_malloc((size_t)(PREFETCH_SLOTS * batch) * sizeof *p->y);
        pthread_mutex_init(&p->lock, NULL);
        pthread_cond_init(&p->changed, NULL);
    }
    if (p && p->x && p->y) return p;
    situ_prefetch_free(p);
    situ_fail(SITU_NO_MEMORY, NULL, "situ_loader_new: out of host memory for prefetched batches");
    return NULL;
}

void situ_prefetch_free(situ_prefetch *p)
{
    if (!p) return;
    situ_prefetch_halt(p);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    situ_free(p->x);
    situ_free(p->y);
    situ_free(p);
}

int situ_prefetch_start(situ_prefetch *p, const int64_t *order, int64_t count)
{
    situ_prefetch_halt(p);
    p->order = order;
    p->count = count;
    p->batches = (count + p->batch - 1) / p->batch;
    p->gathered = p->given = 0;
    p->holds = false;
    if (situ_thread_start(&p->thread, work, p, "situ-prefetch"))
        return situ_fail(SITU_NO_THREAD, NULL,
            "situ_loader_start: the prefetching thread could not be started; use " SITU_SAY(".resident = true", "resident=True"));
    p->running = true;
    p->forks = situ_forks;
    return 0;
}

int64_t situ_prefetch_next(situ_prefetch *p, const float **x, const int32_t **y)
{
    if (p->running && p->forks != situ_forks) {
        situ_fail(SITU_FORKED, NULL,
            "situ_loader_next: the thread that gathers batches is not in this child of a fork; begin a pass of its own "
            "with " SITU_SAY("situ_loader_start", "iter(loader)"));
        return 0;
    }
    pthread_mutex_lock(&p->lock);
    if (p->holds) {
        p->given++;
        p->holds = false;
        pthread_cond_broadcast(&p->changed);
    }
    int64_t b = p->given;
    while (b < p->batches && p->gathered <= b) pthread_cond_wait(&p->changed, &p->lock);
    p->holds = b < p->batches;
    pthread_mutex_unlock(&p->lock);
    if (b >= p->batches) return 0;
    *x = p->x + b % PREFETCH_SLOTS * p->batch * p->data->row;
    *y = p->y + b % PREFETCH_SLOTS * p->batch;
    int64_t left = p->count - b * p->batch;
    return left < p->batch ? left : p->batch;
}
