#include "run/borrow.h"

#include <string.h>

#include <situ/ops.h>

#include "base/queue.h"
#include "device/streams.h"
#include "graph/owned.h"
#include "op/support.h"
#include "plan/build.h"
#include "run/enqueue.h"
#include "run/read.h"

int situ_borrow_open(situ_tensor *t, bool contiguous, situ_borrow *out, situ_site site)
{
    memset(out, 0, sizeof *out);
    if (!(t = situ_take_operand(situ_thread_get(), t, "situ_read", site))) return -situ_error_code;
    for (int round = 0; round < 2; round++) { /* at first a plan may store it with strides; the second round makes it contiguous */
        const int64_t *stride = situ_node_aside(t)->stride;
        bool strided = stride && !situ_is_contiguous(t->ndim, t->dim, stride);
        if (contiguous && ((!t->buffer && t->op->family == SITU_VIEW && !situ_node_is_read(t)) || strided) &&
            !(t = situ_contiguous(t, site)))
            return -situ_error_code;
        int rc = t->buffer || situ_thread_get()->dirty_count ? 1 : situ_run_single(t, site);
        if (rc < 0 || (rc && !t->buffer && situ_compute(&t, 1, false, site))) return -situ_error_code;
        stride = situ_node_aside(t)->stride;
        if (!contiguous || !stride || situ_is_contiguous(t->ndim, t->dim, stride)) break;
    }
    out->buffer = situ_buffer_ref(t->buffer);
    out->data = situ_node_address(t);
    out->device = t->device;
    out->dtype = t->dtype;
    out->ndim = t->ndim;
    memcpy(out->dim, t->dim, 8 * (size_t)t->ndim);
    const int64_t *stride = situ_node_aside(t)->stride;
    if (stride) memcpy(out->stride, stride, 8 * (size_t)t->ndim);
    else situ_shape_strides(t->ndim, t->dim, out->stride);
    out->contiguous = situ_is_contiguous(t->ndim, out->dim, out->stride);
    return 0;
}

int situ_borrow_is_there(situ_tensor *t, situ_site site)
{
    if (!(t = situ_take_operand(situ_thread_get(), t, "situ_wait", site))) return -situ_error_code;
    situ_buffer *b = t->buffer;
    if (!b || t->device.kind != SITU_CPU || !situ_stamp_done(b->dev, atomic_load(&b->ready))) return 0;
    int rc = situ_await(b, site);
    return rc ? rc : 1;
}

size_t situ_borrow_bytes(const situ_borrow *b)
{
    return (size_t)situ_shape_count(b->ndim, b->dim) * situ_dtype_size((situ_dtype)b->dtype);
}

int situ_borrow_wait(const situ_borrow *b, situ_site site)
{
    if (!situ_thread_get()) return -situ_error_code;
    if (b->device.kind == SITU_CPU) return situ_await(b->buffer, site);
    if (situ_ledger_allow(SITU_TRANSFER_WAIT, 1, 0, site)) return -situ_error_code;
    double start = situ_seconds();
    int rc = situ_await(b->buffer, site);
    situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_WAIT,
        .reason = SITU_REASON_WAIT,
        .from = b->device,
        .site = site,
        .seconds = situ_seconds() - start});
    return rc;
}

void situ_borrow_note(const situ_borrow *b, situ_reason reason, situ_site site)
{
    size_t bytes = situ_borrow_bytes(b);
    if (b->device.kind == SITU_CPU && bytes)
        situ_ledger_add(&(situ_ledger_entry){.transfer = SITU_TRANSFER_LOCAL,
            .reason = reason,
            .from = b->device,
            .to = situ_cpu(),
            .bytes = (int64_t)bytes,
            .site = site});
}

int situ_borrow_read(const situ_borrow *b, void *out, situ_reason reason, situ_site site)
{
    size_t bytes = situ_borrow_bytes(b);
    bool remote = b->device.kind != SITU_CPU;
    if (remote &&
        (situ_ledger_allow(SITU_TRANSFER_DOWNLOAD, 1, (int64_t)bytes, site) || situ_ledger_allow(SITU_TRANSFER_WAIT, 1, 0, site)))
        return -situ_error_code;
    return situ_download(b->buffer, b->data, out, bytes, reason, site);
}

