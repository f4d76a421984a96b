"""Moves, indexing, sorting, searching, creation, complex numbers and text against NumPy: all exact."""

import numpy as np

import situ
from situ import _situ as ops
from support import (COMPLEX, DEVICES, DTYPES, FLOATS, INTEGERS, NUMPY, REALS, array, broadcastable, cases, exactly, numpy,
                     operand, pick, raises, random_shape, rounded, run, values)


def random_axis(rng, ndim):
    return int(rng.integers(-ndim, ndim))


# ---- moves: (needs dimensions, call) -> (tensor, array) ---------------------------------------------------------------------

def move_reshape(rng, x, a):
    count, dims = a.size, []
    while count > 1 and len(dims) < 5:
        divisors = [d for d in range(1, count + 1) if count % d == 0]
        dims.append(int(rng.choice(divisors)))
        count //= dims[-1]
    dims = dims + [count] if a.size else [0, 3]
    if a.size and rng.random() < 0.4:
        dims[rng.integers(len(dims))] = -1
    return ops.reshape(x, dims), a.reshape(dims)


def move_permute(rng, x, a):
    order = [int(i) for i in rng.permutation(a.ndim)]
    return ops.permute_dims(x, [i - a.ndim if rng.random() < 0.3 else i for i in order]), a.transpose(order)


def move_transpose(rng, x, a):
    return (ops.transpose if rng.random() < 0.5 else ops.matrix_transpose)(x), np.swapaxes(a, -1, -2)


def move_swapaxes(rng, x, a):
    i, k = random_axis(rng, a.ndim), random_axis(rng, a.ndim)
    return ops.swapaxes(x, i, k), np.swapaxes(a, i, k)


def move_moveaxis(rng, x, a):
    i, k = random_axis(rng, a.ndim), random_axis(rng, a.ndim)
    return ops.moveaxis(x, i, k), np.moveaxis(a, i, k)


def move_expand_dims(rng, x, a):
    axis = random_axis(rng, a.ndim + 1)
    return ops.expand_dims(x, axis), np.expand_dims(a, axis)


def move_broadcast_to(rng, x, a):
    lead = [int(rng.integers(1, 4)) for _ in range(rng.integers(0, 3))]
    shape = lead + [int(rng.integers(1, 4)) if d == 1 else d for d in a.shape]
    given = lead + [-1 if rng.random() < 0.3 and n == d else n for n, d in zip(shape[len(lead):], a.shape)]
    return ops.broadcast_to(x, given), np.broadcast_to(a, shape)


def move_select(rng, x, a):
    axis = random_axis(rng, a.ndim)
    n = a.shape[axis]
    if not n:
        return x, a
    i = int(rng.integers(-n, n))
    return ops.select(x, axis, i), np.take(a, i, axis)


def move_diagonal(rng, x, a):
    offset = int(rng.integers(-3, 4))
    return ops.diagonal(x, offset=offset), np.diagonal(a, offset, -2, -1)


def move_squeeze(rng, x, a):
    ones = [i for i, d in enumerate(a.shape) if d == 1]
    if rng.random() < 0.4:
        return ops.squeeze(x, None), np.squeeze(a)
    axes = tuple(i - a.ndim if rng.random() < 0.3 else i for i in ones if rng.random() < 0.6)
    return ops.squeeze(x, axis=axes), np.squeeze(a, axes)


def move_flip(rng, x, a):
    if rng.random() < 0.3:
        return ops.flip(x), np.flip(a)
    axes = tuple(i for i in range(a.ndim) if rng.random() < 0.5)
    return ops.flip(x, axis=axes), np.flip(a, axes)


FULL = -2**63


def move_slice(rng, x, a):
    parts = []
    for n in a.shape[:rng.integers(0, a.ndim + 1)]:
        start, stop = (None if rng.random() < 0.25 else int(rng.integers(-n - 2, n + 3)) for _ in range(2))
        parts.append(slice(start, stop, int(rng.choice([1, 1, 2, 3, -1, -2, 7]))))
    how = {"start": [FULL if p.start is None else p.start for p in parts],
           "stop": [FULL if p.stop is None else p.stop for p in parts], "step": [p.step for p in parts]}
    # An empty shape is not to be told from {0}, which would mean another slice: options of no axes are left out.
    return ops.slice(x, **(how if parts else {})), a[tuple(parts)]


