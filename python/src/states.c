/* The state of the C part of a module that copies and pickles need: values, flags and modes. */
#include "binding.h"

#include <string.h>

#include "nn/module.h"
#include "tensor/shape.h"

enum { FIXED = 1, FROZEN = 2, UNTOLD = 4 };
enum { INVARIANT = 1 << 8 }; /* beside the precision */

/* (name, [variable by device] or None, their names, flags, how, gain, mean); the program owns the variables of a held
 * one. */
static PyObject *of_parameter(const situ_parameter *p, int devices)
{
    PyObject *values = p->made && !p->lent ? PyList_New(0) : Py_NewRef(Py_None);
    for (int i = 0; values && p->made && !p->lent && i < devices; i++) {
        PyObject *v = tensor_share(p->copy[i]);
        if (!v || PyList_Append(values, v)) Py_CLEAR(values);
        Py_XDECREF(v);
    }
    if (!values) return NULL;
    int marks = (p->fixed ? FIXED : 0) | (p->frozen ? FROZEN : 0) | (p->untold ? UNTOLD : 0);
    const char *called = p->made ? situ_name_of(p->copy[0]) : "";
    return Py_BuildValue("(sNsiidd)", p->name, values, called, marks, (int)p->how, p->gain, p->mean);
}

/* (name, training, policies, [its parameters], [its children]); without children of these names, which Python has. */
static PyObject *of_module(const situ_module *m, PyObject *skip)
{
    int devices = situ_module_root(m)->devices;
    PyObject *own = PyList_New(0), *parts = PyList_New(0), *one = NULL;
    bool ok = own && parts;
    for (int i = 0; i < m->owns && ok; i++) {
        ok = (one = of_parameter(m->own[i], devices)) && !PyList_Append(own, one);
        Py_XDECREF(one);
    }
    for (int i = 0; i < m->children && ok; i++) {
        PyObject *name = PyUnicode_FromString(m->child[i]->name);
        int skipped = name && skip ? PySequence_Contains(skip, name) : 0;
        Py_XDECREF(name);
        ok = name && skipped >= 0;
        if (!ok || skipped) continue;
        ok = (one = of_module(m->child[i], NULL)) && !PyList_Append(parts, one);
        Py_XDECREF(one);
    }
    if (ok)
        return Py_BuildValue(
            "(siiNN)", m->name ? m->name : "", m->training, m->precision | (m->invariant ? INVARIANT : 0), own, parts);
    Py_XDECREF(own);
    Py_XDECREF(parts);
    return NULL;
}

/* module_state(module, names of the children that Python has) */
METHOD(py_module_state)
{
    BEGIN(2, "Module");
    situ_module *m = arg_module(c, 0);
    PyObject *o = m && n > 1 ? of_module(m, arg[1]) : NULL;
    if (!o) c->failed = true;
    if (call_leave(c)) return o;
    Py_XDECREF(o);
    return NULL;
}

/* ---- loading: everything is read, and the variables are made, before anything is changed ------------------------------------- */

typedef struct row_given {
    situ_parameter *p;
    const char *called;
    situ_tensor *variable[SITU_MIRRORS];
    int variables, marks, how;
    double gain, mean;
} row_given;

typedef struct taking {
    row_given *all;
    int count, room;
    bool held; /* only variables of the program, which have flags and no values here; else all others */
} taking;

static bool refuse(const char *what, const char *name)
{
    if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "the state of a module %s %s", what, name);
    return false;
}

static bool take_values(row_given *g, PyObject *values, situ_site site)
{
    Py_ssize_t count = values == Py_None ? 0 : PySequence_Size(values);
    if (count < 0 || count > SITU_MIRRORS || (values != Py_None && !count)) return refuse("has no values for", g->p->name);
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *o = PySequence_GetItem(values, k);
        bool is = o && is_tensor(o);
        situ_variable_options v = {.size = sizeof v, .unnamed = SITU_NAMED, .trainable = !(g->marks & FIXED), .name = g->called};
        situ_tensor *t = is ? (situ_variable)(tensor_of(o), &v, site) : NULL;
        Py_XDECREF(o);
        if (!is) return refuse("has no tensor for", g->p->name);
        if (situ_failed()) return false;
        g->variable[g->variables++] = t;
        /* Quantised rows, or a parameter whose shape is not known yet. */
        bool free_shape = t->dtype == SITU_U8 || !(g->p->known || g->p->made);
        if (!free_shape && !situ_shape_equal((int)g->p->shape.ndim, g->p->shape.dim, t->ndim, t->dim))
            return refuse("has another shape for", g->p->name);
    }
    return true;
}

