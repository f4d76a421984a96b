"""Metrics against NumPy over random batches, on every device that is there; wrong use."""

import numpy as np

import situ
from support import grown, raises, run
from test_losses import devices

M = situ.metrics


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def batches(rng, k):
    for _ in range(int(rng.integers(1, 5))):
        n = int(rng.integers(1, 40))
        scores = rng.normal(size=(n, k)).round(1)  # with ties
        yield scores.astype(np.float32), rng.integers(0, k, n)


def confusion(scores, labels, k):
    out = np.zeros((k, k))
    np.add.at(out, (labels, scores.argmax(-1)), 1)
    return out


def by_class(c):
    right, said, of = np.diag(c), c.sum(0), c.sum(1)
    share = lambda a, b: np.where(b == 0, 0, a / np.where(b == 0, 1, b))
    return {"Precision": share(right, said), "Recall": share(right, of), "F1": share(2 * right, said + of)}, of


def auc(p, y):
    yes, no = p[y == 1], p[y == 0]
    return ((yes[:, None] > no).sum() + (yes[:, None] == no).sum() / 2) / (len(yes) * len(no))


def of_classes(rng, k):
    """(metric, batches, value, result) of those that count scores and labels."""
    data = list(batches(rng, k))
    scores, labels = (np.concatenate(v) for v in zip(*data))
    position = np.argsort(-scores, -1, kind="stable")
    rank = (position == labels[:, None]).argmax(-1)
    for top in range(1, k + 1):
        yield M.Accuracy(k=top), data, (rank < top).mean(), None
    c = confusion(scores, labels, k)
    yield M.ConfusionMatrix(k), data, c.sum(), c
    classes, of = by_class(c)
    for name, each in classes.items():
        for average, want in (("macro", each.mean()), ("micro", np.diag(c).sum() / c.sum()), ("weighted", (each * of).sum() / of.sum()), ("binary", each[1])):
            yield getattr(M, name)(k, average=average), data, want, each
    yield M.Perplexity(), data, np.exp(-np.log(np.take_along_axis(softmax(scores.astype(float)), labels[:, None], -1)).mean()), None


def of_numbers(rng):
    shape = (int(rng.integers(2, 30)), int(rng.integers(1, 4)))
    data = [tuple((rng.normal(size=shape) + 1000).astype(np.float32) for _ in range(2)) for _ in range(int(rng.integers(1, 5)))]
    x, y = (np.concatenate(v).astype(float) for v in zip(*data))
    yield M.MAE(), data, np.abs(x - y).mean(), None
    yield M.MSE(), data, ((x - y) ** 2).mean(), None
    yield M.R2(), data, 1 - ((x - y) ** 2).sum() / ((y - y.mean()) ** 2).sum(), None
    yield M.Mean(), [(a, None) for a, _ in data], x.mean(), None
    p = [rng.integers(0, 21, 50).astype(np.float32) / 20 for _ in range(3)]  # with ties, 0 and 1
    t = [(rng.random(50) < v).astype(np.int64) for v in p]
    yield M.AUC(), list(zip(p, t)), auc(np.concatenate(p), np.concatenate(t)), None


def test_metrics_are_those_of_numpy():
    count, wrong = 0, []
    for device in devices():
        for seed in range(6):
            rng = np.random.default_rng(seed)
            for metric, data, value, result in [*of_classes(rng, int(rng.integers(2, 6))), *of_numbers(rng)]:
                on = lambda a: None if a is None else situ.asarray(a, device=device)
                for x, y in data:
                    metric.update(on(x), on(y))
                count += 1
                if not np.isclose(float(metric), value, rtol=1e-6) or (result is not None and not np.allclose(np.asarray(metric.result()), result)):
                    wrong.append(f"{type(metric).__name__} seed {seed} on {device}: {float(metric)}, not {value}")
                metric.reset()
                assert np.isnan(float(metric))
    print(f"     {count - len(wrong)} of {count} agree on {', '.join(map(str, devices()))}")
    assert not wrong, f"{len(wrong)} of {count}: " + " | ".join(wrong[:5])


def test_wrong_use_of_metrics():
    x, y = situ.zeros((3, 4)), situ.asarray([0, 1, 2])
    raises(IndexError, lambda: float(M.Accuracy().update(x, situ.asarray([0, 4, 1]))), "label 4 in row 1")
    raises(IndexError, lambda: float(M.ConfusionMatrix(4).update(x, situ.asarray([0, 1, -1]))), "label -1 in row 2")
    raises(ValueError, lambda: M.ConfusionMatrix(5).update(x, y), "4 scores", "5 classes")
    raises(ValueError, lambda: M.Accuracy(k=5).update(x, y), "5 largest of 4")
    raises(ValueError, lambda: M.Accuracy(k=0), "k = 0")
    raises(ValueError, lambda: M.F1(1, average="binary"), "classes = 1")
    raises(TypeError, lambda: M.Accuracy().update(x, x), "labels")
    raises(ValueError, lambda: M.MAE().update(x, situ.zeros((4, 3))), "different shapes")
    raises(ValueError, lambda: M.MAE().update(x), "target")
    raises(ValueError, lambda: M.Mean().update(x, x), "one tensor")
    raises(ValueError, lambda: M.Accuracy().result(), "nothing was counted")
    raises(IndexError, lambda: float(M.AUC().update(situ.asarray([0.5, 1.5]), situ.asarray([0, 1]))))
    assert np.isnan(float(M.AUC().update(situ.asarray([0.5, 0.2]), situ.asarray([1, 1]))))  # one class


def test_counting_keeps_memory_flat_and_reads_nothing():
    x, y, metric = situ.zeros((8, 4)), situ.arange(8) % 4, M.Accuracy()

    def work(n):
        with situ.guard(to_host=0):
            for _ in range(n):
                metric.update(x, y)

    assert grown(lambda: work(10000), lambda: work(500)) < 2000
    assert float(metric) == 0.25


if __name__ == "__main__":
    run(globals())
