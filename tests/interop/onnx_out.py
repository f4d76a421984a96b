"""Networks and functions as files of ONNX, run by onnxruntime: onnx_out.py [WORDS [--show]]

Each is saved from one batch, checked by onnx.checker, and run with two others by onnxruntime, and by situ_onnx_load of the shared library in
SITU_BUILD_DIR (build), if there is one. Results are within 1e-5 of situ's, of the largest magnitude among them; integers and bools are equal."""
import os
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

import situ
from onnx_nodes import ROOT, Situ

nn = situ.nn
onnxruntime.set_default_logger_severity(3)
CASES, FOLDER = [], pathlib.Path(tempfile.mkdtemp())
READER = Situ() if (pathlib.Path(os.environ.get("SITU_BUILD_DIR", ROOT / "build")) / "libsitu.so").exists() else None
draw = np.random.default_rng(0)


def floats(*shape, lo=-3.0, hi=3.0, dtype="f4"):
    return draw.uniform(lo, hi, shape).astype(dtype)


def integers(*shape, lo=0, hi=9, dtype="i8"):
    return draw.integers(lo, hi, shape).astype(dtype)


def case(name, net, *inputs, tol=1e-5, axes=None, sizes=(1, 3), **options):
    CASES.append((name, net, inputs, tol, axes, sizes, options))


def differs(a, b, tol):
    b = np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype}{a.shape} instead of {b.dtype}{b.shape}"
    if b.dtype.kind != "f":
        return f"{np.sum(a != b)} of {a.size} differ" if np.any(a != b) else None
    a, b = a.astype("f8"), b.astype("f8")
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return f"{a[~finite][:4]} instead of {b[~finite][:4]}"
    off = np.abs(a - b)[finite].max(initial=0) / max(np.abs(b[finite]).max(initial=0), 1e-30)
    return None if off <= tol else f"off by {off:.2g}"


def run(name, net, inputs, tol, axes, sizes, options, show):
    path = FOLDER / "m.onnx"
    situ.onnx.save(net, str(path), *inputs, batch_axes=axes, **options)
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    if show:
        print(onnx.printer.to_text(model)[:6000])
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    back = READER and READER.load(path.read_bytes())
    batch = inputs[0].shape[axes[0] if axes else 0] if inputs[0].ndim else None
    axes = axes or [0 if x.ndim and x.shape[0] == batch else None for x in inputs]
    if isinstance(net, nn.Module):
        net.eval()
    for size in sizes if options.get("dynamic_batch", True) and batch else (batch,):
        given = [x if a is None else np.take(x, np.arange(size) % x.shape[a], axis=a) for x, a in zip(inputs, axes)]
        wanted = net(*[situ.asarray(x) for x in given])
        got = {"": session.run(None, {i.name: x for i, x in zip(session.get_inputs(), given)})}
        if READER:
            got[", read back"] = READER.call(back, given)
        for how, results in got.items():
            for k, (a, b) in enumerate(zip(results, situ._trees.tensors(wanted), strict=True)):
                found = differs(a, b, tol)
                if found:
                    return f"result {k} of a batch of {size}{how}: {found}"
    if READER:
        READER.lib.situ_module_free(back)
    return None


# ---- networks


class Block(nn.Module):
    def __init__(self, out, stride):
        self.c1, self.b1 = nn.Conv2d(out, 3, stride=stride, padding=1, bias=False), nn.BatchNorm()
        self.c2, self.b2 = nn.Conv2d(out, 3, padding=1, bias=False), nn.BatchNorm()
        self.short = nn.Sequential(nn.Conv2d(out, 1, stride=stride, bias=False), nn.BatchNorm()) if stride > 1 else None

    def forward(self, x):
        y = self.b2(self.c2(nn.relu(self.b1(self.c1(x)))))
        return nn.relu(y + (self.short(x) if self.short else x))


class ResNet18(nn.Module):
    def __init__(self, width, classes):
        self.stem = nn.Sequential(nn.Conv2d(width, 7, stride=2, padding=3, bias=False), nn.BatchNorm(), nn.ReLU(), nn.MaxPool2d(3, stride=2, padding=1))
        self.blocks = nn.Sequential(*[Block(width << i, 2 if i and not k else 1) for i in range(4) for k in range(2)])
        self.head = nn.Linear(classes)

    def forward(self, x):
        return self.head(situ.mean(self.blocks(self.stem(x)), axis=(2, 3)))


