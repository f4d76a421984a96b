/* Computes a pending elementwise operation on stored single elements in the caller, when it is read at once: a plan
 * would cost several times as much. */
#include <string.h>

#include "device/streams.h"
#include "device/thread.h"
#include "graph/op.h"
#include "graph/walk.h"
#include "os/fp.h"
#include "run/enqueue.h"
#include "run/launch.h"
#include "run/nan.h"
#include "tensor/dtype.h"

/* Writes its element, converted to dtype d, to `at`; false: it is not on the host, or not computed yet. */
static bool operand(const situ_tensor *t, situ_dtype d, const char **at, char space[8])
{
    if (t->flags & SITU_NODE_SCALAR) {
        double value;
        if (d != SITU_F32 && d != SITU_F64) return false;
        memcpy(&value, situ_node_word(t), sizeof value);
        if (t->kind < 2) value = (double)(int64_t)*situ_node_word(t);
        float narrow = t->kind < 2 ? (float)(int64_t)*situ_node_word(t) : (float)value;
        if (d == SITU_F32) memcpy(space, &narrow, sizeof narrow);
        else memcpy(space, &value, sizeof value);
        *at = space;
        return true;
    }
    situ_buffer *b = t->buffer;
    if (!b || t->dtype != d || atomic_load(&b->failed) || b->dev->device.kind != SITU_CPU) return false;
    if (!situ_stamp_done(b->dev, atomic_load(&b->ready))) return false;
    *at = situ_node_address(t);
    return true;
}

static bool fits(const situ_tensor *t)
{
    bool plain = t->op->family == SITU_ELEMENTWISE && t->op->plain && t->device.kind == SITU_CPU && situ_node_count(t) == 1;
    return plain && !t->buffer && !(t->flags & (SITU_NODE_RAN | SITU_NODE_POISON | SITU_NODE_REVIVED)) &&
        (t->dtype == SITU_F32 || t->dtype == SITU_F64) && !situ_thread_state.in_launch;
}

/* Called under the planner's lock, because other threads may read the buffer of a kept node. */
static int store(situ_tensor *t, const char *result, situ_dev *d, situ_site site)
{
    situ_label label = {.name = situ_node_aside(t)->name ? situ_node_aside(t)->name : t->op->name,
        .site = t->site,
        .dtype = t->dtype,
        .ndim = t->ndim};
    memcpy(label.dim, t->dim, 8 * (size_t)t->ndim);
    situ_buffer *b = situ_buffer_new(d, situ_dtype_size((situ_dtype)t->dtype), &label, site);
    if (!b) return -situ_error_code;
    memcpy(b->address, result, situ_dtype_size((situ_dtype)t->dtype));
    situ_mutex_lock(&situ_planner);
    situ_store_in(t, b);
    situ_mutex_unlock(&situ_planner);
    return 0;
}

int situ_run_single(situ_tensor *t, situ_site site)
{
    char space[3][8], result[8];
    const char *in[3] = {NULL, NULL, NULL};
    if (!fits(t) || situ_nan_wanted() || situ_guards_nan()) return 1;
    situ_dev *d = NULL;
    for (int k = 0; k < t->nin; k++) {
        const situ_tensor *x = situ_node_in(t)[k];
        if (!operand(x, (situ_dtype)t->dtype, &in[k], space[k])) return 1;
        if (x->buffer) d = x->buffer->dev;
    }
    if (!d || !d->backend->element) return 1;
    uint64_t word = situ_fp_save();
    situ_fp_reset();
    bool done = d->backend->element(t->op->code, (situ_dtype)t->dtype, result, in[0], in[1], in[2]);
    situ_fp_restore(word);
    return done ? store(t, result, d, site) : 1;
}
