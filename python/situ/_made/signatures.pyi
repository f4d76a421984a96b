"""Signatures of functions. Made by scripts/generate.py from include/situ: change that."""
from collections.abc import Sequence
from typing import Literal, NamedTuple

from .._device import Device
from .._dtypes import DType
from .._situ import Operand, Tensor

class Operators:
    def __add__(self, other: Operand, /) -> Tensor: ...
    def __radd__(self, other: Operand, /) -> Tensor: ...
    def __sub__(self, other: Operand, /) -> Tensor: ...
    def __rsub__(self, other: Operand, /) -> Tensor: ...
    def __mul__(self, other: Operand, /) -> Tensor: ...
    def __rmul__(self, other: Operand, /) -> Tensor: ...
    def __truediv__(self, other: Operand, /) -> Tensor: ...
    def __rtruediv__(self, other: Operand, /) -> Tensor: ...
    def __floordiv__(self, other: Operand, /) -> Tensor: ...
    def __rfloordiv__(self, other: Operand, /) -> Tensor: ...
    def __mod__(self, other: Operand, /) -> Tensor: ...
    def __rmod__(self, other: Operand, /) -> Tensor: ...
    def __pow__(self, other: Operand, /) -> Tensor: ...
    def __rpow__(self, other: Operand, /) -> Tensor: ...
    def __matmul__(self, other: Operand, /) -> Tensor: ...
    def __rmatmul__(self, other: Operand, /) -> Tensor: ...
    def __and__(self, other: Operand, /) -> Tensor: ...
    def __rand__(self, other: Operand, /) -> Tensor: ...
    def __or__(self, other: Operand, /) -> Tensor: ...
    def __ror__(self, other: Operand, /) -> Tensor: ...
    def __xor__(self, other: Operand, /) -> Tensor: ...
    def __rxor__(self, other: Operand, /) -> Tensor: ...
    def __lshift__(self, other: Operand, /) -> Tensor: ...
    def __rlshift__(self, other: Operand, /) -> Tensor: ...
    def __rshift__(self, other: Operand, /) -> Tensor: ...
    def __rrshift__(self, other: Operand, /) -> Tensor: ...
    def __lt__(self, other: Operand, /) -> Tensor: ...
    def __le__(self, other: Operand, /) -> Tensor: ...
    def __gt__(self, other: Operand, /) -> Tensor: ...
    def __ge__(self, other: Operand, /) -> Tensor: ...
    def __eq__(self, other: Operand, /) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: Operand, /) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def sum(self, axis: int | Sequence[int] | None = None, *, keepdims: bool = False, dtype: DType | str | type | None
            = None) -> Tensor: ...
    def prod(self, axis: int | Sequence[int] | None = None, *, keepdims: bool = False, dtype: DType | str | type |
            None = None) -> Tensor: ...
    def max(self, axis: int | Sequence[int] | None = None, *, keepdims: bool = False) -> Tensor: ...
    def min(self, axis: int | Sequence[int] | None = None, *, keepdims: bool = False) -> Tensor: ...
    def any(self, axis: int | Sequence[int] | None = None, *, keepdims: bool = False) -> Tensor: ...
    def all(self, axis: int | Sequence[int] | None = None, *, keepdims: bool = False) -> Tensor: ...
    def mean(self, axis: int | Sequence[int] | None = None, *, keepdims: bool = False, dtype: DType | str | type |
            None = None) -> Tensor: ...
    def var(self, axis: int | Sequence[int] | None = None, *, keepdims: bool = False, dtype: DType | str | type | None
            = None, correction: float = 0.0) -> Tensor: ...
    def std(self, axis: int | Sequence[int] | None = None, *, keepdims: bool = False, dtype: DType | str | type | None
            = None, correction: float = 0.0) -> Tensor: ...
    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Tensor: ...
    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Tensor: ...
    def conj(self) -> Tensor: ...

class SlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor

class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class EigResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor

class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor

def matrix_transpose(x: Operand) -> Tensor:
    """transpose, matrix_transpose, swapaxes, moveaxis: Swaps the last two axes (transpose and matrix_transpose are the same); swaps any two; moves one to another position."""
def swapaxes(x: Operand, a: int, b: int) -> Tensor:
    """transpose, matrix_transpose, swapaxes, moveaxis: Swaps the last two axes (transpose and matrix_transpose are the same); swaps any two; moves one to another position."""
def diag(x: Operand, offset: int) -> Tensor:
    """The square matrix with a vector on a diagonal and 0 elsewhere; for a matrix its diagonal, like diagonal."""
def diagonal(x: Operand, *, offset: int = 0) -> Tensor:
    """The diagonal of the last two axes: y[..., i] = x[..., i, i + offset]."""
def squeeze(x: Operand, axis: int | Sequence[int] | None) -> Tensor:
    """Removes axes of size 1: all, or the named ones.

    axis: which axes"""
def flip(x: Operand, *, axis: int | Sequence[int] | None = None) -> Tensor:
    """Reverses the order along all or the named axes.

    axis: which axes"""
def stack(arrays: Sequence[Tensor], *, axis: int = 0) -> Tensor:
    """concat, stack: Concatenates along an axis (default 0); stack makes a new axis. dtypes are promoted.

    axis: the axis"""
def atleast_1d(x: Operand) -> Tensor:
    """atleast_1d, atleast_2d, atleast_3d: Adds axes until there are at least one, two or three, as in NumPy: [n] becomes [1, n] and [1, n, 1], [m, n] becomes [m, n, 1]."""
def atleast_2d(x: Operand) -> Tensor:
    """atleast_1d, atleast_2d, atleast_3d: Adds axes until there are at least one, two or three, as in NumPy: [n] becomes [1, n] and [1, n, 1], [m, n] becomes [m, n, 1]."""
