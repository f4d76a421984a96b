/* Writing into a larger tensor: padding, the gradient of slices, and parts of variables. */
#include "op/attr.h"
#include "op/create.h"
#include "op/host.h"
#include "op/number.h"
#include "op/support.h"
#include "op/view.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

typedef situ_place_attr place_attr;

static int infer_place(situ_infer *c)
{
    const place_attr *a = c->attr;
    c->dtype = (situ_dtype)c->in[0]->dtype;
    situ_infer_dims(c, c->in[0]->ndim, a->dim);
    return 0;
}

/* The address of x's first element in the result, and the strides. */
static char *region(const situ_call_desc *c, char *out, const uint64_t *start, const int64_t *step, int64_t *stride)
{
    int64_t offset = 0;
    for (int i = 0; i < c->out.ndim; i++) {
        offset += (int64_t)start[i] * c->out.stride[i];
        stride[i] = c->out.stride[i] * (step ? step[i] : 1);
    }
    return out + offset * (int64_t)situ_dtype_size((situ_dtype)c->out.dtype);
}

static void host_place(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    const place_attr *a = c->attr;
    situ_dtype dtype = (situ_dtype)c->out.dtype;
    char element[16] = {0};
    double number;
    memcpy(&number, h->word, 8);
    if (!a->floating && !situ_dtype_is_complex(dtype)) situ_element_set_i64(dtype, element, (int64_t)h->word[0]);
    else situ_element_set_c128(dtype, element, (situ_c128){a->floating ? number : (double)(int64_t)h->word[0], 0});
    situ_host_fill(address[0], situ_layout_count(&c->out), element, situ_dtype_size(dtype));
    int64_t stride[8];
    char *to = region(c, address[0], h->word + 1, a->step, stride);
    situ_host_copy(to, stride, address[1], c->in[0].stride, c->out.ndim, c->in[0].dim, situ_dtype_size(dtype));
}

static void vjp_place(situ_vjp *c)
{
    const place_attr *a = situ_node_attr(c->y);
    c->out[0] = situ_slice_at(c->g, (const int64_t *)situ_node_word(c->y) + 1, c->in[0]->dim, a->step, c->site);
}

const situ_op situ_op_place = {.name = "place",
    .family = SITU_CALL,
    .strided = true,
    .operands = "x",
    .infer = infer_place,
    .vjp = vjp_place,
    .host = host_place};

situ_tensor *situ_place_at(
    situ_tensor *x, situ_shape shape, const int64_t *start, const int64_t *step, const situ_tensor *number, situ_site site)
{
    if (!situ_usable(&x, 1, "place", site)) return situ_poisoned();
    place_attr attr = {.floating = number->kind == 2};
    uint64_t word[9] = {situ_node_word(number)[0]};
    bool whole = true;
    for (int i = 0; i < x->ndim; i++) {
        attr.dim[i] = shape.dim[i];
        attr.step[i] = step ? step[i] : 1;
        word[1 + i] = (uint64_t)start[i];
        whole &= x->dim[i] == attr.dim[i] && attr.step[i] == 1;
    }
    if (whole) return situ_itself(x, site);
    return situ_apply(&situ_op_place, &x, 1, &attr, sizeof attr, word, 1 + x->ndim, site);
}

/* Index of x's slice for each padded position: those before 0 and from n on follow the mode. */
static situ_tensor *pad_axis(situ_tensor *x, int axis, int64_t before, int64_t after, situ_pad_mode mode, situ_site site)
{
    int64_t n = x->dim[axis], period = n > 1 ? 2 * (n - 1) : 1;
    situ_tensor *at = situ_arange(-before, n + after, 1, .device = x->device);
    if (mode == SITU_PAD_EDGE) at = situ_minimum(situ_maximum(at, 0), n - 1);
    else at = situ_remainder(at, mode == SITU_PAD_CIRCULAR ? n : period);
    if (mode == SITU_PAD_REFLECT) at = situ_minimum(at, situ_sub(period, at));
    return situ_take(x, at, .axis = axis);
}

