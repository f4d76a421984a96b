/* Layers of networks. */
#include "binding.h"
#include "op/support.h"


METHOD(py_linear)
{
    BEGIN(3, "linear");
    situ_linear_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .bias = arg_bool(c, 1, true), .in = arg_int(c, 2, 0)};
    int64_t out = arg_int(c, 0, 0);
    return end_handle(c, c->failed ? NULL : (situ_linear)(out, &o, c->site), MODULE, module_end);
}

METHOD(py_layer)
{
    BEGIN(2, "layer");
    const char *kind = n ? PyUnicode_AsUTF8AndSize(arg[0], NULL) : NULL;
    double rate = arg_double(c, 1, 0);
    situ_module *m = NULL;
    if (!kind || c->failed) c->failed = true;
    else if (!strcmp(kind, "relu")) m = situ_relu_layer();
    else if (!strcmp(kind, "sigmoid")) m = situ_sigmoid_layer();
    else if (!strcmp(kind, "tanh")) m = situ_tanh_layer();
    else if (!strcmp(kind, "gelu")) m = situ_gelu_layer();
    else if (!strcmp(kind, "flatten")) m = situ_flatten_layer();
    else if (!strcmp(kind, "dropout")) m = situ_dropout_layer(rate);
    return end_handle(c, m, MODULE, module_end);
}

/* conv2d_layer(out, size, bias, stride, padding, dilation, groups, inputs) */
METHOD(py_conv2d_layer)
{
    BEGIN(8, "Conv2d");
    situ_conv2d_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .bias = arg_bool(c, 2, true), .stride = arg_shape(c, 3),
                                   .padding = arg_shape(c, 4), .dilation = arg_shape(c, 5), .groups = arg_int(c, 6, 1), .in = arg_int(c, 7, 0)};
    int64_t out = arg_int(c, 0, 0);
    situ_shape size = arg_shape(c, 1);
    return end_handle(c, c->failed ? NULL : (situ_conv2d_layer)(out, size, &o, c->site), MODULE, module_end);
}

/* pool_layer(largest, size, stride, padding, count_padding) */
METHOD(py_pool_layer)
{
    BEGIN(5, "pool_layer");
    bool largest = arg_bool(c, 0, true);
    situ_shape size = arg_shape(c, 1);
    situ_avg_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .stride = arg_shape(c, 2), .padding = arg_shape(c, 3), .count_padding = arg_bool(c, 4, true)};
    situ_max_pool_options most = {.size = sizeof most, .unnamed = SITU_NAMED, .stride = o.stride, .padding = o.padding};
    situ_module *m = c->failed ? NULL : largest ? (situ_max_pool2d_layer)(size, &most, c->site) : (situ_avg_pool2d_layer)(size, &o, c->site);
    return end_handle(c, m, MODULE, module_end);
}

METHOD(py_batch_norm_layer)
{
    BEGIN(3, "BatchNorm");
    situ_batch_norm_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED, SITU_DEFAULTS(SITU_BATCH_NORM_LAYER_DEFAULTS)};
    o.epsilon = arg_double(c, 0, o.epsilon);
    o.momentum = arg_double(c, 1, o.momentum);
    o.in = arg_int(c, 2, 0);
    return end_handle(c, c->failed ? NULL : (situ_batch_norm_layer)(&o, c->site), MODULE, module_end);
}

METHOD(py_layer_norm_layer)
{
    BEGIN(2, "LayerNorm");
    situ_layer_norm_layer_options o = {.size = sizeof o, .unnamed = SITU_NAMED, SITU_DEFAULTS(SITU_LAYER_NORM_LAYER_DEFAULTS)};
    o.epsilon = arg_double(c, 0, o.epsilon);
    o.in = arg_int(c, 1, 0);
    return end_handle(c, c->failed ? NULL : (situ_layer_norm_layer)(&o, c->site), MODULE, module_end);
}

METHOD(py_embedding_layer)
{
    BEGIN(2, "embedding_layer");
    int64_t count = arg_int(c, 0, 0), width = arg_int(c, 1, 0);
    return end_handle(c, c->failed ? NULL : situ_embedding_layer(count, width), MODULE, module_end);
}

#define FAST(name) {#name, (PyCFunction)(void (*)(void))py_##name, METH_FASTCALL, NULL}
PyMethodDef layer_methods[] = {FAST(linear), FAST(layer), FAST(conv2d_layer), FAST(pool_layer), FAST(batch_norm_layer),
                               FAST(layer_norm_layer), FAST(embedding_layer), {NULL, NULL, 0, NULL}};
