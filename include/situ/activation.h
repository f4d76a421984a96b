/* Layers that are functions of each element, or along an axis.
 *
 *     situ_module *net = situ_sequential(situ_selu_layer(), situ_linear_layer(10), situ_log_softmax_layer(-1));
 *
 * The functions themselves are in situ/function.h and situ/elementwise.h.
 */
#ifndef SITU_ACTIVATION_H
#define SITU_ACTIVATION_H

#include <situ/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- layers: NULL on an error ------------------------------------------------------------------------------------ */

/* max(x, 0); 1 / (1 + e^-x); tanh x; gelu x (tanh form). */
SITU_API SITU_TOLD situ_module *situ_relu_layer(void);
SITU_API SITU_TOLD situ_module *situ_sigmoid_layer(void);
SITU_API SITU_TOLD situ_module *situ_tanh_layer(void);
SITU_API SITU_TOLD situ_module *situ_gelu_layer(void);
/* x / (1 + e^-x); x tanh(log(1 + e^x)); log(1 + e^x); min(max(x, 0), 6); x / (1 + |x|). */
SITU_API SITU_TOLD situ_module *situ_silu_layer(void);
SITU_API SITU_TOLD situ_module *situ_mish_layer(void);
SITU_API SITU_TOLD situ_module *situ_softplus_layer(void);
SITU_API SITU_TOLD situ_module *situ_relu6_layer(void);
SITU_API SITU_TOLD situ_module *situ_softsign_layer(void);
/* x clip(x + 3, 0, 6) / 6; clip(x + 3, 0, 6) / 6; 1.0507 elu x with alpha 1.6733; log(1 / (1 + e^-x)); x - tanh x; x. */
SITU_API SITU_TOLD situ_module *situ_hardswish_layer(void);
SITU_API SITU_TOLD situ_module *situ_hardsigmoid_layer(void);
SITU_API SITU_TOLD situ_module *situ_selu_layer(void);
SITU_API SITU_TOLD situ_module *situ_log_sigmoid_layer(void);
SITU_API SITU_TOLD situ_module *situ_tanhshrink_layer(void);
SITU_API SITU_TOLD situ_module *situ_identity_layer(void);
/* x where x > 0, else alpha (e^(x / alpha) - 1); x where |x| > bound, else 0; x moved by bound towards 0, at most to it. */
SITU_API SITU_TOLD situ_module *situ_celu_layer(double alpha);
SITU_API SITU_TOLD situ_module *situ_hardshrink_layer(double bound);
SITU_API SITU_TOLD situ_module *situ_softshrink_layer(double bound);
/* x, but low and high at the ends; x where x > threshold, else value. */
SITU_API SITU_TOLD situ_module *situ_hardtanh_layer(double low, double high);
SITU_API SITU_TOLD situ_module *situ_threshold_layer(double threshold, double value);
/* a / (1 + e^-b) of the halves a and b of an axis. */
SITU_API SITU_TOLD situ_module *situ_glu_layer(int axis);
/* x where x >= 0, else slope x; x where x > 0, else alpha (e^x - 1); exp(x) / sum(exp(x)) along an axis, and its logarithm. */
SITU_API SITU_TOLD situ_module *situ_leaky_relu_layer(double slope);
SITU_API SITU_TOLD situ_module *situ_elu_layer(double alpha);
SITU_API SITU_TOLD situ_module *situ_softmax_layer(int axis);
SITU_API SITU_TOLD situ_module *situ_log_softmax_layer(int axis);
/* x where x >= 0, else weight x: a parameter [count], 0.25 at first: one for all, or one for each channel (axis 1). */
SITU_API SITU_TOLD situ_module *situ_prelu_layer(int64_t count);

#ifdef __cplusplus
}
#endif

#include <situ/call/activation.h>

#endif
