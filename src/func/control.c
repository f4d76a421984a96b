/* Loops and branches over tensors; their bodies are functions of the user. */
#include <situ/custom.h>

#include "base/memory.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { MOST_STATES = 64, MOST_STEPS = 4096 };

/* Copies the list to `out`, which has capacity for 64 tensors. */
static bool take(situ_list list, situ_tensor **out, const char *what, const char *operation, situ_site site)
{
    if (list.count >= 0 && list.count <= MOST_STATES && ((out && list.tensor) || !list.count)) {
        for (int i = 0; i < list.count; i++) out[i] = list.tensor[i];
        return situ_usable(out, list.count, operation, site);
    }
    situ_fail(SITU_BAD_ARGUMENT, site, "%s: %s of %d tensors; 0 to %d are possible", operation, what, list.count, MOST_STATES);
    return false;
}

/* Fills the results with poisoned tensors after an error. */
static int poison(int rc, situ_tensor **state, int states)
{
    for (int i = 0; rc && state && i < states; i++) state[i] = situ_poisoned();
    return rc;
}

/* Calls the body, which records; errors name the body's own operations. A negative code if the body failed; it gets an
 * error if the body raised none. */
static int record(
    situ_body_fn body, void *self, situ_tensor **state, situ_list x, situ_tensor **y, const char *operation, situ_site site)
{
    int rc;
    {
        SITU_SPEAK_NOT;
        rc = body(self, state, x, y);
    }
    if (situ_error_code) return -situ_error_code;
    return rc ? situ_fail(SITU_BAD_ARGUMENT, site, "%s: the body returned %d", operation, rc) : 0;
}

/* Checks that the body's results have the shapes and dtypes of the state; otherwise the next step would be a different
 * one. */
static bool same(situ_tensor *const *before, situ_tensor *const *after, int states, const char *operation, situ_site site)
{
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    if (!situ_usable(after, states, operation, site)) return false;
    for (int i = 0; i < states; i++) {
        if (after[i]->dtype == before[i]->dtype && situ_shape_equal(after[i]->ndim, after[i]->dim, before[i]->ndim, before[i]->dim))
            continue;
        situ_fail(SITU_BAD_SHAPE, site, "%s: the body leaves %s as state %d, which was %s", operation, situ_brief(after[i], b),
            i + 1, situ_brief(before[i], a));
        return false;
    }
    return true;
}

static int step(situ_body_fn body, void *self, situ_tensor **state, int states, situ_list x, situ_tensor **y, int ys,
    const char *operation, situ_site site)
{
    situ_tensor *before[MOST_STATES];
    for (int i = 0; i < states; i++) before[i] = state[i];
    for (int i = 0; i < ys; i++) y[i] = NULL;
    int rc = record(body, self, state, x, y, operation, site);
    if (rc) return rc;
    return same(before, state, states, operation, site) && situ_usable(y, ys, operation, site) ? 0 : -situ_error_code;
}

/* The number of steps, from the sequences or the option. */
static int64_t length_of(situ_list xs, int64_t length, const char *operation, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    for (int i = 0; i < xs.count; i++) {
        const situ_tensor *x = xs.tensor[i];
        if (situ_is_number(x) || !x->ndim)
            return situ_fail(SITU_BAD_SHAPE, site, "%s: sequence %d is %s; the steps are the first axis of a sequence", operation,
                i + 1, situ_brief(x, text));
        if (length >= 0 && x->dim[0] != length)
            return situ_fail(SITU_BAD_SHAPE, site, "%s: sequence %d is %s; the others have %lld steps, along their first axis",
                operation, i + 1, situ_brief(x, text), (long long)length);
        length = x->dim[0];
    }
    if (length >= 0) return length;
    return situ_fail(SITU_BAD_ARGUMENT, site, "%s: without sequences .length says how many steps there are", operation);
}

/* Stacks the results of n steps, which are consecutive in `all`. */
static int stack(situ_tensor **all, int64_t n, situ_tensor **ys, int outputs, int axis, situ_site site)
{
    int rc = 0;
    for (int i = 0; i < outputs && !rc; i++) {
        ys[i] = situ_stack(TENSORS_OF(all + i * n, (int)n), .axis = axis);
        rc = -situ_error_code;
    }
    return rc;
}

