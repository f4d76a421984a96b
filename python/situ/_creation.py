"""Making tensors: the creation functions of the array API."""
import math
import operator

from . import _situ
from ._device import Device
from ._dtypes import bfloat16, bool_, complex64, float32, float64, int64, parse, result_type
from ._errors import named
from ._situ import Tensor


def _placed(x, dtype, device, copy):
    """x with this dtype and device, in new memory if copy is True; copy=False forbids new memory."""
    y = x
    if dtype is not None and dtype is not y.dtype:
        if copy is False:
            raise ValueError(f"from {y.dtype} to {dtype} a copy is needed, but copy=False forbids it")
        y = _situ.cast(y, dtype)
    if device is not None:
        moved = y.to_device(device)
        if copy is False and moved is not y:
            raise ValueError(f"from {y.device} to {device} a copy is needed, but copy=False forbids it")
        y = moved
    if copy is True and y is x:
        y = _situ.copy_to(y, y.device)
    return y


@named
def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """A tensor of the numbers in obj: a number, nested lists, a tensor, or an object with a buffer, __dlpack__ or
    __array__.

    Memory of other libraries is copied, unless copy=False asks to share it."""
    dtype = parse(dtype)
    if isinstance(obj, Tensor):
        return _placed(obj, dtype, device, copy)
    if isinstance(obj, (bool, int, float, complex, list, tuple)) and not hasattr(obj, "dtype"):
        if copy is False:
            raise ValueError("a tensor of Python numbers is always new memory, but copy=False forbids that")
        if _has_arrays(obj):
            from ._functions import stack
            parts = [asarray(o) for o in obj]
            x = stack(parts)
            return _placed(x, dtype if any(isinstance(o, Tensor) for o in obj) else _held(x, dtype), device, None)
        return _situ.from_nested(obj, dtype, device)
    _refuse_mask(obj)
    x = _from_memory(obj, copy is not False)
    if x is None:
        if hasattr(obj, "__array__"):
            x = _from_array(obj, copy)
        elif hasattr(obj, "__index__"):
            return asarray(obj.__index__(), dtype=dtype, device=device)
        elif hasattr(obj, "__len__") and hasattr(obj, "__getitem__") and not hasattr(obj, "keys"):
            return asarray([obj[i] for i in range(len(obj))], dtype=dtype, device=device, copy=copy)
    if x is None:
        words = f"; a tensor is made there by situ.asarray(numbers, device={obj!r})" if isinstance(obj, Device) else ""
        raise TypeError(f"asarray: cannot make numbers of {type(obj).__name__}{words}")
    return _placed(x, _held(x, dtype), device, None if copy is True else copy)


def _held(x, dtype):
    """Checks that an integer dtype holds the given numbers of the host; returns the dtype."""
    if dtype is not None and dtype is not x.dtype and dtype.kind.endswith("integer") and x.size and \
            (x.dtype.kind == "real floating" or x.dtype.kind.endswith("integer") and result_type(x.dtype, dtype) is not dtype):
        for end in (_situ.min(x), _situ.max(x)):
            _situ.full((), end.tolist(), dtype, None)
    return dtype


def _has_arrays(obj):
    for _ in range(9):  # a list may contain itself
        if not isinstance(obj, (list, tuple)):
            break
        if not obj:
            return False
        obj = obj[0]
    return isinstance(obj, Tensor) and obj.ndim > 0 or hasattr(obj, "__array__") and not isinstance(obj, (Tensor, float, int, complex))


def _refuse_mask(obj):
    mask = getattr(obj, "mask", None) if hasattr(obj, "filled") and hasattr(obj, "__array__") else None
    if mask is not None and mask.any():
        raise TypeError("asarray: the array has masked elements, and tensors have no masks; write array.filled(value)")


def _from_memory(obj, copy):
    try:
        x = _situ.from_buffer(obj, copy)
    except (TypeError, BufferError):
        x = None
    except ValueError:  # the buffer protocol cannot describe all of NumPy's dtypes
        x = None
    if x is None and hasattr(obj, "__dlpack__"):
        try:
            x = from_dlpack(obj, copy=copy)
        except BufferError:
            if not hasattr(obj, "__array__"):
                raise
    return x


def _from_array(obj, copy):
    """Converts an object that has __array__, but neither a buffer of numbers nor DLPack."""
    import numpy
    a = numpy.asarray(obj)
    if a.dtype.name == "bfloat16" and copy is not False:
        return _situ.from_bytes(a.tobytes(), bfloat16, a.shape, None)
    if not a.dtype.isnative and a.dtype.kind in "biufc" and copy is not False:
        a = a.astype(a.dtype.newbyteorder("="))
    if a.dtype.kind not in "biufc":
        how = "; write array.astype(float)" if a.dtype.kind == "O" else ""
        raise TypeError(f"asarray: an array of {a.dtype} has no numbers that a tensor holds{how}")
    x = _from_memory(numpy.ascontiguousarray(a), copy is not False)
    if x is None and a.ndim > 8:
        raise ValueError(f"asarray: a tensor has at most 8 dimensions, not {a.ndim}")
    if x is None:
        how = "; copy=False forbids to make it fit" if copy is False else "; write array.astype(\"float64\")"
        raise TypeError(f"asarray: situ has no dtype for arrays of {a.dtype}{how}")
    return _situ.reshape(x, a.shape) if x.shape != a.shape else x  # ascontiguousarray gives a single number one axis


