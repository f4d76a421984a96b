"""Functions of the array API that are composed of several of C."""
import builtins
from collections import namedtuple
from operator import index as _index

from . import _situ
from ._creation import asarray
from ._device import cpu
from ._made.functions import *  # noqa: F401,F403
from ._errors import AxisError, named
from ._dtypes import bool_, iinfo, parse
from ._situ import Tensor


def _tensor(x):
    return x if isinstance(x, Tensor) else asarray(x)


def _axes(axis, ndim):
    """Axes as a tuple of numbers from 0; None: all of them."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(_axis(a, ndim) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))


def _axis(a, ndim):
    """The axis as a number from 0; otherwise the library's error."""
    a = _index(a)
    if -ndim <= a < ndim:
        return a % ndim
    if not ndim:
        raise AxisError(f"axis {a} of a 0-d tensor, which has none")
    raise AxisError(f"there is no axis {a} in {ndim} dimension{'s' * (ndim != 1)}; axes go from {-ndim} to {ndim - 1}")


# ---- dtypes


def astype(x, dtype, /, *, copy=True, device=None):
    """x converted to another dtype; in new memory unless copy is False and x has the dtype already."""
    dtype = parse(dtype)
    if x.dtype.kind == "complex floating" and dtype.kind != "complex floating" and dtype is not bool_:
        raise TypeError(f"astype: from {x.dtype} to {dtype}; take situ.real(x) or situ.abs(x)")
    y = x if dtype is x.dtype else _situ.cast(x, dtype)
    if device is not None:
        y = y.to_device(device)
    return _situ.copy_to(y, y.device) if y is x and copy else y


# ---- elementwise


@named
def clip(x, /, min=None, max=None):
    """min(max(x, min), max); None: no bound. The dtype stays x's, except that integers bounded by floats become floats."""
    if min is None and max is None:
        return _situ.positive(x) if x.dtype is not bool_ else x
    if x.dtype.kind.endswith("integer") and (_is_real(min) or _is_real(max)):
        y = x if min is None else _situ.maximum(x, min)
        return y if max is None else _situ.minimum(y, max)
    low, high = _bound(x, min), _bound(x, max)
    y = x
    if low is not None:
        y = _situ.maximum(y, low)
    if high is not None:
        y = _situ.minimum(y, high)
    return y if y.dtype is x.dtype else _situ.cast(y, x.dtype)


def _is_real(b):
    return isinstance(b, float) or (isinstance(b, Tensor) and b.dtype.kind == "real floating")


def _bound(x, b):
    """A bound in x's dtype, for integers: values outside of the dtype's range become its ends."""
    if not isinstance(b, Tensor) or not x.dtype.kind.endswith("integer") or b.dtype is x.dtype:
        return b
    if b.dtype is not bool_:
        ends = iinfo(x.dtype)
        b = _situ.minimum(_situ.maximum(b, ends.min), ends.max)
    return _situ.cast(b, x.dtype)


@named
def where(condition, x1=None, x2=None, /):
    """x1 where the condition is true, else x2. With the condition alone: what nonzero returns, as in NumPy."""
    condition = _tensor(condition)
    if x1 is None or x2 is None:
        if x1 is not x2:
            raise TypeError("where takes a condition, or a condition and two values")
        return nonzero(condition)
    x1, x2 = _beside(x1), _beside(x2)
    if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
        x1 = asarray(x1, device=condition.device)
    if isinstance(x1, Tensor) != isinstance(x2, Tensor):
        like, number = (x1, x2) if isinstance(x1, Tensor) else (x2, x1)
        if isinstance(number, complex):
            from ._dtypes import result_type
            number = asarray(number, dtype=result_type(like, number), device=like.device)
        x1, x2 = (x1, number) if isinstance(x1, Tensor) else (number, x2)
    return _situ.where(condition, x1, x2)


def isin(x1, x2, /, *, invert=False):
    """Whether each element of x1 occurs in x2."""
    return _situ.isin(_tensor(x1), _beside(x2), invert)


def _beside(values):
    """Converts an operand that stands beside a tensor: a tensor, a Python number (which takes the tensor's dtype), or
    data of the host."""
    if hasattr(values, "dtype") and getattr(values, "ndim", None) == 0 and not isinstance(values, Tensor) and hasattr(values, "item"):
        values = values.item()
    for kind in (bool, int, float, complex):
        if isinstance(values, kind):
            return kind(values)
    return values if isinstance(values, Tensor) else asarray(values)


