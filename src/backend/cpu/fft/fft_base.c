#define FFT situ_fft_baseline
#define VECTOR 16
#include "backend/cpu/fft/kernels.h"
