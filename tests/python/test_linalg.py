"""Linear algebra against NumPy: factors multiply to the matrix, values agree with NumPy's in double precision, errors come at
the right time, gradients agree with differences."""
import os
import subprocess
import sys

import numpy as np

from operands import operand, same
from situ_ctypes import NUMPY, Out, SituError, cases, run_tests, situ

DEVICES = [situ.cpu()] * 3 + [situ.gpu(i) for i in range(situ.num_gpus())]
DTYPES = ["f32", "f64", "c64", "c128"]
EPS = {"f32": 2.0**-23, "c64": 2.0**-23, "f64": 2.0**-52, "c128": 2.0**-52}
REAL = {"f32": "f32", "c64": "f32", "f64": "f64", "c128": "f64"}


def h(a):
    return np.conj(np.swapaxes(a, -1, -2))


def draw(rng, shape, dtype):
    """A matrix on some device, in some layout, and its values in double precision."""
    t, a = operand(rng, shape, dtype, -2, 2, device=DEVICES[rng.integers(len(DEVICES))])
    return t, a.astype(np.complex128 if dtype[0] == "c" else np.float64)


def batch(rng):
    return tuple(int(v) for v in rng.integers(0 if rng.random() < 0.1 else 1, 3, rng.integers(0, 3)))


def near(got, want, dtype, units, what):
    got = np.asarray(got.numpy() if hasattr(got, "numpy") else got)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, not {want.shape}"
    scale = max(1, np.abs(want).max(initial=0))
    off = np.abs(got - want).max(initial=0) / scale
    assert off <= units * EPS[dtype], f"{what}: off by {off / EPS[dtype]:.3g} units"


def refused(code, call, *words):
    try:
        result = call()
        if result is not None:
            result.numpy()
    except SituError as error:
        assert error.code == getattr(situ, code), f"{error}"
        for word in words:
            assert word in error.message, error.message
        return
    raise AssertionError(f"not refused with {code}")


def test_cholesky():
    rng = np.random.default_rng(1)
    for k in range(cases(60)):
        dtype, n = DTYPES[k % 4], int(rng.integers(0, 9))
        with situ.scope():
            _, b = draw(rng, (*batch(rng), n, n + 2), dtype)
            a = (b @ h(b) + np.eye(n)).astype(NUMPY[dtype])
            lower = situ.cholesky(situ.array(a))
            assert lower.dtype == dtype
            near(lower, np.linalg.cholesky(a.astype(b.dtype)) if a.size else a, dtype, 100, f"cholesky {dtype}{a.shape}")
            near(situ.cholesky(situ.array(a), upper=True), h(lower.numpy()), dtype, 0, "upper")
            upper_ignored = a + np.triu(np.full(a.shape, 7), 1).astype(a.dtype)
            assert same(situ.cholesky(situ.array(upper_ignored)).numpy(), lower.numpy()), "the upper triangle is not read"
    with situ.scope():
        refused("SINGULAR", lambda: situ.cholesky(situ.array(np.array([[1.0, 2], [2, 1]]))), "cholesky", "positive definite")
        refused("BAD_SHAPE", lambda: situ.cholesky(situ.array(np.ones((2, 3)))), "square")
        refused("BAD_DTYPE", lambda: situ.cholesky(situ.cast(situ.array(np.ones((2, 2))), "f16")), "f16")


