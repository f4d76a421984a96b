"""Complex numbers against NumPy: elementwise operations, reductions, products, moves, special values and gradients."""
import itertools

import numpy as np

import situ
from situ import _situ as ops
from support import (COMPLEX, DEVICES, NUMPY, array, broadcastable, cases, difference, numpy, operand, pick, random_shape, run,
                     same)

EPS = {"c64": 2.0**-23, "c128": 2.0**-52}
WIDE = {"c64": np.complex128, "c128": np.clongdouble}


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
            x, a = operand(rng, random_shape(rng), dtype, -3, 3, device=pick(rng))
            y = getattr(ops, name)(x)
            assert y.dtype.short == (dtype if name != "abs" else {"c64": "f32", "c128": "f64"}[dtype]), f"{name}: {y.dtype}"
            close(numpy(y), reference(a.astype(WIDE[dtype])), dtype, 8, f"{name} {dtype}{a.shape}")


def test_two_operands():
    rng = np.random.default_rng(2)
    for k, dtype in itertools.product(range(cases(12)), COMPLEX):
        for name, reference in TWO.items():
            shape, device = random_shape(rng), pick(rng)
            x, a = operand(rng, shape, dtype, -2, 2, device=device)
            y, b = operand(rng, broadcastable(rng, shape), dtype, -2, 2, device=device)
            z = getattr(ops, name)(x, y)
            assert z.dtype.short == dtype
            close(numpy(z), reference(a.astype(WIDE[dtype]), b.astype(WIDE[dtype])), dtype, 16 if name == "pow" else 4,
                  f"{name} {dtype}{a.shape}{b.shape}", scale=0 if name != "add" else 1)


def test_exact():
    rng = np.random.default_rng(3)
    special = np.array([0.0, -0.0, 1.5, -2.5, np.inf, -np.inf, np.nan])
    grid = np.array([complex(x, y) for x in special for y in special])
    for dtype in COMPLEX:
        a = grid.astype(NUMPY[dtype])
        with np.errstate(all="ignore"):
            x = array(a)
            for name, reference in EXACT_ONE.items():
                got = numpy(getattr(ops, name)(x))
                assert same(got, reference(a)), f"{name} {dtype}: {difference(got, reference(a))}"
            b = rng.permutation(a)
            for name, reference in EXACT_TWO.items():
                got = numpy(getattr(ops, name)(x, array(b)))
                assert same(got, reference(a, b)), f"{name} {dtype}: {difference(got, reference(a, b))}"
            mask = rng.random(a.shape) < 0.5
            got = numpy(ops.where(array(mask), x, array(b)))
            assert same(got, np.where(mask, a, b)), "where"
            got = numpy(ops.where(array(mask), x, 2))
            assert same(got, np.where(mask, a, NUMPY[dtype].type(2))), "where with a number"


def test_special_values():
    """Annex G: the same infinities, NaNs and signs of zero as NumPy where it follows the standard."""
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])
    grid = np.array([complex(x, y) for x in special for y in special])
    skip = {"sign", "rsqrt", "exp2", "log2", "log10", "square", "reciprocal", "expm1", "log1p", "negative", "positive"}
    with np.errstate(all="ignore"):
        for name in sorted(ONE.keys() - skip):
            got, want = numpy(getattr(ops, name)(array(grid))), ONE[name](grid)
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
            got = numpy(getattr(ops, name)(array(np.array([complex(r[0], r[1]) for r in rows]))))
            for row, g in zip(rows, got):
                for gp, wp in ((abs(g.real) if np.isinf(row[2]) and row[2] > 0 else g.real, row[2]), (abs(g.imag), abs(row[3]))):
                    assert (np.isnan(gp) and np.isnan(wp)) or gp == wp or abs(gp - wp) < 1e-15, f"{name}{row[:2]} = {g}"


