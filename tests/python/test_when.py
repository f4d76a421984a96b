"""Nothing depends on what was computed when: random programs of operations, variables, writes in place, views and gradients, each run
with other reads between its lines. Values, gradients and exceptions are the same each time, bit for bit, and those of a tape over NumPy
that computes at once. when.py [seed [programs]]"""
import contextlib
import copy
import pickle
import os
import random
import sys

import numpy as np

import situ
import tape

GONE = situ.OverwrittenError  # what needs a value that a variable had before, and that was not stored


class Program:
    """Lines of Python over a module m, with a place between two lines where something may be read: touch(n, tensor)."""

    def __init__(self, rng):
        self.rng, self.lines, self.shape, self.variables, self.made, self.places = rng, [], {}, set(), 0, 0
        for _ in range(rng.randint(1, 2)):
            self.new(f"m.asarray({self.numbers(3)}, dtype=dtype, device=device)", (3,))
        self.new(f"m.asarray({[self.numbers(3), self.numbers(3)]}, dtype=dtype, device=device)", (2, 3))

    def numbers(self, n):
        return [self.rng.randint(-8, 8) / 8 for _ in range(n)]

    def add(self, line):
        self.lines.append(line)

    def new(self, expression, shape):
        name = f"t{self.made}"
        self.made += 1
        self.add(f"{name} = {expression}")
        self.shape[name] = shape
        return name

    def pick(self, shape=None, among=None):
        names = [n for n in (among if among is not None else self.shape) if shape is None or self.shape[n] == shape]
        return self.rng.choice(names[-6:] if self.rng.random() < 0.7 else names) if names else None

    def touch(self, names=None):
        self.places += 1
        return f"touch({self.places}, {self.rng.choice(names or list(self.shape))})"

    def operation(self, x, shape, others):
        """An expression of x, and its shape; others: names of tensors by shape."""
        rng, y = self.rng, others(shape)
        kind = rng.randrange(15)
        if kind < 4 and y:
            return f"{x} {rng.choice('+-*')} {y}", shape
        if kind < 6:
            return f"{x} {rng.choice('+-*')} {rng.choice(['0.5', '2', '1.5', '1'])}", shape
        if kind < 9:
            same = ["m.positive({})", "m.real({})", "m.conj({})", "m.astype({}, dtype)", "m.reshape({0}, {0}.shape)", "m.squeeze({}, axis=())", "m.broadcast_to({0}, {0}.shape)", "{}[...]",
                    "m.flip(m.flip({}))", "{}.to_device(device)", "m.where({0} == {0}, {0}, 0)", "{}.copy()"]
            return rng.choice(same).format(x), shape
        if kind < 11:
            return rng.choice(["m.tanh({})", "m.abs({})", "-{}", "m.sin({})", "m.square({})", "m.stop_gradient({})", "m.maximum({}, 0.1)"]).format(x), shape
        if shape == (2, 3):
            return rng.choice([(f"{x}[0]", (3,)), (f"m.sum({x}, axis=0)", (3,)), (f"m.mean({x}, axis=0)", (3,)), (f"m.flip({x}, axis=0)", shape), (f"{x}[[1, 0]]", shape)])
        return rng.choice([(f"m.broadcast_to({x}, (2, 3))", (2, 3)), (f"m.stack([{x}, {y or x}])", (2, 3)), (f"{x}[[2, 0, 0]]", shape), (f"{x}[::-1]", shape), (f"m.concat([{x}[1:], {x}[:1]])", shape)])

    def body(self, argument, shape, lines):
        """Lines of a function of one or two arguments: a scalar in the end."""
        own = {argument: shape}
        if self.rng.random() < 0.3:
            argument_of = self.pick(shape)
            own[argument_of] = shape  # read from outside
        for i in range(self.rng.randint(1, 4)):
            x = self.rng.choice(list(own))
            kind = self.rng.random()
            if kind < 0.2 and not x.startswith("t"):
                lines.append(self.write(x, own[x], lambda s: next((n for n in own if own[n] == s and n != x), None)))
            elif kind < 0.3:
                lines.append(f"touch({self.place()}, {x})")
            else:
                expression, s = self.operation(x, own[x], lambda s: self.rng.choice([n for n in own if own[n] == s] or [None]))
                own[f"u{i}"] = s
                lines.append(f"u{i} = {expression}")
        last = [n for n in own if n.startswith("u")][-1:] or [argument]
        return f"m.sum({last[0]} * {last[0]})" if self.rng.random() < 0.5 else f"m.sum({last[0]})"

    def place(self):
        self.places += 1
        return self.places

    def write(self, x, shape, others):
        rng, y = self.rng, others(shape)
        if rng.random() < 0.5:
            return f"{x} {rng.choice(['+=', '-=', '*='])} {y if y and rng.random() < 0.6 else rng.choice(['2', '0.5'])}"
        key = rng.choice(["[0]", "[1:]", "[...]", "[::2]", "[[1]]", "[-1:]"])
        return f"{x}{key} = {y + key if y and rng.random() < 0.6 else rng.choice(['3', '0.25'])}"

    def gradient(self):
        rng = self.rng
        if rng.random() < 0.5:
            y = self.pick()
            wrt = sorted({self.pick() for _ in range(rng.randint(1, 2))})
            g = self.new(f"m.gradients(m.sum({y}), [{', '.join(wrt)}])", "list")
            self.shape.pop(g)
            for i, w in enumerate(wrt):
                self.new(f"{g}[{i}]", self.shape[w])
            return
        x = self.pick()
        lines, f = [], f"f{self.made}"
        result = self.body("v", self.shape[x], lines)
        self.add("\n".join([f"def {f}(v):"] + [f"    {line}" for line in lines + [f"return {result}"]]))
        kind = rng.randrange(4)
        if kind == 0:
            self.new(f"m.grad({f})({x})", self.shape[x])
        elif kind == 1:
            pair = f"p{self.made}"
            self.add(f"{pair} = m.value_and_grad({f})({x})")
            self.new(f"{pair}[0]", ())
            self.new(f"{pair}[1]", self.shape[x])
        elif kind == 2:
            pair = f"p{self.made}"
            self.add(f"{pair} = m.vjp({f}, {x})")
            if rng.random() < 0.5:
                self.add(self.touch())
            self.new(f"{pair}[1](1.5)[0]", self.shape[x])
        else:
            self.new(f"m.grad(lambda v: m.sum(m.grad({f})(v) * {x}))({x})", self.shape[x])

    def statement(self):
        rng, kind = self.rng, self.rng.random()
        plain = [n for n in self.shape if n not in self.variables]
        if kind < 0.4 or not plain:
            x = self.pick()
            if self.shape[x] == ():
                self.new(f"{x} * 2", ())
            else:
                self.new(*self.operation(x, self.shape[x], lambda s: self.pick(s)))
        elif kind < 0.52:
            x = self.pick(among=[n for n in plain if self.shape[n] != ()])
            self.add(self.write(x, self.shape[x], lambda s: self.pick(s)))
        elif kind < 0.6:
            x = self.pick(among=[n for n in self.shape if self.shape[n] != ()])
            v = self.new(f"m.variable({x}, trainable={rng.random() < 0.6})", self.shape[x])
            self.variables.add(v)
        elif kind < 0.7 and self.variables:
            v = rng.choice(sorted(self.variables))
            x = self.pick(self.shape[v])
            at = rng.choice([", start=(0,)", ", start=(1,)"]) if rng.random() < 0.3 else ""
            value = f"{x}[1:2]" if at else rng.choice([x, f"{x} * 2", f"{v} + {x}"])
            self.add(f"m.assign({v}, {value}{at})" if self.shape[v] == (3,) or not at else f"m.assign({v}, {value}, start=(1, 0))")
        elif kind < 0.9:
            self.gradient()
        elif kind < 0.93:
            x = self.pick()
            self.new(f"{rng.choice(['copy.deepcopy', 'copy.copy', 'again'])}({x})", self.shape[x])
        elif kind < 0.96 and len(self.shape) > 4:
            name = rng.choice(list(self.shape))
            self.shape.pop(name)
            self.variables.discard(name)
            self.add(f"del {name}")
        else:
            x = self.pick()
            name = f"t{self.made}"
            self.made += 1
            self.shape[name] = self.shape[x]
            self.add(f"with m.no_grad():\n    {name} = {x} * 2")
        if rng.random() < 0.5:
            self.add(self.touch())


