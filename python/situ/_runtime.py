"""Computing, waiting, variables, plans, threads."""
import contextlib
import os
import sys

from . import _situ
from ._creation import asarray
from ._situ import Tensor, after_fork, explain, plans, set_threads, threads  # noqa: F401


def eval(*tensors):
    """Starts computing (and storing) tensors, or those of a list, without waiting for them."""
    _situ.eval(list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors))


def wait(*tensors):
    """Waits until a tensor, or each of several or of a list, is computed; without argument, starts all tensors that the program holds,
    and waits for everything that this thread started.

    Other threads run meanwhile. Ctrl-C interrupts the wait at once, here and wherever a value is read; what was
    started goes on."""
    tensor = None if not tensors else tensors[0] if len(tensors) == 1 else list(tensors)
    if tensor is not None and not isinstance(tensor, (Tensor, list, tuple)):
        raise TypeError(f"wait takes a tensor, a list of tensors, or nothing, not {type(tensor).__name__}")
    _situ.wait(tensor)


def variable(value, *, trainable=True, name=None):
    """A variable: a tensor whose value situ.assign changes. If it is trainable, gradients of a network include it."""
    return _situ.variable(value if isinstance(value, Tensor) else asarray(value), trainable, name)


def snapshot(*tensors):
    """The current values of variables, or of those of a list, as a tuple, all of one version. What another thread
    changes together (an optimizer step, a load) is seen completely or not at all; two separate reads might see two
    versions. A call of a network reads its variables in this way."""
    return _situ.snapshot(list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors))


def assign(variable, value, start=None):
    """Sets a variable's next value, of the same shape, dtype and device. With start, only the part that begins there is
    replaced; only that part is written, unless something still needs the old value."""
    if not isinstance(value, Tensor) and (isinstance(value, (list, tuple)) or getattr(value, "ndim", 0)) and isinstance(variable, Tensor):
        raise TypeError(f"assign: value must be a tensor or a number, not {type(value).__name__}; write situ.assign(variable, situ.asarray(value, "
                        f"dtype=situ.{variable.dtype}, device=situ.{variable.device}))")
    if start is None:
        _situ.assign(variable, value)
    else:
        _situ.assign_slice(variable, value, start)


def _start_pending(*_):
    """At the end of a notebook's cell: what is pending starts. What fails raises its error where it is read."""
    try:
        _situ.start()
    except Exception:
        pass


_shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
if _shell is not None:
    _shell.events.register("post_run_cell", _start_pending)

_digits = 0


def set_printoptions(precision):
    """How tensors of floats are printed: with the fewest digits that read back as the same number, but at most
    `precision`.

    8 is what NumPy and JAX print; None: the default of 6 (8 for f64, 4 for halves)."""
    global _digits
    digits = 0 if precision is None else precision
    _situ.print_digits(digits)
    _digits = digits


@contextlib.contextmanager
def printoptions(precision):
    """set_printoptions inside a with statement."""
    before = _digits
    set_printoptions(precision)
    try:
        yield
    finally:
        set_printoptions(before)


@contextlib.contextmanager
def fusing(on):
    """Turns fusing on or off in this thread; the bits are the same."""
    before = _situ.fusing(on)
    try:
        yield
    finally:
        _situ.fusing(before)


class Trace:
    """A trace in a file, as situ.profile or SITU_TRACE wrote it. In a notebook it is a picture: a lane for each thread and each device."""

    _CLOCKS = {None: 0, "here": 1, "simulated": 2}

    def __init__(self, path):
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"Trace: the path must be a str, not {type(path).__name__}")
        self.path = os.fsdecode(path)

    def draw(self, path, *others, clock=None, title="timeline"):
        """Draws it, and other traces below it on the same scale: a page to zoom into, or a picture if the path ends with .svg. The clock
        is "simulated" or "here"; None: simulated time if the trace has it."""
        if clock not in self._CLOCKS:
            raise ValueError(f'draw: clock={clock!r}; "here", "simulated" or None')
        traces = [self.path, *(other.path if isinstance(other, Trace) else os.fsdecode(other) for other in others)]
        _situ.draw_traces(os.fsdecode(path), title, traces, self._CLOCKS[clock])

    def svg(self, *others, clock=None):
        """The picture as text, SVG."""
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.svg")
            self.draw(path, *others, clock=clock, title=os.path.basename(self.path))
            with open(path, encoding="utf-8") as file:
                return file.read()

    def _repr_html_(self):
        return self.svg() if os.path.exists(self.path) else None

    def __repr__(self):
        return f"Trace({self.path!r})"


def set_eager(on=True):
    """Eager mode of this thread, on or off: each operation starts when it is called, as in PyTorch and JAX, and nothing waits for it.
    The bits are the same. Without it operations start together, fused, when a value is read or situ.eval(x) is called."""
    if not isinstance(on, bool):
        raise TypeError(f"set_eager takes True or False, not {type(on).__name__}")
    _situ.eager(on)


@contextlib.contextmanager
def eager(on=True):
    """set_eager() for the body of a with statement."""
    if not isinstance(on, bool):
        raise TypeError(f"eager takes True or False, not {type(on).__name__}")
    before = _situ.eager(on)
    try:
        yield
    finally:
        _situ.eager(before)


@contextlib.contextmanager
def profile(path, most=0):
    """Records what ran when and where, and writes it to path: with situ.profile("run.json") as trace: ...

    Afterwards trace.draw("run.html") draws it, and so does a notebook that ends a cell with `trace`; https://ui.perfetto.dev reads
    it, too. Keeps the newest `most` events (0: 262,144). The file is written at the end of the block, also after an error."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"profile: the path must be a str, not {type(path).__name__}")
    _situ.profile_start(most)
    try:
        yield Trace(path)
        wait()
    finally:
        try:
            _situ.profile_save(os.fsdecode(path))
        finally:
            _situ.profile_stop()
