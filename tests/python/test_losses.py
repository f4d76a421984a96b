"""Losses against PyTorch over random sizes and options: values, gradients and gradients of gradients, on every device that is
there. The cases are those that `test_losses.py --write` has stored in tests/reference/losses.json; tests/interop/beside.py makes new
ones."""
import json
import os
import pathlib
import sys

import numpy as np

import situ
from support import raises, run

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None

STORED = pathlib.Path(__file__).parent.parent / "reference" / "losses.json"


def devices():
    if not situ.num_gpus():
        situ.sim_gpus(1)
    there = [situ.cpu(), situ.gpu(0)]
    if not os.environ.get("LOSSES_OPENCL"):  # its compiler takes seconds for each case
        return there
    try:
        situ.ones((1,), device=situ.opencl(0)).tolist()
        there.append(situ.opencl(0))
    except Exception:
        pass
    return there


# ---- cases: arrays, of which the first `wrt` have gradients, and options -------------------------------------------------------------

def shape_of(rng, least=1):
    return tuple(int(n) for n in rng.integers(1, 6, rng.integers(least, 4)))


def some(rng, *choices):
    return choices[int(rng.integers(len(choices)))]


def reduction(rng):
    return {"reduction": some(rng, "mean", "sum", "none")}


def pair(rng, low=-2.0, high=2.0):
    shape = shape_of(rng)
    return [rng.uniform(low, high, shape), rng.uniform(low, high, shape)]


def probabilities(rng, shape):
    x = np.exp(rng.normal(size=shape))
    return x / x.sum(-1, keepdims=True)


def classes(rng, of_log=False):
    shape, k = shape_of(rng), int(rng.integers(2, 7))
    x = rng.normal(size=(*shape, k))
    labels, how = rng.integers(0, k, shape), reduction(rng)
    if rng.random() < 0.5:
        how["weights"] = rng.uniform(0.1, 2, k).tolist()
    if rng.random() < 0.4:
        how["ignored"] = -100
        labels = np.where(rng.random(shape) < 0.3, -100, labels)
        labels.flat[0] = 0
    if rng.random() < 0.4:
        how["axis"] = 0 if len(shape) == 1 and rng.random() < 0.5 else 1 if len(shape) > 1 else -1
        x = np.moveaxis(x, -1, how["axis"])
    return [x, labels], how


def cross_entropy(rng):
    (x, labels), how = classes(rng)
    if rng.random() < 0.5:
        how["smoothing"] = round(float(rng.uniform(0, 0.9)), 3)
    if rng.random() < 0.3:
        how.pop("ignored", None)
        axis = how.get("axis", -1)
        labels = np.moveaxis(probabilities(rng, np.moveaxis(x, axis, -1).shape), -1, axis)
        return [x, labels], how, 2
    return [x, labels], how, 1


def binary(rng, logits):
    shape = shape_of(rng)
    p = rng.normal(size=shape) * 3 if logits else rng.uniform(0.02, 0.98, shape)
    target = rng.integers(0, 2, shape).astype(float) if rng.random() < 0.5 else rng.random(shape)
    how = reduction(rng)
    if rng.random() < 0.5:
        how["weights"] = rng.uniform(0.1, 2, shape[-1]).tolist()
    if logits and rng.random() < 0.5:
        how["pos_weights"] = rng.uniform(0.1, 3, shape[-1]).tolist()
    return [p, target], how, 2 if logits else 1


def signs(rng, shape):
    return rng.choice([-1.0, 1.0], shape)


def hinges(rng):
    x = pair(rng)[0]
    return [x, signs(rng, x.shape)], reduction(rng), 1


def margin(rng, case, low, high):
    case[1]["margin"] = round(float(rng.uniform(low, high)), 3)
    return case


def rows(rng, count):
    shape = shape_of(rng, 2)[:2]
    return [rng.normal(size=shape) for _ in range(count)]


