"""Dtypes: the types of a tensor's elements."""
from ._situ import Tensor, promote


class DType:
    """One of situ's dtypes; there is exactly one object for each."""

    __slots__ = ("name", "short", "kind", "itemsize")

    def __init__(self, name, short, kind, itemsize):
        self.name, self.short, self.kind, self.itemsize = name, short, kind, itemsize

    def __repr__(self):
        return f"situ.{self.name}"

    def __str__(self):
        return self.name

    def __reduce__(self):
        return (_by_name, (self.name,))

    @property
    def dtype(self):
        """NumPy's dtype of the same kind: numpy.dtype(situ.float32)."""
        import numpy
        if self.name == "bfloat16":
            import ml_dtypes
            return numpy.dtype(ml_dtypes.bfloat16)
        return numpy.dtype(self.name)

    __numpy_dtype__ = dtype

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


_ROWS = [("bool", "bool", "bool", 1), ("uint8", "u8", "unsigned integer", 1), ("uint16", "u16", "unsigned integer", 2),
         ("uint32", "u32", "unsigned integer", 4), ("uint64", "u64", "unsigned integer", 8), ("int8", "i8", "signed integer", 1),
         ("int16", "i16", "signed integer", 2), ("int32", "i32", "signed integer", 4), ("int64", "i64", "signed integer", 8),
         ("float16", "f16", "real floating", 2), ("bfloat16", "bf16", "real floating", 2), ("float32", "f32", "real floating", 4),
         ("float64", "f64", "real floating", 8), ("complex64", "c64", "complex floating", 8), ("complex128", "c128", "complex floating", 16)]
ALL = tuple(DType(*row) for row in _ROWS)
_NAMES = {d.name: d for d in ALL}
_NAMES.update({d.short: d for d in ALL})
(bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128) = ALL

_KINDS = {"bool": {"bool"}, "signed integer": {"signed integer"}, "unsigned integer": {"unsigned integer"},
          "integral": {"signed integer", "unsigned integer"}, "real floating": {"real floating"}, "complex floating": {"complex floating"},
          "numeric": {"signed integer", "unsigned integer", "real floating", "complex floating"}}


_HABITS = {"half": "float16", "fp16": "float16", "float": "float32", "fp32": "float32", "double": "float64", "fp64": "float64", "long": "int64", "int": "int32"}


def _by_name(name):
    return _NAMES[name]


def parse(d):
    """The dtype named by an object: a DType, its name, or a dtype of NumPy."""
    if d is None or isinstance(d, DType):
        return d
    found = _NAMES.get(d) if isinstance(d, str) else {bool: bool_, int: int64, float: float32, complex: complex64}.get(d)
    if found is None:
        found = _NAMES.get(str(getattr(d, "name", None) or getattr(d, "__name__", None)))
    if found is None:
        if isinstance(d, int):
            raise TypeError(f'{d!r} is no dtype of situ: a dtype is situ.float32 or "float32", and a shape is one argument, as (2, 3)')
        meant = _HABITS.get(d if isinstance(d, str) else "", "float32")
        raise TypeError(f"{d!r} is no dtype of situ; write situ.{meant} or \"{meant}\"")
    return found


def isdtype(dtype, kind):
    """Whether a dtype is of a kind: a dtype, a name such as "integral", or a tuple of these."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return dtype.kind in _KINDS[kind]
    if isinstance(kind, DType):
        return dtype is kind
    raise ValueError(f"{kind!r} is no kind of dtypes; write one of {', '.join(map(repr, _KINDS))}")


def of_scalar(value, with_dtype):
    """The dtype that a Python number takes beside a tensor of this dtype."""
    k = with_dtype.kind
    if isinstance(value, bool):
        return with_dtype if k == "bool" else with_dtype
    if isinstance(value, int):
        return int64 if k == "bool" else with_dtype
    if isinstance(value, float):
        return with_dtype if k.endswith("floating") else float32
    if k == "complex floating":
        return with_dtype
    return complex128 if with_dtype is float64 else complex64


def result_type(*arrays_and_dtypes):
    """The dtype to which all of these tensors, dtypes and numbers promote."""
    dtypes, numbers = [], []
    for x in arrays_and_dtypes:
        if isinstance(x, Tensor):
            dtypes.append(x.dtype)
        elif isinstance(x, DType):
            dtypes.append(x)
        elif isinstance(x, (bool, int, float, complex)):
            numbers.append(x)
        else:
            dtypes.append(parse(x))
    if not dtypes:
        if not numbers:
            raise ValueError("result_type needs at least one tensor, dtype or number")
        dtypes = [{bool: bool_, int: int64, float: float32, complex: complex64}[type(numbers[0])]]
    result = dtypes[0]
    for d in dtypes[1:]:
        result = promote(result, d)
    for n in numbers:
        result = promote(result, of_scalar(n, result))
    return result


def can_cast(from_, to, /):
    """Whether one dtype promotes to the other."""
    if isinstance(from_, Tensor):
        from_ = from_.dtype
    return promote(parse(from_), parse(to)) is parse(to)


class finfo:
    """Properties of a float dtype: bits, eps, max, min, smallest_normal, and the dtype of a complex number's parts."""

    _TABLE = {float16: (16, 2.0**-10, 65504.0, 2.0**-14), bfloat16: (16, 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126),
              float32: (32, 2.0**-23, (2 - 2.0**-23) * 2.0**127, 2.0**-126), float64: (64, 2.0**-52, (2 - 2.0**-52) * 2.0**1023, 2.0**-1022)}

    def __init__(self, type, /):
        d = type.dtype if isinstance(type, Tensor) else parse(type)
        d = {complex64: float32, complex128: float64}.get(d, d)
        if d not in self._TABLE:
            raise TypeError(f"finfo takes a floating-point dtype, not {d}; iinfo is for integers")
        self.bits, self.eps, self.max, self.smallest_normal = self._TABLE[d]
        self.min, self.dtype = -self.max, d

    def __repr__(self):
        return f"finfo({self.dtype}: bits={self.bits}, eps={self.eps}, max={self.max}, smallest_normal={self.smallest_normal})"


class iinfo:
    """Properties of an integer dtype: bits, max, min."""

    def __init__(self, type, /):
        d = type.dtype if isinstance(type, Tensor) else parse(type)
        if d.kind not in _KINDS["integral"]:
            raise TypeError(f"iinfo takes an integer dtype, not {d}; finfo is for floats")
        signed = d.kind == "signed integer"
        self.bits, self.dtype = 8 * d.itemsize, d
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -(2 ** (self.bits - 1)) if signed else 0

    def __repr__(self):
        return f"iinfo({self.dtype}: bits={self.bits}, min={self.min}, max={self.max})"
