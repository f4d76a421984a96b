"""Random programs against an eager interpreter that copies: operations, variables, assignment (whole and in part), views,
keep and release, scopes opened and closed, devices, reads in any order. All values are exact, so they must be equal.

A read may be refused with SITU_OVERWRITTEN only where the tensor was never read, kept or evaluated, and depends on a
variable that was assigned since it was recorded.
"""
import sys

import numpy as np

from operands import broadcastable, difference, operand, same
from situ_ctypes import SituError, cases, run_tests, situ
from test_moves import MOVES, NEEDS

DTYPES = ["i64", "i32", "f32", "f64", "i64", "u8"]
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum, "minimum": np.minimum}
UNARY = {"negative": np.negative, "abs": np.abs, "square": np.square, "sign": np.sign, "positive": np.positive,
         "relu": lambda a: np.maximum(a, 0)}


class Value:
    """A tensor, what it must be equal to, and what computing it needs."""

    def __init__(self, t, array, sources=(), safe=False):
        self.t, self.array, self.sources = t, np.array(array), sources
        self.versions = []  # (variable, version) that it is: read from it, or given to it
        self.safe = safe    # read, kept or evaluated: must stay readable, unless it is a variable's memory

    def readable(self):
        """Without what was overwritten?"""
        seen, rest = set(), [self]
        while rest:
            x = rest.pop()
            if (x.safe and not x.versions) or id(x) in seen:
                continue
            if any(v.version != version for v, version in x.versions):
                return False
            seen.add(id(x))
            rest.extend(x.sources)
        return True


class Variable:
    def __init__(self, value):
        self.t = situ.variable(value.t)
        self.version = -1
        self.take(value, value.array)

    def take(self, value, array):
        """A pending value that is assigned becomes the variable's memory: it stands for this version from now on."""
        self.array, self.version = array.copy(), self.version + 1
        value.versions.append((self, self.version))

    def read(self):
        value = Value(self.t, self.array)
        value.versions.append((self, self.version))
        return value


