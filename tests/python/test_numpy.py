"""Arrays of NumPy beside tensors: the right answer or one clear error of situ, never False without a word, an array of objects or
a copy off a device that nobody asked for."""
import array
import collections
import math
import operator
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np

import situ
from support import raises, run

try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = None

ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "eq", "ne", "gt", "ge")
BITS = ("and_", "or_", "xor", "lshift", "rshift")
DTYPES = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128")


def vector(dtype):
    return np.asarray([1, 0, 1] if dtype == "bool" else [1, 2, 3], dtype=dtype)


def both(name, a, b):
    """The operator with an array at the left, at the right, and with tensors alone."""
    op = getattr(operator, name)
    return op(a, situ.asarray(b)), op(situ.asarray(a), b), op(situ.asarray(a), situ.asarray(b))


def test_operators_take_arrays_on_both_sides():
    for dtype in DTYPES:
        a, b = vector(dtype), vector(dtype)[::-1]
        names = BITS if dtype == "bool" else ("and_", "or_", "xor", "eq", "add") if "int" in dtype else ("add", "mul", "eq", "ne") if "complex" in dtype else ARITHMETIC
        for name in names if dtype != "bool" else ("and_", "or_", "xor", "eq", "ne"):
            left, right, own = both(name, a, b)
            for got in (left, right):
                assert isinstance(got, situ.Tensor) and got.dtype is own.dtype and got.tolist() == own.tolist(), (dtype, name, got, own)
            if own.dtype.kind == "bool":
                assert own.tolist() == getattr(operator, name)(a, b).tolist(), (dtype, name)
    m, v = np.arange(6, dtype="f").reshape(2, 3), np.ones(3, "f")
    assert (m @ situ.asarray(v)).tolist() == (situ.asarray(m) @ v).tolist() == [3, 12]
    left, right, own = both("add", np.ones((2, 1), "i4"), np.arange(3.0))
    assert left.dtype is right.dtype is situ.float64 and left.tolist() == right.tolist() == [[1, 2, 3]] * 2


def test_scalars_of_numpy_are_numbers_on_both_sides():
    x = situ.asarray([1.0, 2, 3])
    for dtype in DTYPES:
        one = np.dtype(dtype).type(1)
        for value in (one, np.asarray(one)):
            for got in (x + value, value + x):
                assert isinstance(got, situ.Tensor) and got.tolist() == [2, 3, 4], (dtype, got)
            for got in (x == value, value == x):
                assert got.tolist() == [True, False, False], (dtype, got)
            assert (value - x).tolist() == [0, -1, -2] and (value / x)[0].item() == 1
            assert (x + value).dtype is (situ.complex64 if "complex" in dtype else situ.float32)
    assert (situ.asarray([255], dtype="uint8") < np.int64(256)).tolist() == [True] == (np.int64(256) > situ.asarray([255], dtype="uint8")).tolist()
    for wrong in (np.datetime64("2020-01-01", "ns"), np.timedelta64(3), np.str_("a"), np.bytes_(b"a"), np.longdouble(1), np.ma.masked,
                  np.asarray(np.timedelta64(3)), np.asarray("a")):
        for op in (operator.add, operator.eq, operator.lt):
            raises(TypeError, lambda: op(x, wrong))


