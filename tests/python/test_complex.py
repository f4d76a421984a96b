"""Complex numbers against NumPy: elementwise operations, reductions, products, moves, special values and gradients."""
import itertools
import sys

import numpy as np

from operands import COMPLEX, broadcastable, difference, operand, random_shape, same
from situ_ctypes import NUMPY, SituError, cases, run_tests, situ

DEVICES = [situ.cpu()] * 3 + [situ.gpu(i) for i in range(situ.num_gpus())]
EPS = {"c64": 2.0**-23, "c128": 2.0**-52}
WIDE = {"c64": np.complex128, "c128": np.clongdouble}


def pick(rng):
    return DEVICES[rng.integers(len(DEVICES))]


def log1p(z):
    return np.log(1 + z)


ONE = {"negative": np.negative, "positive": np.positive, "abs": np.abs, "sign": lambda z: z / np.abs(z), "square": np.square,
       "reciprocal": np.reciprocal, "sqrt": np.sqrt, "rsqrt": lambda z: 1 / np.sqrt(z), "exp": np.exp, "exp2": lambda z: np.exp(z * np.log(np.longdouble(2))),
       "expm1": lambda z: np.exp(z) - 1, "log": np.log, "log2": lambda z: np.log(z) / np.log(np.longdouble(2)),
       "log10": lambda z: np.log(z) / np.log(np.longdouble(10)), "log1p": log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan,
       "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
       "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh}
TWO = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power}
EXACT_ONE = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "round": np.round, "conj": np.conj, "real": np.real, "imag": np.imag}
EXACT_TWO = {"equal": np.equal, "not_equal": np.not_equal}


