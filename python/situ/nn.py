"""Networks: modules with parameters that are made at the first call.

    net = situ.nn.Sequential(situ.nn.Linear(128), situ.nn.ReLU(), situ.nn.Linear(10))
    logits = net(images)
"""
from . import _situ
from ._creation import asarray
from ._situ import (accuracy, embedding, cross_entropy as _cross_entropy, dropout, elu, gelu as _gelu, leaky_relu, log_softmax as _log_softmax,  # noqa: F401
                    mish, mse as _mse, one_hot as _one_hot, relu, sigmoid, silu, softmax as _softmax, softplus)

_REDUCTION = {"mean": 0, "sum": 1, "none": 2}


class Module:
    """A network or a part of one. One of your own has parts and says how they are called:

        class Residual(situ.nn.Module):
            def __init__(self, width):
                super().__init__(situ.nn.Linear(width), situ.nn.ReLU(), situ.nn.Linear(width))

            def forward(self, x):
                a, relu, b = self
                return x + b(relu(a(x)))
    """

    forward = None

    def __init__(self, *parts, _handle=None):
        taken = [p for p in parts if p._whole is not None]
        if taken or len(set(map(id, parts))) != len(parts):
            raise ValueError(f"{type(self).__name__}: a module belongs to one whole, once")
        self._handle = _handle or _situ.sequential([p._handle for p in parts])
        self._parts, self._whole = parts, None
        self._composed = self.forward is not None or any(p._composed for p in parts)  # it or a part of it is written in Python
        for p in parts:
            p._whole = self

    def __call__(self, x, *, first=None, of=None, step=None):
        """net(x), on x's device; x may be rows first, first + 1, ... of a batch of so many."""
        if self._composed:
            return _composed_call(self, x)
        return _situ.call(self._handle, x, first, of, step)

    def __getitem__(self, i):
        return self._parts[i]

    def __iter__(self):
        return iter(self._parts)

    def init(self, key):
        """First values of the parameters by this key."""
        _situ.module_init(self._handle, key)
        return self

    def parameters(self):
        """The variables by name."""
        return {name: v for name, v, _ in _situ.parameters(self._handle)}

    def copies(self, device):
        """The variables of a mirrored network by name, as they are on that device."""
        return dict(_situ.copies(self._handle, device))

    def trainable(self):
        """The variables that optimizers change."""
        return {name: v for name, v, trainable in _situ.parameters(self._handle) if trainable}

    def train(self, on=True):
        """Training or not: only layers like dropout behave differently."""
        _situ.training(self._handle, on)
        return self

    def eval(self):
        """Not in training."""
        return self.train(False)

    @property
    def training(self):
        return _situ.training(self._handle)

    def to(self, device):
        """Moves the network to a device."""
        _situ.module_to(self._handle, device)
        return self

    def mirror(self, devices):
        """One copy of every parameter on each device; a call uses those on its input's device."""
        _situ.mirror(self._handle, list(devices))
        return self

    def state(self):
        """The values of the parameters by name."""
        return {name: _situ.copy_to(v, v.device) for name, v in self.parameters().items()}

    def load_state(self, state):
        """Gives the parameters these values."""
        own = self.parameters()
        if set(own) != set(state):
            raise KeyError(f"the parameters are {sorted(own)}, not {sorted(state)}")
        values = {name: asarray(value) for name, value in state.items()}
        for name, value in values.items():  # all or none
            if tuple(value.shape) != tuple(own[name].shape) or value.dtype is not own[name].dtype:
                raise ValueError(f"{name} has shape {tuple(own[name].shape)} and {own[name].dtype}, not {tuple(value.shape)} and {value.dtype}")
        for name, value in values.items():
            _situ.assign(own[name], value)
        return self

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(map(repr, self._parts))})"


class Linear(Module):
    """y = x W^T + b over the last axis."""

    def __init__(self, out, *, bias=True, inputs=None):
        super().__init__(_handle=_situ.linear(out, bias, inputs))
        self._out = out

    def __repr__(self):
        return f"Linear({self._out})"


def _composed_call(net, x):
    if net.forward is not None:
        return net.forward(x)
    for part in net._parts:
        x = part(x)
    return x


def _sizes(size):
    """One number for height and width, or both; None: the library's default."""
    return None if size is None else (size,) if isinstance(size, int) else tuple(size)


class Conv2d(Module):
    """Convolution of images [n, channels, height, width] plus a bias for each of `out` channels."""

    def __init__(self, out, size, *, stride=None, padding=None, dilation=None, groups=1, bias=True):
        super().__init__(_handle=_situ.conv2d_layer(out, _sizes(size), bias, _sizes(stride), _sizes(padding), _sizes(dilation), groups))
        self._text = f"Conv2d({out}, {size})"

    def __repr__(self):
        return self._text


