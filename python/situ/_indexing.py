"""x[key] and x[key] = value if the key contains arrays. Keys without arrays are handled in C."""
from . import _situ
from ._creation import asarray
from ._dtypes import bool_, int64, result_type
from ._errors import DTypeError
from ._situ import Tensor


_KINDS = ("bool", "unsigned integer", "signed integer", "real floating", "complex floating")


def _is_array(k):
    return isinstance(k, (Tensor, bool, list)) or (hasattr(k, "__array__") and not isinstance(k, int))


def _prepare(x, key):
    """The key as a list with one entry for each axis and for each None, and `...` where an ellipsis stands for no axis."""
    key = key if isinstance(key, tuple) else (key,)
    out, used, dots = [], 0, None
    for k in key:
        if _is_array(k):
            listed = isinstance(k, list)
            k = asarray(k, device=x.device) if not isinstance(k, Tensor) else k  # data of the host goes to x's device
            if listed and k.size == 0 and k.dtype.kind == "real floating":
                k = _situ.cast(k, int64)  # an empty list has no elements that tell its dtype
            if k.dtype is bool_:
                used += k.ndim
            elif k.dtype.kind.endswith("integer"):
                used += 1
            else:
                raise IndexError(f"x[...]: an index tensor has integers or bools, not {k.dtype}")
        elif k is Ellipsis:
            if dots is not None:
                raise IndexError("x[...]: an index has at most one ellipsis (...)")
            dots = len(out)
        elif isinstance(k, slice) or k is not None and hasattr(type(k), "__index__"):
            used += 1
        elif k is not None:
            raise IndexError(f"x[...]: an index is an integer, a slice, ..., None, or an array of integers or bools, not {type(k).__name__}")
        out.append(k)
    if used > x.ndim:
        raise IndexError(f"x[...]: {used} indices for a tensor of {x.ndim} dimensions")
    fill = [slice(None)] * (x.ndim - used)
    if dots is None:
        return out + fill
    return out[:dots] + (fill or [Ellipsis]) + out[dots + 1:]


def _mask_positions(mask):
    """A mask as one integer vector for each of its axes."""
    at = _situ.nonzero(mask)
    return [at[:, i] for i in range(mask.ndim)]


def _plan(x, key):
    """Splits a key into a basic index, and integer arrays for axes of its result. A 0-d mask becomes a new axis of
    length 1, which is then selected or not."""
    entries = _prepare(x, key)
    basic, arrays, axis = [], [], 0
    for k in entries:
        if isinstance(k, Tensor):
            if k.dtype is bool_ and k.ndim == 0:
                basic.append(None)
                arrays.append((axis, _situ.reshape(_situ.nonzero(_situ.reshape(k, (1,))), (-1,))))
                axis += 1
            elif k.dtype is bool_:
                shape = x.shape[len([b for b in basic if b is not None]):][:k.ndim]
                if shape != k.shape and 0 in k.shape and all(m in (0, n) for m, n in zip(k.shape, shape)):
                    k = _situ.zeros(shape, dtype=bool_, device=x.device)
                elif shape != k.shape:
                    raise IndexError(f"x[...]: the mask {k.shape} does not fit the axes {shape} that it stands for")
                for p in _mask_positions(k):
                    basic.append(slice(None))
                    arrays.append((axis, p))
                    axis += 1
            else:
                basic.append(slice(None))
                arrays.append((axis, k))
                axis += 1
        elif k is not Ellipsis:
            basic.append(k)
            axis += k is None or isinstance(k, slice)
    return tuple(basic), arrays, entries


def _is_integer(k):
    return not isinstance(k, (Tensor, slice, bool)) and k is not None and k is not Ellipsis


def _first_place(entries):
    """Where the axes of the index arrays go: in their place if they (and integers) are adjacent, else first. An
    ellipsis between them separates them even if it stands for no axis, as in NumPy."""
    places = [i for i, k in enumerate(entries) if isinstance(k, Tensor) or _is_integer(k)]
    together = places == list(range(places[0], places[-1] + 1))
    if not together:
        return 0
    return len([k for k in entries[:places[0]] if k is None or isinstance(k, slice)])


def _broadcast(arrays):
    from ._functions import broadcast_arrays
    try:
        return broadcast_arrays(*arrays)
    except ValueError:
        raise IndexError(f"x[...]: the index arrays {', '.join(str(a.shape) for a in arrays)} do not broadcast") from None


