/* Devices, the ledger, guards, variables, plans, threads. */
#include "base/memory.h"
#include "binding.h"
#include "device/thread.h"
#include "run/enqueue.h"

static PyObject *py_eval(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    (void)self;
    if (!call_begin(&c, arg, n, 1, "")) return NULL;
    situ_list list = arg_list(&c, 0);
    return call_end_code(&c, c.failed ? 0 : (situ_eval)(list, c.site));
}

static PyObject *py_snapshot(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    (void)self;
    if (!call_begin(&c, arg, n, 1, "snapshot")) return NULL;
    situ_list list = arg_list(&c, 0);
    situ_tensor **out = NULL;
    if (!c.failed) out = situ_malloc((size_t)list.count * sizeof *out + 1);
    if (!c.failed && !out) situ_fail(SITU_NO_MEMORY, c.site, "snapshot: out of host memory");
    int rc = out ? (situ_snapshot)(list, out, c.site) : -1;
    PyObject *result = call_end_tuple(&c, out, rc ? 0 : list.count);
    situ_free(out);
    return result;
}

/* Waits for one tensor, or for all that objects own and that has started, without Python's lock. */
static PyObject *wait_for_one(PyObject *x)
{
    call c;
    if (!call_begin_reading(&c, is_tensor(x) ? tensor_of(x) : NULL, "")) return NULL;
    situ_borrow b = {0};
    int rc = is_tensor(x) ? situ_borrow_open(tensor_of(x), false, &b, c.site) : situ_enqueue_owned(c.site);
    if (!call_leave(&c) || rc) return NULL;
    BEGIN_WAIT
    rc = b.buffer ? situ_borrow_wait(&b, c.site) : (situ_wait)(NULL, c.site);
    situ_borrow_close(&b);
    END_WAIT
    if (rc) return raise_error_or_signal();
    Py_RETURN_NONE;
}

/* Starts all of them first, so that waiting for each is cheap. */
static PyObject *wait_for_list(PyObject *x)
{
    call c;
    if (!call_begin(&c, &x, 1, 1, "")) return NULL;
    situ_list list = arg_list(&c, 0);
    int rc = c.failed ? 0 : (situ_eval)(list, c.site), i = 0;
    while (!c.failed && !rc && i < list.count && (rc = situ_borrow_is_there(list.tensor[i], c.site)) == 1) i++, rc = 0;
    PyObject *done = call_end_code(&c, rc);
    for (; done && i < list.count; i++) {
        PyObject *one = PySequence_GetItem(x, i), *next = one ? wait_for_one(one) : NULL;
        Py_XDECREF(one);
        Py_DECREF(done);
        done = next;
    }
    return done;
}

static PyObject *py_wait(PyObject *self, PyObject *x)
{
    (void)self;
    return PyList_Check(x) || PyTuple_Check(x) ? wait_for_list(x) : wait_for_one(x);
}

/* sim_configure(device, memory, flops, memory_bandwidth, link_bandwidth, link_latency, launch_latency,
 * fail_allocation, lose_at, delay) */
static PyObject *py_sim_configure(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    static const char *const names[] = {"device", "memory", "flops", "memory_bandwidth", "link_bandwidth", "link_latency",
        "launch_latency", "fail_allocation", "lose_at", "delay"};
    call c;
    situ_device d = {0, 0};
    (void)self;
    if (n < 1 || !parse_device(arg[0], &d) || !call_begin(&c, arg, n, sizeof names / sizeof *names, "sim_configure")) return NULL;
    c.argument = names;
    situ_sim_options o = {.size = sizeof o,
        .memory = arg_int(&c, 1, 0),
        .flops = arg_double(&c, 2, 0),
        .memory_bandwidth = arg_double(&c, 3, 0),
        .link_bandwidth = arg_double(&c, 4, 0),
        .link_latency = arg_double(&c, 5, 0),
        .launch_latency = arg_double(&c, 6, 0),
        .fail_allocation = arg_int(&c, 7, 0),
        .lose_at = arg_int(&c, 8, 0),
        .delay = arg_double(&c, 9, 0)};
    return call_end_code(&c, c.failed ? 0 : situ_sim_configure(d, &o));
}

