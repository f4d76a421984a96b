"""JAX's random numbers, and its values and gradients at ties, zeros, infinities and other special points.

Used by make_reference.py; tests/python/test_reference.py has situ's side under the same names.
"""
import json
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numpy as np

INF, NAN = float("inf"), float("nan")


# ---- random numbers -----------------------------------------------------------------------------------------------------

def random_cases(layout):
    """(call, seed, arguments, values) for one counter layout."""
    r = jax.random
    for seed in [0, 42, 2**40 + 12345, -7]:
        key = r.PRNGKey(seed)
        yield "key", seed, {}, key
        for n in [1, 2, 3, 7]:
            yield "key_split", seed, {"count": n}, r.split(key, n)
        for data in [0, 1, 12345]:
            yield "fold_in", seed, {"data": data}, r.fold_in(key, data)
        for bits in [8, 16, 32, 64]:
            yield "random_bits", seed, {"shape": [3, 5], "dtype": f"u{bits}"}, r.bits(key, (3, 5), f"uint{bits}")
        for shape in [[], [1], [2, 3], [67], [0], [3, 1, 4]]:
            yield "uniform", seed, {"shape": shape, "dtype": "f32"}, r.uniform(key, shape, jnp.float32)
        for dtype, name in [("f16", "float16"), ("bf16", "bfloat16"), ("f64", "float64")]:
            yield "uniform", seed, {"shape": [11], "dtype": dtype}, r.uniform(key, (11,), name)
            yield "normal", seed, {"shape": [11], "dtype": dtype}, r.normal(key, (11,), name)
        yield "uniform", seed, {"shape": [9], "dtype": "f32", "low": -2, "high": 3}, r.uniform(key, (9,), jnp.float32, -2, 3)
        yield "normal", seed, {"shape": [4, 25], "dtype": "f32"}, r.normal(key, (4, 25), jnp.float32)
        yield "gumbel", seed, {"shape": [13], "dtype": "f32"}, r.gumbel(key, (13,), jnp.float32)
        for dtype, name in [("i32", "int32"), ("i64", "int64"), ("u8", "uint8"), ("i16", "int16"), ("u32", "uint32")]:
            for low, high in [(0, 10), (3, 100), (0, 2**31 if name.endswith(("32", "64")) else 120)]:
                yield "randint", seed, {"shape": [9], "low": low, "high": high, "dtype": dtype}, r.randint(key, (9,), low, high, name)
        yield "randint", seed, {"shape": [9], "low": -50, "high": 7, "dtype": "i32"}, r.randint(key, (9,), -50, 7, "int32")
        yield "bernoulli", seed, {"shape": [4, 6], "p": 0.3}, r.bernoulli(key, jnp.float32(0.3), (4, 6))
        for n in [0, 1, 2, 10, 100]:
            yield "permutation", seed, {"n": n}, r.permutation(key, n)
        logits = jnp.asarray(LOGITS, jnp.float32)
        for axis in [-1, 0]:
            yield "categorical", seed, {"axis": axis}, r.categorical(key, logits, axis)


LOGITS = [[0.5, -1, 2, 0, 1], [0, 0, 0, 0, 0], [3, 2, 1, 0, -1], [-5, 5, -5, 5, 4]]


def write_random(path):
    jax.config.update("jax_enable_x64", True)
    lines = []
    for layout in [1, 2]:
        jax.config.update("jax_threefry_partitionable", layout == 2)
        for call, seed, arguments, values in random_cases(layout):
            array = np.asarray(values)
            raw = array.view(np.uint16) if array.dtype.name == "bfloat16" else array
            lines.append(json.dumps({"call": call, "layout": layout, "seed": seed, "arguments": arguments,
                                     "dtype": array.dtype.name, "shape": array.shape, "hex": raw.tobytes().hex()}))
    path.write_text(f'{{"jax": "{jax.__version__}", "logits": {json.dumps(LOGITS)}, "cases": [\n' + ",\n".join(lines) + "\n]}\n")


# ---- conventions ---------------------------------------------------------------------------------------------------------

EDGES = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 0.5, -2.5, 1e-30, 1e20, 88.0, -100.0]
PAIRS = ([0.0, 0.0, -0.0, 1.0, 2.0, INF, -INF, INF, NAN, 1.0, -1.0, 3.0], [0.0, -0.0, 0.0, 1.0, -2.0, INF, -INF, 1.0, 1.0, NAN, -1.0, 5.0])
POWERS = ([0, 0, 0, 0, 0, -2, -2, 2, 1, 4, INF, 0.5, -1, 1e-20], [0, 1, 2, 0.5, -1, 2, 3, 0, INF, 0.5, 0.5, 2, 0, 2])
TIES = [[1.0, 3.0, 3.0, 2.0], [4.0, 4.0, 4.0, 4.0], [0.0, -0.0, -1.0, -1.0]]
ZEROS = [[1.0, 0.0, 2.0, 3.0], [0.0, 0.0, 2.0, 5.0], [1.0, 2.0, 3.0, 4.0]]
EXTREMES = [[1000.0, 999.0, -1000.0], [-INF, 0.0, 1.0], [5.0, 5.0, 5.0], [-INF, -INF, 2.0]]

