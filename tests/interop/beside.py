#!/usr/bin/env python3
"""Layers, functions, losses, optimizers, schedules and metrics beside PyTorch's, optax's and scikit-learn's, over random sizes and
options: values, gradients, gradients of gradients, five steps of optimizers. On the CPU and a simulated GPU in f64 and f32, and for
one case in ten on OpenCL's first device, whose compiler takes seconds.

    tests/interop/beside.py [CASES [WORDS [opencl]]]    # CASES of each kind (default 20) whose name has one of WORDS (layer,loss adam)

With "opencl" all cases are on that device alone.
Prints for each kind how many cases there were and how many agree, and the sums."""
import os
import pathlib
import sys

os.environ.setdefault("SITU_SIM_GPUS", "2")
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python")]

import jax  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402
import sklearn.metrics as S  # noqa: E402
import torch  # noqa: E402

import functions  # noqa: E402
import test_layers as layers  # noqa: E402
import test_losses as losses  # noqa: E402
import test_optimizers as optimizers  # noqa: E402
import situ  # noqa: E402
import torch_layers  # noqa: E402

jax.config.update("jax_enable_x64", True)
NEAR = [situ.cpu(), situ.gpu(0)]
FAR = functions.DEVICES[2:]  # OpenCL, if there is one
if sys.argv[3:] == ["opencl"]:
    NEAR, FAR, functions.DEVICES[:] = FAR, [], FAR
KINDS = {}  # by "group name": a function of a seed that gives (what, difference or None), ...


def places(seed):
    """Devices and dtypes of a case."""
    for dtype in (np.float64, np.float32):
        for device in NEAR:
            yield device, dtype
    for device in FAR * (seed % 10 == 0):
        yield device, np.float64 if seed % 20 else np.float32


def compared(make, unlike):
    """make(seed) gives a case; unlike(case, device, dtype) what differs."""
    def run(seed):
        case = make(seed)
        for device, dtype in places(seed):
            yield f"{device} {dtype.__name__}", lambda: unlike(case, device, dtype)
    return run


# ---- layers, functions, losses

for _name in torch_layers.KINDS:
    KINDS[f"layer {_name}"] = compared(lambda seed, name=_name: torch_layers.case_of(name, seed), layers.unlike)


def cached(seed):
    """One position after the other gives what all at once give: PyTorch has no cache."""
    rng = np.random.default_rng(seed)
    groups, each, half, batch, n = (int(v) for v in rng.integers(1, (3, 3, 3, 4, 6)))
    per, heads = 2 * half, groups * each
    layer = situ.nn.MultiheadAttention(heads * per, heads, kv_heads=groups, causal=True, rotary=float(rng.choice([0, 100])))
    for device in NEAR:
        def differs():
            x = situ.asarray(rng.normal(size=(batch, n, heads * per)).astype(np.float32), device=device)
            whole, rows, at, k = np.asarray(layer.to(device)(x)), [], 0, situ.zeros((batch, groups, n + 2, per), device=device)
            v = k
            while at < n:
                step = min(int(rng.integers(1, 3)), n - at)
                y, (k, v) = layer(x[:, at:at + step], k=k, v=v, at=situ.asarray(np.int32(at), device=device))
                rows.append(np.asarray(y))
                at += step
            return None if np.allclose(np.concatenate(rows, 1), whole, atol=1e-5) else "the rows are others"
        yield str(device), differs


KINDS["layer MultiheadAttention with a cache"] = cached
for _name in functions.CASES:
    KINDS[f"function {_name}"] = lambda seed, name=_name: [(str(seed * 4 + i), lambda i=i: functions.agree(name, seed * 4 + i)) for i in range(4)]


def loss_case(name, seed):
    case = list(losses.cases(name, seed + 1))[-1]
    return case, losses.torch_results(case)


