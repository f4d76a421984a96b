/* Devices, the ledger, guards, variables, plans, threads. */
#include "binding.h"
#include "run/ahead.h"

static PyObject *py_eval(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    (void)self;
    if (!call_begin(&c, arg, n, 1, "")) return NULL;
    situ_list list = arg_list(&c, 0);
    return call_end_code(&c, c.failed ? 0 : situ_eval_at(list.tensor, list.count, c.site));
}

/* wait(tensor or None): without Python's lock. */
static PyObject *py_wait(PyObject *self, PyObject *x)
{
    call c;
    (void)self;
    if (!call_begin(&c, NULL, 0, 0, "")) return NULL;
    situ_borrow b = {0};
    int rc = is_tensor(x) ? situ_borrow_open(tensor_of(x), false, &b, c.site) : situ_eval_at(NULL, 0, c.site);
    if (!call_leave(&c) || rc) return NULL;
    uint64_t stamp = 0;
    bool heard = !b.buffer || wait_for_buffer(&b);
    for (int i = 0; heard && !b.buffer; i++) {
        situ_dev *d = situ_ahead_started(i, &stamp);
        if (!d) break;
        heard = wait_hearing(d, stamp);
    }
    if (!heard) {
        situ_borrow_close(&b);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    rc = b.buffer ? situ_borrow_wait(&b, c.site) : situ_wait_at(NULL, c.site);
    situ_borrow_close(&b);
    Py_END_ALLOW_THREADS
    if (rc) return raise_error();
    Py_RETURN_NONE;
}

static PyObject *py_variable(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    (void)self;
    if (!call_begin(&c, arg, n, 3, "variable")) return NULL;
    const char *name = n > 2 && arg[2] != Py_None ? PyUnicode_AsUTF8AndSize(arg[2], NULL) : NULL;
    if (PyErr_Occurred()) c.failed = true;
    situ_variable_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .trainable = arg_bool(&c, 1, true), .name = name};
    return call_end(&c, (situ_variable)(arg_tensor(&c, 0), &o, c.site));
}

static PyObject *py_assign(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    (void)self;
    if (!call_begin(&c, arg, n, 2, "assign")) return NULL;
    situ_tensor *v = arg_tensor(&c, 0), *x = arg_tensor(&c, 1);
    int rc = 0;
    /* one plan for each turn of a loop that reads nothing */
    if (!c.failed && situ_is_variable(v) && situ_slot_of(v)->pending) rc = situ_eval_at(NULL, 0, c.site);
    return call_end_code(&c, c.failed || rc ? rc : situ_assign_at(v, x, c.site));
}

static PyObject *py_assign_slice(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    (void)self;
    if (!call_begin(&c, arg, n, 3, "assign_slice")) return NULL;
    situ_tensor *v = arg_tensor(&c, 0), *x = arg_tensor(&c, 1);
    situ_shape start = arg_shape(&c, 2);
    int rc = 0;
    if (!c.failed && situ_is_variable(v) && situ_slot_of(v)->pending) rc = situ_eval_at(NULL, 0, c.site);
    return call_end_code(&c, c.failed || rc ? rc : situ_assign_slice_at(v, x, start, c.site));
}

static PyObject *done(int rc)
{
    if (rc && situ_failed()) return raise_error();
    Py_RETURN_NONE;
}

static PyObject *py_device_exists(PyObject *self, PyObject *device)
{
    situ_device d;
    (void)self;
    if (!parse_device(device, &d)) return NULL;
    situ_device_info info;
    int rc = situ_device_describe(d, &info);
    if (rc) situ_error_take(NULL);
    return PyBool_FromLong(!rc);
}

static PyObject *py_parse_device(PyObject *self, PyObject *text)
{
    situ_device d;
    (void)self;
    return parse_device(text, &d) ? device_object(d) : NULL;
}

