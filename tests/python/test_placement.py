"""Every operation with every one of its tensor operands on another device: refused at the call, with a message that names
the operand, both devices and where each operand was made. The operations are those that the headers declare with two or
more tensor operands (a list counts as three); none of them may be missing here.
"""
import re
import sys

import numpy as np

from situ_ctypes import SituError, Tensor, at, run_tests, situ

# Not operations on several tensors of one device: lifetimes, gradients and losses take values wherever they are; products with
# blocks are the CPU's alone (tests/unit/test_llama.c).
OTHER = {"situ_keep", "situ_grad", "situ_pullback", "situ_custom_call", "situ_custom_vjp", "situ_eval", "situ_mean_loss",
         "situ_scope_close_with_all", "situ_jvp", "situ_hvp", "situ_scan", "situ_while_loop", "situ_branch", "situ_vmap", "situ_quantised_linear"}

# Operands that are not plain 2x2 f32 matrices: function -> {operand: array}
BOOL, INDEX = np.array([[True, False], [False, True]]), np.array([[0, 1], [1, 0]])
KEY = np.array([1, 2], np.uint32)
ONES = np.ones((1, 2, 2, 2), np.float32)
ARRAYS = {
    "situ_where": {"a": BOOL}, "situ_masked": {"mask": BOOL}, "situ_take": {"index": INDEX}, "situ_gather": {"index": INDEX},
    "situ_scatter": {"index": INDEX}, "situ_scatter_add": {"index": INDEX}, "situ_index_add": {"index": np.array([0, 1])},
    "situ_searchsorted": {"sorted": np.arange(4.0, dtype=np.float32)}, "situ_cross_entropy": {"labels": np.array([0, 1])},
    "situ_accuracy": {"labels": np.array([0, 1])}, "situ_fold_in": {"key": KEY, "data": np.array(3)},
    "situ_bernoulli": {"key": KEY}, "situ_categorical": {"key": KEY}, "situ_dropout": {"key": KEY, "rate": np.float32(0.5)},
    "situ_conv1d": {"x": ONES[0], "w": ONES[0], "bias": ONES[0, 0, 0]}, "situ_conv2d": {"x": ONES, "w": ONES, "bias": ONES[0, 0, 0]},
    "situ_layer_norm": {"scale": ONES[0, 0, 0], "shift": ONES[0, 0, 0]}, "situ_embedding": {"index": INDEX},
    "situ_cross": {"a": np.ones((2, 3), np.float32), "b": np.ones((2, 3), np.float32)}, "situ_solve": {"a": np.eye(2, dtype=np.float32)},
    "situ_repeat_each": {"counts": np.array([1, 2])}, "situ_nll_loss": {"labels": np.array([0, 1])},
    "situ_ctc_loss": {"log_probs": ONES[0], "labels": np.ones((2, 1), np.int64)}, "situ_quantile": {"q": np.float32(0.5)},
    "situ_rotary": {"position": np.array([0, 1])}, "situ_cosine_embedding_loss": {"sign": ONES[0, 0, 0]},
    "situ_grid_sample": {"x": ONES, "grid": ONES}, "situ_conv3d": {"x": ONES[None], "w": ONES[None]},
    "situ_conv_transpose1d": {"x": ONES[0], "w": ONES[0]}, "situ_conv_transpose2d": {"x": ONES, "w": ONES[0][None].repeat(2, 0)},
    "situ_conv_transpose3d": {"x": ONES[None], "w": ONES[None]},
    "situ_solve_triangular": {"a": np.eye(2, dtype=np.float32)}, "situ_lstsq": {"a": np.eye(2, dtype=np.float32)},
    "situ_batch_norm": dict.fromkeys(["scale", "shift", "mean", "var"], ONES[0, 0, 0]),
    **{f"situ_bitwise_{n}": {"a": INDEX, "b": INDEX} for n in ("and", "or", "xor", "left_shift", "right_shift")},
}
# Arguments that are not tensors, in the order of the prototype.
PLAIN = {"situ_update_slice": [(0, 0)], "situ_bernoulli": [(2, 2)], "situ_full": [(2, 2)], "situ_assign_slice": [(0, 0)],
         "situ_tensordot": [(1,), (0,)], "situ_einsum": [b"ij,jk,kl"]}
# Operands that must be numbers (creation), or that only lend a shape.
NUMBERS = {"situ_arange", "situ_full", "situ_full_like"}


def make(function, operand, device, line):
    """A tensor fit for the operand, there, made at "made.c:line"."""
    with at(f"made.c:{line}"):
        t = situ.array(value_of(function, operand), device=device)
        return situ.variable(t) if operand == "variable" else t


