"""First and second gradients against central differences in f64, for every operation that the headers declare; those
without a gradient are listed with the reason, and their results or operands are no floats.

The gradient of L = sum(w y) is compared along random directions d: (L(x + h d) - L(x - h d)) / 2h = grad . d; then the
same for S = sum(v grad), whose gradient is the second one. f32 gradients are compared with those of f64.
"""
import json
import re

import numpy as np

import situ
from situ import _situ as ops
from support import Failures, ROOT, array, declared, elementwise_rows, numpy, run

ROWS = {row.name: row for row in elementwise_rows()}
DIRECTIONS = 3


def numbers(name, *more):
    return np.random.default_rng([50, *name.encode(), *more])


class Case:
    """function(*tensors) at arrays; `step` of the differences; `smooth`: has a second gradient worth differencing."""

    def __init__(self, name, function, *arrays, step=1e-5, tolerance=2e-6):
        self.name, self.function, self.arrays, self.step, self.tolerance = name, function, arrays, step, tolerance

    def tensors(self, arrays, dtype="f64", device=None):
        return [array(a, dtype, device) for a in arrays]

    def loss(self, tensors):
        """sum(w y) with fixed weights."""
        y = self.function(*tensors)
        w = numbers(self.name, 1).uniform(0.5, 1.5, y.shape)
        return ops.sum(ops.mul(y, array(w, y.dtype, y.device)))

    def first(self, tensors):
        return situ.gradients(self.loss(tensors), tensors)

    def second_loss(self, tensors):
        """sum(v grad) with fixed weights."""
        total = None
        for k, g in enumerate(self.first(tensors)):
            v = numbers(self.name, 2, k).uniform(0.5, 1.5, g.shape)
            part = ops.sum(ops.mul(g, array(v, g.dtype, g.device)))
            total = part if total is None else ops.add(total, part)
        return total

    def along(self, function, direction):
        values = []
        for sign in (1, -1):
            moved = [a + sign * self.step * d for a, d in zip(self.arrays, direction)]
            values.append(function(self.tensors(moved)).item())
        return (values[0] - values[1]) / (2 * self.step)

    def compare(self, function, what, device):
        tensors = self.tensors(self.arrays, device=device)
        grads = situ.gradients(function(tensors), tensors)
        for g, a in zip(grads, self.arrays):
            assert g.shape == a.shape and g.dtype.short == "f64", f"{self.name}: {what} gradient {g.dtype}{g.shape} of f64{a.shape}"
        got = [numpy(g) for g in grads]
        for g in got:
            assert np.isfinite(g).all(), f"{self.name}: {what} gradient has {g[~np.isfinite(g)][:3]}"
        rng = numbers(self.name, 3)
        for _ in range(DIRECTIONS):
            direction = [rng.standard_normal(a.shape) for a in self.arrays]
            want = self.along(function, direction)
            dot = float(sum((g * d).sum() for g, d in zip(got, direction)))
            scale = 1 + sum(np.abs(g * d).sum() for g, d in zip(got, direction))
            assert abs(dot - want) <= self.tolerance * scale, f"{self.name}: {what} gradient {dot:.9g} along a direction, by differences {want:.9g}"
        return got

    def check(self, device):
        wide = self.compare(self.loss, "first", device)
        self.compare(self.second_loss, "second", device)
        tensors = self.tensors(self.arrays, "f32", device)
        for g, want in zip(self.first(tensors), wide):
            assert g.dtype.short == "f32"
            assert np.allclose(numpy(g), want, 2e-4, 2e-4 * (1 + np.abs(want).max(initial=0))), \
                f"{self.name}: f32 gradient {numpy(g).ravel()[:4]}, f64 {want.ravel()[:4]}"


def uniform(name, shape, lo=-2, hi=2, k=0):
    return numbers(name, 9, k).uniform(lo, hi, shape)


def apart(name, shape, k=0):
    """Values that stay in order when moved a little, so that ties and sorting are no matter."""
    n = int(np.prod(shape))
    return (numbers(name, 8, k).permutation(n).reshape(shape) - n / 2) * 0.37 + 0.1


# ---- elementwise -------------------------------------------------------------------------------------------------------------

