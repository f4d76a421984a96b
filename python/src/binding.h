/* The Python binding: a CPython extension in the limited API (3.11 and later), with the library linked in. */
#ifndef SITU_PYTHON_BINDING_H
#define SITU_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SITU_OWN_LINES
#include <situ.h>

#include "base/error.h"
#include "base/runtime.h"
#include "graph/owned.h"
#include "run/borrow.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* A tensor of Python: one owner of a node, a kept handle or a variable. */
typedef struct tensor_object {
    PyObject_HEAD
    situ_tensor *t;
    struct view_link *link;  /* what it is a view of; NULL: of nothing */
    struct view_link *views; /* its own, in a list                     */
    bool shared;             /* a network's variable: counted, not its owner */
} tensor_object;

extern PyTypeObject *tensor_type;
static inline bool is_tensor(PyObject *o) { return Py_TYPE(o) == tensor_type; } /* it has no subclasses */
static inline situ_tensor *tensor_of(PyObject *o) { return ((tensor_object *)(void *)o)->t; }

/* What situ/__init__.py gives to the extension: classes and the functions written in Python. */
typedef struct binding_hooks {
    PyObject *dtype[SITU_DTYPES]; /* the dtype objects, by number                     */
    PyObject *device;             /* device(kind, index)                              */
    PyObject *errors;             /* {code: exception class}                          */
    PyObject *getitem, *setitem;  /* indexing with arrays; the new value of a tensor  */
    PyObject *namespace;          /* the module                                       */
    PyObject *array;              /* __array__                                        */
    PyObject *operand;            /* what stands beside a tensor, as a tensor         */
    PyObject *count;              /* the class of x.size                              */
} binding_hooks;
extern binding_hooks hooks;

/* ---- calls: the library is entered, works, is left ----------------------------------------------------------------- */

typedef struct call {
    situ_owned_frame frame;
    situ_site site;
    situ_speaker before; /* who spoke before */
    const char *name;    /* of the function that the user called; NULL: an operator */
    PyObject *made;      /* a list of what came as an iterator, until the end; NULL: none */
    PyObject *const *arg;
    const char *const *argument; /* their names, for messages; NULL: they have numbers */
    Py_ssize_t count;
    bool failed; /* a Python exception is set */
} call;
/* false with an exception. `name`: of the function where the user calls the extension itself; NULL: of an operator; "": what is
 * only
 * computed or read speaks for itself. */
bool call_begin(call *c, PyObject *const *arg, Py_ssize_t count, Py_ssize_t wanted, const char *name);
/* The result as a new object, or NULL with an exception; leaves the library. */
PyObject *call_end(call *c, situ_tensor *t);
PyObject *call_end_list(call *c, situ_tensor *const *t, int count);
/* None, or NULL with an exception. */
PyObject *call_end_code(call *c, int rc);
/* Leaves; true if nothing failed. */
bool call_leave(call *c);
/* Waits for a job without Python's lock; signals are heard every 50 ms: false with the exception of their handler, Ctrl-C's
 * KeyboardInterrupt among them. What was started goes on, and may be waited for again. */
bool wait_hearing(situ_dev *d, uint64_t stamp);
bool wait_for_buffer(const situ_borrow *b);
/* Was Python's buffer of this tensor asked for last, and a Ctrl-C came meanwhile? Then that exception is set once more. */
bool buffer_was_refused(PyObject *self);
/* What was found wrong with an argument is said by the function that the user called. */
void name_exception(const char *name);
/* Sets the exception for the library's error, which is taken. Returns NULL. */
PyObject *raise_error(void);

/* ---- arguments by name (take.c), for the functions that are made from the headers ---- */

enum { MOST_ARGUMENTS = 32 };
typedef struct signature {
    const char *name;                   /* of the function, or of the class that it makes one of             */
    uint8_t count, needed, by_position; /* arguments; the first ones that must be given; those that need no name */
    const char *argument[MOST_ARGUMENTS];
    PyObject *key[MOST_ARGUMENTS]; /* their names as Python has them, made when the first one is looked for  */
} signature;
/* As call_begin, with arguments by position and by name brought in order; what is not given is NULL in slot. Of a method `self` is
 * the first argument, and one more may come by position. */
