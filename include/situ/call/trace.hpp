// situ/trace.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/trace.h: change that.
#ifndef SITU_CALL_TRACE_HPP
#define SITU_CALL_TRACE_HPP

namespace situ {

inline int trace_start(int most, site at = {}) { situ_called_at(at); return checked(situ_trace_start(most)); }
inline int trace_save(const char *path, site at = {}) { situ_called_at(at); return checked(situ_trace_save(path)); }
inline void trace_stop() { situ_trace_stop(); check(); }

} // namespace situ
#endif
