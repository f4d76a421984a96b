#!/usr/bin/env python3
"""The works of low precision and of f64 by others: halves.py numpy|torch|torch-compile|jax-jit bf16product|f16product|sin64|gelu16 SECONDS"""
import os
import statistics
import sys
import time

import numpy as np

FRAMEWORK, WORK, SECONDS = sys.argv[1], sys.argv[2], float(sys.argv[3])
numbers = np.random.default_rng(0).uniform(-3, 3, 4_000_000)
halves = np.random.default_rng(0).uniform(0, 1, (2, 1024, 1024))


def by_torch():
    import torch
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", 2)))
    compiled = torch.compile if FRAMEWORK == "torch-compile" else (lambda f: f)
    if WORK == "sin64":
        x, sine = torch.from_numpy(numbers), compiled(torch.sin)
        return lambda: sine(x)
    if WORK == "gelu16":
        x, gelu = torch.from_numpy(numbers).half(), compiled(lambda x: torch.nn.functional.gelu(x, approximate="tanh"))
        return lambda: gelu(x)
    a, b = (torch.from_numpy(a).to(torch.bfloat16 if WORK == "bf16product" else torch.float16) for a in halves)
    product = compiled(lambda a, b: a @ b)
    return lambda: product(a, b)


def by_jax():
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    half = jnp.bfloat16 if WORK == "bf16product" else jnp.float16
    operands = (jnp.asarray(numbers, jnp.float64 if WORK == "sin64" else half),) if WORK in ("sin64", "gelu16") else [jnp.asarray(a, half) for a in halves]
    f = jax.jit({"sin64": jnp.sin, "gelu16": jax.nn.gelu}.get(WORK, jnp.matmul))
    return lambda: f(*operands).block_until_ready()


if FRAMEWORK.startswith("torch"):
    run = by_torch()
elif FRAMEWORK == "jax-jit":
    run = by_jax()
elif FRAMEWORK == "numpy" and WORK == "sin64":
    def run():
        np.sin(numbers)
else:
    sys.exit(f"{FRAMEWORK} {WORK} n/a")
times = []
run(), run()
end = time.perf_counter() + SECONDS
while len(times) < 3 or time.perf_counter() < end:
    start = time.perf_counter()
    run()
    times.append(time.perf_counter() - start)
print(f"{FRAMEWORK} {WORK} median {statistics.median(times):.6g} s min {min(times):.6g} s runs {len(times)}")
