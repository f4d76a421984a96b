/* Sessions; their public class is in situ/_session.py. A run holds no lock of Python's. */
#include "binding.h"

#define SESSION "situ.session"

static void session_end(PyObject *capsule)
{
    situ_session *s = PyCapsule_GetPointer(capsule, SESSION);
    situ_owned_frame f;
    if (!s || !enter_to_free(&f)) return;
    situ_session_close(s);
    situ_owned_leave(&f);
}

/* session_open(net, inputs, state) */
METHOD(py_session_open)
{
    BEGIN(3, "Session");
    situ_module *m = arg_module(c, 0);
    situ_list in = c->failed ? (situ_list){NULL, 0} : arg_list(c, 1);
    situ_session_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .state = arg_text(c, 2, "state")};
    return end_handle(c, c->failed ? NULL : (situ_session_open)(m, in, &o, c->site), SESSION, session_end);
}

/* (shape, number of the dtype) */
static PyObject *about(situ_shape shape, situ_dtype dtype)
{
    PyObject *t = PyTuple_New((Py_ssize_t)shape.ndim);
    for (int i = 0; t && i < shape.ndim; i++) PyTuple_SetItem(t, i, PyLong_FromLongLong(shape.dim[i]));
    return t ? Py_BuildValue("Ni", t, (int)dtype) : NULL;
}

/* session_says(session, results?): of each input, or of each result */
METHOD(py_session_says)
{
    BEGIN(2, "Session");
    situ_session *s = ARG_HANDLE(c, 0, situ_session, SESSION);
    bool results = arg_bool(c, 1, false);
    if (!call_leave(c)) return NULL;
    int count = results ? situ_session_results(s) : situ_session_inputs(s);
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        PyObject *one = results ? about(situ_session_result_shape(s, i), situ_session_result_dtype(s, i)) :
                                  about(situ_session_input_shape(s, i), situ_session_input_dtype(s, i));
        if (!one || PyList_SetItem(list, i, one)) Py_CLEAR(list);
    }
    return list;
}

static size_t bytes_of(situ_shape shape, situ_dtype dtype)
{
    size_t n = situ_dtype_size(dtype);
    for (int i = 0; i < shape.ndim; i++) n *= (size_t)shape.dim[i];
    return n;
}

/* session_put(session, i, buffer): an input gets these bytes */
METHOD(py_session_put)
{
    BEGIN(3, "Session");
    situ_session *s = ARG_HANDLE(c, 0, situ_session, SESSION);
    int i = (int)arg_int(c, 1, 0);
    if (!call_leave(c)) return NULL;
    Py_buffer view;
    size_t size = bytes_of(situ_session_input_shape(s, i), situ_session_input_dtype(s, i));
    if (PyObject_GetBuffer(arg[2], &view, PyBUF_C_CONTIGUOUS)) return NULL;
    bool fits = (size_t)view.len == size;
    if (fits) memcpy(situ_session_input(s, i), view.buf, size);
    else PyErr_Format(PyExc_ValueError, "Session: input %d has %zu bytes, not %zd", i, size, view.len);
    PyBuffer_Release(&view);
    if (!fits) return NULL;
    Py_RETURN_NONE;
}

/* session_run(session, reset?): its code */
METHOD(py_session_run)
{
    situ_session *s = n == 2 ? PyCapsule_GetPointer(arg[0], SESSION) : NULL;
    bool reset = n == 2 && PyObject_IsTrue(arg[1]);
    int rc;
    (void)self;
    if (!s) return PyErr_Format(PyExc_TypeError, "Session: this is none");
    Py_BEGIN_ALLOW_THREADS
    rc = reset ? situ_session_reset(s) : situ_session_run(s);
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(rc);
}

/* session_get(session, i, input?): the bytes of a result or an input */
METHOD(py_session_get)
{
    BEGIN(3, "Session");
    situ_session *s = ARG_HANDLE(c, 0, situ_session, SESSION);
    int i = (int)arg_int(c, 1, 0);
    bool input = arg_bool(c, 2, false);
    if (!call_leave(c)) return NULL;
    size_t size = input ? bytes_of(situ_session_input_shape(s, i), situ_session_input_dtype(s, i)) :
                          bytes_of(situ_session_result_shape(s, i), situ_session_result_dtype(s, i));
    const void *from = input ? situ_session_input(s, i) : situ_session_result(s, i);
    return PyBytes_FromStringAndSize(from, (Py_ssize_t)size);
}

PyMethodDef session_methods[] = {
    FAST(session_open), FAST(session_says), FAST(session_put), FAST(session_run), FAST(session_get), {NULL, NULL, 0, NULL}};