def away_from_steps(values):
    """Not where floor, round and the like jump."""
    near = np.abs(values * 2 - np.rint(values * 2)) < 0.02
    return np.where(near, values + 0.05, values)


def row_cases(row):
    call = getattr(ops, row.name)
    shapes = [(2, 3), (3,), (2, 1)][:row.arity]
    if row.kind == "SELECT":
        mask = numbers(row.name, 7).random((2, 3)) < 0.5
        yield Case(row.name, lambda b, c: call(array(mask, device=b.device), b, c), *[uniform(row.name, s, row.lo, row.hi, k) for k, s in
                                                                                       enumerate(shapes[1:])])
        return
    arrays = [away_from_steps(uniform(row.name, s, row.lo, row.hi, k)) for k, s in enumerate(shapes)]
    if row.name == "nextafter":  # a step of one unit is no step for differences
        return
    yield Case(row.name, call, *arrays)
    if row.arity == 2:
        yield Case(row.name, lambda a: call(a, 1.5), arrays[0])
        yield Case(row.name, lambda a: call(1.5, a), arrays[0])
        yield Case(row.name, lambda a: call(a, a), arrays[0] if row.name not in ("maximum", "minimum") else arrays[0])


# ---- structured ---------------------------------------------------------------------------------------------------------------

INDEX = np.array([2, 0, 2, -1])
GRID = np.array([[0, 2, 1, 1], [3, 3, 0, -1], [1, 0, 2, 3]])
MASK = np.array([True, False, True])
KEY = np.array([3, 4], np.uint32)


def on(x, values):
    return array(values, device=x.device)


def halves(x, y):
    return ops.complex(x, y)