class Program:
    def __init__(self, seed, devices, steps=None):
        self.rng = np.random.default_rng([40, seed])
        self.devices, self.refused, self.reads, self.ended = devices, 0, 0, False
        self.steps = steps or int(self.rng.integers(8, 45))
        self.dtype = DTYPES[seed % len(DTYPES)]
        self.scopes, self.variables, self.kept, self.log = [[]], [], [], []

    # ---- picking ----

    def pool(self):
        return [v for scope in self.scopes for v in scope] + self.kept + [v.read() for v in self.variables]

    def pick(self):
        pool = self.pool()
        if not pool or self.rng.random() < 0.1:
            return self.leaf()
        return pool[-1 - min(int(self.rng.exponential(4)), len(pool) - 1)] if self.rng.random() < 0.7 \
            else pool[self.rng.integers(len(pool))]

    def add(self, t, array, *sources):
        if any(t.handle == x.t.handle for x in (*self.kept, *self.variables)):
            return sources[0]  # situ_to and others may give back what they got: no temporary
        value = Value(t, array, sources)
        if len(sources) == 1 and same(array, sources[0].array):  # it may be the same node
            value.versions += sources[0].versions
        assert t.shape == value.array.shape, f"{t.shape} recorded, {value.array.shape} computed"
        self.scopes[-1].append(value)
        return value

    def leaf(self, shape=None, device=None):
        if shape is None:
            shape = tuple(int(d) for d in self.rng.integers(1, 5, self.rng.integers(0, 4)))
        device = device or self.devices[self.rng.integers(len(self.devices))]
        t, a = operand(self.rng, shape, self.dtype, -4, 4, device=device)
        if self.dtype[0] == "f":
            t, a = operand(self.rng, shape, self.dtype, array=np.rint(a), device=device)
        return self.add(t, a)

    def here(self, value, device):
        """The value on that device."""
        if value.t.device == device:
            return value
        return self.add(situ.to(value.t, device), value.array, value)

    # ---- actions ----

    def do_binary(self):
        x = self.pick()
        if self.rng.random() < 0.25:
            name, number = self.rng.choice(list(BINARY)), int(self.rng.integers(0, 5))
            with np.errstate(all="ignore"):
                self.add(getattr(situ, name)(x.t, number), BINARY[name](x.array, x.array.dtype.type(number)), x)
            return
        y = self.pick()
        try:
            shape = np.broadcast_shapes(x.array.shape, y.array.shape)
        except ValueError:
            y = self.leaf(broadcastable(self.rng, x.array.shape), x.t.device)
            shape = x.array.shape
        if np.prod(shape) > 3000 or len(shape) > 6:
            return
        y = self.here(y, x.t.device)
        name = self.rng.choice(list(BINARY))
        with np.errstate(all="ignore"):
            self.add(getattr(situ, name)(x.t, y.t), BINARY[name](x.array, y.array), x, y)

    def do_unary(self):
        x, name = self.pick(), self.rng.choice(list(UNARY))
        with np.errstate(all="ignore"):
            self.add(getattr(situ, name)(x.t), UNARY[name](x.array).astype(x.array.dtype), x)

    def do_where(self):
        x = self.pick()
        if x.array.size > 3000:
            return
        y = self.leaf(broadcastable(self.rng, x.array.shape), x.t.device)
        got = situ.where(situ.less(x.t, y.t), y.t, x.t)
        self.add(got, np.where(x.array < y.array, y.array, x.array), x, y)

    def do_move(self):
        x, move = self.pick(), MOVES[self.rng.integers(len(MOVES))]
        if x.array.ndim < NEEDS.get(move, 0) or x.array.ndim > 5 or x.array.size > 1500:
            return
        with np.errstate(all="ignore"):
            t, array = move(self.rng, x.t, x.array)
        if array.size <= 3000:
            self.add(t, array, x)

    def do_reduce(self):
        x = self.pick()
        a, axes = x.array, tuple(i for i in range(x.array.ndim) if self.rng.random() < 0.5)
        name = self.rng.choice(["sum", "max", "min", "cumsum"])
        exact = a.dtype.kind in "iu" or (a.size and np.isfinite(a).all() and np.abs(a).sum() < 2**23)
        if name == "sum" and exact:
            wide = {"i": np.int64, "u": np.uint64}.get(a.dtype.kind, a.dtype)
            t = situ.sum(x.t, axes=axes)
            self.add(situ.cast(t, x.t.dtype), a.sum(axes, dtype=wide).astype(a.dtype), x)
        elif name == "cumsum" and exact and a.ndim:
            axis = int(self.rng.integers(a.ndim))
            self.add(situ.cast(situ.cumsum(x.t, axis=axis), x.t.dtype), np.cumsum(a, axis, dtype=a.dtype), x)
        elif name in ("max", "min") and a.size:
            self.add(getattr(situ, name)(x.t, axes=axes), getattr(a, name)(axes), x)

    def do_matmul(self):
        x = self.pick()
        if x.array.ndim < 2 or not 0 < x.array.shape[-1] < 30 or x.array.size > 500 or x.array.dtype.kind == "f":
            return
        y = self.leaf((x.array.shape[-1], int(self.rng.integers(1, 4))), x.t.device)
        self.add(situ.matmul(x.t, y.t), np.matmul(x.array, y.array), x, y)

    def do_copy(self):
        x = self.pick()
        device = self.devices[self.rng.integers(len(self.devices))]
        self.add((situ.to if self.rng.random() < 0.5 else situ.copy_to)(x.t, device), x.array, x)

    def do_variable(self):
        x = self.pick()
        if len(self.variables) < 4 and x.readable():
            self.variables.append(Variable(x))

    def new_value(self, v):
        """Something of the variable's shape, on its device: from itself, from another value, or new."""
        mode = self.rng.random()
        own = v.read()
        if mode < 0.5:
            y = self.leaf(broadcastable(self.rng, v.array.shape), v.t.device)
            name = self.rng.choice(list(BINARY))
            with np.errstate(all="ignore"):
                return self.add(getattr(situ, name)(v.t, y.t), BINARY[name](v.array, y.array), own, y)
        if mode < 0.6 and v.array.ndim:
            return self.add(situ.flip(v.t), np.flip(v.array), own)
        fitting = [x for x in self.pool() if x.array.shape == v.array.shape and x.t.dtype == v.t.dtype]
        if fitting and mode < 0.9:
            return self.here(fitting[self.rng.integers(len(fitting))], v.t.device)
        return self.leaf(v.array.shape, v.t.device)

    def do_assign(self):
        if not self.variables:
            return
        v = self.variables[self.rng.integers(len(self.variables))]
        value = self.new_value(v)
        if not value.readable():  # else the refusal would come with whatever is computed next
            return
        situ.assign(v.t, value.t)
        v.take(value, value.array)

    def do_assign_slice(self):
        if not self.variables:
            return
        v = self.variables[self.rng.integers(len(self.variables))]
        sizes = [int(self.rng.integers(0, n + 1)) for n in v.array.shape]
        start = [int(self.rng.integers(0, n - s + 1)) for n, s in zip(v.array.shape, sizes)]
        value = self.leaf(sizes, v.t.device)
        if self.rng.random() < 0.5 and value.array.size:  # from the variable's own other end
            stop = [n - s for n, s in zip(v.array.shape, start)]
            part = tuple(slice(e - s, e) for e, s in zip(stop, sizes))
            value = self.add(situ.slice(v.t, start=[p.start for p in part], stop=[p.stop for p in part]), v.array[part], v.read())
        situ.assign_slice(v.t, value.t, start)
        array = v.array.copy()
        array[tuple(slice(i, i + s) for i, s in zip(start, sizes))] = value.array
        v.take(Value(None, array), array)

    def do_keep(self):
        x = self.pick()
        if len(self.kept) >= 6 or not x.readable():
            return
        t = situ.keep(x.t)
        x.safe = True
        self.kept.append(Value(t, x.array, safe=True))

    def do_release(self):
        if self.kept:
            situ.release(self.kept.pop(self.rng.integers(len(self.kept))).t)

    def do_open(self):
        if len(self.scopes) < 4:
            self.scopes.append([])
            self.log.append(situ.scope_open())

    def do_close(self):
        if len(self.scopes) > 1:
            self.scopes.pop()
            situ.scope_close(self.log.pop())

    def do_read(self):
        self.read(self.pick())

    def do_item(self):
        x = self.pick()
        if x.array.size == 1 and x.readable():
            got = situ.item(x.t)
            want = float(x.array.ravel()[0])
            assert got == want or (got != got and want != want), f"item {got}, not {want}"
            x.safe = True

    def do_evaluate(self):
        chosen = [x for x in (self.pick() for _ in range(self.rng.integers(1, 4))) if x.readable()]
        if chosen:
            situ.evaluate(*[x.t for x in chosen])
            for x in chosen:
                x.safe = True

    def do_wait(self):
        situ.wait(None)

    # ---- reading ----

    def read(self, x):
        if not x.readable():
            situ.wait(None)  # a plan that fails takes its assignments with it
        try:
            got = x.t.numpy()
        except SituError as error:
            if error.code != situ.OVERWRITTEN or x.readable():
                raise
            assert "situ_keep" in error.message, f"no mend in: {error.message}"
            self.refused += 1
            return
        self.reads += 1
        x.safe = True
        assert same(got, x.array), f"read {x.t.dtype}{x.t.shape} on {x.t.device}: {difference(got, x.array)}"

    ACTIONS = {"do_binary": 6, "do_unary": 3, "do_where": 1, "do_move": 5, "do_reduce": 2, "do_matmul": 1, "do_copy": 2,
               "do_variable": 2, "do_assign": 5, "do_assign_slice": 2, "do_keep": 2, "do_release": 1, "do_open": 1.5,
               "do_close": 1, "do_read": 4, "do_item": 0.5, "do_evaluate": 1, "do_wait": 0.3}

    def run(self):
        names, weights = list(self.ACTIONS), np.array(list(self.ACTIONS.values()))
        actions = []
        fused = situ.fusing(bool(self.rng.random() < 0.8))
        self.log.append(situ.scope_open())
        try:
            for _ in range(self.steps):
                action = self.rng.choice(names, p=weights / weights.sum())
                actions.append(action[3:])
                getattr(self, action)()
            actions.append("end")
            rest = self.pool()
            self.rng.shuffle(rest)
            for x in rest:
                if self.rng.random() < 0.6:
                    self.read(x)
            while self.log:
                situ.scope_close(self.log.pop())
            with situ.scope():  # a read may make temporaries
                for x in [*self.kept, *[v.read() for v in self.variables]]:
                    self.read(x)
        except SituError as error:
            # a pending assignment may need what was overwritten: it fails whatever barrier starts it
            if error.code != situ.OVERWRITTEN:
                raise AssertionError(f"after {' '.join(actions)}: {error}") from error
            self.refused += 1
            self.ended = True
        except Exception as error:
            raise AssertionError(f"after {' '.join(actions)}: {error}") from error
        finally:
            self.clean(fused)

    def clean(self, fused):
        situ.lib.situ_error_take(None)
        while self.log:
            situ.lib.situ_scope_close(self.log.pop())
        for x in [*self.kept, *self.variables]:
            situ.lib.situ_release(x.t.handle)
        situ.lib.situ_error_take(None)
        situ.fusing(fused)


