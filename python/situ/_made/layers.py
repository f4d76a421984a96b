"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from typing import Literal

from .._device import Device
from .._dtypes import DType
from ..nn import Module, _Layer


class Linear(_Layer):
    """y = x W^T + b over the last axis; weight [out, in] and bias [out] start uniform in +-1/sqrt(in).

    bias: adds b
    inputs: size of the input; None: that of the first one"""

    _shown = 1

    def __init__(self, out: int, *, bias: bool = True, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("linear_layer", out, bias, inputs,))


class Flatten(_Layer):
    """[batch, ...] becomes [batch, all the rest]."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("flatten_layer",))


class Dropout(_Layer):
    """While training: elements become 0 with probability rate, the others are divided by 1 - rate. The mask depends on the
    network's key, the layer, the step, and the positions in the whole batch (see module_call)."""

    _shown = 1

    def __init__(self, rate: float = 0.5) -> None:
        Module.__init__(self, _make=("dropout_layer", rate,))


class ChannelDropout(_Layer):
    """The same for whole channels: of x [batch, channels, ...] all elements of a channel stay or become 0 together."""

    _shown = 1

    def __init__(self, rate: float = 0.5) -> None:
        Module.__init__(self, _make=("channel_dropout_layer", rate,))


class Bilinear(_Layer):
    """y_k = a W_k b' + b_k over the last axes of two inputs a and b; weight [out, size of a, size of b] and bias [out] start uniform in
    +-1/sqrt(size of a).

    bias: adds b"""

    _shown = 1

    def __init__(self, out: int, *, bias: bool = True) -> None:
        Module.__init__(self, _make=("bilinear_layer", out, bias,))


class RMSNorm(_Layer):
    """x / sqrt(mean x^2 + eps) weight over the last axis; weight starts as ones.

    eps: added to the mean square
    inputs: elements of a row; None: as the first input's rows have"""
    def __init__(self, *, eps: float = 1e-06, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("rms_norm_layer", eps, inputs,))


class InstanceNorm(_Layer):
    """(x - mean) / sqrt(variance + eps) of x [batch, channels, ...] with the moments of each group of channels in each row. An
    instance norm has a group for each channel. Here affine = false.

    eps: added to the variance
    affine: multiplies by weight and adds bias, one for each channel
    inputs: channels of the input; None: as the first one has"""
    def __init__(self, *, eps: float = 1e-05, affine: bool = False, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("instance_norm_layer", eps, affine, inputs,))


class GroupNorm(_Layer):
    """(x - mean) / sqrt(variance + eps) of x [batch, channels, ...] with the moments of each of so many groups of channels in each
    row; weight (1 at first) and bias (0) for each channel.

    eps: added to the variance
    affine: multiplies by weight and adds bias, one for each channel
    inputs: channels of the input; None: as the first one has"""

    _shown = 1

    def __init__(self, count: int, *, eps: float = 1e-05, affine: bool = True, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("group_norm_layer", count, eps, affine, inputs,))


class BatchNorm(_Layer):
    """BatchNorm, LayerNorm: batch_norm of [n, channels, ...]: weight (1 at first) and bias (0), and the moments that the training calls left,
    running_mean and running_var, with which it normalises otherwise. layer_norm: weight and bias.

    eps: added to the variance
    momentum: share of a batch in the running moments, as in batch_norm
    inputs: channels of the input; None: as the first one has"""
    def __init__(self, *, eps: float = 1e-05, momentum: float = 0.1, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("batch_norm_layer", eps, momentum, inputs,))


class LayerNorm(_Layer):
    """BatchNorm, LayerNorm: batch_norm of [n, channels, ...]: weight (1 at first) and bias (0), and the moments that the training calls left,
    running_mean and running_var, with which it normalises otherwise. layer_norm: weight and bias.

    shape: sizes of the last axes, which are a row together and weight's and bias's; default: the last axis alone
    eps: added to the variance
    inputs: elements of a row; None: as the first input's rows have"""

    _shown = 1

    def __init__(self, shape: int | tuple[int, ...] | None = None, *, eps: float = 1e-05, inputs: int | None =
                 None) -> None:
        Module.__init__(self, _make=("layer_norm_layer", shape, eps, inputs,))