def cosines(rng):
    a, b = rows(rng, 2)
    return [a, b, signs(rng, a.shape[0])], reduction(rng), 2


def ranking(rng):
    a, b = pair(rng)
    return [a, b, signs(rng, a.shape)], reduction(rng), 2


def triplets(rng):
    how = {**reduction(rng), "margin": round(float(rng.uniform(0.1, 3)), 3), "ord": some(rng, 1.5, 2.0, 3.0), "swap": bool(rng.random() < 0.5)}
    return rows(rng, 3), how, 3


def kl(rng):
    shape, log_target = shape_of(rng), bool(rng.random() < 0.5)
    x, y = np.log(probabilities(rng, shape)), probabilities(rng, shape)
    return [x, np.log(y) if log_target else y], {**reduction(rng), "log_target": log_target}, 2


def with_option(case, name, low, high):
    return lambda rng: (case(rng), {**reduction(rng), name: round(float(rng.uniform(low, high)), 3)}, 2)


MAKE = {
    "cross_entropy": cross_entropy, "nll_loss": lambda rng: (*classes(rng), 1), "binary_cross_entropy": lambda rng: binary(rng, False),
    "binary_cross_entropy_with_logits": lambda rng: binary(rng, True), "mse": lambda rng: (pair(rng), reduction(rng), 2),
    "l1_loss": lambda rng: (pair(rng), reduction(rng), 2), "smooth_l1_loss": with_option(pair, "beta", 0, 2),
    "huber_loss": with_option(pair, "delta", 0.1, 2), "kl_div": kl, "hinge_loss": hinges,
    "hinge_embedding_loss": lambda rng: margin(rng, hinges(rng), 0.2, 2), "cosine_embedding_loss": lambda rng: margin(rng, cosines(rng), -0.5, 0.5),
    "margin_ranking_loss": lambda rng: margin(rng, ranking(rng), 0, 1), "triplet_margin_loss": triplets,
}


def cases(name, count):
    for seed in range(count):
        arrays, how, wrt = MAKE[name](np.random.default_rng([seed, sum(map(ord, name))]))
        yield {"loss": name, "seed": seed, "arrays": arrays, "how": how, "wrt": wrt}


# ---- PyTorch's side ------------------------------------------------------------------------------------------------------------------

def torch_loss(name, t, how):
    """The loss as PyTorch has it, with the names of our options."""
    how = dict(how)
    for ours, theirs in (("weights", "weight"), ("pos_weights", "pos_weight")):
        if ours in how:
            how[theirs] = torch.tensor(how.pop(ours), dtype=torch.float64)
    if name in ("cross_entropy", "nll_loss"):
        axis = how.pop("axis", -1)
        t = [torch.moveaxis(x, axis, min(1, x.ndim - 1)).contiguous() if x.is_floating_point() else x for x in t]
        if "smoothing" in how:
            how["label_smoothing"] = how.pop("smoothing")
        if "ignored" in how:
            how["ignore_index"] = how.pop("ignored")
    if name == "hinge_loss":
        each = torch.relu(1 - t[0] * t[1])
        return {"mean": each.mean, "sum": each.sum, "none": lambda: each}[how["reduction"]]()
    if name == "triplet_margin_loss":
        how["p"] = how.pop("ord")
    return getattr(F, {"mse": "mse_loss"}.get(name, name))(*t, **how)


def torch_results(case):
    """Value, gradients of its sum, and gradients of the sum of squares of those."""
    t = [torch.tensor(a, requires_grad=i < case["wrt"]) for i, a in enumerate(case["arrays"])]
    wrt = t[:case["wrt"]]
    value = torch_loss(case["loss"], t, case["how"])
    first = torch.autograd.grad(value.sum(), wrt, create_graph=True)
    total = sum((g**2).sum() for g in first)
    second = torch.autograd.grad(total, wrt, allow_unused=True) if total.requires_grad else [None] * len(wrt)
    second = [torch.zeros_like(w) if s is None else s for s, w in zip(second, wrt)]
    return [v.detach().numpy(force=True) for v in (value, *first, *second)]


