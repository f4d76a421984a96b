/* Copying to and from host memory. */
#include <math.h>
#include <string.h>

#include <situ/ops.h>

#include "base/hint.h"
#include "base/queue.h"
#include "device/device.h"
#include "device/thread.h"
#include "device/trace.h"
#include "device/virtual.h"
#include "graph/owned.h"
#include "graph/record.h"
#include "op/support.h"
#include "plan/build.h"
#include "run/ahead.h"
#include "run/enqueue.h"
#include "run/nan.h"
#include "run/read.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* Shows a copy by the calling thread in the trace. */
static void trace_copy(
    situ_track track, situ_device device, double start, double virtual_start, double virtual_end, size_t bytes, situ_site site)
{
    if (!situ_tracing() || !bytes) return;
    situ_trace_add(&(situ_trace_event){.name = track == SITU_TRACK_UPLOAD ? "upload" : "download",
        .site = site,
        .track = track,
        .device = device,
        .start = start,
        .end = situ_seconds(),
        .virtual_start = virtual_start,
        .virtual_end = virtual_end,
        .bytes = (int64_t)bytes});
}

/* May host memory of dtype `pointed` with `room` bytes (if both are known) hold such elements? */
static bool memory_fits(
    situ_dtype dtype, situ_dtype pointed, size_t bytes, size_t room, const char *operation, const char *name, situ_site site)
{
    bool same = pointed == dtype || pointed == SITU_DTYPE_DEFAULT || (pointed == SITU_U8 && dtype == SITU_BOOL) ||
        (pointed == SITU_BOOL && dtype == SITU_U8) || (pointed == SITU_U16 && (dtype == SITU_F16 || dtype == SITU_BF16)) ||
        (pointed == SITU_F32 && dtype == SITU_C64) || (pointed == SITU_F64 && dtype == SITU_C128);
    if (!same) {
        situ_fail(SITU_BAD_DTYPE, site,
            "%s: %s points to %s, but the elements are %s; an array of those, or (void *)%s if the memory holds them all the same",
            operation, name, situ_dtype_name(pointed), situ_dtype_name(dtype), name);
        return false;
    }
    if (bytes <= room) return true;
    situ_fail(SITU_BAD_SHAPE, site, "%s: %zu bytes are needed, %s has %zu", operation, bytes, name, room);
    return false;
}

/* Uploads the data to the new tensor's buffer. */
static bool fill(situ_tensor *t, situ_dev *dev, const void *data, size_t bytes, situ_reason reason, situ_site site)
{
    bool remote = t->device.kind != SITU_CPU;
    double start = situ_tracing() ? situ_seconds() : 0;
    situ_host_call();
    if (!remote) situ_host_copy(bytes);
    situ_host_thread *host = situ_host_record();
    host->copy_start = host->copy_end = situ_virtual;
    int rc = bytes ? dev->backend->upload(dev, t->buffer->address, data, bytes) : 0;
    t->buffer->clock = fmax(situ_virtual, host->copy_end); /* a simulated GPU gets it while the host goes on */
    if (remote) trace_copy(SITU_TRACK_UPLOAD, dev->device, start, host->copy_start, host->copy_end, bytes, site);
    if (rc) {
        char name[32];
        situ_fail(-rc, site, "situ_from_host: %s did not take the data: %s%s", situ_device_name(t->device, name),
            situ_code_name(-rc), situ_dev_why(dev));
        return false;
    }
    if (remote && bytes)
        situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_UPLOAD,
            .reason = reason,
            .from = situ_cpu(),
            .to = dev->device,
            .bytes = (int64_t)bytes,
            .site = site});
    return true;
}

