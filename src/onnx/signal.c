/* Signal processing: Fourier transforms, window functions, mel weights. */
#include <math.h>
#include <situ/fft.h>
#include <string.h>

#include "base/error.h"
#include "math/f64.h"
#include "onnx/call.h"
#include "onnx/host.h"
#include "op/support.h"
/* included last: it redefines SITU_HERE */
#include "op/here.h"

/* Converts [..., 1] or [..., 2], real and imaginary parts, to real or complex values; NULL with an error. */
static situ_tensor *of_parts(situ_onnx_call *c, situ_tensor *x, situ_site site)
{
    int last = x && !situ_error_code ? situ_ndim(x) - 1 : 0;
    if (last < 1 || situ_dim(x, last) < 1 || situ_dim(x, last) > 2)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its last axis holds 1 or 2 parts of a number"), NULL;
    if (situ_dtype_of(x) != SITU_F64) x = situ_cast(x, SITU_F32);
    if (situ_dim(x, last) == 1) return situ_select(x, last, 0);
    return situ_complex(situ_select(x, last, 0), situ_select(x, last, 1));
}

static situ_tensor *parts_of(situ_tensor *y, situ_dtype d, situ_site site)
{
    bool real = situ_error_code || !situ_dtype_is_complex(situ_dtype_of(y));
    return situ_cast(
        real ? situ_expand_dims(y, situ_ndim(y)) : situ_stack(TENSORS(situ_real(y), situ_imag(y)), .axis = situ_ndim(y)), d);
}

static situ_tensor *transform(situ_tensor *x, int axis, int64_t n, bool inverse, bool half, situ_site site)
{
    if (situ_error_code) return situ_poisoned();
    bool real = !situ_dtype_is_complex(situ_dtype_of(x));
    if (inverse && half) return situ_irfft(x, .n = n, .axis = axis);
    if (inverse) return situ_ifft(x, .n = n, .axis = axis);
    if (half && real) return situ_rfft(x, .n = n, .axis = axis);
    situ_tensor *y = situ_fft(x, .n = n, .axis = axis);
    if (!half || situ_error_code) return y;
    situ_shape stop = situ_shape_of(y);
    stop.dim[axis] = stop.dim[axis] / 2 + 1;
    return situ_slice(y, .stop = stop);
}

SITU_ONNX_BODY(dft)
{
    situ_tensor *x = IN(0), *z = of_parts(c, x, site);
    bool old = c->opset < 20;
    int64_t axis = old ? situ_onnx_int(c, "axis", 1) : -2, n = 0;
    situ_onnx_numbers(c, 1, NULL, &n, 1);
    if (!old) situ_onnx_numbers(c, 2, NULL, &axis, 1);
    if (!z || situ_error_code) return situ_poisoned();
    if (axis < 0) axis += situ_ndim(x);
    bool half = situ_onnx_int(c, "onesided", 0) != 0;
    if (axis >= 0 && axis < situ_ndim(z) && !n && !situ_dim(z, (int)axis) && !half) {
        situ_shape s = situ_shape_of(x);
        s.dim[s.ndim - 1] = 2;
        return situ_zeros(s, .dtype = situ_dtype_of(x), .device = situ_device_of(x));
    }
    if (axis < 0 || axis >= situ_ndim(z) || n < 0) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "there is no such axis or length");
    situ_tensor *y = transform(z, (int)axis, n, situ_onnx_int(c, "inverse", 0) != 0, half, site);
    return parts_of(y, situ_dtype_of(x), site);
}

SITU_ONNX_BODY(stft)
{
    situ_tensor *x = IN(0), *z = of_parts(c, x, site), *window = HAS(2) ? IN(2) : NULL;
    int64_t step = 0, length = -1;
    situ_onnx_numbers(c, 1, NULL, &step, 1);
    situ_onnx_numbers(c, 3, NULL, &length, 1);
    if (!z || situ_error_code) return situ_poisoned();
    int64_t all = situ_ndim(z) == 2 ? situ_dim(z, 1) : 0;
    if (length < 0) length = window ? situ_count(window) : all;
    if (step < 1 || length < 1 || length > all) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its frames do not fit the signal");
    situ_device where = situ_device_of(x);
    situ_tensor *first = situ_mul(situ_arange(0, (all - length) / step + 1, 1, .device = where), step);
    situ_tensor *at = situ_add(situ_reshape(first, SHAPE(-1, 1)), situ_arange(0, length, 1, .device = where));
    situ_tensor *frames = situ_take(z, at, .axis = 1);
    if (window) frames = situ_mul(frames, window);
    return parts_of(transform(frames, 2, 0, false, situ_onnx_int(c, "onesided", 1) != 0, site), situ_dtype_of(x), site);
}

/* ---- windows -------------------------------------------------------------------------------------------------------------- */

