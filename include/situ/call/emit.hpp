// situ/emit.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/emit.h: change that.
#ifndef SITU_CALL_EMIT_HPP
#define SITU_CALL_EMIT_HPP

namespace situ {

struct emit_options : options<situ_emit_options> {
    emit_options &name(const char *v) { return situ_emit_options::name = v, *this; }
};
inline int emit(situ_module *net, const char *path, const situ::list &inputs, const emit_options &o = {}, site at = {})
{
    return checked(situ_emit(net, path, inputs, &o, at));
}

} // namespace situ
#endif
