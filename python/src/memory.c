/* Sharing memory without a copy: Python's buffer protocol and DLPack. */
#include "binding.h"
#include "dlpack.h"

/* ---- borrowed memory ------------------------------------------------------------------------------------------------- */

typedef struct lent {
    struct lent *next;
    dl_managed *managed; /* one of these three is set */
    dl_versioned *versioned;
    Py_buffer *view;
} lent;

_Atomic(void *) lent_back;

/* Called from any thread, perhaps under the library's locks: the memory is released by the next thread that holds
 * Python's lock. */
void lent_release(void *self)
{
    lent *l = self;
    void *first = atomic_load(&lent_back);
    do l->next = first;
    while (!atomic_compare_exchange_weak(&lent_back, &first, l));
}

static void lent_end(lent *l)
{
    if (l->managed && l->managed->deleter) l->managed->deleter(l->managed);
    if (l->versioned && l->versioned->deleter) l->versioned->deleter(l->versioned);
    if (l->view) {
        PyBuffer_Release(l->view);
        PyMem_Free(l->view);
    }
    free(l);
}

const Py_buffer *lent_view(PyObject *o, void **self)
{
    lent *l = calloc(1, sizeof *l);
    Py_buffer *view = l ? PyMem_Calloc(1, sizeof *view) : NULL;
    if (view && !PyObject_GetBuffer(o, view, PyBUF_SIMPLE)) return l->view = view, *self = l, view;
    if (!view) PyErr_NoMemory();
    PyMem_Free(view);
    free(l);
    return NULL;
}

void give_back_lent(void)
{
    for (lent *l = atomic_exchange(&lent_back, NULL), *next; l; l = next) {
        next = l->next;
        lent_end(l);
    }
}

/* ---- exporting buffers ----------------------------------------------------------------------------------------------- */

typedef struct exported {
    situ_borrow b;
    Py_ssize_t shape[SITU_MAX_DIMS], stride[SITU_MAX_DIMS];
} exported;

static const char *format_of(int dtype)
{
    static const char *format[SITU_DTYPES] = {"?", "B", "H", "I", "Q", "b", "h", "i", "q", "e", NULL, "f", "d", "Zf", "Zd"};
    return format[dtype];
}

/* Computes and waits without Python's lock. */
static bool borrow(PyObject *self, bool contiguous, situ_borrow *b)
{
    call c;
    if (!call_begin_reading(&c, tensor_of(self), "")) return false;
    int rc = situ_borrow_open(tensor_of(self), contiguous, b, c.site);
    if (!call_leave(&c) || rc) return false;
    BEGIN_WAIT
    rc = situ_borrow_wait(b, c.site);
    END_WAIT
    if (!rc) {
        situ_borrow_note(b, SITU_REASON_READ, c.site);
        return true;
    }
    situ_borrow_close(b);
    raise_error_or_signal();
    return false;
}

/* NumPy drops the exception when it gets no buffer, and calls __array__ of the same tensor next, which then raises it
 * again. */
static PyObject *unheard_by, *unheard;

static void note_unheard(PyObject *self)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Py_XDECREF(unheard);
    unheard_by = self;
    unheard = Py_XNewRef(value);
    PyErr_Restore(type, value, trace);
}

bool buffer_was_refused(PyObject *self)
{
    PyObject *value = unheard;
    bool was = value && unheard_by == self;
    unheard_by = unheard = NULL;
    if (was) PyErr_SetObject((PyObject *)Py_TYPE(value), value);
    Py_XDECREF(value);
    return was;
}

/* What torch.asarray and others say of a tensor that is not in main memory. */
static PyObject *refuse_device(const situ_tensor *t)
{
    char name[32];
    return PyErr_Format(PyExc_BufferError,
        "the tensor is on %s, and its memory can be read on the CPU alone; write x.to_device(situ.cpu()) for the copy, or "
        "numpy.asarray(x)",
        situ_device_name(t->device, name));
}

