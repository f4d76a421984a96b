"""The trainer: brings model and batches to its devices, trains, measures on held-out data, draws."""
from . import _situ, _trees, data as _data, nn as _nn, optim as _optim
from ._errors import handle as _handle_of
from ._made import devices as _devices, handle as _made


class Board:
    """What a trainer draws: curves in `data`, the end of the horizontal axis in `xlim`."""

    def __init__(self, handle, xlim):
        self._handle, self.xlim = handle, xlim

    @property
    def data(self):
        """The points by name: {"train loss": (x, y), ...} with x in epochs; training by minibatch, validation by epoch.

        A point of training is the mean of so many neighbouring minibatches that an epoch has 200 points at most."""
        return _situ.trainer_curves(self._handle)


def _axis_end(xlim, max_epochs):
    """xlim=10, or (0, 10), or None or -1: the last epoch."""
    if xlim is None or xlim == -1:
        return max_epochs
    if isinstance(xlim, (list, tuple)):
        if len(xlim) != 2 or xlim[0] != 0:
            raise ValueError(f"Trainer: xlim={xlim!r}; the axis begins at epoch 0: give its end, or (0, end)")
        xlim = xlim[1]
    return xlim


def _of_state(name, doc):
    return property(lambda self: _situ.trainer_state(self._handle)[name], doc=doc)


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
        return [_devices.gpu(i) for i in range(_situ.trainer_state(self._handle)["gpus"])]

    def fit(self, net, optimizer, train, held_out=None):
        """Trains for max_epochs by cross entropy; a second call goes on."""
        given = (_handle_of("fit", "the network", net, _nn.Module), _handle_of("fit", "the optimizer", optimizer, _optim.Optimizer),
                 _handle_of("fit", "the training data", train, _data.Dataset),
                 _handle_of("fit", "the held-out data", held_out, _data.Dataset) if held_out is not None else None)
        if net._composed:
            raise TypeError("the trainer works without Python's lock and cannot call forward(); write the loop: opt.step(loss)")
        _situ.fit(self._handle, *given)
        return self

    def evaluate(self, net, data):
        """The share of rows whose largest score is at their label."""
        given = _handle_of("evaluate", "the network", net, _nn.Module), _handle_of("evaluate", "the data", data, _data.Dataset)
        if net._composed:
            raise TypeError("the trainer works without Python's lock and cannot call forward(); use situ.nn.accuracy")
        return _situ.evaluate(self._handle, *given)

    def prepare_model(self, net):
        """Puts a network on the trainer's devices, mirrored on several: what fit does first. On one device, tensors that the
        network keeps itself go with it."""
        _handle_of("prepare_model", "the network", net, _nn.Module)
        if len(self.gpus) == 1:
            net.set_scratch_params_device(self.gpus[0])
        _situ.prepare_model(self._handle, net._handle)
        return net

    def prepare_batch(self, batch):
        """A batch on the trainer's first device: a tensor, or several in a tuple, a list or a dict."""
        move = lambda x: _situ.prepare_batch(self._handle, x)
        return _trees.mapped(batch, move, move)

    def hyper(self):
        """Its hyper-parameters with their values."""
        return _situ.trainer_hyper(self._handle)

    loss = _of_state("loss", "Mean training loss of the last epoch.")
    validation_loss = _of_state("validation_loss", "Mean loss on held-out data, after the last epoch.")
    accuracy = _of_state("accuracy", "On held-out data, after the last epoch.")
    seconds = _of_state("seconds", "Seconds of training so far.")
    epochs = _of_state("epochs", "Epochs of training so far.")
