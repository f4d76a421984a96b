"""Networks, optimizers, trainers, as the package is installed."""
import copy
import gc
import pickle
import warnings

import numpy as np

import situ
from support import interrupted, raises, run, within


class Attributes(situ.nn.Module):
    def __init__(self):
        self.fc, self.drop, self.scale = situ.nn.Linear(8), situ.nn.Dropout(0.5), situ.variable(situ.ones((8,)))
        self.layers, self.heads = [situ.nn.Linear(8) for _ in range(2)], {"a": situ.nn.Linear(3)}
        self.again, self.me = self.fc, self

    def forward(self, x, y=None, *, double=False):
        h = self.drop(situ.nn.relu(self.fc(x)) * self.scale)
        for layer in self.layers:
            h = situ.nn.relu(layer(h))
        h = h if y is None else h + y
        return self.heads["a"](h) * (2 if double else 1), h


def test_a_trainer_as_in_the_book():
    training, held_out = situ.data.digits().split(0, stratified=True)
    net = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(10))
    trainer = situ.train.Trainer(max_epochs=2, num_gpus=16, xlim=(0, 2)).fit(net, situ.optim.SGD(net, lr=0.1), training, held_out)
    assert trainer.gpus == [situ.gpu(i) for i in range(min(16, situ.num_gpus()))] and trainer.board.xlim == (0, 2)
    assert situ.train.Trainer(num_gpus=0).gpus == []
    x, y = trainer.board.data["train loss"]
    assert len(x) == len(y) == 2 * 23 and x[-1] == 2 and y[-1] < y[0]
    x, y = trainer.board.data["validation loss"]
    assert x == [1, 2] and y[-1] == trainer.validation_loss
    assert trainer.board.data["validation accuracy"][1][-1] == trainer.accuracy
    there = trainer.gpus[0] if trainer.gpus else situ.cpu()
    a, rest = trainer.prepare_batch((situ.ones((2,)), {"b": [situ.ones((3,)), situ.ones(())]}))
    assert isinstance(rest, dict) and {a.device, *(t.device for t in rest["b"])} == {there}
    raises(ValueError, lambda: situ.train.Trainer(xlim=(1, 2)), "xlim")


def test_a_network_from_scratch_moves_with_what_it_keeps():
    class Scratch(situ.nn.Module):
        def __init__(self):
            self.w, self.shift = situ.variable(situ.ones((3, 1))), situ.ones((1,))
            self.more, self.note, self.part = {"mask": [situ.ones((3,))]}, "kept", Inner()

        def forward(self, x):
            return (x * self.more["mask"][0]) @ self.w + self.shift + self.part(x)

    class Inner(situ.nn.Module):
        def __init__(self):
            self.scale = situ.full((1,), 2.0)

        def forward(self, x):
            return situ.sum(x, axis=1, keepdims=True) * self.scale

    if not situ.num_gpus():
        situ.sim_gpus(1)
    for move in (lambda net: net.set_scratch_params_device(situ.gpu(0)), situ.train.Trainer(num_gpus=1).prepare_model):
        net = move(Scratch())
        kept = [net.w, net.shift, net.more["mask"][0], net.part.scale]
        assert {t.device for t in kept} == {situ.gpu(0)} and net.note == "kept" and net.w.is_variable
        assert net(situ.ones((2, 3), device=situ.gpu(0))).tolist() == [[10], [10]]