class MaxPool2d(Module):
    """The largest element of each window."""

    def __init__(self, size, *, stride=None, padding=None):
        super().__init__(_handle=_situ.pool_layer(True, _sizes(size), _sizes(stride), _sizes(padding)))


class AvgPool2d(Module):
    """The mean of each window."""

    def __init__(self, size, *, stride=None, padding=None, count_padding=True):
        super().__init__(_handle=_situ.pool_layer(False, _sizes(size), _sizes(stride), _sizes(padding), count_padding))


class BatchNorm(Module):
    """Normalisation of each channel over the batch while training, by the running moments after it."""

    def __init__(self, *, epsilon=1e-5, momentum=0.1):
        super().__init__(_handle=_situ.batch_norm_layer(epsilon, momentum))


class LayerNorm(Module):
    """Normalisation of each row."""

    def __init__(self, *, epsilon=1e-5):
        super().__init__(_handle=_situ.layer_norm_layer(epsilon))


class Embedding(Module):
    """Rows of a table [count, width] by integers."""

    def __init__(self, count, width):
        super().__init__(_handle=_situ.embedding_layer(count, width))


class Sequential(Module):
    """One after the other; parameters are named by position, "0.weight"."""

    def __len__(self):
        return len(self._parts)

    def __bool__(self):
        return True


def _layer(name, kind, doc):
    def __init__(self):
        Module.__init__(self, _handle=_situ.layer(kind, 0.0))

    return type(name, (Module,), {"__init__": __init__, "__doc__": doc, "__module__": __name__})


ReLU = _layer("ReLU", "relu", "max(x, 0).")
Sigmoid = _layer("Sigmoid", "sigmoid", "1 / (1 + e^-x).")
Tanh = _layer("Tanh", "tanh", "tanh x.")
GELU = _layer("GELU", "gelu", "gelu x, in its tanh form.")
Flatten = _layer("Flatten", "flatten", "[batch, ...] becomes [batch, all the rest].")


class Dropout(Module):
    """While training: elements become 0 with probability rate, the others are divided by 1 - rate."""

    def __init__(self, rate=0.5):
        super().__init__(_handle=_situ.layer("dropout", rate))


def conv2d(x, w, *, stride=None, padding=None, dilation=None, groups=1):
    """x [n, channels, height, width] by kernels w [out, channels / groups, height, width]."""
    return _situ.conv2d(x, w, _sizes(stride), _sizes(padding), _sizes(dilation), groups)


def conv1d(x, w, *, stride=None, padding=None, dilation=None, groups=1):
    """x [n, channels, length] by kernels w [out, channels / groups, length]."""
    return _situ.conv1d(x, w, _sizes(stride), _sizes(padding), _sizes(dilation), groups)


def max_pool2d(x, size, *, stride=None, padding=None):
    """The largest element of each window over the last two axes."""
    return _situ.max_pool2d(x, _sizes(size), _sizes(stride), _sizes(padding))


def avg_pool2d(x, size, *, stride=None, padding=None, count_padding=True):
    """The mean of each window over the last two axes."""
    return _situ.avg_pool2d(x, _sizes(size), _sizes(stride), _sizes(padding), count_padding)


def layer_norm(x, scale, shift, *, epsilon=1e-5):
    """(x - mean) / sqrt(variance + epsilon) scale + shift, with the moments of each row."""
    return _situ.layer_norm(x, scale, shift, epsilon)


def batch_norm(x, scale, shift, *, mean=None, variance=None, inference=False, epsilon=1e-5, momentum=0.1):
    """The same with the moments of each channel (axis 1); the variables mean and variance follow them."""
    return _situ.batch_norm(x, scale, shift, mean, variance, inference, epsilon, momentum)


def attention(q, k, v, *, causal=False, scale=None):
    """softmax(q k^T scale) v; scale is 1 / sqrt(width) if none is given."""
    return _situ.attention(q, k, v, causal, scale)


def self_attention(x, heads, *, causal=False, scale=None):
    """Attention of x [..., positions, 3 heads width]: queries, keys and values of each head, one after the other."""
    return _situ.self_attention(x, heads, causal, scale)


def gelu(x, exact=False):
    """x (1 + erf(x / sqrt 2)) / 2 if exact, else its tanh form."""
    return _gelu(x, exact)


def softmax(x, axis=-1):
    """exp(x) / sum(exp(x))."""
    return _softmax(x, axis)


def log_softmax(x, axis=-1):
    """x - log(sum(exp(x)))."""
    return _log_softmax(x, axis)


def cross_entropy(logits, labels, reduction="mean"):
    """-log_softmax(logits)[..., label]."""
    return _cross_entropy(logits, labels, _REDUCTION[reduction])


def mse(prediction, target, reduction="mean"):
    """(prediction - target)^2."""
    return _mse(prediction, target, _REDUCTION[reduction])


def one_hot(index, n, dtype=None):
    """A new last axis of n: 1 at the index, else 0."""
    return _one_hot(index, n, dtype)