def atleast_3d(x: Operand) -> Tensor:
    """atleast_1d, atleast_2d, atleast_3d: Adds axes until there are at least one, two or three, as in NumPy: [n] becomes [1, n] and [1, n, 1], [m, n] becomes [m, n, 1]."""
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """vstack, hstack: Concatenates rows: along axis 0, with at least two axes. And columns: along axis 1, vectors along their only axis."""
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """vstack, hstack: Concatenates rows: along axis 0, with at least two axes. And columns: along axis 1, vectors along their only axis."""
def pad(x: Operand, before: int | Sequence[int], after: int | Sequence[int], *, value: float = 0.0, mode:
        Literal['constant', 'reflect', 'edge', 'circular', 'zeros', 'replicate'] = 'constant') -> Tensor:
    """Adds `before` and `after` elements along each axis; any number in all modes, as in NumPy.

    value: value of the new elements, in constant mode
    mode: which values the new elements get"""
def sum(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str | type |
        None = None) -> Tensor:
    """sum, prod: Sum and product. Bool and signed integers give i64, unsigned ones u64, floats their own dtype (f16 sums in f32).

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element
    dtype: dtype of the result; default: see the function"""
def prod(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str | type |
        None = None) -> Tensor:
    """sum, prod: Sum and product. Bool and signed integers give i64, unsigned ones u64, floats their own dtype (f16 sums in f32).

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element
    dtype: dtype of the result; default: see the function"""
