"""Random numbers that depend on a key alone: the same bits on every device, and JAX's numbers.

    key = situ.random.key(0)
    x = situ.random.normal(key, (2, 3))

Use a key once; split it for more."""
from . import _situ
from ._made.random import *  # noqa: F401,F403


def PRNGKey(seed, *, device=None):
    """key() of the lower 32 bits of a seed: JAX's key where it has no integers of 64 bits, as by default."""
    return key(seed & 0xffffffff, device=device)


def split(key, count=2):
    """count independent keys."""
    keys = _situ.key_split(key, count)
    return [keys[i] for i in range(count)]


def bernoulli(key, p=0.5, shape=None, *, device=None):
    """True with probability p."""
    shape = shape if shape is not None else p.shape if isinstance(p, _situ.Tensor) else ()
    return _situ.bernoulli(key, p, shape, device)


def layout(name=None):
    """How positions become counters: "original" or "partitionable" (JAX's older and newer method). Returns the previous
    setting."""
    kinds = {None: 0, "default": 0, "original": 1, "partitionable": 2}
    if not isinstance(name, (str, type(None))) or name not in kinds:
        raise ValueError(f"layout: {name!r} is none; write \"original\" or \"partitionable\"")
    before = _situ.random_layout(kinds[name])
    return {1: "original", 2: "partitionable"}.get(before, "original")
