/* Gathering and scattering by index; sorting and searching. */
#include <string.h>

#include "base/error.h"
#include "onnx/call.h"
#include "onnx/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

SITU_ONNX_BODY(gather) { return situ_take(IN(0), IN(1), .axis = (int32_t)situ_onnx_int(c, "axis", 0)); }
static bool host_gather(situ_onnx_call *c)
{
    const situ_onnx_host *h = situ_onnx_few(c, 0), *at = situ_onnx_few(c, 1);
    if (!h || !at || h->ndim != 1) return false;
    for (int64_t i = 0; i < at->count; i++) {
        int64_t k = situ_onnx_host_int(at, i);
        if (k < -h->count || k >= h->count) return false;
    }
    size_t size = situ_dtype_size(h->dtype);
    uint8_t *to = situ_onnx_give_host(c, 0, h->dtype, at->ndim, at->dim);
    for (int64_t i = 0; to && i < at->count; i++) {
        int64_t k = situ_onnx_host_int(at, i);
        memcpy(to + (size_t)i * size, h->data + (size_t)(k < 0 ? k + h->count : k) * size, size);
    }
    return to != NULL;
}

SITU_ONNX_BODY(gather_elements)
{
    situ_tensor *x = IN(0), *at = IN(1);
    int axis = (int)situ_onnx_int(c, "axis", 0);
    situ_shape s = situ_shape_of(x), k = situ_shape_of(at), stop = s;
    if (situ_error_code || s.ndim != k.ndim || axis < -s.ndim || axis >= s.ndim)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its shapes do not fit");
    if (axis < 0) axis += (int)s.ndim;
    for (int i = 0; i < s.ndim; i++)
        if (i != axis) stop.dim[i] = k.dim[i];
    return situ_gather(situ_slice(x, .stop = stop), at, .axis = axis);
}

/* ---- scattering ----------------------------------------------------------------------------------------------------------- */

/* at * step, where negative indices count from the end. Indices out of range stay out of range of all of x, so that
 * reading or writing there raises the error. */
static situ_tensor *counted(situ_tensor *x, situ_tensor *at, int64_t size, int64_t step, situ_site site)
{
    situ_tensor *from = situ_where(situ_less(at, 0), situ_add(at, size), at);
    situ_tensor *beyond = situ_logical_or(situ_less(from, 0), situ_greater_equal(from, size));
    return situ_where(beyond, situ_count(x), situ_mul(from, step));
}

/* Positions in the flattened x for indices along one axis; along other axes each index has its own position. */
static situ_tensor *flat_positions(situ_tensor *x, situ_tensor *at, int axis, situ_site site)
{
    situ_shape s = situ_shape_of(x), k = situ_shape_of(at);
    situ_tensor *sum = NULL;
    int64_t step = 1;
    at = situ_cast(at, SITU_I64);
    for (int i = (int)s.ndim - 1; i >= 0; i--) {
        situ_shape line = {.ndim = s.ndim};
        for (int j = 0; j < s.ndim; j++) line.dim[j] = i == j ? k.dim[j] : 1;
        situ_tensor *part = i == axis ?
            counted(x, at, s.dim[i], step, site) :
            situ_mul(situ_reshape(situ_arange(0, k.dim[i], 1, .device = situ_device_of(x)), line), step);
        sum = sum ? situ_add(sum, part) : part;
        step *= s.dim[i];
    }
    return situ_reshape(situ_broadcast_to(sum, k), SHAPE(-1));
}

/* Bools at equal positions are combined by "any" (add, max) or "all" (mul, min). */
static situ_tensor *put_truths(situ_tensor *flat, situ_tensor *at, situ_tensor *value, bool any, situ_site site)
{
    if (!any) flat = situ_logical_not(flat), value = situ_logical_not(value);
    situ_tensor *y = situ_scatter_add(situ_cast(flat, SITU_I64), at, situ_cast(value, SITU_I64));
    return any ? situ_not_equal(y, 0) : situ_equal(y, 0);
}

