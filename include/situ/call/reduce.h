/* Calls of situ/reduce.h. Made by scripts/generate.py from include/situ/reduce.h: change that. */
#ifndef SITU_CALL_REDUCE_H
#define SITU_CALL_REDUCE_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_EXTREME_DEFAULTS (.axes = SITU_AXES_UNSET,)
#define SITU_SUM_DEFAULTS (.axes = SITU_AXES_UNSET, .dtype = SITU_DTYPE_DEFAULT,)
#define SITU_VAR_DEFAULTS (.axes = SITU_AXES_UNSET, .dtype = SITU_DTYPE_DEFAULT,)
#define SITU_NORM_DEFAULTS (.axes = SITU_AXES_UNSET, .dtype = SITU_DTYPE_DEFAULT, .ord = 2,)
#define SITU_QUANTILE_DEFAULTS (.axes = SITU_AXES_UNSET,)
#define SITU_CLOSE_DEFAULTS (.rtol = 1e-5, .atol = 1e-8,)
#define SITU_EQUAL_DEFAULTS ()
#define SITU_ARG_DEFAULTS (.axis = SITU_ALL_AXES,)
#define SITU_SCAN_DEFAULTS (.axis = -1, .dtype = SITU_DTYPE_DEFAULT,)
#define SITU_DIFF_DEFAULTS (.axis = -1, .n = 1,)
#define SITU_LINEAR_SCAN_DEFAULTS (.axis = -1, .dtype = SITU_DTYPE_DEFAULT,)

#ifndef __cplusplus
#define situ_sum(...) situ_sum_(__VA_ARGS__, )
#define situ_sum_(x, ...) \
    SITU_OPTIONS_(situ_sum_options, SITU_SUM_DEFAULTS, situ_sum, (SITU_TENSOR(x),), \
    "situ_sum(x, .axes = ..., .keepdims = ..., .dtype = ...)", __VA_ARGS__)
#define situ_prod(...) situ_prod_(__VA_ARGS__, )
#define situ_prod_(x, ...) \
    SITU_OPTIONS_(situ_sum_options, SITU_SUM_DEFAULTS, situ_prod, (SITU_TENSOR(x),), \
    "situ_prod(x, .axes = ..., .keepdims = ..., .dtype = ...)", __VA_ARGS__)
#define situ_max(...) situ_max_(__VA_ARGS__, )
#define situ_max_(x, ...) \
    SITU_OPTIONS_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_max, (SITU_TENSOR(x),), \
    "situ_max(x, .axes = ..., .keepdims = ...)", __VA_ARGS__)
#define situ_min(...) situ_min_(__VA_ARGS__, )
#define situ_min_(x, ...) \
    SITU_OPTIONS_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_min, (SITU_TENSOR(x),), \
    "situ_min(x, .axes = ..., .keepdims = ...)", __VA_ARGS__)
#define situ_any(...) situ_any_(__VA_ARGS__, )
#define situ_any_(x, ...) \
    SITU_OPTIONS_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_any, (SITU_TENSOR(x),), \
    "situ_any(x, .axes = ..., .keepdims = ...)", __VA_ARGS__)
#define situ_all(...) situ_all_(__VA_ARGS__, )
#define situ_all_(x, ...) \
    SITU_OPTIONS_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_all, (SITU_TENSOR(x),), \
    "situ_all(x, .axes = ..., .keepdims = ...)", __VA_ARGS__)
#define situ_count_nonzero(...) situ_count_nonzero_(__VA_ARGS__, )
#define situ_count_nonzero_(x, ...) \
    SITU_OPTIONS_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_count_nonzero, (SITU_TENSOR(x),), \
    "situ_count_nonzero(x, .axes = ..., .keepdims = ...)", __VA_ARGS__)
#define situ_mean(...) situ_mean_(__VA_ARGS__, )
#define situ_mean_(x, ...) \
    SITU_OPTIONS_(situ_sum_options, SITU_SUM_DEFAULTS, situ_mean, (SITU_TENSOR(x),), \
    "situ_mean(x, .axes = ..., .keepdims = ..., .dtype = ...)", __VA_ARGS__)
#define situ_var(...) situ_var_(__VA_ARGS__, )
#define situ_var_(x, ...) \
    SITU_OPTIONS_(situ_var_options, SITU_VAR_DEFAULTS, situ_var, (SITU_TENSOR(x),), \
    "situ_var(x, .axes = ..., .keepdims = ..., .dtype = ..., ...)", __VA_ARGS__)
#define situ_std(...) situ_std_(__VA_ARGS__, )
#define situ_std_(x, ...) \
    SITU_OPTIONS_(situ_var_options, SITU_VAR_DEFAULTS, situ_std, (SITU_TENSOR(x),), \
    "situ_std(x, .axes = ..., .keepdims = ..., .dtype = ..., ...)", __VA_ARGS__)
#define situ_logsumexp(...) situ_logsumexp_(__VA_ARGS__, )
#define situ_logsumexp_(x, ...) \
    SITU_OPTIONS_(situ_sum_options, SITU_SUM_DEFAULTS, situ_logsumexp, (SITU_TENSOR(x),), \
    "situ_logsumexp(x, .axes = ..., .keepdims = ..., .dtype = ...)", __VA_ARGS__)
