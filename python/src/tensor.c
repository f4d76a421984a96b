/* The type Tensor: operators, properties that need no computing, reading an element. */
#include "binding.h"

#include "device/streams.h"
#include "graph/op.h"
#include "run/text.h"

PyTypeObject *tensor_type;

static void tensor_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    situ_tensor *t = tensor_of(self);
    situ_owned_frame f;
    view_cut((tensor_object *)(void *)self);
    if (t && enter_to_free(&f)) {
        tensor_let_go((tensor_object *)(void *)self);
        situ_owned_leave(&f);
    }
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- operators ----------------------------------------------------------------------------------------------------- */

typedef situ_tensor *(*unary_fn)(situ_tensor *, situ_site);
typedef situ_tensor *(*binary_fn)(situ_tensor *, situ_tensor *, situ_site);

static PyObject *unary(PyObject *a, unary_fn fn)
{
    call c;
    return call_begin(&c, NULL, 0, 0, NULL) ? call_end(&c, fn(tensor_of(a), c.site)) : NULL;
}

/* The result; or NULL with an exception, or with *unknown set. */
static situ_tensor *combine(call *c, PyObject *a, PyObject *b, binary_fn fn, bool *unknown)
{
    situ_tensor *like = is_tensor(a) ? tensor_of(a) : is_tensor(b) ? tensor_of(b) : NULL;
    situ_tensor *x = operand(c, a, like), *y = c->failed ? NULL : operand(c, b, like);
    *unknown = !c->failed && !(x && y);
    return x && y ? fn(x, y, c->site) : NULL;
}

/* Converts a NumPy array next to a tensor; other objects stay unknown. `equality`: raises an error where == would
 * silently be False. */
static PyObject *beside(PyObject *o, bool equality)
{
    return is_tensor(o) || PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o) ?
        Py_NewRef(o) :
        PyObject_CallFunction(hooks.operand, "Oi", o, (int)equality);
}

static PyObject *binary(PyObject *a, PyObject *b, binary_fn fn);
static PyObject *binary_beside(PyObject *a, PyObject *b, binary_fn fn)
{
    bool equality = fn == (situ_equal) || fn == (situ_not_equal);
    PyObject *x = beside(a, equality), *y = x ? beside(b, equality) : NULL, *r = NULL;
    bool same = x == a && y == b; /* no operand became a tensor */
    if (y) r = same || x == Py_NotImplemented || y == Py_NotImplemented ? Py_NewRef(Py_NotImplemented) : binary(x, y, fn);
    Py_XDECREF(x);
    Py_XDECREF(y);
    return r;
}

static PyObject *binary(PyObject *a, PyObject *b, binary_fn fn)
{
    call c;
    bool unknown;
    if (!call_begin(&c, NULL, 0, 0, "")) return NULL;
    situ_tensor *t = combine(&c, a, b, fn, &unknown);
    if (!unknown) return call_end(&c, t);
    return call_leave(&c) ? binary_beside(a, b, fn) : NULL;
}

/* The user wrote -, * or /: makes the exception name it as the standard does. Only here, since naming each node would
 * slow down every operation. */
static PyObject *named_as_standard(PyObject *result, binary_fn fn)
{
    bool minus = fn == situ_sub, times = fn == situ_mul;
    if (result || !PyErr_Occurred() || !(minus || times || fn == situ_div)) return result;
    PyObject *type, *value, *trace, *text, *from, *to, *whole = NULL;
    PyErr_Fetch(&type, &value, &trace);
    text = value ? PyObject_Str(value) : NULL;
    from = PyUnicode_FromString(minus ? ": sub: " : times ? ": mul: " : ": div: ");
    to = PyUnicode_FromString(minus ? ": subtract: " : times ? ": multiply: " : ": divide: ");
    if (text && from && to && PyUnicode_Find(text, from, 0, PY_SSIZE_T_MAX, 1) >= 0) whole = PyUnicode_Replace(text, from, to, 1);
    PyErr_Clear();
    if (whole) {
        Py_XDECREF(value);
        value = whole;
    }
    PyErr_Restore(type, value, trace);
    Py_XDECREF(text);
    Py_XDECREF(from);
    Py_XDECREF(to);
    return NULL;
}

