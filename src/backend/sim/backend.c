/* The vtable of simulated GPUs. The host_queue's thread acts as the device; kernels are the CPU's, run without its
 * thread pool. */
#include "backend/sim/sim.h"

#include <stdio.h>
#include <string.h>

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/kernel.h"
#include "backend/sim/card.h"
#include "backend/sim/configure.h"
#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"
#include "device/virtual.h"
#include "graph/record.h"
#include "os/plain.h"
#include "plan/kernel.h"
#include "run/launch.h"

static int open_device(situ_dev *d)
{
    if (situ_sim_begin() || situ_sim_cluster_open() || situ_sim_show()) return -situ_error_code;
    situ_card card;
    situ_card_now(&card);
    situ_sim *s = situ_calloc(1, sizeof *s);
    if (!s) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a simulated GPU");
    situ_mutex_init(&s->lock);
    s->index = d->device.index;
    situ_sim_dress_one(s, &card);
    if (!s->options.memory) {
        situ_mutex_destroy(&s->lock);
        situ_free(s);
        return situ_fail(
            SITU_NO_MEMORY, NULL, "the system gives no address space for a simulated GPU; see ulimit -v and vm.overcommit_memory");
    }
    situ_lock_known(&s->known, &s->lock);
    d->state = s;
    d->parallel = false;
    situ_pages_limit(d, s->options.memory);
    return 0;
}

static void close_device(situ_dev *d)
{
    situ_sim *s = d->state;
    situ_space_free(&s->space);
    s->options.memory = 0; /* other processes see it no more */
    situ_sim_show_memory(s);
    situ_lock_forget(&s->known);
    situ_mutex_destroy(&s->lock);
    situ_free(s);
    d->state = NULL;
}

static int allocate(situ_dev *d, size_t bytes, void **address)
{
    situ_sim *s = d->state;
    situ_mutex_lock(&s->lock);
    int code = s->lost ? -SITU_DEVICE_LOST : 0;
    if (!code && !(*address = situ_space_alloc(&s->space, bytes))) code = -SITU_DEVICE_MEMORY;
    if (!code) s->count.allocations++, situ_sim_show_memory(s);
    situ_mutex_unlock(&s->lock);
    return code;
}