UNARY = {"abs": jnp.abs, "relu": jax.nn.relu, "sign": jnp.sign, "sqrt": jnp.sqrt, "rsqrt": jax.lax.rsqrt, "cbrt": jnp.cbrt,
         "square": jnp.square, "reciprocal": jnp.reciprocal, "exp": jnp.exp, "expm1": jnp.expm1, "log": jnp.log, "log1p": jnp.log1p,
         "log2": jnp.log2, "sin": jnp.sin, "cos": jnp.cos, "tanh": jnp.tanh, "sigmoid": jax.nn.sigmoid, "softplus": jax.nn.softplus,
         "floor": jnp.floor, "ceil": jnp.ceil, "round": jnp.round, "trunc": jnp.trunc, "erf": jax.scipy.special.erf,
         "erfc": jax.scipy.special.erfc, "erfinv": jax.scipy.special.erfinv, "asin": jnp.arcsin, "acos": jnp.arccos,
         "atan": jnp.arctan, "asinh": jnp.arcsinh, "acosh": jnp.arccosh, "atanh": jnp.arctanh, "silu": jax.nn.silu,
         "elu": jax.nn.elu, "leaky_relu": lambda x: jax.nn.leaky_relu(x, 0.1), "gelu": jax.nn.gelu,
         "gelu_exact": lambda x: jax.nn.gelu(x, approximate=False), "mish": lambda x: x * jnp.tanh(jax.nn.softplus(x))}
BINARY = {"maximum": jnp.maximum, "minimum": jnp.minimum, "atan2": jnp.arctan2, "hypot": jnp.hypot, "logaddexp": jnp.logaddexp,
          "remainder": jnp.remainder, "fmod": jnp.fmod, "copysign": jnp.copysign, "div": jnp.divide, "mul": jnp.multiply}


def convention_cases():
    """(name, function, operands)"""
    for name, function in UNARY.items():
        yield name, function, [EDGES]
    for name, function in BINARY.items():
        yield name, function, list(PAIRS)
    yield "pow", jnp.power, list(POWERS)
    yield "clip", lambda x: jnp.clip(x, -1, 1), [EDGES]
    yield "clip_all", jnp.clip, [[0.0, 1.0, 2.0, 3.0, 1.0, 0.5], [1.0, 1.0, 1.0, 1.0, 1.0, 0.0], [2.0, 2.0, 2.0, 2.0, 1.0, 0.5]]
    yield "where_inf", lambda x: jnp.where(x > 0, x, jnp.log(-x)), [[1.0, -1.0, INF, -INF, 2.0]]
    yield "where_safe", lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1)), 0), [[1.0, 0.0, -1.0, 4.0]]
    for name, data in (("ties", TIES), ("zeros", ZEROS)):
        yield f"max_{name}", lambda x: jnp.max(x, 1), [data]
        yield f"min_{name}", lambda x: jnp.min(x, 0), [data]
        yield f"max_all_{name}", jnp.max, [data]
        yield f"sort_{name}", lambda x: jnp.sort(x, 1) * jnp.arange(1.0, 5.0), [data]
        yield f"topk_{name}", lambda x: jax.lax.top_k(x, 2)[0] * jnp.arange(1.0, 3.0), [data]
        yield f"prod_{name}", lambda x: jnp.prod(x, 1), [data]
        yield f"prod_all_{name}", jnp.prod, [data]
        yield f"cumprod_{name}", lambda x: jnp.cumprod(x, 1), [data]
        yield f"cumsum_{name}", lambda x: jnp.cumsum(x, 0) ** 2, [data]
        yield f"std_{name}", lambda x: jnp.std(x, 1), [data]
        yield f"var_{name}", lambda x: jnp.var(x, 1, ddof=1), [data]
        yield f"norm_{name}", lambda x: jnp.sqrt(jnp.sum(x * x, 1)), [data]
    yield "softmax", lambda x: jax.nn.softmax(x) * jnp.arange(1.0, 4.0), [EXTREMES]
    yield "log_softmax", lambda x: jax.nn.log_softmax(x)[:, :2], [[EXTREMES[0], EXTREMES[2], [0.1, 0.2, 0.3]]]
    yield "logsumexp", lambda x: jax.nn.logsumexp(x, 1), [EXTREMES]
    yield "cross_entropy", lambda x: -jnp.mean(jax.nn.log_softmax(x)[jnp.arange(3), jnp.array([1, 0, 2])]), \
        [[EXTREMES[0], EXTREMES[2], [0.1, 0.2, 0.3]]]
    yield "scatter", lambda x, v: jnp.square(x.at[jnp.array([0, 2])].set(v)), [[1.0, 2.0, 3.0], [5.0, 6.0]]
    yield "take", lambda x: jnp.square(x[jnp.array([2, 0, 2, 2])]), [[1.0, 2.0, 3.0]]


def numbers(array):
    """Nested lists of floats that read back as the same f32."""
    return [numbers(a) for a in array] if np.ndim(array) else float(f"{float(array):.9g}")


def write_conventions(path):
    jax.config.update("jax_enable_x64", False)
    lines = []
    for name, function, operands in convention_cases():
        arrays = [jnp.asarray(a, jnp.float32) for a in operands]
        value = function(*arrays)
        grads = jax.grad(lambda *a: jnp.sum(function(*a)), argnums=tuple(range(len(arrays))))(*arrays)
        lines.append(json.dumps({"name": name, "operands": [numbers(a) for a in arrays], "value": numbers(value),
                                 "gradients": [numbers(g) for g in grads]}))
    path.write_text(f'{{"jax": "{jax.__version__}", "cases": [\n' + ",\n".join(lines) + "\n]}\n")
