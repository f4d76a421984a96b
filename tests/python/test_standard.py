"""What the array API standard has beyond the rest: differences, membership, repeats, running sums with their beginning, the
different elements of complex arrays."""
import sys

import numpy as np

from operands import COMPLEX, INTEGERS, difference, operand, random_shape, same
from situ_ctypes import NUMPY, Out, SituError, cases, run_tests, situ

DEVICES = [situ.cpu()] * 3 + [situ.gpu(i) for i in range(situ.num_gpus())]
DTYPES = ["bool", *INTEGERS, "f32", "f64", *COMPLEX]


def pick(rng):
    return DEVICES[rng.integers(len(DEVICES))]


def exactly(got, want, what):
    got = got.numpy()
    assert same(got, want), f"{what}: {difference(got, want)}"


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
        with situ.scope():
            shape = random_shape(rng) or (3,)
            x, a = operand(rng, shape, dtype, array=small(rng, shape, dtype), device=pick(rng))
            axis, n = int(rng.integers(-a.ndim, a.ndim)), int(rng.integers(0, 4))
            if not a.shape[axis]:
                continue
            exactly(situ.diff(x, axis=axis, n=n), np.diff(a, n, axis), f"diff {dtype}{a.shape} axis={axis} n={n}")


def test_isin():
    rng = np.random.default_rng(2)
    for k in range(cases(100)):
        dtype = DTYPES[k % len(DTYPES)]
        with situ.scope():
            device, shape, other = pick(rng), random_shape(rng), random_shape(rng, 2)
            x, a = operand(rng, shape, dtype, array=small(rng, shape, dtype), device=device)
            y, b = operand(rng, other, dtype, array=small(rng, other, dtype)[..., :2] if other else small(rng, other, dtype), device=device)
            invert = bool(k % 3 == 0)
            exactly(situ.isin(x, y, invert=invert), np.isin(a, b, invert=invert), f"isin {dtype}{a.shape}{b.shape}")
    with situ.scope():
        x = situ.array(np.array([np.nan, 0.0, -0.0, np.inf, 2]))
        exactly(situ.isin(x, situ.array(np.array([np.nan, 0, np.inf]))), np.array([False, True, True, True, False]), "special values")
        exactly(situ.isin(x, 2), np.array([False, False, False, False, True]), "a number")


def test_repeats():
    rng = np.random.default_rng(3)
    for k in range(cases(80)):
        dtype = DTYPES[k % len(DTYPES)]
        with situ.scope():
            device, shape = pick(rng), random_shape(rng) or (3,)
            x, a = operand(rng, shape, dtype, device=device)
            axis = int(rng.integers(-a.ndim, a.ndim))
            counts = rng.integers(0, 4, a.shape[axis]).astype(NUMPY[INTEGERS[k % len(INTEGERS)]])
            how = {"total": int(counts.sum())} if k % 2 else {}
            y = situ.repeat_each(x, situ.array(counts, device=device), axis=axis, **how)
            exactly(y, np.repeat(a, counts.astype(np.int64), axis), f"repeat_each {dtype}{a.shape} {counts}")
    with situ.scope():
        try:
            situ.repeat_each(situ.array(np.ones(3)), situ.array(np.ones(2, np.int64)))
            assert False
        except SituError as error:
            assert "repeat_each: counts" in error.message


def test_running_sums():
    rng = np.random.default_rng(4)
    for k in range(cases(80)):
        dtype = ["i32", "u8", "f64", "c128", "bool"][k % 5]
        with situ.scope():
            shape = random_shape(rng) or (4,)
            x, a = operand(rng, shape, dtype, array=small(rng, shape, dtype), device=pick(rng))
            axis = int(rng.integers(-a.ndim, a.ndim))
            edge = [(1, 0) if i == axis % a.ndim else (0, 0) for i in range(a.ndim)]
            for name, reference, first in (("cumsum", np.cumsum, 0), ("cumprod", np.cumprod, 1)):
                want = np.pad(reference(a, axis=axis), edge, constant_values=first)
                exactly(getattr(situ, name)(x, axis=axis, initial=True), want, f"{name} {dtype}{a.shape}")
                want = np.flip(np.pad(reference(np.flip(a, axis), axis=axis), edge, constant_values=first), axis)
                exactly(getattr(situ, name)(x, axis=axis, initial=True, reverse=True), want, f"{name} {dtype}{a.shape} reversed")


def test_unique_complex():
    rng = np.random.default_rng(5)
    for k in range(cases(40)):
        dtype = COMPLEX[k % 2]
        with situ.scope():
            shape = random_shape(rng)
            x, a = operand(rng, shape, dtype, array=small(rng, shape, dtype), device=pick(rng))
            index, inverse, counts = Out(), Out(), Out()
            got = situ.unique(x, index=index, inverse=inverse, counts=counts)
            want, i, j, n = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
            exactly(got, want, "unique")
            exactly(index.tensor, i.astype(np.int64), "index")
            exactly(inverse.tensor, j.reshape(a.shape).astype(np.int64), "inverse")
            exactly(counts.tensor, n.astype(np.int64), "counts")


def test_nothing():
    """Arrays without elements and without axes go through everything that has a meaning for them."""
    with situ.scope():
        for dtype in DTYPES:
            empty, scalar = situ.array(np.zeros((0, 3), NUMPY[dtype])), situ.array(np.ones((), NUMPY[dtype]))
            for call, shape in ((lambda t: situ.sum(t, axes=(0,)), (3,)), (lambda t: situ.prod(t), ()), (lambda t: situ.any(t, axes=(0,)), (3,)),
                                (lambda t: situ.cumsum(t, axis=0), (0, 3)), (lambda t: situ.concat([t, t]), (0, 3)), (lambda t: situ.flip(t), (0, 3)),
                                (lambda t: situ.roll(t, 2), (0, 3)), (lambda t: situ.tile(t, (2, 2)), (0, 6)), (lambda t: situ.repeat(t, 3, axis=1), (0, 9)),
                                (lambda t: situ.equal(t, t), (0, 3)), (lambda t: situ.take(t, situ.array(np.array([2, 1])), axis=1), (0, 2)),
                                (lambda t: situ.nonzero(t), (0, 2)), (lambda t: situ.unique(t), (0,)), (lambda t: situ.isin(t, t), (0, 3)),
                                (lambda t: situ.tril(t, 0), (0, 3)), (lambda t: situ.matmul(situ.transpose(t), t), (3, 3)), (lambda t: situ.count_nonzero(t), ())):
                y = call(empty)
                assert y.shape == shape and y.numpy().shape == shape, f"{dtype}: {y.shape}, not {shape}"
            for call in (situ.sum, situ.prod, situ.any, situ.all, situ.count_nonzero, situ.flip, lambda t: situ.equal(t, t), lambda t: situ.roll(t, 1),
                         lambda t: situ.isin(t, t), lambda t: situ.where(True, t, t)):
                assert call(scalar).numpy() == 1, dtype
            if dtype not in COMPLEX:
                assert situ.sort(empty, axis=0).shape == (0, 3) and situ.max(scalar).numpy() == 1 and situ.argmax(scalar).numpy() == 0


if __name__ == "__main__":
    run_tests(sys.modules[__name__])