# ---- our side ------------------------------------------------------------------------------------------------------------------------

def results(case, device, dtype):
    arrays = [np.asarray(a) for a in case["arrays"]]
    x = [situ.asarray(a.astype(dtype) if a.dtype.kind == "f" else a, device=device) for a in arrays]
    how = {k: situ.asarray(np.array(v, dtype), device=device) if k.endswith("weights") else v for k, v in case["how"].items()}
    wrt = tuple(range(case["wrt"]))
    loss = lambda *t: getattr(situ.nn, case["loss"])(*t, **how)
    first = situ.grad(lambda *t: situ.sum(loss(*t)), wrt)
    second = situ.grad(lambda *t: sum(situ.sum(g**2) for g in first(*t)), wrt)
    return [np.asarray(v) for v in (loss(*x), *first(*x), *second(*x))]


def unlike(case, want, device, dtype):
    """What differs, or None."""
    rtol = 1e-9 if dtype == np.float64 else 2e-4
    for what, a, b in zip(["value"] + ["gradient"] * case["wrt"] + ["second gradient"] * case["wrt"], results(case, device, dtype), want):
        b = np.asarray(b, float)
        if a.shape != b.shape or not np.allclose(a, b, rtol=rtol, atol=rtol * max(1.0, np.abs(b).max(initial=0)), equal_nan=True):
            return f"{case['loss']} seed {case['seed']} {case['how']} on {device}: {what} {a.ravel()[:3]}, not {b.ravel()[:3]}"
    return None


def judge(made):
    wrong, count = [], 0
    for device in devices():
        for dtype in (np.float64, np.float32):
            for case, want in made:
                count += 1
                difference = unlike(case, want, device, dtype)
                if difference:
                    wrong.append(difference)
    print(f"     {count - len(wrong)} of {count} agree on {', '.join(map(str, devices()))}")
    assert not wrong, f"{len(wrong)} of {count}: " + " | ".join(wrong[:6])


def test_losses_as_pytorch_stored_them():
    stored = json.loads(STORED.read_text())
    judge([({**case, "arrays": [np.array(a) for a in case["arrays"]]}, case["want"]) for case in stored["cases"]])


def ctc(seed):
    """A case of situ.nn.ctc_loss and PyTorch's value and gradient by logits."""
    rng = np.random.default_rng(seed)
    n, steps, k, most = (int(v) for v in rng.integers((1, 2, 2, 1), (4, 12, 6, 5)))
    logits, blank = rng.normal(size=(n, steps, k)), int(rng.integers(0, k))
    labels = rng.choice([c for c in range(k) if c != blank], (n, most))
    how = {"blank": blank, "zero_infinity": bool(rng.random() < 0.7), **reduction(rng)}
    lengths = {"input_lengths": rng.integers(1, steps + 1, n), "target_lengths": rng.integers(0, most + 1, n)}
    if rng.random() < 0.3:
        lengths = {"input_lengths": np.full(n, steps), "target_lengths": np.full(n, most)}
    x = torch.tensor(logits, requires_grad=True)
    value = F.ctc_loss(F.log_softmax(x, -1).transpose(0, 1), torch.tensor(labels), *(torch.tensor(v) for v in lengths.values()), **how)
    finite = bool(torch.isfinite(value).all())
    return logits, labels, lengths, how, value.detach().numpy(), torch.autograd.grad(value.sum(), x)[0].numpy() if finite else None


def ctc_unlike(case, device, dtype):
    """What differs, or None."""
    logits, labels, lengths, how, value, gradient = case
    rtol = 1e-8 if dtype == np.float64 else 1e-3
    on = lambda a: situ.asarray(a, device=device)
    loss = lambda x: situ.nn.ctc_loss(situ.nn.log_softmax(x), on(labels), **{k: on(v) for k, v in lengths.items()}, **how)
    x = on(logits.astype(dtype))
    same = np.allclose(np.asarray(loss(x)), value, rtol=rtol)
    if same and gradient is not None:
        same = np.allclose(np.asarray(situ.grad(lambda x: situ.sum(loss(x)))(x)), gradient, rtol=rtol, atol=rtol)
    return None if same else f"{how} {lengths} on {device} in {dtype.__name__}"


