"""Every operation with every one of its tensor operands on another device: refused at the call, with a message that names
the operand, both devices and where each operand was made. The operations are those that the headers declare with two or
more tensor operands (a list counts as three); none of them may be missing here.
"""
import itertools
import re

import numpy as np

import situ
from situ import _situ as ops
from support import Failures, array, declared, numpy, raises, run

# Not operations on several tensors of one device: lifetimes, gradients and losses take values wherever they are; products with
# blocks are the CPU's alone (tests/unit/test_llama.c).
OTHER = {"keep", "grad", "pullback", "custom_call", "custom_vjp", "eval", "snapshot", "mean_loss",
         "scope_close_with_all", "jvp", "hvp", "scan", "while_loop", "branch", "vmap", "quantised_linear"}

# Operands that are not plain 2x2 f32 matrices: function -> {operand: array}
BOOL, INDEX = np.array([[True, False], [False, True]]), np.array([[0, 1], [1, 0]])
KEY = np.array([1, 2], np.uint32)
ONES = np.ones((1, 2, 2, 2), np.float32)
ARRAYS = {
    "where": {"a": BOOL}, "masked": {"mask": BOOL}, "take": {"index": INDEX}, "gather": {"index": INDEX},
    "scatter": {"index": INDEX}, "scatter_add": {"index": INDEX}, "index_add": {"index": np.array([0, 1])},
    "searchsorted": {"sorted": np.arange(4.0, dtype=np.float32)}, "cross_entropy": {"labels": np.array([0, 1])},
    "accuracy": {"labels": np.array([0, 1])}, "fold_in": {"key": KEY, "data": np.array(3)},
    "bernoulli": {"key": KEY}, "categorical": {"key": KEY}, "dropout": {"key": KEY, "rate": np.float32(0.5)},
    "conv1d": {"x": ONES[0], "w": ONES[0], "bias": ONES[0, 0, 0]}, "conv2d": {"x": ONES, "w": ONES, "bias": ONES[0, 0, 0]},
    "layer_norm": {"scale": ONES[0, 0, 0], "shift": ONES[0, 0, 0]}, "embedding": {"index": INDEX},
    "cross": {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 3), np.float32)}, "solve": {"a": np.eye(2, dtype=np.float32)},
    "repeat_each": {"counts": np.array([1, 2])}, "nll_loss": {"labels": np.array([0, 1])},
    "ctc_loss": {"log_probs": ONES[0], "labels": np.ones((2, 1), np.int64)}, "quantile": {"q": np.float32(0.5)},
    "rotary": {"position": np.array([0, 1])}, "cosine_embedding_loss": {"sign": ONES[0, 0, 0]},
    "grid_sample": {"x": ONES, "grid": ONES}, "conv3d": {"x": ONES[None], "w": ONES[None]},
    "conv_transpose1d": {"x": ONES[0], "w": ONES[0]}, "conv_transpose2d": {"x": ONES, "w": ONES[0][None].repeat(2, 0)},
    "conv_transpose3d": {"x": ONES[None], "w": ONES[None]},
    "solve_triangular": {"a": np.eye(2, dtype=np.float32)}, "lstsq": {"a": np.eye(2, dtype=np.float32)},
    "batch_norm": dict.fromkeys(["scale", "shift", "mean", "var"], ONES[0, 0, 0]),
    **{f"bitwise_{n}": {"a": INDEX, "b": INDEX} for n in ("and", "or", "xor", "left_shift", "right_shift")},
}
# Arguments that are not tensors, in the order of the prototype.
PLAIN = {"update_slice": [(0, 0)], "bernoulli": [(2, 2)], "full": [(2, 2)], "assign_slice": [(0, 0)],
         "tensordot": [(1,), (0,)], "einsum": ["ij,jk,kl"]}
# Operands that must be numbers (creation), or that only lend a shape.
NUMBERS = {"arange", "full", "full_like"}
PYTHON = {"weighted_average": ops.average, "assign": situ.assign, "assign_slice": situ.assign}  # where it has another name