def test_solve():
    rng = np.random.default_rng(2)
    for k in range(cases(80)):
        dtype, n = DTYPES[k % 4], int(rng.integers(0, 9))
        with situ.scope():
            lead = batch(rng)
            device = DEVICES[rng.integers(len(DEVICES))]
            x, a = operand(rng, (*lead, n, n), dtype, -1, 1, device=device)
            a = a + 3 * np.eye(n, dtype=a.dtype)
            x = situ.array(a, device=device)
            shape = (n,) if rng.random() < 0.3 else (*(lead if rng.random() < 0.5 else ()), n, int(rng.integers(0, 4)))
            y, b = operand(rng, shape, dtype, -1, 1, device=device)
            wide = np.complex128 if dtype[0] == "c" else np.float64
            right = b.astype(wide)[:, None] if b.ndim == 1 else b.astype(wide)
            right = np.broadcast_to(right, (*a.shape[:-2], *right.shape[-2:]))  # NumPy 1 takes fewer axes for vectors
            want = np.linalg.solve(a.astype(wide), right)
            want = want[..., 0] if b.ndim == 1 else want
            near(situ.solve(x, y), want, dtype, 200, f"solve {dtype}{a.shape}{b.shape}")
            near(situ.inv(x), np.linalg.inv(a.astype(wide)), dtype, 200, f"inv {dtype}{a.shape}")
    with situ.scope():
        singular = situ.array(np.array([[1.0, 2], [2, 4]]))
        refused("SINGULAR", lambda: situ.inv(singular), "singular")
        refused("SINGULAR", lambda: situ.solve(singular, situ.array(np.ones(2))), "singular")
        refused("BAD_SHAPE", lambda: situ.inv(situ.array(np.ones((2, 3)))), "square")
        refused("BAD_SHAPE", lambda: situ.solve(situ.array(np.ones((2, 2))), situ.array(np.ones((3, 1)))), "rows")


def test_det():
    rng = np.random.default_rng(3)
    for k in range(cases(60)):
        dtype, n = DTYPES[k % 4], int(rng.integers(0, 8))
        with situ.scope():
            x, a = draw(rng, (*batch(rng), n, n), dtype)
            scale = np.prod(np.linalg.norm(a, axis=-1), axis=-1).max(initial=1)
            near(situ.div(situ.det(x), float(scale)), np.linalg.det(a) / scale, dtype, 50, f"det {dtype}{a.shape}")
            log = Out()
            sign = situ.slogdet(x, log=log)
            want = np.linalg.slogdet(a)
            assert sign.dtype == dtype and log.tensor.dtype == REAL[dtype]
            if n and a.size and np.linalg.cond(a).max() > 1e4:
                continue
            near(sign, want[0], dtype, 1e5, "sign")
            near(log.tensor, want[1], REAL[dtype], 1e5, "logarithm")
    with situ.scope():
        zero = situ.array(np.zeros((3, 3)))
        log = Out()
        assert situ.det(zero).numpy() == 0 and situ.slogdet(zero, log=log).numpy() == 0 and log.tensor.numpy() == -np.inf


def test_qr():
    rng = np.random.default_rng(4)
    for k in range(cases(80)):
        dtype = DTYPES[k % 4]
        m, n = (int(v) for v in rng.integers(0, 9, 2))
        with situ.scope():
            x, a = draw(rng, (*batch(rng), m, n), dtype)
            for complete in (False, True):
                r = Out()
                q = situ.qr(x, r=r, complete=complete)
                want = np.linalg.qr(a, "complete" if complete else "reduced")
                assert q.shape == want[0].shape and r.tensor.shape == want[1].shape, f"{q.shape} {r.tensor.shape}"
                q, r = q.numpy(), r.tensor.numpy()
                near(q @ r, a, dtype, 50, f"q r {dtype}{a.shape}")
                near(h(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*a.shape[:-2], q.shape[-1], q.shape[-1])), dtype, 50, "orthonormal")
                assert same(np.triu(r), r), "r is triangular"
                near(r, want[1], dtype, 100, "r as LAPACK's")


def test_eigh():
    rng = np.random.default_rng(5)
    for k in range(cases(60)):
        dtype, n = DTYPES[k % 4], int(rng.integers(0, 10))
        with situ.scope():
            _, b = draw(rng, (*batch(rng), n, n), dtype)
            a = (b + h(b)).astype(NUMPY[dtype])
            if k % 5 == 0 and n > 2:
                a[..., 1:, :] = 0
                a[..., :, 1:] = 0
            vectors = Out()
            w = situ.eigh(situ.array(a), vectors=vectors)
            v = vectors.tensor
            assert w.dtype == REAL[dtype] and v.dtype == dtype
            want = np.linalg.eigvalsh(a.astype(b.dtype))
            near(w, want, dtype, 50, f"eigh {dtype}{a.shape}")
            near(situ.eigh(situ.array(a)), w.numpy(), dtype, 4, "values alone")
            w, v = w.numpy(), v.numpy()
            near(a @ v, v * w[..., None, :], dtype, 100, "a v = v w")
            near(h(v) @ v, np.broadcast_to(np.eye(n), a.shape), dtype, 50, "orthonormal")


