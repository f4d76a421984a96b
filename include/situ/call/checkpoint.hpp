// situ/checkpoint.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/checkpoint.h: change that.
#ifndef SITU_CALL_CHECKPOINT_HPP
#define SITU_CALL_CHECKPOINT_HPP

namespace situ {

struct checkpoint_save_options : options<situ_checkpoint_save_options> {
    checkpoint_save_options &metadata(const char *v) { return situ_checkpoint_save_options::metadata = v, *this; }
};
inline int checkpoint_save(const char *path, situ_module *net, situ_optimizer *opt, situ_loader *loader, const checkpoint_save_options &o = {}, site at = {})
{
    return checked(situ_checkpoint_save(path, net, opt, loader, &o, at));
}
inline int checkpoint_load(const char *path, situ_module *net, situ_optimizer *opt, situ_loader *loader, site at = {})
{
    return checked(situ_checkpoint_load(path, net, opt, loader, at));
}

} // namespace situ
#endif
