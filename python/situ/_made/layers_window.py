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
    weight [out, channels / groups, ...size] and bias [out] start uniform in +-1/sqrt(products in a sum).

    bias: adds one number for each output
    stride: as in conv2d
    padding: as in conv2d, also same
    dilation: as in conv2d
    groups: as in conv2d
    inputs: channels of the input, a multiple of groups; None: as the first one has
    padding_mode: what the padding is: zeros, or as pad has it"""

    _shown = 2

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] | Literal['same', 'valid'] = 0, dilation: int | Sequence[int] = 1,
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

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] | Literal['same', 'valid'] = 0, dilation: int | Sequence[int] = 1,
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

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] | Literal['same', 'valid'] = 0, dilation: int | Sequence[int] = 1,
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

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, inputs: int |
                 None = None, output_padding: int | Sequence[int] = 0) -> None:
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

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, inputs: int |
                 None = None, output_padding: int | Sequence[int] = 0) -> None:
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

    def __init__(self, out: int, size: int | Sequence[int], *, bias: bool = True, stride: int | Sequence[int] = 1,
                 padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, groups: int = 1, inputs: int |
                 None = None, output_padding: int | Sequence[int] = 0) -> None:
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

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> None:
        Module.__init__(self, _make=("max_pool1d_layer", size, stride, padding, dilation, ceil,))


class MaxPool2d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: from one element of a window to the next
    ceil: a last window that reaches over the end counts, too, if it begins within x or the padding before it"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> None:
        Module.__init__(self, _make=("max_pool2d_layer", size, stride, padding, dilation, ceil,))


class MaxPool3d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: from one element of a window to the next
    ceil: a last window that reaches over the end counts, too, if it begins within x or the padding before it"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> None:
        Module.__init__(self, _make=("max_pool3d_layer", size, stride, padding, dilation, ceil,))


class AvgPool1d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means are over whole windows, zeros added
    ceil: a last window that reaches over the end counts, too; what lies behind the padding is not in its mean"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> None:
        Module.__init__(self, _make=("avg_pool1d_layer", size, stride, padding, count_padding, ceil,))


class AvgPool2d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means are over whole windows, zeros added
    ceil: a last window that reaches over the end counts, too; what lies behind the padding is not in its mean"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> None:
        Module.__init__(self, _make=("avg_pool2d_layer", size, stride, padding, count_padding, ceil,))


class AvgPool3d(_Layer):
    """MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d, AvgPool2d, AvgPool3d: The largest element, the mean, of windows of this size (one number, or one for each axis) over the last one, two or three axes,
    as max_pool2d and avg_pool2d take them.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means are over whole windows, zeros added
    ceil: a last window that reaches over the end counts, too; what lies behind the padding is not in its mean"""

    _shown = 1

    def __init__(self, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
                 Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> None:
        Module.__init__(self, _make=("avg_pool3d_layer", size, stride, padding, count_padding, ceil,))


class AdaptiveMaxPool1d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_max_pool1d_layer", size,))


class AdaptiveMaxPool2d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_max_pool2d_layer", size,))


class AdaptiveMaxPool3d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_max_pool3d_layer", size,))


class AdaptiveAvgPool1d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_avg_pool1d_layer", size,))


class AdaptiveAvgPool2d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_avg_pool2d_layer", size,))


class AdaptiveAvgPool3d(_Layer):
    """AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d: Results of this size (one number, or one for each of the last axes), whatever the input has: adaptive_avg_pool2d, ..."""

    _shown = 1

    def __init__(self, size: int | Sequence[int]) -> None:
        Module.__init__(self, _make=("adaptive_avg_pool3d_layer", size,))


class Upsample(_Layer):
    """interpolate of [batch, channels, ...] to axes so many times as long: one number, or one for each.

    mode: how
    align_corners: the first and last elements lie on those of x, instead of elements being areas, whose outer ends lie on those of x's; linear and cubic alone"""

    _shown = 1

    def __init__(self, scale_factor: int | Sequence[int], *, mode: Literal['nearest', 'nearest_exact', 'linear',
                 'bilinear', 'trilinear', 'cubic', 'bicubic'] = 'nearest', align_corners: bool = False) -> None:
        Module.__init__(self, _make=("upsample_layer", scale_factor, mode, align_corners,))


class Unfold(_Layer):
    """Unfold, Fold: unfold: windows as columns; fold: columns to their places in images.

    stride: from one window to the next: one number, or one for each axis
    padding: zeros on either side of an axis
    dilation: from one element of a window to the next"""

    _shown = 1

    def __init__(self, window: int | Sequence[int], *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] =
                 0, dilation: int | Sequence[int] = 1) -> None:
        Module.__init__(self, _make=("unfold_layer", window, stride, padding, dilation,))


class Fold(_Layer):
    """Unfold, Fold: unfold: windows as columns; fold: columns to their places in images.

    stride: from one window to the next: one number, or one for each axis
    padding: zeros on either side of an axis
    dilation: from one element of a window to the next"""

    _shown = 2

    def __init__(self, image_size: int | Sequence[int], window: int | Sequence[int], *, stride: int | Sequence[int] =
                 1, padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1) -> None:
        Module.__init__(self, _make=("fold_layer", image_size, window, stride, padding, dilation,))


__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "MaxPool1d",
           "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
           "AdaptiveMaxPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "Upsample", "Unfold",
           "Fold"]
