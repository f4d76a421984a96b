/* situ/reduce.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_quantile_method[] = {{"linear", SITU_QUANTILE_LINEAR}, {"lower", SITU_QUANTILE_LOWER}, {"higher", SITU_QUANTILE_HIGHER}, {"nearest", SITU_QUANTILE_NEAREST}, {"midpoint", SITU_QUANTILE_MIDPOINT}, {NULL, 0}};

MADE(sum)
{
    TAKE("sum", 4, 1, 1, {"x", "axis", "keepdims", "dtype"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_sum_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    o.dtype = arg_dtype(c, 3);
    return call_end(c, c->failed ? NULL : (situ_sum)(x_, &o, c->site));
}

MADE(prod)
{
    TAKE("prod", 4, 1, 1, {"x", "axis", "keepdims", "dtype"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_sum_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    o.dtype = arg_dtype(c, 3);
    return call_end(c, c->failed ? NULL : (situ_prod)(x_, &o, c->site));
}

MADE(max)
{
    TAKE("max", 3, 1, 1, {"x", "axis", "keepdims"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_extreme_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_max)(x_, &o, c->site));
}

MADE(min)
{
    TAKE("min", 3, 1, 1, {"x", "axis", "keepdims"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_extreme_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_min)(x_, &o, c->site));
}

MADE(any)
{
    TAKE("any", 3, 1, 1, {"x", "axis", "keepdims"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_extreme_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_any)(x_, &o, c->site));
}

MADE(all)
{
    TAKE("all", 3, 1, 1, {"x", "axis", "keepdims"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_extreme_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_all)(x_, &o, c->site));
}

MADE(count_nonzero)
{
    TAKE("count_nonzero", 3, 1, 1, {"x", "axis", "keepdims"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_extreme_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_count_nonzero)(x_, &o, c->site));
}

MADE(mean)
{
    TAKE("mean", 4, 1, 1, {"x", "axis", "keepdims", "dtype"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_sum_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    o.dtype = arg_dtype(c, 3);
    return call_end(c, c->failed ? NULL : (situ_mean)(x_, &o, c->site));
}

MADE(var)
{
    TAKE("var", 5, 1, 1, {"x", "axis", "keepdims", "dtype", "correction"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_var_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    o.dtype = arg_dtype(c, 3);
    o.correction = arg_double(c, 4, 0);
    return call_end(c, c->failed ? NULL : (situ_var)(x_, &o, c->site));
}

MADE(std)
{
    TAKE("std", 5, 1, 1, {"x", "axis", "keepdims", "dtype", "correction"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_var_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    o.dtype = arg_dtype(c, 3);
    o.correction = arg_double(c, 4, 0);
    return call_end(c, c->failed ? NULL : (situ_std)(x_, &o, c->site));
}

MADE(logsumexp)
{
    TAKE("logsumexp", 4, 1, 1, {"x", "axis", "keepdims", "dtype"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_sum_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    o.dtype = arg_dtype(c, 3);
    return call_end(c, c->failed ? NULL : (situ_logsumexp)(x_, &o, c->site));
}

MADE(norm)
{
    TAKE("norm", 5, 1, 5, {"x", "axis", "keepdims", "dtype", "ord"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_norm_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    o.dtype = arg_dtype(c, 3);
    o.ord = arg_double(c, 4, 2);
    return call_end(c, c->failed ? NULL : (situ_norm)(x_, &o, c->site));
}

MADE(quantile)
{
    TAKE("quantile", 5, 2, 2, {"x", "q", "axis", "keepdims", "method"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *q_ = arg_tensor(c, 1);
    situ_quantile_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 2);
    o.keepdims = arg_bool(c, 3, false);
    o.method = (situ_quantile_method)arg_word(c, 4, words_quantile_method, 0, "method");
    return call_end(c, c->failed ? NULL : (situ_quantile)(x_, q_, &o, c->site));
}

MADE(median)
{
    TAKE("median", 3, 1, 1, {"x", "axis", "keepdims"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_extreme_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    o.keepdims = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_median)(x_, &o, c->site));
}

MADE(weighted_average)
{
    TAKE("average", 4, 2, 2, {"x", "weights", "axis", "keepdims"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *weights_ = arg_tensor(c, 1);
    situ_extreme_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 2);
    o.keepdims = arg_bool(c, 3, false);
    return call_end(c, c->failed ? NULL : (situ_weighted_average)(x_, weights_, &o, c->site));
}

MADE(isclose)
{
    TAKE("isclose", 5, 2, 2, {"a", "b", "rtol", "atol", "equal_nan"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_close_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.rtol = arg_double(c, 2, 1e-5);
    o.atol = arg_double(c, 3, 1e-8);
    o.equal_nan = arg_bool(c, 4, false);
    return call_end(c, c->failed ? NULL : (situ_isclose)(a_, b_, &o, c->site));
}

MADE(allclose)
{
    TAKE("allclose", 5, 2, 2, {"a", "b", "rtol", "atol", "equal_nan"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_close_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.rtol = arg_double(c, 2, 1e-5);
    o.atol = arg_double(c, 3, 1e-8);
    o.equal_nan = arg_bool(c, 4, false);
    return call_end(c, c->failed ? NULL : (situ_allclose)(a_, b_, &o, c->site));
}

MADE(array_equal)
{
    TAKE("array_equal", 3, 2, 2, {"a", "b", "equal_nan"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_equal_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.equal_nan = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_array_equal)(a_, b_, &o, c->site));
}

MADE(argmax)
{
    TAKE("argmax", 3, 1, 1, {"x", "axis", "keepdims"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_arg_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 1, SITU_ALL_AXES);
    o.keepdims = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_argmax)(x_, &o, c->site));
}

MADE(argmin)
{
    TAKE("argmin", 3, 1, 1, {"x", "axis", "keepdims"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_arg_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 1, SITU_ALL_AXES);
    o.keepdims = arg_bool(c, 2, false);
    return call_end(c, c->failed ? NULL : (situ_argmin)(x_, &o, c->site));
}

MADE(cumsum)
{
    TAKE("cumsum", 5, 1, 5, {"x", "axis", "reverse", "dtype", "initial"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_scan_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 1, -1);
    o.reverse = arg_bool(c, 2, false);
    o.dtype = arg_dtype(c, 3);
    o.initial = arg_bool(c, 4, false);
    return call_end(c, c->failed ? NULL : (situ_cumsum)(x_, &o, c->site));
}

MADE(cumprod)
{
    TAKE("cumprod", 5, 1, 5, {"x", "axis", "reverse", "dtype", "initial"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_scan_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 1, -1);
    o.reverse = arg_bool(c, 2, false);
    o.dtype = arg_dtype(c, 3);
    o.initial = arg_bool(c, 4, false);
    return call_end(c, c->failed ? NULL : (situ_cumprod)(x_, &o, c->site));
}

MADE(diff)
{
    TAKE("diff", 5, 1, 3, {"x", "n", "axis", "prepend", "append"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_diff_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.n = arg_int(c, 1, 1);
    o.axis = arg_int32(c, 2, -1);
    o.prepend = arg_optional(c, 3);
    o.append = arg_optional(c, 4);
    return call_end(c, c->failed ? NULL : (situ_diff)(x_, &o, c->site));
}

MADE(linear_scan)
{
    TAKE("linear_scan", 5, 2, 2, {"a", "b", "axis", "reverse", "dtype"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    situ_linear_scan_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axis = arg_int32(c, 2, -1);
    o.reverse = arg_bool(c, 3, false);
    o.dtype = arg_dtype(c, 4);
    return call_end(c, c->failed ? NULL : (situ_linear_scan)(a_, b_, &o, c->site));
}

MADE(matmul)
{
    TAKE("matmul", 2, 2, 2, {"x1", "x2"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_matmul)(a_, b_, c->site));
}

MADE(einsum)
{
    TAKE("einsum", 2, 2, 2, {"subscripts", "operands"}, {NULL});
    const char *subscripts_ = arg_text(c, 0, "subscripts");
    situ_list operands_ = arg_list(c, 1);
    return call_end(c, c->failed ? NULL : (situ_einsum)(subscripts_, operands_, c->site));
}

MADE(dot)
{
    TAKE("dot", 2, 2, 2, {"a", "b"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_dot)(a_, b_, c->site));
}

MADE(outer)
{
    TAKE("outer", 2, 2, 2, {"x1", "x2"}, {NULL});
    situ_tensor *a_ = arg_tensor(c, 0);
    situ_tensor *b_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_outer)(a_, b_, c->site));
}

MADE(trace)
{
    TAKE("trace", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_trace)(x_, c->site));
}

PyMethodDef made_reduce_methods[] = {
    MADE_ROW(sum, sum,
        "sum(x, *, axis=None, keepdims=False, dtype=None)\n--\n\nsum, prod: Sum and product. Bool and signed "
        "integers give i64, unsigned ones u64, floats their own dtype (f16 sums in f32).\n\naxis: axes to reduce\n"
        "keepdims: keeps reduced axes, with 1 element\ndtype: dtype of the result; default: see the function"),
    MADE_ROW(prod, prod,
        "prod(x, *, axis=None, keepdims=False, dtype=None)\n--\n\nsum, prod: Sum and product. Bool and signed "
        "integers give i64, unsigned ones u64, floats their own dtype (f16 sums in f32).\n\naxis: axes to reduce\n"
        "keepdims: keeps reduced axes, with 1 element\ndtype: dtype of the result; default: see the function"),
    MADE_ROW(max, max,
        "max(x, *, axis=None, keepdims=False)\n--\n\nmax, min: Maximum and minimum; NaN propagates; an empty axis "
        "is an error. Ties share the gradient equally.\n\naxis: axes to reduce\nkeepdims: keeps reduced axes, with "
        "1 element"),
    MADE_ROW(min, min,
        "min(x, *, axis=None, keepdims=False)\n--\n\nmax, min: Maximum and minimum; NaN propagates; an empty axis "
        "is an error. Ties share the gradient equally.\n\naxis: axes to reduce\nkeepdims: keeps reduced axes, with "
        "1 element"),
    MADE_ROW(any, any,
        "any(x, *, axis=None, keepdims=False)\n--\n\nany, all, count_nonzero: Is any element nonzero, are all? "
        "bool. How many are? i64.\n\naxis: axes to reduce\nkeepdims: keeps reduced axes, with 1 element"),
    MADE_ROW(all, all,
        "all(x, *, axis=None, keepdims=False)\n--\n\nany, all, count_nonzero: Is any element nonzero, are all? "
        "bool. How many are? i64.\n\naxis: axes to reduce\nkeepdims: keeps reduced axes, with 1 element"),
    MADE_ROW(count_nonzero, count_nonzero,
        "count_nonzero(x, *, axis=None, keepdims=False)\n--\n\nany, all, count_nonzero: Is any element nonzero, are "
        "all? bool. How many are? i64.\n\naxis: axes to reduce\nkeepdims: keeps reduced axes, with 1 element"),
    MADE_ROW(mean, mean,
        "mean(x, *, axis=None, keepdims=False, dtype=None)\n--\n\nsum(x) / n; integers give f32.\n\naxis: axes to "
        "reduce\nkeepdims: keeps reduced axes, with 1 element\ndtype: dtype of the result; default: see the "
        "function"),
    MADE_ROW(var, var,
        "var(x, *, axis=None, keepdims=False, dtype=None, correction=0.0)\n--\n\nThe variance sum((x - mean(x))^2) "
        "/ (n - correction).\n\naxis: axes to reduce\nkeepdims: keeps reduced axes, with 1 element\ndtype: dtype of "
        "the result; default: x's, f32 for integers\ncorrection: the divisor is n - correction"),
    MADE_ROW(std, std,
        "std(x, *, axis=None, keepdims=False, dtype=None, correction=0.0)\n--\n\nAnd its square root.\n\naxis: axes "
        "to reduce\nkeepdims: keeps reduced axes, with 1 element\ndtype: dtype of the result; default: x's, f32 for "
        "integers\ncorrection: the divisor is n - correction"),
    MADE_ROW(logsumexp, logsumexp,
        "logsumexp(x, *, axis=None, keepdims=False, dtype=None)\n--\n\nlog(sum(exp(x))), without overflow.\n\naxis: "
        "axes to reduce\nkeepdims: keeps reduced axes, with 1 element\ndtype: dtype of the result; default: see the "
        "function"),
    MADE_ROW(norm, norm,
        "norm(x, axis=None, keepdims=False, dtype=None, ord=2.0)\n--\n\n(sum |x|^ord)^(1/ord) over the named axes "
        "together; ord 0 counts, INFINITY is the largest |x|. Integers give f32; intermediate\npowers neither "
        "overflow nor underflow.\n\naxis: axes to reduce\nkeepdims: keeps reduced axes, with 1 element\ndtype: "
        "dtype of the result; default: x's, f32 for integers\nord: the power"),
    MADE_ROW(quantile, quantile,
        "quantile(x, q, *, axis=None, keepdims=False, method='linear')\n--\n\nThe element at position q (n - 1) of "
        "the n sorted elements; q is a number from 0 to 1, or a vector of them, with results along a\nnew first "
        "axis. NaN if x contains one. Integers give f32. The gradient goes to the neighbours.\n\naxis: axes to "
        "reduce\nkeepdims: keeps reduced axes, with 1 element\nmethod: how to interpolate between two elements"),
    MADE_ROW(median, median,
        "median(x, *, axis=None, keepdims=False)\n--\n\nThe middle element; for an even number the mean of the two "
        "in the middle, as in NumPy (PyTorch takes the lower).\n\naxis: axes to reduce\nkeepdims: keeps reduced "
        "axes, with 1 element"),
    MADE_ROW(average, weighted_average,
        "average(x, weights, *, axis=None, keepdims=False)\n--\n\nsum(x weights) / sum(weights); weights in the "
        "shape of x, or a vector along the single reduced axis.\n\naxis: axes to reduce\nkeepdims: keeps reduced "
        "axes, with 1 element"),
    MADE_ROW(isclose, isclose,
        "isclose(a, b, *, rtol=1e-05, atol=1e-08, equal_nan=False)\n--\n\nisclose, allclose: |a - b| <= atol + rtol "
        "|b| for each element, bool; infinities are close only to themselves. The other: for all elements, 0-d\n"
        "bool. Halves are compared in f32, integers in f64.\n\nrtol: tolerance relative to |b|\natol: absolute "
        "tolerance\nequal_nan: NaN is close to NaN, too"),
    MADE_ROW(allclose, allclose,
        "allclose(a, b, *, rtol=1e-05, atol=1e-08, equal_nan=False)\n--\n\nisclose, allclose: |a - b| <= atol + "
        "rtol |b| for each element, bool; infinities are close only to themselves. The other: for all elements, "
        "0-d\nbool. Halves are compared in f32, integers in f64.\n\nrtol: tolerance relative to |b|\natol: absolute "
        "tolerance\nequal_nan: NaN is close to NaN, too"),
    MADE_ROW(array_equal, array_equal,
        "array_equal(a, b, *, equal_nan=False)\n--\n\nTrue if shapes and all elements are equal; 0-d bool. "
        "Different shapes are no error.\n\nequal_nan: NaN equals NaN, too"),
    MADE_ROW(argmax, argmax,
        "argmax(x, *, axis=None, keepdims=False)\n--\n\nargmax, argmin: Position of the maximum or minimum, i64. It "
        "is the first of equal ones, the first NaN if there is one.\n\naxis: the axis; all: of the flattened "
        "tensor\nkeepdims: keeps the axis, with 1 element"),
    MADE_ROW(argmin, argmin,
        "argmin(x, *, axis=None, keepdims=False)\n--\n\nargmax, argmin: Position of the maximum or minimum, i64. It "
        "is the first of equal ones, the first NaN if there is one.\n\naxis: the axis; all: of the flattened "
        "tensor\nkeepdims: keeps the axis, with 1 element"),
    MADE_ROW(cumsum, cumsum,
        "cumsum(x, axis=-1, reverse=False, dtype=None, initial=False)\n--\n\ncumsum, cumprod: y[i] = x[0] + ... + "
        "x[i]; y[i] = x[0] * ... * x[i]. Running sums have one written order, the same bits on every device and\n"
        "number of threads, from where they begin: blocks of 1024 of strips of 64. A strip is added up in order, so "
        "are the sums of\na block's strips; blocks before i's are added as complete subtrees of a binary tree by "
        "the digits of their number, the largest\nfirst. y[i] is (blocks before + strips before) + the sum of its "
        "strip up to i. Running products go in order and are carried in\nf64 (complex ones in c128), since no order "
        "of parts would keep a part from overflowing; each result is rounded.\n\naxis: the axis; -1 is the last\n"
        "reverse: from the end\ndtype: dtype of the result; default: as for sum\ninitial: begins with one more "
        "element, 0 or 1"),
    MADE_ROW(cumprod, cumprod,
        "cumprod(x, axis=-1, reverse=False, dtype=None, initial=False)\n--\n\ncumsum, cumprod: y[i] = x[0] + ... + "
        "x[i]; y[i] = x[0] * ... * x[i]. Running sums have one written order, the same bits on every device and\n"
        "number of threads, from where they begin: blocks of 1024 of strips of 64. A strip is added up in order, so "
        "are the sums of\na block's strips; blocks before i's are added as complete subtrees of a binary tree by "
        "the digits of their number, the largest\nfirst. y[i] is (blocks before + strips before) + the sum of its "
        "strip up to i. Running products go in order and are carried in\nf64 (complex ones in c128), since no order "
        "of parts would keep a part from overflowing; each result is rounded.\n\naxis: the axis; -1 is the last\n"
        "reverse: from the end\ndtype: dtype of the result; default: as for sum\ninitial: begins with one more "
        "element, 0 or 1"),
    MADE_ROW(diff, diff,
        "diff(x, n=1, axis=-1, *, prepend=None, append=None)\n--\n\nThe differences of neighbours along an axis, n "
        "times; for bools whether they differ.\n\nn: number of repetitions\naxis: the axis; -1 is the last\n"
        "prepend: put before x along the axis; broadcast along the other axes\nappend: put after x along the axis; "
        "broadcast along the other axes"),
    MADE_ROW(linear_scan, linear_scan,
        "linear_scan(a, b, *, axis=-1, reverse=False, dtype=None)\n--\n\ns[i] = a[i] s[i-1] + b[i], s[-1] = 0: in "
        "order, with carry and rounding as in running products.\n\naxis: the axis; -1 is the last\nreverse: from "
        "the end\ndtype: dtype of the result; default: as for sum"),
    MADE_ROW(matmul, matmul,
        "matmul(x1, x2)\n--\n\nMatrix product over the last axis of a and the last but one of b; leading axes "
        "broadcast, vectors as in NumPy."),
    MADE_ROW(einsum, einsum,
        "einsum(subscripts, operands)\n--\n\nSums of products: \"ij,jk->ik\" names the axes of each operand by "
        "letters; those that the result does not have are summed. A\nletter twice is a diagonal, \"...\" the other "
        "axes in order; axes of 1 are repeated. Without \"->\" the result has the letters that\nare there once, in "
        "the order of the alphabet. Operands are multiplied from the left to the right, two at a time."),
    MADE_ROW(dot, dot,
        "dot(a, b)\n--\n\ndot, outer, trace: sum_i a[..., i] b[..., i]; a[i] b[j]; the sum of the diagonal of the "
        "last two axes."),
    MADE_ROW(outer, outer,
        "outer(x1, x2)\n--\n\ndot, outer, trace: sum_i a[..., i] b[..., i]; a[i] b[j]; the sum of the diagonal of "
        "the last two axes."),
    MADE_ROW(trace, trace,
        "trace(x)\n--\n\ndot, outer, trace: sum_i a[..., i] b[..., i]; a[i] b[j]; the sum of the diagonal of the "
        "last two axes."),
    {NULL, NULL, 0, NULL}};
