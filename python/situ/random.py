"""Random numbers that depend on a key alone: the same bits on every device, and JAX's numbers.

    key = situ.random.key(0)
    x = situ.random.normal(key, (2, 3))

Use a key once; split it for more."""
from . import _situ
from ._dtypes import parse
from ._situ import Tensor


def key(seed, *, device=None):
    """The key of a seed."""
    return _situ.key(seed, device)


def split(key, count=2):
    """count independent keys."""
    keys = _situ.split_keys(key, count)
    return [keys[i] for i in range(count)]


def fold_in(key, data):
    """A new key from a key and a number."""
    return _situ.fold_in(key, data)


def bits(key, shape=(), dtype="uint32", *, device=None):
    """Uniform bits: uint8, uint16, uint32 or uint64."""
    return _situ.random_bits(key, shape, parse(dtype), device)


def uniform(key, shape=(), dtype=None, low=0.0, high=1.0, *, device=None):
    """Uniform in [low, high)."""
    return _situ.uniform(key, shape, parse(dtype), device, low, high)


def normal(key, shape=(), dtype=None, *, device=None):
    """Normal with mean 0 and variance 1."""
    return _situ.normal(key, shape, parse(dtype), device)


def randint(key, shape, low, high, dtype=None, *, device=None, unbiased=False):
    """Integers low <= y < high: JAX's numbers, of which some come up more often in ranges wider than 2^30 (int64: 2^62); or,
    unbiased, others, each as often as the rest (to 2^-32 of it; int64: 2^-64). Both are the same on every device."""
    return _situ.randint(key, shape, low, high, parse(dtype), device, unbiased)


def bernoulli(key, p=0.5, shape=None, *, device=None):
    """True with probability p."""
    shape = shape if shape is not None else p.shape if isinstance(p, Tensor) else ()
    return _situ.bernoulli(key, p, shape, device)


def permutation(key, n, *, device=None):
    """0 ... n-1 in random order."""
    return _situ.permutation(key, n, device)


def gumbel(key, shape=(), dtype=None, *, device=None):
    """-log(-log(u))."""
    return _situ.gumbel(key, shape, parse(dtype), device)


def categorical(key, logits, axis=-1):
    """One index for each distribution softmax(logits)."""
    return _situ.categorical(key, logits, axis)


def layout(name=None):
    """"original" or "partitionable": how positions become counters (JAX's older and newer way); returns the old one."""
    kinds = {None: 0, "default": 0, "original": 1, "partitionable": 2}
    if not isinstance(name, (str, type(None))) or name not in kinds:
        raise ValueError(f"layout: {name!r} is none; write \"original\" or \"partitionable\"")
    before = _situ.random_layout(kinds[name])
    return {1: "original", 2: "partitionable"}.get(before, "original")
