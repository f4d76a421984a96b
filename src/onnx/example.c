/* Example inputs for recording a network: other batch sizes with other values. */
#include <situ/index.h>
#include <situ/random.h>

#include "base/error.h"
#include "graph/record.h"
#include "onnx/save.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* A value that differs from x's single value: one between it and 0; 1 for an integer 0, the opposite for bools. */
static situ_tensor *other_value(situ_tensor *x, int record, situ_site site)
{
    situ_dtype d = situ_dtype_of(x);
    if (d == SITU_BOOL) return record == 1 ? situ_logical_not(x) : x;
    bool whole = !situ_dtype_is_float(d) && !situ_dtype_is_complex(d);
    situ_tensor *less = whole ? situ_floor_divide(situ_add(x, situ_less(x, 0)), 2) : situ_mul(x, record == 1 ? 0.75 : 0.5);
    situ_tensor *more = situ_full(situ_shape_of(x),
        whole           ? 1.0 :
            record == 1 ? 0.5 :
                          0.25,
        .dtype = d, .device = situ_device_of(x));
    return situ_where(situ_equal(x, 0), more, situ_cast(less, d));
}

/* Random elements of x: in recording 1 none above its lower quartile, in 2 none below its upper one. So mean, maximum
 * and minimum differ between recordings, and each element is one that x has. */
static situ_tensor *drawn(situ_tensor *x, situ_shape shape, int record, situ_site site)
{
    situ_dtype d = situ_dtype_of(x);
    int64_t n = situ_count(x), quarter = (n - 1) / 4;
    situ_device device = situ_device_of(x);
    situ_tensor *flat = situ_reshape(x, SHAPE(-1));
    situ_tensor *at = situ_randint(situ_key(record, .device = device), shape, 0, n, .dtype = SITU_I64), *y = situ_take(flat, at);
    if (situ_dtype_is_complex(d)) return y;
    if (d == SITU_BOOL) return situ_where(situ_equal(situ_all(flat), situ_any(flat)), other_value(y, record, site), y);
    situ_tensor *sorted = situ_sort(flat), *end = situ_select(sorted, 0, record == 1 ? quarter : n - 1 - quarter);
    situ_tensor *all_equal = situ_equal(situ_select(sorted, 0, 0), situ_select(sorted, 0, n - 1));
    y = record == 1 ? situ_minimum(y, end) : situ_maximum(y, end);
    return situ_where(all_equal, other_value(y, record, site), y);
}

situ_tensor *situ_onnx_example(situ_tensor *x, int axis, int64_t batch, int record, situ_site site)
{
    situ_shape shape = situ_shape_of(x);
    if (situ_error_code) return situ_poisoned();
    bool other = axis >= 0 && shape.dim[axis] != batch;
    if (axis >= 0) shape.dim[axis] = batch;
    if (record && situ_count(x)) return drawn(x, shape, record, site);
    if (!other) return situ_apply1(&situ_op_alias, x, NULL, 0, site);
    situ_tensor *row = situ_remainder(situ_arange(0, batch, 1, .device = situ_device_of(x)), situ_dim(x, axis));
    return situ_take(x, row, .axis = axis);
}
