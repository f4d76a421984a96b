"""The library's errors as exceptions. Each class also derives from the one that Python would raise for such a mistake."""
import dis
import functools
import inspect
import os
import re
import types

from ._made.errors import ROWS as _ROWS


class Error(Exception):
    """An error of situ. The message says which operation failed, what was wrong, where, and what to write instead."""

    code = 0


def _make(code, name, base, doc):
    return type(name, (Error, base), {"code": code, "__doc__": doc, "__module__": "situ"})


BY_CODE = {code: _make(code, name, base, doc) for code, name, base, doc in _ROWS}
globals().update({c.__name__: c for c in BY_CODE.values()})


class AxisError(globals()["ArgumentError"], IndexError):
    """The tensor does not have this axis."""

    __module__ = "situ"


BY_CODE[0] = AxisError  # python/src/call.c recognises this error by its message
__all__ = ["Error", "AxisError"] + [row[1] for row in _ROWS]


# ---- whom messages speak for

_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
_INTERNAL = (AttributeError, KeyError, UnboundLocalError, RecursionError, SystemError, AssertionError, ZeroDivisionError, StopIteration, NotImplementedError)
_PLAIN = (TypeError, ValueError, IndexError, OverflowError, BufferError, MemoryError)


def _of_this_package(e):
    """Whether the exception was raised by this package, not by a user's function that was called back."""
    trace = e.__traceback__
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_FOLDER):
            return False
        trace = trace.tb_next
    return True


def _unknown(e, name, function, args, is_method):
    """For an unexpected keyword argument: an exception whose message lists the function's arguments. None for other
    exceptions."""
    found = re.fullmatch(r"[\w.<>]*\(\) got an unexpected keyword argument '(\w+)'.*", str(e)) if type(e) is TypeError else None
    many = re.fullmatch(r"[\w.<>]*\(\) takes .* positional arguments? .*but (\d+) .*", str(e)) if type(e) is TypeError else None
    few = re.fullmatch(r"[\w.<>]*\(\) missing \d+ required .*arguments?: (.*)", str(e)) if type(e) is TypeError else None
    if not (found or many or few) or e.__traceback__.tb_next is not None:
        return None
    if few:
        names = few[1].replace("'", "")
        hint = _habits().MISSING.get(name)
        return TypeError(f"{name}: {names} {'are' if ' and ' in names else 'is'} missing" + f"; {hint}" * bool(hint))
    parameters = list(inspect.signature(function).parameters.values())[is_method:]
    args, has = args[is_method:], [p.name for p in parameters]
    if many:
        first, named = ([p.name for p in parameters if p.kind in kinds] for kinds in
                        ((inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD), (inspect.Parameter.KEYWORD_ONLY,)))
        text = f"{name} takes {', '.join(first) or 'nothing'} by position, not {len(args)} argument{'s' * (len(args) != 1)}"
        whole = all(p.kind != inspect.Parameter.VAR_KEYWORD for p in parameters)  # else it has more names than these
        return TypeError(text + f"; by name it has {', '.join(named)}" * (bool(named) and whole) + _habits().positions(name, args))
    return TypeError(f"{name} has no argument {found[1]}; it has {', '.join(has) or 'none'}" + _habits().argument(name, found[1], has))


def _habits():
    from . import _habits
    return _habits


def _argument(args):
    """Describes the argument that a function could not interpret."""
    for i, a in enumerate(args):
        if not hasattr(a, "__array_namespace__"):
            listed = "; write situ.asarray(...) for its numbers" if isinstance(a, (list, tuple)) or hasattr(a, "__array__") else ""
            return f"argument {i + 1} must be a tensor, not {type(a).__name__}{listed}" if i == 0 else f"cannot make sense of argument {i + 1}, of type {type(a).__name__}{listed}"
    return "cannot make sense of its arguments"