def test_arrays_of_every_layout():
    x = situ.asarray([1.0, 2, 3])
    readonly = np.asarray([1.0, 2, 3], "f")
    readonly.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + readonly.tobytes(), np.uint8)[1:].view("f")
    for a in (readonly, unaligned, np.repeat(readonly, 2)[::2], readonly[::-1][::-1], readonly.astype(">f4"), readonly.astype(">f8"), readonly.astype(">i2"),
              np.asfortranarray(readonly), np.broadcast_to(readonly, (2, 3)), np.ma.masked_array(readonly), np.asarray([1, 2, 3], "u8"), readonly.view(np.recarray)):
        for got in (x == a, a == x, situ.asarray(a) == x):
            assert np.asarray(got).all() and got.shape[-1] == 3, (a, got)
        assert np.asarray(x + a).ravel()[-1] == 6 == np.asarray(a + x).ravel()[-1]
    assert situ.asarray(np.asarray(7, ">i4")).tolist() == 7 and situ.asarray(np.zeros((0, 3), ">f4")).shape == (0, 3)
    assert (situ.zeros((0, 3)) == np.zeros((0, 3))).shape == (0, 3)
    if bfloat16:
        b = np.asarray([1, 2, 3], bfloat16)
        t = situ.asarray(b)
        assert t.dtype is situ.bfloat16 and t.tolist() == [1, 2, 3] and np.asarray(t).dtype == b.dtype
        assert situ.asarray(b.reshape(3, 1)[::-1]).tolist() == [[3], [2], [1]] and situ.asarray(b[1]).tolist() == 2
        for got in (x + b, b + x, t + b, b + t):
            assert got.tolist() == [2, 4, 6], got
        assert (t == b).tolist() == [True] * 3 == (b == t).tolist() and (b + t).dtype is situ.bfloat16
        y = situ.zeros((3,))
        y[:] = b
        assert y.tolist() == [1, 2, 3] and (t * bfloat16(2)).tolist() == [2, 4, 6] == (bfloat16(2) * t).tolist()
        raises(TypeError, lambda: situ.asarray(b, copy=False), "asarray")


def test_arrays_without_numbers_are_refused():
    x = situ.asarray([1.0, 2, 3])
    for wrong, word in ((np.asarray(["a", "b", "c"]), "<U1"), (np.asarray([1, 2, 3], object), "object"), (np.asarray([b"a"] * 3), "S1"), (np.ones(3, "M8[s]"), "datetime64"),
                        (np.ones(3, "m8[s]"), "timedelta64"), (np.ones(3, [("a", "f4")]), "a"), (np.ones(3, np.longdouble), "float128"), (np.ones(3, np.clongdouble), "complex256"),
                        (np.ma.masked_array([1, 2, 3.0], [0, 1, 0]), "filled"), (np.matrix([1, 2, 3.0]), "matrix")):
        word = word if np.dtype(np.longdouble).itemsize == 16 or "1" not in word and "2" not in word else ""
        operations = [operator.add, operator.mul, operator.matmul, operator.eq, operator.ne, operator.lt, operator.iadd]
        for op in operations:
            raises(TypeError, lambda: op(situ.asarray([1.0, 2, 3]), wrong), word)
            if not isinstance(wrong, np.ma.MaskedArray) and op is not operator.iadd:
                raises(TypeError, lambda: op(wrong, x), word)
        if "matrix" not in word:
            raises(TypeError, lambda: situ.asarray(wrong), "asarray: ", word)
            raises(TypeError, lambda: x.__setitem__(slice(None), wrong), word)
    assert (np.ma.masked_array([1, 2, 3.0], [0, 1, 0]) + x).tolist() == [2, None, 6]


def test_other_sequences_are_not_silently_unequal():
    x = situ.asarray([1.0, 2, 3])
    for other in (Decimal("0.5"), Fraction(1, 2)):
        for compare in (lambda: x == other, lambda: other == x, lambda: x != other):
            raises(TypeError, compare, f"not with a {type(other).__name__}; write x == float(...)")
    for other in ([1, 2, 3], (1, 2, 3), range(3), memoryview(b"abc"), array.array("f", [1, 2, 3]), collections.deque([1, 2, 3])):
        for op in (operator.eq, operator.ne):
            raises(TypeError, lambda: op(x, other), "asarray")
            if not isinstance(other, memoryview):  # it compares bytes itself
                raises(TypeError, lambda: op(other, x), "asarray")
    assert (x == None) is False and (x != "a") is True  # noqa: E711
    a = np.asarray([1.0, 2, 3])
    assert x in [x] and 2 in x and 5 not in x
    for test in (lambda: x in [a], lambda: a in [x], lambda: x in [0, situ.ones(3)]):
        raises(TypeError, test, "3 elements")


