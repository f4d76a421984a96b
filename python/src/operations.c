/* Every operation as a function of positional arguments; the modules of situ/ give them the standard's signatures. */
#include "binding.h"
#include "op/support.h"

#define OPTIONS(T, ...) (&(const T){.size = sizeof(T), .unnamed = SITU_NAMED, __VA_ARGS__})
#define X(i) arg_tensor(c, i)
#define OPTIONAL(i) (c->count > (i) && c->arg[i] != Py_None ? X(i) : NULL)
#define SHP(i) arg_shape(c, i)
#define AX(i) arg_axes(c, i)
#define INT(i, otherwise) arg_int(c, i, otherwise)
#define INT32(i, otherwise) arg_int32(c, i, otherwise)
#define REAL(i, otherwise) arg_double(c, i, otherwise)
#define FLAG(i, otherwise) arg_bool(c, i, otherwise)
#define DT(i) arg_dtype(c, i)
#define DEV(i) arg_device(c, i)
#define AXIS(i, otherwise) OPTIONS(situ_axis_options, .axis = INT32(i, otherwise))
#define LAST_AXIS(i) OPTIONS(situ_last_axis_options, .axis = INT32(i, -1))
#define MAKE(dt, dev) OPTIONS(situ_made_options, .dtype = DT(dt), .device = DEV(dev))
#define EXTREME OPTIONS(situ_extreme_options, .axes = AX(1), .keepdims = FLAG(2, false))
#define SUM OPTIONS(situ_sum_options, .axes = AX(1), .keepdims = FLAG(2, false), .dtype = DT(3))
#define VAR OPTIONS(situ_var_options, .axes = AX(1), .keepdims = FLAG(2, false), .dtype = DT(3), .correction = REAL(4, 0))
#define NORM OPTIONS(situ_norm_options, .axes = AX(1), .keepdims = FLAG(2, false), .dtype = DT(3), .ord = REAL(5, 2))
#define SCAN OPTIONS(situ_scan_options, .axis = INT32(1, -1), .dtype = DT(2), .reverse = FLAG(3, false), .initial = FLAG(4, false))
#define SORT OPTIONS(situ_sort_options, .axis = INT32(1, -1), .descending = FLAG(2, false))
#define DRAW(dt, dev) OPTIONS(situ_draw_options, .dtype = DT(dt), .device = DEV(dev))

situ_tensor *floor_divide(situ_tensor *a, situ_tensor *b, situ_site site)
{
    situ_tensor *q = (situ_floor_divide)(a, b, site);
    if (q->flags & SITU_NODE_POISON || q->dtype < SITU_F16) return q;
    situ_tensor *far = (situ_logical_or)((situ_isinf)(a, site), (situ_isinf)(b, site), site);
    return (situ_where)(far, (situ_div)(a, b, site), q, site);
}

situ_tensor *sign_of(situ_tensor *a, situ_site site)
{
    situ_tensor *y = (situ_sign)(a, site);
    if (y->flags & SITU_NODE_POISON || y->dtype < SITU_F16) return y;
    return (situ_where)((situ_equal)(a, situ_scalar_int(0), site), (situ_zeros_like)(y, NULL, site), y, site);
}