static int scan(situ_body_fn body, void *self, situ_list start, situ_list xs, situ_tensor **state, situ_tensor **ys, int outputs,
    const situ_steps_options *options, situ_site site)
{
    situ_steps_options o = {SITU_DEFAULTS(SITU_STEPS_DEFAULTS)};
    situ_tensor *x[MOST_STATES], *y[MOST_STATES];
    if (!body || outputs < 0 || outputs > MOST_STATES || (outputs && !ys))
        return situ_fail(SITU_BAD_ARGUMENT, site, "scan: no body, or no array for %d results", outputs);
    if (!SITU_TAKE_OPTIONS(o, options, "scan", site) || !take(start, state, "a state", "scan", site) ||
        !take(xs, x, "sequences", "scan", site))
        return -situ_error_code;
    int64_t n = length_of(xs, o.length, "scan", site);
    if (n < 0) return (int)n;
    if ((!n && outputs) || n > MOST_STEPS)
        return situ_fail(SITU_BAD_ARGUMENT, site, "scan: %lld steps; 1 to %d are recorded at once", (long long)n, MOST_STEPS);
    situ_tensor **all = situ_calloc((size_t)(n * outputs + 1), sizeof *all);
    if (!all) return situ_fail(SITU_NO_MEMORY, site, "scan: no host memory for the results of %lld steps", (long long)n);
    int rc = 0;
    for (int64_t k = 0; k < n && !rc; k++) {
        int64_t at = o.reverse ? n - 1 - k : k;
        for (int i = 0; i < xs.count; i++) x[i] = situ_select(xs.tensor[i], 0, at);
        rc = step(body, self, state, start.count, TENSORS_OF(x, xs.count), y, outputs, "scan", site);
        for (int i = 0; i < outputs && !rc; i++) all[i * n + at] = y[i];
    }
    if (!rc) rc = stack(all, n, ys, outputs, 0, site);
    situ_free(all);
    return rc;
}

int(situ_scan)(situ_body_fn body, void *self, situ_list start, situ_list xs, situ_tensor **state, situ_tensor **ys, int outputs,
    const situ_steps_options *options, situ_site site)
{
    SITU_SPEAK("scan", site);
    int rc = scan(body, self, start, xs, state, ys, outputs, options, site);
    poison(rc, ys, outputs);
    return poison(rc, state, start.count);
}

static int while_loop(situ_test_fn test, situ_body_fn body, void *self, situ_list start, situ_tensor **state, situ_site site)
{
    if (!test || !body) return situ_fail(SITU_BAD_ARGUMENT, site, "while_loop: no test, or no body");
    if (!take(start, state, "a state", "while_loop", site)) return -situ_error_code;
    for (;;) {
        situ_scope *scope = situ_scope_open(); /* frees all that a step recorded, except its state */
        situ_tensor *on;
        {
            SITU_SPEAK_NOT;
            on = test(self, state);
        }
        double value = situ_usable(&on, 1, "while_loop", site) ? situ_item(on) : 0;
        int rc = -situ_error_code;
        if (!rc && value != 0) rc = step(body, self, state, start.count, TENSORS_OF(NULL, 0), NULL, 0, "while_loop", site);
        if ((situ_scope_close_with_all)(scope, TENSORS_OF(state, start.count), state, site) && !rc) rc = -situ_error_code;
        if (rc || value == 0) return rc;
    }
}

int(situ_while_loop)(situ_test_fn test, situ_body_fn body, void *self, situ_list start, situ_tensor **state, situ_site site)
{
    SITU_SPEAK("while_loop", site);
    return poison(while_loop(test, body, self, start, state, site), state, start.count);
}

static int branch(situ_tensor *condition, situ_body_fn then, situ_body_fn otherwise, void *self, situ_list start,
    situ_tensor **state, situ_site site)
{
    if (!situ_usable(&condition, 1, "branch", site) || !take(start, state, "a state", "branch", site)) return -situ_error_code;
    situ_body_fn body = situ_item(condition) != 0 ? then : otherwise;
    if (situ_error_code) return -situ_error_code;
    int rc = body ? record(body, self, state, TENSORS_OF(NULL, 0), NULL, "branch", site) : 0;
    return rc || situ_usable(state, start.count, "branch", site) ? rc : -situ_error_code;
}

int(situ_branch)(situ_tensor *condition, situ_body_fn then, situ_body_fn otherwise, void *self, situ_list start,
    situ_tensor **state, situ_site site)
{
    SITU_SPEAK("branch", site);
    return poison(branch(condition, then, otherwise, self, start, state, site), state, start.count);
}