/* Replaces the object's value by one that fits. */
static PyObject *in_place(PyObject *a, PyObject *b, binary_fn fn)
{
    PyObject *r = view_refreshed(a) ? binary(a, b, fn) : NULL;
    if (!r || r == Py_NotImplemented) return r;
    situ_tensor *x = tensor_of(a), *y = tensor_of(r);
    bool same = situ_shape_equal(x->ndim, x->dim, y->ndim, y->dim);
    if (!same || x->dtype != y->dtype || x->flags & SITU_NODE_VARIABLE) {
        const char *is = situ_dtype_name((situ_dtype)x->dtype), *would = situ_dtype_name((situ_dtype)y->dtype);
        if (x->flags & SITU_NODE_VARIABLE)
            PyErr_SetString(
                PyExc_ValueError, "in place: a variable changes by assign() alone; write situ.assign(variable, new_value)");
        else if (!same) PyErr_SetString(PyExc_ValueError, "in place: the result must have the shape of the left operand");
        else
            PyErr_Format(PyExc_TypeError,
                "in place: a tensor of %s stays one, but the result is %s; write x = x + y, or cast the right operand", is, would);
        Py_DECREF(r);
        return NULL;
    }
    ((tensor_object *)(void *)a)->t = tensor_of(r);
    ((tensor_object *)(void *)r)->t = x;
    Py_DECREF(r);
    return view_written((tensor_object *)(void *)a) ? Py_NewRef(a) : NULL;
}

#define BINARY(slot, fn) \
    static PyObject *slot(PyObject *a, PyObject *b) { return named_as_standard(binary(a, b, (fn)), (fn)); } \
    static PyObject *slot##_in_place(PyObject *a, PyObject *b) { return named_as_standard(in_place(a, b, (fn)), (fn)); }
BINARY(nb_add, situ_add)
BINARY(nb_subtract, situ_sub)
BINARY(nb_multiply, situ_mul)
BINARY(nb_true_divide, situ_div)
BINARY(nb_floor_divide, floor_divide)
BINARY(nb_remainder, situ_remainder)
BINARY(nb_matrix_multiply, situ_matmul)
BINARY(nb_and, situ_bitwise_and)
BINARY(nb_or, situ_bitwise_or)
BINARY(nb_xor, situ_bitwise_xor)
BINARY(nb_lshift, situ_bitwise_left_shift)
BINARY(nb_rshift, situ_bitwise_right_shift)
static PyObject *nb_power(PyObject *a, PyObject *b, PyObject *m)
{
    return m == Py_None ? binary(a, b, (situ_pow)) : Py_NewRef(Py_NotImplemented);
}
static PyObject *nb_power_in_place(PyObject *a, PyObject *b, PyObject *m)
{
    return m == Py_None ? in_place(a, b, (situ_pow)) : Py_NewRef(Py_NotImplemented);
}
static PyObject *nb_negative(PyObject *a) { return unary(a, (situ_negative)); }
static PyObject *nb_positive(PyObject *a) { return unary(a, (situ_positive)); }
static PyObject *nb_absolute(PyObject *a) { return unary(a, (situ_abs)); }
static PyObject *nb_invert(PyObject *a) { return unary(a, (situ_bitwise_invert)); }

static PyObject *compare(PyObject *a, PyObject *b, int how)
{
    static const binary_fn rule[] = {[Py_LT] = (situ_less),
        [Py_LE] = (situ_less_equal),
        [Py_EQ] = (situ_equal),
        [Py_NE] = (situ_not_equal),
        [Py_GT] = (situ_greater),
        [Py_GE] = (situ_greater_equal)};
    return binary(a, b, rule[how]);
}

/* ---- one element --------------------------------------------------------------------------------------------------- */

static int wait_unlocked(const situ_borrow *b, situ_site site)
{
    uint64_t ready = atomic_load(&b->buffer->ready);
    if (b->device.kind == SITU_CPU && situ_stamp_done(b->buffer->dev, ready)) return situ_borrow_wait(b, site);
    int rc;
    BEGIN_WAIT
    rc = situ_borrow_wait(b, site);
    END_WAIT
    return rc;
}

