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
#include "run/ahead.h"
#include "run/borrow.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

/* A Python tensor: it owns a node, a kept handle or a variable. */
typedef struct tensor_object {
    PyObject_HEAD
    situ_tensor *t;
    struct view_link *link;  /* if it is a view: of which object; else NULL */
    struct view_link *views; /* list of its views */
    bool shared;             /* a network's variable, of which it is not the owner */
} tensor_object;

extern PyTypeObject *tensor_type;
static inline bool is_tensor(PyObject *o) { return Py_TYPE(o) == tensor_type; } /* it has no subclasses */

/* The network of which this thread computes a part of a batch in a training loop, and on which of its devices; root
 * NULL: none. */
typedef struct part_of_batch {
    struct situ_module *root;
    int place;
} part_of_batch;
extern __thread part_of_batch part_now;
extern __thread struct situ_frame *situ_frame_now;
/* What stands for a variable in calls of networks that have it (modules.c). */
situ_tensor *standing_for(situ_tensor *variable);
/* In a call of a mirrored network, its variables are those on the device of the input. */
static inline situ_tensor *tensor_of(PyObject *o)
{
    situ_tensor *t = ((tensor_object *)(void *)o)->t;
    return t->flags & SITU_NODE_VARIABLE && (situ_frame_now || part_now.root) ? standing_for(t) : t;
}

/* Objects that situ/__init__.py passes to the extension: classes, and functions written in Python. */
typedef struct binding_hooks {
    PyObject *dtype[SITU_DTYPES]; /* [number] dtype objects */
    PyObject *device;             /* device(kind, index)                              */
    PyObject *errors;             /* {code: exception class}                          */
    PyObject *getitem, *setitem;  /* indexing with arrays: reading, and the new value of a tensor */
    PyObject *namespace;          /* the module */
    PyObject *array;              /* implements __array__ */
    PyObject *operand;            /* converts an operand to a tensor */
    PyObject *count;              /* the class of x.size */
} binding_hooks;
extern binding_hooks hooks;

/* ---- calls: entering the library, working, leaving it --------------------------------------------------------------- */

/* What is behind the message about an argument that should be a key. */
#define KEY_MENDS "; random numbers are functions of a key, the first argument: write situ.random.key(0) before the others"

typedef struct call {
    situ_owned_frame frame;
    situ_site site;
    situ_speaker before; /* the function named in messages before this call */
    const char *name;    /* name of the function that the user called; NULL: an operator */
    PyObject *made;      /* the list made of an iterator argument, until the end; NULL: none */
    PyObject *const *arg;
    struct file_object *file;    /* a file object or bytes in place of a path (virtual.c), or NULL */
    const char *const *argument; /* names of the arguments for messages; NULL: they are numbered */
    Py_ssize_t count;
    bool failed; /* a Python exception is set */
} call;
/* Enters the library; false with an exception. `name`: of the function, if the user calls the extension directly;
 * NULL: an operator; "": reading or computing, where the operations name themselves. */
bool call_begin(call *c, PyObject *const *arg, Py_ssize_t count, Py_ssize_t wanted, const char *name);
/* The same before t is read or waited for (NULL: all that was started): what is under way already starts no more work,
 * so the call does not wait as one that launches. */
bool call_begin_reading(call *c, const situ_tensor *t, const char *name);
/* The result as a new object, or NULL with an exception; leaves the library. */
PyObject *call_end(call *c, situ_tensor *t);
PyObject *call_end_list(call *c, situ_tensor *const *t, int count);
/* None, or NULL with an exception. */
PyObject *call_end_code(call *c, int rc);
/* Eager mode of this thread: what a call gives is computed from its call on. */
extern __thread bool starts_at_once;
/* Leaves the library; true if nothing failed. */
bool call_leave(call *c);
/* Around waits: they need no lock of Python's, and a signal may end them with its handler's exception, such as
 * KeyboardInterrupt. The work continues and may be waited for again. */
#define BEGIN_WAIT \
    situ_wait_goes_on = no_signal_came; \
    Py_BEGIN_ALLOW_THREADS
