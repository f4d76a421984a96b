/* x[key] with numbers, slices, None and an ellipsis: a view. Other keys are handled by situ/_indexing.py. */
#include "binding.h"

#include "op/view.h"

enum { FULL = 0, BASIC = 1, OTHER = 2, FAILED = -1 };

static bool plain_integer(PyObject *o)
{
    if (PyBool_Check(o)) return false;
    if (PyLong_Check(o)) return true;
    return !is_tensor(o) && PyIndex_Check(o) && !PyObject_HasAttrString(o, "__array__");
}

static int kind_of(PyObject *o) { return plain_integer(o) || o == Py_None || o == Py_Ellipsis || PySlice_Check(o) ? BASIC : OTHER; }

static int take_integer(const situ_tensor *t, selection *p, int axis, PyObject *o)
{
    Py_ssize_t i = PyNumber_AsSsize_t(o, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred()) return FAILED;
    Py_ssize_t n = (Py_ssize_t)t->dim[axis];
    if (i < -n || i >= n) {
        PyErr_Format(PyExc_IndexError, "x[...]: index %zd is out of range for axis %d of size %zd", i, axis, n);
        return FAILED;
    }
    p->start[axis] = i < 0 ? i + n : i;
    p->size[axis] = 1;
    p->drop[axis] = true;
    return BASIC;
}

static int take_slice(const situ_tensor *t, selection *p, int axis, PyObject *o)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(o, &start, &stop, &step)) return FAILED;
    p->size[axis] = PySlice_AdjustIndices((Py_ssize_t)t->dim[axis], &start, &stop, step);
    p->start[axis] = p->size[axis] ? start : 0;
    p->step[axis] = step;
    p->place[p->axes++] = axis;
    return BASIC;
}

static int fail_dims(void)
{
    PyErr_Format(PyExc_IndexError, "x[...]: the result would have more than %d dimensions", SITU_MAX_DIMS);
    return FAILED;
}

static int parse(const situ_tensor *t, PyObject *key, selection *p)
{
    bool tuple = PyTuple_Check(key);
    Py_ssize_t n = tuple ? PyTuple_Size(key) : 1;
    int used = 0, dots = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *o = tuple ? PyTuple_GetItem(key, i) : key;
        if (kind_of(o) == OTHER) return OTHER;
        used += o != Py_None && o != Py_Ellipsis;
        dots += o == Py_Ellipsis;
    }
    if (dots > 1 || used > t->ndim) {
        if (dots > 1) PyErr_SetString(PyExc_IndexError, "x[...]: an index has at most one ellipsis (...)");
        else PyErr_Format(PyExc_IndexError, "x[...]: %d indices for a tensor of %d dimensions", used, (int)t->ndim);
        return FAILED;
    }
    for (int i = 0; i < t->ndim; i++) {
        p->start[i] = 0;
        p->size[i] = t->dim[i];
        p->step[i] = 1;
        p->drop[i] = false;
    }
    p->axes = 0;
    int axis = 0;
    for (Py_ssize_t i = 0; i < n + !dots; i++) {
        PyObject *o = i == n ? Py_Ellipsis : tuple ? PyTuple_GetItem(key, i) : key;
        int rc = BASIC;
        if (o == Py_Ellipsis) {
            if (p->axes + t->ndim - used > SITU_MAX_DIMS) return fail_dims();
            for (int k = t->ndim - used; k-- > 0;) p->place[p->axes++] = axis++;
        } else if (p->axes == SITU_MAX_DIMS && !plain_integer(o)) {
            return fail_dims();
        } else if (o == Py_None) {
            p->place[p->axes++] = -1;
        } else if (PySlice_Check(o)) {
            rc = take_slice(t, p, axis++, o);
        } else {
            rc = take_integer(t, p, axis++, o);
        }
        if (rc == FAILED) return FAILED;
    }
    return BASIC;
}

/* Position of the part in stored memory that belongs to no variable: offset and strides; false: another case. */
static bool place_of_part(const situ_tensor *t, const selection *p, situ_shape shape, int64_t *offset, int64_t *stride)
{
    const situ_aside *aside = situ_node_aside(t);
    if (!t->buffer || t->flags & (SITU_NODE_TRACKED | SITU_NODE_TRAINABLE) || aside->slot) return false;
    int64_t own[SITU_MAX_DIMS];
    if (aside->stride) memcpy(own, aside->stride, 8 * (size_t)t->ndim);
    else situ_shape_strides(t->ndim, t->dim, own);
    *offset = 0;
    for (int i = 0; i < t->ndim; i++) *offset += p->start[i] * own[i];
    for (int i = 0; i < p->axes; i++) stride[i] = p->place[i] < 0 ? 0 : own[p->place[i]] * p->step[p->place[i]];
    if (!situ_shape_count((int)shape.ndim, shape.dim)) *offset = 0;
    return true;
}

