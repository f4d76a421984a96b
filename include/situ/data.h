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
enum { SITU_FIELDS = 16 }; /* largest number of inputs and targets of a data set */

/* One input or target of all rows. */
typedef struct situ_field {
    const char *name;
    situ_dtype dtype;
    situ_shape shape; /* [count, ...]; for rows of different lengths [count, longest, ...] */
    bool target;      /* inputs come first, then targets */
    bool ragged;      /* rows have different lengths; batches are padded */
    const void *data; /* all rows, contiguous; NULL if they are not contiguous in memory */
} situ_field;

/* From arrays, which are copied: one input of f32 in row-major order with the whole shape [n, ...], and one target: labels from 0
 * to classes - 1. NULL on an error. */
SITU_API situ_dataset *situ_dataset_new(
    const float *features, situ_shape shape, const int32_t *labels, int classes, const char *name);

typedef struct SITU_BY_NAME situ_tensor_dataset_options {
    SITU_OPTION_HEAD;
    int32_t targets;   /* = 1 in [0, 16]: how many of the tensors, counted from the end, are targets */
    int32_t classes;   /* = 0 in [0, inf): the first target holds labels below this number; 0: found out, if it has integers [n]
                        * from 0 on */
    const char *names; /* = none: names of the tensors, separated by commas */
    const char *name;  /* = none: name of the data set */
} situ_tensor_dataset_options;
/* From tensors [n, ...] of any dtypes with the same number of rows: inputs, then targets. Their values are read. NULL on an error.
 */
