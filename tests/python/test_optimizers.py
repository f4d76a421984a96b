"""Optimizers against PyTorch over random options: the parameters after five steps; groups, averages, accumulation, clipping and
schedules beside PyTorch's. The cases are those that `test_optimizers.py --write` has stored in tests/reference/optimizers.json;
tests/interop/beside.py makes new ones."""
import json
import math
import pathlib
import sys

import numpy as np

import situ
from support import grown, raises, run
from test_losses import devices

try:
    import torch
except ImportError:
    torch = None

STORED = pathlib.Path(__file__).parent.parent / "reference" / "optimizers.json"
STEPS = 5
NAMES = ("w", "b", "t")


class Net(situ.nn.Module):
    """A matrix, a vector and a tensor of three axes: loss = sum((w x + b)^2) / 2 + sum(sin(t) c)."""

    def __init__(self, values, device, dtype):
        self.w, self.b, self.t = (situ.variable(situ.asarray(v.astype(dtype), device=device)) for v in values)

    def forward(self, x, c):
        return situ.sum((self.w @ x + self.b) ** 2) / 2 + situ.sum(situ.sin(self.t) * c)


def start(seed):
    rng = np.random.default_rng(seed)
    values = [rng.uniform(-1, 1, s).round(3) for s in ((3, 4), (3,), (2, 3, 2))]
    return values, [rng.uniform(-1, 1, s).round(3) for s in ((4,), (2, 3, 2))]


# ---- options, and PyTorch's names of them --------------------------------------------------------------------------------------------

def some(rng, low, high):
    return round(float(rng.uniform(low, high)), 4)


def options(name, rng):
    how = {"lr": some(rng, 0.005, 0.2)}
    if rng.random() < 0.5:
        how["weight_decay"] = some(rng, 0, 0.2)
    if name in ("Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Lion", "Lamb"):
        how |= {"beta1": some(rng, 0.5, 0.95), "beta2": some(rng, 0.8, 0.999)}
    if name in ("NAdam", "RAdam"):
        how["decoupled"] = bool(rng.random() < 0.5)
    if name == "NAdam":
        how["momentum_decay"] = some(rng, 0, 0.1)
    if name == "SGD":
        how["momentum"] = some(rng, 0.1, 0.95)
        how |= {"nesterov": True} if rng.random() < 0.5 else {"dampening": some(rng, 0, 0.5)}
    if name == "Adagrad":
        how |= {"lr_decay": some(rng, 0, 0.3), "initial": some(rng, 0, 1)}
    if name == "RMSprop":
        how |= {"alpha": some(rng, 0.5, 0.99), "centered": bool(rng.random() < 0.5), "momentum": some(rng, 0.1, 0.9) if rng.random() < 0.5 else 0.0}
    if name == "Adadelta":
        how |= {"lr": some(rng, 0.5, 2), "rho": some(rng, 0.5, 0.95)}
    if name == "Adafactor":
        how |= {"lr": some(rng, 0.05, 0.9), "beta2_decay": some(rng, -0.9, -0.5), "threshold": some(rng, 1, 2), "eps1": 1e-6}
    if name == "Muon":
        how |= {"momentum": some(rng, 0.5, 0.95), "nesterov": bool(rng.random() < 0.5), "adam_lr": some(rng, 0.01, 0.1)}
    if name == "LBFGS":
        how = {"lr": some(rng, 0.3, 1), "history": int(rng.integers(1, 6))}
    return how


RULES = "SGD Adam AdamW Adagrad RMSprop Adadelta Adamax NAdam RAdam Lion Lamb Adafactor Muon LBFGS".split()


def torch_optimizer(name, parameters, how):
    how = dict(how)
    if "beta1" in how:
        how["betas"] = (how.pop("beta1"), how.pop("beta2"))
    for ours, theirs in (("decoupled", "decoupled_weight_decay"), ("initial", "initial_accumulator_value"), ("threshold", "d")):
        if ours in how:
            how[theirs] = how.pop(ours)
    if name == "LBFGS":
        return torch.optim.LBFGS(parameters, lr=how["lr"], history_size=how["history"], max_iter=1)
    if name == "Adafactor":
        how["eps"] = (how.pop("eps1"), 1e-3)
    if name == "AdamW":
        how.setdefault("weight_decay", 0.01)
    return getattr(torch.optim, name)(parameters, **how)


