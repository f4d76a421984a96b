// situ/emit.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/emit.h: change that.
#ifndef SITU_CALL_EMIT_HPP
#define SITU_CALL_EMIT_HPP

namespace situ {

struct emit_options : options<situ_emit_options> {
    emit_options &name(const char *v) { return situ_emit_options::name = v, *this; }
};
struct emit_train_options : options<situ_emit_train_options> {
    emit_train_options &name(const char *v) { return situ_emit_train_options::name = v, *this; }
    emit_train_options &loss(situ_loss_fn v) { return situ_emit_train_options::loss = v, *this; }
};
inline int emit(situ_module *net, const char *path, const situ::list &inputs, const emit_options &o = {}, site at = {})
{
    return checked(situ_emit(net, path, inputs, &o, at));
}
inline int emit_train(situ_optimizer *opt, const char *path, const situ::list &inputs, operand target, const emit_train_options &o = {})
{
    return checked(situ_emit_train(opt, path, inputs, target.t, &o, target.at));
}

} // namespace situ
#endif
