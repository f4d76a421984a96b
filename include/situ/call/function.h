/* Calls of situ/function.h. Made by scripts/generate.py from include/situ/function.h: change that. */
#ifndef SITU_CALL_FUNCTION_H
#define SITU_CALL_FUNCTION_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_GELU_DEFAULTS ()
#define SITU_SOFTMAX_DEFAULTS (.axis = -1,)
#define SITU_LOSS_DEFAULTS ()
#define SITU_CROSS_ENTROPY_DEFAULTS (.axis = -1,)
#define SITU_NLL_LOSS_DEFAULTS (.axis = -1,)
#define SITU_BINARY_DEFAULTS ()
#define SITU_BINARY_LOGITS_DEFAULTS ()
#define SITU_SMOOTH_L1_DEFAULTS (.beta = 1,)
#define SITU_HUBER_DEFAULTS (.delta = 1,)
#define SITU_KL_DIV_DEFAULTS ()
#define SITU_HINGE_EMBEDDING_DEFAULTS (.margin = 1,)
#define SITU_COSINE_EMBEDDING_DEFAULTS ()
#define SITU_MARGIN_RANKING_DEFAULTS ()
#define SITU_TRIPLET_MARGIN_DEFAULTS (.margin = 1, .ord = 2, .eps = 1e-6,)
#define SITU_CTC_LOSS_DEFAULTS ()

#ifndef __cplusplus
#define situ_gelu(...) situ_gelu_(__VA_ARGS__, )
#define situ_gelu_(x, ...) \
    SITU_OPTIONS_(situ_gelu_options, SITU_GELU_DEFAULTS, situ_gelu, (SITU_OPERAND(x),), "situ_gelu(x, .exact = ...)", \
    __VA_ARGS__)
#define situ_silu(x) (situ_silu)(SITU_OPERAND(x), SITU_HERE)
#define situ_mish(x) (situ_mish)(SITU_OPERAND(x), SITU_HERE)
#define situ_leaky_relu(x, slope) (situ_leaky_relu)(SITU_OPERAND(x), SITU_OPERAND(slope), SITU_HERE)
#define situ_elu(x, alpha) (situ_elu)(SITU_OPERAND(x), SITU_OPERAND(alpha), SITU_HERE)
#define situ_softmax(...) situ_softmax_(__VA_ARGS__, )
#define situ_softmax_(x, ...) \
    SITU_OPTIONS_(situ_softmax_options, SITU_SOFTMAX_DEFAULTS, situ_softmax, (SITU_OPERAND(x),), \
    "situ_softmax(x, .axis = ...)", __VA_ARGS__)
#define situ_log_softmax(...) situ_log_softmax_(__VA_ARGS__, )
#define situ_log_softmax_(x, ...) \
    SITU_OPTIONS_(situ_softmax_options, SITU_SOFTMAX_DEFAULTS, situ_log_softmax, (SITU_OPERAND(x),), \
    "situ_log_softmax(x, .axis = ...)", __VA_ARGS__)
#define situ_cross_entropy(...) situ_cross_entropy_(__VA_ARGS__, )
#define situ_cross_entropy_(logits, labels, ...) \
    SITU_OPTIONS_(situ_cross_entropy_options, SITU_CROSS_ENTROPY_DEFAULTS, situ_cross_entropy, (SITU_OPERAND(logits), \
    SITU_OPERAND(labels),), \
    "situ_cross_entropy(logits, labels, .reduction = ..., .axis = ..., .smoothing = ..., ...)", __VA_ARGS__)
#define situ_nll_loss(...) situ_nll_loss_(__VA_ARGS__, )
#define situ_nll_loss_(log_probs, labels, ...) \
    SITU_OPTIONS_(situ_nll_loss_options, SITU_NLL_LOSS_DEFAULTS, situ_nll_loss, (SITU_OPERAND(log_probs), \
    SITU_OPERAND(labels),), "situ_nll_loss(log_probs, labels, .reduction = ..., .axis = ..., .weights = ..., ...)", \
    __VA_ARGS__)
#define situ_binary_cross_entropy(...) situ_binary_cross_entropy_(__VA_ARGS__, )
#define situ_binary_cross_entropy_(p, target, ...) \
    SITU_OPTIONS_(situ_binary_options, SITU_BINARY_DEFAULTS, situ_binary_cross_entropy, (SITU_OPERAND(p), \
    SITU_OPERAND(target),), "situ_binary_cross_entropy(p, target, .reduction = ..., .weights = ...)", __VA_ARGS__)
#define situ_binary_cross_entropy_with_logits(...) situ_binary_cross_entropy_with_logits_(__VA_ARGS__, )
#define situ_binary_cross_entropy_with_logits_(logits, target, ...) \
    SITU_OPTIONS_(situ_binary_logits_options, SITU_BINARY_LOGITS_DEFAULTS, situ_binary_cross_entropy_with_logits, \
    (SITU_OPERAND(logits), SITU_OPERAND(target),), \
    "situ_binary_cross_entropy_with_logits(logits, target, .reduction = ..., .weights = ..., .pos_weights = ...)", \
    __VA_ARGS__)
#define situ_mse(...) situ_mse_(__VA_ARGS__, )
#define situ_mse_(prediction, target, ...) \
    SITU_OPTIONS_(situ_loss_options, SITU_LOSS_DEFAULTS, situ_mse, (SITU_OPERAND(prediction), SITU_OPERAND(target),), \
    "situ_mse(prediction, target, .reduction = ...)", __VA_ARGS__)
