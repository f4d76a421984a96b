/* situ/create.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

MADE(zeros)
{
    TAKE("zeros", 3, 1, 1, {"shape", "dtype", "device"}, {NULL});
    situ_shape shape_ = arg_shape(c, 0);
    situ_made_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 1);
    o.device = arg_device(c, 2);
    return call_end(c, c->failed ? NULL : (situ_zeros)(shape_, &o, c->site));
}

MADE(empty)
{
    TAKE("empty", 3, 1, 1, {"shape", "dtype", "device"}, {NULL});
    situ_shape shape_ = arg_shape(c, 0);
    situ_made_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 1);
    o.device = arg_device(c, 2);
    return call_end(c, c->failed ? NULL : (situ_zeros)(shape_, &o, c->site));
}

MADE(ones)
{
    TAKE("ones", 3, 1, 1, {"shape", "dtype", "device"}, {NULL});
    situ_shape shape_ = arg_shape(c, 0);
    situ_made_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 1);
    o.device = arg_device(c, 2);
    return call_end(c, c->failed ? NULL : (situ_ones)(shape_, &o, c->site));
}

MADE(full)
{
    TAKE("full", 4, 2, 4, {"shape", "value", "dtype", "device"}, {NULL});
    situ_shape shape_ = arg_shape(c, 0);
    situ_tensor *value_ = arg_tensor(c, 1);
    situ_made_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 2);
    o.device = arg_device(c, 3);
    return call_end(c, c->failed ? NULL : (situ_full)(shape_, value_, &o, c->site));
}

MADE(zeros_like)
{
    TAKE("zeros_like", 3, 1, 1, {"x", "dtype", "device"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_made_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 1);
    o.device = arg_device(c, 2);
    return call_end(c, c->failed ? NULL : (situ_zeros_like)(x_, &o, c->site));
}

MADE(empty_like)
{
    TAKE("empty_like", 3, 1, 1, {"x", "dtype", "device"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_made_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 1);
    o.device = arg_device(c, 2);
    return call_end(c, c->failed ? NULL : (situ_zeros_like)(x_, &o, c->site));
}

MADE(ones_like)
{
    TAKE("ones_like", 3, 1, 1, {"x", "dtype", "device"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_made_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 1);
    o.device = arg_device(c, 2);
    return call_end(c, c->failed ? NULL : (situ_ones_like)(x_, &o, c->site));
}

MADE(full_like)
{
    TAKE("full_like", 4, 2, 4, {"x", "value", "dtype", "device"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_tensor *value_ = arg_tensor(c, 1);
    situ_made_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 2);
    o.device = arg_device(c, 3);
    return call_end(c, c->failed ? NULL : (situ_full_like)(x_, value_, &o, c->site));
}

MADE(arange)
{
    TAKE("arange", 5, 3, 5, {"start", "stop", "step", "dtype", "device"}, {NULL});
    situ_tensor *start_ = arg_tensor(c, 0);
    situ_tensor *stop_ = arg_tensor(c, 1);
    situ_tensor *step_ = arg_tensor(c, 2);
    situ_made_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 3);
    o.device = arg_device(c, 4);
    return call_end(c, c->failed ? NULL : (situ_arange)(start_, stop_, step_, &o, c->site));
}

MADE(linspace)
{
    TAKE("linspace", 6, 3, 6, {"start", "stop", "n", "dtype", "device", "endpoint"}, {NULL});
    double start_ = arg_double(c, 0, 0);
    double stop_ = arg_double(c, 1, 0);
    int64_t n_ = arg_int(c, 2, 0);
    situ_linspace_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 3);
    o.device = arg_device(c, 4);
    o.endpoint = arg_bool(c, 5, true);
    return call_end(c, c->failed ? NULL : (situ_linspace)(start_, stop_, n_, &o, c->site));
}

MADE(eye)
{
    TAKE("eye", 5, 1, 2, {"n_rows", "n_cols", "k", "dtype", "device"}, {NULL});
    int64_t rows_ = arg_int(c, 0, 0);
    situ_eye_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.columns = arg_int(c, 1, -1);
    o.diagonal = arg_int(c, 2, 0);
    o.dtype = arg_dtype(c, 3);
    o.device = arg_device(c, 4);
    return call_end(c, c->failed ? NULL : (situ_eye)(rows_, &o, c->site));
}

MADE(tri)
{
    TAKE("tri", 5, 1, 5, {"rows", "dtype", "device", "columns", "diagonal"}, {NULL});
    int64_t rows_ = arg_int(c, 0, 0);
    situ_eye_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.dtype = arg_dtype(c, 1);
    o.device = arg_device(c, 2);
    o.columns = arg_int(c, 3, -1);
    o.diagonal = arg_int(c, 4, 0);
    return call_end(c, c->failed ? NULL : (situ_tri)(rows_, &o, c->site));
}

MADE(tril)
{
    TAKE("tril", 2, 1, 1, {"x", "k"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t diagonal_ = arg_int(c, 1, 0);
    return call_end(c, c->failed ? NULL : (situ_tril)(x_, diagonal_, c->site));
}

MADE(triu)
{
    TAKE("triu", 2, 1, 1, {"x", "k"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    int64_t diagonal_ = arg_int(c, 1, 0);
    return call_end(c, c->failed ? NULL : (situ_triu)(x_, diagonal_, c->site));
}

MADE(cast)
{
    TAKE("cast", 2, 2, 2, {"x", "dtype"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_dtype dtype_ = arg_dtype(c, 1);
    return call_end(c, c->failed ? NULL : (situ_cast)(x_, dtype_, c->site));
}

MADE(complex)
{
    TAKE("complex", 2, 2, 2, {"re", "im"}, {NULL});
    situ_tensor *re_ = arg_tensor(c, 0);
    situ_tensor *im_ = arg_tensor(c, 1);
    return call_end(c, c->failed ? NULL : (situ_complex)(re_, im_, c->site));
}

MADE(real)
{
    TAKE("real", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_real)(x_, c->site));
}

MADE(imag)
{
    TAKE("imag", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_imag)(x_, c->site));
}

MADE(conj)
{
    TAKE("conj", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_conj)(x_, c->site));
}

MADE(to)
{
    TAKE("to", 2, 2, 2, {"x", "device"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_device device_ = arg_device(c, 1);
    return call_end(c, c->failed ? NULL : (situ_to)(x_, device_, c->site));
}

MADE(copy_to)
{
    TAKE("copy_to", 2, 2, 2, {"x", "device"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_device device_ = arg_device(c, 1);
    return call_end(c, c->failed ? NULL : (situ_copy_to)(x_, device_, c->site));
}

MADE(stop_gradient)
{
    TAKE("stop_gradient", 1, 1, 1, {"x"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    return call_end(c, c->failed ? NULL : (situ_stop_gradient)(x_, c->site));
}

PyMethodDef made_create_methods[] = {
    MADE_ROW(zeros, zeros,
        "zeros(shape, *, dtype=None, device=None)\n--\n\nZeros everywhere.\n\ndtype: dtype of the result; see each "
        "function\ndevice: where it is made; default: the thread's default device"),
    MADE_ROW(empty, empty,
        "empty(shape, *, dtype=None, device=None)\n--\n\nZeros: situ has no tensors without a value.\n\ndtype: "
        "dtype of the result; see each function\ndevice: where it is made; default: the thread's default device"),
    MADE_ROW(ones, ones,
        "ones(shape, *, dtype=None, device=None)\n--\n\nOnes everywhere.\n\ndtype: dtype of the result; see each "
        "function\ndevice: where it is made; default: the thread's default device"),
    MADE_ROW(full, full,
        "full(shape, value, dtype=None, device=None)\n--\n\n`value` everywhere: a number (then the dtype is bool, "
        "i64 or f32 by its kind), or a tensor that broadcasts.\n\ndtype: dtype of the result; see each function\n"
        "device: where it is made; default: the thread's default device"),
    MADE_ROW(zeros_like, zeros_like,
        "zeros_like(x, *, dtype=None, device=None)\n--\n\nzeros_like, ones_like, full_like: The same with x's "
        "shape, dtype and device.\n\ndtype: dtype of the result; see each function\ndevice: where it is made; "
        "default: the thread's default device"),
    MADE_ROW(empty_like, empty_like,
        "empty_like(x, *, dtype=None, device=None)\n--\n\nAs zeros_like: situ has no tensors without a value.\n\n"
        "dtype: dtype of the result; see each function\ndevice: where it is made; default: the thread's default "
        "device"),
    MADE_ROW(ones_like, ones_like,
        "ones_like(x, *, dtype=None, device=None)\n--\n\nzeros_like, ones_like, full_like: The same with x's shape, "
        "dtype and device.\n\ndtype: dtype of the result; see each function\ndevice: where it is made; default: the "
        "thread's default device"),
    MADE_ROW(full_like, full_like,
        "full_like(x, value, dtype=None, device=None)\n--\n\nzeros_like, ones_like, full_like: The same with x's "
        "shape, dtype and device.\n\ndtype: dtype of the result; see each function\ndevice: where it is made; "
        "default: the thread's default device"),
    MADE_ROW(arange, arange,
        "arange(start, stop, step, dtype=None, device=None)\n--\n\nstart, start + step, ... before stop: ceil((stop "
        "- start) / step) numbers; i64 if all three are integers, else f32.\n\ndtype: dtype of the result; see each "
        "function\ndevice: where it is made; default: the thread's default device"),
    MADE_ROW(linspace, linspace,
        "linspace(start, stop, n, dtype=None, device=None, endpoint=True)\n--\n\nn numbers in equal steps: start + "
        "i (stop - start) / (n - 1), or / n without the endpoint.\n\ndtype: dtype of the result\ndevice: where it "
        "is made; default: the thread's default device\nendpoint: the last number is exactly stop"),
    MADE_ROW(eye, eye,
        "eye(n_rows, n_cols=-1, *, k=0, dtype=None, device=None)\n--\n\n1 where column - row == diagonal, else 0.\n"
        "\nn_cols: number of columns; -1: as many as rows\nk: which diagonal; 0: the main one; positive: above it, "
        "negative: below\ndtype: dtype of the result\ndevice: where it is made; default: the thread's default "
        "device"),
    MADE_ROW(tri, tri,
        "tri(rows, dtype=None, device=None, columns=-1, diagonal=0)\n--\n\n1 where column - row <= diagonal, else "
        "0.\n\ndtype: dtype of the result\ndevice: where it is made; default: the thread's default device\ncolumns: "
        "number of columns; -1: as many as rows\ndiagonal: which diagonal; 0: the main one; positive: above it, "
        "negative: below"),
    MADE_ROW(tril, tril,
        "tril(x, *, k=0)\n--\n\ntril, triu: x where column - row <= diagonal (tril) or >= diagonal (triu), else 0, "
        "over the last two axes."),
    MADE_ROW(triu, triu,
        "triu(x, *, k=0)\n--\n\ntril, triu: x where column - row <= diagonal (tril) or >= diagonal (triu), else 0, "
        "over the last two axes."),
    MADE_ROW(cast, cast,
        "cast(x, dtype)\n--\n\nConversion to another dtype: floats to integers truncate and saturate (NaN gives 0), "
        "integers wrap, anything to bool is != 0,\ncomplex to real takes the real part. The same tensor if it has "
        "that dtype."),
    MADE_ROW(complex, complex,
        "complex(re, im)\n--\n\ncomplex, real, imag, conj: re + i im from two real tensors of one float dtype; the "
        "real and imaginary part of a complex tensor; its conjugate. A real tensor\nis its own real part and "
        "conjugate."),
    MADE_ROW(real, real,
        "real(x)\n--\n\ncomplex, real, imag, conj: re + i im from two real tensors of one float dtype; the real and "
        "imaginary part of a complex tensor; its conjugate. A real tensor\nis its own real part and conjugate."),
    MADE_ROW(imag, imag,
        "imag(x)\n--\n\ncomplex, real, imag, conj: re + i im from two real tensors of one float dtype; the real and "
        "imaginary part of a complex tensor; its conjugate. A real tensor\nis its own real part and conjugate."),
    MADE_ROW(conj, conj,
        "conj(x)\n--\n\ncomplex, real, imag, conj: re + i im from two real tensors of one float dtype; the real and "
        "imaginary part of a complex tensor; its conjugate. A real tensor\nis its own real part and conjugate."),
    MADE_ROW(to, to,
        "to(x, device)\n--\n\nx on that device: x itself (the same pointer) if it is there, else a copy."),
    MADE_ROW(copy_to, copy_to,
        "copy_to(x, device)\n--\n\nAlways a copy in new memory, even on the same device."),
    MADE_ROW(stop_gradient, stop_gradient,
        "stop_gradient(x)\n--\n\nx as a constant: gradients do not pass through it."),
    {NULL, NULL, 0, NULL}};