/* A pending view of a single element has the value of its operand, so the view need not be planned. */
static situ_tensor *viewed(situ_tensor *t)
{
    while (!t->buffer && t->op->family == SITU_VIEW && t->nin == 1 && !(t->flags & SITU_NODE_POISON)) {
        situ_tensor *x = situ_node_in(t)[0];
        if (x->flags & (SITU_NODE_SCALAR | SITU_NODE_POISON) || x->dtype != t->dtype || situ_node_count(x) != 1) break;
        t = x;
    }
    return t;
}

int read_item(PyObject *o, void *out, const char *name)
{
    call c;
    situ_borrow b;
    if (situ_node_count(tensor_of(o)) != 1) {
        PyErr_Format(PyExc_TypeError, "%s: a tensor of %lld elements is no single number; %s", name,
            (long long)situ_node_count(tensor_of(o)),
            !strcmp(name, "bool") ? "write situ.all(x) or situ.any(x)" : "x.tolist() has all of them");
        return -1;
    }
    if (!call_begin_reading(&c, tensor_of(o), name)) return -1;
    int rc = situ_handle_is_gone(tensor_of(o), name, c.site) ? -1 : situ_borrow_open(viewed(tensor_of(o)), false, &b, c.site);
    if (!call_leave(&c) || rc) return -1;
    if (b.device.kind == SITU_CPU) {
        rc = wait_unlocked(&b, c.site);
        if (!rc) {
            memcpy(out, b.data, situ_dtype_size((situ_dtype)b.dtype));
            situ_borrow_note(&b, SITU_REASON_ITEM, c.site);
        }
    } else {
        BEGIN_WAIT
        rc = situ_borrow_read(&b, out, SITU_REASON_ITEM, c.site);
        END_WAIT
    }
    int dtype = b.dtype;
    situ_borrow_close(&b);
    if (!rc) return dtype;
    raise_error_or_signal();
    return -1;
}

static PyObject *element(int dtype, const void *one)
{
    situ_dtype d = (situ_dtype)dtype;
    if (d == SITU_BOOL) return PyBool_FromLong(situ_element_get_i64(d, one) != 0);
    if (d == SITU_U64) return PyLong_FromUnsignedLongLong((uint64_t)situ_element_get_i64(d, one));
    if (d < SITU_F16) return PyLong_FromLongLong(situ_element_get_i64(d, one));
    if (d < SITU_C64) return PyFloat_FromDouble(situ_element_get_f64(d, one));
    situ_c128 z = situ_element_get_c128(d, one);
    return PyComplex_FromDoubles(z.re, z.im);
}

static PyObject *tensor_item(PyObject *self, PyObject *nothing)
{
    char one[16];
    (void)nothing;
    int d = read_item(self, one, "item");
    return d < 0 ? NULL : element(d, one);
}

static int nb_bool(PyObject *self)
{
    char one[16];
    int d = read_item(self, one, "bool");
    if (d < 0) return -1;
    if (d < SITU_F16) return situ_element_get_i64((situ_dtype)d, one) != 0;
    situ_c128 z = situ_element_get_c128((situ_dtype)d, one);
    return z.re != 0 || z.im != 0;
}

static PyObject *nb_float(PyObject *self)
{
    char one[16];
    int d = read_item(self, one, "float");
    if (d < 0) return NULL;
    if (d < SITU_C64)
        return PyFloat_FromDouble(
            d == SITU_U64 ? (double)(uint64_t)situ_element_get_i64(SITU_U64, one) : situ_element_get_f64((situ_dtype)d, one));
    PyErr_SetString(PyExc_TypeError, "float: a complex tensor is no float; take situ.real of it");
    return NULL;
}

static PyObject *nb_int(PyObject *self)
{
    char one[16];
    int d = read_item(self, one, "int");
    if (d < 0) return NULL;
    if (d >= SITU_C64) {
        PyErr_SetString(PyExc_TypeError, "int: a complex tensor is no integer; take situ.real of it");
        return NULL;
    }
    if (d >= SITU_F16) return PyLong_FromDouble(situ_element_get_f64((situ_dtype)d, one));
    if (d == SITU_BOOL) return PyLong_FromLong(situ_element_get_i64(SITU_BOOL, one) != 0);
    return element(d, one);
}

