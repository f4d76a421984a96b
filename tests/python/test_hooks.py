"""Networks with variables of their own on one and several devices, and the hooks by which a program says how a trainer goes about it.
Prints PASS or FAIL for each."""
import os
import tempfile

import numpy as np

import situ
from support import raises, run

nn, optim, Trainer = situ.nn, situ.optim, situ.train.Trainer
if situ.num_gpus() < 2:
    situ.sim_gpus(2)
GPUS = [situ.gpu(0), situ.gpu(1)]


class Scratch(nn.Module):
    """A variable, some in a list and a dict, one that is not trained, and a part."""

    def __init__(self):
        self.w = situ.variable(0.02 * situ.random.normal(situ.random.key(1), (64, 16)))
        self.rest = [situ.variable(situ.zeros((16,))), {"scale": situ.variable(situ.full((16,), 0.5), trainable=False)}]
        self.head = nn.Linear(10)
        self.seen = []

    def forward(self, x):
        self.seen.append(self.w.device)
        y = situ.reshape(x, (x.shape[0], -1)) @ self.w + self.rest[0]
        return self.head(nn.relu(y * self.rest[1]["scale"]))


class Patches(nn.Module):
    """As examples/python/vit.py, and smaller: places are a variable of the network."""

    def __init__(self):
        self.patches = nn.Conv2d(8, 4, stride=4)
        self.places = situ.variable(0.02 * situ.random.normal(situ.random.key(1), (4, 8)))
        self.blocks = [nn.TransformerEncoderLayer(8, 2, hidden=8, dropout=0)]
        self.head = nn.Linear(10)

    def forward(self, x):
        x = self.patches(situ.expand_dims(x, axis=1))
        x = situ.permute_dims(situ.reshape(x, (x.shape[0], x.shape[1], -1)), (0, 2, 1)) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(situ.mean(x, axis=1))


def values(net):
    return {name: bytes(v) for name, v in net.parameters().items()}


def trained(make, gpus, epochs=2, rows=256, **how):
    net = make()
    net.init(situ.random.key(0))
    opt = optim.Adam(net, lr=0.01)
    data = situ.data.digits().select(list(range(rows)))
    trainer = Trainer(max_epochs=epochs, num_gpus=gpus, deterministic=True, **how).fit(net, opt, data)
    return net, trainer


def test_one_hash_on_every_number_of_devices():
    for make in (Scratch, Patches):
        runs = [trained(make, gpus) for gpus in (0, 1, 2)]
        assert values(runs[0][0]) == values(runs[1][0]) == values(runs[2][0]), make
        assert runs[0][1].loss == runs[1][1].loss == runs[2][1].loss
        for net, trainer in runs[1:]:
            assert {v.device for v in net.parameters().values()} == {GPUS[0]} and trainer.gpus == GPUS[:len(trainer.gpus)]
    net, trainer = runs[2]
    net = trained(Scratch, 2)[0]
    assert set(net.seen) == set(GPUS) and net.w.device == net.rest[0].device == GPUS[0]
    for device in GPUS:
        assert {v.device for v in net.copies(device).values()} == {device} and {name: bytes(v) for name, v in net.copies(device).items()} == values(net)


def test_a_training_goes_on_elsewhere():
    whole = values(trained(Scratch, 0, epochs=4)[0])
    for first, then in ((1, 2), (2, 1), (2, 0)):
        with tempfile.TemporaryDirectory() as folder:
            how = {"checkpoint": folder, "checkpoint_every": 3}
            net = Scratch().init(situ.random.key(0))
            data = situ.data.digits().select(list(range(256)))
            trainer = Trainer(max_epochs=4, num_gpus=first, deterministic=True, on_step=lambda t: t.steps == 7, **how)
            trainer.fit(net, optim.Adam(net, lr=0.01), data)
            assert trainer.steps == 7
            assert values(trained(Scratch, then, epochs=4, resume=True, **how)[0]) == whole, (first, then)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.safetensors")
            net.save(path)
            other = Scratch()
            other.load(path)
            assert values(other) == values(net) and other.w.device == situ.cpu()


def test_a_variable_in_a_call_is_the_one_of_the_input():
    net = Scratch()
    x = situ.random.normal(situ.random.key(2), (4, 64))
    y = net(x).tolist()
    net.mirror()
    net.seen.clear()
    for device in GPUS:
        there = x.to_device(device)
        out = net(there)
        assert out.device == device and out.tolist() == y and net.seen[-1] == device
        copies = net.copies(device)
        gradients = situ.gradients(situ.sum(net(there)), [copies["w"], copies["rest.0"]])
        assert gradients[0].device == device and float(situ.sum(situ.abs(gradients[0]))) > 0
    assert net.w.device == GPUS[0]
    raises(TypeError, lambda: net.mirror("gpu:0"), "mirror takes a list of devices; write net.mirror(['gpu:0'])")
    raises(TypeError, lambda: net.mirror(GPUS[1]), "or net.to(gpu(1))")
    outer = nn.Sequential(nn.Linear(64, inputs=64), nn.Function(net))
    assert outer.mirror()(x.to_device(GPUS[1])).device == GPUS[1]


