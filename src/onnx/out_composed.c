/* Operations that ONNX lacks, written as other operations of situ. */
#include "onnx/out.h"
#include "op/attention.h"
#include "op/attr.h"
#include "op/support.h"
#include "op/table.h"
#include "op/view.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

situ_tensor *situ_out_diagonal(const situ_tensor *y, situ_site site)
{
    situ_tensor *x = situ_node_in(y)[0];
    int64_t offset = *(const int64_t *)situ_node_attr(y), columns = x->dim[x->ndim - 1], start[SITU_MAX_DIMS] = {0};
    situ_shape flat = situ_shape_like(y), size = flat, step = {.dim = {1, 1, 1, 1, 1, 1, 1, 1}};
    int last = y->ndim - 1;
    flat.dim[last] = x->dim[x->ndim - 2] * columns;
    step.dim[last] = columns + 1;
    start[last] = offset < 0 ? -offset * columns : offset;
    return situ_slice_at(situ_reshape(x, flat), start, size.dim, step.dim, site);
}

situ_tensor *situ_out_update_slice(const situ_tensor *y, situ_site site)
{
    situ_tensor *x = situ_node_in(y)[0], *value = situ_node_in(y)[1], *none = situ_scalar_int(0);
    const int64_t *start = (const int64_t *)situ_node_word(y);
    situ_tensor *here = situ_ones(situ_shape_like(value), .dtype = SITU_BOOL, .device = x->device);
    here = situ_place_at(here, situ_shape_like(x), start, NULL, none, site);
    return situ_where(here, situ_place_at(value, situ_shape_like(x), start, NULL, none, site), x);
}

/* Adds whole slices: the index is repeated for each of their elements. */
situ_tensor *situ_out_index_add(const situ_tensor *y, situ_site site)
{
    situ_tensor *x = situ_node_in(y)[0], *index = situ_node_in(y)[1];
    const situ_axis_attr *a = situ_node_attr(y);
    situ_shape slices = situ_shape_like(x), places = {.ndim = x->ndim, .dim = {1, 1, 1, 1, 1, 1, 1, 1}};
    slices.dim[a->axis] = places.dim[a->axis] = situ_node_count(index);
    index = situ_broadcast_to(situ_reshape(index, places), slices);
    situ_tensor *in[] = {x, index, situ_reshape(situ_node_in(y)[2], slices)};
    return situ_apply(&situ_op_scatter_add, in, 3, a, sizeof *a, NULL, 0, site);
}

/* x shifted along the axis, with `number` in the gap. */
static situ_tensor *moved(situ_tensor *x, const situ_axis_attr *a, int64_t by, int number, situ_site site)
{
    int64_t from[SITU_MAX_DIMS] = {0}, to[SITU_MAX_DIMS] = {0};
    situ_shape size = situ_shape_like(x);
    size.dim[a->axis] -= by;
    (a->flag ? from : to)[a->axis] = by;
    return situ_place_at(situ_slice_at(x, from, size.dim, NULL, site), situ_shape_like(x), to, NULL, situ_scalar_int(number), site);
}

/* A scan in log2(n) steps (W. Hillis and G. Steele, Data parallel algorithms, 1986). */
situ_tensor *situ_out_cumprod(const situ_tensor *y, situ_site site)
{
    situ_tensor *x = situ_node_in(y)[0];
    const situ_axis_attr *a = situ_node_attr(y);
    for (int64_t by = 1; by < y->dim[a->axis]; by *= 2) x = situ_mul(x, moved(x, a, by, 1, site));
    return x;
}

situ_tensor *situ_out_linear_scan(const situ_tensor *y, situ_site site)
{
    situ_tensor *factor = situ_node_in(y)[0], *sum = situ_node_in(y)[1];
    const situ_axis_attr *a = situ_node_attr(y);
    for (int64_t by = 1; by < y->dim[a->axis]; by *= 2) {
        sum = situ_add(situ_mul(factor, moved(sum, a, by, 0, site)), sum);
        factor = situ_mul(factor, moved(factor, a, by, 1, site));
    }
    return sum;
}

/* Columns first ... first + heads * width - 1 of x [batch, positions, ...] as [batch, heads, positions, width]. */
static situ_tensor *heads_of(situ_tensor *x, int64_t first, int64_t heads, int64_t width, situ_site site)
{
    int64_t start[] = {0, 0, first}, size[] = {x->dim[0], x->dim[1], heads * width};
    situ_tensor *part = situ_reshape(situ_slice_at(x, start, size, NULL, site), SHAPE(x->dim[0], x->dim[1], heads, width));
    return situ_permute(part, AXES(0, 2, 1, 3));
}

/* A slice of self_attention: the result without the log-sums that only its gradient reads is a plain softmax
 * attention. */
situ_tensor *situ_out_slice(const situ_tensor *y, situ_site site)
{
    const situ_tensor *both = situ_node_in(y)[0];
    const situ_attention_attr *a = situ_node_attr(both);
    situ_tensor *x = situ_node_in(both)[0];
    int64_t batch = 1, all = x->dim[x->ndim - 1] / 3, positions = x->dim[x->ndim - 2];
    for (int i = 0; i < x->ndim - 2; i++) batch *= x->dim[i];
    x = situ_reshape(x, SHAPE(batch, positions, 3 * all));
    situ_tensor *part[3];
    for (int i = 0; i < 3; i++) part[i] = heads_of(x, i * all, a->heads, all / a->heads, site);
    situ_tensor *result = situ_attention(part[0], part[1], part[2], .scale = a->scale, .causal = a->causal);
    return situ_reshape(situ_permute(result, AXES(0, 2, 1, 3)), situ_shape_like(y));
}

/* Counts the elements before each value. */
situ_tensor *situ_out_searchsorted(const situ_tensor *y, situ_site site)
{
    situ_tensor *sorted = situ_node_in(y)[0], *value = situ_expand_dims(situ_node_in(y)[1], -1);
    bool right = *(const int32_t *)situ_node_attr(y);
    situ_tensor *before = right ? situ_less_equal(sorted, value) : situ_less(sorted, value);
    return situ_sum(situ_cast(before, SITU_I64), .axes = AXES(-1));
}
