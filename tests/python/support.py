"""What the tests share: the lines of a test program, refusals, and random operands: shapes, values of every dtype, layouts that
are not row-major.

    rng = np.random.default_rng(1)
    t, a = operand(rng, random_shape(rng), "f16", device=pick(rng))     # a tensor and a NumPy array with the same values
    exactly(ops.flip(t), np.flip(a), "flip")

The tests of operations call situ._situ, the extension: it has every operation of the C headers under its name there.
"""
import gc
import inspect
import os
import pathlib
import re
import resource
import signal
import sys
import threading
import time
import traceback

import numpy as np

import situ
from situ import _situ as ops

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMPY = {key: np.dtype(d.name) for d in situ._dtypes.ALL if d.name != "bfloat16" for key in (d, d.short)}
DTYPES = [d.short for d in situ._dtypes.ALL]

# ---- running -----------------------------------------------------------------------------------------------------------------

CASES = float(os.environ.get("SITU_TEST_CASES", "1"))
DEVICES = [situ.cpu()] * 3 + situ.all_gpus()  # where operands are made: on the CPU as often as on three others


class Skip(Exception):
    """Raised by a test that cannot run here: why."""


def cases(count):
    """How many cases to run: `count`, times SITU_TEST_CASES."""
    return max(1, int(count * CASES))


def pick(rng):
    return DEVICES[rng.integers(len(DEVICES))]


def run(tests):
    """Runs the functions test_* of a module in order and prints PASS, FAIL or SKIP for each; exits with the verdict. Arguments of the
    program are parts of the names of tests: only those run."""
    failed, topic = 0, pathlib.Path(tests["__file__"]).stem.removeprefix("test_")
    for name, test in list(tests.items()):
        if not name.startswith("test_") or not any(word in name for word in sys.argv[1:] or [""]):
            continue
        name = f"{topic}: {name[5:].replace('_', ' ')}"
        try:
            note = test()
            print(f"PASS {name}" + (f": {note}" if note else ""), flush=True)
        except Skip as skip:
            print(f"SKIP {name}: {skip}", flush=True)
        except Exception:  # a test must not stop the others
            failed += 1
            print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)


def on_device(device, module, names, share):
    """Tests of a module with all their tensors on a device, with this share of their cases."""
    global CASES
    tests, before, every = [getattr(module, "test_" + name) for name in names.split()], CASES, DEVICES[:]
    assert all(not inspect.signature(t).parameters for t in tests)
    CASES, DEVICES[:] = CASES * share, [device]
    try:
        return ", ".join(str(note) for note in [t() for t in tests] if note)
    finally:
        CASES, DEVICES[:] = before, every


class Failures:
    """What went wrong in many cases, so that one hides no other: with failures.of("case 3"): ...; failures.check(count)."""

    def __init__(self):
        self.texts, self.done = [], 0

    def of(self, what):
        self.what = what
        return self

    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        self.done += 1
        wrong = kind is not None and issubclass(kind, (AssertionError, situ.Error))
        if wrong:
            self.texts.append(f"{self.what}: {error}")
        return wrong

    def check(self):
        assert not self.texts, f"{len(self.texts)} of {self.done}: " + " | ".join(self.texts[:12])
        return f"{self.done} cases"


def raises(kind, work, *words):
    """The exception of this kind that work raises, with these words in its text."""
    try:
        work()
    except kind as e:
        missing = [w for w in words if w not in str(e)]
        assert not missing, f"{missing} not in {e}"
        return e
    raise AssertionError(f"{kind.__name__} was not raised" if isinstance(kind, type) else f"none of {kind} was raised")


def exactly(got, want, what):
    """A tensor has these values, NaN for NaN."""
    result = numpy(got)
    assert same(result, want), f"{what}: {difference(result, want)}"


def grown(work, warm):
    """Kilobytes that the process grew by while work ran, after it was warm."""
    warm()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work()
    gc.collect()
    sanitized = "ASAN_OPTIONS" in os.environ  # freed memory is kept for a while
    return 0 if sanitized else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


def within(bytes, work):
    """Does work, which may take so many bytes of the CPU's memory beyond what is in use."""
    situ.wait()
    situ.cpu().memory_trim()
    situ.cpu().memory_limit(situ.cpu().memory()["in_use"] + bytes)
    try:
        work()
        situ.wait()
    finally:
        situ.cpu().memory_limit(0)


