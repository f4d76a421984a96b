/* Turns a file into a module: looks its operators up, makes its weights parameters. */
#include <math.h>
#include <situ/onnx.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "device/counted.h"
#include "file/gzip.h"
#include "nn/module.h"
#include "onnx/call.h"
#include "run/enqueue.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { MOST_BYTES = INT32_MAX, NAMES = 4096 };

typedef struct loaded {
    situ_onnx_model m;
    situ_module_kind kind;
    char operators[NAMES], *inputs, *results;
    void *bytes;
} loaded;

static void release(void *self)
{
    loaded *l = self;
    situ_onnx_close_external(&l->m);
    situ_arena_free(&l->m.arena);
    situ_counted_free(l->bytes);
    situ_free(l);
}

/* A tensor that tells the device of a call without inputs: a weight, or a new one. */
static situ_tensor *somewhere(const situ_module *m, situ_site site)
{
    const situ_module *root = situ_module_root(m);
    situ_device none = SITU_DEVICE_DEFAULT;
    return situ_zeros(SHAPE(), .device = root->devices ? root->device[0] : none);
}

static int forward(situ_module *module, situ_list in, situ_tensor **out, void *self)
{
    const loaded *l = self;
    const situ_onnx_graph *g = l->m.graph;
    situ_site site = situ_frame_now->site;
    situ_onnx_run r = {.m = &l->m, .module = module, .site = site};
    situ_onnx_node end = {.type = "result", .name = "", .ins = 1};
    situ_arena_init(&r.arena, NULL);
    r.x = in.count ? in.tensor[0] : somewhere(module, site);
    r.value = situ_error_code ? NULL : situ_calloc((size_t)l->m.values, sizeof *r.value);
    if (!r.value) return situ_fail(SITU_NO_MEMORY, r.site, "situ_module_call: out of host memory");
    for (int i = 0; i < g->inputs && i < in.count; i++) {
        situ_tensor *t = in.tensor[i];
        r.value[g->input[i].value] =
            (situ_onnx_value){.tensor = t, .given = t && !t->ndim && !situ_dtype_is_float((situ_dtype)t->dtype)};
    }
    int rc = situ_onnx_run_graph(&r, g);
    for (int i = 0; i < g->results && !rc; i++) {
        situ_onnx_call c = {&r, &end, l->m.opset};
        end.in = (int[]){g->result[i].value};
        out[i] = situ_onnx_in(&c, 0);
        if (out[i]) out[i] = situ_value_of(out[i], r.site); /* a weight as a result: its present value */
        else
            rc = situ_fail(
                SITU_BAD_FORMAT, r.site, "situ_module_call: the result \"%s\" of the ONNX file has no value", g->result[i].name);
    }
    situ_free(r.value);
    situ_arena_free(&r.arena);
    return rc ? rc : situ_error_code ? -situ_error_code : g->results;
}

/* ---- operators ------------------------------------------------------------------------------------------------------------ */

static void miss(char *text, size_t size, const char *name)
{
    size_t n = strlen(text), k = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += k)
        if ((at == text || at[-1] == ' ') && (at[k] == ',' || !at[k])) return;
    if (n + k + 3 < size) snprintf(text + n, size - n, "%s%s", n ? ", " : "", name);
}

static void find_operators(situ_onnx_graph *g, char *missing, size_t size)
{
    for (int i = 0; i < g->nodes; i++) {
        situ_onnx_node *n = &g->node[i];
        bool own = !*n->domain || !strcmp(n->domain, "ai.onnx");
        char name[256];
        snprintf(name, sizeof name, "%.120s%s%.120s", own ? "" : n->domain, own ? "" : ".", *n->type ? n->type : "?");
        n->op = situ_onnx_op_find(name);
        if (!n->op) miss(missing, size, name);
        for (int k = 0; k < n->attributes; k++)
            if (n->attribute[k].g) find_operators(n->attribute[k].g, missing, size);
    }
}

static void count_operator(const situ_onnx_graph *g, const situ_onnx_op *op, int *count)
{
    for (int i = 0; i < g->nodes; i++) {
        const situ_onnx_node *n = &g->node[i];
        *count += n->op == op;
        for (int k = 0; k < n->attributes; k++)
            if (n->attribute[k].g) count_operator(n->attribute[k].g, op, count);
    }
}

