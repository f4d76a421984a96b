"""Every public function and every method of a tensor with wrong arguments: never the end of the process, a hang or memory without
bound. Each exception is of a class that the documents name, speaks of Python, and begins with the name of the function that was
called. test_wording.py [seed [calls]]"""
import faulthandler
import inspect
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

import situ

FOLDER = tempfile.mkdtemp()
TAKEN = (TypeError, ValueError, IndexError, OverflowError, BufferError, MemoryError, FileNotFoundError, situ.Error)
OF_C = re.compile(r"situ_[a-z0-9_]+|SITU_|SHAPE\(|AXES\(|\.axes =|\.[a-z]+ = [A-Z{]|\bNULL\b|\bpointer\b|_situ\b|const char|int64_t|size_t|NotImplemented")
# Not called: they change the process, or are no functions of arguments.
LEFT_OUT = {"after_fork", "set_threads", "sim_gpus", "default_device", "set_printoptions", "plans", "tensor", "DType"}
STATEFUL = {"forward", "memory_limit"}  # the user's own; what the other calls need
BLOCKS = ("guard", "ledger", "strict", "no_grad", "printoptions", "fusing", "profile")  # entered with these arguments, and left
METHODS_LEFT_OUT = {"__class__", "__init_subclass__", "__subclasshook__", "__new__", "__init__", "__setattr__", "__delattr__", "__getattribute__", "__dir__", "__sizeof__", "__repr__", "__str__",
                    "__format__", "__reduce_ex__", "__buffer__", "__release_buffer__", "__getstate__"}
# Python itself says these, before any function of situ is asked.
OF_PYTHON = re.compile(r"^(\w+\.)?\w+\(\) |unsupported operand|^expected \d+ argument|takes (exactly|no|at least|at most)|^'[<>=!]+' not supported|required (positional )?argument|"
                       r"^(descriptor|wrapper|unbound method|cannot create|can't|cannot convert|object of type|attribute name)|keyword argument|positional argument|^\w+ expected")
# Operators are known by what they do.
OTHER_NAMES = {"__add__": "add", "__sub__": "subtract", "__mul__": "multiply", "__truediv__": "divide", "__pow__": "power", "__mod__": "remainder", "__getitem__": "x[...]", "__setitem__": "x[...]",
               "__delitem__": "x[...]", **{f"{norm}{n}d": norm for norm in ("BatchNorm", "InstanceNorm") for n in (1, 2, 3)}}


class Strange:
    """Each of its methods raises."""

    def __index__(self):
        raise ValueError("strange")

    __float__ = __len__ = __array__ = __iter__ = __bool__ = __index__


class Endless:
    """Holds itself."""

    def __len__(self):
        return 3

    def __getitem__(self, i):
        if i >= 3:
            raise IndexError
        return self


def values(rng):
    x = situ.reshape(situ.arange(24, dtype=rng.choice(["int64", "uint8", "float32", "float16", "bool", "complex64"])), (2, 3, 4))
    good = [x, x[0, 0, 0], situ.zeros((0, 3)), situ.asarray([1, 2]), situ.asarray([True, False]), situ.asarray(1j), situ.asarray([[2.0, 0], [0, 2]]), situ.random.key(1), situ.ones((1,) * 8),
            situ.ones((3, 4), device=situ.gpu(0)) if situ.num_gpus() else x]
    own = []
    own.append(own)
    odd = [own, Endless(), (i for i in range(2)), x[::-1], situ.asarray(3), np.int64(1), False, -3, 10**15, -0.5, float("inf"), (1, -1), (2, 3, 4),
           slice(0, 5, -1), lambda *a: a[0] if a else 1]
    return good, good + odd + [np.ones((2, 3)), np.float32(2), np.asarray(["a"]), np.asarray([None]), "a", b"bytes", None, True, 0, 1, -1, 2, 3, 7, 99, -99, 2**31, 2**63, -2**63, 2**70, 10**400, 0.5,
                         1e300, float("nan"), float("-inf"), 1j, [], [1, 2], [[1], [2, 3]], (), (0, 1), (0, 0), (9,), (-1, -1), (10**10, 10**10), (None,) * 9, {1}, {"a": 1}, range(3), object(),
                         slice(None), ..., "float32", "gpu:9", situ.int8, situ.cpu(), lambda *a: 1, [x, x], [x, 1], [None], Exception, Strange()]


def in_block(kind):
    def enter(*args, **named):
        with kind(*args, **named) as block:
            situ.wait(situ.ones(2, device=situ.cpu()) + 1)
            return block
    return enter


def of_object(make, name):
    """The method of a new object: a wrong call must not spoil the next ones."""
    def call(*args, **named):
        one = make()
        return {"set": lambda: setattr(one, *args), "get": lambda: getattr(one, *args)}.get(name, lambda: getattr(one, name)(*args, **named))()
    return call


def objects():
    """(name in messages, function) of whatever has methods besides a tensor."""
    x, key = situ.ones((2, 3)), situ.random.key(0)
    net = situ.nn.Sequential(situ.nn.Linear(3), situ.nn.ReLU())
    net(x)
    data = situ.data.Dataset(x, [0, 1])
    trainer = situ.train.Trainer(max_epochs=1)
    makers = {"Loader": lambda: situ.data.Loader(data, batch=1), "Trainer": lambda: trainer, "Board": lambda: trainer.board, "SGD": lambda: situ.optim.SGD(net),
              "AdamW": lambda: situ.optim.AdamW(net), "Sequential": lambda: net, "Dataset": lambda: data, "Device": situ.cpu, "guard": situ.guard, "ledger": situ.ledger}
    for kind, make in makers.items():
        one = make()
        for name in sorted(set(dir(type(one))) - set(dir(object)) - STATEFUL):
            if callable(getattr(one, name, None)) and (not name.startswith("_") or name in ("__call__", "__getitem__", "__len__", "__iter__", "__enter__")):
                yield "call" if name == "__call__" else name, of_object(make, name)
    for name in ("lr",):
        yield name, lambda value=None: setattr(situ.optim.SGD(net), "lr", value)
    for kind in BLOCKS:
        yield kind, in_block(getattr(situ, kind) if kind != "profile" else lambda *a, **k: situ.profile(os.path.join(FOLDER, "profile"), *a, **k))