def structured_cases():
    x, v = uniform("x", (3, 4)), uniform("v", (4,))
    positive, big = uniform("p", (3, 4), 0.3, 2), uniform("b", (2, 3, 4))
    zeros = positive.copy()
    zeros[1, 2] = zeros[2, 0] = zeros[2, 3] = 0
    order = apart("order", (3, 4))
    s = ops
    one = [  # (operation, call of one operand)
        ("full", lambda t: s.full((2, 3, 4), t)), ("full_like", lambda t: s.full_like(s.zeros((2, 3, 4), dtype=t.dtype, device=t.device), t)),
        ("tril", lambda t: s.tril(t)), ("triu", lambda t: s.triu(t, k=-1)), ("to", lambda t: s.to(t, situ.cpu())),
        ("copy_to", lambda t: s.copy_to(t, situ.gpu(0))), ("cast", lambda t: s.cast(s.square(t), "f64")),
        ("cast", lambda t: s.square(s.cast(s.cast(t, "c128"), "f64"))),
        ("positive", lambda t: s.positive(t)),
        ("real", lambda t: s.real(halves(s.square(t), t))), ("imag", lambda t: s.imag(halves(t, s.square(t)))),
        ("conj", lambda t: s.imag(s.conj(halves(t, s.square(t))))), ("complex", lambda t: s.mul(s.real(halves(t, t)), s.imag(halves(t, t)))),
        ("reshape", lambda t: s.reshape(t, (2, -1))), ("permute", lambda t: s.permute_dims(t, (1, 0))), ("transpose", s.transpose),
        ("matrix_transpose", s.matrix_transpose), ("swapaxes", lambda t: s.swapaxes(t, 0, -1)), ("moveaxis", lambda t: s.moveaxis(t, 0, 1)),
        ("expand_dims", lambda t: s.expand_dims(t, 1)), ("broadcast_to", lambda t: s.broadcast_to(t, (2, 3, 4))),
        ("select", lambda t: s.select(t, 1, -2)), ("diagonal", lambda t: s.diagonal(t, offset=1)), ("diagonal", lambda t: s.diagonal(t, offset=-1)),
        ("squeeze", lambda t: s.squeeze(s.expand_dims(t, 0), None)), ("flip", lambda t: s.flip(t, axis=(1,))),
        ("slice", lambda t: t[2::-1, 1:4:2]), ("roll", lambda t: s.roll(t, 2, axis=1)),
        ("roll", lambda t: s.roll(t, 5)), ("pad", lambda t: s.pad(t, (1, 0), (0, 2), value=3)), ("tile", lambda t: s.tile(t, (2, 3))),
        ("repeat", lambda t: s.repeat(t, 3, axis=0)), ("repeat", lambda t: s.repeat(t, 2)),
        ("split", lambda t: s.mul(*[p[:1, :4] for p in s.split(t, 2, 0)])),
        ("concat", lambda t: s.concat([t, s.square(t), t], axis=1)), ("stack", lambda t: s.stack([t, s.square(t)], axis=1)),
        ("sum", lambda t: s.sum(t, axis=(0,))), ("sum", lambda t: s.square(s.sum(t))), ("mean", lambda t: s.square(s.mean(t, axis=(1,), keepdims=True))),
        ("var", lambda t: s.var(t, axis=(1,), correction=1)), ("std", lambda t: s.std(t, axis=(0,))), ("logsumexp", lambda t: s.logsumexp(t, axis=(1,))),
        ("logsumexp", lambda t: s.logsumexp(t)), ("norm", lambda t: s.norm(t, axis=(1,))), ("norm", lambda t: s.norm(t, ord=3)),
        ("cumsum", lambda t: s.square(s.cumsum(t, axis=0))), ("cumsum", lambda t: s.square(s.cumsum(t, axis=1, reverse=True))),
        ("cumprod", lambda t: s.cumprod(t, axis=1)), ("cumprod", lambda t: s.cumprod(t, axis=0, reverse=True)),
        ("prod", lambda t: s.prod(t, axis=(1,))), ("prod", lambda t: s.prod(t)), ("trace", lambda t: s.square(s.trace(t))),
        ("take", lambda t: s.take(t, on(t, INDEX))), ("take", lambda t: s.square(s.take(t, on(t, GRID[:2]), axis=1))),
        ("gather", lambda t: s.square(s.gather(t, on(t, GRID), axis=1))), ("masked", lambda t: s.square(s.masked(t, on(t, MASK)))),
        ("masked", lambda t: s.square(s.masked(t, on(t, MASK), count=2))), ("gelu", lambda t: s.gelu(t)), ("gelu", lambda t: s.gelu(t, exact=True)),
        ("silu", s.silu), ("mish", s.mish), ("leaky_relu", lambda t: s.leaky_relu(t, 0.1)), ("elu", lambda t: s.elu(t, 1.0)),
        ("softmax", lambda t: s.softmax(t)), ("softmax", lambda t: s.softmax(t, axis=0)), ("log_softmax", lambda t: s.log_softmax(t, axis=0)),
        ("dropout", lambda t: s.square(s.dropout(t, on(t, KEY), 0.4))), ("rotary", lambda t: s.square(s.rotary(t, on(t, np.array([0, 2, 5]))))), ("custom_vjp", lambda t: s.square(t))]
    for name, call in one:
        yield Case(name, call, x)
    for name, call in one:  # values that are read many times, and views of views
        if name in ("reshape", "permute", "slice", "sum", "take", "softmax", "logsumexp"):
            yield Case(name, lambda t, call=call: call(s.exp(s.mul(t, 0.5))), x)
    for name, call in [("max", lambda t: s.square(s.max(t, axis=(1,)))), ("min", lambda t: s.square(s.min(t, axis=(0,), keepdims=True))),
                       ("max", lambda t: s.square(s.max(t))), ("sort", lambda t: s.square(s.sort(t, axis=0))),
                       ("sort", lambda t: s.square(s.sort(t, descending=True))), ("topk", lambda t: s.square(s.topk(t, 2)[0])),
                       ("topk", lambda t: s.square(s.topk(t, 2, axis=0, smallest=True)[0])),
                       ("unique", lambda t: s.square(s.unique(t)[0])), ("norm", lambda t: s.norm(t, ord=1)),
                       ("norm", lambda t: s.square(s.norm(t, ord=np.inf, axis=(1,))))]:
        yield Case(name, call, order)
    for name, call in [("prod", lambda t: s.prod(t, axis=(1,))), ("prod", lambda t: s.prod(t)), ("cumprod", lambda t: s.cumprod(t, axis=1)),
                       ("cumprod", lambda t: s.cumprod(t, axis=0, reverse=True)), ("prod", lambda t: s.prod(t, axis=(0, 1)))]:
        yield Case(name, call, zeros)
    yield Case("norm", lambda t: s.norm(t, ord=0.5, axis=(1,)), positive)
    yield Case("pow", lambda t: s.add(s.pow(t, 3), s.pow(t, -0.5)), positive)
    yield Case("sum", lambda t: s.square(s.sum(t, axis=(0, 2))), big)
    yield Case("prod", lambda t: s.prod(t, axis=(0, 2)), big)
    yield Case("matmul", s.matmul, x, uniform("m", (4, 2)))
    yield Case("matmul", s.matmul, x, v)
    yield Case("matmul", s.matmul, uniform("m", (3,)), x)
    yield Case("matmul", s.matmul, v, v + 1)
    yield Case("matmul", s.matmul, big, uniform("m", (4, 2)))
    yield Case("matmul", s.matmul, uniform("m", (2, 3)), uniform("n", (4, 1, 3, 2)))
    yield Case("matmul", lambda a, b: s.matmul(s.transpose(a), b), x, uniform("m", (3, 2)))
    yield Case("dot", s.dot, x, v)
    yield Case("outer", s.outer, v, uniform("m", (3,)))
    yield Case("linear_scan", lambda a, b: s.linear_scan(a, b, axis=1), x, uniform("m", (3, 4)))
    yield Case("linear_scan", lambda a, b: s.linear_scan(a, b, axis=0, reverse=True), x, v)
    yield Case("update_slice", lambda a, b: s.square(s.update_slice(a, b, (1, 2))), x, uniform("m", (2, 2)))
    yield Case("scatter", lambda a, b: s.square(s.scatter(a, on(a, GRID[:, [0, 1, 0]]), b, axis=1)), x, uniform("m", (3, 3)))
    yield Case("scatter_add", lambda a, b: s.square(s.scatter_add(a, on(a, GRID), b, axis=1)), x, uniform("m", (3, 4)))
    yield Case("index_add", lambda a, b: s.square(s.index_add(a, on(a, INDEX), b)), x, uniform("m", (4, 4)))
    yield Case("leaky_relu", s.leaky_relu, x, uniform("m", (4,)))
    yield Case("elu", s.elu, x, uniform("m", (4,)))
    yield from network_cases()
    yield from window_cases()
    yield from loss_cases()
    yield from statistics_cases()
    yield from linear_cases()
    yield from fourier_cases()


