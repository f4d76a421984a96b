// situ/error.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/error.h: change that.
#ifndef SITU_CALL_ERROR_HPP
#define SITU_CALL_ERROR_HPP

namespace situ {

inline int failed() { return situ_failed(); }
inline const char *error_message() { return situ_error_message(); }
inline int error_take(situ_error *out) { return situ_error_take(out); }
inline const char *code_name(int code) { return checked(situ_code_name(code)); }

} // namespace situ
#endif
