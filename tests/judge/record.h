#ifndef JUDGE_RECORD_H
#define JUDGE_RECORD_H

#include "judge.h"

#define RECORD(name) situ_tensor *record_##name(const statement *s, situ_tensor **in, situ_site site)
RECORD(element);
RECORD(leaf);
RECORD(create);
RECORD(cast);
RECORD(reduce);
RECORD(arg);
RECORD(scan);
RECORD(diff);
RECORD(view);
RECORD(slice);
RECORD(update_slice);
RECORD(join);
RECORD(split);
RECORD(roll);
RECORD(pad);
RECORD(tile);
RECORD(triangle);
RECORD(take);
RECORD(embedding);
RECORD(scatter);
RECORD(one_hot);
RECORD(sort);
RECORD(topk);
RECORD(search);
RECORD(isin);
RECORD(find);
RECORD(product);
RECORD(conv);
RECORD(pool);
RECORD(softmax);
RECORD(activation);
RECORD(loss);
RECORD(pair_loss);
RECORD(row_loss);
RECORD(accuracy);
RECORD(quantile);
RECORD(global_norm);
RECORD(layer);
RECORD(layer_norm);
RECORD(attention);
RECORD(random);
RECORD(key);
RECORD(variable);
RECORD(assign);
RECORD(assign_all);
RECORD(copy);
RECORD(gradient);
RECORD(fft);
RECORD(matrix);
RECORD(part);
RECORD(pair);
RECORD(linear_scan);
RECORD(one_operand);
RECORD(two_operands);
RECORD(sample);

/* The device that the statement's slot is in this way. */
extern situ_device slot_device[2];
/* The value of a leaf that is recorded. */
extern const value *leaf_value;

static inline situ_shape shape_from(int64_t ndim, const int64_t *dim)
{
    situ_shape s = {.ndim = ndim};
    for (int i = 0; i < ndim && i < SITU_MAX_DIMS; i++) s.dim[i] = dim[i];
    return s;
}
/* attr[0] axes (-1: all), attr[1..] which */
static inline situ_axes axes_from(const int64_t *a)
{
    situ_axes axes = SITU_AXES_UNSET;
    if (a[0] >= 0) axes = (situ_axes){.given = 1, .count = (int32_t)a[0]};
    for (int i = 0; i < a[0]; i++) axes.axis[i] = (int32_t)a[1 + i];
    return axes;
}

#endif