def interrupted(work, after=0.1):
    """How long it took work to hear of a Ctrl-C that came then."""
    sent = [0.0]

    def send():
        sent[0] = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        work()
        timer.cancel()
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    return None


# ---- values and operands -----------------------------------------------------------------------------------------------------

def to_bf16(values):
    """The bits of float32 values rounded to bfloat16, half to even."""
    with np.errstate(all="ignore"):
        values = np.asarray(values).astype(np.float32)
    bits = values.view(np.uint32).astype(np.uint64)
    one, half, width = np.uint64(1), np.uint64(0x7FFF), np.uint64(16)
    rounded = (bits + half + ((bits >> width) & one)) >> width
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def from_bf16(bits):
    """The float32 values of bfloat16 bits."""
    return (np.asarray(bits, np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)


def array(values, dtype=None, device=None):
    """A tensor with the values of an array, in its dtype; "bf16" rounds float32 values."""
    values = np.asarray(values)
    dtype = getattr(dtype, "short", dtype)
    if dtype == "bf16":
        return ops.from_bytes(to_bf16(values).tobytes(), situ.bfloat16, values.shape, device)
    return situ.asarray(np.array(values, NUMPY[dtype] if dtype else None, order="C"), device=device)


def numpy(t):
    """Its values (a barrier); bf16 as the float32 of the same value."""
    narrow = t.dtype.short == "bf16"
    a = np.frombuffer(ops.read_bytes(t), np.uint16 if narrow else NUMPY[t.dtype]).reshape(t.shape)
    return from_bf16(a) if narrow else a


INTEGERS = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
COMPLEX = ["c64", "c128"]
REALS = ["bool", *INTEGERS, *FLOATS]


def random_shape(rng, most_dims=5, largest=6, empty=0.07):
    """0 to most_dims dimensions, now and then an empty one."""
    shape = [int(rng.integers(1, largest + 1)) for _ in range(rng.integers(0, most_dims + 1))]
    if shape and rng.random() < empty:
        shape[rng.integers(len(shape))] = 0
    return tuple(shape)


def broadcastable(rng, shape):
    """A shape that broadcasts to this one: leading dimensions missing, some others 1."""
    part = list(shape[rng.integers(0, len(shape) + 1):] if rng.random() < 0.5 else shape)
    return tuple(1 if rng.random() < 0.25 else d for d in part)


def rounded(array, dtype):
    """The values in a dtype; bf16 as float32 of the same value."""
    return from_bf16(to_bf16(array)) if dtype == "bf16" else np.asarray(array).astype(NUMPY[dtype])


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 2.0, 1e-40, -1e-42, 1.5, 3e38, 65504.0, 88.7, -103.9]


def values(rng, shape, dtype, lo=-9, hi=9, special=False):
    """Random values from lo to hi; special: any bits at all, infinities and NaN among them."""
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype in COMPLEX:
        return rounded(values(rng, shape, "f64", lo, hi) + 1j * values(rng, shape, "f64", lo, hi), dtype)
    if dtype in FLOATS:
        plain = rounded(rng.uniform(lo, hi, shape), dtype)
        if not special:
            return plain
        size = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}[dtype]
        raw = np.frombuffer(rng.bytes(plain.size * size), f"u{size}").reshape(shape)
        bits = from_bf16(raw) if dtype == "bf16" else raw.view(NUMPY[dtype]).reshape(shape)
        with np.errstate(all="ignore"):
            chosen = rounded(rng.choice(np.array(SPECIAL), shape), dtype)
        drawn = np.select([rng.random(shape) < 0.3, rng.random(shape) < 0.5], [chosen, bits], plain).astype(plain.dtype)
        return np.where(np.isnan(drawn), np.nan, drawn).astype(plain.dtype)  # no signalling ones
    info = np.iinfo(NUMPY[dtype])
    if special:
        size = NUMPY[dtype].itemsize
        raw = np.frombuffer(rng.bytes(int(np.prod(shape)) * size), NUMPY[dtype]).reshape(shape)
        edges = rng.choice(np.array([info.min, info.max, 0, 1, info.max - 1], NUMPY[dtype]), shape)
        return np.where(rng.random(shape) < 0.25, edges, raw).astype(NUMPY[dtype])
    return rng.integers(max(int(lo), info.min), min(int(hi), info.max) + 1, shape).astype(NUMPY[dtype])


