"""Functions of situ. Made by scripts/generate.py from include/situ: change that."""
from .._situ import (  # noqa: F401
    all, allclose, any, argmax, argmin, array_equal, atleast_1d, atleast_2d, atleast_3d, average, bincount, conj,
    count_nonzero, diag, diff, dot, empty, empty_like, eye, flip, gather, hstack, imag, index_add, isclose,
    linear_scan, logsumexp, matmul, matrix_transpose, max, mean, median, min, ones, ones_like, outer, pad, prod,
    quantile, real, scatter, scatter_add, squeeze, stack, std, stop_gradient, sum, swapaxes, topk, tril, triu, var,
    vstack, zeros, zeros_like)


__all__ = ["all", "allclose", "any", "argmax", "argmin", "array_equal", "atleast_1d", "atleast_2d", "atleast_3d",
           "average", "bincount", "conj", "count_nonzero", "diag", "diff", "dot", "empty", "empty_like", "eye",
           "flip", "gather", "hstack", "imag", "index_add", "isclose", "linear_scan", "logsumexp", "matmul",
           "matrix_transpose", "max", "mean", "median", "min", "ones", "ones_like", "outer", "pad", "prod",
           "quantile", "real", "scatter", "scatter_add", "squeeze", "stack", "std", "stop_gradient", "sum",
           "swapaxes", "topk", "tril", "triu", "var", "vstack", "zeros", "zeros_like"]
