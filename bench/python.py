#!/usr/bin/env python3
"""The price of Python: the same work from Python and from C, and beside NumPy.

usage: PYTHON bench/python.py [--rounds N] [--seconds S] [--program build/bench/run] [work ...]

PYTHON has the package situ and NumPy. seedA and mlp run in turn as a process of C (bench/run) and one of Python; the
figure is the median over the rounds of min(Python) / min(C). add1 (1,000 additions, then one reading) and add1each (each
one read by float()) run in turn in this process in situ and in NumPy: the smallest time of each, and their ratio. The
works are those of bench/run. With --processor seedA and mlp run on one core with one thread, and what counts is the
processor's time, which other programs on the machine lengthen least. The last column says what is asked for and whether
it holds."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
clock = time.process_time if os.environ.get("SITU_BENCH_CLOCK") == "cpu" else time.perf_counter


def run_until(work, seconds):
    """The smallest time of a run, after three to get warm."""
    for r in range(3):
        work(r)
    best, end, r = float("inf"), time.perf_counter() + seconds, 3
    while time.perf_counter() < end:
        start = clock()
        work(r)
        best = min(best, clock() - start)
        r += 1
    return best


def seed_a():
    import situ

    def formula(t):
        return t**0.5 - situ.log(situ.abs(t))

    def run(r):  # as in C nobody holds the ten million points: a tensor with a name would be stored beside the result
        situ.wait(formula(situ.linspace(0, 100 + 1e-3 * r, 10_000_000)))

    return run


def mlp():
    import situ
    nn, random = situ.nn, situ.random
    net = nn.Sequential(nn.Linear(256), nn.ReLU(), nn.Linear(10))
    images, labels = random.normal(random.key(1), (256, 784)), random.randint(random.key(2), (256,), 0, 10)
    opt = situ.optim.SGD(net, lr=0.1)
    situ.wait(images)

    def run(r):
        loss = nn.cross_entropy(net(images), labels)
        opt.step(loss)
        float(loss)

    return run


AGAINST_C = {"seedA": seed_a, "mlp": mlp}


def additions(module, each):
    one = module.ones(1, dtype=module.float32)

    def last():
        x = one
        for _ in range(1000):
            x = x + one
        return float(x[0])

    def every():
        x = one
        for _ in range(1000):
            x = x + one
            v = float(x[0])
        return v

    work = every if each else last
    assert work() == 1001
    return lambda r: work()


def against_c(name, options):
    ours = [sys.executable, __file__, "--one", name, "--seconds", str(options.seconds)]
    c = [options.program, name, str(options.seconds)]
    ratios, best = [], {"C": float("inf"), "Python": float("inf")}
    if options.processor:
        os.environ.update(SITU_BENCH_CLOCK="cpu", SITU_THREADS="1")
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for i in range(options.rounds):
        pair = [("C", c), ("Python", ours)]
        times = {}
        for kind, command in pair if i % 2 else pair[::-1]:
            words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
            times[kind] = float(words[words.index("min") + 1])
            best[kind] = min(best[kind], times[kind])
        ratios.append(times["Python"] / times["C"])
    ratio = statistics.median(ratios)
    line = f"{name:10s} C {best['C'] * 1e3:9.3f} ms  Python {best['Python'] * 1e3:9.3f} ms  Python/C {ratio:.3f}"
    return f"{line}  (asked: at most 1.05: {'holds' if ratio <= 1.05 else 'does not hold'})"


def against_numpy(name, options):
    import numpy
    import situ
    works = [("situ", additions(situ, name == "add1each")), ("NumPy", additions(numpy, name == "add1each"))]
    best, ratios = {"situ": float("inf"), "NumPy": float("inf")}, []
    for i in range(options.rounds):
        times = {kind: run_until(work, options.seconds / 4) for kind, work in (works if i % 2 else works[::-1])}
        best = {kind: min(best[kind], t) for kind, t in times.items()}
        ratios.append(times["situ"] / times["NumPy"])
    ratio = statistics.median(ratios)
    line = f"{name:10s} situ {best['situ'] * 1e6:6.0f} us  NumPy {best['NumPy'] * 1e6:10.0f} us  situ/NumPy {ratio:.3f}"
    return line + (f"  (asked: below 1: {'holds' if ratio < 1 else 'does not hold'})" if name == "add1" else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("works", nargs="*", default=["add1", "add1each", "seedA", "mlp"])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--program", default=str(ROOT / "build/bench/run"))
    parser.add_argument("--processor", action="store_true", help="one core, one thread, the processor's time")
    parser.add_argument("--one", choices=AGAINST_C, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(f"situ {options.one} min {run_until(AGAINST_C[options.one](), options.seconds):.9g}")
        return
    for name in options.works:
        print((against_c if name in AGAINST_C else against_numpy)(name, options), flush=True)


if __name__ == "__main__":
    main()