/* sim_host_configure(call, start, copy_bandwidth, kernel, core_flops, flops, spread, memory_bandwidth) */
static PyObject *py_sim_host_configure(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    static const char *const names[] = {
        "call", "start", "copy_bandwidth", "kernel", "core_flops", "flops", "spread", "memory_bandwidth"};
    call c;
    (void)self;
    if (!call_begin(&c, arg, n, sizeof names / sizeof *names, "sim_host_configure")) return NULL;
    c.argument = names;
    situ_sim_host_options o = {.size = sizeof o,
        .call = arg_double(&c, 0, 0),
        .start = arg_double(&c, 1, 0),
        .copy_bandwidth = arg_double(&c, 2, 0),
        .kernel = arg_double(&c, 3, 0),
        .core_flops = arg_double(&c, 4, 0),
        .flops = arg_double(&c, 5, 0),
        .spread = arg_double(&c, 6, 0),
        .memory_bandwidth = arg_double(&c, 7, 0)};
    return call_end_code(&c, c.failed ? 0 : situ_sim_host_configure(&o));
}

static PyObject *seconds_spent(PyObject *const *arg, Py_ssize_t n, const char *name, void (*spend)(double seconds))
{
    static const char *const names[] = {"seconds"};
    call c;
    if (!call_begin(&c, arg, n, 1, name)) return NULL;
    c.argument = names;
    double seconds = arg_double(&c, 0, 0);
    if (!c.failed) spend(seconds);
    return call_end_code(&c, 0);
}

static PyObject *py_sim_host(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    (void)self;
    return seconds_spent(arg, n, "sim_host", situ_sim_host);
}

static PyObject *py_sim_reach(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    (void)self;
    return seconds_spent(arg, n, "sim_reach", situ_sim_reach);
}

static PyObject *py_variable(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    (void)self;
    static const char *const names[] = {"value", "trainable", "name"};
    if (!call_begin(&c, arg, n, 3, "variable")) return NULL;
    c.argument = names;
    const char *name = n > 2 && arg[2] != Py_None ? text_of(arg[2], "name") : NULL;
    if (PyErr_Occurred()) c.failed = true;
    situ_variable_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .trainable = arg_bool(&c, 1, true), .name = name};
    return call_end(&c, (situ_variable)(arg_tensor(&c, 0), &o, c.site));
}

static PyObject *py_assign(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    (void)self;
    static const char *const names[] = {"variable", "value"};
    if (!call_begin(&c, arg, n, 2, "assign")) return NULL;
    c.argument = names;
    situ_tensor *v = arg_tensor(&c, 0), *x = arg_tensor(&c, 1);
    int rc = 0;
    /* one plan for each iteration of a loop that reads nothing */
    if (!c.failed && situ_is_variable(v) && situ_slot_of(v)->pending) rc = (situ_eval)(TENSORS_OF(NULL, 0), c.site);
    return call_end_code(&c, c.failed || rc ? rc : (situ_assign)(v, x, c.site));
}

static PyObject *py_assign_slice(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    (void)self;
    static const char *const names[] = {"variable", "value", "start"};
    if (!call_begin(&c, arg, n, 3, "assign_slice")) return NULL;
    c.argument = names;
    situ_tensor *v = arg_tensor(&c, 0), *x = arg_tensor(&c, 1);
    situ_shape start = arg_shape(&c, 2);
    int rc = 0;
    if (!c.failed && situ_is_variable(v) && situ_slot_of(v)->pending) rc = (situ_eval)(TENSORS_OF(NULL, 0), c.site);
    return call_end_code(&c, c.failed || rc ? rc : (situ_assign_slice)(v, x, start, c.site));
}

static PyObject *done(int rc)
{
    if (rc && situ_failed()) return raise_error();
    Py_RETURN_NONE;
}

static PyObject *py_sim_profile(PyObject *self, PyObject *name)
{
    (void)self;
    const char *text = text_of(name, "sim_profile: name");
    if (!text) return NULL;
    SITU_SPEAK_INSTEAD("sim_profile", NULL);
    return done(situ_sim_profile(text));
}

static bool exists(situ_device d)
{
    situ_device_info info;
    int rc = situ_device_describe(d, &info);
    if (rc) situ_error_take(NULL);
    return !rc;
}

static PyObject *device_facts(situ_device d)
{
    situ_device_info i;
    if (situ_device_describe(d, &i)) return raise_error();
    return Py_BuildValue("{s:s,s:s,s:s,s:L,s:L,s:d,s:O,s:O}", "backend", i.backend, "name", i.name, "driver", i.driver,
        "memory_used", (long long)i.memory_used, "memory_total", (long long)i.memory_total, "utilization", i.utilization,
        "bit_equal", i.bit_equal ? Py_True : Py_False, "simulated", i.simulated ? Py_True : Py_False);
}

