/* A network that obeys an equation: -u'' = pi^2 sin(pi x) with u(0) = u(1) = 0, whose solution is sin(pi x).
 *
 * No value of u is given anywhere: the loss is how far the network's second derivative is from the equation (Raissi, Perdikaris and
 * Karniadakis, 2019). It is differentiated once more by the parameters. */
#include <math.h>
#include <situ.h>

enum { POINTS = 64, STEPS = 1500 };
static const double pi = 3.14159265358979323846;

/* 0 at both ends, whatever the network gives. */
static situ_tensor *u(situ_module *net, situ_tensor *x) { return situ_mul(situ_mul(x, situ_sub(1, x)), situ_module_call(net, x)); }

/* The derivative of y by x, both [POINTS, 1]: each point's y depends on its own x alone. */
static situ_tensor *slope(situ_tensor *y, situ_tensor *x)
{
    situ_tensor *g;
    situ_grad(situ_sum(y), TENSORS(x), &g);
    return g;
}

int main(void)
{
    situ_scope *scope = situ_scope_open();
    situ_module *net =
        situ_sequential(situ_linear_layer(32), situ_tanh_layer(), situ_linear_layer(32), situ_tanh_layer(), situ_linear_layer(1));
    situ_optimizer *adam = situ_adam(net, .lr = 3e-3);
    for (int step = 1; step <= STEPS && !situ_failed(); step++) {
        situ_scope *turn = situ_scope_open();
        situ_tensor *x = situ_uniform(situ_key(step), SHAPE(POINTS, 1));
        situ_tensor *force = situ_mul(situ_sin(situ_mul(x, pi)), pi * pi);
        situ_tensor *loss = situ_mean(situ_square(situ_add(slope(slope(u(net, x), x), x), force)));
        if (step % 500 == 0) printf("step %4d: loss %.2e\n", step, situ_item(loss));
        situ_optimizer_step(adam, loss);
        if (step % 500 == 0) situ_optimizer_set_lr(adam, situ_optimizer_lr(adam) / 5);
        situ_scope_close(turn);
    }
    situ_tensor *x = situ_reshape(situ_linspace(0, 1, 101), SHAPE(-1, 1));
    double worst = situ_item(situ_max(situ_abs(situ_sub(u(net, x), situ_sin(situ_mul(x, pi))))));
    printf("largest error: %.1e\n", worst);
    situ_optimizer_free(adam);
    situ_module_free(net);
    situ_scope_close(scope);
    return situ_failed() || !(worst < 0.01);
}
