#!/usr/bin/env python3
"""Cases of layers with random sizes and options, and what torch.nn gives for them; tests/python/test_layers.py compares.

    tests/interop/torch_layers.py --write      # stores small ones in tests/reference/layers.json
    tests/interop/beside.py 20 layer     # compares new ones

KINDS has a function of a random generator for each kind of layer."""
import json
import pathlib
import random
import sys

import numpy as np
import torch

T = torch.nn
STORED = pathlib.Path(__file__).parent.parent / "reference" / "layers.json"
KINDS = {}
R = random.Random(0)


def kind(function):
    KINDS[function.__name__] = function
    return function


def some(*choices):
    return R.choice(choices)


def x(*shape):
    return torch.randn(*shape).mul(1000).round().div(1000).requires_grad_()


def sizes(n, low, high):
    return tuple(R.randint(low, high) for _ in range(n))


def each(n, low, high):
    """One number, or one for each axis."""
    return R.randint(low, high) if some(True, False) else sizes(n, low, high)


def many(value, n):
    return (value,) * n if isinstance(value, int) else value


def flat(results):
    return [t for r in results for t in flat(r)] if isinstance(results, (tuple, list)) else [results]


def made(theirs, layer, inputs, options=None, call=None, second=True, loose=1, calls=0, evaluate=False, moments=()):
    """theirs(*inputs) is PyTorch's module, layer our class with its arguments and options; options: named inputs of ours."""
    theirs, call = theirs.double(), call or theirs
    with torch.no_grad():
        for p in theirs.parameters():
            p.copy_(p.mul(1000).round().div(1000).float())
    parameters = {k: v.detach().numpy().copy() for k, v in theirs.named_parameters()}
    given = [(t if t.requires_grad else t.double() if t.is_floating_point() else t) for t in inputs]
    for _ in range(calls):
        call(*given)
    theirs.train(not evaluate)
    results = flat(call(*given))
    by = {**{i: t for i, t in enumerate(given) if t.requires_grad}, **dict(theirs.named_parameters())}
    pull, want = [], [results]
    if by:
        pull.append([x(*r.shape).detach() for r in results])
        loss = sum((r * p).sum() for r, p in zip(results, pull[0])) ** 2
        zero = lambda slopes: [torch.zeros_like(w) if s is None else s for s, w in zip(slopes, by.values())]
        want.append(zero(torch.autograd.grad(loss, list(by.values()), create_graph=second, allow_unused=True)))
    if by and second:
        pull.append([x(*s.shape).detach() for s in want[1]])
        total = sum((s * p).sum() for s, p in zip(want[1], pull[1]))
        want.append(zero(torch.autograd.grad(total, list(by.values()), allow_unused=True)))
    plain = lambda lists: [[t.detach().numpy().copy() for t in ts] for ts in lists]
    return {"layer": list(layer), "parameters": parameters, "inputs": [t.detach().numpy() for t in given], "options": options or {},
            "wrt": list(by), "pull": plain(pull), "want": plain(want), "calls": calls, "eval": evaluate, "loose": loose,
            "moments": {name: getattr(theirs, name).numpy().copy() for name in moments}}


# ---- elements -------------------------------------------------------------------------------------------------------------------------

ACTIVATIONS = {"SiLU": (), "Mish": (), "Softplus": (), "ReLU6": (), "Softsign": (), "LeakyReLU": (0.2,), "ELU": (0.7,), "Softmax": (-1,), "LogSoftmax": (-1,),
               "ReLU": (), "Sigmoid": (), "Tanh": (), "GELU": (), "Hardswish": (), "Hardsigmoid": (), "SELU": (), "LogSigmoid": (), "Tanhshrink": (), "Identity": (),
               "CELU": (2.0,), "Hardshrink": (0.4,), "Softshrink": (0.4,), "Hardtanh": (-0.6, 0.9), "Threshold": (0.1, 20.0)}
