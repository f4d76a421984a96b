// situ/file.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/file.h: change that.
#ifndef SITU_CALL_FILE_HPP
#define SITU_CALL_FILE_HPP

namespace situ {

struct archive_open_options : options<situ_archive_open_options> {
    archive_open_options &map(bool v = true) { return situ_archive_open_options::map = v, *this; }
};
struct archive_get_options : options<situ_archive_get_options> {
    archive_get_options &dtype(situ_dtype v) { return situ_archive_get_options::dtype = v, *this; }
    archive_get_options &device(situ_device v) { return situ_archive_get_options::device = v, *this; }
    archive_get_options &copy(bool v = true) { return situ_archive_get_options::copy = v, *this; }
};
struct save_options : options<situ_save_options> {
    save_options &names(const char *v) { return situ_save_options::names = v, *this; }
    save_options &metadata(const char *v) { return situ_save_options::metadata = v, *this; }
    save_options &shard_bytes(int64_t v) { return situ_save_options::shard_bytes = v, *this; }
};
struct module_save_options : options<situ_module_save_options> {
    module_save_options &metadata(const char *v) { return situ_module_save_options::metadata = v, *this; }
    module_save_options &shard_bytes(int64_t v) { return situ_module_save_options::shard_bytes = v, *this; }
};
struct module_load_options : options<situ_module_load_options> {
    module_load_options &strict(bool v = true) { return situ_module_load_options::strict = v, *this; }
    module_load_options &map(bool v = true) { return situ_module_load_options::map = v, *this; }
    module_load_options &rename(const char *v) { return situ_module_load_options::rename = v, *this; }
};
inline situ_archive *archive_open(const char *path, const archive_open_options &o = {}, site at = {})
{
    return checked(situ_archive_open(path, &o, at));
}
inline void archive_close(situ_archive *archive, site at = {})
{
    situ_called_at(at); situ_archive_close(archive); check();
}
inline int64_t archive_count(const situ_archive *archive) { return checked(situ_archive_count(archive)); }
inline const char *archive_name(const situ_archive *archive, int64_t i, site at = {})
{
    situ_called_at(at); return checked(situ_archive_name(archive, i));
}
inline const char *archive_type(const situ_archive *archive, int64_t i, site at = {})
{
    situ_called_at(at); return checked(situ_archive_type(archive, i));
}
inline situ_shape archive_shape(const situ_archive *archive, int64_t i, site at = {})
{
    situ_called_at(at); return checked(situ_archive_shape(archive, i));
}
inline int64_t archive_bytes(const situ_archive *archive, int64_t i, site at = {})
{
    situ_called_at(at); return checked(situ_archive_bytes(archive, i));
}
inline int64_t archive_metadata_count(const situ_archive *archive)
{
    return checked(situ_archive_metadata_count(archive));
}
inline const char *archive_metadata_key(const situ_archive *archive, int64_t i)
{
    return checked(situ_archive_metadata_key(archive, i));
}
inline const char *archive_metadata(const situ_archive *archive, const char *key)
{
    return checked(situ_archive_metadata(archive, key));
}
inline tensor archive_get(const situ_archive *archive, const char *name, const archive_get_options &o = {}, site at = {})
{
    return situ_archive_get(archive, name, &o, at);
}
inline int save(const char *path, const situ::list &tensors, const save_options &o = {}, site at = {})
{
    return checked(situ_save(path, tensors, &o, at));
}
inline int module_save(situ_module *net, const char *path, const module_save_options &o = {}, site at = {})
{
    return checked(situ_module_save(net, path, &o, at));
}
inline int module_load(situ_module *net, const char *path, const module_load_options &o = {}, site at = {})
{
    return checked(situ_module_load(net, path, &o, at));
}

} // namespace situ
#endif