def memory(devices):
    situ.wait(None)
    return [situ.memory_in_use(d) for d in devices]


def run_programs(count, devices, first=0, each=None):
    """Runs programs; how many reads there were, and how many refused."""
    reads, refused, ended, failures = 0, 0, 0, []
    before = memory(devices)
    for seed in range(first, first + count):
        program = Program(seed, devices)
        try:
            program.run()
            after = memory(devices)
            assert after == before, f"memory in use went from {before} to {after}"
            if each:
                each()
        except (AssertionError, SituError) as error:
            failures.append(f"program {seed}: {error}")
            before = memory(devices)
        reads += program.reads
        refused += program.refused
        ended += program.ended
    assert not failures, f"{len(failures)} of {count} programs: " + " | ".join(failures[:6])
    assert ended * 50 <= count, f"{ended} of {count} programs ended at a barrier whose assignments need what was overwritten"
    assert refused * 4 < reads, f"{refused} reads were refused, {reads} were not"
    return f"{count} programs, {reads} reads equal, {refused} refused as overwritten"


def test_programs_on_the_cpu():
    return run_programs(cases(500), [situ.cpu()])


def test_programs_on_simulated_gpus():
    gpus = [situ.gpu(i) for i in range(situ.num_gpus())]
    return run_programs(cases(500), [situ.cpu(), *gpus], 100000)


if __name__ == "__main__":
    run_tests(sys.modules[__name__])