void situ_borrow_close(situ_borrow *b)
{
    situ_buffer_unref(b->buffer);
    b->buffer = NULL;
}

/* ---- sharing memory ------------------------------------------------------------------------------------------------ */

static situ_tensor *stored_node(
    situ_dtype dtype, situ_device device, const situ_shape *shape, const int64_t *stride, const situ_way *way, situ_site site)
{
    static const situ_way none = {.op = &situ_op_stored};
    bool recorded = way != NULL;
    if (!way) way = &none;
    situ_tensor *t = situ_node_new(way->op, (int)shape->ndim, recorded, way->nword, way->attr_size, site);
    if (!t) return NULL;
    t->dtype = (uint8_t)dtype;
    t->device = device;
    t->flags |= SITU_NODE_ASKED | (recorded ? SITU_NODE_RAN : 0);
    memcpy(situ_node_word(t), way->word, way->nword * sizeof *way->word);
    memcpy((void *)(uintptr_t)situ_node_attr(t), way->attr, way->attr_size);
    memcpy(t->dim, shape->dim, 8 * (size_t)shape->ndim);
    if (!situ_node_make_aside(t)) return NULL;
    if (stride && !situ_is_contiguous(t->ndim, t->dim, stride) && !(t->aside->stride = situ_node_strides(t, stride))) return NULL;
    return t;
}

situ_tensor *situ_share_host(
    void *data, situ_dtype dtype, situ_shape shape, const int64_t *stride, void (*release)(void *self), void *self, situ_site site)
{
    situ_dev *dev = situ_thread_get() && !situ_error_code ? situ_dev_open(situ_cpu(), site) : NULL;
    if (!dev || !situ_shape_check(&shape, false, "situ_share_host", site)) return situ_poisoned();
    situ_tensor *t = stored_node(dtype, dev->device, &shape, stride, NULL, site);
    int64_t low = 0, high = 0;
    for (int i = 0; i < shape.ndim && t && t->aside->stride; i++) {
        int64_t reach = (shape.dim[i] - 1) * stride[i];
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    int64_t size = (int64_t)situ_dtype_size(dtype), count = situ_shape_count((int)shape.ndim, shape.dim);
    int64_t elements = !count ? 0 : t && t->aside->stride ? high - low + 1 : count;
    situ_buffer *b = t ? situ_buffer_borrow(dev, (char *)data + low * size, (size_t)(elements * size), release, self) : NULL;
    if (!b) return situ_poisoned();
    t->buffer = b;
    t->aside->offset = -low * size;
    return t;
}

situ_tensor *situ_share_part(
    situ_tensor *t, situ_shape shape, int64_t offset, const int64_t *stride, const situ_way *way, situ_site site)
{
    if (!t->buffer) return NULL;
    situ_tensor *y = stored_node((situ_dtype)t->dtype, t->device, &shape, stride, way, site);
    if (!y) return situ_poisoned();
    y->buffer = situ_buffer_ref(t->buffer);
    y->aside->offset = situ_node_aside(t)->offset + offset * (int64_t)situ_dtype_size((situ_dtype)t->dtype);
    if (way) situ_owned_stored(y, t);
    return y;
}

int situ_store_part(situ_tensor *y, const situ_tensor *t, int64_t offset, const int64_t *stride, situ_site site)
{
    if (!situ_node_make_aside(y)) return situ_fail(SITU_NO_MEMORY, site, "out of host memory for the graph");
    if (!situ_is_contiguous(y->ndim, y->dim, stride) && !(y->aside->stride = situ_node_strides(y, stride))) return -situ_error_code;
    situ_mutex_lock(&situ_planner);
    y->aside->offset = situ_node_aside(t)->offset + offset * (int64_t)situ_dtype_size((situ_dtype)t->dtype);
    for (situ_tensor *between = situ_node_in(y)[0]; between != t && between->nin; between = situ_node_in(between)[0])
        situ_note_stored(between);
    situ_store_in(y, situ_buffer_ref(t->buffer));
    situ_mutex_unlock(&situ_planner);
    return 0;
}
