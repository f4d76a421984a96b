/* Files of tensors; their public classes are in situ/_files.py. */
#include "binding.h"
#include "base/memory.h"
#include "file/format.h"
#include "file/network.h"
#include "onnx/save.h"
#include "train/proof.h"

#define ARCHIVE "situ.archive"

static void archive_end(PyObject *capsule)
{
    situ_archive *a = PyCapsule_GetPointer(capsule, ARCHIVE);
    if (a) situ_archive_close(a);
}

/* archive(path, map) */
METHOD(py_archive)
{
    BEGIN(2, "load");
    const char *path = arg_text(c, 0, "path");
    situ_archive_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .map = n > 1 && PyObject_IsTrue(arg[1])};
    return end_handle(c, c->failed ? NULL : (situ_archive_open)(path, &o, c->site), ARCHIVE, archive_end);
}

static PyObject *shape_tuple(situ_shape shape)
{
    PyObject *t = PyTuple_New((Py_ssize_t)shape.ndim);
    for (int i = 0; t && i < shape.ndim; i++) PyTuple_SetItem(t, i, PyLong_FromLongLong(shape.dim[i]));
    return t;
}

/* archive_says(archive): [(name, type, shape, bytes)], {key: value} */
METHOD(py_archive_says)
{
    BEGIN(1, "load");
    situ_archive *a = ARG_HANDLE(c, 0, situ_archive, ARCHIVE);
    if (!call_leave(c)) return NULL;
    PyObject *list = PyList_New((Py_ssize_t)situ_archive_count(a)), *about = PyDict_New();
    for (int64_t i = 0; list && i < situ_archive_count(a); i++) {
        PyObject *row = Py_BuildValue(
            "NsNL", str_of(a->entry[i].name), a->entry[i].type, shape_tuple(a->entry[i].shape), (long long)a->entry[i].size);
        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row)) return Py_XDECREF(list), Py_XDECREF(about), NULL;
    }
    for (int64_t i = 0; about && i < a->abouts; i++) {
        PyObject *value = PyUnicode_DecodeUTF8(a->about[i].value, (Py_ssize_t)strlen(a->about[i].value), "replace");
        int rc = value ? PyDict_SetItemString(about, a->about[i].key, value) : -1;
        Py_XDECREF(value);
        if (rc) return Py_XDECREF(list), Py_DECREF(about), NULL;
    }
    return list && about ? Py_BuildValue("NN", list, about) : NULL;
}

/* archive_get(archive, name, device, copy) */
METHOD(py_archive_get)
{
    BEGIN(4, "load");
    situ_archive *a = ARG_HANDLE(c, 0, situ_archive, ARCHIVE);
    const char *name = c->failed ? "" : arg_text(c, 1, "a name");
    situ_archive_get_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = SITU_DTYPE_DEFAULT, .device = arg_device(c, 2)};
    o.copy = !c->failed && PyObject_IsTrue(arg[3]);
    return call_end(c, c->failed ? NULL : (situ_archive_get)(a, name, &o, c->site));
}

/* load_state(net, names, tensors, strict): as of a file of them */
METHOD(py_load_state)
{
    BEGIN(4, "load_state");
    situ_module *m = arg_module(c, 0);
    situ_list list = c->failed ? (situ_list){NULL, 0} : arg_list(c, 2);
    static char state[] = "the state";
    situ_archive a = {.format = "state", .path = state};
    for (int i = 0; i < list.count && !c->failed; i++) {
        PyObject *name = PySequence_GetItem(arg[1], i); /* held by the list */
        situ_entry *e = name ? situ_archive_more_entries(&a) : NULL;
        if (e)
            *e = (situ_entry){.name = PyUnicode_AsUTF8AndSize(name, NULL),
                .type = "",
                .dtype = (int)situ_dtype_of(list.tensor[i]),
                .shape = situ_shape_of(list.tensor[i]),
                .tensor = list.tensor[i]};
        c->failed |= !e || !e->name;
        Py_XDECREF(name);
    }
    const situ_module_take_options o = {.strict = !c->failed && PyObject_IsTrue(arg[3]), .exact = true, .function = "load_state"};
    int rc = c->failed || situ_module_number(m) || situ_archive_sort(&a) ? -1 : situ_module_take(m, &a, &o, c->site);
    situ_free(a.entry);
    situ_free(a.order);
    return call_end_code(c, rc < 0 ? rc : 0);
}

/* save(path, names, tensors, metadata, shard_bytes) */
METHOD(py_save)
{
    BEGIN(5, "save");
    const char *path = arg_text(c, 0, "path"), *metadata = n > 3 && arg[3] != Py_None ? arg_text(c, 3, "metadata") : NULL;
    situ_list list = c->failed ? (situ_list){NULL, 0} : arg_list(c, 2);
    int64_t shard_bytes = c->failed ? 0 : arg_int(c, 4, 0);
    situ_written *w = situ_calloc((size_t)list.count + 1, sizeof *w);
    int rc = w ? 0 : situ_fail(SITU_NO_MEMORY, c->site, "save: out of host memory");
    if (!path && !c->failed && !rc) rc = situ_fail(SITU_BAD_ARGUMENT, c->site, "save: no file is named");
    for (int i = 0; i < list.count && !c->failed && !rc; i++) {
        PyObject *name = PySequence_GetItem(arg[1], i); /* held by the list */
        w[i].name = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        Py_XDECREF(name);
        if (!w[i].name) c->failed = true;
        w[i].tensor = list.tensor[i];
    }
    if (!c->failed && !rc) rc = situ_file_save(path, w, list.count, metadata, shard_bytes, "save", c->site);
    situ_free(w);
    return call_end_code(c, c->failed ? -1 : rc);
}