def operands_of(function):
    """Names of the tensor operands; those of a list are numbered."""
    names = []
    for kind, name in function.parameters:
        if kind == "situ_tensor *":
            names.append(name)
        elif kind == "situ_list":
            names += [f"{name}[{i}]" for i in range(3)]
    return names


def value_of(function, operand):
    return ARRAYS.get(function.name, {}).get(operand, np.ones((2, 2), np.float32))


def call(function, tensors):
    given, plain, arguments = list(tensors), list(PLAIN.get(function.name, [])), []
    for kind, _ in function.parameters:
        if kind == "situ_tensor *":
            arguments.append(given.pop(0))
        elif kind == "situ_list":
            arguments.append([given.pop(0) for _ in range(3)])
        elif kind not in ("situ_site", "situ_tensor * *") and not kind.endswith("_options *"):
            arguments.append(plain.pop(0))
    return function(*arguments)


def several():
    """The operations with two or more tensor operands."""
    functions = {f.name: f for f in situ.operations()}
    for name in ("situ_assign", "situ_assign_slice"):
        functions[name] = situ.functions[name]
    return [f for f in functions.values() if len(operands_of(f)) > 1 and f.name not in OTHER | NUMBERS]


def check(function, names, odd, home, away):
    """One call with operand `odd` away from the others."""
    tensors = [make(function, name, away if i == odd else home, 100 + i) for i, name in enumerate(names)]
    what = f"{function.name}({', '.join(names)}) with {names[odd]} on {away}"
    try:
        call(function, tensors)
    except SituError as error:
        assert error.code == situ.BAD_DEVICE, f"{what}: {error}"
        for word in (str(home), str(away), "test_placement.py", f"made.c:{100 + odd}"):
            assert word in error.message, f"{what}: no {word!r} in: {error.message}"
        others = [f"made.c:{100 + i}" in error.message for i in range(len(names)) if i != odd]
        assert any(others), f"{what}: not where another was made: {error.message}"
        name = f"operand {odd + 1}" if "[" in names[odd] else names[odd]
        assert re.search(rf"\b{name}\b", error.message), f"{what}: does not name it: {error.message}"
        return
    finally:
        if names[0] == "variable":
            situ.release(tensors[0])
    raise AssertionError(f"{what} was not refused")


def test_misplaced_operands(one=situ.gpu(0), other=situ.gpu(1)):
    if situ.num_gpus() < 2:
        situ.sim_gpus(2)
    places = [(situ.cpu(), one), (one, situ.cpu()), (one, other)]
    functions, count, failures = several(), 0, []
    for function in functions:
        names = operands_of(function)
        for odd in range(len(names)):
            for home, away in places:
                with situ.scope():
                    try:
                        check(function, names, odd, home, away)
                        count += 1
                    except AssertionError as error:
                        failures.append(str(error))
                        break
    assert not failures, f"{len(failures)}: " + " | ".join(failures)
    assert len(functions) > 45, f"only {len(functions)} operations found"
    return f"{len(functions)} operations, {count} misplaced operands"


def test_well_placed(devices=(situ.cpu(), situ.gpu(0))):
    """The same calls with all operands on one device are not refused: the test above fails for no other reason."""
    failures = []
    for function in several():
        for device in devices:
            with situ.scope():
                names = operands_of(function)
                tensors = [make(function, name, device, 1) for name in names]
                try:
                    result = call(function, tensors)
                    if isinstance(result, Tensor):
                        assert result.device == device, f"its result is on {result.device}, not on {device}"
                        result.numpy()
                except (SituError, AssertionError) as error:
                    failures.append(f"{function.name} on {device}: {error}")
                if names[0] == "variable":
                    situ.release(tensors[0])
    assert not failures, f"{len(failures)}: " + " | ".join(failures)


def test_strict_mode():
    """Without a default device, a forgotten .device is an error; operations follow their operands."""
    situ.strict(True)
    try:
        with situ.scope():
            x = situ.zeros((2,), device=situ.gpu(0))
            assert situ.add(x, 1).device == situ.gpu(0)
            for create in (lambda: situ.zeros((2,)), lambda: situ.arange(0, 3, 1), lambda: situ.key(1), lambda: situ.eye(2)):
                try:
                    create()
                except SituError as error:
                    assert error.code in (situ.BAD_DEVICE, situ.BAD_ARGUMENT, situ.BAD_OPTION, situ.NO_DEVICE), str(error)
                else:
                    raise AssertionError("a creation without .device was not refused in strict mode")
    finally:
        situ.strict(False)


if __name__ == "__main__":
    run_tests(sys.modules[__name__])