def _flat_index(shape, axes, arrays):
    """Combines indices into one index of the flattened axes. Each index is checked in its own axis first, so that one
    out of range is reported as it was written, and is not accepted because the combination happens to be in range."""
    total = None
    for a, i in zip(axes, arrays):
        i = _situ.take(_situ.arange(0, shape[a], 1, int64, i.device), i, 0)
        total = i if total is None else total * shape[a] + i
    return total


def getitem(x, key):
    if isinstance(key, Tensor) and key.dtype is bool_ and key.ndim and key.shape == x.shape[:key.ndim]:
        return _situ.masked(x, key)
    basic, arrays, entries = _plan(x, key)
    y = x[basic] if basic else x
    axes, index = [a for a, _ in arrays], _broadcast([i for _, i in arrays])
    place = _first_place(entries)
    order = axes + [a for a in range(y.ndim) if a not in axes]
    rest = [y.shape[a] for a in order[len(axes):]]
    if len(axes) == 1 and index[0].ndim == 1 and place == axes[0]:
        return _situ.take(y, index[0], axes[0])
    moved = _situ.permute_dims(y, order) if order != sorted(order) else y
    n = 1
    for a in axes:
        n *= y.shape[a]
    flat = _situ.reshape(moved, [n] + rest)
    shape = list(index[0].shape)
    at = _flat_index(y.shape, axes, index) if len(axes) > 1 else index[0]
    z = _situ.reshape(_situ.take(flat, _situ.reshape(at, (-1,)), 0), shape + rest)
    if place:
        k = len(shape)
        z = _situ.permute_dims(z, list(range(k, k + place)) + list(range(k)) + list(range(k + place, z.ndim)))
    return z


def _is_basic(x, key):
    """Whether the key contains only integers and slices."""
    return not any(isinstance(k, Tensor) for k in _prepare(x, key))


def _new_value(x, value):
    """value as a tensor that x[key] = value can write, in x's dtype. Values on the host are checked; for a tensor,
    whose values are not known yet, x's dtype must hold every value of its dtype."""
    if not isinstance(value, Tensor) and getattr(value, "ndim", None) == 0 and hasattr(value, "item"):
        value = value.item()  # a NumPy scalar
    if isinstance(value, (bool, int, float)):
        return _situ.number_like(value, x)
    if not isinstance(value, Tensor):
        numbers = asarray(value, device=x.device)
        if x.dtype.kind.endswith("integer") and numbers.dtype.kind.endswith("integer"):
            return _integers_like(value, numbers, x)
        value = asarray(value, dtype=x.dtype, device=x.device) if isinstance(value, complex) else numbers
    of, to = value.dtype, x.dtype
    if _KINDS.index(of.kind) > _KINDS.index(to.kind) and of.kind != "signed integer" or \
            of.kind.endswith("integer") and to.kind.endswith("integer") and result_type(of, to) is not to:
        raise DTypeError(f"x[...]: {to} does not hold what {of} has; write value.astype({to.name!r}) to cut it")
    return value


def _integers_like(value, numbers, x):
    """Checks that x's dtype holds integers of the host."""
    if result_type(numbers.dtype, x.dtype) is not x.dtype and numbers.size:
        for end in (_situ.min(numbers), _situ.max(numbers)):
            _situ.number_like(int(end), x)
    return _situ.cast(numbers, x.dtype)


def _spread(value, shape):
    """value broadcast to shape; surplus leading axes of length 1 are removed, as in NumPy."""
    extra = value.ndim - len(shape)
    if extra > 0 and value.shape[:extra] == (1,) * extra:
        value = _situ.reshape(value, value.shape[extra:])
    return _situ.broadcast_to(value, shape) if value.shape != tuple(shape) else value


def setitem(x, key, value):
    """The tensor that x is replaced by."""
    if x.is_variable:
        raise TypeError("x[...]: a variable changes by situ.assign(variable, value), a part of it by situ.assign(variable, value, start)")
    value = _new_value(x, value)
    value = _situ.cast(value, x.dtype)
    masked = isinstance(key, Tensor) and key.dtype is bool_ and key.shape == x.shape[:key.ndim]
    if masked and value.ndim == 0:
        mask = _situ.reshape(key, list(key.shape) + [1] * (x.ndim - key.ndim))
        return _situ.where(mask, value, x)
    if not masked and _is_basic(x, key):
        return _situ.write_part(x, key, _spread(value, x[key].shape))
    at = _situ.reshape(_situ.arange(0, x.size, 1, int64, x.device), x.shape)[key]
    value = _spread(value, at.shape)
    if at.size == 0:
        return x
    flat = _situ.scatter(_situ.reshape(x, (-1,)), _situ.reshape(at, (-1,)), _situ.reshape(value, (-1,)), axis=0)
    return _situ.reshape(flat, x.shape)