def close(got, want, dtype, units, what, scale=0):
    """Within `units` of the size of the whole number."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, not {want.shape}"
    with np.errstate(all="ignore"):
        bad = np.abs(got.astype(want.dtype) - want) > EPS[dtype] * units * (np.abs(want) + scale)
        bad &= ~((got != got) & (want != want))
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        raise AssertionError(f"{what}: at {at} {got[at]!r}, not {want[at]!r}")


def test_one_operand():
    rng = np.random.default_rng(1)
    for k, dtype in itertools.product(range(cases(6)), COMPLEX):
        for name, reference in ONE.items():
            with situ.scope():
                x, a = operand(rng, random_shape(rng), dtype, -3, 3, device=pick(rng))
                y = getattr(situ, name)(x)
                assert y.dtype == (dtype if name != "abs" else {"c64": "f32", "c128": "f64"}[dtype]), f"{name}: {y.dtype}"
                close(y.numpy(), reference(a.astype(WIDE[dtype])), dtype, 8, f"{name} {dtype}{a.shape}")


def test_two_operands():
    rng = np.random.default_rng(2)
    for k, dtype in itertools.product(range(cases(12)), COMPLEX):
        for name, reference in TWO.items():
            with situ.scope():
                shape, device = random_shape(rng), pick(rng)
                x, a = operand(rng, shape, dtype, -2, 2, device=device)
                y, b = operand(rng, broadcastable(rng, shape), dtype, -2, 2, device=device)
                z = getattr(situ, name)(x, y)
                assert z.dtype == dtype
                close(z.numpy(), reference(a.astype(WIDE[dtype]), b.astype(WIDE[dtype])), dtype, 16 if name == "pow" else 4,
                      f"{name} {dtype}{a.shape}{b.shape}", scale=0 if name != "add" else 1)


def test_exact():
    rng = np.random.default_rng(3)
    special = np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan])
    grid = np.array([complex(x, y) for x in special for y in special])
    for dtype in COMPLEX:
        a = grid.astype(NUMPY[dtype])
        with situ.scope(), np.errstate(all="ignore"):
            x = situ.array(a)
            for name, reference in EXACT_ONE.items():
                got = getattr(situ, name)(x).numpy()
                assert same(got, reference(a)), f"{name} {dtype}: {difference(got, reference(a))}"
            b = rng.permutation(a)
            for name, reference in EXACT_TWO.items():
                got = getattr(situ, name)(x, situ.array(b)).numpy()
                assert same(got, reference(a, b)), f"{name} {dtype}: {difference(got, reference(a, b))}"
            mask = rng.random(a.shape) < 0.5
            got = situ.where(situ.array(mask), x, situ.array(b)).numpy()
            assert same(got, np.where(mask, a, b)), "where"
            got = situ.where(situ.array(mask), x, 2).numpy()
            assert same(got, np.where(mask, a, NUMPY[dtype].type(2))), "where with a number"


def test_special_values():
    """Annex G: the same infinities, NaNs and signs of zero as NumPy where it follows the standard."""
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])
    grid = np.array([complex(x, y) for x in special for y in special])
    skip = {"sign", "rsqrt", "exp2", "log2", "log10", "square", "reciprocal", "expm1", "log1p", "negative", "positive"}
    with situ.scope(), np.errstate(all="ignore"):
        for name in sorted(ONE.keys() - skip):
            got, want = getattr(situ, name)(situ.array(grid)).numpy(), ONE[name](grid)
            for z, g, w in zip(grid, got, want):
                for gp, wp in ((g.real, w.real), (g.imag, w.imag)):
                    fine = (np.isnan(gp) and np.isnan(wp)) or (gp == wp) or abs(gp - wp) < 1e-15 or (np.isinf(gp) and np.isinf(wp))
                    assert fine, f"{name}({z}) = {g}, not {w}"
        table = {"expm1": [(0, 0, 0, 0), (np.inf, 0, np.inf, 0), (-np.inf, 1, -1, 0), (np.nan, 0, np.nan, 0), (-np.inf, np.nan, -1, 0),
                           (1, np.inf, np.nan, np.nan), (np.inf, np.inf, np.inf, np.nan), (np.inf, np.nan, np.inf, np.nan)],
                 "log1p": [(-1, 0, -np.inf, 0), (1, np.inf, np.inf, np.pi / 2), (-np.inf, 1, np.inf, np.pi), (np.inf, 1, np.inf, 0),
                           (-np.inf, np.inf, np.inf, 3 * np.pi / 4), (np.inf, np.inf, np.inf, np.pi / 4), (np.nan, np.inf, np.inf, np.nan),
                           (np.nan, 1, np.nan, np.nan), (np.inf, np.nan, np.inf, np.nan)]}
        for name, rows in table.items():
            got = getattr(situ, name)(situ.array(np.array([complex(r[0], r[1]) for r in rows]))).numpy()
            for row, g in zip(rows, got):
                for gp, wp in ((abs(g.real) if np.isinf(row[2]) and row[2] > 0 else g.real, row[2]), (abs(g.imag), abs(row[3]))):
                    assert (np.isnan(gp) and np.isnan(wp)) or gp == wp or abs(gp - wp) < 1e-15, f"{name}{row[:2]} = {g}"


def test_accurate_near_zero():
    """expm1 and log1p keep their digits near 0."""
    rng = np.random.default_rng(5)
    z = (rng.uniform(-1, 1, 200) + 1j * rng.uniform(-1, 1, 200)) * 10.0 ** rng.uniform(-12, -1, 200)
    wide = z.astype(np.clongdouble)
    with situ.scope():
        series = wide + wide**2 / 2 + wide**3 / 6 + wide**4 / 24 + wide**5 / 120 + wide**6 / 720 + wide**7 / 5040 + wide**8 / 40320 + wide**9 / 362880 + wide**10 / 3628800
        close(situ.expm1(situ.array(z)).numpy(), series, "c128", 8, "expm1")
        small = np.abs(z) < 1e-3
        logarithm = sum((-1) ** (n + 1) * wide**n / n for n in range(1, 9))
        close(situ.log1p(situ.array(z)).numpy()[small], logarithm[small], "c128", 8, "log1p")


def test_mixed_operands():
    rng = np.random.default_rng(6)
    with situ.scope():
        for other, result in (("f32", "c64"), ("f64", "c128"), ("i32", "c64"), ("bool", "c64"), ("c128", "c128")):
            x, a = operand(rng, (3, 4), "c64", -3, 3)
            y, b = operand(rng, (4,), other, 0, 3)
            z = situ.mul(x, y)
            assert z.dtype == result, f"c64 * {other}: {z.dtype}"
            close(z.numpy(), a * b.astype(NUMPY["c128"]), "c64", 4, f"c64 * {other}")
        x, a = operand(rng, (5,), "c64", -3, 3)
        for number in (2, 2.5, True):
            z = situ.mul(number, situ.add(x, number))
            assert z.dtype == "c64"
            close(z.numpy(), number * (a + number), "c64", 4, f"with {number}")


def test_reductions():
    rng = np.random.default_rng(7)
    for k in range(cases(60)):
        dtype = COMPLEX[k % 2]
        with situ.scope():
            x, a = operand(rng, random_shape(rng), dtype, -1, 1, device=pick(rng))
            axes = tuple(i for i in range(a.ndim) if rng.random() < 0.5)
            keep = bool(rng.random() < 0.5)
            wide = a.astype(WIDE[dtype])
            for name, reference in (("sum", np.sum), ("prod", np.prod), ("mean", np.mean)):
                count = int(np.prod([a.shape[i] for i in axes]))
                if name == "mean" and not count:
                    continue
                y = getattr(situ, name)(x, axes=axes, keepdims=keep)
                assert y.dtype == dtype
                close(y.numpy(), reference(wide, axis=axes, keepdims=keep), dtype, 4 * max(count, 1), f"{name} {dtype}{a.shape} {axes}",
                      scale=max(count, 1) if name != "prod" else 0)
            for name, reference in (("any", np.any), ("all", np.all)):
                assert same(getattr(situ, name)(x, axes=axes).numpy(), reference(a, axis=axes)), name
            if a.ndim:
                axis = int(rng.integers(a.ndim))
                for name, reference in (("cumsum", np.cumsum), ("cumprod", np.cumprod)):
                    close(getattr(situ, name)(x, axis=axis).numpy(), reference(wide, axis=axis), dtype, 32, f"{name} {dtype}{a.shape}", scale=6)
            for order in (0, 1, 2, 3, np.inf):
                if not a.size:
                    continue
                got = situ.norm(x, ord=float(order)).numpy()
                close(got, np.linalg.norm(wide.astype(np.complex128).ravel(), order), dtype, 4 * a.size, f"norm {order}")


def test_products():
    rng = np.random.default_rng(8)
    for k in range(cases(30)):
        dtype = COMPLEX[k % 2]
        m, n, inner = (int(v) for v in rng.integers(0, 7, 3))
        with situ.scope():
            device = pick(rng)
            x, a = operand(rng, (3, m, inner), dtype, -1, 1, device=device)
            y, b = operand(rng, (inner, n), dtype, -1, 1, device=device)
            close(situ.matmul(x, y).numpy(), a.astype(WIDE[dtype]) @ b, dtype, 8, f"matmul {a.shape} {b.shape}", scale=inner)
            v, c = operand(rng, (inner,), dtype, -1, 1, device=device)
            close(situ.dot(x, v).numpy(), (a.astype(WIDE[dtype]) * c).sum(-1), dtype, 8, "dot", scale=inner)
            close(situ.outer(v, v).numpy(), np.outer(c, c).astype(WIDE[dtype]), dtype, 8, "outer")


def test_positions():
    rng = np.random.default_rng(9)
    for dtype in COMPLEX:
        with situ.scope():
            x, a = operand(rng, (5, 4), dtype)
            index = rng.integers(0, 5, (3,))
            assert same(situ.take(x, situ.array(index)).numpy(), a[index]), "take"
            at = rng.integers(0, 4, (5, 2))
            assert same(situ.gather(x, situ.array(at)).numpy(), np.take_along_axis(a, at, 1)), "gather"
            y, b = operand(rng, (3, 4), dtype)
            want = a.copy()
            np.add.at(want, index, b)
            close(situ.index_add(x, situ.array(index), y).numpy(), want.astype(WIDE[dtype]), dtype, 4, "index_add", scale=9)
            assert same(situ.concat([x, y]).numpy(), np.concatenate([a, b])), "concat"
            assert same(situ.flip(x).numpy(), np.flip(a)) and same(situ.roll(x, 3).numpy(), np.roll(a, 3)), "moves"
            assert same(situ.tril(x, 0).numpy(), np.tril(a)), "tril"


def test_refused():
    """What has no meaning for complex numbers says so at the call."""
    with situ.scope():
        x = situ.array(np.array([1j, 2]))
        for name in ("less", "maximum", "floor_divide", "atan2", "remainder", "hypot"):
            try:
                getattr(situ, name)(x, x)
                assert False, name
            except SituError as error:
                assert "no rule for c128" in error.message, error.message
        for name in ("floor", "max", "sort", "argmax", "var", "relu", "sigmoid"):
            try:
                getattr(situ, name)(x)
                assert False, name
            except SituError as error:
                assert "no rule for c128" in error.message, f"{name}: {error.message}"


def derivative(f, z, h=1e-6):
    return (f(z + h) - f(z - h)) / (2 * h)


def test_gradients():
    """g times the derivative, as JAX has it: against differences along the real axis."""
    rng = np.random.default_rng(10)
    with situ.scope():
        for name, reference in ONE.items():
            if name in ("sign", "abs"):
                continue
            z = rng.uniform(0.2, 0.8, 4) + 1j * rng.uniform(0.2, 0.8, 4)
            g = rng.normal(size=4) + 1j * rng.normal(size=4)
            x = situ.array(z)
            got, = situ.gradients(getattr(situ, name)(x), [x], situ.array(g))
            np.testing.assert_allclose(got.numpy(), g * derivative(reference, z), rtol=2e-8, err_msg=name)
        for name, reference in TWO.items():
            a, b, g = (rng.uniform(0.2, 0.8, 3) + 1j * rng.uniform(0.2, 0.8, 3) for _ in range(3))
            x, y = situ.array(a), situ.array(b)
            by_x, by_y = situ.gradients(getattr(situ, name)(x, y), [x, y], situ.array(g))
            np.testing.assert_allclose(by_x.numpy(), g * derivative(lambda t: reference(t, b), a), rtol=2e-8, err_msg=name)
            np.testing.assert_allclose(by_y.numpy(), g * derivative(lambda t: reference(a, t), b), rtol=2e-8, err_msg=name)
        z = rng.normal(size=5) + 1j * rng.normal(size=5)
        x = situ.array(z)
        # JAX: the gradient of a real function f(x + iy) is df/dx - i df/dy
        for what, f, expected in (("sum |z|^2", lambda t: situ.sum(situ.square(situ.abs(t))), 2 * z.conj()),
                                  ("sum Im z^2", lambda t: situ.sum(situ.imag(situ.square(t))), 2 * z.imag - 2j * z.real),
                                  ("norm", lambda t: situ.norm(t), z.conj() / np.linalg.norm(z)),
                                  ("sum Im sign", lambda t: situ.sum(situ.imag(situ.sign(t))), -1j * z.real * z.conj() / np.abs(z)**3),
                                  ("round", lambda t: situ.real(situ.sum(situ.round(t))), 0 * z),
                                  ("Re prod", lambda t: situ.real(situ.prod(t)), np.prod(z) / z)):
            got, = situ.gradients(f(x), [x])
            np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12, err_msg=what)
        real = rng.normal(size=5)
        r = situ.array(real)
        got, = situ.gradients(situ.real(situ.sum(situ.mul(r, x))), [r])
        np.testing.assert_allclose(got.numpy(), z.real, rtol=1e-13, err_msg="by a real operand")


def test_same_bits():
    """On a simulated device, in another layout, in one call or in many."""
    rng = np.random.default_rng(11)
    with situ.scope():
        a = rng.normal(size=(40, 300)) + 1j * rng.normal(size=(40, 300))
        x = situ.array(a)
        f = lambda t: situ.div(situ.exp(situ.mul(t, t)), situ.add(situ.sqrt(t), 1))
        want = f(x).numpy()
        for device in DEVICES[3:]:
            assert same(f(situ.to(x, device)).numpy(), want), "on a simulated device"
        assert same(situ.transpose(f(situ.transpose(x))).numpy(), want), "transposed"
        assert same(f(situ.slice(x, start=(3,), stop=(4,))).numpy(), want[3:4]), "a row"


if __name__ == "__main__":
    run_tests(sys.modules[__name__])