def again(x):
    return pickle.loads(pickle.dumps(x)) if isinstance(x, situ.Tensor) else tape.variable(x) if x.is_variable else tape.constant(x)


READS = (situ.eval, situ.wait, str, np.asarray, lambda t: t.tolist(), lambda t: situ.eval(t * 2), lambda t: float(situ.sum(t)))


def run(program, m, how, dtype, device):
    """What each line raised, and the values in the end; `how` (None: never) says what is read at the places."""
    def touch(place, t):
        if how is not None and m is situ:
            rng = random.Random(f"{how} {place}")
            if rng.random() < (1 if how == "always" else 0.5):
                with contextlib.suppress(GONE):
                    rng.choice(READS)(t)

    space = {"m": m, "dtype": dtype, "device": device, "touch": touch, "copy": copy, "again": again}
    raised, values = {}, {}
    for i, line in enumerate(program.lines):
        try:
            exec(line, space)
        except Exception as e:
            raised[i] = type(e).__name__
            if isinstance(e, (SyntaxError, AttributeError)) or "-v" in sys.argv:
                print(line, type(e), e, file=sys.stderr)
    for name in program.shape:
        if name in space:
            try:
                t = space[name]
                values[name] = np.array(t.tolist(), dtype)
            except GONE as e:
                values[name] = None
    return raised, values


