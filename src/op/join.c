/* Concatenating, splitting and repeating tensors. */
#include "base/memory.h"
#include "op/host.h"
#include "op/support.h"
#include "op/view.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

static int infer_concat(situ_infer *c)
{
    int axis = *(const int32_t *)c->attr;
    situ_infer_same(c);
    for (int k = 1; k < c->nin; k++) {
        const situ_tensor *t = c->in[k];
        bool fits = t->ndim == c->ndim;
        for (int i = 0; i < c->ndim && fits; i++) fits = i == axis || t->dim[i] == c->dim[i];
        if (!fits) {
            char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
            return situ_fail(SITU_BAD_SHAPE, c->site, "concat: %s and %s differ in more than axis %d", situ_brief(c->in[0], a),
                situ_brief(t, b), axis);
        }
        if (__builtin_add_overflow(c->dim[axis], t->dim[axis], &c->dim[axis]))
            return situ_fail(SITU_BAD_SHAPE, c->site, "concat: more than 2^63 elements");
    }
    return 0;
}

static void host_concat(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    (void)h;
    int axis = *(const int32_t *)c->attr;
    size_t size = situ_dtype_size((situ_dtype)c->out.dtype);
    char *to = address[0];
    for (int k = 0; k < c->nin; k++) {
        if (address[1 + k] != to) /* else it was computed in place (plan/memory.c) */
            situ_host_copy(to, c->out.stride, address[1 + k], c->in[k].stride, c->out.ndim, c->in[k].dim, size);
        to += c->in[k].dim[axis] * c->out.stride[axis] * (int64_t)size;
    }
}

static void vjp_concat(situ_vjp *c)
{
    int axis = *(const int32_t *)situ_node_attr(c->y);
    int64_t start[SITU_MAX_DIMS] = {0};
    for (int k = 0; k < c->nin; k++) {
        if (c->need[k]) c->out[k] = situ_slice_at(c->g, start, c->in[k]->dim, NULL, c->site);
        start[axis] += c->in[k]->dim[axis];
    }
}

const situ_op situ_op_concat = {.name = "concat",
    .family = SITU_CALL,
    .strided = true,
    .operands = "",
    .infer = infer_concat,
    .vjp = vjp_concat,
    .host = host_concat};

enum { MOST_AT_ONCE = 64 };

/* Concatenates in groups, so that each call has few operands. */
static situ_tensor *concat(situ_tensor **t, int count, int32_t axis, situ_site site)
{
    while (count > MOST_AT_ONCE) {
        int made = 0;
        for (int i = 0; i < count; i += MOST_AT_ONCE) {
            int n = count - i < MOST_AT_ONCE ? count - i : MOST_AT_ONCE;
            t[made++] = situ_apply(&situ_op_concat, t + i, n, &axis, sizeof axis, NULL, 0, site);
        }
        count = made;
    }
    if (count == 1) return situ_usable(t, 1, "concat", site) ? situ_itself(t[0], site) : situ_poisoned();
    return situ_apply(&situ_op_concat, t, count, &axis, sizeof axis, NULL, 0, site);
}

/* Checks a list and casts its tensors to their common dtype, into `to`. */
static bool take_list(situ_list list, situ_tensor **to, const char *operation, situ_site site)
{
    if (!situ_together(list.tensor, list.count, operation, "", site)) return false;
    situ_dtype dtype = (situ_dtype)list.tensor[0]->dtype;
    for (int i = 0; i < list.count; i++) {
        if (situ_is_number(list.tensor[i])) {
            situ_fail(SITU_BAD_ARGUMENT, site,
                "%s: operand %d is a number; make a tensor of it with " SITU_SAY("situ_full", "situ.full"), operation, i + 1);
            return false;
        }
        dtype = situ_dtype_promote(dtype, (situ_dtype)list.tensor[i]->dtype);
    }
    for (int i = 0; i < list.count; i++) to[i] = situ_cast(list.tensor[i], dtype);
    return !situ_error_code;
}

enum { MOST_TENSORS = 4096 };

/* `t` has capacity for the list. */
static situ_tensor *join_in(situ_tensor **t, situ_list list, const situ_axis_options *options, bool stack, situ_site site)
{
    const char *name = stack ? "stack" : "concat";
    situ_axis_options o = {SITU_DEFAULTS(SITU_AXIS_DEFAULTS)};
    if (!take_list(list, t, name, site) || !SITU_TAKE_OPTIONS(o, options, name, site)) return situ_poisoned();
    int axis = situ_axis(o.axis, t[0]->ndim + stack, name, site);
    if (axis < 0) return situ_poisoned();
    for (int i = 0; i < list.count && stack; i++) {
        if (i && !situ_shape_equal(list.tensor[i]->ndim, list.tensor[i]->dim, list.tensor[0]->ndim, list.tensor[0]->dim))
            return situ_refused(SITU_BAD_SHAPE, site, "stack: tensors 1 and %d have different shapes", i + 1);
        t[i] = situ_expand_dims(t[i], axis);
    }
    return concat(t, list.count, axis, site);
}

static situ_tensor *join(situ_list list, const situ_axis_options *options, bool stack, situ_site site)
{
    const char *name = stack ? "stack" : "concat";
    situ_tensor *few[MOST_AT_ONCE];
    if (list.count < 1 || !list.tensor || list.count > MOST_TENSORS)
        return situ_refused(
            SITU_BAD_ARGUMENT, site, "%s: a list of %d tensors; 1 to %d are possible", name, list.count, MOST_TENSORS);
    if (list.count <= MOST_AT_ONCE) return join_in(few, list, options, stack, site);
    situ_tensor **many = situ_malloc((size_t)list.count * sizeof *many);
    if (!many) return situ_refused(SITU_NO_MEMORY, site, "%s: out of host memory", name);
    situ_tensor *y = join_in(many, list, options, stack, site);
    situ_free(many);
    return y;
}

