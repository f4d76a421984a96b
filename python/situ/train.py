"""The trainer: brings model and batches to its devices, trains, measures on held-out data, draws."""
from . import _situ


class Trainer:
    """trainer = Trainer(max_epochs=10); trainer.fit(net, opt, train, held_out); trainer.accuracy"""

    def __init__(self, *, max_epochs=10, num_gpus=0, gradient_clip_val=0.0, deterministic=False, batch=64, key=0, cosine=False,
                 device=None, plot=None, title=None, board=False):
        self._handle = _situ.trainer(max_epochs, num_gpus, gradient_clip_val, deterministic, batch, key, cosine, device, plot, title, board)

    def fit(self, net, optimizer, train, held_out=None):
        """Trains for max_epochs by cross entropy; a second call goes on."""
        if net._composed:
            raise TypeError("the trainer works without Python's lock and cannot call forward(); write the loop: opt.step(loss)")
        _situ.fit(self._handle, net._handle, optimizer._handle, train._handle, held_out._handle if held_out is not None else None)
        return self

    def evaluate(self, net, data):
        """The share of rows whose largest score is at their label."""
        if net._composed:
            raise TypeError("the trainer works without Python's lock and cannot call forward(); use situ.nn.accuracy")
        return _situ.evaluate(self._handle, net._handle, data._handle)

    def prepare_model(self, net):
        """Puts a network on the trainer's devices, mirrored on several: what fit does first."""
        _situ.prepare_model(self._handle, net._handle)
        return net

    def prepare_batch(self, batch):
        """A batch on the trainer's first device."""
        return _situ.prepare_batch(self._handle, batch)

    def hyper(self):
        """Its hyper-parameters with their values."""
        return _situ.trainer_hyper(self._handle)

    @property
    def loss(self):
        """Mean training loss of the last epoch."""
        return _situ.trainer_state(self._handle)["loss"]

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
