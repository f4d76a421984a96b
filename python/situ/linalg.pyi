"""Types of linalg.py. Made by scripts/generate.py: change that, or scripts/signatures/stubs.py."""
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self, TypeVar

from ._situ import Operand, Tensor
from ._dtypes import DType
from ._functions import (matmul as matmul, matrix_transpose as matrix_transpose, outer as outer, tensordot as
    tensordot, vecdot as vecdot)
from ._made.linalg import *
from ._situ import (eigvals as eigvals, eigvalsh as eigvalsh, svdvals as svdvals)

class QRResult(NamedTuple):
    Q: Tensor
    R: Tensor
def matrix_norm(x: Tensor, /, *, keepdims: bool = ..., ord: float | Literal['fro', 'nuc'] = ...) -> Tensor: ...
class LUResult(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor
class LstsqResult(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor
def lu(x: Tensor, /) -> LUResult: ...
def lstsq(a: Tensor, b: Tensor, /, *, rtol: Any = ...) -> LstsqResult: ...
def cond(x: Tensor, /, ord: float | Literal['fro', 'nuc'] = ...) -> Tensor: ...
def norm(x: Tensor, /, ord: Any = ..., axis: int | tuple[int, ...] | None = ..., keepdims: bool = ...) -> Tensor: ...
def matrix_rank(x: Tensor, /, *, rtol: Any = ...) -> Tensor: ...
def pinv(x: Tensor, /, *, rtol: Any = ...) -> Tensor: ...
def qr(x: Tensor, /, *, mode: Literal['reduced', 'complete'] = ...) -> QRResult: ...
def trace(x: Tensor, /, *, offset: int = ..., dtype: DType | str | type | None = ...) -> Tensor: ...
def vector_norm(x: Tensor, /, *, axis: int | tuple[int, ...] | None = ..., keepdims: bool = ..., ord: float = ...) -> Tensor: ...
