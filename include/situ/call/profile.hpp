// situ/profile.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/profile.h: change that.
#ifndef SITU_CALL_PROFILE_HPP
#define SITU_CALL_PROFILE_HPP

namespace situ {

inline int profile_start(int most, site at = {}) { situ_called_at(at); return checked(situ_profile_start(most)); }
inline int profile_save(const char *path, site at = {})
{
    situ_called_at(at); return checked(situ_profile_save(path));
}
inline void profile_stop() { situ_profile_stop(); check(); }

} // namespace situ
#endif