/* Users know some by the standard's names. */
#define STANDARD(name) (!strcmp(name, "sub") ? "subtract" : !strcmp(name, "mul") ? "multiply" : !strcmp(name, "div") ? "divide" : name)
#define FN(name, count, expression) \
    static PyObject *py_##name(PyObject *self, PyObject *const *arg, Py_ssize_t n) \
    { \
        call frame_, *c = &frame_; \
        (void)self; \
        if (!call_begin(c, arg, n, count, STANDARD(#name))) return NULL; \
        return call_end(c, expression); \
    }
#define EL1(name, kind, value, grad, lo, hi, doc) FN(name, 1, (situ_##name)(X(0), c->site))
#define EL2(name, kind, value, grad_a, grad_b, lo, hi, doc) FN(name, 2, (situ_##name)(X(0), X(1), c->site))
#define EL3(name, kind, value, grad_a, grad_b, grad_c, lo, hi, doc) FN(name, 3, (situ_##name)(X(0), X(1), X(2), c->site))
#include "op/elementwise.def"
#include "functions.def"
#define MANY(name, count, results, expression) \
    static PyObject *py_##name(PyObject *self, PyObject *const *arg, Py_ssize_t n) \
    { \
        call frame_, *c = &frame_; \
        (void)self; \
        if (!call_begin(c, arg, n, count, #name)) return NULL; \
        situ_tensor *part[results] = {NULL}; \
        part[0] = expression; \
        return call_end_list(c, part, results); \
    }
#include "linalg.def"
#include "fft.def"
#undef EL1
#undef EL2
#undef EL3
#undef FN
#undef MANY

/* split(x, count, axis), split_key(key, count), topk and unique: several results. */
enum { MOST_PARTS = 4096 };
static PyObject *py_split(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call frame_, *c = &frame_;
    (void)self;
    if (!call_begin(c, arg, n, 3, "split")) return NULL;
    int64_t count = INT(1, 1);
    bool fits = count > 0 && count <= MOST_PARTS;
    situ_tensor **part = fits ? situ_arena_alloc(&situ_owned_scope.arena, (size_t)count * sizeof *part) : NULL;
    if (!part || c->failed) {
        if (!c->failed) PyErr_Format(PyExc_ValueError, "split: between 1 and %d parts", MOST_PARTS);
        c->failed = true;
        return call_end(c, NULL);
    }
    (situ_split)(X(0), (int)count, part, AXIS(2, 0), c->site);
    return call_end_list(c, part, (int)count);
}

static PyObject *py_topk(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call frame_, *c = &frame_;
    (void)self;
    if (!call_begin(c, arg, n, 4, "topk")) return NULL;
    situ_tensor *part[2] = {NULL, NULL};
    part[0] = (situ_topk)(X(0), INT(1, 1), OPTIONS(situ_topk_options, .axis = INT32(2, -1), .smallest = FLAG(3, false), .indices = &part[1]), c->site);
    return call_end_list(c, part, 2);
}

static PyObject *py_unique(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call frame_, *c = &frame_;
    (void)self;
    if (!call_begin(c, arg, n, 1, "unique")) return NULL;
    situ_tensor *part[4] = {NULL};
    part[0] = (situ_unique)(X(0), OPTIONS(situ_unique_options, .count = -1, .index = &part[1], .inverse = &part[2], .counts = &part[3]), c->site);
    return call_end_list(c, part, 4);
}

static PyObject *py_pullback(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call frame_, *c = &frame_;
    (void)self;
    if (!call_begin(c, arg, n, 3, "grad")) return NULL;
    situ_tensor *y = X(0), *g = n > 1 && arg[1] != Py_None ? X(1) : NULL;
    situ_list wrt = arg_list(c, 2);
    situ_tensor **out = situ_arena_alloc(&situ_owned_scope.arena, (size_t)(wrt.count + 1) * sizeof(*out));
    if (!out || c->failed || situ_pullback_at(y, g, wrt.tensor, wrt.count, out, c->site)) return call_end(c, NULL);
    return call_end_list(c, out, wrt.count);
}

#define EL1(name, kind, value, grad, lo, hi, doc) {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, #name "(x, /)\n--\n\n" doc "."},
#define EL2(name, kind, value, grad_a, grad_b, lo, hi, doc) {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, #name "(x1, x2, /)\n--\n\n" doc "."},
#define EL3(name, kind, value, grad_a, grad_b, grad_c, lo, hi, doc) {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, #name "(x1, x2, x3, /)\n--\n\n" doc "."},
#define FN(name, count, expression) {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, NULL},
PyMethodDef operation_methods[] = {
#include "op/elementwise.def"
#include "functions.def"
#define MANY(name, count, results, expression) FN(name, count, expression)
#include "linalg.def"
#include "fft.def"
    {"permute", (PyCFunction)(void (*)(void))py_permute, METH_FASTCALL, NULL},
    {"split", (PyCFunction)(void (*)(void))py_split, METH_FASTCALL, NULL},
    {"topk", (PyCFunction)(void (*)(void))py_topk, METH_FASTCALL, NULL},
    {"unique", (PyCFunction)(void (*)(void))py_unique, METH_FASTCALL, NULL},
    {"pullback", (PyCFunction)(void (*)(void))py_pullback, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};

#undef EL1
#undef EL2
#undef EL3
#define EL1(name, kind, value, grad, lo, hi, doc) #name,
#define EL2(name, kind, value, grad_a, grad_b, lo, hi, doc) #name,
#define EL3(name, kind, value, grad_a, grad_b, grad_c, lo, hi, doc) #name,
PyObject *elementwise_names(void)
{
    static const char *const name[] = {
#include "op/elementwise.def"
    };
    enum { COUNT = sizeof name / sizeof *name };
    PyObject *names = PyTuple_New(COUNT);
    for (int i = 0; i < COUNT && names; i++)
        if (PyTuple_SetItem(names, i, PyUnicode_FromString(name[i]))) Py_CLEAR(names);
    return names;
}
