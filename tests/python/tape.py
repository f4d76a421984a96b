"""The part of situ that when.py uses, over NumPy: everything is computed at once, gradients come from a tape."""
import contextlib
import weakref

import numpy as np

_recording = True


class GradientError(TypeError):
    pass


class OverwrittenError(RuntimeError):
    pass


class Node:
    """A value and how gradients go back from it."""

    def __init__(self, value, back=(), variable=None, version=0):
        self.value, self.back, self.variable, self.version = value, back if _recording else (), variable, version
        self.under_no_grad = not _recording


class Tensor:
    """An object that has a node; a write in place gives it another one. link: the object that it is a part of, as long as others
    have that, and keys that lead there."""

    def __init__(self, node, link=None):
        self.node, self.link, self.is_variable, self.version = node, link, False, 0

    shape = property(lambda self: self.node.value.shape)
    dtype = property(lambda self: self.node.value.dtype)

    def tolist(self):
        return self.node.value.tolist()

    def copy(self):
        return positive(self)

    def to_device(self, device):
        return self

    def __deepcopy__(self, memo):
        return variable(self) if self.is_variable else positive(self)

    __copy__ = copy
    __add__ = __radd__ = lambda a, b: add(a, b)
    __sub__ = lambda a, b: add(a, -b)
    __mul__ = __rmul__ = lambda a, b: multiply(a, b)
    __neg__ = lambda a: multiply(a, -1)
    __eq__ = lambda a, b: Tensor(Node(read(a).value == read(b).value))
    __iadd__ = lambda a, b: a._write(lambda x: x + b)
    __isub__ = lambda a, b: a._write(lambda x: x - b)
    __imul__ = lambda a, b: a._write(lambda x: x * b)

    def _whole(self):
        return self.link[0]() if self.link else None

    def __getitem__(self, key):
        y = same(self) if key is Ellipsis else _part(self, key)
        if not isinstance(key, list) and not self.is_variable:
            y.link = (self.link[0], (*self.link[1], key)) if self._whole() is not None else (weakref.ref(self), (key,))
        return y

    def __setitem__(self, key, value):
        if self.is_variable:
            raise TypeError
        self._write(lambda x: _with_part(x, key, value))

    def _write(self, change):
        if self.is_variable:
            raise ValueError
        whole = self._whole()
        now = self
        for key in self.link[1] if whole is not None else ():
            now = _part(whole if now is self else now, key)
        self.node = change(now).node
        if whole is not None:
            whole.node = _with_parts(whole, self.link[1], self).node
        return self


def _with_parts(x, keys, value):
    return _with_part(x, keys[0], _with_parts(_part(x, keys[0]), keys[1:], value)) if keys else value


def read(x):
    """The node of a tensor's present value."""
    if not isinstance(x, Tensor):
        return Node(np.asarray(x))
    return x.node


def constant(x):
    return Tensor(Node(x.node.value.copy()))


def _op(value, *back):
    """back: (operand, rule); a rule takes the gradient by the value."""
    nodes = [(read(x), rule) for x, rule in back if isinstance(x, Tensor)]
    dtype = nodes[0][0].value.dtype if nodes else None
    value = np.asarray(value)
    return Tensor(Node(value.astype(dtype) if dtype is not None and value.dtype != bool else value, [(n, r) for n, r in nodes]))


def _like(g, shape):
    while g.ndim > len(shape):
        g = g.sum(0)
    for i, n in enumerate(shape):
        if n == 1 and g.shape[i] != 1:
            g = g.sum(i, keepdims=True)
    return g


def _v(x):
    return x.node.value if isinstance(x, Tensor) else x


def _binary(value, a, b, by_a, by_b):
    return _op(value, (a, lambda g: _m(lambda u: _like(u, np.shape(_v(a))), by_a(g), np.shape(_v(a)))),
               (b, lambda g: _m(lambda u: _like(u, np.shape(_v(b))), by_b(g), np.shape(_v(b)))))


# Rules go from tensors to tensors, so that gradients have gradients.

def _m(f, g, shape):
    extra = tuple(range(len(g.shape) - len(shape)))
    if extra:
        g = sum(g, axis=extra)
    return g


def add(a, b):
    return _binary(_v(a) + _v(b), a, b, lambda g: g, lambda g: g)


def now(x):
    """x as it is now, for rules: the object may be written to later."""
    return Tensor(x.node) if isinstance(x, Tensor) else x


def multiply(a, b):
    a, b = now(a), now(b)
    return _binary(_v(a) * _v(b), a, b, lambda g: multiply(g, b), lambda g: multiply(g, a))


def tanh(x):
    y = _op(np.tanh(_v(x)), (x, lambda g: g * (1 + -1 * (Tensor(node) * Tensor(node)))))
    node = y.node
    return y


def sin(x):
    x = now(x)
    return _op(np.sin(_v(x)), (x, lambda g: g * cos(x)))


def cos(x):
    x = now(x)
    return _op(np.cos(_v(x)), (x, lambda g: g * sin(x) * -1))


def abs(x):
    s = np.sign(_v(x))
    return _op(np.abs(_v(x)), (x, lambda g: g * Tensor(Node(s))))


def square(x):
    return x * x


def maximum(x, c):
    which = ((_v(x) > c) + 0.5 * (_v(x) == c)).astype(_v(x).dtype)
    return _op(np.maximum(_v(x), c), (x, lambda g: g * Tensor(Node(which))))


