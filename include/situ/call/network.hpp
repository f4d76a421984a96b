// situ/network.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/network.h: change that.
#ifndef SITU_CALL_NETWORK_HPP
#define SITU_CALL_NETWORK_HPP

namespace situ {

struct conv_options : options<situ_conv_options> {
    conv_options &stride(const situ::shape &v) { return situ_conv_options::stride = v, *this; }
    conv_options &stride(int64_t each) { return situ_conv_options::stride.dim[0] = each, *this; }
    conv_options &padding(const situ::shape &v) { return situ_conv_options::padding = v, *this; }
    conv_options &padding(int64_t each) { return situ_conv_options::padding.dim[0] = each, *this; }
    conv_options &dilation(const situ::shape &v) { return situ_conv_options::dilation = v, *this; }
    conv_options &dilation(int64_t each) { return situ_conv_options::dilation.dim[0] = each, *this; }
    conv_options &groups(int64_t v) { return situ_conv_options::groups = v, *this; }
};
struct max_pool_options : options<situ_max_pool_options> {
    max_pool_options &stride(const situ::shape &v) { return situ_max_pool_options::stride = v, *this; }
    max_pool_options &stride(int64_t each) { return situ_max_pool_options::stride.dim[0] = each, *this; }
    max_pool_options &padding(const situ::shape &v) { return situ_max_pool_options::padding = v, *this; }
    max_pool_options &padding(int64_t each) { return situ_max_pool_options::padding.dim[0] = each, *this; }
};
struct avg_pool_options : options<situ_avg_pool_options> {
    avg_pool_options &stride(const situ::shape &v) { return situ_avg_pool_options::stride = v, *this; }
    avg_pool_options &stride(int64_t each) { return situ_avg_pool_options::stride.dim[0] = each, *this; }
    avg_pool_options &padding(const situ::shape &v) { return situ_avg_pool_options::padding = v, *this; }
    avg_pool_options &padding(int64_t each) { return situ_avg_pool_options::padding.dim[0] = each, *this; }
    avg_pool_options &count_padding(bool v = true) { return situ_avg_pool_options::count_padding = v, *this; }
};
struct layer_norm_options : options<situ_layer_norm_options> {
    layer_norm_options &eps(double v) { return situ_layer_norm_options::eps = v, *this; }
};
struct batch_norm_options : options<situ_batch_norm_options> {
    batch_norm_options &eps(double v) { return situ_batch_norm_options::eps = v, *this; }
    batch_norm_options &momentum(double v) { return situ_batch_norm_options::momentum = v, *this; }
    batch_norm_options &mean(situ_tensor *v) { return situ_batch_norm_options::mean = v, *this; }
    batch_norm_options &variance(situ_tensor *v) { return situ_batch_norm_options::variance = v, *this; }
    batch_norm_options &inference(bool v = true) { return situ_batch_norm_options::inference = v, *this; }
};
struct attention_options : options<situ_attention_options> {
    attention_options &causal(bool v = true) { return situ_attention_options::causal = v, *this; }
    attention_options &scale(double v) { return situ_attention_options::scale = v, *this; }
};
inline tensor conv2d(operand x, operand w, const conv_options &o = {}) { return situ_conv2d(x.t, w.t, &o, x.at); }
inline tensor conv1d(operand x, operand w, const conv_options &o = {}) { return situ_conv1d(x.t, w.t, &o, x.at); }
inline tensor max_pool2d(operand x, const situ::shape &size, const max_pool_options &o = {})
{
    return situ_max_pool2d(x.t, size, &o, x.at);
}
inline tensor avg_pool2d(operand x, const situ::shape &size, const avg_pool_options &o = {})
{
    return situ_avg_pool2d(x.t, size, &o, x.at);
}
inline tensor layer_norm(operand x, operand scale, operand shift, const layer_norm_options &o = {})
{
    return situ_layer_norm(x.t, scale.t, shift.t, &o, x.at);
}
inline tensor batch_norm(operand x, operand scale, operand shift, const batch_norm_options &o = {})
{
    return situ_batch_norm(x.t, scale.t, shift.t, &o, x.at);
}
inline tensor embedding(operand table, operand index) { return situ_embedding(table.t, index.t, table.at); }
inline tensor attention(operand q, operand k, operand v, const attention_options &o = {})
{
    return situ_attention(q.t, k.t, v.t, &o, q.at);
}
inline tensor self_attention(operand x, int64_t heads, const attention_options &o = {})
{
    return situ_self_attention(x.t, heads, &o, x.at);
}

} // namespace situ
#endif
