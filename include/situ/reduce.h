/* Many elements to one: sums, extremes, moments, running sums, and products of matrices.
 *
 *     situ_tensor *m = situ_mean(x, .axes = 0);                        // column means
 *     situ_tensor *s = situ_sum(x, .axes = AXES(-1), .keepdims = true);
 *
 * Without .axes all axes go. Sums have one written order, the same bits on every device and number of threads.
 */
#ifndef SITU_REDUCE_H
#define SITU_REDUCE_H

#include <situ/move.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SITU_BY_NAME situ_reduce_options {
    SITU_OPTION_HEAD;
    situ_axes axes;    /* default: all                                                       */
    bool keepdims;     /* reduced axes stay, with 1 element                                  */
    situ_dtype dtype;  /* sum, prod, mean, var, std, logsumexp, norm: of the result; default: see there */
    double correction; /* var, std: the divisor is n - correction; default 0                 */
    double ord;        /* norm: default 2                                                    */
} situ_reduce_options;
#define SITU_REDUCE_DEFAULTS (.axes = SITU_AXES_UNSET, .dtype = SITU_DTYPE_DEFAULT, .ord = 2,)
#ifndef __cplusplus
/* As far as they mean something: to extremes and logic, to sums, to var and std, to norm. */
#define SITU_REDUCE_FIELDS_(dtype_, correction_, ord_) \
    SITU_OPTION_HEAD; situ_axes axes; bool keepdims; situ_dtype dtype_; double correction_; double ord_
typedef struct SITU_BY_NAME situ_extreme_options { SITU_REDUCE_FIELDS_(not_an_option_1, not_an_option_2, not_an_option_3); } situ_extreme_options;
typedef struct SITU_BY_NAME situ_sum_options { SITU_REDUCE_FIELDS_(dtype, not_an_option_2, not_an_option_3); } situ_sum_options;
typedef struct SITU_BY_NAME situ_var_options { SITU_REDUCE_FIELDS_(dtype, correction, not_an_option_3); } situ_var_options;
typedef struct SITU_BY_NAME situ_norm_options { SITU_REDUCE_FIELDS_(dtype, not_an_option_2, ord); } situ_norm_options;
#define SITU_EXTREME_DEFAULTS (.axes = SITU_AXES_UNSET, .not_an_option_1 = SITU_DTYPE_DEFAULT, .not_an_option_3 = 2,)
#define SITU_SUM_DEFAULTS (.axes = SITU_AXES_UNSET, .dtype = SITU_DTYPE_DEFAULT, .not_an_option_3 = 2,)
#define SITU_VAR_DEFAULTS SITU_SUM_DEFAULTS
#define SITU_NORM_DEFAULTS SITU_REDUCE_DEFAULTS
#endif

/* Sum and product; bool and signed integers give i64, unsigned ones u64, floats their own dtype (f16 adds in f32). */
SITU_API situ_tensor *situ_sum(situ_tensor *x, const situ_reduce_options *options, situ_site site);
SITU_API situ_tensor *situ_prod(situ_tensor *x, const situ_reduce_options *options, situ_site site);
/* Largest and smallest; NaN wins; an empty axis is an error. The gradient goes to the ties in equal shares. */
SITU_API situ_tensor *situ_max(situ_tensor *x, const situ_reduce_options *options, situ_site site);
SITU_API situ_tensor *situ_min(situ_tensor *x, const situ_reduce_options *options, situ_site site);
/* Is one, are all of them nonzero? bool. How many are? i64. */
SITU_API situ_tensor *situ_any(situ_tensor *x, const situ_reduce_options *options, situ_site site);
SITU_API situ_tensor *situ_all(situ_tensor *x, const situ_reduce_options *options, situ_site site);
SITU_API situ_tensor *situ_count_nonzero(situ_tensor *x, const situ_reduce_options *options, situ_site site);
/* sum(x) / n; integers give f32. */
SITU_API situ_tensor *situ_mean(situ_tensor *x, const situ_reduce_options *options, situ_site site);
/* sum((x - mean(x))^2) / (n - correction); its square root. */
SITU_API situ_tensor *situ_var(situ_tensor *x, const situ_reduce_options *options, situ_site site);
SITU_API situ_tensor *situ_std(situ_tensor *x, const situ_reduce_options *options, situ_site site);
/* log(sum(exp(x))), without overflow. */
SITU_API situ_tensor *situ_logsumexp(situ_tensor *x, const situ_reduce_options *options, situ_site site);
/* (sum |x|^ord)^(1/ord) over the named axes together; ord 0 counts, INFINITY is the largest |x|. Integers give f32; a power
 * that overflows or vanishes is no matter. */
