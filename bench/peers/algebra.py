#!/usr/bin/env python3
"""Times what bench/algebra.c does by NumPy, SciPy or PyTorch. usage: algebra.py numpy|scipy|torch WORK SECONDS"""
import statistics
import sys
import time

import numpy as np

framework, work, limit = sys.argv[1], sys.argv[2], float(sys.argv[3])
rng = np.random.default_rng(0)


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


def wave(*shape):
    return normal(*shape) + 1j * normal(*shape)


OPERANDS = {
    "cholesky512": (positive,), "cholesky64": (lambda: positive(128, 64),), "solve512": (square, square), "inverse512": (square,), "qr512": (square,),
    "triangular512": (lambda: np.tril(square()) + 32 * np.eye(512, dtype=np.float32), square), "eigh512": (symmetric,), "svd512": (square,),
    "fft1M": (lambda: wave(1 << 20),), "fftrows": (lambda: wave(512, 1024),), "rfft1M": (lambda: normal(1 << 20),), "rfftrows": (lambda: normal(512, 1024),),
    "sort1M": (lambda: normal(1000000),), "sortrows": (lambda: normal(1000, 1000),), "argsort1M": (lambda: normal(1000000),),
    "argmaxrows": (lambda: normal(1000, 1000),), "topkrows": (lambda: normal(1000, 1000),), "unique1M": (lambda: rng.integers(0, 100000, 1000000),),
    "take4M": (lambda: normal(1000000), lambda: rng.integers(0, 1000000, 4000000)), "mask10M": (lambda: normal(10000000), lambda: normal(10000000) > 0),
    "search1M": (lambda: np.sort(normal(1000000)), lambda: normal(1000000)), "cumsum10M": (lambda: normal(10000000),)}


def numpy_works():
    return {
        "cholesky512": np.linalg.cholesky, "cholesky64": np.linalg.cholesky, "solve512": np.linalg.solve, "inverse512": np.linalg.inv, "qr512": np.linalg.qr,
        "eigh512": np.linalg.eigh, "svd512": np.linalg.svd, "fft1M": np.fft.fft, "fftrows": np.fft.fft, "rfft1M": np.fft.rfft, "rfftrows": np.fft.rfft,
        "sort1M": np.sort, "sortrows": np.sort, "argsort1M": lambda a: np.argsort(a, stable=True), "argmaxrows": lambda a: np.argmax(a, 1),
        "unique1M": np.unique, "take4M": np.take, "mask10M": lambda a, m: a[m], "search1M": np.searchsorted, "cumsum10M": np.cumsum,
        "topkrows": lambda a: np.take_along_axis(a, np.argpartition(a, -10, 1)[:, -10:], 1)}


def scipy_works():
    import scipy.fft
    import scipy.linalg as linalg
    plain = {"check_finite": False}
    return {
        "cholesky512": lambda a: linalg.cholesky(a, lower=True, **plain), "solve512": lambda a, b: linalg.solve(a, b, **plain),
        "inverse512": lambda a: linalg.inv(a, **plain), "qr512": lambda a: linalg.qr(a, mode="economic", **plain),
        "triangular512": lambda a, b: linalg.solve_triangular(a, b, lower=True, **plain), "eigh512": lambda a: linalg.eigh(a, driver="evd", **plain),
        "svd512": lambda a: linalg.svd(a, **plain), "fft1M": lambda a: scipy.fft.fft(a, workers=2), "fftrows": lambda a: scipy.fft.fft(a, workers=2),
        "rfft1M": lambda a: scipy.fft.rfft(a, workers=2), "rfftrows": lambda a: scipy.fft.rfft(a, workers=2)}


def torch_works():
    import torch
    return {
        "cholesky512": torch.linalg.cholesky, "cholesky64": torch.linalg.cholesky, "solve512": torch.linalg.solve, "inverse512": torch.linalg.inv,
        "qr512": torch.linalg.qr, "triangular512": lambda a, b: torch.linalg.solve_triangular(a, b, upper=False), "eigh512": torch.linalg.eigh,
        "svd512": torch.linalg.svd, "fft1M": torch.fft.fft, "fftrows": torch.fft.fft, "rfft1M": torch.fft.rfft, "rfftrows": torch.fft.rfft,
        "sort1M": torch.sort, "sortrows": torch.sort, "argsort1M": lambda a: torch.argsort(a, stable=True), "argmaxrows": lambda a: torch.argmax(a, 1),
        "topkrows": lambda a: torch.topk(a, 10), "unique1M": torch.unique, "take4M": torch.take, "mask10M": lambda a, m: a[m],
        "search1M": torch.searchsorted, "cumsum10M": lambda a: torch.cumsum(a, 0)}


works = {"numpy": numpy_works, "scipy": scipy_works, "torch": torch_works}.get(framework, dict)()
if work not in works:
    sys.exit(f"algebra.py: {framework} does no {work} here")
operands = [make() for make in OPERANDS[work]]
if framework == "torch":
    import torch
    torch.set_num_threads(2)
    operands = [torch.from_numpy(np.ascontiguousarray(a)) for a in operands]
run, times = works[work], []
for _ in range(3):
    run(*operands)
end = time.perf_counter() + limit
while len(times) < 3 or time.perf_counter() < end:
    start = time.perf_counter()
    run(*operands)
    times.append(time.perf_counter() - start)
print(f"{framework:12s} {work:14s} median {statistics.median(times):.6g} min {min(times):.6g} runs {len(times)}")