def orthogonal(m):
    """Muon's iteration as PyTorch has it (torch.optim._muon), in the dtype of m instead of bfloat16."""
    x = m.T if m.shape[0] > m.shape[1] else m
    x = x / x.norm().clamp(min=1e-7)
    for _ in range(5):
        gram = x @ x.T
        x = 3.4445 * x + (-4.775 * gram + 2.0315 * gram @ gram) @ x
    return x.T if m.shape[0] > m.shape[1] else x


def formula(name, p, g, state, t, how):
    """One step of what torch.optim lacks, as optax has it (lion, lamb), and of Muon."""
    lr, decay = how["lr"], how.get("weight_decay", 0.1 if name == "Muon" else 0.0)
    m, v = state.setdefault("m", torch.zeros_like(p)), state.setdefault("v", torch.zeros_like(p))
    b1, b2 = how.get("beta1", 0.9), how.get("beta2", 0.999)
    if name == "Lion":
        step = torch.sign(b1 * m + (1 - b1) * g) + decay * p
        state["m"] = b2 * m + (1 - b2) * g
        return p - lr * step
    if name == "Muon" and p.ndim > 1:
        state["m"] = m = how["momentum"] * m + (1 - how["momentum"]) * g
        u = (1 - how["momentum"]) * g + how["momentum"] * m if how["nesterov"] else m
        flat = u.reshape(u.shape[0], -1)
        return p * (1 - lr * decay) - lr * math.sqrt(max(1, flat.shape[0] / flat.shape[1])) * orthogonal(flat).reshape(p.shape)
    state["m"], state["v"] = m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g**2
    step = m / (1 - b1**t) / (torch.sqrt(v / (1 - b2**t)) + (1e-6 if name == "Lamb" else 1e-8))
    if name == "Muon":
        return p * (1 - how["adam_lr"] * decay) - how["adam_lr"] * step
    step = step + decay * p
    return p - lr * step * (p.norm() / step.norm())


def torch_loss(p, x, c):
    return ((p[0] @ x + p[1]) ** 2).sum() / 2 + (torch.sin(p[2]) * c).sum()


def torch_steps(case):
    values, data = start(case["seed"])
    p, (x, c) = [torch.tensor(v, requires_grad=True) for v in values], [torch.tensor(v) for v in data]
    name, how = case["rule"], case["how"]
    opt = None if name in ("Lion", "Lamb", "Muon") else torch_optimizer(name, p, how)
    states = [{} for _ in p]
    for t in range(1, STEPS + 1):
        for q in p:
            q.grad = None
        torch_loss(p, x, c).backward()
        if opt:
            opt.step(*[lambda: torch_loss(p, x, c)] * (name == "LBFGS"))
            continue
        with torch.no_grad():
            for q, state in zip(p, states):
                q.copy_(formula(name, q.clone(), q.grad, state, t, how))
    return [q.detach().numpy() for q in p]


def cases(name, count):
    for seed in range(count):
        number = [seed, sum(map(ord, name))]
        yield {"rule": name, "seed": number, "how": options(name, np.random.default_rng(number))}


def steps(case, device, dtype):
    values, data = start(case["seed"])
    net, (x, c) = Net(values, device, dtype), [situ.asarray(v.astype(dtype), device=device) for v in data]
    opt = getattr(situ.optim, case["rule"])(net, **case["how"])
    for _ in range(STEPS):
        opt.step(net(x, c))
    return [np.asarray(net.parameters()[n]) for n in NAMES]


def unlike(case, want, device, dtype):
    """What differs, or None."""
    tolerance = 2e-4 if dtype == np.float32 else 1e-8 if case["rule"] == "NAdam" else 1e-10  # PyTorch keeps its product in f32
    got = steps(case, device, dtype)
    if all(np.allclose(a, b, rtol=tolerance, atol=tolerance) for a, b in zip(got, want)):
        return None
    return f"{case} on {device} in {dtype.__name__}: off by {max(np.abs(a - b).max() for a, b in zip(got, map(np.asarray, want))):.3g}"


def judge(made):
    wrong, count = [], 0
    for device in devices():
        for dtype in (np.float64, np.float32):
            for case, want in made:
                count += 1
                difference = unlike(case, want, device, dtype)
                wrong += [difference] if difference else []
    print(f"     {count - len(wrong)} of {count} agree on {', '.join(map(str, devices()))}")
    assert not wrong, f"{len(wrong)} of {count}: " + " | ".join(wrong[:6])