/* x with values stored or combined at flat positions; with equal positions one after the other, unless they are added. */
static situ_tensor *put(situ_onnx_call *c, situ_tensor *x, situ_tensor *at, situ_tensor *value, situ_site site)
{
    const char *how = situ_onnx_one_of(c, "reduction", "none, add, mul, max, min");
    situ_shape s = situ_shape_of(x);
    situ_tensor *flat = situ_reshape(x, SHAPE(-1));
    value = situ_reshape(value, SHAPE(-1));
    if (!strcmp(how, "none")) return situ_reshape(situ_scatter(flat, at, value), s);
    if (!situ_error_code && situ_dtype_of(x) == SITU_BOOL)
        return situ_reshape(put_truths(flat, at, value, !strcmp(how, "add") || !strcmp(how, "max"), site), s);
    if (!strcmp(how, "add")) return situ_reshape(situ_scatter_add(flat, at, value), s);
    int64_t n = situ_dim(at, 0);
    if (n > 4096) return situ_onnx_refuse(c, SITU_UNSUPPORTED, "reduction \"%s\" of more than 4096 values", how);
    for (int64_t i = 0; i < n && !situ_error_code; i++) {
        situ_tensor *k = situ_slice(at, .start = SHAPE(i), .stop = SHAPE(i + 1)),
                    *v = situ_slice(value, .start = SHAPE(i), .stop = SHAPE(i + 1));
        situ_tensor *old = situ_take(flat, k);
        v = !strcmp(how, "mul") ? situ_mul(old, v) : !strcmp(how, "max") ? situ_maximum(old, v) : situ_minimum(old, v);
        flat = situ_scatter(flat, k, v);
    }
    return situ_reshape(flat, s);
}

SITU_ONNX_BODY(scatter_elements)
{
    situ_tensor *x = IN(0), *at = IN(1);
    int axis = (int)situ_onnx_int(c, "axis", 0), ndim = situ_ndim(x);
    if (situ_error_code || axis < -ndim || axis >= ndim || situ_ndim(at) != ndim)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its shapes do not fit");
    return put(c, x, flat_positions(x, at, axis < 0 ? axis + ndim : axis, site), IN(2), site);
}

/* Writes an update into a cache, starting at a position for each batch. */
SITU_ONNX_BODY(tensor_scatter)
{
    situ_tensor *x = IN(0), *update = IN(1);
    int axis = (int)situ_onnx_int(c, "axis", -2), ndim = situ_ndim(x);
    if (axis < 0) axis += ndim;
    if (situ_error_code || !update || axis < 1 || axis >= ndim || situ_ndim(update) != ndim)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its shapes do not fit");
    situ_shape line = {.ndim = ndim}, first = line, k = situ_shape_of(update);
    for (int i = 0; i < ndim; i++) line.dim[i] = i == axis ? k.dim[i] : 1, first.dim[i] = i ? 1 : -1;
    situ_tensor *at = situ_reshape(situ_arange(0, k.dim[axis], 1, .device = situ_device_of(x)), line);
    if (HAS(2)) at = situ_add(at, situ_reshape(situ_cast(IN(2), SITU_I64), first));
    if (situ_onnx_is(c, "mode", "circular", "linear, circular")) at = situ_remainder(at, situ_dim(x, axis));
    return put(c, x, flat_positions(x, situ_broadcast_to(at, k), axis, site), update, site);
}

/* Flat indices of the slices that rows [..., k] of integers select from the first k axes (after `batch` axes). */
static situ_tensor *slice_numbers(situ_tensor *x, situ_tensor *at, int batch, situ_site site)
{
    situ_shape k = situ_shape_of(at);
    int last = (int)k.ndim - 1, depth = (int)k.dim[last];
    situ_tensor *sum = situ_zeros(SHAPE(), .dtype = SITU_I64, .device = situ_device_of(x));
    int64_t step = 1;
    at = situ_cast(at, SITU_I64);
    for (int i = depth - 1; i >= 0; i--) {
        situ_tensor *one = situ_select(at, last, i);
        sum = situ_add(sum, counted(x, one, situ_dim(x, batch + i), step, site));
        step *= situ_dim(x, batch + i);
    }
    for (int i = batch - 1; i >= 0; i--) {
        situ_shape line = {.ndim = last};
        for (int j = 0; j < last; j++) line.dim[j] = i == j ? k.dim[j] : 1;
        sum = situ_add(sum, situ_mul(situ_reshape(situ_arange(0, k.dim[i], 1, .device = situ_device_of(x)), line), step));
        step *= situ_dim(x, i);
    }
    situ_shape rows = k;
    rows.ndim--;
    return situ_broadcast_to(sum, rows);
}

static bool nd_fits(const situ_onnx_call *c, situ_tensor *x, situ_tensor *at, int batch)
{
    int last = situ_error_code ? 0 : situ_ndim(at) - 1;
    if (!situ_error_code && last >= batch && batch >= 0 && situ_dim(at, last) + batch <= situ_ndim(x)) return true;
    situ_onnx_refuse(c, SITU_BAD_SHAPE, "its shapes do not fit");
    return false;
}