int tensor_get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    situ_tensor *t = tensor_of(self);
    view->obj = NULL;
    /* A consumer that requests neither dtype nor shape, such as torch.asarray, would read the elements with its own
     * dtype. */
    bool bare = !(flags & (PyBUF_FORMAT | PyBUF_ND));
    if (t->device.kind != SITU_CPU) return refuse_device(t), -1;
    if (!format_of(t->dtype) || flags & PyBUF_WRITABLE || bare) {
        PyErr_SetString(PyExc_BufferError,
            flags & PyBUF_WRITABLE ? "the memory of a tensor is read-only; take a copy" :
                bare ? "the bytes of a tensor were asked for without their dtype and shape; write bytes(x), memoryview(x), "
                       "numpy.asarray(x) "
                       "or torch.from_dlpack(x)" :
                       "Python's buffers have no bfloat16");
        return -1;
    }
    unheard_by = NULL;
    bool strided = (flags & PyBUF_STRIDES) == PyBUF_STRIDES && (flags & PyBUF_C_CONTIGUOUS) != PyBUF_C_CONTIGUOUS;
    exported *e = PyMem_Malloc(sizeof *e);
    if (!e) PyErr_NoMemory();
    if (!e || !borrow(self, !strided, &e->b)) {
        PyMem_Free(e);
        note_unheard(self);
        return -1;
    }
    Py_ssize_t size = (Py_ssize_t)situ_dtype_size((situ_dtype)e->b.dtype);
    for (int i = 0; i < e->b.ndim; i++) {
        e->shape[i] = (Py_ssize_t)e->b.dim[i];
        e->stride[i] = (Py_ssize_t)e->b.stride[i] * size;
    }
    *view = (Py_buffer){.buf = e->b.data,
        .obj = Py_NewRef(self),
        .len = (Py_ssize_t)situ_node_count(t) * size,
        .itemsize = size,
        .readonly = 1,
        .ndim = e->b.ndim,
        .internal = e};
    if (flags & PyBUF_FORMAT) view->format = (char *)(uintptr_t)format_of(e->b.dtype);
    if (flags & PyBUF_ND) view->shape = e->shape;
    if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = e->stride;
    return 0;
}

void tensor_release_buffer(PyObject *self, Py_buffer *view)
{
    (void)self;
    exported *e = view->internal;
    situ_borrow_close(&e->b);
    PyMem_Free(e);
}

PyObject *py_read_bytes(PyObject *self, PyObject *x)
{
    (void)self;
    if (!is_tensor(x)) return PyErr_Format(PyExc_TypeError, "read_bytes takes a tensor, not %R", (PyObject *)Py_TYPE(x));
    call c;
    situ_borrow b;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)situ_node_bytes(tensor_of(x)));
    if (!bytes || !call_begin_reading(&c, tensor_of(x), "")) {
        Py_XDECREF(bytes);
        return NULL;
    }
    int rc = situ_borrow_open(tensor_of(x), true, &b, c.site);
    if (!call_leave(&c) || rc) {
        Py_DECREF(bytes);
        return NULL;
    }
    void *to = PyBytes_AsString(bytes);
    BEGIN_WAIT
    rc = situ_borrow_read(&b, to, SITU_REASON_READ, c.site);
    situ_borrow_close(&b);
    END_WAIT
    if (!rc) return bytes;
    Py_DECREF(bytes);
    return raise_error_or_signal();
}

/* ---- exporting DLPack -------------------------------------------------------------------------------------------------- */

typedef struct outgoing {
    dl_managed managed;
    dl_versioned versioned;
    situ_borrow b;
} outgoing;

static void outgoing_end(outgoing *o)
{
    situ_borrow_close(&o->b);
    free(o);
}
static void delete_managed(dl_managed *m) { outgoing_end(m->context); }
static void delete_versioned(dl_versioned *m) { outgoing_end(m->context); }

/* Destructor of a capsule that nobody consumed. */
static void capsule_end(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor")) {
        dl_managed *m = PyCapsule_GetPointer(capsule, "dltensor");
        m->deleter(m);
    } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        dl_versioned *m = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        m->deleter(m);
    }
}

