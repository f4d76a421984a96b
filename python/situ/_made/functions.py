"""Functions of situ. Made by scripts/generate.py from include/situ: change that."""
from .._situ import (  # noqa: F401
    all, any, argmax, argmin, conj, count_nonzero, diff, dot, empty, empty_like, eye, flip, gather, imag, index_add,
    linear_scan, logsumexp, matmul, matrix_transpose, max, mean, min, ones, ones_like, outer, pad, prod, real,
    scatter, scatter_add, squeeze, stack, std, stop_gradient, sum, swapaxes, topk, tril, triu, var, zeros, zeros_like)