def test_a_step_reads_variables_of_its_part():
    def step(net, batch):
        return nn.cross_entropy(net(batch[0]), batch[1]) + 0.01 * situ.sum(net.w**2)
    runs = [values(trained(Scratch, gpus, step=step)[0]) for gpus in (1, 2)]
    assert runs[0] == runs[1] != values(trained(Scratch, 1)[0])


def test_plain_tensors_are_on_one_device():
    class Masked(nn.Module):
        def __init__(self, keep):
            self.mask, self.linear = keep(situ.ones((64,))), nn.Linear(10)

        def forward(self, x):
            return self.linear(situ.reshape(x, (-1, 64)) * self.mask)

    one = [values(trained(lambda: Masked(lambda m: m), gpus)[0]) for gpus in (0, 1)]
    assert one[0] == one[1]
    fixed = [values(trained(lambda: Masked(lambda m: situ.variable(0.3 * m, trainable=False)), gpus, rows=250)[0]) for gpus in (0, 1, 2)]
    assert fixed[0] == fixed[1] == fixed[2] and np.all(np.frombuffer(fixed[0]["mask"], "float32") == np.float32(0.3))
    raises(situ.DeviceMismatchError, lambda: trained(lambda: Masked(lambda m: m), 2), "on several GPUs what a network keeps itself (mask) has to be a variable: situ.variable(value, trainable=False)")


# ---- hooks


def data(rows=64, by=1):
    x = situ.random.normal(situ.random.key(3), (rows, 3))
    return situ.data.Dataset(by * x, x @ situ.asarray([[1.0], [2.0], [-1.0]]))


def linear():
    return nn.Sequential(nn.Linear(1, inputs=3)).init(situ.random.key(0))


def test_fit_calls_what_a_subclass_prepares():
    called = []

    class Doubled(Trainer):
        def prepare_model(self, net):
            called.append(("model", net.trainer is self))
            return super().prepare_model(net)

        def prepare_batch(self, batch):
            called.append(("batch", batch.training, len(batch)))
            assert batch.of_tensors(tuple(batch)).rows == batch.rows
            x, y = super().prepare_batch(batch)
            return 2 * x, y

    for gpus in (0, 1, 2):
        called.clear()
        net = linear()
        trainer = Doubled(max_epochs=1, batch=16, num_gpus=gpus, loss=nn.mse, deterministic=True)
        trainer.fit(net, optim.SGD(net, lr=0.1), data(), data(16))
        assert called[0] == ("model", True) and called.count(("batch", True, 2)) == 4 and called.count(("batch", False, 2)) == 1, called
        assert trainer.model is net and net.trainer is trainer and net.board is trainer.board
        twin = linear()
        Trainer(max_epochs=1, batch=16, loss=nn.mse, deterministic=True).fit(twin, optim.SGD(twin, lr=0.1), data(by=2))
        assert values(twin) == values(net)

    class Gone(Trainer):
        def prepare_batch(self, batch):
            return None

    class Away(Trainer):
        def prepare_batch(self, batch):
            return [t.to_device(situ.gpu(0)) for t in batch]
    net = linear()
    raises(TypeError, lambda: Gone(loss=nn.mse).fit(net, optim.SGD(net), data()), "prepare_batch gave NoneType")
    raises(situ.DeviceMismatchError, lambda: Away(loss=nn.mse, num_gpus=2).fit(net, optim.SGD(net), data()), "belongs on gpu(1) to gpu(0)")


class Book(nn.Module):
    """A model that says itself how it is trained."""

    def __init__(self, lr, sigma=0.01):
        super().__init__()
        self.save_hyperparameters(ignore=["sigma"])
        self.w = situ.variable(sigma * situ.random.normal(situ.random.key(0), (3, 1)))
        self.b = situ.variable(situ.zeros((1,)))

    def forward(self, x):
        return x @ self.w + self.b

    def loss(self, prediction, target):
        return situ.mean((prediction - target) ** 2 / 2)

    def configure_optimizers(self):
        return optim.SGD(self, lr=self.lr)


