"""Types of train.py. Made by scripts/generate.py: change that, or scripts/signatures/stubs.py."""
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from typing import IO, Any, Literal, NamedTuple, Self, TypeVar

from ._situ import Operand, Tensor
from ._dtypes import DType
from ._device import Device
from ._group import Group
from .nn import Module
from .optim import Optimizer
from .data import Dataset
from .data import Loader

_T = TypeVar("_T")
_Net = TypeVar("_Net", bound=Module)
class Board:
    def __init__(self, handle: Any, xlim: Any, title: str | None = ..., display: Any = ...) -> None: ...
    @property
    def xlim(self) -> Any: ...
    @xlim.setter
    def xlim(self, xlim: Any) -> None: ...
    def svg(self) -> str: ...
    @property
    def data(self) -> dict[str, tuple[list[float], list[float]]]: ...
class Batch(tuple[Tensor, ...]):
    inputs: tuple[Tensor, ...]
    targets: tuple[Tensor, ...]
    rows: int
    first: int
    of: int
    step: int
    training: bool
    def __new__(cls, tensors: Any, inputs: int, rows: int, first: int, of: int, step: int, training: bool) -> Batch: ...
    def of_tensors(self, tensors: Any) -> Batch: ...
class Trainer:
    def __init__(self, *, loss: Callable[..., Any] | None = ..., step: Callable[..., Any] | None = ...,
            on_step: Callable[..., Any] | None = ..., on_epoch: Callable[..., Any] | None = ..., max_epochs: int = ...,
            num_gpus: int = ..., gradient_clip_val: float = ..., deterministic: bool = ..., batch: int = ..., key: int = ...,
            cosine: bool = ..., device: Device | str | None = ..., plot: str | PathLike[str] | None = ...,
            title: str | None = ..., board: Any = ..., resident: int = ..., xlim: Any = ..., patience: int | None = ...,
            min_delta: float = ..., keep_best: bool = ..., monitor: str | None = ..., maximize: bool = ...,
            log_every: int | None = ..., epoch_batches: int | None = ..., accumulate: int = ..., workers: int = ...,
            nan: bool = ..., progress: bool = ..., report: str | PathLike[str] | None = ..., checkpoint: str | None = ...,
            checkpoint_every: int | None = ..., keep: int = ..., resume: bool = ..., group: Group | None = ...,
            precision: DType | str | type | None = ..., proof: str | None = ..., proof_every: int | None = ...) -> None: ...
    board: Board
    on_step: Callable[[Trainer], Any] | None
    on_epoch: Callable[[Trainer], Any] | None
    loss: float
    validation_loss: float
    accuracy: float
    seconds: float
    epochs: int
    steps: int
    best_epoch: int
    ended: str
    values: dict[str, float]
    rates: dict[str, float]
    def save_hyperparameters(self, ignore: str | Sequence[str] = ...) -> None: ...
    @property
    def gpus(self) -> list[Device]: ...
    @gpus.setter
    def gpus(self, devices: Sequence[Device]) -> None: ...
    @property
    def model(self) -> Module | None: ...
    @model.setter
    def model(self, net: Module) -> None: ...
    def fit(self, net: Module, optimizer: Optimizer | Dataset | None = ..., train: Dataset | None = ...,
            held_out: Dataset | None = ...) -> Trainer: ...
    def measure(self, net: Module, data: Dataset) -> dict[str, float]: ...
    def evaluate(self, net: Module, data: Dataset) -> float: ...
    def confusion(self, prediction: Operand, target: Operand) -> None: ...
    def stop(self) -> None: ...
    def prepare_model(self, net: _Net) -> _Net: ...
    def prepare_batch(self, batch: _T) -> _T: ...
    def hyper(self) -> dict[str, float]: ...
class Proof:
    done: bool
    def __init__(self, folder: str | PathLike[str], net: Module, optimizer: Optimizer | None = ..., *,
            loader: Loader | None = ..., note: str | None = ..., every: int = ..., resume: bool = ...,
            group: Group | None = ...) -> None: ...
    @property
    def steps(self) -> int: ...
    def step(self, loss: Operand, *batch: Tensor) -> bool: ...
    def close(self) -> str: ...
def report_join(path: str | PathLike[str] | IO[bytes] | bytearray | memoryview,
        reports: Sequence[str | PathLike[str]]) -> None: ...