class Embedding(_Layer):
    """Rows of weight [count, width] by integers; they start uniform in +-sqrt(3), with variance 1."""

    _shown = 2

    def __init__(self, count: int, width: int) -> None:
        Module.__init__(self, _make=("embedding_layer", count, width,))


class EmbeddingBag(_Layer):
    """Of index [batch, n] the mean, sum or largest of n rows of weight [count, width], which start as those of Embedding;
    an index of -1 is none. A second input, weights [batch, n], multiplies the rows of a sum.

    mode: of the rows of a bag"""

    _shown = 2

    def __init__(self, count: int, width: int, *, mode: Literal['mean', 'sum', 'max'] = 'mean') -> None:
        Module.__init__(self, _make=("embedding_bag_layer", count, width, mode,))


class ReLU(_Layer):
    """max(x, 0)."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("relu_layer",))


class Sigmoid(_Layer):
    """1 / (1 + e^-x)."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("sigmoid_layer",))


class Tanh(_Layer):
    """Tanh x."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("tanh_layer",))


class GELU(_Layer):
    """Gelu x (tanh form)."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("gelu_layer",))


class SiLU(_Layer):
    """x / (1 + e^-x)."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("silu_layer",))


class Mish(_Layer):
    """x tanh(log(1 + e^x))."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("mish_layer",))


class Softplus(_Layer):
    """log(1 + e^x)."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("softplus_layer",))


class ReLU6(_Layer):
    """min(max(x, 0), 6)."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("relu6_layer",))


class Softsign(_Layer):
    """x / (1 + |x|)."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("softsign_layer",))


class Hardswish(_Layer):
    """x clip(x + 3, 0, 6) / 6."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("hardswish_layer",))


class Hardsigmoid(_Layer):
    """clip(x + 3, 0, 6) / 6."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("hardsigmoid_layer",))


class SELU(_Layer):
    """1.0507 elu x with alpha 1.6733."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("selu_layer",))


class LogSigmoid(_Layer):
    """log(1 / (1 + e^-x))."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("log_sigmoid_layer",))


class Tanhshrink(_Layer):
    """x - tanh x."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("tanhshrink_layer",))


