/* Entering and leaving the library: arguments, results, exceptions. */
#include "binding.h"

#include <float.h>
#include <math.h>

#include "device/streams.h"
#include "graph/record.h"
#include "op/support.h"

binding_hooks hooks;

PyObject *raise_error(void)
{
    situ_error e;
    situ_error_take(&e);
    bool axis = e.code == SITU_BAD_ARGUMENT && (strstr(e.message, ": " SITU_NO_AXIS) || strstr(e.message, SITU_AXIS_OF_0_D));
    PyObject *code = PyLong_FromLong(axis ? 0 : e.code),
             *type = code && hooks.errors ? PyDict_GetItemWithError(hooks.errors, code) : NULL;
    Py_XDECREF(code);
    PyObject *text = PyErr_Occurred() ? NULL : PyUnicode_DecodeUTF8(e.message, (Py_ssize_t)strlen(e.message), "backslashreplace");
    if (text) PyErr_SetObject(type ? type : PyExc_RuntimeError, text); /* the text of an exception that can be printed */
    Py_XDECREF(text);
    return NULL;
}

PyObject *raise_error_or_signal(void)
{
    if (!PyErr_Occurred()) return raise_error();
    if (situ_failed()) situ_error_take(NULL);
    return NULL;
}

bool no_signal_came(void)
{
    PyGILState_STATE state = PyGILState_Ensure();
    bool came = PyErr_Occurred() || PyErr_CheckSignals();
    PyGILState_Release(state);
    return !came;
}

/* Waits if a loop that reads nothing is too far ahead of its device (run/ahead.h). It waits here, where no lock is
 * held. */
static bool keep_pace(situ_site site)
{
    bool goes_on = true;
    for (situ_dev *d; goes_on && situ_ahead_any() && (d = situ_ahead_pending());) {
        BEGIN_WAIT
        goes_on = situ_ahead_wait(d, site);
        END_WAIT
    }
    return goes_on;
}

static bool begin(call *c, PyObject *const *arg, Py_ssize_t count, Py_ssize_t wanted, const char *name, bool launches)
{
    if (count > wanted) {
        PyErr_Format(PyExc_TypeError, "%s: takes at most %zd argument%s (%zd given)", name, wanted, wanted == 1 ? "" : "s", count);
        return false;
    }
    if (atomic_load_explicit(&lent_back, memory_order_relaxed)) give_back_lent();
    c->arg = arg;
    c->argument = NULL;
    c->count = count;
    c->failed = false;
    c->made = NULL;
    c->file = NULL;
    c->name = name;
    c->site = here(&c->name);
    if (name && !*name) c->name = NULL;
    if (launches && !keep_pace(c->site)) return false;
    if (situ_owned_enter(&c->frame)) {
        raise_error();
        return false;
    }
    c->before = situ_speak_instead(c->name, c->site);
    return true;
}

bool call_begin(call *c, PyObject *const *arg, Py_ssize_t count, Py_ssize_t wanted, const char *name)
{
    return begin(c, arg, count, wanted, name, true);
}

bool call_begin_reading(call *c, const situ_tensor *t, const char *name)
{
    return begin(c, NULL, 0, 0, name, t && !t->buffer && !(t->flags & SITU_NODE_VARIABLE));
}

void name_exception(const char *name)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL, *prefix = text ? PyUnicode_FromFormat("%s: ", name) : NULL;
    bool ours = type == PyExc_TypeError || type == PyExc_ValueError || type == PyExc_IndexError || type == PyExc_OverflowError;
    Py_ssize_t said = prefix && ours ? PyUnicode_Tailmatch(text, prefix, 0, PY_SSIZE_T_MAX, -1) : 1;
    PyObject *whole = said ? NULL : PyUnicode_Concat(prefix, text);
    PyErr_Clear();
    if (whole) {
        Py_XDECREF(value);
        value = Py_NewRef(whole);
    }
    PyErr_Restore(type, value, trace);
    Py_XDECREF(whole);
    Py_XDECREF(prefix);
    Py_XDECREF(text);
}

bool call_leave(call *c)
{
    if (c->file) end_file_object(c);
    situ_owned_leave(&c->frame);
    situ_spoken(&c->before);
    if (c->made) Py_CLEAR(c->made);
    if (c->failed) {
        if (c->name && PyErr_Occurred()) name_exception(c->name);
        if (situ_failed()) situ_error_take(NULL);
        return false;
    }
    if (!situ_failed()) return true;
    raise_error();
    return false;
}

