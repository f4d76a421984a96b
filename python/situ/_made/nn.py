"""Functions of situ.nn. Made by scripts/generate.py from include/situ: change that."""
from .._situ import (  # noqa: F401
    accuracy, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d, adaptive_max_pool1d, adaptive_max_pool2d,
    adaptive_max_pool3d, attention, avg_pool1d, avg_pool2d, avg_pool3d, batch_norm, binary_cross_entropy,
    binary_cross_entropy_with_logits, conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d,
    cosine_embedding_loss, cross_entropy, ctc_loss, dequantise, dropout, elu, embedding, fold, gelu, global_norm,
    grid_sample, hinge_embedding_loss, hinge_loss, huber_loss, initial, interpolate, kl_div, l1_loss, layer_norm,
    leaky_relu, log_softmax, margin_ranking_loss, max_pool1d, max_pool2d, max_pool3d, mish, mse, nll_loss, one_hot,
    quantise, quantised_linear, rotary, self_attention, silu, smooth_l1_loss, softmax, triplet_margin_loss, unfold)


__all__ = ["accuracy", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
           "adaptive_max_pool2d", "adaptive_max_pool3d", "attention", "avg_pool1d", "avg_pool2d", "avg_pool3d",
           "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits", "conv1d", "conv2d", "conv3d",
           "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cosine_embedding_loss", "cross_entropy",
           "ctc_loss", "dequantise", "dropout", "elu", "embedding", "fold", "gelu", "global_norm", "grid_sample",
           "hinge_embedding_loss", "hinge_loss", "huber_loss", "initial", "interpolate", "kl_div", "l1_loss",
           "layer_norm", "leaky_relu", "log_softmax", "margin_ranking_loss", "max_pool1d", "max_pool2d", "max_pool3d",
           "mish", "mse", "nll_loss", "one_hot", "quantise", "quantised_linear", "rotary", "self_attention", "silu",
           "smooth_l1_loss", "softmax", "triplet_margin_loss", "unfold"]
