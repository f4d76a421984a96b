"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .._device import Device
from .._dtypes import DType
from .._group import Group
from ..nn import Module, _Layer


class Conv1d(_Layer):
    """Conv1d, Conv2d, Conv3d: conv1d, conv2d, conv3d with a kernel of this size (one number, or one for each axis), plus a bias for each output;
    weight [out, channels / groups, ...size] and bias [out] are initially uniform in +-1/sqrt(products in a sum).

    bias: adds a bias for each output
    stride: as in conv2d
    padding: as in conv2d, also same
    dilation: as in conv2d
    groups: as in conv2d
    inputs: channels of the input, a multiple of groups; None: those of the first input
    padding_mode: how to pad: zeros, or another mode of pad"""

    _shown = 2

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] | Literal['same', 'valid'] = 0, dilation: int | Sequence[int] = 1,
                 groups: int = 1, inputs: int | None = None, padding_mode: Literal['constant', 'reflect', 'edge',
                 'circular', 'zeros', 'replicate'] = 'constant') -> None:
        Module.__init__(self, _make=("conv1d_layer", out, size, bias, stride, padding, dilation, groups, inputs,
            padding_mode,))


class Conv2d(_Layer):
    """Conv1d, Conv2d, Conv3d: conv1d, conv2d, conv3d with a kernel of this size (one number, or one for each axis), plus a bias for each output;
    weight [out, channels / groups, ...size] and bias [out] are initially uniform in +-1/sqrt(products in a sum).

    bias: adds a bias for each output
    stride: as in conv2d
    padding: as in conv2d, also same
    dilation: as in conv2d
    groups: as in conv2d
    inputs: channels of the input, a multiple of groups; None: those of the first input
    padding_mode: how to pad: zeros, or another mode of pad"""

    _shown = 2

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] | Literal['same', 'valid'] = 0, dilation: int | Sequence[int] = 1,
                 groups: int = 1, inputs: int | None = None, padding_mode: Literal['constant', 'reflect', 'edge',
                 'circular', 'zeros', 'replicate'] = 'constant') -> None:
        Module.__init__(self, _make=("conv2d_layer", out, size, bias, stride, padding, dilation, groups, inputs,
            padding_mode,))


class Conv3d(_Layer):
    """Conv1d, Conv2d, Conv3d: conv1d, conv2d, conv3d with a kernel of this size (one number, or one for each axis), plus a bias for each output;
    weight [out, channels / groups, ...size] and bias [out] are initially uniform in +-1/sqrt(products in a sum).

    bias: adds a bias for each output
    stride: as in conv2d
    padding: as in conv2d, also same
    dilation: as in conv2d
    groups: as in conv2d
    inputs: channels of the input, a multiple of groups; None: those of the first input
    padding_mode: how to pad: zeros, or another mode of pad"""

    _shown = 2

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] | Literal['same', 'valid'] = 0, dilation: int | Sequence[int] = 1,
                 groups: int = 1, inputs: int | None = None, padding_mode: Literal['constant', 'reflect', 'edge',
                 'circular', 'zeros', 'replicate'] = 'constant') -> None:
        Module.__init__(self, _make=("conv3d_layer", out, size, bias, stride, padding, dilation, groups, inputs,
            padding_mode,))


class ConvTranspose1d(_Layer):
    """ConvTranspose1d, ConvTranspose2d, ConvTranspose3d: conv_transpose1d, 2d, 3d, plus a bias for each output; weight [channels, out / groups, ...size] and bias [out] are initially
    uniform in +-1/sqrt(elements of the weight for one channel).

    bias: adds a bias for each output
    stride: as in conv_transpose2d
    padding: as in conv_transpose2d
    dilation: as in conv_transpose2d
    groups: as in conv_transpose2d
    inputs: channels of the input, a multiple of groups; None: those of the first input
    output_padding: as in conv_transpose2d"""

    _shown = 2

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, inputs: int |
                 None = None, output_padding: int | Sequence[int] = 0) -> None:
        Module.__init__(self, _make=("conv_transpose1d_layer", out, size, bias, stride, padding, dilation, groups,
            inputs, output_padding,))


class ConvTranspose2d(_Layer):
    """ConvTranspose1d, ConvTranspose2d, ConvTranspose3d: conv_transpose1d, 2d, 3d, plus a bias for each output; weight [channels, out / groups, ...size] and bias [out] are initially
    uniform in +-1/sqrt(elements of the weight for one channel).

    bias: adds a bias for each output
    stride: as in conv_transpose2d
    padding: as in conv_transpose2d
    dilation: as in conv_transpose2d
    groups: as in conv_transpose2d
    inputs: channels of the input, a multiple of groups; None: those of the first input
    output_padding: as in conv_transpose2d"""

    _shown = 2

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, inputs: int |
                 None = None, output_padding: int | Sequence[int] = 0) -> None:
        Module.__init__(self, _make=("conv_transpose2d_layer", out, size, bias, stride, padding, dilation, groups,
            inputs, output_padding,))


