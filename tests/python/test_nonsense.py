"""Every public function, and indexing, with arguments that make no sense: an exception that Python's users know, never the end of
the process, a hang or memory without bound. nonsense.py [seed [calls]]"""
import faulthandler
import os
import random
import resource
import subprocess
import sys

import numpy as np

import situ

TAKEN = (TypeError, ValueError, IndexError, KeyError, OverflowError, BufferError, MemoryError, FileNotFoundError, situ.Error, StopIteration, AttributeError)
LEFT_OUT = {"after_fork", "set_threads", "sim_gpus", "profile", "guard", "ledger", "strict", "no_grad", "default_device", "printoptions", "tensor"}


class Strange:
    """Each of its methods raises, or says something that is none."""

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
    own = []
    own.append(own)
    x = situ.reshape(situ.arange(24, dtype=rng.choice(["int64", "uint8", "float32", "float16"])), (2, 3, 4))
    return [x, x[::-1], x[0, 0, 0], situ.zeros((0, 3)), situ.asarray([1, 2]), situ.asarray([True, False]), situ.asarray(1j), situ.asarray([[2.0, 0], [0, 2]]), situ.asarray(3),
            situ.random.key(1), situ.ones((1,) * 8), np.ones((2, 3)), np.float32(2), np.int64(1), np.asarray(["a"]), "a", b"bytes", None, True, False, 0, 1, -1, 2, 3, 7, -3, 2**31,
            2**63, -2**63, 2**70, 10**400, 10**15, 0.5, -0.5, 1e300, float("nan"), float("inf"), 1j, [], [1, 2], [[1], [2, 3]], own, (), (0, 1), (0, 0), (1, -1), (2, 3, 4), (-1, -1),
            (10**10, 10**10), (None,) * 9, {1}, {"a": 1}, range(3), (i for i in range(2)), Strange(), Endless(), object(), slice(None), slice(0, 5, -1), ..., "float32", situ.int8,
            situ.cpu(), lambda *a: a[0] if a else 1, [x, x], [x, 1], [None], Exception]


def functions():
    found = []
    for space in (situ, situ.linalg, situ.fft, situ.random, situ.nn, situ.data, situ.optim):
        for name in sorted(dir(space)):
            f = getattr(space, name)
            if not name.startswith("_") and name not in LEFT_OUT and callable(f) and not (isinstance(f, type) and issubclass(f, BaseException)):
                found.append((f"{space.__name__}.{name}", f))
    x = situ.ones((2, 3))
    return found + [(f"Tensor.{name}", getattr(type(x), name)) for name in sorted(dir(x)) if callable(getattr(type(x), name, None)) and name not in ("__class__", "__init_subclass__")]


def run(seed, calls):
    rng = random.Random(seed)
    if "ASAN_OPTIONS" not in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (12 << 30, resource.RLIM_INFINITY))
    situ.cpu().memory_limit(1 << 30)
    every, failed = functions(), 0
    for i in range(calls):
        name, f = rng.choice(every)
        some = values(rng)
        # mostly with a tensor in front, so that later arguments are looked at
        args = [rng.choice(some[:9]) if k == 0 and rng.random() < 0.6 else rng.choice(some) for k in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5]))]
        faulthandler.dump_traceback_later(20, exit=True)
        print(f"{i} {name} {[type(a).__name__ for a in args]}", file=sys.stderr, flush=True)
        try:
            got = f(*args)
            if isinstance(got, situ.Tensor) and got.size < 10**6:
                got.tolist()
        except TAKEN:
            pass
        except Exception as e:
            failed += 1
            print(f"FAIL python: {name}{tuple(map(type, args))}: {type(e).__name__}: {e}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    return failed


def main():
    seed, calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1, int(sys.argv[2]) if len(sys.argv) > 2 else 6000
    if len(sys.argv) > 3:
        return run(seed, calls) != 0
    child = subprocess.run([sys.executable, __file__, str(seed), str(calls), "child"], capture_output=True, text=True, timeout=600)
    ended = "" if child.returncode in (0, 1) and not child.stdout.count("FAIL") else f" (seed {seed}; rc {child.returncode})"
    print(child.stdout, end="")
    if child.returncode:
        print(f"FAIL python: functions survive nonsense{ended}\n{child.stderr[-1500:]}")
        return 1
    print(f"PASS python: {calls} calls with nonsense end in a value or an exception that says so")
    return 0


if __name__ == "__main__":
    sys.exit(main())