static PyObject *nb_index(PyObject *self)
{
    situ_tensor *t = tensor_of(self);
    if (t->dtype > SITU_BOOL && t->dtype < SITU_F16 && t->ndim == 0) return nb_int(self);
    PyErr_SetString(PyExc_TypeError, "index: only a 0-dimensional integer tensor can be an index");
    return NULL;
}

static PyObject *tensor_complex(PyObject *self, PyObject *nothing)
{
    char one[16];
    (void)nothing;
    int d = read_item(self, one, "complex");
    if (d < 0) return NULL;
    situ_c128 z =
        d >= SITU_C64 ? situ_element_get_c128((situ_dtype)d, one) : (situ_c128){situ_element_get_f64((situ_dtype)d, one), 0};
    return PyComplex_FromDoubles(z.re, z.im);
}

/* ---- text ---------------------------------------------------------------------------------------------------------- */

static PyObject *tensor_text(PyObject *self)
{
    call c;
    situ_borrow b;
    situ_shown l;
    if (!call_begin_reading(&c, tensor_of(self), "print")) return NULL;
    int rc = situ_handle_is_gone(tensor_of(self), "print", c.site) ?
        -1 :
        situ_borrow_open(situ_shown_part(tensor_of(self), &l, c.site), true, &b, c.site);
    if (!call_leave(&c) || rc) return NULL;
    char *data = malloc(l.bytes + !l.bytes), *text = NULL;
    if (data) {
        BEGIN_WAIT
        rc = situ_borrow_read(&b, data, SITU_REASON_PRINT, c.site);
        if (!rc) text = situ_shown_text(&l, data, c.site);
        END_WAIT
    }
    situ_borrow_close(&b);
    PyObject *o = text ? str_of(text) : PyErr_Occurred() ? NULL : situ_failed() ? raise_error() : PyErr_NoMemory();
    free(text);
    free(data);
    return o;
}

/* ---- properties ------------------------------------------------------------------------------------------------------ */

static PyObject *get_shape(PyObject *self, void *unused)
{
    (void)unused;
    const situ_tensor *t = tensor_of(self);
    PyObject *o = PyTuple_New(t->ndim);
    for (int i = 0; i < t->ndim && o; i++) PyTuple_SetItem(o, i, PyLong_FromLongLong(t->dim[i]));
    return o;
}
static PyObject *get_dtype(PyObject *self, void *unused)
{
    (void)unused;
    return Py_NewRef(hooks.dtype[tensor_of(self)->dtype]);
}
static PyObject *get_device(PyObject *self, void *unused)
{
    (void)unused;
    return device_object(tensor_of(self)->device);
}
static PyObject *get_ndim(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(tensor_of(self)->ndim);
}
static PyObject *get_size(PyObject *self, void *unused)
{
    (void)unused;
    return PyObject_CallFunction(hooks.count, "L", (long long)situ_node_count(tensor_of(self)));
}
static PyObject *get_itemsize(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(situ_dtype_size((situ_dtype)tensor_of(self)->dtype));
}
static PyObject *get_nbytes(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(situ_node_bytes(tensor_of(self)));
}
static PyObject *get_state(PyObject *self, void *unused)
{
    (void)unused;
    const char *state = situ_state(tensor_of(self));
    return situ_failed() ? raise_error() : PyUnicode_FromString(state);
}
static PyObject *get_name(PyObject *self, void *unused)
{
    (void)unused;
    const char *name = situ_node_aside(tensor_of(self))->name;
    return str_of(name ? name : "");
}
static int set_name(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    const char *text = value ? text_of(value, "name") : "";
    if (text) situ_name(tensor_of(self), text);
    if (situ_failed()) raise_error();
    return PyErr_Occurred() ? -1 : 0;
}
static PyObject *get_is_variable(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(tensor_of(self)->flags & SITU_NODE_VARIABLE ? 1 : 0);
}
static PyObject *get_trainable(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(tensor_of(self)->flags & SITU_NODE_TRAINABLE);
}
static PyObject *get_transposed(PyObject *self, void *matrix)
{
    situ_tensor *t = tensor_of(self);
    if (matrix ? t->ndim >= 2 : t->ndim == 2) {
        PyObject *o = unary(self, (situ_matrix_transpose));
        situ_axes order = {.given = 1, .count = t->ndim};
        for (int i = 0; i < t->ndim; i++) order.axis[i] = i < t->ndim - 2 ? i : 2 * t->ndim - 3 - i;
        if (o) view_permuted(o, self, &order);
        return o;
    }
    PyErr_Format(PyExc_AttributeError, "%s is of a tensor of %s dimensions, not of %d; write situ.permute_dims(x, axes)",
        matrix ? "mT" : "T", matrix ? "at least 2" : "2", t->ndim); /* AttributeError, so that hasattr works */
    return NULL;
}
static PyObject *get_real(PyObject *self, void *unused)
{
    (void)unused;
    return unary(self, (situ_real));
}
static PyObject *get_imag(PyObject *self, void *unused)
{
    (void)unused;
    return unary(self, (situ_imag));
}

