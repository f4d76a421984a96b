/* situ/fft.h for Python. Made by scripts/generate.py from it: change that. */
#include "binding.h"

static const choice words_fft_norm[] = {{"backward", SITU_NORM_BACKWARD}, {"ortho", SITU_NORM_ORTHO}, {"forward", SITU_NORM_FORWARD}, {NULL, 0}};

MADE(fft)
{
    TAKE("fft", 4, 1, 1, {"x", "n", "axis", "norm"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_fft_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.n = arg_count(c, 1, "n");
    o.axis = arg_int32(c, 2, -1);
    o.norm = (situ_fft_norm)arg_word(c, 3, words_fft_norm, 0, "norm");
    return call_end(c, c->failed ? NULL : (situ_fft)(x_, &o, c->site));
}

MADE(ifft)
{
    TAKE("ifft", 4, 1, 1, {"x", "n", "axis", "norm"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_fft_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.n = arg_count(c, 1, "n");
    o.axis = arg_int32(c, 2, -1);
    o.norm = (situ_fft_norm)arg_word(c, 3, words_fft_norm, 0, "norm");
    return call_end(c, c->failed ? NULL : (situ_ifft)(x_, &o, c->site));
}

MADE(rfft)
{
    TAKE("rfft", 4, 1, 1, {"x", "n", "axis", "norm"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_fft_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.n = arg_count(c, 1, "n");
    o.axis = arg_int32(c, 2, -1);
    o.norm = (situ_fft_norm)arg_word(c, 3, words_fft_norm, 0, "norm");
    return call_end(c, c->failed ? NULL : (situ_rfft)(x_, &o, c->site));
}

MADE(irfft)
{
    TAKE("irfft", 4, 1, 1, {"x", "n", "axis", "norm"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_fft_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.n = arg_count(c, 1, "n");
    o.axis = arg_int32(c, 2, -1);
    o.norm = (situ_fft_norm)arg_word(c, 3, words_fft_norm, 0, "norm");
    return call_end(c, c->failed ? NULL : (situ_irfft)(x_, &o, c->site));
}

MADE(hfft)
{
    TAKE("hfft", 4, 1, 1, {"x", "n", "axis", "norm"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_fft_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.n = arg_count(c, 1, "n");
    o.axis = arg_int32(c, 2, -1);
    o.norm = (situ_fft_norm)arg_word(c, 3, words_fft_norm, 0, "norm");
    return call_end(c, c->failed ? NULL : (situ_hfft)(x_, &o, c->site));
}

MADE(ihfft)
{
    TAKE("ihfft", 4, 1, 1, {"x", "n", "axis", "norm"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_fft_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.n = arg_count(c, 1, "n");
    o.axis = arg_int32(c, 2, -1);
    o.norm = (situ_fft_norm)arg_word(c, 3, words_fft_norm, 0, "norm");
    return call_end(c, c->failed ? NULL : (situ_ihfft)(x_, &o, c->site));
}

MADE(fftn)
{
    TAKE("fftn", 4, 1, 1, {"x", "s", "axes", "norm"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_fftn_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.s = arg_shape(c, 1);
    o.axes = arg_axes(c, 2);
    o.norm = (situ_fft_norm)arg_word(c, 3, words_fft_norm, 0, "norm");
    return call_end(c, c->failed ? NULL : (situ_fftn)(x_, &o, c->site));
}

MADE(ifftn)
{
    TAKE("ifftn", 4, 1, 1, {"x", "s", "axes", "norm"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_fftn_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.s = arg_shape(c, 1);
    o.axes = arg_axes(c, 2);
    o.norm = (situ_fft_norm)arg_word(c, 3, words_fft_norm, 0, "norm");
    return call_end(c, c->failed ? NULL : (situ_ifftn)(x_, &o, c->site));
}

MADE(rfftn)
{
    TAKE("rfftn", 4, 1, 1, {"x", "s", "axes", "norm"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_fftn_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.s = arg_shape(c, 1);
    o.axes = arg_axes(c, 2);
    o.norm = (situ_fft_norm)arg_word(c, 3, words_fft_norm, 0, "norm");
    return call_end(c, c->failed ? NULL : (situ_rfftn)(x_, &o, c->site));
}

MADE(irfftn)
{
    TAKE("irfftn", 4, 1, 1, {"x", "s", "axes", "norm"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_fftn_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.s = arg_shape(c, 1);
    o.axes = arg_axes(c, 2);
    o.norm = (situ_fft_norm)arg_word(c, 3, words_fft_norm, 0, "norm");
    return call_end(c, c->failed ? NULL : (situ_irfftn)(x_, &o, c->site));
}

MADE(fftfreq)
{
    TAKE("fftfreq", 4, 1, 1, {"n", "d", "dtype", "device"}, {NULL});
    int64_t n_ = arg_int(c, 0, 0);
    situ_fftfreq_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.d = arg_double(c, 1, 1);
    o.dtype = arg_dtype(c, 2);
    o.device = arg_device(c, 3);
    return call_end(c, c->failed ? NULL : (situ_fftfreq)(n_, &o, c->site));
}

MADE(rfftfreq)
{
    TAKE("rfftfreq", 4, 1, 1, {"n", "d", "dtype", "device"}, {NULL});
    int64_t n_ = arg_int(c, 0, 0);
    situ_fftfreq_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.d = arg_double(c, 1, 1);
    o.dtype = arg_dtype(c, 2);
    o.device = arg_device(c, 3);
    return call_end(c, c->failed ? NULL : (situ_rfftfreq)(n_, &o, c->site));
}

MADE(fftshift)
{
    TAKE("fftshift", 2, 1, 1, {"x", "axes"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_axes_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    return call_end(c, c->failed ? NULL : (situ_fftshift)(x_, &o, c->site));
}

MADE(ifftshift)
{
    TAKE("ifftshift", 2, 1, 1, {"x", "axes"}, {NULL});
    situ_tensor *x_ = arg_tensor(c, 0);
    situ_axes_options o = {.size = sizeof o, .unnamed = SITU_NAMED};
    o.axes = arg_axes(c, 1);
    return call_end(c, c->failed ? NULL : (situ_ifftshift)(x_, &o, c->site));
}

PyMethodDef made_fft_methods[] = {
    MADE_ROW(fft, fft,
        "fft(x, *, n=None, axis=-1, norm='backward')\n--\n\nfft, ifft: Complex to complex. A real x is converted.\n"
        "\nn: length of the transform: x is cut or padded with 0; for irfft and hfft length of the result. None: "
        "the length of x; irfft, hfft: 2 (length - 1)\naxis: the axis; -1 is the last\nnorm: which direction is "
        "divided"),
    MADE_ROW(ifft, ifft,
        "ifft(x, *, n=None, axis=-1, norm='backward')\n--\n\nfft, ifft: Complex to complex. A real x is converted.\n"
        "\nn: length of the transform: x is cut or padded with 0; for irfft and hfft length of the result. None: "
        "the length of x; irfft, hfft: 2 (length - 1)\naxis: the axis; -1 is the last\nnorm: which direction is "
        "divided"),
    MADE_ROW(rfft, rfft,
        "rfft(x, *, n=None, axis=-1, norm='backward')\n--\n\nThe first n / 2 + 1 elements of the fft of a real x.\n"
        "\nn: length of the transform: x is cut or padded with 0; for irfft and hfft length of the result. None: "
        "the length of x; irfft, hfft: 2 (length - 1)\naxis: the axis; -1 is the last\nnorm: which direction is "
        "divided"),
    MADE_ROW(irfft, irfft,
        "irfft(x, *, n=None, axis=-1, norm='backward')\n--\n\nAnd the inverse, real.\n\nn: length of the transform: "
        "x is cut or padded with 0; for irfft and hfft length of the result. None: the length of x; irfft, hfft: 2 "
        "(length - 1)\naxis: the axis; -1 is the last\nnorm: which direction is divided"),
    MADE_ROW(hfft, hfft,
        "hfft(x, *, n=None, axis=-1, norm='backward')\n--\n\nThe transform of a signal with a real spectrum, from "
        "its first half.\n\nn: length of the transform: x is cut or padded with 0; for irfft and hfft length of the "
        "result. None: the length of x; irfft, hfft: 2 (length - 1)\naxis: the axis; -1 is the last\nnorm: which "
        "direction is divided"),
    MADE_ROW(ihfft, ihfft,
        "ihfft(x, *, n=None, axis=-1, norm='backward')\n--\n\nAnd the inverse.\n\nn: length of the transform: x is "
        "cut or padded with 0; for irfft and hfft length of the result. None: the length of x; irfft, hfft: 2 "
        "(length - 1)\naxis: the axis; -1 is the last\nnorm: which direction is divided"),
    MADE_ROW(fftn, fftn,
        "fftn(x, *, s=None, axes=None, norm='backward')\n--\n\nfftn, ifftn, rfftn, irfftn: Transforms along several "
        "axes. rfftn begins with rfft along the last axis; irfftn ends with irfft along it.\n\ns: lengths along the "
        "axes; a single number only for one axis; default: as n of fft\naxes: the axes; all, or the last ones if s "
        "is given\nnorm: which direction is divided"),
    MADE_ROW(ifftn, ifftn,
        "ifftn(x, *, s=None, axes=None, norm='backward')\n--\n\nfftn, ifftn, rfftn, irfftn: Transforms along "
        "several axes. rfftn begins with rfft along the last axis; irfftn ends with irfft along it.\n\ns: lengths "
        "along the axes; a single number only for one axis; default: as n of fft\naxes: the axes; all, or the last "
        "ones if s is given\nnorm: which direction is divided"),
    MADE_ROW(rfftn, rfftn,
        "rfftn(x, *, s=None, axes=None, norm='backward')\n--\n\nfftn, ifftn, rfftn, irfftn: Transforms along "
        "several axes. rfftn begins with rfft along the last axis; irfftn ends with irfft along it.\n\ns: lengths "
        "along the axes; a single number only for one axis; default: as n of fft\naxes: the axes; all, or the last "
        "ones if s is given\nnorm: which direction is divided"),
    MADE_ROW(irfftn, irfftn,
        "irfftn(x, *, s=None, axes=None, norm='backward')\n--\n\nfftn, ifftn, rfftn, irfftn: Transforms along "
        "several axes. rfftn begins with rfft along the last axis; irfftn ends with irfft along it.\n\ns: lengths "
        "along the axes; a single number only for one axis; default: as n of fft\naxes: the axes; all, or the last "
        "ones if s is given\nnorm: which direction is divided"),
    MADE_ROW(fftfreq, fftfreq,
        "fftfreq(n, *, d=1.0, dtype=None, device=None)\n--\n\nfftfreq, rfftfreq: The frequencies of fft's results, "
        "k / (n d): 0, 1, ... and then the negative ones; and of rfft's, 0, 1, ... n / 2.\n\nd: the time between "
        "two samples\ndtype: dtype of the result\ndevice: where it is made; default: the thread's default device"),
    MADE_ROW(rfftfreq, rfftfreq,
        "rfftfreq(n, *, d=1.0, dtype=None, device=None)\n--\n\nfftfreq, rfftfreq: The frequencies of fft's results, "
        "k / (n d): 0, 1, ... and then the negative ones; and of rfft's, 0, 1, ... n / 2.\n\nd: the time between "
        "two samples\ndtype: dtype of the result\ndevice: where it is made; default: the thread's default device"),
    MADE_ROW(fftshift, fftshift,
        "fftshift(x, *, axes=None)\n--\n\nMoves frequency 0 to the middle of all (or the named) axes.\n\naxes: "
        "which axes"),
    MADE_ROW(ifftshift, ifftshift,
        "ifftshift(x, *, axes=None)\n--\n\nAnd back.\n\naxes: which axes"),
    {NULL, NULL, 0, NULL}};
