/* Two networks that play against each other (Goodfellow et al., 2014): one makes points, the other tells them from points on a ring. */
#include <math.h>
#include <situ.h>

enum { BATCH = 128, STEPS = 2000 };

/* softplus(-score) for true points, softplus(score) for made ones. */
static situ_tensor *says_true(situ_module *net, situ_tensor *points)
{
    return situ_mean(situ_softplus(situ_negative(situ_module_call(net, points))));
}
static situ_tensor *says_made(situ_module *net, situ_tensor *points)
{
    return situ_mean(situ_softplus(situ_module_call(net, points)));
}

static situ_tensor *ring(int step)
{
    situ_tensor *angle = situ_mul(situ_uniform(situ_key(3 * step), SHAPE(BATCH, 1)), 6.283185307179586);
    return situ_concat(TENSORS(situ_cos(angle), situ_sin(angle)), .axis = 1);
}

int main(void)
{
    situ_module *maker =
        situ_sequential(situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(2));
    situ_module *judge =
        situ_sequential(situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(64), situ_relu_layer(), situ_linear_layer(1));
    situ_optimizer *of_maker = situ_adam(maker, .lr = 1e-3, .beta1 = 0.5), *of_judge = situ_adam(judge, .lr = 1e-3, .beta1 = 0.5);
    double radius = 0;
    for (int step = 1; step <= STEPS && !situ_failed(); step++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *noise = situ_normal(situ_key(3 * step + 1), SHAPE(BATCH, 4));
        situ_tensor *made = situ_stop_gradient(situ_module_call(maker, noise)); /* the judge's step is not the maker's */
        situ_optimizer_step(of_judge, situ_add(says_true(judge, ring(step)), says_made(judge, made)));
        situ_tensor *points = situ_module_call(maker, noise);
        situ_optimizer_step(of_maker, says_true(judge, points)); /* computed after the judge's step: with its new parameters */
        if (step % 500 == 0) {
            situ_tensor *far = situ_sqrt(situ_sum(situ_square(points), .axes = 1));
            radius = situ_item(situ_mean(far));
            printf("step %4d: points lie at %.2f +- %.2f from the centre\n", step, radius, situ_item(situ_std(far)));
        }
        situ_scope_close(scope);
    }
    situ_optimizer_free(of_maker);
    situ_optimizer_free(of_judge);
    situ_module_free(maker);
    situ_module_free(judge);
    return situ_failed() || !(fabs(radius - 1) < 0.2);
}