static void list_operators(loaded *l)
{
    const situ_onnx_op *op = NULL;
    for (size_t used = 0; (op = situ_onnx_op_next(op)) && used < NAMES;) {
        int count = 0;
        count_operator(l->m.graph, op, &count);
        if (count) used += (size_t)snprintf(l->operators + used, NAMES - used, "%s%s %d", used ? ", " : "", op->name, count);
    }
}

/* ---- parameters ----------------------------------------------------------------------------------------------------------- */

typedef struct maker {
    loaded *l;
    situ_module *module;
    uint8_t *use; /* [value] 1: an operator needs it on the host, 2: it is a moment, and not trained */
    const situ_onnx_host **made;
    int count, capacity;
    situ_device device;
    bool trainable;
    situ_site site;
} maker;

static void mark_uses(maker *k, const situ_onnx_graph *g)
{
    for (int i = 0; i < g->nodes; i++) {
        const situ_onnx_node *n = &g->node[i];
        for (int j = 0; j < n->ins && j < 32; j++)
            if (n->in[j] >= 0 && n->op->read >> j & 1) k->use[n->in[j]] |= 1;
        for (int j = 3; j < n->ins && j < 5 && !strcmp(n->type, "BatchNormalization"); j++)
            if (n->in[j] >= 0) k->use[n->in[j]] |= 2;
        for (int j = 0; j < n->attributes; j++)
            if (n->attribute[j].g) mark_uses(k, n->attribute[j].g);
    }
}

static bool same(const situ_onnx_host *a, const situ_onnx_host *b)
{
    return a->dtype == b->dtype && situ_shape_equal(a->ndim, a->dim, b->ndim, b->dim) &&
        !memcmp(a->data, b->data, (size_t)a->count * situ_dtype_size(a->dtype));
}

/* Adds a parameter. A name that contains dots is kept, since parameters are found by their full names. A repeated name
 * gets a number. */
static int own(maker *k, const char *name, const situ_onnx_host *h, bool moment)
{
    situ_site site = k->site;
    char text[512];
    snprintf(text, sizeof text, "%.480s", name);
    for (int i = 0, again = 1; i < k->module->owns; i++)
        if (!strcmp(k->module->own[i]->name, text)) snprintf(text, sizeof text, "%.480s_%d", name, ++again), i = -1;
    situ_shape shape = {.ndim = h->ndim};
    memcpy(shape.dim, h->dim, sizeof h->dim);
    situ_tensor *v = situ_variable(situ_from_host((const void *)h->data, shape, .dtype = h->dtype, .device = k->device),
        .trainable = k->trainable && !moment, .name = text);
    if (situ_error_code) return -1;
    if (situ_module_own(k->module, text, v)) situ_release(v);
    if (situ_error_code || situ_store_first_values(v, site)) return -1;
    if (k->count == k->capacity) {
        const situ_onnx_host **grown = situ_realloc(k->made, (size_t)(k->capacity = 2 * k->capacity + 16) * sizeof *grown);
        if (!grown) return situ_fail(SITU_NO_MEMORY, site, "situ_onnx_load: out of host memory"), -1;
        k->made = grown;
    }
    k->made[k->count] = h;
    return k->count++;
}

/* Masks with -infinity are not weights: weight decay would turn them into NaN. */
static bool is_finite(const situ_onnx_host *h)
{
    bool finite = true;
    for (int64_t i = 0; i < h->count && h->dtype != SITU_F32 && finite; i++) finite = isfinite(situ_onnx_host_float(h, i));
    for (int64_t i = 0; i < h->count && h->dtype == SITU_F32; i++) {
        uint32_t bits;
        memcpy(&bits, h->data + 4 * i, 4);
        finite &= (bits & 0x7f800000) != 0x7f800000;
    }
    return finite;
}

/* Recognises filled constants such as zeros of an initial state: all values equal, and no proper name (PyTorch numbers
 * them, val_12). */
static bool is_filled(const char *name, const situ_onnx_host *h, bool constant)
{
    size_t size = situ_dtype_size(h->dtype);
    bool numbered = !strncmp(name, "val_", 4) && name[4] && !name[4 + strspn(name + 4, "0123456789")];
    return (constant || numbered) && !memcmp(h->data, h->data + size, (size_t)(h->count - 1) * size);
}