# ---- shapes


def expand_dims(x, /, axis=0):
    """Inserts axes of length 1 at these positions of the result."""
    axis = axis if isinstance(axis, (tuple, list)) else (axis,)
    places = sorted(_axis(a, x.ndim + len(axis)) for a in axis)
    if len(set(places)) != len(places):
        raise ValueError(f"expand_dims: an axis is named twice in {axis}")
    for a in places:
        x = _situ.expand_dims(x, a)
    return x


def moveaxis(x, source, destination, /):
    """Moves axes to other positions; the others keep their order."""
    source = _axes(source, x.ndim)
    destination = _axes(destination, x.ndim)
    if len(source) != len(destination) or len(set(source)) != len(source) or len(set(destination)) != len(destination):
        raise ValueError("moveaxis: source and destination are as many different axes")
    order = [a for a in range(x.ndim) if a not in source]
    for to, a in sorted(zip(destination, source)):
        order.insert(to, a)
    return _situ.permute_dims(x, order)


def broadcast_shapes(*shapes):
    """The shape to which all of these shapes broadcast."""
    out = []
    for shape in shapes:
        shape = [shape] if isinstance(shape, int) else list(shape)
        out = [1] * (len(shape) - len(out)) + out
        for i, n in enumerate(reversed(shape), 1):
            if n is None or out[-i] is None:
                out[-i] = None if n == out[-i] or n == 1 or out[-i] == 1 else n if n is not None else out[-i]
            elif out[-i] == 1:
                out[-i] = n
            elif n not in (1, out[-i]):
                raise ValueError(f"the shapes {', '.join(map(str, shapes))} do not broadcast")
    return tuple(out)


def broadcast_to(x, /, shape):
    """Broadcasts x to this shape; takes no memory."""
    return x if tuple(shape) == x.shape else _situ.broadcast_to(x, shape)


def broadcast_arrays(*arrays):
    """Broadcasts all of them to their common shape."""
    shape = broadcast_shapes(*[a.shape for a in arrays])
    return tuple(broadcast_to(a, shape) for a in arrays)


def concat(arrays, /, *, axis=0):
    """Concatenates tensors along an axis; axis=None flattens them first."""
    arrays = [_situ.reshape(a, (-1,)) for a in arrays] if axis is None else list(arrays)
    return _situ.concat(arrays, axis or 0)


def unstack(x, /, *, axis=0):
    """The slices along an axis, which they do not have any more."""
    axis = _axis(axis, x.ndim)
    key = (slice(None),) * axis
    return tuple(x[key + (i,)] for i in range(x.shape[axis]))


def _cut(x, axis, ends):
    starts = [0, *ends[:-1]]
    return [x[(slice(None),) * axis + (slice(a, b),)] for a, b in zip(starts, ends)]


MOST_PARTS = 1 << 20  # with an empty axis any number of parts would be possible


def _sections(count, name, most=None):
    count = _index(count)
    if count < 1:
        raise ValueError(f"{name}: into {count} parts; there is at least 1")
    if most is not None and count > most:
        raise ValueError(f"{name}: into {count} parts, each of which is a tensor; there are at most {most}")
    return count


def split(x, indices_or_sections, /, *, axis=0):
    """Splits an axis into equal parts, or at the given positions, as NumPy does; returns a list. array_split and chunk
    accept any number of parts."""
    axis = _axis(axis, x.ndim)
    n = x.shape[axis]
    if not hasattr(indices_or_sections, "__index__"):
        return _cut(x, axis, [_index(i) for i in indices_or_sections] + [n])
    count = _sections(indices_or_sections, "split", MOST_PARTS)
    if n % count:
        raise ValueError(f"split: {n} elements along axis {axis} are not {count} equal parts; array_split and chunk make unequal ones, "
                         "and split takes positions")
    return array_split(x, count, axis=axis)


