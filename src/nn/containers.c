/* Modules that contain modules: sequential, residual, parallel, lists. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "nn/module.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

int situ_handed_on(const situ_module *m, int results)
{
    if (!m->kind->results || !strchr(m->kind->results, ';')) return results;
    int first = 1;
    for (const char *c = m->kind->results; *c != ';'; c++) first += *c == ',';
    return first < results ? first : results;
}

/* Frees the parts, when one of them is not valid. Returns NULL. */
static situ_module *free_parts(situ_module *const *parts, int count)
{
    for (int i = 0; i < count; i++)
        if (parts[i] && situ_alive(parts[i]) && !parts[i]->parent) situ_module_free(parts[i]);
    return NULL;
}

situ_module *situ_with_parts(situ_module *net, const char *const *names, situ_parts parts, const char *function, situ_site site)
{
    if (parts.count < 0 || (parts.count && !parts.part)) situ_fail(SITU_BAD_ARGUMENT, site, "%s: no parts were given", function);
    for (int i = 0; i < parts.count && parts.part; i++)
        if (situ_ended(parts.part[i], function, "part", site)) break;
    for (int i = 0; net && i < parts.count && !situ_error_code; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        if (!parts.part[i]) situ_fail(SITU_BAD_ARGUMENT, site, "%s: part %d is NULL", function, i);
        else situ_module_adopt(net, names ? names[i] : number, parts.part[i]);
    }
    if (!situ_error_code) return net;
    if (parts.count > 0 && parts.part) free_parts(parts.part, parts.count);
    situ_module_free(net);
    return NULL;
}

/* An error if m with this part would have more results than its capacity. */
static int too_many(const situ_module *m, const situ_module *part, int count)
{
    char whole[128], text[128];
    return situ_fail(SITU_BAD_ARGUMENT, situ_frame_now->site, "situ_module_call: with %s, %s has %d results; %d are possible",
        situ_module_text(part, text, sizeof text), situ_module_text(m, whole, sizeof whole), count, SITU_MODULE_MOST);
}

/* ---- sequential ------------------------------------------------------------------------------------------------------------ */

static int forward_sequential(situ_module *m, situ_list in, situ_tensor **out, void *self)
{
    (void)self;
    int count = in.count < SITU_MODULE_MOST ? in.count : SITU_MODULE_MOST;
    memcpy(out, in.tensor, (size_t)count * sizeof *out);
    for (int i = 0; i < m->children; i++) {
        situ_tensor *given[SITU_MODULE_MOST];
        memcpy(given, out, (size_t)count * sizeof *out);
        count = (situ_module_call_n)(m->child[i], (situ_list){given, count}, out, SITU_MODULE_MOST, NULL, situ_frame_now->site);
        if (count < 0) return count;
        if (i < m->children - 1) count = situ_handed_on(m->child[i], count);
        if (count > SITU_MODULE_MOST) return too_many(m, m->child[i], count);
    }
    return count;
}

const situ_module_kind situ_sequential_kind = {.name = "sequential", .forward_n = forward_sequential, .inputs = "x, ..."};

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

situ_module *(situ_sequential)(situ_module *const *parts, int count, situ_site site)
{
    SITU_SPEAK("situ_sequential", site);
    return situ_with_parts(
        situ_layer(&situ_sequential_kind, NULL, 0, site), NULL, (situ_parts){parts, count}, "situ_sequential", site);
}

/* ---- residual -------------------------------------------------------------------------------------------------------------- */

static situ_tensor *forward_residual(situ_module *m, situ_tensor *x, void *self)
{
    situ_site site = situ_frame_now->site;
    (void)self;
    if (!(x = situ_value_of(x, site))) return situ_poisoned();
    situ_tensor *y = (situ_module_call)(m->child[0], x, NULL, site);
    if (situ_error_code) return situ_poisoned();
    if (situ_shape_equal(x->ndim, x->dim, y->ndim, y->dim)) return situ_add(x, y);
    char text[128], from[SITU_BRIEF_TEXT], to[SITU_BRIEF_TEXT];
    situ_fail(SITU_BAD_SHAPE, site, "situ_module_call: %s adds %s to its input %s; both must have one shape",
        situ_module_text(m, text, sizeof text), situ_brief(y, to), situ_brief(x, from));
    return situ_poisoned();
}

