"""Devices: names, properties, limits, the ledger."""
import contextlib
import threading
import warnings
from operator import index as _index

from . import _situ, _trees
from ._situ import default_device, num_gpus, num_opencl, num_pjrt, num_tpus, sim_clock, sim_gpus, sim_stretch  # noqa: F401


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

    def __call__(self):
        raise TypeError(f"call: a device is no function; write x.device, without (), which is {self!r}")

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

    def sim_times(self):
        """A dict of simulated seconds: clock, computing, copying, waiting and idle. Of a simulated GPU since it was opened; of the CPU,
        those of this thread."""
        return _situ.sim_times(self)

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


def _number(name, index):
    try:
        return _index(index)
    except TypeError:
        raise TypeError(f"{name} takes the number of a device, not {index!r}; write situ.{name}(0)") from None


def try_gpu(index=0):
    """gpu(index) if it exists, else the CPU."""
    return gpu(index) if 0 <= _number("try_gpu", index) < num_gpus() else cpu()


def try_tpu_gpu(index=0):
    """tpu(index) if it exists, else gpu(index) if that does, else the CPU."""
    return tpu(index) if 0 <= _number("try_tpu_gpu", index) < num_tpus() else try_gpu(index)


def _place(device):
    return device if isinstance(device, Device) else _situ.parse_device(device)


_COUNTS = {"cpu": lambda: 1, "gpu": num_gpus, "tpu": num_tpus, "opencl": num_opencl, "pjrt": num_pjrt}


def _kind(kind):
    return {"cuda": "gpu"}.get(str(kind).lower(), str(kind).lower())


def device_count(kind="gpu"):
    """How many devices of a kind there are: "cpu", "gpu", "tpu", "opencl", "pjrt"; "cuda" is "gpu"."""
    name = _kind(kind)
    if name not in _COUNTS:
        raise ValueError(f"device_count: {kind!r} is no kind of device; there are {', '.join(_COUNTS)}")
    return _COUNTS[name]()


def devices(kind=None):
    """Every device that there is, the CPU first, or those of a kind: devices("gpu")[0]. Device.info() says what each of them is."""
    kinds = _COUNTS if kind is None else [_kind(kind)]
    return [_situ.parse_device(f"{name}:{i}") for name in kinds for i in range(device_count(name))]


def set_default_device(device=None):
    """Where this thread makes tensors from now on if nothing is said and no with block says another device. None: on the TPU or GPU
    if there is one, else on the CPU, with a warning."""
    if device is None:
        device = try_tpu_gpu()
        if device.kind == "cpu":
            warnings.warn("No GPU/TPU found, falling back to CPU; situ.sim_gpus(1) makes a simulated one", RuntimeWarning, stacklevel=3)
    _situ.first_device(device)


def device_put(x, device):
    """x, a tensor, an array, numbers, or these in nested lists, tuples and dicts, as tensors on a device; what is there already is the
    same object."""
    put = lambda t: t.to_device(device)
    listed = isinstance(x, (list, tuple)) and not any(isinstance(t, (_situ.Tensor, dict, list, tuple)) for t in x)
    return put(_situ.asarray(x)) if listed else _trees.mapped(x, put, lambda a: put(_situ.asarray(a)))


def sim_configure(device, *, memory=None, flops=None, memory_bandwidth=None, link_bandwidth=None, link_latency=None, launch_latency=None,
                  fail_allocation=None, lose_at=None, delay=None):
    """Properties of a simulated GPU; what is not given stays. memory: its limit in bytes; flops, memory_bandwidth, link_bandwidth:
    operations and bytes a second; link_latency, launch_latency: seconds; fail_allocation: the k-th allocation from now on fails, -1:
    none; lose_at: the device is lost at its k-th kernel from now on, -1: never; delay: seconds that each kernel and copy takes at least."""
    _situ.sim_configure(_place(device), memory, flops, memory_bandwidth, link_bandwidth, link_latency, launch_latency, fail_allocation, lose_at, delay)


def sim_profile(name=None):
    """The name of the profile that says what simulated GPUs and their host cost on the virtual clock; "none" if none was chosen. With a
    name, one of laptop, workstation, a100, h100, h200, or a file of constants (`situ tune --profile FILE` makes one), chooses it first."""
    if name is not None:
        _situ.sim_profile(name)
    return _situ.sim_profile_name()


def sim_host_configure(*, call=None, start=None, copy_bandwidth=None, kernel=None, core_flops=None, flops=None, spread=None,
                       memory_bandwidth=None):
    """What the host costs on the virtual clock; what is not given stays, -1: nothing. call: seconds that record an operation; start:
    seconds that start a plan on a simulated GPU; copy_bandwidth: bytes a second that the host copies itself; kernel: seconds of a kernel
    of the CPU; core_flops, flops: operations a second of one core, and of all, which are there after `spread` seconds; memory_bandwidth:
    bytes a second that the CPU's kernels read and write."""
    _situ.sim_host_configure(call, start, copy_bandwidth, kernel, core_flops, flops, spread, memory_bandwidth)


def sim_host(seconds):
    """This thread works for so many simulated seconds: what a program does between its calls. Takes no time."""
    _situ.sim_host(seconds)


def sim_reach(seconds):
    """This thread's virtual clock is `seconds` or later: after it joined a thread, took a lock or got a message, with the other's clock."""
    _situ.sim_reach(seconds)


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
    """Records every copy, every wait, and operations that were merged, because an equal one was computed (their number is in the entry's
    bytes). with situ.ledger() as l: ...; l.entries lists them, l.totals sums them up."""

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
