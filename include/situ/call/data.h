/* Calls of situ/data.h. Made by scripts/generate.py from include/situ/data.h: change that. */
#ifndef SITU_CALL_DATA_H
#define SITU_CALL_DATA_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_TENSOR_DATASET_DEFAULTS (.targets = 1,)
#define SITU_RAGGED_DATASET_DEFAULTS (.targets = 1,)
#define SITU_WINDOW_DATASET_DEFAULTS ()
#define SITU_CSV_DEFAULTS (.header = true,)
#define SITU_NUMPY_DEFAULTS ()
#define SITU_CIFAR_DEFAULTS ()
#define SITU_IMAGE_FOLDER_DEFAULTS ()
#define SITU_TEXT_DATASET_DEFAULTS ()
#define SITU_SPLIT_DEFAULTS (.share = 0.2,)
#define SITU_FOLD_DEFAULTS ()
#define SITU_AUGMENT_DEFAULTS (.deviation = 1,)
#define SITU_LOADER_DEFAULTS \
    (.batch = 64, .resident = true, .device = SITU_DEVICE_DEFAULT, .workers = 1, .multiple = 1,)

#ifndef __cplusplus
#define situ_tensor_dataset(...) situ_tensor_dataset_(__VA_ARGS__, )
#define situ_tensor_dataset_(tensors, ...) \
    SITU_OPTIONS_(situ_tensor_dataset_options, SITU_TENSOR_DATASET_DEFAULTS, situ_tensor_dataset, ((tensors),), \
    "situ_tensor_dataset(TENSORS(a, b), .targets = ..., .classes = ..., .names = ..., ...)", __VA_ARGS__)
#define situ_ragged_dataset(...) situ_ragged_dataset_(__VA_ARGS__, )
#define situ_ragged_dataset_(values, lengths, tensors, ...) \
    SITU_OPTIONS_(situ_ragged_dataset_options, SITU_RAGGED_DATASET_DEFAULTS, situ_ragged_dataset, \
    (SITU_TENSOR(values), SITU_TENSOR(lengths), (tensors),), \
    "situ_ragged_dataset(values, lengths, TENSORS(a, b), .targets = ..., .classes = ..., .fill = ..., ...)", \
    __VA_ARGS__)
#define situ_window_dataset(...) situ_window_dataset_(__VA_ARGS__, )
#define situ_window_dataset_(sequence, length, ...) \
    SITU_OPTIONS_(situ_window_dataset_options, SITU_WINDOW_DATASET_DEFAULTS, situ_window_dataset, \
    (SITU_TENSOR(sequence), SITU_INTEGER(length),), \
    "situ_window_dataset(sequence, length, .stride = ..., .name = ...)", __VA_ARGS__)
#define situ_csv(...) situ_csv_(__VA_ARGS__, )
#define situ_csv_(path, ...) \
    SITU_OPTIONS_(situ_csv_options, SITU_CSV_DEFAULTS, situ_csv, ((path),), \
    "situ_csv(path, .inputs = ..., .targets = ..., .categories = ..., ...)", __VA_ARGS__)
#define situ_numpy(...) situ_numpy_(__VA_ARGS__, )
#define situ_numpy_(path, ...) \
    SITU_OPTIONS_(situ_numpy_options, SITU_NUMPY_DEFAULTS, situ_numpy, ((path),), \
    "situ_numpy(path, .inputs = ..., .targets = ..., .f64 = ...)", __VA_ARGS__)
#define situ_cifar(...) situ_cifar_(__VA_ARGS__, )
#define situ_cifar_(folder, ...) \
    SITU_OPTIONS_(situ_cifar_options, SITU_CIFAR_DEFAULTS, situ_cifar, ((folder),), "situ_cifar(folder, .test = ...)", \
    __VA_ARGS__)
#define situ_image_folder(...) situ_image_folder_(__VA_ARGS__, )
#define situ_image_folder_(folder, ...) \
    SITU_OPTIONS_(situ_image_folder_options, SITU_IMAGE_FOLDER_DEFAULTS, situ_image_folder, ((folder),), \
    "situ_image_folder(folder, .height = ..., .width = ..., .crop = ..., ...)", __VA_ARGS__)
#define situ_text_dataset(...) situ_text_dataset_(__VA_ARGS__, )
#define situ_text_dataset_(path, length, ...) \
    SITU_OPTIONS_(situ_text_dataset_options, SITU_TEXT_DATASET_DEFAULTS, situ_text_dataset, ((path), \
    SITU_INTEGER(length),), "situ_text_dataset(path, length, .words = ..., .most = ..., .stride = ..., ...)", \
    __VA_ARGS__)
