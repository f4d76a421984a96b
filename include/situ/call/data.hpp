// situ/data.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/data.h: change that.
#ifndef SITU_CALL_DATA_HPP
#define SITU_CALL_DATA_HPP

namespace situ {

struct split_options : options<situ_split_options> {
    split_options &share(double v) { return situ_split_options::share = v, *this; }
    split_options &count(int64_t v) { return situ_split_options::count = v, *this; }
    split_options &stratified(bool v = true) { return situ_split_options::stratified = v, *this; }
};
struct loader_options : options<situ_loader_options> {
    loader_options &batch(int64_t v) { return situ_loader_options::batch = v, *this; }
    loader_options &shuffle(bool v = true) { return situ_loader_options::shuffle = v, *this; }
    loader_options &key(int64_t v) { return situ_loader_options::key = v, *this; }
    loader_options &drop_last(bool v = true) { return situ_loader_options::drop_last = v, *this; }
    loader_options &resident(bool v = true) { return situ_loader_options::resident = v, *this; }
    loader_options &device(situ_device v) { return situ_loader_options::device = v, *this; }
};
inline situ_dataset *dataset_new(const float *features, const situ::shape &shape, const int32_t *labels, int classes, const char *name)
{
    return checked(situ_dataset_new(features, shape, labels, classes, name));
}
inline situ_dataset *digits(site at = {}) { situ_called_at(at); return checked(situ_digits()); }
inline situ_dataset *idx_folder(const char *folder, const char *prefix, site at = {})
{
    situ_called_at(at); return checked(situ_idx_folder(folder, prefix));
}
inline bool idx_folder_has(const char *folder, const char *prefix)
{
    return checked(situ_idx_folder_has(folder, prefix));
}
inline void dataset_free(situ_dataset *data, site at = {}) { situ_dataset_free_at(data, at); check(); }
inline int64_t dataset_count(const situ_dataset *data) { return checked(situ_dataset_count(data)); }
inline int dataset_classes(const situ_dataset *data) { return checked(situ_dataset_classes(data)); }
inline const char *dataset_name(const situ_dataset *data) { return checked(situ_dataset_name(data)); }
inline situ_shape dataset_shape(const situ_dataset *data) { return checked(situ_dataset_shape(data)); }
inline const float *dataset_features(const situ_dataset *data) { return checked(situ_dataset_features(data)); }
inline const int32_t *dataset_labels(const situ_dataset *data) { return checked(situ_dataset_labels(data)); }
inline situ_dataset *dataset_select(const situ_dataset *data, const int64_t *rows, int64_t count)
{
    return checked(situ_dataset_select(data, rows, count));
}
inline int dataset_split(const situ_dataset *data, int64_t key, situ_dataset **train, situ_dataset **held_out, const split_options &o = {}, site at = {})
{
    return checked(situ_dataset_split(data, key, train, held_out, &o, at));
}
inline int dataset_standardize(situ_dataset *data, const situ_dataset *like, site at = {})
{
    situ_called_at(at); return checked(situ_dataset_standardize(data, like));
}
inline situ_loader *loader_new(const situ_dataset *data, const loader_options &o = {}, site at = {})
{
    return checked(situ_loader_new(data, &o, at));
}
inline void loader_free(situ_loader *loader, site at = {}) { situ_loader_free_at(loader, at); check(); }
inline int loader_start(situ_loader *loader, int64_t epoch, site at = {})
{
    situ_called_at(at); return checked(situ_loader_start(loader, epoch));
}
inline int64_t loader_next(situ_loader *loader, site at = {})
{
    situ_called_at(at); return checked(situ_loader_next(loader));
}
inline int loader_batch(situ_loader *loader, situ_tensor **features, situ_tensor **labels, site at = {})
{
    return checked(situ_loader_batch(loader, features, labels, at));
}
inline int loader_part(situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_tensor **features, situ_tensor **labels, site at = {})
{
    return checked(situ_loader_part(loader, device, first, rows, features, labels, at));
}
inline int64_t loader_batches(const situ_loader *loader) { return checked(situ_loader_batches(loader)); }

} // namespace situ
#endif
