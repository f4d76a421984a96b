// situ/function.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/function.h: change that.
#ifndef SITU_CALL_FUNCTION_HPP
#define SITU_CALL_FUNCTION_HPP

namespace situ {

struct gelu_options : options<situ_gelu_options> {
    gelu_options &exact(bool v = true) { return situ_gelu_options::exact = v, *this; }
};
struct softmax_options : options<situ_softmax_options> {
    softmax_options &axis(int32_t v) { return situ_softmax_options::axis = v, *this; }
};
struct loss_options : options<situ_loss_options> {
    loss_options &reduction(situ_reduction v) { return situ_loss_options::reduction = v, *this; }
};
inline tensor gelu(operand x, const gelu_options &o = {}) { return situ_gelu(x.t, &o, x.at); }
inline tensor silu(operand x) { return situ_silu(x.t, x.at); }
inline tensor mish(operand x) { return situ_mish(x.t, x.at); }
inline tensor leaky_relu(operand x, operand slope) { return situ_leaky_relu(x.t, slope.t, x.at); }
inline tensor elu(operand x, operand alpha) { return situ_elu(x.t, alpha.t, x.at); }
inline tensor softmax(operand x, const softmax_options &o = {}) { return situ_softmax(x.t, &o, x.at); }
inline tensor log_softmax(operand x, const softmax_options &o = {}) { return situ_log_softmax(x.t, &o, x.at); }
inline tensor cross_entropy(operand logits, operand labels, const loss_options &o = {})
{
    return situ_cross_entropy(logits.t, labels.t, &o, logits.at);
}
inline tensor mse(operand prediction, operand target, const loss_options &o = {})
{
    return situ_mse(prediction.t, target.t, &o, prediction.at);
}
inline tensor accuracy(operand logits, operand labels) { return situ_accuracy(logits.t, labels.t, logits.at); }
inline tensor dropout(operand x, operand key, operand rate) { return situ_dropout(x.t, key.t, rate.t, x.at); }

} // namespace situ
#endif
