"""Functions of situ.linalg. Made by scripts/generate.py from include/situ: change that."""
from collections import namedtuple as _namedtuple

from .._situ import (  # noqa: F401
    cholesky, cross, det, diagonal, eig, eigh, inv, matrix_power, slogdet, solve, solve_triangular, svd)

SlogdetResult = _namedtuple("SlogdetResult", "sign logabsdet")
EighResult = _namedtuple("EighResult", "eigenvalues eigenvectors")
EigResult = _namedtuple("EigResult", "eigenvalues eigenvectors")
SVDResult = _namedtuple("SVDResult", "U S Vh")


__all__ = ["cholesky", "cross", "det", "diagonal", "eig", "eigh", "inv", "matrix_power", "slogdet", "solve",
           "solve_triangular", "svd", "SlogdetResult", "EighResult", "EigResult", "SVDResult"]