def move_update_slice(rng, x, a):
    sizes = [int(rng.integers(0, n + 1)) for n in a.shape]
    start = [int(rng.integers(0, n - s + 1)) for n, s in zip(a.shape, sizes)]
    dtype = x.dtype
    v, b = operand(rng, sizes, dtype, device=x.device)
    out = np.array(a)
    out[tuple(slice(i, i + s) for i, s in zip(start, sizes))] = b
    given = [i - n if i and rng.random() < 0.3 else i for i, n in zip(start, a.shape)]
    return ops.update_slice(x, v, given), out


def move_roll(rng, x, a):
    shift = int(rng.integers(-9, 10))
    if not a.ndim or rng.random() < 0.3:
        return ops.roll(x, shift), np.roll(a, shift)
    axis = random_axis(rng, a.ndim)
    return ops.roll(x, shift, axis=axis), np.roll(a, shift, axis)


def move_pad(rng, x, a):
    before, after = ([int(rng.integers(0, 3)) for _ in a.shape] for _ in range(2))
    value = float(rng.choice([0, 1, 3])) if x.dtype.short != "bool" else float(rng.choice([0, 1]))
    want = np.pad(a, list(zip(before, after)), constant_values=value) if a.ndim else a
    return ops.pad(x, before, after, value=value), want


def move_tile(rng, x, a):
    counts = [int(rng.integers(0 if rng.random() < 0.1 else 1, 3)) for _ in a.shape]
    return ops.tile(x, counts), np.tile(a, counts)


def move_repeat(rng, x, a):
    count = int(rng.integers(0, 4))
    if not a.ndim or rng.random() < 0.3:
        return ops.repeat(x, count), np.repeat(a, count)
    axis = random_axis(rng, a.ndim)
    return ops.repeat(x, count, axis=axis), np.repeat(a, count, axis)


def move_tri(rng, x, a):
    diagonal = int(rng.integers(-3, 4))
    if rng.random() < 0.5:
        return ops.tril(x, k=diagonal), np.tril(a, diagonal)
    return ops.triu(x, k=diagonal), np.triu(a, diagonal)


def move_split(rng, x, a):
    axis, count = random_axis(rng, a.ndim), int(rng.integers(1, 5))
    parts, want = ops.split(x, count, axis), np.array_split(a, count, axis)
    for part, values in list(zip(parts, want))[1:]:
        exactly(part, values, "a part of split")
    return parts[0], want[0]


def move_concat(rng, x, a):
    axis = random_axis(rng, a.ndim)
    tensors, arrays = [x], [a]
    for _ in range(rng.integers(0, 20 if rng.random() < 0.2 else 4)):
        shape = list(a.shape)
        shape[axis] = int(rng.integers(0, 4))
        t, b = operand(rng, shape, x.dtype, device=x.device)
        tensors.append(t)
        arrays.append(b)
    return ops.concat(tensors, axis=axis), np.concatenate(arrays, axis)


def move_stack(rng, x, a):
    axis = random_axis(rng, a.ndim + 1)
    y, b = operand(rng, a.shape, x.dtype, device=x.device)
    return ops.stack([x, y, x], axis=axis), np.stack([a, b, a], axis)


NEEDS = {move_transpose: 2, move_diagonal: 2, move_tri: 2, move_swapaxes: 1, move_moveaxis: 1, move_select: 1, move_split: 1,
         move_concat: 1}
MOVES = [f for n, f in sorted(globals().items()) if n.startswith("move_")]


