"""Made by scripts/generate.py from include/situ: change that."""
from __future__ import annotations

from .. import _situ
from ..nn import Module
from ..optim import Optimizer


class SGD(Optimizer):
    """g += weight_decay p;  m = momentum m + (1 - dampening) g;  p -= lr m, with nesterov p -= lr (g + momentum m).
    The first m is g, as in PyTorch.

    lr: learning rate: length of a step
    momentum: share of the previous direction in the next one
    dampening: by how much the gradient counts less in the direction
    weight_decay: adds this times the parameter to its gradient
    clip_norm: largest global norm of the gradients, 0: any
    nesterov: looks ahead along the direction (Nesterov)
    clip_value: largest magnitude of an element of the gradients, 0: any
    lazy_rows: does not change rows of a table (and their moments) that no lookup read"""

    def __init__(self, net: Module, *, lr: float = 0.01, momentum: float = 0.0, dampening: float = 0.0, weight_decay:
                 float = 0.0, clip_norm: float = 0.0, nesterov: bool = False, clip_value: float = 0.0, lazy_rows: bool
                 = False) -> None:
        self._make(_situ.sgd, net, lr, momentum, dampening, weight_decay, clip_norm, nesterov, clip_value, lazy_rows)


class Adam(Optimizer):
    """g += weight_decay p;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
    p -= lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps).

    lr: learning rate: approximate length of a step
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    eps: keeps the divisor above 0
    weight_decay: decay of the parameters towards 0
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any
    lazy_rows: does not change rows of a table (and their moments) that no lookup read"""

    def __init__(self, net: Module, *, lr: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float =
                 1e-08, weight_decay: float = 0.0, clip_norm: float = 0.0, clip_value: float = 0.0, lazy_rows: bool =
                 False) -> None:
        self._make(_situ.adam, net, lr, beta1, beta2, eps, weight_decay, clip_norm, clip_value, lazy_rows)


class AdamW(Optimizer):
    """The same with p -= lr weight_decay p instead of decay in the gradient. Here weight_decay = 0.01.

    lr: learning rate: approximate length of a step
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    eps: keeps the divisor above 0
    weight_decay: decay of the parameters towards 0
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any
    lazy_rows: does not change rows of a table (and their moments) that no lookup read"""

    def __init__(self, net: Module, *, lr: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float =
                 1e-08, weight_decay: float = 0.01, clip_norm: float = 0.0, clip_value: float = 0.0, lazy_rows: bool =
                 False) -> None:
        self._make(_situ.adamw, net, lr, beta1, beta2, eps, weight_decay, clip_norm, clip_value, lazy_rows)


class Adagrad(Optimizer):
    """g += weight_decay p;  s += g^2;  p -= lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps).

    lr: learning rate: length of a step
    lr_decay: decay of the learning rate, which is divided by 1 + (t - 1) lr_decay
    initial: initial sum of squares
    eps: keeps the divisor above 0
    weight_decay: adds this times the parameter to its gradient
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any
    lazy_rows: does not change rows of a table (and their moments) that no lookup read"""

    def __init__(self, net: Module, *, lr: float = 0.01, lr_decay: float = 0.0, initial: float = 0.0, eps: float =
                 1e-10, weight_decay: float = 0.0, clip_norm: float = 0.0, clip_value: float = 0.0, lazy_rows: bool =
                 False) -> None:
        self._make(_situ.adagrad, net, lr, lr_decay, initial, eps, weight_decay, clip_norm, clip_value, lazy_rows)


class RMSprop(Optimizer):
    """g += weight_decay p;  v = alpha v + (1 - alpha) g^2;  d = g / (sqrt(v) + eps), centered: v less the square of g's mean;
    with momentum m = momentum m + d and p -= lr m, else p -= lr d.

    lr: learning rate: length of a step
    alpha: decay of the mean of squares
    eps: keeps the divisor above 0
    momentum: share of the previous direction in the next one
    centered: subtracts the squared mean (centred)
    weight_decay: adds this times the parameter to its gradient
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any
    lazy_rows: does not change rows of a table (and their moments) that no lookup read"""

    def __init__(self, net: Module, *, lr: float = 0.01, alpha: float = 0.99, eps: float = 1e-08, momentum: float =
                 0.0, centered: bool = False, weight_decay: float = 0.0, clip_norm: float = 0.0, clip_value: float =
                 0.0, lazy_rows: bool = False) -> None:
        self._make(_situ.rmsprop, net, lr, alpha, eps, momentum, centered, weight_decay, clip_norm, clip_value,
            lazy_rows)


