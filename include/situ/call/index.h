/* Calls of situ/index.h. Made by scripts/generate.py from include/situ/index.h: change that. */
#ifndef SITU_CALL_INDEX_H
#define SITU_CALL_INDEX_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_ONE_HOT_DEFAULTS (.dtype = SITU_DTYPE_DEFAULT,)
#define SITU_SORT_DEFAULTS (.axis = -1,)
#define SITU_TOPK_DEFAULTS (.axis = -1,)
#define SITU_SEARCH_DEFAULTS ()
#define SITU_ISIN_DEFAULTS ()
#define SITU_BINCOUNT_DEFAULTS (.count = -1,)
#define SITU_HISTOGRAM_DEFAULTS ()
#define SITU_PLACES_DEFAULTS (.count = -1,)
#define SITU_UNIQUE_DEFAULTS (.count = -1, .axis = SITU_ALL_AXES,)
#define SITU_REPEAT_EACH_DEFAULTS (.total = -1,)

#ifndef __cplusplus
#define situ_take(...) situ_take_(__VA_ARGS__, )
#define situ_take_(x, index, ...) \
    SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_take, (SITU_OPERAND(x), SITU_OPERAND(index),), \
    "situ_take(x, index, .axis = ...)", __VA_ARGS__)
#define situ_gather(...) situ_gather_(__VA_ARGS__, )
#define situ_gather_(x, index, ...) \
    SITU_OPTIONS_(situ_last_axis_options, SITU_LAST_AXIS_DEFAULTS, situ_gather, (SITU_OPERAND(x), \
    SITU_OPERAND(index),), "situ_gather(x, index, .axis = ...)", __VA_ARGS__)
#define situ_scatter(...) situ_scatter_(__VA_ARGS__, )
#define situ_scatter_(x, index, value, ...) \
    SITU_OPTIONS_(situ_last_axis_options, SITU_LAST_AXIS_DEFAULTS, situ_scatter, (SITU_OPERAND(x), \
    SITU_OPERAND(index), SITU_OPERAND(value),), "situ_scatter(x, index, value, .axis = ...)", __VA_ARGS__)
#define situ_scatter_add(...) situ_scatter_add_(__VA_ARGS__, )
#define situ_scatter_add_(x, index, value, ...) \
    SITU_OPTIONS_(situ_last_axis_options, SITU_LAST_AXIS_DEFAULTS, situ_scatter_add, (SITU_OPERAND(x), \
    SITU_OPERAND(index), SITU_OPERAND(value),), "situ_scatter_add(x, index, value, .axis = ...)", __VA_ARGS__)
#define situ_index_add(...) situ_index_add_(__VA_ARGS__, )
#define situ_index_add_(x, index, value, ...) \
    SITU_OPTIONS_(situ_axis_options, SITU_AXIS_DEFAULTS, situ_index_add, (SITU_OPERAND(x), SITU_OPERAND(index), \
    SITU_OPERAND(value),), "situ_index_add(x, index, value, .axis = ...)", __VA_ARGS__)
#define situ_one_hot(...) situ_one_hot_(__VA_ARGS__, )
#define situ_one_hot_(index, n, ...) \
    SITU_OPTIONS_(situ_one_hot_options, SITU_ONE_HOT_DEFAULTS, situ_one_hot, (SITU_OPERAND(index), SITU_INTEGER(n),), \
    "situ_one_hot(index, n, .dtype = ...)", __VA_ARGS__)
#define situ_sort(...) situ_sort_(__VA_ARGS__, )
#define situ_sort_(x, ...) \
    SITU_OPTIONS_(situ_sort_options, SITU_SORT_DEFAULTS, situ_sort, (SITU_OPERAND(x),), \
    "situ_sort(x, .axis = ..., .descending = ...)", __VA_ARGS__)
