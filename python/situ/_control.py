"""Loops, conditions and maps over the user's functions."""
from . import _situ, _trees
from ._situ import Tensor


def _alike(name, before, after):
    a, b = _trees.tensors(before), _trees.tensors(after)
    if [(t.shape, t.dtype) for t in a] != [(t.shape, t.dtype) for t in b]:
        raise ValueError(f"{name}: the body leaves a state of {[f'{t.dtype}{list(t.shape)}' for t in b]}, which was "
                         f"{[f'{t.dtype}{list(t.shape)}' for t in a]}; the next step would be another one")


def _stacked(name, parts):
    rows = [_trees.tensors(p) for p in parts]
    if len({len(r) for r in rows}) != 1:
        raise ValueError(f"{name}: the steps give different numbers of tensors")
    columns = iter([_situ.stack(list(column), axis=0) for column in zip(*rows)])
    return _trees.mapped(parts[0], lambda _: next(columns))


def scan(f, init, xs=None, length=None, reverse=False):
    """(state, ys) with state, y = f(state, x) for each x along the first axis of xs, starting with init; ys are the y,
    stacked. xs, states and results may be nested dicts, lists and tuples of tensors. Gradients are supported. All
    steps are recorded, so the plan grows with their number."""
    leaves = _trees.tensors(xs) if xs is not None else []
    lengths = {t.shape[0] if t.ndim else -1 for t in leaves} | ({length} if length is not None else set())
    if len(lengths) != 1 or -1 in lengths:
        raise ValueError(f"scan: sequences and length say {sorted(lengths)} steps; they have the same number, along the first axis")
    n, state, ys = lengths.pop(), init, []
    for i in range(n - 1, -1, -1) if reverse else range(n):
        x = _trees.mapped(xs, lambda t: t[i]) if xs is not None else None
        before = state
        state, y = f(state, x)
        _alike("scan", before, state)
        ys.append(y)
    if reverse:
        ys.reverse()
    if not ys:
        raise ValueError("scan: no step, so there is nothing to stack")
    return state, None if ys[0] is None else _stacked("scan", ys)


def while_loop(cond_fun, body_fun, init_val):
    """Applies body_fun to init_val, again and again, while cond_fun is true. Each step is computed before the next."""
    state = init_val
    while bool(cond_fun(state)):
        before = state
        state = body_fun(state)
        _alike("while_loop", before, state)
        _situ.eval(_trees.tensors(state))
    return state


def cond(pred, true_fun, false_fun, *operands):
    """true_fun(*operands) if pred is true, else false_fun(*operands): reads pred and records only that function.
    Gradients are supported."""
    return true_fun(*operands) if bool(pred) else false_fun(*operands)


def _axis_of(name, axis, t):
    """The axis of t as a number from 0."""
    if not isinstance(axis, int) or not -t.ndim <= axis < t.ndim:
        raise ValueError(f"vmap: {name}={axis!r} is no axis of {t.dtype}{list(t.shape)}")
    return axis % t.ndim


def vmap(f, in_axes=0, out_axes=0):
    """Maps f over slices of its arguments along in_axes (None: the whole argument for each slice) and stacks the
    results along out_axes. f may be any function; it is recorded once for each slice."""
    if not callable(f):
        raise TypeError(f"vmap takes a function, not {type(f).__name__}")

    def vmap(*args):  # messages contain this name
        axes = list(in_axes) if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        if len(axes) != len(args):
            raise ValueError(f"vmap: {len(axes)} in_axes for {len(args)} arguments")
        sizes = {t.shape[_axis_of("in_axes", a, t)] for arg, a in zip(args, axes) if a is not None for t in _trees.tensors(arg)}
        if len(sizes) != 1:
            cut = [f"{t.dtype}{list(t.shape)} along {a}" for arg, a in zip(args, axes) if a is not None for t in _trees.tensors(arg)]
            raise ValueError(f"vmap: the arguments have {sorted(sizes)} slices ({', '.join(cut)}); they have the same number, at least one along an axis")
        part = lambda arg, a, i: arg if a is None else _trees.mapped(arg, lambda t: t[(slice(None),) * (a % t.ndim) + (i,)])
        parts = [f(*[part(arg, a, i) for arg, a in zip(args, axes)]) for i in range(sizes.pop())]
        if not parts:
            raise ValueError("vmap: no slice, so there is nothing to stack")
        y = _stacked("vmap", parts)
        return y if out_axes == 0 else _trees.mapped(y, lambda t: _moved(t, out_axes))

    vmap.__name__ = getattr(f, "__name__", "f") + "_vmap"
    return vmap


def _moved(t: Tensor, axis):
    order = list(range(1, t.ndim))
    order.insert(_axis_of("out_axes", axis, t), 0)
    return _situ.permute_dims(t, order)
