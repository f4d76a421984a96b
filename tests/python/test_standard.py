"""What the array API standard has beyond the rest: differences, membership, repeats, running sums with their beginning, the
different elements of complex arrays."""

import numpy as np

import situ
from situ import _situ as ops
from support import COMPLEX, INTEGERS, NUMPY, array, cases, exactly, numpy, operand, pick, random_shape, run

DTYPES = ["bool", *INTEGERS, "f32", "f64", *COMPLEX]


def small(rng, shape, dtype):
    """Few different values."""
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype in COMPLEX:
        return (rng.integers(0, 3, shape) + 1j * rng.integers(0, 3, shape)).astype(NUMPY[dtype])
    return rng.integers(0, 5, shape).astype(NUMPY[dtype])


def test_diff():
    rng = np.random.default_rng(1)
    for k in range(cases(100)):
        dtype = DTYPES[k % len(DTYPES)]
        shape = random_shape(rng) or (3,)
        x, a = operand(rng, shape, dtype, of=small(rng, shape, dtype), device=pick(rng))
        axis, n = int(rng.integers(-a.ndim, a.ndim)), int(rng.integers(0, 4))
        if not a.shape[axis]:
            continue
        exactly(ops.diff(x, axis=axis, n=n), np.diff(a, n, axis), f"diff {dtype}{a.shape} axis={axis} n={n}")


def test_isin():
    rng = np.random.default_rng(2)
    for k in range(cases(100)):
        dtype = DTYPES[k % len(DTYPES)]
        device, shape, other = pick(rng), random_shape(rng), random_shape(rng, 2)
        x, a = operand(rng, shape, dtype, of=small(rng, shape, dtype), device=device)
        y, b = operand(rng, other, dtype, of=small(rng, other, dtype)[..., :2] if other else small(rng, other, dtype), device=device)
        invert = bool(k % 3 == 0)
        exactly(ops.isin(x, y, invert=invert), np.isin(a, b, invert=invert), f"isin {dtype}{a.shape}{b.shape}")
    x = array(np.array([np.nan, 0.0, -0.0, np.inf, 2]))
    exactly(ops.isin(x, array(np.array([np.nan, 0, np.inf]))), np.array([False, True, True, True, False]), "special values")
    exactly(ops.isin(x, 2), np.array([False, False, False, False, True]), "a number")


def test_repeats():
    rng = np.random.default_rng(3)
    for k in range(cases(80)):
        dtype = DTYPES[k % len(DTYPES)]
        device, shape = pick(rng), random_shape(rng) or (3,)
        x, a = operand(rng, shape, dtype, device=device)
        axis = int(rng.integers(-a.ndim, a.ndim))
        counts = rng.integers(0, 4, a.shape[axis]).astype(NUMPY[INTEGERS[k % len(INTEGERS)]])
        how = {"total": int(counts.sum())} if k % 2 else {}
        y = ops.repeat_each(x, array(counts, device=device), axis=axis, **how)
        exactly(y, np.repeat(a, counts.astype(np.int64), axis), f"repeat_each {dtype}{a.shape} {counts}")
    try:
        ops.repeat_each(array(np.ones(3)), array(np.ones(2, np.int64)))
        assert False
    except situ.Error as error:
        assert "repeat_each: counts" in str(error)


def test_running_sums():
    rng = np.random.default_rng(4)
    for k in range(cases(80)):
        dtype = ["i32", "u8", "f64", "c128", "bool"][k % 5]
        shape = random_shape(rng) or (4,)
        x, a = operand(rng, shape, dtype, of=small(rng, shape, dtype), device=pick(rng))
        axis = int(rng.integers(-a.ndim, a.ndim))
        edge = [(1, 0) if i == axis % a.ndim else (0, 0) for i in range(a.ndim)]
        for name, reference, first in (("cumsum", np.cumsum, 0), ("cumprod", np.cumprod, 1)):
            want = np.pad(reference(a, axis=axis), edge, constant_values=first)
            exactly(getattr(ops, name)(x, axis=axis, initial=True), want, f"{name} {dtype}{a.shape}")
            want = np.flip(np.pad(reference(np.flip(a, axis), axis=axis), edge, constant_values=first), axis)
            exactly(getattr(ops, name)(x, axis=axis, initial=True, reverse=True), want, f"{name} {dtype}{a.shape} reversed")


def test_unique_complex():
    rng = np.random.default_rng(5)
    for k in range(cases(40)):
        dtype = COMPLEX[k % 2]
        shape = random_shape(rng)
        x, a = operand(rng, shape, dtype, of=small(rng, shape, dtype), device=pick(rng))
        want, i, j, n = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
        for got, part, what in zip(ops.unique(x), (want, i, j.reshape(a.shape), n), ("unique", "index", "inverse", "counts")):
            exactly(got, part, what)


def test_nothing():
    """Arrays without elements and without axes go through everything that has a meaning for them."""
    for dtype in DTYPES:
        empty, scalar = array(np.zeros((0, 3), NUMPY[dtype])), array(np.ones((), NUMPY[dtype]))
        for call, shape in ((lambda t: ops.sum(t, axis=(0,)), (3,)), (lambda t: ops.prod(t), ()), (lambda t: ops.any(t, axis=(0,)), (3,)),
                            (lambda t: ops.cumsum(t, axis=0), (0, 3)), (lambda t: ops.concat([t, t]), (0, 3)), (lambda t: ops.flip(t), (0, 3)),
                            (lambda t: ops.roll(t, 2), (0, 3)), (lambda t: ops.tile(t, (2, 2)), (0, 6)), (lambda t: ops.repeat(t, 3, axis=1), (0, 9)),
                            (lambda t: ops.equal(t, t), (0, 3)), (lambda t: ops.take(t, array(np.array([2, 1])), axis=1), (0, 2)),
                            (lambda t: ops.nonzero(t), (0, 2)), (lambda t: ops.unique(t)[0], (0,)), (lambda t: ops.isin(t, t), (0, 3)),
                            (lambda t: ops.tril(t), (0, 3)), (lambda t: ops.matmul(ops.transpose(t), t), (3, 3)), (lambda t: ops.count_nonzero(t), ())):
            y = call(empty)
            assert y.shape == shape and numpy(y).shape == shape, f"{dtype}: {y.shape}, not {shape}"
        for call in (ops.sum, ops.prod, ops.any, ops.all, ops.count_nonzero, ops.flip, lambda t: ops.equal(t, t), lambda t: ops.roll(t, 1),
                     lambda t: ops.isin(t, t), lambda t: ops.where(True, t, t)):
            assert numpy(call(scalar)) == 1, dtype
        if dtype not in COMPLEX:
            assert ops.sort(empty, axis=0).shape == (0, 3) and numpy(ops.max(scalar)) == 1 and numpy(ops.argmax(scalar)) == 0


if __name__ == "__main__":
    run(globals())