def several():
    """{name: its parameters} of the operations with two or more tensor operands."""
    changes = {name: [("situ_tensor *", "variable"), ("situ_tensor *", "value")] for name in ("assign", "assign_slice")}
    changes["assign_slice"].append(("situ_shape", "start"))
    return {name: p for name, p in (declared() | changes).items() if len(operands_of(p)) > 1 and name not in OTHER | NUMBERS}


def operands_of(parameters):
    """Names of the tensor operands; those of a list are numbered."""
    lists = {"situ_tensor *": [""], "situ_list": ["[0]", "[1]", "[2]"]}
    return [name + place for kind, name in parameters for place in lists.get(kind, ())]


def make(function, operand, device, line):
    """A tensor fit for the operand, there, made at "made.py:line"."""
    value = ARRAYS.get(function, {}).get(operand, np.ones((2, 2), np.float32))
    text = "situ.variable(t * 1)" if operand == "variable" else "ops.copy_to(t, device)"
    names = {"situ": situ, "ops": ops, "t": array(value, device=device), "device": device}
    return eval(compile("\n" * (line - 1) + text, "made.py", "eval"), names)


def call(function, parameters, tensors):
    given, plain, arguments = iter(tensors), iter(PLAIN.get(function, ())), []
    for kind, _ in parameters:
        if kind in ("situ_tensor *", "situ_list"):
            arguments.append(next(given) if kind == "situ_tensor *" else [next(given) for _ in range(3)])
        elif kind not in ("situ_site", "situ_tensor * *") and not kind.endswith("_options *"):
            arguments.append(next(plain))
    return PYTHON.get(function) or getattr(ops, function), arguments


def check(function, parameters, odd, home, away):
    """One call with operand `odd` away from the others."""
    names = operands_of(parameters)
    tensors = [make(function, name, away if i == odd else home, 100 + i) for i, name in enumerate(names)]
    python, arguments = call(function, parameters, tensors)
    name = f"operand {odd + 1}" if "[" in names[odd] else names[odd]
    words = str(home), str(away), "test_placement.py", f"made.py:{100 + odd}"
    error = str(raises(situ.DeviceMismatchError, lambda: python(*arguments), *words))
    assert any(f"made.py:{100 + i}" in error for i in range(len(names)) if i != odd), f"not where another was made: {error}"
    assert re.search(rf"\b{name}\b", error), f"does not name it: {error}"


def test_misplaced_operands(one=situ.gpu(0), other=situ.gpu(1)):
    if situ.num_gpus() < 2:
        situ.sim_gpus(2)
    functions, failures = several(), Failures()
    for function, parameters in functions.items():
        names = operands_of(parameters)
        for odd, (home, away) in itertools.product(range(len(names)), [(situ.cpu(), one), (one, situ.cpu()), (one, other)]):
            with failures.of(f"{function}({', '.join(names)}) with {names[odd]} on {away}"):
                check(function, parameters, odd, home, away)
    assert len(functions) > 45, f"only {len(functions)} operations found"
    return f"{len(functions)} operations, {failures.check()}"


def well_placed(devices):
    """The same calls with all operands on one device are not refused: the test above fails for no other reason."""
    failures = Failures()
    for (function, parameters), device in itertools.product(several().items(), devices):
        with failures.of(f"{function} on {device}"):
            python, arguments = call(function, parameters, [make(function, name, device, 1) for name in operands_of(parameters)])
            result = python(*arguments)
            for t in result if isinstance(result, (tuple, list)) else [result] * (result is not None):
                assert t.device == device, f"its result is on {t.device}, not on {device}"
                numpy(t)
    return failures


def test_well_placed():
    return well_placed((situ.cpu(), situ.gpu(0))).check()


def test_strict_mode():
    """Without a default device, a forgotten device= is an error; operations follow their operands."""
    with situ.strict():
        x = ops.zeros((2,), device=situ.gpu(0))
        assert ops.add(x, 1).device == situ.gpu(0)
        for create in (lambda: ops.zeros((2,)), lambda: ops.arange(0, 3, 1), lambda: ops.key(1), lambda: ops.eye(2)):
            raises((situ.DeviceMismatchError, situ.ArgumentError, situ.OptionError, situ.NoDeviceError), create)


if __name__ == "__main__":
    run(globals())
