"""Operations on each element: every row of src/op/elementwise.def, some under the standard's name for it."""
from . import _situ

_STANDARD = {"add": "add", "sub": "subtract", "mul": "multiply", "div": "divide"}
_OWN = ("clip", "where", "floor_divide", "sign")  # the standard wants more than the row: see below and _functions.py
for _name in _situ.elementwise:
    if _name not in _OWN:
        globals()[_STANDARD.get(_name, _name)] = getattr(_situ, _name)


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
