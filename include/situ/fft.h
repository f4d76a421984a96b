/* Fourier transforms of any length, in O(n log n).
 *
 *     situ_tensor *spectrum = situ_rfft(signal, .axis = 0);
 *     situ_tensor *filtered = situ_irfft(situ_mul(spectrum, filter), .n = situ_dim(signal, 0), .axis = 0);
 *
 * y[k] = sum over j of x[j] e^(-2 pi i j k / n); the inverse has + in the exponent. On the CPU f32 is
 * transformed in f32 where all prime factors of n are at most 31 (off by some 1e-7 of the largest result), else, and elsewhere, in
 * double precision and rounded once. The gradient of a transform is its transpose.
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
    int64_t n;          /* = 0 in [0, inf): length of the transform: x is cut or padded with 0; for irfft and hfft length of the
                         * result. 0: the length of x; irfft, hfft: 2 (length - 1) */
    int32_t axis;       /* = -1: the axis; -1 is the last */
    situ_fft_norm norm; /* = SITU_NORM_BACKWARD: which direction is divided */
} situ_fft_options;
/* Complex to complex. A real x is converted. */
SITU_API situ_tensor *situ_fft(situ_tensor *x, const situ_fft_options *options, situ_site site);
SITU_API situ_tensor *situ_ifft(situ_tensor *x, const situ_fft_options *options, situ_site site);
/* The first n / 2 + 1 elements of the fft of a real x; and the inverse, real. */
SITU_API situ_tensor *situ_rfft(situ_tensor *x, const situ_fft_options *options, situ_site site);
SITU_API situ_tensor *situ_irfft(situ_tensor *x, const situ_fft_options *options, situ_site site);
/* The transform of a signal with a real spectrum, from its first half; and the inverse. */
SITU_API situ_tensor *situ_hfft(situ_tensor *x, const situ_fft_options *options, situ_site site);
SITU_API situ_tensor *situ_ihfft(situ_tensor *x, const situ_fft_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_fftn_options {
    SITU_OPTION_HEAD;
    situ_shape s;       /* = default: lengths along the axes; a single number only for one axis; default: as .n of situ_fft */
    situ_axes axes;     /* = all: the axes; all, or the last ones if .s is given */
    situ_fft_norm norm; /* = SITU_NORM_BACKWARD: which direction is divided */
} situ_fftn_options;
/* Transforms along several axes. rfftn begins with rfft along the last axis; irfftn ends with irfft along it. */
SITU_API situ_tensor *situ_fftn(situ_tensor *x, const situ_fftn_options *options, situ_site site);
SITU_API situ_tensor *situ_ifftn(situ_tensor *x, const situ_fftn_options *options, situ_site site);
SITU_API situ_tensor *situ_rfftn(situ_tensor *x, const situ_fftn_options *options, situ_site site);
SITU_API situ_tensor *situ_irfftn(situ_tensor *x, const situ_fftn_options *options, situ_site site);

typedef struct SITU_BY_NAME situ_fftfreq_options {
    SITU_OPTION_HEAD;
    double d;           /* = 1: the time between two samples */
    situ_dtype dtype;   /* = default f32: dtype of the result */
    situ_device device; /* = default: where it is made; default: the thread's default device */
} situ_fftfreq_options;
/* The frequencies of fft's results, k / (n d): 0, 1, ... and then the negative ones; and of rfft's, 0, 1, ... n / 2. */
SITU_API situ_tensor *situ_fftfreq(int64_t n, const situ_fftfreq_options *options, situ_site site);
SITU_API situ_tensor *situ_rfftfreq(int64_t n, const situ_fftfreq_options *options, situ_site site);
/* Moves frequency 0 to the middle of all (or the named) axes; and back. */
SITU_API situ_tensor *situ_fftshift(situ_tensor *x, const situ_axes_options *options, situ_site site);
SITU_API situ_tensor *situ_ifftshift(situ_tensor *x, const situ_axes_options *options, situ_site site);

#ifdef __cplusplus
}
#endif

#include <situ/call/fft.h>

#endif
