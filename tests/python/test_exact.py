"""Numbers of Python that meet tensors, against Python's own exact ones"""
import math
import operator

import numpy as np

import situ
from support import raises, run

INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
EDGES = [0, 1, -1, 2, 127, 128, -128, -129, 255, 256, 2047, 2049, 32767, 32768, 65504, 65535, 65536, 2**24 + 1, 2**31 - 1, 2**31, -2**31 - 1, 2**32, 2**53 + 1,
         2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64 - 1, 2**64, 2**70, 2**70 + 1, -2**70 - 1, 10**400, -10**400]
REALS = [0.5, -0.5, 2.5, 255.5, 2.0**31, 2.0**53, 2.0**63, -2.0**63, 2.0**64, 1e300, math.inf, -math.inf, math.nan]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def elements(name):
    if name == "bool":
        return [False, True]
    if name in INTEGERS:
        info = situ.iinfo(name)
        return sorted({v for v in (info.min, info.min + 1, 0, 1, 127, 128, 255, 2**24 + 1, 2**53 + 1, info.max - 1, info.max) if info.min <= v <= info.max})
    x = situ.asarray([0.0, 1.0, -1.0, 2048.0, 65504.0, 2.0**24, 2.0**53, 2.0**63, 2.0**70, 2.0**64, math.inf, -math.inf, math.nan], dtype="float64")
    return situ.astype(situ.astype(x, name), "float64").tolist()


def test_comparisons_are_those_of_python_s_numbers():
    for name in ["bool"] + INTEGERS + FLOATS:
        values = elements(name)
        x = situ.astype(situ.asarray(values, dtype="float64"), name) if name in FLOATS else situ.asarray(values, dtype=name)
        for n in EDGES + (REALS if name not in FLOATS else []):
            for compare in COMPARISONS:
                want, other = [compare(v, n) for v in values], [compare(n, v) for v in values]
                got, mirrored = compare(x, n), compare(n, x)
                assert got.tolist() == want and mirrored.tolist() == other, (name, compare.__name__, n, values, got.tolist(), mirrored.tolist())


def test_functions_compare_as_the_operators_do():
    x = situ.asarray([0, 255], dtype="uint8")
    assert situ.less(x, 256).tolist() == [True, True] and situ.equal(256, x).tolist() == [False, False] and situ.not_equal(x, -1).tolist() == [True, True]
    assert (x == np.int64(256)).tolist() == [False, False] and (x < np.uint64(2**63)).tolist() == [True, True]
    assert situ.isin(x, 256).tolist() == [False, False] and situ.isin(x, [255, 511]).tolist() == [False, True] and situ.isin(x, 0.5, invert=True).tolist() == [True, True]
    assert situ.isin(0, x).item() is True and situ.isin(situ.asarray([2**63], dtype="uint64"), situ.asarray([-2**63])).tolist() == [False]
    for value, side in [(v, s) for v in EDGES + REALS for s in ("left", "right")]:
        ordered = [0, 3, 3, 200]
        at = np.searchsorted(np.asarray(ordered, dtype=object), value, side) if value == value else 4
        assert situ.searchsorted(situ.asarray(ordered, dtype="uint8"), value, side=side).item() == at, (value, side)


def test_arithmetic_holds_the_number_or_says_that_it_does_not():
    operations = [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift,
                  operator.pow]
    for name in INTEGERS:
        info, x = situ.iinfo(name), situ.asarray([1, 2, 3], dtype=name)
        for n in EDGES:
            for operation in operations:
                if n < 0 and operation is operator.pow:
                    continue
                if info.min <= n <= info.max:
                    t = situ.asarray(n, dtype=name)
                    assert operation(x, n).tolist() == operation(x, t).tolist() and operation(n, x).tolist() == operation(t, x).tolist(), (name, n, operation.__name__)
                    continue
                raises(situ.NumberError, lambda: operation(x, n), "does not hold")
                raises(situ.NumberError, lambda: operation(n, x), "does not hold")
                assert x.tolist() == [1, 2, 3]
    half = situ.ones((2,), dtype="float16")
    raises(situ.NumberError, lambda: half + 65520)
    raises(situ.NumberError, lambda: situ.ones((2,)) * 10**400)
    assert (half * 65504).tolist() == [65504, 65504] and (situ.ones((1,), dtype="float64") + 2**70).tolist() == [2.0**70]


