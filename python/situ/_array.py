"""Interoperation with NumPy: __array__ for libraries that know NumPy only, NumPy's functions on tensors, operators
between arrays and tensors."""
import operator
import sys

from . import _situ
from ._creation import asarray
from ._errors import DeviceMismatchError
from ._situ import Tensor


def to_numpy(x, dtype=None, copy=None):
    import numpy
    if x.dtype.name == "bfloat16":
        try:
            from ml_dtypes import bfloat16
            a = numpy.frombuffer(_situ.read_bytes(x), dtype=bfloat16).reshape(x.shape)
        except ImportError:
            a = to_numpy(_situ.cast(x, "float32"))
    elif x.device._kind != 1 or copy:  # numpy.asarray(x) asks for a copy; it is in the ledger, and a guard can forbid it
        a = numpy.frombuffer(bytearray(_situ.read_bytes(x)), dtype=x.dtype.name).reshape(x.shape)
        copy = None
    else:
        a = numpy.asarray(memoryview(x))
        a = a.reshape(x.shape)
    if dtype is not None and a.dtype != dtype:
        if copy is False:
            raise ValueError("numpy: another dtype needs a copy, but copy=False forbids it")
        a = a.astype(dtype)
        copy = None
    return a.copy() if copy else a


# An object with one of these methods has a value: a comparison with it that returned False would be wrong.
_OF_VALUES = ("__float__", "__index__", "__complex__", "__getitem__", "__dlpack__", "__array__")


def operand(a, how):
    """An operand beside a tensor, as a tensor, if it is an array of NumPy; else NotImplemented. `how`: for comparisons;
    True for == and !=."""
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(a, (numpy.ndarray, numpy.generic)):
        if isinstance(a, numpy.matrix):
            raise TypeError("operator: numpy.matrix has products of its own; write situ.asarray(matrix) for a tensor")
        return asarray(a if isinstance(a, numpy.ndarray) else numpy.asarray(a))  # NumPy's bytes are not numbers
    if how and not isinstance(a, (str, bytes)) and not hasattr(a, "keys") and any(hasattr(type(a), name) for name in _OF_VALUES):
        mend = "float(...)" if hasattr(type(a), "__float__") and not hasattr(type(a), "__array__") else "situ.asarray(...)"
        raise TypeError(f"operator: == and != compare a tensor with numbers, tensors and arrays, not with a {type(a).__name__}; write x == {mend}")
    return NotImplemented


# ---- NumPy's own functions: they see arrays

_OPERATORS = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv, "true_divide": operator.truediv,
              "floor_divide": operator.floordiv, "remainder": operator.mod, "matmul": operator.matmul, "power": operator.pow,
              "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor, "left_shift": operator.lshift,
              "right_shift": operator.rshift, "less": operator.lt, "less_equal": operator.le, "equal": operator.eq, "not_equal": operator.ne,
              "greater": operator.gt, "greater_equal": operator.ge}
_WRITING = ("copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis")


def _arrays(value, name):
    """Replaces tensors in arguments of NumPy's function `name` by arrays."""
    if isinstance(value, Tensor):
        if value.device._kind != 1:
            raise DeviceMismatchError(f"numpy.{name}: a tensor is on {value.device}, and nothing is moved for you; "
                                      f"write x.to_device(situ.cpu()), or use the functions of situ")
        return to_numpy(value)
    if type(value) in (list, tuple):
        return type(value)(_arrays(v, name) for v in value)
    if type(value) is dict:
        return {key: _arrays(v, name) for key, v in value.items()}
    return value


def _refuse_to_write(out, name):
    if any(isinstance(o, Tensor) for o in (out if isinstance(out, (tuple, list)) else (out,))):
        raise TypeError(f"numpy.{name}: NumPy cannot write into a tensor; write x[...] = array, or take the result as situ.asarray(...)")


def _name_of(function, protocol):
    if not callable(function) or not hasattr(function, "__name__"):
        raise TypeError(f"{protocol}: NumPy calls it with one of its functions, not with {type(function).__name__}")
    return function.__name__


def _ufunc(x, ufunc, method, *inputs, **options):
    """An operator between an array and a tensor gives a tensor; all other ufuncs are NumPy's and give arrays."""
    name = _name_of(ufunc, "__array_ufunc__")
    numpy = sys.modules["numpy"]
    _refuse_to_write(options.get("out"), name)
    of_operator = _OPERATORS.get(name) if method == "__call__" and not options and len(inputs) == 2 else None
    if of_operator and any(isinstance(a, (numpy.ndarray, numpy.generic)) for a in inputs):
        a, b = (i if isinstance(i, Tensor) else _beside(i, numpy) for i in inputs)
        return of_operator(a, b)
    if method == "at":
        _refuse_to_write(inputs[0], f"{name}.at")
    return getattr(ufunc, method)(*_arrays(inputs, name), **_arrays(options, name))


def _beside(a, numpy):
    """An array as a tensor. A single number stays a number, so that the tensor's dtype is kept."""
    single = isinstance(a, (numpy.ndarray, numpy.generic)) and a.ndim == 0 and a.dtype.kind not in "mMOSU" and not hasattr(a, "filled")
    if single and isinstance(a.item(), (bool, int, float, complex)):
        return a.item()
    converted = operand(a, False)
    return a if converted is NotImplemented else converted


def _function(x, function, types, args, kwargs):
    name = _name_of(function, "__array_function__")
    if name in ("shape", "ndim", "size") and args and isinstance(args[0], Tensor) and len(args) == 1 and not kwargs:
        return int(args[0].size) if name == "size" else getattr(args[0], name)
    _refuse_to_write(kwargs.get("out"), name)
    if name in _WRITING and args:
        _refuse_to_write(args[0], name)
    return function(*_arrays(args, name), **_arrays(kwargs, name))


Tensor.__array_ufunc__ = _ufunc
Tensor.__array_function__ = _function
