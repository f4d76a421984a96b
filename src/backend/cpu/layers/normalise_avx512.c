#if defined(__x86_64__)
#define KERNELS situ_normalise_avx512
#define VECTOR_BYTES 64
#include "backend/cpu/layers/normalise_kernels.h"
#endif
