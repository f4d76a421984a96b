#if defined(__x86_64__)
#define EXTREME situ_extreme_avx2
#include "op/extreme.inc"
#endif