def test_moves():
    """Each move alone, every dtype, every layout."""
    failures = []
    for move in MOVES:
        rng = np.random.default_rng([21, *move.__name__.encode()])
        dtypes = REALS if move is move_tri else DTYPES  # made of `where`, which has no complex rule
        for k in range(cases(45)):
            dtype = dtypes[k % len(dtypes)]
            shape = random_shape(rng, 4)
            while len(shape) < NEEDS.get(move, 0):
                shape = (*shape, int(rng.integers(1, 4)))
            try:
                x, a = operand(rng, shape, dtype, -40, 40, device=pick(rng))
                y, b = move(rng, x, a)
                assert y.dtype.short == dtype, f"{y.dtype}"
                exactly(y, b, f"{dtype}{shape}")
            except (AssertionError, situ.Error) as error:
                failures.append(f"{move.__name__[5:]} of {dtype}{shape}: {error}")
                break
    assert not failures, " | ".join(failures)
    return f"{len(MOVES)} operations"


def test_moves_in_chains():
    """Views of views, with arithmetic between them."""
    for k in range(cases(400)):
        rng = np.random.default_rng([22, k])
        dtype = ["i32", "f32", "i64", "u8", "f64", "i16"][k % 6]
        x, a = operand(rng, random_shape(rng, 4), dtype, device=pick(rng))
        names = []
        for _ in range(rng.integers(2, 7)):
            move = MOVES[rng.integers(len(MOVES))]
            if a.ndim < NEEDS.get(move, 0) or a.ndim > 5 or a.size > 4000:
                continue
            x, a = move(rng, x, a)
            names.append(move.__name__[5:])
            if rng.random() < 0.4:
                y, b = operand(rng, broadcastable(rng, a.shape), dtype, device=x.device)
                x, a = ops.add(x, y), a + b
                names.append("add")
        exactly(x, a, f"case {k}: {dtype} {' '.join(names)}")


# ---- positions ---------------------------------------------------------------------------------------------------------------

def draw_index(rng, shape, n, device):
    dtype = INTEGERS[rng.integers(len(INTEGERS))]
    low = -n if dtype[0] == "i" and rng.random() < 0.5 else 0
    return operand(rng, shape, dtype, of=rng.integers(low, n, shape).astype(NUMPY[dtype]), device=device)


def test_take():
    rng = np.random.default_rng(23)
    for k in range(cases(200)):
        dtype = DTYPES[k % len(DTYPES)]
        device = pick(rng)
        shape = tuple(max(d, 1) for d in random_shape(rng, 4) or (5,))
        axis = random_axis(rng, len(shape))
        x, a = operand(rng, shape, dtype, device=device)
        index, i = draw_index(rng, random_shape(rng, 2), shape[axis], device)
        exactly(ops.take(x, index, axis=axis), np.take(a, i.astype(np.int64), axis), f"take {dtype}{shape}")
        where = list(shape)
        where[axis] = int(rng.integers(0, 5))
        index, i = draw_index(rng, where, shape[axis], device)
        exactly(ops.gather(x, index, axis=axis), np.take_along_axis(a, i.astype(np.int64), axis), f"gather {dtype}{shape}")


def test_scatter():
    rng = np.random.default_rng(24)
    for k in range(cases(200)):
        dtype = DTYPES[k % len(DTYPES)]
        with np.errstate(all="ignore"):
            device = pick(rng)
            shape = tuple(max(d, 1) for d in random_shape(rng, 3, 4) or (5,))
            axis = random_axis(rng, len(shape))
            x, a = operand(rng, shape, dtype, -5, 5, device=device)
            if dtype in FLOATS:
                x, a = operand(rng, shape, dtype, of=np.rint(a), device=device)
            where = list(shape)
            where[axis] = int(rng.integers(0, 6))
            index, i = draw_index(rng, where, shape[axis], device)
            v, b = operand(rng, where, dtype, of=rounded(rng.integers(0, 4, where), dtype), device=device)
            set_, added, i = a.copy(), a.copy(), i.astype(np.int64) % shape[axis]
            for at in np.ndindex(*where):
                to = list(at)
                to[axis] = i[at]
                set_[tuple(to)] = b[at]
                added[tuple(to)] += b[at]
            exactly(ops.scatter(x, index, v, axis=axis), set_, f"scatter {dtype}{shape}")
            if dtype == "bool":
                raises(situ.DTypeError, lambda: ops.scatter_add(x, index, v, axis=axis), "scatter_add")
                continue
            exactly(ops.scatter_add(x, index, v, axis=axis), added, f"scatter_add {dtype}{shape}")
            flat, j = draw_index(rng, (int(rng.integers(0, 6)),), shape[axis], device)
            v, b = operand(rng, [j.size if n == axis % len(shape) else d for n, d in enumerate(shape)], dtype,
                       device=device)
            if dtype in FLOATS:
                v, b = operand(rng, b.shape, dtype, of=np.rint(b), device=device)
            want = np.moveaxis(a.copy(), axis, 0)
            np.add.at(want, j.astype(np.int64), np.moveaxis(b, axis, 0))
            exactly(ops.index_add(x, flat, v, axis=axis), np.moveaxis(want, 0, axis), f"index_add {dtype}{shape}")


