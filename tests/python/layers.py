#!/usr/bin/env python3
"""Layers against torch.nn over random sizes and options: results, gradients by inputs and all parameters, second gradients.

    tests/python/layers.py [KEY [CASES [WORD [KIND]]]]   # CASES of each layer whose name contains WORD, on a gpu or opencl; SKIP without PyTorch

Prints how many cases there were of each layer and how many agree. PYTHONPATH has to lead to situ."""
import random
import sys

import numpy as np

try:
    import torch
except ImportError:
    print("SKIP layers: there is no torch")
    sys.exit(0)
import situ
from situ import nn

T = torch.nn
KEY, CASES, WORD, KIND = (sys.argv[1:] + ["0", "10", "", "cpu"][len(sys.argv) - 1:])[:4]


def here(a):
    return situ.asarray(a, device=getattr(situ, KIND)(0))


R = random.Random(int(KEY))
torch.manual_seed(int(KEY))


def close(a, b, tolerance):
    a, b = np.asarray(a, dtype=np.float64), b.detach().numpy().astype(np.float64)
    return a.shape == b.shape and (a.size == 0 or bool(np.abs(a - b).max() <= tolerance * (1 + np.abs(b).max())))


def some(*choices):
    return R.choice(choices)


def x(*shape):
    return torch.randn(*shape, requires_grad=True)


def flat(results):
    return [t for r in results for t in flat(r)] if isinstance(results, (tuple, list)) else [results]


def agrees(theirs, ours, inputs, names=None, call=None, ours_call=None, second=True, tolerance=2e-4):
    """theirs(*inputs) and ours(*inputs): torch's module and ours; names: of our parameters, by torch's."""
    names = names or {}
    call, ours_call = call or theirs, ours_call or ours
    parameters = dict(theirs.named_parameters())
    mine = [here(t.detach().numpy()) for t in inputs]
    if parameters:
        ours_call(*mine)  # makes what is to be made
        own = ours.state()
        assert set(own) >= {names.get(k, k) for k in parameters}, (sorted(own), sorted(parameters))
        ours.load_state({**own, **{names.get(k, k): v.detach().numpy().reshape(own[names.get(k, k)].shape) for k, v in parameters.items()}})
    results, own_results = flat(call(*inputs)), flat(ours_call(*mine))
    if len(results) != len(own_results):
        return "results"
    if not all(close(a, b, tolerance) for a, b in zip(own_results, results)):
        return "values"
    wanted = [t for t in inputs if t.requires_grad] + list(parameters.values())
    by = [t for t, i in zip(mine, inputs) if i.requires_grad] + [ours.parameters()[names.get(k, k)] for k in parameters]
    if not wanted:
        return ""
    pull = [torch.randn_like(r) for r in results]
    loss = sum((r * p).sum() for r, p in zip(results, pull)) ** 2
    own_loss = sum((situ.sum(r * here(p.numpy())) for r, p in zip(own_results, pull)), here(0.0)) ** 2
    slopes = torch.autograd.grad(loss, wanted, create_graph=second, allow_unused=True)
    slopes = [torch.zeros_like(w) if s is None else s for s, w in zip(slopes, wanted)]
    own_slopes = situ.gradients(own_loss, by)
    if not all(close(np.asarray(a).reshape(b.shape), b, tolerance) for a, b in zip(own_slopes, slopes)):
        return "gradients"
    if not second:
        return ""
    pull = [torch.randn_like(s) for s in slopes]
    curve = torch.autograd.grad(sum((s * p).sum() for s, p in zip(slopes, pull)), wanted, allow_unused=True)
    own_curve = situ.gradients(sum((situ.sum(s * here(p.numpy().reshape(s.shape))) for s, p in zip(own_slopes, pull)), here(0.0)), by)
    if not all(close(np.asarray(a).reshape(b.shape), torch.zeros_like(b) if c is None else c, 10 * tolerance) for a, b, c in zip(own_curve, wanted, curve)):
        return "second gradients"
    return ""


