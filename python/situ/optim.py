"""Optimizers: gradient, clipping and update of a network's parameters, as one plan for each step.

    opt = situ.optim.Adam(net, lr=1e-3)
    loss = situ.nn.cross_entropy(net(images), labels)
    opt.step(loss)

A schedule is a factor of the learning rate that depends on the number of steps; a new one replaces the old one:

    situ.optim.warmup(opt, 100)
    situ.optim.cosine_schedule(opt, 2000, least=0.01)

Parameters may have hyper-parameters of their own, by their names: opt.set("*.bias", weight_decay=0).
"""
import contextlib as _contextlib

from . import _situ, nn as _nn
from ._device import Device as _Device
from ._errors import handle as _handle_of
from ._group import Group as _Group
from ._habits import OPTIMIZER as _OPTIMIZER, hint as _hint, refuse_option as _refuse_option


class Optimizer:
    """Base class: steps down the gradient of a loss."""

    _handle = None

    def _make(self, make, net, *options):
        if not isinstance(net, _nn.Module):
            kind = type(self).__name__
            listed = isinstance(net, (dict, list, tuple)) or hasattr(net, "__next__") or isinstance(net, type({}.values()))
            raise TypeError(f"{kind} takes a network (a situ.nn.Module), not {type(net).__name__}" + f"; write {kind}(net, ...), with the network itself" * listed)
        self._net, self._handle = net, make(net._handle, *options)

    def __reduce_ex__(self, protocol):
        raise TypeError(f"{type(self).__name__}: an optimizer is not copied or pickled; make one for the copy of the network")

    def __getattr__(self, name):
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{_hint(_OPTIMIZER, name)}")

    def __setattr__(self, name, value):
        if name in _OPTIMIZER:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r} to set{_hint(_OPTIMIZER, name)}")
        _refuse_option(self, name, f"opt.set({name}=...)" if self._handle is not None and name in self.hyper() else None)
        object.__setattr__(self, name, value)

    def step(self, loss=None, weights=None, *, group=None, total=None):
        """One step down the gradient of a loss. Several losses (one for each device) are weighted.

        With a situ.Group all ranks make the same step, from `total` losses; each rank passes those of
        group.cut(total). None: every rank passes as many as this one. Their networks must start equal, by the same
        key or by group.broadcast of each parameter."""
        if loss is None:
            raise TypeError("step: the loss is missing: opt.step(loss) computes the gradients itself, there is no backward()")
        if group is not None and not isinstance(group, _Group):
            raise TypeError(f"step: group is a situ.Group, not {type(group).__name__}")
        if group is not None and total is None:
            total = group.size * (len(loss) if isinstance(loss, (list, tuple)) else 1)
        _situ.step(self._handle, loss, weights, group, total)

    @property
    def lr(self):
        """The learning rate of the next step, with the schedule's factor; setting it sets the rate that the schedule
        multiplies."""
        return _situ.optimizer_rate(self._handle, -1)

    @lr.setter
    def lr(self, value):
        _situ.optimizer_set(self._handle, "lr", value)

    @property
    def steps(self):
        """Number of steps made so far."""
        return _situ.optimizer_steps(self._handle)

    def clip(self, norm):
        """Scales gradients so that their global norm is at most this; 0: no clipping."""
        _situ.optimizer_set(self._handle, "clip_norm", norm)

    def clip_value(self, value):
        """Limits the magnitude of each gradient element, before the norm is taken; 0: no limit."""
        _situ.optimizer_set(self._handle, "clip_value", value)

    def set(self, paths=None, **hyper):
        """Sets hyper-parameters of the parameters whose name matches ("*.bias", "head.*"; * is any text); without a
        name, those of all others. If several names match, the last call counts."""
        for name, value in hyper.items():
            _situ.optimizer_set(self._handle, name, value, paths)
        return self

    def set_accumulation(self, n):
        """Makes a step at every n-th call of step(), with the mean of the gradients of n calls."""
        _situ.optimizer_set(self._handle, "accumulation", n)

    def set_loss_scale(self, first=65536):
        """For float16 gradients: multiplies losses by a scale. If a gradient is not finite, the scale is halved and the
        step left out; after 2,000 good steps it is doubled. 0: no scale."""
        _situ.optimizer_set(self._handle, "loss_scale", first)

    @property
    def loss_scale(self):
        """The scale of the next step's loss; 0: there is none."""
        return _situ.optimizer_loss_scale(self._handle)

    @property
    def left_out(self):
        """Number of steps left out because a gradient was not finite."""
        return _situ.optimizer_left_out(self._handle)

    def set_average(self, decay):
        """Keeps a moving average of the parameters from the next step on: average = decay average + (1 - decay) p; 0:
        none."""
        _situ.optimizer_set(self._handle, "average", decay)

    def swap_average(self):
        """Exchanges the parameters with their averages; a second call exchanges them back."""
        _situ.optimizer_swap(self._handle)

    @_contextlib.contextmanager
    def averaged(self):
        """with opt.averaged(): the network uses the averages of its parameters."""
        self.swap_average()
        try:
            yield self._net
        finally:
            self.swap_average()

    def factor(self, t):
        """The schedule's factor of the learning rate at step t; the first step is 0."""
        return _situ.optimizer_rate(self._handle, _at_least_0(t))

    def report(self, value):
        """Reports the current value that a plateau_schedule watches, such as a validation loss."""
        _situ.optimizer_schedule(self._handle, "report", value)

    def hyper(self):
        """A dict of its hyper-parameters."""
        return _situ.optimizer_hyper(self._handle)


