/* The trainer; its class is in situ/train.py. */
#include "binding.h"
#include "group/link.h"
#include "nn/module.h"
#include "os/wait.h"
#include "train/fit.h"
#include "train/page.h"
#include "train/report.h"
#include "train/svg.h"

static __thread bool training;
static __thread int64_t asked_at;

/* Checks for signals between batches of a training. */
static bool signal_came(void)
{
    enum { PAUSE_NANOSECONDS = 50000000 };
    if (!training || situ_now() - asked_at < PAUSE_NANOSECONDS) return false;
    asked_at = situ_now();
    PyGILState_STATE state = PyGILState_Ensure();
    bool came = PyErr_Occurred() || PyErr_CheckSignals();
    PyGILState_Release(state);
    return came;
}

/* fit(trainer, net, optimizer, train, held_out or None): releases Python's lock meanwhile. */
METHOD(py_fit)
{
    BEGIN(5, "fit");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    situ_module *m = arg_module(c, 1);
    situ_optimizer *opt = c->failed ? NULL : ARG_HANDLE(c, 2, situ_optimizer, OPTIMIZER);
    situ_dataset *train = c->failed ? NULL : arg_dataset(c, 3);
    situ_dataset *held_out = !c->failed && n > 4 && arg[4] != Py_None ? arg_dataset(c, 4) : NULL;
    if (!c->failed) (situ_eval)(TENSORS_OF(NULL, 0), c->site); /* so that variables have their values */
    if (!call_leave(c)) return NULL;
    int rc;
    training = true;
    situ_train_interrupted = signal_came;
    Py_BEGIN_ALLOW_THREADS
    rc = (situ_trainer_fit)(t, m, opt, train, held_out, c->site);
    Py_END_ALLOW_THREADS
    training = false;
    if (rc || PyErr_Occurred()) return raise_error_or_signal();
    Py_RETURN_NONE;
}

/* The share of right rows, or the mean loss; releases Python's lock meanwhile. */
static PyObject *measure(PyObject *self, PyObject *const *arg, Py_ssize_t n, const char *name,
    double (*function)(situ_trainer *, situ_module *, const situ_dataset *, situ_site))
{
    BEGIN(3, name);
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    situ_module *m = arg_module(c, 1);
    situ_dataset *d = c->failed ? NULL : arg_dataset(c, 2);
    if (!c->failed) (situ_eval)(TENSORS_OF(NULL, 0), c->site);
    if (!call_leave(c)) return NULL;
    double mean;
    training = true;
    situ_train_interrupted = signal_came;
    Py_BEGIN_ALLOW_THREADS
    mean = function(t, m, d, c->site);
    Py_END_ALLOW_THREADS
    training = false;
    return situ_failed() ? raise_error_or_signal() : PyFloat_FromDouble(mean);
}

METHOD(py_evaluate) { return measure(self, arg, n, "evaluate", situ_trainer_evaluate); }
METHOD(py_measure) { return measure(self, arg, n, "measure", situ_trainer_measure); }

/* Never called; its presence tells that the step may have its own optimizers. */
static situ_tensor *foreign_step(situ_trainer *t, situ_module *net, const situ_batch *batch, void *self)
{
    (void)t, (void)net, (void)batch, (void)self;
    return NULL;
}

/* begin(trainer, net, optimizer or None, train or None, data to measure on or None): a loop in Python, with its step */
METHOD(py_trainer_begin)
{
    BEGIN(5, "fit");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    situ_module *m = c->failed ? NULL : arg_module(c, 1);
    situ_optimizer *opt = !given(c, 2) ? NULL : ARG_HANDLE(c, 2, situ_optimizer, OPTIMIZER);
    situ_dataset *train = given(c, 3) ? arg_dataset(c, 3) : NULL, *held_out = given(c, 4) ? arg_dataset(c, 4) : NULL;
    if (c->failed) return call_end_code(c, 0);
    if (train) t->o.step = foreign_step;
    int rc = train ? (situ_trainer_begin)(t, m, opt, train, held_out, c->site) :
                     situ_trainer_begin_measuring(t, m, held_out, "measure", c->site);
    if (!rc) t->fit->pauses = train != NULL;
    return call_end_code(c, rc);
}