static PyObject *py_device_info(PyObject *self, PyObject *device)
{
    situ_device d;
    situ_device_info i;
    (void)self;
    if (!parse_device(device, &d)) return NULL;
    if (situ_device_describe(d, &i)) return raise_error();
    return Py_BuildValue("{s:s,s:s,s:s,s:L,s:L,s:d,s:O,s:O}", "backend", i.backend, "name", i.name, "driver", i.driver,
        "memory_used", (long long)i.memory_used, "memory_total", (long long)i.memory_total, "utilization", i.utilization,
        "bit_equal", i.bit_equal ? Py_True : Py_False, "simulated", i.simulated ? Py_True : Py_False);
}

/* A list of (process, name, bytes or None). */
static PyObject *py_device_processes(PyObject *self, PyObject *device)
{
    enum { MOST = 128 };
    situ_device d;
    situ_device_process p[MOST];
    (void)self;
    if (!parse_device(device, &d)) return NULL;
    int count = situ_device_processes(d, p, MOST);
    if (count < 0) return raise_error();
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count && i < MOST; i++) {
        PyObject *memory = p[i].memory < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(p[i].memory);
        PyObject *one =
            memory ? Py_BuildValue("{s:L,s:s,s:N}", "process", (long long)p[i].pid, "name", p[i].name, "memory", memory) : NULL;
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *py_print_digits(PyObject *self, PyObject *digits)
{
    (void)self;
    long n = PyLong_AsLong(digits);
    return n == -1 && PyErr_Occurred() ? NULL : done(situ_set_print_digits(n < -1 ? -1 : n > 18 ? 18 : (int)n));
}

static PyObject *py_num_gpus(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return PyLong_FromLong(situ_num_gpus());
}
static PyObject *py_num_tpus(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return PyLong_FromLong(situ_num_tpus());
}
static PyObject *py_sim_gpus(PyObject *self, PyObject *count)
{
    (void)self;
    long n = PyLong_AsLong(count);
    return PyErr_Occurred() ? NULL : done(situ_sim_gpus((int)n));
}
/* sim_count(device): its own counters as a dict */
static PyObject *py_sim_count(PyObject *self, PyObject *device)
{
    situ_device d;
    situ_sim_counters n = {0};
    (void)self;
    if (!parse_device(device, &d)) return NULL;
    if (situ_sim_count(d, &n)) return raise_error();
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:d,s:d}", "kernels", (long long)n.kernels, "allocations", (long long)n.allocations,
        "uploads", (long long)n.upload_count, "downloads", (long long)n.download_count, "peers", (long long)n.peer_count,
        "virtual_seconds", n.virtual_seconds, "busy_seconds", n.busy_seconds);
}
static PyObject *py_sim_clock(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return PyFloat_FromDouble(situ_sim_clock());
}
static PyObject *py_default_device(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return device_object(situ_default_device());
}
static PyObject *py_push_device(PyObject *self, PyObject *device)
{
    situ_device d;
    (void)self;
    return parse_device(device, &d) ? done(situ_push_device(d)) : NULL;
}
static PyObject *py_pop_device(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return done(situ_pop_device());
}
static PyObject *py_strict(PyObject *self, PyObject *on)
{
    (void)self;
    return done(situ_strict(PyObject_IsTrue(on) == 1));
}
static PyObject *py_no_grad(PyObject *self, PyObject *on)
{
    (void)self;
    return PyBool_FromLong(situ_no_grad(PyObject_IsTrue(on) == 1));
}
static PyObject *py_fusing(PyObject *self, PyObject *on)
{
    (void)self;
    return PyBool_FromLong(situ_fusing(PyObject_IsTrue(on) == 1));
}
static PyObject *py_random_layout(PyObject *self, PyObject *kind)
{
    (void)self;
    return PyLong_FromLong(situ_random_layout((situ_layout_kind)PyLong_AsLong(kind)));
}
static PyObject *py_set_threads(PyObject *self, PyObject *count)
{
    (void)self;
    long n = PyLong_AsLong(count);
    return PyErr_Occurred() ? NULL : done(situ_set_threads((int)n));
}
static PyObject *py_threads(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return PyLong_FromLong(situ_threads());
}