#define END_WAIT \
    Py_END_ALLOW_THREADS \
    situ_wait_goes_on = NULL;
bool no_signal_came(void);
/* If a request for this tensor's buffer has just been refused or interrupted by Ctrl-C, sets that exception again. */
bool buffer_was_refused(PyObject *self);
/* Makes the message of an exception about an argument name the function that the user called. */
void name_exception(const char *name);
/* Converts the library's error to an exception, and clears it. Returns NULL. */
PyObject *raise_error(void);
/* The same, unless there is an exception, such as a signal handler's: that one stays. */
PyObject *raise_error_or_signal(void);

/* ---- keyword arguments (take.c), for functions generated from the headers ---- */

enum { MOST_ARGUMENTS = 40 };
typedef struct signature {
    const char *name;                   /* name of the function, or of the class whose object it makes */
    uint8_t count, needed, by_position; /* number of arguments; how many of the first are required; how many may be positional */
    const char *argument[MOST_ARGUMENTS];
    PyObject *key[MOST_ARGUMENTS]; /* their names as Python strings, made when first needed */
} signature;
/* Like call_begin, after sorting positional and keyword arguments into slots; a missing one is NULL. For a method
 * `self` is the first argument, and one more may be positional. */
bool call_take(call *c, signature *s, PyObject *self, PyObject *const *arg, Py_ssize_t n, PyObject *named, PyObject **slot);
/* "; write axis=..." if another library uses this name for one of these arguments, else "": a new reference. */
PyObject *habit_of(const char *function, PyObject *name, const char *const *names, int count);
/* Adds functions of made_*.c as methods of Tensor. */
bool add_methods(void);
typedef struct choice {
    const char *text;
    int value;
} choice;
/* One of the words, a list ended by NULL; a path or a str, stored permanently. `argument`: for messages. */
int arg_word(call *c, int i, const choice *words, int otherwise, const char *argument);
const char *arg_text(call *c, int i, const char *argument);
/* The path of a virtual file that stands for a file object or bytes until the call ends; NULL: it is another object, or
 * c->failed or an error is set. */
const char *path_of_object(call *c, PyObject *o);
/* Ends it; an exception of the object's methods becomes that of the call. */
void end_file_object(call *c);
/* The bytes of a str; NULL with an exception, also if it contains a null character, after which C would see nothing. */
const char *text_of(PyObject *o, const char *argument);
/* For freeing by the garbage collector. In a forked child, before after_fork(), nothing is freed, and no error is set. */
static inline bool enter_to_free(situ_owned_frame *f) { return !situ_forked && !situ_owned_enter(f); }
/* A text as str; invalid UTF-8 is encoded so that it gives the same bytes again. */
PyObject *str_of(const char *text);
PyObject *call_end_tuple(call *c, situ_tensor *const *t, int count);
/* An object of a class in a Python module. */
PyObject *call_end_named(call *c, situ_tensor *const *t, int count, const char *module, const char *class_name);
/* NULL for None or a missing argument. */
situ_tensor *arg_optional(call *c, int i);
situ_module *arg_module(call *c, int i);
situ_dataset *arg_dataset(call *c, int i);
/* A situ.Group; NULL for None or a missing argument. */
struct situ_group *arg_group(call *c, int i);
/* A missing argument is a shape without axes. */
situ_shape arg_shape_or_none(call *c, int i);
/* A number of at least 1; None or a missing argument is 0, which the function replaces itself. */
int64_t arg_count(call *c, int i, const char *argument);

/* Argument i; NULL: None or missing. After a first error no more Python code is called, because an exception is set. */
static inline PyObject *given(const call *c, int i)
{
    return !c->failed && i < c->count && c->arg[i] != Py_None ? c->arg[i] : NULL;
}