#define situ_norm(...) situ_norm_(__VA_ARGS__, )
#define situ_norm_(x, ...) \
    SITU_OPTIONS_(situ_norm_options, SITU_NORM_DEFAULTS, situ_norm, (SITU_TENSOR(x),), \
    "situ_norm(x, .axes = ..., .keepdims = ..., .dtype = ..., ...)", __VA_ARGS__)
#define situ_quantile(...) situ_quantile_(__VA_ARGS__, )
#define situ_quantile_(x, q, ...) \
    SITU_OPTIONS_(situ_quantile_options, SITU_QUANTILE_DEFAULTS, situ_quantile, (SITU_TENSOR(x), SITU_OPERAND(q),), \
    "situ_quantile(x, q, .axes = ..., .keepdims = ..., .method = ...)", __VA_ARGS__)
#define situ_median(...) situ_median_(__VA_ARGS__, )
#define situ_median_(x, ...) \
    SITU_OPTIONS_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_median, (SITU_TENSOR(x),), \
    "situ_median(x, .axes = ..., .keepdims = ...)", __VA_ARGS__)
#define situ_weighted_average(...) situ_weighted_average_(__VA_ARGS__, )
#define situ_weighted_average_(x, weights, ...) \
    SITU_OPTIONS_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_weighted_average, (SITU_TENSOR(x), \
    SITU_OPERAND(weights),), "situ_weighted_average(x, weights, .axes = ..., .keepdims = ...)", __VA_ARGS__)
#define situ_isclose(...) situ_isclose_(__VA_ARGS__, )
#define situ_isclose_(a, b, ...) \
    SITU_OPTIONS_(situ_close_options, SITU_CLOSE_DEFAULTS, situ_isclose, (SITU_OPERAND(a), SITU_OPERAND(b),), \
    "situ_isclose(a, b, .rtol = ..., .atol = ..., .equal_nan = ...)", __VA_ARGS__)
#define situ_allclose(...) situ_allclose_(__VA_ARGS__, )
#define situ_allclose_(a, b, ...) \
    SITU_OPTIONS_(situ_close_options, SITU_CLOSE_DEFAULTS, situ_allclose, (SITU_OPERAND(a), SITU_OPERAND(b),), \
    "situ_allclose(a, b, .rtol = ..., .atol = ..., .equal_nan = ...)", __VA_ARGS__)
#define situ_array_equal(...) situ_array_equal_(__VA_ARGS__, )
#define situ_array_equal_(a, b, ...) \
    SITU_OPTIONS_(situ_equal_options, SITU_EQUAL_DEFAULTS, situ_array_equal, (SITU_OPERAND(a), SITU_OPERAND(b),), \
    "situ_array_equal(a, b, .equal_nan = ...)", __VA_ARGS__)
#define situ_argmax(...) situ_argmax_(__VA_ARGS__, )
#define situ_argmax_(x, ...) \
    SITU_OPTIONS_(situ_arg_options, SITU_ARG_DEFAULTS, situ_argmax, (SITU_TENSOR(x),), \
    "situ_argmax(x, .axis = ..., .keepdims = ...)", __VA_ARGS__)
#define situ_argmin(...) situ_argmin_(__VA_ARGS__, )
#define situ_argmin_(x, ...) \
    SITU_OPTIONS_(situ_arg_options, SITU_ARG_DEFAULTS, situ_argmin, (SITU_TENSOR(x),), \
    "situ_argmin(x, .axis = ..., .keepdims = ...)", __VA_ARGS__)
#define situ_cumsum(...) situ_cumsum_(__VA_ARGS__, )
#define situ_cumsum_(x, ...) \
    SITU_OPTIONS_(situ_scan_options, SITU_SCAN_DEFAULTS, situ_cumsum, (SITU_TENSOR(x),), \
    "situ_cumsum(x, .axis = ..., .reverse = ..., .dtype = ..., ...)", __VA_ARGS__)
#define situ_cumprod(...) situ_cumprod_(__VA_ARGS__, )
#define situ_cumprod_(x, ...) \
    SITU_OPTIONS_(situ_scan_options, SITU_SCAN_DEFAULTS, situ_cumprod, (SITU_TENSOR(x),), \
    "situ_cumprod(x, .axis = ..., .reverse = ..., .dtype = ..., ...)", __VA_ARGS__)
#define situ_diff(...) situ_diff_(__VA_ARGS__, )
#define situ_diff_(x, ...) \
    SITU_OPTIONS_(situ_diff_options, SITU_DIFF_DEFAULTS, situ_diff, (SITU_TENSOR(x),), \
    "situ_diff(x, .axis = ..., .n = ..., .prepend = ..., ...)", __VA_ARGS__)
#define situ_linear_scan(...) situ_linear_scan_(__VA_ARGS__, )
#define situ_linear_scan_(a, b, ...) \
    SITU_OPTIONS_(situ_linear_scan_options, SITU_LINEAR_SCAN_DEFAULTS, situ_linear_scan, (SITU_OPERAND(a), \
    SITU_OPERAND(b),), "situ_linear_scan(a, b, .axis = ..., .reverse = ..., .dtype = ...)", __VA_ARGS__)
#define situ_matmul(a, b) (situ_matmul)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_einsum(subscripts, ...) (situ_einsum)((subscripts), (__VA_ARGS__), SITU_HERE)
#define situ_dot(a, b) (situ_dot)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_outer(a, b) (situ_outer)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_trace(x) (situ_trace)(SITU_TENSOR(x), SITU_HERE)
#endif

#endif
