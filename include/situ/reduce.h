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

typedef struct SITU_BY_NAME situ_extreme_options {
    SITU_OPTION_HEAD;
    situ_axes axes; /* = all: axes to reduce */
    bool keepdims;  /* = false: keeps reduced axes, with 1 element */
} situ_extreme_options;

typedef struct SITU_BY_NAME situ_sum_options {
    SITU_OPTION_HEAD;
    situ_axes axes;   /* = all: axes to reduce */
    bool keepdims;    /* = false: keeps reduced axes, with 1 element */
    situ_dtype dtype; /* = default: dtype of the result; default: see the function */
} situ_sum_options;

typedef struct SITU_BY_NAME situ_var_options {
    SITU_OPTION_HEAD;
    situ_axes axes;    /* = all: axes to reduce */
    bool keepdims;     /* = false: keeps reduced axes, with 1 element */
    situ_dtype dtype;  /* = default: dtype of the result; default: x's, f32 for integers */
    double correction; /* = 0: the divisor is n - correction */
} situ_var_options;

typedef struct SITU_BY_NAME situ_norm_options {
    SITU_OPTION_HEAD;
    situ_axes axes;   /* = all: axes to reduce */
    bool keepdims;    /* = false: keeps reduced axes, with 1 element */
    situ_dtype dtype; /* = default: dtype of the result; default: x's, f32 for integers */
    double ord;       /* = 2 in [-inf, inf]: the power */
} situ_norm_options;

/* Sum and product. Bool and signed integers give i64, unsigned ones u64, floats their own dtype (f16 sums in f32). */
SITU_API situ_tensor *situ_sum(situ_tensor *x, const situ_sum_options *options, situ_site site);
SITU_API situ_tensor *situ_prod(situ_tensor *x, const situ_sum_options *options, situ_site site);
/* Maximum and minimum; NaN propagates; an empty axis is an error. Ties share the gradient equally. */
SITU_API situ_tensor *situ_max(situ_tensor *x, const situ_extreme_options *options, situ_site site);
SITU_API situ_tensor *situ_min(situ_tensor *x, const situ_extreme_options *options, situ_site site);
/* Is any element nonzero, are all? bool. How many are? i64. */
SITU_API situ_tensor *situ_any(situ_tensor *x, const situ_extreme_options *options, situ_site site);
SITU_API situ_tensor *situ_all(situ_tensor *x, const situ_extreme_options *options, situ_site site);
SITU_API situ_tensor *situ_count_nonzero(situ_tensor *x, const situ_extreme_options *options, situ_site site);
/* sum(x) / n; integers give f32. */
SITU_API situ_tensor *situ_mean(situ_tensor *x, const situ_sum_options *options, situ_site site);
/* The variance sum((x - mean(x))^2) / (n - correction); and its square root. */
SITU_API situ_tensor *situ_var(situ_tensor *x, const situ_var_options *options, situ_site site);
SITU_API situ_tensor *situ_std(situ_tensor *x, const situ_var_options *options, situ_site site);
/* log(sum(exp(x))), without overflow. */
SITU_API situ_tensor *situ_logsumexp(situ_tensor *x, const situ_sum_options *options, situ_site site);
/* (sum |x|^ord)^(1/ord) over the named axes together; ord 0 counts, INFINITY is the largest |x|. Integers give f32; intermediate
 * powers neither overflow nor underflow. */
SITU_API situ_tensor *situ_norm(situ_tensor *x, const situ_norm_options *options, situ_site site);

typedef enum situ_quantile_method {
    SITU_QUANTILE_LINEAR = 0,  /* between two neighbours, weighted by distance */
    SITU_QUANTILE_LOWER = 1,   /* the lower of two neighbours                  */
    SITU_QUANTILE_HIGHER = 2,  /* the higher of two neighbours                 */
    SITU_QUANTILE_NEAREST = 3, /* the nearer one; in the middle the even one   */
    SITU_QUANTILE_MIDPOINT = 4 /* the mean of two neighbours                   */
} situ_quantile_method;
typedef struct SITU_BY_NAME situ_quantile_options {
    SITU_OPTION_HEAD;
    situ_axes axes;              /* = all: axes to reduce */
    bool keepdims;               /* = false: keeps reduced axes, with 1 element */
    situ_quantile_method method; /* = SITU_QUANTILE_LINEAR: how to interpolate between two elements */
} situ_quantile_options;
/* The element at position q (n - 1) of the n sorted elements; q is a number from 0 to 1, or a vector of them, with results along a
 * new first axis. NaN if x contains one. Integers give f32. The gradient goes to the neighbours. */
