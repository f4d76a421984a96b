"""Functions of situ beside PyTorch's over random sizes and options: values, gradients and gradients of gradients, in f64 and f32, on
the CPU, a simulated GPU and OpenCL's first device. torch_layers.py has pools and windows, as layers.

    python tests/interop/functions.py [SECONDS [PARTS,OF,NAMES]]    # prints PASS or FAIL and how many cases of each agree
"""
import builtins
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

import situ

situ.num_gpus() or situ.sim_gpus(1)
DEVICES = [situ.cpu(), situ.gpu(0)]
try:
    DEVICES.append(situ.zeros(1, device=situ.opencl(0)).device)
except situ.Error:
    pass
CASES = {}


def case(function):
    """A function of a random generator that gives (arrays, situ's function, PyTorch's function)."""
    CASES[function.__name__] = function
    return function


def numbers(rng, n, low, high):
    """One number, or one for each axis."""
    return int(rng.integers(low, high)) if rng.random() < 0.4 else tuple(int(rng.integers(low, high)) for _ in range(n))


def each(value, n):
    return (value,) * n if isinstance(value, int) else value


def shape(rng, n, low=1, high=5):
    return tuple(int(rng.integers(low, high)) for _ in range(n))


# ---- networks


def conv(rng, n):
    groups = int(rng.integers(1, 3))
    channels, out = groups * int(rng.integers(1, 4)), groups * int(rng.integers(1, 4))
    kernel = shape(rng, n, 1, 4)
    stride, padding, dilation = numbers(rng, n, 1, 4), numbers(rng, n, 0, 3), numbers(rng, n, 1, 3)
    image = tuple((k - 1) * d + int(rng.integers(1, 5)) for k, d in zip(kernel, each(dilation, n)))
    how = dict(stride=stride, padding=padding, dilation=dilation, groups=groups)
    x, w = rng.normal(size=(int(rng.integers(1, 4)), channels, *image)), rng.normal(size=(out, channels // groups, *kernel))
    ours, theirs = getattr(situ.nn, f"conv{n}d"), getattr(F, f"conv{n}d")
    return [x, w], lambda x, w: ours(x, w, **how), lambda x, w: theirs(x, w, **how)


def transposed(rng, n):
    groups = int(rng.integers(1, 3))
    channels, out = groups * int(rng.integers(1, 4)), int(rng.integers(1, 4))
    kernel, image = shape(rng, n, 1, 4), shape(rng, n, 1, 5)
    stride, dilation = numbers(rng, n, 1, 4), numbers(rng, n, 1, 3)
    extra = tuple(int(rng.integers(0, s)) for s in each(stride, n))
    padding = tuple(int(rng.integers(0, max(1, ((i - 1) * s + d * (k - 1) + e + 2) // 2)))
                    for i, s, d, k, e in zip(image, each(stride, n), each(dilation, n), kernel, extra))
    how = dict(stride=stride, padding=padding, dilation=dilation, groups=groups, output_padding=extra)
    x, w = rng.normal(size=(int(rng.integers(1, 4)), channels, *image)), rng.normal(size=(channels, out, *kernel))
    ours, theirs = getattr(situ.nn, f"conv_transpose{n}d"), getattr(F, f"conv_transpose{n}d")
    return [x, w], lambda x, w: ours(x, w, **how), lambda x, w: theirs(x, w, **how)


for _n in (1, 2, 3):
    CASES[f"conv{_n}d"] = lambda rng, n=_n: conv(rng, n)
    CASES[f"conv_transpose{_n}d"] = lambda rng, n=_n: transposed(rng, n)


@case
def interpolate(rng):
    n = int(rng.integers(1, 4))
    size, x = shape(rng, n, 1, 9), rng.normal(size=(2, 2, *shape(rng, n, 1, 8)))
    mode = str(rng.choice(["nearest", "nearest_exact", "linear"]))
    name = {"linear": ("linear", "bilinear", "trilinear")[n - 1], "nearest_exact": "nearest-exact"}.get(mode, mode)
    corners = bool(rng.random() < 0.5) if mode == "linear" else None
    return ([x], lambda x: situ.nn.interpolate(x, size, mode=mode, align_corners=bool(corners)),
            lambda x: F.interpolate(x, size, mode=name, align_corners=corners))


@case
def grid_sample(rng):
    x = rng.normal(size=(2, int(rng.integers(1, 4)), *shape(rng, 2, 2, 6)))
    grid = rng.uniform(-1.6, 1.6, size=(2, *shape(rng, 2), 2))
    mode, padding, corners = str(rng.choice(["nearest", "bilinear"])), str(rng.choice(["zeros", "border", "reflection"])), bool(rng.random() < 0.5)
    return ([x, grid], lambda x, g: situ.nn.grid_sample(x, g, mode=mode, padding=padding, align_corners=corners),
            lambda x, g: F.grid_sample(x, g, mode=mode, padding_mode=padding, align_corners=corners))


# ---- arrangements


@case
def pad(rng):
    n, mode = int(rng.integers(1, 4)), str(rng.choice(["constant", "reflect", "edge", "circular"]))
    x = rng.normal(size=(2, 2, *shape(rng, n, 2, 6)))
    before, after = ([int(rng.integers(0, s)) for s in x.shape[2:]] for _ in range(2))
    widths = [w for a, b in zip(reversed(before), reversed(after)) for w in (a, b)]
    name = {"edge": "replicate"}.get(mode, mode)
    return [x], lambda x: situ.pad(x, (0, 0, *before), (0, 0, *after), mode=mode), lambda x: F.pad(x, widths, mode=name)


@case
def diag(rng):
    k, x = int(rng.integers(-3, 4)), rng.normal(size=shape(rng, int(rng.integers(1, 3)), 4, 7))
    return [x], lambda x: situ.diag(x, k), lambda x: torch.diag(x, k)


@case
def stacks(rng):
    n = int(rng.integers(0, 4))
    arrays, name = [rng.normal(size=shape(rng, n))], str(rng.choice(["vstack", "hstack"]))
    arrays.append(rng.normal(size=arrays[0].shape))
    return arrays, lambda *t: getattr(situ, name)(t), lambda *t: getattr(torch, name)(t)


@case
def atleast(rng):
    n = int(rng.integers(1, 4))
    return [rng.normal(size=shape(rng, int(rng.integers(0, 4))))], getattr(situ, f"atleast_{n}d"), getattr(torch, f"atleast_{n}d")


@case
def parts(rng):
    x, axis = rng.normal(size=shape(rng, 3, 2, 8)), int(rng.integers(-3, 3))
    count = int(rng.integers(1, 5))
    which = int(rng.integers(0, len(torch.chunk(torch.tensor(x), count, axis))))
    return [x], lambda x: situ.chunk(x, count, axis=axis)[which], lambda x: torch.chunk(x, count, axis)[which]


@case
def top_k(rng):
    x, axis, largest = rng.normal(size=shape(rng, 3, 2, 8)), int(rng.integers(-3, 3)), bool(rng.random() < 0.5)
    k = int(rng.integers(1, x.shape[axis] + 1))
    return [x], lambda x: situ.top_k(x, k, axis=axis, largest=largest).values, lambda x: torch.topk(x, k, axis, largest).values


@case
def norm(rng):
    x = rng.normal(size=shape(rng, 3, 2, 5))
    axis = [None, int(rng.integers(-3, 3)), (0, 2), (2, 1)][rng.integers(4)]
    order = None if axis is None else rng.choice(["2", "1", "inf", "fro" if isinstance(axis, tuple) else "3"])
    order = float(order) if order not in (None, "fro") else order
    keep = bool(rng.random() < 0.5)
    return [x], lambda x: situ.linalg.norm(x, order, axis, keep), lambda x: torch.linalg.norm(x, order, axis, keep)


# ---- statistics


@case
def quantile(rng):
    x, axis, keep = rng.normal(size=shape(rng, 3, 1, 6)), [None, int(rng.integers(-3, 3))][rng.integers(2)], bool(rng.random() < 0.5)
    q = float(rng.random()) if rng.random() < 0.5 else rng.random(3)
    how = str(rng.choice(["linear", "lower", "higher", "midpoint"]))
    to = lambda x: q if isinstance(q, float) else situ.asarray(q, device=x.device)
    # PyTorch takes q in x's dtype: places that fall on an element in one dtype only are no case
    other = lambda x: torch.quantile(x.double(), torch.tensor(q, dtype=torch.float64), axis, keep, interpolation=how).to(x.dtype)
    return [x], lambda x: situ.quantile(x, to(x), axis=axis, keepdims=keep, method=how), other


@case
def median(rng):
    x, axis = rng.normal(size=shape(rng, 3, 1, 6)), int(rng.integers(-3, 3))
    return [x], lambda x: situ.median(x, axis=axis), lambda x: torch.quantile(x, 0.5, axis, interpolation="midpoint")


@case
def average(rng):
    x, axis = rng.normal(size=shape(rng, 3, 1, 6)), int(rng.integers(0, 3))
    w = rng.uniform(0.1, 1, size=x.shape if rng.random() < 0.5 else x.shape[axis])

    def other(x, w):
        w = w if w.ndim == 3 else w.reshape([-1 if i == axis else 1 for i in range(3)]).expand(x.shape)
        return (x * w).sum(axis) / w.sum(axis)
    return [x, w], lambda x, w: situ.average(x, w, axis=axis), other


@case
def bincount(rng):
    at, least = rng.integers(0, 7, size=int(rng.integers(1, 30))), int(rng.integers(0, 12))
    ours = lambda w: situ.bincount(situ.asarray(at, device=w.device), weights=w, least=least)
    return [rng.normal(size=at.shape)], ours, lambda w: torch.zeros(max(least, at.max() + 1), dtype=w.dtype).index_add(0, torch.tensor(at), w)


@case
def histogram(rng):
    x, bins = rng.normal(size=int(rng.integers(1, 60))), int(rng.integers(1, 9))
    low = None if rng.random() < 0.5 else (-1.0, float(rng.uniform(-0.5, 2)))
    density = bool(rng.random() < 0.3) and (low is None or ((x >= low[0]) & (x <= low[1])).any())
    want = lambda x: np.histogram(x.detach().numpy(), bins, range=low, density=density)[0]
    return ([x], lambda x: situ.astype(situ.histogram(x, bins, low, density=density)[0], x.dtype) + 0 * situ.sum(x),
            lambda x: torch.tensor(want(x)).to(x.dtype) + 0 * x.sum())


@case
def einsum(rng):
    text = str(rng.choice(["ij,jk->ik", "ij,jk", "bij,bjk->bik", "ii->i", "ii", "ij->ji", "i,j->ij", "ij,ij->", "...ij,...jk->...ik", "...i->...", "ij,jk,kl->il",
                           "abc,cd,be->ade", "ij,i->j", "bhqd,bhkd->bhqk", "iij->ij", "ab,ab,ab->ab", "ba", "i...,j...->ij...", "a,b,c", "iji->j", "...,...->...", "ab,cb->"]))
    sizes = {c: int(rng.integers(1, 5)) for c in "abcdehijklq"}
    dots = shape(rng, 2)
    arrays = []
    for term in text.split("->")[0].split(","):
        parts = []
        for c in term.replace("...", "."):
            parts += [int(n) if rng.random() < 0.8 else 1 for n in dots[int(rng.integers(0, 3)):]] if c == "." else [sizes[c]]
        arrays.append(rng.normal(size=parts))
    return arrays, lambda *t: situ.einsum(text, *t), lambda *t: torch.einsum(text, *t)


@case
def unique(rng):
    a, axis = rng.integers(0, 2, size=shape(rng, 3)), int(rng.integers(-3, 3))
    want = np.unique(a, axis=axis, return_index=True, return_inverse=True, return_counts=True)

    def ours(x):
        got = situ.unique(situ.asarray(a, device=x.device), axis=axis, return_index=True, return_inverse=True, return_counts=True)
        assert all(np.array_equal(np.asarray(g.to_device(situ.cpu())), w.reshape(g.shape)) for g, w in zip(got, want)), (a, axis)
        return x * 1
    return [rng.normal(size=2)], ours, lambda x: x * 1


# ---- linear algebra


def matrix(rng, m, n, batch=True):
    return rng.normal(size=(*(shape(rng, 1) if batch and rng.random() < 0.5 else ()), m, n))


@case
def solve_triangular(rng):
    n, k = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    upper, unit = bool(rng.random() < 0.5), bool(rng.random() < 0.5)
    a = matrix(rng, n, n) + 3 * np.eye(n)
    return ([a, rng.normal(size=(n, k))], lambda a, b: situ.linalg.solve_triangular(a, b, upper=upper, unit_diagonal=unit),
            lambda a, b: torch.linalg.solve_triangular(a, b.expand(*a.shape[:-2], n, k), upper=upper, unitriangular=unit))


@case
def lu(rng):
    n = int(rng.integers(1, 6))
    x, which = matrix(rng, n + int(rng.integers(0, 2)), n), int(rng.integers(0, 3))
    return [x], lambda x: situ.linalg.lu(x)[which], lambda x: torch.linalg.lu(x)[which]


@case
def lstsq(rng):
    n = int(rng.integers(1, 5))
    a = rng.normal(size=(n + int(rng.integers(0, 4)), n))
    return [a, rng.normal(size=(a.shape[0], 2))], lambda a, b: situ.linalg.lstsq(a, b).solution, lambda a, b: torch.linalg.pinv(a) @ b


@case
def cond(rng):
    n, order = int(rng.integers(1, 5)), [2, -2, 1, -1, float("inf"), "fro", "nuc"][rng.integers(7)]
    norm = lambda x: torch.linalg.matrix_norm(x, order)  # torch.linalg.cond has no gradient for these
    other = (lambda x: torch.linalg.cond(x, order)) if order in (2, -2) else lambda x: norm(x) * norm(torch.linalg.inv(x))
    return [matrix(rng, n, n) + 2 * np.eye(n)], lambda x: situ.linalg.cond(x, order), other


# ---- directions, loops


def bowl(m, x, w):
    return m.sum(m.tanh(x @ w) ** 3 + m.exp(0.1 * (x @ w)))


@case
def jvp(rng):
    n, k = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    f = lambda m: lambda x, w: m.tanh(x @ w) ** 3
    arrays = [rng.normal(size=(3, n)), rng.normal(size=(n, k)), rng.normal(size=(3, n)), rng.normal(size=(n, k))]
    return (arrays, lambda x, w, dx, dw: situ.jvp(f(situ), (x, w), (dx, dw))[1],
            lambda x, w, dx, dw: torch.autograd.functional.jvp(f(torch), (x, w), (dx, dw), create_graph=True)[1])


@case
def hvp(rng):
    n, k = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    arrays = [rng.normal(size=(3, n)), rng.normal(size=(n, k)), rng.normal(size=(3, n)), rng.normal(size=(n, k))]
    which = int(rng.integers(2))
    return (arrays, lambda x, w, dx, dw: situ.hvp(lambda x, w: bowl(situ, x, w), (x, w), (dx, dw))[1][which],
            lambda x, w, dx, dw: torch.autograd.functional.hvp(lambda x, w: bowl(torch, x, w), (x, w), (dx, dw), create_graph=True)[1][which])


@case
def scan(rng):
    n, steps = int(rng.integers(1, 4)), int(rng.integers(1, 6))
    f = lambda m: lambda h, x: (m.tanh(h @ w_of[m] + x), h * x)
    w_of, back = {}, bool(rng.random() < 0.5)

    def ours(x, h, w):
        w_of[situ] = w
        state, ys = situ.scan(f(situ), h, x, reverse=back)
        return situ.concat([ys, situ.expand_dims(state)])

    def theirs(x, h, w):
        w_of[torch] = w
        ys = [None] * steps
        for i in range(steps - 1, -1, -1) if back else range(steps):
            h, ys[i] = f(torch)(h, x[i])
        return torch.cat([torch.stack(ys), h[None]])
    return [rng.normal(size=(steps, 2, n)), rng.normal(size=(2, n)), rng.normal(size=(n, n))], ours, theirs


@case
def vmap(rng):
    n, a, out = int(rng.integers(1, 4)), int(rng.integers(0, 2)), int(rng.integers(0, 2))
    f = lambda m: lambda x, w: m.tanh(x @ w) * x[0]
    arrays = [rng.normal(size=(5, n) if a == 0 else (n, 5)), rng.normal(size=(n, n))]
    return arrays, situ.vmap(f(situ), (a, None), out), torch.func.vmap(f(torch), (a, None), out)


# ---- the comparison


def gradients(y, wrt, weight, twice, sum, gradient):
    """The gradients of sum(y weight), and those of sum(gradient^2) by them."""
    first = gradient(sum(y * weight), wrt)
    if not twice:
        return first, []
    return first, gradient(sum(sum(g * g * 0.5 + g) for g in first), wrt)


def torch_side(arrays, function, weight_of):
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    y = function(*tensors)
    weight = weight_of(tuple(y.shape))

    def gradient(y, wrt):
        if not y.requires_grad:
            return [torch.zeros_like(t) for t in wrt]
        return [torch.zeros_like(t) if g is None else g for g, t in zip(torch.autograd.grad(y, wrt, create_graph=True, allow_unused=True), wrt)]
    sum = lambda t: t.sum() if isinstance(t, torch.Tensor) else builtins.sum(t)
    try:
        first, second = gradients(y, tensors, torch.tensor(weight), True, sum, gradient)
    except (RuntimeError, NotImplementedError):  # PyTorch has no second gradient
        y = function(*tensors)
        first, second = gradients(y, tensors, torch.tensor(weight), False, sum, gradient)
    return [t.detach().numpy(force=True) for t in [y, *first, *second]], weight


def situ_side(arrays, function, weight, device, twice):
    tensors = [situ.asarray(a, device=device) for a in arrays]
    y = function(*tensors)
    sum = lambda t: situ.sum(t) if isinstance(t, situ.Tensor) else builtins.sum(t)
    first, second = gradients(y, tensors, situ.asarray(weight, device=device), twice, sum, situ.gradients)
    return [np.asarray(t.to_device(situ.cpu())) for t in [y, *first, *second]]


def agree(name, seed):
    """None, or what differs."""
    rng = np.random.default_rng([seed, *name.encode()])
    arrays, ours, theirs = CASES[name](rng)
    dtype, device = (np.float64, np.float32)[rng.random() < 0.25], DEVICES[min(int(rng.choice(3, p=[0.6, 0.3, 0.1])), len(DEVICES) - 1)]
    arrays = [a.astype(dtype) for a in arrays]
    want, weight = torch_side(arrays, theirs, lambda shape: rng.normal(size=shape).astype(dtype))
    got = situ_side(arrays, ours, weight, device, len(want) > 1 + len(arrays))
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        what = ["value", *[f"gradient {k}" for k in range(len(arrays))], *[f"second gradient {k}" for k in range(len(arrays))]][i]
        if g.shape != w.shape or g.dtype != w.dtype:
            return f"{name} seed {seed} {what} on {device}: {g.dtype}{g.shape}, not {w.dtype}{w.shape}"
        bound = (1e-10 if dtype == np.float64 else 2e-4) * (1 + np.abs(w).max(initial=0))
        if not np.allclose(g, w, rtol=0, atol=bound, equal_nan=True):
            return f"{name} seed {seed} {what} on {device}: off by {np.abs(g - w).max()} of {np.abs(w).max()}"
    return None


def main():
    seconds, only = float(sys.argv[1]) if len(sys.argv) > 1 else 60, sys.argv[2] if len(sys.argv) > 2 else ""
    names, wrong, total = [n for n in CASES if any(part in n for part in only.split(","))], 0, 0
    for name in names:
        end, count, bad = time.time() + seconds / len(names), 0, []
        while time.time() < end or not count:
            try:
                problem = agree(name, count)
            except situ.Error as e:
                problem = f"{name} seed {count}: {e}"
            bad += [problem] if problem else []
            count += 1
        print(f"{'FAIL' if bad else 'PASS'} functions beside PyTorch: {name}: {count - len(bad)} of {count} agree" + "".join(f"\n    {b}" for b in bad[:3]), flush=True)
        wrong, total = wrong + len(bad), total + count
    print(f"{'FAIL' if wrong else 'PASS'} functions beside PyTorch: {total - wrong} of {total} cases of {len(names)} functions agree on {len(DEVICES)} kinds of devices")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
