/* The table of devices: which exist, opening them once, closing them at the end. */
#include "device/device.h"
#include "os/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <situ/ledger.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parts.h"
#include "base/queue.h"
#include "base/runtime.h"
#include "device/streams.h"
#include "device/thread.h"
#include "os/lock.h"
#include "os/machine.h"
#include "os/process.h"

enum { KINDS = SITU_DEVICE_KINDS };

/* Opened devices; each pointer is written once, under the lock, and read without it. */
static situ_dev *_Atomic opened[KINDS][SITU_DEVICES_EACH];
SITU_LOCK(lock);

/* With SITU_GPUS=sim|opencl|... only this backend's devices are gpu(i), whatever their kind is otherwise. */
static bool serves(const situ_backend *b, situ_device_kind kind)
{
    const char *wish = kind == SITU_GPU ? situ_env("SITU_GPUS") : NULL;
    if (!wish || !*wish) return b->kind == kind;
    return !strcmp(b->name, wish) && b->kind != SITU_CPU && b->kind != SITU_NULL;
}

int situ_num_devices(situ_device_kind kind)
{
    int count = 0;
    char reason[256];
    for (int i = 0; situ_linked.backends[i]; i++)
        if (serves(situ_linked.backends[i], kind)) count += situ_linked.backends[i]->count(reason, sizeof reason);
    return count < SITU_DEVICES_EACH ? count : SITU_DEVICES_EACH;
}

/* The backend of a device and the device's index there; NULL: it does not exist. */
static const situ_backend *find(situ_device d, int *index)
{
    char reason[256];
    int at = d.kind == SITU_CPU || d.kind == SITU_NULL ? 0 : d.index;
    if (at < 0 || at >= SITU_DEVICES_EACH) return NULL;
    for (int i = 0; situ_linked.backends[i]; i++) {
        if (!serves(situ_linked.backends[i], (situ_device_kind)d.kind)) continue;
        int count = situ_linked.backends[i]->count(reason, sizeof reason);
        if (at < count) return *index = at, situ_linked.backends[i];
        at -= count;
    }
    return NULL;
}

bool situ_dev_exists(situ_device d)
{
    int index;
    return find(d, &index) != NULL;
}

/* Writes "cuda: why; sim: why" for the backends of this kind that have no device. */
static void reasons(situ_device_kind kind, char *text, size_t size)
{
    char why[512];
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; situ_linked.backends[i] && used < size; i++) {
        if (situ_linked.backends[i]->kind != kind || situ_linked.backends[i]->count(why, sizeof why)) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s: %s", used ? "; " : "", situ_linked.backends[i]->name, why);
    }
    if (!text[0]) snprintf(text, size, "this version of situ has no backend for any");
}

/* Words for messages: the name of a kind of device, and what to do if there is none, or only others. */
typedef struct kind_text {
    const char *title, *name, *none, *others;
} kind_text;
static const kind_text kind_texts[KINDS] = {
    [SITU_GPU] = {"GPU", "gpu",
        "use " SITU_SAY("situ_try_gpu(0)", "situ.try_gpu(0)") " to fall back to the CPU, or set SITU_SIM_GPUS=2 for simulated ones",
        SITU_SAY("situ_try_gpu", "situ.try_gpu")},
    [SITU_TPU] = {"TPU", "tpu", "use " SITU_SAY("situ_try_tpu_gpu(0)", "situ.try_tpu_gpu(0)") " to fall back to a GPU or the CPU",
        SITU_SAY("situ_try_tpu_gpu", "situ.try_tpu_gpu")},
};

static int fail_absent(situ_device d, situ_site site)
{
    char name[32], plain[32], title[48], why[1024], fall_back[96] = "";
    situ_device_name(d, name);
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "("), name);
    snprintf(title, sizeof title, "%s device", plain);
    const kind_text other = {title, plain, "use " SITU_SAY("situ_cpu()", "situ.cpu()") ", or install one", NULL};
    const kind_text *kind = d.kind > 0 && d.kind < KINDS && kind_texts[d.kind].name ? &kind_texts[d.kind] : &other;
    int count = situ_num_devices((situ_device_kind)d.kind);
    if (!count) {
        reasons((situ_device_kind)d.kind, why, sizeof why);
        return situ_fail(SITU_NO_DEVICE, site, "%s does not exist: there is no %s (%s); %s", name, kind->title, why, kind->none);
    }
    size_t used = 0;
    why[0] = 0;
    for (int i = 0; i < count && i < 8; i++)
        used += (size_t)snprintf(why + used, sizeof why - used, "%s%s(%d)", i ? ", " : "", kind->name, i);
    if (count > 8) snprintf(why + used, sizeof why - used, ", ..., %s(%d)", kind->name, count - 1);
    if (d.index < 0) snprintf(fall_back, sizeof fall_back, "; they are numbered from 0");
    else if (kind->others) snprintf(fall_back, sizeof fall_back, ", or %s(%d) to fall back to the CPU", kind->others, d.index);
    return situ_fail(SITU_NO_DEVICE, site, "%s does not exist: there %s %d %s%s (%s); use one of these%s", name,
        count == 1 ? "is" : "are", count, kind->title, count == 1 ? "" : "s", why, fall_back);
}

