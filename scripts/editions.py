#!/usr/bin/env python3
"""usage: scripts/editions.py use-gpu.md OLDER.md > docs/editions.md: runs the cells of the chapter's five editions with situ in the place
of each framework, on two simulated GPUs, and writes the table of what runs, what stops, and with which words.

The first file is chapter_builders-guide/use-gpu.md of the book's repository (d2l-ai/d2l-en), the second one the same page of version
0.6, which has the edition with nd arrays. Their text is read and not kept. What is in the place of what: `import torch` is `import situ
as torch`, and so for np, npx, mx, nd, tf, jax, jnp; nn is situ.nn; the book's own package d2l has situ's Trainer and Module."""
import ast
import contextlib
import io
import re
import sys
import types

import situ

# In our words, the cells in their order: (what a cell does, what stands in its place where it stops, what must be true after it).
ONES = lambda g: g["X"].tolist() == [[1.0] * 3] * 2 and g["X"].device == situ.gpu(0)
SECOND = lambda g: g["Y"].shape == (2, 3) and g["Y"].device == situ.gpu(1) and 0 <= float(situ.min(g["Y"])) <= float(situ.max(g["Y"])) < 1
MOVED = lambda g: g["Z"].tolist() == g["X"].tolist() and g["Z"].device == situ.gpu(1)
SUM = lambda g: g["_"].device == situ.gpu(1) and g["_"].tolist() == (g["Y"] + 1).tolist()
NAMES = ("devices by name", None, lambda g: g["_"] == (situ.cpu(), situ.gpu(0), situ.gpu(1)))
COUNT = ("how many GPUs", "num_gpus = situ.num_gpus; num_gpus()", lambda g: g["_"] == 2)
TRY = ("a GPU if there is one, all GPUs", None, lambda g: g["_"] == (situ.gpu(0), situ.cpu(), [situ.gpu(0), situ.gpu(1)]))
DEVICE = ("a tensor's device", "x = situ.asarray([1, 2, 3]); x.device", lambda g: g["x"].tolist() == [1, 2, 3] and situ.cpu() == g["_"])
MAKE = ("ones on the first GPU", "X = situ.ones((2, 3), device=try_gpu())", ONES)
DRAW = ("random numbers on the second GPU", "Y = situ.random.uniform(situ.random.key(0), (2, 3), device=try_gpu(1))", SECOND)
MOVE = ("a copy on the second GPU", "Z = X.to_device(try_gpu(1))", MOVED)
ADD = ("a sum there", "Y + X.to_device(try_gpu(1))", SUM)
SAME = ("no copy where it is there already", None, lambda g: g["_"] is True)
LAYER = ("a network on the GPU", "net = situ.nn.Sequential(situ.nn.Linear(1)).to(try_gpu())", None)
CALL = ("a call on the input's device", None, lambda g: g["_"].shape == (2, 1) and g["_"].device == g["X"].device)
WEIGHT = ("the device of its parameters", "net[0].weight.device", lambda g: situ.gpu(0) == g["_"])
SCRATCH = ("moving what a model keeps itself", None, lambda g: g["d2l"].scratch())
HOOKS = ("a trainer's hooks for GPUs", None, lambda g: g["d2l"].trained(g))
EDITIONS = {
    "mxnet": ("MXNet (np)", {"np": situ, "npx": situ, "nn": situ.nn}, [NAMES, COUNT, TRY, DEVICE, MAKE, DRAW, MOVE, ADD, SAME, LAYER, CALL, WEIGHT, SCRATCH, HOOKS]),
    "pytorch": ("PyTorch", {"torch": situ, "nn": situ.nn}, [NAMES, COUNT, TRY, DEVICE, MAKE, DRAW, MOVE, ADD, SAME, LAYER, CALL, WEIGHT, HOOKS]),
    "tensorflow": ("TensorFlow", {"tf": situ}, [NAMES, COUNT, TRY, DEVICE, MAKE, DRAW, ("the same tensor in a scope of the second GPU", None, lambda g: g["Z"] is g["X"]), ADD, SAME, LAYER, CALL, WEIGHT]),
    "jax": ("JAX with Flax", {"jax": situ, "jnp": situ, "nn": situ.nn}, [NAMES, COUNT, TRY, DEVICE, MAKE, DRAW, MOVE, ADD, SAME, (
        "parameters by a key and an input", "net = situ.nn.Sequential(situ.nn.Linear(1)); x = situ.random.normal(situ.random.key(1), (10,)); params = net.init(situ.random.key(2), x)", None),
        ("a call with these parameters", None, lambda g: g["_"].shape == (1,)), ("the devices of parameters", "{name: p.device for name, p in params.items()}", lambda g: set(g["_"].values()) == {situ.cpu()}), HOOKS]),
    "nd": ("MXNet (nd)", {"mx": situ, "nd": situ, "nn": situ.nn}, [
        NAMES, ("an array, printed", None, lambda g: g["x"].tolist() == [1, 2, 3]), ("its context", None, lambda g: g["_"] == situ.cpu()),
        ("ones on the first GPU", "x = situ.ones((2, 3), device=situ.gpu())", lambda g: ONES({"X": g["x"]})),
        ("random numbers on the second GPU", "y = situ.random.uniform(situ.random.key(0), (2, 3), device=situ.gpu(1))", lambda g: SECOND({"Y": g["y"]})),
        ("a copy on the second GPU", None, lambda g: MOVED({"X": g["x"], "Z": g["z"]})), ("a sum there", None, lambda g: SUM({"_": g["_"], "Y": g["y"]})),
        ("x in another context", None, lambda g: MOVED({"X": g["x"], "Z": g["z"]})), ("no copy where it is there already", None, lambda g: g["_"] is True),
        ("always a copy", None, lambda g: g["_"] is False), ("a network on the GPU", "net = situ.nn.Sequential(situ.nn.Linear(1)).to(situ.gpu())", None),
        ("a call on the input's device", None, lambda g: g["_"].shape == (2, 1) and g["_"].device == situ.gpu(0)), ("its weight", "net[0].weight", lambda g: g["_"].device == situ.gpu(0))]),
}