def network_cases():
    s, image, kernel = ops, uniform("image", (2, 4, 5, 6)), uniform("kernel", (6, 2, 3, 2))
    yield Case("conv2d", lambda x, w: s.conv2d(x, w, groups=2, padding=(1, 2)), image, kernel)
    yield Case("conv2d", lambda x, w: s.conv2d(x, w, stride=(2, 3), dilation=(1, 2), padding=1), image, uniform("k", (3, 4, 2, 3)))
    yield Case("conv2d", lambda x, w: s.square(s.conv2d(x, w)), uniform("i", (1, 2, 4, 3)), uniform("k", (2, 2, 2, 2)))
    yield Case("conv1d", lambda x, w: s.conv1d(x, w, stride=2, padding=1), uniform("i", (2, 3, 7)), uniform("k", (4, 3, 3)))
    planes = apart("planes", (2, 3, 5, 4))
    yield Case("max_pool2d", lambda x: s.square(s.max_pool2d(x, 2)), planes)
    yield Case("max_pool2d", lambda x: s.square(s.max_pool2d(x, (3, 2), stride=(1, 2), padding=1)), planes)
    yield Case("avg_pool2d", lambda x: s.square(s.avg_pool2d(x, 2)), planes)
    yield Case("avg_pool2d", lambda x: s.square(s.avg_pool2d(x, (3, 2), stride=(2, 1), padding=1, count_padding=False)), planes)
    rows, scale = uniform("rows", (2, 3, 5)), uniform("scale", (5,))
    yield Case("layer_norm", s.layer_norm, rows, scale, uniform("shift", (5,)), tolerance=2e-5)
    yield Case("batch_norm", s.batch_norm, uniform("maps", (3, 2, 2, 3)), uniform("scale", (2,)), uniform("shift", (2,)), tolerance=2e-5)
    yield Case("batch_norm", lambda x, a, b: s.batch_norm(x, a, b, inference=True, mean=on(x, [0.5, 0.2]), variance=on(x, [1.5, 0.7])),
               uniform("maps", (4, 2)), uniform("scale", (2,)), uniform("shift", (2,)))
    yield Case("batch_norm", lambda x: s.batch_norm(x, s.select(s.select(x, 0, 0), 1, 0), s.select(s.select(x, 0, 0), 1, 0)),
               uniform("maps", (4, 2, 3)), tolerance=2e-5)
    yield Case("layer_norm", lambda x: s.mul(x, s.layer_norm(x, s.select(x, 0, 0), s.select(x, 0, 0))), uniform("rows", (4, 3)), tolerance=2e-5)
    yield Case("embedding", lambda t: s.square(s.embedding(t, on(t, GRID))), uniform("table", (4, 3)))
    q, k, v = uniform("q", (2, 3, 4)), uniform("k", (2, 5, 4)), uniform("v", (2, 5, 2))
    yield Case("attention", s.attention, q, k, v)
    yield Case("attention", lambda q, k, v: s.attention(q, k, v, causal=True, scale=0.3), q, k, v)
    yield Case("self_attention", lambda x: s.self_attention(x, 2), uniform("x", (2, 3, 12)))
    yield Case("self_attention", lambda x: s.self_attention(x, 1, causal=True), uniform("x", (4, 6)))


