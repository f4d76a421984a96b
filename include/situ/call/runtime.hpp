// situ/runtime.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/runtime.h: change that.
#ifndef SITU_CALL_RUNTIME_HPP
#define SITU_CALL_RUNTIME_HPP

namespace situ {

inline int set_allocator(const situ_allocator *allocator, site at = {})
{
    situ_called_at(at); return checked(situ_set_allocator(allocator));
}
inline int set_threads(int count, site at = {}) { situ_called_at(at); return checked(situ_set_threads(count)); }
inline int threads() { return checked(situ_threads()); }
inline int set_thread_pool(const situ_thread_pool_hooks *hooks, site at = {})
{
    situ_called_at(at); return checked(situ_set_thread_pool(hooks));
}
inline int after_fork(site at = {}) { situ_called_at(at); return checked(situ_after_fork()); }
inline void shutdown() { situ_shutdown(); check(); }

} // namespace situ
#endif
