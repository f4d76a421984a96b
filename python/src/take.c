/* Keyword arguments, for the functions of made_*.c, which are generated from the public headers. */
#include "binding.h"

/* Writes a list such as "x, axis and dtype". */
static void list(const signature *s, int first, int end, char *out, size_t size)
{
    size_t used = 0;
    *out = 0;
    for (int i = first; i < end && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i == first ? "" : i == end - 1 ? " and " : ", ", s->argument[i]);
}

enum { LIST = 256 };

/* Raises the error of too many positional arguments. `skipped`: 1 for a method, whose tensor users do not count. */
static bool refuse_positions(const signature *s, int most, PyObject *const *arg, Py_ssize_t n, int skipped)
{
    PyObject *given = PyTuple_New(n), *habits = given ? PyImport_ImportModule("situ._habits") : NULL;
    for (Py_ssize_t i = 0; i < n && given; i++) PyTuple_SetItem(given, i, Py_NewRef(arg[i]));
    PyObject *habit = habits ? PyObject_CallMethod(habits, "positions", "sO", s->name, given) : NULL;
    Py_XDECREF(habits);
    Py_XDECREF(given);
    if (!habit) return false;
    char names[LIST];
    list(s, most, s->count, names, sizeof names);
    const char *many = most - skipped == 1 ? "" : "s";
    if (most == s->count)
        PyErr_Format(PyExc_TypeError, "%s: takes at most %d argument%s (%zd given)%U", s->name, most - skipped, many, n, habit);
    else
        PyErr_Format(PyExc_TypeError, "%s: takes at most %d argument%s by position (%zd given); %s by name%U", s->name,
            most - skipped, many, n, names, habit);
    Py_DECREF(habit);
    return false;
}

PyObject *habit_of(const char *function, PyObject *name, const char *const *names, int count)
{
    PyObject *known = PyTuple_New(count), *habits = known ? PyImport_ImportModule("situ._habits") : NULL;
    for (int i = 0; i < count && known; i++) PyTuple_SetItem(known, i, PyUnicode_FromString(names[i]));
    PyObject *words = habits ? PyObject_CallMethod(habits, "argument", "sOO", function, name, known) : NULL;
    Py_XDECREF(habits);
    Py_XDECREF(known);
    return words;
}

/* Index of the argument with this name; -1 with an exception. */
static int find(signature *s, PyObject *name)
{
    for (int i = 0; i < s->count; i++) {
        if (!s->key[i]) s->key[i] = PyUnicode_InternFromString(s->argument[i]);
        if (!s->key[i]) return -1;
        if (s->key[i] == name) return i;
    }
    bool context = !PyUnicode_CompareWithASCIIString(name, "ctx"); /* MXNet's word for a device */
    for (int i = 0; i < s->count; i++)
        if (context ? !strcmp(s->argument[i], "device") : !PyUnicode_Compare(s->key[i], name)) return i;
    if (PyErr_Occurred()) return -1;
    char names[LIST];
    list(s, 0, s->count, names, sizeof names);
    PyObject *habit = habit_of(s->name, name, s->argument, s->count);
    if (habit) PyErr_Format(PyExc_TypeError, "%s has no argument %U; it has %s%U", s->name, name, s->count ? names : "none", habit);
    Py_XDECREF(habit);
    return -1;
}

static bool by_name(signature *s, PyObject *self, PyObject *const *arg, Py_ssize_t n, PyObject *named, PyObject **slot)
{
    Py_ssize_t names = named ? PyTuple_Size(named) : 0;
    int first = self != NULL;
    slot[0] = self;
    for (int i = first; i < s->count; i++) slot[i] = i < n + first ? arg[i - first] : NULL;
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
            PyErr_Format(PyExc_TypeError, "%s: argument %s is missing%s", s->name, s->argument[i],
                !strcmp(s->argument[i], "key") ? KEY_MENDS : "");
            return false;
        }
    return true;
}

bool call_take(call *c, signature *s, PyObject *self, PyObject *const *arg, Py_ssize_t n, PyObject *named, PyObject **slot)
{
    bool is_method = self && is_tensor(self);
    int most = s->by_position + (is_method && s->by_position < s->count);
    if (n + is_method > most) return refuse_positions(s, most, arg, n, is_method);
    bool as_given = !named && n >= s->needed && !is_method;
    if (!as_given && !by_name(s, is_method ? self : NULL, arg, n, named, slot)) return false;
    if (!call_begin(c, as_given ? arg : slot, as_given ? n : s->count, as_given ? n : s->count, s->name)) return false;
    c->argument = s->argument;
    return true;
}

bool add_methods(void)
{
    static const char *const name[] = {"sum", "prod", "mean", "max", "min", "std", "var", "all", "any", "argmax", "argmin", "conj"};
    bool ok = true;
    for (PyMethodDef *const *made = made_tables; *made && ok; made++)
        for (PyMethodDef *f = *made; f->ml_name && ok; f++)
            for (size_t i = 0; i < sizeof name / sizeof *name && ok; i++) {
                if (strcmp(f->ml_name, name[i]) != 0) continue;
                PyObject *method = PyDescr_NewMethod(tensor_type, f);
                ok = method && !PyObject_SetAttrString((PyObject *)tensor_type, name[i], method);
                Py_XDECREF(method);
            }
    return ok;
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

static bool is_text(const char *text, Py_ssize_t size, PyObject *o, const char *argument)
{
    if ((Py_ssize_t)strlen(text) == size) return true;
    PyErr_Format(PyExc_ValueError, "%s: %R has a null character in it", argument, o);
    return false;
}

const char *text_of(PyObject *o, const char *argument)
{
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(o, &size);
    return text && is_text(text, size, o, argument) ? text : NULL;
}

PyObject *str_of(const char *text) { return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape"); }

const char *arg_text(call *c, int i, const char *argument)
{
    PyObject *o = given(c, i);
    if (!o) return NULL;
    const char *virtual = strcmp(argument, "path") ? NULL : path_of_object(c, o);
    if (virtual || c->failed || situ_failed()) return virtual;
    PyObject *path = PyOS_FSPath(o), *bytes = NULL;
    if (path && PyBytes_Check(path)) bytes = Py_NewRef(path);
    else if (path) bytes = PyUnicode_AsEncodedString(path, "utf-8", "surrogateescape"); /* file names that are not valid UTF-8 */
    else {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s must be a str%s, not %R", argument,
            strcmp(argument, "path") ? "" : ", an os.PathLike or a binary file", (PyObject *)Py_TYPE(o));
    }
    const char *text = bytes ? PyBytes_AsString(bytes) : NULL,
               *kept = text && is_text(text, PyBytes_Size(bytes), o, argument) ? situ_site_intern(text) : NULL;
    Py_XDECREF(path);
    Py_XDECREF(bytes);
    if (!kept) c->failed = true;
    return kept;
}

PyObject *call_end_tuple(call *c, situ_tensor *const *t, int count)
{
    PyObject *list = call_end_list(c, t, count), *tuple = list ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

PyObject *call_end_named(call *c, situ_tensor *const *t, int count, const char *module, const char *class_name)
{
    PyObject *parts = call_end_tuple(c, t, count), *m = parts ? PyImport_ImportModule(module) : NULL,
             *class = m ? PyObject_GetAttrString(m, class_name) : NULL, *o = class ? PyObject_Call(class, parts, NULL) : NULL;
    Py_XDECREF(class);
    Py_XDECREF(m);
    Py_XDECREF(parts);
    return o;
}
