/* Module trees that Python builds and changes: children, variables of the program, calls of Python's forward(). */
#include "binding.h"

#include "base/memory.h"
#include "graph/record.h"
#include "nn/module.h"

static const char *text_arg(call *c, int i)
{
    const char *text = i < c->count && PyUnicode_Check(c->arg[i]) ? text_of(c->arg[i], "name") : NULL;
    if (!text) c->failed = true;
    return text;
}

/* module([kind, join, axis]): a root without a layer of its own: sequential, or residual (1), parallel (2) */
METHOD(py_module)
{
    BEGIN(3, "Module");
    int kind = arg_int32(c, 0, 0);
    situ_parallel_options o = {.join = (situ_join)arg_int32(c, 1, 0), .axis = arg_int32(c, 2, 1)};
    situ_module *m = kind == 1 ? situ_layer(&situ_residual_kind, NULL, 0, c->site) :
        kind == 2              ? situ_layer(&situ_parallel_kind, &o, sizeof o, c->site) :
                                 (situ_sequential)(NULL, 0, c->site);
    return end_handle(c, m, MODULE, module_end);
}

METHOD(py_module_freeze)
{
    BEGIN(2, "freeze");
    situ_module *m = arg_module(c, 0);
    return call_end_code(c, c->failed ? 0 : situ_module_freeze(m, arg_bool(c, 1, true)));
}

METHOD(py_module_publish)
{
    BEGIN(2, "publish");
    situ_module *m = arg_module(c, 0), *from = arg_module(c, 1);
    return call_end_code(c, c->failed ? 0 : situ_module_publish(m, from));
}

/* quantise(net): how many layers */
METHOD(py_module_quantise)
{
    BEGIN(1, "quantise");
    situ_module *m = arg_module(c, 0);
    return call_end_code(c, c->failed ? 0 : situ_module_quantise(m));
}

METHOD(py_module_set_precision)
{
    BEGIN(2, "set_precision");
    situ_module *m = arg_module(c, 0);
    situ_dtype dtype = arg_dtype(c, 1);
    return call_end_code(c, c->failed ? 0 : situ_module_set_precision(m, dtype));
}

/* precision(dtype): returns the name of the previous one */
METHOD(py_precision)
{
    BEGIN(1, "precision");
    situ_dtype dtype = arg_dtype(c, 0), before = c->failed ? SITU_F32 : situ_precision(dtype);
    return call_leave(c) ? Py_NewRef(hooks.dtype[before]) : NULL;
}

METHOD(py_module_set_batch_invariant)
{
    BEGIN(2, "set_batch_invariant");
    situ_module *m = arg_module(c, 0);
    bool on = arg_bool(c, 1, true);
    return call_end_code(c, c->failed ? 0 : situ_module_set_batch_invariant(m, on));
}

/* batch_invariant(on): returns what was before */
METHOD(py_batch_invariant)
{
    BEGIN(1, "batch_invariant");
    bool on = arg_bool(c, 0, true), before = !c->failed && situ_batch_invariant(on);
    return call_leave(c) ? PyBool_FromLong(before) : NULL;
}

METHOD(py_module_share)
{
    BEGIN(2, "share");
    situ_module *m = arg_module(c, 0), *with = c->failed ? NULL : arg_module(c, 1);
    return call_end_code(c, c->failed ? 0 : situ_module_share(m, with));
}

/* initialize(net, name, how, gain, value) */
METHOD(py_module_initialize)
{
    BEGIN(5, "initialize");
    situ_module *m = arg_module(c, 0);
    situ_initial_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .gain = arg_double(c, 3, 1), .value = arg_double(c, 4, 0)};
    const char *name = text_arg(c, 1);
    situ_init how = (situ_init)arg_int32(c, 2, 0);
    return call_end_code(c, c->failed ? 0 : (situ_module_initialize)(m, name, how, &o, c->site));
}