static void describe(dl_tensor *d, situ_borrow *b)
{
    static const uint8_t code[SITU_DTYPES] = {DL_BOOL, DL_UINT, DL_UINT, DL_UINT, DL_UINT, DL_INT, DL_INT, DL_INT, DL_INT, DL_FLOAT,
        DL_BFLOAT, DL_FLOAT, DL_FLOAT, DL_COMPLEX, DL_COMPLEX};
    d->data = b->data;
    d->device.type = DL_CPU;
    d->device.index = 0;
    d->ndim = b->ndim;
    d->dtype.code = code[b->dtype];
    d->dtype.bits = (uint8_t)(8 * situ_dtype_size((situ_dtype)b->dtype));
    d->dtype.lanes = 1;
    d->shape = b->dim;
    d->strides = b->stride;
    d->byte_offset = 0;
}

/* Consumers accept no negative strides. */
static bool goes_back(const situ_borrow *b)
{
    bool back = false;
    for (int i = 0; i < b->ndim; i++) back |= b->stride[i] < 0;
    return back;
}

static PyObject *capsule_of(PyObject *self, bool versioned, uint64_t flags, bool may_copy)
{
    outgoing *o = calloc(1, sizeof *o);
    if (!o) return PyErr_NoMemory();
    if (!borrow(self, false, &o->b)) {
        free(o);
        return NULL;
    }
    if (goes_back(&o->b)) {
        situ_borrow_close(&o->b);
        if (!may_copy)
            PyErr_SetString(PyExc_BufferError,
                "the elements lie in reverse order, which DLPack's consumers do not take: a copy is needed, but copy=False forbids "
                "it");
        if (!may_copy || !borrow(self, true, &o->b)) {
            free(o);
            return NULL;
        }
        flags = DL_COPIED;
    }
    describe(&o->managed.tensor, &o->b);
    describe(&o->versioned.tensor, &o->b);
    o->managed.context = o->versioned.context = o;
    o->managed.deleter = delete_managed;
    o->versioned.deleter = delete_versioned;
    o->versioned.version.major = 1;
    o->versioned.version.minor = 1;
    o->versioned.flags = flags;
    PyObject *capsule = versioned ? PyCapsule_New(&o->versioned, "dltensor_versioned", capsule_end) :
                                    PyCapsule_New(&o->managed, "dltensor", capsule_end);
    if (!capsule) outgoing_end(o);
    return capsule;
}

static bool two_integers(PyObject *o, const char *name, int *a, int *b)
{
    if (PyTuple_Check(o) && PyArg_ParseTuple(o, "ii", a, b)) return true;
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "__dlpack__: %s is a tuple of two integers", name);
    return false;
}

/* The tensor on the device that the consumer wants, copied if it says so; a new reference. */
static PyObject *placed(PyObject *self, PyObject *dl_device, PyObject *copy)
{
    situ_tensor *t = tensor_of(self);
    bool cpu = t->device.kind == SITU_CPU;
    int type = DL_CPU, index = 0;
    if (dl_device != Py_None && !two_integers(dl_device, "dl_device", &type, &index)) return NULL;
    if (dl_device == Py_None && !cpu) return refuse_device(t);
    if (type != DL_CPU)
        return PyErr_Format(PyExc_BufferError, "situ exports memory of the CPU, not of DLPack's device type %d", type);
    if (cpu && copy != Py_True) return Py_NewRef(self);
    if (!cpu && copy == Py_False)
        return PyErr_Format(PyExc_ValueError, "from another device a copy is needed, but copy=False forbids it");
    call c;
    return call_begin(&c, NULL, 0, 0, "__dlpack__") ? call_end(&c, (situ_copy_to)(t, situ_cpu(), c.site)) : NULL;
}

PyObject *tensor_dlpack(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy)) return NULL;
    if (stream != Py_None) return PyErr_Format(PyExc_ValueError, "__dlpack__: memory of the CPU has no stream; pass stream=None");
    int major = 0, minor = 0;
    if (version != Py_None && !two_integers(version, "max_version", &major, &minor)) return NULL;
    PyObject *x = placed(self, device, copy);
    if (!x) return NULL;
    bool copied = x != self;
    PyObject *capsule = capsule_of(x, major >= 1, copied ? DL_COPIED : DL_READ_ONLY, copy != Py_False);
    Py_DECREF(x);
    return capsule;
}

PyObject *tensor_dlpack_device(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    situ_device d = tensor_of(self)->device;
    if (d.kind == SITU_CPU) return Py_BuildValue("(ii)", DL_CPU, 0);
    return Py_BuildValue("(ii)", DL_EXT, (int)d.index);
}

