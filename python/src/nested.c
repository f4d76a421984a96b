/* Converts nested lists of numbers to a tensor. */
#include "binding.h"

#include <math.h>

#include "base/error.h"

typedef struct nested {
    int ndim, kind; /* kind: 0 bool, 1 integer, 2 float, 3 complex */
    bool big;       /* an integer beyond i64 */
    int64_t dim[SITU_MAX_DIMS];
    situ_dtype dtype;
    char *at;
} nested;

static bool is_list(PyObject *o) { return PyList_Check(o) || PyTuple_Check(o); }

static int kind_of_number(PyObject *o)
{
    if (PyBool_Check(o)) return 0;
    if (PyLong_Check(o)) return 1;
    if (PyFloat_Check(o)) return 2;
    if (PyComplex_Check(o)) return 3;
    if (is_tensor(o))
        return tensor_of(o)->dtype == SITU_BOOL ? 0 : tensor_of(o)->dtype < SITU_F16 ? 1 : tensor_of(o)->dtype < SITU_C64 ? 2 : 3;
    return PyIndex_Check(o) ? 1 : PyObject_HasAttrString(o, "__float__") ? 2 : -1;
}

static int fail_ragged(void)
{
    PyErr_SetString(PyExc_ValueError, "asarray: the nested lists do not have one shape");
    return -1;
}

static int survey(nested *n, PyObject *o, int depth)
{
    if (!is_list(o)) {
        if (n->ndim < 0) n->ndim = depth;
        if (n->ndim != depth) return fail_ragged();
        int kind = kind_of_number(o), overflow = 0;
        if (kind < 0) {
            PyObject *type = PyType_GetName(Py_TYPE(o));
            if (type) PyErr_Format(PyExc_TypeError, "asarray: a tensor has numbers, not %U", type);
            Py_XDECREF(type);
            return -1;
        }
        if (PyLong_Check(o)) PyLong_AsLongLongAndOverflow(o, &overflow);
        n->big |= overflow != 0;
        if (kind > n->kind) n->kind = kind;
        return 0;
    }
    if (depth == SITU_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "asarray: a tensor has at most %d dimensions", SITU_MAX_DIMS);
        return -1;
    }
    Py_ssize_t size = PySequence_Size(o);
    if (n->dim[depth] < 0) n->dim[depth] = size;
    if (n->dim[depth] != size || (n->ndim >= 0 && n->ndim <= depth)) return fail_ragged();
    for (Py_ssize_t i = 0; i < size; i++)
        if (survey(n, PyList_Check(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), depth + 1)) return -1;
    if (!size && n->ndim < 0) n->ndim = depth + 1;
    return 0;
}

/* The error for a number that the dtype cannot hold: nothing is wrapped or truncated. */
static void fail_number(situ_dtype d, PyObject *o)
{
    PyObject *text = PyObject_Str(o);
    const char *number = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    PyErr_Clear(); /* an integer with more digits than Python prints */
    const char *name = NULL;
    situ_fail(SITU_BAD_NUMBER, here(&name), "asarray: %s does not hold the number %.60s%s", situ_dtype_name(d),
        number ? number : "given", number && strlen(number) > 60 ? "..." : "");
    raise_error();
    Py_XDECREF(text);
}

/* Is it finite after rounding to the dtype? */
static bool float_holds(situ_dtype d, double v)
{
    char one[8];
    situ_element_set_f64(d, one, v);
    return isfinite(situ_element_get_f64(d, one));
}

static void put_integer(nested *n, PyObject *o)
{
    situ_dtype d = n->dtype;
    PyObject *index = PyNumber_Index(o);
    int overflow = 0;
    long long v = index ? PyLong_AsLongLongAndOverflow(index, &overflow) : 0;
    if (!index) return;
    if (d == SITU_U64 && overflow > 0) {
        v = (long long)PyLong_AsUnsignedLongLong(index);
        if (!PyErr_Occurred()) overflow = 0;
        PyErr_Clear();
    } else if (d == SITU_U64) {
        overflow |= v < 0;
    } else if (d != SITU_I64) {
        overflow |= v < (long long)situ_dtype_lowest(d) || v > (long long)situ_dtype_highest(d);
    }
    if (overflow) fail_number(d, o);
    else situ_element_set_i64(d, n->at, v);
    Py_DECREF(index);
}