/* ---- opening and closing ---------------------------------------------------------------------------------------- */

void situ_dev_destroy(situ_dev *d)
{
    d->backend->close(d);
    situ_pages_free(d);
    situ_free(d);
}

static void close_all(void)
{
    /* Devices read each other's memory, so all queues stop before the first device is closed. */
    for (int i = 0; i < KINDS * SITU_DEVICES_EACH; i++) {
        situ_dev *d = opened[i / SITU_DEVICES_EACH][i % SITU_DEVICES_EACH];
        if (d) situ_streams_wait(d);
    }
    for (int i = 0; i < KINDS * SITU_DEVICES_EACH; i++) {
        situ_dev *d = opened[i / SITU_DEVICES_EACH][i % SITU_DEVICES_EACH];
        if (d) situ_streams_free(d);
    }
    situ_mutex_lock(&lock);
    for (int i = 0; i < KINDS * SITU_DEVICES_EACH; i++) {
        situ_dev *d = atomic_exchange(&opened[i / SITU_DEVICES_EACH][i % SITU_DEVICES_EACH], NULL);
        if (d && situ_pages_close(d)) situ_dev_destroy(d);
    }
    situ_mutex_unlock(&lock);
}

static void after_fork(void)
{
    for (int i = 0; i < KINDS * SITU_DEVICES_EACH; i++) {
        situ_dev *d = opened[i / SITU_DEVICES_EACH][i % SITU_DEVICES_EACH];
        if (d) situ_streams_after_fork(d);
    }
}

static int describe(situ_dev *d, situ_device_info *out)
{
    *out = (situ_device_info){.utilization = -1, .bit_equal = d->backend->bit_equal};
    snprintf(out->backend, sizeof out->backend, "%s", d->backend->name);
    return d->backend->info ? d->backend->info(d, out) : 0;
}

int64_t situ_default_limit(int64_t allowed, int64_t resident)
{
    if (!allowed) return 0;
    int64_t least = allowed / 4, limit = allowed - allowed / 16 - resident;
    return limit > least ? limit : least;
}

/* Sets the CPU's default limit. The system never refuses memory, it kills the process instead; so the limit is what is
 * allowed, less what the program uses already and a sixteenth for its other needs. Cached blocks must not fill the
 * machine either. */
static void set_target(situ_dev *d)
{
    const char *wish = situ_env("SITU_CPU_MEMORY");
    if (d->device.kind == SITU_CPU && !(wish && *wish))
        situ_pages_limit(d, situ_default_limit(situ_memory_allowed(), situ_memory_resident()));
    situ_device_info info;
    if (d->device.kind == SITU_CPU && !describe(d, &info)) situ_pages_target(d, info.memory_total / 2);
}

/* Called under the lock. */
static situ_dev *open_device(situ_device device, situ_site site)
{
    int index;
    const situ_backend *backend = find(device, &index);
    if (!backend) return fail_absent(device, site), NULL;
    situ_dev *d = situ_calloc(1, sizeof *d);
    if (!d) return situ_fail(SITU_NO_MEMORY, site, "no memory to open a device"), NULL;
    d->backend = backend;
    d->device = device;
    d->index = index;
    char name[32];
    situ_device_name(device, name);
    if (situ_at_shutdown(SITU_END_DEVICES, close_all) || situ_at_fork_reset(after_fork) || situ_pages_new(d)) goto no_device;
    if (backend->open(d)) {
        if (!situ_error_code) situ_fail(SITU_NO_DEVICE, site, "%s (%s) could not be opened", name, backend->name);
        goto no_state;
    }
    if (backend->host_queue && !(d->queue = situ_queue_new(name, device.kind == SITU_CPU))) goto no_queue;
    set_target(d);
    for (int i = 0; device.kind == SITU_CPU && situ_linked.backends[i]; i++)
        if (situ_linked.backends[i]->cpu_opened) situ_linked.backends[i]->cpu_opened();
    return d;
no_queue:
    backend->close(d);
no_state:
    situ_pages_free(d);
no_device:
    situ_free(d);
    return NULL;
}

situ_dev *situ_dev_opened(situ_device d)
{
    int index = d.kind == SITU_CPU || d.kind == SITU_NULL ? 0 : d.index;
    if (d.kind <= SITU_DEVICE_UNSET || d.kind >= KINDS || index < 0 || index >= SITU_DEVICES_EACH) return NULL;
    return atomic_load_explicit(&opened[d.kind][index], memory_order_acquire);
}