class Adadelta(Optimizer):
    """g += weight_decay p;  v = rho v + (1 - rho) g^2;  d = sqrt(a + eps) / sqrt(v + eps) g;  a = rho a + (1 - rho) d^2;
    p -= lr d.

    lr: learning rate: length of a step
    rho: decay of the means of squares
    eps: keeps the divisor above 0
    weight_decay: adds this times the parameter to its gradient
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-06, weight_decay: float =
                 0.0, clip_norm: float = 0.0, clip_value: float = 0.0) -> None:
        self._make(_situ.adadelta, net, lr, rho, eps, weight_decay, clip_norm, clip_value)


class Adamax(Optimizer):
    """g += weight_decay p;  m = beta1 m + (1 - beta1) g;  v = max(beta2 v, |g| + eps);  p -= lr / (1 - beta1^t) m / v.

    lr: learning rate: approximate length of a step
    beta1: decay of the mean of gradients
    beta2: decay of the largest magnitude
    eps: keeps the divisor above 0
    weight_decay: adds this times the parameter to its gradient
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 0.002, beta1: float = 0.9, beta2: float = 0.999, eps: float =
                 1e-08, weight_decay: float = 0.0, clip_norm: float = 0.0, clip_value: float = 0.0) -> None:
        self._make(_situ.adamax, net, lr, beta1, beta2, eps, weight_decay, clip_norm, clip_value)


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat 2016): with m, v as of adam and mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2),
    p -= lr (mu_t+1 m / (1 - mu_1 ... mu_t+1) + (1 - mu_t) g / (1 - mu_1 ... mu_t)) / (sqrt(v) / sqrt(1 - beta2^t) + eps).

    lr: learning rate: approximate length of a step
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    eps: keeps the divisor above 0
    momentum_decay: how fast the momentum approaches beta1
    decoupled: weight decay apart from the gradient, as in adamw
    weight_decay: decay of the parameters towards 0
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 0.002, beta1: float = 0.9, beta2: float = 0.999, eps: float =
                 1e-08, momentum_decay: float = 0.004, decoupled: bool = False, weight_decay: float = 0.0, clip_norm:
                 float = 0.0, clip_value: float = 0.0) -> None:
        self._make(_situ.nadam, net, lr, beta1, beta2, eps, momentum_decay, decoupled, weight_decay, clip_norm,
            clip_value)


class RAdam(Optimizer):
    """Rectified Adam (Liu et al. 2019): without the divisor, p -= lr m / (1 - beta1^t), while r = q - 2 t beta2^t / (1 - beta2^t), q
    = 2 / (1 - beta2) - 1, is 5 at most; then Adam's step times sqrt((r - 4) (r - 2) q / ((q - 4) (q - 2) r)), its divisor
    (sqrt(v) + eps) / sqrt(1 - beta2^t).

    lr: learning rate: approximate length of a step
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    eps: keeps the divisor above 0
    decoupled: weight decay apart from the gradient, as in adamw
    weight_decay: decay of the parameters towards 0
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float =
                 1e-08, decoupled: bool = False, weight_decay: float = 0.0, clip_norm: float = 0.0, clip_value: float
                 = 0.0) -> None:
        self._make(_situ.radam, net, lr, beta1, beta2, eps, decoupled, weight_decay, clip_norm, clip_value)


class Lion(Optimizer):
    """p -= lr (sign(beta1 m + (1 - beta1) g) + weight_decay p);  m = beta2 m + (1 - beta2) g (Chen et al. 2023).

    lr: learning rate: by how much each element changes
    beta1: share of the direction in a step
    beta2: decay of the direction
    weight_decay: decay of the parameters towards 0
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 0.0001, beta1: float = 0.9, beta2: float = 0.99, weight_decay:
                 float = 0.0, clip_norm: float = 0.0, clip_value: float = 0.0) -> None:
        self._make(_situ.lion, net, lr, beta1, beta2, weight_decay, clip_norm, clip_value)


