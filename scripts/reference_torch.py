"""Values and gradients of PyTorch in f64 at random points, for operations that NumPy lacks or whose gradients it lacks.

Used by make_reference.py; tests/python/test_reference.py has situ's side under the same names.
"""
import json

import numpy as np
import torch
import torch.nn.functional as F

RNG = np.random.default_rng(2024)


def draw(*shape, lo=-2.0, hi=2.0):
    return RNG.uniform(lo, hi, shape).round(3)


def integer(array):
    return torch.tensor(array, dtype=torch.int64)


def unary_cases():
    for name, lo, hi in [("exp", -3, 3), ("exp2", -3, 3), ("expm1", -3, 3), ("log", 0.1, 3), ("log2", 0.1, 3), ("log10", 0.1, 3),
                         ("log1p", -0.5, 3), ("sin", -3, 3), ("cos", -3, 3), ("tan", -1, 1), ("asin", -0.9, 0.9), ("acos", -0.9, 0.9),
                         ("atan", -3, 3), ("sinh", -3, 3), ("cosh", -3, 3), ("tanh", -3, 3), ("asinh", -3, 3), ("acosh", 1.1, 4),
                         ("atanh", -0.9, 0.9), ("erf", -2, 2), ("erfc", -2, 2), ("erfinv", -0.9, 0.9), ("sigmoid", -4, 4), ("sqrt", 0.1, 3),
                         ("rsqrt", 0.1, 3), ("reciprocal", 0.2, 3), ("square", -3, 3), ("abs", -3, 3), ("relu", -3, 3)]:
        yield name, getattr(torch, name, None) or getattr(torch.special, name), [draw(6, lo=lo, hi=hi)]
    for name, function in [("softplus", F.softplus), ("silu", F.silu), ("mish", F.mish), ("elu", F.elu),
                           ("gelu", lambda x: F.gelu(x, approximate="tanh")), ("gelu_exact", F.gelu),
                           ("leaky_relu", lambda x: F.leaky_relu(x, 0.1)), ("clip", lambda x: torch.clamp(x, -0.7, 1.1))]:
        yield name, function, [draw(7, lo=-4, hi=4)]


def binary_cases():
    for name, function in [("add", torch.add), ("sub", torch.sub), ("mul", torch.mul), ("maximum", torch.maximum), ("minimum", torch.minimum),
                           ("atan2", torch.atan2), ("hypot", torch.hypot), ("logaddexp", torch.logaddexp), ("copysign", torch.copysign)]:
        yield name, function, [draw(2, 3), draw(3)]
    yield "div", torch.div, [draw(2, 3), draw(3, lo=0.5)]
    yield "pow", torch.pow, [draw(2, 3, lo=0.2), draw(3)]
    yield "remainder", torch.remainder, [draw(2, 3, lo=-9, hi=9), draw(3, lo=1, hi=3)]
    yield "fmod", torch.fmod, [draw(2, 3, lo=-9, hi=9), draw(3, lo=1, hi=3)]
    yield "fma", lambda a, b, c: torch.addcmul(c, a, b), [draw(2, 3), draw(3), draw(2, 1)]


def fold_cases():
    with_zeros = draw(3, 4)
    with_zeros[0, 1] = with_zeros[2, 0] = with_zeros[2, 3] = 0
    for suffix, x in (("", draw(3, 4)), ("_zeros", with_zeros)):
        yield f"prod{suffix}", lambda x: torch.prod(x, 1), [x]
        yield f"prod_all{suffix}", torch.prod, [x]
        yield f"cumprod{suffix}", lambda x: torch.cumprod(x, 0), [x]
    yield "sum", lambda x: torch.sum(x, (0, 2)) ** 2, [draw(2, 3, 4)]
    yield "mean", lambda x: torch.mean(x, (0, 2)) ** 2, [draw(2, 3, 4)]
    yield "var", lambda x: torch.var(x, (0, 2), unbiased=True), [draw(2, 3, 4)]
    yield "std", lambda x: torch.std(x, 1, unbiased=False), [draw(3, 5)]
    yield "max", lambda x: torch.amax(x, 1), [draw(3, 5)]
    yield "min", lambda x: torch.amin(x, 0), [draw(3, 5)]
    yield "logsumexp", lambda x: torch.logsumexp(x, (0, 1)), [draw(3, 5)]
    yield "cumsum", lambda x: torch.cumsum(x, 1) ** 2, [draw(3, 5)]
    for order in (1, 2, 3):
        yield f"norm{order}", lambda x, p=order: torch.linalg.vector_norm(x, p, 1), [draw(3, 5)]
    yield "norm_inf", lambda x: torch.linalg.vector_norm(x, float("inf"), 1), [draw(3, 5)]
    yield "softmax", lambda x: torch.softmax(x, 0) ** 2, [draw(3, 5)]
    yield "log_softmax", lambda x: torch.log_softmax(x, 1) ** 2, [draw(3, 5)]


