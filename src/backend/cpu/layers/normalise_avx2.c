#if defined(__x86_64__)
#define KERNELS situ_normalise_avx2
#define VECTOR_BYTES 32
#include "backend/cpu/layers/normalise_kernels.h"
#endif
