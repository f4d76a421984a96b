"""Random calls of every operation, most of them wrong: shapes, axes, dtypes, counts, options, missing operands. Each gives
a tensor that can be read and differentiated, or an error with the call's line; and the library goes on.
"""
import sys

import numpy as np

from operands import COMPLEX, REALS, values
from situ_ctypes import Out, SituError, Tensor, cases, run_tests, situ

# They take memory or functions of the caller, which no check can tell from wrong ones.
POINTERS = {"situ_from_host", "situ_from_memory", "situ_custom_call", "situ_custom_vjp", "situ_view_host"}
KNOWN = {"situ_tensor *", "situ_shape", "situ_axes", "situ_list", "int64_t", "int", "int32_t", "uint64_t", "uint32_t", "double", "bool", "situ_dtype",
         "situ_device", "situ_site"}
WHOLE = [0, 1, 2, 3, -1, -2, -3, 5, 8, 9, -9, 100, 2**31 - 1, -2**31, 2**40, -2**40, 2**62, -2**62, 2**63 - 1, -2**63]
REAL = [0.0, 1.0, -1.0, 0.5, 2.0, -0.3, 1e-40, 1e300, float("inf"), float("-inf"), float("nan")]
LIMIT = 64 << 20


class Caller:
    def __init__(self, seed):
        self.rng = np.random.default_rng([77, seed])

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, choices):
        return choices[self.rng.integers(len(choices))]

    def whole(self, bits=64):
        n = self.pick(WHOLE[:9]) if self.chance(0.75) else self.pick(WHOLE)
        return n if -2**(bits - 1) <= n < 2**(bits - 1) else n % 7

    def tensor(self):
        roll = self.rng.random()
        if roll < 0.03:
            return None
        if roll < 0.15:
            return self.pick([0, 1, -1, 3, 0.5, -2.5, float("nan"), True])
        dtype = self.pick(["f32", "f32", "f64", "i64", "bool", "u32", *REALS, *COMPLEX])
        shape = tuple(self.pick([0, 1, 2, 2, 3, 3, 4]) for _ in range(self.pick([0, 1, 1, 2, 2, 2, 3, 4, 5])))
        if dtype == "u32" and self.chance(0.7):
            shape = (2,)  # a key
        return situ.array(values(self.rng, shape, dtype, -3, 4, self.chance(0.2)), dtype, situ.gpu(0) if self.chance(0.03) and situ.num_gpus() else None)

    def sizes(self, most):
        return [self.whole() if self.chance(0.3) else self.pick([0, 1, 2, 3, 4]) for _ in range(self.rng.integers(0, most + 1))]

    def value(self, kind, name):
        if kind == "situ_tensor *":
            return self.tensor()
        if kind == "situ_list":
            tensors = [self.tensor() for _ in range(self.rng.integers(0, 4))]
            return [t for t in tensors if isinstance(t, Tensor)]
        if kind == "situ_shape":
            return self.sizes(8)
        if kind == "situ_axes":
            return [self.whole(32) for _ in range(self.rng.integers(0, 4))]
        if kind == "double":
            return self.pick(REAL)
        if kind == "bool":
            return self.chance(0.5)
        if kind == "situ_dtype":
            return int(self.rng.integers(-1, 18))
        if kind == "situ_device":
            return self.pick([situ.cpu(), situ.gpu(0), situ.gpu(7), situ.null()])
        return self.whole(32 if "32" in kind or kind == "int" else 64)

    def options(self, function):
        given = {}
        for name, kind in function.options._fields_ if function.options else ():
            if name in ("size", "unnamed", "device", "self") or not self.chance(0.4):
                continue
            kind = getattr(kind, "__name__", str(kind))
            if name in function.options.tensors:
                given[name] = self.tensor()
            elif kind == "c_void_p":
                given[name] = Out()
            elif kind == "c_double":
                given[name] = self.pick(REAL)
            elif kind == "c_bool":
                given[name] = self.chance(0.5)
            elif kind == "Shape":
                given[name] = self.sizes(8)
            elif kind == "Axes":
                given[name] = [self.whole(32) for _ in range(self.rng.integers(0, 4))]
            elif kind in ("c_int", "c_uint") and name == "dtype":
                given[name] = int(self.rng.integers(-1, 18))
            elif kind in ("c_long", "c_int", "c_uint", "c_ulong"):
                given[name] = self.whole(64 if "long" in kind else 32) if "u" not in kind else abs(self.whole(31))
        return given

    def arguments(self, function):
        plain = []
        for kind, name in function.parameters:
            if kind != "situ_site" and not kind.endswith("_options *"):
                plain.append(self.value(kind, name))
        return plain


def few(shape):
    return int(np.prod(shape, dtype=object)) <= 1 << 16


def use(function, caller):
    """One call, read and differentiated."""
    arguments = caller.arguments(function)
    y = function(*arguments, **caller.options(function))
    results = y if isinstance(y, list) else [y]
    for y in results:
        if not isinstance(y, Tensor) or not y.handle or not few(y.shape):
            continue
        array = y.numpy() if y.device.kind != situ.null().kind else None
        assert array is None or array.shape == y.shape, f"{function.name}: {array.shape} was read from {y.shape}"
        operands = [t for t in arguments if isinstance(t, Tensor) and t.dtype in ("f32", "f64", "c64")]
        if y.dtype in ("f32", "f64") and operands:
            for g, t in zip(situ.gradients(situ.sum(y), operands), operands):
                assert g.shape == t.shape and g.dtype == t.dtype, f"{function.name}: gradient {g.dtype}{g.shape} of {t.dtype}{t.shape}"
                g.numpy()


def test_random_calls():
    functions = [f for f in situ.operations()
                 if f.name not in POINTERS and all(k in KNOWN or k.endswith("_options *") for k, _ in f.parameters)]
    assert len(functions) > 200, f"only {len(functions)} operations found"
    codes, worked, failures = set(), set(), []
    for turn in range(cases(12)):
        for i, function in enumerate(functions):
            caller = Caller(turn * len(functions) + i)
            with situ.scope():
                try:
                    use(function, caller)
                    worked.add(function.name)
                except SituError as error:
                    codes.add(error.code)
                    if "test_misuse.py:" not in error.message:
                        failures.append(f"{function.name}: no line in: {error.message}")
                except AssertionError as error:
                    failures.append(str(error))
    assert not failures, f"{len(failures)}: " + " | ".join(failures[:20])
    with situ.scope():
        assert situ.sum(situ.array([1.0, 2.0])).numpy() == 3, "the library does not go on"
    assert len(worked) > len(functions) // 2, f"only {len(worked)} operations worked at least once"
    return f"{len(functions)} operations, {len(worked)} worked at least once, {len(codes)} kinds of errors"


if __name__ == "__main__":
    situ.memory_limit(situ.cpu(), LIMIT)
    run_tests(sys.modules[__name__])