def test_ctc_of_two_steps_by_hand():
    """p(label 1) = all ways of two steps: 11, 01, 10; of a row of one step: 1; too short for two labels: never."""
    p = situ.asarray([[[0.4, 0.6], [0.7, 0.3]]] * 2)
    one = situ.nn.ctc_loss(situ.log(p), situ.asarray([[1], [1]]), input_lengths=situ.asarray([2, 1]), reduction="none")
    np.testing.assert_allclose(np.asarray(one), -np.log([0.6 * 0.3 + 0.4 * 0.3 + 0.6 * 0.7, 0.6]), rtol=1e-6)
    never = situ.nn.ctc_loss(situ.log(p), situ.asarray([[1, 1], [1, 1]]), reduction="none")
    assert never.tolist() == [np.inf, np.inf]
    value, gradient = situ.value_and_grad(lambda x: situ.nn.ctc_loss(x, situ.asarray([[1, 1], [1, 0]]), zero_infinity=True,
                                                                     target_lengths=situ.asarray([2, 1])))(situ.log(p))
    assert np.isfinite(float(value)) and not np.asarray(gradient)[0].any() and np.asarray(gradient)[1].any()
    x, y = situ.log(p), situ.asarray([[1], [1]])
    raises(IndexError, lambda: situ.nn.ctc_loss(x, situ.asarray([[1], [2]])).tolist(), "label 2 at [1, 0]", "2 scores")
    raises(ValueError, lambda: situ.nn.ctc_loss(x, situ.asarray([1, 1])), "[N, steps, classes]")
    raises(ValueError, lambda: situ.nn.ctc_loss(x, y, input_lengths=situ.asarray([2])), "input_lengths", "2 rows")
    raises(ValueError, lambda: situ.nn.ctc_loss(x, y, blank=2), "blank = 2", "2 classes")
    raises(TypeError, lambda: situ.nn.ctc_loss(x, situ.astype(y, "float32")), "labels integers")


def test_a_loss_does_not_broadcast_silently():
    x, y = situ.ones((4, 1)), situ.ones((4,))
    for name in ("mse", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "binary_cross_entropy", "binary_cross_entropy_with_logits", "hinge_loss",
                 "hinge_embedding_loss"):
        raises(ValueError, lambda: getattr(situ.nn, name)(x, y), name, "different shapes", ".shape) if")
    raises(ValueError, lambda: situ.nn.triplet_margin_loss(x, x, y), "negative", "different shapes")
    raises(ValueError, lambda: situ.nn.cosine_embedding_loss(x, x, x), "different shapes")
    raises(ValueError, lambda: situ.nn.margin_ranking_loss(y, y, x), "different shapes")


