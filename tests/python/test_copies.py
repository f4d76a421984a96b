"""Copies of every kind of module are whole: copy.deepcopy, pickle, files, mirrors, quantised, of another precision; before and after
the first call. A test compares the table with the package's list of modules."""
import copy
import inspect
import os
import pickle
import tempfile

import numpy as np

import situ
from support import raises, run
from situ import nn

WAYS = {"deepcopy": copy.deepcopy, "pickle": lambda net: pickle.loads(pickle.dumps(net)),
        "a copy of a copy": lambda net: copy.deepcopy(pickle.loads(pickle.dumps(net)))}
ROWS = {
    "Linear": (lambda: nn.Linear(5), "f4,8"), "Flatten": (nn.Flatten, "f4,2,3"), "Dropout": (lambda: nn.Dropout(0.5), "f4,8"),
    "ChannelDropout": (lambda: nn.ChannelDropout(0.5), "f4,6,3"), "Bilinear": (lambda: nn.Bilinear(5), "f4,3 f4,2"),
    "RMSNorm": (nn.RMSNorm, "f4,8"), "InstanceNorm": (nn.InstanceNorm, "f4,3,5"), "GroupNorm": (lambda: nn.GroupNorm(2), "f4,4,5"),
    "BatchNorm": (nn.BatchNorm, "f4,3"), "LayerNorm": (nn.LayerNorm, "f4,8"), "Embedding": (lambda: nn.Embedding(7, 4), "i5"),
    "EmbeddingBag": (lambda: nn.EmbeddingBag(7, 4), "i5,2"), "CELU": (lambda: nn.CELU(0.5), "f4,8"),
    "Hardshrink": (lambda: nn.Hardshrink(0.5), "f4,8"), "Softshrink": (lambda: nn.Softshrink(0.5), "f4,8"),
    "Hardtanh": (lambda: nn.Hardtanh(-0.5, 1), "f4,8"), "Threshold": (lambda: nn.Threshold(0.1, 20), "f4,8"),
    "GLU": (lambda: nn.GLU(-1), "f4,8"), "LeakyReLU": (lambda: nn.LeakyReLU(0.1), "f4,8"), "ELU": (lambda: nn.ELU(0.5), "f4,8"),
    "Softmax": (lambda: nn.Softmax(-1), "f4,8"), "LogSoftmax": (lambda: nn.LogSoftmax(-1), "f4,8"), "PReLU": (lambda: nn.PReLU(3), "f4,3"),
    "RNN": (lambda: nn.RNN(5, layers=2), "f3,4,6"), "GRU": (lambda: nn.GRU(5, dropout=0.5, layers=2), "f3,4,6"),
    "LSTM": (lambda: nn.LSTM(5, bidirectional=True), "f3,4,6"),
    "MultiheadAttention": (lambda: nn.MultiheadAttention(8, 2, dropout=0.5), "f2,3,8 f2,5,8 f2,5,8"), "SwiGLU": (lambda: nn.SwiGLU(12), "f4,8"),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(8, 2, feed="swiglu", rms=True), "f2,3,8"),
    "TransformerDecoderLayer": (lambda: nn.TransformerDecoderLayer(8, 2, hidden=12), "f2,3,8 f2,4,8"),
    "Conv1d": (lambda: nn.Conv1d(6, 3, groups=2), "f2,4,9"), "Conv2d": (lambda: nn.Conv2d(4, 3, bias=False), "f2,3,9,8"),
    "Conv3d": (lambda: nn.Conv3d(4, 3), "f2,2,5,4,6"), "ConvTranspose1d": (lambda: nn.ConvTranspose1d(4, 3), "f2,3,9"),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(4, 3), "f2,3,5,4"), "ConvTranspose3d": (lambda: nn.ConvTranspose3d(4, 2), "f2,2,3,4,3"),
    "Upsample": (lambda: nn.Upsample(2), "f2,3,4"), "Unfold": (lambda: nn.Unfold((2, 2)), "f2,3,6,6"),
    "Fold": (lambda: nn.Fold((6, 6), (2, 2)), "f2,12,25"), "Sequential": (lambda: nn.Sequential(nn.Linear(5), nn.BatchNorm()), "f4,8"),
    "Residual": (lambda: nn.Residual(nn.Linear(8)), "f4,8"), "Parallel": (lambda: nn.Parallel(nn.Linear(8), nn.SwiGLU(4), join="sum"), "f4,8"),
    "Function": (lambda: nn.Function(situ.exp), "f4,8"),
}
for name in ("ReLU Sigmoid Tanh GELU SiLU Mish Softplus ReLU6 Softsign Hardswish Hardsigmoid SELU LogSigmoid Tanhshrink Identity").split():
    ROWS[name] = getattr(nn, name), "f4,8"
