/* As threefry_kernels.c. */
#include "op/extreme.inc"