class ViT(nn.Module):
    def __init__(self, width, heads, blocks, patch, size):
        self.patches = nn.Conv2d(width, patch, stride=patch)
        self.places = situ.variable(0.02 * situ.random.normal(situ.random.key(1), ((size // patch) ** 2, width)))
        self.blocks = [nn.TransformerEncoderLayer(width, heads, hidden=2 * width, norm_first=True, feed="gelu") for _ in range(blocks)]
        self.norm, self.head = nn.LayerNorm(), nn.Linear(10)

    def forward(self, x):
        x = self.patches(situ.expand_dims(x, axis=1))
        x = situ.permute_dims(situ.reshape(x, (x.shape[0], x.shape[1], -1)), (0, 2, 1)) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(situ.mean(self.norm(x), axis=1))


class GPT(nn.Module):
    def __init__(self, width, heads, blocks, letters=128):
        self.table, self.norm, self.scores = nn.Embedding(letters, width), nn.LayerNorm(), nn.Linear(letters)
        self.blocks = [nn.TransformerEncoderLayer(width, heads, norm_first=True, causal=True, feed="gelu", rotary=10000) for _ in range(blocks)]

    def forward(self, letters):
        x = self.table(letters)
        for block in self.blocks:
            x = block(x)
        return self.scores(self.norm(x))


class Tied(nn.Module):
    """One variable at two places, which is written once."""

    def __init__(self):
        self.table = situ.variable(situ.random.normal(situ.random.key(1), (20, 8)))

    def forward(self, index):
        return situ.take(self.table, index, axis=0) @ self.table.T


class Measured(nn.Module):
    """Behind the end of a row its states stay."""

    def __init__(self):
        self.lstm = nn.LSTM(6, bidirectional=True)

    def forward(self, x, lengths):
        return self.lstm(x, lengths=lengths)


def norm_of(x):
    """As a batch norm is recorded, and nearly so."""
    row = situ.asarray(np.arange(1, 7, dtype="f2")).reshape((6, 1))
    y = (x - row) * (situ.rsqrt(situ.asarray(np.arange(1, 7, dtype="f2")) + 0.1) * situ.asarray(np.ones(6, "f2"))).reshape((6, 1)) + row
    return y + (x - row) * (situ.rsqrt(situ.asarray(np.arange(1, 7, dtype="f2")) + 0.1) * 2).reshape((6, 1)) + 1


class CNN1d(nn.Module):
    def __init__(self):
        self.c, self.d = nn.Conv1d(6, 5, stride=2, padding=2, dilation=2), nn.ConvTranspose1d(4, 4, stride=2, padding=1)

    def forward(self, x):
        return self.d(nn.silu(self.c(x)))


def networks():
    case("mlp", nn.Sequential(nn.Flatten(), nn.Linear(32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(10)), floats(4, 1, 8, 8))
    case("lenet", nn.Sequential(nn.Conv2d(6, 5, padding=2), nn.Sigmoid(), nn.AvgPool2d(2), nn.Conv2d(16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                                nn.Linear(120), nn.Tanh(), nn.Linear(10)), floats(2, 1, 28, 28))
    case("resnet18 small", ResNet18(8, 10), floats(2, 3, 32, 32))
    case("resnet18", ResNet18(64, 1000), floats(1, 3, 224, 224), sizes=(1, 2))
    case("vit", ViT(32, 4, 2, 2, 8), floats(3, 8, 8))
    case("gpt", GPT(64, 4, 2), integers(2, 24, hi=128))
    case("gpt i32", GPT(64, 4, 2), integers(2, 24, hi=128, dtype="i4"))
    for kind in nn.RNN, nn.GRU, nn.LSTM:
        case(kind.__name__.lower(), kind(16), floats(3, 5, 8))
        case(kind.__name__.lower() + " deep", kind(16, layers=2, bidirectional=True), floats(3, 5, 8))
        case(kind.__name__.lower() + " of any length", nn.Sequential(kind(6, bidirectional=True), nn.Linear(3)), floats(3, 7, 4), axes=[1])
    case("rows of their own lengths", Measured(), floats(3, 5, 4), integers(3, lo=1, hi=6))
    case("shared weights", Tied(), integers(4, 6))
    case("conv1d and its transpose", CNN1d(), floats(2, 3, 17))
    case("groups", nn.Sequential(nn.Conv2d(8, 3, groups=4, dilation=2), nn.GroupNorm(2), nn.InstanceNorm()), floats(2, 4, 9, 9))
    case("batch norm of rows", nn.Sequential(nn.Linear(6), nn.BatchNorm(), nn.ReLU(), nn.BatchNorm()), floats(5, 4))
    case("batch norm of f16", lambda x: situ.astype(norm_of(x), "float16"), floats(5, 6, 3, dtype="f2"), tol=2e-3)
    case("rms norm", nn.Sequential(nn.RMSNorm(), nn.Linear(3), nn.Softmax()), floats(2, 5, 6))


# ---- functions

SPECIAL = np.array([0, -0.0, 1, -1, 0.5, 1e-30, -1e-30, 1e30, np.inf, -np.inf, np.nan, 2.5, -2.5, 3.5], "f4")
ONE = {"square": 3, "abs": 3, "negative": 3, "positive": 3, "sign": 3, "reciprocal": 3, "sqrt": 3, "rsqrt": 3, "cbrt": 3, "exp": 3, "exp2": 3, "expm1": 3,
       "log": 3, "log2": 3, "log10": 3, "log1p": 3, "sin": 3, "cos": 3, "tan": 1.2, "asin": 1, "acos": 1, "atan": 3, "sinh": 3, "cosh": 3, "tanh": 3, "asinh": 3,
       "acosh": 4, "atanh": 1, "erf": 2, "erfc": 2, "erfinv": 1, "sigmoid": 3, "relu": 3, "softplus": 3, "floor": 3, "ceil": 3, "round": 3, "trunc": 3,
       "isnan": 3, "isinf": 3, "isfinite": 3, "signbit": 3}
TWO = ["add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "pow", "hypot", "logaddexp", "atan2", "maximum", "minimum", "copysign",
       "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
NAN_IS_ANY = {"sign", "signbit"}  # onnxruntime's Sign of NaN is 0; a NaN's own sign is lost
ACTIVATIONS = ["silu", "mish", "gelu", "selu", "celu", "hard_sigmoid", "hard_swish", "softsign", "relu6", "log_sigmoid", "softmin"]


def function_of(name):
    return next(getattr(space, name) for space in (situ, nn, situ.linalg) if hasattr(space, name))


def elementwise():
    for name, far in ONE.items():
        f = function_of(name)
        case(f"1 {name}", f, floats(4, 50, lo=-far, hi=far))
        special = SPECIAL[~np.isnan(SPECIAL)] if name in NAN_IS_ANY else SPECIAL
        if name not in ("sin", "cos", "tan", "cbrt"):  # of infinity and 1e30: the runtime's
            case(f"1 {name} of edges", f, special, tol=1e-4 if name == "sigmoid" else 1e-5)
        case(f"1 {name} f16", f, floats(4, 50, lo=-far, hi=far, dtype="f2"), tol=4e-3)
    for name in TWO:
        f = function_of(name)
        case(f"2 {name}", f, floats(4, 30), floats(4, 30))
        case(f"2 {name} broadcast", lambda x, f=f: f(x, 1.5), floats(4, 30))
        case(f"2 {name} of a row", lambda x, f=f: f(x, situ.asarray(np.linspace(0.5, 2, 6, dtype="f4"))), floats(4, 1))
        if name not in ("divide", "hypot", "logaddexp", "atan2", "copysign", "pow"):
            for dtype in "i8", "i4", "u1", "i2":
                case(f"2 {name} {dtype}", f, integers(4, 30, lo=0 if dtype == "u1" else -9, dtype=dtype), integers(4, 30, lo=0, hi=4, dtype=dtype))
    for name in "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift":
        f = function_of(name)
        for dtype in "i4", "i8", "u1", "i2":
            case(f"2 {name} {dtype}", f, integers(4, 30, lo=0 if dtype == "u1" else -99, hi=99, dtype=dtype), integers(4, 30, hi=10, dtype=dtype))
    masks = integers(4, 9, hi=2, dtype="?"), integers(4, 9, hi=2, dtype="?")
    for name in "logical_and", "logical_or", "logical_xor", "bitwise_and", "equal", "less", "greater_equal":
        case(f"2 {name} bool", function_of(name), *masks)
    case("1 logical_not bool", situ.logical_not, masks[0])
    case("3 where", lambda m, a, b: situ.where(m, a, b), masks[0], floats(4, 9), floats(4, 9))
    case("3 where of bools", lambda m, a: situ.where(m, a, True), *masks)
    case("3 clip", lambda x: situ.clip(x, -1, 1.5), floats(4, 9))
    case("3 mixed dtypes", lambda x, k: x * k + situ.astype(k, "float16"), floats(4, 9), integers(4, 9, dtype="i4"))
    for name in ACTIVATIONS:
        if any(hasattr(space, name) for space in (situ, nn)):
            case(f"activation {name}", function_of(name), floats(4, 30))


def replaced(x):
    y = situ.positive(x)
    y[:, :2, 3:5] = x[:, 1:, :2]
    return y


def moves():
    x, k = floats(4, 6, 5), integers(4, 6, 5)
    case("reshape with the batch inside", lambda x: situ.reshape(x, (x.shape[0] * 6, 5)), x)
    case("reshape with two open axes", lambda x: situ.reshape(situ.broadcast_to(x[:, None], (x.shape[0], x.shape[0], 6, 5)), (x.shape[0], x.shape[0], 30)), x)
    case("the square of the batch", lambda x: x.reshape((x.shape[0], 30)) @ x.reshape((x.shape[0], 30)).T, x)
    case("broadcast", lambda x: situ.broadcast_to(x, (2, *x.shape)), x)
    case("slices", lambda x: x[:, 1:5:2, ::-1], x)
    case("a part of the batch", lambda x: (x[1:], x[:-1], x[-1], x[0]), x, sizes=(2, 3))
    case("flip", lambda x: situ.flip(x, axis=(0, 2)), x)
    case("roll", lambda x: situ.roll(x, 2, axis=1), x)
    case("permute", lambda x: situ.permute_dims(x, (2, 0, 1)), x)
    case("concat", lambda x: situ.concat([x, x * 2, situ.zeros_like(x)], axis=1), x)
    case("concat of batches", lambda x: situ.concat([x, x * 2], axis=0), x)
    case("stack", lambda x: situ.stack([x, x * 2], axis=-1), x)
    case("tile", lambda x: situ.tile(x, (1, 2, 3)), x)
    case("repeat", lambda x: situ.repeat(x, 3, axis=1), x)
    case("tril", lambda x: situ.tril(x), x)
    case("tril of bools", lambda x: situ.tril(x > 0), x)
    case("diagonal", lambda x: situ.linalg.diagonal(x, offset=1), x)
    case("diagonal below", lambda x: situ.linalg.diagonal(x, offset=-2), x)
    for mode in "constant", "reflect", "edge", "circular":
        case(f"pad {mode}", lambda x, mode=mode: situ.pad(x, (0, 1, 2), (0, 2, 0), mode=mode), x)
    case("numbers", lambda x: x + situ.arange(5) + situ.linspace(0, 1, 6)[:, None], x)
    case("positions of rows", lambda x: x[:, 0, 0] + situ.arange(x.shape[0]), x)
    case("ones like the batch", lambda x: situ.concat([situ.ones((x.shape[0], 1)), x[:, 0]], axis=1), x)
    case("mean over the batch", lambda x: situ.mean(x, axis=0), x)
    case("one hot", lambda k: nn.one_hot(k, 9) if hasattr(nn, "one_hot") else situ.one_hot(k, 9), k)
    case("casts", lambda x: (x.astype("int32"), x.astype("bool"), x.astype("float64"), x.astype("float16"), x.astype("uint8") if False else x.astype("int8")), x)
    case("bf16", lambda x: (x.astype("bfloat16") * 1.5 + 1).astype("float32"), x)


def reductions():
    x, k, m = floats(4, 6, 5), integers(4, 6, 5, lo=-9, dtype="i4"), integers(4, 6, 5, hi=2, dtype="?")
    for name in "sum", "prod", "max", "min", "mean", "var", "std", "logsumexp":
        if hasattr(situ, name):
            f = function_of(name)
            case(f"{name}", lambda x, f=f: f(x, axis=(1, 2)), x)
            case(f"{name} kept", lambda x, f=f: f(x, axis=1, keepdims=True), x)
    case("sum of integers", lambda x: situ.sum(x, axis=1), k)
    case("any, all", lambda x: (situ.any(x, axis=1), situ.all(x, axis=(1, 2))), m)
    case("argmax, argmin", lambda x: (situ.argmax(x, axis=1), situ.argmin(x, axis=2), situ.argmax(x[:, 0, 0])), x)
    case("sort", lambda x: (situ.sort(x, axis=1), situ.argsort(x, axis=2, descending=True)), x)
    case("cumulative sum", lambda x: situ.cumulative_sum(x, axis=1), x)
    case("cumulative prod", lambda x: situ.cumulative_prod(x, axis=1), x)
    case("searchsorted", lambda x: situ.searchsorted(situ.linspace(-3, 3, 17), x), x)
    case("matmul", lambda x: x @ situ.matrix_transpose(x), x)
    case("matmul of integers", lambda x: x @ situ.matrix_transpose(x), k)
    case("einsum", lambda x: situ.linalg.einsum("bij,bkj->bik", x, x) if hasattr(situ.linalg, "einsum") else situ.einsum("bij,bkj->bik", x, x), x)
    case("norm", lambda x: situ.linalg.vector_norm(x, axis=2), x)
    case("det", lambda x: situ.linalg.det(x[:, :5]), x)
    index = integers(4, 6, 5, hi=6)
    case("take", lambda x: situ.take(x, situ.asarray([1, 3, 3, -1]), axis=1), x)
    case("take along", lambda x, k: situ.take_along_axis(x, k, axis=1), x, index)
    case("softmax", lambda x: (nn.softmax(x, axis=1), nn.log_softmax(x)), x)
    case("cross entropy", lambda x, y: nn.cross_entropy(x, y), floats(4, 7), integers(4, hi=7))
    image, places = floats(2, 3, 8, 10), integers(1, 2, 8, 10, hi=3)
    for name, f in {"max pool": lambda x: nn.max_pool2d(x, 3, stride=2, padding=1), "max pool of gaps": lambda x: nn.max_pool2d(x, 2, dilation=2),
                    "pool that rounds up": lambda x: nn.max_pool2d(x, 3, stride=2, ceil=True), "mean pool": lambda x: nn.avg_pool2d(x, 2, padding=1),
                    "mean pool without padding": lambda x: nn.avg_pool2d(x, 3, padding=1, count_padding=False),
                    "pool of planes": lambda x: nn.max_pool2d(x[:, 0], 2)}.items():
        case(name, f, image)
    w = floats(4, 3, 3, 3)
    for i, o in enumerate([{"padding": (1, 2), "stride": (2, 1)}, {"dilation": 2}, {"padding": "same"}]):
        case(f"conv {i}", lambda x, o=o: nn.conv2d(x, situ.asarray(w), **o), image)
    v = floats(3, 2, 3, 4)
    for i, o in enumerate([{"stride": 2, "padding": 1}, {"stride": (3, 2), "output_padding": (2, 1)}, {"dilation": 2, "stride": 2}]):
        case(f"transposed conv {i}", lambda x, o=o: nn.conv_transpose2d(x, situ.asarray(v), **o), image)
    u = floats(2, 3, 2, 3, 3)
    case("conv3d", lambda x: nn.conv3d(x[:, :, None] * situ.ones((1, 1, 4, 1, 1)), situ.asarray(u)), image)
    case("elu, leaky relu", lambda x: (nn.elu(x, 1.2), nn.leaky_relu(x, 0.1)), image)
    case("images in other sizes", lambda x: tuple(nn.interpolate(x, (13, 20), mode=mode) for mode in ("nearest", "linear", "cubic")), image)
    case("scatter", lambda x: situ.scatter(x, situ.asarray(places), 2.0, axis=1), image)
    case("added at indices", lambda x: situ.index_add(x, situ.asarray([0, 2, 0]), x[:, :3], axis=1), image)
    case("a part replaced", replaced, image)


# ---- what others' users ran into


class Stated(nn.Module):
    """States are inputs, whose batch is not their first axis."""

    def __init__(self):
        self.gru = nn.GRU(6, layers=2)

    def forward(self, x, h):
        return self.gru(x, h)


def shuffled(x):
    n, channels, rows, columns = x.shape
    return situ.permute_dims(situ.reshape(x, (n, 2, channels // 2, rows, columns)), (0, 2, 1, 3, 4)).reshape((n, channels, rows, columns))


def proposals(x):
    n = x.shape[0]
    sizes = situ.full((n, 3), 5.0).reshape((n, 1, 3))
    queries = situ.broadcast_to(situ.asarray(np.arange(12, dtype="f4").reshape(1, 4, 3)), (n, 4, 3))
    return x.reshape((n, -1, 3)) / sizes + situ.concat([queries, situ.tile(queries[:1], (n, 1, 1))], axis=1)


def assigned(x, mask):
    y = situ.positive(x)
    y[mask] = 7.0
    return situ.where(mask & (x > 0), y, -y)


def attended(x, lengths):
    scores = situ.where(situ.arange(6) < lengths[:, None, None], x @ situ.matrix_transpose(x), -np.inf)
    return nn.softmax(scores) @ x


def peers():
    case("a shuffle of channels: pytorch 48093", shuffled, floats(1, 4, 3, 5))
    case("the batch in full, view, expand and repeat: rf-detr 949", proposals, floats(2, 8, 3))
    case("an encoder: pytorch 122321", nn.TransformerEncoderLayer(16, 4, feed="gelu"), floats(1, 7, 16))
    for pad in True, False:
        case(f"a mean pool that rounds up, {pad}: pytorch 183528", lambda x, pad=pad: nn.avg_pool2d(x, 3, stride=2, padding=1, ceil=True, count_padding=pad),
             floats(1, 1, 4, 4))
    case("a mean pool that rounds up: pytorch 71549", lambda x: nn.avg_pool2d(x, 3, stride=3, padding=1, ceil=True), floats(1, 3, 2, 2))
    case("pads of inner axes: pytorch 60179", lambda x: situ.pad(x, (0, 0, 0), (0, -x.shape[1] % 2, 0)).reshape((x.shape[0], -1, 2 * x.shape[2])), floats(3, 7, 4))
    w = floats(1, 3, 2, 2)
    case("more output of gaps: onnxruntime 14208",
         lambda x: nn.conv_transpose2d(x, situ.asarray(w), stride=2, padding=3, dilation=2, output_padding=1), floats(2, 1, 8, 8))
    case("a mask is assigned to: pytorch 34054", assigned, floats(4, 6), integers(4, 6, hi=2, dtype="?"))
    case("indices from the end: onnxruntime 1533", lambda x, i: situ.take(x, i, axis=1)[:, 0], floats(4, 6), integers(3, lo=-6, hi=6), axes=[0, None])
    case("indices of 8 bits", lambda i: situ.take(situ.asarray(np.arange(20.0, dtype="f4")), i, axis=0), integers(4, 3, hi=20, dtype="u1"))
    case("f16 and weights of f32: pytorch 190338", lambda x: nn.layer_norm(x, situ.ones((6,)), situ.zeros((6,))), floats(4, 6, dtype="f2"), tol=2e-3)
    case("f16 in another size: yolort 107", lambda x: nn.interpolate(x, (9, 7), mode="linear"), floats(2, 3, 4, 4, dtype="f2"), tol=2e-3)
    case("all in bf16: pytorch 143643", lambda x: situ.astype(nn.softmax(nn.gelu(x.astype("bfloat16") @ situ.ones((6, 5), dtype="bfloat16"))), "float32"),
         floats(4, 6), tol=1e-2)
    case("a state per batch: pytorch 45653", Stated(), floats(3, 5, 4), floats(2, 3, 6), axes=[0, 1])
    case("lengths of rows", attended, floats(3, 6, 4), integers(3, lo=1, hi=6))


def main():
    words, show = " ".join(a for a in sys.argv[1:] if a != "--show"), "--show" in sys.argv
    networks()
    elementwise()
    moves()
    reductions()
    peers()
    failed = ran = 0
    for name, *rest in CASES:
        if words not in name:
            continue
        ran += 1
        try:
            found = run(name, *rest, show)
        except Exception as e:
            found = f"{type(e).__name__}: {e} {' '.join(getattr(e, '__notes__', ()))}"[:700]
        if found:
            failed += 1
            print(f"FAIL onnx out: {name}: {found}")
    print(f"{'FAIL' if failed else 'PASS'} onnx out: {ran - failed} of {ran} networks and functions agree with onnxruntime {onnxruntime.__version__}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