for kind in "MaxPool", "AvgPool", "AdaptiveMaxPool", "AdaptiveAvgPool":
    for axes, shape in enumerate(("f2,3,9", "f2,3,6,6", "f1,2,4,4,4"), 1):
        ROWS[f"{kind}{axes}d"] = (lambda cls: lambda: cls(2))(getattr(nn, f"{kind}{axes}d")), shape


class Shared(nn.Module):
    """Variables as attributes, in a list, too; a table that two parts share."""

    def __init__(self):
        self.scale, self.rest = situ.variable(situ.ones((8,)), name="scale"), [situ.variable(situ.zeros((8,)), trainable=False)]
        self.table, self.head = nn.Embedding(7, 8), nn.Linear(7, bias=False)

    @staticmethod
    def made():
        net = Shared()
        net.modules()
        net.head.share(net.table)
        return net

    def forward(self, index):
        return self.head(self.table(index) * self.scale + self.rest[0])


class Wider(nn.MultiheadAttention):
    """A layer of the library with parts of its own and one more."""

    def __init__(self):
        super().__init__(8, 2)
        self.before = nn.Linear(8)

    def forward(self, x):
        x = self.before(x)
        return super().forward(x, x, x)


class Up(nn.Module):
    """A part that knows its whole."""

    def __init__(self):
        self.part = nn.Linear(5)
        self.part.whole = [self]
        self.scale = situ.variable(situ.ones((5,)))

    def forward(self, x):
        return self.part(x) * self.scale


MORE = {"Shared": (Shared.made, "i5"), "Wider": (Wider, "f2,3,8"), "Up": (Up, "f4,8"),
        "deep": (lambda: nn.Sequential(nn.Residual(nn.Sequential(nn.SwiGLU(6), nn.TransformerEncoderLayer(8, 2))), Wider()), "f2,3,8"),
        "Llama": (lambda: situ.models.Llama(width=16, vocabulary=7), "i2,3"),
        "Llama, adapted": (lambda: situ.models.Llama(width=16, vocabulary=7, tied=True).adapt(2), "i2,3")}


def test_the_table_has_every_module():
    modules = {name for name, cls in vars(nn).items() if inspect.isclass(cls) and issubclass(cls, nn.Module) and cls.__name__ == name and name[0] != "_"}
    without_a_call = {"Module", "ModuleList", "ModuleDict", "Bert"}  # Bert: of files, tests/binding/models.py
    assert modules - without_a_call == set(ROWS), modules ^ set(ROWS)


def inputs_of(text, device=None):
    made = []
    for i, word in enumerate(text.split()):
        x = situ.random.normal(situ.random.key(i + 1), tuple(map(int, word[1:].split(","))))
        made.append((x if word[0] == "f" else situ.floor(situ.sigmoid(x) * 7).astype(situ.int32)).to_device(device or x.device))
    return made


def results(net, text, device=None):
    out = net(*inputs_of(text, device))
    flat = lambda r: [a for part in r for a in flat(part)] if isinstance(r, tuple) else [np.asarray(r.to_device(situ.cpu()))]
    return flat(out)


