"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from collections.abc import Sequence

from .. import _situ
from .._device import Device
from .._dtypes import DType
from .._group import Group


class Loader:
    """The data set must outlive the loader. Rows that are changed, made or padded on their way, and windows, are gathered by threads
    also where resident is set.

    batch: rows of a batch; the last one of an epoch may have fewer
    shuffle: a new order in each epoch, by key and epoch
    key: of the order of rows
    drop_last: leaves a short last batch out; an error if none is left
    resident: the set lies on the device and batches are slices of it; false: a thread gathers the next batches on the host while the device works
    device: where batches are; default: the thread's default device
    workers: threads that gather batches (of a stream: one)
    batches: of an epoch at most; None: all (of a stream: until it ends)
    stratified: each batch has about the same share of each label
    buckets: rows of about one length come together, so that less is padded
    multiple: padded lengths are multiples of this: fewer plans are made"""

    def __init__(self, data: Dataset, *, batch: int = 64, shuffle: bool = False, key: int = 0, drop_last: bool =
                 False, resident: bool = True, device: Device | str | None = None, workers: int = 1, batches: int |
                 None = None, stratified: bool = False, buckets: bool = False, multiple: int = 1) -> None:
        self._make(_situ.loader_new, data, batch, shuffle, key, drop_last, resident, device, workers, batches,
            stratified, buckets, multiple)


class Trainer:
    """As in C.

    max_epochs: passes over the training data
    num_gpus: GPUs to train on
    gradient_clip_val: largest global norm of the gradients, 0: any
    deterministic: the same bits on any number of devices
    batch: rows of a batch over all devices
    key: of the order of rows
    cosine: the learning rate falls to 0 along half a cosine
    device: where it trains; default: the thread's default device
    plot: writes them here at the end, as SVG
    title: of the drawings; none: the name of the data
    board: draws curves here while training: a terminal or a file
    resident: 1: data on the device, 0: prefetched, -1: by its size
    xlim: end of the board's horizontal axis in epochs, 0: it grows, -1: max_epochs
    patience: ends after so many epochs without a better monitored value; None: never
    min_delta: by how much a value is better at least
    keep_best: at the end the network has the weights of its best epoch
    monitor: 'validation loss' or another value's name; none: that, or the loss without held-out data
    maximize: larger values are better, as of an accuracy
    log_every: steps between two readings of what is logged; None: an epoch, with a board a second
    epoch_batches: batches of an epoch; None: all rows (a stream needs it)
    accumulate: a batch is computed in so many pieces, one after the other, for one step
    workers: threads that gather batches of data that does not lie on the device
    nan: stops at the first NaN and names the operation that made it (slow); false: a loss that is NaN stops it, when it is read
    progress: writes lines there: where it is, rows a second, and where the time went
    report: writes a report there, one HTML file that needs nothing else and is whole at each moment
    checkpoint: a folder for checkpoints (situ/checkpoint.h), which is made where it is not there
    checkpoint_every: steps from one to the next; None: one at the end of each epoch
    keep: how many of the last ones stay, beside that of the best epoch
    resume: goes on from the last checkpoint in the folder, if there is one, with its hyper-parameters
    group: of the processes that train together, each with its part of every batch
    precision: of products, convolutions and attention (precision): bf16 or f16, which brings a scale of the loss (optimizer_set_loss_scale)"""

    def __init__(self, *, max_epochs: int = 10, num_gpus: int = 0, gradient_clip_val: float = 0.0, deterministic: bool
                 = False, batch: int = 64, key: int = 0, cosine: bool = False, device: Device | str | None = None,
                 plot: str | None = None, title: str | None = None, board: bool = False, resident: int = -1, xlim:
                 float = -1.0, patience: int | None = None, min_delta: float = 0.0, keep_best: bool = False, monitor:
                 str | None = None, maximize: bool = False, log_every: int | None = None, epoch_batches: int | None =
                 None, accumulate: int = 1, workers: int = 1, nan: bool = False, progress: bool = False, report: str |
                 None = None, checkpoint: str | None = None, checkpoint_every: int | None = None, keep: int = 3,
                 resume: bool = False, group: Group | None = None, precision: DType | str | type | None =
                 None) -> None:
        self._make(_situ.trainer_new, max_epochs, num_gpus, gradient_clip_val, deterministic, batch, key, cosine,
            device, plot, title, board, resident, xlim, patience, min_delta, keep_best, monitor, maximize, log_every,
            epoch_batches, accumulate, workers, nan, progress, report, checkpoint, checkpoint_every, keep, resume,
            group, precision)


__all__ = ["Loader", "Trainer"]
