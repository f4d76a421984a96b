"""Types of _files.py. Made by scripts/generate.py: change that, or scripts/signatures/stubs.py."""
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self, TypeVar

from ._situ import Operand, Tensor
from ._device import Device
from .nn import Module
from .optim import Optimizer
from .data import Loader

def save(path: str | PathLike[str] | IO[bytes] | bytearray | memoryview, tensors: Any, *, metadata: dict[str, str] | None = ...,
        shard_bytes: int = ...) -> None: ...
def load(path: str | PathLike[str] | IO[bytes] | bytearray | memoryview, *, names: Sequence[str] | None = ...,
        device: Device | str | None = ..., map: bool = ...) -> dict[str, Tensor]: ...
def info(path: str | PathLike[str] | IO[bytes] | bytearray | memoryview) -> tuple[list[tuple[str, str, tuple[int, ...], int]], dict[str, str]]: ...
def checkpoint_save(path: str | PathLike[str] | IO[bytes] | bytearray | memoryview, net: Module,
        optimizer: Optimizer | None = ..., loader: Loader | None = ..., *, metadata: dict[str, str] | None = ...) -> None: ...
def checkpoint_load(path: str | PathLike[str] | IO[bytes] | bytearray | memoryview, net: Module,
        optimizer: Optimizer | None = ..., loader: Loader | None = ...) -> None: ...