def test_the_first_step_takes_no_more_memory_than_later_ones():
    n = 256
    net = situ.nn.Sequential(situ.nn.Linear(n), situ.nn.ReLU(), situ.nn.Linear(n))
    opt = situ.optim.AdamW(net)
    x = situ.ones((8, n))
    need = 4 * (2 * (n * n + n)) * 4

    def steps():
        for _ in range(3):
            loss = situ.mean(situ.square(net(x)))
            assert float(loss) > 0
            opt.step(loss)
    within(need + need // 6, steps)


def test_a_network_learns_digits():
    train, held_out = situ.data.digits().split(0, stratified=True)
    net = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(64), situ.nn.ReLU(), situ.nn.Linear(10))
    opt = situ.optim.Adam(net, lr=3e-3)
    loader = situ.data.Loader(train, batch=64, shuffle=True)
    for _ in range(8):
        for images, labels in loader:
            opt.step(situ.nn.cross_entropy(net(images), labels))
    first = iter(loader)
    next(first)
    next(iter(loader))
    raises(RuntimeError, lambda: next(first), "second Loader")
    score = float(situ.nn.accuracy(net(held_out.features), held_out.labels))
    assert score > 0.9, score
    trainer = situ.train.Trainer(max_epochs=2).fit(net, opt, train, held_out)
    assert trainer.accuracy > 0.9 and trainer.epochs == 2 and opt.steps > 180
    other = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(64), situ.nn.ReLU(), situ.nn.Linear(10))
    other(held_out.features)
    other.load_state(pickle.loads(pickle.dumps(net.state())))
    assert float(situ.nn.accuracy(other(held_out.features), held_out.labels)) == float(situ.nn.accuracy(net(held_out.features), held_out.labels))
    wrong = {name: np.zeros(np.asarray(value).shape, np.float32) for name, value in net.state().items()}
    wrong[list(wrong)[-1]] = np.zeros((1, 2, 3), np.float32)
    raises(ValueError, lambda: other.load_state(wrong), "3.bias is [1,2,3] there and [10] here")
    assert float(situ.nn.accuracy(other(held_out.features), held_out.labels)) == float(situ.nn.accuracy(net(held_out.features), held_out.labels))


def test_layers_and_modules_of_one_s_own():
    nn = situ.nn

    class Residual(nn.Module):
        def __init__(self, width):
            super().__init__(nn.Linear(width), nn.ReLU(), nn.Linear(width))

        def forward(self, x):
            a, relu, b = self
            return x + b(relu(a(x)))

    x, labels = situ.random.normal(situ.random.key(0), (8, 1, 16, 16)), situ.arange(8)
    net = nn.Sequential(nn.Conv2d(6, 5, padding=2), nn.BatchNorm(), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 3), nn.AvgPool2d(2), nn.Flatten(),
                        nn.LayerNorm(), Residual(36), nn.Dropout(0.1), nn.Linear(8))
    opt = situ.optim.AdamW(net, lr=0.01)
    losses = []
    for _ in range(40):
        loss = nn.cross_entropy(net(x), labels)
        opt.step(loss)
        losses.append(float(loss))
    assert losses[-1] < losses[0] / 4, losses[::13]
    assert net.parameters()["8.0.weight"].shape == (36, 36) and net.parameters()["1.running_mean"].shape == (6,) and "1.running_mean" not in net.trainable()
    assert nn.Embedding(5, 3)(situ.asarray([1, 2])).shape == (2, 3)
    raises(ValueError, lambda: nn.Sequential(net[0]), "once")
    q = situ.random.normal(situ.random.key(1), (2, 4, 8))
    weights = nn.softmax(situ.matmul(q, situ.matrix_transpose(q)) * 8**-0.5)
    np.testing.assert_allclose(np.asarray(nn.attention(q, q, q)), np.asarray(weights @ q), rtol=1e-5, atol=1e-6)
    assert nn.conv1d(situ.ones((1, 1, 5)), situ.ones((1, 1, 3)), padding=1).tolist() == [[[2, 3, 3, 3, 2]]]


def test_training_hears_of_ctrl_c():
    data = situ.data.Dataset(np.ones((20000, 64), np.float32), np.zeros(20000, np.int64))
    net = situ.nn.Sequential(situ.nn.Linear(256), situ.nn.ReLU(), situ.nn.Linear(10))
    opt = situ.optim.SGD(net, lr=0.01)
    late = interrupted(lambda: situ.train.Trainer(max_epochs=1000).fit(net, opt, data))
    assert late is not None and late < 0.5, late
    assert net(situ.ones((1, 64))).shape == (1, 10)
    situ.train.Trainer(max_epochs=1).fit(net, opt, data)


