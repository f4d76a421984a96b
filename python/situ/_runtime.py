"""Computing, waiting, variables, plans, threads."""
import contextlib
import os

from . import _situ
from ._creation import asarray
from ._situ import Tensor, after_fork, explain, plans, set_threads, threads  # noqa: F401


def eval(*tensors):
    """Starts computing (and storing) tensors, or those of a list, without waiting."""
    _situ.eval(list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors))


def wait(tensor=None):
    """Waits until a tensor, or each of a list, is computed; without one, until all that this thread started is.

    Other threads run meanwhile, and Ctrl-C is heard at once, here and wherever a value is read: what was started goes on."""
    if tensor is not None and not isinstance(tensor, (Tensor, list, tuple)):
        raise TypeError(f"wait takes a tensor, a list of tensors, or nothing, not {type(tensor).__name__}")
    _situ.wait(tensor)


def variable(value, *, trainable=True, name=None):
    """A variable: a tensor whose value situ.assign changes; gradients of a network see it if it is trainable."""
    return _situ.variable(value if isinstance(value, Tensor) else asarray(value), trainable, name)


def snapshot(*tensors):
    """The values that variables, or those of a list, have now: a tuple, all of one version. What another thread changes together
    (a step of an optimizer, a load) is seen whole or not at all; two reads one after the other may see two versions. A call of a
    network reads so by itself."""
    return _situ.snapshot(list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors))


def assign(variable, value, start=None):
    """Gives a variable its next value: same shape, dtype and device. With start only the part that begins there, which is
    all that is written then, unless something still needs the old value."""
    if start is None:
        _situ.assign(variable, value)
    else:
        _situ.assign_slice(variable, value, start)


_digits = 0


def set_printoptions(precision):
    """How tensors of floats are printed: with as few digits as give the same number again, at most `precision` of them.

    8 is what NumPy and JAX print; None: the usual 6 (f64 8, halves 4)."""
    global _digits
    digits = 0 if precision is None else precision
    _situ.print_digits(digits)
    _digits = digits


@contextlib.contextmanager
def printoptions(precision):
    """set_printoptions for the body of a with statement."""
    before = _digits
    set_printoptions(precision)
    try:
        yield
    finally:
        set_printoptions(before)


@contextlib.contextmanager
def fusing(on):
    """Fusing on or off in this thread; the bits are the same."""
    before = _situ.fusing(on)
    try:
        yield
    finally:
        _situ.fusing(before)


@contextlib.contextmanager
def profile(path, most=0):
    """What ran when and where, written to path for https://ui.perfetto.dev: with situ.profile("run.json"): ...

    Keeps the newest `most` events (0: 262,144). The file is written at the end, also after an error."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"profile: the path must be a str, not {type(path).__name__}")
    _situ.profile_start(most)
    try:
        yield
        wait()
    finally:
        try:
            _situ.profile_save(os.fsdecode(path))
        finally:
            _situ.profile_stop()
