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
    """transpose, matrix_transpose, swapaxes, moveaxis: The last two axes swapped (transpose and matrix_transpose are one); any two swapped; one moved to another place."""
def swapaxes(x: Operand, a: int, b: int) -> Tensor:
    """transpose, matrix_transpose, swapaxes, moveaxis: The last two axes swapped (transpose and matrix_transpose are one); any two swapped; one moved to another place."""
def diag(x: Operand, offset: int) -> Tensor:
    """The square matrix with a vector on a diagonal and 0 elsewhere; of a matrix its diagonal, as diagonal."""
def diagonal(x: Operand, *, offset: int = 0) -> Tensor:
    """The diagonal of the last two axes: y[..., i] = x[..., i, i + offset]."""
def squeeze(x: Operand, axis: int | Sequence[int] | None) -> Tensor:
    """Without its axes of 1: all, or those named.

    axis: which"""
def flip(x: Operand, *, axis: int | Sequence[int] | None = None) -> Tensor:
    """In reverse order along all or the named axes.

    axis: which"""
def stack(arrays: Sequence[Tensor], *, axis: int = 0) -> Tensor:
    """concat, stack: One after the other along an axis (default 0); stack makes a new axis. Their dtypes promote.

    axis: along which"""
def atleast_1d(x: Operand) -> Tensor:
    """atleast_1d, atleast_2d, atleast_3d: At least one, two or three axes, as in NumPy: of [n] they make [1, n] and [1, n, 1], of [m, n] [m, n, 1]."""
def atleast_2d(x: Operand) -> Tensor:
    """atleast_1d, atleast_2d, atleast_3d: At least one, two or three axes, as in NumPy: of [n] they make [1, n] and [1, n, 1], of [m, n] [m, n, 1]."""
def atleast_3d(x: Operand) -> Tensor:
    """atleast_1d, atleast_2d, atleast_3d: At least one, two or three axes, as in NumPy: of [n] they make [1, n] and [1, n, 1], of [m, n] [m, n, 1]."""
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """vstack, hstack: Rows above each other: concat along axis 0 of at least two axes. Side by side: along axis 1, vectors along their only one."""
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """vstack, hstack: Rows above each other: concat along axis 0 of at least two axes. Side by side: along axis 1, vectors along their only one."""
def pad(x: Operand, before: int | Sequence[int], after: int | Sequence[int], *, value: float = 0.0, mode:
        Literal['constant', 'reflect', 'edge', 'circular', 'zeros', 'replicate'] = 'constant') -> Tensor:
    """`before` and `after` more elements along each axis: any number, also in the other modes, as in NumPy.

    value: of the new elements, if they are constant
    mode: what the new elements are"""
def sum(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str | type |
        None = None) -> Tensor:
    """Sum and product.

    axis: which go away
    keepdims: reduced axes stay, with 1 element
    dtype: of the result; default: see the function"""
def prod(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str | type |
        None = None) -> Tensor:
    """Bool and signed integers give i64, unsigned ones u64, floats their own dtype (f16 adds in f32).

    axis: which go away
    keepdims: reduced axes stay, with 1 element
    dtype: of the result; default: see the function"""
