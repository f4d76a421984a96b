#!/usr/bin/env python3
"""Times what bench/algebra.c does by NumPy, SciPy, PyTorch or JAX. usage: algebra.py numpy|scipy|torch|torch-compile|jax-jit WORK SECONDS

Compiled PyTorch has only what it can gain at: what a library's function does by itself stays that function."""
import os
import statistics
import sys
import time

import numpy as np

framework, work, limit = sys.argv[1], sys.argv[2], float(sys.argv[3])
rng = np.random.default_rng(0)
WORKERS = int(os.environ.get("OMP_NUM_THREADS", 2))


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def square():
    return normal(512, 512)


def positive(n=512, *batch):
    a = normal(*batch, n, n)
    return a @ np.swapaxes(a, -1, -2) + n * np.eye(n, dtype=np.float32)


def symmetric():
    a = square()
    return a + a.T


def convolution(channels, size, out, side, step):
    return lambda: normal(16, channels, size, size), lambda: normal(out, channels, side, side), lambda: normal(16, out, size // step, size // step)


def wave(*shape):
    return normal(*shape) + 1j * normal(*shape)


OPERANDS = {
    "cholesky512": (positive,), "cholesky64": (lambda: positive(128, 64),), "solve512": (square, square), "inverse512": (square,), "qr512": (square,),
    "triangular512": (lambda: np.tril(square()) + 32 * np.eye(512, dtype=np.float32), square), "eigh512": (symmetric,), "svd512": (square,),
    "fft1M": (lambda: wave(1 << 20),), "fftrows": (lambda: wave(512, 1024),), "rfft1M": (lambda: normal(1 << 20),), "rfftrows": (lambda: normal(512, 1024),),
    "sort1M": (lambda: normal(1000000),), "sortrows": (lambda: normal(1000, 1000),), "argsort1M": (lambda: normal(1000000),),
    "argmaxrows": (lambda: normal(1000, 1000),), "topkrows": (lambda: normal(1000, 1000),), "unique1M": (lambda: rng.integers(0, 100000, 1000000),),
    "take4M": (lambda: normal(1000000), lambda: rng.integers(0, 1000000, 4000000)), "mask10M": (lambda: normal(10000000), lambda: normal(10000000) > 0),
    "search1M": (lambda: np.sort(normal(1000000)), lambda: normal(1000000)), "cumsum10M": (lambda: normal(10000000),),
    "add8": (lambda: rng.integers(-50, 50, 16000000, dtype=np.int8),) * 2, "conv14": convolution(256, 14, 256, 3, 1), "conv7": convolution(512, 7, 512, 3, 1),
    "convstride": convolution(128, 28, 256, 3, 2), "conv1x1": convolution(256, 14, 512, 1, 1)}


def numpy_works():
    return {
        "cholesky512": np.linalg.cholesky, "cholesky64": np.linalg.cholesky, "solve512": np.linalg.solve, "inverse512": np.linalg.inv, "qr512": np.linalg.qr,
        "eigh512": np.linalg.eigh, "svd512": np.linalg.svd, "fft1M": np.fft.fft, "fftrows": np.fft.fft, "rfft1M": np.fft.rfft, "rfftrows": np.fft.rfft,
        "sort1M": np.sort, "sortrows": np.sort, "argsort1M": lambda a: np.argsort(a, stable=True), "argmaxrows": lambda a: np.argmax(a, 1),
        "unique1M": np.unique, "take4M": np.take, "mask10M": lambda a, m: a[m], "search1M": np.searchsorted, "cumsum10M": np.cumsum, "add8": np.add,
        "topkrows": lambda a: np.take_along_axis(a, np.argpartition(a, -10, 1)[:, -10:], 1)}


def scipy_works():
    import scipy.fft
    import scipy.linalg as linalg
    plain = {"check_finite": False}
    return {
        "cholesky512": lambda a: linalg.cholesky(a, lower=True, **plain), "solve512": lambda a, b: linalg.solve(a, b, **plain),
        "inverse512": lambda a: linalg.inv(a, **plain), "qr512": lambda a: linalg.qr(a, mode="economic", **plain),
        "triangular512": lambda a, b: linalg.solve_triangular(a, b, lower=True, **plain), "eigh512": lambda a: linalg.eigh(a, driver="evd", **plain),
        "svd512": lambda a: linalg.svd(a, **plain), "fft1M": lambda a: scipy.fft.fft(a, workers=WORKERS), "fftrows": lambda a: scipy.fft.fft(a, workers=WORKERS),
        "rfft1M": lambda a: scipy.fft.rfft(a, workers=WORKERS), "rfftrows": lambda a: scipy.fft.rfft(a, workers=WORKERS)}


def torch_convolution(stride):
    from torch.nn.functional import conv2d

    def run(x, w, weight):
        y = (conv2d(x, w, stride=stride, padding=w.shape[2] // 2) * weight).sum()
        return y, torch.autograd.grad(y, (x, w))
    return run


CONVOLUTIONS = {"conv14": 1, "conv7": 1, "convstride": 2, "conv1x1": 1}


def torch_works():
    return {
        "cholesky512": torch.linalg.cholesky, "cholesky64": torch.linalg.cholesky, "solve512": torch.linalg.solve, "inverse512": torch.linalg.inv,
        "qr512": torch.linalg.qr, "triangular512": lambda a, b: torch.linalg.solve_triangular(a, b, upper=False), "eigh512": torch.linalg.eigh,
        "svd512": torch.linalg.svd, "fft1M": torch.fft.fft, "fftrows": torch.fft.fft, "rfft1M": torch.fft.rfft, "rfftrows": torch.fft.rfft,
        "sort1M": torch.sort, "sortrows": torch.sort, "argsort1M": lambda a: torch.argsort(a, stable=True), "argmaxrows": lambda a: torch.argmax(a, 1),
        "topkrows": lambda a: torch.topk(a, 10), "unique1M": torch.unique, "take4M": torch.take, "mask10M": lambda a, m: a[m],
        "search1M": torch.searchsorted, "cumsum10M": lambda a: torch.cumsum(a, 0), "add8": torch.add} | {
        name: torch_convolution(stride) for name, stride in CONVOLUTIONS.items()}


def compiled_works():
    gains = ["argmaxrows", "take4M", "cumsum10M", "add8", *CONVOLUTIONS]
    return {name: torch.compile(run) for name, run in torch_works().items() if name in gains}


def jax_convolution(stride):
    def value(x, w, weight):
        side = w.shape[2] // 2
        return (jax.lax.conv(x, w, (stride, stride), [(side, side)] * 2) * weight).sum()
    return jax.value_and_grad(value, (0, 1))


def jax_works():
    from jax.scipy.linalg import solve_triangular
    linalg = jnp.linalg
    plain = {
        "cholesky512": linalg.cholesky, "cholesky64": linalg.cholesky, "solve512": linalg.solve, "inverse512": linalg.inv, "qr512": linalg.qr,
        "triangular512": lambda a, b: solve_triangular(a, b, lower=True), "eigh512": linalg.eigh, "svd512": linalg.svd, "fft1M": jnp.fft.fft,
        "fftrows": jnp.fft.fft, "rfft1M": jnp.fft.rfft, "rfftrows": jnp.fft.rfft, "sort1M": jnp.sort, "sortrows": jnp.sort, "argsort1M": jnp.argsort,
        "argmaxrows": lambda a: jnp.argmax(a, 1), "topkrows": lambda a: jax.lax.top_k(a, 10), "take4M": lambda a, i: a[i],
        "search1M": jnp.searchsorted, "cumsum10M": jnp.cumsum, "add8": jnp.add} | {
        name: jax_convolution(stride) for name, stride in CONVOLUTIONS.items()}
    return {name: (lambda *a, f=jax.jit(run): jax.block_until_ready(f(*a))) for name, run in plain.items()}


if framework.startswith("torch"):
    import torch
    torch.set_num_threads(WORKERS)
elif framework == "jax-jit":
    import jax
    import jax.numpy as jnp
works = {"numpy": numpy_works, "scipy": scipy_works, "torch": torch_works, "torch-compile": compiled_works, "jax-jit": jax_works}.get(framework, dict)()
if work not in works:
    sys.exit(f"algebra.py: {framework} does no {work} here")
operands = [make() for make in OPERANDS[work]]
if framework.startswith("torch"):
    operands = [torch.from_numpy(np.ascontiguousarray(a)) for a in operands]
    if work in CONVOLUTIONS:
        operands[0].requires_grad_(), operands[1].requires_grad_()
elif framework == "jax-jit":
    operands = [jnp.asarray(a) for a in operands]
run, times = works[work], []
for _ in range(3):
    run(*operands)
end = time.perf_counter() + limit
while len(times) < 3 or time.perf_counter() < end:
    start = time.perf_counter()
    run(*operands)
    times.append(time.perf_counter() - start)
print(f"{framework:12s} {work:14s} median {statistics.median(times):.6g} min {min(times):.6g} runs {len(times)}")