bool call_take(call *c, signature *s, PyObject *self, PyObject *const *arg, Py_ssize_t n, PyObject *named, PyObject **slot);
/* "; write axis=..." if another library calls an argument so that has one of these names here, else "": a new reference. */
PyObject *habit_of(const char *function, PyObject *name, const char *const *names, int count);
/* Functions of made_*.c become methods of Tensor. */
bool add_methods(void);
typedef struct choice {
    const char *text;
    int value;
} choice;
/* One of the words, which end with a NULL; a path or a str, kept for good. `argument`: for messages. */
int arg_word(call *c, int i, const choice *words, int otherwise, const char *argument);
const char *arg_text(call *c, int i, const char *argument);
/* The bytes of a str; NULL with an exception, also for one with a null character in it, behind which C sees nothing. */
const char *text_of(PyObject *o, const char *argument);
/* For what the collector frees. In a forked child, before after_fork(), that stays where it is, and no error is left behind. */
static inline bool enter_to_free(situ_owned_frame *f) { return !situ_forked && !situ_owned_enter(f); }
/* The str of a text, or of a name that is no UTF-8, which gives the same bytes again. */
PyObject *str_of(const char *text);
PyObject *call_end_tuple(call *c, situ_tensor *const *t, int count);
/* An object of that class, which a module of Python has. */
PyObject *call_end_named(call *c, situ_tensor *const *t, int count, const char *module, const char *class_name);
/* None or nothing: NULL. */
situ_tensor *arg_optional(call *c, int i);
situ_module *arg_module(call *c, int i);
situ_dataset *arg_dataset(call *c, int i);
/* A situ.Group; None or nothing: NULL. */
struct situ_group *arg_group(call *c, int i);
/* Nothing: a shape without dimensions. */
situ_shape arg_shape_or_none(call *c, int i);
/* A number from 1 on; None or nothing is 0, which stands for what the function finds out itself. */
int64_t arg_count(call *c, int i, const char *argument);

/* Argument i; NULL: None or nothing is given. After a first error nothing more is asked of Python: it has an exception set. */
static inline PyObject *given(const call *c, int i)
{
    return !c->failed && i < c->count && c->arg[i] != Py_None ? c->arg[i] : NULL;
}

/* Arguments by position; None or a missing one gives the default. */
situ_tensor *arg_tensor(call *c, int i);
situ_shape arg_shape(call *c, int i);
situ_shape arg_padding(call *c, int i); /* also "same" and "valid" */
situ_axes arg_axes(call *c, int i);
int64_t arg_int(call *c, int i, int64_t otherwise);
int32_t arg_int32(call *c, int i, int32_t otherwise); /* an axis: not cut to 32 bits */
double arg_double(call *c, int i, double otherwise);
bool arg_bool(call *c, int i, bool otherwise);
situ_dtype arg_dtype(call *c, int i);
situ_device arg_device(call *c, int i);
situ_list arg_list(call *c, int i);

/* A tensor, or a Python number with `like` (may be NULL) as its partner; NULL without an exception if it is neither. */
situ_tensor *operand(call *c, PyObject *o, situ_tensor *like);
bool parse_device(PyObject *o, situ_device *out);
bool parse_dtype(PyObject *o, situ_dtype *out);
PyObject *device_object(situ_device d);

/* The line of Python code that runs now, outside of this package; *name becomes that of the package's function which it called,
 * NULL
 * if that speaks for nobody, and stays if it called the extension itself. */
situ_site here(const char **name);
PyObject *py_mark_internal(PyObject *self, PyObject *code_folder);

/* floor(a / b) and sign(a) with the standard's values at infinities and -0. */
situ_tensor *floor_divide(situ_tensor *a, situ_tensor *b, situ_site site);
situ_tensor *sign_of(situ_tensor *a, situ_site site);

PyObject *tensor_new(situ_tensor *t);
/* Reads the only element into 16 bytes; its dtype or -1 with an exception. */
int read_item(PyObject *o, void *out, const char *name);

