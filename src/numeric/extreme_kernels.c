/* As in threefry_kernels.c: macros are laid out by hand, so they are in an .inc file. */
#include "numeric/extreme.inc"