def activation():
    name = some("SiLU", "Mish", "Softplus", "ReLU6", "Softsign", "LeakyReLU", "ELU", "Softmax", "LogSoftmax", "ReLU", "Sigmoid", "Tanh", "PReLU")
    given = {"LeakyReLU": (0.2,), "ELU": (0.7,), "Softmax": (-1,), "LogSoftmax": (-1,)}.get(name, ())
    theirs, ours = getattr(T, name)(*given), getattr(nn, name)(*given)
    if name == "PReLU":
        count = some(1, 3)
        theirs, ours = T.PReLU(count), nn.PReLU(count)
    return agrees(theirs, ours, [x(R.randint(1, 4), 3, R.randint(1, 5))]) and name


def rms_norm():
    n = R.randint(1, 7)
    return agrees(T.RMSNorm(n, eps=1e-6), nn.RMSNorm(), [x(*[R.randint(1, 3) for _ in range(R.randint(0, 3))], n)])


def group_norm():
    groups, per = R.randint(1, 3), R.randint(1, 3)
    size = [R.randint(1, 4) for _ in range(R.randint(0, 3))]
    if per * int(np.prod(size)) < 2:
        size = size + [3]
    return agrees(T.GroupNorm(groups, groups * per, eps=1e-3), nn.GroupNorm(groups, eps=1e-3), [x(R.randint(1, 3), groups * per, *size)], tolerance=1e-3)


def instance_norm():
    size, channels, affine = [R.randint(2, 4) for _ in range(R.randint(1, 3))], R.randint(1, 3), some(True, False)
    return agrees(getattr(T, f"InstanceNorm{len(size)}d")(channels, affine=affine, eps=1e-3), nn.InstanceNorm(affine=affine, eps=1e-3), [x(R.randint(1, 3), channels, *size)], tolerance=1e-3)


def batch_norm():
    size, channels = [R.randint(1, 4) for _ in range(R.randint(0, 3))], R.randint(1, 3)
    theirs, ours = getattr(T, f"BatchNorm{max(len(size), 1)}d")(channels, eps=1e-3), nn.BatchNorm(eps=1e-3)
    given = [x(R.randint(2, 5), channels, *size)]
    first = agrees(theirs, ours, given, tolerance=1e-3, call=lambda t: theirs(t), ours_call=lambda t: ours(t))
    theirs, ours = getattr(T, f"BatchNorm{max(len(size), 1)}d")(channels, eps=1e-3), nn.BatchNorm(eps=1e-3)
    for _ in range(3):
        theirs(given[0]), ours(here(given[0].detach().numpy()))
    theirs.eval(), ours.eval()
    same = all(close(ours.parameters()[n], getattr(theirs, n), 1e-4) for n in ("running_mean", "running_var"))
    return first or agrees(theirs, ours, given, tolerance=1e-3) or ("" if same else "moments")


def bilinear():
    a, b, out, bias, rows = R.randint(1, 4), R.randint(1, 4), R.randint(1, 4), some(True, False), [R.randint(1, 3) for _ in range(R.randint(0, 2))]
    return agrees(T.Bilinear(a, b, out, bias=bias), nn.Bilinear(out, bias=bias), [x(*rows, a), x(*rows, b)])


def embedding_bag():
    count, width, n, batch, mode = R.randint(1, 6), R.randint(1, 4), R.randint(1, 5), R.randint(1, 4), some("mean", "sum", "max")
    theirs, ours = T.EmbeddingBag(count, width, mode=mode), nn.EmbeddingBag(count, width, mode=mode)
    index = torch.tensor([[R.randrange(count) for _ in range(n)] for _ in range(batch)])
    if mode == "sum" and some(True, False):
        weights = x(batch, n)
        return agrees(theirs, ours, [index, weights], call=lambda i, w: theirs(i, per_sample_weights=w), second=False)
    if mode == "max":  # of equal rows torch takes one
        index = torch.tensor([R.sample(range(count), min(n, count)) for _ in range(batch)])
    return agrees(theirs, ours, [index], second=False)