static int parameter(maker *k, const char *name, int value, const situ_onnx_host *h, bool constant)
{
    bool plain = constant ? h->count < 2 : !h->ndim || !h->count; /* a constant of shape [1] is a parameter, such as a slope or the
                                                                   * bias of one unit */
    if (plain || !situ_dtype_is_float(h->dtype) || (value >= 0 && k->use[value] & 1)) return -1;
    if (!is_finite(h) || is_filled(name, h, constant)) return -1;
    for (int i = 0; constant && i < k->count; i++)
        if (same(k->made[i], h)) return i;
    return own(k, name, h, value >= 0 && k->use[value] & 2);
}

static void make_parameters(maker *k, situ_onnx_graph *g)
{
    for (int i = 0; i < g->constants && !situ_error_code; i++)
        g->constant[i].parameter = parameter(k, g->constant[i].name, g->constant[i].value, g->constant[i].host, false);
    for (int i = 0; i < g->nodes && !situ_error_code; i++) {
        situ_onnx_node *n = &g->node[i];
        for (int j = 0; j < n->attributes && !situ_error_code; j++) {
            const situ_onnx_attribute *a = &n->attribute[j];
            if (a->g) make_parameters(k, a->g);
            else if (a->t && !strcmp(n->type, "Constant") && n->outs)
                n->parameter = parameter(k, n->out_name[0], n->out[0], a->t, true);
        }
    }
}

/* ---- the module ----------------------------------------------------------------------------------------------------------- */

/* A list "x, h" of names; names that contain a comma or the like are replaced by their number. NULL with an error. */
static char *names_of(situ_onnx_model *m, const situ_onnx_name *name, int count, const char *what)
{
    enum { LONGEST = 128 };
    char *list = situ_onnx_room(m, (size_t)count + 1, LONGEST + 2);
    size_t n = 0;
    for (int i = 0; list && i < count; i++) {
        bool plain = strlen(name[i].name) < LONGEST && !strpbrk(name[i].name, ",?; ") && !strstr(name[i].name, "...");
        if (plain && *name[i].name) n += (size_t)sprintf(list + n, "%s%s", i ? ", " : "", name[i].name);
        else n += (size_t)sprintf(list + n, "%s%s%d", i ? ", " : "", what, i);
    }
    return list;
}

static int fill(loaded *l, situ_module *module, const situ_onnx_load_options *o, situ_site site)
{
    maker k = {.l = l, .module = module, .device = o->device, .trainable = o->trainable, .site = site};
    if (!(k.use = situ_calloc((size_t)l->m.values + 1, 1)))
        return situ_fail(SITU_NO_MEMORY, site, "situ_onnx_load: out of host memory");
    mark_uses(&k, l->m.graph);
    make_parameters(&k, l->m.graph);
    situ_free(k.use);
    situ_free(k.made);
    return situ_error_code ? -situ_error_code : 0;
}

static int understand(loaded *l, size_t size, situ_site site)
{
    char missing[2048] = "";
    if (situ_onnx_parse(&l->m, l->bytes, size, site)) return -situ_error_code;
    find_operators(l->m.graph, missing, sizeof missing);
    if (*missing || l->m.functions)
        return situ_fail(SITU_UNSUPPORTED, site, "situ_onnx_load: the file has %s that are not known: %s",
            *missing ? "operators" : "functions of its own", *missing ? missing : "inline them (onnx.inliner)");
    if (l->m.opset < 1) return situ_fail(SITU_BAD_FORMAT, site, "situ_onnx_load: this is no ONNX file: it names no opset");
    if (l->m.opset > SITU_ONNX_OPSET)
        return situ_fail(SITU_UNSUPPORTED, site,
            "situ_onnx_load: the file is of opset %lld; 1 to %d are known (onnx.version_converter)", (long long)l->m.opset,
            SITU_ONNX_OPSET);
    if (situ_onnx_link(&l->m, site) || situ_onnx_check_types(&l->m, site)) return -situ_error_code;
    const situ_onnx_graph *g = l->m.graph;
    if (g->inputs > SITU_ONNX_PLACES || g->results > SITU_ONNX_PLACES || !g->results)
        return situ_fail(SITU_UNSUPPORTED, site,
            "situ_onnx_load: the graph has %d inputs and %d results; none to %d inputs are possible, and 1 to %d results",
            g->inputs, g->results, SITU_ONNX_PLACES, SITU_ONNX_PLACES);
    l->inputs = names_of(&l->m, g->input, g->inputs, "input");
    l->results = names_of(&l->m, g->result, g->results, "result");
    if (!l->inputs || !l->results) return -situ_error_code;
    list_operators(l);
    l->kind = (situ_module_kind){.name = "onnx",
        .forward_n = forward,
        .release = release,
        .inputs = g->inputs == 1 ? NULL : l->inputs,
        .results = l->results};
    return 0;
}