def window_cases():
    """Those that tests/reference/layers.json does not have."""
    s, x = ops, uniform("image", (2, 2, 5, 4))
    for mode in ("nearest", "nearest_exact", "linear"):
        yield Case("interpolate", lambda x, mode=mode: s.square(s.interpolate(x, (7, 3), mode=mode)), x)
    yield Case("grid_sample", lambda x, g: s.square(s.grid_sample(x, g)), x, uniform("grid", (2, 3, 2, 2), -0.9, 0.9))


def loss_cases():
    """Those that tests/reference/losses.json does not have, or not by all of their operands."""
    s, shape = ops, (3, 4)
    yield Case("binary_cross_entropy", s.binary_cross_entropy, uniform("lp", shape, 0.1, 0.9), uniform("lq", shape, 0.1, 0.9))
    yield Case("ctc_loss", lambda t: s.ctc_loss(s.log_softmax(t), on(t, np.array([[1, 2], [2, 2]]))), uniform("steps", (2, 5, 3)))
    yield Case("global_norm", lambda x, y: s.global_norm([x, s.square(y)]), uniform("la", shape), uniform("lv", (2,)))


def statistics_cases():
    s, x, order = ops, uniform("x", (3, 4)), apart("statistics", (3, 4))
    for name, call in [("diag", lambda t: s.square(s.diag(t, 1))), ("diag", lambda t: s.square(s.diag(s.select(t, 0, 1), -1))),
                       ("atleast_1d", s.atleast_1d), ("atleast_2d", s.atleast_2d), ("atleast_3d", s.atleast_3d),
                       ("vstack", lambda t: s.square(s.vstack([t, s.select(t, 0, 0)]))), ("hstack", lambda t: s.square(s.hstack([t, t])))]:
        yield Case(name, call, x)
    yield Case("quantile", lambda t: s.square(s.quantile(t, on(t, np.array([0.1, 0.6])), axis=(1,))), order)
    yield Case("median", lambda t: s.square(s.median(t, axis=(1,))), order)
    yield Case("weighted_average", lambda t, w: s.average(t, w, axis=(1,)), x, uniform("weights", (3, 4), 0.5, 2))
    yield Case("einsum", lambda a, b: s.einsum("ij,kj->ki", [a, b]), x, uniform("e", (2, 4)))
    yield Case("einsum", lambda a: s.einsum("ii", [s.matmul(a, s.transpose(a))]), x)


def matrix(name, shape, scale=0.5):
    """Far from singular, of distinct singular values."""
    return scale * uniform(name, shape) + np.eye(*shape[-2:]) * np.linspace(2, 4.5, shape[-1])