def test_one_hot():
    rng = np.random.default_rng(25)
    for dtype in INTEGERS:
        index, i = operand(rng, (3, 4), dtype, -2, 7)
        want = (i[..., None].astype(np.int64) == np.arange(5)).astype(np.float32)
        y = ops.one_hot(index, 5)
        assert y.dtype.short == "f32"
        exactly(y, want, f"one_hot {dtype}")
        exactly(ops.one_hot(index, 5, dtype="bool"), want.astype(bool), f"one_hot {dtype} bool")


def test_out_of_range():
    """Reads give 0 or NaN and an error at the barrier that names the operation and its line; the device goes on."""
    for device in {str(d): d for d in DEVICES}.values():
        x = array(np.arange(6.0, dtype=np.float32), device=device)
        index = array([1, 6], device=device)
        bad = ops.take(x, index)
        raises(situ.OutOfRangeError, lambda: numpy(bad), "take", "test_moves.py")
        bad = ops.scatter(x, index, array(np.ones(2, np.float32), device=device))
        raises(situ.OutOfRangeError, lambda: numpy(bad), "scatter")
        exactly(ops.add(x, 1), np.arange(1, 7), "what does not depend on it")


# ---- order -------------------------------------------------------------------------------------------------------------------

def draw_order(rng, k, device):
    dtype = REALS[k % len(REALS)]
    shape = random_shape(rng, 3) or (7,)
    if rng.random() < 0.15:
        shape = (int(rng.choice([100, 1000, 3000])),)
    x, a = operand(rng, shape, dtype, -6, 6, k % 3 == 0 and dtype != "bool", device)
    if dtype in FLOATS and k % 3:  # ties
        x, a = operand(rng, shape, dtype, of=np.rint(a), device=device)
    return x, a, dtype


def stable_order(a, axis, descending):
    """Equal elements keep their order, NaN comes last in both directions."""
    if not descending:
        return np.argsort(a, axis, kind="stable")
    nan = a != a
    ranks = np.unique(a[~nan], return_inverse=True)[1]
    keys = np.full(a.shape, 1, np.int64)
    keys[~nan] = -ranks
    return np.argsort(keys, axis, kind="stable")


def test_sort():
    rng = np.random.default_rng(26)
    for k in range(cases(200)):
        x, a, dtype = draw_order(rng, k, pick(rng))
        axis, descending = random_axis(rng, a.ndim), bool(rng.random() < 0.5)
        order, what = stable_order(a, axis, descending), f"{dtype}{a.shape} axis {axis} descending {descending}"
        y = ops.argsort(x, axis=axis, descending=descending)
        assert y.dtype.short == "i64"
        exactly(y, order, f"argsort {what}")
        exactly(ops.sort(x, axis=axis, descending=descending), np.take_along_axis(a, order, axis), f"sort {what}")
        n = a.shape[axis]
        if n:
            count, smallest = int(rng.integers(0, n + 1)), bool(rng.random() < 0.5)
            best = np.take(stable_order(a, axis, not smallest), range(count), axis)
            top, where = ops.topk(x, count, axis=axis, smallest=smallest)
            exactly(top, np.take_along_axis(a, best, axis), f"topk {what} k {count} smallest {smallest}")
            exactly(where, best, f"topk's indices {what}")


