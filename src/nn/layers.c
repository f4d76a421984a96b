/* The layers. Each is a module like those that users write. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "nn/module.h"
/* last */
#include "op/here.h"

situ_module *situ_layer(const situ_module_kind *kind, const void *self, size_t size, situ_site site)
{
    if (situ_error_code) return NULL;
    void *copy = size ? situ_malloc(size) : NULL;
    if (size && !copy) {
        situ_fail(SITU_NO_MEMORY, site, "situ_%s: out of host memory", kind->name);
        return NULL;
    }
    if (size) memcpy(copy, self, size);
    situ_module *m = situ_module_custom(kind, copy);
    if (m) m->foreign = false;
    return m;
}

/* ---- linear ------------------------------------------------------------------------------------------------------------ */

typedef struct linear {
    int64_t out, in;
    bool bias;
} linear;

static situ_tensor *forward_linear(situ_module *m, situ_tensor *x, void *self)
{
    const linear *l = self;
    situ_site site = situ_frame_now->site;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    char text[128], input[512];
    if (!x->ndim || (l->in && x->dim[x->ndim - 1] != l->in) || !x->dim[x->ndim - 1]) {
        situ_fail(SITU_BAD_SHAPE, site, "situ_module_call: %s takes inputs whose last axis has %s%lld elements, not %s",
            situ_module_text(m, text, sizeof text), l->in ? "" : "at least ", l->in ? (long long)l->in : 1ll,
            situ_operand_text(x, input, sizeof input));
        return situ_poisoned();
    }
    int64_t in = x->dim[x->ndim - 1];
    double bound = 1 / sqrt((double)in);
    situ_tensor *y = situ_matmul(x, situ_transpose(situ_module_use(m, 0, x, SHAPE(l->out, in), .bound = bound)));
    return l->bias ? situ_add(y, situ_module_use(m, 1, x, SHAPE(l->out), .bound = bound)) : y;
}

static const situ_module_kind linear_kind = {.name = "linear", .forward = forward_linear, .release = situ_free};

situ_module *(situ_linear_layer)(int64_t out, const situ_linear_layer_options *options, situ_site site)
{
    SITU_SPEAK("situ_linear_layer", site);
    situ_linear_layer_options o = {SITU_DEFAULTS(SITU_LINEAR_LAYER_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_linear_layer", site)) return NULL;
    if (out < 1 || o.in < 0) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "situ_linear_layer: %lld outputs and %lld inputs; there is at least 1 of each (" SITU_SAY(
                ".in = 0", "inputs=None") ": as the first input has)",
            (long long)out, (long long)o.in);
        return NULL;
    }
    situ_module *m = situ_layer(&linear_kind, &(linear){out, o.in, o.bias}, sizeof(linear), site);
    const situ_module_use_options u = {.bound = o.in ? 1 / sqrt((double)o.in) : 0};
    bool made = m && situ_module_declare(m, "weight") >= 0 && (!o.bias || situ_module_declare(m, "bias") >= 0);
    if (made && o.in)
        made = !situ_module_expect(m, 0, SHAPE(out, o.in), &u) && (!o.bias || !situ_module_expect(m, 1, SHAPE(out), &u));
    if (made) return m;
    situ_module_free(m);
    return NULL;
}

/* ---- layers without parameters ------------------------------------------------------------------------------------------- */

/* Not by -1: there may be no rows. */
static situ_shape flat_shape(const situ_tensor *x)
{
    int64_t rest = 1;
    for (int i = 1; i < situ_ndim(x); i++) rest *= situ_dim(x, i);
    return situ_ndim(x) ? SHAPE(situ_dim(x, 0), rest) : SHAPE(1);
}