static Py_ssize_t tensor_length(PyObject *self)
{
    if (tensor_of(self)->ndim) return (Py_ssize_t)tensor_of(self)->dim[0];
    PyErr_SetString(PyExc_TypeError, "len: a 0-dimensional tensor has no length");
    return -1;
}

static PyObject *tensor_namespace(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"api_version", NULL};
    PyObject *version = Py_None;
    (void)self;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$O", names, &version)) return NULL;
    if (version != Py_None) {
        const char *text = PyUnicode_Check(version) ? PyUnicode_AsUTF8AndSize(version, NULL) : NULL;
        static const char *known[] = {"2021.12", "2022.12", "2023.12", "2024.12", "2025.12"};
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known && text; i++) found |= !strcmp(text, known[i]);
        if (!found)
            return PyErr_Format(PyExc_ValueError,
                "__array_namespace__: version %R of the array API is not known here; the newest known is 2025.12", version);
    }
    return Py_NewRef(hooks.namespace);
}

static PyObject *tensor_array(PyObject *self, PyObject *args, PyObject *kwargs)
{
    if (buffer_was_refused(self)) return NULL;
    PyObject *all = PyTuple_Pack(1, self), *both = all ? PySequence_Concat(all, args) : NULL;
    PyObject *o = both ? PyObject_Call(hooks.array, both, kwargs) : NULL;
    Py_XDECREF(all);
    Py_XDECREF(both);
    return o;
}

static PyObject *tensor_to_device(PyObject *self, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"", "stream", NULL};
    PyObject *device, *stream = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O:to_device", names, &device, &stream)) return NULL;
    if (stream != Py_None) return PyErr_Format(PyExc_ValueError, "to_device: situ orders its own work, stream must be None");
    situ_device d;
    situ_speaker before = situ_speak_instead("to_device", NULL);
    bool known = parse_device(device, &d);
    situ_spoken(&before);
    if (!known) {
        name_exception("to_device");
        return NULL;
    }
    if (!d.kind || situ_device_equal(d, tensor_of(self)->device)) return Py_NewRef(self);
    call c;
    return call_begin(&c, NULL, 0, 0, "to_device") ? call_end(&c, (situ_to)(tensor_of(self), d, c.site)) : NULL;
}

static PyObject *tensor_iter(PyObject *self)
{
    if (tensor_of(self)->ndim) return PySeqIter_New(self);
    PyErr_SetString(PyExc_TypeError, "iter: cannot go through a 0-dimensional tensor");
    return NULL;
}

static PyObject *sequence_item(PyObject *self, Py_ssize_t i)
{
    PyObject *key = PyLong_FromSsize_t(i), *o = key ? tensor_subscript(self, key) : NULL;
    Py_XDECREF(key);
    return o;
}

static PyObject *tensor_is_ready(PyObject *self, PyObject *nothing)
{
    call c;
    (void)nothing;
    if (!call_begin(&c, &self, 1, 1, "is_ready")) return NULL;
    bool ready = !c.failed && (situ_is_ready)(tensor_of(self), c.site);
    return call_leave(&c) ? PyBool_FromLong(ready) : NULL;
}