def test_construction_and_assignment_hold_the_number_or_say_so():
    for name in INTEGERS:
        info = situ.iinfo(name)
        for n in EDGES:
            fits = info.min <= n <= info.max
            for make in (lambda: situ.asarray(n, dtype=name), lambda: situ.asarray([0, n], dtype=name)[1], lambda: situ.full((2,), n, dtype=name)[0],
                         lambda: situ.full_like(situ.ones((2,), dtype=name), n)[0], lambda: situ.where(True, situ.asarray(n, dtype=name), situ.ones((), dtype=name)),
                         lambda: situ.where(situ.asarray(True), n, situ.ones((), dtype=name)), lambda: put(name, 0, n), lambda: put(name, slice(0, 1), n),
                         lambda: put(name, situ.asarray([True, False]), n), lambda: put(name, [0], n), lambda: put(name, slice(0, 1), [n]),
                         lambda: situ.cumulative_sum(situ.ones((1,), dtype=name), dtype=name) * 0 + n):
                if fits:
                    assert make().item() == n, (name, n)
                else:
                    raises(OverflowError, make, "hold")
    for wrong in (math.nan, math.inf, -math.inf, 300.0, -1.0, 1e300):
        raises(situ.NumberError, lambda: situ.asarray([wrong], dtype="uint8"))
        raises(situ.NumberError, lambda: situ.full((1,), wrong, dtype="uint8"))
        raises(situ.NumberError, lambda: put("uint8", 0, wrong))
    raises(situ.NumberError, lambda: put("int32", 0, 0.5))
    raises(TypeError, lambda: put("int32", 0, situ.asarray(0.5)), "astype")
    raises(TypeError, lambda: put("int32", slice(0, 2), [0.5, 1]), "astype")
    raises(situ.NumberError, lambda: situ.assign(situ.variable(situ.ones((2,), dtype="int8")), 300), "assign")
    for make in (lambda: situ.arange(300, dtype="uint8"), lambda: situ.arange(-1, 2, dtype="uint64"), lambda: situ.linspace(0, 300, 3, dtype="uint8"),
                 lambda: situ.arange(0, 200, 0.5, dtype="int8")):
        raises(situ.NumberError, make)
    assert situ.arange(2**64 - 2, 2**64, dtype="uint64").tolist() == [2**64 - 2, 2**64 - 1] and situ.arange(5, 0, -2, dtype="uint8").tolist() == [5, 3, 1]
    assert situ.arange(-2**63, -2**63 + 2).tolist() == [-2**63, -2**63 + 1] and situ.arange(2**63 - 2, 2**63).tolist() == [2**63 - 2, 2**63 - 1]


def put(name, key, value):
    x = situ.zeros((2,), dtype=name)
    x[key] = value
    return x[0]


def test_bounds_beyond_the_dtype_are_none():
    x = situ.asarray([0, 7, 255], dtype="uint8")
    assert situ.clip(x, -5, 300).tolist() == [0, 7, 255] and situ.clip(x, 0.5, 7.5).tolist() == [0.5, 7, 7.5] and situ.clip(x, -math.inf, math.inf).tolist() == [0, 7, 255]
    assert situ.minimum(x, 2**70).tolist() == [0, 7, 255] and situ.maximum(x, -1).tolist() == [0, 7, 255]
    for wrong in (lambda: situ.clip(x, 256, 300), lambda: situ.maximum(x, 256), lambda: situ.minimum(x, -1), lambda: situ.clip(x, max=-1)):
        raises(situ.NumberError, wrong)
    assert all(map(math.isnan, situ.clip(x, math.nan, 3).tolist()))


