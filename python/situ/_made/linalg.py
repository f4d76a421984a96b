"""Functions of situ.linalg. Made by scripts/generate.py from include/situ: change that."""
from .._situ import (  # noqa: F401
    cholesky, cross, det, inv, matrix_power, solve)