static situ_tensor *pad_from_within(situ_tensor *x, situ_shape before, situ_shape after, situ_pad_mode mode, situ_site site)
{
    char text[SITU_BRIEF_TEXT];
    if (mode != SITU_PAD_REFLECT && mode != SITU_PAD_EDGE && mode != SITU_PAD_CIRCULAR)
        return situ_refused(SITU_BAD_OPTION, site,
            "pad: " SITU_SAY(".mode", "mode") " = %d; it is " SITU_SAY(
                "SITU_PAD_CONSTANT, _REFLECT, _EDGE or _CIRCULAR", "\"constant\", \"reflect\", \"edge\" or \"circular\""),
            (int)mode);
    for (int i = 0; i < x->ndim; i++) {
        if (!before.dim[i] && !after.dim[i]) continue;
        if (!x->dim[i])
            return situ_refused(
                SITU_BAD_SHAPE, site, "pad: x %s has no elements along axis %d to take new ones from", situ_brief(x, text), i);
        x = pad_axis(x, i, before.dim[i], after.dim[i], mode, site);
        if (situ_error_code) return situ_poisoned();
    }
    return situ_itself(x, site);
}

situ_tensor *(situ_pad)(situ_tensor *x, situ_shape before, situ_shape after, const situ_pad_options *options, situ_site site)
{
    SITU_SPEAK("pad", site);
    situ_pad_options o = {SITU_DEFAULTS(SITU_PAD_DEFAULTS)};
    if (!situ_usable(&x, 1, "pad", site) || !SITU_TAKE_OPTIONS(o, options, "pad", site) ||
        !situ_shape_check(&before, false, "pad", site) || !situ_shape_check(&after, false, "pad", site))
        return situ_poisoned();
    if (before.ndim != x->ndim || after.ndim != x->ndim)
        return situ_refused(SITU_BAD_SHAPE, site, "pad: %lld and %lld widths for %d dimensions; give one for each, 0 for none",
            (long long)before.ndim, (long long)after.ndim, x->ndim);
    situ_shape shape = situ_shape_like(x);
    for (int i = 0; i < x->ndim; i++)
        if (__builtin_add_overflow(shape.dim[i], before.dim[i], &shape.dim[i]) ||
            __builtin_add_overflow(shape.dim[i], after.dim[i], &shape.dim[i]))
            shape.dim[i] = -1;
    if (!situ_shape_check(&shape, false, "pad", site)) return situ_poisoned();
    if (o.mode != SITU_PAD_CONSTANT) return pad_from_within(x, before, after, o.mode, site);
    situ_tensor *number = situ_scalar_float(o.value);
    if (!situ_usable(&number, 1, "pad", site) || !(number = situ_number_fit(number, (situ_dtype)x->dtype, false, "pad", site)))
        return situ_poisoned();
    return situ_place_at(x, shape, before.dim, NULL, number, site);
}

/* ---- update_slice ---------------------------------------------------------------------------------------------------- */

static int infer_update(situ_infer *c)
{
    const situ_tensor *x = c->in[0], *value = c->in[1];
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    if (x->dtype != value->dtype)
        return situ_fail(SITU_BAD_DTYPE, c->site,
            "update_slice: x is %s but value is %s; write " SITU_SAY("situ_cast(value, ...)", "value.astype(x.dtype)"),
            situ_brief(x, a), situ_brief(value, b));
    bool fits = x->ndim == value->ndim;
    for (int i = 0; i < x->ndim && fits; i++) fits = (int64_t)c->word[i] >= 0 && (int64_t)c->word[i] <= x->dim[i] - value->dim[i];
    if (!fits)
        return situ_fail(SITU_BAD_SHAPE, c->site, "update_slice: value %s does not fit into x %s at this start",
            situ_brief(value, b), situ_brief(x, a));
    return situ_infer_same(c);
}

static void host_update(const situ_call_desc *c, char *const *address, const situ_host *h)
{
    size_t size = situ_dtype_size((situ_dtype)c->out.dtype);
    int64_t stride[8];
    if (address[0] != address[1])
        situ_host_copy(address[0], c->out.stride, address[1], c->in[0].stride, c->out.ndim, c->out.dim, size);
    char *to = region(c, address[0], h->word, NULL, stride);
    situ_host_copy(to, stride, address[2], c->in[1].stride, c->out.ndim, c->in[1].dim, size);
}

