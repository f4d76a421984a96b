/* Connectionist temporal classification: the forward recursion over labels with blanks between them, on logarithms. */
#include <math.h>

#include "func/losses.h"
#include "graph/operand.h"
#include "op/attr.h"
#include "op/index.h"
#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

#define NEVER (-1e30) /* stands for log(0), with finite gradients */

/* The labels as i64, with blanks after the end of each row. A gather raises the error of a label without a class. */
static situ_tensor *known_labels(
    situ_tensor *log_probs, situ_tensor *labels, const situ_ctc_loss_options *o, situ_tensor *positions, situ_site site)
{
    situ_shape shape = situ_shape_like(labels);
    labels = situ_cast(labels, SITU_I64);
    if (o->target_lengths) labels = situ_where(situ_less(positions, situ_expand_dims(o->target_lengths, -1)), labels, o->blank);
    situ_tensor *none = situ_zeros(SHAPE(1), .dtype = SITU_I64, .device = situ_device_of(labels));
    situ_tensor *table = situ_broadcast_to(none, SHAPE(shape.dim[0], shape.dim[1], log_probs->dim[2]));
    return situ_add(labels, situ_squeeze(situ_gather_labels(table, labels, site), .axes = AXES(-1)));
}

/* Lengths as i64; a gather raises the error of a length outside of 0 to `most`. */
static situ_tensor *known_lengths(situ_tensor *lengths, int64_t most, situ_site site)
{
    static const situ_axis_attr not_negative = {.flag = true};
    lengths = situ_cast(lengths, SITU_I64);
    situ_tensor *in[] = {situ_zeros(SHAPE(most + 1), .dtype = SITU_I64, .device = situ_device_of(lengths)), lengths};
    return situ_add(lengths, situ_apply(&situ_op_take, in, 2, &not_negative, sizeof not_negative, NULL, 0, site));
}

static situ_tensor *positions_of(int64_t n, const situ_tensor *x, situ_site site)
{
    return situ_arange(0, (double)n, 1, .dtype = SITU_I64, .device = x->device);
}

/* The elements of t one or two positions earlier. */
static situ_tensor *shifted(situ_tensor *padded, int64_t by, int64_t rows, int64_t length, situ_site site)
{
    return situ_slice(padded, .start = SHAPE(0, 2 - by), .stop = SHAPE(rows, 2 - by + length));
}

/* The logarithm of the summed probability of all paths that end in each state, after the last valid step. */
static situ_tensor *ways(situ_tensor *emitted, situ_tensor *states, const situ_ctc_loss_options *o, situ_site site)
{
    int64_t rows = emitted->dim[0], steps = emitted->dim[1], length = emitted->dim[2];
    situ_tensor *before = shifted(situ_pad(states, SHAPE(0, 2), SHAPE(0, 0), .value = -1), 2, rows, length, site);
    situ_tensor *jump = situ_logical_and(situ_not_equal(states, o->blank), situ_not_equal(states, before));
    situ_tensor *cost = situ_cast(situ_where(jump, 0.0, NEVER), (situ_dtype)emitted->dtype);
    situ_tensor *lengths = o->input_lengths ? situ_expand_dims(o->input_lengths, -1) : NULL;
    situ_tensor *position = positions_of(length, emitted, site);
    situ_tensor *sum = situ_where(situ_less(position, 2), situ_select(emitted, 1, 0), NEVER);
    if (lengths) sum = situ_where(situ_greater(lengths, 0), sum, situ_where(situ_less(position, 1), 0.0, NEVER));
    for (int64_t t = 1; t < steps && !situ_error_code; t++) {
        situ_tensor *padded = situ_pad(sum, SHAPE(0, 2), SHAPE(0, 0), .value = NEVER);
        situ_tensor *here = situ_logaddexp(sum, shifted(padded, 1, rows, length, site));
        situ_tensor *next = situ_logaddexp(here, situ_add(shifted(padded, 2, rows, length, site), cost));
        next = situ_add(next, situ_select(emitted, 1, t));
        sum = lengths ? situ_where(situ_greater(lengths, t), next, sum) : next;
    }
    return sum;
}