/* inputs(net): names of its inputs and results, as its kind declares them */
METHOD(py_module_says)
{
    BEGIN(1, "Module");
    situ_module *m = arg_module(c, 0);
    if (!call_leave(c)) return NULL;
    return Py_BuildValue("(zz)", m->kind->inputs, m->kind->results);
}

/* summary(net, tuple of inputs): the text */
METHOD(py_module_summary)
{
    BEGIN(2, "summary");
    situ_module *m = arg_module(c, 0);
    situ_list inputs = c->failed ? (situ_list){NULL, 0} : arg_list(c, 1);
    char *text = NULL;
    size_t size = 0;
    FILE *file = c->failed ? NULL : open_memstream(&text, &size);
    situ_module_summary_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .file = file};
    if (file) (situ_module_summary)(m, inputs, &o, c->site);
    if (file) fclose(file);
    PyObject *string = call_leave(c) && text ? PyUnicode_FromStringAndSize(text, (Py_ssize_t)size) : NULL;
    free(text);
    return string || PyErr_Occurred() ? string : PyErr_NoMemory();
}

/* attach(root, name, part): the root owns the part from now on */
METHOD(py_attach)
{
    BEGIN(3, "Module");
    situ_module *m = arg_module(c, 0), *part = arg_module(c, 2);
    const char *name = text_arg(c, 1);
    int rc = c->failed ? -1 : situ_module_attach(m, name, part);
    if (rc >= 0) PyCapsule_SetDestructor(arg[2], NULL);
    return call_end_code(c, rc);
}

METHOD(py_detach)
{
    BEGIN(1, "Module");
    situ_module *part = arg_module(c, 0);
    int rc = c->failed ? -1 : part->parent ? situ_module_detach(part) : 0;
    if (!rc) PyCapsule_SetDestructor(arg[0], module_end);
    return call_end_code(c, rc);
}

/* hold(module, name, variable): False if the network has it already */
METHOD(py_hold)
{
    BEGIN(3, "Module");
    situ_module *m = arg_module(c, 0);
    const char *name = text_arg(c, 1);
    situ_tensor *v = c->failed || n < 3 || !is_tensor(arg[2]) ? arg_tensor(c, 2) : ((tensor_object *)(void *)arg[2])->t;
    int rc = c->failed ? -1 : situ_module_hold(m, name, v);
    if (!call_leave(c)) return NULL;
    return PyBool_FromLong(rc == 0);
}

METHOD(py_drop)
{
    BEGIN(2, "Module");
    situ_module *m = arg_module(c, 0);
    const char *name = text_arg(c, 1);
    return call_end_code(c, c->failed ? 0 : situ_module_drop(m, name));
}

/* own(module): its own parameters, [(name, variable or None, trainable)] */
METHOD(py_own)
{
    BEGIN(1, "Module");
    situ_module *m = arg_module(c, 0);
    PyObject *list = m ? PyList_New(0) : NULL;
    for (int i = 0; m && i < m->owns && list; i++) {
        const situ_parameter *p = m->own[i];
        PyObject *v = p->made ? tensor_share(p->copy[0]) : Py_NewRef(Py_None);
        PyObject *o = Py_BuildValue("(sNO)", p->name, v, p->fixed ? Py_False : Py_True);
        if (!o || PyList_Append(list, o)) c->failed = true;
        Py_XDECREF(o);
    }
    if (call_leave(c)) return list;
    Py_XDECREF(list);
    return NULL;
}

/* devices(module): the devices of its network */
METHOD(py_module_devices)
{
    BEGIN(1, "Module");
    situ_device d[SITU_MIRRORS];
    situ_module *m = arg_module(c, 0);
    int count = m ? situ_module_devices(m, d, SITU_MIRRORS) : 0;
    if (!call_leave(c)) return NULL;
    PyObject *list = PyList_New(0);
    for (int i = 0; i < count && list; i++) {
        PyObject *o = device_object(d[i]);
        if (!o || PyList_Append(list, o)) Py_CLEAR(list);
        Py_XDECREF(o);
    }
    return list;
}

