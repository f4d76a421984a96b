/* Data sets: features and labels in host memory, and loaders that bring batches of them to devices.
 *
 *     situ_dataset *digits = situ_digits(), *train, *test;
 *     situ_dataset_split(digits, 0, &train, &test, .share = 0.2, .stratified = true);
 *     situ_loader *loader = situ_loader_new(train, .batch = 64, .shuffle = true);
 *     situ_loader_start(loader, epoch);
 *     while (situ_loader_next(loader) > 0) {
 *         situ_scope *scope = situ_scope_open();
 *         situ_tensor *images, *labels;
 *         situ_loader_batch(loader, &images, &labels);
 *         ...
 *         situ_scope_close(scope);
 *     }
 */
#ifndef SITU_DATA_H
#define SITU_DATA_H

#include <situ/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- data sets: f32 features [n, ...] and integer labels [n] in 0 ... classes - 1 ------------------------------- */

typedef struct situ_dataset situ_dataset;

/* From arrays, which are copied: features in row-major order, of the whole shape [n, ...]. NULL on an error. */
SITU_API situ_dataset *situ_dataset_new(
    const float *features, situ_shape shape, const int32_t *labels, int classes, const char *name);
/* 1,797 handwritten digits of 8 by 8 pixels, 0 to 1 (UCI, E. Alpaydin and C. Kaynak, 1998, CC BY 4.0). */
SITU_API SITU_TOLD situ_dataset *situ_digits(void);
/* IDX files of a folder, plain or gzip: <prefix>*images-idx3-ubyte[.gz] and the labels of the same name
 * (<prefix>*labels-idx1-ubyte[.gz]); pixels 0 to 255 become 0 to 1. NULL prefix: the first pair in order of names,
 * but one that begins with "train" before others. NULL on an error that says what is missing. */
SITU_API SITU_TOLD situ_dataset *situ_idx_folder(const char *folder, const char *prefix);
/* Does the folder have such a pair? Raises nothing. */
SITU_API bool situ_idx_folder_has(const char *folder, const char *prefix);
SITU_API void situ_dataset_free(situ_dataset *data);
SITU_API void situ_dataset_free_at(situ_dataset *data, situ_site site);

SITU_API int64_t situ_dataset_count(const situ_dataset *data);
SITU_API int situ_dataset_classes(const situ_dataset *data);
SITU_API const char *situ_dataset_name(const situ_dataset *data);
/* The shape with the count in front; the memory itself (borrowed). */
SITU_API situ_shape situ_dataset_shape(const situ_dataset *data);
SITU_API const float *situ_dataset_features(const situ_dataset *data);
SITU_API const int32_t *situ_dataset_labels(const situ_dataset *data);

/* A new set of those rows, in that order. NULL on an error. */
SITU_API situ_dataset *situ_dataset_select(const situ_dataset *data, const int64_t *rows, int64_t count);

typedef struct SITU_BY_NAME situ_split_options {
    SITU_OPTION_HEAD;
    double share;    /* = 0.2 in [0, 1]: of the rows, to hold out */
    int64_t count;   /* = 0 in [0, inf): rows to hold out, instead of a share */
    bool stratified; /* = false: the same share of each label */
} situ_split_options;
/* Draws rows by a key: situ_permutation(situ_key(key), n) orders them, the first ones (of each label) are held out.
 * Both new sets are to be freed. 0 or a negative code. */
SITU_API int situ_dataset_split(const situ_dataset *data, int64_t key, situ_dataset **train, situ_dataset **held_out,
    const situ_split_options *options, situ_site site);
/* (x - mean) / deviation, with the mean and deviation of each feature in `like` (constant features stay 0). */
SITU_API SITU_TOLD int situ_dataset_standardize(situ_dataset *data, const situ_dataset *like);

/* ---- loaders --------------------------------------------------------------------------------------------------- */

typedef struct situ_loader situ_loader;

typedef struct SITU_BY_NAME situ_loader_options {
    SITU_OPTION_HEAD;
    int64_t batch;      /* = 64 in [1, inf): rows of a batch; the last one of an epoch may have fewer */
    bool shuffle;       /* = false: a new order in each epoch, by key and epoch */
    int64_t key;        /* = 0: of the order of rows */
    bool drop_last;     /* = false: leaves a short last batch out; an error if none is left */
    bool resident;      /* = true: the set lies on the device and batches are slices of it; false: a thread gathers
                         * the next batches on the host while the device works */
    situ_device device; /* = default: where batches are; default: the thread's default device */
} situ_loader_options;
/* The data set must outlive the loader. NULL on an error. */
SITU_API situ_loader *situ_loader_new(const situ_dataset *data, const situ_loader_options *options, situ_site site);
SITU_API void situ_loader_free(situ_loader *loader);
SITU_API void situ_loader_free_at(situ_loader *loader, situ_site site);
/* Begins an epoch: order = permutation(fold_in(key(.key), epoch), n). 0 or a negative code. */
SITU_API SITU_TOLD int situ_loader_start(situ_loader *loader, int64_t epoch);
/* Goes to the next batch: its rows, 0 from the last one on until an epoch is started, or a negative code. The first call of
 * all starts epoch 0. */
SITU_API SITU_TOLD int64_t situ_loader_next(situ_loader *loader);
/* The batch as temporaries of the scope, on the loader's device: f32 [rows, ...] and i32 [rows]. */
SITU_API int situ_loader_batch(situ_loader *loader, situ_tensor **features, situ_tensor **labels, situ_site site);
/* Some of its rows, on any device. */
SITU_API int situ_loader_part(situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_tensor **features,
    situ_tensor **labels, situ_site site);
/* Batches of an epoch. */
SITU_API int64_t situ_loader_batches(const situ_loader *loader);

#ifndef __cplusplus
#define situ_dataset_new(features, shape, labels, classes, name) \
    SITU_AT_(situ_dataset_new, SITU_ARRAY_OF_(float, SITU_F32, features, "situ_dataset_new: the features are no array of float"), \
        (shape), SITU_ARRAY_OF_(int32_t, SITU_I32, labels, "situ_dataset_new: the labels are no array of int32_t"), \
        SITU_INTEGER(classes), (name))
#define situ_dataset_select(data, rows, count) \
    SITU_AT_(situ_dataset_select, (data), \
        SITU_ARRAY_OF_(int64_t, SITU_I64, rows, "situ_dataset_select: the rows are no array of int64_t"), SITU_INTEGER(count))
#endif

#ifdef __cplusplus
}
#endif

#include <situ/call/data.h>

#endif
