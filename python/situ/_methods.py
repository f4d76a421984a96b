"""Tensor's methods other than operators: pickling, copies, lists."""
import math

from . import _functions, _situ
from ._dtypes import _by_name
from ._situ import Tensor


class Count(int):
    """The number of elements; calling it, x.size(0) as in PyTorch, raises an error that says what to write."""

    __slots__ = ()

    def __call__(self, *axis):
        raise TypeError(f"x.size is the number of elements, {int(self)}; write x.shape{'[' + ', '.join(map(repr, axis)) + ']' if axis else ''}")

    def __reduce__(self):
        return int, (int(self),)


def _load(data, dtype, shape, device, trainable, name):
    x = _situ.from_bytes(data, _by_name(dtype), shape, device)
    return x if trainable is None else _situ.variable(x, trainable, name)


def _reduce(x):
    device = None if x.device._kind == 1 else x.device
    return _load, (_situ.read_bytes(x), x.dtype.name, x.shape, device, x.trainable if x.is_variable else None, x.name or None)


def _copy(x):
    return _situ.copy_to(x, x.device)


def _deep_copy(x, memo):
    y = _copy(x)
    return _situ.variable(y, x.trainable, x.name or None) if x.is_variable else y


_FORMATS = {"bool": "?", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
            "float32": "f", "float64": "d"}


def _empty(shape):
    return [_empty(shape[1:]) for _ in range(shape[0])]


def _nested(values, shape):
    n = len(values) // shape[0]
    return [_nested(values[i * n:(i + 1) * n], shape[1:]) for i in range(shape[0])] if len(shape) > 1 else values


_PIECE = 1 << 16  # elements that become Python numbers in one call, during which no other thread runs


def _lists(data, code, shape):
    """Nested lists of the elements in `data`, a view of bytes. Between two pieces other threads of Python may run."""
    row = math.prod(shape[1:])
    if shape[0] * row <= _PIECE:
        return data.cast(code, shape).tolist()
    width = len(data) // shape[0]
    if row > _PIECE:
        return [_lists(data[i * width:(i + 1) * width], code, shape[1:]) for i in range(shape[0])]
    out, rows = [], _PIECE // row
    for i in range(0, shape[0], rows):
        part = data[i * width:(i + rows) * width]
        out += part.cast(code, (len(part) // width, *shape[1:])).tolist()
    return out


def _tolist(x):
    """Nested lists of Python numbers, read at once."""
    if x.ndim == 0:
        return x.item()
    if x.size == 0:
        return _empty(x.shape)
    if x.dtype.kind == "complex floating":
        parts = memoryview(_situ.read_bytes(x)).cast("d" if x.dtype.itemsize == 16 else "f")
        return _nested([complex(re, im) for re, im in zip(parts[::2], parts[1::2])], x.shape)
    if x.dtype.name not in _FORMATS:  # float16 and bfloat16
        x = _situ.cast(x, "float32")
    return _lists(memoryview(_situ.read_bytes(x)), _FORMATS[x.dtype.name], x.shape)


def _text_format(x, spec):
    if not spec:
        return str(x)
    if x.size != 1:
        raise TypeError(f"format: {spec!r} is for one number, and the tensor has {x.size}; write {{x}}, with situ.printoptions(digits) around it, or one of x.tolist()")
    return format(x.item(), spec)


def _bundle(x, include=None, exclude=None):
    """For Jupyter: the text that print shows, read once, below a line with dtype, shape and device."""
    from html import escape
    text = repr(x)
    head = f"{x.dtype}{list(x.shape)} @{x.device}" + (f" {x.name}" if x.name else "")
    return {"text/plain": text, "text/html": f"<div><small>{escape(head)}</small><pre>{escape(text)}</pre></div>"}


def _sizes(values):
    return values[0] if len(values) == 1 and isinstance(values[0], (tuple, list)) else values


def _reshape(x, *shape):
    """The same elements in another shape: x.reshape(2, 3) or x.reshape((2, 3)); one length may be -1."""
    return _situ.reshape(x, _sizes(shape))


def _clip(x, /, min=None, max=None):
    """min(max(x, min), max); None: no bound. The dtype stays x's, except that integers bounded by floats become floats."""
    return _situ.clip(x, min, max)


def _transpose(x, *axes):
    """The axes in the given order; reversed if none is given."""
    return _situ.permute_dims(x, _sizes(axes) or tuple(range(x.ndim))[::-1])


def _flatten(x):
    """All elements in one axis."""
    return _situ.reshape(x, (-1,))


def _squeeze(x, axis=None):
    """Removes these axes of length 1, or all of them."""
    return _situ.squeeze(x, tuple(i for i, n in enumerate(x.shape) if n == 1) if axis is None else axis)


def _bytes(x):
    """The elements' bytes in row-major order."""
    return _situ.read_bytes(x)


def _rounded(x, digits=0):
    if digits:
        raise ValueError("round: situ rounds to whole numbers")
    return _situ.round(x)


for _function in (_functions.astype, _functions.take, _functions.repeat):
    setattr(Tensor, _function.__name__, _function)
Tensor.clip, Tensor.reshape, Tensor.transpose, Tensor.flatten, Tensor.ravel, Tensor.squeeze = _clip, _reshape, _transpose, _flatten, _flatten, _squeeze
Tensor.copy = _copy
Tensor.__bytes__ = _bytes
Tensor.__round__ = _rounded
Tensor._repr_mimebundle_ = _bundle
Tensor.__reduce__ = _reduce
Tensor.__copy__ = _copy
Tensor.__deepcopy__ = _deep_copy
Tensor.__format__ = _text_format
Tensor.tolist = _tolist