def differ(a, b, text):
    """What two networks do not have in common, by the same calls."""
    for call in range(2):
        for x, y in zip(results(a, text), results(b, text), strict=True):
            if not np.array_equal(x, y, equal_nan=True):
                return f"call {call} differs by {np.abs(x - y).max()}"
    p, q = a.parameters(), b.parameters()
    if list(p) != list(q):
        return f"parameters {list(p)} and {list(q)}"
    for name in p:
        if p[name].dtype != q[name].dtype or p[name].name != q[name].name or not np.array_equal(np.asarray(p[name]), np.asarray(q[name]), equal_nan=True):
            return f"{name} {p[name].name!r} {q[name].name!r}"
        if p[name] is q[name]:
            return f"{name} is the same variable"
    modes = lambda net: [(name, type(m), m.training) for name, m in net.modules().items()]
    return None if list(a.trainable()) == list(b.trainable()) and modes(a) == modes(b) else f"{list(a.trainable())} and {list(b.trainable())}"


def set_up(make, text, called):
    """A network with what may be set before the first call."""
    net = nn.Sequential(make(), nn.Identity()) if len(text.split()) == 1 and make is not nn.Identity else make()
    net.init(situ.random.key(5))
    parts = net.modules()
    next(reversed(parts.values())).eval()
    part = next(iter(parts.values()))
    part.set_precision("bfloat16")
    for first in list(parts.values())[1:2]:
        first.set_precision("float16").freeze()
    try:
        net.initialize("weight", "normal", gain=0.5)
    except situ.ArgumentError:
        pass  # none is called so
    if called:
        net(*inputs_of(text))
    return net


def test_copies_are_whole():
    wrong = []
    for name, (make, text) in {**ROWS, **MORE}.items():
        for called in False, True:
            for way, copied in WAYS.items():
                if name == "Function" and way != "deepcopy" and make().f is not situ.exp:
                    continue
                net = set_up(make, text, called)
                other = copied(net)
                difference = differ(net, other, text)
                wrong += [f"{way} of {name}, {'called' if called else 'not called'}: {difference}"] if difference else []
    assert not wrong, "\n".join(wrong)


def test_copies_of_parts_are_whole():
    for copied in WAYS.values():
        net = nn.Sequential(Shared.made(), nn.SwiGLU(6))
        net(inputs_of("i5")[0])
        net.freeze()
        part = copied(net._parts[1])
        assert list(part.parameters()) == ["gate.weight", "up.weight", "down.weight"] and not part.trainable()
        part = copied(net._parts[0])
        assert list(part.parameters()) == list(net._parts[0].parameters()) and not part.trainable(), part.trainable()


def test_published_networks_are_whole():
    wrong = []
    for name, (make, text) in {**ROWS, **MORE}.items():
        served = set_up(make, text, True)
        trained = copy.deepcopy(served)
        for variable in trained.parameters().values():  # others, but for the keys of dropout
            if variable.dtype in (situ.float32, situ.float16, situ.bfloat16):
                situ.assign(variable, variable * 2 + 1)
        served.publish(trained)
        difference = differ(served, trained, text)
        wrong += [f"{name}: {difference}"] if difference else []
    assert not wrong, "\n".join(wrong)
    a, b = situ.variable(situ.ones(2)), situ.variable(situ.zeros(3))
    values = situ.snapshot(a, b)
    situ.assign(a, situ.zeros(2))
    assert values[0].tolist() == [1, 1] and values[1].tolist() == [0, 0, 0] and situ.snapshot([a])[0].tolist() == [0, 0]
    raises(TypeError, lambda: served.publish(3), "publish takes a network")
    raises(TypeError, lambda: situ.snapshot(a, "b"), "snapshot")
    raises(situ.ArgumentError, lambda: nn.Linear(2).publish(nn.Linear(2)), "has no value yet")


