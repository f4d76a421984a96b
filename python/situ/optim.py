"""Optimizers: gradient, clipping and update of a network's parameters, one plan a step.

    opt = situ.optim.Adam(net, lr=1e-3)
    loss = situ.nn.cross_entropy(net(images), labels)
    opt.step(loss)
"""
from . import _situ, nn as _nn


class Optimizer:
    """Steps down the gradient of a loss."""

    _handle = None

    def _make(self, make, net, *options):
        if not isinstance(net, _nn.Module):
            raise TypeError(f"{type(self).__name__} takes a network (a situ.nn.Module), not {type(net).__name__}")
        self._net, self._handle = net, make(net._handle, *options)

    def __reduce_ex__(self, protocol):
        raise TypeError(f"{type(self).__name__}: an optimizer is not copied or pickled; make one for the copy of the network")

    def step(self, loss, weights=None):
        """One step. With several losses (one for each device) each counts by its weight."""
        _situ.step(self._handle, loss, weights)

    @property
    def lr(self):
        return _situ.optimizer_hyper(self._handle)["lr"]

    @lr.setter
    def lr(self, value):
        _situ.optimizer_set(self._handle, "lr", value)

    @property
    def steps(self):
        """Steps made so far."""
        return _situ.optimizer_steps(self._handle)

    def clip(self, norm):
        """Scales gradients so that their global norm is at most this; 0: no clipping."""
        _situ.optimizer_set(self._handle, "clip", norm)

    def hyper(self):
        """Its hyper-parameters with their values."""
        return _situ.optimizer_hyper(self._handle)


from ._made.optim import *  # noqa: E402,F401,F403
