"""Types of _text.py. Made by scripts/generate.py: change that, or scripts/signatures/stubs.py."""
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self, TypeVar

from ._situ import Operand, Tensor
from ._device import Device

class Tokenizer:
    special: dict[str, int]
    def __init__(self, path: str | PathLike[str] | IO[bytes] | bytearray | memoryview, *, lower: bool = ...) -> None: ...
    def __len__(self) -> int: ...
    def encode(self, text: str | bytes | Sequence[str | bytes], *, special: bool = ..., frame: bool = ..., most: int | None = ...,
            device: Device | str | None = ...) -> Tensor: ...
    def decode(self, tokens: Any, errors: str = ...) -> str: ...
    def find(self, token: str) -> int | None: ...
