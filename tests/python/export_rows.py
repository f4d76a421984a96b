"""A call of each export that no other test calls by its name, and what it has to give: ROWS["situ.exp2"] = (function of nothing, value).
tests/python/test_exports.py compares them."""
import math
import os
import statistics
import tempfile

import numpy as np

import situ

T = situ.asarray
ROWS = {}


def row(path, wanted, *args, **named):
    """situ.path(*args, **named) gives this."""
    def call():
        f = situ
        for part in path.split(".")[1:]:
            f = getattr(f, part)
        return f(*args, **named)
    ROWS[path] = call, wanted


def of(path, wanted, call):
    """The same where more than one call is needed: `call` gets the export."""
    def do():
        f = situ
        for part in path.split(".")[1:]:
            f = getattr(f, part)
        return call(f)
    ROWS[path] = do, wanted


# ---- of each element

P = [0.25, 0.5, 0.75]
for name, f in {**{n: getattr(math, n) for n in "acos asin atan cos sin tan cosh sinh tanh asinh atanh erf erfc expm1 log10 log1p log2".split()},
                "cbrt": lambda x: x ** (1 / 3), "exp2": lambda x: 2**x, "reciprocal": lambda x: 1 / x, "rsqrt": lambda x: x**-0.5, "pow_half": math.sqrt,
                "sigmoid": lambda x: 1 / (1 + math.exp(-x)), "softplus": lambda x: math.log(1 + math.exp(x)), "negative": lambda x: -x, "positive": lambda x: x,
                "erfinv": lambda x: statistics.NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2)}.items():
    row(f"situ.{name}", [f(x) for x in P], T(P))
Q = [-1.5, 0.2, 2.7]
for name, wanted in {"ceil": [-1, 1, 3], "floor": [-2, 0, 2], "trunc": [-1, 0, 2], "relu": [0, 0.2, 2.7], "signbit": [True, False, False]}.items():
    row(f"situ.{name}", wanted, T(Q))
ODD = [1.0, math.inf, math.nan]
for name, wanted in {"isfinite": [True, False, False], "isinf": [False, True, False], "isnan": [False, False, True]}.items():
    row(f"situ.{name}", wanted, T(ODD))
row("situ.acosh", [math.acosh(x) for x in (1.5, 3.0)], T([1.5, 3.0]))
row("situ.bitcast_u32", [0x3FC00000], T([1.5]))
row("situ.bitcast_f32", [1.5], T([0x3FC00000], dtype="uint32"))
row("situ.bitcast_u64", [0x3FF8000000000000], T([1.5], dtype="float64"))
row("situ.bitcast_f64", [1.5], T([0x3FF8000000000000], dtype="uint64"))
for name, f in {"atan2": math.atan2, "copysign": math.copysign, "fmod": math.fmod, "hypot": math.hypot, "remainder": lambda a, b: a % b, "floor_divide": lambda a, b: a // b,
                "divide": lambda a, b: a / b, "multiply": lambda a, b: a * b, "subtract": lambda a, b: a - b, "logaddexp": lambda a, b: math.log(math.exp(a) + math.exp(b)),
                "greater": lambda a, b: a > b, "greater_equal": lambda a, b: a >= b, "less_equal": lambda a, b: a <= b}.items():
    row(f"situ.{name}", [f(a, b) for a, b in zip((-3.5, 2.0, 5.0), (2.0, 2.0, -3.0))], T([-3.5, 2.0, 5.0]), T([2.0, 2.0, -3.0]))
for name, f in {"bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b, "bitwise_xor": lambda a, b: a ^ b, "bitwise_left_shift": lambda a, b: a << b,
                "bitwise_right_shift": lambda a, b: a >> b}.items():
    row(f"situ.{name}", [f(a, b) for a, b in ((12, 2), (7, 1), (9, 3))], T([12, 7, 9]), T([2, 1, 3]))
row("situ.bitwise_invert", [-13, 0], T([12, -1]))
for name, f in {"logical_and": lambda a, b: a and b, "logical_or": lambda a, b: a or b, "logical_xor": lambda a, b: a != b}.items():
    row(f"situ.{name}", [f(a, b) for a in (False, True) for b in (False, True)], T([False, False, True, True]), T([False, True, False, True]))
row("situ.fma", [7, 5], T([2.0, 1]), T([3.0, 4]), 1.0)

# ---- arrays

