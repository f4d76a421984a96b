/* Data sets and loaders. A data set has rows in host memory, each with some inputs and targets of any shapes and dtypes; a loader
 * brings batches of them to devices.
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

#include <situ/move.h>

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- data sets --------------------------------------------------------------------------------------------------- */

typedef struct situ_dataset situ_dataset;
enum { SITU_FIELDS = 16 }; /* inputs and targets of a data set at most */

/* One input or target of all rows. */
typedef struct situ_field {
    const char *name;
    situ_dtype dtype;
    situ_shape shape; /* [count, ...]; of rows of different lengths [count, longest, ...] */
    bool target;      /* inputs come first, then targets */
    bool ragged;      /* rows have different lengths; batches are padded */
    const void *data; /* row after row; NULL where the rows do not lie in memory one after the other */
} situ_field;

/* From arrays, which are copied: one input of f32 in row-major order, of the whole shape [n, ...], and one target: labels from 0 to
 * classes - 1. NULL on an error. */
SITU_API situ_dataset *situ_dataset_new(
    const float *features, situ_shape shape, const int32_t *labels, int classes, const char *name);

typedef struct SITU_BY_NAME situ_tensor_dataset_options {
    SITU_OPTION_HEAD;
    int32_t targets;   /* = 1 in [0, 16]: how many of the tensors, the last ones, are targets */
    int32_t classes;   /* = 0 in [0, inf): the first target holds labels below this; 0: finds that out of integers [n] from 0 on */
    const char *names; /* = none: of the tensors, with commas between them */
    const char *name;  /* = none: of the data set */
} situ_tensor_dataset_options;
/* From tensors [n, ...] of any dtypes and as many rows each: inputs, then targets. Their values are read. NULL on an error. */
SITU_API situ_dataset *situ_tensor_dataset(situ_list tensors, const situ_tensor_dataset_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_ragged_dataset_options {
    SITU_OPTION_HEAD;
    int32_t targets;   /* = 1 in [0, 16]: how many of the tensors, the last ones, are targets */
    int32_t classes;   /* = 0 in [0, inf): as in situ_tensor_dataset */
    double fill;       /* = 0: what shorter rows are padded with */
    const char *names; /* = none: of the rows' values and of the tensors, with commas between them */
    const char *name;  /* = none: of the data set */
} situ_ragged_dataset_options;
/* Rows of different lengths: `values` [total, ...] has them one after the other, `lengths` [n] (integers) says how long each is.
 * A batch has them padded to its longest one, [rows, longest, ...], as its first input, and their lengths, i32 [rows], as its
 * second one; then the tensors [n, ...], of which the last ones are targets. NULL on an error. */
SITU_API situ_dataset *situ_ragged_dataset(
    situ_tensor *values, situ_tensor *lengths, situ_list tensors, const situ_ragged_dataset_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_window_dataset_options {
    SITU_OPTION_HEAD;
    int64_t stride;   /* = 0 in [0, inf): from one window to the next; 0: as far as a window is long */
    const char *name; /* = none: of the data set */
} situ_window_dataset_options;
/* Windows of a sequence [n, ...]: the input of row i is the elements from i stride on, `length` of them, its target the same one
 * element later: what a model of the next element learns from. They share the memory of one copy. NULL on an error. */
SITU_API situ_dataset *situ_window_dataset(
    situ_tensor *sequence, int64_t length, const situ_window_dataset_options *options, situ_site site);

/* Writes a row: field i to fields[i], contiguous. Returns 0; 1: there is no such row, the set has ended; or a negative number: an
 * error, which ends the loader's pass. */
typedef int (*situ_row_fn)(void *self, int64_t row, void *const *fields);
/* Rows by a function of yours. The fields say name, dtype, whether they are targets (the last ones), and in .shape that of one row.
 * With a count below 0 the set is a stream, whose rows are asked for in order from 0 on, by one thread, and whose passes go on
 * where the last one was. Otherwise rows are asked for in any order, by the loader's threads. NULL on an error. */
SITU_API SITU_TOLD situ_dataset *situ_callback_dataset(
    int64_t count, const situ_field *fields, int number, situ_row_fn row, void *self, const char *name);

/* 1,797 handwritten digits of 8 by 8 pixels, 0 to 1 (UCI, E. Alpaydin and C. Kaynak, 1998, CC BY 4.0). */
SITU_API SITU_TOLD situ_dataset *situ_digits(void);
/* IDX files of a folder, plain or gzip: <prefix>*images-idx3-ubyte[.gz] and the labels of the same name
 * (<prefix>*labels-idx1-ubyte[.gz]); pixels 0 to 255 become 0 to 1. NULL prefix: the first pair in order of names,
 * but one that begins with "train" before others. NULL on an error that says what is missing. */
SITU_API SITU_TOLD situ_dataset *situ_idx_folder(const char *folder, const char *prefix);
/* Does the folder have such a pair? Raises nothing. */
SITU_API bool situ_idx_folder_has(const char *folder, const char *prefix);

typedef struct SITU_BY_NAME situ_csv_options {
    SITU_OPTION_HEAD;
    const char *inputs;     /* = none: columns by name, or number from 0, with commas between them; none: all that are no targets */
    const char *targets;    /* = none: columns, as above; none: the last one */
    const char *categories; /* = none: columns whose numbers are categories, as text always is */
    bool header;            /* = true: the first line names the columns */
    bool skip_empty;        /* = false: rows with an empty cell are left out; false: they are an error */
    const char *separator;  /* = none: one character between cells; none: a comma */
} situ_csv_options;
/* A text file of columns, plain or gzip, quoted as in RFC 4180. The input columns of numbers are one field, f32 [n, columns], and
 * each one of text is another, i32 [n]: the number of its category in the order of the alphabet. So are the targets; a first one of
 * categories are labels. NULL on an error that names the line. */
SITU_API situ_dataset *situ_csv(const char *path, const situ_csv_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_numpy_options {
    SITU_OPTION_HEAD;
    const char *inputs;  /* = none: names of arrays, with commas between them; none: all that are no targets, as they come */
    const char *targets; /* = none: names of arrays; none: there are no targets */
    bool f64;            /* = false: arrays of f64 stay so; false: they become f32 */
} situ_numpy_options;
/* A NumPy file, .npy (an input of the name "input") or .npz: arrays [n, ...] of numbers, as many rows each. NULL on an error. */
SITU_API situ_dataset *situ_numpy(const char *path, const situ_numpy_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_cifar_options {
    SITU_OPTION_HEAD;
    bool test; /* = false: the images to test with, instead of those to train with */
} situ_cifar_options;
/* The binary files of CIFAR-10 (data_batch_1.bin to 5, test_batch.bin) or CIFAR-100 (train.bin, test.bin; the fine labels) in a
 * folder: images of [3, 32, 32], which batches have as f32 from 0 to 1. NULL on an error. */
SITU_API situ_dataset *situ_cifar(const char *folder, const situ_cifar_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_image_folder_options {
    SITU_OPTION_HEAD;
    int32_t height; /* = 0 in [0, 65536]: of all images, in pixels; 0: they are left as they are and have to have one size */
    int32_t width;  /* = 0 in [0, 65536]: as height; 0: as they are */
    bool crop;      /* = false: keeps proportions and cuts what is left over at both sides; false: stretches */
    bool grey;      /* = false: one channel instead of red, green and blue */
} situ_image_folder_options;
/* A folder of a folder for each class with its images: PNG (read by libpng) and JPEG (by libturbojpeg); both are looked for at run
 * time. Classes are numbered in the order of their names' bytes, situ_dataset_token has those; images are all files that end as
 * such in a class's folder and those within, in that order, too; names that begin with a dot are left out. They lie in memory as u8
 * [n, channels, height, width], which batches have as f32 from 0 to 1. What is transparent lies on black, 16 bits become 8,
 * and the camera's note how it was held is not looked at. To shrink, pixels are averaged (triangle filter). NULL on an error that
 * names the file: one that is no image, or cut. */
SITU_API situ_dataset *situ_image_folder(const char *folder, const situ_image_folder_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_text_dataset_options {
    SITU_OPTION_HEAD;
    bool words;   /* = false: tokens are words and marks between them, without white space; false: characters of UTF-8 */
    int32_t most; /* = 0 in [0, inf): the vocabulary has this many tokens at most, the most frequent; the others are token 0, ""; 0:
                     * all */
    int64_t stride; /* = 0 in [0, inf): as in situ_window_dataset */
    bool pairs; /* = false: tokens are bytes and pairs of tokens, learned from the text until there are .most (0: 1,024) of them */
    const char
        *vocabulary; /* = none: a file of situ_dataset_save_vocabulary, whose tokens the text has, with the same numbers; a token
                             * that is not in it is token 0, "", or where it has none, an error. none: the vocabulary of the text */
} situ_text_dataset_options;
/* Windows of a text file, plain or gzip, as situ_window_dataset makes them of the numbers of its tokens, i32. The vocabulary is in
 * the order of bytes; situ_dataset_classes says how large it is. With .pairs (byte-pair encoding; R. Sennrich, B. Haddow and A.
 * Birch, Neural machine translation of rare words with subword units, 2016) it begins with the 256 bytes; then the pair that occurs
 * most becomes a token, again and again, while one occurs twice; it never reaches over the end of a word, to which the space in
 * front belongs. So each text has tokens, and situ_dataset_decode gives back all of its bytes. NULL on an error. */
SITU_API situ_dataset *situ_text_dataset(
    const char *path, int64_t length, const situ_text_dataset_options *options, situ_site site);
/* Token i of the vocabulary, borrowed; NULL: there is none. The set that was read has it, not its parts after a split. Or the name
 * of class i of a folder of images; parts of a split have those, too. */
SITU_API const char *situ_dataset_token(const situ_dataset *data, int i);
/* The numbers of a text's tokens, up to `most` of them; returns how many the text has, or a negative code: one is not in the
 * vocabulary, which has no token 0 for such. */
SITU_API SITU_TOLD int64_t situ_dataset_encode(const situ_dataset *data, const char *text, int32_t *out, int64_t most);
/* The text of tokens, up to `most` bytes of it, without a zero at the end; words have a space between them. Returns how many bytes
 * it has, or a negative code: a number is no token. */
SITU_API SITU_TOLD int64_t situ_dataset_decode(
    const situ_dataset *data, const int32_t *tokens, int64_t count, char *out, int64_t most);

/* Writes the vocabulary of a text to a file, so that another program gives the same numbers to tokens: a line "situ vocabulary 1",
 * the kind ("characters", "words", "pairs") and how many, then a token on each line, of pairs the numbers of both parts in front.
 * What cannot be seen is escaped: \\, \n, \r, \t, \x20. 0 or a negative code. */
SITU_API SITU_TOLD int situ_dataset_save_vocabulary(const situ_dataset *data, const char *path);
/* A data set without rows that has the vocabulary of such a file: for situ_dataset_encode, situ_dataset_decode and
 * situ_dataset_token where there is no text to learn from. NULL on an error that names the line. */
SITU_API SITU_TOLD situ_dataset *situ_vocabulary_dataset(const char *path);

SITU_API SITU_TOLD void situ_dataset_free(situ_dataset *data);

/* Rows; -1: a stream. Classes of the labels; 0: its targets are no labels. */
SITU_API int64_t situ_dataset_count(const situ_dataset *data);
SITU_API int situ_dataset_classes(const situ_dataset *data);
SITU_API const char *situ_dataset_name(const situ_dataset *data);
/* The first input: its shape with the count in front; the memory itself (borrowed; NULL unless it is of f32). The labels: NULL
 * unless the first target is of i32 [n]. */
SITU_API situ_shape situ_dataset_shape(const situ_dataset *data);
SITU_API const float *situ_dataset_features(const situ_dataset *data);
SITU_API const int32_t *situ_dataset_labels(const situ_dataset *data);
/* All inputs and targets, borrowed: writes up to `most` to out, returns how many there are. */
SITU_API int situ_dataset_fields(const situ_dataset *data, situ_field *out, int most);

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
typedef struct SITU_BY_NAME situ_fold_options {
    SITU_OPTION_HEAD;
    bool stratified; /* = false: the same share of each label in each fold */
} situ_fold_options;
/* Fold `fold` of `folds`: situ_permutation(situ_key(key), n) orders the rows, every folds-th of them (of each label), from the
 * fold's on, is held out. So each row is held out once over all folds. Both new sets are to be freed. 0 or a negative code. */
SITU_API int situ_dataset_fold(const situ_dataset *data, int64_t key, int fold, int folds, situ_dataset **train,
    situ_dataset **held_out, const situ_fold_options *options, situ_site site);
/* (x - mean) / deviation, with the mean and deviation of each feature in `like` (constant ones become 0); the first input, f32. */
SITU_API SITU_TOLD int situ_dataset_standardize(situ_dataset *data, const situ_dataset *like);

/* ---- transforms ------------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_augment_options {
    SITU_OPTION_HEAD;
    int32_t crop;      /* = 0 in [0, 1024]: shifts by up to so many pixels in each direction; 0 comes in from outside */
    double flip;       /* = 0 in [0, 1]: mirrors left and right with this probability */
    double rotate;     /* = 0 in [0, 180]: turns by up to so many degrees, bilinear; 0 comes in from outside */
    double brightness; /* = 0 in [0, inf): adds a number up to this, to all pixels the same */
    double contrast;   /* = 0 in [0, 1]: multiplies distances from the row's mean by 1 - this to 1 + this */
    double mean;       /* = 0: at last: (x - mean) / deviation */
    double deviation;  /* = 1 in (0, inf): see mean */
    double mix_up;     /* = 0 in [0, inf): lambda x + (1 - lambda) x' with a row x' by chance, and the labels as so many shares: f32
                        * [classes]; lambda is drawn from Beta(mix_up, mix_up) */
    const double *channel_mean;      /* = none: one for each channel, in place of mean */
    const double *channel_deviation; /* = none: one for each channel, above 0, in place of deviation */
    int32_t channels; /* = 0 in [0, 16]: how many channel_mean and channel_deviation have: those of the rows, the third
                                      * axis from the end; they are copied */
} situ_augment_options;
/* Changes the first input of each row of f32 (or pixels of u8, which are divided by 255) on its way into a batch, in the order of
 * the options: another way in each epoch, by the loader's key, the epoch and the row. The last two axes are height and width. A
 * further call changes what the one before gives. Do this after splitting: the new sets of a split have the transforms of the old
 * one. 0 or a negative code. */
SITU_API int situ_dataset_augment(situ_dataset *data, const situ_augment_options *options, situ_site site);
/* Changes the first input of a row, f32 [count] elements, in place. `key` is random bits: by the loader's key, the epoch and the
 * row. Called by the loader's threads. */
typedef void (*situ_row_map_fn)(void *self, uint64_t key, float *row, int64_t count);
SITU_API SITU_TOLD int situ_dataset_map(situ_dataset *data, situ_row_map_fn map, void *self);

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
    int32_t workers;    /* = 1 in [1, 64]: threads that gather batches (of a stream: one) */
    int64_t batches;    /* = 0 in [0, inf): of an epoch at most; 0: all (of a stream: until it ends) */
    bool stratified;    /* = false: each batch has about the same share of each label */
    bool buckets;       /* = false: rows of about one length come together, so that less is padded */
    int64_t multiple;   /* = 1 in [1, inf): padded lengths are multiples of this: fewer plans are made */
} situ_loader_options;
/* The data set must outlive the loader. Rows that are changed, made or padded on their way, and windows, are gathered by threads
 * also where .resident is set. NULL on an error. */
SITU_API situ_loader *situ_loader_new(const situ_dataset *data, const situ_loader_options *options, situ_site site);
SITU_API SITU_TOLD void situ_loader_free(situ_loader *loader);
/* From the next epoch on rows are drawn with these weights (none below 0), as many as there are, with replacement; NULL: no more.
 * `count` is that of the data set. They are copied. 0 or a negative code. */
SITU_API SITU_TOLD int situ_loader_weights(situ_loader *loader, const double *weights, int64_t count);
/* Begins an epoch: order = permutation(fold_in(key(.key), epoch), n). 0 or a negative code. */
SITU_API SITU_TOLD int situ_loader_start(situ_loader *loader, int64_t epoch);
/* The epoch that was begun last; 0 before any. */
SITU_API int64_t situ_loader_epoch(const situ_loader *loader);
/* Goes to the next batch: its rows, 0 from the last one on until an epoch is started, or a negative code. The first call of
 * all starts epoch 0. */
SITU_API SITU_TOLD int64_t situ_loader_next(situ_loader *loader);
/* The batch as temporaries of the scope, on the loader's device: the input and the target of a set that has one of each. */
SITU_API int situ_loader_batch(situ_loader *loader, situ_tensor **features, situ_tensor **labels, situ_site site);
/* Some of its rows, on any device. */
SITU_API int situ_loader_part(situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_tensor **features,
    situ_tensor **labels, situ_site site);

/* A batch, or the part of one that a device has, as temporaries of the scope. */
typedef struct situ_batch {
    situ_tensor *field[SITU_FIELDS]; /* inputs, then targets */
    int32_t fields, inputs;
    int64_t rows;      /* in these tensors */
    int64_t first, of; /* they are rows first, first + 1, ... of a batch of `of` */
    int64_t step;      /* of the optimizer, for situ_module_call (trainer; else -1) */
    int32_t device;    /* which of the trainer's devices */
    bool training;     /* false: only measured */
} situ_batch;
/* All inputs and targets of the batch, on the loader's device; some of its rows, on any device. 0 or a negative code. */
SITU_API int situ_loader_get(situ_loader *loader, situ_batch *out, situ_site site);
SITU_API int situ_loader_get_part(
    situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_batch *out, situ_site site);
/* Batches of an epoch; -1: of a stream. */
SITU_API int64_t situ_loader_batches(const situ_loader *loader);

#ifndef __cplusplus
#define situ_dataset_new(features, shape, labels, classes, name) \
    SITU_AT_(situ_dataset_new, SITU_ARRAY_OF_(float, SITU_F32, features, "situ_dataset_new: the features are no array of float"), \
        SITU_OF(situ_shape, SITU_SHAPE_IS_, shape), \
        SITU_ARRAY_OF_(int32_t, SITU_I32, labels, "situ_dataset_new: the labels are no array of int32_t"), SITU_INTEGER(classes), \
        (name))
#define situ_dataset_select(data, rows, count) \
    SITU_AT_(situ_dataset_select, SITU_HANDLE(const situ_dataset *, data), \
        SITU_ARRAY_OF_(int64_t, SITU_I64, rows, "situ_dataset_select: the rows are no array of int64_t"), SITU_INTEGER(count))
#endif

#ifdef __cplusplus
}
#endif

#include <situ/call/data.h>

#endif