def max(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """max, min: Largest and smallest; NaN wins; an empty axis is an error. The gradient goes to the ties in equal shares.

    axis: which go away
    keepdims: reduced axes stay, with 1 element"""
def min(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """max, min: Largest and smallest; NaN wins; an empty axis is an error. The gradient goes to the ties in equal shares.

    axis: which go away
    keepdims: reduced axes stay, with 1 element"""
def any(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """any, all, count_nonzero: Is one, are all of them nonzero? bool. How many are? i64.

    axis: which go away
    keepdims: reduced axes stay, with 1 element"""
def all(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """any, all, count_nonzero: Is one, are all of them nonzero? bool. How many are? i64.

    axis: which go away
    keepdims: reduced axes stay, with 1 element"""
def count_nonzero(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """any, all, count_nonzero: Is one, are all of them nonzero? bool. How many are? i64.

    axis: which go away
    keepdims: reduced axes stay, with 1 element"""
def mean(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str | type |
        None = None) -> Tensor:
    """sum(x) / n; integers give f32.

    axis: which go away
    keepdims: reduced axes stay, with 1 element
    dtype: of the result; default: see the function"""
def var(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str | type |
        None = None, correction: float = 0.0) -> Tensor:
    """sum((x - mean(x))^2) / (n - correction).

    axis: which go away
    keepdims: reduced axes stay, with 1 element
    dtype: of the result; default: x's, f32 for integers
    correction: the divisor is n - correction"""
def std(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str | type |
        None = None, correction: float = 0.0) -> Tensor:
    """Its square root.

    axis: which go away
    keepdims: reduced axes stay, with 1 element
    dtype: of the result; default: x's, f32 for integers
    correction: the divisor is n - correction"""
def logsumexp(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, dtype: DType | str |
        type | None = None) -> Tensor:
    """log(sum(exp(x))), without overflow.

    axis: which go away
    keepdims: reduced axes stay, with 1 element
    dtype: of the result; default: see the function"""
def quantile(x: Operand, q: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, method:
        Literal['linear', 'lower', 'higher', 'nearest', 'midpoint'] = 'linear') -> Tensor:
    """The element at place q (n - 1) of n in order: q is a number from 0 to 1, or a vector of them, whose results lie along a new first
    axis. NaN if there is one. Integers give f32. The gradient goes to the neighbours.

    axis: which go away
    keepdims: reduced axes stay, with 1 element
    method: between two elements"""
def median(x: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The one in the middle; of an even number the mean of the two there, as in NumPy (PyTorch takes the lower).

    axis: which go away
    keepdims: reduced axes stay, with 1 element"""
def average(x: Operand, weights: Operand, *, axis: int | Sequence[int] | None = None, keepdims: bool =
        False) -> Tensor:
    """sum(x weights) / sum(weights); weights in the shape of x, or a vector along its one axis.

    axis: which go away
    keepdims: reduced axes stay, with 1 element"""
def isclose(a: Operand, b: Operand, *, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """isclose, allclose: |a - b| <= atol + rtol |b| for each element, bool; infinities are close to themselves alone. Are all of them? 0-d bool. Halves
    are compared in f32, integers in f64.

    rtol: share of |b| that they may be apart
    atol: what they may be apart besides
    equal_nan: NaN is close to NaN, too"""
def allclose(a: Operand, b: Operand, *, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """isclose, allclose: |a - b| <= atol + rtol |b| for each element, bool; infinities are close to themselves alone. Are all of them? 0-d bool. Halves
    are compared in f32, integers in f64.

    rtol: share of |b| that they may be apart
    atol: what they may be apart besides
    equal_nan: NaN is close to NaN, too"""
def array_equal(a: Operand, b: Operand, *, equal_nan: bool = False) -> Tensor:
    """Are shapes and all elements equal? 0-d bool; other shapes are no error.

    equal_nan: NaN is equal to NaN, too"""
def argmax(x: Operand, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """Where the largest or smallest element is, i64.

    axis: along which; all: of the flattened tensor
    keepdims: the axis stays, with 1 element"""
def argmin(x: Operand, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The first of equal ones, the first NaN if there is one.

    axis: along which; all: of the flattened tensor
    keepdims: the axis stays, with 1 element"""
def diff(x: Operand, n: int = 1, axis: int = -1, *, prepend: Operand | None = None, append: Operand | None =
        None) -> Tensor:
    """The differences of neighbours along an axis, taken n times; bools: whether they differ.

    n: how many times
    axis: along which; -1 is the last
    prepend: comes before x along the axis; its other dims broadcast to x's
    append: comes after x along the axis; its other dims broadcast to x's"""
def linear_scan(a: Operand, b: Operand, *, axis: int = -1, reverse: bool = False, dtype: DType | str | type | None =
        None) -> Tensor:
    """s[i] = a[i] s[i-1] + b[i], s[-1] = 0: in order, carried and rounded as running products are.

    axis: along which; -1 is the last
    reverse: from the end
    dtype: of the result; default: as of sum"""
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

    axis: along which; -1 is the last"""
def log_softmax(x: Operand, axis: int = -1) -> Tensor:
    """x - log(sum(exp(x))).

    axis: along which; -1 is the last"""
def cross_entropy(logits: Operand, labels: Operand, reduction: Literal['mean', 'sum', 'none'] = 'mean', *, axis: int =
        -1, smoothing: float = 0.0, weights: Operand | None = None, ignored: Operand | None = None) -> Tensor:
    """-log_softmax(logits)[..., label]; labels: integers, in the shape of logits without its last axis, or probabilities (floats)
    in the shape of logits: -sum(labels log_softmax(logits)). The classes lie along the last axis; of logits [n, classes, ...] as
    PyTorch has them write axis = 1, also where the shapes would fit without. A label that is not from 0 to the number of
    scores - 1 is bad_index where the loss is computed. The mean of no elements is NaN.

    reduction: of the losses of all elements; the mean divides by the sum of their weights
    axis: of the scores of one element; -1 is the last
    smoothing: this share of the target is spread evenly over all classes
    weights: a vector of the classes' weights
    ignored: the label, an integer, of elements that do not count; none: every element counts"""
def nll_loss(log_probs: Operand, labels: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean', axis: int =
        -1, weights: Operand | None = None, ignored: Operand | None = None) -> Tensor:
    """-log_probs[..., label]: cross entropy of what log_softmax gives.

    reduction: of the losses of all elements; the mean divides by the sum of their weights
    axis: of the classes of one element; -1 is the last
    weights: a vector of the classes' weights
    ignored: the label, an integer, of elements that do not count; none: every element counts"""
def binary_cross_entropy(p: Operand, target: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean', weights:
        Operand | None = None) -> Tensor:
    """-(target log(p) + (1 - target) log(1 - p)) for probabilities p; both of one shape. A logarithm is -100 where it would be
    of 0, and has no gradient there: binary_cross_entropy_with_logits has. NaN where p is outside of 0 to 1.

    reduction: of the losses of all elements
    weights: of the elements; broadcasts"""
def binary_cross_entropy_with_logits(logits: Operand, target: Operand, *, reduction: Literal['mean', 'sum', 'none'] =
        'mean', weights: Operand | None = None, pos_weights: Operand | None = None) -> Tensor:
    """The same for p = sigmoid(logits), without overflow: (1 - target) logits + pos log(1 + exp(-logits)),
    pos = 1 + (pos_weights - 1) target.

    reduction: of the losses of all elements
    weights: of the elements; broadcasts
    pos_weights: of the part of target alone; broadcasts"""
def mse(prediction: Operand, target: Operand, reduction: Literal['mean', 'sum', 'none'] = 'mean') -> Tensor:
    """(prediction - target)^2; both of one shape, or one of them a single number.

    reduction: of the losses of all elements"""
def l1_loss(prediction: Operand, target: Operand, reduction: Literal['mean', 'sum', 'none'] = 'mean') -> Tensor:
    """|prediction - target|; shapes as of mse.

    reduction: of the losses of all elements"""
def smooth_l1_loss(prediction: Operand, target: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean', beta:
        float = 1.0) -> Tensor:
    """d^2 / (2 beta) where d = |prediction - target| < beta, else d - beta / 2; shapes as of mse.

    reduction: of the losses of all elements
    beta: up to which difference it is a square"""
def huber_loss(prediction: Operand, target: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean', delta:
        float = 1.0) -> Tensor:
    """d^2 / 2 where d = |prediction - target| <= delta, else delta (d - delta / 2); shapes as of mse.

    reduction: of the losses of all elements
    delta: up to which difference it is a square"""
def kl_div(log_probs: Operand, target: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean', log_target:
        bool = False) -> Tensor:
    """target (log(target) - log_probs), 0 where target is; both of one shape.

    reduction: of the losses of all elements; the divergence of rows is sum by their number
    log_target: target has logarithms of probabilities"""
def hinge_loss(score: Operand, sign: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean') -> Tensor:
    """max(0, 1 - score * sign), where sign is -1 or 1; both of one shape.

    reduction: of the losses of all elements"""
def hinge_embedding_loss(distance: Operand, sign: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean',
        margin: float = 1.0) -> Tensor:
    """distance where sign is 1, max(0, margin - distance) where it is -1; both of one shape.

    reduction: of the losses of all elements
    margin: beyond which a distance is large enough"""
def cosine_embedding_loss(a: Operand, b: Operand, sign: Operand, *, reduction: Literal['mean', 'sum', 'none'] =
        'mean', margin: float = 0.0) -> Tensor:
    """With the cosine of a and b along the last axis: 1 - cosine where sign is 1, max(0, cosine - margin) where it is -1; sign in
    the shape of a without its last axis.

    reduction: of the losses of all rows
    margin: up to which a cosine is small enough"""
def margin_ranking_loss(a: Operand, b: Operand, sign: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean',
        margin: float = 0.0) -> Tensor:
    """max(0, margin - sign (a - b)): a above b where sign is 1, below where it is -1; all of one shape.

    reduction: of the losses of all elements
    margin: how far apart they are to be"""
def triplet_margin_loss(anchor: Operand, positive: Operand, negative: Operand, *, reduction: Literal['mean', 'sum',
        'none'] = 'mean', margin: float = 1.0, ord: float = 2.0, eps: float = 1e-06, swap: bool = False) -> Tensor:
    """max(0, margin + distance(anchor, positive) - distance(anchor, negative)) by norms along the last axis; all of one shape.

    reduction: of the losses of all rows
    margin: how much farther the negative is to be
    ord: the power of the distance
    eps: is added to differences
    swap: the smaller of the distances of the negative to the anchor and to the positive"""
def ctc_loss(log_probs: Operand, labels: Operand, *, reduction: Literal['mean', 'sum', 'none'] = 'mean',
        input_lengths: Operand | None = None, target_lengths: Operand | None = None, blank: int = 0, zero_infinity:
        bool = False) -> Tensor:
    """-log of the probability that steps give the labels when repeated classes become one and blanks go (Graves et al. 2006).
    log_probs: f32[N, steps, classes], log_softmax along the last axis; labels: integers[N, most labels], none of them blank.

    reduction: of the losses of all rows; the mean is of losses by their labels' number
    input_lengths: integers[N], steps of each row that count, 0 as well; none: all
    target_lengths: integers[N], labels of each row that count; none: all
    blank: the class that stands for no label
    zero_infinity: rows whose steps are too few for their labels cost 0 instead of infinity"""
def accuracy(logits: Operand, labels: Operand) -> Tensor:
    """The share of rows whose largest score is at the label; a 0-d f32. Labels as in cross_entropy."""
def global_norm(tensors: Sequence[Tensor]) -> Tensor:
    """sqrt of the sum of all squares of some tensors on one device, in f64: 0-d. Squares of f32 neither overflow nor vanish."""
def dropout(x: Operand, key: Operand, rate: Operand) -> Tensor:
    """Elements become 0 with probability rate, the others are divided by 1 - rate."""
def conv2d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | Literal['same',
        'valid'] = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """y[n,o,h,v] = sum over c, i, j of x[n, c, h stride + i dilation - padding, v ...] w[o,c,i,j], zeros outside of x.
    x [n, channels, height, width], w [out, channels / groups, kernel height, kernel width].

    stride: from one window to the next: one number, or one for height and width
    padding: zeros on either side of an axis; same keeps its size, where the stride is 1
    dilation: from one tap of the kernel to the next
    groups: channels are cut into groups of their own"""
def conv1d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | Literal['same',
        'valid'] = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """The same without height: x [n, channels, length], w [out, channels / groups, kernel length].

    stride: from one window to the next: one number, or one for height and width
    padding: zeros on either side of an axis; same keeps its size, where the stride is 1
    dilation: from one tap of the kernel to the next
    groups: channels are cut into groups of their own"""
def conv3d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] | Literal['same',
        'valid'] = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """With a depth: x [n, channels, depth, height, width], w [out, channels / groups, kernel depth, height, width]; options are one
    number, or one for each of the three axes.

    stride: from one window to the next: one number, or one for height and width
    padding: zeros on either side of an axis; same keeps its size, where the stride is 1
    dilation: from one tap of the kernel to the next
    groups: channels are cut into groups of their own"""
def conv_transpose1d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1, output_padding: int | Sequence[int] = 0, groups: int = 1) -> Tensor:
    """conv_transpose1d, conv_transpose2d, conv_transpose3d: Transposed convolutions: what a convolution does to the gradient of its result. x [n, channels, ...],
    w [channels, out / groups, kernel ...]; an axis of n elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1)
    + output_padding + 1.

    stride: of the convolution: one number, or one for each axis
    padding: of the convolution: so much is cut off on either side
    dilation: from one tap of the kernel to the next
    output_padding: more elements at the end, fewer than the stride: which of the sizes that a convolution takes to the same one
    groups: channels are cut into groups of their own"""
def conv_transpose2d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1, output_padding: int | Sequence[int] = 0, groups: int = 1) -> Tensor:
    """conv_transpose1d, conv_transpose2d, conv_transpose3d: Transposed convolutions: what a convolution does to the gradient of its result. x [n, channels, ...],
    w [channels, out / groups, kernel ...]; an axis of n elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1)
    + output_padding + 1.

    stride: of the convolution: one number, or one for each axis
    padding: of the convolution: so much is cut off on either side
    dilation: from one tap of the kernel to the next
    output_padding: more elements at the end, fewer than the stride: which of the sizes that a convolution takes to the same one
    groups: channels are cut into groups of their own"""
def conv_transpose3d(x: Operand, w: Operand, *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1, output_padding: int | Sequence[int] = 0, groups: int = 1) -> Tensor:
    """conv_transpose1d, conv_transpose2d, conv_transpose3d: Transposed convolutions: what a convolution does to the gradient of its result. x [n, channels, ...],
    w [channels, out / groups, kernel ...]; an axis of n elements becomes one of (n - 1) stride - 2 padding + dilation (kernel - 1)
    + output_padding + 1.

    stride: of the convolution: one number, or one for each axis
    padding: of the convolution: so much is cut off on either side
    dilation: from one tap of the kernel to the next
    output_padding: more elements at the end, fewer than the stride: which of the sizes that a convolution takes to the same one
    groups: channels are cut into groups of their own"""
def unfold(x: Operand, window: int | Sequence[int], *, stride: int | Sequence[int] = 1, padding: int | Sequence[int] =
        0, dilation: int | Sequence[int] = 1) -> Tensor:
    """unfold, fold: The windows of the last two axes as columns: x [n, channels, height, width] gives [n, channels * window, windows]. fold is the
    reverse: columns go to their places in images of `image` (height and width), where those that meet are added.

    stride: from one window to the next: one number, or one for each axis
    padding: zeros on either side of an axis
    dilation: from one element of a window to the next"""
def fold(x: Operand, image: int | Sequence[int], window: int | Sequence[int], *, stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1) -> Tensor:
    """unfold, fold: The windows of the last two axes as columns: x [n, channels, height, width] gives [n, channels * window, windows]. fold is the
    reverse: columns go to their places in images of `image` (height and width), where those that meet are added.

    stride: from one window to the next: one number, or one for each axis
    padding: zeros on either side of an axis
    dilation: from one element of a window to the next"""
def max_pool2d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> Tensor:
    """max_pool2d, avg_pool2d: The largest element, the mean, of each window over the last two axes. Of equal elements the first takes the gradient;
    NaN is the largest. An image without rows or columns, of which windows hold padding alone, is an error; its means
    over whole windows are 0.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: from one element of a window to the next
    ceil: a last window that reaches over the end counts, too, if it begins within x or the padding before it"""
def avg_pool2d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> Tensor:
    """max_pool2d, avg_pool2d: The largest element, the mean, of each window over the last two axes. Of equal elements the first takes the gradient;
    NaN is the largest. An image without rows or columns, of which windows hold padding alone, is an error; its means
    over whole windows are 0.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means are over whole windows, zeros added
    ceil: a last window that reaches over the end counts, too; what lies behind the padding is not in its mean"""
def max_pool1d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> Tensor:
    """max_pool1d, avg_pool1d, max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one number, or one for each axis.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: from one element of a window to the next
    ceil: a last window that reaches over the end counts, too, if it begins within x or the padding before it"""
def avg_pool1d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> Tensor:
    """max_pool1d, avg_pool1d, max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one number, or one for each axis.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means are over whole windows, zeros added
    ceil: a last window that reaches over the end counts, too; what lies behind the padding is not in its mean"""
def max_pool3d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil: bool = False) -> Tensor:
    """max_pool1d, avg_pool1d, max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one number, or one for each axis.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    dilation: from one element of a window to the next
    ceil: a last window that reaches over the end counts, too, if it begins within x or the padding before it"""
def avg_pool3d(x: Operand, size: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int |
        Sequence[int] = 0, count_padding: bool = True, ceil: bool = False) -> Tensor:
    """max_pool1d, avg_pool1d, max_pool3d, avg_pool3d: The same over the last axis, and over the last three; sizes are one number, or one for each axis.

    stride: from one window to the next; default: the window, so that they do not overlap
    padding: at most half a window
    count_padding: means are over whole windows, zeros added
    ceil: a last window that reaches over the end counts, too; what lies behind the padding is not in its mean"""
def adaptive_max_pool1d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Into `size` elements along each of the last axes (one number stands for each): element i of m is the largest, or the mean, of
    those from floor(i n / m) to before ceil((i + 1) n / m)."""
def adaptive_max_pool2d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Into `size` elements along each of the last axes (one number stands for each): element i of m is the largest, or the mean, of
    those from floor(i n / m) to before ceil((i + 1) n / m)."""
def adaptive_max_pool3d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Into `size` elements along each of the last axes (one number stands for each): element i of m is the largest, or the mean, of
    those from floor(i n / m) to before ceil((i + 1) n / m)."""
def adaptive_avg_pool1d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Into `size` elements along each of the last axes (one number stands for each): element i of m is the largest, or the mean, of
    those from floor(i n / m) to before ceil((i + 1) n / m)."""
def adaptive_avg_pool2d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Into `size` elements along each of the last axes (one number stands for each): element i of m is the largest, or the mean, of
    those from floor(i n / m) to before ceil((i + 1) n / m)."""
def adaptive_avg_pool3d(x: Operand, size: int | Sequence[int]) -> Tensor:
    """adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d, adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d: Into `size` elements along each of the last axes (one number stands for each): element i of m is the largest, or the mean, of
    those from floor(i n / m) to before ceil((i + 1) n / m)."""
def interpolate(x: Operand, size: int | Sequence[int], *, mode: Literal['nearest', 'nearest_exact', 'linear',
        'bilinear', 'trilinear', 'cubic', 'bicubic'] = 'nearest', align_corners: bool = False) -> Tensor:
    """The last axes with other sizes, one number for each: x [n, channels, height, width] with SHAPE(h, w). Without antialiasing.

    mode: how
    align_corners: the first and last elements lie on those of x, instead of elements being areas, whose outer ends lie on those of x's; linear and cubic alone"""
def grid_sample(x: Operand, grid: Operand, *, mode: Literal['nearest', 'nearest_exact', 'linear', 'bilinear',
        'trilinear', 'cubic', 'bicubic'] = 'bilinear', padding: Literal['zeros', 'border', 'reflection'] = 'zeros',
        align_corners: bool = False) -> Tensor:
    """x [n, channels, height, width] at places grid [n, rows, columns, 2], (across, down) from -1 to 1: [n, channels, rows, columns].
    As torch.nn.functional.grid_sample.

    mode: how: linear, or nearest (halves to even)
    padding: what is outside of x
    align_corners: -1 and 1 are the middles of the first and last elements instead of their outer ends"""
def layer_norm(x: Operand, scale: Operand, shift: Operand, *, eps: float = 1e-05) -> Tensor:
    """(x - mean) / sqrt(variance + eps) scale + shift, with the moments of each row: of x along its last axis. scale and
    shift are as long as that axis.

    eps: added to the variance"""
def batch_norm(x: Operand, scale: Operand, shift: Operand, *, eps: float = 1e-05, momentum: float = 0.1, mean: Operand
        | None = None, variance: Operand | None = None, inference: bool = False) -> Tensor:
    """The same with the moments of each channel: of x over all axes but axis 1. scale and shift are as long as axis 1.

    eps: added to the variance
    momentum: running = (1 - momentum) running + momentum value, the variance times n / (n - 1); one value has none to follow
    mean: a variable that follows the means
    variance: a variable that follows the variances
    inference: normalise with mean and variance, which may be any tensors then, and change nothing"""
def embedding(table: Operand, index: Operand) -> Tensor:
    """Rows of a table [count, width]: table[index]. Rows that are asked for more than once add up their gradients in order."""
def attention(q: Operand, k: Operand, v: Operand, *, causal: bool = False, scale: float = 0.0) -> Tensor:
    """softmax(q k^T scale) v; q [..., queries, width], k [..., keys, width], v [..., keys, any width].

    causal: query i sees keys 0 ... i only
    scale: of the scores; 0: 1 / sqrt(width)"""
def self_attention(x: Operand, heads: int, *, causal: bool = False, scale: float = 0.0) -> Tensor:
    """The same for x [..., positions, 3 heads width] that holds queries, keys and values of each head, one after the other;
    the heads' results lie side by side: [..., positions, heads width].

    causal: query i sees keys 0 ... i only
    scale: of the scores; 0: 1 / sqrt(width)"""
def rotary(x: Operand, position: Operand, *, base: float = 10000.0, axis: int = -2) -> Tensor:
    """Rotary positions (Su et al. 2021): elements i and i + width / 2 of each row of x [..., positions, ..., width] turned as a pair by
    the angle position / base^(2 i / width). position: integers, one for each place along axis.

    base: of the angles
    axis: along which the positions lie"""
def quantise(w: Operand, type: Literal['q8_0', 'q4_0', 'q4_1', 'q8_rows']) -> Tensor:
    """Rows w f32 [rows, in] as bytes u8 [rows, bytes]; but for SITU_Q8_ROWS in is a multiple of 32. Each number is the nearest that its
    block or row has; no gradient. On the CPU."""
def dequantise(blocks: Operand, type: Literal['q8_0', 'q4_0', 'q4_1', 'q8_rows']) -> Tensor:
    """The numbers of such bytes [rows, bytes], f32 [rows, in]. On the CPU."""
def quantised_linear(x: Operand, blocks: Operand, type: Literal['q8_0', 'q4_0', 'q4_1', 'q8_rows']) -> Tensor:
    """x W^T with W = dequantise(blocks), which is never there as a whole where x [..., in] has few rows. f32; there is a gradient by
    x. On the CPU. SITU_Q8_ROWS: each row of x becomes i8 of 1/127 of its largest magnitude, to the nearest (dynamic quantisation);
    sums are exact in i32, so in is at most 131,072; the gradient is that of the product without rounding. A row that is not finite
    gives NaN."""
def initial(key: Operand, shape: int | Sequence[int], how: Literal['layer', 'constant', 'uniform', 'normal',
        'xavier_uniform', 'xavier_normal', 'kaiming_uniform', 'kaiming_normal', 'truncated', 'orthogonal', 'eye'], *,
        gain: float = 1.0, value: float = 0.0) -> Tensor:
    """A tensor of this shape, f32, on the key's device.

    gain: as the table says
    value: as the table says"""
def zeros(shape: int | Sequence[int], *, dtype: DType | str | type | None = None, device: Device | str | None =
        None) -> Tensor:
    """0 everywhere.

    dtype: of the result; see each function
    device: where it is made; default: the thread's default device"""
def empty(shape: int | Sequence[int], *, dtype: DType | str | type | None = None, device: Device | str | None =
        None) -> Tensor:
    """Zeros: situ has no tensors without a value.

    dtype: of the result; see each function
    device: where it is made; default: the thread's default device"""
def ones(shape: int | Sequence[int], *, dtype: DType | str | type | None = None, device: Device | str | None =
        None) -> Tensor:
    """1 everywhere.

    dtype: of the result; see each function
    device: where it is made; default: the thread's default device"""
def zeros_like(x: Operand, *, dtype: DType | str | type | None = None, device: Device | str | None = None) -> Tensor:
    """zeros_like, ones_like, full_like: The same with x's shape, dtype and device.

    dtype: of the result; see each function
    device: where it is made; default: the thread's default device"""
def empty_like(x: Operand, *, dtype: DType | str | type | None = None, device: Device | str | None = None) -> Tensor:
    """As zeros_like: situ has no tensors without a value.

    dtype: of the result; see each function
    device: where it is made; default: the thread's default device"""
def ones_like(x: Operand, *, dtype: DType | str | type | None = None, device: Device | str | None = None) -> Tensor:
    """zeros_like, ones_like, full_like: The same with x's shape, dtype and device.

    dtype: of the result; see each function
    device: where it is made; default: the thread's default device"""
def eye(n_rows: int, n_cols: int = -1, *, k: int = 0, dtype: DType | str | type | None = None, device: Device | str |
        None = None) -> Tensor:
    """1 where column - row == diagonal, else 0.

    n_cols: how many; -1: as many as rows
    k: 0: the main one; positive above it, negative below
    dtype: of the result
    device: where it is made; default: the thread's default device"""
def tril(x: Operand, *, k: int = 0) -> Tensor:
    """x where column - row <= diagonal (tril) or >= diagonal (triu), else 0."""
def triu(x: Operand, *, k: int = 0) -> Tensor:
    """Over the last two axes."""
def real(x: Operand) -> Tensor:
    """complex, real, imag, conj: re + i im from two real tensors of one float dtype; the parts of one; re - i im. Real tensors are their own."""
def imag(x: Operand) -> Tensor:
    """complex, real, imag, conj: re + i im from two real tensors of one float dtype; the parts of one; re - i im. Real tensors are their own."""
def conj(x: Operand) -> Tensor:
    """complex, real, imag, conj: re + i im from two real tensors of one float dtype; the parts of one; re - i im. Real tensors are their own."""
def stop_gradient(x: Operand) -> Tensor:
    """x, as a constant: gradients do not pass."""
def fft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """Complex to complex.

    n: length of the transform: x is cut or filled up with 0; irfft, hfft: of the result. None: as long as x; irfft, hfft: 2 (length - 1)
    axis: along which; -1 is the last
    norm: which direction is divided"""
def ifft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """Real x is made complex.

    n: length of the transform: x is cut or filled up with 0; irfft, hfft: of the result. None: as long as x; irfft, hfft: 2 (length - 1)
    axis: along which; -1 is the last
    norm: which direction is divided"""
def rfft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """Of real x, the first n / 2 + 1 of fft.

    n: length of the transform: x is cut or filled up with 0; irfft, hfft: of the result. None: as long as x; irfft, hfft: 2 (length - 1)
    axis: along which; -1 is the last
    norm: which direction is divided"""
def irfft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """And back, real.

    n: length of the transform: x is cut or filled up with 0; irfft, hfft: of the result. None: as long as x; irfft, hfft: 2 (length - 1)
    axis: along which; -1 is the last
    norm: which direction is divided"""
def hfft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """The transform of a signal with a real spectrum, from its first half.

    n: length of the transform: x is cut or filled up with 0; irfft, hfft: of the result. None: as long as x; irfft, hfft: 2 (length - 1)
    axis: along which; -1 is the last
    norm: which direction is divided"""
def ihfft(x: Operand, *, n: int | None = None, axis: int = -1, norm: Literal['backward', 'ortho', 'forward'] =
        'backward') -> Tensor:
    """And back.

    n: length of the transform: x is cut or filled up with 0; irfft, hfft: of the result. None: as long as x; irfft, hfft: 2 (length - 1)
    axis: along which; -1 is the last
    norm: which direction is divided"""
def fftn(x: Operand, *, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None, norm:
        Literal['backward', 'ortho', 'forward'] = 'backward') -> Tensor:
    """fftn, ifftn, rfftn, irfftn: Along several axes; rfftn: rfft along the last of them first; irfftn: irfft along the last of them last.

    s: lengths along the axes, one number only where there is one axis; default: as n of fft
    axes: along which; all, or the last ones if there is s
    norm: which direction is divided"""
def ifftn(x: Operand, *, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None, norm:
        Literal['backward', 'ortho', 'forward'] = 'backward') -> Tensor:
    """fftn, ifftn, rfftn, irfftn: Along several axes; rfftn: rfft along the last of them first; irfftn: irfft along the last of them last.

    s: lengths along the axes, one number only where there is one axis; default: as n of fft
    axes: along which; all, or the last ones if there is s
    norm: which direction is divided"""
def rfftn(x: Operand, *, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None, norm:
        Literal['backward', 'ortho', 'forward'] = 'backward') -> Tensor:
    """fftn, ifftn, rfftn, irfftn: Along several axes; rfftn: rfft along the last of them first; irfftn: irfft along the last of them last.

    s: lengths along the axes, one number only where there is one axis; default: as n of fft
    axes: along which; all, or the last ones if there is s
    norm: which direction is divided"""
def irfftn(x: Operand, *, s: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None, norm:
        Literal['backward', 'ortho', 'forward'] = 'backward') -> Tensor:
    """fftn, ifftn, rfftn, irfftn: Along several axes; rfftn: rfft along the last of them first; irfftn: irfft along the last of them last.

    s: lengths along the axes, one number only where there is one axis; default: as n of fft
    axes: along which; all, or the last ones if there is s
    norm: which direction is divided"""
def fftfreq(n: int, *, d: float = 1.0, dtype: DType | str | type | None = None, device: Device | str | None =
        None) -> Tensor:
    """fftfreq, rfftfreq: The frequencies of fft's results, k / (n d): 0, 1, ... and then the negative ones; those of rfft's, 0, 1, ... n / 2.

    d: the time between two samples
    dtype: of the result
    device: where it is made; default: the thread's default device"""
def rfftfreq(n: int, *, d: float = 1.0, dtype: DType | str | type | None = None, device: Device | str | None =
        None) -> Tensor:
    """fftfreq, rfftfreq: The frequencies of fft's results, k / (n d): 0, 1, ... and then the negative ones; those of rfft's, 0, 1, ... n / 2.

    d: the time between two samples
    dtype: of the result
    device: where it is made; default: the thread's default device"""
def fftshift(x: Operand, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """Frequency 0 to the middle of all (or the named) axes.

    axes: which"""
def ifftshift(x: Operand, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """And back.

    axes: which"""
def gather(x: Operand, index: Operand, *, axis: int = -1) -> Tensor:
    """One element for each index, along an axis (default: the last): y[i, j] = x[i, index[i, j]].

    axis: along which; -1 is the last"""
def scatter(x: Operand, index: Operand, value: Operand, *, axis: int = -1) -> Tensor:
    """scatter, scatter_add: x with y[i, index[i, j]] = value[i, j] (of equal indices the last one counts), or += value[i, j], in order;
    in f64 from 16,384 indices on, as sums in order drift.

    axis: along which; -1 is the last"""
def scatter_add(x: Operand, index: Operand, value: Operand, *, axis: int = -1) -> Tensor:
    """scatter, scatter_add: x with y[i, index[i, j]] = value[i, j] (of equal indices the last one counts), or += value[i, j], in order;
    in f64 from 16,384 indices on, as sums in order drift.

    axis: along which; -1 is the last"""
def index_add(x: Operand, index: Operand, value: Operand, *, axis: int = 0) -> Tensor:
    """x with value's slices added to the slices that index names: the reverse of take, added as scatter_add adds.

    axis: along which"""
def one_hot(index: Operand, n: int, dtype: DType | str | type | None = None) -> Tensor:
    """A new last axis of n: 1 at the index, else 0 (everywhere if it is out of range).

    dtype: of the result"""
def topk(x: Operand, k: int, *, axis: int = -1, smallest: bool = False) -> tuple[Tensor, ...]:
    """The k largest, in descending order. NaN comes last, as in sort.

    axis: along which; -1 is the last
    smallest: the k smallest instead of the k largest"""
def bincount(x: Operand, *, weights: Operand | None = None, least: int = 0, count: int = -1) -> Tensor:
    """How often each integer from 0 on is there, i64; with weights their sums. Negative ones, and those beyond count, are errors at
    the next barrier. Without count the largest one is read: a barrier.

    weights: added instead of 1, in the shape of x
    least: at least so many results
    count: exactly so many, without a barrier; -1: as the largest of x says"""
def cholesky(x: Operand, *, upper: bool = False) -> Tensor:
    """The lower triangular L with x = L L^H, of a Hermitian positive definite x (only its lower triangle is read).

    upper: U with x = U^H U instead of L"""
def solve(x1: Operand, x2: Operand) -> Tensor:
    """y with a y = b, by LU factors with partial pivoting (a large triangular a by substitution alone); b[n] or b[..., n, k], leading
    axes broadcast."""
def solve_triangular(a: Operand, b: Operand, *, upper: bool = False, transposed: bool = False, unit_diagonal: bool =
        False) -> Tensor:
    """y with a y = b for a triangular a, whose other triangle is not read.

    upper: the upper triangle of a is read instead of the lower one
    transposed: a^T y = b instead
    unit_diagonal: a's diagonal is not read but taken as 1"""
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

    full_matrices: u [m,m] and vh [n,n] instead of [m,k] and [k,n], k = min(m, n); gradients by the others are ignored"""
def matrix_power(x: Operand, n: int) -> Tensor:
    """x^n by squaring; negative powers are those of the inverse."""
def cross(x1: Operand, x2: Operand, *, axis: int = -1) -> Tensor:
    """a x b for vectors of 3 along an axis (default: the last); others broadcast.

    axis: along which; -1 is the last"""
def key(seed: int, *, device: Device | str | None = None) -> Tensor:
    """The key of a seed.

    device: where the key is made; default: the thread's default device"""
def fold_in(key: Operand, data: Operand) -> Tensor:
    """A new key from a key and a number (an integer tensor or a number, taken modulo 2^32)."""
def bits(key: Operand, shape: int | Sequence[int] = (), dtype: DType | str | type | None = None, *, device: Device |
        str | None = None, layout: Literal['default', 'original', 'partitionable'] = 'default') -> Tensor:
    """Uniform bits: u8, u16, u32 or u64.

    dtype: of the numbers; default: f32, of random_bits u32
    device: where the numbers are made; default: the key's
    layout: how positions become counters"""
def uniform(key: Operand, shape: int | Sequence[int] = (), dtype: DType | str | type | None = None, low: float = 0.0,
        high: float = 1.0, *, device: Device | str | None = None, layout: Literal['default', 'original',
        'partitionable'] = 'default') -> Tensor:
    """Uniform in [low, high), whose ends and width the dtype must hold; where the two lie close beside each other for the dtype,
    rounding gives high, too.

    dtype: of the numbers
    low: where the range begins
    high: where it ends
    device: where the numbers are made; default: the key's
    layout: how positions become counters"""
def normal(key: Operand, shape: int | Sequence[int] = (), dtype: DType | str | type | None = None, *, device: Device |
        str | None = None, layout: Literal['default', 'original', 'partitionable'] = 'default') -> Tensor:
    """Normal with mean 0 and variance 1.

    dtype: of the numbers; default: f32, of random_bits u32
    device: where the numbers are made; default: the key's
    layout: how positions become counters"""
def randint(key: Operand, shape: int | Sequence[int], low: int, high: int, dtype: DType | str | type | None = None, *,
        device: Device | str | None = None, layout: Literal['default', 'original', 'partitionable'] = 'default',
        unbiased: bool = False) -> Tensor:
    """Integers low <= y < high, which the dtype must hold (high may be the next one); low where that is no range, as in JAX. They are
    JAX's numbers, bits modulo the width of the range, so
    that some of a range wider than 2^30 (i32; 2^62 for i64) come up more often than others. With unbiased they are other numbers,
    the same on every device: random bits of twice the width
    times the range, without what lies behind the point, so that two numbers differ in probability by less than 2^-32 (i64: 2^-64)
    of it, whatever the range.

    dtype: of the numbers
    device: where the numbers are made; default: the key's
    layout: how positions become counters
    unbiased: each number as often as the others"""
def permutation(key: Operand, n: int, *, device: Device | str | None = None, layout: Literal['default', 'original',
        'partitionable'] = 'default', dtype: DType | str | type | None = None) -> Tensor:
    """0 ... n-1 in random order, i64.

    device: where the numbers are made; default: the key's
    layout: how positions become counters
    dtype: of the numbers; default: f32, of random_bits u32"""
def gumbel(key: Operand, shape: int | Sequence[int] = (), dtype: DType | str | type | None = None, *, device: Device |
        str | None = None, layout: Literal['default', 'original', 'partitionable'] = 'default') -> Tensor:
    """-log(-log(u)): the Gumbel distribution.

    dtype: of the numbers; default: f32, of random_bits u32
    device: where the numbers are made; default: the key's
    layout: how positions become counters"""
def categorical(key: Operand, logits: Operand, axis: int = -1, *, device: Device | str | None = None, layout:
        Literal['default', 'original', 'partitionable'] = 'default') -> Tensor:
    """One index along axis for each distribution softmax(logits), i64.

    axis: of the distributions; -1 is the last
    device: where the numbers are made; default: the key's
    layout: how positions become counters"""