def test_accurate_near_zero():
    """expm1 and log1p keep their digits near 0."""
    rng = np.random.default_rng(5)
    z = (rng.uniform(-1, 1, 200) + 1j * rng.uniform(-1, 1, 200)) * 10.0 ** rng.uniform(-12, -1, 200)
    wide = z.astype(np.clongdouble)
    series = wide + wide**2 / 2 + wide**3 / 6 + wide**4 / 24 + wide**5 / 120 + wide**6 / 720 + wide**7 / 5040 + wide**8 / 40320 + wide**9 / 362880 + wide**10 / 3628800
    close(numpy(ops.expm1(array(z))), series, "c128", 8, "expm1")
    small = np.abs(z) < 1e-3
    logarithm = sum((-1) ** (n + 1) * wide**n / n for n in range(1, 9))
    close(numpy(ops.log1p(array(z)))[small], logarithm[small], "c128", 8, "log1p")


def test_mixed_operands():
    rng = np.random.default_rng(6)
    for other, result in (("f32", "c64"), ("f64", "c128"), ("i32", "c64"), ("bool", "c64"), ("c128", "c128")):
        x, a = operand(rng, (3, 4), "c64", -3, 3)
        y, b = operand(rng, (4,), other, 0, 3)
        z = ops.mul(x, y)
        assert z.dtype.short == result, f"c64 * {other}: {z.dtype}"
        close(numpy(z), a * b.astype(NUMPY["c128"]), "c64", 4, f"c64 * {other}")
    x, a = operand(rng, (5,), "c64", -3, 3)
    for number in (2, 2.5, True):
        z = ops.mul(number, ops.add(x, number))
        assert z.dtype.short == "c64"
        close(numpy(z), number * (a + number), "c64", 4, f"with {number}")


def test_reductions():
    rng = np.random.default_rng(7)
    for k in range(cases(60)):
        dtype = COMPLEX[k % 2]
        x, a = operand(rng, random_shape(rng), dtype, -1, 1, device=pick(rng))
        axes = tuple(i for i in range(a.ndim) if rng.random() < 0.5)
        keep = bool(rng.random() < 0.5)
        wide = a.astype(WIDE[dtype])
        for name, reference in (("sum", np.sum), ("prod", np.prod), ("mean", np.mean)):
            count = int(np.prod([a.shape[i] for i in axes]))
            if name == "mean" and not count:
                continue
            y = getattr(ops, name)(x, axis=axes, keepdims=keep)
            assert y.dtype.short == dtype
            close(numpy(y), reference(wide, axis=axes, keepdims=keep), dtype, 4 * max(count, 1), f"{name} {dtype}{a.shape} {axes}",
                  scale=max(count, 1) if name != "prod" else 0)
        for name, reference in (("any", np.any), ("all", np.all)):
            assert same(numpy(getattr(ops, name)(x, axis=axes)), reference(a, axis=axes)), name
        if a.ndim:
            axis = int(rng.integers(a.ndim))
            for name, reference in (("cumsum", np.cumsum), ("cumprod", np.cumprod)):
                close(numpy(getattr(ops, name)(x, axis=axis)), reference(wide, axis=axis), dtype, 32, f"{name} {dtype}{a.shape}", scale=6)
        for order in (0, 1, 2, 3, np.inf):
            if not a.size:
                continue
            got = numpy(ops.norm(x, ord=float(order)))
            close(got, np.linalg.norm(wide.astype(np.complex128).ravel(), order), dtype, 4 * a.size, f"norm {order}")


def test_products():
    rng = np.random.default_rng(8)
    for k in range(cases(30)):
        dtype = COMPLEX[k % 2]
        m, n, inner = (int(v) for v in rng.integers(0, 7, 3))
        device = pick(rng)
        x, a = operand(rng, (3, m, inner), dtype, -1, 1, device=device)
        y, b = operand(rng, (inner, n), dtype, -1, 1, device=device)
        close(numpy(ops.matmul(x, y)), a.astype(WIDE[dtype]) @ b, dtype, 8, f"matmul {a.shape} {b.shape}", scale=inner)
        v, c = operand(rng, (inner,), dtype, -1, 1, device=device)
        close(numpy(ops.dot(x, v)), (a.astype(WIDE[dtype]) * c).sum(-1), dtype, 8, "dot", scale=inner)
        close(numpy(ops.outer(v, v)), np.outer(c, c).astype(WIDE[dtype]), dtype, 8, "outer")


