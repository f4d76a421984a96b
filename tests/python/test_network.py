"""Convolution, pooling, normalisation, embedding and attention against NumPy, over random shapes and options, on the CPU and
on simulated devices, whose bits must be the same. Gradients: a result that is linear in an operand has the gradient g -> A^T g,
and <A x, g> = <x, A^T g>; the others are compared with differences in tests/unit/test_every_gradient.c."""
import hashlib
import os
import subprocess
import sys

import numpy as np

import situ
from situ import _situ as ops
from support import DEVICES, array, cases, numpy, raises, run

EPS = {"f32": 2.0**-24, "f64": 2.0**-53, "f16": 2.0**-11, "bf16": 2.0**-8}


def draw(rng, *shape):
    return rng.uniform(-2, 2, shape)


def on_devices(function, arrays, dtype):
    """The result and its gradients by the arrays on each device; all have the same bits."""
    results = []
    for device in dict.fromkeys(DEVICES[:4]):
        tensors = [array(a, dtype, device) for a in arrays]
        y = function(*tensors)
        g = array(np.random.default_rng(5).uniform(-1, 1, y.shape), y.dtype, device)
        grads = situ.gradients(y, tensors, g)
        results.append([numpy(t) for t in (y, g, *grads)])
    for other in results[1:]:
        for a, b in zip(results[0], other):
            assert a.tobytes() == b.tobytes(), "other bits on another device"
    return results[0]


def close(got, want, scale, what):
    assert got.shape == want.shape, f"{what}: shape {got.shape}, not {want.shape}"
    error = np.abs(got.astype(np.float64) - want)
    assert (error <= scale).all(), f"{what}: off by {error.max():.3g}, bound {np.max(scale):.3g}"


def windows(x, size, stride, dilation, value=0.0, padding=(0, 0)):
    """[n, c, out h, out w, size h, size w] of x."""
    x = np.pad(x, [(0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2], constant_values=value)
    reach = [(k - 1) * d + 1 for k, d in zip(size, dilation)]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, (2, 3))
    return view[:, :, ::stride[0], ::stride[1], ::dilation[0], ::dilation[1]]


def conv(x, w, stride, padding, dilation, groups):
    parts = windows(x, w.shape[2:], stride, dilation, padding=padding)
    split = np.split(parts, groups, 1), np.split(w, groups, 0)
    return np.concatenate([np.einsum("nchwij,ocij->nohw", a, b) for a, b in zip(*split)], 1)


def draw_conv(rng, large):
    groups = int(rng.choice([1, 1, 1, 2, 3]))
    inner, outer = (int(rng.integers(1, 20 if large else 4)) for _ in range(2))
    kernel = [int(k) for k in rng.integers(1, 6, 2)]
    stride, dilation = [int(k) for k in rng.choice([1, 1, 2, 3], 2)], [int(k) for k in rng.choice([1, 1, 1, 2], 2)]
    padding = [int(k) for k in rng.integers(0, 4, 2)]
    image = [max(1, (k - 1) * d + 1 - 2 * p) + int(rng.integers(0, 36 if large else 9)) for k, d, p in zip(kernel, dilation, padding)]
    x = draw(rng, int(rng.integers(1, 7)), groups * inner, *image)
    return x, draw(rng, groups * outer, inner, *kernel), tuple(stride), tuple(padding), tuple(dilation), groups


def test_conv2d():
    rng = np.random.default_rng(1)
    for k in range(cases(120)):
        dtype = ("f32", "f32", "f64")[k % 3]
        x, w, stride, padding, dilation, groups = draw_conv(rng, k % 2)
        what = f"conv2d {dtype} {x.shape} {w.shape} stride {stride} padding {padding} dilation {dilation} groups {groups}"
        x, w = (a.astype({"f32": np.float32, "f64": np.float64}[dtype]).astype(np.float64) for a in (x, w))
        y, g, dx, dw = on_devices(lambda x, w: ops.conv2d(x, w, stride=stride, padding=padding, dilation=dilation, groups=groups), [x, w], dtype)
        terms = w[0].size
        bound = EPS[dtype] * (terms + 8) * conv(np.abs(x), np.abs(w), stride, padding, dilation, groups)
        close(y, conv(x, w, stride, padding, dilation, groups), bound + 1e-30, what)
        # linear in x and in w: <y, g> = <x, dx> = <w, dw>; and for random directions, element by element
        for operand, grad, name in ((x, dx, "x"), (w, dw, "w")):
            u = rng.uniform(-1, 1, operand.shape)
            moved = conv(u, w, stride, padding, dilation, groups) if name == "x" else conv(x, u, stride, padding, dilation, groups)
            left, right = float((moved * g).sum()), float((u * grad.astype(np.float64)).sum())
            scale = np.abs(u * grad).sum() + np.abs(moved * g).sum()
            assert abs(left - right) <= 40 * EPS[dtype] * scale, f"{what}: gradient by {name}: {right} instead of {left}"
            assert grad.shape == operand.shape


