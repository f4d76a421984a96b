/* Assigning to x[key][...] or x.T[...] changes x, as users of NumPy expect. Tensors are values, so a view object
 * remembers the object it was taken from (while somebody else holds that) and which of its elements it shows; what is
 * written to the view is then written there, too. A view taken earlier keeps its value until it is written to; then it
 * first gets the present elements, so that nothing written in between is lost. */
#include "binding.h"

#include "op/support.h"

typedef struct view_link {
    tensor_object *root;               /* NULL: the root is gone, and nobody can look at it */
    situ_tensor *written;              /* the root's value after the last write through this view */
    uint64_t seen;                     /* version of the root's value that it shows */
    struct view_link *previous, *next; /* list of views of the same root */
    int8_t axes, root_axes;
    int8_t place[SITU_MAX_DIMS];                                            /* [axis of the view] axis of the root, or -1 */
    int64_t start[SITU_MAX_DIMS], step[SITU_MAX_DIMS], size[SITU_MAX_DIMS]; /* [axis of the root] */
} view_link;

static view_link *spare; /* protected by Python's lock */

void view_cut(tensor_object *o)
{
    view_link *l = o->link;
    if (l) {
        if (l->next) l->next->previous = l->previous;
        if (l->previous) l->previous->next = l->next;
        else if (l->root) l->root->views = l->next;
        l->next = spare;
        spare = l;
        o->link = NULL;
    }
    for (l = o->views; l; l = l->next) l->root = NULL;
    o->views = NULL;
}

/* The object whose elements `of` shows. */
static tensor_object *root_of(tensor_object *of) { return of->link && of->link->root ? of->link->root : of; }

static uint64_t value_id(const situ_tensor *t) { return situ_is_owned(t) ? situ_owned_of(t)->birth : (uint64_t)(uintptr_t)t; }

void view_of(PyObject *view, PyObject *parent, const selection *p)
{
    tensor_object *of = (tensor_object *)(void *)parent, *root = root_of(of), *o = (tensor_object *)(void *)view;
    const view_link *from = root == of ? NULL : of->link;
    if (of->shared || tensor_of(parent)->flags & SITU_NODE_VARIABLE || !situ_node_count(o->t)) return;
    for (int i = 0; from && i < tensor_of(parent)->ndim; i++)
        if (from->place[i] < 0 && p->size[i] != 1) return;
    view_link *l = spare;
    if (l) spare = l->next;
    else if (!(l = malloc(sizeof *l))) return; /* out of memory: it stays a plain value */
    l->root_axes = from ? from->root_axes : (int8_t)tensor_of(parent)->ndim;
    for (int r = 0; r < l->root_axes; r++) {
        l->start[r] = from ? from->start[r] : p->start[r];
        l->step[r] = from ? from->step[r] : p->step[r];
        l->size[r] = from ? from->size[r] : p->size[r];
    }
    for (int i = 0; from && i < tensor_of(parent)->ndim; i++) {
        int r = from->place[i];
        if (r < 0) continue;
        l->start[r] += p->start[i] * l->step[r];
        l->step[r] *= p->step[i];
        l->size[r] = p->size[i];
    }
    l->axes = (int8_t)p->axes;
    for (int i = 0; i < p->axes; i++) l->place[i] = (int8_t)(p->place[i] < 0 || !from ? p->place[i] : from->place[p->place[i]]);
    l->root = root;
    l->seen = from ? from->seen : value_id(root->t);
    l->written = NULL;
    l->previous = NULL;
    l->next = root->views;
    if (l->next) l->next->previous = l;
    root->views = l;
    o->link = l;
}

static PyObject *key_of(const view_link *l)
{
    PyObject *key = PyTuple_New(l->root_axes);
    for (int r = 0; r < l->root_axes && key; r++) {
        int64_t stop = l->start[r] + l->size[r] * l->step[r];
        PyObject *start = PyLong_FromLongLong(l->start[r]), *step = PyLong_FromLongLong(l->step[r]);
        PyObject *end = stop < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(stop);
        PyObject *slice = start && step && end ? PySlice_New(start, end, step) : NULL;
        Py_XDECREF(start);
        Py_XDECREF(step);
        Py_XDECREF(end);
        if (!slice || PyTuple_SetItem(key, r, slice)) Py_CLEAR(key);
    }
    return key;
}