class Tab:
    """The book's choice among the editions, inside a cell."""

    def __init__(self, edition):
        self.edition = edition

    def selected(self, *names):
        return self.edition in names


def add_to_class(kind):
    return lambda f: setattr(kind, f.__name__, f)


def package():
    """What the cells call d2l: classes of situ, to which cells add, and functions of other cells."""
    d2l = types.SimpleNamespace(add_to_class=add_to_class, gpu=situ.gpu, cpu=situ.cpu, num_gpus=situ.num_gpus, to=lambda x, device: x.to_device(device))
    d2l.Trainer, d2l.Module = type("Trainer", (situ.train.Trainer,), {}), type("Module", (situ.nn.Module,), {})

    def trained(g):
        """Whether the trainer that the cells have made trains a model with variables of its own."""
        class Line(d2l.Module):
            def __init__(self):
                self.w = situ.variable(situ.zeros((3, 1)))

            def forward(self, x):
                return x @ self.w

            def loss(self, prediction, target):
                return situ.mean((prediction - target) ** 2)

            def configure_optimizers(self):
                return situ.optim.SGD(self, lr=0.1)

        x = situ.random.normal(situ.random.key(3), (64, 3))
        model, trainer = Line(), d2l.Trainer(max_epochs=20, num_gpus=1)
        trainer.fit(model, situ.data.Dataset(x, situ.sum(x, axis=1, keepdims=True)))
        return trainer.loss < 1e-2 and model.w.device == situ.gpu(0) and trainer.gpus == [situ.gpu(0)]
    def scratch():
        """Whether the method that a cell has given to modules moves them."""
        model = d2l.Module()
        model.w = situ.variable(situ.ones((3, 1)))
        model.set_scratch_params_device(situ.gpu(0))
        return model.w.device == situ.gpu(0)
    d2l.trained, d2l.scratch = trained, scratch
    return d2l