situ_tensor *(situ_concat)(situ_list tensors, const situ_axis_options *options, situ_site site)
{
    return join(tensors, options, false, site);
}

situ_tensor *(situ_stack)(situ_list tensors, const situ_axis_options *options, situ_site site)
{
    SITU_SPEAK("stack", site);
    return join(tensors, options, true, site);
}

int(situ_split)(situ_tensor *x, int count, situ_tensor **out, const situ_axis_options *options, situ_site site)
{
    situ_axis_options o = {SITU_DEFAULTS(SITU_AXIS_DEFAULTS)};
    for (int i = 0; out && i < count; i++) out[i] = situ_poisoned();
    if (!situ_usable(&x, 1, "split", site) || !SITU_TAKE_OPTIONS(o, options, "split", site)) return -situ_error_code;
    int axis = situ_axis(o.axis, x->ndim, "split", site);
    if (axis < 0) return axis;
    if (count < 1 || !out) return situ_fail(SITU_BAD_ARGUMENT, site, "split: %s", out ? "into less than one part" : "out is NULL");
    int64_t start[SITU_MAX_DIMS] = {0}, size[SITU_MAX_DIMS], n = x->dim[axis];
    memcpy(size, x->dim, 8 * (size_t)x->ndim);
    for (int i = 0; i < count; i++) {
        size[axis] = n / count + (i < n % count);
        out[i] = situ_slice_at(x, start, size, NULL, site);
        start[axis] += size[axis];
    }
    return -situ_error_code;
}

/* ---- roll, tile, repeat ------------------------------------------------------------------------------------------------ */

situ_tensor *(situ_roll)(situ_tensor *x, int64_t shift, const situ_roll_options *options, situ_site site)
{
    SITU_SPEAK("roll", site);
    situ_roll_options o = {.axis = SITU_ALL_AXES};
    if (!situ_usable(&x, 1, "roll", site) || !SITU_TAKE_OPTIONS(o, options, "roll", site)) return situ_poisoned();
    if (o.axis == SITU_ALL_AXES)
        return situ_reshape(
            situ_roll(situ_reshape(x, SHAPE(-1 + (situ_node_count(x) == 0))), shift, .axis = 0), situ_shape_like(x));
    int axis = situ_axis(o.axis, x->ndim, "roll", site);
    if (axis < 0) return situ_poisoned();
    int64_t n = x->dim[axis], start[SITU_MAX_DIMS] = {0}, size[SITU_MAX_DIMS];
    int64_t cut = n ? ((n - shift % n) % n + n) % n : 0; /* index of the element that comes first */
    if (!cut) return situ_itself(x, site);
    memcpy(size, x->dim, 8 * (size_t)x->ndim);
    size[axis] = cut;
    situ_tensor *back = situ_slice_at(x, start, size, NULL, site);
    start[axis] = cut;
    size[axis] = n - cut;
    return situ_concat(TENSORS(situ_slice_at(x, start, size, NULL, site), back), .axis = axis);
}

situ_tensor *(situ_tile)(situ_tensor *x, situ_shape counts, situ_site site)
{
    SITU_SPEAK("tile", site);
    if (!situ_usable(&x, 1, "tile", site) || !situ_shape_check(&counts, false, "tile", site)) return situ_poisoned();
    int ndim = (int)(counts.ndim > x->ndim ? counts.ndim : x->ndim), lead = ndim - (int)counts.ndim, missing = ndim - x->ndim;
    /* axis by axis: [before, n, after] is expanded to [before, count, n, after] */
    situ_shape whole = {.ndim = ndim};
    for (int i = 0; i < ndim; i++) whole.dim[i] = i < missing ? 1 : x->dim[i - missing];
    for (int i = 0; i < ndim; i++) {
        int64_t count = i < lead ? 1 : counts.dim[i - lead], before = 1, rest = 1;
        if (count == 1) continue;
        for (int k = 0; k < ndim; k++) *(k < i ? &before : &rest) *= whole.dim[k];
        x = situ_broadcast_to(situ_reshape(x, SHAPE(before, 1, rest)), SHAPE(before, count, rest));
        if (__builtin_mul_overflow(whole.dim[i], count, &whole.dim[i])) whole.dim[i] = -2;
        x = situ_reshape(x, whole);
    }
    return situ_reshape(x, whole);
}

situ_tensor *(situ_repeat)(situ_tensor *x, int64_t count, const situ_roll_options *options, situ_site site)
{
    SITU_SPEAK("repeat", site);
    situ_roll_options o = {.axis = SITU_ALL_AXES};
    if (!situ_usable(&x, 1, "repeat", site) || !SITU_TAKE_OPTIONS(o, options, "repeat", site)) return situ_poisoned();
    if (o.axis == SITU_ALL_AXES) {
        x = situ_reshape(x, SHAPE(situ_node_count(x)));
        o.axis = 0;
    }
    int axis = situ_axis(o.axis, x->ndim, "repeat", site);
    if (axis < 0) return situ_poisoned();
    int64_t before = 1, after = 1;
    for (int i = 0; i < x->ndim; i++) *(i <= axis ? &before : &after) *= x->dim[i];
    situ_shape whole = situ_shape_like(x);
    if (count < 0 || __builtin_mul_overflow(whole.dim[axis], count, &whole.dim[axis]))
        return situ_refused(SITU_BAD_ARGUMENT, site, "repeat: %lld times is not possible", (long long)count);
    x = situ_broadcast_to(situ_reshape(x, SHAPE(before, 1, after)), SHAPE(before, count, after));
    return situ_reshape(x, whole);
}