def test_variables_stay_frozen_when_the_tree_changes():
    net = Shared.made()
    net(inputs_of("i5")[0])
    net.freeze()
    net.more = nn.Linear(3, inputs=8)
    assert not {"scale", "rest.0"} & set(net.trainable()), net.trainable()


def test_quantised_copies_are_whole():
    count = 0
    for name, (make, text) in {**ROWS, **MORE}.items():
        net = set_up(make, text, True).eval()
        try:
            net.quantise()
        except situ.Error:
            continue
        count += 1
        for way, copied in WAYS.items():
            difference = differ(net, copied(net), text)
            assert not difference, f"{way} of {name}: {difference}"
    assert count > 8, count


def test_mirrored_copies_are_whole():
    if situ.num_gpus() < 1:
        return
    both = [situ.cpu(), situ.gpu(0)]
    for name, (make, text) in {**ROWS, **MORE}.items():
        for called in False, True:
            net = set_up(make, text, False).mirror(both)
            if called:
                for device in both[:1 if make is Shared.made or make is Up else 2]:  # the program's own variables are on one
                    net(*inputs_of(text, device))
            for way, copied in WAYS.items():
                if not called:
                    other = copied(net)
                    net2 = set_up(make, text, False).mirror(both)
                    difference = differ(net2, other, text)
                    assert not difference, f"{way} of {name}: {difference}"
                    continue
                other = copied(net)
                for device in both:
                    a, b = net.copies(device), other.copies(device)
                    assert list(a) == list(b), name
                    for key in a:
                        assert np.array_equal(np.asarray(a[key].to_device(both[0])), np.asarray(b[key].to_device(both[0]))), f"{way} of {name}: {key} on {device}"


def test_a_variable_that_a_mirrored_network_gets_is_on_all_devices():
    if situ.num_gpus() < 1:
        return
    both = [situ.cpu(), situ.gpu(0)]
    net = nn.Sequential(nn.Linear(5, inputs=8)).mirror(both)
    net.scale = situ.variable(situ.full((8,), 3.0))
    for device in both:
        copies = net.copies(device)
        assert copies["scale"].device == device and copies["scale"].tolist() == [3.0] * 8
    assert (net.scale + 1).tolist() == [4.0] * 8


def test_files_are_whole():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.safetensors")
        for name, (make, text) in {**ROWS, **MORE}.items():
            net = set_up(make, text, True).eval()
            net.save(path)
            for called in False, True:
                for copied in WAYS.values():  # into a copy, and a copy of what was loaded
                    other = copied(copied(set_up(make, text, called)).load(path)).eval()
                    difference = differ(net, other, text)
                    assert not difference, f"{name}: {difference}"


def test_a_state_that_does_not_fit_changes_nothing():
    net = nn.Sequential(nn.SwiGLU(6), nn.Linear(3))
    net(inputs_of("f4,8")[0])
    layer = net._parts[1]
    before = results(net, "f4,8")
    state = copy.deepcopy(layer).__getstate__()
    name, training, precision, own, parts = state["library"]
    fresh = nn.Linear(3, inputs=8)
    kept = {k: np.asarray(v) for k, v in fresh.parameters().items()}
    row = list(own[1])
    for bad in (row[:3], ["bia"] + row[1:], [row[0], [situ.zeros((4,))]] + row[2:], [row[0], [1.0]] + row[2:], row[:4] + [99] + row[5:]):
        raises((ValueError, TypeError, situ.Error),
               lambda: situ._situ.module_take_state(fresh._node.handle, (name, training, precision, [own[0], tuple(bad)], parts), False))
        assert all(np.array_equal(np.asarray(v), kept[k]) for k, v in fresh.parameters().items())
    assert all(np.array_equal(a, b) for a, b in zip(before, results(net, "f4,8")))


if __name__ == "__main__":
    run(globals())
