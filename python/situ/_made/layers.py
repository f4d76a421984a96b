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


class ReLU(_Layer):
    """max(x, 0)."""

    _shown = 0

    def __init__(self) -> None:
        Module.__init__(self, _make=("relu_layer",))


class Sigmoid(_Layer):
    """1 / (1 + e^-x)."""

    _shown = 0

    def __init__(self) -> None:
        Module.__init__(self, _make=("sigmoid_layer",))


class Tanh(_Layer):
    """Tanh x."""

    _shown = 0

    def __init__(self) -> None:
        Module.__init__(self, _make=("tanh_layer",))


class GELU(_Layer):
    """Gelu x (tanh form)."""

    _shown = 0

    def __init__(self) -> None:
        Module.__init__(self, _make=("gelu_layer",))


class Flatten(_Layer):
    """[batch, ...] becomes [batch, all the rest]."""

    _shown = 0

    def __init__(self) -> None:
        Module.__init__(self, _make=("flatten_layer",))


class Dropout(_Layer):
    """While training: elements become 0 with probability rate, the others are divided by 1 - rate. The mask depends on the
    network's key, the layer, the step, and the positions in the whole batch (see module_call)."""

    _shown = 1

    def __init__(self, rate: float = 0.5) -> None:
        Module.__init__(self, _make=("dropout_layer", rate,))


class Conv2d(_Layer):
    """conv2d with a kernel of this size (one number: a square), plus a bias for each output; weight [out, channels /
    groups, height, width] and bias [out] start uniform in +-1/sqrt(products in a sum).

    bias: adds one number for each output
    stride: as in conv2d
    padding: as in conv2d
    dilation: as in conv2d
    groups: as in conv2d
    inputs: channels of the input, a multiple of groups; None: as the first one has"""

    _shown = 2

    def __init__(self, out: int, size: int | tuple[int, ...], *, bias: bool = True, stride: int | tuple[int, ...] = 1,
                 padding: int | tuple[int, ...] = 0, dilation: int | tuple[int, ...] = 1, groups: int = 1, inputs: int
                 | None = None) -> None:
        Module.__init__(self, _make=("conv2d_layer", out, size, bias, stride, padding, dilation, groups, inputs,))


class MaxPool2d(_Layer):
    """MaxPool2d, AvgPool2d: max_pool2d and avg_pool2d.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window"""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...], *, stride: int | tuple[int, ...] | None = None, padding: int |
                 tuple[int, ...] = 0) -> None:
        Module.__init__(self, _make=("max_pool2d_layer", size, stride, padding,))


class AvgPool2d(_Layer):
    """MaxPool2d, AvgPool2d: max_pool2d and avg_pool2d.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means are over whole windows, zeros added"""

    _shown = 1

    def __init__(self, size: int | tuple[int, ...], *, stride: int | tuple[int, ...] | None = None, padding: int |
                 tuple[int, ...] = 0, count_padding: bool = True) -> None:
        Module.__init__(self, _make=("avg_pool2d_layer", size, stride, padding, count_padding,))


class BatchNorm(_Layer):
    """BatchNorm, LayerNorm: batch_norm: weight (1 at first) and bias (0), and the moments that the training calls left, mean and variance,
    with which it normalises otherwise. layer_norm: weight and bias.

    eps: added to the variance
    momentum: share of a batch in the running moments, as in batch_norm
    inputs: channels of the input; None: as the first one has"""

    _shown = 0

    def __init__(self, *, eps: float = 1e-05, momentum: float = 0.1, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("batch_norm_layer", eps, momentum, inputs,))


class LayerNorm(_Layer):
    """BatchNorm, LayerNorm: batch_norm: weight (1 at first) and bias (0), and the moments that the training calls left, mean and variance,
    with which it normalises otherwise. layer_norm: weight and bias.

    eps: added to the variance
    inputs: elements of a row; None: as the first input's rows have"""

    _shown = 0

    def __init__(self, *, eps: float = 1e-05, inputs: int | None = None) -> None:
        Module.__init__(self, _make=("layer_norm_layer", eps, inputs,))


class Embedding(_Layer):
    """Rows of weight [count, width] by integers; they start uniform in +-sqrt(3), with variance 1."""

    _shown = 2

    def __init__(self, count: int, width: int) -> None:
        Module.__init__(self, _make=("embedding_layer", count, width,))


__all__ = ["Linear", "ReLU", "Sigmoid", "Tanh", "GELU", "Flatten", "Dropout", "Conv2d", "MaxPool2d", "AvgPool2d",
           "BatchNorm", "LayerNorm", "Embedding"]