SITU_API situ_tensor *situ_norm(situ_tensor *x, const situ_reduce_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_arg_options {
    SITU_OPTION_HEAD;
    int32_t axis; /* default: of the flattened tensor */
    bool keepdims;
} situ_arg_options;
#define SITU_ARG_DEFAULTS (.axis = SITU_ALL_AXES,)
/* Where the largest or smallest element is, i64: the first of equal ones, the first NaN if there is one. */
SITU_API situ_tensor *situ_argmax(situ_tensor *x, const situ_arg_options *options, situ_site site);
SITU_API situ_tensor *situ_argmin(situ_tensor *x, const situ_arg_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_scan_options {
    SITU_OPTION_HEAD;
    int32_t axis;     /* default: the last    */
    bool reverse;     /* from the end         */
    situ_dtype dtype; /* default: as sum      */
    bool initial;     /* cumsum, cumprod: one more element, 0 or 1, where they begin */
} situ_scan_options;
#define SITU_SCAN_DEFAULTS (.axis = -1, .dtype = SITU_DTYPE_DEFAULT,)
#ifndef __cplusplus
typedef struct SITU_BY_NAME situ_linear_scan_options { /* as far as they mean something to it */
    SITU_OPTION_HEAD;
    int32_t axis;
    bool reverse;
    situ_dtype dtype;
    bool not_an_option_1;
} situ_linear_scan_options;
#endif
/* y[i] = x[0] + ... + x[i]; y[i] = x[0] * ... * x[i]. Running sums have one written order, the same bits on every device and
 * number of threads, from where they begin: blocks of 1024 of strips of 64. A strip is added up in order, so are the sums of
 * a block's strips; blocks before i's are added as complete subtrees of a binary tree by the digits of their number, the largest
 * first. y[i] is (blocks before + strips before) + the sum of its strip up to i. Running products go in order and are carried in
 * f64 (complex ones in c128), since no order of parts would keep a part from overflowing; each result is rounded. */
SITU_API situ_tensor *situ_cumsum(situ_tensor *x, const situ_scan_options *options, situ_site site);
SITU_API situ_tensor *situ_cumprod(situ_tensor *x, const situ_scan_options *options, situ_site site);
/* The differences of neighbours along an axis (default: the last), taken n times; bools: whether they differ. */
typedef struct SITU_BY_NAME situ_diff_options {
    SITU_OPTION_HEAD;
    int32_t axis;
    int64_t n;            /* default 1                                                                      */
    situ_tensor *prepend; /* what comes before x along the axis, and what comes after it; the other dims   */
    situ_tensor *append;  /* broadcast to x's; default: nothing                                            */
} situ_diff_options;
#define SITU_DIFF_DEFAULTS (.axis = -1, .n = 1,)
SITU_API situ_tensor *situ_diff(situ_tensor *x, const situ_diff_options *options, situ_site site);
/* s[i] = a[i] s[i-1] + b[i], s[-1] = 0: in order, carried and rounded as running products are. */
SITU_API situ_tensor *situ_linear_scan(situ_tensor *a, situ_tensor *b, const situ_scan_options *options, situ_site site);

/* Matrix product over the last axis of a and the last but one of b; leading axes broadcast, vectors as in NumPy. */
SITU_API situ_tensor *situ_matmul(situ_tensor *a, situ_tensor *b, situ_site site);
/* sum_i a[..., i] b[..., i]; a[i] b[j]; the sum of the diagonal of the last two axes. */
SITU_API situ_tensor *situ_dot(situ_tensor *a, situ_tensor *b, situ_site site);
SITU_API situ_tensor *situ_outer(situ_tensor *a, situ_tensor *b, situ_site site);
SITU_API situ_tensor *situ_trace(situ_tensor *x, situ_site site);

#ifndef __cplusplus
#define SITU_REDUCE_(T, defaults, name, x, ...) \
    SITU_OPTIONS_AS_(T, situ_reduce_options, defaults, name, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_sum(...) SITU_REDUCE_(situ_sum_options, SITU_SUM_DEFAULTS, situ_sum, __VA_ARGS__, )
#define situ_prod(...) SITU_REDUCE_(situ_sum_options, SITU_SUM_DEFAULTS, situ_prod, __VA_ARGS__, )
#define situ_max(...) SITU_REDUCE_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_max, __VA_ARGS__, )
#define situ_min(...) SITU_REDUCE_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_min, __VA_ARGS__, )
#define situ_any(...) SITU_REDUCE_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_any, __VA_ARGS__, )
#define situ_all(...) SITU_REDUCE_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_all, __VA_ARGS__, )
#define situ_count_nonzero(...) SITU_REDUCE_(situ_extreme_options, SITU_EXTREME_DEFAULTS, situ_count_nonzero, __VA_ARGS__, )
#define situ_mean(...) SITU_REDUCE_(situ_sum_options, SITU_SUM_DEFAULTS, situ_mean, __VA_ARGS__, )
#define situ_var(...) SITU_REDUCE_(situ_var_options, SITU_VAR_DEFAULTS, situ_var, __VA_ARGS__, )
#define situ_std(...) SITU_REDUCE_(situ_var_options, SITU_VAR_DEFAULTS, situ_std, __VA_ARGS__, )
#define situ_logsumexp(...) SITU_REDUCE_(situ_sum_options, SITU_SUM_DEFAULTS, situ_logsumexp, __VA_ARGS__, )
#define situ_norm(...) SITU_REDUCE_(situ_norm_options, SITU_NORM_DEFAULTS, situ_norm, __VA_ARGS__, )
#define SITU_ARG_(name, x, ...) \
    SITU_OPTIONS_(situ_arg_options, SITU_ARG_DEFAULTS, name, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_argmax(...) SITU_ARG_(situ_argmax, __VA_ARGS__, )
#define situ_argmin(...) SITU_ARG_(situ_argmin, __VA_ARGS__, )
#define SITU_SCAN_(name, x, ...) \
    SITU_OPTIONS_(situ_scan_options, SITU_SCAN_DEFAULTS, name, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_cumsum(...) SITU_SCAN_(situ_cumsum, __VA_ARGS__, )
#define situ_cumprod(...) SITU_SCAN_(situ_cumprod, __VA_ARGS__, )
#define situ_diff(...) situ_diff_(__VA_ARGS__, )
#define situ_diff_(x, ...) SITU_OPTIONS_(situ_diff_options, SITU_DIFF_DEFAULTS, situ_diff, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_linear_scan(a, ...) situ_linear_scan_(a, __VA_ARGS__, )
#define situ_linear_scan_(a, b, ...) \
    SITU_OPTIONS_AS_(situ_linear_scan_options, situ_scan_options, SITU_SCAN_DEFAULTS, situ_linear_scan, (SITU_OPERAND(a), SITU_OPERAND(b)), __VA_ARGS__)
#define situ_matmul(a, b) (situ_matmul)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_dot(a, b) (situ_dot)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_outer(a, b) (situ_outer)(SITU_OPERAND(a), SITU_OPERAND(b), SITU_HERE)
#define situ_trace(x) (situ_trace)(SITU_OPERAND(x), SITU_HERE)
#endif

#ifdef __cplusplus
}
#endif
#endif