PyObject *tensor_new(situ_tensor *t)
{
    tensor_object *o = PyObject_New(tensor_object, tensor_type);
    if (!o) {
        situ_disown(t);
        return NULL;
    }
    o->t = t;
    o->link = o->views = NULL;
    o->shared = false;
    return (PyObject *)o;
}

/* A C number that was returned unchanged becomes a tensor. */
static situ_tensor *finish(call *c, situ_tensor *t)
{
    if (c->failed || situ_failed()) return NULL;
    if (t && t->flags & SITU_NODE_SCALAR) t = (situ_full)(SHAPE(), t, NULL, c->site);
    if (!t || t->flags & SITU_NODE_POISON) return NULL;
    return t->flags & (SITU_NODE_KEPT | SITU_NODE_VARIABLE) ? t : situ_own(t);
}

__thread bool starts_at_once;

/* In eager mode starts computing the result, without waiting; a network that is being exported stays a graph. */
static situ_tensor *start(const call *c, situ_tensor *t)
{
    if (!starts_at_once || situ_thread_state.inference || !t || t->buffer || t->flags & SITU_NODE_VARIABLE) return t;
    if (!(situ_eval)(TENSORS(t), c->site)) return t;
    if (!(t->flags & SITU_NODE_KEPT)) situ_disown(t);
    return NULL;
}

PyObject *call_end(call *c, situ_tensor *t)
{
    t = start(c, finish(c, t));
    if (!call_leave(c)) return NULL;
    if (t) return tensor_new(t);
    PyErr_SetString(PyExc_RuntimeError, "the operation gave no result");
    return NULL;
}

PyObject *call_end_list(call *c, situ_tensor *const *t, int count)
{
    PyObject *list = c->failed || situ_failed() ? NULL : PyList_New(count);
    for (int i = 0; i < count && list; i++) {
        situ_tensor *one = start(c, finish(c, t[i]));
        PyObject *o = one ? tensor_new(one) : NULL;
        if (!o || PyList_SetItem(list, i, o)) Py_CLEAR(list);
    }
    if (call_leave(c) && (list || PyErr_Occurred())) return list;
    Py_XDECREF(list);
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "the operation gave no result");
    return NULL;
}

PyObject *call_end_code(call *c, int rc)
{
    (void)rc; /* the error is set in the thread */
    if (!call_leave(c)) return NULL;
    Py_RETURN_NONE;
}

/* ---- arguments ------------------------------------------------------------------------------------------------------- */

static situ_tensor *complex_number(call *c, double re, double im, const situ_tensor *like)
{
    situ_dtype d = like && (like->dtype == SITU_F64 || like->dtype == SITU_C128) ? SITU_C128 : SITU_C64;
    char one[16];
    situ_element_set_c128(d, one, (situ_c128){re, im});
    situ_from_host_options o = {.dtype = d, .device = SITU_DEVICE_DEFAULT, .unnamed = SITU_NAMED, .size = sizeof o};
    situ_tensor *t = (situ_from_host)(one, SHAPE(), &o, c->site);
    return like && like->device.kind != SITU_CPU ? (situ_to)(t, like->device, c->site) : t;
}

/* Converts integers of any size; those beyond 64 bits by their neighbours among doubles. */
static situ_tensor *integer(call *c, PyObject *o)
{
    int overflow;
    long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (!overflow) return situ_scalar_int(v);
    uint64_t u = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
    if (overflow > 0 && !PyErr_Occurred()) return situ_scalar_unsigned(u);
    PyErr_Clear();
    double nearest = PyLong_AsDouble(o), inner = nearest;
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return situ_scalar_wide(overflow * DBL_MAX, true, overflow * HUGE_VAL);
    }
    PyObject *back = PyLong_FromDouble(nearest);
    int more = back ? PyObject_RichCompareBool(back, o, Py_NE) : -1,
        beyond = back ? PyObject_RichCompareBool(back, o, overflow > 0 ? Py_GT : Py_LT) : -1;
    Py_XDECREF(back);
    if (more < 0 || beyond < 0) {
        c->failed = true;
        return NULL;
    }
    if (beyond) inner = nextafter(nearest, 0);
    return situ_scalar_wide(inner, more, nearest);
}