def positive(x):
    return _op(_v(x).copy(), (x, lambda g: g))


def same(x):
    """What changes nothing is no operation: another object with the same value. Of a variable it is an operation."""
    return positive(x) if x.is_variable else Tensor(x.node)


real = conj = same


def astype(x, dtype):
    return positive(x)


def where(c, x, y):
    which = _v(c).astype(_v(x).dtype)
    return _op(np.where(_v(c), _v(x), y), (x, lambda g: g * Tensor(Node(which))))


def squeeze(x, axis=()):
    return same(x)


def reshape(x, shape):
    before = _v(x).shape
    if before == shape:
        return same(x)
    return _op(_v(x).reshape(shape), (x, lambda g: reshape(g, before)))


def flip(x, axis=None):
    return _op(np.flip(_v(x), axis), (x, lambda g: flip(g, axis)))


def sum(x, axis=None):
    before = _v(x).shape
    if before == ():
        return same(x)
    axes = tuple(range(len(before))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    kept = tuple(1 if i in axes else n for i, n in enumerate(before))
    return _op(_v(x).sum(axes), (x, lambda g: broadcast_to(reshape(g, kept), before)))


def mean(x, axis):
    return sum(x, axis) * (1 / _v(x).shape[axis])


def broadcast_to(x, shape):
    before = _v(x).shape
    if before == shape:
        return x

    def back(g):
        extra = len(shape) - len(before)
        ones = tuple(i + extra for i, n in enumerate(before) if n == 1 and shape[i + extra] != 1)
        return reshape(sum(g, axis=tuple(range(extra)) + ones), before)
    return _op(np.broadcast_to(_v(x), shape).copy(), (x, back))


def _part(x, key):
    shape = _v(x).shape
    return _op(_v(x)[key].copy(), (x, lambda g: _spread(g, key, shape)))


def _spread(g, key, shape):
    out = np.zeros(shape, _v(g).dtype)
    np.add.at(out, key, _v(g))
    return _op(out, (g, lambda h: _part(h, key)))


def _with_part(x, key, value):
    out = _v(x).copy()
    out[key] = _v(value)
    keep = np.ones_like(out)
    keep[key] = 0
    shape = out[key].shape
    return _op(out, (x, lambda g: g * Tensor(Node(keep))), (value, lambda g: _m(None, _part(g, key), np.shape(_v(value)))))


def stack(list):
    return _op(np.stack([_v(x) for x in list]), *[(x, lambda g, i=i: _part(g, i)) for i, x in enumerate(list)])


def concat(list):
    ends = np.cumsum([len(_v(x)) for x in list])
    return _op(np.concatenate([_v(x) for x in list]), *[(x, lambda g, e=e, n=len(_v(x)): _part(g, slice(e - n, e))) for x, e in zip(list, ends)])


def stop_gradient(x):
    return constant(x)


def asarray(x, dtype=None, device=None):
    return Tensor(Node(np.array(x, dtype)))


def variable(x, trainable=True):
    v = constant(x)
    v.is_variable = True
    v.node.variable = v
    return v


def assign(v, x, start=None):
    if not v.is_variable:
        raise situ_errors["ArgumentError"]
    value = _v(x).copy()
    if start is not None:
        whole = _v(v).copy()
        whole[tuple(slice(s, s + n) for s, n in zip(start, value.shape))] = value
        value = whole
    if value.shape != _v(v).shape:
        raise situ_errors["ShapeError"]
    v.node = Node(value, variable=v)


def gradients(y, wrt, g=None):
    if y.node.under_no_grad:
        raise GradientError
    order, seen, stack = [], set(), [(y.node, False)]
    while stack:
        n, done = stack.pop()
        if done:
            order.append(n)
        elif id(n) not in seen:
            seen.add(id(n))
            stack.append((n, True))
            stack.extend((p, False) for p, _ in n.back)
    asked = {id(x.node) for x in wrt}
    older = [n for n in order for x in wrt if x.is_variable and n.variable is x and n is not x.node]
    reaches = set()
    for n in order:
        if id(n) in asked or n in older or any(id(p) in reaches for p, _ in n.back):
            reaches.add(id(n))
    grad = {id(y.node): Tensor(Node(np.ones_like(y.node.value))) if g is None else Tensor(Node(np.asarray(g, y.dtype))) if not isinstance(g, Tensor) else g}
    for n in reversed(order):
        if id(n) in grad:
            for p, rule in n.back:
                if id(p) in reaches:
                    more = rule(grad[id(n)])
                    grad[id(p)] = grad[id(p)] + more if id(p) in grad else more
    if any(id(n) in grad for n in older):
        raise OverwrittenError
    return [Tensor(grad[id(x.node)].node if id(x.node) in grad else Node(np.zeros_like(x.node.value))) for x in wrt]


def vjp(f, x):
    v = positive(x)
    y = f(Tensor(v.node))
    return y, lambda g: gradients(y, [v], g)


def value_and_grad(f):
    def both(x):
        y, pull = vjp(f, x)
        return y, pull(None)[0]
    return both


def grad(f):
    return lambda x: value_and_grad(f)(x)[1]


@contextlib.contextmanager
def no_grad():
    global _recording
    before, _recording = _recording, False
    try:
        yield
    finally:
        _recording = before
