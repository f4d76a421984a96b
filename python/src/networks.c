/* Networks, optimizers, data, the trainer, as handles in capsules; their classes are in situ/nn.py and similar files. */
#include <math.h>

#include "binding.h"
#include "nn/module.h"
#include "op/support.h"
#include "os/wait.h"
#include "train/fit.h"

#define END(name, label, T, give_back) \
    void name(PyObject *capsule) \
    { \
        T *p = PyCapsule_GetPointer(capsule, label); \
        situ_owned_frame f; \
        if (!p || !enter_to_free(&f)) return; \
        give_back(p); \
        situ_owned_leave(&f); \
    }
END(module_end, MODULE, situ_module, situ_module_free)
END(optimizer_end, OPTIMIZER, situ_optimizer, situ_optimizer_free)
END(metric_end, METRIC, situ_metric, situ_metric_free)
END(dataset_end, DATASET, situ_dataset, situ_dataset_free)
END(loader_end, LOADER, situ_loader, situ_loader_free)
END(trainer_end, TRAINER, situ_trainer, situ_trainer_free)

void *arg_handle(call *c, int i, const char *label)
{
    void *p = i < c->count && PyCapsule_IsValid(c->arg[i], label) ? handle_of(c->arg[i], label) : NULL;
    if (p) return p;
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "argument %d must be a %s", i + 1, label);
    c->failed = true;
    return NULL;
}

situ_module *arg_module(call *c, int i) { return ARG_HANDLE(c, i, situ_module, MODULE); }
situ_dataset *arg_dataset(call *c, int i) { return ARG_HANDLE(c, i, situ_dataset, DATASET); }

PyObject *end_handle(call *c, void *handle, const char *label, void (*end)(PyObject *))
{
    bool ok = call_leave(c);
    if (ok && handle) return PyCapsule_New(handle, label, end);
    if (!PyErr_Occurred()) PyErr_NoMemory();
    return NULL;
}

/* ---- networks ----------------------------------------------------------------------------------------------------------- */

METHOD(py_training)
{
    BEGIN(2, "training");
    situ_module *m = arg_module(c, 0);
    bool before = m && situ_module_training(m);
    if (m && n > 1) situ_module_set_training(m, arg_bool(c, 1, true));
    if (!call_leave(c)) return NULL;
    return PyBool_FromLong(before);
}

METHOD(py_module_init)
{
    BEGIN(2, "init");
    ARGUMENTS("net", "key");
    situ_module *m = arg_module(c, 0);
    situ_tensor *key = arg_tensor(c, 1);
    return call_end_code(c, c->failed ? 0 : situ_module_init(m, key));
}

/* parameters(net): [(name, variable, trainable)] */
METHOD(py_parameters)
{
    BEGIN(1, "parameters");
    situ_module *m = arg_module(c, 0);
    PyObject *list = m ? PyList_New(0) : NULL;
    for (int i = 0; m && i < situ_module_count(m) && list; i++) {
        situ_tensor *v = situ_module_parameter(m, i);
        if (situ_failed()) break;
        PyObject *o =
            Py_BuildValue("(sNO)", situ_module_name(m, i), tensor_share(v), situ_module_trainable(m, i) ? Py_True : Py_False);
        if (!o || PyList_Append(list, o)) c->failed = true;
        Py_XDECREF(o);
    }
    if (call_leave(c)) return list;
    Py_XDECREF(list);
    return NULL;
}

/* copies(net, device): [(name, variable)] of that device */
METHOD(py_copies)
{
    BEGIN(2, "copies");
    situ_module *m = arg_module(c, 0);
    situ_device d = arg_device(c, 1);
    PyObject *list = m && !c->failed ? PyList_New(0) : NULL;
    for (int i = 0; list && i < situ_module_count(m) && !c->failed; i++) {
        situ_tensor *v = situ_module_copy(m, i, d);
        if (situ_failed()) break;
        PyObject *o = Py_BuildValue("(sN)", situ_module_name(m, i), tensor_share(v));
        if (!o || PyList_Append(list, o)) c->failed = true;
        Py_XDECREF(o);
    }
    if (call_leave(c)) return list;
    Py_XDECREF(list);
    return NULL;
}