def test_functions_of_numpy_see_arrays():
    a = np.asarray([[1.0, 2], [3, 4]])
    x = situ.asarray(a)
    for f in (np.sum, np.mean, np.std, np.var, np.max, np.min, np.prod, np.any, np.all, np.argmax, np.argsort, np.sort, np.cumsum, np.ravel, np.transpose, np.squeeze, np.round,
              np.median, np.trace, np.diag, np.shape, np.ndim, np.size, np.linalg.norm, np.linalg.inv, np.fft.fft, np.ones_like, np.exp, np.sin, np.isnan, np.negative, np.add.reduce,
              np.unique, np.nonzero, np.flip, np.repeat if False else np.copy, np.asarray, np.array, np.ascontiguousarray, np.atleast_3d, np.result_type):
        got, want = f(x), f(a)
        assert not isinstance(got, situ.Tensor) and type(got) is type(want), f
        np.testing.assert_allclose(got, want) if f is not np.result_type else None
    for call in (lambda y: np.add(y, 1), lambda y: np.add(y, y), lambda y: np.sum(y, axis=0, keepdims=True), lambda y: np.mean(y, dtype="f4"), lambda y: np.concatenate([y, y], axis=1),
                 lambda y: np.stack([y, a]), lambda y: np.where(y > 2, y, 0), lambda y: np.dot(y, a), lambda y: np.einsum("ij,jk", y, a), lambda y: np.clip(y, 2, 3), lambda y: np.array([y, y]),
                 lambda y: np.maximum(a, y), lambda y: np.add.outer(y, y), lambda y: np.take(y, [0, 1]), lambda y: np.allclose(y, a), lambda y: np.interp(1.5, a[0], y[1]),
                 lambda y: np.linspace(0, 1, situ.asarray(3) if y is x else 3), lambda y: np.zeros(y.shape, y.dtype), lambda y: a.astype(y.dtype), lambda y: np.matmul(a, y)):
        got, want = call(x), call(a)
        assert getattr(got, "dtype", None) != object
        np.testing.assert_allclose(np.asarray(got), want)
    assert isinstance(np.add(a, x), situ.Tensor) and np.dtype(situ.int8) == np.int8
    out = np.zeros((2, 2))
    assert np.add(x, x, out=out) is out and out[1, 1] == 8
    for write in (lambda: np.add(a, a, out=x), lambda: np.sum(a, axis=0, out=x), lambda: np.copyto(x, a), lambda: np.add.at(x, [0], 1), lambda: np.put(x, [0], 1),
                  lambda: np.fill_diagonal(x, 0)):
        raises(TypeError, write, "NumPy cannot write into a tensor")
    assert x.tolist() == a.tolist()


def test_in_place_keeps_what_stands_at_the_left():
    a, x = np.asarray([1.0, 2, 3]), situ.asarray([1.0, 2, 3], dtype="float64")
    same, view = a, a[:2]
    a += x
    a[:2] -= x[:2]
    assert a is same and view.tolist() == [1, 2] and a.tolist() == [1, 2, 6]
    part = x[:1]
    x += a
    x *= np.float32(2)
    assert isinstance(x, situ.Tensor) and x.tolist() == [4, 8, 18] and part.tolist() == [1]  # as before: tensors are values
    single = situ.ones((3,))
    raises(TypeError, lambda: operator.iadd(single, a), "f64")  # a float32 stays one
    raises(ValueError, lambda: operator.iadd(single, np.ones((2, 3), "f")), "shape")
    assert single.tolist() == [1, 1, 1]


