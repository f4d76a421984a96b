/* Finds the line of Python that called. It is cached for each position in a code object, so that a loop pays once. */
#include "binding.h"

typedef struct place {
    PyObject *code; /* owned */
    int last;
    situ_site site;   /* NULL: inside of this package */
    const char *name; /* name of the package's function, if it is public */
} place;

enum { PLACES = 1 << 14 };
static place *places;
static uint32_t place_count;
static char *folder; /* folder of this package */
static PyObject *name_lasti, *name_back;

PyObject *py_mark_internal(PyObject *self, PyObject *path)
{
    (void)self;
    Py_ssize_t n;
    const char *text = PyUnicode_AsUTF8AndSize(path, &n);
    if (!text) return NULL;
    free(folder);
    folder = strdup(text);
    if (!name_lasti) name_lasti = PyUnicode_InternFromString("f_lasti");
    if (!name_back) name_back = PyUnicode_InternFromString("f_back");
    if (!places) places = calloc(PLACES, sizeof *places);
    if (!folder || !places || !name_lasti || !name_back) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static situ_site describe(PyObject *code, PyFrameObject *frame)
{
    PyObject *file = PyObject_GetAttrString(code, "co_filename");
    const char *path = file ? PyUnicode_AsUTF8AndSize(file, NULL) : NULL;
    situ_site site = NULL;
    if (!path) {
        PyErr_Clear();
        site = "an unknown line";
    } else if (!folder || strncmp(path, folder, strlen(folder)) != 0) {
        char text[512];
        const char *base = strrchr(path, '/');
        snprintf(text, sizeof text, "%s:%d", base ? base + 1 : path, PyFrame_GetLineNumber(frame));
        site = situ_site_intern(text);
    }
    Py_XDECREF(file);
    return site;
}

/* A function that only passes a call on: its caller is named instead. */
static const char handed_on[] = "__setattr__";

/* A constructor is named by its class; operators have no name, so that each operation names itself. */
static const char *public_name(PyObject *code)
{
    PyObject *o = PyObject_GetAttrString(code, "co_qualname");
    const char *text = o ? PyUnicode_AsUTF8AndSize(o, NULL) : NULL, *result = NULL;
    char name[128];
    if (text && strlen(text) < sizeof name) {
        strcpy(name, text);
        char *end = strstr(name, ".__init__"), *last = strrchr(name, '.');
        if (end) *end = 0;
        char *own = end || !last ? name : last + 1;
        if (!strcmp(own, "getitem") || !strcmp(own, "setitem")) own = strcpy(name, "x[...]");
        else if (!strcmp(own, "__call__")) own = strcpy(name, "call");
        if (!strcmp(own, handed_on)) result = handed_on;
        else if (strncmp(own, "__", 2) != 0 && *own != '<') result = situ_site_intern(own + (*own == '_'));
    }
    PyErr_Clear();
    Py_XDECREF(o);
    return result;
}

static void forget_places(void)
{
    for (uint32_t i = 0; i < PLACES; i++) Py_XDECREF(places[i].code);
    memset(places, 0, PLACES * sizeof *places);
    place_count = 0;
}

static place *place_of(PyFrameObject *frame)
{
    PyObject *lasti = PyObject_GetAttr((PyObject *)frame, name_lasti);
    if (!lasti) {
        PyErr_Clear();
        return NULL;
    }
    int last = (int)PyLong_AsLong(lasti);
    Py_DECREF(lasti);
    PyObject *code = (PyObject *)PyFrame_GetCode(frame);
    uint64_t h = ((uint64_t)(uintptr_t)code >> 4) * 0x9E3779B97F4A7C15u + (uint64_t)(uint32_t)last * 0xC2B2AE3D27D4EB4Fu;
    uint32_t i = (uint32_t)(h >> 40) & (PLACES - 1);
    while (places[i].code && (places[i].code != code || places[i].last != last)) i = (i + 1) & (PLACES - 1);
    if (!places[i].code) {
        if (place_count > PLACES / 2) {
            forget_places();
            i = (uint32_t)(h >> 40) & (PLACES - 1);
        }
        places[i] = (place){.code = Py_NewRef(code), .last = last, .site = describe(code, frame)};
        if (!places[i].site) places[i].name = public_name(code);
        place_count++;
    }
    Py_DECREF(code);
    return &places[i];
}

situ_site here(const char **name)
{
    PyFrameObject *frame = places ? PyEval_GetFrame() : NULL;
    place *p = frame ? place_of(frame) : NULL;
    if (!p || p->site) return p ? p->site : NULL;
    situ_site site = NULL;
    *name = p->name == handed_on ? NULL : p->name;
    PyObject *f = Py_NewRef((PyObject *)frame);
    for (int depth = 0; depth < 16 && !site; depth++) { /* searches for the first frame outside of the package */
        PyObject *back = PyObject_GetAttr(f, name_back);
        Py_DECREF(f);
        f = back;
        if (!f || f == Py_None || !(p = place_of((PyFrameObject *)f))) break;
        site = p->site;
        if (!site && p->name != handed_on) *name = p->name;
    }
    Py_XDECREF(f);
    if (PyErr_Occurred()) PyErr_Clear();
    return site;
}
