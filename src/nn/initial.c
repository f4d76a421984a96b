/* Initial values of parameters: the table of initializers. */
#include <math.h>
#include <string.h>

#include <situ/linalg.h>

#include "nn/module.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Fan-in and fan-out of a weight: the number of products in a sum, forward and backward. */
static void fans(situ_shape s, double *in, double *out)
{
    double window = 1;
    for (int i = 2; i < s.ndim; i++) window *= (double)s.dim[i];
    *out = s.ndim ? (double)s.dim[0] * window : 1;
    *in = s.ndim > 1 ? (double)s.dim[1] * window : *out;
    *in = fmax(*in, 1);
    *out = fmax(*out, 1);
}

static situ_tensor *uniform(situ_tensor *key, situ_shape shape, double middle, double bound, situ_site site)
{
    return situ_uniform(key, shape, .low = middle - bound, .high = middle + bound, .layout = SITU_ORIGINAL);
}

static situ_tensor *normal(situ_tensor *key, situ_shape shape, double mean, double deviation, situ_site site)
{
    situ_tensor *z = situ_mul(situ_normal(key, shape, .layout = SITU_ORIGINAL), deviation);
    return mean == 0 ? z : situ_add(z, mean);
}

/* A normal distribution cut at two standard deviations: the inverse of its distribution function at a uniform number
 * (L. Devroye, Non-Uniform Random Variate Generation, II.2). */
static situ_tensor *truncated(situ_tensor *key, situ_shape shape, double mean, double deviation, situ_site site)
{
    const double most = 0.95449973610364158; /* erf(sqrt(2)): the probability within two standard deviations is this */
    situ_tensor *z = situ_mul(situ_erfinv(uniform(key, shape, 0, most, site)), deviation * sqrt(2));
    return situ_add(situ_clip(z, -2 * deviation, 2 * deviation), mean);
}

/* Q of the QR factorization of a random matrix, with column signs that make R's diagonal positive: then all orthogonal
 * matrices are equally likely (F. Mezzadri, How to Generate Random Matrices from the Classical Compact Groups, 2007). */
static situ_tensor *orthogonal(situ_tensor *key, situ_shape shape, double gain, situ_site site)
{
    int64_t rows = shape.dim[0], columns = 1;
    for (int i = 1; i < shape.ndim; i++) columns *= shape.dim[i];
    bool wide = rows < columns;
    situ_tensor *r, *q = situ_qr(normal(key, wide ? SHAPE(columns, rows) : SHAPE(rows, columns), 0, 1, site), .r = &r);
    situ_tensor *sign = situ_where(situ_less(situ_diagonal(r, 0), 0), -gain, gain);
    q = situ_mul(q, sign);
    return situ_reshape(wide ? situ_transpose(q) : q, shape);
}

situ_tensor *(situ_initial)(situ_tensor *key, situ_shape shape, situ_init how, const situ_initial_options *options, situ_site site)
{
    SITU_SPEAK("initial", site);
    situ_initial_options o = {SITU_DEFAULTS(SITU_INITIAL_DEFAULTS)};
    if (!situ_usable(&key, 1, "initial", site) || !SITU_TAKE_OPTIONS(o, options, "initial", site) ||
        !situ_shape_check(&shape, false, "initial", site))
        return situ_poisoned();
    double in, out;
    fans(shape, &in, &out);
    bool matrix = how == SITU_INIT_EYE || how == SITU_INIT_ORTHOGONAL;
    if (how <= SITU_INIT_LAYER || how > SITU_INIT_EYE || !isfinite(o.gain) || !isfinite(o.value) || o.gain < 0 ||
        (matrix && shape.ndim < 2) || (how == SITU_INIT_EYE && shape.ndim != 2)) {
        situ_fail(SITU_BAD_ARGUMENT, site,
            "initial: initializer %d with gain %g and value %g of a shape of %d dimensions; gains are at least 0, eye and "
            "orthogonal are "
            "of matrices",
            (int)how, o.gain, o.value, (int)shape.ndim);
        return situ_poisoned();
    }
    switch (how) {
    case SITU_INIT_UNIFORM: return uniform(key, shape, o.value, o.gain, site);
    case SITU_INIT_NORMAL: return normal(key, shape, o.value, o.gain, site);
    case SITU_INIT_XAVIER_UNIFORM: return uniform(key, shape, 0, o.gain * sqrt(6 / (in + out)), site);
    case SITU_INIT_XAVIER_NORMAL: return normal(key, shape, 0, o.gain * sqrt(2 / (in + out)), site);
    case SITU_INIT_KAIMING_UNIFORM: return uniform(key, shape, 0, o.gain * sqrt(3 / in), site);
    case SITU_INIT_KAIMING_NORMAL: return normal(key, shape, 0, o.gain / sqrt(in), site);
    case SITU_INIT_TRUNCATED: return truncated(key, shape, o.value, o.gain, site);
    case SITU_INIT_ORTHOGONAL: return orthogonal(key, shape, o.gain, site);
    case SITU_INIT_EYE: return situ_mul(situ_eye(shape.dim[0], .columns = shape.dim[1], .device = key->device), o.gain);
    default: return situ_full(shape, o.value, .dtype = SITU_F32, .device = key->device);
    }
}