# torch has the sixth in f32, and no second gradient
FORMULAS = {"Hardsigmoid": lambda t: T.functional.relu6(t + 3) / 6, "Hardswish": lambda t: t * T.functional.relu6(t + 3) / 6}
for _name, _given in ACTIVATIONS.items():
    KINDS[_name] = lambda name=_name, given=_given: made(T.GELU("tanh") if name == "GELU" else getattr(T, name)(*given), (name, given, {}), [x(*sizes(R.randint(1, 3), 1, 5))], call=FORMULAS.get(name))


@kind
def GLU():
    axis = R.randrange(-2, 2)
    size = [R.randint(1, 4), R.randint(1, 4)]
    size[axis] *= 2
    return made(T.GLU(axis), ("GLU", (axis,), {}), [x(*size)])


@kind
def PReLU():
    count = some(1, 3)
    return made(T.PReLU(count), ("PReLU", (count,), {}), [x(R.randint(1, 4), 3, R.randint(1, 5))])


@kind
def Flatten():
    return made(T.Flatten(), ("Flatten", (), {}), [x(R.randint(1, 4), *sizes(R.randint(1, 3), 1, 4))])


@kind
def Dropout():
    name = some("Dropout", "ChannelDropout")  # what it does in training is random: tests/unit/test_layers.c
    return made(T.Dropout(0.3), (name, (0.3,), {}), [x(2, 3, R.randint(1, 5))], evaluate=True)


# ---- products ---------------------------------------------------------------------------------------------------------------------------

@kind
def Linear():
    n, out, bias = R.randint(1, 6), R.randint(1, 6), some(True, False)
    return made(T.Linear(n, out, bias), ("Linear", (out,), {"bias": bias}), [x(*sizes(R.randint(0, 3), 1, 4), n)])


@kind
def Bilinear():
    a, b, out, bias, rows = R.randint(1, 4), R.randint(1, 4), R.randint(1, 4), some(True, False), sizes(R.randint(0, 2), 1, 3)
    return made(T.Bilinear(a, b, out, bias=bias), ("Bilinear", (out,), {"bias": bias}), [x(*rows, a), x(*rows, b)])


@kind
def Embedding():
    count, width = R.randint(1, 6), R.randint(1, 4)
    return made(T.Embedding(count, width), ("Embedding", (count, width), {}), [torch.randint(0, count, sizes(R.randint(0, 3), 1, 4))])


@kind
def EmbeddingBag():
    count, width, n, batch, mode = R.randint(1, 6), R.randint(1, 4), R.randint(1, 5), R.randint(1, 4), some("mean", "sum", "max")
    theirs, ours = T.EmbeddingBag(count, width, mode=mode), ("EmbeddingBag", (count, width), {"mode": mode})
    index = torch.tensor([[R.randrange(count) for _ in range(n)] for _ in range(batch)])
    if mode == "sum" and some(True, False):
        return made(theirs, ours, [index, x(batch, n)], call=lambda i, w: theirs(i, per_sample_weights=w), second=False)
    if mode == "max":  # of equal rows torch takes one
        index = torch.tensor([R.sample(range(count), min(n, count)) for _ in range(batch)])
    return made(theirs, ours, [index], second=False)


def conv(n):
    groups, bias = R.randint(1, 2), some(True, False)
    channels, out = groups * R.randint(1, 3), groups * R.randint(1, 3)
    size, dilation = each(n, 1, 3), each(n, 1, 2)
    image = [(k - 1) * d + R.randint(1, 4) for k, d in zip(many(size, n), many(dilation, n))]
    how = dict(stride=each(n, 1, 3), padding=each(n, 0, 2), dilation=dilation, groups=groups, bias=bias)
    if some(True, False):
        how.update(some({"padding": "valid"}, {"padding": "same", "stride": 1}))
    if some(True, False):  # torch pads by less than there is
        image = [max(i, 5) for i in image]
        how["padding_mode"] = some("zeros", "reflect", "replicate", "circular")
    name = f"Conv{n}d"
    return made(getattr(T, name)(channels, out, size, **how), (name, (out, size), how), [x(R.randint(1, 3), channels, *image)])


