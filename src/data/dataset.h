#ifndef SITU_DATA_DATASET_H
#define SITU_DATA_DATASET_H

#include <situ/data.h>

#include "base/handle.h"
#include "data/pairs.h"

/* One input or target of all rows. */
typedef struct situ_column {
    char *name;
    situ_dtype dtype;
    situ_shape shape; /* of one row; ragged: the first dimension is that of the longest */
    int64_t bytes;    /* of one row; ragged: of one element along its first dimension   */
    int64_t pitch;    /* from one row to the next: less than `bytes` where rows overlap */
    char *data;       /* in a block of the set; NULL: rows come from a function         */
    int64_t *start;   /* ragged: where each row starts, in elements, [count + 1]; lies in a block, too */
    double fill;      /* ragged: behind the end of a row                                */
    bool pixels;      /* u8 that batches have as f32, divided by 255                    */
} situ_column;

/* What is done to the first input of a row on its way: the options, or a function of the user's. */
enum { SITU_CHANNELS = 16 };
typedef struct situ_row_change {
    situ_augment_options o;
    float mean[SITU_CHANNELS], deviation[SITU_CHANNELS]; /* of o.channels, with o's own in place of what is not given */
    situ_row_map_fn map;
    void *self;
} situ_row_change;

struct situ_dataset {
    situ_handle handle;
    char *name;
    int64_t count; /* -1: a stream */
    int classes, fields, inputs;
    situ_column field[SITU_FIELDS];
    void *block[2 * SITU_FIELDS]; /* memory of the columns */
    int blocks, stages;
    situ_row_change *stage;
    situ_row_fn row; /* NULL: the columns are in memory */
    void *self;
    int64_t taken;     /* rows of a stream so far */
    char **token;      /* of a text: its vocabulary, `classes` long; or names of classes; lies in a block */
    int tokens;        /* SITU_CHARACTERS, ... */
    size_t *token_end; /* of pairs: one behind a token's last byte, in token[0]; NULL: tokens end with a zero */
    situ_pair *pair;   /* of pairs: classes - 256 of them, and where to find them */
    int32_t *slot;
};
enum { SITU_CHARACTERS, SITU_WORDS, SITU_PAIRS, SITU_NAMES };

/* A frame for values to be filled in: memory for `count` rows of these columns, whose name, dtype, shape and pixels are taken. NULL
 * with an error. */
situ_dataset *situ_dataset_frame(int64_t count, const situ_column *fields, int number, int inputs, int classes, const char *name);
/* The same for one input of f32 and labels of i32; `shape` has the count in front. */
situ_dataset *situ_dataset_make(situ_shape shape, int classes, const char *name);
/* Windows of a sequence of n elements, whose memory is to be filled in: *block. NULL with an error. */
situ_dataset *situ_dataset_windows(
    const situ_column *element, int64_t n, int64_t length, int64_t stride, const char *name, char **block, const char *operation);
/* Zeroed memory that lives as long as the set; NULL without an error. */
void *situ_dataset_block(situ_dataset *data, size_t bytes);
/* Are the labels from 0 to classes - 1? Finds out how many there are where that is 0 and the first target may be labels. Else the
 * set is freed: NULL with an error. */
situ_dataset *situ_dataset_checked(situ_dataset *data, const char *operation);
/* What follows the last slash is the name of class i; false, with an error: no memory. */
bool situ_dataset_names(situ_dataset *data, char *const *path, int count);
/* The labels, i32, or NULL. */
static inline int32_t *situ_dataset_label(const situ_dataset *data)
{
    const situ_column *c = data->fields > data->inputs ? &data->field[data->inputs] : NULL;
    return c && data->classes && c->dtype == SITU_I32 && !c->shape.ndim ? (int32_t *)(void *)c->data : NULL;
}
/* The first input's values, f32. */
static inline float *situ_dataset_values(const situ_dataset *data) { return (float *)(void *)data->field[0].data; }
/* What is in it, in words, and a number by the values of some rows and by how rows are changed on their way: of two sets with the
 * same text a training goes the same way. */
void situ_dataset_describe(const situ_dataset *data, char *text, size_t size);
/* Elements of a row. */
int64_t situ_column_count(const situ_column *c);
static inline int64_t situ_column_length(const situ_column *c, int64_t row) { return c->start[row + 1] - c->start[row]; }
/* A loader needs it no more. */
void situ_dataset_let_go(const situ_dataset *data);
/* order[0..n-1] = permutation(key(key)), or of fold_in(key(key), epoch) for epoch >= 0; 0 or a negative code. */
int situ_dataset_order(int64_t key, int64_t epoch, int64_t n, int64_t *order);
/* Puts rows of like labels far from each other: each stretch of the order has about the same share of each label. */
int situ_dataset_spread(const situ_dataset *data, int64_t *order, int64_t n);

#endif