def test_steps_are_those_that_pytorch_stored():
    stored = json.loads(STORED.read_text())
    judge([(case, [np.array(v) for v in case["want"]]) for case in stored["cases"]])


# ---- what is common to all -------------------------------------------------------------------------------------------------------------

def a_net(dtype=np.float64):
    values, data = start([1, 2])
    return Net(values, situ.cpu(), dtype), [situ.asarray(v.astype(dtype)) for v in data]


def gradients(net, x, c):
    return [np.asarray(g) for g in situ.gradients(net(x, c), [net.parameters()[n] for n in NAMES])]


def now(net):
    return [np.asarray(net.parameters()[n]).copy() for n in NAMES]


def test_groups_have_options_of_their_own():
    net, (x, c) = a_net()
    before, g = now(net), gradients(net, x, c)
    opt = situ.optim.SGD(net, lr=0.1, weight_decay=0.5)
    opt.set("b", weight_decay=0, lr=0.3).set("t", momentum=0.9)
    opt.step(net(x, c))
    for name, a, b, d, (lr, decay) in zip(NAMES, before, now(net), g, ((0.1, 0.5), (0.3, 0), (0.1, 0.5))):
        np.testing.assert_allclose(b, a - lr * (d + decay * a), rtol=1e-12, err_msg=name)
    before, g = now(net), gradients(net, x, c)
    opt.step(net(x, c))
    np.testing.assert_allclose(now(net)[0], before[0] - 0.1 * (g[0] + 0.5 * before[0]), rtol=1e-12)
    raises(ValueError, lambda: opt.set("bias", lr=1), "no parameter", "bias")
    raises(ValueError, lambda: opt.set("b", rate=1), "rate", "it has lr, momentum")
    raises(ValueError, lambda: opt.set("b", lr=-1), "lr = -1", "range")
    raises(ValueError, lambda: opt.set("b", clip_norm=1), "one number for all")
    raises(ValueError, lambda: opt.set(nesterov=True), "nesterov")


def test_norms_survive_large_and_small_gradients():
    for scale in (1e20, 1e-30, 1.0):
        g = np.array([3.0, -4.0, 0.0], np.float32) * np.float32(scale)
        assert abs(float(situ.nn.global_norm([situ.asarray(g), situ.asarray(g)])) / (5 * 2**0.5 * scale) - 1) < 1e-6
        net = Net([np.ones((3, 4)), np.zeros(3), np.zeros((2, 3, 2))], situ.cpu(), np.float32)
        opt = situ.optim.SGD(net, lr=1, clip_norm=0.5)
        net(situ.zeros((4,)), situ.zeros((2, 3, 2)))
        opt.step(situ.sum(net.b * situ.asarray(g)))
        want = -g * min(1, 0.5 / (5 * scale + 1e-6)) if scale >= 1 else -g
        np.testing.assert_allclose(np.asarray(net.b), want, rtol=1e-5)


def test_clipping_by_value_comes_before_the_norm():
    net, (x, c) = a_net()
    before, g = now(net), [np.clip(d, -0.2, 0.2) for d in gradients(net, x, c)]
    norm = math.sqrt(sum((d**2).sum() for d in g))
    opt = situ.optim.SGD(net, lr=1, clip_value=0.2, clip_norm=0.3)
    assert opt.hyper()["clip_value"] == 0.2 and norm > 0.3
    opt.step(net(x, c))
    for a, b, d in zip(before, now(net), g):
        np.testing.assert_allclose(b, a - d * 0.3 / (norm + 1e-6), rtol=1e-12)
    opt.clip_value(0)
    raises(ValueError, lambda: opt.clip_value(-1), "-1")


def test_accumulated_gradients_make_the_step_of_the_whole():
    net, (x, c) = a_net()
    other, _ = a_net()
    opt, whole = situ.optim.Adam(net, lr=0.1), situ.optim.Adam(other, lr=0.1)
    opt.set_accumulation(3)
    data = [(x * k, c + k) for k in (1.0, 2.0, 3.0)]
    for _ in range(4):
        before = now(net)
        for k, part in enumerate(data):
            assert all((a == b).all() for a, b in zip(now(net), before)) and opt.steps == whole.steps
            opt.step(net(*part))
        whole.step(sum(other(*part) for part in data) / 3)
        assert all(np.allclose(a, b, rtol=1e-10) for a, b in zip(now(net), now(other)))
    opt.step(net(x, c))
    raises(ValueError, lambda: opt.set_accumulation(2), "1 of 3")
    raises(ValueError, lambda: opt.set_accumulation(0), "at least 1")