/* ---- ledger and guards --------------------------------------------------------------------------------------------------- */

static PyObject *py_ledger_sum(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    situ_ledger_totals t = situ_ledger_sum();
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:d,s:L}", "local_count", (long long)t.local_count, "local_bytes",
        (long long)t.local_bytes, "upload_count", (long long)t.upload_count, "upload_bytes", (long long)t.upload_bytes,
        "download_count", (long long)t.download_count, "download_bytes", (long long)t.download_bytes, "peer_count",
        (long long)t.peer_count, "peer_bytes", (long long)t.peer_bytes, "wait_count", (long long)t.wait_count, "wait_seconds",
        t.wait_seconds, "recompute_count", (long long)t.recompute_count);
}
static PyObject *py_ledger_record(PyObject *self, PyObject *most)
{
    (void)self;
    long n = PyLong_AsLong(most);
    return PyErr_Occurred() ? NULL : done(situ_ledger_record((int)n));
}
static PyObject *py_ledger_list(PyObject *self, PyObject *most)
{
    (void)self;
    long n = PyLong_AsLong(most);
    if (PyErr_Occurred() || n < 0)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "ledger: a number of entries, not %ld", n);
    situ_ledger_entry *e = PyMem_Malloc((size_t)(n + 1) * sizeof *e);
    if (!e) return PyErr_NoMemory();
    int count = situ_ledger_list(e, (int)n);
    PyObject *list = PyList_New(count);
    for (int i = 0; i < count && list; i++) {
        char from[32], to[32];
        PyObject *o = Py_BuildValue("{s:s,s:s,s:s,s:s,s:L,s:z,s:K,s:d,s:d}", "transfer", situ_transfer_name(e[i].transfer),
            "reason", situ_reason_name(e[i].reason), "from", situ_device_name(e[i].from, from), "to", situ_device_name(e[i].to, to),
            "bytes", (long long)e[i].bytes, "site", e[i].site, "thread", (unsigned long long)e[i].thread, "time", e[i].time,
            "seconds", e[i].seconds);
        if (!o || PyList_SetItem(list, i, o)) Py_CLEAR(list);
    }
    PyMem_Free(e);
    return list;
}
static PyObject *py_ledger_reset(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    situ_ledger_reset();
    Py_RETURN_NONE;
}
static PyObject *py_guard_open(PyObject *self, PyObject *args)
{
    long long host, device, peer, waits, bytes;
    int log, nan;
    (void)self;
    if (!PyArg_ParseTuple(args, "LLLLLpp", &host, &device, &peer, &waits, &bytes, &log, &nan)) return NULL;
    situ_guard_options o = {.size = sizeof o,
        .unnamed = SITU_NAMED,
        .to_host = host,
        .to_device = device,
        .peer = peer,
        .waits = waits,
        .bytes = bytes,
        .mode = log ? SITU_GUARD_LOG : SITU_GUARD_FAIL,
        .nan = nan};
    const char *name = "guard";
    situ_guard g = (situ_guard_open)(&o, here(&name));
    return situ_failed() ? raise_error() : PyLong_FromLong(g.depth);
}
static PyObject *py_guard_close(PyObject *self, PyObject *depth)
{
    (void)self;
    int64_t over = situ_guard_close((situ_guard){(int32_t)PyLong_AsLong(depth)});
    return situ_failed() ? raise_error() : PyLong_FromLongLong(over);
}
static PyObject *py_trace_start(PyObject *self, PyObject *most)
{
    (void)self;
    long n = PyLong_AsLong(most);
    return PyErr_Occurred() ? NULL : done(situ_trace_start((int)n));
}
static PyObject *py_trace_save(PyObject *self, PyObject *path)
{
    (void)self;
    const char *text = PyUnicode_AsUTF8AndSize(path, NULL);
    return text ? done(situ_trace_save(text)) : NULL;
}
static PyObject *py_trace_stop(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    situ_trace_stop();
    Py_RETURN_NONE;
}
static PyObject *py_memory_of(PyObject *self, PyObject *device)
{
    situ_device d;
    situ_memory m;
    (void)self;
    if (!parse_device(device, &d)) return NULL;
    if (situ_memory_of(d, &m)) return raise_error();
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L}", "in_use", (long long)m.in_use, "peak", (long long)m.peak, "reserved",
        (long long)m.reserved, "limit", (long long)m.limit, "allocations", (long long)m.allocations);
}
static PyObject *py_memory_limit(PyObject *self, PyObject *args)
{
    PyObject *device;
    long long bytes;
    situ_device d;
    (void)self;
    if (!PyArg_ParseTuple(args, "OL", &device, &bytes) || !parse_device(device, &d)) return NULL;
    return done(situ_memory_limit(d, bytes));
}
static PyObject *py_memory_trim(PyObject *self, PyObject *device)
{
    situ_device d;
    (void)self;
    return parse_device(device, &d) ? done(situ_memory_trim(d)) : NULL;
}
static PyObject *py_plans(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    situ_plan_counters p = situ_plans();
    return Py_BuildValue("{s:L,s:L,s:L,s:L}", "made", (long long)p.made, "reused", (long long)p.reused, "cached",
        (long long)p.cached, "bytes", (long long)p.bytes);
}
static PyObject *py_explain(PyObject *self, PyObject *x)
{
    call c;
    (void)self;
    if (!is_tensor(x)) return PyErr_Format(PyExc_TypeError, "explain takes a tensor, not %R", (PyObject *)Py_TYPE(x));
    if (!call_begin(&c, NULL, 0, 0, "explain")) return NULL;
    char *text = situ_explain(tensor_of(x));
    PyObject *o = call_leave(&c) && text ? PyUnicode_FromString(text) : NULL;
    free(text);
    return o || PyErr_Occurred() ? o : PyErr_NoMemory();
}
static PyObject *py_live(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return PyLong_FromLongLong(situ_owned_live());
}
static PyObject *py_after_fork(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return done(situ_after_fork());
}

