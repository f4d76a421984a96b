// situ/activation.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/activation.h: change that.
#ifndef SITU_CALL_ACTIVATION_HPP
#define SITU_CALL_ACTIVATION_HPP

namespace situ {

inline situ_module *relu_layer(site at = {}) { situ_called_at(at); return checked(situ_relu_layer()); }
inline situ_module *sigmoid_layer(site at = {}) { situ_called_at(at); return checked(situ_sigmoid_layer()); }
inline situ_module *tanh_layer(site at = {}) { situ_called_at(at); return checked(situ_tanh_layer()); }
inline situ_module *gelu_layer(site at = {}) { situ_called_at(at); return checked(situ_gelu_layer()); }
inline situ_module *silu_layer(site at = {}) { situ_called_at(at); return checked(situ_silu_layer()); }
inline situ_module *mish_layer(site at = {}) { situ_called_at(at); return checked(situ_mish_layer()); }
inline situ_module *softplus_layer(site at = {}) { situ_called_at(at); return checked(situ_softplus_layer()); }
inline situ_module *relu6_layer(site at = {}) { situ_called_at(at); return checked(situ_relu6_layer()); }
inline situ_module *softsign_layer(site at = {}) { situ_called_at(at); return checked(situ_softsign_layer()); }
inline situ_module *hardswish_layer(site at = {}) { situ_called_at(at); return checked(situ_hardswish_layer()); }
inline situ_module *hardsigmoid_layer(site at = {}) { situ_called_at(at); return checked(situ_hardsigmoid_layer()); }
inline situ_module *selu_layer(site at = {}) { situ_called_at(at); return checked(situ_selu_layer()); }
inline situ_module *log_sigmoid_layer(site at = {}) { situ_called_at(at); return checked(situ_log_sigmoid_layer()); }
inline situ_module *tanhshrink_layer(site at = {}) { situ_called_at(at); return checked(situ_tanhshrink_layer()); }
inline situ_module *identity_layer(site at = {}) { situ_called_at(at); return checked(situ_identity_layer()); }
inline situ_module *celu_layer(double alpha, site at = {})
{
    situ_called_at(at); return checked(situ_celu_layer(alpha));
}
inline situ_module *hardshrink_layer(double bound, site at = {})
{
    situ_called_at(at); return checked(situ_hardshrink_layer(bound));
}
inline situ_module *softshrink_layer(double bound, site at = {})
{
    situ_called_at(at); return checked(situ_softshrink_layer(bound));
}
inline situ_module *hardtanh_layer(double low, double high, site at = {})
{
    situ_called_at(at); return checked(situ_hardtanh_layer(low, high));
}
inline situ_module *threshold_layer(double threshold, double value, site at = {})
{
    situ_called_at(at); return checked(situ_threshold_layer(threshold, value));
}
inline situ_module *glu_layer(int axis, site at = {}) { situ_called_at(at); return checked(situ_glu_layer(axis)); }
inline situ_module *leaky_relu_layer(double slope, site at = {})
{
    situ_called_at(at); return checked(situ_leaky_relu_layer(slope));
}
inline situ_module *elu_layer(double alpha, site at = {})
{
    situ_called_at(at); return checked(situ_elu_layer(alpha));
}
inline situ_module *softmax_layer(int axis, site at = {})
{
    situ_called_at(at); return checked(situ_softmax_layer(axis));
}
inline situ_module *log_softmax_layer(int axis, site at = {})
{
    situ_called_at(at); return checked(situ_log_softmax_layer(axis));
}
inline situ_module *prelu_layer(int64_t count, site at = {})
{
    situ_called_at(at); return checked(situ_prelu_layer(count));
}

} // namespace situ
#endif