static bool take_parameter(taking *t, situ_module *m, PyObject *row, situ_site site)
{
    const char *name;
    PyObject *values;
    row_given g = {.p = NULL};
    if (!PyTuple_Check(row) || !PyArg_ParseTuple(row, "sOsiidd", &name, &values, &g.called, &g.marks, &g.how, &g.gain, &g.mean))
        return refuse("has no parameter in", m->path);
    for (int i = 0; i < m->owns && !g.p; i++)
        if (!strcmp(m->own[i]->name, name)) g.p = m->own[i];
    if (t->held != (values == Py_None && (!g.p || g.p->lent))) return true;
    if (!g.p) return t->held || refuse("has a parameter that is not there,", name);
    if (g.how < SITU_INIT_LAYER || g.how > SITU_INIT_EYE) return refuse("has no initializer for", name);
    bool ok = take_values(&g, values, site);
    if (ok && t->count == t->room) {
        row_given *grown = PyMem_Realloc(t->all, ((size_t)t->room * 2 + 8) * sizeof *grown);
        ok = grown != NULL;
        if (grown) t->all = grown, t->room = t->room * 2 + 8;
        else PyErr_NoMemory();
    }
    if (ok) t->all[t->count++] = g;
    for (int k = 0; k < g.variables && !ok; k++) situ_release(g.variable[k]);
    return ok;
}

static bool take_module(taking *t, situ_module *m, PyObject *state, bool give, situ_site site)
{
    const char *name;
    int training, policies;
    PyObject *own, *parts, *row;
    if (!PyTuple_Check(state) ||
        !PyArg_ParseTuple(state, "siiO!O!", &name, &training, &policies, &PyList_Type, &own, &PyList_Type, &parts))
        return refuse("says nothing of", m->path);
    int precision = policies & ~INVARIANT;
    if (precision < 0 || precision >= SITU_DTYPES) return refuse("has no precision for", m->path);
    if (give && !t->held) {
        m->training = training != 0;
        m->precision = (uint8_t)precision;
        m->invariant = (policies & INVARIANT) != 0;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(own) && !give; i++)
        if (!take_parameter(t, m, PyList_GetItem(own, i), site)) return false;
    for (Py_ssize_t i = 0; i < PyList_Size(parts); i++) {
        row = PyList_GetItem(parts, i);
        PyObject *first = PyTuple_Check(row) && PyTuple_Size(row) ? PyTuple_GetItem(row, 0) : NULL;
        const char *part = first && PyUnicode_Check(first) ? PyUnicode_AsUTF8AndSize(first, NULL) : NULL;
        int k = 0;
        while (part && k < m->children && strcmp(m->child[k]->name, part)) k++;
        if (!part || k == m->children) return refuse("has a part that is not there,", part ? part : "");
        if (!take_module(t, m->child[k], row, give, site)) return false;
    }
    return true;
}

static void give(const row_given *g)
{
    if (g->variables) situ_parameter_give(g->p, g->variable, g->variables);
    g->p->frozen = (g->marks & FROZEN) != 0;
    g->p->untold = (g->marks & UNTOLD) != 0;
    g->p->how = (situ_init)g->how;
    g->p->gain = g->gain;
    g->p->mean = g->mean;
}

/* module_take_state(module, state, held): for a root that no thread calls; held: flags of variables of the program */
METHOD(py_module_take_state)
{
    BEGIN(3, "Module");
    situ_module *m = arg_module(c, 0);
    taking t = {.held = !c->failed && arg_bool(c, 2, false)};
    bool ok = !c->failed && take_module(&t, m, arg[1], false, c->site);
    for (int i = 0; i < t.count; i++) {
        if (ok) give(&t.all[i]);
        for (int k = 0; k < t.all[i].variables && !ok; k++) situ_release(t.all[i].variable[k]);
    }
    if (ok) ok = take_module(&t, m, arg[1], true, c->site);
    PyMem_Free(t.all);
    if (!ok) c->failed = true;
    return call_end_code(c, ok ? 0 : -1);
}

PyMethodDef state_methods[] = {FAST(module_state), FAST(module_take_state), {NULL, NULL, 0, NULL}};
