// situ/data.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/data.h: change that.
#ifndef SITU_CALL_DATA_HPP
#define SITU_CALL_DATA_HPP

namespace situ {

struct tensor_dataset_options : options<situ_tensor_dataset_options> {
    tensor_dataset_options &targets(int32_t v) { return situ_tensor_dataset_options::targets = v, *this; }
    tensor_dataset_options &classes(int32_t v) { return situ_tensor_dataset_options::classes = v, *this; }
    tensor_dataset_options &names(const char *v) { return situ_tensor_dataset_options::names = v, *this; }
    tensor_dataset_options &name(const char *v) { return situ_tensor_dataset_options::name = v, *this; }
};
struct ragged_dataset_options : options<situ_ragged_dataset_options> {
    ragged_dataset_options &targets(int32_t v) { return situ_ragged_dataset_options::targets = v, *this; }
    ragged_dataset_options &classes(int32_t v) { return situ_ragged_dataset_options::classes = v, *this; }
    ragged_dataset_options &fill(double v) { return situ_ragged_dataset_options::fill = v, *this; }
    ragged_dataset_options &names(const char *v) { return situ_ragged_dataset_options::names = v, *this; }
    ragged_dataset_options &name(const char *v) { return situ_ragged_dataset_options::name = v, *this; }
};
struct window_dataset_options : options<situ_window_dataset_options> {
    window_dataset_options &stride(int64_t v) { return situ_window_dataset_options::stride = v, *this; }
    window_dataset_options &name(const char *v) { return situ_window_dataset_options::name = v, *this; }
};
struct csv_options : options<situ_csv_options> {
    csv_options &inputs(const char *v) { return situ_csv_options::inputs = v, *this; }
    csv_options &targets(const char *v) { return situ_csv_options::targets = v, *this; }
    csv_options &categories(const char *v) { return situ_csv_options::categories = v, *this; }
    csv_options &header(bool v = true) { return situ_csv_options::header = v, *this; }
    csv_options &skip_empty(bool v = true) { return situ_csv_options::skip_empty = v, *this; }
    csv_options &separator(const char *v) { return situ_csv_options::separator = v, *this; }
};
struct numpy_options : options<situ_numpy_options> {
    numpy_options &inputs(const char *v) { return situ_numpy_options::inputs = v, *this; }
    numpy_options &targets(const char *v) { return situ_numpy_options::targets = v, *this; }
    numpy_options &f64(bool v = true) { return situ_numpy_options::f64 = v, *this; }
};
struct cifar_options : options<situ_cifar_options> {
    cifar_options &test(bool v = true) { return situ_cifar_options::test = v, *this; }
};
struct image_folder_options : options<situ_image_folder_options> {
    image_folder_options &height(int32_t v) { return situ_image_folder_options::height = v, *this; }
    image_folder_options &width(int32_t v) { return situ_image_folder_options::width = v, *this; }
    image_folder_options &crop(bool v = true) { return situ_image_folder_options::crop = v, *this; }
    image_folder_options &grey(bool v = true) { return situ_image_folder_options::grey = v, *this; }
};
struct text_dataset_options : options<situ_text_dataset_options> {
    text_dataset_options &words(bool v = true) { return situ_text_dataset_options::words = v, *this; }
    text_dataset_options &most(int32_t v) { return situ_text_dataset_options::most = v, *this; }
    text_dataset_options &stride(int64_t v) { return situ_text_dataset_options::stride = v, *this; }
    text_dataset_options &pairs(bool v = true) { return situ_text_dataset_options::pairs = v, *this; }
    text_dataset_options &vocabulary(const char *v) { return situ_text_dataset_options::vocabulary = v, *this; }
};
struct split_options : options<situ_split_options> {
    split_options &share(double v) { return situ_split_options::share = v, *this; }
    split_options &count(int64_t v) { return situ_split_options::count = v, *this; }
    split_options &stratified(bool v = true) { return situ_split_options::stratified = v, *this; }
};
struct fold_options : options<situ_fold_options> {
    fold_options &stratified(bool v = true) { return situ_fold_options::stratified = v, *this; }
};
struct augment_options : options<situ_augment_options> {
    augment_options &crop(int32_t v) { return situ_augment_options::crop = v, *this; }
    augment_options &flip(double v) { return situ_augment_options::flip = v, *this; }
    augment_options &rotate(double v) { return situ_augment_options::rotate = v, *this; }
    augment_options &brightness(double v) { return situ_augment_options::brightness = v, *this; }
    augment_options &contrast(double v) { return situ_augment_options::contrast = v, *this; }
    augment_options &mean(double v) { return situ_augment_options::mean = v, *this; }
    augment_options &deviation(double v) { return situ_augment_options::deviation = v, *this; }
    augment_options &mix_up(double v) { return situ_augment_options::mix_up = v, *this; }
    augment_options &channel_mean(const double *v) { return situ_augment_options::channel_mean = v, *this; }
    augment_options &channel_deviation(const double *v) { return situ_augment_options::channel_deviation = v, *this; }
    augment_options &channels(int32_t v) { return situ_augment_options::channels = v, *this; }
};
struct loader_options : options<situ_loader_options> {
    loader_options &batch(int64_t v) { return situ_loader_options::batch = v, *this; }
    loader_options &shuffle(bool v = true) { return situ_loader_options::shuffle = v, *this; }
    loader_options &key(int64_t v) { return situ_loader_options::key = v, *this; }
    loader_options &drop_last(bool v = true) { return situ_loader_options::drop_last = v, *this; }
    loader_options &resident(bool v = true) { return situ_loader_options::resident = v, *this; }
    loader_options &device(situ_device v) { return situ_loader_options::device = v, *this; }
    loader_options &workers(int32_t v) { return situ_loader_options::workers = v, *this; }
    loader_options &batches(int64_t v) { return situ_loader_options::batches = v, *this; }
    loader_options &stratified(bool v = true) { return situ_loader_options::stratified = v, *this; }
    loader_options &buckets(bool v = true) { return situ_loader_options::buckets = v, *this; }
    loader_options &multiple(int64_t v) { return situ_loader_options::multiple = v, *this; }
};
inline situ_dataset *dataset_new(const float *features, const situ::shape &shape, const int32_t *labels, int classes, const char *name)
{
    return checked(situ_dataset_new(features, shape, labels, classes, name));
}
inline situ_dataset *tensor_dataset(const situ::list &tensors, const tensor_dataset_options &o = {}, site at = {})
{
    return checked(situ_tensor_dataset(tensors, &o, at));
}
inline situ_dataset *ragged_dataset(operand values, operand lengths, const situ::list &tensors, const ragged_dataset_options &o = {})
{
    return checked(situ_ragged_dataset(values.t, lengths.t, tensors, &o, values.at));
}
inline situ_dataset *window_dataset(operand sequence, int64_t length, const window_dataset_options &o = {})
{
    return checked(situ_window_dataset(sequence.t, length, &o, sequence.at));
}
inline situ_dataset *callback_dataset(int64_t count, const situ_field *fields, int number, situ_row_fn row, void *self, const char *name, site at = {})
{
    situ_called_at(at); return checked(situ_callback_dataset(count, fields, number, row, self, name));
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
inline situ_dataset *csv(const char *path, const csv_options &o = {}, site at = {})
{
    return checked(situ_csv(path, &o, at));
}
inline situ_dataset *numpy(const char *path, const numpy_options &o = {}, site at = {})
{
    return checked(situ_numpy(path, &o, at));
}
inline situ_dataset *cifar(const char *folder, const cifar_options &o = {}, site at = {})
{
    return checked(situ_cifar(folder, &o, at));
}
inline situ_dataset *image_folder(const char *folder, const image_folder_options &o = {}, site at = {})
{
    return checked(situ_image_folder(folder, &o, at));
}
inline situ_dataset *text_dataset(const char *path, int64_t length, const text_dataset_options &o = {}, site at = {})
{
    return checked(situ_text_dataset(path, length, &o, at));
}
inline const char *dataset_token(const situ_dataset *data, int i) { return checked(situ_dataset_token(data, i)); }
inline int64_t dataset_encode(const situ_dataset *data, const char *text, int32_t *out, int64_t most, site at = {})
{
    situ_called_at(at); return checked(situ_dataset_encode(data, text, out, most));
}
inline int64_t dataset_decode(const situ_dataset *data, const int32_t *tokens, int64_t count, char *out, int64_t most, site at = {})
{
    situ_called_at(at); return checked(situ_dataset_decode(data, tokens, count, out, most));
}
inline int dataset_save_vocabulary(const situ_dataset *data, const char *path, site at = {})
{
    situ_called_at(at); return checked(situ_dataset_save_vocabulary(data, path));
}
inline situ_dataset *vocabulary_dataset(const char *path, site at = {})
{
    situ_called_at(at); return checked(situ_vocabulary_dataset(path));
}
inline void dataset_free(situ_dataset *data, site at = {}) { situ_called_at(at); situ_dataset_free(data); check(); }
inline int64_t dataset_count(const situ_dataset *data) { return checked(situ_dataset_count(data)); }
inline int dataset_classes(const situ_dataset *data) { return checked(situ_dataset_classes(data)); }
inline const char *dataset_name(const situ_dataset *data) { return checked(situ_dataset_name(data)); }
inline situ_shape dataset_shape(const situ_dataset *data) { return checked(situ_dataset_shape(data)); }
inline const float *dataset_features(const situ_dataset *data) { return checked(situ_dataset_features(data)); }
inline const int32_t *dataset_labels(const situ_dataset *data) { return checked(situ_dataset_labels(data)); }
inline int dataset_fields(const situ_dataset *data, situ_field *out, int most)
{
    return checked(situ_dataset_fields(data, out, most));
}
inline situ_dataset *dataset_select(const situ_dataset *data, const int64_t *rows, int64_t count)
{
    return checked(situ_dataset_select(data, rows, count));
}
inline int dataset_split(const situ_dataset *data, int64_t key, situ_dataset **train, situ_dataset **held_out, const split_options &o = {}, site at = {})
{
    return checked(situ_dataset_split(data, key, train, held_out, &o, at));
}
inline int dataset_fold(const situ_dataset *data, int64_t key, int fold, int folds, situ_dataset **train, situ_dataset **held_out, const fold_options &o = {}, site at = {})
{
    return checked(situ_dataset_fold(data, key, fold, folds, train, held_out, &o, at));
}
inline int dataset_standardize(situ_dataset *data, const situ_dataset *like, site at = {})
{
    situ_called_at(at); return checked(situ_dataset_standardize(data, like));
}
inline int dataset_augment(situ_dataset *data, const augment_options &o = {}, site at = {})
{
    return checked(situ_dataset_augment(data, &o, at));
}
inline int dataset_map(situ_dataset *data, situ_row_map_fn map, void *self, site at = {})
{
    situ_called_at(at); return checked(situ_dataset_map(data, map, self));
}
inline situ_loader *loader_new(const situ_dataset *data, const loader_options &o = {}, site at = {})
{
    return checked(situ_loader_new(data, &o, at));
}
inline void loader_free(situ_loader *loader, site at = {}) { situ_called_at(at); situ_loader_free(loader); check(); }
inline int loader_weights(situ_loader *loader, const double *weights, int64_t count, site at = {})
{
    situ_called_at(at); return checked(situ_loader_weights(loader, weights, count));
}
inline int loader_start(situ_loader *loader, int64_t epoch, site at = {})
{
    situ_called_at(at); return checked(situ_loader_start(loader, epoch));
}
inline int64_t loader_epoch(const situ_loader *loader) { return checked(situ_loader_epoch(loader)); }
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
inline int loader_get(situ_loader *loader, situ_batch *out, site at = {})
{
    return checked(situ_loader_get(loader, out, at));
}
inline int loader_get_part(situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_batch *out, site at = {})
{
    return checked(situ_loader_get_part(loader, device, first, rows, out, at));
}
inline int64_t loader_batches(const situ_loader *loader) { return checked(situ_loader_batches(loader)); }

} // namespace situ
#endif
