"""Types of random.py. Made by scripts/generate.py: change that, or scripts/signatures/stubs.py."""
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self, TypeVar

from ._situ import Operand, Tensor
from ._device import Device
from ._made.random import *

def PRNGKey(seed: int, *, device: Device | str | None = ...) -> Tensor: ...
def split(key: Tensor, count: int = ...) -> list[Tensor]: ...
def bernoulli(key: Tensor, p: Operand = ..., shape: int | Sequence[int] | None = ..., *,
        device: Device | str | None = ...) -> Tensor: ...
def layout(name: str | None = ...) -> str: ...
