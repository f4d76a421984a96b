"""Linear algebra: the linalg extension of the array API. Matrices are the last two axes; the axes before are batches."""
from collections import namedtuple as _namedtuple

from . import _situ
from ._functions import _axes, matmul, matrix_transpose, outer, tensordot, vecdot  # noqa: F401
from ._made.linalg import *  # noqa: F401,F403
from ._situ import eigvals, eigvalsh, svdvals  # noqa: F401

_QR = _namedtuple("QRResult", "Q R")


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """A norm over the last two axes: "fro", "nuc", 1, -1, 2, -2, inf or -inf."""
    order = {"fro": "frobenius", "nuc": "nuclear"}.get(ord, "induced") if isinstance(ord, str) else "induced"
    return _situ.matrix_norm(x, order, keepdims, ord if order == "induced" else 2.0)


_LU = _namedtuple("LUResult", "P L U")
_LSTSQ = _namedtuple("LstsqResult", "solution residuals rank singular_values")


def lu(x, /):
    """P, L, U with x = P L U: a permutation, a lower triangular matrix with 1 on its diagonal, and an upper triangular
    one."""
    return _LU(*_situ.lu(x))


def lstsq(a, b, /, *, rtol=None):
    """The shortest y that minimises |a y - b|, the sums of |a y - b|^2, and the rank and singular values of a."""
    return _LSTSQ(*_situ.lstsq(a, b, -1.0 if rtol is None else rtol))


def cond(x, /, ord=2):
    """The condition number: the norm of the matrix times that of its inverse; by default from singular values."""
    order = {"fro": "frobenius", "nuc": "nuclear"}.get(ord, "induced") if isinstance(ord, str) else "induced"
    return _situ.cond(x, order, 2.0 if isinstance(ord, str) else ord)


def norm(x, /, ord=None, axis=None, keepdims=False):
    """NumPy's norm: of all elements without ord and axis, of vectors along one axis, of matrices over two axes (or of a
    matrix if ord is given)."""
    if axis is None and (ord is None or x.ndim == 1):
        return vector_norm(x, keepdims=keepdims, ord=2 if ord is None else ord)
    axes = _axes(axis, x.ndim)
    if len(axes) == 1:
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"norm: axis={axis!r} of a tensor of {x.ndim} dimensions; a norm is along one axis or over two")
    rest = [a for a in range(x.ndim) if a not in axes]
    y = matrix_norm(_situ.permute_dims(x, rest + list(axes)), ord="fro" if ord is None else ord)
    return _situ.reshape(y, [1 if a in axes else n for a, n in enumerate(x.shape)]) if keepdims else y


def _thresholds(x, rtol):
    s = _situ.svdvals(x)
    largest = _situ.max(s, axis=-1, keepdims=True)
    return s, _situ.cast(_situ.expand_dims(rtol, -1) if rtol.ndim else rtol, s.dtype) * largest


def matrix_rank(x, /, *, rtol=None):
    """Number of singular values above rtol times the largest."""
    if isinstance(rtol, _situ.Tensor):
        s, least = _thresholds(x, rtol)
        return _situ.count_nonzero(s > least, axis=-1)
    return _situ.matrix_rank(x, rtol)


def pinv(x, /, *, rtol=None):
    """The pseudo-inverse."""
    if isinstance(rtol, _situ.Tensor):
        u, s, vh = _situ.svd(x, full_matrices=False)
        largest = _situ.max(s, axis=-1, keepdims=True)
        least = _situ.cast(_situ.expand_dims(rtol, -1) if rtol.ndim else rtol, s.dtype) * largest
        inverse = _situ.where(s > least, 1 / s, 0 * s)
        return _situ.matmul(_situ.conj(matrix_transpose(vh)) * _situ.expand_dims(inverse, -2), _situ.conj(matrix_transpose(u)))
    return _situ.pinv(x, rtol)


def qr(x, /, *, mode="reduced"):
    """Q with orthonormal columns and an upper triangular R, x = Q R."""
    if not isinstance(mode, str) or mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode is \"reduced\" or \"complete\", not {mode!r}")
    return _QR(*_situ.qr(x, mode == "complete"))


def trace(x, /, *, offset=0, dtype=None):
    """The sum of a diagonal of the last two axes."""
    return _situ.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """(sum |x|^ord)^(1/ord); inf: the largest |x|; 0: the number of elements that are not 0. Integers give f32; powers
    do not overflow."""
    return _situ.norm(x, None if axis is None else _axes(axis, x.ndim), keepdims, None, ord)