class Identity(_Layer):
    """x."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("identity_layer",))


class CELU(_Layer):
    """x where x > 0, else alpha (e^(x / alpha) - 1)."""

    _shown = 1

    def __init__(self, alpha: float = 1.0) -> None:
        Module.__init__(self, _make=("celu_layer", alpha,))


class Hardshrink(_Layer):
    """x where |x| > bound, else 0."""

    _shown = 1

    def __init__(self, lambd: float = 0.5) -> None:
        Module.__init__(self, _make=("hardshrink_layer", lambd,))


class Softshrink(_Layer):
    """x moved by bound towards 0, at most to it."""

    _shown = 1

    def __init__(self, lambd: float = 0.5) -> None:
        Module.__init__(self, _make=("softshrink_layer", lambd,))


class Hardtanh(_Layer):
    """x, but low and high at the ends."""

    _shown = 2

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        Module.__init__(self, _make=("hardtanh_layer", min_val, max_val,))


class Threshold(_Layer):
    """x where x > threshold, else value."""

    _shown = 2

    def __init__(self, threshold: float, value: float) -> None:
        Module.__init__(self, _make=("threshold_layer", threshold, value,))


class GLU(_Layer):
    """a / (1 + e^-b) of the halves a and b of an axis."""

    _shown = 1

    def __init__(self, axis: int = -1) -> None:
        Module.__init__(self, _make=("glu_layer", axis,))


class LeakyReLU(_Layer):
    """LeakyReLU, ELU, Softmax, LogSoftmax: x where x >= 0, else slope x; x where x > 0, else alpha (e^x - 1); exp(x) / sum(exp(x)) along an axis, and its logarithm."""

    _shown = 1

    def __init__(self, slope: float = 0.01) -> None:
        Module.__init__(self, _make=("leaky_relu_layer", slope,))


class ELU(_Layer):
    """LeakyReLU, ELU, Softmax, LogSoftmax: x where x >= 0, else slope x; x where x > 0, else alpha (e^x - 1); exp(x) / sum(exp(x)) along an axis, and its logarithm."""

    _shown = 1

    def __init__(self, alpha: float = 1.0) -> None:
        Module.__init__(self, _make=("elu_layer", alpha,))


class Softmax(_Layer):
    """LeakyReLU, ELU, Softmax, LogSoftmax: x where x >= 0, else slope x; x where x > 0, else alpha (e^x - 1); exp(x) / sum(exp(x)) along an axis, and its logarithm."""

    _shown = 1

    def __init__(self, axis: int = -1) -> None:
        Module.__init__(self, _make=("softmax_layer", axis,))


class LogSoftmax(_Layer):
    """LeakyReLU, ELU, Softmax, LogSoftmax: x where x >= 0, else slope x; x where x > 0, else alpha (e^x - 1); exp(x) / sum(exp(x)) along an axis, and its logarithm."""

    _shown = 1

    def __init__(self, axis: int = -1) -> None:
        Module.__init__(self, _make=("log_softmax_layer", axis,))


class PReLU(_Layer):
    """x where x >= 0, else weight x: a parameter [count], 0.25 at first: one for all, or one for each channel (axis 1)."""

    _shown = 1

    def __init__(self, count: int = 1) -> None:
        Module.__init__(self, _make=("prelu_layer", count,))


class RNN(_Layer):
    """h' = tanh(W x + b + V h + c). Inputs x [batch, time, width], h (states to begin with, [layers (times 2), batch, width]; 0 if
    left out) and lengths (integers [batch]: how much of each row there is, all if left out or larger than time, nothing below 1).
    Results y [batch, time, width (times 2)], 0 behind the end of a row, and h, the states at the ends of the rows. Parameters for
    layer k: weight_ih_lk (W), weight_hh_lk (V), bias_ih_lk, bias_hh_lk, those from the end with _reverse; they start uniform in
    +-1/sqrt(width).

    layers: one over the other
    bidirectional: other weights read from the end; results and states of both lie side by side
    bias: adds two vectors for each layer
    dropout: of the results of each layer but the last, while training
    time_first: sequences are [time, batch, width]
    inputs: width of the input; None: that of the first one
    relu: max(x, 0) instead of tanh x"""

    _shown = 1

    def __init__(self, width: int, *, layers: int = 1, bidirectional: bool = False, bias: bool = True, dropout: float
                 = 0.0, time_first: bool = False, inputs: int | None = None, relu: bool = False) -> None:
        Module.__init__(self, _make=("rnn_layer", width, layers, bidirectional, bias, dropout, time_first, inputs,
            relu,))


class GRU(_Layer):
    """Gates r, z = sigmoid(W x + b + V h + c), n = tanh(W x + b + r (V h + c)); h' = (1 - z) n + z h (Cho et al. 2014). As
    RNN.

    layers: one over the other
    bidirectional: other weights read from the end; results and states of both lie side by side
    bias: adds two vectors for each layer
    dropout: of the results of each layer but the last, while training
    time_first: sequences are [time, batch, width]
    inputs: width of the input; None: that of the first one"""

    _shown = 1

    def __init__(self, width: int, *, layers: int = 1, bidirectional: bool = False, bias: bool = True, dropout: float
                 = 0.0, time_first: bool = False, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("gru_layer", width, layers, bidirectional, bias, dropout, time_first, inputs,))


class LSTM(_Layer):
    """Gates i, f, o = sigmoid(...), g = tanh(...); c' = f c + i g, h' = o tanh c' (Hochreiter and Schmidhuber 1997). As
    RNN, with inputs x, h, c, lengths and results y, h, c.

    layers: one over the other
    bidirectional: other weights read from the end; results and states of both lie side by side
    bias: adds two vectors for each layer
    dropout: of the results of each layer but the last, while training
    time_first: sequences are [time, batch, width]
    inputs: width of the input; None: that of the first one"""

    _shown = 1

    def __init__(self, width: int, *, layers: int = 1, bidirectional: bool = False, bias: bool = True, dropout: float
                 = 0.0, time_first: bool = False, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("lstm_layer", width, layers, bidirectional, bias, dropout, time_first, inputs,))


class MultiheadAttention(_Layer):
    """heads times softmax(q k^T / sqrt(width / heads)) v, side by side, through a last linear layer (Vaswani et al. 2017). Inputs
    are query [batch, queries, width], key and value [batch, keys, width] (left out: query itself; key), all of one width; mask,
    which spreads to [batch, heads, queries, keys]: true where a query may look, or floats that are added to the scores; lengths,
    integers [batch]: how many keys of each row there are; and for generating one after the other: k and v [batch, kv_heads, most,
    width / heads], what was computed before, and at, an integer: the position of the first query. Results y [batch, queries,
    width], and with k and v: both with the new ones put in at their places. Positions are turned by pairs of halves (Su et al.
    2021). Parameters as PyTorch's: in_proj_weight [width + 2 kv_heads width / heads, width], uniform in +-sqrt(6 / (rows +
    columns)), in_proj_bias (0), out_proj.weight, out_proj.bias.

    kv_heads: heads of keys and values, a divisor of heads: each serves a group of them; None: as many
    bias: adds one to queries, keys, values, and the result
    causal: query i sees keys up to i only
    dropout: of the weights of the keys, while training
    rotary: base of rotary positions (10000 is usual); 0: none
    inputs: width of the inputs; None: as the first ones have"""

    _shown = 2

    def __init__(self, width: int, heads: int, *, kv_heads: int | None = None, bias: bool = True, causal: bool =
                 False, dropout: float = 0.0, rotary: float = 0.0, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("multihead_attention_layer", width, heads, kv_heads, bias, causal, dropout,
            rotary, inputs,))


class SwiGLU(_Layer):
    """down(silu(gate x) * up x), three linear layers without bias; the last has as many outputs as x (Shazeer 2020)."""

    _shown = 1

    def __init__(self, hidden: int) -> None:
        Module.__init__(self, _make=("swiglu_layer", hidden,))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward part, each added to its input; inputs x, mask, lengths, and k, v, at, with results y, k, v,
    as in MultiheadAttention. Parts as PyTorch's: self_attn, linear1, linear2, norm1, norm2.

    hidden: width of the feed-forward part; None: four times width
    dropout: while training: of weights of keys, of the hidden part, and of what is added to x
    norm_first: x + f(norm(x)) instead of norm(x + f(x))
    feed: between the two linear layers; swiglu has three
    rms: RMS norms instead of layer norms
    bias: of linear layers
    eps: of the norms
    kv_heads: as in MultiheadAttention
    causal: position i sees positions up to i only
    rotary: as in MultiheadAttention"""

    _shown = 2

    def __init__(self, width: int, heads: int, *, hidden: int | None = None, dropout: float = 0.1, norm_first: bool =
                 False, feed: Literal['relu', 'gelu', 'swiglu'] = 'relu', rms: bool = False, bias: bool = True, eps:
                 float = 1e-05, kv_heads: int = 0, causal: bool = False, rotary: float = 0.0) -> None:
        Module.__init__(self, _make=("transformer_encoder_layer", width, heads, hidden, dropout, norm_first, feed,
            rms, bias, eps, kv_heads, causal, rotary,))