/* The mapped axis of each input (SITU_FULL: none); returns the number of slices, or a negative code. */
static int64_t slices_of(situ_list inputs, const situ_shape *axes, int64_t *axis, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    int64_t n = -1;
    bool one = axes->ndim == 1 && inputs.count != 1; /* one axis for all inputs: the given one, or 0 */
    if (axes->ndim >= 0 && !one && axes->ndim != inputs.count)
        return situ_fail(SITU_BAD_ARGUMENT, site, "vmap: %lld in_axes for %d inputs", (long long)axes->ndim, inputs.count);
    for (int i = 0; i < inputs.count; i++) {
        const situ_tensor *x = inputs.tensor[i];
        axis[i] = axes->ndim < 0 ? 0 : axes->dim[one ? 0 : i];
        if (axis[i] == SITU_FULL) continue;
        int64_t at = axis[i] < 0 ? axis[i] + x->ndim : axis[i];
        if (situ_is_number(x) || at < 0 || at >= x->ndim || (n >= 0 && x->dim[at] != n))
            return situ_fail(SITU_BAD_SHAPE, site, "vmap: input %d is %s and is to be cut along axis %lld%s", i + 1,
                situ_brief(x, text), (long long)axis[i], n < 0 ? "" : "; all are cut into as many slices");
        n = x->dim[axis[i] = at];
    }
    if (n >= 1 && n <= MOST_STEPS) return n;
    return situ_fail(SITU_BAD_ARGUMENT, site,
        "vmap: %lld slices; 1 to %d are recorded at once, along an axis of at least one input", (long long)(n < 0 ? 0 : n),
        MOST_STEPS);
}

static int call_slice(situ_slices_fn f, void *self, situ_list x, situ_tensor **y, int outputs, situ_site site)
{
    int rc;
    for (int i = 0; i < outputs; i++) y[i] = NULL;
    {
        SITU_SPEAK_NOT;
        rc = f(self, x, y);
    }
    if (situ_error_code) return -situ_error_code;
    if (rc) return situ_fail(SITU_BAD_ARGUMENT, site, "vmap: the function returned %d", rc);
    return situ_usable(y, outputs, "vmap", site) ? 0 : -situ_error_code;
}

static int vmap(situ_slices_fn f, void *self, situ_list inputs, situ_tensor **results, int outputs,
    const situ_vmap_options *options, situ_site site)
{
    situ_vmap_options o = {SITU_DEFAULTS(SITU_VMAP_DEFAULTS)};
    situ_tensor *x[MOST_STATES], *y[MOST_STATES];
    int64_t axis[MOST_STATES];
    if (!f || outputs < 1 || outputs > MOST_STATES || !results)
        return situ_fail(SITU_BAD_ARGUMENT, site, "vmap: no function, or no array for %d results", outputs);
    if (!SITU_TAKE_OPTIONS(o, options, "vmap", site) || !take(inputs, x, "inputs", "vmap", site) ||
        !situ_take_shape(&o.in_axes, ".in_axes", "vmap", site))
        return -situ_error_code;
    int64_t n = slices_of(inputs, &o.in_axes, axis, site);
    if (n < 0) return (int)n;
    situ_tensor **all = situ_calloc((size_t)(n * outputs), sizeof *all);
    if (!all) return situ_fail(SITU_NO_MEMORY, site, "vmap: no host memory for the results of %lld slices", (long long)n);
    int rc = 0;
    for (int64_t k = 0; k < n && !rc; k++) {
        for (int i = 0; i < inputs.count; i++)
            if (axis[i] != SITU_FULL) x[i] = situ_select(inputs.tensor[i], (int)axis[i], k);
        rc = call_slice(f, self, TENSORS_OF(x, inputs.count), y, outputs, site);
        for (int i = 0; i < outputs && !rc; i++) all[i * n + k] = y[i];
    }
    if (!rc) rc = stack(all, n, results, outputs, o.out_axis, site);
    situ_free(all);
    return rc;
}

int(situ_vmap)(situ_slices_fn f, void *self, situ_list inputs, situ_tensor **results, int outputs, const situ_vmap_options *options,
    situ_site site)
{
    SITU_SPEAK("vmap", site);
    return poison(vmap(f, self, inputs, results, outputs, options, site), results, outputs);
}