#define situ_l1_loss(...) situ_l1_loss_(__VA_ARGS__, )
#define situ_l1_loss_(prediction, target, ...) \
    SITU_OPTIONS_(situ_loss_options, SITU_LOSS_DEFAULTS, situ_l1_loss, (SITU_OPERAND(prediction), \
    SITU_OPERAND(target),), "situ_l1_loss(prediction, target, .reduction = ...)", __VA_ARGS__)
#define situ_smooth_l1_loss(...) situ_smooth_l1_loss_(__VA_ARGS__, )
#define situ_smooth_l1_loss_(prediction, target, ...) \
    SITU_OPTIONS_(situ_smooth_l1_options, SITU_SMOOTH_L1_DEFAULTS, situ_smooth_l1_loss, (SITU_OPERAND(prediction), \
    SITU_OPERAND(target),), "situ_smooth_l1_loss(prediction, target, .reduction = ..., .beta = ...)", __VA_ARGS__)
#define situ_huber_loss(...) situ_huber_loss_(__VA_ARGS__, )
#define situ_huber_loss_(prediction, target, ...) \
    SITU_OPTIONS_(situ_huber_options, SITU_HUBER_DEFAULTS, situ_huber_loss, (SITU_OPERAND(prediction), \
    SITU_OPERAND(target),), "situ_huber_loss(prediction, target, .reduction = ..., .delta = ...)", __VA_ARGS__)
#define situ_kl_div(...) situ_kl_div_(__VA_ARGS__, )
#define situ_kl_div_(log_probs, target, ...) \
    SITU_OPTIONS_(situ_kl_div_options, SITU_KL_DIV_DEFAULTS, situ_kl_div, (SITU_OPERAND(log_probs), \
    SITU_OPERAND(target),), "situ_kl_div(log_probs, target, .reduction = ..., .log_target = ...)", __VA_ARGS__)
#define situ_hinge_loss(...) situ_hinge_loss_(__VA_ARGS__, )
#define situ_hinge_loss_(score, sign, ...) \
    SITU_OPTIONS_(situ_loss_options, SITU_LOSS_DEFAULTS, situ_hinge_loss, (SITU_OPERAND(score), SITU_OPERAND(sign),), \
    "situ_hinge_loss(score, sign, .reduction = ...)", __VA_ARGS__)
#define situ_hinge_embedding_loss(...) situ_hinge_embedding_loss_(__VA_ARGS__, )
#define situ_hinge_embedding_loss_(distance, sign, ...) \
    SITU_OPTIONS_(situ_hinge_embedding_options, SITU_HINGE_EMBEDDING_DEFAULTS, situ_hinge_embedding_loss, \
    (SITU_OPERAND(distance), SITU_OPERAND(sign),), \
    "situ_hinge_embedding_loss(distance, sign, .reduction = ..., .margin = ...)", __VA_ARGS__)
#define situ_cosine_embedding_loss(...) situ_cosine_embedding_loss_(__VA_ARGS__, )
#define situ_cosine_embedding_loss_(a, b, sign, ...) \
    SITU_OPTIONS_(situ_cosine_embedding_options, SITU_COSINE_EMBEDDING_DEFAULTS, situ_cosine_embedding_loss, \
    (SITU_OPERAND(a), SITU_OPERAND(b), SITU_OPERAND(sign),), \
    "situ_cosine_embedding_loss(a, b, sign, .reduction = ..., .margin = ...)", __VA_ARGS__)
#define situ_margin_ranking_loss(...) situ_margin_ranking_loss_(__VA_ARGS__, )
#define situ_margin_ranking_loss_(a, b, sign, ...) \
    SITU_OPTIONS_(situ_margin_ranking_options, SITU_MARGIN_RANKING_DEFAULTS, situ_margin_ranking_loss, \
    (SITU_OPERAND(a), SITU_OPERAND(b), SITU_OPERAND(sign),), \
    "situ_margin_ranking_loss(a, b, sign, .reduction = ..., .margin = ...)", __VA_ARGS__)
#define situ_triplet_margin_loss(...) situ_triplet_margin_loss_(__VA_ARGS__, )
#define situ_triplet_margin_loss_(anchor, positive, negative, ...) \
    SITU_OPTIONS_(situ_triplet_margin_options, SITU_TRIPLET_MARGIN_DEFAULTS, situ_triplet_margin_loss, \
    (SITU_OPERAND(anchor), SITU_OPERAND(positive), SITU_OPERAND(negative),), \
    "situ_triplet_margin_loss(anchor, positive, negative, .reduction = ..., .margin = ..., .ord = ..., ...)", \
    __VA_ARGS__)
#define situ_ctc_loss(...) situ_ctc_loss_(__VA_ARGS__, )
#define situ_ctc_loss_(log_probs, labels, ...) \
    SITU_OPTIONS_(situ_ctc_loss_options, SITU_CTC_LOSS_DEFAULTS, situ_ctc_loss, (SITU_OPERAND(log_probs), \
    SITU_OPERAND(labels),), \
    "situ_ctc_loss(log_probs, labels, .reduction = ..., .input_lengths = ..., .target_lengths = ..., ...)", \
    __VA_ARGS__)
#define situ_accuracy(logits, labels) (situ_accuracy)(SITU_OPERAND(logits), SITU_OPERAND(labels), SITU_HERE)
#define situ_global_norm(...) (situ_global_norm)((__VA_ARGS__), SITU_HERE)
#define situ_dropout(x, key, rate) (situ_dropout)(SITU_OPERAND(x), SITU_OPERAND(key), SITU_OPERAND(rate), SITU_HERE)
#endif

#endif
