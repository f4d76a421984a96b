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
struct virtual_file_open_options : options<situ_virtual_file_open_options> {
    virtual_file_open_options &bytes(const void *v) { return situ_virtual_file_open_options::bytes = v, *this; }
    virtual_file_open_options &bytes_size(int64_t v) { return situ_virtual_file_open_options::bytes_size = v, *this; }
    virtual_file_open_options &borrow(bool v = true) { return situ_virtual_file_open_options::borrow = v, *this; }
    virtual_file_open_options &read(situ_virtual_read_fn v) { return situ_virtual_file_open_options::read = v, *this; }
    virtual_file_open_options &write(situ_virtual_write_fn v) { return situ_virtual_file_open_options::write = v, *this; }
    virtual_file_open_options &release(void (*v)(void *)) { return situ_virtual_file_open_options::release = v, *this; }
    virtual_file_open_options &self(void *v) { return situ_virtual_file_open_options::self = v, *this; }
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
inline situ_virtual_file *virtual_file_open(const char *name, const virtual_file_open_options &o = {}, site at = {})
{
    return checked(situ_virtual_file_open(name, &o, at));
}
inline const char *virtual_file_path(const situ_virtual_file *file, site at = {})
{
    situ_called_at(at); return checked(situ_virtual_file_path(file));
}
inline void virtual_file_close(situ_virtual_file *file, site at = {})
{
    situ_called_at(at); situ_virtual_file_close(file); check();
}

} // namespace situ
#endif