def functions():
    found = list(objects())
    for space in (situ, situ.linalg, situ.fft, situ.random, situ.nn, situ.data, situ.optim, situ.train):
        for name in sorted(dir(space)):
            f = getattr(space, name)
            if name not in BLOCKS and not name.startswith("_") and name not in LEFT_OUT and callable(f) and getattr(f, "__module__", "situ") not in ("collections", "contextlib") and not (isinstance(f, type) and issubclass(f, BaseException)):
                found.append((name, f))
    x, net = situ.ones((2, 3)), situ.nn.Sequential(situ.nn.Linear(3), situ.nn.ReLU())
    net(x)
    data = situ.data.Dataset(x, [0, 1])
    for one in (net, net[0], situ.optim.Adam(net), data, situ.cpu()):  # what has state of its own
        found += [(name, getattr(one, name)) for name in sorted(vars(situ.nn.Module) | vars(type(one)) | (vars(situ.optim.Optimizer) if hasattr(one, "lr") else {}))
                  if not name.startswith("_") and name not in STATEFUL and inspect.ismethod(getattr(one, name, None))]
    methods = [(name, getattr(type(x), name)) for name in sorted(dir(x)) if callable(getattr(type(x), name, None))]
    nameless = [(None, f) for name, f in methods if name in METHODS_LEFT_OUT - {"__class__", "__init_subclass__"}]  # Python's own words
    nameless += [(None, getattr(situ, name)) for name in ("set_printoptions", "plans", "DType")]
    return found + nameless + [(name, f) for name, f in methods if name not in METHODS_LEFT_OUT]


def keywords(f):
    try:
        return [p.name for p in inspect.signature(f).parameters.values() if p.kind is p.KEYWORD_ONLY]
    except (TypeError, ValueError):
        return []


def begins_with(text, name):
    """After the line in front, as in "script.py:12: "."""
    text = re.sub(r"^\S+:\d+: ", "", text)
    plain = OTHER_NAMES.get(name, name.strip("_"))
    return re.match(re.escape(plain) + r"\b|" + re.escape(plain) + r": ", text) is not None or name.startswith("__")


def wrong_with(e, name):
    text = str(e)
    if name is None and isinstance(e, (*TAKEN, KeyError, StopIteration, AttributeError)):
        return None
    if not isinstance(e, TAKEN) or isinstance(e, (RecursionError, KeyError)):
        return "a class that nobody expects"
    if text == "strange":
        return None
    if OF_C.search(text):
        return f"words of C: {OF_C.search(text).group()}"
    if not begins_with(text, name) and not OF_PYTHON.search(text):
        return "another beginning than the function's name"
    return None


def calls_with_nonsense(seed, calls):
    """At least half of the calls, and no more after 30 seconds."""
    rng, every, bad, end = random.Random(seed), functions(), {}, time.monotonic() + 30
    if situ.num_gpus():
        situ.wait(situ.ones(3, device=situ.gpu(0)))  # reserves its addresses
    if "ASAN_OPTIONS" not in os.environ:
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 30), resource.RLIM_INFINITY))
    situ.cpu().memory_limit(1 << 30)
    raised = made = 0
    while made < calls and (made < calls // 2 or time.monotonic() < end):
        name, f = every[made % len(every)]
        made += 1
        good, some = values(rng)
        args = [rng.choice(good) if k == 0 and rng.random() < 0.6 else rng.choice(some) for k in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5]))]
        named = {k: rng.choice(some) for k in keywords(f) if rng.random() < 0.3}
        faulthandler.dump_traceback_later(60, exit=True)
        print(made, name, [type(a).__name__ for a in args], {k: type(v).__name__ for k, v in named.items()}, file=sys.stderr, flush=True)
        try:
            got = f(*args, **named)
            if isinstance(got, situ.Tensor) and got.size < 10**5:
                got.tolist()
        except Exception as e:
            raised += 1
            why = wrong_with(e, name)
            if why:
                bad.setdefault((name, why), f"{name}{tuple(type(a).__name__ for a in args)} {dict((k, type(v).__name__) for k, v in named.items()) or ''}: {type(e).__name__}: {e}")
    faulthandler.cancel_dump_traceback_later()
    for (name, why), what in sorted(bad.items(), key=str):
        print(f"FAIL wording: {why}: {what[:400]}", flush=True)
    if not bad:
        print(f"PASS wording: {raised} exceptions of {made} calls with wrong arguments name the function, in words of Python")
    return bool(bad)


def main():
    seed, calls, *child = [int(a) for a in sys.argv[1:]] + [1, 12000][len(sys.argv) - 1:]
    if child:
        return calls_with_nonsense(seed, calls)
    done = subprocess.run([sys.executable, __file__, str(seed), str(calls), "1"], capture_output=True, text=True, timeout=900)
    print(done.stdout, end="")
    if done.returncode not in (0, 1) or not done.stdout:
        print(f"FAIL wording: the process ended, or hung (seed {seed}, code {done.returncode})\n{done.stderr[-1500:]}")
    return bool(done.returncode)


if __name__ == "__main__":
    sys.exit(main())
