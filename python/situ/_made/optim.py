"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from .. import _situ
from ..nn import Module
from ..optim import Optimizer


class SGD(Optimizer):
    """g += weight_decay p;  m = momentum m + (1 - dampening) g;  p -= lr m, with nesterov p -= lr (g + momentum m).
    The first m is g, as in PyTorch.

    lr: learning rate: how far a step goes
    momentum: how much of the last direction stays
    dampening: how much less the gradient counts in it
    weight_decay: adds this times the parameter to its gradient
    clip_norm: largest global norm of the gradients, 0: any
    nesterov: looks ahead along the direction"""

    def __init__(self, net: Module, *, lr: float = 0.01, momentum: float = 0.0, dampening: float = 0.0, weight_decay:
                 float = 0.0, clip_norm: float = 0.0, nesterov: bool = False) -> None:
        self._make(_situ.sgd, net, lr, momentum, dampening, weight_decay, clip_norm, nesterov)


class Adam(Optimizer):
    """g += weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
    p -= lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps).

    lr: learning rate: about how far a step goes
    beta1: how slowly the mean of the gradient moves
    beta2: how slowly the mean of its square moves
    eps: keeps the divisor from 0
    weight_decay: how strongly parameters are drawn to 0
    clip_norm: largest global norm of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float =
                 1e-08, weight_decay: float = 0.0, clip_norm: float = 0.0) -> None:
        self._make(_situ.adam, net, lr, beta1, beta2, eps, weight_decay, clip_norm)


class AdamW(Optimizer):
    """The same with p -= lr weight_decay p instead of decay in the gradient. Here weight_decay = 0.01.

    lr: learning rate: about how far a step goes
    beta1: how slowly the mean of the gradient moves
    beta2: how slowly the mean of its square moves
    eps: keeps the divisor from 0
    weight_decay: how strongly parameters are drawn to 0
    clip_norm: largest global norm of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float =
                 1e-08, weight_decay: float = 0.01, clip_norm: float = 0.0) -> None:
        self._make(_situ.adamw, net, lr, beta1, beta2, eps, weight_decay, clip_norm)


__all__ = ["SGD", "Adam", "AdamW"]
