/* The vtables of PJRT devices: opening them, and their properties. Devices whose platform is a TPU are of that kind. */
#include <stdio.h>
#include <string.h>

#include "backend/pjrt/pjrt.h"
#include "base/error.h"
#include "base/memory.h"
#include "device/device.h"
#include "run/launch.h"

static int count_others(char *reason, size_t size) { return situ_pjrt_count(false, reason, size); }
static int count_tpus(char *reason, size_t size) { return situ_pjrt_count(true, reason, size); }

static void close_device(situ_dev *d)
{
    situ_pjrt *s = d->state;
    for (size_t i = 0; i < s->pieces; i++) situ_pjrt_drop_value(s->piece[i].value);
    situ_pjrt_fewer_programs(s, 0);
    situ_pjrt_stretch_free(s->stretch);
    for (int i = 0; i < 2; i++) situ_lock_forget(&s->known[i]);
    situ_mutex_destroy(&s->lock);
    situ_mutex_destroy(&s->compiling);
    situ_free(s->piece);
    situ_free(s->run);
    situ_free(s);
    d->state = NULL;
}

/* Memory of the device as the plugin reports it; 0: unknown. */
static int64_t memory_of(const situ_pjrt *s, int64_t *in_use)
{
    pjrt_memory_stats a = {.size = sizeof a, .device = s->device};
    *in_use = -1;
    if (!s->plugin->api->function[PJRT_DEVICE_MEMORY_STATS]) return 0;
    if (situ_pjrt_code(s->plugin, situ_pjrt_call(s->plugin, PJRT_DEVICE_MEMORY_STATS, &a), NULL, 0)) return 0;
    *in_use = a.in_use;
    return a.limit_is_set ? a.limit : 0;
}

static int describe(situ_pjrt *s)
{
    const situ_pjrt_plugin *p = s->plugin;
    pjrt_of_one description = {.size = sizeof description, .object = s->device};
    pjrt_error error = situ_pjrt_call(p, PJRT_DEVICE_DESCRIPTION, &description);
    int code = situ_pjrt_gave(s, error, description.out);
    pjrt_number id = {.size = sizeof(pjrt_number), .object = description.out};
    pjrt_text kind = {.size = sizeof kind, .object = description.out};
    if (!code) code = situ_pjrt_failed(s, situ_pjrt_call(p, PJRT_DESCRIPTION_ID, &id));
    if (!code) code = situ_pjrt_failed(s, situ_pjrt_call(p, PJRT_DESCRIPTION_KIND, &kind));
    if (code) return code;
    s->id = id.out;
    snprintf(s->kind, sizeof s->kind, "%.*s", (int)(kind.length < sizeof s->kind ? kind.length : sizeof s->kind - 1),
        kind.out ? kind.out : "");
    return 0;
}

static int open_device(situ_dev *d)
{
    int64_t in_use;
    situ_pjrt *s = situ_calloc(1, sizeof *s);
    if (!s) return situ_fail(SITU_NO_MEMORY, NULL, "no memory for a PJRT device");
    situ_mutex_init(&s->lock);
    situ_mutex_init(&s->compiling);
    situ_lock_known(&s->known[0], &s->lock);
    situ_lock_known(&s->known[1], &s->compiling);
    s->next = SITU_FIRST_ADDRESS;
    s->stretch = situ_pjrt_stretch_new();
    situ_forget = situ_pjrt_forget;
    d->state = s;
    d->parallel = false;
    bool found = situ_pjrt_find(d->backend->kind == SITU_TPU, d->index, &s->plugin, &s->device);
    if (!found || !s->stretch || describe(s)) {
        situ_fail(SITU_NO_DEVICE, NULL, "%s(%d) cannot be used: %s", d->backend->name, d->index,
            !found          ? "it is gone" :
                !s->stretch ? "no memory" :
                              s->why);
        close_device(d);
        return -SITU_NO_DEVICE;
    }
    s->identity = situ_pjrt_identity(s);
    situ_pages_limit(d, memory_of(s, &in_use));
    return 0;
}

static int info(situ_dev *d, situ_device_info *out)
{
    situ_pjrt *s = d->state;
    int64_t in_use;
    out->memory_total = memory_of(s, &in_use);
    situ_mutex_lock(&s->lock);
    out->memory_used = in_use < 0 ? s->used : in_use;
    situ_mutex_unlock(&s->lock);
    snprintf(out->name, sizeof out->name, "%s", s->kind);
    snprintf(out->driver, sizeof out->driver, "%s", s->plugin->version);
    return 0;
}

static const char *why(situ_dev *d) { return ((situ_pjrt *)d->state)->why; }

#define SLOTS \
    .host_queue = true, .bit_equal = false, .keeps_values = true, .open = open_device, .close = close_device, \
    .alloc = situ_pjrt_alloc, .free = situ_pjrt_free, .upload = situ_pjrt_upload, .download = situ_pjrt_download, \
    .copy = situ_pjrt_copy, .compile = situ_pjrt_compile, .drop = situ_pjrt_drop, .launch = situ_pjrt_launch, .info = info, \
    .why = why, .explain = situ_pjrt_explain, .workspace = situ_pjrt_workspace, .finish = situ_pjrt_finish, \
    .mark = situ_pjrt_mark, .follow = situ_pjrt_follow, .unmark = situ_pjrt_unmark, .guard = situ_pjrt_guard

const situ_backend situ_backend_pjrt = {.name = "pjrt", .kind = SITU_PJRT, .count = count_others, SLOTS};
const situ_backend situ_backend_tpu = {.name = "tpu", .kind = SITU_TPU, .count = count_tpus, SLOTS};