def test_attributes_are_parts_and_parameters():
    net, x = Attributes(), situ.ones((4, 8))
    assert net(x, x, double=True)[0].shape == (4, 3)
    names = ["scale", "fc.weight", "fc.bias", "layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias", "heads.a.weight", "heads.a.bias"]
    assert list(net.parameters()) == names, list(net.parameters())
    assert not net.eval().drop.training and net.train().drop.training
    opt = situ.optim.Adam(net, lr=0.05)
    losses = []
    for _ in range(40):
        loss = situ.mean(net(x)[0] ** 2)
        opt.step(loss)
        losses.append(float(loss))
    assert losses[-1] < 0.1 * losses[0] and net.scale.tolist() != [1] * 8
    net.eval()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert other(x)[0].tolist() == net(x)[0].tolist() and not other.drop.training and other.again is other.fc
        situ.optim.SGD(other, lr=0.1).step(situ.mean(other(x)[0] ** 2))
        assert other(x)[0].tolist() != net(x)[0].tolist()
    net.layers.append(situ.nn.Linear(8))
    net(x)
    assert "layers.2.weight" in net.parameters()
    del net.layers[0], net.again
    net.fc = situ.nn.Linear(8)
    opt.step(situ.mean(net(x)[0] ** 2))
    assert len(net.parameters()) == 9


def test_parameters_whose_sizes_are_given_can_be_loaded_before_the_first_call():
    net = situ.nn.Sequential(situ.nn.Linear(3, inputs=5), situ.nn.LayerNorm(inputs=3))
    net.load_state({"0.weight": np.ones((3, 5), "f"), "0.bias": np.ones(3, "f"), "1.weight": np.ones(3, "f"), "1.bias": np.zeros(3, "f")})
    assert situ.all(net[0](situ.ones((1, 5))) == 6)
    assert situ.nn.Conv2d(2, 3, inputs=4).parameters()["weight"].shape == (2, 4, 3, 3)