SITU_ONNX_BODY(gather_nd)
{
    situ_tensor *x = IN(0), *at = IN(1);
    int batch = (int)situ_onnx_int(c, "batch_dims", 0);
    if (!nd_fits(c, x, at, batch)) return situ_poisoned();
    situ_shape s = situ_shape_of(x), k = situ_shape_of(at), out = {.ndim = 0}, rows = {.ndim = 1, .dim = {1}};
    int depth = batch + (int)k.dim[k.ndim - 1];
    for (int i = 0; i < depth; i++) rows.dim[0] *= s.dim[i];
    for (int i = 0; i + 1 < k.ndim; i++) out.dim[out.ndim++] = k.dim[i];
    for (int i = depth; i < s.ndim; i++) out.dim[out.ndim++] = rows.dim[rows.ndim++] = s.dim[i];
    return situ_reshape(situ_take(situ_reshape(x, rows), situ_reshape(slice_numbers(x, at, batch, site), SHAPE(-1))), out);
}

SITU_ONNX_BODY(scatter_nd)
{
    situ_tensor *x = IN(0), *at = IN(1), *value = IN(2);
    if (!nd_fits(c, x, at, 0)) return situ_poisoned();
    situ_shape s = situ_shape_of(x), k = situ_shape_of(at);
    int64_t width = 1;
    for (int i = (int)k.dim[k.ndim - 1]; i < s.ndim; i++) width *= s.dim[i];
    situ_tensor *first = situ_mul(situ_reshape(slice_numbers(x, at, 0, site), SHAPE(-1, 1)), width);
    situ_tensor *all = situ_add(first, situ_arange(0, width, 1, .device = situ_device_of(x)));
    return put(c, x, situ_reshape(all, SHAPE(-1)), value, site);
}

/* ---- sorting, searching --------------------------------------------------------------------------------------------------- */

SITU_ONNX_BODY(top_k)
{
    int64_t k = situ_onnx_int(c, "k", 1), one;
    if (situ_onnx_numbers(c, 1, NULL, &one, 1) == 1) k = one;
    situ_tensor *where = NULL;
    situ_tensor *y = situ_topk(
        IN(0), k, .axis = (int32_t)situ_onnx_int(c, "axis", -1), .smallest = !situ_onnx_int(c, "largest", 1), .indices = &where);
    situ_onnx_give(c, 1, where);
    return y;
}

situ_tensor *situ_onnx_no_places(situ_tensor *x, int axis, bool keep, situ_site site)
{
    situ_shape s = situ_shape_of(x);
    bool none = false;
    if (situ_error_code || axis < 0 || axis >= s.ndim || s.dim[axis]) return NULL;
    for (int i = 0; i < s.ndim; i++) none |= i != axis && !s.dim[i];
    s.dim[axis] = 1;
    for (int i = axis + 1; !keep && i < s.ndim; i++) s.dim[i - 1] = s.dim[i];
    s.ndim -= !keep;
    return none ? situ_zeros(s, .dtype = SITU_I64, .device = situ_device_of(x)) : NULL;
}

static situ_tensor *arg(situ_onnx_call *c, bool largest, situ_site site)
{
    situ_tensor *x = IN(0);
    int axis = (int)situ_onnx_int(c, "axis", 0), ndim = situ_ndim(x);
    bool keep = situ_onnx_int(c, "keepdims", 1) != 0, last = situ_onnx_int(c, "select_last_index", 0) != 0;
    if (axis < 0) axis += ndim;
    situ_tensor *none = situ_onnx_no_places(x, axis, keep, site);
    if (none) return none;
    if (last) x = situ_flip(x, .axes = AXES(axis));
    situ_tensor *y = largest ? situ_argmax(x, .axis = axis, .keepdims = keep) : situ_argmin(x, .axis = axis, .keepdims = keep);
    return last ? situ_sub(situ_dim(x, axis) - 1, y) : y;
}
SITU_ONNX_BODY(arg_max) { return arg(c, true, site); }
SITU_ONNX_BODY(arg_min) { return arg(c, false, site); }

SITU_ONNX_BODY(non_zero)
{
    situ_tensor *x = IN(0);
    if (!situ_error_code && !situ_ndim(x)) x = situ_reshape(x, SHAPE(1));
    return situ_transpose(situ_nonzero(x));
}

