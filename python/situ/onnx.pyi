"""Types of onnx.py. Made by scripts/generate.py: change that, or scripts/signatures/stubs.py."""
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self, TypeVar

from ._situ import Operand, Tensor
from ._device import Device
from .nn import Module
from .nn import _Layer
from . import (nn as nn)

def save(net: Module | Callable[..., Any], path: str | PathLike[str] | IO[bytes] | bytearray | memoryview, *inputs: Any,
        dynamic_batch: bool = ..., batch_axes: Sequence[int | None] | None = ..., input_names: Sequence[str] | None = ...,
        result_names: Sequence[str] | None = ..., metadata: dict[str, str] | None = ..., external_data: bool = ...) -> None: ...
class Model(nn._Layer):
    def __init__(self, source: Any, device: Device | str | None, trainable: bool) -> None: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def results(self) -> list[str]: ...
def load(path: str | PathLike[str] | IO[bytes] | bytes | bytearray | memoryview, *, device: Device | str | None = ...,
        trainable: bool = ...) -> Model: ...