class TransformerDecoderLayer(_Layer):
    """The same with attention to memory [batch, keys, width] between; inputs x, memory, mask, memory_mask, memory_lengths. More parts:
    multihead_attn, norm3. Here causal = true.

    hidden: width of the feed-forward part; None: four times width
    dropout: while training: of weights of keys, of the hidden part, and of what is added to x
    norm_first: x + f(norm(x)) instead of norm(x + f(x))
    feed: between the two linear layers; swiglu has three
    rms: RMS norms instead of layer norms
    bias: of linear layers
    eps: of the norms
    kv_heads: as in MultiheadAttention
    causal: position i sees positions up to i only
    rotary: as in MultiheadAttention"""

    _shown = 2

    def __init__(self, width: int, heads: int, *, hidden: int | None = None, dropout: float = 0.1, norm_first: bool =
                 False, feed: Literal['relu', 'gelu', 'swiglu'] = 'relu', rms: bool = False, bias: bool = True, eps:
                 float = 1e-05, kv_heads: int = 0, causal: bool = True, rotary: float = 0.0) -> None:
        Module.__init__(self, _make=("transformer_decoder_layer", width, heads, hidden, dropout, norm_first, feed,
            rms, bias, eps, kv_heads, causal, rotary,))


class Conv1d(_Layer):
    """Conv1d, Conv2d, Conv3d: conv1d, conv2d, conv3d with a kernel of this size (one number, or one for each axis), plus a bias for each output;
    weight [out, channels / groups, ...size] and bias [out] start uniform in +-1/sqrt(products in a sum).

    bias: adds one number for each output
    stride: as in conv2d
    padding: as in conv2d, also same
    dilation: as in conv2d
    groups: as in conv2d
    inputs: channels of the input, a multiple of groups; None: as the first one has
    padding_mode: what the padding is: zeros, or as pad has it"""

    _shown = 2

    def __init__(self, out: int, size: int | tuple[int, ...], *, bias: bool = True, stride: int | tuple[int, ...] = 1,
                 padding: int | tuple[int, ...] | Literal['same', 'valid'] = 0, dilation: int | tuple[int, ...] = 1,
                 groups: int = 1, inputs: int | None = None, padding_mode: Literal['constant', 'reflect', 'edge',
                 'circular', 'zeros', 'replicate'] = 'constant') -> None:
        Module.__init__(self, _make=("conv1d_layer", out, size, bias, stride, padding, dilation, groups, inputs,
            padding_mode,))