def test_conv2d_of_few_images():
    """One to seven images are cut by outputs, eight are not: the bits of an image are the same, and of its gradient."""
    rng = np.random.default_rng(3)
    cut = 0
    for k in range(cases(20)):
        x, w, stride, padding, dilation, groups = draw_conv(rng, True)
        inner, outer = int(rng.integers(8, 30)), int(rng.integers(8, 70))
        x, w = draw(rng, 8, groups * inner, *[n + 16 for n in x.shape[2:]]), draw(rng, groups * outer, inner, *w.shape[2:])
        tensors = [array(a, "f32") for a in (x, w)]
        y = ops.conv2d(*tensors, stride=stride, padding=padding, dilation=dilation, groups=groups)
        g = array(draw(rng, *y.shape), "f32")
        whole = [numpy(t) for t in (y, situ.gradients(y, tensors[:1], g)[0])]
        for n in (1, 2, 3, 5, 7):
            few = array(x[:n], "f32")
            z = ops.conv2d(few, tensors[1], stride=stride, padding=padding, dilation=dilation, groups=groups)
            part = situ.gradients(z, [few], ops.slice(g, stop=[n]))[0]
            for a, b in zip((z, part), whole):
                assert numpy(a).tobytes() == b[:n].tobytes(), f"{n} of {x.shape} by {w.shape} stride {stride} groups {groups}"
        cut += y.shape[1] // groups * np.prod(y.shape[2:]) * w[0].size >= 2 << 20
    assert cut or cases(20) < 20, "none is large enough to be cut"
    return f"{cut} of {cases(20)} are cut"


def test_conv2d_single_taps():
    """Gradients element by element: x and w of small integers are exact."""
    rng = np.random.default_rng(2)
    for _ in range(cases(60)):
        x, w, stride, padding, dilation, groups = draw_conv(rng, False)
        x, w = np.rint(x), np.rint(w)
        tensors = [array(a, "f32") for a in (x, w)]
        y = ops.conv2d(*tensors, stride=stride, padding=padding, dilation=dilation, groups=groups)
        g = np.rint(rng.uniform(-3, 3, y.shape))
        dx, dw = (numpy(t) for t in situ.gradients(y, tensors, array(g, "f32")))
        assert (numpy(y) == conv(x, w, stride, padding, dilation, groups)).all()
        for at in [tuple(rng.integers(0, d) for d in x.shape) for _ in range(6)]:
            unit = np.zeros(x.shape)
            unit[at] = 1
            assert dx[at] == (conv(unit, w, stride, padding, dilation, groups) * g).sum(), f"dx at {at} of {x.shape} {w.shape} {stride} {padding}"
        for at in [tuple(rng.integers(0, d) for d in w.shape) for _ in range(6)]:
            unit = np.zeros(w.shape)
            unit[at] = 1
            assert dw[at] == (conv(x, unit, stride, padding, dilation, groups) * g).sum(), f"dw at {at} of {x.shape} {w.shape} {stride} {padding}"


def test_conv1d_and_halves():
    rng = np.random.default_rng(3)
    for k in range(cases(20)):
        x, w = draw(rng, 2, 3, 11), draw(rng, 4, 3, 3)
        want = conv(x[:, :, None], w[:, :, None], (1, 2), (0, 1), (1, 1), 1)[:, :, 0]
        y = on_devices(lambda x, w: ops.conv1d(x, w, stride=2, padding=1), [x, w], "f64")[0]
        close(y, want, 1e-13, "conv1d")
        for dtype in ("f16", "bf16"):
            a, b = (array(v, dtype) for v in (x, w))
            y = ops.conv1d(a, b, stride=2, padding=1)
            assert y.dtype.short == dtype
            rounded = [numpy(t).astype(np.float64) for t in (a, b)]
            want = conv(rounded[0][:, :, None], rounded[1][:, :, None], (1, 2), (0, 1), (1, 1), 1)[:, :, 0]
            close(numpy(y), want, EPS[dtype] * np.abs(want) * 1.01 + 1e-5, f"conv1d {dtype}")


