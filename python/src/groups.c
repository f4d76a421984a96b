/* A group of processes; its class is in situ/_group.py. The group lives as long as the process. */
#include <string.h>

#include "binding.h"

#include <situ/group.h>

#define GROUP "situ.group"

situ_group *arg_group(call *c, int i)
{
    PyObject *o = given(c, i), *handle = o ? PyObject_GetAttrString(o, "_handle") : NULL;
    situ_group *g = handle && PyCapsule_IsValid(handle, GROUP) ? PyCapsule_GetPointer(handle, GROUP) : NULL;
    Py_XDECREF(handle);
    if (!o || g) return g;
    PyErr_Format(PyExc_TypeError, "group is a situ.Group, not %R", (PyObject *)Py_TYPE(o));
    c->failed = true;
    return NULL;
}

/* group_open(deadline): (group, engine) */
METHOD(py_group_open)
{
    BEGIN(1, "Group");
    double deadline = arg_double(c, 0, 0);
    situ_group_open_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .deadline = deadline};
    situ_group *g = c->failed ? NULL : (situ_group_open)(&o, c->site);
    if (!call_leave(c)) return NULL;
    PyObject *handle = PyCapsule_New(g, GROUP, NULL);
    if (!handle) return NULL;
    return Py_BuildValue("(NN)", handle, str_of(situ_group_engine(g)));
}

/* group_place(group): (rank, size) among the remaining ranks; not a collective call, so that a forked child may use
 * it, too */
METHOD(py_group_place)
{
    (void)self;
    situ_group *g = n == 1 ? PyCapsule_GetPointer(arg[0], GROUP) : NULL;
    if (!g && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "group_place: takes a group");
    return g ? Py_BuildValue("(ii)", situ_group_rank(g), situ_group_size(g)) : NULL;
}

/* The arguments of Group's methods. */
static const struct {
    const char *name, *argument[2];
} methods[] = {
#define CALL(kind, name, takes, first, second) {#name, {first, second}},
#include "group/calls.def"
#undef CALL
};

/* group(group, "all_reduce", x, word or number): one call of all ranks */
METHOD(py_group)
{
    static const choice reductions[] = {
        {"sum", SITU_GROUP_SUM}, {"mean", SITU_GROUP_MEAN}, {"max", SITU_GROUP_MAX}, {"min", SITU_GROUP_MIN}, {NULL, 0}};
    const char *what = n > 1 ? text_of(arg[1], "what") : NULL;
    if (!what) return NULL;
    BEGIN(4, what);
    situ_group *g = ARG_HANDLE(c, 0, situ_group, GROUP);
    c->arg += 2;
    c->count -= 2;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(what, methods[i].name)) c->argument = methods[i].argument;
    bool reduces = strstr(what, "reduce") != NULL;
    if (!strcmp(what, "barrier")) return call_end_code(c, c->failed ? 0 : (situ_group_barrier)(g, c->site));
    situ_tensor *x = c->failed ? NULL : arg_tensor(c, 0), *y = NULL;
    int number = c->failed ? 0 : reduces ? arg_word(c, 1, reductions, SITU_GROUP_SUM, "reduction") : arg_int32(c, 1, 0);
    if (c->failed) return call_end(c, NULL);
    if (!strcmp(what, "send")) return call_end_code(c, (situ_group_send)(g, x, number, c->site));
    situ_group_reduce_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    if (reduces) o.reduction = (situ_group_reduction)number;
#define X(name) \
    if (!strcmp(what, #name)) y = (situ_group_##name)(g, x, c->site);
#define NUMBER(name) \
    if (!strcmp(what, #name)) y = (situ_group_##name)(g, x, number, c->site);
#define REDUCTION(name) \
    if (!strcmp(what, #name)) y = (situ_group_##name)(g, x, &o, c->site);
#define OTHER(name)
#define CALL(kind, name, takes, first, second) takes(name)
#include "group/calls.def"
    return call_end(c, y);
}

/* group_cut(group, total): (first, count) */
METHOD(py_group_cut)
{
    BEGIN(2, "cut");
    situ_group *g = ARG_HANDLE(c, 0, situ_group, GROUP);
    int64_t total = c->failed ? 0 : arg_int(c, 1, 0), first = 0;
    int64_t count = c->failed ? 0 : situ_group_cut(g, total, &first);
    return call_leave(c) ? Py_BuildValue("(LL)", (long long)first, (long long)count) : NULL;
}

/* group_tree_sum(group, tensors, total, like or None) */
METHOD(py_group_tree_sum)
{
    BEGIN(4, "tree_sum");
    static const char *const names[] = {"group", "tensors", "total", "like"};
    c->argument = names;
    situ_group *g = ARG_HANDLE(c, 0, situ_group, GROUP);
    situ_list part = c->failed ? (situ_list){NULL, 0} : arg_list(c, 1);
    int64_t total = c->failed ? 0 : arg_int(c, 2, 0);
    situ_group_tree_sum_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.like = given(c, 3) ? arg_tensor(c, 3) : NULL;
    return call_end(c, c->failed ? NULL : (situ_group_tree_sum)(g, part, total, &o, c->site));
}

PyMethodDef group_methods[] = {
    FAST(group_open), FAST(group_place), FAST(group), FAST(group_cut), FAST(group_tree_sum), {NULL, NULL, 0, NULL}};
