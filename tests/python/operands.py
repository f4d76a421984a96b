"""Random operands for tests: shapes, values of every dtype, and layouts that are not row-major.

    rng = np.random.default_rng(1)
    shape = random_shape(rng)
    t, a = operand(rng, shape, "f16")      # a situ tensor and a NumPy array with the same values
"""
import pathlib
import re
import sys

import numpy as np

from situ_ctypes import DTYPES, NUMPY, ROOT, from_bf16, run_tests, situ, to_bf16

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


def place_slice(rng, array, dtype, device):
    steps = [int(rng.integers(1, 4)) for _ in array.shape]
    starts = [int(rng.integers(0, 3)) for _ in array.shape]
    sizes = [s + max(n - 1, 0) * k + 1 + int(rng.integers(0, 3)) for s, n, k in zip(starts, array.shape, steps)]
    where = tuple(slice(s, s + n * k, k) for s, n, k in zip(starts, array.shape, steps))
    whole = np.resize(np.append(array.ravel(), np.zeros(1, array.dtype)), sizes)
    whole[where] = array
    t = situ.array(whole, dtype, device)
    return situ.slice(t, start=starts, stop=[s + n * k for s, n, k in zip(starts, array.shape, steps)], step=steps)


def place_backwards(rng, array, dtype, device):
    axes = tuple(i for i in range(array.ndim) if rng.random() < 0.6)
    t = situ.array(np.flip(array, axes), dtype, device)
    if rng.random() < 0.5:
        return situ.flip(t, axes=axes)
    steps = [-1 if i in axes else 1 for i in range(array.ndim)]
    return situ.slice(t, step=steps)


def place_permuted(rng, array, dtype, device):
    order = [int(i) for i in rng.permutation(array.ndim)]
    back = [order.index(i) for i in range(array.ndim)]
    return situ.permute(situ.array(array.transpose(order), dtype, device), back)


def place_plain(rng, array, dtype, device):
    return situ.array(array, dtype, device)


def operand(rng, shape, dtype, lo=-9, hi=9, special=False, device=None, layout=True, array=None):
    """A tensor with random values (or those of `array`) in a random layout, and its values."""
    if array is None:
        array = values(rng, shape, dtype, lo, hi, special)
    kind = rng.integers(0, 6) if layout and array.ndim else 5
    if kind == 0 and array.shape[0] > 0:  # one row, seen many times
        row = array[:1]
        array = np.broadcast_to(row, array.shape).copy()
        return situ.broadcast_to(situ.array(row, dtype, device), array.shape), array
    place = {1: place_slice, 2: place_backwards, 3: place_permuted}.get(int(kind), place_plain)
    t = place(rng, array, dtype, device)
    if kind == 4:
        situ.evaluate(t)
    return t, array


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


# ---- the table of elementwise operations ---------------------------------------------------------------------------------

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


# ---- this file's own test --------------------------------------------------------------------------------------------------

def test_operands():
    """Values come back from every dtype in every layout, on the CPU and on simulated GPUs."""
    rng = np.random.default_rng(3)
    devices = [situ.cpu()] + [situ.gpu(i) for i in range(situ.num_gpus())]
    count = 0
    for dtype in DTYPES:
        for k in range(24):
            with situ.scope():
                t, a = operand(rng, random_shape(rng), dtype, special=dtype not in COMPLEX and k % 2 == 0,
                               device=devices[k % len(devices)])
                assert t.dtype == dtype and t.shape == a.shape, f"{t.dtype}{t.shape} for {dtype}{a.shape}"
                assert same(t.numpy(), a), f"{dtype}{a.shape}: {difference(t.numpy(), a)}"
                count += 1
    return f"{count} tensors"


def test_rows():
    """The table of elementwise operations and the headers name the same functions."""
    rows = elementwise_rows()
    assert len(rows) >= 80, f"only {len(rows)} rows found"
    header = (pathlib.Path(ROOT) / "include/situ/elementwise.h").read_text()
    declared = set(re.findall(r"SITU_API situ_tensor \*situ_(\w+)\(", header))
    assert declared == {row.name for row in rows}, f"{declared ^ {row.name for row in rows}}"
    return f"{len(rows)} rows"


if __name__ == "__main__":
    run_tests(sys.modules[__name__])
