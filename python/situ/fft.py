"""Fourier transforms of any length: the fft extension of the array API."""
from operator import index as _index

from . import _situ
from ._dtypes import parse

_NORM = {"backward": 0, "ortho": 1, "forward": 2, None: 0}


def _one(fn, x, n, axis, norm):
    if not isinstance(norm, (str, type(None))) or norm not in _NORM:
        raise ValueError(f"norm is \"backward\", \"ortho\" or \"forward\", not {norm!r}")
    if n is not None and _index(n) < 1:
        raise ValueError(f"a transform of {n} elements")
    return fn(x, n, axis, _NORM[norm])


def _several(fn, x, s, axes, norm):
    if not isinstance(norm, (str, type(None))) or norm not in _NORM:
        raise ValueError(f"norm is \"backward\", \"ortho\" or \"forward\", not {norm!r}")
    return fn(x, s, axes, _NORM[norm])


def _of_one(name, doc):
    fn = getattr(_situ, name)

    def transform(x, /, *, n=None, axis=-1, norm="backward"):
        return _one(fn, x, n, axis, norm)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = doc
    return transform


def _of_several(name, doc):
    fn = getattr(_situ, name)

    def transform(x, /, *, s=None, axes=None, norm="backward"):
        return _several(fn, x, s, axes, norm)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = doc
    return transform


fft = _of_one("fft", "y[k] = sum over j of x[j] e^(-2 pi i j k / n).")
ifft = _of_one("ifft", "The inverse of fft.")
rfft = _of_one("rfft", "Of real x, the first n / 2 + 1 of fft.")
irfft = _of_one("irfft", "The inverse of rfft, real.")
hfft = _of_one("hfft", "The transform of a signal with a real spectrum, from its first half.")
ihfft = _of_one("ihfft", "The inverse of hfft.")
fftn = _of_several("fftn", "fft along several axes.")
ifftn = _of_several("ifftn", "The inverse of fftn.")
rfftn = _of_several("rfftn", "rfft along the last of the axes, then fft along the others.")
irfftn = _of_several("irfftn", "The inverse of rfftn, real.")


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of fft's results."""
    return _situ.fftfreq(n, d, parse(dtype), device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of rfft's results."""
    return _situ.rfftfreq(n, d, parse(dtype), device)


def fftshift(x, /, *, axes=None):
    """Frequency 0 to the middle."""
    return _situ.fftshift(x, axes)


def ifftshift(x, /, *, axes=None):
    """Undoes fftshift."""
    return _situ.ifftshift(x, axes)