situ_dev *situ_dev_open(situ_device d, situ_site site)
{
    situ_dev *found = situ_forked ? NULL : situ_dev_opened(d);
    if (found) return found;
    if (situ_forked) return situ_fail_forked(site), NULL;
    if (situ_device_resolve(&d, site)) return NULL;
    if (d.index < 0 || d.index >= SITU_DEVICES_EACH) return fail_absent(d, site), NULL;
    situ_runtime_use();
    situ_mutex_lock(&lock);
    found = opened[d.kind][d.index];
    if (!found && (found = open_device(d, site))) atomic_store_explicit(&opened[d.kind][d.index], found, memory_order_release);
    situ_mutex_unlock(&lock);
    return found;
}

const char *situ_dev_why(situ_dev *d)
{
    situ_device_thread *t = situ_thread_self();
    const char *why = d->backend->why ? d->backend->why(d) : "";
    if (!t) return "";
    snprintf(t->why, sizeof t->why, "%s%s", *why ? ": " : "", why);
    return t->why;
}

/* ---- listing devices -------------------------------------------------------------------------------------------- */

int situ_device_describe(situ_device d, situ_device_info *out)
{
    SITU_SPEAK_AT("situ_device_describe");
    if (!out) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_device_describe: out is NULL");
    memset(out, 0, sizeof *out);
    situ_dev *dev = situ_dev_open(d, NULL);
    if (!dev) return -situ_error_code;
    if (describe(dev, out) && !situ_error_code)
        return situ_fail(SITU_DEVICE_LOST, NULL, "%s does not answer%s", dev->backend->name, situ_dev_why(dev));
    return -situ_error_code;
}

int situ_device_processes(situ_device d, situ_device_process *out, int most)
{
    SITU_SPEAK_AT("situ_device_processes");
    situ_memory memory;
    if (most > 0 && !out) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_device_processes: out is NULL");
    situ_dev *dev = situ_dev_open(d, NULL);
    if (!dev) return -situ_error_code;
    int n = dev->backend->processes ? dev->backend->processes(dev, out, most) : -1;
    if (n < 0) {
        if (situ_memory_of(d, &memory)) return -situ_error_code;
        n = memory.in_use > 0;
        if (n && most > 0) out[0] = (situ_device_process){.pid = situ_process_id(), .memory = memory.in_use};
    }
    for (int i = 0; i < n && i < most; i++) situ_process_name(out[i].pid, out[i].name, sizeof out[i].name);
    return n;
}

typedef void visitor(void *self, const char *backend, situ_device d, const situ_device_info *info, const char *reason);

/* Visits an opened device, or the reason why it cannot be opened; leaves no error pending. */
static void visit_device(const situ_backend *backend, situ_device device, visitor *visit, void *self)
{
    situ_device_info info;
    int earlier = situ_error_code;
    char text[400];
    situ_dev *d = situ_dev_open(device, NULL);
    bool known = d && !describe(d, &info);
    snprintf(text, sizeof text, "it does not answer%s", d && !known ? situ_dev_why(d) : "");
    if (known) visit(self, backend->name, device, &info, NULL);
    else visit(self, backend->name, device, NULL, !earlier && situ_error_code ? situ_error_peek() : text);
    if (!earlier && situ_error_code) situ_error_take(NULL);
}

void situ_devices_visit(visitor *visit, void *self)
{
    int next[KINDS] = {0};
    if (!visit) return;
    char reason[512];
    for (int i = 0; situ_linked.backends[i]; i++) {
        const situ_backend *b = situ_linked.backends[i];
        reason[0] = 0;
        int count = b->count(reason, sizeof reason);
        if (b->kind == SITU_GPU && !serves(b, SITU_GPU)) {
            snprintf(reason, sizeof reason, "left out: the environment says SITU_GPUS=%.20s", situ_env("SITU_GPUS"));
            count = 0;
        }
        situ_device_kind kind = serves(b, SITU_GPU) ? SITU_GPU : b->kind;
        /* why there is none, or which others exist and cannot be used */
        if (!count || reason[0]) visit(self, b->name, (situ_device){(int16_t)kind, (int16_t)next[kind]}, NULL, reason);
        if (count && b->lacks) b->lacks(reason, sizeof reason);
        if (count && b->lacks && reason[0]) visit(self, b->name, (situ_device){(int16_t)kind, (int16_t)next[kind]}, NULL, reason);
        for (int k = 0; k < count && next[kind] < SITU_DEVICES_EACH; k++)
            visit_device(b, (situ_device){(int16_t)kind, (int16_t)next[kind]++}, visit, self);
    }
}