#define situ_argsort(...) situ_argsort_(__VA_ARGS__, )
#define situ_argsort_(x, ...) \
    SITU_OPTIONS_(situ_sort_options, SITU_SORT_DEFAULTS, situ_argsort, (SITU_OPERAND(x),), \
    "situ_argsort(x, .axis = ..., .descending = ...)", __VA_ARGS__)
#define situ_topk(...) situ_topk_(__VA_ARGS__, )
#define situ_topk_(x, k, ...) \
    SITU_OPTIONS_(situ_topk_options, SITU_TOPK_DEFAULTS, situ_topk, (SITU_OPERAND(x), SITU_INTEGER(k),), \
    "situ_topk(x, k, .axis = ..., .smallest = ..., .indices = ...)", __VA_ARGS__)
#define situ_searchsorted(...) situ_searchsorted_(__VA_ARGS__, )
#define situ_searchsorted_(sorted, values, ...) \
    SITU_OPTIONS_(situ_search_options, SITU_SEARCH_DEFAULTS, situ_searchsorted, (SITU_OPERAND(sorted), \
    SITU_OPERAND(values),), "situ_searchsorted(sorted, values, .right = ...)", __VA_ARGS__)
#define situ_isin(...) situ_isin_(__VA_ARGS__, )
#define situ_isin_(x, values, ...) \
    SITU_OPTIONS_(situ_isin_options, SITU_ISIN_DEFAULTS, situ_isin, (SITU_OPERAND(x), SITU_OPERAND(values),), \
    "situ_isin(x, values, .invert = ...)", __VA_ARGS__)
#define situ_bincount(...) situ_bincount_(__VA_ARGS__, )
#define situ_bincount_(x, ...) \
    SITU_OPTIONS_(situ_bincount_options, SITU_BINCOUNT_DEFAULTS, situ_bincount, (SITU_OPERAND(x),), \
    "situ_bincount(x, .weights = ..., .least = ..., .count = ...)", __VA_ARGS__)
#define situ_histogram(...) situ_histogram_(__VA_ARGS__, )
#define situ_histogram_(x, bins, ...) \
    SITU_OPTIONS_(situ_histogram_options, SITU_HISTOGRAM_DEFAULTS, situ_histogram, (SITU_OPERAND(x), \
    SITU_INTEGER(bins),), "situ_histogram(x, bins, .low = ..., .high = ..., .weights = ..., ...)", __VA_ARGS__)
#define situ_nonzero(...) situ_nonzero_(__VA_ARGS__, )
#define situ_nonzero_(x, ...) \
    SITU_OPTIONS_(situ_places_options, SITU_PLACES_DEFAULTS, situ_nonzero, (SITU_OPERAND(x),), \
    "situ_nonzero(x, .count = ..., .fill = ...)", __VA_ARGS__)
#define situ_masked(...) situ_masked_(__VA_ARGS__, )
#define situ_masked_(x, mask, ...) \
    SITU_OPTIONS_(situ_places_options, SITU_PLACES_DEFAULTS, situ_masked, (SITU_OPERAND(x), SITU_OPERAND(mask),), \
    "situ_masked(x, mask, .count = ..., .fill = ...)", __VA_ARGS__)
#define situ_unique(...) situ_unique_(__VA_ARGS__, )
#define situ_unique_(x, ...) \
    SITU_OPTIONS_(situ_unique_options, SITU_UNIQUE_DEFAULTS, situ_unique, (SITU_OPERAND(x),), \
    "situ_unique(x, .count = ..., .index = ..., .inverse = ..., ...)", __VA_ARGS__)
#define situ_repeat_each(...) situ_repeat_each_(__VA_ARGS__, )
#define situ_repeat_each_(x, counts, ...) \
    SITU_OPTIONS_(situ_repeat_each_options, SITU_REPEAT_EACH_DEFAULTS, situ_repeat_each, (SITU_OPERAND(x), \
    SITU_OPERAND(counts),), "situ_repeat_each(x, counts, .axis = ..., .total = ...)", __VA_ARGS__)
#endif

#endif
