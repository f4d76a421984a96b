// situ/index.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/index.h: change that.
#ifndef SITU_CALL_INDEX_HPP
#define SITU_CALL_INDEX_HPP

namespace situ {

struct one_hot_options : options<situ_one_hot_options> {
    one_hot_options &dtype(situ_dtype v) { return situ_one_hot_options::dtype = v, *this; }
};
struct sort_options : options<situ_sort_options> {
    sort_options &axis(int32_t v) { return situ_sort_options::axis = v, *this; }
    sort_options &descending(bool v = true) { return situ_sort_options::descending = v, *this; }
};
struct topk_options : options<situ_topk_options> {
    topk_options &axis(int32_t v) { return situ_topk_options::axis = v, *this; }
    topk_options &smallest(bool v = true) { return situ_topk_options::smallest = v, *this; }
    topk_options &indices(situ_tensor **v) { return situ_topk_options::indices = v, *this; }
};
struct search_options : options<situ_search_options> {
    search_options &right(bool v = true) { return situ_search_options::right = v, *this; }
};
struct isin_options : options<situ_isin_options> {
    isin_options &invert(bool v = true) { return situ_isin_options::invert = v, *this; }
};
struct bincount_options : options<situ_bincount_options> {
    bincount_options &weights(situ_tensor *v) { return situ_bincount_options::weights = v, *this; }
    bincount_options &least(int64_t v) { return situ_bincount_options::least = v, *this; }
    bincount_options &count(int64_t v) { return situ_bincount_options::count = v, *this; }
};
struct histogram_options : options<situ_histogram_options> {
    histogram_options &low(double v) { return situ_histogram_options::low = v, *this; }
    histogram_options &high(double v) { return situ_histogram_options::high = v, *this; }
    histogram_options &weights(situ_tensor *v) { return situ_histogram_options::weights = v, *this; }
    histogram_options &density(bool v = true) { return situ_histogram_options::density = v, *this; }
    histogram_options &edges(situ_tensor **v) { return situ_histogram_options::edges = v, *this; }
};
struct places_options : options<situ_places_options> {
    places_options &count(int64_t v) { return situ_places_options::count = v, *this; }
    places_options &fill(int64_t v) { return situ_places_options::fill = v, *this; }
};
struct unique_options : options<situ_unique_options> {
    unique_options &count(int64_t v) { return situ_unique_options::count = v, *this; }
    unique_options &index(situ_tensor **v) { return situ_unique_options::index = v, *this; }
    unique_options &inverse(situ_tensor **v) { return situ_unique_options::inverse = v, *this; }
    unique_options &counts(situ_tensor **v) { return situ_unique_options::counts = v, *this; }
    unique_options &axis(int32_t v) { return situ_unique_options::axis = v, *this; }
};
struct repeat_each_options : options<situ_repeat_each_options> {
    repeat_each_options &axis(int32_t v) { return situ_repeat_each_options::axis = v, *this; }
    repeat_each_options &total(int64_t v) { return situ_repeat_each_options::total = v, *this; }
};
inline tensor take(operand x, operand index, const axis_options &o = {}) { return situ_take(x.t, index.t, &o, x.at); }
inline tensor gather(operand x, operand index, const last_axis_options &o = {})
{
    return situ_gather(x.t, index.t, &o, x.at);
}
inline tensor scatter(operand x, operand index, operand value, const last_axis_options &o = {})
{
    return situ_scatter(x.t, index.t, value.t, &o, x.at);
}
inline tensor scatter_add(operand x, operand index, operand value, const last_axis_options &o = {})
{
    return situ_scatter_add(x.t, index.t, value.t, &o, x.at);
}
inline tensor index_add(operand x, operand index, operand value, const axis_options &o = {})
{
    return situ_index_add(x.t, index.t, value.t, &o, x.at);
}
inline tensor one_hot(operand index, int64_t n, const one_hot_options &o = {})
{
    return situ_one_hot(index.t, n, &o, index.at);
}
inline tensor sort(operand x, const sort_options &o = {}) { return situ_sort(x.t, &o, x.at); }
inline tensor argsort(operand x, const sort_options &o = {}) { return situ_argsort(x.t, &o, x.at); }
inline tensor topk(operand x, int64_t k, const topk_options &o = {}) { return situ_topk(x.t, k, &o, x.at); }
inline tensor searchsorted(operand sorted, operand values, const search_options &o = {})
{
    return situ_searchsorted(sorted.t, values.t, &o, sorted.at);
}
inline tensor isin(operand x, operand values, const isin_options &o = {})
{
    return situ_isin(x.t, values.t, &o, x.at);
}
inline tensor bincount(operand x, const bincount_options &o = {}) { return situ_bincount(x.t, &o, x.at); }
inline tensor histogram(operand x, int64_t bins, const histogram_options &o = {})
{
    return situ_histogram(x.t, bins, &o, x.at);
}
inline tensor nonzero(operand x, const places_options &o = {}) { return situ_nonzero(x.t, &o, x.at); }
inline tensor masked(operand x, operand mask, const places_options &o = {})
{
    return situ_masked(x.t, mask.t, &o, x.at);
}
inline tensor unique(operand x, const unique_options &o = {}) { return situ_unique(x.t, &o, x.at); }
inline tensor repeat_each(operand x, operand counts, const repeat_each_options &o = {})
{
    return situ_repeat_each(x.t, counts.t, &o, x.at);
}

} // namespace situ
#endif
