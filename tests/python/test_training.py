"""Data of any kind and the trainer with steps in Python, as the package is installed."""
import pathlib
import pickle
import tempfile

import numpy as np

import situ
from support import grown, raises, run


def line(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 2)).astype(np.float32)
    return x, (x @ np.array([[2.0], [-3.4]]) + 4.2).astype(np.float32)


def arrays_of(loader):
    """All fields of an epoch, as NumPy has them."""
    batches = [[np.asarray(t) for t in batch] for batch in loader]
    return [np.concatenate(field) for field in zip(*batches)]


def test_sets_of_random_fields_come_out_of_loaders_as_they_went_in():
    rng, cases = np.random.default_rng(0), 0
    for trial in range(40):
        rows, fields = int(rng.integers(1, 40)), {}
        for i in range(int(rng.integers(1, 5))):
            shape = (rows, *rng.integers(1, 4, size=int(rng.integers(0, 4))))
            kind = rng.choice(["uint8", "int16", "int32", "int64", "float32", "bool"])
            fields[f"f{i}"] = rng.integers(0, 100 if kind != "bool" else 2, size=shape).astype(kind)
        split = int(rng.integers(1, len(fields) + 1))
        names = list(fields)
        targets = {n: fields[n] for n in names[split:]}
        data = situ.data.Dataset({n: fields[n] for n in names[:split]}, targets or None, dtype=None)
        assert data.names == tuple(names) and len(data) == rows
        for resident in (False, True):
            batch, shuffle = int(rng.integers(1, rows + 1)), bool(rng.integers(2))
            got = arrays_of(situ.data.Loader(data, batch=batch, shuffle=shuffle, key=trial, resident=resident, workers=int(rng.integers(1, 4))))
            order = np.asarray(situ.random.permutation(situ.random.fold_in(situ.random.key(trial), 0), rows, layout="original")) if shuffle else np.arange(rows)
            for n, g in zip(names, got):
                assert g.shape == fields[n].shape and np.array_equal(g, fields[n][order]), (trial, n)
                cases += 1
        again = pickle.loads(pickle.dumps(data))
        assert all(np.array_equal(np.asarray(again.arrays[n]), fields[n]) for n in names)
    print(f"     {cases} fields agree")


def test_ragged_rows_and_windows_are_those_of_numpy():
    rng = np.random.default_rng(1)
    for trial in range(20):
        lengths = rng.integers(0, 9, size=int(rng.integers(1, 20)))
        rows = [rng.normal(size=(n, 2)).astype(np.float32) for n in lengths]
        data = situ.data.ragged_dataset(situ.asarray(np.concatenate(rows)), situ.asarray(lengths), [situ.asarray(np.arange(len(rows)))], fill=-1)
        for x, l, y in situ.data.Loader(data, batch=4, multiple=3, shuffle=True, buckets=bool(trial % 2)):
            x, l, y = (np.asarray(t) for t in (x, l, y))
            assert x.shape[1] == -(-l.max() // 3) * 3
            for a, n, i in zip(x, l, y):
                assert n == lengths[i] and np.array_equal(a[:n], rows[i]) and (a[n:] == -1).all()
        length, stride, n = int(rng.integers(1, 6)), int(rng.integers(1, 6)), int(rng.integers(7, 40))
        x, y = arrays_of(situ.data.Loader(situ.data.window_dataset(situ.asarray(np.arange(n)), length, stride=stride)))
        views = np.lib.stride_tricks.sliding_window_view(np.arange(n), length + 1)[::stride]
        assert np.array_equal(x, views[:, :-1]) and np.array_equal(y, views[:, 1:])


def test_files_of_numpy_and_csv():
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "a.npz")
        arrays = {"x": np.random.default_rng(0).normal(size=(7, 3)), "n": np.asfortranarray(np.arange(14, dtype=">i4").reshape(7, 2)), "y": np.arange(7) % 3}
        for save in (np.savez, np.savez_compressed):
            save(path, **arrays)
            data = situ.data.numpy(path, inputs="x,n", targets="y")
            got = {name: np.asarray(a) for name, a in data.arrays.items()}
            assert data.classes == 3 and got["x"].dtype == np.float32 and np.array_equal(got["x"], arrays["x"].astype(np.float32))
            assert np.array_equal(got["n"], arrays["n"]) and np.array_equal(got["y"], arrays["y"])
        raises(situ.Error, lambda: situ.data.numpy(path, inputs="z"), "z")
        table = pathlib.Path(folder) / "t.csv"
        table.write_text("a,b,c\n1,2,x\n3,4,y\n")
        data = situ.data.csv(str(table))
        assert data.classes == 2 and np.asarray(data.features).tolist() == [[1, 2], [3, 4]] and data.labels.tolist() == [0, 1]


