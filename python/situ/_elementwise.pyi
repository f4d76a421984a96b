"""Operations on each element. Made by scripts/generate.py from src/op/elementwise.def: change that."""
from ._situ import Tensor

Operand = Tensor | bool | int | float | complex

def real(x: Operand, /) -> Tensor: ...
def imag(x: Operand, /) -> Tensor: ...
def conj(x: Operand, /) -> Tensor: ...
def add(x1: Operand, x2: Operand, /) -> Tensor:
    """a + b."""
def subtract(x1: Operand, x2: Operand, /) -> Tensor:
    """a - b."""
def multiply(x1: Operand, x2: Operand, /) -> Tensor:
    """a b."""
def divide(x1: Operand, x2: Operand, /) -> Tensor:
    """a / b."""
def fma(x1: Operand, x2: Operand, x3: Operand, /) -> Tensor:
    """a b + c, rounded once."""
def floor_divide(x1: Operand, x2: Operand, /) -> Tensor:
    """floor(a / b); integers: 0 where b = 0."""
def remainder(x1: Operand, x2: Operand, /) -> Tensor:
    """a - b floor(a / b), with the sign of b as in Python; integers: 0 where b = 0."""
def fmod(x1: Operand, x2: Operand, /) -> Tensor:
    """a - b trunc(a / b), with the sign of a as in C; integers: 0 where b = 0."""
def pow(x1: Operand, x2: Operand, /) -> Tensor:
    """a^b with the special cases of C99; integers wrap."""
def hypot(x1: Operand, x2: Operand, /) -> Tensor:
    """sqrt(a^2 + b^2) without overflow."""
def negative(x: Operand, /) -> Tensor:
    """-a."""
def positive(x: Operand, /) -> Tensor:
    """a."""
def abs(x: Operand, /) -> Tensor:
    """|a|; the smallest integer does not change."""
def sign(x: Operand, /) -> Tensor:
    """-1, 0 or 1; NaN of NaN."""
def square(x: Operand, /) -> Tensor:
    """a^2."""
def reciprocal(x: Operand, /) -> Tensor:
    """1 / a."""
def sqrt(x: Operand, /) -> Tensor:
    """square root."""
def pow_half(x: Operand, /) -> Tensor:
    """a^0.5 with the special cases of C99: 0 of -0, infinity of -infinity; the form of situ_pow(a, 0.5)."""
def rsqrt(x: Operand, /) -> Tensor:
    """1 / sqrt(a)."""
def cbrt(x: Operand, /) -> Tensor:
    """cube root."""
def exp(x: Operand, /) -> Tensor:
    """e^a."""
def exp2(x: Operand, /) -> Tensor:
    """2^a."""
def expm1(x: Operand, /) -> Tensor:
    """e^a - 1."""
def log(x: Operand, /) -> Tensor:
    """natural logarithm."""
def log2(x: Operand, /) -> Tensor:
    """logarithm to base 2."""
def log10(x: Operand, /) -> Tensor:
    """logarithm to base 10."""
def log1p(x: Operand, /) -> Tensor:
    """log(1 + a)."""
def logaddexp(x1: Operand, x2: Operand, /) -> Tensor:
    """log(e^a + e^b)."""
def sin(x: Operand, /) -> Tensor:
    """sine of radians."""
def cos(x: Operand, /) -> Tensor:
    """cosine of radians."""
def tan(x: Operand, /) -> Tensor:
    """tangent of radians."""
def asin(x: Operand, /) -> Tensor:
    """arc sine."""
def acos(x: Operand, /) -> Tensor:
    """arc cosine."""
def atan(x: Operand, /) -> Tensor:
    """arc tangent."""
def atan2(x1: Operand, x2: Operand, /) -> Tensor:
    """the angle of the point (b, a)."""
def sinh(x: Operand, /) -> Tensor:
    """hyperbolic sine."""
def cosh(x: Operand, /) -> Tensor:
    """hyperbolic cosine."""