A = np.arange(12.0, dtype="float32").reshape(3, 4)
X = T(A)
row("situ.tensor", [1, 2], [1, 2])
row("situ.zeros_like", np.zeros_like(A), X)
row("situ.ones_like", np.ones_like(A), X)
row("situ.empty", np.zeros(2), (2,))
row("situ.empty_like", np.zeros_like(A), X)
row("situ.allclose", True, T([1.0, 2]), T([1.0, 2.000001]))
row("situ.isclose", [True, False], T([1.0, 2]), T([1.0, 3]))
row("situ.array_equal", False, X, X + 1)
row("situ.argmin", [0, 0, 0], X, axis=1)
row("situ.array_split", [[0, 1], [2], [3]], T([0, 1, 2, 3]), 3)
row("situ.chunk", [[0, 1], [2]], T([0, 1, 2]), 2)
row("situ.unstack", list(A.T), X, axis=1)
for n, shape in ((1, (1,)), (2, (1, 1)), (3, (1, 1, 1))):
    row(f"situ.atleast_{n}d", np.full(shape, 5.0), T(5.0))
row("situ.average", [1.75], T([[1.0, 2]]), T([[1.0, 3]]), axis=1)
row("situ.bincount", [1, 0, 2], T([0, 2, 2]))
row("situ.broadcast_arrays", [[[1, 1]], [[1, 2]]], T([[1]]), T([1, 2]))
row("situ.broadcast_shapes", (2, 3), (2, 1), (3,))
row("situ.broadcast_to", [[1, 2], [1, 2]], T([1, 2]), (2, 2))
row("situ.can_cast", True, "int8", "int16")
row("situ.isdtype", True, situ.int8, "integral")
row("situ.diag", [[1, 0], [0, 2]], T([1, 2]), 0)
row("situ.triu", np.triu(A), X)
row("situ.expand_dims", A[:, None], X, axis=1)
row("situ.squeeze", [1, 2], T([[1, 2]]), 0)
row("situ.swapaxes", A.T, X, 0, 1)
row("situ.permute_dims", A.T, X, (1, 0))
row("situ.moveaxis", A.T, X, 0, 1)
row("situ.pad", [9, 1, 2, 9, 9], T([1, 2]), 1, 2, value=9)
row("situ.hstack", [1, 2, 3], [T([1, 2]), T([3])])
row("situ.vstack", [[1, 2], [3, 4]], [T([1, 2]), T([3, 4])])
row("situ.meshgrid", np.meshgrid([1, 2], [3, 4, 5]), T([1, 2]), T([3, 4, 5]))
row("situ.einsum", A @ A.T, "ij,kj->ik", X, X)
row("situ.histogram", [[2, 1], [0, 1.5, 3]], T([0.0, 1, 3]), 2)
row("situ.median", [1.5, 5.5, 9.5], X, axis=1)
row("situ.quantile", 5.5, X, 0.5)
row("situ.top_k", [[3, 2], [1, 2]], T([1, 3, 2]), 2)
row("situ.unique_values", [1, 2], T([2, 1, 2]))
row("situ.unique_counts", [[1, 2], [1, 2]], T([2, 1, 2]))
row("situ.unique_inverse", [[1, 2], [1, 0, 1]], T([2, 1, 2]))
row("situ.scan", [10, [0, 1, 3, 6]], lambda a, b: (a + b, a), T(0), T([1, 2, 3, 4]))
row("situ.while_loop", [64, 6], lambda s: s[1] < 6, lambda s: (s[0] * 2, s[1] + 1), (T(1), T(0)))
row("situ.cond", 3, T(False), lambda x: x, lambda x: x + 1, T(2))
of("situ.vmap", [6, 22, 38], lambda vmap: vmap(lambda t: situ.sum(t))(X))
row("situ.hvp", [8, [[12]]], lambda x: situ.sum(x**3), [T([2.0])], [T([1.0])])

# ---- devices, dtypes, settings