def test_positions():
    rng = np.random.default_rng(9)
    for dtype in COMPLEX:
        x, a = operand(rng, (5, 4), dtype)
        index = rng.integers(0, 5, (3,))
        assert same(numpy(ops.take(x, array(index))), a[index]), "take"
        at = rng.integers(0, 4, (5, 2))
        assert same(numpy(ops.gather(x, array(at))), np.take_along_axis(a, at, 1)), "gather"
        y, b = operand(rng, (3, 4), dtype)
        want = a.copy()
        np.add.at(want, index, b)
        close(numpy(ops.index_add(x, array(index), y)), want.astype(WIDE[dtype]), dtype, 4, "index_add", scale=9)
        assert same(numpy(ops.concat([x, y])), np.concatenate([a, b])), "concat"
        assert same(numpy(ops.flip(x)), np.flip(a)) and same(numpy(ops.roll(x, 3)), np.roll(a, 3)), "moves"
        assert same(numpy(ops.tril(x)), np.tril(a)), "tril"


def test_refused():
    """What has no meaning for complex numbers says so at the call."""
    x = array(np.array([1j, 2]))
    for name in ("less", "maximum", "floor_divide", "atan2", "remainder", "hypot"):
        try:
            getattr(ops, name)(x, x)
            assert False, name
        except situ.Error as error:
            assert "no rule for c128" in str(error), str(error)
    for name in ("floor", "max", "sort", "argmax", "var", "relu", "sigmoid"):
        try:
            getattr(ops, name)(x)
            assert False, name
        except situ.Error as error:
            assert "no rule for c128" in str(error), f"{name}: {str(error)}"


def test_gradients():
    """The convention for functions that are not holomorphic; the others: tests/unit/test_every_gradient.c."""
    rng = np.random.default_rng(10)
    z = rng.normal(size=5) + 1j * rng.normal(size=5)
    x = array(z)
    # JAX: the gradient of a real function f(x + iy) is df/dx - i df/dy
    for what, f, expected in (("sum |z|^2", lambda t: ops.sum(ops.square(ops.abs(t))), 2 * z.conj()),
                              ("sum Im z^2", lambda t: ops.sum(ops.imag(ops.square(t))), 2 * z.imag - 2j * z.real),
                              ("norm", lambda t: ops.norm(t), z.conj() / np.linalg.norm(z)),
                              ("sum Im sign", lambda t: ops.sum(ops.imag(ops.sign(t))), -1j * z.real * z.conj() / np.abs(z)**3),
                              ("round", lambda t: ops.real(ops.sum(ops.round(t))), 0 * z),
                              ("Re prod", lambda t: ops.real(ops.prod(t)), np.prod(z) / z)):
        got, = situ.gradients(f(x), [x])
        np.testing.assert_allclose(numpy(got), expected, rtol=1e-12, err_msg=what)
    real = rng.normal(size=5)
    r = array(real)
    got, = situ.gradients(ops.real(ops.sum(ops.mul(r, x))), [r])
    np.testing.assert_allclose(numpy(got), z.real, rtol=1e-13, err_msg="by a real operand")


def test_same_bits():
    """On a simulated device, in another layout, in one call or in many."""
    rng = np.random.default_rng(11)
    a = rng.normal(size=(40, 300)) + 1j * rng.normal(size=(40, 300))
    x = array(a)
    f = lambda t: ops.div(ops.exp(ops.mul(t, t)), ops.add(ops.sqrt(t), 1))
    want = numpy(f(x))
    for device in DEVICES[3:]:
        assert same(numpy(f(ops.to(x, device))), want), "on a simulated device"
    assert same(numpy(ops.transpose(f(ops.transpose(x)))), want), "transposed"
    assert same(numpy(f(ops.slice(x, start=(3,), stop=(4,)))), want[3:4]), "a row"


if __name__ == "__main__":
    run(globals())