def array_split(x, indices_or_sections, /, *, axis=0):
    """Splits an axis into parts as equal as possible (larger ones first), or at the given positions; returns a list."""
    if not hasattr(indices_or_sections, "__index__"):
        return split(x, indices_or_sections, axis=axis)
    axis, count = _axis(axis, x.ndim), _sections(indices_or_sections, "array_split", MOST_PARTS)
    size, more = divmod(x.shape[axis], count)
    return _cut(x, axis, [(i + 1) * size + builtins.min(i + 1, more) for i in range(count)])


def chunk(x, chunks, /, *, axis=0):
    """Splits an axis into at most so many parts, all of one size but the last, as PyTorch does; returns a list."""
    axis, n = _axis(axis, x.ndim), x.shape[axis]
    size = -(-n // _sections(chunks, "chunk")) or 1
    return _cut(x, axis, [builtins.min(i + size, n) for i in range(0, n, size)] or [0])


def roll(x, /, shift, *, axis=None):
    """Shifts elements along axes; those that leave at the end enter at the start."""
    axes = _axes(axis, x.ndim)
    if x.size == 0 or x.ndim == 0:
        return x
    if axis is None:
        shifts = shift if isinstance(shift, (tuple, list)) else (shift,)
        return _situ.reshape(_situ.roll(_situ.reshape(x, (-1,)), builtins.sum(shifts) % x.size, 0), x.shape)
    shifts = shift if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    if len(shifts) != len(axes):
        raise ValueError("roll: as many shifts as axes")
    for s, a in zip(shifts, axes):
        x = _situ.roll(x, s % x.shape[a], a)
    return x


def repeat(x, repeats, /, *, axis=None):
    """Repeats each element (or slice); repeats may have one number for each."""
    if axis is None:
        x, axis = _situ.reshape(x, (-1,)), 0
    axis = _axis(axis, x.ndim)
    total = -1
    if not isinstance(repeats, Tensor) and (getattr(repeats, "ndim", 0) or not hasattr(type(repeats), "__index__")):
        counts = asarray(repeats, device=cpu())
        if counts.ndim == 1 and counts.dtype.kind.endswith("integer"):
            known = counts.tolist()  # read on the host, so that nothing is read from x's device
            total = builtins.sum(known) if builtins.min(known, default=0) >= 0 and builtins.sum(known) < 2**63 else -1
        repeats = counts.to_device(x.device)
    if not isinstance(repeats, Tensor):
        return _situ.repeat(x, _index(repeats), axis)
    if not repeats.dtype.kind.endswith("integer"):
        raise TypeError(f"repeat: counts are integers, not {repeats.dtype}")
    if repeats.size == 1:
        return _situ.repeat(x, int(_situ.reshape(repeats, ())), axis)
    return _situ.repeat_each(x, repeats, axis, total)


def tile(x, repetitions, /):
    """x repeated as a whole along each axis; a single number: along the last."""
    repetitions = (repetitions,) if hasattr(repetitions, "__index__") else tuple(repetitions)
    n = x.ndim if x.ndim > len(repetitions) else len(repetitions)
    counts = (1,) * (n - len(repetitions)) + repetitions
    return _situ.tile(_situ.reshape(x, (1,) * (n - x.ndim) + x.shape), counts)


def take(x, indices, /, *, axis=None):
    """Slices of x along an axis, by indices. axis=None: of a tensor with one axis."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: name the axis of a tensor of {x.ndim} dimensions")
        axis = 0
    return _situ.take(x, indices, _axis(axis, x.ndim))


def take_along_axis(x, indices, /, *, axis=-1):
    """One element along an axis for each index; the other axes broadcast."""
    axis = _axis(axis, x.ndim)
    shape = list(broadcast_shapes(x.shape[:axis] + (1,) + x.shape[axis + 1:], indices.shape[:axis] + (1,) + indices.shape[axis + 1:]))
    to = lambda t: broadcast_to(t, shape[:axis] + [t.shape[axis]] + shape[axis + 1:])
    return _situ.gather(to(x), to(indices), axis=axis)


def _cumulative(fn, x, axis, dtype, include_initial):
    scalar = x.ndim == 0
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"name the axis of a tensor of {x.ndim} dimensions")
        axis = 0
        x = _situ.reshape(x, (1,)) if scalar else x
    axis = _axis(axis, x.ndim)
    y = fn(x, axis, False, dtype, include_initial)
    return _situ.reshape(y, ()) if scalar and not include_initial else y


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running sums along an axis."""
    return _cumulative(_situ.cumsum, x, axis, dtype, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    """Running products along an axis."""
    return _cumulative(_situ.cumprod, x, axis, dtype, include_initial)


# ---- order


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """Sorted along an axis; NaN comes last."""
    return _situ.sort(x, axis, descending)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The positions that sort the elements along an axis; equal elements keep their order."""
    return _situ.argsort(x, axis, descending)


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    """Where each element of x2 would be inserted in the ascending x1."""
    if not isinstance(side, str) or side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is \"left\" or \"right\", not {side!r}")
    x1 = _situ.take(x1, sorter, 0) if sorter is not None else x1
    return _situ.searchsorted(x1, _beside(x2), side == "right")


_TopK = namedtuple("TopKResult", "values indices")


def top_k(x, k, /, *, axis=-1, largest=True):
    """The k largest (or smallest) elements along an axis in descending (ascending) order, and their positions."""
    return _TopK(*_situ.topk(x, k, axis=axis, smallest=not largest))


def nonzero(x, /):
    """Positions of the elements that are not 0: a vector for each axis."""
    if x.ndim == 0:
        raise ValueError("nonzero: a 0-dimensional tensor has no axes; reshape it to (1,)")
    at = _situ.nonzero(x)
    return tuple(at[:, i] for i in range(x.ndim))


_All = namedtuple("UniqueAllResult", "values indices inverse_indices counts")
_Counts = namedtuple("UniqueCountsResult", "values counts")
_Inverse = namedtuple("UniqueInverseResult", "values inverse_indices")


def _together(results):
    """Starts computing the results in one plan, so that the sort that they share is done once."""
    _situ.eval(list(results))
    return results


def unique_all(x, /):
    """The distinct elements, the position where each occurs first, for each element of x the number of its value, and
    how often each occurs."""
    return _All(*_together(_situ.unique(x)))


def unique_counts(x, /):
    """The distinct elements, and how often each occurs."""
    y = _situ.unique(x)
    return _Counts(y[0], y[3])


def unique_inverse(x, /):
    """The distinct elements, and for each element of x the number of its value."""
    y = _situ.unique(x)
    return _Inverse(*_together((y[0], y[2])))


def unique_values(x, /):
    """The distinct elements in ascending order."""
    return _situ.unique(x)[0]


def unique(x, /, *, axis=None, return_index=False, return_inverse=False, return_counts=False):
    """The distinct elements in ascending order, or the distinct slices along an axis. On request also first positions,
    numbers and counts, as in NumPy."""
    y = _situ.unique(x) if axis is None else _situ.unique(x, -1, _axis(axis, x.ndim))
    wanted = [part for part, asked in zip(y, (True, return_index, return_inverse, return_counts)) if asked]
    return wanted[0] if len(wanted) == 1 else tuple(_together(wanted))


def histogram(x, bins=10, /, range=None, *, density=False, weights=None):
    """(counts, edges) of bins of equal width over a range (low, high), by default from the smallest to the largest
    element."""
    low, high = (0.0, 0.0) if range is None else (float(v) for v in range)
    if range is not None and low == high:
        low, high = low - 0.5, high + 0.5
    if range is not None and low == high == 0:
        raise ValueError("histogram: the range is empty")
    return _situ.histogram(x, bins, low, high, weights, density)


# ---- products


def einsum(subscripts, /, *operands):
    """Sums of products. "ij,jk->ik" names each operand's axes by letters; axes that the result lacks are summed."""
    return _situ.einsum(subscripts, [_tensor(t) for t in operands])



def tensordot(x1, x2, /, *, axes=2):
    """The product, summed over pairs of axes."""
    if isinstance(axes, int):
        if not 0 <= axes <= builtins.min(x1.ndim, x2.ndim):
            raise ValueError(f"tensordot: {axes} axes of tensors of {x1.ndim} and {x2.ndim} dimensions")
        axes = range(x1.ndim - axes, x1.ndim), range(axes)
    return _situ.tensordot(x1, x2, *axes)


def vecdot(x1, x2, /, *, axis=-1):
    """Sum of conj(x1) x2 along an axis."""
    if axis >= 0:
        raise ValueError("vecdot: the axis counts from the end, -1 is the last")
    return _situ.vecdot(x1, x2, axis)