def linear_cases():
    """Vectors that may turn (columns times -1) enter by their squares, or in pairs."""
    s, a, wide, tall = ops, matrix("a", (2, 3, 3)), matrix("wide", (2, 3, 4)), matrix("tall", (4, 2))
    symmetric = lambda t: s.add(t, s.matrix_transpose(t))

    def eigh(t):
        w, v = s.eigh(symmetric(t))
        return s.add(s.square(v), s.expand_dims(w, -2))

    def eig(t):  # in no order: sums over all
        w, v = s.eig(t)
        sizes = s.add(s.square(s.real(v)), s.square(s.imag(v)))
        return s.add(s.sum(s.mul(sizes, s.real(s.expand_dims(s.square(w), -2))), axis=(-1,)), s.sum(s.real(s.square(w)), axis=(-1,), keepdims=True))

    def svd(t, full=False):
        u, w, vh = s.svd(t, full_matrices=full)
        k = w.shape[-1]
        u, vh = u[..., :k], vh[..., :k, :]
        return s.add(s.matmul(s.mul(u, s.expand_dims(s.sqrt(w), -2)), vh), s.matmul(s.square(u), s.square(vh)))

    def qr(t, complete=False):
        q, r = s.qr(t, complete)
        return s.concat([q, r], axis=-1) if q.shape[-2] == r.shape[-2] else s.add(s.sum(s.square(r)), s.mul(q, q))

    yield Case("cholesky", lambda t: s.cholesky(s.matmul(t, s.matrix_transpose(t))), a)
    yield Case("solve", s.solve, a, uniform("b", (3, 2)))
    for name, call in [("inv", s.inv), ("det", s.det), ("slogdet", lambda t: s.slogdet(t)[1]), ("eigh", eigh), ("eigh", lambda t: s.eigvalsh(symmetric(t))), ("eig", eig),
                       ("svd", svd), ("svd", s.svdvals), ("qr", qr), ("pinv", s.pinv), ("matrix_power", lambda t: s.matrix_power(t, 3)),
                       ("matrix_norm", lambda t: s.matrix_norm(t, order="nuclear")), ("matrix_norm", s.matrix_norm),
                       ("matrix_norm", lambda t: s.matrix_norm(t, order="induced", ord=2))]:
        yield Case(name, call, a, tolerance=2e-5)
    for given in (wide, tall):
        for name, call in [("svd", svd), ("svd", lambda t: svd(t, True)), ("qr", qr), ("pinv", s.pinv)]:
            yield Case(name, call, given, tolerance=2e-5)
    yield Case("qr", lambda t: qr(t, True), wide, tolerance=2e-5)
    yield Case("pinv", s.pinv, np.eye(3))  # values that are equal
    yield Case("solve_triangular", lambda t, b: s.solve_triangular(t, b), a, uniform("b", (3, 2)))
    yield Case("solve_triangular", lambda t, b: s.solve_triangular(t, b, upper=True), a, uniform("b", (3, 2)))
    yield Case("lu", lambda t: s.add(s.square(s.lu(t)[1]), s.lu(t)[2]), a, tolerance=2e-5)
    yield Case("lstsq", lambda t, b: s.lstsq(t, b)[0], tall, uniform("r", (4, 3)), tolerance=2e-5)
    yield Case("cond", s.cond, a, tolerance=2e-5)
    yield Case("cross", s.cross, uniform("c", (2, 3)), uniform("d", (2, 3)))
    yield Case("vecdot", s.vecdot, uniform("c", (2, 3)), uniform("d", (3,)))
    yield Case("tensordot", lambda x, y: s.tensordot(x, y, (0, 2), (1, 0)), uniform("c", (2, 3, 4)), uniform("d", (4, 2)))
    x = uniform("x", (3, 4))
    yield Case("diff", lambda t: s.square(s.diff(t, n=2, axis=1)), x)
    yield Case("diff", lambda t: s.square(s.diff(t, axis=0)), x)
    yield Case("repeat_each", lambda t: s.square(s.repeat_each(t, on(t, np.array([2, 0, 3])), axis=0)), x)


