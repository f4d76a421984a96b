/* Core and networks: functions, layers, optimizers. */
#include <situ.h>
#include <stdio.h>

int main(void)
{
    situ_module *net = situ_sequential(situ_linear_layer(8), situ_relu_layer(), situ_linear_layer(2));
    situ_optimizer *adam = situ_adam(net, .lr = 0.05);
    situ_tensor *x = situ_linspace(-1, 1, 32);
    x = situ_keep(situ_reshape(x, SHAPE(16, 2)));
    situ_tensor *label = situ_keep(situ_cast(situ_greater(situ_sum(x, .axes = AXES(1)), 0), SITU_I32));
    double loss = 0;
    for (int i = 0; i < 60; i++) {
        situ_scope *scope = situ_scope_open();
        situ_tensor *each = situ_cross_entropy(situ_module_call(net, x), label);
        situ_optimizer_step(adam, each);
        loss = situ_item(each);
        situ_scope_close(scope);
    }
    printf("%d\n", loss < 0.1);
    situ_optimizer_free(adam);
    situ_module_free(net);
    return situ_failed() ? 3 : 0;
}
