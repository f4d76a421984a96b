"""Types of _dtypes.py. Made by scripts/generate.py: change that, or scripts/signatures/stubs.py."""
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self, TypeVar

from ._situ import Operand, Tensor

class DType:
    name: str
    short: str
    kind: str
    itemsize: int
    def __init__(self, name: str, short: str, kind: str, itemsize: int) -> None: ...
    @property
    def dtype(self) -> Any: ...
def parse(d: Any) -> DType | None: ...
def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> bool: ...
def of_scalar(value: Any, with_dtype: DType) -> DType: ...
def result_type(*arrays_and_dtypes: Any) -> DType: ...
def can_cast(from_: Any, to: Any, /) -> bool: ...
class finfo:
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType
    def __init__(self, type: Any, /) -> None: ...
class iinfo:
    bits: int
    max: int
    min: int
    dtype: DType
    def __init__(self, type: Any, /) -> None: ...
bool_: DType
uint8: DType
uint16: DType
uint32: DType
uint64: DType
int8: DType
int16: DType
int32: DType
int64: DType
float16: DType
bfloat16: DType
float32: DType
float64: DType
complex64: DType
complex128: DType
ALL: tuple[DType, ...]