def test_averages_of_parameters_move_with_the_steps():
    net, (x, c) = a_net()
    opt, want = situ.optim.SGD(net, lr=0.1), None
    raises(ValueError, opt.swap_average, "set_average")
    opt.set_average(0.8)
    for _ in range(6):
        opt.step(net(x, c))
        want = now(net) if want is None else [0.8 * a + 0.2 * b for a, b in zip(want, now(net))]
    last = now(net)
    with opt.averaged():
        assert all(np.allclose(a, b, rtol=1e-12) for a, b in zip(now(net), want))
        raises(ValueError, lambda: opt.step(net(x, c)), "averages", "swap_average")
    assert all((a == b).all() for a, b in zip(now(net), last))
    raises(ValueError, lambda: opt.set_average(1), "less than 1")


# ---- schedules: factors of the rate, step by step, by the formulas that torch.optim.lr_scheduler documents ------------------------------

COUNT = 60
SCHEDULES = "step multi_step exponential polynomial cosine restarts growing one_cycle warmup custom".split()


def schedule_options(seed):
    rng = np.random.default_rng(seed)
    return {"steps": int(rng.integers(5, 40)), "gamma": some(rng, 0.3, 0.99), "every": int(rng.integers(1, 12)), "power": some(rng, 0.5, 3),
            "least": some(rng, 0, 0.5), "at": sorted(int(v) for v in rng.choice(50, 3, False)), "rise": some(rng, 0.1, 0.6)}


def our_schedule(name, s, steps, gamma, every, power, least, at, rise):
    o = situ.optim
    if name == "warmup":
        o.warmup(s, every, 0.2)
    {"step": lambda: o.step_schedule(s, every, gamma), "multi_step": lambda: o.multi_step_schedule(s, at, gamma),
     "exponential": lambda: o.exponential_schedule(s, gamma), "polynomial": lambda: o.polynomial_schedule(s, steps, power),
     "cosine": lambda: o.cosine_schedule(s, COUNT, least=least), "restarts": lambda: o.cosine_schedule(s, steps, least=least, restarts=True),
     "growing": lambda: o.cosine_schedule(s, every, restarts=True, growth=2), "one_cycle": lambda: o.one_cycle_schedule(s, COUNT + 1, rise=rise),
     "warmup": lambda: o.exponential_schedule(s, gamma), "custom": lambda: o.custom_schedule(s, lambda t: 1 / (1 + t))}[name]()