row("situ.Device", situ.cpu(), 1)
row("situ.device", situ.cpu(), "cpu")
row("situ.null", "null(0)", 0)
row("situ.try_gpu", situ.cpu(), 99)
row("situ.try_tpu_gpu", situ.gpu(0) if situ.num_gpus() else situ.cpu())
row("situ.try_all_gpus", situ.all_gpus() or [situ.cpu()])
row("situ.num_opencl", len([i for i in range(99) if situ.device(f"opencl:{i}").exists()]))
row("situ.num_pjrt", len([i for i in range(99) if situ.device(f"pjrt:{i}").exists()]))
row("situ.num_tpus", len([i for i in range(99) if situ.tpu(i).exists()]))
of("situ._device.Device.exists", [True, False], lambda f: [f(situ.cpu()), f(situ.gpu(99))])
of("situ.finfo", 2.0**-23, lambda f: f(situ.float32).eps)
of("situ.DType", ["float32", "f32", "real floating", 4], lambda f: [getattr(situ.float32, name) for name in f.__slots__])
of("situ.threads", 3, lambda f: _with_threads(3, f))
of("situ.plans", 1, lambda f: _difference(f, "made", lambda: situ.wait(situ.ones((5, 3)) * 1.25 + situ.ones((3,)))))
of("situ.explain", True, lambda f: f(X + 1).count("is pending") == 1 or "f32[3,4]" in f(X + 1))
of("situ.eager", [[2, 2], True], lambda f: _in_block(f(), lambda: [(T([1, 1]) + 1).tolist(), situ._situ.eager(True)]))
of("situ.fusing", [[2, 2], True], lambda f: _in_block(f(False), lambda: [(T([1, 1]) + 1).tolist(), situ._situ.fusing(True) is False]))
of("situ.printoptions", "0.333 f32[] @cpu(0)", lambda f: _in_block(f(3), lambda: repr(T(1.0) / 3)))
of("situ.strict", "DeviceMismatchError", lambda f: _in_block(f(), lambda: _raised(lambda: situ.ones(2))))
of("situ.profile", True, lambda f: _profiled(f))
of("situ.Trace", [True, True], lambda f: _traced(lambda path, page: [f(path)._repr_html_().startswith("<svg"), "time here" in f(path).svg(path, clock="here")]))
of("situ._runtime.Trace.draw", 2, lambda f: _traced(lambda path, page: (f(situ.Trace(path), page, path), open(page).read().count('{"k":"trace"'))[1]))
of("situ.sim_profile", "workstation", lambda f: f("workstation"))
of("situ.sim_host", 2.0, lambda f: _difference(lambda: {"s": round(situ.sim_clock(), 6)}, "s", lambda: f(2)) if situ.sim_profile("workstation") else 0)
of("situ.sim_reach", True, lambda f: (f(situ.sim_clock() + 1), True)[1])
of("situ.sim_stretch", 2, lambda f: len(f()))
of("situ.sim_host_configure", None, lambda f: f(call=-1))
of("situ._device.Device.sim_times", ["clock", "computing", "copying", "idle", "waiting"], lambda f: sorted(f(situ.cpu())))
of("situ.sim_clock", True, lambda f: isinstance(f(), float))


def _with_threads(count, f):
    before = situ.threads()
    situ.set_threads(count)
    try:
        return f()
    finally:
        situ.set_threads(before)


def _difference(f, name, work):
    before = f()[name]
    work()
    return f()[name] - before


def _in_block(block, work):
    with block:
        return work()


def _raised(work):
    try:
        work()
    except Exception as e:
        return type(e).__name__
    return "nothing"


def _profiled(f):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        with f(path):
            situ.wait(situ.ones((9, 9)) + 1)
        return "traceEvents" in open(path).read()


