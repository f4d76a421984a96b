/* situ/network.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

MADE(conv2d)
{
    TAKE("conv2d", 6, 2, 2, {"x", "w", "stride", "padding", "dilation", "groups"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *w_ = arg_tensor(c, 1);
    situ_conv_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.dilation = arg_shape(c, 4);
    o.groups = arg_int(c, 5, 1);
    return call_end(c, c->failed ? NULL : (situ_conv2d)(x_, w_, &o, c->site));
}

MADE(conv1d)
{
    TAKE("conv1d", 6, 2, 2, {"x", "w", "stride", "padding", "dilation", "groups"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *w_ = arg_tensor(c, 1);
    situ_conv_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.dilation = arg_shape(c, 4);
    o.groups = arg_int(c, 5, 1);
    return call_end(c, c->failed ? NULL : (situ_conv1d)(x_, w_, &o, c->site));
}

MADE(max_pool2d)
{
    TAKE("max_pool2d", 4, 2, 2, {"x", "size", "stride", "padding"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_max_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    return call_end(c, c->failed ? NULL : (situ_max_pool2d)(x_, size_, &o, c->site));
}

MADE(avg_pool2d)
{
    TAKE("avg_pool2d", 5, 2, 2, {"x", "size", "stride", "padding", "count_padding"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_shape size_ = arg_shape(c, 1);
    situ_avg_pool_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.stride = arg_shape(c, 2);
    o.padding = arg_shape(c, 3);
    o.count_padding = arg_bool(c, 4, true);
    return call_end(c, c->failed ? NULL : (situ_avg_pool2d)(x_, size_, &o, c->site));
}

MADE(layer_norm)
{
    TAKE("layer_norm", 4, 3, 3, {"x", "scale", "shift", "eps"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *scale_ = arg_tensor(c, 1);
    situ_tensor *shift_ = arg_tensor(c, 2);
    situ_layer_norm_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.eps = arg_double(c, 3, 1e-5);
    return call_end(c, c->failed ? NULL : (situ_layer_norm)(x_, scale_, shift_, &o, c->site));
}

MADE(batch_norm)
{
    TAKE("batch_norm", 8, 3, 3, {"x", "scale", "shift", "eps", "momentum", "mean", "variance", "inference"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *scale_ = arg_tensor(c, 1);
    situ_tensor *shift_ = arg_tensor(c, 2);
    situ_batch_norm_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.eps = arg_double(c, 3, 1e-5);
    o.momentum = arg_double(c, 4, 0.1);
    o.mean = arg_optional(c, 5);
    o.variance = arg_optional(c, 6);
    o.inference = arg_bool(c, 7, false);
    return call_end(c, c->failed ? NULL : (situ_batch_norm)(x_, scale_, shift_, &o, c->site));
}

MADE(embedding)
{
    TAKE("embedding", 2, 2, 2, {"table", "index"}, {NULL});
    situ_tensor *table_ = arg_tensor(c, 0);
    situ_tensor *index_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_embedding)(table_, index_, c->site));
}

MADE(attention)
{
    TAKE("attention", 5, 3, 3, {"q", "k", "v", "causal", "scale"}, {NULL});
    situ_tensor *q_ = arg_tensor(c, 0);
    situ_tensor *k_ = arg_tensor(c, 1);
    situ_tensor *v_ = arg_tensor(c, 2);
    situ_attention_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.causal = arg_bool(c, 3, false);
    o.scale = arg_double(c, 4, 0);
    return call_end(c, c->failed ? NULL : (situ_attention)(q_, k_, v_, &o, c->site));
}

MADE(self_attention)
{
    TAKE("self_attention", 4, 2, 2, {"x", "heads", "causal", "scale"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t heads_ = arg_int(c, 1, 0);
    situ_attention_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.causal = arg_bool(c, 2, false);
    o.scale = arg_double(c, 3, 0);
    return call_end(c, c->failed ? NULL : (situ_self_attention)(x_, heads_, &o, c->site));
}

PyMethodDef made_network_methods[] = {
    MADE_ROW(conv2d, conv2d,
        "conv2d(x, w, *, stride=1, padding=0, dilation=1, groups=1)\n--\n\ny[n,o,h,v] = sum over c, i, j of x[n, c, "
        "h stride + i dilation - padding, v ...] w[o,c,i,j], zeros outside of x.\nx [n, channels, height, width], w "
        "[out, channels / groups, kernel height, kernel width].\n\nstride: from one window to the next: one number, "
        "or one for height and width\npadding: zeros on either side of an axis\ndilation: from one tap of the "
        "kernel to the next\ngroups: channels are cut into groups of their own"),
    MADE_ROW(conv1d, conv1d,
        "conv1d(x, w, *, stride=1, padding=0, dilation=1, groups=1)\n--\n\nThe same without height: x [n, channels, "
        "length], w [out, channels / groups, kernel length].\n\nstride: from one window to the next: one number, or "
        "one for height and width\npadding: zeros on either side of an axis\ndilation: from one tap of the kernel "
        "to the next\ngroups: channels are cut into groups of their own"),
    MADE_ROW(max_pool2d, max_pool2d,
        "max_pool2d(x, size, *, stride=None, padding=0)\n--\n\nmax_pool2d, avg_pool2d: The largest element, the "
        "mean, of each window over the last two axes. Of equal elements the first takes the gradient;\nNaN is the "
        "largest. An image without rows or columns, of which windows hold padding alone, is an error; its means\n"
        "over whole windows are 0.\n\nstride: from one window to the next; default: the window, so that they do not "
        "overlap\npadding: at most half a window"),
    MADE_ROW(avg_pool2d, avg_pool2d,
        "avg_pool2d(x, size, *, stride=None, padding=0, count_padding=True)\n--\n\nmax_pool2d, avg_pool2d: The "
        "largest element, the mean, of each window over the last two axes. Of equal elements the first takes the "
        "gradient;\nNaN is the largest. An image without rows or columns, of which windows hold padding alone, is "
        "an error; its means\nover whole windows are 0.\n\nstride: from one window to the next; default: the "
        "window, so that they do not overlap\npadding: at most half a window\ncount_padding: means are over whole "
        "windows, zeros added"),
    MADE_ROW(layer_norm, layer_norm,
        "layer_norm(x, scale, shift, *, eps=1e-05)\n--\n\n(x - mean) / sqrt(variance + eps) scale + shift, with the "
        "moments of each row: of x along its last axis. scale and\nshift are as long as that axis.\n\neps: added to "
        "the variance"),
    MADE_ROW(batch_norm, batch_norm,
        "batch_norm(x, scale, shift, *, eps=1e-05, momentum=0.1, mean=None, variance=None, inference=False)\n--\n\n"
        "The same with the moments of each channel: of x over all axes but axis 1. scale and shift are as long as "
        "axis 1.\n\neps: added to the variance\nmomentum: running = (1 - momentum) running + momentum value, the "
        "variance times n / (n - 1)\nmean: a variable that follows the means\nvariance: a variable that follows the "
        "variances\ninference: normalise with mean and variance, which may be any tensors then, and change "
        "nothing"),
    MADE_ROW(embedding, embedding,
        "embedding(table, index)\n--\n\nRows of a table [count, width]: table[index]. Rows that are asked for more "
        "than once add up their gradients in order."),
    MADE_ROW(attention, attention,
        "attention(q, k, v, *, causal=False, scale=0.0)\n--\n\nsoftmax(q k^T scale) v; q [..., queries, width], k "
        "[..., keys, width], v [..., keys, any width].\n\ncausal: query i sees keys 0 ... i only\nscale: of the "
        "scores; 0: 1 / sqrt(width)"),
    MADE_ROW(self_attention, self_attention,
        "self_attention(x, heads, *, causal=False, scale=0.0)\n--\n\nThe same for x [..., positions, 3 heads width] "
        "that holds queries, keys and values of each head, one after the other;\nthe heads' results lie side by "
        "side: [..., positions, heads width].\n\ncausal: query i sees keys 0 ... i only\nscale: of the scores; 0: 1 "
        "/ sqrt(width)"),
    {NULL, NULL, 0, NULL}};
