/* Four training steps of a network of convolutions on the default device: what tests/gpu.sh compares with the CPU by
 * `situ diff`. Strides, padding and pooling; no product of matrices. */
#include <situ.h>
#include <stdio.h>

int main(void)
{
    situ_device gpu = situ_try_gpu(0);
    situ_scope *scope = situ_scope_open();
    situ_module *net = situ_sequential(situ_conv2d_layer(6, SHAPE(5, 5), .padding = SHAPE(2, 2)), situ_relu_layer(),
                                       situ_max_pool2d_layer(SHAPE(2, 2), .stride = SHAPE(2, 2)),
                                       situ_conv2d_layer(16, SHAPE(5, 5), .stride = SHAPE(2, 2)), situ_relu_layer(), situ_conv2d_layer(10, SHAPE(3, 3)));
    situ_module_to(net, gpu);
    situ_module_init(net, situ_key(0));
    situ_optimizer *opt = situ_sgd(net, .lr = 0.05);
    for (int i = 0; i < 4; i++) {
        situ_scope *step = situ_scope_open();
        situ_tensor *x = situ_uniform(situ_key(i + 1, .device = gpu), SHAPE(64, 1, 28, 28));
        situ_tensor *loss = situ_mean(situ_square(situ_module_call(net, x)));
        situ_optimizer_step(opt, loss);
        printf("%.9g\n", situ_item(loss));
        situ_scope_close(step);
    }
    situ_optimizer_free(opt);
    situ_module_free(net);
    situ_scope_close(scope);
    int failed = situ_failed();
    if (failed) printf("%s\n", situ_error_message());
    situ_shutdown();
    return failed != 0;
}