/* False for dates, whose item is an integer, and masked numbers, whose item is 0: neither is that number. */
static bool stands_for_number(PyObject *o)
{
    PyObject *ndim =
        PyObject_HasAttrString(o, "item") && !PyObject_HasAttrString(o, "filled") ? PyObject_GetAttrString(o, "ndim") : NULL;
    PyObject *dtype = ndim ? PyObject_GetAttrString(o, "dtype") : NULL,
             *kind = dtype ? PyObject_GetAttrString(dtype, "kind") : NULL;
    const char *letter = kind && PyUnicode_Check(kind) ? PyUnicode_AsUTF8AndSize(kind, NULL) : NULL;
    bool single = ndim && PyLong_Check(ndim) && PyLong_AsLong(ndim) == 0 && !(letter && strchr("mM", *letter));
    Py_XDECREF(ndim);
    Py_XDECREF(dtype);
    Py_XDECREF(kind);
    PyErr_Clear();
    return single;
}

/* Converts a NumPy scalar to its number. */
static situ_tensor *scalar_of_others(call *c, PyObject *o, situ_tensor *like)
{
    PyObject *number = stands_for_number(o) ? PyObject_CallMethod(o, "item", NULL) : NULL;
    bool known = number && (PyLong_Check(number) || PyFloat_Check(number) || PyComplex_Check(number));
    situ_tensor *t = known ? operand(c, number, like) : NULL;
    Py_XDECREF(number);
    if (!t && PyErr_Occurred()) c->failed = true;
    return t;
}

situ_tensor *operand(call *c, PyObject *o, situ_tensor *like)
{
    if (is_tensor(o)) return tensor_of(o);
    if (PyBool_Check(o)) return situ_scalar_bool(o == Py_True);
    if (PyLong_Check(o)) return integer(c, o);
    if (PyFloat_Check(o)) return situ_scalar_float(PyFloat_AsDouble(o));
    if (PyComplex_Check(o)) return complex_number(c, PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o), like);
    return scalar_of_others(c, o, like);
}

static void fail_type(call *c, int i, const char *what)
{
    PyObject *type = i < c->count && c->arg[i] ? PyType_GetName(Py_TYPE(c->arg[i])) : NULL;
    bool array = type && (PyList_Check(c->arg[i]) || PyTuple_Check(c->arg[i]) || PyObject_HasAttrString(c->arg[i], "__array__"));
    if (!PyErr_Occurred() && !c->failed) {
        char name[32];
        if (c->argument) snprintf(name, sizeof name, "%s", c->argument[i]);
        else snprintf(name, sizeof name, "argument %d", i + 1);
        if (!type) PyErr_Format(PyExc_TypeError, "%s, %s, is missing", name, what);
        else
            PyErr_Format(PyExc_TypeError, "%s must be %s, not %U%s", name, what, type,
                !strcmp(name, "key")                        ? KEY_MENDS :
                    array && *what == 'a' && what[2] == 't' ? "; write situ.asarray(...) for its numbers" :
                                                              "");
    }
    Py_XDECREF(type);
    c->failed = true;
}

/* Replaces Python's message about a number, which names no argument. */
static void fail_number(call *c, int i, const char *what)
{
    if (c->argument && PyErr_ExceptionMatches(PyExc_TypeError) && !is_tensor(c->arg[i])) {
        PyErr_Clear();
        fail_type(c, i, what);
    }
    c->failed = true;
}

situ_tensor *arg_tensor(call *c, int i)
{
    situ_tensor *like = NULL;
    if (c->failed) return situ_scalar_int(0);
    for (int k = 0; k < c->count && !like; k++)
        if (k != i && c->arg[k] && is_tensor(c->arg[k])) like = tensor_of(c->arg[k]);
    situ_tensor *t = i < c->count && c->arg[i] ? operand(c, c->arg[i], like) : NULL;
    if (t) return t;
    if (!c->failed) fail_type(c, i, "a tensor or a number");
    return situ_scalar_int(0);
}

situ_tensor *arg_optional(call *c, int i) { return given(c, i) ? arg_tensor(c, i) : NULL; }

