/* Elements by their positions, and the order of elements.
 *
 *     situ_tensor *rows = situ_take(table, words);                     // table[words]
 *     situ_tensor *best, *where;
 *     best = situ_topk(scores, 5, .indices = &where);
 *
 * Indices have any integer dtype; negative ones count from the end. One out of range gives 0 (NaN for floats), changes
 * nothing where it would write, and is an error at the next barrier that names the operation and its line.
 */
#ifndef SITU_INDEX_H
#define SITU_INDEX_H

#include <situ/move.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Slices of x along an axis (default 0), whole: y[..., index, ...]. */
SITU_API situ_tensor *situ_take(situ_tensor *x, situ_tensor *index, const situ_axis_options *options, situ_site site);
/* One element for each index, along an axis (default: the last): y[i, j] = x[i, index[i, j]]. */
SITU_API situ_tensor *situ_gather(situ_tensor *x, situ_tensor *index, const situ_last_axis_options *options, situ_site site);
/* x with y[i, index[i, j]] = value[i, j] (of equal indices the last one counts), or += value[i, j], in order;
 * in f64 from 16,384 indices on, as sums in order drift. */
SITU_API situ_tensor *situ_scatter(
    situ_tensor *x, situ_tensor *index, situ_tensor *value, const situ_last_axis_options *options, situ_site site);
SITU_API situ_tensor *situ_scatter_add(
    situ_tensor *x, situ_tensor *index, situ_tensor *value, const situ_last_axis_options *options, situ_site site);
/* x with value's slices added to the slices that index names: the reverse of take, added as scatter_add adds. */
SITU_API situ_tensor *situ_index_add(
    situ_tensor *x, situ_tensor *index, situ_tensor *value, const situ_axis_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_one_hot_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype; /* = default f32: of the result */
} situ_one_hot_options;
/* A new last axis of n: 1 at the index, else 0 (everywhere if it is out of range). */
SITU_API situ_tensor *situ_one_hot(situ_tensor *index, int64_t n, const situ_one_hot_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_sort_options {
    SITU_OPTION_HEAD;
    int32_t axis;    /* = -1: along which; -1 is the last */
    bool descending; /* = false: from the largest to the smallest */
} situ_sort_options;
/* In order, and the i64 positions that bring them there. Equal elements keep their order, NaN comes last. */
SITU_API situ_tensor *situ_sort(situ_tensor *x, const situ_sort_options *options, situ_site site);
SITU_API situ_tensor *situ_argsort(situ_tensor *x, const situ_sort_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_topk_options {
    SITU_OPTION_HEAD;
    int32_t axis;          /* = -1: along which; -1 is the last */
    bool smallest;         /* = false: the k smallest instead of the k largest */
    situ_tensor **indices; /* = none: where to put their i64 positions */
} situ_topk_options;
/* The k largest, in descending order. NaN comes last, as in situ_sort. */
SITU_API situ_tensor *situ_topk(situ_tensor *x, int64_t k, const situ_topk_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_search_options {
    SITU_OPTION_HEAD;
    bool right; /* = false: after equal ones instead of before them */
} situ_search_options;
/* Where each value would go in an ascending vector to keep it so: the number of its elements < (or <=) the value. */
SITU_API situ_tensor *situ_searchsorted(
    situ_tensor *sorted, situ_tensor *values, const situ_search_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_isin_options {
    SITU_OPTION_HEAD;
    bool invert; /* = false: whether it is none of them */
} situ_isin_options;
/* Whether each element of x is one of the values, bool; NaN is not. */
SITU_API situ_tensor *situ_isin(situ_tensor *x, situ_tensor *values, const situ_isin_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_bincount_options {
    SITU_OPTION_HEAD;
    situ_tensor *weights; /* = none: added instead of 1, in the shape of x */
    int64_t least;        /* = 0 in [0, inf): at least so many results */
    int64_t count;        /* = -1 in [-1, inf): exactly so many, without a barrier; -1: as the largest of x says */
} situ_bincount_options;
/* How often each integer from 0 on is there, i64; with weights their sums. Negative ones, and those beyond .count, are errors at
 * the next barrier. Without .count the largest one is read: a barrier. */
SITU_API situ_tensor *situ_bincount(situ_tensor *x, const situ_bincount_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_histogram_options {
    SITU_OPTION_HEAD;
    double low;           /* = 0: where the first bin begins ... */
    double high;          /* = 0: ... and the last one ends; both 0: at the smallest and the largest element */
    situ_tensor *weights; /* = none: added instead of 1, in the shape of x */
    bool density;         /* = false: divided by width and sum, so that the integral is 1 */
    situ_tensor **edges;  /* = none: where to put the bins + 1 edges */
} situ_histogram_options;
/* How many elements are in each of `bins` equal bins, i64; with weights their sums. The last bin has its upper edge too; what is
 * outside is not counted. Gradients go to weights alone. */
SITU_API situ_tensor *situ_histogram(situ_tensor *x, int64_t bins, const situ_histogram_options *options, situ_site site);

/* The shape of these depends on the data: they are barriers (they compute, count, and return stored tensors), unless
 * .count says how many there are to be: then they stay pending, and .fill takes the places that are left. */
typedef struct SITU_BY_NAME situ_places_options {
    SITU_OPTION_HEAD;
    int64_t count; /* = -1 in [-1, inf): how many there are to be; -1: as many as there are */
    int64_t fill;  /* = 0: takes the places that are left */
} situ_places_options;
typedef struct SITU_BY_NAME situ_unique_options {
    SITU_OPTION_HEAD;
    int64_t count;         /* = -1 in [-1, inf): how many there are to be; -1: as many as there are */
    situ_tensor **index;   /* = none: where to put the first positions, i64 */
    situ_tensor **inverse; /* = none: where to put the positions in y: x = y[inverse] */
    situ_tensor **counts;  /* = none: where to put how often each is there */
    int32_t axis;          /* = all: along which whole slices are compared; all: the flattened tensor */
} situ_unique_options;
/* Positions of the elements that are not 0, in row-major order: i64[count, ndim]. */
SITU_API situ_tensor *situ_nonzero(situ_tensor *x, const situ_places_options *options, situ_site site);
/* The elements (leading axes as mask has them) where mask is true: x[mask]. */
SITU_API situ_tensor *situ_masked(situ_tensor *x, situ_tensor *mask, const situ_places_options *options, situ_site site);
/* The different elements in ascending order (complex: by real, then imaginary part); a fixed count beyond them repeats the
 * first (0 where there is none). NaNs are all different. Along an axis: the different slices, in the order of their first
 * elements that differ. */
SITU_API situ_tensor *situ_unique(situ_tensor *x, const situ_unique_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_repeat_each_options {
    SITU_OPTION_HEAD;
    int32_t axis;  /* = 0: along which */
    int64_t total; /* = -1 in [-1, inf): the sum of the counts, if it is known: no barrier then; -1: unknown */
} situ_repeat_each_options;
/* Slice i along an axis counts[i] times: integers, not negative, as many as the axis is long. */
SITU_API situ_tensor *situ_repeat_each(
    situ_tensor *x, situ_tensor *counts, const situ_repeat_each_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/index.h>

#endif
