"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .._device import Device
from .._dtypes import DType
from .._group import Group
from ..nn import Module, _Layer


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


__all__ = ["ReLU", "Sigmoid", "Tanh", "GELU", "SiLU", "Mish", "Softplus", "ReLU6", "Softsign", "Hardswish",
           "Hardsigmoid", "SELU", "LogSigmoid", "Tanhshrink", "Identity", "CELU", "Hardshrink", "Softshrink",
           "Hardtanh", "Threshold", "GLU", "LeakyReLU", "ELU", "Softmax", "LogSoftmax", "PReLU"]
