"""Functions of situ. Made by scripts/generate.py from include/situ: change that."""
from .._situ import (  # noqa: F401
    all, any, argmax, argmin, count_nonzero, diff, dot, gather, index_add, linear_scan, logsumexp, matmul,
    matrix_transpose, max, mean, min, outer, pad, prod, scatter, scatter_add, std, sum, swapaxes, topk, var)