const situ_module_kind situ_residual_kind = {.name = "residual", .forward = forward_residual};

situ_module *situ_residual(situ_module *part)
{
    SITU_SPEAK_AT("situ_residual");
    return situ_with_parts(situ_layer(&situ_residual_kind, NULL, 0, NULL), NULL, (situ_parts){&part, 1}, "situ_residual", NULL);
}

/* ---- parallel -------------------------------------------------------------------------------------------------------------- */

static int forward_parallel(situ_module *m, situ_list in, situ_tensor **out, void *self)
{
    const situ_parallel_options *o = self;
    situ_site site = situ_frame_now->site;
    int count = 0;
    for (int i = 0; i < m->children; i++) {
        situ_tensor *part[SITU_MODULE_MOST];
        int got = (situ_module_call_n)(m->child[i], in, part, SITU_MODULE_MOST, NULL, site);
        if (got < 0) return got;
        got = o->join ? 1 : situ_handed_on(m->child[i], got);
        if (count + got > SITU_MODULE_MOST) return too_many(m, m->child[i], count + got);
        for (int k = 0; k < got; k++) out[count++] = part[k];
    }
    if (!o->join || !count) return count;
    if (o->join == SITU_JOIN_SUM)
        for (int i = 1; i < count; i++) out[0] = situ_add(out[0], out[i]);
    else out[0] = situ_concat(((situ_list){out, count}), .axis = o->axis);
    return 1;
}

const situ_module_kind situ_parallel_kind = {
    .name = "parallel", .forward_n = forward_parallel, .release = situ_free, .inputs = "x, ..."};

situ_module *(situ_parallel)(situ_parts parts, const situ_parallel_options *options, situ_site site)
{
    SITU_SPEAK("situ_parallel", site);
    situ_parallel_options o = {SITU_DEFAULTS(SITU_PARALLEL_DEFAULTS)};
    bool fits = !situ_error_code && SITU_TAKE_OPTIONS(o, options, "situ_parallel", site);
    if (fits && ((unsigned)o.join > SITU_JOIN_CONCAT || parts.count < 1 || parts.count > SITU_MODULE_MOST))
        situ_fail(SITU_BAD_ARGUMENT, site, "situ_parallel: %d parts, " SITU_SAY(".join", "join") " = %d; there are 1 to %d parts",
            parts.count, (int)o.join, SITU_MODULE_MOST);
    return situ_with_parts(situ_layer(&situ_parallel_kind, &o, sizeof o, site), NULL, parts, "situ_parallel", site);
}

/* ---- lists ----------------------------------------------------------------------------------------------------------------- */

static situ_tensor *forward_list(situ_module *m, situ_tensor *x, void *self)
{
    char text[128];
    (void)x;
    (void)self;
    situ_fail(SITU_BAD_ARGUMENT, situ_frame_now->site,
        "situ_module_call: %s is a list of modules; call them one by one, or make a " SITU_SAY(
            "situ_sequential", "Sequential") " of them",
        situ_module_text(m, text, sizeof text));
    return situ_poisoned();
}

static const situ_module_kind list_kind = {.name = "list", .forward = forward_list};

situ_module *situ_module_list(situ_parts parts)
{
    SITU_SPEAK_AT("situ_module_list");
    return situ_with_parts(situ_layer(&list_kind, NULL, 0, NULL), NULL, parts, "situ_module_list", NULL);
}

situ_module *situ_module_dict(const char *const *names, situ_parts parts)
{
    SITU_SPEAK_AT("situ_module_dict");
    if (!names) situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_module_dict: the names are NULL; there is one for each part");
    return situ_with_parts(situ_layer(&list_kind, NULL, 0, NULL), names, parts, "situ_module_dict", NULL);
}