def recurrent():
    kind = some("RNN", "GRU", "LSTM")
    width, size, layers, time, batch = R.randint(1, 7), R.randint(1, 6), R.randint(1, 3), R.randint(1, 6), R.randint(1, 4)
    both, bias, first, ragged, start, relu = (some(True, False) for _ in range(6))
    given = {"relu": True} if kind == "RNN" and relu else {}
    theirs = getattr(T, kind)(size, width, num_layers=layers, bias=bias, batch_first=not first, bidirectional=both, **({"nonlinearity": "relu"} if given else {}))
    ours = getattr(nn, kind)(width, layers=layers, bias=bias, time_first=first, bidirectional=both, **given)
    lengths = [R.randint(1, time) for _ in range(batch)]
    states = [x(layers * (1 + both), batch, width) for _ in range(2 if kind == "LSTM" else 1)] if start else []

    def call(t, *states):
        t = torch.nn.utils.rnn.pack_padded_sequence(t, torch.tensor(lengths), batch_first=not first, enforce_sorted=False) if ragged else t
        y, ends = theirs(t, tuple(states) if len(states) == 2 else states[0]) if states else theirs(t)
        if ragged:
            y, _ = torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=not first, total_length=time)
        return y, ends

    def ours_call(t, *states):
        return ours(t, *states, **({"lengths": here(np.array(lengths, np.int32))} if ragged else {}))
    return agrees(theirs, ours, [x(time, batch, size) if first else x(batch, time, size)] + states, call=call, ours_call=ours_call)


def attention():
    heads, per, batch, queries, keys, bias = R.randint(1, 3), R.randint(1, 4), R.randint(1, 3), R.randint(1, 5), R.randint(1, 5), some(True, False)
    theirs, ours = T.MultiheadAttention(heads * per, heads, bias=bias, batch_first=True), nn.MultiheadAttention(heads * per, heads, bias=bias, causal=False)
    kind = some("self", "causal", "cross", "lengths", "mask", "added")
    q, k, v = x(batch, queries, heads * per), x(batch, keys, heads * per), x(batch, keys, heads * per)
    if kind in ("self", "causal"):
        if kind == "causal":
            ours = nn.MultiheadAttention(heads * per, heads, bias=bias, causal=True)
        mask = torch.triu(torch.ones(queries, queries, dtype=torch.bool), 1) if kind == "causal" else None
        return agrees(theirs, ours, [q], call=lambda q: theirs(q, q, q, attn_mask=mask, need_weights=False)[0], ours_call=lambda q: ours(q)) and kind
    lengths = np.array([R.randint(1, keys) for _ in range(batch)], np.int32)
    off = torch.tensor(np.arange(keys)[None] >= lengths[:, None]) if kind == "lengths" else None
    mask = torch.rand(queries, keys) < 0.4 if kind == "mask" else torch.randn(queries, keys) if kind == "added" else None
    if kind == "mask":
        mask[:, 0] = False
    own = {"lengths": here(lengths)} if kind == "lengths" else {"mask": here((~mask if kind == "mask" else mask).numpy())} if mask is not None else {}
    return agrees(theirs, ours, [q, k, v], call=lambda *t: theirs(*t, attn_mask=mask, key_padding_mask=off, need_weights=False)[0], ours_call=lambda *t: ours(*t, **own)) and kind


