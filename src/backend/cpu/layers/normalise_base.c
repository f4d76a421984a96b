#define KERNELS situ_normalise_baseline
#define VECTOR_BYTES 32
#include "backend/cpu/layers/normalise_kernels.h"