def parts(t):
    return ops.concat([ops.real(t), ops.imag(t)], axis=-1)


def fourier_cases():
    s, x = ops, uniform("x", (2, 6))
    complex_of = lambda t: s.complex(t, s.square(t))
    for name in ("fft", "ifft", "fftn", "ifftn"):
        yield Case(name, lambda t, f=getattr(s, name): parts(f(complex_of(t))), x)
    for name in ("rfft", "ihfft", "rfftn"):
        yield Case(name, lambda t, f=getattr(s, name): parts(f(t)), x)
    for name in ("irfft", "hfft", "irfftn"):
        yield Case(name, lambda t, f=getattr(s, name): f(complex_of(t)), x)
    for name in ("fftshift", "ifftshift"):
        yield Case(name, lambda t, f=getattr(s, name): s.mul(f(t), t), x)


# ---- operations without a gradient, and why -----------------------------------------------------------------------------------

CONSTANT, RANDOM, POSITIONS, TRUTH = "made of numbers", "random from a key", "its results are positions", "its result is a bool"
NO_GRADIENT = {
    **dict.fromkeys(["zeros", "ones", "zeros_like", "ones_like", "arange", "linspace", "eye", "tri", "from_host"], CONSTANT),
    **dict.fromkeys(["key", "key_split", "key_split_into", "fold_in", "random_bits", "uniform", "normal", "randint", "bernoulli", "permutation",
                     "gumbel", "categorical"], RANDOM),
    **dict.fromkeys(["argmax", "argmin", "argsort", "searchsorted", "nonzero", "one_hot", "accuracy"], POSITIONS),
    **dict.fromkeys(["fftfreq", "rfftfreq"], CONSTANT), "matrix_rank": "it counts",
    **dict.fromkeys(["any", "all", "isin"], TRUTH), "count_nonzero": "it counts", "stop_gradient": "it is there to stop gradients",
    "variable": "a variable is what gradients are asked for; see test_variables",
    "grad": "it makes gradients: every case here", "pullback": "it makes gradients: see test_pullback",
    "custom_call": "the user's own: tests/unit",
    **dict.fromkeys(["keep", "snapshot", "scope_close_with", "scope_close_with_all"], "of the C API: tests/unit/test_grad.c, test_close_with.c, test_publish.c"),
    **dict.fromkeys(["isclose", "allclose", "array_equal"], TRUTH), **dict.fromkeys(["bincount", "histogram"], "they count"),
    **dict.fromkeys(["quantise", "dequantise"], "numbers in few bits have no gradient"), "quantised_linear": "its operand is blocks of few bits: tests/unit/test_llama.c",
    **dict.fromkeys(["jvp", "hvp"], "they make derivatives: tests/unit/test_functions.c"),
    **dict.fromkeys(["scan", "while_loop", "branch"], "they run functions of the user's: tests/unit/test_functions.c"),
    "vmap": "it runs a function of the user's: tests/unit/test_vmap.c",
    "scalar_bool": CONSTANT, "scalar_int": CONSTANT, "scalar_float": CONSTANT, "name": "it names",
    "nextafter": "its gradient is 1 by a and 0 by b, which differences cannot see; see test_nextafter",
}


def check_all(cases):
    failures = Failures()
    for k, case in enumerate(cases):
        with failures.of(case.name):
            case.check(situ.gpu(0) if k % 3 == 2 and situ.num_gpus() else situ.cpu())
    return failures.check()


def test_elementwise():
    return check_all(case for row in ROWS.values() if row.kind in ("FLOAT", "NUMBER", "ROUND", "SELECT") for case in row_cases(row))


def test_structured():
    return check_all(structured_cases())


def beside_pytorch():
    """The operations whose gradients test_losses.py and test_layers.py compare, by the cases that are stored."""
    losses, layers = (json.loads((ROOT / f"tests/reference/{name}.json").read_text())["cases"] for name in ("losses", "layers"))
    words = {re.sub("(?<=[a-z])(?=[A-Z])", "_", case["layer"][0]).lower() for case in layers}
    return {case["loss"] for case in losses} | {w for w in words if w in declared()}