SITU_API situ_tensor *situ_quantile(situ_tensor *x, situ_tensor *q, const situ_quantile_options *options, situ_site site);
/* The middle element; for an even number the mean of the two in the middle, as in NumPy (PyTorch takes the lower). */
SITU_API situ_tensor *situ_median(situ_tensor *x, const situ_extreme_options *options, situ_site site);
/* sum(x weights) / sum(weights); weights in the shape of x, or a vector along the single reduced axis. */
SITU_API situ_tensor *situ_weighted_average(
    situ_tensor *x, situ_tensor *weights, const situ_extreme_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_close_options {
    SITU_OPTION_HEAD;
    double rtol;    /* = 1e-5 in [0, inf): tolerance relative to |b| */
    double atol;    /* = 1e-8 in [0, inf): absolute tolerance */
    bool equal_nan; /* = false: NaN is close to NaN, too */
} situ_close_options;
/* |a - b| <= atol + rtol |b| for each element, bool; infinities are close only to themselves. The other: for all elements, 0-d
 * bool. Halves are compared in f32, integers in f64. */
SITU_API situ_tensor *situ_isclose(situ_tensor *a, situ_tensor *b, const situ_close_options *options, situ_site site);
SITU_API situ_tensor *situ_allclose(situ_tensor *a, situ_tensor *b, const situ_close_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_equal_options {
    SITU_OPTION_HEAD;
    bool equal_nan; /* = false: NaN equals NaN, too */
} situ_equal_options;
/* True if shapes and all elements are equal; 0-d bool. Different shapes are no error. */
SITU_API situ_tensor *situ_array_equal(situ_tensor *a, situ_tensor *b, const situ_equal_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_arg_options {
    SITU_OPTION_HEAD;
    int32_t axis;  /* = all: the axis; all: of the flattened tensor */
    bool keepdims; /* = false: keeps the axis, with 1 element */
} situ_arg_options;
/* Position of the maximum or minimum, i64. It is the first of equal ones, the first NaN if there is one. */
SITU_API situ_tensor *situ_argmax(situ_tensor *x, const situ_arg_options *options, situ_site site);
SITU_API situ_tensor *situ_argmin(situ_tensor *x, const situ_arg_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_scan_options {
    SITU_OPTION_HEAD;
    int32_t axis;     /* = -1: the axis; -1 is the last */
    bool reverse;     /* = false: from the end */
    situ_dtype dtype; /* = default: dtype of the result; default: as for situ_sum */
    bool initial;     /* = false: begins with one more element, 0 or 1 */
} situ_scan_options;
/* y[i] = x[0] + ... + x[i]; y[i] = x[0] * ... * x[i]. Running sums have one written order, the same bits on every device and
 * number of threads, from where they begin: blocks of 1024 of strips of 64. A strip is added up in order, so are the sums of
 * a block's strips; blocks before i's are added as complete subtrees of a binary tree by the digits of their number, the largest
 * first. y[i] is (blocks before + strips before) + the sum of its strip up to i. Running products go in order and are carried in
 * f64 (complex ones in c128), since no order of parts would keep a part from overflowing; each result is rounded. */
SITU_API situ_tensor *situ_cumsum(situ_tensor *x, const situ_scan_options *options, situ_site site);
SITU_API situ_tensor *situ_cumprod(situ_tensor *x, const situ_scan_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_diff_options {
    SITU_OPTION_HEAD;
    int32_t axis;         /* = -1: the axis; -1 is the last */
    int64_t n;            /* = 1 in [0, inf): number of repetitions */
    situ_tensor *prepend; /* = none: put before x along the axis; broadcast along the other axes */
    situ_tensor *append;  /* = none: put after x along the axis; broadcast along the other axes */
} situ_diff_options;
/* The differences of neighbours along an axis, n times; for bools whether they differ. */
SITU_API situ_tensor *situ_diff(situ_tensor *x, const situ_diff_options *options, situ_site site);
typedef struct SITU_BY_NAME situ_linear_scan_options {
    SITU_OPTION_HEAD;
    int32_t axis;     /* = -1: the axis; -1 is the last */
    bool reverse;     /* = false: from the end */
    situ_dtype dtype; /* = default: dtype of the result; default: as for situ_sum */
} situ_linear_scan_options;
/* s[i] = a[i] s[i-1] + b[i], s[-1] = 0: in order, with carry and rounding as in running products. */
SITU_API situ_tensor *situ_linear_scan(situ_tensor *a, situ_tensor *b, const situ_linear_scan_options *options, situ_site site);

/* Matrix product over the last axis of a and the last but one of b; leading axes broadcast, vectors as in NumPy. */
SITU_API situ_tensor *situ_matmul(situ_tensor *a, situ_tensor *b, situ_site site);
/* Sums of products: "ij,jk->ik" names the axes of each operand by letters; those that the result does not have are summed. A
 * letter twice is a diagonal, "..." the other axes in order; axes of 1 are repeated. Without "->" the result has the letters that
 * are there once, in the order of the alphabet. Operands are multiplied from the left to the right, two at a time. */
SITU_API situ_tensor *situ_einsum(const char *subscripts, situ_list operands, situ_site site);
/* sum_i a[..., i] b[..., i]; a[i] b[j]; the sum of the diagonal of the last two axes. */
SITU_API situ_tensor *situ_dot(situ_tensor *a, situ_tensor *b, situ_site site);
SITU_API situ_tensor *situ_outer(situ_tensor *a, situ_tensor *b, situ_site site);
SITU_API situ_tensor *situ_trace(situ_tensor *x, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/reduce.h>

#endif
