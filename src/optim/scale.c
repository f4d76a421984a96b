/* The loss scale for f16 gradients. It lives on the device, and so do all decisions that depend on it. */
#include <math.h>

#include "op/support.h"
#include "optim/optimizer.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

enum { GOOD_STEPS = 2000 }; /* good steps after which the scale is doubled */
static const double largest = 0x1p30, smallest = 0x1p-14;

situ_tensor *situ_scale_variable(situ_optimizer *opt, situ_site site)
{
    situ_device d = opt->net->device[0];
    if (opt->scale && situ_device_equal(situ_device_of(opt->scale), d)) return opt->scale;
    float first[3] = {(float)opt->first_scale, 0, 0};
    situ_tensor *value = opt->scale ? situ_to(opt->scale, d) : situ_from_host(first, SHAPE(3), .device = d);
    return situ_scale_give(opt, value, site) ? NULL : opt->scale;
}

int situ_scale_give(situ_optimizer *opt, situ_tensor *value, situ_site site)
{
    situ_tensor *made = situ_variable(value, .trainable = false, .name = "optimizer.scale");
    if (situ_error_code) return -situ_error_code;
    situ_release(opt->scale);
    opt->scale = made;
    return 0;
}

static situ_tensor *part(situ_tensor *scale, int64_t i, situ_site site)
{
    return situ_slice(scale, .start = SHAPE(i), .stop = SHAPE(i + 1));
}

situ_tensor *situ_scale_next(situ_tensor *scale, situ_tensor *good, situ_site site)
{
    situ_tensor *now = part(scale, 0, site), *steps = situ_add(part(scale, 1, site), 1), *left_out = part(scale, 2, site);
    situ_tensor *full = situ_greater_equal(steps, GOOD_STEPS);
    situ_tensor *more = situ_where(full, situ_minimum(situ_mul(now, 2), largest), now);
    now = situ_where(good, more, situ_maximum(situ_mul(now, 0.5), smallest));
    steps = situ_where(situ_logical_and(good, situ_logical_not(full)), steps, 0);
    left_out = situ_where(good, left_out, situ_add(left_out, 1));
    return situ_concat(TENSORS(now, steps, left_out));
}

int situ_optimizer_set_loss_scale(situ_optimizer *opt, double first)
{
    SITU_SPEAK_AT("situ_optimizer_set_loss_scale");
    if (situ_error_code || situ_ended(opt, "situ_optimizer_set_loss_scale", "optimizer", NULL)) return -situ_error_code;
    if (!opt) return situ_fail(SITU_BAD_ARGUMENT, NULL, "situ_optimizer_set_loss_scale: the optimizer is NULL");
    int exponent;
    if (first != 0 && !(first >= smallest && first <= largest && frexp(first, &exponent) == 0.5))
        return situ_fail(SITU_BAD_OPTION, NULL,
            "situ_optimizer_set_loss_scale: a scale of %g; it is a power of 2 from 2^-14 to 2^30, as 65536, or 0 for none", first);
    if (opt->held)
        return situ_fail(SITU_BAD_ARGUMENT, NULL,
            "situ_optimizer_set_loss_scale: %d of %d gradients of a step are there; change it after the step", opt->held,
            opt->every);
    situ_release(opt->scale);
    opt->scale = NULL;
    opt->first_scale = first;
    return 0;
}

/* Reads element i of the variable, or returns `otherwise` if it does not exist yet. */
static double read(situ_optimizer *opt, int64_t i, double otherwise, const char *operation, situ_site site)
{
    if (situ_error_code || situ_ended(opt, operation, "optimizer", site)) return 0;
    if (!opt) return situ_fail(SITU_BAD_ARGUMENT, site, "%s: the optimizer is NULL", operation), 0;
    if (!opt->scale) return otherwise;
    situ_scope *scope = situ_scope_open();
    double value = situ_item(situ_reshape(part(opt->scale, i, site), SHAPE()));
    situ_scope_close(scope);
    return value;
}

double(situ_optimizer_loss_scale)(situ_optimizer *opt, situ_site site)
{
    SITU_SPEAK("situ_optimizer_loss_scale", site);
    return read(opt, 0, opt && situ_alive(opt) ? opt->first_scale : 0, "situ_optimizer_loss_scale", site);
}

int64_t(situ_optimizer_left_out)(situ_optimizer *opt, situ_site site)
{
    SITU_SPEAK("situ_optimizer_left_out", site);
    return (int64_t)read(opt, 2, 0, "situ_optimizer_left_out", site);
}
