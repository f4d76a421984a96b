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

/* Whole slices of x along an axis (default 0): y[..., index, ...]. */
SITU_API situ_tensor *situ_take(situ_tensor *x, situ_tensor *index, const situ_axis_options *options, situ_site site);
/* One element for each index, along an axis (default: the last): y[i, j] = x[i, index[i, j]]. */
SITU_API situ_tensor *situ_gather(situ_tensor *x, situ_tensor *index, const situ_last_axis_options *options, situ_site site);
/* x with y[i, index[i, j]] = value[i, j] (with equal indices the last one counts), or += value[i, j], in order. From 16,384 indices
 * on in f64, since long sums in order are inaccurate. */
SITU_API situ_tensor *situ_scatter(
    situ_tensor *x, situ_tensor *index, situ_tensor *value, const situ_last_axis_options *options, situ_site site);
SITU_API situ_tensor *situ_scatter_add(
    situ_tensor *x, situ_tensor *index, situ_tensor *value, const situ_last_axis_options *options, situ_site site);
/* x with value's slices added to the slices selected by index: the inverse of take, with additions as in scatter_add. */
SITU_API situ_tensor *situ_index_add(
    situ_tensor *x, situ_tensor *index, situ_tensor *value, const situ_axis_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_one_hot_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype; /* = default f32: dtype of the result */
} situ_one_hot_options;
/* A new last axis of n elements: 1 at the index, else 0 (all 0 if it is out of range). */
SITU_API situ_tensor *situ_one_hot(situ_tensor *index, int64_t n, const situ_one_hot_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_sort_options {
    SITU_OPTION_HEAD;
    int32_t axis;    /* = -1: the axis; -1 is the last */
    bool descending; /* = false: from the largest to the smallest */
} situ_sort_options;
/* Sorted elements; and the i64 positions that sort them. The sort is stable, and NaN comes last. */
SITU_API situ_tensor *situ_sort(situ_tensor *x, const situ_sort_options *options, situ_site site);
SITU_API situ_tensor *situ_argsort(situ_tensor *x, const situ_sort_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_topk_options {
    SITU_OPTION_HEAD;
    int32_t axis;          /* = -1: the axis; -1 is the last */
    bool smallest;         /* = false: the k smallest instead of the k largest */
    situ_tensor **indices; /* = none: receives their i64 positions */
} situ_topk_options;
/* The k largest, in descending order. NaN comes last, as in situ_sort. */
SITU_API situ_tensor *situ_topk(situ_tensor *x, int64_t k, const situ_topk_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_search_options {
    SITU_OPTION_HEAD;
    bool right; /* = false: the position after equal elements instead of before them */
} situ_search_options;
/* The position at which each value has to be inserted into an ascending vector to keep it sorted: the number of its elements < (or
 * <=) the value. */
SITU_API situ_tensor *situ_searchsorted(
    situ_tensor *sorted, situ_tensor *values, const situ_search_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_isin_options {
    SITU_OPTION_HEAD;
    bool invert; /* = false: returns whether it is none of them */
} situ_isin_options;
/* True for each element of x that is one of the values; NaN never is. */
SITU_API situ_tensor *situ_isin(situ_tensor *x, situ_tensor *values, const situ_isin_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_bincount_options {
    SITU_OPTION_HEAD;
    situ_tensor *weights; /* = none: added instead of 1, in the shape of x */
    int64_t least;        /* = 0 in [0, inf): least number of results */
    int64_t count;        /* = -1 in [-1, inf): exact number of results, which avoids waiting; -1: one more than the largest element
                           */
} situ_bincount_options;
/* How often each integer from 0 on occurs, i64; with weights the sum of their weights. Negative integers, and those beyond .count,
 * are errors at the next barrier. Without .count the largest one is read, which waits. */
SITU_API situ_tensor *situ_bincount(situ_tensor *x, const situ_bincount_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_histogram_options {
    SITU_OPTION_HEAD;
    double low;           /* = 0: where the first bin begins ... */
    double high;          /* = 0: ... and the last one ends; both 0: at the smallest and the largest element */
    situ_tensor *weights; /* = none: added instead of 1, in the shape of x */
    bool density;         /* = false: divided by width and sum, so that the integral is 1 */
    situ_tensor **edges;  /* = none: receives the bins + 1 edges */
} situ_histogram_options;
/* The number of elements in each of `bins` equal bins, i64; with weights the sum of their weights. The last bin includes its upper
 * edge; elements outside are not counted. Only weights have a gradient. */
SITU_API situ_tensor *situ_histogram(situ_tensor *x, int64_t bins, const situ_histogram_options *options, situ_site site);

/* The shapes of these results depend on the data, so these functions wait: they compute, count, and return stored tensors. With
 * .count, the number of results, they stay pending, and .fill fills unused places. */
typedef struct SITU_BY_NAME situ_places_options {
    SITU_OPTION_HEAD;
    int64_t count; /* = -1 in [-1, inf): number of results; -1: as many as there are */
    int64_t fill;  /* = 0: fills unused places */
} situ_places_options;
typedef struct SITU_BY_NAME situ_unique_options {
    SITU_OPTION_HEAD;
    int64_t count;         /* = -1 in [-1, inf): number of results; -1: as many as there are */
    situ_tensor **index;   /* = none: receives the first positions, i64 */
    situ_tensor **inverse; /* = none: receives the positions in y: x = y[inverse] */
    situ_tensor **counts;  /* = none: receives how often each occurs */
    int32_t axis;          /* = all: axis whose slices are compared; all: the flattened tensor */
} situ_unique_options;
/* Positions of the elements that are not 0, in row-major order: i64[count, ndim]. */
SITU_API situ_tensor *situ_nonzero(situ_tensor *x, const situ_places_options *options, situ_site site);
/* The elements (leading axes as mask has them) where mask is true: x[mask]. */
SITU_API situ_tensor *situ_masked(situ_tensor *x, situ_tensor *mask, const situ_places_options *options, situ_site site);
/* The distinct elements in ascending order (complex: by real, then imaginary part); a larger fixed count repeats the first (0 if
 * there is none). NaNs are all distinct. Along an axis: the distinct slices, sorted lexicographically. */
SITU_API situ_tensor *situ_unique(situ_tensor *x, const situ_unique_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_repeat_each_options {
    SITU_OPTION_HEAD;
    int32_t axis;  /* = 0: the axis */
    int64_t total; /* = -1 in [-1, inf): the sum of the counts, if known, which avoids waiting; -1: unknown */
} situ_repeat_each_options;
/* Repeats slice i along an axis counts[i] times: non-negative integers, one for each slice. */
SITU_API situ_tensor *situ_repeat_each(
    situ_tensor *x, situ_tensor *counts, const situ_repeat_each_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/index.h>

#endif
