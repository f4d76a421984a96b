"""The trainer: puts model and batches on its devices, trains, measures on held-out data, draws curves."""
import contextlib as _contextlib
import inspect as _inspect
import os as _os
import signal as _signal
import sys as _sys
import threading as _threading
import time as _time

from . import _situ, _trees, data as _data, nn as _nn, optim as _optim
from ._errors import handle as _handle_of
from ._habits import refuse_option as _refuse_option
from ._made import devices as _devices, handle as _made


def _notebook():
    """The display function of a notebook; None outside of notebooks."""
    shell = getattr(_sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is None:
        return None
    from IPython.display import display
    return display


class Board:
    """What a trainer draws: curves in `data`, the end of the horizontal axis in `xlim`. In a notebook it is a picture,
    which Trainer(board=True) redraws during training."""

    _PAUSE = 0.5  # seconds between two drawings

    def __init__(self, handle, xlim, title=None, display=None):
        self._handle, self.xlim, self._title, self._display = handle, xlim, title, display
        self._shown, self._drawn_at = None, 0.0
        if display is not None:
            self.svg()

    def svg(self):
        """The curves as a picture, SVG."""
        return _situ.trainer_svg(self._handle, self._title)

    _repr_html_ = svg  # several front ends do not show image/svg+xml in an update

    def _draw(self, last=False):
        """In a live board, redraws from time to time, and at the end."""
        now = _time.monotonic()
        if self._display is None or not (last or now - self._drawn_at >= self._PAUSE) or not self.data:
            return
        if self._shown is None:
            self._shown = self._display(self, display_id=True)
        else:
            self._shown.update(self)
        self._drawn_at = _time.monotonic()

    @property
    def data(self):
        """The points by name: {"train loss": (x, y), ...} with x in epochs; training by minibatch, validation by epoch.

        A training point is the mean of as many adjacent minibatches as needed to have at most 200 points in an
        epoch."""
        return _situ.trainer_curves(self._handle)


def _axis_end(xlim, max_epochs):
    """Limits the horizontal axis: xlim=10 or (0, 10); None or -1: the last epoch."""
    if xlim is None or xlim == -1:
        return max_epochs
    if isinstance(xlim, (list, tuple)):
        if len(xlim) != 2 or xlim[0] != 0:
            raise ValueError(f"Trainer: xlim={xlim!r}; the axis begins at epoch 0: give its end, or (0, end)")
        xlim = xlim[1]
    return xlim


def _of_state(name, doc):
    return property(lambda self: _situ.trainer_state(self._handle)[name], doc=doc)


@_contextlib.contextmanager
def _interruptions(wait):
    """Yields a list that gets an element at Ctrl-C. KeyboardInterrupt is raised at the end; at once by a second Ctrl-C,
    or without `wait`."""
    came = []

    def handler(number, frame):
        came.append(number)
        if len(came) > 1:
            _signal.default_int_handler(number, frame)

    if not (wait and _threading.current_thread() is _threading.main_thread()
            and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler):
        yield came
        return
    _signal.signal(_signal.SIGINT, handler)
    try:
        yield came
    finally:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    if came:
        raise KeyboardInterrupt


class Batch(tuple):
    """The tensors of a batch, inputs before targets: x, y = batch. It has `rows` rows, from row `first` on, of a batch
    with `of` rows. `step` is the number of the optimizer step; `training` is False if it is only measured."""

    def __new__(cls, tensors, inputs, rows, first, of, step, training):
        self = super().__new__(cls, tensors)
        self.inputs, self.targets = tuple(tensors[:inputs]), tuple(tensors[inputs:])
        self.rows, self.first, self.of, self.step, self.training = rows, first, of, step, training
        return self


class Trainer(_made.Trainer):
    """trainer = Trainer(max_epochs=10); trainer.fit(net, opt, train, held_out); trainer.accuracy

    Trains on the first num_gpus GPUs, or on as many as there are: trainer.gpus. Without a GPU it trains on `device`.

    loss(prediction, target) is a function such as situ.nn.mse; the default is cross entropy. step(net, batch)
    computes the loss of a batch in any way, and may log further values: return loss, {"mae": ...}. on_step(trainer)
    and on_epoch(trainer) are called after each step and epoch; a true result ends the training."""

    def __init__(self, *, loss=None, step=None, on_step=None, on_epoch=None, **options):
        for name, function in (("loss", loss), ("step", step), ("on_step", on_step), ("on_epoch", on_epoch)):
            if function is not None and not callable(function):
                raise TypeError(f"Trainer: {name} is a function, not {type(function).__name__}")
        if loss is not None and step is not None:
            raise ValueError("Trainer: loss and step are both set; a step computes the loss itself")
        self._loss, self._step, self.on_step, self.on_epoch = loss, step, on_step, on_epoch
        for name in {"report", "plot"} & options.keys():
            options[name] = options[name] and _os.fspath(options[name])
        self._keeps, self._report = bool(options.get("checkpoint")), options.get("report")
        super().__init__(**options)

    def _make(self, make, max_epochs, *options):
        end, title, live = _axis_end(options[11], max_epochs), options[8], _notebook() if options[9] else None
        self._handle = make(max_epochs, *options[:9], bool(options[9]) and live is None, options[10], end, *options[12:])
        object.__setattr__(self, "board", Board(self._handle, (0, end), title, live))

    def _repr_html_(self):
        """For Jupyter: the report that it writes, in a frame."""
        if not self._report or not _os.path.exists(self._report):
            return None
        from html import escape
        with open(self._report, encoding="utf-8") as file:
            page = file.read() + "</script>"
        return f'<iframe style="width:100%;height:640px;border:0" srcdoc="{escape(page)}"></iframe>'

    def __setattr__(self, name, value):
        if name not in ("on_step", "on_epoch"):
            _refuse_option(self, name)
        object.__setattr__(self, name, value)

    @property
    def gpus(self):
        """The GPUs on which it trains; [] if it trains on another device."""
        return [_devices.gpu(i) for i in range(_situ.trainer_state(self._handle)["gpus"])]

    def _own(self, net):
        """Whether the network or a callback is written in Python: then the training loop is, too."""
        return net._composed or any(f is not None for f in (self._loss, self._step, self.on_step, self.on_epoch, self.board._display))

    def _loss_of(self, net, batch):
        if self._step is not None:
            return self._step(net, batch)
        if not batch.targets:
            raise TypeError("Trainer: the data has no targets; a step(net, batch) of yours computes the loss")
        y = net(*batch.inputs) if net._composed or len(batch.inputs) != 1 else _situ.call(net._handle, batch[0], batch.first, batch.of, batch.step)
        if self._loss is not None:
            return self._loss(y, batch.targets[0])
        loss = _nn.cross_entropy(y, batch.targets[0])
        if not batch.training:
            self.confusion(y, batch.targets[0])
        return loss if batch.training else (loss, {"accuracy": _nn.accuracy(y, batch.targets[0])})

    def _run(self, net, *given):
        with _interruptions(self._keeps and given[1] is not None) as came:
            self._loop(came, net, *given)

    def _loop(self, came, net, *given):
        held = []
        try:
            _situ.trainer_begin(self._handle, *given)
            steps = self.steps
            while (part := _situ.trainer_next(self._handle)) is not None:
                if not part:  # the epoch ended and was measured
                    if self.on_epoch is not None and self.on_epoch(self):
                        _situ.trainer_stop(self._handle)
                    continue
                batch = Batch(*part)
                result = self._loss_of(net, batch)
                loss, logged = result if isinstance(result, tuple) and len(result) == 2 else (result, {})
                if loss is None:
                    raise TypeError(f"Trainer: the function {'step' if self._step is not None else 'loss'} gave None for a loss")
                if not isinstance(logged, dict):
                    raise TypeError(f"Trainer: a step gives its loss, or its loss and a dict of values, not {type(logged).__name__}")
                held = [] if batch.first == 0 else held
                held.append((loss, logged))  # until the last part of the batch
                _situ.trainer_give(self._handle, loss, logged)
                self.board._draw()
                if came:
                    _situ.trainer_stop(self._handle)  # writes a checkpoint, too
                if self.on_step is not None and self.steps != steps:
                    steps = self.steps
                    if self.on_step(self):
                        _situ.trainer_stop(self._handle)
        except BaseException as error:
            try:
                _situ.trainer_end(self._handle, f"{type(error).__name__}: {error}")
            except Exception:  # the first one counts
                pass
            raise
        _situ.trainer_end(self._handle, None)
        self.board._draw(last=True)

    def fit(self, net, optimizer, train, held_out=None):
        """Trains for max_epochs; a second call continues. optimizer=None: the step updates parameters by its own
        optimizers."""
        given = (_handle_of("fit", "the network", net, _nn.Module),
                 _handle_of("fit", "the optimizer", optimizer, _optim.Optimizer) if optimizer is not None or self._step is None else None,
                 _handle_of("fit", "the training data", train, _data.Dataset),
                 _handle_of("fit", "the held-out data", held_out, _data.Dataset) if held_out is not None else None)
        if self._own(net):
            self._run(net, *given)
        else:
            _situ.fit(self._handle, *given)
        return self

    def measure(self, net, data):
        """The means over all rows of the loss and of the values that steps log, by name."""
        given = _handle_of("measure", "the network", net, _nn.Module), _handle_of("measure", "the data", data, _data.Dataset)
        if self._own(net):
            self._run(net, given[0], None, None, given[1])
        else:
            _situ.measure(self._handle, *given)
        return {name[len("validation "):]: v for name, v in self.values.items() if name.startswith("validation ")}

    def evaluate(self, net, data):
        """The share of rows whose largest score is that of their label."""
        given = _handle_of("evaluate", "the network", net, _nn.Module), _handle_of("evaluate", "the data", data, _data.Dataset)
        if not self._own(net):
            return _situ.evaluate(self._handle, *given)
        if (accuracy := self.measure(net, data).get("accuracy")) is None:
            raise ValueError("evaluate: the trainer's steps log no accuracy; measure() gives what they log")
        return accuracy

    def confusion(self, prediction, target):
        """Inside a step: reports scores of a batch's rows, [rows ..., classes], and their labels for the report's
        confusion matrix, which counts held-out rows. Needed only with your own step or loss."""
        _situ.trainer_confusion(self._handle, prediction, target)

    def stop(self):
        """Ends the training after this step; for use in a step or a callback."""
        _situ.trainer_stop(self._handle)

    def prepare_model(self, net):
        """Puts a network on the trainer's devices, mirrored if there are several, as fit does first. With one device,
        tensors that the network keeps itself move with it."""
        _handle_of("prepare_model", "the network", net, _nn.Module)
        if len(self.gpus) == 1:
            net.set_scratch_params_device(self.gpus[0])
        _situ.prepare_model(self._handle, net._handle)
        return net

    def prepare_batch(self, batch):
        """Moves a batch to the trainer's first device: a tensor, or several in a tuple, a list or a dict."""
        move = lambda x: _situ.prepare_batch(self._handle, x)
        return _trees.mapped(batch, move, move)

    def hyper(self):
        """A dict of its hyper-parameters."""
        return _situ.trainer_hyper(self._handle)

    loss = _of_state("loss", "Mean training loss of the last epoch.")
    validation_loss = _of_state("validation_loss", "Mean loss on held-out data, after the last epoch.")
    accuracy = _of_state("accuracy", "On held-out data, after the last epoch.")
    seconds = _of_state("seconds", "Seconds of training so far.")
    epochs = _of_state("epochs", "Epochs of training so far.")
    steps = _of_state("steps", "Steps of training so far.")
    best_epoch = _of_state("best_epoch", "The epoch that was best, from 1; 0: none was measured.")
    ended = _of_state("ended", "Why the training ended: \"epochs\", \"patience\", \"stopped\", \"error\".")
    values = _of_state("values", "The last means by name: \"loss\", \"NAME\", \"validation NAME\".")
    rates = _of_state("rates", "Rows and steps a second, and shares of the time: waited for data, copied, computed.")


Trainer.__signature__ = _inspect.Signature(
    [p for p in _inspect.signature(Trainer.__init__).parameters.values() if p.kind is p.KEYWORD_ONLY]
    + [p for p in _inspect.signature(_made.Trainer.__init__).parameters.values() if p.kind is p.KEYWORD_ONLY])


def report_join(path, reports):
    """Joins several reports into one that compares them. Each was written by Trainer(report="a.html") or report_join."""
    if isinstance(reports, (str, bytes, _os.PathLike)):
        raise TypeError("report_join: reports is a list of files")
    _situ.report_join(_os.fspath(path), [_os.fspath(r) for r in reports])