/* module_load(net, path, strict, map, rename) */
METHOD(py_module_load)
{
    BEGIN(5, "load");
    situ_module *m = arg_module(c, 0);
    const char *path = arg_text(c, 1, "path");
    situ_module_load_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .strict = true, .map = true};
    if (!c->failed) o.strict = PyObject_IsTrue(arg[2]), o.map = PyObject_IsTrue(arg[3]);
    if (!c->failed && arg[4] != Py_None) o.rename = arg_text(c, 4, "rename");
    int rc = c->failed ? -1 : (situ_module_load)(m, path, &o, c->site);
    return call_end_code(c, rc < 0 ? rc : 0);
}

static const char *text_or_none(call *c, int i, const char *name) { return c->arg[i] == Py_None ? NULL : arg_text(c, i, name); }

/* onnx_save(net or None, path, tensors, inputs, results, axes, input_names, result_names, metadata, external): the
 * tensors are those of each recording one after the other, first its inputs, then its results */
METHOD(py_onnx_save)
{
    BEGIN(10, "save");
    situ_module *net = arg[0] == Py_None ? NULL : arg_module(c, 0);
    situ_onnx_save_options o = {SITU_DEFAULTS(SITU_ONNX_SAVE_DEFAULTS).unnamed = SITU_NAMED, .size = sizeof o};
    const char *path = arg_text(c, 1, "path");
    situ_list all = c->failed ? (situ_list){NULL, 0} : arg_list(c, 2);
    int inputs = (int)arg_int(c, 3, 0), results = (int)arg_int(c, 4, 0), each = inputs + results;
    int *axis = c->failed || inputs < 0 ? NULL : situ_calloc((size_t)inputs + 1, sizeof *axis);
    situ_onnx_recorded r = {.records = each > 0 ? all.count / each : 0, .axis = axis};
    for (int i = 0; axis && i < inputs; i++) {
        PyObject *one = PyTuple_Check(arg[5]) ? PyTuple_GetItem(arg[5], i) : NULL;
        axis[i] = one ? (int)PyLong_AsLong(one) : -1;
    }
    if (!axis || PyErr_Occurred()) c->failed = true;
    o.input_names = text_or_none(c, 6, "input_names");
    o.result_names = text_or_none(c, 7, "result_names");
    o.metadata = text_or_none(c, 8, "metadata");
    o.external_data = !c->failed && PyObject_IsTrue(arg[9]);
    for (int k = 0; k < r.records && k < SITU_OUT_RECORDS; k++) {
        r.in[k] = TENSORS_OF(all.tensor + k * each, inputs);
        r.result[k] = TENSORS_OF(all.tensor + k * each + inputs, results);
    }
    int rc = c->failed ? -1 : situ_onnx_save_recorded(net, path, &r, &o, c->site);
    situ_free(axis);
    return call_end_code(c, rc);
}

/* onnx_example(x, axis, batch, record) */
METHOD(py_onnx_example)
{
    BEGIN(4, "save");
    situ_tensor *x = arg_tensor(c, 0);
    int axis = (int)arg_int(c, 1, 0), record = (int)arg_int(c, 3, 0);
    int64_t batch = arg_int(c, 2, 0);
    return call_end(c, c->failed ? NULL : situ_onnx_example(x, axis, batch, record, c->site));
}

/* onnx_load(path or bytes, device, trainable) */
METHOD(py_onnx_load)
{
    BEGIN(3, "load");
    situ_onnx_load_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .device = arg_device(c, 1)};
    o.trainable = !c->failed && PyObject_IsTrue(arg[2]);
    char *bytes = NULL;
    Py_ssize_t size = 0;
    situ_module *m = NULL;
    if (!PyBytes_Check(arg[0])) {
        const char *path = arg_text(c, 0, "path");
        if (!c->failed) m = (situ_onnx_load)(path, &o, c->site);
    } else if (PyBytes_AsStringAndSize(arg[0], &bytes, &size)) c->failed = true;
    else if (!c->failed) m = (situ_onnx_load_bytes)(bytes, (size_t)size, &o, c->site);
    return end_handle(c, m, MODULE, module_end);
}