/* The selected elements of x; false: all of them. */
static bool part_attr(const situ_tensor *t, const selection *p, situ_slice_attr *a)
{
    bool whole = true;
    a->dropped = 0;
    for (int i = 0; i < t->ndim; i++) {
        a->axis[i].size = p->size[i];
        a->axis[i].step = p->size[i] < 2 ? 1 : p->step[i]; /* so that all such slices share a plan */
        a->dropped |= (uint64_t)p->drop[i] << i;
        whole &= !p->start[i] && p->size[i] == t->dim[i] && a->axis[i].step == 1;
    }
    return !whole;
}

/* A part of a stored tensor is a stored view at once; gradients know the operation by which it was taken. */
static situ_tensor *part_of(situ_tensor *t, const selection *p, situ_site site)
{
    situ_shape shape = {.ndim = p->axes};
    int64_t offset = 0, stride[SITU_MAX_DIMS];
    situ_slice_attr a;
    bool has_new_axes = false;
    for (int i = 0; i < p->axes; i++) {
        has_new_axes |= p->place[i] < 0;
        shape.dim[i] = p->place[i] < 0 ? 1 : p->size[p->place[i]];
    }
    if (!(t = situ_value_of(t, site))) return situ_poisoned();
    bool here = place_of_part(t, p, shape, &offset, stride);
    if (here && (!situ_owned_is_float(t) || situ_thread_state.no_grad))
        return situ_share_part(t, shape, offset, stride, NULL, site);
    situ_tensor *y = t;
    if (part_attr(t, p, &a)) {
        situ_way way = {&situ_op_slice, &a, situ_slice_attr_size(t->ndim), (const uint64_t *)p->start, t->ndim};
        if (here && !has_new_axes) return situ_share_part(t, shape, offset, stride, &way, site);
        y = situ_apply(way.op, &t, 1, way.attr, way.attr_size, way.word, way.nword, site);
        if (!has_new_axes) return y;
    }
    y = (situ_reshape)(y, shape, site);
    if (here && y != t && !y->buffer && !(y->flags & SITU_NODE_POISON) && situ_store_part(y, t, offset, stride, site))
        return situ_poisoned();
    return y;
}

PyObject *tensor_subscript(PyObject *self, PyObject *key)
{
    selection p;
    int rc = parse(tensor_of(self), key, &p);
    if (rc == FAILED) return NULL;
    if (rc == OTHER) return PyObject_CallFunctionObjArgs(hooks.getitem, self, key, NULL);
    call c;
    PyObject *o = call_begin(&c, NULL, 0, 0, NULL) ? call_end(&c, part_of(tensor_of(self), &p, c.site)) : NULL;
    if (o) view_of(o, self, &p);
    return o;
}

int tensor_assign_subscript(PyObject *self, PyObject *key, PyObject *value)
{
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "x[...]: elements of a tensor cannot be deleted");
        return -1;
    }
    selection p;
    if (is_tensor(value) && ((tensor_object *)(void *)value)->link) {
        int rc = parse(tensor_of(self), key, &p);
        if (rc == FAILED) return -1;
        if (rc == BASIC && view_is_there(self, &p, value)) return 0;
    }
    PyObject *next = view_refreshed(self) ? PyObject_CallFunctionObjArgs(hooks.setitem, self, key, value, NULL) : NULL;
    if (!next) return -1;
    if (!is_tensor(next)) { /* the object is a variable, which was assigned */
        Py_DECREF(next);
        return 0;
    }
    tensor_object *to = (tensor_object *)(void *)self, *from = (tensor_object *)(void *)next;
    situ_tensor *before = to->t;
    to->t = from->t;
    from->t = before;
    Py_DECREF(next);
    return view_written(to) ? 0 : -1;
}

MADE(permute_dims)
{
    TAKE("permute_dims", 2, 2, 2, {"x", "axes"}, {NULL});
    situ_axes order = arg_axes(c, 1);
    PyObject *x = given(c, 0), *o = call_end(c, c->failed ? NULL : (situ_permute)(arg_tensor(c, 0), order, c->site));
    if (o) view_permuted(o, x, &order);
    return o;
}

/* write_part(x, key, value): x with `value`, of x's dtype and of the shape of x[key], at the basic key. */
static PyObject *write_part(PyObject *self, PyObject *args)
{
    PyObject *x, *key, *value;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO", &x, &key, &value)) return NULL;
    selection p;
    call c;
    int rc = parse(tensor_of(x), key, &p);
    if (rc != BASIC) return rc == FAILED ? NULL : PyErr_Format(PyExc_TypeError, "x[...]: no numbers and slices");
    if (!call_begin(&c, NULL, 0, 0, NULL)) return NULL;
    situ_tensor *t = tensor_of(x);
    situ_shape size = {.ndim = t->ndim};
    memcpy(size.dim, p.size, 8 * (size_t)t->ndim);
    return call_end(&c, situ_write_at(t, (situ_reshape)(tensor_of(value), size, c.site), p.start, p.step, c.site));
}

PyMethodDef index_methods[] = {{"write_part", write_part, METH_VARARGS, NULL},
    MADE_ROW(permute_dims, permute_dims, "permute_dims(x, axes)\n--\n\nAxis i of the result is axis axes[i] of x."),
    {NULL, NULL, 0, NULL}};