def test_svd():
    rng = np.random.default_rng(6)
    for k in range(cases(100)):
        dtype = DTYPES[k % 4]
        m, n = (int(v) for v in rng.integers(0, 9, 2))
        with situ.scope():
            x, a = draw(rng, (*batch(rng), m, n), dtype)
            if k % 4 == 3 and min(m, n) > 1:  # not of full rank
                a = (a[..., :, :1] * a[..., :1, :]).astype(NUMPY[dtype])
                x = situ.array(a)
            want = np.linalg.svd(a, compute_uv=False) if a.size else np.zeros((*a.shape[:-2], min(m, n)))
            near(situ.svd(x), want, dtype, 100, f"svd {dtype}{a.shape}")
            for full in (False, True):
                u, vh = Out(), Out()
                s = situ.svd(x, full=full, u=u, vh=vh)
                u, vh, least = u.tensor.numpy(), vh.tensor.numpy(), min(m, n)
                assert s.dtype == REAL[dtype]
                near(s, want, dtype, 100, "s")
                left, right = (m, n) if full else (least, least)
                assert u.shape == (*a.shape[:-2], m, left) and vh.shape == (*a.shape[:-2], right, n), f"{u.shape} {vh.shape}"
                near(u[..., :least] * s.numpy()[..., None, :] @ vh[..., :least, :], a, dtype, 100, "u s vh")
                near(h(u) @ u, np.broadcast_to(np.eye(left), (*a.shape[:-2], left, left)), dtype, 100, "u is orthonormal")
                near(vh @ h(vh), np.broadcast_to(np.eye(right), (*a.shape[:-2], right, right)), dtype, 100, "v is orthonormal")
            if m and n:
                ranks = np.linalg.matrix_rank(a, tol=np.asarray(want.max(-1) * max(m, n) * EPS[dtype]))
                assert same(situ.matrix_rank(x).numpy(), ranks), "rank"
                near(situ.pinv(x, rtol=1e-3), np.linalg.pinv(a, rcond=1e-3), dtype, 2e4, "pinv")


def test_eig():
    rng = np.random.default_rng(7)
    for k in range(cases(80)):
        dtype, n = DTYPES[k % 4], int(rng.integers(0, 9))
        with situ.scope():
            x, a = draw(rng, (*batch(rng), n, n), dtype)
            if k % 7 == 0 and n:
                a = np.broadcast_to(np.roll(np.eye(n), 1, 0), a.shape).astype(NUMPY[dtype])  # all of one size
                x = situ.array(a)
            vectors = Out()
            w = situ.eig(x, vectors=vectors)
            want = "c64" if REAL[dtype] == "f32" else "c128"
            assert w.dtype == want and vectors.tensor.dtype == want
            w, v = w.numpy(), vectors.tensor.numpy()
            near(a @ v, v * w[..., None, :], dtype, 500, f"eig {dtype}{a.shape}")
            near(np.linalg.norm(v, axis=-2), np.ones(w.shape), dtype, 4, "length")
            near(w.sum(-1), np.trace(a, axis1=-2, axis2=-1).astype(w.dtype), dtype, 500, "trace")
            alone = situ.eig(x).numpy()
            near(np.sort_complex(np.round(alone, 3)), np.sort_complex(np.round(w, 3)), dtype, 1e5, "values alone")
    with situ.scope():
        defective = np.array([[2.0, 1, 0], [0, 2, 1], [0, 0, 2]])
        vectors = Out()
        w = situ.eig(situ.array(defective), vectors=vectors).numpy()
        v = vectors.tensor.numpy()
        near(defective @ v, v * w, "f64", 1e3, "a defective matrix")