METHOD(py_module_to)
{
    BEGIN(2, "module_to");
    situ_module *m = arg_module(c, 0);
    situ_device d = arg_device(c, 1);
    return call_end_code(c, c->failed ? 0 : situ_module_to(m, d));
}

METHOD(py_mirror)
{
    BEGIN(2, "mirror");
    situ_module *m = arg_module(c, 0);
    situ_device d[64];
    Py_ssize_t count = n > 1 ? PySequence_Size(arg[1]) : 0;
    if (count < 0 || count > 64) c->failed = true;
    for (Py_ssize_t i = 0; i < count && !c->failed; i++) {
        PyObject *o = PySequence_GetItem(arg[1], i);
        if (!o || !parse_device(o, &d[i])) c->failed = true;
        Py_XDECREF(o);
    }
    if (c->failed && !PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "mirror takes a list of at most 64 devices");
    return call_end_code(c, c->failed ? 0 : situ_module_mirror(m, d, (int)count));
}

/* ---- optimizers ---------------------------------------------------------------------------------------------------------- */

/* step(opt, loss or losses, weights or None): records and starts the step. */
METHOD(py_step)
{
    BEGIN(5, "step");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    situ_tensor *one = n > 1 && is_tensor(arg[1]) ? tensor_of(arg[1]) : NULL;
    if (!c->failed && !one && !PyList_Check(arg[1]) && !PyTuple_Check(arg[1])) {
        PyErr_Format(PyExc_TypeError, "a loss is a tensor, not %R; compute it by situ, from the network's result", Py_TYPE(arg[1]));
        c->failed = true;
    }
    situ_list losses = one ? (situ_list){&one, 1} : arg_list(c, 1);
    bool weighed = n > 2 && arg[2] != Py_None;
    double *weights = c->failed ? NULL : situ_arena_alloc(&situ_owned_scope.arena, ((size_t)losses.count + 1) * sizeof *weights);
    if (!weights && !c->failed) PyErr_NoMemory();
    if (weights && weighed && PySequence_Size(arg[2]) != losses.count && !PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "there are %zd weights and %d losses; each loss has its weight, a share of 1",
            PySequence_Size(arg[2]), losses.count);
    c->failed |= PyErr_Occurred() != NULL;
    for (int i = 0; weighed && i < losses.count && !c->failed; i++) {
        PyObject *o = PySequence_GetItem(arg[2], i);
        weights[i] = o ? PyFloat_AsDouble(o) : 0;
        Py_XDECREF(o);
        if (PyErr_Occurred()) c->failed = true;
    }
    situ_group *group = arg_group(c, 3);
    int64_t total = group ? arg_int(c, 4, 0) : 0;
    situ_scope *scope = situ_scope_open(); /* Python does not see the gradients, so they are freed together */
    int rc = c->failed ? -1 :
        group          ? (situ_optimizer_step_group)(opt, losses, weighed ? weights : NULL, group, total, c->site) :
                         (situ_optimizer_step_n)(opt, losses, weighed ? weights : NULL, c->site);
    if (!rc && losses.count) (situ_eval)(losses, c->site);
    situ_scope_close(scope);
    return call_end_code(c, rc);
}

/* hyper(opt): {name: value}; set(opt, name, value, paths or None); steps; schedule(opt, name, numbers...); custom(opt,
 * function) */
PyObject *hyper_dict(const situ_hyper *h, int count)
{
    PyObject *d = PyDict_New();
    for (int i = 0; i < count && d; i++) {
        PyObject *v = PyFloat_FromDouble(h[i].value);
        if (!v || PyDict_SetItemString(d, h[i].name, v)) Py_CLEAR(d);
        Py_XDECREF(v);
    }
    return d;
}

METHOD(py_optimizer_hyper)
{
    BEGIN(1, "hyper");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    situ_hyper h[32];
    int count = opt ? situ_optimizer_hyper(opt, h, 32) : 0;
    return call_leave(c) ? hyper_dict(h, count < 32 ? count : 32) : NULL;
}