/* Positional arguments; None or a missing one gives the default. */
situ_tensor *arg_tensor(call *c, int i);
situ_shape arg_shape(call *c, int i);
situ_shape arg_padding(call *c, int i); /* also accepts "same" and "valid" */
situ_axes arg_axes(call *c, int i);
int64_t arg_int(call *c, int i, int64_t otherwise);
int32_t arg_int32(call *c, int i, int32_t otherwise); /* for an axis: an error unless it fits into 32 bits */
double arg_double(call *c, int i, double otherwise);
bool arg_bool(call *c, int i, bool otherwise);
situ_dtype arg_dtype(call *c, int i);
situ_device arg_device(call *c, int i);
situ_list arg_list(call *c, int i);

/* A tensor, or a Python number as partner of `like` (may be NULL); NULL without an exception if it is neither. */
situ_tensor *operand(call *c, PyObject *o, situ_tensor *like);
bool parse_device(PyObject *o, situ_device *out);
bool parse_dtype(PyObject *o, situ_dtype *out);
PyObject *device_object(situ_device d);

/* The current line of Python code outside of this package. *name becomes the name of the package's function that was
 * called there, NULL if that has no public name; it is unchanged if the extension was called directly. */
situ_site here(const char **name);
PyObject *py_mark_internal(PyObject *self, PyObject *code_folder);

/* floor(a / b) and sign(a) with the standard's values at infinities and -0. */
situ_tensor *floor_divide(situ_tensor *a, situ_tensor *b, situ_site site);
situ_tensor *sign_of(situ_tensor *a, situ_site site);

PyObject *tensor_new(situ_tensor *t);
/* Reads a single element into 16 bytes; returns its dtype, or -1 with an exception. */
int read_item(PyObject *o, void *out, const char *name);

/* A Python tensor for a network's variable. */
PyObject *tensor_share(situ_tensor *variable);
/* Called when a tensor object dies: releases what it stands for, with its owner or the last object that shares it. */
void tensor_let_go(const tensor_object *o);
/* The network (or the kind of object that `name` tells) in a capsule; NULL with an exception. */
void *handle_of(PyObject *capsule, const char *name);
/* Returns a capsule for what a call has made, which frees it. */
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
/* Names of the arguments of a call, for messages. */
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

/* x[key] with numbers and slices: the selected elements of each axis of x, and the axis of x for each axis of the
 * result. */
typedef struct selection {
    int64_t start[SITU_MAX_DIMS], size[SITU_MAX_DIMS], step[SITU_MAX_DIMS]; /* [axis of x] */
    /* [axis of x] selected by an integer, so the result lacks it. */
    bool drop[SITU_MAX_DIMS];
    int place[SITU_MAX_DIMS]; /* [axis of the result] the axis of x, or -1: a new one */
    int axes;
} selection;

/* view.c: makes o a view of that part of `parent`; called when o has got another value, false with an exception;
 * called when o dies. */
void view_of(PyObject *view, PyObject *parent, const selection *p);
void view_permuted(PyObject *view, PyObject *parent, const situ_axes *order);
bool view_refreshed(PyObject *self);
bool view_written(tensor_object *o);
void view_cut(tensor_object *o);
/* In x[key] += v the view has written the value already: true if x[key] is `value`. */
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
/* Releases memory that other libraries lent; called by a thread that holds Python's lock. */
extern _Atomic(void *) lent_back;
/* The bytes of an object and what lent_release takes to give them back; NULL with an exception. */
const Py_buffer *lent_view(PyObject *o, void **lent);
void lent_release(void *lent);
void give_back_lent(void);

/* The names of the elementwise operations. */
PyObject *elementwise_names(void);
extern PyType_Spec tensor_spec;
/* The handle in capsule i with this label; else NULL and c->failed. */
#define ARG_HANDLE(c, i, T, label) ((T *)arg_handle(c, i, label))
void *arg_handle(call *c, int i, const char *label);
PyObject *hyper_dict(const situ_hyper *h, int count);
extern PyMethodDef operation_methods[], index_methods[], quick_methods[], runtime_methods[], network_methods[], training_methods[],
    module_methods[], state_methods[], session_methods[], file_methods[], text_methods[], model_methods[], group_methods[];
extern PyMethodDef *const made_tables[]; /* ended by NULL */

#endif