def _renamed(e, name, args):
    """The exception, with a message that begins with the function's name; None: leave it as it is."""
    if not _of_this_package(e):
        return None
    text = str(e)
    if isinstance(e, Error):
        line, front, rest = re.match(r"(\S+:\d+: )?([\w.]+: )?(.*)", text, re.DOTALL).groups()
        if not line and not front:  # raised inside this package
            return type(e)(f"{name}: {text}")
        # message of an operation that failed while computing
        computing = "while computing" in rest and not (front or "").endswith(f"_{name}: ")
        own = not front or front == f"{name}: " or computing or "out of host memory" in rest
        return None if own else type(e)(f"{line or ''}{name}: {rest}")
    if isinstance(e, RecursionError):
        return ValueError(f"{name}: lies deeper in itself than Python's stack; sys.setrecursionlimit() allows more")
    # NumPy has exception classes of its own
    if isinstance(e, _INTERNAL) or isinstance(e, TypeError) and type(e) is not TypeError:
        return TypeError(f"{name}: {_argument(args)}")
    if type(e) not in _PLAIN or text.startswith((f"{name}: ", f"{name}(", f"{name} ")):
        return None
    front, _, rest = text.partition(": ")
    return type(e)(f"{name}: {rest if rest and front.replace('.', '_').isidentifier() else text or 'there is no memory for that'}")


def _named(function, name, is_method=None):
    """Wraps a function: messages of its exceptions begin with its name, those of a constructor with the class's name. A
    wrong number of arguments is reported without counting self."""
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as e:
            spoken = type(args[0]).__name__ if is_constructor and args else name
            other = _unknown(e, spoken, function, args, is_method) or _renamed(e, spoken, args[is_method:])
            if other is None:
                raise
            raise other.with_traceback(None) from None

    is_constructor, is_method = function.__name__ == "__init__", is_method or function.__code__.co_varnames[:1] == ("self",)
    call.__code__ = call.__code__.replace(co_name=name, co_qualname=name)
    return functools.update_wrapper(call, function)


def named(function):
    """Decorator for a function that the extension calls for the cases that it does not handle."""
    return _named(function, function.__name__)


def _is_own(value):
    return isinstance(value, types.FunctionType) and not hasattr(value, "__wrapped__") and value.__code__.co_filename.startswith(_FOLDER)


def _only_calls_c(function):
    """Whether the extension itself makes the message, which then names the function already."""
    from . import _situ
    names, known = [n for n in function.__code__.co_names if n != "_handle"], function.__globals__
    if len(names) > 2 or function.__code__.co_flags & inspect.CO_VARARGS or any(i.opname.startswith(("BINARY", "COMPARE")) for i in dis.get_instructions(function)):
        return False
    return all(name == "_situ" or hasattr(_situ, name) and "_situ" in names or isinstance(known.get(name), types.BuiltinFunctionType) for name in names)


def name_functions(space, but=()):
    """The functions of a module, with constructors and methods of its classes (or the methods of a class), that are
    written in Python."""
    for name, value in list(vars(space).items()):
        if _is_own(value) and name not in but and not (_only_calls_c(value) and value.__code__.co_name == name) and (isinstance(space, type) or not name.startswith("_")):
            named = _named(value, name.strip("_"), isinstance(space, type))
            if not isinstance(space, type):
                named.__module__, named.__qualname__ = space.__name__, name  # so that pickle finds it
            setattr(space, name, named)
        elif isinstance(value, type) and value.__module__.startswith("situ") and not issubclass(value, BaseException):
            if _is_own(vars(value).get("__init__")):
                value.__init__ = _named(value.__init__, name, True)
            for method, own in list(vars(value).items()):
                if _is_own(own) and not method.startswith("_") and method != "forward":
                    setattr(value, method, _named(own, method, True))


def handle(function, what, value, kind):
    """The handle of an argument that must be an instance of `kind`."""
    if not isinstance(value, kind):
        mend = {"Dataset": "; write situ.data.Dataset(features, labels)", "Optimizer": "; write situ.optim.SGD(net), for example"}.get(kind.__name__, "")
        raise TypeError(f"{function}: {what} is a situ.{kind.__module__.split('.')[-1]}.{kind.__name__}, not {type(value).__name__}{mend}")
    return value._handle