situ_shape arg_shape(call *c, int i)
{
    PyObject *o = given(c, i);
    if (!o) return (situ_shape)SITU_SHAPE_UNSET;
    situ_shape s = {.ndim = 0};
    if (PyLong_Check(o) || (!PySequence_Check(o) && PyIndex_Check(o))) {
        s.ndim = 1;
        s.dim[0] = PyNumber_AsSsize_t(o, PyExc_OverflowError);
        if (PyErr_Occurred()) c->failed = true;
        return s;
    }
    Py_ssize_t n = PySequence_Size(o);
    if (n > SITU_MAX_DIMS) PyErr_Format(PyExc_ValueError, "a tensor has at most %d dimensions, not %zd", SITU_MAX_DIMS, n);
    for (Py_ssize_t k = 0; k < n && n <= SITU_MAX_DIMS && !PyErr_Occurred(); k++) {
        PyObject *v = PySequence_GetItem(o, k);
        s.dim[k] = v ? PyNumber_AsSsize_t(v, PyExc_OverflowError) : 0;
        Py_XDECREF(v);
    }
    s.ndim = n > 0 && n <= SITU_MAX_DIMS ? n : 0;
    if (PyErr_Occurred()) c->failed = true;
    return s;
}

situ_shape arg_padding(call *c, int i)
{
    PyObject *o = given(c, i);
    if (!o || !PyUnicode_Check(o)) return arg_shape(c, i);
    bool same = !PyUnicode_CompareWithASCIIString(o, "same");
    if (!same && PyUnicode_CompareWithASCIIString(o, "valid")) {
        if (!c->failed) PyErr_Format(PyExc_ValueError, "padding is a number, one for each axis, \"same\" or \"valid\", not %R", o);
        c->failed = true;
    }
    return SHAPE(same ? SITU_SAME : 0);
}

static int32_t fit_int32(call *c, int64_t v)
{
    if (v >= INT32_MIN && v <= INT32_MAX) return (int32_t)v;
    if (!c->failed) PyErr_Format(PyExc_OverflowError, "%lld is too large for an axis or a count", (long long)v);
    c->failed = true;
    return 0;
}

situ_axes arg_axes(call *c, int i)
{
    if (!given(c, i)) return (situ_axes)SITU_AXES_UNSET;
    situ_axes a = {.count = 0};
    situ_shape s = arg_shape(c, i);
    a.given = 1;
    a.count = (int32_t)s.ndim;
    for (int k = 0; k < s.ndim; k++) a.axis[k] = fit_int32(c, s.dim[k]);
    return a;
}

int32_t arg_int32(call *c, int i, int32_t otherwise) { return fit_int32(c, arg_int(c, i, otherwise)); }

int64_t arg_int(call *c, int i, int64_t otherwise)
{
    PyObject *o = given(c, i);
    if (!o) return otherwise;
    PyObject *index = PyNumber_Index(o);
    int64_t v = index ? PyLong_AsLongLong(index) : 0;
    Py_XDECREF(index);
    if (PyErr_Occurred()) fail_number(c, i, "an integer");
    return v;
}

double arg_double(call *c, int i, double otherwise)
{
    PyObject *o = given(c, i);
    double v = o ? PyFloat_AsDouble(o) : otherwise;
    if (o && PyErr_Occurred()) fail_number(c, i, "a real number");
    return v;
}

bool arg_bool(call *c, int i, bool otherwise)
{
    PyObject *o = given(c, i);
    int v = o ? PyObject_IsTrue(o) : otherwise;
    if (v < 0) c->failed = true;
    return v == 1;
}

bool parse_dtype(PyObject *o, situ_dtype *out)
{
    for (int d = 0; d < SITU_DTYPES; d++)
        if (hooks.dtype[d] == o) {
            *out = (situ_dtype)d;
            return true;
        }
    if (PyUnicode_Check(o)) {
        const char *name = PyUnicode_AsUTF8AndSize(o, NULL);
        if (name && !situ_dtype_parse(name, out)) return true;
        if (name) situ_error_take(NULL);
    }
    PyObject *dtypes = PyErr_Occurred() ? NULL : PyImport_ImportModule("situ._dtypes"),
             *d = dtypes ? PyObject_CallMethod(dtypes, "parse", "O", o) : NULL;
    Py_XDECREF(dtypes);
    Py_XDECREF(d); /* hooks holds a reference */
    return d && d != o && parse_dtype(d, out);
}

situ_dtype arg_dtype(call *c, int i)
{
    PyObject *o = given(c, i);
    situ_dtype d = SITU_DTYPE_DEFAULT;
    if (o && !parse_dtype(o, &d)) c->failed = true;
    return d;
}

