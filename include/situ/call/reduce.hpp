// situ/reduce.h in C++, for situ.hpp. Made by scripts/generate.py from include/situ/reduce.h: change that.
#ifndef SITU_CALL_REDUCE_HPP
#define SITU_CALL_REDUCE_HPP

namespace situ {

struct extreme_options : options<situ_extreme_options> {
    extreme_options() = default;
    extreme_options(std::initializer_list<int> list) { situ_extreme_options::axes = situ::axes(list); }
    extreme_options &axes(const situ::axes &v) { return situ_extreme_options::axes = v, *this; }
    extreme_options &keepdims(bool v = true) { return situ_extreme_options::keepdims = v, *this; }
};
struct sum_options : options<situ_sum_options> {
    sum_options() = default;
    sum_options(std::initializer_list<int> list) { situ_sum_options::axes = situ::axes(list); }
    sum_options &axes(const situ::axes &v) { return situ_sum_options::axes = v, *this; }
    sum_options &keepdims(bool v = true) { return situ_sum_options::keepdims = v, *this; }
    sum_options &dtype(situ_dtype v) { return situ_sum_options::dtype = v, *this; }
};
struct var_options : options<situ_var_options> {
    var_options() = default;
    var_options(std::initializer_list<int> list) { situ_var_options::axes = situ::axes(list); }
    var_options &axes(const situ::axes &v) { return situ_var_options::axes = v, *this; }
    var_options &keepdims(bool v = true) { return situ_var_options::keepdims = v, *this; }
    var_options &dtype(situ_dtype v) { return situ_var_options::dtype = v, *this; }
    var_options &correction(double v) { return situ_var_options::correction = v, *this; }
};
struct norm_options : options<situ_norm_options> {
    norm_options() = default;
    norm_options(std::initializer_list<int> list) { situ_norm_options::axes = situ::axes(list); }
    norm_options &axes(const situ::axes &v) { return situ_norm_options::axes = v, *this; }
    norm_options &keepdims(bool v = true) { return situ_norm_options::keepdims = v, *this; }
    norm_options &dtype(situ_dtype v) { return situ_norm_options::dtype = v, *this; }
    norm_options &ord(double v) { return situ_norm_options::ord = v, *this; }
};
struct quantile_options : options<situ_quantile_options> {
    quantile_options() = default;
    quantile_options(std::initializer_list<int> list) { situ_quantile_options::axes = situ::axes(list); }
    quantile_options &axes(const situ::axes &v) { return situ_quantile_options::axes = v, *this; }
    quantile_options &keepdims(bool v = true) { return situ_quantile_options::keepdims = v, *this; }
    quantile_options &method(situ_quantile_method v) { return situ_quantile_options::method = v, *this; }
};
struct close_options : options<situ_close_options> {
    close_options &rtol(double v) { return situ_close_options::rtol = v, *this; }
    close_options &atol(double v) { return situ_close_options::atol = v, *this; }
    close_options &equal_nan(bool v = true) { return situ_close_options::equal_nan = v, *this; }
};
struct equal_options : options<situ_equal_options> {
    equal_options &equal_nan(bool v = true) { return situ_equal_options::equal_nan = v, *this; }
};
struct arg_options : options<situ_arg_options> {
    arg_options &axis(int32_t v) { return situ_arg_options::axis = v, *this; }
    arg_options &keepdims(bool v = true) { return situ_arg_options::keepdims = v, *this; }
};
struct scan_options : options<situ_scan_options> {
    scan_options &axis(int32_t v) { return situ_scan_options::axis = v, *this; }
    scan_options &reverse(bool v = true) { return situ_scan_options::reverse = v, *this; }
    scan_options &dtype(situ_dtype v) { return situ_scan_options::dtype = v, *this; }
    scan_options &initial(bool v = true) { return situ_scan_options::initial = v, *this; }
};
struct diff_options : options<situ_diff_options> {
    diff_options &axis(int32_t v) { return situ_diff_options::axis = v, *this; }
    diff_options &n(int64_t v) { return situ_diff_options::n = v, *this; }
    diff_options &prepend(situ_tensor *v) { return situ_diff_options::prepend = v, *this; }
    diff_options &append(situ_tensor *v) { return situ_diff_options::append = v, *this; }
};
struct linear_scan_options : options<situ_linear_scan_options> {
    linear_scan_options &axis(int32_t v) { return situ_linear_scan_options::axis = v, *this; }
    linear_scan_options &reverse(bool v = true) { return situ_linear_scan_options::reverse = v, *this; }
    linear_scan_options &dtype(situ_dtype v) { return situ_linear_scan_options::dtype = v, *this; }
};
inline tensor sum(operand x, const sum_options &o = {}) { return situ_sum(x.t, &o, x.at); }
inline tensor prod(operand x, const sum_options &o = {}) { return situ_prod(x.t, &o, x.at); }
inline tensor max(operand x, const extreme_options &o = {}) { return situ_max(x.t, &o, x.at); }
inline tensor min(operand x, const extreme_options &o = {}) { return situ_min(x.t, &o, x.at); }
inline tensor any(operand x, const extreme_options &o = {}) { return situ_any(x.t, &o, x.at); }
inline tensor all(operand x, const extreme_options &o = {}) { return situ_all(x.t, &o, x.at); }
inline tensor count_nonzero(operand x, const extreme_options &o = {}) { return situ_count_nonzero(x.t, &o, x.at); }
inline tensor mean(operand x, const sum_options &o = {}) { return situ_mean(x.t, &o, x.at); }
inline tensor var(operand x, const var_options &o = {}) { return situ_var(x.t, &o, x.at); }
inline tensor std(operand x, const var_options &o = {}) { return situ_std(x.t, &o, x.at); }
inline tensor logsumexp(operand x, const sum_options &o = {}) { return situ_logsumexp(x.t, &o, x.at); }
inline tensor norm(operand x, const norm_options &o = {}) { return situ_norm(x.t, &o, x.at); }
inline tensor quantile(operand x, operand q, const quantile_options &o = {})
{
    return situ_quantile(x.t, q.t, &o, x.at);
}
inline tensor median(operand x, const extreme_options &o = {}) { return situ_median(x.t, &o, x.at); }
inline tensor weighted_average(operand x, operand weights, const extreme_options &o = {})
{
    return situ_weighted_average(x.t, weights.t, &o, x.at);
}
inline tensor isclose(operand a, operand b, const close_options &o = {}) { return situ_isclose(a.t, b.t, &o, a.at); }
inline tensor allclose(operand a, operand b, const close_options &o = {})
{
    return situ_allclose(a.t, b.t, &o, a.at);
}
inline tensor array_equal(operand a, operand b, const equal_options &o = {})
{
    return situ_array_equal(a.t, b.t, &o, a.at);
}
inline tensor argmax(operand x, const arg_options &o = {}) { return situ_argmax(x.t, &o, x.at); }
inline tensor argmin(operand x, const arg_options &o = {}) { return situ_argmin(x.t, &o, x.at); }
inline tensor cumsum(operand x, const scan_options &o = {}) { return situ_cumsum(x.t, &o, x.at); }
inline tensor cumprod(operand x, const scan_options &o = {}) { return situ_cumprod(x.t, &o, x.at); }
inline tensor diff(operand x, const diff_options &o = {}) { return situ_diff(x.t, &o, x.at); }
inline tensor linear_scan(operand a, operand b, const linear_scan_options &o = {})
{
    return situ_linear_scan(a.t, b.t, &o, a.at);
}
inline tensor matmul(operand a, operand b) { return situ_matmul(a.t, b.t, a.at); }
inline tensor einsum(const char *subscripts, const situ::list &operands, site at = {})
{
    return situ_einsum(subscripts, operands, at);
}
inline tensor dot(operand a, operand b) { return situ_dot(a.t, b.t, a.at); }
inline tensor outer(operand a, operand b) { return situ_outer(a.t, b.t, a.at); }
inline tensor trace(operand x) { return situ_trace(x.t, x.at); }

} // namespace situ
#endif