#define situ_dataset_split(...) situ_dataset_split_(__VA_ARGS__, )
#define situ_dataset_split_(data, key, train, held_out, ...) \
    SITU_OPTIONS_(situ_split_options, SITU_SPLIT_DEFAULTS, situ_dataset_split, (SITU_HANDLE(const situ_dataset *, \
    data), SITU_INTEGER(key), (train), (held_out),), \
    "situ_dataset_split(data, key, train, held_out, .share = ..., .count = ..., .stratified = ...)", __VA_ARGS__)
#define situ_dataset_fold(...) situ_dataset_fold_(__VA_ARGS__, )
#define situ_dataset_fold_(data, key, fold, folds, train, held_out, ...) \
    SITU_OPTIONS_(situ_fold_options, SITU_FOLD_DEFAULTS, situ_dataset_fold, (SITU_HANDLE(const situ_dataset *, data), \
    SITU_INTEGER(key), SITU_INTEGER(fold), SITU_INTEGER(folds), (train), (held_out),), \
    "situ_dataset_fold(data, key, fold, folds, train, held_out, .stratified = ...)", __VA_ARGS__)
#define situ_dataset_augment(...) situ_dataset_augment_(__VA_ARGS__, )
#define situ_dataset_augment_(data, ...) \
    SITU_OPTIONS_(situ_augment_options, SITU_AUGMENT_DEFAULTS, situ_dataset_augment, (SITU_HANDLE(situ_dataset *, \
    data),), "situ_dataset_augment(data, .crop = ..., .flip = ..., .rotate = ..., ...)", __VA_ARGS__)
#define situ_loader_new(...) situ_loader_new_(__VA_ARGS__, )
#define situ_loader_new_(data, ...) \
    SITU_OPTIONS_(situ_loader_options, SITU_LOADER_DEFAULTS, situ_loader_new, (SITU_HANDLE(const situ_dataset *, \
    data),), "situ_loader_new(data, .batch = ..., .shuffle = ..., .key = ..., ...)", __VA_ARGS__)
#define situ_loader_batch(loader, features, labels) \
    (situ_loader_batch)(SITU_HANDLE(situ_loader *, loader), (features), (labels), SITU_HERE)
#define situ_loader_part(loader, device, first, rows, features, labels) \
    (situ_loader_part)(SITU_HANDLE(situ_loader *, loader), SITU_OF(situ_device, SITU_DEVICE_IS_, device), \
    SITU_INTEGER(first), SITU_INTEGER(rows), (features), (labels), SITU_HERE)
#define situ_loader_get(loader, out) (situ_loader_get)(SITU_HANDLE(situ_loader *, loader), (out), SITU_HERE)
#define situ_loader_get_part(loader, device, first, rows, out) \
    (situ_loader_get_part)(SITU_HANDLE(situ_loader *, loader), SITU_OF(situ_device, SITU_DEVICE_IS_, device), \
    SITU_INTEGER(first), SITU_INTEGER(rows), (out), SITU_HERE)
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_callback_dataset(...) SITU_AT_AS_IT_IS_(situ_callback_dataset, __VA_ARGS__)
#define situ_digits() SITU_AT_(situ_digits, )
#define situ_idx_folder(folder, prefix) SITU_AT_(situ_idx_folder, (folder), (prefix))
#define situ_dataset_encode(...) SITU_AT_AS_IT_IS_(situ_dataset_encode, __VA_ARGS__)
#define situ_dataset_decode(...) SITU_AT_AS_IT_IS_(situ_dataset_decode, __VA_ARGS__)
#define situ_dataset_save_vocabulary(data, path) \
    SITU_AT_(situ_dataset_save_vocabulary, SITU_HANDLE(const situ_dataset *, data), (path))
#define situ_vocabulary_dataset(path) SITU_AT_(situ_vocabulary_dataset, (path))
#define situ_dataset_free(data) SITU_AT_(situ_dataset_free, SITU_HANDLE(situ_dataset *, data))
#define situ_dataset_standardize(data, like) \
    SITU_AT_(situ_dataset_standardize, SITU_HANDLE(situ_dataset *, data), SITU_HANDLE(const situ_dataset *, like))
#define situ_dataset_map(data, map, self) SITU_AT_(situ_dataset_map, SITU_HANDLE(situ_dataset *, data), (map), (self))
#define situ_loader_free(loader) SITU_AT_(situ_loader_free, SITU_HANDLE(situ_loader *, loader))
#define situ_loader_weights(...) SITU_AT_AS_IT_IS_(situ_loader_weights, __VA_ARGS__)
#define situ_loader_start(loader, epoch) \
    SITU_AT_(situ_loader_start, SITU_HANDLE(situ_loader *, loader), SITU_INTEGER(epoch))
#define situ_loader_next(loader) SITU_AT_(situ_loader_next, SITU_HANDLE(situ_loader *, loader))
#endif

#endif
