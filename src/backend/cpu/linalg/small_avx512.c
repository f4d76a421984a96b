#if defined(__x86_64__)
#define SMALL situ_small_avx512
#include "backend/cpu/linalg/small.h"
#endif