def test_of_our_own():
    """Without a LAPACK: the same tests of larger matrices."""
    if os.environ.get("SITU_LAPACK") == "own":
        return "this is it"
    run = subprocess.run([sys.executable, __file__, "larger", "scale"], env={**os.environ, "SITU_LAPACK": "own"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_larger():
    """Sizes at which a wrong order of the work shows; from 32 on a LAPACK may serve."""
    rng = np.random.default_rng(8)
    for dtype, m, n in (("f64", 50, 40), ("c128", 40, 50), ("f32", 64, 33), ("c64", 33, 70)):
        a = (rng.normal(size=(2, m, n)) + (1j * rng.normal(size=(2, m, n)) if dtype[0] == "c" else 0)).astype(NUMPY[dtype])
        with situ.scope():
            x = situ.array(a)
            for full in (False, True):
                u, vh, r = Out(), Out(), Out()
                s = situ.svd(x, full=full, u=u, vh=vh).numpy()
                u, vh, least = u.tensor.numpy(), vh.tensor.numpy(), min(m, n)
                near(u[..., :least] * s[..., None, :] @ vh[..., :least, :], a, dtype, 200, "u s vh")
                near(h(u) @ u, np.broadcast_to(np.eye(u.shape[-1]), (2, u.shape[-1], u.shape[-1])), dtype, 200, "u")
                near(situ.svd(x), s, dtype, 100, "values alone")
                q = situ.qr(x, r=r, complete=full).numpy()
                near(q @ r.tensor.numpy(), a, dtype, 200, "q r")
                near(h(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (2, q.shape[-1], q.shape[-1])), dtype, 200, "q")
            square = a @ h(a)
            near(situ.cholesky(situ.array(square + np.eye(m, dtype=a.dtype))), np.linalg.cholesky(square.astype(np.complex128) + np.eye(m)), dtype, 500, "cholesky")
            b = a @ h(a) + 10 * np.eye(m, dtype=a.dtype) + np.triu(np.ones(m), 1).astype(a.dtype)
            y = situ.array(b)
            near(situ.matmul(y, situ.solve(y, x)), a, dtype, 2000, "solve")
            log = Out()
            near(situ.slogdet(y, log=log), np.linalg.slogdet(b.astype(np.complex128))[0], dtype, 500, "sign")
            near(log.tensor, np.linalg.slogdet(b.astype(np.complex128))[1], dtype, 500, "log")
            vectors = Out()
            w = situ.eigh(situ.array(square), vectors=vectors).numpy()
            v = vectors.tensor.numpy()
            near(square @ v, v * w[:, None, :], dtype, 500, "eigh")
            w = situ.eig(y, vectors=vectors).numpy()
            v = vectors.tensor.numpy()
            near(b @ v, v * w[:, None, :], dtype, 2000, "eig")
    n = 120
    with situ.scope():
        singular = np.ones((40, 40))
        refused("SINGULAR", lambda: situ.inv(situ.array(singular)), "singular")
        refused("SINGULAR", lambda: situ.cholesky(situ.array(-np.eye(40))), "positive definite")
        a = rng.normal(size=(n, n))
        x = situ.array(a)
        near(situ.matmul(x, situ.inv(x)), np.eye(n), "f64", 1e5, "inv")
        near(situ.svd(x), np.linalg.svd(a, compute_uv=False), "f64", 200, "svd")
        near(situ.eigh(situ.array(a + a.T)), np.linalg.eigvalsh(a + a.T), "f64", 200, "eigh")
        w, want = situ.eig(x).numpy(), np.linalg.eigvals(a)
        off = np.abs(w[:, None] - want[None, :])
        assert max(off.min(0).max(), off.min(1).max()) < 1e-10, "eig"
        vectors = Out()
        w = situ.eig(x, vectors=vectors).numpy()
        v = vectors.tensor.numpy()
        near(a @ v, v * w, "f64", 1e4, "vectors")


def test_scale():
    """Near the ends of the range nothing overflows on the way."""
    with situ.scope():
        a = np.array([[3.0, 1], [1, 2]])
        for factor in (1e-200, 1e200):
            x = situ.array(a * factor)
            np.testing.assert_allclose(situ.svd(x).numpy(), np.linalg.svd(a, compute_uv=False) * factor, rtol=1e-14)
            np.testing.assert_allclose(situ.eigh(x).numpy(), np.linalg.eigvalsh(a) * factor, rtol=1e-14)
            r = Out()
            situ.qr(x, r=r)
            np.testing.assert_allclose(r.tensor.numpy(), np.linalg.qr(a)[1] * factor, rtol=1e-13, atol=0)
        nan = situ.array(np.array([[np.nan, 1], [1, 2]]))
        assert np.isnan(situ.svd(nan).numpy()).all() and np.isnan(situ.eigh(nan).numpy()).all() and np.isnan(situ.eig(nan).numpy()).all()


def test_norms():
    rng = np.random.default_rng(9)
    induced = situ.INDUCED
    for k in range(cases(40)):
        dtype = DTYPES[k % 4]
        m, n = (int(v) for v in rng.integers(1, 6, 2))
        with situ.scope():
            x, a = draw(rng, (*batch(rng), m, n), dtype)
            keep = bool(rng.random() < 0.5)
            for how, order in (({}, "fro"), ({"order": situ.NUCLEAR}, "nuc"), *(({"order": induced, "ord": float(o)}, o) for o in (1, -1, 2, -2, np.inf, -np.inf))):
                if not a.size:
                    continue
                got = situ.matrix_norm(x, keepdims=keep, **how)
                assert got.dtype == REAL[dtype]
                near(got, np.linalg.norm(a, order, axis=(-2, -1), keepdims=keep), dtype, 100, f"matrix_norm {order} {dtype}{a.shape}")
    with situ.scope():
        refused("BAD_ARGUMENT", lambda: situ.matrix_norm(situ.array(np.ones((2, 2))), order=induced, ord=3.0), ".ord")


def test_products():
    rng = np.random.default_rng(10)
    for k in range(cases(40)):
        dtype = DTYPES[k % 4]
        with situ.scope():
            device = DEVICES[rng.integers(len(DEVICES))]
            x, a = operand(rng, (4, 3, 2), dtype, -2, 2, device=device)
            y, b = operand(rng, (3, 2) if k % 2 else (4, 3, 2), dtype, -2, 2, device=device)
            near(situ.cross(x, y, axis=-2), np.cross(a, b, axis=-2), dtype, 30, "cross")
            near(situ.vecdot(x, y, axis=-1), (a.conj() * b).sum(-1), dtype, 30, "vecdot")
            near(situ.vecdot(x, y, axis=-2), (a.conj() * b).sum(-2), dtype, 30, "vecdot")
            axes = ((1, -1), (-2, 1 if b.ndim == 2 else 2))
            near(situ.tensordot(x, y, *axes), np.tensordot(a, b, axes), dtype, 50, "tensordot")
            near(situ.tensordot(x, y, (), ()), np.tensordot(a, b, 0), dtype, 5, "tensordot of no axes")
            z, c = operand(rng, (2, 3, 3), dtype, -1, 1, device=device)
            c = c + 3 * np.eye(3, dtype=c.dtype)
            z = situ.array(c, device=device)
            for power in (-2, -1, 0, 1, 2, 5):
                wide = c.astype(np.complex128 if dtype[0] == "c" else np.float64)
                near(situ.matrix_power(z, power), np.linalg.matrix_power(wide, power), dtype, 1000, f"matrix_power {power}")
    with situ.scope():
        refused("BAD_SHAPE", lambda: situ.cross(situ.array(np.ones(2)), situ.array(np.ones(2))), "vectors of 3")
        refused("BAD_SHAPE", lambda: situ.tensordot(situ.array(np.ones((2, 3))), situ.array(np.ones((2, 3))), (1,), (0,)), "axis")


def check_gradient(f, reference, a, what):
    """The gradient of real(sum(weights f(a))), against differences along both parts (JAX: df/dx - i df/dy)."""
    x = situ.array(a)
    y = f(x)
    rng = np.random.default_rng(1)
    shape = y.shape
    weights = rng.normal(size=shape) + (1j * rng.normal(size=shape) if y.dtype[0] == "c" else 0)
    total = situ.real(situ.sum(situ.mul(y, situ.array(weights))))
    got = situ.gradients(total, [x])[0].numpy()
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
    with situ.scope():
        for kind in ("f64", "c128"):
            a = rng.normal(size=(2, 3, 3)) + (1j * rng.normal(size=(2, 3, 3)) if kind == "c128" else 0) + 3 * np.eye(3)
            b = rng.normal(size=(2, 3, 2)) + (1j * rng.normal(size=(2, 3, 2)) if kind == "c128" else 0)
            check_gradient(situ.det, np.linalg.det, a, "det")
            check_gradient(situ.inv, np.linalg.inv, a, "inv")
            y = situ.array(b)
            check_gradient(lambda t: situ.solve(t, y), lambda t: np.linalg.solve(t, b), a, "solve by a")
            x = situ.array(a)
            check_gradient(lambda t: situ.solve(x, t), lambda t: np.linalg.solve(a, t), b, "solve by b")
            hermitian = a @ h(a)
            symmetric = lambda t: situ.mul(situ.add(t, situ.conj(situ.transpose(t))), 0.5)
            check_gradient(lambda t: situ.cholesky(symmetric(t)), lambda t: np.linalg.cholesky((t + h(t)) / 2), hermitian, "cholesky")

            def log_of(t):
                log = Out()
                situ.slogdet(t, log=log)
                return log.tensor
            check_gradient(log_of, lambda t: np.linalg.slogdet(t)[1], a, "slogdet")
            check_gradient(lambda t: situ.matrix_power(t, 3), lambda t: np.linalg.matrix_power(t, 3), a, "matrix_power")
            check_gradient(situ.slogdet, lambda t: np.linalg.slogdet(t)[0], a, "phase")
            check_gradient(situ.pinv, np.linalg.pinv, a, "pinv")
            check_gradient(lambda t: situ.eigh(symmetric(t)), lambda t: np.linalg.eigvalsh((t + h(t)) / 2), hermitian, "eigh")
            check_vectors(a, hermitian, symmetric)
        tall = situ.array(np.ones((3, 2)))
        refused("NO_GRADIENT", lambda: situ.gradients(situ.sum(situ.qr(tall, complete=True)), [tall])[0], "columns of Q")


def sizes(t):
    return situ.add(situ.square(situ.real(t)), situ.square(situ.imag(t)))


def check_vectors(a, hermitian, symmetric):
    """What does not change when vectors turn: sizes of their elements, and products of one with another's conjugate."""
    def eigh(t):
        vectors = Out()
        values = situ.eigh(symmetric(t), vectors=vectors)
        return situ.mul(sizes(vectors.tensor), situ.expand_dims(values, -2))

    def numpy_eigh(t):
        w, v = np.linalg.eigh((t + h(t)) / 2)
        return np.abs(v)**2 * w[..., None, :]

    def eig(t):
        vectors = Out()
        values = situ.eig(t, vectors=vectors)
        return situ.sum(situ.mul(sizes(vectors.tensor), situ.expand_dims(values, -2)), axes=(-1,))

    def numpy_eig(t):
        w, v = np.linalg.eig(t)
        return (np.abs(v)**2 * w[..., None, :]).sum(-1)

    def svd(t):
        u, vh = Out(), Out()
        s = situ.svd(t, u=u, vh=vh)
        return situ.add(situ.matmul(situ.mul(u.tensor, situ.expand_dims(situ.sqrt(s), -2)), vh.tensor), situ.matmul(sizes(u.tensor), sizes(vh.tensor)))

    def numpy_svd(t):
        u, s, vh = np.linalg.svd(t, full_matrices=False)
        return (u * np.sqrt(s)[..., None, :]) @ vh + np.abs(u)**2 @ np.abs(vh)**2

    def qr(t):
        r = Out()
        q = situ.qr(t, r=r)
        return situ.matmul(sizes(q), sizes(r.tensor))

    def numpy_qr(t):
        q, r = np.linalg.qr(t)
        return np.abs(q)**2 @ np.abs(r)**2
    check_gradient(eigh, numpy_eigh, hermitian, "eigh with vectors")
    check_gradient(eig, numpy_eig, a, "eig with vectors")
    for part in (a, a[..., :2], a[:, :2]):
        check_gradient(svd, numpy_svd, part, "svd with vectors")
        check_gradient(qr, numpy_qr, part, "qr")


if __name__ == "__main__":
    run_tests(sys.modules[__name__])