situ_tensor *situ_move_from_host(
    const void *data, situ_shape shape, const situ_from_host_options *options, situ_reason reason, situ_site site)
{
    situ_from_host_options o = {SITU_DEFAULTS(SITU_FROM_HOST_DEFAULTS)};
    situ_thread *th = situ_thread_get();
    if (!th || situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_from_host", site)) return situ_poisoned();
    if (!situ_shape_check(&shape, false, "situ_from_host", site) || !situ_take_device(&o.device, "situ_from_host", site))
        return situ_poisoned();
    situ_dtype pointed = o.pointed > 0 && o.pointed <= SITU_DTYPES ? (situ_dtype)(o.pointed - 1) : SITU_DTYPE_DEFAULT;
    if (o.dtype == SITU_DTYPE_DEFAULT) o.dtype = pointed == SITU_DTYPE_DEFAULT ? SITU_F32 : pointed;
    int64_t count = situ_shape_count((int)shape.ndim, shape.dim);
    if (!situ_dtype_valid(o.dtype) || count < 0 || (count && !data))
        return situ_refused(SITU_BAD_ARGUMENT, site, "situ_from_host: %s",
            !situ_dtype_valid(o.dtype) ? "unknown dtype" :
                count < 0              ? "the shape has too many elements" :
                                         "data is NULL");
    size_t bytes = (size_t)count * situ_dtype_size(o.dtype);
    if (!memory_fits(o.dtype, pointed, bytes, o.room ? o.room : SIZE_MAX, "situ_from_host", "data", site)) return situ_poisoned();
    situ_dev *dev = situ_device_resolve(&o.device, site) ? NULL : situ_dev_open(o.device, site);
    if (!dev) return situ_poisoned();
    if (o.borrow && o.device.kind != SITU_CPU)
        return situ_refused(SITU_BAD_ARGUMENT, site,
            "situ_from_host: only the CPU can borrow host memory; leave " SITU_SAY(".borrow", "copy=False") " out for a copy");
    situ_label label = {.name = "from_host", .site = site, .dtype = (uint8_t)o.dtype, .ndim = (uint8_t)shape.ndim};
    memcpy(label.dim, shape.dim, sizeof label.dim);
    bool remote = o.device.kind != SITU_CPU;
    if (situ_nan_wanted()) situ_nan_look(o.dtype, data, bytes, "situ_from_host", NULL, true, o.device, site);
    int64_t nan = situ_guards_nan() ? situ_nan_find(o.dtype, data, bytes) : -1;
    if (nan >= 0)
        return situ_refused(
            SITU_NAN, site, "situ_from_host: element %lld of the data is a NaN, which a guard forbids", (long long)nan);
    if (!o.borrow && situ_ahead_any() && !situ_owned_recording(th)) situ_ahead_room(dev, (int64_t)bytes, site);
    if (remote && situ_ledger_allow(SITU_TRANSFER_UPLOAD, 1, (int64_t)bytes, site)) return situ_poisoned();
    situ_buffer *b = o.borrow ? situ_buffer_borrow(dev, (void *)(uintptr_t)data, bytes, o.release, o.self) :
                                situ_buffer_new(dev, bytes, &label, site);
    situ_tensor *t = b ? situ_node_new(&situ_op_stored, (int)shape.ndim, 0, 0, 0, site) : NULL;
    if (!t) {
        situ_buffer_unref(b);
        return situ_poisoned();
    }
    t->buffer = b;
    t->dtype = (uint8_t)o.dtype;
    t->device = dev->device;
    t->flags |= SITU_NODE_ASKED;
    memcpy(t->dim, shape.dim, 8 * (size_t)shape.ndim);
    if (o.borrow) return t;
    return fill(t, dev, data, bytes, reason, site) ? t : situ_poisoned();
}

situ_tensor *(situ_from_host)(const void *data, situ_shape shape, const situ_from_host_options *options, situ_site site)
{
    return situ_move_from_host(data, shape, options, SITU_REASON_CREATE, site);
}

situ_tensor *situ_contiguous(situ_tensor *t, situ_site site)
{
    situ_tensor *c = situ_node_new(&situ_op_contiguous, t->ndim, 1, 0, 0, site);
    if (!c) return NULL;
    c->dtype = t->dtype;
    c->device = t->device;
    memcpy(c->dim, t->dim, 8 * (size_t)t->ndim);
    situ_node_in(c)[0] = t;
    return situ_node_link(c) ? NULL : c;
}

int situ_download(situ_buffer *b, const char *from, void *out, size_t bytes, situ_reason reason, situ_site site)
{
    situ_device device = b->dev->device;
    bool remote = device.kind != SITU_CPU;
    double start = remote ? situ_seconds() : 0;
    int rc = situ_await(b, site);
    if (rc) return rc;
    double waited = remote ? situ_seconds() - start : 0, virtual_start = situ_virtual;
    rc = bytes ? b->dev->backend->download(b->dev, out, from, bytes) : 0;
    if (remote) trace_copy(SITU_TRACK_DOWNLOAD, device, start + waited, virtual_start, situ_virtual, bytes, site);
    else situ_host_copy(bytes);
    if (rc) {
        char name[32];
        return situ_fail(-rc, site, "situ_read: %s did not give the data: %s%s", situ_device_name(device, name),
            situ_code_name(-rc), situ_dev_why(b->dev));
    }
    situ_ledger_entry e = {.transfer = remote ? SITU_TRANSFER_DOWNLOAD : SITU_TRANSFER_LOCAL,
        .reason = reason,
        .from = device,
        .to = situ_cpu(),
        .bytes = (int64_t)bytes,
        .site = site};
    if (bytes) situ_ledger_add(&e);
    if (!remote) return 0;
    e.transfer = SITU_TRANSFER_WAIT;
    e.bytes = 0;
    e.seconds = waited;
    situ_ledger_add(&e);
    return 0;
}

static int fetch(situ_tensor *t, void *out, size_t bytes, situ_reason reason, situ_site site)
{
    if (!(t = situ_take_operand(situ_thread_get(), t, "situ_read", site))) return -situ_error_code;
    if (t->flags & SITU_NODE_SCALAR && situ_compute(&t, 1, true, site)) return -situ_error_code;
    size_t size = situ_node_bytes(t);
    if (bytes != size || (size && !out)) {
        char text[512];
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_read: %s has %zu bytes, but room for %zu was given",
            situ_operand_text(t, text, sizeof text), size, out ? bytes : 0);
    }
    bool remote = t->device.kind != SITU_CPU;
    if (remote &&
        (situ_ledger_allow(SITU_TRANSFER_DOWNLOAD, 1, (int64_t)size, site) || situ_ledger_allow(SITU_TRANSFER_WAIT, 1, 0, site)))
        return -situ_error_code;
    situ_tensor *both[2] = {t, t}; /* a view is stored as well, since it was asked for */
    bool view = (t->op->family == SITU_VIEW || situ_node_aside(t)->stride) && !situ_node_is_read(t);
    if (view && !(t = both[0] = situ_contiguous(t, site))) return -situ_error_code;
    if (situ_compute(both, view ? 2 : 1, true, site)) return -situ_error_code;
    if (situ_node_aside(t)->stride) { /* a plan stored it with strides */
        if (!(t = situ_contiguous(t, site)) || situ_compute(&t, 1, true, site)) return -situ_error_code;
    }
    return situ_download(t->buffer, situ_node_address(t), out, size, reason, site);
}

