/* Calls of situ/activation.h. Made by scripts/generate.py from include/situ/activation.h: change that. */
#ifndef SITU_CALL_ACTIVATION_H
#define SITU_CALL_ACTIVATION_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_relu_layer() SITU_AT_(situ_relu_layer, )
#define situ_sigmoid_layer() SITU_AT_(situ_sigmoid_layer, )
#define situ_tanh_layer() SITU_AT_(situ_tanh_layer, )
#define situ_gelu_layer() SITU_AT_(situ_gelu_layer, )
#define situ_silu_layer() SITU_AT_(situ_silu_layer, )
#define situ_mish_layer() SITU_AT_(situ_mish_layer, )
#define situ_softplus_layer() SITU_AT_(situ_softplus_layer, )
#define situ_relu6_layer() SITU_AT_(situ_relu6_layer, )
#define situ_softsign_layer() SITU_AT_(situ_softsign_layer, )
#define situ_hardswish_layer() SITU_AT_(situ_hardswish_layer, )
#define situ_hardsigmoid_layer() SITU_AT_(situ_hardsigmoid_layer, )
#define situ_selu_layer() SITU_AT_(situ_selu_layer, )
#define situ_log_sigmoid_layer() SITU_AT_(situ_log_sigmoid_layer, )
#define situ_tanhshrink_layer() SITU_AT_(situ_tanhshrink_layer, )
#define situ_identity_layer() SITU_AT_(situ_identity_layer, )
#define situ_celu_layer(alpha) SITU_AT_(situ_celu_layer, (alpha))
#define situ_hardshrink_layer(bound) SITU_AT_(situ_hardshrink_layer, (bound))
#define situ_softshrink_layer(bound) SITU_AT_(situ_softshrink_layer, (bound))
#define situ_hardtanh_layer(low, high) SITU_AT_(situ_hardtanh_layer, (low), (high))
#define situ_threshold_layer(threshold, value) SITU_AT_(situ_threshold_layer, (threshold), (value))
#define situ_glu_layer(axis) SITU_AT_(situ_glu_layer, SITU_INTEGER(axis))
#define situ_leaky_relu_layer(slope) SITU_AT_(situ_leaky_relu_layer, (slope))
#define situ_elu_layer(alpha) SITU_AT_(situ_elu_layer, (alpha))
#define situ_softmax_layer(axis) SITU_AT_(situ_softmax_layer, SITU_INTEGER(axis))
#define situ_log_softmax_layer(axis) SITU_AT_(situ_log_softmax_layer, SITU_INTEGER(axis))
#define situ_prelu_layer(count) SITU_AT_(situ_prelu_layer, SITU_INTEGER(count))
#endif

#endif
