"""__array__: for libraries that know NumPy only."""
from . import _situ


def to_numpy(x, dtype=None, copy=None):
    import numpy
    if x.dtype.name == "bfloat16":
        try:
            from ml_dtypes import bfloat16
            a = numpy.frombuffer(_situ.read_bytes(x), dtype=bfloat16).reshape(x.shape)
        except ImportError:
            a = to_numpy(_situ.cast(x, "float32"))
    elif x.device._kind != 1 or copy:
        a = numpy.frombuffer(bytearray(_situ.read_bytes(x)), dtype=x.dtype.name).reshape(x.shape)
        copy = None
    else:
        a = numpy.asarray(memoryview(x))
        a = a.reshape(x.shape)
    if dtype is not None and a.dtype != dtype:
        if copy is False:
            raise ValueError("another dtype needs a copy, but copy=False forbids it")
        a = a.astype(dtype)
        copy = None
    return a.copy() if copy else a