METHOD(py_optimizer_set)
{
    BEGIN(4, "set");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    double value = arg_double(c, 2, 0);
    const char *name = n > 1 ? PyUnicode_AsUTF8AndSize(arg[1], NULL) : NULL;
    const char *paths = name && n > 3 && arg[3] != Py_None ? PyUnicode_AsUTF8AndSize(arg[3], NULL) : NULL;
    if (!name || PyErr_Occurred()) c->failed = true;
    int rc = 0;
    if (c->failed) rc = 0;
    else if (!paths && !strcmp(name, "lr")) rc = situ_optimizer_set_lr(opt, value);
    else if (!paths && !strcmp(name, "clip_norm")) rc = situ_optimizer_set_clip_norm(opt, value);
    else if (!paths && !strcmp(name, "clip_value")) rc = situ_optimizer_set_clip_value(opt, value);
    else if (!strcmp(name, "accumulation")) rc = situ_optimizer_set_accumulation(opt, (int)value);
    else if (!strcmp(name, "average")) rc = situ_optimizer_set_average(opt, value);
    else if (!strcmp(name, "loss_scale")) rc = situ_optimizer_set_loss_scale(opt, value);
    else rc = situ_optimizer_set(opt, paths, name, value);
    return call_end_code(c, rc);
}

METHOD(py_optimizer_swap)
{
    BEGIN(1, "swap_average");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    return call_end_code(c, c->failed ? 0 : (situ_optimizer_swap_average)(opt, c->site));
}

static int schedule(situ_optimizer *opt, const char *name, const double *a, situ_site site)
{
    situ_cosine_options cosine = {
        .size = sizeof cosine, .unnamed = SITU_NAMED, .least = a[1], .restarts = a[2] != 0, .growth = a[3]};
    situ_one_cycle_options cycle = {.size = sizeof cycle, .unnamed = SITU_NAMED, .rise = a[1], .start = a[2], .end = a[3]};
    situ_plateau_options plateau = {.size = sizeof plateau,
        .unnamed = SITU_NAMED,
        .factor = a[0],
        .patience = (int64_t)a[1],
        .threshold = a[2],
        .cooldown = (int64_t)a[3],
        .least = a[4],
        .largest = a[5] != 0};
    if (!strcmp(name, "warmup")) return situ_schedule_warmup(opt, (int64_t)a[0], a[1]);
    if (!strcmp(name, "step")) return situ_schedule_step(opt, (int64_t)a[0], a[1]);
    if (!strcmp(name, "exponential")) return situ_schedule_exponential(opt, a[0]);
    if (!strcmp(name, "polynomial")) return situ_schedule_polynomial(opt, (int64_t)a[0], a[1], a[2]);
    if (!strcmp(name, "cosine")) return (situ_schedule_cosine)(opt, (int64_t)a[0], &cosine, site);
    if (!strcmp(name, "one_cycle")) return (situ_schedule_one_cycle)(opt, (int64_t)a[0], &cycle, site);
    if (!strcmp(name, "plateau")) return (situ_schedule_plateau)(opt, &plateau, site);
    if (!strcmp(name, "report")) return situ_schedule_report(opt, a[0]);
    return situ_schedule_constant(opt);
}

/* schedule(opt, name, numbers...): that of C. Missing numbers are 0. */
METHOD(py_optimizer_schedule)
{
    BEGIN(8, "schedule");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    const char *name = n > 1 ? PyUnicode_AsUTF8AndSize(arg[1], NULL) : NULL;
    double a[6];
    for (int i = 0; i < 6; i++) a[i] = arg_double(c, 2 + i, 0);
    if (!name) c->failed = true;
    return call_end_code(c, c->failed ? 0 : schedule(opt, name, a, c->site));
}