def test_arrays_and_tensors_index_each_other():
    a = np.arange(12.0).reshape(3, 4)
    x = situ.asarray(a)
    for key in (np.asarray([2, 0]), np.asarray(1), np.int8(-1), np.asarray([True, False, True]), np.asarray([2, 0], ">i8"), np.asarray([2, 0], "u1")):
        assert np.asarray(x[key]).tolist() == a[key].tolist(), key
        assert a[situ.asarray(key)].tolist() == a[key].tolist(), key
    assert x[a > 5].tolist() == a[a > 5].tolist() == a[x > 5].tolist()
    for wrong in (a, np.asarray(["a"]), np.asarray([1], object), np.asarray([1], "m8[s]")):
        raises((TypeError, IndexError), lambda: x[wrong])
    x[a > 5] = 0
    a[x > 2] = -1
    x[np.asarray([0, 1])] = a[:2]
    x[2, np.asarray([1])] = np.float64(7)
    assert x.tolist()[0] == a[0].tolist() and x[2].tolist() == [0, 7, 0, 0]


def test_nothing_leaves_a_device_unasked():
    if not situ.num_gpus():
        return
    gpu, a = situ.gpu(0), np.asarray([1.0, 2, 3], "f")
    g = situ.asarray(a, device=gpu)
    cases = [lambda op=op: op(g, a) for op in (operator.add, operator.eq, operator.matmul, operator.iadd, operator.lt)]
    cases += [lambda op=op: op(a, g) for op in (operator.add, operator.eq, operator.matmul, operator.isub, operator.lt, divmod)]
    cases += [lambda f=f: f(g) for f in (np.sum, np.mean, np.sin, np.isfinite, np.sort, np.linalg.norm, np.add.reduce, np.ones_like, np.exp)]
    cases += [lambda: np.add(g, g), lambda: np.concatenate([a, g]), lambda: np.where(g > 1, a, a), lambda: np.add(g, 1), lambda: np.save("never", g), lambda: np.copyto(a, g)]
    cases += [lambda: situ.where(g > 1, g, a), lambda: situ.where(g > 1, [1, 2, 3], g), lambda: situ.where(a > 1, g, g), lambda: situ.isin(g, a), lambda: situ.searchsorted(g, a)]
    with situ.ledger() as log, situ.guard(to_host=0):
        for case in cases:
            raises(situ.DeviceMismatchError, case, "gpu(0)", "to_device")
        assert situ.where(g > 1, g, np.float64(2)).device == situ.isin(g, np.float32(1)).device == situ.searchsorted(g, np.asarray(2.0)).device == gpu
        raises(situ.DeviceMismatchError, lambda: np.stack([g, g]), "numpy.stack: ")
        raises(situ.DeviceMismatchError, lambda: np.exp(g), "numpy.exp: ")
        for asked in (lambda: np.asarray(g), lambda: np.array([g, g]), lambda: a[situ.astype(g, "int64")]):
            raises(situ.BudgetError, asked)  # NumPy asks for an array: a copy, which a guard forbids
        assert np.shape(g) == (3,) and np.ndim(g) == 1 and np.size(g) == 3
        assert (g + np.float32(1)).device == gpu and (np.float64(1) + g).device == gpu and (np.asarray(2) == g).device == gpu
    assert log.totals["download_bytes"] == 0
    with situ.ledger() as log:
        assert np.asarray(g).tolist() == [1, 2, 3]  # asked for
    assert log.totals["download_bytes"] == 12


def test_lists_and_arrays_index_on_a_device():
    if not situ.num_gpus():
        return
    a = np.arange(24.0).reshape(2, 3, 4)
    x, g = situ.asarray(a), situ.asarray(a, device=situ.gpu(0))
    for key in ([1, 0], [True, False], (0, [2, 1]), (slice(None), [0, 2]), ([[0], [1]], [0, 1]), (..., [3, 0]), np.asarray([1, 1]), a > 5, np.asarray([True, False]), (0, np.asarray([2])),
                (None, [1]), [-1], (True,), []):
        key = key if not isinstance(key, list) or key else np.asarray([], int)
        got = g[key]
        assert got.device == g.device and got.to_device(situ.cpu()).tolist() == x[key].tolist(), key
        g[key] = 7
        x[key] = 7
        assert g.to_device(situ.cpu()).tolist() == x.tolist(), key
    raises(situ.DeviceMismatchError, lambda: g[situ.asarray([0])], "to_device")
    raises(IndexError, lambda: g[[0.5]])