/* A list of (process, name, bytes or None). */
static PyObject *process_list(situ_device d)
{
    enum { MOST = 128 };
    situ_device_process p[MOST];
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

/* sim_count(device): its own counters as a dict */
static PyObject *sim_counters(situ_device d)
{
    situ_sim_counters n = {0};
    if (situ_sim_count(d, &n)) return raise_error();
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:d,s:d}", "kernels", (long long)n.kernels, "allocations",
        (long long)n.allocations, "uploads", (long long)n.upload_count, "upload_bytes", (long long)n.upload_bytes, "downloads",
        (long long)n.download_count, "download_bytes", (long long)n.download_bytes, "peers", (long long)n.peer_count, "peer_bytes",
        (long long)n.peer_bytes, "virtual_seconds", n.virtual_seconds, "busy_seconds", n.busy_seconds);
}

static PyObject *sim_times(situ_device d)
{
    situ_sim_parts t;
    if (situ_sim_times(d, &t)) return raise_error();
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d}", "clock", t.clock, "computing", t.computing, "copying", t.copying, "waiting",
        t.waiting, "idle", t.idle);
}

static PyObject *sim_stretch(void)
{
    double late, times = situ_sim_stretch(&late);
    return Py_BuildValue("(dd)", times, late);
}

/* ---- ledger and guards --------------------------------------------------------------------------------------------------- */

