// situ/nn.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/nn.h: change that.
#ifndef SITU_CALL_NN_HPP
#define SITU_CALL_NN_HPP

namespace situ {

struct linear_layer_options : options<situ_linear_layer_options> {
    linear_layer_options &bias(bool v = true) { return situ_linear_layer_options::bias = v, *this; }
    linear_layer_options &in(int64_t v) { return situ_linear_layer_options::in = v, *this; }
};
struct bilinear_layer_options : options<situ_bilinear_layer_options> {
    bilinear_layer_options &bias(bool v = true) { return situ_bilinear_layer_options::bias = v, *this; }
};
struct rms_norm_layer_options : options<situ_rms_norm_layer_options> {
    rms_norm_layer_options &eps(double v) { return situ_rms_norm_layer_options::eps = v, *this; }
    rms_norm_layer_options &in(int64_t v) { return situ_rms_norm_layer_options::in = v, *this; }
};
struct group_norm_layer_options : options<situ_group_norm_layer_options> {
    group_norm_layer_options &eps(double v) { return situ_group_norm_layer_options::eps = v, *this; }
    group_norm_layer_options &affine(bool v = true) { return situ_group_norm_layer_options::affine = v, *this; }
    group_norm_layer_options &in(int64_t v) { return situ_group_norm_layer_options::in = v, *this; }
};
struct batch_norm_layer_options : options<situ_batch_norm_layer_options> {
    batch_norm_layer_options &eps(double v) { return situ_batch_norm_layer_options::eps = v, *this; }
    batch_norm_layer_options &momentum(double v) { return situ_batch_norm_layer_options::momentum = v, *this; }
    batch_norm_layer_options &in(int64_t v) { return situ_batch_norm_layer_options::in = v, *this; }
    batch_norm_layer_options &group(situ_group *v) { return situ_batch_norm_layer_options::group = v, *this; }
};
struct layer_norm_layer_options : options<situ_layer_norm_layer_options> {
    layer_norm_layer_options &eps(double v) { return situ_layer_norm_layer_options::eps = v, *this; }
    layer_norm_layer_options &in(int64_t v) { return situ_layer_norm_layer_options::in = v, *this; }
    layer_norm_layer_options &shape(const situ::shape &v) { return situ_layer_norm_layer_options::shape = v, *this; }
    layer_norm_layer_options &shape(int64_t each) { return situ_layer_norm_layer_options::shape.dim[0] = each, *this; }
};
struct embedding_bag_layer_options : options<situ_embedding_bag_layer_options> {
    embedding_bag_layer_options &mode(situ_bag v) { return situ_embedding_bag_layer_options::mode = v, *this; }
};
struct parallel_options : options<situ_parallel_options> {
    parallel_options &join(situ_join v) { return situ_parallel_options::join = v, *this; }
    parallel_options &axis(int32_t v) { return situ_parallel_options::axis = v, *this; }
};
struct module_call_options : options<situ_module_call_options> {
    module_call_options &first(int64_t v) { return situ_module_call_options::first = v, *this; }
    module_call_options &of(int64_t v) { return situ_module_call_options::of = v, *this; }
    module_call_options &step(int64_t v) { return situ_module_call_options::step = v, *this; }
};
struct module_summary_options : options<situ_module_summary_options> {
    module_summary_options &file(FILE *v) { return situ_module_summary_options::file = v, *this; }
};
struct initial_options : options<situ_initial_options> {
    initial_options &gain(double v) { return situ_initial_options::gain = v, *this; }
    initial_options &value(double v) { return situ_initial_options::value = v, *this; }
};
struct module_use_options : options<situ_module_use_options> {
    module_use_options &bound(double v) { return situ_module_use_options::bound = v, *this; }
    module_use_options &value(double v) { return situ_module_use_options::value = v, *this; }
    module_use_options &fixed(bool v = true) { return situ_module_use_options::fixed = v, *this; }
    module_use_options &deviation(double v) { return situ_module_use_options::deviation = v, *this; }
};
inline situ_module *linear_layer(int64_t out, const linear_layer_options &o = {}, site at = {})
{
    return checked(situ_linear_layer(out, &o, at));
}
inline situ_module *flatten_layer(site at = {}) { situ_called_at(at); return checked(situ_flatten_layer()); }
inline situ_module *function_layer(situ_layer_fn f, void *self, site at = {})
{
    situ_called_at(at); return checked(situ_function_layer(f, self));
}
inline situ_module *dropout_layer(double rate, site at = {})
{
    situ_called_at(at); return checked(situ_dropout_layer(rate));
}
inline situ_module *channel_dropout_layer(double rate, site at = {})
{
    situ_called_at(at); return checked(situ_channel_dropout_layer(rate));
}
inline situ_module *bilinear_layer(int64_t out, const bilinear_layer_options &o = {}, site at = {})
{
    return checked(situ_bilinear_layer(out, &o, at));
}
inline situ_module *rms_norm_layer(const rms_norm_layer_options &o = {}, site at = {})
{
    return checked(situ_rms_norm_layer(&o, at));
}
struct instance_norm_layer_options : options<situ_group_norm_layer_options> {
    instance_norm_layer_options() { situ_group_norm_layer_options::affine = 0; }
    instance_norm_layer_options &eps(double v) { return situ_group_norm_layer_options::eps = v, *this; }
    instance_norm_layer_options &affine(bool v = true) { return situ_group_norm_layer_options::affine = v, *this; }
    instance_norm_layer_options &in(int64_t v) { return situ_group_norm_layer_options::in = v, *this; }
};
inline situ_module *instance_norm_layer(const instance_norm_layer_options &o = {}, site at = {})
{
    return checked(situ_instance_norm_layer(&o, at));
}
inline situ_module *group_norm_layer(int64_t count, const group_norm_layer_options &o = {}, site at = {})
{
    return checked(situ_group_norm_layer(count, &o, at));
}
inline situ_module *batch_norm_layer(const batch_norm_layer_options &o = {}, site at = {})
{
    return checked(situ_batch_norm_layer(&o, at));
}
inline situ_module *layer_norm_layer(const layer_norm_layer_options &o = {}, site at = {})
{
    return checked(situ_layer_norm_layer(&o, at));
}
inline situ_module *embedding_layer(int64_t count, int64_t width, site at = {})
{
    situ_called_at(at); return checked(situ_embedding_layer(count, width));
}
inline situ_module *embedding_bag_layer(int64_t count, int64_t width, const embedding_bag_layer_options &o = {}, site at = {})
{
    return checked(situ_embedding_bag_layer(count, width, &o, at));
}
inline situ_module *sequential(situ_module *const *parts, int count, site at = {})
{
    return checked(situ_sequential(parts, count, at));
}
inline int sequential_add(situ_module *net, situ_module *part, site at = {})
{
    situ_called_at(at); return checked(situ_sequential_add(net, part));
}
inline situ_module *residual(situ_module *part, site at = {})
{
    situ_called_at(at); return checked(situ_residual(part));
}
inline situ_module *parallel(situ_parts parts, const parallel_options &o = {}, site at = {})
{
    return checked(situ_parallel(parts, &o, at));
}
inline situ_module *module_list(situ_parts parts, site at = {})
{
    situ_called_at(at); return checked(situ_module_list(parts));
}
inline situ_module *module_dict(const char *const *names, situ_parts parts, site at = {})
{
    situ_called_at(at); return checked(situ_module_dict(names, parts));
}
inline void module_free(situ_module *net, site at = {}) { situ_called_at(at); situ_module_free(net); check(); }
inline tensor module_call(situ_module *net, operand x, const module_call_options &o = {})
{
    return situ_module_call(net, x.t, &o, x.at);
}
inline int module_call_n(situ_module *net, const situ::list &inputs, situ_tensor **results, int most, const module_call_options &o = {}, site at = {})
{
    return checked(situ_module_call_n(net, inputs, results, most, &o, at));
}
inline int module_set_training(situ_module *net, bool on, site at = {})
{
    situ_called_at(at); return checked(situ_module_set_training(net, on));
}
inline bool module_training(const situ_module *net) { return checked(situ_module_training(net)); }
inline int module_set_precision(situ_module *net, situ_dtype dtype, site at = {})
{
    situ_called_at(at); return checked(situ_module_set_precision(net, dtype));
}
inline int module_set_batch_invariant(situ_module *net, bool on, site at = {})
{
    situ_called_at(at); return checked(situ_module_set_batch_invariant(net, on));
}
inline int module_init(situ_module *net, operand key)
{
    situ_called_at(key.at); return checked(situ_module_init(net, key.t));
}
inline int module_count(const situ_module *net) { return checked(situ_module_count(net)); }
inline tensor module_parameter(situ_module *net, int i, site at = {})
{
    situ_called_at(at); return situ_module_parameter(net, i);
}
inline const char *module_name(const situ_module *net, int i, site at = {})
{
    situ_called_at(at); return checked(situ_module_name(net, i));
}
inline bool module_trainable(const situ_module *net, int i, site at = {})
{
    situ_called_at(at); return checked(situ_module_trainable(net, i));
}
inline tensor module_find(situ_module *net, const char *name, site at = {})
{
    situ_called_at(at); return situ_module_find(net, name);
}
inline tensor module_copy(situ_module *net, int i, situ_device device, site at = {})
{
    situ_called_at(at); return situ_module_copy(net, i, device);
}
inline int module_to(situ_module *net, situ_device device, site at = {})
{
    situ_called_at(at); return checked(situ_module_to(net, device));
}
inline int module_mirror(situ_module *net, const situ_device *devices, int count, site at = {})
{
    situ_called_at(at); return checked(situ_module_mirror(net, devices, count));
}
inline situ_device module_device(const situ_module *net) { return checked(situ_module_device(net)); }
inline int module_devices(const situ_module *net, situ_device *out, int most)
{
    return checked(situ_module_devices(net, out, most));
}
inline int module_freeze(situ_module *net, bool on, site at = {})
{
    situ_called_at(at); return checked(situ_module_freeze(net, on));
}
inline int module_share(situ_module *m, situ_module *with, site at = {})
{
    situ_called_at(at); return checked(situ_module_share(m, with));
}
inline situ_module *module_replace(situ_module *net, const char *name, situ_module *part, site at = {})
{
    situ_called_at(at); return checked(situ_module_replace(net, name, part));
}
inline situ_module *module_part(situ_module *net, const char *name, site at = {})
{
    situ_called_at(at); return checked(situ_module_part(net, name));
}
inline int module_quantise(situ_module *net, site at = {})
{
    situ_called_at(at); return checked(situ_module_quantise(net));
}
inline situ_module *module_clone(situ_module *net, site at = {})
{
    situ_called_at(at); return checked(situ_module_clone(net));
}
inline int module_publish(situ_module *net, situ_module *from, site at = {})
{
    situ_called_at(at); return checked(situ_module_publish(net, from));
}
inline int module_summary(situ_module *net, const situ::list &inputs, const module_summary_options &o = {}, site at = {})
{
    return checked(situ_module_summary(net, inputs, &o, at));
}
inline tensor initial(operand key, const situ::shape &shape, situ_init how, const initial_options &o = {})
{
    return situ_initial(key.t, shape, how, &o, key.at);
}
inline int module_initialize(situ_module *net, const char *name, situ_init how, const initial_options &o = {}, site at = {})
{
    return checked(situ_module_initialize(net, name, how, &o, at));
}
inline situ_module *module_custom(const situ_module_kind *kind, void *self, site at = {})
{
    situ_called_at(at); return checked(situ_module_custom(kind, self));
}
inline int module_declare(situ_module *m, const char *name, site at = {})
{
    situ_called_at(at); return checked(situ_module_declare(m, name));
}
inline int module_adopt(situ_module *m, const char *name, situ_module *part, site at = {})
{
    situ_called_at(at); return checked(situ_module_adopt(m, name, part));
}
inline situ_module *module_child(const situ_module *m, int i, site at = {})
{
    situ_called_at(at); return checked(situ_module_child(m, i));
}
inline int module_children(const situ_module *m) { return checked(situ_module_children(m)); }
inline tensor module_use(situ_module *m, int i, operand x, const situ::shape &shape, const module_use_options &o = {})
{
    return situ_module_use(m, i, x.t, shape, &o, x.at);
}
inline tensor module_key(situ_module *m, operand x) { situ_called_at(x.at); return situ_module_key(m, x.t); }
inline void module_rows(const situ_module *m, operand x, int64_t *first, int64_t *of)
{
    situ_called_at(x.at); situ_module_rows(m, x.t, first, of); check();
}

} // namespace situ
#endif
