"""Functions of situ.random. Made by scripts/generate.py from include/situ: change that."""
from .._situ import (  # noqa: F401
    bits, categorical, fold_in, gumbel, key, normal, permutation, randint, uniform)


__all__ = ["bits", "categorical", "fold_in", "gumbel", "key", "normal", "permutation", "randint", "uniform"]