def test_k_folds_hold_out_each_row_once():
    data = situ.data.Dataset(np.arange(23, dtype=np.float32)[:, None], np.arange(23) % 2)
    held = np.concatenate([np.asarray(b.features)[:, 0] for _, b in data.folds(5, stratified=True)])
    assert sorted(held.tolist()) == list(range(23))


def test_a_regression_by_a_loss_is_that_of_a_loop():
    x, y = line()
    data = situ.data.Dataset(x, y)
    net, other = (situ.nn.Sequential(situ.nn.Linear(1)) for _ in range(2))
    trainer = situ.train.Trainer(max_epochs=3, batch=50, loss=situ.nn.mse)
    trainer.fit(net, situ.optim.SGD(net, lr=0.1), data, data)
    opt, loader = situ.optim.SGD(other, lr=0.1), situ.data.Loader(data, batch=50, shuffle=True)
    for _ in range(3):
        for a, b in loader:
            opt.step(situ.nn.mse(other(a), b))
    assert np.array_equal(np.asarray(net.parameters()["0.weight"]), np.asarray(other.parameters()["0.weight"]))
    error = np.mean((np.asarray(net(situ.asarray(x))) - y) ** 2)
    assert abs(trainer.validation_loss - error) <= 1e-6 + 1e-4 * error and trainer.ended == "epochs" and trainer.steps == 24
    assert set(trainer.measure(net, data)) == {"loss"} and abs(sum(trainer.rates[k] for k in ("waited", "copied", "computed")) - 1) < 1e-9


def test_a_step_logs_and_callbacks_stop():
    x, y = line()
    data, seen = situ.data.Dataset(x, y), []
    net = situ.nn.Sequential(situ.nn.Linear(1))

    def step(net, batch):
        a, b = batch
        error = net(a) - b
        return situ.mean(error * error), {"mae": situ.mean(situ.abs(error))}

    trainer = situ.train.Trainer(max_epochs=5, batch=100, step=step, on_epoch=lambda t: seen.append(t.values["validation mae"]) or len(seen) == 3)
    trainer.fit(net, situ.optim.SGD(net, lr=0.1), data, data)
    assert len(seen) == 3 and seen[2] < seen[0] and trainer.ended == "stopped" and trainer.epochs == 3
    assert sorted(trainer.board.data) == ["train loss", "train mae", "validation loss", "validation mae"]
    trainer = situ.train.Trainer(max_epochs=5, batch=100, step=step, on_step=lambda t: t.steps == 7)
    trainer.fit(net, situ.optim.SGD(net, lr=0.1), data)
    assert trainer.steps == 7 and trainer.epochs == 1


class Own(situ.nn.Module):
    def __init__(self):
        self.fc = situ.nn.Linear(10)

    def forward(self, x):
        return self.fc(situ.reshape(x, (x.shape[0], -1)))


def test_networks_with_a_forward_of_their_own_are_trained():
    train, held_out = situ.data.digits().split(0, stratified=True)
    net = Own()
    trainer = situ.train.Trainer(max_epochs=4).fit(net, situ.optim.Adam(net, lr=0.01), train, held_out)
    assert trainer.accuracy > 0.9 and trainer.evaluate(net, held_out) == trainer.accuracy


def test_early_stopping_gives_the_best_weights_back():
    data = situ.data.Dataset(*line(100))
    net, weights = situ.nn.Sequential(situ.nn.Linear(1)), []

    def step(net, batch):
        loss = situ.nn.mse(net(batch[0]), batch[1])
        return loss if batch.training else loss * 0 + abs(trainer.epochs - 3)

    trainer = situ.train.Trainer(max_epochs=50, step=step, patience=2, keep_best=True, on_epoch=lambda t: weights.append(np.asarray(net.parameters()["0.weight"]).copy()) and None)
    trainer.fit(net, situ.optim.SGD(net, lr=0.01), data, data)
    assert trainer.ended == "patience" and trainer.best_epoch == 3 and trainer.epochs == 5
    assert np.array_equal(np.asarray(net.parameters()["0.weight"]), weights[2])