static PyMethodDef methods[] = {
    {"item", tensor_item, METH_NOARGS, "item()\n--\n\nThe only element as a Python number: computes and waits."},
    {"__complex__", tensor_complex, METH_NOARGS, NULL},
    {"__array_namespace__", (PyCFunction)(void (*)(void))tensor_namespace, METH_VARARGS | METH_KEYWORDS,
        "__array_namespace__($self, /, *, api_version=None)\n--\n\nThe module situ."},
    {"__array__", (PyCFunction)(void (*)(void))tensor_array, METH_VARARGS | METH_KEYWORDS, NULL},
    {"__dlpack__", (PyCFunction)(void (*)(void))tensor_dlpack, METH_VARARGS | METH_KEYWORDS,
        "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\nA DLPack capsule on the same "
        "memory."},
    {"__dlpack_device__", tensor_dlpack_device, METH_NOARGS, "__dlpack_device__($self, /)\n--\n\n(device type, index) of DLPack."},
    {"is_ready", tensor_is_ready, METH_NOARGS,
        "is_ready()\n--\n\nWhether its value is there, so that reading does not wait. Starts it if it is pending, and never waits. "
        "A "
        "simulated GPU's virtual clock decides, and the question takes a microsecond of it."},
    {"to_device", (PyCFunction)(void (*)(void))tensor_to_device, METH_VARARGS | METH_KEYWORDS,
        "to_device($self, device, /, *, stream=None)\n--\n\nOn that device: the tensor itself if it is there, else a copy."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef getters[] = {
    {"shape", get_shape, NULL, "Sizes along the axes.", NULL},
    {"dtype", get_dtype, NULL, "What one element is.", NULL},
    {"device", get_device, NULL, "Where it lives.", NULL},
    {"ndim", get_ndim, NULL, "The number of axes.", NULL},
    {"size", get_size, NULL, "The number of elements.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of one element.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of all elements.", NULL},
    {"state", get_state, NULL, "\"pending\", \"running\" (started, not there yet), \"stored\", \"dropped\" or \"variable\".", NULL},
    {"name", get_name, set_name, "Its name in messages.", NULL},
    {"is_variable", get_is_variable, NULL, "Whether assign() can change it.", NULL},
    {"trainable", get_trainable, NULL, "Whether it is a variable that gradients of a network see.", NULL},
    {"T", get_transposed, NULL, "The transpose of a matrix.", NULL},
    {"mT", get_transposed, NULL, "The last two axes swapped.", (void *)1},
    {"real", get_real, NULL, "The real part.", NULL},
    {"imag", get_imag, NULL, "The imaginary part.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

#define BOTH(name) \
    {Py_nb_##name, nb_##name}, { Py_nb_inplace_##name, nb_##name##_in_place }
static PyType_Slot slots[] = {
    {Py_tp_doc, "A value with a shape, a dtype and a device. Operations record; reading computes."},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_repr, tensor_text},
    {Py_tp_str, tensor_text},
    {Py_tp_richcompare, compare},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {Py_tp_iter, tensor_iter},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_mp_length, tensor_length},
    {Py_mp_subscript, tensor_subscript},
    {Py_mp_ass_subscript, tensor_assign_subscript},
    {Py_sq_length, tensor_length},
    {Py_sq_item, sequence_item},
    {Py_bf_getbuffer, tensor_get_buffer},
    {Py_bf_releasebuffer, tensor_release_buffer},
    BOTH(add),
    BOTH(subtract),
    BOTH(multiply),
    BOTH(true_divide),
    BOTH(floor_divide),
    BOTH(remainder),
    BOTH(matrix_multiply),
    BOTH(and),
    BOTH(or),
    BOTH(xor),
    BOTH(lshift),
    BOTH(rshift),
    BOTH(power),
    {Py_nb_negative, nb_negative},
    {Py_nb_positive, nb_positive},
    {Py_nb_absolute, nb_absolute},
    {Py_nb_invert, nb_invert},
    {Py_nb_bool, nb_bool},
    {Py_nb_float, nb_float},
    {Py_nb_int, nb_int},
    {Py_nb_index, nb_index},
    {0, NULL},
};
PyType_Spec tensor_spec = {.name = "situ.Tensor",
    .basicsize = sizeof(tensor_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots};
