"""Random programs against an eager interpreter that copies: operations, variables, assignment (whole and in part), views,
tensors that die and others that are kept, devices, reads in any order. All values are exact, so they must be equal. Scopes,
situ_keep and situ_release of C are in the programs of tests/judge.

A read may be refused as overwritten only where the tensor was never read, kept or evaluated, and depends on a variable that
was assigned since it was recorded.
"""

import numpy as np

import situ
from situ import _situ as ops
from support import Failures, broadcastable, cases, difference, numpy, operand, run, same
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
        self.scopes, self.variables, self.kept = [[]], [], []  # values die with the newest of the scopes

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
            t, a = operand(self.rng, shape, self.dtype, of=np.rint(a), device=device)
        return self.add(t, a)

    def here(self, value, device):
        """The value on that device."""
        if value.t.device == device:
            return value
        return self.add(ops.to(value.t, device), value.array, value)

    # ---- actions ----

    def do_binary(self):
        x = self.pick()
        if self.rng.random() < 0.25:
            name, number = self.rng.choice(list(BINARY)), int(self.rng.integers(0, 5))
            with np.errstate(all="ignore"):
                self.add(getattr(ops, name)(x.t, number), BINARY[name](x.array, x.array.dtype.type(number)), x)
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
            self.add(getattr(ops, name)(x.t, y.t), BINARY[name](x.array, y.array), x, y)

    def do_unary(self):
        x, name = self.pick(), self.rng.choice(list(UNARY))
        with np.errstate(all="ignore"):
            self.add(getattr(ops, name)(x.t), UNARY[name](x.array).astype(x.array.dtype), x)

    def do_where(self):
        x = self.pick()
        if x.array.size > 3000:
            return
        y = self.leaf(broadcastable(self.rng, x.array.shape), x.t.device)
        got = ops.where(ops.less(x.t, y.t), y.t, x.t)
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
            t = ops.sum(x.t, axis=axes)
            self.add(ops.cast(t, x.t.dtype), a.sum(axes, dtype=wide).astype(a.dtype), x)
        elif name == "cumsum" and exact and a.ndim:
            axis = int(self.rng.integers(a.ndim))
            self.add(ops.cast(ops.cumsum(x.t, axis=axis), x.t.dtype), np.cumsum(a, axis, dtype=a.dtype), x)
        elif name in ("max", "min") and a.size:
            self.add(getattr(ops, name)(x.t, axis=axes), getattr(a, name)(axes), x)

    def do_matmul(self):
        x = self.pick()
        if x.array.ndim < 2 or not 0 < x.array.shape[-1] < 30 or x.array.size > 500 or x.array.dtype.kind == "f":
            return
        y = self.leaf((x.array.shape[-1], int(self.rng.integers(1, 4))), x.t.device)
        self.add(ops.matmul(x.t, y.t), np.matmul(x.array, y.array), x, y)

    def do_copy(self):
        x = self.pick()
        device = self.devices[self.rng.integers(len(self.devices))]
        self.add((ops.to if self.rng.random() < 0.5 else ops.copy_to)(x.t, device), x.array, x)

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
                return self.add(getattr(ops, name)(v.t, y.t), BINARY[name](v.array, y.array), own, y)
        if mode < 0.6 and v.array.ndim:
            return self.add(ops.flip(v.t), np.flip(v.array), own)
        fitting = [x for x in self.pool() if x.array.shape == v.array.shape and x.t.dtype.short == v.t.dtype]
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
            value = self.add(v.t[part], v.array[part], v.read())
        situ.assign(v.t, value.t, start)
        array = v.array.copy()
        array[tuple(slice(i, i + s) for i, s in zip(start, sizes))] = value.array
        v.take(Value(None, array), array)

    def do_keep(self):
        x = self.pick()
        if len(self.kept) >= 6 or not x.readable():
            return
        t = x.t.copy() if x.t.is_variable else x.t  # a variable's own tensor would change with it
        situ.eval(t)
        x.safe = True
        self.kept.append(Value(t, x.array, safe=True))

    def do_release(self):
        if self.kept:
            self.kept.pop(self.rng.integers(len(self.kept)))

    def do_open(self):
        if len(self.scopes) < 4:
            self.scopes.append([])

    def do_close(self):
        if len(self.scopes) > 1:
            for x in self.scopes.pop():
                x.t = None

    def do_read(self):
        self.read(self.pick())

    def do_item(self):
        x = self.pick()
        if x.array.size == 1 and x.readable():
            got = x.t.item()
            want = float(x.array.ravel()[0])
            assert got == want or (got != got and want != want), f"item {got}, not {want}"
            x.safe = True

    def do_evaluate(self):
        chosen = [x for x in (self.pick() for _ in range(self.rng.integers(1, 4))) if x.readable()]
        if chosen:
            situ.eval(*[x.t for x in chosen])
            for x in chosen:
                x.safe = True

    def do_wait(self):
        situ.wait()

    # ---- reading ----

    def read(self, x):
        if not x.readable():
            situ.wait()  # a plan that fails takes its assignments with it
        try:
            got = numpy(x.t)
        except situ.Error as error:
            if not isinstance(error, situ.OverwrittenError) or x.readable():
                raise
            assert "situ.eval" in str(error), f"no mend in: {error}"
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
        fused = ops.fusing(bool(self.rng.random() < 0.8))
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
            self.scopes = [[]]
            for x in [*self.kept, *[v.read() for v in self.variables]]:
                self.read(x)
        except situ.Error as error:
            # a pending assignment may need what was overwritten: it fails whatever barrier starts it
            if not isinstance(error, situ.OverwrittenError):
                raise AssertionError(f"after {' '.join(actions)}: {error}") from error
            self.refused += 1
            self.ended = True
        except Exception as error:
            raise AssertionError(f"after {' '.join(actions)}: {error}") from error
        finally:
            ops.fusing(fused)

    def end(self):
        """Nothing of it lives on."""
        self.scopes, self.variables, self.kept = [], [], []


def memory(devices):
    situ.wait()
    return [d.memory()["in_use"] for d in devices]


def run_programs(count, devices, first=0):
    """Runs programs; how many reads there were, and how many refused."""
    reads, refused, ended, failures = 0, 0, 0, Failures()
    before = memory(devices)
    for seed in range(first, first + count):
        program = Program(seed, devices)
        with failures.of(f"program {seed}"):
            program.run()
            program.end()
            after = memory(devices)
            assert after == before, f"memory in use went from {before} to {after}"
        program.end()
        before = memory(devices)
        reads, refused, ended = reads + program.reads, refused + program.refused, ended + program.ended
    failures.check()
    assert ended * 50 <= count, f"{ended} of {count} programs ended at a barrier whose assignments need what was overwritten"
    assert refused * 4 < reads, f"{refused} reads were refused, {reads} were not"
    return f"{count} programs, {reads} reads equal, {refused} refused as overwritten"


def test_programs_on_the_cpu():
    return run_programs(cases(500), [situ.cpu()])


def test_programs_on_simulated_gpus():
    return run_programs(cases(500), [situ.cpu(), *situ.all_gpus()], 100000)


if __name__ == "__main__":
    run(globals())
