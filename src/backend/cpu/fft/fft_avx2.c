#if defined(__x86_64__)
#define FFT situ_fft_avx2
#define VECTOR 32
#include "backend/cpu/fft/kernels.h"
#endif
