"""Gradients: functions that take a function and return its derivative."""
import contextlib
import warnings

from . import _situ, _trees
from ._errors import GradientError
from ._situ import Tensor


def _floats(x):
    return isinstance(x, Tensor) and x.dtype.kind == "real floating"


def _gradients_are_recorded(function):
    """Raises an error inside no_grad(): the function's value would be a constant there, and its gradient silently 0."""
    off = _situ.no_grad(False)
    _situ.no_grad(off)
    if off:
        raise GradientError(f"{function}: inside situ.no_grad() nothing has a gradient; call it outside, or use no_grad() in the function, "
                            "around what shall be a constant")


def value_and_grad(f, argnums=0, has_aux=False):
    """g(*args) = (f(*args), gradient of f by args[argnums]); arguments may be nested dicts, lists and tuples of
    tensors. With has_aux, f returns (value, aux), and g returns ((value, aux), gradient)."""
    numbers = argnums if isinstance(argnums, (tuple, list)) else (argnums,)

    def value_and_grad(*args, **kwargs):  # messages contain this name
        _gradients_are_recorded("grad")
        args = list(args)
        for i in numbers:
            if not -len(args) <= i < len(args):
                raise TypeError(f"grad: argnums names argument {i}, but the function was called with {len(args)} arguments by position")
        trees = [args[i] for i in numbers]
        watched = []
        for i, tree in zip(numbers, trees):
            leaves = [_situ.watch(t) if _floats(t) else t for t in _trees.tensors(tree)]
            watched.append(leaves)
            same = iter([_situ.same(t) for t in leaves])
            args[i] = _trees.mapped(tree, lambda _: next(same))
        result = f(*args, **kwargs)
        y = result[0] if has_aux else result
        if not isinstance(y, Tensor):
            raise TypeError(f"grad: the function to differentiate returned {type(y).__name__}, not a tensor")
        wrt = [t for leaves in watched for t in leaves]
        for t in wrt:
            if not _floats(t):
                raise TypeError(f"grad: cannot differentiate by a tensor of dtype {t.dtype}; only by floats")
        grads = iter(_situ.pullback(y, None, wrt))
        out = [_trees.mapped(tree, lambda _: next(grads)) for tree in trees]
        return result, out[0] if not isinstance(argnums, (tuple, list)) else tuple(out)

    value_and_grad.__name__ = getattr(f, "__name__", "f") + "_value_and_grad"
    return value_and_grad


def grad(f, argnums=0, has_aux=False):
    """g(*args) = gradient of the scalar f(*args) by args[argnums]. May be nested: grad(grad(f))."""
    both = value_and_grad(f, argnums, has_aux)

    def grad(*args, **kwargs):  # messages contain this name
        result, gradient = both(*args, **kwargs)
        return (gradient, result[1]) if has_aux else gradient

    grad.__name__ = getattr(f, "__name__", "f") + "_grad"
    return grad


def vjp(f, *args):
    """(y, pull) with y = f(*args); pull(g) = the gradients by args, given the gradient g by y."""
    _gradients_are_recorded("vjp")
    watched = [_situ.watch(a) for a in args]
    y = f(*[_situ.same(t) for t in watched])

    def vjp(g):  # messages contain this name
        return tuple(_situ.pullback(y, g, watched))
    return y, vjp


def jvp(f, primals, tangents):
    """(y, dy) with y = f(*primals) and dy its derivative in the direction of the tangents, one for each primal."""
    _gradients_are_recorded("jvp")
    watched = _directions("jvp", primals, tangents)
    y = f(*[_situ.same(t) for t in watched])
    if not isinstance(y, Tensor):
        raise TypeError(f"jvp: the function to differentiate returned {type(y).__name__}, not a tensor")
    u = _situ.watch(_situ.zeros_like(y))
    return y, _situ.pullback(_along(_situ.pullback(y, u, watched), tangents), None, [u])[0]


def hvp(f, primals, tangents):
    """(y, products) with y = f(*primals), a scalar, and the products of its second derivatives with the tangents, one
    for each argument."""
    _gradients_are_recorded("hvp")
    watched = _directions("hvp", primals, tangents)
    y = f(*[_situ.same(t) for t in watched])
    if not isinstance(y, Tensor):
        raise TypeError(f"hvp: the function to differentiate returned {type(y).__name__}, not a tensor")
    return y, tuple(_situ.pullback(_along(_situ.pullback(y, None, watched), tangents), None, watched))


def _directions(name, primals, tangents):
    if isinstance(primals, Tensor) or isinstance(tangents, Tensor) or len(primals) != len(tangents) or not primals:
        raise TypeError(f"{name}: arguments and directions are two lists or tuples of as many tensors")
    for i, (p, t) in enumerate(zip(primals, tangents)):
        if not _floats(p) or not isinstance(t, Tensor) or p.shape != t.shape:
            raise ValueError(f"{name}: argument {i} and its direction are tensors of floats of one shape")
    return [_situ.watch(p) for p in primals]


def _along(gradients, tangents):
    total = None
    for g, t in zip(gradients, tangents):
        part = _situ.sum(g * t)
        total = part if total is None else total + part
    return total


def gradients(y, wrt, g=None):
    """The gradient of y by each tensor or variable of wrt (a list or a dict). y is a scalar, or g is the gradient by y."""
    if isinstance(wrt, Tensor):
        raise TypeError("gradients: what to differentiate by is a list of tensors: [x], not x, whose rows are tensors of their own")
    if isinstance(wrt, dict):
        return dict(zip(wrt, _situ.pullback(y, g, list(wrt.values()))))
    return _situ.pullback(y, g, list(wrt))


class _Inside(contextlib.ContextDecorator):
    """A setting that applies inside `with`, or inside a function that it decorates."""

    def __init__(self, call, change, value):
        self._call, self._change, self._value, self._before, self._used = call, change, value, [], False

    def _recreate_cm(self):  # each call of a decorated function has its own
        return _Inside(self._call, self._change, self._value)

    def __call__(self, function):
        self._used = True
        return super().__call__(function)

    def __enter__(self):
        self._used = True
        self._before.append(self._change(self._value))

    def __exit__(self, *error):
        self._change(self._before.pop())

    def __del__(self):
        if not self._used:
            warnings.warn(f"situ.{self._call} changed nothing: write with situ.{self._call}: around what it is for", RuntimeWarning, stacklevel=2)


def no_grad():
    """What is recorded inside has no gradient."""
    return _Inside("no_grad()", _situ.no_grad, True)


def batch_invariant(on=True):
    """Inside, a row of a result has the same bits however many other rows are in the batch, wherever it stands among them, and with
    any number of threads: products choose the order of their sums by the matrix that is multiplied alone."""
    if not isinstance(on, int):
        raise TypeError(f"batch_invariant: write True or False, not {on!r}")
    return _Inside(f"batch_invariant({bool(on)})", _situ.batch_invariant, bool(on))


def precision(dtype):
    """Inside, products, convolutions and attention of float32 round their operands to `dtype`, "bfloat16" or "float16",
    and add up in float32; so do their gradients. Everything else and all variables stay float32."""
    return _Inside(f"precision({str(dtype)!r})", _situ.precision, dtype)
