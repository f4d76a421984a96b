/* Rotary embedding (Su et al. 2021): pairs of elements, half a row apart, are rotated by an angle that depends on the
 * position. */
#include <math.h>

#include "math/f64.h"
#include "op/kernel.h"
#include "op/rotary.h"
#include "op/support.h"
#include "op/table.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Positions are along an axis; after it come rows of pairs, `heads` of them with the same angle. */
SITU_KERNEL(rotary, SITU_FLOATS, (pairs), {
    EACH_J
    {
        i64_F pair = j % K.pairs, at = row * 2 * K.inner + (j - pair) * 2 + pair;
        E c = IN1[i * K.pairs + pair], s = IN2[i * K.pairs + pair], a = IN0[at], b = IN0[at + K.pairs];
        OUT[at] = a * c - b * s;
        OUT[at + K.pairs] = b * c + a * s;
}
})

static void rotary_shape(const situ_call_desc *c, struct rotary *k)
{
    const int64_t *axis = c->attr;
    situ_around r = situ_host_around(&c->out, (int)*axis);
    k->outer = r.outer;
    k->rows = r.n;
    k->inner = r.inner / 2;
    k->pairs = c->out.dim[c->out.ndim - 1] / 2;
}

/* Angles come from integers, so there is no gradient by them. */
static void vjp_rotary(situ_vjp *c)
{
    situ_site site = c->site;
    c->out[0] = situ_rotary_by(c->g, c->in[1], situ_negative(c->in[2]), (int)*(const int64_t *)situ_node_attr(c->y), site);
}

const situ_op situ_op_rotary = {.name = "rotary",
    .family = SITU_CALL,
    .operands = "x, cosine, sine",
    .infer = situ_infer_same,
    .vjp = vjp_rotary,
    .reads = {SITU_READS_B | SITU_READS_C},
    SITU_ONE_KERNEL(rotary)};

situ_tensor *situ_rotary_by(situ_tensor *x, situ_tensor *cosine, situ_tensor *sine, int axis, situ_site site)
{
    int64_t attr = axis;
    return situ_apply(&situ_op_rotary, (situ_tensor *[]){x, cosine, sine}, 3, &attr, sizeof attr, NULL, 0, site);
}

void situ_rotary_angles(situ_tensor *position, int64_t half, double base, situ_tensor *factors, situ_dtype dtype,
    situ_tensor **cosine, situ_tensor **sine, situ_site site)
{
    situ_tensor *i = situ_arange(0, (double)half, 1, .dtype = dtype, .device = position->device);
    situ_tensor *frequency = situ_exp(situ_mul(i, -situ_f64_log(base) / (double)half));
    if (factors) frequency = situ_div(frequency, situ_cast(factors, dtype));
    situ_tensor *angle = situ_mul(situ_expand_dims(situ_cast(position, dtype), 1), frequency);
    *cosine = situ_cos(angle);
    *sine = situ_sin(angle);
}

situ_tensor *(situ_rotary)(situ_tensor *x, situ_tensor *position, const situ_rotary_options *options, situ_site site)
{
    SITU_SPEAK("rotary", site);
    situ_rotary_options o = {SITU_DEFAULTS(SITU_ROTARY_DEFAULTS)};
    char a[SITU_BRIEF_TEXT], b[SITU_BRIEF_TEXT];
    if (!situ_together((situ_tensor *[]){x, position}, 2, "rotary", "x, position", site) ||
        !SITU_TAKE_OPTIONS(o, options, "rotary", site))
        return situ_poisoned();
    if (!(o.base > 0 && o.base < INFINITY))
        return situ_refused(SITU_BAD_OPTION, site, "rotary: .base = %g; it is above 0 and finite", o.base);
    int axis = situ_is_number(x) ? -1 : situ_axis(o.axis, x->ndim, "rotary", site);
    if (situ_error_code) return situ_poisoned();
    bool fits = axis >= 0 && axis < x->ndim - 1 && situ_dtype_is_float((situ_dtype)x->dtype) && x->dim[x->ndim - 1] % 2 == 0;
    if (!fits || situ_is_number(position) || position->ndim != 1 || position->dim[0] != x->dim[axis] ||
        !situ_dtype_is_integer((situ_dtype)position->dtype))
        return situ_refused(SITU_BAD_SHAPE, site,
            "rotary: x is %s, position %s; x must be floats of [..., positions, ..., width] with an even width, and position one "
            "integer for each place along axis %d",
            situ_brief(x, a), situ_brief(position, b), o.axis);
    situ_dtype dtype = (situ_dtype)x->dtype, wide = situ_dtype_compute(dtype);
    situ_tensor *cosine, *sine;
    situ_rotary_angles(position, x->dim[x->ndim - 1] / 2, o.base, NULL, wide, &cosine, &sine, site);
    return situ_cast(situ_rotary_by(situ_cast(x, wide), cosine, sine, axis, site), dtype);
}