/* ---- importing DLPack ---------------------------------------------------------------------------------------------------- */

static int dtype_of(const dl_tensor *d)
{
    if (d->dtype.lanes != 1) return -1;
    int log = d->dtype.bits == 8 ? 0 :
        d->dtype.bits == 16      ? 1 :
        d->dtype.bits == 32      ? 2 :
        d->dtype.bits == 64      ? 3 :
        d->dtype.bits == 128     ? 4 :
                                   -1;
    if (log < 0) return -1;
    switch (d->dtype.code) {
    case DL_BOOL: return log == 0 ? SITU_BOOL : -1;
    case DL_UINT: return log < 4 ? SITU_U8 + log : -1;
    case DL_INT: return log < 4 ? SITU_I8 + log : -1;
    case DL_FLOAT: return log == 1 ? SITU_F16 : log == 2 ? SITU_F32 : log == 3 ? SITU_F64 : -1;
    case DL_BFLOAT: return log == 1 ? SITU_BF16 : -1;
    case DL_COMPLEX: return log == 3 ? SITU_C64 : log == 4 ? SITU_C128 : -1;
    default: return -1;
    }
}

/* A tensor on borrowed memory; always takes ownership of `l`. Misaligned memory is copied. */
static PyObject *take_lent(lent *l, void *data, situ_dtype dtype, int ndim, const int64_t *dim, const int64_t *stride, bool copy)
{
    call c;
    situ_shape shape = {.ndim = ndim};
    memcpy(shape.dim, dim, 8 * (size_t)ndim);
    if (!call_begin(&c, NULL, 0, 0, "from_dlpack")) {
        lent_end(l);
        return NULL;
    }
    situ_tensor *t = situ_share_host(data, dtype, shape, stride, lent_release, l, c.site);
    bool mine = t->flags & SITU_NODE_POISON;
    if (!mine && copy) {
        t = (situ_copy_to)(t, situ_cpu(), c.site);
        (situ_eval)(TENSORS(t), c.site);
        (situ_wait)(t, c.site); /* completed before the owner may write again */
    }
    PyObject *o = call_end(&c, t);
    if (mine) lent_end(l);
    give_back_lent();
    return o;
}

/* from_capsule(capsule, copy) */
PyObject *py_from_capsule(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    int copy;
    (void)self;
    if (!PyArg_ParseTuple(args, "Op:from_capsule", &capsule, &copy)) return NULL;
    bool versioned = PyCapsule_IsValid(capsule, "dltensor_versioned");
    void *p = PyCapsule_GetPointer(capsule, versioned ? "dltensor_versioned" : "dltensor");
    if (!p) return NULL;
    const dl_tensor *d = versioned ? &((dl_versioned *)p)->tensor : &((dl_managed *)p)->tensor;
    if (versioned && ((dl_versioned *)p)->version.major > 1)
        return PyErr_Format(PyExc_BufferError, "the capsule is of a newer DLPack than version 1");
    int dtype = dtype_of(d);
    if (d->device.type != DL_CPU && d->device.type != DL_CUDA_HOST)
        return PyErr_Format(PyExc_BufferError,
            "from_dlpack: memory of DLPack's device type %d cannot be shared; move it to the CPU first", (int)d->device.type);
    if (dtype < 0 || d->ndim > SITU_MAX_DIMS)
        return PyErr_Format(PyExc_BufferError,
            dtype < 0 ? "from_dlpack: situ has no such dtype" : "from_dlpack: a tensor has at most 8 dimensions");
    lent *l = calloc(1, sizeof *l);
    if (!l) return PyErr_NoMemory();
    if (versioned) l->versioned = p;
    else l->managed = p;
    if (PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned" : "used_dltensor")) {
        free(l);
        return NULL;
    }
    return take_lent(l, (char *)d->data + d->byte_offset, (situ_dtype)dtype, d->ndim, d->shape, d->strides, copy);
}

/* ---- importing buffers ----------------------------------------------------------------------------------------------------- */