class Conv2d(_Layer):
    """Conv1d, Conv2d, Conv3d: conv1d, conv2d, conv3d with a kernel of this size (one number, or one for each axis), plus a bias for each output;
    weight [out, channels / groups, ...size] and bias [out] start uniform in +-1/sqrt(products in a sum).

    bias: adds one number for each output
    stride: as in conv2d
    padding: as in conv2d, also same
    dilation: as in conv2d
    groups: as in conv2d
    inputs: channels of the input, a multiple of groups; None: as the first one has
    padding_mode: what the padding is: zeros, or as pad has it"""

    _shown = 2

    def __init__(self, out: int, size: int | tuple[int, ...], *, bias: bool = True, stride: int | tuple[int, ...] = 1,
                 padding: int | tuple[int, ...] | Literal['same', 'valid'] = 0, dilation: int | tuple[int, ...] = 1,
                 groups: int = 1, inputs: int | None = None, padding_mode: Literal['constant', 'reflect', 'edge',
                 'circular', 'zeros', 'replicate'] = 'constant') -> None:
        Module.__init__(self, _make=("conv2d_layer", out, size, bias, stride, padding, dilation, groups, inputs,
            padding_mode,))


class Conv3d(_Layer):
    """Conv1d, Conv2d, Conv3d: conv1d, conv2d, conv3d with a kernel of this size (one number, or one for each axis), plus a bias for each output;
    weight [out, channels / groups, ...size] and bias [out] start uniform in +-1/sqrt(products in a sum).

    bias: adds one number for each output
    stride: as in conv2d
    padding: as in conv2d, also same
    dilation: as in conv2d
    groups: as in conv2d
    inputs: channels of the input, a multiple of groups; None: as the first one has
    padding_mode: what the padding is: zeros, or as pad has it"""

    _shown = 2

    def __init__(self, out: int, size: int | tuple[int, ...], *, bias: bool = True, stride: int | tuple[int, ...] = 1,
                 padding: int | tuple[int, ...] | Literal['same', 'valid'] = 0, dilation: int | tuple[int, ...] = 1,
                 groups: int = 1, inputs: int | None = None, padding_mode: Literal['constant', 'reflect', 'edge',
                 'circular', 'zeros', 'replicate'] = 'constant') -> None:
        Module.__init__(self, _make=("conv3d_layer", out, size, bias, stride, padding, dilation, groups, inputs,
            padding_mode,))


class ConvTranspose1d(_Layer):
    """ConvTranspose1d, ConvTranspose2d, ConvTranspose3d: conv_transpose1d, 2d, 3d, plus a bias for each output; weight [channels, out / groups, ...size] and bias [out] start uniform
    in +-1/sqrt(elements of the weight for one channel).

    bias: adds one number for each output
    stride: as in conv_transpose2d
    padding: as in conv_transpose2d
    dilation: as in conv_transpose2d
    groups: as in conv_transpose2d
    inputs: channels of the input, a multiple of groups; None: as the first one has
    output_padding: as in conv_transpose2d"""

    _shown = 2

    def __init__(self, out: int, size: int | tuple[int, ...], *, bias: bool = True, stride: int | tuple[int, ...] = 1,
                 padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1, inputs: int
                 | None = None, output_padding: int | tuple[int, ...] = 0) -> None:
        Module.__init__(self, _make=("conv_transpose1d_layer", out, size, bias, stride, padding, dilation, groups,
            inputs, output_padding,))


