/* Calls of situ/fft.h. Made by scripts/generate.py from include/situ/fft.h: change that. */
#ifndef SITU_CALL_FFT_H
#define SITU_CALL_FFT_H

#ifdef SITU_SYSTEM_HEADER
#pragma GCC system_header
#endif

#define SITU_FFT_DEFAULTS (.axis = -1,)
#define SITU_FFTN_DEFAULTS (.s = SITU_SHAPE_UNSET, .axes = SITU_AXES_UNSET,)
#define SITU_FFTFREQ_DEFAULTS (.d = 1, .dtype = SITU_DTYPE_DEFAULT, .device = SITU_DEVICE_DEFAULT,)

#ifndef __cplusplus
#define situ_fft(...) situ_fft_(__VA_ARGS__, )
#define situ_fft_(x, ...) \
    SITU_OPTIONS_(situ_fft_options, SITU_FFT_DEFAULTS, situ_fft, (SITU_OPERAND(x),), \
    "situ_fft(x, .n = ..., .axis = ..., .norm = ...)", __VA_ARGS__)
#define situ_ifft(...) situ_ifft_(__VA_ARGS__, )
#define situ_ifft_(x, ...) \
    SITU_OPTIONS_(situ_fft_options, SITU_FFT_DEFAULTS, situ_ifft, (SITU_OPERAND(x),), \
    "situ_ifft(x, .n = ..., .axis = ..., .norm = ...)", __VA_ARGS__)
#define situ_rfft(...) situ_rfft_(__VA_ARGS__, )
#define situ_rfft_(x, ...) \
    SITU_OPTIONS_(situ_fft_options, SITU_FFT_DEFAULTS, situ_rfft, (SITU_OPERAND(x),), \
    "situ_rfft(x, .n = ..., .axis = ..., .norm = ...)", __VA_ARGS__)
#define situ_irfft(...) situ_irfft_(__VA_ARGS__, )
#define situ_irfft_(x, ...) \
    SITU_OPTIONS_(situ_fft_options, SITU_FFT_DEFAULTS, situ_irfft, (SITU_OPERAND(x),), \
    "situ_irfft(x, .n = ..., .axis = ..., .norm = ...)", __VA_ARGS__)
#define situ_hfft(...) situ_hfft_(__VA_ARGS__, )
#define situ_hfft_(x, ...) \
    SITU_OPTIONS_(situ_fft_options, SITU_FFT_DEFAULTS, situ_hfft, (SITU_OPERAND(x),), \
    "situ_hfft(x, .n = ..., .axis = ..., .norm = ...)", __VA_ARGS__)
#define situ_ihfft(...) situ_ihfft_(__VA_ARGS__, )
#define situ_ihfft_(x, ...) \
    SITU_OPTIONS_(situ_fft_options, SITU_FFT_DEFAULTS, situ_ihfft, (SITU_OPERAND(x),), \
    "situ_ihfft(x, .n = ..., .axis = ..., .norm = ...)", __VA_ARGS__)
#define situ_fftn(...) situ_fftn_(__VA_ARGS__, )
#define situ_fftn_(x, ...) \
    SITU_OPTIONS_(situ_fftn_options, SITU_FFTN_DEFAULTS, situ_fftn, (SITU_OPERAND(x),), \
    "situ_fftn(x, .s = ..., .axes = ..., .norm = ...)", __VA_ARGS__)
#define situ_ifftn(...) situ_ifftn_(__VA_ARGS__, )
#define situ_ifftn_(x, ...) \
    SITU_OPTIONS_(situ_fftn_options, SITU_FFTN_DEFAULTS, situ_ifftn, (SITU_OPERAND(x),), \
    "situ_ifftn(x, .s = ..., .axes = ..., .norm = ...)", __VA_ARGS__)
#define situ_rfftn(...) situ_rfftn_(__VA_ARGS__, )
#define situ_rfftn_(x, ...) \
    SITU_OPTIONS_(situ_fftn_options, SITU_FFTN_DEFAULTS, situ_rfftn, (SITU_OPERAND(x),), \
    "situ_rfftn(x, .s = ..., .axes = ..., .norm = ...)", __VA_ARGS__)
#define situ_irfftn(...) situ_irfftn_(__VA_ARGS__, )
#define situ_irfftn_(x, ...) \
    SITU_OPTIONS_(situ_fftn_options, SITU_FFTN_DEFAULTS, situ_irfftn, (SITU_OPERAND(x),), \
    "situ_irfftn(x, .s = ..., .axes = ..., .norm = ...)", __VA_ARGS__)
#define situ_fftfreq(...) situ_fftfreq_(__VA_ARGS__, )
#define situ_fftfreq_(n, ...) \
    SITU_OPTIONS_(situ_fftfreq_options, SITU_FFTFREQ_DEFAULTS, situ_fftfreq, (SITU_INTEGER(n),), \
    "situ_fftfreq(n, .d = ..., .dtype = ..., .device = ...)", __VA_ARGS__)
#define situ_rfftfreq(...) situ_rfftfreq_(__VA_ARGS__, )
#define situ_rfftfreq_(n, ...) \
    SITU_OPTIONS_(situ_fftfreq_options, SITU_FFTFREQ_DEFAULTS, situ_rfftfreq, (SITU_INTEGER(n),), \
    "situ_rfftfreq(n, .d = ..., .dtype = ..., .device = ...)", __VA_ARGS__)
#define situ_fftshift(...) situ_fftshift_(__VA_ARGS__, )
#define situ_fftshift_(x, ...) \
    SITU_OPTIONS_(situ_axes_options, SITU_AXES_DEFAULTS, situ_fftshift, (SITU_OPERAND(x),), \
    "situ_fftshift(x, .axes = ...)", __VA_ARGS__)
#define situ_ifftshift(...) situ_ifftshift_(__VA_ARGS__, )
#define situ_ifftshift_(x, ...) \
    SITU_OPTIONS_(situ_axes_options, SITU_AXES_DEFAULTS, situ_ifftshift, (SITU_OPERAND(x),), \
    "situ_ifftshift(x, .axes = ...)", __VA_ARGS__)
#endif

#endif