static void vjp_update(situ_vjp *c)
{
    situ_site site = c->site;
    const int64_t *start = (const int64_t *)situ_node_word(c->y);
    situ_shape at = {.ndim = c->y->ndim};
    memcpy(at.dim, start, 8 * (size_t)at.ndim);
    if (c->need[0]) c->out[0] = situ_update_slice(c->g, situ_full_like(c->in[1], 0, .dtype = (situ_dtype)c->g->dtype), at);
    if (c->need[1]) c->out[1] = situ_slice_at(c->g, start, c->in[1]->dim, NULL, site);
}

const situ_op situ_op_update_slice = {.name = "update_slice",
    .family = SITU_CALL,
    .strided = true,
    .part = true,
    .operands = "x, value",
    .infer = infer_update,
    .vjp = vjp_update,
    .host = host_update};

situ_tensor *(situ_update_slice)(situ_tensor *x, situ_tensor *value, situ_shape start, situ_site site)
{
    SITU_SPEAK("update_slice", site);
    if (!situ_together((situ_tensor *[]){x, value}, 2, "update_slice", "x, value", site)) return situ_poisoned();
    value = situ_as_tensor(value, (situ_dtype)x->dtype, x, "update_slice", site);
    if (start.ndim != x->ndim)
        return situ_refused(
            SITU_BAD_ARGUMENT, site, "update_slice: a start of %lld numbers for %d dimensions", (long long)start.ndim, x->ndim);
    if (value->ndim < x->ndim) {
        situ_shape shape = {.ndim = x->ndim};
        int lead = x->ndim - value->ndim;
        for (int i = 0; i < x->ndim; i++) shape.dim[i] = i < lead ? 1 : value->dim[i - lead];
        value = situ_reshape(value, shape);
    }
    for (int i = 0; i < x->ndim; i++)
        if (start.dim[i] < 0) start.dim[i] += x->dim[i];
    return situ_apply(&situ_op_update_slice, (situ_tensor *[]){x, value}, 2, NULL, 0, (const uint64_t *)start.dim, x->ndim, site);
}

/* True for the elements of x that are written: positions start, start + step, ... of an axis, `size` of them. NULL:
 * the whole axis. */
static situ_tensor *written(const situ_tensor *x, int axis, int64_t start, int64_t size, int64_t step, situ_site site)
{
    if (step == 1 && !start && size == x->dim[axis]) return NULL;
    situ_tensor *i = situ_sub(situ_iota(situ_shape_like(x), axis, SITU_I64, x->device, site), start);
    situ_tensor *inside = situ_logical_and(situ_greater_equal(i, 0), situ_less_equal(i, (size - 1) * step));
    return step == 1 ? inside : situ_logical_and(inside, situ_equal(situ_remainder(i, step), 0));
}

situ_tensor *situ_write_at(situ_tensor *x, situ_tensor *value, const int64_t *start, const int64_t *step, situ_site site)
{
    situ_shape from = situ_shape_like(x), size = situ_shape_like(value);
    int64_t by[SITU_MAX_DIMS];
    situ_axes turned = {.given = 1};
    situ_tensor *mask = NULL;
    bool dense = true;
    for (int i = 0; i < x->ndim; i++) {
        if (!size.dim[i]) return situ_itself(x, site);
        by[i] = size.dim[i] < 2 ? 1 : step[i] < 0 ? -step[i] : step[i];
        from.dim[i] = step[i] < 0 ? start[i] + (size.dim[i] - 1) * step[i] : start[i];
        if (step[i] < 0) turned.axis[turned.count++] = i;
        dense &= by[i] == 1;
    }
    if (turned.count) value = situ_flip(value, .axes = turned);
    if (dense) return situ_update_slice(x, value, from);
    for (int i = 0; i < x->ndim; i++) {
        situ_tensor *inside = written(x, i, from.dim[i], size.dim[i], by[i], site);
        if (inside) mask = mask ? situ_logical_and(mask, inside) : inside;
    }
    return situ_where(mask, situ_place_at(value, situ_shape_like(x), from.dim, by, situ_scalar_int(0), site), x);
}
