/* Fourier transforms of any length, in O(n log n).
 *
 *     situ_tensor *spectrum = situ_rfft(signal, .axis = 0);
 *     situ_tensor *filtered = situ_irfft(situ_mul(spectrum, filter), .n = situ_dim(signal, 0), .axis = 0);
 *
 * y[k] = sum over j of x[j] e^(-2 pi i j k / n); the inverse has + in the exponent. Parts of f32 are transformed in double
 * precision and rounded once. The gradient of a transform is its transpose.
 */
#ifndef SITU_FFT_H
#define SITU_FFT_H

#include <situ/move.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which direction is divided by n; ortho: both by sqrt(n). */
typedef enum situ_fft_norm { SITU_NORM_BACKWARD = 0, SITU_NORM_ORTHO = 1, SITU_NORM_FORWARD = 2 } situ_fft_norm;

typedef struct SITU_BY_NAME situ_fft_options {
    SITU_OPTION_HEAD;
    int64_t n;    /* length of the transform: x is cut or filled up with 0; irfft, hfft: of the result. Default: as long as x;
                   * irfft, hfft: 2 (length - 1) */
    int32_t axis; /* default: the last                              */
    int32_t norm; /* a situ_fft_norm, default SITU_NORM_BACKWARD     */
} situ_fft_options;
#define SITU_FFT_DEFAULTS (.axis = -1,)
/* Complex to complex; real x is made complex. */
SITU_API situ_tensor *situ_fft(situ_tensor *x, const situ_fft_options *options, situ_site site);
SITU_API situ_tensor *situ_ifft(situ_tensor *x, const situ_fft_options *options, situ_site site);
/* Of real x, the first n / 2 + 1 of fft; and back, real. */
SITU_API situ_tensor *situ_rfft(situ_tensor *x, const situ_fft_options *options, situ_site site);
SITU_API situ_tensor *situ_irfft(situ_tensor *x, const situ_fft_options *options, situ_site site);
/* The transform of a signal with a real spectrum, from its first half; and back. */
SITU_API situ_tensor *situ_hfft(situ_tensor *x, const situ_fft_options *options, situ_site site);
SITU_API situ_tensor *situ_ihfft(situ_tensor *x, const situ_fft_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_fftn_options {
    SITU_OPTION_HEAD;
    situ_shape s;   /* lengths along the axes, one number only where there is one axis; default as .n above */
    situ_axes axes; /* default: all, or the last ones if there is .s           */
    int32_t norm;
} situ_fftn_options;
#define SITU_FFTN_DEFAULTS (.s = SITU_SHAPE_UNSET, .axes = SITU_AXES_UNSET,)
/* Along several axes; rfftn: rfft along the last of them first; irfftn: irfft along the last of them last. */
SITU_API situ_tensor *situ_fftn(situ_tensor *x, const situ_fftn_options *options, situ_site site);
SITU_API situ_tensor *situ_ifftn(situ_tensor *x, const situ_fftn_options *options, situ_site site);
SITU_API situ_tensor *situ_rfftn(situ_tensor *x, const situ_fftn_options *options, situ_site site);
SITU_API situ_tensor *situ_irfftn(situ_tensor *x, const situ_fftn_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_fftfreq_options {
    SITU_OPTION_HEAD;
    double d;          /* the time between two samples, default 1 */
    situ_dtype dtype;  /* default f32                             */
    situ_device device;
} situ_fftfreq_options;
#define SITU_FFTFREQ_DEFAULTS (.d = 1, .dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT,)
/* The frequencies of fft's results, k / (n d): 0, 1, ... and then the negative ones; those of rfft's, 0, 1, ... n / 2. */
SITU_API situ_tensor *situ_fftfreq(int64_t n, const situ_fftfreq_options *options, situ_site site);
SITU_API situ_tensor *situ_rfftfreq(int64_t n, const situ_fftfreq_options *options, situ_site site);
/* Frequency 0 to the middle of all (or the named) axes; and back. */
SITU_API situ_tensor *situ_fftshift(situ_tensor *x, const situ_axes_options *options, situ_site site);
SITU_API situ_tensor *situ_ifftshift(situ_tensor *x, const situ_axes_options *options, situ_site site);

#ifndef __cplusplus
#define SITU_FFT_(name, x, ...) SITU_OPTIONS_(situ_fft_options, SITU_FFT_DEFAULTS, name, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_fft(...) SITU_FFT_(situ_fft, __VA_ARGS__, )
#define situ_ifft(...) SITU_FFT_(situ_ifft, __VA_ARGS__, )
#define situ_rfft(...) SITU_FFT_(situ_rfft, __VA_ARGS__, )
#define situ_irfft(...) SITU_FFT_(situ_irfft, __VA_ARGS__, )
#define situ_hfft(...) SITU_FFT_(situ_hfft, __VA_ARGS__, )
#define situ_ihfft(...) SITU_FFT_(situ_ihfft, __VA_ARGS__, )
#define SITU_FFTN_(name, x, ...) SITU_OPTIONS_(situ_fftn_options, SITU_FFTN_DEFAULTS, name, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_fftn(...) SITU_FFTN_(situ_fftn, __VA_ARGS__, )
#define situ_ifftn(...) SITU_FFTN_(situ_ifftn, __VA_ARGS__, )
#define situ_rfftn(...) SITU_FFTN_(situ_rfftn, __VA_ARGS__, )
#define situ_irfftn(...) SITU_FFTN_(situ_irfftn, __VA_ARGS__, )
#define SITU_FFTFREQ_(name, n, ...) \
    SITU_OPTIONS_(situ_fftfreq_options, SITU_FFTFREQ_DEFAULTS, name, (SITU_INTEGER(n)), __VA_ARGS__)
#define situ_fftfreq(...) SITU_FFTFREQ_(situ_fftfreq, __VA_ARGS__, )
#define situ_rfftfreq(...) SITU_FFTFREQ_(situ_rfftfreq, __VA_ARGS__, )
#define SITU_FFTSHIFT_(name, x, ...) SITU_OPTIONS_(situ_axes_options, SITU_AXES_DEFAULTS, name, (SITU_OPERAND(x)), __VA_ARGS__)
#define situ_fftshift(...) SITU_FFTSHIFT_(situ_fftshift, __VA_ARGS__, )
#define situ_ifftshift(...) SITU_FFTSHIFT_(situ_ifftshift, __VA_ARGS__, )
#endif

#ifdef __cplusplus
}
#endif
#endif
