"""Random programs of floats, large enough to meet every way the executor has of cutting work: rows around a tile's and a
block's length, rows longer than a cache, products around each kernel's edge, and their gradients.

Each program runs whole, again, with one thread, without fusing, in pieces and on a simulated GPU: the bits must be the
same. In f32 and f64 its values are compared with NumPy's in f64, its gradients with central differences of NumPy's along a
random direction. The CRC of all bits is told: it must not depend on SITU_ISA (tests/release/programs.sh).
"""
import zlib

import numpy as np

import situ
from situ import _situ as ops
from support import (Failures, array, cases, difference, numpy, place_backwards, place_permuted, place_plain, place_slice,
                     rounded, run, same)

LENGTHS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 1023, 1024,
           1025, 1536, 2047, 2048, 2049, 4095, 4096, 4097, 8192, 8193, 10007, 16384, 16385, 65535, 65536, 65537, 131073, 262144,
           262145, 524287, 524289, 1048577]
SIDES = [1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 31, 48, 49, 63, 64, 65, 100, 128, 129, 200, 257, 520]  # of products

UNARY = {"tanh": np.tanh, "sigmoid": lambda a: 1 / (1 + np.exp(-a)), "sin": np.sin, "cos": np.cos, "abs": np.abs,
         "relu": lambda a: np.maximum(a, 0), "negative": np.negative, "silu": lambda a: a / (1 + np.exp(-a)),
         "softplus": lambda a: np.logaddexp(a, 0)}
FUNCTIONS = {**UNARY, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "square": np.square, "sqrt": np.sqrt,
             "log": np.log, "reshape": np.reshape, "permute": np.transpose, "matmul": np.matmul, "flip": np.flip, "shape": np.shape}


class Numbers:
    """The operations in NumPy, in f64; leaf k moved by `moved` times its direction."""

    def __init__(self, leaves, directions=(), moved=0.0):
        self.leaves, self.directions, self.moved, self.k = leaves, directions, moved, -1
        self.smooth = True  # no norm of zeros, which has no gradient
        vars(self).update(FUNCTIONS)

    def leaf(self, shape):
        self.k += 1
        a = self.leaves[self.k]
        return a + self.moved * self.directions[self.k] if self.moved else a

    def fold(self, name, x, axes):
        if name == "logsumexp":
            top = x.max(axes, keepdims=True)
            return top + np.log(np.exp(x - top).sum(axes, keepdims=True))
        if name == "norm":
            norm = np.sqrt(np.square(x).sum(axes, keepdims=True))
            self.smooth &= bool(norm.all())
            return norm
        return getattr(np, name)(x, axis=axes, keepdims=True)

    @staticmethod
    def softmax(x, axis):
        e = np.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)

    @staticmethod
    def layer_norm(x):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 0.3)

    @staticmethod
    def cut(x, axis, start, stop, step):
        return x[(slice(None),) * axis + (slice(start, stop, step),)]

    @staticmethod
    def join(parts, axis):
        return np.concatenate(parts, axis)

    @staticmethod
    def pad(x, before, after):
        return np.pad(x, list(zip(before, after)))


class Drawn(Numbers):
    """The same with new leaves, which it keeps."""

    def __init__(self, rng, dtype):
        super().__init__([])
        self.rng, self.dtype = rng, dtype

    def leaf(self, shape):
        self.leaves.append(rounded(self.rng.uniform(-1.25, 1.25, shape), self.dtype).astype("f8"))
        return self.leaves[-1]


