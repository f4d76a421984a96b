// situ/window.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/window.h: change that.
#ifndef SITU_CALL_WINDOW_HPP
#define SITU_CALL_WINDOW_HPP

namespace situ {

struct conv_layer_options : options<situ_conv_layer_options> {
    conv_layer_options &bias(bool v = true) { return situ_conv_layer_options::bias = v, *this; }
    conv_layer_options &stride(const situ::shape &v) { return situ_conv_layer_options::stride = v, *this; }
    conv_layer_options &stride(int64_t each) { return situ_conv_layer_options::stride.dim[0] = each, *this; }
    conv_layer_options &padding(const situ::shape &v) { return situ_conv_layer_options::padding = v, *this; }
    conv_layer_options &padding(int64_t each) { return situ_conv_layer_options::padding.dim[0] = each, *this; }
    conv_layer_options &dilation(const situ::shape &v) { return situ_conv_layer_options::dilation = v, *this; }
    conv_layer_options &dilation(int64_t each) { return situ_conv_layer_options::dilation.dim[0] = each, *this; }
    conv_layer_options &groups(int64_t v) { return situ_conv_layer_options::groups = v, *this; }
    conv_layer_options &in(int64_t v) { return situ_conv_layer_options::in = v, *this; }
    conv_layer_options &padding_mode(situ_pad_mode v) { return situ_conv_layer_options::padding_mode = v, *this; }
};
struct conv_transpose_layer_options : options<situ_conv_transpose_layer_options> {
    conv_transpose_layer_options &bias(bool v = true) { return situ_conv_transpose_layer_options::bias = v, *this; }
    conv_transpose_layer_options &stride(const situ::shape &v) { return situ_conv_transpose_layer_options::stride = v, *this; }
    conv_transpose_layer_options &stride(int64_t each) { return situ_conv_transpose_layer_options::stride.dim[0] = each, *this; }
    conv_transpose_layer_options &padding(const situ::shape &v) { return situ_conv_transpose_layer_options::padding = v, *this; }
    conv_transpose_layer_options &padding(int64_t each) { return situ_conv_transpose_layer_options::padding.dim[0] = each, *this; }
    conv_transpose_layer_options &dilation(const situ::shape &v) { return situ_conv_transpose_layer_options::dilation = v, *this; }
    conv_transpose_layer_options &dilation(int64_t each) { return situ_conv_transpose_layer_options::dilation.dim[0] = each, *this; }
    conv_transpose_layer_options &groups(int64_t v) { return situ_conv_transpose_layer_options::groups = v, *this; }
    conv_transpose_layer_options &in(int64_t v) { return situ_conv_transpose_layer_options::in = v, *this; }
    conv_transpose_layer_options &output_padding(const situ::shape &v) { return situ_conv_transpose_layer_options::output_padding = v, *this; }
    conv_transpose_layer_options &output_padding(int64_t each) { return situ_conv_transpose_layer_options::output_padding.dim[0] = each, *this; }
};
inline situ_module *conv1d_layer(int64_t out, const situ::shape &size, const conv_layer_options &o = {}, site at = {})
{
    return checked(situ_conv1d_layer(out, size, &o, at));
}
inline situ_module *conv2d_layer(int64_t out, const situ::shape &size, const conv_layer_options &o = {}, site at = {})
{
    return checked(situ_conv2d_layer(out, size, &o, at));
}
inline situ_module *conv3d_layer(int64_t out, const situ::shape &size, const conv_layer_options &o = {}, site at = {})
{
    return checked(situ_conv3d_layer(out, size, &o, at));
}
inline situ_module *conv_transpose1d_layer(int64_t out, const situ::shape &size, const conv_transpose_layer_options &o = {}, site at = {})
{
    return checked(situ_conv_transpose1d_layer(out, size, &o, at));
}
inline situ_module *conv_transpose2d_layer(int64_t out, const situ::shape &size, const conv_transpose_layer_options &o = {}, site at = {})
{
    return checked(situ_conv_transpose2d_layer(out, size, &o, at));
}
inline situ_module *conv_transpose3d_layer(int64_t out, const situ::shape &size, const conv_transpose_layer_options &o = {}, site at = {})
{
    return checked(situ_conv_transpose3d_layer(out, size, &o, at));
}
inline situ_module *max_pool1d_layer(const situ::shape &size, const max_pool_options &o = {}, site at = {})
{
    return checked(situ_max_pool1d_layer(size, &o, at));
}
inline situ_module *max_pool2d_layer(const situ::shape &size, const max_pool_options &o = {}, site at = {})
{
    return checked(situ_max_pool2d_layer(size, &o, at));
}
inline situ_module *max_pool3d_layer(const situ::shape &size, const max_pool_options &o = {}, site at = {})
{
    return checked(situ_max_pool3d_layer(size, &o, at));
}
inline situ_module *avg_pool1d_layer(const situ::shape &size, const avg_pool_options &o = {}, site at = {})
{
    return checked(situ_avg_pool1d_layer(size, &o, at));
}
inline situ_module *avg_pool2d_layer(const situ::shape &size, const avg_pool_options &o = {}, site at = {})
{
    return checked(situ_avg_pool2d_layer(size, &o, at));
}
inline situ_module *avg_pool3d_layer(const situ::shape &size, const avg_pool_options &o = {}, site at = {})
{
    return checked(situ_avg_pool3d_layer(size, &o, at));
}
inline situ_module *adaptive_max_pool1d_layer(const situ::shape &size, site at = {})
{
    situ_called_at(at); return checked(situ_adaptive_max_pool1d_layer(size));
}
inline situ_module *adaptive_max_pool2d_layer(const situ::shape &size, site at = {})
{
    situ_called_at(at); return checked(situ_adaptive_max_pool2d_layer(size));
}
inline situ_module *adaptive_max_pool3d_layer(const situ::shape &size, site at = {})
{
    situ_called_at(at); return checked(situ_adaptive_max_pool3d_layer(size));
}
inline situ_module *adaptive_avg_pool1d_layer(const situ::shape &size, site at = {})
{
    situ_called_at(at); return checked(situ_adaptive_avg_pool1d_layer(size));
}
inline situ_module *adaptive_avg_pool2d_layer(const situ::shape &size, site at = {})
{
    situ_called_at(at); return checked(situ_adaptive_avg_pool2d_layer(size));
}
inline situ_module *adaptive_avg_pool3d_layer(const situ::shape &size, site at = {})
{
    situ_called_at(at); return checked(situ_adaptive_avg_pool3d_layer(size));
}
inline situ_module *upsample_layer(const situ::shape &scale_factor, const interpolate_options &o = {}, site at = {})
{
    return checked(situ_upsample_layer(scale_factor, &o, at));
}
inline situ_module *unfold_layer(const situ::shape &window, const window_options &o = {}, site at = {})
{
    return checked(situ_unfold_layer(window, &o, at));
}
inline situ_module *fold_layer(const situ::shape &image_size, const situ::shape &window, const window_options &o = {}, site at = {})
{
    return checked(situ_fold_layer(image_size, window, &o, at));
}

} // namespace situ
#endif