/* Takes ownership of the bytes. path: the file they were read from, or NULL. */
static situ_module *load(void *bytes, size_t size, const char *path, const situ_onnx_load_options *o, situ_site site)
{
    loaded *l = situ_calloc(1, sizeof *l);
    if (!l) {
        situ_counted_free(bytes);
        situ_fail(SITU_NO_MEMORY, site, "situ_onnx_load: out of host memory");
        return NULL;
    }
    l->bytes = bytes;
    l->m.path = path;
    situ_arena_init(&l->m.arena, NULL);
    if (size > MOST_BYTES) situ_fail(SITU_BAD_FORMAT, site, "situ_onnx_load: a file of ONNX has less than 2 GiB");
    else understand(l, size, site);
    l->m.path = NULL;
    if (situ_error_code) return release(l), NULL;
    situ_module *m = situ_module_custom(&l->kind, l);
    if (!m) return NULL;
    m->foreign = false;
    if (!fill(l, m, o, site)) return m;
    situ_module_free(m);
    return NULL;
}

situ_module *(situ_onnx_load)(const char *path, const situ_onnx_load_options *options, situ_site site)
{
    SITU_SPEAK("situ_onnx_load", site);
    situ_onnx_load_options o = {SITU_DEFAULTS(SITU_ONNX_LOAD_DEFAULTS)};
    void *bytes;
    size_t size;
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_onnx_load", site)) return NULL;
    if (!path) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_onnx_load: the path is NULL"), NULL;
    return situ_read_file(path, &bytes, &size) ? NULL : load(bytes, size, path, &o, site);
}

situ_module *(situ_onnx_load_bytes)(const void *bytes, size_t size, const situ_onnx_load_options *options, situ_site site)
{
    SITU_SPEAK("situ_onnx_load_bytes", site);
    situ_onnx_load_options o = {SITU_DEFAULTS(SITU_ONNX_LOAD_DEFAULTS)};
    if (situ_error_code || !SITU_TAKE_OPTIONS(o, options, "situ_onnx_load_bytes", site)) return NULL;
    if (!bytes) return situ_fail(SITU_BAD_ARGUMENT, site, "situ_onnx_load_bytes: the bytes are NULL"), NULL;
    void *copy = situ_counted_resize(NULL, size, false, "situ_onnx_load_bytes");
    if (!copy) return NULL;
    memcpy(copy, bytes, size);
    return load(copy, size, NULL, &o, site);
}

/* The graph of a loaded module; NULL with an error. */
static const situ_onnx_graph *graph_of(const situ_module *net, const char *operation)
{
    if (situ_error_code || situ_ended(net, operation, "module", NULL)) return NULL;
    if (net && net->kind->forward_n == forward) return ((const loaded *)net->self)->m.graph;
    situ_fail(
        SITU_BAD_ARGUMENT, NULL, "%s: %s", operation, net ? "the module was not loaded from a file of ONNX" : "the module is NULL");
    return NULL;
}

const char *situ_onnx_input(const situ_module *net, int i)
{
    SITU_SPEAK_AT("situ_onnx_input");
    const situ_onnx_graph *g = graph_of(net, "situ_onnx_input");
    return g && i >= 0 && i < g->inputs ? g->input[i].name : NULL;
}

const char *situ_onnx_result(const situ_module *net, int i)
{
    SITU_SPEAK_AT("situ_onnx_result");
    const situ_onnx_graph *g = graph_of(net, "situ_onnx_result");
    return g && i >= 0 && i < g->results ? g->result[i].name : NULL;
}

const char *situ_onnx_operators(const situ_module *net)
{
    SITU_SPEAK_AT("situ_onnx_operators");
    return graph_of(net, "situ_onnx_operators") ? ((const loaded *)net->self)->operators : NULL;
}