static int dtype_of_format(const char *f, Py_ssize_t size)
{
    if (!f) f = "B";
    if (*f == '@' || *f == '=' || (*f == '<' && PY_LITTLE_ENDIAN)) f++;
    if (*f == 'Z') return f[1] == 'f' && !f[2] ? SITU_C64 : f[1] == 'd' && !f[2] ? SITU_C128 : -1;
    if (f[0] && f[1]) return -1;
    if (*f == '?') return SITU_BOOL;
    if (*f == 'e') return SITU_F16;
    if (*f == 'f') return SITU_F32;
    if (*f == 'd') return SITU_F64;
    int log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
    if (log < 0) return -1;
    return strchr("BHILQN", *f) && *f ? SITU_U8 + log : strchr("bhilqn", *f) && *f ? SITU_I8 + log : -1;
}

/* from_buffer(object, copy): None if its elements are no numbers. */
PyObject *py_from_buffer(PyObject *self, PyObject *args)
{
    PyObject *o;
    int copy;
    (void)self;
    if (!PyArg_ParseTuple(args, "Op:from_buffer", &o, &copy)) return NULL;
    Py_buffer *view = PyMem_Malloc(sizeof *view);
    if (!view) return PyErr_NoMemory();
    if (PyObject_GetBuffer(o, view, PyBUF_RECORDS_RO)) {
        PyMem_Free(view);
        return NULL;
    }
    int dtype = dtype_of_format(view->format, view->itemsize);
    int64_t dim[SITU_MAX_DIMS], stride[SITU_MAX_DIMS];
    /* NumPy's dates export bytes without the requested strides */
    bool told = !view->ndim || (view->shape && view->strides);
    bool fits = told && dtype >= 0 && view->ndim <= SITU_MAX_DIMS,
         aligned = fits && (uintptr_t)view->buf % (size_t)view->itemsize == 0;
    for (int i = 0; fits && i < view->ndim; i++) {
        dim[i] = view->shape[i];
        aligned &= view->strides[i] % view->itemsize == 0;
        stride[i] = view->strides[i] / view->itemsize;
    }
    lent *l = fits && aligned ? calloc(1, sizeof *l) : NULL;
    if (l) {
        l->view = view;
        return take_lent(l, view->buf, (situ_dtype)dtype, view->ndim, dim, stride, copy);
    }
    PyObject *result = NULL;
    void *packed = fits && !aligned ? PyMem_Malloc((size_t)view->len + 1) : NULL;
    if (packed && !PyBuffer_ToContiguous(packed, view, view->len, 'C')) {
        call c;
        situ_shape shape = {.ndim = view->ndim};
        memcpy(shape.dim, dim, 8 * (size_t)view->ndim);
        situ_from_host_options made = {
            .size = sizeof made, .unnamed = SITU_NAMED, .dtype = (situ_dtype)dtype, .device = SITU_DEVICE_DEFAULT};
        if (call_begin(&c, NULL, 0, 0, "from_buffer")) result = call_end(&c, (situ_from_host)(packed, shape, &made, c.site));
    } else if (!fits) {
        result = Py_NewRef(Py_None);
    }
    PyMem_Free(packed);
    PyBuffer_Release(view);
    PyMem_Free(view);
    return result || PyErr_Occurred() ? result : PyErr_NoMemory();
}

/* from_bytes(bytes, dtype, shape, device): a copy. */
PyObject *py_from_bytes(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    char *data = NULL;
    Py_ssize_t size = 0;
    (void)self;
    if (n < 3 || PyBytes_AsStringAndSize(arg[0], &data, &size))
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "from_bytes(bytes, dtype, shape, device)");
    if (!call_begin(&c, arg, n, 4, "from_bytes")) return NULL;
    situ_from_host_options m = {.size = sizeof m, .unnamed = SITU_NAMED, .dtype = arg_dtype(&c, 1), .device = arg_device(&c, 3)};
    situ_shape shape = arg_shape(&c, 2);
    if (!c.failed && size != (Py_ssize_t)situ_dtype_size(m.dtype) * situ_shape_count((int)shape.ndim, shape.dim)) {
        PyErr_SetString(PyExc_ValueError, "from_bytes: not as many bytes as the shape asks for");
        c.failed = true;
    }
    return call_end(&c, c.failed ? NULL : (situ_from_host)(size ? data : "", shape, &m, c.site));
}