bool parse_device(PyObject *o, situ_device *out)
{
    *out = (situ_device){0, 0};
    if (o == Py_None) return true;
    if (PyUnicode_Check(o)) {
        const char *name = PyUnicode_AsUTF8AndSize(o, NULL);
        if (name && !situ_device_parse(name, out)) return true;
        if (name) raise_error();
        return false;
    }
    PyObject *kind = PyObject_GetAttrString(o, "_kind"), *index = kind ? PyObject_GetAttrString(o, "index") : NULL;
    if (index) {
        out->kind = (int16_t)PyLong_AsLong(kind);
        out->index = (int16_t)PyLong_AsLong(index);
    }
    Py_XDECREF(kind);
    Py_XDECREF(index);
    if (index && !PyErr_Occurred()) return true;
    PyErr_Format(PyExc_TypeError, "%R is no device of situ; write situ.cpu(), situ.gpu(0) or \"gpu:0\"", o);
    return false;
}

situ_device arg_device(call *c, int i)
{
    situ_device d = {0, 0};
    PyObject *o = given(c, i);
    if (o && !parse_device(o, &d)) c->failed = true;
    return d;
}

PyObject *device_object(situ_device d)
{
    enum { INDICES = 64, KINDS = 8 };
    static PyObject *made[KINDS * INDICES];
    bool small = d.kind >= 0 && d.kind < KINDS && d.index >= 0 && d.index < INDICES;
    PyObject **at = small ? &made[d.kind * INDICES + d.index] : NULL;
    if (at && *at) return Py_NewRef(*at);
    PyObject *o = PyObject_CallFunction(hooks.device, "ii", (int)d.kind, (int)d.index);
    if (at && o) *at = Py_NewRef(o);
    return o;
}

static void fail_item(call *c, Py_ssize_t k, PyObject *one)
{
    PyObject *type = one ? PyType_GetName(Py_TYPE(one)) : NULL;
    if (type)
        PyErr_Format(PyExc_TypeError,
            "element %zd (counted from 0) is of type %U, not a tensor; situ.asarray makes tensors of numbers and arrays", k, type);
    Py_XDECREF(type);
    c->failed = true;
}

situ_list arg_list(call *c, int i)
{
    situ_list list = {NULL, 0};
    PyObject *o = given(c, i);
    if (o && !PyList_Check(o) && !PyTuple_Check(o) && !c->made) o = c->made = PySequence_List(o);
    Py_ssize_t n = o ? PySequence_Size(o) : PyErr_Occurred() ? -1 : 0;
    if (n < 0) {
        c->failed = true;
        return list;
    }
    situ_tensor **t = situ_arena_alloc(&situ_owned_scope.arena, (size_t)(n + 1) * sizeof *t);
    for (Py_ssize_t k = 0; k < n && t && !c->failed; k++) {
        PyObject *one = PySequence_GetItem(o, k); /* the sequence holds a reference */
        t[k] = one && is_tensor(one) ? tensor_of(one) : NULL;
        if (!t[k] && !c->failed) fail_item(c, k, one);
        Py_XDECREF(one);
    }
    if (!t) {
        PyErr_NoMemory();
        c->failed = true;
    }
    if (!c->failed) list = TENSORS_OF(t, (int)n);
    return list;
}

/* ---- capsules -------------------------------------------------------------------------------------------------------------- */

void *handle_of(PyObject *capsule, const char *name) { return PyCapsule_GetPointer(capsule, name); }

PyObject *tensor_share(situ_tensor *variable)
{
    situ_heap *h = situ_heap_of(variable);
    atomic_fetch_add(&h->refs, 1);
    tensor_object *o = (tensor_object *)(void *)tensor_new(variable);
    if (!o) return NULL;
    o->shared = true;
    h->shares++;
    return (PyObject *)o;
}

void tensor_let_go(const tensor_object *o)
{
    bool handle = !situ_is_owned(o->t) && o->t->flags & (SITU_NODE_KEPT | SITU_NODE_VARIABLE);
    situ_heap *h = handle ? situ_heap_of(o->t) : NULL;
    if (o->shared) {
        if (!--h->shares && h->left) situ_release(o->t);
        situ_heap_unref(h);
    } else if (h && h->shares) {
        h->left = true;
    } else {
        situ_disown(o->t);
    }
}
