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
struct cross_entropy_options : options<situ_cross_entropy_options> {
    cross_entropy_options &reduction(situ_reduction v) { return situ_cross_entropy_options::reduction = v, *this; }
    cross_entropy_options &axis(int32_t v) { return situ_cross_entropy_options::axis = v, *this; }
    cross_entropy_options &smoothing(double v) { return situ_cross_entropy_options::smoothing = v, *this; }
    cross_entropy_options &weights(situ_tensor *v) { return situ_cross_entropy_options::weights = v, *this; }
    cross_entropy_options &ignored(situ_tensor *v) { return situ_cross_entropy_options::ignored = v, *this; }
};
struct nll_loss_options : options<situ_nll_loss_options> {
    nll_loss_options &reduction(situ_reduction v) { return situ_nll_loss_options::reduction = v, *this; }
    nll_loss_options &axis(int32_t v) { return situ_nll_loss_options::axis = v, *this; }
    nll_loss_options &weights(situ_tensor *v) { return situ_nll_loss_options::weights = v, *this; }
    nll_loss_options &ignored(situ_tensor *v) { return situ_nll_loss_options::ignored = v, *this; }
};
struct binary_options : options<situ_binary_options> {
    binary_options &reduction(situ_reduction v) { return situ_binary_options::reduction = v, *this; }
    binary_options &weights(situ_tensor *v) { return situ_binary_options::weights = v, *this; }
};
struct binary_logits_options : options<situ_binary_logits_options> {
    binary_logits_options &reduction(situ_reduction v) { return situ_binary_logits_options::reduction = v, *this; }
    binary_logits_options &weights(situ_tensor *v) { return situ_binary_logits_options::weights = v, *this; }
    binary_logits_options &pos_weights(situ_tensor *v) { return situ_binary_logits_options::pos_weights = v, *this; }
};
struct smooth_l1_options : options<situ_smooth_l1_options> {
    smooth_l1_options &reduction(situ_reduction v) { return situ_smooth_l1_options::reduction = v, *this; }
    smooth_l1_options &beta(double v) { return situ_smooth_l1_options::beta = v, *this; }
};
struct huber_options : options<situ_huber_options> {
    huber_options &reduction(situ_reduction v) { return situ_huber_options::reduction = v, *this; }
    huber_options &delta(double v) { return situ_huber_options::delta = v, *this; }
};
struct kl_div_options : options<situ_kl_div_options> {
    kl_div_options &reduction(situ_reduction v) { return situ_kl_div_options::reduction = v, *this; }
    kl_div_options &log_target(bool v = true) { return situ_kl_div_options::log_target = v, *this; }
};
struct hinge_embedding_options : options<situ_hinge_embedding_options> {
    hinge_embedding_options &reduction(situ_reduction v) { return situ_hinge_embedding_options::reduction = v, *this; }
    hinge_embedding_options &margin(double v) { return situ_hinge_embedding_options::margin = v, *this; }
};
struct cosine_embedding_options : options<situ_cosine_embedding_options> {
    cosine_embedding_options &reduction(situ_reduction v) { return situ_cosine_embedding_options::reduction = v, *this; }
    cosine_embedding_options &margin(double v) { return situ_cosine_embedding_options::margin = v, *this; }
};
struct margin_ranking_options : options<situ_margin_ranking_options> {
    margin_ranking_options &reduction(situ_reduction v) { return situ_margin_ranking_options::reduction = v, *this; }
    margin_ranking_options &margin(double v) { return situ_margin_ranking_options::margin = v, *this; }
};
struct triplet_margin_options : options<situ_triplet_margin_options> {
    triplet_margin_options &reduction(situ_reduction v) { return situ_triplet_margin_options::reduction = v, *this; }
    triplet_margin_options &margin(double v) { return situ_triplet_margin_options::margin = v, *this; }
    triplet_margin_options &ord(double v) { return situ_triplet_margin_options::ord = v, *this; }
    triplet_margin_options &eps(double v) { return situ_triplet_margin_options::eps = v, *this; }
    triplet_margin_options &swap(bool v = true) { return situ_triplet_margin_options::swap = v, *this; }
};
struct ctc_loss_options : options<situ_ctc_loss_options> {
    ctc_loss_options &reduction(situ_reduction v) { return situ_ctc_loss_options::reduction = v, *this; }
    ctc_loss_options &input_lengths(situ_tensor *v) { return situ_ctc_loss_options::input_lengths = v, *this; }
    ctc_loss_options &target_lengths(situ_tensor *v) { return situ_ctc_loss_options::target_lengths = v, *this; }
    ctc_loss_options &blank(int64_t v) { return situ_ctc_loss_options::blank = v, *this; }
    ctc_loss_options &zero_infinity(bool v = true) { return situ_ctc_loss_options::zero_infinity = v, *this; }
};
inline tensor gelu(operand x, const gelu_options &o = {}) { return situ_gelu(x.t, &o, x.at); }
inline tensor silu(operand x) { return situ_silu(x.t, x.at); }
inline tensor mish(operand x) { return situ_mish(x.t, x.at); }
inline tensor leaky_relu(operand x, operand slope) { return situ_leaky_relu(x.t, slope.t, x.at); }
inline tensor elu(operand x, operand alpha) { return situ_elu(x.t, alpha.t, x.at); }
inline tensor softmax(operand x, const softmax_options &o = {}) { return situ_softmax(x.t, &o, x.at); }
inline tensor log_softmax(operand x, const softmax_options &o = {}) { return situ_log_softmax(x.t, &o, x.at); }
inline tensor cross_entropy(operand logits, operand labels, const cross_entropy_options &o = {})
{
    return situ_cross_entropy(logits.t, labels.t, &o, logits.at);
}
inline tensor nll_loss(operand log_probs, operand labels, const nll_loss_options &o = {})
{
    return situ_nll_loss(log_probs.t, labels.t, &o, log_probs.at);
}
inline tensor binary_cross_entropy(operand p, operand target, const binary_options &o = {})
{
    return situ_binary_cross_entropy(p.t, target.t, &o, p.at);
}
inline tensor binary_cross_entropy_with_logits(operand logits, operand target, const binary_logits_options &o = {})
{
    return situ_binary_cross_entropy_with_logits(logits.t, target.t, &o, logits.at);
}
inline tensor mse(operand prediction, operand target, const loss_options &o = {})
{
    return situ_mse(prediction.t, target.t, &o, prediction.at);
}
inline tensor l1_loss(operand prediction, operand target, const loss_options &o = {})
{
    return situ_l1_loss(prediction.t, target.t, &o, prediction.at);
}
inline tensor smooth_l1_loss(operand prediction, operand target, const smooth_l1_options &o = {})
{
    return situ_smooth_l1_loss(prediction.t, target.t, &o, prediction.at);
}
inline tensor huber_loss(operand prediction, operand target, const huber_options &o = {})
{
    return situ_huber_loss(prediction.t, target.t, &o, prediction.at);
}
inline tensor kl_div(operand log_probs, operand target, const kl_div_options &o = {})
{
    return situ_kl_div(log_probs.t, target.t, &o, log_probs.at);
}
inline tensor hinge_loss(operand score, operand sign, const loss_options &o = {})
{
    return situ_hinge_loss(score.t, sign.t, &o, score.at);
}
inline tensor hinge_embedding_loss(operand distance, operand sign, const hinge_embedding_options &o = {})
{
    return situ_hinge_embedding_loss(distance.t, sign.t, &o, distance.at);
}
inline tensor cosine_embedding_loss(operand a, operand b, operand sign, const cosine_embedding_options &o = {})
{
    return situ_cosine_embedding_loss(a.t, b.t, sign.t, &o, a.at);
}
inline tensor margin_ranking_loss(operand a, operand b, operand sign, const margin_ranking_options &o = {})
{
    return situ_margin_ranking_loss(a.t, b.t, sign.t, &o, a.at);
}
inline tensor triplet_margin_loss(operand anchor, operand positive, operand negative, const triplet_margin_options &o = {})
{
    return situ_triplet_margin_loss(anchor.t, positive.t, negative.t, &o, anchor.at);
}
inline tensor ctc_loss(operand log_probs, operand labels, const ctc_loss_options &o = {})
{
    return situ_ctc_loss(log_probs.t, labels.t, &o, log_probs.at);
}
inline tensor accuracy(operand logits, operand labels) { return situ_accuracy(logits.t, labels.t, logits.at); }
inline tensor global_norm(const situ::list &tensors, site at = {}) { return situ_global_norm(tensors, at); }
inline tensor dropout(operand x, operand key, operand rate) { return situ_dropout(x.t, key.t, rate.t, x.at); }

} // namespace situ
#endif