class ConvTranspose2d(_Layer):
    """ConvTranspose1d, ConvTranspose2d, ConvTranspose3d: conv_transpose1d, 2d, 3d, plus a bias for each output; weight [channels, out / groups, ...size] and bias [out] start uniform
    in +-1/sqrt(elements of the weight for one channel).

    bias: adds one number for each output
    stride: as in conv_transpose2d
    padding: as in conv_transpose2d
    dilation: as in conv_transpose2d
    groups: as in conv_transpose2d
    inputs: channels of the input, a multiple of groups; None: as the first one has
    output_padding: as in conv_transpose2d"""

    _shown = 2

    def __init__(self, out: int, size: int | tuple[int, ...], *, bias: bool = True, stride: int | tuple[int, ...] = 1,
                 padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1, inputs: int
                 | None = None, output_padding: int | tuple[int, ...] = 0) -> None:
        Module.__init__(self, _make=("conv_transpose2d_layer", out, size, bias, stride, padding, dilation, groups,
            inputs, output_padding,))


class ConvTranspose3d(_Layer):
    """ConvTranspose1d, ConvTranspose2d, ConvTranspose3d: conv_transpose1d, 2d, 3d, plus a bias for each output; weight [channels, out / groups, ...size] and bias [out] start uniform
    in +-1/sqrt(elements of the weight for one channel).

    bias: adds one number for each output
    stride: as in conv_transpose2d
    padding: as in conv_transpose2d
    dilation: as in conv_transpose2d
    groups: as in conv_transpose2d
    inputs: channels of the input, a multiple of groups; None: as the first one has
    output_padding: as in conv_transpose2d"""

    _shown = 2

    def __init__(self, out: int, size: int | tuple[int, ...], *, bias: bool = True, stride: int | tuple[int, ...] = 1,
                 padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1, inputs: int
                 | None = None, output_padding: int | tuple[int, ...] = 0) -> None:
        Module.__init__(self, _make=("conv_transpose3d_layer", out, size, bias, stride, padding, dilation, groups,
            inputs, output_padding,))


class MaxPool1d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: from one element of a window to the next
    ceil: a last window that reaches over the end counts, too, if it begins within x or the padding before it"""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...], *, stride: int | tuple[int, ...] | None = None, padding: int |
                 tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, ceil: bool = False) -> None:
        Module.__init__(self, _make=("max_pool1d_layer", size, stride, padding, dilation, ceil,))


class MaxPool2d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: from one element of a window to the next
    ceil: a last window that reaches over the end counts, too, if it begins within x or the padding before it"""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...], *, stride: int | tuple[int, ...] | None = None, padding: int |
                 tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, ceil: bool = False) -> None:
        Module.__init__(self, _make=("max_pool2d_layer", size, stride, padding, dilation, ceil,))


class MaxPool3d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: from one element of a window to the next
    ceil: a last window that reaches over the end counts, too, if it begins within x or the padding before it"""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...], *, stride: int | tuple[int, ...] | None = None, padding: int |
                 tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, ceil: bool = False) -> None:
        Module.__init__(self, _make=("max_pool3d_layer", size, stride, padding, dilation, ceil,))


class AvgPool1d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means are over whole windows, zeros added
    ceil: a last window that reaches over the end counts, too; what lies behind the padding is not in its mean"""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...], *, stride: int | tuple[int, ...] | None = None, padding: int |
                 tuple[int, ...] = 0, count_padding: bool = True, ceil: bool = False) -> None:
        Module.__init__(self, _make=("avg_pool1d_layer", size, stride, padding, count_padding, ceil,))


