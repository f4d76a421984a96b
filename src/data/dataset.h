#ifndef SITU_DATA_DATASET_H
#define SITU_DATA_DATASET_H

#include <situ/data.h>

#include "base/handle.h"
#include "data/pairs.h"

/* A field of a data set: one input or target, for all rows. */
typedef struct situ_column {
    char *name;
    situ_dtype dtype;
    situ_shape shape; /* shape of one row; ragged: the first size is that of the longest row */
    int64_t bytes;    /* bytes of one row; ragged: of one element along its first axis */
    int64_t pitch;    /* distance between rows: less than `bytes` if rows overlap (windows) */
    char *data;       /* in one of the set's blocks; NULL: rows come from a function */
    int64_t *start;   /* ragged: [count + 1] start of each row, in elements; also in a block */
    double fill;      /* ragged: value for padding */
    bool pixels;      /* stored as u8; batches have it as f32, divided by 255 */
} situ_column;

/* A stage that changes the first input of each row: options of a built-in one, or a function of the user. */
enum { SITU_CHANNELS = 16 };
typedef struct situ_row_change {
    situ_augment_options o;
    float mean[SITU_CHANNELS], deviation[SITU_CHANNELS]; /* per channel: from o.channels, or o's own values as default */
    situ_row_map_fn map;
    void *self;
} situ_row_change;

struct situ_dataset {
    situ_handle handle;
    char *name;
    int64_t count; /* -1: a stream of unknown length */
    int classes, fields, inputs;
    situ_column field[SITU_FIELDS];
    void *block[2 * SITU_FIELDS]; /* allocations of the columns */
    int blocks, stages;
    situ_row_change *stage;
    situ_row_fn row; /* makes rows; NULL: the columns are in memory */
    void *self;
    int64_t taken;     /* rows of a stream read so far */
    char **token;      /* [classes] vocabulary of a text data set, or names of classes; in a block */
    int tokens;        /* kind of tokens: SITU_CHARACTERS, ... */
    size_t *token_end; /* byte pairs: ends of the tokens, which all are in token[0]; NULL: tokens are zero-terminated */
    situ_pair *pair;   /* byte pairs: [classes - 256] pairs, and a hash table of them */
    int32_t *slot;
};
enum { SITU_CHARACTERS, SITU_WORDS, SITU_PAIRS, SITU_NAMES };

/* A new data set with uninitialised memory for `count` rows; name, dtype, shape and pixels of the columns are taken
 * from `fields`. NULL with an error. */
situ_dataset *situ_dataset_frame(int64_t count, const situ_column *fields, int number, int inputs, int classes, const char *name);
/* The same with one input of f32 and i32 labels; `shape` begins with the number of rows. */
situ_dataset *situ_dataset_make(situ_shape shape, int classes, const char *name);
/* Windows of a sequence of n elements; the caller fills *block with the sequence. NULL with an error. */
situ_dataset *situ_dataset_windows(
    const situ_column *element, int64_t n, int64_t length, int64_t stride, const char *name, char **block, const char *operation);
/* Zeroed memory that lives as long as the set; NULL, without an error, if there is none. */
void *situ_dataset_block(situ_dataset *data, size_t bytes);
/* Checks that labels are from 0 to classes - 1. If classes is 0 and the first target may be labels, counts the
 * classes. On an error frees the set and returns NULL. */
situ_dataset *situ_dataset_checked(situ_dataset *data, const char *operation);
/* Names class i by the last component of path[i]; false, with an error: out of memory. */
bool situ_dataset_names(situ_dataset *data, char *const *path, int count);
/* The i32 labels, or NULL. */
static inline int32_t *situ_dataset_label(const situ_dataset *data)
{
    const situ_column *c = data->fields > data->inputs ? &data->field[data->inputs] : NULL;
    return c && data->classes && c->dtype == SITU_I32 && !c->shape.ndim ? (int32_t *)(void *)c->data : NULL;
}
/* The first input's values, as f32. */
static inline float *situ_dataset_values(const situ_dataset *data) { return (float *)(void *)data->field[0].data; }
/* A text that describes the set, with a hash of the values of some rows and the list of stages. Training goes the same
 * way with any set that has the same text. */
void situ_dataset_describe(const situ_dataset *data, char *text, size_t size);
/* Number of elements of a row. */
int64_t situ_column_count(const situ_column *c);
static inline int64_t situ_column_length(const situ_column *c, int64_t row) { return c->start[row + 1] - c->start[row]; }
/* Called by a loader that no longer needs the set. */
void situ_dataset_let_go(const situ_dataset *data);
/* order[0..n-1] = permutation(key(key)), or of fold_in(key(key), epoch) if epoch >= 0; 0 or a negative code. */
int situ_dataset_order(int64_t key, int64_t epoch, int64_t n, int64_t *order);
/* Reorders rows so that each section of the order has about the same share of each label. */
int situ_dataset_spread(const situ_dataset *data, int64_t *order, int64_t n);

#endif
