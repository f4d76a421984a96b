"""Functions of situ.nn. Made by scripts/generate.py from include/situ: change that."""
from .._situ import (  # noqa: F401
    accuracy, attention, avg_pool2d, batch_norm, binary_cross_entropy, binary_cross_entropy_with_logits, conv1d,
    conv2d, cosine_embedding_loss, cross_entropy, ctc_loss, dropout, elu, embedding, gelu, global_norm,
    hinge_embedding_loss, hinge_loss, huber_loss, initial, kl_div, l1_loss, layer_norm, leaky_relu, log_softmax,
    margin_ranking_loss, max_pool2d, mish, mse, nll_loss, one_hot, self_attention, silu, smooth_l1_loss, softmax,
    triplet_margin_loss)
