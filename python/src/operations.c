/* Operations of the table, and functions that made_*.c lacks. */
#include "binding.h"
#include "op/support.h"

#define X(i) arg_tensor(c, i)

/* Is a infinite as an element of q's dtype, in which a large number may be infinite? For bool the answer is no. */
static situ_tensor *is_infinite(situ_tensor *a, situ_tensor *q, situ_site site)
{
    situ_made_options o = {SITU_DEFAULTS(SITU_MADE_DEFAULTS).size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = (situ_dtype)q->dtype, o.device = q->device;
    bool number = situ_is_number(a) && !situ_is_number(q);
    return (situ_isinf)(number ? (situ_full)(SHAPE(), a, &o, site) : (situ_cast)(a, (situ_dtype)q->dtype, site), site);
}

situ_tensor *floor_divide(situ_tensor *a, situ_tensor *b, situ_site site)
{
    situ_tensor *q = (situ_floor_divide)(a, b, site);
    if (q->flags & SITU_NODE_POISON || q->dtype < SITU_F16) return q;
    situ_tensor *far = (situ_logical_or)(is_infinite(a, q, site), is_infinite(b, q, site), site);
    return (situ_where)(far, (situ_stop_gradient)((situ_div)(a, b, site), site), q, site);
}

situ_tensor *sign_of(situ_tensor *a, situ_site site)
{
    situ_tensor *y = (situ_sign)(a, site);
    if (y->flags & SITU_NODE_POISON || y->dtype < SITU_F16) return y;
    if (y->dtype < SITU_C64) return (situ_add)(y, situ_scalar_int(0), site); /* turns -0 into 0 */
    return (situ_where)((situ_equal)(a, situ_scalar_int(0), site), (situ_zeros_like)(y, NULL, site), y, site);
}

/* Some are known by the names of the array API standard. */
#define STANDARD(name) \
    (!strcmp(name, "sub") ? "subtract" : !strcmp(name, "mul") ? "multiply" : !strcmp(name, "div") ? "divide" : name)
static PyObject *fail_by_name(const char *function, PyObject *names)
{
    PyObject *name = PyTuple_GetItem(names, 0), *habit = habit_of(function, name, NULL, 0);
    if (habit)
        PyErr_Format(PyExc_TypeError, "%s takes its arguments by position, and has none of the name %R%U", function, name, habit);
    Py_XDECREF(habit);
    return NULL;
}

#define FN(name, count, expression, doc) \
    static PyObject *py_##name(PyObject *self, PyObject *const *arg, Py_ssize_t n, PyObject *names) \
    { \
        call frame_, *c = &frame_; \
        (void)self; \
        if (names) return fail_by_name(STANDARD(#name), names); \
        if (!call_begin(c, arg, n, count, STANDARD(#name))) return NULL; \
        return call_end(c, expression); \
    }
#define EL1(name, kind, value, grad, lo, hi, doc) FN(name, 1, (situ_##name)(X(0), c->site), doc)
#define EL2(name, kind, value, grad_a, grad_b, lo, hi, doc) FN(name, 2, (situ_##name)(X(0), X(1), c->site), doc)
#define EL3(name, kind, value, grad_a, grad_b, grad_c, lo, hi, doc) FN(name, 3, (situ_##name)(X(0), X(1), X(2), c->site), doc)
#undef situ_floor_divide
#undef situ_sign
#define situ_floor_divide floor_divide /* with the standard's values */
#define situ_sign sign_of
#include "op/elementwise.def"
#undef situ_floor_divide
#undef situ_sign
#include "functions.def"
#undef EL1
#undef EL2
#undef EL3
#undef FN

/* split(x, count, axis) */
enum { MOST_PARTS = 4096 };
static PyObject *py_split(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call frame_, *c = &frame_;
    (void)self;
    if (!call_begin(c, arg, n, 3, "split")) return NULL;
    int64_t count = arg_int(c, 1, 1);
    bool fits = count > 0 && count <= MOST_PARTS;
    situ_tensor **part = fits ? situ_arena_alloc(&situ_owned_scope.arena, (size_t)count * sizeof *part) : NULL;
    if (!part || c->failed) {
        if (!c->failed) PyErr_Format(PyExc_ValueError, "split: between 1 and %d parts", MOST_PARTS);
        c->failed = true;
        return call_end(c, NULL);
    }
    situ_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = arg_int32(c, 2, 0)};
    (situ_split)(X(0), (int)count, part, &o, c->site);
    return call_end_list(c, part, (int)count);
}

static PyObject *py_pullback(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call frame_, *c = &frame_;
    (void)self;
    if (!call_begin(c, arg, n, 3, "grad")) return NULL;
    situ_tensor *y = X(0), *g = n > 1 && arg[1] != Py_None ? X(1) : NULL;
    situ_list wrt = arg_list(c, 2);
    situ_tensor **out = situ_arena_alloc(&situ_owned_scope.arena, (size_t)(wrt.count + 1) * sizeof(*out));
    if (!out || c->failed || (situ_pullback)(y, g, wrt, out, c->site)) return call_end(c, NULL);
    return call_end_list(c, out, wrt.count);
}

#define EL1(name, kind, value, grad, lo, hi, doc) \
    {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL | METH_KEYWORDS, #name "(x, /)\n--\n\n" doc "."},
#define EL2(name, kind, value, grad_a, grad_b, lo, hi, doc) \
    {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL | METH_KEYWORDS, #name "(x1, x2, /)\n--\n\n" doc "."},
#define EL3(name, kind, value, grad_a, grad_b, grad_c, lo, hi, doc) \
    {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL | METH_KEYWORDS, #name "(x1, x2, x3, /)\n--\n\n" doc "."},
#define FN(name, count, expression, doc) {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL | METH_KEYWORDS, doc},
PyMethodDef operation_methods[] = {
#include "op/elementwise.def"
#include "functions.def"
    FAST(split), FAST(pullback), {NULL, NULL, 0, NULL}};

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