def test_searchsorted():
    rng = np.random.default_rng(27)
    for k in range(cases(80)):
        dtype = REALS[k % len(REALS)]
        device = pick(rng)
        s = np.sort(values(rng, (int(rng.integers(0, 40)),), dtype, -9, 9))
        table, s = operand(rng, s.shape, dtype, of=s, device=device, layout=False)
        x, a = operand(rng, random_shape(rng, 2), dtype, -10, 10, device=device)
        for right in (False, True):
            exactly(ops.searchsorted(table, x, right=right), np.searchsorted(s, a, "right" if right else "left"),
                    f"searchsorted {dtype}{s.shape}")


def test_finding():
    """nonzero, masked, unique: their own size, and a fixed one."""
    rng = np.random.default_rng(28)
    for k in range(cases(120)):
        dtype = REALS[k % len(REALS)]
        device = pick(rng)
        x, a = operand(rng, random_shape(rng, 3) or (6,), dtype, -1, 1, device=device)
        if dtype in FLOATS:
            x, a = operand(rng, a.shape, dtype, of=np.rint(a), device=device)
        found, what = np.argwhere(a), f"{dtype}{a.shape}"
        y = ops.nonzero(x)
        assert y.state in ("running", "stored") and y.dtype.short == "i64"
        exactly(y, found, f"nonzero {what}")
        count = int(rng.integers(0, a.size + 3))
        y = ops.nonzero(x, count=count, fill=-1)
        want = np.full((count, a.ndim), -1)
        want[:len(found)] = found[:count]
        exactly(y, want, f"nonzero {what} of {count}")
        dims = int(rng.integers(1, a.ndim + 1))
        m, mask = operand(rng, a.shape[:dims], "bool", device=device)
        exactly(ops.masked(x, m), a[mask], f"masked {what} by {mask.shape}")
        u, first, back, often = np.unique(a, return_index=True, return_inverse=True, return_counts=True)
        for got, want, part in zip(ops.unique(x), (u, first, back.reshape(a.shape), often), ("values", "index", "inverse", "counts")):
            exactly(got, want, f"unique's {part} {what}")


# ---- creation ------------------------------------------------------------------------------------------------------------------

def test_creation():
    rng = np.random.default_rng(29)
    for k in range(cases(60)):
        dtype, device, shape = DTYPES[k % len(DTYPES)], pick(rng), random_shape(rng)
        kinds = {"dtype": dtype, "device": device}
        like, _ = operand(rng, shape, dtype, device=device)
        for name, number in (("zeros", 0), ("ones", 1)):
            want = rounded(np.full(shape, number), dtype)
            for y in (getattr(ops, name)(shape, **kinds), getattr(ops, name + "_like")(like)):
                assert y.dtype.short == dtype and y.device == device, f"{name}: {y.dtype} on {y.device}"
                exactly(y, want, f"{name} {dtype}{shape}")
        number = 1 if dtype == "bool" else 7
        exactly(ops.full(shape, number, **kinds), rounded(np.full(shape, number), dtype), f"full {dtype}{shape}")
        exactly(ops.full_like(like, number), rounded(np.full(shape, number), dtype), f"full_like {dtype}{shape}")
        if dtype in COMPLEX or dtype == "bool":
            continue
        start, stop, step = (int(v) for v in rng.integers(0, 100, 3))
        step = step or 1
        if dtype[0] != "u" and rng.random() < 0.5:
            start, stop, step = stop, start, -step
        exactly(ops.arange(start, stop, step, **kinds), rounded(np.arange(start, stop, step), dtype), f"arange {dtype}")
        rows, columns, diagonal = (int(v) for v in (*rng.integers(0, 6, 2), rng.integers(-3, 4)))
        exactly(ops.eye(rows, columns, k=diagonal, **kinds),
                rounded(np.eye(rows, columns, diagonal), dtype), f"eye {dtype}")
        exactly(ops.tri(rows, columns=columns, diagonal=diagonal, **kinds),
                rounded(np.tri(rows, columns, diagonal), dtype), f"tri {dtype}")
    assert ops.full((2,), True).dtype.short == "bool" and ops.full((2,), 3).dtype.short == "i64" and ops.full((2,), 3.0).dtype.short == "f32"
    assert ops.arange(0, 5, 1).dtype.short == "i64" and ops.arange(0.0, 5, 1).dtype.short == "f32"
    assert ops.zeros((2,)).dtype.short == "f32" and ops.linspace(0, 1, 3).dtype.short == "f32"