METHOD(py_optimizer_multi_step)
{
    BEGIN(3, "multi_step_schedule");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    double gamma = arg_double(c, 2, 0);
    PyObject *list = c->failed ? NULL : PySequence_List(arg[1]);
    Py_ssize_t count = list ? PyList_Size(list) : 0;
    int64_t *at = list ? PyMem_Malloc((size_t)count * sizeof *at + 1) : NULL;
    for (Py_ssize_t i = 0; at && i < count; i++) at[i] = PyLong_AsLongLong(PyList_GetItem(list, i));
    c->failed = c->failed || !at || PyErr_Occurred();
    int rc = c->failed ? 0 : situ_schedule_multi_step(opt, at, (int)count, gamma);
    PyMem_Free(at);
    Py_XDECREF(list);
    return call_end_code(c, rc);
}

/* A schedule that calls a Python function, in the thread that makes the step; NaN, which the step refuses, if it
 * raises. */
static double python_factor(int64_t t, void *function)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *result = PyObject_CallFunction(function, "L", (long long)t);
    double factor = result ? PyFloat_AsDouble(result) : NAN;
    if (PyErr_Occurred()) {
        factor = NAN;
        PyErr_WriteUnraisable(function);
    }
    Py_XDECREF(result);
    PyGILState_Release(state);
    return factor;
}

/* custom(opt, function): the caller keeps the function alive. */
METHOD(py_optimizer_custom)
{
    BEGIN(2, "custom_schedule");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    return call_end_code(c, c->failed ? 0 : situ_schedule_custom(opt, python_factor, arg[1]));
}

METHOD(py_optimizer_rate)
{
    BEGIN(2, "rate");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    int64_t t = arg_int(c, 1, 0);
    double rate = c->failed ? 0 : t < 0 ? situ_optimizer_lr(opt) : situ_schedule_at(opt, t);
    return call_leave(c) ? PyFloat_FromDouble(rate) : NULL;
}

METHOD(py_optimizer_loss_scale)
{
    BEGIN(1, "loss_scale");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    double scale = opt ? (situ_optimizer_loss_scale)(opt, c->site) : 0;
    return call_leave(c) ? PyFloat_FromDouble(scale) : NULL;
}

METHOD(py_optimizer_left_out)
{
    BEGIN(1, "left_out");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    int64_t count = opt ? (situ_optimizer_left_out)(opt, c->site) : 0;
    return call_leave(c) ? PyLong_FromLongLong(count) : NULL;
}

METHOD(py_optimizer_steps)
{
    BEGIN(1, "steps");
    situ_optimizer *opt = ARG_HANDLE(c, 0, situ_optimizer, OPTIMIZER);
    int64_t steps = opt ? situ_optimizer_steps(opt) : 0;
    return call_leave(c) ? PyLong_FromLongLong(steps) : NULL;
}

/* ---- metrics ------------------------------------------------------------------------------------------------------------- */

/* metric(metric, "update", prediction, target or None); (metric, "reset"); (metric, "value"); (metric, "result") */
METHOD(py_metric)
{
    BEGIN(4, "metric");
    ARGUMENTS("metric", "what", "prediction", "target");
    situ_metric *m = ARG_HANDLE(c, 0, situ_metric, METRIC);
    const char *what = n > 1 ? PyUnicode_AsUTF8AndSize(arg[1], NULL) : NULL;
    if (!what) c->failed = true;
    if (what && !strcmp(what, "result")) return call_end(c, c->failed ? NULL : (situ_metric_result)(m, c->site));
    if (what && !strcmp(what, "value")) {
        double value = c->failed ? 0 : (situ_metric_value)(m, c->site);
        return call_leave(c) ? PyFloat_FromDouble(value) : NULL;
    }
    if (what && !strcmp(what, "reset")) return call_end_code(c, c->failed ? 0 : (situ_metric_reset)(m, c->site));
    situ_tensor *prediction = arg_tensor(c, 2), *target = n > 3 ? arg_optional(c, 3) : NULL;
    return call_end_code(c, c->failed ? 0 : (situ_metric_update)(m, prediction, target, c->site));
}

/* ---- data ------------------------------------------------------------------------------------------------------------------ */