/* next(trainer): ([inputs ..., targets ...], inputs, rows, first, of, step, training); (): an epoch has ended; or None */
METHOD(py_trainer_next)
{
    BEGIN(1, "fit");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    situ_batch b;
    part_now = (part_of_batch){NULL, 0};
    int64_t rows = t ? situ_trainer_next(t, &b) : 0;
    bool epoch = t && !rows && t->fit && t->fit->phase == FIT_EPOCH;
    if (rows <= 0 && !epoch) return call_end_code(c, 0);
    if (epoch) return call_leave(c) ? PyTuple_New(0) : NULL;
    PyObject *list = call_end_list(c, b.field, b.fields);
    if (!list) return NULL;
    if (t->devices > 1 && b.training) part_now = (part_of_batch){situ_module_root(t->fit->net), b.device};
    return Py_BuildValue("(NiLLLLO)", list, (int)b.inputs, (long long)b.rows, (long long)b.first, (long long)b.of,
        (long long)b.step, b.training ? Py_True : Py_False);
}

/* give(trainer, loss, {name: value}) */
METHOD(py_trainer_give)
{
    BEGIN(3, "fit");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    situ_tensor *loss = arg_tensor(c, 1);
    PyObject *name, *value;
    int rc = 0;
    for (Py_ssize_t at = 0; !c->failed && !rc && PyDict_Next(arg[2], &at, &name, &value);) {
        const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        situ_tensor *logged = text ? operand(c, value, NULL) : NULL;
        if (!logged) {
            if (!PyErr_Occurred())
                PyErr_Format(
                    PyExc_TypeError, "a step logs numbers or scalar tensors by str, not %R: %R", name, (PyObject *)Py_TYPE(value));
            c->failed = true;
        } else rc = (situ_trainer_log)(t, text, logged, c->site);
    }
    return call_end_code(c, c->failed || rc ? rc : (situ_trainer_give)(t, loss, c->site));
}

/* end(trainer, message of an error or None) */
METHOD(py_trainer_end)
{
    BEGIN(2, "fit");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    const char *error = t && given(c, 1) ? arg_text(c, 1, "error") : NULL;
    part_now = (part_of_batch){NULL, 0};
    if (error && t->fit && t->fit->train) {
        situ_report_failed(t, error);
        if (situ_group_size(t->o.group) > 1) situ_group_fail(t->o.group, error);
    }
    return call_end_code(c, t ? situ_trainer_end(t) : 0);
}

METHOD(py_trainer_stop)
{
    BEGIN(1, "stop");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    if (t) situ_trainer_stop(t);
    return call_end_code(c, 0);
}

/* confusion(trainer, prediction, target) */
METHOD(py_trainer_confusion)
{
    BEGIN(3, "confusion");
    ARGUMENTS("trainer", "prediction", "target");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    situ_tensor *prediction = arg_tensor(c, 1), *target = c->failed ? NULL : arg_tensor(c, 2);
    return call_end_code(c, c->failed ? 0 : (situ_trainer_confusion)(t, prediction, target, c->site));
}

/* svg(trainer, title or None): what its board draws; from now on the log is read every second. */
METHOD(py_trainer_svg)
{
    BEGIN(2, "board");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    const char *title = t && given(c, 1) ? arg_text(c, 1, "title") : NULL;
    const situ_series *series = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *file = c->failed ? NULL : open_memstream(&text, &size);
    if (!call_leave(c)) return NULL;
    if (!file) return PyErr_NoMemory();
    t->live = true;
    int count = situ_board_series(t->board, &series);
    situ_svg_write(file, title, "epoch", t->o.xlim, count, series);
    fclose(file);
    PyObject *svg = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
    free(text);
    return svg;
}

/* xlim(trainer, the last epoch of the board's axis) */
METHOD(py_trainer_xlim)
{
    BEGIN(2, "xlim");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    double end = arg_double(c, 1, 0);
    if (!c->failed) t->o.xlim = end;
    return call_end_code(c, 0);
}

/* report_join(path, [report ...]) */
METHOD(py_report_join)
{
    BEGIN(2, "report_join");
    const char *path = arg_text(c, 0, "path");
    Py_ssize_t count = c->failed ? 0 : PyList_Size(arg[1]);
    const char **report = count > 0 ? PyMem_Malloc((size_t)count * sizeof *report) : NULL;
    for (Py_ssize_t i = 0; report && i < count; i++)
        if (!(report[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(arg[1], i), NULL))) c->failed = true;
    int rc = c->failed ? 0 : situ_report_join(path, report, (int)count);
    PyMem_Free(report);
    return call_end_code(c, rc);
}