def test_sequences():
    """arange and linspace of floats."""
    rng = np.random.default_rng(30)
    for k in range(cases(60)):
        dtype = ["f32", "f64"][k % 2]
        start, stop, step = rng.uniform(-9, 9), rng.uniform(-9, 9), rng.uniform(0.1, 1)
        step = step if stop > start else -step
        got, want = numpy(ops.arange(start, stop, step, dtype=dtype)), np.arange(start, stop, step)
        assert got.shape == want.shape and np.allclose(got, want, 0, 1e-5 if dtype == "f32" else 1e-13), f"arange {start} {stop} {step}"
        n, endpoint = int(rng.integers(0, 30)), bool(rng.random() < 0.6)
        got = numpy(ops.linspace(start, stop, n, endpoint=endpoint, dtype=dtype))
        want = np.linspace(start, stop, n, endpoint)
        assert got.shape == want.shape and np.allclose(got, want, 0, 3e-6 if dtype == "f32" else 1e-14), f"linspace {start} {stop} {n}"
        assert not (endpoint and n > 1) or got[-1] == rounded(np.array(stop), dtype)


def test_complex():
    rng = np.random.default_rng(31)
    for k in range(cases(60)):
        dtype, part = [("c64", "f32"), ("c128", "f64")][k % 2]
        device = pick(rng)
        x, a = operand(rng, random_shape(rng), dtype, device=device)
        re, im = ops.real(x), ops.imag(x)
        assert re.dtype.short == im.dtype.short == part
        exactly(re, a.real, f"real {dtype}{a.shape}")
        exactly(im, a.imag, f"imag {dtype}{a.shape}")
        exactly(ops.conj(x), a.conj(), f"conj {dtype}{a.shape}")
        exactly(ops.complex(re, im), a, f"complex {dtype}{a.shape}")
        r, b = operand(rng, a.shape, part, device=device)
        exactly(ops.complex(r, 2.0), b + 2j, f"complex {part}{a.shape} and a number")
        exactly(ops.conj(r), b, "conj of a real tensor")
        exactly(ops.imag(r), np.zeros_like(b), "imag of a real tensor")


# ---- text ------------------------------------------------------------------------------------------------------------------------

def test_text():
    """What is printed has the values, the dtype, the shape and the device, and is short for large tensors."""
    rng = np.random.default_rng(32)
    for k in range(cases(90)):
        dtype, device = DTYPES[k % len(DTYPES)], pick(rng)
        x, a = operand(rng, random_shape(rng, 3, 4), dtype, device=device)
        text = repr(x)
        shape = ",".join(str(d) for d in a.shape)
        assert f"{dtype}[{shape}]" in text and f"@{device}" in text, text
        assert text.count("[") - 1 - text.count("][") >= 0
        if dtype in INTEGERS:
            body = text[:text.rindex(dtype)]
            numbers = [int(v) for v in body.replace("[", " ").replace("]", " ").replace(",", " ").split()]
            assert numbers == a.ravel().tolist(), f"{text} for {a.tolist()}"
    large = repr(ops.zeros((1000, 1000)))
    assert len(large) < 2000 and "..." in large, large[:200]
    special = repr(array(np.array([np.nan, np.inf, -np.inf, -0.0], np.float32)))
    assert "nan" in special and "-inf" in special, special


if __name__ == "__main__":
    run(globals())
