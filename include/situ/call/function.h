/* Calls of situ/function.h. Made by scripts/generate.py from include/situ/function.h: change that. */
#ifndef SITU_CALL_FUNCTION_H
#define SITU_CALL_FUNCTION_H

#define SITU_GELU_DEFAULTS ()
#define SITU_SOFTMAX_DEFAULTS (.axis = -1,)
#define SITU_LOSS_DEFAULTS ()

#ifndef __cplusplus
#define situ_gelu(...) situ_gelu_(__VA_ARGS__, )
#define situ_gelu_(x, ...) \
    SITU_OPTIONS_(situ_gelu_options, SITU_GELU_DEFAULTS, situ_gelu, (SITU_OPERAND(x),), __VA_ARGS__)
#define situ_silu(x) (situ_silu)(SITU_OPERAND(x), SITU_HERE)
#define situ_mish(x) (situ_mish)(SITU_OPERAND(x), SITU_HERE)
#define situ_leaky_relu(x, slope) (situ_leaky_relu)(SITU_OPERAND(x), SITU_OPERAND(slope), SITU_HERE)
#define situ_elu(x, alpha) (situ_elu)(SITU_OPERAND(x), SITU_OPERAND(alpha), SITU_HERE)
#define situ_softmax(...) situ_softmax_(__VA_ARGS__, )
#define situ_softmax_(x, ...) \
    SITU_OPTIONS_(situ_softmax_options, SITU_SOFTMAX_DEFAULTS, situ_softmax, (SITU_OPERAND(x),), __VA_ARGS__)
#define situ_log_softmax(...) situ_log_softmax_(__VA_ARGS__, )
#define situ_log_softmax_(x, ...) \
    SITU_OPTIONS_(situ_softmax_options, SITU_SOFTMAX_DEFAULTS, situ_log_softmax, (SITU_OPERAND(x),), __VA_ARGS__)
#define situ_cross_entropy(...) situ_cross_entropy_(__VA_ARGS__, )
#define situ_cross_entropy_(logits, labels, ...) \
    SITU_OPTIONS_(situ_loss_options, SITU_LOSS_DEFAULTS, situ_cross_entropy, (SITU_OPERAND(logits), \
    SITU_OPERAND(labels),), __VA_ARGS__)
#define situ_mse(...) situ_mse_(__VA_ARGS__, )
#define situ_mse_(prediction, target, ...) \
    SITU_OPTIONS_(situ_loss_options, SITU_LOSS_DEFAULTS, situ_mse, (SITU_OPERAND(prediction), SITU_OPERAND(target),), \
    __VA_ARGS__)
#define situ_accuracy(logits, labels) (situ_accuracy)(SITU_OPERAND(logits), SITU_OPERAND(labels), SITU_HERE)
#define situ_dropout(x, key, rate) (situ_dropout)(SITU_OPERAND(x), SITU_OPERAND(key), SITU_OPERAND(rate), SITU_HERE)
#endif

#endif