def test_every_operation_is_here():
    """An operation of the headers is tested above, or listed with the reason why it has no gradient."""
    tested = {case.name for case in structured_cases()} | beside_pytorch()
    for row in ROWS.values():
        tested |= {case.name for case in row_cases(row)}
    names = set(declared())
    rows = {r.name for r in ROWS.values() if r.kind not in ("FLOAT", "NUMBER", "ROUND", "SELECT")}
    missing = names - tested - rows - set(NO_GRADIENT)
    assert not missing, f"neither tested nor listed: {', '.join(sorted(missing))}"
    both = tested & set(NO_GRADIENT)
    assert not both, f"tested, and listed as without a gradient: {', '.join(sorted(both))}"


def test_without_gradient():
    """What is differentiable nowhere takes or gives no floats, and a gradient through it is zero or refused."""
    x = array(np.array([0.5, -1.5]))
    for row in ROWS.values():
        if row.kind not in ("PREDICATE", "COMPARE", "EQUAL", "LOGIC"):
            continue
        y = getattr(ops, row.name)(*[x] * row.arity)
        assert y.dtype.short == "bool", f"{row.name} gives {y.dtype}"
        grad = situ.gradients(ops.sum(ops.mul(ops.cast(y, "f64"), x)), [x])[0]
        assert (numpy(grad) == numpy(y)).all(), f"a gradient came through {row.name}: {numpy(grad)}"
    for name in ("argmax", "argsort", "count_nonzero", "any", "all"):
        y = getattr(ops, name)(x)
        assert y.dtype.short in ("bool", "i64"), f"{name} gives {y.dtype}"
    for y in (ops.argmax(x), ops.any(x)):
        try:
            situ.gradients(y, [x])
        except situ.Error as error:
            assert isinstance(error, (situ.GradientError, situ.DTypeError)), str(error)
        else:
            raise AssertionError(f"the gradient of a {y.dtype} was not refused")
    y = ops.sum(ops.mul(ops.stop_gradient(ops.square(x)), x))
    assert np.allclose(numpy(situ.gradients(y, [x])[0]), numpy(x)**2), "stop_gradient"


def test_bits_have_no_gradient():
    """A float made from the bits of a float is refused by name."""
    for there, back, dtype in (("bitcast_u32", "bitcast_f32", "f32"), ("bitcast_u64", "bitcast_f64", "f64")):
        x = array(np.ones(2), dtype)
        y = ops.sum(getattr(ops, back)(getattr(ops, there)(x)))
        assert (numpy(situ.gradients(y, [x])[0]) == 0).all(), back


def test_nextafter():
    a, b = array(np.array([1.0, 2.0])), array(np.array([3.0, -3.0]))
    by_a, by_b = situ.gradients(ops.sum(ops.mul(ops.nextafter(a, b), 3.0)), [a, b])
    assert (numpy(by_a) == 3).all() and (numpy(by_b) == 0).all()


def test_variables():
    """Gradients by variables, by a variable's value after an assignment, and what does not depend on it."""
    w, b = situ.variable(array(np.array([1.0, 2.0]))), situ.variable(array(np.array(3.0)))
    unused = situ.variable(array(np.ones((2, 2))))
    loss = ops.sum(ops.square(ops.mul(w, b)))
    by_w, by_b, by_unused = situ.gradients(loss, [w, b, unused])
    assert loss.item() == 45.0
    assert numpy(by_w).tolist() == [18.0, 36.0] and numpy(by_b) == 30.0 and (numpy(by_unused) == 0).all()
    situ.assign(w, ops.sub(w, ops.mul(by_w, 0.5)))
    by_w = situ.gradients(ops.sum(ops.square(ops.mul(w, b))), [w])[0]
    assert numpy(by_w).tolist() == [-144.0, -288.0], numpy(by_w)


def test_pullback():
    """A given gradient of any shape is pulled back; pulling back ones is the gradient of the sum."""
    x = array(uniform("pullback", (3, 4)))
    y, g = ops.exp(x), uniform("g", (3, 4))
    got = numpy(situ.gradients(y, [x], array(g))[0])
    assert np.allclose(got, g * np.exp(numpy(x)), 1e-12)


if __name__ == "__main__":
    run(globals())
