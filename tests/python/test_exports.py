"""Every export of the package is called by a test that compares what it gives: its functions, classes and methods, as the package itself
lists them. The other tests are read, not run: a name counts where a call of it flows into a comparison of values, in the same function.
What none of them compares is a row of export_rows.py."""
import ast

import numpy as np

import situ
from export_rows import ROWS
from support import ROOT, Failures, run

SPACES = [situ, situ.nn, situ.optim, situ.linalg, situ.fft, situ.random, situ.metrics, situ.models, situ.data, situ.train, situ.onnx, situ.cuda]
NO_VALUE = {"shape", "dtype", "ndim", "device", "state", "size", "name", "__class__"}  # a comparison of these alone compares no value
COMPARE = {"exactly", "same", "array_equal", "allclose", "isclose", "assert_allclose", "assert_array_equal"}
FOREIGN = {"np", "numpy", "math", "cmath", "torch", "os", "sys", "re", "json", "gc", "copy", "pickle", "itertools", "time", "threading", "random_module"}


# ---- the exports


def functions():
    """{name: where it is first found} of functions and classes."""
    found = {}
    for space in SPACES:
        for name in dir(space):
            value = getattr(space, name)
            if name.startswith("_") or not callable(value) or isinstance(value, type) and issubclass(value, BaseException):
                continue
            found.setdefault(name, f"{space.__name__}.{name}")
    return found


def methods():
    """{name: where it is first found} of methods of tensors, networks and all other classes."""
    found = {}
    kinds = [situ.Tensor] + [value for space in SPACES for name, value in vars(space).items() if isinstance(value, type) and not name.startswith("_") and value.__module__.startswith("situ")]
    for kind in kinds:
        for name in dir(kind):
            if not name.startswith("_") and not hasattr(tuple, name) and not hasattr(Exception, name) and callable(getattr(kind, name, None)):
                found.setdefault(name, f"{kind.__module__}.{kind.__name__}.{name}")
    return found


# ---- what the tests compare


def root(node):
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def calls(node):
    """Names of what is called, or handed on to be called, in an expression, but where only a shape or a dtype is looked at."""
    if isinstance(node, ast.Attribute) and node.attr in NO_VALUE:
        return set()
    found = set()
    if isinstance(node, ast.Attribute) and root(node) not in FOREIGN:
        found.add(node.attr)
    for child in ast.iter_child_nodes(node):
        found |= calls(child)
    return found


def names(node):
    if isinstance(node, ast.Attribute) and node.attr in NO_VALUE:
        return set()
    found = {node.id} if isinstance(node, ast.Name) else set()
    for child in ast.iter_child_nodes(node):
        found |= names(child)
    return found


def flows(function):
    """[(names that get a value, the expression)]"""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield names(target), node.value
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            yield names(node.target), node.value
        elif isinstance(node, (ast.For, ast.comprehension)):
            yield names(node.target), node.iter
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            yield names(node.optional_vars), node.context_expr
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield names(node.value), node.value  # it may change what it is called with
        elif isinstance(node, (ast.FunctionDef, ast.Lambda)) and node is not function and isinstance(node, ast.FunctionDef):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return) and inner.value is not None:
                    yield {node.name}, inner.value


def is_comparison(node):
    if isinstance(node, ast.Assert):
        return any(isinstance(n, ast.Compare) or isinstance(n, ast.Call) and (getattr(n.func, "attr", None) or getattr(n.func, "id", None)) in COMPARE | {"all"} for n in ast.walk(node.test))
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and (getattr(node.value.func, "attr", None) or getattr(node.value.func, "id", None)) in COMPARE


def compared(function):
    known, steps = {}, list(flows(function))
    for _ in range(8):
        for targets, value in steps:
            reached = calls(value).union(*(known.get(n, set()) for n in names(value)))
            for target in targets:
                known[target] = known.get(target, set()) | reached
    found = set()
    for node in ast.walk(function):
        if is_comparison(node):
            found |= calls(node).union(*(known.get(n, set()) for n in names(node)))
    return found


def compared_by_tests():
    found = set()
    for path in sorted((ROOT / "tests/python").glob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                found |= compared(node)
    return found


def agrees(got, want):
    if isinstance(got, (situ.Tensor, np.ndarray)) or isinstance(want, np.ndarray):
        return np.shape(got) == np.shape(want) and np.allclose(np.asarray(got), np.asarray(want), rtol=2e-5, atol=1e-6)
    if isinstance(got, (list, tuple)) and isinstance(want, (list, tuple)):
        return len(got) == len(want) and all(map(agrees, got, want))
    if isinstance(want, (int, float)) and not isinstance(want, bool):
        return abs(got - want) <= 1e-6 + 2e-5 * abs(want)
    return str(got) == want if isinstance(want, str) else got == want


def test_rows():
    failures = Failures()
    for path, (call, want) in ROWS.items():
        with failures.of(path):
            got = call()
            assert agrees(got, want), f"{got}, not {want}"
    return failures.check()


def test_every_export_is_called_and_compared():
    found = compared_by_tests() | {path.rpartition(".")[2] for path in ROWS}
    every = {**methods(), **functions()}
    assert len(every) > 500, len(every)
    missing = sorted(where for name, where in every.items() if name not in found)
    assert not missing, f"{len(missing)} exports that no test calls and compares: {' '.join(missing)}"
    return f"{len(every)} exports"


if __name__ == "__main__":
    run(globals())