def test_the_best_weights_come_back_whatever_ends_the_training():
    """Reported of others: only where patience ended it. keras-team/keras#12511"""
    data, held_out = situ.data.Dataset(*line(200)), situ.data.Dataset(*line(100, 1))
    for end in ({}, {"on_epoch": lambda t: t.epochs == 4}, {"patience": 3}):
        net, kept = situ.nn.Sequential(situ.nn.Linear(1)), {}
        values = [3.0, 1.0, 2.0, 2.5, 4.0, 5.0]  # the second epoch is the best one

        def step(net, batch):
            loss = situ.nn.mse(net(batch[0]), batch[1])
            if not batch.training:
                kept[trainer.epochs] = np.asarray(net.parameters()["0.weight"]).copy()
            return loss, {"told": values[trainer.epochs - 1] if not batch.training else 0.0}

        trainer = situ.train.Trainer(max_epochs=6, batch=50, step=step, keep_best=True, monitor="validation told", **end)
        trainer.fit(net, situ.optim.SGD(net, lr=0.05), data, held_out)
        assert trainer.best_epoch == 2 and trainer.epochs == (6 if not end else 4 if "on_epoch" in end else 5), (end, trainer.epochs)
        assert np.array_equal(np.asarray(net.parameters()["0.weight"]), kept[2]) and not np.array_equal(kept[2], kept[3])


def test_means_count_rows_and_not_batches():
    """Reported of others: a short last batch counts as a whole one. Lightning-AI/pytorch-lightning#2924, dnouri/nolearn#247"""
    rng = np.random.default_rng(0)
    for rows, batch in ((100, 64), (65, 64), (1003, 100), (7, 3)):
        x = rng.normal(size=(rows, 1)).astype(np.float32)
        data = situ.data.Dataset(x, x)
        net = situ.nn.Sequential(situ.nn.Linear(1))
        step = lambda n, b: (situ.mean(situ.square(b[1])) + 0 * situ.mean(n(b[0])), {"value": situ.mean(b[1])})
        trainer = situ.train.Trainer(max_epochs=1, batch=batch, step=step).fit(net, situ.optim.SGD(net, lr=0.0), data, data)
        for name, want in (("loss", (x.astype(float) ** 2).mean()), ("value", x.astype(float).mean())):
            assert abs(trainer.values[name] - want) < 1e-5 and abs(trainer.values[f"validation {name}"] - want) < 1e-5, (rows, batch, name)


def test_wrong_steps_are_told():
    data = situ.data.Dataset(*line(64))
    net = situ.nn.Sequential(situ.nn.Linear(1))
    fit = lambda **options: situ.train.Trainer(max_epochs=1, **options).fit(net, situ.optim.SGD(net), data)
    raises(TypeError, lambda: fit(step=3), "step is a function")
    raises(ValueError, lambda: fit(step=lambda n, b: n(b[0])), "2 dimensions")
    raises(TypeError, lambda: fit(step=lambda n, b: (situ.mean(n(b[0])), {"a": "x"})), "scalar")
    raises(ZeroDivisionError, lambda: fit(step=lambda n, b: 1 / 0))
    raises(TypeError, lambda: fit(), "no labels")
    raises(ValueError, lambda: fit(step=lambda n, b: situ.asarray(1.0)), "depends on no parameter")
    raises(ArithmeticError, lambda: fit(step=lambda n, b: situ.mean(n(b[0])) * float("nan")), "NaN")
    raises(TypeError, lambda: situ.train.Trainer().fit(net, None, data), "optimizer")
    net = situ.nn.Sequential(situ.nn.Linear(1))  # the weights of the other one are NaN now
    fit(loss=situ.nn.mse)  # nothing is left open


def test_many_steps_take_no_more_memory():
    data = situ.data.Dataset(*line(64))
    net = situ.nn.Sequential(situ.nn.Linear(1))
    opt = situ.optim.SGD(net, lr=1e-3)
    run = lambda epochs: situ.train.Trainer(max_epochs=epochs, batch=1, step=lambda n, b: situ.nn.mse(n(b[0]), b[1])).fit(net, opt, data)
    more = grown(lambda: run(150), lambda: run(30))
    assert more < 8000, more


if __name__ == "__main__":
    run(globals())