#define ONE(name) \
    { \
#name, py_##name, METH_O, NULL \
    }
#define NONE(name) \
    { \
#name, py_##name, METH_NOARGS, NULL \
    }
#define ARGS(name) \
    { \
#name, py_##name, METH_VARARGS, NULL \
    }
PyMethodDef runtime_methods[] = {
    FAST(eval),
    ONE(wait),
    FAST(variable),
    FAST(assign),
    FAST(assign_slice),
    FAST(from_bytes),
    ONE(device_exists),
    ONE(parse_device),
    ONE(device_info),
    ONE(device_processes),
    ONE(print_digits),
    NONE(num_gpus),
    NONE(num_tpus),
    ONE(sim_gpus),
    ONE(sim_count),
    NONE(sim_clock),
    NONE(default_device),
    ONE(push_device),
    NONE(pop_device),
    ONE(strict),
    ONE(no_grad),
    ONE(fusing),
    ONE(random_layout),
    ONE(set_threads),
    NONE(threads),
    NONE(ledger_sum),
    ONE(ledger_record),
    ONE(ledger_list),
    NONE(ledger_reset),
    ARGS(guard_open),
    ONE(guard_close),
    ONE(trace_start),
    ONE(trace_save),
    NONE(trace_stop),
    ONE(memory_of),
    ARGS(memory_limit),
    ONE(memory_trim),
    NONE(plans),
    ONE(explain),
    NONE(live),
    NONE(after_fork),
    ARGS(from_capsule),
    ARGS(from_buffer),
    ARGS(from_nested),
    ONE(read_bytes),
    ONE(mark_internal),
    {NULL, NULL, 0, NULL},
};
