/* LeNet for images without a channel axis, as in situ_digits. */
#ifndef SITU_TESTS_LENET_H
#define SITU_TESTS_LENET_H

#include <situ.h>

static inline situ_tensor *one_channel(situ_tensor *x, void *self)
{
    (void)self;
    return situ_expand_dims(x, 1);
}

static inline situ_module *lenet(void)
{
    return situ_sequential(situ_function_layer(one_channel, NULL), situ_conv2d_layer(6, SHAPE(5), .padding = SHAPE(2)), situ_relu_layer(),
                           situ_max_pool2d_layer(SHAPE(2)), situ_conv2d_layer(16, SHAPE(5), .padding = SHAPE(2)), situ_relu_layer(),
                           situ_max_pool2d_layer(SHAPE(2)), situ_flatten_layer(), situ_linear_layer(120), situ_relu_layer(),
                           situ_linear_layer(84), situ_relu_layer(), situ_linear_layer(10));
}

#endif
