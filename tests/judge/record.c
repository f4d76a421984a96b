/* What each statement is as a call of the library: elements, creation, reductions, moves. */
#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "function_kinds.h"
#include "move_kinds.h"
#include "record.h"
#include "reduce_kinds.h"

situ_device slot_device[2];
const value *leaf_value;

typedef situ_tensor *(*call_1)(situ_tensor *, situ_site);
typedef situ_tensor *(*call_2)(situ_tensor *, situ_tensor *, situ_site);
typedef situ_tensor *(*call_3)(situ_tensor *, situ_tensor *, situ_tensor *, situ_site);

RECORD(element)
{
    void *f = rows[s->row].function;
    if (rows[s->row].arity == 1) return ((call_1)f)(in[0], site);
    if (rows[s->row].arity == 2) return ((call_2)f)(in[0], in[1], site);
    return ((call_3)f)(in[0], in[1], in[2], site);
}

RECORD(one_operand) { return ((call_1)rows[s->row].function)(in[0], site); }
RECORD(two_operands) { return ((call_2)rows[s->row].function)(in[0], in[1], site); }

/* ---- leaves and creation ---- */

RECORD(leaf)
{
    const value *v = leaf_value;
    (void)in;
    situ_from_host_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = s->dtype, .device = slot_device[s->device]};
    return (situ_from_host)(v->bits, shape_from(v->ndim, v->dim), &o, site);
}

RECORD(create)
{
    const int64_t *a = s->attr;
    situ_made_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = s->dtype, .device = slot_device[s->device]};
    situ_made_options like = {.size = sizeof o, .unnamed = SITU_NAMED, .dtype = s->dtype, .device = SITU_DEVICE_DEFAULT};
    situ_eye_options e = {.size = sizeof e, .unnamed = SITU_NAMED, .dtype = s->dtype, .device = o.device, .columns = a[1], .diagonal = a[2]};
    situ_linspace_options l = {.size = sizeof l, .unnamed = SITU_NAMED, .dtype = s->dtype == SITU_DTYPE_DEFAULT ? SITU_F32 : s->dtype,
                               .device = o.device, .endpoint = !a[1]};
    switch (rows[s->row].variant) {
    case C_LINSPACE: return (situ_linspace)(s->real[0], s->real[1], a[0], &l, site);
    case C_ZEROS: return (situ_zeros)(shape_from(a[0], a + 1), &o, site);
    case C_ONES: return (situ_ones)(shape_from(a[0], a + 1), &o, site);
    case C_FULL: return (situ_full)(shape_from(a[0], a + 1), in[0], &o, site);
    case C_ARANGE: return (situ_arange)(situ_scalar_int(a[0]), situ_scalar_int(a[1]), situ_scalar_int(a[2]), &o, site);
    case C_EYE: return (situ_eye)(a[0], &e, site);
    case C_TRI: return (situ_tri)(a[0], &e, site);
    case C_ZEROS_LIKE: return (situ_zeros_like)(in[0], &like, site);
    case C_ONES_LIKE: return (situ_ones_like)(in[0], &like, site);
    default: return (situ_full_like)(in[0], in[1], &like, site);
    }
}

RECORD(cast) { return (situ_cast)(in[0], s->dtype, site); }

RECORD(copy)
{
    switch (rows[s->row].variant) {
    case S_COPY: return (situ_copy_to)(in[0], slot_device[s->device], site);
    case S_TO: return (situ_to)(in[0], slot_device[s->device], site);
    default: return (situ_stop_gradient)(in[0], site);
    }
}

/* ---- reductions ---- */

RECORD(reduce)
{
    situ_axes axes = axes_from(s->attr);
    bool keepdims = s->attr[8];
    situ_extreme_options e = {.size = sizeof e, .unnamed = SITU_NAMED, .axes = axes, .keepdims = keepdims};
    situ_sum_options t = {.size = sizeof t, .unnamed = SITU_NAMED, .axes = axes, .keepdims = keepdims, .dtype = s->dtype};
    situ_var_options v = {.size = sizeof v, .unnamed = SITU_NAMED, .axes = axes, .keepdims = keepdims, .dtype = s->dtype, .correction = s->real[0]};
    switch (rows[s->row].variant) {
    case R_SUM: return (situ_sum)(in[0], &t, site);
    case R_PROD: return (situ_prod)(in[0], &t, site);
    case R_MEAN: return (situ_mean)(in[0], &t, site);
    case R_LSE: return (situ_logsumexp)(in[0], &t, site);
    case R_VAR: return (situ_var)(in[0], &v, site);
    case R_STD: return (situ_std)(in[0], &v, site);
    case R_NORM: return situ_norm(in[0], .axes = axes, .keepdims = keepdims, .dtype = s->dtype);
    default: return ((situ_tensor *(*)(situ_tensor *, const situ_extreme_options *, situ_site))rows[s->row].function)(in[0], &e, site);
    }
}