/* A float in a list for an integer dtype is truncated, as by a cast; its integer part must be in range. */
static void put_real(nested *n, PyObject *o)
{
    situ_dtype d = n->dtype;
    double v = PyFloat_AsDouble(o);
    if (PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return;
        PyErr_Clear();
        fail_number(d, o);
        return;
    }
    double whole = trunc(v), past = d == SITU_U64 ? 0x1p64 : d == SITU_I64 ? 0x1p63 : situ_dtype_highest(d) + 1;
    bool fits = d < SITU_F16 ? whole >= situ_dtype_lowest(d) && whole < past : !PyLong_Check(o) || float_holds(d, v);
    if (fits) situ_element_set_f64(d, n->at, v);
    else fail_number(d, o);
}

static int put(nested *n, PyObject *o)
{
    situ_dtype d = n->dtype;
    PyObject *number = NULL;
    if (is_tensor(o)) o = number = PyObject_CallMethod(o, "item", NULL);
    if (!o) return -1;
    if (d >= SITU_C64 || PyComplex_Check(o)) {
        situ_c128 z = {PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o)};
        if (!PyErr_Occurred() && d < SITU_C64)
            PyErr_SetString(PyExc_TypeError, "asarray: a complex number does not fit a real dtype");
        if (!PyErr_Occurred()) situ_element_set_c128(d, n->at, z);
    } else if (d == SITU_BOOL) {
        int truth = PyObject_IsTrue(o);
        if (truth >= 0) *n->at = (char)truth;
    } else if (d < SITU_F16 && !PyFloat_Check(o) && PyIndex_Check(o)) {
        put_integer(n, o);
    } else {
        put_real(n, o);
    }
    Py_XDECREF(number);
    n->at += situ_dtype_size(d);
    return PyErr_Occurred() ? -1 : 0;
}

static int fill(nested *n, PyObject *o)
{
    if (!is_list(o)) return put(n, o);
    Py_ssize_t size = PySequence_Size(o);
    for (Py_ssize_t i = 0; i < size; i++)
        if (fill(n, PyList_Check(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i))) return -1;
    return 0;
}

/* from_nested(numbers, dtype or None, default_float) */
PyObject *py_from_nested(PyObject *self, PyObject *args)
{
    PyObject *o, *dtype, *device;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO:from_nested", &o, &dtype, &device)) return NULL;
    nested n = {.ndim = -1, .kind = -1};
    for (int i = 0; i < SITU_MAX_DIMS; i++) n.dim[i] = -1;
    if (survey(&n, o, 0)) return NULL;
    static const situ_dtype usual[] = {SITU_BOOL, SITU_I64, SITU_F32, SITU_C64};
    n.dtype = n.kind < 0 ? SITU_F32 : n.kind == 1 && n.big ? SITU_U64 : usual[n.kind];
    if (dtype != Py_None && !parse_dtype(dtype, &n.dtype)) return NULL;
    situ_device where;
    if (!parse_device(device, &where)) return NULL;
    int64_t count = situ_shape_count(n.ndim, n.dim);
    char *data = PyMem_Malloc((size_t)count * situ_dtype_size(n.dtype) + 1);
    if (!data) return PyErr_NoMemory();
    n.at = data;
    PyObject *result = NULL;
    call c;
    if (!fill(&n, o) && call_begin(&c, NULL, 0, 0, "asarray")) {
        situ_shape shape = {.ndim = n.ndim};
        memcpy(shape.dim, n.dim, 8 * (size_t)n.ndim);
        situ_from_host_options m = {.size = sizeof m, .unnamed = SITU_NAMED, .dtype = n.dtype, .device = where};
        result = call_end(&c, (situ_from_host)(data, shape, &m, c.site));
    }
    PyMem_Free(data);
    return result;
}
