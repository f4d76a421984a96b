"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .._device import Device
from .._dtypes import DType
from .._group import Group
from ..nn import Module, _Layer


class Linear(_Layer):
    """y = x W^T + b over the last axis; weight [out, in] and bias [out] start uniform in +-1/sqrt(in).

    bias: adds a bias b
    inputs: width of the input; None: that of the first input"""

    _shown = 1

    def __init__(self, out: int, *, bias: bool = True, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("linear_layer", out, bias, inputs,))


class Flatten(_Layer):
    """Reshapes [batch, ...] to [batch, all the rest]."""
    def __init__(self) -> None:
        Module.__init__(self, _make=("flatten_layer",))


class Dropout(_Layer):
    """Dropout: while training, elements become 0 with probability rate, and the others are divided by 1 - rate. The mask depends on the
    network's key, the layer, the step, and the positions in the whole batch (see module_call)."""

    _shown = 1

    def __init__(self, rate: float = 0.5) -> None:
        Module.__init__(self, _make=("dropout_layer", rate,))


class ChannelDropout(_Layer):
    """The same for whole channels of x [batch, channels, ...]: all elements of a channel are kept or become 0."""

    _shown = 1

    def __init__(self, rate: float = 0.5) -> None:
        Module.__init__(self, _make=("channel_dropout_layer", rate,))


class Bilinear(_Layer):
    """y_k = a W_k b' + b_k over the last axes of two inputs a and b; weight [out, size of a, size of b] and bias [out] start uniform in
    +-1/sqrt(size of a).

        y = bilinear(a, b)                  # [..., out]

    bias: adds a bias b"""

    _shown = 1

    def __init__(self, out: int, *, bias: bool = True) -> None:
        Module.__init__(self, _make=("bilinear_layer", out, bias,))


class RMSNorm(_Layer):
    """x / sqrt(mean x^2 + eps) weight over the last axis; weight is initially 1.

    eps: added to the mean square
    inputs: length of a row; None: that of the first input's rows"""
    def __init__(self, *, eps: float = 1e-06, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("rms_norm_layer", eps, inputs,))


class InstanceNorm(_Layer):
    """(x - mean) / sqrt(variance + eps) for x [batch, channels, ...], with moments for each group of channels in each row. An instance
    norm has a group for each channel. Here affine = false.

    eps: added to the variance
    affine: multiplies by a weight and adds a bias for each channel
    inputs: channels of the input; None: those of the first input"""
    def __init__(self, *, eps: float = 1e-05, affine: bool = False, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("instance_norm_layer", eps, affine, inputs,))


class GroupNorm(_Layer):
    """(x - mean) / sqrt(variance + eps) for x [batch, channels, ...], with moments for each of `count` groups of channels in each row;
    a weight (initially 1) and a bias (0) for each channel.

    eps: added to the variance
    affine: multiplies by a weight and adds a bias for each channel
    inputs: channels of the input; None: those of the first input"""

    _shown = 1

    def __init__(self, count: int, *, eps: float = 1e-05, affine: bool = True, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("group_norm_layer", count, eps, affine, inputs,))


class BatchNorm(_Layer):
    """BatchNorm, LayerNorm: batch_norm for [n, channels, ...], with weight (initially 1), bias (0), and the running moments of training calls,
    running_mean and running_var, which it uses when not training. And layer_norm with weight and bias. With a group every rank
    calls the network once in each step: the moments, and so the running ones, are those of all ranks' rows, and gradients pass
    through them.

    eps: added to the variance
    momentum: weight of a batch in the running moments, as in batch_norm
    inputs: channels of the input; None: those of the first input
    group: ranks over whose rows together the moments are computed while training; none: each rank has its own"""
    def __init__(self, *, eps: float = 1e-05, momentum: float = 0.1, inputs: int | None = None, group: Group | None =
                 None) -> None:
        Module.__init__(self, _make=("batch_norm_layer", eps, momentum, inputs, group,))


class LayerNorm(_Layer):
    """BatchNorm, LayerNorm: batch_norm for [n, channels, ...], with weight (initially 1), bias (0), and the running moments of training calls,
    running_mean and running_var, which it uses when not training. And layer_norm with weight and bias. With a group every rank
    calls the network once in each step: the moments, and so the running ones, are those of all ranks' rows, and gradients pass
    through them.

    shape: sizes of the last axes, over which it normalises, and of weight and bias; default: only the last axis
    eps: added to the variance
    inputs: length of a row; None: that of the first input's rows"""

    _shown = 1

    def __init__(self, shape: int | Sequence[int] | None = None, *, eps: float = 1e-05, inputs: int | None =
                 None) -> None:
        Module.__init__(self, _make=("layer_norm_layer", shape, eps, inputs,))


class Embedding(_Layer):
    """Looks up rows of weight [count, width] by integers; the weight is initially uniform in +-sqrt(3), with variance 1."""

    _shown = 2

    def __init__(self, count: int, width: int) -> None:
        Module.__init__(self, _make=("embedding_layer", count, width,))


class EmbeddingBag(_Layer):
    """For index [batch, n] the mean, sum or maximum of n rows of weight [count, width], initialised as in Embedding; index
    -1 is skipped. A second input, weights [batch, n], multiplies the rows of a sum.

        y = bag(index)                      # index [rows, most] gives [rows, width]
        y = bag(index, weights)

    mode: how the rows of a bag are combined"""

    _shown = 2

    def __init__(self, count: int, width: int, *, mode: Literal['mean', 'sum', 'max'] = 'mean') -> None:
        Module.__init__(self, _make=("embedding_bag_layer", count, width, mode,))


__all__ = ["Linear", "Flatten", "Dropout", "ChannelDropout", "Bilinear", "RMSNorm", "InstanceNorm", "GroupNorm",
           "BatchNorm", "LayerNorm", "Embedding", "EmbeddingBag"]