class Situ:
    """The same recorded; leaf k is tensor k; `each`: every result is computed at once."""

    def __init__(self, leaves, dtype, device, each):
        self.leaves, self.options, self.each, self.k = leaves, {"dtype": dtype, "device": device}, each, -1

    def leaf(self, shape):
        self.k += 1
        return self.leaves[self.k]

    def __getattr__(self, name):
        operation = getattr(ops, {"permute": "permute_dims"}.get(name, name))
        return lambda *arguments, **options: self.done(operation(*arguments, **options))

    def done(self, t):
        if self.each:
            situ.eval(t)
        return t

    @staticmethod
    def shape(t):
        return t.shape

    def fold(self, name, x, axes):
        return self.done(getattr(ops, name)(x, axis=axes, keepdims=True))

    def softmax(self, x, axis):
        return self.done(ops.softmax(x, axis=axis))

    def layer_norm(self, x):
        scale, shift = (ops.full(x.shape[-1:], value, **self.options) for value in (1.0, 0.0))
        return self.done(ops.layer_norm(x, scale, shift, eps=0.3))

    def cut(self, x, axis, start, stop, step):
        return self.done(x[(slice(None),) * axis + (slice(start, stop, step),)])

    def join(self, parts, axis):
        return self.done(ops.concat(parts, axis=axis))

    def flip(self, x, axis):
        return self.done(ops.flip(x, axis=axis))