/* onnx_names(net): ([names of inputs], [names of results]) */
METHOD(py_onnx_names)
{
    BEGIN(1, "load");
    situ_module *m = arg_module(c, 0);
    const char *name, *(*const of[2])(const situ_module *, int) = {situ_onnx_input, situ_onnx_result};
    PyObject *list[2] = {PyList_New(0), PyList_New(0)};
    for (int k = 0; k < 2 && m && list[k]; k++)
        for (int i = 0; (name = of[k](m, i)); i++) {
            PyObject *o = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
            if (!o || PyList_Append(list[k], o)) c->failed = true;
            Py_XDECREF(o);
            if (c->failed) break;
        }
    if (call_leave(c) && list[0] && list[1]) return Py_BuildValue("NN", list[0], list[1]);
    Py_XDECREF(list[0]);
    Py_XDECREF(list[1]);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

METHOD(py_module_pause)
{
    BEGIN(2, "save");
    situ_module *m = arg[0] == Py_None ? NULL : arg_module(c, 0);
    if (!c->failed) situ_module_act(m, PyObject_IsTrue(arg[1]));
    return call_end_code(c, 0);
}

/* checkpoint(path, net, optimizer or None, loader or None, metadata or None, load?) */
METHOD(py_checkpoint)
{
    BEGIN(6, PyObject_IsTrue(arg[5]) ? "checkpoint_load" : "checkpoint_save");
    const char *path = arg_text(c, 0, "path");
    situ_module *m = arg_module(c, 1);
    situ_optimizer *opt = c->failed || arg[2] == Py_None ? NULL : ARG_HANDLE(c, 2, situ_optimizer, OPTIMIZER);
    situ_loader *loader = c->failed || arg[3] == Py_None ? NULL : ARG_HANDLE(c, 3, situ_loader, LOADER);
    situ_checkpoint_save_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    if (!c->failed && arg[4] != Py_None) o.metadata = arg_text(c, 4, "metadata");
    int rc = c->failed          ? -1 :
        PyObject_IsTrue(arg[5]) ? (situ_checkpoint_load)(path, m, opt, loader, c->site) :
                                  (situ_checkpoint_save)(path, m, opt, loader, &o, c->site);
    return call_end_code(c, rc);
}

#define PROOF "situ.proof"

/* A proof that was not closed has no end in its log. */
static void proof_end(PyObject *capsule)
{
    situ_proof *p = PyCapsule_GetPointer(capsule, PROOF);
    situ_owned_frame f;
    if (!p || !enter_to_free(&f)) return;
    situ_proof_free(p);
    situ_owned_leave(&f);
}

/* proof_open(folder, net, optimizer or None, loader or None, note or None, every, resume, group or None) */
METHOD(py_proof_open)
{
    BEGIN(8, "Proof");
    const char *folder = arg_text(c, 0, "folder");
    situ_module *m = arg_module(c, 1);
    situ_optimizer *opt = given(c, 2) ? ARG_HANDLE(c, 2, situ_optimizer, OPTIMIZER) : NULL;
    situ_proof_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    if (given(c, 3)) o.loader = ARG_HANDLE(c, 3, situ_loader, LOADER);
    if (given(c, 4)) o.note = arg_text(c, 4, "note");
    if (!c->failed) o.every = arg_int(c, 5, 0);
    if (!c->failed) o.resume = arg_bool(c, 6, false);
    if (!c->failed) o.group = arg_group(c, 7);
    return end_handle(c, c->failed ? NULL : (situ_proof_open)(folder, m, opt, &o, c->site), PROOF, proof_end);
}

/* proof_step(proof, loss, [tensor ...]): is verifying done? */
METHOD(py_proof_step)
{
    BEGIN(3, "step");
    situ_proof *p = ARG_HANDLE(c, 0, situ_proof, PROOF);
    situ_tensor *loss = c->failed ? NULL : arg_tensor(c, 1);
    situ_list batch = c->failed ? (situ_list){NULL, 0} : arg_list(c, 2);
    int rc = c->failed ? -1 : (situ_proof_step)(p, loss, batch, c->site);
    return call_leave(c) ? PyBool_FromLong(rc > 0) : NULL;
}

METHOD(py_proof_steps)
{
    BEGIN(1, "steps");
    situ_proof *p = ARG_HANDLE(c, 0, situ_proof, PROOF);
    int64_t steps = c->failed ? 0 : situ_proof_steps(p);
    return call_leave(c) ? PyLong_FromLongLong(steps) : NULL;
}

/* proof_close(proof): the commitment */
METHOD(py_proof_close)
{
    BEGIN(1, "close");
    char commitment[65] = "";
    situ_proof *p = ARG_HANDLE(c, 0, situ_proof, PROOF);
    if (p) PyCapsule_SetDestructor(arg[0], NULL);
    if (p) (situ_proof_close)(p, commitment, c->site);
    return call_leave(c) ? PyUnicode_FromString(commitment) : NULL;
}

PyMethodDef file_methods[] = {FAST(archive), FAST(archive_says), FAST(archive_get), FAST(save), FAST(module_load), FAST(load_state),
    FAST(checkpoint), FAST(proof_open), FAST(proof_step), FAST(proof_steps), FAST(proof_close), FAST(onnx_save), FAST(onnx_example),
    FAST(onnx_load), FAST(onnx_names), FAST(module_pause), {NULL, NULL, 0, NULL}};
