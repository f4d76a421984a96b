#include "graph/operand.h"

#include <stdio.h>
#include <string.h>

#include "os/plain.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

const char *situ_operand_text(const situ_tensor *t, char *buffer, size_t size)
{
    char shape[SITU_SHAPE_TEXT], device[32];
    if (!t) {
        snprintf(buffer, size, "NULL");
    } else if (t->flags & SITU_NODE_SCALAR) {
        double value;
        memcpy(&value, situ_node_word(t), 8);
        if (t->dtype == SITU_U64) snprintf(buffer, size, "the number %llu", (unsigned long long)situ_node_word(t)[0]);
        else if (t->kind < 2 && t->dtype != SITU_F64) snprintf(buffer, size, "the number %lld", (long long)situ_node_word(t)[0]);
        else situ_plain_format(buffer, size, "the number %g", value);
    } else {
        const char *name = situ_node_aside(t)->name;
        snprintf(buffer, size, "%s%s%s%s @%s, made at %s", name ? name : "", name ? " = " : "",
            situ_dtype_name((situ_dtype)t->dtype), situ_shape_text(t->ndim, t->dim, shape, sizeof shape),
            situ_device_name(t->device, device), t->site ? t->site : "an unknown line");
    }
    return buffer;
}

/* The name of operand i, or "operand i". */
static const char *operand_name(const situ_op *op, int i, char *buffer, size_t size)
{
    const char *at = op->operands ? op->operands : "";
    for (int k = 0; k < i && *at; k++) {
        at += strcspn(at, ",");
        at += strspn(at, ", ");
    }
    size_t n = strcspn(at, ",");
    if (n) snprintf(buffer, size, "%.*s", (int)n, at);
    else snprintf(buffer, size, "operand %d", i + 1);
    return buffer;
}

/* True if the handle is not valid any more. Gradient rules may read operands with released handles: a node lives as
 * long as its readers. */
static bool gone(const situ_tensor *t)
{
    return t->alive != SITU_NODE_ALIVE && !(t->alive == SITU_NODE_RELEASED && situ_thread_state.rules);
}

static int fail_gone(const situ_tensor *t, const char *function, const char *operand, situ_site site)
{
    const situ_heap *h = situ_heap_of(t);
    if (t->alive == SITU_NODE_RELEASED && h->node == t) {
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "%s: %s was released%s%s (it was made at %s); " SITU_SAY("release a handle after its last use",
                "its network was moved or took another in its place, take it from net.parameters() again"),
            function, operand, h->released_at ? " at " : "", h->released_at ? h->released_at : "",
            t->site ? t->site : "an unknown line");
    }
    if (t->alive != SITU_NODE_CLOSED)
        return situ_fail(SITU_BAD_ARGUMENT, site,
            "%s: %s is no tensor any more: its scope was closed, or its handle released, long ago", function, operand);
    situ_site closed = (situ_site)(uintptr_t)t->walk;
    return situ_fail(SITU_BAD_ARGUMENT, site,
        "%s: %s (made at %s) is gone: its scope was closed%s%s" SITU_SAY(
            "; take it out with situ_scope_close_with(scope, t), or situ_keep it", ""),
        function, operand, t->site ? t->site : "an unknown line", closed ? " at " : "", closed ? closed : "");
}

int situ_fail_gone(const situ_tensor *t, const char *function, int place, situ_site site)
{
    char operand[32] = "the tensor";
    if (place) snprintf(operand, sizeof operand, "operand %d", place);
    return fail_gone(t, function, operand, site);
}

bool situ_option_fits(situ_tensor *x, situ_tensor *option, const char *operation, const char *names, situ_site site)
{
    char name[48];
    if (!option) return true;
    if (gone(option)) {
        snprintf(name, sizeof name, SITU_SAY(".", "") "%s", strrchr(names, ' ') + 1);
        fail_gone(option, operation, name, site);
        return false;
    }
    return situ_together((situ_tensor *[]){x, option}, 2, operation, names, site);
}

bool situ_handle_is_gone(const situ_tensor *t, const char *function, situ_site site)
{
    if (!t || !gone(t)) return false;
    situ_fail_gone(t, function, 0, site);
    return true;
}

bool situ_usable_after_all(situ_tensor *const *in, int n, const char *op, situ_site site)
{
    for (int i = 0; i < n; i++) {
        if (!in[i]) {
            if (n == 1) situ_fail(SITU_BAD_ARGUMENT, site, "%s: the tensor is NULL; pass a tensor or a number", op);
            else situ_fail(SITU_BAD_ARGUMENT, site, "%s: operand %d is NULL; pass a tensor or a number", op, i + 1);
            return false;
        }
        if (gone(in[i])) {
            situ_fail_gone(in[i], op, i + 1, site);
            return false;
        }
        if (in[i]->flags & SITU_NODE_POISON) {
            const situ_failure *f = situ_node_aside(in[i])->failure;
            if (f) situ_failure_raise(f);
            else situ_fail(SITU_BAD_ARGUMENT, site, "%s: operand %d is the result of a call that failed", op, i + 1);
            return false;
        }
    }
    return true;
}

int situ_fail_devices(const situ_op *op, situ_tensor *const *in, int first, int other, situ_site site)
{
    char a[512], b[512], to[32], name_a[64], name_b[64];
    operand_name(op, first, name_a, sizeof name_a);
    operand_name(op, other, name_b, sizeof name_b);
    bool host = in[other]->device.kind != SITU_CPU && in[first]->device.kind == SITU_CPU; /* work belongs where the device is */
    const char *name = host ? name_a : name_b;
    bool listed = !strncmp(name, "operand ", 8); /* one of a list: that is no name in a program */
    return situ_fail(SITU_BAD_DEVICE, site,
        "%s: its operands live on different devices: %s (%s) and %s (%s); nothing is moved for you, write " SITU_SAY(
            "situ_to(", "") "%s" SITU_SAY(", ", ".to_device(situ.") "%s) for %s%s if that copy is meant",
        op->name, name_a, situ_operand_text(in[first], a, sizeof a), name_b, situ_operand_text(in[other], b, sizeof b),
        listed ? "x" : name, situ_device_name(in[host ? other : first]->device, to), name, listed ? ", x," : "");
}

int situ_fail_number(const situ_op *op, situ_tensor *const *in, int i, situ_site site)
{
    char name[64], value[64];
    return situ_fail(SITU_BAD_ARGUMENT, site,
        "%s: %s must be a tensor, not %s; make one with " SITU_SAY("situ_full(SHAPE(...), value)", "situ.full(shape, value)"),
        op->name, operand_name(op, i, name, sizeof name), situ_operand_text(in[i], value, sizeof value));
}
