#!/usr/bin/env python3
"""The works of low precision and of f64 in NumPy and PyTorch: halves.py numpy|torch bf16product|f16product|sin64|gelu16 SECONDS"""
import statistics
import sys
import time

import numpy as np

FRAMEWORK, WORK, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])


def work():
    random = np.random.default_rng(0)
    numbers = random.uniform(-3, 3, 4_000_000)
    if FRAMEWORK == "numpy":
        return (lambda: np.sin(numbers)) if WORK == "sin64" else None
    if FRAMEWORK != "torch":
        return None
    import torch
    if WORK == "sin64":
        x = torch.from_numpy(numbers)
        return lambda: torch.sin(x)
    if WORK == "gelu16":
        x = torch.from_numpy(numbers).half()
        return lambda: torch.nn.functional.gelu(x, approximate="tanh")
    a, b = (torch.from_numpy(random.uniform(0, 1, (1024, 1024))).to(torch.bfloat16 if WORK == "bf16product" else torch.float16) for _ in range(2))
    return lambda: a @ b


run = work()
if not run:
    sys.exit(f"{FRAMEWORK} {WORK} n/a")
else:
    times, end = [], time.perf_counter() + SECONDS
    run()
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    print(f"{FRAMEWORK} {WORK} median {statistics.median(times):.6g} s min {min(times):.6g} s runs {len(times)}")
