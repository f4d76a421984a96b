#include "op/support.h"

#include <math.h>
#include <stdio.h>

#include "op/generate.h"
#include "op/number.h"
#include "op/here.h"

bool situ_take_shape(situ_shape *s, const char *option, const char *operation, situ_site site)
{
    if (s->ndim > 0 && s->ndim <= SITU_MAX_DIMS) return true;
    static const situ_shape unset = SITU_SHAPE_UNSET;
    if (s->ndim == -1 && !memcmp(s->dim + 1, unset.dim + 1, sizeof unset.dim - sizeof *unset.dim)) {
        if (s->dim[0] != SITU_FULL) s->ndim = 1; /* one number instead of a shape */
        return true;
    }
    situ_fail(SITU_BAD_OPTION, site,
        "%s: %s is no shape; write " SITU_SAY("SHAPE(1, 2), or 1 for one number", "(1, 2), or 1 for one number"), operation,
        option);
    return false;
}

bool situ_take_axes(situ_axes *axes, const char *operation, situ_site site)
{
    if (axes->given == 1) return true;
    static const situ_axes unset = SITU_AXES_UNSET;
    if (!axes->given && axes->count == -1 && !memcmp(axes->axis + 1, unset.axis + 1, sizeof unset.axis - sizeof *unset.axis)) {
        if (axes->axis[0] != SITU_ALL_AXES) axes->given = axes->count = 1; /* one number instead of a list */
        return true;
    }
    situ_fail(SITU_BAD_OPTION, site,
        "%s: .axes is no list of axes; write " SITU_SAY(
            ".axes = AXES(0, 1), or .axes = 0 for one of them", "axis=(0, 1), or axis=0 for one of them"),
        operation);
    return false;
}

bool situ_take_device(situ_device *d, const char *operation, situ_site site)
{
    if (d->index != INT16_MIN) return true;
    if (d->kind) {
        situ_fail(SITU_BAD_OPTION, site,
            "%s: .device = %d is a number, no device; write " SITU_SAY(
                ".device = situ_gpu(", "device=situ.gpu(") "%d), or " SITU_SAY("situ_cpu()", "situ.cpu()"),
            operation, d->kind, d->kind);
        return false;
    }
    d->index = 0;
    return true;
}

int situ_axis(int axis, int ndim, const char *operation, situ_site site)
{
    if (axis >= -ndim && axis < ndim) return axis < 0 ? axis + ndim : axis;
    if (!ndim) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: axis %d " SITU_AXIS_OF_0_D, operation, axis);
    return situ_fail(SITU_BAD_ARGUMENT, site, "%s: " SITU_NO_AXIS " %d in %d dimension%s; axes go from %d to %d", operation, axis,
        ndim, ndim == 1 ? "" : "s", -ndim, ndim - 1);
}

bool situ_axes_mark(situ_axes axes, int ndim, bool *mark, const char *operation, situ_site site)
{
    for (int i = 0; i < ndim; i++) mark[i] = !axes.given;
    if (!axes.given) return true;
    if (axes.count < 0 || axes.count > SITU_MAX_DIMS) {
        situ_fail(SITU_BAD_ARGUMENT, site, "%s: %d axes; a tensor has at most %d", operation, axes.count, SITU_MAX_DIMS);
        return false;
    }
    for (int i = 0; i < axes.count; i++) {
        int axis = situ_axis(axes.axis[i], ndim, operation, site);
        if (axis < 0) return false;
        if (mark[axis]) {
            situ_fail(SITU_BAD_ARGUMENT, site, "%s: axis %d is named twice", operation, axis);
            return false;
        }
        mark[axis] = true;
    }
    return true;
}