class ConvTranspose3d(_Layer):
    """ConvTranspose1d, ConvTranspose2d, ConvTranspose3d: conv_transpose1d, 2d, 3d, plus a bias for each output; weight [channels, out / groups, ...size] and bias [out] are initially
    uniform in +-1/sqrt(elements of the weight for one channel).

    bias: adds a bias for each output
    stride: as in conv_transpose2d
    padding: as in conv_transpose2d
    dilation: as in conv_transpose2d
    groups: as in conv_transpose2d
    inputs: channels of the input, a multiple of groups; None: those of the first input
    output_padding: as in conv_transpose2d"""

    _shown = 2

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, inputs: int |
                 None = None, output_padding: int | Sequence[int] = 0) -> None:
        Module.__init__(self, _make=("conv_transpose3d_layer", out, size, bias, stride, padding, dilation, groups,
            inputs, output_padding,))


class MaxPool1d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes, as in
    max_pool2d and avg_pool2d.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: distance between elements of a window
    ceil: also uses a last window that reaches past the end, if it begins within x or the padding before it"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> None:
        Module.__init__(self, _make=("max_pool1d_layer", size, stride, padding, dilation, ceil,))


class MaxPool2d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes, as in
    max_pool2d and avg_pool2d.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: distance between elements of a window
    ceil: also uses a last window that reaches past the end, if it begins within x or the padding before it"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> None:
        Module.__init__(self, _make=("max_pool2d_layer", size, stride, padding, dilation, ceil,))


class MaxPool3d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes, as in
    max_pool2d and avg_pool2d.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: distance between elements of a window
    ceil: also uses a last window that reaches past the end, if it begins within x or the padding before it"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> None:
        Module.__init__(self, _make=("max_pool3d_layer", size, stride, padding, dilation, ceil,))


class AvgPool1d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes, as in
    max_pool2d and avg_pool2d.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means divide by the whole window, counting padding as zeros
    ceil: also uses a last window that reaches past the end; what is after the padding does not count for its mean"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> None:
        Module.__init__(self, _make=("avg_pool1d_layer", size, stride, padding, count_padding, ceil,))


class AvgPool2d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes, as in
    max_pool2d and avg_pool2d.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means divide by the whole window, counting padding as zeros
    ceil: also uses a last window that reaches past the end; what is after the padding does not count for its mean"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> None:
        Module.__init__(self, _make=("avg_pool2d_layer", size, stride, padding, count_padding, ceil,))


class AvgPool3d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The maximum, and the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes, as in
    max_pool2d and avg_pool2d.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means divide by the whole window, counting padding as zeros
    ceil: also uses a last window that reaches past the end; what is after the padding does not count for its mean"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> None:
        Module.__init__(self, _make=("avg_pool3d_layer", size, stride, padding, count_padding, ceil,))


class AdaptiveMaxPool1d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each of the last axes) for any size of the input: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_max_pool1d_layer", size,))


class AdaptiveMaxPool2d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each of the last axes) for any size of the input: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_max_pool2d_layer", size,))


class AdaptiveMaxPool3d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each of the last axes) for any size of the input: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_max_pool3d_layer", size,))


class AdaptiveAvgPool1d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each of the last axes) for any size of the input: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_avg_pool1d_layer", size,))


class AdaptiveAvgPool2d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each of the last axes) for any size of the input: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_avg_pool2d_layer", size,))


class AdaptiveAvgPool3d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Pools to this size (one number, or one for each of the last axes) for any size of the input: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_avg_pool3d_layer", size,))


class Upsample(_Layer):
    """interpolate of [batch, channels, ...] by a factor for all axes, or one for each.

    mode: the method
    align_corners: aligns the centres of the first and last elements with those of x, instead of the outer edges; only for linear and cubic"""

    _shown = 1

    def __init__(self, scale_factor: int | Sequence[int], *, mode: Literal['nearest', 'nearest_exact', 'linear',
                 'bilinear', 'trilinear', 'cubic', 'bicubic'] = 'nearest', align_corners: bool = False) -> None:
        Module.__init__(self, _make=("upsample_layer", scale_factor, mode, align_corners,))


class Unfold(_Layer):
    """Unfold, Fold: unfold: windows as columns; fold: adds columns up at their positions in images.

    stride: distance between windows: one number, or one for each axis
    padding: zeros added at both ends of an axis
    dilation: distance between elements of a window"""

    _shown = 1

    def __init__(self, window: int | Sequence[int], *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] =
                 0, dilation: int | Sequence[int] = 1) -> None:
        Module.__init__(self, _make=("unfold_layer", window, stride, padding, dilation,))


class Fold(_Layer):
    """Unfold, Fold: unfold: windows as columns; fold: adds columns up at their positions in images.

    stride: distance between windows: one number, or one for each axis
    padding: zeros added at both ends of an axis
    dilation: distance between elements of a window"""

    _shown = 2

    def __init__(self, image_size: int | Sequence[int], window: int | Sequence[int], *, stride: int | Sequence[int] =
                 1, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1) -> None:
        Module.__init__(self, _make=("fold_layer", image_size, window, stride, padding, dilation,))


__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "MaxPool1d",
           "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
           "AdaptiveMaxPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "Upsample", "Unfold",
           "Fold"]
