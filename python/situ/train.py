"""The trainer: puts model and batches on its devices, trains, measures on held-out data, draws curves."""
import contextlib as _contextlib
import inspect as _inspect
import os as _os
import signal as _signal
import sys as _sys
import threading as _threading
import time as _time

import weakref as _weakref

from . import _situ, _tree, _trees, data as _data, nn as _nn, optim as _optim
from ._errors import DeviceMismatchError as _DeviceMismatchError, handle as _handle_of
from ._habits import TRAINER as _TRAINER, hint as _hint, refuse_option as _refuse_option, save_arguments as _save_arguments
from ._made import devices as _devices, handle as _made


def _notebook():
    """The display function of a notebook; None outside of notebooks."""
    shell = getattr(_sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is None:
        return None
    from IPython.display import display
    return display


class Board:
    """What a trainer draws: curves in `data`, the end of the horizontal axis in `xlim`, which may be set to 10 or (0, 10).
    In a notebook it is a picture, which Trainer(board=True) redraws during training."""

    _PAUSE = 0.5  # seconds between two drawings

    def __init__(self, handle, xlim, title=None, display=None):
        self._handle, self._xlim, self._title, self._display = handle, xlim, title, display
        self._shown, self._drawn_at = None, 0.0
        if display is not None:
            self.svg()

    @property
    def xlim(self):
        return self._xlim

    @xlim.setter
    def xlim(self, xlim):
        end = _axis_end(xlim, _situ.trainer_hyper(self._handle)["max_epochs"])
        _situ.trainer_xlim(self._handle, end)
        self._xlim = (0, end)

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

    def of_tensors(self, tensors):
        """A batch of the same rows with other tensors."""
        return Batch(tensors, len(self.inputs), self.rows, self.first, self.of, self.step, self.training)


class Trainer(_made.Trainer):
    """trainer = Trainer(max_epochs=10); trainer.fit(net, opt, train, held_out); trainer.accuracy

    Trains on the first num_gpus GPUs, or on as many as there are: trainer.gpus. Without a GPU it trains on `device`.

    loss(prediction, target) is a function such as situ.nn.mse; the default is cross entropy. step(net, batch)
    computes the loss of a batch in any way, and may log further values: return loss, {"mae": ...}. on_step(trainer)
    and on_epoch(trainer) are called after each step and epoch; a true result ends the training.

    Hooks: a subclass may override prepare_model(net), which fit calls first, and prepare_batch(batch), which it calls
    with each batch, or with the part of it that is on one device; both may call super(). A network may have
    loss(prediction, target), training_step(batch) and validation_step(batch), which return the loss, and
    configure_optimizers(), which fit(net, None, train) calls for the optimizer."""

    def __init__(self, *, loss=None, step=None, on_step=None, on_epoch=None, **options):
        for name, function in (("loss", loss), ("step", step), ("on_step", on_step), ("on_epoch", on_epoch)):
            if function is not None and not callable(function):
                raise TypeError(f"Trainer: {name} is a function, not {type(function).__name__}")
        if loss is not None and step is not None:
            raise ValueError("Trainer: loss and step are both set; a step computes the loss itself")
        self._loss, self._step, self.on_step, self.on_epoch = loss, step, on_step, on_epoch
        for name in {"report", "plot", "proof"} & options.keys():
            options[name] = options[name] and _os.fspath(options[name])
        self._keeps, self._report = bool(options.get("checkpoint")), options.get("report")
        super().__init__(**options)

    def _begin_late(self):
        """For a subclass whose constructor did not call this class's: its attributes are the options."""
        said = vars(self).get("gpus_said")
        options = {name: value for name, value in vars(self).items() if name in _OPTIONS and name not in _CALLED}
        if said is not None:
            options["num_gpus"] = len(said)
        _constructor(self, **options)

    def __getattr__(self, name):
        if not name.startswith("__"):
            if "_handle" not in vars(self) and name in _MADE:
                self._begin_late()
                return getattr(self, name)
            if name in _OPTIONS and (value := self.hyper().get({"gradient_clip_val": "clip_norm"}.get(name, name))) is not None:
                default = Trainer.__signature__.parameters[name].default
                return bool(value) if isinstance(default, bool) else value if isinstance(default, float) or value % 1 else int(value)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{_hint(_TRAINER, name)}")

    def save_hyperparameters(self, ignore=()):
        """In a constructor: its arguments become attributes, and the dict hparams, but for those that are named in ignore."""
        _save_arguments(self, ignore)

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
        if name not in ("on_step", "on_epoch") and "_handle" in vars(self) and not (name in vars(self).get("hparams", ()) and value is self.hparams[name]):
            _refuse_option(self, name)
        object.__setattr__(self, name, value)

    @property
    def gpus(self):
        """The GPUs on which it trains; [] if it trains on another device."""
        said = vars(self).get("gpus_said")
        return [_devices.gpu(i) for i in range(_situ.trainer_state(self._handle)["gpus"])] if said is None else said

    @gpus.setter
    def gpus(self, devices):
        devices = list(devices)
        if devices != [_devices.gpu(i) for i in range(len(devices))]:
            raise ValueError(f"Trainer: gpus are the first ones, gpu(0), gpu(1), ..., not {devices}; for another device write Trainer(device=...)")
        if "_handle" in vars(self) and devices != self.gpus:
            raise ValueError(f"Trainer: it was made for {self.gpus or 'no GPU'}; write Trainer(num_gpus={len(devices)})")
        object.__setattr__(self, "gpus_said", devices)

    @property
    def model(self):
        """The network that prepare_model() saw last; None if it does not exist any more."""
        net = vars(self).get("_model")
        return net and net()

    @model.setter
    def model(self, net):
        object.__setattr__(self, "_model", _weakref.ref(net))

    def _own(self, net):
        """Whether the network, a hook or a callback is written in Python: then the training loop is, too."""
        hooks = any(hasattr(type(net), name) for name in ("training_step", "validation_step", "loss")) or self._prepares()
        return hooks or net._composed or any(f is not None for f in (self._loss, self._step, self.on_step, self.on_epoch, self.board._display))

    def _prepares(self):
        own = type(self).prepare_batch
        return getattr(own, "__wrapped__", own) is not _prepare_batch

    def _batch(self, part):
        """A batch, or the part of it that is on one device, as prepare_batch() returns it."""
        batch = Batch(*part)
        if not self._prepares():
            return batch
        made = self.prepare_batch(batch)
        if not isinstance(made, (tuple, list)) or not made or not all(isinstance(t, _situ.Tensor) for t in made):
            raise TypeError(f"Trainer: prepare_batch gave {type(made).__name__}; it gives a tuple or a list of tensors, as it gets one")
        if len(self.gpus) > 1 and any(t.device != batch[0].device for t in made):
            raise _DeviceMismatchError(f"Trainer: prepare_batch moved the part of a batch that belongs on {batch[0].device} to {made[0].device}; "
                                       "with several GPUs each part is on its own already, batch[0].device")
        return batch.of_tensors(made)

    def _step_of(self, net, batch):
        """The loss by the network's training_step or validation_step, and the values that it plots."""
        self._plotted.clear()
        own = net.validation_step if not batch.training and hasattr(type(net), "validation_step") else net.training_step
        loss, plotted = own(batch), dict(self._plotted)
        told = plotted.pop("loss", None)
        return told if loss is None else loss, plotted

    def _loss_of(self, net, batch):
        if self._step is not None:
            return self._step(net, batch)
        if self._loss is None and hasattr(type(net), "training_step"):
            return self._step_of(net, batch)
        if not batch.targets:
            raise TypeError("Trainer: the data has no targets; a step(net, batch) of yours computes the loss")
        y = net(*batch.inputs) if net._composed or len(batch.inputs) != 1 else _situ.call(net._handle, batch[0], batch.first, batch.of, batch.step)
        if self._loss is not None or hasattr(type(net), "loss"):
            return (self._loss or net.loss)(y, batch.targets[0])
        loss = _nn.cross_entropy(y, batch.targets[0])
        if not batch.training:
            self.confusion(y, batch.targets[0])
        return loss if batch.training else (loss, {"accuracy": _nn.accuracy(y, batch.targets[0])})

    def _run(self, net, *given):
        with _interruptions(self._keeps and given[1] is not None) as came:
            self._loop(came, net, *given)

    def _loop(self, came, net, *given):
        held, self._plotted, net.trainer = [], {}, self
        try:
            _situ.trainer_begin(self._handle, *given)
            _tree.follow(net)
            steps = self.steps
            while (part := _situ.trainer_next(self._handle)) is not None:
                if not part:  # the epoch ended and was measured
                    if self.on_epoch is not None and self.on_epoch(self):
                        _situ.trainer_stop(self._handle)
                    continue
                batch = self._batch(part)
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
            error = self._explained(net, error)
            try:
                _situ.trainer_end(self._handle, f"{type(error).__name__}: {error}")
            except Exception:  # the first one counts
                pass
            raise error
        _situ.trainer_end(self._handle, None)
        self.board._draw(last=True)

    def _explained(self, net, error):
        """Extends a device mismatch on several GPUs: a plain tensor that a network keeps is on one device only."""
        if not isinstance(error, _DeviceMismatchError) or len(self.gpus) < 2:
            return error
        plain = [f"{path}.{name}".strip(".") for path, module in net.modules().items() for name, value in vars(module).items()
                 if not name.startswith("_") and any(not t.is_variable for t in _trees.tensors(value))]
        mend = f"; on several GPUs what a network keeps itself ({', '.join(plain)}) has to be a variable: situ.variable(value, trainable=False)"
        return type(error)(str(error) + mend).with_traceback(error.__traceback__) if plain else error

    def fit(self, net, optimizer=None, train=None, held_out=None):
        """Calls prepare_model(net), then trains for max_epochs; a second call continues. optimizer=None: the network's
        configure_optimizers() returns it, or the step updates parameters by its own optimizers. It may be left out:
        fit(net, train, held_out)."""
        said = optimizer
        if isinstance(optimizer, _data.Dataset):
            optimizer, train, held_out = None, optimizer, train if held_out is None else held_out
        _handle_of("fit", "the network", net, _nn.Module)
        data = (_handle_of("fit", "the training data", train, _data.Dataset),
                _handle_of("fit", "the held-out data", held_out, _data.Dataset) if held_out is not None else None)
        makes = optimizer is None and self._step is None and hasattr(type(net), "configure_optimizers")
        if not makes and (optimizer is not None or self._step is None):
            if isinstance(said, _data.Dataset):
                raise TypeError("fit: the optimizer is missing, in its place is a Dataset; write fit(net, situ.optim.SGD(net), data), for example")
            _handle_of("fit", "the optimizer", said, _optim.Optimizer)
        self._meet(net)
        if makes:
            optimizer = net.configure_optimizers()
            _handle_of("fit", "what configure_optimizers gives", optimizer, _optim.Optimizer)
        given = (net._handle, optimizer and optimizer._handle, *data)
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

    def _meet(self, net):
        """Calls the hook prepare_model, which finds net.trainer and net.board."""
        net.trainer = self
        self.prepare_model(net)

    def prepare_model(self, net):
        """Puts a network on the trainer's devices, mirrored if there are several, as fit does first. With one device,
        tensors that the network keeps itself move with it."""
        _handle_of("prepare_model", "the network", net, _nn.Module)
        self.model = net
        _situ.prepare_model(self._handle, net._handle)
        _tree.follow(net)
        devices = _situ.module_devices(net._handle)
        if len(devices) == 1:
            net.set_scratch_params_device(devices[0])
        return net

    def prepare_batch(self, batch):
        """Moves a batch to the trainer's first device: a tensor, or several in a tuple, a list or a dict. What is on one of
        its GPUs stays there. fit moves batches itself, and calls this only if a subclass overrides it."""
        gpus = self.gpus
        move = lambda x: x if isinstance(x, _situ.Tensor) and x.device in gpus else _situ.prepare_batch(self._handle, x)
        moved = _trees.mapped(tuple(batch) if isinstance(batch, Batch) else batch, move, move)
        return batch.of_tensors(moved) if isinstance(batch, Batch) else moved

    def hyper(self):
        """A dict of its hyper-parameters."""
        return _situ.trainer_hyper(self._handle)

    loss = _of_state("loss", "Mean training loss of the last epoch.")
    validation_loss = _of_state("validation_loss", "Mean loss on held-out data, after the last epoch.")
    accuracy = _of_state("accuracy", "On held-out data, after the last epoch.")
    commitment = _of_state("commitment", "The last hash of the proof, to publish; \"\" without one.")
    seconds = _of_state("seconds", "Seconds of training so far.")
    epochs = _of_state("epochs", "Epochs of training so far.")
    steps = _of_state("steps", "Steps of training so far.")
    best_epoch = _of_state("best_epoch", "The epoch that was best, from 1; 0: none was measured.")
    ended = _of_state("ended", "Why the training ended: \"epochs\", \"patience\", \"stopped\", \"error\".")
    values = _of_state("values", "The last means by name: \"loss\", \"NAME\", \"validation NAME\".")
    rates = _of_state("rates", "Rows and steps a second, and shares of the time: waited for data, copied, computed.")


_MADE = ("_handle", "_loss", "_step", "on_step", "on_epoch", "_keeps", "board")
_CALLED = ("loss", "step", "on_step", "on_epoch")
_constructor = Trainer.__init__
Trainer.__signature__ = _inspect.Signature(
    [p for p in _inspect.signature(Trainer.__init__).parameters.values() if p.kind is p.KEYWORD_ONLY]
    + [p for p in _inspect.signature(_made.Trainer.__init__).parameters.values() if p.kind is p.KEYWORD_ONLY])

_OPTIONS = frozenset(Trainer.__signature__.parameters)
_prepare_batch = Trainer.prepare_batch


class Proof:
    """A log of hashes of your own training loop, by which `situ verify folder -- python program.py` repeats it and compares every bit.
    A trainer's proof is Trainer(proof=folder).

    proof = situ.train.Proof("run1", net, adam, loader=loader, every=100, resume=True)
    while loader.epoch < 9 and not proof.done:
        for x, y in loader:
            loss = ...                         # a step of the optimizer
            if proof.step(loss, x, y):
                break                          # `situ verify` has repeated what it wanted
    print(proof.close())                       # the commitment

    loader: its data go into the log, its position into the states. note: options of the program itself, in one line. every: steps
    between states from which verifying and resuming can start. resume: goes on from the last of them. group: the first process writes."""

    def __init__(self, folder, net, optimizer=None, *, loader=None, note=None, every=0, resume=False, group=None):
        handles = (_handle_of("Proof", "the network", net, _nn.Module),
                   None if optimizer is None else _handle_of("Proof", "the optimizer", optimizer, _optim.Optimizer),
                   None if loader is None else _handle_of("Proof", "the loader", loader, _data.Loader))
        self._handle = _situ.proof_open(folder, *handles, note, every, resume, group)
        self._kept = net, optimizer, loader, group
        self.done = False
        if self.steps:
            _tree.follow(net)
            if loader is not None:
                loader._go_on()

    @property
    def steps(self):
        """The steps so far, with those before a state that was loaded."""
        return _situ.proof_steps(self._open())

    def _open(self):
        if self._handle is None:
            raise ValueError("Proof: it is closed")
        return self._handle

    def step(self, loss, *batch):
        """After each step of the optimizer, with its loss and its whole batch. True: verifying is done, end the loop."""
        self.done = _situ.proof_step(self._open(), loss, list(batch))
        return self.done

    def close(self):
        """Writes the end of the log. Returns the commitment, the log's last hash; "" under `situ verify`."""
        handle, self._handle = self._open(), None
        return _situ.proof_close(handle)


def report_join(path, reports):
    """Joins several reports into one that compares them. Each was written by Trainer(report="a.html") or report_join."""
    if isinstance(reports, (str, bytes, _os.PathLike)):
        raise TypeError("report_join: reports is a list of files")
    _situ.report_join(_os.fspath(path), [_os.fspath(r) for r in reports])