bool situ_shape_check(const situ_shape *s, bool minus, const char *operation, situ_site site)
{
    int open = 0;
    if (s->ndim < 0 || s->ndim > SITU_MAX_DIMS) {
        situ_fail(SITU_BAD_SHAPE, site, "%s: a shape of %lld dimensions; at most %d are possible", operation, (long long)s->ndim,
            SITU_MAX_DIMS);
        return false;
    }
    for (int i = 0; i < s->ndim; i++) {
        if (s->dim[i] >= 0 || (minus && s->dim[i] == -1 && !open++)) continue;
        char text[SITU_SHAPE_TEXT];
        situ_fail(SITU_BAD_SHAPE, site, "%s: %s is no shape: %s", operation,
            situ_shape_text((int)s->ndim, s->dim, text, sizeof text),
            minus ? "one dimension may be -1, the others may not be negative" : "dimensions may not be negative");
        return false;
    }
    if (!open && !situ_shape_fits((int)s->ndim, s->dim))
        return situ_fail(SITU_BAD_SHAPE, site, "%s: a shape of more than 2^63 bytes", operation), false;
    return true;
}

double situ_number_f64(const situ_tensor *t)
{
    double value;
    memcpy(&value, situ_node_word(t), 8);
    if (t->kind == 1 && t->dtype == SITU_U64) return (double)*situ_node_word(t);
    if (t->kind == 1 && t->dtype == SITU_F64) memcpy(&value, situ_node_word(t) + 2, 8); /* a wide scalar: see graph/record.h */
    else if (t->kind < 2) value = (double)(int64_t)*situ_node_word(t);
    return value;
}

int64_t situ_number_i64(const situ_tensor *t)
{
    if (t->kind == 0 || (t->kind == 1 && t->dtype == SITU_I64)) return (int64_t)*situ_node_word(t);
    int64_t value = 0;
    double number = situ_number_f64(t);
    if (t->kind == 2 || t->dtype == SITU_F64) situ_element_set_f64(SITU_I64, &value, number);
    else value = t->dtype == SITU_U64 ? INT64_MAX : (int64_t)*situ_node_word(t);
    return value;
}

int situ_refuse_complex(const situ_infer *c)
{
    for (int i = 0; i < c->nin; i++)
        if (situ_dtype_is_complex((situ_dtype)c->in[i]->dtype))
            return situ_fail(SITU_BAD_DTYPE, c->site,
                "%s: no rule for %s; take " SITU_SAY("situ_real and situ_imag", "situ.real and situ.imag") " of it", c->op->name,
                situ_dtype_name((situ_dtype)c->in[i]->dtype));
    return 0;
}

const char *situ_brief(const situ_tensor *t, char *text)
{
    char shape[SITU_SHAPE_TEXT];
    if (situ_is_number(t)) snprintf(text, SITU_BRIEF_TEXT, "the number %s", situ_number_text(t, shape));
    else
        snprintf(text, SITU_BRIEF_TEXT, "%s%s", situ_dtype_name((situ_dtype)t->dtype),
            situ_shape_text(t->ndim, t->dim, shape, sizeof shape));
    return text;
}

situ_dtype situ_infer_promote(const situ_infer *c, int first, int count)
{
    static const situ_dtype weak[] = {SITU_BOOL, SITU_I64, SITU_F32};
    int number = -1;
    bool large = false;
    situ_dtype d = SITU_DTYPE_DEFAULT;
    for (int i = first; i < first + count; i++) {
        const situ_tensor *t = c->in[i];
        if (situ_is_number(t)) {
            if (t->kind > number) number = t->kind;
            large |= t->dtype == SITU_U64;
        } else if (d != (situ_dtype)t->dtype) {
            d = d == SITU_DTYPE_DEFAULT ? (situ_dtype)t->dtype : situ_dtype_promote(d, (situ_dtype)t->dtype);
        }
    }
    /* a C number takes the tensors' dtype unless it is of a higher kind */
    if (d == SITU_DTYPE_DEFAULT || number > situ_dtype_rank(d)) d = number == 1 && large ? SITU_U64 : weak[number < 0 ? 0 : number];
    return d;
}

bool situ_check_epsilon(double eps, const char *operation, situ_site site)
{
    if (eps >= 0 && eps < INFINITY) return true;
    situ_fail(SITU_BAD_OPTION, site,
        "%s: " SITU_SAY(".eps", "eps") " = %g; it is added to a variance, so it is at least 0 and finite", operation, eps);
    return false;
}
