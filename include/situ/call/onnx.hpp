// situ/onnx.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/onnx.h: change that.
#ifndef SITU_CALL_ONNX_HPP
#define SITU_CALL_ONNX_HPP

namespace situ {

struct onnx_load_options : options<situ_onnx_load_options> {
    onnx_load_options &trainable(bool v = true) { return situ_onnx_load_options::trainable = v, *this; }
    onnx_load_options &device(situ_device v) { return situ_onnx_load_options::device = v, *this; }
};
struct onnx_save_options : options<situ_onnx_save_options> {
    onnx_save_options &dynamic_batch(bool v = true) { return situ_onnx_save_options::dynamic_batch = v, *this; }
    onnx_save_options &batch_axes(const situ::axes &v) { return situ_onnx_save_options::batch_axes = v, *this; }
    onnx_save_options &input_names(const char *v) { return situ_onnx_save_options::input_names = v, *this; }
    onnx_save_options &result_names(const char *v) { return situ_onnx_save_options::result_names = v, *this; }
    onnx_save_options &metadata(const char *v) { return situ_onnx_save_options::metadata = v, *this; }
    onnx_save_options &external_data(bool v = true) { return situ_onnx_save_options::external_data = v, *this; }
};
inline situ_module *onnx_load(const char *path, const onnx_load_options &o = {}, site at = {})
{
    return checked(situ_onnx_load(path, &o, at));
}
inline situ_module *onnx_load_bytes(const void *bytes, size_t size, const onnx_load_options &o = {}, site at = {})
{
    return checked(situ_onnx_load_bytes(bytes, size, &o, at));
}
inline const char *onnx_input(const situ_module *net, int i, site at = {})
{
    situ_called_at(at); return checked(situ_onnx_input(net, i));
}
inline const char *onnx_result(const situ_module *net, int i, site at = {})
{
    situ_called_at(at); return checked(situ_onnx_result(net, i));
}
inline const char *onnx_operators(const situ_module *net, site at = {})
{
    situ_called_at(at); return checked(situ_onnx_operators(net));
}
inline int onnx_save(situ_module *net, const char *path, const situ::list &inputs, const onnx_save_options &o = {}, site at = {})
{
    return checked(situ_onnx_save(net, path, inputs, &o, at));
}

} // namespace situ
#endif