for _name in losses.MAKE:
    KINDS[f"loss {_name}"] = compared(lambda seed, name=_name: loss_case(name, seed), lambda case, device, dtype: losses.unlike(*case, device, dtype))
KINDS["loss ctc_loss"] = compared(losses.ctc, lambda case, device, dtype: losses.ctc_unlike(case, device, dtype))

# ---- optimizers: five steps


def optax_steps(case):
    """The rules that torch.optim lacks, as optax has them."""
    values, (x, c) = optimizers.start(case["seed"])
    how = dict(case["how"])
    more = {"b1": how["beta1"], "b2": how["beta2"], "weight_decay": how.get("weight_decay", 0.0)}
    rule = getattr(optax, case["rule"].lower())(how["lr"], **more)
    loss = lambda p: ((p[0] @ x + p[1]) ** 2).sum() / 2 + (jax.numpy.sin(p[2]) * c).sum()
    p = [jax.numpy.asarray(v) for v in values]
    state = rule.init(p)
    for _ in range(optimizers.STEPS):
        step, state = rule.update(jax.grad(loss)(p), state, p)
        p = optax.apply_updates(p, step)
    return [np.asarray(v) for v in p]


def optimizer_case(name, seed):
    case = list(optimizers.cases(name, seed + 1))[-1]
    return case, (optax_steps if name in ("Lion", "Lamb") else optimizers.torch_steps)(case)


for _name in optimizers.RULES:
    KINDS[f"optimizer {_name}"] = compared(lambda seed, name=_name: optimizer_case(name, seed), lambda case, device, dtype: optimizers.unlike(*case, device, dtype))

# ---- schedules: the first 60 factors


def schedule(name):
    return lambda seed: [("", lambda: optimizers.schedule_differs(name, seed))]


for _name in optimizers.SCHEDULES:
    KINDS[f"schedule {_name}"] = schedule(_name)
KINDS["schedule plateau"] = lambda seed: [("", lambda: optimizers.plateau_differs(seed))]


# ---- metrics: batches of any sizes, which scikit-learn sees at once

def scores(rng):
    k = int(rng.integers(2, 6))
    sizes = rng.integers(1, 40, rng.integers(1, 5))
    x = [rng.normal(size=(n, k)) for n in sizes]
    return k, x, [rng.integers(0, k, n) for n in sizes]


def metric_of_classes(name, make, value, result=None):
    def run(seed):
        rng = np.random.default_rng([seed, sum(map(ord, name))])
        k, x, y = scores(rng)
        whole, labels, ours = np.concatenate(x), np.concatenate(y), make(k, rng)
        for device, dtype in places(seed):
            def differs():
                metric = ours()
                for a, b in zip(x, y):
                    metric.update(situ.asarray(a.astype(dtype), device=device), situ.asarray(b, device=device))
                want = value(k, whole, labels, metric.how)
                if not np.isclose(float(metric), want, rtol=1e-5, atol=1e-7):
                    return f"{float(metric)}, not {want}"
                if result is not None and not np.allclose(np.asarray(metric.result()), result(k, whole, labels), rtol=1e-6):
                    return f"{np.asarray(metric.result())}, not {result(k, whole, labels)}"
                return None
            yield f"{device} {dtype.__name__}", differs
    KINDS[f"metric {name}"] = run


def told(metric, how):
    metric.how = how
    return metric


def top(k, rng):
    n = int(rng.integers(1, k + 1))
    return lambda: told(situ.metrics.Accuracy(k=n), n)


def by_class(name):
    def make(k, rng):
        how = str(rng.choice(["macro", "micro", "weighted"]))
        return lambda: told(getattr(situ.metrics, name)(k, average=how), how)
    theirs = {"Precision": S.precision_score, "Recall": S.recall_score, "F1": S.f1_score}[name]
    score = lambda k, x, y, how: theirs(y, x.argmax(-1), labels=range(k), average=how, zero_division=0)
    metric_of_classes(name, make, score, lambda k, x, y: score(k, x, y, None))