static PyObject *shape_tuple(const int64_t *dim, int count)
{
    PyObject *shape = PyTuple_New((Py_ssize_t)count);
    for (int i = 0; i < count && shape; i++) PyTuple_SetItem(shape, i, PyLong_FromLongLong(dim[i]));
    return shape;
}

/* info(dataset): its name, the shape of the first input, classes, how many inputs, names of the fields, ragged ones
 * among them */
METHOD(py_dataset_info)
{
    BEGIN(1, "info");
    situ_dataset *d = arg_dataset(c, 0);
    if (!call_leave(c)) return NULL;
    situ_field field[SITU_FIELDS];
    int count = situ_dataset_fields(d, field, SITU_FIELDS), inputs = 0;
    situ_shape s = situ_dataset_shape(d);
    PyObject *names = PyTuple_New(count);
    for (int i = 0; names && i < count; i++) {
        inputs += !field[i].target;
        PyTuple_SetItem(names, i, str_of(field[i].name));
    }
    return Py_BuildValue(
        "(NNiiN)", str_of(situ_dataset_name(d)), shape_tuple(s.dim, (int)s.ndim), situ_dataset_classes(d), inputs, names);
}

/* arrays(dataset): all inputs and targets as new tensors */
METHOD(py_dataset_arrays)
{
    BEGIN(1, "arrays");
    situ_dataset *d = arg_dataset(c, 0);
    if (!d) return call_end(c, NULL);
    situ_field field[SITU_FIELDS];
    situ_tensor *part[SITU_FIELDS] = {NULL};
    int count = situ_dataset_fields(d, field, SITU_FIELDS);
    for (int i = 0; i < count && !c->failed; i++) {
        situ_from_host_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = field[i].dtype, .device = situ_cpu()};
        if (field[i].data) part[i] = (situ_from_host)(field[i].data, field[i].shape, &o, c->site);
        else {
            PyErr_Format(PyExc_ValueError, "the rows of \"%s\" do not lie in memory one after the other; a Loader gives them",
                field[i].name);
            c->failed = true;
        }
    }
    return call_end_list(c, part, count);
}

static PyObject *two_sets(call *c, situ_dataset *const part[2])
{
    if (!call_leave(c)) return NULL;
    return Py_BuildValue("(NN)", PyCapsule_New(part[0], DATASET, dataset_end), PyCapsule_New(part[1], DATASET, dataset_end));
}

/* split(dataset, key, share, stratified): two datasets */
METHOD(py_dataset_split)
{
    BEGIN(4, "split");
    situ_dataset *d = arg_dataset(c, 0), *part[2] = {NULL, NULL};
    situ_split_options o = {
        .size = sizeof o, .unnamed = SITU_NAMED, .share = arg_double(c, 2, 0.2), .stratified = arg_bool(c, 3, false)};
    int64_t key = arg_int(c, 1, 0);
    if (!c->failed) (situ_dataset_split)(d, key, &part[0], &part[1], &o, c->site);
    return two_sets(c, part);
}

/* fold(dataset, key, fold, folds, stratified): two datasets */
METHOD(py_dataset_fold)
{
    BEGIN(5, "fold");
    situ_dataset *d = arg_dataset(c, 0), *part[2] = {NULL, NULL};
    situ_fold_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .stratified = arg_bool(c, 4, false)};
    int64_t key = arg_int(c, 1, 0);
    int32_t fold = arg_int32(c, 2, 0), folds = arg_int32(c, 3, 0);
    if (!c->failed) (situ_dataset_fold)(d, key, fold, folds, &part[0], &part[1], &o, c->site);
    return two_sets(c, part);
}