/* module_random(module[, steps, key]): the number of training calls and the key of a root, or sets them */
METHOD(py_module_random)
{
    BEGIN(3, "Module");
    situ_module *m = arg_module(c, 0);
    if (m && n > 1) {
        situ_tensor *key = n > 2 && arg[2] != Py_None ? arg_tensor(c, 2) : NULL;
        if (key && !c->failed && situ_module_init(m, key)) c->failed = true;
        m->steps = arg_int(c, 1, 0);
        return call_end_code(c, 0);
    }
    long long steps = m ? (long long)m->steps : 0;
    situ_tensor *key = m && m->key ? (situ_copy_to)(m->key, m->key->device, c->site) : NULL;
    PyObject *o = key ? call_end(c, key) : call_leave(c) ? Py_NewRef(Py_None) : NULL;
    return o ? Py_BuildValue("(LN)", steps, o) : NULL;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------ */

/* The results of a network for Python: a single one, or a tuple in which several states are a nested tuple. */
static PyObject *results_of(call *c, const situ_module *m, situ_tensor *const *t, int count)
{
    int first = count > 1 ? situ_handed_on(m, count) : 1;
    if (count == 1) return call_end(c, t[0]);
    PyObject *list = call_end_list(c, t, count);
    if (!list) return NULL;
    PyObject *all = PySequence_Tuple(list), *states = NULL, *both = NULL;
    Py_DECREF(list);
    if (!all || count - first < 2) return all;
    PyObject *head = PySequence_GetSlice(all, 0, first);
    if ((states = PySequence_GetSlice(all, first, count))) {
        PyObject *one = PyTuple_Pack(1, states);
        if (one && head) both = PySequence_Concat(head, one);
        Py_XDECREF(one);
    }
    Py_XDECREF(head);
    Py_XDECREF(states);
    Py_DECREF(all);
    return both;
}

static void refuse_kind(PyObject *text, PyObject *given)
{
    PyObject *kind = given ? PyType_GetName(Py_TYPE(given)) : PyUnicode_FromString("None");
    if (kind)
        PyErr_Format(
            PyExc_TypeError, "call: %U of a network is a tensor, not %U; write situ.asarray(...) for its numbers", text, kind);
    Py_XDECREF(kind);
}

/* Raises the exception for an input i that is no tensor. */
static void refuse_input(const situ_module *m, Py_ssize_t i, PyObject *given)
{
    const char *name = m->kind->inputs ? m->kind->inputs : "";
    for (Py_ssize_t k = 0; k < i && name; k++) name = (name = strchr(name, ',')) ? name + 2 : NULL;
    PyObject *text = name && *name ? PyUnicode_FromStringAndSize(name, (Py_ssize_t)strcspn(name, ",?")) :
                                     PyUnicode_FromFormat("input %zd", i + 1);
    if (text) refuse_kind(text, given);
    Py_XDECREF(text);
}

/* Several inputs, of which None are left out, or no inputs. */
static PyObject *call_several(call *c, situ_module *m, const situ_module_call_options *o)
{
    bool one_only = !PyTuple_Check(c->arg[1]);
    Py_ssize_t count = one_only ? 1 : PyTuple_Size(c->arg[1]);
    int room = situ_module_room(m);
    bool fits = count <= INT16_MAX && (count || (m->kind->inputs && !*m->kind->inputs));
    if (!fits) PyErr_Format(PyExc_TypeError, "call: a network takes 1 to %d tensors, not %zd", INT16_MAX, count);
    situ_tensor **in = fits ? situ_calloc((size_t)(count + room), sizeof *in) : NULL, **out = in ? in + count : NULL;
    if (!in) c->failed = true;
    if (!in && fits) PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && !c->failed; i++) {
        PyObject *one = one_only ? c->arg[1] : PyTuple_GetItem(c->arg[1], i);
        if (one && is_tensor(one)) in[i] = tensor_of(one);
        else if (one != Py_None) {
            refuse_input(m, i, one);
            c->failed = true;
        }
    }
    int results = c->failed ? -1 : (situ_module_call_n)(m, (situ_list){in, (int)count}, out, room, o, c->site);
    PyObject *y = results > 0 ? results_of(c, m, out, results) : call_end(c, NULL);
    situ_free(in);
    return y;
}

