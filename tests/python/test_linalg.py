"""Linear algebra against NumPy: factors multiply to the matrix, values agree with NumPy's in double precision, errors come at
the right time, gradients agree with differences."""
import os
import subprocess
import sys

import numpy as np

import situ
from situ import _situ as ops
from support import NUMPY, array, cases, numpy, operand, pick, raises, run, same

DTYPES = ["f32", "f64", "c64", "c128"]
EPS = {"f32": 2.0**-23, "c64": 2.0**-23, "f64": 2.0**-52, "c128": 2.0**-52}
REAL = {"f32": "f32", "c64": "f32", "f64": "f64", "c128": "f64"}


def h(a):
    return np.conj(np.swapaxes(a, -1, -2))


def draw(rng, shape, dtype):
    """A matrix on some device, in some layout, and its values in double precision."""
    t, a = operand(rng, shape, dtype, -2, 2, device=pick(rng))
    return t, a.astype(np.complex128 if dtype[0] == "c" else np.float64)


def batch(rng):
    return tuple(int(v) for v in rng.integers(0 if rng.random() < 0.1 else 1, 3, rng.integers(0, 3)))


def near(got, want, dtype, units, what):
    got = np.asarray(numpy(got) if isinstance(got, situ.Tensor) else got)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, not {want.shape}"
    scale = max(1, np.abs(want).max(initial=0))
    off = np.abs(got - want).max(initial=0) / scale
    assert off <= units * EPS[dtype], f"{what}: off by {off / EPS[dtype]:.3g} units"


def test_cholesky():
    rng = np.random.default_rng(1)
    for k in range(cases(60)):
        dtype, n = DTYPES[k % 4], int(rng.integers(0, 9))
        _, b = draw(rng, (*batch(rng), n, n + 2), dtype)
        a = (b @ h(b) + np.eye(n)).astype(NUMPY[dtype])
        lower = ops.cholesky(array(a))
        assert lower.dtype.short == dtype
        near(lower, np.linalg.cholesky(a.astype(b.dtype)) if a.size else a, dtype, 100, f"cholesky {dtype}{a.shape}")
        near(ops.cholesky(array(a), upper=True), h(numpy(lower)), dtype, 0, "upper")
        upper_ignored = a + np.triu(np.full(a.shape, 7), 1).astype(a.dtype)
        assert same(numpy(ops.cholesky(array(upper_ignored))), numpy(lower)), "the upper triangle is not read"
    raises(situ.SingularError, lambda: numpy(ops.cholesky(array(np.array([[1.0, 2], [2, 1]])))), "cholesky", "positive definite")
    raises(situ.ShapeError, lambda: ops.cholesky(array(np.ones((2, 3)))), "square")
    raises(situ.DTypeError, lambda: ops.cholesky(ops.cast(array(np.ones((2, 2))), "f16")), "f16")


def test_solve():
    rng = np.random.default_rng(2)
    for k in range(cases(80)):
        dtype, n = DTYPES[k % 4], int(rng.integers(0, 9))
        lead = batch(rng)
        device = pick(rng)
        x, a = operand(rng, (*lead, n, n), dtype, -1, 1, device=device)
        a = a + 3 * np.eye(n, dtype=a.dtype)
        x = array(a, device=device)
        shape = (n,) if rng.random() < 0.3 else (*(lead if rng.random() < 0.5 else ()), n, int(rng.integers(0, 4)))
        y, b = operand(rng, shape, dtype, -1, 1, device=device)
        wide = np.complex128 if dtype[0] == "c" else np.float64
        right = b.astype(wide)[:, None] if b.ndim == 1 else b.astype(wide)
        right = np.broadcast_to(right, (*a.shape[:-2], *right.shape[-2:]))  # NumPy 1 takes fewer axes for vectors
        want = np.linalg.solve(a.astype(wide), right)
        want = want[..., 0] if b.ndim == 1 else want
        near(ops.solve(x, y), want, dtype, 200, f"solve {dtype}{a.shape}{b.shape}")
        near(ops.inv(x), np.linalg.inv(a.astype(wide)), dtype, 200, f"inv {dtype}{a.shape}")
    singular = array(np.array([[1.0, 2], [2, 4]]))
    raises(situ.SingularError, lambda: numpy(ops.inv(singular)), "singular")
    raises(situ.SingularError, lambda: numpy(ops.solve(singular, array(np.ones(2)))), "singular")
    raises(situ.ShapeError, lambda: ops.inv(array(np.ones((2, 3)))), "square")
    raises(situ.ShapeError, lambda: ops.solve(array(np.ones((2, 2))), array(np.ones((3, 1)))), "rows")


