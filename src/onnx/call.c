#include "onnx/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "op/support.h"
#include "os/plain.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* ---- attributes ----------------------------------------------------------------------------------------------------------- */

const situ_onnx_attribute *situ_onnx_attr(const situ_onnx_call *c, const char *name)
{
    for (int i = 0; i < c->node->attributes; i++)
        if (!strcmp(c->node->attribute[i].name, name)) return &c->node->attribute[i];
    return NULL;
}

/* The attribute, which must have this type (0: any, for files that do not store types); NULL: it is absent, or there
 * is an error. */
static const situ_onnx_attribute *typed(const situ_onnx_call *c, const char *name, int type, const char *what)
{
    const situ_onnx_attribute *a = situ_onnx_attr(c, name);
    if (!a || !a->type || a->type == type) return a;
    situ_onnx_refuse(c, SITU_BAD_FORMAT, "\"%s\" is no %s", name, what);
    return NULL;
}

int64_t situ_onnx_int(const situ_onnx_call *c, const char *name, int64_t otherwise)
{
    const situ_onnx_attribute *a = typed(c, name, 2, "integer");
    return a ? a->i : otherwise;
}

double situ_onnx_float(const situ_onnx_call *c, const char *name, double otherwise)
{
    const situ_onnx_attribute *a = typed(c, name, 1, "float");
    return a ? a->f : otherwise;
}

double situ_onnx_number(const situ_onnx_call *c, const char *name, double otherwise)
{
    const situ_onnx_attribute *a = situ_onnx_attr(c, name);
    return a && a->type == 2 ? (double)a->i : situ_onnx_float(c, name, otherwise);
}

const char *situ_onnx_text(const situ_onnx_call *c, const char *name, const char *otherwise)
{
    const situ_onnx_attribute *a = typed(c, name, 3, "text");
    return a && a->s ? a->s : otherwise;
}

const char *situ_onnx_one_of(const situ_onnx_call *c, const char *name, const char *names)
{
    const char *text = situ_onnx_text(c, name, NULL), *first = names;
    size_t size = strcspn(names, ","), length = text ? strlen(text) : size;
    if (!text) text = names;
    for (;; names += size + 2, size = strcspn(names, ",")) {
        if (size == length && !memcmp(names, text, size)) break;
        if (names[size]) continue;
        situ_onnx_refuse(c, SITU_UNSUPPORTED, "\"%s\" is \"%.40s\"; known are %s", name, text, first);
        names = first;
        size = strcspn(first, ",");
        break;
    }
    char *one = situ_arena_alloc(&c->run->arena, size + 1);
    if (!one) return situ_fail(SITU_NO_MEMORY, c->run->site, "situ_module_call: out of host memory"), "";
    memcpy(one, names, size);
    one[size] = 0;
    return one;
}

bool situ_onnx_is(const situ_onnx_call *c, const char *name, const char *text, const char *names)
{
    return !strcmp(situ_onnx_one_of(c, name, names), text);
}

int situ_onnx_ints(const situ_onnx_call *c, const char *name, int64_t *out, int most)
{
    const situ_onnx_attribute *a = typed(c, name, 7, "list of integers");
    if (!a) return situ_error_code ? 0 : -1;
    if (a->count > most || (a->count && !a->ints)) {
        situ_onnx_refuse(c, SITU_BAD_FORMAT, "\"%s\" has %d values; %d integers are possible", name, a->count, most);
        return 0;
    }
    if (a->count) memcpy(out, a->ints, 8 * (size_t)a->count);
    return a->count;
}

int situ_onnx_numbers(situ_onnx_call *c, int i, const char *name, int64_t *out, int most)
{
    if (i >= 0 && HAS(i)) {
        const situ_onnx_host *h = situ_onnx_read(c, i);
        if (!h) return 0;
        if (h->count > most) {
            situ_onnx_refuse(c, SITU_BAD_SHAPE, "input %d has %lld numbers; %d are possible", i, (long long)h->count, most);
            return 0;
        }
        for (int64_t k = 0; k < h->count; k++) out[k] = situ_onnx_host_int(h, k);
        return (int)h->count;
    }
    return name ? situ_onnx_ints(c, name, out, most) : -1;
}

situ_axes situ_onnx_axes(situ_onnx_call *c, int i, const char *name)
{
    int64_t axis[SITU_MAX_DIMS];
    situ_axes axes = {.count = 0};
    int n = situ_onnx_numbers(c, i, name, axis, SITU_MAX_DIMS);
    for (int k = 0; k < n; k++) axes.axis[k] = axis[k] < -99 || axis[k] > 99 ? 99 : (int32_t)axis[k];
    axes.count = n > 0 ? n : 0;
    axes.given = n > 0;
    return axes;
}