def tanh(x: Operand, /) -> Tensor:
    """hyperbolic tangent."""
def asinh(x: Operand, /) -> Tensor:
    """inverse hyperbolic sine."""
def acosh(x: Operand, /) -> Tensor:
    """inverse hyperbolic cosine."""
def atanh(x: Operand, /) -> Tensor:
    """inverse hyperbolic tangent."""
def erf(x: Operand, /) -> Tensor:
    """error function."""
def erfc(x: Operand, /) -> Tensor:
    """1 - erf(a)."""
def erfinv(x: Operand, /) -> Tensor:
    """inverse of erf."""
def sigmoid(x: Operand, /) -> Tensor:
    """1 / (1 + e^-a)."""
def relu(x: Operand, /) -> Tensor:
    """max(a, 0)."""
def softplus(x: Operand, /) -> Tensor:
    """log(1 + e^a)."""
def maximum(x1: Operand, x2: Operand, /) -> Tensor:
    """the larger; NaN if one is NaN."""
def minimum(x1: Operand, x2: Operand, /) -> Tensor:
    """the smaller; NaN if one is NaN."""
def floor(x: Operand, /) -> Tensor:
    """the largest integer that is not above a."""
def ceil(x: Operand, /) -> Tensor:
    """the smallest integer that is not below a."""
def round(x: Operand, /) -> Tensor:
    """the nearest integer, half to even."""
def trunc(x: Operand, /) -> Tensor:
    """a without its fraction."""
def copysign(x1: Operand, x2: Operand, /) -> Tensor:
    """|a| with the sign of b."""
def nextafter(x1: Operand, x2: Operand, /) -> Tensor:
    """the next number from a towards b."""
def isnan(x: Operand, /) -> Tensor:
    """a is not a number."""
def isinf(x: Operand, /) -> Tensor:
    """a is infinite."""
def isfinite(x: Operand, /) -> Tensor:
    """a is neither infinite nor NaN."""
def signbit(x: Operand, /) -> Tensor:
    """a has a minus sign, also -0."""
def equal(x1: Operand, x2: Operand, /) -> Tensor:
    """a = b."""
def not_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """a differs from b."""
def less(x1: Operand, x2: Operand, /) -> Tensor:
    """a < b."""
def less_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """a <= b."""
def greater(x1: Operand, x2: Operand, /) -> Tensor:
    """a > b."""
def greater_equal(x1: Operand, x2: Operand, /) -> Tensor:
    """a >= b."""
def logical_and(x1: Operand, x2: Operand, /) -> Tensor:
    """a and b."""
def logical_or(x1: Operand, x2: Operand, /) -> Tensor:
    """a or b."""
def logical_xor(x1: Operand, x2: Operand, /) -> Tensor:
    """either a or b."""
def logical_not(x: Operand, /) -> Tensor:
    """not a."""
def bitwise_and(x1: Operand, x2: Operand, /) -> Tensor:
    """the bits set in both."""
def bitwise_or(x1: Operand, x2: Operand, /) -> Tensor:
    """the bits set in at least one."""
def bitwise_xor(x1: Operand, x2: Operand, /) -> Tensor:
    """the bits set in exactly one."""
def bitwise_invert(x: Operand, /) -> Tensor:
    """all bits changed; of a bool: not."""
def bitwise_left_shift(x1: Operand, x2: Operand, /) -> Tensor:
    """a 2^b, wrapping; 0 beyond the width."""
def bitwise_right_shift(x1: Operand, x2: Operand, /) -> Tensor:
    """a / 2^b rounded down; 0 or the sign beyond the width."""
def bitcast_f32(x: Operand, /) -> Tensor:
    """the bits of a u32 as f32."""
def bitcast_u32(x: Operand, /) -> Tensor:
    """the bits of an f32 as u32."""
def bitcast_f64(x: Operand, /) -> Tensor:
    """the bits of a u64 as f64."""
def bitcast_u64(x: Operand, /) -> Tensor:
    """the bits of an f64 as u64."""