def test_det():
    rng = np.random.default_rng(3)
    for k in range(cases(60)):
        dtype, n = DTYPES[k % 4], int(rng.integers(0, 8))
        x, a = draw(rng, (*batch(rng), n, n), dtype)
        scale = np.prod(np.linalg.norm(a, axis=-1), axis=-1).max(initial=1)
        near(ops.div(ops.det(x), float(scale)), np.linalg.det(a) / scale, dtype, 50, f"det {dtype}{a.shape}")
        sign, log = ops.slogdet(x)
        want = np.linalg.slogdet(a)
        assert sign.dtype.short == dtype and log.dtype.short == REAL[dtype]
        if n and a.size and np.linalg.cond(a).max() > 1e4:
            continue
        near(sign, want[0], dtype, 1e5, "sign")
        near(log, want[1], REAL[dtype], 1e5, "logarithm")
    zero = array(np.zeros((3, 3)))
    assert ops.det(zero).item() == 0 and [t.item() for t in ops.slogdet(zero)] == [0, -np.inf]


def test_qr():
    rng = np.random.default_rng(4)
    for k in range(cases(80)):
        dtype = DTYPES[k % 4]
        m, n = (int(v) for v in rng.integers(0, 9, 2))
        x, a = draw(rng, (*batch(rng), m, n), dtype)
        for complete in (False, True):
            q, r = ops.qr(x, complete)
            want = np.linalg.qr(a, "complete" if complete else "reduced")
            assert q.shape == want[0].shape and r.shape == want[1].shape, f"{q.shape} {r.shape}"
            q, r = numpy(q), numpy(r)
            near(q @ r, a, dtype, 50, f"q r {dtype}{a.shape}")
            near(h(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*a.shape[:-2], q.shape[-1], q.shape[-1])), dtype, 50, "orthonormal")
            assert same(np.triu(r), r), "r is triangular"
            near(r, want[1], dtype, 100, "r as LAPACK's")


def test_eigh():
    rng = np.random.default_rng(5)
    for k in range(cases(60)):
        dtype, n = DTYPES[k % 4], int(rng.integers(0, 10))
        _, b = draw(rng, (*batch(rng), n, n), dtype)
        a = (b + h(b)).astype(NUMPY[dtype])
        if k % 5 == 0 and n > 2:
            a[..., 1:, :] = 0
            a[..., :, 1:] = 0
        w, v = ops.eigh(array(a))
        assert w.dtype.short == REAL[dtype] and v.dtype.short == dtype
        want = np.linalg.eigvalsh(a.astype(b.dtype))
        near(w, want, dtype, 50, f"eigh {dtype}{a.shape}")
        near(ops.eigvalsh(array(a)), numpy(w), dtype, 4, "values alone")
        w, v = numpy(w), numpy(v)
        near(a @ v, v * w[..., None, :], dtype, 100, "a v = v w")
        near(h(v) @ v, np.broadcast_to(np.eye(n), a.shape), dtype, 50, "orthonormal")


def test_svd():
    rng = np.random.default_rng(6)
    for k in range(cases(100)):
        dtype = DTYPES[k % 4]
        m, n = (int(v) for v in rng.integers(0, 9, 2))
        x, a = draw(rng, (*batch(rng), m, n), dtype)
        if k % 4 == 3 and min(m, n) > 1:  # not of full rank
            a = (a[..., :, :1] * a[..., :1, :]).astype(NUMPY[dtype])
            x = array(a)
        want = np.linalg.svd(a, compute_uv=False) if a.size else np.zeros((*a.shape[:-2], min(m, n)))
        near(ops.svdvals(x), want, dtype, 100, f"svd {dtype}{a.shape}")
        for full in (False, True):
            u, s, vh = ops.svd(x, full_matrices=full)
            u, vh, least = numpy(u), numpy(vh), min(m, n)
            assert s.dtype.short == REAL[dtype]
            near(s, want, dtype, 100, "s")
            left, right = (m, n) if full else (least, least)
            assert u.shape == (*a.shape[:-2], m, left) and vh.shape == (*a.shape[:-2], right, n), f"{u.shape} {vh.shape}"
            near(u[..., :least] * numpy(s)[..., None, :] @ vh[..., :least, :], a, dtype, 100, "u s vh")
            near(h(u) @ u, np.broadcast_to(np.eye(left), (*a.shape[:-2], left, left)), dtype, 100, "u is orthonormal")
            near(vh @ h(vh), np.broadcast_to(np.eye(right), (*a.shape[:-2], right, right)), dtype, 100, "v is orthonormal")
        if m and n:
            ranks = np.linalg.matrix_rank(a, tol=np.asarray(want.max(-1) * max(m, n) * EPS[dtype]))
            assert same(numpy(ops.matrix_rank(x)), ranks), "rank"
            near(ops.pinv(x, rtol=1e-3), np.linalg.pinv(a, rcond=1e-3), dtype, 2e4, "pinv")


