"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from collections.abc import Sequence

from .. import _situ
from .._device import Device
from .._dtypes import DType
from .._group import Group


class Loader:
    """The data set must outlive the loader. Rows that are augmented, made by a function or padded, and windows, are gathered by threads
    even if resident is set.

    batch: rows of a batch; the last one of an epoch may have fewer
    shuffle: a new order in each epoch, by key and epoch
    key: key for the order of rows
    drop_last: drops an incomplete last batch; an error if no batch is left
    resident: the set is on the device, and batches are slices of it; false: a thread gathers the next batches on the host while the device works
    device: where batches are; default: the thread's default device
    workers: number of threads that gather batches (a stream has one)
    batches: largest number of batches in an epoch; None: all (a stream: until it ends)
    stratified: each batch has about the same share of each label
    buckets: puts rows of similar length into one batch, which saves padding
    multiple: padded lengths are multiples of this, so that fewer plans are made"""

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
    key: key for the order of rows
    cosine: the learning rate falls to 0 along half a cosine
    device: where it trains; default: the thread's default device
    plot: writes the curves to this SVG file at the end
    title: title of the drawings; none: the name of the data
    board: draws curves here while training: a terminal or a file
    resident: 1: data on the device, 0: prefetched, -1: depends on its size
    xlim: end of the board's horizontal axis in epochs, 0: it grows, -1: max_epochs
    patience: ends after this many epochs without a better monitored value; None: never
    min_delta: least improvement that counts as better
    keep_best: restores the weights of the best epoch at the end
    monitor: 'validation loss' or another value's name; none: that, or the loss if there is no held-out data
    maximize: larger values are better, as for an accuracy
    log_every: steps between two readings of the logged values; None: an epoch, or with a board a second
    epoch_batches: batches of an epoch; None: all rows (a stream needs it)
    accumulate: number of pieces in which a batch is computed, one after the other, for one step
    workers: threads that gather batches of data that is not on the device
    nan: stops at the first NaN and names the operation that made it (slow); false: a NaN loss stops the training when it is read
    progress: writes lines of progress there: position, rows per second, and where the time went
    report: path of a report, one HTML file that needs no other file and is complete at each moment
    checkpoint: a folder for checkpoints (situ/checkpoint.h), which is created if necessary
    checkpoint_every: steps between checkpoints; None: one at the end of each epoch
    keep: number of last checkpoints that are kept, besides that of the best epoch
    resume: continues from the last checkpoint in the folder, if there is one, with its hyper-parameters
    group: processes that train together, each with its part of every batch
    precision: precision of products, convolutions and attention (precision): bf16, or f16, which includes a loss scale (optimizer_set_loss_scale)"""

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
