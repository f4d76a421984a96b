/* situ/index.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

MADE(take)
{
    TAKE("take", 3, 2, 3, {"x", "index", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *index_ = arg_tensor(c, 1);
    situ_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 2, 0);
    return call_end(c, c->failed ? NULL : (situ_take)(x_, index_, &o, c->site));
}

MADE(gather)
{
    TAKE("gather", 3, 2, 2, {"x", "index", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *index_ = arg_tensor(c, 1);
    situ_last_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 2, -1);
    return call_end(c, c->failed ? NULL : (situ_gather)(x_, index_, &o, c->site));
}

MADE(scatter)
{
    TAKE("scatter", 4, 3, 3, {"x", "index", "value", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *index_ = arg_tensor(c, 1);
    situ_tensor *value_ = arg_tensor(c, 2);
    situ_last_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 3, -1);
    return call_end(c, c->failed ? NULL : (situ_scatter)(x_, index_, value_, &o, c->site));
}

MADE(scatter_add)
{
    TAKE("scatter_add", 4, 3, 3, {"x", "index", "value", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *index_ = arg_tensor(c, 1);
    situ_tensor *value_ = arg_tensor(c, 2);
    situ_last_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 3, -1);
    return call_end(c, c->failed ? NULL : (situ_scatter_add)(x_, index_, value_, &o, c->site));
}

MADE(index_add)
{
    TAKE("index_add", 4, 3, 3, {"x", "index", "value", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *index_ = arg_tensor(c, 1);
    situ_tensor *value_ = arg_tensor(c, 2);
    situ_axis_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 3, 0);
    return call_end(c, c->failed ? NULL : (situ_index_add)(x_, index_, value_, &o, c->site));
}

MADE(one_hot)
{
    TAKE("one_hot", 3, 2, 3, {"index", "n", "dtype"}, {NULL});
    situ_tensor *index_ = arg_tensor(c, 0);
    int64_t n_ = arg_int(c, 1, 0);
    situ_one_hot_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 2);
    return call_end(c, c->failed ? NULL : (situ_one_hot)(index_, n_, &o, c->site));
}

MADE(sort)
{
    TAKE("sort", 3, 1, 3, {"x", "axis", "descending"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_sort_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 1, -1);
    o.descending = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_sort)(x_, &o, c->site));
}

MADE(argsort)
{
    TAKE("argsort", 3, 1, 3, {"x", "axis", "descending"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_sort_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 1, -1);
    o.descending = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_argsort)(x_, &o, c->site));
}

MADE(topk)
{
    TAKE("topk", 4, 2, 2, {"x", "k", "axis", "smallest"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t k_ = arg_int(c, 1, 0);
    situ_tensor *part[2] = {NULL};
    situ_topk_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .indices = &part[1]};
    o.axis = arg_int32(c, 2, -1);
    o.smallest = arg_bool(c, 3, false);
    if (!c->failed) part[0] = (situ_topk)(x_, k_, &o, c->site);
    return call_end_tuple(c, part, 2);
}

MADE(searchsorted)
{
    TAKE("searchsorted", 3, 2, 3, {"sorted", "values", "right"}, {NULL});
    situ_tensor *sorted_ = arg_tensor(c, 0);
    situ_tensor *values_ = arg_tensor(c, 1);
    situ_search_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.right = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_searchsorted)(sorted_, values_, &o, c->site));
}

MADE(isin)
{
    TAKE("isin", 3, 2, 3, {"x", "values", "invert"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *values_ = arg_tensor(c, 1);
    situ_isin_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.invert = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_isin)(x_, values_, &o, c->site));
}

MADE(bincount)
{
    TAKE("bincount", 4, 1, 1, {"x", "weights", "least", "count"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_bincount_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.weights = arg_optional(c, 1);
    o.least = arg_int(c, 2, 0);
    o.count = arg_int(c, 3, -1);
    return call_end(c, c->failed ? NULL : (situ_bincount)(x_, &o, c->site));
}

MADE(histogram)
{
    TAKE("histogram", 6, 2, 6, {"x", "bins", "low", "high", "weights", "density"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t bins_ = arg_int(c, 1, 0);
    situ_tensor *part[2] = {NULL};
    situ_histogram_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .edges = &part[1]};
    o.low = arg_double(c, 2, 0);
    o.high = arg_double(c, 3, 0);
    o.weights = arg_optional(c, 4);
    o.density = arg_bool(c, 5, false);
    if (!c->failed) part[0] = (situ_histogram)(x_, bins_, &o, c->site);
    return call_end_tuple(c, part, 2);
}

MADE(nonzero)
{
    TAKE("nonzero", 3, 1, 3, {"x", "count", "fill"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_places_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.count = arg_int(c, 1, -1);
    o.fill = arg_int(c, 2, 0);
    return call_end(c, c->failed ? NULL : (situ_nonzero)(x_, &o, c->site));
}

MADE(masked)
{
    TAKE("masked", 4, 2, 4, {"x", "mask", "count", "fill"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *mask_ = arg_tensor(c, 1);
    situ_places_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.count = arg_int(c, 2, -1);
    o.fill = arg_int(c, 3, 0);
    return call_end(c, c->failed ? NULL : (situ_masked)(x_, mask_, &o, c->site));
}

MADE(unique)
{
    TAKE("unique", 3, 1, 3, {"x", "count", "axis"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *part[4] = {NULL};
    situ_unique_options o = {.size = sizeof o, .unnamed = SITU_NAMED, .index = &part[1], .inverse = &part[2], .counts = &part[3]};
    o.count = arg_int(c, 1, -1);
    o.axis = arg_int32(c, 2, SITU_ALL_AXES);
    if (!c->failed) part[0] = (situ_unique)(x_, &o, c->site);
    return call_end_tuple(c, part, 4);
}

MADE(repeat_each)
{
    TAKE("repeat_each", 4, 2, 4, {"x", "counts", "axis", "total"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *counts_ = arg_tensor(c, 1);
    situ_repeat_each_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 2, 0);
    o.total = arg_int(c, 3, -1);
    return call_end(c, c->failed ? NULL : (situ_repeat_each)(x_, counts_, &o, c->site));
}

PyMethodDef made_index_methods[] = {
    MADE_ROW(take, take,
        "take(x, index, axis=0)\n--\n\nWhole slices of x along an axis (default 0): y[..., index, ...].\n\naxis: "
        "the axis"),
    MADE_ROW(gather, gather,
        "gather(x, index, *, axis=-1)\n--\n\nOne element for each index, along an axis (default: the last): y[i, j] "
        "= x[i, index[i, j]].\n\naxis: the axis; -1 is the last"),
    MADE_ROW(scatter, scatter,
        "scatter(x, index, value, *, axis=-1)\n--\n\nscatter, scatter_add: x with y[i, index[i, j]] = value[i, j] "
        "(with equal indices the last one counts), or += value[i, j], in order. From 16,384 indices\non in f64, "
        "since long sums in order are inaccurate.\n\naxis: the axis; -1 is the last"),
    MADE_ROW(scatter_add, scatter_add,
        "scatter_add(x, index, value, *, axis=-1)\n--\n\nscatter, scatter_add: x with y[i, index[i, j]] = value[i, "
        "j] (with equal indices the last one counts), or += value[i, j], in order. From 16,384 indices\non in f64, "
        "since long sums in order are inaccurate.\n\naxis: the axis; -1 is the last"),
    MADE_ROW(index_add, index_add,
        "index_add(x, index, value, *, axis=0)\n--\n\nx with value's slices added to the slices selected by index: "
        "the inverse of take, with additions as in scatter_add.\n\naxis: the axis"),
    MADE_ROW(one_hot, one_hot,
        "one_hot(index, n, dtype=None)\n--\n\nA new last axis of n elements: 1 at the index, else 0 (all 0 if it is "
        "out of range).\n\ndtype: dtype of the result"),
    MADE_ROW(sort, sort,
        "sort(x, axis=-1, descending=False)\n--\n\nsort, argsort: Sorted elements; and the i64 positions that sort "
        "them. The sort is stable, and NaN comes last.\n\naxis: the axis; -1 is the last\ndescending: from the "
        "largest to the smallest"),
    MADE_ROW(argsort, argsort,
        "argsort(x, axis=-1, descending=False)\n--\n\nsort, argsort: Sorted elements; and the i64 positions that "
        "sort them. The sort is stable, and NaN comes last.\n\naxis: the axis; -1 is the last\ndescending: from the "
        "largest to the smallest"),
    MADE_ROW(topk, topk,
        "topk(x, k, *, axis=-1, smallest=False)\n--\n\nThe k largest, in descending order. NaN comes last, as in "
        "sort.\n\naxis: the axis; -1 is the last\nsmallest: the k smallest instead of the k largest"),
    MADE_ROW(searchsorted, searchsorted,
        "searchsorted(sorted, values, right=False)\n--\n\nThe position at which each value has to be inserted into "
        "an ascending vector to keep it sorted: the number of its elements < (or\n<=) the value.\n\nright: the "
        "position after equal elements instead of before them"),
    MADE_ROW(isin, isin,
        "isin(x, values, invert=False)\n--\n\nTrue for each element of x that is one of the values; NaN never is.\n"
        "\ninvert: returns whether it is none of them"),
    MADE_ROW(bincount, bincount,
        "bincount(x, *, weights=None, least=0, count=-1)\n--\n\nHow often each integer from 0 on occurs, i64; with "
        "weights the sum of their weights. Negative integers, and those beyond count,\nare errors at the next "
        "barrier. Without count the largest one is read, which waits.\n\nweights: added instead of 1, in the shape "
        "of x\nleast: least number of results\ncount: exact number of results, which avoids waiting; -1: one more "
        "than the largest element"),
    MADE_ROW(histogram, histogram,
        "histogram(x, bins, low=0.0, high=0.0, weights=None, density=False)\n--\n\nThe number of elements in each "
        "of `bins` equal bins, i64; with weights the sum of their weights. The last bin includes its upper\nedge; "
        "elements outside are not counted. Only weights have a gradient.\n\nlow: where the first bin begins ...\n"
        "high: ... and the last one ends; both 0: at the smallest and the largest element\nweights: added instead "
        "of 1, in the shape of x\ndensity: divided by width and sum, so that the integral is 1"),
    MADE_ROW(nonzero, nonzero,
        "nonzero(x, count=-1, fill=0)\n--\n\nPositions of the elements that are not 0, in row-major order: "
        "i64[count, ndim].\n\ncount: number of results; -1: as many as there are\nfill: fills unused places"),
    MADE_ROW(masked, masked,
        "masked(x, mask, count=-1, fill=0)\n--\n\nThe elements (leading axes as mask has them) where mask is true: "
        "x[mask].\n\ncount: number of results; -1: as many as there are\nfill: fills unused places"),
    MADE_ROW(unique, unique,
        "unique(x, count=-1, axis=None)\n--\n\nThe distinct elements in ascending order (complex: by real, then "
        "imaginary part); a larger fixed count repeats the first (0 if\nthere is none). NaNs are all distinct. "
        "Along an axis: the distinct slices, sorted lexicographically.\n\ncount: number of results; -1: as many as "
        "there are\naxis: axis whose slices are compared; all: the flattened tensor"),
    MADE_ROW(repeat_each, repeat_each,
        "repeat_each(x, counts, axis=0, total=-1)\n--\n\nRepeats slice i along an axis counts[i] times: "
        "non-negative integers, one for each slice.\n\naxis: the axis\ntotal: the sum of the counts, if known, "
        "which avoids waiting; -1: unknown"),
    {NULL, NULL, 0, NULL}};
