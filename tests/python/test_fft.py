"""Fourier transforms against NumPy's, of all small lengths and of long ones, in every mode; gradients against the transpose."""

import numpy as np

import situ
from situ import _situ as ops
from support import NUMPY, array, cases, numpy, operand, pick, raises, run

EPS = {"f32": 2.0**-23, "c64": 2.0**-23, "f64": 2.0**-52, "c128": 2.0**-52}
NORMS = ["backward", "ortho", "forward"]


def near(got, want, dtype, what, units=4):
    got = numpy(got)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, not {want.shape}"
    scale = np.abs(want).max(initial=1e-30)
    off = np.abs(got - want).max(initial=0) / scale
    assert off <= units * EPS[dtype], f"{what}: off by {off / EPS[dtype]:.3g} units"


def draw(rng, shape, dtype):
    t, a = operand(rng, shape, dtype, -1, 1, device=pick(rng))
    return t, a.astype(np.complex128 if dtype[0] == "c" else np.float64)


def test_lengths():
    """1 to 130, then powers, products of small primes, primes and twice primes."""
    rng = np.random.default_rng(1)
    lengths = [*range(1, 131), 256, 1000, 1009, 1024, 2 * 1013, 2310, 4096, 6561, 10007, 16807, 29791, 65536, 100000]
    for n in lengths:
        for dtype in ("c128", "f64", "c64") if n < 140 else ("c128",):
            a = rng.normal(size=n) + (1j * rng.normal(size=n) if dtype[0] == "c" else 0)
            a = a.astype(NUMPY[dtype])
            x = array(a)
            near(ops.fft(x), np.fft.fft(a.astype(np.complex128)), dtype, f"fft {dtype}[{n}]")
            near(ops.ifft(x), np.fft.ifft(a.astype(np.complex128)), dtype, f"ifft {dtype}[{n}]")
        r = rng.normal(size=n)
        near(ops.rfft(array(r)), np.fft.rfft(r), "f64", f"rfft [{n}]")
        half = a[:n // 2 + 1]
        near(ops.irfft(array(half), n=n), np.fft.irfft(half, n), dtype, f"irfft [{n}]")


def test_rows():
    """f32 rows of multiples of 256, which are transformed one after the other, whole, cut and filled up; each has the bits it has in any company."""
    rng = np.random.default_rng(7)
    for n in (256, 512, 768, 1024, 1280, 2048, 4096, 7936, 8192):
        for length in (n, n - 3, n + 5):
            norm, rows = str(rng.choice(NORMS)), int(rng.integers(8, 21))
            a = (rng.normal(size=(rows, length)) + 1j * rng.normal(size=(rows, length))).astype(np.complex64)
            x, real = array(a), array(np.ascontiguousarray(a.real))
            near(ops.fft(x, n=n, norm=norm), np.fft.fft(a.astype(np.complex128), n, norm=norm), "c64", f"fft [{rows},{length}] n={n}")
            near(ops.ifft(x, n=n, norm=norm), np.fft.ifft(a.astype(np.complex128), n, norm=norm), "c64", f"ifft [{rows},{length}] n={n}")
            half = ops.rfft(real, n=n, norm=norm)
            near(half, np.fft.rfft(a.real.astype(np.float64), n, norm=norm), "c64", f"rfft [{rows},{length}] n={n}")
            near(ops.irfft(half, n=n, norm=norm), np.fft.irfft(numpy(half).astype(np.complex128), n, norm=norm), "f32", f"irfft [{rows}] n={n}")
            alone = numpy(ops.fft(array(a[5:6]), n=n, norm=norm))
            assert alone.tobytes() == numpy(ops.fft(x, n=n, norm=norm))[5:6].tobytes(), f"fft [{rows},{length}] n={n}: a row alone"


def test_accuracy():
    """Against the definition in long double."""
    rng = np.random.default_rng(2)
    for n in (360, 1021, 1024):
        a = rng.normal(size=n) + 1j * rng.normal(size=n)
        k = np.arange(n)
        angle = -2 * np.longdouble("3.14159265358979323846264338327950288") * ((k[:, None] * k[None, :]) % n) / np.longdouble(n)
        want = (np.cos(angle) + 1j * np.sin(angle)) @ a.astype(np.clongdouble)
        got = numpy(ops.fft(array(a)))
        error = np.sqrt((np.abs(got - want) ** 2).sum() / (np.abs(want) ** 2).sum())
        assert error < 1e-15, f"fft [{n}]: relative error {error:.3g}"


def test_one_axis():
    rng = np.random.default_rng(3)
    for k in range(cases(200)):
        name = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"][k % 6]
        real = name in ("rfft", "ihfft")
        dtype = [["c64", "c128"], ["f32", "f64"]][real][k // 6 % 2]
        if name == "fft" and k % 5 == 0:
            dtype = "f32"
        shape = tuple(int(v) for v in rng.integers(1, 9, rng.integers(1, 4)))
        axis = int(rng.integers(-len(shape), len(shape)))
        if name in ("irfft", "hfft") and shape[axis] == 1:
            continue
        norm = str(rng.choice(NORMS))
        n = None if rng.random() < 0.4 else int(rng.integers(1, 14))
        x, a = draw(rng, shape, dtype)
        got = getattr(ops, name)(x, axis=axis, norm=norm, **({} if n is None else {"n": n}))
        want = getattr(np.fft, name)(a, n, axis, norm)
        assert got.dtype.short[0] == ("f" if name in ("irfft", "hfft") else "c"), got.dtype
        near(got, want, dtype, f"{name} {dtype}{shape} n={n} axis={axis} {norm}", 8)


def test_several_axes():
    rng = np.random.default_rng(4)
    for k in range(cases(160)):
        name = ["fftn", "ifftn", "rfftn", "irfftn"][k % 4]
        dtype = [["c64", "c128"], ["f32", "f64"]][name == "rfftn"][k // 4 % 2]
        shape = tuple(int(v) for v in rng.integers(2, 7, rng.integers(1, 4)))
        axes = [int(v) - (len(shape) if rng.random() < 0.5 else 0) for v in rng.permutation(len(shape))[:rng.integers(1, len(shape) + 1)]]
        s = [int(v) for v in rng.integers(2, 9, len(axes))] if rng.random() < 0.5 else None
        if rng.random() < 0.3:
            axes = None if s is None else list(range(-len(s), 0))
        norm = str(rng.choice(NORMS))
        x, a = draw(rng, shape, dtype)
        how = {**({} if axes is None else {"axes": axes}), **({} if s is None else {"s": s})}
        want = getattr(np.fft, name)(a, s, axes if axes is not None else None, norm)
        near(getattr(ops, name)(x, norm=norm, **how), want, dtype, f"{name} {dtype}{shape} {how} {norm}", 16)


def test_frequencies():
    for n in range(1, 12):
        for d in (1.0, 0.25, 3.0):
            assert np.array_equal(numpy(ops.fftfreq(n, d=d, dtype="f64")), np.arange(n) % n * 0 + np.where(np.arange(n) < (n + 1) // 2, np.arange(n), np.arange(n) - n) / (n * d))
            np.testing.assert_allclose(numpy(ops.fftfreq(n, d=d)), np.fft.fftfreq(n, d), rtol=1e-7)
            np.testing.assert_allclose(numpy(ops.rfftfreq(n, d=d, dtype="f64")), np.fft.rfftfreq(n, d), rtol=1e-15)
        a = np.arange(n * 3).reshape(n, 3)
        for axes in (None, (0,), (1,), (0, 1)):
            how = {} if axes is None else {"axes": axes}
            assert np.array_equal(numpy(ops.fftshift(array(a), **how)), np.fft.fftshift(a, axes)), "fftshift"
            assert np.array_equal(numpy(ops.ifftshift(array(a), **how)), np.fft.ifftshift(a, axes)), "ifftshift"


def test_refused():
    """A program names the transform that it called; which error it is stands beside it."""
    x = array(np.ones(3))
    for kind, call in [(situ.DTypeError, lambda: ops.rfft(array(np.array([1j])))), (ValueError, lambda: ops.fft(x, n=-1)),
                       (ValueError, lambda: ops.fft(array(np.ones(0)))), (ValueError, lambda: ops.fft(x, norm="none")),
                       (ValueError, lambda: ops.fft(x, axis=1)), (ValueError, lambda: ops.fftn(x, s=(2, 2))),
                       (ValueError, lambda: ops.fftfreq(0))]:
        raises(kind, call, "fft")


def test_gradients():
    """Linear maps: the pullback of g through y = F x is g F, as JAX has it (real inputs: its real part)."""
    rng = np.random.default_rng(5)
    functions = {"fft": np.fft.fft, "ifft": np.fft.ifft, "rfft": np.fft.rfft, "irfft": np.fft.irfft, "hfft": np.fft.hfft, "ihfft": np.fft.ihfft}
    for name, function in functions.items():
        for length in (5, 6):
            for n in (None, 4, 7, 9):
                for norm in NORMS:
                    real = name in ("rfft", "ihfft")
                    a = rng.normal(size=length) + (0 if real else 1j * rng.normal(size=length))
                    x = array(a)
                    y = getattr(ops, name)(x, norm=norm, **({} if n is None else {"n": n}))
                    g = rng.normal(size=y.shape) + (1j * rng.normal(size=y.shape) if y.dtype.short[0] == "c" else 0)
                    got, = situ.gradients(y, [x], array(g))
                    # d/dx - i d/dy of Re(g . F(x + iy)); linear over the reals, so unit vectors are enough
                    f = lambda t: (g * function(t, n, norm=norm)).sum()
                    unit = np.eye(length)
                    want = np.array([np.real(f(u + 0j if not real else u)) - (0 if real else 1j * np.real(f(1j * u))) for u in unit])
                    np.testing.assert_allclose(numpy(got), want, atol=1e-13, err_msg=f"{name} {length} {n} {norm}")


if __name__ == "__main__":
    run(globals())
