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
struct conv_transpose_options : options<situ_conv_transpose_options> {
    conv_transpose_options &stride(const situ::shape &v) { return situ_conv_transpose_options::stride = v, *this; }
    conv_transpose_options &stride(int64_t each) { return situ_conv_transpose_options::stride.dim[0] = each, *this; }
    conv_transpose_options &padding(const situ::shape &v) { return situ_conv_transpose_options::padding = v, *this; }
    conv_transpose_options &padding(int64_t each) { return situ_conv_transpose_options::padding.dim[0] = each, *this; }
    conv_transpose_options &dilation(const situ::shape &v) { return situ_conv_transpose_options::dilation = v, *this; }
    conv_transpose_options &dilation(int64_t each) { return situ_conv_transpose_options::dilation.dim[0] = each, *this; }
    conv_transpose_options &output_padding(const situ::shape &v) { return situ_conv_transpose_options::output_padding = v, *this; }
    conv_transpose_options &output_padding(int64_t each) { return situ_conv_transpose_options::output_padding.dim[0] = each, *this; }
    conv_transpose_options &groups(int64_t v) { return situ_conv_transpose_options::groups = v, *this; }
};
struct window_options : options<situ_window_options> {
    window_options &stride(const situ::shape &v) { return situ_window_options::stride = v, *this; }
    window_options &stride(int64_t each) { return situ_window_options::stride.dim[0] = each, *this; }
    window_options &padding(const situ::shape &v) { return situ_window_options::padding = v, *this; }
    window_options &padding(int64_t each) { return situ_window_options::padding.dim[0] = each, *this; }
    window_options &dilation(const situ::shape &v) { return situ_window_options::dilation = v, *this; }
    window_options &dilation(int64_t each) { return situ_window_options::dilation.dim[0] = each, *this; }
};
struct max_pool_options : options<situ_max_pool_options> {
    max_pool_options &stride(const situ::shape &v) { return situ_max_pool_options::stride = v, *this; }
    max_pool_options &stride(int64_t each) { return situ_max_pool_options::stride.dim[0] = each, *this; }
    max_pool_options &padding(const situ::shape &v) { return situ_max_pool_options::padding = v, *this; }
    max_pool_options &padding(int64_t each) { return situ_max_pool_options::padding.dim[0] = each, *this; }
    max_pool_options &dilation(const situ::shape &v) { return situ_max_pool_options::dilation = v, *this; }
    max_pool_options &dilation(int64_t each) { return situ_max_pool_options::dilation.dim[0] = each, *this; }
    max_pool_options &ceil(bool v = true) { return situ_max_pool_options::ceil = v, *this; }
};
struct avg_pool_options : options<situ_avg_pool_options> {
    avg_pool_options &stride(const situ::shape &v) { return situ_avg_pool_options::stride = v, *this; }
    avg_pool_options &stride(int64_t each) { return situ_avg_pool_options::stride.dim[0] = each, *this; }
    avg_pool_options &padding(const situ::shape &v) { return situ_avg_pool_options::padding = v, *this; }
    avg_pool_options &padding(int64_t each) { return situ_avg_pool_options::padding.dim[0] = each, *this; }
    avg_pool_options &count_padding(bool v = true) { return situ_avg_pool_options::count_padding = v, *this; }
    avg_pool_options &ceil(bool v = true) { return situ_avg_pool_options::ceil = v, *this; }
};
struct interpolate_options : options<situ_interpolate_options> {
    interpolate_options &mode(situ_interpolation v) { return situ_interpolate_options::mode = v, *this; }
    interpolate_options &align_corners(bool v = true) { return situ_interpolate_options::align_corners = v, *this; }
};
struct grid_sample_options : options<situ_grid_sample_options> {
    grid_sample_options &mode(situ_interpolation v) { return situ_grid_sample_options::mode = v, *this; }
    grid_sample_options &padding(situ_outside v) { return situ_grid_sample_options::padding = v, *this; }
    grid_sample_options &align_corners(bool v = true) { return situ_grid_sample_options::align_corners = v, *this; }
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
struct rotary_options : options<situ_rotary_options> {
    rotary_options &base(double v) { return situ_rotary_options::base = v, *this; }
    rotary_options &axis(int32_t v) { return situ_rotary_options::axis = v, *this; }
};
inline situ_dtype precision(situ_dtype dtype, site at = {})
{
    situ_called_at(at); return checked(situ_precision(dtype));
}
inline bool batch_invariant(bool on, site at = {}) { situ_called_at(at); return checked(situ_batch_invariant(on)); }
inline tensor conv2d(operand x, operand w, const conv_options &o = {}) { return situ_conv2d(x.t, w.t, &o, x.at); }
inline tensor conv1d(operand x, operand w, const conv_options &o = {}) { return situ_conv1d(x.t, w.t, &o, x.at); }
inline tensor conv3d(operand x, operand w, const conv_options &o = {}) { return situ_conv3d(x.t, w.t, &o, x.at); }
inline tensor conv_transpose1d(operand x, operand w, const conv_transpose_options &o = {})
{
    return situ_conv_transpose1d(x.t, w.t, &o, x.at);
}
inline tensor conv_transpose2d(operand x, operand w, const conv_transpose_options &o = {})
{
    return situ_conv_transpose2d(x.t, w.t, &o, x.at);
}
inline tensor conv_transpose3d(operand x, operand w, const conv_transpose_options &o = {})
{
    return situ_conv_transpose3d(x.t, w.t, &o, x.at);
}
inline tensor unfold(operand x, const situ::shape &window, const window_options &o = {})
{
    return situ_unfold(x.t, window, &o, x.at);
}
inline tensor fold(operand x, const situ::shape &image, const situ::shape &window, const window_options &o = {})
{
    return situ_fold(x.t, image, window, &o, x.at);
}
inline tensor max_pool2d(operand x, const situ::shape &size, const max_pool_options &o = {})
{
    return situ_max_pool2d(x.t, size, &o, x.at);
}
inline tensor avg_pool2d(operand x, const situ::shape &size, const avg_pool_options &o = {})
{
    return situ_avg_pool2d(x.t, size, &o, x.at);
}
inline tensor max_pool1d(operand x, const situ::shape &size, const max_pool_options &o = {})
{
    return situ_max_pool1d(x.t, size, &o, x.at);
}
inline tensor avg_pool1d(operand x, const situ::shape &size, const avg_pool_options &o = {})
{
    return situ_avg_pool1d(x.t, size, &o, x.at);
}
inline tensor max_pool3d(operand x, const situ::shape &size, const max_pool_options &o = {})
{
    return situ_max_pool3d(x.t, size, &o, x.at);
}
inline tensor avg_pool3d(operand x, const situ::shape &size, const avg_pool_options &o = {})
{
    return situ_avg_pool3d(x.t, size, &o, x.at);
}
inline tensor adaptive_max_pool1d(operand x, const situ::shape &size)
{
    return situ_adaptive_max_pool1d(x.t, size, x.at);
}
inline tensor adaptive_max_pool2d(operand x, const situ::shape &size)
{
    return situ_adaptive_max_pool2d(x.t, size, x.at);
}
inline tensor adaptive_max_pool3d(operand x, const situ::shape &size)
{
    return situ_adaptive_max_pool3d(x.t, size, x.at);
}
inline tensor adaptive_avg_pool1d(operand x, const situ::shape &size)
{
    return situ_adaptive_avg_pool1d(x.t, size, x.at);
}
inline tensor adaptive_avg_pool2d(operand x, const situ::shape &size)
{
    return situ_adaptive_avg_pool2d(x.t, size, x.at);
}
inline tensor adaptive_avg_pool3d(operand x, const situ::shape &size)
{
    return situ_adaptive_avg_pool3d(x.t, size, x.at);
}
inline tensor interpolate(operand x, const situ::shape &size, const interpolate_options &o = {})
{
    return situ_interpolate(x.t, size, &o, x.at);
}
inline tensor grid_sample(operand x, operand grid, const grid_sample_options &o = {})
{
    return situ_grid_sample(x.t, grid.t, &o, x.at);
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
inline tensor rotary(operand x, operand position, const rotary_options &o = {})
{
    return situ_rotary(x.t, position.t, &o, x.at);
}
inline tensor quantise(operand w, situ_block_type type) { return situ_quantise(w.t, type, w.at); }
inline tensor dequantise(operand blocks, situ_block_type type) { return situ_dequantise(blocks.t, type, blocks.at); }
inline tensor quantised_linear(operand x, operand blocks, situ_block_type type)
{
    return situ_quantised_linear(x.t, blocks.t, type, x.at);
}

} // namespace situ
#endif
