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
SITU_API situ_tensor *situ_scatter(situ_tensor *x, situ_tensor *index, situ_tensor *value,
                                   const situ_last_axis_options *options, situ_site site);
SITU_API situ_tensor *situ_scatter_add(situ_tensor *x, situ_tensor *index, situ_tensor *value,
                                       const situ_last_axis_options *options, situ_site site);
/* x with value's slices added to the slices that index names: the reverse of take, added as scatter_add adds. */
SITU_API situ_tensor *situ_index_add(situ_tensor *x, situ_tensor *index, situ_tensor *value,
                                     const situ_axis_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_one_hot_options {
    SITU_OPTION_HEAD;
    situ_dtype dtype; /* default f32 */
} situ_one_hot_options;
#define SITU_ONE_HOT_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT,)
/* A new last axis of n: 1 at the index, else 0 (everywhere if it is out of range). */
SITU_API situ_tensor *situ_one_hot(situ_tensor *index, int64_t n, const situ_one_hot_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_sort_options {
    SITU_OPTION_HEAD;
    int32_t axis;    /* default: the last */
    bool descending;
} situ_sort_options;
#define SITU_SORT_DEFAULTS (.axis = -1,)
/* In order, and the i64 positions that bring them there. Equal elements keep their order, NaN comes last. */
SITU_API situ_tensor *situ_sort(situ_tensor *x, const situ_sort_options *options, situ_site site);
SITU_API situ_tensor *situ_argsort(situ_tensor *x, const situ_sort_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_topk_options {
    SITU_OPTION_HEAD;
    int32_t axis;          /* default: the last                                 */
    bool smallest;         /* the k smallest instead of the k largest           */
    situ_tensor **indices; /* where to put their i64 positions; may be NULL     */
} situ_topk_options;
#define SITU_TOPK_DEFAULTS (.axis = -1,)
/* The k largest, in descending order. */
SITU_API situ_tensor *situ_topk(situ_tensor *x, int64_t k, const situ_topk_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_search_options {
    SITU_OPTION_HEAD;
    bool right; /* after equal ones instead of before them */
} situ_search_options;
#define SITU_SEARCH_DEFAULTS ()
/* Where each value would go in an ascending vector to keep it so: the number of its elements < (or <=) the value. */
SITU_API situ_tensor *situ_searchsorted(situ_tensor *sorted, situ_tensor *values, const situ_search_options *options,
                                        situ_site site);

typedef struct SITU_BY_NAME situ_isin_options {
    SITU_OPTION_HEAD;
    bool invert; /* whether it is none of them */
} situ_isin_options;
#define SITU_ISIN_DEFAULTS ()
/* Whether each element of x is one of the values, bool; NaN is not. */
SITU_API situ_tensor *situ_isin(situ_tensor *x, situ_tensor *values, const situ_isin_options *options, situ_site site);

/* The shape of these depends on the data: they are barriers (they compute, count, and return stored tensors), unless
 * .count says how many there are to be: then they stay pending, and `fill` takes the places that are left. */
typedef struct SITU_BY_NAME situ_find_options {
    SITU_OPTION_HEAD;
    int64_t count;         /* default: as many as there are */
    int64_t fill;          /* nonzero: default 0            */
    situ_tensor **index;   /* unique: first positions       */
    situ_tensor **inverse; /* unique: x = y[inverse]        */
    situ_tensor **counts;  /* unique: how often             */
} situ_find_options;
#define SITU_FIND_DEFAULTS (.count = -1,)
#ifndef __cplusplus
/* As far as they mean something to nonzero and masked, and to unique. */
typedef struct SITU_BY_NAME situ_places_options {
    SITU_OPTION_HEAD;
    int64_t count, fill;
    situ_tensor **not_an_option_1, **not_an_option_2, **not_an_option_3;
} situ_places_options;
typedef struct SITU_BY_NAME situ_unique_options {
    SITU_OPTION_HEAD;
    int64_t count, not_an_option_1;
    situ_tensor **index, **inverse, **counts;
} situ_unique_options;
#endif
/* Positions of the elements that are not 0, in row-major order: i64[count, ndim]. */
SITU_API situ_tensor *situ_nonzero(situ_tensor *x, const situ_find_options *options, situ_site site);
/* The elements (leading axes as mask has them) where mask is true: x[mask]. */
SITU_API situ_tensor *situ_masked(situ_tensor *x, situ_tensor *mask, const situ_find_options *options, situ_site site);
/* The different elements in ascending order (complex: by real, then imaginary part); a fixed count beyond them repeats the
 * first. NaNs are all different. */
SITU_API situ_tensor *situ_unique(situ_tensor *x, const situ_find_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_repeat_each_options {
    SITU_OPTION_HEAD;
    int32_t axis;  /* default: the first                                     */
    int64_t total; /* the sum of the counts, if it is known: no barrier then */
} situ_repeat_each_options;
#define SITU_REPEAT_EACH_DEFAULTS (.total = -1,)
/* Slice i along an axis counts[i] times: integers, not negative, as many as the axis is long. */
SITU_API situ_tensor *situ_repeat_each(situ_tensor *x, situ_tensor *counts, const situ_repeat_each_options *options, situ_site site);

#ifndef __cplusplus
#define situ_take(x, ...) situ_take_(x, __VA_ARGS__, )
#define situ_take_(x, index, ...) \
    SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_take, (SITU_OPERAND(x), SITU_OPERAND(index)), __VA_ARGS__)
#define situ_gather(x, ...) situ_gather_(x, __VA_ARGS__, )
#define situ_gather_(x, index, ...) \
    SITU_OPTIONS_(situ_last_axis_options, SITU_LAST_AXIS_DEFAULTS, situ_gather, (SITU_OPERAND(x), SITU_OPERAND(index)), __VA_ARGS__)
#define SITU_SCATTER_(T, defaults, name, x, index, value, ...) \
    SITU_OPTIONS_(T, defaults, name, (SITU_OPERAND(x), SITU_OPERAND(index), SITU_OPERAND(value)), __VA_ARGS__)
#define situ_scatter(...) SITU_SCATTER_(situ_last_axis_options, SITU_LAST_AXIS_DEFAULTS, situ_scatter, __VA_ARGS__, )
#define situ_scatter_add(...) SITU_SCATTER_(situ_last_axis_options, SITU_LAST_AXIS_DEFAULTS, situ_scatter_add, __VA_ARGS__, )
#define situ_index_add(...) SITU_SCATTER_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_index_add, __VA_ARGS__, )
#define situ_one_hot(index, ...) situ_one_hot_(index, __VA_ARGS__, )
#define situ_one_hot_(index, n, ...) \
    SITU_OPTIONS_(situ_one_hot_options, SITU_ONE_HOT_DEFAULTS, situ_one_hot, (SITU_OPERAND(index), SITU_INTEGER(n)), __VA_ARGS__)
#define SITU_SORT_(name, x, ...) SITU_OPTIONS_(situ_sort_options, SITU_SORT_DEFAULTS, name, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_sort(...) SITU_SORT_(situ_sort, __VA_ARGS__, )
#define situ_argsort(...) SITU_SORT_(situ_argsort, __VA_ARGS__, )
#define situ_topk(x, ...) situ_topk_(x, __VA_ARGS__, )
#define situ_topk_(x, k, ...) \
    SITU_OPTIONS_(situ_topk_options, SITU_TOPK_DEFAULTS, situ_topk, (SITU_OPERAND(x), SITU_INTEGER(k)), __VA_ARGS__)
#define situ_searchsorted(sorted, ...) situ_searchsorted_(sorted, __VA_ARGS__, )
#define situ_searchsorted_(sorted, values, ...) \
    SITU_OPTIONS_(situ_search_options, SITU_SEARCH_DEFAULTS, situ_searchsorted, (SITU_OPERAND(sorted), SITU_OPERAND(values)), __VA_ARGS__)
#define situ_isin(x, ...) situ_isin_(x, __VA_ARGS__, )
#define situ_isin_(x, values, ...) \
    SITU_OPTIONS_(situ_isin_options, SITU_ISIN_DEFAULTS, situ_isin, (SITU_OPERAND(x), SITU_OPERAND(values)), __VA_ARGS__)
#define situ_repeat_each(x, ...) situ_repeat_each_(x, __VA_ARGS__, )
#define situ_repeat_each_(x, counts, ...) \
    SITU_OPTIONS_(situ_repeat_each_options, SITU_REPEAT_EACH_DEFAULTS, situ_repeat_each, (SITU_OPERAND(x), SITU_OPERAND(counts)), __VA_ARGS__)
#define situ_nonzero(...) situ_nonzero_(__VA_ARGS__, )
#define situ_nonzero_(x, ...) SITU_OPTIONS_AS_(situ_places_options, situ_find_options, SITU_FIND_DEFAULTS, situ_nonzero, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_masked(x, ...) situ_masked_(x, __VA_ARGS__, )
#define situ_masked_(x, mask, ...) \
    SITU_OPTIONS_AS_(situ_places_options, situ_find_options, SITU_FIND_DEFAULTS, situ_masked, (SITU_OPERAND(x), SITU_OPERAND(mask)), __VA_ARGS__)
#define situ_unique(...) situ_unique_(__VA_ARGS__, )
#define situ_unique_(x, ...) SITU_OPTIONS_AS_(situ_unique_options, situ_find_options, SITU_FIND_DEFAULTS, situ_unique, (SITU_OPERAND(x)), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif
