/* Fast paths for functions with the usual arguments; other arguments go to a rule in Python, which also raises the
 * errors. */
#include "binding.h"

/* Calls the function of a module of situ with these arguments. */
static PyObject *by_rule(const char *module, const char *name, PyObject *const *arg, Py_ssize_t n, PyObject *named)
{
    Py_ssize_t names = named ? PyTuple_Size(named) : 0;
    PyObject *m = PyImport_ImportModule(module), *rule = m ? PyObject_GetAttrString(m, name) : NULL, *result = NULL;
    PyObject *args = PyTuple_New(n), *options = names ? PyDict_New() : NULL;
    bool ok = rule && args && (options || !names);
    for (Py_ssize_t i = 0; i < n && ok; i++) ok = !PyTuple_SetItem(args, i, Py_NewRef(arg[i]));
    for (Py_ssize_t k = 0; k < names && ok; k++) ok = !PyDict_SetItem(options, PyTuple_GetItem(named, k), arg[n + k]);
    if (ok) result = PyObject_Call(rule, args, options);
    Py_XDECREF(options);
    Py_XDECREF(args);
    Py_XDECREF(rule);
    Py_XDECREF(m);
    return result;
}

static bool is_number(PyObject *o) { return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o); }

MADE(where)
{
    (void)self;
    if (n == 3 && !named && is_tensor(arg[0]) && (is_tensor(arg[1]) || is_tensor(arg[2])) &&
        (is_tensor(arg[1]) || is_number(arg[1])) && (is_tensor(arg[2]) || is_number(arg[2]))) {
        BEGIN(3, "where");
        return call_end(c, (situ_where)(arg_tensor(c, 0), arg_tensor(c, 1), arg_tensor(c, 2), c->site));
    }
    return by_rule("situ._functions", "where", arg, n, named);
}

/* True for a bound of x's dtype, or a number that can become one: for integers no fraction. */
static bool is_bound(const situ_tensor *x, PyObject *o)
{
    if (is_tensor(o)) return tensor_of(o)->dtype == x->dtype;
    return PyLong_CheckExact(o) || (PyFloat_CheckExact(o) && situ_dtype_is_float((situ_dtype)x->dtype));
}

MADE(clip)
{
    static const char *const name[] = {"min", "max"};
    const situ_tensor *x = n && is_tensor(arg[0]) ? tensor_of(arg[0]) : NULL;
    PyObject *bound[2] = {n > 1 ? arg[1] : Py_None, n > 2 ? arg[2] : Py_None};
    bool usual = x && n < 4 && x->dtype != SITU_BOOL && x->dtype < SITU_C64;
    for (Py_ssize_t k = 0; named && k < PyTuple_Size(named); k++) {
        int i = PyUnicode_CompareWithASCIIString(PyTuple_GetItem(named, k), name[0]) != 0;
        usual &= n < i + 2 && !PyUnicode_CompareWithASCIIString(PyTuple_GetItem(named, k), name[i]);
        bound[i] = arg[n + k];
    }
    bool low = bound[0] != Py_None, high = bound[1] != Py_None;
    if (!usual || !(low || high) || (low && !is_bound(x, bound[0])) || (high && !is_bound(x, bound[1])))
        return by_rule("situ._functions", "clip", arg, n, named);
    PyObject *const all[] = {arg[0], bound[!low], bound[1]};
    arg = all, n = 1 + low + high;
    BEGIN(3, "clip");
    situ_tensor *y = arg_tensor(c, 0), *first = arg_tensor(c, 1);
    return call_end(c,
        low && high ? (situ_clip)(y, first, arg_tensor(c, 2), c->site) :
            low     ? (situ_maximum)(y, first, c->site) :
                      (situ_minimum)(y, first, c->site));
}

MADE(reshape)
{
    TAKE("reshape", 3, 2, 2, {"x", "shape", "copy"}, {NULL});
    situ_tensor *x = arg_tensor(c, 0);
    situ_shape shape = arg_shape(c, 1);
    bool copies = arg_bool(c, 2, false);
    if (c->failed) return call_end(c, NULL);
    x = (situ_reshape)(x, shape, c->site);
    return call_end(c, copies ? (situ_copy_to)(x, x->device, c->site) : x);
}

/* True for numbers, or nested lists of them, by the first element. */
static bool is_of_numbers(PyObject *o)
{
    enum { DEEP = 9 }; /* limited, because a list may contain itself */
    for (int i = 0; i < DEEP && (PyList_CheckExact(o) || PyTuple_CheckExact(o)); i++) {
        bool list = PyList_CheckExact(o);
        if (!(list ? PyList_Size(o) : PyTuple_Size(o))) return true;
        o = list ? PyList_GetItem(o, 0) : PyTuple_GetItem(o, 0);
    }
    return is_number(o) || PyComplex_CheckExact(o);
}

/* Only numpy.ndarray itself; subclasses may have masks. */
static bool is_array(PyObject *o)
{
    static PyTypeObject *known;
    if (Py_TYPE(o) == known) return true;
    if (known || is_tensor(o) || !PyObject_HasAttrString(o, "__array__")) return false;
    PyObject *numpy = PyImport_ImportModule("numpy"), *type = numpy ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
    PyErr_Clear();
    Py_XDECREF(numpy);
    known = (PyTypeObject *)(void *)type; /* kept permanently */
    return Py_TYPE(o) == known;
}

/* NULL without an exception: the fast path does not apply. */
static PyObject *usual_array(PyObject *o, PyObject *named, PyObject *const *option)
{
    PyObject *dtype = Py_None, *device = Py_None;
    for (Py_ssize_t k = 0; named && k < PyTuple_Size(named); k++) {
        PyObject *name = PyTuple_GetItem(named, k);
        if (!PyUnicode_CompareWithASCIIString(name, "dtype")) dtype = option[k];
        else if (!PyUnicode_CompareWithASCIIString(name, "device")) device = option[k];
        else return NULL;
    }
    PyObject *args = NULL, *x = NULL;
    if (is_of_numbers(o)) {
        args = PyTuple_Pack(3, o, dtype, device);
        x = args ? py_from_nested(NULL, args) : NULL;
    } else if (dtype == Py_None && device == Py_None && is_array(o)) {
        args = PyTuple_Pack(2, o, Py_True);
        x = args ? py_from_buffer(NULL, args) : NULL;
    }
    Py_XDECREF(args);
    if (x == Py_None) Py_CLEAR(x);
    if (!x && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
    return x;
}

MADE(asarray)
{
    (void)self;
    PyObject *x = n == 1 ? usual_array(arg[0], named, arg + 1) : NULL;
    return x || PyErr_Occurred() ? x : by_rule("situ._creation", "asarray", arg, n, named);
}

PyMethodDef quick_methods[] = {MADE_ROW(where, where,
                                   "where(condition, x1=None, x2=None, /)\n--\n\nx1 where the condition is true, else x2; of the "
                                   "condition alone, as in NumPy, what nonzero gives."),
    MADE_ROW(clip, clip,
        "clip(x, /, min=None, max=None)\n--\n\nmin(max(x, min), max); None: no bound. The dtype stays x's, but that integers "
        "between floats are floats."),
    MADE_ROW(reshape, reshape,
        "reshape(x, /, shape, *, copy=None)\n--\n\nThe same elements in row-major order under a new shape; one dim may be -1."),
    MADE_ROW(asarray, asarray,
        "asarray(obj, /, *, dtype=None, device=None, copy=None)\n--\n\nA tensor of the numbers in obj: a number, nested lists, a "
        "tensor, anything with a buffer, __dlpack__ or __array__.\n\nMemory of others is copied, unless copy=False says that it "
        "shall be shared."),
    {NULL, NULL, 0, NULL}};