def schedule_formula(name, t, steps, gamma, every, power, least, at, rise):
    wave = lambda x, low: low + (1 - low) * (1 + math.cos(math.pi * x)) / 2
    if name == "growing":
        start, length = 0, every
        while t >= start + length:
            start, length = start + length, 2 * length
        return wave((t - start) / length, 0)
    if name == "one_cycle":  # up from 1/25, down to 1/25 of 1e-4
        peak = rise * (COUNT + 1) - 1
        low, x = (1 / 25, 1 - t / peak) if t <= peak else (1 / 25e4, (t - peak) / (COUNT - peak))
        return wave(x, low)
    return {"step": lambda: gamma ** (t // every), "multi_step": lambda: gamma ** sum(t >= a for a in at), "exponential": lambda: gamma**t,
            "polynomial": lambda: (1 - min(t, steps) / steps) ** power, "cosine": lambda: wave(t / COUNT, least),
            "restarts": lambda: wave(t % steps / steps, least), "warmup": lambda: 0.2 + 0.8 * t / every if t < every else gamma ** (t - every),
            "custom": lambda: 1 / (1 + t)}[name]()


def torch_schedule(name, s, steps, gamma, every, power, least, at, rise):
    L = torch.optim.lr_scheduler
    return {"step": lambda: L.StepLR(s, every, gamma), "multi_step": lambda: L.MultiStepLR(s, at, gamma), "exponential": lambda: L.ExponentialLR(s, gamma),
            "polynomial": lambda: L.PolynomialLR(s, steps, power), "cosine": lambda: L.CosineAnnealingLR(s, COUNT, least),
            "restarts": lambda: L.CosineAnnealingWarmRestarts(s, steps, 1, least), "growing": lambda: L.CosineAnnealingWarmRestarts(s, every, 2),
            "one_cycle": lambda: L.OneCycleLR(s, 1.0, COUNT + 1, pct_start=rise),
            "warmup": lambda: L.SequentialLR(s, [L.LinearLR(s, 0.2, total_iters=every), L.ExponentialLR(s, gamma)], [every]),
            "custom": lambda: L.LambdaLR(s, lambda t: 1 / (1 + t))}[name]()


def torch_factors(name, how):
    opt = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    schedule, out = torch_schedule(name, opt, **how), []
    for _ in range(COUNT):
        out.append(opt.param_groups[0]["lr"])
        opt.step()
        schedule.step()
    return out


def schedule_differs(name, seed):
    """From the formula, and from PyTorch where that is; or None."""
    how = schedule_options(seed)
    opt = situ.optim.SGD(a_net()[0], lr=1.0)
    our_schedule(name, opt, **how)
    got = [opt.factor(t) for t in range(COUNT)]
    for want in ([schedule_formula(name, t, **how) for t in range(COUNT)], *([torch_factors(name, how)] if torch else [])):
        if not np.allclose(got, want, rtol=1e-6, atol=1e-9):
            at = int(np.abs(np.subtract(got, want)).argmax())
            return f"{name} {how}: step {at} has {got[at]}, not {want[at]}"
    return None


def test_schedules_are_their_formulas_and_those_of_pytorch():
    wrong = [difference for name in SCHEDULES for seed in range(6) for difference in [schedule_differs(name, seed)] if difference]
    print(f"     {6 * len(SCHEDULES) - len(wrong)} of {6 * len(SCHEDULES)} schedules agree")
    assert not wrong, " | ".join(wrong[:5])


def lowered(values, factor, patience, threshold, cooldown, largest):
    """The rates of torch.optim.lr_scheduler.ReduceLROnPlateau, by its documentation."""
    rate, best, bad, wait, rates = 1.0, -math.inf if largest else math.inf, 0, 0, []
    for v in values:
        better = v > best * (1 + threshold) if largest else v < best * (1 - threshold)
        best, bad = (v, 0) if better else (best, bad + 1)
        wait, bad = (wait - 1, 0) if wait > 0 else (wait, bad)
        if bad > patience:
            rate, wait, bad = rate * factor, cooldown, 0
        rates.append(rate)
    return rates


def plateau_differs(seed):
    rng = np.random.default_rng(seed)
    how = {"factor": some(rng, 0.1, 0.9), "patience": int(rng.integers(0, 4)), "threshold": some(rng, 0, 0.1), "cooldown": int(rng.integers(0, 3))}
    opt, largest, values, got = situ.optim.SGD(a_net()[0], lr=1.0), bool(seed % 2), rng.uniform(0.5, 1, 40), []
    situ.optim.plateau_schedule(opt, **how, largest=largest)
    for value in values:
        opt.report(float(value))
        got.append(opt.lr)
    wanted = [lowered(values, **how, largest=largest)]
    if torch:
        theirs = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(theirs, "max" if largest else "min", eps=0, **how)
        wanted.append([(schedule.step(float(value)), theirs.param_groups[0]["lr"])[1] for value in values])
    return None if all(np.allclose(got, want, rtol=1e-9) for want in wanted) else f"{how}: {got[:9]}, not {wanted[0][:9]}"


def test_a_plateau_lowers_the_rate_as_pytorch_does():
    wrong = [difference for seed in range(8) for difference in [plateau_differs(seed)] if difference]
    assert not wrong, wrong[0]
    raises(ValueError, lambda: situ.optim.SGD(a_net()[0]).report(1), "plateau")


def test_a_schedule_is_taken_by_the_steps():
    net, (x, c) = a_net()
    opt = situ.optim.SGD(net, lr=0.1)
    opt.set("b", lr=0.4)
    situ.optim.warmup(opt, 2, 0.5)
    situ.optim.custom_schedule(opt, lambda t: 2.0**-t)
    for factor in (0.5, 0.75, 1, 0.5, 0.25):
        before, g = now(net), gradients(net, x, c)
        assert abs(opt.lr - 0.1 * factor) < 1e-15
        opt.step(net(x, c))
        np.testing.assert_allclose(now(net)[0], before[0] - 0.1 * factor * g[0], rtol=1e-12)
        np.testing.assert_allclose(now(net)[1], before[1] - 0.4 * factor * g[1], rtol=1e-12)
    situ.optim.custom_schedule(opt, lambda t: float("nan"))
    raises(ArithmeticError, lambda: opt.step(net(x, c)), "factor", "nan")
    for wrong in (lambda: situ.optim.step_schedule(opt, 0), lambda: situ.optim.cosine_schedule(opt, 10, least=2), lambda: situ.optim.warmup(opt, -1),
                  lambda: situ.optim.multi_step_schedule(opt, [3, 1]), lambda: situ.optim.one_cycle_schedule(opt, 9, rise=2), lambda: opt.factor(-1),
                  lambda: situ.optim.plateau_schedule(opt, factor=1)):
        raises(ValueError, wrong)
    raises(TypeError, lambda: situ.optim.custom_schedule(opt, 3), "function")


def test_a_trainer_leaves_the_rate_that_a_schedule_multiplies():
    data = situ.data.digits()
    net = situ.nn.Sequential(situ.nn.Flatten(), situ.nn.Linear(10))
    opt = situ.optim.SGD(net, lr=0.1)
    situ.optim.warmup(opt, 4)
    situ.train.Trainer(max_epochs=1, num_gpus=0).fit(net, opt, data)
    assert opt.lr == 0.1 and opt.steps > 4


def test_what_went_wrong_elsewhere_stays_finite():
    """Rounding makes a centred variance negative; the square of an f16 gradient overflows; a schedule goes up again at its end."""
    net = Net([np.zeros((3, 4)), np.zeros(3), np.zeros((2, 3, 2))], situ.cpu(), np.float32)
    opt, large = situ.optim.RMSprop(net, lr=1e-3, centered=True), situ.asarray([1e4, 1e4 + 1, -3e4], dtype="float32")
    for _ in range(300):
        opt.step(situ.sum(net.b * large))
    assert np.isfinite(np.asarray(net.b)).all() and (np.abs(np.asarray(net.b)) < 10).all()
    half = Net([np.zeros((3, 4)), np.zeros(3), np.zeros((2, 3, 2))], situ.cpu(), np.float16)
    opt = situ.optim.SGD(half, lr=1, clip_norm=1)
    opt.step(situ.sum(half.b * situ.asarray(np.array([300, 0, 0], np.float16))))
    assert half.b.tolist() == [-1, 0, 0]
    situ.optim.one_cycle_schedule(opt, 50)
    assert abs(opt.factor(49) - 4e-6) < 1e-15 and opt.factor(80) == opt.factor(49)
    situ.optim.cosine_schedule(opt, 50, least=0.1)
    assert opt.factor(50) == opt.factor(80) == 0.1


def test_lbfgs_finds_a_minimum_and_has_no_groups():
    net, (x, c) = a_net()
    opt = situ.optim.LBFGS(net, lr=0.5)
    for _ in range(60):
        opt.step(net(x, c))
    assert max(np.abs(g).max() for g in gradients(net, x, c)) < 1e-6
    raises(ValueError, lambda: opt.set("b", lr=0.1), "one vector")


def test_many_steps_keep_memory_flat():
    net, (x, c) = a_net(np.float32)
    opt = situ.optim.AdamW(net, lr=1e-3)
    opt.set("b", weight_decay=0)
    opt.set_average(0.99)
    opt.set_accumulation(2)
    situ.optim.cosine_schedule(opt, 5000)

    def work(n):
        for _ in range(n):
            opt.step(net(x, c))

    kilobytes = grown(lambda: work(10000), lambda: work(500))
    assert kilobytes < 2000, f"10,000 steps took {kilobytes} KB"


def write():
    number = lambda a: [number(v) for v in a] if np.ndim(a) else float(f"{float(a):.13g}")
    lines = [json.dumps({**case, "want": [number(v) for v in torch_steps(case)]}) for name in RULES for case in cases(name, 2)]
    STORED.write_text(f'{{"torch": "{torch.__version__}", "cases": [\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    write() if "--write" in sys.argv else run(globals())