static void release(situ_dev *d, void *address, size_t bytes)
{
    situ_sim *s = d->state;
    (void)bytes;
    situ_mutex_lock(&s->lock);
    if (situ_space_release(&s->space, address)) s->count.frees++, situ_sim_show_memory(s);
    situ_mutex_unlock(&s->lock);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Finds the real address of [address, address + bytes) of this device; an invalid address makes the device lost, as on
 * real hardware. */
static int reach(situ_sim *s, const void *address, size_t bytes, char **at)
{
    if (s->lost) return -SITU_DEVICE_LOST;
    *at = situ_space_translate(&s->space, address, bytes);
    if (*at) return 0;
    s->lost = true;
    return -SITU_DEVICE_LOST;
}

static int upload(situ_dev *d, void *to, const void *from_host, size_t bytes)
{
    situ_sim *s = d->state;
    char *at;
    double start = situ_seconds();
    if (!situ_thread_state.in_launch) situ_host_copy(bytes);
    situ_mutex_lock(&s->lock);
    int code = reach(s, to, bytes, &at);
    if (!code) {
        s->count.upload_count++;
        s->count.upload_bytes += (int64_t)bytes;
    }
    situ_mutex_unlock(&s->lock); /* the timeline's lock comes before a device's */
    if (code) return code;
    situ_sim_link_time(s, -1, d->index, bytes);
    if (bytes) memcpy(at, from_host, bytes);
    situ_sim_sleep(s, start);
    return 0;
}

static int download(situ_dev *d, void *to_host, const void *from, size_t bytes)
{
    situ_sim *s = d->state;
    char *at;
    double start = situ_seconds(), until = 0;
    situ_mutex_lock(&s->lock);
    int code = reach(s, from, bytes, &at);
    if (!code) {
        s->count.download_count++;
        s->count.download_bytes += (int64_t)bytes;
    }
    situ_mutex_unlock(&s->lock);
    if (code) return code;
    until = situ_sim_link_time(s, d->index, -1, bytes);
    if (bytes) memcpy(to_host, at, bytes);
    if (until > 0) situ_host_wait(until), situ_host_copy(bytes);
    situ_sim_sleep(s, start);
    return 0;
}

static int copy(situ_dev *d, void *to, situ_dev *from_dev, const void *from, size_t bytes)
{
    if (from_dev->backend != &situ_backend_sim) return -SITU_UNSUPPORTED;
    situ_sim *s = d->state, *source = from_dev->state;
    char *at, *from_at;
    double start = situ_seconds(), until = 0;
    situ_mutex_lock(&source->lock);
    int code = reach(source, from, bytes, &from_at);
    situ_mutex_unlock(&source->lock);
    if (code) return code;
    situ_mutex_lock(&s->lock);
    code = reach(s, to, bytes, &at);
    if (!code) {
        s->count.peer_count++;
        s->count.peer_bytes += (int64_t)bytes;
        /* on one device the bytes are read from and written to its own memory */
        if (s == source) until = situ_sim_kernel_time(s, 0, 2 * (double)bytes);
    }
    situ_mutex_unlock(&s->lock);
    if (code) return code;
    if (s != source) until = situ_sim_link_time(s, from_dev->index, d->index, bytes);
    if (bytes) memmove(at, from_at, bytes);
    if (until > 0) situ_host_wait(until);
    situ_sim_sleep(s, start);
    return 0;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

typedef struct kernel {
    void *cpu;
    int naddress;
    double flops, bytes;
} kernel;

static void *compile(situ_dev *d, const struct situ_kernel_desc *desc)
{
    (void)d;
    kernel *k = situ_malloc(sizeof *k);
    if (!k) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a kernel"), NULL;
    *k = (kernel){situ_cpu_kernel_new(desc), desc->naddress, desc->flops, desc->bytes};
    if (k->cpu) return k;
    situ_free(k);
    return NULL;
}

static void drop(situ_dev *d, void *it)
{
    (void)d;
    kernel *k = it;
    if (!k) return;
    situ_cpu_kernel_free(k->cpu);
    situ_free(k);
}

enum { MOST_ADDRESSES = 64 };

/* Called under the lock: fails if the device is lost, and translates addresses. */
static int prepare(situ_sim *s, const kernel *k, char *const *address, char **hidden)
{
    if (!s->lost && s->lose_in && !--s->lose_in) s->lost = true;
    if (s->lost) return -SITU_DEVICE_LOST;
    for (int i = 0; i < k->naddress; i++) {
        int code = 0;
        if (address[i]) code = reach(s, address[i], 0, &hidden[i]);
        else hidden[i] = NULL;
        if (code) return code;
    }
    return 0;
}

static int launch(situ_dev *d, void *it, char *const *address, const uint64_t *argument, situ_fault *fault)
{
    situ_sim *s = d->state;
    const kernel *k = it;
    char *few[MOST_ADDRESSES], **hidden = few;
    double start = situ_seconds(), until = 0;
    if (k->naddress > MOST_ADDRESSES && !(hidden = situ_malloc((size_t)k->naddress * sizeof *hidden))) return -SITU_NO_MEMORY;
    situ_mutex_lock(&s->lock);
    int code = prepare(s, k, address, hidden);
    if (!code) {
        s->count.kernels++;
        until = situ_sim_kernel_time(s, k->flops, k->bytes);
    }
    situ_mutex_unlock(&s->lock);
    if (!code) code = situ_cpu_kernel_run(k->cpu, hidden, argument, fault, false);
    if (hidden != few) situ_free(hidden);
    if (!code) situ_sim_sleep(s, start);
    if (until > 0 && !code) situ_host_wait(until);
    return code;
}

static int info(situ_dev *d, situ_device_info *out)
{
    situ_sim *s = d->state;
    situ_mutex_lock(&s->lock);
    situ_plain_format(out->name, sizeof out->name, "simulated GPU %d (%.4g TFLOP/s, %.4g GB/s, link %.4g GB/s)", d->index,
        s->options.flops / 1e12, s->options.memory_bandwidth / 1e9, s->options.link_bandwidth / 1e9);
    situ_plain_format(
        out->driver, sizeof out->driver, "simulated: virtual clock %.6f s%s", s->count.virtual_seconds, s->lost ? ", lost" : "");
    out->memory_used = s->space.used;
    out->memory_total = s->options.memory;
    out->simulated = true;
    situ_mutex_unlock(&s->lock);
    return 0;
}

static void explain(const void *it, const char **chosen, const char **refusals)
{
    const kernel *k = it;
    *chosen = situ_cpu_kernel_chosen(k->cpu);
    *refusals = situ_cpu_kernel_refusals(k->cpu);
}

const situ_backend situ_backend_sim = {
    .name = "sim",
    .kind = SITU_GPU,
    .host_queue = true,
    .simulated = true,
    .host_calls = true,
    .bit_equal = true,
    .count = situ_sim_number,
    .cpu_opened = situ_sim_beside_cpu,
    .open = open_device,
    .close = close_device,
    .alloc = allocate,
    .free = release,
    .upload = upload,
    .download = download,
    .copy = copy,
    .compile = compile,
    .drop = drop,
    .launch = launch,
    .info = info,
    .explain = explain,
    .claims = situ_cpu_claims,
    .packs = situ_gemm_packable,
};