/* draw_traces(path, title, [trace ...], clock) */
METHOD(py_draw_traces)
{
    BEGIN(4, "timeline");
    const char *path = arg_text(c, 0, "path"), *title = c->failed ? NULL : arg_text(c, 1, "title");
    Py_ssize_t count = c->failed ? 0 : PyList_Size(arg[2]);
    const char **trace = count > 0 ? PyMem_Malloc((size_t)count * sizeof *trace) : NULL;
    for (Py_ssize_t i = 0; trace && i < count; i++)
        if (!(trace[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(arg[2], i), NULL))) c->failed = true;
    long clock = c->failed ? 0 : PyLong_AsLong(arg[3]);
    int rc = c->failed || !trace ? 0 : situ_traces_draw(path, title, trace, (int)count, (situ_clock)clock);
    PyMem_Free(trace);
    return call_end_code(c, rc);
}

METHOD(py_prepare_model)
{
    BEGIN(2, "prepare_model");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    situ_module *m = c->failed ? NULL : arg_module(c, 1);
    return call_end_code(c, c->failed ? 0 : situ_trainer_prepare_model(t, m));
}

METHOD(py_prepare_batch)
{
    BEGIN(2, "prepare_batch");
    ARGUMENTS("trainer", "batch");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    situ_tensor *x = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_trainer_prepare_batch)(t, x, c->site));
}

METHOD(py_trainer_hyper)
{
    BEGIN(1, "hyper");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    situ_hyper h[32];
    int count = t ? situ_trainer_hyper(t, h, 32) : 0;
    return call_leave(c) ? hyper_dict(h, count < 32 ? count : 32) : NULL;
}

METHOD(py_trainer_state)
{
    BEGIN(1, "state");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    if (!call_leave(c)) return NULL;
    situ_trainer_rates r = situ_trainer_rates_of(t);
    PyObject *values = PyDict_New();
    for (int i = 0; values && i < t->values; i++) {
        PyObject *mean = PyFloat_FromDouble(t->value[i].mean);
        if (!mean || PyDict_SetItemString(values, t->value[i].name, mean)) Py_CLEAR(values);
        Py_XDECREF(mean);
    }
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:i,s:i,s:L,s:i,s:s,s:s,s:N,s:{s:d,s:d,s:d,s:d,s:d}}", "loss", situ_trainer_loss(t),
        "validation_loss", situ_trainer_validation_loss(t), "accuracy", situ_trainer_accuracy(t), "seconds",
        situ_trainer_seconds(t), "epochs", situ_trainer_epochs(t), "gpus", situ_trainer_gpus(t, NULL, 0), "steps",
        (long long)t->steps, "best_epoch", t->best_epoch, "ended", t->ended, "commitment", t->commitment, "values", values, "rates",
        "waited", r.waited, "copied", r.copied, "computed", r.computed, "rows", r.rows, "steps", r.steps);
}

static PyObject *number_list(const double *value, int64_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (int64_t i = 0; list && i < count; i++) {
        PyObject *one = PyFloat_FromDouble(value[i]);
        if (!one || PyList_SetItem(list, (Py_ssize_t)i, one)) Py_CLEAR(list);
    }
    return list;
}

/* The board's curves: a dict of name: (x, y). */
METHOD(py_trainer_curves)
{
    enum { MOST = 2 * SITU_LOGS };
    BEGIN(1, "curves");
    situ_trainer *t = ARG_HANDLE(c, 0, situ_trainer, TRAINER);
    situ_curve curve[MOST];
    int count = t ? situ_trainer_curves(t, curve, MOST) : 0;
    if (!call_leave(c)) return NULL;
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < count && i < MOST; i++) {
        PyObject *x = number_list(curve[i].x, curve[i].count), *y = x ? number_list(curve[i].y, curve[i].count) : NULL;
        PyObject *both = y ? PyTuple_Pack(2, x, y) : NULL;
        if (!both || PyDict_SetItemString(dict, curve[i].name, both)) Py_CLEAR(dict);
        Py_XDECREF(both);
        Py_XDECREF(y);
        Py_XDECREF(x);
    }
    return dict;
}

PyMethodDef training_methods[] = {
    FAST(fit),
    FAST(evaluate),
    FAST(measure),
    FAST(trainer_begin),
    FAST(trainer_next),
    FAST(trainer_give),
    FAST(trainer_end),
    FAST(trainer_stop),
    FAST(trainer_confusion),
    FAST(trainer_svg),
    FAST(trainer_xlim),
    FAST(report_join),
    FAST(draw_traces),
    FAST(prepare_model),
    FAST(prepare_batch),
    FAST(trainer_hyper),
    FAST(trainer_state),
    FAST(trainer_curves),
    {NULL, NULL, 0, NULL},
};