#define ACTIVATION(id, expression) \
    static situ_tensor *forward_##id(situ_module *m, situ_tensor *x, void *self) \
    { \
        situ_site site = situ_frame_now->site; \
        (void)m; \
        (void)self; \
        return expression; \
    } \
    static const situ_module_kind id##_kind = {.name = #id, .forward = forward_##id}; \
    situ_module *situ_##id##_layer(void) \
    { \
        SITU_SPEAK_AT("situ_" #id "_layer"); \
        return situ_layer(&id##_kind, NULL, 0, NULL); \
    }
ACTIVATION(relu, situ_relu(x))
ACTIVATION(sigmoid, situ_sigmoid(x))
ACTIVATION(tanh, situ_tanh(x))
ACTIVATION(gelu, situ_gelu(x))
ACTIVATION(flatten, situ_reshape(x, flat_shape(x)))

/* ---- dropout --------------------------------------------------------------------------------------------------------------- */

/* The mask is that of the whole batch, of which x has some rows: so any cut of the batch gives the same numbers. */
static situ_tensor *forward_dropout(situ_module *m, situ_tensor *x, void *self)
{
    SITU_SPEAK_AT("situ_dropout_layer");
    situ_site site = situ_frame_now->site;
    double rate = *(const double *)self;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    if (!m->training || rate == 0 || !x->ndim) return x;
    situ_shape whole = situ_shape_like(x), start = {.ndim = 1}, stop = {.ndim = 1};
    situ_module_rows(m, x, &start.dim[0], &whole.dim[0]);
    stop.dim[0] = start.dim[0] + x->dim[0];
    situ_tensor *kept = situ_bernoulli(situ_module_key(m, x), 1 - rate, whole, .layout = SITU_ORIGINAL);
    if (whole.dim[0] != x->dim[0]) kept = situ_slice(kept, .start = start, .stop = stop);
    return situ_where(kept, situ_div(x, 1 - rate), 0);
}

static const situ_module_kind dropout_kind = {.name = "dropout", .forward = forward_dropout, .release = situ_free};

situ_module *situ_dropout_layer(double rate)
{
    SITU_SPEAK_AT("situ_dropout_layer");
    if (rate >= 0 && rate < 1) return situ_layer(&dropout_kind, &rate, sizeof rate, NULL);
    situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_dropout_layer: a rate of %g; it is at least 0 and less than 1", rate);
    return NULL;
}

/* ---- sequential ------------------------------------------------------------------------------------------------------------ */

static situ_tensor *forward_sequential(situ_module *m, situ_tensor *x, void *self)
{
    (void)self;
    for (int i = 0; i < m->children && !situ_error_code; i++) x = (situ_module_call)(m->child[i], x, NULL, situ_frame_now->site);
    return x;
}

const situ_module_kind situ_sequential_kind = {.name = "sequential", .forward = forward_sequential};

int situ_sequential_add(situ_module *net, situ_module *part)
{
    SITU_SPEAK_AT("situ_sequential_add");
    char name[16];
    if (situ_ended(part, "situ_sequential_add", "part", NULL)) return -situ_error_code;
    bool ended = situ_ended(net, "situ_sequential_add", "network", NULL),
         fits = net && !ended && net->kind == &situ_sequential_kind;
    if (!fits) {
        int rc = situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_sequential_add: the network is %s",
            net ? "no " SITU_SAY("situ_sequential", "Sequential") : "NULL");
        if (part && !part->parent) situ_module_free(part);
        return rc;
    }
    snprintf(name, sizeof name, "%d", net->children);
    int rc = situ_module_adopt(net, name, part);
    return rc < 0 ? rc : 0;
}

/* One of them was freed already. */
static situ_module *free_parts(situ_module *const *parts, int count)
{
    for (int i = 0; i < count; i++)
        if (parts[i] && parts[i]->handle.alive == SITU_HANDLE_ALIVE) situ_module_free(parts[i]);
    return NULL;
}

situ_module *(situ_sequential)(situ_module *const *parts, int count, situ_site site)
{
    SITU_SPEAK("situ_sequential", site);
    if (count < 0 || (count && !parts)) {
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_sequential: no parts were given");
        return NULL;
    }
    for (int i = 0; i < count; i++)
        if (situ_ended(parts[i], "situ_sequential", "part", site)) return free_parts(parts, count);
    situ_module *net = situ_layer(&situ_sequential_kind, NULL, 0, site);
    for (int i = 0; i < count; i++) {
        if (!net || !parts[i]) { /* an error of this call or of the part's */
            if (net && !situ_error_code) situ_fail(SITU_BAD_ARGUMENT, site, "situ_sequential: part %d is NULL", i);
            situ_module_free(parts[i]);
        } else {
            situ_sequential_add(net, parts[i]);
        }
    }
    if (!situ_error_code) return net;
    situ_module_free(net);
    return NULL;
}
