// situ/dtype.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/dtype.h: change that.
#ifndef SITU_CALL_DTYPE_HPP
#define SITU_CALL_DTYPE_HPP

namespace situ {

inline const char *dtype_name(situ_dtype d) { return checked(situ_dtype_name(d)); }
inline int dtype_parse(const char *name, situ_dtype *out, site at = {})
{
    situ_called_at(at); return checked(situ_dtype_parse(name, out));
}
inline size_t dtype_size(situ_dtype d) { return checked(situ_dtype_size(d)); }
inline situ_dtype dtype_promote(situ_dtype a, situ_dtype b) { return checked(situ_dtype_promote(a, b)); }

} // namespace situ
#endif
