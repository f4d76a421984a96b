/* Objects in place of a path: bytes, which are read, and file objects, which are read or written. */
#include "binding.h"

enum { PIECE = 1 << 20 }; /* bytes that a file object is given at once */

struct file_object {
    situ_virtual_file *file;
    PyObject *object;
    PyObject *type, *value, *trace; /* the first exception of its methods */
};

static void keep_exception(struct file_object *f)
{
    if (f->type) PyErr_Clear();
    else PyErr_Fetch(&f->type, &f->value, &f->trace);
}

static int64_t read_object(void *self, void *to, int64_t size)
{
    struct file_object *f = self;
    Py_buffer view;
    int64_t n = -1;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *got = PyObject_CallMethod(f->object, "read", "L", (long long)size);
    if (got && !PyObject_GetBuffer(got, &view, PyBUF_SIMPLE)) {
        if (view.len <= size) memcpy(to, view.buf, (size_t)(n = view.len));
        else PyErr_Format(PyExc_ValueError, "read(%lld) of the file gave %zd bytes", (long long)size, view.len);
        PyBuffer_Release(&view);
    }
    Py_XDECREF(got);
    if (n < 0) keep_exception(f);
    PyGILState_Release(state);
    return n;
}

/* The number of bytes that it took; a method that returns None took all. */
static Py_ssize_t put(struct file_object *f, const char *from, Py_ssize_t size)
{
    PyObject *done = PyObject_CallMethod(f->object, "write", "y#", from, size);
    Py_ssize_t n = !done ? -1 : done == Py_None ? size : PyLong_AsSsize_t(done);
    Py_XDECREF(done);
    if (n > 0 && n <= size) return n;
    if (!PyErr_Occurred()) PyErr_Format(PyExc_OSError, "write of the file took %zd of %zd bytes", n, size);
    keep_exception(f);
    return 0;
}

static int write_object(void *self, const void *from, int64_t size)
{
    const char *at = from, *end = at + size;
    PyGILState_STATE state = PyGILState_Ensure();
    for (Py_ssize_t n = 1; at < end && n; at += n) n = put(self, at, end - at < PIECE ? (Py_ssize_t)(end - at) : PIECE);
    PyGILState_Release(state);
    return at < end;
}

/* The last part of the object's attribute `name`, whose end may tell the format. */
static PyObject *name_of(PyObject *object)
{
    PyObject *name = PyObject_GetAttrString(object, "name");
    PyErr_Clear();
    PyObject *parts = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : NULL;
    PyErr_Clear();
    Py_XDECREF(name);
    const char *text = parts ? PyBytes_AsString(parts) : NULL, *slash = text ? strrchr(text, '/') : NULL;
    PyObject *last = PyBytes_FromString(slash ? slash + 1 : text && *text ? text : "memory");
    Py_XDECREF(parts);
    return last;
}

static void open_object(struct file_object *f, situ_site site)
{
    PyObject *name = name_of(f->object);
    situ_virtual_file_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .self = f};
    if (PyObject_HasAttrString(f->object, "read")) o.read = read_object;
    if (PyObject_HasAttrString(f->object, "write")) o.write = write_object;
    if (name) f->file = (situ_virtual_file_open)(PyBytes_AsString(name), &o, site);
    Py_XDECREF(name);
}

/* Bytes that nobody can change are shared by tensors. */
static void open_bytes(struct file_object *f, situ_site site)
{
    situ_virtual_file_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .release = lent_release};
    const Py_buffer *view = lent_view(f->object, &o.self);
    if (!view) return;
    o.bytes = view->len ? view->buf : "";
    o.bytes_size = view->len;
    o.borrow = view->readonly;
    if (!(f->file = (situ_virtual_file_open)("memory", &o, site))) lent_release(o.self);
}

const char *path_of_object(call *c, PyObject *o)
{
    if (PyUnicode_Check(o) || PyBytes_Check(o) || PyObject_HasAttrString(o, "__fspath__")) return NULL;
    bool bytes = PyObject_CheckBuffer(o);
    if (!bytes && !PyObject_HasAttrString(o, "read") && !PyObject_HasAttrString(o, "write")) return NULL;
    struct file_object *f = c->file ? NULL : calloc(1, sizeof *f);
    if (f) {
        c->file = f;
        f->object = Py_NewRef(o);
        if (bytes) open_bytes(f, c->site);
        else open_object(f, c->site);
    } else PyErr_NoMemory();
    if (f && f->file) return situ_virtual_file_path(f->file);
    c->failed |= PyErr_Occurred() != NULL;
    return NULL;
}

void end_file_object(call *c)
{
    struct file_object *f = c->file;
    c->file = NULL;
    situ_virtual_file_close(f->file);
    give_back_lent();
    Py_DECREF(f->object);
    if (f->type && !PyErr_Occurred()) {
        PyErr_Restore(f->type, f->value, f->trace);
        c->failed = true;
    } else {
        Py_XDECREF(f->type);
        Py_XDECREF(f->value);
        Py_XDECREF(f->trace);
    }
    free(f);
}