def test_parameters_outlive_their_network():
    def made(key):
        net = situ.nn.Sequential(situ.nn.Linear(2, inputs=3), situ.nn.Tanh())
        net.init(situ.random.key(key))
        return net, net.parameters(), net.parameters()

    net, kept, again = made(1)
    before = {name: v.tolist() for name, v in kept.items()}
    del net, again
    gc.collect()
    situ.assign(kept["0.bias"], situ.asarray([5.0, 6]))  # it is a variable still
    assert {name: v.tolist() for name, v in kept.items() if name != "0.bias"} == {name: v for name, v in before.items() if name != "0.bias"}
    assert kept["0.bias"].tolist() == [5, 6] and kept["0.weight"].is_variable and situ.grad(lambda w: situ.sum(w * w))(kept["0.weight"]).shape == (2, 3)

    def changed():
        net = made(2)[0]
        situ.assign(net.parameters()["0.bias"], situ.asarray([7.0, 8]))  # pending when the network ends
        return net.parameters()["0.bias"]

    for _ in range(3):
        assert changed().tolist() == [7, 8]

    class Own(situ.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = situ.variable(2.0, trainable=True)

        def forward(self, x):
            return x * self.scale

    own = Own()
    variable, shared = own.scale, own.parameters()["scale"]
    del own
    gc.collect()
    assert variable.item() == shared.item() == 2
    del variable
    assert shared.item() == 2
    if situ.num_gpus():
        net, kept, again = made(3)
        net.to(situ.gpu(0))
        for use in (lambda: str(kept["0.bias"]), lambda: kept["0.bias"] + 1, lambda: kept["0.bias"].tolist(), lambda: situ.assign(kept["0.bias"], 0.0)):
            raises(situ.ArgumentError, use, "was released", "its network was moved", "net.parameters()")
        raises(situ.ArgumentError, lambda: kept["0.bias"].state, "was released")


def test_pytorchs_names_of_norms():
    x = situ.random.normal(situ.random.key(0), (4, 3, 5))
    for name in ("BatchNorm", "InstanceNorm"):
        for axes in (1, 2, 3):
            assert np.array_equal(np.asarray(getattr(situ.nn, f"{name}{axes}d")()(x)), np.asarray(getattr(situ.nn, name)()(x)))


def test_precision_is_for_what_is_inside():
    x = situ.random.normal(situ.random.key(1), (40, 50))
    exact, rounded = x @ x.T, None

    @situ.precision("bfloat16")
    def product(depth):
        return product(depth - 1) if depth else x @ x.T

    with situ.precision("bfloat16"):
        with situ.precision("float32"):
            assert bool(situ.all(x @ x.T == exact))
        rounded = x @ x.T
    assert not bool(situ.all(rounded == exact)) and bool(situ.all(product(2) == rounded)) and bool(situ.all(x @ x.T == exact))
    raises(situ.DTypeError, lambda: situ.precision("float64").__enter__(), "the precision is f64")
    raises(TypeError, lambda: situ.precision("half").__enter__(), 'write situ.float16 or "float16"')
    assert bool(situ.all(x @ x.T == exact))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        situ.precision("bfloat16")
        situ.no_grad()
        gc.collect()
    assert [str(w.message) for w in told] == ["situ.precision('bfloat16') changed nothing: write with situ.precision('bfloat16'): around what it is for",
                                              "situ.no_grad() changed nothing: write with situ.no_grad(): around what it is for"]


def test_batch_invariance_is_for_what_is_inside():
    x, w = situ.random.normal(situ.random.key(1), (32, 600)), situ.random.normal(situ.random.key(2), (90, 600))
    usual = x @ w.T

    @situ.batch_invariant()
    def product(x):
        return x @ w.T

    with situ.batch_invariant():
        every, one = x @ w.T, x[3:4] @ w.T
        with situ.batch_invariant(False):
            assert bool(situ.all(x @ w.T == usual))
    assert bool(situ.all(every[3:4] == one)) and bool(situ.all(product(x) == every)) and bool(situ.all(x @ w.T == usual))
    assert not bool(situ.all(usual[3:4] == one)) and np.allclose(np.asarray(usual), np.asarray(every), atol=1e-3)
    net = situ.nn.Sequential(situ.nn.Linear(90), situ.nn.ReLU())
    net.init(situ.random.key(4))
    net[0].set_batch_invariant()
    for copied in net, pickle.loads(pickle.dumps(net)), copy.deepcopy(net):
        assert bool(situ.all(copied(x)[3:4] == copied(x[3:4])))
    net[0].set_batch_invariant(False)
    assert not bool(situ.all(net(x)[3:4] == net(x[3:4])))


def test_linear_layers_are_quantised():
    class Tied(situ.nn.Module):
        def __init__(self):
            self.table, self.scores = situ.nn.Embedding(40, 16), situ.nn.Linear(40, bias=False)

        def forward(self, letters):
            return self.scores(self.table(letters))

    x, letters = situ.random.normal(situ.random.key(1), (5, 30)), situ.asarray([[1, 2, 3]])
    net, tied = situ.nn.Sequential(situ.nn.Linear(20), situ.nn.ReLU(), situ.nn.Linear(3)), Tied()
    exact, before = net(x), tied(letters)
    state = net.state()
    tied.scores.share(tied.table)
    exact_tied = tied(letters)
    assert not bool(situ.all(before == exact_tied))
    weight = net[0].weight
    net.quantise()
    tied.quantise()
    rounded = net(x)
    w, (rows, width) = np.asarray(weight), weight.shape
    scale = np.abs(w).max(1, keepdims=True) / 127
    q = np.frombuffer(np.asarray(net[0].weight).tobytes(), np.int8).reshape(rows, 4 + width)[:, 4:]
    np.testing.assert_array_equal(q, np.rint(w / scale))
    assert net[0].weight.dtype == situ.uint8 and net[0].weight.shape == (20, 34) and list(net.trainable()) == ["0.bias", "2.bias"]
    assert np.abs(np.asarray(rounded) - np.asarray(exact)).max() < 0.03
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net)), situ.nn.Sequential(situ.nn.Linear(20), situ.nn.ReLU(), situ.nn.Linear(3)).load_state(net.state())):
        assert bool(situ.all(other(x) == rounded))
    tied.more = situ.nn.Linear(3, inputs=3)  # arranges the tree anew
    assert tied.table.weight.dtype == situ.float32 and tied.scores.weight.dtype == situ.uint8
    assert np.abs(np.asarray(tied(letters)) - np.asarray(exact_tied)).max() < 0.1
    assert bool(situ.all(copy.deepcopy(tied)(letters) == tied(letters)))
    raises(situ.ArgumentError, net.quantise, "quantised already")
    raises(situ.ArgumentError, lambda: net.load_state(state), "these values are not: load them before")
    raises(situ.ArgumentError, lambda: situ.optim.Adam(net).step(situ.mean(net(x))), "0.weight is quantised, which cannot be trained")
    raises(situ.ShapeError, situ.nn.Linear(3).quantise, "has no shape yet")
    raises(AttributeError, lambda: net.quantize, "write net.quantise()")


if __name__ == "__main__":
    run(globals())