def test_in_place_a_tensor_keeps_its_dtype():
    for name in INTEGERS + ["bool", "float16", "float32"]:
        for operate in ("x += o", "x -= o", "x *= o", "x /= o", "x //= o", "x %= o", "x **= o", "x &= o", "x |= o", "x ^= o", "x <<= o", "x >>= o"):
            for other in (1, 0.5, 2.0, 1j, situ.asarray([1.0], dtype="float64"), situ.asarray([1]), situ.asarray([1], dtype="uint64"), np.float64(0.5)):
                x = situ.asarray([1], dtype=name)
                before, scope = x, {"x": x, "o": other}
                try:
                    out = eval(operate.replace("=", "").strip(), dict(scope))
                except (TypeError, situ.Error):
                    out = None
                try:
                    exec(operate, scope)
                except (TypeError, situ.Error):
                    assert out is None or out.dtype.name != name, (name, operate, other)
                    assert before.dtype.name == name and before.tolist() == [1]
                    continue
                assert out is not None and out.dtype.name == name and before.tolist() == out.tolist(), (name, operate, other)


def test_bounds_of_clip_are_compared_by_value():
    bounds = {"int64": [-(2**40), -129, -1, 0, 5, 127, 128, 255, 256, 300, 2**40], "uint64": [0, 5, 255, 2**63], "int8": [-128, -1, 5, 127],
              "float32": [-math.inf, -300.5, -0.5, 1.5, 127.5, 254.5, 1e10, math.inf], "float64": [-1e300, 2.5, 1e300]}
    for name in ("uint8", "int8", "int32", "uint64", "int64"):
        values = [v for v in (-128, -5, 0, 1, 5, 127, 128, 200, 255) if situ.iinfo(name).min <= v <= situ.iinfo(name).max]
        x, ends = situ.asarray(values, dtype=name), situ.iinfo(name)
        for of in bounds:
            for b in bounds[of]:
                for bound in (situ.asarray(b, dtype=of), situ.asarray([b] * len(values), dtype=of)):
                    low, high = situ.clip(x, bound, None), situ.clip(x, None, bound)
                    if of.startswith("float"):
                        assert low.dtype is high.dtype is situ.result_type(x, bound)
                        wide = situ.asarray([float(b)] * len(values), dtype=low.dtype)
                        assert low.tolist() == situ.maximum(x, wide).tolist() and high.tolist() == situ.minimum(x, wide).tolist(), (name, of, b)
                        continue
                    assert low.dtype.name == high.dtype.name == name
                    at_least = ends.max if b > ends.max else math.ceil(b) if b > ends.min else ends.min
                    at_most = ends.min if b < ends.min else math.floor(b) if b < ends.max else ends.max
                    assert low.tolist() == [max(v, at_least) for v in values], (name, of, b, low.tolist())
                    assert high.tolist() == [min(v, at_most) for v in values], (name, of, b, high.tolist())


def test_clip_is_the_larger_and_the_smaller():
    for name in INTEGERS + FLOATS:
        x = situ.asarray([[0, 1, 7, 100], [3, 90, 5, 2]], dtype=name)
        low, high = situ.asarray([[2], [4]], dtype=name), situ.asarray([9, 8, 3, 50], dtype=name)
        for a in (low, 3, 3.0, None):
            for b in (high, 6, 6.0, None):
                y = x if a is None else situ.maximum(x, a)
                y = y if b is None else situ.minimum(y, b)
                for z in (situ.clip(x, a, b), situ.clip(x, min=a, max=b), situ.clip(x, a, max=b), x.clip(a, b), x.clip(max=b, min=a)):
                    assert z.tolist() == y.tolist() and z.dtype is y.dtype, (name, a, b)
    x = situ.asarray([math.nan, -0.0, -1.0, 5.0])
    assert str(situ.clip(x, 0.0, 2.0).tolist()) == str(situ.minimum(situ.maximum(x, 0.0), 2.0).tolist())
    at, (low, high) = situ.asarray([1.0, 2.0, 3.0, 4.0]), (situ.asarray([2.0] * 4), situ.asarray([3.0, 2.0, 3.0, 3.0]))
    both = [situ.gradients(situ.sum(f(at, low, high)), [at, low, high]) for f in (situ.clip, lambda x, a, b: situ.minimum(situ.maximum(x, a), b))]
    assert [g.tolist() for g in both[0]] == [g.tolist() for g in both[1]]
    raises(TypeError, lambda: situ.clip(at, 1, minimum=2), "clip")
    raises(TypeError, lambda: situ.clip(at, 1, min=2), "clip")
    raises(TypeError, lambda: situ.clip("1", 1, 2), "clip")