situ_tensor *situ_onnx_refuse(const situ_onnx_call *c, int code, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    situ_plain_list(text, sizeof text, format, list);
    va_end(list);
    situ_fail(
        code, c->run->site, "situ_module_call: node \"%.200s\" (%.60s) of the ONNX file: %s", c->node->name, c->node->type, text);
    return situ_poisoned();
}

/* ---- values --------------------------------------------------------------------------------------------------------------- */

int64_t situ_onnx_host_int(const situ_onnx_host *h, int64_t i)
{
    return situ_element_get_i64(h->dtype, h->data + (size_t)i * situ_dtype_size(h->dtype));
}

double situ_onnx_host_float(const situ_onnx_host *h, int64_t i)
{
    return situ_element_get_f64(h->dtype, h->data + (size_t)i * situ_dtype_size(h->dtype));
}

static situ_onnx_value *value_of(const situ_onnx_call *c, int i)
{
    return i < c->node->ins && c->node->in[i] >= 0 ? &c->run->value[c->node->in[i]] : NULL;
}

bool situ_onnx_has(const situ_onnx_call *c, int i)
{
    const situ_onnx_value *v = value_of(c, i);
    return v && (v->tensor || v->host);
}

situ_tensor *situ_onnx_tensor_of(const situ_onnx_call *c, const situ_onnx_host *h)
{
    situ_site site = c->run->site;
    situ_shape shape = {.ndim = h->ndim};
    memcpy(shape.dim, h->dim, sizeof h->dim);
    situ_device device = c->run->x->device;
    if (h->count == 1 && situ_dtype_is_float(h->dtype))
        return situ_full(shape, situ_onnx_host_float(h, 0), .dtype = h->dtype, .device = device);
    if (h->count == 1 && !situ_dtype_is_complex(h->dtype) && h->dtype != SITU_U64 && h->dtype != SITU_BOOL)
        return situ_full(shape, situ_onnx_host_int(h, 0), .dtype = h->dtype, .device = device);
    return situ_from_host((const void *)h->data, shape, .dtype = h->dtype, .device = device);
}

situ_tensor *situ_onnx_in(situ_onnx_call *c, int i)
{
    situ_onnx_value *v = value_of(c, i);
    if (!v) return NULL;
    if (!v->tensor && v->host) v->tensor = situ_onnx_tensor_of(c, v->host);
    return v->tensor;
}

situ_tensor *situ_onnx_second(situ_onnx_call *c)
{
    situ_site site = c->run->site;
    situ_tensor *a = IN(0), *b = IN(1);
    if (situ_error_code || c->opset >= 7 || !situ_onnx_attr(c, "axis") || !situ_onnx_int(c, "broadcast", 0)) return b;
    int64_t axis = situ_onnx_int(c, "axis", 0);
    situ_shape s = situ_shape_of(b);
    if (axis < 0) axis += situ_ndim(a);
    if (axis < 0 || axis + s.ndim > situ_ndim(a))
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its second operand has %d axes: they do not lie at axis %lld of the first one",
            (int)s.ndim, (long long)axis);
    while (axis + s.ndim < situ_ndim(a)) s.dim[s.ndim++] = 1;
    return situ_reshape(b, s);
}

const situ_onnx_host *situ_onnx_there(const situ_onnx_call *c, int i)
{
    const situ_onnx_value *v = value_of(c, i);
    return v ? v->host : NULL;
}

static void *room(situ_onnx_run *r, size_t size)
{
    void *p = situ_arena_alloc(&r->arena, size);
    if (!p) situ_fail(SITU_NO_MEMORY, r->site, "situ_module_call: out of host memory");
    return p;
}

static uint8_t *host_like(situ_onnx_run *r, situ_onnx_host **out, situ_dtype dtype, int ndim, const int64_t *dim)
{
    int64_t count = situ_shape_count(ndim, dim);
    situ_onnx_host *h = count < 0 ? NULL : room(r, sizeof *h);
    uint8_t *data = h ? room(r, (size_t)count * situ_dtype_size(dtype)) : NULL;
    if (!data) {
        situ_fail(SITU_BAD_SHAPE, r->site, "situ_module_call: a shape that is no shape");
        return NULL;
    }
    *h = (situ_onnx_host){.dtype = dtype, .ndim = ndim, .count = count, .data = data};
    if (ndim) memcpy(h->dim, dim, 8 * (size_t)ndim);
    *out = h;
    return data;
}

