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

        y = bilinear(a, b)                  # [..., out]

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
    running_mean and running_var, with which it normalises otherwise. layer_norm: weight and bias. With a group every rank
    calls the network once for each step: the moments, and so the running ones, are those of all of their rows, and gradients pass
    through them.

    eps: added to the variance
    momentum: share of a batch in the running moments, as in batch_norm
    inputs: channels of the input; None: as the first one has
    group: of the ranks whose rows together give the moments while training; none: each has its own"""
    def __init__(self, *, eps: float = 1e-05, momentum: float = 0.1, inputs: int | None = None, group: Group | None =
                 None) -> None:
        Module.__init__(self, _make=("batch_norm_layer", eps, momentum, inputs, group,))


class LayerNorm(_Layer):
    """BatchNorm, LayerNorm: batch_norm of [n, channels, ...]: weight (1 at first) and bias (0), and the moments that the training calls left,
    running_mean and running_var, with which it normalises otherwise. layer_norm: weight and bias. With a group every rank
    calls the network once for each step: the moments, and so the running ones, are those of all of their rows, and gradients pass
    through them.

    shape: sizes of the last axes, which are a row together and weight's and bias's; default: the last axis alone
    eps: added to the variance
    inputs: elements of a row; None: as the first input's rows have"""

    _shown = 1

    def __init__(self, shape: int | Sequence[int] | None = None, *, eps: float = 1e-05, inputs: int | None =
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

        y = bag(index)                      # index [rows, most] gives [rows, width]
        y = bag(index, weights)

    mode: of the rows of a bag"""

    _shown = 2

    def __init__(self, count: int, width: int, *, mode: Literal['mean', 'sum', 'max'] = 'mean') -> None:
        Module.__init__(self, _make=("embedding_bag_layer", count, width, mode,))


__all__ = ["Linear", "Flatten", "Dropout", "ChannelDropout", "Bilinear", "RMSNorm", "InstanceNorm", "GroupNorm",
           "BatchNorm", "LayerNorm", "Embedding", "EmbeddingBag"]