/* a - b cos(2 pi i / n) + d cos(4 pi i / n); n is the size, or one less for a symmetric window. */
static situ_tensor *cosines(situ_onnx_call *c, double a, double b, double d, situ_site site)
{
    int64_t size = -1;
    situ_onnx_numbers(c, 0, NULL, &size, 1);
    situ_dtype dtype = situ_onnx_dtype(situ_onnx_int(c, "output_datatype", 1));
    if (size < 0 || dtype == SITU_DTYPE_DEFAULT) return situ_onnx_refuse(c, SITU_BAD_SHAPE, "it has no size, or another dtype");
    double n = (double)(situ_onnx_int(c, "periodic", 1) ? size : size - 1);
    situ_tensor *i = situ_arange(0, size, 1, .dtype = SITU_F64, .device = situ_device_of(c->run->x));
    situ_tensor *y = situ_sub(a, situ_mul(situ_cos(situ_mul(i, 2 * M_PI / (n > 0 ? n : 1))), b));
    if (d > 0) y = situ_add(y, situ_mul(situ_cos(situ_mul(i, 4 * M_PI / (n > 0 ? n : 1))), d));
    return situ_cast(y, dtype);
}
SITU_ONNX_BODY(hann) { return cosines(c, 0.5, 0.5, 0, site); }
SITU_ONNX_BODY(hamming) { return cosines(c, 25.0 / 46, 21.0 / 46, 0, site); }
SITU_ONNX_BODY(blackman) { return cosines(c, 0.42, 0.5, 0.08, site); }

/* ---- mel weights ---------------------------------------------------------------------------------------------------------- */

/* Triangular filters over the frequencies of a transform, [length / 2 + 1, bands], with corners evenly spaced on the
 * mel scale. */
SITU_ONNX_BODY(mel_weights)
{
    const situ_onnx_host *h[5];
    for (int i = 0; i < 5; i++)
        if (!(h[i] = situ_onnx_read(c, i)) || h[i]->count < 1) return situ_onnx_refuse(c, SITU_BAD_FORMAT, "a number is missing");
    int64_t bands = situ_onnx_host_int(h[0], 0), length = situ_onnx_host_int(h[1], 0), rate = situ_onnx_host_int(h[2], 0);
    situ_dtype dtype = situ_onnx_dtype(situ_onnx_int(c, "output_datatype", 1));
    if (bands < 1 || bands > INT16_MAX || length < 1 || length > INT32_MAX || rate < 1 || dtype == SITU_DTYPE_DEFAULT)
        return situ_onnx_refuse(c, SITU_BAD_SHAPE, "its sizes are not above 0, or the dtype is another one");
    double low = 2595 * situ_f64_log10(1 + situ_onnx_host_float(h[3], 0) / 700),
           high = 2595 * situ_f64_log10(1 + situ_onnx_host_float(h[4], 0) / 700);
    double *corner = situ_arena_alloc(&c->run->arena, 8 * (size_t)(bands + 2));
    if (!corner) return situ_refused(SITU_NO_MEMORY, site, "situ_module_call: out of host memory");
    for (int64_t i = 0; i < bands + 2; i++) {
        double hertz = 700 * (situ_f64_pow(10, (low + (double)i * (high - low) / (double)(bands + 2)) / 2595) - 1);
        corner[i] = floor((double)(length + 1) * hertz / (double)rate);
    }
    situ_device where = situ_device_of(c->run->x);
    situ_tensor *all = situ_from_host((const void *)corner, SHAPE(bands + 2), .dtype = SITU_F64, .device = where);
    situ_tensor *left = situ_slice(all, .stop = SHAPE(bands)), *top = situ_slice(all, .start = SHAPE(1), .stop = SHAPE(bands + 1)),
                *right = situ_slice(all, .start = SHAPE(2));
    situ_tensor *bin = situ_reshape(situ_arange(0, length / 2 + 1, 1, .dtype = SITU_F64, .device = where), SHAPE(-1, 1));
    situ_tensor *up = situ_div(situ_sub(bin, left), situ_maximum(situ_sub(top, left), 1.0)),
                *down = situ_div(situ_sub(right, bin), situ_maximum(situ_sub(right, top), 1.0));
    situ_tensor *y = situ_where(situ_less(bin, top), situ_maximum(up, 0.0), situ_maximum(down, 0.0));
    return situ_cast(situ_where(situ_equal(bin, top), 1.0, y), dtype);
}

#define ROW(onnx, f, r) \
    { \
        .name = onnx, .body = (f), .read = (r) \
    }
const situ_onnx_op situ_onnx_signal_ops[] = {ROW("DFT", dft, 6), ROW("STFT", stft, 10), ROW("HannWindow", hann, 1),
    ROW("HammingWindow", hamming, 1), ROW("BlackmanWindow", blackman, 1), ROW("MelWeightMatrix", mel_weights, 31), {0}};