def transposed(n):
    groups, bias = R.randint(1, 2), some(True, False)
    channels, out = groups * R.randint(1, 3), groups * R.randint(1, 3)
    size, image, stride, dilation = sizes(n, 1, 3), sizes(n, 1, 4), sizes(n, 1, 3), sizes(n, 1, 2)
    more = tuple(R.randrange(s) for s in stride)
    padding = tuple(R.randrange(max(1, ((i - 1) * s + d * (k - 1) + e + 2) // 2)) for i, s, d, k, e in zip(image, stride, dilation, size, more))
    how = dict(stride=stride, padding=padding, dilation=dilation, groups=groups, bias=bias, output_padding=more)
    name = f"ConvTranspose{n}d"
    return made(getattr(T, name)(channels, out, size, **how), (name, (out, size), how), [x(R.randint(1, 3), channels, *image)])


# ---- windows ----------------------------------------------------------------------------------------------------------------------------

def pool(n, mean):
    size = each(n, 1, 3)
    how = {"stride": each(n, 1, 3), "padding": tuple(R.randint(0, s // 2) for s in many(size, n))} if R.random() < 0.8 else {}
    image = [s + R.randint(0, 4) for s in many(size, n)]
    name, more, other = f"{'Avg' if mean else 'Max'}Pool{n}d", {}, {}
    if some(True, False):
        more["ceil"] = other["ceil_mode"] = True
    if not mean and some(True, False):
        how["dilation"] = each(n, 1, 3)
        image = [i + 2 * s for i, s in zip(image, many(size, n))]
    if mean and some(True, False):
        more, other = {**more, "count_padding": False}, {**other, "count_include_pad": False}
    return made(getattr(T, name)(size, **how, **other), (name, (size,), {**how, **more}), [x(2, R.randint(1, 2), *image)])


def adaptive(n, mean):
    size, name = each(n, 1, 5), f"Adaptive{'Avg' if mean else 'Max'}Pool{n}d"
    return made(getattr(T, name)(size), (name, (size,), {}), [x(2, 2, *sizes(n, 1, 8))])


for _n in (1, 2, 3):
    KINDS[f"Conv{_n}d"] = lambda n=_n: conv(n)
    KINDS[f"ConvTranspose{_n}d"] = lambda n=_n: transposed(n)
    for _mean in (False, True):
        KINDS[f"{'Avg' if _mean else 'Max'}Pool{_n}d"] = lambda n=_n, mean=_mean: pool(n, mean)
        KINDS[f"Adaptive{'Avg' if _mean else 'Max'}Pool{_n}d"] = lambda n=_n, mean=_mean: adaptive(n, mean)


@kind
def Upsample():
    n, mode = R.randint(1, 3), some("nearest", "nearest_exact", "linear", "cubic")
    n = 2 if mode == "cubic" else n
    factor, corners = each(n, 1, 3), mode in ("linear", "cubic") and some(True, False)
    name = {"linear": ("linear", "bilinear", "trilinear")[n - 1], "nearest_exact": "nearest-exact", "cubic": "bicubic"}.get(mode, mode)
    theirs = T.Upsample(scale_factor=factor, mode=name, align_corners=corners if mode in ("linear", "cubic") else None)
    return made(theirs, ("Upsample", (factor,), {"mode": mode, "align_corners": corners}), [x(2, R.randint(1, 2), *sizes(n, 1, 4))])


@kind
def Unfold():
    window, how = each(2, 1, 3), dict(stride=each(2, 1, 3), padding=each(2, 0, 2), dilation=each(2, 1, 2))
    image = [(k - 1) * d + R.randint(1, 4) for k, d in zip(many(window, 2), many(how["dilation"], 2))]
    return made(T.Unfold(window, **how), ("Unfold", (window,), how), [x(2, R.randint(1, 3), *image)])


@kind
def Fold():
    window, how = each(2, 1, 3), dict(stride=each(2, 1, 3), padding=each(2, 0, 2), dilation=each(2, 1, 2))
    image = tuple((k - 1) * d + R.randint(1, 4) for k, d in zip(many(window, 2), many(how["dilation"], 2)))
    shape = T.functional.unfold(torch.zeros(2, R.randint(1, 3), *image), window, **how).shape
    return made(T.Fold(image, window, **how), ("Fold", (image, window), how), [x(*shape)])


# ---- norms ------------------------------------------------------------------------------------------------------------------------------

@kind
def LayerNorm():
    n, eps = R.randint(2, 7), some(1e-5, 1e-2)
    if some(True, False):
        shape = (*sizes(R.randint(0, 2), 1, 3), n)
        return made(T.LayerNorm(shape, eps=eps), ("LayerNorm", (shape,), {"eps": eps}), [x(*sizes(R.randint(0, 2), 1, 3), *shape)], loose=20)
    return made(T.LayerNorm(n, eps=eps), ("LayerNorm", (), {"eps": eps}), [x(*sizes(R.randint(0, 3), 1, 3), n)], loose=20)


@kind
def RMSNorm():
    n = R.randint(1, 7)
    return made(T.RMSNorm(n, eps=1e-6), ("RMSNorm", (), {}), [x(*sizes(R.randint(0, 3), 1, 3), n)], loose=5)


@kind
def GroupNorm():
    groups, per, affine = R.randint(1, 3), R.randint(1, 3), some(True, False)
    size = sizes(R.randint(0, 3), 1, 4)
    size = size if per * int(np.prod(size)) > 1 else (*size, 3)
    theirs = T.GroupNorm(groups, groups * per, eps=1e-3, affine=affine)
    return made(theirs, ("GroupNorm", (groups,), {"eps": 1e-3, "affine": affine}), [x(R.randint(1, 3), groups * per, *size)], loose=5)


@kind
def InstanceNorm():
    size, channels, affine = sizes(R.randint(1, 3), 2, 4), R.randint(1, 3), some(True, False)
    theirs = getattr(T, f"InstanceNorm{len(size)}d")(channels, affine=affine, eps=1e-3)
    return made(theirs, ("InstanceNorm", (), {"affine": affine, "eps": 1e-3}), [x(R.randint(1, 3), channels, *size)], loose=5)


def batch_norm(n):
    size, channels, evaluate = sizes(n if n > 1 else R.randint(0, 1), 1, 4), R.randint(1, 3), some(True, False)
    momentum, calls = some(0.1, 0.3), R.randint(1, 3)
    theirs = getattr(T, f"BatchNorm{n}d")(channels, eps=1e-3, momentum=momentum)
    # a first call, which makes the parameters, counts
    case = made(theirs, ("BatchNorm", (), {"eps": 1e-3, "momentum": momentum}), [x(R.randint(2, 5), channels, *size)], loose=5, calls=calls,
                evaluate=evaluate, moments=("running_mean", "running_var"))
    return {**case, "parameters": {**case["parameters"], "running_mean": np.zeros(channels), "running_var": np.ones(channels)}}


for _n in (1, 2, 3):
    KINDS[f"BatchNorm{_n}d"] = lambda n=_n: batch_norm(n)


# ---- sequences --------------------------------------------------------------------------------------------------------------------------

def recurrent(name):
    width, size, layers, time, batch = R.randint(1, 5), R.randint(1, 4), R.randint(1, 2), R.randint(1, 4), R.randint(1, 3)
    both, bias, first, ragged, start, relu = (some(True, False) for _ in range(6))
    given = {"relu": True} if name == "RNN" and relu else {}
    theirs = getattr(T, name)(size, width, num_layers=layers, bias=bias, batch_first=not first, bidirectional=both, **({"nonlinearity": "relu"} if given else {}))
    ours = (name, (width,), {"layers": layers, "bias": bias, "time_first": first, "bidirectional": both, **given})
    lengths = [R.randint(1, time) for _ in range(batch)]
    states = [x(layers * (1 + both), batch, width) for _ in range(2 if name == "LSTM" else 1)] if start else []

    def call(t, *states):
        t = T.utils.rnn.pack_padded_sequence(t, torch.tensor(lengths), batch_first=not first, enforce_sorted=False) if ragged else t
        y, ends = theirs(t, tuple(states) if len(states) == 2 else states[0]) if states else theirs(t)
        if ragged:
            y, _ = T.utils.rnn.pad_packed_sequence(y, batch_first=not first, total_length=time)
        return y, ends
    return made(theirs, ours, [x(time, batch, size) if first else x(batch, time, size)] + states, {"lengths": np.array(lengths, np.int32)} if ragged else {}, call)


for _name in ("RNN", "GRU", "LSTM"):
    KINDS[_name] = lambda name=_name: recurrent(name)


@kind
def MultiheadAttention():
    heads, per, batch, queries, keys, bias = R.randint(1, 3), R.randint(1, 4), R.randint(1, 3), R.randint(1, 5), R.randint(1, 5), some(True, False)
    theirs, causal = T.MultiheadAttention(heads * per, heads, bias=bias, batch_first=True), some(True, False)
    how = some("self", "cross", "lengths", "mask", "added")
    q, k, v = x(batch, queries, heads * per), x(batch, keys, heads * per), x(batch, keys, heads * per)
    if how == "self":
        mask = torch.triu(torch.ones(queries, queries, dtype=torch.bool), 1) if causal else None
        ours = ("MultiheadAttention", (heads * per, heads), {"bias": bias, "causal": causal})
        return made(theirs, ours, [q], call=lambda q: theirs(q, q, q, attn_mask=mask, need_weights=False)[0])
    lengths = np.array([R.randint(1, keys) for _ in range(batch)], np.int32)
    off = torch.tensor(np.arange(keys)[None] >= lengths[:, None]) if how == "lengths" else None
    mask = torch.rand(queries, keys) < 0.4 if how == "mask" else x(queries, keys).detach() if how == "added" else None
    if how == "mask":
        mask[:, 0] = False
    own = {"lengths": lengths} if how == "lengths" else {"mask": (~mask if how == "mask" else mask).numpy()} if mask is not None else {}
    ours = ("MultiheadAttention", (heads * per, heads), {"bias": bias, "causal": False})
    return made(theirs, ours, [q, k, v], own, lambda *t: theirs(*t, attn_mask=mask, key_padding_mask=off, need_weights=False)[0])


class Grouped(T.Module):
    """The formula of PyTorch's scaled_dot_product_attention, with grouped heads and rotary positions."""

    def __init__(self, groups, each, per, causal, base):
        super().__init__()
        self.groups, self.each, self.per, self.causal, self.base = groups, each, per, causal, base
        width = groups * each * per
        self.in_proj_weight, self.in_proj_bias = T.Parameter(torch.randn(width + 2 * groups * per, width)), T.Parameter(torch.randn(width + 2 * groups * per))
        self.out_proj = T.Linear(width, width)

    def forward(self, t):
        batch, n, width = t.shape
        split = [width, self.groups * self.per, self.groups * self.per]
        q, k, v = torch.split(T.functional.linear(t, self.in_proj_weight, self.in_proj_bias), split, -1)
        q, k, v = (a.reshape(batch, n, -1, self.per).transpose(1, 2) for a in (q, k, v))
        if self.base:
            half = self.per // 2
            angle = torch.arange(n)[:, None] * self.base ** (-torch.arange(half) * 2 / self.per)
            turn = torch.polar(torch.ones_like(angle), angle)
            q, k = (torch.view_as_real(torch.complex(a[..., :half], a[..., half:]) * turn).transpose(-1, -2).reshape(a.shape) for a in (q, k))
        k, v = k.repeat_interleave(self.each, 1), v.repeat_interleave(self.each, 1)
        score = q @ k.transpose(-1, -2) / self.per ** 0.5
        if self.causal:
            score = score.masked_fill(torch.triu(torch.ones(n, n, dtype=torch.bool), 1), -torch.inf)
        return self.out_proj((score.softmax(-1) @ v).transpose(1, 2).reshape(batch, n, width))


@kind
def GroupedAttention():
    groups, each, per = R.randint(1, 3), R.randint(1, 3), 2 * R.randint(1, 3)
    how = {"kv_heads": groups, "causal": some(True, False), "rotary": some(0, 10000.0)}
    theirs = Grouped(groups, each, per, how["causal"], how["rotary"])
    return made(theirs, ("MultiheadAttention", (groups * each * per, groups * each), how), [x(R.randint(1, 3), R.randint(1, 5), groups * each * per)], loose=5)


@kind
def TransformerEncoderLayer():
    heads, per, batch, n = R.randint(1, 3), R.randint(1, 3), R.randint(1, 3), R.randint(1, 4)
    per += heads * per == 1  # a norm of one number has no gradient
    how = {"hidden": 5, "dropout": 0, "feed": some("relu", "gelu"), "eps": 1e-2, "norm_first": some(True, False)}
    feed = (lambda t: T.functional.gelu(t)) if how["feed"] == "gelu" else "relu"
    theirs = T.TransformerEncoderLayer(heads * per, heads, 5, 0.0, feed, 1e-2, True, how["norm_first"])
    lengths = np.array([R.randint(1, n) for _ in range(batch)], np.int32)
    off = torch.tensor(np.arange(n)[None] >= lengths[:, None])
    return made(theirs, ("TransformerEncoderLayer", (heads * per, heads), how), [x(batch, n, heads * per)], {"lengths": lengths}, lambda t: theirs(t, src_key_padding_mask=off), loose=20)


@kind
def TransformerDecoderLayer():
    heads, per, batch, n, m = R.randint(1, 3), R.randint(1, 3), R.randint(1, 3), R.randint(1, 4), R.randint(1, 4)
    per += heads * per == 1
    how = {"hidden": 5, "dropout": 0, "feed": some("relu", "gelu"), "eps": 1e-2, "norm_first": some(True, False)}
    theirs = T.TransformerDecoderLayer(heads * per, heads, 5, 0.0, how["feed"], 1e-2, True, how["norm_first"])
    mask = torch.triu(torch.ones(n, n, dtype=torch.bool), 1)
    inputs = [x(batch, n, heads * per), x(batch, m, heads * per)]
    return made(theirs, ("TransformerDecoderLayer", (heads * per, heads), how), inputs, call=lambda t, memory: theirs(t, memory, tgt_mask=mask), loose=20)


# ---- all --------------------------------------------------------------------------------------------------------------------------------

def case_of(name, seed):
    R.seed(f"{name} {seed}")
    torch.manual_seed(seed)
    torch.set_default_dtype(torch.float64)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):  # the others have no second gradients
        return KINDS[name]()


def text_of(case):
    number = lambda a: np.vectorize(lambda v: float(f"{v:.10g}"), otypes=[float])(a).tolist() if a.size and a.dtype.kind == "f" else a.tolist()
    return json.dumps(case, default=number, separators=(",", ":"))


def write():
    """The shortest of some cases of each kind, which has more than a few numbers."""
    lines = []
    for name in KINDS:
        texts = sorted((text_of(case_of(name, seed)) for seed in range(30)), key=len)
        lines.append(texts[len(texts) // 4])
    STORED.write_text(f'{{"torch": "{torch.__version__}", "cases": [\n' + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    write()
