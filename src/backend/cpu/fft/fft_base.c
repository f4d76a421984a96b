/* On x86-64 these serve processors older than AVX2 alone: small code. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("Os")
#endif
#define FFT situ_fft_baseline
#define VECTOR 16
#include "backend/cpu/fft/kernels.h"
