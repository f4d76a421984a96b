"""Reductions, running sums, products of matrices, moves, creation and complex numbers against NumPy.

Moves, creation, integers and bools are exact. Sums of floats: a bound that grows with the logarithm of the number of
addends, and the exact bits of the written order (see test_sum_order). f16 and bf16 fold in f32 and round once.
"""
import math

import numpy as np

import situ
from situ import _situ as ops
from support import (DEVICES, FLOATS, INTEGERS, NUMPY, REALS, array, cases, exactly, numpy, operand, pick, random_shape, rounded,
                     run, same, values)

EPS = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}
TINY = {"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-149, "f64": 5e-324}


def wide(a, dtype):
    return a.astype(np.longdouble if dtype == "f64" else np.float64)


def close(got, want, dtype, scale, what):
    """|got - want| within scale, and half a unit of the dtype."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, not {want.shape}"
    with np.errstate(all="ignore"):
        agree = (got == want) | ((got != got) & (want != want))
        error = np.abs(got.astype(np.longdouble) - want)
        bound = np.asarray(scale) + np.abs(want) * EPS[dtype] * 1.001 + TINY[dtype]
        limit = {"f16": 65504, "bf16": 3.38e38, "f32": 3.4e38, "f64": 1.79e308}[dtype]
        agree |= (error <= bound) | (np.isinf(got) & (np.abs(want) >= limit))
    if not agree.all():
        at = tuple(int(i) for i in np.argwhere(~agree)[0])
        raise AssertionError(f"{what}: at {at} {got[at]!r}, not {want[at]!r} (off by {error[at]:.3g})")


def random_axes(rng, ndim):
    """None (all), or some of them, negative ones among them."""
    if rng.random() < 0.2:
        return None
    axes = [i for i in range(ndim) if rng.random() < 0.5]
    rng.shuffle(axes)
    return tuple(int(i - ndim) if rng.random() < 0.3 else int(i) for i in axes)


def reduce_shape(rng):
    """Small in five dimensions, or long along one axis."""
    if rng.random() < 0.7:
        return random_shape(rng)
    shape = [int(rng.integers(1, 4)) for _ in range(rng.integers(1, 4))]
    shape[rng.integers(len(shape))] = int(rng.choice([63, 64, 65, 1023, 1024, 1025, 2500, 5001]))
    return tuple(shape)


def options(axes, keepdims):
    return {**({} if axes is None else {"axis": axes}), **({"keepdims": True} if keepdims else {})}


def draw_reduction(rng, dtype, lo=-9, hi=9, special=False, empty=True):
    shape = reduce_shape(rng)
    if not empty:
        shape = tuple(max(d, 1) for d in shape)
    x, a = operand(rng, shape, dtype, lo, hi, special, pick(rng))
    axes, keep = random_axes(rng, a.ndim), bool(rng.random() < 0.4)
    numpy_axes = tuple(range(a.ndim)) if axes is None else axes
    count = int(np.prod([a.shape[i] for i in numpy_axes], dtype=np.int64))
    return x, a, options(axes, keep), {"axis": numpy_axes, "keepdims": keep}, count


def sum_dtype(dtype):
    return "i64" if dtype in ("bool", "i8", "i16", "i32", "i64") else "u64" if dtype in INTEGERS else dtype


def test_sum():
    rng = np.random.default_rng(11)
    for k in range(cases(400)):
        dtype = REALS[k % len(REALS)]
        with np.errstate(all="ignore"):
            x, a, how, numpy_how, n = draw_reduction(rng, dtype, special=dtype in INTEGERS and k % 2)
            y, what = ops.sum(x, **how), f"sum {dtype}{a.shape} {how}"
            assert y.dtype.short == sum_dtype(dtype), f"{what}: {y.dtype}"
            if dtype not in FLOATS:
                exactly(y, a.astype(NUMPY[y.dtype]).sum(**numpy_how, dtype=NUMPY[y.dtype]), what)
                continue
            scale = np.abs(wide(a, dtype)).sum(**numpy_how) * max(EPS[dtype], 2.0**-53) * (math.log2(n + 1) + 16)
            scale *= 2.0**-24 / EPS[dtype] if dtype in ("f16", "bf16") else 1
            close(numpy(y), wide(a, dtype).sum(**numpy_how), dtype, scale, what)


def test_prod():
    rng = np.random.default_rng(12)
    for k in range(cases(240)):
        dtype = REALS[k % len(REALS)]
        with np.errstate(all="ignore"):
            x, a, how, numpy_how, n = draw_reduction(rng, dtype, *((0.97, 1.03) if dtype in FLOATS else (-3, 3)))
            y, what = ops.prod(x, **how), f"prod {dtype}{a.shape} {how}"
            assert y.dtype.short == sum_dtype(dtype), f"{what}: {y.dtype}"
            if dtype not in FLOATS:
                exactly(y, a.astype(NUMPY[y.dtype]).prod(**numpy_how, dtype=NUMPY[y.dtype]), what)
                continue
            want = wide(a, dtype).prod(**numpy_how)
            close(numpy(y), want, dtype, np.abs(want) * (2.0**-53 if dtype == "f64" else 2.0**-24) * (n + 1), what)


def test_dtype_of_sum():
    """sum(dtype=...) casts first."""
    rng = np.random.default_rng(13)
    for source in REALS:
        for target in [*INTEGERS, *FLOATS]:
            with np.errstate(all="ignore"):
                x, a = operand(rng, (7, 5), source, 0, 4)
                y = ops.sum(x, axis=(0,), dtype=target)
                want = rounded(a.astype(np.float64) if target in FLOATS else np.trunc(a).astype(np.int64), target)
                assert y.dtype.short == target, f"{source} to {target} gives {y.dtype}"
                if target in FLOATS:
                    close(numpy(y), want.astype(np.float64).sum(0), target, 1e-5 if target != "f64" else 1e-13, f"sum of {source}")
                else:
                    exactly(y, want.sum(0, dtype=NUMPY[target]), f"sum of {source} in {target}")


def test_extremes():
    """max, min, argmax, argmin: NaN wins, the first of equal ones."""
    rng = np.random.default_rng(14)
    for k in range(cases(300)):
        dtype = REALS[k % len(REALS)]
        with np.errstate(all="ignore"):
            x, a, how, numpy_how, _ = draw_reduction(rng, dtype, -4, 4, k % 3 == 0 and dtype != "bool", empty=False)
            for name in ("max", "min"):
                y = getattr(ops, name)(x, **how)
                assert y.dtype.short == dtype
                exactly(y, getattr(np, name)(a, **numpy_how), f"{name} {dtype}{a.shape} {how}")
                axis = None if not a.ndim or rng.random() < 0.3 else int(rng.integers(-a.ndim, a.ndim))
                keep = bool(rng.random() < 0.4)
                y = getattr(ops, "arg" + name)(x, **({} if axis is None else {"axis": axis}), keepdims=keep)
                assert y.dtype.short == "i64"
                want = getattr(np, "arg" + name)(a, axis=axis, keepdims=keep)
                exactly(y, want, f"arg{name} {dtype}{a.shape} axis {axis} keepdims {keep}")


def test_tests():
    """any, all, count_nonzero."""
    rng = np.random.default_rng(15)
    for k in range(cases(200)):
        dtype = REALS[k % len(REALS)]
        x, a, how, numpy_how, _ = draw_reduction(rng, dtype, -1, 1)
        exactly(ops.any(x, **how), a.any(**numpy_how), f"any {dtype}{a.shape} {how}")
        exactly(ops.all(x, **how), a.all(**numpy_how), f"all {dtype}{a.shape} {how}")
        count = ops.count_nonzero(x, **how)
        assert count.dtype.short == "i64"
        exactly(count, np.asarray((a != 0).sum(**numpy_how)), f"count_nonzero {dtype}{a.shape} {how}")


def test_moments():
    """mean, var, std, logsumexp, norm."""
    rng = np.random.default_rng(16)
    for k in range(cases(250)):
        dtype = REALS[k % len(REALS)]
        with np.errstate(all="ignore"):
            x, a, how, numpy_how, n = draw_reduction(rng, dtype, -3, 3)
            result = dtype if dtype in FLOATS else "f32"
            inside = "f64" if dtype == "f64" else "f32"
            b, what = wide(a, dtype), f"{dtype}{a.shape} {how}"
            unit = EPS[inside] * (math.log2(n + 1) + 16)
            mean = ops.mean(x, **how)
            assert mean.dtype.short == result
            size = np.abs(b).sum(**numpy_how) / max(n, 1)
            close(numpy(mean), b.sum(**numpy_how) / n if n else np.full(mean.shape, np.nan), result, size * unit, f"mean {what}")
            correction = int(rng.integers(0, 2))
            center = b - b.sum(axis=numpy_how["axis"], keepdims=True) / np.longdouble(n) if n else b
            square = (center**2).sum(**numpy_how)
            variance = square / max(n - correction, 0) if n > correction else square / np.float64(0)
            spread = (np.abs(b).max() if b.size else 0)**2 * unit * 8
            close(numpy(ops.var(x, correction=correction, **how)), variance, result,
                  spread * n / max(n - correction, 1), f"var {what}")
            close(numpy(ops.std(x, correction=correction, **how)), np.sqrt(variance), result,
                  np.sqrt(spread * n / max(n - correction, 1)) * 0.1 + unit * 30, f"std {what}")
            total = np.log(np.exp(b).sum(**numpy_how))
            close(numpy(ops.logsumexp(x, **how)), total, result, (np.abs(total) + 9) * unit, f"logsumexp {what}")
            order = [0, 1, 2, 3, 0.5, np.inf][k % 6]
            if order == 0:
                want = (b != 0).sum(**numpy_how)
            elif order == np.inf:
                want = np.abs(b).max(**numpy_how, initial=0)
            else:
                want = (np.abs(b)**order).sum(**numpy_how) ** (1 / np.longdouble(order))
            close(numpy(ops.norm(x, ord=order, **how)), want, result, np.abs(want) * unit * 4, f"norm {order} {what}")


def test_logsumexp_special():
    """Infinities do not become NaN, and an empty sum is log 0."""
    x = array(np.array([[-np.inf, -np.inf], [np.inf, 1], [-np.inf, 2], [1000, 1000]], np.float32))
    got = numpy(ops.logsumexp(x, axis=(1,)))
    assert same(got[:3], [-np.inf, np.inf, 2]) and abs(got[3] - 1000.6931) < 1e-3, got
    assert numpy(ops.logsumexp(ops.zeros((0,)))) == -np.inf


# ---- the written order -------------------------------------------------------------------------------------------------------

def tree(parts):
    """Adjacent pairs, level by level; an odd last one moves up."""
    while len(parts) > 1:
        parts = [parts[i] + parts[i + 1] if i + 1 < len(parts) else parts[i] for i in range(0, len(parts), 2)]
    return parts[0]


def fold_lanes(a):
    """Sums over the last axis in blocks of 1024, each in 64 lanes that fold by halves."""
    blocks = []
    for start in range(0, a.shape[-1], 1024):
        block = a[..., start:start + 1024]
        lanes = np.zeros((*a.shape[:-1], 64), a.dtype)
        for i in range(0, block.shape[-1], 64):
            part = block[..., i:i + 64]
            lanes[..., :part.shape[-1]] += part
        while lanes.shape[-1] > 1:
            half = lanes.shape[-1] // 2
            lanes = lanes[..., :half] + lanes[..., half:]
        blocks.append(lanes[..., 0])
    return tree(blocks)


def fold_rows(a):
    """Sums over axis 1 of [A,R,C]: blocks of 64 rows in order, then the tree."""
    blocks = []
    for start in range(0, a.shape[1], 64):
        total = np.zeros((a.shape[0], a.shape[2]), a.dtype)
        for r in range(start, min(start + 64, a.shape[1])):
            total = total + a[:, r]
        blocks.append(total)
    return tree(blocks)


def test_sum_order():
    """The bits of sums, on every device, fused or not."""
    rng = np.random.default_rng(17)
    for dtype in ("f32", "f64"):
        for shape in [(1,), (3, 5), (2, 64), (3, 65), (1000,), (1025,), (2, 4100), (9999,), (70, 3), (2, 200, 7), (3, 64, 5)]:
            a = values(rng, shape, dtype, -100, 100)
            for device in [situ.cpu(), *DEVICES[3:4]]:
                x = array(a, device=device)
                twice = ops.mul(x, 2.0)
                exactly(ops.sum(x, axis=(-1,)), fold_lanes(a), f"sum {dtype}{shape} over the last axis on {device}")
                exactly(ops.sum(twice, axis=(-1,)), fold_lanes(a * 2), f"fused sum {dtype}{shape} on {device}")
                if len(shape) > 1:
                    folded = a.reshape(1 if len(shape) == 2 else shape[0], shape[-2], shape[-1])
                    want = fold_rows(folded).reshape(*shape[:-2], shape[-1])
                    exactly(ops.sum(x, axis=(-2,)), want, f"sum {dtype}{shape} over rows on {device}")


# ---- running sums, matrices --------------------------------------------------------------------------------------------------

def backwards(function, a, axis, reverse):
    return np.flip(function(np.flip(a, axis)), axis) if reverse else function(a)


def test_cumulative():
    rng = np.random.default_rng(18)
    for k in range(cases(240)):
        dtype = REALS[k % len(REALS)]
        with np.errstate(all="ignore"):
            shape = random_shape(rng)
            shape = shape or (5,)
            x, a = operand(rng, shape, dtype, *((0.5, 1.5) if dtype in FLOATS else (-3, 3)), device=pick(rng))
            axis, reverse = int(rng.integers(-a.ndim, a.ndim)), bool(rng.random() < 0.5)
            for name, function in (("cumsum", np.cumsum), ("cumprod", np.cumprod)):
                y, what = getattr(ops, name)(x, axis=axis, reverse=reverse), f"{name} {dtype}{a.shape} axis {axis}"
                assert y.dtype.short == sum_dtype(dtype), f"{what}: {y.dtype}"
                if dtype in FLOATS:
                    want = backwards(lambda v: function(v, axis=axis), wide(a, dtype), axis, reverse)
                    close(numpy(y), want, dtype, np.abs(want) * 8 * EPS["f64" if dtype == "f64" else "f32"], what)
                else:
                    want = backwards(lambda v: function(v, axis=axis, dtype=NUMPY[y.dtype]), a, axis, reverse)
                    exactly(y, want, what)
            if dtype in ("f32", "f64", "i32", "i64"):
                z, b = operand(rng, shape, dtype, -2, 2, of=None, device=x.device)
                y = ops.linear_scan(x, z, axis=axis, reverse=reverse)
                exactly_or_close(y, linear_scan(a, b, axis, reverse), dtype, f"linear_scan {dtype}{a.shape}")


def linear_scan(a, b, axis, reverse):
    a, b = np.moveaxis(a, axis, 0), np.moveaxis(b, axis, 0)
    if reverse:
        a, b = a[::-1], b[::-1]
    out = np.zeros(a.shape, a.dtype)
    for i in range(len(a)):
        out[i] = a[i] * (out[i - 1] if i else 0) + b[i]
    return np.moveaxis(out[::-1] if reverse else out, 0, axis)


def exactly_or_close(got, want, dtype, what):
    if dtype in FLOATS:
        close(numpy(got), want, dtype, 100 * EPS[dtype], what)
    else:
        exactly(got, want.astype(NUMPY[got.dtype]), what)


def matrices(rng):
    """Shapes of two operands of matmul: vectors, matrices, batches that broadcast."""
    m, k, n = (int(rng.choice([0, 1, 2, 3, 5, 17, 40], p=[.04, .16, .2, .2, .2, .1, .1])) for _ in range(3))
    batch = random_shape(rng, 2, 3)
    left = tuple(1 if rng.random() < 0.3 else d for d in batch)[rng.integers(0, len(batch) + 1):]
    kind = rng.integers(0, 6)
    if kind == 0:
        return (k,), (k,)
    if kind == 1:
        return (*left, m, k), (k,)
    if kind == 2:
        return (k,), (*left, k, n)
    return ((*left, m, k), (*batch, k, n)) if kind < 5 else ((*batch, m, k), (*left, k, n))


def test_matmul():
    rng = np.random.default_rng(19)
    for i in range(cases(300)):
        dtype = REALS[i % len(REALS)]
        with np.errstate(all="ignore"):
            shape_a, shape_b = matrices(rng)
            device = pick(rng)
            x, a = operand(rng, shape_a, dtype, -3, 3, device=device, special=dtype in INTEGERS and i % 2)
            y, b = operand(rng, shape_b, dtype, -3, 3, device=device)
            got, what = ops.matmul(x, y), f"matmul {dtype}{shape_a} {shape_b} on {device}"
            if dtype in FLOATS:
                want, scale = np.matmul(wide(a, dtype), wide(b, dtype)), np.matmul(np.abs(wide(a, dtype)), np.abs(wide(b, dtype)))
                inside = "f64" if dtype == "f64" else "f32"
                close(numpy(got), want, dtype, scale * EPS[inside] * (shape_a[-1] + 1), what)
            else:
                exactly(got, np.matmul(a, b), what)
            assert got.dtype.short == dtype, f"{what}: {got.dtype}"


def test_products():
    """dot, outer, trace."""
    rng = np.random.default_rng(20)
    for i in range(cases(80)):
        dtype = ["i32", "i64", "f32", "f64", "u8", "bool"][i % 6]
        shape = random_shape(rng) or (4,)
        x, a = operand(rng, shape, dtype, -3, 3)
        y, b = operand(rng, shape[-1:], dtype, -3, 3)
        want = np.matmul(a[..., None, :], b[:, None])[..., 0, 0].astype(NUMPY[dtype])
        exactly_or_close(ops.dot(x, y), want, dtype, f"dot {dtype}{shape}")
        exactly(ops.outer(x, y), np.outer(a, b).astype(NUMPY[dtype]), f"outer {dtype}{shape}")
        if len(shape) > 1 and dtype in ("i64", "f64"):
            exactly_or_close(ops.trace(x), np.trace(a, axis1=-2, axis2=-1), dtype, f"trace {dtype}{shape}")


if __name__ == "__main__":
    run(globals())