/* A network's variable. */
PyObject *tensor_share(situ_tensor *variable);
/* The end of an object of a tensor: what it stands for goes with its owner, or with the last that shares it. */
void tensor_let_go(const tensor_object *o);
/* The network (or what else `name` says) of a capsule; NULL with an exception. */
void *handle_of(PyObject *capsule, const char *name);
/* What a call has made, in a capsule that frees it. */
PyObject *end_handle(call *c, void *handle, const char *label, void (*end)(PyObject *));
#define MODULE "situ.module"
void module_end(PyObject *capsule);
#define OPTIMIZER "situ.optimizer"
#define METRIC "situ.metric"
void optimizer_end(PyObject *capsule);
void metric_end(PyObject *capsule);
#define DATASET "situ.dataset"
void dataset_end(PyObject *capsule);
#define LOADER "situ.loader"
void loader_end(PyObject *capsule);
#define TRAINER "situ.trainer"
void trainer_end(PyObject *capsule);
/* What messages call the arguments of a call. */
#define ARGUMENTS(...) \
    static const char *const argument_names[] = {__VA_ARGS__}; \
    c->argument = argument_names
#define METHOD(name) static PyObject *name(PyObject *self, PyObject *const *arg, Py_ssize_t n)
#define BEGIN(count, name) \
    call frame_, *c = &frame_; \
    (void)self; \
    if (!call_begin(c, arg, n, count, name)) return NULL
#define FAST(name) \
    { \
#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, NULL \
    }

/* The same for the functions of made_*.c. */
#define MADE(name) static PyObject *made_##name(PyObject *self, PyObject *const *arg, Py_ssize_t n, PyObject *named)
#define TAKE(...) \
    static signature known = {__VA_ARGS__}; \
    PyObject *slot[MOST_ARGUMENTS]; \
    call frame_, *c = &frame_; \
    if (!call_take(c, &known, self, arg, n, named, slot)) return NULL
#define MADE_ROW(name, word, doc) \
    { \
#name, (PyCFunction)(void (*)(void))made_##word, METH_FASTCALL | METH_KEYWORDS, doc \
    }

/* x[key] with numbers and slices: which elements of each axis of x, and which axis of x each of the result's is. */
typedef struct selection {
    int64_t start[SITU_MAX_DIMS], size[SITU_MAX_DIMS], step[SITU_MAX_DIMS]; /* by axis of x           */
    bool drop[SITU_MAX_DIMS];                                               /* an integer stands there */
    int place[SITU_MAX_DIMS]; /* by axis of the result: an axis of x, or -1: a new one                  */
    int axes;
} selection;

/* view.c: o is a view of that part of `parent`; o has another value now, false with an exception; o ends. */
void view_of(PyObject *view, PyObject *parent, const selection *p);
void view_permuted(PyObject *view, PyObject *parent, const situ_axes *order);
bool view_refreshed(PyObject *self);
bool view_written(tensor_object *o);
void view_cut(tensor_object *o);
/* In x[key] += v the view has written already: x[key] is `value`. */
bool view_is_there(PyObject *self, const selection *p, PyObject *value);

/* index.c */
PyObject *tensor_subscript(PyObject *self, PyObject *key);
int tensor_assign_subscript(PyObject *self, PyObject *key, PyObject *value);

/* memory.c */
int tensor_get_buffer(PyObject *self, Py_buffer *view, int flags);
void tensor_release_buffer(PyObject *self, Py_buffer *view);
PyObject *tensor_dlpack(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *tensor_dlpack_device(PyObject *self, PyObject *nothing);
PyObject *py_from_capsule(PyObject *self, PyObject *args);
PyObject *py_from_buffer(PyObject *self, PyObject *args);
PyObject *py_from_bytes(PyObject *self, PyObject *const *arg, Py_ssize_t n);
PyObject *py_read_bytes(PyObject *self, PyObject *x);

/* nested.c */
PyObject *py_from_nested(PyObject *self, PyObject *args);
/* Gives back what other libraries lent, from a thread that holds Python's lock. */
extern _Atomic(void *) lent_back;
void give_back_lent(void);

/* The names of the table's rows. */
PyObject *elementwise_names(void);
extern PyType_Spec tensor_spec;
/* The handle in capsule i of this label, NULL and c->failed. */
#define ARG_HANDLE(c, i, T, label) ((T *)arg_handle(c, i, label))
void *arg_handle(call *c, int i, const char *label);
PyObject *hyper_dict(const situ_hyper *h, int count);
extern PyMethodDef operation_methods[], index_methods[], quick_methods[], runtime_methods[], network_methods[], training_methods[],
    module_methods[], state_methods[], file_methods[], text_methods[], model_methods[], group_methods[];
extern PyMethodDef *const made_tables[]; /* up to a NULL */

#endif
