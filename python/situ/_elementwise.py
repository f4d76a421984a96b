"""Operations on each element, from src/op/elementwise.def, under the standard's names."""
from . import _situ
from ._situ import (abs, acos, acosh, add, asin, asinh, atan, atan2, atanh, bitwise_and, bitwise_invert,  # noqa: F401
                    bitwise_left_shift, bitwise_or, bitwise_right_shift, bitwise_xor, cbrt, ceil, copysign, cos, cosh, equal,
                    erf, erfc, erfinv, exp, exp2, expm1, floor, fma, fmod, greater, greater_equal, hypot, isfinite,
                    isinf, isnan, less, less_equal, log, log1p, log2, log10, logaddexp, logical_and, logical_not, logical_or,
                    logical_xor, maximum, minimum, negative, nextafter, not_equal, positive, pow, reciprocal, relu, remainder,
                    round, rsqrt, sigmoid, signbit, sin, sinh, softplus, sqrt, square, tan, tanh, trunc)
from ._situ import div as divide, mul as multiply, sub as subtract  # noqa: F401


def floor_divide(x1, x2, /):
    """floor(x1 / x2); integers: 0 where x2 = 0."""
    return _situ.standard_floor_divide(x1, x2)


def sign(x, /):
    """-1, 0 or 1; x / |x| of complex numbers; NaN stays."""
    return _situ.standard_sign(x)


def real(x, /):
    """The real part."""
    return _situ.real(x)


def imag(x, /):
    """The imaginary part."""
    return _situ.imag(x)


def conj(x, /):
    """The complex conjugate."""
    return _situ.conj(x)


__all__ = [name for name in dir() if not name.startswith("_")]