def some_key(rng, shape):
    """A key with an entry of any kind for each axis, or so many of them."""
    key, axis, dots = [], 0, False
    while axis < len(shape):
        n, kind = shape[axis], rng.random()
        if kind < 0.1:
            key.append(None)
            continue
        if kind < 0.2 and not dots:
            key.append(Ellipsis)
            axis, dots = axis + rng.randint(0, len(shape) - axis), True
            continue
        if kind < 0.4 or not n:
            ends = [None] + list(range(-n - 2, n + 3))
            key.append(slice(rng.choice(ends), rng.choice(ends), rng.choice([None, 1, 2, -1, -2])))
        elif kind < 0.6:
            key.append(rng.randrange(-n, n))
        elif kind < 0.8:
            places = rng.choice([(), (1,), (3,), (2, 1), (0,)])
            key.append(np.array([rng.randrange(-n, n) for _ in range(math.prod(places))], int).reshape(places))
        else:
            key.append(np.array([rng.random() < 0.5 for _ in range(n)], bool))
        axis += 1
    return tuple(key)


def test_keys_of_every_kind_are_numpy_s():
    rng, refused = random.Random(1), 0
    for _ in range(600):
        shape = tuple(rng.choice([1, 2, 3, 4, 0]) for _ in range(rng.randint(0, 4)))
        a = np.arange(float(math.prod(shape))).reshape(shape)
        x, key = situ.asarray(a), some_key(rng, shape)
        try:
            want = a[key]
        except IndexError:
            refused += 1
            raises(IndexError, lambda: x[key])
            continue
        got = np.asarray(x[key])
        assert got.shape == np.shape(want) and np.array_equal(got, want), (shape, key, want, got)
        more = 0 if np.ndim(want) > 6 or any(isinstance(k, np.ndarray) and k.dtype == bool for k in key) else rng.randint(0, 2)
        value = rng.choice([-1.0, np.full(np.shape(want), -2.0), np.full((1,) * more + np.shape(want), -3.0)])
        a[key] = value if want.ndim or isinstance(value, float) else float(value.reshape(()))
        x[key] = value
        assert np.array_equal(np.asarray(x), a), (shape, key, value)
    assert refused < 100
    raises(ValueError, lambda: situ.asarray(np.zeros((1,) * 9)), "at most 8 dimensions, not 9")
    x = situ.asarray(np.arange(6).reshape(2, 3))
    assert x[None, [0, 1, 0], ..., [0, 1, 2]].shape == (3, 1) and x[[]].shape == (0, 3) and x[:, []].shape == (2, 0)


def test_assignments_by_steps_take_the_memory_of_their_result():
    a = np.arange(float(1 << 20), dtype=np.float32).reshape(1 << 10, -1)
    device = situ.cpu()
    for key in (np.s_[::-1], np.s_[::2], np.s_[:, ::-3], np.s_[5:900:7, 1000:3:-2], np.s_[3], np.s_[..., 1:]):
        for value in (1.0, np.full(a[key].shape, 2, np.float32)):
            want, x = a.copy(), situ.asarray(a, copy=True)
            value_there = value if isinstance(value, float) else situ.asarray(value)
            device.memory_trim()
            device.memory_limit(device.memory()["reserved"] + int(1.3 * a.nbytes) + 65536)
            try:
                x[key] = value_there
                got = np.asarray(x)
            finally:
                device.memory_limit(0)
            want[key] = value
            assert np.array_equal(got, want), key


if __name__ == "__main__":
    run(globals())
