"""Networks and functions as files of ONNX, run by onnxruntime: onnx_out.py [WORDS [--show]]

Each is saved from one batch, checked by onnx.checker, run with two others, and read back by situ.onnx_load where that exists. Results are
within 1e-5 of situ's, of the largest magnitude among them; integers and bools are equal."""
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

import situ

nn = situ.nn
onnxruntime.set_default_logger_severity(3)
CASES, FOLDER = [], pathlib.Path(tempfile.mkdtemp())
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
    batch = inputs[0].shape[axes[0] if axes else 0] if inputs[0].ndim else None
    axes = axes or [0 if x.ndim and x.shape[0] == batch else None for x in inputs]
    if isinstance(net, nn.Module):
        net.eval()
    for size in sizes if options.get("dynamic_batch", True) and batch else (batch,):
        given = [x if a is None else np.take(x, np.arange(size) % x.shape[a], axis=a) for x, a in zip(inputs, axes)]
        wanted = net(*[situ.asarray(x) for x in given])
        got = session.run(None, {i.name: x for i, x in zip(session.get_inputs(), given)})
        for k, (a, b) in enumerate(zip(got, situ._trees.tensors(wanted), strict=True)):
            found = differs(a, b, tol)
            if found:
                return f"result {k} of a batch of {size}: {found}"
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
    case("shared weights", Tied(), integers(4, 6))
    case("conv1d and its transpose", CNN1d(), floats(2, 3, 17))
    case("groups", nn.Sequential(nn.Conv2d(8, 3, groups=4, dilation=2), nn.GroupNorm(2), nn.InstanceNorm()), floats(2, 4, 9, 9))
    case("rms norm", nn.Sequential(nn.RMSNorm(), nn.Linear(3), nn.Softmax()), floats(2, 5, 6))


def main():
    words, show = " ".join(a for a in sys.argv[1:] if a != "--show"), "--show" in sys.argv
    networks()
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