class Plots(Book):
    def training_step(self, batch):
        loss = self.loss(self(*batch[:-1]), batch[-1])
        assert self.plot("loss", loss, train=True) is None
        return loss

    def validation_step(self, batch):
        loss = self.loss(self(*batch[:-1]), batch[-1])
        self.plot("loss", loss, train=False)
        self.plot("size", situ.mean(situ.abs(self.w)), train=False)


def test_a_model_may_say_how_it_is_trained():
    known = None
    for make in (Book, Plots):
        for gpus in (0, 2):
            net = make(0.1)
            assert net.lr == 0.1 and net.hparams == {"lr": 0.1} and not hasattr(net, "sigma")
            trainer = Trainer(max_epochs=3, batch=16, num_gpus=gpus, deterministic=True).fit(net, data(), data(16))
            assert trainer.steps == 12 and trainer.loss < 1 and trainer.validation_loss < 1
            known = known or values(net)
            assert values(net) == known
    assert abs(trainer.values["validation size"] - np.mean(np.abs(np.asarray(net.w)))) < 1e-6
    assert net.plot("loss", 1.0) is None  # the trainer is there
    raises(ValueError, lambda: Plots(0.1).training_step((situ.ones((2, 3)), situ.ones((2, 1)))), "plot: this network is not being trained")
    raises(TypeError, lambda: Trainer().fit(linear(), data()), "fit: the optimizer is missing, in its place is a Dataset; write fit(net, situ.optim.SGD(net), data)")
    net = Book(0.1)
    Trainer(max_epochs=1).fit(net, optim.SGD(net, lr=0), data())
    assert values(net) == values(Book(0.1))  # an optimizer that is given counts


def test_a_trainer_of_ones_own_constructor():
    class Own(Trainer):
        def __init__(self, max_epochs, num_gpus=0, gradient_clip_val=0):
            self.save_hyperparameters()
            self.gpus = [situ.gpu(i) for i in range(min(num_gpus, situ.num_gpus()))]

        def prepare_batch(self, batch):
            if self.gpus:
                batch = [a.to_device(self.gpus[0]) for a in batch]
            return batch

        def prepare_model(self, model):
            model.trainer = self
            model.board.xlim = [0, self.max_epochs]
            if self.gpus:
                model.to(self.gpus[0])
            self.model = model

    for gpus in (0, 1):
        net, trainer = Book(0.1), Own(max_epochs=2, num_gpus=gpus, gradient_clip_val=1)
        assert trainer.max_epochs == 2 and trainer.hparams == {"max_epochs": 2, "num_gpus": gpus, "gradient_clip_val": 1}
        trainer.fit(net, data(), data(16))
        assert trainer.gpus == GPUS[:gpus] and trainer.hyper()["clip_norm"] == 1 and Trainer(gradient_clip_val=2).gradient_clip_val == 2 and trainer.epochs == 2 and trainer.board.xlim == (0, 2)
        assert net.w.device == (GPUS[0] if gpus else situ.cpu()) and trainer.model is net
    raises(ValueError, lambda: setattr(Trainer(num_gpus=1), "gpus", GPUS), "write Trainer(num_gpus=2)")
    raises(ValueError, lambda: setattr(Trainer(num_gpus=1), "gpus", GPUS[1:]), "gpus are the first ones")
    raises(AttributeError, lambda: Trainer().fit_epoch, "fit() has the loop")
    raises(AttributeError, lambda: setattr(trainer, "max_epochs", 3), "said where it is made")
    trainer = Trainer(max_epochs=5)
    assert trainer.board.xlim == (0, 5) and trainer.batch == 64
    trainer.board.xlim = 3
    assert trainer.board.xlim == (0, 3)
    raises(ValueError, lambda: setattr(trainer.board, "xlim", (1, 3)), "the axis begins at epoch 0")


def test_hyperparameters_keep_parts_and_copies():
    class Holder(nn.Module):
        def __init__(self, part, rate, *, note="n"):
            super().__init__()
            assert self.save_hyperparameters() is None and self.rate == rate

        def forward(self, x):
            return self.part(x) * self.rate

    import copy
    net = Holder(nn.Linear(2, inputs=3), 0.5)
    assert list(net.parameters()) == ["part.weight", "part.bias"] and net.note == "n" and set(net.hparams) == {"part", "rate", "note"}
    twin = copy.deepcopy(net)
    assert twin.rate == 0.5 and list(twin.parameters()) == list(net.parameters()) and values(twin) == values(net)
    trainer = Trainer(max_epochs=1, loss=nn.mse).fit(net, optim.SGD(net), situ.data.Dataset(situ.ones((4, 3)), situ.ones((4, 2))))
    assert copy.deepcopy(net).part is not net.part and net.trainer is trainer
    raises(AttributeError, lambda: twin.trainer, "that is there while a trainer trains this network")
    raises(AttributeError, lambda: twin.board, "that is there while a trainer trains this network")