def _at_least_0(t):
    if t < 0:
        raise ValueError(f"factor: step {t}; it is at least 0")
    return t


def warmup(opt, steps, start=0.0):
    """The factor rises linearly from start to 1 in so many steps; then the schedule starts. 0 steps: no warmup."""
    _situ.optimizer_schedule(_handle_of("warmup", "the optimizer", opt, Optimizer), "warmup", steps, start)


def constant_schedule(opt):
    """The factor is always 1."""
    _situ.optimizer_schedule(_handle_of("constant_schedule", "the optimizer", opt, Optimizer), "constant")


def step_schedule(opt, every, gamma=0.1):
    """The factor is gamma^(t / every), with the quotient rounded down."""
    _situ.optimizer_schedule(_handle_of("step_schedule", "the optimizer", opt, Optimizer), "step", every, gamma)


def multi_step_schedule(opt, at, gamma=0.1):
    """The factor is gamma^n, where n is how many of the ascending numbers `at` are <= t."""
    _situ.optimizer_multi_step(_handle_of("multi_step_schedule", "the optimizer", opt, Optimizer), at, gamma)


def exponential_schedule(opt, gamma):
    """The factor is gamma^t."""
    _situ.optimizer_schedule(_handle_of("exponential_schedule", "the optimizer", opt, Optimizer), "exponential", gamma)


def polynomial_schedule(opt, steps, power=1.0, least=0.0):
    """The factor is least + (1 - least) (1 - t / steps)^power, and `least` from t = steps on."""
    _situ.optimizer_schedule(_handle_of("polynomial_schedule", "the optimizer", opt, Optimizer), "polynomial", steps, power, least)


def cosine_schedule(opt, steps, *, least=0.0, restarts=False, growth=1.0):
    """The factor is least + (1 - least) (1 + cos(pi t / steps)) / 2; from t = steps on it is `least`, or with restarts
    begins again at 1, each time `growth` times longer."""
    _situ.optimizer_schedule(_handle_of("cosine_schedule", "the optimizer", opt, Optimizer), "cosine", steps, least, restarts, growth)


def one_cycle_schedule(opt, steps, *, rise=0.3, start=25.0, end=1e4):
    """The factor rises from 1 / start to 1 along half a cosine during the share `rise` of the steps, then falls to 1 /
    start / end; lr is the peak."""
    _situ.optimizer_schedule(_handle_of("one_cycle_schedule", "the optimizer", opt, Optimizer), "one_cycle", steps, rise, start, end)


def plateau_schedule(opt, *, factor=0.1, patience=10, threshold=1e-4, cooldown=0, least=0.0, largest=False):
    """Multiplies the factor by `factor` if the reported values have not improved by the share `threshold` for more than
    `patience` reports; the next `cooldown` reports do not count."""
    _situ.optimizer_schedule(_handle_of("plateau_schedule", "the optimizer", opt, Optimizer), "plateau", factor, patience, threshold, cooldown, least, largest)


def custom_schedule(opt, function):
    """function(t) is the factor; it must be finite and at least 0."""
    if not callable(function) or isinstance(function, _Device):
        raise TypeError(f"custom_schedule takes a function of the step, not {type(function).__name__}")
    _situ.optimizer_custom(_handle_of("custom_schedule", "the optimizer", opt, Optimizer), function)
    opt._schedule = function  # kept as long as the optimizer may call it


from ._made.optim import *  # noqa: E402,F401,F403