SITU_API situ_dataset *situ_tensor_dataset(situ_list tensors, const situ_tensor_dataset_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_ragged_dataset_options {
    SITU_OPTION_HEAD;
    int32_t targets;   /* = 1 in [0, 16]: how many of the tensors, counted from the end, are targets */
    int32_t classes;   /* = 0 in [0, inf): as in situ_tensor_dataset */
    double fill;       /* = 0: value for padding shorter rows */
    const char *names; /* = none: names of the rows' values and of the tensors, separated by commas */
    const char *name;  /* = none: name of the data set */
} situ_ragged_dataset_options;
/* Rows of different lengths: `values` [total, ...] has all rows one after the other, `lengths` [n] (integers) the length of each. A
 * batch pads them to its longest row: its first input is [rows, longest, ...], its second one their lengths, i32 [rows]. Then come
 * the tensors [n, ...], the last of which are targets. NULL on an error. */
SITU_API situ_dataset *situ_ragged_dataset(
    situ_tensor *values, situ_tensor *lengths, situ_list tensors, const situ_ragged_dataset_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_window_dataset_options {
    SITU_OPTION_HEAD;
    int64_t stride;   /* = 0 in [0, inf): distance between windows; 0: the length of a window */
    const char *name; /* = none: name of the data set */
} situ_window_dataset_options;
/* Windows of a sequence [n, ...], for learning to predict the next element: the input of row i has the `length` elements from i *
 * stride on, its target the same elements shifted by one. They share one copy of the sequence. NULL on an error. */
SITU_API situ_dataset *situ_window_dataset(
    situ_tensor *sequence, int64_t length, const situ_window_dataset_options *options, situ_site site);

/* Writes a row: field i to fields[i], contiguous. Returns 0; 1: there is no such row, the set has ended; or a negative number for
 * an error, which ends the loader's pass. */
typedef int (*situ_row_fn)(void *self, int64_t row, void *const *fields);
/* Rows made by a function. The fields give names, dtypes, which of them (the last ones) are targets, and in .shape the shape of one
 * row. With a negative count the set is a stream: one thread asks for its rows in order from 0 on, and each pass continues where
 * the last one ended. Otherwise the loader's threads ask for rows in any order. NULL on an error. */
SITU_API SITU_TOLD situ_dataset *situ_callback_dataset(
    int64_t count, const situ_field *fields, int number, situ_row_fn row, void *self, const char *name);

/* 1,797 handwritten digits of 8 by 8 pixels, 0 to 1 (UCI, E. Alpaydin and C. Kaynak, 1998, CC BY 4.0). */
SITU_API SITU_TOLD situ_dataset *situ_digits(void);
/* IDX files in a folder, plain or gzip: <prefix>*images-idx3-ubyte[.gz] and the labels with the same name
 * (<prefix>*labels-idx1-ubyte[.gz]); pixels 0 to 255 become 0 to 1. NULL prefix: the first pair in alphabetical order, preferably
 * one that begins with "train". NULL on an error that says what is missing. */
SITU_API SITU_TOLD situ_dataset *situ_idx_folder(const char *folder, const char *prefix);
/* Does the folder have such a pair? Raises nothing. */
SITU_API bool situ_idx_folder_has(const char *folder, const char *prefix);

typedef struct SITU_BY_NAME situ_csv_options {
    SITU_OPTION_HEAD;
    const char *inputs;     /* = none: columns by name, or by number from 0, separated by commas; none: all columns that are not
                             * targets */
    const char *targets;    /* = none: columns, as above; none: the last one */
    const char *categories; /* = none: columns of numbers that are categories, as text always is */
    bool header;            /* = true: the first line names the columns */
    bool skip_empty;        /* = false: skips rows with an empty cell; false: they are an error */
    const char *separator;  /* = none: the character between cells; none: a comma */
} situ_csv_options;
/* A CSV file, plain or gzip, with quotes as in RFC 4180. All input columns of numbers together are one field, f32 [n, columns].
 * Each input column of text is another field, i32 [n]: the index of its category in alphabetical order. The same holds for targets;
 * a first target of categories has labels. NULL on an error that names the line. */
SITU_API situ_dataset *situ_csv(const char *path, const situ_csv_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_numpy_options {
    SITU_OPTION_HEAD;
    const char *inputs;  /* = none: names of arrays, separated by commas; none: all that are not targets, in their order */
    const char *targets; /* = none: names of arrays; none: there are no targets */
    bool f64;            /* = false: keeps arrays of f64; false: they become f32 */
} situ_numpy_options;
/* A NumPy file, .npy (one input named "input") or .npz: arrays [n, ...] of numbers with the same number of rows. NULL on an error.
 */
SITU_API situ_dataset *situ_numpy(const char *path, const situ_numpy_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_cifar_options {
    SITU_OPTION_HEAD;
    bool test; /* = false: the test images, instead of the training images */
} situ_cifar_options;
/* The binary files of CIFAR-10 (data_batch_1.bin to 5, test_batch.bin) or CIFAR-100 (train.bin, test.bin; the fine labels) in a
 * folder: images of [3, 32, 32], which batches have as f32 from 0 to 1. NULL on an error. */
SITU_API situ_dataset *situ_cifar(const char *folder, const situ_cifar_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_image_folder_options {
    SITU_OPTION_HEAD;
    int32_t height; /* = 0 in [0, 65536]: height of all images in pixels; 0: images keep their size, and must all have the same */
    int32_t width;  /* = 0 in [0, 65536]: width, as height; 0: images keep it */
    bool crop;      /* = false: keeps proportions and crops both sides; false: stretches */
    bool grey;      /* = false: one channel instead of red, green and blue */
} situ_image_folder_options;
/* A folder with one subfolder of images for each class: PNG (read by libpng) and JPEG (by libturbojpeg); both libraries are opened
 * at run time. Classes are numbered in the order of their names' bytes; situ_dataset_token gives the names. Images are all files
 * with such extensions in a class's folder and below, in that order, too; names that begin with a dot are skipped. In memory they
 * are u8 [n, channels, height, width]; batches have them as f32 from 0 to 1. Transparent pixels are put on black, 16 bits are
 * reduced to 8, and the orientation tag of cameras is ignored. To shrink, pixels are averaged (triangle filter). NULL on an error
 * that names the file if it is no image, or truncated. */
SITU_API situ_dataset *situ_image_folder(const char *folder, const situ_image_folder_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_text_dataset_options {
    SITU_OPTION_HEAD;
    bool words;   /* = false: tokens are words and punctuation, without white space; false: characters of UTF-8 */
    int32_t most; /* = 0 in [0, inf): largest size of the vocabulary: the most frequent tokens are kept, the others are token 0, "";
                   * 0: all */
    int64_t stride; /* = 0 in [0, inf): as in situ_window_dataset */
    bool pairs; /* = false: tokens are bytes and pairs of tokens, learned from the text until there are .most (0: 1,024) of them */
    const char
        *vocabulary; /* = none: a file of situ_dataset_save_vocabulary, whose tokens are used with the same numbers; an unknown
                      * token is token 0, "", or an error if the vocabulary has no such token. none: the vocabulary of the text */
} situ_text_dataset_options;
/* Windows of a text file, plain or gzip, as situ_window_dataset makes them from the token numbers, i32. The vocabulary is sorted by
 * bytes; situ_dataset_classes gives its size. With .pairs (byte-pair encoding; R. Sennrich, B. Haddow and A. Birch, Neural machine
 * translation of rare words with subword units, 2016) it begins with the 256 bytes. Then the most frequent pair becomes a token,
 * repeatedly, as long as a pair occurs twice. A pair never crosses the end of a word, to which the space before it belongs. So
 * every text can be encoded, and situ_dataset_decode restores all of its bytes. NULL on an error. */
SITU_API situ_dataset *situ_text_dataset(
    const char *path, int64_t length, const situ_text_dataset_options *options, situ_site site);
/* Token i of the vocabulary, borrowed; NULL: there is none. Only the data set that was read has it, not the parts of a split. For a
 * folder of images the name of class i; the parts of a split have those, too. */
SITU_API const char *situ_dataset_token(const situ_dataset *data, int i);
/* Writes the numbers of a text's tokens, up to `most` of them. Returns how many the text has, or a negative code if a token is
 * unknown and the vocabulary has no token 0 for that. */
SITU_API SITU_TOLD int64_t situ_dataset_encode(const situ_dataset *data, const char *text, int32_t *out, int64_t most);
/* Writes the text of tokens, up to `most` bytes, without a terminating zero; words are separated by spaces. Returns its length, or
 * a negative code for an invalid token. */
SITU_API SITU_TOLD int64_t situ_dataset_decode(
    const situ_dataset *data, const int32_t *tokens, int64_t count, char *out, int64_t most);

/* Writes the vocabulary of a text to a file, so that another program gives the same numbers to tokens. The file has a line "situ
 * vocabulary 1" with the kind ("characters", "words", "pairs") and the number of tokens, then a line for each token; for pairs it
 * begins with the numbers of both parts. Invisible characters are escaped: \\, \n, \r, \t, \x20. 0 or a negative code. */
SITU_API SITU_TOLD int situ_dataset_save_vocabulary(const situ_dataset *data, const char *path);
/* A data set without rows that has the vocabulary of such a file, for situ_dataset_encode, situ_dataset_decode and
 * situ_dataset_token without a text. NULL on an error that names the line. */
SITU_API SITU_TOLD situ_dataset *situ_vocabulary_dataset(const char *path);

SITU_API SITU_TOLD void situ_dataset_free(situ_dataset *data);

/* Number of rows; -1: a stream. Number of classes of the labels; 0: the targets are not labels. */
SITU_API int64_t situ_dataset_count(const situ_dataset *data);
SITU_API int situ_dataset_classes(const situ_dataset *data);
SITU_API const char *situ_dataset_name(const situ_dataset *data);
/* For the first input: its shape, beginning with the number of rows; its memory (borrowed; NULL unless it is f32). The labels: NULL
 * unless the first target is i32 [n]. */
SITU_API situ_shape situ_dataset_shape(const situ_dataset *data);
SITU_API const float *situ_dataset_features(const situ_dataset *data);
SITU_API const int32_t *situ_dataset_labels(const situ_dataset *data);
/* All inputs and targets, borrowed: writes up to `most` to out, and returns how many there are. */
SITU_API int situ_dataset_fields(const situ_dataset *data, situ_field *out, int most);

/* A new set with these rows, in this order. NULL on an error. */
SITU_API situ_dataset *situ_dataset_select(const situ_dataset *data, const int64_t *rows, int64_t count);

typedef struct SITU_BY_NAME situ_split_options {
    SITU_OPTION_HEAD;
    double share;    /* = 0.2 in [0, 1]: share of the rows to hold out */
    int64_t count;   /* = 0 in [0, inf): number of rows to hold out, instead of a share */
    bool stratified; /* = false: holds out the same share of each label */
} situ_split_options;
/* Splits rows randomly: situ_permutation(situ_key(key), n) orders them, and the first ones (of each label) are held out. Both new
 * sets have to be freed. 0 or a negative code. */
SITU_API int situ_dataset_split(const situ_dataset *data, int64_t key, situ_dataset **train, situ_dataset **held_out,
    const situ_split_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_fold_options {
    SITU_OPTION_HEAD;
    bool stratified; /* = false: each fold gets the same share of each label */
} situ_fold_options;
/* Fold number `fold` of `folds`: situ_permutation(situ_key(key), n) orders the rows, and every folds-th row (of each label),
 * beginning with number `fold`, is held out. So over all folds each row is held out once. Both new sets have to be freed. 0 or a
 * negative code. */
SITU_API int situ_dataset_fold(const situ_dataset *data, int64_t key, int fold, int folds, situ_dataset **train,
    situ_dataset **held_out, const situ_fold_options *options, situ_site site);
/* Replaces the first input, f32, by (x - mean) / deviation, with the mean and standard deviation of each feature in `like`
 * (constant features become 0). 0 or a negative code. */
SITU_API SITU_TOLD int situ_dataset_standardize(situ_dataset *data, const situ_dataset *like);

/* ---- transforms ------------------------------------------------------------------------------------------------- */

typedef struct SITU_BY_NAME situ_augment_options {
    SITU_OPTION_HEAD;
    int32_t crop;      /* = 0 in [0, 1024]: shifts by up to this many pixels in each direction, filling with 0 */
    double flip;       /* = 0 in [0, 1]: flips horizontally with this probability */
    double rotate;     /* = 0 in [0, 180]: rotates by up to this many degrees, bilinear, filling with 0 */
    double brightness; /* = 0 in [0, inf): adds a random number up to this to all pixels */
    double contrast;   /* = 0 in [0, 1]: scales distances from the row's mean by a factor from 1 - this to 1 + this */
    double mean;       /* = 0: finally computes (x - mean) / deviation */
    double deviation;  /* = 1 in (0, inf): see mean */
    double mix_up;     /* = 0 in [0, inf): mixes each row with a random one: lambda x + (1 - lambda) x'. Labels become shares, f32
                        * [classes]. lambda is drawn from Beta(mix_up, mix_up) */
    const double *channel_mean;      /* = none: a mean for each channel, instead of mean */
    const double *channel_deviation; /* = none: a deviation for each channel, above 0, instead of deviation */
    int32_t channels; /* = 0 in [0, 16]: number of elements of channel_mean and channel_deviation: the rows' channels, which are the
                       * third axis from the end; they are copied */
} situ_augment_options;
/* Augments the first input of each row, f32 (or pixels of u8, which are divided by 255), when it goes into a batch, in the order of
 * the options. The random numbers depend on the loader's key, the epoch and the row. The last two axes are height and width.
 * Another call is applied after the earlier ones. Split before this: the parts of a split keep the transforms of the old set, so a
 * held-out part would be augmented, too. 0 or a negative code. */
SITU_API int situ_dataset_augment(situ_dataset *data, const situ_augment_options *options, situ_site site);
/* Changes the first input of a row, `count` elements of f32, in place. `key` has random bits that depend on the loader's key, the
 * epoch and the row. Called by the loader's threads. */
typedef void (*situ_row_map_fn)(void *self, uint64_t key, float *row, int64_t count);
SITU_API SITU_TOLD int situ_dataset_map(situ_dataset *data, situ_row_map_fn map, void *self);

/* ---- loaders --------------------------------------------------------------------------------------------------- */

typedef struct situ_loader situ_loader;

typedef struct SITU_BY_NAME situ_loader_options {
    SITU_OPTION_HEAD;
    int64_t batch;      /* = 64 in [1, inf): rows of a batch; the last one of an epoch may have fewer */
    bool shuffle;       /* = false: a new order in each epoch, by key and epoch */
    int64_t key;        /* = 0: key for the order of rows */
    bool drop_last;     /* = false: drops an incomplete last batch; an error if no batch is left */
    bool resident;      /* = true: the set is on the device, and batches are slices of it; false: a thread gathers the next batches
                         * on the host while the device works */
    situ_device device; /* = default: where batches are; default: the thread's default device */
    int32_t workers;    /* = 1 in [1, 64]: number of threads that gather batches (a stream has one) */
    int64_t batches;    /* = 0 in [0, inf): largest number of batches in an epoch; 0: all (a stream: until it ends) */
    bool stratified;    /* = false: each batch has about the same share of each label */
    bool buckets;       /* = false: puts rows of similar length into one batch, which saves padding */
    int64_t multiple;   /* = 1 in [1, inf): padded lengths are multiples of this, so that fewer plans are made */
} situ_loader_options;
/* The data set must outlive the loader. Rows that are augmented, made by a function or padded, and windows, are gathered by threads
 * even if .resident is set. NULL on an error. */
SITU_API situ_loader *situ_loader_new(const situ_dataset *data, const situ_loader_options *options, situ_site site);
SITU_API SITU_TOLD void situ_loader_free(situ_loader *loader);
/* From the next epoch on, rows are drawn with replacement by these weights (none below 0), as many as the set has; NULL: no more.
 * `count` is the set's number of rows. The weights are copied. 0 or a negative code. */
SITU_API SITU_TOLD int situ_loader_weights(situ_loader *loader, const double *weights, int64_t count);
/* Begins an epoch: order = permutation(fold_in(key(.key), epoch), n). 0 or a negative code. */
SITU_API SITU_TOLD int situ_loader_start(situ_loader *loader, int64_t epoch);
/* The epoch that was started last; 0 before any. */
SITU_API int64_t situ_loader_epoch(const situ_loader *loader);
/* Goes to the next batch and returns its number of rows; 0 after the last batch, until another epoch is started; or a negative
 * code. The very first call starts epoch 0. */
SITU_API SITU_TOLD int64_t situ_loader_next(situ_loader *loader);
/* The batch as temporaries of the scope, on the loader's device, for a set with one input and one target. */
SITU_API int situ_loader_batch(situ_loader *loader, situ_tensor **features, situ_tensor **labels, situ_site site);
/* Rows of the batch, on any device. */
SITU_API int situ_loader_part(situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_tensor **features,
    situ_tensor **labels, situ_site site);

/* A batch, or the part of one that a device has, as temporaries of the scope. */
typedef struct situ_batch {
    situ_tensor *field[SITU_FIELDS]; /* inputs, then targets */
    int32_t fields, inputs;
    int64_t rows;      /* number of rows in these tensors */
    int64_t first, of; /* they are rows first, first + 1, ... of a batch with `of` rows */
    int64_t step;      /* the optimizer's step number, for situ_module_call (trainer; else -1) */
    int32_t device;    /* index of the trainer's device */
    bool training;     /* false: it is only measured */
} situ_batch;
/* situ_loader_get: the whole batch, on the loader's device. situ_loader_get_part: rows first .. first + rows - 1 of it, on any
 * device. 0 or a negative code. */
SITU_API int situ_loader_get(situ_loader *loader, situ_batch *out, situ_site site);
SITU_API int situ_loader_get_part(
    situ_loader *loader, situ_device device, int64_t first, int64_t rows, situ_batch *out, situ_site site);
/* Number of batches in an epoch; -1 for a stream. */
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