# ---- pure functions


def test_apply_is_a_function_of_the_parameters():
    x, y = situ.random.normal(situ.random.key(5), (8, 3)), situ.random.normal(situ.random.key(6), (8, 1))
    for make in (lambda: nn.Sequential(nn.Linear(4), nn.Dropout(0.5), nn.Tanh(), nn.BatchNorm(), nn.Linear(1)), lambda: Book(0.1), lambda: nn.Linear(1)):
        net = make()
        own = values(net) if isinstance(net, Book) else None
        params = net.init(situ.random.key(0), x)
        before = values(net)
        assert own in (None, before)  # variables of the program keep what they were made with
        assert list(params) == list(net.parameters()) and {name: bytes(p) for name, p in params.items()} == before
        assert net.apply(params, x).tolist() == net.eval()(x).tolist()
        net.train()
        doubled = {name: 2 * p for name, p in params.items()}
        out = net.apply(doubled, x).tolist()
        other = make()
        other(x)
        other.load_state(doubled)
        assert other.eval()(x).tolist() == out != net.apply(params, x).tolist()
        assert values(net) == before and net.training
    raises(ValueError, lambda: net.apply({}, x), "apply: needs a value for each of weight, bias, and got none")
    raises(situ.ShapeError, lambda: net.apply({"weight": situ.ones((2, 3)), "bias": params["bias"]}, x), "weight has shape [1, 3], and its value [2, 3]")
    raises(TypeError, lambda: net.apply({"weight": np.ones((1, 3)), "bias": params["bias"]}, x), "weight is a tensor, not ndarray")
    raises(TypeError, lambda: net.apply(lambda m: None), "net.modules() has all parts")
    raises(TypeError, lambda: net.apply([1], x), "a dict, not list")
    raises(situ.ShapeError, lambda: nn.Linear(1).apply({}, x), "params = net.init(key, x)")


def test_apply_nests_with_grad_vmap_and_a_step():
    x, y = situ.random.normal(situ.random.key(5), (8, 3)), situ.random.normal(situ.random.key(6), (8, 1))
    for make in (lambda: nn.Sequential(nn.Linear(4), nn.Tanh(), nn.Linear(1)), lambda: Book(0.1)):
        net = make()
        params = net.init(situ.random.key(0), x)
        loss = lambda p: nn.mse(net.apply(p, x), y)
        value, gradient = situ.value_and_grad(loss)(params)
        by_variables = situ.gradients(nn.mse(net(x), y), net.parameters())
        assert {n: g.tolist() for n, g in gradient.items()} == {n: g.tolist() for n, g in by_variables.items()}
        mapped = situ.vmap(lambda row: net.apply(params, row))(x)
        assert np.allclose(np.asarray(mapped), np.asarray(net(x)), atol=1e-6)
        each = situ.vmap(lambda row: situ.grad(lambda p: situ.sum(net.apply(p, row)))(params))(x)
        assert all(g.shape == (8,) + params[name].shape for name, g in each.items())
        second = situ.grad(lambda p: sum(situ.sum(g * g) for g in situ.grad(loss)(p).values()))(params)
        eps, name = 1e-3, next(iter(params))
        at = lambda s: float(sum(situ.sum(g * g) for g in situ.grad(loss)({**params, name: params[name] + s}).values()))
        assert abs((at(eps) - at(-eps)) / (2 * eps) - float(situ.sum(second[name]))) < 2e-2 * (1 + abs(float(situ.sum(second[name]))))
        opt = optim.SGD(net, lr=0.1)
        for _ in range(5):
            gradient = situ.grad(loss)(params)
            params = {n: p - 0.1 * gradient[n] for n, p in params.items()}
            opt.step(nn.mse(net(x), y))
        assert all(np.allclose(np.asarray(params[n]), np.asarray(v), atol=1e-6) for n, v in net.parameters().items())
    net.mirror()
    there = {n: p.to_device(GPUS[1]) for n, p in params.items()}
    assert net.apply(there, x.to_device(GPUS[1])).device == GPUS[1]
    part = nn.Sequential(nn.Linear(3, inputs=3), nn.Linear(1, inputs=3))
    part.parameters()
    own = {"weight": situ.ones((1, 3)), "bias": situ.ones((1,))}
    assert part[1].apply(own, situ.ones((1, 3))).tolist() == [[4.0]]


if __name__ == "__main__":
    run(globals())