def test_labels_and_options_out_of_range_are_errors():
    x, y = situ.zeros((3, 4)), situ.asarray([0, 3, 1])
    raises(IndexError, lambda: situ.nn.cross_entropy(x, situ.asarray([0, 4, 1])).tolist(), "label 4 in row 1", "4 scores")
    raises(IndexError, lambda: situ.nn.nll_loss(x, situ.asarray([0, 1, -1]), weights=situ.ones((4,))).tolist(), "label -1 in row 2")
    raises(IndexError, lambda: situ.nn.cross_entropy(x, situ.asarray([0, -5, -1]), ignored=-1).tolist(), "label -5 in row 1")
    raises(ValueError, lambda: situ.nn.cross_entropy(x, y, weights=situ.ones((3,))), "weights", "each of the 4 classes")
    raises(TypeError, lambda: situ.nn.cross_entropy(x, y, ignored=1.5), "one integer")
    raises(ValueError, lambda: situ.nn.cross_entropy(x, y, smoothing=1.5), "smoothing = 1.5", "from 0 to 1")
    raises(ValueError, lambda: situ.nn.cross_entropy(x, y, axis=2), "axis")
    raises(TypeError, lambda: situ.nn.cross_entropy(x, situ.asarray([0.0, 1.0, 2.0])), "labels are a tensor of integers")
    raises(ValueError, lambda: situ.nn.cross_entropy(x, x, ignored=1), "probabilities")
    raises(ValueError, lambda: situ.nn.cross_entropy(x, situ.zeros((3, 5))), "probabilities f32[3,5] are not in the shape of logits")
    raises(ValueError, lambda: situ.nn.mse(x, x, reduction="average"), "average")
    raises(ValueError, lambda: situ.nn.huber_loss(x, x, delta=0), "delta = 0", "above 0")
    raises(ValueError, lambda: situ.nn.smooth_l1_loss(x, x, beta=-1), "beta = -1")
    raises(ValueError, lambda: situ.nn.triplet_margin_loss(x, x, x, margin=0), "margin = 0")
    raises(ValueError, lambda: situ.nn.cosine_embedding_loss(x, x, situ.ones((3,)), margin=2), "margin = 2")
    raises(TypeError, lambda: situ.nn.l1_loss(situ.astype(x, "complex64"), x), "complex")


def test_losses_at_the_edges_are_finite():
    """Logits of 1e30, probabilities of 0 and 1, rows that do not count, equal points: values and gradients without NaN."""
    big, y = situ.asarray([[1e30, -1e30], [-1e30, 1e30]]), situ.asarray([[1.0, 0.0], [0.0, 1.0]])
    assert float(situ.nn.binary_cross_entropy_with_logits(big, y)) == 0
    p = situ.asarray([0.0, 1.0, 0.0, 1.0])
    t = situ.asarray([0.0, 1.0, 1.0, 0.0])
    assert situ.nn.binary_cross_entropy(p, t, reduction="none").tolist() == [0, 0, 100, 100]
    same = situ.ones((2, 3))
    masked = situ.asarray([[0.0, -np.inf, 1.0], [2.0, 0.0, -np.inf]])
    share = situ.asarray([[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]])
    for loss, x in [(lambda p: situ.nn.binary_cross_entropy(p, t), p), (lambda x: situ.nn.triplet_margin_loss(x, same, same, eps=0), same),
                    (lambda x: situ.nn.cosine_embedding_loss(x, same, situ.ones((2,))), situ.zeros((2, 3))),
                    (lambda x: situ.nn.cross_entropy(x, share), masked), (lambda q: situ.nn.kl_div(situ.zeros((3,)), q), situ.asarray([0.0, 0.5, 0.5])),
                    (lambda x: situ.nn.cross_entropy(x, situ.asarray([-1, 0]), ignored=-1), masked)]:
        value, gradient = situ.value_and_grad(loss)(x)
        assert np.isfinite(float(value)) and np.isfinite(np.asarray(gradient)).all(), (value, gradient)
    assert np.isnan(float(situ.nn.cross_entropy(same, situ.asarray([7, 7]), ignored=7)))  # the mean of nothing


def write():
    """Stores the first cases of each loss with PyTorch's results."""
    number = lambda a: [number(v) for v in a] if np.ndim(a) else int(a) if np.asarray(a).dtype.kind == "i" else float(f"{float(a):.13g}")
    lines = []
    for name in MAKE:
        for case in cases(name, 3):
            case["arrays"] = [np.asarray(number(a), a.dtype) for a in case["arrays"]]
            want = [number(v) for v in torch_results(case)]
            lines.append(json.dumps({**case, "arrays": [number(a) for a in case["arrays"]], "want": want}))
    STORED.write_text(f'{{"torch": "{torch.__version__}", "cases": [\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    write() if "--write" in sys.argv else run(globals())