def place_slice(rng, a, dtype, device):
    steps = [int(rng.integers(1, 4)) for _ in a.shape]
    starts = [int(rng.integers(0, 3)) for _ in a.shape]
    sizes = [s + max(n - 1, 0) * k + 1 + int(rng.integers(0, 3)) for s, n, k in zip(starts, a.shape, steps)]
    where = tuple(slice(s, s + n * k, k) for s, n, k in zip(starts, a.shape, steps))
    whole = np.resize(np.append(a.ravel(), np.zeros(1, a.dtype)), sizes)
    whole[where] = a
    t = array(whole, dtype, device)
    return ops.slice(t, start=starts, stop=[s + n * k for s, n, k in zip(starts, a.shape, steps)], step=steps)


def place_backwards(rng, a, dtype, device):
    axes = tuple(i for i in range(a.ndim) if rng.random() < 0.6)
    t = array(np.flip(a, axes), dtype, device)
    if rng.random() < 0.5:
        return ops.flip(t, axis=axes)
    steps = [-1 if i in axes else 1 for i in range(a.ndim)]
    return ops.slice(t, step=steps)


def place_permuted(rng, a, dtype, device):
    order = [int(i) for i in rng.permutation(a.ndim)]
    back = [order.index(i) for i in range(a.ndim)]
    return ops.permute_dims(array(a.transpose(order), dtype, device), back)


def place_plain(rng, a, dtype, device):
    return array(a, dtype, device)


def operand(rng, shape, dtype, lo=-9, hi=9, special=False, device=None, layout=True, of=None):
    """A tensor with random values (or those of the array `of`) in a random layout, and its values."""
    dtype = getattr(dtype, "short", dtype)
    a = values(rng, shape, dtype, lo, hi, special) if of is None else of
    kind = rng.integers(0, 6) if layout and a.ndim else 5
    if kind == 0 and a.shape[0] > 0:  # one row, seen many times
        row = a[:1]
        a = np.broadcast_to(row, a.shape).copy()
        return ops.broadcast_to(array(row, dtype, device), a.shape), a
    place = {1: place_slice, 2: place_backwards, 3: place_permuted}.get(int(kind), place_plain)
    t = place(rng, a, dtype, device)
    if kind == 4:
        situ.eval(t)
    return t, a


def same(got, want):
    """Equal in shape and values, NaN to NaN."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return False
    return bool(np.array_equal(got, want, equal_nan=got.dtype.kind in "fc" and want.dtype.kind in "fc"))


def difference(got, want):
    """A short text on how two arrays differ, for a failure's message."""
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if not got.ndim:
        return f"{got!r}, not {want!r}"
    with np.errstate(all="ignore"):
        wrong = np.argwhere(~((got == want) | ((got != got) & (want != want))))
    at = tuple(int(i) for i in wrong[0]) if len(wrong) else ()
    return f"{len(wrong)} of {got.size} differ, at {at} {got[at]!r}, not {want[at]!r}"


# ---- the table of elementwise operations ---------------------------------------------------------------------------------------

class Row:
    """One line of src/op/elementwise.def."""

    def __init__(self, arity, fields):
        self.name, self.kind, self.value = fields[0], fields[1], fields[2]
        self.arity, self.gradients = arity, fields[3:3 + arity]
        self.lo, self.hi = (float(f) for f in fields[3 + arity:5 + arity])


def split_arguments(text):
    """Cuts at the commas outside of parentheses and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(text):
        if c == '"':
            quoted = not quoted
        elif not quoted:
            depth += (c == "(") - (c == ")")
            if c == "," and not depth:
                parts.append(text[start:i].strip())
                start = i + 1
    return parts + [text[start:].strip()]


def elementwise_rows():
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "src/op/elementwise.def").read_text(), flags=re.S)
    return [Row(int(arity), split_arguments(body)) for arity, body in re.findall(r"^EL(\d)\((.*)\)\s*$", text, flags=re.M)]