def _traced(work):
    """What work gives of the path of a trace and that of a page to write."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        with situ.profile(path):
            situ.wait(situ.ones((9, 9)) + 1)
        return work(path, os.path.join(folder, "run.html"))


# ---- linear algebra, Fourier transforms, random numbers

M = np.asarray([[4.0, 1], [2, 3]], "float32")
row("situ.linalg.cross", [0, 0, 1], T([1.0, 0, 0]), T([0.0, 1, 0]))
row("situ.linalg.diagonal", [4, 3], T(M))
row("situ.linalg.lstsq", [[2, 1], 0.0, 2, np.linalg.svd(M)[1]], T(M), T(M @ np.float32([2, 1])))
of("situ.linalg.lu", M, lambda f: f(T(M)).P @ f(T(M)).L @ f(T(M)).U)
row("situ.linalg.matrix_power", M @ M @ M, T(M), 3)
row("situ.linalg.solve_triangular", [1, 1], T([[2.0, 0], [1, 3]]), T([2.0, 4]))
for name, fields in {"EigResult": "eigenvalues eigenvectors", "EighResult": "eigenvalues eigenvectors", "SVDResult": "U S Vh", "SlogdetResult": "sign logabsdet"}.items():
    of(f"situ.linalg.{name}", [1, fields.split()], lambda f: [f(*[1] * len(f._fields))[0], list(f._fields)])
F = np.arange(8.0, dtype="float32").reshape(2, 4)
row("situ.fft.fftn", np.fft.fftn(F), T(F.astype("complex64")))
row("situ.fft.ifftn", np.fft.ifftn(F), T(F.astype("complex64")))
row("situ.fft.rfftn", np.fft.rfftn(F), T(F))
row("situ.fft.irfftn", F, T(np.fft.rfftn(F).astype("complex64")))
row("situ.fft.hfft", np.fft.hfft([1, 2j, 3]), T(np.asarray([1, 2j, 3], "complex64")))
row("situ.fft.ihfft", np.fft.ihfft([1.0, 2, 3, 4]), T([1.0, 2, 3, 4]))
KEY = situ.random.key(7)
of("situ.random.bernoulli", True, lambda f: abs(situ.mean(f(KEY, 0.3, (20000,)).astype("float32")).item() - 0.3) < 0.02)
of("situ.random.bits", 2**31, lambda f: situ.mean(f(KEY, (20000,)).astype("float64")).item() // 2**27 * 2**27)
of("situ.random.categorical", [True, 1], lambda f: [abs(situ.mean(f(KEY, situ.zeros((20000, 2))).astype("float32")).item() - 0.5) < 0.02, f(KEY, T([-50.0, 50])).item()])
of("situ.random.gumbel", True, lambda f: abs(situ.mean(f(KEY, (20000,))).item() - 0.5772) < 0.05)
of("situ.random.layout", ["original", "partitionable"], lambda f: [f("partitionable"), f("original")])

# ---- metrics

SCORES, LABELS = T([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]]), T([0, 1, 1, 1])
for name, args, given, wanted in (("AUC", (), (T([0.1, 0.8, 0.4, 0.7]), LABELS), 1), ("ConfusionMatrix", (2,), (SCORES, LABELS), [[1, 0], [1, 2]]), ("F1", (2,), (SCORES, LABELS), [2 / 3, 0.8]),
                                  ("Precision", (2,), (SCORES, LABELS), [0.5, 1]), ("Recall", (2,), (SCORES, LABELS), [1, 2 / 3]), ("MAE", (), (T([1.0, 2]), T([2.0, 4])), 1.5),
                                  ("MSE", (), (T([1.0, 2]), T([2.0, 4])), 2.5), ("Mean", (), (T([1.0, 2]),), 1.5), ("R2", (), (T([1.0, 2, 4]), T([1.0, 2, 3])), 0.5),
                                  ("Perplexity", (), (situ.zeros((2, 4)), T([0, 1])), 4)):
    of(f"situ.metrics.{name}", wanted, lambda f, args=args, given=given: f(*args).update(*given).result())
of("situ.metrics.Metric", 1.5, lambda f: _instance(f, situ.metrics.Mean()).update(T([1.0, 2])).value())
of("situ.metrics.Metric.value", 1.5, lambda f: f(situ.metrics.Mean().update(T([1.0, 2]))))
of("situ.metrics.Metric.result", 1.5, lambda f: f(situ.metrics.Mean().update(T([1.0, 2]))))


def _instance(kind, one):
    assert isinstance(one, kind)
    return one


# ---- networks: functions

I1, I2 = np.arange(1.0, 5, dtype="float32").reshape(1, 1, 4), np.arange(1.0, 17, dtype="float32").reshape(1, 1, 4, 4)
I3 = np.arange(1.0, 9, dtype="float32").reshape(1, 1, 2, 2, 2)
row("situ.nn.elu", [math.expm1(-1), 1], T([-1.0, 1]))
row("situ.nn.leaky_relu", [-0.01, 1], T([-1.0, 1]))
row("situ.nn.gelu", [0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) for x in (-1, 1)], T([-1.0, 1]))
row("situ.nn.silu", [x / (1 + math.exp(-x)) for x in (-1, 1)], T([-1.0, 1]))
row("situ.nn.mish", [x * math.tanh(math.log(1 + math.exp(x))) for x in (-1, 1)], T([-1.0, 1]))
row("situ.nn.log_softmax", [math.log(0.25), math.log(0.75)], T([0.0, math.log(3)]))
row("situ.nn.layer_norm", [-1, 1], T([1.0, 3]), situ.ones(2), situ.zeros(2), eps=0)
row("situ.nn.batch_norm", [[-1], [1]], T([[1.0], [3]]), situ.ones(1), situ.zeros(1), eps=0)
of("situ.nn.dropout", [0, 2], lambda f: np.unique(np.asarray(f(situ.ones(99), KEY, 0.5))))
row("situ.nn.avg_pool1d", [[[1.5, 3.5]]], T(I1), 2)
row("situ.nn.max_pool1d", [[[2, 4]]], T(I1), 2)
row("situ.nn.avg_pool3d", [[[[[4.5]]]]], T(I3), 2)
row("situ.nn.max_pool3d", [[[[[8]]]]], T(I3), 2)
for kind, small, image, cube in (("avg", [1.5, 3.5], [[3.5, 5.5], [11.5, 13.5]], 4.5), ("max", [2, 4], [[6, 8], [14, 16]], 8)):
    row(f"situ.nn.adaptive_{kind}_pool1d", [[small]], T(I1), 2)
    row(f"situ.nn.adaptive_{kind}_pool2d", [[image]], T(I2), 2)
    row(f"situ.nn.adaptive_{kind}_pool3d", [[[[[cube]]]]], T(I3), 1)
row("situ.nn.conv3d", [[[[[36]]]]], T(I3), situ.ones((1, 1, 2, 2, 2)))
row("situ.nn.conv_transpose1d", [[[1, 3, 5, 7, 4]]], T(I1), situ.ones((1, 1, 2)))
row("situ.nn.conv_transpose2d", [[[[2, 2], [2, 2]]]], T([[[[2.0]]]]), situ.ones((1, 1, 2, 2)))
row("situ.nn.conv_transpose3d", np.full((1, 1, 2, 2, 2), 2.0), T([[[[[2.0]]]]]), situ.ones((1, 1, 2, 2, 2)))
row("situ.nn.interpolate", [[[1, 1, 2, 2, 3, 3, 4, 4]]], T(I1), 8)
row("situ.nn.grid_sample", [[[[1, 16]]]], T(I2), T([[[[-1.0, -1], [1, 1]]]]), align_corners=True)
of("situ.nn.unfold", I2.reshape(4, 4)[:2, :2].reshape(-1), lambda f: f(T(I2), 2, stride=2)[0, :, 0])
of("situ.nn.fold", I2, lambda f: f(situ.nn.unfold(T(I2), 2, stride=2), (4, 4), 2, stride=2))
row("situ.nn.hinge_loss", 1.5, T([1.0, 2]), T([1.0, -1]))
row("situ.nn.hinge_embedding_loss", 0.75, T([1.0, 0.5]), T([1, -1]))
row("situ.nn.huber_loss", (0.125 + 1.5) / 2, T([0.5, 2]), T([0.0, 0]))
row("situ.nn.smooth_l1_loss", (0.125 + 1.5) / 2, T([0.5, 2]), T([0.0, 0]))
row("situ.nn.l1_loss", 1.25, T([0.5, 2]), T([0.0, 0]))
row("situ.nn.margin_ranking_loss", 0.5, T([1.0, 2]), T([2.0, 1]), T([1.0, 1]))
row("situ.nn.nll_loss", 1.5, T([[-1.0, -9], [-9, -2]]), T([0, 1]))
of("situ.nn.initial", [3, 3], lambda f: f(KEY, (2,), "constant", value=3.0))
Q8 = np.asarray([[127.0] + [1.0] * 31], "float32")
of("situ.nn.dequantise", Q8, lambda f: f(situ.nn.quantise(T(Q8), "q8_0"), "q8_0"))
of("situ.nn.quantised_linear", [[127.0 * 2 + 31 * 2]], lambda f: f(T(np.full((1, 32), 2, "float32")), situ.nn.quantise(T(Q8), "q8_0"), "q8_0"))
row("situ.nn.rotary", [[[math.cos(1), math.sin(1)]]], T([[[1.0, 0]]]), T([1]))
row("situ.nn.self_attention", [[[3, 3]]], T([[[1.0, 1, 2, 2, 3, 3]]]), 1)

# ---- networks: layers

for name, args, wanted in (("ELU", (), [math.expm1(-1), 1]), ("CELU", (), [math.expm1(-1), 1]), ("Hardshrink", (), [-1, 1]), ("Hardsigmoid", (), [1 / 3, 2 / 3]), ("Hardswish", (), [-1 / 3, 2 / 3]),
                           ("Hardtanh", (), [-1, 1]), ("Identity", (), [-1, 1]), ("LeakyReLU", (), [-0.01, 1]), ("ReLU6", (), [0, 1]), ("Softshrink", (), [-0.5, 0.5]), ("Softsign", (), [-0.5, 0.5]),
                           ("Tanhshrink", (), [-1 + math.tanh(1), 1 - math.tanh(1)]), ("Threshold", (0, 5), [5, 1]), ("Sigmoid", (), [1 / (1 + math.e), 1 / (1 + 1 / math.e)]),
                           ("LogSigmoid", (), [-math.log(1 + math.e), -math.log(1 + 1 / math.e)]), ("Softplus", (), [math.log(1 + 1 / math.e), math.log(1 + math.e)]),
                           ("SELU", (), [1.0507009873554805 * 1.6732632423543772 * math.expm1(-1), 1.0507009873554805]), ("Softmax", (), [1 / (1 + math.e**2), 1 / (1 + math.e**-2)]),
                           ("LogSoftmax", (), [-math.log(1 + math.e**2), -math.log(1 + math.e**-2)]), ("SiLU", (), [-1 / (1 + math.e), 1 / (1 + 1 / math.e)]), ("GLU", (), [-1 / (1 + 1 / math.e)]),
                           ("Mish", (), [-math.tanh(math.log(1 + 1 / math.e)), math.tanh(math.log(1 + math.e))]), ("GELU", (), ROWS["situ.nn.gelu"][1]), ("RMSNorm", (), [-1, 1])):
    of(f"situ.nn.{name}", wanted, lambda f, args=args: f(*args)(T([-1.0, 1])))
for kind in ("Avg", "Max"):
    for n, image in ((1, I1), (3, I3)):
        of(f"situ.nn.{kind}Pool{n}d", ROWS[f"situ.nn.{kind.lower()}_pool{n}d"][1], lambda f, image=image: f(2)(T(image)))
    for n, image in ((1, I1), (2, I2), (3, I3)):
        of(f"situ.nn.Adaptive{kind}Pool{n}d", ROWS[f"situ.nn.adaptive_{kind.lower()}_pool{n}d"][1], lambda f, image=image, n=n: f(1 if n == 3 else 2)(T(image)))


def _ones(layer):
    """The layer with all weights 1, biases 0."""
    layer.initialize("", "constant", value=1.0)
    return layer.initialize("bias", "constant", value=0.0) if "bias" in layer._node.own else layer


of("situ.nn.Conv1d", [[[3, 5, 7]]], lambda f: _ones(f(1, 2))(T(I1)))
of("situ.nn.Conv3d", [[[[[36]]]]], lambda f: _ones(f(1, 2))(T(I3)))
of("situ.nn.ConvTranspose1d", [[[1, 3, 5, 7, 4]]], lambda f: _ones(f(1, 2))(T(I1)))
of("situ.nn.ConvTranspose2d", np.full((1, 1, 2, 2), 2.0), lambda f: _ones(f(1, 2))(T([[[[2.0]]]])))
of("situ.nn.ConvTranspose3d", np.full((1, 1, 2, 2, 2), 2.0), lambda f: _ones(f(1, 2))(T([[[[[2.0]]]]])))
for n, shape in (("", (2, 1)), ("1d", (2, 1)), ("2d", (2, 1, 1, 1)), ("3d", (2, 1, 1, 1, 1))):
    of(f"situ.nn.BatchNorm{n}", np.reshape([-1, 1], shape), lambda f, shape=shape: f(eps=0)(situ.reshape(T([1.0, 3]), shape)))
for n, shape in (("", (1, 1, 2)), ("1d", (1, 1, 2)), ("2d", (1, 1, 1, 2)), ("3d", (1, 1, 1, 1, 2))):
    of(f"situ.nn.InstanceNorm{n}", np.reshape([-1, 1], shape), lambda f, shape=shape: f(eps=0)(situ.reshape(T([1.0, 3]), shape)))
of("situ.nn.Bilinear", [[6 * 4]], lambda f: _ones(f(1))(T([[1.0, 2, 3]]), T([[1.0, 3]])))
of("situ.nn.EmbeddingBag", [[2, 3]], lambda f: f(4, 2).load_state({"weight": np.arange(8.0).reshape(4, 2)})(T([[0, 2]])))
of("situ.nn.ChannelDropout", [0, 2], lambda f: np.unique(np.asarray(situ.nn.Sequential(f(0.5)).train()(situ.ones((8, 8, 2))))))
of("situ.nn.Fold", I2, lambda f: f((4, 4), 2, stride=2)(situ.nn.unfold(T(I2), 2, stride=2)))
of("situ.nn.Unfold", [1, 2, 5, 6], lambda f: f(2, stride=2)(T(I2))[0, :, 0])
of("situ.nn.Upsample", [[[1, 1, 2, 2, 3, 3, 4, 4]]], lambda f: f(2)(T(I1)))
of("situ.nn.Residual", [2, 4], lambda f: f(situ.nn.Identity())(T([1.0, 2])))
of("situ.nn.Parallel", [[-1, 2, 0, 2]], lambda f: f(situ.nn.Identity(), situ.nn.ReLU(), join="concat")(T([[-1.0, 2]])))
of("situ.nn.ModuleList", [2, "1.weight"], lambda f: [len(f([situ.nn.ReLU(), situ.nn.Linear(2, inputs=1)])), [*f([situ.nn.ReLU(), situ.nn.Linear(2, inputs=1)]).parameters()][0]])
of("situ.nn.ModuleDict", ["a", 1], lambda f: [[*f({"a": situ.nn.ReLU()}).keys()][0], f({"a": situ.nn.ReLU()})["a"](T(1.0))])
of("situ.nn.ModuleList.extend", 3, lambda f: len(f(situ.nn.ModuleList([situ.nn.ReLU()]), [situ.nn.ReLU(), situ.nn.ReLU()])))
of("situ.nn.ModuleList.insert", "[Tanh(), ReLU()]", lambda f: _after(situ.nn.ModuleList([situ.nn.ReLU()]), lambda m: f(m, 0, situ.nn.Tanh()), lambda m: repr(list(m))))


def _after(one, work, look):
    work(one)
    return look(one)


of("situ.nn.RNN", [[[math.tanh(1)], [math.tanh(1 + math.tanh(1))]]], lambda f: _ones(f(1, bias=False))(situ.ones((1, 2, 1)))[0])
of("situ.nn.TransformerDecoderLayer", [[[0, 0]]], lambda f: f(2, 1).load_state({n: situ.zeros(v.shape) for n, v in _made(f(2, 1), situ.ones((1, 1, 2)), situ.ones((1, 1, 2))).parameters().items()})(
    situ.ones((1, 1, 2)), situ.ones((1, 1, 2))))


def _made(net, *inputs):
    net.eval()(*inputs)
    return net


NET = situ.nn.Sequential(situ.nn.Linear(1, inputs=2), situ.nn.ReLU())
of("situ.nn.Module.forward", [[2.0]], lambda f: f(situ.nn.Sequential(situ.nn.Identity()), T([[2.0]])))
of("situ.nn.Module.initialize", [[7, 7]], lambda f: f(situ.nn.Linear(1, inputs=2), "weight", "constant", value=7.0).weight)
of("situ.nn.Module.modules", ["", "0", "1"], lambda f: list(f(NET)))
of("situ.nn.Module.state", [0.0], lambda f: f(situ.nn.Sequential(_ones(situ.nn.Linear(1, inputs=2))))["0.bias"])
of("situ.nn.Module.summary", True, lambda f: f(NET).splitlines()[-1].split()[0] != "" and " 3" in f(NET))
of("situ.nn.Module.unfreeze", [0, 2], lambda f: [len(NET.freeze().trainable()), len(f(NET).trainable())])


def _inside(policy):
    with policy(True):
        return T([[1.0, 2.0, 5.0]]) @ T([[1.0], [1.0], [1.0]])


of("situ.batch_invariant", [[8]], _inside)
of("situ.nn.Module.set_batch_invariant", [[8]], lambda f: f(_ones(situ.nn.Linear(1, bias=False, inputs=3)))(T([[1.0, 2.0, 5.0]])))
of("situ.nn.Module.set_precision", [[257]], lambda f: situ.round(f(_ones(situ.nn.Linear(1, bias=False, inputs=1)), "float32")(T([[257.0]]))))

# ---- optimizers: a first step from 2 down a gradient of 1


def _step(make, **options):
    net = situ.nn.Linear(1, bias=False, inputs=1).initialize("weight", "constant", value=2.0)
    opt = make(net, lr=0.1, **options)
    opt.step(situ.mean(net(T([[1.0]]))))
    return net.weight


_mu, _next = (0.9 * (1 - 0.5 * 0.96 ** (t * 0.004)) for t in (1, 2))
for name, wanted in {"Adadelta": 2 - 0.1 * 1e-3 / math.sqrt(0.1 + 1e-6), "Adagrad": 1.9, "Adamax": 1.9, "RAdam": 1.9, "Lion": 1.9, "Lamb": 1.8,
                     "NAdam": 2 - 0.1 * (_next * 0.1 / (1 - _mu * _next) + (1 - _mu) / (1 - _mu))}.items():
    of(f"situ.optim.{name}", [[wanted]], _step)
of("situ.optim.Adafactor", [[2 - 0.1 * 2]], _step)
of("situ.optim.Muon", True, lambda f: 1.8 < _step(f, weight_decay=0.0).item() < 2)
of("situ.optim.Optimizer", 0.1, lambda f: _instance(f, situ.optim.SGD(NET, lr=0.1)).lr)


def _factors(schedule, *args, **named):
    opt = situ.optim.SGD(NET, lr=1.0)
    schedule(opt, *args, **named)
    return [opt.factor(t) for t in (0, 1, 2)]


of("situ.optim.constant_schedule", [1, 1, 1], lambda f: _factors(f))
of("situ.optim.exponential_schedule", [1, 0.5, 0.25], lambda f: _factors(f, 0.5))
of("situ.optim.polynomial_schedule", [1, 0.75, 0.5], lambda f: _factors(f, 4))


def _reported(report):
    opt = situ.optim.SGD(NET, lr=1.0)
    situ.optim.plateau_schedule(opt, factor=0.5, patience=0)
    for _ in range(3):
        report(opt, 1.0)
    return opt.lr


def _averaged(averaged):
    net = situ.nn.Linear(1, bias=False, inputs=1).initialize("weight", "constant", value=2.0)
    opt = situ.optim.SGD(net, lr=0.5)
    opt.set_average(0.5)
    for _ in range(2):
        opt.step(situ.mean(net(T([[1.0]]))))
    with averaged(opt) as same:
        inside = same.weight.item()
    return [inside, net.weight.item()]


def _scaled(set_loss_scale):
    opt = situ.optim.SGD(NET, lr=1.0)
    set_loss_scale(opt, 8)
    return opt.loss_scale


of("situ.optim.Optimizer.report", 0.25, _reported)
of("situ.optim.Optimizer.averaged", [1.25, 1.0], _averaged)
of("situ.optim.Optimizer.set_loss_scale", 8, _scaled)

# ---- data, training, files


def _cifar(cifar):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("train.bin", "test.bin"):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(bytes([0, 3]) + bytes([255]) * 3072)
        one = cifar(folder, test=True)
        loader = situ.data.Loader(one)
        images, labels = next(iter(loader))
        return [labels.item(), images[0, 0, 0, 0].item(), len(one)]


def _weighed(weights):
    loader = situ.data.Loader(situ.data.Dataset(T([[1.0], [2.0]]), [0, 1]), batch=8)
    weights(loader, [0, 1])
    return sorted({v for x, _ in loader for v in x[:, 0].tolist()})


def _stopped(stop):
    def loss(y, t):
        stop(trainer)
        return situ.nn.cross_entropy(y, t)
    net = situ.nn.Linear(2)
    trainer = situ.train.Trainer(max_epochs=9, batch=2, loss=loss)
    trainer.fit(net, situ.optim.SGD(net), situ.data.Dataset(situ.ones((4, 2)), [0, 1, 0, 1]))
    return [trainer.ended, trainer.steps]


def _limited(limit):
    limit(situ.cpu(), 10**12)
    try:
        return situ.cpu().memory()["limit"]
    finally:
        limit(situ.cpu(), 0)


def _proved(proof):
    net = situ.nn.Linear(2)
    opt = situ.optim.SGD(net, lr=0.1)
    with tempfile.TemporaryDirectory() as folder:
        log = proof(os.path.join(folder, "proof"), net, opt)
        for _ in range(2):
            x = situ.ones((3, 4))
            loss = situ.mean(net(x) ** 2)
            opt.step(loss)
            log.step(loss, x)
        return [log.steps, len(log.close())]


def _onnx(model):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.onnx")
        situ.onnx.save(lambda x: x * 2, path, T([[1.0, 2]]))
        return _instance(model, situ.onnx.load(path))(T([[3.0, 4]]))


of("situ.data.cifar", [3, 1, 1], _cifar)
of("situ.data.tensor_dataset", [[[1.0], [2.0]], [0, 1]], lambda f: list(f([T([[1.0], [2.0]]), T([0, 1])]).arrays.values()))
of("situ.data.Loader.weights", [2.0], _weighed)
of("situ.train.Trainer.stop", ["stopped", 1], _stopped)
of("situ.train.Batch", [1, [1], [2], 3], lambda f: [(b := f((1, 2), 1, 3, 0, 3, 5, True))[0], list(b.inputs), list(b.targets), b.rows])
of("situ.train.Proof", [2, 64], _proved)
of("situ.onnx.Model", [[6, 8]], _onnx)
of("situ._device.Device.memory", True, lambda f: f(situ.cpu())["peak"] >= f(situ.cpu())["in_use"] >= 0)
of("situ._device.Device.memory_limit", 10**12, _limited)
of("situ._device.Device.memory_trim", True, lambda f: f(situ.cpu()) is None and situ.cpu().memory()["reserved"] >= situ.cpu().memory()["in_use"])
of("situ._device.Device.processes", True, lambda f: isinstance(f(situ.cpu()), list))
of("situ._device.Device.sim_counters", 1, lambda f: _difference(lambda: f(situ.gpu(0)), "uploads", lambda: situ.wait(situ.ones(3).to_device(situ.gpu(0)))) if situ.num_gpus() else 1)
of("situ._device.ledger.reset", 0, lambda f: (f(), situ.ledger.sum()["local_count"])[1])
of("situ.Tensor.flatten", A.reshape(-1), lambda f: f(X))


def _bert(bert):
    """All weights are 0 but the last shift: each token is that, [3, 4, 0, 0], and a sentence its direction."""
    w, layer = {}, "encoder.layer.0."
    for name, shape in {"word_embeddings": (5, 4), "position_embeddings": (8, 4), "token_type_embeddings": (2, 4)}.items():
        w[f"embeddings.{name}.weight"] = np.zeros(shape, "float32")
    for name, (out, inputs) in {**{f"attention.self.{n}": (4, 4) for n in ("query", "key", "value")}, "attention.output.dense": (4, 4), "intermediate.dense": (6, 4), "output.dense": (4, 6)}.items():
        w[f"{layer}{name}.weight"], w[f"{layer}{name}.bias"] = np.zeros((out, inputs), "float32"), np.zeros(out, "float32")
    for name in ("embeddings", layer + "attention.output", layer + "output"):
        w[f"{name}.LayerNorm.weight"], w[f"{name}.LayerNorm.bias"] = np.zeros(4, "float32"), np.float32([3, 4, 0, 0])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bert.safetensors")
        situ.save(path, w)
        return bert(path, heads=2, eps=1e-12)(T([[1, 2, 3]]))


of("situ.nn.Bert", [[0.6, 0.8, 0, 0]], _bert)