/* augment(dataset, crop, flip, rotate, brightness, contrast, mean, deviation, mix_up, means: f64 bytes, deviations) */
METHOD(py_dataset_augment)
{
    BEGIN(11, "augment");
    char *each[2] = {NULL, NULL};
    Py_ssize_t bytes[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        if (n > 9 + i && arg[9 + i] != Py_None) c->failed |= PyBytes_AsStringAndSize(arg[9 + i], &each[i], &bytes[i]) != 0;
    if (each[0] && each[1] && bytes[0] != bytes[1] && !c->failed) {
        PyErr_SetString(PyExc_ValueError, "augment: mean and deviation have as many numbers as there are channels, both");
        c->failed = true;
    }
    situ_dataset *d = arg_dataset(c, 0);
    situ_augment_options o = {.size = sizeof o,
        .unnamed = SITU_NAMED,
        .crop = arg_int32(c, 1, 0),
        .flip = arg_double(c, 2, 0),
        .rotate = arg_double(c, 3, 0),
        .brightness = arg_double(c, 4, 0),
        .contrast = arg_double(c, 5, 0),
        .mean = arg_double(c, 6, 0),
        .deviation = arg_double(c, 7, 1),
        .mix_up = arg_double(c, 8, 0),
        .channel_mean = (const double *)(void *)each[0],
        .channel_deviation = (const double *)(void *)each[1],
        .channels = (int32_t)((each[0] ? bytes[0] : bytes[1]) / 8)};
    return call_end_code(c, c->failed ? 0 : (situ_dataset_augment)(d, &o, c->site));
}

/* tokens(dataset): the vocabulary of a text, () without one */
METHOD(py_dataset_tokens)
{
    BEGIN(1, "tokens");
    situ_dataset *d = arg_dataset(c, 0);
    if (!call_leave(c)) return NULL;
    int count = situ_dataset_token(d, 0) ? situ_dataset_classes(d) : 0;
    PyObject *all = PyTuple_New(count);
    for (int i = 0; all && i < count; i++) {
        PyObject *one = str_of(situ_dataset_token(d, i));
        if (!one || PyTuple_SetItem(all, i, one)) Py_CLEAR(all);
    }
    return all;
}

/* encode(dataset, text): [number] */
METHOD(py_dataset_encode)
{
    BEGIN(2, "encode");
    situ_dataset *d = arg_dataset(c, 0);
    const char *text = n > 1 && PyUnicode_Check(arg[1]) ? text_of(arg[1], "text") : NULL;
    if (!text && !PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "text must be a str, not %R", n > 1 ? (PyObject *)Py_TYPE(arg[1]) : Py_None);
    c->failed |= !text;
    int64_t room = text ? (int64_t)strlen(text) : 0, count = 0;
    int32_t *id = malloc((size_t)room * sizeof *id + 1);
    if (!c->failed && id) count = situ_dataset_encode(d, text, id, room);
    PyObject *list = !call_leave(c) ? NULL : id ? PyList_New((Py_ssize_t)count) : PyErr_NoMemory();
    for (int64_t i = 0; list && i < count; i++) PyList_SetItem(list, (Py_ssize_t)i, PyLong_FromLong(id[i]));
    free(id);
    return list;
}

METHOD(py_dataset_save_vocabulary)
{
    BEGIN(2, "save_vocabulary");
    situ_dataset *d = arg_dataset(c, 0);
    const char *path = c->failed ? NULL : arg_text(c, 1, "path");
    return call_end_code(c, c->failed ? -1 : situ_dataset_save_vocabulary(d, path));
}

/* decode(dataset, tokens: i32 bytes): bytes */
METHOD(py_dataset_decode)
{
    BEGIN(2, "decode");
    char *tokens = NULL, *text = NULL;
    Py_ssize_t bytes = 0;
    situ_dataset *d = arg_dataset(c, 0);
    c->failed |= PyBytes_AsStringAndSize(arg[1], &tokens, &bytes) < 0;
    int64_t count = bytes / 4, size = c->failed ? 0 : situ_dataset_decode(d, (const int32_t *)(void *)tokens, count, NULL, 0);
    if (size > 0 && (text = malloc((size_t)size))) situ_dataset_decode(d, (const int32_t *)(void *)tokens, count, text, size);
    PyObject *result = !call_leave(c) ? NULL : text || !size ? PyBytes_FromStringAndSize(text, (Py_ssize_t)size) : PyErr_NoMemory();
    free(text);
    return result;
}

/* select(dataset, rows: i64 bytes) */
METHOD(py_dataset_select)
{
    BEGIN(2, "select");
    char *rows = NULL;
    Py_ssize_t bytes = 0;
    situ_dataset *d = arg_dataset(c, 0);
    c->failed |= PyBytes_AsStringAndSize(arg[1], &rows, &bytes) != 0;
    situ_dataset *out = c->failed ? NULL : (situ_dataset_select)(d, (const int64_t *)(void *)rows, bytes / 8);
    return end_handle(c, out, DATASET, dataset_end);
}

METHOD(py_dataset_standardize)
{
    BEGIN(2, "standardize");
    situ_dataset *d = arg_dataset(c, 0), *like = arg_dataset(c, 1);
    return call_end_code(c, c->failed ? 0 : situ_dataset_standardize(d, like));
}

METHOD(py_loader_start)
{
    BEGIN(2, "start");
    situ_loader *l = ARG_HANDLE(c, 0, situ_loader, LOADER);
    int64_t epoch = arg_int(c, 1, 0);
    return call_end_code(c, c->failed ? 0 : situ_loader_start(l, epoch));
}

/* weights(loader, f64 bytes) */
METHOD(py_loader_weights)
{
    BEGIN(2, "weights");
    char *w = NULL;
    Py_ssize_t bytes = 0;
    situ_loader *l = ARG_HANDLE(c, 0, situ_loader, LOADER);
    if (n > 1 && arg[1] != Py_None) c->failed |= PyBytes_AsStringAndSize(arg[1], &w, &bytes) != 0;
    return call_end_code(c, c->failed ? 0 : situ_loader_weights(l, (const double *)(void *)w, bytes / 8));
}

/* next(loader): [inputs ..., targets ...] or None. It may wait for a thread that needs Python's lock, so it releases
 * it. */
METHOD(py_loader_next)
{
    situ_batch batch;
    situ_loader *l = n == 1 ? handle_of(arg[0], LOADER) : NULL;
    int64_t rows;
    if (!l) return NULL;
    Py_BEGIN_ALLOW_THREADS
    rows = situ_loader_next(l);
    Py_END_ALLOW_THREADS
    BEGIN(1, "next");
    if (rows > 0 && !(situ_loader_get)(l, &batch, c->site)) return call_end_list(c, batch.field, batch.fields);
    return call_end_code(c, 0);
}

METHOD(py_loader_epoch)
{
    BEGIN(1, "epoch");
    situ_loader *l = ARG_HANDLE(c, 0, situ_loader, LOADER);
    int64_t epoch = l ? situ_loader_epoch(l) : 0;
    return call_leave(c) ? PyLong_FromLongLong(epoch) : NULL;
}

METHOD(py_loader_batches)
{
    BEGIN(1, "batches");
    situ_loader *l = ARG_HANDLE(c, 0, situ_loader, LOADER);
    int64_t count = l ? situ_loader_batches(l) : 0;
    return call_leave(c) ? PyLong_FromLongLong(count) : NULL;
}

PyMethodDef network_methods[] = {
    FAST(training),
    FAST(module_init),
    FAST(parameters),
    FAST(module_to),
    FAST(mirror),
    FAST(step),
    FAST(optimizer_hyper),
    FAST(optimizer_set),
    FAST(optimizer_steps),
    FAST(optimizer_loss_scale),
    FAST(optimizer_left_out),
    FAST(optimizer_swap),
    FAST(optimizer_schedule),
    FAST(optimizer_multi_step),
    FAST(optimizer_custom),
    FAST(optimizer_rate),
    FAST(metric),
    FAST(dataset_info),
    FAST(dataset_arrays),
    FAST(dataset_split),
    FAST(dataset_fold),
    FAST(dataset_augment),
    FAST(dataset_select),
    FAST(dataset_tokens),
    FAST(dataset_encode),
    FAST(dataset_save_vocabulary),
    FAST(dataset_decode),
    FAST(dataset_standardize),
    FAST(loader_start),
    FAST(loader_next),
    FAST(loader_weights),
    FAST(loader_epoch),
    FAST(loader_batches),
    FAST(copies),
    {NULL, NULL, 0, NULL},
};
