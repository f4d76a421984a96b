#define KERNELS situ_normalise_baseline
#include "backend/cpu/normalise_kernels.h"
