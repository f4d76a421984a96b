"""The trainer: brings model and batches to its devices, trains, measures on held-out data, draws."""
from . import _situ
from ._device import gpu
from ._made import handle as _made
from .data import Dataset, handle
from .nn import Module
from .optim import Optimizer


class Board:
    """What a trainer draws: curves in `data`, the end of the horizontal axis in `xlim`."""

    def __init__(self, handle, xlim):
        self._handle, self.xlim = handle, xlim

    @property
    def data(self):
        """The points by name: {"train loss": (x, y), ...} with x in epochs; training by minibatch, validation by epoch.

        A point of training is the mean of so many neighbouring minibatches that an epoch has 200 points at most."""
        return _situ.trainer_curves(self._handle)


def _prepared(batch, move):
    """The batch with each of its tensors moved: a tensor, or tensors in tuples, lists and dicts."""
    if isinstance(batch, dict):
        return {name: _prepared(b, move) for name, b in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*(_prepared(b, move) for b in batch))
    if isinstance(batch, (list, tuple)):
        return type(batch)(_prepared(b, move) for b in batch)
    return move(batch)


def _axis_end(xlim, max_epochs):
    """xlim=10, or (0, 10), or None or -1: the last epoch."""
    if xlim is None or xlim == -1:
        return max_epochs
    if isinstance(xlim, (list, tuple)):
        if len(xlim) != 2 or xlim[0] != 0:
            raise ValueError(f"Trainer: xlim={xlim!r}; the axis begins at epoch 0: give its end, or (0, end)")
        xlim = xlim[1]
    return xlim


class Trainer(_made.Trainer):
    """trainer = Trainer(max_epochs=10); trainer.fit(net, opt, train, held_out); trainer.accuracy

    Trains on the first num_gpus GPUs, on as many as there are: trainer.gpus. Without any it trains on `device`."""

    def _make(self, make, max_epochs, *options):
        end = _axis_end(options[-1], max_epochs)
        self._handle = make(max_epochs, *options[:-1], end)
        self.board = Board(self._handle, (0, end))

    @property
    def gpus(self):
        """The GPUs that it trains on; [] where it trains on another device."""
        return [gpu(i) for i in range(_situ.trainer_state(self._handle)["gpus"])]

    def fit(self, net, optimizer, train, held_out=None):
        """Trains for max_epochs by cross entropy; a second call goes on."""
        given = (handle("fit", "the network", net, Module), handle("fit", "the optimizer", optimizer, Optimizer),
                 handle("fit", "the training data", train, Dataset),
                 handle("fit", "the held-out data", held_out, Dataset) if held_out is not None else None)
        if net._composed:
            raise TypeError("the trainer works without Python's lock and cannot call forward(); write the loop: opt.step(loss)")
        _situ.fit(self._handle, *given)
        return self

    def evaluate(self, net, data):
        """The share of rows whose largest score is at their label."""
        given = handle("evaluate", "the network", net, Module), handle("evaluate", "the data", data, Dataset)
        if net._composed:
            raise TypeError("the trainer works without Python's lock and cannot call forward(); use situ.nn.accuracy")
        return _situ.evaluate(self._handle, *given)

    def prepare_model(self, net):
        """Puts a network on the trainer's devices, mirrored on several: what fit does first. On one device, tensors that the
        network keeps itself go with it."""
        handle("prepare_model", "the network", net, Module)
        if len(self.gpus) == 1:
            net.set_scratch_params_device(self.gpus[0])
        _situ.prepare_model(self._handle, net._handle)
        return net

    def prepare_batch(self, batch):
        """A batch on the trainer's first device: a tensor, or several in a tuple, a list or a dict."""
        return _prepared(batch, lambda x: _situ.prepare_batch(self._handle, x))

    def hyper(self):
        """Its hyper-parameters with their values."""
        return _situ.trainer_hyper(self._handle)

    @property
    def loss(self):
        """Mean training loss of the last epoch."""
        return _situ.trainer_state(self._handle)["loss"]

    @property
    def validation_loss(self):
        """Mean loss on held-out data, after the last epoch."""
        return _situ.trainer_state(self._handle)["validation_loss"]

    @property
    def accuracy(self):
        """On held-out data, after the last epoch."""
        return _situ.trainer_state(self._handle)["accuracy"]

    @property
    def seconds(self):
        """Seconds of training so far."""
        return _situ.trainer_state(self._handle)["seconds"]

    @property
    def epochs(self):
        return _situ.trainer_state(self._handle)["epochs"]