def test_eig():
    rng = np.random.default_rng(7)
    for k in range(cases(80)):
        dtype, n = DTYPES[k % 4], int(rng.integers(0, 9))
        x, a = draw(rng, (*batch(rng), n, n), dtype)
        if k % 7 == 0 and n:
            a = np.broadcast_to(np.roll(np.eye(n), 1, 0), a.shape).astype(NUMPY[dtype])  # all of one size
            x = array(a)
        w, v = ops.eig(x)
        want = "c64" if REAL[dtype] == "f32" else "c128"
        assert w.dtype.short == v.dtype.short == want
        w, v = numpy(w), numpy(v)
        near(a @ v, v * w[..., None, :], dtype, 500, f"eig {dtype}{a.shape}")
        near(np.linalg.norm(v, axis=-2), np.ones(w.shape), dtype, 4, "length")
        near(w.sum(-1), np.trace(a, axis1=-2, axis2=-1).astype(w.dtype), dtype, 500, "trace")
        alone = numpy(ops.eigvals(x))
        near(np.sort_complex(np.round(alone, 3)), np.sort_complex(np.round(w, 3)), dtype, 1e5, "values alone")
    defective = np.array([[2.0, 1, 0], [0, 2, 1], [0, 0, 2]])
    w, v = map(numpy, ops.eig(array(defective)))
    near(defective @ v, v * w, "f64", 1e3, "a defective matrix")


