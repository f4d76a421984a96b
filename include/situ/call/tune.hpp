// situ/tune.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/tune.h: change that.
#ifndef SITU_CALL_TUNE_HPP
#define SITU_CALL_TUNE_HPP

namespace situ {

struct tune_options : options<situ_tune_options> {
    tune_options &sizes(const situ_tune_size *v) { return situ_tune_options::sizes = v, *this; }
    tune_options &count(int32_t v) { return situ_tune_options::count = v, *this; }
    tune_options &seconds(double v) { return situ_tune_options::seconds = v, *this; }
    tune_options &progress(void (*v)(void *, const situ_tune_result *)) { return situ_tune_options::progress = v, *this; }
    tune_options &self(void *v) { return situ_tune_options::self = v, *this; }
};
inline int tune(const char *path, const tune_options &o = {}, site at = {})
{
    return checked(situ_tune(path, &o, at));
}
inline const char *tuning() { return checked(situ_tuning()); }

} // namespace situ
#endif