class Lamb(Optimizer):
    """d = Adam's step for lr = 1, plus weight_decay p;  p -= lr |p| / |d| d, by norms of each parameter; where one is 0 the
    quotient is 1 (You et al. 2019).

    lr: learning rate: length of a step relative to the parameter's norm
    beta1: decay of the mean of gradients
    beta2: decay of the mean of their squares
    eps: keeps the divisor above 0
    weight_decay: decay of the parameters towards 0
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float =
                 1e-06, weight_decay: float = 0.0, clip_norm: float = 0.0, clip_value: float = 0.0) -> None:
        self._make(_situ.lamb, net, lr, beta1, beta2, eps, weight_decay, clip_norm, clip_value)


class Adafactor(Optimizer):
    """Adam without momentum, whose mean squares are kept by rows and columns of the last two axes alone, so that a matrix needs
    little memory (Shazeer and Stern 2018; as in PyTorch): p -= max(eps2, rms(p)) min(lr, 1 / sqrt(t)) d / max(1, rms(d) /
    threshold), d = g / sqrt(v).

    lr: largest learning rate: length of a step relative to the parameter's root mean square
    beta2_decay: weight t^beta2_decay of a new gradient in the means of squares
    eps1: keeps the divisor above 0; 0: the epsilon of the dtype
    eps2: least root mean square of a parameter
    threshold: largest root mean square of a step
    weight_decay: decay of the parameters towards 0
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 0.01, beta2_decay: float = -0.8, eps1: float = 0.0, eps2: float =
                 0.001, threshold: float = 1.0, weight_decay: float = 0.0, clip_norm: float = 0.0, clip_value: float =
                 0.0) -> None:
        self._make(_situ.adafactor, net, lr, beta2_decay, eps1, eps2, threshold, weight_decay, clip_norm, clip_value)


class Muon(Optimizer):
    """m = momentum m + (1 - momentum) g;  p -= lr sqrt(max(1, rows / columns)) o, where o is nearly the orthogonal factor of m, with
    nesterov of (1 - momentum) g + momentum m (Jordan 2024). A convolution's weight is a matrix with a row for each output. Other
    parameters, and those for which optimizer_set says orthogonal = 0, are changed as by adamw: say so for embeddings
    and the last layer. A schedule counts for adam_lr, too.

    lr: learning rate of matrices
    momentum: decay of the direction of matrices
    nesterov: looks ahead along the direction (Nesterov)
    steps: number of iterations that make the direction orthogonal
    weight_decay: decay of the parameters towards 0
    orthogonal: updates matrices by their orthogonalised direction
    adam_lr: learning rate of other parameters
    beta1: for other parameters, as in adamw
    beta2: for other parameters, as in adamw
    eps: for other parameters, as in adamw
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 0.001, momentum: float = 0.95, nesterov: bool = True, steps: int =
                 5, weight_decay: float = 0.1, orthogonal: bool = True, adam_lr: float = 0.0003, beta1: float = 0.9,
                 beta2: float = 0.999, eps: float = 1e-08, clip_norm: float = 0.0, clip_value: float = 0.0) -> None:
        self._make(_situ.muon, net, lr, momentum, nesterov, steps, weight_decay, orthogonal, adam_lr, beta1, beta2,
            eps, clip_norm, clip_value)


class LBFGS(Optimizer):
    """The direction of Newton's method by the curvature along the last steps (Nocedal 1980), of all parameters as one vector; the
    first step is the gradient's, by lr min(1, 1 / sum|g|). Without a search along the direction, one iteration a step, as
    PyTorch's for max_iter = 1: for a loss of the same data in every step. A parameter has 2 history + 2 slots. Groups have no
    options of their own.

    lr: learning rate: share of the direction in a step
    history: number of past steps that determine the curvature
    clip_norm: largest global norm of the gradients, 0: any
    clip_value: largest magnitude of an element of the gradients, 0: any"""

    def __init__(self, net: Module, *, lr: float = 1.0, history: int = 10, clip_norm: float = 0.0, clip_value: float =
                 0.0) -> None:
        self._make(_situ.lbfgs, net, lr, history, clip_norm, clip_value)


__all__ = ["SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "Adadelta", "Adamax", "NAdam", "RAdam", "Lion", "Lamb",
           "Adafactor", "Muon", "LBFGS"]