def test_pools():
    rng = np.random.default_rng(4)
    for k in range(cases(80)):
        dtype = ("f32", "f64")[k % 2]
        size = [int(v) for v in rng.integers(1, 4, 2)]
        stride = [int(v) for v in rng.integers(1, 4, 2)] if rng.random() < 0.6 else size
        padding = [int(rng.integers(0, s // 2 + 1)) for s in size]
        x = np.rint(draw(rng, 2, 3, *[int(s + rng.integers(0, 12)) for s in size]) * 3)  # with ties
        how = dict(stride=stride, padding=padding)
        parts = windows(x, size, stride, (1, 1), -np.inf, padding)
        y, g, dx = on_devices(lambda x: ops.max_pool2d(x, size, **how), [x], dtype)
        assert (y == parts.max((4, 5))).all(), f"max_pool2d {x.shape} {size} {how}"
        best = parts.reshape(*parts.shape[:4], -1).argmax(-1)
        want = np.zeros(np.add(x.shape, [0, 0, 2 * padding[0], 2 * padding[1]]))
        for n, c, h, v in np.ndindex(*best.shape):
            i, j = divmod(int(best[n, c, h, v]), size[1])
            want[n, c, h * stride[0] + i, v * stride[1] + j] += g[n, c, h, v]
        want = want[:, :, padding[0]:padding[0] + x.shape[2], padding[1]:padding[1] + x.shape[3]]
        close(dx, want, 20 * EPS[dtype], f"max_pool2d's gradient {x.shape} {size} {how}")
        for whole in (True, False):
            zeros, ones = windows(x, size, stride, (1, 1), 0, padding), windows(np.ones_like(x), size, stride, (1, 1), 0, padding)
            count = size[0] * size[1] if whole else ones.sum((4, 5))
            y, g, dx = on_devices(lambda x: ops.avg_pool2d(x, size, count_padding=whole, **how), [x], dtype)
            close(y, zeros.sum((4, 5)) / count, 40 * EPS[dtype], f"avg_pool2d {x.shape} {size} {how}")
            u = rng.uniform(-1, 1, x.shape)
            left = float((windows(u, size, stride, (1, 1), 0, padding).sum((4, 5)) / count * g).sum())
            assert abs(left - float((u * dx).sum())) <= 1e2 * EPS[dtype] * (1 + np.abs(u * dx).sum()), f"avg_pool2d's gradient {how}"


def test_max_pool_takes_nan():
    x = np.array([[1, np.nan, 2, 5], [3, 4, np.nan, np.nan]], np.float32)
    y = ops.max_pool2d(array(x), 2)
    assert np.isnan(numpy(y)).all()


def test_norms():
    rng = np.random.default_rng(6)
    for k in range(cases(40)):
        dtype = ("f32", "f64")[k % 2]
        shape = [int(rng.integers(1, 6)) for _ in range(rng.integers(0, 3))] + [int(rng.choice([2, 3, 8, 17, 64, 129, 1500]))]
        x, scale, shift = draw(rng, *shape), draw(rng, shape[-1]), draw(rng, shape[-1])
        y = on_devices(lambda *t: ops.layer_norm(*t, eps=1e-3), [x, scale, shift], dtype)[0]
        want = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-3) * scale + shift
        close(y, want, 1e4 * EPS[dtype], f"layer_norm {shape}")
        maps = [int(rng.integers(2, 6)), int(rng.integers(1, 5)), *[int(rng.integers(1, 9)) for _ in range(rng.integers(0, 3))]]
        x, scale, shift = draw(rng, *maps), draw(rng, maps[1]), draw(rng, maps[1])
        over = tuple(i for i in range(len(maps)) if i != 1)
        wide = [1, maps[1]] + [1] * (len(maps) - 2)
        y = on_devices(lambda *t: ops.batch_norm(*t, eps=1e-2), [x, scale, shift], dtype)[0]
        want = (x - x.mean(over, keepdims=True)) / np.sqrt(x.var(over, keepdims=True) + 1e-2) * scale.reshape(wide) + shift.reshape(wide)
        close(y, want, 1e4 * EPS[dtype], f"batch_norm {maps}")


def test_running_moments():
    rng = np.random.default_rng(7)
    for device in dict.fromkeys(DEVICES[:4]):
        mean, variance = (situ.variable(array(v, "f32", device)) for v in (np.zeros(3), np.ones(3)))
        scale, shift = (array(v, "f32", device) for v in (np.array([1.5, 0.5, 2]), np.array([0.1, 0.2, 0.3])))
        expected = [np.zeros(3), np.ones(3)]
        for _ in range(4):
            x = draw(rng, 5, 3, 2, 4)
            numpy(ops.batch_norm(array(x, "f32", device), scale, shift, mean=mean, variance=variance, momentum=0.25))
            n = x.size // 3
            now = [x.mean((0, 2, 3)), x.var((0, 2, 3)) * n / (n - 1)]
            expected = [0.75 * e + 0.25 * v for e, v in zip(expected, now)]
        close(numpy(mean), expected[0], 1e-6, "running mean")
        close(numpy(variance), expected[1], 1e-5, "running variance")
        y = numpy(ops.batch_norm(array(x, "f32", device), scale, shift, mean=mean, variance=variance, inference=True))
        m, v = (e.reshape(1, 3, 1, 1) for e in expected)
        close(y, (x - m) / np.sqrt(v + 1e-5) * np.array([1.5, 0.5, 2]).reshape(1, 3, 1, 1) + np.array([0.1, 0.2, 0.3]).reshape(1, 3, 1, 1), 1e-5, "inference")


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_attention():
    rng = np.random.default_rng(8)
    for k in range(cases(40)):
        dtype, causal = ("f32", "f64")[k % 2], bool(k % 3 == 0)
        batch = [int(rng.integers(1, 4)) for _ in range(rng.integers(0, 3))]
        rows, columns, width, out = (int(rng.choice([1, 2, 3, 7, 8, 16, 33, 64])) for _ in range(4))
        q, keys, v = draw(rng, *batch, rows, width), draw(rng, *batch, columns, width), draw(rng, *batch, columns, out)
        s = q @ keys.swapaxes(-1, -2) / np.sqrt(width)
        if causal:
            s = np.where(np.tri(rows, columns, dtype=bool), s, -np.inf)
        y = on_devices(lambda *t: ops.attention(*t, causal=causal), [q, keys, v], dtype)[0]
        close(y, softmax(s) @ v, 1e3 * EPS[dtype], f"attention {q.shape} {keys.shape} {v.shape}")
        heads, small, places = int(rng.choice([1, 2, 4])), int(rng.choice([1, 3, 8, 16, 32])), int(rng.choice([1, 2, 5, 16, 40, 64, 70]))
        x = draw(rng, *batch, places, 3 * heads * small)
        parts = x.reshape(*batch, places, 3, heads, small)
        q, keys, v = (np.moveaxis(parts[..., i, :, :], -2, -3) for i in range(3))
        s = q @ keys.swapaxes(-1, -2) / np.sqrt(small)
        if causal:
            s = np.where(np.tri(places, dtype=bool), s, -np.inf)
        want = np.moveaxis(softmax(s) @ v, -3, -2).reshape(*batch, places, heads * small)
        y, g, dx = on_devices(lambda x: ops.self_attention(x, heads, causal=causal), [x], dtype)
        close(y, want, 1e3 * EPS[dtype], f"self_attention {x.shape} {heads} heads")
        # the same by parts
        t = array(x, dtype)
        parts = ops.reshape(t, (*batch, places, 3, heads, small))
        each = [ops.swapaxes(ops.select(parts, -3, i), -2, -3) for i in range(3)]
        composed = ops.reshape(ops.swapaxes(ops.attention(*each, causal=causal), -2, -3), y.shape)
        grad = numpy(situ.gradients(composed, [t], array(g, dtype))[0])
        close(dx, grad, 4e3 * EPS[dtype], f"self_attention's gradient {x.shape} {heads} heads, causal {causal}")


def test_embedding():
    rng = np.random.default_rng(9)
    for dtype in ("f32", "f64"):
        table, index = draw(rng, 7, 5), rng.integers(0, 7, (4, 6))
        y, g, grad = on_devices(lambda t: ops.embedding(t, array(index, device=t.device)), [table], dtype)
        assert (y == table.astype(y.dtype)[index]).all()
        want = np.zeros((7, 5))
        np.add.at(want, index, g.astype(np.float64))
        close(grad, want, 20 * EPS[dtype], "embedding's gradient")


def digest():
    """A hash of values and gradients of products, convolutions, norms and attention."""
    rng, total = np.random.default_rng(12), hashlib.sha256()
    for k in range(24):
        x, w, stride, padding, dilation, groups = draw_conv(rng, k % 2)
        dtype = ("f32", "f32", "f64")[k % 3]
        m, n, d = (int(rng.integers(1, 90)) for _ in range(3))
        calls = [(lambda x, w: ops.conv2d(x, w, stride=stride, padding=padding, dilation=dilation, groups=groups), [x, w]),
                 (ops.matmul, [draw(rng, m, d), draw(rng, d, n)]), (ops.matmul, [draw(rng, m, 300), draw(rng, 300)]), (ops.matmul, [draw(rng, 300), draw(rng, 300, n)]),
                 (ops.layer_norm, [draw(rng, m, n), draw(rng, n), draw(rng, n)]), (ops.batch_norm, [draw(rng, m, 3, n), draw(rng, 3), draw(rng, 3)]),
                 (lambda x: ops.self_attention(x, 2, causal=bool(k % 2)), [draw(rng, 2, m, 6 * (n % 9 + 1))])]
        if k < 2:
            calls.append((ops.matmul, [draw(rng, 160, 520), draw(rng, 520, 145)]))
        for function, arrays in calls:
            tensors = [array(a, dtype) for a in arrays]
            y = function(*tensors)
            g = array(np.random.default_rng(5).uniform(-1, 1, y.shape), y.dtype)
            for t in (y, *situ.gradients(y, tensors, g)):
                total.update(numpy(t).tobytes())
    return total.hexdigest()


def test_bits():
    """One thread and two, AVX2 and any machine: the same bits, as long as no library multiplies."""
    found = {}
    for threads, isa in (("2", "avx2"), ("1", "avx2"), ("2", "baseline")):
        environment = {**os.environ, "SITU_THREADS": threads, "SITU_ISA": isa, "SITU_BLAS": "own"}
        result = subprocess.run([sys.executable, __file__, "--digest"], env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        found[threads, isa] = result.stdout.strip()
    assert len(set(found.values())) == 1, str(found)


def test_refusals():
    """Each message says what is wrong and what to write."""
    x, w = array(np.ones((1, 3, 4, 4), np.float32)), array(np.ones((2, 3, 5, 5), np.float32))
    ones = array(np.ones(4, np.float32))
    three = array(np.ones(3, np.float32))
    for call, words in [(lambda: ops.conv2d(x, w), "does not fit"), (lambda: ops.conv2d(x, w, groups=3), "channels"),
                        (lambda: ops.conv2d(ones, w), "[n, channels"), (lambda: ops.conv2d(x, w, stride=0), ": stride is"),
                        (lambda: ops.conv2d(x, w, padding=-1), ": padding is"), (lambda: ops.conv2d(x, w, groups=0), "groups = 0"),
                        (lambda: ops.max_pool2d(x, 5), "does not fit"), (lambda: ops.max_pool2d(x, 2, padding=2), "padding"),
                        (lambda: ops.avg_pool2d(x, 0), "windows"), (lambda: ops.layer_norm(x, ones, three), "vectors"),
                        (lambda: ops.batch_norm(x, ones, ones), "vectors"),
                        (lambda: ops.batch_norm(x, three, three, inference=True), "mean"), (lambda: ops.attention(x, w, w), "attention"),
                        (lambda: ops.self_attention(x, 3), "heads"), (lambda: ops.embedding(x, ones), "table")]:
        raises(situ.Error, call, words)


if __name__ == "__main__" and "--digest" in sys.argv:
    print(digest())
elif __name__ == "__main__":
    run(globals())