/* Outside of all scopes reading uses a scope of its own, so that a loop that reads does not accumulate nodes. */
int situ_fetch(situ_tensor *t, void *out, size_t bytes, situ_reason reason, situ_site site)
{
    situ_thread *th = situ_thread_get();
    situ_scope *own = th && th->scope == &th->root ? situ_scope_open() : NULL;
    int rc = fetch(t, out, bytes, reason, site);
    situ_scope_close(own);
    return rc;
}

int(situ_read)(situ_tensor *t, void *out, size_t bytes, situ_site site)
{
    return situ_fetch(t, out, bytes, SITU_REASON_READ, site);
}

int(situ_read_into)(situ_tensor *t, void *out, size_t bytes, situ_dtype pointed, size_t room, situ_site site)
{
    SITU_SPEAK("situ_read", site);
    if (!situ_thread_get() || !situ_usable(&t, 1, "situ_read", site)) return -situ_error_code;
    if (pointed == SITU_U8) pointed = SITU_DTYPE_DEFAULT; /* a byte pointer: its size alone is checked */
    if (!memory_fits((situ_dtype)t->dtype, pointed, bytes, room, "situ_read", "out", site)) return -situ_error_code;
    return situ_fetch(t, out, bytes, SITU_REASON_READ, site);
}

/* Reads one element into 16 bytes; returns its dtype, or -1. */
static int fetch_one(situ_tensor *t, void *out, situ_site site)
{
    if (!(t = situ_take_operand(situ_thread_get(), t, "situ_item", site))) return -1;
    if (situ_node_count(t) != 1) {
        char text[512];
        situ_fail(SITU_BAD_SHAPE, site,
            "situ_item: %s has %lld elements, not one; read it with " SITU_SAY("situ_read", "tolist() or numpy.asarray"),
            situ_operand_text(t, text, sizeof text), (long long)situ_node_count(t));
        return -1;
    }
    if (situ_fetch(t, out, situ_dtype_size((situ_dtype)t->dtype), SITU_REASON_ITEM, site)) return -1;
    return t->dtype;
}

/* SITU_DEBUG=hints: reports that a training has arrived at NaN, if the value depends on trainable variables. */
static void hint_nan(situ_tensor *t, situ_site site)
{
    situ_walk w = {.through = true};
    bool trains = false;
    t = situ_resolve(t, site);
    situ_mutex_lock(&situ_planner);
    if (t && !situ_walk_collect(&w, &t, 1, NULL, 0, site))
        for (uint32_t i = 0; i < w.count && !trains; i++) trains = w.node[i]->flags & SITU_NODE_TRAINABLE;
    situ_mutex_unlock(&situ_planner);
    situ_walk_free(&w);
    if (trains)
        situ_hint(site,
            "%s: a value that depends on trained parameters has become NaN; SITU_DEBUG=nan says which operation made the "
            "first one",
            SITU_SAY("situ_item", "item"));
}

double(situ_item)(situ_tensor *t, situ_site site)
{
    SITU_SPEAK("situ_item", site);
    char one[16];
    int d = fetch_one(t, one, site);
    double value = d < 0 ? (double)NAN : situ_element_get_f64((situ_dtype)d, one);
    if (d >= 0 && isnan(value) && situ_hints() && strncmp(situ_speaking.name, "situ_optimizer_", 15)) hint_nan(t, site);
    return value;
}

int64_t(situ_item_int)(situ_tensor *t, situ_site site)
{
    SITU_SPEAK("situ_item_int", site);
    char one[16];
    int d = fetch_one(t, one, site);
    if (d < 0) return 0;
    int64_t whole = situ_element_get_i64((situ_dtype)d, one);
    double value = situ_element_get_f64((situ_dtype)d, one);
    if (d == SITU_U64 ? whole >= 0 : d < SITU_F16 || (value >= -0x1p63 && value < 0x1p63)) return whole;
    situ_fail(SITU_BAD_NUMBER, site,
        "situ_item_int: %g is no int64_t; read it with " SITU_SAY("situ_item, or with situ_read", "item()"), value);
    return 0;
}