def other_cases():
    yield "matmul", torch.matmul, [draw(2, 1, 3, 4), draw(5, 4, 2)]
    yield "matmul_vector", torch.matmul, [draw(2, 3, 4), draw(4)]
    yield "outer", torch.outer, [draw(3), draw(4)]
    yield "trace", lambda x: torch.trace(x) ** 2, [draw(4, 4)]
    yield "cross_entropy", lambda x: F.cross_entropy(x, integer([1, 4, 0])), [draw(3, 5)]
    yield "cross_entropy_sum", lambda x: F.cross_entropy(x, integer([1, 4, 0]), reduction="sum"), [draw(3, 5)]
    yield "mse", F.mse_loss, [draw(3, 5), draw(3, 5)]
    index = integer([[0, 2, 1], [2, 2, 0]])
    yield "gather", lambda x: torch.gather(x, 1, index) ** 2, [draw(2, 4)]
    yield "scatter_add", lambda x, v: torch.scatter_add(x, 1, index, v) ** 2, [draw(2, 4), draw(2, 3)]
    yield "index_add", lambda x, v: torch.index_add(x, 0, integer([2, 0, 2]), v) ** 2, [draw(3, 4), draw(3, 4)]
    yield "take", lambda x: torch.index_select(x, 0, integer([2, 0, 2])) ** 2, [draw(3, 4)]
    yield "sort", lambda x: torch.sort(x, 1)[0] * torch.arange(1.0, 6.0, dtype=torch.float64), [draw(3, 5)]
    yield "topk", lambda x: torch.topk(x, 2, 1)[0] ** 2, [draw(3, 5)]
    yield "pad", lambda x: F.pad(x, (1, 0, 0, 2), value=3.0) ** 2, [draw(2, 3)]
    yield "roll", lambda x: torch.roll(x, 2, 1) * torch.arange(1.0, 4.0, dtype=torch.float64), [draw(2, 3)]
    yield "flip", lambda x: torch.flip(x, (0,)) * torch.arange(1.0, 4.0, dtype=torch.float64), [draw(2, 3)]
    yield "tril", lambda x: torch.tril(x, -1) ** 2, [draw(3, 3)]
    yield "diagonal", lambda x: torch.diagonal(x, 1) ** 2, [draw(3, 4)]
    yield "repeat", lambda x: torch.repeat_interleave(x, 2, 1) ** 2, [draw(2, 3)]
    yield "tile", lambda x: torch.tile(x, (2, 2)) ** 2, [draw(2, 3)]


def numbers(array):
    return [numbers(a) for a in array] if np.ndim(array) else float(f"{float(array):.13g}")


def write(path):
    lines = []
    for cases in (unary_cases, binary_cases, fold_cases, other_cases):
        for name, function, operands in cases():
            tensors = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in operands]
            value = function(*tensors)
            value.sum().backward()
            lines.append(json.dumps({"name": name, "operands": [a.tolist() for a in operands],
                                     "value": numbers(value.detach().numpy()), "gradients": [numbers(t.grad.numpy()) for t in tensors]}))
    path.write_text(f'{{"torch": "{torch.__version__}", "cases": [\n' + ",\n".join(lines) + "\n]}\n")
