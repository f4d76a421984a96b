/* Linear layers for inference with weights of 8 bits. */
#include <string.h>

#include "base/memory.h"
#include "nn/module.h"
#include "op/blocks.h"
#include "run/enqueue.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

bool situ_parameter_rounded(const situ_parameter *p)
{
    return p->made && p->owner->kind == &situ_linear_kind && p->copy[0]->dtype == SITU_U8;
}

bool situ_parameter_takes_rows(const situ_parameter *p, situ_dtype dtype, const situ_shape *shape)
{
    bool weight = p->owner->kind == &situ_linear_kind && p->holders == 1 && !strcmp(p->name, "weight");
    if (!weight || dtype != SITU_U8 || shape->ndim != 2 || p->shape.ndim != 2 || situ_parameter_rounded(p)) return false;
    bool rows = !p->shape.dim[0] || shape->dim[0] == p->shape.dim[0];
    return rows && (!p->shape.dim[1] || shape->dim[1] == p->shape.dim[1] + SITU_ROW_SCALE);
}

situ_parameter *situ_linear_rows(situ_module *m, situ_tensor *const *rows)
{
    const situ_parameter *old = m->own[0];
    situ_parameter *p = situ_parameter_new(m, old->name);
    if (!p) return NULL;
    memcpy(p->copy, rows, sizeof *rows * (size_t)situ_module_root(m)->devices);
    p->shape = situ_shape_like(p->copy[0]);
    p->fixed = p->made = p->known = true;
    p->frozen = old->frozen;
    return p;
}

void situ_linear_take_rows(situ_parameter *p)
{
    situ_module *m = p->owner;
    situ_parameter *old = m->own[0];
    m->own[0] = p;
    situ_parameter_free(old);
    situ_module_changed(situ_module_root(m));
}

situ_tensor *situ_linear_rounded(const situ_module *m, situ_tensor *x, situ_tensor *w, situ_site site)
{
    char text[128], name[32];
    if (situ_error_code) return situ_poisoned();
    if (w->device.kind != SITU_CPU)
        return situ_refused(SITU_UNSUPPORTED, site,
            "situ_module_call: %s is quantised, and numbers of 8 bits are multiplied on the CPU, not on %s; " SITU_SAY(
                "situ_module_to(net, situ_cpu())", "net.to(situ.cpu())") " moves the network back",
            situ_module_text(m, text, sizeof text), situ_device_name(w->device, name));
    situ_dtype dtype = situ_dtype_promote((situ_dtype)x->dtype, SITU_F32);
    if (situ_dtype_is_complex(dtype))
        return situ_refused(SITU_BAD_DTYPE, site, "situ_module_call: %s is quantised and takes real inputs, not %s",
            situ_module_text(m, text, sizeof text), situ_dtype_name((situ_dtype)x->dtype));
    return situ_cast(situ_quantised_linear(situ_cast(x, SITU_F32), w, SITU_Q8_ROWS), dtype);
}

/* Finds linear layers below m that are not quantised yet (written to `to` unless it is NULL); `rounded` counts the
 * quantised ones. */
static int find_layers(situ_module *m, situ_module **to, int *rounded)
{
    int count = 0;
    if (m->kind == &situ_linear_kind) {
        bool is = situ_parameter_rounded(m->own[0]);
        *rounded += is;
        if (!is && to) *to = m;
        count = !is;
    }
    for (int i = 0; i < m->children; i++) count += find_layers(m->child[i], to ? to + count : NULL, rounded);
    return count;
}

/* Quantises the weight of m to rows, one variable for each device. */
static int round_weight(const situ_module *m, situ_tensor **rows, situ_site site)
{
    situ_module *root = situ_module_root(m);
    const situ_parameter *p = m->own[0];
    char name[32];
    if (!p->made && !p->known)
        return situ_fail(SITU_BAD_SHAPE, site,
            "situ_module_quantise: %s has no shape yet; the first " SITU_SAY("situ_module_call", "call") " of the network tells it",
            p->path);
    situ_module_parameter(root, p->index); /* creates it if it does not exist yet */
    for (int i = 0; i < root->devices && !situ_error_code; i++) {
        if (root->device[i].kind != SITU_CPU)
            return situ_fail(SITU_UNSUPPORTED, site,
                "situ_module_quantise: the network is on %s; numbers of 8 bits are multiplied on the CPU, where " SITU_SAY(
                    "situ_module_to(net, situ_cpu())", "net.to(situ.cpu())") " moves it",
                situ_device_name(root->device[i], name));
        situ_tensor *v = situ_variable(situ_quantise(p->copy[i], SITU_Q8_ROWS), .trainable = false, .name = p->path);
        if (!situ_error_code) rows[i] = v;
        if (!situ_error_code) situ_store_first_values(v, site);
    }
    return -situ_error_code;
}

/* Quantises all layers or none: everything that can fail comes before the first change. */
static int quantise(situ_module **layer, int count, situ_parameter **made, situ_site site)
{
    int rc = 0, done = 0;
    while (done < count && !rc) {
        situ_tensor *rows[SITU_MIRRORS] = {NULL};
        situ_scope *scope = situ_scope_open();
        rc = round_weight(layer[done], rows, site);
        situ_scope_close(scope);
        if (!rc && !(made[done] = situ_linear_rows(layer[done], rows))) rc = -situ_error_code;
        for (int k = 0; k < SITU_MIRRORS && rc; k++) situ_release(rows[k]);
        done += !rc;
    }
    for (int i = 0; i < done; i++)
        if (rc) situ_parameter_free(made[i]);
        else situ_linear_take_rows(made[i]);
    return rc ? rc : count;
}

int situ_module_quantise(situ_module *net)
{
    SITU_SPEAK_AT("situ_module_quantise");
    situ_site site = situ_speaking.site;
    if (situ_error_code || situ_ended(net, "situ_module_quantise", "network", site)) return -situ_error_code;
    if (!net) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_quantise: the network is NULL");
    if (situ_module_number(net)) return -situ_error_code;
    int rounded = 0, count = find_layers(net, NULL, &rounded);
    if (!count)
        return situ_fail(SITU_BAD_ARGUMENT, site, "situ_module_quantise: %s",
            rounded ? "its linear layers are quantised already" : "it has no linear layers, and nothing else is quantised");
    situ_module **layer = situ_malloc((size_t)count * sizeof *layer);
    situ_parameter **made = situ_malloc((size_t)count * sizeof *made);
    int rc = layer && made ? 0 : situ_fail(SITU_NO_MEMORY, site, "situ_module_quantise: out of host memory");
    if (!rc) {
        find_layers(net, layer, &rounded);
        rc = quantise(layer, count, made, site);
    }
    situ_free(layer);
    situ_free(made);
    return rc;
}
