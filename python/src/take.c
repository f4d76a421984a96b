/* Arguments by name: what made_*.c, which are made from the public headers, need beside call.c. */
#include "binding.h"

/* "x, axis and dtype" */
static void list(const signature *s, int first, int end, char *out, size_t size)
{
    size_t used = 0;
    *out = 0;
    for (int i = first; i < end && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i == first ? "" : i == end - 1 ? " and " : ", ", s->argument[i]);
}

enum { LIST = 256 };

static bool refuse_positions(const signature *s, Py_ssize_t n)
{
    char names[LIST];
    list(s, s->by_position, s->count, names, sizeof names);
    if (s->by_position == s->count)
        PyErr_Format(PyExc_TypeError, "%s: takes at most %d arguments (%zd given)", s->name, (int)s->count, n);
    else
        PyErr_Format(PyExc_TypeError, "%s: takes at most %d arguments by position (%zd given); %s by name", s->name,
            (int)s->by_position, n, names);
    return false;
}

/* Which argument has this name; -1 with an exception. */
static int find(signature *s, PyObject *name)
{
    for (int i = 0; i < s->count; i++) {
        if (!s->key[i]) s->key[i] = PyUnicode_InternFromString(s->argument[i]);
        if (!s->key[i]) return -1;
        if (s->key[i] == name) return i;
    }
    for (int i = 0; i < s->count; i++)
        if (!PyUnicode_Compare(s->key[i], name)) return i;
    if (PyErr_Occurred()) return -1;
    char names[LIST];
    list(s, 0, s->count, names, sizeof names);
    PyErr_Format(PyExc_TypeError, "%s has no argument %U; it has %s", s->name, name, s->count ? names : "none");
    return -1;
}

static bool by_name(signature *s, PyObject *const *arg, Py_ssize_t n, PyObject *named, PyObject **slot)
{
    Py_ssize_t names = named ? PyTuple_Size(named) : 0;
    for (int i = 0; i < s->count; i++) slot[i] = i < n ? arg[i] : NULL;
    for (Py_ssize_t k = 0; k < names; k++) {
        int i = find(s, PyTuple_GetItem(named, k));
        if (i < 0) return false;
        if (slot[i]) {
            PyErr_Format(PyExc_TypeError, "%s: argument %s is given twice", s->name, s->argument[i]);
            return false;
        }
        slot[i] = arg[n + k];
    }
    for (int i = 0; i < s->needed; i++)
        if (!slot[i]) {
            PyErr_Format(PyExc_TypeError, "%s: argument %s is missing", s->name, s->argument[i]);
            return false;
        }
    return true;
}

bool call_take(call *c, signature *s, PyObject *const *arg, Py_ssize_t n, PyObject *named, PyObject **slot)
{
    if (n > s->by_position) return refuse_positions(s, n);
    if (!named && n >= s->needed) return call_begin(c, arg, n, n, s->name);
    return by_name(s, arg, n, named, slot) && call_begin(c, slot, s->count, s->count, s->name);
}

situ_shape arg_shape_or_none(call *c, int i) { return given(c, i) ? arg_shape(c, i) : SHAPE(); }

int64_t arg_count(call *c, int i, const char *argument)
{
    int64_t v = given(c, i) ? arg_int(c, i, 0) : 0;
    if (!given(c, i) || v > 0) return v;
    PyErr_Format(PyExc_ValueError, "%s is at least 1, not %lld", argument, (long long)v);
    c->failed = true;
    return 0;
}

int arg_word(call *c, int i, const choice *words, int otherwise, const char *argument)
{
    PyObject *o = given(c, i);
    if (!o) return otherwise;
    const char *text = PyUnicode_Check(o) ? PyUnicode_AsUTF8AndSize(o, NULL) : NULL;
    char known[LIST];
    size_t used = 0;
    for (const choice *w = words; w->text; w++) {
        if (text && !strcmp(text, w->text)) return w->value;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s\"%s\"",
                w == words    ? "" :
                    w[1].text ? ", " :
                                " or ",
                w->text);
    }
    if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "%s is %s, not %R", argument, known, o);
    c->failed = true;
    return otherwise;
}

const char *arg_text(call *c, int i, const char *argument)
{
    PyObject *o = given(c, i);
    if (!o) return NULL;
    PyObject *path = PyOS_FSPath(o),
             *text = path && PyUnicode_Check(path) ? Py_NewRef(path) :
        path                                       ? PyUnicode_DecodeFSDefault(PyBytes_AsString(path)) :
                                                     NULL;
    const char *got = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    if (!text) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %R", argument, (PyObject *)Py_TYPE(o));
    }
    const char *kept = got ? situ_site_intern(got) : NULL; /* the object may be a new one */
    Py_XDECREF(path);
    Py_XDECREF(text);
    if (!kept) c->failed = true;
    return kept;
}

PyObject *call_end_tuple(call *c, situ_tensor *const *t, int count)
{
    PyObject *list = call_end_list(c, t, count), *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}
