/* As threefry_kernels.c. */
#include "numeric/extreme.inc"
