"""What Tensor has beside its operators: pickling, copies, lists."""
from . import _situ
from ._dtypes import _by_name
from ._situ import Tensor


def _load(data, dtype, shape, device, trainable, name):
    x = _situ.from_bytes(data, _by_name(dtype), shape, device)
    return x if trainable is None else _situ.variable(x, trainable, name)


def _reduce(x):
    device = None if x.device._kind == 1 else x.device
    return _load, (_situ.read_bytes(x), x.dtype.name, x.shape, device, True if x.is_variable else None, x.name or None)


def _copy(x):
    return _situ.copy_to(x, x.device)


def _nested(flat, shape):
    if not shape:
        return flat[0]
    step = len(flat) // shape[0] if shape[0] else 0
    return [_nested(flat[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def _tolist(x):
    """Nested lists of Python numbers."""
    flat = _situ.reshape(x, (-1,))
    _situ.eval([flat])
    return _nested([v.item() for v in flat], x.shape) if x.size else _nested([], x.shape)


def _text_format(x, spec):
    return format(x.item(), spec) if spec and x.ndim == 0 else str(x)


Tensor.__reduce__ = _reduce
Tensor.__copy__ = _copy
Tensor.__deepcopy__ = lambda x, memo: _copy(x)
Tensor.__format__ = _text_format
Tensor.__array_priority__ = 1000
Tensor.tolist = _tolist