def differ(a, b, exact):
    """Where two runs differ; what is gone in one of them is passed over."""
    for i in sorted(set(a[0]) | set(b[0])):
        x, y = a[0].get(i), b[0].get(i)
        if x != y and "OverwrittenError" not in (x, y):
            return f"line {i + 1}: {x or 'no error'} and {y or 'no error'}"
        if x != y:
            return None  # what follows is another program
    for name in sorted(set(a[1]) & set(b[1])):
        x, y = a[1][name], b[1][name]
        if x is not None and y is not None and (x.shape != y.shape or not (np.array_equal(x, y, equal_nan=True) if exact else np.allclose(x, y, 2e-3, 2e-4, equal_nan=True))):
            return f"{name}: {x.tolist()} and {y.tolist()}"
    return None


def main():
    numbers = [a for a in sys.argv[1:] if a.isdigit()]
    seed, programs = int(numbers[0]) if numbers else int(os.environ.get("SITU_JOB_SEED", random.SystemRandom().randrange(10**9))), int(numbers[1]) if len(numbers) > 1 else 120
    for n in range(seed, seed + programs):
        rng = random.Random(n)
        program = Program(rng)
        for _ in range(rng.randint(4, 14)):
            program.statement()
        dtype, device = rng.choice(["float64", "float32"]), situ.gpu(0) if situ.num_gpus() and rng.random() < 0.2 else situ.cpu()
        first = run(program, situ, None, dtype, device)
        why = differ(first, run(program, tape, None, dtype, device), False)
        how = "a tape over NumPy" if why else None
        for k in ["always", 1, 2, 3]:
            why = why or differ(first, run(program, situ, k, dtype, device), True)
            how = how or (f"reads {k}" if why else None)
        if why:
            print("\n".join(f"    {line}" for whole in program.lines for line in whole.split("\n")))
            print(f"FAIL python: nothing depends on what was computed when (test_when.py {n} 1, {dtype} on {device}): without reads and with {how}: {why}")
            return 1
    print(f"PASS python: {programs} random programs from seed {seed} mean the same whatever is read in between")
    return 0


if __name__ == "__main__":
    sys.exit(main())