static bool check(situ_tensor *x, const situ_tensor *labels, const situ_ctc_loss_options *o, situ_site site)
{
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    if (!situ_dtype_is_integer((situ_dtype)labels->dtype) || !situ_dtype_is_float((situ_dtype)x->dtype)) {
        situ_fail(SITU_BAD_DTYPE, site, "ctc_loss: log_probs are floats and labels integers, not %s and %s", situ_brief(x, a),
            situ_brief(labels, b));
        return false;
    }
    bool fits = x->ndim == 3 && labels->ndim == 2 && x->dim[0] == labels->dim[0] && x->dim[1] > 0;
    if (!fits) {
        situ_fail(SITU_BAD_SHAPE, site, "ctc_loss: log_probs %s and labels %s are not [N, steps, classes] and [N, labels]",
            situ_brief(x, a), situ_brief(labels, b));
        return false;
    }
    if (!situ_option_fits(x, o->input_lengths, "ctc_loss", "log_probs, input_lengths", site) ||
        !situ_option_fits(x, o->target_lengths, "ctc_loss", "log_probs, target_lengths", site))
        return false;
    const situ_tensor *lengths[] = {o->input_lengths, o->target_lengths};
    for (int i = 0; i < 2; i++) {
        const situ_tensor *n = lengths[i];
        if (!n || (situ_dtype_is_integer((situ_dtype)n->dtype) && n->ndim == 1 && n->dim[0] == x->dim[0])) continue;
        situ_fail(SITU_BAD_SHAPE, site, "ctc_loss: .%s (%s) is not one integer for each of the %lld rows",
            i ? "target_lengths" : "input_lengths", situ_brief(n, a), (long long)x->dim[0]);
        return false;
    }
    if (o->blank >= 0 && o->blank < x->dim[2]) return true;
    situ_fail(SITU_BAD_OPTION, site, "ctc_loss: .blank = %lld; there are %lld classes", (long long)o->blank, (long long)x->dim[2]);
    return false;
}

situ_tensor *(situ_ctc_loss)(situ_tensor *log_probs, situ_tensor *labels, const situ_ctc_loss_options *options, situ_site site)
{
    SITU_SPEAK("ctc_loss", site);
    situ_ctc_loss_options o = {SITU_DEFAULTS(SITU_CTC_LOSS_DEFAULTS)};
    situ_tensor *in[] = {log_probs, labels};
    if (!situ_take_loss(in, 2, &o, sizeof o, options, "ctc_loss", "log_probs, labels", site) || !check(log_probs, labels, &o, site))
        return situ_poisoned();
    situ_hint_logs(log_probs, "ctc_loss", site);
    if (!labels->dim[1]) { /* no labels: adds an unused one */
        labels = situ_full(SHAPE(labels->dim[0], 1), o.blank, .dtype = SITU_I64, .device = labels->device);
        if (!o.target_lengths) o.target_lengths = situ_squeeze(situ_zeros_like(labels), .axes = AXES(1));
    }
    int64_t rows = labels->dim[0], most = labels->dim[1];
    if (o.target_lengths) o.target_lengths = known_lengths(o.target_lengths, most, site);
    if (o.input_lengths) o.input_lengths = known_lengths(o.input_lengths, log_probs->dim[1], site);
    situ_dtype dtype = (situ_dtype)log_probs->dtype == SITU_F64 ? SITU_F64 : SITU_F32;
    situ_tensor *known = known_labels(log_probs, labels, &o, positions_of(most, labels, site), site);
    situ_tensor *blanks = situ_full_like(known, o.blank);
    situ_tensor *pairs = situ_reshape(situ_stack(TENSORS(blanks, known), .axis = -1), SHAPE(rows, 2 * most));
    situ_tensor *states = situ_concat(TENSORS(pairs, situ_slice(blanks, .stop = SHAPE(rows, 1))), .axis = 1);
    if (situ_error_code) return situ_poisoned();
    situ_tensor *sum = ways(situ_gather(situ_cast(log_probs, dtype), situ_expand_dims(states, 1)), states, &o, site);
    situ_tensor *count = o.target_lengths ? situ_cast(o.target_lengths, SITU_I64) : situ_full_like(situ_select(known, 1, 0), most);
    situ_tensor *last = situ_expand_dims(situ_mul(count, 2), -1);
    situ_tensor *label = situ_where(situ_greater(last, 0), situ_gather(sum, situ_maximum(situ_sub(last, 1), 0)), NEVER);
    situ_tensor *loss = situ_negative(situ_squeeze(situ_logaddexp(situ_gather(sum, last), label), .axes = AXES(-1)));
    loss = situ_where(situ_greater(loss, -0.1 * NEVER), o.zero_infinity ? 0.0 : (double)INFINITY, loss);
    if (o.reduction == SITU_MEAN) loss = situ_div(loss, situ_cast(situ_maximum(count, 1), dtype));
    return situ_reduced(loss, o.reduction, site);
}