def grouped_attention():
    """Against the formula of PyTorch's scaled_dot_product_attention."""
    groups, each, per, batch, n = R.randint(1, 3), R.randint(1, 3), 2 * R.randint(1, 3), R.randint(1, 3), R.randint(1, 5)
    heads, causal, base = groups * each, some(True, False), some(0, 10000.0)
    width = heads * per
    ours = nn.MultiheadAttention(width, heads, kv_heads=groups, causal=causal, rotary=base)

    class Theirs(T.Module):
        def __init__(self):
            super().__init__()
            self.in_proj_weight, self.in_proj_bias = T.Parameter(torch.randn(width + 2 * groups * per, width)), T.Parameter(torch.randn(width + 2 * groups * per))
            self.out_proj = T.Linear(width, width)

        def forward(self, t):
            q, k, v = torch.split(T.functional.linear(t, self.in_proj_weight, self.in_proj_bias), [width, groups * per, groups * per], -1)
            q, k, v = (a.reshape(batch, n, -1, per).transpose(1, 2) for a in (q, k, v))
            if base:
                angle = torch.arange(n)[:, None] * base ** (-torch.arange(per // 2) * 2 / per)
                turn = torch.polar(torch.ones_like(angle), angle)
                q, k = (torch.view_as_real(torch.complex(a[..., :per // 2], a[..., per // 2:]) * turn).transpose(-1, -2).reshape(a.shape) for a in (q, k))
            k, v = k.repeat_interleave(each, 1), v.repeat_interleave(each, 1)
            score = q @ k.transpose(-1, -2) / per ** 0.5
            if causal:
                score = score.masked_fill(torch.triu(torch.ones(n, n, dtype=torch.bool), 1), -torch.inf)
            return self.out_proj((score.softmax(-1) @ v).transpose(1, 2).reshape(batch, n, width))
    return agrees(Theirs(), ours, [x(batch, n, width)], tolerance=5e-4)


def cached_attention():
    """One position after the other gives what all at once give."""
    groups, each, per, batch, n = R.randint(1, 2), R.randint(1, 2), 2 * R.randint(1, 2), R.randint(1, 3), R.randint(1, 5)
    ours = nn.MultiheadAttention(groups * each * per, groups * each, kv_heads=groups, causal=True, rotary=some(0, 100.0))
    t = situ.random.normal(situ.random.key(R.randrange(1000)), (batch, n, groups * each * per))
    whole, k, rows, at = np.asarray(ours(t)), situ.zeros((batch, groups, n + 2, per)), [], 0
    v = k
    while at < n:
        step = min(R.randint(1, 2), n - at)
        y, (k, v) = ours(t[:, at:at + step], k=k, v=v, at=here(np.int32(at)))
        rows.append(np.asarray(y))
        at += step
    return "" if np.abs(np.concatenate(rows, 1) - whole).max() < 1e-5 else "values"


def encoder():
    heads, per, batch, n, bias = R.randint(1, 3), R.randint(1, 3), R.randint(1, 3), R.randint(1, 4), some(True, False)
    first, feed = some(True, False), some("relu", "gelu")
    theirs = T.TransformerEncoderLayer(heads * per, heads, 5, 0.0, feed, 1e-3, True, first, bias=bias)
    ours = nn.TransformerEncoderLayer(heads * per, heads, hidden=5, dropout=0, feed=feed, eps=1e-3, norm_first=first, bias=bias)
    if not bias:  # torch leaves the norms' bias out, too
        return ""
    lengths = np.array([R.randint(1, n) for _ in range(batch)], np.int32)
    off = torch.tensor(np.arange(n)[None] >= lengths[:, None])
    return agrees(theirs, ours, [x(batch, n, heads * per)], call=lambda t: theirs(t, src_key_padding_mask=off), ours_call=lambda t: ours(t, lengths=here(lengths)), tolerance=2e-3, second=heads * per > 1)


def decoder():
    heads, per, batch, n, m = R.randint(1, 3), R.randint(1, 3), R.randint(1, 3), R.randint(1, 4), R.randint(1, 4)
    first, feed = some(True, False), some("relu", "gelu")
    theirs = T.TransformerDecoderLayer(heads * per, heads, 5, 0.0, feed, 1e-3, True, first)
    ours = nn.TransformerDecoderLayer(heads * per, heads, hidden=5, dropout=0, feed=feed, eps=1e-3, norm_first=first)
    mask = torch.triu(torch.ones(n, n, dtype=torch.bool), 1)
    return agrees(theirs, ours, [x(batch, n, heads * per), x(batch, m, heads * per)], call=lambda t, memory: theirs(t, memory, tgt_mask=mask), tolerance=2e-3)


def main():
    bad = total = 0
    for test in (activation, rms_norm, group_norm, instance_norm, batch_norm, bilinear, embedding_bag, recurrent, attention, grouped_attention, cached_attention, encoder, decoder):
        if WORD not in test.__name__:
            continue
        wrong = []
        for case in range(int(CASES)):
            try:
                words = test()
            except Exception as e:  # noqa: BLE001
                words = f"{type(e).__name__}: {e}"
            if words:
                wrong.append(f"case {case}: {words}")
        total, bad = total + int(CASES), bad + len(wrong)
        print(f"{'FAIL' if wrong else 'PASS'} layers: {test.__name__}: {int(CASES) - len(wrong)} of {CASES} agree {'; '.join(wrong[:3])}", flush=True)
    print(f"{total - bad} of {total} agree")
    return bad > 0


if __name__ == "__main__":
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):  # the others have no second gradients
        with getattr(situ, KIND)(0):
            sys.exit(main())
