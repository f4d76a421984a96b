#if defined(__x86_64__)
#define FFT situ_fft_avx512
#define VECTOR 64
#include "backend/cpu/fft/kernels.h"
#endif
