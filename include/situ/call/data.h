/* Calls of situ/data.h. Made by scripts/generate.py from include/situ/data.h: change that. */
#ifndef SITU_CALL_DATA_H
#define SITU_CALL_DATA_H

#define SITU_SPLIT_DEFAULTS (.share = 0.2,)
#define SITU_LOADER_DEFAULTS (.batch = 64, .resident = true, .device = SITU_DEVICE_DEFAULT,)

#ifndef __cplusplus
#define situ_dataset_split(...) situ_dataset_split_(__VA_ARGS__, )
#define situ_dataset_split_(data, key, train, held_out, ...) \
    SITU_OPTIONS_(situ_split_options, SITU_SPLIT_DEFAULTS, situ_dataset_split, ((data), SITU_INTEGER(key), (train), \
    (held_out),), __VA_ARGS__)
#define situ_loader_new(...) situ_loader_new_(__VA_ARGS__, )
#define situ_loader_new_(data, ...) \
    SITU_OPTIONS_(situ_loader_options, SITU_LOADER_DEFAULTS, situ_loader_new, ((data),), __VA_ARGS__)
#define situ_loader_batch(loader, features, labels) (situ_loader_batch)((loader), (features), (labels), SITU_HERE)
#define situ_loader_part(loader, device, first, rows, features, labels) \
    (situ_loader_part)((loader), (device), SITU_INTEGER(first), SITU_INTEGER(rows), (features), (labels), SITU_HERE)
#ifndef SITU_BUILD /* the line where a handle ends is said to who uses it later */
#define situ_dataset_free(data) (situ_dataset_free_at)((data), SITU_HERE)
#define situ_loader_free(loader) (situ_loader_free_at)((loader), SITU_HERE)
#endif
#endif

#ifdef SITU_LINES_ /* the line of the call */
#define situ_digits() SITU_AT_(situ_digits, )
#define situ_idx_folder(...) SITU_AT_(situ_idx_folder, __VA_ARGS__)
#define situ_dataset_standardize(...) SITU_AT_(situ_dataset_standardize, __VA_ARGS__)
#define situ_loader_start(...) SITU_AT_(situ_loader_start, __VA_ARGS__)
#define situ_loader_next(...) SITU_AT_(situ_loader_next, __VA_ARGS__)
#endif

#endif
