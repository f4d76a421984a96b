/* As op/threefry_kernels.c. */
#include "backend/cpu/walks/convert.inc"