metric_of_classes("Accuracy", top, lambda k, x, y, n: (np.argsort(-x, -1)[:, :n] == y[:, None]).any(-1).mean() if n == k or k == 2 and n > 1
                  else S.accuracy_score(y, x.argmax(-1)) if n == 1 else S.top_k_accuracy_score(y, x, k=n, labels=range(k)))
metric_of_classes("ConfusionMatrix", lambda k, rng: lambda: told(situ.metrics.ConfusionMatrix(k), None), lambda k, x, y, _: len(y),
                  lambda k, x, y: S.confusion_matrix(y, x.argmax(-1), labels=range(k)))
for _name in ("Precision", "Recall", "F1"):
    by_class(_name)
metric_of_classes("Perplexity", lambda k, rng: lambda: told(situ.metrics.Perplexity(), None),
                  lambda k, x, y, _: float(torch.exp(torch.nn.functional.cross_entropy(torch.tensor(x), torch.tensor(y)))))


def metric_of_numbers(name, value, classes=False):
    def run(seed):
        rng = np.random.default_rng([seed, sum(map(ord, name))])
        sizes = rng.integers(1, 40, rng.integers(1, 5)) + 1
        x = [rng.random(n) if classes else rng.normal(size=n) for n in sizes]
        y = [(np.arange(n) + rng.integers(0, 2, n)) % 2 if classes else rng.normal(size=n) for n in sizes]
        y[0][:2] = 0, 1  # both classes
        for device, dtype in places(seed):
            def differs():
                metric = getattr(situ.metrics, name)()
                for a, b in zip(x, y):
                    b = b if classes else b.astype(dtype)
                    metric.update(situ.asarray(a.astype(dtype), device=device), *[situ.asarray(b, device=device)] * (name != "Mean"))
                want = value(np.concatenate(y), np.concatenate(x))
                return None if np.isclose(float(metric), want, rtol=1e-5, atol=1e-6) else f"{float(metric)}, not {want}"
            yield f"{device} {dtype.__name__}", differs
    KINDS[f"metric {name}"] = run


metric_of_numbers("AUC", S.roc_auc_score, classes=True)
metric_of_numbers("MAE", S.mean_absolute_error)
metric_of_numbers("MSE", S.mean_squared_error)
metric_of_numbers("R2", S.r2_score)
metric_of_numbers("Mean", lambda y, x: x.mean())


# ---- all

def agree(name, seeds):
    """How many cases there were, and those that differ."""
    count, wrong = 0, []
    for seed in range(seeds):
        for what, differs in KINDS[name](seed):
            count += 1
            try:
                difference = differs()
            except situ.Error as e:
                difference = f"{type(e).__name__}: {e}"
            wrong += [f"seed {seed} {what}: {difference}"] if difference else []
    return count, wrong


def main():
    seeds, words = int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2].split(",") if len(sys.argv) > 2 else [""]
    sums = {}
    for name in KINDS:
        if not any(word in name for word in words):
            continue
        count, wrong = agree(name, seeds)
        group = sums.setdefault(name.split()[0], [0, 0, 0])
        for i, n in enumerate((1, count, count - len(wrong))):
            group[i] += n
        lines = "".join(f"\n    {line[:400]}" for line in wrong[:3])
        print(f"{'FAIL' if wrong else 'PASS'} beside: {name}: {count - len(wrong)} of {count} agree{lines}", flush=True)
    for group, (kinds, count, right) in sums.items():
        print(f"     {group}, {kinds} kinds: {right} of {count} cases agree")
    print(f"     all: {sum(s[2] for s in sums.values())} of {sum(s[1] for s in sums.values())} cases of {sum(s[0] for s in sums.values())} kinds agree on {', '.join(map(str, NEAR + FAR))}")
    return any(right < count for _, count, right in sums.values())


if __name__ == "__main__":
    sys.exit(main())
