"""situ against values that scripts/make_reference.py took from JAX and PyTorch: random numbers bit for bit, values and
gradients at random points (PyTorch, f64) and the conventions at ties, zeros and infinities (JAX, f32), on the CPU and on a
simulated GPU."""
import json

import numpy as np

import situ
from situ import _situ as ops
from support import ROOT, array, numpy, run

FOLDER = ROOT / "tests" / "reference"
LONG = {"bool": "bool", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "int8": "i8", "int16": "i16", "int32": "i32",
        "int64": "i64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
NAMES = list(LONG.values())


def load(name):
    return json.loads((FOLDER / name).read_text())


def devices():
    return [situ.cpu()] + ([situ.gpu(0)] if situ.num_gpus() else [])


# ---- random numbers ------------------------------------------------------------------------------------------------------------

def make_random(case, logits, device):
    """The tensor of one case of jax_random.json."""
    layout, a = ("default", "original", "partitionable")[case["layout"]], case["arguments"]
    key = ops.key(case["seed"], device=device)
    how = {"layout": layout, **({"dtype": a["dtype"]} if "dtype" in a else {})}
    shape = a.get("shape", [])
    call = case["call"]
    if call == "key":
        return key
    if call == "key_split":
        return ops.key_split(key, a["count"], layout=layout)
    if call == "fold_in":
        return ops.fold_in(key, a["data"])
    if call == "uniform":
        return ops.uniform(key, shape, **how, **{k: a[k] for k in ("low", "high") if k in a})
    if call == "randint":
        return ops.randint(key, shape, a["low"], a["high"], **how)
    if call == "bernoulli":
        return ops.bernoulli(key, a["p"], shape, **how)
    if call == "permutation":
        return ops.permutation(key, a["n"], **how)
    if call == "categorical":
        return ops.categorical(key, array(np.array(logits, np.float32), device=device), axis=a["axis"], **how)
    return {"random_bits": ops.bits, "normal": ops.normal, "gumbel": ops.gumbel}[call](key, shape, **how)


def units_apart(a, b):
    """The distance of floats of one dtype in units of the last place."""
    bits = {2: np.int16, 4: np.int32, 8: np.int64}[a.itemsize]
    x, y = (v.view(bits).astype(object) for v in (a, b))
    least = -(1 << (a.itemsize * 8 - 1))
    order = np.vectorize(lambda v: least - v if v < 0 else v, otypes=[object])
    return np.abs(order(x) - order(y)) if a.size else np.zeros(1)


MOST_UNITS = {"normal": 4, "gumbel": 4}


def far(call, got, want):
    """More than 4 units away? Gumbel's logarithm of a logarithm has its units from 1, where the inner one is near it."""
    if call == "gumbel":
        return np.abs(got - want).max(initial=0) > 4 * 2.0**-24 * max(1, np.abs(want).max(initial=0))
    return max(units_apart(got, want).ravel()) > MOST_UNITS[call]


def test_random():
    """The same bits as JAX; normal and gumbel within 4 units, whose logarithms are not the same."""
    reference, failures, count = load("jax_random.json"), [], 0
    for case in reference["cases"]:
        want = np.frombuffer(bytes.fromhex(case["hex"]), "uint16" if case["dtype"] == "bfloat16" else case["dtype"]).reshape(case["shape"])
        what = f"{case['call']} layout {case['layout']} seed {case['seed']} {case['arguments']}"
        first = None
        for device in devices():
            t = make_random(case, reference["logits"], device)
            if t.dtype.short != LONG[case["dtype"]] or t.shape != want.shape:
                failures.append(f"{what}: {t.dtype}{t.shape}, not {case['dtype']}{want.shape}")
                break
            bits = np.frombuffer(ops.read_bytes(t), want.dtype).reshape(t.shape)
            if case["call"] in MOST_UNITS:
                if far(case["call"], bits, want):
                    failures.append(f"{what}: {bits.ravel()[:4]} is far from {want.ravel()[:4]}")
            elif bits.tobytes() != want.tobytes():
                failures.append(f"{what}: {bits.ravel()[:4]}, not {want.ravel()[:4]}")
            if first is not None and bits.tobytes() != first.tobytes():
                failures.append(f"{what}: {device} gives other bits than the CPU")
            first, count = bits, count + 1
    assert not failures, f"{len(failures)} of {count}: " + " | ".join(failures[:12])
    return f"{count} arrays of JAX {reference['jax']}"


# ---- values and gradients --------------------------------------------------------------------------------------------------------

def on(t, values, dtype=None):
    return array(np.array(values), dtype or (t.dtype if isinstance(values[0], float) else None), t.device)


def weighted(t, n):
    """t times 1, 2, ... n along its last axis."""
    return ops.mul(t, on(t, [float(i + 1) for i in range(n)]))


def square(function):
    return lambda *t: ops.square(function(*t))


def norm(**how):
    return lambda x: ops.norm(x, axis=(1,), **how)


INDEX = np.array([[0, 2, 1], [2, 2, 0]])
COMMON = {
    "gelu_exact": lambda x: ops.gelu(x, exact=True), "elu": lambda x: ops.elu(x, 1.0), "leaky_relu": lambda x: ops.leaky_relu(x, 0.1),
    "prod": lambda x: ops.prod(x, axis=(1,)), "prod_zeros": lambda x: ops.prod(x, axis=(1,)), "prod_all": lambda x: ops.prod(x),
    "prod_all_zeros": lambda x: ops.prod(x),
}
TORCH = {
    **COMMON, "clip": lambda x: ops.clip(x, -0.7, 1.1), "cumprod": lambda x: ops.cumprod(x, axis=0),
    "cumprod_zeros": lambda x: ops.cumprod(x, axis=0), "sum": square(lambda x: ops.sum(x, axis=(0, 2))),
    "mean": square(lambda x: ops.mean(x, axis=(0, 2))), "var": lambda x: ops.var(x, axis=(0, 2), correction=1),
    "std": lambda x: ops.std(x, axis=(1,)), "max": lambda x: ops.max(x, axis=(1,)), "min": lambda x: ops.min(x, axis=(0,)),
    "logsumexp": lambda x: ops.logsumexp(x), "cumsum": square(lambda x: ops.cumsum(x, axis=1)), "norm1": norm(ord=1), "norm2": norm(),
    "norm3": norm(ord=3), "norm_inf": norm(ord=np.inf), "softmax": square(lambda x: ops.softmax(x, axis=0)),
    "log_softmax": square(lambda x: ops.log_softmax(x, axis=1)), "matmul_vector": lambda a, b: ops.matmul(a, b),
    "trace": square(lambda x: ops.trace(x)), "cross_entropy": lambda x: ops.cross_entropy(x, on(x, [1, 4, 0])),
    "cross_entropy_sum": lambda x: ops.cross_entropy(x, on(x, [1, 4, 0]), reduction="sum"), "gather": square(lambda x: ops.gather(x, on(x, INDEX), axis=1)),
    "scatter_add": square(lambda x, v: ops.scatter_add(x[:2, :4], on(x, INDEX), v, axis=1)),
    "index_add": square(lambda x, v: ops.index_add(x, on(x, [2, 0, 2]), v)), "take": square(lambda x: ops.take(x, on(x, [2, 0, 2]))),
    "sort": lambda x: weighted(ops.sort(x), 5), "topk": square(lambda x: ops.topk(x, 2)[0]),
    "pad": square(lambda x: ops.pad(x, (0, 1), (2, 0), value=3)), "roll": lambda x: weighted(ops.roll(x, 2, axis=1), 3),
    "flip": lambda x: weighted(ops.flip(x, axis=(0,)), 3), "tril": square(lambda x: ops.tril(x, k=-1)),
    "diagonal": square(lambda x: ops.diagonal(x, offset=1)), "repeat": square(lambda x: ops.repeat(x, 2, axis=1)),
    "tile": square(lambda x: ops.tile(x, (2, 2))),
}
JAX = {
    **COMMON, "clip": lambda x: ops.clip(x, -1.0, 1.0), "clip_all": lambda *t: ops.clip(*t),
    "where_inf": lambda x: ops.where(ops.greater(x, 0), x, ops.log(ops.negative(x))),
    "where_safe": lambda x: ops.where(ops.greater(x, 0), ops.sqrt(ops.where(ops.greater(x, 0), x, 1.0)), 0.0),
    "softmax": lambda x: weighted(ops.softmax(x), 3), "log_softmax": lambda x: ops.log_softmax(x)[:3, :2],
    "logsumexp": lambda x: ops.logsumexp(x, axis=(1,)), "cross_entropy": lambda x: ops.cross_entropy(x, on(x, [1, 0, 2])),
    "scatter": square(lambda x, v: ops.scatter(x, on(x, [0, 2]), v)), "take": square(lambda x: ops.take(x, on(x, [2, 0, 2, 2]))),
}
for _data in ("ties", "zeros"):
    JAX.update({
        f"max_{_data}": lambda x: ops.max(x, axis=(1,)), f"min_{_data}": lambda x: ops.min(x, axis=(0,)), f"max_all_{_data}": lambda x: ops.max(x),
        f"sort_{_data}": lambda x: weighted(ops.sort(x), 4), f"topk_{_data}": lambda x: weighted(ops.topk(x, 2)[0], 2),
        f"prod_{_data}": lambda x: ops.prod(x, axis=(1,)), f"prod_all_{_data}": lambda x: ops.prod(x),
        f"cumprod_{_data}": lambda x: ops.cumprod(x, axis=1), f"cumsum_{_data}": square(lambda x: ops.cumsum(x, axis=0)),
        f"std_{_data}": lambda x: ops.std(x, axis=(1,)), f"var_{_data}": lambda x: ops.var(x, axis=(1,), correction=1), f"norm_{_data}": norm()})

# Where situ gives something else than JAX on purpose: (case, what) -> where. Outside, it must be the same.
def _some_nan(*x):
    return any(np.isnan(v) for v in x)


def _infinite(x):
    return np.isinf(x)


ON_PURPOSE = {
    # a NaN that has won has a gradient of NaN (docs/gradients.md)
    ("relu", "gradient"): np.isnan, ("clip", "gradient"): np.isnan,
    **{(name, f"gradient {i}"): _some_nan for name in ("maximum", "minimum") for i in (0, 1)},
    # limits that exist
    **{(name, "value"): _infinite for name in ("silu", "gelu_exact", "gelu", "mish")},
    **{(name, "gradient"): _infinite for name in ("silu", "gelu_exact", "mish")},
    # 0, as in PyTorch, where there is no direction; the limit at infinity
    **{("atan2", f"gradient {i}"): lambda x, y: (x == 0 and y == 0) or np.isinf(x) or np.isinf(y) for i in (0, 1)},
    ("std_ties", "gradient"): lambda x: x == 4,
    # -inf, as in PyTorch
    ("pow", "gradient 1"): lambda x, y: x == 0 and y < 0,
    # the subgradient 0, as in PyTorch (JAX 0.10: 1), and NaN stays NaN (JAX: -1); copysign likewise
    ("abs", "gradient"): lambda x: x == 0 or x != x,
    ("copysign", "gradient 0"): lambda x, y: x == 0 or x != x,
    # NaN where the function has no value; no overflow where 1/x is a number (JAX squares x)
    ("acosh", "gradient"): lambda x: x < 1 or x > 1e19,
    ("asinh", "gradient"): lambda x: x > 1e19,
    # a limit that exists, where JAX has NaN or a number from an overflow
    ("hypot", "gradient 1"): lambda x, y: np.isinf(x),
    ("hypot", "gradient 0"): lambda x, y: np.isinf(y),
    ("logaddexp", "gradient 0"): lambda x, y: np.isinf(x) or np.isinf(y),
    ("logaddexp", "gradient 1"): lambda x, y: np.isinf(x) or np.isinf(y),
    ("pow", "gradient 0"): lambda x, y: x == 0 and y == 0,
    # 1 and 0 are the limits; in JAX x^2 overflows and is multiplied by 0
    ("gelu", "gradient"): lambda x: abs(x) > 1e18,
    # inf mod 1 has no value
    ("remainder", "gradient 1"): lambda x, y: np.isinf(x),
    ("fmod", "gradient 1"): lambda x, y: np.isinf(x),
}


def on_purpose(case, what, point):
    where = ON_PURPOSE.get((case["name"], what))
    return where is not None and bool(where(*[np.float32(np.array(a)[point]) for a in case["operands"]]))


def compare(case, functions, dtype, relative, device):
    name = case["name"]
    function = functions.get(name) or getattr(ops, name)
    tensors = [array(np.array(a), dtype, device) for a in case["operands"]]
    value = function(*tensors)
    grads = situ.gradients(ops.sum(value), tensors)
    results = [("value", numpy(value), case["value"])]
    results += [(f"gradient {i}" if len(grads) > 1 else "gradient", numpy(g), w) for i, (g, w) in enumerate(zip(grads, case["gradients"]))]
    wrong = []
    for what, got, want in results:
        want = np.array(want, np.float64)
        if got.shape != want.shape:
            wrong.append(f"{name}: {what} of shape {got.shape}, not {want.shape}")
            continue
        with np.errstate(all="ignore"):
            scale = np.abs(want[np.isfinite(want)]).max(initial=0)
            near = np.abs(got - want) <= relative * (np.abs(want) + (1e-3 * scale if want.ndim > 1 else 0)) + 1e-37
            agree = (got == want) | (np.isnan(got) & np.isnan(want)) | near
        points = [tuple(int(i) for i in p) for p in np.argwhere(~agree)]
        points = [p for p in points if dtype != "f32" or not on_purpose(case, what, p)]
        for p in points[:4]:
            at = [float(np.broadcast_to(np.array(a), got.shape)[p]) for a in case["operands"]] \
                if all(np.ndim(a) == got.ndim for a in case["operands"]) else p
            wrong.append(f"{name}: {what} at {at} is {got[p]:.9g}, not {want[p]:.9g}")
    return wrong


def run_reference(file, functions, dtype, relative):
    reference, wrong = load(file), []
    for case in reference["cases"]:
        for device in devices():
            try:
                more = compare(case, functions, dtype, relative, device)
            except situ.Error as error:
                more = [f"{case['name']}: {error}"]
            wrong += [f"{w} on {device}" for w in more if not any(w in old for old in wrong)]
    assert not wrong, f"{len(wrong)}: " + " | ".join(wrong)
    return len(reference["cases"])


def test_torch():
    """Values and gradients in f64."""
    return f"{run_reference('torch.json', TORCH, 'f64', 1e-10)} operations"


def test_jax_conventions():
    """Values and gradients in f32 at ties, zeros, infinities and NaN."""
    return f"{run_reference('jax_conventions.json', JAX, 'f32', 8e-6)} operations"


if __name__ == "__main__":
    run(globals())
