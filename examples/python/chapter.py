"""The chapter on GPUs, from Python: what its editions share.

Each edition is a script beside this one; a function row_XX in it is the equivalent of the cells with that number. Rows that
an edition does not write in its own way come from chapter_rows.py. A script runs its rows, or those named on the command line:
each with its code, the values that it gives, and its figures; it ends with 1 if something does not hold. SITU_CHAPTER_SMALL=1
makes the large cells small."""
import ast
import inspect
import os
import statistics
import sys
import textwrap
import threading
import time
import traceback

import situ

_broken = 0


def show(name, value):
    """Prints a value under a name and returns it."""
    lines = str(value).split("\n")
    print(f"  {name} = {lines[0]}", *(" " * (len(name) + 5) + line for line in lines[1:]), sep="\n")
    return value


def holds(condition, text):
    """Says whether a condition holds."""
    global _broken
    print(f"  {'holds ' if condition else 'BROKEN'}  {text}")
    _broken += not condition


def refused(kind, work, *words):
    """Whether work raises an error of this kind whose message has all of these words."""
    try:
        work()
    except kind as e:
        print(f"  {type(e).__name__}: {e}")
        missing = [w for w in words if w not in str(e)]
        if missing:
            print(f"  the message does not say {missing}")
        return not missing
    return False


def small():
    return os.environ.get("SITU_CHAPTER_SMALL", "0") not in ("", "0")


def size(full, reduced):
    return reduced if small() else full


def beside(figure):
    """The chapter's own figure, where the same size was run."""
    return "a reduced size: nothing to set beside the chapter's figure" if small() else f"the chapter prints {figure} on its machine"


def two_gpus(count=2):
    """Simulates GPUs if there are no real ones."""
    if situ.num_gpus() < count:
        situ.sim_gpus(count)


def virtual(device):
    """The virtual clock of a simulated device in seconds, else 0."""
    return situ.sim_clock() if device.info()["simulated"] else 0.0


def timed(work):
    start = time.perf_counter()
    value = work()
    return time.perf_counter() - start, value


class Figure:
    """Mean and standard deviation of several runs in seconds, as a notebook's timed cell prints them."""

    def __init__(self, seconds):
        self.runs, self.mean, self.deviation = len(seconds), statistics.fmean(seconds), statistics.pstdev(seconds)

    def __str__(self):
        unit, scale = next((u, s) for u, s in (("s", 1), ("ms", 1e3), ("us", 1e6)) if self.mean * s >= 1 or u == "us")
        return f"{self.mean * scale:.3g} {unit} ± {self.deviation * scale:.3g} {unit} ({self.runs} runs)"


def figure(work, runs=7):
    """Runs work once to make its plans, then `runs` times: the figure, and what the last run gave."""
    work()
    seconds = []
    for _ in range(runs):
        one, value = timed(work)
        seconds.append(one)
    return Figure(seconds), value


def bar(value, most):
    return "#" * round(40 * value / most) if most else ""


def in_another_thread(work):
    out = []
    t = threading.Thread(target=lambda: out.append(work()))
    t.start()
    t.join()
    return out[0]


def print_code(row):
    """The lines of a row without its def and its docstring, as they stand in its file."""
    lines = inspect.getsource(row).split("\n")
    body = ast.parse(textwrap.dedent("\n".join(lines))).body[0].body
    first = body[1].lineno if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1 else body[0].lineno
    for line in textwrap.dedent("\n".join(lines[first - 1:])).rstrip().split("\n"):
        print(f"    | {line}")


def _taken():
    """How often memory was taken on each device that rows use."""
    devices = [situ.cpu(), *situ.all_gpus(), *(situ.tpu(i) for i in range(situ.num_tpus()))]
    return {str(d): d.memory()["allocations"] for d in devices}


def run(script):
    """Runs the rows of an edition's script (its globals) and the common ones in the order of the chapter."""
    import chapter_rows

    rows = {name[4:]: f for module in (vars(chapter_rows), script) for name, f in module.items() if name.startswith("row_")}
    if "--list" in sys.argv:
        print(*sorted(rows))
        return
    unknown = [word for word in sys.argv[1:] if word not in rows]
    if unknown:
        sys.exit(f"there is no row {' '.join(unknown)}; there are {' '.join(sorted(rows))}")
    two_gpus()
    situ.set_printoptions(precision=8)  # as many digits as the chapter prints
    failed = []
    for number in sorted(set(sys.argv[1:]) or rows):
        before, taken = _broken, _taken()
        print(f"{number}: {(rows[number].__doc__ or '').strip()}")
        print_code(rows[number])
        sys.stdout.flush()
        try:
            rows[number]()
        except Exception:
            _count_error()
        places = [d for d, count in _taken().items() if count != taken.get(d, 0)]
        print(f"ran on {', '.join(places) or 'no device: it computes nothing'}")
        if _broken > before:
            failed.append(number)
        print()
    print("all rows hold" if not failed else f"these rows do not hold: {' '.join(failed)}")
    sys.exit(bool(failed))


def _count_error():
    global _broken
    _broken += 1
    traceback.print_exc(file=sys.stdout)
