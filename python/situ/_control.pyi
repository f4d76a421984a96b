"""Types of _control.py. Made by scripts/generate.py: change that, or scripts/signatures/stubs.py."""
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self, TypeVar

from ._situ import Operand, Tensor

_T = TypeVar("_T")
def scan(f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any = ..., length: int | None = ...,
        reverse: bool = ...) -> tuple[Any, Any]: ...
def while_loop(cond_fun: Callable[[_T], Any], body_fun: Callable[[_T], _T], init_val: _T) -> _T: ...
def cond(pred: Any, true_fun: Callable[..., _T], false_fun: Callable[..., _T], *operands: Any) -> _T: ...
def vmap(f: Callable[..., Any], in_axes: Any = ..., out_axes: int = ...) -> Callable[..., Any]: ...