class AvgPool2d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means are over whole windows, zeros added
    ceil: a last window that reaches over the end counts, too; what lies behind the padding is not in its mean"""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...], *, stride: int | tuple[int, ...] | None = None, padding: int |
                 tuple[int, ...] = 0, count_padding: bool = True, ceil: bool = False) -> None:
        Module.__init__(self, _make=("avg_pool2d_layer", size, stride, padding, count_padding, ceil,))


class AvgPool3d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means are over whole windows, zeros added
    ceil: a last window that reaches over the end counts, too; what lies behind the padding is not in its mean"""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...], *, stride: int | tuple[int, ...] | None = None, padding: int |
                 tuple[int, ...] = 0, count_padding: bool = True, ceil: bool = False) -> None:
        Module.__init__(self, _make=("avg_pool3d_layer", size, stride, padding, count_padding, ceil,))


class AdaptiveMaxPool1d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...]) -> None:
        Module.__init__(self, _make=("adaptive_max_pool1d_layer", size,))


class AdaptiveMaxPool2d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...]) -> None:
        Module.__init__(self, _make=("adaptive_max_pool2d_layer", size,))


class AdaptiveMaxPool3d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...]) -> None:
        Module.__init__(self, _make=("adaptive_max_pool3d_layer", size,))


class AdaptiveAvgPool1d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...]) -> None:
        Module.__init__(self, _make=("adaptive_avg_pool1d_layer", size,))


class AdaptiveAvgPool2d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...]) -> None:
        Module.__init__(self, _make=("adaptive_avg_pool2d_layer", size,))


class AdaptiveAvgPool3d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...]) -> None:
        Module.__init__(self, _make=("adaptive_avg_pool3d_layer", size,))


class Upsample(_Layer):
    """interpolate of [batch, channels, ...] to axes so many times as long: one number, or one for each.

    mode: how
    align_corners: the first and last elements lie on those of x, instead of elements being areas, whose outer ends lie on those of x's; linear and cubic alone"""

    _shown = 1

    def __init__(self, scale_factor: int | tuple[int, ...], *, mode: Literal['nearest', 'nearest_exact', 'linear',
                 'bilinear', 'trilinear', 'cubic', 'bicubic'] = 'nearest', align_corners: bool = False) -> None:
        Module.__init__(self, _make=("upsample_layer", scale_factor, mode, align_corners,))


class Unfold(_Layer):
    """Unfold, Fold: unfold: windows as columns; fold: columns to their places in images.

    stride: from one window to the next: one number, or one for each axis
    padding: zeros on either side of an axis
    dilation: from one element of a window to the next"""

    _shown = 1

    def __init__(self, window: int | tuple[int, ...], *, stride: int | tuple[int, ...] = 1, padding: int | tuple[int,
                 ...] = 0, dilation: int | tuple[int, ...] = 1) -> None:
        Module.__init__(self, _make=("unfold_layer", window, stride, padding, dilation,))


class Fold(_Layer):
    """Unfold, Fold: unfold: windows as columns; fold: columns to their places in images.

    stride: from one window to the next: one number, or one for each axis
    padding: zeros on either side of an axis
    dilation: from one element of a window to the next"""

    _shown = 2

    def __init__(self, image_size: int | tuple[int, ...], window: int | tuple[int, ...], *, stride: int | tuple[int,
                 ...] = 1, padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1) -> None:
        Module.__init__(self, _make=("fold_layer", image_size, window, stride, padding, dilation,))


__all__ = ["Linear", "Flatten", "Dropout", "ChannelDropout", "Bilinear", "RMSNorm", "InstanceNorm", "GroupNorm",
           "BatchNorm", "LayerNorm", "Embedding", "EmbeddingBag", "ReLU", "Sigmoid", "Tanh", "GELU", "SiLU", "Mish",
           "Softplus", "ReLU6", "Softsign", "Hardswish", "Hardsigmoid", "SELU", "LogSigmoid", "Tanhshrink",
           "Identity", "CELU", "Hardshrink", "Softshrink", "Hardtanh", "Threshold", "GLU", "LeakyReLU", "ELU",
           "Softmax", "LogSoftmax", "PReLU", "RNN", "GRU", "LSTM", "MultiheadAttention", "SwiGLU",
           "TransformerEncoderLayer", "TransformerDecoderLayer", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d",
           "ConvTranspose2d", "ConvTranspose3d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d",
           "AvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AdaptiveAvgPool1d",
           "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "Upsample", "Unfold", "Fold"]