const situ_onnx_host *situ_onnx_read(situ_onnx_call *c, int i)
{
    situ_onnx_value *v = value_of(c, i);
    situ_onnx_host *h;
    if (!v || v->host || !v->tensor || situ_error_code) return v && !situ_error_code ? v->host : NULL;
    situ_tensor *t = situ_value_of(v->tensor, c->run->site);
    if (!t) return NULL;
    uint8_t *data = host_like(c->run, &h, (situ_dtype)t->dtype, t->ndim, t->dim);
    if (!data || (situ_read)(t, data, (size_t)h->count * situ_dtype_size(h->dtype), c->run->site)) return NULL;
    return v->host = h;
}

situ_shape situ_onnx_shape(const situ_onnx_call *c, int i)
{
    const situ_onnx_value *v = value_of(c, i);
    situ_shape s = {.ndim = 0};
    if (v && v->host) {
        s.ndim = v->host->ndim;
        memcpy(s.dim, v->host->dim, sizeof s.dim);
    } else if (v && v->tensor) s = situ_shape_of(v->tensor);
    return s;
}

static situ_onnx_value *result_of(const situ_onnx_call *c, int i)
{
    return i < c->node->outs && c->node->out[i] >= 0 ? &c->run->value[c->node->out[i]] : NULL;
}

void situ_onnx_give(situ_onnx_call *c, int i, situ_tensor *t)
{
    situ_onnx_value *v = result_of(c, i);
    if (v) *v = (situ_onnx_value){.tensor = t};
}

void situ_onnx_give_value(situ_onnx_call *c, int i, const situ_onnx_value *value)
{
    situ_onnx_value *v = result_of(c, i);
    if (v) *v = *value;
}

uint8_t *situ_onnx_give_host(situ_onnx_call *c, int i, situ_dtype dtype, int ndim, const int64_t *dim)
{
    situ_onnx_host *h;
    uint8_t *data = host_like(c->run, &h, dtype, ndim, dim);
    situ_onnx_value *v = result_of(c, i);
    if (data && v) *v = (situ_onnx_value){.host = h};
    return data;
}

/* ---- running -------------------------------------------------------------------------------------------------------------- */

/* Computes the node on the host, if the operator needs host values or all its inputs are on the host. */
static bool on_host(situ_onnx_call *c)
{
    const situ_onnx_op *op = c->node->op;
    if (!op->host) return false;
    bool all = true;
    for (int i = 0; i < c->node->ins && all; i++) {
        situ_onnx_value *v = value_of(c, i);
        if (v && !v->host && v->given && v->tensor && !situ_onnx_read(c, i)) return false;
        all = !v || v->host || !v->tensor;
    }
    return (all || !strcmp(op->name, "Shape") || !strcmp(op->name, "Size")) && op->host(c);
}

static int run_node(situ_onnx_run *r, const situ_onnx_node *n)
{
    situ_onnx_call c = {r, n, r->m->opset};
    situ_site site = r->site;
    const situ_onnx_op *op = n->op;
    if (on_host(&c) || situ_error_code) return situ_error_code ? -situ_error_code : 0;
    if ((op->one && !situ_onnx_has(&c, 0)) || (op->two && (!situ_onnx_has(&c, 0) || !situ_onnx_has(&c, 1))))
        return situ_onnx_refuse(&c, SITU_BAD_FORMAT, "an input is missing"), -situ_error_code;
    situ_tensor *t = op->one ? op->one(situ_onnx_in(&c, 0), site) :
        op->two              ? op->two(situ_onnx_in(&c, 0), situ_onnx_second(&c), site) :
                               op->body(&c, site);
    if (situ_error_code) return -situ_error_code;
    if (t) situ_onnx_give(&c, 0, t);
    return 0;
}

int situ_onnx_run_graph(situ_onnx_run *r, const situ_onnx_graph *g)
{
    situ_onnx_call c = {r, NULL, r->m->opset};
    situ_site site = r->site;
    (void)c;
    for (int i = 0; i < g->constants; i++) {
        const situ_onnx_name *k = &g->constant[i];
        situ_onnx_value *v = &r->value[k->value];
        *v = (situ_onnx_value){.host = k->host};
        if (k->parameter < 0) continue;
        situ_shape shape = {.ndim = k->host->ndim};
        memcpy(shape.dim, k->host->dim, sizeof shape.dim);
        *v = (situ_onnx_value){.tensor = situ_module_use(r->module, k->parameter, r->x, shape)};
    }
    for (int i = 0; i < g->nodes && !situ_error_code; i++) run_node(r, &g->node[i]);
    return situ_error_code ? -situ_error_code : 0;
}