def max(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """max, min: Maximum and minimum; NaN propagates; an empty axis is an error. Ties share the gradient equally.

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element"""
def min(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """max, min: Maximum and minimum; NaN propagates; an empty axis is an error. Ties share the gradient equally.

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element"""
def any(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """any, all, count_nonzero: Is any element nonzero, are all? bool. How many are? i64.

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element"""
def all(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """any, all, count_nonzero: Is any element nonzero, are all? bool. How many are? i64.

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element"""
def count_nonzero(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """any, all, count_nonzero: Is any element nonzero, are all? bool. How many are? i64.

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element"""
def mean(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str | type |
        None = None) -> Tensor:
    """sum(x) / n; integers give f32.

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element
    dtype: dtype of the result; default: see the function"""
def var(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str | type |
        None = None, correction: float = 0.0) -> Tensor:
    """The variance sum((x - mean(x))^2) / (n - correction).

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element
    dtype: dtype of the result; default: x's, f32 for integers
    correction: the divisor is n - correction"""
def std(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str | type |
        None = None, correction: float = 0.0) -> Tensor:
    """And its square root.

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element
    dtype: dtype of the result; default: x's, f32 for integers
    correction: the divisor is n - correction"""
def logsumexp(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str |
        type | None = None) -> Tensor:
    """log(sum(exp(x))), without overflow.

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element
    dtype: dtype of the result; default: see the function"""
def quantile(x: Operand, q: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, method:
        Literal['linear', 'lower', 'higher', 'nearest', 'midpoint'] = 'linear') -> Tensor:
    """The element at position q (n - 1) of the n sorted elements; q is a number from 0 to 1, or a vector of them, with results along a
    new first axis. NaN if x contains one. Integers give f32. The gradient goes to the neighbours.

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element
    method: how to interpolate between two elements"""
def median(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The middle element; for an even number the mean of the two in the middle, as in NumPy (PyTorch takes the lower).

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element"""
def average(x: Operand, weights: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool =
        False) -> Tensor:
    """sum(x weights) / sum(weights); weights in the shape of x, or a vector along the single reduced axis.

    axis: axes to reduce
    keepdims: keeps reduced axes, with 1 element"""
def isclose(a: Operand, b: Operand, *, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """isclose, allclose: |a - b| <= atol + rtol |b| for each element, bool; infinities are close only to themselves. The other: for all elements, 0-d
    bool. Halves are compared in f32, integers in f64.

    rtol: tolerance relative to |b|
    atol: absolute tolerance
    equal_nan: NaN is close to NaN, too"""
def allclose(a: Operand, b: Operand, *, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """isclose, allclose: |a - b| <= atol + rtol |b| for each element, bool; infinities are close only to themselves. The other: for all elements, 0-d
    bool. Halves are compared in f32, integers in f64.

    rtol: tolerance relative to |b|
    atol: absolute tolerance
    equal_nan: NaN is close to NaN, too"""
def array_equal(a: Operand, b: Operand, *, equal_nan: bool = False) -> Tensor:
    """True if shapes and all elements are equal; 0-d bool. Different shapes are no error.

    equal_nan: NaN equals NaN, too"""
def argmax(x: Operand, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """argmax, argmin: Position of the maximum or minimum, i64. It is the first of equal ones, the first NaN if there is one.

    axis: the axis; all: of the flattened tensor
    keepdims: keeps the axis, with 1 element"""
def argmin(x: Operand, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """argmax, argmin: Position of the maximum or minimum, i64. It is the first of equal ones, the first NaN if there is one.

    axis: the axis; all: of the flattened tensor
    keepdims: keeps the axis, with 1 element"""
def diff(x: Operand, n: int = 1, axis: int = -1, *, prepend: Operand | None = None, append: Operand | None =
        None) -> Tensor:
    """The differences of neighbours along an axis, n times; for bools whether they differ.

    n: number of repetitions
    axis: the axis; -1 is the last
    prepend: put before x along the axis; broadcast along the other axes
    append: put after x along the axis; broadcast along the other axes"""
def linear_scan(a: Operand, b: Operand, *, axis: int = -1, reverse: bool = False, dtype: DType | str | type | None =
        None) -> Tensor:
    """s[i] = a[i] s[i-1] + b[i], s[-1] = 0: in order, with carry and rounding as in running products.

    axis: the axis; -1 is the last
    reverse: from the end
    dtype: dtype of the result; default: as for sum"""
def matmul(x1: Operand, x2: Operand) -> Tensor:
    """Matrix product over the last axis of a and the last but one of b; leading axes broadcast, vectors as in NumPy."""
def dot(a: Operand, b: Operand) -> Tensor:
    """dot, outer, trace: sum_i a[..., i] b[..., i]; a[i] b[j]; the sum of the diagonal of the last two axes."""
def outer(x1: Operand, x2: Operand) -> Tensor:
    """dot, outer, trace: sum_i a[..., i] b[..., i]; a[i] b[j]; the sum of the diagonal of the last two axes."""
def gelu(x: Operand, exact: bool = False) -> Tensor:
    """x / (1 + exp(-2u)), u = sqrt(2 / pi) (x + 0.044715 x^3): the tanh form of gelu.

    exact: x (1 + erf(x / sqrt 2)) / 2 instead of the usual approximation"""
def silu(x: Operand) -> Tensor:
    """x / (1 + exp(-x))."""
def mish(x: Operand) -> Tensor:
    """x tanh(log(1 + exp(x)))."""
def leaky_relu(x: Operand, slope: Operand = 0.01) -> Tensor:
    """x where x >= 0, else slope x."""
def elu(x: Operand, alpha: Operand = 1.0) -> Tensor:
    """x where x > 0, else alpha (exp(x) - 1)."""
def softmax(x: Operand, axis: int = -1) -> Tensor:
    """exp(x) / sum(exp(x)).

    axis: the axis; -1 is the last"""
def log_softmax(x: Operand, axis: int = -1) -> Tensor:
    """x - log(sum(exp(x))).

    axis: the axis; -1 is the last"""
def cross_entropy(logits: Operand, labels: Operand, reduction: Literal['mean', 'sum', 'none'] = 'mean', *, axis: int =
        -1, smoothing: float = 0.0, weights: Operand | None = None, ignored: Operand | None = None) -> Tensor:
    """-log_softmax(logits)[..., label]; labels: integers, in the shape of logits without its last axis, or probabilities (floats)
    in the shape of logits: -sum(labels log_softmax(logits)). The classes lie along the last axis; of logits [n, classes, ...] as
    PyTorch has them write axis = 1, also where the shapes would fit without. A label that is not from 0 to the number of
    scores - 1 is bad_index where the loss is computed. The mean of no elements is NaN.

    reduction: how the losses of all elements are reduced; the mean divides by the sum of their weights
    axis: the axis of the classes; -1 is the last
    smoothing: this share of the target is spread evenly over all classes
    weights: a vector with the classes' weights
    ignored: the label, an integer, of elements that are ignored; none: every element counts"""
def nll_loss(log_probs: Operand, labels: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean', axis: int =
        -1, weights: Operand | None = None, ignored: Operand | None = None) -> Tensor:
    """-log_probs[..., label]: cross entropy for the result of log_softmax.

    reduction: how the losses of all elements are reduced; the mean divides by the sum of their weights
    axis: the axis of the classes; -1 is the last
    weights: a vector with the classes' weights
    ignored: the label, an integer, of elements that are ignored; none: every element counts"""
def binary_cross_entropy(p: Operand, target: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean', weights:
        Operand | None = None) -> Tensor:
    """-(target log(p) + (1 - target) log(1 - p)) for probabilities p; both of one shape. log(0) counts as -100, without a gradient;
    binary_cross_entropy_with_logits has one. NaN for p outside of 0 to 1.

    reduction: how the losses of all elements are reduced
    weights: weights of the elements; broadcasts"""
def binary_cross_entropy_with_logits(logits: Operand, target: Operand, *, reduction: Literal['mean', 'sum', 'none'] =
        'mean', weights: Operand | None = None, pos_weights: Operand | None = None) -> Tensor:
    """The same for p = sigmoid(logits), without overflow: (1 - target) logits + pos log(1 + exp(-logits)),
    pos = 1 + (pos_weights - 1) target.

    reduction: how the losses of all elements are reduced
    weights: weights of the elements; broadcasts
    pos_weights: weights of the term with target; broadcasts"""
def mse(prediction: Operand, target: Operand, reduction: Literal['mean', 'sum', 'none'] = 'mean') -> Tensor:
    """(prediction - target)^2; both of one shape, or one of them a single number.

    reduction: how the losses of all elements are reduced"""
def l1_loss(prediction: Operand, target: Operand, reduction: Literal['mean', 'sum', 'none'] = 'mean') -> Tensor:
    """|prediction - target|; shapes as for mse.

    reduction: how the losses of all elements are reduced"""
def smooth_l1_loss(prediction: Operand, target: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean', beta:
        float = 1.0) -> Tensor:
    """d^2 / (2 beta) where d = |prediction - target| < beta, else d - beta / 2; shapes as for mse.

    reduction: how the losses of all elements are reduced
    beta: up to this difference the loss is quadratic"""
def huber_loss(prediction: Operand, target: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean', delta:
        float = 1.0) -> Tensor:
    """d^2 / 2 where d = |prediction - target| <= delta, else delta (d - delta / 2); shapes as for mse.

    reduction: how the losses of all elements are reduced
    delta: up to this difference the loss is quadratic"""
def kl_div(log_probs: Operand, target: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean', log_target:
        bool = False) -> Tensor:
    """target (log(target) - log_probs), 0 where target is; both of one shape.

    reduction: how the losses of all elements are reduced; for the divergence of rows use sum and divide by the number of rows
    log_target: target contains logarithms of probabilities"""
def hinge_loss(score: Operand, sign: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean') -> Tensor:
    """max(0, 1 - score * sign), where sign is -1 or 1; both of one shape.

    reduction: how the losses of all elements are reduced"""
def hinge_embedding_loss(distance: Operand, sign: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean',
        margin: float = 1.0) -> Tensor:
    """distance where sign is 1, max(0, margin - distance) where it is -1; both of one shape.

    reduction: how the losses of all elements are reduced
    margin: distances beyond this cost nothing"""
def cosine_embedding_loss(a: Operand, b: Operand, sign: Operand, *, reduction: Literal['mean', 'sum', 'none'] =
        'mean', margin: float = 0.0) -> Tensor:
    """With the cosine of a and b along the last axis: 1 - cosine where sign is 1, max(0, cosine - margin) where it is -1; sign in
    the shape of a without its last axis.

    reduction: how the losses of all rows are reduced
    margin: cosines up to this cost nothing"""
def margin_ranking_loss(a: Operand, b: Operand, sign: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean',
        margin: float = 0.0) -> Tensor:
    """max(0, margin - sign (a - b)): a should be above b where sign is 1, below where it is -1; all of one shape.

    reduction: how the losses of all elements are reduced
    margin: required difference"""
def triplet_margin_loss(anchor: Operand, positive: Operand, negative: Operand, *, reduction: Literal['mean', 'sum',
        'none'] = 'mean', margin: float = 1.0, ord: float = 2.0, eps: float = 1e-06, swap: bool = False) -> Tensor:
    """max(0, margin + distance(anchor, positive) - distance(anchor, negative)) with norms along the last axis; all of one shape.

    reduction: how the losses of all rows are reduced
    margin: how much farther the negative should be
    ord: the power of the distance
    eps: added to differences
    swap: uses the smaller of the negative's distances to the anchor and to the positive"""
def ctc_loss(log_probs: Operand, labels: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean',
        input_lengths: Operand | None = None, target_lengths: Operand | None = None, blank: int = 0, zero_infinity:
        bool = False) -> Tensor:
    """-log of the probability that the steps give the labels, after merging repeated classes and removing blanks (Graves et al. 2006).
    log_probs: f32[N, steps, classes], log_softmax along the last axis; labels: integers[N, most labels], none of them blank.

    reduction: how the losses of all rows are reduced; the mean first divides each by its number of labels
    input_lengths: integers[N], number of valid steps in each row, may be 0; none: all
    target_lengths: integers[N], number of valid labels in each row; none: all
    blank: the blank class
    zero_infinity: rows with too few steps for their labels cost 0 instead of infinity"""
def accuracy(logits: Operand, labels: Operand) -> Tensor:
    """The share of rows whose largest score is at the label; a 0-d f32. Labels as in cross_entropy."""
def global_norm(tensors: Sequence[Tensor]) -> Tensor:
    """The square root of the sum of all squares of several tensors on one device, in f64: 0-d. Squares of f32 neither overflow nor
    underflow."""
def dropout(x: Operand, key: Operand, rate: Operand) -> Tensor:
    """Elements become 0 with probability rate, the others are divided by 1 - rate."""
def conv2d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | Literal['same',
        'valid'] = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """y[n,o,h,v] = sum over c, i, j of x[n, c, h stride + i dilation - padding, v ...] w[o,c,i,j], zeros outside of x.
    x [n, channels, height, width], w [out, channels / groups, kernel height, kernel width].

    stride: distance between windows: one number, or one for height and one for width
    padding: zeros added at both ends of an axis; same keeps its size, if the stride is 1
    dilation: distance between elements of the kernel
    groups: number of groups of channels, which are convolved separately"""
def conv1d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | Literal['same',
        'valid'] = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """The same with one axis: x [n, channels, length], w [out, channels / groups, kernel length].

    stride: distance between windows: one number, or one for height and one for width
    padding: zeros added at both ends of an axis; same keeps its size, if the stride is 1
    dilation: distance between elements of the kernel
    groups: number of groups of channels, which are convolved separately"""
def conv3d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | Literal['same',
        'valid'] = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """With three axes: x [n, channels, depth, height, width], w [out, channels / groups, kernel depth, height, width]; options are one
    number, or one for each of the three axes.

    stride: distance between windows: one number, or one for height and one for width
    padding: zeros added at both ends of an axis; same keeps its size, if the stride is 1
    dilation: distance between elements of the kernel
    groups: number of groups of channels, which are convolved separately"""
def conv_transpose1d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1, output_padding: int | Sequence[int] = 0, groups: int = 1) -> Tensor:
    """conv_transpose1d, conv_transpose2d, conv_transpose3d: Transposed convolutions: the gradient of a convolution by its input. x [n, channels, ...], w [channels, out / groups, kernel
    ...]; an axis of n elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.

    stride: stride of the convolution: one number, or one for each axis
    padding: padding of the convolution: removed at both ends
    dilation: distance between elements of the kernel
    output_padding: additional elements at the end, fewer than the stride: selects one of the sizes that the convolution maps to the same size
    groups: number of groups of channels, which are convolved separately"""
def conv_transpose2d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1, output_padding: int | Sequence[int] = 0, groups: int = 1) -> Tensor:
    """conv_transpose1d, conv_transpose2d, conv_transpose3d: Transposed convolutions: the gradient of a convolution by its input. x [n, channels, ...], w [channels, out / groups, kernel
    ...]; an axis of n elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.

    stride: stride of the convolution: one number, or one for each axis
    padding: padding of the convolution: removed at both ends
    dilation: distance between elements of the kernel
    output_padding: additional elements at the end, fewer than the stride: selects one of the sizes that the convolution maps to the same size
    groups: number of groups of channels, which are convolved separately"""
def conv_transpose3d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1, output_padding: int | Sequence[int] = 0, groups: int = 1) -> Tensor:
    """conv_transpose1d, conv_transpose2d, conv_transpose3d: Transposed convolutions: the gradient of a convolution by its input. x [n, channels, ...], w [channels, out / groups, kernel
    ...]; an axis of n elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1.

    stride: stride of the convolution: one number, or one for each axis
    padding: padding of the convolution: removed at both ends
    dilation: distance between elements of the kernel
    output_padding: additional elements at the end, fewer than the stride: selects one of the sizes that the convolution maps to the same size
    groups: number of groups of channels, which are convolved separately"""
def unfold(x: Operand, window: int | Sequence[int], *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] =
        0, dilation: int | Sequence[int] = 1) -> Tensor:
    """unfold, fold: The windows over the last two axes as columns: x [n, channels, height, width] gives [n, channels * window, windows]. fold is the
    inverse: columns are added up at their positions in images of size `image` (height and width).

    stride: distance between windows: one number, or one for each axis
    padding: zeros added at both ends of an axis
    dilation: distance between elements of a window"""
def fold(x: Operand, image: int | Sequence[int], window: int | Sequence[int], *, stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1) -> Tensor:
    """unfold, fold: The windows over the last two axes as columns: x [n, channels, height, width] gives [n, channels * window, windows]. fold is the
    inverse: columns are added up at their positions in images of size `image` (height and width).

    stride: distance between windows: one number, or one for each axis
    padding: zeros added at both ends of an axis
    dilation: distance between elements of a window"""
def max_pool2d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> Tensor:
    """max_pool2d, avg_pool2d: The maximum, and the mean, of each window over the last two axes. Of equal elements the first gets the gradient; NaN counts as
    the largest. An image without rows or columns, whose windows contain only padding, is an error; its means over whole windows are
    0.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: distance between elements of a window
    ceil: also uses a last window that reaches past the end, if it begins within x or the padding before it"""
def avg_pool2d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> Tensor:
    """max_pool2d, avg_pool2d: The maximum, and the mean, of each window over the last two axes. Of equal elements the first gets the gradient; NaN counts as
    the largest. An image without rows or columns, whose windows contain only padding, is an error; its means over whole windows are
    0.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means divide by the whole window, counting padding as zeros
    ceil: also uses a last window that reaches past the end; what is after the padding does not count for its mean"""
def max_pool1d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> Tensor:
    """max_pool1d, avg_pool1d, max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one number, or one for each axis.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: distance between elements of a window
    ceil: also uses a last window that reaches past the end, if it begins within x or the padding before it"""
def avg_pool1d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> Tensor:
    """max_pool1d, avg_pool1d, max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one number, or one for each axis.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means divide by the whole window, counting padding as zeros
    ceil: also uses a last window that reaches past the end; what is after the padding does not count for its mean"""
def max_pool3d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> Tensor:
    """max_pool1d, avg_pool1d, max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one number, or one for each axis.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: distance between elements of a window
    ceil: also uses a last window that reaches past the end, if it begins within x or the padding before it"""
def avg_pool3d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> Tensor:
    """max_pool1d, avg_pool1d, max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one number, or one for each axis.

    stride: distance between windows; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means divide by the whole window, counting padding as zeros
    ceil: also uses a last window that reaches past the end; what is after the padding does not count for its mean"""
def adaptive_max_pool1d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the last axes (one number for all, or one for each): element i of m is the maximum, or the
    mean, of elements floor(i n / m) to ceil((i + 1) n / m) - 1."""
def adaptive_max_pool2d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the last axes (one number for all, or one for each): element i of m is the maximum, or the
    mean, of elements floor(i n / m) to ceil((i + 1) n / m) - 1."""
def adaptive_max_pool3d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the last axes (one number for all, or one for each): element i of m is the maximum, or the
    mean, of elements floor(i n / m) to ceil((i + 1) n / m) - 1."""
def adaptive_avg_pool1d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the last axes (one number for all, or one for each): element i of m is the maximum, or the
    mean, of elements floor(i n / m) to ceil((i + 1) n / m) - 1."""
def adaptive_avg_pool2d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the last axes (one number for all, or one for each): element i of m is the maximum, or the
    mean, of elements floor(i n / m) to ceil((i + 1) n / m) - 1."""
def adaptive_avg_pool3d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Pools to `size` elements along each of the last axes (one number for all, or one for each): element i of m is the maximum, or the
    mean, of elements floor(i n / m) to ceil((i + 1) n / m) - 1."""
def interpolate(x: Operand, size: int | Sequence[int], *, mode: Literal['nearest', 'nearest_exact', 'linear',
        'bilinear', 'trilinear', 'cubic', 'bicubic'] = 'nearest', align_corners: bool = False) -> Tensor:
    """Resizes the last axes, one number for each: x [n, channels, height, width] with SHAPE(h, w). Without antialiasing.

    mode: the method
    align_corners: aligns the centres of the first and last elements with those of x, instead of the outer edges; only for linear and cubic"""
def grid_sample(x: Operand, grid: Operand, *, mode: Literal['nearest', 'nearest_exact', 'linear', 'bilinear',
        'trilinear', 'cubic', 'bicubic'] = 'bilinear', padding: Literal['zeros', 'border', 'reflection'] = 'zeros',
        align_corners: bool = False) -> Tensor:
    """Samples x [n, channels, height, width] at positions grid [n, rows, columns, 2], (horizontal, vertical) from -1 to 1: [n,
    channels, rows, columns]. As torch.nn.functional.grid_sample.

    mode: the method: linear, or nearest (ties to even)
    padding: the values outside of x
    align_corners: -1 and 1 are the centres of the first and last elements instead of their outer edges"""
def layer_norm(x: Operand, scale: Operand, shift: Operand, *, eps: float = 1e-05) -> Tensor:
    """(x - mean) / sqrt(variance + eps) scale + shift, with the moments of each row of x along its last axis. scale and shift have the
    length of that axis.

    eps: added to the variance"""
def batch_norm(x: Operand, scale: Operand, shift: Operand, *, eps: float = 1e-05, momentum: float = 0.1, mean: Operand
        | None = None, variance: Operand | None = None, inference: bool = False) -> Tensor:
    """The same with the moments of each channel of x, over all axes except axis 1. scale and shift have the length of axis 1.

    eps: added to the variance
    momentum: running = (1 - momentum) running + momentum value, with the variance times n / (n - 1); a single value changes nothing
    mean: a variable for the running means
    variance: a variable for the running variances
    inference: normalises with mean and variance, which may then be any tensors, and changes nothing"""
def embedding(table: Operand, index: Operand) -> Tensor:
    """Rows of a table [count, width]: table[index]. For repeated indices the gradients are added in order."""
def attention(q: Operand, k: Operand, v: Operand, *, causal: bool = False, scale: float = 0.0) -> Tensor:
    """softmax(q k^T scale) v; q [..., queries, width], k [..., keys, width], v [..., keys, any width].

    causal: query i attends only to keys 0 ... i
    scale: factor of the scores; 0: 1 / sqrt(width)"""
def self_attention(x: Operand, heads: int, *, causal: bool = False, scale: float = 0.0) -> Tensor:
    """The same for x [..., positions, 3 heads width] with queries, keys and values of all heads, one after the other; the heads'
    results are concatenated: [..., positions, heads width].

    causal: query i attends only to keys 0 ... i
    scale: factor of the scores; 0: 1 / sqrt(width)"""
def rotary(x: Operand, position: Operand, *, base: float = 10000.0, axis: int = -2) -> Tensor:
    """Rotary embedding (Su et al. 2021): rotates elements i and i + width / 2 of each row of x [..., positions, ..., width] as a pair
    by the angle position / base^(2 i / width). position: integers, one for each position along axis.

    base: base of the angles
    axis: the axis of the positions"""
def quantise(w: Operand, type: Literal['q8_0', 'q4_0', 'q4_1', 'q8_rows']) -> Tensor:
    """Quantises rows w f32 [rows, in] to bytes u8 [rows, bytes]; except for SITU_Q8_ROWS, in has to be a multiple of 32. Each number
    becomes the nearest one that its block or row can represent; no gradient. On the CPU."""
def dequantise(blocks: Operand, type: Literal['q8_0', 'q4_0', 'q4_1', 'q8_rows']) -> Tensor:
    """The numbers of quantised rows [rows, bytes], f32 [rows, in]. On the CPU."""
def quantised_linear(x: Operand, blocks: Operand, type: Literal['q8_0', 'q4_0', 'q4_1', 'q8_rows']) -> Tensor:
    """x W^T with W = dequantise(blocks), which is never stored as a whole if x [..., in] has few rows. f32, with a gradient by x. On
    the CPU. SITU_Q8_ROWS: each row of x is rounded to i8 with 1/127 of its largest magnitude as unit (dynamic quantisation); sums
    are exact in i32, so in is at most 131,072; the gradient is that of the product without rounding. A row that is not finite gives
    NaN."""
def initial(key: Operand, shape: int | Sequence[int], how: Literal['layer', 'constant', 'uniform', 'normal',
        'xavier_uniform', 'xavier_normal', 'kaiming_uniform', 'kaiming_normal', 'truncated', 'orthogonal', 'eye'], *,
        gain: float = 1.0, value: float = 0.0) -> Tensor:
    """An f32 tensor with this shape, on the key's device.

    gain: see the table
    value: see the table"""
def zeros(shape: int | Sequence[int], *, dtype: DType | str | type | None = None, device: Device | str | None =
        None) -> Tensor:
    """Zeros everywhere.

    dtype: dtype of the result; see each function
    device: where it is made; default: the thread's default device"""
def empty(shape: int | Sequence[int], *, dtype: DType | str | type | None = None, device: Device | str | None =
        None) -> Tensor:
    """Zeros: situ has no tensors without a value.

    dtype: dtype of the result; see each function
    device: where it is made; default: the thread's default device"""
def ones(shape: int | Sequence[int], *, dtype: DType | str | type | None = None, device: Device | str | None =
        None) -> Tensor:
    """Ones everywhere.

    dtype: dtype of the result; see each function
    device: where it is made; default: the thread's default device"""
def zeros_like(x: Operand, *, dtype: DType | str | type | None = None, device: Device | str | None = None) -> Tensor:
    """zeros_like, ones_like, full_like: The same with x's shape, dtype and device.

    dtype: dtype of the result; see each function
    device: where it is made; default: the thread's default device"""
def empty_like(x: Operand, *, dtype: DType | str | type | None = None, device: Device | str | None = None) -> Tensor:
    """As zeros_like: situ has no tensors without a value.

    dtype: dtype of the result; see each function
    device: where it is made; default: the thread's default device"""
def ones_like(x: Operand, *, dtype: DType | str | type | None = None, device: Device | str | None = None) -> Tensor:
    """zeros_like, ones_like, full_like: The same with x's shape, dtype and device.

    dtype: dtype of the result; see each function
    device: where it is made; default: the thread's default device"""
def eye(n_rows: int, n_cols: int = -1, *, k: int = 0, dtype: DType | str | type | None = None, device: Device | str |
        None = None) -> Tensor:
    """1 where column - row == diagonal, else 0.

    n_cols: number of columns; -1: as many as rows
    k: which diagonal; 0: the main one; positive: above it, negative: below
    dtype: dtype of the result
    device: where it is made; default: the thread's default device"""
def tril(x: Operand, *, k: int = 0) -> Tensor:
    """tril, triu: x where column - row <= diagonal (tril) or >= diagonal (triu), else 0, over the last two axes."""
def triu(x: Operand, *, k: int = 0) -> Tensor:
    """tril, triu: x where column - row <= diagonal (tril) or >= diagonal (triu), else 0, over the last two axes."""
def real(x: Operand) -> Tensor:
    """complex, real, imag, conj: re + i im from two real tensors of one float dtype; the real and imaginary part of a complex tensor; its conjugate. A real tensor
    is its own real part and conjugate."""
def imag(x: Operand) -> Tensor:
    """complex, real, imag, conj: re + i im from two real tensors of one float dtype; the real and imaginary part of a complex tensor; its conjugate. A real tensor
    is its own real part and conjugate."""
def conj(x: Operand) -> Tensor:
    """complex, real, imag, conj: re + i im from two real tensors of one float dtype; the real and imaginary part of a complex tensor; its conjugate. A real tensor
    is its own real part and conjugate."""
def stop_gradient(x: Operand) -> Tensor:
    """x as a constant: gradients do not pass through it."""
def fft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """fft, ifft: Complex to complex. A real x is converted.

    n: length of the transform: x is cut or padded with 0; for irfft and hfft length of the result. None: the length of x; irfft, hfft: 2 (length - 1)
    axis: the axis; -1 is the last
    norm: which direction is divided"""
def ifft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """fft, ifft: Complex to complex. A real x is converted.

    n: length of the transform: x is cut or padded with 0; for irfft and hfft length of the result. None: the length of x; irfft, hfft: 2 (length - 1)
    axis: the axis; -1 is the last
    norm: which direction is divided"""
def rfft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """The first n / 2 + 1 elements of the fft of a real x.

    n: length of the transform: x is cut or padded with 0; for irfft and hfft length of the result. None: the length of x; irfft, hfft: 2 (length - 1)
    axis: the axis; -1 is the last
    norm: which direction is divided"""
def irfft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """And the inverse, real.

    n: length of the transform: x is cut or padded with 0; for irfft and hfft length of the result. None: the length of x; irfft, hfft: 2 (length - 1)
    axis: the axis; -1 is the last
    norm: which direction is divided"""
def hfft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """The transform of a signal with a real spectrum, from its first half.

    n: length of the transform: x is cut or padded with 0; for irfft and hfft length of the result. None: the length of x; irfft, hfft: 2 (length - 1)
    axis: the axis; -1 is the last
    norm: which direction is divided"""
def ihfft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """And the inverse.

    n: length of the transform: x is cut or padded with 0; for irfft and hfft length of the result. None: the length of x; irfft, hfft: 2 (length - 1)
    axis: the axis; -1 is the last
    norm: which direction is divided"""
def fftn(x: Operand, *, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None, norm:
        Literal['backward', 'ortho', 'forward'] = 'backward') -> Tensor:
    """fftn, ifftn, rfftn, irfftn: Transforms along several axes. rfftn begins with rfft along the last axis; irfftn ends with irfft along it.

    s: lengths along the axes; a single number only for one axis; default: as n of fft
    axes: the axes; all, or the last ones if s is given
    norm: which direction is divided"""
def ifftn(x: Operand, *, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None, norm:
        Literal['backward', 'ortho', 'forward'] = 'backward') -> Tensor:
    """fftn, ifftn, rfftn, irfftn: Transforms along several axes. rfftn begins with rfft along the last axis; irfftn ends with irfft along it.

    s: lengths along the axes; a single number only for one axis; default: as n of fft
    axes: the axes; all, or the last ones if s is given
    norm: which direction is divided"""
def rfftn(x: Operand, *, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None, norm:
        Literal['backward', 'ortho', 'forward'] = 'backward') -> Tensor:
    """fftn, ifftn, rfftn, irfftn: Transforms along several axes. rfftn begins with rfft along the last axis; irfftn ends with irfft along it.

    s: lengths along the axes; a single number only for one axis; default: as n of fft
    axes: the axes; all, or the last ones if s is given
    norm: which direction is divided"""
def irfftn(x: Operand, *, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None, norm:
        Literal['backward', 'ortho', 'forward'] = 'backward') -> Tensor:
    """fftn, ifftn, rfftn, irfftn: Transforms along several axes. rfftn begins with rfft along the last axis; irfftn ends with irfft along it.

    s: lengths along the axes; a single number only for one axis; default: as n of fft
    axes: the axes; all, or the last ones if s is given
    norm: which direction is divided"""
def fftfreq(n: int, *, d: float = 1.0, dtype: DType | str | type | None = None, device: Device | str | None =
        None) -> Tensor:
    """fftfreq, rfftfreq: The frequencies of fft's results, k / (n d): 0, 1, ... and then the negative ones; and of rfft's, 0, 1, ... n / 2.

    d: the time between two samples
    dtype: dtype of the result
    device: where it is made; default: the thread's default device"""
def rfftfreq(n: int, *, d: float = 1.0, dtype: DType | str | type | None = None, device: Device | str | None =
        None) -> Tensor:
    """fftfreq, rfftfreq: The frequencies of fft's results, k / (n d): 0, 1, ... and then the negative ones; and of rfft's, 0, 1, ... n / 2.

    d: the time between two samples
    dtype: dtype of the result
    device: where it is made; default: the thread's default device"""
def fftshift(x: Operand, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Moves frequency 0 to the middle of all (or the named) axes.

    axes: which axes"""
def ifftshift(x: Operand, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """And back.

    axes: which axes"""
def gather(x: Operand, index: Operand, *, axis: int = -1) -> Tensor:
    """One element for each index, along an axis (default: the last): y[i, j] = x[i, index[i, j]].

    axis: the axis; -1 is the last"""
def scatter(x: Operand, index: Operand, value: Operand, *, axis: int = -1) -> Tensor:
    """scatter, scatter_add: x with y[i, index[i, j]] = value[i, j] (with equal indices the last one counts), or += value[i, j], in order. From 16,384 indices
    on in f64, since long sums in order are inaccurate.

    axis: the axis; -1 is the last"""
def scatter_add(x: Operand, index: Operand, value: Operand, *, axis: int = -1) -> Tensor:
    """scatter, scatter_add: x with y[i, index[i, j]] = value[i, j] (with equal indices the last one counts), or += value[i, j], in order. From 16,384 indices
    on in f64, since long sums in order are inaccurate.

    axis: the axis; -1 is the last"""
def index_add(x: Operand, index: Operand, value: Operand, *, axis: int = 0) -> Tensor:
    """x with value's slices added to the slices selected by index: the inverse of take, with additions as in scatter_add.

    axis: the axis"""
def one_hot(index: Operand, n: int, dtype: DType | str | type | None = None) -> Tensor:
    """A new last axis of n elements: 1 at the index, else 0 (all 0 if it is out of range).

    dtype: dtype of the result"""
def topk(x: Operand, k: int, *, axis: int = -1, smallest: bool = False) -> tuple[Tensor, ...]:
    """The k largest, in descending order. NaN comes last, as in sort.

    axis: the axis; -1 is the last
    smallest: the k smallest instead of the k largest"""
def bincount(x: Operand, *, weights: Operand | None = None, least: int = 0, count: int = -1) -> Tensor:
    """How often each integer from 0 on occurs, i64; with weights the sum of their weights. Negative integers, and those beyond count,
    are errors at the next barrier. Without count the largest one is read, which waits.

    weights: added instead of 1, in the shape of x
    least: least number of results
    count: exact number of results, which avoids waiting; -1: one more than the largest element"""
def cholesky(x: Operand, *, upper: bool = False) -> Tensor:
    """The lower triangular L with x = L L^H, for a Hermitian positive definite x (only its lower triangle is read).

    upper: returns U with x = U^H U instead of L"""
def solve(x1: Operand, x2: Operand) -> Tensor:
    """y with a y = b, by LU factors with partial pivoting (a large triangular a by substitution alone); b[n] or b[..., n, k], leading
    axes broadcast."""
def solve_triangular(a: Operand, b: Operand, *, upper: bool = False, transposed: bool = False, unit_diagonal: bool =
        False) -> Tensor:
    """y with a y = b for a triangular a, whose other triangle is not read.

    upper: reads the upper triangle of a instead of the lower one
    transposed: solves a^T y = b instead
    unit_diagonal: takes a's diagonal as 1 instead of reading it"""
def inv(x: Operand) -> Tensor:
    """x^-1."""
def det(x: Operand) -> Tensor:
    """The determinant (0 for a singular matrix, whose gradient is an error)."""
def slogdet(x: Operand) -> SlogdetResult:
    """det / |det|, or 0."""
def eigh(x: Operand) -> EighResult:
    """Eigenvalues of a Hermitian matrix (its lower triangle is read), real, ascending: Jacobi's rotations, for large real
    ones tridiagonal form, then divide and conquer for vectors, QL steps for values alone."""
def eig(x: Operand) -> EigResult:
    """Eigenvalues of any square matrix, complex, in no order: Hessenberg form and the shifted QR iteration."""
def svd(x: Operand, *, full_matrices: bool = True) -> SVDResult:
    """Singular values, real, descending: one-sided Jacobi rotations.

    full_matrices: u [m,m] and vh [n,n] instead of [m,k] and [k,n], k = min(m, n); gradients by the additional vectors are ignored"""
def matrix_power(x: Operand, n: int) -> Tensor:
    """x^n by squaring; negative powers are powers of the inverse."""
def cross(x1: Operand, x2: Operand, *, axis: int = -1) -> Tensor:
    """a x b for vectors of 3 along an axis (default: the last); others broadcast.

    axis: the axis; -1 is the last"""
def key(seed: int, *, device: Device | str | None = None) -> Tensor:
    """The key of a seed.

    device: where the key is made; default: the thread's default device"""
def fold_in(key: Operand, data: Operand) -> Tensor:
    """A new key from a key and a number (an integer tensor or a number, taken modulo 2^32)."""
def bits(key: Operand, shape: int | Sequence[int] = (), dtype: DType | str | type | None = None, *, device: Device |
        str | None = None, layout: Literal['default', 'original', 'partitionable'] = 'default') -> Tensor:
    """Uniform bits: u8, u16, u32 or u64.

    dtype: dtype of the numbers; default: f32, for random_bits u32
    device: where the numbers are made; default: the key's
    layout: how positions become counters"""
def uniform(key: Operand, shape: int | Sequence[int] = (), dtype: DType | str | type | None = None, low: float = 0.0,
        high: float = 1.0, *, device: Device | str | None = None, layout: Literal['default', 'original',
        'partitionable'] = 'default') -> Tensor:
    """Uniform in [low, high); the dtype must hold the ends and their difference. If the range is narrow for the dtype, rounding may
    give high, too.

    dtype: dtype of the numbers
    low: start of the range
    high: end of the range
    device: where the numbers are made; default: the key's
    layout: how positions become counters"""
def normal(key: Operand, shape: int | Sequence[int] = (), dtype: DType | str | type | None = None, *, device: Device |
        str | None = None, layout: Literal['default', 'original', 'partitionable'] = 'default') -> Tensor:
    """Normal with mean 0 and variance 1.

    dtype: dtype of the numbers; default: f32, for random_bits u32
    device: where the numbers are made; default: the key's
    layout: how positions become counters"""
def randint(key: Operand, shape: int | Sequence[int], low: int, high: int, dtype: DType | str | type | None = None, *,
        device: Device | str | None = None, layout: Literal['default', 'original', 'partitionable'] = 'default',
        unbiased: bool = False) -> Tensor:
    """Integers low <= y < high, which the dtype must hold (high may be one larger); low if the range is empty, as in JAX. They are
    JAX's numbers, bits modulo the width of the range, so in a range wider than 2^30 (i32; 2^62 for i64) some come up more often.
    With unbiased they are other numbers, the same on every device: the integer part of (random fraction of twice the width) times
    the range. Probabilities of two numbers then differ by less than 2^-32 (i64: 2^-64), relatively, for every range.

    dtype: dtype of the numbers
    device: where the numbers are made; default: the key's
    layout: how positions become counters
    unbiased: gives each number the same probability"""
def permutation(key: Operand, n: int, *, device: Device | str | None = None, layout: Literal['default', 'original',
        'partitionable'] = 'default', dtype: DType | str | type | None = None) -> Tensor:
    """0 ... n-1 in random order, i64.

    device: where the numbers are made; default: the key's
    layout: how positions become counters
    dtype: dtype of the numbers; default: f32, for random_bits u32"""
def gumbel(key: Operand, shape: int | Sequence[int] = (), dtype: DType | str | type | None = None, *, device: Device |
        str | None = None, layout: Literal['default', 'original', 'partitionable'] = 'default') -> Tensor:
    """-log(-log(u)): the Gumbel distribution.

    dtype: dtype of the numbers; default: f32, for random_bits u32
    device: where the numbers are made; default: the key's
    layout: how positions become counters"""
def categorical(key: Operand, logits: Operand, axis: int = -1, *, device: Device | str | None = None, layout:
        Literal['default', 'original', 'partitionable'] = 'default') -> Tensor:
    """One index along axis for each distribution softmax(logits), i64.

    axis: axis of the distributions; -1 is the last
    device: where the numbers are made; default: the key's
    layout: how positions become counters"""