def test_what_an_assigned_part_does_not_hold_is_refused():
    for key in (0, slice(0, 2), [0, 1], situ.asarray([True, True, False]), slice(None, None, -2)):
        for value in (300, -1, np.int64(300), np.asarray(300), situ.asarray(300), [300, 1], np.asarray([300, 1]), situ.asarray([1, 1]), 1.5, np.float32(1.5), [1.5, 2.5]):
            if isinstance(key, int) and getattr(value, "ndim", 0) + isinstance(value, list):
                continue
            x = situ.asarray([1, 2, 3], dtype="uint8")
            raises((situ.NumberError, situ.DTypeError), lambda: operator.setitem(x, key, value))
            assert x.tolist() == [1, 2, 3]
        for value in (7, np.int64(7), np.asarray(7), situ.asarray(7, dtype="uint8"), np.asarray(7, dtype="int32")):
            x = situ.asarray([1, 2, 3], dtype="uint8")
            x[key] = value
            assert 7 in x.tolist() and x.dtype.name == "uint8"
    wide = situ.asarray([1, 2, 3])
    wide[1:] = situ.asarray([8, 9], dtype="uint8")
    assert wide.tolist() == [1, 8, 9]


def test_arrays_that_a_dtype_does_not_hold_are_refused():
    for bad in (np.int64(300), np.array([300]), [np.int64(300)], [np.array([1, 300])], np.array([-1, 2]), np.array([300.0, 1.5]), np.array([math.nan]), np.array([1.0, -math.inf]), 300, [300.0]):
        raises(situ.NumberError, lambda: situ.asarray(bad, dtype="uint8"))
    for good in (np.int64(30), np.array([30]), [np.int64(30)], np.array([30.5]), np.array([30], dtype="int8"), np.array([], dtype="int64")):
        x = situ.asarray(good, dtype="uint8")
        assert x.dtype.name == "uint8" and (x.size == 0 or int(x if x.ndim == 0 else x[0]) == 30)
    assert situ.asarray(situ.asarray([300]), dtype="uint8").tolist() == [44]  # of a tensor it is astype
    assert situ.asarray(np.array([300]), dtype="float16").tolist() == [300.0]
    raises(situ.NumberError, lambda: situ.asarray(np.array([2**63], dtype="uint64"), dtype="int64"))
    assert situ.tile(situ.asarray([1, 2]), 2).tolist() == [1, 2, 1, 2]


def test_single_numbers_beside_tensors_keep_the_dtype():
    x = situ.asarray([1.0, 2], dtype="float16")
    for number in (2, 2.0, True, np.float64(2), np.float32(2), np.int64(2), np.bool_(True), np.asarray(2.0), np.asarray(2)):
        for got in (situ.where(x > 1, x, number), situ.where(x > 1, number, x)):
            assert got.dtype is situ.float16 and got.tolist() in ([float(number), 2], [1, float(number)]), number
        assert situ.isin(x, number).tolist() == (x == number).tolist() and situ.searchsorted(x, number).item() == int(number != 1)
    assert situ.where(x > 1, np.float64(1), np.int64(2)).tolist() == [2, 1]


def test_floor_division_has_floats_of_every_kind():
    devices = [situ.cpu()] + [situ.gpu(0)] * (situ.num_gpus() > 0)
    for device in devices:
        x = situ.asarray([1.0, -2.0, math.inf, -math.inf, math.nan], device=device)
        same = lambda got, want: np.testing.assert_array_equal(got.to_device(situ.cpu()).tolist(), want)
        same(x // 2**64, [0, -1, math.inf, -math.inf, math.nan])
        same(2**64 // x, [2.0**64, -(2.0**63), 0, -0.0, math.nan])
        same(x // 1e40, [0, 0, math.nan, math.nan, math.nan])
        same(situ.astype(x, "float16") // 70000.0, [0, 0, math.nan, math.nan, math.nan])
        same(situ.asarray([True, False], device=device) // 0.5, [2, 0])
        for slope in (lambda v: situ.sum(v // 0.0), lambda v: situ.sum(3.0 // v), lambda v: situ.sum(v // math.inf)):
            same(situ.grad(slope)(situ.asarray([0.0, 2, math.inf], device=device)), [0, 0, 0])


if __name__ == "__main__":
    run(globals())