def from_dlpack(x, /, *, device=None, copy=None):
    """A tensor on the memory of another library's array, shared unless copy=True."""
    if isinstance(x, Tensor):
        return _placed(x, None, device, copy)
    kind, index = x.__dlpack_device__()
    options = {"max_version": (1, 1)}
    if int(kind) not in (1, 3):
        if copy is False:
            raise ValueError("memory of another device cannot be shared, but copy=False forbids a copy")
        options["dl_device"] = (1, 0)
    try:
        capsule = x.__dlpack__(**options)
    except TypeError:
        capsule = x.__dlpack__()
    return _placed(_situ.from_capsule(capsule, copy is True), None, device, False if copy is False else None)


def _default_dtype(value):
    if isinstance(value, Tensor):
        return value.dtype
    return bool_ if isinstance(value, bool) else int64 if isinstance(value, int) else complex64 if isinstance(value, complex) else float32


def full(shape, fill_value, *, dtype=None, device=None):
    """A tensor filled with one value. Without dtype, the value's kind decides."""
    dtype = parse(dtype) or _default_dtype(fill_value)
    if isinstance(fill_value, (complex, int)) and not isinstance(fill_value, bool):
        value = _situ.from_nested(fill_value, dtype if not (isinstance(fill_value, int) and dtype.kind == "bool") else None, device)
        return _situ.full(shape, value, dtype, device)
    return _situ.full(shape, fill_value, dtype, device)


def full_like(x, /, fill_value, *, dtype=None, device=None):
    """A tensor filled with one value; shape, and by default dtype and device, are x's."""
    if dtype is None and isinstance(fill_value, (bool, int, float)):
        fill_value = _situ.filled_like(fill_value, x)
    return full(x.shape, fill_value, dtype=parse(dtype) or x.dtype, device=device or x.device)


def _number(x, what):
    """Converts an object that stands for a number to a Python int if it is an integer, else to a float."""
    if isinstance(x, (int, float)):
        return x
    if hasattr(type(x), "__index__") and not (isinstance(x, Tensor) and not x.dtype.kind.endswith("integer")):
        return operator.index(x)
    if hasattr(type(x), "__float__"):
        return float(x)
    raise TypeError(f"{what} must be a number, not {type(x).__name__}")


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """start, start + step, ... up to but without stop; int64 if all are integers, else float32."""
    if stop is None:
        start, stop = 0, start
    start, stop, step = (_number(v, f"arange: {name}") for v, name in ((start, "start"), (stop, "stop"), (step, "step")))
    dtype = parse(dtype)
    if not all(math.isfinite(v) if isinstance(v, float) else True for v in (start, stop, step)) or step == 0:
        raise ValueError(f"arange: no sequence goes from {start} to {stop} in steps of {step}")
    whole = all(isinstance(v, int) for v in (start, stop, step))
    count = max(-((start - stop) // step), 0) if whole else max(math.ceil((stop - start) / step), 0)
    if count >= 2**60:
        raise ValueError(f"arange: a sequence of {count:.3g} numbers has no place in memory")
    if whole and (dtype is None or dtype.kind.endswith("integer")):
        if count == 0:
            return _situ.zeros((0,), dtype=dtype or int64, device=device)
        last = start + (count - 1) * step
        if -2**63 <= min(start, last) and max(start, last) < 2**63 - 1:
            return _situ.arange(start, last + (1 if step > 0 else -1) if last > -2**63 else last, step if count > 1 else 1 if step > 0 else -1, dtype or int64, device)
        asarray([start, last], dtype=dtype or int64)  # refuses numbers that do not fit the dtype
        i = _situ.arange(0, count, 1, dtype or int64, device)
        return i * step + start if step > 0 else start - i * -step
    dtype = dtype or float32
    if dtype.kind.endswith("integer") and count:
        asarray([start, start + (count - 1) * step], dtype=dtype)
    i = _situ.cast(_situ.arange(0, count, 1, int64, device), float64 if dtype.kind.endswith("floating") else int64)
    if not dtype.kind.endswith("floating"):
        return _situ.cast(i * _situ.full((), step, float64, device) + float(start), dtype)
    return _situ.cast(i * float(step) + float(start), dtype)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    """num equally spaced numbers from start to stop; endpoint=False leaves out stop."""
    dtype = parse(dtype)
    if num < 0:
        raise ValueError(f"linspace: {num} numbers")
    if (isinstance(start, complex) or isinstance(stop, complex)) and dtype and dtype.kind != "complex floating":
        raise TypeError(f"linspace: complex numbers do not fit {dtype}")
    if isinstance(start, complex) or isinstance(stop, complex) or (dtype and dtype.kind == "complex floating"):
        real = linspace(complex(start).real, complex(stop).real, num, dtype=float64, device=device, endpoint=endpoint)
        imag = linspace(complex(start).imag, complex(stop).imag, num, dtype=float64, device=device, endpoint=endpoint)
        return _situ.cast(_situ.complex(real, imag), dtype or complex64)
    dtype = dtype or float32
    if dtype.kind.endswith("integer"):
        asarray([float(start), float(stop)][:num], dtype=dtype)  # refuses numbers that do not fit the dtype
    wide = dtype if dtype in (float32, float64) else float64
    y = _situ.linspace(float(start), float(stop), num, wide, device, endpoint)
    return _situ.cast(y, dtype) if dtype is not wide else y


def meshgrid(*arrays, indexing="xy"):
    """Coordinates of a grid: one tensor for each of the vectors."""
    if not isinstance(indexing, str) or indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is \"xy\" or \"ij\", not {indexing!r}")
    n = len(arrays)
    shape = [a.size for a in arrays]
    out = []
    for i, a in enumerate(arrays):
        grid = _situ.broadcast_to(_situ.reshape(a, [1] * i + [a.size] + [1] * (n - i - 1)), shape)
        out.append(_situ.swapaxes(grid, 0, 1) if indexing == "xy" and n > 1 else grid)
    return tuple(out)
