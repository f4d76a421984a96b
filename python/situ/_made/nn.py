"""Functions of situ.nn. Made by scripts/generate.py from include/situ: change that."""
from .._situ import (  # noqa: F401
    accuracy, attention, avg_pool2d, batch_norm, conv1d, conv2d, cross_entropy, dropout, elu, embedding, gelu,
    layer_norm, leaky_relu, log_softmax, max_pool2d, mish, mse, one_hot, self_attention, silu, softmax)