SITU_ONNX_BODY(compress)
{
    const situ_onnx_attribute *a = situ_onnx_attr(c, "axis");
    const situ_onnx_host *h = situ_onnx_read(c, 1);
    situ_tensor *x = IN(0);
    int axis = a ? (int)a->i : 0;
    if (!h || situ_error_code) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "it has no condition");
    if (!a) x = situ_reshape(x, SHAPE(-1));
    int64_t many = 0, *at = situ_arena_alloc(&c->run->arena, 8 * (size_t)(h->count + 1));
    for (int64_t i = 0; at && i < h->count; i++)
        if (situ_onnx_host_int(h, i)) at[many++] = i;
    return situ_take(
        x, situ_from_host((const void *)at, SHAPE(many), .dtype = SITU_I64, .device = situ_device_of(x)), .axis = axis);
}

SITU_ONNX_BODY(one_hot)
{
    const situ_onnx_host *h = situ_onnx_read(c, 1);
    situ_tensor *at = IN(0), *values = IN(2);
    int64_t depth = h && h->count ? situ_onnx_host_int(h, 0) : 0;
    int axis = (int)situ_onnx_int(c, "axis", -1), ndim = situ_ndim(at);
    at = situ_cast(at, SITU_I64);
    situ_tensor *on = situ_one_hot(situ_where(situ_less(at, 0), situ_add(at, depth), at), depth, .dtype = SITU_BOOL);
    situ_tensor *y = situ_where(on, situ_select(values, 0, 1), situ_select(values, 0, 0));
    return axis < 0 ? situ_moveaxis(y, ndim, axis + ndim + 1) : situ_moveaxis(y, ndim, axis);
}

SITU_ONNX_BODY(unique)
{
    const situ_onnx_attribute *a = situ_onnx_attr(c, "axis");
    situ_tensor *x = IN(0), *first, *inverse, *counts, *y;
    int axis = a ? (int)a->i : 0;
    if (situ_error_code) return situ_poisoned();
    if (!a) x = situ_reshape(x, SHAPE(-1));
    if (axis < 0) axis += situ_ndim(x);
    y = situ_unique(x, .index = &first, .inverse = &inverse, .counts = &counts, .axis = axis);
    if (!situ_onnx_int(c, "sorted", 1)) {
        situ_tensor *order = situ_argsort(first);
        y = situ_take(y, order, .axis = axis);
        first = situ_take(first, order);
        counts = situ_take(counts, order);
        inverse = situ_take(situ_argsort(order), inverse);
    }
    situ_onnx_give(c, 1, first);
    situ_onnx_give(c, 2, situ_reshape(inverse, SHAPE(-1)));
    situ_onnx_give(c, 3, counts);
    return y;
}

SITU_ONNX_BODY(cumulate)
{
    situ_tensor *x = IN(0), *y;
    int64_t axis = 0;
    bool reverse = situ_onnx_int(c, "reverse", 0) != 0, product = !strcmp(c->node->type, "CumProd");
    situ_onnx_numbers(c, 1, "axis", &axis, 1);
    if (situ_error_code) return situ_poisoned();
    if (axis < 0) axis += situ_ndim(x);
    situ_dtype d = situ_dtype_of(x);
    bool exclusive = situ_onnx_int(c, "exclusive", 0) != 0;
    y = product ? situ_cumprod(x, .axis = (int32_t)axis, .reverse = reverse, .initial = exclusive, .dtype = d) :
                  situ_cumsum(x, .axis = (int32_t)axis, .reverse = reverse, .initial = exclusive, .dtype = d);
    if (!exclusive || situ_error_code) return y;
    situ_shape start = {.ndim = situ_ndim(y)}, stop = situ_shape_of(y);
    if (reverse) start.dim[axis] = 1;
    else stop.dim[axis]--;
    return situ_slice(y, .start = start, .stop = stop);
}

#define ROW(onnx, f, h, r) \
    { \
        .name = onnx, .body = (f), .host = (h), .read = (r) \
    }
const situ_onnx_op situ_onnx_index_ops[] = {ROW("Gather", gather, host_gather, 0), ROW("GatherElements", gather_elements, NULL, 0),
    ROW("GatherND", gather_nd, NULL, 0), ROW("ScatterElements", scatter_elements, NULL, 0),
    ROW("Scatter", scatter_elements, NULL, 0), ROW("ScatterND", scatter_nd, NULL, 0), ROW("TensorScatter", tensor_scatter, NULL, 0),
    ROW("TopK", top_k, NULL, 2), ROW("ArgMax", arg_max, NULL, 0), ROW("ArgMin", arg_min, NULL, 0),
    ROW("NonZero", non_zero, NULL, 0), ROW("Compress", compress, NULL, 2), ROW("OneHot", one_hot, NULL, 2),
    ROW("Unique", unique, NULL, 0), ROW("CumSum", cumulate, NULL, 2), ROW("CumProd", cumulate, NULL, 2), {0}};