def cells_of(text, edition):
    """The code of an edition, without imports and commands of the shell."""
    found = []
    for tabs, code in re.findall(r"```\{\.python \.input[^}]*\}\n(?:%%tab ([^\n]*)\n)?(.*?)```", text, re.DOTALL):
        if edition != "nd" and not (set(re.split(r"[,\s]+", tabs)) & {edition, "all"}):
            continue
        lines = [line for line in code.split("\n") if not re.match(r"(import|from) |npx\.set_np|[!%]|tab\.interact", line)]
        if any(line.strip() for line in lines):
            found.append("\n".join(lines))
    return found


def run(code, names):
    """Runs a cell; what its last line gives is names["_"]."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(tree, "<cell>", "exec"), names)
        names["_"] = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
        repr(names["_"])


def outcome(cell, row, names):
    """("runs" or words of the error, whether what is there then is right)."""
    what, instead, right = row
    try:
        run(cell, names)
        words = "runs"
    except Exception as e:
        words = str(e).split("; ", 1)[-1]
        words = re.sub(r"^<cell>:\d+: ", "", words)
        if instead is None:
            return words, False
        run(instead, names)
    try:
        return words, right is None or bool(right(names))
    except AttributeError as e:  # what a cell defines is used, and stops there
        return f"when it is called: {str(e).split('; ', 1)[-1]}", "; " in str(e)


def table(edition, text):
    """Lines of a table, how many cells run, how many there are, and what is wrong."""
    title, names, rows = EDITIONS[edition]
    names = {**names, "situ": situ, "d2l": package(), "tab": Tab(edition), "autograd": situ}
    cells = cells_of(text, edition)
    wrong = [] if len(cells) == len(rows) else [f"{edition}: {len(cells)} cells, and {len(rows)} are known"]
    lines, ran = [f"| {title} | with situ |", "|---|---|"], 0
    for cell, row in zip(cells, rows):
        words, right = outcome(cell, row, names)
        ran += words == "runs"
        wrong += [] if right else [f"{edition}: {row[0]}: {words}: {names.get('_')}"]
        lines.append(f"| {row[0]} | {words if words == 'runs' else 'stops: ' + words.replace('|', '/')} |")
    return lines, ran, len(cells), wrong


def main(paths):
    if len(paths) != 2:
        sys.exit(__doc__)
    situ.sim_gpus(2)
    texts, all_wrong, tables, summary = [open(path, encoding="utf-8").read() for path in paths], [], [], []
    for edition in EDITIONS:
        lines, ran, count, wrong = table(edition, texts[edition == "nd"])
        all_wrong += wrong
        all_wrong += [] if ran >= 0.6 * count else [f"{edition}: {ran} of {count} cells run"]
        summary.append(f"| {EDITIONS[edition][0]} | {ran} of {count} |")
        tables.append("\n".join(lines))
    print(HEAD.format(summary="\n".join(summary)) + "\n\n".join(tables))
    for line in all_wrong:
        print(line, file=sys.stderr)
    return bool(all_wrong)


HEAD = """# The five editions of the chapter, run with situ

[`scripts/editions.py`](../scripts/editions.py) made this page. It takes each cell of the chapter's five editions as it stands, with situ in the
place of the framework (`import situ as torch`, `as tf`, `as jnp`, ...; `nn` is `situ.nn`, and the trainer and the modules of the book's
package are situ's), and two simulated GPUs. Cells that only import are left out. A cell that runs gives what the chapter says; this
is checked. A cell that stops says what to write, in the words below.

| edition | cells that run unchanged |
|---|---|
{summary}

Words that mean there what a word of situ means work: `x.ctx`, `x.as_in_ctx(d)`, `x.copyto(d)`, `x.asnumpy()`, `x.cuda(i)`, `x.to(d)`,
`x.devices()`, `x.block_until_ready()`, `array`, `constant`,
`config.get_visible_devices()`, `device_put`, `devices`, `cuda.is_available()`, `nn.LazyLinear`,
`random.PRNGKey`. No listing shows those that situ has under another name. Words that mean something else stop: a random number without a
key, `Dense`, which flattens in one framework and not in two others, a shape as several arguments, a sum on two devices.
`python -m situ NAME` says what to write for a name.

"""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