def test_of_our_own():
    """Without a LAPACK: the same tests of larger matrices."""
    if os.environ.get("SITU_LAPACK") == "own":
        return "this is it"
    run = subprocess.run([sys.executable, __file__, "larger", "scale"], env={**os.environ, "SITU_LAPACK": "own"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_larger():
    """Sizes at which a wrong order of operations would show; from 32 on LAPACK may be used."""
    rng = np.random.default_rng(8)
    for dtype, m, n in (("f64", 50, 40), ("c128", 40, 50), ("f32", 64, 33), ("c64", 33, 70)):
        a = (rng.normal(size=(2, m, n)) + (1j * rng.normal(size=(2, m, n)) if dtype[0] == "c" else 0)).astype(NUMPY[dtype])
        x = array(a)
        for full in (False, True):
            u, s, vh = map(numpy, ops.svd(x, full_matrices=full))
            least = min(m, n)
            near(u[..., :least] * s[..., None, :] @ vh[..., :least, :], a, dtype, 200, "u s vh")
            near(h(u) @ u, np.broadcast_to(np.eye(u.shape[-1]), (2, u.shape[-1], u.shape[-1])), dtype, 200, "u")
            near(ops.svdvals(x), s, dtype, 100, "values alone")
            q, r = map(numpy, ops.qr(x, full))
            near(q @ r, a, dtype, 200, "q r")
            near(h(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (2, q.shape[-1], q.shape[-1])), dtype, 200, "q")
        square = a @ h(a)
        near(ops.cholesky(array(square + np.eye(m, dtype=a.dtype))), np.linalg.cholesky(square.astype(np.complex128) + np.eye(m)), dtype, 500, "cholesky")
        b = a @ h(a) + 10 * np.eye(m, dtype=a.dtype) + np.triu(np.ones(m), 1).astype(a.dtype)
        y = array(b)
        near(ops.matmul(y, ops.solve(y, x)), a, dtype, 2000, "solve")
        for got, want, part in zip(ops.slogdet(y), np.linalg.slogdet(b.astype(np.complex128)), ("sign", "log")):
            near(got, want, dtype, 500, part)
        w, v = map(numpy, ops.eigh(array(square)))
        near(square @ v, v * w[:, None, :], dtype, 500, "eigh")
        w, v = map(numpy, ops.eig(y))
        near(b @ v, v * w[:, None, :], dtype, 2000, "eig")
    n = 120
    singular = np.ones((40, 40))
    raises(situ.SingularError, lambda: numpy(ops.inv(array(singular))), "singular")
    raises(situ.SingularError, lambda: numpy(ops.cholesky(array(-np.eye(40)))), "positive definite")
    a = rng.normal(size=(n, n))
    x = array(a)
    near(ops.matmul(x, ops.inv(x)), np.eye(n), "f64", 1e5, "inv")
    near(ops.svdvals(x), np.linalg.svd(a, compute_uv=False), "f64", 200, "svd")
    near(ops.eigvalsh(array(a + a.T)), np.linalg.eigvalsh(a + a.T), "f64", 200, "eigh")
    w, want = numpy(ops.eigvals(x)), np.linalg.eigvals(a)
    off = np.abs(w[:, None] - want[None, :])
    assert max(off.min(0).max(), off.min(1).max()) < 1e-10, "eig"
    w, v = map(numpy, ops.eig(x))
    near(a @ v, v * w, "f64", 1e4, "vectors")


def test_scale():
    """Near the ends of the range nothing overflows on the way."""
    a = np.array([[3.0, 1], [1, 2]])
    for factor in (1e-200, 1e200):
        x = array(a * factor)
        np.testing.assert_allclose(numpy(ops.svdvals(x)), np.linalg.svd(a, compute_uv=False) * factor, rtol=1e-14)
        np.testing.assert_allclose(numpy(ops.eigvalsh(x)), np.linalg.eigvalsh(a) * factor, rtol=1e-14)
        np.testing.assert_allclose(numpy(ops.qr(x)[1]), np.linalg.qr(a)[1] * factor, rtol=1e-13, atol=0)
    nan = array(np.array([[np.nan, 1], [1, 2]]))
    assert all(np.isnan(numpy(values(nan))).all() for values in (ops.svdvals, ops.eigvalsh, ops.eigvals))


def test_norms():
    rng = np.random.default_rng(9)
    for k in range(cases(40)):
        dtype = DTYPES[k % 4]
        m, n = (int(v) for v in rng.integers(1, 6, 2))
        x, a = draw(rng, (*batch(rng), m, n), dtype)
        keep = bool(rng.random() < 0.5)
        for how, order in (({}, "fro"), ({"order": "nuclear"}, "nuc"), *(({"order": "induced", "ord": float(o)}, o) for o in (1, -1, 2, -2, np.inf, -np.inf))):
            if not a.size:
                continue
            got = ops.matrix_norm(x, keepdims=keep, **how)
            assert got.dtype.short == REAL[dtype]
            near(got, np.linalg.norm(a, order, axis=(-2, -1), keepdims=keep), dtype, 100, f"matrix_norm {order} {dtype}{a.shape}")
    raises(situ.ArgumentError, lambda: ops.matrix_norm(array(np.ones((2, 2))), order="induced", ord=3.0), "ord is 3")


def test_products():
    rng = np.random.default_rng(10)
    for k in range(cases(40)):
        dtype = DTYPES[k % 4]
        device = pick(rng)
        x, a = operand(rng, (4, 3, 2), dtype, -2, 2, device=device)
        y, b = operand(rng, (3, 2) if k % 2 else (4, 3, 2), dtype, -2, 2, device=device)
        near(ops.cross(x, y, axis=-2), np.cross(a, b, axis=-2), dtype, 30, "cross")
        near(ops.vecdot(x, y, axis=-1), (a.conj() * b).sum(-1), dtype, 30, "vecdot")
        near(ops.vecdot(x, y, axis=-2), (a.conj() * b).sum(-2), dtype, 30, "vecdot")
        axes = ((1, -1), (-2, 1 if b.ndim == 2 else 2))
        near(ops.tensordot(x, y, *axes), np.tensordot(a, b, axes), dtype, 50, "tensordot")
        near(ops.tensordot(x, y, (), ()), np.tensordot(a, b, 0), dtype, 5, "tensordot of no axes")
        z, c = operand(rng, (2, 3, 3), dtype, -1, 1, device=device)
        c = c + 3 * np.eye(3, dtype=c.dtype)
        z = array(c, device=device)
        for power in (-2, -1, 0, 1, 2, 5):
            wide = c.astype(np.complex128 if dtype[0] == "c" else np.float64)
            near(ops.matrix_power(z, power), np.linalg.matrix_power(wide, power), dtype, 1000, f"matrix_power {power}")
    raises(situ.ShapeError, lambda: ops.cross(array(np.ones(2)), array(np.ones(2))), "vectors of 3")
    raises(situ.ShapeError, lambda: ops.tensordot(array(np.ones((2, 3))), array(np.ones((2, 3))), (1,), (0,)), "axis")


def check_gradient(f, reference, a, what):
    """The gradient of real(sum(weights f(a))), against differences along both parts (JAX: df/dx - i df/dy)."""
    x = array(a)
    y = f(x)
    rng = np.random.default_rng(1)
    shape = y.shape
    weights = rng.normal(size=shape) + (1j * rng.normal(size=shape) if y.dtype.short[0] == "c" else 0)
    total = ops.real(ops.sum(ops.mul(y, array(weights))))
    got = numpy(situ.gradients(total, [x])[0])
    want = np.zeros(a.shape, a.dtype)
    for at in np.ndindex(*a.shape):
        for part, factor in ((1, 1), (1j, -1j)) if a.dtype.kind == "c" else ((1, 1),):
            step = np.zeros(a.shape, a.dtype)
            step[at] = part * 1e-6
            slope = ((reference(a + step) * weights).sum() - (reference(a - step) * weights).sum()).real / 2e-6
            want[at] += factor * slope
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6, err_msg=what)


def test_gradients():
    rng = np.random.default_rng(11)
    for kind in ("f64", "c128"):
        a = rng.normal(size=(2, 3, 3)) + (1j * rng.normal(size=(2, 3, 3)) if kind == "c128" else 0) + 3 * np.eye(3)
        b = rng.normal(size=(2, 3, 2)) + (1j * rng.normal(size=(2, 3, 2)) if kind == "c128" else 0)
        check_gradient(ops.det, np.linalg.det, a, "det")
        check_gradient(ops.inv, np.linalg.inv, a, "inv")
        y = array(b)
        check_gradient(lambda t: ops.solve(t, y), lambda t: np.linalg.solve(t, b), a, "solve by a")
        x = array(a)
        check_gradient(lambda t: ops.solve(x, t), lambda t: np.linalg.solve(a, t), b, "solve by b")
        hermitian = a @ h(a)
        symmetric = lambda t: ops.mul(ops.add(t, ops.conj(ops.transpose(t))), 0.5)
        check_gradient(lambda t: ops.cholesky(symmetric(t)), lambda t: np.linalg.cholesky((t + h(t)) / 2), hermitian, "cholesky")

        check_gradient(lambda t: ops.slogdet(t)[1], lambda t: np.linalg.slogdet(t)[1], a, "slogdet")
        check_gradient(lambda t: ops.matrix_power(t, 3), lambda t: np.linalg.matrix_power(t, 3), a, "matrix_power")
        check_gradient(lambda t: ops.slogdet(t)[0], lambda t: np.linalg.slogdet(t)[0], a, "phase")
        check_gradient(ops.pinv, np.linalg.pinv, a, "pinv")
        check_gradient(lambda t: ops.eigvalsh(symmetric(t)), lambda t: np.linalg.eigvalsh((t + h(t)) / 2), hermitian, "eigh")
        check_vectors(a, hermitian, symmetric)
    tall = array(np.ones((3, 2)))
    raises(situ.GradientError, lambda: situ.gradients(ops.sum(ops.qr(tall, True)[0]), [tall])[0], "columns of Q")


def sizes(t):
    return ops.add(ops.square(ops.real(t)), ops.square(ops.imag(t)))


def check_vectors(a, hermitian, symmetric):
    """What does not change when vectors turn: sizes of their elements, and products of one with another's conjugate."""
    def eigh(t):
        values, vectors = ops.eigh(symmetric(t))
        return ops.mul(sizes(vectors), ops.expand_dims(values, -2))

    def numpy_eigh(t):
        w, v = np.linalg.eigh((t + h(t)) / 2)
        return np.abs(v)**2 * w[..., None, :]

    def eig(t):
        values, vectors = ops.eig(t)
        return ops.sum(ops.mul(sizes(vectors), ops.expand_dims(values, -2)), axis=(-1,))

    def numpy_eig(t):
        w, v = np.linalg.eig(t)
        return (np.abs(v)**2 * w[..., None, :]).sum(-1)

    def svd(t):
        u, s, vh = ops.svd(t, full_matrices=False)
        return ops.add(ops.matmul(ops.mul(u, ops.expand_dims(ops.sqrt(s), -2)), vh), ops.matmul(sizes(u), sizes(vh)))

    def numpy_svd(t):
        u, s, vh = np.linalg.svd(t, full_matrices=False)
        return (u * np.sqrt(s)[..., None, :]) @ vh + np.abs(u)**2 @ np.abs(vh)**2

    def qr(t):
        q, r = ops.qr(t)
        return ops.matmul(sizes(q), sizes(r))

    def numpy_qr(t):
        q, r = np.linalg.qr(t)
        return np.abs(q)**2 @ np.abs(r)**2
    check_gradient(eigh, numpy_eigh, hermitian, "eigh with vectors")
    check_gradient(eig, numpy_eig, a, "eig with vectors")
    for part in (a, a[..., :2], a[:, :2]):
        check_gradient(svd, numpy_svd, part, "svd with vectors")
        check_gradient(qr, numpy_qr, part, "qr")


if __name__ == "__main__":
    run(globals())