RECORD(quantile)
{
    situ_axes axes = axes_from(s->attr);
    situ_extreme_options m = {.size = sizeof m, .unnamed = SITU_NAMED, .axes = axes, .keepdims = s->attr[8]};
    situ_quantile_options q = {.size = sizeof q, .unnamed = SITU_NAMED, .axes = axes, .keepdims = s->attr[8],
                               .method = (situ_quantile_method)s->attr[9]};
    return rows[s->row].variant ? (situ_median)(in[0], &m, site) : (situ_quantile)(in[0], situ_scalar_float(s->real[0]), &q, site);
}

RECORD(global_norm) { return (situ_global_norm)((situ_list){in, s->nin}, site); }

RECORD(arg)
{
    situ_arg_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0], .keepdims = s->attr[1]};
    return (rows[s->row].variant == R_MAX ? (situ_argmax) : (situ_argmin))(in[0], &o, site);
}

RECORD(scan)
{
    situ_scan_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0], .reverse = s->attr[1],
                           .initial = s->attr[2], .dtype = s->dtype};
    return (rows[s->row].variant == R_PROD ? (situ_cumprod) : (situ_cumsum))(in[0], &o, site);
}

RECORD(diff)
{
    situ_diff_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0], .n = s->attr[1]};
    return (situ_diff)(in[0], &o, site);
}

/* ---- moves ---- */

RECORD(view)
{
    const int64_t *a = s->attr;
    situ_axes_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axes = axes_from(a)};
    switch (rows[s->row].variant) {
    case M_RESHAPE: return (situ_reshape)(in[0], shape_from(a[0], a + 1), site);
    case M_PERMUTE: return (situ_permute)(in[0], axes_from(a), site);
    case M_TRANSPOSE: return (situ_transpose)(in[0], site);
    case M_SWAPAXES: return (situ_swapaxes)(in[0], (int)a[0], (int)a[1], site);
    case M_MOVEAXIS: return (situ_moveaxis)(in[0], (int)a[0], (int)a[1], site);
    case M_EXPAND: return (situ_expand_dims)(in[0], (int)a[0], site);
    case M_BROADCAST: return (situ_broadcast_to)(in[0], shape_from(a[0], a + 1), site);
    case M_SELECT: return (situ_select)(in[0], (int)a[0], a[1], site);
    case M_DIAGONAL: return (situ_diagonal)(in[0], a[0], site);
    case M_SQUEEZE: return (situ_squeeze)(in[0], &o, site);
    case M_FFTSHIFT: return (situ_fftshift)(in[0], &o, site);
    case M_IFFTSHIFT: return (situ_ifftshift)(in[0], &o, site);
    default: return (situ_flip)(in[0], &o, site);
    }
}

RECORD(slice)
{
    const int64_t *a = s->attr;
    situ_slice_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.start = shape_from(a[0], a + 1), o.stop = shape_from(a[0], a + 7), o.step = shape_from(a[0], a + 13);
    return (situ_slice)(in[0], &o, site);
}

RECORD(update_slice) { return (situ_update_slice)(in[0], in[1], shape_from(s->attr[0], s->attr + 1), site); }

RECORD(join)
{
    situ_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0]};
    situ_list list = {in, s->nin};
    return (rows[s->row].variant == M_STACK ? (situ_stack) : (situ_concat))(list, &o, site);
}

RECORD(split)
{
    situ_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0]};
    situ_tensor *part[16] = {NULL};
    if (s->attr[1] > 16 || (situ_split)(in[0], (int)s->attr[1], part, &o, site)) return NULL;
    return part[s->attr[2]];
}

RECORD(roll)
{
    situ_roll_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .axis = (int32_t)s->attr[0]};
    return (rows[s->row].variant ? (situ_repeat) : (situ_roll))(in[0], s->attr[1], &o, site);
}

RECORD(pad)
{
    situ_pad_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .value = s->real[0]};
    return (situ_pad)(in[0], shape_from(s->attr[0], s->attr + 1), shape_from(s->attr[0], s->attr + 9), &o, site);
}

RECORD(tile) { return (situ_tile)(in[0], shape_from(s->attr[0], s->attr + 1), site); }

RECORD(triangle) { return (rows[s->row].variant == M_TRIL ? (situ_tril) : (situ_triu))(in[0], s->attr[0], site); }