/* The value of the view with its axes in the root's order, one for each axis of the root. */
static situ_tensor *spread(const view_link *l, situ_tensor *t, situ_site site)
{
    situ_shape own = {0}, shape = {.ndim = l->root_axes};
    situ_axes order = {.given = 1};
    bool sorted = true;
    for (int i = 0; i < l->axes; i++)
        if (l->place[i] >= 0) own.dim[own.ndim++] = t->dim[i];
    for (int r = 0; r < l->root_axes; r++)
        for (int i = 0, k = 0; i < l->axes; k += l->place[i++] >= 0)
            if (l->place[i] == r) {
                sorted &= k == order.count;
                order.axis[order.count++] = k;
            }
    memcpy(shape.dim, l->size, 8 * (size_t)l->root_axes);
    if (!sorted) t = (situ_permute)((situ_reshape)(t, own, site), order, site);
    return (situ_reshape)(t, shape, site);
}

static PyObject *spread_object(const view_link *l, situ_tensor *t)
{
    call c;
    return call_begin(&c, NULL, 0, 0, NULL) ? call_end(&c, spread(l, t, c.site)) : NULL;
}

void view_permuted(PyObject *view, PyObject *parent, const situ_axes *order)
{
    const situ_tensor *t = tensor_of(parent);
    selection p = {.axes = t->ndim};
    for (int i = 0; i < t->ndim; i++) {
        p.size[i] = t->dim[i];
        p.step[i] = 1;
        p.place[i] = order->axis[i] < 0 ? order->axis[i] + t->ndim : order->axis[i];
    }
    view_of(view, parent, &p);
}

/* The inverse: the root's part with axes in the view's order, and in its shape. */
static situ_tensor *gathered(const view_link *l, situ_tensor *part, const situ_tensor *like, situ_site site)
{
    situ_axes order = {.given = 1, .count = l->root_axes};
    bool sorted = true, in_view[SITU_MAX_DIMS] = {false};
    int n = 0;
    for (int i = 0; i < l->axes; i++)
        if (l->place[i] >= 0) in_view[l->place[i]] = true;
    for (int r = 0; r < l->root_axes; r++)
        if (!in_view[r]) order.axis[n++] = r; /* of size 1 */
    for (int i = 0; i < l->axes; i++)
        if (l->place[i] >= 0) order.axis[n++] = l->place[i];
    for (int r = 0; r < n; r++) sorted &= order.axis[r] == r;
    return (situ_reshape)(sorted ? part : (situ_permute)(part, order, site), situ_shape_like(like), site);
}

bool view_refreshed(PyObject *self)
{
    tensor_object *o = (tensor_object *)(void *)self;
    view_link *l = o->link;
    if (!l || !l->root || !l->root_axes || l->seen == value_id(l->root->t)) return true;
    PyObject *root = Py_NewRef((PyObject *)(void *)l->root), *key = key_of(l), *part = key ? tensor_subscript(root, key) : NULL;
    uint64_t seen = value_id(tensor_of(root));
    call c;
    PyObject *now = part && call_begin(&c, NULL, 0, 0, "") ? call_end(&c, gathered(l, tensor_of(part), o->t, c.site)) : NULL;
    if (now) {
        situ_tensor *before = o->t;
        o->t = tensor_of(now);
        ((tensor_object *)(void *)now)->t = before;
        if (o->link) o->link->seen = seen;
    }
    bool ok = now != NULL;
    Py_XDECREF(now);
    Py_XDECREF(part);
    Py_XDECREF(key);
    Py_DECREF(root);
    return ok;
}

bool view_written(tensor_object *o)
{
    view_link *l = o->link;
    if (!l || !l->root || !l->root_axes) return true;
    PyObject *root = Py_NewRef((PyObject *)(void *)l->root), *key = key_of(l), *value = spread_object(l, o->t);
    PyObject *next = key && value ? PyObject_CallFunctionObjArgs(hooks.setitem, root, key, value, NULL) : NULL;
    bool ok = next && is_tensor(next);
    if (ok) {
        situ_tensor *before = tensor_of(root);
        ((tensor_object *)(void *)root)->t = tensor_of(next);
        ((tensor_object *)(void *)next)->t = before;
        if (o->link && (PyObject *)(void *)o->link->root == root) {
            o->link->written = tensor_of(root);
            o->link->seen = value_id(tensor_of(root));
        }
    }
    Py_XDECREF(next);
    Py_XDECREF(value);
    Py_XDECREF(key);
    Py_DECREF(root);
    return ok;
}

bool view_is_there(PyObject *self, const selection *p, PyObject *value)
{
    const view_link *l = is_tensor(value) ? ((tensor_object *)(void *)value)->link : NULL;
    if (!l || (PyObject *)(void *)l->root != self || l->written != tensor_of(self) || l->axes != p->axes) return false;
    size_t bytes = 8 * (size_t)l->root_axes;
    for (int i = 0; i < p->axes; i++)
        if (l->place[i] != p->place[i]) return false;
    return !memcmp(l->start, p->start, bytes) && !memcmp(l->step, p->step, bytes) && !memcmp(l->size, p->size, bytes);
}
