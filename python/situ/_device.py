"""Devices: names, properties, limits, the ledger."""
import contextlib
import threading
from operator import index as _index

from . import _situ
from ._situ import default_device, num_gpus, num_opencl, num_pjrt, num_tpus, sim_clock, sim_gpus  # noqa: F401


class Device:
    """A small value: a kind and an index. Naming a device never fails; using an absent one does."""

    __slots__ = ("_kind", "index")

    def __init__(self, kind, index=0):
        if not isinstance(kind, int) or kind not in NAMES:
            raise ValueError(f'{kind!r} is no kind of device; write situ.gpu(0) or situ.device("gpu:0")')
        # of these kinds there is only one device
        self._kind, self.index = kind, 0 if NAMES[kind] in ("cpu", "null") else _index(index)

    @property
    def kind(self):
        return NAMES[self._kind]

    def __eq__(self, other):
        if isinstance(other, str):
            try:
                other = _situ.parse_device(other)
            except Exception:
                return False
        return isinstance(other, Device) and (self._kind, self.index) == (other._kind, other.index)

    def __hash__(self):
        return hash((self._kind, self.index))

    def __repr__(self):
        return f"{self.kind}({self.index})"

    def __reduce__(self):
        return (Device, (self._kind, self.index))

    def exists(self):
        """Whether this device exists."""
        return _situ.device_exists(self)

    def info(self):
        """A dict: backend, name, driver, memory."""
        return _situ.device_info(self)

    def processes(self):
        """Processes that use the device: a list of dicts with process, name and memory (None: unknown)."""
        return _situ.device_processes(self)

    def memory(self):
        """A dict of bytes: in use, their peak, reserved, the limit (0: none)."""
        return _situ.memory_of(self)

    def memory_limit(self, bytes):
        """Sets a hard limit on all memory that situ allocates on the device; 0: none."""
        _situ.memory_limit(self, bytes)

    def memory_trim(self):
        """Returns freed blocks that are kept for reuse to the system."""
        _situ.memory_trim(self)

    def sim_counters(self):
        """A dict of a simulated device's own counts: kernels, copies and their bytes, seconds on the virtual clock."""
        return _situ.sim_count(self)

    def __enter__(self):
        _situ.push_device(self)
        return self

    def __exit__(self, *exc):
        _situ.pop_device()
        return False


from ._made.devices import *  # noqa: E402,F401,F403
from ._made.devices import NAMES, cpu, gpu, tpu  # noqa: E402


def device(name):
    """A device by its name, also as a context: with situ.device("gpu:0"): ..."""
    return name if isinstance(name, Device) else _situ.parse_device(name)


def try_gpu(index=0):
    """gpu(index) if it exists, else the CPU."""
    return gpu(index) if index < num_gpus() else cpu()


def try_tpu_gpu(index=0):
    """tpu(index) if it exists, else gpu(index) if that does, else the CPU."""
    return tpu(index) if index < num_tpus() else try_gpu(index)


def all_gpus():
    """All GPUs; [] if there is none."""
    return [gpu(i) for i in range(num_gpus())]


def try_all_gpus():
    """All GPUs, or the CPU if there is none."""
    return [gpu(i) for i in range(num_gpus())] or [cpu()]


@contextlib.contextmanager
def strict():
    """Inside, there is no default device: a forgotten device= is an error."""
    global _strict
    with _lock:
        _strict += 1
        _situ.strict(True)
    try:
        yield
    finally:
        with _lock:
            _strict -= 1
            if not _strict:
                _situ.strict(False)


_strict, _lock = 0, threading.Lock()  # number of open blocks in all threads


class guard:
    """A limit on copies and waits: with situ.guard(to_host=0): ... The call that exceeds it raises BudgetError; with
    log=True it is only counted in .over. with situ.guard(nan=True): ... raises NaNError at the operation that makes
    the first NaN; every operation is then run by itself."""

    def __init__(self, *, to_host=-1, to_device=-1, peer=-1, waits=-1, bytes=-1, log=False, nan=False):
        self._limits, self.over = (to_host, to_device, peer, waits, bytes, log, nan), 0

    def __enter__(self):
        self._depth = _situ.guard_open(*self._limits)
        return self

    def __exit__(self, *exc):
        self.over = _situ.guard_close(self._depth)
        return False


class ledger:
    """Records every copy and every wait. with situ.ledger() as l: ...; l.entries lists them, l.totals sums them up."""

    def __init__(self, most=4096):
        self._most, self.entries, self.totals = _index(most), [], {}
        if self._most < 0:
            raise ValueError(f"a number of entries, not {most}")

    _open = []  # open blocks, perhaps nested or of several threads; the library has one list for all

    def _hand_out(self):
        """Appends the library's list to every open block and starts it again, as long as the largest block asks for."""
        new = _situ.ledger_list(max(one._most for one in ledger._open)) if ledger._open else []
        for one in ledger._open:
            one.entries = (one.entries + new)[-one._most:]

    def __enter__(self):
        self._before = _situ.ledger_sum()
        with _lock:
            self._hand_out()
            _situ.ledger_record(max([self._most] + [one._most for one in ledger._open]))
            ledger._open.append(self)
        return self

    def __exit__(self, *exc):
        with _lock:
            self._hand_out()
            ledger._open.remove(self)
            _situ.ledger_record(max([one._most for one in ledger._open], default=0))
        after = _situ.ledger_sum()
        self.totals = {k: after[k] - self._before[k] for k in after}
        return False

    @staticmethod
    def sum():
        """Totals since the start or the last reset."""
        return _situ.ledger_sum()

    @staticmethod
    def reset():
        """Resets the totals."""
        _situ.ledger_reset()