/* call(net, x or a tuple of inputs, first, of, step) */
METHOD(py_call)
{
    BEGIN(5, "call");
    situ_module *m = arg_module(c, 0);
    if (!m) return call_end(c, NULL);
    situ_module_call_options o = {.size = sizeof o, .unnamed = SITU_NAMED, SITU_DEFAULTS(SITU_MODULE_CALL_DEFAULTS)};
    o.first = arg_int(c, 2, o.first);
    o.of = arg_int(c, 3, o.of);
    o.step = arg_int(c, 4, o.step);
    if (n > 1 && !c->failed && (PyTuple_Check(arg[1]) || (is_tensor(arg[1]) && m->kind->forward_n))) return call_several(c, m, &o);
    if (!c->failed && (n < 2 || !is_tensor(arg[1]))) {
        PyObject *text = PyUnicode_FromString("the input");
        if (text) refuse_kind(text, n < 2 ? NULL : arg[1]);
        Py_XDECREF(text);
        c->failed = true;
    }
    situ_tensor *x = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_module_call)(m, x, &o, c->site));
}

/* ---- variables inside of calls --------------------------------------------------------------------------------------- */

__thread part_of_batch part_now;

static situ_tensor *standing_in(const situ_module *root, int place, const situ_frame *frame, const situ_tensor *variable)
{
    if (situ_module_number(root)) return NULL;
    for (int i = 0; i < root->total; i++) {
        const situ_parameter *p = root->all[i];
        if (p->copy[0] != variable) continue;
        return frame && i < frame->givens ? frame->given[i] : p->copy[place];
    }
    return NULL;
}

situ_tensor *standing_for(situ_tensor *variable)
{
    situ_tensor *t = NULL;
    for (const situ_frame *f = situ_frame_now; f && !t; f = f->outer)
        if (f->place > 0 || f->given) t = standing_in(f->root, f->place < 0 ? 0 : f->place, f, variable);
    if (!t && part_now.root && part_now.place > 0) t = standing_in(part_now.root, part_now.place, NULL, variable);
    return t ? t : variable;
}

#define FRAME "situ.frame"
static void frame_end(PyObject *capsule)
{
    situ_frame *frame = PyCapsule_GetPointer(capsule, FRAME);
    if (frame) free(frame->given);
    free(frame);
}

/* The values of m's parameters, in their order, stand for its variables in this call. */
static int take_values(call *c, situ_frame *frame, const situ_module *m, situ_list values)
{
    const situ_module *root = frame->root;
    if (values.count != m->total) PyErr_Format(PyExc_ValueError, "apply: %d values for %d parameters", values.count, m->total);
    else if (!(frame->given = malloc((size_t)(root->total + 1) * sizeof *frame->given))) PyErr_NoMemory();
    if ((c->failed = !frame->given)) return -1;
    for (int i = 0; i < root->total; i++) frame->given[i] = root->all[i]->copy[frame->place < 0 ? 0 : frame->place];
    for (int i = 0; i < values.count; i++) frame->given[m->first + i] = values.tensor[i];
    frame->givens = root->total;
    return 0;
}