static PyObject *ledger_totals(void)
{
    situ_ledger_totals t = situ_ledger_sum();
    return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:d,s:L,s:L}", "local_count", (long long)t.local_count,
        "local_bytes", (long long)t.local_bytes, "upload_count", (long long)t.upload_count, "upload_bytes",
        (long long)t.upload_bytes, "download_count", (long long)t.download_count, "download_bytes", (long long)t.download_bytes,
        "peer_count", (long long)t.peer_count, "peer_bytes", (long long)t.peer_bytes, "wait_count", (long long)t.wait_count,
        "wait_seconds", t.wait_seconds, "recompute_count", (long long)t.recompute_count, "merge_count",
        (long long)situ_ledger_merged());
}
static PyObject *ledger_entries(int n)
{
    if (n < 0) return PyErr_Format(PyExc_ValueError, "ledger: a number of entries, not %d", n);
    situ_ledger_entry *e = PyMem_Malloc((size_t)(n + 1) * sizeof *e);
    if (!e) return PyErr_NoMemory();
    int count = situ_ledger_list(e, n);
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
static PyObject *py_guard_open(PyObject *self, PyObject *args)
{
    long long host, device, peer, waits, bytes;
    int log, nan;
    (void)self;
    if (!PyArg_ParseTuple(args, "LLLLLpp", &host, &device, &peer, &waits, &bytes, &log, &nan)) {
        name_exception("guard");
        return NULL;
    }
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
static PyObject *py_profile_save(PyObject *self, PyObject *path)
{
    (void)self;
    const char *text = text_of(path, "profile: path");
    if (!text) return NULL;
    SITU_SPEAK_INSTEAD("profile", NULL);
    return done(situ_profile_save(text));
}
static PyObject *memory_counters(situ_device d)
{
    situ_memory m;
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
static PyObject *plan_counters(void)
{
    situ_plan_counters p = situ_plans();
    return Py_BuildValue("{s:L,s:L,s:L,s:L}", "made", (long long)p.made, "reused", (long long)p.reused, "cached",
        (long long)p.cached, "bytes", (long long)p.bytes);
}
static PyObject *py_explain(PyObject *self, PyObject *const *arg, Py_ssize_t n)
{
    call c;
    (void)self;
    if (n != 1 || !is_tensor(*arg)) return PyErr_Format(PyExc_TypeError, "explain takes one tensor");
    if (!call_begin(&c, NULL, 0, 0, "explain")) return NULL;
    char *text = situ_explain(tensor_of(*arg));
    PyObject *o = call_leave(&c) && text ? PyUnicode_FromString(text) : NULL;
    free(text);
    return o || PyErr_Occurred() ? o : PyErr_NoMemory();
}
/* promote(dtype, dtype): the dtype that holds both */
METHOD(py_promote)
{
    situ_dtype a, b;
    (void)self;
    if (n != 2 || !parse_dtype(arg[0], &a) || !parse_dtype(arg[1], &b)) return NULL;
    return Py_NewRef(hooks.dtype[situ_dtype_promote(a, b)]);
}

static PyObject *guard_over(int64_t over) { return situ_failed() ? raise_error() : PyLong_FromLongLong(over); }

/* Reads the single argument, which may be named; an error unless it fits. */
static bool take_count(const char *name, PyObject *const *arg, Py_ssize_t n, PyObject *named, int *out)
{
    if (n + (named ? PyTuple_Size(named) : 0) != 1) {
        PyErr_Format(PyExc_TypeError, "%s: takes one argument, a whole number", name);
        return false;
    }
    int overflow = 0;
    PyObject *index = PyNumber_Index(arg[0]);
    long long value = index ? PyLong_AsLongLongAndOverflow(index, &overflow) : 0;
    Py_XDECREF(index);
    *out = (int)value;
    if (index && (overflow || value != *out)) PyErr_Format(PyExc_OverflowError, "%s: %R is too large", name, arg[0]);
    if (PyErr_Occurred()) name_exception(name);
    return !PyErr_Occurred();
}

#define GET(name, value, doc) \
    static PyObject *py_##name(PyObject *self, PyObject *const *arg, Py_ssize_t n) \
    { \
        (void)self, (void)arg; \
        return n ? PyErr_Format(PyExc_TypeError, "%s: takes no arguments (%zd given)", #name, n) : value; \
    }
#define COUNT(name, who, value, doc) \
    static PyObject *py_##name(PyObject *self, PyObject *const *arg, Py_ssize_t count, PyObject *named) \
    { \
        int n; \
        const char *name_ = who; \
        (void)self; \
        if (!take_count(who, arg, count, named, &n)) return NULL; \
        situ_speaker before = situ_speak_instead(who, here(&name_)); \
        PyObject *result = value; \
        situ_spoken(&before); \
        return result; \
    }
/* Starts what objects own, without waiting. */
static PyObject *start_owned(void)
{
    call c;
    if (!call_begin(&c, NULL, 0, 0, "")) return NULL;
    return call_end_code(&c, situ_enqueue_owned(c.site));
}

static PyObject *eager(bool on)
{
    bool before = starts_at_once;
    starts_at_once = on;
    return PyBool_FromLong(before);
}

/* What this thread's tensors are on where no block says another device. */
static PyObject *first_device(situ_device d)
{
    situ_device_thread *t = situ_thread_self();
    if (!t) return PyErr_NoMemory();
    if (!situ_device_resolve(&d, NULL) && situ_dev_open(d, NULL)) t->first = d;
    return done(-situ_error_code);
}
#define SWITCH(name, value, doc) \
    static PyObject *py_##name(PyObject *self, PyObject *o) \
    { \
        int on = PyObject_IsTrue(o); \
        (void)self; \
        if (on < 0) name_exception(#name); \
        return on < 0 ? NULL : value; \
    }
#define PLACE(name, value, doc) \
    static PyObject *py_##name(PyObject *self, PyObject *o) \
    { \
        situ_device d; \
        (void)self; \
        return parse_device(o, &d) ? value : NULL; \
    }
#include "runtime.def"
#undef GET
#undef COUNT
#undef SWITCH
#undef PLACE

#define ROW(name, flags, doc) {#name, (PyCFunction)(void (*)(void))py_##name, flags, doc},
#define GET(name, value, doc) ROW(name, METH_FASTCALL, doc)
#define COUNT(name, who, value, doc) ROW(name, METH_FASTCALL | METH_KEYWORDS, doc)
#define SWITCH(name, value, doc) ROW(name, METH_O, doc)
#define PLACE(name, value, doc) ROW(name, METH_O, doc)
PyMethodDef runtime_methods[] = {
#include "runtime.def"
    ROW(explain, METH_FASTCALL, "explain(x)\n--\n\nHow x would be computed: groups, implementations, bytes.") ROW(wait, METH_O, "")
        ROW(profile_save, METH_O, "") ROW(sim_profile, METH_O, "") ROW(read_bytes, METH_O, "") ROW(mark_internal, METH_O, "")
            ROW(guard_open, METH_VARARGS, "") ROW(memory_limit, METH_VARARGS, "") ROW(from_capsule, METH_VARARGS, "")
                ROW(from_buffer, METH_VARARGS, "") ROW(from_nested, METH_VARARGS, "") FAST(eval),
    FAST(snapshot), FAST(variable), FAST(assign), FAST(assign_slice), FAST(sim_configure), FAST(sim_host), FAST(sim_reach),
    FAST(sim_host_configure), FAST(from_bytes), FAST(promote), {NULL, NULL, 0, NULL}};