class Program:
    """Its steps follow from the seed alone; run(m) takes them with the operations of m. Values stay between -9 and 9."""

    def __init__(self, seed):
        self.seed = seed
        rng = np.random.default_rng([60, seed])
        self.most = int(rng.choice([3000, 40000, 300000, 1200000, 2400000], p=[0.3, 0.3, 0.2, 0.14, 0.06]))
        self.shape = self.draw_shape(rng)
        self.steps = int(rng.integers(2, 9))

    def draw_shape(self, rng):
        shape, room = [], self.most
        if rng.random() < 0.3:  # rows
            length = int(rng.choice([n for n in LENGTHS if 128 <= n <= self.most // 2]))
            return int(self.most // length * rng.uniform(0.5, 1)), length
        for _ in range(rng.integers(1, 5)):
            fitting = [n for n in LENGTHS if n <= room]
            shape.append(int(fitting[-1 - min(int(rng.exponential(6)), len(fitting) - 1)] if rng.random() < 0.5 else rng.choice(fitting)))
            room //= shape[-1]
        rng.shuffle(shape)
        return tuple(shape)

    def run(self, m):
        """All results that are asked for: the last one, and some on the way."""
        self.rng, self.m = np.random.default_rng([61, self.seed]), m
        x, results = self.leaf(self.shape), []
        steps = [self.unary, self.unary, self.binary, self.binary, self.row, self.row, self.fold, self.scaled, self.move, self.product]
        for _ in range(self.steps):
            x = steps[self.rng.integers(len(steps))](x)
            if self.rng.random() < 0.15:
                results.append(x)
        return [*results, x]

    def leaf(self, shape):
        return self.m.leaf(tuple(int(n) for n in shape))

    def some_axes(self, n):
        kind = int(self.rng.integers(4))
        some = tuple(i for i in range(n) if kind == 2 or (kind == 3 and self.rng.random() < 0.5))
        return (0,) if kind == 1 else some or (n - 1,)

    def unary(self, x):
        return getattr(self.m, self.rng.choice(list(UNARY)))(x)

    def binary(self, x):
        m, shape = self.m, self.m.shape(x)
        other = tuple(1 if self.rng.random() < 0.4 else n for n in shape)[self.rng.integers(0, len(shape)) if shape else 0:]
        y, kind = self.leaf(other), self.rng.integers(4)
        if kind == 0:
            return m.mul(m.add(x, y), 0.5)
        if kind == 1:
            return m.sub(m.mul(x, 0.5), y)
        if kind == 2:
            return m.div(x, m.add(m.square(y), 1.0))
        return m.mul(m.tanh(x), y)

    def row(self, x):
        """What a row program does: a fold, and its operand again beside it."""
        m, n = self.m, len(self.m.shape(x))
        if not n:
            return x
        axes, kind = self.some_axes(n), self.rng.integers(5)
        if kind == 0:
            count = m.shape(x)[axes[0]]
            y = m.softmax(x, axes[0])
            return y if self.rng.random() < 0.5 else m.mul(y, float(count) ** 0.5)
        if kind == 1:
            return m.layer_norm(x)
        if kind == 2:
            return m.div(m.sub(x, m.fold("mean", x, axes)), m.sqrt(m.add(m.fold("var", x, axes), 0.3)))
        if kind == 3:
            count = float(np.prod([m.shape(x)[i] for i in axes]))
            return m.tanh(m.sub(m.add(x, np.log(count)), m.fold("logsumexp", x, axes)))
        return m.div(x, m.add(m.fold("norm", x, axes), 0.5))

    def fold(self, x):
        m, n = self.m, len(self.m.shape(x))
        name = self.rng.choice(["mean", "max", "min", "var", "norm", "logsumexp"])
        folded = m.fold(name, x, self.some_axes(n)) if n else x
        if name == "norm":
            folded = m.log(m.add(folded, 1.0))
        shape = m.shape(folded)
        return folded if self.rng.random() < 0.5 else m.mul(m.tanh(folded), self.leaf(self.wider(shape)))

    def wider(self, shape):
        """Axes of 1 made longer again, within bounds."""
        shape, room = list(shape), self.most
        for i, n in enumerate(shape):
            if n == 1:
                fitting = [k for k in LENGTHS if k * np.prod(shape) <= room]
                shape[i] = int(self.rng.choice(fitting)) if fitting else 1
        return shape

    def scaled(self, x):
        """x times a number that is computed from all of its elements."""
        m, n = self.m, len(self.m.shape(x))
        return m.mul(x, m.tanh(m.add(m.fold("mean", m.square(x), tuple(range(n))), 0.5))) if n else x

    def move(self, x):
        m, shape, rng = self.m, self.m.shape(x), self.rng
        if not shape:
            return x
        axis, kind = int(rng.integers(len(shape))), rng.integers(6 if np.prod(shape) < 1 << 20 else 4)
        if kind == 0:
            return m.permute(x, [int(i) for i in rng.permutation(len(shape))])
        if kind == 1:
            return m.reshape(x, (shape[0], int(np.prod(shape[1:]))) if rng.random() < 0.5 else (int(np.prod(shape)),))
        if kind == 2:
            step = int(rng.integers(1, 4))
            return m.cut(x, axis, int(rng.integers(0, shape[axis])), shape[axis], step)
        if kind == 3:
            return m.flip(x, axis)
        if kind == 4:
            return m.join([x, m.mul(x, 0.5)] if rng.random() < 0.5 else [m.cut(x, axis, 0, 1, 1), x], axis)
        return m.pad(x, [int(rng.integers(0, 3)) for _ in shape], [int(rng.integers(0, 3)) for _ in shape])

    def product(self, x):
        """By a matrix over the last axis, or over the last but one."""
        m, rng, shape = self.m, self.rng, self.m.shape(x)
        width = shape[-1] if shape else 0
        size = int(np.prod(shape))
        side = int(rng.choice(SIDES))
        if not width or size * side > 2**25 or (size // width) * side > self.most or width * side > self.most:
            return x
        if rng.random() < 0.25 and len(shape) > 1 and shape[-2] <= 4096 and shape[-2] * width <= self.most:
            x = m.permute(x, [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2])
            width, side = shape[-2], min(side, 64)
            if (size // width) * side > 4 * self.most:
                return x
        w = m.permute(self.leaf((side, width)), (1, 0)) if rng.random() < 0.4 else self.leaf((width, side))
        y = m.mul(m.matmul(x, w), 1 / float(width) ** 0.5)
        return m.tanh(y) if rng.random() < 0.3 else y


def place(seed, arrays, dtype, device):
    """On a device, each in some layout: products of vectors take a kernel that suits it."""
    rng, kinds = np.random.default_rng([63, seed]), [place_plain] * 3 + [place_slice, place_backwards, place_permuted]
    leaves = [kinds[rng.integers(6)](rng, a, dtype, device) for a in arrays]
    situ.eval(leaves)
    return leaves


def check(seed, dtype, devices):
    """Runs a program in all ways; the CRC of its bits."""
    program, rng = Program(seed), np.random.default_rng([62, seed])
    drawn = Drawn(rng, dtype)
    want = program.run(drawn)
    tensors = [place(seed, drawn.leaves, dtype, device) for device in devices]
    weights = rng.uniform(0.5, 1.5, np.shape(want[-1])).astype("f4").astype("f8")

    def run(each=False, gradients=True, at=0):
        def loss(*leaves):
            results = program.run(Situ(leaves, dtype, devices[at], each))
            return ops.sum(ops.mul(results[-1], array(weights, dtype, devices[at]))), results

        if not gradients:
            return [numpy(t) for t in loss(*tensors[at])[1]]
        (_, results), by = situ.value_and_grad(loss, tuple(range(len(tensors[at]))), has_aux=True)(*tensors[at])
        return [numpy(t) for t in (*results, *by)]

    got, count = run(), len(want)
    with situ.fusing(False):
        others = {"without fusing": run()}
    others |= {"a second time": run(), "a third time": run(), "with one thread": with_threads(1, run), "in pieces": run(each=True),
               "without gradients": run(gradients=False), **{f"on {device}": run(at=i) for i, device in enumerate(devices) if i}}
    for what, other in others.items():
        for i, (a, b) in enumerate(zip(got, other)):
            part = f"result {i}" if i < count else f"gradient {i - count}"
            assert a.tobytes() == b.tobytes() or same(a, b), f"{part}, {what}: {difference(b, a)}"
    if dtype in ("f32", "f64"):
        compare(got, want, 3e-4 if dtype == "f32" else 1e-9)
        if drawn.smooth:
            compare_gradients(program, drawn.leaves, rng, got[count:], weights, 0.03 if dtype == "f32" else 0.01)
    return zlib.crc32(b"".join(np.where(np.isnan(a), np.nan, a).tobytes() for a in got))  # payloads of NaN are nobody's promise


def with_threads(count, run):
    before = situ.threads()
    situ.set_threads(count)
    try:
        return run()
    finally:
        situ.set_threads(before)


def compare(got, want, tolerance):
    for i, (a, b) in enumerate(zip(got, want)):
        assert a.shape == np.shape(b), f"result {i}: shape {a.shape}, not {np.shape(b)}"
        off = np.abs(a - b) / (1 + np.abs(b))
        wrong = np.sum(~(off <= tolerance))
        assert not wrong, f"result {i} {a.shape}: {wrong} of {a.size} are off, by up to {off.max():.2g}"


def compare_gradients(program, leaves, rng, gradients, weights, tolerance):
    """Their sum along a direction: each element has a sign of its own, or only eight elements of each leaf have one, the first and
    the last among them, so that errors of a few show."""
    directions = [rng.choice([-1.0, 1.0], a.shape) for a in leaves]
    h = 1e-7  # of very many elements some are as near to where a maximum changes hands
    if rng.random() < 0.5:
        h = 1e-5
        for d in directions:
            few = np.zeros(d.size, bool)
            few[[0, -1, *rng.integers(0, d.size, 6)]] = True
            d[~few.reshape(d.shape)] = 0
    up, down = (np.sum(program.run(Numbers(leaves, directions, moved))[-1] * weights) for moved in (h, -h))
    parts = [g.astype("f8") * d for g, d in zip(gradients, directions)]
    got, want = sum(p.sum() for p in parts), (up - down) / (2 * h)
    scale = np.sqrt(sum(np.square(p).sum() for p in parts)) + 1e-4 * sum(np.abs(p).sum() for p in parts) + 0.1
    assert abs(got - want) <= tolerance * scale, \
        f"gradients along a direction: {got:.7g}, by differences {want:.7g}, {tolerance * scale:.2g} allowed"


def run_programs(dtype, count, first):
    devices, failures, crc = [situ.cpu(), *situ.all_gpus()[:1]], Failures(), 0
    for seed in range(first, first + count):
        with failures.of(f"program {seed} of {dtype}"):
            crc = zlib.crc32(check(seed, dtype, devices).to_bytes(4, "big"), crc)
    failures.check()
    near = ", near NumPy's f64" if dtype in ("f32", "f64") else ""
    return f"{count} programs, the same bits in {6 + len(devices)} runs{near}, CRC {crc:08x}"


def test_sizes_f32():
    return run_programs("f32", cases(120), 0)


def test_sizes_f64():
    return run_programs("f64", cases(30), 10**6)


def test_sizes_f16():
    return run_programs("f16", cases(20), 2 * 10**6)


def test_sizes_bf16():
    return run_programs("bf16", cases(20), 3 * 10**6)


if __name__ == "__main__":
    run(globals())