/* open_call(net, x or None, first, of, step, values or None): None inside of a call of its root */
METHOD(py_open_call)
{
    BEGIN(6, "Module");
    situ_module *m = arg_module(c, 0);
    situ_module_call_options o = {.size = sizeof o, .unnamed = SITU_NAMED, SITU_DEFAULTS(SITU_MODULE_CALL_DEFAULTS)};
    o.first = arg_int(c, 2, o.first);
    o.of = arg_int(c, 3, o.of);
    o.step = arg_int(c, 4, o.step);
    situ_tensor *x = n > 1 && arg[1] != Py_None ? arg_tensor(c, 1) : NULL;
    bool pure = given(c, 5);
    situ_list values = pure ? arg_list(c, 5) : (situ_list){NULL, 0};
    if (c->failed || (!pure && situ_frame_now && situ_frame_now->root == situ_module_root(m))) return call_end_code(c, 0);
    situ_frame *frame = malloc(sizeof *frame);
    bool inference = situ_thread_state.inference;
    situ_thread_state.inference |= pure;
    int rc = frame ? situ_forward_open(frame, m, x, &o, c->site) : -1;
    situ_thread_state.inference = inference;
    if (!rc && pure && (rc = take_values(c, frame, m, values))) situ_forward_close(frame);
    if (call_leave(c) && !rc) return PyCapsule_New(frame, FRAME, frame_end);
    free(frame);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

/* inside(module): is a call of its root running? */
static PyObject *py_inside(PyObject *self, PyObject *capsule)
{
    (void)self;
    const situ_module *m = handle_of(capsule, MODULE);
    return m ? PyBool_FromLong(situ_frame_now && situ_frame_now->root == situ_module_root(m)) : NULL;
}

/* close_call(frame, [results]) */
METHOD(py_close_call)
{
    (void)self;
    situ_frame *frame = n == 2 ? PyCapsule_GetPointer(arg[0], FRAME) : NULL;
    if (!frame) return NULL;
    if (situ_frame_now == frame) situ_forward_close(frame);
    Py_ssize_t count = PySequence_Size(arg[1]);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *o = PySequence_GetItem(arg[1], i);
        if (o && is_tensor(o)) situ_forward_result(tensor_of(o));
        Py_XDECREF(o);
    }
    Py_RETURN_NONE;
}

/* follow(tensor, other): makes the object stand for what the other one stands for */
METHOD(py_follow)
{
    (void)self;
    if (n != 2 || !is_tensor(arg[0]) || !is_tensor(arg[1])) return PyErr_Format(PyExc_TypeError, "follow takes two tensors");
    tensor_object *a = (tensor_object *)(void *)arg[0], *b = (tensor_object *)(void *)arg[1], before = *a;
    if (a->t == b->t) Py_RETURN_NONE;
    a->t = b->t;
    a->shared = b->shared;
    b->t = before.t;
    b->shared = before.shared;
    Py_RETURN_NONE;
}

/* same(tensor): another object with the same value, which a function may change in place while the first keeps its
 * value */
static PyObject *py_same(PyObject *self, PyObject *x)
{
    call c;
    (void)self;
    if (!is_tensor(x)) return Py_NewRef(x);
    if (tensor_of(x)->flags & (SITU_NODE_KEPT | SITU_NODE_VARIABLE)) return tensor_share(tensor_of(x));
    return call_begin(&c, NULL, 0, 0, "grad") ? call_end(&c, tensor_of(x)) : NULL;
}

PyMethodDef module_methods[] = {
    FAST(call),
    FAST(module),
    FAST(module_freeze),
    FAST(module_publish),
    FAST(module_quantise),
    FAST(module_set_precision),
    FAST(module_set_batch_invariant),
    FAST(batch_invariant),
    FAST(precision),
    FAST(module_share),
    FAST(module_initialize),
    FAST(module_says),
    FAST(module_summary),
    FAST(attach),
    FAST(detach),
    FAST(hold),
    FAST(drop),
    FAST(own),
    FAST(module_devices),
    FAST(module_random),
    FAST(open_call),
    FAST(close_call),
    FAST(follow),
    {"inside", py_inside, METH_O, NULL},
    {"same", py_same, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
